/*
 * Predictions and bounds as plain values: see prediction_state.h.
 *
 * Versions are stored as they are, so that what was stale stays stale. The order of neighbours is stored, because the
 * horizon of a prediction is the earliest event of the neighbours before it. Tree, grid and queue are built anew: what
 * they return does not depend on how they were built (fat_bounds.c sorts what it finds).
 *
 * What is read is checked so far that nothing fails or hangs. Times of predictions are taken as they are.
 */
#include "advance/prediction_state.h"

#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "core/report.h"
#include "dynamics/rigid_body.h"

/* ---- saving ---- */

/* Whether the state of a body is all stored: it has not been restored without predictions, and no vertices move. */
static bool is_stored(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    if (world->cold.items[index].vertex_plan != NULL)
        return false;
    const body_motion_cold *cold = index < ad->cold.count ? &ad->cold.items[index] : NULL; /* NULL: it is new */
    return cold == NULL || (!cold->restored && !cold->jumps && cold->self_prediction == 0 && cold->vertices == NULL &&
                            cold->surface == NULL);
}

static bool is_alive(const tact_world *world, uint32_t index)
{
    return index < world->bodies.count && world->bodies.items[index].flags & BODY_ALIVE;
}

static bool all_are_stored(const tact_world *world)
{
    const advance *ad = world->advance;
    if (ad == NULL || ad->unpredicted || ad->engine_change_pending || ad->events_outdated ||
        ad->sweep.pending.count > 0 || ad->sweep.unsettled_body != NEIGHBOUR_NONE ||
        ad->sweep.began[0] != NEIGHBOUR_NONE || ad->restored_touches.count > 0 || ad->restored_pairs.count > 0)
        return false;
    for (uint32_t i = 0; i < world->bodies.count; ++i)
        if (is_alive(world, i) && !is_stored(world, i))
            return false;
    for (uint32_t i = 0; i < ad->neighbours.lists.count; ++i) {
        const neighbour_span all = neighbours_of(&ad->neighbours, i);
        for (uint32_t k = 0; k < all.count; ++k)
            if (all.items[k].data != NEIGHBOUR_NONE && ad->predictions.items[all.items[k].data].deforming != NULL)
                return false;
    }
    return true;
}

prediction_state tact_world_describe_predictions(const tact_world *world)
{
    if (!all_are_stored(world))
        return (prediction_state){.exists = false};
    const advance *ad = world->advance;
    const sphere_grid *grid = &ad->fat_bounds.grid;
    prediction_state s = {.exists = true,
                          .first_new = (uint32_t)ad->motions.count,
                          .last_version = ad->last_version,
                          .effort = ad->effort,
                          .choice = ad->choice,
                          .spheres_set = ad->fat_bounds.spheres_set,
                          .neighbours_found = ad->fat_bounds.neighbours_found,
                          .grid_max_radius = grid->max_radius,
                          .dirty = ad->dirty.items,
                          .dirty_count = ad->dirty.count,
                          .sweep_time = ad->sweep.sweep.time,
                          .order_count = ad->sweep.sweep.order[0].count};
    s.choice.swaps = ad->sweep.sweep.swaps - ad->choice.swaps; /* since the period began */
    for (int i = 0; i < 3; ++i) {
        s.order[i] = ad->sweep.sweep.order[i].items;
        s.grid_low[i] = grid->low[i];
        s.grid_size[i] = (uint32_t)grid->size[i];
    }
    return s;
}

/* The index of the prediction of two bodies; NEIGHBOUR_NONE: none. */
static uint32_t prediction_of(const advance *ad, uint32_t a, uint32_t b)
{
    const uint32_t slot = tact_neighbours_find(&ad->neighbours, a, b);
    return slot != NEIGHBOUR_NONE ? neighbours_of(&ad->neighbours, a).items[slot].data : NEIGHBOUR_NONE;
}

/* The event of a body. If its prediction is gone, it is stale: so it is if its version is that of no motion. */
static void describe_event(const advance *ad, uint32_t index, predicted_body *b)
{
    const body_motion_cold *cold = &ad->cold.items[index];
    if (!event_queue_has(&ad->queue, index))
        return;
    b->flags |= PREDICTED_EVENT;
    b->event_time = ad->queue.entries[ad->queue.heap_index[index]].time;
    b->event_key = ad->queue.keys[index];
    b->event_other = cold->event_other;
    if (cold->event_other == NEIGHBOUR_NONE)
        return;
    b->event_version = cold->event_version;
    if (cold->event_prediction != NEIGHBOUR_NONE &&
        prediction_of(ad, index, cold->event_other) == cold->event_prediction)
        b->flags |= PREDICTED_PAIR;
}

/* The box of a body in the sweep, and the swaps of its endpoints. */
static void describe_sweep(const kinetic_sweep *s, uint32_t index, predicted_body *b)
{
    b->flags |= PREDICTED_SWEEP;
    b->sweep_box = s->boxes.items[index];
    b->filter = s->filters.items[index];
    for (uint32_t axis = 0; axis < 3; ++axis)
        for (uint32_t side = 0; side < 2; ++side) {
            const uint32_t certificate = 3 * (2 * index + side) + axis;
            b->swap_times[axis][side] = event_queue_has(&s->queue, certificate)
                                            ? s->queue.entries[s->queue.heap_index[certificate]].time
                                            : INFINITY;
        }
}

static predicted_body describe_body(const advance *ad, uint32_t index)
{
    const body_motion *hot = &ad->motions.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    predicted_body b = {.index = index,
                        .event_other = NEIGHBOUR_NONE,
                        .unsuccessful_refits = cold->unsuccessful_refits,
                        .version = cold->version,
                        .expiry = cold->expiry,
                        .start_time = hot->start_time,
                        .rotation_expiry = cold->rotation_expiry,
                        .margin = cold->margin,
                        .motion_set_at = cold->motion_set_at,
                        .motion_lifetime = cold->motion_lifetime,
                        .extent_min = cold->extent_min,
                        .extent_max = cold->extent_max,
                        .neighbour_count = neighbours_of(&ad->neighbours, index).count,
                        .neighbours = neighbours_of(&ad->neighbours, index).items};
    b.flags = (cold->moves ? (uint32_t)PREDICTED_MOVES : 0u) | (cold->may_touch ? (uint32_t)PREDICTED_MAY_TOUCH : 0u) |
              (cold->dirty ? (uint32_t)PREDICTED_DIRTY : 0u) |
              (cold->dirty && cold->needs_refit ? (uint32_t)PREDICTED_NEEDS_REFIT : 0u) |
              (cold->dirty && cold->motion_updated ? (uint32_t)PREDICTED_MOTION_UPDATED : 0u);
    if (cold->dirty) {
        b.transform = body_motion_transform(hot, cold, hot->start_time);
        b.motion = body_motion_motion(hot, cold, hot->start_time);
    }
    describe_event(ad, index, &b);
    if (body_sweep_has(&ad->sweep, index))
        describe_sweep(&ad->sweep.sweep, index, &b);
    if (!fat_bounds_has(&ad->fat_bounds, index))
        return b;
    b.flags |=
        (uint32_t)PREDICTED_BOUND | (sphere_grid_has(&ad->fat_bounds.grid, index) ? (uint32_t)PREDICTED_GRID : 0u);
    b.bound = ad->fat_bounds.bounds.items[index];
    b.filter = ad->fat_bounds.filters.items[index];
    if (cold->spherical_bound) {
        b.origin_radius = cold->origin_radius;
        memcpy(b.bound_centre, cold->bound_centre, sizeof b.bound_centre);
    } else {
        b.origin_min = cold->origin_min;
        b.origin_max = cold->origin_max;
    }
    return b;
}

bool tact_world_predicted_body_at(const tact_world *world, uint32_t index, predicted_body *body)
{
    if (!is_alive(world, index))
        return false;
    const advance *ad = world->advance;
    if (index < ad->motions.count)
        *body = describe_body(ad, index);
    else /* as tact_advance_reserve will leave it */
        *body = (predicted_body){.index = index,
                                 .flags = PREDICTED_DIRTY | PREDICTED_NEEDS_REFIT,
                                 .event_other = NEIGHBOUR_NONE,
                                 .start_time = ad->time,
                                 .motion_set_at = INFINITY,
                                 .extent_min = {INFINITY, INFINITY, INFINITY},
                                 .extent_max = {-INFINITY, -INFINITY, -INFINITY}};
    return true;
}

bool tact_world_next_predicted_pair(const tact_world *world, uint64_t *cursor, predicted_pair *pair)
{
    const advance *ad = world->advance;
    uint32_t a = (uint32_t)(*cursor >> 32), slot = (uint32_t)*cursor;
    for (; a < ad->neighbours.lists.count; ++a, slot = 0) {
        const neighbour_span all = neighbours_of(&ad->neighbours, a);
        for (; slot < all.count; ++slot) {
            if (all.items[slot].index < a || all.items[slot].data == NEIGHBOUR_NONE)
                continue;
            *pair = (predicted_pair){a, all.items[slot].index, ad->predictions.items[all.items[slot].data]};
            *cursor = (uint64_t)a << 32 | ((uint64_t)slot + 1);
            return true;
        }
    }
    return false;
}

/* ---- restoring ---- */

static bool refuse(tact_report *report, const char *what, size_t number)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, what, number);
    return false;
}

static bool no_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for the predictions of a world");
    return false;
}

static bool is_valid_bound(const predicted_body *b)
{
    const fat_bound *f = &b->bound;
    for (int i = 0; i < 3; ++i)
        if (!(f->box.min[i] <= f->box.max[i]))
            return false;
    if (!(f->sphere.radius >= 0.0f))
        return f->sphere.radius == FAT_BOUND_IS_BOX && !(b->flags & PREDICTED_GRID) && vec_finite(b->origin_min) &&
               vec_finite(b->origin_max);
    for (int i = 0; i < 3; ++i)
        if (!grid_coordinate_fits((double)f->sphere.centre[i]) || !isfinite(b->bound_centre[i]))
            return false;
    return (double)f->sphere.radius <= 2.0 * GRID_MAX_LENGTH && b->origin_radius >= 0.0 && b->origin_radius < INFINITY;
}

static bool is_valid_box(const kinetic_box *b, double now)
{
    if (!(b->since >= 0.0) || !(b->since <= now))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
            const kinetic_endpoint *e = &b->endpoints[axis][side];
            if (!isfinite(e->x) || !isfinite(e->v) || !isfinite(e->a))
                return false;
        }
    return true;
}

static bool is_valid_body(const tact_world *world, const prediction_state *s, const predicted_body *b)
{
    const double now = world->advance->time;
    const uint32_t dirty_flags = PREDICTED_NEEDS_REFIT | PREDICTED_MOTION_UPDATED;
    if (b->version > s->last_version || isnan(b->expiry) || !(b->start_time >= 0.0) || !(b->start_time <= now) ||
        isnan(b->rotation_expiry) || !(b->margin >= 0.0) || !(b->margin < INFINITY) || isnan(b->motion_set_at) ||
        !(b->motion_lifetime >= 0.0) || !(b->motion_lifetime < INFINITY) ||
        (!(b->flags & PREDICTED_DIRTY) && (b->flags & dirty_flags || b->version == 0)))
        return false;
    const bool has_motion = !(b->flags & PREDICTED_DIRTY) || b->flags & PREDICTED_MOTION_UPDATED;
    const bool in_contact = world->advance->contacts.bodies.items[b->index].state != CONTACT_FREE;
    if (has_motion &&
        ((b->rotation_expiry < INFINITY && world->cold.items[b->index].rigid == NULL) ||
         (in_contact && b->flags & PREDICTED_MOVES && b->rotation_expiry < tact_contact_next_step(world))))
        return false;
    const bool sized = vec_finite(b->extent_min) && vec_finite(b->extent_max) && b->extent_min.x <= b->extent_max.x &&
                       b->extent_min.y <= b->extent_max.y && b->extent_min.z <= b->extent_max.z;
    const bool is_new = b->flags & PREDICTED_NEEDS_REFIT && b->extent_min.x == INFINITY && b->extent_max.x == -INFINITY;
    const uint32_t bound = world->advance->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? PREDICTED_SWEEP : PREDICTED_BOUND;
    if (!(sized || is_new) || (!(b->flags & bound) && !(b->flags & PREDICTED_NEEDS_REFIT)) ||
        b->flags & (PREDICTED_BOUND | PREDICTED_SWEEP) & ~bound)
        return false;
    if (b->flags & PREDICTED_DIRTY &&
        (!vec_finite(b->motion.velocity) || !vec_finite(b->motion.acceleration) || !vec_finite(b->motion.spin) ||
         (b->version != 0 && !is_new && tact_transform_check(&b->transform, NULL) != TACT_OK)))
        return false;
    if (b->flags & PREDICTED_EVENT &&
        (!isfinite(b->event_time) || b->event_version > s->last_version ||
         (b->event_other != NEIGHBOUR_NONE && (b->event_other >= world->bodies.count || b->event_other == b->index))))
        return false;
    return (!(b->flags & PREDICTED_BOUND) || is_valid_bound(b)) &&
           (!(b->flags & PREDICTED_SWEEP) || is_valid_box(&b->sweep_box, now));
}

/* The order of endpoints in the sweep: each once, and the lower one of a body first. */
static bool restore_order(tact_world *world, const prediction_state *s)
{
    kinetic_sweep *sweep = &world->advance->sweep.sweep;
    for (int axis = 0; axis < 3 && s->order_count > 0; ++axis) {
        kinetic_index_array *order = &sweep->order[axis];
        for (size_t i = 0; i < s->order_count; ++i) {
            const uint32_t end = s->order[axis][i];
            if (!is_alive(world, end >> 1) || sweep->ranks[axis].items[end] != BROAD_NONE ||
                (end & 1 && sweep->ranks[axis].items[end - 1] == BROAD_NONE))
                return false;
            sweep->ranks[axis].items[end] = (uint32_t)order->count;
            order->items[order->count++] = end;
        }
    }
    return true;
}

/* The swaps of the endpoints of a body: with a successor that is not its own. */
static bool restore_swaps(kinetic_sweep *s, const predicted_body *b)
{
    for (uint32_t axis = 0; axis < 3; ++axis)
        for (uint32_t side = 0; side < 2; ++side) {
            const uint32_t end = 2 * b->index + side, rank = s->ranks[axis].items[end];
            const double time = b->swap_times[axis][side];
            if (rank == BROAD_NONE)
                return false;
            if (time == INFINITY)
                continue;
            if (!isfinite(time) || rank + 1 >= s->order[axis].count || s->order[axis].items[rank + 1] >> 1 == b->index)
                return false;
            tact_event_queue_set(&s->queue, 3 * end + axis, time, (uint64_t)axis << 32 | end);
        }
    return true;
}

/* All bodies of the sweep. */
static bool restore_sweep(tact_world *world, const prediction_state *s)
{
    kinetic_sweep *sweep = &world->advance->sweep.sweep;
    size_t count = 0;
    for (size_t i = 0; i < s->body_count; ++i)
        count += (s->bodies[i].flags & PREDICTED_SWEEP) != 0;
    if (s->order_count != 2 * count || !(s->sweep_time >= 0.0) || !(s->sweep_time <= world->advance->time) ||
        !restore_order(world, s))
        return false;
    for (size_t i = 0; i < s->body_count; ++i) {
        const predicted_body *b = &s->bodies[i];
        if (!(b->flags & PREDICTED_SWEEP))
            continue;
        sweep->boxes.items[b->index] = b->sweep_box;
        sweep->filters.items[b->index] = b->filter;
        if (!restore_swaps(sweep, b))
            return false;
    }
    sweep->time = s->sweep_time;
    return true;
}

static bool restore_grid(tact_world *world, const prediction_state *s, tact_report *report)
{
    sphere_grid *grid = &world->advance->fat_bounds.grid;
    double high[3];
    if (s->grid_size[0] == 0 && s->grid_size[1] == 0 && s->grid_size[2] == 0)
        return true;
    const double radius = (double)s->grid_max_radius, side = 2.0 * radius * (1.0 + GRID_CELL_MARGIN);
    if (!(radius > 0.0) || !(radius < INFINITY))
        return refuse(report, "the grid of spheres is invalid", 0);
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(s->grid_low[i]) || s->grid_size[i] == 0)
            return refuse(report, "the grid of spheres is invalid", 0);
        high[i] = s->grid_low[i] + ((double)s->grid_size[i] - 0.5) * side;
    }
    if (!(tact_sphere_grid_cell_count(s->grid_low, high, radius) < INFINITY))
        return refuse(report, "the grid of spheres is invalid", 0);
    if (!tact_sphere_grid_reset(grid, &world->allocator, s->grid_low, high, s->grid_max_radius))
        return no_memory(report);
    for (int i = 0; i < 3; ++i)
        if ((uint32_t)grid->size[i] != s->grid_size[i])
            return refuse(report, "the grid of spheres is invalid", 0);
    return true;
}

/* Gives a body what is stored of it. */
static tact_status restore_body(tact_world *world, const predicted_body *b)
{
    advance *ad = world->advance;
    body_motion *hot = &ad->motions.items[b->index];
    body_motion_cold *cold = &ad->cold.items[b->index];
    if (b->flags & PREDICTED_DIRTY) {
        cold->transform = b->transform;
        cold->motion = b->motion;
        hot->origin = b->transform.origin;
        hot->velocity = b->motion.velocity;
    }
    const rigid_body *r = world->cold.items[b->index].rigid;
    if (!(b->flags & (PREDICTED_DIRTY | PREDICTED_MOVES)) && r != NULL) /* as in body_motion.c: at its centre of mass */
        hot->origin = cold->transform.origin =
            vec_add(cold->transform.origin, tact_transform_vector(cold->transform, r->properties.centre));
    if (!(b->flags & PREDICTED_DIRTY) || b->flags & PREDICTED_MOTION_UPDATED) {
        const tact_status status = tact_body_motion_set_shape(world, b->index, cold);
        if (status != TACT_OK)
            return status;
    }
    cold->restored = false;
    cold->dirty = b->flags & PREDICTED_DIRTY;
    cold->needs_refit = b->flags & PREDICTED_NEEDS_REFIT;
    cold->motion_updated = b->flags & PREDICTED_MOTION_UPDATED;
    cold->moves = b->flags & PREDICTED_MOVES;
    cold->may_touch = b->flags & PREDICTED_MAY_TOUCH;
    cold->spins = !vec_equal(cold->motion.spin, (tact_vec3){0.0, 0.0, 0.0});
    cold->serial = world->bodies.items[b->index].serial;
    cold->unsuccessful_refits = b->unsuccessful_refits;
    cold->version = b->version;
    cold->expiry = b->expiry;
    hot->start_time = b->start_time;
    cold->rotation_expiry = b->rotation_expiry;
    cold->margin = b->margin;
    cold->motion_set_at = b->motion_set_at;
    cold->motion_lifetime = b->motion_lifetime;
    cold->extent_min = b->extent_min;
    cold->extent_max = b->extent_max;
    if (b->version != 0 && !(b->flags & PREDICTED_NEEDS_REFIT)) {
        if (cold->centred == NULL) {
            cold->pivot = r != NULL ? r->properties.centre : vec_make(0.0, 0.0, 0.0);
            cold->shape = r != NULL ? r->centred : world->bodies.items[b->index].shape;
        }
        hot->sphere_radius = tact_body_motion_sphere_radius(cold);
    }
    if (!(b->flags & PREDICTED_BOUND))
        return TACT_OK;
    cold->spherical_bound = b->bound.sphere.radius >= 0.0f;
    cold->origin_radius = b->origin_radius;
    memcpy(cold->bound_centre, b->bound_centre, sizeof b->bound_centre);
    cold->origin_min = b->origin_min;
    cold->origin_max = b->origin_max;
    return TACT_OK;
}

/* The list of neighbours of a body. Whether it is consistent with the others is checked when all are there. */
static bool restore_neighbours(tact_world *world, uint32_t index, const predicted_neighbour *items, uint32_t count)
{
    neighbours *n = &world->advance->neighbours;
    if (!tact_neighbours_reserve_more(n, &world->allocator, index, count))
        return false;
    neighbour_list *list = &n->lists.items[index];
    for (uint32_t i = 0; i < count; ++i)
        n->pool.items[list->first + list->count++] = (neighbour){items[i].index, items[i].mirror, NEIGHBOUR_NONE};
    return true;
}

static bool neighbours_are_valid(const tact_world *world)
{
    const neighbours *n = &world->advance->neighbours;
    for (uint32_t a = 0; a < n->lists.count; ++a) {
        const neighbour_span all = neighbours_of(n, a);
        for (uint32_t i = 0; i < all.count; ++i) {
            const uint32_t b = all.items[i].index;
            if (b == a || !is_alive(world, b) || n->lists.items[b].mark == a)
                return false;
            const neighbour_span other = neighbours_of(n, b);
            if (all.items[i].mirror >= other.count || other.items[all.items[i].mirror].index != a ||
                other.items[all.items[i].mirror].mirror != i)
                return false;
            n->lists.items[b].mark = a;
        }
        for (uint32_t i = 0; i < all.count; ++i)
            n->lists.items[all.items[i].index].mark = NEIGHBOUR_NONE;
    }
    return true;
}

static bool is_valid_pair(const tact_world *world, const prediction_state *s, const predicted_pair *p)
{
    const pair_prediction *r = &p->prediction;
    return p->a < p->b && is_alive(world, p->a) && is_alive(world, p->b) && !isnan(r->time) && r->time > -INFINITY &&
           !isnan(r->valid_until) && !isnan(r->superseded_at) && vec_finite(r->point) && vec_finite(r->normal) &&
           r->version <= s->last_version && r->reported_version <= s->last_version && !isnan(r->next_poll) &&
           r->next_poll < INFINITY && !isnan(r->reported_at) && r->reported_at <= world->advance->time &&
           (uint32_t)r->state <= (uint32_t)PAIR_RESTING && isfinite(r->depth);
}

static bool restore_pairs(tact_world *world, const prediction_state *s, tact_report *report)
{
    advance *ad = world->advance;
    for (size_t i = 0; i < s->pair_count; ++i) {
        const predicted_pair *p = &s->pairs[i];
        const uint32_t slot =
            is_valid_pair(world, s, p) ? tact_neighbours_find(&ad->neighbours, p->a, p->b) : NEIGHBOUR_NONE;
        neighbour *n = slot != NEIGHBOUR_NONE ? &neighbours_of(&ad->neighbours, p->a).items[slot] : NULL;
        if (n == NULL || n->data != NEIGHBOUR_NONE)
            return refuse(report, "prediction %zu is invalid, or not that of two neighbours", i);
        const uint32_t prediction = tact_prediction_ensure(world, n);
        if (prediction == NEIGHBOUR_NONE)
            return no_memory(report);
        ad->predictions.items[prediction] = p->prediction;
        ad->predictions.items[prediction].next_unused = NEIGHBOUR_NONE;
        ad->predictions.items[prediction].deforming = NULL;
    }
    return true;
}

static bool restore_event(advance *ad, const predicted_body *b)
{
    body_motion_cold *cold = &ad->cold.items[b->index];
    cold->event_other = b->event_other;
    cold->event_version = b->event_version;
    cold->event_prediction = b->flags & PREDICTED_PAIR && b->event_other != NEIGHBOUR_NONE
                                 ? prediction_of(ad, b->index, b->event_other)
                                 : NEIGHBOUR_NONE;
    if (b->flags & PREDICTED_PAIR && cold->event_prediction == NEIGHBOUR_NONE)
        return false;
    if (b->flags & PREDICTED_EVENT)
        tact_event_queue_set(&ad->queue, b->index, b->event_time, b->event_key);
    return true;
}

/* The list of bodies that have changed: those that say so, each once, and removed ones. */
static bool restore_dirty(tact_world *world, const prediction_state *s)
{
    advance *ad = world->advance;
    size_t flagged = 0, alive = 0;
    ad->dirty.count = 0;
    for (uint32_t i = 0; i < ad->cold.count; ++i) {
        flagged += is_alive(world, i) && ad->cold.items[i].dirty;
        if (!is_alive(world, i))
            ad->cold.items[i].dirty = false;
    }
    for (size_t i = 0; i < s->dirty_count; ++i) {
        const uint32_t index = s->dirty[i];
        if (index >= ad->cold.count)
            return false;
        body_motion_cold *cold = &ad->cold.items[index];
        if (is_alive(world, index) ? !cold->dirty : cold->dirty)
            return false;
        alive += is_alive(world, index);
        if (!is_alive(world, index))
            cold->dirty = cold->needs_refit = true;
        ad->dirty.items[ad->dirty.count++] = index;
    }
    for (size_t i = 0; i < s->dirty_count; ++i) { /* each once; the flag is free, as all is up to date */
        body_motion_cold *cold = &ad->cold.items[s->dirty[i]];
        if (cold->broad_outdated)
            return false;
        cold->broad_outdated = true;
    }
    for (size_t i = 0; i < s->dirty_count; ++i)
        ad->cold.items[s->dirty[i]].broad_outdated = false;
    return alive == flagged;
}

static bool restore_all_bodies(tact_world *world, const prediction_state *s, tact_report *report)
{
    advance *ad = world->advance;
    size_t first = 0;
    if (s->body_count != world->count)
        return refuse(report, "%zu bodies have predictions, and not all", s->body_count);
    for (size_t i = 0; i < s->body_count; ++i) {
        const predicted_body *b = &s->bodies[i];
        if (!is_alive(world, b->index) || (i > 0 && s->bodies[i - 1].index >= b->index) ||
            !is_valid_body(world, s, b) || b->neighbour_count > s->neighbour_count - first)
            return refuse(report, "the bound or event of body %zu is invalid", b->index);
        const tact_status status = restore_body(world, b);
        if (status != TACT_OK)
            return status == TACT_OUT_OF_MEMORY ? no_memory(report)
                                                : refuse(report, "the pivot of body %zu is too far away", b->index);
        if (!restore_neighbours(world, b->index, s->neighbours != NULL ? s->neighbours + first : NULL,
                                b->neighbour_count))
            return no_memory(report);
        first += b->neighbour_count;
        if (!(b->flags & PREDICTED_BOUND))
            continue;
        /* first all that are in the grid: others might take their place */
        if (b->flags & PREDICTED_GRID)
            tact_fat_bounds_set_unlisted(&ad->fat_bounds, b->index, &b->bound, b->filter);
        if (b->flags & PREDICTED_GRID && !sphere_grid_has(&ad->fat_bounds.grid, b->index))
            return refuse(report, "body %zu is not in the grid of spheres", b->index);
    }
    for (size_t i = 0; i < s->body_count; ++i)
        if ((s->bodies[i].flags & (PREDICTED_BOUND | PREDICTED_GRID)) == PREDICTED_BOUND)
            tact_fat_bounds_set_in_tree(&ad->fat_bounds, s->bodies[i].index, &s->bodies[i].bound, s->bodies[i].filter);
    return first == s->neighbour_count || refuse(report, "%zu neighbours, and more", first);
}

bool tact_predictions_restore(tact_world *world, const prediction_state *s, tact_report *report)
{
    advance *ad = world->advance;
    if (!s->exists)
        return true;
    if (!isfinite(s->choice.since) ||
        (s->choice.wanted != TACT_KINETIC_FAT_BOUNDS && s->choice.wanted != TACT_KINETIC_SWEEP_AND_PRUNE) ||
        ad->restored_touches.count > 0 || s->dirty_count > ad->cold.count)
        return refuse(report, "predictions are inconsistent as a whole", 0);
    if (!restore_grid(world, s, report) || !restore_all_bodies(world, s, report))
        return false;
    if (!restore_sweep(world, s))
        return refuse(report, "the kinetic sweep and prune is inconsistent", 0);
    if (!neighbours_are_valid(world))
        return refuse(report, "the lists of neighbours are inconsistent", 0);
    if (!restore_pairs(world, s, report))
        return false;
    for (size_t i = 0; i < s->body_count; ++i)
        if (!restore_event(ad, &s->bodies[i]))
            return refuse(report, "the event of body %zu has no prediction", s->bodies[i].index);
    if (!restore_dirty(world, s))
        return refuse(report, "the list of changed bodies is inconsistent", 0);
    ad->last_version = s->last_version;
    ad->effort = s->effort;
    ad->choice = s->choice;
    ad->choice.swaps = 0;
    ad->sweep.sweep.swaps = s->choice.swaps;
    ad->fat_bounds.spheres_set = (size_t)s->spheres_set;
    ad->fat_bounds.neighbours_found = (size_t)s->neighbours_found;
    return true;
}
