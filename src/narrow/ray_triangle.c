/*
 * Where a ray meets a triangle.
 *
 * Guarantee: the yes or no is that of real arithmetic. With v_i the corners as seen from the start and d the direction,
 * the line meets the triangle where the three volumes |d, v_i, v_i+1| do not have different signs; it does so ahead of
 * the start where |v_0, v_1, v_2| has their sign too. Neighbours ask the same volume of a shared edge, with the opposite
 * sign, so nothing passes between them. Where all three are zero the ray runs in the plane of the triangle (or that has
 * no area), and the same is asked one dimension lower.
 * Cost: some 15 ns by the filter of math/filter.h; where a volume is too close to zero to tell, some microseconds in
 * integers. The parameter is computed only for hits, in pairs of doubles.
 * The usual ways (Möller and Trumbore 1997) round; the watertight one of Woop, Benthin and Wald (2013) has the same signs
 * on both sides of an edge, as we have, but for vertices that it has rounded in the ray's frame.
 */
#include "narrow/ray_triangle.h"

#include <float.h>
#include <math.h>
#include <tact/predicates.h>

#include "core/inline.h"
#include "math/exact.h"
#include "math/filter.h"
#include "math/pair_vec.h"
#include "math/vec.h"
#include "narrow/flat.h"

static tact_vec3 scaled(tact_vec3 a, int exponent)
{
    return vec_make(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

ray_line tact_ray_line(tact_vec3 from, tact_vec3 direction)
{
    ray_line ray = {from, direction, 0};
    int exponent = 0;
    (void)frexp(vec_largest(direction), &exponent);
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
TACT_HOT int side(const ray_line *ray, tact_vec3 a, tact_vec3 b, tact_vec3 v, tact_vec3 w)
{
    const tact_vec3 d = ray->direction;
    double along = vec_largest(d), size_v = vec_largest(v), size_w = vec_largest(w);
    if (filter_smaller(size_v, size_w) >= FILTER_LEAST && filter_larger(size_v, size_w) <= FILTER_MOST &&
        along >= FILTER_LEAST && along <= FILTER_MOST) {
        double volume = d.x * (v.y * w.z - v.z * w.y) + d.y * (v.z * w.x - v.x * w.z) + d.z * (v.x * w.y - v.y * w.x);
        int sign = filter_sign(volume, FILTER_ORIENT3D * along * size_v * size_w);
        if (sign != 0)
            return sign;
    }
    return tact_exact_beside(d, ray->from, a, b);
}

/* ---- the parameter ----------------------------------------------------------------------------------------------- */

/* The parameter of the foot of a point on the line. */
static double foot(const ray_line *ray, tact_vec3 p)
{
    tact_vec3 d = ray->direction, v = vec_sub(p, ray->from);
    return vec_dot(v, d) / vec_dot(d, d);
}

/* |v_0, v_1, v_2| / n . d, known to be at least 0. */
static double parameter(const ray_line *ray, const tact_vec3 corner[3])
{
    double size = 0.0, first = INFINITY, last = 0.0;
    for (int i = 0; i < 3; i++) {
        size = fmax(size, vec_largest(vec_sub(corner[i], ray->from)));
        first = fmin(first, foot(ray, corner[i]));
        last = fmax(last, foot(ray, corner[i]));
    }
    int exponent = 0;
    (void)frexp(size, &exponent);
    const tact_vec3 start = scaled(ray->from, -exponent);
    pair_vec v[3];
    for (int i = 0; i < 3; i++)
        v[i] = pair_vec_between(start, scaled(corner[i], -exponent));
    const pair_vec d = pair_vec_of(ray->direction);
    const pair_vec across[3] = {pair_vec_cross(v[0], v[1]), pair_vec_cross(v[1], v[2]), pair_vec_cross(v[2], v[0])};
    pair volume = pair_vec_dot(across[0], v[2]);
    pair speed = pair_vec_dot(pair_vec_add(pair_vec_add(across[0], across[1]), across[2]), d);
    double t = speed.high != 0.0 ? ldexp(pair_divide(volume, speed).high, exponent) : first;
    /* The point is between the corners; rounding may have left nothing of a volume that is not zero. */
    t = t >= first ? t : first;
    t = t <= last ? t : last;
    return t > 0.0 ? t : DBL_MIN;
}

/* ---- in one plane ------------------------------------------------------------------------------------------------ */

static double along(tact_vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

/* The sign of d x (a - from) as seen along an axis. */
static int turn(const ray_line *ray, tact_vec3 a, int axis)
{
    const tact_vec3 d = ray->direction, p = ray->from;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return tact_exact_beside2d(along(d, u), along(d, v), along(p, u), along(p, v), along(a, u), along(a, v));
}

/* Of a point on the line: is it behind the start, there, or ahead? */
static int order_on_line(const ray_line *ray, tact_vec3 a)
{
    const tact_vec3 d = ray->direction;
    int axis = fabs(d.x) >= fabs(d.y) && fabs(d.x) >= fabs(d.z) ? 0 : fabs(d.y) >= fabs(d.z) ? 1 : 2;
    double p = along(ray->from, axis), q = along(a, axis);
    return ((q > p) - (q < p)) * sign_of(along(d, axis));
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

/* Where the edge from a to b, whose ends are on different sides of the line, crosses it: t = (va x vb) / (d x vb - d x
 * va). */
static void add_crossing(stretch *s, const ray_line *ray, tact_vec3 a, tact_vec3 b, int axis, int turn_b)
{
    int order = flat_turn(axis, ray->from, a, b) * turn_b;
    tact_vec3 u = vec_sub(a, ray->from), w = vec_sub(b, ray->from);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double di = along(ray->direction, i), dj = along(ray->direction, j);
    double left = fabs(di * along(u, j) - dj * along(u, i)), right = fabs(di * along(w, j) - dj * along(w, i));
    double part = left + right > 0.0 ? left / (left + right) : 0.5;
    double t = foot(ray, vec_along(a, part, vec_sub(b, a)));
    add_point(s, order, t > 0.0 ? t : DBL_MIN, vec_sub(b, a));
}

TACT_COLD bool meet_in_plane(const ray_line *ray, const tact_vec3 corner[3], double *t, tact_vec3 *normal)
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
    tact_vec3 back = vec_negate(vec_unit(ray->direction)), e = vec_unit(s.edge);
    tact_vec3 out = vec_unit(vec_along(back, -vec_dot(back, e), e));
    *normal = vec_square(out) > 0.0 ? out : back;
    return true;
}

/* ---- both --------------------------------------------------------------------------------------------------------- */

/* The normal of the triangle against the ray; that of a sliver in pairs of doubles. */
static tact_vec3 normal_of(const ray_line *ray, const tact_vec3 corner[3], int sign)
{
    tact_vec3 e = vec_sub(corner[1], corner[0]), f = vec_sub(corner[2], corner[0]);
    double size = fmax(vec_largest(e), vec_largest(f));
    int exponent = 0;
    (void)frexp(size, &exponent);
    pair_vec p = pair_vec_between(scaled(corner[0], -exponent), scaled(corner[1], -exponent));
    pair_vec q = pair_vec_between(scaled(corner[0], -exponent), scaled(corner[2], -exponent));
    tact_vec3 n = vec_unit(pair_vec_round(pair_vec_cross(p, q)));
    n = sign > 0 ? vec_negate(n) : n;
    /* too thin even for that: rounding may have turned it */
    if (!(vec_square(n) > 0.0) || vec_dot(n, ray->direction) > 0.0)
        n = vec_negate(vec_unit(ray->direction));
    return n;
}

bool tact_ray_meets_triangle(const ray_line *ray, const tact_vec3 corner[3], double *t, tact_vec3 *normal)
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
