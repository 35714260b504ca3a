/*
 * The pairs of a separation list: blocks of four, links from bounds to pairs, and the pairs to be examined.
 *
 * A removed pair may still be in `dirty`; its flag stays set. When it is used again, it is not added a second time.
 * So `dirty` never has more entries than there are pairs, and marking cannot fail.
 *
 * The queue holds the events up to a horizon, which are a small part: most certificates are examined again, because a
 * bound has changed, long before they fail. When time reaches the horizon, the next events are found by a pass over all
 * pairs. The horizon is so far away that the passes are cheap compared to the events.
 */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "kinetic/kinetic_constants.h"
#include "kinetic/separation_internal.h"

/* Reserves capacity for so many pairs. False: memory is out, and nothing has changed. */
static bool reserve(separation_list *list, uint32_t pairs)
{
    if (pairs <= list->pair_capacity)
        return true;
    if (pairs > SEPARATION_MAX_PAIRS)
        return false;
    uint32_t capacity = list->pair_capacity + list->pair_capacity / 4;
    capacity = capacity < pairs ? pairs : capacity;
    capacity = (capacity + SEPARATION_BLOCK - 1) / SEPARATION_BLOCK * SEPARATION_BLOCK;
    if (!tact_event_queue_reserve(&list->queue, &list->allocator, capacity))
        return false;
    bound_pair *new_pairs = tact_memory_allocate(&list->allocator, capacity, sizeof *new_pairs);
    double *due = tact_memory_allocate(&list->allocator, capacity, sizeof *due);
    uint32_t *dirty = tact_memory_allocate(&list->allocator, capacity, sizeof *dirty);
    const bool complete = new_pairs != NULL && due != NULL && dirty != NULL;
    if (complete && list->pair_capacity > 0) {
        memcpy(new_pairs, list->pairs, list->pair_count * sizeof *new_pairs);
        memcpy(due, list->due, list->pair_count * sizeof *due);
        memcpy(dirty, list->dirty, list->dirty_count * sizeof *dirty);
    }
    const uint32_t unused = complete ? list->pair_capacity : capacity;
    tact_memory_free(&list->allocator, complete ? list->pairs : new_pairs, unused, sizeof *new_pairs);
    tact_memory_free(&list->allocator, complete ? list->due : due, unused, sizeof *due);
    tact_memory_free(&list->allocator, complete ? list->dirty : dirty, unused, sizeof *dirty);
    if (!complete)
        return false;
    list->pairs = new_pairs;
    list->due = due;
    list->dirty = dirty;
    list->pair_capacity = capacity;
    return true;
}

uint32_t tact_separation_allocate_block(separation_list *list)
{
    uint32_t first = list->free_block;
    if (first != KINETIC_NONE) {
        list->free_block = list->pairs[first].link;
        return first;
    }
    if (!reserve(list, list->pair_count + SEPARATION_BLOCK))
        return KINETIC_NONE;
    first = list->pair_count;
    list->pair_count += SEPARATION_BLOCK;
    memset(&list->pairs[first], 0, SEPARATION_BLOCK * sizeof *list->pairs);
    for (uint32_t i = first; i < list->pair_count; ++i)
        list->due[i] = INFINITY;
    return first;
}

void tact_separation_mark(separation_list *list, uint32_t pair)
{
    bound_pair *p = &list->pairs[pair];
    if (p->dirty)
        return;
    p->dirty = true;
    list->dirty[list->dirty_count++] = pair;
}

void tact_separation_add(separation_list *list, uint32_t pair, uint32_t a, uint32_t b, uint32_t parent)
{
    bound_pair *p = &list->pairs[pair];
    *p = (bound_pair){
        .a = a, .b = b, .parent = parent, .link = KINETIC_NONE, .state = SEPARATION_NEW, .dirty = p->dirty};
    tact_separation_mark(list, pair);
}

/* ---- events ---- */

void tact_separation_schedule(separation_list *list, uint32_t pair, double time)
{
    list->due[pair] = time;
    if (time > list->horizon || time >= list->tree.motion.known_until) {
        tact_event_queue_cancel(&list->queue, pair);
        return;
    }
    const bound_pair *p = &list->pairs[pair];
    const uint64_t level = list->tree.bounds[p->a].level + list->tree.bounds[p->b].level;
    tact_event_queue_set(&list->queue, pair, time, level << 56 | (uint64_t)p->a << 28 | p->b);
}

void tact_separation_extend_horizon(separation_list *list, double time)
{
    if (time <= list->horizon)
        return;
    const double now = list->tree.motion.time;
    const uint64_t events = list->counts.events - list->horizon_events;
    if (list->horizon_length == 0.0)
        list->horizon_length = time - now;
    else if (events < list->pair_count / HORIZON_FEW_EVENTS)
        list->horizon_length *= 2.0;
    else if (events > list->pair_count / HORIZON_MANY_EVENTS)
        list->horizon_length /= 2.0;
    list->horizon_events = list->counts.events;
    list->horizon = now + list->horizon_length > time ? now + list->horizon_length : time;
    for (uint32_t i = 0; i < list->pair_count; ++i)
        if (list->due[i] <= list->horizon && !event_queue_has(&list->queue, i))
            tact_separation_schedule(list, i, list->due[i]);
}

/* ---- links ---- */

/* The list of one end of a pair. */
static uint32_t *list_of(const separation_list *list, const bound_pair *p, unsigned end)
{
    const unsigned side = p->state == SEPARATION_APART && list->certificate == SEPARATION_WITNESS_AXIS
                              ? (unsigned)p->axis ^ end
                              : SEPARATION_ANY_SIDE;
    return &list->links[end == 0 ? p->a : p->b].first[side];
}

void tact_separation_link(separation_list *list, uint32_t pair)
{
    bound_pair *p = &list->pairs[pair];
    for (unsigned end = 0; end < 2; ++end) {
        uint32_t *first = list_of(list, p, end);
        p->previous[end] = KINETIC_NONE;
        p->next[end] = *first;
        if (*first != KINETIC_NONE)
            list->pairs[*first / 2].previous[*first % 2] = 2 * pair + end;
        *first = 2 * pair + end;
    }
}

void tact_separation_unlink(separation_list *list, uint32_t pair)
{
    const bound_pair *p = &list->pairs[pair];
    for (unsigned end = 0; end < 2; ++end) {
        const uint32_t next = p->next[end], previous = p->previous[end];
        if (previous != KINETIC_NONE)
            list->pairs[previous / 2].next[previous % 2] = next;
        else
            *list_of(list, p, end) = next;
        if (next != KINETIC_NONE)
            list->pairs[next / 2].previous[next % 2] = previous;
    }
}

void tact_separation_begin_overlap(separation_list *list, uint32_t pair)
{
    bound_pair *p = &list->pairs[pair];
    const kinetic_tree *tree = &list->tree;
    p->link = (uint32_t)list->overlaps.count;
    list->overlaps.items[list->overlaps.count++] =
        (item_overlap){pair, {kinetic_tree_item(tree, p->a), kinetic_tree_item(tree, p->b)}, tree->motion.time};
}

void tact_separation_end_overlap(separation_list *list, uint32_t pair)
{
    const uint32_t at = list->pairs[pair].link;
    const item_overlap last = list->overlaps.items[--list->overlaps.count];
    list->overlaps.items[at] = last;
    list->pairs[last.pair].link = at;
}

/* ---- removal ---- */

/* Removes the pairs of a block that have no children, and frees it. */
static void remove_block(separation_list *list, uint32_t first)
{
    for (uint32_t i = first; i < first + SEPARATION_BLOCK; ++i) {
        bound_pair *p = &list->pairs[i];
        if (p->state == SEPARATION_OVERLAPPING)
            tact_separation_end_overlap(list, i);
        if (p->state != SEPARATION_UNUSED && p->state != SEPARATION_NEW)
            tact_separation_unlink(list, i);
        tact_separation_schedule(list, i, INFINITY);
        p->state = SEPARATION_UNUSED;
    }
    list->pairs[first].link = list->free_block;
    list->free_block = first;
}

void tact_separation_remove_children(separation_list *list, uint32_t pair)
{
    /* depth first without a stack: a block is removed when none of its pairs has children any more */
    uint32_t at = pair;
    for (;;) {
        const uint32_t first = list->pairs[at].link;
        uint32_t inner = KINETIC_NONE;
        for (uint32_t i = first; i < first + SEPARATION_BLOCK; ++i)
            if (list->pairs[i].state == SEPARATION_OPEN)
                inner = i;
        if (inner != KINETIC_NONE) {
            at = inner;
            continue;
        }
        remove_block(list, first);
        if (at == pair)
            return;
        bound_pair *p = &list->pairs[at];
        tact_separation_unlink(list, at);
        tact_separation_schedule(list, at, INFINITY);
        p->state = SEPARATION_UNUSED;
        at = p->parent;
    }
}
