/* Windows of moving control points: see the header. */
#include "advance/surface_motion.h"

#include <string.h>

#include "advance/advance.h"
#include "advance/vertex_motion.h"
#include "core/memory.h"
#include "nurbs/nurbs_constants.h"
#include "nurbs/nurbs_edge_paths.h"
#include "nurbs/nurbs_shape.h"
#include "shape/refittable_mesh.h"

surface_window *tact_surface_window_retain(surface_window *w)
{
    if (w != NULL)
        ++w->references;
    return w;
}

void tact_surface_window_release(surface_window *w)
{
    if (w == NULL || --w->references > 0)
        return;
    const tact_allocator allocator = w->tessellation.allocator;
    const uint32_t count = nurbs_point_count(w->tessellation.model);
    const size_t vertices = w->tessellation.vertices.count;
    tact_memory_free(&allocator, w->end_positions, vertices, sizeof *w->end_positions);
    tact_memory_free(&allocator, w->before, vertices, sizeof *w->before);
    tact_nurbs_division_release(&w->division, &allocator);
    tact_nurbs_tessellation_release(&w->tessellation);
    tact_memory_free(&allocator, w->end_points, count, sizeof *w->end_points);
    tact_shape_release(w->contact_shape);
    tact_shape_release(w->shape);
    tact_memory_free(&allocator, w, 1, sizeof *w);
}

/* ---- control points ---- */

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

/* Sets the positions from which vertices jump when the window begins, if they do. False: out of memory. */
static bool set_before(surface_window *w, const vertex_plan *plan)
{
    const tact_allocator *allocator = &w->tessellation.allocator;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, w->begin);
    tact_vec3 *points = tact_memory_allocate(allocator, plan->vertex_count, sizeof *points);
    if (points == NULL)
        return false;
    bool jumps = false;
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const linear_path path = tact_vertex_plan_path_before(&pieces, i);
        points[i] = linear_path_at(&path, w->begin);
        jumps = jumps || !vec_equal(points[i], w->tessellation.points[i]);
    }
    if (jumps) {
        w->before = tact_memory_allocate(allocator, w->tessellation.vertices.count, sizeof *w->before);
        if (w->before != NULL)
            tact_nurbs_tessellation_place(&w->tessellation, points, w->before);
    }
    tact_memory_free(allocator, points, plan->vertex_count, sizeof *points);
    return !jumps || w->before != NULL;
}

/* ---- windows ---- */

/* How a window is tessellated. */
typedef struct surface_division {
    bool regular;
    const nurbs_division *required; /* of a regular one; NULL: none */
    uint64_t edition;
} surface_division;

/* Makes a window without tessellation, for the control points of a model. NULL: out of memory. */
static surface_window *allocate_window(const nurbs_model *model, double begin, double end)
{
    const uint32_t count = nurbs_point_count(model);
    surface_window *w = tact_memory_allocate(&model->allocator, 1, sizeof *w);
    tact_vec3 *target = tact_memory_allocate(&model->allocator, count, sizeof *target);
    if (w == NULL || target == NULL) {
        tact_memory_free(&model->allocator, target, count, sizeof *target);
        tact_memory_free(&model->allocator, w, 1, sizeof *w);
        return NULL;
    }
    *w = (surface_window){.begin = begin, .end = end, .end_points = target, .references = 1};
    return w;
}

/* Tessellates a window whose `end_points` are set. On failure it is freed. `error`: of the control points. */
static tact_status tessellate(surface_window *w, const tact_shape *shape, const nurbs_model *model,
                              const tact_vec3 *start, double error, surface_division kind)
{
    const tact_allocator *allocator = &model->allocator;
    const uint32_t count = nurbs_point_count(model);
    tact_report report = {.status = TACT_OUT_OF_MEMORY};
    nurbs_tessellation *t = &w->tessellation;
    if (!(kind.regular ? tact_nurbs_tessellation_init_regular(t, model, start, w->end_points, kind.required, &report)
                       : tact_nurbs_tessellation_init_moving(t, model, start, w->end_points, 1, &report))) {
        tact_memory_free(allocator, w->end_points, count, sizeof *w->end_points);
        tact_memory_free(allocator, w, 1, sizeof *w);
        return report.status;
    }
    w->shape = tact_shape_retain(shape);
    w->end_positions = tact_memory_allocate(allocator, t->vertices.count, sizeof *w->end_positions);
    if (w->end_positions == NULL || (kind.regular && !tact_nurbs_division_make(&w->division, t))) {
        tact_surface_window_release(w);
        return TACT_OUT_OF_MEMORY;
    }
    tact_nurbs_tessellation_place(t, w->end_points, w->end_positions);
    w->point_error = error;
    w->reach = shape->margin + (t->error + 2.0 * error) * (1.0 + SURFACE_ERROR_SLACK);
    w->edition = kind.edition;
    return TACT_OK;
}

/* Makes the window of a body from now on. */
static tact_status make_window(tact_world *world, uint32_t index, surface_window **made)
{
    advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    const surface_window *old = cold->surface;
    const tact_shape *original = world->cold.items[index].deform->original;
    const nurbs_model *model = world->cold.items[index].deform->nurbs->model;
    const uint32_t count = nurbs_point_count(model);
    const double begin = ad->time, end = cold->rotation_expiry;
    const bool regular = world->bodies.items[index].flags & BODY_FEATURE_EVENTS;
    const bool refines = regular && old != NULL && old->tessellation.regular && old->tessellation.model == model;
    tact_status status = TACT_OUT_OF_MEMORY;
    tact_vec3 *start = tact_memory_allocate(&model->allocator, count, sizeof *start);
    surface_window *w = start != NULL ? allocate_window(model, begin, end) : NULL;
    *made = NULL;
    if (w != NULL) {
        const surface_division kind = {regular, refines ? &old->division : NULL, ++ad->last_edition};
        const double error = place_points(cold->vertices, begin, end < INFINITY ? end : begin, start, w->end_points);
        status = tessellate(w, original, model, start, error, kind);
    }
    if (status == TACT_OK && refines && tact_nurbs_same_cells(&w->tessellation, &old->tessellation))
        w->edition = old->edition;
    if (status == TACT_OK && regular && !set_before(w, cold->vertices)) {
        tact_surface_window_release(w);
        status = TACT_OUT_OF_MEMORY;
    }
    if (status == TACT_OK)
        *made = w;
    tact_memory_free(&model->allocator, start, count, sizeof *start);
    return status;
}

/* Whether a body has the window of the saved world, and goes on as there. */
static bool continues_saved_window(const advance *ad, const body_motion_cold *cold)
{
    return cold->restored && cold->surface != NULL && cold->surface->tessellation.regular &&
           cold->surface->end == cold->rotation_expiry && cold->surface->begin <= ad->time;
}

tact_status tact_surface_window_begin(tact_world *world, uint32_t index)
{
    body_motion_cold *cold = &world->advance->cold.items[index];
    if (!continues_saved_window(world->advance, cold)) {
        surface_window *w;
        const tact_status status = make_window(world, index, &w);
        if (status != TACT_OK)
            return status;
        tact_surface_window_release(cold->surface);
        cold->surface = w;
    }
    const double reach = cold->surface->reach;
    cold->extent_min = vec_sub(cold->extent_min, vec_make(reach, reach, reach));
    cold->extent_max = vec_add(cold->extent_max, vec_make(reach, reach, reach));
    return TACT_OK;
}

/* ---- the shape for contacts ---- */

/* The triangles as a mesh whose vertices may change, at the beginning of the window. NULL: out of memory. */
static tact_shape *make_contact_shape(const surface_window *w, const tact_allocator *allocator)
{
    const nurbs_tessellation *t = &w->tessellation;
    const bool closed = !(t->regular && t->model->edge_count > 0); /* else edges are not joined */
    tact_report report;
    tact_shape *base = tact_nurbs_triangles_create(t, w->shape->mesh->solid && closed, w->shape->margin, allocator,
                                                   &report),
               *copy = base != NULL ? tact_refittable_mesh_create(base, allocator) : NULL;
    tact_shape_release(base); /* the copy has a reference */
    if (copy != NULL)
        copy->surface_error = (w->reach - w->shape->margin) / (1.0 + SURFACE_ERROR_SLACK);
    return copy;
}

tact_status tact_surface_window_sync(surface_window *w, double time, box_array *boxes, const tact_allocator *allocator)
{
    if (w->contact_shape != NULL && w->contact_time == time)
        return TACT_OK;
    tact_shape *shape = w->contact_shape != NULL ? w->contact_shape : make_contact_shape(w, allocator);
    if (shape == NULL || !box_array_reserve(boxes, allocator, shape->mesh->element_count)) {
        if (shape != w->contact_shape)
            tact_shape_release(shape);
        return TACT_OUT_OF_MEMORY;
    }
    w->contact_shape = shape;
    w->contact_time = time;
    mesh *m = shape->mesh;
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        const linear_path path = surface_window_path(w, i);
        m->vertices[i] = linear_path_at(&path, time);
    }
    tact_mesh_element_boxes(m, boxes->items);
    tact_aabb_tree_refit(&m->tree, boxes->items);
    shape->bounding_radius = m->bounding_radius = tact_points_bounding_radius(m->vertices, m->vertex_count);
    return TACT_OK;
}

/* ---- saved worlds ---- */

static bool points_valid(const tact_vec3 *points, uint32_t count)
{
    bool valid = true; /* NaN is not */
    for (uint32_t i = 0; i < count; ++i)
        valid = valid && vec_max_abs(points[i]) <= NURBS_MAX_COORDINATE && vec_finite(points[i]);
    return valid;
}

tact_status tact_surface_window_restore(tact_world *world, const surface_state *s)
{
    body_motion_cold *cold = &world->advance->cold.items[s->index];
    const tact_shape *original = world->cold.items[s->index].deform->original;
    const nurbs_model *model = world->cold.items[s->index].deform->nurbs->model;
    const uint32_t count = nurbs_point_count(model);
    if (s->point_count != count || !(s->begin <= world->advance->time) || !(s->end > s->begin) || !(s->begin >= 0.0) ||
        !(s->point_error >= 0.0) || !(s->point_error <= NURBS_MAX_COORDINATE) ||
        !points_valid(s->start_points, count) || !points_valid(s->end_points, count))
        return TACT_BAD_ARGUMENT;
    surface_window *w = allocate_window(model, s->begin, s->end);
    if (w == NULL)
        return TACT_OUT_OF_MEMORY;
    memcpy(w->end_points, s->end_points, count * sizeof *w->end_points);
    const surface_division kind = {true, &s->division, ++world->advance->last_edition};
    tact_status status = tessellate(w, original, model, s->start_points, s->point_error, kind);
    if (status != TACT_OK)
        return status;
    if (w->tessellation.cells.count != s->division.count)
        status = TACT_BAD_ARGUMENT;
    else if (s->begin == world->advance->time && !set_before(w, cold->vertices))
        status = TACT_OUT_OF_MEMORY;
    if (status != TACT_OK) {
        tact_surface_window_release(w);
        return status;
    }
    tact_surface_window_release(cold->surface);
    cold->surface = w;
    return TACT_OK;
}

/* ---- places ---- */

bool tact_surface_window_joins(const surface_window *w, double time, const tact_nurbs_location *a,
                               const tact_nurbs_location *b)
{
    const nurbs_tessellation *t = &w->tessellation;
    if (t->model->edge_count == 0 || !a->on_surface || !b->on_surface)
        return false;
    const double tolerance =
                     max_double(t->model->tolerances[a->surface].surface, t->model->tolerances[b->surface].surface),
                 limit = NURBS_SELF_NEIGHBOUR * max_double(tolerance, t->error);
    const nurbs_moving_points points = {t->points, w->end_points,
                                        w->end < INFINITY ? (time - w->begin) / (w->end - w->begin) : 0.0};
    return tact_nurbs_are_edge_neighbours(t->model, &points, a, b, limit);
}

/* Ericson 2005, 5.1.5. */
void tact_triangle_closest_weights(const tact_vec3 v[3], tact_vec3 p, double weights[3])
{
    double best = INFINITY;
    const tact_vec3 ab = vec_sub(v[1], v[0]), ac = vec_sub(v[2], v[0]), n = vec_cross(ab, ac);
    const double square = vec_dot(n, n);
    if (square > 0.0) {
        double inside[3];
        for (int k = 0; k < 3; ++k)
            inside[k] = vec_dot(n, vec_cross(vec_sub(v[(k + 1) % 3], p), vec_sub(v[(k + 2) % 3], p))) / square;
        if (inside[0] >= 0.0 && inside[1] >= 0.0 && inside[2] >= 0.0) {
            memcpy(weights, inside, sizeof inside);
            return;
        }
    }
    for (int k = 0; k < 3; ++k) { /* on an edge */
        const tact_vec3 from = v[k], along = vec_sub(v[(k + 1) % 3], from);
        const double length = vec_dot(along, along);
        double s = length > 0.0 ? vec_dot(vec_sub(p, from), along) / length : 0.0;
        s = s > 0.0 ? (s < 1.0 ? s : 1.0) : 0.0;
        const tact_vec3 away = vec_sub(p, vec_mul_add(from, s, along));
        if (vec_dot(away, away) < best) {
            best = vec_dot(away, away);
            weights[k] = 1.0 - s;
            weights[(k + 1) % 3] = s;
            weights[(k + 2) % 3] = 0.0;
        }
    }
}

tact_nurbs_location tact_surface_window_locate(const surface_window *w, uint32_t triangle, double time, tact_vec3 point)
{
    if (triangle >= w->tessellation.triangles.count)
        return (tact_nurbs_location){0};
    tact_vec3 corners[3];
    double weights[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        const linear_path path = surface_window_path(w, w->tessellation.triangles.items[triangle].vertex[k]);
        corners[k] = linear_path_at(&path, time);
    }
    tact_triangle_closest_weights(corners, point, weights);
    return tact_nurbs_location_on_triangle(&w->tessellation, triangle, weights);
}
