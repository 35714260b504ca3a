/*
 * Code that is compiled with and without AVX2 (core/avx2.h) gives the same bits: two boxes, two hulls and other
 * polytopes, with random sizes and transforms, with and without margins and a cached axis, at all distances and near
 * touch.
 *
 * A failure prints its seed; TACT_TEST_SEED=n runs that case alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "convex/box_box.h"
#include "convex/convex_constants.h"
#include "convex/gjk_fast.h"
#include "convex/hull_hull.h"
#include "core/avx2.h"
#include "math/vec.h"
#include "oracle/dice.h"
#include "shape/convex.h"
#include "support/long_form.h"

#if TACT_HAVE_AVX2

#define CASES 2000 /* and with TACT_TEST_LONG 120 times as many */
#define MOST_CORNERS 60

typedef enum kind { BOXES, HULLS, OTHERS } kind;

typedef struct scene {
    uint64_t seed;
    tact_shape *a, *b;
    tact_transform transform_a, transform_b;
    tact_cache cache; /* a cached axis, or zero */
    double within;
} scene;

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static tact_vec3 roll_vec(dice *d)
{
    double x = dice_normal(d), y = dice_normal(d), z = dice_normal(d);
    return vec_make(x, y, z);
}

static tact_shape *roll_shape(dice *d, bool box)
{
    tact_vec3 corners[MOST_CORNERS];
    double x = dice_power(d, -1.0, 0.5), y = dice_power(d, -1.0, 0.5), z = dice_power(d, -1.0, 0.5);
    uint32_t count = 8 + (uint32_t)dice_pick(d, MOST_CORNERS - 7);
    for (uint32_t i = 0; i < count; i++) {
        tact_vec3 p = vec_normalize(roll_vec(d));
        corners[i] = vec_make(x * p.x, y * p.y, z * p.z);
    }
    tact_shape *shape = box ? tact_box(x, y, z) : tact_hull(corners, count);
    assert_non_null(shape);
    if (dice_pick(d, 4) != 0)
        return shape;
    tact_shape *rounded = tact_rounded(shape, dice_between(d, 0.0, 0.2));
    assert_non_null(rounded);
    tact_shape_release(shape);
    return rounded;
}

static tact_transform roll_place(dice *d)
{
    tact_vec3 axis = roll_vec(d), at = roll_vec(d), scale = {1.0, 1.0, 1.0};
    if (dice_pick(d, 8) == 0) /* not quite a similarity */
        scale.x = dice_between(d, 0.5, 1.5);
    return tact_transform_make(at, tact_quat_from_axis_angle(axis, dice_between(d, 0.0, 6.28)), scale);
}

static void roll_scene(scene *s, uint64_t seed, kind k)
{
    dice d = dice_for(seed, (uint64_t)k, 3);
    s->seed = seed;
    s->a = roll_shape(&d, k != HULLS);
    s->b = roll_shape(&d, k == BOXES);
    s->transform_a = roll_place(&d);
    s->transform_b = roll_place(&d);
    s->within = 0.0;
    s->cache = (tact_cache){.axis = {0.0, 0.0, 0.0}};
    if (dice_pick(&d, 3) == 0)
        s->cache.axis = vec_normalize(roll_vec(&d));
    if (dice_pick(&d, 3) == 0)
        s->within = dice_power(&d, -3.0, 0.0);
    tact_distance apart = tact_shapes_distance(s->a, s->transform_a, s->b, s->transform_b);
    assert_int_equal(apart.status, TACT_OK);
    if (dice_pick(&d, 2) == 0) /* nearly, or just, touching */
        s->transform_b.origin =
            vec_mul_add(s->transform_b.origin, -apart.distance * (1.0 + 0.02 * dice_normal(&d)), apart.normal);
}

static void end_scene(scene *s)
{
    tact_shape_release(s->a);
    tact_shape_release(s->b);
}

static uint64_t first_seed(void)
{
    const char *given = getenv("TACT_TEST_SEED");
    return given != NULL ? strtoull(given, NULL, 10) : 1;
}

static uint64_t last_seed(void)
{
    return getenv("TACT_TEST_SEED") != NULL ? first_seed() : random_case_count(CASES, 120 * CASES);
}

/* Minimum counts of each kind of case are fractions of this. */
static long few_count(void) { return (long)random_case_count(CASES, CASES); }

/* ---- with and without AVX2
 * --------------------------------------------------------------------------------------------------- */

static void check_same(const scene *s, const char *what, const void *plain, const void *other, size_t size)
{
    if (memcmp(plain, other, size) != 0) {
        print_error("TACT_TEST_SEED=%llu: %s differs\n", (unsigned long long)s->seed, what);
        fail();
    }
}

static void check_vec(const scene *s, const char *what, tact_vec3 plain, tact_vec3 other)
{
    check_same(s, what, &plain, &other, sizeof plain);
}

static void check_distance(const scene *s, const tact_distance *plain, const tact_distance *other)
{
    check_same(s, "status", &plain->status, &other->status, sizeof plain->status);
    check_same(s, "distance", &plain->distance, &other->distance, sizeof plain->distance);
    check_vec(s, "on_a", plain->on_a, other->on_a);
    check_vec(s, "on_b", plain->on_b, other->on_b);
    check_vec(s, "normal", plain->normal, other->normal);
}

static bool processor_has_it(void)
{
    if (TACT_CPU_HAS_AVX2)
        return true;
    print_message("this processor has no AVX2: nothing to compare\n");
    return false;
}

static void test_boxes(void **state)
{
    (void)state;
    if (!processor_has_it())
        skip();
    long apart = 0, hits = 0, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(); seed++) {
        scene s;
        roll_scene(&s, seed, BOXES);
        tact_cache plain_cache = s.cache, cache = s.cache;
        const tact_distance_def plain_def = {1e-10, s.within > 0.0 ? s.within : INFINITY, &plain_cache},
                                def = {1e-10, plain_def.upper_bound, &cache};
        tact_distance plain = tact_box_box_distance(s.a, &s.transform_a, s.b, &s.transform_b, &plain_def),
                      other = tact_box_box_distance_avx2(s.a, &s.transform_a, s.b, &s.transform_b, &def);
        check_distance(&s, &plain, &other);
        check_vec(&s, "the axis of a distance", plain_cache.axis, cache.axis);
        plain_cache = cache = s.cache;
        tact_state plainly = tact_box_box_within(s.a, &s.transform_a, s.b, &s.transform_b, s.within, &plain_cache.axis),
                   verdict = tact_box_box_within_avx2(s.a, &s.transform_a, s.b, &s.transform_b, s.within, &cache.axis);
        check_same(&s, "verdict", &plainly, &verdict, sizeof verdict);
        check_vec(&s, "the axis of a verdict", plain_cache.axis, cache.axis);
        apart += plain.distance > 0.0;
        hits += verdict == TACT_HIT;
        misses += verdict == TACT_MISS;
        end_scene(&s);
    }
    print_message("boxes: apart %ld, hits %ld, misses %ld\n", apart, hits, misses);
    const long few = few_count();
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(apart > few / 5 && hits > few / 5 && misses > few / 5);
}

static void test_hulls(void **state)
{
    (void)state;
    if (!processor_has_it())
        skip();
    long apart = 0, hits = 0, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(); seed++) {
        scene s;
        roll_scene(&s, seed, HULLS);
        tact_cache plain_cache = s.cache, cache = s.cache;
        const tact_distance_def plain_def = {1e-10, s.within > 0.0 ? s.within : INFINITY, &plain_cache},
                                def = {1e-10, plain_def.upper_bound, &cache};
        tact_distance plain = tact_hull_hull_distance(s.a, &s.transform_a, s.b, &s.transform_b, &plain_def),
                      other = tact_hull_hull_distance_avx2(s.a, &s.transform_a, s.b, &s.transform_b, &def);
        check_distance(&s, &plain, &other);
        check_vec(&s, "the axis of a distance", plain_cache.axis, cache.axis);
        plain_cache = cache = s.cache;
        tact_overlap plainly = tact_hull_hull_within(s.a, &s.transform_a, s.b, &s.transform_b, s.within, &plain_cache),
                     verdict = tact_hull_hull_within_avx2(s.a, &s.transform_a, s.b, &s.transform_b, s.within, &cache);
        check_same(&s, "verdict", &plainly, &verdict, sizeof verdict);
        check_vec(&s, "the axis of a verdict", plain_cache.axis, cache.axis);
        apart += plain.distance > 0.0;
        hits += verdict.state == TACT_HIT;
        misses += verdict.state == TACT_MISS;
        end_scene(&s);
    }
    print_message("hulls: apart %ld, hits %ld, misses %ld\n", apart, hits, misses);
    const long few = few_count();
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(apart > few / 5 && hits > few / 5 && misses > few / 5);
}

/* A box and a hull, by the fast GJK. */
static void test_other_polytopes(void **state)
{
    (void)state;
    if (!processor_has_it())
        skip();
    long ends = 0, touches = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(); seed++) {
        scene s;
        roll_scene(&s, seed, OTHERS);
        convex a, b;
        assert_int_equal(tact_convex_make(&a, s.a, &s.transform_a), TACT_OK);
        assert_int_equal(tact_convex_make(&b, s.b, &s.transform_b), TACT_OK);
        tact_vec3 offset = vec_sub(s.transform_b.origin, s.transform_a.origin);
        double rounding = GJK_ROUNDING * 0x1p-53 * (a.bounding_radius + b.bounding_radius + vec_max_abs(offset)),
               margins = a.margin + b.margin;
        const gjk_goal want = {1e-10, s.within + margins, s.seed % 2 == 0, s.seed % 3 == 0, false};
        gjk_result plain, other;
        memset(&plain, 0, sizeof plain);
        memset(&other, 0, sizeof other);
        bool plainly =
                 tact_gjk_fast(&a, &b, offset, rounding, &want, max_double(want.limit, rounding), s.cache.axis, &plain),
             done = tact_gjk_fast_avx2(&a, &b, offset, rounding, &want, max_double(want.limit, rounding), s.cache.axis,
                                       &other);
        check_same(&s, "whether it comes to an end", &plainly, &done, sizeof done);
        if (done) {
            check_same(&s, "end", &plain.status, &other.status, sizeof plain.status);
            check_same(&s, "lower", &plain.lower, &other.lower, sizeof plain.lower);
            check_same(&s, "upper", &plain.upper, &other.upper, sizeof plain.upper);
            check_vec(&s, "normal", plain.normal, other.normal);
            check_vec(&s, "on_a", plain.on_a, other.on_a);
            check_vec(&s, "on_b", plain.on_b, other.on_b);
        }
        ends += done;
        touches += done && other.status == GJK_OVERLAP;
        end_scene(&s);
    }
    print_message("a box and a hull: proved %ld, %ld of them touch\n", ends, touches);
    const long few = few_count();
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(ends > few / 2 && touches > few / 10 && ends - touches > few / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_hulls),
        cmocka_unit_test(test_other_polytopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("no code for AVX2 in this build: nothing to compare");
    return 0;
}

#endif
