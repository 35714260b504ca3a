/* Sorting and heaps (core/sort.h, core/heap.h) against qsort with the index as tie-breaker, for sizes at which the
 * algorithms change and keys with many ties, few bits, or all 64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/heap.h"
#include "core/sort.h"
#include "support/random.h"

#define MOST 20000

typedef struct sort_item {
    uint64_t key;
    uint32_t index; /* where it was */
} sort_item;

static inline uint64_t item_key(const sort_item *i) { return i->key; }

/* The context counts comparisons. */
static inline bool item_before(size_t *compared, const sort_item *a, const sort_item *b)
{
    ++*compared;
    return a->key < b->key;
}

static inline bool item_before_in_full(size_t *compared, const sort_item *a, const sort_item *b)
{
    ++*compared;
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

MERGE_SORT_OF(merge_items, sort_item, size_t *, item_before)
RADIX_SORT_OF(radix_items, sort_item, item_key)
HEAP_SORT_OF(heap_sort_items, sort_item, size_t *, item_before_in_full)
HEAP_OF(item_heap, sort_item, size_t *, item_before_in_full)

static int compare(const void *p, const void *q)
{
    const sort_item *a = p, *b = q;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void fill(random_source *r, sort_item *items, size_t count, int kind)
{
    for (size_t i = 0; i < count; ++i) {
        const uint64_t bits = random_bits(r);
        items[i] = (sort_item){kind == 0   ? bits
                               : kind == 1 ? bits % 7                              /* many ties */
                               : kind == 2 ? (bits >> 32) << 32 | 5                /* high bits alone */
                               : kind == 3 ? (bits & UINT64_C(0x8000100000000001)) /* bits far apart */
                               : kind == 4 ? i                                     /* sorted */
                                           : count - i,                            /* reversed */
                               (uint32_t)i};
    }
}

static const size_t sizes[] = {0,  1,  2,   3,   7,    8,    9,    15,   16,    17,  23,
                               24, 25, 100, 255, 1000, 4095, 4096, 4097, 10000, MOST};

static bool same(const sort_item *a, const sort_item *b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (a[i].key != b[i].key || a[i].index != b[i].index)
            return false;
    return true;
}

static void sorts_agree_with_qsort_and_are_stable(void **state)
{
    (void)state;
    static sort_item made[MOST], expected[MOST], items[MOST], scratch[MOST];
    random_source r = random_seed(11);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (int kind = 0; kind < 6; ++kind) {
            const size_t count = sizes[s];
            size_t compared = 0, log = 1;
            while ((size_t)1 << log < count)
                ++log;
            fill(&r, made, count, kind);
            memcpy(expected, made, sizeof made);
            qsort(expected, count, sizeof *expected, compare);
            memcpy(items, made, sizeof made);
            assert_true(same(merge_items(&compared, items, scratch, count), expected, count));
            assert_true(compared <= 4 * count + count * log);
            memcpy(items, made, sizeof made);
            assert_true(same(radix_items(items, scratch, count), expected, count));
            memcpy(items, made, sizeof made);
            compared = 0;
            heap_sort_items(&compared, items, count);
            assert_true(same(items, expected, count));
            assert_true(compared <= 12 * count + 2 * count * log);
        }
}

static void a_heap_gives_the_first_again_and_again(void **state)
{
    (void)state;
    static sort_item heap[MOST], expected[MOST];
    random_source r = random_seed(12);
    size_t compared = 0;
    for (int kind = 0; kind < 6; ++kind) {
        const size_t count = 1000;
        fill(&r, expected, count, kind);
        for (size_t i = 0; i < count; ++i)
            item_heap_push(&compared, heap, i, expected[i]);
        qsort(expected, count, sizeof *expected, compare);
        for (size_t i = 0; i < count; ++i) {
            assert_true(same(heap, &expected[i], 1));
            item_heap_pop(&compared, heap, count - i);
        }
        /* the greatest 100 of all, the least of them on top */
        fill(&r, expected, count, kind);
        memcpy(heap, expected, 100 * sizeof *heap);
        item_heap_make(&compared, heap, 100);
        for (size_t i = 100; i < count; ++i)
            if (compare(&expected[i], &heap[0]) > 0)
                item_heap_replace_top(&compared, heap, 100, expected[i]);
        item_heap_sort(&compared, heap, 100);
        qsort(expected, count, sizeof *expected, compare);
        for (size_t i = 0; i < 100; ++i)
            assert_true(same(&heap[i], &expected[count - 1 - i], 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_agree_with_qsort_and_are_stable),
        cmocka_unit_test(a_heap_gives_the_first_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
