/* AABB trees against brute force: construction, refit, validation, overlaps, rays, nearest items. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_allocator.h"
#include "support/host_fp_environment.h"
#include "tree/aabb_tree.h"
#include "tree/tree_tables.h"

enum { KINDS = 10 };
static const char *const kind_names[KINDS] = {"scattered", "grid",      "flat", "points", "equal",
                                              "spiral",    "clustered", "odd",  "sheet",  "huge and tiny"};

/* The box of item i of n; `kind` is one of the above. */
static box random_box(random_source *r, int kind, uint32_t i, uint32_t n)
{
    tact_vec3 p[2] = {random_in(r, 1.0), {0.0, 0.0, 0.0}};
    double size = 0.5 / cbrt((double)n + 1.0);
    switch (kind) {
    case 1: /* integers: many boxes touch and repeat */
        p[0] = vec_make(random_between(r, -4, 4), random_between(r, -4, 4), random_between(r, -4, 4));
        p[1] = vec_make(p[0].x + random_between(r, 0, 1), p[0].y + random_between(r, 0, 1), p[0].z + 1.0);
        return tact_box_of_points(p, 2);
    case 2:
        p[1] = vec_make(p[0].x + size, p[0].y, p[0].z + size);
        return tact_box_of_points(p, 2);
    case 3:
        return tact_box_of_points(p, 1);
    case 4:
        return (box){{-1.0f, -1.0f, -1.0f}, {1.0f, 2.0f, 3.0f}};
    case 5: { /* each as far from the origin as all previous ones together */
        double at = ldexp(1.0, (int)(i % 250) - 125);
        p[0] = vec_make(at * cos((double)i), at * sin((double)i), at);
        p[1] = vec_scale(p[0], 1.01);
        return tact_box_of_points(p, 2);
    }
    case 6:
        p[0] = vec_add(vec_scale(p[0], 1e-3), vec_make(random_between(r, 0, 1), 0.0, random_between(r, 0, 1)));
        p[1] = vec_add(p[0], vec_make(1e-4, 1e-4, 1e-4));
        return tact_box_of_points(p, 2);
    case 7:
        switch (random_between(r, 0, 5)) {
        case 0:
            return box_empty();
        case 1:
            return (box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        case 2:
            return (box){{-FLT_MAX, 0.0f, 0.0f}, {FLT_MAX, 1.0f, INFINITY}};
        default:
            p[1] = vec_add(p[0], vec_make(size, size, size));
            return tact_box_of_points(p, 2);
        }
    case 8:
        p[0].z = 0.0;
        p[1] = vec_make(p[0].x + size, p[0].y + size, 0.0);
        return tact_box_of_points(p, 2);
    case 9:
        p[0] = vec_scale(p[0], random_chance(r, 0.5) ? 1e30 : 1e-30);
        p[1] = vec_scale(p[0], 1.5);
        return tact_box_of_points(p, 2);
    default:
        p[1] = vec_add(p[0], vec_make(random_range(r, 0.0, size), random_range(r, 0.0, size), size));
        return tact_box_of_points(p, 2);
    }
}

static box *random_boxes(random_source *r, int kind, uint32_t n)
{
    box *boxes = malloc((n + 1) * sizeof *boxes);
    assert_non_null(boxes);
    for (uint32_t i = 0; i < n; ++i)
        boxes[i] = random_box(r, kind, i, n);
    return boxes;
}

static aabb_tree built(const box *boxes, uint32_t n, aabb_split split, bool partial)
{
    aabb_tree tree;
    aabb_tree_def def = aabb_tree_def_default();
    def.split = split;
    def.parent_links = partial;
    tact_report report;
    assert_int_equal(tact_aabb_tree_build(&tree, boxes, n, &def), TACT_OK);
    if (tact_aabb_tree_check(&tree, boxes, &report) != TACT_OK)
        fail_msg("%lu boxes, split %d: %s", (unsigned long)n, (int)split, report.text);
    return tree;
}

static void trees_of_all_kinds_are_well_formed(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    size_t nodes = 0, things = 0;
    for (int kind = 0; kind < KINDS; ++kind)
        for (int turn = 0; turn < 36; ++turn) {
            uint32_t n = turn < 24 ? (uint32_t)turn : turn == 35 ? 20000u : (uint32_t)random_between(&r, 24, 900);
            box *boxes = random_boxes(&r, kind, n);
            for (int split = 0; split < 2; ++split) {
                aabb_tree tree = built(boxes, n, (aabb_split)split, turn % 2 == 0);
                assert_int_equal(tree.item_count, n);
                assert_true(tree.node_count <= (n > 1 ? n - 1 : n));
                if (split == 0 && n >= 100) {
                    nodes += tree.node_count;
                    things += n;
                }
                tact_aabb_tree_release(&tree);
                assert_true(tree.node_count == 0 && tree.nodes == NULL);
            }
            free(boxes);
        }
    /* the bound on memory: 112 bytes per node */
    assert_true((double)nodes * (sizeof(tree_node) + sizeof(box4)) / (double)things < 48.0);
}

static void the_same_boxes_give_the_same_tree(void **state)
{
    (void)state;
    random_source r = random_seed(2);
    box *boxes = random_boxes(&r, 0, 3000);
    aabb_tree a = built(boxes, 3000, AABB_SPLIT_SAH, false), b = built(boxes, 3000, AABB_SPLIT_SAH, true);
    assert_int_equal(a.node_count, b.node_count);
    assert_memory_equal(a.nodes, b.nodes, a.node_count * sizeof *a.nodes);
    assert_memory_equal(a.bounds, b.bounds, a.node_count * sizeof *a.bounds);
    tact_aabb_tree_release(&a);
    tact_aabb_tree_release(&b);
    free(boxes);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    box *boxes = random_boxes(&r, 0, 300);
    int failures = 0;
    for (int left = 0;; ++left) {
        failing_allocator q = {.fail_at = left + 1};
        aabb_tree_def def = aabb_tree_def_default();
        def.allocator = failing_allocator_make(&q);
        def.parent_links = true;
        aabb_tree tree;
        tact_status status = tact_aabb_tree_build(&tree, boxes, 300, &def);
        if (status == TACT_OK) {
            q.fail_at = q.calls + 2;
            assert_int_equal(tact_aabb_tree_check(&tree, boxes, NULL), TACT_OK);
            q.fail_at = q.calls + 1;
            assert_int_equal(tact_aabb_tree_check(&tree, boxes, NULL), TACT_OUT_OF_MEMORY);
            tact_aabb_tree_release(&tree);
            assert_int_equal(q.held, 0);
            if (left > 20) /* the last requests only shrink arrays and may fail */
                break;
            continue;
        }
        ++failures;
        assert_int_equal(status, TACT_OUT_OF_MEMORY);
        assert_int_equal(q.held, 0);
        assert_true(tree.nodes == NULL && tree.node_count == 0);
        tact_aabb_tree_release(&tree);
    }
    assert_true(failures >= 6);
    aabb_tree tree;
    aabb_tree_def def = aabb_tree_def_default();
    assert_int_equal(tact_aabb_tree_build(&tree, boxes, (size_t)TREE_MAX_ITEMS + 1, &def), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_aabb_tree_build(&tree, NULL, 3, &def), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_aabb_tree_build(&tree, boxes, 3, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_aabb_tree_build(NULL, boxes, 3, &def), TACT_BAD_ARGUMENT);
    free(boxes);
}

static void refitting_gives_the_smallest_boxes(void **state)
{
    (void)state;
    random_source r = random_seed(4);
    for (int turn = 0; turn < 60; ++turn) {
        int kind = turn % KINDS;
        uint32_t n = (uint32_t)random_between(&r, 1, 400);
        box *boxes = random_boxes(&r, kind, n), *others = random_boxes(&r, (kind + 1) % KINDS, n);
        aabb_tree tree = built(boxes, n, AABB_SPLIT_SAH, true);
        tact_aabb_tree_refit(&tree, others);
        assert_int_equal(tact_aabb_tree_check(&tree, others, NULL), TACT_OK);
        for (int i = 0; i < 5; ++i) {
            uint32_t first = (uint32_t)random_below(&r, n), count = (uint32_t)random_below(&r, n - first + 1);
            for (uint32_t k = first; k < first + count; ++k) {
                others[k] = random_box(&r, kind, k, n);
                tact_aabb_tree_refit_one(&tree, k, &others[k]);
            }
            assert_int_equal(tact_aabb_tree_check(&tree, others, NULL), TACT_OK);
        }
        tact_aabb_tree_release(&tree);
        free(boxes);
        free(others);
    }
}

static void shuffling_items_degrades_the_tree(void **state)
{
    (void)state;
    random_source r = random_seed(5);
    enum { N = 1000 };
    box *boxes = random_boxes(&r, 0, N);
    aabb_tree tree = built(boxes, N, AABB_SPLIT_SAH, false);
    assert_false(aabb_tree_needs_rebuild(&tree));
    /* the definition, in another order */
    double sum = 0.0, all = 0.0;
    for (uint32_t i = 0; i <= tree.node_count * TREE_WIDTH; ++i) {
        box b = i == 0 ? tree.root_box : box4_get(&tree.bounds[(i - 1) / TREE_WIDTH], (i - 1) % TREE_WIDTH);
        double x = (double)b.max[0] - (double)b.min[0], y = (double)b.max[1] - (double)b.min[1],
               z = (double)b.max[2] - (double)b.min[2];
        if (i == 0)
            all = x * y + y * z + z * x;
        else if (!box_is_empty(&b))
            sum += x * y + y * z + z * x;
    }
    assert_true(fabs(tact_aabb_tree_cost(&tree) - sum / all) < 1e-5 * sum / all);
    assert_true(tree.built_cost == tact_aabb_tree_cost(&tree));
    tact_aabb_tree_refit(&tree, boxes);
    assert_false(aabb_tree_needs_rebuild(&tree));
    for (uint32_t i = N - 1; i > 0; --i) {
        uint32_t j = (uint32_t)random_below(&r, i + 1);
        box b = boxes[i];
        boxes[i] = boxes[j];
        boxes[j] = b;
    }
    tact_aabb_tree_refit(&tree, boxes);
    assert_true(aabb_tree_needs_rebuild(&tree));
    tact_aabb_tree_release(&tree);
    free(boxes);
}

static void damage_is_detected(void **state)
{
    (void)state;
    random_source r = random_seed(6);
    enum { N = 300 };
    box *boxes = random_boxes(&r, 0, N);
    int found = 0, tries = 0;
    for (int i = 0; i < 2000; ++i) {
        aabb_tree tree = built(boxes, N, AABB_SPLIT_SAH, i % 2 == 0);
        uint32_t node = (uint32_t)random_below(&r, tree.node_count);
        uint32_t *child = &tree.nodes[node].child[random_below(&r, TREE_WIDTH)];
        uint32_t before = *child;
        if (i % 3 == 0)
            *child = TREE_LEAF | (uint32_t)random_below(&r, N + 2);
        else if (i % 3 == 1)
            *child = (uint32_t)random_below(&r, tree.node_count + 2);
        else
            *child = TREE_NONE;
        if (*child != before) {
            tact_report report;
            ++tries;
            found += tact_aabb_tree_check(&tree, boxes, &report) == TACT_BAD_ARGUMENT && report.text[0] != 0;
        }
        *child = before;
        float *bound = &tree.bounds[node].min[random_below(&r, 3)][0];
        *bound = nextafterf(*bound, 5.0f);
        ++tries;
        found += tact_aabb_tree_check(&tree, boxes, NULL) == TACT_BAD_ARGUMENT;
        tact_aabb_tree_release(&tree);
    }
    assert_int_equal(found, tries);
    free(boxes);
}

static void overlaps_in_one_frame_equal_brute_force(void **state)
{
    (void)state;
    random_source r = random_seed(7);
    size_t pairs = 0, selves = 0, ones = 0, stopped = 0;
    for (int turn = 0; turn < 150; ++turn) {
        int kind = turn % KINDS;
        uint32_t n = (uint32_t)random_between(&r, 0, 150), m = (uint32_t)random_between(&r, 0, 150);
        box *a = random_boxes(&r, kind, n), *b = random_boxes(&r, random_chance(&r, 0.5) ? kind : 0, m);
        aabb_tree ta = built(a, n, (aabb_split)(turn % 2), false), tb = built(b, m, AABB_SPLIT_SAH, false);
        table t = table_make(n, m), self = table_make(n, n);
        assert_true(tact_aabb_tree_pairs_same_frame(&ta, &tb, note_pair, &t));
        assert_true(tact_aabb_tree_self_pairs(&ta, note_pair, &self));
        for (uint32_t i = 0; i < n; ++i) {
            for (uint32_t j = 0; j < m; ++j)
                if (t.cells[(size_t)i * m + j] != box_overlap(&a[i], &b[j]))
                    fail_msg("turn %d (%s): pair %u %u of %u x %u", turn, kind_names[kind], i, j, n, m);
            for (uint32_t j = 0; j < i; ++j)
                if (self.cells[(size_t)i * n + j] + self.cells[(size_t)j * n + i] != box_overlap(&a[i], &a[j]))
                    fail_msg("turn %d (%s): self %u %u of %u", turn, kind_names[kind], i, j, n);
            assert_int_equal(self.cells[(size_t)i * n + i], 0);
        }
        for (uint32_t i = 0; i < n && i < 20; ++i) {
            table one = table_make(1, m);
            assert_true(tact_aabb_tree_overlap(&tb, &a[i], note_thing, &one));
            for (uint32_t j = 0; j < m; ++j)
                assert_int_equal(one.cells[j], box_overlap(&a[i], &b[j]));
            ones += one.found;
            if (one.found > 1) {
                one.limit = one.found + 1; /* `found` continues from its previous value */
                assert_false(tact_aabb_tree_overlap(&tb, &a[i], note_thing, &one));
            }
            free(one.cells);
        }
        pairs += t.found;
        selves += self.found;
        if (t.found > 0) {
            t.limit = t.found + 1;
            assert_false(tact_aabb_tree_pairs_same_frame(&ta, &tb, note_pair, &t));
            assert_int_equal(t.found, t.limit);
            ++stopped;
        }
        if (self.found > 0) {
            self.limit = self.found + 1;
            assert_false(tact_aabb_tree_self_pairs(&ta, note_pair, &self));
            assert_int_equal(self.found, self.limit);
        }
        free(t.cells);
        free(self.cells);
        tact_aabb_tree_release(&ta);
        tact_aabb_tree_release(&tb);
        free(a);
        free(b);
    }
    assert_true(pairs > 20000 && selves > 20000 && ones > 5000 && stopped > 50);
}

/* The overlap of two transformed boxes along an axis of the world, in long double: negative if separated. */
static long double overlap_along(const tact_vec3 *a, const tact_vec3 *b, tact_vec3 axis)
{
    long double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
    for (int i = 0; i < 8; ++i) {
        long double x = (long double)axis.x * a[i].x + (long double)axis.y * a[i].y + (long double)axis.z * a[i].z;
        long double y = (long double)axis.x * b[i].x + (long double)axis.y * b[i].y + (long double)axis.z * b[i].z;
        low_a = x < low_a ? x : low_a;
        high_a = x > high_a ? x : high_a;
        low_b = y < low_b ? y : low_b;
        high_b = y > high_b ? y : high_b;
    }
    return fminl(high_a - low_b, high_b - low_a);
}

/* The smallest overlap of two transformed boxes over the 6 or 15 unit axes. */
static double least_overlap(const box *a, const tact_transform *transform_a, const box *b,
                            const tact_transform *transform_b, int axes)
{
    tact_vec3 ca[8], cb[8], ea[3] = {transform_a->x_axis, transform_a->y_axis, transform_a->z_axis},
                            eb[3] = {transform_b->x_axis, transform_b->y_axis, transform_b->z_axis};
    for (int i = 0; i < 8; ++i) {
        const float *x = i & 1 ? a->max : a->min, *y = i & 2 ? a->max : a->min, *z = i & 4 ? a->max : a->min;
        ca[i] = vec_sub(tact_transform_point(*transform_a, vec_make((double)x[0], (double)y[1], (double)z[2])),
                        transform_a->origin);
        x = i & 1 ? b->max : b->min, y = i & 2 ? b->max : b->min, z = i & 4 ? b->max : b->min;
        cb[i] = vec_sub(tact_transform_point(*transform_b, vec_make((double)x[0], (double)y[1], (double)z[2])),
                        transform_a->origin);
    }
    double least = INFINITY;
    for (int i = 0; i < axes; ++i) {
        tact_vec3 axis = i < 3   ? vec_cross(ea[i], ea[(i + 1) % 3])
                         : i < 6 ? vec_cross(eb[i - 3], eb[(i - 2) % 3])
                                 : vec_cross(vec_normalize(ea[(i - 6) / 3]), vec_normalize(eb[(i - 6) % 3]));
        if (i >= 6 && vec_length(axis) < 1e-6)
            continue;
        double overlap = (double)overlap_along(ca, cb, vec_normalize(axis));
        least = overlap < least ? overlap : least;
    }
    return least;
}

/* Overlaps below this count as touching, either answer is right: far above the slack of trees of size about 1. */
#define NEAR 2e-4

static void transformed_pairs_equal_brute_force(void **state)
{
    (void)state;
    random_source r = random_seed(8);
    long hits = 0, misses = 0, near = 0, lite_only = 0;
    for (int turn = 0; turn < (long_form() ? 160 : 80); ++turn) {
        static const int kinds[4] = {0, 2, 3, 8};
        uint32_t n = (uint32_t)random_between(&r, 0, 70), m = (uint32_t)random_between(&r, 1, 70);
        box *a = random_boxes(&r, kinds[turn % 4], n), *b = random_boxes(&r, kinds[turn / 4 % 4], m);
        for (uint32_t i = 0; i < n; ++i) /* beams: often separated by an edge cross product only */
            a[i].max[i % 3] += 0.6f, a[i].max[(i + 1) % 3] += 0.2f;
        for (uint32_t i = 0; i < m; ++i)
            b[i].min[i % 3] -= 0.6f, b[i].min[(i + 2) % 3] -= 0.2f;
        aabb_tree ta = built(a, n, (aabb_split)(turn % 2), false), tb = built(b, m, AABB_SPLIT_SAH, false);
        /* both of the same kind, so that they are close to each other */
        int kind = turn / 16 % FRAMES;
        tact_transform transform_a = random_placement(&r, kind), transform_b = random_placement(&r, kind);
        table lite = table_make(n, m), full = table_make(n, m);
        assert_true(tact_aabb_tree_pairs(&ta, &transform_a, &tb, &transform_b, SAT_FACE_AXES, TREE_ANY_ORDER, note_pair,
                                         &lite));
        assert_true(tact_aabb_tree_pairs(&ta, &transform_a, &tb, &transform_b, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST,
                                         note_pair, &full));
        for (uint32_t i = 0; i < n; ++i) {
            table one = table_make(1, m);
            assert_true(tact_aabb_tree_overlap_transformed(&tb, &transform_b, &a[i], &transform_a, SAT_ALL_AXES,
                                                           note_thing, &one));
            for (uint32_t j = 0; j < m; ++j) {
                double six = least_overlap(&a[i], &transform_a, &b[j], &transform_b, 6);
                double all = least_overlap(&a[i], &transform_a, &b[j], &transform_b, 15);
                int by_lite = lite.cells[(size_t)i * m + j], by_full = full.cells[(size_t)i * m + j];
                if (by_lite > 1 || by_full > by_lite || one.cells[j] > 1 ||
                    (all >= 0.0 && !(by_full && by_lite && one.cells[j])) || (six < -NEAR && by_lite) ||
                    (all < -NEAR && (by_full || one.cells[j])))
                    fail_msg("turn %d pair %u %u: overlap %g on 6 axes, %g on 15; lite %d, full %d, one %d", turn, i, j,
                             six, all, by_lite, by_full, one.cells[j]);
                hits += all >= 0.0;
                misses += all < -NEAR;
                near += fabs(all) <= NEAR;
                lite_only += by_lite && !by_full;
            }
            free(one.cells);
        }
        if (full.found > 1) {
            full.limit = full.found + 1;
            assert_false(tact_aabb_tree_pairs(&ta, &transform_a, &tb, &transform_b, SAT_ALL_AXES,
                                              TREE_NEAREST_CENTRES_FIRST, note_pair, &full));
        }
        free(lite.cells);
        free(full.cells);
        tact_aabb_tree_release(&ta);
        tact_aabb_tree_release(&tb);
        free(a);
        free(b);
    }
    assert_true(hits > 500 && misses > 25000 && near > 10 && lite_only > 50);
}

/* Items that certainly intersect in the world, with boxes as small as floats allow: a tiny triangle of A, pierced by a
 * tiny segment of B, each in its own coordinates. Without the slack many would be missed. */
static void pierced_triangles_are_never_missed(void **state)
{
    (void)state;
    random_source r = random_seed(9);
    enum { N = 40, TURNS = 2 * 5 * FRAMES * ENVIRONMENTS };
    int used = 0, cases[2][FRAMES][ENVIRONMENTS] = {0};
    for (int turn = 0; turn < TURNS; ++turn) {
        /* each kind of frame in each floating-point environment, in both orders */
        const int kind = turn % FRAMES, host = turn / FRAMES % ENVIRONMENTS, order = turn / FRAMES / ENVIRONMENTS % 2;
        tact_transform transform_a = random_placement(&r, kind),
                       transform_b = random_placement(&r, kind == FRAME_FAR ? kind : random_between(&r, 0, 3));
        double scale = turn % 5 == 0 ? 1e-6 : turn % 5 == 1 ? 1e6 : 1.0; /* of everything except the frames */
        tact_transform inverse_a, inverse_b;
        transform_a.origin = vec_scale(transform_a.origin, scale);
        transform_b.origin = vec_scale(transform_b.origin, scale);
        assert_int_equal(tact_transform_invert(transform_a, &inverse_a), TACT_OK);
        assert_int_equal(tact_transform_invert(transform_b, &inverse_b), TACT_OK);
        box a[N], b[N];
        double tiny = 1e-8 * scale * (kind == FRAME_FAR ? 10.0 : 1.0);
        for (int i = 0; i < N; ++i) {
            tact_vec3 centre = vec_add(transform_a.origin, random_in(&r, scale)), n = random_direction(&r), e, f, p[3],
                      q[2];
            vec_tangent_basis(n, &e, &f);
            p[0] = vec_mul_add(centre, tiny, e);
            p[1] = vec_mul_add(vec_mul_add(centre, -tiny, e), tiny, f);
            p[2] = vec_mul_add(vec_mul_add(centre, -tiny, e), -tiny, f);
            q[0] = vec_mul_add(centre, tiny, n);
            q[1] = vec_mul_add(centre, -tiny, n);
            for (int k = 0; k < 3; ++k)
                p[k] = tact_transform_vector(inverse_a, vec_sub(p[k], transform_a.origin));
            for (int k = 0; k < 2; ++k)
                q[k] = tact_transform_vector(inverse_b, vec_sub(q[k], transform_b.origin));
            a[i] = tact_box_of_points(p, 3);
            b[i] = tact_box_of_points(q, 2);
        }
        aabb_tree ta = built(a, N, AABB_SPLIT_SAH, false), tb = built(b, N, AABB_SPLIT_MIDPOINT, false);
        for (int axes = 6; axes <= 15; axes += 9) {
            table t = table_make(N, N);
            set_environment(host);
            bool done = tact_aabb_tree_pairs(&ta, &transform_a, &tb, &transform_b, (sat_axes)axes, (tree_order)order,
                                             note_pair, &t);
            set_environment(0);
            assert_true(done);
            for (int i = 0; i < N; ++i)
                if (t.cells[i * N + i] != 1)
                    fail_msg("turn %d, %d axes: pierced triangle %d was missed", turn, axes, i);
            used += t.found < N * N / 2;
            cases[order][kind][host]++;
            free(t.cells);
        }
        tact_aabb_tree_release(&ta);
        tact_aabb_tree_release(&tb);
    }
    assert_true(used > 2 * TURNS * 7 / 10); /* the tree does not report everything */
    for (int i = 0; i < 2 * FRAMES * ENVIRONMENTS; ++i)
        assert_true(cases[i / ENVIRONMENTS / FRAMES][i / ENVIRONMENTS % FRAMES][i % ENVIRONMENTS] >= 8);
}

static double note_pair_within(void *context, uint32_t a, uint32_t b, double limit)
{
    (void)note_pair(context, a, b);
    return limit;
}

static double note_within(void *context, uint32_t thing, double limit)
{
    return note_pair_within(context, 0, thing, limit);
}

/* Numbers that cannot be computed with: everything is reported, nothing is missed. */
static void unusable_numbers_miss_nothing(void **state)
{
    (void)state;
    random_source r = random_seed(10);
    enum { N = 30 };
    const double numbers[] = {0.0, 1e-300, 1e-40, 1e-20, 1e20, 1e38, 1e300, (double)INFINITY, (double)NAN};
    const int count = (int)(sizeof numbers / sizeof numbers[0]);
    for (int turn = 0; turn < 400; ++turn) {
        box *a = random_boxes(&r, turn % KINDS, N), *b = random_boxes(&r, random_between(&r, 0, KINDS - 1), N);
        aabb_tree ta = built(a, N, AABB_SPLIT_SAH, false), tb = built(b, N, AABB_SPLIT_SAH, false);
        tact_transform same = random_placement(&r, turn % 4), odd = same;
        same = tact_transform_scale(same, vec_make(1.0, numbers[random_below(&r, 7)], 1.0));
        double *bad[4] = {&odd.x_axis.x, &odd.y_axis.y, &odd.z_axis.x, &odd.origin.y};
        *bad[random_between(&r, 0, 3)] = numbers[random_below(&r, (uint64_t)count)];
        for (int axes = 6; axes <= 15; axes += 9) {
            /* under the same transform, boxes that overlap in their own frame overlap */
            table t = table_make(N, N);
            assert_true(tact_aabb_tree_pairs(&ta, &same, &tb, &same, (sat_axes)axes, TREE_ANY_ORDER, note_pair, &t));
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j)
                    if (box_overlap(&a[i], &b[j]) && t.cells[i * N + j] != 1)
                        fail_msg("turn %d, %d axes: pair %d %d was missed", turn, axes, i, j);
            free(t.cells);
            t = table_make(N, N);
            assert_true(tact_aabb_tree_pairs(&ta, &same, &tb, &odd, (sat_axes)axes, TREE_ANY_ORDER, note_pair, &t));
            for (int i = 0; i < N * N; ++i)
                assert_true(t.cells[i] <= 1);
            free(t.cells);
        }
        table t = table_make(N, N);
        assert_true(tact_aabb_tree_nearest_pairs(&ta, &same, &tb, &same, 0.0, note_pair_within, &t) == 0.0);
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                if (box_overlap(&a[i], &b[j]) && t.cells[i * N + j] != 1)
                    fail_msg("turn %d: nearest pair %d %d was missed", turn, i, j);
        memset(t.cells, 0, N * N);
        (void)tact_aabb_tree_nearest_pairs(&ta, &same, &tb, &odd, 1.0, note_pair_within, &t);
        (void)tact_aabb_tree_nearest(&tb, &odd, &a[0], &same, 1.0, note_within, &t);
        for (int i = 0; i < N * N; ++i)
            assert_true(t.cells[i] <= 2);
        memset(t.cells, 0, N * N);
        (void)tact_aabb_tree_ray(&tb, &odd, same.origin, same.x_axis, 1.0, note_within, &t);
        (void)tact_aabb_tree_ray(&tb, &same, odd.origin, odd.z_axis, (double)INFINITY, note_within, &t);
        for (int i = 0; i < N; ++i)
            assert_true(t.cells[i] <= 2);
        free(t.cells);
        tact_aabb_tree_release(&ta);
        tact_aabb_tree_release(&tb);
        free(a);
        free(b);
    }
}

/* Items that are points, for rays and nearest queries. */
typedef struct search {
    const tact_vec3 *a, *b; /* in the world */
    tact_vec3 from, direction;
    double reach; /* radius of the spheres around the points, for rays */
    double last;  /* the previous limit */
    double stop;  /* stop when this is found */
    long visits;
} search;

/* The parameter at which a ray enters the sphere around a point; infinite if it does not. */
static double enter_ball(const search *s, tact_vec3 centre)
{
    tact_vec3 to = vec_sub(s->from, centre);
    double a = vec_length_squared(s->direction), b = vec_dot(to, s->direction),
           c = vec_length_squared(to) - s->reach * s->reach;
    double root = b * b - a * c;
    double t = (-b - sqrt(root > 0.0 ? root : 0.0)) / a;
    return root < 0.0 || t < 0.0 ? (double)INFINITY : t;
}

static double try_ball(void *context, uint32_t thing, double limit)
{
    search *s = context;
    ++s->visits;
    assert_true(limit <= s->last);
    double t = enter_ball(s, s->a[thing]);
    s->last = t < limit ? t : limit;
    return s->last <= s->stop ? -1.0 : s->last;
}

static void rays_find_the_first_hit(void **state)
{
    (void)state;
    random_source r = random_seed(11);
    enum { N = 300 };
    int hits = 0, misses = 0;
    long visits = 0;
    for (int turn = 0; turn < 60; ++turn) {
        tact_transform at = random_placement(&r, turn % FRAMES);
        box boxes[N];
        tact_vec3 world[N];
        search s = {.a = world, .reach = 0.05};
        /* upper bound of the local size of a sphere of the world */
        double widen = turn % FRAMES == FRAME_FLAT ? 1e7 : 4.0;
        for (int i = 0; i < N; ++i) {
            tact_vec3 p = random_in(&r, 1.0), c[2];
            double margin = s.reach * widen;
            world[i] = tact_transform_point(at, p);
            c[0] = vec_sub(p, vec_make(margin, margin, margin));
            c[1] = vec_add(p, vec_make(margin, margin, margin));
            boxes[i] = tact_box_of_points(c, 2);
        }
        aabb_tree tree = built(boxes, N, AABB_SPLIT_SAH, false);
        for (int k = 0; k < 60; ++k) {
            s.from = vec_add(at.origin, random_in(&r, 4.0));
            s.direction = k % 3 == 0 ? random_direction(&r) : vec_sub(world[k], s.from);
            if (k % 5 == 0)
                s.direction = vec_make(k % 2 ? -1.0 : 1.0, 0.0, 0.0);
            double max = k % 4 == 0 ? 1.0 : (double)INFINITY, best = max;
            for (int i = 0; i < N; ++i) {
                double t = enter_ball(&s, world[i]);
                best = t < best ? t : best;
            }
            s.last = max;
            s.stop = -1.0;
            double found = tact_aabb_tree_ray(&tree, &at, s.from, s.direction, max, try_ball, &s);
            if (found != best)
                fail_msg("turn %d ray %d: %.17g, brute force %.17g", turn, k, found, best);
            visits += turn % FRAMES == FRAME_FLAT ? 0 : s.visits;
            s.visits = 0;
            if (best < max) {
                ++hits;
                s.last = max;
                s.stop = best;
                assert_true(tact_aabb_tree_ray(&tree, &at, s.from, s.direction, max, try_ball, &s) == -1.0);
                s.visits = 0;
            } else {
                ++misses;
            }
        }
        tact_aabb_tree_release(&tree);
    }
    assert_true(hits > 1000 && misses > 500);
    assert_true(visits < 3600L * N / 4); /* the tree saves work */
}

/* Along axes and diagonals through integer points: along faces, through edges and vertices. */
static void rays_along_faces_equal_brute_force(void **state)
{
    (void)state;
    random_source r = random_seed(13);
    enum { N = 200 };
    tact_transform at = tact_identity();
    box *boxes = random_boxes(&r, 1, N);
    aabb_tree tree = built(boxes, N, AABB_SPLIT_SAH, false);
    size_t hits = 0;
    for (int turn = 0; turn < 2000; ++turn) {
        double from[3], step[3];
        int any = 0;
        for (int i = 0; i < 3; ++i) {
            from[i] = random_between(&r, -6, 6);
            step[i] = random_between(&r, -1, 1);
            any |= step[i] != 0.0;
        }
        if (!any)
            step[turn % 3] = turn % 2 ? 1.0 : -1.0;
        double max = turn % 4 == 0 ? random_between(&r, 0, 6) : (double)INFINITY;
        table t = table_make(1, N);
        assert_true(tact_aabb_tree_ray(&tree, &at, vec_make(from[0], from[1], from[2]),
                                       vec_make(step[0], step[1], step[2]), max, note_within, &t) == max);
        for (int k = 0; k < N; ++k) {
            /* steps are -1, 0 or 1: all end points are integers */
            double enter = 0.0, leave = max;
            for (int i = 0; i < 3; ++i) {
                double low = (double)boxes[k].min[i] - from[i], high = (double)boxes[k].max[i] - from[i];
                if (step[i] == 0.0) {
                    leave = low <= 0.0 && 0.0 <= high ? leave : -1.0;
                } else {
                    enter = fmax(enter, step[i] > 0.0 ? low : -high);
                    leave = fmin(leave, step[i] > 0.0 ? high : -low);
                }
            }
            if (t.cells[k] != (enter <= leave))
                fail_msg("turn %d box %d: %d", turn, k, t.cells[k]);
        }
        hits += t.found;
        free(t.cells);
    }
    assert_true(hits > 3000);
    tact_aabb_tree_release(&tree);
    free(boxes);
}

static double try_point(void *context, uint32_t thing, double limit)
{
    search *s = context;
    ++s->visits;
    assert_true(limit <= s->last);
    double d = vec_length(vec_sub(s->a[thing], s->from));
    s->last = d < limit ? d : limit;
    return s->last <= s->stop ? -1.0 : s->last;
}

static double try_points(void *context, uint32_t a, uint32_t b, double limit)
{
    search *s = context;
    ++s->visits;
    assert_true(limit <= s->last);
    double d = vec_length(vec_sub(s->a[a], s->b[b]));
    s->last = d < limit ? d : limit;
    return s->last <= s->stop ? -1.0 : s->last;
}

static void nearest_items_are_found(void **state)
{
    (void)state;
    random_source r = random_seed(12);
    enum { N = 200 };
    long visits = 0, pair_visits = 0;
    int within = 0;
    for (int turn = 0; turn < 90; ++turn) {
        int kind = turn % FRAMES;
        tact_transform transform_a = random_placement(&r, kind), transform_b = random_placement(&r, kind);
        transform_b.origin = vec_add(transform_b.origin, random_in(&r, 2.0));
        box a[N], b[N];
        tact_vec3 world_a[N], world_b[N];
        for (int i = 0; i < N; ++i) {
            tact_vec3 p = random_in(&r, 1.0), q = random_in(&r, 1.0);
            world_a[i] = tact_transform_point(transform_a, p);
            world_b[i] = tact_transform_point(transform_b, q);
            a[i] = tact_box_of_points(&p, 1);
            b[i] = tact_box_of_points(&q, 1);
        }
        aabb_tree ta = built(a, N, AABB_SPLIT_SAH, false), tb = built(b, N, AABB_SPLIT_SAH, false);
        double best_all = INFINITY;
        for (int j = 0; j < N; ++j) {
            double best = INFINITY, limit = j % 4 == 0 ? 0.3 : (double)INFINITY;
            for (int i = 0; i < N; ++i) {
                double d = vec_length(vec_sub(world_a[i], world_b[j]));
                best = d < best ? d : best;
            }
            best_all = best < best_all ? best : best_all;
            if (j >= 20)
                continue;
            search s = {.a = world_a, .from = world_b[j], .last = limit, .stop = -1.0};
            double found = tact_aabb_tree_nearest(&ta, &transform_a, &b[j], &transform_b, limit, try_point, &s);
            if (found != (best < limit ? best : limit))
                fail_msg("turn %d point %d: %.17g, brute force %.17g", turn, j, found, best);
            within += best < limit;
            visits += s.visits;
            if (best < limit) {
                s.last = limit;
                s.stop = best;
                assert_true(tact_aabb_tree_nearest(&ta, &transform_a, &b[j], &transform_b, limit, try_point, &s) ==
                            -1.0);
            }
        }
        search s = {.a = world_a, .b = world_b, .last = INFINITY, .stop = -1.0};
        double found =
            tact_aabb_tree_nearest_pairs(&ta, &transform_a, &tb, &transform_b, (double)INFINITY, try_points, &s);
        if (found != best_all)
            fail_msg("turn %d: %.17g, brute force %.17g", turn, found, best_all);
        pair_visits += s.visits;
        s.last = INFINITY;
        s.stop = best_all;
        assert_true(tact_aabb_tree_nearest_pairs(&ta, &transform_a, &tb, &transform_b, (double)INFINITY, try_points,
                                                 &s) == -1.0);
        tact_aabb_tree_release(&ta);
        tact_aabb_tree_release(&tb);
    }
    assert_true(within > 1000);
    assert_true(visits < 1800L * N / 5 && pair_visits < 90L * N * N / 10);
}

static void empty_trees_report_nothing(void **state)
{
    (void)state;
    box one = {{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    aabb_tree none = built(NULL, 0, AABB_SPLIT_SAH, true), single = built(&one, 1, AABB_SPLIT_SAH, true);
    tact_transform at = tact_identity();
    table t = table_make(1, 1);
    assert_true(
        tact_aabb_tree_pairs(&none, &at, &single, &at, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST, note_pair, &t));
    assert_true(
        tact_aabb_tree_pairs(&single, &at, &none, &at, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST, note_pair, &t));
    assert_true(tact_aabb_tree_pairs_same_frame(&none, &single, note_pair, &t));
    assert_true(tact_aabb_tree_self_pairs(&none, note_pair, &t) && tact_aabb_tree_self_pairs(&single, note_pair, &t));
    assert_true(tact_aabb_tree_overlap(&none, &one, note_thing, &t));
    assert_true(tact_aabb_tree_overlap_transformed(&none, &at, &one, &at, SAT_FACE_AXES, note_thing, &t));
    search s = {.last = 1.0};
    assert_true(tact_aabb_tree_ray(&none, &at, at.origin, at.x_axis, 1.0, try_ball, &s) == 1.0);
    assert_true(tact_aabb_tree_nearest(&none, &at, &one, &at, 1.0, try_point, &s) == 1.0);
    assert_true(tact_aabb_tree_nearest_pairs(&none, &at, &single, &at, 1.0, try_points, &s) == 1.0);
    assert_int_equal(t.found, 0);
    assert_true(
        tact_aabb_tree_pairs(&single, &at, &single, &at, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST, note_pair, &t));
    assert_int_equal(t.found, 1);
    tact_aabb_tree_refit(&none, NULL);
    assert_true(tact_aabb_tree_cost(&none) == 1.0 && !aabb_tree_needs_rebuild(&none));
    free(t.cells);
    tact_aabb_tree_release(&none);
    tact_aabb_tree_release(&single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_all_kinds_are_well_formed),
        cmocka_unit_test(the_same_boxes_give_the_same_tree),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(refitting_gives_the_smallest_boxes),
        cmocka_unit_test(shuffling_items_degrades_the_tree),
        cmocka_unit_test(damage_is_detected),
        cmocka_unit_test(overlaps_in_one_frame_equal_brute_force),
        cmocka_unit_test(transformed_pairs_equal_brute_force),
        cmocka_unit_test(pierced_triangles_are_never_missed),
        cmocka_unit_test(unusable_numbers_miss_nothing),
        cmocka_unit_test(rays_find_the_first_hit),
        cmocka_unit_test(rays_along_faces_equal_brute_force),
        cmocka_unit_test(nearest_items_are_found),
        cmocka_unit_test(empty_trees_report_nothing),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
