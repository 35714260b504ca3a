/*
 * Ids of pointers, for writing: a hash table from pointers of a kind to numbers. Open addressing with linear probing,
 * at most half full; expected O(1) per call. Zero-initialised: empty.
 */
#ifndef TACT_RECORD_POINTER_IDS_H
#define TACT_RECORD_POINTER_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/allocator.h>
#include <tact/record.h>

#define POINTER_KIND_SHAPE 100u     /* a tact_shape: beside the kinds of tact_pointer_kind */
#define POINTER_KIND_ANIMATION 101u /* a tact_animation */

typedef struct pointer_id {
    uint64_t pointer; /* its bits */
    uint32_t kind;    /* 0: an empty slot */
    uint32_t id;
} pointer_id;

typedef struct pointer_ids {
    pointer_id *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} pointer_ids;

/* Finds the id of a pointer. False if it has none. */
bool tact_pointer_ids_find(const pointer_ids *ids, uint32_t kind, uint64_t pointer, uint32_t *id);

/* Adds a pointer that has no id yet. False if memory is out. */
bool tact_pointer_ids_add(pointer_ids *ids, const tact_allocator *allocator, uint32_t kind, uint64_t pointer,
                          uint32_t id);

void tact_pointer_ids_release(pointer_ids *ids, const tact_allocator *allocator);

#endif
