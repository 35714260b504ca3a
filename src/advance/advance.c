/*
 * A world through continuous time: its state, and the loop over events. See advance.h for terms and rules.
 *
 * Cost of an event: O(log n) in the queue, plus the search for neighbours if a bound has expired, plus a visit of each
 * neighbour of the body.
 */
#include "advance/advance.h"

#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "advance/deforming_pair.h"
#include "advance/impact_group.h"
#include "advance/surface_motion.h"
#include "advance/touch_features.h"
#include "core/memory.h"
#include "core/number.h"
#include "world/work.h"
#include "world/world_state.h"

/* ---- state ---- */

void tact_advance_free(advance *ad, const tact_allocator *allocator)
{
    if (ad == NULL)
        return;
    body_motion_array_release(&ad->motions, allocator);
    for (size_t i = 0; i < ad->cold.count; ++i) {
        tact_surface_window_release(ad->cold.items[i].surface);
        tact_shape_release(ad->cold.items[i].centred);
    }
    body_motion_cold_array_release(&ad->cold, allocator);
    for (size_t i = 0; i < ad->predictions.count; ++i)
        tact_deforming_pair_release(ad->predictions.items[i].deforming, allocator);
    prediction_array_release(&ad->predictions, allocator);
    vec_array_release(&ad->positions, allocator);
    tact_fat_bounds_release(&ad->fat_bounds, allocator);
    tact_body_sweep_release(&ad->sweep, allocator);
    tact_neighbours_release(&ad->neighbours, allocator);
    tact_event_queue_release(&ad->queue, allocator);
    tact_event_ties_release(&ad->ties, allocator);
    body_index_array_release(&ad->dirty, allocator);
    body_index_array_release(&ad->jumped, allocator);
    tact_contact_graph_release(&ad->contacts, allocator);
    touch_array_release(&ad->restored_touches, allocator);
    for (size_t i = 0; i < ad->restored_pairs.count; ++i)
        tact_deforming_pair_release(ad->restored_pairs.items[i].pair, allocator);
    restored_pair_array_release(&ad->restored_pairs, allocator);
    tact_memory_free(allocator, ad, 1, sizeof *ad);
}

/* Two bodies are no longer neighbours. */
static void free_prediction(void *context, uint32_t prediction) { tact_prediction_free(context, prediction); }

tact_status tact_advance_reserve(tact_world *world)
{
    const tact_allocator *allocator = &world->allocator;
    advance *ad = world->advance;
    if (ad == NULL) {
        ad = tact_memory_allocate(allocator, 1, sizeof *ad);
        if (ad == NULL)
            return TACT_OUT_OF_MEMORY;
        *ad = (advance){.neighbours = tact_neighbours_empty(),
                        .unused_prediction = NEIGHBOUR_NONE,
                        .allocator = *allocator,
                        .contacts = contact_graph_empty(),
                        .reported = {NEIGHBOUR_NONE, NEIGHBOUR_NONE}};
        ad->neighbours.on_remove = free_prediction;
        ad->neighbours.context = ad;
        ad->fat_bounds = tact_fat_bounds_empty(&ad->neighbours);
        ad->engine = ad->choice.wanted = TACT_KINETIC_FAT_BOUNDS;
        tact_body_sweep_init(ad);
        world->advance = ad;
        tact_world_extend(world, WORLD_EXTENSION_ADVANCE, &tact_advance_extension);
    }
    const size_t count = world->bodies.count;
    if (contact_graph_is_full(&ad->contacts, count) && !tact_contact_graph_reserve(&ad->contacts, allocator, count))
        return TACT_OUT_OF_MEMORY;
    if (count <= ad->motions.count)
        return TACT_OK;
    if (!body_motion_array_reserve(&ad->motions, allocator, count) ||
        !body_motion_cold_array_reserve(&ad->cold, allocator, count) ||
        !body_index_array_reserve(&ad->dirty, allocator, count) ||
        !body_index_array_reserve(&ad->jumped, allocator, count) ||
        !tact_fat_bounds_reserve(&ad->fat_bounds, allocator, (uint32_t)count) ||
        !tact_event_queue_reserve(&ad->queue, allocator, (uint32_t)count) ||
        (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE &&
         !tact_body_sweep_reserve(&ad->sweep, allocator, (uint32_t)count)))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = ad->motions.count; i < count; ++i) {
        ad->motions.items[ad->motions.count++] = (body_motion){.start_time = ad->time, .sphere_radius = NOT_A_SPHERE};
        ad->cold.items[ad->cold.count++] = (body_motion_cold){.event_other = NEIGHBOUR_NONE,
                                                              .motion_set_at = INFINITY,
                                                              .jumped_at = -INFINITY,
                                                              .extent_min = {INFINITY, INFINITY, INFINITY},
                                                              .extent_max = {-INFINITY, -INFINITY, -INFINITY},
                                                              .window_min = {INFINITY, INFINITY, INFINITY},
                                                              .window_max = {-INFINITY, -INFINITY, -INFINITY}};
        if (world->bodies.items[i].flags & BODY_ALIVE)
            tact_advance_mark_changed(world, (uint32_t)i);
    }
    return TACT_OK;
}

void tact_advance_mark_motion_changed(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->motions.count)
        return; /* new bodies become dirty when memory is reserved for them */
    ad->cold.items[index].motion_updated = ad->cold.items[index].restored = false;
    if (ad->cold.items[index].centred != NULL) /* its extents are those about a pivot */
        ad->cold.items[index].needs_refit = true;
    if (world->cold.items[index].motion_plan == NULL)
        ad->cold.items[index].plan = NULL; /* it has been freed */
    if (ad->cold.items[index].dirty)
        return;
    ad->cold.items[index].dirty = true;
    ad->dirty.items[ad->dirty.count++] = index;
}

void tact_advance_mark_changed(tact_world *world, uint32_t index)
{
    tact_advance_mark_motion_changed(world, index);
    if (world->advance != NULL && index < world->advance->motions.count)
        world->advance->cold.items[index].needs_refit = true;
}

void tact_advance_remove_body(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->motions.count)
        return;
    tact_event_queue_cancel(&ad->queue, index);
    if (fat_bounds_has(&ad->fat_bounds, index))
        tact_fat_bounds_remove(&ad->fat_bounds, index);
    tact_body_sweep_remove(world, index);
    body_motion_cold *cold = &ad->cold.items[index];
    cold->version = ++ad->last_version; /* events with it are stale */
    cold->margin = cold->motion_lifetime = 0.0;
    cold->unsuccessful_refits = 0;
    cold->motion_set_at = INFINITY;
    cold->broad_outdated = cold->jumps = cold->jump_pending = false;
    cold->jumped_at = -INFINITY;
    cold->plan = NULL;
    cold->vertices = NULL;
    tact_surface_window_release(cold->surface);
    cold->surface = NULL;
    tact_shape_release(cold->centred);
    cold->centred = NULL;
    cold->is_surface = false;
    cold->extent_min = cold->window_min = vec_make(INFINITY, INFINITY, INFINITY); /* no extents of the body before */
    cold->extent_max = cold->window_max = vec_make(-INFINITY, -INFINITY, -INFINITY);
    if (cold->self_prediction != 0)
        tact_prediction_free(ad, cold->self_prediction - 1);
    cold->self_prediction = 0;
    tact_contact_body_removed(world, index);
    tact_advance_discard_restored_touches(ad, index);
    if (ad->reported[0] == index ||
        ad->reported[1] == index) { /* the event of the other one is still to be scheduled */
        ad->reported[0] = ad->reported[ad->reported[0] == index ? 1 : 0];
        ad->reported[1] = NEIGHBOUR_NONE;
    }
    tact_advance_mark_changed(world, index);
}

/* ---- engine and changes ---- */

/* The engine that should be at work. */
static tact_kinetic wanted_engine(const tact_world *world)
{
    if (world->bodies.count > BODY_SWEEP_MAX_BODIES)
        return TACT_KINETIC_FAT_BOUNDS;
    return world->kinetic != TACT_KINETIC_AUTO ? world->kinetic : world->advance->choice.wanted;
}

static tact_status choose_engine(tact_world *world)
{
    const advance *ad = world->advance;
    const tact_kinetic engine = wanted_engine(world);
    if (engine == ad->engine && !ad->engine_change_pending)
        return TACT_OK;
    return engine == TACT_KINETIC_SWEEP_AND_PRUNE ? tact_advance_use_sweep(world) : tact_advance_use_fat_bounds(world);
}

/* Updates the motions of dirty bodies. */
static tact_status update_motions(tact_world *world)
{
    advance *ad = world->advance;
    tact_status status = TACT_OK;
    for (size_t i = 0; i < ad->dirty.count && status == TACT_OK; ++i) {
        const uint32_t index = ad->dirty.items[i];
        if (!(world->bodies.items[index].flags & BODY_ALIVE) || ad->cold.items[index].motion_updated)
            continue;
        status = tact_body_motion_update(world, index);
        ad->cold.items[index].motion_updated = status == TACT_OK;
        ad->effort.motions += status == TACT_OK;
    }
    if (status == TACT_OK && ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE)
        status = tact_body_sweep_insert_pending(world);
    if (status == TACT_OK && (ad->restored_touches.count > 0 || ad->restored_pairs.count > 0))
        status = tact_advance_apply_restored_touches(world);
    return status;
}

/* Schedules the events of dirty bodies, of the bodies of the last report, and of all bodies after a change of engine.
 */
static tact_status schedule_events(tact_world *world)
{
    advance *ad = world->advance;
    tact_status status = TACT_OK;
    for (uint32_t i = 0; i < ad->motions.count && status == TACT_OK && ad->events_outdated; ++i)
        if (ad->cold.items[i].moves && advance_has_bound(ad, i) && !ad->cold.items[i].dirty)
            status = tact_event_schedule(world, i);
    for (size_t i = 0; i < ad->dirty.count && status == TACT_OK; ++i) {
        const uint32_t index = ad->dirty.items[i];
        if (!(world->bodies.items[index].flags & BODY_ALIVE))
            continue;
        tact_impact_group_mark(ad, index);
        if (ad->cold.items[index].moves) {
            status = tact_event_schedule(world, index);
            continue;
        }
        tact_event_queue_cancel(&ad->queue, index); /* a body at rest has no event; its neighbours have those with it */
        const neighbour_span all = neighbours_of(&ad->neighbours, index);
        for (uint32_t k = 0; k < all.count && status == TACT_OK; ++k)
            if (ad->cold.items[all.items[k].index].moves && !ad->cold.items[all.items[k].index].dirty)
                status = tact_event_schedule(world, all.items[k].index);
    }
    for (int i = 0; i < 2 && status == TACT_OK && ad->reported[i] != NEIGHBOUR_NONE; ++i) {
        const body_motion_cold *cold = &ad->cold.items[ad->reported[i]];
        if (cold->moves && !cold->dirty)
            status = tact_event_schedule(world, ad->reported[i]);
    }
    return status;
}

/* Applies the changes of bodies since the last call: first all motions, then all events, so that each event is
 * predicted from the motions that will hold. On failure the rest is done with the next call. */
static tact_status apply_changes(tact_world *world)
{
    advance *ad = world->advance;
    if (ad->dirty.count > 0 && !ad->batch_open)
        ++ad->batch;
    ad->batch_open = ad->dirty.count > 0;
    tact_status status = update_motions(world);
    if (status == TACT_OK)
        status = schedule_events(world);
    if (status != TACT_OK)
        return status;
    for (size_t i = 0; i < ad->dirty.count; ++i) {
        body_motion_cold *cold = &ad->cold.items[ad->dirty.items[i]];
        cold->dirty = cold->needs_refit = cold->motion_updated = cold->restored = false;
    }
    ad->dirty.count = 0;
    ad->batch_open = false;
    ad->events_outdated = ad->unpredicted = false;
    ad->reported[0] = ad->reported[1] = NEIGHBOUR_NONE;
    return TACT_OK;
}

/* ---- events ---- */

/* The next swap of the kinetic sweep and prune. */
static tact_status process_swap(tact_world *world)
{
    body_sweep *s = &world->advance->sweep;
    tact_status status = TACT_OK;
    if (s->began[0] == NEIGHBOUR_NONE)
        status = tact_body_sweep_step(world);
    if (status == TACT_OK && s->began[0] != NEIGHBOUR_NONE)
        status = tact_event_schedule_pair(world, s->began[0], s->began[1]);
    if (status == TACT_OK)
        s->began[0] = s->began[1] = NEIGHBOUR_NONE;
    return status;
}

/* Whether an expiry is that of the plan: nothing is known of the body from now on, or it may leave its bound by its
 * deviation. */
static bool plan_has_expired(const body_motion_cold *cold, double now)
{
    const body_motion_plan *plan = cold->plan;
    return plan != NULL && (!(plan->plan.until > now) || (plan->plan.max_deviation_speed > 0.0 &&
                                                          plan->transform_time < now && now < cold->rotation_expiry));
}

/* Requests the transform of a body: TACT_EVENT_MOTION_EXPIRED if the program has to answer. */
static tact_event_kind locate(tact_world *world, uint32_t index, tact_status *status)
{
    bool report = false;
    *status = tact_motion_plan_query(world, index, &report);
    if (*status == TACT_OK && !report) {
        *status = apply_changes(world);
        world->advance->effort.events += *status != TACT_OK; /* it is known: the rest is done with the next call */
    }
    return *status == TACT_OK && report ? TACT_EVENT_MOTION_EXPIRED : TACT_EVENT_NONE;
}

/* Whether a pair that touches is a persistent contact. Then its motion is changed for the rest of the contact step. */
static bool is_persistent(tact_world *world, uint32_t a, uint32_t b, tact_status *status)
{
    const uint32_t index = tact_contact_find(&world->advance->contacts, a, b);
    if (index == CONTACT_NONE)
        return false;
    *status = tact_contact_cut(world, index);
    return true;
}

/* The event of a body, at its time. Returns what is to be reported: the touch of the body with its event_other, or the
 * expired plan of `*expired`, one of the two. */
static tact_event_kind process_event(tact_world *world, uint32_t index, uint32_t *expired, tact_status *status)
{
    advance *ad = world->advance;
    body_motion_cold *cold = &ad->cold.items[index];
    *status = TACT_OK;
    *expired = index;
    if (cold->event_other == NEIGHBOUR_NONE) {
        if (!(cold->expiry > ad->time)) { /* else it was renewed, and there was no memory for the rest */
            if (plan_has_expired(cold, ad->time))
                return locate(world, index, status);
            *status = tact_body_motion_renew(world, index);
        }
    } else if (cold->event_prediction == NEIGHBOUR_NONE) {
        if (ad->cold.items[cold->event_other].version == cold->event_version) {
            if (!is_persistent(world, index, cold->event_other, status))
                return TACT_EVENT_TOUCH;
            if (*status == TACT_OK)
                *status = apply_changes(world);
        }
    } else {
        pair_prediction *r = &ad->predictions.items[cold->event_prediction];
        if (r->deforming != NULL && r->version == cold->event_version && r->time <= ad->time) {
            const uint32_t other = cold->event_other;
            r->version = 0; /* examined again when the caller has responded */
            if (is_persistent(world, index, other, status)) {
                if (*status == TACT_OK)
                    *status = apply_changes(world);
            } else {
                const tact_event_kind kind =
                    tact_deforming_pair_event(world, index < other ? index : other, index < other ? other : index, r);
                if (kind != TACT_EVENT_NONE)
                    return kind;
            }
        } else if (r->version == cold->event_version && r->time <= ad->time &&
                   is_persistent(world, index, cold->event_other, status)) {
            if (*status == TACT_OK)
                *status = apply_changes(world);
        } else if (r->version == cold->event_version && r->time <= ad->time) {
            const bool report = pair_observe(r, PAIR_SEES_EVENT);
            r->reported_version = r->version;
            r->version = 0; /* examined again; after a touch when the caller has responded */
            if (report) {
                r->reported_count = r->reported_at == ad->time ? r->reported_count + 1 : 1;
                r->reported_at = ad->time;
                return TACT_EVENT_TOUCH;
            }
        } else if (r->version == cold->event_version) { /* to be tested, once both transforms are known */
            *expired = tact_polling_unlocated_body(world, index, cold->event_other);
            if (*expired != NEIGHBOUR_NONE) {
                r->next_poll = -INFINITY;
                return locate(world, *expired, status);
            }
        }
    }
    if (*status == TACT_OK)
        *status = tact_event_schedule(world, index);
    return TACT_EVENT_NONE;
}

/* ---- reports ---- */

static void count_report(body_motion_cold *cold, double now)
{
    cold->reported_count = cold->reported_at == now ? cold->reported_count + 1 : 1;
    cold->reported_at = now;
}

static void report_touch(tact_world *world, uint32_t index, tact_event *event)
{
    advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    const bool first = cold->serial < ad->cold.items[cold->event_other].serial;
    const uint32_t a = first ? index : cold->event_other, b = first ? cold->event_other : index;
    ad->reported[0] = a;
    ad->reported[1] = b;
    for (int i = 0; i < 2; ++i)
        if (ad->cold.items[ad->reported[i]].moves)
            tact_event_prefetch_schedule(ad, ad->reported[i]);
    count_report(&ad->cold.items[a], ad->time);
    count_report(&ad->cold.items[b], ad->time);
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_EVENT_TOUCH,
                          .time = ad->time,
                          .a = body_handle(world, a),
                          .b = body_handle(world, b),
                          .user_a = world->cold.items[a].user,
                          .user_b = world->cold.items[b].user};
    if (cold->event_prediction != NEIGHBOUR_NONE) {
        if (ad->predictions.items[cold->event_prediction].deforming != NULL)
            event->features = ad->predictions.items[cold->event_prediction].deforming->features;
        const pair_prediction *r = &ad->predictions.items[cold->event_prediction];
        event->point = r->point;
        event->normal = a < b ? r->normal : vec_negate(r->normal);
        event->features.part_a = r->parts[a < b ? 0 : 1];
        event->features.part_b = r->parts[a < b ? 1 : 0];
        if (r->deforming != NULL && r->deforming->bodies[0] != a) { /* by body, as the parts */
            event->features.location_a = r->deforming->features.location_b;
            event->features.location_b = r->deforming->features.location_a;
        }
        if (r->deforming == NULL)
            tact_touch_features_find(world, event);
        return;
    }
    const body_motion *one = &ad->motions.items[a], *other = &ad->motions.items[b];
    const tact_vec3 from = body_motion_origin(one, &ad->cold.items[a], ad->time);
    const tact_vec3 d = vec_sub(body_motion_origin(other, &ad->cold.items[b], ad->time), from);
    const double length = vec_length_safe(d);
    event->normal = length > 0.0 ? vec_scale(d, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
    event->point = vec_mul_add(from, one->sphere_radius, event->normal);
}

/* The contact of two features. */
static void report_features(tact_world *world, uint32_t index, tact_event *event)
{
    advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    const deforming_pair *pair = ad->predictions.items[cold->event_prediction].deforming;
    const uint32_t a = pair->bodies[0], b = pair->bodies[1];
    ad->reported[0] = index;
    ad->reported[1] = cold->event_other != index ? cold->event_other : NEIGHBOUR_NONE;
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_EVENT_FEATURES,
                          .time = ad->time,
                          .a = body_handle(world, a),
                          .b = body_handle(world, b),
                          .user_a = world->cold.items[a].user,
                          .user_b = world->cold.items[b].user,
                          .point = pair->point,
                          .normal = pair->features.ccd.normal,
                          .features = pair->features};
}

static void report_expired(const tact_world *world, uint32_t index, tact_event *event)
{
    *event = (tact_event){.status = TACT_OK,
                          .kind = TACT_EVENT_MOTION_EXPIRED,
                          .time = world->advance->time,
                          .a = body_handle(world, index),
                          .user_a = world->cold.items[index].user};
}

/* The user pointer of a body; NULL if it was removed. */
static void *user_of(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? world->cold.items[body.index].user : NULL;
}

/* Whether the contact graph has an event to report. A body that was removed neither touches, falls asleep nor wakes. */
static bool has_contact_report(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    for (; g->next_report < g->reports.count; ++g->next_report) {
        const contact_report *r = &g->reports.items[g->next_report];
        const bool a = body_find(world, (tact_body){r->a, r->generation_a}) != NULL,
                   b = r->b != CONTACT_NONE && body_find(world, (tact_body){r->b, r->generation_b}) != NULL;
        if (r->kind == TACT_EVENT_TOUCH ? a && b : a || r->b != CONTACT_NONE)
            return true;
    }
    return false;
}

/* The next event of the contact graph. Of a pair whose contact ends, bodies may have been removed. */
static tact_event_kind report_contact(tact_world *world, tact_event *event)
{
    contact_graph *g = &world->advance->contacts;
    const contact_report *r = &g->reports.items[g->next_report++];
    const tact_body a = {r->a, r->generation_a};
    *event = (tact_event){
        .status = TACT_OK, .kind = r->kind, .time = world->advance->time, .a = a, .user_a = user_of(world, a)};
    event->point = r->point;
    event->normal = r->normal;
    if (r->b != CONTACT_NONE) {
        event->b = (tact_body){r->b, r->generation_b};
        event->user_b = user_of(world, event->b);
    }
    if (r->b != CONTACT_NONE && r->kind != TACT_EVENT_TOUCH) {
        const bool exist = body_find(world, a) != NULL && body_find(world, event->b) != NULL;
        const uint32_t index = exist ? tact_contact_find(g, r->a, r->b) : CONTACT_NONE;
        if (index != CONTACT_NONE && g->contacts.items[index].point_count > 0) {
            const persistent_contact *c = &g->contacts.items[index];
            event->point = c->points[0].position;
            event->normal = c->body[0] == r->a ? c->points[0].normal : vec_negate(c->points[0].normal);
        }
    }
    return r->kind;
}

static tact_event_kind report_nothing(const tact_world *world, tact_status status, tact_event *event)
{
    *event = (tact_event){.status = status, .time = tact_world_get_time(world)};
    return TACT_EVENT_NONE;
}

/* ---- the loop ---- */

/* The time of the next event or swap; INFINITY: none. */
static double next_time(const advance *ad)
{
    const double event = ad->queue.count > 0 ? ad->queue.entries[0].time : INFINITY;
    return ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? number_min(event, tact_body_sweep_next_time(ad)) : event;
}

/* The time of the next event, swap or contact step. */
static double next_work(const tact_world *world)
{
    return number_min(next_time(world->advance), tact_contact_next_step(world));
}

/* Lets the broad phase reuse the indices of removed bodies, if there are many. Its tree is brought up to now first: all
 * bodies may have started at one place. If there is no memory, indices are reused later. */
static void reuse_indices(tact_world *world)
{
    const size_t enough = world->count > MIN_REMOVED_TO_REUSE ? world->count : MIN_REMOVED_TO_REUSE;
    if (world->advance == NULL || tact_broad_removed(world->broad, enough - 1) == BROAD_NONE)
        return;
    if (!advance_is_outdated(world) || tact_advance_sync_quietly(world) == TACT_OK)
        (void)tact_world_update(world);
}

static tact_event_kind run_until(tact_world *world, double until, tact_event *event)
{
    tact_status status = tact_advance_reserve(world);
    advance *ad = world->advance;
    if (status == TACT_OK)
        status = choose_engine(world);
    if (status == TACT_OK)
        status = apply_changes(world);
    while (status == TACT_OK) {
        if (has_contact_report(world))
            return report_contact(world, event);
        if (ad->contacts.pending.count > 0 && ad->time < until && ad->time < next_work(world)) {
            status = tact_contact_begin_pending(world);
            if (status == TACT_OK)
                status = apply_changes(world);
            continue;
        }
        if (ad->jumped.count > 0 && ad->time < until && ad->time < next_work(world)) {
            status = tact_body_motion_end_jumps(world);
            continue;
        }
        if (!(next_work(world) <= until))
            break;
        if (!world_work_add(world, 1)) {
            status = TACT_CANCELLED;
            break;
        }
        ad->time = number_max(ad->time, next_work(world));
        if (tact_contact_next_step(world) <= ad->time) { /* before events of the same time: see contact_graph.h */
            status = tact_contact_step_run(world);
            if (status == TACT_OK)
                status = apply_changes(world);
            continue;
        }
        if (tact_choice_changes(world)) {
            status = choose_engine(world);
            if (status == TACT_OK)
                status = apply_changes(world);
            continue;
        }
        if (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE && tact_body_sweep_next_time(ad) <= next_time(ad)) {
            status = process_swap(world);
            ad->effort.events += status == TACT_OK;
            continue;
        }
        const event_entry next = ad->queue.entries[0];
        uint32_t expired;
        tact_event_prefetch_next(world);
        const tact_event_kind kind = process_event(world, next.id, &expired, &status);
        ad->effort.events += status == TACT_OK;
        if (kind == TACT_EVENT_TOUCH)
            report_touch(world, next.id, event);
        if (kind == TACT_EVENT_FEATURES)
            report_features(world, next.id, event);
        if (kind == TACT_EVENT_MOTION_EXPIRED)
            report_expired(world, expired, event);
        if (kind != TACT_EVENT_NONE)
            return kind;
    }
    if (status == TACT_OK)
        ad->time = until;
    return report_nothing(world, status, event);
}

double tact_world_get_time(const tact_world *world)
{
    return world != NULL && world->advance != NULL ? world->advance->time : 0.0;
}

double tact_world_get_next_time(tact_world *world)
{
    if (world == NULL)
        return INFINITY;
    const advance *ad = world->advance;
    if (ad == NULL || ad->dirty.count > 0 || ad->reported[0] != NEIGHBOUR_NONE ||
        ad->contacts.next_report < ad->contacts.reports.count || ad->contacts.pending.count > 0 ||
        ad->motions.count < world->bodies.count || ad->engine_change_pending || ad->events_outdated ||
        ad->engine != wanted_engine(world))
        return tact_world_get_time(world); /* changes are still to be applied, now */
    return next_work(world);
}

tact_event_kind tact_advance_next_event(tact_world *world, double until, tact_event *event)
{
    tact_event unwanted;
    if (event == NULL)
        event = &unwanted;
    if (world == NULL || world->testing || !(fabs(until) < INFINITY) || until < tact_world_get_time(world))
        return report_nothing(world, TACT_BAD_ARGUMENT, event);
    WORLD_NOTIFY(world, .type = CALL_NEXT_EVENT, .time = until);
    reuse_indices(world);
    work_meter *const work = tact_work_enter(NULL); /* only events count */
    if (world->advance != NULL)
        world->advance->caches = true;
    const tact_event_kind kind = run_until(world, until, event);
    if (world->advance != NULL)
        world->advance->caches = false;
    (void)tact_work_enter(work);
    WORLD_NOTIFY(world, .type = CALL_NEXT_EVENT_END, .event = event);
    return kind;
}

tact_event_kind tact_world_next_event(tact_world *world, double until, tact_event *event)
{
    if (world != NULL)
        world_work_begin(world);
    return tact_advance_next_event(world, until, event);
}
