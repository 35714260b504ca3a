/*
 * The feature pairs of two items: vertices against the other's face and edges against edges, each pair where it is
 * assigned (feature_assignment.c). They are culled by the bounds of the features, computed on demand from those of
 * their vertices, within the time window that the bounds of the items leave. Candidates go to the blocks.
 *
 * Guarantee: every pair that collides becomes a candidate (bounds/moving_bound.h). After Hutter and Fuhrmann 2007
 * ("Optimized continuous collision detection for deformable triangle meshes"), who store the bounds of features; we
 * compute them where two items overlap.
 */
#include <string.h>

#include "core/avx2.h"
#include "sweep/sweep_internal.h"

/* A set of feature pairs of two items, a bit each: vertex i of the first and the face of the second, bits 0 to 2;
 * vertex j of the second and the face of the first, bits 3 to 5; edge i of the first and edge j of the second, bit 6 +
 * 3 i + j. */
/* All pairs of edges e of the first and f of the second, three bits each: nine bits. */
TACT_FORCE_INLINE unsigned edge_pairs(unsigned e, unsigned f) { return ((e & 1) | (e & 2) << 2 | (e & 4) << 4) * f; }

/* The feature pairs that share a vertex, where vertex i of the first is vertex j of the second: bit 3 i + j of `same`.
 */
static unsigned sharing(unsigned same)
{
    const unsigned rows = same | same >> 1 | same >> 2;    /* bits 0, 3, 6: is vertex i one of the second's? */
    const unsigned columns = same | same >> 3 | same >> 6; /* bits 0, 1, 2: is vertex j one of the first's? */
    const unsigned one = (rows & 1) | (rows >> 2 & 2) | (rows >> 4 & 4);
    /* edge i has the vertices i and i + 1, edge j likewise: rows and columns shifted by one are added */
    const unsigned down = same | same >> 3 | (same & 7) << 6;
    return one | (columns & 7) << 3 | ((down | (down >> 1 & 0xdb) | (down & 0x49) << 2) & 0x1ff) << 6;
}

/* Which vertices are equal: bit 3 i + j. Lane 3, the flags, is left out. */
TACT_FORCE_INLINE unsigned same_vertices(const uint32_t *one, const uint32_t *other)
{
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)one);
    const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)other);
    unsigned same = 0;
#define COMPARE_VERTEX(i)                                                                                              \
    same |= ((unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_shuffle_epi32(a, 0x55 * (i)), b))) & 7u)   \
            << 3 * (i)
    COMPARE_VERTEX(0);
    COMPARE_VERTEX(1);
    COMPARE_VERTEX(2);
#undef COMPARE_VERTEX
    return same;
}

/* The feature pairs that are assigned here and share no vertex. */
TACT_FORCE_INLINE unsigned feature_pairs(const uint32_t *one, const uint32_t *other)
{
    const unsigned same = same_vertices(one, other), f = one[3], g = other[3];
    const unsigned pairs = (f & SWEEP_ITEM_VERTICES & (0u - (g / SWEEP_ITEM_FACE & 1))) |
                           (g & SWEEP_ITEM_VERTICES & (0u - (f / SWEEP_ITEM_FACE & 1))) << 3 |
                           edge_pairs(f / SWEEP_ITEM_EDGE(0) & 7, g / SWEEP_ITEM_EDGE(0) & 7) << 6;
    return same == 0 ? pairs : pairs & ~sharing(same);
}

/* The number of the lowest bit of a word that is not 0. */
TACT_FORCE_INLINE unsigned lowest(unsigned bits)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctz(bits);
#else
    unsigned k = 0;
    for (; (bits & 1) == 0; bits >>= 1)
        ++k;
    return k;
#endif
}

/* Has one of these vertices, by their slots, changed? `changed`: NULL if all have. */
TACT_FORCE_INLINE bool some_changed(const uint8_t *changed, const uint32_t slots[4])
{
    return changed == NULL || (changed[slots[0]] | changed[slots[1]] | changed[slots[2]] | changed[slots[3]]) != 0;
}

/* ---- tests ---- */

TACT_FORCE_INLINE void bounds_of(const moving_point *points, const sweep_feature_pair *pair, bool edges,
                                 moving_bound *one, moving_bound *other)
{
    const uint32_t *s = pair->slots;
    if (edges) {
        *one = moving_bound_of_edge(&points[s[0]], &points[s[1]]);
        *other = moving_bound_of_edge(&points[s[2]], &points[s[3]]);
    } else {
        *one = moving_bound_of_triangle(&points[s[0]], &points[s[1]], &points[s[2]]);
        *other = moving_bound_of_point(&points[s[3]]);
    }
}

/* Lists the pairs of a queue that may touch, with narrowed windows. Returns their number. Two passes without branches:
 * the first one leaves a third. */
TACT_FORCE_INLINE unsigned overlapping_pairs(const moving_point *points, sweep_feature_queue *queue, bool edges,
                                             uint8_t *list)
{
    moving_bound one, other;
    unsigned near_count = 0, count = 0;
    for (unsigned i = 0; i < queue->count; ++i) {
        bounds_of(points, &queue->pairs[i], edges, &one, &other);
        list[near_count] = (uint8_t)i;
        near_count += !moving_bound_separated(&one, &other);
    }
    for (unsigned i = 0; i < near_count; ++i) {
        sweep_feature_pair *pair = &queue->pairs[list[i]];
        bounds_of(points, pair, edges, &one, &other);
        list[count] = list[i];
        count += moving_bound_overlap_window(&one, &other, &pair->enter, &pair->exit);
    }
    return count;
}

/* Adds a candidate to its block. */
TACT_FORCE_INLINE void add_candidate(sweep_worker *w, tact_ccd_kind kind, const sweep_feature_pair *pair)
{
    const mesh_sweep *s = w->search->sweep;
    const sweep_step *step = w->search->step;
    const uint32_t *slots = pair->slots, *vertex = s->slot_vertex;
    uint32_t index[4];
    if (kind == TACT_VERTEX_FACE) {
        index[0] = vertex[slots[3]];
        for (int k = 0; k < 3; ++k)
            index[k + 1] = vertex[slots[k]];
    } else {
        sweep_order_edges(vertex[slots[0]], vertex[slots[1]], vertex[slots[2]], vertex[slots[3]], index);
    }
    sweep_block_add(&w->blocks[kind], step->start, step->end, index,
                    kind == TACT_VERTEX_FACE ? s->item_ids[pair->item] : 0, pair->enter, pair->exit);
    if (w->blocks[kind].count == CCD_BLOCK)
        tact_mesh_sweep_flush(w, kind);
}

TACT_FORCE_INLINE void test_queue(sweep_worker *w, tact_ccd_kind kind)
{
    sweep_feature_queue *queue = &w->queues[kind];
    uint8_t list[SWEEP_FEATURE_QUEUE + SWEEP_MAX_FEATURE_PAIRS];
    unsigned count = queue->count;
    if (w->no_feature_bounds)
        for (unsigned i = 0; i < count; ++i)
            list[i] = (uint8_t)i;
    else
        count = overlapping_pairs(w->search->sweep->points, queue, kind == TACT_EDGE_EDGE, list);
    for (unsigned i = 0; i < count; ++i)
        add_candidate(w, kind, &queue->pairs[list[i]]);
    queue->count = 0;
}

void tact_mesh_sweep_test_features(sweep_worker *w, tact_ccd_kind kind)
{
    if (kind == TACT_VERTEX_FACE)
        test_queue(w, TACT_VERTEX_FACE);
    else
        test_queue(w, TACT_EDGE_EDGE);
}

void tact_mesh_sweep_test_items(sweep_worker *w, const uint32_t (*pairs)[2], size_t count)
{
    const mesh_sweep *s = w->search->sweep;
    const moving_point *points = s->points;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *a = s->items[pairs[i][0]], *b = s->items[pairs[i][1]];
        const moving_bound one = moving_bound_of_triangle(&points[a[0]], &points[a[1]], &points[a[2]]);
        const moving_bound other = moving_bound_of_triangle(&points[b[0]], &points[b[1]], &points[b[2]]);
        float enter = 0.0f, exit = 1.0f;
        if (moving_bound_overlap_window(&one, &other, &enter, &exit))
            tact_mesh_sweep_add_features(w, pairs[i][0], pairs[i][1], enter, exit);
    }
}

#ifndef tact_mesh_sweep_test_features
/* ---- queues ---- */

/* Adds a pair at the end of a queue with `count` pairs; the caller counts it. */
static inline sweep_feature_pair *next_pair(sweep_feature_queue *queue, unsigned count, uint32_t item, float enter,
                                            float exit)
{
    sweep_feature_pair *pair = &queue->pairs[count];
    pair->item = item;
    pair->enter = enter;
    pair->exit = exit;
    return pair;
}

/* Vertices and faces. `changed`: NULL if all vertices have changed. */
TACT_FORCE_INLINE void add_vertices(sweep_worker *w, const uint32_t *const items[2], const uint32_t ids[2],
                                    unsigned pairs, const uint8_t *changed, float enter, float exit)
{
    sweep_feature_queue *queue = &w->queues[TACT_VERTEX_FACE];
    unsigned count = queue->count;
    for (; pairs != 0; pairs &= pairs - 1) {
        const unsigned k = lowest(pairs), face = k < 3, number = k < 3 ? k : k - 3;
        sweep_feature_pair *pair = next_pair(queue, count, ids[face], enter, exit);
        memcpy(pair->slots, items[face], sizeof pair->slots);
        pair->slots[3] = items[1 - face][number];
        count += some_changed(changed, pair->slots);
    }
    w->counts.bound_tests += count - queue->count;
    queue->count = count;
    if (count >= SWEEP_FEATURE_QUEUE)
        TACT_DISPATCH_AVX2(tact_mesh_sweep_test_features, w, TACT_VERTEX_FACE);
}

/* The vertices of an item, and the first one again: the edges are neighbours in it. */
TACT_FORCE_INLINE void close_item(uint32_t closed[4], const uint32_t *item)
{
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)item);
    _mm_storeu_si128((__m128i *)(void *)closed, _mm_shuffle_epi32(a, _MM_SHUFFLE(0, 2, 1, 0)));
}

/* Pairs of edges. */
TACT_FORCE_INLINE void add_edges(sweep_worker *w, const uint32_t *const items[2], unsigned pairs,
                                 const uint8_t *changed, float enter, float exit)
{
    static const uint8_t edges[9][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
    sweep_feature_queue *queue = &w->queues[TACT_EDGE_EDGE];
    unsigned count = queue->count;
    uint32_t one[4], other[4];
    close_item(one, items[0]);
    close_item(other, items[1]);
    for (; pairs != 0; pairs &= pairs - 1) {
        const uint8_t *edge = edges[lowest(pairs)];
        sweep_feature_pair *pair = next_pair(queue, count, 0, enter, exit);
        memcpy(pair->slots, one + edge[0], 2 * sizeof *one);
        memcpy(pair->slots + 2, other + edge[1], 2 * sizeof *other);
        count += some_changed(changed, pair->slots);
    }
    w->counts.bound_tests += count - queue->count;
    queue->count = count;
    if (count >= SWEEP_FEATURE_QUEUE)
        TACT_DISPATCH_AVX2(tact_mesh_sweep_test_features, w, TACT_EDGE_EDGE);
}

void tact_mesh_sweep_add_features(void *worker, uint32_t a, uint32_t b, float enter, float exit)
{
    sweep_worker *w = worker;
    const mesh_sweep *s = w->search->sweep;
    const uint32_t *const items[2] = {s->items[a], s->items[b]};
    ++w->counts.item_pairs;
    exit = exit < w->pairs.limit ? exit : w->pairs.limit;
    if (enter > exit || (s->groups != NULL && s->groups[a] != 0 && s->groups[a] == s->groups[b]))
        return;
    const unsigned pairs = feature_pairs(items[0], items[1]);
    if (w->pairs.marks == NULL) {
        add_vertices(w, items, (const uint32_t[2]){a, b}, pairs & 63, NULL, enter, exit);
        add_edges(w, items, pairs >> 6, NULL, enter, exit);
    } else {
        add_vertices(w, items, (const uint32_t[2]){a, b}, pairs & 63, s->changed, enter, exit);
        add_edges(w, items, pairs >> 6, s->changed, enter, exit);
    }
}

/* Neighbours without feature pairs need not be visited again. */
void tact_mesh_sweep_prune_roots(mesh_sweep *s)
{
    moving_tree *tree = &s->tree;
    uint32_t root_count = 0, top_count = 0;
    for (uint32_t r = 0; r < tree->skeleton_count; ++r) {
        skeleton_pair root = tree->skeleton[r];
        for (unsigned bit = 0; bit < 16; ++bit) {
            if ((root.adjacent >> bit & 1) == 0)
                continue;
            const uint32_t a = tree_item(tree->nodes[root.a].child[bit / 4]);
            const uint32_t b = tree_item(tree->nodes[root.b].child[bit % 4]);
            if (feature_pairs(s->items[a], s->items[b]) == 0)
                root.adjacent &= (uint16_t) ~(1u << bit);
        }
        if ((root.disjoint | root.adjacent) != 0)
            tree->skeleton[root_count++] = root;
        top_count = r < tree->skeleton_top ? root_count : top_count;
    }
    tree->skeleton_used = root_count;
    tree->skeleton_top = top_count;
}
#endif
