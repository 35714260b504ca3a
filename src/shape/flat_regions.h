/*
 * Flat regions of a mesh: sets of triangles that are connected across edges, lie in the plane of the first of them up
 * to rounding (FLAT_TOLERANCE), and face the same way. A triangle is *interior* to its region if all its three
 * neighbours belong to it. Along such a triangle the surface is a plane: queries may treat all interior triangles of a
 * region as one face, however many there are.
 */
#ifndef TACT_SHAPE_FLAT_REGIONS_H
#define TACT_SHAPE_FLAT_REGIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/allocator.h>
#include <tact/transform.h>

#define FLAT_NONE UINT32_MAX

struct mesh;

typedef struct flat_regions {
    uint32_t *of_triangle; /* the region of an interior triangle, else FLAT_NONE; a region has the number of its first
                              triangle, interior or not. NULL: no triangle is interior */
    uint32_t *of_node; /* of a node of the tree: the region to which all triangles below are interior, or FLAT_NONE */
    uint32_t triangle_count; /* entries */
    uint32_t node_count;
    const tact_vec3 *points; /* the vertices: other ones make them invalid */
} flat_regions;

/* Finds the flat regions of a mesh that has a tree. False: out of memory, and there are none. O(n), some 0.1
 * microseconds a triangle. */
bool tact_flat_regions_find(flat_regions *r, const struct mesh *m, const tact_allocator *allocator);

void tact_flat_regions_release(flat_regions *r, const tact_allocator *allocator);

#endif
