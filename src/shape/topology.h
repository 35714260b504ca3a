/*
 * Topology check of a triangle mesh: open, non-manifold, inconsistently oriented, duplicate and unused elements.
 *
 * Vertices at the same position count as one, whatever their indices: a seam of doubled vertices is not a hole.
 * Triangles with two equal vertices have no area and take no part in edges and fans. All counts are exact. Cost: O(n),
 * about 100 bytes of temporary memory per triangle.
 */
#ifndef TACT_SHAPE_TOPOLOGY_H
#define TACT_SHAPE_TOPOLOGY_H

#include <tact/mesh.h>

/* Fills in all of `findings` except self_intersections, which is left unchanged. `indices` has three entries a
 * triangle, each below `vertex_count`. */
tact_status tact_topology_check(const tact_vec3 *vertices, uint32_t vertex_count, const uint32_t *indices,
                                uint32_t triangle_count, const tact_allocator *allocator, tact_mesh_findings *findings);

#endif
