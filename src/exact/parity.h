/*
 * Is a point inside a closed surface of triangles? By counting how often a ray from it crosses the surface: exactly,
 * for all finite doubles, whatever corner or edge the ray passes through.
 *
 * The count is kept by the caller, so that a tree need only visit the triangles whose box the ray meets:
 *
 *     parity_count count = {0};
 *     for each triangle t whose box, closed, meets the ray:    (parity_may_intersect says which boxes do)
 *         if (!tact_parity_add(&count, t, p, axis))
 *             return on the surface;
 *     inside = count.crossings % 2 != 0;
 *
 * Which rule to use is the caller's: `crossings` odd is inside by parity, for closed surfaces whose faces need not
 * agree on an orientation (every edge is on an even number of triangles); `winding` is how often the surface goes
 * around the point, counter-clockwise seen from outside counting +1 (for surfaces that agree). Points on a triangle are
 * inside: they are told at once.
 */
#ifndef TACT_EXACT_PARITY_H
#define TACT_EXACT_PARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bounds/box.h"

typedef struct parity_count {
    uint64_t crossings; /* how many triangles the ray crosses */
    int64_t winding;    /* those it leaves by (normal along the ray) less those it enters by */
} parity_count;

/* Counts the triangle if the ray from p in the direction of the axis (0 x, 1 y, 2 z; towards larger coordinates)
 * crosses it. False if p is on the triangle (closed, with or without area): it is on the surface, and the count is
 * no longer of use. All coordinates are finite. The ray is that from a point that lies beside p by infinitely
 * little, the same for all triangles: it goes through no corner and no edge, so that neighbours share each crossing
 * as they share their edge. */
bool tact_parity_add(parity_count *count, const tact_vec3 t[3], tact_vec3 p, int axis);

/* May the ray cross, or p be on, what is in the box? */
static inline bool parity_may_intersect(const box *b, tact_vec3 p, int axis)
{
    const double at[3] = {p.x, p.y, p.z};
    int u = axis < 2 ? axis + 1 : 0, v = axis > 0 ? axis - 1 : 2;
    return ((double)b->min[u] <= at[u]) & (at[u] <= (double)b->max[u]) & ((double)b->min[v] <= at[v]) &
           (at[v] <= (double)b->max[v]) & (at[axis] <= (double)b->max[axis]);
}

/* Where a point is. */
typedef enum parity_location { PARITY_OUTSIDE, PARITY_ON, PARITY_INSIDE } parity_location;

/* The same for a whole mesh, without a tree: the corners of triangle i are vertices[triangles[3 i]] and the next
 * two. By parity. Linear in the number of triangles. */
parity_location tact_parity_of_mesh(const tact_vec3 *vertices, const uint32_t *triangles, size_t triangle_count,
                                    tact_vec3 p);

#endif
