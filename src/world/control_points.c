/* Control points of deformable NURBS bodies (tact/nurbs.h). */
#include <string.h>
#include <tact/nurbs.h>

#include "core/number.h"
#include "kinetic/vertex_plan.h"
#include "math/vec.h"
#include "world/deform.h"
#include "world/world_internal.h"

/* The geometry of a NURBS body; NULL if it is none. */
static const nurbs_geometry *geometry_of(const tact_world *world, tact_body body)
{
    const world_body *hot = body_find(world, body);
    return hot != NULL ? hot->shape->nurbs : NULL;
}

/* The vertices of the patches that the last move changed. */
static size_t changed_ranges(const nurbs_tessellation *t, vertex_range *ranges)
{
    size_t count = 0;
    for (int k = 0; k < 2; ++k) {
        const uint32_t *first = k == 0 ? t->first_vertex : t->first_centre;
        for (uint32_t i = 0; i < t->model->patch_count; ++i)
            if (t->changed[i] && first[i] < first[i + 1])
                tact_vertex_ranges_add(ranges, &count, (vertex_range){first[i], first[i + 1]});
    }
    for (uint32_t i = t->first_centre[t->model->patch_count]; i < t->vertices.count; ++i) /* beside edges */
        if (t->changed[t->vertices.items[i].patch])
            tact_vertex_ranges_add(ranges, &count, (vertex_range){i, i + 1});
    return count;
}

/* The cells change: makes a new tessellation. */
static tact_status replace(tact_world *world, uint32_t index, uint32_t first, uint32_t count, const tact_vec3 *points)
{
    tact_report report;
    const deform *d = world->cold.items[index].deform;
    nurbs_geometry *moved = tact_nurbs_geometry_copy(d->nurbs, first, count, points, &report);
    if (moved == NULL)
        return report.status;
    const tact_status status = tact_deform_replace_surface(world, index, moved);
    if (status != TACT_OK)
        tact_nurbs_geometry_free(moved);
    return status;
}

/* Sets control points, which have been checked, and the mesh and the broad phase. `tree` as in CALL_DEFORM. */
static tact_status set_points(tact_world *world, uint32_t index, uint32_t first, uint32_t count,
                              const tact_vec3 *points, tact_status *tree)
{
    world_body *hot = &world->bodies.items[index];
    const deform *d = world->cold.items[index].deform;
    tact_report report;
    tact_status status = TACT_OK;
    vertex_range ranges[DEFORM_MAX_RANGES];
    switch (tact_nurbs_geometry_try_move(d->nurbs, first, count, points, &report)) {
    case NURBS_MOVE_FAILED:
        return report.status;
    case NURBS_MOVE_CELLS:
        status = replace(world, index, first, count, points);
        break;
    case NURBS_MOVE_POSITIONS:
        tact_deform_update_surface(world, index, ranges, changed_ranges(&d->nurbs->tessellation, ranges), tree);
        break;
    }
    if (status != TACT_OK)
        return status;
    box box_out;
    status = tact_deform_box(hot, hot->shape, &world->cold.items[index].bounding_radius, &box_out);
    if (status == TACT_OK) /* cannot fail: tact_deform_max_coordinate */
        status = tact_body_move_proxy(world, index, &box_out);
    return status;
}

static bool are_valid(const world_body *hot, const tact_vec3 *points, size_t count)
{
    const double largest = number_min(tact_deform_max_coordinate(hot), NURBS_MAX_COORDINATE);
    for (size_t i = 0; i < count; ++i)
        if (!(vec_finite(points[i]) && vec_max_abs(points[i]) <= largest))
            return false;
    return true;
}

tact_status tact_deform_sync_surface(tact_world *world, uint32_t index, const tact_vec3 *points)
{
    const uint32_t count = nurbs_point_count(world->cold.items[index].deform->nurbs->model);
    tact_status tree = TACT_OK;
    return are_valid(&world->bodies.items[index], points, count) ? set_points(world, index, 0, count, points, &tree)
                                                                 : TACT_BAD_ARGUMENT;
}

/* Sets control points of a body whose others move: they are where they are now. */
static tact_status set_points_among_moving(tact_world *world, tact_body body, size_t first, size_t count,
                                           const tact_vec3 *points, tact_status *tree)
{
    const uint32_t total = nurbs_point_count(world->cold.items[body.index].deform->nurbs->model);
    tact_vec3 *all = tact_memory_allocate(&world->allocator, total, sizeof *all);
    tact_status status = TACT_OUT_OF_MEMORY;
    if (all != NULL) {
        (void)tact_body_get_control_points(world, body, all, total);
        if (count > 0)
            memcpy(all + first, points, count * sizeof *all);
        status = are_valid(&world->bodies.items[body.index], all, total)
                     ? set_points(world, body.index, 0, total, all, tree)
                     : TACT_BAD_ARGUMENT;
    }
    tact_memory_free(&world->allocator, all, total, sizeof *all);
    return status;
}

tact_status tact_body_move_control_points(tact_world *world, tact_body body, size_t first, size_t count,
                                          const tact_vec3 *points)
{
    world_body *hot = body_find(world, body);
    world_body_cold *cold = hot != NULL ? &world->cold.items[body.index] : NULL;
    if (cold == NULL || cold->deform == NULL || cold->deform->nurbs == NULL || (count > 0 && points == NULL))
        return TACT_BAD_ARGUMENT;
    const size_t total = nurbs_point_count(cold->deform->nurbs->model);
    if (first > total || count > total - first || !are_valid(hot, points, count))
        return TACT_BAD_ARGUMENT;
    tact_extensions_before_body_change(world, body.index);
    if (cold->vertex_plan != NULL && !tact_vertex_plan_reserve_paths(cold->vertex_plan, &world->allocator))
        return TACT_OUT_OF_MEMORY;
    tact_status tree = TACT_OK, status = TACT_OK;
    if (cold->vertex_plan == NULL)
        status = set_points(world, body.index, (uint32_t)first, (uint32_t)count, points, &tree);
    else
        status = set_points_among_moving(world, body, first, count, points, &tree);
    if (status != TACT_OK)
        return status;
    for (size_t i = 0; cold->vertex_plan != NULL && i < count; ++i) { /* they jump, and rest */
        const double now = tact_world_get_time(world);
        const linear_path rest = linear_path_at_rest(points[i], now);
        tact_vertex_plan_set_path(cold->vertex_plan, (uint32_t)(first + i), &rest, INFINITY, now);
    }
    tact_body_set_moved(world, body.index, BODY_CHANGE_OTHER);
    WORLD_NOTIFY(world, .type = CALL_MOVE_CONTROL_POINTS, .status = tree, .body = body, .positions = points,
                 .first = (uint32_t)first, .count = count);
    return status;
}

size_t tact_body_get_control_points(const tact_world *world, tact_body body, tact_vec3 *points, size_t capacity)
{
    const nurbs_geometry *g = geometry_of(world, body);
    if (g == NULL)
        return 0;
    const size_t count = nurbs_point_count(g->model), wanted = count < capacity ? count : capacity;
    const vertex_plan *plan = world->cold.items[body.index].vertex_plan;
    if (points != NULL && plan == NULL)
        memcpy(points, g->tessellation.points, wanted * sizeof *points);
    if (points == NULL || plan == NULL)
        return count;
    const double now = tact_world_get_time(world);
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, now);
    for (size_t i = 0; i < wanted; ++i) {
        const linear_path path = tact_vertex_plan_path(&pieces, (uint32_t)i, NULL);
        points[i] = linear_path_at(&path, now);
    }
    return count;
}
