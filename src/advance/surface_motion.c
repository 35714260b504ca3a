/* Windows of moving control points: see the header. */
#include "advance/surface_motion.h"

#include "advance/advance.h"
#include "advance/vertex_motion.h"
#include "core/memory.h"

void tact_surface_window_free(surface_window *w)
{
    if (w == NULL)
        return;
    const tact_allocator allocator = w->tessellation.allocator;
    const uint32_t count = nurbs_point_count(w->tessellation.model);
    tact_memory_free(&allocator, w->end_positions, w->tessellation.vertices.count, sizeof *w->end_positions);
    tact_nurbs_tessellation_release(&w->tessellation);
    tact_memory_free(&allocator, w->end_points, count, sizeof *w->end_points);
    tact_shape_release(w->shape);
    tact_memory_free(&allocator, w, 1, sizeof *w);
}

/* The control points at both ends of a window. Returns how far they are from their exact paths at most, in each
 * coordinate: at all times, as both are linear. */
static double place_points(const vertex_plan *plan, double begin, double end, tact_vec3 *start, tact_vec3 *target)
{
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, begin);
    double error = 0.0;
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const linear_path path = tact_vertex_plan_path(&pieces, i, NULL);
        start[i] = linear_path_at(&path, begin);
        target[i] = linear_path_at(&path, end);
        error = max_double(error, linear_path_error(&path, begin, end));
    }
    return error;
}

tact_status tact_surface_window_begin(tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    body_motion_cold *cold = &world->advance->cold.items[index];
    const tact_shape *shape = world->bodies.items[index].shape;
    const nurbs_model *model = world->cold.items[index].deform->nurbs->model;
    const tact_allocator *allocator = &model->allocator;
    const uint32_t count = nurbs_point_count(model);
    const double begin = ad->time, end = cold->rotation_expiry;
    surface_window *w = tact_memory_allocate(allocator, 1, sizeof *w);
    tact_vec3 *start = tact_memory_allocate(allocator, count, sizeof *start),
              *target = tact_memory_allocate(allocator, count, sizeof *target);
    tact_report report = {.status = TACT_OUT_OF_MEMORY};
    bool made = false;
    if (w != NULL && start != NULL && target != NULL) {
        const double error = place_points(cold->vertices, begin, end < INFINITY ? end : begin, start, target);
        *w = (surface_window){.begin = begin, .end = end, .end_points = target};
        if (tact_nurbs_tessellation_init_moving(&w->tessellation, model, start, target, 1, &report)) {
            const size_t vertices = w->tessellation.vertices.count;
            w->end_positions = tact_memory_allocate(allocator, vertices, sizeof *w->end_positions);
            made = w->end_positions != NULL;
            if (made)
                tact_nurbs_tessellation_place(&w->tessellation, target, w->end_positions);
            else
                tact_nurbs_tessellation_release(&w->tessellation);
            report.status = TACT_OUT_OF_MEMORY;
            w->reach = shape->margin + (w->tessellation.error + 2.0 * error) * (1.0 + SURFACE_ERROR_SLACK);
        }
    }
    tact_memory_free(allocator, start, count, sizeof *start);
    if (!made) {
        tact_memory_free(allocator, target, count, sizeof *target);
        tact_memory_free(allocator, w, 1, sizeof *w);
        return report.status;
    }
    w->shape = tact_shape_retain(world->cold.items[index].deform->original);
    tact_surface_window_free(cold->surface);
    cold->surface = w;
    const tact_vec3 reach = {w->reach, w->reach, w->reach};
    cold->extent_min = vec_sub(cold->extent_min, reach);
    cold->extent_max = vec_add(cold->extent_max, reach);
    return TACT_OK;
}
