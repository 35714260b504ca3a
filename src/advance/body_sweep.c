/*
 * Bodies in kinetic sorted lists: see advance_lists.h and broad/kinetic_sweep.h (Coming and Staadt).
 *
 * No touch is missed: two bodies that touch have boxes that overlap in the lists by then. A box is larger than its body
 * by GRAIN of everything that rounding can come from: its coordinates, extents, its way since the plan began, and the
 * way that it makes in the time that there has been; as the ends of a box move on their own, this pad grows with the
 * way. Two ends that are next to each other in a list are in order but for 8 DBL_EPSILON of these quantities of both.
 * If others are between two ends that are out of order, one of the steps from one to the next is, and what that is off
 * by comes, if the ends there go at the same speed, from the same quantities; else it is a delay, of 8 DBL_EPSILON of
 * the time, or sqrt(32 DBL_EPSILON) of it where one that is accelerated turns round just there; in which the two make
 * so much of their way. GRAIN is larger than the sum of that for as many ends as BODY_SWEEP_MAX_BODIES bodies have, ten
 * of which turn round there and then. It also is more than what parts two that were told (PARTED in advance_pair.c), so
 * that two are neighbours for as long as it has to be known that they were.
 *
 * The cost: a swap some 0.2 microseconds, a change of a motion some 1; swaps grow like N^(5/3) in an evenly filled box
 * (each of N bodies passes the ends of all that are in its slab). See advance_choice.c for when that pays.
 *
 * Departures from the paper: the lists tell which pairs overlap along all axes from the places of the ends, with no
 * counter for each pair; and a pair that begins is looked at for when it touches, once, up to the time at which the
 * boxes part.
 */
#include "advance/body_sweep.h"

#include <math.h>

#include "advance/advance.h"

#define GRAIN 0x1p-20 /* relative: see above */

/* ---- memory ---- */

void tact_body_sweep_release(body_sweep *l, const tact_allocator *allocator)
{
    tact_kinetic_sweep_release(&l->sweep, allocator);
    index_array_release(&l->found, allocator);
    index_array_release(&l->pending, allocator);
    index_array_release(&l->counts, allocator);
}

bool tact_body_sweep_reserve(body_sweep *l, const tact_allocator *allocator, uint32_t count)
{
    if (!index_array_reserve(&l->found, allocator, count) || !index_array_reserve(&l->pending, allocator, count) ||
        !index_array_reserve(&l->counts, allocator, count) || !tact_kinetic_sweep_reserve(&l->sweep, allocator, count))
        return false;
    for (; l->counts.count < count; ++l->counts.count)
        l->counts.items[l->counts.count] = 0;
    return true;
}

/* ---- what the lists tell ---- */

/* For the neighbours of `who`: one that is told of again has changed back, perhaps. */
static void toggle(advance *ad, uint32_t other)
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
        toggle(ad, one == l->unsettled_body ? other : one);
        break;
    case SWEEP_COUNT:
        ++l->counts.items[one];
        ++l->counts.items[other];
        break;
    case SWEEP_JOIN:
        if (tact_neighbours_find(&ad->neighbours, one, other) == NEIGHBOUR_NONE)
            tact_neighbours_join(&ad->neighbours, one, other);
        break;
    }
}

static void ended(void *context, uint32_t one, uint32_t other)
{
    advance *ad = context;
    body_sweep *l = &ad->sweep;
    if (l->mode == SWEEP_TOGGLE) {
        toggle(ad, one == l->unsettled_body ? other : one);
    } else if (l->mode == SWEEP_JOIN) {
        const uint32_t place = tact_neighbours_find(&ad->neighbours, one, other);
        if (place != NEIGHBOUR_NONE)
            tact_neighbours_separate(&ad->neighbours, one, place);
    }
}

void tact_body_sweep_init(advance *ad)
{
    ad->sweep = (body_sweep){.sweep = {.began = began, .ended = ended, .context = ad},
                             .unsettled_body = NEIGHBOUR_NONE,
                             .began = {NEIGHBOUR_NONE, NEIGHBOUR_NONE}};
}

/* ---- boxes ---- */

static kinetic_box box_of(const body_motion *p, const body_motion_cold *m)
{
    kinetic_box b = {.since = p->start_time};
    const tact_vec3 a = m->motion.acceleration;
    const double drift = m->plan != NULL ? m->plan->plan.max_deviation_speed : 0.0; /* the box grows */
    const double stray = m->plan != NULL ? motion_plan_deviation(m->plan, p->start_time) : 0.0;
    const double long_ago = fabs(p->start_time), speed = vec_max_abs(p->velocity) + drift, pull = vec_max_abs(a);
    /* all there is at t later: x + v t + a t^2 / 2, and (v + a t) (since + t) */
    const double pad = stray + GRAIN * (vec_max_abs(p->origin) + vec_max_abs(m->extent_min) +
                                        vec_max_abs(m->extent_max) + speed * long_ago);
    const double pad_v = drift + GRAIN * (2.0 * speed + pull * long_ago), pad_a = GRAIN * (3.0 * pull);
    for (int i = 0; i < 3; ++i) {
        const double x = vec_component(p->origin, i), v = vec_component(p->velocity, i);
        b.ends[i][0] = (kinetic_end){x + vec_component(m->extent_min, i) - pad, v - pad_v, vec_component(a, i) - pad_a};
        b.ends[i][1] = (kinetic_end){x + vec_component(m->extent_max, i) + pad, v + pad_v, vec_component(a, i) + pad_a};
    }
    return b;
}

static bool is_pair(const body_sweep *l, uint32_t one, uint32_t other)
{
    return kinetic_sweep_has(&l->sweep, other) && tact_kinetic_sweep_allows(&l->sweep, one, other) &&
           tact_kinetic_sweep_overlap(&l->sweep, one, other);
}

/* Joins `who` with those found, or separates them, as the lists say. What there is no memory for is done again. */
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
        if (!tact_neighbours_make_room(&ad->neighbours, &world->allocator, other, 1))
            return TACT_OUT_OF_MEMORY;
    }
    if (!tact_neighbours_make_room(&ad->neighbours, &world->allocator, l->unsettled_body, more))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < l->found.count; ++i) {
        const uint32_t other = l->found.items[i],
                       place = tact_neighbours_find(&ad->neighbours, l->unsettled_body, other);
        const bool is = is_pair(l, l->unsettled_body, other);
        if (is && place == NEIGHBOUR_NONE)
            tact_neighbours_join(&ad->neighbours, l->unsettled_body, other);
        else if (!is && place != NEIGHBOUR_NONE)
            tact_neighbours_separate(&ad->neighbours, l->unsettled_body, place);
    }
    l->unsettled_body = NEIGHBOUR_NONE;
    return TACT_OK;
}

tact_status tact_body_sweep_update(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion_cold *m = &ad->cold.items[index];
    body_sweep *l = &ad->sweep;
    kinetic_sweep *s = &l->sweep;
    const bool again =
        l->unsettled_body == index; /* its box has changed already, and there was no memory for its neighbours */
    const tact_status status = settle(world);
    if (status != TACT_OK)
        return status;
    const kinetic_box b = box_of(&ad->motions.items[index], m);
    const broad_filter filter = tact_broad_filter(world->broad, index), old = s->filters.items[index];
    m->expiry = body_motion_known_until(m);
    s->time = ad->time;
    if (!kinetic_sweep_has(s, index)) {
        s->boxes.items[index] = b;
        s->filters.items[index] = filter;
        if (!m->sweep_pending)
            l->pending.items[l->pending.count++] = index;
        m->sweep_pending = true;
        return TACT_OK;
    }
    l->mode = SWEEP_TOGGLE;
    l->unsettled_body = index;
    l->found.count = 0;
    tact_kinetic_sweep_change(s, index, &b);
    if (filter.category != old.category || filter.mask != old.mask)
        tact_kinetic_sweep_refilter(s, index, filter);
    l->mode = SWEEP_IGNORE;
    for (size_t i = 0; i < l->found.count; ++i)
        ad->neighbours.lists.items[l->found.items[i]].mark = NEIGHBOUR_NONE;
    ad->effort.changes += !again;
    return settle(world);
}

/* Room for the pairs of those that are fresh. */
static bool make_room(tact_world *world)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    for (size_t i = 0; i < l->counts.count; ++i)
        l->counts.items[i] = 0;
    l->mode = SWEEP_COUNT;
    tact_kinetic_sweep_tell(&l->sweep, l->pending.items, l->pending.count);
    l->mode = SWEEP_IGNORE;
    for (uint32_t i = 0; i < l->counts.count; ++i)
        if (l->counts.items[i] > 0 &&
            !tact_neighbours_make_room(&ad->neighbours, &world->allocator, i, l->counts.items[i]))
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
    size_t come = 0;
    l->sweep.time = ad->time;
    for (size_t i = 0; i < l->pending.count; ++i)
        if (!kinetic_sweep_has(&l->sweep, l->pending.items[i]))
            l->found.items[come++] = l->pending.items[i];
    tact_kinetic_sweep_insert(&l->sweep, l->found.items, come);
    if (!make_room(world))
        return TACT_OUT_OF_MEMORY;
    l->mode = SWEEP_JOIN;
    tact_kinetic_sweep_tell(&l->sweep, l->pending.items, l->pending.count);
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
        tact_neighbours_separate_all(&ad->neighbours, index);
        tact_kinetic_sweep_remove(&l->sweep, index);
    }
    if (l->unsettled_body == index)
        l->unsettled_body = NEIGHBOUR_NONE;
    if (l->began[0] == index || l->began[1] == index)
        l->began[0] = l->began[1] = NEIGHBOUR_NONE;
    if (!ad->cold.items[index].sweep_pending)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < l->pending.count; ++i)
        if (l->pending.items[i] != index)
            l->pending.items[kept++] = l->pending.items[i];
    l->pending.count = kept;
    ad->cold.items[index].sweep_pending = false;
}

/* ---- going on ---- */

double tact_body_sweep_next_time(const advance *ad)
{
    return ad->sweep.began[0] != NEIGHBOUR_NONE ? ad->time : tact_kinetic_sweep_next(&ad->sweep.sweep);
}

tact_status tact_body_sweep_step(tact_world *world)
{
    advance *ad = world->advance;
    body_sweep *l = &ad->sweep;
    uint32_t one, other;
    const bool begins = tact_kinetic_sweep_begins(&l->sweep, &one, &other);
    if (begins && (!tact_neighbours_make_room(&ad->neighbours, &world->allocator, one, 1) ||
                   !tact_neighbours_make_room(&ad->neighbours, &world->allocator, other, 1)))
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

/* ---- taking over ---- */

/* Does it follow a plan that was taken in? */
static bool is_known(const advance *ad, uint32_t index)
{
    return ad->cold.items[index].sweep_pending || body_sweep_has(&ad->sweep, index) ||
           fat_bounds_has(&ad->fat_bounds, index);
}

static void take_over(tact_world *world, tact_kinetic engine)
{
    advance *ad = world->advance;
    for (size_t i = 0; i < ad->predictions.count; ++i)
        ad->predictions.items[i].superseded_at = INFINITY; /* what had a pair looked at again does so no more */
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
        if (!is_known(ad, i))
            continue;
        ad->cold.items[i].sweep_pending = true;
        l->pending.items[l->pending.count++] = i;
        l->sweep.boxes.items[i] = box_of(&ad->motions.items[i], &ad->cold.items[i]);
        l->sweep.filters.items[i] = tact_broad_filter(world->broad, i);
    }
    tact_kinetic_sweep_clear(&l->sweep);
    const tact_status status = tact_body_sweep_insert_pending(world);
    if (status != TACT_OK)
        return status;
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        if (fat_bounds_has(&ad->fat_bounds, i))
            tact_fat_bounds_take_out(&ad->fat_bounds, i);
        for (uint32_t k = ad->neighbours.lists.items[i].count; k-- > 0;)
            if (!is_pair(l, i, neighbours_of(&ad->neighbours, i).items[k].number))
                tact_neighbours_separate(&ad->neighbours, i, k);
        ad->cold.items[i].expiry = body_motion_known_until(&ad->cold.items[i]);
    }
    take_over(world, TACT_KINETIC_SWEEP_AND_PRUNE);
    return TACT_OK;
}

tact_status tact_advance_use_fat_bounds(tact_world *world)
{
    advance *ad = world->advance;
    ad->engine_change_pending = true;
    /* all of them first, so that none loses a neighbour which is yet to come; and once, also if the rest is done again,
     * as the tree would be another one, and with it the order of neighbours, up to which each is foreseen */
    for (uint32_t i = 0; i < ad->motions.count; ++i)
        if (is_known(ad, i) && !fat_bounds_has(&ad->fat_bounds, i))
            tact_body_motion_insert_fat_bound(world, i);
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        const tact_status status =
            fat_bounds_has(&ad->fat_bounds, i) ? tact_fat_bounds_tell(&ad->fat_bounds, &world->allocator, i) : TACT_OK;
        if (status != TACT_OK)
            return status;
    }
    tact_kinetic_sweep_clear(&ad->sweep.sweep);
    for (size_t i = 0; i < ad->sweep.pending.count; ++i)
        ad->cold.items[ad->sweep.pending.items[i]].sweep_pending = false;
    ad->sweep.pending.count = 0;
    ad->sweep.unsettled_body = ad->sweep.began[0] = ad->sweep.began[1] = NEIGHBOUR_NONE;
    take_over(world, TACT_KINETIC_FAT_BOUNDS);
    return TACT_OK;
}

bool tact_body_sweep_check(const tact_world *world)
{
    const advance *ad = world->advance;
    const body_sweep *l = &ad->sweep;
    double far = 0.0;
    for (uint32_t i = 0; i < ad->motions.count; ++i)
        if (body_sweep_has(l, i))
            far = max_double(far,
                             vec_max_abs(body_motion_origin(&ad->motions.items[i], &ad->cold.items[i], l->sweep.time)) +
                                 vec_max_abs(ad->cold.items[i].extent_min) + vec_max_abs(ad->cold.items[i].extent_max));
    if (!tact_kinetic_sweep_check(&l->sweep, 0.5 * GRAIN * far) || !tact_neighbours_check(&ad->neighbours))
        return false;
    size_t pairs = 0, joined = 0;
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        joined += ad->neighbours.lists.items[i].count;
        for (uint32_t j = 0; body_sweep_has(l, i) && j < ad->motions.count; ++j)
            if (j != i && is_pair(l, i, j)) {
                ++pairs;
                if (tact_neighbours_find(&ad->neighbours, i, j) == NEIGHBOUR_NONE)
                    return false;
            }
    }
    return pairs == joined;
}
