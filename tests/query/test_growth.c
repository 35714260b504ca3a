/*
 * The work of queries on input made to be slow, counted in the steps of tact_work_begin: at n and at 4 n. For each kind
 * a stated bound on the power of n that it grows with. The quadratic ones are so by nature: there a limit of work
 * answers, with a bound of the result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <tact/tact.h>

#include "support/long_form.h"
#include "support/random.h"

/* ---- meshes --------------------------------------------------------------------------------------------------------
 */

/* Triangles with vertices of their own. */
typedef struct triangle_list {
    tact_vec3 *vertices;
    uint32_t *indices;
    uint32_t count;
} triangle_list;

static triangle_list list_make(uint32_t most)
{
    triangle_list l = {malloc(3 * most * sizeof(tact_vec3)), malloc(3 * most * sizeof(uint32_t)), 0};
    assert_true(l.vertices != NULL && l.indices != NULL);
    return l;
}

static void list_add(triangle_list *l, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    const tact_vec3 corner[3] = {a, b, c};
    for (uint32_t k = 0; k < 3; ++k) {
        l->vertices[3 * l->count + k] = corner[k];
        l->indices[3 * l->count + k] = 3 * l->count + k;
    }
    ++l->count;
}

static tact_shape *list_finish(triangle_list *l, double scale)
{
    for (uint32_t i = 0; i < 3 * l->count; ++i)
        l->vertices[i] = tact_vec(l->vertices[i].x * scale, l->vertices[i].y * scale, l->vertices[i].z * scale);
    tact_shape *shape = tact_mesh_create(&(tact_mesh_def){.vertices = {.data = l->vertices, .count = 3 * l->count},
                                                          .indices = l->indices,
                                                          .index_count = 3 * l->count},
                                         NULL);
    assert_non_null(shape);
    free(l->vertices);
    free(l->indices);
    return shape;
}

typedef enum geometry {
    SCATTERED,       /* small triangles anywhere in a cube: for comparison */
    COINCIDENT,      /* all vertices in one point */
    ALL_CROSS,       /* large triangles through one centre */
    SLIVERS,         /* 1 long and 1e-12 wide, parallel */
    NESTED_SHELLS,   /* tetrahedra in one another */
    TIES,            /* the squares of a grid in one plane: all equally far from another */
    GIANT_AND_DUST,  /* one large triangle in the plane of small ones */
    CROSSING_NEEDLES /* parallel needles in one plane; those of B cross those of A */
} geometry;

static tact_shape *mesh_of(geometry kind, uint32_t n, double scale, bool of_b)
{
    triangle_list l = list_make(4 * n + 4);
    random_source r = random_seed(of_b ? 2 : 1);
    for (uint32_t i = 0; i < n; ++i) {
        const double x = random_range(&r, -1.0, 1.0), y = random_range(&r, -1.0, 1.0), z = random_range(&r, -1.0, 1.0),
                     u = random_range(&r, -1.0, 1.0), v = random_range(&r, -1.0, 1.0), w = random_range(&r, -1.0, 1.0);
        const double small = 1.0 / sqrt((double)n), at = i / (double)n;
        switch (kind) {
        case SCATTERED:
            list_add(&l, tact_vec(x, y, z), tact_vec(x + small, y, z), tact_vec(x, y + small, z + small));
            break;
        case COINCIDENT:
            list_add(&l, tact_vec(0.0, 0.0, 0.0), tact_vec(0.0, 0.0, 0.0), tact_vec(0.0, 0.0, 0.0));
            break;
        case ALL_CROSS:
            list_add(&l, tact_vec(x, y, z), tact_vec(u, v, w), tact_vec(-x - u, -y - v, -z - w));
            break;
        case SLIVERS:
            list_add(&l, tact_vec(x, y, 0.0), tact_vec(x, y, 1.0), tact_vec(x + 1e-12, y, 1.0));
            break;
        case NESTED_SHELLS: {
            const double s = (2.0 * i + (of_b ? 1.0 : 0.0) + 1.0) / (2.0 * n);
            const tact_vec3 c[4] = {tact_vec(s, s, s), tact_vec(s, -s, -s), tact_vec(-s, s, -s), tact_vec(-s, -s, s)};
            list_add(&l, c[0], c[1], c[2]);
            list_add(&l, c[0], c[3], c[1]);
            list_add(&l, c[0], c[2], c[3]);
            list_add(&l, c[1], c[3], c[2]);
            break;
        }
        case TIES: {
            const uint32_t side = (uint32_t)ceil(sqrt(0.5 * n));
            const double a = i / 2 % side / (double)side, b = floor(i / 2.0 / side) / side, h = 1.0 / side;
            if (i % 2 == 0)
                list_add(&l, tact_vec(a, b, 0.0), tact_vec(a + h, b, 0.0), tact_vec(a + h, b + h, 0.0));
            else
                list_add(&l, tact_vec(a, b, 0.0), tact_vec(a + h, b + h, 0.0), tact_vec(a, b + h, 0.0));
            break;
        }
        case GIANT_AND_DUST:
            if (i == 0)
                list_add(&l, tact_vec(-1e3, -1e3, 0.0), tact_vec(2e3, -1e3, 0.0), tact_vec(-1e3, 2e3, 0.0));
            else
                list_add(&l, tact_vec(x, y, 0.0), tact_vec(x + 1e-5, y, 0.0), tact_vec(x, y + 1e-5, 0.0));
            break;
        case CROSSING_NEEDLES:
            if (of_b)
                list_add(&l, tact_vec(at, 0.0, 0.0), tact_vec(at, 1.0, 0.0), tact_vec(at + 1e-12, 1.0, 0.0));
            else
                list_add(&l, tact_vec(0.0, at, 0.0), tact_vec(1.0, at, 0.0), tact_vec(1.0, at + 1e-12, 0.0));
            break;
        }
    }
    return list_finish(&l, scale);
}

/* ---- queries -------------------------------------------------------------------------------------------------------
 */

typedef enum question { DISTANCE, OVERLAP, CONTACTS, DEPTH, INTERSECTIONS } question;

typedef struct growth_case {
    const char *name;
    geometry kind;
    question question;
    double apart; /* B is moved along z by this, in the scale */
    double scale;
    uint32_t n;
    double power; /* the work grows like this power of n at most */
} growth_case;

/* Contacts and segments are counted, not stored, but for these. */
static tact_contact_point points[100];

static tact_status ask(const growth_case *c, const tact_shape *a, const tact_shape *b, tact_distance *distance)
{
    const tact_transform at = tact_identity(), moved = tact_at(0.0, 0.0, c->apart * c->scale);
    switch (c->question) {
    case DISTANCE:
        *distance = tact_shapes_distance(a, at, b, moved);
        return distance->status;
    case OVERLAP:
        return tact_shapes_overlap(a, at, b, moved, NULL).status;
    case CONTACTS:
        return tact_shapes_contacts(a, at, b, moved, 0.0, points, 100).status;
    case DEPTH:
        return tact_shapes_penetration(a, at, b, moved).status;
    default: {
        const tact_status status = tact_shapes_intersections(a, at, b, moved, NULL, 0).status;
        return status == TACT_OUT_OF_MEMORY ? TACT_OK : status; /* the number is the answer */
    }
    }
}

static uint64_t work_of(const growth_case *c, uint32_t n, uint64_t limit, tact_status *status, tact_distance *distance)
{
    tact_shape *a = mesh_of(c->kind, n, c->scale, false), *b = mesh_of(c->kind, n, c->scale, true);
    assert_int_equal(tact_work_begin((tact_progress){.work_limit = limit}), TACT_OK);
    *status = ask(c, a, b, distance);
    const tact_work work = tact_work_end();
    tact_shape_release(a);
    tact_shape_release(b);
    return work.units;
}

static const growth_case cases[] = {
    {"scattered triangles, distance", SCATTERED, DISTANCE, 3.0, 1.0, 1000, 1.4},
    {"coincident points, distance", COINCIDENT, DISTANCE, 3.0, 1.0, 1000, 1.2},
    {"coincident points, overlap", COINCIDENT, OVERLAP, 0.0, 1.0, 1000, 1.2},
    {"all cross, overlap", ALL_CROSS, OVERLAP, 0.0, 1.0, 64, 1.2},
    {"all cross, contacts (n^2 of them)", ALL_CROSS, CONTACTS, 0.0, 1.0, 24, 2.4},
    {"all cross, depth", ALL_CROSS, DEPTH, 0.0, 1.0, 48, 2.2},
    {"all cross, intersections (n^2 of them)", ALL_CROSS, INTERSECTIONS, 0.0, 1.0, 64, 2.1},
    {"slivers, distance", SLIVERS, DISTANCE, 3.0, 1.0, 1000, 1.4},
    {"slivers, contacts", SLIVERS, CONTACTS, 0.5, 1.0, 500, 1.5},
    {"nested shells, overlap", NESTED_SHELLS, OVERLAP, 0.0, 1.0, 50, 2.2},
    {"nested shells, distance", NESTED_SHELLS, DISTANCE, 0.0, 1.0, 30, 2.4},
    {"exact ties, distance", TIES, DISTANCE, 1.0, 1.0, 800, 1.3},
    {"touching grids, overlap", TIES, OVERLAP, 0.0, 1.0, 800, 1.2},
    {"touching grids, contacts", TIES, CONTACTS, 0.0, 1.0, 200, 1.3},
    {"touching grids, intersections", TIES, INTERSECTIONS, 0.0, 1.0, 800, 1.3},
    {"giant and dust, distance", GIANT_AND_DUST, DISTANCE, 3.0, 1.0, 1000, 1.2},
    {"giant and dust, contacts (n of them)", GIANT_AND_DUST, CONTACTS, 0.0, 1.0, 300, 1.8},
    {"crossing needles, distance", CROSSING_NEEDLES, DISTANCE, 1.0, 1.0, 400, 1.3},
    {"scattered at 1e140, distance", SCATTERED, DISTANCE, 3.0, 1e140, 250, 2.1},
    {"scattered at 1e-130, distance", SCATTERED, DISTANCE, 3.0, 1e-130, 250, 2.1},
    {"all cross at 1e140, contacts", ALL_CROSS, CONTACTS, 0.0, 1e140, 24, 2.4},
    {"all cross at 1e-130, contacts", ALL_CROSS, CONTACTS, 0.0, 1e-130, 24, 2.4},
};

static void work_grows_as_stated(void **state)
{
    (void)state;
    const uint32_t factor = long_form() ? 4 : 1;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const growth_case *c = &cases[i];
        tact_status status;
        tact_distance distance;
        const uint64_t small = work_of(c, factor * c->n, 0, &status, &distance);
        assert_int_equal(status, TACT_OK);
        const uint64_t large = work_of(c, 4 * factor * c->n, 0, &status, &distance);
        assert_int_equal(status, TACT_OK);
        const double power = log((double)large / (double)(small > 0 ? small : 1)) / log(4.0);
        printf("%-40s n %5u %10llu, %6u %10llu: power %.2f of %.1f\n", c->name, factor * c->n,
               (unsigned long long)small, 4 * factor * c->n, (unsigned long long)large, power, c->power);
        wrong += power <= c->power ? 0 : 1;
    }
    assert_int_equal(wrong, 0);
}

/* What takes too long stops at a limit, with an upper bound. */
static void a_limit_answers(void **state)
{
    (void)state;
    const growth_case c = {"", SLIVERS, DISTANCE, 3.0, 1.0, 4000, 2.0};
    tact_status status;
    tact_distance distance;
    const uint64_t work = work_of(&c, c.n, 5000, &status, &distance);
    assert_int_equal(status, TACT_CANCELLED);
    assert_true(work <= 5000);
    assert_true(distance.distance >= 2.0 && distance.distance < 10.0);
}

/* A thin body that spins fast beside another: the work depends on neither ratio. */
static void thin_and_fast_bodies(void **state)
{
    (void)state;
    for (double length = 10.0; length < 1e12; length *= 1e3)
        for (double rate = 1e2; rate < 1e80; rate *= 1e13) {
            tact_shape *rod = tact_box(1.0, 1.0, length), *cube = tact_box(1.0, 1.0, 1.0);
            tact_motion spin = tact_motion_still();
            spin.spin = tact_vec(0.0, 0.0, rate);
            assert_int_equal(tact_work_begin((tact_progress){.work_limit = 0}), TACT_OK);
            const tact_toi toi = tact_shapes_time_of_impact(rod, tact_identity(), spin, cube, tact_at(2.0, 0.0, 0.0),
                                                            tact_motion_linear(0.0, 0.3, 0.1), 1.0);
            const uint64_t units = tact_work_end().units;
            assert_true(toi.status == TACT_OK && toi.state == TACT_MISS);
            if (units > 100)
                fail_msg("length %g, rate %g: %llu steps", length, rate, (unsigned long long)units);
            tact_shape_release(rod);
            tact_shape_release(cube);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_grows_as_stated),
        cmocka_unit_test(a_limit_answers),
        cmocka_unit_test(thin_and_fast_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
