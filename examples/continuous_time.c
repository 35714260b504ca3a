/* All contacts of the next ten seconds, in order of time. There are no frames. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

static const char *name(const void *user) { return user; }

int main(void)
{
    static char floor_name[] = "floor", wall_name[] = "wall", ball_name[] = "ball";
    tact_shape *slab = tact_box(100, 2, 100), *round = tact_sphere(0.5);
    tact_world *world = tact_world_create(NULL);
    tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0, -1, 0), .user = floor_name});
    tact_body_create(world,
                     &(tact_body_def){.shape = slab,
                                      .transform = tact_transform_make(tact_vec(5, 0, 0), (tact_quat){0, 0, 1, 1},
                                                                       tact_vec(1, 1, 1)), /* rotated by 90 degrees */
                                      .user = wall_name});
    tact_body ball = tact_body_create(world, &(tact_body_def){.shape = round, .user = ball_name});
    tact_body_set_transform(world, ball, tact_at(0, 0.5, 0));
    tact_body_set_mass(world, ball, 1.0);

    tact_body_set_motion(world, ball, (tact_motion){.velocity = {1, 5, 0}, .acceleration = {0, -9.81, 0}});
    double first = 0.0, walls = 0.0;
    int touches = 0;
    for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH;) {
        if (touches++ < 12)
            printf("%.9f  %s meets %s\n", e.time, name(e.user_a), name(e.user_b));
        if (e.user_a == floor_name && e.normal.y > 0.5 && first == 0.0)
            first = e.time;
        if (e.user_a == wall_name)
            walls = e.time;
        tact_world_bounce(world, &e, 0.8);
    }
    printf("%d touch events in %g seconds; the ball is %.3g above the floor\n", touches, tact_world_get_time(world),
           tact_body_get_transform(world, ball).origin.y - 0.5);

    tact_world_release(world);
    tact_shape_release(slab);
    tact_shape_release(round);
    /* the first flight takes 2 v / g; the wall is 3.5 away, at a speed of 1 */
    return fabs(first - 10.0 / 9.81) < 1e-9 && fabs(walls - 3.5) < 1e-9 ? 0 : 1;
}
