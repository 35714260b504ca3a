/*
 * Testing each pair of features once: see tested_once.h.
 *
 * All ways share the tree, the bounds of features, the exact test and this code, so that they differ in nothing but
 * what keeps a pair from being tested again. The seed (Hutter and Fuhrmann, 2007, after Wong and Baciu) stores with
 * each feature which others it has been tested against; here all such pairs stand in one table with open addresses,
 * half empty, which is faster than lists, and a pair is looked up when the bounds of its features overlap and not
 * before, which are the fewest look-ups. The table is emptied for each search.
 */
#include "tested_once.h"

#include <stdlib.h>
#include <string.h>

#include "core/avx2.h"
#include "math/fp_environment.h"
#include "stopwatch.h"
#include "sweep/sweep_internal.h"

struct tested_once {
    const mesh_sweep *sweep;
    uint32_t (*edges)[3]; /* of each item: numbers of its sides */
    uint64_t *table;      /* pairs, 0: none; a power of two */
    size_t room, held;
    /* while searching: */
    once_way way;
    const tact_vec3 *start, *end;
    sweep_block blocks[2];
    tact_ccd_def def;
    uint64_t bound_tests, tests, contacts;
    bool failed;
};

typedef struct named_side {
    uint32_t low, high, at; /* at: 3 * item + which */
} named_side;

static int compare_sides(const void *p, const void *q)
{
    const named_side *a = p, *b = q;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

tested_once *tact_once_create(const mesh_sweep *s)
{
    const size_t count = 3 * (size_t)s->item_count;
    tested_once *o = calloc(1, sizeof *o);
    named_side *sides = malloc((count + 1) * sizeof *sides);
    if (o != NULL) {
        o->sweep = s;
        o->room = (size_t)1 << 16;
        o->edges = malloc((count + 1) * sizeof **o->edges);
        o->table = calloc(o->room, sizeof *o->table);
    }
    if (o == NULL || sides == NULL || o->edges == NULL || o->table == NULL) {
        free(sides);
        tact_once_release(o);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = s->items[i / 3][i % 3], b = s->items[i / 3][(i + 1) % 3];
        sides[i] = (named_side){a < b ? a : b, a < b ? b : a, (uint32_t)i};
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number += i > 0 && compare_sides(&sides[i - 1], &sides[i]) != 0;
        o->edges[sides[i].at / 3][sides[i].at % 3] = number;
    }
    free(sides);
    return o;
}

void tact_once_release(tested_once *o)
{
    if (o == NULL)
        return;
    free(o->edges);
    free(o->table);
    free(o);
}

/* ---- the table ---- */

static size_t slot_of(const tested_once *o, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (o->room - 1);
}

static void insert(tested_once *o, uint64_t key)
{
    size_t at = slot_of(o, key);
    while (o->table[at] != 0)
        at = (at + 1) & (o->room - 1);
    o->table[at] = key;
}

static bool grow(tested_once *o)
{
    uint64_t *old = o->table, *table = calloc(2 * o->room, sizeof *table);
    const size_t room = o->room;
    if (table == NULL)
        return false;
    o->table = table;
    o->room = 2 * room;
    for (size_t i = 0; i < room; i++)
        if (old[i] != 0)
            insert(o, old[i]);
    free(old);
    return true;
}

/* Is this pair new? Then it is stored. */
static bool is_new(tested_once *o, tact_ccd_kind kind, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)1 << 63 | (uint64_t)(kind == TACT_EDGE_EDGE) << 62 | (uint64_t)a << 31 | b;
    size_t at = slot_of(o, key);
    for (; o->table[at] != 0; at = (at + 1) & (o->room - 1))
        if (o->table[at] == key)
            return false;
    o->table[at] = key;
    if (2 * ++o->held > o->room)
        o->failed = o->failed || !grow(o);
    return true;
}

/* ---- the search ---- */

static void flush(tested_once *o, tact_ccd_kind kind)
{
    sweep_block *block = &o->blocks[kind];
    unsigned maybe = tact_ccd_block_filter(kind, &block->points) & ((1u << block->count) - 1);
    o->tests += block->count;
    for (unsigned lane = 0; lane < block->count; lane++) {
        if ((maybe >> lane & 1) == 0)
            continue;
        tact_vec3 start[4], end[4];
        for (int k = 0; k < 4; k++) {
            start[k] = o->start[block->index[lane][k]];
            end[k] = o->end[block->index[lane][k]];
        }
        const tact_ccd c = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, &o->def)
                                                    : tact_ccd_edge_edge(start, end, &o->def);
        o->contacts += c.state == TACT_HIT;
    }
    block->count = 0;
}

static void put(tested_once *o, tact_ccd_kind kind, const uint32_t places[4], float enter, float exit)
{
    sweep_block *block = &o->blocks[kind];
    const unsigned lane = block->count++;
    for (int k = 0; k < 4; k++) {
        const uint32_t v = o->sweep->slot_vertex[places[k]];
        const tact_vec3 x0 = o->start[v], x1 = o->end[v];
        block->index[lane][k] = v;
        block->points.start[k][0][lane] = x0.x;
        block->points.start[k][1][lane] = x0.y;
        block->points.start[k][2][lane] = x0.z;
        block->points.end[k][0][lane] = x1.x;
        block->points.end[k][1][lane] = x1.y;
        block->points.end[k][2][lane] = x1.z;
    }
    block->points.enter[lane] = (double)enter;
    block->points.exit[lane] = (double)exit;
    if (block->count == CCD_BLOCK)
        flush(o, kind);
}

static void try_vertex(tested_once *o, uint32_t place, uint32_t item, float enter, float exit)
{
    const uint32_t *face = o->sweep->items[item];
    const moving_point *points = o->sweep->points;
    if (place == face[0] || place == face[1] || place == face[2])
        return;
    ++o->bound_tests;
    const moving_bound around = moving_bound_of_triangle(&points[face[0]], &points[face[1]], &points[face[2]]);
    const moving_bound vertex = moving_bound_of_point(&points[place]);
    if (!moving_bound_overlap_window(&vertex, &around, &enter, &exit) ||
        (o->way == ONCE_STORED && !is_new(o, TACT_VERTEX_FACE, place, item)))
        return;
    const uint32_t places[4] = {place, face[0], face[1], face[2]};
    put(o, TACT_VERTEX_FACE, places, enter, exit);
}

static void try_edges(tested_once *o, uint32_t a, unsigned i, uint32_t b, unsigned j, float enter, float exit)
{
    const uint32_t *one = o->sweep->items[a], *other = o->sweep->items[b];
    const uint32_t p = one[i], q = one[(i + 1) % 3], u = other[j], v = other[(j + 1) % 3];
    const moving_point *points = o->sweep->points;
    if (p == u || p == v || q == u || q == v)
        return;
    ++o->bound_tests;
    const moving_bound first = moving_bound_of_edge(&points[p], &points[q]),
                       second = moving_bound_of_edge(&points[u], &points[v]);
    if (!moving_bound_overlap_window(&first, &second, &enter, &exit))
        return;
    const uint32_t e = o->edges[a][i], f = o->edges[b][j];
    if (o->way == ONCE_STORED && !is_new(o, TACT_EDGE_EDGE, e < f ? e : f, e < f ? f : e))
        return;
    const uint32_t places[4] = {p, q, u, v};
    put(o, TACT_EDGE_EDGE, places, enter, exit);
}

static void visit(void *context, uint32_t a, uint32_t b, float enter, float exit)
{
    tested_once *o = context;
    const mesh_sweep *s = o->sweep;
    if (s->groups != NULL && s->groups[a] != 0 && s->groups[a] == s->groups[b])
        return;
    exit = exit < 1.0f ? exit : 1.0f;
    const uint32_t all = SWEEP_ITEM_VERTICES | SWEEP_ITEM_EDGES;
    const uint32_t f = o->way == ONCE_REPRESENTED ? s->items[a][3] : all;
    const uint32_t g = o->way == ONCE_REPRESENTED ? s->items[b][3] : all;
    for (unsigned k = 0; k < 3; k++) {
        if ((f & SWEEP_ITEM_VERTEX(k)) != 0)
            try_vertex(o, s->items[a][k], b, enter, exit);
        if ((g & SWEEP_ITEM_VERTEX(k)) != 0)
            try_vertex(o, s->items[b][k], a, enter, exit);
    }
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3 && (f & SWEEP_ITEM_EDGE(i)) != 0; j++)
            if ((g & SWEEP_ITEM_EDGE(j)) != 0)
                try_edges(o, a, i, b, j, enter, exit);
}

bool tact_once_search(tested_once *o, const tact_vec3 *start, const tact_vec3 *end, once_way way, once_cost *cost)
{
    const moving_tree *tree = &o->sweep->tree;
    o->way = way;
    o->start = start;
    o->end = end;
    o->def = tact_ccd_def_default();
    o->bound_tests = o->tests = o->contacts = 0;
    moving_pair_query search = {.visit = visit, .context = o, .limit = 2.0f};
    const double before = tact_stopwatch_now();
    if (way == ONCE_STORED) {
        memset(o->table, 0, o->room * sizeof *o->table);
        o->held = 0;
    }
    const fp_environment outside = fp_environment_enter();
    TACT_DISPATCH_AVX2(tact_moving_tree_pairs, tree, 0, tree->skeleton_used, &search);
    flush(o, TACT_VERTEX_FACE);
    flush(o, TACT_EDGE_EDGE);
    fp_environment_leave(outside);
    cost->ns += tact_stopwatch_now() - before;
    cost->bound_tests += (double)o->bound_tests;
    cost->tests += (double)o->tests;
    cost->contacts += (double)o->contacts;
    const size_t bytes = way == ONCE_STORED        ? o->room * sizeof *o->table
                         : way == ONCE_REPRESENTED ? o->sweep->item_count * sizeof(uint32_t)
                                                   : 0;
    cost->bytes = bytes > cost->bytes ? bytes : cost->bytes;
    return !o->failed;
}
