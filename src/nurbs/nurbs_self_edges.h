/*
 * Self-collision beside edges that surfaces share (nurbs/nurbs_edges.h): triangles of both surfaces touch there, but
 * are neighbours, as adjacent triangles of a mesh are.
 *
 * A *side* is an edge of triangles on a joined edge. A triangle is *near* a side if steps from triangle to triangle
 * lead to it from the ends of the side: across vertices or edges that are at most `reach` from the side. So triangles
 * around corners of edges are near, but those of a fold that comes back to the edge are not. Two points of triangles
 * are neighbours if both triangles are near a side, and both points are at most `reach` from it. Then a path from one
 * to the other, to the side, along it and back, is at most NURBS_SELF_NEIGHBOUR tolerances (or errors of the
 * tessellation, if they are larger) long: the limit that points of one surface and feature events have, too.
 *
 * Guarantee, for triangles that are at most `distance` apart: a contact of points that no path of this length joins is
 * found. If one is found, there are points of both triangles, at most `distance` apart, the first of which is at least
 * 3/4 of `reach` - `distance` from all sides that both triangles are near to; except for NURBS_SELF_BUDGET pieces.
 */
#ifndef TACT_NURBS_NURBS_SELF_EDGES_H
#define TACT_NURBS_NURBS_SELF_EDGES_H

#include "nurbs/nurbs_bounds.h"
#include "nurbs/nurbs_edge_join.h"

ARRAY_OF(nurbs_key_array, uint64_t);
ARRAY_OF(nurbs_index_array, uint32_t);

typedef struct nurbs_self_edges {
    nurbs_index_array first, triangles; /* per vertex: those that have it */
    nurbs_key_array near;               /* triangle << 32 | side (nurbs_edge_join.sides), ascending */
    nurbs_key_array scratch;
    nurbs_index_array visited, queue; /* visited: per triangle, the last side that it was found near to, plus 1 */
    uint32_t version, cells_version;  /* of the bounds when it was computed */
} nurbs_self_edges;

void tact_nurbs_self_edges_release(nurbs_self_edges *e, const tact_allocator *allocator);

/* Finds the triangles near sides, if bounds have changed. Returns false if memory runs out; the next one succeeds if
 * there is memory. Cost: some 10 ns per triangle if cells have changed, and some microseconds per side. */
bool tact_nurbs_self_edges_update(nurbs_self_edges *e, const nurbs_bounds *bounds);

/* May two leaves that are not adjacent touch in points that are no neighbours across edges? */
bool tact_nurbs_leaves_touch_beyond_edges(const nurbs_self_edges *e, const nurbs_bounds *bounds, uint32_t a,
                                          uint32_t b);

#endif
