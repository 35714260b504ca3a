/*
 * How the triangles of a mesh hang together: what is open, shared by too many, turned the wrong way, doubled or unused.
 *
 * Vertices at the same place count as one, whatever their numbers: a seam where vertices were doubled for rendering is
 * not a hole. Triangles with two corners in one vertex have no area and no part in edges and fans. All counts are
 * exact. Cost: O(n), about 100 bytes of scratch a triangle.
 */
#ifndef TACT_SHAPE_TOPOLOGY_H
#define TACT_SHAPE_TOPOLOGY_H

#include <tact/mesh.h>

/* Fills in all of `findings` but self_intersections, which is left as it is. `corners` has three entries a triangle,
 * each below `vertex_count`. */
tact_status tact_topology_check(const tact_vec3 *vertices, uint32_t vertex_count, const uint32_t *corners,
                                uint32_t triangle_count, const tact_allocator *allocator, tact_mesh_findings *findings);

#endif
