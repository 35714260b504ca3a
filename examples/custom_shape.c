/* A custom shape, given by its support function: a lens, the intersection of two balls. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

typedef struct lens {
    double radius; /* of both balls */
    double half;   /* their centres are at x = +half and x = -half */
} lens;

/* The support function. Towards +x the farthest point lies on the ball centred at -half, unless that point lies beyond
 * the rim, the circle in the plane x = 0 where the spheres intersect; then it lies on the rim. */
static tact_vec3 lens_support(void *context, tact_vec3 d)
{
    const lens *l = context;
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    double x = l->radius * fabs(d.x) / length - l->half;
    if (x >= 0.0)
        return tact_vec(d.x > 0.0 ? x : -x, l->radius * d.y / length, l->radius * d.z / length);
    double rim = sqrt(l->radius * l->radius - l->half * l->half), across = hypot(d.y, d.z);
    return across > 0.0 ? tact_vec(0.0, rim * d.y / across, rim * d.z / across) : tact_vec(0.0, rim, 0.0);
}

int main(void)
{
    lens glass = {.radius = 5.0, .half = 4.0};
    tact_shape *shape = tact_custom(lens_support, &glass, 3.0);
    tact_shape *ball = tact_sphere(1.0);

    /* Along its axis the lens extends to x = 1, across it to the rim at 3. */
    tact_distance front = tact_shapes_distance(shape, tact_at(0, 0, 0), ball, tact_at(4, 0, 0));
    tact_distance side = tact_shapes_distance(shape, tact_at(0, 0, 0), ball, tact_at(0, 7, 0));
    tact_ray_hit light = tact_shape_ray(shape, tact_at(0, 0, 0), tact_vec(-9, 1, 0), tact_vec(1, 0, 0), INFINITY);
    printf("in front %g, beside %g; light enters at (%g %g %g)\n", front.distance, side.distance, light.point.x,
           light.point.y, light.point.z);

    tact_shape_release(shape);
    tact_shape_release(ball);
    int good = fabs(front.distance - 2.0) < 1e-9 && fabs(side.distance - 3.0) < 1e-9 && light.state == TACT_HIT;
    return good ? 0 : 1;
}
