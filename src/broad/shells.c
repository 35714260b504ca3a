/*
 * Shells: see shells.h. The lists are blocks of a pool, of sizes that double; a block that is outgrown is used again for
 * another list. What a search finds is told from what is there already by marks, not by a table of pairs.
 */
#include "broad/shells.h"

shells tact_shells_empty(void)
{
    shells s = {.tree = volume_empty()};
    for (int i = 0; i < SHELL_SIZES; ++i)
        s.unused[i] = SHELL_NONE;
    return s;
}

void tact_shells_release(shells *s, const tact_allocator *allocator)
{
    tact_volume_release(&s->tree, allocator);
    shell_box_array_release(&s->boxes, allocator);
    shell_filter_array_release(&s->filters, allocator);
    shell_list_array_release(&s->lists, allocator);
    shell_number_array_release(&s->marks, allocator);
    shell_number_array_release(&s->found, allocator);
    shell_pool_release(&s->pool, allocator);
    *s = tact_shells_empty();
}

bool tact_shells_reserve(shells *s, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= s->boxes.count)
        return true;
    if (!tact_volume_reserve(&s->tree, allocator, numbers) || !shell_box_array_reserve(&s->boxes, allocator, numbers) ||
        !shell_filter_array_reserve(&s->filters, allocator, numbers) ||
        !shell_list_array_reserve(&s->lists, allocator, numbers) ||
        !shell_number_array_reserve(&s->marks, allocator, numbers) ||
        !shell_number_array_reserve(&s->found, allocator, numbers))
        return false;
    for (uint32_t i = (uint32_t)s->boxes.count; i < numbers; ++i) {
        s->boxes.items[i] = box_empty();
        s->lists.items[i] = (shell_list){0};
        s->marks.items[i] = SHELL_NONE;
    }
    s->boxes.count = s->filters.count = s->lists.count = s->marks.count = numbers;
    return true;
}

static bool allows(const broad_filter *a, const broad_filter *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* ---- lists ---- */

static int size_of(uint32_t room)
{
    int size = 0;
    while (SHELL_LEAST << size < room)
        ++size;
    return size;
}

/* Room in a list for `more` neighbours. */
static bool grow(shells *s, const tact_allocator *allocator, uint32_t number, uint32_t more)
{
    shell_list *l = &s->lists.items[number];
    const uint32_t wanted = l->count + more;
    if (wanted <= l->room)
        return true;
    const int size = size_of(wanted);
    const uint32_t room = SHELL_LEAST << size;
    uint32_t first = s->unused[size];
    if (first == SHELL_NONE) {
        if (s->pool.count + room >= SHELL_NONE || !shell_pool_reserve(&s->pool, allocator, s->pool.count + room))
            return false;
        first = (uint32_t)s->pool.count;
        s->pool.count += room;
    } else {
        s->unused[size] = s->pool.items[first].number;
    }
    for (uint32_t i = 0; i < l->count; ++i)
        s->pool.items[first + i] = s->pool.items[l->first + i];
    if (l->room > 0) {
        const int old = size_of(l->room);
        s->pool.items[l->first].number = s->unused[old];
        s->unused[old] = l->first;
    }
    l->first = first;
    l->room = room;
    return true;
}

/* Takes a neighbour out of a list; the last one takes its place. */
static void take_out(shells *s, uint32_t number, uint32_t place)
{
    shell_list *l = &s->lists.items[number];
    const shell_neighbour last = s->pool.items[l->first + --l->count];
    if (place == l->count)
        return;
    s->pool.items[l->first + place] = last;
    s->pool.items[s->lists.items[last.number].first + last.back].back = place;
}

static void separate(shells *s, uint32_t number, uint32_t place)
{
    const shell_neighbour n = s->pool.items[s->lists.items[number].first + place];
    if (n.word != SHELL_NONE)
        s->drop(s->context, n.word);
    take_out(s, n.number, n.back);
    take_out(s, number, place);
}

/* There is room in both lists. */
static void join(shells *s, uint32_t one, uint32_t other)
{
    shell_list *a = &s->lists.items[one], *b = &s->lists.items[other];
    s->pool.items[a->first + a->count] = (shell_neighbour){other, b->count, SHELL_NONE};
    s->pool.items[b->first + b->count] = (shell_neighbour){one, a->count, SHELL_NONE};
    ++a->count;
    ++b->count;
}

/* ---- boxes ---- */

typedef struct search {
    shells *s;
    const broad_filter *filter;
    uint32_t who;
} search;

/* There is room in `found` for every number, and a number is found once. */
static bool find(void *context, uint32_t other)
{
    const search *q = context;
    if (other != q->who && allows(q->filter, &q->s->filters.items[other]))
        q->s->found.items[q->s->found.count++] = other;
    return true;
}

tact_status tact_shells_put(shells *s, const tact_allocator *allocator, uint32_t number, const box *b,
                            broad_filter filter)
{
    search q = {s, &filter, number};
    s->found.count = s->began = 0;
    (void)tact_volume_search(&s->tree, b, find, &q);
    bool room = grow(s, allocator, number, (uint32_t)s->found.count);
    for (size_t i = 0; i < s->found.count && room; ++i)
        room = grow(s, allocator, s->found.items[i], 1);
    if (!room)
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->found.count; ++i)
        s->marks.items[s->found.items[i]] = (uint32_t)i;
    for (uint32_t i = s->lists.items[number].count; i-- > 0;) {
        const uint32_t other = shells_of(s, number).items[i].number;
        if (s->marks.items[other] == SHELL_NONE)
            separate(s, number, i);
        else
            s->marks.items[other] = SHELL_NONE; /* is there already */
    }
    for (size_t i = 0; i < s->found.count; ++i) {
        const uint32_t other = s->found.items[i];
        if (s->marks.items[other] == SHELL_NONE)
            continue;
        join(s, number, other);
        ++s->began;
        s->marks.items[other] = SHELL_NONE;
    }
    if (shells_has(s, number))
        tact_volume_move(&s->tree, number, b);
    else
        tact_volume_insert(&s->tree, number, b);
    s->boxes.items[number] = *b;
    s->filters.items[number] = filter;
    if (tact_volume_height(&s->tree) > VOLUME_HEIGHT) {
        size_t count = 0;
        for (uint32_t i = 0; i < s->boxes.count; ++i)
            if (shells_has(s, i))
                s->tree.items.items[count++].thing = i;
        tact_volume_build(&s->tree, (volume_boxes){(const unsigned char *)s->boxes.items, sizeof(box)}, count);
    }
    return TACT_OK;
}

void tact_shells_remove(shells *s, uint32_t number)
{
    while (s->lists.items[number].count > 0)
        separate(s, number, s->lists.items[number].count - 1);
    tact_volume_remove(&s->tree, number);
    s->boxes.items[number] = box_empty();
}

bool tact_shells_check(const shells *s)
{
    size_t pairs = 0, seen = 0;
    for (uint32_t i = 0; i < s->boxes.count; ++i)
        for (uint32_t j = i + 1; shells_has(s, i) && j < s->boxes.count; ++j)
            pairs += shells_has(s, j) && box_overlap(&s->boxes.items[i], &s->boxes.items[j]) &&
                     allows(&s->filters.items[i], &s->filters.items[j]);
    for (uint32_t i = 0; i < s->boxes.count; ++i) {
        const shell_neighbours n = shells_of(s, i);
        for (uint32_t k = 0; k < n.count; ++k) {
            const uint32_t j = n.items[k].number;
            const shell_neighbours m = shells_of(s, j);
            if (j == i || !box_overlap(&s->boxes.items[i], &s->boxes.items[j]) ||
                !allows(&s->filters.items[i], &s->filters.items[j]) || n.items[k].back >= m.count ||
                m.items[n.items[k].back].number != i || m.items[n.items[k].back].word != n.items[k].word)
                return false;
            ++seen;
        }
    }
    return seen == 2 * pairs;
}
