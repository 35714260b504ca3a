/*
 * A hash table with open addressing, at most half full. Positions are compared exactly, without a tolerance, so the
 * result does not depend on the order. The hash has a seed that differs from run to run: a file made to collide in one
 * run does not collide in the next. Vertices are numbered by first appearance, so the result is the same for every
 * seed.
 */
#include "mesh_file_weld.h"

#include <string.h>
#include <time.h>

#include "core/hash.h"
#include "core/memory.h"

/* Slots of the first table: 4 KiB. */
#define FIRST_SLOTS 1024

mesh_weld tact_mesh_weld_begin(mesh_build *build)
{
    uint64_t seed = hash_add((uint64_t)time(NULL), (uint64_t)clock());
    return (mesh_weld){.build = build, .seed = hash_add(seed, (uint64_t)(uintptr_t)build->face_starts.items)};
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static size_t slot_of(const mesh_weld *weld, const double xyz[3])
{
    uint64_t hash = weld->seed;
    for (int i = 0; i < 3; i++)
        hash = hash_add(hash, bits_of(xyz[i]));
    return (size_t)hash & (weld->slot_count - 1);
}

static bool table_grow(mesh_weld *weld)
{
    const mesh_source *source = weld->build->source;
    size_t old_count = weld->slot_count, count = old_count ? 2 * old_count : FIRST_SLOTS;
    uint32_t *old = weld->slots, *slots = tact_memory_allocate(source->allocator, count, sizeof *slots);
    if (!slots)
        return tact_mesh_source_out_of_memory(source);
    memset(slots, 0, count * sizeof *slots);
    weld->slots = slots;
    weld->slot_count = count;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i] == 0)
            continue;
        size_t slot = slot_of(weld, weld->build->coordinates.items + 3 * (size_t)(old[i] - 1));
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = old[i];
    }
    tact_memory_free(source->allocator, old, old_count, sizeof *old);
    return true;
}

bool tact_mesh_weld_vertex(mesh_weld *weld, const double xyz[3], uint32_t *vertex)
{
    if (2 * weld->used >= weld->slot_count && !table_grow(weld))
        return false;
    size_t slot = slot_of(weld, xyz);
    for (; weld->slots[slot] != 0; slot = (slot + 1) & (weld->slot_count - 1)) {
        uint32_t known = weld->slots[slot] - 1;
        const double *at = weld->build->coordinates.items + 3 * (size_t)known;
        if (at[0] == xyz[0] && at[1] == xyz[1] && at[2] == xyz[2]) {
            *vertex = known;
            return true;
        }
    }
    size_t made = mesh_build_vertex_count(weld->build);
    if (made >= UINT32_MAX)
        return tact_mesh_source_fail(weld->build->source, NULL, "has more vertices than 32-bit indices allow");
    if (!mesh_build_vertex(weld->build, xyz))
        return false;
    weld->slots[slot] = (uint32_t)made + 1;
    weld->used++;
    *vertex = (uint32_t)made;
    return true;
}

void tact_mesh_weld_clear(mesh_weld *weld)
{
    if (weld->used > 0)
        memset(weld->slots, 0, weld->slot_count * sizeof *weld->slots);
    weld->used = 0;
}

void tact_mesh_weld_release(mesh_weld *weld)
{
    tact_memory_free(weld->build->source->allocator, weld->slots, weld->slot_count, sizeof *weld->slots);
    weld->slots = NULL;
    weld->slot_count = weld->used = 0;
}
