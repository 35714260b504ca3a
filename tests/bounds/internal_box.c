/* Outward rounding of float boxes against its mathematical definition, and the operations on boxes. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* feenableexcept */
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "bounds/box.h"
#include "support/host_fp_environment.h"
#include "support/random.h"

/* The next larger box float, skipping subnormals. By nextafterf, not by bits. */
static float step_up(float f)
{
    if (f == -FLT_MIN)
        return 0.0f;
    if (f == 0.0f)
        return FLT_MIN;
    return nextafterf(f, INFINITY);
}

static float step_down(float f) { return -step_up(-f); }

static bool is_box_float(float f) { return f == 0.0f || (f >= FLT_MIN || f <= -FLT_MIN); }

static void check_rounding(double x)
{
    float below = tact_float_round_down(x), above = tact_float_round_up(x);
    bool right = is_box_float(below) && is_box_float(above) && (double)below <= x && x <= (double)above &&
                 (below == INFINITY || (double)step_up(below) > x) &&
                 (above == -INFINITY || (double)step_down(above) < x) && tact_float_round_down(-x) == -above;
    if (!right)
        fail_msg("bounds of %a are %a and %a", x, (double)below, (double)above);
}

static void bounds_are_the_nearest_box_floats(void **state)
{
    (void)state;
    random_source source = random_seed(1);
    int exact = 0, beyond = 0, tiny = 0;
    for (int i = 0; i < 300000; ++i) {
        double x;
        switch (i % 4) {
        case 0:
            x = random_finite(&source);
            break;
        case 1: /* the range of floats, and just outside */
            x = random_size(&source, -153, 131);
            break;
        case 2: /* floats and the adjacent doubles */
            x = (double)(float)random_size(&source, -151, 127);
            if (random_chance(&source, 0.5))
                x = nextafter(x, random_chance(&source, 0.5) ? INFINITY : -INFINITY);
            break;
        default:
            x = random_range(&source, -10.0, 10.0);
            break;
        }
        check_rounding(x);
        exact += tact_float_round_down(x) == tact_float_round_up(x);
        beyond += fabs(x) > (double)FLT_MAX;
        tiny += x != 0.0 && fabs(x) < (double)FLT_MIN;
    }
    assert_true(exact > 10000 && beyond > 10000 && tiny > 10000);

    const double special[] = {0.0,
                              1.0,
                              (double)FLT_MAX,
                              (double)FLT_MIN,
                              nextafter((double)FLT_MAX, INFINITY),
                              nextafter((double)FLT_MAX, 0.0),
                              nextafter((double)FLT_MIN, 0.0),
                              0x1p128,
                              DBL_MAX,
                              DBL_MIN,
                              0x1p-1074,
                              0x1.fffffffffffffp127};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; ++i) {
        check_rounding(special[i]);
        check_rounding(-special[i]);
    }
}

static void bounds_out_of_range_follow_the_rules(void **state)
{
    (void)state;
    assert_true(tact_float_round_down(1e300) == FLT_MAX);
    assert_true(tact_float_round_up(1e300) == INFINITY);
    assert_true(tact_float_round_down(-1e300) == -INFINITY);
    assert_true(tact_float_round_up(-1e300) == -FLT_MAX);
    assert_true(tact_float_round_down((double)INFINITY) == FLT_MAX);
    assert_true(tact_float_round_up((double)INFINITY) == INFINITY);
    assert_true(tact_float_round_down((double)NAN) == -INFINITY);
    assert_true(tact_float_round_up((double)NAN) == INFINITY);
    assert_true(tact_float_round_up(1e-310) == FLT_MIN);
    assert_true(tact_float_round_down(1e-310) == 0.0f);
    assert_false(signbit(tact_float_round_down(0.0)) || signbit(tact_float_round_up(-0.0)));
    assert_false(signbit(tact_float_round_down(-0.0)) || signbit(tact_float_round_up(-1e-310)));
}

/* The same floats, bit for bit, in every floating-point environment. */
static void bounds_do_not_depend_on_the_environment(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static double x[COUNT];
    static float below[COUNT], above[COUNT];
    static box wide[COUNT];
    random_source source = random_seed(2);
    for (int i = 0; i < COUNT; ++i) {
        x[i] = i % 2 == 0 ? random_finite(&source) : random_size(&source, -160, 10);
        below[i] = tact_float_round_down(x[i]);
        above[i] = tact_float_round_up(x[i]);
    }
    int differ = 0, narrow = 0;
    for (int m = 0; m < ENVIRONMENTS; ++m) {
        set_environment(m);
        for (int i = 0; i < COUNT; ++i) {
            float b = tact_float_round_down(x[i]), a = tact_float_round_up(x[i]);
            differ += memcmp(&b, &below[i], sizeof b) != 0 || memcmp(&a, &above[i], sizeof a) != 0;
            tact_vec3 corner = {x[i], x[i], x[i]};
            wide[i] = tact_box_expand(box_of_point(corner), 1e-310);
        }
        set_environment(0);
        for (int i = 0; i < COUNT; ++i) /* even a subnormal margin counts */
            narrow += !(wide[i].min[0] < below[i] || below[i] == -INFINITY) ||
                      !(wide[i].max[0] > above[i] || above[i] == INFINITY);
    }
    assert_int_equal(differ, 0);
    assert_int_equal(narrow, 0);
}

static tact_vec3 random_point(random_source *source)
{
    /* coarse coordinates, so that boxes often touch and share faces */
    int x = random_between(source, -4, 4), y = random_between(source, -4, 4), z = random_between(source, -4, 4);
    return (tact_vec3){(double)x / 3.0, (double)y / 3.0, (double)z / 3.0};
}

static bool contains_point(const box *b, tact_vec3 point)
{
    const box tight = box_of_point(point);
    return box_contains(b, &tight);
}

static void boxes_of_points_are_tight(void **state)
{
    (void)state;
    random_source source = random_seed(3);
    int inside = 0, outside = 0;
    for (int i = 0; i < 20000; ++i) {
        tact_vec3 points[4];
        size_t count = (size_t)random_between(&source, 1, 4);
        tact_vec3 min = {INFINITY, INFINITY, INFINITY}, max = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t j = 0; j < count; ++j) {
            points[j] = random_point(&source);
            min = (tact_vec3){fmin(min.x, points[j].x), fmin(min.y, points[j].y), fmin(min.z, points[j].z)};
            max = (tact_vec3){fmax(max.x, points[j].x), fmax(max.y, points[j].y), fmax(max.z, points[j].z)};
        }
        box b = tact_box_of_points(points, count), same = box_from_bounds(min, max);
        assert_memory_equal(&b, &same, sizeof b);
        for (size_t j = 0; j < count; ++j)
            assert_true(contains_point(&b, points[j]));
        tact_vec3 p = random_point(&source);
        bool truth = (double)b.min[0] <= p.x && p.x <= (double)b.max[0] && (double)b.min[1] <= p.y &&
                     p.y <= (double)b.max[1] && (double)b.min[2] <= p.z && p.z <= (double)b.max[2];
        assert_int_equal(contains_point(&b, p), truth);
        inside += truth;
        outside += !truth;
    }
    assert_true(inside > 100 && outside > 1000);
}

static double at_the_ends(random_source *source)
{
    const double ends[] = {0.0, 0x1p-150, 0x1p-149, (double)FLT_MIN, 1.0, (double)FLT_MAX, 0x1p128, (double)INFINITY};
    double x = ends[random_between(source, 0, 7)];
    if (random_chance(source, 0.5))
        x = nextafter(x, random_chance(source, 0.5) ? 0.0 : (double)INFINITY);
    return random_chance(source, 0.5) ? x : -x;
}

/* The SIMD path gives the same bits as the scalar one, whatever the numbers and the floating-point environment. */
static void boxes_of_triangles_equal_those_of_their_points(void **state)
{
    (void)state;
    random_source source = random_seed(6);
    for (int m = 0; m < ENVIRONMENTS; ++m) {
        int differ = 0;
        for (int i = 0; i < 20000; ++i) {
            double x[9];
            for (int k = 0; k < 9; ++k) {
                x[k] = i % 3 == 0 ? random_size(&source, -3, 3) : (double)random_between(&source, -2, 2) / 3.0;
                if (i % 16 == 1)
                    x[k] = random_finite(&source);
                if (i % 16 == 2)
                    x[k] = random_size(&source, -130, 130);
                if (i % 64 == 3 && k == i % 9)
                    x[k] = i % 128 == 3 ? (double)NAN : -(double)INFINITY;
                if (i % 16 == 4)
                    x[k] = random_chance(&source, 0.5) ? 0x1p-1074 : -0.0;
                if (i % 16 == 5) /* the limits of box floats, and the adjacent doubles */
                    x[k] = at_the_ends(&source);
            }
            const tact_vec3 p[3] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
            const uint32_t corners[3][3] = {{1, 2, 0}, {0, 1, 2}, {2, 0, 1}};
            box fast[3];
            const int flags =
                i % 2 == 1 ? FE_DIVBYZERO : 0; /* a flag raised before: preserved, and no other is added */
            set_environment(m);
            (void)feclearexcept(FE_ALL_EXCEPT);
            (void)feraiseexcept(flags);
            tact_boxes_of_triangles(p, corners, 3, fast);
            differ += !environment_is(m) || fetestexcept(FE_ALL_EXCEPT) != flags;
            set_environment(0);
            box plain = tact_box_of_points(p, 3);
            for (int k = 0; k < 3; ++k)
                differ += memcmp(&fast[k], &plain, sizeof plain) != 0;
        }
        assert_int_equal(differ, 0);
    }
}

/* A host may have traps enabled: computing boxes triggers none, and they are enabled afterwards. */
static void boxes_of_triangles_trigger_no_traps(void **state)
{
    (void)state;
#if defined(__GLIBC__) && defined(__x86_64__)
    const int traps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT;
    double signalling;
    const uint64_t bits = UINT64_C(0x7ff4000000000000);
    memcpy(&signalling, &bits, sizeof signalling);
    const tact_vec3 p[5] = {{(double)NAN, 0.0, 1.0 / 3.0},
                            {0x1p-1060, -0x1p-1074, 0x1p-140},
                            {1e300, -1e300, 0.1},
                            {0.1, 0.2, 0.3},
                            {signalling, 0.0, -(double)INFINITY}};
    const uint32_t corners[5][3] = {{0, 1, 2}, {1, 3, 1}, {2, 3, 1}, {3, 0, 3}, {4, 3, 1}};
    box fast[5];
    (void)feclearexcept(FE_ALL_EXCEPT);
    assert_int_equal(feenableexcept(traps), 0);
    tact_boxes_of_triangles(p, corners, 5, fast);
    const int kept = fegetexcept(), flags = fetestexcept(FE_ALL_EXCEPT);
    (void)fedisableexcept(FE_ALL_EXCEPT);
    assert_int_equal(kept, traps);
    assert_int_equal(flags, 0);
    for (int i = 0; i < 5; ++i) {
        const tact_vec3 q[3] = {p[corners[i][0]], p[corners[i][1]], p[corners[i][2]]};
        const box plain = tact_box_of_points(q, 3);
        assert_memory_equal(&fast[i], &plain, sizeof plain);
    }
#else
    skip(); /* there is no portable way to enable them */
#endif
}

static void unions_and_overlaps_agree_with_intervals(void **state)
{
    (void)state;
    random_source source = random_seed(4);
    int overlaps = 0, touches = 0, nested = 0;
    for (int i = 0; i < 20000; ++i) {
        tact_vec3 p[4] = {random_point(&source), random_point(&source), random_point(&source), random_point(&source)};
        box a = tact_box_of_points(p, 2), b = tact_box_of_points(p + 2, 2);
        box u = box_union(&a, &b), all = tact_box_of_points(p, 4);
        assert_memory_equal(&u, &all, sizeof u);
        assert_true(box_contains(&u, &a) && box_contains(&u, &b));
        bool apart = false, touch = false;
        for (int k = 0; k < 3; ++k) {
            float gap = fmaxf(a.min[k], b.min[k]) - fminf(a.max[k], b.max[k]);
            apart = apart || gap > 0.0f;
            touch = touch || gap == 0.0f;
        }
        assert_int_equal(box_overlap(&a, &b), !apart);
        assert_int_equal(box_overlap(&b, &a), !apart);
        assert_int_equal(box_contains(&a, &b), memcmp(&u, &a, sizeof u) == 0);
        overlaps += !apart;
        touches += !apart && touch;
        nested += box_contains(&a, &b);
    }
    assert_true(overlaps > 1000 && overlaps < 19000 && touches > 100 && nested > 20);
}

static void empty_boxes_overlap_nothing(void **state)
{
    (void)state;
    box empty = box_empty();
    box one = box_of_point((tact_vec3){1.0, 2.0, 3.0});
    assert_true(box_is_empty(&empty));
    assert_false(box_is_empty(&one));
    assert_false(box_overlap(&empty, &one));
    assert_false(box_overlap(&empty, &empty));
    assert_true(box_contains(&one, &empty));
    assert_false(box_contains(&empty, &one));
    box same = box_union(&one, &empty);
    assert_memory_equal(&same, &one, sizeof one);
    box none = tact_box_of_points(NULL, 0);
    assert_true(box_is_empty(&none));
    none = tact_box_expand(none, 1.0);
    assert_true(box_is_empty(&none));
    tact_vec3 nowhere = {NAN, 0.0, 0.0};
    box line = box_of_point(nowhere);
    assert_true(line.min[0] == -INFINITY && line.max[0] == INFINITY);
}

/* Long double represents the sum to 2^-64: accurate enough to detect a bound that is one float too small. */
static void check_expanded(float bound, double margin, float expanded)
{
    long double sum = (long double)bound + (long double)margin, slack = fabsl(sum) * 0x1p-62L;
    bool right = bound == INFINITY ? expanded == INFINITY
                                   : (long double)expanded >= sum - slack &&
                                         (long double)step_down(step_down(expanded)) < sum + slack;
    if (!right)
        fail_msg("%a expanded by %a is %a", (double)bound, margin, (double)expanded);
}

static void expanded_boxes_are_large_enough(void **state)
{
    (void)state;
    random_source source = random_seed(5);
    int same = 0;
    for (int i = 0; i < 50000; ++i) {
        double x = random_size(&source, -140, 128);
        double margin = i % 8 == 0 ? 0.0 : fabs(random_size(&source, -140, 128));
        box b = box_of_point((tact_vec3){x, -x, 0.0});
        box w = tact_box_expand(b, margin);
        assert_true(box_contains(&w, &b));
        double moved = margin != 0.0 && margin < (double)FLT_MIN ? (double)FLT_MIN : margin;
        for (int k = 0; k < 3; ++k) {
            check_expanded(b.max[k], moved, w.max[k]);
            check_expanded(-b.min[k], moved, -w.min[k]);
        }
        same += memcmp(&b, &w, sizeof b) == 0;
    }
    assert_true(same >= 50000 / 8);
    box b = box_of_point((tact_vec3){0.0, 0.0, 0.0});
    box huge = tact_box_expand(b, DBL_MAX);
    assert_true(huge.min[0] == -INFINITY && huge.max[0] == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_the_nearest_box_floats),
        cmocka_unit_test(bounds_out_of_range_follow_the_rules),
        cmocka_unit_test(bounds_do_not_depend_on_the_environment),
        cmocka_unit_test(boxes_of_points_are_tight),
        cmocka_unit_test(boxes_of_triangles_equal_those_of_their_points),
        cmocka_unit_test(boxes_of_triangles_trigger_no_traps),
        cmocka_unit_test(unions_and_overlaps_agree_with_intervals),
        cmocka_unit_test(empty_boxes_overlap_nothing),
        cmocka_unit_test(expanded_boxes_are_large_enough),
    };
    return cmocka_run_group_tests_name("box", tests, NULL, NULL);
}
