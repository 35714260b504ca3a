/*
 * Point in a closed triangle mesh by exact ray crossing parity.
 *
 * Guarantee: correct for all finite doubles and any closed surface. A point on a triangle is reported as such.
 * Cost: 5 to 25 ns for a triangle; most are rejected by comparing coordinates. If the ray goes exactly through an edge
 * or vertex, or p is in the plane of the triangle, about 0.2 us.
 *
 * The ray starts at p moved by (e, e^2) perpendicular to the axis, with e positive and infinitely small. A projected
 * orientation that is zero for p takes the sign of its first nonzero derivative. This is simulation of simplicity
 * (Edelsbrunner and Mücke 1990) for this one point. The orientation changes sign with the direction of an edge, so of
 * two triangles with a common edge exactly one is crossed. Departure: van den Bergen 1999, section 3.1.2, draws random
 * rays until one avoids all vertices and edges, which may visit all triangles again.
 */
#include "exact/parity.h"

#include "core/inline.h"
#include "exact/projection.h"
#include "math/filter.h"
#include "math/fp_environment.h"
#include "math/vec.h"

/* A point by its coordinate along the ray and its projection perpendicular to it. */
typedef struct projected_point {
    double along, x, y;
} projected_point;

TACT_FORCE_INLINE projected_point projected_point_of(tact_vec3 p, int axis)
{
    switch (axis) {
    case 0:
        return (projected_point){p.x, p.y, p.z};
    case 1:
        return (projected_point){p.y, p.z, p.x};
    default:
        return (projected_point){p.z, p.x, p.y};
    }
}

static int sign_of_difference(double a, double b) { return (a > b) - (a < b); }

/* The orientation of u, v and the perturbed p: 0 only if u and v have the same projection. The derivative of
 * (v-u) x (p-u) by p is (u_y - v_y, v_x - u_x). */
static int perturbed_orientation(int orientation, projected_point u, projected_point v)
{
    if (orientation != 0)
        return orientation;
    int first = sign_of_difference(u.y, v.y);
    return first != 0 ? first : sign_of_difference(v.x, u.x);
}

/* Whether p, which is in the plane of t, is on t. */
static bool on_triangle(const tact_vec3 t[3], tact_vec3 p)
{
    int axis = projection_axis(t[0], t[1], t[2]);
    if (axis >= 0) {
        int orientation = projected_orient2d(axis, t[0], t[1], t[2]);
        return projected_orient2d(axis, t[0], t[1], p) != -orientation &&
               projected_orient2d(axis, t[1], t[2], p) != -orientation &&
               projected_orient2d(axis, t[2], t[0], p) != -orientation;
    }
    /* A segment or a point: p must be on its line and not beyond all vertices. */
    if (!tact_collinear(t[0], t[1], p) || !tact_collinear(t[1], t[2], p) || !tact_collinear(t[2], t[0], p))
        return false;
    int order[3] = {lexicographic_order(t[0], p), lexicographic_order(t[1], p), lexicographic_order(t[2], p)};
    bool below = order[0] <= 0 || order[1] <= 0 || order[2] <= 0,
         above = order[0] >= 0 || order[1] >= 0 || order[2] >= 0;
    return below && above;
}

/* How a ray crosses a triangle. OUT: along the normal. ON: its origin is on the triangle. */
typedef enum ray_crossing {
    RAY_CROSSING_NONE = 0,
    RAY_CROSSING_OUT = 1,
    RAY_CROSSING_IN = -1,
    RAY_CROSSING_ON = 2
} ray_crossing;

TACT_COLD ray_crossing cross_exact(const tact_vec3 t[3], tact_vec3 p, int axis)
{
    int orientation[3];
    for (int i = 0; i < 3; ++i)
        orientation[i] = projected_orient2d(axis, t[i], t[(i + 1) % 3], p);
    bool left = orientation[0] > 0 || orientation[1] > 0 || orientation[2] > 0,
         right = orientation[0] < 0 || orientation[1] < 0 || orientation[2] < 0;
    if (left && right)
        return RAY_CROSSING_NONE; /* the projection of p is outside that of t */
    int side = tact_orient3d(t[0], t[1], t[2], p);
    if (side == 0 && on_triangle(t, p))
        return RAY_CROSSING_ON;
    const projected_point at[3] = {projected_point_of(t[0], axis), projected_point_of(t[1], axis),
                                   projected_point_of(t[2], axis)};
    int perturbed = perturbed_orientation(orientation[0], at[0], at[1]);
    if (perturbed == 0 || perturbed_orientation(orientation[1], at[1], at[2]) != perturbed ||
        perturbed_orientation(orientation[2], at[2], at[0]) != perturbed)
        return RAY_CROSSING_NONE;
    /* The orientation tells whether the normal is along the ray. p is before the plane if it is on the opposite side of
     * the normal. */
    return side == -perturbed ? (ray_crossing)perturbed : RAY_CROSSING_NONE;
}

TACT_COLD ray_crossing cross_uncertain(const tact_vec3 t[3], tact_vec3 p, int axis)
{
    fp_environment saved = fp_environment_enter();
    ray_crossing m = cross_exact(t, p, axis);
    fp_environment_leave(saved);
    return m;
}

TACT_FORCE_INLINE ray_crossing cross(const tact_vec3 t[3], tact_vec3 p, int axis)
{
    projected_point a = projected_point_of(t[0], axis), b = projected_point_of(t[1], axis),
                    c = projected_point_of(t[2], axis), q = projected_point_of(p, axis);
    /* Strictly beside or behind. (If subnormals are read as zero, fewer triangles are rejected, none wrongly.) */
    if (((a.x > q.x) & (b.x > q.x) & (c.x > q.x)) | ((a.x < q.x) & (b.x < q.x) & (c.x < q.x)) |
        ((a.y > q.y) & (b.y > q.y) & (c.y > q.y)) | ((a.y < q.y) & (b.y < q.y) & (c.y < q.y)) |
        ((a.along < q.along) & (b.along < q.along) & (c.along < q.along)))
        return RAY_CROSSING_NONE;
    int first = filter_orient2d(a.x, a.y, b.x, b.y, q.x, q.y);
    int second = filter_orient2d(b.x, b.y, c.x, c.y, q.x, q.y);
    int third = filter_orient2d(c.x, c.y, a.x, a.y, q.x, q.y);
    if (((first > 0) | (second > 0) | (third > 0)) & ((first < 0) | (second < 0) | (third < 0)))
        return RAY_CROSSING_NONE;
    if (first == 0 || second == 0 || third == 0)
        return cross_uncertain(t, p, axis);
    int side = filter_orient3d(t[0], t[1], t[2], p);
    if (side == 0)
        return cross_uncertain(t, p, axis);
    return side == -first ? (ray_crossing)first : RAY_CROSSING_NONE;
}

bool tact_parity_add(parity_count *count, const tact_vec3 t[3], tact_vec3 p, int axis)
{
    ray_crossing m = cross(t, p, axis);
    if (m == RAY_CROSSING_ON)
        return false;
    count->crossings += m != RAY_CROSSING_NONE;
    count->winding += m;
    return true;
}
