/*
 * Vertex-face and edge-edge continuous collision detection against an oracle in algebraic numbers (tests/oracle/ccd.c):
 * thousands of random queries, most of them degenerate, with positions, with velocities and in time windows. The state
 * and `degenerate` must be right, the bracket must contain the exact time, and the contact points must coincide there.
 * A failure prints the query; TACT_TEST_SEED=n repeats case n.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <tact/ccd.h>

#include "ccd/feature_ccd.h"
#include "ccd/same_ccd.h"
#include "oracle/ccd.h"
#include "oracle/ccd_cases.h"
#include "support/host_fp_environment.h"
#include "support/long_form.h"
#include "support/random.h"

/* Weights are doubles. The contact points agree up to this fraction of the largest coordinate, some errors of a
 * difference of points at a time, and up to so many times what a coordinate changes within the bracket: both may move,
 * along all axes, from anywhere in it. */
#define WEIGHT_ERROR 0x1p-43
#define WEIGHT_MOVES 6

/* The error of a normal, besides its rotation within the bracket. */
#define NORMAL_ERROR 1e-9

typedef struct question {
    ccd_case query;
    tact_ccd_def def;
    ccd_case_type type;
    uint64_t number;
} question;

static ccd_truth truth;

static void question_print(const question *q)
{
    print_error("%s %s: TACT_TEST_SEED=%llu; enter %a exit %a width %a velocities %d\n",
                q->query.kind == TACT_VERTEX_FACE ? "vf" : "ee", ccd_case_names[q->type], (unsigned long long)q->number,
                q->def.enter, q->def.exit, q->def.bracket_width, q->def.velocities);
    ccd_case_print(stderr, &q->query);
}

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("%s: ", #condition);                                                                           \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            question_print(q);                                                                                         \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static tact_ccd ask(const question *q)
{
    return q->query.kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(q->query.start, q->query.end, &q->def)
                                             : tact_ccd_edge_edge(q->query.start, q->query.end, &q->def);
}

static bool is_blank(const tact_ccd *answer)
{
    const tact_ccd blank = {.status = answer->status, .state = answer->state};
    return same_answer(answer, &blank);
}

/* ---- one answer ---- */

static void keep_largest(mpq_t most, const mpq_t x)
{
    mpq_t size;
    mpq_init(size);
    mpq_abs(size, x);
    if (mpq_cmp(size, most) > 0)
        mpq_set(most, size);
    mpq_clear(size);
}

static void scale(mpq_t x, long power)
{
    if (power < 0)
        mpq_div_2exp(x, x, (mp_bitcnt_t)-power);
    else
        mpq_mul_2exp(x, x, (mp_bitcnt_t)power);
}

/* The contact points of A and B agree at `lower`, in rational numbers, up to what they move within the bracket and the
 * rounding of the weights. */
static void check_weights(const question *q, const tact_ccd *answer)
{
    int of_a = q->query.kind == TACT_VERTEX_FACE ? 1 : 2;
    double sum_a = 0.0, sum_b = 0.0;
    for (int k = 0; k < 4; k++) {
        CHECK(answer->weights[k] >= 0.0 && answer->weights[k] <= 1.0, "weight %d is %a", k, answer->weights[k]);
        *(k < of_a ? &sum_a : &sum_b) += answer->weights[k];
    }
    CHECK(fabs(sum_a - 1.0) <= 4 * DBL_EPSILON && fabs(sum_b - 1.0) <= 4 * DBL_EPSILON,
          "weights sum up to %.17g and %.17g", sum_a, sum_b);

    /* all axes in one unit: the motion has a unit for each */
    mpq_t from, width, weight, at, speed, apart, most_apart, most_at, most_speed;
    mpq_inits(from, width, weight, at, speed, apart, most_apart, most_at, most_speed, NULL);
    mpq_set_d(from, answer->lower);
    mpq_set_d(width, answer->upper);
    mpq_sub(width, width, from);
    for (int c = 0; c < 3; c++) {
        mpq_set_ui(apart, 0, 1);
        for (int k = 0; k < 4; k++) {
            const polynomial *line = &truth.motion.at[k][c];
            polynomial_value(at, line, from);
            mpq_set_ui(speed, 0, 1);
            if (line->degree == 1)
                mpq_set_z(speed, line->c[1]);
            scale(at, truth.motion.power[c]);
            scale(speed, truth.motion.power[c]);
            keep_largest(most_at, at);
            keep_largest(most_speed, speed);
            mpq_set_d(weight, k < of_a ? answer->weights[k] : -answer->weights[k]);
            mpq_mul(at, at, weight);
            mpq_add(apart, apart, at);
        }
        keep_largest(most_apart, apart);
    }
    /* gap <= moves speed width + error at */
    mpq_mul(most_speed, most_speed, width);
    mpq_set_ui(weight, WEIGHT_MOVES, 1);
    mpq_mul(most_speed, most_speed, weight);
    mpq_set_d(weight, WEIGHT_ERROR);
    mpq_mul(most_at, most_at, weight);
    mpq_add(most_speed, most_speed, most_at);
    bool agree = mpq_cmp(most_apart, most_speed) <= 0;
    if (!agree && mpq_sgn(most_speed) > 0)
        mpq_div(most_apart, most_apart, most_speed);
    double times = mpq_get_d(most_apart);
    mpq_clears(from, width, weight, at, speed, apart, most_apart, most_at, most_speed, NULL);
    CHECK(agree, "the points of contact are apart, %g times what is allowed; weights %.17g %.17g %.17g %.17g", times,
          answer->weights[0], answer->weights[1], answer->weights[2], answer->weights[3]);
}

static double difference(const double a[3], const double b[3])
{
    return fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]);
}

/* The sign of the relative velocity of A and B along the normal at the contact point. */
static int reported_approach(const question *q, const tact_ccd *answer)
{
    int of_a = q->query.kind == TACT_VERTEX_FACE ? 1 : 2;
    const double n[3] = {answer->normal.x, answer->normal.y, answer->normal.z};
    mpq_t sum, term, factor;
    mpq_inits(sum, term, factor, NULL);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 4; k++) {
            const polynomial *line = &truth.motion.at[k][c];
            if (line->degree < 1)
                continue;
            mpq_set_z(term, line->c[1]);
            scale(term, truth.motion.power[c]);
            mpq_set_d(factor, k < of_a ? answer->weights[k] : -answer->weights[k]);
            mpq_mul(term, term, factor);
            mpq_set_d(factor, n[c]);
            mpq_mul(term, term, factor);
            mpq_add(sum, sum, term);
        }
    int sign = mpq_sgn(sum);
    mpq_clears(sum, term, factor, NULL);
    return sign;
}

static void check_normal(const question *q, const tact_ccd *answer)
{
    double n[3] = {answer->normal.x, answer->normal.y, answer->normal.z}, exact[3], moment[3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    CHECK(fabs(length - 1.0) < 1e-12, "a normal of length %.17g", length);
    assert_true(ccd_truth_normal(&truth, exact));
    /* it may be that of any time in the bracket */
    enum { MOMENTS = 8 };
    double turn = 0.0;
    for (int i = 0; i <= MOMENTS; i++) {
        double t = answer->lower + (answer->upper - answer->lower) * i / MOMENTS;
        turn = fmax(turn, ccd_truth_normal_at(&truth, t, moment) ? difference(moment, exact) : 1.0);
    }
    double product = n[0] * exact[0] + n[1] * exact[1] + n[2] * exact[2];
    for (int c = 0; c < 3; c++)
        exact[c] *= product < 0.0 ? -1.0 : 1.0;
    CHECK(difference(n, exact) <= NORMAL_ERROR + 2.0 * turn, "the normal is (%g %g %g), not (%g %g %g)", n[0], n[1],
          n[2], exact[0], exact[1], exact[2]);
    /* a bracket in which they approach and separate has normals of both signs; so may one in which everything changes a
     * lot */
    int approach = turn < 0.5 ? ccd_truth_approach_between(&truth, answer->lower, answer->upper) : 0;
    CHECK(approach * product >= 0.0 || reported_approach(q, answer) >= 0, "the normal (%g %g %g) is turned round", n[0],
          n[1], n[2]);
}

/* `truth` gets the true answer. */
static void check(const question *q, const tact_ccd *answer)
{
    CHECK(answer->status == TACT_OK, "status %d", answer->status);
    ccd_truth_find(&truth, q->query.kind, q->query.start, q->query.end, q->def.velocities, q->def.enter, q->def.exit);
    CHECK(answer->state == (truth.hit ? TACT_HIT : TACT_MISS), "a %s is reported as %d", truth.hit ? "hit" : "miss",
          answer->state);
    if (!truth.hit) {
        CHECK(is_blank(answer), "a miss with numbers");
        return;
    }
    double from = answer->lower, to = answer->upper;
    CHECK(q->def.enter <= from && from <= to && to <= q->def.exit, "[%a, %a] is not in the window", from, to);
    CHECK(ccd_truth_compare(&truth, from) >= 0 && ccd_truth_compare(&truth, to) <= 0, "[%a, %a] is without the contact",
          from, to);
    double width = q->def.velocities ? q->def.bracket_width * q->def.exit : q->def.bracket_width;
    CHECK(to - from <= width || to <= nextafter(from, INFINITY), "[%a, %a] is wider than %a", from, to, width);
    CHECK(answer->degenerate == truth.degenerate, "reported as %d", answer->degenerate);
    check_weights(q, answer);
    if (truth.degenerate)
        CHECK(answer->normal.x == 0.0 && answer->normal.y == 0.0 && answer->normal.z == 0.0, "a normal");
    else
        check_normal(q, answer);
}

/* ---- many queries ---- */

/* The same query with its points in another order has the same state and bracket. */
static void check_orders(const question *q, const tact_ccd *answer)
{
    static const int faces[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 3, 2, 1}, {0, 2, 1, 3}};
    static const int edges[8][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2},
                                    {2, 3, 0, 1}, {3, 2, 0, 1}, {2, 3, 1, 0}, {3, 2, 1, 0}};
    bool face = q->query.kind == TACT_VERTEX_FACE;
    for (int i = 1; i < (face ? 6 : 8); i++) {
        question turned = *q;
        for (int k = 0; k < 4; k++) {
            int from = face ? faces[i][k] : edges[i][k];
            turned.query.start[k] = q->query.start[from];
            turned.query.end[k] = q->query.end[from];
        }
        tact_ccd other = ask(&turned);
        CHECK(other.state == answer->state && same_bits(other.lower, answer->lower) &&
                  same_bits(other.upper, answer->upper) && other.degenerate == answer->degenerate,
              "in order %d: %d [%a, %a] %d, before: %d [%a, %a] %d", i, other.state, other.lower, other.upper,
              other.degenerate, answer->state, answer->lower, answer->upper, answer->degenerate);
    }
}

typedef struct tally {
    int hits, misses;
    int degenerate, coplanar, tangent, irrational, at_enter, at_exit; /* of the hits */
} tally;

static void tally_add(tally *t)
{
    t->misses += !truth.hit;
    if (!truth.hit)
        return;
    t->hits++;
    t->degenerate += truth.degenerate;
    t->coplanar += truth.always_coplanar;
    t->tangent += !truth.always_coplanar && ccd_truth_approach(&truth) == 0;
    t->irrational += mpq_cmp(truth.time.low, truth.time.high) != 0;
    t->at_enter += ccd_truth_compare(&truth, 0.0) == 0;
    t->at_exit += ccd_truth_compare(&truth, 1.0) == 0;
}

static tact_ccd ask_and_check(const question *q)
{
    tact_ccd answer = ask(q), exact = tact_ccd_exact(q->query.kind, q->query.start, q->query.end, &q->def);
    check(q, &answer);
    CHECK(same_answer(&answer, &exact), "the exact half differs: %d [%a, %a]", exact.state, exact.lower, exact.upper);
    return answer;
}

/* A window that begins or ends near the contact time, or anywhere. */
static void window_make(random_source *dice, const tact_ccd *answer, tact_ccd_def *def)
{
    double a = random_unit(dice), b = random_unit(dice);
    if (answer->state == TACT_HIT) {
        const double near[] = {answer->lower, answer->upper, nextafter(answer->lower, -1.0),
                               nextafter(answer->upper, 2.0)};
        a = near[random_below(dice, 4)];
        b = random_chance(dice, 0.3) ? near[random_below(dice, 4)] : random_chance(dice, 0.5) ? 0.0 : 1.0;
    } else if (random_chance(dice, 0.1))
        b = a;
    a = fmin(fmax(a, 0.0), 1.0);
    b = fmin(fmax(b, 0.0), 1.0);
    def->enter = fmin(a, b);
    def->exit = fmax(a, b);
}

static void query_case(ccd_case_type type, tact_ccd_kind kind, uint64_t number, tally *t)
{
    random_source dice = random_seed(number ^ 0x9d2c5680u);
    static const double widths[] = {0x1p-40, 0x1p-40, 0.0, 0x1p-60, 0x1p-10, 2.0};
    question q = {ccd_case_make(type, kind, number), tact_ccd_def_default(), type, number};
    q.def.bracket_width = widths[random_below(&dice, 6)];
    tact_ccd answer = ask_and_check(&q);
    tally_add(t);
    check_orders(&q, &answer);

    question in_window = q;
    window_make(&dice, &answer, &in_window.def);
    (void)ask_and_check(&in_window);

    static const double times[] = {1.0, 0.5, 3.0, 1e-3, 1e3, 0x1.8p-1060, 1e300};
    question moving = q;
    moving.def.velocities = true;
    moving.def.exit = times[random_below(&dice, random_chance(&dice, 0.9) ? 5 : 7)];
    moving.def.enter = random_chance(&dice, 0.7) ? 0.0 : random_unit(&dice) * moving.def.exit;
    (void)ask_and_check(&moving);
}

/* Most true answers take the oracle 0.1 ms; of slower ones there are fewer. */
static uint64_t cases_of(ccd_case_type type)
{
    uint64_t count = getenv("TACT_TEST_LONG") != NULL ? 12000 : 24;
    return type == CCD_MIXED ? count / 8 : type == CCD_ANY ? count / 20 : count;
}

static void queries_agree_with_the_oracle(void **state)
{
    (void)state;
    const char *one = getenv("TACT_TEST_SEED");
    tally all = {0};
    int total = 0;
    for (int kind = 0; kind < 2; kind++)
        for (int type = 0; type < CCD_CASE_TYPES; type++) {
            tally t = {0};
            uint64_t first = one != NULL ? strtoull(one, NULL, 10) : 0;
            uint64_t count = one != NULL ? 1 : cases_of((ccd_case_type)type);
            for (uint64_t number = first; number < first + count; number++)
                query_case((ccd_case_type)type, (tact_ccd_kind)kind, number, &t);
            if (one != NULL)
                continue;
            /* each kind hits and misses */
            print_message("%s %-9s %5d hits %5d misses; %5d degenerate %5d coplanar %5d tangent %5d irrational\n",
                          kind == TACT_VERTEX_FACE ? "vf" : "ee", ccd_case_names[type], t.hits, t.misses, t.degenerate,
                          t.coplanar, t.tangent, t.irrational);
            int cases = (int)count;
            assert_true(t.hits >= cases / 25);
            assert_true(t.misses >= cases / 8);
            assert_true(type != CCD_COPLANAR || t.coplanar >= cases / 3);
            assert_true(type != CCD_PARALLEL || t.degenerate >= cases / 6);
            assert_true(type != CCD_TANGENT || t.tangent >= cases / 3);
            assert_true(type != CCD_AT_ONE || t.at_exit >= cases / 3);
            assert_true(type != CCD_AT_ZERO || t.at_enter >= cases / 3);
            total += cases;
            all.degenerate += t.degenerate;
            all.irrational += t.irrational;
            all.tangent += t.tangent;
            all.hits += t.hits;
        }
    if (one != NULL)
        return;
    print_message("%d queries\n", 3 * total);
    assert_true(all.degenerate >= total / 50);
    assert_true(all.irrational >= total / 12);
    assert_true(all.tangent >= total / 50);
    assert_true(all.hits >= total / 3);
}

/* ---- hand-made cases ---- */

static question by_hand(tact_ccd_kind kind, const double x[24])
{
    question q = {.def = tact_ccd_def_default(), .type = CCD_SMALL, .number = 0};
    q.query.kind = kind;
    for (int k = 0; k < 4; k++) {
        q.query.start[k] = (tact_vec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
        q.query.end[k] = (tact_vec3){x[12 + 3 * k], x[13 + 3 * k], x[14 + 3 * k]};
    }
    return q;
}

/* Answers that are known without the oracle; they test it too. */
static void simple_contacts_are_known(void **state)
{
    (void)state;
    /* a vertex falls from 1 to -2 through a face at height 0: at 1/3, inside */
    question fall = by_hand(TACT_VERTEX_FACE, (double[]){1, 0, 1,  0, 0, 0, 4, 0, 0, 0, 4, 0, /**/
                                                         1, 0, -2, 0, 0, 0, 4, 0, 0, 0, 4, 0});
    tact_ccd answer = ask_and_check(&fall);
    assert_int_equal(answer.state, TACT_HIT);
    assert_true(answer.lower <= 1.0 / 3.0 && answer.upper >= 1.0 / 3.0 && !answer.degenerate);
    assert_true(fabs(answer.weights[1] - 0.75) < 1e-9 && fabs(answer.weights[2] - 0.25) < 1e-9);
    assert_true(fabs(answer.normal.z + 1.0) < 1e-9);
    /* one bit outside the edge */
    fall.query.start[0].y = fall.query.end[0].y = -DBL_TRUE_MIN;
    assert_int_equal(ask_and_check(&fall).state, TACT_MISS);
    /* two crossed edges, the first of which comes down as fast as the other one goes up: at 1/2 */
    question crossed = by_hand(TACT_EDGE_EDGE, (double[]){-1, 0, 1, 1, 0, 1, 0, -1, 0, 0, 1, 0, /**/
                                                          -1, 0, 0, 1, 0, 0, 0, -1, 1, 0, 1, 1});
    answer = ask_and_check(&crossed);
    assert_int_equal(answer.state, TACT_HIT);
    assert_true(answer.lower <= 0.5 && answer.upper >= 0.5 && fabs(answer.normal.z + 1.0) < 1e-9);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(answer.weights[k] - 0.5) < 1e-9);
    /* the end of an edge reaches the other one's in their common line, at 2/3: degenerate */
    question row = by_hand(TACT_EDGE_EDGE, (double[]){-2, 0, 0, -1, 0, 0, 1, 0, 0, 2, 0, 0, /**/
                                                      1,  0, 0, 2,  0, 0, 1, 0, 0, 2, 0, 0});
    answer = ask_and_check(&row);
    assert_int_equal(answer.state, TACT_HIT);
    assert_true(answer.degenerate && answer.lower <= 2.0 / 3.0 && answer.upper >= 2.0 / 3.0);
    assert_true(answer.weights[1] > 1.0 - 1e-9 && answer.weights[2] > 1.0 - 1e-9);
}

/* ---- floating-point environment ---- */

static void the_fp_environment_changes_nothing(void **state)
{
    (void)state;
    const int count = (int)random_case_count(24, 2000);
    int hits = 0, misses = 0;
    for (int kind = 0; kind < 2; kind++)
        for (int type = 0; type < CCD_CASE_TYPES; type++)
            for (int number = 0; number < count; number++) {
                question asked = {ccd_case_make((ccd_case_type)type, (tact_ccd_kind)kind, (uint64_t)number),
                                  tact_ccd_def_default(), (ccd_case_type)type, (uint64_t)number};
                const question *q = &asked;
                asked.def.velocities = number % 3 == 2;
                tact_ccd usual = ask(q);
                for (int m = 1; m < ENVIRONMENTS; m++) {
                    set_environment(m);
                    tact_ccd other = ask(q);
                    bool kept = environment_is(m);
                    set_environment(0);
                    CHECK(kept, "settings %d are lost", m);
                    CHECK(same_answer(&usual, &other), "settings %d: %d [%a, %a], not %d [%a, %a]", m, other.state,
                          other.lower, other.upper, usual.state, usual.lower, usual.upper);
                }
                hits += usual.state == TACT_HIT;
                misses += usual.state == TACT_MISS;
            }
    assert_true(hits >= 8 * count && misses >= 8 * count);
}

/* ---- bad input ---- */

static void expect_bad(const question *q, const tact_vec3 *start, const tact_vec3 *end, const tact_ccd_def *def)
{
    for (int kind = 0; kind < 2; kind++) {
        tact_ccd answer =
            kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, def) : tact_ccd_edge_edge(start, end, def);
        CHECK(answer.status == TACT_BAD_ARGUMENT && answer.state == TACT_UNKNOWN && is_blank(&answer),
              "status %d state %d", answer.status, answer.state);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    question good = {ccd_case_make(CCD_PLANTED, TACT_VERTEX_FACE, 1), tact_ccd_def_default(), CCD_PLANTED, 1},
             bad = good;
    const question *q = &bad;
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    expect_bad(q, NULL, good.query.end, &good.def);
    expect_bad(q, good.query.start, NULL, &good.def);
    for (int w = 0; w < 3; w++)
        for (int k = 0; k < 8; k++)
            for (int c = 0; c < 3; c++) {
                bad = good;
                tact_vec3 *p = k < 4 ? &bad.query.start[k] : &bad.query.end[k - 4];
                *(c == 0 ? &p->x : c == 1 ? &p->y : &p->z) = wrong[w];
                expect_bad(q, bad.query.start, bad.query.end, &bad.def);
                expect_bad(q, bad.query.start, bad.query.end, NULL);
                bad.def.velocities = true;
                expect_bad(q, bad.query.start, bad.query.end, &bad.def);
            }
    const tact_ccd_def usual = tact_ccd_def_default();
    assert_true(usual.enter == 0.0 && usual.exit == 1.0 && usual.bracket_width == 0x1p-40 && usual.separation == 0.0 &&
                !usual.velocities);
    for (int w = 0; w < 3; w++)
        for (int velocities = 0; velocities < 2; velocities++) {
            tact_ccd_def defs[6];
            for (int i = 0; i < 6; i++) {
                defs[i] = usual;
                defs[i].velocities = velocities == 1;
            }
            defs[0].enter = wrong[w];
            defs[1].exit = wrong[w];
            defs[2].separation = wrong[w];
            defs[3].bracket_width = w == 1 ? -1.0 : wrong[w];
            defs[4].enter = -DBL_TRUE_MIN;
            defs[5].enter = 0.75;
            defs[5].exit = 0.5;
            for (int i = 0; i < 6; i++)
                expect_bad(q, good.query.start, good.query.end, &defs[i]);
        }
    tact_ccd_def def = usual;
    def.exit = nextafter(1.0, 2.0);
    expect_bad(q, good.query.start, good.query.end, &def);
    def.velocities = true;
    assert_int_equal(tact_ccd_vertex_face(good.query.start, good.query.end, &def).status, TACT_OK);
    def = usual;
    def.separation = -1.0;
    expect_bad(q, good.query.start, good.query.end, &def);
    def = usual;
    def.bracket_width = INFINITY;
    expect_bad(q, good.query.start, good.query.end, &def);
    def = usual;
    def.enter = def.exit = INFINITY;
    def.velocities = true;
    expect_bad(q, good.query.start, good.query.end, &def);
    def = usual;
    def.enter = -2.0;
    def.exit = -1.0;
    expect_bad(q, good.query.start, good.query.end, &def);
    assert_int_equal(tact_ccd_vertex_face(good.query.start, good.query.end, NULL).status, TACT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_contacts_are_known),
        cmocka_unit_test(queries_agree_with_the_oracle),
        cmocka_unit_test(the_fp_environment_changes_nothing),
        cmocka_unit_test(bad_input_is_refused),
    };
    ccd_truth_init(&truth);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ccd_truth_clear(&truth);
    return failed;
}
