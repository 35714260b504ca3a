/*
 * Bounds of NURBS tessellations: boxes contain the surface and fields hold for its derivatives and normals, at random
 * points of random surfaces; moved bounds equal new ones; adjacency equals that of shared vertices; memory that runs
 * out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec.h"
#include "nurbs/nurbs_adjacency.h"
#include "nurbs/nurbs_nodes.h"
#include "oracle/nurbs_cases.h"
#include "support/failing_allocator.h"
#include "support/nurbs_bodies.h"
#include "support/nurbs_move.h"
#include "support/random.h"
#include "support/seeded_cases.h"

static const tact_allocator default_allocator = {0};

/* ---- directions of the fields: see nurbs_bounds.h; of length 1, or 0 if unused ---- */

static const double directions[NURBS_DIRECTIONS][3] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}, {1, 1, 1},  {-1, 1, 1}, {1, -1, 1}, {1, 1, -1},
    {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}, {0, 1, -1}, {-1, 0, 1}, {1, -1, 0}, {0, 0, 0},
};

static tact_vec3 tangent_direction(int k)
{
    const double *d = directions[k % NURBS_DIRECTIONS];
    const tact_vec3 direction = {d[0], d[1], d[2]};
    const double length = vec_length(direction);
    return length == 0.0 ? direction : vec_scale(direction, (k < NURBS_DIRECTIONS ? 1.0 : -1.0) / length);
}

/* ---- bodies ---- */

/* A model with its tessellation and bounds. */
typedef struct bounded_body {
    nurbs_model *model;
    nurbs_tessellation t;
    nurbs_bounds b;
} bounded_body;

static bool make_bounded(bounded_body *body, const tact_nurbs_def *defs, size_t count, const tact_vec3 *points)
{
    tact_report report;
    body->model = tact_nurbs_model_create(defs, count, &default_allocator, &report);
    if (body->model == NULL)
        fail_msg("%s", report.text);
    if (!tact_nurbs_tessellation_init(&body->t, body->model, points, &report)) {
        tact_nurbs_model_free(body->model);
        return false;
    }
    assert_true(tact_nurbs_bounds_init(&body->b, &body->t));
    return true;
}

static void free_bounded(bounded_body *body)
{
    tact_nurbs_bounds_release(&body->b);
    tact_nurbs_tessellation_release(&body->t);
    tact_nurbs_model_free(body->model);
}

static double largest_coordinate(const nurbs_tessellation *t)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < nurbs_point_count(t->model); i++)
        largest = fmax(largest, vec_max_abs(t->points[i]));
    return largest;
}

typedef struct field_counts {
    long samples, tangents, injective;
} field_counts;

static double component(tact_vec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

/* The box and the fields of a cell at a random point of it. */
static void check_cell_at(const bounded_body *body, uint32_t cell, random_source *r, double largest,
                          field_counts *counts)
{
    const nurbs_cell *c = &body->t.cells.items[cell];
    const nurbs_patch *p = &body->model->patches[c->patch];
    const nurbs_surface *surface = &body->model->surfaces[p->surface];
    const nurbs_node *node = &body->b.cells[cell];
    double at[2];
    for (int d = 0; d < 2; d++) {
        double low, high;
        nurbs_patch_range(body->model, p, d, &low, &high);
        if (!(high - low > 1e-8 * fmax(fabs(low), fabs(high)))) /* parameters inside it have no digits */
            return;
        const double x = random_chance(r, 0.3) ? (double)random_below(r, 2) : random_unit(r);
        at[d] = low + (high - low) * ldexp((d == 0 ? c->x : c->y) + x, -c->level);
        if (at[d] >= high) /* the end belongs to the next span */
            at[d] = nextafter(high, low);
    }
    tact_vec3 out[9];
    tact_nurbs_evaluate_at(surface, body->t.points + body->model->first_point[p->surface], at[0], at[1], 1, out);
    const double fuzz = 1e-12 * largest;
    for (int k = 0; k < 3; k++) {
        assert_true(component(out[0], k) >= (double)node->box.min[k] - fuzz);
        assert_true(component(out[0], k) <= (double)node->box.max[k] + fuzz);
    }
    counts->samples++;
    /* derivatives relative to the patch; a knot interval of one unit in the last place has inaccurate ones */
    tact_vec3 tangent[2] = {out[2], out[1]};
    for (int d = 0; d < 2; d++) {
        double low, high;
        nurbs_patch_range(body->model, p, d, &low, &high);
        tangent[d] = vec_scale(tangent[d], high - low);
        for (int k = 0; k < 2 * NURBS_DIRECTIONS; k++)
            if ((node->tangents[d] >> k & 1) != 0) {
                assert_true(vec_dot(tangent[d], tangent_direction(k)) > -1e-10 * largest);
                assert_true(vec_length(tangent_direction(k)) > 0.99);
                counts->tangents++;
            }
    }
    counts->injective += nurbs_node_is_injective(node);
}

static void boxes_and_fields_hold(void **state)
{
    (void)state;
    static nurbs_case c;
    field_counts counts = {0};
    int cases = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(50, 12000); ++seed) {
        random_source r = random_seed(seed);
        nurbs_case_make(&c, &r, TACT_NURBS_MAX_DEGREE);
        double extent = 0.0;
        for (size_t i = 0; i < (size_t)c.def.counts[0] * c.def.counts[1]; i++)
            extent = fmax(extent, vec_max_abs(vec_sub(c.points[i], c.points[0])));
        c.def.tolerance = extent * exp2(-random_range(&r, 1.0, 8.0)) + 1e-200;
        bounded_body body;
        if (!make_bounded(&body, &c.def, 1, c.points))
            continue;
        cases++;
        const double largest = largest_coordinate(&body.t);
        for (int i = 0; i < 200 && largest > 0.0; i++)
            check_cell_at(&body, (uint32_t)random_below(&r, body.t.cells.count), &r, largest, &counts);
        free_bounded(&body);
    }
    if (!few_cases()) {
        assert_true(cases > 30);
        assert_true(counts.samples > 4000 && counts.tangents > 4000 && counts.injective > 80);
    }
}

/* The bodies with seams, poles and unusual corners. */
static nurbs_body make_body(int kind, random_source *r)
{
    const double tolerance = random_range(r, 0.01, 0.1);
    switch (kind) {
    case 0:
        return nurbs_body_sheet(3, 6, 5, tolerance);
    case 1:
        return nurbs_body_tube(3, 7, 6, 0.0, 0.0, tolerance);
    case 2:
        return nurbs_body_tube(2, 6, 4, 1.0, 0.0, tolerance);
    case 3:
        return nurbs_body_torus(3, 8, 7, tolerance);
    case 4:
        return nurbs_body_cube(2, 4, 0.5, tolerance);
    case 5:
        return nurbs_body_star(5, 3, 5, tolerance);
    case 6:
        return nurbs_body_star(3, 2, 4, tolerance);
    default:
        return nurbs_body_torus(1, 4, 4, tolerance);
    }
}
enum { BODY_KINDS = 8 };

static void check_equals_new(const bounded_body *body)
{
    bounded_body fresh = {.model = body->model};
    tact_report report;
    assert_true(tact_nurbs_tessellation_init(&fresh.t, body->model, body->t.points, &report));
    assert_true(tact_nurbs_bounds_init(&fresh.b, &fresh.t));
    assert_int_equal(fresh.b.cell_count, body->b.cell_count);
    assert_memory_equal(fresh.b.cells, body->b.cells, body->b.cell_count * sizeof *body->b.cells);
    if (body->model->patch_count > 1)
        assert_memory_equal(fresh.b.group_nodes, body->b.group_nodes,
                            (body->model->patch_count - 1) * sizeof(nurbs_node));
    tact_nurbs_bounds_release(&fresh.b);
    tact_nurbs_tessellation_release(&fresh.t);
}

/* Boxes of groups contain those of their patches, and fields are subsets. */
static void check_groups(const bounded_body *body)
{
    for (uint32_t g = 0; g + 1 < body->model->patch_count; g++)
        for (int k = 0; k < 2; k++) {
            const nurbs_node *above = &body->b.group_nodes[g],
                             *below = nurbs_node_at(&body->b, nurbs_group_child(&body->b, g, k));
            assert_true(box_contains(&above->box, &below->box));
            for (int d = 0; d < 2; d++)
                assert_int_equal(above->tangents[d] & ~below->tangents[d], 0);
        }
}

static void moved_bounds_equal_new_ones(void **state)
{
    (void)state;
    long positions = 0, cells = 0, kept = 0;
    field_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(12, 1500); ++seed) {
        random_source r = random_seed(seed);
        nurbs_body shape = make_body((int)(seed % BODY_KINDS), &r);
        bounded_body body;
        assert_true(make_bounded(&body, shape.defs, (size_t)shape.count, shape.points));
        for (int move = 0; move < (long_form() ? 12 : quick_form() ? 2 : 4); move++) {
            const uint32_t first = (uint32_t)random_below(&r, shape.point_count);
            const uint32_t most = (uint32_t)shape.point_count - first,
                           count = random_chance(&r, 0.7) ? 1 : 1 + (uint32_t)random_below(&r, most);
            const double amount = random_chance(&r, 0.5) ? 1e-3 : 0.5;
            for (uint32_t i = first; i < first + count; i++)
                shape.points[i] = vec_add(body.t.points[i], vec_scale(random_direction(&r), amount * random_unit(&r)));
            tact_report report;
            const nurbs_move done = move_control_points(&body.t, first, count, shape.points + first, &report);
            assert_true(done != NURBS_MOVE_FAILED);
            assert_true(tact_nurbs_bounds_update(&body.b, done));
            positions += done == NURBS_MOVE_POSITIONS;
            cells += done == NURBS_MOVE_CELLS;
            for (uint32_t i = 0; i < body.model->patch_count; i++)
                kept += body.b.patch_version[i] != body.b.version;
            check_equals_new(&body);
            check_groups(&body);
            const double largest = largest_coordinate(&body.t) + 1e-300;
            for (int i = 0; i < 50; i++)
                check_cell_at(&body, (uint32_t)random_below(&r, body.t.cells.count), &r, largest, &counts);
        }
        free_bounded(&body);
        nurbs_body_free(&shape);
    }
    if (!few_cases())
        assert_true(positions > 8 && cells > 8 && kept > 33 && counts.injective > 500);
}

/* ---- adjacency ---- */

/* Leaves below a cell share a vertex with those below another. `marks` has room for the vertices. */
static void mark_vertices(const nurbs_tessellation *t, uint32_t cell, uint8_t *marks)
{
    const nurbs_cell *c = &t->cells.items[cell];
    for (uint32_t k = 0; k < 4 && c->first_child != 0; k++)
        mark_vertices(t, c->first_child + k, marks);
    for (uint32_t i = 0; i < c->triangle_count && c->first_child == 0; i++)
        for (int k = 0; k < 3; k++)
            marks[t->triangles.items[c->first_triangle + i].vertex[k]] = 1;
}

static bool contains(const nurbs_tessellation *t, uint32_t outer, uint32_t inner)
{
    const nurbs_cell *a = &t->cells.items[outer], *b = &t->cells.items[inner];
    return a->patch == b->patch && a->level <= b->level && b->x >> (b->level - a->level) == a->x &&
           b->y >> (b->level - a->level) == a->y;
}

static void adjacency_equals_shared_vertices(void **state)
{
    (void)state;
    long adjacent = 0, across = 0, apart = 0, levels = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(12, 1500); ++seed) {
        random_source r = random_seed(seed);
        nurbs_body shape = make_body((int)(seed % BODY_KINDS), &r);
        for (size_t i = 0; i < shape.point_count && shape.count == 1 && seed % BODY_KINDS == 0; i++)
            shape.points[i].z += 0.5 * random_unit(&r);
        bounded_body body;
        assert_true(make_bounded(&body, shape.defs, (size_t)shape.count, shape.points));
        const nurbs_tessellation *t = &body.t;
        uint8_t *marks[2] = {malloc(t->vertices.count), malloc(t->vertices.count)};
        for (int i = 0; i < 400; i++) {
            const uint32_t a = (uint32_t)random_below(&r, t->cells.count),
                           b = (uint32_t)random_below(&r, t->cells.count);
            if (contains(t, a, b) || contains(t, b, a))
                continue;
            bool expected = false;
            memset(marks[0], 0, t->vertices.count), memset(marks[1], 0, t->vertices.count);
            mark_vertices(t, a, marks[0]), mark_vertices(t, b, marks[1]);
            for (size_t v = 0; v < t->vertices.count; v++)
                expected |= marks[0][v] && marks[1][v];
            const nurbs_place p = tact_nurbs_locate(&body.b, a), q = tact_nurbs_locate(&body.b, b);
            assert_int_equal(nurbs_adjacent(body.model, &p, &q), expected);
            assert_int_equal(nurbs_adjacent(body.model, &q, &p), expected);
            adjacent += expected;
            apart += !expected;
            across += expected && p.patch != q.patch;
            levels += expected && t->cells.items[a].level != t->cells.items[b].level;
        }
        free(marks[0]), free(marks[1]);
        free_bounded(&body);
        nurbs_body_free(&shape);
    }
    if (!few_cases())
        assert_true(adjacent > 166 && across > 83 && apart > 500 && levels > 33);
}

static void out_of_memory_leaves_bounds_usable(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    for (long fail = 1, done = 0; !done; fail++) {
        failing_allocator memory = {0};
        const tact_allocator allocator = failing_allocator_make(&memory);
        nurbs_body shape = make_body(4, &r);
        tact_report report;
        nurbs_model *model = tact_nurbs_model_create(shape.defs, (size_t)shape.count, &allocator, &report);
        nurbs_tessellation t;
        nurbs_bounds b;
        assert_non_null(model);
        assert_true(tact_nurbs_tessellation_init(&t, model, shape.points, &report));
        memory.fail_at = memory.calls + fail;
        if (!tact_nurbs_bounds_init(&b, &t)) {
            memory.fail_at = 0;
            assert_true(tact_nurbs_bounds_init(&b, &t));
        } else {
            memory.fail_at = 0;
            const uint32_t count = nurbs_point_count(model);
            for (uint32_t i = 0; i < count; i++)
                shape.points[i] = vec_scale(shape.points[i], 1.0 + 3.0 * sin(i));
            const nurbs_move move = move_control_points(&t, 0, count, shape.points, &report);
            assert_int_equal(move, NURBS_MOVE_CELLS);
            memory.fail_at = memory.calls + 1 + (fail % 3);
            const bool updated = tact_nurbs_bounds_update(&b, move);
            memory.fail_at = 0;
            if (!updated)
                assert_true(tact_nurbs_bounds_update(&b, NURBS_MOVE_POSITIONS));
            done = fail > 20;
        }
        assert_int_equal(b.cell_count, t.cells.count);
        tact_nurbs_bounds_release(&b);
        tact_nurbs_tessellation_release(&t);
        tact_nurbs_model_free(model);
        nurbs_body_free(&shape);
        assert_int_equal(memory.held, 0);
    }
}

/* Flat cells so small that products of their sides, and the sides themselves, are subnormal floats: a direction whose
 * sign rounding could change is not set. */
static void fields_of_tiny_cells_hold(void **state)
{
    (void)state;
    random_source r = random_seed(77);
    for (int i = 0; i < 20000; i++) {
        const double size = ldexp(1.0, -random_between(&r, 60, 150));
        const tact_vec3 a = vec_scale(random_direction(&r), size), b = vec_scale(random_direction(&r), size);
        const tact_vec3 corners[4] = {{0.0, 0.0, 0.0}, a, vec_add(a, b), b};
        nurbs_node node = {0};
        tact_nurbs_node_of_corners(corners, 0.0, 0.0, size, &node);
        const tact_vec3 sides[2] = {vec_scale(a, 1.0 / size), vec_scale(b, 1.0 / size)};
        for (int d = 0; d < 2; d++)
            for (int k = 0; k < 2 * NURBS_DIRECTIONS; k++)
                assert_true((node.tangents[d] >> k & 1) == 0 || vec_dot(sides[d], tangent_direction(k)) > -1e-12);
    }
}

/* Code compiled for AVX2 gives the same bits, for cells of all sizes and errors. */
static void leaves_do_not_depend_on_the_processor(void **state)
{
    (void)state;
#if TACT_HAVE_AVX2
    if (!TACT_CPU_HAS_AVX2)
        skip();
    random_source r = random_seed(78);
    long large = 0, fields = 0;
    for (int i = 0; i < 20000; i++) {
        const double size = ldexp(1.0, random_between(&r, -300, 300)), error = size * random_unit(&r) * 0.05;
        tact_vec3 corners[4];
        const tact_vec3 *p[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = vec_scale(random_direction(&r), size * random_unit(&r));
            p[k] = &corners[k];
        }
        const nurbs_leaf_frame frame = tact_nurbs_leaf_frame(1e-3 * error, size);
        nurbs_node node[2];
        tact_nurbs_set_leaf_node(p, error, &frame, &node[0]);
        tact_nurbs_set_leaf_node_avx2(p, error, &frame, &node[1]);
        assert_memory_equal(&node[0], &node[1], sizeof node[0]);
        large += !frame.in_range;
        fields += (node[0].tangents[0] | node[0].tangents[1]) != 0;
    }
    assert_true(large > 1000 && fields > 1000);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_and_fields_hold),
        cmocka_unit_test(moved_bounds_equal_new_ones),

        cmocka_unit_test(adjacency_equals_shared_vertices),
        cmocka_unit_test(out_of_memory_leaves_bounds_usable),
        cmocka_unit_test(fields_of_tiny_cells_hold),
        cmocka_unit_test(leaves_do_not_depend_on_the_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
