/*
 * Do two triangles meet? And do they, beyond the corners they share?
 *
 * Guarantee: exact, for all finite doubles, triangles without area included. Cost: 21 ns for a miss, 23 ns for a hit,
 * 31 ns where they mix, decided by floating point with the proved bounds of math/filter.h (100,000 different pairs on
 * one core; Möller's test in plain doubles, without its case of one plane: 60 to 100 ns, for its branches cannot be
 * foretold); where a sign is in doubt (touching, one plane, no area) all is decided anew from exact signs, in 0.1 to
 * 1 us. A form for one triangle against blocks of four, side by side in memory, was tried and is slower: 31 ns a pair
 * where this takes 27.
 * The test is that of Guigue and Devillers, "Fast and robust triangle-triangle overlap test using orientation
 * predicates" (2003): the corners of each against the plane of the other, then the order of two crossings along the
 * line in which the planes meet, which is the sign of two more orientations. We depart in that both planes are asked at
 * once, in the two halves of a vector register, with a normal for three orientations, and all eight orientations share
 * one error bound (that of filter.h with the extents of all six points for the largest differences).
 * Shared corner v: near v the triangles are cones, and these have a ray in common, or not: where the planes cross, the
 * signs of the four other corners against the planes tell. Shared edge: in one plane and on the same side, or not.
 */
#include "exact/triangle.h"

#include <math.h>
#include <simde/x86/sse2.h>
#include <string.h>

#include "core/inline.h"
#include "exact/projection.h"
#include "exact/triangle_internal.h"
#include "math/filter.h"
#include "math/fp_environment.h"
#include "math/vec.h"

/* Are the maxima of differences where the filters' proof holds? */
TACT_FORCE_INLINE bool in_range(double x, double y, double z)
{
    return filter_min(filter_min(x, y), z) >= FILTER_MIN_DIFFERENCE &&
           filter_max(filter_max(x, y), z) <= FILTER_MAX_DIFFERENCE;
}

/* Three coordinates of a point of each triangle, side by side. */
typedef struct both {
    simde__m128d x, y, z;
} both;

TACT_FORCE_INLINE both both_of(const tact_vec3 *first, const tact_vec3 *second)
{
    return (both){simde_mm_loadh_pd(simde_mm_load_sd(&first->x), &second->x),
                  simde_mm_loadh_pd(simde_mm_load_sd(&first->y), &second->y),
                  simde_mm_loadh_pd(simde_mm_load_sd(&first->z), &second->z)};
}

TACT_FORCE_INLINE both both_less(both a, both b)
{
    return (both){simde_mm_sub_pd(a.x, b.x), simde_mm_sub_pd(a.y, b.y), simde_mm_sub_pd(a.z, b.z)};
}

TACT_FORCE_INLINE both both_cross(both a, both b)
{
    return (both){simde_mm_sub_pd(simde_mm_mul_pd(a.y, b.z), simde_mm_mul_pd(a.z, b.y)),
                  simde_mm_sub_pd(simde_mm_mul_pd(a.z, b.x), simde_mm_mul_pd(a.x, b.z)),
                  simde_mm_sub_pd(simde_mm_mul_pd(a.x, b.y), simde_mm_mul_pd(a.y, b.x))};
}

TACT_FORCE_INLINE simde__m128d both_dot(both a, both b)
{
    return simde_mm_add_pd(simde_mm_add_pd(simde_mm_mul_pd(a.x, b.x), simde_mm_mul_pd(a.y, b.y)),
                           simde_mm_mul_pd(a.z, b.z));
}

TACT_FORCE_INLINE simde__m128d other_way(simde__m128d a) { return simde_mm_shuffle_pd(a, a, 1); }

TACT_FORCE_INLINE both both_turned(both a) { return (both){other_way(a.x), other_way(a.y), other_way(a.z)}; }

/* The extent of six numbers: no difference of two of them is larger, but by a rounding in some modes, for which the
 * filters' constants have room. */
TACT_FORCE_INLINE double extent_of(simde__m128d a, simde__m128d b, simde__m128d c)
{
    simde__m128d high = simde_mm_max_pd(simde_mm_max_pd(a, b), c), low = simde_mm_min_pd(simde_mm_min_pd(a, b), c);
    high = simde_mm_max_sd(high, other_way(high));
    low = simde_mm_min_sd(low, other_way(low));
    return simde_mm_cvtsd_f64(simde_mm_sub_sd(high, low));
}

TACT_FORCE_INLINE unsigned mask_of(simde__m128d condition) { return (unsigned)simde_mm_movemask_pd(condition); }

/* Which corner is alone on its side, given which of them (bits) are above. */
static const uint8_t lonely[8] = {0, 0, 1, 2, 2, 1, 0, 0};

/* +1: they meet, -1: they do not, 0: cannot tell. */
TACT_FORCE_INLINE int filter_meet(const tact_vec3 a[3], const tact_vec3 b[3])
{
    /* both questions at once: in the first half the plane of b and the corners of a, in the second the other way
     * round */
    both t0 = both_of(&b[0], &a[0]), t1 = both_of(&b[1], &a[1]), t2 = both_of(&b[2], &a[2]);
    double x = extent_of(t0.x, t1.x, t2.x), y = extent_of(t0.y, t1.y, t2.y), z = extent_of(t0.z, t1.z, t2.z);
    if (!in_range(x, y, z))
        return 0;
    simde__m128d bound = simde_mm_set1_pd(FILTER_ORIENT3D * x * y * z);
    simde__m128d below = simde_mm_sub_pd(simde_mm_setzero_pd(), bound);
    both n = both_cross(both_less(t1, t0), both_less(t2, t0));
    simde__m128d d0 = both_dot(both_less(both_turned(t0), t0), n);
    simde__m128d d1 = both_dot(both_less(both_turned(t1), t0), n);
    simde__m128d d2 = both_dot(both_less(both_turned(t2), t0), n);
    simde__m128d up0 = simde_mm_cmpgt_pd(d0, bound), down0 = simde_mm_cmplt_pd(d0, below);
    simde__m128d up1 = simde_mm_cmpgt_pd(d1, bound), down1 = simde_mm_cmplt_pd(d1, below);
    simde__m128d up2 = simde_mm_cmpgt_pd(d2, bound), down2 = simde_mm_cmplt_pd(d2, below);
    simde__m128d one_side = simde_mm_or_pd(simde_mm_and_pd(simde_mm_and_pd(up0, up1), up2),
                                           simde_mm_and_pd(simde_mm_and_pd(down0, down1), down2));
    if (mask_of(one_side) != 0)
        return -1;
    simde__m128d sure = simde_mm_and_pd(simde_mm_and_pd(simde_mm_or_pd(up0, down0), simde_mm_or_pd(up1, down1)),
                                        simde_mm_or_pd(up2, down2));
    if (mask_of(sure) != 3)
        return 0;
    /* p is alone on its side of the other's plane; turned so that this is the upper side, a goes up over p1 from q1
     * on the one hand to r1 on the other, and the line in which the planes meet cuts p1 q1, p1 r1, p2 q2, p2 r2. */
    unsigned m0 = mask_of(up0), m1 = mask_of(up1), m2 = mask_of(up2);
    unsigned above_a = (m0 & 1) | (m1 & 1) << 1 | (m2 & 1) << 2, above_b = m0 >> 1 | (m1 & 2) | (m2 & 2) << 1;
    unsigned i = lonely[above_a], j = lonely[above_b];
    unsigned up_a = above_a >> i & 1, up_b = above_b >> j & 1;
    static const uint8_t after[4] = {1, 2, 0, 1};
    both p1 = both_of(&a[i], &a[i]), p2 = both_of(&b[j], &b[j]);
    both ends_a = both_of(&a[after[i + 1 - up_b]], &a[after[i + up_b]]);
    both ends_b = both_of(&b[after[j + 1 - up_a]], &b[after[j + up_a]]);
    /* |q1, p2, q2| and |r1, p2, r2|, seen from p1: they are beyond each other when the first is positive or the second
     * negative */
    simde__m128d d = both_dot(both_less(ends_b, p1), both_cross(both_less(ends_a, p1), both_less(p2, p1)));
    unsigned beyond = mask_of(simde_mm_cmpgt_pd(d, bound)), before = mask_of(simde_mm_cmplt_pd(d, below));
    if ((beyond & 1) | (before & 2))
        return -1;
    return (before & 1) && (beyond & 2) ? 1 : 0;
}

static bool all_finite(const tact_vec3 a[3], const tact_vec3 b[3])
{
    return vec_finite(a[0]) && vec_finite(a[1]) && vec_finite(a[2]) && vec_finite(b[0]) && vec_finite(b[1]) &&
           vec_finite(b[2]);
}

TACT_COLD bool meet_exactly(const tact_vec3 a[3], const tact_vec3 b[3])
{
    triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES];
    return all_finite(a, b) && tact_triangles_intersection_features(a, b, found) > 0;
}

TACT_COLD bool meet_in_doubt(const tact_vec3 a[3], const tact_vec3 b[3])
{
    fp_environment found = fp_environment_enter();
    bool meet = meet_exactly(a, b);
    fp_environment_leave(found);
    return meet;
}

bool tact_triangles_intersect(const tact_vec3 a[3], const tact_vec3 b[3])
{
    int answer = filter_meet(a, b);
    return answer != 0 ? answer > 0 : meet_in_doubt(a, b);
}

/* ---- beyond what is shared ---- */

triangle_shared tact_triangle_shared_by_index(const uint32_t a[3], const uint32_t b[3])
{
    triangle_shared share = {0, {0}, {0}};
    unsigned taken = 0;
    for (unsigned i = 0; i < 3; ++i)
        for (unsigned j = 0; j < 3; ++j)
            if (a[i] == b[j] && !(taken >> j & 1)) {
                share.a[share.count] = (uint8_t)i;
                share.b[share.count++] = (uint8_t)j;
                taken |= 1u << j;
                break;
            }
    return share;
}

/* Equal as numbers, told by the bits: a host that reads subnormals as zero would take different ones for equal. */
static bool same(double a, double b)
{
    uint64_t bits_a, bits_b;
    memcpy(&bits_a, &a, sizeof a);
    memcpy(&bits_b, &b, sizeof b);
    return bits_a == bits_b || (bits_a | bits_b) << 1 == 0;
}

triangle_shared tact_triangle_shared_by_position(const tact_vec3 a[3], const tact_vec3 b[3])
{
    triangle_shared share = {0, {0}, {0}};
    unsigned taken = 0;
    for (unsigned i = 0; i < 3; ++i)
        for (unsigned j = 0; j < 3; ++j)
            if (same(a[i].x, b[j].x) && same(a[i].y, b[j].y) && same(a[i].z, b[j].z) && !(taken >> j & 1)) {
                share.a[share.count] = (uint8_t)i;
                share.b[share.count++] = (uint8_t)j;
                taken |= 1u << j;
                break;
            }
    return share;
}

/* Is the direction from v to e that of a point of the cone from v over b1 and b2? e is not v; b1 and b2 may be. */
static bool cone_has_ray(tact_vec3 v, tact_vec3 b1, tact_vec3 b2, tact_vec3 e)
{
    int axis = projection_axis(v, b1, b2);
    if (axis >= 0) {
        int turn = projected_orient2d(axis, v, b1, b2);
        return tact_orient3d(v, b1, b2, e) == 0 && turn * projected_orient2d(axis, v, b1, e) >= 0 &&
               turn * projected_orient2d(axis, v, e, b2) >= 0;
    }
    /* no area: the rays to b1 and to b2 */
    return (!vec_equal(b1, v) && tact_collinear(v, b1, e) && lexicographic_order(v, b1) == lexicographic_order(v, e)) ||
           (!vec_equal(b2, v) && tact_collinear(v, b2, e) && lexicographic_order(v, b2) == lexicographic_order(v, e));
}

/* The same of two cones with area in one plane: an edge of a is in b, or all of b is in a, one edge of it standing
 * for both. */
static bool cones_in_plane_meet(int axis, tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    int turn_a = projected_orient2d(axis, v, a1, a2), turn_b = projected_orient2d(axis, v, b1, b2);
    int b1_a1 = projected_orient2d(axis, v, b1, a1), b1_a2 = projected_orient2d(axis, v, b1, a2);
    int b2_a1 = projected_orient2d(axis, v, b2, a1), b2_a2 = projected_orient2d(axis, v, b2, a2);
    /* x is in the cone over p and q, which turns t, when t |p x| >= 0 and t |x q| >= 0 */
    return (turn_b * b1_a1 >= 0 && turn_b * b2_a1 <= 0) || (turn_b * b1_a2 >= 0 && turn_b * b2_a2 <= 0) ||
           (turn_a * b1_a1 <= 0 && turn_a * b1_a2 >= 0);
}

/* Have the cones from v over a1 a2 and over b1 b2 a ray in common? */
static bool cones_meet(tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    const tact_vec3 all[5] = {v, a1, a2, b1, b2};
    if (!share_coordinate(all, 5)) {
        int s1 = tact_orient3d(v, b1, b2, a1), s2 = tact_orient3d(v, b1, b2, a2);
        if (s1 * s2 > 0)
            return false;
        int t1 = tact_orient3d(v, a1, a2, b1), t2 = tact_orient3d(v, a1, a2, b2);
        if (t1 * t2 > 0)
            return false;
        /* The planes meet in a line along m = n_a x n_b = s1 (a2 - v) - s2 (a1 - v) = t2 (b1 - v) - t1 (b2 - v),
         * with the s and t as the determinants themselves: of this line a's cone has the ray along (s1 - s2) m, b's
         * that along (t2 - t1) m. */
        if ((s1 != 0 || s2 != 0) && (t1 != 0 || t2 != 0))
            return (s1 - s2 > 0) == (t2 - t1 > 0);
    }
    int axis_a = projection_axis(v, a1, a2), axis_b = projection_axis(v, b1, b2);
    if (axis_a >= 0 && axis_b >= 0)
        return cones_in_plane_meet(axis_a, v, a1, a2, b1, b2);
    /* One is a ray, a line or nothing but v: common rays are then rays over its corners. */
    return (!vec_equal(a1, v) && cone_has_ray(v, b1, b2, a1)) || (!vec_equal(a2, v) && cone_has_ray(v, b1, b2, a2)) ||
           (!vec_equal(b1, v) && cone_has_ray(v, a1, a2, b1)) || (!vec_equal(b2, v) && cone_has_ray(v, a1, a2, b2));
}

/* Do the triangles v w a and v w b meet beyond the edge v w? */
static bool wings_meet(tact_vec3 v, tact_vec3 w, tact_vec3 a, tact_vec3 b)
{
    if (vec_equal(v, w))
        return cones_meet(v, w, a, w, b);
    if (!share_coordinate((const tact_vec3[]){v, w, a, b}, 4) && tact_orient3d(v, w, a, b) != 0)
        return false;
    int axis = projection_axis(v, w, a);
    if (axis >= 0) /* b may be on the line: then its triangle has nothing beside it, and the turn is 0 */
        return projected_orient2d(axis, v, w, a) * projected_orient2d(axis, v, w, b) > 0;
    if (!tact_collinear(v, w, b))
        return false;
    /* all on one line: beyond the same end? */
    bool turned = lexicographic_order(v, w) > 0;
    tact_vec3 low = turned ? w : v, high = turned ? v : w;
    return (lexicographic_order(a, low) < 0 && lexicographic_order(b, low) < 0) ||
           (lexicographic_order(a, high) > 0 && lexicographic_order(b, high) > 0);
}

TACT_COLD bool beyond_exactly(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *share)
{
    if (!all_finite(a, b))
        return false;
    unsigned i = share->a[0], j = share->b[0], k = share->a[1], l = share->b[1];
    switch (share->count) {
    case 0:
        return meet_exactly(a, b);
    case 1:
        return cones_meet(a[i], a[(i + 1) % 3], a[(i + 2) % 3], b[(j + 1) % 3], b[(j + 2) % 3]);
    case 2:
        return wings_meet(a[i], a[k], a[3 - i - k], b[3 - j - l]);
    default:
        return !tact_collinear(a[0], a[1], a[2]);
    }
}

TACT_COLD bool beyond_in_doubt(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *share)
{
    fp_environment found = fp_environment_enter();
    bool beyond = beyond_exactly(a, b, share);
    fp_environment_leave(found);
    return beyond;
}

/* The two points p and q against the plane of v, u, w: bits 1 and 2 above, 4 and 8 below, where certain. */
TACT_FORCE_INLINE unsigned sides_of_two(tact_vec3 u, tact_vec3 w, tact_vec3 p, tact_vec3 q, double bound)
{
    double nx = u.y * w.z - u.z * w.y, ny = u.z * w.x - u.x * w.z, nz = u.x * w.y - u.y * w.x;
    double dp = p.x * nx + p.y * ny + p.z * nz, dq = q.x * nx + q.y * ny + q.z * nz;
    return (unsigned)(dp > bound) | (unsigned)(dq > bound) << 1 | (unsigned)(dp < -bound) << 2 |
           (unsigned)(dq < -bound) << 3;
}

/* cones_meet by the filter: +1, -1 or 0. */
TACT_FORCE_INLINE int filter_cones(tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    tact_vec3 p = vec_sub(a1, v), q = vec_sub(a2, v), f = vec_sub(b1, v), g = vec_sub(b2, v);
    double x = filter_max(filter_max_abs3(p.x, q.x, f.x), fabs(g.x));
    double y = filter_max(filter_max_abs3(p.y, q.y, f.y), fabs(g.y));
    double z = filter_max(filter_max_abs3(p.z, q.z, f.z), fabs(g.z));
    if (!in_range(x, y, z))
        return 0;
    double bound = FILTER_ORIENT3D * x * y * z;
    unsigned s = sides_of_two(f, g, p, q, bound);
    if (s == 3 || s == 12)
        return -1;
    unsigned t = sides_of_two(p, q, f, g, bound);
    if (t == 3 || t == 12)
        return -1;
    /* 6: the first below, the second above; 9: the other way round */
    if ((s != 6 && s != 9) || (t != 6 && t != 9))
        return 0;
    return s != t ? 1 : -1;
}

bool tact_triangles_intersect_beyond_shared(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_shared *share)
{
    static const uint8_t after[5] = {0, 1, 2, 0, 1};
    unsigned i = share->a[0], j = share->b[0];
    int answer = 0;
    if (share->count == 1)
        answer = filter_cones(a[i], a[after[i + 1]], a[after[i + 2]], b[after[j + 1]], b[after[j + 2]]);
    else if (share->count == 2)
        answer = filter_orient3d(a[i], a[share->a[1]], a[3 - i - share->a[1]], b[3 - j - share->b[1]]) != 0 ? -1 : 0;
    else if (share->count == 0)
        answer = filter_meet(a, b);
    return answer != 0 ? answer > 0 : beyond_in_doubt(a, b, share);
}
