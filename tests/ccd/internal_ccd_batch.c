/*
 * Batches of continuous collision queries: every answer is that of the single call, to the bit, at any count, on any
 * number of threads, in any host's loop and floating-point environment. The earliest contact is the earliest of all
 * answers. Bad arguments are reported for the same pairs as in single calls.
 *
 * A failure prints its case; TACT_TEST_SEED=n runs that case alone. TACT_TEST_LONG=1 runs 10,000.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "ccd/ccd_block.h"
#include "ccd/same_ccd.h"
#include "oracle/ccd_cases.h"
#include "oracle/dice.h"
#include "support/host_fp_environment.h"
#include "support/numbered_cases.h"

#define MOST 6000 /* pairs */

typedef struct pairs {
    tact_ccd_kind kind;
    size_t count;
    tact_ccd_points points;
    double *numbers; /* 24 rows */
    tact_ccd *alone, *together;
} pairs;

static tact_ccd ask_alone(const pairs *p, size_t i, const tact_ccd_def *def)
{
    tact_vec3 start[4], end[4];
    for (int k = 0; k < 4; k++) {
        const double *const *s = p->points.start[k], *const *e = p->points.end[k];
        start[k] = (tact_vec3){s[0][i], s[1][i], s[2][i]};
        end[k] = (tact_vec3){e[0][i], e[1][i], e[2][i]};
    }
    return p->kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, def) : tact_ccd_edge_edge(start, end, def);
}

/* Most of them ordinary, the others of all types; with `ties`, some are repeated.
 * Those from CCD_HUGE on are slow, and with a separation much slower. */
static pairs roll_pairs(dice *d, size_t count, bool ties, int types)
{
    pairs p = {.kind = (tact_ccd_kind)dice_pick(d, 2), .count = count};
    p.numbers = malloc((24 * count + 1) * sizeof *p.numbers);
    p.alone = malloc((count + 1) * sizeof *p.alone);
    p.together = malloc((count + 1) * sizeof *p.together);
    assert_true(p.numbers != NULL && p.alone != NULL && p.together != NULL);
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            p.points.start[k][c] = p.numbers + (size_t)(3 * k + c) * count;
            p.points.end[k][c] = p.numbers + (size_t)(12 + 3 * k + c) * count;
        }
    uint64_t number = dice_bits(d) % 1000000;
    for (size_t i = 0; i < count; i++) {
        /* the rest are slow, so rare */
        ccd_case_type type = dice_pick(d, 8) != 0 ? CCD_ORDINARY : (ccd_case_type)dice_pick(d, types);
        if (!ties || i == 0 || dice_pick(d, 3) != 0)
            number++;
        ccd_case c = ccd_case_make(type, p.kind, number);
        for (int k = 0; k < 4; k++) {
            const double *from = &c.start[k].x, *to = &c.end[k].x;
            for (int axis = 0; axis < 3; axis++) {
                p.numbers[(size_t)(3 * k + axis) * count + i] = from[axis];
                p.numbers[(size_t)(12 + 3 * k + axis) * count + i] = to[axis];
            }
        }
    }
    return p;
}

static void free_pairs(pairs *p)
{
    free(p->numbers);
    free(p->alone);
    free(p->together);
}

static tact_ccd_def roll_def(dice *d)
{
    static const double widths[] = {0x1p-40, 0x1p-40, 0.0, 0x1p-10, 0.3};
    tact_ccd_def def = tact_ccd_def_default();
    def.bracket_width = widths[dice_pick(d, 5)];
    def.velocities = dice_pick(d, 3) == 0;
    if (def.velocities)
        def.exit = dice_power(d, -2.0, 1.0);
    if (dice_pick(d, 3) == 0) {
        def.enter = def.exit * 0.6 * dice_unit(d);
        def.exit *= dice_between(d, 0.6, 1.0);
    }
    return def;
}

/* A host's parallel loop: backwards, in odd chunks. */
static void crooked_loop(void *context, size_t count, size_t grain, tact_task *task, void *task_data)
{
    (void)context;
    (void)grain;
    for (size_t end = count; end > 0;) {
        size_t length = 1 + end % 13 < end ? 1 + end % 13 : end;
        task(task_data, end - length, end);
        end -= length;
    }
}

static tact_parallel roll_parallel(int variant)
{
    return variant == 0 ? (tact_parallel){.loop = crooked_loop} : (tact_parallel){.threads = variant};
}

/* ---- all contacts ---- */

static int hits, misses, windows, velocities;

static void batch_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 1, 5);
    size_t count = number < 40 ? (size_t)number : number % 20 == 0 ? MOST : (size_t)dice_pick(&d, 200);
    pairs p = roll_pairs(&d, count, false, count < 60 ? CCD_CASE_TYPES : CCD_HUGE);
    tact_ccd_def def = roll_def(&d);
    const tact_ccd_def *given = number % 3 == 0 ? NULL : &def;
    velocities += given != NULL && def.velocities;
    windows += given != NULL && def.enter > 0.0;
    for (size_t i = 0; i < count; i++) {
        p.alone[i] = ask_alone(&p, i, given);
        hits += p.alone[i].state == TACT_HIT;
        misses += p.alone[i].state == TACT_MISS;
    }
    for (int variant = 0; variant < (count > 1000 ? 5 : 2); variant++) {
        tact_parallel parallel = roll_parallel(variant);
        memset(p.together, 0x55, (count + 1) * sizeof *p.together);
        tact_ccd beyond = p.together[count];
        tact_status status = tact_ccd_batch(p.kind, &p.points, count, given, p.together, &parallel);
        CHECK(status == TACT_OK, "status %d", status);
        CHECK(memcmp(&beyond, &p.together[count], sizeof beyond) == 0, "variant %d writes beyond %zu", variant, count);
        for (size_t i = 0; i < count; i++)
            CHECK(same_answer(&p.alone[i], &p.together[i]), "pair %zu of %zu, variant %d: [%a, %a] alone, [%a, %a]", i,
                  count, variant, p.alone[i].lower, p.alone[i].upper, p.together[i].lower, p.together[i].upper);
    }
    free_pairs(&p);
}

static void batches_answer_as_single_calls(void **state)
{
    (void)state;
    run_cases("batch", cases(60), batch_case);
    if (!few_cases()) {
        assert_true(hits > 500 && misses > 500);
        assert_true(windows > 5 && velocities > 5);
    }
}

/* ---- blocks ---- */

static int block_hits[2], block_misses[2], block_left, block_filled; /* by whether the window is the whole step */

/* A pair of any type in the lane of a block, in a unit of its own: large and small numbers must be left to others. */
static void set_lane(dice *d, tact_ccd_kind kind, ccd_block *block, int lane, tact_vec3 start[4], tact_vec3 end[4])
{
    static const double units[] = {1.0, 1.0, 1.0, 0x1p-95, 0x1p97, 0x1p-330, 0x1p330, 0x1p-900};
    const double unit = units[dice_pick(d, 8)];
    const bool ordinary = dice_pick(d, 3) != 0;
    const ccd_case_type type = ordinary ? CCD_ORDINARY : (ccd_case_type)dice_pick(d, CCD_HUGE);
    ccd_case c = ccd_case_make(type, kind, dice_bits(d) % 1000000);
    for (int k = 0; k < 4; k++) {
        double *from = &c.start[k].x, *to = &c.end[k].x;
        for (int axis = 0; axis < 3; axis++) {
            from[axis] *= unit;
            to[axis] *= unit;
            if (!(fabs(from[axis]) < INFINITY && fabs(to[axis]) < INFINITY))
                from[axis] = to[axis] = 0.0;
            block->start[k][axis][lane] = from[axis];
            block->end[k][axis][lane] = to[axis];
        }
        start[k] = c.start[k];
        end[k] = c.end[k];
    }
}

static void block_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 8, 5);
    const tact_ccd_kind kind = (tact_ccd_kind)dice_pick(&d, 2);
    const unsigned count = (unsigned)dice_pick(&d, CCD_BLOCK) + 1;
    ccd_block block = {0};
    tact_ccd alone[CCD_BLOCK], together[CCD_BLOCK];
    for (unsigned i = 0; i < count; i++) {
        tact_vec3 start[4], end[4];
        set_lane(&d, kind, &block, (int)i, start, end);
        alone[i] =
            kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, NULL) : tact_ccd_edge_edge(start, end, NULL);
        /* a window that contains all contacts: of a hit up to the end, of a miss any */
        const bool whole = dice_pick(&d, 2) == 0;
        const double first = dice_unit(&d), last = dice_unit(&d);
        block.enter[i] = whole ? 0.0 : alone[i].state == TACT_HIT ? alone[i].lower * first : fmin(first, last);
        block.exit[i] = whole || alone[i].state == TACT_HIT ? 1.0 : fmax(first, last);
        if (!whole && alone[i].state == TACT_HIT &&
            dice_pick(&d, 2) == 0) { /* or to the next cells, if it is the only one */
            tact_ccd_def later = tact_ccd_def_default();
            later.enter = fmin(alone[i].upper + 0x1p-30, 1.0);
            const tact_ccd again = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, &later)
                                                            : tact_ccd_edge_edge(start, end, &later);
            if (again.state == TACT_MISS)
                block.exit[i] = later.enter;
        }
    }
    ccd_block_answer decided, other;
    memset(&decided, 0, sizeof decided);
    memset(&other, 0, sizeof other);
    tact_ccd_solve8(kind, &block, count, &decided);
#if TACT_HAVE_AVX2
    if (TACT_CPU_HAS_AVX2) {
        tact_ccd_solve8_avx2(kind, &block, count, &other);
        CHECK(other.hits == decided.hits && other.misses == decided.misses && other.filled == decided.filled,
              "differs with AVX2");
    }
#endif
    tact_ccd_block_solve(kind, &block, count, together);
    for (unsigned i = 0; i < count; i++) {
        const int whole = block.enter[i] == 0.0 && block.exit[i] == 1.0;
        const bool hit = (decided.hits >> i & 1) != 0, miss = (decided.misses >> i & 1) != 0;
        CHECK(!(hit && miss) && (!hit || alone[i].state == TACT_HIT) && (!miss || alone[i].state == TACT_MISS),
              "lane %u: not so", i);
        CHECK(same_answer(&alone[i], &together[i]), "lane %u of %u: [%a, %a] alone, [%a, %a]", i, count, alone[i].lower,
              alone[i].upper, together[i].lower, together[i].upper);
        block_hits[whole] += hit;
        block_misses[whole] += miss;
        block_left += !hit && !miss;
        block_filled += (int)(decided.filled >> i & 1);
    }
}

static void blocks_answer_as_single_calls(void **state)
{
    (void)state;
    run_cases("block", cases(3000), block_case);
    printf("windows: %d hits, %d misses; whole steps: %d, %d; %d left; %d filled\n", block_hits[0], block_misses[0],
           block_hits[1], block_misses[1], block_left, block_filled);
    if (!few_cases()) {
        for (int whole = 0; whole < 2; whole++)
            assert_true(block_hits[whole] > 100 && block_misses[whole] > 500);
        assert_true(block_left > 500 && block_filled > 300);
    }
}

/* ---- the earliest contact ---- */

static int found, tied;

static void earliest_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 2, 5);
    size_t count = number < 20 ? (size_t)number : number % 20 == 0 ? MOST : (size_t)dice_pick(&d, 300);
    pairs p = roll_pairs(&d, count, number % 2 == 0, count < 60 ? CCD_CASE_TYPES : CCD_HUGE);
    tact_ccd_def def = roll_def(&d);
    if (number % 4 == 0) /* wide cells: many have the same lower end */
        def.bracket_width = 0.25;
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        p.alone[i] = ask_alone(&p, i, &def);
        if (p.alone[i].state == TACT_HIT && (best == count || p.alone[i].lower < p.alone[best].lower))
            best = i;
    }
    found += best < count;
    for (size_t i = best + 1; i < count && best < count; i++)
        if (p.alone[i].state == TACT_HIT && p.alone[i].lower == p.alone[best].lower) {
            tied++;
            break;
        }
    tact_ccd none = {.status = TACT_OK, .state = TACT_MISS};
    const tact_ccd *expected = best < count ? &p.alone[best] : &none;
    for (int variant = 0; variant < (count > 1000 ? 5 : 2); variant++) {
        tact_parallel parallel = roll_parallel(variant);
        size_t which = 12345678;
        tact_ccd answer = tact_ccd_earliest(p.kind, &p.points, count, &def, &which, &parallel);
        CHECK(which == best, "variant %d: %zu instead of %zu of %zu", variant, which, best, count);
        CHECK(same_answer(&answer, expected), "variant %d: [%a, %a] instead of [%a, %a]", variant, answer.lower,
              answer.upper, expected->lower, expected->upper);
    }
    free_pairs(&p);
}

static void earliest_is_the_first_of_all(void **state)
{
    (void)state;
    run_cases("earliest", cases(120), earliest_case);
    if (!few_cases()) {
        assert_true(found > 60);
        assert_true(tied > 20);
    }
}

/* ---- with a separation ---- */

static int near_hits;

static void separation_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 6, 5);
    pairs p = roll_pairs(&d, 1 + (size_t)dice_pick(&d, 60), false, CCD_HUGE);
    tact_ccd_def def = roll_def(&d);
    def.separation = dice_power(&d, -3.0, 0.0);
    size_t best = p.count, which = 0;
    CHECK(tact_ccd_batch(p.kind, &p.points, p.count, &def, p.together, NULL) == TACT_OK, "a batch fails");
    for (size_t i = 0; i < p.count; i++) {
        p.alone[i] = ask_alone(&p, i, &def);
        CHECK(same_answer(&p.alone[i], &p.together[i]), "pair %zu", i);
        near_hits += p.alone[i].state == TACT_HIT;
        if (p.alone[i].state == TACT_HIT && (best == p.count || p.alone[i].lower < p.alone[best].lower))
            best = i;
    }
    tact_ccd first = tact_ccd_earliest(p.kind, &p.points, p.count, &def, &which, NULL);
    CHECK(which == best && (best == p.count || same_answer(&first, &p.alone[best])), "%zu instead of %zu", which, best);
    free_pairs(&p);
}

static void separations_are_answered_in_bulk(void **state)
{
    (void)state;
    run_cases("separation", cases(10), separation_case);
    if (!few_cases())
        assert_true(near_hits > 12);
}

/* A block of pairs whose distance is near `separation`, above it by some 2^-21 of it or below: vertex and face, or two
 * edges, in planes or side by side, sliding, in any orientation; or anywhere. */
static void roll_near(dice *d, tact_ccd_kind kind, double separation, double size, tact_vec3 start[4], tact_vec3 end[4])
{
    const int variant = dice_pick(d, 4), axis = dice_pick(d, 3);
    const double side = dice_pick(d, 2) == 0 ? 1.0 : -1.0,
                 tilt = dice_pick(d, 2) == 0 ? 0.0 : dice_between(d, -3.0, 3.0);
    const int firsts = kind == TACT_EDGE_EDGE ? 2 : 1;
    for (int k = 0; k < 4; k++)
        for (int e = 0; e < 2; e++) {
            const double x = dice_between(d, -size, size), y = dice_between(d, -size, size);
            double z = dice_between(d, -size, size);
            if (variant != 0) {
                const double gap = separation * (1.0 + (dice_pick(d, 9) - 4) * 0x1p-21);
                z = k < firsts ? gap : variant == 1 ? 0.0 : -0.5 * size * dice_unit(d);
            }
            /* about y */
            const double u = cos(tilt) * x + sin(tilt) * z, w = cos(tilt) * z - sin(tilt) * x;
            double at[3];
            at[axis] = u;
            at[(axis + 1) % 3] = y;
            at[(axis + 2) % 3] = side * w;
            *(e == 0 ? &start[k] : &end[k]) = (tact_vec3){at[0], at[1], at[2]};
        }
}

static int near_left_out, near_kept, near_met;

static void near_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 7, 5);
    const tact_ccd_kind kind = (tact_ccd_kind)dice_pick(&d, 2);
    const double sizes[5] = {1.0, 1.0, 0x1p-119, 0x1p-280, 0x1p119};
    const double size = sizes[dice_pick(&d, 5)], separation = size * dice_power(&d, -4.0, 1.0);
    tact_ccd_def def = tact_ccd_def_default();
    def.separation = separation;
    const bool window = dice_pick(&d, 2) == 0;
    if (window) {
        def.enter = 0.6 * dice_unit(&d);
        def.exit = dice_between(&d, 0.6, 1.0);
    }
    ccd_block block;
    tact_vec3 start[CCD_BLOCK][4], end[CCD_BLOCK][4];
    tact_ccd_points points;
    for (int i = 0; i < CCD_BLOCK; i++) {
        roll_near(&d, kind, separation, size, start[i], end[i]);
        block.enter[i] = def.enter;
        block.exit[i] = def.exit;
    }
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            points.start[k][c] = block.start[k][c];
            points.end[k][c] = block.end[k][c];
            for (int i = 0; i < CCD_BLOCK; i++) {
                block.start[k][c][i] = (&start[i][k].x)[c];
                block.end[k][c][i] = (&end[i][k].x)[c];
            }
        }
    const double *enter = window ? block.enter : NULL;
    const unsigned bits = tact_ccd_filter8_separation(kind, &points, 0, enter, block.exit, separation);
    CHECK(bits == TACT_DISPATCH_AVX2(tact_ccd_filter8_separation, kind, &points, 0, enter, block.exit, separation),
          "not the same with AVX2");
    CHECK(bits == tact_ccd_block_filter_separation(kind, &block, separation), "not the same as a block");
    for (int i = 0; i < CCD_BLOCK; i++) {
        const tact_ccd alone = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start[i], end[i], &def)
                                                        : tact_ccd_edge_edge(start[i], end[i], &def);
        const bool kept = (bits >> i & 1) != 0;
        CHECK(kept || (alone.state == TACT_MISS && alone.status == TACT_OK), "lane %d is left out and meets", i);
        near_left_out += !kept;
        near_kept += kept && alone.state == TACT_MISS;
        near_met += alone.state == TACT_HIT;
    }
}

static void rejected_pairs_stay_separated(void **state)
{
    (void)state;
    run_cases("near", cases(400), near_case);
    if (few_cases())
        return;
    print_message("%d left out, %d others that stay apart, %d that come near\n", near_left_out, near_kept, near_met);
    assert_true(near_left_out > 300 && near_kept > 100 && near_met > 500);
}

/* ---- floating-point environment ---- */

/* All answers and the earliest one are those of the default environment, and the host's settings are unchanged. */
static void settings_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 7, 5);
    pairs p = roll_pairs(&d, number % 10 == 0 ? MOST / 2 : 1 + (size_t)dice_pick(&d, 40), number % 2 == 0, CCD_HUGE);
    tact_ccd_def def = roll_def(&d);
    size_t expected = 0;
    CHECK(tact_ccd_batch(p.kind, &p.points, p.count, &def, p.alone, NULL) == TACT_OK, "a batch fails");
    tact_ccd first = tact_ccd_earliest(p.kind, &p.points, p.count, &def, &expected, NULL);
    for (int m = 1; m < ENVIRONMENTS; m++) {
        size_t which = 0;
        tact_parallel parallel = roll_parallel(m % 3);
        set_environment(m);
        tact_status status = tact_ccd_batch(p.kind, &p.points, p.count, &def, p.together, &parallel);
        tact_ccd other = tact_ccd_earliest(p.kind, &p.points, p.count, &def, &which, &parallel);
        bool kept = environment_is(m);
        set_environment(0);
        CHECK(status == TACT_OK && kept, "settings %d: status %d, kept %d", m, status, kept);
        for (size_t i = 0; i < p.count; i++)
            CHECK(same_answer(&p.alone[i], &p.together[i]), "settings %d: pair %zu", m, i);
        CHECK(which == expected && same_answer(&first, &other), "settings %d: %zu instead of %zu", m, which, expected);
    }
    free_pairs(&p);
}

/* Times below 2^-1022, in different slices: the earlier one is behind, and found last. */
static void tiny_times_have_an_order(void)
{
    enum { COUNT = 4096, LATER = 10, EARLIER = 3000 };
    static const tact_vec3 place[4] = {{0.25, 0.25, 1.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    static double start[4][3][COUNT], end[4][3][COUNT];
    tact_ccd_points points;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            points.start[k][c] = start[k][c];
            points.end[k][c] = end[k][c];
            for (size_t i = 0; i < COUNT; i++)
                start[k][c][i] = (&place[k].x)[c];
        }
    start[0][2][LATER] = 2e-10, end[0][2][LATER] = -1e300;
    start[0][2][EARLIER] = 1e-10, end[0][2][EARLIER] = -1e300;
    tact_ccd_def def = tact_ccd_def_default();
    def.velocities = true;
    def.exit = 1e-300;
    def.bracket_width = 0.0;
    tact_parallel parallel = {.threads = 1};
    for (int m = 0; m < ENVIRONMENTS; m++) {
        size_t which = 0;
        set_environment(m);
        tact_ccd first = tact_ccd_earliest(TACT_VERTEX_FACE, &points, COUNT, &def, &which, &parallel);
        set_environment(0);
        assert_int_equal(which, EARLIER);
        assert_true(first.state == TACT_HIT && first.lower > 0.0 && first.upper < 0x1p-1022);
    }
}

/* An argument that is invalid by less than 2^-1022 is invalid. */
static void tiny_mistakes_are_reported(void)
{
    dice d = dice_for(1, 8, 5);
    pairs p = roll_pairs(&d, 10, false, CCD_HUGE);
    tact_ccd_def defs[4];
    for (int i = 0; i < 4; i++)
        defs[i] = tact_ccd_def_default();
    defs[0].enter = 1e-310, defs[0].exit = 5e-311;
    defs[1].bracket_width = -1e-310;
    defs[2].separation = -1e-310;
    defs[3].enter = -1e-310;
    for (int m = 0; m < ENVIRONMENTS; m++)
        for (int i = 0; i < 4; i++) {
            set_environment(m);
            tact_status all = tact_ccd_batch(p.kind, &p.points, 10, &defs[i], p.together, NULL);
            tact_status one = tact_ccd_earliest(p.kind, &p.points, 10, &defs[i], NULL, NULL).status;
            set_environment(0);
            assert_int_equal(all, TACT_BAD_ARGUMENT);
            assert_int_equal(one, TACT_BAD_ARGUMENT);
        }
    free_pairs(&p);
}

static void the_hosts_settings_do_not_matter(void **state)
{
    (void)state;
    run_cases("settings", cases(40), settings_case);
    tiny_times_have_an_order();
    tiny_mistakes_are_reported();
}

/* ---- bad arguments ---- */

static const double odd_numbers[] = {NAN, INFINITY, -INFINITY};

/* One number of one pair is NaN: that pair reports it, the others are answered, and there is no earliest. */
static void bad_number_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 3, 5);
    pairs p = roll_pairs(&d, 8 + (size_t)dice_pick(&d, 20), false, CCD_HUGE);
    tact_ccd_def def = roll_def(&d);
    size_t bad = (size_t)dice_pick(&d, (int)p.count);
    p.numbers[(size_t)(number % 24) * p.count + bad] = odd_numbers[dice_pick(&d, 3)];
    CHECK(tact_ccd_batch(p.kind, &p.points, p.count, &def, p.together, NULL) == TACT_OK, "a batch fails");
    for (size_t i = 0; i < p.count; i++) {
        tact_ccd alone = ask_alone(&p, i, &def);
        CHECK(same_answer(&alone, &p.together[i]), "pair %zu", i);
        CHECK((alone.status == TACT_BAD_ARGUMENT) == (i == bad), "pair %zu: status %d", i, alone.status);
        CHECK(alone.status == TACT_OK || alone.state == TACT_UNKNOWN, "pair %zu", i);
    }
    size_t which = 0;
    tact_ccd first = tact_ccd_earliest(p.kind, &p.points, p.count, &def, &which, NULL);
    CHECK(first.status == TACT_BAD_ARGUMENT && first.state == TACT_UNKNOWN && which == p.count, "status %d of %zu",
          first.status, which);
    free_pairs(&p);
}

static void numbers_that_are_not_finite_are_reported(void **state)
{
    (void)state;
    run_cases("bad", cases(240), bad_number_case);
}

static void bad_arguments_are_reported(void **state)
{
    (void)state;
    dice d = dice_for(1, 4, 5);
    pairs p = roll_pairs(&d, 10, false, CCD_HUGE);
    tact_ccd_def usual = tact_ccd_def_default(), defs[14];
    for (int i = 0; i < 14; i++)
        defs[i] = usual;
    defs[0].enter = -0x1p-1074;
    defs[1].enter = NAN;
    defs[2].exit = NAN;
    defs[3].exit = nextafter(1.0, 2.0);
    defs[4].enter = 0.5, defs[4].exit = 0.25;
    defs[5].exit = INFINITY, defs[5].velocities = true;
    defs[6].bracket_width = -1.0;
    defs[7].bracket_width = NAN;
    defs[8].bracket_width = INFINITY;
    defs[9].separation = -1e-300;
    defs[10].separation = NAN;
    defs[11].separation = INFINITY;
    defs[12].exit = -1.0, defs[12].enter = -2.0;
    defs[13].enter = INFINITY, defs[13].exit = INFINITY, defs[13].velocities = true;
    for (int i = 0; i < 14; i++) {
        assert_int_equal(tact_ccd_batch(p.kind, &p.points, 10, &defs[i], p.together, NULL), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_ccd_batch(p.kind, &p.points, 0, &defs[i], p.together, NULL), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_ccd_earliest(p.kind, &p.points, 10, &defs[i], NULL, NULL).status, TACT_BAD_ARGUMENT);
    }
    assert_int_equal(tact_ccd_batch(p.kind, NULL, 10, NULL, p.together, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_ccd_batch(p.kind, &p.points, 10, NULL, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_ccd_batch((tact_ccd_kind)2, &p.points, 10, NULL, p.together, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_ccd_earliest((tact_ccd_kind)-1, &p.points, 10, NULL, NULL, NULL).status, TACT_BAD_ARGUMENT);
    for (int i = 0; i < 24; i++) {
        tact_ccd_points holes = p.points;
        (i < 12 ? holes.start : holes.end)[i % 12 / 3][i % 3] = NULL;
        size_t which = 0;
        assert_int_equal(tact_ccd_batch(p.kind, &holes, 10, NULL, p.together, NULL), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_ccd_earliest(p.kind, &holes, 10, NULL, &which, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(which, 10);
    }
    /* an empty batch is valid */
    size_t which = 7;
    assert_int_equal(tact_ccd_batch(p.kind, NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_ccd_earliest(p.kind, NULL, 0, NULL, &which, NULL).state, TACT_MISS);
    assert_int_equal(which, 0);
    assert_int_equal(tact_ccd_earliest(p.kind, &p.points, 10, NULL, NULL, NULL).status, TACT_OK);
    free_pairs(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_answer_as_single_calls),           cmocka_unit_test(earliest_is_the_first_of_all),
        cmocka_unit_test(separations_are_answered_in_bulk),         cmocka_unit_test(rejected_pairs_stay_separated),
        cmocka_unit_test(numbers_that_are_not_finite_are_reported), cmocka_unit_test(bad_arguments_are_reported),
        cmocka_unit_test(the_hosts_settings_do_not_matter),         cmocka_unit_test(blocks_answer_as_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
