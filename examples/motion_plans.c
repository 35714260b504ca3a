/* Motion plans: a lift whose motion is known for two seconds at a time, and a hand of which only a speed bound is
 * known. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

static char lift[] = "lift", hand[] = "hand", lamp[] = "lamp", door[] = "door";

/* The hand waves. The world learns its transform only when it asks. */
static tact_transform hand_at(double time) { return tact_at(3.0 * sin(0.5 * time), 0.0, 0.0); }

int main(void)
{
    tact_shape *cabin = tact_box(1.0, 2.0, 1.0), *ball = tact_sphere(0.25), *panel = tact_box(0.1, 2.0, 1.0);
    tact_world *world = tact_world_create(NULL);
    const tact_body_def defs[4] = {
        {.shape = cabin, .transform = tact_at(-10.0, 0.0, 0.0), .user = lift},
        {.shape = ball, .transform = hand_at(0.0), .user = hand},
        {.shape = ball, .transform = tact_at(-10.0, 8.0, 0.0), .user = lamp},
        {.shape = panel, .transform = tact_at(2.5, 0.0, 0.0), .user = door},
    };
    tact_body bodies[4];
    if (tact_body_create_many(world, defs, 4, bodies, NULL) != TACT_OK)
        return 1;

    /* the lift: two seconds upward, then the plan expires; the hand: a speed of at most 1.5 */
    (void)tact_body_set_motion_plan(world, bodies[0],
                                    &(tact_motion_plan){.motion = {.velocity = {0.0, 1.5, 0.0}}, .until = 2.0});
    (void)tact_body_set_motion_plan(world, bodies[1],
                                    &(tact_motion_plan){.max_deviation_speed = 1.5, .min_interval = 0.001});

    int touches = 0, requests = 0;
    double first = 0.0, last = 0.0;
    for (tact_event e; tact_world_next_event(world, 10.0, &e) != TACT_EVENT_NONE;) {
        if (e.kind == TACT_EVENT_TOUCH) {
            first = ++touches == 1 ? e.time : first;
            last = e.time;
            printf("%6.3f  %s meets %s\n", e.time, (const char *)e.user_a, (const char *)e.user_b);
        } else if (e.user_a == hand) {
            ++requests;
            (void)tact_body_set_transform(world, e.a, hand_at(e.time));
        } else {
            printf("%6.3f  the plan of the lift has expired; it gets the next one\n", e.time);
            (void)tact_body_set_motion(world, e.a, (tact_motion){.velocity = {0.0, 1.0, 0.0}});
        }
    }
    printf("the transform of the hand was requested %d times in 10 seconds\n", requests);

    tact_world_release(world);
    tact_shape_release(cabin);
    tact_shape_release(ball);
    tact_shape_release(panel);
    /* the hand is 2.2 from the door, reported at most one interval late; the lift is 6.75 from the lamp */
    const double late = first - 2.0 * asin(2.2 / 3.0);
    return touches == 3 && late >= -1e-9 && late <= 0.001 && fabs(last - 5.75) < 1e-9 && requests < 1000 ? 0 : 1;
}
