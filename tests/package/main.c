#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    const tact_vec3 corners[] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 1}};
    tact_shape *ball = tact_sphere(1.0), *spike = tact_hull(corners, 4);
    tact_distance d = tact_shapes_distance(ball, tact_at(0, 0, 0), spike, tact_at(0, 0, 4));
    printf("Tact %d.%d: %g apart\n", TACT_VERSION_MAJOR, TACT_VERSION_MINOR, d.distance);
    tact_shape_release(ball);
    tact_shape_release(spike);
    return d.status == TACT_OK && d.distance > 2.999 && d.distance < 3.001 ? 0 : 1;
}
