/*
 * Deformable bodies: vertices read from the caller's array into one of two refittable copies of the shape
 * (shape/refittable_mesh.h).
 *
 * One copy is the body's shape. After tact_world_store_previous it is also the previous shape; then a change goes to
 * the other copy, which becomes the body's shape. Until the next tact_world_store_previous further changes are made in
 * place. So storing the previous shape copies nothing (double buffering, van den Bergen 1999, 6.4, with the buffers in
 * the library). The other copy is first updated where the two differ, in the ranges `stale`. Which copy is in use needs
 * no flag: the previous shape has its own reference.
 *
 * All steps that can fail (checks of numbers, hulls of large convex parts) come before any change.
 */
#include "world/deform.h"

#include <string.h>

#include "core/report.h"
#include "kinetic/vertex_plan.h"
#include "shape/mesh_edit.h"
#include "world/body_bounds.h"
#include "world/world_internal.h"

/* Makes a copy the current shape of a NURBS body, with its surfaces; NULL: no longer. */
static void show_surface(tact_shape *copy, nurbs_geometry *geometry)
{
    copy->nurbs = geometry;
    if (geometry != NULL)
        copy->surface_error = geometry->tessellation.error;
}

/* ---- creation ---- */

static bool allocate_parts(deform *d, const tact_shape *shape)
{
    const mesh *m = shape->mesh;
    d->copies[0] = tact_refittable_mesh_create(shape, &d->allocator);
    d->copies[1] = d->copies[0] != NULL ? tact_refittable_mesh_create(d->copies[0], &d->allocator) : NULL;
    if (d->copies[1] == NULL || !tact_vertex_adjacency_make(&d->adjacency, m, &d->allocator))
        return false;
    if (m->hulls == NULL)
        return true;
    for (uint32_t i = 0; i < m->element_count; ++i) {
        const uint32_t size = m->first_index[i + 1] - m->first_index[i];
        d->point_capacity = size > d->point_capacity ? size : d->point_capacity;
    }
    d->points = tact_memory_allocate(&d->allocator, d->point_capacity, sizeof *d->points);
    d->hulls = tact_memory_allocate(&d->allocator, m->element_count, sizeof(tact_shape *));
    if (d->hulls != NULL)
        memset(d->hulls, 0, m->element_count * sizeof(tact_shape *));
    return d->points != NULL && d->hulls != NULL;
}

/* A copy of the geometry of a NURBS shape for the body. */
static bool copy_surface(deform *d, const tact_shape *shape)
{
    if (shape->nurbs == NULL)
        return true;
    tact_report report;
    d->nurbs = tact_nurbs_geometry_copy(shape->nurbs, 0, 0, NULL, &report);
    show_surface(d->copies[0], d->nurbs);
    return d->nurbs != NULL;
}

deform *tact_deform_create(const tact_shape *shape, box_array *boxes, const tact_allocator *allocator)
{
    if (!box_array_reserve(boxes, allocator, shape->mesh->element_count))
        return NULL;
    deform *d = tact_memory_allocate(allocator, 1, sizeof *d);
    if (d == NULL)
        return NULL;
    *d = (deform){
        .original = tact_shape_retain(shape), .vertex_count = shape->mesh->vertex_count, .allocator = *allocator};
    if (allocate_parts(d, shape) && copy_surface(d, shape))
        return d;
    tact_deform_free(d);
    return NULL;
}

void tact_deform_free(deform *d)
{
    if (d == NULL)
        return;
    const tact_allocator allocator = d->allocator;
    const uint32_t elements = d->original->mesh->element_count;
    tact_memory_free(&allocator, d->hulls, elements, sizeof(tact_shape *)); /* empty between calls */
    tact_memory_free(&allocator, d->points, d->point_capacity, sizeof *d->points);
    tact_vertex_adjacency_release(&d->adjacency, &allocator);
    for (int i = 0; i < 2; ++i) {
        if (d->copies[i] != NULL)
            show_surface(d->copies[i], NULL);
        tact_shape_release(d->copies[i]);
    }
    tact_nurbs_geometry_free(d->nurbs);
    tact_shape_release(d->original);
    tact_memory_free(&allocator, d, 1, sizeof *d);
}

/* Whether the faces of the copies can have come from changes of the original. */
static bool faces_consistent(const deform_state *state, const mesh *now, const mesh *other)
{
    if (!now->edited)
        return !other->edited && !state->topology_differs;
    const tact_shape *original = state->original;
    return original->type == TACT_MESH && original->nurbs == NULL && original->mesh->face_of == NULL &&
           !original->mesh->solid &&
           (state->topology_differs || (other->edited && tact_mesh_edit_same_faces(now, other)));
}

static tact_status assign_copy(tact_shape *copy, const tact_shape *source, uint64_t refitted)
{
    copy->surface_error = source->surface_error;
    if (!source->mesh->edited)
        return tact_refittable_mesh_assign(copy, source, refitted);
    if (!tact_mesh_edit_copy(copy, source->mesh))
        return TACT_OUT_OF_MEMORY;
    copy->mesh->refit_count = refitted;
    copy->bounding_radius = copy->mesh->bounding_radius = source->bounding_radius;
    return TACT_OK;
}

/* Whether a mesh is that of the tessellation of a geometry, bit for bit. */
static bool is_mesh_of(const tact_shape *shape, const nurbs_geometry *geometry)
{
    const nurbs_tessellation *t = &geometry->tessellation;
    const mesh *m = shape->mesh;
    if (shape->type != TACT_MESH || m->vertex_count != t->vertices.count || m->element_count != t->triangles.count ||
        memcmp(&shape->surface_error, &t->error, sizeof t->error) != 0 ||
        memcmp(m->vertices, t->positions, t->vertices.count * sizeof *t->positions) != 0)
        return false;
    for (size_t i = 0; i < t->triangles.count; ++i)
        if (memcmp(m->indices + 3 * i, t->triangles.items[i].vertex, 3 * sizeof *m->indices) != 0)
            return false;
    return true;
}

/* Makes the copies anew, as the mesh of another geometry. */
static tact_status replace_copies(deform *d, const nurbs_geometry *geometry, box_array *boxes)
{
    const tact_shape *like = d->copies[0];
    tact_report report;
    tact_shape *base = tact_nurbs_mesh_create(geometry, like->mesh->solid, like->margin, &d->allocator, &report);
    if (base == NULL)
        return report.status;
    deform fresh = {.allocator = d->allocator};
    const bool fine =
        box_array_reserve(boxes, &d->allocator, base->mesh->element_count) && allocate_parts(&fresh, base);
    tact_shape_release(base); /* the copies hold references to it */
    if (!fine) {
        tact_vertex_adjacency_release(&fresh.adjacency, &d->allocator);
        tact_shape_release(fresh.copies[0]);
        tact_shape_release(fresh.copies[1]);
        return TACT_OUT_OF_MEMORY;
    }
    tact_vertex_adjacency_release(&d->adjacency, &d->allocator);
    d->adjacency = fresh.adjacency;
    for (int i = 0; i < 2; ++i) {
        show_surface(d->copies[i], NULL); /* one may stay as the previous shape */
        tact_shape_release(d->copies[i]);
        d->copies[i] = fresh.copies[i];
    }
    d->vertex_count = d->copies[0]->mesh->vertex_count;
    return TACT_OK;
}

/* The surfaces at the saved control points. Their mesh must be the current copy. */
static tact_status restore_surface(deform *d, const deform_state *state, box_array *boxes)
{
    const nurbs_geometry *original = d->original->nurbs;
    const uint32_t count = nurbs_point_count(original->model);
    for (uint32_t i = 0; i < count; ++i)
        if (!(vec_finite(state->control_points[i]) && vec_max_abs(state->control_points[i]) <= NURBS_MAX_COORDINATE))
            return TACT_BAD_ARGUMENT;
    tact_report report;
    nurbs_geometry *moved = tact_nurbs_geometry_copy(original, 0, count, state->control_points, &report);
    if (moved == NULL)
        return report.status;
    tact_status status = is_mesh_of(state->copies[state->current], moved) ? TACT_OK : TACT_BAD_ARGUMENT;
    const mesh *m = d->original->mesh, *now = state->copies[state->current]->mesh;
    const bool same_faces = m->vertex_count == now->vertex_count && m->index_count == now->index_count &&
                            memcmp(m->indices, now->indices, m->index_count * sizeof *m->indices) == 0;
    if (status == TACT_OK && !same_faces)
        status = replace_copies(d, moved, boxes);
    if (status != TACT_OK) {
        tact_nurbs_geometry_free(moved);
        return status;
    }
    show_surface(d->copies[0], NULL);
    tact_nurbs_geometry_free(d->nurbs);
    d->nurbs = moved;
    show_surface(d->copies[state->current], moved);
    return TACT_OK;
}

deform *tact_deform_restore(const deform_state *state, box_array *boxes, const tact_allocator *allocator,
                            tact_status *status)
{
    *status = TACT_BAD_ARGUMENT;
    if (state->original->mesh == NULL || state->current > 1 || state->previous > DEFORM_OTHER ||
        state->stale_count >= DEFORM_MAX_RANGES)
        return NULL;
    uint32_t end = 0;
    for (uint32_t i = 0; i < state->stale_count; ++i) { /* disjoint and sorted */
        if (state->stale[i].first >= state->stale[i].end || (i > 0 && state->stale[i].first <= end))
            return NULL;
        end = state->stale[i].end;
    }
    const mesh *now = state->copies[state->current]->mesh, *other = state->copies[1 - state->current]->mesh;
    if (now == NULL || other == NULL || end > now->vertex_count || !faces_consistent(state, now, other) ||
        (state->original->nurbs != NULL) != (state->control_points != NULL))
        return NULL;
    *status = TACT_OUT_OF_MEMORY;
    deform *d = tact_deform_create(state->original, boxes, allocator);
    if (d == NULL)
        return NULL;
    *status = d->nurbs != NULL ? restore_surface(d, state, boxes) : TACT_OK;
    for (int i = 0; i < 2 && *status == TACT_OK; ++i)
        *status = assign_copy(d->copies[i], state->copies[i], state->refit_counts[i]);
    memcpy(d->stale, state->stale, sizeof d->stale);
    d->stale_count = state->stale_count;
    d->topology_differs = state->topology_differs;
    d->vertex_count = now->vertex_count;
    if (*status == TACT_OK && now->edited) {
        mesh_edit *edit = tact_mesh_edit_create(now, allocator);
        if (edit != NULL)
            tact_deform_begin_edit(d, edit);
        if (edit == NULL || !box_array_reserve(boxes, allocator, now->element_count))
            *status = TACT_OUT_OF_MEMORY;
    }
    if (*status == TACT_OK)
        return d;
    tact_deform_free(d);
    return NULL;
}

void tact_deform_begin_edit(deform *d, mesh_edit *edit)
{
    if (d->adjacency.edit == edit)
        return;
    tact_vertex_adjacency_release(&d->adjacency, &d->allocator);
    d->adjacency.edit = edit;
}

tact_status tact_body_make_deformable(tact_world *world, tact_body body)
{
    world_body *hot = body_find(world, body);
    if (hot == NULL || hot->shape->mesh == NULL || tact_shape_get_type(hot->shape) == TACT_HEIGHTFIELD)
        return TACT_BAD_ARGUMENT;
    world_body_cold *cold = &world->cold.items[body.index];
    if (cold->deform != NULL)
        return TACT_OK;
    if (cold->rigid != NULL || vec_max_abs(cold->motion.pivot) > 0.0)
        return TACT_BAD_ARGUMENT;
    cold->deform = tact_deform_create(hot->shape, &world->element_boxes, &world->allocator);
    if (cold->deform == NULL)
        return TACT_OUT_OF_MEMORY;
    /* the copy has the same geometry; the old shape stays the previous one, which must not change */
    tact_shape_release(hot->shape);
    hot->shape = tact_shape_retain(cold->deform->copies[0]);
    tact_extensions_before_body_change(world, body.index);
    tact_body_set_moved(world, body.index, BODY_CHANGE_OTHER);
    WORLD_NOTIFY(world, .type = CALL_MAKE_DEFORMABLE, .body = body);
    return TACT_OK;
}

tact_status tact_deform_reserve(tact_world *world, uint32_t index)
{
    const tact_shape *now = world->bodies.items[index].shape;
    const deform *d = world->cold.items[index].deform;
    if (d == NULL || !d->topology_differs || world->cold.items[index].previous_shape != now)
        return TACT_OK;
    return tact_mesh_edit_grow(d->copies[now == d->copies[0]], now->mesh) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

/* ---- ranges ---- */

void tact_vertex_ranges_add(vertex_range *ranges, size_t *count, vertex_range more)
{
    size_t merged = 0;
    for (size_t i = 0; i < *count; ++i) /* merge with all that it touches */
        if (ranges[i].first <= more.end && more.first <= ranges[i].end) {
            more.first = ranges[i].first < more.first ? ranges[i].first : more.first;
            more.end = ranges[i].end > more.end ? ranges[i].end : more.end;
        } else {
            ranges[merged++] = ranges[i];
        }
    size_t at = merged;
    for (; at > 0 && ranges[at - 1].first > more.first; --at)
        ranges[at] = ranges[at - 1];
    ranges[at] = more;
    *count = ++merged;
    if (merged < DEFORM_MAX_RANGES)
        return;
    size_t smallest = 1; /* one slot stays free: merge the two with the smallest gap */
    for (size_t i = 2; i < merged; ++i)
        if (ranges[i].first - ranges[i - 1].end < ranges[smallest].first - ranges[smallest - 1].end)
            smallest = i;
    ranges[smallest - 1].end = ranges[smallest].end;
    memmove(&ranges[smallest], &ranges[smallest + 1], (merged - smallest - 1) * sizeof *ranges);
    *count = merged - 1;
}

/* ---- hulls of the convex parts of a soup ---- */

/* Computes the hulls of all large parts with a vertex in the range, with the new positions. False: out of memory. */
static bool make_hulls(deform *d, const mesh *now, const tact_vertices *vertices, vertex_range range)
{
    for (uint32_t k = d->adjacency.first_element[range.first]; k < d->adjacency.first_element[range.end]; ++k) {
        const uint32_t part = d->adjacency.elements[k], first = now->first_index[part],
                       size = now->first_index[part + 1] - first;
        if (size <= MESH_SIMPLEX_VERTICES || d->hulls[part] != NULL)
            continue;
        for (uint32_t i = 0; i < size; ++i) {
            const uint32_t vertex = now->indices[first + i];
            const bool changed = vertex >= range.first && vertex < range.end;
            d->points[i] = changed ? tact_vertices_get(vertices, vertex) : now->vertices[vertex];
        }
        d->hulls[part] = tact_soup_part_hull(d->points, size, &d->allocator);
        if (d->hulls[part] == NULL)
            return false;
    }
    return true;
}

/* Stores the computed hulls in a mesh; `to` NULL: releases them. */
static void store_hulls(deform *d, mesh *to, vertex_range range)
{
    for (uint32_t k = d->adjacency.first_element[range.first]; k < d->adjacency.first_element[range.end]; ++k) {
        const uint32_t part = d->adjacency.elements[k];
        if (d->hulls[part] == NULL)
            continue;
        tact_shape_release(to != NULL ? to->hulls[part] : d->hulls[part]);
        if (to != NULL)
            to->hulls[part] = d->hulls[part];
        d->hulls[part] = NULL;
    }
}

static void copy_hulls(const deform *d, mesh *to, const mesh *from, vertex_range range)
{
    for (uint32_t k = d->adjacency.first_element[range.first]; k < d->adjacency.first_element[range.end]; ++k) {
        const uint32_t part = d->adjacency.elements[k];
        tact_shape *old = to->hulls[part];
        to->hulls[part] = tact_shape_retain(from->hulls[part]);
        tact_shape_release(old);
    }
}

/* ---- changes ---- */

/* Copies the stale ranges from one copy to the other. */
static void copy_stale(const deform *d, mesh *to, const mesh *from)
{
    for (size_t i = 0; i < d->stale_count; ++i) {
        const vertex_range r = d->stale[i];
        memcpy(to->vertices + r.first, from->vertices + r.first, (r.end - r.first) * sizeof *to->vertices);
        if (d->hulls != NULL)
            copy_hulls(d, to, from, r);
    }
}

/* Reads the vertices of some ranges; of one range if the body is a soup. `tree` becomes TACT_OUT_OF_MEMORY if a
 * degraded tree could not be rebuilt. */
static tact_status change_vertices(tact_world *world, uint32_t index, const tact_vertices *vertices,
                                   const vertex_range *ranges, size_t count, tact_status *tree)
{
    const vertex_range range = ranges[0];
    world_body *hot = &world->bodies.items[index];
    world_body_cold *cold = &world->cold.items[index];
    deform *d = cold->deform;
    const mesh *now = hot->shape->mesh;
    const bool swaps = cold->previous_shape == hot->shape; /* the current shape stays as the previous one */
    tact_shape *to = !swaps ? hot->shape : hot->shape == d->copies[0] ? d->copies[1] : d->copies[0];
    if (d->hulls != NULL && !make_hulls(d, now, vertices, range)) {
        store_hulls(d, NULL, range);
        return TACT_OUT_OF_MEMORY;
    }
    if (swaps && d->topology_differs && !tact_mesh_edit_copy(to, now))
        return TACT_OUT_OF_MEMORY;
    vertex_range refit[DEFORM_MAX_RANGES];
    size_t refit_count = 0;
    if (swaps && d->topology_differs) {
        d->stale_count = 0;
        d->topology_differs = false;
    } else if (swaps) {
        if (count > 1 || range.end - range.first < now->vertex_count)
            copy_stale(d, to->mesh, now);
        refit_count = d->stale_count;
        memcpy(refit, d->stale, sizeof refit);
        d->stale_count = 0; /* from now on the copies differ only in the range */
    }
    for (size_t k = 0; k < count; ++k) {
        for (uint32_t i = ranges[k].first; i < ranges[k].end; ++i)
            to->mesh->vertices[i] = tact_vertices_get(vertices, i);
        tact_vertex_ranges_add(refit, &refit_count, ranges[k]);
        tact_vertex_ranges_add(d->stale, &d->stale_count, ranges[k]);
    }
    if (d->hulls != NULL)
        store_hulls(d, to->mesh, range);
    *tree = tact_refittable_mesh_refit(to, &d->adjacency, refit, refit_count, world->element_boxes.items)
                ? TACT_OK
                : TACT_OUT_OF_MEMORY;
    if (swaps) {
        if (d->nurbs != NULL)
            show_surface(hot->shape, NULL);
        tact_shape_release(hot->shape);
        hot->shape = tact_shape_retain(to);
    }
    return TACT_OK;
}

double tact_deform_max_coordinate(const world_body *hot)
{
    const tact_transform *p = &hot->transform;
    const double axes = vec_max_abs(p->x_axis) + vec_max_abs(p->y_axis) + vec_max_abs(p->z_axis);
    const double available = SHAPE_MAX_COORDINATE - vec_max_abs(p->origin) - complex_margin(hot->shape, p);
    /* 8: the bound of the scale is at most 3 times the sum of the axes, and a radius sqrt 3 times a coordinate */
    const double most = available / (8.0 * max_double(axes, 1.0));
    return max_double(most, 0.0);
}

tact_status tact_deform_box(const world_body *hot, const tact_shape *shape, double *bounding_radius, box *box_out)
{
    const bool fixed = hot->flags & BODY_FIXED_BOUNDS;
    if (fixed)
        (void)tact_body_bounding_radius(shape, bounding_radius);
    return tact_body_box(shape, &hot->transform, fixed ? bounding_radius : NULL, box_out);
}

/* Tries vertices that may be too far out on a temporary copy: a body that could be created with them can then also be
 * deformed to them. Returns what tact_deform_box does, and the bounding radius of the copy. */
static tact_status try_vertices(tact_world *world, uint32_t index, const tact_vertices *vertices, vertex_range range,
                                double *trial_radius, double *bounding_radius, box *box_out)
{
    const world_body *hot = &world->bodies.items[index];
    tact_shape *trial = tact_refittable_mesh_create(hot->shape, &world->allocator);
    if (trial == NULL)
        return TACT_OUT_OF_MEMORY;
    for (uint32_t i = range.first; i < range.end; ++i)
        trial->mesh->vertices[i] = tact_vertices_get(vertices, i);
    (void)tact_refittable_mesh_refit(trial, &world->cold.items[index].deform->adjacency, &range, 1,
                                     world->element_boxes.items);
    const tact_status status = tact_deform_box(hot, trial, bounding_radius, box_out);
    *trial_radius = trial->bounding_radius;
    tact_shape_release(trial);
    return status;
}

/* Reads a range, and updates the broad phase and the extensions. */
static tact_status deform_range(tact_world *world, tact_body body, const tact_vertices *vertices, size_t first,
                                size_t count)
{
    world_body *hot = &world->bodies.items[body.index];
    world_body_cold *cold = &world->cold.items[body.index];
    box box_out;
    double trial_radius = 0.0, bounding_radius = cold->bounding_radius;
    tact_extensions_before_body_change(world, body.index);
    const bool certain = tact_vertices_check(vertices, first, count, tact_deform_max_coordinate(hot), NULL);
    if (!certain && !tact_vertices_check(vertices, first, count, SHAPE_MAX_COORDINATE, NULL))
        return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    if (cold->vertex_plan != NULL && !tact_vertex_plan_reserve_paths(cold->vertex_plan, &world->allocator))
        return TACT_OUT_OF_MEMORY;
    const vertex_range range = {(uint32_t)first, (uint32_t)(first + count)};
    tact_status tree = TACT_OK, status = TACT_OK;
    if (!certain)
        status = try_vertices(world, body.index, vertices, range, &trial_radius, &bounding_radius, &box_out);
    if (status == TACT_OK)
        status = change_vertices(world, body.index, vertices, &range, 1, &tree);
    if (status != TACT_OK)
        return status;
    if (certain)
        status =
            tact_deform_box(hot, hot->shape, &bounding_radius, &box_out); /* cannot fail: tact_deform_max_coordinate */
    else
        hot->shape->bounding_radius = hot->shape->mesh->bounding_radius =
            trial_radius; /* as tried, independent of the former radius of this copy */
    cold->bounding_radius = bounding_radius;
    if (status == TACT_OK)
        status = tact_body_move_proxy(world, body.index, &box_out);
    for (uint32_t i = range.first; cold->vertex_plan != NULL && i < range.end; ++i) { /* they jump, and rest */
        const double now = tact_world_get_time(world);
        const linear_path rest = linear_path_at_rest(tact_vertices_get(vertices, i), now);
        tact_vertex_plan_set_path(cold->vertex_plan, i, &rest, INFINITY, now);
    }
    tact_body_set_moved(world, body.index, BODY_CHANGE_OTHER);
    WORLD_NOTIFY(world, .type = CALL_DEFORM, .status = tree, .body = body, .vertices = vertices, .first = range.first,
                 .count = count);
    return status;
}

tact_status tact_deform_sync(tact_world *world, uint32_t index, const tact_vec3 *positions)
{
    world_body *hot = &world->bodies.items[index];
    const tact_vertices vertices = {.data = positions, .count = world->cold.items[index].deform->vertex_count};
    if (!tact_vertices_check(&vertices, 0, vertices.count, tact_deform_max_coordinate(hot), NULL))
        return TACT_BAD_ARGUMENT;
    tact_status tree;
    box box_out;
    tact_status status =
        change_vertices(world, index, &vertices, &(vertex_range){0, (uint32_t)vertices.count}, 1, &tree);
    if (status == TACT_OK)
        status = tact_deform_box(hot, hot->shape, &world->cold.items[index].bounding_radius, &box_out);
    if (status == TACT_OK)
        status = tact_body_move_proxy(world, index, &box_out);
    return status;
}

void tact_deform_update_surface(tact_world *world, uint32_t index, const vertex_range *ranges, size_t count,
                                tact_status *tree)
{
    deform *d = world->cold.items[index].deform;
    const tact_vertices vertices = {.data = d->nurbs->tessellation.positions, .count = d->vertex_count};
    if (count > 0)
        (void)change_vertices(world, index, &vertices, ranges, count,
                              tree); /* fails for soups and edited meshes only */
    show_surface(world->bodies.items[index].shape, d->nurbs);
}

tact_status tact_deform_replace_surface(tact_world *world, uint32_t index, nurbs_geometry *geometry)
{
    world_body *hot = &world->bodies.items[index];
    deform *d = world->cold.items[index].deform;
    const tact_status status = replace_copies(d, geometry, &world->element_boxes);
    if (status != TACT_OK)
        return status;
    tact_shape_release(hot->shape);
    tact_nurbs_geometry_free(d->nurbs);
    d->nurbs = geometry;
    d->stale_count = 0;
    hot->shape = tact_shape_retain(d->copies[0]);
    show_surface(hot->shape, geometry);
    return TACT_OK;
}

tact_status tact_body_deform_from(tact_world *world, tact_body body, const tact_vertices *vertices, size_t first,
                                  size_t count)
{
    if (body_find(world, body) == NULL || world->cold.items[body.index].deform == NULL ||
        world->cold.items[body.index].deform->nurbs != NULL ||
        vertices->count > world->bodies.items[body.index].shape->mesh->vertex_count)
        return TACT_BAD_ARGUMENT;
    return deform_range(world, body, vertices, first, count);
}

tact_status tact_body_deform(tact_world *world, tact_body body, tact_vertices vertices)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    deform *d = world->cold.items[body.index].deform;
    if (d == NULL || d->nurbs != NULL || vertices.count != d->vertex_count)
        return TACT_BAD_ARGUMENT;
    tact_status status = deform_range(world, body, &vertices, 0, vertices.count);
    if (status == TACT_OK)
        d->caller_vertices = vertices;
    return status;
}

tact_status tact_body_deform_range(tact_world *world, tact_body body, size_t first, size_t count)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    const deform *d = world->cold.items[body.index].deform;
    if (d == NULL || d->caller_vertices.data == NULL)
        return TACT_BAD_ARGUMENT;
    return deform_range(world, body, &d->caller_vertices, first, count);
}

/* ---- queries ---- */

bool tact_body_is_deformable(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL && world->cold.items[body.index].deform != NULL;
}

size_t tact_body_get_vertices(const tact_world *world, tact_body body, tact_vec3 *vertices, size_t capacity)
{
    const world_body *hot = body_find(world, body);
    return hot != NULL && hot->shape->mesh != NULL ? tact_shape_get_points(hot->shape, vertices, capacity) : 0;
}
