/*
 * Edges of trimmed surfaces: the tessellation gets one polyline for each edge that two surfaces share, so that it has
 * no cracks there.
 *
 * An edge names a curve of each of two surfaces (tact_nurbs_edge). The boundary of the triangles of one surface is a
 * set of closed polylines. The ends of curves divide them into *arcs*, and each curve has one arc. Which one is found
 * in the parameter plane, so it is the same wherever the control points are; the first tessellation of a model checks
 * that the ends also agree in space. The vertices of both arcs of an edge are merged in their order along it: the
 * triangles beside one arc are divided at the vertices of the other. Vertices at the ends, and vertices closer than
 * NURBS_EDGE_SNAP, become one. No vertex is new, and none moves; but the triangles of a surface get vertices of other
 * surfaces.
 *
 * The error: the divided triangles are the image of the original ones under a piecewise linear map, which moves each of
 * its vertices by a known distance: that of two vertices that become one, or that of a vertex from the place on the
 * side of the triangle where it is inserted. The largest one, `edge_gap`, bounds how far any point moves, so it is
 * added to the error of the tessellation. It is a convex function of the control points while the places are constant,
 * so that of a linear motion is the largest at key frames.
 *
 * Consequence: if every edge has as many triangles in one direction as in the other, the triangles enclose a volume.
 * The map from the surfaces to the triangles moves no point by more than the error. So a point that is farther than the
 * error from the surfaces is enclosed by both or by none (the winding number is constant during the homotopy).
 *
 * Cost: O(n log n) in the number of triangles of the surfaces that have edges. What was joined is kept for moves
 * (nurbs/nurbs_edge_join.h).
 */
#ifndef TACT_NURBS_NURBS_EDGES_H
#define TACT_NURBS_NURBS_EDGES_H

#include "nurbs/nurbs_edge_curves.h"

/* Joins the triangles along all edges of the model, and sets `edge_gap`, `widest_edge` and `widest_at`. The vertices
 * and triangles are complete, positions are not needed. Those of a regular tessellation stay apart: they depend on its
 * cells alone. Vertices may be unused afterwards. On failure returns false and fills `report` (not NULL); the triangles
 * may then be half joined. */
bool tact_nurbs_join_edges(nurbs_tessellation *t, tact_report *report);

/* Prepares the triangles of all surfaces that edges name. Where curves end on a side of the domain, they get a vertex
 * if there is none: both curves may run along the side. Edges of triangles between two vertices of the boundary are
 * divided at their middles; then triangles of two surfaces have no common edge besides those of the boundary, where
 * they are joined. The new vertices are points of the surface between both, so cells keep their errors. In
 * nurbs_chords.c. False: out of memory. */
bool tact_nurbs_split_chords(nurbs_tessellation *t);

/* Counts the edges that do not have as many triangles in one direction as in the other: one each, or two where solids
 * touch, or where rounding leaves two triangles with the same vertices in opposite order. `vertex` becomes the first
 * vertex of such an edge. False: out of memory. */
bool tact_nurbs_count_open_edges(const nurbs_tessellation *t, size_t *count, uint32_t *vertex);

#endif
