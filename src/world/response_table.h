/*
 * A hash table of responses. A key is two 32-bit numbers; an entry also has a stamp. An entry with another stamp is
 * stale and is ignored, so the entries of a removed body need not be searched. Stale entries are dropped when the table
 * grows, or when the same key is set.
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
    size_t count; /* entries, stale ones included */
} response_table;

/* Whether an entry is stale; called when the table is full. */
typedef bool response_stale(const void *context, const response_entry *entry);

/* The response under a key; NULL: there is none, or it has another stamp. Constant time. */
const tact_response *tact_response_table_find(const response_table *table, uint64_t key, uint64_t stamp);

/* Sets or replaces a response; `stamp` is not 0. `stale` may be NULL. False: out of memory, nothing has changed. */
bool tact_response_table_set(response_table *table, const tact_allocator *allocator, uint64_t key, uint64_t stamp,
                             tact_response response, response_stale *stale, const void *context);

/* Removes the entry under a key, if there is one. */
void tact_response_table_remove(response_table *table, uint64_t key);

void tact_response_table_release(response_table *table, const tact_allocator *allocator);

#endif
