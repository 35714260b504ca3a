/*
 * Shapes: validation and error texts, reference counts, running out of memory, support points and bounds under any
 * transform (against the oracle in long double and against closed formulas), and the meaning of margins. A failure of a
 * random case prints its seed; TACT_TEST_SEED=n runs that case alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <float.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "math/vec.h"
#include "oracle/oracle.h"
#include "oracle/recipe.h"
#include "shape/convex.h"
#include "shape/shape_data.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

/* Unit roundoff. */
#define U 0x1p-53

/* ---- one def of each type ---- */

static tact_vec3 round_support(void *context, tact_vec3 direction)
{
    return vec_scale(vec_normalize(direction), *(const double *)context);
}

static double round_radius = 0.75;

static const tact_vec3 corners[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                     {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const tact_vec3 flat[6] = {{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 0}};

static tact_shape_def def_of(tact_shape_type type, const tact_shape *one, const tact_shape *two)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    switch (type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        def.points = corners;
        def.point_count = (size_t)type;
        break;
    case TACT_POLYGON:
        def.points = flat;
        def.point_count = 6;
        break;
    case TACT_HULL:
        def.points = corners;
        def.point_count = 8;
        break;
    case TACT_MINKOWSKI_SUM:
    case TACT_CONVEX_HULL_OF:
    case TACT_TRANSFORMED:
        def.parts[0] = one;
        def.parts[1] = two;
        def.transform = tact_at(1.0, 2.0, 3.0);
        break;
    case TACT_CUSTOM:
        def.support = round_support;
        def.support_context = &round_radius;
        def.support_radius = round_radius;
        break;
    default:
        def.radius = 0.5;
        def.height = 1.5;
        def.size = vec_make(1.0, 2.0, 3.0);
        break;
    }
    return def;
}

/* It is refused, and the error text contains the fragment. */
static void expect_refused(const tact_shape_def *def, const char *fragment)
{
    tact_report report;
    memset(&report, 0x7f, sizeof report);
    tact_shape *shape = tact_shape_create(def, &report);
    if (shape != NULL || report.status != TACT_BAD_ARGUMENT || memchr(report.text, '\0', sizeof report.text) == NULL ||
        strstr(report.text, fragment) == NULL)
        print_error("type %d: expected \"%s\", got \"%.199s\"\n", def != NULL ? (int)def->type : -1, fragment,
                    report.text);
    assert_null(shape);
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, fragment));
    assert_null(tact_shape_create(def, NULL)); /* the report is optional */
}

static const double bad_lengths[] = {-1.0, -DBL_TRUE_MIN, NAN, INFINITY, -INFINITY, 1e151, DBL_MAX};
enum { BAD_LENGTHS = 7 };

static void good_defs_are_accepted(void **state)
{
    (void)state;
    tact_shape *one = tact_sphere(1.0), *two = tact_box(1.0, 1.0, 1.0);
    for (int type = TACT_POINT; type <= TACT_CUSTOM; type++) {
        tact_shape_def def = def_of((tact_shape_type)type, one, two);
        tact_report report;
        memset(&report, 0x7f, sizeof report);
        def.margin = 0.25;
        tact_shape *shape = tact_shape_create(&def, &report);
        assert_non_null(shape);
        assert_true(report.status == TACT_OK && report.text[0] == '\0');
        assert_int_equal(tact_shape_get_type(shape), type);
        assert_true(tact_shape_get_margin(shape) == 0.25);
        tact_shape_release(shape);
    }
    tact_shape_release(one);
    tact_shape_release(two);
}

static void bad_lengths_are_refused(void **state)
{
    (void)state;
    tact_shape *one = tact_sphere(1.0), *two = tact_box(1.0, 1.0, 1.0);
    for (int i = 0; i < BAD_LENGTHS; i++) {
        double bad = bad_lengths[i];
        for (int type = TACT_POINT; type <= TACT_CUSTOM; type++) {
            tact_shape_def def = def_of((tact_shape_type)type, one, two);
            def.margin = bad;
            expect_refused(&def, "margin must be a length");
        }
        static const tact_shape_type round[] = {TACT_SPHERE, TACT_CAPSULE, TACT_CYLINDER, TACT_CONE};
        for (int k = 0; k < 4; k++) {
            tact_shape_def def = def_of(round[k], NULL, NULL);
            def.radius = bad;
            expect_refused(&def, "radius must be a length");
            def = def_of(round[k], NULL, NULL);
            def.height = bad;
            if (round[k] == TACT_SPHERE) { /* a field that is not used does no harm */
                tact_shape *sphere = tact_shape_create(&def, NULL);
                assert_non_null(sphere);
                tact_shape_release(sphere);
            } else {
                expect_refused(&def, "height must be a length");
            }
        }
        static const tact_shape_type sized[] = {TACT_BOX, TACT_ELLIPSOID};
        for (int k = 0; k < 2; k++) {
            tact_shape_def def = def_of(sized[k], NULL, NULL);
            def.size.x = bad;
            expect_refused(&def, "size.x must be a length");
            def = def_of(sized[k], NULL, NULL);
            def.size.y = bad;
            expect_refused(&def, "size.y must be a length");
            def = def_of(sized[k], NULL, NULL);
            def.size.z = bad;
            expect_refused(&def, "size.z must be a length");
        }
        tact_shape_def def = def_of(TACT_CUSTOM, NULL, NULL);
        def.support_radius = bad;
        expect_refused(&def, "support_radius must be a length");
        assert_null(tact_sphere(bad));
        assert_null(tact_box(1.0, bad, 1.0));
        assert_null(tact_capsule(bad, 1.0));
        assert_null(tact_cylinder(1.0, bad));
        assert_null(tact_cone(bad, 1.0));
        assert_null(tact_ellipsoid(1.0, 1.0, bad));
        assert_null(tact_rounded(one, bad));
        assert_null(tact_custom(round_support, &round_radius, bad));
    }
    /* the text contains the number */
    tact_shape_def def = def_of(TACT_SPHERE, NULL, NULL);
    def.radius = -1.0;
    expect_refused(&def, "but is -1");
    /* zero is a valid size, and so is the largest */
    tact_shape *zero = tact_box(0.0, 0.0, 0.0), *large = tact_sphere(1e150);
    assert_true(zero != NULL && large != NULL);
    tact_shape_release(zero);
    tact_shape_release(large);
    tact_shape_release(one);
    tact_shape_release(two);
}

static void bad_points_are_refused(void **state)
{
    (void)state;
    static const tact_shape_type types[] = {TACT_POINT,       TACT_SEGMENT, TACT_TRIANGLE,
                                            TACT_TETRAHEDRON, TACT_POLYGON, TACT_HULL};
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e151, -DBL_MAX};
    for (int k = 0; k < 6; k++) {
        tact_shape_def def = def_of(types[k], NULL, NULL);
        def.points = NULL;
        expect_refused(&def, "points are missing");
        def = def_of(types[k], NULL, NULL);
        def.point_count = 0;
        expect_refused(&def, "points are missing");
        if (k < 4) {
            static const char *const needed[4] = {"1 points are needed", "2 points are needed", "3 points are needed",
                                                  "4 points are needed"};
            def = def_of(types[k], NULL, NULL);
            def.point_count++;
            expect_refused(&def, needed[k]);
            if (k > 0) {
                def.point_count -= 2;
                expect_refused(&def, needed[k]);
            }
        }
        tact_vec3 copy[8];
        def = def_of(types[k], NULL, NULL);
        size_t count = def.point_count, at = count - 1;
        char where[32];
        (void)snprintf(where, sizeof where, "point %zu (", at);
        for (int i = 0; i < 15; i++) {
            memcpy(copy, def.points, count * sizeof *copy);
            *(i % 3 == 0 ? &copy[at].x : i % 3 == 1 ? &copy[at].y : &copy[at].z) = bad[i / 3];
            tact_shape_def broken = def;
            broken.points = copy;
            expect_refused(&broken, where); /* the text says which */
            expect_refused(&broken, "is not finite or too far out");
        }
    }
    tact_shape_def def = def_of(TACT_HULL, NULL, NULL);
    def.point_count = SIZE_MAX; /* the points must not be read */
    expect_refused(&def, "too many points");
    assert_null(tact_polygon(NULL, 3));
    assert_null(tact_hull(NULL, 3));
    assert_null(tact_hull(corners, 0));
    assert_null(tact_point(vec_make(NAN, 0.0, 0.0)));
    assert_null(tact_segment(corners[0], vec_make(INFINITY, 0.0, 0.0)));
    assert_null(tact_triangle(corners[0], corners[1], vec_make(0.0, NAN, 0.0)));
    assert_null(tact_tetrahedron(corners[0], corners[1], corners[2], vec_make(0.0, 0.0, NAN)));
}

static void polygons_must_be_flat(void **state)
{
    (void)state;
    tact_vec3 bent[6];
    for (int variant = 0; variant < 3; variant++) {
        memcpy(bent, flat, sizeof bent);
        bent[3].z = variant == 0 ? 1.0 : variant == 1 ? 1e-6 : -1e-12;
        tact_shape_def def = def_of(TACT_POLYGON, NULL, NULL);
        def.points = bent;
        expect_refused(&def, "do not lie in one plane");
    }
    /* flat up to rounding: rotated, no six points are exactly coplanar */
    size_t turned = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(500); seed++) {
        random_source r = random_seed(seed);
        tact_transform p = tact_transform_make(random_direction(&r), random_rotation(&r), vec_make(2.0, 3.0, 1.0));
        for (int i = 0; i < 6; i++)
            bent[i] = tact_transform_point(p, flat[i]);
        tact_shape *shape = tact_polygon(bent, 6);
        CHECK(shape != NULL, "flat up to rounding");
        turned += tact_orient3d(bent[0], bent[1], bent[2], bent[3]) != 0;
        size_t count = tact_shape_get_points(shape, NULL, 0);
        CHECK(count == 5, "%zu corners: one point is inside", count);
        tact_shape_release(shape);
    }
    assert_true(turned > 0);
    /* fewer than three points, or collinear ones, are flat as well */
    tact_shape *point = tact_polygon(flat, 1), *line = tact_polygon(flat, 2);
    assert_true(tact_shape_get_points(point, NULL, 0) == 1 && tact_shape_get_points(line, NULL, 0) == 2);
    tact_shape_release(point);
    tact_shape_release(line);
}

static void bad_parts_are_refused(void **state)
{
    (void)state;
    tact_shape *one = tact_sphere(1.0), *two = tact_box(1.0, 1.0, 1.0);
    static const tact_shape_type types[] = {TACT_MINKOWSKI_SUM, TACT_CONVEX_HULL_OF, TACT_TRANSFORMED};
    for (int k = 0; k < 3; k++) {
        tact_shape_def def = def_of(types[k], NULL, two);
        expect_refused(&def, "a part is missing");
        def = def_of(types[k], NULL, NULL);
        expect_refused(&def, "a part is missing");
        if (types[k] != TACT_TRANSFORMED) {
            def = def_of(types[k], one, NULL);
            expect_refused(&def, "a part is missing");
        }
    }
    tact_shape_def def = def_of(TACT_TRANSFORMED, one, NULL);
    def.transform.z_axis = vec_make(0.0, 0.0, 0.0);
    expect_refused(&def, "singular");
    def.transform.z_axis = vec_make(0.0, NAN, 0.0);
    expect_refused(&def, "NaN or an infinity");
    def.transform = tact_at(INFINITY, 0.0, 0.0);
    expect_refused(&def, "NaN or an infinity");
    def.transform =
        tact_transform_make(vec_make(0.0, 0.0, 0.0), (tact_quat){0, 0, 0, 1}, vec_make(1e200, 1e200, 1e200));
    expect_refused(&def, "extend farther than");
    def.transform = tact_at(1e200, 0.0, 0.0);
    expect_refused(&def, "extend farther than");
    tact_shape *large = tact_sphere(1e150);
    def = def_of(TACT_MINKOWSKI_SUM, large, large);
    expect_refused(&def, "extend farther than");
    def = def_of(TACT_CUSTOM, NULL, NULL);
    def.support = NULL;
    expect_refused(&def, "support function is missing");
    assert_null(tact_minkowski_sum(NULL, one));
    assert_null(tact_convex_hull_of(one, NULL));
    assert_null(tact_transformed(NULL, tact_identity()));
    assert_null(tact_custom(NULL, NULL, 1.0));
    assert_null(tact_rounded(NULL, 1.0));
    /* a refused def holds no reference: these are the last ones (otherwise the leak checkers report it) */
    assert_true(atomic_load(&one->references) == 1 && atomic_load(&two->references) == 1 &&
                atomic_load(&large->references) == 1);
    tact_shape_release(large);
    tact_shape_release(one);
    tact_shape_release(two);
}

static void unknown_types_are_refused(void **state)
{
    (void)state;
    static const int types[] = {0, -1, TACT_HEIGHTFIELD + 1, 1000, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        tact_shape_def def = tact_shape_def_default();
        memcpy(&def.type, &types[i], sizeof def.type);
        expect_refused(&def, "there is no shape type");
    }
    expect_refused(NULL, "the def is NULL");
}

static void nesting_is_limited(void **state)
{
    (void)state;
    tact_shape *shape = tact_sphere(1.0), *leaf = tact_box(1.0, 1.0, 1.0);
    int depth = 1;
    for (;; depth++) {
        tact_report report;
        tact_shape_def def = def_of(depth % 2 == 0 ? TACT_TRANSFORMED : TACT_MINKOWSKI_SUM, shape, leaf);
        tact_shape *next = tact_shape_create(&def, &report);
        if (next == NULL) {
            assert_int_equal(report.status, TACT_BAD_ARGUMENT);
            assert_non_null(strstr(report.text, "nested deeper than 32"));
            break;
        }
        tact_shape_release(shape); /* the whole shape holds a reference */
        shape = next;
        assert_true(depth < 100);
    }
    assert_int_equal(depth, SHAPE_MAX_NESTING);
    tact_bounds bounds;
    assert_int_equal(tact_shape_bounds(shape, tact_identity(), &bounds), TACT_OK);
    assert_true(fabs(bounds.max.x - (1.0 + 16 * 0.5 + 15 * 1.0)) < 1e-12); /* 16 sums, 15 steps */
    tact_shape_release(shape);
    tact_shape_release(leaf);
}

/* Sharing doubles the work with each level: shapes that would take forever are refused. */
static void nested_parts_are_limited(void **state)
{
    (void)state;
    tact_shape *shape = tact_sphere(1.0);
    int depth = 1;
    for (; depth < SHAPE_MAX_NESTING; depth++) {
        tact_report report;
        tact_shape_def def = def_of(depth % 2 == 0 ? TACT_MINKOWSKI_SUM : TACT_CONVEX_HULL_OF, shape, shape);
        tact_shape *next = tact_shape_create(&def, &report);
        if (next == NULL) {
            assert_int_equal(report.status, TACT_BAD_ARGUMENT);
            assert_non_null(strstr(report.text, "more than 65536 nested parts"));
            break;
        }
        tact_shape_release(shape);
        shape = next;
        tact_vec3 p;
        assert_int_equal(tact_shape_support(shape, tact_identity(), vec_make(1.0, 1.0, 0.0), &p), TACT_OK);
    }
    assert_true(depth > 10 && depth < SHAPE_MAX_NESTING);
    tact_shape_release(shape);
}

/* ---- references ---- */

static void parts_live_as_long_as_their_shape(void **state)
{
    (void)state;
    failing_allocator r = {0};
    tact_shape_def def = def_of(TACT_HULL, NULL, NULL);
    def.allocator = failing_allocator_make(&r);
    tact_shape *solid = tact_shape_create(&def, NULL);
    tact_shape *round = tact_rounded(solid, 0.5), *rounder = tact_rounded(round, 0.75);
    def = def_of(TACT_MINKOWSKI_SUM, round, round); /* one part, shared */
    def.allocator = failing_allocator_make(&r);
    tact_shape *sum = tact_shape_create(&def, NULL);
    assert_true(solid != NULL && round != NULL && rounder != NULL && sum != NULL);
    assert_true(tact_shape_retain(sum) == sum);
    tact_shape_release(solid);
    tact_shape_release(round);
    tact_shape_release(sum); /* one reference is left */
    tact_bounds bounds;
    assert_int_equal(tact_shape_bounds(sum, tact_identity(), &bounds), TACT_OK);
    assert_true(fabs(bounds.min.x + 1.0) < 1e-13 && fabs(bounds.max.x - 3.0) < 1e-13);
    assert_int_equal(tact_shape_bounds(rounder, tact_identity(), &bounds), TACT_OK);
    assert_true(fabs(bounds.min.x + 0.75) < 1e-13 && fabs(bounds.max.x - 1.75) < 1e-13);
    assert_true(tact_shape_get_margin(rounder) == 0.75 && tact_shape_get_type(rounder) == TACT_HULL);
    assert_int_equal(tact_shape_get_points(rounder, NULL, 0), 8);
    assert_true(r.held > 0);
    tact_shape_release(sum);
    assert_true(r.held > 0); /* the hull lives in the last one */
    tact_shape_release(rounder);
    assert_true(r.held == 0);
    assert_null(tact_shape_retain(NULL));
    tact_shape_release(NULL);
}

/* Another margin, again and again: copies must not form a chain, which would need stack in proportion. */
static void repeated_margins_do_not_chain(void **state)
{
    (void)state;
    tact_shape *shape = tact_box(1.0, 1.0, 1.0);
    for (int i = 0; i < 300000; i++) {
        tact_shape *next = tact_rounded(shape, 0.001 * (i % 7));
        assert_non_null(next);
        tact_shape_release(shape);
        shape = next;
    }
    tact_shape_release(shape);
}

enum { THREADS = 4, TURNS = 20000 };

static void *hold_and_let_go(void *shape)
{
    for (int i = 0; i < TURNS; i++) {
        tact_shape *mine = tact_shape_retain(shape);
        tact_shape *sum = i % 50 == 0 ? tact_minkowski_sum(mine, mine) : NULL;
        tact_shape *round = i % 50 == 25 ? tact_rounded(mine, 0.5) : NULL;
        tact_shape_release(mine);
        tact_shape_release(sum);
        tact_shape_release(round);
    }
    tact_shape_release(shape); /* the thread's own reference */
    return NULL;
}

static void threads_may_share_a_shape(void **state)
{
    (void)state;
    failing_allocator r = {0};
    tact_shape_def def = def_of(TACT_HULL, NULL, NULL);
    tact_shape *solid = tact_shape_create(&def, NULL);
    def = def_of(TACT_SPHERE, NULL, NULL);
    def.allocator = failing_allocator_make(&r); /* used by the last owner alone */
    tact_shape *sphere = tact_shape_create(&def, NULL);
    tact_shape *both = tact_minkowski_sum(solid, sphere);
    tact_shape_release(solid);
    tact_shape_release(sphere);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hold_and_let_go, tact_shape_retain(both)), 0);
    tact_shape_release(both); /* the last one frees it */
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(r.held == 0);
}

/* ---- running out of memory
 * ------------------------------------------------------------------------------------------- */

/* Makes the shape with every allocation failed once. Returns how many there are. */
static long starve(tact_shape_def def)
{
    for (long n = 0;; n++) {
        failing_allocator r = {.fail_at = n + 1};
        tact_report report;
        memset(&report, 0x7f, sizeof report);
        def.allocator = failing_allocator_make(&r);
        tact_shape *shape = tact_shape_create(&def, &report);
        if (shape != NULL) {
            assert_true(r.calls == n); /* it needed fewer allocations */
            assert_true(r.held > 0 && report.status == TACT_OK);
            /* now the one allocation of tact_rounded */
            r.fail_at = r.calls + 1;
            size_t before = r.held;
            assert_null(tact_rounded(shape, 0.5));
            assert_true(r.held == before && atomic_load(&shape->references) == 1);
            r.fail_at = 0;
            tact_shape *round = tact_rounded(shape, 0.5);
            assert_non_null(round);
            tact_shape_release(shape);
            tact_shape_release(round);
            assert_true(r.held == 0);
            return n;
        }
        assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
        assert_non_null(strstr(report.text, "memory"));
        assert_true(r.held == 0); /* no byte is lost */
        assert_true(n < 10000);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tact_shape *one = tact_sphere(1.0), *two = tact_box(1.0, 1.0, 1.0);
    for (int type = TACT_POINT; type <= TACT_CUSTOM; type++) {
        long calls = starve(def_of((tact_shape_type)type, one, two));
        assert_true(calls >= (type == TACT_HULL || type == TACT_POLYGON ? 5 : 1));
    }
    assert_true(atomic_load(&one->references) == 1 && atomic_load(&two->references) == 1);
    tact_shape_release(one);
    tact_shape_release(two);
    /* hulls of all dimensions and sizes */
    static tact_vec3 points[400];
    random_source r = random_seed(7);
    for (int i = 0; i < 400; i++)
        points[i] = random_direction(&r);
    static const size_t counts[] = {1, 2, 3, 4, 5, 20, 100, 400};
    for (int i = 0; i < 8; i++) {
        tact_shape_def def = def_of(TACT_HULL, NULL, NULL);
        def.points = points;
        def.point_count = counts[i];
        (void)starve(def);
    }
    for (int variant = 0; variant < 3; variant++) {
        for (int i = 0; i < 60; i++)
            points[i] = variant == 0   ? vec_make(1.0, 2.0, 3.0)
                        : variant == 1 ? vec_scale(corners[1], i)
                                       : vec_make(i % 8, 0.0, i / 8);
        tact_shape_def def = def_of(TACT_HULL, NULL, NULL);
        def.points = points;
        def.point_count = 60;
        (void)starve(def);
        def.type = TACT_POLYGON;
        (void)starve(def);
    }
    /* a def that is refused after an allocation frees it */
    failing_allocator last = {0};
    tact_shape_def def = def_of(TACT_POLYGON, NULL, NULL);
    def.points = corners;
    def.point_count = 8;
    def.allocator = failing_allocator_make(&last);
    assert_null(tact_shape_create(&def, NULL));
    assert_true(last.calls > 0 && last.held == 0);
}

/* ---- points ---- */

static void shapes_report_their_type_and_points(void **state)
{
    (void)state;
    assert_true((int)tact_shape_get_type(NULL) == 0 && tact_shape_get_margin(NULL) == 0.0);
    tact_vec3 got[8];
    assert_int_equal(tact_shape_get_points(NULL, got, 8), 0);
    for (int type = TACT_POINT; type <= TACT_TETRAHEDRON; type++) {
        tact_shape_def def = def_of((tact_shape_type)type, NULL, NULL);
        tact_shape *shape = tact_shape_create(&def, NULL);
        assert_int_equal(tact_shape_get_points(shape, NULL, 0), type);
        memset(got, 0, sizeof got);
        assert_int_equal(tact_shape_get_points(shape, got, 8), type);
        assert_memory_equal(got, corners, (size_t)type * sizeof *got); /* in order, to the bit */
        tact_shape_release(shape);
    }
    tact_vec3 many[11]; /* the vertices of a cube, its centre, a point on a face, a repeated one */
    memcpy(many, corners, sizeof corners);
    many[8] = vec_make(0.5, 0.5, 0.5);
    many[9] = vec_make(0.5, 0.25, 0.0);
    many[10] = corners[3];
    tact_shape *solid = tact_hull(many, 11);
    assert_int_equal(tact_shape_get_points(solid, got, 8), 8);
    for (int i = 0; i < 8; i++) {
        int found = 0;
        for (int k = 0; k < 8; k++)
            found += vec_equal(got[k], corners[i]);
        assert_int_equal(found, 1);
    }
    memset(got, 0, sizeof got); /* no more than the capacity */
    assert_int_equal(tact_shape_get_points(solid, got, 3), 8);
    assert_true(vec_equal(got[3], vec_make(0.0, 0.0, 0.0)) && vec_equal(got[7], vec_make(0.0, 0.0, 0.0)));
    tact_shape *sphere = tact_sphere(1.0), *box = tact_box(1.0, 1.0, 1.0), *sum = tact_minkowski_sum(solid, solid);
    assert_int_equal(tact_shape_get_points(sphere, NULL, 0), 0);
    assert_int_equal(tact_shape_get_points(sum, NULL, 0), 0);
    tact_shape_release(solid);
    tact_shape_release(sphere);
    tact_shape_release(box);
    tact_shape_release(sum);
    /* the points were copied */
    tact_vec3 own[2] = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
    tact_shape *segment = tact_hull(own, 2);
    own[0].x = own[1].x = 99.0;
    (void)tact_shape_get_points(segment, got, 2);
    assert_true(got[0].x + got[1].x == 5.0);
    tact_shape_release(segment);
    tact_shape_def def = tact_shape_def_default(), zero;
    memset(&zero, 0, sizeof zero);
    zero.transform = tact_identity();
    assert_memory_equal(&def, &zero, sizeof def);
}

/* ---- support points and bounds ---- */

/* Rotated, scaled, mirrored, sheared; sizes from 1e-6 to 1e6. */
static tact_transform roll_place(dice *d)
{
    double size = dice_power(d, -6.0, 6.0), thin = dice_pick(d, 3) == 0 ? dice_power(d, -6.0, 0.0) : 1.0;
    random_source r = random_seed(dice_bits(d));
    tact_vec3 origin = vec_scale(random_direction(&r), size * dice_power(d, -2.0, 3.0));
    tact_quat turn = random_rotation(&r);
    switch (dice_pick(d, 4)) {
    case 0: /* a similarity */
        return tact_transform_make(origin, turn, vec_make(size, size, dice_pick(d, 2) ? size : -size));
    case 1:
        return tact_transform_make(origin, turn, vec_make(size, -size * thin, size * dice_power(d, -1.0, 0.0)));
    case 2: {
        tact_transform p = {vec_scale(random_direction(&r), size), vec_scale(random_direction(&r), size),
                            vec_scale(random_direction(&r), size * thin), origin};
        return p;
    }
    default:
        return tact_transform_scale(tact_at(origin.x, origin.y, origin.z), vec_make(size * thin, size, size * thin));
    }
}

/* Units of roundoff of bounding radius, margin and origin: how far bounds may be from tight, and a support point from
 * the best. Under a transform that is nearly a rotation the radius of a sphere may be off by 18
 * (CONVEX_SIMILARITY_TOLERANCE). */
#define LOOSE 96.0L
#define NEAR 32.0L

static void check_extent(uint64_t seed, tact_shape_type type, size_t kinds[2])
{
    dice d = dice_for(seed, (uint64_t)type, 0);
    recipe made;
    oracle_body body;
    recipe_roll(&made, type, &d);
    tact_transform at = roll_place(&d);
    tact_shape *shape = recipe_shape(&made);
    CHECK(shape != NULL, "type %d was not made", (int)type);
    recipe_body(&made, at, &body);
    convex c;
    tact_bounds bounds;
    CHECK(tact_convex_make(&c, shape, &at) == TACT_OK, "placing type %d", (int)type);
    CHECK(tact_shape_bounds(shape, at, &bounds) == TACT_OK, "bounds of type %d", (int)type);
    kinds[shape->margin > 0.0]++;
    real unit = U * ((real)c.bounding_radius + (real)c.margin + (real)vec_max_abs(c.transform.origin) +
                     (real)vec_max_abs(at.origin));
    real low[3] = {bounds.min.x, bounds.min.y, bounds.min.z}, high[3] = {bounds.max.x, bounds.max.y, bounds.max.z};
    for (int k = 0; k < 3; k++) {
        real n[3] = {k == 0, k == 1, k == 2}, minus[3] = {-n[0], -n[1], -n[2]};
        real top = body.origin[k] + oracle_body_extent(&body, n) + body.margin;
        real bottom = body.origin[k] - oracle_body_extent(&body, minus) - body.margin;
        CHECK(high[k] >= top - 1e-3L * unit && low[k] <= bottom + 1e-3L * unit,
              "type %d axis %d: something is outside by %.3Lg units", (int)type, k,
              fmaxl(top - high[k], low[k] - bottom) / unit);
        CHECK(high[k] - top <= LOOSE * unit && bottom - low[k] <= LOOSE * unit, "type %d axis %d: loose by %.3Lg units",
              (int)type, k, fmaxl(high[k] - top, bottom - low[k]) / unit);
    }
    for (int i = 0; i < 24; i++) {
        /* a surface point of the oracle is within the bounds */
        double y[3] = {dice_normal(&d), dice_normal(&d), dice_normal(&d)};
        if (i < 6) { /* along an axis, or nearly */
            double tilt = i % 2 == 0 ? 0.0 : 1e-9;
            y[0] = i / 2 == 0 ? 1.0 : tilt, y[1] = i / 2 == 1 ? -1.0 : tilt, y[2] = i / 2 == 2 ? 1.0 : tilt;
        }
        real n[3] = {y[0], y[1], y[2]}, p[3];
        (void)oracle_normalize(n);
        oracle_body_farthest(&body, n, p);
        for (int k = 0; k < 3; k++) {
            p[k] += body.origin[k] + body.margin * n[k];
            CHECK(p[k] <= high[k] && p[k] >= low[k], "type %d: a surface point is outside", (int)type);
        }
        /* the support point is as far as the oracle says, and in no direction farther than the shape */
        tact_vec3 direction = vec_make(y[0], y[1], y[2]), got;
        double length = i % 4 == 0 ? 1e-300 : i % 4 == 1 ? 1e280 : 1.0;
        direction = vec_scale(direction, length);
        CHECK(tact_shape_support(shape, at, direction, &got) == TACT_OK, "support of type %d", (int)type);
        real s[3] = {(real)got.x - body.origin[0], (real)got.y - body.origin[1], (real)got.z - body.origin[2]};
        real reached = oracle_dot(s, n), most = oracle_body_extent(&body, n) + body.margin;
        CHECK(fabsl(reached - most) <= NEAR * unit, "type %d: reaches %Lg units short", (int)type,
              (most - reached) / unit);
        for (int k = 0; k < 8; k++) {
            real m[3] = {dice_normal(&d), dice_normal(&d), dice_normal(&d)};
            (void)oracle_normalize(m);
            real over = oracle_dot(s, m) - oracle_body_extent(&body, m) - body.margin;
            CHECK(over <= NEAR * unit, "type %d: the support point is %Lg units outside", (int)type, over / unit);
        }
    }
    tact_shape_release(shape);
}

static void bounds_and_support_points_are_right(void **state)
{
    (void)state;
    for (int type = TACT_POINT; type <= TACT_CUSTOM; type++) {
        size_t kinds[2] = {0, 0};
        for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++)
            check_extent(seed, (tact_shape_type)type, kinds);
        if (!few_cases())
            assert_true(kinds[0] > 50 && kinds[1] > 50); /* without and with a margin */
    }
}

static void expect_bounds(tact_shape *shape, tact_transform at, tact_vec3 min, tact_vec3 max)
{
    tact_bounds got;
    assert_non_null(shape);
    assert_int_equal(tact_shape_bounds(shape, at, &got), TACT_OK);
    double tolerance = 1e-14 * (vec_max_abs(min) + vec_max_abs(max));
    if (vec_max_abs(vec_sub(got.min, min)) > tolerance || vec_max_abs(vec_sub(got.max, max)) > tolerance)
        print_error("bounds (%g %g %g) (%g %g %g)\n", got.min.x, got.min.y, got.min.z, got.max.x, got.max.y, got.max.z);
    assert_true(vec_max_abs(vec_sub(got.min, min)) <= tolerance && vec_max_abs(vec_sub(got.max, max)) <= tolerance);
    assert_true(got.min.x <= min.x && got.min.y <= min.y && got.min.z <= min.z); /* outwards */
    assert_true(got.max.x >= max.x && got.max.y >= max.y && got.max.z >= max.z);
    tact_shape_release(shape);
}

/* The sizes mean what shape.h says. */
static void bounds_of_simple_shapes_are_known(void **state)
{
    (void)state;
    const tact_transform here = tact_identity(), there = tact_at(10.0, 20.0, 30.0);
    expect_bounds(tact_sphere(2.0), there, vec_make(8, 18, 28), vec_make(12, 22, 32));
    expect_bounds(tact_box(2.0, 4.0, 6.0), there, vec_make(9, 18, 27), vec_make(11, 22, 33));
    expect_bounds(tact_capsule(1.0, 4.0), there, vec_make(9, 17, 29), vec_make(11, 23, 31));
    expect_bounds(tact_cylinder(1.0, 4.0), there, vec_make(9, 18, 29), vec_make(11, 22, 31));
    expect_bounds(tact_cone(1.0, 4.0), there, vec_make(9, 18, 29), vec_make(11, 22, 31));
    expect_bounds(tact_ellipsoid(1.0, 2.0, 3.0), there, vec_make(9, 18, 27), vec_make(11, 22, 33));
    expect_bounds(tact_point(vec_make(1, 2, 3)), there, vec_make(11, 22, 33), vec_make(11, 22, 33));
    expect_bounds(tact_segment(vec_make(1, 2, 3), vec_make(-1, 5, 0)), here, vec_make(-1, 2, 0), vec_make(1, 5, 3));
    expect_bounds(tact_polygon(flat, 6), here, vec_make(0, 0, 0), vec_make(3, 2, 0));
    expect_bounds(tact_hull(corners, 8), there, vec_make(10, 20, 30), vec_make(11, 21, 31));
    expect_bounds(tact_custom(round_support, &round_radius, 0.75), here, vec_make(-0.75, -0.75, -0.75),
                  vec_make(0.75, 0.75, 0.75));
    /* the cone's apex is up */
    tact_shape *cone = tact_cone(1.0, 4.0);
    tact_vec3 p;
    assert_int_equal(tact_shape_support(cone, here, vec_make(0.1, 1.0, 0.0), &p), TACT_OK);
    assert_true(vec_equal(p, vec_make(0.0, 2.0, 0.0)));
    assert_int_equal(tact_shape_support(cone, here, vec_make(1.0, -0.1, 0.0), &p), TACT_OK);
    assert_true(vec_equal(p, vec_make(1.0, -2.0, 0.0)));
    tact_shape_release(cone);
    /* a sphere under a transform that is nearly a similarity: the long axis must be within the bounds */
    for (int k = 0; k < 3; k++) {
        tact_transform at = here;
        double long_one = 1.0 + 1.7e-15;
        *(k == 0 ? &at.x_axis.x : k == 1 ? &at.y_axis.y : &at.z_axis.z) = long_one;
        tact_shape *sphere = tact_sphere(1.0);
        tact_bounds bounds;
        assert_int_equal(tact_shape_bounds(sphere, at, &bounds), TACT_OK);
        assert_true((k == 0 ? bounds.max.x : k == 1 ? bounds.max.y : bounds.max.z) >= long_one);
        tact_shape_release(sphere);
    }
}

static void bad_queries_are_refused(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 1.0, 1.0);
    tact_vec3 point = {7, 8, 9};
    tact_bounds bounds = {{1, 2, 3}, {4, 5, 6}};
    const tact_transform here = tact_identity();
    tact_transform nowhere = tact_at(NAN, 0.0, 0.0), flattened = here, far = tact_at(1e160, 0.0, 0.0);
    flattened.x_axis = flattened.y_axis;
    const tact_vec3 x = {1, 0, 0};
    assert_int_equal(tact_shape_support(NULL, here, x, &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(box, here, x, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(box, here, vec_make(0, 0, 0), &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(box, here, vec_make(0, NAN, 0), &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(box, here, vec_make(0, INFINITY, 0), &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(box, nowhere, x, &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(box, flattened, x, &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(box, far, x, &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_bounds(NULL, here, &bounds), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_bounds(box, here, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_bounds(box, nowhere, &bounds), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_bounds(box, flattened, &bounds), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_bounds(box, far, &bounds), TACT_BAD_ARGUMENT);
    static double not_a_number = NAN; /* a support function that returns NaN */
    tact_shape *odd = tact_custom(round_support, &not_a_number, 1.0);
    assert_int_equal(tact_shape_support(odd, here, x, &point), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_bounds(odd, here, &bounds), TACT_BAD_ARGUMENT);
    assert_true(vec_equal(point, vec_make(7, 8, 9)) && vec_equal(bounds.max, vec_make(4, 5, 6)) && bounds.min.x == 1.0);
    tact_shape_release(odd);
    tact_shape_release(box);
}

/* ---- margins
 * -------------------------------------------------------------------------------------------------------------- */

/* Half extents of a shape that is symmetric about its origin. */
static void expect_half(tact_shape *shape, tact_transform at, double x, double y, double z)
{
    expect_bounds(shape, at, vec_make(-x, -y, -z), vec_make(x, y, z));
}

static tact_shape *keep_only(tact_shape *whole, tact_shape *part)
{
    tact_shape_release(part);
    return whole;
}

static tact_shape *rounded_box(double margin)
{
    tact_shape *box = tact_box(2.0, 4.0, 6.0);
    return keep_only(tact_rounded(box, margin), box);
}

static tact_transform stretched(double x, double y, double z)
{
    return tact_transform_scale(tact_identity(), vec_make(x, y, z));
}

static void margins_mean_what_the_header_says(void **state)
{
    (void)state;
    const double m = 0.5;
    /* at the top level no transform scales it */
    expect_half(rounded_box(m), tact_identity(), 1 + m, 2 + m, 3 + m);
    expect_half(rounded_box(m), stretched(10, 10, 10), 10 + m, 20 + m, 30 + m);
    expect_half(rounded_box(m), stretched(-1, 2, 3), 1 + m, 4 + m, 9 + m);
    /* another margin replaces it */
    tact_shape *box = rounded_box(m);
    expect_half(keep_only(tact_rounded(box, 2.0), box), tact_identity(), 3, 4, 5);
    box = rounded_box(m);
    expect_half(keep_only(tact_rounded(box, 0.0), box), tact_identity(), 1, 2, 3);
    /* in a part it is geometry of the whole: not scaled by the part's own transform, but by that of the whole */
    box = rounded_box(m);
    expect_half(keep_only(tact_transformed(box, stretched(3, 3, 3)), box), tact_identity(), 3 + m, 6 + m, 9 + m);
    box = rounded_box(m);
    expect_half(keep_only(tact_transformed(box, stretched(3, 3, 3)), box), stretched(2, 2, 2), 6 + 2 * m, 12 + 2 * m,
                18 + 2 * m);
    box = rounded_box(m);
    expect_half(keep_only(tact_transformed(box, stretched(3, 3, 3)), box), stretched(1, 2, 4), 3 + m, 12 + 2 * m,
                36 + 4 * m);
    box = rounded_box(m);
    expect_half(keep_only(tact_transformed(box, stretched(1, 2, 4)), box), stretched(5, 5, 5), 5 + 5 * m, 20 + 5 * m,
                60 + 5 * m);
    /* two levels, and one at the top level */
    box = rounded_box(m);
    tact_shape *placed = keep_only(tact_transformed(box, stretched(3, 3, 3)), box),
               *rounder = keep_only(tact_rounded(placed, 0.25), placed);
    tact_shape *again = keep_only(tact_transformed(rounder, stretched(2, 2, 2)), rounder);
    expect_half(keep_only(tact_rounded(again, 0.125), again), stretched(10, 10, 10), 10 * (2 * (3 + m) + 0.25) + 0.125,
                10 * (2 * (6 + m) + 0.25) + 0.125, 10 * (2 * (9 + m) + 0.25) + 0.125);
    /* Minkowski sums add margins, hulls of two take the wider */
    box = rounded_box(m);
    expect_half(keep_only(tact_minkowski_sum(box, box), box), stretched(2, 3, 1), 2 * (2 + 2 * m), 3 * (4 + 2 * m),
                6 + 2 * m);
    box = rounded_box(m);
    tact_shape *sphere = tact_sphere(2.5), *join = tact_convex_hull_of(box, sphere);
    tact_shape_release(sphere);
    expect_half(keep_only(join, box), stretched(2, 1, 1), 2 * 2.5, 2.5, 3 + m);
    /* a sphere with a margin is a larger sphere, as long as nothing scales it nonuniformly */
    sphere = tact_sphere(1.0);
    expect_half(keep_only(tact_rounded(sphere, m), sphere), stretched(2, 2, 2), 2 + m, 2 + m, 2 + m);
    sphere = tact_sphere(1.0);
    expect_half(keep_only(tact_rounded(sphere, m), sphere), stretched(2, 3, 4), 2 + m, 3 + m, 4 + m);
    /* distances are to the rounded surface: from a vertex, along the diagonal */
    box = rounded_box(m);
    tact_shape *point = tact_point(vec_make(0.0, 0.0, 0.0));
    tact_distance d = tact_shapes_distance(box, stretched(1, 0.5, 1), point, tact_at(1 + 2, 1 + 2, 3 + 1));
    assert_true(d.status == TACT_OK && fabs(d.distance - (3.0 - m)) < 1e-14);
    tact_shape_release(point);
    tact_shape_release(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_defs_are_accepted),
        cmocka_unit_test(bad_lengths_are_refused),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(polygons_must_be_flat),
        cmocka_unit_test(bad_parts_are_refused),
        cmocka_unit_test(unknown_types_are_refused),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(nested_parts_are_limited),
        cmocka_unit_test(parts_live_as_long_as_their_shape),
        cmocka_unit_test(repeated_margins_do_not_chain),
        cmocka_unit_test(threads_may_share_a_shape),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(shapes_report_their_type_and_points),
        cmocka_unit_test(bounds_and_support_points_are_right),
        cmocka_unit_test(bounds_of_simple_shapes_are_known),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(margins_mean_what_the_header_says),
    };
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
