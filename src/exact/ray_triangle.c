/*
 * The intersection of a ray with a triangle.
 *
 * Guarantee: the decision is that of real arithmetic, so no ray passes between two triangles that share an edge or a
 * vertex. The parameter is rounded, see ray_triangle.h.
 * Cost: about 15 ns by the filter of math/filter.h; some microseconds in big integers if a sign is uncertain. The
 * parameter is computed only for hits, in double-double.
 *
 * With the vertices v_i relative to the ray's origin and the direction d, the line intersects the triangle if the
 * volumes |d, v_i, v_i+1| do not have different signs. The intersection is ahead of the origin if |v_0, v_1, v_2| has
 * their sign too. Neighbours compute the same volume of a shared edge with the opposite sign. If all three are zero,
 * the ray is in the plane of the triangle or the triangle has no area, and the test is repeated in two dimensions.
 * Departure: Möller and Trumbore 1997 round. Woop, Benthin and Wald 2013 (watertight) also have consistent signs at
 * shared edges, but only for vertices that they have rounded in the ray's frame.
 */
#include "exact/ray_triangle.h"

#include <float.h>
#include <math.h>
#include <tact/predicates.h>

#include "core/inline.h"
#include "core/number.h"
#include "exact/exact_constants.h"
#include "exact/projection.h"
#include "math/dd_vec.h"
#include "math/exact.h"
#include "math/filter.h"
#include "math/vec.h"

static tact_vec3 scale_exact(tact_vec3 a, int exponent)
{
    return vec_make(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

exact_ray tact_exact_ray_make(tact_vec3 from, tact_vec3 direction)
{
    exact_ray ray = {from, direction, 0};
    int exponent = 0;
    (void)frexp(vec_max_abs(direction), &exponent);
    tact_vec3 small = scale_exact(direction, -exponent);
    /* Not if scaling would lose a coordinate (1e-320 beside 1). The filter then does not apply, and big integers
     * decide. */
    if (vec_equal(scale_exact(small, exponent), direction)) {
        ray.direction = small;
        ray.exponent = -exponent;
    }
    return ray;
}

static int sign_of(double a) { return (a > 0.0) - (a < 0.0); }

/* The sign of |d, v, w| with v = a - from, w = b - from. The error bound is that of filter_orient3d, with the maxima of
 * rows instead of columns. */
TACT_FORCE_INLINE int line_side(const exact_ray *ray, tact_vec3 a, tact_vec3 b, tact_vec3 v, tact_vec3 w)
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

/* ---- parameter of the hit ---------------------------------------------------------------------------------------- */

/* The parameter of the perpendicular foot of a point on the line. */
static double foot_parameter(const exact_ray *ray, tact_vec3 p)
{
    tact_vec3 d = ray->direction, v = vec_sub(p, ray->from);
    return vec_dot(v, d) / vec_dot(d, d);
}

/* A point relative to the ray's origin, in units of 2^exponent. */
static dd_vec relative_point(const exact_ray *ray, tact_vec3 p, int exponent)
{
    return dd_vec_difference(scale_exact(ray->from, -exponent), scale_exact(p, -exponent));
}

/* The exponent of a unit in which no vertex is farther than 1 from the ray's origin. */
static int unit_exponent(const exact_ray *ray, const tact_vec3 *vertex, int count)
{
    double size = 0.0;
    int exponent = 0;
    for (int i = 0; i < count; i++)
        size = number_max(size, vec_max_abs(vec_sub(vertex[i], ray->from)));
    (void)frexp(size, &exponent);
    return exponent;
}

/* The parameter of the intersection, which is known to be positive: the mean of the vertices' foot parameters, each
 * weighted with the volume of the opposite edge. The volumes do not change if the vertices move along the line. So they
 * are moved near the ray's origin, where they lose the fewest digits. */
static double hit_parameter(const exact_ray *ray, const tact_vec3 vertex[3])
{
    double first = INFINITY, last = 0.0;
    const int exponent = unit_exponent(ray, vertex, 3);
    const dd_vec d = dd_vec_make(ray->direction);
    const dd square = dd_vec_dot(d, d), base = dd_make(ldexp(foot_parameter(ray, vertex[0]), -exponent));
    dd_vec v[3];
    for (int i = 0; i < 3; i++) {
        first = number_min(first, foot_parameter(ray, vertex[i]));
        last = number_max(last, foot_parameter(ray, vertex[i]));
        v[i] = dd_vec_mul_add(relative_point(ray, vertex[i], exponent), dd_negate(base), d);
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
    /* The point is between the vertices. Clamp, because rounding may have removed a small volume. */
    t = t >= first ? t : first;
    t = t <= last ? t : last;
    return t > 0.0 ? t : DBL_MIN;
}

/* ---- ray in the plane of the triangle ---------------------------------------------------------------------------- */

/* The sign of d x (a - from), projected along an axis. */
static int line_orientation(const exact_ray *ray, tact_vec3 a, int axis)
{
    const tact_vec3 d = ray->direction, p = ray->from;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return tact_exact_line_side2d(vec_component(d, u), vec_component(d, v), vec_component(p, u), vec_component(p, v),
                                  vec_component(a, u), vec_component(a, v));
}

/* Whether a point on the line is behind the ray's origin (-1), at it (0), or ahead (+1). */
static int position_on_line(const exact_ray *ray, tact_vec3 a)
{
    const tact_vec3 d = ray->direction;
    int axis = fabs(d.x) >= fabs(d.y) && fabs(d.x) >= fabs(d.z) ? 0 : fabs(d.y) >= fabs(d.z) ? 1 : 2;
    double p = vec_component(ray->from, axis), q = vec_component(a, axis);
    return ((q > p) - (q < p)) * sign_of(vec_component(d, axis));
}

/* The intersection of the line and a coplanar triangle: an interval of the line. */
typedef struct ray_interval {
    bool any;           /* it is not empty */
    bool behind, ahead; /* it has a point at the ray's origin or behind it; at it or ahead */
    double first;       /* least parameter of the points ahead */
    tact_vec3 edge;     /* direction of the edge at `first`; zero at a vertex */
} ray_interval;

static void add_point(ray_interval *s, int order, double t, tact_vec3 edge)
{
    s->any = true;
    s->behind = s->behind || order <= 0;
    s->ahead = s->ahead || order >= 0;
    if (order > 0 && t < s->first) {
        s->first = t;
        s->edge = edge;
    }
}

/* The coordinate of d x v along an axis. */
static dd projected_cross(dd_vec d, dd_vec v, int axis)
{
    return axis == 0   ? dd_minor(d.y, v.z, d.z, v.y)
           : axis == 1 ? dd_minor(d.z, v.x, d.x, v.z)
                       : dd_minor(d.x, v.y, d.y, v.x);
}

/* (u side_w - w side_u) / total */
static dd_vec edge_point(dd_vec u, dd_vec w, dd side_u, dd side_w, dd total)
{
    const dd_vec zero = {dd_make(0.0), dd_make(0.0), dd_make(0.0)};
    dd_vec p = dd_vec_mul_add(zero, dd_div(side_w, total), u);
    return dd_vec_mul_add(p, dd_negate(dd_div(side_u, total)), w);
}

/* Adds the intersection of the line with the edge from a to b, whose ends are on different sides:
 * t = (va x vb) / (d x vb - d x va). */
static void add_edge_point(ray_interval *s, const exact_ray *ray, tact_vec3 a, tact_vec3 b, int axis, int orientation_b)
{
    int order = projected_orient2d(axis, ray->from, a, b) * orientation_b;
    const tact_vec3 ends[2] = {a, b};
    const int exponent = unit_exponent(ray, ends, 2);
    const dd_vec u = relative_point(ray, a, exponent), w = relative_point(ray, b, exponent),
                 d = dd_vec_make(ray->direction);
    const dd side_u = projected_cross(d, u, axis), side_w = projected_cross(d, w, axis);
    /* They have opposite signs, and the line divides the edge in their ratio. */
    const dd total = dd_sub(side_w, side_u);
    double t = number_min(foot_parameter(ray, a), foot_parameter(ray, b));
    if (total.high != 0.0) {
        const dd point_parameter = dd_div(dd_vec_dot(edge_point(u, w, side_u, side_w, total), d), dd_vec_dot(d, d));
        t = number_max(t, number_min(ldexp(point_parameter.high, exponent),
                                     number_max(foot_parameter(ray, a), foot_parameter(ray, b))));
    }
    add_point(s, order, t > 0.0 ? t : DBL_MIN, vec_sub(b, a));
}

TACT_COLD bool intersect_coplanar(const exact_ray *ray, const tact_vec3 vertex[3], double *t, tact_vec3 *normal)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    ray_interval s = {false, false, false, INFINITY, zero};
    int orientation[3] = {0, 0, 0}, axis = 0;
    for (; axis < 3 && orientation[0] == 0 && orientation[1] == 0 && orientation[2] == 0; axis++)
        for (int i = 0; i < 3; i++)
            orientation[i] = line_orientation(ray, vertex[i], axis);
    axis--; /* the axis with orientations that are not all zero; any if all points are collinear */
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        if (orientation[i] == 0) {
            double at = foot_parameter(ray, vertex[i]);
            add_point(&s, position_on_line(ray, vertex[i]), at > 0.0 ? at : DBL_MIN, zero);
        }
        if (orientation[i] * orientation[k] < 0)
            add_edge_point(&s, ray, vertex[i], vertex[k], axis, orientation[k]);
    }
    if (!s.any || !s.ahead)
        return false;
    *t = s.behind ? 0.0 : s.first;
    tact_vec3 reverse = vec_negate(vec_normalize(ray->direction)), e = vec_normalize(s.edge);
    tact_vec3 out = vec_mul_add(reverse, -vec_dot(reverse, e), e);
    *normal = vec_length_squared(out) > RAY_TRIANGLE_EDGE_SINE * RAY_TRIANGLE_EDGE_SINE ? vec_normalize(out) : reverse;
    return true;
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

tact_vec3 tact_triangle_normal(const tact_vec3 vertex[3])
{
    tact_vec3 e = vec_sub(vertex[1], vertex[0]), f = vec_sub(vertex[2], vertex[0]);
    double size = number_max(vec_max_abs(e), vec_max_abs(f));
    int exponent = 0;
    (void)frexp(size, &exponent);
    tact_vec3 p = scale_exact(vertex[0], -exponent);
    dd_vec u = dd_vec_difference(p, scale_exact(vertex[1], -exponent)),
           v = dd_vec_difference(p, scale_exact(vertex[2], -exponent));
    tact_vec3 n = dd_vec_to_vec3(dd_vec_cross(u, v));
    return vec_finite(n) ? vec_normalize(n) : vec_make(0.0, 0.0, 0.0);
}

/* The unit normal of the triangle, directed against the ray. */
static tact_vec3 facing_normal(const exact_ray *ray, const tact_vec3 vertex[3], int sign)
{
    tact_vec3 n = tact_triangle_normal(vertex);
    n = sign > 0 ? vec_negate(n) : n;
    /* The triangle is too thin, and rounding may have reversed the normal. */
    if (!(vec_length_squared(n) > 0.0) || vec_dot(n, ray->direction) > 0.0)
        n = vec_negate(vec_normalize(ray->direction));
    return n;
}

bool tact_ray_triangle(const exact_ray *ray, const tact_vec3 vertex[3], double *t, tact_vec3 *normal)
{
    const tact_vec3 v[3] = {vec_sub(vertex[0], ray->from), vec_sub(vertex[1], ray->from),
                            vec_sub(vertex[2], ray->from)};
    int sides[3];
    bool positive = false, negative = false;
    for (int i = 0; i < 3; i++) {
        int k = i < 2 ? i + 1 : 0;
        sides[i] = line_side(ray, vertex[i], vertex[k], v[i], v[k]);
        positive = positive || sides[i] > 0;
        negative = negative || sides[i] < 0;
        if (positive && negative)
            return false;
    }
    bool hit;
    if (!positive && !negative) {
        hit = intersect_coplanar(ray, vertex, t, normal);
    } else {
        /* The sign of n . (from - vertex). The hit is ahead if the ray goes along n and starts below the plane, or the
         * reverse. */
        int above = tact_orient3d(vertex[0], vertex[1], vertex[2], ray->from), sign = positive ? 1 : -1;
        hit = above != sign;
        if (hit) {
            *t = above == 0 ? 0.0 : hit_parameter(ray, vertex);
            *normal = facing_normal(ray, vertex, sign);
        }
    }
    if (hit && *t > 0.0)
        *t = number_max(number_min(ldexp(*t, ray->exponent), DBL_MAX), DBL_TRUE_MIN);
    return hit;
}
