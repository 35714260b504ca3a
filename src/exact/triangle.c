/*
 * The overlap test of two triangles, and the test whether they intersect beyond the vertices they share.
 *
 * Guarantee: exact for all finite doubles, also for triangles without area.
 * Cost: 21 ns for a miss, 23 ns for a hit, 31 ns for a random mix, by floating point with the proved error bounds of
 * math/filter.h (100,000 different pairs on one core). Möller's test in plain doubles, without its coplanar case, takes
 * 60 to 100 ns, because its branches are mispredicted. Where a sign is uncertain (touching, coplanar, no area), the
 * exact predicates decide, in 0.1 to 1 us. A variant for one triangle against blocks of four is slower: 31 ns a pair
 * where this one takes 27.
 *
 * After Guigue and Devillers 2003, "Fast and robust triangle-triangle overlap test using orientation predicates". It
 * orients the vertices of each triangle against the plane of the other. Two more orientations then order the triangles'
 * intervals on the common line of the planes. Departures:
 * - Both planes are tested at once in the two lanes of a vector register, with one normal for three orientations.
 * - All eight orientations share one error bound: that of filter.h with the extents of all six points.
 * - A shared vertex v: near v the triangles are cones, which intersect if they have a common ray. If the planes
 *   intersect in a line, the signs of the four other vertices against the planes decide.
 * - A shared edge: the triangles intersect beyond it if they are coplanar and on the same side.
 * - Pairs that are uncertain because they are coplanar, as in a flat mesh, are mostly separated by a plane that is
 *   perpendicular to them. It is tried before the exact predicates, in about 10 ns.
 */
#include "exact/triangle.h"

#include <math.h>
#include <string.h>

#include "core/inline.h"
#include "core/sse2.h"
#include "exact/projection.h"
#include "exact/triangle_internal.h"
#include "math/filter.h"
#include "math/fp_environment.h"
#include "math/vec.h"

/* Whether the largest differences are in the range for which the error bounds of the filters are proved. */
TACT_FORCE_INLINE bool in_range(double x, double y, double z)
{
    return filter_min(filter_min(x, y), z) >= FILTER_MIN_DIFFERENCE &&
           filter_max(filter_max(x, y), z) <= FILTER_MAX_DIFFERENCE;
}

/* One point of each triangle, in two lanes. */
typedef struct triangle_lanes {
    __m128d x, y, z;
} triangle_lanes;

TACT_FORCE_INLINE triangle_lanes lanes_load(const tact_vec3 *first, const tact_vec3 *second)
{
    return (triangle_lanes){_mm_loadh_pd(_mm_load_sd(&first->x), &second->x),
                            _mm_loadh_pd(_mm_load_sd(&first->y), &second->y),
                            _mm_loadh_pd(_mm_load_sd(&first->z), &second->z)};
}

TACT_FORCE_INLINE triangle_lanes lanes_sub(triangle_lanes a, triangle_lanes b)
{
    return (triangle_lanes){_mm_sub_pd(a.x, b.x), _mm_sub_pd(a.y, b.y), _mm_sub_pd(a.z, b.z)};
}

TACT_FORCE_INLINE triangle_lanes lanes_cross(triangle_lanes a, triangle_lanes b)
{
    return (triangle_lanes){_mm_sub_pd(_mm_mul_pd(a.y, b.z), _mm_mul_pd(a.z, b.y)),
                            _mm_sub_pd(_mm_mul_pd(a.z, b.x), _mm_mul_pd(a.x, b.z)),
                            _mm_sub_pd(_mm_mul_pd(a.x, b.y), _mm_mul_pd(a.y, b.x))};
}

TACT_FORCE_INLINE __m128d lanes_dot(triangle_lanes a, triangle_lanes b)
{
    return _mm_add_pd(_mm_add_pd(_mm_mul_pd(a.x, b.x), _mm_mul_pd(a.y, b.y)), _mm_mul_pd(a.z, b.z));
}

TACT_FORCE_INLINE __m128d swap_halves(__m128d a) { return _mm_shuffle_pd(a, a, 1); }

TACT_FORCE_INLINE triangle_lanes lanes_swap(triangle_lanes a)
{
    return (triangle_lanes){swap_halves(a.x), swap_halves(a.y), swap_halves(a.z)};
}

/* The extent of six numbers: an upper bound of the difference of any two. In some rounding modes it is one ulp too
 * small, which the constants of the filters allow for. */
TACT_FORCE_INLINE double lanes_extent(__m128d a, __m128d b, __m128d c)
{
    __m128d high = _mm_max_pd(_mm_max_pd(a, b), c), low = _mm_min_pd(_mm_min_pd(a, b), c);
    high = _mm_max_sd(high, swap_halves(high));
    low = _mm_min_sd(low, swap_halves(low));
    return _mm_cvtsd_f64(_mm_sub_sd(high, low));
}

TACT_FORCE_INLINE unsigned sign_mask(__m128d condition) { return (unsigned)_mm_movemask_pd(condition); }

/* The vertex that is alone on its side of a plane. Bit i of the index: vertex i is above. */
static const uint8_t isolated_vertex[8] = {0, 0, 1, 2, 2, 1, 0, 0};

/* +1: they intersect, -1: they do not, 0: uncertain. */
TACT_FORCE_INLINE int filter_intersect(const tact_vec3 a[3], const tact_vec3 b[3])
{
    /* The first lane has the plane of b and the vertices of a, the second lane the plane of a and the vertices of b. */
    triangle_lanes t0 = lanes_load(&b[0], &a[0]), t1 = lanes_load(&b[1], &a[1]), t2 = lanes_load(&b[2], &a[2]);
    double x = lanes_extent(t0.x, t1.x, t2.x), y = lanes_extent(t0.y, t1.y, t2.y), z = lanes_extent(t0.z, t1.z, t2.z);
    if (!in_range(x, y, z))
        return 0;
    __m128d bound = _mm_set1_pd(FILTER_ORIENT3D * x * y * z);
    __m128d below = _mm_sub_pd(_mm_setzero_pd(), bound);
    triangle_lanes n = lanes_cross(lanes_sub(t1, t0), lanes_sub(t2, t0));
    __m128d d0 = lanes_dot(lanes_sub(lanes_swap(t0), t0), n);
    __m128d d1 = lanes_dot(lanes_sub(lanes_swap(t1), t0), n);
    __m128d d2 = lanes_dot(lanes_sub(lanes_swap(t2), t0), n);
    __m128d up0 = _mm_cmpgt_pd(d0, bound), down0 = _mm_cmplt_pd(d0, below);
    __m128d up1 = _mm_cmpgt_pd(d1, bound), down1 = _mm_cmplt_pd(d1, below);
    __m128d up2 = _mm_cmpgt_pd(d2, bound), down2 = _mm_cmplt_pd(d2, below);
    __m128d one_side = _mm_or_pd(_mm_and_pd(_mm_and_pd(up0, up1), up2), _mm_and_pd(_mm_and_pd(down0, down1), down2));
    if (sign_mask(one_side) != 0)
        return -1;
    __m128d sure = _mm_and_pd(_mm_and_pd(_mm_or_pd(up0, down0), _mm_or_pd(up1, down1)), _mm_or_pd(up2, down2));
    if (sign_mask(sure) != 3)
        return 0;
    /* p1 of a and p2 of b are alone on their side of the other plane. The common line of the planes intersects the
     * edges p1 q1, p1 r1, p2 q2 and p2 r2. q and r are chosen as if p were on the upper side. */
    unsigned m0 = sign_mask(up0), m1 = sign_mask(up1), m2 = sign_mask(up2);
    unsigned above_a = (m0 & 1) | (m1 & 1) << 1 | (m2 & 1) << 2, above_b = m0 >> 1 | (m1 & 2) | (m2 & 2) << 1;
    unsigned i = isolated_vertex[above_a], j = isolated_vertex[above_b];
    unsigned up_a = above_a >> i & 1, up_b = above_b >> j & 1;
    static const uint8_t after[4] = {1, 2, 0, 1};
    triangle_lanes p1 = lanes_load(&a[i], &a[i]), p2 = lanes_load(&b[j], &b[j]);
    triangle_lanes ends_a = lanes_load(&a[after[i + 1 - up_b]], &a[after[i + up_b]]);
    triangle_lanes ends_b = lanes_load(&b[after[j + 1 - up_a]], &b[after[j + up_a]]);
    /* |q1, p2, q2| and |r1, p2, r2| relative to p1. The intervals are disjoint if the first is positive or the second
     * negative. */
    __m128d d = lanes_dot(lanes_sub(ends_b, p1), lanes_cross(lanes_sub(ends_a, p1), lanes_sub(p2, p1)));
    unsigned beyond = sign_mask(_mm_cmpgt_pd(d, bound)), before = sign_mask(_mm_cmplt_pd(d, below));
    if ((beyond & 1) | (before & 2))
        return -1;
    return (before & 1) && (beyond & 2) ? 1 : 0;
}

static bool all_finite(const tact_vec3 a[3], const tact_vec3 b[3])
{
    return vec_finite(a[0]) && vec_finite(a[1]) && vec_finite(a[2]) && vec_finite(b[0]) && vec_finite(b[1]) &&
           vec_finite(b[2]);
}

/* ---- separating planes ---- */

/* The side of p of the plane through o with normal n, +1 or -1; 0: uncertain. `size` is the largest |coordinate| of n.
 * The bound of filter.h holds: n is exact, so there are fewer errors than with two differences. */
static int side_of_plane(tact_vec3 n, double size, tact_vec3 o, tact_vec3 p)
{
    double x = p.x - o.x, y = p.y - o.y, z = p.z - o.z, distance = filter_max_abs3(x, y, z);
    if (!(filter_min(size, distance) >= FILTER_MIN_DIFFERENCE && filter_max(size, distance) <= FILTER_MAX_DIFFERENCE))
        return 0;
    return filter_sign(n.x * x + n.y * y + n.z * z, FILTER_DOT_SIGN * size * distance);
}

/* Whether the plane through o with normal n certainly separates two sets of points, none of which is on it. */
static bool plane_separates(tact_vec3 n, tact_vec3 o, const tact_vec3 *above, const tact_vec3 *below, int count)
{
    double size = filter_max_abs3(n.x, n.y, n.z);
    for (int i = 0; i < count; ++i)
        if (side_of_plane(n, size, o, above[i]) <= 0 || side_of_plane(n, size, o, below[i]) >= 0)
            return false;
    return true;
}

/* Whether a plane between the centroids certainly separates two triangles. Decides most pairs of a flat mesh. */
static bool separated_by_centroids(const tact_vec3 a[3], const tact_vec3 b[3])
{
    tact_vec3 p = vec_add(vec_add(a[0], a[1]), a[2]), q = vec_add(vec_add(b[0], b[1]), b[2]);
    return plane_separates(vec_sub(p, q), vec_scale(vec_add(p, q), 1.0 / 6.0), a, b, 3);
}

TACT_COLD bool intersect_exact(const tact_vec3 a[3], const tact_vec3 b[3])
{
    triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES];
    return all_finite(a, b) && tact_triangles_intersection_features(a, b, found) > 0;
}

TACT_COLD bool intersect_uncertain(const tact_vec3 a[3], const tact_vec3 b[3])
{
    if (separated_by_centroids(a, b))
        return false;
    fp_environment saved = fp_environment_enter();
    bool result = intersect_exact(a, b);
    fp_environment_leave(saved);
    return result;
}

bool tact_triangles_intersect(const tact_vec3 a[3], const tact_vec3 b[3])
{
    int answer = filter_intersect(a, b);
    return answer != 0 ? answer > 0 : intersect_uncertain(a, b);
}

/* ---- intersection beyond shared vertices ---- */

/* Whether two numbers are equal, by their bits: a mode that reads subnormals as zero makes different numbers compare
 * equal. */
static bool same_number(double a, double b)
{
    uint64_t bits_a, bits_b;
    memcpy(&bits_a, &a, sizeof a);
    memcpy(&bits_b, &b, sizeof b);
    return bits_a == bits_b || (bits_a | bits_b) << 1 == 0;
}

triangle_shared tact_triangle_shared_by_position(const tact_vec3 a[3], const tact_vec3 b[3])
{
    triangle_shared shared = {0, {0}, {0}};
    unsigned used = 0;
    for (unsigned i = 0; i < 3; ++i)
        for (unsigned j = 0; j < 3; ++j)
            if (same_number(a[i].x, b[j].x) && same_number(a[i].y, b[j].y) && same_number(a[i].z, b[j].z) &&
                !(used >> j & 1)) {
                shared.a[shared.count] = (uint8_t)i;
                shared.b[shared.count++] = (uint8_t)j;
                used |= 1u << j;
                break;
            }
    return shared;
}

/* Whether the ray from v through e is in the cone from v over b1 and b2. e differs from v; b1 and b2 may not. */
static bool cone_contains_ray(tact_vec3 v, tact_vec3 b1, tact_vec3 b2, tact_vec3 e)
{
    int axis = projection_axis(v, b1, b2);
    if (axis >= 0) {
        int orientation = projected_orient2d(axis, v, b1, b2);
        return tact_orient3d(v, b1, b2, e) == 0 && orientation * projected_orient2d(axis, v, b1, e) >= 0 &&
               orientation * projected_orient2d(axis, v, e, b2) >= 0;
    }
    /* Without area, the cone is the rays through b1 and b2. */
    return (!vec_equal(b1, v) && tact_collinear(v, b1, e) && lexicographic_order(v, b1) == lexicographic_order(v, e)) ||
           (!vec_equal(b2, v) && tact_collinear(v, b2, e) && lexicographic_order(v, b2) == lexicographic_order(v, e));
}

/* cones_intersect for coplanar cones with area: an edge of a is in b, or all of b is in a, tested by one edge. */
static bool coplanar_cones_intersect(int axis, tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    int orientation_a = projected_orient2d(axis, v, a1, a2), orientation_b = projected_orient2d(axis, v, b1, b2);
    int b1_a1 = projected_orient2d(axis, v, b1, a1), b1_a2 = projected_orient2d(axis, v, b1, a2);
    int b2_a1 = projected_orient2d(axis, v, b2, a1), b2_a2 = projected_orient2d(axis, v, b2, a2);
    /* x is in the cone over p and q with orientation t if t |p x| >= 0 and t |x q| >= 0. */
    return (orientation_b * b1_a1 >= 0 && orientation_b * b2_a1 <= 0) ||
           (orientation_b * b1_a2 >= 0 && orientation_b * b2_a2 <= 0) ||
           (orientation_a * b1_a1 <= 0 && orientation_a * b1_a2 >= 0);
}

/* Whether the cones from v over a1 a2 and over b1 b2 have a common ray. */
static bool cones_intersect(tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    const tact_vec3 all[5] = {v, a1, a2, b1, b2};
    if (!share_coordinate(all, 5)) {
        int s1 = tact_orient3d(v, b1, b2, a1), s2 = tact_orient3d(v, b1, b2, a2);
        if (s1 * s2 > 0)
            return false;
        int t1 = tact_orient3d(v, a1, a2, b1), t2 = tact_orient3d(v, a1, a2, b2);
        if (t1 * t2 > 0)
            return false;
        /* The planes intersect in a line along m = n_a x n_b = s1 (a2 - v) - s2 (a1 - v) = t2 (b1 - v) - t1 (b2 - v),
         * where s and t are the determinants themselves. a's cone contains the ray along (s1 - s2) m of this line, b's
         * cone the ray along (t2 - t1) m. */
        if ((s1 != 0 || s2 != 0) && (t1 != 0 || t2 != 0))
            return (s1 - s2 > 0) == (t2 - t1 > 0);
    }
    int axis_a = projection_axis(v, a1, a2), axis_b = projection_axis(v, b1, b2);
    if (axis_a >= 0 && axis_b >= 0)
        return coplanar_cones_intersect(axis_a, v, a1, a2, b1, b2);
    /* One cone is a ray, a line or only v: then any common ray is through one of its vertices. */
    return (!vec_equal(a1, v) && cone_contains_ray(v, b1, b2, a1)) ||
           (!vec_equal(a2, v) && cone_contains_ray(v, b1, b2, a2)) ||
           (!vec_equal(b1, v) && cone_contains_ray(v, a1, a2, b1)) ||
           (!vec_equal(b2, v) && cone_contains_ray(v, a1, a2, b2));
}

/* Whether the triangles v w a and v w b intersect beyond the edge v w. */
static bool edge_neighbours_intersect(tact_vec3 v, tact_vec3 w, tact_vec3 a, tact_vec3 b)
{
    if (vec_equal(v, w))
        return cones_intersect(v, w, a, w, b);
    if (!share_coordinate((const tact_vec3[]){v, w, a, b}, 4) && tact_orient3d(v, w, a, b) != 0)
        return false;
    int axis = projection_axis(v, w, a);
    if (axis >= 0) /* if b is on the line of v w, its orientation is 0: there is no intersection beyond the edge */
        return projected_orient2d(axis, v, w, a) * projected_orient2d(axis, v, w, b) > 0;
    if (!tact_collinear(v, w, b))
        return false;
    /* All are on one line: they intersect if both extend beyond the same end. */
    bool reversed = lexicographic_order(v, w) > 0;
    tact_vec3 low = reversed ? w : v, high = reversed ? v : w;
    return (lexicographic_order(a, low) < 0 && lexicographic_order(b, low) < 0) ||
           (lexicographic_order(a, high) > 0 && lexicographic_order(b, high) > 0);
}

TACT_COLD bool beyond_shared_exact(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *shared)
{
    if (!all_finite(a, b))
        return false;
    unsigned i = shared->a[0], j = shared->b[0], k = shared->a[1], l = shared->b[1];
    switch (shared->count) {
    case 0:
        return intersect_exact(a, b);
    case 1:
        return cones_intersect(a[i], a[(i + 1) % 3], a[(i + 2) % 3], b[(j + 1) % 3], b[(j + 2) % 3]);
    case 2:
        return edge_neighbours_intersect(a[i], a[k], a[3 - i - k], b[3 - j - l]);
    default:
        return !tact_collinear(a[0], a[1], a[2]);
    }
}

/* The sum of the unit vectors from v to p and q: along the bisector of the angle. Any result is allowed. */
static tact_vec3 angle_bisector(tact_vec3 v, const tact_vec3 ends[2])
{
    tact_vec3 p = vec_sub(ends[0], v), q = vec_sub(ends[1], v);
    return vec_add(vec_scale(p, 1.0 / sqrt(vec_dot(p, p))), vec_scale(q, 1.0 / sqrt(vec_dot(q, q))));
}

/* Whether a plane through the shared vertex certainly separates the other vertices, so that it is the only common
 * point. */
static bool separated_at_vertex(const tact_vec3 a[3], const tact_vec3 b[3], unsigned i, unsigned j)
{
    const tact_vec3 p[2] = {a[(i + 1) % 3], a[(i + 2) % 3]}, q[2] = {b[(j + 1) % 3], b[(j + 2) % 3]};
    return plane_separates(vec_sub(angle_bisector(a[i], p), angle_bisector(b[j], q)), a[i], p, q, 2);
}

/* Whether a plane through the shared edge v w and parallel to an axis certainly has a and b on different sides, so that
 * the triangles have nothing but the edge in common. */
static bool separated_at_edge(tact_vec3 v, tact_vec3 w, tact_vec3 a, tact_vec3 b)
{
    return filter_orient2d(v.x, v.y, w.x, w.y, a.x, a.y) * filter_orient2d(v.x, v.y, w.x, w.y, b.x, b.y) < 0 ||
           filter_orient2d(v.y, v.z, w.y, w.z, a.y, a.z) * filter_orient2d(v.y, v.z, w.y, w.z, b.y, b.z) < 0 ||
           filter_orient2d(v.z, v.x, w.z, w.x, a.z, a.x) * filter_orient2d(v.z, v.x, w.z, w.x, b.z, b.x) < 0;
}

/* Whether a filter proves that two triangles have nothing but what they share in common. */
static bool separated_beyond_shared(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *shared)
{
    unsigned i = shared->a[0], j = shared->b[0], k = shared->a[1], l = shared->b[1];
    return shared->count == 0   ? separated_by_centroids(a, b)
           : shared->count == 1 ? separated_at_vertex(a, b, i, j)
           : shared->count == 2 ? separated_at_edge(a[i], a[k], a[3 - i - k], b[3 - j - l])
                                : false;
}

TACT_COLD bool beyond_shared_uncertain(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *shared)
{
    if (separated_beyond_shared(a, b, shared))
        return false;
    fp_environment saved = fp_environment_enter();
    bool result = beyond_shared_exact(a, b, shared);
    fp_environment_leave(saved);
    return result;
}

/* The sides of p and q of the plane of u and w, relative to v. Bits 1, 2: p, q certainly above; 4, 8: below. */
TACT_FORCE_INLINE unsigned plane_sides(tact_vec3 u, tact_vec3 w, tact_vec3 p, tact_vec3 q, double bound)
{
    double nx = u.y * w.z - u.z * w.y, ny = u.z * w.x - u.x * w.z, nz = u.x * w.y - u.y * w.x;
    double dp = p.x * nx + p.y * ny + p.z * nz, dq = q.x * nx + q.y * ny + q.z * nz;
    return (unsigned)(dp > bound) | (unsigned)(dq > bound) << 1 | (unsigned)(dp < -bound) << 2 |
           (unsigned)(dq < -bound) << 3;
}

/* cones_intersect by the filter. +1: they intersect, -1: they do not, 0: uncertain. */
TACT_FORCE_INLINE int filter_cones_intersect(tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    tact_vec3 p = vec_sub(a1, v), q = vec_sub(a2, v), f = vec_sub(b1, v), g = vec_sub(b2, v);
    double x = filter_max(filter_max_abs3(p.x, q.x, f.x), fabs(g.x));
    double y = filter_max(filter_max_abs3(p.y, q.y, f.y), fabs(g.y));
    double z = filter_max(filter_max_abs3(p.z, q.z, f.z), fabs(g.z));
    if (!in_range(x, y, z))
        return 0;
    double bound = FILTER_ORIENT3D * x * y * z;
    unsigned s = plane_sides(f, g, p, q, bound);
    if (s == 3 || s == 12)
        return -1;
    unsigned t = plane_sides(p, q, f, g, bound);
    if (t == 3 || t == 12)
        return -1;
    /* 6: the first below, the second above; 9: the reverse. */
    if ((s != 6 && s != 9) || (t != 6 && t != 9))
        return 0;
    return s != t ? 1 : -1;
}

bool tact_triangles_intersect_beyond_shared(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *shared)
{
    static const uint8_t after[5] = {0, 1, 2, 0, 1};
    unsigned i = shared->a[0], j = shared->b[0];
    int answer = 0;
    if (shared->count == 1)
        answer = filter_cones_intersect(a[i], a[after[i + 1]], a[after[i + 2]], b[after[j + 1]], b[after[j + 2]]);
    else if (shared->count == 2)
        answer = filter_orient3d(a[i], a[shared->a[1]], a[3 - i - shared->a[1]], b[3 - j - shared->b[1]]) != 0 ? -1 : 0;
    else if (shared->count == 0)
        answer = filter_intersect(a, b);
    return answer != 0 ? answer > 0 : beyond_shared_uncertain(a, b, shared);
}
