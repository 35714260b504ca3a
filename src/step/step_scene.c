/*
 * Gathering the bodies of a step: see the header.
 *
 * Bodies come in the order of their indices, so the numbering depends only on the calls made to the world before. An
 * obstacle's vertices are those of mesh.h, ((m0 x + m1 y) + m2 z) + c, at the start and at the end: the very doubles
 * that the body has when it is transformed there. So what is free at the end of a step is free at the start of the
 * next. Linear in the vertices, and in the faces if they have changed.
 */
#include "step/step_scene.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "shape/halfspace.h"
#include "shape/mesh_edit.h"
#include "world/body_bounds.h"
#include "world/world_internal.h"

/* ---- faces ---- */

/* A face of a remeshed body by its number. */
static feature_triangle remeshed_face(const mesh *m, const mesh_edit *edit, uint32_t first, uint32_t number)
{
    const uint32_t element = edit->element_of[number];
    if (element == MESH_EDIT_NONE)
        return (feature_triangle){{STEP_ABSENT, STEP_ABSENT, STEP_ABSENT}};
    const uint32_t *c = m->indices + 3 * (size_t)element;
    return (feature_triangle){{first + c[0], first + c[1], first + c[2]}};
}

static bool write_remeshed(step_scene *s, const mesh *m, const mesh_edit *edit, uint32_t first,
                           const tact_allocator *allocator)
{
    bool complete = true;
    for (uint32_t i = 0; complete && i < edit->face_capacity; ++i)
        complete = feature_triangle_array_push(&s->faces, allocator, remeshed_face(m, edit, first, i)) &&
                   feature_id_array_push(&s->face_ids, allocator, i);
    return complete;
}

/* ---- parts ---- */

static void clear_parts(step_scene *s)
{
    for (size_t i = 0; i < s->parts.count; ++i)
        tact_shape_release(s->parts.items[i].shape);
    s->parts.count = s->faces.count = s->face_ids.count = s->changed_faces.count = s->obstacle_count = 0;
    s->part_of.count = s->used.count = s->from.count = s->to.count = s->inverse_mass.count = 0;
}

void tact_step_scene_release(step_scene *s, const tact_allocator *allocator)
{
    clear_parts(s);
    step_part_array_release(&s->parts, allocator);
    feature_triangle_array_release(&s->faces, allocator);
    feature_id_array_release(&s->face_ids, allocator);
    step_index_array_release(&s->changed_faces, allocator);
    step_index_array_release(&s->part_of, allocator);
    step_byte_array_release(&s->used, allocator);
    step_vec_array_release(&s->from, allocator);
    step_vec_array_release(&s->to, allocator);
    step_double_array_release(&s->inverse_mass, allocator);
    tact_obstacle_set_release(&s->obstacles, allocator);
}

/* The vertices of a shape that is tested by features in a step. Of soups and compounds the interior counts, too. */
static uint32_t feature_count(const tact_shape *shape)
{
    switch (shape->type) {
    case TACT_MESH:
    case TACT_BOX:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        return tact_feature_mesh_vertex_count(shape);
    case TACT_POLYGON:
    case TACT_HULL:
        return shape->hull->dimension >= 2 ? shape->hull->vertex_count : 0;
    default:
        return 0;
    }
}

/* The body at an index as a part; false if it does not take part. Its vertices and faces are not numbered yet, and its
 * shape is not referenced. */
static bool find_part(const tact_world *world, uint32_t index, const step_body_input_array *inputs, step_part *part)
{
    const world_body *body = &world->bodies.items[index];
    if (!(body->flags & BODY_ALIVE))
        return false;
    const world_body_cold *cold = &world->cold.items[index];
    const broad_filter filter = tact_broad_get_filter(world->broad, index);
    tact_shape *shape = cold->deform != NULL ? cold->deform->original : body->shape;
    *part = (step_part){
        .body = body_handle(world, index), .shape = shape, .category = filter.category, .mask = filter.mask};
    for (size_t i = 0; cold->deform != NULL && i < inputs->count; ++i) {
        const step_body_input *b = &inputs->items[i];
        if (b->body.index != index || b->body.generation != part->body.generation ||
            (b->from == NULL && b->surface == NULL))
            continue;
        part->surface = b->surface;
        part->input = (uint32_t)i;
        if (b->surface != NULL)
            break;
        part->deformable = shape->type == TACT_MESH && b->vertex_count == cold->deform->vertex_count;
    }
    if (part->surface != NULL) {
        part->vertex_count = part->end_vertex = (uint32_t)part->surface->tessellation.vertices.count;
        part->surface_edition = part->surface->edition;
        return part->end_vertex > 0;
    }
    const mesh_edit *edit = cold->deform != NULL ? cold->deform->adjacency.edit : NULL;
    part->vertex_count = edit != NULL ? cold->deform->vertex_count : feature_count(shape);
    part->end_vertex = edit != NULL ? edit->vertex_capacity : part->vertex_count;
    part->end_face = edit != NULL ? edit->face_capacity : 0;
    part->remeshed = edit != NULL;
    part->edit_version = edit != NULL ? edit->version : 0;
    part->as_shape = !part->deformable &&
                     (part->vertex_count == 0 || shape->margin > 0.0 || shape->surface_error > 0.0) &&
                     !shape_is_empty(body->shape);
    if (part->as_shape) {
        part->vertex_count = part->end_vertex = 1;
        part->end_face = 0;
        part->remeshed = false;
    }
    return part->end_vertex > 0;
}

/* Is it, except for positions, the part that it was? */
static bool same_part(const step_part *a, const step_part *b)
{
    return a->body.index == b->body.index && a->body.generation == b->body.generation && a->shape == b->shape &&
           a->deformable == b->deformable && a->category == b->category && a->mask == b->mask &&
           a->remeshed == b->remeshed && a->surface_edition == b->surface_edition &&
           (!a->remeshed ||
            (a->end_vertex - a->first_vertex == b->end_vertex && a->end_face - a->first_face == b->end_face));
}

/* The next part from the index `i` on, of the obstacles or of the deformable bodies; false if there are no more. */
static bool next_part(const tact_world *world, uint32_t *i, bool deformable, const step_body_input_array *inputs,
                      step_part *part)
{
    while (*i < world->bodies.count)
        if (find_part(world, (*i)++, inputs, part) && part->deformable == deformable)
            return true;
    return false;
}

static bool same_parts(step_scene *s, const tact_world *world, const step_body_input_array *inputs)
{
    size_t count = 0;
    step_part part;
    for (int deformable = 0; deformable < 2; ++deformable)
        for (uint32_t i = 0; next_part(world, &i, deformable, inputs, &part);) {
            if (count == s->parts.count || !same_part(&s->parts.items[count], &part))
                return false;
            s->parts.items[count].vertex_count = part.vertex_count;
            s->parts.items[count].surface = part.surface;
            s->parts.items[count++].input = part.input;
        }
    return count == s->parts.count;
}

/* Marks the vertices of the faces `begin` to `end` - 1 as used. */
static void mark_used(step_scene *s, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        for (int k = 0; k < 3 && s->faces.items[i].vertices[0] != STEP_ABSENT; ++k)
            s->used.items[s->faces.items[i].vertices[k]] = 1;
}

/* Updates the faces of remeshed parts. */
static bool update_remeshed(step_scene *s, const tact_world *world)
{
    for (size_t i = 0; i < s->parts.count; ++i) {
        step_part *part = &s->parts.items[i];
        const mesh_edit *edit = part->remeshed ? world->cold.items[part->body.index].deform->adjacency.edit : NULL;
        if (edit == NULL || part->edit_version == edit->version)
            continue;
        const mesh *m = world->bodies.items[part->body.index].shape->mesh;
        const uint32_t count = part->end_face - part->first_face;
        if (!step_index_array_reserve(&s->changed_faces, &world->allocator, s->changed_faces.count + count))
            return false;
        for (uint32_t k = 0; k < count; ++k) {
            feature_triangle *old = &s->faces.items[part->first_face + k];
            const feature_triangle face = remeshed_face(m, edit, part->first_vertex, k);
            if (memcmp(old, &face, sizeof face) == 0)
                continue;
            *old = face;
            s->changed_faces.items[s->changed_faces.count++] = part->first_face + k;
        }
        memset(s->used.items + part->first_vertex, 0, part->end_vertex - part->first_vertex);
        mark_used(s, part->first_face, part->end_face);
        part->edit_version = edit->version;
    }
    return true;
}

/* The triangles of a NURBS body whose control points move. */
static bool write_surface(step_scene *s, const nurbs_tessellation *t, uint32_t first, const tact_allocator *allocator)
{
    bool complete = true;
    for (uint32_t i = 0; complete && i < t->triangles.count; ++i) {
        const uint32_t *v = t->triangles.items[i].vertex;
        complete = feature_triangle_array_push(&s->faces, allocator,
                                               (feature_triangle){{first + v[0], first + v[1], first + v[2]}}) &&
                   feature_id_array_push(&s->face_ids, allocator, i);
    }
    return complete;
}

/* Appends the faces of a part. False: out of memory. */
static bool write_faces(step_scene *s, const step_part *part, const tact_world *world)
{
    const tact_allocator *allocator = &world->allocator;
    const deform *d = world->cold.items[part->body.index].deform;
    if (part->as_shape)
        return true;
    if (part->surface != NULL)
        return write_surface(s, &part->surface->tessellation, part->first_vertex, allocator);
    if (part->remeshed)
        return write_remeshed(s, world->bodies.items[part->body.index].shape->mesh, d->adjacency.edit,
                              part->first_vertex, allocator);
    return tact_feature_mesh_triangles(part->shape, part->first_vertex, &s->faces, &s->face_ids, allocator);
}

static bool add_part(step_scene *s, step_part part, const tact_world *world)
{
    const tact_allocator *allocator = &world->allocator;
    const uint32_t first = (uint32_t)s->part_of.count, count = part.end_vertex;
    part.first_vertex = first;
    part.end_vertex = first + count;
    part.first_face = (uint32_t)s->faces.count;
    if (count > UINT32_MAX / 8 - first || !step_index_array_reserve(&s->part_of, allocator, part.end_vertex) ||
        !step_part_array_reserve(&s->parts, allocator, s->parts.count + 1) || !write_faces(s, &part, world))
        return false;
    part.end_face = (uint32_t)s->faces.count;
    while (s->part_of.count < part.end_vertex)
        s->part_of.items[s->part_of.count++] = (uint32_t)s->parts.count;
    (void)tact_shape_retain(part.shape);
    s->parts.items[s->parts.count++] = part;
    return true;
}

static bool number_parts(step_scene *s, tact_world *world, const step_body_input_array *inputs)
{
    const tact_allocator *allocator = &world->allocator;
    clear_parts(s);
    step_part part;
    for (int deformable = 0; deformable < 2; ++deformable)
        for (uint32_t i = 0; next_part(world, &i, deformable, inputs, &part); s->obstacle_count += !deformable)
            if (!add_part(s, part, world))
                return false;
    s->filtered = false;
    for (uint32_t i = 0; i < s->parts.count && !s->filtered; ++i)
        for (uint32_t k = i + 1; k < s->parts.count && !s->filtered; ++k)
            s->filtered = k >= s->obstacle_count && !step_parts_collide(s, i, k);
    const size_t count = s->part_of.count;
    if (!step_byte_array_resize(&s->used, allocator, count) || !step_vec_array_resize(&s->from, allocator, count) ||
        !step_vec_array_resize(&s->to, allocator, count) ||
        !step_double_array_resize(&s->inverse_mass, allocator, count))
        return false;
    if (count > 0)
        memset(s->used.items, 0, count);
    mark_used(s, 0, s->faces.count);
    return true;
}

/* ---- positions ---- */

static bool is_still(const tact_motion *m)
{
    return vec_max_abs(m->velocity) == 0.0 && vec_max_abs(m->acceleration) == 0.0 && vec_max_abs(m->spin) == 0.0;
}

/* The vertices of a part under a transform; false if one is too far out. */
static bool transform_vertices(const step_part *part, const tact_shape *shape, const tact_transform *at,
                               tact_vec3 *positions)
{
    double size = 0.0;
    const uint32_t end = part->first_vertex + part->vertex_count;
    for (uint32_t i = end; i < part->end_vertex; ++i)
        positions[i] = vec_make(0.0, 0.0, 0.0);
    if (part->as_shape)
        positions[part->first_vertex] = at->origin;
    else
        tact_feature_mesh_place(shape, at, part->vertex_count, positions + part->first_vertex, sizeof *positions);
    for (uint32_t i = part->first_vertex; i < end; ++i) {
        size = max_double(size, vec_max_abs(positions[i]));
        if (!vec_finite(positions[i]))
            return false;
    }
    return size <= STEP_MAX_COORDINATE;
}

bool tact_step_part_exists(const step_part *part, const tact_world *world)
{
    const world_body *body = body_find(world, part->body);
    const deform *d = body != NULL ? world->cold.items[part->body.index].deform : NULL;
    return body != NULL && (d != NULL ? d->original : body->shape) == part->shape;
}

/* Adds a half-space, or changes its path: as a box whose upper face is far larger than the scene. */
static tact_status set_halfspace_path(step_scene *s, step_part *part, const tact_world *world,
                                      const obstacle_path *path, bool begin)
{
    const tact_shape *shape = world->bodies.items[part->body.index].shape;
    const uint32_t number = (uint32_t)(part - s->parts.items);
    const tact_vec3 centre = {0.0, 0.0, 0.0};
    halfspace_plane planes[2];
    if (tact_halfspace_plane(shape, path->from, &planes[0]) != TACT_OK ||
        tact_halfspace_plane(shape, path->to, &planes[1]) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    double reach = s->deformable_reach;
    for (int i = 0; i < 2; ++i)
        reach = max_double(reach, fabs(halfspace_height(&planes[i], centre)));
    tact_shape slab;
    tact_transform ends[2];
    const double half = begin ? STEP_HALFSPACE_REACH * reach + DBL_MIN : part->halfspace_half;
    for (int i = 0; i < 2; ++i)
        tact_halfspace_box(&planes[i], centre, half, &world->allocator, &slab, &ends[i]);
    const obstacle_path moved = {&ends[0], &ends[1], axis_rotation_make(centre, 0.0)};
    part->halfspace_half = half;
    if (!begin)
        return tact_obstacle_set_change_path(&s->obstacles, part->first_leaf, &moved);
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_BOX;
    def.size = vec_make(2.0 * half, 2.0 * half, 2.0 * half);
    def.allocator = world->allocator;
    tact_report report;
    tact_shape *owned = tact_shape_create(&def, &report);
    if (owned == NULL)
        return report.status;
    const tact_status status = tact_obstacle_set_add(&s->obstacles, number, owned, &moved, &part->translates,
                                                     &part->first_leaf, &world->allocator);
    tact_shape_release(owned); /* the set has a reference */
    return status;
}

/* Sets the path of an obstacle that is tested as a shape. */
static tact_status set_obstacle_path(step_scene *s, step_part *part, const tact_world *world, double duration,
                                     bool begin)
{
    const world_body *body = &world->bodies.items[part->body.index];
    const obstacle_path path = {.from = &body->transform,
                                .to = part->moving ? &part->end_transform : &body->transform,
                                .rotation =
                                    axis_rotation_of_spin(world->cold.items[part->body.index].motion.spin, duration)};
    const uint32_t number = (uint32_t)(part - s->parts.items);
    if (shape_is_halfspace(body->shape))
        return set_halfspace_path(s, part, world, &path, begin);
    return begin ? tact_obstacle_set_add(&s->obstacles, number, body->shape, &path, &part->translates,
                                         &part->first_leaf, &world->allocator)
                 : tact_obstacle_set_change_path(&s->obstacles, part->first_leaf, &path);
}

static tact_status move_obstacle(step_scene *s, step_part *part, const tact_world *world, double duration, bool begin)
{
    if (!tact_step_part_exists(part, world)) /* a callback has removed it: it stays where it was */
        return TACT_OK;
    const world_body *body = &world->bodies.items[part->body.index];
    const world_body_cold *cold = &world->cold.items[part->body.index];
    if (part->surface != NULL) { /* step_resolve.c shortens it */
        const size_t size = part->vertex_count * sizeof(tact_vec3);
        if (begin && !step_transform_is_identity(&body->transform))
            return TACT_BAD_ARGUMENT;
        if (begin) {
            memcpy(s->from.items + part->first_vertex, part->surface->start, size);
            memcpy(s->to.items + part->first_vertex, part->surface->end, size);
        }
        return TACT_OK;
    }
    if (begin && !transform_vertices(part, body->shape, &body->transform, s->from.items))
        return TACT_BAD_ARGUMENT;
    part->moving = !is_still(&cold->motion) && duration > 0.0;
    if (!part->moving) {
        memcpy(s->to.items + part->first_vertex, s->from.items + part->first_vertex,
               (part->end_vertex - part->first_vertex) * sizeof(tact_vec3));
        return part->as_shape ? set_obstacle_path(s, part, world, 0.0, begin) : TACT_OK;
    }
    box fitted;
    part->end_transform = tact_motion_at(cold->motion, body->transform, duration);
    const double *radius = body->flags & BODY_FIXED_BOUNDS ? &cold->bounding_radius : NULL;
    if (tact_body_box(body->shape, &part->end_transform, radius, &fitted) != TACT_OK ||
        !transform_vertices(part, body->shape, &part->end_transform, s->to.items))
        return TACT_BAD_ARGUMENT;
    return part->as_shape ? set_obstacle_path(s, part, world, duration, begin) : TACT_OK;
}

tact_status tact_step_scene_move_obstacles(step_scene *s, const tact_world *world, double duration)
{
    for (size_t i = 0; i < s->parts.count; ++i)
        if (!s->parts.items[i].deformable) {
            const tact_status status = move_obstacle(s, &s->parts.items[i], world, duration, false);
            if (status != TACT_OK)
                return status;
        }
    return tact_obstacle_set_finish(&s->obstacles, &world->allocator);
}

static void set_deformable(step_scene *s, const step_part *part, const step_body_input *inputs)
{
    memcpy(s->from.items + part->first_vertex, inputs->from, inputs->vertex_count * sizeof(tact_vec3));
    memcpy(s->to.items + part->first_vertex, inputs->to, inputs->vertex_count * sizeof(tact_vec3));
    for (uint32_t i = 0; i < inputs->vertex_count; ++i)
        s->inverse_mass.items[part->first_vertex + i] = inputs->inverse_mass != NULL ? inputs->inverse_mass[i] : 1.0;
    for (uint32_t i = part->first_vertex + inputs->vertex_count; i < part->end_vertex; ++i) {
        s->from.items[i] = s->to.items[i] = vec_make(0.0, 0.0, 0.0);
        s->inverse_mass.items[i] = 0.0;
    }
}

tact_status tact_step_scene_gather(step_scene *s, tact_world *world, const step_body_input_array *inputs,
                                   double duration)
{
    const bool same = s->version != 0 && same_parts(s, world, inputs);
    if (!(same ? update_remeshed(s, world) : number_parts(s, world, inputs))) {
        clear_parts(s);
        s->version = 0;
        return TACT_OUT_OF_MEMORY;
    }
    if (!same)
        s->version = ++s->version_count;
    tact_status status = TACT_OK;
    tact_obstacle_set_clear(&s->obstacles);
    s->deformable_reach = 0.0;
    for (size_t i = 0; i < inputs->count; ++i)
        for (uint32_t k = 0; inputs->items[i].from != NULL && k < inputs->items[i].vertex_count; ++k)
            s->deformable_reach = max_double(s->deformable_reach, max_double(vec_max_abs(inputs->items[i].from[k]),
                                                                             vec_max_abs(inputs->items[i].to[k])));
    for (size_t i = 0; status == TACT_OK && i < s->parts.count; ++i) {
        step_part *part = &s->parts.items[i];
        if (part->deformable) {
            if (!step_transform_is_identity(&world->bodies.items[part->body.index].transform))
                status = TACT_BAD_ARGUMENT;
            set_deformable(s, part, &inputs->items[part->input]);
            continue;
        }
        for (uint32_t k = part->first_vertex; k < part->end_vertex; ++k)
            s->inverse_mass.items[k] = 0.0;
        status = move_obstacle(s, part, world, duration, true);
    }
    if (status == TACT_OK)
        status = tact_obstacle_set_finish(&s->obstacles, &world->allocator);
    s->max_coordinate = s->obstacles.max_coordinate;
    for (size_t i = 0; i < s->from.count && status == TACT_OK; ++i)
        if (s->used.items[i])
            s->max_coordinate =
                max_double(s->max_coordinate, max_double(vec_max_abs(s->from.items[i]), vec_max_abs(s->to.items[i])));
    return status;
}
