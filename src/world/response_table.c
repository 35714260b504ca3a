/*
 * Open addressing with linear probing, at most half full, so that a search reads one or two entries; removal closes the
 * gap by moving entries back (Knuth, vol. 3, 6.4, algorithm R), so that there are no tombstones and a table that is set
 * and reset for ever does not grow.
 */
#include "world/response_table.h"

#include "core/hash.h"
#include "core/memory.h"

#define FIRST_SIZE 16 /* entries, a power of two */

static size_t home(const response_table *table, uint64_t key)
{
    return (size_t)hash_mix(key + HASH_GOLDEN_GAMMA) & (table->size - 1);
}

/* Where the key is, or the empty place where it would be. The table has an empty place. */
static size_t place_of(const response_table *table, uint64_t key)
{
    size_t at = home(table, key);
    while (table->entries[at].stamp != 0 && table->entries[at].key != key)
        at = (at + 1) & (table->size - 1);
    return at;
}

const tact_response *tact_response_table_find(const response_table *table, uint64_t key, uint64_t stamp)
{
    if (table->count == 0)
        return NULL;
    const response_entry *entry = &table->entries[place_of(table, key)];
    return entry->stamp == stamp ? &entry->response : NULL;
}

/* A table for twice as many entries as are not out of date. */
static bool renew(response_table *table, const tact_allocator *allocator, response_stale *stale, const void *context)
{
    size_t live = 0;
    for (size_t i = 0; i < table->size; ++i)
        live += table->entries[i].stamp != 0 && (stale == NULL || !stale(context, &table->entries[i]));
    response_table fresh = {NULL, FIRST_SIZE, 0};
    while (fresh.size < 4 * live) {
        if (fresh.size > SIZE_MAX / 2)
            return false;
        fresh.size *= 2;
    }
    fresh.entries = tact_memory_allocate(allocator, fresh.size, sizeof *fresh.entries);
    if (fresh.entries == NULL)
        return false;
    for (size_t i = 0; i < fresh.size; ++i)
        fresh.entries[i] = (response_entry){0};
    for (size_t i = 0; i < table->size; ++i) {
        const response_entry *entry = &table->entries[i];
        if (entry->stamp != 0 && (stale == NULL || !stale(context, entry))) {
            fresh.entries[place_of(&fresh, entry->key)] = *entry;
            ++fresh.count;
        }
    }
    tact_response_table_release(table, allocator);
    *table = fresh;
    return true;
}

bool tact_response_table_set(response_table *table, const tact_allocator *allocator, uint64_t key, uint64_t stamp,
                             tact_response response, response_stale *stale, const void *context)
{
    if (table->size > 0) {
        response_entry *entry = &table->entries[place_of(table, key)];
        if (entry->stamp != 0) {
            *entry = (response_entry){key, stamp, response};
            return true;
        }
    }
    if (2 * (table->count + 1) > table->size && !renew(table, allocator, stale, context))
        return false;
    table->entries[place_of(table, key)] = (response_entry){key, stamp, response};
    ++table->count;
    return true;
}

void tact_response_table_remove(response_table *table, uint64_t key)
{
    if (table->count == 0)
        return;
    size_t mask = table->size - 1, gap = place_of(table, key);
    if (table->entries[gap].stamp == 0)
        return;
    --table->count;
    for (size_t at = (gap + 1) & mask; table->entries[at].stamp != 0; at = (at + 1) & mask) {
        /* an entry may move back into the gap if its home is not between the gap and where it is */
        if (((at - home(table, table->entries[at].key)) & mask) >= ((at - gap) & mask)) {
            table->entries[gap] = table->entries[at];
            gap = at;
        }
    }
    table->entries[gap] = (response_entry){0};
}

void tact_response_table_release(response_table *table, const tact_allocator *allocator)
{
    tact_memory_free(allocator, table->entries, table->size, sizeof *table->entries);
    *table = (response_table){0};
}
