/* How often pairs of numbers have come. */
#ifndef TACT_TOOL_PAIR_COUNT_H
#define TACT_TOOL_PAIR_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pair_count {
    uint32_t a, b;
    unsigned long long count; /* 0: nothing here */
} pair_count;

/* Zero-initialised it is empty. */
typedef struct pair_counts {
    pair_count *items; /* a hash table with open addressing, until tact_pair_counts_sort */
    size_t count, room;
} pair_counts;

/* Counts a pair. False when out of memory. */
bool tact_pair_counts_add(pair_counts *counts, uint32_t a, uint32_t b);

/* Puts all of them to the beginning of `items`, the most frequent first, then by a and b. Nothing can be added then. */
void tact_pair_counts_sort(pair_counts *counts);

void tact_pair_counts_release(pair_counts *counts);

#endif
