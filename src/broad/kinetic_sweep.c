/* Kinetic sorted lists: see sorted.h. */
#include "broad/kinetic_sweep.h"

#include <math.h>

#include "core/sort.h"

#include "math/quadratic.h"

#define NUMBERS_MOST (1u << 28) /* certificates are numbered by 32 bits */

/* ---- memory ---- */

void tact_kinetic_sweep_release(kinetic_sweep *s, const tact_allocator *allocator)
{
    kinetic_box_array_release(&s->boxes, allocator);
    kinetic_filter_array_release(&s->filters, allocator);
    kinetic_number_array_release(&s->scratch, allocator);
    for (int axis = 0; axis < 3; ++axis) {
        kinetic_number_array_release(&s->order[axis], allocator);
        kinetic_number_array_release(&s->ranks[axis], allocator);
    }
    tact_event_queue_release(&s->queue, allocator);
}

bool tact_kinetic_sweep_reserve(kinetic_sweep *s, const tact_allocator *allocator, uint32_t numbers)
{
    const uint32_t old = (uint32_t)s->boxes.count;
    if (numbers <= old)
        return true;
    if (numbers > NUMBERS_MOST || !kinetic_box_array_reserve(&s->boxes, allocator, numbers) ||
        !kinetic_filter_array_reserve(&s->filters, allocator, numbers) ||
        !kinetic_number_array_reserve(&s->scratch, allocator, 4 * (size_t)numbers) ||
        !tact_event_queue_reserve(&s->queue, allocator, 6 * numbers))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        if (!kinetic_number_array_reserve(&s->order[axis], allocator, 2 * (size_t)numbers) ||
            !kinetic_number_array_reserve(&s->ranks[axis], allocator, 2 * (size_t)numbers))
            return false;
    for (int axis = 0; axis < 3; ++axis) {
        s->ranks[axis].count = 2 * (size_t)numbers;
        for (uint32_t end = 2 * old; end < 2 * numbers; ++end)
            s->ranks[axis].items[end] = BROAD_NONE;
    }
    s->boxes.count = s->filters.count = numbers;
    return true;
}

/* ---- ends ---- */

/* An end as it is at a time. */
static kinetic_endpoint end_at(const kinetic_sweep *s, int axis, uint32_t end, double time)
{
    const kinetic_box *b = &s->boxes.items[end >> 1];
    const kinetic_endpoint *e = &b->endpoints[axis][end & 1];
    const double t = time - b->since;
    return (kinetic_endpoint){e->x + t * (e->v + 0.5 * t * e->a), e->v + t * e->a, e->a};
}

/* Of two ends at one place: which goes ahead, or else a fixed order, in which a lower end precedes the upper one of its
 * box. */
static bool parts_before(const kinetic_endpoint *a, uint32_t end_a, const kinetic_endpoint *b, uint32_t end_b)
{
    if (a->v != b->v)
        return a->v < b->v;
    if (a->a != b->a)
        return a->a < b->a;
    return end_a < end_b;
}

static bool is_before(const kinetic_endpoint *a, uint32_t end_a, const kinetic_endpoint *b, uint32_t end_b)
{
    return a->x != b->x ? a->x < b->x : parts_before(a, end_a, b, end_b);
}

/* How long until `high` falls below `low`, which it follows. Where rounding has them out of order already, the way they
 * go decides. The root is that of a polynomial whose coefficients differ by roundings: so at that time the ends are
 * within rounding of each other. */
static double falls_below(const kinetic_endpoint *low, const kinetic_endpoint *high)
{
    const double x = high->x > low->x ? high->x - low->x : 0.0, v = high->v - low->v, a = high->a - low->a;
    return quadratic_first_crossing(x, v, a);
}

/* ---- overlaps ---- */

static bool overlap_along(const kinetic_sweep *s, int axis, uint32_t one, uint32_t other)
{
    const uint32_t *place = s->ranks[axis].items;
    return place[2 * one] < place[2 * other + 1] && place[2 * other] < place[2 * one + 1];
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
            const kinetic_endpoint low = end_at(s, axis, 2 * (side ? one : other), time);
            const kinetic_endpoint high = end_at(s, axis, 2 * (side ? other : one) + 1, time);
            first = fmin(first, falls_below(&low, &high));
        }
    return first;
}

/* ---- certificates ---- */

/* Foresees when the end at a place of the order changes places with the next one. */
static void foresee(kinetic_sweep *s, int axis, size_t place)
{
    const kinetic_number_array *order = &s->order[axis];
    const uint32_t low = order->items[place], certificate = 3 * low + (uint32_t)axis;
    double after = INFINITY;
    if (place + 1 < order->count) {
        const uint32_t high = order->items[place + 1];
        if (low >> 1 != high >> 1) { /* the ends of one box never do */
            const kinetic_endpoint l = end_at(s, axis, low, s->time), h = end_at(s, axis, high, s->time);
            after = falls_below(&l, &h);
        }
    }
    if (after < INFINITY)
        tact_event_queue_set(&s->queue, certificate, s->time + after, (uint64_t)axis << 32 | low);
    else
        tact_event_queue_cancel(&s->queue, certificate);
}

static void foresee_around(kinetic_sweep *s, int axis, size_t first, size_t last)
{
    for (size_t place = first > 0 ? first - 1 : 0; place <= last; ++place)
        foresee(s, axis, place);
}

/* The end at a place and the next one change places, and what follows of it for pairs. Foresees nothing. */
static void swap(kinetic_sweep *s, int axis, size_t place)
{
    uint32_t *at = &s->order[axis].items[place];
    const uint32_t low = at[0], high = at[1], one = low >> 1, other = high >> 1;
    const bool begins = (low & 1) && !(high & 1), ends = !(low & 1) && (high & 1);
    const bool pair = (begins || ends) && tact_kinetic_sweep_allows(s, one, other);
    const bool was = pair && ends && tact_kinetic_sweep_overlap(s, one, other);
    at[0] = high;
    at[1] = low;
    s->ranks[axis].items[high] = (uint32_t)place;
    s->ranks[axis].items[low] = (uint32_t)place + 1;
    if (was)
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
    const size_t place = s->ranks[axis].items[e.id / 3];
    s->time = e.time > s->time ? e.time : s->time;
    ++s->swaps;
    swap(s, axis, place);
    foresee_around(s, axis, place, place + 1);
}

void tact_kinetic_sweep_advance(kinetic_sweep *s, double time)
{
    while (s->queue.count > 0 && s->queue.entries[0].time <= time)
        tact_kinetic_sweep_step(s);
    s->time = time;
}

/* ---- boxes that come and go ---- */

/* Moves an end to where it belongs, one place after the other, and foresees what is new by that. */
static void sift(kinetic_sweep *s, int axis, uint32_t end)
{
    size_t place = s->ranks[axis].items[end];
    const size_t began = place;
    const uint32_t *order = s->order[axis].items;
    const kinetic_endpoint mine = end_at(s, axis, end, s->time);
    for (; place > 0; --place) {
        const kinetic_endpoint it = end_at(s, axis, order[place - 1], s->time);
        if (!is_before(&mine, end, &it, order[place - 1]))
            break;
        swap(s, axis, place - 1);
    }
    for (; place + 1 < s->order[axis].count; ++place) {
        const kinetic_endpoint it = end_at(s, axis, order[place + 1], s->time);
        if (!is_before(&it, order[place + 1], &mine, end))
            break;
        swap(s, axis, place);
    }
    foresee_around(s, axis, place < began ? place : began, place > began ? place : began);
}

void tact_kinetic_sweep_set_box(kinetic_sweep *s, uint32_t number, const kinetic_box *b)
{
    s->boxes.items[number] = *b;
    for (int axis = 0; axis < 3; ++axis) {
        /* neither end passes the other: one that is held up by it gets on when that has gone ahead */
        const uint32_t *places = s->ranks[axis].items;
        sift(s, axis, 2 * number + 1);
        const bool held = places[2 * number] + 1 == places[2 * number + 1];
        sift(s, axis, 2 * number);
        if (held)
            sift(s, axis, 2 * number + 1);
    }
}

void tact_kinetic_sweep_set_filter(kinetic_sweep *s, uint32_t number, broad_filter filter)
{
    const broad_filter old = s->filters.items[number];
    s->filters.items[number] = filter;
    for (uint32_t other = 0; other < s->boxes.count; ++other) {
        if (other == number || !kinetic_sweep_has(s, other) || !tact_kinetic_sweep_overlap(s, number, other))
            continue;
        const bool was = allows(&old, &s->filters.items[other]), is = tact_kinetic_sweep_allows(s, number, other);
        if (was && !is)
            s->ended(s->context, number, other);
        else if (!was && is)
            s->began(s->context, number, other);
    }
}

void tact_kinetic_sweep_remove(kinetic_sweep *s, uint32_t number)
{
    for (uint32_t other = 0; other < s->boxes.count; ++other)
        if (other != number && kinetic_sweep_has(s, other) && tact_kinetic_sweep_allows(s, number, other) &&
            tact_kinetic_sweep_overlap(s, number, other))
            s->ended(s->context, number, other);
    for (int axis = 0; axis < 3; ++axis) {
        kinetic_number_array *order = &s->order[axis];
        size_t kept = 0;
        for (size_t i = 0; i < order->count; ++i)
            if (order->items[i] >> 1 != number) {
                s->ranks[axis].items[order->items[i]] = (uint32_t)kept;
                order->items[kept++] = order->items[i];
            }
        const size_t low = s->ranks[axis].items[2 * number], high = s->ranks[axis].items[2 * number + 1];
        order->count = kept;
        for (uint32_t side = 0; side < 2; ++side) {
            tact_event_queue_cancel(&s->queue, 3 * (2 * number + side) + (uint32_t)axis);
            s->ranks[axis].items[2 * number + side] = BROAD_NONE;
        }
        if (low > 0)
            foresee(s, axis, low - 1);
        if (high > 1 && high - 1 > low)
            foresee(s, axis, high - 2);
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
    const kinetic_endpoint ea = end_at(o.sweep, o.axis, *a, o.sweep->time),
                           eb = end_at(o.sweep, o.axis, *b, o.sweep->time);
    return is_before(&ea, *a, &eb, *b);
}

MERGE_SORT_OF(sort_endpoints, uint32_t, endpoint_order, endpoint_before)

/* Brings the ends from place `old` on into the order of those before, which stay in theirs: within rounding it may not
 * be what sorting would give, but it is what the pairs were told by. */
static void merge(kinetic_sweep *s, int axis, size_t old)
{
    const endpoint_order order = {s, axis};
    uint32_t *ends = s->order[axis].items, *merged = s->scratch.items;
    const size_t all = s->order[axis].count;
    /* the scratch has room for 4 endpoints a box: the second half for what is sorted, the first for what is merged */
    const uint32_t *fresh = sort_endpoints(order, ends + old, merged + all, all - old);
    size_t a = 0, b = 0;
    for (size_t out = 0; out < all; ++out) {
        const bool second = a == old || (b < all - old && endpoint_before(order, &fresh[b], &ends[a]));
        merged[out] = second ? fresh[b++] : ends[a++];
    }
    for (size_t i = 0; i < all; ++i)
        ends[i] = merged[i];
}

void tact_kinetic_sweep_report(kinetic_sweep *s, const uint32_t *numbers, size_t count)
{
    uint32_t *open = s->scratch.items;                   /* the boxes that the sweep along x is in */
    uint32_t *marks = s->scratch.items + s->boxes.count; /* by number: where in `open` it is, and whether it is new */
    size_t open_count = 0;
    for (size_t i = 0; i < s->boxes.count; ++i)
        marks[i] = 0;
    for (size_t i = 0; i < count; ++i)
        marks[numbers[i]] = 1;
    for (size_t i = 0; i < s->order[0].count; ++i) {
        const uint32_t end = s->order[0].items[i], number = end >> 1;
        if (end & 1) {
            const uint32_t place = marks[number] >> 1, last = open[--open_count];
            open[place] = last;
            marks[last] = place << 1 | (marks[last] & 1);
            continue;
        }
        for (size_t k = 0; k < open_count; ++k)
            if (((marks[number] | marks[open[k]]) & 1) && overlap_along(s, 1, number, open[k]) &&
                overlap_along(s, 2, number, open[k]) && tact_kinetic_sweep_allows(s, number, open[k]))
                s->began(s->context, number, open[k]);
        marks[number] = (uint32_t)open_count << 1 | (marks[number] & 1);
        open[open_count++] = number;
    }
}

void tact_kinetic_sweep_insert(kinetic_sweep *s, const uint32_t *numbers, size_t count)
{
    for (int axis = 0; axis < 3; ++axis) {
        kinetic_number_array *order = &s->order[axis];
        uint32_t *places = s->ranks[axis].items;
        for (size_t i = 0; i < count; ++i)
            for (uint32_t side = 0; side < 2; ++side)
                order->items[order->count++] = 2 * numbers[i] + side;
        merge(s, axis, order->count - 2 * count);
        for (size_t i = 0; i < order->count; ++i) /* next to one that is new */
            if (places[order->items[i]] == BROAD_NONE ||
                (i + 1 < order->count && places[order->items[i + 1]] == BROAD_NONE))
                foresee(s, axis, i);
        for (size_t i = 0; i < order->count; ++i)
            places[order->items[i]] = (uint32_t)i;
    }
}
