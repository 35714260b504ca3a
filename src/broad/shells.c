/* Shells: see shells.h. The pairs of a number are in a list; what a search finds is told from what is already there by marks. */
#include "broad/shells.h"

void tact_shells_release(shells *s, const tact_allocator *allocator)
{
    tact_volume_release(&s->tree, allocator);
    shell_box_array_release(&s->boxes, allocator);
    shell_filter_array_release(&s->filters, allocator);
    shell_link_array_release(&s->heads, allocator);
    shell_link_array_release(&s->marks, allocator);
    shell_pair_array_release(&s->pairs, allocator);
    shell_link_array_release(&s->began, allocator);
    shell_link_array_release(&s->found, allocator);
    *s = shells_empty();
}

bool tact_shells_reserve(shells *s, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= s->boxes.count)
        return true;
    if (!tact_volume_reserve(&s->tree, allocator, numbers) || !shell_box_array_reserve(&s->boxes, allocator, numbers) ||
        !shell_filter_array_reserve(&s->filters, allocator, numbers) ||
        !shell_link_array_reserve(&s->heads, allocator, numbers) ||
        !shell_link_array_reserve(&s->marks, allocator, numbers) ||
        !shell_link_array_reserve(&s->began, allocator, numbers) ||
        !shell_link_array_reserve(&s->found, allocator, numbers))
        return false;
    for (uint32_t i = (uint32_t)s->boxes.count; i < numbers; ++i) {
        s->boxes.items[i] = box_empty();
        s->heads.items[i] = SHELL_NONE;
        s->marks.items[i] = SHELL_NONE;
    }
    s->boxes.count = s->filters.count = s->heads.count = s->marks.count = numbers;
    return true;
}

static bool allows(const broad_filter *a, const broad_filter *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* ---- pairs ---- */

static void unlink_end(shells *s, uint32_t link)
{
    const shell_pair *p = &s->pairs.items[link >> 1];
    const uint32_t next = p->next[link & 1], previous = p->previous[link & 1];
    if (previous != SHELL_NONE)
        s->pairs.items[previous >> 1].next[previous & 1] = next;
    else
        s->heads.items[p->number[link & 1]] = next;
    if (next != SHELL_NONE)
        s->pairs.items[next >> 1].previous[next & 1] = previous;
}

static void link_end(shells *s, uint32_t link)
{
    shell_pair *p = &s->pairs.items[link >> 1];
    uint32_t *head = &s->heads.items[p->number[link & 1]];
    p->next[link & 1] = *head;
    p->previous[link & 1] = SHELL_NONE;
    if (*head != SHELL_NONE)
        s->pairs.items[*head >> 1].previous[*head & 1] = link;
    *head = link;
}

static void drop(shells *s, uint32_t slot)
{
    unlink_end(s, slot << 1);
    unlink_end(s, slot << 1 | 1);
    s->pairs.items[slot].number[0] = s->unused;
    s->unused = slot;
}

/* There is room. */
static uint32_t add(shells *s, uint32_t one, uint32_t other)
{
    uint32_t slot = s->unused;
    if (slot != SHELL_NONE)
        s->unused = s->pairs.items[slot].number[0];
    else
        slot = (uint32_t)s->pairs.count++;
    shell_pair *p = &s->pairs.items[slot];
    p->number[0] = one < other ? one : other;
    p->number[1] = one < other ? other : one;
    link_end(s, slot << 1);
    link_end(s, slot << 1 | 1);
    return slot;
}

/* ---- boxes ---- */

typedef struct search {
    shells *s;
    const broad_filter *filter;
    uint32_t who;
} search;

/* There is room in `found` for every number, and a number is found once. */
static bool found(void *context, uint32_t other)
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
    s->found.count = s->began.count = 0;
    (void)tact_volume_search(&s->tree, b, found, &q);
    const size_t most = s->pairs.count + s->found.count; /* unused slots are not counted: they are few */
    if (most >= SHELL_NONE >> 1 || !shell_pair_array_reserve(&s->pairs, allocator, most))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->found.count; ++i)
        s->marks.items[s->found.items[i]] = (uint32_t)i;
    for (uint32_t link = s->heads.items[number]; link != SHELL_NONE;) {
        const uint32_t next = shell_next(s, link), other = shell_other(s, link);
        if (s->marks.items[other] == SHELL_NONE)
            drop(s, link >> 1);
        else
            s->marks.items[other] = SHELL_NONE; /* is there already */
        link = next;
    }
    for (size_t i = 0; i < s->found.count; ++i) {
        const uint32_t other = s->found.items[i];
        if (s->marks.items[other] != SHELL_NONE)
            s->began.items[s->began.count++] = add(s, number, other);
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
    while (s->heads.items[number] != SHELL_NONE)
        drop(s, s->heads.items[number] >> 1);
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
    for (uint32_t i = 0; i < s->boxes.count; ++i)
        for (uint32_t link = s->heads.items[i]; link != SHELL_NONE; link = shell_next(s, link)) {
            const uint32_t j = shell_other(s, link);
            if (j == i || !box_overlap(&s->boxes.items[i], &s->boxes.items[j]) ||
                !allows(&s->filters.items[i], &s->filters.items[j]))
                return false;
            ++seen;
        }
    return seen == 2 * pairs;
}
