/*
 * Self-intersections of a mesh: the pairs of its triangles that intersect beyond the vertices and edges they share, by
 * tact_triangles_intersect_beyond_shared. Vertices are shared if their positions are equal. Coordinates are local, so
 * the result does not depend on a transform. Margins are left out.
 */
#ifndef TACT_EXACT_SELF_INTERSECTION_H
#define TACT_EXACT_SELF_INTERSECTION_H

#include "shape/mesh.h"

/* Visits every such pair of triangles once, in the order of the tree. Exact. Returns false when `visit` did. Cost: the
 * pairs of triangles with overlapping boxes. No allocation. */
bool tact_mesh_self_intersections(const mesh *m, tree_visit_pair *visit, void *context);

/* Finds the first of them, with triangles[0] < triangles[1]; false: there is none. */
bool tact_mesh_find_self_intersection(const mesh *m, uint32_t triangles[2]);

#endif
