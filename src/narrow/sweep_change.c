/*
 * Triangles that come, go, and get other corners, in a sweep that was made for it: tearing and remeshing.
 *
 * Guarantee: the sweep then finds the same contacts as one made anew. The tree keeps its shape: a triangle keeps its leaf, whatever its corners, and one
 * that is not there has a bound that touches nothing. The skeleton stays, too: which things count as neighbours is a matter
 * of speed alone (moving_skeleton.c). Only who stands for which vertex and edge is found anew: O(n), some 50 ns a triangle; a sweep
 * that is made anew takes twenty times as long.
 */
#include <string.h>

#include "core/memory.h"
#include "narrow/sweep_parts.h"

static bool changes_are_good(const sweep *s, const uint32_t *triangles, const uint32_t (*corners)[3], size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t group;
        if (triangles[i] >= s->triangle_count)
            return false;
        if (corners[i][0] == SWEEP_ABSENT)
            continue;
        for (unsigned k = 0; k < 3; ++k)
            if (corners[i][k] >= s->vertex_count)
                return false;
        if (!tact_sweep_group(s->parts, s->part_count, corners[i], &group))
            return false;
    }
    return true;
}

tact_status tact_sweep_change(sweep *s, const uint32_t *triangles, const uint32_t (*corners)[3], size_t count)
{
    if (s == NULL || !s->changes || (count > 0 && (triangles == NULL || corners == NULL)) ||
        !changes_are_good(s, triangles, corners, count))
        return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    sweep_scratch scratch;
    uint32_t *homes =
        tact_memory_take(&s->allocator, s->triangle_count, sizeof *homes); /* of the triangles: their things */
    if (homes == NULL)
        return TACT_OUT_OF_MEMORY;
    if (!tact_sweep_scratch_take(&scratch, s->thing_count, s->vertex_count, &s->allocator)) {
        tact_memory_give(&s->allocator, homes, s->triangle_count, sizeof *homes);
        return TACT_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < s->thing_count; ++i)
        if (s->numbers[i] < s->triangle_count)
            homes[s->numbers[i]] = i;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t home = homes[triangles[i]];
        const bool there = corners[i][0] != SWEEP_ABSENT;
        for (unsigned k = 0; k < 3; ++k)
            s->things[home][k] = there ? tact_sweep_place(s, corners[i][k]) : SWEEP_ABSENT;
        s->things[home][3] = there ? THING_FACE : 0;
        if (s->groups != NULL)
            (void)tact_sweep_group(s->parts, s->part_count, corners[i], &s->groups[home]);
    }
    tact_sweep_represent(s->things, s->thing_count, s->vertex_count, &scratch);
    s->fitted = false; /* the next step fits all */
    tact_sweep_scratch_give(&scratch, &s->allocator);
    tact_memory_give(&s->allocator, homes, s->triangle_count, sizeof *homes);
    return TACT_OK;
}
