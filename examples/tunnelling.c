/* Tunnelling: a spinning bar is clear of a thin wall at time 0 and at time 1, and hits it in between. */
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    tact_shape *bar = tact_box(2, 0.3, 0.3), *wall = tact_box(0.1, 2, 2);
    tact_transform start = tact_at(-4, -2, 0), there = tact_at(0, -1, 0);
    tact_motion flight = {.velocity = {8, 5.5, 0}, .acceleration = {0, -9, 0}, .spin = {0, 0, 4}};

    tact_transform end = tact_motion_at(flight, start, 1.0);
    double before = tact_shapes_distance(bar, start, wall, there).distance;
    double after = tact_shapes_distance(bar, end, wall, there).distance;
    tact_toi hit = tact_shapes_time_of_impact(bar, start, flight, wall, there, tact_motion_still(), 1.0);
    printf("distance %.3f at time 0, %.3f at time 1\n", before, after);
    if (hit.state == TACT_HIT)
        printf("contact at time %.4f, point (%.3f %.3f), normal (%.3f %.3f)\n", hit.time, hit.point.x, hit.point.y,
               hit.normal.x, hit.normal.y);

    tact_shape_release(bar);
    tact_shape_release(wall);
    return before > 0.0 && after > 0.0 && hit.status == TACT_OK && hit.state == TACT_HIT ? 0 : 1;
}
