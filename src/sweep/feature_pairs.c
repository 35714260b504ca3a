/*
 * The feature pairs of two items: vertices against the other's face and edges against edges, each pair where it is
 * assigned (feature_assignment.c). They are culled by the bounds of the features, computed on demand from those of
 * their vertices, within the time window that the bounds of the items leave. Candidates go to the blocks.
 *
 * Guarantee: every pair that collides becomes a candidate (bounds/moving_bound.h). After Hutter and Fuhrmann 2007
 * ("Optimized continuous collision detection for deformable triangle meshes"), who store the bounds of features; we
 * compute them where two items overlap.
 */
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

/* Adds a candidate to its block. */
TACT_FORCE_INLINE void add_candidate(sweep_worker *w, tact_ccd_kind kind, const uint32_t index[4], uint32_t face,
                                     float enter, float exit)
{
    const sweep_step *step = w->search->step;
    sweep_block_add(&w->blocks[kind], step->start, step->end, index, face, enter, exit);
    if (w->blocks[kind].count == CCD_BLOCK)
        tact_mesh_sweep_flush(w, kind);
}

/* Has one of these vertices, by their slots, changed? `changed`: NULL if all have. */
TACT_FORCE_INLINE bool some_changed(const uint8_t *changed, uint32_t p, uint32_t q, uint32_t u, uint32_t v)
{
    return changed == NULL || (changed[p] | changed[q] | changed[u] | changed[v]) != 0;
}

/* A vertex, by its slot, and the face of an item. */
TACT_FORCE_INLINE void test_vertex_face(sweep_worker *w, const moving_point *points, uint32_t slot,
                                        const uint32_t *face, uint32_t item, float enter, float exit)
{
    if (!w->no_feature_bounds) {
        const moving_bound around = moving_bound_of_triangle(&points[face[0]], &points[face[1]], &points[face[2]]);
        const moving_bound point = moving_bound_of_point(&points[slot]);
        if (!moving_bound_overlap_window(&point, &around, &enter, &exit))
            return;
    }
    const uint32_t *vertex = w->search->sweep->slot_vertex;
    const uint32_t index[4] = {vertex[slot], vertex[face[0]], vertex[face[1]], vertex[face[2]]};
    add_candidate(w, TACT_VERTEX_FACE, index, w->search->sweep->item_ids[item], enter, exit);
}

/* Two edges, from p to q and from u to v. */
TACT_FORCE_INLINE void test_edges(sweep_worker *w, const moving_point *points, uint32_t p, uint32_t q, uint32_t u,
                                  uint32_t v, float enter, float exit)
{
    if (!w->no_feature_bounds) {
        const moving_bound one = moving_bound_of_edge(&points[p], &points[q]);
        const moving_bound other = moving_bound_of_edge(&points[u], &points[v]);
        if (!moving_bound_overlap_window(&one, &other, &enter, &exit))
            return;
    }
    const uint32_t *vertex = w->search->sweep->slot_vertex;
    uint32_t index[4];
    sweep_order_edges(vertex[p], vertex[q], vertex[u], vertex[v], index);
    add_candidate(w, TACT_EDGE_EDGE, index, 0, enter, exit);
}

void tact_mesh_sweep_test_features(void *worker, uint32_t a, uint32_t b, float enter, float exit)
{
    /* of edges i and j, bit 3 i + j: the vertices of the first and of the second */
    static const uint8_t ends[9][4] = {{0, 1, 0, 1}, {0, 1, 1, 2}, {0, 1, 2, 0}, {1, 2, 0, 1}, {1, 2, 1, 2},
                                       {1, 2, 2, 0}, {2, 0, 0, 1}, {2, 0, 1, 2}, {2, 0, 2, 0}};
    sweep_worker *w = worker;
    const mesh_sweep *s = w->search->sweep;
    const uint32_t *one = s->items[a], *other = s->items[b];
    ++w->counts.item_pairs;
    exit = exit < w->pairs.limit ? exit : w->pairs.limit;
    if (enter > exit || (s->groups != NULL && s->groups[a] != 0 && s->groups[a] == s->groups[b]))
        return;
    const unsigned pairs = feature_pairs(one, other);
    const moving_point *points = s->points;
    const uint8_t *changed = w->pairs.marks != NULL ? s->changed : NULL;
    for (unsigned vf = pairs & 63; vf != 0; vf &= vf - 1) {
        const unsigned k = lowest(vf);
        const uint32_t *face = k < 3 ? other : one, slot = k < 3 ? one[k] : other[k - 3];
        ++w->counts.bound_tests;
        if (some_changed(changed, slot, face[0], face[1], face[2]))
            test_vertex_face(w, points, slot, face, k < 3 ? b : a, enter, exit);
    }
    for (unsigned ee = pairs >> 6; ee != 0; ee &= ee - 1) {
        const uint8_t *end = ends[lowest(ee)];
        const uint32_t p = one[end[0]], q = one[end[1]], u = other[end[2]], v = other[end[3]];
        ++w->counts.bound_tests;
        if (some_changed(changed, p, q, u, v))
            test_edges(w, points, p, q, u, v, enter, exit);
    }
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
            tact_mesh_sweep_test_features(w, pairs[i][0], pairs[i][1], enter, exit);
    }
}

#ifndef tact_mesh_sweep_test_features
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
