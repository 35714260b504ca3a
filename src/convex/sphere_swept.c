/*
 * Two sphere-swept shapes (spheres, capsules) in closed form, from the shapes themselves.
 *
 * Under a similarity a sphere is a point with a radius, a capsule a segment with a radius. Their distance is that of
 * two segments +-u and +-v, less the radii.
 *
 * Guarantee: that of tact_gjk_distance for full accuracy, by the same proof. The separation along the direction found
 * is computed for all end points and must agree with the distance up to rounding. If it does not, or a transform is not
 * a similarity, the caller takes the general path. Exactly symmetric in A and B. Cost: constant, 20 to 30 ns on a 3 GHz
 * core; the convex instances that the general path needs take longer to make.
 */
#include "convex/sphere_swept.h"

#include <stddef.h>

#include "convex/convex_constants.h"
#include "convex/convex_pair.h"
#include "convex/margin.h"
#include "core/inline.h"
#include "math/double2.h"
#include "shape/convex.h"

/* The closest points of two cores. */
typedef struct sphere_swept_pair {
    double2 x, y, z; /* coordinates: A low, B high */
    tact_vec3 n;     /* from A's point to B's */
    double length;   /* |n|; 0 if the cores touch */
    double2 radii;   /* of A and B, margins included */
} sphere_swept_pair;

/* Parameters of the closest points s u and c + t v of two segments, |s| and |t| at most 1. It is called in one order
 * for both orders of A and B. */
static void closest_parameters(tact_vec3 c, tact_vec3 u, tact_vec3 v, double *s, double *t)
{
    double uu = vec_length_squared(u), vv = vec_length_squared(v), uv = vec_dot(u, v), cu = vec_dot(c, u),
           cv = vec_dot(c, v);
    double determinant = uu * vv - uv * uv;
    *s = determinant > 0.0 ? clamp_unit((cu * vv - cv * uv) / determinant) : 0.0;
    *t = clamp_unit((*s * uv - cv) / vv);
    *s = clamp_unit((*t * uv + cu) / uu);
}

static bool is_negative(tact_vec3 c) { return (c.x != 0.0 ? c.x : c.y != 0.0 ? c.y : c.z) < 0.0; }

TACT_FORCE_INLINE bool closest_points(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, sphere_swept_pair *r)
{
    /* A's numbers are low, B's are high. */
    double2 xx = double2_make(transform_a->x_axis.x, transform_b->x_axis.x),
            xy = double2_make(transform_a->x_axis.y, transform_b->x_axis.y),
            xz = double2_make(transform_a->x_axis.z, transform_b->x_axis.z),
            yx = double2_make(transform_a->y_axis.x, transform_b->y_axis.x),
            yy = double2_make(transform_a->y_axis.y, transform_b->y_axis.y),
            yz = double2_make(transform_a->y_axis.z, transform_b->y_axis.z),
            zx = double2_make(transform_a->z_axis.x, transform_b->z_axis.x),
            zy = double2_make(transform_a->z_axis.y, transform_b->z_axis.y),
            zz = double2_make(transform_a->z_axis.z, transform_b->z_axis.z);
    double2 ox = double2_make(transform_a->origin.x, transform_b->origin.x),
            oy = double2_make(transform_a->origin.y, transform_b->origin.y),
            oz = double2_make(transform_a->origin.z, transform_b->origin.z);
    double2 half = double2_make(a->half_height, b->half_height);
    double2 ux = double2_mul(yx, half), uy = double2_mul(yy, half), uz = double2_mul(yz, half);
    const tact_vec3 c = {double2_horizontal_sub(ox), double2_horizontal_sub(oy), double2_horizontal_sub(oz)};
    const tact_vec3 u = {double2_low(ux), double2_low(uy), double2_low(uz)},
                    v = {double2_high(ux), double2_high(uy), double2_high(uz)};
    /* As similarity_factor in shape/convex.c. */
    double2 x2 = double2_add(double2_add(double2_mul(xx, xx), double2_mul(xy, xy)), double2_mul(xz, xz)),
            y2 = double2_add(double2_add(double2_mul(yx, yx), double2_mul(yy, yy)), double2_mul(yz, yz)),
            z2 = double2_add(double2_add(double2_mul(zx, zx), double2_mul(zy, zy)), double2_mul(zz, zz)),
            xdy = double2_add(double2_add(double2_mul(xx, yx), double2_mul(xy, yy)), double2_mul(xz, yz)),
            ydz = double2_add(double2_add(double2_mul(yx, zx), double2_mul(yy, zy)), double2_mul(yz, zz)),
            zdx = double2_add(double2_add(double2_mul(zx, xx), double2_mul(zy, xy)), double2_mul(zz, xz));
    double2 mean = _mm_div_pd(double2_add(double2_add(x2, y2), z2), double2_broadcast(3.0)),
            slack = double2_mul(double2_broadcast(CONVEX_SIMILARITY_TOLERANCE), mean);
    double2 length_difference =
        _mm_max_pd(_mm_max_pd(double2_abs(double2_sub(x2, y2)), double2_abs(double2_sub(y2, z2))),
                   double2_abs(double2_sub(z2, x2)));
    double2 skewed = _mm_max_pd(_mm_max_pd(double2_abs(xdy), double2_abs(ydz)), double2_abs(zdx));
    r->radii = double2_add(double2_make(a->margin, b->margin),
                           double2_mul(_mm_sqrt_pd(mean), double2_make(a->radius, b->radius)));
    double2 far = double2_add(double2_add(double2_abs(ox), double2_abs(oy)), double2_add(double2_abs(oz), r->radii));
    double2 sound =
        _mm_and_pd(_mm_cmple_pd(double2_add(length_difference, skewed), slack),
                   _mm_and_pd(_mm_cmpgt_pd(mean, double2_broadcast(CLOSED_FORM_MIN_LENGTH * CLOSED_FORM_MIN_LENGTH)),
                              _mm_cmplt_pd(far, double2_broadcast(CLOSED_FORM_MAX_LENGTH))));
    double s, t;
    if (double2_low(half) > 0.0 && double2_high(half) > 0.0) {
        if (is_negative(c))
            closest_parameters(vec_negate(c), v, u, &t, &s);
        else
            closest_parameters(c, u, v, &s, &t);
    } else {
        /* One core is a point, or both: c + t e with e = v - u, which is v or -u. */
        tact_vec3 e = vec_sub(v, u);
        double ee = vec_length_squared(e);
        s = t = clamp_unit(-vec_dot(c, e) / (ee > 0.0 ? ee : 1.0));
    }
    double2 px = double2_mul(ux, double2_make(s, t)), py = double2_mul(uy, double2_make(s, t)),
            pz = double2_mul(uz, double2_make(s, t));
    r->x = double2_add(px, ox);
    r->y = double2_add(py, oy);
    r->z = double2_add(pz, oz);
    r->n =
        vec_make(c.x + double2_horizontal_sub(px), c.y + double2_horizontal_sub(py), c.z + double2_horizontal_sub(pz));
    double nn = vec_length_squared(r->n);
    double2 reach = double2_mul(_mm_sqrt_pd(y2), half);
    double size = double2_horizontal_add(reach) + vec_max_abs(c),
           rounding = CLOSED_FORM_ROUNDING * CONVEX_ROUNDOFF * size;
    r->length = sqrt(nn);
    if (_mm_movemask_pd(sound) != 3 || !(size < CLOSED_FORM_MAX_LENGTH))
        return false;
    if (!(r->length > rounding) && (r->length >= CLOSED_FORM_MIN_LENGTH || !(vec_max_abs(r->n) > 0.0))) {
        r->length = 0.0;
        return true;
    }
    double nw = vec_dot(r->n, c) - (fabs(vec_dot(r->n, u)) + fabs(vec_dot(r->n, v)));
    return r->length >= CLOSED_FORM_MIN_LENGTH && nn - nw <= rounding * r->length;
}

tact_distance tact_sphere_swept_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                         const tact_transform *transform_b, const tact_distance_def *def)
{
    sphere_swept_pair r;
    if (!closest_points(a, transform_a, b, transform_b, &r))
        return tact_convex_pair_distance(a, transform_a, b, transform_b, def);
    tact_vec3 normal = {0.0, 0.0, 0.0};
    if (r.length > 0.0) {
        normal = vec_scale(r.n, 1.0 / r.length);
        if (def->cache != NULL)
            def->cache->axis = normal;
    }
    tact_vec3 on_a = {double2_low(r.x), double2_low(r.y), double2_low(r.z)},
              on_b = {double2_high(r.x), double2_high(r.y), double2_high(r.z)};
    return margin_distance(r.length, normal, on_a, on_b, double2_low(r.radii), double2_high(r.radii));
}

tact_state tact_sphere_swept_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double distance, tact_vec3 *axis)
{
    sphere_swept_pair r;
    if (!closest_points(a, transform_a, b, transform_b, &r))
        return TACT_UNKNOWN;
    if (r.length <= distance + double2_horizontal_add(r.radii))
        return TACT_HIT;
    if (axis != NULL)
        *axis = r.n;
    return TACT_MISS;
}
