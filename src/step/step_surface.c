/* NURBS bodies in a step: see the header. */
#include "step/step_surface.h"

#include <string.h>

#include "core/memory.h"
#include "math/vec.h"
#include "shape/shape_data.h"

void tact_step_surface_release(step_surface *s)
{
    if (s == NULL)
        return;
    const tact_allocator allocator = s->tessellation.allocator;
    const uint32_t points = nurbs_point_count(s->tessellation.model);
    const size_t vertices = s->tessellation.vertices.count;
    tact_memory_free(&allocator, s->start, vertices, sizeof *s->start);
    tact_memory_free(&allocator, s->end, vertices, sizeof *s->end);
    tact_nurbs_division_release(&s->division, &allocator);
    tact_nurbs_tessellation_release(&s->tessellation);
    tact_memory_free(&allocator, s->end_points, points, sizeof *s->end_points);
    tact_shape_release(s->shape);
    tact_memory_free(&allocator, s, 1, sizeof *s);
}

/* From a to b; exactly one of them at the ends. */
static tact_vec3 between(tact_vec3 a, tact_vec3 b, double t) { return t == 1.0 ? b : vec_mul_add(a, t, vec_sub(b, a)); }

void tact_step_surface_points_at(const step_surface *s, double taken, tact_vec3 *points)
{
    for (uint32_t i = 0; i < nurbs_point_count(s->tessellation.model); ++i)
        points[i] = between(s->tessellation.points[i], s->end_points[i], taken);
}

/* Whether a step begins where the one before was left. */
static bool continues(const step_surface *before, const nurbs_model *model, const tact_vec3 *from)
{
    bool same = before != NULL && before->tessellation.model == model;
    for (uint32_t i = 0; same && i < nurbs_point_count(model); ++i)
        same = vec_equal(between(before->tessellation.points[i], before->end_points[i], before->taken), from[i]);
    return same;
}

/* Where a vertex of the step before was left. */
static tact_vec3 place_before(const step_surface *before, uint32_t vertex)
{
    return between(before->start[vertex], before->end[vertex], before->taken);
}

/* Sets the positions at the start from those of the step before. False: out of memory. */
static bool continue_positions(step_surface *s, const step_surface *before)
{
    const nurbs_tessellation *t = &s->tessellation;
    nurbs_origin *origins = tact_memory_allocate(&t->allocator, t->vertices.count, sizeof *origins);
    const bool fine = origins != NULL && tact_nurbs_find_origins(t, &before->tessellation, origins);
    for (size_t i = 0; fine && i < t->vertices.count; ++i) {
        const nurbs_origin *o = &origins[i];
        tact_vec3 at = {0.0, 0.0, 0.0};
        for (uint32_t k = 0; k < o->count; ++k)
            at = o->count == 1 ? place_before(before, o->vertex[0])
                               : vec_mul_add(at, o->weight[k], place_before(before, o->vertex[k]));
        if (o->count > 0)
            s->start[i] = at;
    }
    tact_memory_free(&t->allocator, origins, t->vertices.count, sizeof *origins);
    return fine;
}

tact_status tact_step_surface_make(step_surface **made, const step_surface *before, tact_shape *shape,
                                   const nurbs_model *model, const tact_vec3 *from, const tact_vec3 *to,
                                   uint64_t edition)
{
    const tact_allocator *allocator = &model->allocator;
    const uint32_t count = nurbs_point_count(model);
    const bool goes_on = continues(before, model, from);
    tact_report report = {.status = TACT_OUT_OF_MEMORY};
    *made = NULL;
    step_surface *s = tact_memory_allocate(allocator, 1, sizeof *s);
    tact_vec3 *end_points = tact_memory_allocate(allocator, count, sizeof *end_points);
    if (s != NULL && end_points != NULL) {
        memcpy(end_points, to, count * sizeof *end_points);
        *s = (step_surface){.end_points = end_points, .edition = edition};
    }
    if (s == NULL || end_points == NULL ||
        !tact_nurbs_tessellation_init_regular(&s->tessellation, model, from, end_points,
                                              goes_on ? &before->division : NULL, &report)) {
        tact_memory_free(allocator, end_points, count, sizeof *end_points);
        tact_memory_free(allocator, s, 1, sizeof *s);
        return report.status;
    }
    nurbs_tessellation *t = &s->tessellation;
    s->shape = tact_shape_retain(shape);
    s->start = tact_memory_allocate(allocator, t->vertices.count, sizeof *s->start);
    s->end = tact_memory_allocate(allocator, t->vertices.count, sizeof *s->end);
    bool fine = s->start != NULL && s->end != NULL && tact_nurbs_division_make(&s->division, t);
    if (fine) {
        memcpy(s->start, t->positions, t->vertices.count * sizeof *s->start);
        tact_nurbs_tessellation_place(t, end_points, s->end);
        fine = !goes_on || continue_positions(s, before);
    }
    if (!fine) {
        tact_step_surface_release(s);
        return TACT_OUT_OF_MEMORY;
    }
    if (goes_on && tact_nurbs_same_cells(t, &before->tessellation))
        s->edition = before->edition;
    *made = s;
    return TACT_OK;
}
