/*
 * Whether a point is inside a closed surface of triangles, by counting how often a ray from it crosses the surface.
 * Exact for all finite doubles, also if the ray goes through a vertex or an edge.
 *
 * The caller owns the count, so that a tree visits only the triangles whose box the ray intersects:
 *
 *     parity_count count = {0};
 *     for each triangle t whose closed box the ray from p along the axis intersects:
 *         if (!tact_parity_add(&count, t, p, axis))
 *             return on the surface;
 *     inside = count.crossings % 2 != 0;
 *
 * The caller chooses the rule. Even-odd rule: `crossings` is odd inside. It fits closed surfaces without a consistent
 * orientation, where every edge is on an even number of triangles. Winding number: `winding` counts how often the
 * surface encloses the point, +1 for faces that are counter-clockwise from outside. It fits consistently oriented
 * surfaces. A point on a triangle counts as inside, and tact_parity_add reports it at once.
 */
#ifndef TACT_EXACT_PARITY_H
#define TACT_EXACT_PARITY_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/vec.h>

typedef struct parity_count {
    uint64_t crossings; /* number of triangles that the ray crosses */
    int64_t winding;    /* those with the normal along the ray, minus those with the normal against it */
} parity_count;

/* Counts the triangle if the ray from p along the axis (0 x, 1 y, 2 z; towards larger coordinates) crosses it. False if
 * p is on the closed triangle, with or without area: then p is on the surface, and the count is invalid. All
 * coordinates must be finite. The ray's origin is p moved aside by an infinitely small amount, the same for all
 * triangles. So it goes through no vertex and no edge, and crosses exactly one of two triangles at a shared edge. */
bool tact_parity_add(parity_count *count, const tact_vec3 t[3], tact_vec3 p, int axis);

#endif
