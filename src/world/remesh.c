/*
 * Deformable bodies whose faces change: tearing and remeshing.
 *
 * As with vertices (deform.c), a change goes to the copy that is not the previous shape. The copies then have different
 * faces, and the next change of copies copies the whole mesh. All steps that can fail come before any change.
 */
#include <assert.h>
#include <string.h>

#include "kinetic/vertex_plan.h"
#include "shape/mesh_edit.h"
#include "world/world_internal.h"

/* A change of faces or vertices in progress. */
typedef struct face_change {
    world_body *hot;
    deform *d;
    tact_shape *to;  /* the copy that is changed */
    mesh_edit *edit; /* that of the adjacency, or a new one */
    bool swaps;      /* the current shape is also the previous one: `to` is the other copy */
} face_change;

/* Finds the copy to change; false unless the body is a deformable surface mesh of triangles. */
static bool find_change(tact_world *world, tact_body body, face_change *c)
{
    c->hot = body_find(world, body);
    c->d = c->hot != NULL ? world->cold.items[body.index].deform : NULL;
    if (c->d == NULL || !tact_extensions_allow_remeshing(world))
        return false;
    const tact_shape *original = c->d->original, *now = c->hot->shape;
    c->swaps = world->cold.items[body.index].previous_shape == now;
    c->to = c->d->copies[(now == c->d->copies[0]) == c->swaps];
    return original->type == TACT_MESH && original->nurbs == NULL && original->mesh->face_of == NULL &&
           !original->mesh->solid;
}

/* Reserves the memory for a mesh of these sizes. False: out of memory. */
static bool reserve_change(tact_world *world, face_change *c, uint32_t vertices, uint32_t faces, uint32_t elements)
{
    const mesh *now = c->hot->shape->mesh;
    if (!box_array_reserve(&world->element_boxes, &world->allocator, elements))
        return false;
    c->edit = c->d->adjacency.edit != NULL ? c->d->adjacency.edit : tact_mesh_edit_create(now, &c->d->allocator);
    if (c->edit == NULL)
        return false;
    if (tact_mesh_edit_reserve(c->to, c->edit, now, vertices, faces, elements))
        return true;
    if (c->d->adjacency.edit == NULL)
        tact_mesh_edit_free(c->edit, &c->d->allocator);
    return false;
}

/* From here on nothing fails. */
static void begin_change(const face_change *c)
{
    tact_deform_begin_edit(c->d, c->edit);
    if (c->swaps) {
        const bool copied = tact_mesh_edit_copy(c->to, c->hot->shape->mesh);
        assert(copied); /* memory is reserved */
        (void)copied;
    }
    c->d->stale_count = 0;
    c->d->topology_differs = true;
}

/* Updates the broad phase and the extensions. */
static void end_change(tact_world *world, tact_body body, const face_change *c)
{
    world_body_cold *cold = &world->cold.items[body.index];
    box box_out;
    if (c->swaps) {
        tact_shape_release(c->hot->shape);
        c->hot->shape = tact_shape_retain(c->to);
    }
    const tact_status status = tact_deform_box(c->hot, c->to, &cold->bounding_radius, &box_out);
    assert(status == TACT_OK); /* no new vertex is beyond tact_deform_max_coordinate */
    if (status == TACT_OK)
        (void)tact_body_move_proxy(world, body.index, &box_out);
    tact_body_set_moved(world, body.index, BODY_CHANGE_OTHER);
}

/* ---- faces ---- */

/* Upper bounds of the numbers of faces and elements; false if an index is out of range. */
static bool count_all(const face_change *c, const uint32_t *faces, const uint32_t (*indices)[3], size_t count,
                      uint32_t *face_count, uint32_t *element_count)
{
    const mesh *now = c->hot->shape->mesh;
    const double max_coordinate = tact_deform_max_coordinate(c->hot);
    if (count > MESH_MAX_COUNT / 3)
        return false;
    *face_count = now->face_count;
    *element_count = now->element_count;
    for (size_t i = 0; i < count; ++i) {
        if (faces[i] > *face_count)
            return false;
        *face_count += faces[i] == *face_count;
        if (indices[i][0] == TACT_NO_VERTEX)
            continue;
        ++*element_count;
        for (int k = 0; k < 3; ++k)
            if (indices[i][k] >= now->vertex_count || vec_max_abs(now->vertices[indices[i][k]]) > max_coordinate)
                return false;
    }
    return *element_count <= MESH_MAX_COUNT / 3 && *face_count <= MESH_MAX_COUNT;
}

/* Whether no face is named twice. */
static bool all_distinct(mesh_edit *edit, const uint32_t *faces, size_t count)
{
    size_t i = 0;
    for (; i < count && edit->marks[faces[i]] == 0; ++i)
        edit->marks[faces[i]] = 1;
    const bool distinct = i == count;
    while (i > 0)
        edit->marks[faces[--i]] = 0;
    return distinct;
}

/* The number of faces after the change; each is named once. */
static size_t count_remaining(const face_change *c, const uint32_t *faces, const uint32_t (*indices)[3], size_t count)
{
    size_t remaining = c->hot->shape->mesh->element_count;
    for (size_t i = 0; i < count; ++i) {
        remaining += indices[i][0] != TACT_NO_VERTEX;
        remaining -= c->edit->element_of[faces[i]] != MESH_EDIT_NONE;
    }
    return remaining;
}

tact_status tact_body_change_faces(tact_world *world, tact_body body, const uint32_t *faces,
                                   const uint32_t (*indices)[3], size_t count)
{
    face_change c;
    uint32_t face_count, element_count;
    if (!find_change(world, body, &c) || (count > 0 && (faces == NULL || indices == NULL)) ||
        !count_all(&c, faces, indices, count, &face_count, &element_count))
        return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    if (!reserve_change(world, &c, c.d->vertex_count, face_count, element_count))
        return TACT_OUT_OF_MEMORY;
    if (!all_distinct(c.edit, faces, count) || count_remaining(&c, faces, indices, count) == 0) {
        if (c.d->adjacency.edit == NULL)
            tact_mesh_edit_free(c.edit, &c.d->allocator);
        return TACT_BAD_ARGUMENT;
    }
    begin_change(&c);
    tact_mesh_edit_set_faces(c.to, c.edit, faces, indices, count);
    const tact_status tree =
        tact_refittable_mesh_maintain(c.to, count, world->element_boxes.items) ? TACT_OK : TACT_OUT_OF_MEMORY;
    end_change(world, body, &c);
    WORLD_NOTIFY(world, .type = CALL_CHANGE_FACES, .status = tree, .body = body, .faces = faces, .indices = indices,
                 .count = count);
    return TACT_OK;
}

size_t tact_body_get_faces(const tact_world *world, tact_body body, uint32_t (*indices)[3], size_t capacity)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL || hot->shape->type != TACT_MESH ||
        (hot->shape->mesh->face_of != NULL && hot->shape->mesh->element_capacity == 0))
        return 0;
    const mesh *m = hot->shape->mesh;
    for (size_t i = 0; indices != NULL && i < m->face_count && i < capacity; ++i)
        indices[i][0] = indices[i][1] = indices[i][2] = TACT_NO_VERTEX;
    for (uint32_t i = 0; indices != NULL && i < m->element_count; ++i)
        if (mesh_face(m, i) < capacity)
            memcpy(indices[mesh_face(m, i)], m->indices + 3 * (size_t)i, sizeof *indices);
    return m->face_count;
}

/* ---- vertices ---- */

tact_status tact_body_add_vertices(tact_world *world, tact_body body, const tact_vec3 *positions, size_t count)
{
    face_change c;
    if (!find_change(world, body, &c) || (count > 0 && positions == NULL) || count > MESH_MAX_COUNT - c.d->vertex_count)
        return TACT_BAD_ARGUMENT;
    const double max_coordinate = tact_deform_max_coordinate(c.hot);
    for (size_t i = 0; i < count; ++i)
        if (!(vec_finite(positions[i]) && vec_max_abs(positions[i]) <= max_coordinate))
            return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    const mesh *now = c.hot->shape->mesh;
    const uint32_t vertex_count = c.d->vertex_count + (uint32_t)count;
    if (!reserve_change(world, &c, vertex_count, now->face_count, now->element_count))
        return TACT_OUT_OF_MEMORY;
    vertex_plan *plan = world->cold.items[body.index].vertex_plan;
    const bool planned = plan == NULL || tact_vertex_plan_add_vertices(plan, positions, (uint32_t)count,
                                                                       tact_world_get_time(world), &world->allocator);
    if (!planned || !tact_extensions_before_vertices_added(world, body, vertex_count)) {
        if (planned && plan != NULL)
            tact_vertex_plan_remove_vertices(plan, (uint32_t)count);
        if (c.d->adjacency.edit == NULL)
            tact_mesh_edit_free(c.edit, &c.d->allocator);
        return TACT_OUT_OF_MEMORY;
    }
    begin_change(&c);
    tact_mesh_edit_add_vertices(c.to, c.edit, positions, (uint32_t)count);
    c.d->vertex_count = vertex_count;
    end_change(world, body, &c);
    WORLD_NOTIFY(world, .type = CALL_ADD_VERTICES, .body = body, .positions = positions, .count = count);
    return TACT_OK;
}
