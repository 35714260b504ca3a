/*
 * Whether two triangles with small integer coordinates intersect beyond the vertices they share, in 64-bit integers.
 *
 * The intersection of two triangles is the convex hull of: vertices of one in the other, points where an edge of one
 * crosses the plane of the other inside it, and crossings of coplanar edges. It is contained in the shared vertex or
 * edge if all these points are. Points are fractions with a common denominator. With coordinates of at most 16 no
 * number exceeds 2^53. Triangles must have area.
 */
#ifndef TACT_TEST_GRID_TRIANGLES_H
#define TACT_TEST_GRID_TRIANGLES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct grid_point {
    int64_t c[3];
} grid_point;

/* c / d, with d > 0. */
typedef struct grid_fraction {
    int64_t c[3], d;
} grid_fraction;

static inline grid_point grid_sub(grid_point a, grid_point b)
{
    return (grid_point){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
}

static inline grid_point grid_cross(grid_point a, grid_point b)
{
    return (grid_point){
        {a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2], a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}

static inline int64_t grid_dot(grid_point a, grid_point b)
{
    return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2];
}

static inline grid_point grid_normal(const grid_point t[3])
{
    return grid_cross(grid_sub(t[1], t[0]), grid_sub(t[2], t[0]));
}

static inline bool grid_is_degenerate(const grid_point t[3])
{
    const grid_point n = grid_normal(t);
    return n.c[0] == 0 && n.c[1] == 0 && n.c[2] == 0;
}

static inline bool grid_equal(grid_point a, grid_point b) { return memcmp(&a, &b, sizeof a) == 0; }

/* d (p - v), a vector of integers. */
static inline grid_point grid_offset(grid_fraction p, grid_point v)
{
    return (grid_point){{p.c[0] - p.d * v.c[0], p.c[1] - p.d * v.c[1], p.c[2] - p.d * v.c[2]}};
}

static inline bool grid_contains(const grid_point t[3], grid_fraction p)
{
    const grid_point n = grid_normal(t);
    if (grid_dot(n, grid_offset(p, t[0])) != 0)
        return false;
    for (int i = 0; i < 3; ++i)
        if (grid_dot(n, grid_cross(grid_sub(t[(i + 1) % 3], t[i]), grid_offset(p, t[i]))) < 0)
            return false;
    return true;
}

/* Is p on the segment from v to w, or at v if both are equal? */
static inline bool grid_on_segment(grid_fraction p, grid_point v, grid_point w)
{
    const grid_point u = grid_sub(w, v), o = grid_offset(p, v), cross = grid_cross(u, o);
    const int64_t along = grid_dot(u, o);
    if (cross.c[0] != 0 || cross.c[1] != 0 || cross.c[2] != 0 || along < 0 || along > grid_dot(u, u) * p.d)
        return false;
    return grid_dot(u, u) != 0 || (o.c[0] == 0 && o.c[1] == 0 && o.c[2] == 0);
}

/* The point v + (w - v) n / d. */
static inline grid_fraction grid_between(grid_point v, grid_point w, int64_t n, int64_t d)
{
    const int64_t sign = d < 0 ? -1 : 1;
    grid_fraction p = {.d = sign * d};
    for (int i = 0; i < 3; ++i)
        p.c[i] = sign * (v.c[i] * d + (w.c[i] - v.c[i]) * n);
    return p;
}

/* Shared vertices by position, of a in order; returns how many. */
static inline int grid_shared(const grid_point a[3], const grid_point b[3], grid_point shared[3])
{
    int count = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (grid_equal(a[i], b[k]))
                shared[count++] = a[i];
    return count;
}

/* Is p in both triangles and not on the shared vertex or edge? */
static inline bool grid_is_beyond(grid_fraction p, const grid_point a[3], const grid_point b[3],
                                  const grid_point shared[3], int count)
{
    return grid_contains(a, p) && grid_contains(b, p) &&
           (count == 0 || !grid_on_segment(p, shared[0], shared[count - 1]));
}

/* Does an edge of a reach a point beyond? */
static inline bool grid_edges_beyond(const grid_point a[3], const grid_point b[3], const grid_point shared[3],
                                     int count)
{
    const grid_point n = grid_normal(b);
    for (int i = 0; i < 3; ++i) {
        const grid_point v = a[i], w = a[(i + 1) % 3];
        const int64_t from = grid_dot(n, grid_sub(v, b[0])), to = grid_dot(n, grid_sub(w, b[0]));
        if (grid_is_beyond(grid_between(v, w, 0, 1), a, b, shared, count))
            return true;
        if (from != to && grid_is_beyond(grid_between(v, w, from, from - to), a, b, shared, count))
            return true;
        for (int k = 0; from == 0 && to == 0 && k < 3; ++k) { /* coplanar: edges v w and p q */
            const grid_point p = b[k], q = b[(k + 1) % 3], along = grid_cross(n, grid_sub(q, p));
            const int64_t v_side = grid_dot(along, grid_sub(v, p)), w_side = grid_dot(along, grid_sub(w, p));
            if (v_side != w_side && grid_is_beyond(grid_between(v, w, v_side, v_side - w_side), a, b, shared, count))
                return true;
        }
    }
    return false;
}

/* Do two triangles intersect beyond the vertices they share? */
static inline bool grid_intersect_beyond(const grid_point a[3], const grid_point b[3], int *shared_count)
{
    grid_point shared[3];
    *shared_count = grid_shared(a, b, shared);
    return *shared_count == 3 || grid_edges_beyond(a, b, shared, *shared_count) ||
           grid_edges_beyond(b, a, shared, *shared_count);
}

#endif
