/*
 * van den Bergen 1999, tables 5.2 and 5.3: how often one or two bounding volumes around tori (radii 10 and 2) overlap,
 * and the mean cost of a test that checks them first:
 *     T = C1 + P[f1] C2 + P[f1 f2] Ctorus
 * in operations, with the costs of the thesis (sphere 11, fixed AABB 9, AABB around the OBB 57, OBB 200, two tori
 * 10,000), and measured in ns with the trees of two tori of 5,000 triangles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bergen_1999.h"
#include "exact/triangle.h"
#include "math/vec.h"
#include "model_triangle.h"
#include "stopwatch.h"
#include "table.h"
#include "tree_count.h"

#define RADIUS 12.0   /* of the bounding sphere of the torus */
#define THICKNESS 4.0 /* of its OBB, 24 x 24 x 4 */
#define TORUS_OPS 1e4 /* operations of a test of two tori, as assumed in the thesis */

typedef bool volume_test(const model_pair *at);

static bool spheres_overlap(const model_pair *at)
{
    return vec_length_squared(vec_sub(at->a.origin, at->b.origin)) <= 4.0 * RADIUS * RADIUS;
}

static bool fixed_aabbs_overlap(const model_pair *at)
{
    return vec_max_abs(vec_sub(at->a.origin, at->b.origin)) <= 2.0 * RADIUS;
}

static oriented_box oriented_box_of(const tact_transform *at)
{
    return (oriented_box){at->origin, {at->x_axis, at->y_axis, at->z_axis}, {RADIUS, RADIUS, 0.5 * THICKNESS}};
}

static bool obbs_overlap_all_axes(const model_pair *at)
{
    const oriented_box a = oriented_box_of(&at->a), b = oriented_box_of(&at->b);
    return tact_oriented_boxes_separated(&a, &b, SAT_ALL_AXES) == 0;
}

static bool obbs_overlap(const model_pair *at)
{
    const oriented_box a = oriented_box_of(&at->a), b = oriented_box_of(&at->b);
    return tact_oriented_boxes_separated(&a, &b, SAT_FACE_AXES) == 0;
}

/* Half extents of the AABB around the OBB. */
static tact_vec3 half_extent(const tact_transform *at)
{
    return vec_make(RADIUS * (fabs(at->x_axis.x) + fabs(at->y_axis.x)) + 0.5 * THICKNESS * fabs(at->z_axis.x),
                    RADIUS * (fabs(at->x_axis.y) + fabs(at->y_axis.y)) + 0.5 * THICKNESS * fabs(at->z_axis.y),
                    RADIUS * (fabs(at->x_axis.z) + fabs(at->y_axis.z)) + 0.5 * THICKNESS * fabs(at->z_axis.z));
}

static bool dynamic_aabbs_overlap(const model_pair *at)
{
    tact_vec3 r = vec_add(half_extent(&at->a), half_extent(&at->b)), d = vec_sub(at->a.origin, at->b.origin);
    return fabs(d.x) <= r.x && fabs(d.y) <= r.y && fabs(d.z) <= r.z;
}

typedef struct volume {
    const char *name;
    volume_test *first, *second; /* second NULL: one volume only */
    double first_ops;
    struct {
        double cube, first, both, ops; /* the thesis: side of the cube, percent, percent, operations */
    } thesis[2];
} volume;

static const volume volumes[] = {
    {"sphere", spheres_overlap, NULL, 11.0, {{100, 4.6, NAN, 471}, {20, 98.7, NAN, 9881}}},
    {"OBB", obbs_overlap, NULL, 200.0, {{100, 4.1, NAN, 610}, {20, 86.9, NAN, 8890}}},
    {"dynamic AABB, OBB", dynamic_aabbs_overlap, obbs_overlap, 57.0, {{100, 9.1, 4.1, 485}, {20, 99.0, 86.9, 8945}}},
    {"fixed AABB, OBB", fixed_aabbs_overlap, obbs_overlap, 9.0, {{100, 7.8, 3.9, 415}, {20, 100, 86.9, 8899}}},
    {"sphere, OBB", spheres_overlap, obbs_overlap, 11.0, {{100, 4.6, 3.4, 360}, {20, 98.7, 86.5, 8858}}},
};

enum { VOLUMES = sizeof volumes / sizeof volumes[0], SINGLES = 2 };

typedef struct torus {
    model m;
    aabb_tree tree;
    const model_pair *at;
} torus;

static bool visit(void *context, uint32_t a, uint32_t b)
{
    const torus *t = context;
    tact_vec3 p[3], q[3];
    model_triangle(&t->m, &t->at->a, a, p);
    model_triangle(&t->m, &t->at->b, b, q);
    return !tact_triangles_intersect(p, q);
}

static bool tori_overlap(torus *t, const model_pair *at)
{
    t->at = at;
    return !tact_aabb_tree_pairs(&t->tree, &at->a, &t->tree, &at->b, SAT_FACE_AXES, TREE_NEAREST_CENTRES_FIRST, visit,
                                 t);
}

typedef struct volume_result {
    double first, both, hits, ns;
} volume_result;

/* Share of overlapping volumes, over all pairs; time of the whole test, over the first `timed` pairs. */
static volume_result measure_volume(const volume *v, torus *t, const model_pair *pairs, int count, int timed)
{
    volume_result s = {0};
    for (int i = 0; i < count; i++) {
        bool first = v->first(&pairs[i]), both = first && (!v->second || v->second(&pairs[i]));
        s.first += first;
        s.both += both;
    }
    s.first /= count;
    s.both /= count;
    s.ns = INFINITY;
    for (int round = 0; round < 3; round++) {
        int hits = 0;
        double before = tact_stopwatch_now();
        for (int i = 0; i < timed; i++) {
            if (v->first(&pairs[i]) && (!v->second || v->second(&pairs[i])))
                hits += tori_overlap(t, &pairs[i]);
        }
        s.ns = fmin(s.ns, (tact_stopwatch_now() - before) / timed);
        s.hits = (double)hits / timed;
    }
    return s;
}

static bool fill(const suite *s, torus *t, int count, int timed)
{
    json_t *single = tact_table_begin("Table 5.2: one bounding volume before the test of two tori",
                                      "volume|cube|overlap %|thesis|ops|thesis|ns per test|tori overlap %");
    json_t *both = tact_table_begin("Table 5.3: two bounding volumes before the test of two tori",
                                    "volumes|cube|first %|thesis|both %|thesis|ops|thesis|ns per test|tori overlap %");
    bool done = true;
    double all_axes[2] = {0.0, 0.0}; /* percent of the OBBs that overlap along all 15 axes, in each cube */
    for (int k = 0; k < VOLUMES; k++) {
        for (int c = 0; c < 2; c++) {
            const volume *v = &volumes[k];
            double cube = v->thesis[c].cube;
            model_pair *pairs = tact_model_pairs_in(cube, count, s->seed);
            if (!pairs) {
                done = false;
                continue;
            }
            volume_result r = measure_volume(v, t, pairs, count, timed);
            for (int i = 0; v->first == obbs_overlap && i < count; i++)
                all_axes[c] += 100.0 * obbs_overlap_all_axes(&pairs[i]) / count;
            free(pairs);
            if (k < SINGLES)
                tact_table_row(single, "sdffffff", v->name, (long)cube, 100.0 * r.first, v->thesis[c].first,
                               v->first_ops + r.first * TORUS_OPS, v->thesis[c].ops, r.ns, 100.0 * r.hits);
            else
                tact_table_row(both, "sdffffffff", v->name, (long)cube, 100.0 * r.first, v->thesis[c].first,
                               100.0 * r.both, v->thesis[c].both, v->first_ops + r.first * 200.0 + r.both * TORUS_OPS,
                               v->thesis[c].ops, r.ns, 100.0 * r.hits);
        }
    }
    tact_table_note(both,
                    "%d configurations, the centres of both tori in a cube. ns per test over %d of them; the last test "
                    "is that of two trees of 5,000 triangles.",
                    count, timed);
    tact_table_note(both,
                    "OBBs are tested along their 6 face normals, which agrees with the figures of the thesis. Along "
                    "all 15 axes, %.1f %% of them overlap in the cube of side %g and %.1f %% in that of side %g.",
                    all_axes[0], volumes[0].thesis[0].cube, all_axes[1], volumes[0].thesis[1].cube);
    bool ended = tact_table_end(s, "table_5_2", single);
    return tact_table_end(s, "table_5_3", both) && ended && done;
}

bool tact_bergen_1999_volumes(const suite *s)
{
    torus t;
    memset(&t, 0, sizeof t);
    bool done = tact_model_torus(&t.m, 50, 50);
    box *boxes = done ? malloc(t.m.triangle_count * sizeof *boxes) : NULL;
    done = done && boxes;
    if (done) {
        aabb_tree_def def = aabb_tree_def_default();
        tact_boxes_of_triangles(t.m.vertices, (const uint32_t(*)[3])t.m.triangles, t.m.triangle_count, boxes);
        done = tact_aabb_tree_build(&t.tree, boxes, t.m.triangle_count, &def) == TACT_OK &&
               fill(s, &t, suite_size(s, 100000, 20000, 200), suite_size(s, 10000, 500, 10));
    }
    free(boxes);
    tact_aabb_tree_release(&t.tree);
    tact_model_release(&t.m);
    return done;
}
