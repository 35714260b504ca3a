/*
 * The floating-point filter of continuous collision detection against the exact solver (tact_ccd_exact), which shares
 * none of its arithmetic: its answers are true, to the last bit of the bracket, for windows, velocities and widths of
 * all kinds, and it decides what it should. The SIMD filter never rejects a contact, in any rounding mode, with and
 * without flush-to-zero, and gives the same bits with AVX2.
 *
 * A failure prints its case; TACT_TEST_SEED=n runs that case alone.
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

#include "ccd/ccd_block.h"
#include "ccd/ccd_filter.h"
#include "core/avx2.h"
#include "oracle/ccd_cases.h"
#include "oracle/dice.h"
#include "support/host_fp_environment.h"
#include "support/numbered_cases.h"

#define FEW 120 /* counts of each type, kind and query */

typedef enum question { WHOLE, WINDOW, VELOCITIES, QUESTIONS } question;

typedef struct tally {
    int count, meet, apart, unsure; /* by the filter */
    int hits;                       /* in truth */
} tally;

static tally tallies[CCD_CASE_TYPES][QUESTIONS];

/* With TACT_TEST_LONG=1. */
static void print_tally(const char *type, int q, const tally *t)
{
    if (getenv("TACT_TEST_LONG") != NULL)
        print_message("%-10s %d: %6d, %6d hits; meet %6d apart %6d unsure %6d\n", type, q, t->count, t->hits, t->meet,
                      t->apart, t->unsure);
}

/* ---- cases ---- */

static tact_ccd_def roll_def(dice *d, question q)
{
    static const double widths[] = {0x1p-40, 0x1p-40, 0.0, 0x1p-20, 0x1p-60, 0.3, 1e-9, 1e3};
    tact_ccd_def def = tact_ccd_def_default();
    def.bracket_width = widths[dice_pick(d, 8)];
    def.velocities = q == VELOCITIES;
    if (q == VELOCITIES)
        def.exit = dice_pick(d, 3) == 0 ? 1.0 : dice_power(d, -3.0, 2.0);
    if (q == WINDOW || (q == VELOCITIES && dice_pick(d, 2) == 0)) {
        double a = def.exit * dice_unit(d), b = def.exit * dice_unit(d);
        def.enter = dice_pick(d, 4) == 0 ? 0.0 : a < b ? a : b;
        def.exit = dice_pick(d, 4) == 0 ? def.exit : a < b ? b : a;
        if (dice_pick(d, 20) == 0)
            def.exit = def.enter;
    }
    return def;
}

static bool same_times(const double bracket[2], const tact_ccd *truth)
{
    return memcmp(&bracket[0], &truth->lower, sizeof(double)) == 0 &&
           memcmp(&bracket[1], &truth->upper, sizeof(double)) == 0;
}

/* The answers of the filter and of the exact solver. */
static tact_ccd compare(const char *what, int number, const char *type, const ccd_case *c, const tact_ccd_def *def,
                        tally *t)
{
    double bracket[2] = {-1.0, -1.0};
    ccd_filter_result result = tact_ccd_filter(c->kind, c->start, c->end, def, bracket);
    tact_ccd truth = tact_ccd_exact(c->kind, c->start, c->end, def);
    t->count++;
    t->hits += truth.state == TACT_HIT;
    t->meet += result == CCD_FILTER_HIT;
    t->apart += result == CCD_FILTER_MISS;
    t->unsure += result == CCD_FILTER_UNDECIDED;
    int kind = (int)c->kind;
    CHECK(result != CCD_FILTER_MISS || truth.state == TACT_MISS, "%s kind %d: a contact at %a is missed", type, kind,
          truth.lower);
    CHECK(result != CCD_FILTER_HIT || (truth.state == TACT_HIT && !truth.degenerate && same_times(bracket, &truth)),
          "%s kind %d: [%a, %a] instead of [%a, %a]", type, kind, bracket[0], bracket[1], truth.lower, truth.upper);
    if (result == CCD_FILTER_HIT) {
        tact_ccd whole = tact_ccd_solve(c->kind, c->start, c->end, def);
        CHECK(memcmp(whole.weights, truth.weights, sizeof truth.weights) == 0 &&
                  memcmp(&whole.normal, &truth.normal, sizeof truth.normal) == 0,
              "%s kind %d: other weights or another normal", type, kind);
    }
    return truth;
}

static void compare_with_integers(const char *what, int number)
{
    for (int type = 0; type < CCD_CASE_TYPES; type++)
        for (int kind = 0; kind < 2; kind++)
            for (int q = 0; q < QUESTIONS; q++) {
                ccd_case c = ccd_case_make((ccd_case_type)type, (tact_ccd_kind)kind, (uint64_t)number);
                dice d = dice_for((uint64_t)number, (uint64_t)(type * 8 + kind * 4 + q), 77);
                tact_ccd_def def = roll_def(&d, (question)q);
                (void)compare(what, number, ccd_case_names[type], &c, &def, &tallies[type][q]);
            }
}

/* ---- rounding decides ---- */

static tally flat_tally, half_tally;

/* All four points nearly in a skew plane all the time: from a fraction of an ulp off it to a million. */
static void flat_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 90, 1);
    tact_vec3 slope = {dice_between(&d, -1.0, 1.0), dice_between(&d, -1.0, 1.0), 0.0};
    double off = dice_power(&d, -17.0, -10.0);
    ccd_case c = {.kind = (tact_ccd_kind)dice_pick(&d, 2)};
    for (int k = 0; k < 8; k++) {
        double x = dice_normal(&d), y = dice_normal(&d);
        tact_vec3 p = {x, y, slope.x * x + slope.y * y + off * dice_normal(&d)};
        *(k < 4 ? &c.start[k] : &c.end[k - 4]) = p;
    }
    tact_ccd_def def = roll_def(&d, (question)dice_pick(&d, 3));
    (void)compare(what, number, "flat", &c, &def, &flat_tally);
}

/* In one plane x + y + z = const at t = 1/2, exactly, with numbers that fill a double: no product of three of their
 * differences fits a double-double. That time is on the grid, and only integers can decide it. */
static double roll_fine(dice *d) { return floor(dice_between(d, -0x1p50, 0x1p50)) * 0x1p-50; }

static void half_case(const char *what, int number)
{
    dice d = dice_for((uint64_t)number, 91, 1);
    ccd_case c = {.kind = (tact_ccd_kind)dice_pick(&d, 2)};
    for (int k = 0; k < 4; k++) {
        double x = roll_fine(&d), y = roll_fine(&d);
        if (c.kind == TACT_VERTEX_FACE && k == 0) /* more often inside */
            x = floor(x * 0x1p48) * 0x1p-50, y = floor(y * 0x1p48) * 0x1p-50;
        tact_vec3 half = {x, y, 0.5 - x - y}, s = {roll_fine(&d), roll_fine(&d), roll_fine(&d)};
        c.start[k] = s;
        c.end[k] = (tact_vec3){2.0 * half.x - s.x, 2.0 * half.y - s.y, 2.0 * half.z - s.z};
    }
    tact_ccd_def def = tact_ccd_def_default();
    tact_ccd truth = compare(what, number, "half", &c, &def, &half_tally);
    CHECK(truth.state != TACT_HIT || truth.lower != 0.5 || truth.upper == 0.5, "[%a, %a]", truth.lower, truth.upper);
}

static void bounds_hold_where_rounding_decides(void **state)
{
    (void)state;
    run_cases("flat", cases(20 * FEW), flat_case);
    run_cases("half", cases(3 * FEW), half_case);
    print_tally("flat", 0, &flat_tally);
    print_tally("half", 0, &half_tally);
    if (!few_cases()) {
        assert_true(flat_tally.unsure > flat_tally.count / 20 && flat_tally.meet > flat_tally.count / 100);
        assert_true(half_tally.unsure > half_tally.count / 20);
    }
}

static void filter_agrees_with_integers(void **state)
{
    (void)state;
    run_cases("compare", cases(FEW), compare_with_integers);
    if (few_cases())
        return;
    for (int type = 0; type < CCD_CASE_TYPES; type++)
        for (int q = 0; q < QUESTIONS; q++)
            print_tally(ccd_case_names[type], q, &tallies[type][q]);
    for (int q = 0; q < QUESTIONS; q++) {
        const tally *t = &tallies[CCD_ORDINARY][q];
        assert_true(t->meet > t->count / 200);
        assert_true(t->meet > t->hits * 9 / 10); /* the filter decides enough */
        assert_true(t->unsure < t->count / 50);
        assert_true(tallies[CCD_PLANTED][q].meet > t->count / 200);
        assert_true(tallies[CCD_COPLANAR][q].unsure > t->count / 20); /* and they are degenerate */
        assert_true(tallies[CCD_SLIDING][q].apart > 0);
    }
}

/* ---- rounding ---- */

/* Speeds are made up to 2^1023 and times as much shorter, so that most are below 2^-1022: by which power of two? */
static int hurry(dice *d, const ccd_case *c, tact_ccd_def *def)
{
    double most = 0.0;
    for (int k = 0; k < 4; k++)
        most = fmax(most, fmax(fabs(c->end[k].x), fmax(fabs(c->end[k].y), fabs(c->end[k].z))));
    if (!(most > 0x1p-300 && most < 0x1p300))
        return 0;
    int faster = 1023 - ilogb(most) - dice_pick(d, 6);
    def->enter = ldexp(def->enter, -faster);
    def->exit = ldexp(def->exit, -faster);
    return faster;
}

static ccd_block roll_block(int type, tact_ccd_kind kind, int number, question q)
{
    ccd_block block;
    for (int i = 0; i < CCD_BLOCK; i++) {
        ccd_case c = ccd_case_make((ccd_case_type)type, kind, (uint64_t)(number * CCD_BLOCK + i));
        dice d = dice_for((uint64_t)number, (uint64_t)(type * 8 + (int)kind * 4 + (int)q), (uint64_t)(100 + i));
        tact_ccd_def def = roll_def(&d, q);
        int faster = q == VELOCITIES && number % 2 == 0 ? hurry(&d, &c, &def) : 0;
        for (int k = 0; k < 4; k++) {
            const double *from = &c.start[k].x, *to = &c.end[k].x;
            for (int axis = 0; axis < 3; axis++) {
                block.start[k][axis][i] = from[axis];
                block.end[k][axis][i] = ldexp(to[axis], faster);
            }
        }
        block.enter[i] = def.enter;
        block.exit[i] = def.exit;
    }
    return block;
}

static unsigned ask(const ccd_block *block, tact_ccd_kind kind, question q, bool avx2)
{
    tact_ccd_points points;
    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++) {
            points.start[k][axis] = block->start[k][axis];
            points.end[k][axis] = block->end[k][axis];
        }
    const double *enter = q == WHOLE ? NULL : block->enter, *exit = q == WHOLE ? NULL : block->exit;
#if TACT_HAVE_AVX2
    if (avx2 && TACT_CPU_HAS_AVX2)
        return tact_ccd_filter8_avx2(kind, &points, 0, enter, exit, q == VELOCITIES, true);
#endif
    (void)avx2;
    return tact_ccd_filter8(kind, &points, 0, enter, exit, q == VELOCITIES, true);
}

static int kept, left_out, fleeting;

static void ask_in_all_modes(const char *what, int number)
{
    for (int type = 0; type < CCD_CASE_TYPES; type++)
        for (int kind = 0; kind < 2; kind++)
            for (int q = 0; q < QUESTIONS; q++) {
                ccd_block block = roll_block(type, (tact_ccd_kind)kind, number, (question)q);
                unsigned hits = 0, found[ENVIRONMENTS], other[ENVIRONMENTS], blocks[ENVIRONMENTS] = {0};
                for (int mode = 0; mode < ENVIRONMENTS; mode++) {
                    set_environment(mode);
                    found[mode] = ask(&block, (tact_ccd_kind)kind, (question)q, false);
                    other[mode] = ask(&block, (tact_ccd_kind)kind, (question)q, true);
                    if (q != VELOCITIES)
                        blocks[mode] = tact_ccd_block_filter((tact_ccd_kind)kind, &block);
                    set_environment(0);
                }
                for (int i = 0; i < CCD_BLOCK; i++) {
                    tact_vec3 start[4], end[4];
                    for (int k = 0; k < 4; k++) {
                        start[k] = (tact_vec3){block.start[k][0][i], block.start[k][1][i], block.start[k][2][i]};
                        end[k] = (tact_vec3){block.end[k][0][i], block.end[k][1][i], block.end[k][2][i]};
                    }
                    tact_ccd_def def = {.enter = block.enter[i],
                                        .exit = block.exit[i],
                                        .bracket_width = 1.0,
                                        .velocities = q == VELOCITIES};
                    if (tact_ccd_exact((tact_ccd_kind)kind, start, end, &def).state == TACT_HIT)
                        hits |= 1u << i;
                    fleeting += (hits >> i & 1) != 0 && block.exit[i] < 0x1p-1022;
                }
                for (int mode = 0; mode < ENVIRONMENTS; mode++) {
                    CHECK((hits & ~found[mode]) == 0, "%s kind %d question %d mode %d: %x of %x", ccd_case_names[type],
                          kind, q, mode, found[mode], hits);
                    CHECK(found[mode] == other[mode], "%s kind %d question %d mode %d: %x, with AVX2 %x",
                          ccd_case_names[type], kind, q, mode, found[mode], other[mode]);
                    CHECK(q == VELOCITIES || (hits & ~blocks[mode]) == 0,
                          "%s kind %d question %d mode %d: block %x of %x", ccd_case_names[type], kind, q, mode,
                          blocks[mode], hits);
                }
                for (int i = 0; i < CCD_BLOCK; i++) {
                    kept += (found[0] >> i & 1) != 0;
                    left_out += (found[0] >> i & 1) == 0;
                }
            }
}

static void simd_filter_holds_in_every_environment(void **state)
{
    (void)state;
    run_cases("modes", cases(FEW / 10), ask_in_all_modes);
    if (!few_cases()) {
        assert_true(left_out > kept / 4); /* they reject some, even here */
        assert_true(kept > left_out / 100);
        assert_true(fleeting > 100); /* hits in windows that end below 2^-1022 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_agrees_with_integers),
        cmocka_unit_test(bounds_hold_where_rounding_decides),
        cmocka_unit_test(simd_filter_holds_in_every_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
