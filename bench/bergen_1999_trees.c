/*
 * van den Bergen 1999, tables 5.4, 5.5 and 5.6: a model against itself in random configurations of which 60 % overlap,
 * with OBB and AABB trees, SAT and SAT lite; then the cost of building, refitting and testing.
 *
 * Total time = box tests x time per box test + triangle pairs x time per triangle pair. tree_count.c counts the box
 * tests with the library's traversal; every configuration checks that both visit the same number of pairs. The
 * triangle pairs are those that the library visits until the first that overlaps. Their time is that of the exact test
 * on the visited pairs alone; the box tests account for the rest. Answers are compared with model_oracle.c. The thesis
 * gives sums over 100,000 configurations on a 167 MHz UltraSPARC; the tables give values per configuration.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/query.h>

#include "bergen_1999.h"
#include "core/array.h"
#include "exact/triangle.h"
#include "math/vec.h"
#include "model_triangle.h"
#include "stopwatch.h"
#include "table.h"
#include "tree_count.h"

enum { MODELS = 3, KINDS = 3 };

static const tact_allocator plain = {0};

/* Figures of the thesis: sums over 100,000 tests, microseconds per box test and per triangle pair, total seconds. */
typedef struct thesis_row {
    double boxes, box_us, pairs, pair_us, total_s;
} thesis_row;

static const thesis_row thesis_sat[2][MODELS] = {
    {{10178961, 4.9, 197314, 15, 52.6}, {12025710, 4.8, 186329, 14, 60.3}, {48890612, 4.6, 975217, 10, 234.0}},
    {{32913297, 3.7, 3996806, 7.2, 151.0}, {25810569, 3.3, 1874830, 7.4, 98.7}, {92376250, 3.1, 8601433, 7.1, 350.1}},
};

static const thesis_row thesis_lite[2][MODELS] = {
    {{13116295, 3.7, 371345, 12, 52.3}, {14404588, 3.5, 279987, 13, 54.3}, {65041340, 3.4, 2451543, 9.3, 244.3}},
    {{40238149, 2.4, 5222836, 7.4, 134.5}, {30127623, 2.1, 2214671, 7.0, 78.1}, {121462120, 1.9, 13066095, 7.0, 328.0}},
};

/* Table 5.6, seconds: build OBB, build AABB, refit AABB, test OBB, test AABB. */
static const double thesis_costs[MODELS][5] = {
    {0.35, 0.11, 15e-3, 0.5e-3, 1.3e-3}, {0.27, 0.08, 11e-3, 0.6e-3, 0.8e-3}, {0.46, 0.18, 18e-3, 2.3e-3, 3.3e-3}};

static const char *const thesis_names[MODELS] = {"torus", "teapot", "X-wing"};

typedef struct tree_model {
    model m;
    tact_shape *shape;
    model_pair *pairs;
    unsigned char *expected; /* the oracle's answer for each pair */
    long undecided;
    double side;
    box *boxes;
    obb_tree obb;
    aabb_tree midpoint, area;
} tree_model;

typedef struct visited_pair {
    uint32_t pair, a, b;
} visited_pair;

ARRAY_OF(visited_pair_array, visited_pair);

typedef struct pair_tester {
    const tree_model *of;
    const model_pair *at;
    uint32_t pair, last_a, last_b;
    tact_vec3 a[3], b[3];
    uint64_t pairs;
    visited_pair_array *visited; /* list of the visited pairs, or NULL */
    bool hit;
} pair_tester;

static bool triangles_overlap(pair_tester *t, uint32_t a, uint32_t b)
{
    if (a != t->last_a)
        model_triangle(&t->of->m, &t->at->a, t->last_a = a, t->a);
    if (b != t->last_b)
        model_triangle(&t->of->m, &t->at->b, t->last_b = b, t->b);
    return tact_triangles_intersect(t->a, t->b);
}

static bool visit(void *context, uint32_t a, uint32_t b)
{
    pair_tester *t = context;
    t->pairs++;
    if (t->visited && !visited_pair_array_push(t->visited, &plain, (visited_pair){t->pair, a, b}))
        return false;
    t->hit = triangles_overlap(t, a, b);
    return !t->hit;
}

/* 0: OBB tree; 1: AABB tree with midpoint split, as in the thesis; 2: AABB tree as the library builds it. */
static const char *const kind_names[KINDS] = {"OBB", "AABB, midpoint split", "AABB, area split"};

static void run_one(const tree_model *s, int kind, sat_axes axes, tree_order order, pair_tester *t)
{
    t->last_a = t->last_b = UINT32_MAX;
    t->hit = false;
    if (kind == 0)
        (void)tact_obb_tree_pairs(&s->obb, &t->at->a, &s->obb, &t->at->b, axes, order, visit, t);
    else
        (void)tact_aabb_tree_pairs(kind == 1 ? &s->midpoint : &s->area, &t->at->a, kind == 1 ? &s->midpoint : &s->area,
                                   &t->at->b, axes, order, visit, t);
}

typedef struct tree_test_cost {
    double boxes, pairs, total_ns, pair_ns, box_ns; /* boxes, pairs and total per test */
    double overlap, by_edges;                       /* shares: of all box tests; of the separated boxes */
    int hits, wrong;                                /* configurations; differences from the oracle */
    int mismatched; /* configurations in which tree_count.c visits other pairs than the library */
} tree_test_cost;

static double time_tests(const tree_model *s, int kind, sat_axes axes, tree_order order, int count, int rounds,
                         tree_test_cost *o)
{
    enum { BLOCK = 100 };
    int blocks = (count + BLOCK - 1) / BLOCK;
    laps l = {0};
    if (!tact_laps_create(&l, 1, blocks, rounds))
        return -1.0;
    pair_tester t = {.of = s};
    for (int round = 0; round < rounds; round++) {
        o->hits = o->wrong = 0;
        for (int block = 0; block < blocks; block++) {
            int end = (block + 1) * BLOCK < count ? (block + 1) * BLOCK : count;
            double before = tact_stopwatch_now();
            for (int i = block * BLOCK; i < end; i++) {
                t.at = &s->pairs[i];
                run_one(s, kind, axes, order, &t);
                o->hits += t.hit;
                o->wrong += t.hit != (s->expected[i] == 1);
            }
            tact_laps_record(&l, 0, block, round, tact_stopwatch_now() - before);
        }
    }
    o->pairs = (double)t.pairs / ((double)count * rounds);
    double ns = tact_laps_median(&l, 0) / count;
    tact_laps_release(&l);
    return ns;
}

/* Nanoseconds of the exact test per visited pair. */
static double time_triangles(const tree_model *s, const visited_pair_array *visited, int rounds)
{
    double best = INFINITY;
    volatile int sink = 0;
    for (int round = 0; round < rounds; round++) {
        pair_tester t = {.of = s, .pair = UINT32_MAX};
        int hits = 0;
        double before = tact_stopwatch_now();
        for (size_t i = 0; i < visited->count; i++) {
            const visited_pair *p = &visited->items[i];
            if (p->pair != t.pair) {
                t.pair = p->pair;
                t.at = &s->pairs[p->pair];
                t.last_a = t.last_b = UINT32_MAX;
            }
            hits += triangles_overlap(&t, p->a, p->b);
        }
        best = fmin(best, tact_stopwatch_now() - before);
        sink = sink + hits;
    }
    return visited->count > 0 ? best / (double)visited->count : 0.0;
}

static bool measure(const tree_model *s, int kind, sat_axes axes, int count, int rounds, tree_test_cost *o)
{
    *o = (tree_test_cost){0};
    o->total_ns = time_tests(s, kind, axes, TREE_ANY_ORDER, count, rounds, o);
    visited_pair_array visited = {0};
    pair_tester t = {.of = s, .visited = &visited}, again = {.of = s};
    tree_counts counts = {0};
    const aabb_tree *flat = kind == 0 ? NULL : kind == 1 ? &s->midpoint : &s->area;
    for (int i = 0; i < count; i++) {
        uint64_t before = t.pairs, before_again = again.pairs;
        t.at = again.at = &s->pairs[i];
        t.pair = (uint32_t)i;
        run_one(s, kind, axes, TREE_ANY_ORDER, &t);
        again.last_a = again.last_b = UINT32_MAX;
        again.hit = false;
        counted_tree a = {flat, kind == 0 ? &s->obb : NULL, &again.at->a}, b = a;
        b.at = &again.at->b;
        (void)tact_tree_count(&a, &b, axes, visit, &again, &counts);
        o->mismatched += t.hit != again.hit || t.pairs - before != again.pairs - before_again;
    }
    bool done = o->total_ns >= 0.0 && visited.count == t.pairs;
    o->pair_ns = time_triangles(s, &visited, rounds);
    visited_pair_array_release(&visited, &plain);
    o->boxes = (double)counts.tested / count;
    o->overlap = (double)counts.overlap / (double)counts.tested;
    o->by_edges = (double)counts.by_edges / (double)(counts.by_edges + counts.by_faces);
    o->box_ns = (o->total_ns - o->pairs * o->pair_ns) / o->boxes;
    return done;
}

static void tree_model_release(tree_model *s)
{
    tact_shape_release(s->shape);
    free(s->pairs);
    free(s->expected);
    free(s->boxes);
    tact_obb_tree_release(&s->obb);
    tact_aabb_tree_release(&s->midpoint);
    tact_aabb_tree_release(&s->area);
    tact_model_release(&s->m);
}

static bool tree_model_create(tree_model *s, int which, int count, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    if (!(which == 0   ? tact_model_torus(&s->m, 50, 50)
          : which == 1 ? tact_model_pot(&s->m)
                       : tact_model_slender(&s->m)))
        return false;
    s->shape = tact_model_shape(&s->m);
    s->boxes = malloc(s->m.triangle_count * sizeof *s->boxes);
    if (!s->shape || !s->boxes)
        return false;
    s->pairs = tact_model_pairs(s->shape, tact_model_radius(&s->m), 0.6, count, seed, &s->side);
    s->expected = malloc((size_t)count);
    model_oracle oracle;
    if (!s->pairs || !s->expected || !tact_model_oracle_create(&oracle, &s->m))
        return false;
    for (int i = 0; i < count; i++)
        s->expected[i] = tact_model_oracle_overlap(&oracle, &s->pairs[i]);
    s->undecided = oracle.undecided;
    tact_model_oracle_release(&oracle);
    tact_boxes_of_triangles(s->m.vertices, (const uint32_t(*)[3])s->m.triangles, s->m.triangle_count, s->boxes);
    aabb_tree_def area = aabb_tree_def_default(), midpoint = area;
    midpoint.split = AABB_SPLIT_MIDPOINT;
    return tact_aabb_tree_build(&s->area, s->boxes, s->m.triangle_count, &area) == TACT_OK &&
           tact_aabb_tree_build(&s->midpoint, s->boxes, s->m.triangle_count, &midpoint) == TACT_OK &&
           tact_obb_tree_build(&s->obb, s->m.vertices, (const uint32_t(*)[3])s->m.triangles, s->m.triangle_count,
                               &plain) == TACT_OK;
}

static bool print_table(const suite *s, tree_model *models, sat_axes axes, int count, int rounds)
{
    bool lite = axes == SAT_FACE_AXES;
    json_t *table = tact_table_begin(
        lite ? "Table 5.5: SAT lite (the 6 face normals), per test of two models, 60 % overlapping"
             : "Table 5.4: SAT (all 15 axes), per test of two models, 60 % overlapping",
        "model|tree|box tests|thesis|ns per box|thesis us|triangle pairs|thesis|ns per pair|thesis us|us per test|"
        "thesis us|hits %|overlap %|by edges %|wrong");
    bool done = true;
    long mismatched = 0, undecided = 0;
    for (int m = 0; m < MODELS; m++) {
        undecided += models[m].undecided;
        for (int kind = 0; done && kind < KINDS; kind++) {
            tree_test_cost o;
            done = measure(&models[m], kind, axes, count, rounds, &o);
            *s->wrong += done ? o.wrong + o.mismatched : 0;
            mismatched += o.mismatched;
            const thesis_row *t = &(lite ? thesis_lite : thesis_sat)[kind == 0 ? 0 : 1][m];
            tact_table_row(table, "ssfffffffffffffd", models[m].m.name, kind_names[kind], o.boxes, t->boxes / 1e5,
                           o.box_ns, t->box_us, o.pairs, t->pairs / 1e5, o.pair_ns, t->pair_us, o.total_ns / 1e3,
                           t->total_s * 10.0, 100.0 * o.hits / count, 100.0 * o.overlap,
                           lite ? NAN : 100.0 * o.by_edges, (long)o.wrong);
        }
    }
    tact_table_note(table,
                    "%d configurations. The pot (body, spout and handle from formulas) replaces the teapot, the "
                    "slender model the X-wing, with the same numbers of triangles.",
                    count);
    tact_table_note(table,
                    "Wrong: configurations in which an oracle without a tree differs (it left %ld configurations of "
                    "the three models to the library's exact test). The counting traversal visited other pairs than "
                    "the library's in %ld configurations of all rows.",
                    undecided, mismatched);
    tact_table_note(
        table,
        "Nodes of Tact have four children, tested at once; a box test is one of them. The thesis: binary trees on a "
        "167 MHz UltraSPARC; about 60 %% of its box tests overlap, and edge axes separate 15 %% of the rest.");
    return tact_table_end(s, lite ? "table_5_5" : "table_5_4", table) && done;
}

/* Nanoseconds, the fastest of several calls. */
static double time_obb_build(tree_model *s, int rounds)
{
    double best = INFINITY;
    for (int round = 0; round < rounds; round++) {
        tact_obb_tree_release(&s->obb);
        double before = tact_stopwatch_now();
        if (tact_obb_tree_build(&s->obb, s->m.vertices, (const uint32_t(*)[3])s->m.triangles, s->m.triangle_count,
                                &plain) != TACT_OK)
            return -1.0;
        best = fmin(best, tact_stopwatch_now() - before);
    }
    return best;
}

static double time_aabb(tree_model *s, bool refit, int rounds)
{
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])s->m.triangles;
    aabb_tree_def def = aabb_tree_def_default();
    double best = INFINITY;
    for (int round = 0; round < rounds; round++) {
        if (!refit)
            tact_aabb_tree_release(&s->area);
        double before = tact_stopwatch_now();
        tact_boxes_of_triangles(s->m.vertices, triangles, s->m.triangle_count, s->boxes);
        if (refit)
            tact_aabb_tree_refit(&s->area, s->boxes);
        else if (tact_aabb_tree_build(&s->area, s->boxes, s->m.triangle_count, &def) != TACT_OK)
            return -1.0;
        best = fmin(best, tact_stopwatch_now() - before);
    }
    return best;
}

static bool print_costs(const suite *s, tree_model *models, int count, int rounds)
{
    static const char *const names[5] = {"build an OBB tree", "build an AABB tree", "refit an AABB tree",
                                         "test a pair of OBB trees", "test a pair of AABB trees"};
    double ns[5][MODELS];
    for (int m = 0; m < MODELS; m++) {
        tree_test_cost o;
        ns[0][m] = time_obb_build(&models[m], rounds);
        ns[1][m] = time_aabb(&models[m], false, 4 * rounds);
        ns[2][m] = time_aabb(&models[m], true, 10 * rounds);
        for (int k = 3; k < 5; k++) {
            ns[k][m] =
                time_tests(&models[m], k == 3 ? 0 : 2, SAT_FACE_AXES, TREE_NEAREST_CENTRES_FIRST, count, rounds, &o);
            *s->wrong += ns[k][m] >= 0.0 ? o.wrong : 0;
        }
        for (int k = 0; k < 5; k++) {
            if (ns[k][m] < 0.0)
                return false;
        }
    }
    json_t *table = tact_table_begin("Table 5.6: build, refit and test (us; thesis: ms)",
                                     "operation|torus|thesis ms|pot|teapot ms|slender|X-wing ms");
    for (int k = 0; k < 5; k++)
        tact_table_row(table, "sffffff", names[k], ns[k][0] / 1e3, 1e3 * thesis_costs[0][k], ns[k][1] / 1e3,
                       1e3 * thesis_costs[1][k], ns[k][2] / 1e3, 1e3 * thesis_costs[2][k]);
    tact_table_row(table, "sffffff", "build AABB / refit AABB", ns[1][0] / ns[2][0],
                   thesis_costs[0][1] / thesis_costs[0][2], ns[1][1] / ns[2][1],
                   thesis_costs[1][1] / thesis_costs[1][2], ns[1][2] / ns[2][2],
                   thesis_costs[2][1] / thesis_costs[2][2]);
    tact_table_row(table, "sffffff", "build OBB / build AABB", ns[0][0] / ns[1][0],
                   thesis_costs[0][0] / thesis_costs[0][1], ns[0][1] / ns[1][1],
                   thesis_costs[1][0] / thesis_costs[1][1], ns[0][2] / ns[1][2],
                   thesis_costs[2][0] / thesis_costs[2][1]);
    tact_table_row(table, "sffffff", "refit, ns per triangle (thesis us)",
                   ns[2][0] / (double)models[0].m.triangle_count, 2.9, ns[2][1] / (double)models[1].m.triangle_count,
                   2.9, ns[2][2] / (double)models[2].m.triangle_count, 2.9);
    tact_table_note(table,
                    "Build and refit start from the vertices. AABB trees use the area split. Tests use SAT lite, "
                    "nearest centres first. The %s, %s and %s of the thesis have 5000, 3752 and 6084 triangles.",
                    thesis_names[0], thesis_names[1], thesis_names[2]);
    return tact_table_end(s, "table_5_6", table);
}

bool tact_bergen_1999_trees(const suite *s)
{
    int count = suite_size(s, 10000, 300, 5), rounds = suite_size(s, 3, 1, 1);
    tree_model models[MODELS];
    memset(models, 0, sizeof models);
    bool done = true;
    for (int m = 0; done && m < MODELS; m++)
        done = tree_model_create(&models[m], m, count, s->seed + (uint64_t)m);
    done = done && print_table(s, models, SAT_ALL_AXES, count, rounds) &&
           print_table(s, models, SAT_FACE_AXES, count, rounds) && print_costs(s, models, count, rounds);
    for (int m = 0; m < MODELS; m++)
        tree_model_release(&models[m]);
    return done;
}
