/*
 * Deformable bodies whose faces change: tearing and remeshing.
 *
 * As with vertices (deform.c), a change goes to the twin that is not the frame before; the two then have different
 * faces, and the next one that has to take its turn becomes a copy of the other, as a whole. All that can fail comes
 * before anything is changed.
 */
#include <assert.h>
#include <string.h>

#include "shape/mesh_edit.h"
#include "world/world_internal.h"

/* What is about to change. */
typedef struct change {
    world_body *hot;
    deform *d;
    tact_shape *to; /* the twin that it is done to */
    mesh_edit *t;   /* that of the links, or made for them */
    bool keep;      /* the twin of now is that of the frame before: `to` is the other one */
} change;

/* The deformable shell of triangles that is meant; false if it is none. */
static bool find(tact_world *world, tact_body body, change *c)
{
    c->hot = body_find(world, body);
    c->d = c->hot != NULL ? world->cold.items[body.index].deform : NULL;
    if (c->d == NULL || !tact_extensions_allow_remeshing(world))
        return false;
    const tact_shape *original = c->d->original, *now = c->hot->shape;
    c->keep = world->cold.items[body.index].previous_shape == now;
    c->to = c->d->copies[(now == c->d->copies[0]) == c->keep];
    return original->type == TACT_MESH && original->mesh->face_of == NULL && !original->mesh->solid;
}

/* Takes all memory that is needed for so many in all. */
static bool reserve(tact_world *world, change *c, uint32_t vertices, uint32_t faces, uint32_t elements)
{
    const mesh *now = c->hot->shape->mesh;
    if (!box_array_reserve(&world->element_boxes, &world->allocator, elements))
        return false;
    c->t = c->d->adjacency.edit != NULL ? c->d->adjacency.edit : tact_mesh_edit_create(now, &c->d->allocator);
    if (c->t == NULL)
        return false;
    if (tact_mesh_edit_reserve(c->to, c->t, now, vertices, faces, elements))
        return true;
    if (c->d->adjacency.edit == NULL)
        tact_mesh_edit_free(c->t, &c->d->allocator);
    return false;
}

/* From here on nothing fails. */
static void begin(const change *c)
{
    tact_deform_begin_edit(c->d, c->t);
    if (c->keep) {
        const bool copied = tact_mesh_edit_copy(c->to, c->hot->shape->mesh);
        assert(copied); /* there is room */
        (void)copied;
    }
    c->d->stale_count = 0;
    c->d->topology_differs = true;
}

/* Lets the world know. */
static void end(tact_world *world, tact_body body, const change *c)
{
    world_body_cold *cold = &world->cold.items[body.index];
    box fitted;
    if (c->keep) {
        tact_shape_release(c->hot->shape);
        c->hot->shape = tact_shape_retain(c->to);
    }
    const tact_status status = tact_deform_box(c->hot, c->to, &cold->bounding_radius, &fitted);
    assert(status ==
           TACT_OK); /* no corner is farther out than tact_deform_max_coordinate says, that was not there before */
    if (status == TACT_OK)
        (void)tact_broad_move(world->broad, body.index, &fitted);
    tact_body_set_moved(world, body.index, BODY_CHANGE_OTHER);
}

/* ---- faces ---- */

/* How many faces and elements there are at the most; false if numbers are out of range. */
static bool count_all(const change *c, const uint32_t *faces, const uint32_t (*corners)[3], size_t count,
                      uint32_t *face_count, uint32_t *element_count)
{
    const mesh *now = c->hot->shape->mesh;
    const double most = tact_deform_max_coordinate(c->hot);
    if (count > MESH_MAX_COUNT / 3)
        return false;
    *face_count = now->face_count;
    *element_count = now->element_count;
    for (size_t i = 0; i < count; ++i) {
        if (faces[i] > *face_count)
            return false;
        *face_count += faces[i] == *face_count;
        if (corners[i][0] == TACT_NO_VERTEX)
            continue;
        ++*element_count;
        for (int k = 0; k < 3; ++k)
            if (corners[i][k] >= now->vertex_count || vec_max_abs(now->vertices[corners[i][k]]) > most)
                return false;
    }
    return *element_count <= MESH_MAX_COUNT / 3 && *face_count <= MESH_MAX_COUNT;
}

/* Is none named twice? */
static bool all_differ(mesh_edit *t, const uint32_t *faces, size_t count)
{
    size_t i = 0;
    for (; i < count && t->marks[faces[i]] == 0; ++i)
        t->marks[faces[i]] = 1;
    const bool differ = i == count;
    while (i > 0)
        t->marks[faces[--i]] = 0;
    return differ;
}

/* How many faces will be there? They are named once each. */
static size_t count_left(const change *c, const uint32_t *faces, const uint32_t (*corners)[3], size_t count)
{
    size_t left = c->hot->shape->mesh->element_count;
    for (size_t i = 0; i < count; ++i) {
        left += corners[i][0] != TACT_NO_VERTEX;
        left -= c->t->element_of[faces[i]] != MESH_EDIT_NONE;
    }
    return left;
}

tact_status tact_body_change_faces(tact_world *world, tact_body body, const uint32_t *faces,
                                   const uint32_t (*corners)[3], size_t count)
{
    change c;
    uint32_t face_count, element_count;
    if (!find(world, body, &c) || (count > 0 && (faces == NULL || corners == NULL)) ||
        !count_all(&c, faces, corners, count, &face_count, &element_count))
        return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    if (!reserve(world, &c, c.d->vertex_count, face_count, element_count))
        return TACT_OUT_OF_MEMORY;
    if (!all_differ(c.t, faces, count) || count_left(&c, faces, corners, count) == 0) {
        if (c.d->adjacency.edit == NULL)
            tact_mesh_edit_free(c.t, &c.d->allocator);
        return TACT_BAD_ARGUMENT;
    }
    begin(&c);
    tact_mesh_edit_set_faces(c.to, c.t, faces, corners, count);
    const tact_status tree =
        tact_refittable_mesh_maintain(c.to, count, world->element_boxes.items) ? TACT_OK : TACT_OUT_OF_MEMORY;
    end(world, body, &c);
    WORLD_NOTIFY(world, .type = CALL_CHANGE_FACES, .status = tree, .body = body, .faces = faces, .corners = corners,
                 .count = count);
    return TACT_OK;
}

size_t tact_body_get_faces(const tact_world *world, tact_body body, uint32_t (*corners)[3], size_t room)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL || hot->shape->type != TACT_MESH ||
        (hot->shape->mesh->face_of != NULL && hot->shape->mesh->element_capacity == 0))
        return 0;
    const mesh *m = hot->shape->mesh;
    for (size_t i = 0; corners != NULL && i < m->face_count && i < room; ++i)
        corners[i][0] = corners[i][1] = corners[i][2] = TACT_NO_VERTEX;
    for (uint32_t i = 0; corners != NULL && i < m->element_count; ++i)
        if (mesh_face(m, i) < room)
            memcpy(corners[mesh_face(m, i)], m->indices + 3 * (size_t)i, sizeof *corners);
    return m->face_count;
}

/* ---- vertices ---- */

tact_status tact_body_add_vertices(tact_world *world, tact_body body, const tact_vec3 *places, size_t count)
{
    change c;
    if (!find(world, body, &c) || (count > 0 && places == NULL) || count > MESH_MAX_COUNT - c.d->vertex_count)
        return TACT_BAD_ARGUMENT;
    const double most = tact_deform_max_coordinate(c.hot);
    for (size_t i = 0; i < count; ++i)
        if (!(vec_finite(places[i]) && vec_max_abs(places[i]) <= most))
            return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    const mesh *now = c.hot->shape->mesh;
    const uint32_t vertex_count = c.d->vertex_count + (uint32_t)count;
    if (!reserve(world, &c, vertex_count, now->face_count, now->element_count))
        return TACT_OUT_OF_MEMORY;
    if (!tact_extensions_before_vertices_added(world, body, vertex_count)) {
        if (c.d->adjacency.edit == NULL)
            tact_mesh_edit_free(c.t, &c.d->allocator);
        return TACT_OUT_OF_MEMORY;
    }
    begin(&c);
    tact_mesh_edit_add_vertices(c.to, c.t, places, (uint32_t)count);
    c.d->vertex_count = vertex_count;
    end(world, body, &c);
    WORLD_NOTIFY(world, .type = CALL_ADD_VERTICES, .body = body, .positions = places, .count = count);
    return TACT_OK;
}
