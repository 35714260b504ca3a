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
typedef struct newcomer {
    box fitted;
    broad_filter filter;
    uint32_t index;
    double reach;
    deform *deform; /* of a deformable one */
} newcomer;

static tact_transform place_of(const tact_body_def *def)
{
    return placement_is_zero(&def->transform) ? tact_identity() : def->transform;
}

static tact_status examine(tact_world *world, const tact_body_def *def, size_t number, newcomer *made,
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
    if ((def->rotation_invariant_bounds && tact_body_reach(def->shape, &made->reach) != TACT_OK) ||
        tact_body_fit(def->shape, &place, def->rotation_invariant_bounds ? &made->reach : NULL, &made->fitted) !=
            TACT_OK)
        return tact_report_fill(
            report, TACT_BAD_ARGUMENT,
            "body %zu has no bounds: it has no points, reaches beyond 1e150, or its support gives no number", number);
    if (!def->deformable)
        return TACT_OK;
    if (def->shape->mesh == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "body %zu cannot be deformable: its shape is neither a mesh nor a soup", number);
    made->deform = tact_deform_create(def->shape, &world->boxes, &world->allocator);
    if (made->deform == NULL)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for body %zu, which is deformable", number);
    return TACT_OK;
}

/* Takes its place; everything is there. */
static tact_body settle(tact_world *world, const tact_body_def *def, const newcomer *made)
{
    while (world->lines.count <= made->index) { /* the broad phase has given a new number */
        world->lines.items[world->lines.count++] = (body_line){.generation = 1};
        world->rests.items[world->rests.count++] = (body_rest){0};
    }
    body_line *line = &world->lines.items[made->index];
    const tact_shape *shape = made->deform != NULL ? made->deform->twins[0] : def->shape;
    line->place = place_of(def);
    line->shape = tact_shape_retain(shape);
    line->changed = ++world->changes;
    line->serial = world->serial++;
    line->flags = (line->flags & BODY_MOVED) | BODY_ALIVE | (def->rotation_invariant_bounds ? BODY_FIXED : 0u);
    world->rests.items[made->index] = (body_rest){.before = line->place,
                                                  .shape_before = tact_shape_retain(shape),
                                                  .motion = def->motion,
                                                  .user = def->user,
                                                  .reach = made->reach,
                                                  .deform = made->deform,
                                                  .class_id = def->class_id};
    ++world->count;
    tact_extensions_body_changed(world, made->index, BODY_CHANGE_OTHER);
    return body_name(world, made->index);
}

static bool reserve(tact_world *world, size_t more)
{
    size_t all = world->lines.count + more;
    return all >= more && line_array_reserve(&world->lines, &world->allocator, all) &&
           rest_array_reserve(&world->rests, &world->allocator, all) &&
           index_array_reserve(&world->moved, &world->allocator, all);
}

static tact_status create_one(tact_world *world, const tact_body_def *def, tact_body *body, tact_report *report)
{
    newcomer made;
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
static tact_status insert_all(tact_world *world, newcomer *made, size_t count)
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
    newcomer *made = tact_memory_allocate(&world->allocator, count, sizeof *made);
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
    body_motion_plan **plan = &world->rests.items[index].motion_plan;
    tact_memory_free(&world->allocator, *plan, 1, sizeof **plan);
    *plan = NULL;
}

static void leave(tact_world *world, uint32_t index)
{
    body_line *line = &world->lines.items[index];
    tact_extensions_before_body_removal(world, index);
    (void)tact_broad_remove(world->broad, index);
    tact_shape_release(line->shape);
    tact_shape_release(world->rests.items[index].shape_before);
    tact_deform_free(world->rests.items[index].deform);
    tact_rigid_body_free(world->rests.items[index].rigid, &world->allocator);
    world->rests.items[index].rigid = NULL;
    tact_body_drop_motion_plan(world, index);
    line->shape = world->rests.items[index].shape_before = NULL;
    world->rests.items[index].deform = NULL;
    line->flags &= BODY_MOVED;
    if (++line->generation == 0)
        line->generation = 1;
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
    for (body_line *line; done < count && (line = body_find(world, bodies[done])) != NULL; ++done)
        line->flags &= ~(uint32_t)BODY_ALIVE;
    bool all = done == count;
    while (done-- > 0)
        world->lines.items[bodies[done].index].flags |= BODY_ALIVE;
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
        for (size_t i = previous.generation != 0 ? (size_t)previous.index + 1 : 0; i < world->lines.count; ++i)
            if (world->lines.items[i].flags & BODY_ALIVE)
                return body_name(world, (uint32_t)i);
    return (tact_body){0, 0};
}

/* ---- changing ---- */

void tact_body_note_moved(tact_world *world, uint32_t index, body_change what)
{
    tact_extensions_body_changed(world, index, what);
    tact_body_mark_moved(world, index);
}

void tact_body_mark_moved(tact_world *world, uint32_t index)
{
    body_line *line = &world->lines.items[index];
    line->changed = ++world->changes;
    if (!(line->flags & BODY_MOVED)) {
        line->flags |= BODY_MOVED;
        world->moved.items[world->moved.count++] = index;
    }
}

tact_status tact_body_set_transform(tact_world *world, tact_body body, tact_transform place)
{
    body_line *line = body_find(world, body);
    box fitted;
    if (line == NULL)
        return TACT_BAD_ARGUMENT;
    const double *reach = line->flags & BODY_FIXED ? &world->rests.items[body.index].reach : NULL;
    tact_status status = tact_body_fit(line->shape, &place, reach, &fitted);
    if (status == TACT_OK)
        status = tact_broad_move(world->broad, body.index, &fitted);
    if (status != TACT_OK)
        return status;
    tact_extensions_before_body_change(world, body.index);
    line->place = place;
    tact_body_note_moved(world, body.index, BODY_CHANGE_TRANSFORM);
    WORLD_NOTIFY(world, .type = CALL_SET_TRANSFORM, .body = body, .transform = &place);
    return TACT_OK;
}

tact_status tact_body_set_motion(tact_world *world, tact_body body, tact_motion motion)
{
    if (body_find(world, body) == NULL || !motion_is_valid(&motion))
        return TACT_BAD_ARGUMENT;
    if (world->rests.items[body.index].motion_plan != NULL) {
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
    world->rests.items[index].motion = motion;
    tact_extensions_body_changed(world, index, BODY_CHANGE_MOTION);
}

tact_status tact_body_set_shape(tact_world *world, tact_body body, const tact_shape *shape)
{
    body_line *line = body_find(world, body);
    box fitted;
    double reach = 0.0;
    if (line == NULL || shape == NULL)
        return TACT_BAD_ARGUMENT;
    bool fixed = line->flags & BODY_FIXED;
    tact_extensions_before_body_change(world, body.index);
    tact_status status = fixed ? tact_body_reach(shape, &reach) : TACT_OK;
    if (status == TACT_OK)
        status = tact_body_fit(shape, &line->place, fixed ? &reach : NULL, &fitted);
    if (status == TACT_OK)
        status = tact_broad_move(world->broad, body.index, &fitted);
    if (status != TACT_OK)
        return status;
    tact_shape *old = line->shape;
    line->shape = tact_shape_retain(shape);
    tact_shape_release(old);
    tact_deform_free(world->rests.items[body.index].deform);
    world->rests.items[body.index].deform = NULL;
    tact_rigid_body_free(world->rests.items[body.index].rigid, &world->allocator);
    world->rests.items[body.index].rigid = NULL;
    world->rests.items[body.index].reach = reach;
    tact_body_note_moved(world, body.index, BODY_CHANGE_OTHER);
    WORLD_NOTIFY(world, .type = CALL_SET_SHAPE, .body = body, .shape = shape);
    return TACT_OK;
}

tact_status tact_body_set_filter(tact_world *world, tact_body body, uint64_t category, uint64_t mask)
{
    body_line *line = body_find(world, body);
    if (line == NULL)
        return TACT_BAD_ARGUMENT;
    const broad_filter filter = {all_if_zero(category), all_if_zero(mask)};
    line->changed = ++world->changes;
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
    world->rests.items[body.index].class_id = class_id;
    WORLD_NOTIFY(world, .type = CALL_SET_CLASS, .body = body, .class_a = class_id);
    return TACT_OK;
}

tact_status tact_body_set_user(tact_world *world, tact_body body, void *user)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    world->rests.items[body.index].user = user;
    WORLD_NOTIFY(world, .type = CALL_SET_USER, .body = body, .user = user);
    return TACT_OK;
}

/* ---- asking ---- */

tact_transform tact_body_get_transform(const tact_world *world, tact_body body)
{
    const body_line *line = body_find(world, body);
    return line != NULL ? tact_body_transform_now(world, body.index) : tact_identity();
}

/* NULL if there is no such body. */
static const body_rest *rest_of(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? &world->rests.items[body.index] : NULL;
}

tact_transform tact_body_get_previous_transform(const tact_world *world, tact_body body)
{
    const body_rest *rest = rest_of(world, body);
    return rest != NULL ? rest->before : tact_identity();
}

tact_motion tact_body_get_motion(const tact_world *world, tact_body body)
{
    const body_rest *rest = rest_of(world, body);
    return rest != NULL ? tact_body_motion_now(world, body.index) : tact_motion_still();
}

const tact_shape *tact_body_get_current_shape(const tact_world *world, tact_body body)
{
    const body_line *line = body_find(world, body);
    return line != NULL ? line->shape : NULL;
}

const tact_shape *tact_body_get_shape(const tact_world *world, tact_body body)
{
    const body_line *line = body_find(world, body);
    if (line == NULL)
        return NULL;
    const deform *d = world->rests.items[body.index].deform;
    return d != NULL ? d->original : line->shape; /* its twins change, which shapes do not */
}

void *tact_body_get_user(const tact_world *world, tact_body body)
{
    const body_rest *rest = rest_of(world, body);
    return rest != NULL ? rest->user : NULL;
}

uint32_t tact_body_get_class(const tact_world *world, tact_body body)
{
    const body_rest *rest = rest_of(world, body);
    return rest != NULL ? rest->class_id : 0;
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
