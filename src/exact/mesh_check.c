/*
 * Mesh validation: the defects of its topology (shape/topology.h) and its self-intersections.
 *
 * Guarantee: every count is exact for the vertices in local coordinates. The tree finds the pairs of triangles with
 * overlapping boxes. Vertices count as shared if their positions are equal.
 * Cost: O(n) plus the pairs with overlapping boxes; about 100 bytes of temporary memory for each triangle.
 */
#include <tact/mesh.h>

#include "exact/triangle.h"
#include "shape/compound.h"
#include "shape/topology.h"

typedef struct self_intersection_count {
    const mesh *mesh;
    size_t found;
} self_intersection_count;

static void triangle_vertices(const mesh *m, uint32_t triangle, tact_vec3 vertex[3])
{
    for (size_t k = 0; k < 3; k++)
        vertex[k] = m->vertices[m->indices[3 * (size_t)triangle + k]];
}

static bool count_pair(void *context, uint32_t i, uint32_t j)
{
    self_intersection_count *s = context;
    tact_vec3 a[3], b[3];
    triangle_vertices(s->mesh, i, a);
    triangle_vertices(s->mesh, j, b);
    const triangle_shared shared = tact_triangle_shared_by_position(a, b);
    s->found += tact_triangles_intersect_beyond_shared(a, b, &shared);
    return true;
}

tact_mesh_findings tact_mesh_check(const tact_shape *shape)
{
    tact_mesh_findings findings = {.status = TACT_BAD_ARGUMENT};
    if (shape == NULL || shape->type != TACT_MESH)
        return findings;
    const mesh *m = shape->mesh;
    findings.status =
        tact_topology_check(m->vertices, m->vertex_count, m->indices, m->element_count, &shape->allocator, &findings);
    if (findings.status != TACT_OK)
        return (tact_mesh_findings){.status = findings.status};
    self_intersection_count s = {m, 0};
    (void)tact_aabb_tree_self_pairs(&m->tree, count_pair, &s);
    findings.self_intersections = s.found;
    return findings;
}

tact_mesh_size tact_mesh_get_size(const tact_shape *shape)
{
    tact_mesh_size size = {0};
    if (shape == NULL || shape_is_convex(shape))
        return size;
    size.bytes = sizeof *shape;
    if (shape->mesh != NULL) {
        const mesh *m = shape->mesh;
        size.vertices = m->vertex_count;
        size.faces = m->face_count;
        size.triangles = m->first_index == NULL ? m->element_count : 0;
        size.bytes += shape->owner == NULL ? tact_mesh_byte_count(m)
                                           : 0; /* else the mesh belongs to another shape with another margin */
    } else {
        size.faces = shape->compound->part_count;
        size.bytes += shape->owner == NULL ? tact_compound_byte_count(shape->compound) : 0;
    }
    return size;
}
