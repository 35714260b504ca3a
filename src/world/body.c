/* Bodies: creation, removal, changes, queries. In each call, steps that can fail come before any change. */
#include <math.h>

#include "core/memory.h"
#include "core/report.h"
#include "dynamics/rigid_body.h"
#include "kinetic/vertex_plan.h"
#include "motion/motion.h"
#include "world/body_bounds.h"
#include "world/body_motion_plan.h"
#include "world/self_collision.h"
#include "world/world_internal.h"

#define BODY_LISTED ((uint32_t)(BODY_MOVED | BODY_SELF_LISTED)) /* flags of an index: they outlive the body */

static uint64_t all_if_zero(uint64_t bits) { return bits != 0 ? bits : UINT64_MAX; }

/* ---- creation ---- */

/* A body to be created, with what is computed before anything changes. */
typedef struct body_creation {
    box bounds;
    broad_filter filter;
    uint32_t index;
    double bounding_radius;
    deform *deform;    /* of a deformable body; else NULL */
    rigid_body *rigid; /* of a body with a density; else NULL */
} body_creation;

static tact_transform def_transform(const tact_body_def *def)
{
    return transform_is_zero(&def->transform) ? tact_identity() : def->transform;
}

bool tact_material_is_valid(const tact_material *m)
{
    return m->friction >= 0.0 && m->friction < INFINITY && m->restitution >= 0.0 && m->restitution <= 1.0 &&
           m->rolling_friction >= 0.0 && m->rolling_friction < INFINITY;
}

static bool reach_is_valid(double reach) { return reach >= 0.0 && reach <= SHAPE_MAX_COORDINATE; }

/* The mass of a body that has a density. */
static tact_status make_rigid(const tact_world *world, const tact_body_def *def, const tact_transform *transform,
                              size_t position, body_creation *creation, tact_report *report)
{
    if (def->deformable)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu has a density, but is deformable", position);
    const tact_mass mass = tact_mass_from_density(def->shape, *transform, def->density);
    tact_status status = mass.status == TACT_NOT_CONVERGED ? TACT_OK : mass.status;
    if (status == TACT_OK)
        creation->rigid = tact_rigid_body_create(def->shape, transform, &mass, &world->allocator, &status);
    if (status == TACT_OUT_OF_MEMORY)
        return tact_report_fill(report, status, "out of memory for the mass of body %zu", position);
    return status == TACT_OK ? TACT_OK
                             : tact_report_fill(report, status, "body %zu can have no mass: see tact/mass.h", position);
}

static tact_status check_def(tact_world *world, const tact_body_def *def, size_t position, body_creation *creation,
                             tact_report *report)
{
    tact_report why;
    creation->deform = NULL;
    creation->rigid = NULL;
    if (def->shape == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu has no shape (NULL)", position);
    if (!motion_is_valid(&def->motion))
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "the motion of body %zu holds a NaN, an infinity or a number beyond 1e150", position);
    if (!body_may_move(def->shape, false, false, &def->motion))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu spins, but its shape is a half-space", position);
    if (!body_may_move(def->shape, def->density > 0.0, def->deformable, &def->motion))
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "the motion of body %zu has a pivot, but the body has a mass or is deformable",
                                position);
    tact_transform transform = def_transform(def);
    if (tact_transform_check(&transform, &why) != TACT_OK)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu: %.170s", position, why.text);
    if (!reach_is_valid(def->reach))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the reach of body %zu is negative or beyond 1e150",
                                position);
    creation->filter = (broad_filter){all_if_zero(def->category), all_if_zero(def->mask)};
    creation->bounding_radius = 0.0;
    if ((def->rotation_invariant_bounds &&
         tact_body_bounding_radius(def->shape, &creation->bounding_radius) != TACT_OK) ||
        tact_body_box(def->shape, &transform, def->rotation_invariant_bounds ? &creation->bounding_radius : NULL,
                      &creation->bounds) != TACT_OK)
        return tact_report_fill(
            report, TACT_BAD_ARGUMENT,
            "body %zu has no bounds: it has no points, reaches beyond 1e150, or its support function returns a NaN",
            position);
    if (def->self_collision && (!def->deformable || !tact_shape_can_self_collide(def->shape)))
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "body %zu cannot collide with itself: it is not a deformable mesh or NURBS body",
                                position);
    if (!(def->density >= 0.0) || !(def->density < INFINITY))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the density of body %zu is negative or not finite",
                                position);
    if (!tact_material_is_valid(&def->material))
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "the material of body %zu has a negative number, or a restitution above 1", position);
    if (def->density > 0.0)
        return make_rigid(world, def, &transform, position, creation, report);
    if (!def->deformable)
        return TACT_OK;
    if (def->shape->mesh == NULL || tact_shape_get_type(def->shape) == TACT_HEIGHTFIELD)
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "body %zu cannot be deformable: its shape is neither a mesh, a soup nor NURBS",
                                position);
    creation->deform = tact_deform_create(def->shape, &world->element_boxes, &world->allocator);
    if (creation->deform == NULL)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for body %zu, which is deformable",
                                position);
    return TACT_OK;
}

static void discard(const tact_world *world, const body_creation *creation)
{
    tact_deform_free(creation->deform);
    tact_rigid_body_free(creation->rigid, &world->allocator);
}

static tact_motion without_pivot(tact_motion motion)
{
    motion.pivot = vec_make(0.0, 0.0, 0.0);
    return motion;
}

/* Adds a body whose proxy exists; cannot fail. */
static tact_body add_body(tact_world *world, const tact_body_def *def, const body_creation *creation)
{
    while (world->bodies.count <= creation->index) { /* the broad phase has added an index */
        world->bodies.items[world->bodies.count++] = (world_body){.generation = 1};
        world->cold.items[world->cold.count++] = (world_body_cold){0};
    }
    world_body *hot = &world->bodies.items[creation->index];
    const tact_shape *shape = creation->deform != NULL ? creation->deform->copies[0] : def->shape;
    hot->transform = def_transform(def);
    hot->shape = tact_shape_retain(shape);
    hot->change = ++world->changes;
    hot->serial = world->serial++;
    hot->flags = (hot->flags & BODY_LISTED) | BODY_ALIVE | (def->rotation_invariant_bounds ? BODY_FIXED_BOUNDS : 0u);
    world->cold.items[creation->index] = (world_body_cold){.previous_transform = hot->transform,
                                                           .previous_shape = tact_shape_retain(shape),
                                                           .motion = without_pivot(def->motion),
                                                           .user = def->user,
                                                           .bounding_radius = creation->bounding_radius,
                                                           .deform = creation->deform,
                                                           .rigid = creation->rigid,
                                                           .material = def->material,
                                                           .class_id = def->class_id};
    ++world->count;
    tact_body_flag_self_collision(world, creation->index, def->self_collision);
    tact_extensions_body_changed(world, creation->index, BODY_CHANGE_OTHER);
    return body_handle(world, creation->index);
}

static bool reserve(tact_world *world, size_t more)
{
    size_t all = world->bodies.count + more;
    return all >= more && world_body_array_reserve(&world->bodies, &world->allocator, all) &&
           world_body_cold_array_reserve(&world->cold, &world->allocator, all) &&
           body_index_array_reserve(&world->moved, &world->allocator, all) &&
           body_index_array_reserve(&world->self_colliding, &world->allocator, all);
}

static void set_reach(tact_world *world, uint32_t index, double reach, const box *tight)
{
    world_body *hot = &world->bodies.items[index];
    hot->flags = (hot->flags & ~(uint32_t)BODY_HAS_REACH) | (reach > 0.0 ? BODY_HAS_REACH : 0u);
    world->cold.items[index].reach = reach;
    hot->change = ++world->changes;
    (void)tact_body_move_proxy(world, index, tight); /* cannot fail: the proxy exists */
    WORLD_NOTIFY(world, .type = CALL_SET_REACH, .body = body_handle(world, index), .time = reach);
}

/* Bodies have been added. Their reach and a motion with a pivot are set afterwards, and are calls of their own: so it
 * is in a replay. */
static void finish_creation(tact_world *world, const tact_body_def *defs, const body_creation *creation,
                            const tact_body *bodies, size_t count)
{
    WORLD_NOTIFY(world, .type = CALL_CREATE, .defs = defs, .bodies = bodies, .count = count);
    for (size_t i = 0; i < count; ++i)
        if (defs[i].reach > 0.0)
            set_reach(world, bodies[i].index, defs[i].reach, &creation[i].bounds);
    for (size_t i = 0; i < count; ++i)
        if (vec_max_abs(defs[i].motion.pivot) > 0.0)
            (void)tact_body_set_motion(world, bodies[i], defs[i].motion); /* cannot fail: it has been checked */
}

static tact_status create_one(tact_world *world, const tact_body_def *def, tact_body *body, tact_report *report)
{
    body_creation creation;
    tact_status status = check_def(world, def, 0, &creation, report);
    if (status != TACT_OK)
        return status;
    if (!reserve(world, 1) ||
        tact_broad_insert(world->broad, &creation.bounds, creation.filter, &creation.index) != TACT_OK) {
        discard(world, &creation);
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for a body");
    }
    *body = add_body(world, def, &creation);
    finish_creation(world, def, &creation, body, 1);
    return tact_report_clear(report);
}

tact_body tact_body_create(tact_world *world, const tact_body_def *def)
{
    tact_body body = {0, 0};
    if (world != NULL && def != NULL)
        (void)create_one(world, def, &body, NULL);
    return body;
}

/* Inserts the bodies into the broad phase. */
static tact_status insert_all(tact_world *world, body_creation *creation, size_t count)
{
    const tact_allocator *allocator = &world->allocator;
    box *boxes = tact_memory_allocate(allocator, count, sizeof *boxes);
    broad_filter *filters = tact_memory_allocate(allocator, count, sizeof *filters);
    uint32_t *indices = tact_memory_allocate(allocator, count, sizeof *indices);
    tact_status status = TACT_OUT_OF_MEMORY;
    if (boxes != NULL && filters != NULL && indices != NULL) {
        for (size_t i = 0; i < count; ++i) {
            boxes[i] = creation[i].bounds;
            filters[i] = creation[i].filter;
        }
        status = tact_broad_insert_many(world->broad, count, boxes, filters, indices);
        for (size_t i = 0; status == TACT_OK && i < count; ++i)
            creation[i].index = indices[i];
    }
    tact_memory_free(allocator, indices, count, sizeof *indices);
    tact_memory_free(allocator, filters, count, sizeof *filters);
    tact_memory_free(allocator, boxes, count, sizeof *boxes);
    return status;
}

tact_status tact_body_create_many(tact_world *world, const tact_body_def *defs, size_t count, tact_body *bodies,
                                  tact_report *report)
{
    if (world == NULL || (count > 0 && (defs == NULL || bodies == NULL)))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the world, the defs or the bodies are NULL");
    if (count == 0)
        return tact_report_clear(report);
    if (count == 1)
        return create_one(world, defs, bodies, report);
    body_creation *creation = tact_memory_allocate(&world->allocator, count, sizeof *creation);
    if (creation == NULL)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for %zu bodies", count);
    tact_status status = TACT_OK;
    size_t examined = 0;
    for (; status == TACT_OK && examined < count; ++examined)
        status = check_def(world, &defs[examined], examined, &creation[examined], report);
    if (status == TACT_OK) {
        status = reserve(world, count) ? insert_all(world, creation, count) : TACT_OUT_OF_MEMORY;
        if (status != TACT_OK)
            (void)tact_report_fill(report, status, "out of memory for %zu bodies", count);
    }
    for (size_t i = 0; status == TACT_OK && i < count; ++i)
        bodies[i] = add_body(world, &defs[i], &creation[i]);
    for (size_t i = 0; status != TACT_OK && i < examined; ++i)
        discard(world, &creation[i]);
    if (status == TACT_OK)
        finish_creation(world, defs, creation, bodies, count);
    tact_memory_free(&world->allocator, creation, count, sizeof *creation);
    return status == TACT_OK ? tact_report_clear(report) : status;
}

/* ---- removal ---- */

void tact_body_drop_motion_plan(tact_world *world, uint32_t index)
{
    body_motion_plan **plan = &world->cold.items[index].motion_plan;
    tact_memory_free(&world->allocator, *plan, 1, sizeof **plan);
    *plan = NULL;
}

void tact_body_drop_vertex_plan(tact_world *world, uint32_t index)
{
    vertex_plan **plan = &world->cold.items[index].vertex_plan;
    if (*plan == NULL)
        return;
    tact_vertex_plan_release(*plan, &world->allocator);
    tact_memory_free(&world->allocator, *plan, 1, sizeof **plan);
    *plan = NULL;
    --world->vertex_plan_count;
}

static void remove_body(tact_world *world, uint32_t index)
{
    world_body *hot = &world->bodies.items[index];
    tact_extensions_before_body_removal(world, index);
    (void)tact_broad_remove(world->broad, index);
    tact_shape_release(hot->shape);
    tact_shape_release(world->cold.items[index].previous_shape);
    tact_deform_free(world->cold.items[index].deform);
    tact_rigid_body_free(world->cold.items[index].rigid, &world->allocator);
    world->cold.items[index].rigid = NULL;
    tact_body_drop_motion_plan(world, index);
    tact_body_drop_vertex_plan(world, index);
    hot->shape = world->cold.items[index].previous_shape = NULL;
    world->cold.items[index].deform = NULL;
    hot->flags &= BODY_LISTED;
    if (++hot->generation == 0)
        hot->generation = 1;
    ++world->changes;
    --world->count;
}

tact_status tact_body_remove(tact_world *world, tact_body body)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    remove_body(world, body.index);
    WORLD_NOTIFY(world, .type = CALL_REMOVE, .bodies = &body, .count = 1);
    return TACT_OK;
}

tact_status tact_body_remove_many(tact_world *world, const tact_body *bodies, size_t count)
{
    if (world == NULL || (count > 0 && bodies == NULL))
        return TACT_BAD_ARGUMENT;
    size_t done = 0;
    for (world_body *hot; done < count && (hot = body_find(world, bodies[done])) != NULL; ++done)
        hot->flags &= ~(uint32_t)BODY_ALIVE;
    bool all = done == count;
    while (done-- > 0)
        world->bodies.items[bodies[done].index].flags |= BODY_ALIVE;
    for (size_t i = 0; all && i < count; ++i)
        remove_body(world, bodies[i].index);
    if (all)
        WORLD_NOTIFY(world, .type = CALL_REMOVE, .bodies = bodies, .count = count);
    return all ? TACT_OK : TACT_BAD_ARGUMENT;
}

bool tact_body_exists(const tact_world *world, tact_body body) { return body_find(world, body) != NULL; }

tact_body tact_world_next_body(const tact_world *world, tact_body previous)
{
    if (world != NULL)
        for (size_t i = previous.generation != 0 ? (size_t)previous.index + 1 : 0; i < world->bodies.count; ++i)
            if (world->bodies.items[i].flags & BODY_ALIVE)
                return body_handle(world, (uint32_t)i);
    return (tact_body){0, 0};
}

/* ---- changes ---- */

void tact_body_set_moved(tact_world *world, uint32_t index, body_change what)
{
    tact_extensions_body_changed(world, index, what);
    tact_body_mark_moved(world, index);
}

void tact_body_mark_moved(tact_world *world, uint32_t index)
{
    world_body *hot = &world->bodies.items[index];
    hot->change = ++world->changes;
    if (!(hot->flags & BODY_MOVED)) {
        hot->flags |= BODY_MOVED;
        world->moved.items[world->moved.count++] = index;
    }
}

tact_status tact_body_set_transform(tact_world *world, tact_body body, tact_transform transform)
{
    world_body *hot = body_find(world, body);
    box bounds;
    if (hot == NULL || world->cold.items[body.index].vertex_plan != NULL)
        return TACT_BAD_ARGUMENT;
    const double *bounding_radius =
        hot->flags & BODY_FIXED_BOUNDS ? &world->cold.items[body.index].bounding_radius : NULL;
    tact_status status = tact_body_box(hot->shape, &transform, bounding_radius, &bounds);
    if (status == TACT_OK)
        status = tact_body_move_proxy(world, body.index, &bounds);
    if (status != TACT_OK)
        return status;
    tact_extensions_before_body_change(world, body.index);
    hot->transform = transform;
    tact_body_set_moved(world, body.index, BODY_CHANGE_TRANSFORM);
    WORLD_NOTIFY(world, .type = CALL_SET_TRANSFORM, .body = body, .transform = &transform);
    return TACT_OK;
}

/* In a recording the pivot follows the motion, if there is one. */
static void notify_motion(tact_world *world, tact_body body, const tact_motion *motion)
{
    WORLD_NOTIFY(world, .type = CALL_SET_MOTION, .body = body, .motion = motion, .positions = &motion->pivot,
                 .count = vec_max_abs(motion->pivot) > 0.0);
}

tact_status tact_body_set_motion(tact_world *world, tact_body body, tact_motion motion)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL || !motion_is_valid(&motion) || !body_accepts_motion(world, body.index, &motion) ||
        world->cold.items[body.index].vertex_plan != NULL)
        return TACT_BAD_ARGUMENT;
    if (world->cold.items[body.index].motion_plan != NULL) {
        tact_extensions_before_body_change(world, body.index);
        tact_body_drop_motion_plan(world, body.index);
        tact_extensions_body_changed(world, body.index, BODY_CHANGE_OTHER);
    }
    tact_body_redirect(world, body.index, motion);
    notify_motion(world, body, &motion);
    return TACT_OK;
}

void tact_body_redirect(tact_world *world, uint32_t index, tact_motion motion)
{
    tact_extensions_before_body_change(world, index);
    world->cold.items[index].motion = motion;
    tact_extensions_body_changed(world, index, BODY_CHANGE_MOTION);
}

tact_status tact_body_set_shape(tact_world *world, tact_body body, const tact_shape *shape)
{
    world_body *hot = body_find(world, body);
    box bounds;
    double bounding_radius = 0.0;
    if (hot == NULL || shape == NULL || !body_may_move(shape, false, false, &world->cold.items[body.index].motion))
        return TACT_BAD_ARGUMENT;
    bool fixed = hot->flags & BODY_FIXED_BOUNDS;
    tact_extensions_before_body_change(world, body.index);
    tact_status status = fixed ? tact_body_bounding_radius(shape, &bounding_radius) : TACT_OK;
    if (status == TACT_OK)
        status = tact_body_box(shape, &hot->transform, fixed ? &bounding_radius : NULL, &bounds);
    if (status == TACT_OK)
        status = tact_body_move_proxy(world, body.index, &bounds);
    if (status != TACT_OK)
        return status;
    tact_shape *old = hot->shape;
    hot->shape = tact_shape_retain(shape);
    tact_shape_release(old);
    tact_body_drop_vertex_plan(world, body.index);
    tact_deform_free(world->cold.items[body.index].deform);
    world->cold.items[body.index].deform = NULL;
    tact_body_flag_self_collision(world, body.index, false);
    tact_rigid_body_free(world->cold.items[body.index].rigid, &world->allocator);
    world->cold.items[body.index].rigid = NULL;
    world->cold.items[body.index].bounding_radius = bounding_radius;
    tact_body_set_moved(world, body.index, BODY_CHANGE_OTHER);
    WORLD_NOTIFY(world, .type = CALL_SET_SHAPE, .body = body, .shape = shape);
    return TACT_OK;
}

tact_status tact_body_set_filter(tact_world *world, tact_body body, uint64_t category, uint64_t mask)
{
    world_body *hot = body_find(world, body);
    if (hot == NULL)
        return TACT_BAD_ARGUMENT;
    const broad_filter filter = {all_if_zero(category), all_if_zero(mask)};
    hot->change = ++world->changes;
    tact_extensions_before_body_change(world, body.index);
    tact_extensions_body_changed(world, body.index, BODY_CHANGE_OTHER);
    (void)tact_broad_set_filter(world->broad, body.index, filter); /* cannot fail: the proxy exists */
    WORLD_NOTIFY(world, .type = CALL_SET_FILTER, .body = body, .category = category, .mask = mask);
    return TACT_OK;
}

tact_status tact_body_move_proxy(tact_world *world, uint32_t index, const box *tight)
{
    if (!(world->bodies.items[index].flags & BODY_HAS_REACH))
        return tact_broad_move(world->broad, index, tight);
    const box enlarged = tact_box_expand(*tight, world->cold.items[index].reach);
    return tact_broad_move(world->broad, index, &enlarged);
}

tact_status tact_body_set_reach(tact_world *world, tact_body body, double reach)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL || !reach_is_valid(reach))
        return TACT_BAD_ARGUMENT;
    const world_body_cold *cold = &world->cold.items[body.index];
    box tight;
    const tact_status status = tact_body_box(hot->shape, &hot->transform,
                                             hot->flags & BODY_FIXED_BOUNDS ? &cold->bounding_radius : NULL, &tight);
    if (status != TACT_OK) /* a custom support function returned a NaN */
        return status;
    set_reach(world, body.index, reach, &tight);
    return TACT_OK;
}

tact_status tact_body_set_class(tact_world *world, tact_body body, uint32_t class_id)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    world->cold.items[body.index].class_id = class_id;
    WORLD_NOTIFY(world, .type = CALL_SET_CLASS, .body = body, .class_a = class_id);
    return TACT_OK;
}

tact_status tact_body_set_user(tact_world *world, tact_body body, void *user)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    world->cold.items[body.index].user = user;
    WORLD_NOTIFY(world, .type = CALL_SET_USER, .body = body, .user = user);
    return TACT_OK;
}

/* ---- queries ---- */

tact_transform tact_body_get_transform(const tact_world *world, tact_body body)
{
    const world_body *hot = body_find(world, body);
    return hot != NULL ? tact_body_transform_now(world, body.index) : tact_identity();
}

/* NULL if there is no such body. */
static const world_body_cold *cold_of(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? &world->cold.items[body.index] : NULL;
}

tact_transform tact_body_get_previous_transform(const tact_world *world, tact_body body)
{
    const world_body_cold *cold = cold_of(world, body);
    return cold != NULL ? cold->previous_transform : tact_identity();
}

tact_motion tact_body_get_motion(const tact_world *world, tact_body body)
{
    const world_body_cold *cold = cold_of(world, body);
    return cold != NULL ? tact_body_reported_motion(world, body.index) : tact_motion_still();
}

const tact_shape *tact_body_get_current_shape(const tact_world *world, tact_body body)
{
    const world_body *hot = body_find(world, body);
    return hot != NULL ? hot->shape : NULL;
}

const tact_shape *tact_body_get_shape(const tact_world *world, tact_body body)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL)
        return NULL;
    const deform *d = world->cold.items[body.index].deform;
    return d != NULL ? d->original : hot->shape; /* its copies change; shapes do not */
}

void *tact_body_get_user(const tact_world *world, tact_body body)
{
    const world_body_cold *cold = cold_of(world, body);
    return cold != NULL ? cold->user : NULL;
}

uint32_t tact_body_get_class(const tact_world *world, tact_body body)
{
    const world_body_cold *cold = cold_of(world, body);
    return cold != NULL ? cold->class_id : 0;
}

uint64_t tact_body_get_category(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? tact_broad_get_filter(world->broad, body.index).category : 0;
}

uint64_t tact_body_get_mask(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? tact_broad_get_filter(world->broad, body.index).mask : 0;
}

double tact_body_get_reach(const tact_world *world, tact_body body)
{
    const world_body_cold *cold = cold_of(world, body);
    return cold != NULL ? cold->reach : 0.0;
}

tact_bounds tact_body_get_bounds(const tact_world *world, tact_body body)
{
    if (body_find(world, body) == NULL)
        return (tact_bounds){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    box b = tact_broad_get_box(world->broad, body.index);
    return (tact_bounds){{(double)b.min[0], (double)b.min[1], (double)b.min[2]},
                         {(double)b.max[0], (double)b.max[1], (double)b.max[2]}};
}
