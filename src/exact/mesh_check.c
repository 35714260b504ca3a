/*
 * What is odd about a mesh: how its triangles hang together (shape/topology.h), and where they meet beyond that.
 *
 * Guarantee: every count is exact, for the vertices as they are, without any placement. Pairs of triangles come from
 * the tree, and what two share is told by the places of their corners. Cost: O(n) and about 100 bytes of scratch a
 * triangle, besides the pairs whose boxes overlap.
 */
#include <tact/mesh.h>

#include "exact/triangle.h"
#include "shape/compound.h"
#include "shape/topology.h"

typedef struct self_search {
    const mesh *mesh;
    size_t found;
} self_search;

static void corners_of(const mesh *m, uint32_t triangle, tact_vec3 corner[3])
{
    for (size_t k = 0; k < 3; k++)
        corner[k] = m->vertices[m->indices[3 * (size_t)triangle + k]];
}

static bool look_at_pair(void *context, uint32_t i, uint32_t j)
{
    self_search *s = context;
    tact_vec3 a[3], b[3];
    corners_of(s->mesh, i, a);
    corners_of(s->mesh, j, b);
    const triangle_shared share = tact_triangle_shared_by_position(a, b);
    s->found += tact_triangles_intersect_beyond_shared(a, b, &share);
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
    self_search s = {m, 0};
    (void)tact_aabb_tree_self_pairs(&m->tree, look_at_pair, &s);
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
        size.bytes +=
            shape->owner == NULL ? tact_mesh_byte_count(m) : 0; /* else that of another, with another margin */
    } else {
        size.faces = shape->compound->part_count;
        size.bytes += shape->owner == NULL ? tact_compound_byte_count(shape->compound) : 0;
    }
    return size;
}
