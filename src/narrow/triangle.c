/*
 * Do two triangles meet? And do they, beyond the corners they share?
 *
 * Guarantee: exact, for all finite doubles, triangles without area included. Cost: 15 to 40 ns for triangles in general
 * position, decided by floating point with the proved bounds of math/filter.h; where a sign is in doubt (touching, one
 * plane, no area) all is decided anew from exact signs, in 0.3 to 2 us.
 * The test is that of Guigue and Devillers, "Fast and robust triangle-triangle overlap test using orientation predicates"
 * (2003): the corners of each against the plane of the other, then the order of two crossings along the line in which
 * the planes meet, which is the sign of two more orientations. We depart in that the three orientations against one plane share the
 * plane's normal and one error bound (the largest differences along the axes are taken over all five points: the bound
 * is that of filter.h with larger maxima, and so holds).
 * Shared corner v: near v the triangles are cones, and these have a ray in common, or not: where the planes cross, the
 * signs of the four other corners against the planes tell. Shared edge: in one plane and on the same side, or not.
 */
#include "narrow/triangle.h"

#include <math.h>
#include <string.h>

#include "core/inline.h"
#include "math/environment.h"
#include "math/filter.h"
#include "math/vec.h"
#include "narrow/flat.h"
#include "narrow/triangle_parts.h"

/* Are the maxima of differences where the filters' proof holds? */
TACT_HOT bool in_range(double x, double y, double z)
{
    return filter_smaller(filter_smaller(x, y), z) >= FILTER_LEAST &&
           filter_larger(filter_larger(x, y), z) <= FILTER_MOST;
}

TACT_HOT double largest5(double a, double b, double c, double d, double e)
{
    return filter_larger(filter_largest3(a, b, c), filter_larger(fabs(d), fabs(e)));
}

/* The sides of three points against the plane of t, as a pattern of bits: 1 << i: p[i] is certainly above, 8 << i: certainly
 * below. Out of the filter's range, or NaN: no bit. */
TACT_HOT unsigned sides_of(const tact_vec3 t[3], const tact_vec3 p[3])
{
    tact_vec3 u = vec_sub(t[1], t[0]), v = vec_sub(t[2], t[0]);
    tact_vec3 f = vec_sub(p[0], t[0]), g = vec_sub(p[1], t[0]), h = vec_sub(p[2], t[0]);
    double x = largest5(u.x, v.x, f.x, g.x, h.x);
    double y = largest5(u.y, v.y, f.y, g.y, h.y);
    double z = largest5(u.z, v.z, f.z, g.z, h.z);
    if (!in_range(x, y, z))
        return 0;
    double bound = FILTER_ORIENT3D * x * y * z;
    double nx = u.y * v.z - u.z * v.y, ny = u.z * v.x - u.x * v.z, nz = u.x * v.y - u.y * v.x;
    double df = f.x * nx + f.y * ny + f.z * nz;
    double dg = g.x * nx + g.y * ny + g.z * nz;
    double dh = h.x * nx + h.y * ny + h.z * nz;
    return (unsigned)(df > bound) | (unsigned)(dg > bound) << 1 | (unsigned)(dh > bound) << 2 |
           (unsigned)(df < -bound) << 3 | (unsigned)(dg < -bound) << 4 | (unsigned)(dh < -bound) << 5;
}

enum { ALL_ABOVE = 7, ALL_BELOW = 56 };

/* For a pattern in which all three sides are certain and one corner is alone on its side: which one. `above` are the low
 * three bits. */
static const uint8_t lonely[8] = {0, 0, 1, 2, 2, 1, 0, 0};

/* +1: they meet, -1: they do not, 0: cannot tell. */
TACT_HOT int filter_meet(const tact_vec3 a[3], const tact_vec3 b[3])
{
    unsigned of_a = sides_of(b, a);
    if (of_a == ALL_ABOVE || of_a == ALL_BELOW)
        return -1;
    unsigned of_b = sides_of(a, b);
    if (of_b == ALL_ABOVE || of_b == ALL_BELOW)
        return -1;
    unsigned above_a = of_a & 7, above_b = of_b & 7;
    if ((above_a | of_a >> 3) != 7 || (above_b | of_b >> 3) != 7)
        return 0;
    /* p is alone on its side of the other's plane; turned so that this is the upper side, a goes up over p1 from q1 on the
     * one hand to r1 on the other, and the line in which the planes meet cuts p1 q1, p1 r1, p2 q2, p2 r2. */
    unsigned i = lonely[above_a], j = lonely[above_b];
    bool up_a = above_a >> i & 1, up_b = above_b >> j & 1;
    static const uint8_t after[4] = {1, 2, 0, 1};
    tact_vec3 p1 = a[i], q1 = a[after[i + !up_b]], r1 = a[after[i + up_b]];
    tact_vec3 p2 = b[j], q2 = b[after[j + !up_a]], r2 = b[after[j + up_a]];
    tact_vec3 q = vec_sub(q1, p1), r = vec_sub(r1, p1);
    tact_vec3 o = vec_sub(p2, p1), f = vec_sub(q2, p1), g = vec_sub(r2, p1);
    double x = largest5(q.x, r.x, o.x, f.x, g.x);
    double y = largest5(q.y, r.y, o.y, f.y, g.y);
    double z = largest5(q.z, r.z, o.z, f.z, g.z);
    if (!in_range(x, y, z))
        return 0;
    double bound = FILTER_ORIENT3D * x * y * z;
    /* q1 p1 and q2 p2: |q, o, f|; beyond each other when positive */
    double first = f.x * (q.y * o.z - q.z * o.y) + f.y * (q.z * o.x - q.x * o.z) + f.z * (q.x * o.y - q.y * o.x);
    if (first > bound)
        return -1;
    /* |r, g, o| */
    double second = g.x * (o.y * r.z - o.z * r.y) + g.y * (o.z * r.x - o.x * r.z) + g.z * (o.x * r.y - o.y * r.x);
    if (second > bound)
        return -1;
    return first < -bound && second < -bound ? 1 : 0;
}

static bool finite(const tact_vec3 a[3], const tact_vec3 b[3])
{
    return vec_finite(a[0]) && vec_finite(a[1]) && vec_finite(a[2]) && vec_finite(b[0]) && vec_finite(b[1]) &&
           vec_finite(b[2]);
}

TACT_COLD bool meet_exactly(const tact_vec3 a[3], const tact_vec3 b[3])
{
    triangle_found found[TRIANGLE_CUT_CORNERS];
    int axis;
    return finite(a, b) && tact_triangle_find(a, b, found, &axis) > 0;
}

TACT_COLD bool meet_in_doubt(const tact_vec3 a[3], const tact_vec3 b[3])
{
    environment found = environment_enter();
    bool meet = meet_exactly(a, b);
    environment_leave(found);
    return meet;
}

bool tact_triangles_meet(const tact_vec3 a[3], const tact_vec3 b[3])
{
    int answer = filter_meet(a, b);
    return answer != 0 ? answer > 0 : meet_in_doubt(a, b);
}

/* ---- beyond what is shared ---- */

triangle_share tact_triangle_share_vertices(const uint32_t a[3], const uint32_t b[3])
{
    triangle_share share = {0, {0}, {0}};
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

triangle_share tact_triangle_share_points(const tact_vec3 a[3], const tact_vec3 b[3])
{
    triangle_share share = {0, {0}, {0}};
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
    int axis = flat_axis(v, b1, b2);
    if (axis >= 0) {
        int turn = flat_turn(axis, v, b1, b2);
        return tact_orient3d(v, b1, b2, e) == 0 && turn * flat_turn(axis, v, b1, e) >= 0 &&
               turn * flat_turn(axis, v, e, b2) >= 0;
    }
    /* no area: the rays to b1 and to b2 */
    return (!vec_equal(b1, v) && tact_collinear(v, b1, e) && flat_order(v, b1) == flat_order(v, e)) ||
           (!vec_equal(b2, v) && tact_collinear(v, b2, e) && flat_order(v, b2) == flat_order(v, e));
}

/* Have the cones from v over a1 a2 and over b1 b2 a ray in common? */
static bool cones_meet(tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    int s1 = tact_orient3d(v, b1, b2, a1), s2 = tact_orient3d(v, b1, b2, a2);
    if (s1 * s2 > 0)
        return false;
    int t1 = tact_orient3d(v, a1, a2, b1), t2 = tact_orient3d(v, a1, a2, b2);
    if (t1 * t2 > 0)
        return false;
    /* The planes meet in a line along m = n_a x n_b = s1 (a2 - v) - s2 (a1 - v) = t2 (b1 - v) - t1 (b2 - v), with the s and t as the
     * determinants themselves: of this line a's cone has the ray along (s1 - s2) m, b's that along (t2 - t1) m. */
    if ((s1 != 0 || s2 != 0) && (t1 != 0 || t2 != 0))
        return (s1 - s2 > 0) == (t2 - t1 > 0);
    /* In one plane, or one has no area. Two cones in a plane, or of which one is a ray or a line, have a ray in common only
     * if an edge of one is in the other. */
    return (!vec_equal(a1, v) && cone_has_ray(v, b1, b2, a1)) || (!vec_equal(a2, v) && cone_has_ray(v, b1, b2, a2)) ||
           (!vec_equal(b1, v) && cone_has_ray(v, a1, a2, b1)) || (!vec_equal(b2, v) && cone_has_ray(v, a1, a2, b2));
}

/* Do the triangles v w a and v w b meet beyond the edge v w? */
static bool wings_meet(tact_vec3 v, tact_vec3 w, tact_vec3 a, tact_vec3 b)
{
    if (vec_equal(v, w))
        return cones_meet(v, w, a, w, b);
    if (tact_orient3d(v, w, a, b) != 0)
        return false;
    int axis = flat_axis(v, w, a);
    if (axis >= 0) /* b may be on the line: then its triangle has nothing beside it, and the turn is 0 */
        return flat_turn(axis, v, w, a) * flat_turn(axis, v, w, b) > 0;
    if (!tact_collinear(v, w, b))
        return false;
    /* all on one line: beyond the same end? */
    bool turned = flat_order(v, w) > 0;
    tact_vec3 low = turned ? w : v, high = turned ? v : w;
    return (flat_order(a, low) < 0 && flat_order(b, low) < 0) || (flat_order(a, high) > 0 && flat_order(b, high) > 0);
}

TACT_COLD bool beyond_exactly(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_share *share)
{
    if (!finite(a, b))
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

TACT_COLD bool beyond_in_doubt(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_share *share)
{
    environment found = environment_enter();
    bool beyond = beyond_exactly(a, b, share);
    environment_leave(found);
    return beyond;
}

/* The two points p and q against the plane of v, u, w: bits 1 and 2 above, 4 and 8 below, where certain. */
TACT_HOT unsigned sides_of_two(tact_vec3 u, tact_vec3 w, tact_vec3 p, tact_vec3 q, double bound)
{
    double nx = u.y * w.z - u.z * w.y, ny = u.z * w.x - u.x * w.z, nz = u.x * w.y - u.y * w.x;
    double dp = p.x * nx + p.y * ny + p.z * nz, dq = q.x * nx + q.y * ny + q.z * nz;
    return (unsigned)(dp > bound) | (unsigned)(dq > bound) << 1 | (unsigned)(dp < -bound) << 2 |
           (unsigned)(dq < -bound) << 3;
}

/* cones_meet by the filter: +1, -1 or 0. */
TACT_HOT int filter_cones(tact_vec3 v, tact_vec3 a1, tact_vec3 a2, tact_vec3 b1, tact_vec3 b2)
{
    tact_vec3 p = vec_sub(a1, v), q = vec_sub(a2, v), f = vec_sub(b1, v), g = vec_sub(b2, v);
    double x = filter_larger(filter_largest3(p.x, q.x, f.x), fabs(g.x));
    double y = filter_larger(filter_largest3(p.y, q.y, f.y), fabs(g.y));
    double z = filter_larger(filter_largest3(p.z, q.z, f.z), fabs(g.z));
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

bool tact_triangles_meet_beyond(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_share *share)
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
