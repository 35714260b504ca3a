/*
 * The state of a world, for saving and restoring: see world_state.h.
 *
 * Restoring inserts all indices into a new broad phase in order, so that proxies and indices agree. Free indices are
 * removed again, in the order in which they will be reused, and an update establishes that order. Cached axes wait for
 * the next update (tact_world_restore_axes), which finds the pairs. Cost: linear, except the update, O(n log n).
 */
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "kinetic/vertex_plan.h"
#include "shape/compound.h"
#include "world/body_bounds.h"
#include "world/self_collision.h"
#include "world/world_internal.h"

#define STATE_FLAGS                                                                                                    \
    ((uint32_t)(STATE_MOVED | STATE_FIXED_BOUNDS | STATE_HAS_RESPONSE | STATE_SELF_COLLISION | STATE_FEATURE_EVENTS |  \
                STATE_HAS_REACH))

_Static_assert((int)STATE_MOVED == (int)BODY_MOVED && (int)STATE_FIXED_BOUNDS == (int)BODY_FIXED_BOUNDS &&
                   (int)STATE_HAS_RESPONSE == (int)BODY_HAS_RESPONSE &&
                   (int)STATE_SELF_COLLISION == (int)BODY_SELF_COLLISION &&
                   (int)STATE_FEATURE_EVENTS == (int)BODY_FEATURE_EVENTS && (int)STATE_HAS_REACH == (int)BODY_HAS_REACH,
               "the flags of a state are those of a body");

/* ---- reading the state ---- */

static tact_broad_phase broad_of(broad_engine engine)
{
    return engine == BROAD_SWEEP  ? TACT_BROAD_SWEEP_AND_PRUNE
           : engine == BROAD_TREE ? TACT_BROAD_TREE
                                  : TACT_BROAD_AUTO;
}

world_state tact_world_get_state(const tact_world *world)
{
    return (world_state){.broad = broad_of(tact_broad_get_engine(world->broad)),
                         .active = broad_of(tact_broad_active_engine(world->broad)),
                         .caching = world->caching,
                         .serial = world->serial,
                         .response = world->response,
                         .gravity = world->gravity,
                         .never_sleeps = world->never_sleeps,
                         .contact_events = world->contact_events};
}

uint32_t tact_world_index_count(const tact_world *world) { return (uint32_t)world->bodies.count; }

bool tact_world_body_at(const tact_world *world, uint32_t index, body_state *body)
{
    const world_body *hot = &world->bodies.items[index];
    const world_body_cold *cold = &world->cold.items[index];
    if (!(hot->flags & BODY_ALIVE))
        return false;
    broad_filter filter = tact_broad_get_filter(world->broad, index);
    *body = (body_state){.body = body_handle(world, index),
                         .serial = hot->serial,
                         .shape = hot->shape,
                         .previous_shape = cold->previous_shape,
                         .transform = tact_body_transform_now(world, index),
                         .previous_transform = cold->previous_transform,
                         .motion = tact_body_motion_now(world, index),
                         .category = filter.category,
                         .mask = filter.mask,
                         .user = cold->user,
                         .class_id = cold->class_id,
                         .flags = hot->flags & STATE_FLAGS};
    if (memcmp(&body->transform, &cold->previous_transform, sizeof body->transform) != 0)
        body->flags |= STATE_MOVED; /* by its own motion: see tact_world_sync_transforms */
    if (hot->flags & BODY_HAS_RESPONSE)
        body->response = cold->response;
    body->has_mass = cold->rigid != NULL;
    if (body->has_mass)
        body->mass = *cold->rigid;
    body->has_motion_plan = cold->motion_plan != NULL;
    if (body->has_motion_plan)
        body->motion_plan = *cold->motion_plan;
    body->poll_interval = cold->poll_interval;
    body->material = cold->material;
    body->reach = cold->reach;
    if (vec_max_abs(body->motion.pivot) > 0.0)
        body->flags |= STATE_HAS_PIVOT;
    body->vertex_plan = cold->vertex_plan;
    const deform *d = cold->deform;
    if (d == NULL)
        return true;
    body->flags |= STATE_DEFORMABLE | (d->topology_differs ? (uint32_t)STATE_TOPOLOGY_DIFFERS : 0u);
    body->shape = d->original;
    body->deform = (deform_state){.original = d->original,
                                  .copies = {d->copies[0], d->copies[1]},
                                  .refit_counts = {d->copies[0]->mesh->refit_count, d->copies[1]->mesh->refit_count},
                                  .stale_count = (uint32_t)d->stale_count,
                                  .topology_differs = d->topology_differs,
                                  .current = hot->shape == d->copies[1],
                                  .previous = cold->previous_shape == d->copies[0]   ? 0
                                              : cold->previous_shape == d->copies[1] ? 1
                                                                                     : DEFORM_OTHER,
                                  .control_points = d->nurbs != NULL ? d->nurbs->tessellation.points : NULL};
    memcpy(body->deform.stale, d->stale, d->stale_count * sizeof *d->stale);
    return true;
}

static index_state index_at(const tact_world *world, uint32_t index)
{
    const world_body *hot = &world->bodies.items[index];
    return (index_state){index, hot->generation, hot->flags & STATE_MOVED};
}

bool tact_world_next_free_index(const tact_world *world, uint64_t *cursor, index_state *index)
{
    uint32_t next = tact_broad_next_free(world->broad, *cursor == 0 ? BROAD_NONE : (uint32_t)(*cursor - 1));
    if (next == BROAD_NONE)
        return false;
    *cursor = (uint64_t)next + 1;
    *index = index_at(world, next);
    return true;
}

bool tact_world_next_removed_index(const tact_world *world, uint64_t *cursor, index_state *index)
{
    uint32_t next = tact_broad_removed(world->broad, (size_t)*cursor);
    if (next == BROAD_NONE)
        return false;
    ++*cursor;
    *index = index_at(world, next);
    return true;
}

static bool next_response(const response_table *table, uint64_t *cursor, response_state *response)
{
    for (; *cursor < table->size; ++*cursor) {
        const response_entry *entry = &table->entries[*cursor];
        if (entry->stamp == 0)
            continue;
        *response = (response_state){(uint32_t)(entry->key >> 32), (uint32_t)entry->key, entry->response};
        ++*cursor;
        return true;
    }
    return false;
}

bool tact_world_next_class_response(const tact_world *world, uint64_t *cursor, response_state *response)
{
    return next_response(&world->classes, cursor, response);
}

bool tact_world_next_pair_response(const tact_world *world, uint64_t *cursor, response_state *response)
{
    while (next_response(&world->pairs, cursor, response)) {
        const world_body *one = &world->bodies.items[response->one], *two = &world->bodies.items[response->two];
        uint64_t stamp = (uint64_t)one->generation << 32 | two->generation;
        if ((one->flags & two->flags & BODY_ALIVE) && world->pairs.entries[*cursor - 1].stamp == stamp)
            return true;
    }
    return false;
}

bool tact_world_next_axis(const tact_world *world, uint64_t *cursor, axis_state *axis)
{
    if (world->axes.count > 0) { /* a restored world that has not been tested yet */
        if (*cursor >= world->axes.count)
            return false;
        const broad_pair *cached = &world->axes.items[(*cursor)++];
        *axis = (axis_state){cached->a, cached->b, cached->data};
        return true;
    }
    uint32_t slot = *cursor == 0 ? BROAD_NONE : (uint32_t)(*cursor - 1);
    while ((slot = tact_broad_next_pair(world->broad, slot)) != BROAD_NONE) {
        const broad_pair *pair = tact_broad_pair(world->broad, slot);
        if (pair->data == 0)
            continue;
        *cursor = (uint64_t)slot + 1;
        *axis = (axis_state){pair->a, pair->b, pair->data};
        return true;
    }
    return false;
}

bool tact_world_next_reported(const tact_world *world, uint64_t *cursor, reported_state *pair)
{
    if (*cursor >= world->phases.last.count)
        return false;
    *pair = world->phases.last.items[(*cursor)++];
    return true;
}

/* ---- restoring ---- */

static bool reject(tact_report *report, const char *what, size_t proxy)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, what, proxy);
    return false;
}

static bool out_of_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for the world");
    return false;
}

/* The body or vacant index at each index. */
typedef struct index_roles {
    const body_state **bodies;  /* by index; NULL: the index is vacant */
    const index_state **vacant; /* by index; NULL: there is a body */
    size_t count;
} index_roles;

static bool set_role(index_roles *r, uint32_t index, const body_state *body, const index_state *vacant,
                     tact_report *report)
{
    if (index >= r->count)
        return reject(report, "index %zu is not below the number of indices", index);
    if (r->bodies[index] != NULL || r->vacant[index] != NULL)
        return reject(report, "index %zu occurs twice", index);
    if ((body != NULL ? body->body.generation : vacant->generation) == 0)
        return reject(report, "index %zu has the generation 0", index);
    r->bodies[index] = body;
    r->vacant[index] = vacant;
    return true;
}

static bool set_roles(index_roles *r, const world_state *s, tact_report *report)
{
    for (size_t i = 0; i < r->count; ++i) {
        r->bodies[i] = NULL;
        r->vacant[i] = NULL;
    }
    for (size_t i = 0; i < s->body_count; ++i)
        if (!set_role(r, s->bodies[i].body.index, &s->bodies[i], NULL, report))
            return false;
    for (size_t i = 0; i < s->free_index_count; ++i)
        if (!set_role(r, s->free_indices[i].index, NULL, &s->free_indices[i], report))
            return false;
    for (size_t i = 0; i < s->removed_count; ++i)
        if (!set_role(r, s->removed[i].index, NULL, &s->removed[i], report))
            return false;
    return true; /* as many roles as indices, none twice: every index has one */
}

static bool check_body(const body_state *body, const world_state *s, double *bounding_radius, box *bounds,
                       tact_report *report)
{
    tact_report why;
    size_t index = body->body.index;
    const tact_motion *m = &body->motion;
    if (!vec_finite(m->velocity) || !vec_finite(m->acceleration) || !vec_finite(m->spin) || !vec_finite(m->pivot))
        return reject(report, "the motion of body %zu holds a NaN or an infinity", index);
    if (tact_transform_check(&body->transform, &why) != TACT_OK ||
        tact_transform_check(&body->previous_transform, &why) != TACT_OK) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu: %.120s", index, why.text);
        return false;
    }
    if (body->category == 0 || body->mask == 0)
        return reject(report, "body %zu has a category or mask of 0", index);
    if (body->serial >= s->serial)
        return reject(report, "body %zu has a serial number that was not given yet", index);
    if ((body->flags & STATE_SELF_COLLISION) &&
        (!(body->flags & STATE_DEFORMABLE) || !tact_shape_can_self_collide(body->shape)))
        return reject(report, "body %zu is tested against itself, but is not a deformable mesh", index);
    bool fixed = body->flags & STATE_FIXED_BOUNDS;
    const deform_state *d = body->flags & STATE_DEFORMABLE ? &body->deform : NULL;
    const tact_shape *shape = d != NULL ? d->copies[d->current == 1 ? 1 : 0] : body->shape;
    const tact_shape *before = d != NULL && d->previous < DEFORM_OTHER ? d->copies[d->previous] : body->previous_shape;
    *bounding_radius = 0.0;
    if (!body_may_move(shape, false, false, m))
        return reject(report, "body %zu spins, but its shape is a half-space", index);
    if (!body_may_move(shape, body->has_mass, body->flags & STATE_DEFORMABLE, m) ||
        !(vec_max_abs(m->pivot) <= SHAPE_MAX_COORDINATE))
        return reject(report, "the pivot of body %zu is too far away, or the body has a mass or is deformable", index);
    if (tact_body_box(before, &body->previous_transform, NULL, bounds) != TACT_OK ||
        (fixed && tact_body_bounding_radius(shape, bounding_radius) != TACT_OK) ||
        tact_body_box(shape, &body->transform, fixed ? bounding_radius : NULL, bounds) != TACT_OK)
        return reject(report, "body %zu has no bounds", index);
    if (!(body->flags & STATE_HAS_PIVOT) != (vec_max_abs(m->pivot) == 0.0))
        return reject(report, "the flags of body %zu do not tell whether it has a pivot", index);
    if (body->flags & STATE_HAS_REACH) {
        if (!(body->reach > 0.0) || !(body->reach <= SHAPE_MAX_COORDINATE))
            return reject(report, "the reach of body %zu is not positive, or beyond 1e150", index);
        *bounds = tact_box_expand(*bounds, body->reach);
    }
    if (!(body->flags & STATE_MOVED) &&
        (shape != before || memcmp(&body->transform, &body->previous_transform, sizeof body->transform) != 0))
        return reject(report, "body %zu is not marked as moved, but its previous transform or shape differs", index);
    return true;
}

/* Whether the copies of a deformable body differ only in the vertices of the stale ranges. Their faces are equal,
 * unless topology_differs. */
static bool copies_consistent(const deform_state *d)
{
    const mesh *original = d->original->mesh;
    for (int i = 0; i < 2; ++i)
        if (d->copies[i]->margin != d->original->margin || d->copies[i]->mesh->solid != original->solid ||
            (d->refit_counts[i] > 0 && d->refit_counts[i] >= d->copies[i]->mesh->element_count))
            return false;
    if (d->topology_differs)
        return true;
    const tact_vec3 *one = d->copies[0]->mesh->vertices, *other = d->copies[1]->mesh->vertices;
    uint32_t from = 0;
    for (uint32_t i = 0; i < d->stale_count; from = d->stale[i++].end)
        if (memcmp(one + from, other + from, (d->stale[i].first - from) * sizeof *one) != 0)
            return false;
    return memcmp(one + from, other + from, (d->copies[0]->mesh->vertex_count - from) * sizeof *one) == 0;
}

/* Inserts the body at the next index. A vacant index gets a point as placeholder, which is removed later: its filter
 * excludes all pairs, and it is far from everything, so it costs no tests. */
static bool insert(tact_world *world, const index_roles *r, const world_state *s, tact_report *report)
{
    size_t index = world->bodies.count;
    const body_state *body = r->bodies[index];
    double bounding_radius = 0.0;
    deform *deform_made = NULL;
    box bounds = box_of_point(vec_make((double)index * 16.0, 1e30, 1e30));
    broad_filter filter = {0, 0};
    uint32_t proxy;
    if (body != NULL) {
        if (!check_body(body, s, &bounding_radius, &bounds, report))
            return false;
        filter = (broad_filter){body->category, body->mask};
        tact_status status = TACT_OK;
        if (body->flags & STATE_DEFORMABLE)
            deform_made = tact_deform_restore(&body->deform, &world->element_boxes, &world->allocator, &status);
        if (deform_made != NULL && !copies_consistent(&body->deform)) {
            tact_deform_free(deform_made);
            status = TACT_BAD_ARGUMENT;
        }
        if (status != TACT_OK)
            return status == TACT_OUT_OF_MEMORY ? out_of_memory(report)
                   : body->deform.control_points != NULL
                       ? reject(report, "the meshes of the deformable body %zu are not those of its control points",
                                index)
                       : reject(report, "the copies of the deformable body %zu are inconsistent", index);
    }
    if (tact_broad_insert(world->broad, &bounds, filter, &proxy) != TACT_OK) {
        tact_deform_free(deform_made);
        return out_of_memory(report);
    }
    world->bodies.count = world->cold.count = index + 1;
    world_body *hot = &world->bodies.items[index];
    world_body_cold *cold = &world->cold.items[index];
    *hot = (world_body){.generation = body != NULL ? body->body.generation : r->vacant[index]->generation};
    *cold = (world_body_cold){0};
    hot->flags =
        body != NULL
            ? (body->flags & (STATE_MOVED | STATE_FIXED_BOUNDS | STATE_FEATURE_EVENTS | STATE_HAS_REACH)) | BODY_ALIVE
            : r->vacant[index]->flags & STATE_MOVED;
    if (hot->flags & BODY_MOVED)
        world->moved.items[world->moved.count++] = (uint32_t)index;
    if (body == NULL)
        return true;
    const tact_shape *shape = deform_made != NULL ? deform_made->copies[body->deform.current] : body->shape;
    const tact_shape *before = deform_made != NULL && body->deform.previous != DEFORM_OTHER
                                   ? deform_made->copies[body->deform.previous]
                                   : body->previous_shape;
    hot->transform = body->transform;
    hot->shape = tact_shape_retain(shape);
    hot->serial = body->serial;
    *cold = (world_body_cold){.previous_transform = body->previous_transform,
                              .previous_shape = tact_shape_retain(before),
                              .motion = body->motion,
                              .user = body->user,
                              .bounding_radius = bounding_radius,
                              .deform = deform_made,
                              .reach = body->reach,
                              .class_id = body->class_id};
    ++world->count;
    tact_body_flag_self_collision(world, (uint32_t)index, body->flags & STATE_SELF_COLLISION);
    return true;
}

static bool insert_all(tact_world *world, const world_state *s, tact_report *report)
{
    index_roles r = {.count = s->body_count + s->free_index_count + s->removed_count};
    if (r.count == 0)
        return true;
    r.bodies = tact_memory_allocate(&world->allocator, r.count, sizeof *r.bodies);
    r.vacant = tact_memory_allocate(&world->allocator, r.count, sizeof *r.vacant);
    bool ok = r.bodies != NULL && r.vacant != NULL &&
              world_body_array_reserve(&world->bodies, &world->allocator, r.count) &&
              world_body_cold_array_reserve(&world->cold, &world->allocator, r.count) &&
              body_index_array_reserve(&world->moved, &world->allocator, r.count) &&
              body_index_array_reserve(&world->self_colliding, &world->allocator, r.count);
    if (!ok)
        (void)out_of_memory(report);
    ok = ok && set_roles(&r, s, report);
    while (ok && world->bodies.count < r.count)
        ok = insert(world, &r, s, report);
    tact_memory_free(&world->allocator, r.bodies, r.count, sizeof *r.bodies);
    tact_memory_free(&world->allocator, r.vacant, r.count, sizeof *r.vacant);
    for (size_t i = 0; ok && i < s->free_index_count; ++i)
        (void)tact_broad_remove(world->broad, s->free_indices[i].index);
    if (ok && tact_broad_update(world->broad, NULL) != TACT_OK)
        ok = out_of_memory(report);
    for (size_t i = 0; ok && i < s->removed_count; ++i)
        (void)tact_broad_remove(world->broad, s->removed[i].index);
    return ok;
}

static bool check_status(tact_status status, const char *what, size_t proxy, tact_report *report)
{
    if (status == TACT_OUT_OF_MEMORY)
        return out_of_memory(report);
    return status == TACT_OK || reject(report, what, proxy);
}

static tact_body handle_at(const tact_world *world, uint32_t index)
{
    return index < world->bodies.count ? body_handle(world, index) : (tact_body){0, 0};
}

static bool set_responses(tact_world *world, const world_state *s, tact_report *report)
{
    bool ok = check_status(tact_world_set_contact_callback(world, s->response), "the response of the world is invalid",
                           0, report);
    for (size_t i = 0; ok && i < s->body_count; ++i)
        if (s->bodies[i].flags & STATE_HAS_RESPONSE)
            ok = check_status(tact_body_set_contact_callback(world, s->bodies[i].body, s->bodies[i].response),
                              "the response of body %zu is invalid", s->bodies[i].body.index, report);
    for (size_t i = 0; ok && i < s->class_count; ++i) {
        const response_state *r = &s->classes[i];
        ok = check_status(r->one == 0 ? tact_class_set_contact_callback(world, r->two, r->response)
                                      : tact_classes_set_contact_callback(world, r->one, r->two, r->response),
                          "class response %zu is invalid", i, report);
    }
    for (size_t i = 0; ok && i < s->pair_count; ++i) {
        const response_state *r = &s->pairs[i];
        ok = check_status(
            tact_pair_set_contact_callback(world, handle_at(world, r->one), handle_at(world, r->two), r->response),
            "pair response %zu is invalid", i, report);
    }
    return ok;
}

static bool store_axes(tact_world *world, const world_state *s, tact_report *report)
{
    if (!cached_axis_array_reserve(&world->axes, &world->allocator, s->axis_count))
        return out_of_memory(report);
    for (size_t i = 0; i < s->axis_count; ++i) {
        const axis_state *axis = &s->axes[i];
        if (axis->one >= axis->two || axis->two >= world->bodies.count)
            return reject(report, "cached axis %zu does not name a pair of bodies", i);
        world->axes.items[world->axes.count++] = (broad_pair){axis->one, axis->two, axis->data};
    }
    return true;
}

/* Whether a body exists, or did. The body that an index gets next has not. */
static bool handle_was_given(const tact_world *world, tact_body body)
{
    if (body.index >= world->bodies.count || body.generation == 0)
        return false;
    const world_body *hot = &world->bodies.items[body.index];
    return hot->flags & BODY_ALIVE || hot->generation != body.generation;
}

static bool store_reported(tact_world *world, const world_state *s, tact_report *report)
{
    reported_pair_array *last = &world->phases.last;
    if (!reported_pair_array_reserve(last, &world->allocator, s->reported_count))
        return out_of_memory(report);
    for (size_t i = 0; i < s->reported_count; ++i) {
        const reported_pair *pair = &s->reported[i];
        const world_body *a = body_find(world, pair->a), *b = body_find(world, pair->b);
        if (!handle_was_given(world, pair->a) || !handle_was_given(world, pair->b) ||
            (a != NULL && b != NULL && a->serial > b->serial) ||
            (pair->a.index == pair->b.index && pair->a.generation != pair->b.generation) ||
            (i > 0 && tact_reported_pair_key(pair) <= tact_reported_pair_key(pair - 1)))
            return reject(report, "reported pair %zu is not a pair of bodies, or out of order", i);
        last->items[last->count++] = *pair;
    }
    return true;
}

/* The mass, motion plan, vertex plan and poll interval of a body. */
static bool restore_extras(tact_world *world, const body_state *b, tact_report *report)
{
    const uint32_t index = b->body.index;
    world_body_cold *cold = &world->cold.items[index];
    if (!(b->poll_interval >= 0.0) || !(b->poll_interval < INFINITY))
        return reject(report, "the poll interval of body %zu is negative or not finite", index);
    cold->poll_interval = b->poll_interval;
    if (!tact_material_is_valid(&b->material))
        return reject(report, "body %zu has an invalid material", index);
    cold->material = b->material;
    if (b->has_mass) {
        tact_status status = TACT_BAD_ARGUMENT;
        if (cold->deform == NULL && shape_can_have_mass(world->bodies.items[index].shape))
            cold->rigid =
                tact_rigid_body_restore(&b->mass, world->bodies.items[index].shape, &world->allocator, &status);
        if (cold->rigid == NULL)
            return status == TACT_OUT_OF_MEMORY ? out_of_memory(report)
                                                : reject(report, "body %zu has an invalid mass or inertia", index);
    }
    if (b->has_motion_plan) {
        cold->motion_plan = tact_memory_allocate(&world->allocator, 1, sizeof *cold->motion_plan);
        if (cold->motion_plan == NULL)
            return out_of_memory(report);
        *cold->motion_plan = b->motion_plan;
        cold->motion_plan->plan.motion = tact_motion_still();
    }
    if (b->vertex_plan != NULL) { /* checked when the time is known: advance/advance_state.h */
        cold->vertex_plan = tact_vertex_plan_copy(b->vertex_plan, &world->allocator);
        if (cold->vertex_plan == NULL)
            return out_of_memory(report);
        ++world->vertex_plan_count;
    }
    return true;
}

static bool restore_all_extras(tact_world *world, const world_state *s, tact_report *report)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->body_count; ++i)
        ok = restore_extras(world, &s->bodies[i], report);
    return ok;
}

tact_world *tact_world_from_state(const world_state *s, tact_report *report)
{
    tact_world_def def = {
        .broad_phase = s->active, .uncached = !s->caching, .allocator = s->allocator, .parallel = s->parallel};
    if ((s->active != TACT_BROAD_SWEEP_AND_PRUNE && s->active != TACT_BROAD_TREE) ||
        (s->broad != s->active && s->broad != TACT_BROAD_AUTO)) {
        (void)reject(report, "the broad phase is unknown", 0);
        return NULL;
    }
    tact_world *world = tact_world_create(&def);
    if (world == NULL) {
        (void)out_of_memory(report);
        return NULL;
    }
    if (!insert_all(world, s, report) || !restore_all_extras(world, s, report) || !set_responses(world, s, report) ||
        !store_axes(world, s, report) || !store_reported(world, s, report) ||
        !check_status(tact_world_set_gravity(world, s->gravity), "the gravity is invalid", 0, report) ||
        !check_status(tact_world_set_broad_phase(world, s->broad), "the broad phase is unknown", 0, report)) {
        tact_world_release(world);
        return NULL;
    }
    world->serial = s->serial;
    world->never_sleeps = s->never_sleeps;
    world->contact_events = s->contact_events;
    (void)tact_report_clear(report);
    return world;
}

tact_status tact_world_update(tact_world *world)
{
    tact_status status = tact_broad_update(world->broad, NULL);
    if (status == TACT_OK && world->axes.count > 0)
        tact_world_restore_axes(world);
    return status;
}
