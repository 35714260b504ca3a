/*
 * Exact predicates: the floating-point filter, then integers if the filter proves nothing.
 *
 * Guarantee: the correct sign for all finite doubles, in any floating-point environment, which is not changed. The
 * filters (filter.h, with the proof) hold in every rounding mode and with subnormals flushed; the exact fallback
 * (exact.c) is integer arithmetic. Setting the default environment in every call instead would cost as much as the
 * filter itself.
 */
#include <tact/predicates.h>

#include "math/exact.h"
#include "math/filter.h"

int tact_orient2d(const double a[2], const double b[2], const double c[2])
{
    int sign = filter_orient2d(a[0], a[1], b[0], b[1], c[0], c[1]);
    return sign != 0 ? sign : tact_exact_orient2d(a[0], a[1], b[0], b[1], c[0], c[1]);
}

int tact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    int sign = filter_orient3d(a, b, c, d);
    return sign != 0 ? sign : tact_exact_orient3d(a, b, c, d);
}

int tact_collinear(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    /* not collinear if the projection onto some coordinate plane is a proper triangle */
    if (filter_orient2d(a.x, a.y, b.x, b.y, c.x, c.y) != 0 || filter_orient2d(a.y, a.z, b.y, b.z, c.y, c.z) != 0 ||
        filter_orient2d(a.z, a.x, b.z, b.x, c.z, c.x) != 0)
        return 0;
    return tact_exact_collinear(a, b, c);
}

int tact_dot_sign(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    int sign = filter_dot_sign(a, b, c);
    return sign != 0 ? sign : tact_exact_dot_sign(a, b, c);
}

int tact_is_between(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    return tact_dot_sign(a, b, c) <= 0 && tact_collinear(a, b, c);
}

int tact_compare_distance(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    int sign = filter_compare_distance(a, b, c);
    return sign != 0 ? sign : tact_exact_compare_distance(a, b, c);
}

int tact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e)
{
    int sign = filter_insphere(a, b, c, d, e);
    return sign != 0 ? sign : tact_exact_insphere(a, b, c, d, e);
}
