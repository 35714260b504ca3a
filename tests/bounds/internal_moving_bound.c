/*
 * The rounding of moving bounds: bounds contain their points with the margin, and overlap windows contain the exact
 * roots of the gaps, both computed in long double.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

#include "bounds/moving_bound.h"
#include "support/random.h"
#include "support/seeded_cases.h"

/* A point in units of the frame; often with a small sum of coordinates, where the sum cancels. */
static tact_vec3 random_point(random_source *r, double size)
{
    tact_vec3 p = {size * random_range(r, -1.0, 1.0), size * random_range(r, -1.0, 1.0), 0.0};
    p.z = random_chance(r, 0.5) ? size * random_range(r, -1.0, 1.0) : -p.x - p.y;
    if (random_chance(r, 0.2))
        p.y = -p.x;
    return p;
}

/* The coordinate of a point along direction i, in the frame. */
static long double coordinate(const moving_frame *f, tact_vec3 p, int i)
{
    const signed char *d = tact_moving_direction[i];
    return ((long double)p.x * f->scale - f->origin[0]) * d[0] + ((long double)p.y * f->scale - f->origin[1]) * d[1] +
           ((long double)p.z * f->scale - f->origin[2]) * d[2];
}

static long double direction_length(int i)
{
    const signed char *d = tact_moving_direction[i];
    return sqrtl((long double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
}

static void bounds_contain_their_points(void **state)
{
    (void)state;
    long outside = 0, checked = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(4000); seed++) {
        random_source r = random_seed(seed);
        const double unit = ldexp(1.0, random_between(&r, -900, 900));
        tact_vec3 p[2][4];
        for (int end = 0; end < 2; end++)
            for (int k = 0; k < 4; k++)
                p[end][k] = random_point(&r, unit);
        const double thickness = random_chance(&r, 0.5) ? 0.0 : unit * random_unit(&r);
        const moving_frame frame = tact_moving_frame_make(p[0], p[1], 4, thickness);
        /* points of the frame, and later ones, which may be farther out as long as the frame contains them */
        const double size = random_chance(&r, 0.5) ? 1.0 : ldexp(1.0, random_between(&r, 0, 40));
        const tact_vec3 start = random_point(&r, size * unit), end = random_point(&r, size * unit);
        if (!tact_moving_frame_contains(&frame, start) || !tact_moving_frame_contains(&frame, end)) {
            outside++;
            continue;
        }
        moving_point bound;
        tact_moving_point_set(&bound, &frame, start, end);
        const long double half = 0.5L * thickness * frame.scale;
        for (int e = 0; e < 2; e++)
            for (int i = 0; i < MOVING_DIRECTIONS; i++) {
                const long double x = coordinate(&frame, e == 0 ? start : end, i), margin = half * direction_length(i);
                const float low = bound.extent[e][i / 4][i % 4], high = -bound.extent[e][i / 4][4 + i % 4];
                CHECK((long double)low <= x - margin && x + margin <= (long double)high,
                      "direction %d: %.20Lg with margin %Lg is not in [%.9g, %.9g]", i, x, margin, (double)low,
                      (double)high);
                checked++;
            }
    }
    print_message("%ld extents, %ld points outside the frame\n", checked, outside);
    assert_true(few_cases() || (checked > 10000 && outside > 400));
}

/* The exact window from the stored extents; false if the bounds are separated at both ends along one direction. */
static bool exact_window(const moving_point *a, const moving_point *b, long double *enter, long double *exit)
{
    *enter = 0.0L;
    *exit = 1.0L;
    for (int i = 0; i < MOVING_DIRECTIONS; i++)
        for (int side = 0; side < 2; side++) {
            const int own = i % 4 + 4 * side, other = i % 4 + 4 * (1 - side);
            const long double g0 = (long double)a->extent[0][i / 4][own] + (long double)b->extent[0][i / 4][other],
                              g1 = (long double)a->extent[1][i / 4][own] + (long double)b->extent[1][i / 4][other];
            if (g0 > 0.0L && g1 > 0.0L)
                return false;
            if (g0 > 0.0L)
                *enter = fmaxl(*enter, g0 / (g0 - g1));
            if (g1 > 0.0L)
                *exit = fminl(*exit, g0 / (g0 - g1));
        }
    return true;
}

static void windows_contain_the_exact_roots(void **state)
{
    (void)state;
    long overlaps = 0, narrowed = 0, separated = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(20000); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 start[2], end[2];
        /* two points that pass each other closely */
        start[0] = random_point(&r, 1.0);
        end[0] = random_point(&r, 1.0);
        start[1] = random_point(&r, 1.0);
        const double t = random_unit(&r);
        for (int k = 0; k < 3; k++) {
            const double meet = (1.0 - t) * (&start[0].x)[k] + t * (&end[0].x)[k];
            (&end[1].x)[k] = (meet - (1.0 - t) * (&start[1].x)[k]) / (t + 0.01);
        }
        const double thickness = random_chance(&r, 0.7) ? 0.1 * random_unit(&r) : 0.0;
        const moving_frame frame = tact_moving_frame_make(start, end, 2, thickness);
        moving_point p[2];
        for (int k = 0; k < 2; k++)
            tact_moving_point_set(&p[k], &frame, start[k], end[k]);
        const moving_bound a = moving_bound_of_point(&p[0]), b = moving_bound_of_point(&p[1]);
        float enter = 0.0f, exit = 1.0f;
        long double exact_enter, exact_exit;
        const bool overlap = moving_bound_overlap_window(&a, &b, &enter, &exit);
        if (!exact_window(&p[0], &p[1], &exact_enter, &exact_exit)) {
            CHECK(!overlap, "separated at both ends");
            separated++;
            continue;
        }
        CHECK(overlap || exact_enter > exact_exit, "window [%.20Lg, %.20Lg] was missed", exact_enter, exact_exit);
        CHECK(!overlap || ((long double)enter <= exact_enter && exact_exit <= (long double)exit),
              "window [%.9g, %.9g] does not contain [%.20Lg, %.20Lg]", (double)enter, (double)exit, exact_enter,
              exact_exit);
        overlaps += overlap;
        narrowed += overlap && (enter > 0.0f || exit < 1.0f);
    }
    print_message("%ld windows, %ld narrowed, %ld separated\n", overlaps, narrowed, separated);
    assert_true(few_cases() || (narrowed > 4000 && separated > 200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_contain_their_points),
        cmocka_unit_test(windows_contain_the_exact_roots),
    };
    return cmocka_run_group_tests_name("moving_bound", tests, NULL, NULL);
}
