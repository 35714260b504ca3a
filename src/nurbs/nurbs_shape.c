#include "nurbs/nurbs_shape.h"

#include <string.h>

#include "core/report.h"
#include "shape/mesh.h"

static void *out_of_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
    return NULL;
}

/* ---- geometry ---- */

nurbs_geometry *tact_nurbs_geometry_copy(const nurbs_geometry *from, uint32_t first, uint32_t count,
                                         const tact_vec3 *moved, tact_report *report)
{
    const tact_allocator *allocator = &from->model->allocator;
    nurbs_geometry *g = tact_memory_allocate(allocator, 1, sizeof *g);
    if (g == NULL)
        return out_of_memory(report);
    *g = (nurbs_geometry){.model = from->model};
    if (tact_nurbs_tessellation_init_moved(&g->tessellation, &from->tessellation, first, count, moved, report))
        return g;
    tact_memory_free(allocator, g, 1, sizeof *g);
    return NULL;
}

void tact_nurbs_geometry_free(nurbs_geometry *g)
{
    if (g == NULL)
        return;
    const tact_allocator allocator = g->model->allocator;
    tact_nurbs_tessellation_release(&g->tessellation);
    if (g->owns_model)
        tact_nurbs_model_free(g->model);
    tact_memory_free(&allocator, g, 1, sizeof *g);
}

size_t tact_nurbs_geometry_byte_count(const nurbs_geometry *g)
{
    return sizeof *g + tact_nurbs_tessellation_byte_count(&g->tessellation) +
           (g->owns_model ? tact_nurbs_model_byte_count(g->model) : 0);
}

static nurbs_geometry *create_geometry(const tact_nurbs_def *defs, size_t count, tact_report *report)
{
    const tact_allocator *allocator = &defs[0].allocator;
    nurbs_model *model = tact_nurbs_model_create(defs, count, allocator, report);
    if (model == NULL)
        return NULL;
    nurbs_geometry *g = tact_memory_allocate(allocator, 1, sizeof *g);
    tact_vec3 *points = tact_memory_allocate(allocator, nurbs_point_count(model), sizeof *points);
    bool fine = g != NULL && points != NULL;
    if (fine) {
        for (size_t i = 0; i < count; i++)
            memcpy(points + model->first_point[i], defs[i].points,
                   (model->first_point[i + 1] - model->first_point[i]) * sizeof *points);
        *g = (nurbs_geometry){.model = model, .owns_model = true};
        fine = tact_nurbs_tessellation_init(&g->tessellation, model, points, report);
    } else {
        (void)out_of_memory(report);
    }
    tact_memory_free(allocator, points, nurbs_point_count(model), sizeof *points);
    if (fine)
        return g;
    tact_memory_free(allocator, g, 1, sizeof *g);
    tact_nurbs_model_free(model);
    return NULL;
}

/* ---- shapes ---- */

tact_shape *tact_nurbs_mesh_create(const nurbs_geometry *geometry, bool solid, double margin,
                                   const tact_allocator *allocator, tact_report *report)
{
    const nurbs_tessellation *t = &geometry->tessellation;
    const size_t count = 3 * t->triangles.count;
    if (count == 0) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the surfaces are points: they have no triangles");
        return NULL;
    }
    uint32_t *indices = tact_memory_allocate(allocator, count, sizeof *indices);
    if (indices == NULL)
        return out_of_memory(report);
    for (size_t i = 0; i < t->triangles.count; i++)
        memcpy(indices + 3 * i, t->triangles.items[i].vertex, 3 * sizeof *indices);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){t->positions, t->vertices.count, sizeof *t->positions, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = count;
    def.solid = solid;
    def.margin = margin;
    def.allocator = *allocator;
    tact_shape *shape = tact_mesh_create(&def, report);
    tact_memory_free(allocator, indices, count, sizeof *indices);
    if (shape != NULL)
        shape->surface_error = t->error;
    return shape;
}

tact_shape *tact_nurbs_create(const tact_nurbs_def *defs, size_t count, tact_report *report)
{
    tact_report own;
    report = report != NULL ? report : &own;
    if (defs == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the def is NULL");
        return NULL;
    }
    nurbs_geometry *g = count > 0 ? create_geometry(defs, count, report) : NULL;
    if (count == 0)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "there is no surface");
    if (g == NULL)
        return NULL;
    tact_shape *shape = tact_nurbs_mesh_create(g, defs[0].solid, defs[0].margin, &defs[0].allocator, report);
    if (shape == NULL) {
        tact_nurbs_geometry_free(g);
        return NULL;
    }
    shape->nurbs = g;
    shape->free_nurbs = tact_nurbs_geometry_free;
    shape->shape_class = SHAPE_CLASS_NURBS;
    return shape;
}

tact_shape *tact_nurbs(const tact_nurbs_def *def) { return tact_nurbs_create(def, 1, NULL); }

/* ---- queries ---- */

size_t tact_nurbs_get_surface_count(const tact_shape *shape)
{
    return shape != NULL && shape->nurbs != NULL ? shape->nurbs->model->surface_count : 0;
}

tact_status tact_nurbs_get_surface(const tact_shape *shape, size_t index, tact_nurbs_def *def)
{
    if (def == NULL || index >= tact_nurbs_get_surface_count(shape))
        return TACT_BAD_ARGUMENT;
    const nurbs_geometry *g = shape->nurbs;
    const nurbs_surface *s = &g->model->surfaces[index];
    const nurbs_trim *trim = g->model->trims[index];
    *def = (tact_nurbs_def){.degree = {s->degree[0], s->degree[1]},
                            .counts = {s->counts[0], s->counts[1]},
                            .knots = {s->knots[0], s->knots[1]},
                            .points = g->tessellation.points + g->model->first_point[index],
                            .weights = s->weights,
                            .trims = trim != NULL ? trim->loops : NULL,
                            .trim_count = trim != NULL ? trim->loop_count : 0,
                            .tolerance = g->model->tolerances[index].surface,
                            .solid = shape->mesh->solid,
                            .margin = shape->margin,
                            .allocator = shape->allocator};
    return TACT_OK;
}

double tact_nurbs_get_error(const tact_shape *shape)
{
    return shape != NULL && shape->nurbs != NULL ? shape->surface_error : 0.0;
}
