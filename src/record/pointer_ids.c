/* Ids of pointers: see pointer_ids.h. */
#include "record/pointer_ids.h"

#include <string.h>

#include "core/hash.h"
#include "core/memory.h"
#include "record/record_constants.h"

/* The slot of a pointer, or the empty one where it belongs. */
static size_t find_slot(const pointer_ids *ids, uint32_t kind, uint64_t pointer)
{
    size_t i = (size_t)hash_add(kind, pointer) & (ids->capacity - 1);
    while (ids->slots[i].kind != 0 && (ids->slots[i].kind != kind || ids->slots[i].pointer != pointer))
        i = (i + 1) & (ids->capacity - 1);
    return i;
}

static bool grow(pointer_ids *ids, const tact_allocator *allocator)
{
    pointer_ids larger = {NULL, ids->capacity == 0 ? POINTER_IDS_MIN_CAPACITY : 2 * ids->capacity, ids->count};
    if (larger.capacity > ids->capacity)
        larger.slots = tact_memory_allocate(allocator, larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    memset(larger.slots, 0, larger.capacity * sizeof *larger.slots);
    for (size_t i = 0; i < ids->capacity; ++i)
        if (ids->slots[i].kind != 0)
            larger.slots[find_slot(&larger, ids->slots[i].kind, ids->slots[i].pointer)] = ids->slots[i];
    tact_pointer_ids_release(ids, allocator);
    *ids = larger;
    return true;
}

bool tact_pointer_ids_find(const pointer_ids *ids, uint32_t kind, uint64_t pointer, uint32_t *id)
{
    if (ids->count == 0)
        return false;
    const pointer_id *slot = &ids->slots[find_slot(ids, kind, pointer)];
    *id = slot->id;
    return slot->kind != 0;
}

bool tact_pointer_ids_add(pointer_ids *ids, const tact_allocator *allocator, uint32_t kind, uint64_t pointer,
                          uint32_t id)
{
    if (2 * (ids->count + 1) > ids->capacity && !grow(ids, allocator))
        return false;
    ids->slots[find_slot(ids, kind, pointer)] = (pointer_id){pointer, kind, id};
    ++ids->count;
    return true;
}

void tact_pointer_ids_release(pointer_ids *ids, const tact_allocator *allocator)
{
    tact_memory_free(allocator, ids->slots, ids->capacity, sizeof *ids->slots);
    *ids = (pointer_ids){0};
}
