/* Motions known only in part: a lift that gets its orders piece by piece, and a hand of which only a bound of its speed
 * is known. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

static char lift[] = "lift", hand[] = "hand", lamp[] = "lamp", door[] = "door";

/* Where the hand is: it waves. Nobody tells the world but when it asks. */
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

    /* two seconds upwards, then we shall see; and a hand that moves at most 1.5 a second */
    (void)tact_body_set_motion_plan(world, bodies[0],
                                    &(tact_motion_plan){.motion = {.velocity = {0.0, 1.5, 0.0}}, .until = 2.0});
    (void)tact_body_set_motion_plan(world, bodies[1],
                                    &(tact_motion_plan){.max_deviation_speed = 1.5, .min_interval = 0.001});

    int touches = 0, questions = 0;
    double first = 0.0, last = 0.0;
    for (tact_event e; tact_world_next_event(world, 10.0, &e) != TACT_EVENT_NONE;) {
        if (e.kind == TACT_EVENT_TOUCH) {
            first = ++touches == 1 ? e.time : first;
            last = e.time;
            printf("%6.3f  %s meets %s\n", e.time, (const char *)e.user_a, (const char *)e.user_b);
        } else if (e.user_a == hand) {
            ++questions;
            (void)tact_body_set_transform(world, e.a, hand_at(e.time));
        } else {
            printf("%6.3f  the lift has done what it was told, and goes on\n", e.time);
            (void)tact_body_set_motion(world, e.a, (tact_motion){.velocity = {0.0, 1.0, 0.0}});
        }
    }
    printf("the hand was asked %d times in 10 seconds\n", questions);

    tact_world_release(world);
    tact_shape_release(cabin);
    tact_shape_release(ball);
    tact_shape_release(panel);
    /* there are 2.2 to the door, for the hand: told at most an interval late; and 6.75 to the lamp, for the lift */
    const double late = first - 2.0 * asin(2.2 / 3.0);
    return touches == 3 && late >= -1e-9 && late <= 0.001 && fabs(last - 5.75) < 1e-9 && questions < 1000 ? 0 : 1;
}
