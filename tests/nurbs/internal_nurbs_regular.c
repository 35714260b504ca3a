/*
 * Regular tessellations: sheets, tubes with and without poles, tori, cubes and stars of surfaces at random control
 * points. Cells beside each other differ by one level at most. Where a finer one follows, each of its triangles lies in
 * a triangle before, if its vertices are where they were, and together they have the same area. So both are the same
 * set of points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec.h"
#include "nurbs/nurbs_regular.h"
#include "nurbs/nurbs_shape.h"
#include "support/nurbs_bodies.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { KINDS = 6 };

static nurbs_body make_body(random_source *random, int kind, double tolerance)
{
    switch (kind) {
    case 0:
        return nurbs_body_sheet(random_between(random, 1, 4), 7, 6, tolerance);
    case 1:
        return nurbs_body_tube(2, 6, 5, 0.5, 0.3, tolerance);
    case 2:
        return nurbs_body_tube(3, 6, 5, 0.0, 0.0, tolerance);
    case 3:
        return nurbs_body_torus(2, 6, 6, tolerance);
    case 4:
        return nurbs_body_cube(2, 4, 0.5, tolerance);
    default:
        return nurbs_body_star(5, 2, 4, tolerance);
    }
}

/* Control points that bend the surface in some places; points that coincide stay together. */
static void bend(const nurbs_body *body, random_source *random, double far, tact_vec3 *points)
{
    for (size_t i = 0; i < body->point_count; i++) {
        points[i] = body->points[i];
        size_t k = 0;
        while (k < i && vec_length(vec_sub(body->points[k], body->points[i])) > 1e-12)
            k++;
        if (k < i)
            points[i] = points[k];
        else if (random_chance(random, 0.2))
            points[i] = vec_mul_add(points[i], far, random_direction(random));
    }
}

static double area(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    return 0.5 * vec_length(vec_cross(vec_sub(b, a), vec_sub(c, a)));
}

static double total_area(const nurbs_tessellation *t, const tact_vec3 *at)
{
    double sum = 0.0;
    for (size_t i = 0; i < t->triangles.count; i++) {
        const uint32_t *v = t->triangles.items[i].vertex;
        sum += area(at[v[0]], at[v[1]], at[v[2]]);
    }
    return sum;
}

/* Whether a triangle of `before` has all vertices that the origins of a triangle are made of. */
static bool lies_in_one(const nurbs_tessellation *before, const nurbs_origin *const o[3])
{
    for (size_t i = 0; i < before->triangles.count; i++) {
        const uint32_t *v = before->triangles.items[i].vertex;
        bool all = true;
        for (int k = 0; k < 3 && all; k++)
            for (uint32_t n = 0; n < o[k]->count && all; n++)
                all = o[k]->vertex[n] == v[0] || o[k]->vertex[n] == v[1] || o[k]->vertex[n] == v[2];
        if (all)
            return true;
    }
    return false;
}

typedef struct regular_counts {
    size_t divided, same, fans[9], degenerate;
} regular_counts;

static void check_fans(const nurbs_tessellation *t, uint64_t seed, regular_counts *counts)
{
    for (size_t i = 0; i < t->cells.count; i++) {
        const nurbs_cell *c = &t->cells.items[i];
        if (c->first_child != 0)
            continue;
        CHECK(c->triangle_count >= 3 && c->triangle_count <= 8, "a cell has %u triangles", c->triangle_count);
        counts->fans[c->triangle_count]++;
    }
}

static void check_case(uint64_t seed, regular_counts *counts)
{
    random_source random = random_seed(seed);
    nurbs_body body = make_body(&random, (int)(seed % KINDS), random_range(&random, 0.02, 0.1));
    tact_shape *shape = tact_nurbs_create(body.defs, (size_t)body.count, NULL);
    assert_non_null(shape);
    const nurbs_model *model = shape->nurbs->model;
    const size_t points = body.point_count;
    tact_vec3 *frames = calloc(3 * points, sizeof *frames);
    for (int i = 0; i < 3; i++)
        bend(&body, &random, i == 2 ? 1.0 : 0.3, frames + (size_t)i * points);
    tact_report report;
    nurbs_tessellation before, after;
    CHECK(tact_nurbs_tessellation_init_regular(&before, model, frames, frames + points, NULL, &report), "%s",
          report.text);
    nurbs_division division;
    assert_true(tact_nurbs_division_make(&division, &before));
    CHECK(tact_nurbs_tessellation_init_regular(&after, model, frames + points, frames + 2 * points, &division, &report),
          "%s", report.text);
    check_fans(&before, seed, counts);
    check_fans(&after, seed, counts);
    nurbs_origin *origins = calloc(after.vertices.count, sizeof *origins);
    tact_vec3 *at = calloc(after.vertices.count, sizeof *at);
    assert_true(tact_nurbs_find_origins(&after, &before, origins));
    for (size_t i = 0; i < after.vertices.count; i++) {
        double sum = 0.0;
        CHECK(origins[i].count > 0, "vertex %zu has no origin", i);
        for (uint32_t k = 0; k < origins[i].count; k++) {
            at[i] = vec_mul_add(at[i], origins[i].weight[k], before.positions[origins[i].vertex[k]]);
            sum += origins[i].weight[k];
        }
        CHECK(sum == 1.0, "the weights of vertex %zu are %.17g in all", i, sum);
    }
    for (size_t i = 0; i < after.triangles.count; i++) {
        const uint32_t *v = after.triangles.items[i].vertex;
        const nurbs_origin *const o[3] = {&origins[v[0]], &origins[v[1]], &origins[v[2]]};
        if (area(at[v[0]], at[v[1]], at[v[2]]) < 1e-15) { /* at a pole */
            counts->degenerate++;
            continue;
        }
        CHECK(lies_in_one(&before, o), "triangle %zu does not lie in one before", i);
    }
    const double areas[2] = {total_area(&before, before.positions), total_area(&after, at)};
    CHECK(fabs(areas[0] - areas[1]) < 1e-12 * areas[0], "the area is %.17g and was %.17g", areas[1], areas[0]);
    /* a place of a vertex is that vertex; one on a triangle is between those of its vertices */
    const double weights[3] = {0.2, 0.3, 0.5};
    for (uint32_t i = 0; i < after.triangles.count; i += 7) {
        const tact_nurbs_location place = tact_nurbs_location_on_triangle(&after, i, weights);
        tact_nurbs_def def = body.defs[place.surface];
        def.points = after.points + (def.points - body.points);
        tact_vec3 p, flat = {0.0, 0.0, 0.0};
        assert_int_equal(tact_nurbs_evaluate(&def, place.u, place.v, 0, &p), TACT_OK);
        for (int k = 0; k < 3; k++)
            flat = vec_mul_add(flat, weights[k], after.positions[after.triangles.items[i].vertex[k]]);
        CHECK(vec_length(vec_sub(p, flat)) <= after.error, "triangle %u: %g from its place, the error is %g", i,
              vec_length(vec_sub(p, flat)), after.error);
    }
    const bool same = tact_nurbs_same_cells(&before, &after);
    counts->same += same;
    counts->divided += !same;
    free(origins);
    free(at);
    free(frames);
    tact_nurbs_division_release(&division, &before.allocator);
    tact_nurbs_tessellation_release(&before);
    tact_nurbs_tessellation_release(&after);
    tact_shape_release(shape);
    nurbs_body_free(&body);
}

static void a_finer_one_is_the_same_set_of_points(void **state)
{
    (void)state;
    regular_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(18); seed++)
        check_case(seed, &counts);
    print_message(
        "%zu with other cells, %zu with the same; fans of 4: %zu, of 5 to 8: %zu %zu %zu %zu; %zu triangles at "
        "poles\n",
        counts.divided, counts.same, counts.fans[4], counts.fans[5], counts.fans[6], counts.fans[7], counts.fans[8],
        counts.degenerate);
    if (!few_cases())
        assert_true(counts.divided > 8 && counts.fans[5] > 100 && counts.fans[6] > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_finer_one_is_the_same_set_of_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
