/*
 * A binary heap in an array of the caller, and sorting in place with it. No allocation.
 *
 *     static inline bool nearer(const scene *s, const hit *a, const hit *b) { ... }   does a belong above b?
 *     HEAP_OF(hit_heap, hit, const scene *, nearer)                                   declares the functions
 *     hit_heap_push(s, items, count++, h);                                            items[0]: the top
 *     hit_heap_pop(s, items, count--);
 *
 * The context is passed to the comparison. Every function takes the number of items before the call. Cost: push, pop
 * and replace_top O(log n), make O(n), sort O(n log n) comparisons in the worst case. The sort is not stable: equal
 * items may change their order.
 *
 * Where speed counts, two others are used instead: event/queue.c, whose items can be found and changed in the heap, and
 * core/sort.h, which needs as much memory again and takes half the time.
 */
#ifndef TACT_CORE_HEAP_H
#define TACT_CORE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define HEAP_FUNCTION __attribute__((unused)) static inline
#else
#define HEAP_FUNCTION static inline
#endif

#define HEAP_OF(name, type, context_type, above)                                                                       \
    /* puts an item into the free slot, below which all is a heap */                                                   \
    HEAP_FUNCTION void name##_sift_down(context_type context, type *items, size_t count, size_t slot, type item)       \
    {                                                                                                                  \
        for (size_t child; (child = 2 * slot + 1) < count; slot = child) {                                             \
            if (child + 1 < count && above(context, &items[child + 1], &items[child]))                                 \
                ++child;                                                                                               \
            if (!above(context, &items[child], &item))                                                                 \
                break;                                                                                                 \
            items[slot] = items[child];                                                                                \
        }                                                                                                              \
        items[slot] = item;                                                                                            \
    }                                                                                                                  \
                                                                                                                       \
    /* makes a heap of items in any order */                                                                           \
    HEAP_FUNCTION void name##_make(context_type context, type *items, size_t count)                                    \
    {                                                                                                                  \
        for (size_t i = count / 2; i-- > 0;)                                                                           \
            name##_sift_down(context, items, count, i, items[i]);                                                      \
    }                                                                                                                  \
                                                                                                                       \
    HEAP_FUNCTION void name##_push(context_type context, type *items, size_t count, type item)                         \
    {                                                                                                                  \
        size_t slot = count;                                                                                           \
        for (; slot > 0 && above(context, &item, &items[(slot - 1) / 2]); slot = (slot - 1) / 2)                       \
            items[slot] = items[(slot - 1) / 2];                                                                       \
        items[slot] = item;                                                                                            \
    }                                                                                                                  \
                                                                                                                       \
    HEAP_FUNCTION void name##_pop(context_type context, type *items, size_t count)                                     \
    {                                                                                                                  \
        name##_sift_down(context, items, count - 1, 0, items[count - 1]);                                              \
    }                                                                                                                  \
                                                                                                                       \
    HEAP_FUNCTION void name##_replace_top(context_type context, type *items, size_t count, type item)                  \
    {                                                                                                                  \
        name##_sift_down(context, items, count, 0, item);                                                              \
    }                                                                                                                  \
                                                                                                                       \
    /* sorts a heap: the top comes last */                                                                             \
    HEAP_FUNCTION void name##_sort(context_type context, type *items, size_t count)                                    \
    {                                                                                                                  \
        while (count > 1) {                                                                                            \
            const type last = items[--count];                                                                          \
            items[count] = items[0];                                                                                   \
            name##_sift_down(context, items, count, 0, last);                                                          \
        }                                                                                                              \
    }

/* Items: so few are sorted by insertion. Performance only. */
#define HEAP_SORT_MIN 24

/* Declares void name(context, items, count): sorts in place, what comes `before` first. */
#define HEAP_SORT_OF(name, type, context_type, before)                                                                 \
    HEAP_FUNCTION bool name##_after(context_type context, const type *a, const type *b)                                \
    {                                                                                                                  \
        return before(context, b, a);                                                                                  \
    }                                                                                                                  \
    HEAP_OF(name##_heap, type, context_type, name##_after)                                                             \
    HEAP_FUNCTION void name(context_type context, type *items, size_t count)                                           \
    {                                                                                                                  \
        if (count > HEAP_SORT_MIN) {                                                                                   \
            name##_heap_make(context, items, count);                                                                   \
            name##_heap_sort(context, items, count);                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t i = 1; i < count; ++i) {                                                                           \
            const type item = items[i];                                                                                \
            size_t k = i;                                                                                              \
            for (; k > 0 && before(context, &item, &items[k - 1]); --k)                                                \
                items[k] = items[k - 1];                                                                               \
            items[k] = item;                                                                                           \
        }                                                                                                              \
    }

#endif
