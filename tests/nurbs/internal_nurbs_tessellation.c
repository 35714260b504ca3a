/*
 * Tessellations of NURBS models: the proved error against points of the surfaces computed in another way (long double,
 * by the definition of B-splines), closed surfaces without cracks, moves of control points against a new tessellation,
 * memory that runs out.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec.h"
#include "nurbs/nurbs_tessellation.h"
#include "oracle/nurbs_cases.h"
#include "oracle/nurbs_models.h"
#include "support/failing_allocator.h"
#include "support/nurbs_move.h"
#include "support/random.h"
#include "support/seeded_cases.h"

static const tact_allocator default_allocator = {0};

/* The case that runs: printed if it fails. */
static uint64_t current_seed;

static int print_seed(void **state)
{
    (void)state;
    if (current_seed != 0)
        print_message("last case: TACT_TEST_SEED=%llu\n", (unsigned long long)current_seed);
    current_seed = 0;
    return 0;
}

/* ---- the surface in long double ---- */

/* N_i,degree(t) by the definition, right-continuous except at the end of the domain. */
static long double basis(const double *knots, int i, int degree, long double t, long double end)
{
    if (degree == 0) {
        const bool last = t == end && (long double)knots[i + 1] == end && knots[i] < knots[i + 1];
        return (knots[i] <= t && t < knots[i + 1]) || last ? 1.0L : 0.0L;
    }
    const long double left = (long double)knots[i + degree] - knots[i],
                      right = (long double)knots[i + degree + 1] - knots[i + 1];
    long double sum = 0.0L;
    if (left > 0.0L)
        sum += (t - knots[i]) / left * basis(knots, i, degree - 1, t, end);
    if (right > 0.0L)
        sum += (knots[i + degree + 1] - t) / right * basis(knots, i + 1, degree - 1, t, end);
    return sum;
}

/* The point of a def at long double parameters. Only the control points `first` to `first + degree` in each direction
 * have influence. */
static tact_vec3 point_at(const tact_nurbs_def *def, const uint32_t first[2], const long double t[2])
{
    long double n[2][NURBS_MAX_ORDER], sum[3] = {0}, total = 0.0L;
    for (int d = 0; d < 2; ++d)
        for (int i = 0; i <= def->degree[d]; ++i)
            n[d][i] = basis(def->knots[d], (int)first[d] + i, def->degree[d], t[d], def->knots[d][def->counts[d]]);
    for (int i = 0; i <= def->degree[0]; ++i)
        for (int j = 0; j <= def->degree[1]; ++j) {
            const size_t k = (first[0] + (size_t)i) * def->counts[1] + first[1] + (size_t)j;
            const long double w = n[0][i] * n[1][j] * (def->weights != NULL ? def->weights[k] : 1.0);
            sum[0] += w * def->points[k].x, sum[1] += w * def->points[k].y, sum[2] += w * def->points[k].z;
            total += w;
        }
    return vec_make((double)(sum[0] / total), (double)(sum[1] / total), (double)(sum[2] / total));
}

/* ---- distance of a point and a triangle (Ericson 2005, 5.1.5) ---- */

static double point_segment(tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 ab = vec_sub(b, a);
    const double square = vec_length_squared(ab);
    const double t = square > 0.0 ? fmin(1.0, fmax(0.0, vec_dot(vec_sub(p, a), ab) / square)) : 0.0;
    return vec_length(vec_sub(p, vec_mul_add(a, t, ab)));
}

static double point_triangle(tact_vec3 p, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    double best = fmin(point_segment(p, a, b), fmin(point_segment(p, b, c), point_segment(p, c, a)));
    const tact_vec3 n = vec_cross(vec_sub(b, a), vec_sub(c, a));
    const double square = vec_length_squared(n);
    if (square > 0.0 && vec_dot(vec_cross(vec_sub(b, a), vec_sub(p, a)), n) >= 0.0 &&
        vec_dot(vec_cross(vec_sub(c, b), vec_sub(p, b)), n) >= 0.0 &&
        vec_dot(vec_cross(vec_sub(a, c), vec_sub(p, c)), n) >= 0.0)
        best = fmin(best, fabs(vec_dot(vec_sub(p, a), n)) / sqrt(square));
    return best;
}

/* ---- the error ---- */

typedef struct error_counts {
    int rational, degree[NURBS_MAX_ORDER], adaptive, fans, samples, tight, refused;
} error_counts;

static double half_extent(const nurbs_case *c)
{
    tact_vec3 low = c->points[0], high = c->points[0];
    for (size_t i = 0; i < c->def.counts[0] * c->def.counts[1]; ++i) {
        const tact_vec3 p = c->points[i];
        low = vec_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = vec_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return 0.5 * vec_max_abs(vec_sub(high, low));
}

static void check_cell(const nurbs_tessellation *t, const nurbs_case *c, uint32_t cell, random_source *r,
                       error_counts *n)
{
    const nurbs_cell *q = &t->cells.items[cell];
    const nurbs_patch *p = &t->model->patches[q->patch];
    const nurbs_surface *s = &t->model->surfaces[0];
    long double at[2];
    uint32_t first[2];
    for (int d = 0; d < 2; ++d) {
        double low, high;
        nurbs_patch_range(t->model, p, d, &low, &high);
        if (LDBL_EPSILON * fmax(fabs(low), fabs(high)) > 1e-4 * ldexp(high - low, -q->level))
            return; /* a span of a few units of rounding: the parameter of the oracle is not accurate enough */
        const double inside = random_below(r, 4) == 0 ? (double)random_below(r, 2) : random_unit(r);
        const long double local = ldexpl((long double)(d == 0 ? q->x : q->y) + inside, -q->level);
        at[d] = low + ((long double)high - low) * local;
        first[d] = s->spans[d][p->span[d]] - (uint32_t)s->degree[d];
    }
    for (int d = 0; d < 2; ++d) /* the last point of a span belongs to the next one */
        if (at[d] >= s->knots[d][s->spans[d][p->span[d]] + 1] && p->span[d] + 1 < s->span_count[d])
            return;
    const double scale = ldexp(1.0, -ilogb(half_extent(c))); /* squares of any size are fine */
    const tact_vec3 point = vec_scale(point_at(&c->def, first, at), scale);
    double distance = INFINITY;
    for (uint32_t i = 0; i < q->triangle_count; ++i) {
        const uint32_t *v = t->triangles.items[q->first_triangle + i].vertex;
        distance =
            fmin(distance, point_triangle(point, vec_scale(t->positions[v[0]], scale),
                                          vec_scale(t->positions[v[1]], scale), vec_scale(t->positions[v[2]], scale)));
    }
    if (q->triangle_count == 0)
        return; /* a cell that is a point or a line of a degenerate surface */
    if (!(distance <= t->error * scale))
        fail_msg("a point of cell %u is %g from its triangles, not %g", cell, distance / scale, t->error);
    ++n->samples;
    n->tight += distance > 0.25 * q->error * scale && q->error > 0.0;
}

static void check_errors(random_source *r, error_counts *n)
{
    nurbs_case c;
    nurbs_case_make(&c, r, 9);
    const double size = half_extent(&c);
    if (c.point_kind == POINTS_EQUAL || !(size > 0.0))
        return;
    c.def.tolerance = size * ldexp(1.0, -(int)random_below(r, 9)) * (c.point_kind == POINTS_FAR ? 4.0 : 1.0);
    tact_report report;
    nurbs_model *m = tact_nurbs_model_create(&c.def, 1, &default_allocator, &report);
    if (m == NULL)
        fail_msg("%s", report.text);
    nurbs_tessellation t;
    if (!tact_nurbs_tessellation_init(&t, m, c.points, &report)) {
        ++n->refused; /* wild weights may need too many cells */
        tact_nurbs_model_free(m);
        return;
    }
    assert_true(t.error <= c.def.tolerance + 1e-10 * (size + vec_max_abs(c.points[0])));
    n->rational += m->surfaces[0].weights != NULL;
    ++n->degree[c.def.degree[0]];
    int least = 100, most = 0;
    for (uint32_t i = 0; i < t.cells.count; ++i)
        if (t.cells.items[i].first_child == 0) {
            least = t.cells.items[i].level < least ? t.cells.items[i].level : least;
            most = t.cells.items[i].level > most ? t.cells.items[i].level : most;
            n->fans += t.cells.items[i].triangle_count > 4;
        }
    n->adaptive += most > least;
    for (int k = 0; k < 24; ++k) {
        uint32_t cell = (uint32_t)random_below(r, t.cells.count);
        while (t.cells.items[cell].first_child != 0)
            cell = t.cells.items[cell].first_child + (uint32_t)random_below(r, 4);
        check_cell(&t, &c, cell, r, n);
    }
    tact_nurbs_tessellation_release(&t);
    tact_nurbs_model_free(m);
}

static void points_of_surfaces_are_within_the_error(void **state)
{
    (void)state;
    error_counts n = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(80, 10000); ++seed) {
        random_source r = random_seed(seed);
        current_seed = seed;
        check_errors(&r, &n);
    }
    if (few_cases())
        return;
    print_message("%d samples, %d tight; %d rational, %d adaptive, %d fans, %d refused\n", n.samples, n.tight,
                  n.rational, n.adaptive, n.fans, n.refused);
    assert_true(n.samples > 700 && n.tight > 30 && n.rational > 12 && n.adaptive > 25 && n.fans > 40);
    for (int i = 1; i <= 9; ++i)
        assert_true(n.degree[i] > 1);
}

/* ---- the error while control points move ---- */

enum { MOVING_FRAMES = 3 };

static tact_vec3 between(tact_vec3 a, tact_vec3 b, double t) { return vec_add(vec_scale(a, 1.0 - t), vec_scale(b, t)); }

/* A surface that moves linearly from one key frame to another: its triangles stay within the error on the way. */
static void check_moving_errors(random_source *r, error_counts *n)
{
    nurbs_case c;
    nurbs_case_make(&c, r, 9);
    const double size = half_extent(&c);
    const size_t count = c.def.counts[0] * c.def.counts[1];
    if (c.point_kind == POINTS_EQUAL || c.point_kind == POINTS_FAR || !(size > 0.0))
        return;
    c.def.tolerance = size * ldexp(1.0, -(int)random_below(r, 6));
    tact_vec3 *frames = malloc((MOVING_FRAMES + 1) * count * sizeof *frames), *points = frames + MOVING_FRAMES * count;
    for (size_t i = 0; i < MOVING_FRAMES * count; ++i) /* bends, and moves away */
        frames[i] = i < count ? c.points[i]
                              : vec_mul_add(vec_add(c.points[i % count], vec_make(3.0 * size, 0.0, 0.0)),
                                            size * random_unit(r), random_direction(r));
    tact_report report;
    nurbs_model *m = tact_nurbs_model_create(&c.def, 1, &default_allocator, &report);
    nurbs_tessellation t, first;
    assert_non_null(m);
    const size_t used = 1 + (size_t)random_below(r, MOVING_FRAMES - 1);
    if (!tact_nurbs_tessellation_init_moving(&t, m, frames, frames + count, used, &report)) {
        ++n->refused;
        free(frames);
        tact_nurbs_model_free(m);
        return;
    }
    assert_true(tact_nurbs_tessellation_init(&first, m, frames, &report));
    assert_true(m->seam_count > 0 || /* random motions open them */
                t.error <= c.def.tolerance + 1e-10 * (4.0 * size + vec_max_abs(c.points[0])));
    n->adaptive += t.cells.count > first.cells.count;
    n->rational += m->surfaces[0].weights != NULL;
    tact_vec3 *ends[2] = {malloc(t.vertices.count * sizeof **ends), malloc(t.vertices.count * sizeof **ends)};
    for (int k = 0; k < 6; ++k) {
        const size_t from = (size_t)random_below(r, used + 1), to = (size_t)random_below(r, used + 1);
        const double time = k == 0 ? 0.0 : random_unit(r);
        tact_nurbs_tessellation_place(&t, frames + from * count, ends[0]);
        tact_nurbs_tessellation_place(&t, frames + to * count, ends[1]);
        for (size_t i = 0; i < t.vertices.count; ++i)
            t.positions[i] = between(ends[0][i], ends[1][i], time);
        for (size_t i = 0; i < count; ++i)
            points[i] = between(frames[from * count + i], frames[to * count + i], time);
        c.def.points = points;
        for (int j = 0; j < 8; ++j) {
            uint32_t cell = (uint32_t)random_below(r, t.cells.count);
            while (t.cells.items[cell].first_child != 0)
                cell = t.cells.items[cell].first_child + (uint32_t)random_below(r, 4);
            check_cell(&t, &c, cell, r, n);
        }
    }
    free(ends[0]);
    free(ends[1]);
    free(frames);
    tact_nurbs_tessellation_release(&first);
    tact_nurbs_tessellation_release(&t);
    tact_nurbs_model_free(m);
}

static void moving_surfaces_stay_within_the_error(void **state)
{
    (void)state;
    error_counts n = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 5000); ++seed) {
        random_source r = random_seed(seed + 7000);
        current_seed = seed;
        check_moving_errors(&r, &n);
    }
    print_message("%d samples, %d tight; %d rational, %d finer than the first, %d refused\n", n.samples, n.tight,
                  n.rational, n.adaptive, n.refused);
    assert_true(few_cases() || (n.samples > 1000 && n.tight > 4 && n.rational > 8 && n.adaptive > 15));
}

/* ---- cracks ---- */

static int compare_edges(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Counts edges without a partner that runs in the opposite direction; and the Euler characteristic. */
static size_t count_open_edges(const nurbs_tessellation *t, long *euler)
{
    const size_t count = 3 * t->triangles.count;
    uint64_t *edges = malloc(2 * count * sizeof *edges);
    uint8_t *used = calloc(t->vertices.count, 1);
    size_t open = 0, vertices = 0;
    for (size_t i = 0; i < t->triangles.count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const uint64_t a = t->triangles.items[i].vertex[k], b = t->triangles.items[i].vertex[(k + 1) % 3];
            edges[3 * i + k] = a << 32 | b;
            edges[count + 3 * i + k] = b << 32 | a;
            used[a] = 1;
        }
    qsort(edges, count, sizeof *edges, compare_edges);
    qsort(edges + count, count, sizeof *edges, compare_edges);
    for (size_t i = 0, j = count; i < count;) { /* compare the two sorted lists */
        const uint64_t a = edges[i], b = j < 2 * count ? edges[j] : UINT64_MAX;
        open += a != b;
        i += a <= b;
        j += b <= a;
    }
    for (size_t i = 0; i < t->vertices.count; ++i)
        vertices += used[i];
    *euler = (long)vertices - (long)count / 2 + (long)t->triangles.count;
    free(used);
    free(edges);
    return open;
}

static void closed_models_have_no_cracks(void **state)
{
    (void)state;
    static const struct {
        nurbs_model_kind kind;
        long euler;
    } closed[] = {
        {NURBS_MODEL_SPHERE, 2}, {NURBS_MODEL_TORUS, 0}, {NURBS_MODEL_PERIODIC_TORUS, 0}, {NURBS_MODEL_CUBE, 2}};
    random_source r = random_seed(41);
    int adaptive = 0;
    for (size_t k = 0; k < sizeof closed / sizeof *closed; ++k)
        for (int i = 0; i < (long_form() ? 12 : quick_form() ? 5 : 6); ++i) {
            nurbs_model_case c;
            nurbs_model_case_make(&c, closed[k].kind, &r);
            if (i > 0)
                nurbs_model_case_deform(&c, &r, 0.2);
            for (size_t s = 0; s < c.count; ++s)
                c.defs[s].tolerance = 0.3 * ldexp(1.0, -i % 7);
            tact_report report;
            nurbs_model *m = tact_nurbs_model_create(c.defs, c.count, &default_allocator, &report);
            nurbs_tessellation t;
            if (m == NULL || !tact_nurbs_tessellation_init(&t, m, c.points, &report))
                fail_msg("%s", report.text);
            long euler;
            assert_int_equal(count_open_edges(&t, &euler), 0);
            assert_int_equal(euler, closed[k].euler);
            for (uint32_t p = 0; p < 4 * m->patch_count; ++p)
                assert_true((m->patches[p / 4].boundary >> p % 4 & 1) == 0 ||
                            m->patches[p / 4].side[p % 4] == NURBS_POLE);
            for (size_t q = 0; q < t.cells.count; ++q)
                adaptive += t.cells.items[q].triangle_count > 4;
            tact_nurbs_tessellation_release(&t);
            tact_nurbs_model_free(m);
        }
    assert_true(adaptive > 20);
}

/* ---- moves ---- */

static void assert_same(const nurbs_tessellation *a, const nurbs_tessellation *b)
{
    assert_int_equal(a->cells.count, b->cells.count);
    assert_int_equal(a->vertices.count, b->vertices.count);
    assert_int_equal(a->triangles.count, b->triangles.count);
    for (size_t i = 0; i < a->cells.count; ++i) {
        assert_int_equal(a->cells.items[i].first_child, b->cells.items[i].first_child);
        assert_true(a->cells.items[i].error == b->cells.items[i].error);
    }
    assert_memory_equal(a->positions, b->positions, a->vertices.count * sizeof *a->positions);
    assert_memory_equal(a->triangles.items, b->triangles.items, a->triangles.count * sizeof *a->triangles.items);
    assert_memory_equal(a->patch_error, b->patch_error, a->model->patch_count * sizeof(double));
    assert_true(a->error == b->error);
}

static void check_moves(random_source *r, int kinds[3])
{
    nurbs_model_case c;
    nurbs_model_case_make(&c, (nurbs_model_kind)random_below(r, NURBS_MODEL_KINDS), r);
    for (size_t s = 0; s < c.count; ++s)
        c.defs[s].tolerance = 0.1;
    tact_report report;
    nurbs_model *m = tact_nurbs_model_create(c.defs, c.count, &default_allocator, &report);
    nurbs_tessellation t, fresh;
    if (m == NULL || !tact_nurbs_tessellation_init(&t, m, c.points, &report))
        fail_msg("%s", report.text);
    const uint32_t total = nurbs_point_count(m);
    for (int k = 0; k < 12; ++k) {
        const uint32_t first = (uint32_t)random_below(r, total);
        const uint32_t count = 1 + (random_below(r, 2) == 0 ? 0 : (uint32_t)random_below(r, total - first));
        const double far = random_below(r, 2) == 0 ? 1e-3 : 0.3;
        for (uint32_t i = first; i < first + count; ++i)
            c.points[i] = vec_mul_add(c.points[i], random_range(r, 0.0, far), random_direction(r));
        const nurbs_move done = move_control_points(&t, first, count, c.points + first, &report);
        assert_int_not_equal(done, NURBS_MOVE_FAILED);
        ++kinds[done];
        if (!tact_nurbs_tessellation_init(&fresh, m, c.points, &report))
            fail_msg("%s", report.text);
        assert_same(&t, &fresh);
        tact_nurbs_tessellation_release(&fresh);
    }
    tact_nurbs_tessellation_release(&t);
    tact_nurbs_model_free(m);
}

static void moves_equal_a_new_tessellation(void **state)
{
    (void)state;
    int kinds[3] = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(10, 2000); ++seed) {
        random_source r = random_seed(seed);
        current_seed = seed;
        check_moves(&r, kinds);
    }
    if (!few_cases())
        assert_true(kinds[NURBS_MOVE_POSITIONS] > 8 && kinds[NURBS_MOVE_CELLS] > 8);
}

static void a_move_changes_only_its_region(void **state)
{
    (void)state;
    random_source r = random_seed(5);
    nurbs_model_case c;
    nurbs_model_case_make(&c, NURBS_MODEL_SHEET, &r);
    tact_report report;
    nurbs_model *m = tact_nurbs_model_create(c.defs, 1, &default_allocator, &report);
    nurbs_tessellation t;
    assert_true(m != NULL && tact_nurbs_tessellation_init(&t, m, c.points, &report));
    const nurbs_surface *s = &m->surfaces[0];
    for (uint32_t point = 0; point < nurbs_point_count(m); ++point) {
        tact_vec3 p = t.points[point];
        p.z += 1e-9;
        assert_int_equal(move_control_points(&t, point, 1, &p, &report), NURBS_MOVE_POSITIONS);
        for (uint32_t i = 0; i < m->patch_count; ++i) {
            bool inside = true;
            for (int d = 0; d < 2; ++d) { /* [u_i, u_i+p+1) meets the span */
                const uint32_t index = d == 0 ? point / s->counts[1] : point % s->counts[1];
                double low, high;
                nurbs_patch_range(m, &m->patches[i], d, &low, &high);
                inside = inside && s->knots[d][index] < high && low < s->knots[d][index + (uint32_t)s->degree[d] + 1];
            }
            assert_int_equal(t.changed[i], inside);
        }
    }
    tact_nurbs_tessellation_release(&t);
    tact_nurbs_model_free(m);
}

/* ---- failures ---- */

static void too_small_tolerances_are_refused(void **state)
{
    (void)state;
    random_source r = random_seed(7);
    nurbs_model_case c;
    nurbs_model_case_make(&c, NURBS_MODEL_SPHERE, &r);
    tact_report report;
    c.defs[0].tolerance = 1e-12;
    nurbs_model *m = tact_nurbs_model_create(c.defs, 1, &default_allocator, &report);
    nurbs_tessellation t;
    assert_non_null(m);
    assert_false(tact_nurbs_tessellation_init(&t, m, c.points, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "tolerance"));
    tact_nurbs_model_free(m);
    c.defs[0].tolerance = -1.0;
    assert_null(tact_nurbs_model_create(c.defs, 1, &default_allocator, &report));
    assert_non_null(strstr(report.text, "tolerance"));
    assert_null(tact_nurbs_model_create(c.defs, 0, &default_allocator, &report));
    assert_non_null(strstr(report.text, "no surface"));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int k = 0; k < NURBS_MODEL_KINDS; ++k) {
        bool done = false;
        for (long at = 1; !done; at = next_failure(at)) {
            failing_allocator memory = {.fail_at = at};
            const tact_allocator allocator = failing_allocator_make(&memory);
            random_source r = random_seed(8);
            nurbs_model_case c;
            nurbs_model_case_make(&c, (nurbs_model_kind)k, &r);
            for (size_t s = 0; s < c.count; ++s)
                c.defs[s].tolerance = 0.2;
            tact_report report = {TACT_OK, ""};
            nurbs_model *m = tact_nurbs_model_create(c.defs, c.count, &allocator, &report);
            nurbs_tessellation t;
            if (m != NULL && tact_nurbs_tessellation_init(&t, m, c.points, &report)) {
                tact_vec3 p = c.points[1];
                p.z += 0.6; /* other cells */
                const double error = t.error;
                const nurbs_move moved = move_control_points(&t, 1, 1, &p, &report);
                if (moved == NURBS_MOVE_FAILED)
                    assert_true(t.error == error && vec_equal(t.points[1], c.points[1]));
                done = moved != NURBS_MOVE_FAILED && memory.calls < at;
                tact_nurbs_tessellation_release(&t);
            }
            if (!done && memory.calls >= at)
                assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
            tact_nurbs_model_free(m);
            assert_int_equal(memory.held, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(points_of_surfaces_are_within_the_error, print_seed),
        cmocka_unit_test_teardown(moving_surfaces_stay_within_the_error, print_seed),
        cmocka_unit_test(closed_models_have_no_cracks),
        cmocka_unit_test_teardown(moves_equal_a_new_tessellation, print_seed),
        cmocka_unit_test(a_move_changes_only_its_region),
        cmocka_unit_test(too_small_tolerances_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
