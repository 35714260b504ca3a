/*
 * Self-collision of NURBS surfaces. The oracle samples each surface on a dense grid, intersects all pairs of its
 * triangles, and solves S(p) = S(q) from each intersection by Newton's method. Every solution whose points are not
 * neighbours must be in a reported pair of leaves. Updates of the list must give the pairs of a traversal from the
 * root.
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
#include "nurbs/nurbs_self.h"
#include "support/failing_allocator.h"
#include "support/nurbs_bodies.h"
#include "support/nurbs_move.h"
#include "support/random.h"
#include "support/seeded_cases.h"

static const tact_allocator default_allocator = {0};

typedef struct self_body {
    nurbs_body shape;
    nurbs_model *model;
    nurbs_tessellation t;
    nurbs_bounds b;
    nurbs_self self;
} self_body;

static void begin(self_body *body, nurbs_body shape, const tact_allocator *allocator)
{
    tact_report report;
    body->shape = shape;
    body->model = tact_nurbs_model_create(shape.defs, (size_t)shape.count, allocator, &report);
    assert_non_null(body->model);
    assert_true(tact_nurbs_tessellation_init(&body->t, body->model, shape.points, &report));
    assert_true(tact_nurbs_bounds_init(&body->b, &body->t));
    assert_true(tact_nurbs_self_init(&body->self, &body->b));
}

static void end(self_body *body)
{
    tact_nurbs_self_release(&body->self);
    tact_nurbs_bounds_release(&body->b);
    tact_nurbs_tessellation_release(&body->t);
    tact_nurbs_model_free(body->model);
    nurbs_body_free(&body->shape);
}

/* Moves control points to shape.points. */
static nurbs_move move_points(self_body *body, uint32_t first, uint32_t count)
{
    tact_report report;
    const nurbs_move move = move_control_points(&body->t, first, count, body->shape.points + first, &report);
    assert_true(move != NURBS_MOVE_FAILED);
    assert_true(tact_nurbs_bounds_update(&body->b, move));
    return move;
}

/* Updates the list and compares its pairs with those from the root. Returns their number. */
static size_t check_list(self_body *body)
{
    nurbs_self root;
    assert_true(tact_nurbs_self_init(&root, &body->b));
    assert_true(tact_nurbs_self_update(&root, true));
    assert_true(tact_nurbs_self_update(&body->self, false));
    assert_int_equal(root.pairs.count, body->self.pairs.count);
    if (root.pairs.count > 0)
        assert_memory_equal(root.pairs.items, body->self.pairs.items, root.pairs.count * sizeof(nurbs_self_pair));
    tact_nurbs_self_release(&root);
    return body->self.pairs.count;
}

/* ---- the oracle ---- */

enum { DENSE = 26 }; /* samples of a surface along each direction */

typedef struct dense_grid {
    tact_vec3 points[DENSE][DENSE];
    double low[2], high[2]; /* of the domain */
} dense_grid;

static tact_vec3 evaluate(const self_body *body, const double at[2], tact_vec3 derivative[2])
{
    tact_vec3 out[4];
    tact_nurbs_evaluate_at(&body->model->surfaces[0], body->t.points, at[0], at[1], 1, out);
    derivative[0] = out[2];
    derivative[1] = out[1];
    return out[0];
}

static void sample(const self_body *body, dense_grid *g)
{
    const nurbs_surface *s = &body->model->surfaces[0];
    for (int d = 0; d < 2; d++) {
        g->low[d] = s->knots[d][s->degree[d]];
        g->high[d] = s->knots[d][s->counts[d]];
    }
    for (int i = 0; i < DENSE; i++)
        for (int j = 0; j < DENSE; j++) {
            const double at[2] = {g->low[0] + (g->high[0] - g->low[0]) * i / (DENSE - 1.0),
                                  g->low[1] + (g->high[1] - g->low[1]) * j / (DENSE - 1.0)};
            tact_vec3 unused[2];
            g->points[i][j] = evaluate(body, at, unused);
        }
}

/* Triangle k of a grid: its vertices and their parameters. */
static void dense_triangle(const dense_grid *g, int k, tact_vec3 out[3], double centre[2])
{
    static const int steps[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    const int i = k / 2 / (DENSE - 1), j = k / 2 % (DENSE - 1);
    for (int v = 0; v < 3; v++)
        out[v] = g->points[i + steps[k % 2][v][0]][j + steps[k % 2][v][1]];
    centre[0] = g->low[0] + (g->high[0] - g->low[0]) * (i + 0.5) / (DENSE - 1.0);
    centre[1] = g->low[1] + (g->high[1] - g->low[1]) * (j + 0.5) / (DENSE - 1.0);
}

static double volume(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    return vec_dot(vec_cross(vec_sub(b, a), vec_sub(c, a)), vec_sub(d, a));
}

static bool edge_crosses(tact_vec3 p, tact_vec3 q, const tact_vec3 t[3])
{
    if (volume(t[0], t[1], t[2], p) * volume(t[0], t[1], t[2], q) >= 0.0)
        return false;
    const double a = volume(p, q, t[0], t[1]), b = volume(p, q, t[1], t[2]), c = volume(p, q, t[2], t[0]);
    return (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
}

static bool dense_triangles_cross(const tact_vec3 a[3], const tact_vec3 b[3])
{
    for (int i = 0; i < 3; i++)
        if (edge_crosses(a[i], a[(i + 1) % 3], b) || edge_crosses(b[i], b[(i + 1) % 3], a))
            return true;
    return false;
}

/* Solves S(p) = S(q) near p and q: steps of least length, J^T (J J^T)^-1 r for the 3 * 4 matrix J. */
static bool solve(const self_body *body, const dense_grid *g, double p[2], double q[2], double size)
{
    for (int step = 0; step < 30; step++) {
        tact_vec3 dp[2], dq[2];
        const tact_vec3 r = vec_sub(evaluate(body, p, dp), evaluate(body, q, dq));
        if (vec_length(r) < 1e-13 * size)
            return true;
        const tact_vec3 column[4] = {dp[0], dp[1], vec_negate(dq[0]), vec_negate(dq[1])};
        double m[3][4]; /* J J^T, and r */
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                m[i][k] = 0.0;
                for (int c = 0; c < 4; c++)
                    m[i][k] += vec_component(column[c], i) * vec_component(column[c], k);
            }
            m[i][3] = vec_component(r, i);
        }
        for (int i = 0; i < 3; i++) { /* positive definite: no exchange of rows */
            if (!(m[i][i] > 0.0))
                return false;
            for (int l = i + 1; l < 3; l++)
                for (int k = 3; k >= i; k--)
                    m[l][k] -= m[i][k] * m[l][i] / m[i][i];
        }
        double y[3];
        for (int i = 2; i >= 0; i--) {
            y[i] = m[i][3];
            for (int k = i + 1; k < 3; k++)
                y[i] -= m[i][k] * y[k];
            y[i] /= m[i][i];
        }
        double *x[4] = {&p[0], &p[1], &q[0], &q[1]};
        for (int c = 0; c < 4; c++) { /* at most a tenth of the domain, and inside it */
            const double low = g->low[c % 2], high = g->high[c % 2], most = 0.1 * (high - low);
            const double change = vec_dot(column[c], vec_make(y[0], y[1], y[2]));
            *x[c] = fmin(fmax(*x[c] - fmin(fmax(change, -most), most), low), high);
        }
    }
    return false;
}

/* The length of the image of the straight line from p to q. */
static double path_length(const self_body *body, const double p[2], const double q[2])
{
    double length = 0.0;
    tact_vec3 unused[2], last = evaluate(body, p, unused);
    for (int i = 1; i <= 20; i++) {
        const double at[2] = {p[0] + (q[0] - p[0]) * i / 20.0, p[1] + (q[1] - p[1]) * i / 20.0};
        const tact_vec3 next = evaluate(body, at, unused);
        length += vec_length(vec_sub(next, last));
        last = next;
    }
    return length;
}

/* The leaf that contains a point of the first surface. */
static uint32_t leaf_at(const self_body *body, const double at[2])
{
    const nurbs_surface *s = &body->model->surfaces[0];
    const uint32_t span[2] = {tact_nurbs_find_span(s, 0, at[0]), tact_nurbs_find_span(s, 1, at[1])};
    const uint32_t patch = span[0] * s->span_count[1] + span[1];
    double x[2];
    for (int d = 0; d < 2; d++) {
        double low, high;
        nurbs_patch_range(body->model, &body->model->patches[patch], d, &low, &high);
        x[d] = (at[d] - low) / (high - low);
    }
    uint32_t cell = body->t.first_cell[patch];
    while (body->t.cells.items[cell].first_child != 0) {
        unsigned child = 0;
        for (int d = 0; d < 2; d++) {
            x[d] *= 2.0;
            if (x[d] >= 1.0) {
                x[d] -= 1.0;
                child |= 1u << d;
            }
        }
        cell = body->t.cells.items[cell].first_child + child;
    }
    return cell;
}

static bool is_reported(const self_body *body, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < body->self.pairs.count; i++) {
        const nurbs_self_pair *p = &body->self.pairs.items[i];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a))
            return true;
    }
    return false;
}

typedef struct oracle_counts {
    long contacts, neighbours, adjacent, same; /* solutions; those left out; in adjacent leaves; in one leaf */
} oracle_counts;

static void check_solution(const self_body *body, const double p[2], const double q[2], oracle_counts *counts)
{
    if (path_length(body, p, q) <= (NURBS_SELF_NEIGHBOUR + 1.0) * body->model->tolerances[0].cells) {
        counts->neighbours++;
        return;
    }
    const uint32_t a = leaf_at(body, p), b = leaf_at(body, q);
    const nurbs_place x = tact_nurbs_locate(&body->b, a), y = tact_nurbs_locate(&body->b, b);
    counts->contacts++;
    counts->same += a == b;
    counts->adjacent += a != b && nurbs_adjacent(body->model, &x, &y);
    if (!is_reported(body, a, b))
        fail_msg("missed: leaves %u and %u at (%g, %g) and (%g, %g)", a, b, p[0], p[1], q[0], q[1]);
}

static void check_against_oracle(const self_body *body, oracle_counts *counts)
{
    static dense_grid g;
    enum { TRIANGLES = 2 * (DENSE - 1) * (DENSE - 1) };
    static box boxes[TRIANGLES];
    sample(body, &g);
    tact_vec3 a[3], b[3];
    double p[2], q[2], size = 0.0;
    for (int i = 0; i < TRIANGLES; i++) {
        dense_triangle(&g, i, a, p);
        boxes[i] = tact_box_of_points(a, 3);
        size = fmax(size, vec_max_abs(a[0]));
    }
    int solved = 0;
    for (int i = 0; i < TRIANGLES && solved < 60; i++)
        for (int k = i + 1; k < TRIANGLES && solved < 60; k++) {
            if (!box_overlap(&boxes[i], &boxes[k]))
                continue;
            const int di = i / 2 / (DENSE - 1) - k / 2 / (DENSE - 1), dj = i / 2 % (DENSE - 1) - k / 2 % (DENSE - 1);
            if (di >= -1 && di <= 1 && dj >= -1 && dj <= 1) /* share a vertex */
                continue;
            dense_triangle(&g, i, a, p);
            dense_triangle(&g, k, b, q);
            if (!dense_triangles_cross(a, b))
                continue;
            const long before = counts->contacts;
            if (solve(body, &g, p, q, size))
                check_solution(body, p, q, counts);
            solved += counts->contacts > before;
        }
}

/* ---- tests ---- */

/* Random surfaces, deformed at random. */
static void nothing_is_missed(void **state)
{
    (void)state;
    oracle_counts counts = {0};
    long touching = 0, clear = 0, moves[3] = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(8, 1200); ++seed) {
        random_source r = random_seed(seed);
        const int degree = random_between(&r, 1, 4);
        const size_t n = (size_t)random_between(&r, degree + 1, degree + 4),
                     m = (size_t)random_between(&r, degree + 1, degree + 4);
        nurbs_body shape = nurbs_body_sheet(degree, n, m, exp2(-random_range(&r, 6.0, 9.5)));
        double weights[64];
        if (random_chance(&r, 0.3)) {
            for (size_t i = 0; i < n * m; i++)
                weights[i] = random_range(&r, 0.3, 3.0);
            shape.defs[0].weights = weights;
        }
        const double wild = random_range(&r, 0.05, 0.6);
        for (size_t i = 0; i < n * m; i++)
            shape.points[i] = vec_add(shape.points[i], vec_scale(random_direction(&r), wild * random_unit(&r)));
        self_body body;
        begin(&body, shape, &default_allocator);
        for (int frame = 0; frame < 4; frame++) {
            const size_t pairs = check_list(&body);
            touching += pairs > 0;
            clear += pairs == 0;
            check_against_oracle(&body, &counts);
            const uint32_t first = (uint32_t)random_below(&r, n * m),
                           count = 1 + (uint32_t)random_below(&r, n * m - first);
            const double amount = random_chance(&r, 0.5) ? 0.01 : 0.3;
            for (uint32_t i = first; i < first + count; i++)
                body.shape.points[i] =
                    vec_add(body.shape.points[i], vec_scale(random_direction(&r), amount * random_unit(&r)));
            moves[move_points(&body, first, count)]++;
        }
        end(&body);
    }
    if (!few_cases()) {
        print_message("%ld contacts, %ld neighbours, %ld in adjacent leaves, %ld in one leaf; %ld frames with pairs, "
                      "%ld without\n",
                      counts.contacts, counts.neighbours, counts.adjacent, counts.same, touching, clear);
        assert_true(counts.contacts > 25 && touching > 4 && clear > 8);
        assert_true(moves[NURBS_MOVE_POSITIONS] > 0 && moves[NURBS_MOVE_CELLS] > 10);
    }
}

/* The bits of the paper (Lau, Chan, Luk and Li 2002, 5.1): directions with positive products with the normals of all
 * polygons of a node. */
static uint32_t normal_bits(const nurbs_bounds *b, uint32_t node)
{
    uint32_t bits = (1u << 14) - 1;
    if ((node & NURBS_GROUP) != 0)
        return normal_bits(b, nurbs_group_child(b, node & ~NURBS_GROUP, 0)) &
               normal_bits(b, nurbs_group_child(b, node & ~NURBS_GROUP, 1));
    const nurbs_cell *cell = &b->t->cells.items[node];
    for (uint32_t k = 0; k < 4 && cell->first_child != 0; k++)
        bits &= normal_bits(b, cell->first_child + k);
    for (uint32_t i = 0; i < cell->triangle_count && cell->first_child == 0; i++) {
        const uint32_t *v = b->t->triangles.items[cell->first_triangle + i].vertex;
        const tact_vec3 *at = b->t->positions;
        const tact_vec3 n = vec_cross(vec_sub(at[v[1]], at[v[0]]), vec_sub(at[v[2]], at[v[0]]));
        for (unsigned k = 0; k < 14; k++) { /* 6 faces and 8 corners of a cube */
            const double sign = k % 2 == 0 ? 1.0 : -1.0;
            const double product = k < 6 ? sign * (k < 2   ? n.x
                                                   : k < 4 ? n.y
                                                           : n.z)
                                         : sign * (n.x + (k < 10 ? n.y : -n.y) + (k / 2 % 2 == 0 ? n.z : -n.z));
            if (!(product > 0.0))
                bits &= ~(1u << k);
        }
    }
    return bits;
}

/* The test of the paper, bits of normals alone, traversed as there. Does it find a contact? */
static bool paper_finds(const nurbs_bounds *b, uint32_t a, uint32_t c)
{
    const nurbs_node *p = nurbs_node_at(b, a), *q = nurbs_node_at(b, c);
    const nurbs_place x = tact_nurbs_locate(b, a), y = tact_nurbs_locate(b, c);
    const bool close = a == c || nurbs_adjacent(b->t->model, &x, &y);
    if (close ? (normal_bits(b, a) & normal_bits(b, c)) != 0 : !box_overlap(&p->box, &q->box))
        return false;
    const nurbs_cell *cells = b->t->cells.items;
    const uint32_t open = (a & NURBS_GROUP) != 0 || ((c & NURBS_GROUP) == 0 && cells[a].first_child != 0) ? a : c,
                   kept = open == a ? c : a;
    uint32_t child[4];
    unsigned count = 0;
    if ((open & NURBS_GROUP) != 0)
        for (; count < 2; count++)
            child[count] = nurbs_group_child(b, open & ~NURBS_GROUP, (int)count);
    else if (cells[open].first_child != 0)
        for (; count < 4; count++)
            child[count] = cells[open].first_child + count;
    else
        return !close;
    for (unsigned i = 0; i < count; i++) {
        if (a != c && paper_finds(b, child[i], kept))
            return true;
        for (unsigned k = i; k < count && a == c; k++)
            if (paper_finds(b, child[i], child[k]))
                return true;
    }
    return false;
}

/* Ramps that turn more than once and cross themselves, with all normals within a cone about +z. */
static void folds_within_a_half_space_are_found(void **state)
{
    (void)state;
    oracle_counts counts = {0};
    int missed_by_bits = 0, free_ramps = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(15, 300); ++seed) {
        random_source r = random_seed(seed);
        const size_t n = 24, m = (size_t)random_between(&r, 4, 6);
        const double turns = random_range(&r, 1.4, 1.7), slope = random_range(&r, 0.1, 0.3);
        /* the heights one turn apart differ by slope - fall * over, over in [2 - turns, 1] */
        const bool crosses = seed % 3 != 0;
        nurbs_body shape = nurbs_body_sheet(3, n, m, 0.01);
        nurbs_body_ramp_points(&shape, n, m, turns, slope, crosses ? slope * random_range(&r, 1.1, 1.5) : 0.0);
        self_body body;
        begin(&body, shape, &default_allocator);
        const uint32_t root = nurbs_root_node(&body.b);
        const size_t pairs = check_list(&body);
        const long before = counts.contacts;
        check_against_oracle(&body, &counts);
        if (counts.contacts > before) {
            assert_true(pairs > 0);
            if (normal_bits(&body.b, root) != 0 && !paper_finds(&body.b, root, root))
                missed_by_bits++;
        } else if (pairs == 0) {
            free_ramps++;
        }
        end(&body);
    }
    if (!few_cases()) {
        print_message("%ld contacts; %d ramps missed by bits of normals alone, %d free\n", counts.contacts,
                      missed_by_bits, free_ramps);
        assert_true(missed_by_bits >= 5 && free_ramps >= 4 && counts.contacts > 200);
    }
}

/* Two bilinear patches that share an edge and cross along a line that begins there: contacts in adjacent leaves. */
static void adjacent_leaves_are_compared(void **state)
{
    (void)state;
    oracle_counts counts = {0};
    for (int i = 0; i < 4; i++) {
        nurbs_body shape = nurbs_body_sheet(1, 3, 2, 0.04 / (1 << i));
        const double twist = 0.3, tilt = 0.05 * i;
        const tact_vec3 points[6] = {
            {1, 0, -twist + tilt}, {1, 1, twist + tilt}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}};
        memcpy(shape.points, points, sizeof points);
        self_body body;
        begin(&body, shape, &default_allocator);
        assert_true(check_list(&body) > 0);
        check_against_oracle(&body, &counts);
        end(&body);
    }
    print_message("%ld contacts, %ld in adjacent leaves\n", counts.contacts, counts.adjacent);
    assert_true(counts.contacts > 24 && counts.adjacent > 2);
}

static size_t pairs_of(nurbs_body shape)
{
    self_body body;
    begin(&body, shape, &default_allocator);
    const size_t pairs = check_list(&body);
    end(&body);
    return pairs;
}

static void closed_bodies_do_not_touch_themselves(void **state)
{
    (void)state;
    for (int i = 1; i <= 4; i++) {
        const double tolerance = 0.1 / (1 << i);
        assert_int_equal(pairs_of(nurbs_body_sheet(3, 6, 6, tolerance)), 0);
        assert_int_equal(pairs_of(nurbs_body_torus(3, 9, 8, tolerance)), 0);
        assert_int_equal(pairs_of(nurbs_body_cube(2, 4, 0.3, tolerance)), 0);
        assert_int_equal(pairs_of(nurbs_body_star(3, 2, 4, tolerance)), 0);
        assert_int_equal(pairs_of(nurbs_body_star(5, 3, 5, tolerance)), 0);
        assert_int_equal(pairs_of(nurbs_body_star(8, 3, 4, tolerance)), 0);
    }
}

static void a_sphere_does_not_touch_itself(void **state)
{
    (void)state;
    for (int i = 1; i <= (long_form() ? 3 : 2); i++) {
        const double tolerance = 0.1 / (1 << i);
        assert_int_equal(pairs_of(nurbs_body_tube(3, 9, 7, 0.0, 0.0, tolerance)), 0);
        assert_int_equal(pairs_of(nurbs_body_tube(2, 7, 5, 0.0, 1.0, tolerance)), 0);
    }
}

/* A body of many surfaces, each far from the others but for its neighbours: units grow with the patches, not their
 * square. */
static void many_patches_need_few_units(void **state)
{
    (void)state;
    uint64_t tested[2];
    for (int i = 0; i < 2; i++) {
        const size_t n = i == 0 ? 23 : 43;                                      /* 20^2 and 40^2 patches */
        nurbs_body shape = nurbs_body_sheet(3, n, n, i == 0 ? 0.001 : 0.00025); /* leaves of one level */
        for (size_t k = 0; k < n * n; k++) /* half a cylinder and more: the root is not free */
            shape.points[k] = vec_make(sin(5.0 * shape.points[k].x), shape.points[k].y, cos(5.0 * shape.points[k].x));
        self_body body;
        begin(&body, shape, &default_allocator);
        assert_int_equal(check_list(&body), 0);
        const nurbs_self_counts *c = &body.self.counts;
        tested[i] = c->tested[0] + c->tested[1] + c->tested[2];
        end(&body);
    }
    assert_true(tested[1] < 6 * tested[0]); /* 16 for the square */
}

static void out_of_memory_leaves_the_list_usable(void **state)
{
    (void)state;
    int failures = 0;
    for (long fail = 1; fail < 60; fail++) {
        failing_allocator memory = {0};
        const tact_allocator allocator = failing_allocator_make(&memory);
        nurbs_body shape = nurbs_body_sheet(3, 20, 4, 0.02);
        nurbs_body_ramp_points(&shape, 20, 4, 1.4, 0.3, 0.5);
        self_body body;
        begin(&body, shape, &allocator);
        memory.fail_at = memory.calls + fail;
        bool fine = tact_nurbs_self_update(&body.self, false);
        if (fine) {
            nurbs_body_ramp_points(&body.shape, 20, 4, 1.5, 0.4, 0.6);
            const long left = memory.fail_at - memory.calls;
            memory.fail_at = 0;
            move_points(&body, 0, 80);
            memory.fail_at = memory.calls + left;
            fine = tact_nurbs_self_update(&body.self, false);
        }
        memory.fail_at = 0;
        failures += !fine;
        assert_true(check_list(&body) > 0);
        end(&body);
        assert_int_equal(memory.held, 0);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_missed),
        cmocka_unit_test(folds_within_a_half_space_are_found),
        cmocka_unit_test(adjacent_leaves_are_compared),
        cmocka_unit_test(closed_bodies_do_not_touch_themselves),
        cmocka_unit_test(a_sphere_does_not_touch_itself),
        cmocka_unit_test(many_patches_need_few_units),
        cmocka_unit_test(out_of_memory_leaves_the_list_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
