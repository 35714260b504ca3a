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
 * so much of their way. GRAIN is larger than the sum of that for as many ends as LISTS_MOST bodies have, ten of which
 * turn round there and then. It also is more than what parts two that were told (PARTED in advance_pair.c), so that two
 * are neighbours for as long as it has to be known that they were.
 *
 * The cost: a swap some 0.2 microseconds, a change of a motion some 1; swaps grow like N^(5/3) in an evenly filled box
 * (each of N bodies passes the ends of all that are in its slab). See advance_choice.c for when that pays.
 *
 * Departures from the paper: the lists tell which pairs overlap along all axes from the places of the ends, with no
 * counter for each pair; and a pair that begins is looked at for when it touches, once, up to the time at which the
 * boxes part.
 */
#include "advance/kinetic_lists.h"

#include <math.h>

#include "advance/advance.h"

#define GRAIN 0x1p-20 /* relative: see above */

/* ---- memory ---- */

void tact_kinetic_lists_release(kinetic_lists *l, const tact_allocator *allocator)
{
    tact_kinetic_sweep_release(&l->sorted, allocator);
    index_array_release(&l->found, allocator);
    index_array_release(&l->fresh, allocator);
    index_array_release(&l->counts, allocator);
}

bool tact_kinetic_lists_reserve(kinetic_lists *l, const tact_allocator *allocator, uint32_t count)
{
    if (!index_array_reserve(&l->found, allocator, count) || !index_array_reserve(&l->fresh, allocator, count) ||
        !index_array_reserve(&l->counts, allocator, count) || !tact_kinetic_sweep_reserve(&l->sorted, allocator, count))
        return false;
    for (; l->counts.count < count; ++l->counts.count)
        l->counts.items[l->counts.count] = 0;
    return true;
}

/* ---- what the lists tell ---- */

/* For the neighbours of `who`: one that is told of again has changed back, perhaps. */
static void toggle(advance *ad, uint32_t other)
{
    kinetic_lists *l = &ad->lists;
    if (ad->near.lists.items[other].mark != NEIGHBOUR_NONE)
        return;
    ad->near.lists.items[other].mark = 0;
    l->found.items[l->found.count++] = other;
}

static void began(void *context, uint32_t one, uint32_t other)
{
    advance *ad = context;
    kinetic_lists *l = &ad->lists;
    switch (l->telling) {
    case LISTS_NOTHING:
        break;
    case LISTS_TOGGLE:
        toggle(ad, one == l->who ? other : one);
        break;
    case LISTS_COUNT:
        ++l->counts.items[one];
        ++l->counts.items[other];
        break;
    case LISTS_JOIN:
        if (tact_neighbours_find(&ad->near, one, other) == NEIGHBOUR_NONE)
            tact_neighbours_join(&ad->near, one, other);
        break;
    }
}

static void ended(void *context, uint32_t one, uint32_t other)
{
    advance *ad = context;
    kinetic_lists *l = &ad->lists;
    if (l->telling == LISTS_TOGGLE) {
        toggle(ad, one == l->who ? other : one);
    } else if (l->telling == LISTS_JOIN) {
        const uint32_t place = tact_neighbours_find(&ad->near, one, other);
        if (place != NEIGHBOUR_NONE)
            tact_neighbours_separate(&ad->near, one, place);
    }
}

void tact_kinetic_lists_start(advance *ad)
{
    ad->lists = (kinetic_lists){.sorted = {.began = began, .ended = ended, .context = ad},
                                .who = NEIGHBOUR_NONE,
                                .begun = {NEIGHBOUR_NONE, NEIGHBOUR_NONE}};
}

/* ---- boxes ---- */

static kinetic_box box_of(const body_motion *p, const body_motion_cold *m)
{
    kinetic_box b = {.since = p->since};
    const tact_vec3 a = m->motion.acceleration;
    const double drift = m->course != NULL ? m->course->said.max_deviation_speed : 0.0; /* the box grows */
    const double stray = m->course != NULL ? course_stray(m->course, p->since) : 0.0;
    const double long_ago = fabs(p->since), speed = vec_max_abs(p->velocity) + drift, pull = vec_max_abs(a);
    /* all there is at t later: x + v t + a t^2 / 2, and (v + a t) (since + t) */
    const double pad =
        stray + GRAIN * (vec_max_abs(p->origin) + vec_max_abs(m->low) + vec_max_abs(m->high) + speed * long_ago);
    const double pad_v = drift + GRAIN * (2.0 * speed + pull * long_ago), pad_a = GRAIN * (3.0 * pull);
    for (int i = 0; i < 3; ++i) {
        const double x = vec_component(p->origin, i), v = vec_component(p->velocity, i);
        b.ends[i][0] = (kinetic_end){x + vec_component(m->low, i) - pad, v - pad_v, vec_component(a, i) - pad_a};
        b.ends[i][1] = (kinetic_end){x + vec_component(m->high, i) + pad, v + pad_v, vec_component(a, i) + pad_a};
    }
    return b;
}

static bool is_pair(const kinetic_lists *l, uint32_t one, uint32_t other)
{
    return kinetic_sweep_has(&l->sorted, other) && tact_kinetic_sweep_allows(&l->sorted, one, other) &&
           tact_kinetic_sweep_overlap(&l->sorted, one, other);
}

/* Joins `who` with those found, or separates them, as the lists say. What there is no memory for is done again. */
static tact_status settle(tact_world *world)
{
    advance *ad = world->advance;
    kinetic_lists *l = &ad->lists;
    if (l->who == NEIGHBOUR_NONE)
        return TACT_OK;
    uint32_t more = 0;
    for (size_t i = 0; i < l->found.count; ++i) {
        const uint32_t other = l->found.items[i];
        if (!is_pair(l, l->who, other))
            continue;
        ++more;
        if (!tact_neighbours_make_room(&ad->near, &world->allocator, other, 1))
            return TACT_OUT_OF_MEMORY;
    }
    if (!tact_neighbours_make_room(&ad->near, &world->allocator, l->who, more))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < l->found.count; ++i) {
        const uint32_t other = l->found.items[i], place = tact_neighbours_find(&ad->near, l->who, other);
        const bool is = is_pair(l, l->who, other);
        if (is && place == NEIGHBOUR_NONE)
            tact_neighbours_join(&ad->near, l->who, other);
        else if (!is && place != NEIGHBOUR_NONE)
            tact_neighbours_separate(&ad->near, l->who, place);
    }
    l->who = NEIGHBOUR_NONE;
    return TACT_OK;
}

tact_status tact_kinetic_lists_put(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion_cold *m = &ad->more.items[index];
    kinetic_lists *l = &ad->lists;
    kinetic_sweep *s = &l->sorted;
    const bool again = l->who == index; /* its box has changed already, and there was no memory for its neighbours */
    const tact_status status = settle(world);
    if (status != TACT_OK)
        return status;
    const kinetic_box b = box_of(&ad->plans.items[index], m);
    const broad_filter filter = tact_broad_filter(world->broad, index), old = s->filters.items[index];
    m->exit = body_motion_lasts(m);
    s->time = ad->time;
    if (!kinetic_sweep_has(s, index)) {
        s->boxes.items[index] = b;
        s->filters.items[index] = filter;
        if (!m->fresh)
            l->fresh.items[l->fresh.count++] = index;
        m->fresh = true;
        return TACT_OK;
    }
    l->telling = LISTS_TOGGLE;
    l->who = index;
    l->found.count = 0;
    tact_kinetic_sweep_change(s, index, &b);
    if (filter.category != old.category || filter.mask != old.mask)
        tact_kinetic_sweep_refilter(s, index, filter);
    l->telling = LISTS_NOTHING;
    for (size_t i = 0; i < l->found.count; ++i)
        ad->near.lists.items[l->found.items[i]].mark = NEIGHBOUR_NONE;
    ad->effort.changes += !again;
    return settle(world);
}

/* Room for the pairs of those that are fresh. */
static bool make_room(tact_world *world)
{
    advance *ad = world->advance;
    kinetic_lists *l = &ad->lists;
    for (size_t i = 0; i < l->counts.count; ++i)
        l->counts.items[i] = 0;
    l->telling = LISTS_COUNT;
    tact_kinetic_sweep_tell(&l->sorted, l->fresh.items, l->fresh.count);
    l->telling = LISTS_NOTHING;
    for (uint32_t i = 0; i < l->counts.count; ++i)
        if (l->counts.items[i] > 0 && !tact_neighbours_make_room(&ad->near, &world->allocator, i, l->counts.items[i]))
            return false;
    return true;
}

tact_status tact_kinetic_lists_take_in(tact_world *world)
{
    advance *ad = world->advance;
    kinetic_lists *l = &ad->lists;
    const tact_status status = settle(world);
    if (status != TACT_OK || l->fresh.count == 0)
        return status;
    size_t come = 0;
    l->sorted.time = ad->time;
    for (size_t i = 0; i < l->fresh.count; ++i)
        if (!kinetic_sweep_has(&l->sorted, l->fresh.items[i]))
            l->found.items[come++] = l->fresh.items[i];
    tact_kinetic_sweep_insert(&l->sorted, l->found.items, come);
    if (!make_room(world))
        return TACT_OUT_OF_MEMORY;
    l->telling = LISTS_JOIN;
    tact_kinetic_sweep_tell(&l->sorted, l->fresh.items, l->fresh.count);
    l->telling = LISTS_NOTHING;
    for (size_t i = 0; i < l->fresh.count; ++i)
        ad->more.items[l->fresh.items[i]].fresh = false;
    l->fresh.count = 0;
    return TACT_OK;
}

void tact_kinetic_lists_forget(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    kinetic_lists *l = &ad->lists;
    if (kinetic_sweep_has(&l->sorted, index)) {
        tact_neighbours_separate_all(&ad->near, index);
        tact_kinetic_sweep_remove(&l->sorted, index);
    }
    if (l->who == index)
        l->who = NEIGHBOUR_NONE;
    if (l->begun[0] == index || l->begun[1] == index)
        l->begun[0] = l->begun[1] = NEIGHBOUR_NONE;
    if (!ad->more.items[index].fresh)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < l->fresh.count; ++i)
        if (l->fresh.items[i] != index)
            l->fresh.items[kept++] = l->fresh.items[i];
    l->fresh.count = kept;
    ad->more.items[index].fresh = false;
}

/* ---- going on ---- */

double tact_kinetic_lists_next(const advance *ad)
{
    return ad->lists.begun[0] != NEIGHBOUR_NONE ? ad->time : tact_kinetic_sweep_next(&ad->lists.sorted);
}

tact_status tact_kinetic_lists_step(tact_world *world)
{
    advance *ad = world->advance;
    kinetic_lists *l = &ad->lists;
    uint32_t one, other;
    const bool begins = tact_kinetic_sweep_begins(&l->sorted, &one, &other);
    if (begins && (!tact_neighbours_make_room(&ad->near, &world->allocator, one, 1) ||
                   !tact_neighbours_make_room(&ad->near, &world->allocator, other, 1)))
        return TACT_OUT_OF_MEMORY;
    l->telling = LISTS_JOIN;
    tact_kinetic_sweep_step(&l->sorted);
    l->telling = LISTS_NOTHING;
    if (begins) {
        l->begun[0] = one;
        l->begun[1] = other;
    }
    return TACT_OK;
}

/* ---- taking over ---- */

/* Does it follow a plan that was taken in? */
static bool is_known(const advance *ad, uint32_t index)
{
    return ad->more.items[index].fresh || kinetic_lists_has(&ad->lists, index) || fat_bounds_has(&ad->shells, index);
}

static void take_over(tact_world *world, tact_kinetic engine)
{
    advance *ad = world->advance;
    for (size_t i = 0; i < ad->records.count; ++i)
        ad->records.items[i].ends = INFINITY; /* what had a pair looked at again does so no more */
    ad->engine = engine;
    ad->torn = false;
    ad->unset = true;
    tact_choice_begin(world);
}

tact_status tact_advance_take_lists(tact_world *world)
{
    advance *ad = world->advance;
    kinetic_lists *l = &ad->lists;
    if (!tact_kinetic_lists_reserve(l, &world->allocator, (uint32_t)ad->plans.count))
        return TACT_OUT_OF_MEMORY;
    ad->torn = true;
    l->who = l->begun[0] = l->begun[1] = NEIGHBOUR_NONE;
    l->sorted.time = ad->time;
    l->fresh.count = 0;
    for (uint32_t i = 0; i < ad->plans.count; ++i) {
        if (!is_known(ad, i))
            continue;
        ad->more.items[i].fresh = true;
        l->fresh.items[l->fresh.count++] = i;
        l->sorted.boxes.items[i] = box_of(&ad->plans.items[i], &ad->more.items[i]);
        l->sorted.filters.items[i] = tact_broad_filter(world->broad, i);
    }
    tact_kinetic_sweep_clear(&l->sorted);
    const tact_status status = tact_kinetic_lists_take_in(world);
    if (status != TACT_OK)
        return status;
    for (uint32_t i = 0; i < ad->plans.count; ++i) {
        if (fat_bounds_has(&ad->shells, i))
            tact_fat_bounds_take_out(&ad->shells, i);
        for (uint32_t k = ad->near.lists.items[i].count; k-- > 0;)
            if (!is_pair(l, i, neighbours_of(&ad->near, i).items[k].number))
                tact_neighbours_separate(&ad->near, i, k);
        ad->more.items[i].exit = body_motion_lasts(&ad->more.items[i]);
    }
    take_over(world, TACT_KINETIC_SWEEP_AND_PRUNE);
    return TACT_OK;
}

tact_status tact_advance_take_shells(tact_world *world)
{
    advance *ad = world->advance;
    ad->torn = true;
    /* all of them first, so that none loses a neighbour which is yet to come; and once, also if the rest is done again,
     * as the tree would be another one, and with it the order of neighbours, up to which each is foreseen */
    for (uint32_t i = 0; i < ad->plans.count; ++i)
        if (is_known(ad, i) && !fat_bounds_has(&ad->shells, i))
            tact_body_motion_place_fat_bound(world, i);
    for (uint32_t i = 0; i < ad->plans.count; ++i) {
        const tact_status status =
            fat_bounds_has(&ad->shells, i) ? tact_fat_bounds_tell(&ad->shells, &world->allocator, i) : TACT_OK;
        if (status != TACT_OK)
            return status;
    }
    tact_kinetic_sweep_clear(&ad->lists.sorted);
    for (size_t i = 0; i < ad->lists.fresh.count; ++i)
        ad->more.items[ad->lists.fresh.items[i]].fresh = false;
    ad->lists.fresh.count = 0;
    ad->lists.who = ad->lists.begun[0] = ad->lists.begun[1] = NEIGHBOUR_NONE;
    take_over(world, TACT_KINETIC_FAT_BOUNDS);
    return TACT_OK;
}

bool tact_kinetic_lists_check(const tact_world *world)
{
    const advance *ad = world->advance;
    const kinetic_lists *l = &ad->lists;
    double far = 0.0;
    for (uint32_t i = 0; i < ad->plans.count; ++i)
        if (kinetic_lists_has(l, i))
            far = max_double(far,
                             vec_max_abs(body_motion_origin(&ad->plans.items[i], &ad->more.items[i], l->sorted.time)) +
                                 vec_max_abs(ad->more.items[i].low) + vec_max_abs(ad->more.items[i].high));
    if (!tact_kinetic_sweep_check(&l->sorted, 0.5 * GRAIN * far) || !tact_neighbours_check(&ad->near))
        return false;
    size_t pairs = 0, joined = 0;
    for (uint32_t i = 0; i < ad->plans.count; ++i) {
        joined += ad->near.lists.items[i].count;
        for (uint32_t j = 0; kinetic_lists_has(l, i) && j < ad->plans.count; ++j)
            if (j != i && is_pair(l, i, j)) {
                ++pairs;
                if (tact_neighbours_find(&ad->near, i, j) == NEIGHBOUR_NONE)
                    return false;
            }
    }
    return pairs == joined;
}
