/* The triangles with which a shape is drawn. */
#ifndef TACT_TOOL_RENDER_MESH_H
#define TACT_TOOL_RENDER_MESH_H

#include <stdbool.h>
#include <tact/shape.h>

#include "byte_buffer.h"

/* Zero-initialised it is empty. */
typedef struct render_mesh {
    byte_buffer positions; /* three f32 a vertex */
    byte_buffer indices;   /* three u32 a triangle, counter-clockwise seen from outside */
    byte_buffer leaves;    /* u32 a triangle: the leaf of a compound, as in tact_part; else 0 */
    byte_buffer faces;     /* u32 a triangle: the face of a mesh, the part of a soup, as in tact_part; else 0 */
    uint32_t vertex_count, triangle_count;
} render_mesh;

/* Appends the triangles of a shape. A mesh has its own, without its margin; a NURBS shape those of its tessellation. A
 * convex shape with flat faces has these. A round one is approximated by the hull of 162 of its points. A half-space,
 * a point and a segment have no triangles; points and segments have vertices. False: out of memory, or there are too
 * many vertices. */
bool tact_render_mesh_add(render_mesh *out, const tact_shape *shape);

/* Appends a vertex, and a triangle with leaf 0. */
void tact_render_mesh_add_vertex(render_mesh *out, tact_vec3 position);
void tact_render_mesh_add_triangle(render_mesh *out, const uint32_t vertices[3], uint32_t leaf, uint32_t face);

bool tact_render_mesh_failed(const render_mesh *out);
void tact_render_mesh_release(render_mesh *out);

#endif
