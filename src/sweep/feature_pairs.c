/*
 * The features of two items: their vertices against each other's face, their edges against each other, each pair where
 * it is represented (sweep.c), by the bounds of the features themselves (made on demand from those of their vertices),
 * narrowed to the window that the items have left. What may touch goes to the blocks.
 *
 * Guarantee: a pair that touches gets there (bounds/moving_bound.h). After Hutter and Fuhrmann (Optimized continuous
 * collision detection for deformable triangle meshes, 2007), whose bounds of features we make anew where two items
 * meet instead of keeping them.
 */
#include "core/avx2.h"
#include "sweep/sweep_internal.h"

/* The pairs of features of two items, a bit each: vertex i of the one and the face of the other, bits 0 to 2; vertex j
 * of the other and the face of the one, 3 to 5; edge i of the one and edge j of the other, 6 + 3 i + j. */
/* Edges e of one and f of the other, three bits each: all pairs of them, nine bits. */
TACT_FORCE_INLINE unsigned edge_pairs(unsigned e, unsigned f) { return ((e & 1) | (e & 2) << 2 | (e & 4) << 4) * f; }

/* Which pairs of features share a vertex, where corner i of the one is corner j of the other: bit 3 i + j of `same`. */
static unsigned sharing(unsigned same)
{
    const unsigned rows = same | same >> 1 | same >> 2;    /* bits 0, 3, 6: is corner i one of the other's? */
    const unsigned columns = same | same >> 3 | same >> 6; /* bits 0, 1, 2: is corner j one of the one's? */
    const unsigned one = (rows & 1) | (rows >> 2 & 2) | (rows >> 4 & 4);
    /* edge i has corners i and i + 1, edge j likewise: rows and columns that are turned by one are added */
    const unsigned down = same | same >> 3 | (same & 7) << 6;
    return one | (columns & 7) << 3 | ((down | (down >> 1 & 0xdb) | (down & 0x49) << 2) & 0x1ff) << 6;
}

/* Which corners are the same: bit 3 i + j. Corner 3, the flags, is left out. */
TACT_FORCE_INLINE unsigned same_corners(const uint32_t *one, const uint32_t *other)
{
    const simde__m128i a = simde_mm_loadu_si128((const simde__m128i *)(const void *)one);
    const simde__m128i b = simde_mm_loadu_si128((const simde__m128i *)(const void *)other);
    unsigned same = 0;
#define CORNER(i)                                                                                                      \
    same |= ((unsigned)simde_mm_movemask_ps(                                                                           \
                 simde_mm_castsi128_ps(simde_mm_cmpeq_epi32(simde_mm_shuffle_epi32(a, 0x55 * (i)), b))) &              \
             7u)                                                                                                       \
            << 3 * (i)
    CORNER(0);
    CORNER(1);
    CORNER(2);
#undef CORNER
    return same;
}

/* The pairs of features that are represented here and share no vertex. */
TACT_FORCE_INLINE unsigned feature_pairs(const uint32_t *one, const uint32_t *other)
{
    const unsigned same = same_corners(one, other), f = one[3], g = other[3];
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

/* Takes the next lane of a block. */
TACT_FORCE_INLINE void put(sweep_worker *w, tact_ccd_kind kind, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3,
                           uint32_t face, float enter, float exit)
{
    sweep_block *block = &w->blocks[kind];
    const sweep_step *step = w->search->step;
    const unsigned lane = block->count++;
    const uint32_t index[4] = {v0, v1, v2, v3};
    for (int k = 0; k < 4; ++k) {
        const tact_vec3 *x0 = &step->start[index[k]], *x1 = &step->end[index[k]];
        block->index[lane][k] = index[k];
        block->points.start[k][0][lane] = x0->x;
        block->points.start[k][1][lane] = x0->y;
        block->points.start[k][2][lane] = x0->z;
        block->points.end[k][0][lane] = x1->x;
        block->points.end[k][1][lane] = x1->y;
        block->points.end[k][2][lane] = x1->z;
    }
    block->face[lane] = face;
    block->points.enter[lane] = (double)enter;
    block->points.exit[lane] = (double)exit;
    if (block->count == CCD_BLOCK)
        tact_mesh_sweep_flush(w, kind);
}

/* Is one of these vertices, by their places, of interest? */
TACT_FORCE_INLINE bool some_changed(const sweep_worker *w, uint32_t p, uint32_t q, uint32_t u, uint32_t v)
{
    const uint8_t *changed = w->search->sweep->changed;
    return w->pairs.marks == NULL || (changed[p] | changed[q] | changed[u] | changed[v]) != 0;
}

/* A vertex, by its place, and an item's face. */
TACT_FORCE_INLINE void try_vertex_face(sweep_worker *w, uint32_t place, uint32_t item, float enter, float exit)
{
    const mesh_sweep *s = w->search->sweep;
    const uint32_t *face = s->items[item];
    const moving_point *points = s->points;
    if (!some_changed(w, place, face[0], face[1], face[2]))
        return;
    const moving_bound around = moving_bound_of_triangle(&points[face[0]], &points[face[1]], &points[face[2]]);
    const moving_bound vertex = moving_bound_of_point(&points[place]);
    if (w->no_feature_bounds || moving_bound_overlap_window(&vertex, &around, &enter, &exit))
        put(w, TACT_VERTEX_FACE, s->slot_vertex[place], s->slot_vertex[face[0]], s->slot_vertex[face[1]],
            s->slot_vertex[face[2]], s->item_ids[item], enter, exit);
}

/* Two edges, from p to q and from u to v. */
TACT_FORCE_INLINE void try_edges(sweep_worker *w, uint32_t p, uint32_t q, uint32_t u, uint32_t v, float enter,
                                 float exit)
{
    const mesh_sweep *s = w->search->sweep;
    if (!some_changed(w, p, q, u, v))
        return;
    const moving_bound one = moving_bound_of_edge(&s->points[p], &s->points[q]);
    const moving_bound other = moving_bound_of_edge(&s->points[u], &s->points[v]);
    if (!w->no_feature_bounds && !moving_bound_overlap_window(&one, &other, &enter, &exit))
        return;
    /* each edge with its lower vertex first, the lower edge first: so whoever finds a pair asks the same */
    p = s->slot_vertex[p], q = s->slot_vertex[q], u = s->slot_vertex[u], v = s->slot_vertex[v];
    const uint32_t p0 = p < q ? p : q, p1 = p < q ? q : p, u0 = u < v ? u : v, u1 = u < v ? v : u;
    if (p0 < u0 || (p0 == u0 && p1 < u1))
        put(w, TACT_EDGE_EDGE, p0, p1, u0, u1, 0, enter, exit);
    else
        put(w, TACT_EDGE_EDGE, u0, u1, p0, p1, 0, enter, exit);
}

void tact_mesh_sweep_test_features(void *worker, uint32_t a, uint32_t b, float enter, float exit)
{
    /* of edges i and j, bit 3 i + j: the corners of the one and of the other */
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
    for (unsigned vf = pairs & 63; vf != 0; vf &= vf - 1) {
        const unsigned k = lowest(vf);
        ++w->counts.bound_tests;
        try_vertex_face(w, k < 3 ? one[k] : other[k - 3], k < 3 ? b : a, enter, exit);
    }
    for (unsigned ee = pairs >> 6; ee != 0; ee &= ee - 1) {
        const uint8_t *end = ends[lowest(ee)];
        ++w->counts.bound_tests;
        try_edges(w, one[end[0]], one[end[1]], other[end[2]], other[end[3]], enter, exit);
    }
}

#ifndef tact_mesh_sweep_test_features
/* Where neighbours have no pair of features, nobody need look at them again. */
void tact_mesh_sweep_prune_roots(mesh_sweep *s)
{
    moving_tree *tree = &s->tree;
    uint32_t kept = 0, kept_top = 0;
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
            tree->skeleton[kept++] = root;
        kept_top = r < tree->skeleton_top ? kept : kept_top;
    }
    tree->skeleton_used = kept;
    tree->skeleton_top = kept_top;
}
#endif
