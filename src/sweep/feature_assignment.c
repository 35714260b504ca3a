/*
 * Which item stands for which feature.
 *
 * Guarantees: every vertex that something uses, and every edge between two different vertices, stands in exactly one
 * item: the first that has it (representatives: Curtis, Tamstorf and Manocha, Fast collision detection for deformable
 * models using representative-triangles, 2008), so a pair of features is looked at for one pair of items only. The
 * seed (Hutter and Fuhrmann, 2007) stores the pairs that were tested instead; that takes memory and a look-up a pair.
 * Edges are brought together by their lower vertex: O(n), but O(n log n) around a vertex of many.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "sweep/sweep_internal.h"

static int compare_sides(const void *p, const void *q)
{
    const sweep_side *a = p, *b = q;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

/* Insertion: most vertices have few. */
static void sort_sides(sweep_side *sides, size_t count)
{
    if (count > 24) {
        qsort(sides, count, sizeof *sides, compare_sides);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const sweep_side s = sides[i];
        size_t k = i;
        for (; k > 0 && compare_sides(&sides[k - 1], &s) > 0; --k)
            sides[k] = sides[k - 1];
        sides[k] = s;
    }
}

/* Edges have one side; points have one from a vertex to itself, which is none. */
static unsigned side_count(const uint32_t *item)
{
    return item[0] == SWEEP_ABSENT ? 0 : (item[3] & THING_FACE) != 0 ? 3 : 1;
}

static void represent_edges(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count,
                            const sweep_scratch *scratch)
{
    uint32_t *starts = scratch->starts;
    sweep_side *sides = scratch->sides;
    memset(starts, 0, ((size_t)vertex_count + 1) * sizeof *starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < item_count; ++i)
            for (unsigned k = 0; k < side_count(items[i]); ++k) {
                const uint32_t a = items[i][k], b = items[i][(k + 1) % 3], low = a < b ? a : b;
                if (a == b)
                    continue;
                if (pass == 0)
                    ++starts[low];
                else
                    sides[--starts[low]] = (sweep_side){a < b ? b : a, 4 * i + k};
            }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= vertex_count; ++i)
            starts[i] = sum += starts[i];
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        sweep_side *first = sides + starts[v];
        const size_t count = starts[v + 1] - starts[v];
        sort_sides(first, count);
        for (size_t i = 0; i < count; ++i)
            if (i == 0 || first[i].high != first[i - 1].high)
                items[first[i].item / 4][3] |= THING_EDGE(first[i].item % 4);
    }
}

static void represent_vertices(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count, uint8_t *seen)
{
    memset(seen, 0, vertex_count);
    for (uint32_t i = 0; i < item_count; ++i)
        for (unsigned k = 0; k < 3 && items[i][0] != SWEEP_ABSENT; ++k) {
            const uint32_t v = items[i][k];
            items[i][3] |= seen[v] == 0 ? THING_VERTEX(k) : 0;
            seen[v] = 1;
        }
}

void tact_sweep_represent(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count,
                          const sweep_scratch *scratch)
{
    for (uint32_t i = 0; i < item_count; ++i)
        items[i][3] &= THING_FACE;
    represent_edges(items, item_count, vertex_count, scratch);
    represent_vertices(items, item_count, vertex_count, scratch->seen);
}

bool tact_sweep_scratch_take(sweep_scratch *scratch, uint32_t item_count, uint32_t vertex_count,
                             const tact_allocator *allocator)
{
    scratch->item_room = 3 * (size_t)item_count + 1;
    scratch->vertex_room = (size_t)vertex_count + 1;
    scratch->sides = tact_memory_allocate(allocator, scratch->item_room, sizeof *scratch->sides);
    scratch->starts = tact_memory_allocate(allocator, scratch->vertex_room, sizeof *scratch->starts);
    scratch->seen = tact_memory_allocate(allocator, scratch->vertex_room, 1);
    if (scratch->sides != NULL && scratch->starts != NULL && scratch->seen != NULL)
        return true;
    tact_sweep_scratch_give(scratch, allocator);
    return false;
}

void tact_sweep_scratch_give(sweep_scratch *scratch, const tact_allocator *allocator)
{
    tact_memory_free(allocator, scratch->sides, scratch->item_room, sizeof *scratch->sides);
    tact_memory_free(allocator, scratch->starts, scratch->vertex_room, sizeof *scratch->starts);
    tact_memory_free(allocator, scratch->seen, scratch->vertex_room, 1);
}
