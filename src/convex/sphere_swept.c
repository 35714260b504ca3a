/*
 * Spheres and capsules in closed form, straight from the shapes: where a placement turns and stretches evenly they are a point and a segment
 * with a radius around, and their distance is that of two segments +-u and +-v, less the radii.
 *
 * Guarantee: as tact_gjk_distance for full accuracy, by the same proof: the separation along the direction found is computed for all ends
 * and must agree with the distance up to rounding; if not, or if anything is odd, the caller goes the long way. Exactly symmetric. Cost: constant,
 * 20 to 30 ns on a 3 GHz core; placing both shapes for the general search alone takes longer.
 */
#include "convex/sphere_swept.h"

#include <float.h>
#include <stddef.h>

#include "core/inline.h"
#include "math/double2.h"
#include "convex/margin_answer.h"
#include "query/query.h"
#include "shape/convex.h"

/* In units of 2^-53 of the size: bounds that are this close have met, cores this close touch. As CLOSED_FLOOR in closed.c. */
#define ROUNDS_FLOOR 6.0

/* Lengths whose squares neither overflow nor lose digits. */
#define ROUNDS_LARGEST 1e100
#define ROUNDS_SMALLEST 1e-100

/* The nearest points of the cores. */
typedef struct rounds {
    two x, y, z;   /* coordinates, of A low, of B high */
    tact_vec3 n;   /* from the one to the other */
    double length; /* |n|; 0 if they touch */
    two radii;     /* of A and B, margins included */
} rounds;

static inline double clamp(double t) { return two_low(two_clamp(simde_mm_set_sd(t))); }

/* Parameters of the nearest points s u and c + t v of two segments, |s| and |t| at most 1. Called in one order for both orders of A and B. */
static void cross(tact_vec3 c, tact_vec3 u, tact_vec3 v, double *s, double *t)
{
    double uu = vec_square(u), vv = vec_square(v), uv = vec_dot(u, v), cu = vec_dot(c, u), cv = vec_dot(c, v);
    double determinant = uu * vv - uv * uv;
    *s = determinant > 0.0 ? clamp((cu * vv - cv * uv) / determinant) : 0.0;
    *t = clamp((*s * uv - cv) / vv);
    *s = clamp((*t * uv + cu) / uu);
}

static bool is_negative(tact_vec3 c) { return (c.x != 0.0 ? c.x : c.y != 0.0 ? c.y : c.z) < 0.0; }

TACT_HOT bool measure(const tact_shape *a, const tact_placement *at_a, const tact_shape *b, const tact_placement *at_b,
                      rounds *r)
{
    /* The numbers of A are low, those of B high. */
    two xx = two_of(at_a->x_axis.x, at_b->x_axis.x), xy = two_of(at_a->x_axis.y, at_b->x_axis.y),
        xz = two_of(at_a->x_axis.z, at_b->x_axis.z), yx = two_of(at_a->y_axis.x, at_b->y_axis.x),
        yy = two_of(at_a->y_axis.y, at_b->y_axis.y), yz = two_of(at_a->y_axis.z, at_b->y_axis.z),
        zx = two_of(at_a->z_axis.x, at_b->z_axis.x), zy = two_of(at_a->z_axis.y, at_b->z_axis.y),
        zz = two_of(at_a->z_axis.z, at_b->z_axis.z);
    two ox = two_of(at_a->origin.x, at_b->origin.x), oy = two_of(at_a->origin.y, at_b->origin.y),
        oz = two_of(at_a->origin.z, at_b->origin.z);
    two half = two_of(a->half_height, b->half_height);
    two ux = two_mul(yx, half), uy = two_mul(yy, half), uz = two_mul(yz, half);
    const tact_vec3 c = {two_rise(ox), two_rise(oy), two_rise(oz)};
    const tact_vec3 u = {two_low(ux), two_low(uy), two_low(uz)}, v = {two_high(ux), two_high(uy), two_high(uz)};
    /* As similarity_factor in convex.c. */
    two x2 = two_add(two_add(two_mul(xx, xx), two_mul(xy, xy)), two_mul(xz, xz)),
        y2 = two_add(two_add(two_mul(yx, yx), two_mul(yy, yy)), two_mul(yz, yz)),
        z2 = two_add(two_add(two_mul(zx, zx), two_mul(zy, zy)), two_mul(zz, zz)),
        xdy = two_add(two_add(two_mul(xx, yx), two_mul(xy, yy)), two_mul(xz, yz)),
        ydz = two_add(two_add(two_mul(yx, zx), two_mul(yy, zy)), two_mul(yz, zz)),
        zdx = two_add(two_add(two_mul(zx, xx), two_mul(zy, xy)), two_mul(zz, xz));
    two mean = simde_mm_div_pd(two_add(two_add(x2, y2), z2), two_both(3.0)),
        slack = two_mul(two_both(CONVEX_SIMILARITY_SLACK), mean);
    two uneven =
        simde_mm_max_pd(simde_mm_max_pd(two_abs(two_sub(x2, y2)), two_abs(two_sub(y2, z2))), two_abs(two_sub(z2, x2)));
    two skewed = simde_mm_max_pd(simde_mm_max_pd(two_abs(xdy), two_abs(ydz)), two_abs(zdx));
    r->radii = two_add(two_of(a->margin, b->margin), two_mul(simde_mm_sqrt_pd(mean), two_of(a->radius, b->radius)));
    two far = two_add(two_add(two_abs(ox), two_abs(oy)), two_add(two_abs(oz), r->radii));
    two sound = simde_mm_and_pd(simde_mm_cmple_pd(two_add(uneven, skewed), slack),
                                simde_mm_and_pd(simde_mm_cmpgt_pd(mean, two_both(ROUNDS_SMALLEST * ROUNDS_SMALLEST)),
                                                simde_mm_cmplt_pd(far, two_both(ROUNDS_LARGEST))));
    double s, t;
    if (two_low(half) > 0.0 && two_high(half) > 0.0) {
        if (is_negative(c))
            cross(vec_negate(c), v, u, &t, &s);
        else
            cross(c, u, v, &s, &t);
    } else {
        /* One is a point, or both: c + t e with e = v - u, which is v or -u. */
        tact_vec3 e = vec_sub(v, u);
        double ee = vec_square(e);
        s = t = clamp(-vec_dot(c, e) / (ee > 0.0 ? ee : 1.0));
    }
    two px = two_mul(ux, two_of(s, t)), py = two_mul(uy, two_of(s, t)), pz = two_mul(uz, two_of(s, t));
    r->x = two_add(px, ox);
    r->y = two_add(py, oy);
    r->z = two_add(pz, oz);
    r->n = vec_make(c.x + two_rise(px), c.y + two_rise(py), c.z + two_rise(pz));
    double nn = vec_square(r->n);
    two reach = two_mul(simde_mm_sqrt_pd(y2), half);
    double size = two_sum(reach) + vec_largest(c), floor = ROUNDS_FLOOR * 0.5 * DBL_EPSILON * size;
    r->length = sqrt(nn);
    if (simde_mm_movemask_pd(sound) != 3 || !(size < ROUNDS_LARGEST))
        return false;
    if (!(r->length > floor) && (r->length >= ROUNDS_SMALLEST || !(vec_largest(r->n) > 0.0))) {
        r->length = 0.0;
        return true;
    }
    double nw = vec_dot(r->n, c) - (fabs(vec_dot(r->n, u)) + fabs(vec_dot(r->n, v)));
    return r->length >= ROUNDS_SMALLEST && nn - nw <= floor * r->length;
}

tact_distance tact_rounds_distance(const tact_shape *a, const tact_placement *at_a, const tact_shape *b,
                                   const tact_placement *at_b, const tact_distance_def *def)
{
    rounds r;
    if (!measure(a, at_a, b, at_b, &r))
        return tact_pair_distance(a, at_a, b, at_b, def);
    tact_vec3 normal = {0.0, 0.0, 0.0};
    if (r.length > 0.0) {
        normal = vec_scale(r.n, 1.0 / r.length);
        if (def->cache != NULL)
            def->cache->axis = normal;
    }
    tact_vec3 on_a = {two_low(r.x), two_low(r.y), two_low(r.z)}, on_b = {two_high(r.x), two_high(r.y), two_high(r.z)};
    return answer_distance(r.length, normal, on_a, on_b, two_low(r.radii), two_high(r.radii));
}

rounds_verdict tact_rounds_within(const tact_shape *a, const tact_placement *at_a, const tact_shape *b,
                                  const tact_placement *at_b, double distance, tact_vec3 *axis)
{
    rounds r;
    if (!measure(a, at_a, b, at_b, &r))
        return ROUNDS_UNKNOWN;
    if (r.length <= distance + two_sum(r.radii))
        return ROUNDS_HIT;
    if (axis != NULL)
        *axis = r.n;
    return ROUNDS_MISS;
}
