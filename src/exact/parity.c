/*
 * Crossing parity, exactly.
 *
 * Guarantee: for all finite doubles, for any closed surface, the right answer; p on a triangle is told. Cost: 5 to 25
 * ns for a triangle (most are passed by after comparing coordinates); where the ray goes exactly through an edge or
 * corner, or p is in the plane, some 0.2 us. The ray is that of p moved by (e, e^2) across the axis, e positive and
 * infinitely small: a turn of shadows that is 0 for p takes the sign of its first derivative that is not. This is
 * Edelsbrunner and Mücke's simulation of simplicity (1990) for the one point only; the turn changes sign with the
 * direction of the edge, so two triangles with a common edge agree on which of them is crossed. The thesis (§3.1.2)
 * follows O'Rourke and draws random rays until one misses all corners and edges: needs a second look at all triangles,
 * and a random number.
 */
#include "exact/parity.h"

#include "core/inline.h"
#include "exact/projection.h"
#include "math/filter.h"
#include "math/fp_environment.h"
#include "math/vec.h"

/* A point by its place along the ray and across it. */
typedef struct spot {
    double along, x, y;
} spot;

TACT_FORCE_INLINE spot spot_of(tact_vec3 p, int axis)
{
    switch (axis) {
    case 0:
        return (spot){p.x, p.y, p.z};
    case 1:
        return (spot){p.y, p.z, p.x};
    default:
        return (spot){p.z, p.x, p.y};
    }
}

static int sign_of_difference(double a, double b) { return (a > b) - (a < b); }

/* The turn of u, v and the moved p, never 0 unless u and v have one shadow: d/dp of (v-u) x (p-u) is (u_y - v_y, v_x
 * - u_x). */
static int moved_turn(int turn, spot u, spot v)
{
    if (turn != 0)
        return turn;
    int first = sign_of_difference(u.y, v.y);
    return first != 0 ? first : sign_of_difference(v.x, u.x);
}

/* Is p, in the plane of t, on t? */
static bool on_triangle(const tact_vec3 t[3], tact_vec3 p)
{
    int axis = projection_axis(t[0], t[1], t[2]);
    if (axis >= 0) {
        int turn = projected_orient2d(axis, t[0], t[1], t[2]);
        return projected_orient2d(axis, t[0], t[1], p) != -turn && projected_orient2d(axis, t[1], t[2], p) != -turn &&
               projected_orient2d(axis, t[2], t[0], p) != -turn;
    }
    /* a segment or a point: p is on its line and not beyond all corners */
    if (!tact_collinear(t[0], t[1], p) || !tact_collinear(t[1], t[2], p) || !tact_collinear(t[2], t[0], p))
        return false;
    int order[3] = {lexicographic_order(t[0], p), lexicographic_order(t[1], p), lexicographic_order(t[2], p)};
    bool below = order[0] <= 0 || order[1] <= 0 || order[2] <= 0,
         above = order[0] >= 0 || order[1] >= 0 || order[2] >= 0;
    return below && above;
}

/* What a triangle is to a ray. */
typedef enum meeting { PASSED = 0, LEFT = 1, ENTERED = -1, ON = 2 } meeting;

TACT_COLD meeting meet_exactly(const tact_vec3 t[3], tact_vec3 p, int axis)
{
    int turn[3];
    for (int i = 0; i < 3; ++i)
        turn[i] = projected_orient2d(axis, t[i], t[(i + 1) % 3], p);
    bool left = turn[0] > 0 || turn[1] > 0 || turn[2] > 0, right = turn[0] < 0 || turn[1] < 0 || turn[2] < 0;
    if (left && right)
        return PASSED; /* p has its shadow outside that of t */
    int side = tact_orient3d(t[0], t[1], t[2], p);
    if (side == 0 && on_triangle(t, p))
        return ON;
    const spot at[3] = {spot_of(t[0], axis), spot_of(t[1], axis), spot_of(t[2], axis)};
    int moved = moved_turn(turn[0], at[0], at[1]);
    if (moved == 0 || moved_turn(turn[1], at[1], at[2]) != moved || moved_turn(turn[2], at[2], at[0]) != moved)
        return PASSED;
    /* the normal is along the ray as t turns; p before the plane is on the other side than the normal */
    return side == -moved ? (meeting)moved : PASSED;
}

TACT_COLD meeting meet_in_doubt(const tact_vec3 t[3], tact_vec3 p, int axis)
{
    fp_environment found = fp_environment_enter();
    meeting m = meet_exactly(t, p, axis);
    fp_environment_leave(found);
    return m;
}

TACT_FORCE_INLINE meeting meet(const tact_vec3 t[3], tact_vec3 p, int axis)
{
    spot a = spot_of(t[0], axis), b = spot_of(t[1], axis), c = spot_of(t[2], axis), q = spot_of(p, axis);
    /* Beside or behind, strictly. (Where subnormals are read as zero, less is said, nothing wrong.) */
    if (((a.x > q.x) & (b.x > q.x) & (c.x > q.x)) | ((a.x < q.x) & (b.x < q.x) & (c.x < q.x)) |
        ((a.y > q.y) & (b.y > q.y) & (c.y > q.y)) | ((a.y < q.y) & (b.y < q.y) & (c.y < q.y)) |
        ((a.along < q.along) & (b.along < q.along) & (c.along < q.along)))
        return PASSED;
    int first = filter_orient2d(a.x, a.y, b.x, b.y, q.x, q.y);
    int second = filter_orient2d(b.x, b.y, c.x, c.y, q.x, q.y);
    int third = filter_orient2d(c.x, c.y, a.x, a.y, q.x, q.y);
    if (((first > 0) | (second > 0) | (third > 0)) & ((first < 0) | (second < 0) | (third < 0)))
        return PASSED;
    if (first == 0 || second == 0 || third == 0)
        return meet_in_doubt(t, p, axis);
    int side = filter_orient3d(t[0], t[1], t[2], p);
    if (side == 0)
        return meet_in_doubt(t, p, axis);
    return side == -first ? (meeting)first : PASSED;
}

bool tact_parity_add(parity_count *count, const tact_vec3 t[3], tact_vec3 p, int axis)
{
    meeting m = meet(t, p, axis);
    if (m == ON)
        return false;
    count->crossings += m != PASSED;
    count->winding += m;
    return true;
}

parity_location tact_parity_of_mesh(const tact_vec3 *vertices, const uint32_t *triangles, size_t triangle_count,
                                    tact_vec3 p)
{
    parity_count count = {0, 0};
    for (size_t i = 0; i < triangle_count; ++i) {
        const uint32_t *corner = triangles + 3 * i;
        const tact_vec3 t[3] = {vertices[corner[0]], vertices[corner[1]], vertices[corner[2]]};
        if (!tact_parity_add(&count, t, p, 0))
            return PARITY_ON;
    }
    return count.crossings % 2 != 0 ? PARITY_INSIDE : PARITY_OUTSIDE;
}
