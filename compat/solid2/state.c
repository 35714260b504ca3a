/* The state of a thread and its table of objects. */
#include "state.h"

#include <stdlib.h>

static _Thread_local solid_state state;

solid_state *tact_solid_state(void)
{
    if (state.world == NULL)
        state.world = tact_world_create(NULL);
    return &state;
}

bool tact_solid_reserve(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity > 0 ? 2 * *capacity : 16;
    if (wanted > SIZE_MAX / size)
        return false;
    void *moved = realloc(*items, wanted * size);
    if (moved == NULL)
        return false;
    *items = moved;
    *capacity = wanted;
    return true;
}

static size_t home_slot(DtObjectRef object, size_t capacity)
{
    uint64_t word = (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(word >> 32) & (capacity - 1);
}

static object_entry *slot_of(object_entry *objects, size_t capacity, DtObjectRef object)
{
    size_t at = home_slot(object, capacity);
    while (objects[at].used && objects[at].object != object)
        at = (at + 1) & (capacity - 1);
    return &objects[at];
}

object_entry *tact_solid_find(DtObjectRef object)
{
    if (state.object_count == 0)
        return NULL;
    object_entry *entry = slot_of(state.objects, state.object_capacity, object);
    return entry->used ? entry : NULL;
}

static bool grow(void)
{
    if (2 * (state.object_count + 1) <= state.object_capacity)
        return true;
    size_t capacity = state.object_capacity > 0 ? 2 * state.object_capacity : 16;
    object_entry *objects = calloc(capacity, sizeof *objects);
    if (objects == NULL)
        return false;
    for (size_t i = 0; i < state.object_capacity; ++i)
        if (state.objects[i].used)
            *slot_of(objects, capacity, state.objects[i].object) = state.objects[i];
    free(state.objects);
    state.objects = objects;
    state.object_capacity = capacity;
    return true;
}

void dtCreateObject(DtObjectRef object, DtShapeRef shape)
{
    if (tact_solid_state()->world == NULL || shape == NULL || tact_solid_shape(shape) == NULL || !grow())
        return;
    tact_body body = tact_body_create(state.world, &(tact_body_def){.shape = tact_solid_shape(shape), .user = object});
    if (body.generation == 0)
        return;
    dtDeleteObject(object);
    *slot_of(state.objects, state.object_capacity, object) = (object_entry){object, body, shape, true};
    ++state.object_count;
    state.current = object;
    state.has_current = true;
}

void dtDeleteObject(DtObjectRef object)
{
    object_entry *entry = tact_solid_find(object);
    if (entry == NULL)
        return;
    (void)tact_body_remove(state.world, entry->body);
    if (state.has_current && state.current == object)
        state.has_current = false;
    /* later entries move up, so that each stays reachable from its home slot (Knuth, vol. 3, 6.4, algorithm R) */
    size_t mask = state.object_capacity - 1, gap = (size_t)(entry - state.objects);
    for (size_t at = (gap + 1) & mask; state.objects[at].used; at = (at + 1) & mask)
        if (((at - home_slot(state.objects[at].object, state.object_capacity)) & mask) >= ((at - gap) & mask)) {
            state.objects[gap] = state.objects[at];
            gap = at;
        }
    state.objects[gap].used = false;
    --state.object_count;
}

void dtForgetAll(void)
{
    tact_world_release(state.world);
    free(state.objects);
    for (size_t i = 0; i < sizeof state.stored_responses / sizeof state.stored_responses[0]; ++i)
        for (stored_response *r = state.stored_responses[i], *next; r != NULL; r = next) {
            next = r->next;
            free(r);
        }
    state = (solid_state){0};
}
