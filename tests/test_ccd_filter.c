/*
 * The filter of continuous collision against the integers (tact_ccd_exact), which share none of its arithmetic: what it answers is true, to the last bit
 * of the bracket, for windows, velocities and widths of all kinds, and it answers what it should. The first stages, side by side, never leave out a
 * contact, in any rounding mode, with and without flush-to-zero, and give the same bits with AVX2.
 *
 * A failure prints its case; TACT_TEST_SEED=n runs that number of each type alone. TACT_TEST_LONG=1 runs 10,000 of each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/avx2.h"
#include "math/environment.h"
#include "narrow/ccd_block.h"
#include "narrow/ccd_filter.h"
#include "numbered_cases.h"
#include "oracle/ccd_cases.h"
#include "oracle/dice.h"

#define FEW 300 /* numbers of each type, kind and question */

typedef enum question { WHOLE, WINDOW, VELOCITIES, QUESTIONS } question;

typedef struct tally {
    int count, meet, apart, unsure; /* by the filter */
    int hits;                       /* in truth */
} tally;

static tally tallies[CCD_CASE_TYPES][QUESTIONS];

/* ---- cases --------------------------------------------------------------------------------------------------------------------- */

static tact_ccd_def roll_def(dice *d, question q)
{
    static const double widths[] = {0x1p-40, 0x1p-40, 0.0, 0x1p-20, 0x1p-60, 0.3, 1e-9, 1e3};
    tact_ccd_def def = tact_ccd_def_default();
    def.width = widths[dice_pick(d, 8)];
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
    return memcmp(&bracket[0], &truth->from, sizeof(double)) == 0 &&
           memcmp(&bracket[1], &truth->to, sizeof(double)) == 0;
}

static void compare_with_integers(const char *what, int number)
{
    for (int type = 0; type < CCD_CASE_TYPES; type++)
        for (int kind = 0; kind < 2; kind++)
            for (int q = 0; q < QUESTIONS; q++) {
                ccd_case c = ccd_case_make((ccd_case_type)type, (tact_ccd_kind)kind, (uint64_t)number);
                dice d = dice_for((uint64_t)number, (uint64_t)(type * 8 + kind * 4 + q), 77);
                tact_ccd_def def = roll_def(&d, (question)q);
                double bracket[2] = {-1.0, -1.0};
                ccd_verdict verdict = tact_ccd_filter(c.kind, c.start, c.end, &def, bracket);
                tact_ccd truth = tact_ccd_exact(c.kind, c.start, c.end, &def);
                tally *t = &tallies[type][q];
                t->count++;
                t->hits += truth.state == TACT_HIT;
                t->meet += verdict == CCD_MEET;
                t->apart += verdict == CCD_APART;
                t->unsure += verdict == CCD_UNSURE;
                CHECK(verdict != CCD_APART || truth.state == TACT_MISS,
                      "%s kind %d question %d: a contact at %a is missed", ccd_case_names[type], kind, q, truth.from);
                CHECK(verdict != CCD_MEET ||
                          (truth.state == TACT_HIT && !truth.degenerate && same_times(bracket, &truth)),
                      "%s kind %d question %d: [%a, %a] instead of [%a, %a]", ccd_case_names[type], kind, q, bracket[0],
                      bracket[1], truth.from, truth.to);
            }
}

static void filter_agrees_with_integers(void **state)
{
    (void)state;
    run_cases("compare", cases(FEW), compare_with_integers);
    if (!all_cases())
        return;
    for (int type = 0; type < CCD_CASE_TYPES; type++)
        for (int q = 0; q < QUESTIONS; q++) {
            const tally *t = &tallies[type][q];
            if (getenv("TACT_TEST_TABLE") != NULL)
                print_message("%-10s %d: %6d, %6d hits; meet %6d apart %6d unsure %6d\n", ccd_case_names[type], q,
                              t->count, t->hits, t->meet, t->apart, t->unsure);
        }
    for (int q = 0; q < QUESTIONS; q++) {
        const tally *t = &tallies[CCD_ORDINARY][q];
        assert_true(t->meet > t->count / 200);
        assert_true(t->meet > t->hits * 9 / 10); /* it is of use */
        assert_true(t->unsure < t->count / 50);
        assert_true(tallies[CCD_PLANTED][q].meet > t->count / 200);
        assert_true(tallies[CCD_COPLANAR][q].unsure > t->count / 20); /* and they are degenerate */
        assert_true(tallies[CCD_SLIDING][q].apart > 0);
    }
}

/* ---- rounding ------------------------------------------------------------------------------------------------------------------ */

#define MODES 8

/* A rounding mode, with and without flush-to-zero. */
static bool set_mode(int mode)
{
    static const int rounding[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    bool done = fesetround(rounding[mode % 4]) == 0;
#if defined(__SSE2__)
    if (mode >= 4)
        _mm_setcsr(_mm_getcsr() | 0x8040u); /* flush to zero, denormals are zero */
#endif
    return done;
}

static ccd_block roll_block(int type, tact_ccd_kind kind, int number, question q)
{
    ccd_block block;
    for (int i = 0; i < CCD_BLOCK; i++) {
        ccd_case c = ccd_case_make((ccd_case_type)type, kind, (uint64_t)(number * CCD_BLOCK + i));
        dice d = dice_for((uint64_t)number, (uint64_t)(type * 8 + (int)kind * 4 + (int)q), (uint64_t)(100 + i));
        tact_ccd_def def = roll_def(&d, q);
        for (int k = 0; k < 4; k++) {
            const double *from = &c.start[k].x, *to = &c.end[k].x;
            for (int axis = 0; axis < 3; axis++) {
                block.start[k][axis][i] = from[axis];
                block.end[k][axis][i] = to[axis];
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
        return tact_ccd_maybe_avx2(kind, &points, 0, enter, exit, q == VELOCITIES, true);
#endif
    (void)avx2;
    return tact_ccd_maybe(kind, &points, 0, enter, exit, q == VELOCITIES, true);
}

static int kept, left_out;

static void ask_in_all_modes(const char *what, int number)
{
    for (int type = 0; type < CCD_CASE_TYPES; type++)
        for (int kind = 0; kind < 2; kind++)
            for (int q = 0; q < QUESTIONS; q++) {
                ccd_block block = roll_block(type, (tact_ccd_kind)kind, number, (question)q);
                unsigned hits = 0, found[MODES], other[MODES], blocks[MODES] = {0};
                for (int mode = 0; mode < MODES; mode++) {
                    environment before = environment_enter();
                    bool set = set_mode(mode);
                    found[mode] = ask(&block, (tact_ccd_kind)kind, (question)q, false);
                    other[mode] = ask(&block, (tact_ccd_kind)kind, (question)q, true);
                    if (q != VELOCITIES)
                        blocks[mode] = tact_ccd_block_maybe((tact_ccd_kind)kind, &block);
                    environment_leave(before);
                    CHECK(set, "mode %d", mode);
                }
                for (int i = 0; i < CCD_BLOCK; i++) {
                    tact_vec3 start[4], end[4];
                    for (int k = 0; k < 4; k++) {
                        start[k] = (tact_vec3){block.start[k][0][i], block.start[k][1][i], block.start[k][2][i]};
                        end[k] = (tact_vec3){block.end[k][0][i], block.end[k][1][i], block.end[k][2][i]};
                    }
                    tact_ccd_def def = {.enter = block.enter[i],
                                        .exit = block.exit[i],
                                        .width = 0x1p-40,
                                        .velocities = q == VELOCITIES};
                    if (tact_ccd_exact((tact_ccd_kind)kind, start, end, &def).state == TACT_HIT)
                        hits |= 1u << i;
                }
                for (int mode = 0; mode < MODES; mode++) {
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

static void first_stages_hold_in_every_environment(void **state)
{
    (void)state;
    run_cases("modes", cases(FEW / 10), ask_in_all_modes);
    if (all_cases()) {
        assert_true(left_out > kept / 4); /* they are of use, even here */
        assert_true(kept > left_out / 100);
    }
}

/* A pair that is given in any environment is answered alike, and the environment is left as it was. */
static void answers_do_not_depend_on_the_environment(const char *what, int number)
{
    for (int type = 0; type < CCD_CASE_TYPES; type++) {
        tact_ccd_kind kind = (tact_ccd_kind)(number % 2);
        ccd_case c = ccd_case_make((ccd_case_type)type, kind, (uint64_t)number);
        tact_ccd first = {0};
        for (int mode = 0; mode < MODES; mode++) {
            environment before = environment_enter();
            (void)set_mode(mode);
            int rounding = fegetround();
            tact_ccd answer = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(c.start, c.end, NULL)
                                                       : tact_ccd_edge_edge(c.start, c.end, NULL);
            int after = fegetround();
            environment_leave(before);
            CHECK(rounding == after, "the rounding mode was %d and is %d", rounding, after);
            if (mode == 0)
                first = answer;
            CHECK(answer.state == first.state && answer.from == first.from && answer.to == first.to &&
                      memcmp(answer.weights, first.weights, sizeof first.weights) == 0 &&
                      memcmp(&answer.normal, &first.normal, sizeof first.normal) == 0,
                  "%s: [%a, %a] in mode %d instead of [%a, %a]", ccd_case_names[type], answer.from, answer.to, mode,
                  first.from, first.to);
        }
    }
}

static void environment_does_not_matter(void **state)
{
    (void)state;
    run_cases("environment", cases(FEW / 4), answers_do_not_depend_on_the_environment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_agrees_with_integers),
        cmocka_unit_test(first_stages_hold_in_every_environment),
        cmocka_unit_test(environment_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
