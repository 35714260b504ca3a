/* Bodies: making, removing, changing, asking. What can fail is done first, what cannot comes after. */
#include "core/memory.h"
#include "core/report.h"
#include "dynamics/rigid_body.h"
#include "motion/motion.h"
#include "world/body_bounds.h"
#include "world/body_motion_plan.h"
#include "world/world_internal.h"

static uint64_t all_if_zero(uint64_t bits) { return bits != 0 ? bits : UINT64_MAX; }

/* ---- making ---- */

/* What a body needs of the broad phase, found out before anything is changed. */
typedef struct body_creation {
    box fitted;
    broad_filter filter;
    uint32_t index;
    double reach;
    deform *deform; /* of a deformable one */
} body_creation;

static tact_transform place_of(const tact_body_def *def)
{
    return transform_is_zero(&def->transform) ? tact_identity() : def->transform;
}

static tact_status examine(tact_world *world, const tact_body_def *def, size_t number, body_creation *made,
                           tact_report *report)
{
    tact_report why;
    made->deform = NULL;
    if (def->shape == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu has no shape (NULL)", number);
    if (!motion_is_valid(&def->motion))
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "the motion of body %zu holds a NaN, an infinity or a number beyond 1e150", number);
    tact_transform place = place_of(def);
    if (tact_transform_check(&place, &why) != TACT_OK)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu: %.170s", number, why.text);
    made->filter = (broad_filter){all_if_zero(def->category), all_if_zero(def->mask)};
    made->reach = 0.0;
    if ((def->rotation_invariant_bounds && tact_body_bounding_radius(def->shape, &made->reach) != TACT_OK) ||
        tact_body_box(def->shape, &place, def->rotation_invariant_bounds ? &made->reach : NULL, &made->fitted) !=
            TACT_OK)
        return tact_report_fill(
            report, TACT_BAD_ARGUMENT,
            "body %zu has no bounds: it has no points, reaches beyond 1e150, or its support gives no number", number);
    if (!def->deformable)
        return TACT_OK;
    if (def->shape->mesh == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "body %zu cannot be deformable: its shape is neither a mesh nor a soup", number);
    made->deform = tact_deform_create(def->shape, &world->element_boxes, &world->allocator);
    if (made->deform == NULL)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for body %zu, which is deformable", number);
    return TACT_OK;
}

/* Takes its place; everything is there. */
static tact_body settle(tact_world *world, const tact_body_def *def, const body_creation *made)
{
    while (world->bodies.count <= made->index) { /* the broad phase has given a new number */
        world->bodies.items[world->bodies.count++] = (world_body){.generation = 1};
        world->cold.items[world->cold.count++] = (world_body_cold){0};
    }
    world_body *hot = &world->bodies.items[made->index];
    const tact_shape *shape = made->deform != NULL ? made->deform->copies[0] : def->shape;
    hot->transform = place_of(def);
    hot->shape = tact_shape_retain(shape);
    hot->change = ++world->changes;
    hot->serial = world->serial++;
    hot->flags = (hot->flags & BODY_MOVED) | BODY_ALIVE | (def->rotation_invariant_bounds ? BODY_FIXED_BOUNDS : 0u);
    world->cold.items[made->index] = (world_body_cold){.previous_transform = hot->transform,
                                                       .previous_shape = tact_shape_retain(shape),
                                                       .motion = def->motion,
                                                       .user = def->user,
                                                       .bounding_radius = made->reach,
                                                       .deform = made->deform,
                                                       .class_id = def->class_id};
    ++world->count;
    tact_extensions_body_changed(world, made->index, BODY_CHANGE_OTHER);
    return body_handle(world, made->index);
}

static bool reserve(tact_world *world, size_t more)
{
    size_t all = world->bodies.count + more;
    return all >= more && world_body_array_reserve(&world->bodies, &world->allocator, all) &&
           world_body_cold_array_reserve(&world->cold, &world->allocator, all) &&
           body_index_array_reserve(&world->moved, &world->allocator, all);
}

static tact_status create_one(tact_world *world, const tact_body_def *def, tact_body *body, tact_report *report)
{
    body_creation made;
    tact_status status = examine(world, def, 0, &made, report);
    if (status != TACT_OK)
        return status;
    if (!reserve(world, 1) || tact_broad_insert(world->broad, &made.fitted, made.filter, &made.index) != TACT_OK) {
        tact_deform_free(made.deform);
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for a body");
    }
    *body = settle(world, def, &made);
    WORLD_NOTIFY(world, .type = CALL_CREATE, .defs = def, .bodies = body, .count = 1);
    return tact_report_clear(report);
}

tact_body tact_body_create(tact_world *world, const tact_body_def *def)
{
    tact_body body = {0, 0};
    if (world != NULL && def != NULL)
        (void)create_one(world, def, &body, NULL);
    return body;
}

/* The newcomers as the broad phase wants them: an array each. */
static tact_status insert_all(tact_world *world, body_creation *made, size_t count)
{
    const tact_allocator *allocator = &world->allocator;
    box *boxes = tact_memory_allocate(allocator, count, sizeof *boxes);
    broad_filter *filters = tact_memory_allocate(allocator, count, sizeof *filters);
    uint32_t *indices = tact_memory_allocate(allocator, count, sizeof *indices);
    tact_status status = TACT_OUT_OF_MEMORY;
    if (boxes != NULL && filters != NULL && indices != NULL) {
        for (size_t i = 0; i < count; ++i) {
            boxes[i] = made[i].fitted;
            filters[i] = made[i].filter;
        }
        status = tact_broad_insert_many(world->broad, count, boxes, filters, indices);
        for (size_t i = 0; status == TACT_OK && i < count; ++i)
            made[i].index = indices[i];
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
    body_creation *made = tact_memory_allocate(&world->allocator, count, sizeof *made);
    if (made == NULL)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for %zu bodies", count);
    tact_status status = TACT_OK;
    size_t examined = 0;
    for (; status == TACT_OK && examined < count; ++examined)
        status = examine(world, &defs[examined], examined, &made[examined], report);
    if (status == TACT_OK) {
        status = reserve(world, count) ? insert_all(world, made, count) : TACT_OUT_OF_MEMORY;
        if (status != TACT_OK)
            (void)tact_report_fill(report, status, "no memory for %zu bodies", count);
    }
    for (size_t i = 0; status == TACT_OK && i < count; ++i)
        bodies[i] = settle(world, &defs[i], &made[i]);
    for (size_t i = 0; status != TACT_OK && i < examined; ++i)
        tact_deform_free(made[i].deform);
    tact_memory_free(&world->allocator, made, count, sizeof *made);
    if (status == TACT_OK)
        WORLD_NOTIFY(world, .type = CALL_CREATE, .defs = defs, .bodies = bodies, .count = count);
    return status == TACT_OK ? tact_report_clear(report) : status;
}

/* ---- removing ---- */

void tact_body_drop_motion_plan(tact_world *world, uint32_t index)
{
    body_motion_plan **plan = &world->cold.items[index].motion_plan;
    tact_memory_free(&world->allocator, *plan, 1, sizeof **plan);
    *plan = NULL;
}

static void leave(tact_world *world, uint32_t index)
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
    hot->shape = world->cold.items[index].previous_shape = NULL;
    world->cold.items[index].deform = NULL;
    hot->flags &= BODY_MOVED;
    if (++hot->generation == 0)
        hot->generation = 1;
    ++world->changes;
    --world->count;
}

tact_status tact_body_remove(tact_world *world, tact_body body)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    leave(world, body.index);
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
        leave(world, bodies[i].index);
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

/* ---- changing ---- */

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

tact_status tact_body_set_transform(tact_world *world, tact_body body, tact_transform place)
{
    world_body *hot = body_find(world, body);
    box fitted;
    if (hot == NULL)
        return TACT_BAD_ARGUMENT;
    const double *reach = hot->flags & BODY_FIXED_BOUNDS ? &world->cold.items[body.index].bounding_radius : NULL;
    tact_status status = tact_body_box(hot->shape, &place, reach, &fitted);
    if (status == TACT_OK)
        status = tact_broad_move(world->broad, body.index, &fitted);
    if (status != TACT_OK)
        return status;
    tact_extensions_before_body_change(world, body.index);
    hot->transform = place;
    tact_body_set_moved(world, body.index, BODY_CHANGE_TRANSFORM);
    WORLD_NOTIFY(world, .type = CALL_SET_TRANSFORM, .body = body, .transform = &place);
    return TACT_OK;
}

tact_status tact_body_set_motion(tact_world *world, tact_body body, tact_motion motion)
{
    if (body_find(world, body) == NULL || !motion_is_valid(&motion))
        return TACT_BAD_ARGUMENT;
    if (world->cold.items[body.index].motion_plan != NULL) {
        tact_extensions_before_body_change(world, body.index);
        tact_body_drop_motion_plan(world, body.index);
        tact_extensions_body_changed(world, body.index, BODY_CHANGE_OTHER);
    }
    tact_body_redirect(world, body.index, motion);
    WORLD_NOTIFY(world, .type = CALL_SET_MOTION, .body = body, .motion = &motion);
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
    box fitted;
    double reach = 0.0;
    if (hot == NULL || shape == NULL)
        return TACT_BAD_ARGUMENT;
    bool fixed = hot->flags & BODY_FIXED_BOUNDS;
    tact_extensions_before_body_change(world, body.index);
    tact_status status = fixed ? tact_body_bounding_radius(shape, &reach) : TACT_OK;
    if (status == TACT_OK)
        status = tact_body_box(shape, &hot->transform, fixed ? &reach : NULL, &fitted);
    if (status == TACT_OK)
        status = tact_broad_move(world->broad, body.index, &fitted);
    if (status != TACT_OK)
        return status;
    tact_shape *old = hot->shape;
    hot->shape = tact_shape_retain(shape);
    tact_shape_release(old);
    tact_deform_free(world->cold.items[body.index].deform);
    world->cold.items[body.index].deform = NULL;
    tact_rigid_body_free(world->cold.items[body.index].rigid, &world->allocator);
    world->cold.items[body.index].rigid = NULL;
    world->cold.items[body.index].bounding_radius = reach;
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
    (void)tact_broad_set_filter(world->broad, body.index, filter); /* it is there */
    WORLD_NOTIFY(world, .type = CALL_SET_FILTER, .body = body, .category = category, .mask = mask);
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

/* ---- asking ---- */

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
    return cold != NULL ? tact_body_motion_now(world, body.index) : tact_motion_still();
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
    return d != NULL ? d->original : hot->shape; /* its twins change, which shapes do not */
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

tact_bounds tact_body_get_bounds(const tact_world *world, tact_body body)
{
    if (body_find(world, body) == NULL)
        return (tact_bounds){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    box b = tact_broad_get_box(world->broad, body.index);
    return (tact_bounds){{(double)b.min[0], (double)b.min[1], (double)b.min[2]},
                         {(double)b.max[0], (double)b.max[1], (double)b.max[2]}};
}
