/* Bodies that turn many times: see revolved.h. */
#include "toi/revolved.h"

#include "convex/gjk.h"
#include "core/number.h"
#include "math/elementary.h"
#include "motion/motion.h"
#include "shape/convex.h"
#include "shape/support.h"
#include "toi/convex_toi.h"
#include "toi/safe_time.h"

/* The columns of a rotation. */
typedef struct revolved_axes {
    tact_vec3 e, k, f;
} revolved_axes;

/* The shape about its origin, seen in these axes: its bounds along e, k, f are those along x, y, z. */
static tact_status bounds_along(const tact_shape *shape, const tact_transform *at, const revolved_axes *axes,
                                tact_bounds *bounds)
{
    tact_transform seen = *at;
    seen.origin = vec_make(0.0, 0.0, 0.0);
    tact_vec3 *columns[3] = {&seen.x_axis, &seen.y_axis, &seen.z_axis};
    for (int i = 0; i < 3; i++)
        *columns[i] =
            vec_make(vec_dot(axes->e, *columns[i]), vec_dot(axes->k, *columns[i]), vec_dot(axes->f, *columns[i]));
    return tact_shape_bounds(shape, seen, bounds);
}

static double farther(double low, double high) { return number_max(fabs(low), fabs(high)); }

/* A cylinder about the axis of the spin that contains the body however it is turned. */
static tact_status revolve(const tact_shape *shape, const tact_transform *at, tact_vec3 spin, convex *c)
{
    revolved_axes axes = {.k = vec_normalize(spin)};
    vec_tangent_basis(axes.k, &axes.e, &axes.f);
    const double half = sqrt(0.5);
    const revolved_axes slanted = {vec_scale(vec_add(axes.e, axes.f), half), axes.k,
                                   vec_scale(vec_sub(axes.f, axes.e), half)};
    tact_bounds first, second;
    if (bounds_along(shape, at, &axes, &first) != TACT_OK || bounds_along(shape, at, &slanted, &second) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const double sides[4] = {farther(first.min.x, first.max.x), farther(first.min.z, first.max.z),
                             farther(second.min.x, second.max.x), farther(second.min.z, second.max.z)};
    /* in the intersection of two squares: in a regular octagon around it, and in both circles around them */
    const double widest = number_max(number_max(sides[0], sides[1]), number_max(sides[2], sides[3])),
                 octagon = widest / tact_cosine(0.39269908169872414); /* pi / 8 */
    const double thin = TOI_BODY_ROUNDING * (widest + farther(first.min.y, first.max.y)) + DBL_MIN;
    const double radius =
        number_min(octagon, number_min(tact_hypot(sides[0], sides[1]), tact_hypot(sides[2], sides[3]))) *
            (1.0 + TOI_BODY_ROUNDING) +
        thin;
    const double middle = 0.5 * first.min.y + 0.5 * first.max.y,
                 height = 0.5 * (first.max.y - first.min.y) * (1.0 + TOI_BODY_ROUNDING) + thin;
    *c = convex_point(shape, vec_scale(axes.k, middle));
    c->kind = CONVEX_CYLINDER;
    c->transform.x_axis = vec_scale(axes.e, radius);
    c->transform.y_axis = vec_scale(axes.k, height);
    c->transform.z_axis = vec_scale(axes.f, radius);
    c->bounding_radius = tact_hypot(radius, height);
    return TACT_OK;
}

/* The body itself if it is convex, else the box around it. */
static tact_status enclose(const tact_shape *shape, const tact_transform *at, convex *c)
{
    tact_transform centred = *at;
    centred.origin = vec_make(0.0, 0.0, 0.0);
    if (tact_convex_make(c, shape, &centred) == TACT_OK)
        return TACT_OK;
    tact_bounds around;
    if (tact_shape_bounds(shape, centred, &around) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const tact_vec3 half = vec_scale(vec_sub(around.max, around.min), 0.5);
    *c = convex_point(shape, vec_mul_add(around.min, 1.0, half));
    c->kind = CONVEX_BOX;
    c->transform.x_axis.x = half.x;
    c->transform.y_axis.y = half.y;
    c->transform.z_axis.z = half.z;
    c->bounding_radius = vec_length_safe(half);
    return TACT_OK;
}

bool tact_toi_turns_often(const tact_motion motion[2], double end)
{
    return (vec_length_safe(motion[0].spin) + vec_length_safe(motion[1].spin)) * end > TOI_OFTEN;
}

double tact_toi_free_time_revolved(const tact_shape *const shape[2], const tact_transform transform[2],
                                   const tact_motion motion[2], double end)
{
    convex c[2];
    for (int i = 0; i < 2; i++)
        if ((vec_max_abs(motion[i].spin) > 0.0 ? revolve(shape[i], &transform[i], motion[i].spin, &c[i])
                                               : enclose(shape[i], &transform[i], &c[i])) != TACT_OK)
            return 0.0;
    const tact_vec3 v = vec_sub(motion[1].velocity, motion[0].velocity),
                    a = vec_sub(motion[1].acceleration, motion[0].acceleration),
                    offset = vec_sub(transform[1].origin, transform[0].origin), own = c[1].transform.origin;
    const double margin = c[0].margin + c[1].margin,
                 far = vec_max_abs(transform[0].origin) + vec_max_abs(transform[1].origin) + c[0].bounding_radius +
                       c[1].bounding_radius + margin + vec_max_abs(c[0].transform.origin) + vec_max_abs(own) +
                       end * (vec_max_abs(v) + end * vec_max_abs(a));
    const double rounding = TOI_BODY_ROUNDING * far;
    if (!(far < TOI_MAX_COORDINATE))
        return 0.0;
    double time = 0.0;
    tact_vec3 axis = offset;
    for (int i = 0; i < TOI_REVOLVED_STEPS; i++) {
        const tact_vec3 to = vec_mul_add(vec_mul_add(offset, time, v), 0.5 * time * time, a);
        gjk_result g = {0};
        c[1].transform.origin = vec_add(own, to);
        tact_gjk_distance(&c[0], &c[1], TOI_GJK_ACCURACY, INFINITY, axis, &g);
        if (g.count == 0 || !(g.lower > margin))
            break;
        axis = vec_normalize(g.normal);
        const tact_vec3 back = vec_negate(axis);
        uint64_t feature;
        const double sum = vec_dot(axis, vec_add(convex_support(&c[0], axis, &feature), c[0].transform.origin)) +
                           vec_dot(back, vec_add(convex_support(&c[1], back, &feature), own));
        const double clearance = vec_dot(axis, to) - sum - margin - rounding;
        const double left = end - time, step = parabola_safe_time(clearance, vec_dot(axis, vec_mul_add(v, time, a)),
                                                                  0.5 * vec_dot(axis, a), left);
        if (step >= left)
            return end;
        if (!(time + step > time))
            break;
        time += step;
    }
    return time;
}
