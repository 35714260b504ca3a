/*
 * Every check compares with a number that follows from the problem, not from the library. The inputs are volatile, so
 * that the compiler does not compute the answers.
 */
#include "doctor_checks.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "core/parallel.h"
#include "json_read.h"

/* Distances and times of impact of bodies of size 1 may differ by this from their formulas: some ulps of sines and
 * square roots in the formulas, and the tolerance of a time of impact. */
#define TOLERANCE 1e-9

static bool fail(char reason[DOCTOR_REASON], const char *format, ...) TACT_PRINTF_FORMAT(2, 3);

static bool fail(char reason[DOCTOR_REASON], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, DOCTOR_REASON, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_near(double a, double b) { return fabs(a - b) <= TOLERANCE; }

static bool rounding_check(char reason[DOCTOR_REASON])
{
    volatile double one = 1.0, half_ulp = 0x1p-53, more = 0x1.8p-53, smallest = 0x1p-1022, factor = 1.0 + 0x1p-27,
                    square = 1.0 + 0x1p-26;
    volatile double sum = one + half_ulp, up = one + more, down = -one - half_ulp, small = smallest * 0.5;
    if (sum != 1.0 || down != -1.0 || up != 1.0 + 0x1p-52)
        return fail(reason, "doubles are not rounded to nearest: something has changed the rounding mode");
    if (small == 0.0) /* true as well where subnormal operands are read as zero */
        return fail(reason, "subnormal numbers are treated as zero");
    const double f = factor, s = square, rest = f * f - s;
    if (rest != 0.0)
        return fail(reason, "a product and a sum are fused: build with -ffp-contract=off");
    if (FLT_EVAL_METHOD != 0)
        return fail(reason, "doubles are computed with more digits (FLT_EVAL_METHOD is %d)", (int)FLT_EVAL_METHOD);
    return true;
}

/* Points a few ulps around the line x = y, where the sign of rounded determinants is random. The exact determinant is
 * 12 (y - x). */
static bool predicates_check(char reason[DOCTOR_REASON])
{
    enum { STEPS = 16 };
    const double b[2] = {12.0, 12.0}, c[2] = {24.0, 24.0};
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            const double a[2] = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53};
            const int expected = (j > i) - (j < i), flat = tact_orient2d(a, b, c),
                      solid = tact_orient3d(tact_vec(a[0], a[1], 0.0), tact_vec(12.0, 12.0, 0.0),
                                            tact_vec(24.0, 24.0, 0.0), tact_vec(0.0, 0.0, 1.0));
            if (flat != expected || solid != expected)
                return fail(reason, "orientation %d, %d ulps from a line is %d and %d, not %d", i, j, flat, solid,
                            expected);
        }
    return true;
}

static bool distance_check(char reason[DOCTOR_REASON])
{
    tact_shape *ball = tact_sphere(1.0), *box = tact_box(2.0, 2.0, 2.0);
    const double half = sqrt(0.5);
    tact_transform beside = tact_identity(), turned = tact_identity();
    beside.origin = tact_vec(3.0, 0.0, 0.0);
    turned.x_axis = tact_vec(half, half, 0.0);
    turned.y_axis = tact_vec(-half, half, 0.0);
    turned.origin = tact_vec(4.0, 0.0, 0.0);
    const tact_distance simple = tact_shapes_distance(ball, tact_identity(), box, beside);
    const tact_distance edge = tact_shapes_distance(box, tact_identity(), box, turned);
    turned.origin.x = 2.0;
    const tact_penetration deep = tact_shapes_penetration(box, tact_identity(), box, turned);
    tact_shape_release(ball);
    tact_shape_release(box);
    if (simple.status != TACT_OK || simple.distance != 1.0)
        return fail(reason, "a sphere and a box have the distance %.17g, not 1", simple.distance);
    if (edge.status != TACT_OK || !is_near(edge.distance, 3.0 - sqrt(2.0)))
        return fail(reason, "two boxes have the distance %.17g, not 3 - sqrt(2)", edge.distance);
    if (deep.status != TACT_OK || !is_near(deep.depth, sqrt(2.0) - 1.0))
        return fail(reason, "two boxes overlap by %.17g, not sqrt(2) - 1", deep.depth);
    return true;
}

static bool ccd_check(char reason[DOCTOR_REASON])
{
    const tact_vec3 start[4] = {{0.25, 1.0, 0.25}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    tact_vec3 end[4];
    memcpy(end, start, sizeof end);
    end[0].y = -2.0;
    const tact_ccd crossed = tact_ccd_vertex_face(start, end, NULL);
    end[0].y = 0x1p-1074;
    const tact_ccd missed = tact_ccd_vertex_face(start, end, NULL);
    if (crossed.state != TACT_HIT || crossed.lower > 1.0 / 3.0 || crossed.upper < 1.0 / 3.0 ||
        !is_near(crossed.lower, crossed.upper))
        return fail(reason, "a vertex crosses a face between %.17g and %.17g, not at 1/3", crossed.lower,
                    crossed.upper);
    if (missed.state != TACT_MISS)
        return fail(reason, "a vertex that stops 2^-1074 above a face touches it");
    return true;
}

/* A ball falls from 3 to a floor, and touches when its centre is at 1. */
static bool world_check(char reason[DOCTOR_REASON])
{
    const double gravity = -9.81, expected = sqrt(2.0 * 2.0 / -gravity);
    tact_shape *ball = tact_sphere(1.0), *floor = tact_box(20.0, 2.0, 20.0);
    tact_transform above = tact_identity(), below = tact_identity();
    above.origin.y = 3.0;
    below.origin.y = -1.0;
    const tact_motion fall = {.acceleration = {0.0, gravity, 0.0}};
    const tact_motion still = tact_motion_still();
    const tact_toi toi = tact_shapes_time_of_impact(ball, above, fall, floor, below, still, 1.0);
    tact_world *world = tact_world_create(NULL);
    tact_event event = {.time = NAN};
    tact_event_kind kind = TACT_EVENT_NONE;
    if (world) {
        (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = above, .motion = fall});
        (void)tact_body_create(world, &(tact_body_def){.shape = floor, .transform = below});
        kind = tact_world_next_event(world, 1.0, &event);
    }
    tact_world_release(world);
    tact_shape_release(ball);
    tact_shape_release(floor);
    if (toi.state != TACT_HIT || !is_near(toi.time, expected))
        return fail(reason, "a ball touches the floor at %.17g, not at %.17g", toi.time, expected);
    if (kind != TACT_EVENT_TOUCH || !is_near(event.time, expected))
        return fail(reason, "in a world a ball touches the floor at %.17g, not at %.17g", event.time, expected);
    return true;
}

enum { ITEMS = 100000 };

static void items_count(void *data, size_t begin, size_t end)
{
    unsigned char *times = data;
    for (size_t i = begin; i < end; i++)
        times[i]++;
}

static bool threads_check(char reason[DOCTOR_REASON])
{
    unsigned char *times = calloc(ITEMS, 1);
    if (!times)
        return fail(reason, "out of memory");
    tact_parallel_for(NULL, ITEMS, 1, items_count, times);
    size_t wrong = 0;
    for (size_t i = 0; i < ITEMS; i++)
        wrong += times[i] != 1;
    free(times);
    return wrong == 0 || fail(reason, "%zu of %d items were not processed once", wrong, (int)ITEMS);
}

/* A world is saved, restored and saved again. */
static bool record_check(char reason[DOCTOR_REASON])
{
    tact_shape *ball = tact_sphere(1.0);
    tact_world *world = tact_world_create(NULL), *restored = NULL;
    tact_bytes first = {0}, second = {0};
    if (world)
        (void)tact_body_create(world, &(tact_body_def){.shape = ball, .density = 1.0});
    bool good = world && tact_world_save(world, tact_bytes_sink(&first), NULL, NULL) == TACT_OK;
    restored = good ? tact_world_restore(first.data, first.size, NULL, NULL) : NULL;
    good = restored && tact_world_save(restored, tact_bytes_sink(&second), NULL, NULL) == TACT_OK &&
           first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
    tact_world_release(world);
    tact_world_release(restored);
    tact_shape_release(ball);
    tact_bytes_release(&first);
    tact_bytes_release(&second);
    return good || fail(reason, "a restored world differs from the saved one");
}

const doctor_check tact_doctor_checks[] = {
    {"arithmetic", "rounding to nearest, subnormals, no fused operations", rounding_check},
    {"predicates", "exact signs a few ulps from a line", predicates_check},
    {"distance", "sphere and box, two boxes apart and overlapping", distance_check},
    {"ccd", "a vertex crosses a face, and misses it by 2^-1074", ccd_check},
    {"world", "the time at which a falling ball touches the floor", world_check},
    {"threads", "a parallel loop processes each item once", threads_check},
    {"record", "a restored world equals the saved one", record_check},
};

const int tact_doctor_check_count = sizeof tact_doctor_checks / sizeof tact_doctor_checks[0];
