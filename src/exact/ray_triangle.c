/*
 * Where a ray meets a triangle.
 *
 * Guarantee: the yes or no is that of real arithmetic. With v_i the corners as seen from the start and d the direction,
 * the line meets the triangle where the three volumes |d, v_i, v_i+1| do not have different signs; it does so ahead of
 * the start where |v_0, v_1, v_2| has their sign too. Neighbours ask the same volume of a shared edge, with the
 * opposite sign, so nothing passes between them. Where all three are zero the ray runs in the plane of the triangle (or
 * that has no area), and the same is asked one dimension lower. Cost: some 15 ns by the filter of math/filter.h; where
 * a volume is too close to zero to tell, some microseconds in integers. The parameter is computed only for hits, in
 * pairs of doubles. The usual ways (Möller and Trumbore 1997) round; the watertight one of Woop, Benthin and Wald
 * (2013) has the same signs on both sides of an edge, as we have, but for vertices that it has rounded in the ray's
 * frame.
 */
#include "exact/ray_triangle.h"

#include <float.h>
#include <math.h>
#include <tact/predicates.h>

#include "core/inline.h"
#include "exact/projection.h"
#include "math/dd_vec.h"
#include "math/exact.h"
#include "math/filter.h"
#include "math/vec.h"

/* A sine: where a ray in the plane of a triangle makes less than this with the edge that it enters through, what is
 * perpendicular to the edge would be rounding. */
#define ALONG_EDGE 1e-9

static tact_vec3 scaled(tact_vec3 a, int exponent)
{
    return vec_make(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

exact_ray tact_exact_ray_make(tact_vec3 from, tact_vec3 direction)
{
    exact_ray ray = {from, direction, 0};
    int exponent = 0;
    (void)frexp(vec_max_abs(direction), &exponent);
    tact_vec3 small = scaled(direction, -exponent);
    /* A coordinate that scaling would lose (1e-320 beside 1) forbids it; the filter then declines where it matters. */
    if (vec_equal(scaled(small, exponent), direction)) {
        ray.direction = small;
        ray.exponent = -exponent;
    }
    return ray;
}

static int sign_of(double a) { return (a > 0.0) - (a < 0.0); }

/* The sign of |d, v, w|, v = a - from, w = b - from. The bound is that of filter_orient3d with the maxima of rows in
 * place of columns. */
TACT_FORCE_INLINE int side(const exact_ray *ray, tact_vec3 a, tact_vec3 b, tact_vec3 v, tact_vec3 w)
{
    const tact_vec3 d = ray->direction;
    double along = vec_max_abs(d), size_v = vec_max_abs(v), size_w = vec_max_abs(w);
    if (filter_min(size_v, size_w) >= FILTER_MIN_DIFFERENCE && filter_max(size_v, size_w) <= FILTER_MAX_DIFFERENCE &&
        along >= FILTER_MIN_DIFFERENCE && along <= FILTER_MAX_DIFFERENCE) {
        double volume = d.x * (v.y * w.z - v.z * w.y) + d.y * (v.z * w.x - v.x * w.z) + d.z * (v.x * w.y - v.y * w.x);
        int sign = filter_sign(volume, FILTER_ORIENT3D * along * size_v * size_w);
        if (sign != 0)
            return sign;
    }
    return tact_exact_line_side(d, ray->from, a, b);
}

/* ---- the parameter ----------------------------------------------------------------------------------------------- */

/* The parameter of the foot of a point on the line. */
static double foot(const exact_ray *ray, tact_vec3 p)
{
    tact_vec3 d = ray->direction, v = vec_sub(p, ray->from);
    return vec_dot(v, d) / vec_dot(d, d);
}

/* A point in other units: relative to the start, with 2^exponent for 1. */
static dd_vec seen(const exact_ray *ray, tact_vec3 p, int exponent)
{
    return dd_vec_difference(scaled(ray->from, -exponent), scaled(p, -exponent));
}

/* Such units that no corner is farther than 1. */
static int unit_of(const exact_ray *ray, const tact_vec3 *corner, int count)
{
    double size = 0.0;
    int exponent = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, vec_max_abs(vec_sub(corner[i], ray->from)));
    (void)frexp(size, &exponent);
    return exponent;
}

/* The parameter of the point that the line and the triangle have in common, known to be more than 0: the mean of the
 * corners' feet, each with the volume of the edge across from it as its weight. The volumes do not change when the
 * corners are moved along the line: moved near to the start they lose the fewest digits. */
static double parameter(const exact_ray *ray, const tact_vec3 corner[3])
{
    double first = INFINITY, last = 0.0;
    const int exponent = unit_of(ray, corner, 3);
    const dd_vec d = dd_vec_make(ray->direction);
    const dd square = dd_vec_dot(d, d), base = dd_make(ldexp(foot(ray, corner[0]), -exponent));
    dd_vec v[3];
    for (int i = 0; i < 3; i++) {
        first = fmin(first, foot(ray, corner[i]));
        last = fmax(last, foot(ray, corner[i]));
        v[i] = dd_vec_mul_add(seen(ray, corner[i], exponent), dd_negate(base), d);
    }
    dd weights = dd_make(0.0), sum = dd_make(0.0);
    for (int i = 0; i < 3; i++) {
        dd weight = dd_vec_dot(dd_vec_cross(v[(i + 1) % 3], v[(i + 2) % 3]), d);
        weights = dd_add(weights, weight);
        sum = dd_add(sum, dd_mul(weight, dd_vec_dot(v[i], d)));
    }
    double t = first;
    if (weights.high != 0.0)
        t = ldexp(dd_add(base, dd_div(dd_div(sum, weights), square)).high, exponent);
    /* The point is between the corners; rounding may have left nothing of a volume that is not zero. */
    t = t >= first ? t : first;
    t = t <= last ? t : last;
    return t > 0.0 ? t : DBL_MIN;
}

/* ---- in one plane ------------------------------------------------------------------------------------------------ */

/* The sign of d x (a - from) as seen along an axis. */
static int turn(const exact_ray *ray, tact_vec3 a, int axis)
{
    const tact_vec3 d = ray->direction, p = ray->from;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return tact_exact_line_side2d(vec_component(d, u), vec_component(d, v), vec_component(p, u), vec_component(p, v),
                                  vec_component(a, u), vec_component(a, v));
}

/* Of a point on the line: is it behind the start, there, or ahead? */
static int order_on_line(const exact_ray *ray, tact_vec3 a)
{
    const tact_vec3 d = ray->direction;
    int axis = fabs(d.x) >= fabs(d.y) && fabs(d.x) >= fabs(d.z) ? 0 : fabs(d.y) >= fabs(d.z) ? 1 : 2;
    double p = vec_component(ray->from, axis), q = vec_component(a, axis);
    return ((q > p) - (q < p)) * sign_of(vec_component(d, axis));
}

/* What the ray and the triangle have in common: a stretch of the line. */
typedef struct stretch {
    bool any, behind, ahead; /* whether there are points not ahead of the start, and not behind it */
    double first;            /* least parameter of those ahead */
    tact_vec3 edge;          /* along which the triangle is entered there; zero at a corner */
} stretch;

static void add_point(stretch *s, int order, double t, tact_vec3 edge)
{
    s->any = true;
    s->behind = s->behind || order <= 0;
    s->ahead = s->ahead || order >= 0;
    if (order > 0 && t < s->first) {
        s->first = t;
        s->edge = edge;
    }
}

/* d x v as seen along an axis. */
static dd shadow_cross(dd_vec d, dd_vec v, int axis)
{
    return axis == 0   ? dd_minor(d.y, v.z, d.z, v.y)
           : axis == 1 ? dd_minor(d.z, v.x, d.x, v.z)
                       : dd_minor(d.x, v.y, d.y, v.x);
}

/* (u right - w left) / whole */
static dd_vec edge_point(dd_vec u, dd_vec w, dd left, dd right, dd whole)
{
    const dd_vec none = {dd_make(0.0), dd_make(0.0), dd_make(0.0)};
    dd_vec p = dd_vec_mul_add(none, dd_div(right, whole), u);
    return dd_vec_mul_add(p, dd_negate(dd_div(left, whole)), w);
}

/* Where the edge from a to b, whose ends are on different sides of the line, crosses it: t = (va x vb) / (d x vb - d x
 * va). */
static void add_crossing(stretch *s, const exact_ray *ray, tact_vec3 a, tact_vec3 b, int axis, int turn_b)
{
    int order = projected_orient2d(axis, ray->from, a, b) * turn_b;
    const tact_vec3 ends[2] = {a, b};
    const int exponent = unit_of(ray, ends, 2);
    const dd_vec u = seen(ray, a, exponent), w = seen(ray, b, exponent), d = dd_vec_make(ray->direction);
    const dd left = shadow_cross(d, u, axis), right = shadow_cross(d, w, axis);
    /* the parts of the edge are as these two, which have opposite signs */
    const dd whole = dd_sub(right, left);
    double t = fmin(foot(ray, a), foot(ray, b));
    if (whole.high != 0.0) {
        const dd cut = dd_div(dd_vec_dot(edge_point(u, w, left, right, whole), d), dd_vec_dot(d, d));
        t = fmax(t, fmin(ldexp(cut.high, exponent), fmax(foot(ray, a), foot(ray, b))));
    }
    add_point(s, order, t > 0.0 ? t : DBL_MIN, vec_sub(b, a));
}

TACT_COLD bool meet_in_plane(const exact_ray *ray, const tact_vec3 corner[3], double *t, tact_vec3 *normal)
{
    const tact_vec3 none = {0.0, 0.0, 0.0};
    stretch s = {false, false, false, INFINITY, none};
    int turns[3] = {0, 0, 0}, axis = 0;
    for (; axis < 3 && turns[0] == 0 && turns[1] == 0 && turns[2] == 0; axis++)
        for (int i = 0; i < 3; i++)
            turns[i] = turn(ray, corner[i], axis);
    axis--; /* the one that told them apart; none if all is on one line */
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        if (turns[i] == 0) {
            double at = foot(ray, corner[i]);
            add_point(&s, order_on_line(ray, corner[i]), at > 0.0 ? at : DBL_MIN, none);
        }
        if (turns[i] * turns[k] < 0)
            add_crossing(&s, ray, corner[i], corner[k], axis, turns[k]);
    }
    if (!s.any || !s.ahead)
        return false;
    *t = s.behind ? 0.0 : s.first;
    tact_vec3 back = vec_negate(vec_normalize(ray->direction)), e = vec_normalize(s.edge);
    tact_vec3 out = vec_mul_add(back, -vec_dot(back, e), e);
    *normal = vec_length_squared(out) > ALONG_EDGE * ALONG_EDGE ? vec_normalize(out) : back;
    return true;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

tact_vec3 tact_triangle_normal(const tact_vec3 corner[3])
{
    tact_vec3 e = vec_sub(corner[1], corner[0]), f = vec_sub(corner[2], corner[0]);
    double size = fmax(vec_max_abs(e), vec_max_abs(f));
    int exponent = 0;
    (void)frexp(size, &exponent);
    tact_vec3 p = scaled(corner[0], -exponent);
    dd_vec u = dd_vec_difference(p, scaled(corner[1], -exponent)),
           v = dd_vec_difference(p, scaled(corner[2], -exponent));
    tact_vec3 n = dd_vec_to_vec3(dd_vec_cross(u, v));
    return vec_finite(n) ? vec_normalize(n) : vec_make(0.0, 0.0, 0.0);
}

/* The normal of the triangle against the ray. */
static tact_vec3 normal_of(const exact_ray *ray, const tact_vec3 corner[3], int sign)
{
    tact_vec3 n = tact_triangle_normal(corner);
    n = sign > 0 ? vec_negate(n) : n;
    /* too thin even for that: rounding may have turned it */
    if (!(vec_length_squared(n) > 0.0) || vec_dot(n, ray->direction) > 0.0)
        n = vec_negate(vec_normalize(ray->direction));
    return n;
}

bool tact_ray_triangle(const exact_ray *ray, const tact_vec3 corner[3], double *t, tact_vec3 *normal)
{
    const tact_vec3 v[3] = {vec_sub(corner[0], ray->from), vec_sub(corner[1], ray->from),
                            vec_sub(corner[2], ray->from)};
    int sides[3];
    bool left = false, right = false;
    for (int i = 0; i < 3; i++) {
        int k = i < 2 ? i + 1 : 0;
        sides[i] = side(ray, corner[i], corner[k], v[i], v[k]);
        left = left || sides[i] > 0;
        right = right || sides[i] < 0;
        if (left && right)
            return false;
    }
    bool met;
    if (!left && !right) {
        met = meet_in_plane(ray, corner, t, normal);
    } else {
        /* n . (from - corner): ahead if the ray goes along n and starts below the plane, or the other way */
        int above = tact_orient3d(corner[0], corner[1], corner[2], ray->from), sign = left ? 1 : -1;
        met = above != sign;
        if (met) {
            *t = above == 0 ? 0.0 : parameter(ray, corner);
            *normal = normal_of(ray, corner, sign);
        }
    }
    if (met && *t > 0.0)
        *t = fmax(fmin(ldexp(*t, ray->exponent), DBL_MAX), DBL_TRUE_MIN);
    return met;
}
