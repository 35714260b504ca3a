/* Events of pairs with moving vertices: see the header. */
#include "advance/deforming_pair.h"

#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "advance/contact_deforming.h"
#include "advance/deforming_contacts.h"
#include "advance/deforming_jump.h"
#include "advance/deforming_overlap.h"
#include "advance/deforming_windows.h"
#include "advance/surface_motion.h"
#include "core/memory.h"
#include "core/number.h"

/* ---- memory ---- */

void tact_deforming_pair_release(deforming_pair *pair, const tact_allocator *allocator)
{
    if (pair == NULL)
        return;
    tact_deforming_windows_drop(pair, allocator);
    tact_deforming_shape_release(pair->search, allocator);
    tact_memory_free(allocator, pair, 1, sizeof *pair);
}

tact_status tact_deforming_self_update(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion_cold *cold = &ad->cold.items[index];
    const uint32_t wanted = BODY_SELF_COLLISION | BODY_FEATURE_EVENTS;
    const bool needed = body_motion_deforms(cold) && (world->bodies.items[index].flags & wanted) == wanted;
    if (needed == (cold->self_prediction != 0))
        return TACT_OK;
    if (!needed) {
        tact_prediction_free(ad, cold->self_prediction - 1);
        cold->self_prediction = 0;
        return TACT_OK;
    }
    const uint32_t prediction = tact_prediction_allocate(world);
    if (prediction == NEIGHBOUR_NONE)
        return TACT_OUT_OF_MEMORY;
    cold->self_prediction = prediction + 1;
    return TACT_OK;
}

/* ---- events ---- */

/* Whether the triangles of a body are not its surface, or not all of it. */
static bool approximates(const tact_world *world, uint32_t index)
{
    const tact_shape *shape = world->bodies.items[index].shape;
    return world->advance->cold.items[index].is_surface || shape->surface_error > 0.0 ||
           (shape->compound != NULL && shape->compound->featureless_leaves);
}

static bool wants_features(const tact_world *world, const uint32_t bodies[2])
{
    return ((world->bodies.items[bodies[0]].flags | world->bodies.items[bodies[1]].flags) & BODY_FEATURE_EVENTS) != 0;
}

/* Removes the events up to now of a pair that overlaps: they are not wanted. */
static void pass_events(deforming_pair *pair, double now)
{
    const feature_event *event;
    while (pair->windows != NULL && (event = tact_feature_windows_next(pair->windows)) != NULL &&
           event->ccd.lower <= now) {
        tact_deforming_note_contact(pair, event);
        tact_feature_windows_pop(pair->windows);
    }
}

/* A pair that overlaps: examines it when it is time. */
static tact_status update_overlap(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], bool wanted,
                                  bool changed, pair_prediction *r)
{
    const double now = world->advance->time;
    if (!wanted)
        pass_events(pair, now);
    if (changed || r->state == PAIR_TOUCHING) {
        tact_deforming_forget_contacts(pair, now);
        tact_deforming_plan_examination(pair, now);
    }
    return now < pair->next_examination ? TACT_OK : tact_deforming_examine_contact(world, pair, bodies, r);
}

/* Predicts by features. */
static tact_status update_by_features(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                      const uint32_t counts[2], pair_prediction *r)
{
    const advance *ad = world->advance;
    const bool self = bodies[0] == bodies[1], wanted = wants_features(world, bodies);
    bool changed;
    if (wanted && pair->unwanted) /* what is in contact now is to be reported */
        tact_deforming_windows_drop(pair, &world->allocator);
    pair->unwanted = !wanted;
    if (!self && pair_overlaps(r->state) && !wanted)
        pass_events(pair, ad->time); /* else they would count as events of the next window */
    tact_status status = tact_deforming_windows_update(world, pair, bodies, counts, &changed);
    if (status == TACT_OK && !self && !pair->examined) {
        status = tact_deforming_test_overlap(world, bodies, pair);
        pair->examined = status == TACT_OK;
        pair->overlaps_at_start = pair->overlaps_at_start && r->state == PAIR_APART;
    }
    if (status == TACT_OK && !self)
        status = tact_deforming_examine_before_jump(world, pair, bodies, r);
    if (status == TACT_OK && !self && pair_overlaps(r->state))
        status = update_overlap(world, pair, bodies, wanted, changed, r);
    if (status != TACT_OK)
        return status;
    const bool touches = !self && !pair_overlaps(r->state); /* the next contact is a touch */
    const feature_event *event = wanted || touches ? tact_feature_windows_next(pair->windows) : NULL;
    r->time = touches && pair->overlaps_at_start ? ad->time
              : event != NULL                    ? max_double(event->ccd.lower, ad->time)
                                                 : INFINITY;
    r->valid_until = pair->end;
    if (!self && !touches && pair->next_examination < number_min(r->time, r->valid_until)) {
        r->time = INFINITY; /* to be examined first: the next contact may be a touch */
        r->valid_until = pair->next_examination;
    }
    return TACT_OK;
}

/* Predicts by shape: the touch of a pair that is apart, or the next examination of one that overlaps. */
static tact_status update_by_shape(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                   pair_prediction *r)
{
    const advance *ad = world->advance;
    tact_status status = TACT_OK;
    pair->search_end = tact_deforming_window_end(ad, bodies[0], bodies[1]);
    if (pair->search_end == INFINITY)
        pair->search_end = ad->time + tact_deforming_open_duration(ad, bodies[0], bodies[1]);
    if (!(pair->search_end > ad->time))
        pair->search_end = nextafter(ad->time, INFINITY);
    if (!pair->examined) {
        status = tact_deforming_test_overlap(world, bodies, pair);
        pair->examined = status == TACT_OK;
        pair->overlaps_at_start = pair->overlaps_at_start && r->state == PAIR_APART;
    }
    bool found = false;
    const double soon = number_min(pair->search_end, ad->time + world->contact_step);
    if (status == TACT_OK && pair_has_bounced(r->state) && soon > ad->time)
        status = tact_contact_predict_bounced(world, bodies, soon, r, &found);
    if (found) {
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        pair->restored = false;
        pair->interval = 0.0;
        pair->point = r->point;
        r->valid_until = number_min(r->valid_until, soon);
        return TACT_OK;
    }
    if (status == TACT_OK)
        status = tact_deforming_examine_before_jump(world, pair, bodies, r);
    const bool continues = tact_deforming_continues_saved(ad, pair, bodies) && pair->next_examination > ad->time;
    if (status == TACT_OK && pair_overlaps(r->state) && !(continues && r->state != PAIR_TOUCHING))
        status = tact_deforming_examine_overlap(world, pair, bodies, pair->search_end, r);
    if (status != TACT_OK)
        return status;
    pair->restored = false;
    if (pair_overlaps(r->state)) {
        r->valid_until = number_min(pair->search_end, pair->next_examination);
        return TACT_OK;
    }
    if (pair->overlaps_at_start) {
        r->time = ad->time;
        return TACT_OK;
    }
    status = tact_deforming_search_jump(world, pair, bodies, r);
    pair->point = r->point;
    if (status != TACT_OK || r->time < INFINITY)
        return status;
    r->valid_until = INFINITY;
    const double end = pair->search_end < INFINITY ? pair->search_end : ad->time; /* at rest, all instants are alike */
    status = tact_deforming_search_contact(world, pair, bodies, end, 0.0, r);
    if (status == TACT_OK && r->time == INFINITY && r->valid_until >= end)
        r->valid_until = pair->search_end;
    pair->point = r->point;
    return status;
}

/* Whether the touch that was predicted by shape or separation still is: only features have been reported since. */
static bool touch_holds(const advance *ad, const deforming_pair *pair, const uint32_t bodies[2],
                        const pair_prediction *r)
{
    return pair->examined && !pair->restored && r->state != PAIR_TOUCHING && ad->time < pair->touch_valid_until &&
           pair->touch_versions[0] == ad->cold.items[bodies[0]].version &&
           pair->touch_versions[1] == ad->cold.items[bodies[1]].version;
}

/* Predicts the touch by shape or separation, and the contacts of the triangles by features. */
static tact_status update_with_surfaces(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                        const uint32_t counts[2], pair_prediction *r)
{
    const advance *ad = world->advance;
    const bool restored = pair->restored;
    bool changed;
    tact_status status = tact_deforming_windows_update(world, pair, bodies, counts, &changed);
    if (status != TACT_OK)
        return status;
    if (bodies[0] != bodies[1] && !touch_holds(ad, pair, bodies, r)) {
        pair->restored = restored;
        status = update_by_shape(world, pair, bodies, r);
        if (status != TACT_OK)
            return status;
        pair->touch_time = r->time;
        pair->touch_valid_until = r->time < INFINITY ? INFINITY : r->valid_until;
        pair->touch_versions[0] = ad->cold.items[bodies[0]].version;
        pair->touch_versions[1] = ad->cold.items[bodies[1]].version;
    }
    const feature_event *event = tact_feature_windows_next(pair->windows);
    const bool self = bodies[0] == bodies[1];
    r->time = self ? INFINITY : pair->touch_time;
    r->valid_until = self ? pair->end : number_min(pair->touch_valid_until, pair->end);
    if (event != NULL)
        r->time = number_min(r->time, max_double(event->ccd.lower, ad->time));
    if (r->valid_until < r->time)
        r->time = INFINITY; /* to be examined first */
    return TACT_OK;
}

/* Whether the features of the event are beside a common edge of the surfaces of a body: they meet there. */
static bool is_at_edge(const tact_world *world, const deforming_pair *pair, uint32_t index)
{
    const surface_window *w = world->advance->cold.items[index].surface;
    return w != NULL &&
           tact_surface_window_joins(w, world->advance->time, &pair->features.location_a, &pair->features.location_b);
}

tact_event_kind tact_deforming_pair_event(tact_world *world, uint32_t a, uint32_t b, pair_prediction *r)
{
    const uint32_t bodies[2] = {a, b};
    deforming_pair *pair = r->deforming;
    const feature_event *event = pair->windows != NULL ? tact_feature_windows_next(pair->windows) : NULL;
    const bool has_event = event != NULL && event->ccd.lower <= world->advance->time;
    pair->features = (tact_event_features){.kind = TACT_VERTEX_FACE};
    pair->bodies[0] = a;
    pair->bodies[1] = b;
    if (has_event)
        tact_deforming_features_set(world, pair, bodies, event);
    if (a != b && !pair_overlaps(r->state)) { /* a touch; its features are reported next, if they are wanted */
        (void)pair_observe(r, PAIR_SEES_EVENT);
        if (pair->overlaps_at_start)
            memcpy(r->parts, pair->overlapping, sizeof r->parts);
        else if (has_event)
            for (int i = 0; i < 2; ++i)
                r->parts[i] = bodies[i] == pair->bodies[0] ? pair->features.part_a : pair->features.part_b;
        r->point = pair->point;
        if (!has_event)
            tact_deforming_places_set(world, pair, bodies, r);
        pair->overlaps_at_start = false;
        pair->interval = 0.0;
        pair->touches_until = world->advance->time;
        tact_deforming_end_jumps(world->advance, pair);
        if (has_event) /* from body A of the features to body B */
            r->normal = pair->bodies[0] == a ? pair->features.ccd.normal : vec_negate(pair->features.ccd.normal);
        return TACT_EVENT_TOUCH;
    }
    if (!has_event)
        return TACT_EVENT_NONE;
    if (a != b && !approximates(world, a) && !approximates(world, b))
        tact_deforming_note_contact(pair, event);
    tact_feature_windows_pop(pair->windows);
    const bool reported = wants_features(world, bodies) && !(a == b && is_at_edge(world, pair, a));
    return reported ? TACT_EVENT_FEATURES : TACT_EVENT_NONE;
}

/* Whether the window of a pair has an event to report now. */
static bool has_event_now(const tact_world *world, const uint32_t bodies[2], const pair_prediction *r)
{
    const deforming_pair *pair = r->deforming;
    const feature_event *event =
        pair != NULL && pair->windows != NULL ? tact_feature_windows_next(pair->windows) : NULL;
    const bool touches = bodies[0] != bodies[1] && !pair_overlaps(r->state);
    return event != NULL && event->ccd.lower <= world->advance->time && (touches || wants_features(world, bodies));
}

static tact_status ensure_pair(const tact_world *world, pair_prediction *r)
{
    if (r->deforming != NULL)
        return TACT_OK;
    r->deforming = tact_memory_allocate(&world->allocator, 1, sizeof *r->deforming);
    if (r->deforming == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(r->deforming, 0, sizeof *r->deforming);
    return TACT_OK;
}

tact_status tact_deforming_pair_update(tact_world *world, uint32_t a, uint32_t b, pair_prediction *r)
{
    const advance *ad = world->advance;
    const uint32_t bodies[2] = {a, b};
    r->time = INFINITY;
    r->valid_until = r->superseded_at;
    if (!(ad->cold.items[a].expiry > ad->time) || !(ad->cold.items[b].expiry > ad->time)) {
        /* one of them gets another window now, and the pair is examined then; after the last contacts of this window */
        if (has_event_now(world, bodies, r))
            r->time = ad->time;
        return TACT_OK;
    }
    const tact_status status = ensure_pair(world, r);
    if (status != TACT_OK)
        return status;
    const uint32_t counts[2] = {tact_deforming_vertex_count(world, a, b), tact_deforming_vertex_count(world, b, a)};
    const bool features = counts[0] > 0 && counts[1] > 0;
    const bool exact = !approximates(world, a) && !approximates(world, b);
    if (features && exact)
        return update_by_features(world, r->deforming, bodies, counts, r);
    if (features && wants_features(world, bodies))
        return update_with_surfaces(world, r->deforming, bodies, counts, r);
    tact_deforming_windows_drop(r->deforming, &world->allocator);
    return a != b ? update_by_shape(world, r->deforming, bodies, r) : TACT_OK;
}

tact_status tact_deforming_pair_update_contact(tact_world *world, const persistent_contact *c, pair_prediction *r)
{
    const advance *ad = world->advance;
    r->time = INFINITY;
    r->valid_until = r->superseded_at;
    if (!(ad->cold.items[c->body[0]].expiry > ad->time) || !(ad->cold.items[c->body[1]].expiry > ad->time))
        return TACT_OK; /* one of them gets another window now, and the pair is examined then */
    const tact_status status = ensure_pair(world, r);
    if (status != TACT_OK)
        return status;
    deforming_pair *pair = r->deforming;
    tact_deforming_windows_drop(pair, &world->allocator);
    if (tact_deforming_continues_saved(ad, pair,
                                       c->body)) { /* the prediction of the saved world, made from another time */
        pair->restored = false;
        r->time = pair->next_examination < INFINITY ? max_double(pair->next_examination, ad->time) : INFINITY;
        r->valid_until = number_min(pair->search_end, r->superseded_at);
        return TACT_OK;
    }
    pair->examined = pair->overlaps_at_start = pair->restored = false; /* after the contact they may overlap */
    pair->versions[0] = pair->versions[1] = 0;
    pair->interval = 0.0;
    pair->touch_versions[0] = pair->touch_versions[1] = 0;
    const tact_status found = tact_contact_predict_deforming(world, c, r);
    pair->next_examination = r->time;
    pair->search_end = max_double(r->valid_until, nextafter(ad->time, INFINITY));
    return found;
}

/* ---- saved worlds ---- */

deforming_state tact_deforming_pair_describe(const tact_world *world, const advance *ad, uint32_t a, uint32_t b,
                                             const deforming_pair *pair, const pair_prediction *r)
{
    const uint32_t bodies[2] = {a, b};
    const bool has_windows =
        tact_deforming_windows_of_shapes(world, pair, bodies) && tact_feature_windows_has_begun(pair->windows);
    const bool same_faces = has_windows && advance_has_motion(ad, a) && advance_has_motion(ad, b) &&
                            tact_deforming_windows_current(world, ad, pair, bodies);
    const overlap_witness none = {.valid = false}, *witness = same_faces ? &pair->witness : &none;
    bool current = advance_has_motion(ad, a) && advance_has_motion(ad, b);
    if (r == NULL)
        current = current && pair->restored;
    else if (has_windows)
        current = current && tact_deforming_windows_current(world, ad, pair, bodies) &&
                  pair->versions[0] == ad->cold.items[a].version && pair->versions[1] == ad->cold.items[b].version &&
                  pair->end > ad->time;
    else
        current = current && r->version != 0 && r->version >= ad->cold.items[a].version &&
                  r->version >= ad->cold.items[b].version && (r->time < INFINITY || r->valid_until > ad->time);
    return (deforming_state){
        .a = a,
        .b = b,
        .flags = (has_windows ? (uint32_t)DEFORMING_WINDOWS : 0u) | (current ? (uint32_t)DEFORMING_CURRENT : 0u) |
                 (pair->examined && !pair->overlaps_at_start ? (uint32_t)DEFORMING_EXAMINED : 0u) |
                 (witness->valid ? (uint32_t)DEFORMING_WITNESS : 0u) |
                 (pair->unwanted ? (uint32_t)DEFORMING_UNWANTED : 0u),
        .end = has_windows ? pair->end : pair->search_end,
        .interval = pair->interval,
        .next_examination = pair->next_examination,
        .touches_until = pair->touches_until,
        .witness = {witness->first[0], witness->end[0], witness->first[1], witness->end[1]},
        .pair = has_windows ? pair : NULL,
        .path_count = has_windows && !current ? tact_deforming_contacts_path_count(world, ad, bodies, pair) : 0};
}

/* The witness of a saved pair, whose windows have been made. False: it is invalid. */
static bool restore_witness(const deforming_state *state, deforming_pair *pair)
{
    const uint32_t middle = pair->second_triangle, last = (uint32_t)pair->triangles.count, *w = state->witness;
    const bool valid = state->flags & DEFORMING_WITNESS;
    pair->witness = (overlap_witness){.valid = valid, .first = {w[0], w[2]}, .end = {w[1], w[3]}};
    if (w[1] == 0 && w[3] == 0)
        return !valid && w[0] == 0 && w[2] == 0;
    return state->a != state->b && w[0] <= w[1] && w[1] <= middle && middle <= w[2] && w[2] <= w[3] && w[3] <= last;
}

/* The windows of a saved pair. */
static tact_status restore_windows(tact_world *world, const deforming_state *state, deforming_pair *pair)
{
    const uint32_t bodies[2] = {state->a, state->b};
    const uint32_t counts[2] = {tact_deforming_vertex_count(world, bodies[0], bodies[1]),
                                tact_deforming_vertex_count(world, bodies[1], bodies[0])};
    if (counts[0] == 0 || counts[1] == 0)
        return TACT_OK; /* by shape from now on */
    const tact_status status = tact_deforming_windows_make(world, pair, bodies, counts);
    if (status != TACT_OK)
        return status;
    if (state->path_count != (state->flags & DEFORMING_CURRENT ? 0 : tact_feature_windows_vertex_count(pair->windows)))
        return TACT_BAD_ARGUMENT;
    if (!restore_witness(state, pair))
        return TACT_BAD_ARGUMENT;
    tact_deforming_windows_write_paths(world, pair, bodies, counts, false);
    for (size_t i = 0; i < state->path_count; ++i) {
        if (!tact_linear_path_valid(&state->paths[i]))
            return TACT_BAD_ARGUMENT;
        tact_feature_windows_next_paths(pair->windows)[i] = state->paths[i];
    }
    pair->versions[0] = pair->versions[1] = UINT64_MAX; /* a window begins with the next update */
    return tact_feature_windows_restore(pair->windows, world->advance->time, &state->contacts);
}

tact_status tact_deforming_pair_restore(tact_world *world, const deforming_state *state, deforming_pair **made)
{
    const bool current = state->flags & DEFORMING_CURRENT;
    *made = NULL;
    if (isnan(state->end) || (current && !(state->end > world->advance->time)) || !(state->interval >= 0.0) ||
        !(state->interval < INFINITY) || !(state->next_examination >= 0.0) || !(fabs(state->touches_until) < INFINITY))
        return TACT_BAD_ARGUMENT;
    deforming_pair *pair = tact_memory_allocate(&world->allocator, 1, sizeof *pair);
    if (pair == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(pair, 0, sizeof *pair);
    pair->end = pair->search_end = state->end;
    pair->interval = state->interval;
    pair->next_examination = state->next_examination;
    pair->touches_until = state->touches_until;
    pair->examined = state->flags & DEFORMING_EXAMINED;
    pair->unwanted = state->flags & DEFORMING_UNWANTED;
    pair->restored = current;
    const tact_status status = state->flags & DEFORMING_WINDOWS ? restore_windows(world, state, pair) : TACT_OK;
    if (status != TACT_OK) {
        tact_deforming_pair_release(pair, &world->allocator);
        return status;
    }
    *made = pair;
    return TACT_OK;
}
