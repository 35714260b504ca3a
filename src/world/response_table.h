/*
 * Responses under two numbers, with a stamp: a hash table. An entry whose stamp is out of date counts for nothing, so
 * that those of a body that is gone need not be looked for; it goes when the table grows, or when the same key is set.
 */
#ifndef TACT_WORLD_RESPONSE_TABLE_H
#define TACT_WORLD_RESPONSE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/response.h>

typedef struct response_entry {
    uint64_t key;   /* two numbers */
    uint64_t stamp; /* 0: empty */
    tact_response response;
} response_entry;

typedef struct response_table {
    response_entry *entries;
    size_t size;  /* a power of two, or 0 */
    size_t count; /* entries, those out of date included */
} response_table;

/* Is an entry out of date? Asked when the table is full. */
typedef bool response_stale(const void *context, const response_entry *entry);

/* NULL when there is none, or it has another stamp. Constant time. */
const tact_response *tact_response_table_find(const response_table *table, uint64_t key, uint64_t stamp);

/* Sets or replaces one; `stamp` is not 0. False when memory has run out; then nothing has changed. `stale` may be NULL.
 */
bool tact_response_table_set(response_table *table, const tact_allocator *allocator, uint64_t key, uint64_t stamp,
                             tact_response response, response_stale *stale, const void *context);

/* Takes out the entry under a key, if there is one. */
void tact_response_table_remove(response_table *table, uint64_t key);

void tact_response_table_release(response_table *table, const tact_allocator *allocator);

#endif
