/*
 * Kinetic sweep and prune: see kinetic_sweep.h. The event queue holds one certificate for each endpoint and axis, for
 * the swap with its successor. A swap replaces at most three certificates: O(log n).
 */
#include "broad/kinetic_sweep.h"

#include <math.h>

#include "broad/broad_constants.h"
#include "core/number.h"
#include "core/sort.h"
#include "math/quadratic.h"

/* ---- memory ---- */

void tact_kinetic_sweep_release(kinetic_sweep *s, const tact_allocator *allocator)
{
    kinetic_box_array_release(&s->boxes, allocator);
    kinetic_filter_array_release(&s->filters, allocator);
    kinetic_index_array_release(&s->scratch, allocator);
    for (int axis = 0; axis < 3; ++axis) {
        kinetic_index_array_release(&s->order[axis], allocator);
        kinetic_index_array_release(&s->ranks[axis], allocator);
    }
    tact_event_queue_release(&s->queue, allocator);
}

bool tact_kinetic_sweep_reserve(kinetic_sweep *s, const tact_allocator *allocator, uint32_t items)
{
    const uint32_t old = (uint32_t)s->boxes.count;
    if (items <= old)
        return true;
    if (items > KINETIC_SWEEP_MAX_BOXES || !kinetic_box_array_reserve(&s->boxes, allocator, items) ||
        !kinetic_filter_array_reserve(&s->filters, allocator, items) ||
        !kinetic_index_array_reserve(&s->scratch, allocator, 4 * (size_t)items) ||
        !tact_event_queue_reserve(&s->queue, allocator, 6 * items))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        if (!kinetic_index_array_reserve(&s->order[axis], allocator, 2 * (size_t)items) ||
            !kinetic_index_array_reserve(&s->ranks[axis], allocator, 2 * (size_t)items))
            return false;
    for (int axis = 0; axis < 3; ++axis) {
        s->ranks[axis].count = 2 * (size_t)items;
        for (uint32_t end = 2 * old; end < 2 * items; ++end)
            s->ranks[axis].items[end] = BROAD_NONE;
    }
    s->boxes.count = s->filters.count = items;
    return true;
}

/* ---- endpoints ---- */

/* An endpoint at a time: its position, velocity and acceleration. */
static kinetic_endpoint endpoint_at(const kinetic_sweep *s, int axis, uint32_t end, double time)
{
    const kinetic_box *b = &s->boxes.items[end >> 1];
    const kinetic_endpoint *e = &b->endpoints[axis][end & 1];
    const double t = time - b->since;
    return (kinetic_endpoint){e->x + t * (e->v + 0.5 * t * e->a), e->v + t * e->a, e->a};
}

/* The order of two endpoints at the same position: the one that is before from now on, or else a fixed order, in which
 * the lower endpoint of a box precedes the upper one. */
static bool moves_before(const kinetic_endpoint *a, uint32_t end_a, const kinetic_endpoint *b, uint32_t end_b)
{
    if (a->v != b->v)
        return a->v < b->v;
    if (a->a != b->a)
        return a->a < b->a;
    return end_a < end_b;
}

static bool is_before(const kinetic_endpoint *a, uint32_t end_a, const kinetic_endpoint *b, uint32_t end_b)
{
    return a->x != b->x ? a->x < b->x : moves_before(a, end_a, b, end_b);
}

/* The time until `high` falls below `low`, its predecessor. If rounding has put them out of order already, their
 * velocities decide. The coefficients have rounding errors, so at that time the endpoints are within rounding error of
 * each other. */
static double time_until_below(const kinetic_endpoint *low, const kinetic_endpoint *high)
{
    const double x = high->x > low->x ? high->x - low->x : 0.0, v = high->v - low->v, a = high->a - low->a;
    return quadratic_first_crossing(x, v, a);
}

/* ---- overlaps ---- */

static bool overlap_along(const kinetic_sweep *s, int axis, uint32_t one, uint32_t other)
{
    const uint32_t *rank = s->ranks[axis].items;
    return rank[2 * one] < rank[2 * other + 1] && rank[2 * other] < rank[2 * one + 1];
}

bool tact_kinetic_sweep_overlap(const kinetic_sweep *s, uint32_t one, uint32_t other)
{
    return overlap_along(s, 0, one, other) && overlap_along(s, 1, one, other) && overlap_along(s, 2, one, other);
}

static bool allows(const broad_filter *a, const broad_filter *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

bool tact_kinetic_sweep_allows(const kinetic_sweep *s, uint32_t one, uint32_t other)
{
    return allows(&s->filters.items[one], &s->filters.items[other]);
}

double tact_kinetic_sweep_overlap_duration(const kinetic_sweep *s, uint32_t one, uint32_t other, double time)
{
    double first = INFINITY;
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t side = 0; side < 2; ++side) {
            const kinetic_endpoint low = endpoint_at(s, axis, 2 * (side ? one : other), time);
            const kinetic_endpoint high = endpoint_at(s, axis, 2 * (side ? other : one) + 1, time);
            first = number_min(first, time_until_below(&low, &high));
        }
    return first;
}

/* ---- certificates ---- */

/* Schedules the swap of the endpoint at a rank with its successor. */
static void schedule_swap(kinetic_sweep *s, int axis, size_t rank)
{
    const kinetic_index_array *order = &s->order[axis];
    const uint32_t low = order->items[rank], certificate = 3 * low + (uint32_t)axis;
    double after = INFINITY;
    if (rank + 1 < order->count) {
        const uint32_t high = order->items[rank + 1];
        if (low >> 1 != high >> 1) { /* the endpoints of one box never swap */
            const kinetic_endpoint l = endpoint_at(s, axis, low, s->time), h = endpoint_at(s, axis, high, s->time);
            after = time_until_below(&l, &h);
        }
    }
    if (after < INFINITY)
        tact_event_queue_set(&s->queue, certificate, s->time + after, (uint64_t)axis << 32 | low);
    else
        tact_event_queue_cancel(&s->queue, certificate);
}

static void schedule_swaps(kinetic_sweep *s, int axis, size_t first, size_t last)
{
    for (size_t rank = first > 0 ? first - 1 : 0; rank <= last; ++rank)
        schedule_swap(s, axis, rank);
}

/* Swaps the endpoint at a rank with its successor, and reports the pair that begins or ends. Schedules nothing. */
static void swap(kinetic_sweep *s, int axis, size_t rank)
{
    uint32_t *at = &s->order[axis].items[rank];
    const uint32_t low = at[0], high = at[1], one = low >> 1, other = high >> 1;
    const bool begins = (low & 1) && !(high & 1), ends = !(low & 1) && (high & 1);
    const bool pair = (begins || ends) && tact_kinetic_sweep_allows(s, one, other);
    const bool overlapped = pair && ends && tact_kinetic_sweep_overlap(s, one, other);
    at[0] = high;
    at[1] = low;
    s->ranks[axis].items[high] = (uint32_t)rank;
    s->ranks[axis].items[low] = (uint32_t)rank + 1;
    if (overlapped)
        s->ended(s->context, one, other);
    else if (pair && begins && tact_kinetic_sweep_overlap(s, one, other))
        s->began(s->context, one, other);
}

double tact_kinetic_sweep_next(const kinetic_sweep *s)
{
    return s->queue.count > 0 ? s->queue.entries[0].time : INFINITY;
}

bool tact_kinetic_sweep_next_begins(const kinetic_sweep *s, uint32_t *one, uint32_t *other)
{
    const uint32_t certificate = s->queue.entries[0].id, low = certificate / 3;
    const int axis = (int)(certificate % 3), second = axis == 0 ? 1 : 0, third = 3 - axis - second;
    const uint32_t high = s->order[axis].items[s->ranks[axis].items[low] + 1];
    *one = low >> 1;
    *other = high >> 1;
    return (low & 1) && !(high & 1) && overlap_along(s, second, *one, *other) &&
           overlap_along(s, third, *one, *other) && tact_kinetic_sweep_allows(s, *one, *other);
}

void tact_kinetic_sweep_step(kinetic_sweep *s)
{
    const event_entry e = s->queue.entries[0];
    const int axis = (int)(e.id % 3);
    const size_t rank = s->ranks[axis].items[e.id / 3];
    s->time = e.time > s->time ? e.time : s->time;
    ++s->swaps;
    swap(s, axis, rank);
    schedule_swaps(s, axis, rank, rank + 1);
}

/* ---- insertion, removal, changes of motion ---- */

/* Moves an endpoint to its rank by swaps, and schedules the new adjacent pairs. */
static void sort_endpoint(kinetic_sweep *s, int axis, uint32_t end)
{
    size_t rank = s->ranks[axis].items[end];
    const size_t began = rank;
    const uint32_t *order = s->order[axis].items;
    const kinetic_endpoint mine = endpoint_at(s, axis, end, s->time);
    for (; rank > 0; --rank) {
        const kinetic_endpoint it = endpoint_at(s, axis, order[rank - 1], s->time);
        if (!is_before(&mine, end, &it, order[rank - 1]))
            break;
        swap(s, axis, rank - 1);
    }
    for (; rank + 1 < s->order[axis].count; ++rank) {
        const kinetic_endpoint it = endpoint_at(s, axis, order[rank + 1], s->time);
        if (!is_before(&it, order[rank + 1], &mine, end))
            break;
        swap(s, axis, rank);
    }
    schedule_swaps(s, axis, rank < began ? rank : began, rank > began ? rank : began);
}

void tact_kinetic_sweep_set_box(kinetic_sweep *s, uint32_t item, const kinetic_box *b)
{
    s->boxes.items[item] = *b;
    for (int axis = 0; axis < 3; ++axis) {
        /* neither endpoint passes the other: if the lower one blocks the upper one, that moves on afterwards */
        const uint32_t *ranks = s->ranks[axis].items;
        sort_endpoint(s, axis, 2 * item + 1);
        const bool blocked = ranks[2 * item] + 1 == ranks[2 * item + 1];
        sort_endpoint(s, axis, 2 * item);
        if (blocked)
            sort_endpoint(s, axis, 2 * item + 1);
    }
}

void tact_kinetic_sweep_set_filter(kinetic_sweep *s, uint32_t item, broad_filter filter)
{
    const broad_filter old = s->filters.items[item];
    s->filters.items[item] = filter;
    for (uint32_t other = 0; other < s->boxes.count; ++other) {
        if (other == item || !kinetic_sweep_has(s, other) || !tact_kinetic_sweep_overlap(s, item, other))
            continue;
        const bool overlapped = allows(&old, &s->filters.items[other]), is = tact_kinetic_sweep_allows(s, item, other);
        if (overlapped && !is)
            s->ended(s->context, item, other);
        else if (!overlapped && is)
            s->began(s->context, item, other);
    }
}

void tact_kinetic_sweep_remove(kinetic_sweep *s, uint32_t item)
{
    for (uint32_t other = 0; other < s->boxes.count; ++other)
        if (other != item && kinetic_sweep_has(s, other) && tact_kinetic_sweep_allows(s, item, other) &&
            tact_kinetic_sweep_overlap(s, item, other))
            s->ended(s->context, item, other);
    for (int axis = 0; axis < 3; ++axis) {
        kinetic_index_array *order = &s->order[axis];
        size_t stored = 0;
        for (size_t i = 0; i < order->count; ++i)
            if (order->items[i] >> 1 != item) {
                s->ranks[axis].items[order->items[i]] = (uint32_t)stored;
                order->items[stored++] = order->items[i];
            }
        const size_t low = s->ranks[axis].items[2 * item], high = s->ranks[axis].items[2 * item + 1];
        order->count = stored;
        for (uint32_t side = 0; side < 2; ++side) {
            tact_event_queue_cancel(&s->queue, 3 * (2 * item + side) + (uint32_t)axis);
            s->ranks[axis].items[2 * item + side] = BROAD_NONE;
        }
        if (low > 0)
            schedule_swap(s, axis, low - 1);
        if (high > 1 && high - 1 > low)
            schedule_swap(s, axis, high - 2);
    }
}

void tact_kinetic_sweep_clear(kinetic_sweep *s)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < s->order[axis].count; ++i) {
            const uint32_t end = s->order[axis].items[i];
            tact_event_queue_cancel(&s->queue, 3 * end + (uint32_t)axis);
            s->ranks[axis].items[end] = BROAD_NONE;
        }
        s->order[axis].count = 0;
    }
}

/* Which endpoints to compare. */
typedef struct endpoint_order {
    const kinetic_sweep *sweep;
    int axis;
} endpoint_order;

static inline bool endpoint_before(endpoint_order o, const uint32_t *a, const uint32_t *b)
{
    const kinetic_endpoint ea = endpoint_at(o.sweep, o.axis, *a, o.sweep->time),
                           eb = endpoint_at(o.sweep, o.axis, *b, o.sweep->time);
    return is_before(&ea, *a, &eb, *b);
}

MERGE_SORT_OF(sort_endpoints, uint32_t, endpoint_order, endpoint_before)

/* Merges the endpoints from rank `old` on into those before, whose order stays: within rounding error it may differ
 * from the sorted order, but the reported pairs rely on it. */
static void merge_endpoints(kinetic_sweep *s, int axis, size_t old)
{
    const endpoint_order order = {s, axis};
    uint32_t *ends = s->order[axis].items, *merged = s->scratch.items;
    const size_t all = s->order[axis].count;
    /* the scratch has capacity for 4 endpoints per box: the first half for merging, the second for sorting */
    const uint32_t *inserted = sort_endpoints(order, ends + old, merged + all, all - old);
    size_t a = 0, b = 0;
    for (size_t out = 0; out < all; ++out) {
        const bool second = a == old || (b < all - old && endpoint_before(order, &inserted[b], &ends[a]));
        merged[out] = second ? inserted[b++] : ends[a++];
    }
    for (size_t i = 0; i < all; ++i)
        ends[i] = merged[i];
}

void tact_kinetic_sweep_report(kinetic_sweep *s, const uint32_t *items, size_t count)
{
    uint32_t *active = s->scratch.items; /* the boxes that contain the current x of the sweep */
    uint32_t *marks =
        s->scratch.items + s->boxes.count; /* by item: index in `active` << 1 | whether it is in `items` */
    size_t active_count = 0;
    for (size_t i = 0; i < s->boxes.count; ++i)
        marks[i] = 0;
    for (size_t i = 0; i < count; ++i)
        marks[items[i]] = 1;
    for (size_t i = 0; i < s->order[0].count; ++i) {
        const uint32_t end = s->order[0].items[i], item = end >> 1;
        if (end & 1) {
            const uint32_t rank = marks[item] >> 1, last = active[--active_count];
            active[rank] = last;
            marks[last] = rank << 1 | (marks[last] & 1);
            continue;
        }
        for (size_t k = 0; k < active_count; ++k)
            if (((marks[item] | marks[active[k]]) & 1) && overlap_along(s, 1, item, active[k]) &&
                overlap_along(s, 2, item, active[k]) && tact_kinetic_sweep_allows(s, item, active[k]))
                s->began(s->context, item, active[k]);
        marks[item] = (uint32_t)active_count << 1 | (marks[item] & 1);
        active[active_count++] = item;
    }
}

void tact_kinetic_sweep_insert(kinetic_sweep *s, const uint32_t *items, size_t count)
{
    for (int axis = 0; axis < 3; ++axis) {
        kinetic_index_array *order = &s->order[axis];
        uint32_t *ranks = s->ranks[axis].items;
        for (size_t i = 0; i < count; ++i)
            for (uint32_t side = 0; side < 2; ++side)
                order->items[order->count++] = 2 * items[i] + side;
        merge_endpoints(s, axis, order->count - 2 * count);
        for (size_t i = 0; i < order->count; ++i) /* adjacent to an inserted one */
            if (ranks[order->items[i]] == BROAD_NONE ||
                (i + 1 < order->count && ranks[order->items[i + 1]] == BROAD_NONE))
                schedule_swap(s, axis, i);
        for (size_t i = 0; i < order->count; ++i)
            ranks[order->items[i]] = (uint32_t)i;
    }
}
