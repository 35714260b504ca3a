/*
 * A world taken apart and put together again: see state.h.
 *
 * Putting together: all indices are inserted into a new broad phase in order, which numbers them so. Those that are
 * unused are taken out at once, in the order in which they are to be given again, and an update then makes that order.
 * What pairs remember waits for the next update (see tact_world_test), as only that tells which pairs were there all
 * the time. Linear, but for the update: O(n log n).
 */
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "world/body_bounds.h"
#include "world/world_internal.h"

#define STATE_FLAGS ((uint32_t)(STATE_MOVED | STATE_FIXED | STATE_RESPONDS))

_Static_assert((int)STATE_MOVED == (int)BODY_MOVED && (int)STATE_FIXED == (int)BODY_FIXED &&
                   (int)STATE_RESPONDS == (int)BODY_RESPONDS,
               "flags are handed over as they are");

/* ---- taking apart ---- */

static tact_broad_phase broad_of(broad_engine engine)
{
    return engine == BROAD_SWEEP  ? TACT_BROAD_SWEEP_AND_PRUNE
           : engine == BROAD_TREE ? TACT_BROAD_TREE
                                  : TACT_BROAD_AUTO;
}

world_state tact_world_describe(const tact_world *world)
{
    return (world_state){.broad = broad_of(tact_broad_get_engine(world->broad)),
                         .working = broad_of(tact_broad_active_engine(world->broad)),
                         .caching = world->caching,
                         .serial = world->serial,
                         .response = world->response};
}

uint32_t tact_world_index_count(const tact_world *world) { return (uint32_t)world->lines.count; }

bool tact_world_body_at(const tact_world *world, uint32_t index, body_state *body)
{
    const body_line *line = &world->lines.items[index];
    const body_rest *rest = &world->rests.items[index];
    if (!(line->flags & BODY_ALIVE))
        return false;
    broad_filter filter = tact_broad_get_filter(world->broad, index);
    *body = (body_state){.name = body_name(world, index),
                         .serial = line->serial,
                         .shape = line->shape,
                         .shape_before = rest->shape_before,
                         .place = tact_body_transform_now(world, index),
                         .before = rest->before,
                         .motion = tact_body_motion_now(world, index),
                         .category = filter.category,
                         .mask = filter.mask,
                         .user = rest->user,
                         .class_id = rest->class_id,
                         .flags = line->flags & STATE_FLAGS};
    if (memcmp(&body->place, &rest->before, sizeof body->place) != 0)
        body->flags |= STATE_MOVED; /* by its own motion: see tact_world_sync_transforms */
    if (line->flags & BODY_RESPONDS)
        body->response = rest->response;
    body->has_mass = rest->rigid != NULL;
    if (body->has_mass)
        body->mass = *rest->rigid;
    body->has_motion_plan = rest->motion_plan != NULL;
    if (body->has_motion_plan)
        body->motion_plan = *rest->motion_plan;
    body->poll_interval = rest->poll;
    const deform *d = rest->deform;
    if (d == NULL)
        return true;
    body->flags |= STATE_DEFORMS | (d->apart ? (uint32_t)STATE_APART : 0u);
    body->shape = d->original;
    body->deform = (deform_state){.original = d->original,
                                  .twins = {d->twins[0], d->twins[1]},
                                  .refitted = {d->twins[0]->mesh->refit_count, d->twins[1]->mesh->refit_count},
                                  .stale_count = (uint32_t)d->stale_count,
                                  .apart = d->apart,
                                  .now = line->shape == d->twins[1],
                                  .before = rest->shape_before == d->twins[0]   ? 0
                                            : rest->shape_before == d->twins[1] ? 1
                                                                                : DEFORM_OTHER};
    memcpy(body->deform.stale, d->stale, d->stale_count * sizeof *d->stale);
    return true;
}

static index_state index_at(const tact_world *world, uint32_t index)
{
    const body_line *line = &world->lines.items[index];
    return (index_state){index, line->generation, line->flags & STATE_MOVED};
}

bool tact_world_next_unused(const tact_world *world, uint64_t *place, index_state *index)
{
    uint32_t next = tact_broad_next_free(world->broad, *place == 0 ? BROAD_NONE : (uint32_t)(*place - 1));
    if (next == BROAD_NONE)
        return false;
    *place = (uint64_t)next + 1;
    *index = index_at(world, next);
    return true;
}

bool tact_world_next_removed(const tact_world *world, uint64_t *place, index_state *index)
{
    uint32_t next = tact_broad_removed(world->broad, (size_t)*place);
    if (next == BROAD_NONE)
        return false;
    ++*place;
    *index = index_at(world, next);
    return true;
}

static bool next_response(const response_table *table, uint64_t *place, response_state *response)
{
    for (; *place < table->size; ++*place) {
        const response_entry *entry = &table->entries[*place];
        if (entry->stamp == 0)
            continue;
        *response = (response_state){(uint32_t)(entry->key >> 32), (uint32_t)entry->key, entry->response};
        ++*place;
        return true;
    }
    return false;
}

bool tact_world_next_class_response(const tact_world *world, uint64_t *place, response_state *response)
{
    return next_response(&world->classes, place, response);
}

bool tact_world_next_pair_response(const tact_world *world, uint64_t *place, response_state *response)
{
    while (next_response(&world->pairs, place, response)) {
        const body_line *one = &world->lines.items[response->one], *two = &world->lines.items[response->two];
        uint64_t stamp = (uint64_t)one->generation << 32 | two->generation;
        if ((one->flags & two->flags & BODY_ALIVE) && world->pairs.entries[*place - 1].stamp == stamp)
            return true;
    }
    return false;
}

bool tact_world_next_axis(const tact_world *world, uint64_t *place, axis_state *axis)
{
    if (world->axes.count > 0) { /* a restored world that has not been tested yet */
        if (*place >= world->axes.count)
            return false;
        const broad_pair *kept = &world->axes.items[(*place)++];
        *axis = (axis_state){kept->a, kept->b, kept->data};
        return true;
    }
    uint32_t slot = *place == 0 ? BROAD_NONE : (uint32_t)(*place - 1);
    while ((slot = tact_broad_next_pair(world->broad, slot)) != BROAD_NONE) {
        const broad_pair *pair = tact_broad_pair(world->broad, slot);
        if (pair->data == 0)
            continue;
        *place = (uint64_t)slot + 1;
        *axis = (axis_state){pair->a, pair->b, pair->data};
        return true;
    }
    return false;
}

/* ---- putting together ---- */

static bool refuse(tact_report *report, const char *what, size_t number)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, what, number);
    return false;
}

static bool no_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for the world");
    return false;
}

/* What becomes of each index while a world is put together. */
typedef struct roles {
    const body_state **bodies; /* by index; NULL: there is none */
    const index_state **gone;  /* likewise */
    size_t count;
} roles;

static bool take_role(roles *r, uint32_t index, const body_state *body, const index_state *gone, tact_report *report)
{
    if (index >= r->count)
        return refuse(report, "index %zu is beyond the number of them", index);
    if (r->bodies[index] != NULL || r->gone[index] != NULL)
        return refuse(report, "index %zu is there twice", index);
    if ((body != NULL ? body->name.generation : gone->generation) == 0)
        return refuse(report, "index %zu has no generation", index);
    r->bodies[index] = body;
    r->gone[index] = gone;
    return true;
}

static bool cast(roles *r, const world_state *s, tact_report *report)
{
    for (size_t i = 0; i < r->count; ++i) {
        r->bodies[i] = NULL;
        r->gone[i] = NULL;
    }
    for (size_t i = 0; i < s->body_count; ++i)
        if (!take_role(r, s->bodies[i].name.index, &s->bodies[i], NULL, report))
            return false;
    for (size_t i = 0; i < s->unused_count; ++i)
        if (!take_role(r, s->unused[i].index, NULL, &s->unused[i], report))
            return false;
    for (size_t i = 0; i < s->removed_count; ++i)
        if (!take_role(r, s->removed[i].index, NULL, &s->removed[i], report))
            return false;
    return true; /* as many as there are indices, none twice: all */
}

static bool examine(const body_state *body, const world_state *s, double *reach, box *fitted, tact_report *report)
{
    tact_report why;
    size_t index = body->name.index;
    const tact_motion *m = &body->motion;
    if (!vec_finite(m->velocity) || !vec_finite(m->acceleration) || !vec_finite(m->spin))
        return refuse(report, "the motion of body %zu holds a NaN or an infinity", index);
    if (tact_transform_check(&body->place, &why) != TACT_OK || tact_transform_check(&body->before, &why) != TACT_OK) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "body %zu: %.120s", index, why.text);
        return false;
    }
    if (body->category == 0 || body->mask == 0)
        return refuse(report, "body %zu has no category or no mask", index);
    if (body->serial >= s->serial)
        return refuse(report, "body %zu was made later than the last one", index);
    bool fixed = body->flags & STATE_FIXED;
    const deform_state *d = body->flags & STATE_DEFORMS ? &body->deform : NULL;
    const tact_shape *shape = d != NULL ? d->twins[d->now == 1 ? 1 : 0] : body->shape;
    const tact_shape *before = d != NULL && d->before < DEFORM_OTHER ? d->twins[d->before] : body->shape_before;
    *reach = 0.0;
    if (tact_body_fit(before, &body->before, NULL, fitted) != TACT_OK ||
        (fixed && tact_body_reach(shape, reach) != TACT_OK) ||
        tact_body_fit(shape, &body->place, fixed ? reach : NULL, fitted) != TACT_OK)
        return refuse(report, "body %zu has no bounds", index);
    if (!(body->flags & STATE_MOVED) &&
        (shape != before || memcmp(&body->place, &body->before, sizeof body->place) != 0))
        return refuse(report, "body %zu has not moved, but was another one before", index);
    return true;
}

/* Have the twins of a deformable body nothing of their own but vertices, and do these differ only where they are told
 * to? Their faces are the same. */
static bool twins_agree(const deform_state *d)
{
    const mesh *original = d->original->mesh;
    for (int i = 0; i < 2; ++i)
        if (d->twins[i]->margin != d->original->margin || d->twins[i]->mesh->solid != original->solid ||
            (d->refitted[i] > 0 && d->refitted[i] >= d->twins[i]->mesh->element_count))
            return false;
    if (d->apart)
        return true;
    const tact_vec3 *one = d->twins[0]->mesh->vertices, *other = d->twins[1]->mesh->vertices;
    uint32_t from = 0;
    for (uint32_t i = 0; i < d->stale_count; from = d->stale[i++].end)
        if (memcmp(one + from, other + from, (d->stale[i].first - from) * sizeof *one) != 0)
            return false;
    return memcmp(one + from, other + from, (d->twins[0]->mesh->vertex_count - from) * sizeof *one) == 0;
}

/* Inserts what is at the next index, or a stand-in for what will be taken out again: a point that meets nothing, by
 * itself far away so that it costs no comparisons. */
static bool insert(tact_world *world, const roles *r, const world_state *s, tact_report *report)
{
    size_t index = world->lines.count;
    const body_state *body = r->bodies[index];
    double reach = 0.0;
    deform *deformed = NULL;
    box fitted = box_of_point(vec_make((double)index * 16.0, 1e30, 1e30));
    broad_filter filter = {0, 0};
    uint32_t number;
    if (body != NULL) {
        if (!examine(body, s, &reach, &fitted, report))
            return false;
        filter = (broad_filter){body->category, body->mask};
        tact_status status = TACT_OK;
        if (body->flags & STATE_DEFORMS)
            deformed = tact_deform_restore(&body->deform, &world->boxes, &world->allocator, &status);
        if (deformed != NULL && !twins_agree(&body->deform)) {
            tact_deform_free(deformed);
            status = TACT_BAD_ARGUMENT;
        }
        if (status != TACT_OK)
            return status == TACT_OUT_OF_MEMORY ? no_memory(report)
                                                : refuse(report, "body %zu cannot deform as it is told to", index);
    }
    if (tact_broad_insert(world->broad, &fitted, filter, &number) != TACT_OK) {
        tact_deform_free(deformed);
        return no_memory(report);
    }
    world->lines.count = world->rests.count = index + 1;
    body_line *line = &world->lines.items[index];
    body_rest *rest = &world->rests.items[index];
    *line = (body_line){.generation = body != NULL ? body->name.generation : r->gone[index]->generation};
    *rest = (body_rest){0};
    line->flags =
        body != NULL ? (body->flags & (STATE_MOVED | STATE_FIXED)) | BODY_ALIVE : r->gone[index]->flags & STATE_MOVED;
    if (line->flags & BODY_MOVED)
        world->moved.items[world->moved.count++] = (uint32_t)index;
    if (body == NULL)
        return true;
    const tact_shape *shape = deformed != NULL ? deformed->twins[body->deform.now] : body->shape;
    const tact_shape *before = deformed != NULL && body->deform.before != DEFORM_OTHER
                                   ? deformed->twins[body->deform.before]
                                   : body->shape_before;
    line->place = body->place;
    line->shape = tact_shape_retain(shape);
    line->serial = body->serial;
    *rest = (body_rest){.before = body->before,
                        .shape_before = tact_shape_retain(before),
                        .motion = body->motion,
                        .user = body->user,
                        .reach = reach,
                        .deform = deformed,
                        .class_id = body->class_id};
    ++world->count;
    return true;
}

static bool insert_all(tact_world *world, const world_state *s, tact_report *report)
{
    roles r = {.count = s->body_count + s->unused_count + s->removed_count};
    if (r.count == 0)
        return true;
    r.bodies = tact_memory_allocate(&world->allocator, r.count, sizeof *r.bodies);
    r.gone = tact_memory_allocate(&world->allocator, r.count, sizeof *r.gone);
    bool good = r.bodies != NULL && r.gone != NULL && line_array_reserve(&world->lines, &world->allocator, r.count) &&
                rest_array_reserve(&world->rests, &world->allocator, r.count) &&
                index_array_reserve(&world->moved, &world->allocator, r.count);
    if (!good)
        (void)no_memory(report);
    good = good && cast(&r, s, report);
    while (good && world->lines.count < r.count)
        good = insert(world, &r, s, report);
    tact_memory_free(&world->allocator, r.bodies, r.count, sizeof *r.bodies);
    tact_memory_free(&world->allocator, r.gone, r.count, sizeof *r.gone);
    for (size_t i = 0; good && i < s->unused_count; ++i)
        (void)tact_broad_remove(world->broad, s->unused[i].index);
    if (good && tact_broad_update(world->broad, NULL) != TACT_OK)
        good = no_memory(report);
    for (size_t i = 0; good && i < s->removed_count; ++i)
        (void)tact_broad_remove(world->broad, s->removed[i].index);
    return good;
}

static bool answer_as(tact_status status, const char *what, size_t number, tact_report *report)
{
    if (status == TACT_OUT_OF_MEMORY)
        return no_memory(report);
    return status == TACT_OK || refuse(report, what, number);
}

static tact_body name_at(const tact_world *world, uint32_t index)
{
    return index < world->lines.count ? body_name(world, index) : (tact_body){0, 0};
}

static bool set_responses(tact_world *world, const world_state *s, tact_report *report)
{
    bool good =
        answer_as(tact_world_set_contact_callback(world, s->response), "the default response is not usable", 0, report);
    for (size_t i = 0; good && i < s->body_count; ++i)
        if (s->bodies[i].flags & STATE_RESPONDS)
            good = answer_as(tact_body_set_contact_callback(world, s->bodies[i].name, s->bodies[i].response),
                             "the response of body %zu is not usable", s->bodies[i].name.index, report);
    for (size_t i = 0; good && i < s->class_count; ++i) {
        const response_state *r = &s->classes[i];
        good = answer_as(r->one == 0 ? tact_class_set_contact_callback(world, r->two, r->response)
                                     : tact_classes_set_contact_callback(world, r->one, r->two, r->response),
                         "class response %zu is not usable", i, report);
    }
    for (size_t i = 0; good && i < s->pair_count; ++i) {
        const response_state *r = &s->pairs[i];
        good = answer_as(
            tact_pair_set_contact_callback(world, name_at(world, r->one), name_at(world, r->two), r->response),
            "pair response %zu is not usable", i, report);
    }
    return good;
}

static bool keep_axes(tact_world *world, const world_state *s, tact_report *report)
{
    if (!axis_array_reserve(&world->axes, &world->allocator, s->axis_count))
        return no_memory(report);
    for (size_t i = 0; i < s->axis_count; ++i) {
        const axis_state *axis = &s->axes[i];
        if (axis->one >= axis->two || axis->two >= world->lines.count)
            return refuse(report, "axis %zu is that of no pair", i);
        world->axes.items[world->axes.count++] = (broad_pair){axis->one, axis->two, axis->word};
    }
    return true;
}

/* The mass, motion plan and poll interval of a body. */
static bool equip(tact_world *world, const body_state *b, tact_report *report)
{
    const uint32_t index = b->name.index;
    body_rest *rest = &world->rests.items[index];
    if (!(b->poll_interval >= 0.0) || !(b->poll_interval < INFINITY))
        return refuse(report, "body %zu is polled at no interval", index);
    rest->poll = b->poll_interval;
    if (b->has_mass) {
        tact_status status = TACT_BAD_ARGUMENT;
        if (rest->deform == NULL)
            rest->rigid =
                tact_rigid_body_restore(&b->mass, world->lines.items[index].shape, &world->allocator, &status);
        if (rest->rigid == NULL)
            return status == TACT_OUT_OF_MEMORY
                       ? no_memory(report)
                       : refuse(report, "body %zu has a mass or an inertia that nothing can have", index);
    }
    if (b->has_motion_plan) {
        rest->motion_plan = tact_memory_allocate(&world->allocator, 1, sizeof *rest->motion_plan);
        if (rest->motion_plan == NULL)
            return no_memory(report);
        *rest->motion_plan = b->motion_plan;
        rest->motion_plan->plan.motion = tact_motion_still();
    }
    return true;
}

static bool equip_all(tact_world *world, const world_state *s, tact_report *report)
{
    bool good = true;
    for (size_t i = 0; good && i < s->body_count; ++i)
        good = equip(world, &s->bodies[i], report);
    return good;
}

tact_world *tact_world_assemble(const world_state *s, tact_report *report)
{
    tact_world_def def = {
        .broad_phase = s->working, .uncached = !s->caching, .allocator = s->allocator, .parallel = s->parallel};
    if ((s->working != TACT_BROAD_SWEEP_AND_PRUNE && s->working != TACT_BROAD_TREE) ||
        (s->broad != s->working && s->broad != TACT_BROAD_AUTO)) {
        (void)refuse(report, "there is no such broad phase", 0);
        return NULL;
    }
    tact_world *world = tact_world_create(&def);
    if (world == NULL) {
        (void)no_memory(report);
        return NULL;
    }
    if (!insert_all(world, s, report) || !equip_all(world, s, report) || !set_responses(world, s, report) ||
        !keep_axes(world, s, report) ||
        !answer_as(tact_world_set_broad_phase(world, s->broad), "there is no such broad phase", 0, report)) {
        tact_world_release(world);
        return NULL;
    }
    world->serial = s->serial;
    (void)tact_report_clear(report);
    return world;
}

tact_status tact_world_update(tact_world *world)
{
    tact_status status = tact_broad_update(world->broad, NULL);
    if (status == TACT_OK && world->axes.count > 0)
        tact_world_give_axes(world);
    return status;
}
