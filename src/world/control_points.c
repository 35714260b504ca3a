/* Control points of deformable NURBS bodies (tact/nurbs.h). */
#include <string.h>
#include <tact/nurbs.h>

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

tact_status tact_body_move_control_points(tact_world *world, tact_body body, size_t first, size_t count,
                                          const tact_vec3 *points)
{
    world_body *hot = body_find(world, body);
    const deform *d = hot != NULL ? world->cold.items[body.index].deform : NULL;
    if (d == NULL || d->nurbs == NULL || (count > 0 && points == NULL))
        return TACT_BAD_ARGUMENT;
    const size_t total = nurbs_point_count(d->nurbs->model);
    if (first > total || count > total - first)
        return TACT_BAD_ARGUMENT;
    const double largest = fmin(tact_deform_max_coordinate(hot), NURBS_MAX_COORDINATE);
    for (size_t i = 0; i < count; ++i)
        if (!(vec_finite(points[i]) && vec_max_abs(points[i]) <= largest))
            return TACT_BAD_ARGUMENT;
    tact_extensions_before_body_change(world, body.index);
    tact_report report;
    tact_status status = TACT_OK, tree = TACT_OK;
    vertex_range ranges[DEFORM_MAX_RANGES];
    switch (tact_nurbs_geometry_try_move(d->nurbs, (uint32_t)first, (uint32_t)count, points, &report)) {
    case NURBS_MOVE_FAILED:
        return report.status;
    case NURBS_MOVE_CELLS:
        status = replace(world, body.index, (uint32_t)first, (uint32_t)count, points);
        break;
    case NURBS_MOVE_POSITIONS:
        tact_deform_update_surface(world, body.index, ranges, changed_ranges(&d->nurbs->tessellation, ranges), &tree);
        break;
    }
    if (status != TACT_OK)
        return status;
    box box_out;
    status = tact_deform_box(hot, hot->shape, &world->cold.items[body.index].bounding_radius, &box_out);
    if (status == TACT_OK) /* cannot fail: tact_deform_max_coordinate */
        status = tact_broad_move(world->broad, body.index, &box_out);
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
    const size_t count = nurbs_point_count(g->model);
    if (points != NULL)
        memcpy(points, g->tessellation.points, (count < capacity ? count : capacity) * sizeof *points);
    return count;
}
