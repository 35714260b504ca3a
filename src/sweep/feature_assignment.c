/*
 * Feature assignment: which item is responsible for which vertex and edge.
 *
 * Guarantee: every vertex that is used, and every edge between two different vertices, is assigned to exactly one item:
 * the first that has it (representative triangles, Curtis, Tamstorf and Manocha 2008, "Fast collision detection for
 * deformable models using representative-triangles"). So a feature pair is tested for one pair of items only. Hutter
 * and Fuhrmann 2007 store the pairs that were tested instead, which takes memory and a look-up a pair. Edges are
 * grouped by their lower vertex: O(n), but O(n log n) around a vertex with many edges.
 */
#include <string.h>

#include "core/heap.h"
#include "core/memory.h"
#include "sweep/sweep_internal.h"

static inline bool edge_before(const void *context, const sweep_item_edge *a, const sweep_item_edge *b)
{
    (void)context;
    return a->high != b->high ? a->high < b->high : a->item < b->item;
}

HEAP_SORT_OF(sort_edges, sweep_item_edge, const void *, edge_before)

/* Edge items have one edge; points have one from a vertex to itself, which does not count. */
static unsigned item_edge_count(const uint32_t *item)
{
    return item[0] == SWEEP_ABSENT ? 0 : (item[3] & SWEEP_ITEM_FACE) != 0 ? 3 : 1;
}

static void assign_edges(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count,
                         const feature_assignment_scratch *scratch)
{
    uint32_t *edge_start = scratch->edge_start;
    sweep_item_edge *edges = scratch->edges;
    memset(edge_start, 0, ((size_t)vertex_count + 1) * sizeof *edge_start);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < item_count; ++i)
            for (unsigned k = 0; k < item_edge_count(items[i]); ++k) {
                const uint32_t a = items[i][k], b = items[i][(k + 1) % 3], low = a < b ? a : b;
                if (a == b)
                    continue;
                if (pass == 0)
                    ++edge_start[low];
                else
                    edges[--edge_start[low]] = (sweep_item_edge){a < b ? b : a, 4 * i + k};
            }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= vertex_count; ++i)
            edge_start[i] = sum += edge_start[i];
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        sweep_item_edge *first = edges + edge_start[v];
        const size_t count = edge_start[v + 1] - edge_start[v];
        sort_edges(NULL, first, count);
        for (size_t i = 0; i < count; ++i)
            if (i == 0 || first[i].high != first[i - 1].high)
                items[first[i].item / 4][3] |= SWEEP_ITEM_EDGE(first[i].item % 4);
    }
}

static void assign_vertices(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count, uint8_t *seen)
{
    memset(seen, 0, vertex_count);
    for (uint32_t i = 0; i < item_count; ++i)
        for (unsigned k = 0; k < 3 && items[i][0] != SWEEP_ABSENT; ++k) {
            const uint32_t v = items[i][k];
            items[i][3] |= seen[v] == 0 ? SWEEP_ITEM_VERTEX(k) : 0;
            seen[v] = 1;
        }
}

void tact_assign_features(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count,
                          const feature_assignment_scratch *scratch)
{
    for (uint32_t i = 0; i < item_count; ++i)
        items[i][3] &= SWEEP_ITEM_FACE;
    assign_edges(items, item_count, vertex_count, scratch);
    assign_vertices(items, item_count, vertex_count, scratch->seen);
}

bool tact_feature_assignment_scratch_allocate(feature_assignment_scratch *scratch, uint32_t item_count,
                                              uint32_t vertex_count, const tact_allocator *allocator)
{
    scratch->edge_capacity = 3 * (size_t)item_count + 1;
    scratch->vertex_capacity = (size_t)vertex_count + 1;
    scratch->edges = tact_memory_allocate(allocator, scratch->edge_capacity, sizeof *scratch->edges);
    scratch->edge_start = tact_memory_allocate(allocator, scratch->vertex_capacity, sizeof *scratch->edge_start);
    scratch->seen = tact_memory_allocate(allocator, scratch->vertex_capacity, 1);
    if (scratch->edges != NULL && scratch->edge_start != NULL && scratch->seen != NULL)
        return true;
    tact_feature_assignment_scratch_free(scratch, allocator);
    return false;
}

void tact_feature_assignment_scratch_free(feature_assignment_scratch *scratch, const tact_allocator *allocator)
{
    tact_memory_free(allocator, scratch->edges, scratch->edge_capacity, sizeof *scratch->edges);
    tact_memory_free(allocator, scratch->edge_start, scratch->vertex_capacity, sizeof *scratch->edge_start);
    tact_memory_free(allocator, scratch->seen, scratch->vertex_capacity, 1);
}
