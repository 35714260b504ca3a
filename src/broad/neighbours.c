/*
 * Neighbours: see neighbours.h. The lists are blocks of a pool, of sizes that double; a block that is outgrown is used
 * again for another list. To set all neighbours of one, those that stay are told from the others by marks, not by a
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

bool tact_neighbours_reserve(neighbours *n, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= n->lists.count)
        return true;
    if (!neighbour_list_array_reserve(&n->lists, allocator, numbers))
        return false;
    for (; n->lists.count < numbers; ++n->lists.count)
        n->lists.items[n->lists.count] = (neighbour_list){.mark = NEIGHBOUR_NONE};
    return true;
}

static int size_of(uint32_t room)
{
    int size = 0;
    while (NEIGHBOUR_MIN_CAPACITY << size < room)
        ++size;
    return size;
}

bool tact_neighbours_reserve_more(neighbours *n, const tact_allocator *allocator, uint32_t number, uint32_t more)
{
    neighbour_list *l = &n->lists.items[number];
    const uint32_t wanted = l->count + more;
    if (wanted <= l->capacity)
        return true;
    const int size = size_of(wanted);
    const uint32_t room = NEIGHBOUR_MIN_CAPACITY << size;
    uint32_t first = n->free_blocks[size];
    if (first == NEIGHBOUR_NONE) {
        if (n->pool.count + room >= NEIGHBOUR_NONE ||
            !neighbour_pool_reserve(&n->pool, allocator, n->pool.count + room))
            return false;
        first = (uint32_t)n->pool.count;
        n->pool.count += room;
    } else {
        n->free_blocks[size] = n->pool.items[first].index;
    }
    for (uint32_t i = 0; i < l->count; ++i)
        n->pool.items[first + i] = n->pool.items[l->first + i];
    if (l->capacity > 0) {
        const int old = size_of(l->capacity);
        n->pool.items[l->first].index = n->free_blocks[old];
        n->free_blocks[old] = l->first;
    }
    l->first = first;
    l->capacity = room;
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

/* Takes a neighbour out of a list; the last one takes its place. */
static void take_out(neighbours *n, uint32_t number, uint32_t place)
{
    neighbour_list *l = &n->lists.items[number];
    const neighbour last = n->pool.items[l->first + --l->count];
    if (place == l->count)
        return;
    n->pool.items[l->first + place] = last;
    n->pool.items[n->lists.items[last.index].first + last.mirror].mirror = place;
}

void tact_neighbours_remove(neighbours *n, uint32_t number, uint32_t place)
{
    const neighbour one = n->pool.items[n->lists.items[number].first + place];
    if (one.data != NEIGHBOUR_NONE)
        n->on_remove(n->context, one.data);
    take_out(n, one.index, one.mirror);
    take_out(n, number, place);
}

void tact_neighbours_remove_all(neighbours *n, uint32_t number)
{
    while (n->lists.items[number].count > 0)
        tact_neighbours_remove(n, number, n->lists.items[number].count - 1);
}

uint32_t tact_neighbours_find(const neighbours *n, uint32_t number, uint32_t other)
{
    const neighbour_span a = neighbours_of(n, number), b = neighbours_of(n, other);
    for (uint32_t i = 0; i < a.count && a.count <= b.count; ++i)
        if (a.items[i].index == other)
            return i;
    for (uint32_t i = 0; i < b.count && b.count < a.count; ++i)
        if (b.items[i].index == number)
            return b.items[i].mirror;
    return NEIGHBOUR_NONE;
}

bool tact_neighbours_set(neighbours *n, const tact_allocator *allocator, uint32_t number, const uint32_t *others,
                         size_t count)
{
    bool room = tact_neighbours_reserve_more(n, allocator, number, (uint32_t)count);
    for (size_t i = 0; i < count && room; ++i)
        room = n->lists.items[others[i]].count < n->lists.items[others[i]].capacity ||
               tact_neighbours_reserve_more(n, allocator, others[i], 1);
    if (!room)
        return false;
    for (size_t i = 0; i < count; ++i)
        n->lists.items[others[i]].mark = (uint32_t)i;
    for (uint32_t i = n->lists.items[number].count; i-- > 0;) {
        const uint32_t other = neighbours_of(n, number).items[i].index;
        if (n->lists.items[other].mark == NEIGHBOUR_NONE)
            tact_neighbours_remove(n, number, i);
        else
            n->lists.items[other].mark = NEIGHBOUR_NONE; /* is there already */
    }
    for (size_t i = 0; i < count; ++i) {
        if (n->lists.items[others[i]].mark == NEIGHBOUR_NONE)
            continue;
        tact_neighbours_add(n, number, others[i]);
        n->lists.items[others[i]].mark = NEIGHBOUR_NONE;
    }
    return true;
}
