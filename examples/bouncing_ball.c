/* A ball bounces ever lower until it rests and falls asleep. The times of the bounces are compared with the closed
 * form. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    const double g = 9.81, height = 2.0, restitution = 0.7;
    tact_shape *slab = tact_box(10, 1, 10), *round = tact_sphere(0.25);
    tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0, -g, 0}});
    tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0, -0.5, 0)});
    tact_body ball = tact_body_create(
        world, &(tact_body_def){.shape = round, .transform = tact_at(0, height + 0.25, 0), .density = 1000.0});
    tact_world_set_contact_events(world, true);

    double expected = sqrt(2.0 * height / g), flight = 2.0 * expected * restitution, worst = 0.0, asleep = 0.0;
    int bounces = 0;
    for (tact_event e; tact_world_next_event(world, 10.0, &e) != TACT_EVENT_NONE;) {
        if (e.kind == TACT_EVENT_TOUCH) {
            tact_world_bounce(world, &e, restitution);
            const double speed = tact_body_get_motion(world, ball).velocity.y;
            printf("bounce %2d at %.9f s, then %.6f m high\n", ++bounces, e.time, speed * speed / (2.0 * g));
            worst = fmax(worst, fabs(e.time - expected));
            expected += flight;
            flight *= restitution;
        } else if (e.kind == TACT_EVENT_CONTACT_BEGIN) {
            printf("in contact from %.6f s on\n", e.time);
        } else if (e.kind == TACT_EVENT_SLEEP) {
            printf("asleep at %.6f s\n", asleep = e.time);
        }
    }

    tact_world_release(world);
    tact_shape_release(slab);
    tact_shape_release(round);
    return bounces > 8 && bounces < 20 && worst < 1e-9 && asleep > 0.0 ? 0 : 1;
}
