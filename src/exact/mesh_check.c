/*
 * Mesh validation: the defects of its topology (shape/topology.h) and its self-intersections
 * (exact/self_intersection.h).
 *
 * Guarantee: every count is exact for the vertices in local coordinates.
 * Cost: O(n) plus the pairs with overlapping boxes; about 100 bytes of temporary memory for each triangle.
 */
#include <tact/mesh.h>

#include "core/work.h"
#include "exact/self_intersection.h"
#include "nurbs/nurbs_shape.h"
#include "shape/compound.h"
#include "shape/topology.h"

static bool count_pair(void *context, uint32_t i, uint32_t j)
{
    (void)i, (void)j;
    ++*(size_t *)context;
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
    work_meter *const work = tact_work_enter(NULL); /* it is no query: it is neither counted nor cancelled */
    (void)tact_mesh_self_intersections(m, count_pair, &findings.self_intersections);
    (void)tact_work_enter(work);
    return findings;
}

tact_mesh_size tact_mesh_get_size(const tact_shape *shape)
{
    tact_mesh_size size = {0};
    if (shape == NULL || shape_is_convex(shape) || shape_is_halfspace(shape))
        return size;
    size.bytes = sizeof *shape;
    if (shape->mesh != NULL) {
        const mesh *m = shape->mesh;
        size.vertices = m->vertex_count;
        size.faces = m->face_count;
        size.triangles = m->first_index == NULL ? m->element_count : 0;
        size.bytes += shape->owner == NULL ? tact_mesh_byte_count(m)
                                           : 0; /* else the mesh belongs to another shape with another margin */
        if (shape->nurbs != NULL && shape->owner == NULL)
            size.bytes += tact_nurbs_geometry_byte_count(shape->nurbs);
    } else {
        size.faces = shape->compound->part_count;
        size.bytes += shape->owner == NULL ? tact_compound_byte_count(shape->compound) : 0;
    }
    return size;
}
