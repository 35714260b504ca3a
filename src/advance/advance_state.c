/*
 * The state of a world in continuous time, in plain values: see advance_state.h.
 *
 * Motions are stored as of their start times, so that a restored body is at the same place at the same time to the last
 * bit; so is the state of pairs that have touched. Predictions are stored, too (prediction_state.h), unless vertices
 * move or a change of engine was interrupted. A world restored without them makes them anew, from its own bounds and
 * queue, and as a search starts at the time at which it is made, a touch may come out some units of roundoff earlier or
 * later. Where that must not happen, both worlds make them anew: tact_world_restart.
 */
#include "advance/advance_state.h"

#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "advance/contact_state.h"
#include "advance/contact_step.h"
#include "advance/deforming_contacts.h"
#include "advance/deforming_pair.h"
#include "advance/vertex_motion.h"
#include "core/memory.h"
#include "core/report.h"
#include "dynamics/rigid_body.h"

/* ---- saving ---- */

time_state tact_world_describe_time(const tact_world *world)
{
    const advance *ad = world->advance;
    return (time_state){
        .timed = ad != NULL || world->kinetic != TACT_KINETIC_AUTO ||
                 world->contact_step != WORLD_DEFAULT_CONTACT_STEP || world->deforming_engine != TACT_DEFORMING_AUTO,
        .time = tact_world_get_time(world),
        .contact_step = world->contact_step,
        .kinetic = world->kinetic,
        .deforming_engine = world->deforming_engine,
        .engine = ad != NULL ? ad->engine : TACT_KINETIC_FAT_BOUNDS,
        .reported = {ad != NULL ? ad->reported[0] : STATE_NO_BODY, ad != NULL ? ad->reported[1] : STATE_NO_BODY}};
}

/* The state of a body in `ad`, which may be NULL. */
static body_time_state describe_body(const tact_world *world, const advance *ad, uint32_t index)
{
    body_time_state body = {.index = index};
    if (ad == NULL || index >= ad->motions.count)
        return body;
    const body_motion_cold *cold = &ad->cold.items[index];
    if (cold->reported_count > 0 && cold->reported_at == ad->time) {
        body.flags |= BODY_TIME_REPORTED;
        body.reported_count = cold->reported_count;
    }
    if (tact_contact_describe_body(&ad->contacts, index, &body.contact))
        body.flags |= BODY_TIME_CONTACT;
    if (tact_body_motion_jump(world, index, &body.jump))
        body.flags |= BODY_TIME_JUMPS;
    if (cold->jumps) {
        body.flags |= BODY_TIME_JUMPED;
        body.jump_box[0] = cold->jump_min;
        body.jump_box[1] = cold->jump_max;
    }
    if (!advance_has_motion(ad, index))
        return body;
    body.flags |= cold->moves ? BODY_TIME_MOVING : BODY_TIME_STILL;
    const body_motion *hot = &ad->motions.items[index];
    body.motion = (motion_state){.start_time = hot->start_time,
                                 .transform = body_motion_transform(hot, cold, hot->start_time),
                                 .motion = body_motion_motion(hot, cold, hot->start_time),
                                 .momentum = cold->momentum,
                                 .rotation_expiry = cold->rotation_expiry};
    return body;
}

body_time_state tact_world_body_time_at(const tact_world *world, uint32_t index)
{
    return describe_body(world, world->advance, index);
}

bool tact_world_surface_at(const tact_world *world, uint32_t index, surface_state *s)
{
    const advance *ad = world->advance;
    const world_body_cold *body = &world->cold.items[index];
    const surface_window *w = ad != NULL && index < ad->cold.count ? ad->cold.items[index].surface : NULL;
    if (w == NULL || !w->tessellation.regular || body->vertex_plan == NULL || body->deform == NULL)
        return false;
    *s = (surface_state){index,
                         w->begin,
                         w->end,
                         w->point_error,
                         nurbs_point_count(w->tessellation.model),
                         w->tessellation.points,
                         w->end_points,
                         w->division};
    return true;
}

/* The state of a pair; false: it is that of a new pair. */
static bool describe_touch(const advance *ad, const pair_prediction *r, touch_state *touch)
{
    const bool often = r->reported_count > 0 && r->reported_at == ad->time;
    if (r->state == PAIR_APART && !often && r->next_poll == 0.0)
        return false;
    touch->flags = tact_pair_state_flags(r->state, r->version);
    touch->reported_at = r->reported_at;
    touch->reported_count = r->reported_count;
    touch->uncertain_count = r->uncertain_count;
    touch->next_poll = r->next_poll;
    return true;
}

/* The pair of body `a` with the body of smallest index from `from` on. */
static bool next_touch_of(const advance *ad, uint32_t a, uint32_t from, touch_state *touch)
{
    const neighbour_span all = neighbours_of(&ad->neighbours, a);
    uint32_t least = NEIGHBOUR_NONE;
    for (uint32_t i = 0; i < all.count; ++i) {
        const uint32_t other = all.items[i].index;
        touch_state t = {.a = a, .b = other};
        if (other <= a || other < from || other >= least || all.items[i].data == NEIGHBOUR_NONE ||
            !describe_touch(ad, &ad->predictions.items[all.items[i].data], &t))
            continue;
        least = other;
        *touch = t;
    }
    return least != NEIGHBOUR_NONE;
}

bool tact_world_next_touch(const tact_world *world, uint64_t *cursor, touch_state *touch)
{
    const advance *ad = world->advance;
    if (ad == NULL)
        return false;
    if (ad->restored_touches.count > 0) { /* a restored world that has not advanced yet */
        if (*cursor >= ad->restored_touches.count)
            return false;
        *touch = ad->restored_touches.items[(*cursor)++];
        return true;
    }
    uint32_t a = (uint32_t)(*cursor >> 32), from = (uint32_t)*cursor;
    for (; a < ad->neighbours.lists.count; ++a, from = 0)
        if (next_touch_of(ad, a, from, touch)) {
            *cursor = (uint64_t)a << 32 | ((uint64_t)touch->b + 1);
            return true;
        }
    return false;
}

/* Whether vertices of one of two bodies move. */
static bool has_moving_vertices(const tact_world *world, uint32_t a, uint32_t b)
{
    return world->cold.items[a].vertex_plan != NULL || world->cold.items[b].vertex_plan != NULL;
}

/* The deforming pair of body `a` with the body of smallest index from `from` on, itself included. */
static bool next_pair_of(const tact_world *world, const advance *ad, uint32_t a, uint32_t from, deforming_state *pair)
{
    const neighbour_span all = neighbours_of(&ad->neighbours, a);
    const uint32_t self = ad->cold.items[a].self_prediction;
    const pair_prediction *found = NULL;
    uint32_t least = NEIGHBOUR_NONE;
    if (self != 0 && from <= a && ad->predictions.items[self - 1].deforming != NULL &&
        has_moving_vertices(world, a, a)) {
        found = &ad->predictions.items[self - 1];
        least = a;
    }
    for (uint32_t i = 0; i < all.count; ++i) {
        const uint32_t other = all.items[i].index;
        if (other <= a || other < from || other >= least || all.items[i].data == NEIGHBOUR_NONE ||
            ad->predictions.items[all.items[i].data].deforming == NULL || !has_moving_vertices(world, a, other))
            continue;
        least = other;
        found = &ad->predictions.items[all.items[i].data];
    }
    if (found == NULL)
        return false;
    *pair = tact_deforming_pair_describe(world, ad, a, least, found->deforming, found);
    return true;
}

static bool next_deforming_pair(const tact_world *world, const advance *ad, uint64_t *cursor, deforming_state *pair)
{
    if (ad->restored_pairs.count > 0) { /* a restored world that has not advanced yet */
        while (*cursor < ad->restored_pairs.count) {
            const restored_pair *p = &ad->restored_pairs.items[(*cursor)++];
            if (!has_moving_vertices(world, p->a, p->b))
                continue;
            *pair = tact_deforming_pair_describe(world, ad, p->a, p->b, p->pair, NULL);
            return true;
        }
        return false;
    }
    uint32_t a = (uint32_t)(*cursor >> 32), from = (uint32_t)*cursor;
    for (; a < ad->neighbours.lists.count && a < ad->cold.count; ++a, from = 0)
        if (next_pair_of(world, ad, a, from, pair)) {
            *cursor = (uint64_t)a << 32 | ((uint64_t)pair->b + 1);
            return true;
        }
    return false;
}

bool tact_world_next_deforming_pair(const tact_world *world, uint64_t *cursor, deforming_state *pair)
{
    return world->advance != NULL && next_deforming_pair(world, world->advance, cursor, pair);
}

bool tact_world_list_contacts(const tact_world *world, const deforming_state *s, deforming_contacts *contacts,
                              const tact_allocator *allocator)
{
    *contacts = (deforming_contacts){.contacts = {0}};
    return s->pair == NULL || tact_deforming_contacts_list(world, world->advance, (const uint32_t[2]){s->a, s->b},
                                                           s->pair, contacts, allocator);
}

/* ---- restoring ---- */

void tact_advance_discard_restored_touches(advance *ad, uint32_t index)
{
    size_t left = 0;
    for (size_t i = 0; i < ad->restored_touches.count; ++i)
        if (ad->restored_touches.items[i].a != index && ad->restored_touches.items[i].b != index)
            ad->restored_touches.items[left++] = ad->restored_touches.items[i];
    ad->restored_touches.count = left;
    left = 0;
    for (size_t i = 0; i < ad->restored_pairs.count; ++i) {
        const restored_pair p = ad->restored_pairs.items[i];
        if (p.a == index || p.b == index)
            tact_deforming_pair_release(p.pair, &ad->allocator);
        else
            ad->restored_pairs.items[left++] = p;
    }
    ad->restored_pairs.count = left;
}

/* Gives restored deforming pairs to their predictions. Those of bodies that are not neighbours are separated. */
static tact_status apply_restored_pairs(tact_world *world)
{
    advance *ad = world->advance;
    for (; ad->restored_pairs.count > 0; --ad->restored_pairs.count) {
        const restored_pair *p = &ad->restored_pairs.items[ad->restored_pairs.count - 1];
        uint32_t prediction = NEIGHBOUR_NONE;
        if (p->a == p->b) {
            if (ad->cold.items[p->a].self_prediction != 0)
                prediction = ad->cold.items[p->a].self_prediction - 1;
        } else {
            const uint32_t slot = tact_neighbours_find(&ad->neighbours, p->a, p->b);
            if (slot != NEIGHBOUR_NONE) {
                prediction = tact_prediction_ensure(world, &neighbours_of(&ad->neighbours, p->a).items[slot]);
                if (prediction == NEIGHBOUR_NONE)
                    return TACT_OUT_OF_MEMORY;
            }
        }
        if (prediction != NEIGHBOUR_NONE && ad->predictions.items[prediction].deforming == NULL)
            ad->predictions.items[prediction].deforming = p->pair;
        else
            tact_deforming_pair_release(p->pair, &ad->allocator);
    }
    return TACT_OK;
}

tact_status tact_advance_apply_restored_touches(tact_world *world)
{
    advance *ad = world->advance;
    for (size_t i = 0; i < ad->restored_touches.count; ++i) {
        const touch_state *t = &ad->restored_touches.items[i];
        const uint32_t slot = tact_neighbours_find(&ad->neighbours, t->a, t->b);
        if (slot == NEIGHBOUR_NONE)
            continue; /* they are separated */
        neighbour *n = &neighbours_of(&ad->neighbours, t->a).items[slot];
        const uint32_t prediction = tact_prediction_ensure(world, n);
        if (prediction == NEIGHBOUR_NONE)
            return TACT_OUT_OF_MEMORY;
        pair_prediction *r = &ad->predictions.items[prediction];
        r->time = INFINITY;
        r->valid_until = -INFINITY; /* not examined yet */
        r->state = tact_pair_state_from_flags(t->flags);
        r->version = t->flags & TOUCH_REPORTED ? 0 : RESTORED_VERSION;
        r->depth = -1.0;
        r->reported_at = t->reported_at;
        r->reported_count = t->reported_count;
        r->uncertain_count = t->uncertain_count;
        r->next_poll = t->next_poll;
    }
    ad->restored_touches.count = 0;
    return apply_restored_pairs(world);
}

/* Creates the state of a world that has none; all its bodies are dirty. */
static tact_status create_state(tact_world *world, double time, tact_kinetic engine, const uint32_t reported[2])
{
    tact_status status = tact_advance_reserve(world);
    advance *ad = world->advance;
    if (status == TACT_OK && engine == TACT_KINETIC_SWEEP_AND_PRUNE &&
        !tact_body_sweep_reserve(&ad->sweep, &world->allocator, (uint32_t)ad->motions.count))
        status = TACT_OUT_OF_MEMORY;
    if (status != TACT_OK)
        return status;
    ad->engine = ad->choice.wanted = engine;
    ad->time = ad->synced_at = time;
    ad->last_version = RESTORED_VERSION;
    ad->reported[0] = reported[0];
    ad->reported[1] = reported[1];
    return TACT_OK;
}

/* Gives a body its saved motion. */
static tact_status restore_motion(tact_world *world, const body_time_state *b)
{
    const uint32_t index = b->index;
    advance *ad = world->advance;
    body_motion_cold *cold = &ad->cold.items[index];
    const world_body_cold *rest = &world->cold.items[index];
    cold->restored = b->flags & (BODY_TIME_MOVING | BODY_TIME_STILL);
    cold->moves = b->flags & BODY_TIME_MOVING;
    cold->version = RESTORED_VERSION;
    if (b->flags & BODY_TIME_REPORTED) {
        cold->reported_at = ad->time;
        cold->reported_count = b->reported_count;
    }
    const motion_state still = {
        .transform = world->bodies.items[index].transform, .start_time = ad->time, .rotation_expiry = INFINITY};
    const motion_state *s = cold->moves ? &b->motion : &still;
    ad->motions.items[index] = (body_motion){s->transform.origin, s->start_time, s->motion.velocity, NOT_A_SPHERE};
    cold->transform = s->transform;
    cold->motion = s->motion;
    cold->momentum = s->momentum;
    cold->rotation_expiry = s->rotation_expiry;
    if (cold->moves) {
        const tact_status status = tact_body_motion_set_shape(world, index, cold);
        if (status != TACT_OK)
            return status;
    } else {
        cold->pivot = vec_make(0.0, 0.0, 0.0);
        cold->shape = world->bodies.items[index].shape;
    }
    cold->plan = rest->motion_plan;
    cold->vertices = rest->vertex_plan;
    cold->is_surface = rest->vertex_plan != NULL && rest->deform->nurbs != NULL;
    cold->sweeps_jumps = !cold->is_surface || world->bodies.items[index].flags & BODY_FEATURE_EVENTS;
    cold->vertex_margin =
        rest->vertex_plan != NULL && !cold->is_surface ? world->bodies.items[index].shape->margin : 0.0;
    cold->poll_interval = rest->poll_interval;
    cold->spins = !vec_equal(cold->motion.spin, (tact_vec3){0.0, 0.0, 0.0});
    ad->motions.items[index].sphere_radius = tact_body_motion_sphere_radius(cold);
    /* a shape that cannot be measured counts as a point until the world advances */
    if (body_motion_deforms(cold))
        tact_vertex_motion_compute_extents(cold, ad->time);
    else
        (void)tact_body_motion_compute_extents(cold->shape, cold);
    if (body_motion_deforms(cold)) {
        rest->vertex_plan->examined = cold->restored;
        rest->vertex_plan->last_change = ad->time;
        for (vertex_plan *plan = rest->vertex_plan; plan != NULL; plan = plan->before)
            if (isnan(plan->settled_at)) /* read from a record */
                plan->settled_at = ad->time;
        if (!cold->restored) { /* the shape is that before the change */
            cold->broad_outdated = true;
            ad->synced_at = -INFINITY;
        }
    }
    cold->jump_pending = b->flags & BODY_TIME_JUMPS;
    if (cold->jump_pending)
        cold->jump_from = b->jump;
    if (b->flags & BODY_TIME_JUMPED)
        tact_body_motion_add_jump(ad, index, b->jump_box[0], b->jump_box[1]);
    return TACT_OK;
}

static bool refuse(tact_report *report, const char *what, size_t number)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, what, number);
    return false;
}

static bool no_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for the state of a world in time");
    return false;
}

static bool is_valid_plan(const body_motion_plan *plan, double time)
{
    return plan->plan.until >= time && plan->plan.max_deviation_speed >= 0.0 &&
           plan->plan.max_deviation_speed < INFINITY && plan->plan.min_interval < INFINITY &&
           (plan->plan.max_deviation_speed > 0.0 ? plan->plan.min_interval > 0.0 : plan->plan.min_interval >= 0.0) &&
           plan->transform_time <= time && plan->transform_time >= 0.0 &&
           (plan->plan.until < INFINITY || plan->plan.max_deviation_speed > 0.0);
}

static bool is_valid_motion(const motion_state *s, double time)
{
    return s->start_time <= time && s->start_time >= 0.0 && vec_finite(s->motion.velocity) &&
           vec_finite(s->motion.acceleration) && vec_finite(s->motion.spin) && vec_finite(s->momentum) &&
           s->rotation_expiry >= s->start_time && tact_transform_check(&s->transform, NULL) == TACT_OK;
}

/* Restores the motion of a body, which must lead to its transform and motion in the world. */
static bool restore_body(tact_world *world, const body_time_state *b, double time, tact_report *report)
{
    const uint32_t index = b->index;
    const tact_transform stored = world->bodies.items[index].transform;
    const tact_motion stored_motion = world->cold.items[index].motion;
    if (b->flags & BODY_TIME_MOVING &&
        (b->flags & BODY_TIME_STILL || !is_valid_motion(&b->motion, time) ||
         (b->motion.rotation_expiry < INFINITY && world->cold.items[index].rigid == NULL &&
          world->cold.items[index].vertex_plan == NULL)))
        return refuse(report, "the motion of body %zu is invalid", index);
    if (b->flags & BODY_TIME_JUMPS &&
        (world->cold.items[index].vertex_plan != NULL || !(b->jump.start_time <= time && b->jump.start_time >= 0.0) ||
         !vec_finite(b->jump.velocity) || tact_transform_check(&b->jump.transform, NULL) != TACT_OK))
        return refuse(report, "the jump of body %zu is invalid", index);
    if (b->flags & BODY_TIME_JUMPED && (isnan(vec_max_abs(b->jump_box[0])) || isnan(vec_max_abs(b->jump_box[1])) ||
                                        !vec_equal(vec_min(b->jump_box[0], b->jump_box[1]), b->jump_box[0])))
        return refuse(report, "the place from which body %zu jumped is invalid", index);
    if (b->flags & BODY_TIME_MOVING && world->advance->contacts.bodies.items[index].state != CONTACT_FREE &&
        b->motion.rotation_expiry < tact_contact_next_step(world)) /* nothing else renews it */
        return refuse(report, "the motion of body %zu ends before its contact step", index);
    const tact_status status = restore_motion(world, b);
    if (status != TACT_OK)
        return status == TACT_OUT_OF_MEMORY ? no_memory(report)
                                            : refuse(report, "the pivot of body %zu is too far away", index);
    const tact_transform transform = tact_advance_transform(world, index);
    const tact_motion motion = tact_advance_motion(world, index);
    if (memcmp(&transform, &stored, sizeof transform) != 0 || memcmp(&motion, &stored_motion, sizeof motion) != 0)
        return refuse(report, "the motion of body %zu does not lead to its transform", index);
    return true;
}

static bool is_alive(const tact_world *world, uint32_t index)
{
    return index < world->bodies.count && world->bodies.items[index].flags & BODY_ALIVE;
}

static bool restore_touches(tact_world *world, const time_state *s, tact_report *report)
{
    advance *ad = world->advance;
    if (!touch_array_reserve(&ad->restored_touches, &world->allocator, s->touch_count))
        return no_memory(report);
    for (size_t i = 0; i < s->touch_count; ++i) {
        const touch_state *t = &s->touches[i], *last = i > 0 ? t - 1 : NULL;
        const bool ordered = last == NULL || last->a < t->a || (last->a == t->a && last->b < t->b);
        if (t->a >= t->b || !is_alive(world, t->a) || !is_alive(world, t->b) || !ordered ||
            t->flags > (TOUCH_OVERLAPS | TOUCH_REPORTED | TOUCH_BOUNCED) || !(t->reported_at <= s->time) ||
            isnan(t->next_poll) || t->next_poll == INFINITY)
            return refuse(report, "touch %zu is not that of a pair of bodies, or out of order", i);
        ad->restored_touches.items[ad->restored_touches.count++] = *t;
    }
    return true;
}

/* Adds a deforming pair to the restored ones. */
static tact_status add_restored_pair(tact_world *world, const deforming_state *state)
{
    advance *ad = world->advance;
    deforming_pair *pair;
    if (!restored_pair_array_reserve(&ad->restored_pairs, &world->allocator, ad->restored_pairs.count + 1))
        return TACT_OUT_OF_MEMORY;
    const tact_status status = tact_deforming_pair_restore(world, state, &pair);
    if (status == TACT_OK)
        ad->restored_pairs.items[ad->restored_pairs.count++] = (restored_pair){state->a, state->b, pair};
    return status;
}

static bool restore_surfaces(tact_world *world, const time_state *s, tact_report *report)
{
    for (size_t i = 0; i < s->surface_count; ++i) {
        const uint32_t index = s->surfaces[i].index;
        if (!is_alive(world, index) || !world->advance->cold.items[index].is_surface ||
            world->advance->cold.items[index].surface != NULL)
            return refuse(report, "surface %zu is not that of a body with moving control points", i);
        const tact_status status = tact_surface_window_restore(world, &s->surfaces[i]);
        if (status != TACT_OK)
            return status == TACT_OUT_OF_MEMORY ? no_memory(report)
                                                : refuse(report, "the cells of surface %zu are invalid", i);
    }
    return true;
}

static bool restore_pairs(tact_world *world, const time_state *s, tact_report *report)
{
    for (size_t i = 0; i < s->pair_count; ++i) {
        const deforming_state *p = &s->pairs[i], *last = i > 0 ? p - 1 : NULL;
        const bool ordered = last == NULL || last->a < p->a || (last->a == p->a && last->b < p->b);
        if (p->a > p->b || !is_alive(world, p->a) || !is_alive(world, p->b) || !ordered ||
            !has_moving_vertices(world, p->a, p->b))
            return refuse(report, "deforming pair %zu is not that of bodies with moving vertices, or out of order", i);
        const tact_status status = add_restored_pair(world, p);
        if (status != TACT_OK)
            return status == TACT_OUT_OF_MEMORY ? no_memory(report)
                                                : refuse(report, "the contacts of deforming pair %zu are invalid", i);
    }
    return true;
}

bool tact_world_restore_time(tact_world *world, const time_state *s, tact_report *report)
{
    const bool none = s->reported[0] == STATE_NO_BODY && s->reported[1] == STATE_NO_BODY;
    for (size_t i = 0; i < world->cold.count; ++i)
        if (world->cold.items[i].motion_plan != NULL && !is_valid_plan(world->cold.items[i].motion_plan, s->time))
            return refuse(report, "the motion plan of body %zu is invalid", i);
    for (size_t i = 0; i < world->cold.count; ++i)
        if (world->cold.items[i].vertex_plan != NULL && !tact_vertex_motion_valid(world, (uint32_t)i, s->time))
            return refuse(report, "the vertex motion of body %zu is invalid", i);
    if (!s->timed)
        return true;
    if (!(s->time >= 0.0) || !(s->time < INFINITY) || tact_world_set_contact_step(world, s->contact_step) != TACT_OK ||
        tact_world_set_kinetic(world, s->kinetic) != TACT_OK ||
        tact_world_set_deforming_engine(world, s->deforming_engine) != TACT_OK ||
        (s->engine != TACT_KINETIC_SWEEP_AND_PRUNE && s->engine != TACT_KINETIC_FAT_BOUNDS) ||
        (!none && (!is_alive(world, s->reported[0]) || s->reported[0] == s->reported[1] ||
                   (s->reported[1] != STATE_NO_BODY && !is_alive(world, s->reported[1])))))
        return refuse(report, "the time, the contact step or the engine of the world is invalid", 0);
    if (create_state(world, s->time, s->engine, s->reported) != TACT_OK)
        return no_memory(report);
    world->advance->unpredicted = !s->predictions.exists;
    if (!tact_contact_graph_restore(world, s, report)) /* before bodies: how they move depends on it */
        return false;
    for (size_t i = 0; i < s->body_count; ++i)
        if (!restore_body(world, &s->bodies[i], s->time, report))
            return false;
    return restore_touches(world, s, report) && restore_surfaces(world, s, report) && restore_pairs(world, s, report) &&
           tact_predictions_restore(world, &s->predictions, report);
}

/* ---- restart ---- */

/* Restores a pair of the old state in the new one. */
static tact_status renew_pair(tact_world *world, const advance *old, deforming_state *s)
{
    deforming_contacts listed = {.contacts = {0}};
    const bool complete = s->pair == NULL || tact_deforming_contacts_list(world, old, (const uint32_t[2]){s->a, s->b},
                                                                          s->pair, &listed, &world->allocator);
    s->contacts = tact_deforming_contacts_state(&listed);
    s->paths = listed.paths.items;
    const tact_status status = complete ? add_restored_pair(world, s) : TACT_OUT_OF_MEMORY;
    tact_deforming_contacts_release(&listed, &world->allocator);
    return status;
}

tact_status tact_world_restart(tact_world *world)
{
    advance *old = world->advance;
    if (old == NULL)
        return TACT_OK;
    tact_status status = tact_world_sync_transforms(world);
    if (status != TACT_OK)
        return status;
    touch_array touches = {0};
    uint64_t cursor = 0;
    for (touch_state t; status == TACT_OK && tact_world_next_touch(world, &cursor, &t);)
        if (!touch_array_push(&touches, &world->allocator, t))
            status = TACT_OUT_OF_MEMORY;
    if (status == TACT_OK) {
        world->advance = NULL;
        status = create_state(world, old->time, old->engine, old->reported);
    }
    if (status != TACT_OK) {
        if (world->advance != old)
            tact_advance_free(world->advance, &world->allocator);
        world->advance = old;
        touch_array_release(&touches, &world->allocator);
        return status;
    }
    for (uint32_t i = 0; i < old->motions.count && status == TACT_OK; ++i) {
        const body_time_state body = describe_body(world, old, i);
        if (!is_alive(world, i))
            continue;
        status = restore_motion(world, &body);
        body_motion_cold *cold = &world->advance->cold.items[i];
        surface_window *w = old->cold.items[i].surface;
        if (cold->is_surface && w != NULL && w->tessellation.regular)
            cold->surface = tact_surface_window_retain(w);
    }
    cursor = 0;
    for (deforming_state s; status == TACT_OK && next_deforming_pair(world, old, &cursor, &s);)
        status = renew_pair(world, old, &s);
    if (status != TACT_OK) {
        tact_advance_free(world->advance, &world->allocator);
        world->advance = old;
        touch_array_release(&touches, &world->allocator);
        return status;
    }
    world->advance->restored_touches = touches;
    const contact_graph contacts = old->contacts;
    old->contacts = world->advance->contacts;
    world->advance->contacts = contacts;
    tact_step_sweeps_clear(&world->advance->contacts.sweeps); /* versions begin anew */
    tact_advance_free(old, &world->allocator);
    return TACT_OK;
}
