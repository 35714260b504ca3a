/*
 * Neighbour lists: see neighbours.h. A list is a block of a pool. Block sizes double; a block that a list has outgrown
 * is reused for another list. Setting all neighbours of an item distinguishes old from new ones by marks: there is no
 * table of pairs.
 */
#include "broad/neighbours.h"

neighbours tact_neighbours_empty(void)
{
    neighbours n = {.on_remove = NULL};
    for (int i = 0; i < NEIGHBOUR_SIZE_CLASSES; ++i)
        n.free_blocks[i] = NEIGHBOUR_NONE;
    return n;
}

void tact_neighbours_release(neighbours *n, const tact_allocator *allocator)
{
    neighbour_list_array_release(&n->lists, allocator);
    neighbour_pool_release(&n->pool, allocator);
    *n = tact_neighbours_empty();
}

bool tact_neighbours_reserve(neighbours *n, const tact_allocator *allocator, uint32_t items)
{
    if (items <= n->lists.count)
        return true;
    if (!neighbour_list_array_reserve(&n->lists, allocator, items))
        return false;
    for (; n->lists.count < items; ++n->lists.count)
        n->lists.items[n->lists.count] = (neighbour_list){.mark = NEIGHBOUR_NONE};
    return true;
}

static int size_class(uint32_t capacity)
{
    int bucket = 0;
    while (NEIGHBOUR_MIN_CAPACITY << bucket < capacity)
        ++bucket;
    return bucket;
}

bool tact_neighbours_reserve_more(neighbours *n, const tact_allocator *allocator, uint32_t item, uint32_t more)
{
    neighbour_list *l = &n->lists.items[item];
    const uint32_t wanted = l->count + more;
    if (wanted <= l->capacity)
        return true;
    const int bucket = size_class(wanted);
    const uint32_t capacity = NEIGHBOUR_MIN_CAPACITY << bucket;
    uint32_t first = n->free_blocks[bucket];
    if (first == NEIGHBOUR_NONE) {
        if (n->pool.count + capacity >= NEIGHBOUR_NONE ||
            !neighbour_pool_reserve(&n->pool, allocator, n->pool.count + capacity))
            return false;
        first = (uint32_t)n->pool.count;
        n->pool.count += capacity;
    } else {
        n->free_blocks[bucket] = n->pool.items[first].index;
    }
    for (uint32_t i = 0; i < l->count; ++i)
        n->pool.items[first + i] = n->pool.items[l->first + i];
    if (l->capacity > 0) {
        const int old = size_class(l->capacity);
        n->pool.items[l->first].index = n->free_blocks[old];
        n->free_blocks[old] = l->first;
    }
    l->first = first;
    l->capacity = capacity;
    return true;
}

void tact_neighbours_add(neighbours *n, uint32_t one, uint32_t other)
{
    neighbour_list *a = &n->lists.items[one], *b = &n->lists.items[other];
    n->pool.items[a->first + a->count] = (neighbour){other, b->count, NEIGHBOUR_NONE};
    n->pool.items[b->first + b->count] = (neighbour){one, a->count, NEIGHBOUR_NONE};
    ++a->count;
    ++b->count;
}

/* Removes a neighbour from a list; the last one moves to its position. */
static void remove_from_list(neighbours *n, uint32_t item, uint32_t position)
{
    neighbour_list *l = &n->lists.items[item];
    const neighbour last = n->pool.items[l->first + --l->count];
    if (position == l->count)
        return;
    n->pool.items[l->first + position] = last;
    n->pool.items[n->lists.items[last.index].first + last.mirror].mirror = position;
}

void tact_neighbours_remove(neighbours *n, uint32_t item, uint32_t position)
{
    const neighbour one = n->pool.items[n->lists.items[item].first + position];
    if (one.data != NEIGHBOUR_NONE)
        n->on_remove(n->context, one.data);
    remove_from_list(n, one.index, one.mirror);
    remove_from_list(n, item, position);
}

void tact_neighbours_remove_all(neighbours *n, uint32_t item)
{
    while (n->lists.items[item].count > 0)
        tact_neighbours_remove(n, item, n->lists.items[item].count - 1);
}

uint32_t tact_neighbours_find(const neighbours *n, uint32_t item, uint32_t other)
{
    const neighbour_span a = neighbours_of(n, item), b = neighbours_of(n, other);
    for (uint32_t i = 0; i < a.count && a.count <= b.count; ++i)
        if (a.items[i].index == other)
            return i;
    for (uint32_t i = 0; i < b.count && b.count < a.count; ++i)
        if (b.items[i].index == item)
            return b.items[i].mirror;
    return NEIGHBOUR_NONE;
}

bool tact_neighbours_set(neighbours *n, const tact_allocator *allocator, uint32_t item, const uint32_t *others,
                         size_t count)
{
    bool reserved = tact_neighbours_reserve_more(n, allocator, item, (uint32_t)count);
    for (size_t i = 0; i < count && reserved; ++i)
        reserved = n->lists.items[others[i]].count < n->lists.items[others[i]].capacity ||
                   tact_neighbours_reserve_more(n, allocator, others[i], 1);
    if (!reserved)
        return false;
    for (size_t i = 0; i < count; ++i)
        n->lists.items[others[i]].mark = (uint32_t)i;
    for (uint32_t i = n->lists.items[item].count; i-- > 0;) {
        const uint32_t other = neighbours_of(n, item).items[i].index;
        if (n->lists.items[other].mark == NEIGHBOUR_NONE)
            tact_neighbours_remove(n, item, i);
        else
            n->lists.items[other].mark = NEIGHBOUR_NONE; /* is a neighbour already */
    }
    for (size_t i = 0; i < count; ++i) {
        if (n->lists.items[others[i]].mark == NEIGHBOUR_NONE)
            continue;
        tact_neighbours_add(n, item, others[i]);
        n->lists.items[others[i]].mark = NEIGHBOUR_NONE;
    }
    return true;
}
