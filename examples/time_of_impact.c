/* The time of impact of a thrown, spinning ball and a crate; then of the crate, dropped on the floor. */
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    tact_shape *ball = tact_sphere(1.0);
    tact_shape *crate = tact_box(2.0, 2.0, 2.0);
    tact_shape *floor = tact_box(20.0, 1.0, 20.0);

    tact_motion throw = {.velocity = {4, 3, 0}, .acceleration = {0, -9.81, 0}, .spin = {0, 0, 6}};
    tact_toi hit =
        tact_shapes_time_of_impact(ball, tact_at(0, 0, 0), throw, crate, tact_at(3, 0.5, 0), tact_motion_still(), 2.0);
    if (hit.state == TACT_HIT)
        printf("the ball hits the crate after %g s, at (%g %g %g)\n", hit.time, hit.point.x, hit.point.y, hit.point.z);

    tact_motion fall = {.acceleration = {0, -9.81, 0}, .spin = {1, 0, 2}};
    tact_toi land =
        tact_shapes_time_of_impact(crate, tact_at(0, 5, 0), fall, floor, tact_at(0, -0.5, 0), tact_motion_still(), 2.0);
    if (land.state == TACT_HIT)
        printf("the crate lands on a vertex after %g s, at (%g %g %g)\n", land.time, land.point.x, land.point.y,
               land.point.z);

    tact_shape_release(ball);
    tact_shape_release(crate);
    tact_shape_release(floor);
    return hit.state == TACT_HIT && land.state == TACT_HIT ? 0 : 1;
}
