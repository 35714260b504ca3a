/*
 * Bodies in the kinetic sweep and prune: see body_sweep.h and broad/kinetic_sweep.h (Coming and Staadt 2006).
 *
 * Guarantee: no touch is missed: the boxes of two bodies overlap in the sorted lists when the bodies touch. A box is
 * larger than its body by SWEEP_PAD of every quantity that rounding enters by: coordinates, extents, the
 * displacement since the motion began, and the displacement in the time of the world. Each endpoint has its own
 * motion, so the pad grows with the displacement.
 *
 * Proof that the pad is enough. Errors are relative to these quantities of both bodies, and e is DBL_EPSILON.
 *  1. Two adjacent endpoints that move at the same speed are in order up to an error of 8 e.
 *  2. Two other adjacent endpoints may swap too late, by 8 e of the time, or by sqrt(32 e) of it where an
 *     accelerated endpoint turns round just then. Their error is that delay times the speed.
 *  3. Two endpoints with others between them are out of order by at most the sum of the errors of the steps from
 *     each endpoint to the next.
 *  4. BODY_SWEEP_MAX_BODIES bodies have 2^21 endpoints. If ten of them turn round there and then, the sum is at most
 *     2^21 8 e + 10 sqrt(32 e) < 2^-20 = SWEEP_PAD.
 *
 * SWEEP_PAD also exceeds SEPARATION_DISTANCE, so that bodies are neighbours for as long as their contact state is
 * needed.
 *
 * Cost: a swap some 0.2 microseconds, a change of motion some 1. Swaps grow like N^(5/3) in an evenly filled box, as
 * each of N bodies passes the endpoints of all bodies in its slab. See kinetic_choice.c for when that pays.
 *
 * Departures from the paper: pairs that overlap along all axes are found from the ranks of their endpoints, without a
 * counter per pair; a new pair is searched for its touch once, up to the time at which its boxes separate.
 */
#include "advance/body_sweep.h"

#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"

/* ---- memory ---- */

void tact_body_sweep_release(body_sweep *l, const tact_allocator *allocator)
{
    tact_kinetic_sweep_release(&l->sweep, allocator);
    body_index_array_release(&l->found, allocator);
    body_index_array_release(&l->pending, allocator);
    body_index_array_release(&l->counts, allocator);
}

bool tact_body_sweep_reserve(body_sweep *l, const tact_allocator *allocator, uint32_t count)
{
    if (!body_index_array_reserve(&l->found, allocator, count) ||
        !body_index_array_reserve(&l->pending, allocator, count) ||
        !body_index_array_reserve(&l->counts, allocator, count) ||
        !tact_kinetic_sweep_reserve(&l->sweep, allocator, count))
        return false;
    for (; l->counts.count < count; ++l->counts.count)
        l->counts.items[l->counts.count] = 0;
    return true;
}

/* ---- pairs that the sweep reports ---- */

/* Collects a body once. A pair that is reported twice may have changed back; settle() tests what holds. */
static void collect(advance *ad, uint32_t other)
{
    body_sweep *l = &ad->sweep;
    if (ad->neighbours.lists.items[other].mark != NEIGHBOUR_NONE)
        return;
    ad->neighbours.lists.items[other].mark = 0;
    l->found.items[l->found.count++] = other;
}

static void began(void *context, uint32_t one, uint32_t other)
{
    advance *ad = context;
    body_sweep *l = &ad->sweep;
    switch (l->mode) {
    case SWEEP_IGNORE:
        break;
    case SWEEP_TOGGLE:
        collect(ad, one == l->unsettled_body ? other : one);
        break;
    case SWEEP_COUNT:
        ++l->counts.items[one];
        ++l->counts.items[other];
        break;
    case SWEEP_JOIN:
        if (tact_neighbours_find(&ad->neighbours, one, other) == NEIGHBOUR_NONE)
            tact_neighbours_add(&ad->neighbours, one, other);
        break;
    }
}

static void ended(void *context, uint32_t one, uint32_t other)
{
    advance *ad = context;
    body_sweep *l = &ad->sweep;
    if (l->mode == SWEEP_TOGGLE) {
        collect(ad, one == l->unsettled_body ? other : one);
    } else if (l->mode == SWEEP_JOIN) {
        const uint32_t slot = tact_neighbours_find(&ad->neighbours, one, other);
        if (slot != NEIGHBOUR_NONE)
            tact_neighbours_remove(&ad->neighbours, one, slot);
    }
}

void tact_body_sweep_init(advance *ad)
{
    ad->sweep = (body_sweep){.sweep = {.began = began, .ended = ended, .context = ad},
                             .unsettled_body = NEIGHBOUR_NONE,
                             .began = {NEIGHBOUR_NONE, NEIGHBOUR_NONE}};
}

/* ---- boxes ---- */

static kinetic_box box_of(const body_motion *hot, const body_motion_cold *cold)
{
    kinetic_box b = {.since = hot->start_time};
    const tact_vec3 a = cold->motion.acceleration;
    const double deviation_speed = cold->plan != NULL ? cold->plan->plan.max_deviation_speed : 0.0;
    const double deviation = cold->plan != NULL ? motion_plan_deviation(cold->plan, hot->start_time) : 0.0;
    const double age = fabs(hot->start_time), speed = vec_max_abs(hot->velocity) + deviation_speed,
                 acceleration = vec_max_abs(a);
    /* every quantity at t later is among x + v t + a t^2 / 2, and (v + a t) (since + t) */
    tact_vec3 low = vec_add(hot->origin, cold->extent_min), high = vec_add(hot->origin, cold->extent_max);
    double far = vec_max_abs(hot->origin) + body_motion_reach(cold);
    if (cold->jumps) {
        low = vec_min(low, cold->jump_min);
        high = vec_max(high, cold->jump_max);
        far += vec_max_abs(cold->jump_min) + vec_max_abs(cold->jump_max);
    }
    const double pad = deviation + SWEEP_PAD * (far + speed * age);
    const double pad_v = deviation_speed + SWEEP_PAD * (2.0 * speed + acceleration * age),
                 pad_a = SWEEP_PAD * (3.0 * acceleration);
    for (int i = 0; i < 3; ++i) {
        const double v = vec_component(hot->velocity, i);
        b.endpoints[i][0] = (kinetic_endpoint){vec_component(low, i) - pad, v - pad_v, vec_component(a, i) - pad_a};
        b.endpoints[i][1] = (kinetic_endpoint){vec_component(high, i) + pad, v + pad_v, vec_component(a, i) + pad_a};
    }
    return b;
}

static bool is_pair(const body_sweep *l, uint32_t one, uint32_t other)
{
    return kinetic_sweep_has(&l->sweep, other) && tact_kinetic_sweep_allows(&l->sweep, one, other) &&
           tact_kinetic_sweep_overlap(&l->sweep, one, other);
}

/* Joins `unsettled_body` with the bodies found, or separates them, as their boxes say. On failure it is repeated. */
static tact_status settle(tact_world *world)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    if (l->unsettled_body == NEIGHBOUR_NONE)
        return TACT_OK;
    uint32_t more = 0;
    for (size_t i = 0; i < l->found.count; ++i) {
        const uint32_t other = l->found.items[i];
        if (!is_pair(l, l->unsettled_body, other))
            continue;
        ++more;
        if (!tact_neighbours_reserve_more(&ad->neighbours, &world->allocator, other, 1))
            return TACT_OUT_OF_MEMORY;
    }
    if (!tact_neighbours_reserve_more(&ad->neighbours, &world->allocator, l->unsettled_body, more))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < l->found.count; ++i) {
        const uint32_t other = l->found.items[i],
                       slot = tact_neighbours_find(&ad->neighbours, l->unsettled_body, other);
        const bool is = is_pair(l, l->unsettled_body, other);
        if (is && slot == NEIGHBOUR_NONE)
            tact_neighbours_add(&ad->neighbours, l->unsettled_body, other);
        else if (!is && slot != NEIGHBOUR_NONE)
            tact_neighbours_remove(&ad->neighbours, l->unsettled_body, slot);
    }
    l->unsettled_body = NEIGHBOUR_NONE;
    return TACT_OK;
}

tact_status tact_body_sweep_update(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion_cold *cold = &ad->cold.items[index];
    body_sweep *l = &ad->sweep;
    kinetic_sweep *s = &l->sweep;
    const bool again = l->unsettled_body == index; /* its box has changed, its neighbours have not */
    const tact_status status = settle(world);
    if (status != TACT_OK)
        return status;
    const kinetic_box b = box_of(&ad->motions.items[index], cold);
    const broad_filter filter = tact_broad_get_filter(world->broad, index), old = s->filters.items[index];
    cold->expiry = body_motion_known_until(cold);
    s->time = ad->time;
    if (!kinetic_sweep_has(s, index)) {
        s->boxes.items[index] = b;
        s->filters.items[index] = filter;
        if (!cold->sweep_pending)
            l->pending.items[l->pending.count++] = index;
        cold->sweep_pending = true;
        return TACT_OK;
    }
    l->mode = SWEEP_TOGGLE;
    l->unsettled_body = index;
    l->found.count = 0;
    tact_kinetic_sweep_set_box(s, index, &b);
    if (filter.category != old.category || filter.mask != old.mask)
        tact_kinetic_sweep_set_filter(s, index, filter);
    l->mode = SWEEP_IGNORE;
    for (size_t i = 0; i < l->found.count; ++i)
        ad->neighbours.lists.items[l->found.items[i]].mark = NEIGHBOUR_NONE;
    ad->effort.changes += !again;
    return settle(world);
}

/* Reserves memory for the pairs of pending bodies. */
static bool reserve_pairs(tact_world *world)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    for (size_t i = 0; i < l->counts.count; ++i)
        l->counts.items[i] = 0;
    l->mode = SWEEP_COUNT;
    tact_kinetic_sweep_report(&l->sweep, l->pending.items, l->pending.count);
    l->mode = SWEEP_IGNORE;
    for (uint32_t i = 0; i < l->counts.count; ++i)
        if (l->counts.items[i] > 0 &&
            !tact_neighbours_reserve_more(&ad->neighbours, &world->allocator, i, l->counts.items[i]))
            return false;
    return true;
}

tact_status tact_body_sweep_insert_pending(tact_world *world)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    const tact_status status = settle(world);
    if (status != TACT_OK || l->pending.count == 0)
        return status;
    size_t count = 0;
    l->sweep.time = ad->time;
    for (size_t i = 0; i < l->pending.count; ++i)
        if (!kinetic_sweep_has(&l->sweep, l->pending.items[i]))
            l->found.items[count++] = l->pending.items[i];
    tact_kinetic_sweep_insert(&l->sweep, l->found.items, count);
    if (!reserve_pairs(world))
        return TACT_OUT_OF_MEMORY;
    l->mode = SWEEP_JOIN;
    tact_kinetic_sweep_report(&l->sweep, l->pending.items, l->pending.count);
    l->mode = SWEEP_IGNORE;
    for (size_t i = 0; i < l->pending.count; ++i)
        ad->cold.items[l->pending.items[i]].sweep_pending = false;
    l->pending.count = 0;
    return TACT_OK;
}

void tact_body_sweep_remove(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    if (kinetic_sweep_has(&l->sweep, index)) {
        tact_neighbours_remove_all(&ad->neighbours, index);
        tact_kinetic_sweep_remove(&l->sweep, index);
    }
    if (l->unsettled_body == index)
        l->unsettled_body = NEIGHBOUR_NONE;
    if (l->began[0] == index || l->began[1] == index)
        l->began[0] = l->began[1] = NEIGHBOUR_NONE;
    if (!ad->cold.items[index].sweep_pending)
        return;
    size_t left = 0;
    for (size_t i = 0; i < l->pending.count; ++i)
        if (l->pending.items[i] != index)
            l->pending.items[left++] = l->pending.items[i];
    l->pending.count = left;
    ad->cold.items[index].sweep_pending = false;
}

/* ---- swaps ---- */

double tact_body_sweep_next_time(const advance *ad)
{
    return ad->sweep.began[0] != NEIGHBOUR_NONE ? ad->time : tact_kinetic_sweep_next(&ad->sweep.sweep);
}

tact_status tact_body_sweep_step(tact_world *world)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    uint32_t one, other;
    const bool begins = tact_kinetic_sweep_next_begins(&l->sweep, &one, &other);
    if (begins && (!tact_neighbours_reserve_more(&ad->neighbours, &world->allocator, one, 1) ||
                   !tact_neighbours_reserve_more(&ad->neighbours, &world->allocator, other, 1)))
        return TACT_OUT_OF_MEMORY;
    l->mode = SWEEP_JOIN;
    tact_kinetic_sweep_step(&l->sweep);
    l->mode = SWEEP_IGNORE;
    if (begins) {
        l->began[0] = one;
        l->began[1] = other;
    }
    return TACT_OK;
}

/* ---- change of engine ---- */

/* Whether the motion of a body has been taken from the world. */
static bool has_motion(const advance *ad, uint32_t index)
{
    return ad->cold.items[index].sweep_pending || body_sweep_has(&ad->sweep, index) ||
           fat_bounds_has(&ad->fat_bounds, index);
}

static void finish_change(tact_world *world, tact_kinetic engine)
{
    advance *ad = world->advance;
    for (size_t i = 0; i < ad->predictions.count; ++i)
        ad->predictions.items[i].superseded_at = INFINITY; /* the old engine examines no pair again */
    ad->engine = engine;
    ad->engine_change_pending = false;
    ad->events_outdated = true;
    tact_choice_begin(world);
}

tact_status tact_advance_use_sweep(tact_world *world)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    if (!tact_body_sweep_reserve(l, &world->allocator, (uint32_t)ad->motions.count))
        return TACT_OUT_OF_MEMORY;
    ad->engine_change_pending = true;
    l->unsettled_body = l->began[0] = l->began[1] = NEIGHBOUR_NONE;
    l->sweep.time = ad->time;
    l->pending.count = 0;
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        if (!has_motion(ad, i))
            continue;
        ad->cold.items[i].sweep_pending = true;
        l->pending.items[l->pending.count++] = i;
        l->sweep.boxes.items[i] = box_of(&ad->motions.items[i], &ad->cold.items[i]);
        l->sweep.filters.items[i] = tact_broad_get_filter(world->broad, i);
    }
    tact_kinetic_sweep_clear(&l->sweep);
    const tact_status status = tact_body_sweep_insert_pending(world);
    if (status != TACT_OK)
        return status;
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        if (fat_bounds_has(&ad->fat_bounds, i))
            tact_fat_bounds_remove_unlisted(&ad->fat_bounds, i);
        for (uint32_t k = ad->neighbours.lists.items[i].count; k-- > 0;)
            if (!is_pair(l, i, neighbours_of(&ad->neighbours, i).items[k].index))
                tact_neighbours_remove(&ad->neighbours, i, k);
        ad->cold.items[i].expiry = body_motion_known_until(&ad->cold.items[i]);
    }
    finish_change(world, TACT_KINETIC_SWEEP_AND_PRUNE);
    return TACT_OK;
}

tact_status tact_advance_use_fat_bounds(tact_world *world)
{
    advance *ad = world->advance;
    ad->engine_change_pending = true;
    /* All bounds are inserted first, so that no body loses a neighbour that is yet to come. Each is inserted once, also
     * if the rest is repeated: another tree would give another order of neighbours, which predictions depend on. */
    for (uint32_t i = 0; i < ad->motions.count; ++i)
        if (has_motion(ad, i) && !fat_bounds_has(&ad->fat_bounds, i))
            tact_body_motion_insert_fat_bound(world, i);
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        const tact_status status =
            fat_bounds_has(&ad->fat_bounds, i) ? tact_fat_bounds_list(&ad->fat_bounds, &world->allocator, i) : TACT_OK;
        if (status != TACT_OK)
            return status;
    }
    tact_kinetic_sweep_clear(&ad->sweep.sweep);
    for (size_t i = 0; i < ad->sweep.pending.count; ++i)
        ad->cold.items[ad->sweep.pending.items[i]].sweep_pending = false;
    ad->sweep.pending.count = 0;
    ad->sweep.unsettled_body = ad->sweep.began[0] = ad->sweep.began[1] = NEIGHBOUR_NONE;
    finish_change(world, TACT_KINETIC_FAT_BOUNDS);
    return TACT_OK;
}
