/*
 * Testing each feature pair once. See pair_dedup.h.
 *
 * All methods share the tree, the feature bounds, the exact test and this code; only the deduplication differs. Hutter
 * and Fuhrmann 2007, after Wong and Baciu, store with each feature the features it has been tested against. Here all
 * such pairs are in one hash table with open addressing and load factor at most 1/2, which is faster than lists. A pair
 * is looked up only after its feature bounds overlap, which gives the fewest look-ups. The table is cleared for each
 * search.
 */
#include "pair_dedup.h"

#include <stdlib.h>
#include <string.h>

#include "core/avx2.h"
#include "math/fp_environment.h"
#include "stopwatch.h"
#include "sweep/sweep_internal.h"

struct pair_dedup {
    const mesh_sweep *sweep;
    uint32_t (*edges)[3]; /* edge ids of each item */
    uint64_t *table;      /* stored pairs, 0: empty; size is a power of two */
    size_t capacity, stored;
    /* during a search: */
    dedup_method method;
    const tact_vec3 *start, *end;
    sweep_block blocks[2];
    tact_ccd_def def;
    uint64_t bound_tests, tests, contacts;
    bool failed;
};

typedef struct edge_side {
    uint32_t low, high, slot; /* slot: 3 * item + edge of the item */
} edge_side;

static int compare_edges(const void *p, const void *q)
{
    const edge_side *a = p, *b = q;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

pair_dedup *tact_pair_dedup_create(const mesh_sweep *s)
{
    const size_t count = 3 * (size_t)s->item_count;
    pair_dedup *dedup = calloc(1, sizeof *dedup);
    edge_side *edge_sides = malloc((count + 1) * sizeof *edge_sides);
    if (dedup != NULL) {
        dedup->sweep = s;
        dedup->capacity = (size_t)1 << 16;
        dedup->edges = malloc((count + 1) * sizeof **dedup->edges);
        dedup->table = calloc(dedup->capacity, sizeof *dedup->table);
    }
    if (dedup == NULL || edge_sides == NULL || dedup->edges == NULL || dedup->table == NULL) {
        free(edge_sides);
        tact_pair_dedup_release(dedup);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = s->items[i / 3][i % 3], b = s->items[i / 3][(i + 1) % 3];
        edge_sides[i] = (edge_side){a < b ? a : b, a < b ? b : a, (uint32_t)i};
    }
    qsort(edge_sides, count, sizeof *edge_sides, compare_edges);
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number += i > 0 && compare_edges(&edge_sides[i - 1], &edge_sides[i]) != 0;
        dedup->edges[edge_sides[i].slot / 3][edge_sides[i].slot % 3] = number;
    }
    free(edge_sides);
    return dedup;
}

void tact_pair_dedup_release(pair_dedup *dedup)
{
    if (dedup == NULL)
        return;
    free(dedup->edges);
    free(dedup->table);
    free(dedup);
}

/* ---- hash table ---- */

static size_t slot_of(const pair_dedup *dedup, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (dedup->capacity - 1);
}

static void insert(pair_dedup *dedup, uint64_t key)
{
    size_t slot = slot_of(dedup, key);
    while (dedup->table[slot] != 0)
        slot = (slot + 1) & (dedup->capacity - 1);
    dedup->table[slot] = key;
}

static bool grow(pair_dedup *dedup)
{
    uint64_t *old = dedup->table, *table = calloc(2 * dedup->capacity, sizeof *table);
    const size_t capacity = dedup->capacity;
    if (table == NULL)
        return false;
    dedup->table = table;
    dedup->capacity = 2 * capacity;
    for (size_t i = 0; i < capacity; i++)
        if (old[i] != 0)
            insert(dedup, old[i]);
    free(old);
    return true;
}

/* Stores the pair; returns whether it is new. */
static bool is_new(pair_dedup *dedup, tact_ccd_kind kind, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)1 << 63 | (uint64_t)(kind == TACT_EDGE_EDGE) << 62 | (uint64_t)a << 31 | b;
    size_t slot = slot_of(dedup, key);
    for (; dedup->table[slot] != 0; slot = (slot + 1) & (dedup->capacity - 1))
        if (dedup->table[slot] == key)
            return false;
    dedup->table[slot] = key;
    if (2 * ++dedup->stored > dedup->capacity)
        dedup->failed = dedup->failed || !grow(dedup);
    return true;
}

/* ---- search ---- */

static void flush(pair_dedup *dedup, tact_ccd_kind kind)
{
    sweep_block *block = &dedup->blocks[kind];
    unsigned candidates = tact_ccd_block_filter(kind, &block->points) & ((1u << block->count) - 1);
    dedup->tests += block->count;
    for (unsigned lane = 0; lane < block->count; lane++) {
        if ((candidates >> lane & 1) == 0)
            continue;
        tact_vec3 start[4], end[4];
        for (int k = 0; k < 4; k++) {
            start[k] = dedup->start[block->index[lane][k]];
            end[k] = dedup->end[block->index[lane][k]];
        }
        const tact_ccd c = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, &dedup->def)
                                                    : tact_ccd_edge_edge(start, end, &dedup->def);
        dedup->contacts += c.state == TACT_HIT;
    }
    block->count = 0;
}

static void add_pair(pair_dedup *dedup, tact_ccd_kind kind, const uint32_t slots[4], float enter, float exit)
{
    uint32_t vertices[4];
    for (int k = 0; k < 4; k++)
        vertices[k] = dedup->sweep->slot_vertex[slots[k]];
    sweep_block_add(&dedup->blocks[kind], dedup->start, dedup->end, vertices, 0, enter, exit);
    if (dedup->blocks[kind].count == CCD_BLOCK)
        flush(dedup, kind);
}

static void test_vertex_face(pair_dedup *dedup, uint32_t slot, uint32_t item, float enter, float exit)
{
    const uint32_t *face = dedup->sweep->items[item];
    const moving_point *points = dedup->sweep->points;
    if (slot == face[0] || slot == face[1] || slot == face[2])
        return;
    ++dedup->bound_tests;
    const moving_bound around = moving_bound_of_triangle(&points[face[0]], &points[face[1]], &points[face[2]]);
    const moving_bound vertex = moving_bound_of_point(&points[slot]);
    if (!moving_bound_overlap_window(&vertex, &around, &enter, &exit) ||
        (dedup->method == DEDUP_STORED_PAIRS && !is_new(dedup, TACT_VERTEX_FACE, slot, item)))
        return;
    const uint32_t slots[4] = {slot, face[0], face[1], face[2]};
    add_pair(dedup, TACT_VERTEX_FACE, slots, enter, exit);
}

static void test_edge_edge(pair_dedup *dedup, uint32_t a, unsigned i, uint32_t b, unsigned j, float enter, float exit)
{
    const uint32_t *one = dedup->sweep->items[a], *other = dedup->sweep->items[b];
    const uint32_t p = one[i], q = one[(i + 1) % 3], u = other[j], v = other[(j + 1) % 3];
    const moving_point *points = dedup->sweep->points;
    if (p == u || p == v || q == u || q == v)
        return;
    ++dedup->bound_tests;
    const moving_bound first = moving_bound_of_edge(&points[p], &points[q]),
                       second = moving_bound_of_edge(&points[u], &points[v]);
    if (!moving_bound_overlap_window(&first, &second, &enter, &exit))
        return;
    const uint32_t e = dedup->edges[a][i], f = dedup->edges[b][j];
    if (dedup->method == DEDUP_STORED_PAIRS && !is_new(dedup, TACT_EDGE_EDGE, e < f ? e : f, e < f ? f : e))
        return;
    const uint32_t slots[4] = {p, q, u, v};
    add_pair(dedup, TACT_EDGE_EDGE, slots, enter, exit);
}

static void visit(void *context, uint32_t a, uint32_t b, float enter, float exit)
{
    pair_dedup *dedup = context;
    const mesh_sweep *s = dedup->sweep;
    if (s->groups != NULL && s->groups[a] != 0 && s->groups[a] == s->groups[b])
        return;
    exit = exit < 1.0f ? exit : 1.0f;
    const uint32_t all = SWEEP_ITEM_VERTICES | SWEEP_ITEM_EDGES;
    const uint32_t f = dedup->method == DEDUP_FEATURE_ASSIGNMENT ? s->items[a][3] : all;
    const uint32_t g = dedup->method == DEDUP_FEATURE_ASSIGNMENT ? s->items[b][3] : all;
    for (unsigned k = 0; k < 3; k++) {
        if ((f & SWEEP_ITEM_VERTEX(k)) != 0)
            test_vertex_face(dedup, s->items[a][k], b, enter, exit);
        if ((g & SWEEP_ITEM_VERTEX(k)) != 0)
            test_vertex_face(dedup, s->items[b][k], a, enter, exit);
    }
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3 && (f & SWEEP_ITEM_EDGE(i)) != 0; j++)
            if ((g & SWEEP_ITEM_EDGE(j)) != 0)
                test_edge_edge(dedup, a, i, b, j, enter, exit);
}

bool tact_pair_dedup_search(pair_dedup *dedup, const tact_vec3 *start, const tact_vec3 *end, dedup_method method,
                            dedup_cost *cost)
{
    const moving_tree *tree = &dedup->sweep->tree;
    dedup->method = method;
    dedup->start = start;
    dedup->end = end;
    dedup->def = tact_ccd_def_default();
    dedup->bound_tests = dedup->tests = dedup->contacts = 0;
    moving_pair_query search = {.visit = visit, .context = dedup, .limit = 2.0f};
    const double before = tact_stopwatch_now();
    if (method == DEDUP_STORED_PAIRS) {
        memset(dedup->table, 0, dedup->capacity * sizeof *dedup->table);
        dedup->stored = 0;
    }
    const fp_environment outside = fp_environment_enter();
    TACT_DISPATCH_AVX2(tact_moving_tree_pairs, tree, 0, tree->skeleton_used, &search);
    flush(dedup, TACT_VERTEX_FACE);
    flush(dedup, TACT_EDGE_EDGE);
    fp_environment_leave(outside);
    cost->ns += tact_stopwatch_now() - before;
    cost->bound_tests += (double)dedup->bound_tests;
    cost->tests += (double)dedup->tests;
    cost->contacts += (double)dedup->contacts;
    const size_t bytes = method == DEDUP_STORED_PAIRS         ? dedup->capacity * sizeof *dedup->table
                         : method == DEDUP_FEATURE_ASSIGNMENT ? dedup->sweep->item_count * sizeof(uint32_t)
                                                              : 0;
    cost->bytes = bytes > cost->bytes ? bytes : cost->bytes;
    return !dedup->failed;
}
