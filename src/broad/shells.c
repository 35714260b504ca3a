/* Shells: see shells.h. */
#include "broad/shells.h"

shells tact_shells_empty(neighbours *lists) { return (shells){.lists = lists, .tree = volume_empty()}; }

void tact_shells_release(shells *s, const tact_allocator *allocator)
{
    tact_volume_release(&s->tree, allocator);
    shell_box_array_release(&s->boxes, allocator);
    shell_filter_array_release(&s->filters, allocator);
    shell_number_array_release(&s->found, allocator);
    *s = tact_shells_empty(s->lists);
}

bool tact_shells_reserve(shells *s, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= s->boxes.count)
        return true;
    if (!tact_neighbours_reserve(s->lists, allocator, numbers) || !tact_volume_reserve(&s->tree, allocator, numbers) ||
        !shell_box_array_reserve(&s->boxes, allocator, numbers) ||
        !shell_filter_array_reserve(&s->filters, allocator, numbers) ||
        !shell_number_array_reserve(&s->found, allocator, numbers))
        return false;
    for (uint32_t i = (uint32_t)s->boxes.count; i < numbers; ++i)
        s->boxes.items[i] = box_empty();
    s->boxes.count = s->filters.count = numbers;
    return true;
}

static bool allows(const broad_filter *a, const broad_filter *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

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

void tact_shells_place(shells *s, uint32_t number, const box *b, broad_filter filter)
{
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
}

/* Its neighbours are those that a box meets. */
static tact_status set_neighbours(shells *s, const tact_allocator *allocator, uint32_t number, const box *b,
                                  const broad_filter *filter)
{
    search q = {s, filter, number};
    s->found.count = 0;
    (void)tact_volume_search(&s->tree, b, find, &q);
    return tact_neighbours_set(s->lists, allocator, number, s->found.items, s->found.count) ? TACT_OK
                                                                                            : TACT_OUT_OF_MEMORY;
}

tact_status tact_shells_put(shells *s, const tact_allocator *allocator, uint32_t number, const box *b,
                            broad_filter filter)
{
    const tact_status status = set_neighbours(s, allocator, number, b, &filter);
    if (status == TACT_OK)
        tact_shells_place(s, number, b, filter);
    return status;
}

tact_status tact_shells_tell(shells *s, const tact_allocator *allocator, uint32_t number)
{
    return set_neighbours(s, allocator, number, &s->boxes.items[number], &s->filters.items[number]);
}

void tact_shells_take_out(shells *s, uint32_t number)
{
    tact_volume_remove(&s->tree, number);
    s->boxes.items[number] = box_empty();
}

void tact_shells_remove(shells *s, uint32_t number)
{
    tact_neighbours_separate_all(s->lists, number);
    tact_shells_take_out(s, number);
}

bool tact_shells_check(const shells *s)
{
    size_t pairs = 0, seen = 0;
    for (uint32_t i = 0; i < s->boxes.count; ++i)
        for (uint32_t j = i + 1; shells_has(s, i) && j < s->boxes.count; ++j)
            pairs += shells_has(s, j) && box_overlap(&s->boxes.items[i], &s->boxes.items[j]) &&
                     allows(&s->filters.items[i], &s->filters.items[j]);
    for (uint32_t i = 0; i < s->boxes.count; ++i) {
        const neighbour_span n = neighbours_of(s->lists, i);
        for (uint32_t k = 0; k < n.count; ++k) {
            const uint32_t j = n.items[k].number;
            if (!box_overlap(&s->boxes.items[i], &s->boxes.items[j]) ||
                !allows(&s->filters.items[i], &s->filters.items[j]))
                return false;
            ++seen;
        }
    }
    return seen == 2 * pairs && tact_neighbours_check(s->lists);
}
