/* Counts how often each pair of indices occurs. */
#ifndef TACT_TOOL_PAIR_COUNT_H
#define TACT_TOOL_PAIR_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pair_count {
    uint32_t a, b;
    unsigned long long count; /* 0: an empty slot */
} pair_count;

/* Zero-initialised it is empty. */
typedef struct pair_counts {
    pair_count *items; /* a hash table with open addressing; after tact_pair_counts_sort an array */
    size_t count, capacity;
} pair_counts;

/* Adds 1 to the count of a pair. False if memory runs out. */
bool tact_pair_counts_add(pair_counts *counts, uint32_t a, uint32_t b);

/* Turns the table into an array of `count` items, the most frequent first, then by a and b. No pair may be added after
 * this. */
void tact_pair_counts_sort(pair_counts *counts);

void tact_pair_counts_release(pair_counts *counts);

#endif
