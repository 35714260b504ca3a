/*
 * A hash table of responses: see response_table.h. Open addressing with linear probing, at most half full, so a search
 * reads one or two entries. Removal moves later entries back (Knuth, vol. 3, 6.4, algorithm R): there are no
 * tombstones, and setting and removing entries does not make the table grow.
 */
#include "world/response_table.h"

#include "core/hash.h"
#include "core/memory.h"
#include "world/world_constants.h"

static size_t home(const response_table *table, uint64_t key)
{
    return (size_t)hash_mix(key + HASH_GOLDEN_GAMMA) & (table->size - 1);
}

/* The index of the key, or of the empty entry where it would be inserted. The table has an empty entry. */
static size_t find_slot(const response_table *table, uint64_t key)
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
    const response_entry *entry = &table->entries[find_slot(table, key)];
    return entry->stamp == stamp ? &entry->response : NULL;
}

/* Rebuilds the table with a capacity for twice as many entries as are not stale. */
static bool rebuild(response_table *table, const tact_allocator *allocator, response_stale *stale, const void *context)
{
    size_t live = 0;
    for (size_t i = 0; i < table->size; ++i)
        live += table->entries[i].stamp != 0 && (stale == NULL || !stale(context, &table->entries[i]));
    response_table rebuilt = {NULL, RESPONSE_TABLE_MIN_SIZE, 0};
    while (rebuilt.size < 4 * live) {
        if (rebuilt.size > SIZE_MAX / 2)
            return false;
        rebuilt.size *= 2;
    }
    rebuilt.entries = tact_memory_allocate(allocator, rebuilt.size, sizeof *rebuilt.entries);
    if (rebuilt.entries == NULL)
        return false;
    for (size_t i = 0; i < rebuilt.size; ++i)
        rebuilt.entries[i] = (response_entry){0};
    for (size_t i = 0; i < table->size; ++i) {
        const response_entry *entry = &table->entries[i];
        if (entry->stamp != 0 && (stale == NULL || !stale(context, entry))) {
            rebuilt.entries[find_slot(&rebuilt, entry->key)] = *entry;
            ++rebuilt.count;
        }
    }
    tact_response_table_release(table, allocator);
    *table = rebuilt;
    return true;
}

bool tact_response_table_set(response_table *table, const tact_allocator *allocator, uint64_t key, uint64_t stamp,
                             tact_response response, response_stale *stale, const void *context)
{
    if (table->size > 0) {
        response_entry *entry = &table->entries[find_slot(table, key)];
        if (entry->stamp != 0) {
            *entry = (response_entry){key, stamp, response};
            return true;
        }
    }
    if (2 * (table->count + 1) > table->size && !rebuild(table, allocator, stale, context))
        return false;
    table->entries[find_slot(table, key)] = (response_entry){key, stamp, response};
    ++table->count;
    return true;
}

void tact_response_table_remove(response_table *table, uint64_t key)
{
    if (table->count == 0)
        return;
    size_t mask = table->size - 1, hole = find_slot(table, key);
    if (table->entries[hole].stamp == 0)
        return;
    --table->count;
    for (size_t at = (hole + 1) & mask; table->entries[at].stamp != 0; at = (at + 1) & mask) {
        /* an entry may fill the hole if its home is not between the hole and its index */
        if (((at - home(table, table->entries[at].key)) & mask) >= ((at - hole) & mask)) {
            table->entries[hole] = table->entries[at];
            hole = at;
        }
    }
    table->entries[hole] = (response_entry){0};
}

void tact_response_table_release(response_table *table, const tact_allocator *allocator)
{
    tact_memory_free(allocator, table->entries, table->size, sizeof *table->entries);
    *table = (response_table){0};
}
