/* The distance of two shapes at two transforms: no world, no set-up. */
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    tact_shape *ball = tact_sphere(1.0);
    tact_shape *crate = tact_box(2.0, 2.0, 2.0);
    tact_distance d = tact_shapes_distance(ball, tact_at(0, 0, 0), crate, tact_at(3, 0.5, 0));
    if (d.status == TACT_OK)
        printf("%g apart, from (%g %g %g)\n", d.distance, d.on_a.x, d.on_a.y, d.on_a.z);
    tact_shape_release(ball);
    tact_shape_release(crate);
    return d.status == TACT_OK ? 0 : 1;
}
