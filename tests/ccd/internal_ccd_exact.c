/*
 * The exact solver of continuous collision detection: hand-made cases of every degenerate kind with known times, each
 * in all variants that must not change the answer; random cases against each other; known answers; extreme coordinates;
 * other floating-point environments.
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
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "ccd/ccd_bracket.h"
#include "ccd/feature_ccd.h"
#include "ccd/known_times.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/shared_data.h"

typedef struct question {
    tact_ccd_kind kind;
    tact_vec3 start[4], end[4];
    tact_ccd_def def;
} question;

static tact_ccd ask(const question *q) { return tact_ccd_exact(q->kind, q->start, q->end, &q->def); }

static const tact_ccd_def plain = {.enter = 0.0, .exit = 1.0, .bracket_width = 0x1p-40};

static bool hit(const tact_ccd *answer) { return answer->state == TACT_HIT; }

/* The contact point of A minus that of B at a time, and a bound of its error: rounding, and what the points move. */
static long double gap(const question *q, const tact_ccd *answer, long double time, long double *allowed)
{
    long double size = 0.0L, most = 0.0L, fastest = 0.0L;
    for (int axis = 0; axis < 3; ++axis) {
        long double sum = 0.0L;
        for (int i = 0; i < 4; ++i) {
            const tact_vec3 *s = &q->start[i], *e = &q->end[i];
            long double at = axis == 0   ? s->x
                             : axis == 1 ? s->y
                                         : s->z,
                        to = axis == 0   ? e->x
                             : axis == 1 ? e->y
                                         : e->z;
            long double by = q->def.velocities ? to : to - at;
            long double side = q->kind == TACT_VERTEX_FACE ? (i == 0 ? 1.0L : -1.0L) : (i < 2 ? 1.0L : -1.0L);
            sum += side * (long double)answer->weights[i] * (at + by * time);
            most = fmaxl(most, fabsl(at) + fabsl(by * time));
            fastest = fmaxl(fastest, fabsl(by));
        }
        size = fmaxl(size, fabsl(sum));
    }
    *allowed = 0x1p-45L * most + 8.0L * fastest * ((long double)answer->upper - answer->lower);
    return size;
}

/* Is the answer consistent? NULL, or an error text. */
static const char *fault(const question *q, const tact_ccd *a)
{
    static const tact_ccd none = {.status = TACT_OK, .state = TACT_MISS};
    if (!hit(a))
        return a->status == none.status && a->state == none.state && a->lower == 0.0 && a->upper == 0.0 &&
                       !a->degenerate && a->weights[0] == 0.0 && a->normal.x == 0.0
                   ? NULL
                   : "a miss that is not empty";
    if (!(a->lower >= q->def.enter && a->lower <= a->upper && a->upper <= q->def.exit))
        return "bracket outside of the window";
    double width = q->def.velocities ? q->def.bracket_width * q->def.exit : q->def.bracket_width;
    if (a->upper - a->lower > width && nextafter(a->lower, INFINITY) < a->upper)
        return "bracket too wide";
    const double *w = a->weights;
    for (int i = 0; i < 4; ++i)
        if (!(w[i] >= 0.0 && w[i] <= 1.0))
            return "weight out of range";
    double one = q->kind == TACT_VERTEX_FACE ? w[0] : w[0] + w[1], other = w[1] + w[2] + w[3];
    if (q->kind == TACT_EDGE_EDGE)
        other = w[2] + w[3];
    if (fabs(one - 1.0) > 0x1p-51 || fabs(other - 1.0) > 0x1p-51)
        return "weights do not sum up to 1";
    long double allowed;
    long double size = gap(q, a, 0.5L * ((long double)a->lower + a->upper), &allowed);
    if (!(size <= allowed))
        return "the places do not agree";
    double length = a->normal.x * a->normal.x + a->normal.y * a->normal.y + a->normal.z * a->normal.z;
    if (!(a->degenerate ? length == 0.0 : fabs(length - 1.0) < 0x1p-50))
        return "normal not of unit length";
    return NULL;
}

/* Equivalent queries: vertices or end points in another order, A and B swapped. As permutations of the four points. */
static const int face_orders[6][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3},
                                      {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}};
static const int edge_orders[8][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {1, 0, 2, 3}, {1, 0, 3, 2},
                                      {2, 3, 0, 1}, {3, 2, 0, 1}, {2, 3, 1, 0}, {3, 2, 1, 0}};

static tact_vec3 turned(tact_vec3 v, int turn, int exponent)
{
    double c[3] = {v.x, v.y, v.z};
    tact_vec3 w = {c[turn % 3], c[(turn + 1) % 3], c[(turn + 2) % 3]};
    if (turn & 4)
        w.x = -w.x;
    if (turn & 8) {
        double y = w.y;
        w.y = w.z;
        w.z = -y;
    }
    return (tact_vec3){ldexp(w.x, exponent), ldexp(w.y, exponent), ldexp(w.z, exponent)};
}

/* Equivalent queries: another order, axes swapped and mirrored, another unit of length. */
static question otherwise(const question *q, int order, int turn, int exponent)
{
    question other = *q;
    const int *orders = q->kind == TACT_VERTEX_FACE ? face_orders[order % 6] : edge_orders[order % 8];
    for (int i = 0; i < 4; ++i) {
        other.start[i] = turned(q->start[orders[i]], turn, exponent);
        other.end[i] = turned(q->end[orders[i]], turn, exponent);
    }
    return other;
}

static bool same_times(const tact_ccd *a, const tact_ccd *b)
{
    return a->state == b->state && a->lower == b->lower && a->upper == b->upper && a->degenerate == b->degenerate;
}

/* ---- Known times ---- */

static question question_of(const known *k)
{
    question q = {.kind = k->kind, .def = plain};
    for (int i = 0; i < 4; ++i) {
        q.start[i] = (tact_vec3){k->points[i][0], k->points[i][1], k->points[i][2]};
        q.end[i] = (tact_vec3){k->points[4 + i][0], k->points[4 + i][1], k->points[4 + i][2]};
    }
    return q;
}

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("%s: %s: state %d, [%a, %a], degenerate %d\n", name, #condition, (int)a.state, a.lower,        \
                        a.upper, a.degenerate);                                                                        \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static bool tiny_in(const question *q)
{
    for (int i = 0; i < 4; ++i) {
        const tact_vec3 v[2] = {q->start[i], q->end[i]};
        for (int j = 0; j < 2; ++j)
            if (fabs(v[j].x) == TINY || fabs(v[j].y) == TINY || fabs(v[j].z) == TINY)
                return true;
    }
    return false;
}

static void known_times_of_all_equivalent_queries(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof known_times / sizeof known_times[0]; ++c) {
        const char *name = known_times[c].name;
        question q = question_of(&known_times[c]);
        tact_ccd a = ask(&q);
        EXPECT(fault(&q, &a) == NULL);
        EXPECT(hit(&a) == (known_times[c].time >= 0.0));
        if (hit(&a)) {
            EXPECT(a.degenerate == known_times[c].degenerate);
            EXPECT(known_times[c].exactly
                       ? a.lower == known_times[c].time && a.upper == known_times[c].time
                       : a.lower < a.upper && a.lower <= known_times[c].time && known_times[c].time <= a.upper);
        }
        tact_ccd first = a;
        for (int order = 0; order < 8; ++order)
            for (int turn = 0; turn < 16; ++turn)
                for (int size = 0; size < 3; ++size) {
                    static const int exponents[3] = {0, 900, -1000};
                    if (size == 2 && tiny_in(&q))
                        continue; /* it would be lost */
                    question other = otherwise(&q, order, turn, exponents[size]);
                    if (order % 2 == 1 && turn % 2 == 1 && size == 1 &&
                        !tiny_in(&q)) { /* the end given by velocities */
                        other.def.velocities = true;
                        bool exact = true;
                        for (int i = 0; i < 4; ++i) {
                            tact_vec3 *s = &other.start[i], *e = &other.end[i];
                            tact_vec3 v = {e->x - s->x, e->y - s->y, e->z - s->z};
                            exact = exact && v.x + s->x == e->x && v.y + s->y == e->y && v.z + s->z == e->z;
                            *e = v;
                        }
                        if (!exact)
                            continue;
                    }
                    a = ask(&other);
                    EXPECT(same_times(&a, &first));
                    if (size == 0)
                        EXPECT(fault(&other, &a) == NULL);
                }
        question back = q; /* time reversed: still a hit, or none */
        memcpy(back.start, q.end, sizeof q.end);
        memcpy(back.end, q.start, sizeof q.start);
        a = ask(&back);
        EXPECT(hit(&a) == hit(&first));
        EXPECT(fault(&back, &a) == NULL);
    }
}

/* The two neighbouring doubles around the time, and windows that end between them. */
static void windows_clip_exactly(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof known_times / sizeof known_times[0]; ++c) {
        const char *name = known_times[c].name;
        question q = question_of(&known_times[c]);
        q.def.bracket_width = 0.0;
        tact_ccd a = ask(&q);
        EXPECT(hit(&a) == (known_times[c].time >= 0.0));
        if (!hit(&a))
            continue;
        EXPECT(a.upper == a.lower || a.upper == nextafter(a.lower, INFINITY));
        EXPECT(fabs(a.lower - known_times[c].time) <= 0x1p-52);
        double lower = a.lower, upper = a.upper;
        q.def.enter = lower;
        q.def.exit = upper;
        a = ask(&q);
        EXPECT(hit(&a) && a.lower == lower && a.upper == upper);
        q.def.enter = 0.0;
        q.def.exit = upper;
        a = ask(&q);
        EXPECT(hit(&a) && a.lower == lower && a.upper == upper);
        q.def.exit = lower == upper ? nextafter(lower, -1.0) : lower;
        if (q.def.exit >= 0.0) {
            a = ask(&q);
            EXPECT(!hit(&a));
        }
        q.def.enter = lower;
        q.def.exit = 1.0;
        a = ask(&q);
        EXPECT(hit(&a) && a.lower == lower && a.upper == upper);
        q.def.bracket_width = 0x1p-40; /* where the grid ends the window does */
        q.def.enter = lower;
        a = ask(&q);
        EXPECT(hit(&a) && a.lower == lower && (lower == upper ? a.upper == lower : a.upper > lower));
        EXPECT(fault(&q, &a) == NULL);
    }
}

/* With velocities time has any unit: the same query in another one. */
static void velocities_have_any_unit_of_time(void **state)
{
    (void)state;
    static const int exponents[] = {-1000, -200, -3, 0, 4, 300, 1000};
    for (size_t c = 0; c < sizeof known_times / sizeof known_times[0]; ++c) {
        const char *name = known_times[c].name;
        question q = question_of(&known_times[c]);
        bool exact = !tiny_in(&q);
        for (int i = 0; i < 4; ++i) {
            tact_vec3 *s = &q.start[i], *e = &q.end[i];
            tact_vec3 v = {e->x - s->x, e->y - s->y, e->z - s->z};
            exact = exact && v.x + s->x == e->x && v.y + s->y == e->y && v.z + s->z == e->z;
            *e = v;
        }
        if (!exact)
            continue;
        q.def.velocities = true;
        tact_ccd first = ask(&q);
        for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; ++i) {
            question other = q;
            for (int j = 0; j < 4; ++j)
                other.end[j] = turned(q.end[j], 0, -exponents[i]);
            other.def.exit = ldexp(1.0, exponents[i]);
            tact_ccd a = ask(&other);
            EXPECT(a.state == first.state && a.degenerate == first.degenerate);
            EXPECT(a.lower == ldexp(first.lower, exponents[i]) && a.upper == ldexp(first.upper, exponents[i]));
            EXPECT(fault(&other, &a) == NULL);
        }
        q.def.exit = 8.0; /* later contacts in the window do not change the first */
        tact_ccd a = ask(&q);
        if (hit(&first))
            EXPECT(hit(&a) && a.lower <= first.upper && first.lower <= a.upper);
        EXPECT(fault(&q, &a) == NULL);
    }
}

static void velocities_reach_any_time(void **state)
{
    (void)state;
    const char *name = "velocities";
    question q = {
        VF, {{.25, .25, 3}, FLOOR}, {{0, 0, -.5}}, {.exit = 8.0, .bracket_width = 0x1p-40, .velocities = true}};
    tact_ccd a = ask(&q);
    EXPECT(hit(&a) && a.lower == 6.0 && a.upper == 6.0 && a.normal.z == -1.0);
    q.def.exit = 5.9999999;
    a = ask(&q);
    EXPECT(!hit(&a));
    q.def.exit = 0x1.fffffffffffffp+1023;
    q.end[0].z = -0x1p-1074;
    q.start[0].z = 0x1p-60;
    a = ask(&q);
    EXPECT(hit(&a) && a.lower == 0x1p+1014 && a.upper == 0x1p+1014);
    q.start[0].z = 3;
    a = ask(&q);
    EXPECT(!hit(&a));
    q.def.exit = q.def.enter = 0.0;
    a = ask(&q);
    EXPECT(!hit(&a));
    q.start[0].z = 0.0;
    a = ask(&q);
    EXPECT(hit(&a) && a.lower == 0.0 && a.upper == 0.0);
}

/* ---- Random queries ---- */

static tact_vec3 small_point(random_source *r, int most, bool flat)
{
    return (tact_vec3){random_between(r, -most, most), random_between(r, -most, most),
                       flat ? 0 : random_between(r, -most, most)};
}

static double wild(random_source *r)
{
    switch (random_between(r, 0, 5)) {
    case 0:
        return random_finite(r);
    case 1:
        return random_size(r, -1022, 1022);
    case 2:
        return ldexp(random_between(r, -2, 2), random_chance(r, 0.5) ? 1020 : -1074);
    case 3:
        return ldexp(random_between(r, -2, 2), random_chance(r, 0.5) ? 500 : -500);
    case 4:
        return 0.0;
    default:
        return random_between(r, -2, 2);
    }
}

static question random_question(random_source *r, bool extreme)
{
    question q = {.kind = random_chance(r, 0.5) ? VF : EE, .def = plain};
    int most = random_between(r, 1, 4);
    bool flat = random_chance(r, 0.3);
    for (int i = 0; i < 4; ++i) {
        q.start[i] = small_point(r, most, flat);
        q.end[i] = small_point(r, most, flat);
        if (extreme) {
            q.start[i] = (tact_vec3){wild(r), wild(r), flat ? 0.0 : wild(r)};
            q.end[i] = (tact_vec3){wild(r), wild(r), flat ? 0.0 : wild(r)};
        }
    }
    switch (random_between(r, 0, 7)) {
    case 0:
        memcpy(q.end, q.start, sizeof q.start);
        break;
    case 1:
        q.start[1] = q.start[0];
        break;
    case 2:
        q.start[3] = q.start[2];
        q.end[3] = q.end[2];
        break;
    case 3:
        for (int i = 1; i < 4; ++i)
            q.end[i] = q.start[i];
        break;
    case 4:
        for (int i = 0; i < 4; ++i)
            q.start[i].y = q.end[i].y = q.start[i].z = q.end[i].z = 0.0;
        break;
    default:
        break;
    }
    if (random_chance(r, 0.3)) {
        q.def.enter = ldexp(random_between(r, 0, 8), -4);
        q.def.exit = ldexp(random_between(r, 8, 16), -4);
    }
    q.def.velocities = random_chance(r, 0.25);
    if (q.def.velocities && extreme && random_chance(r, 0.5)) {
        q.def.exit = fabs(random_finite(r)) + 0x1p-1074;
        q.def.enter = random_chance(r, 0.5) ? 0.0 : 0.3 * q.def.exit;
    }
    q.def.bracket_width = random_chance(r, 0.7) ? 0x1p-40 : random_chance(r, 0.5) ? 0.0 : random_unit(r);
    return q;
}

static bool same_answer(const tact_ccd *a, const tact_ccd *b)
{
    return same_times(a, b) && a->status == b->status && memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
           memcmp(a->weights, b->weights, sizeof a->weights) == 0;
}

/* The same query under an invertible linear map of space and in a moving frame: shears, scalings, a common motion, all
 * in integers, so that nothing is rounded (for integer coordinates up to 4). The times stay, the numbers get longer. */
static question carried(const question *q, random_source *r)
{
    question other = *q;
    int scale = 2 * random_between(r, 0, 500) + 1, shears[3], by = random_between(r, 1, 14);
    tact_vec3 shift[2];
    for (int i = 0; i < 3; ++i)
        shears[i] = random_between(r, -(1 << by), 1 << by);
    for (int i = 0; i < 2; ++i)
        shift[i] = small_point(r, random_chance(r, 0.5) ? 1 << 20 : 0, false);
    for (int i = 0; i < 8; ++i) {
        tact_vec3 *v = i < 4 ? &other.start[i] : &other.end[i - 4];
        v->x = scale * v->x + shears[0] * v->y;
        v->y += shears[1] * v->z;
        v->z += shears[2] * v->x;
        v->x += shift[i / 4].x;
        v->y += shift[i / 4].y;
        v->z += shift[i / 4].z;
    }
    return other;
}

typedef struct tally {
    int hits, degenerate, irrational, late;
} tally;

static void count(tally *t, const question *q, const tact_ccd *a)
{
    t->hits += hit(a);
    t->degenerate += hit(a) && a->degenerate;
    t->irrational += hit(a) && a->lower < a->upper;
    t->late += hit(a) && a->lower > q->def.enter;
}

/* One query in several forms, and with its window split. */
static void check_consistent(uint64_t seed, bool extreme, tally *all)
{
    random_source r = random_seed(seed);
    question q = random_question(&r, extreme);
    tact_ccd a = ask(&q);
    CHECK(fault(&q, &a) == NULL, "%s", fault(&q, &a));
    count(all, &q, &a);
    for (int i = 0; i < 3; ++i) {
        question other = otherwise(&q, random_between(&r, 0, 7), random_between(&r, 0, 15), 0);
        tact_ccd b = ask(&other);
        CHECK(same_times(&a, &b), "[%a, %a] but otherwise [%a, %a]", a.lower, a.upper, b.lower, b.upper);
        CHECK(fault(&other, &b) == NULL, "%s", fault(&other, &b));
    }
    if (!extreme)
        for (int i = 0; i < 2; ++i) {
            question other = carried(&q, &r);
            tact_ccd b = ask(&other);
            CHECK(same_times(&a, &b), "[%a, %a] but carried [%a, %a]", a.lower, a.upper, b.lower, b.upper);
            CHECK(fault(&other, &b) == NULL, "%s", fault(&other, &b));
        }
    double middle =
        hit(&a) && random_chance(&r, 0.5) ? a.upper : q.def.enter + random_unit(&r) * (q.def.exit - q.def.enter);
    question early = q, late = q;
    early.def.exit = late.def.enter = middle;
    tact_ccd b = ask(&early), c = ask(&late);
    CHECK(hit(&a) == (hit(&b) || hit(&c)), "the halves of the window disagree with the whole, cut at %a", middle);
    const tact_ccd *first = hit(&b) ? &b : &c;
    CHECK(first->lower <= a.upper && a.lower <= first->upper, "[%a, %a] in half a window but [%a, %a] in all",
          first->lower, first->upper, a.lower, a.upper);
    if (hit(&a) && a.upper <= middle)
        CHECK(hit(&b), "the first half misses [%a, %a], cut at %a", a.lower, a.upper, middle);
    if (!q.def.velocities && q.def.enter == 0.0 && q.def.exit == 1.0) {
        question back = q;
        memcpy(back.start, q.end, sizeof q.end);
        memcpy(back.end, q.start, sizeof q.start);
        c = ask(&back);
        CHECK(hit(&a) == hit(&c), "but not backwards in time");
    }
}

static void equivalent_random_queries_agree(void **state)
{
    (void)state;
    tally all = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(12000); ++seed)
        check_consistent(seed, false, &all);
    if (!few_cases()) {
        assert_true(all.hits > 3000);
        assert_true(all.degenerate > 900);
        assert_true(all.irrational > 600);
        assert_true(all.late > 1200);
    }
}

static void equivalent_extreme_queries_agree(void **state)
{
    (void)state;
    tally all = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(400, 36000); ++seed)
        check_consistent(seed, true, &all);
    if (!few_cases()) {
        assert_true(all.hits > 66);
        assert_true(all.degenerate > 20);
        assert_true(all.irrational > 10);
        assert_true(all.late > 20);
    }
}

static void the_floating_point_environment_does_not_matter(void **state)
{
    (void)state;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (uint64_t seed = first_seed(); seed <= last_seed(400); ++seed) {
        random_source r = random_seed(seed);
        question q = random_question(&r, seed % 8 == 0);
        tact_ccd expected = ask(&q);
        for (int m = 0; m < 8; ++m) {
#if defined(__SSE2__)
            unsigned before = _mm_getcsr();
#endif
            int rounding = fegetround();
            (void)fesetround(modes[m % 4]);
#if defined(__SSE2__)
            if (m >= 4)
                _mm_setcsr(_mm_getcsr() | 0x8040u); /* flush results and arguments to zero */
#endif
            tact_ccd a = ask(&q);
            (void)fesetround(rounding);
#if defined(__SSE2__)
            _mm_setcsr(before);
#endif
            CHECK(same_answer(&a, &expected), "in mode %d", m);
        }
    }
}

/* ---- Known answers ---- */

static void known_answers_are_given(void **state)
{
    (void)state;
    static const char *const names[] = {"armadillo-rollers",     "cloth-funnel",        "erleben-cube-cliff-edges",
                                        "erleben-sliding-spike", "erleben-spike-crack", "erleben-spikes",
                                        "erleben-wedges",        "unit-tests"};
    int total = 0;
    const char *data = shared_data();
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n)
        for (int kind = 0; kind < 2; ++kind) {
            char path[1000], line[4000];
            (void)snprintf(path, sizeof path, "%s/ccd-queries/%s.%s.txt", data, names[n], kind == 0 ? "vf" : "ee");
            FILE *file = fopen(path, "r");
            if (file == NULL)
                continue;
            for (int number = 1; fgets(line, sizeof line, file) != NULL; ++number) {
                char *at = line;
                bool truth = strtol(at, &at, 10) == 1;
                double v[24];
                for (int i = 0; i < 24; ++i)
                    v[i] = strtod(at, &at);
                question q = {.kind = kind == 0 ? VF : EE, .def = plain};
                for (int i = 0; i < 4; ++i) {
                    q.start[i] = (tact_vec3){v[3 * i], v[3 * i + 1], v[3 * i + 2]};
                    q.end[i] = (tact_vec3){v[12 + 3 * i], v[13 + 3 * i], v[14 + 3 * i]};
                }
                tact_ccd a = ask(&q);
                if (hit(&a) != truth || fault(&q, &a) != NULL) {
                    print_error("%s:%d: state %d, %s\n", path, number, (int)a.state,
                                hit(&a) == truth ? fault(&q, &a) : "wrong");
                    fail();
                }
                ++total;
            }
            (void)fclose(file);
        }
    assert_true(total > 7000);
}

/* ---- The rule for brackets ---- */

static void cells_tile_the_doubles(void **state)
{
    (void)state;
    static const int grids[] = {-1074, -1040, -1022, -60, -40, -1, 0, 5, 1023};
    for (uint64_t seed = first_seed(); seed <= last_seed(4000); ++seed) {
        random_source r = random_seed(seed);
        double x = fabs(random_chance(&r, 0.5) ? random_finite(&r) : random_unit(&r));
        int grid = grids[random_below(&r, sizeof grids / sizeof grids[0])];
        double begin = ccd_cell_begin(x, grid), end = ccd_cell_end(begin, grid);
        CHECK(begin <= x && x < end, "%a is not in [%a, %a)", x, begin, end);
        CHECK(ccd_cell_begin(begin, grid) == begin, "%a", begin);
        if (end < INFINITY)
            CHECK(ccd_cell_begin(end, grid) == end && ccd_cell_begin(nextafter(end, 0.0), grid) == begin, "%a %a",
                  begin, end);
        double w = ldexp(1.0, grid);
        CHECK(end == INFINITY || end - begin == w || (end == nextafter(begin, INFINITY) && end - begin > w), "%a %a",
              begin, end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_times_of_all_equivalent_queries),
        cmocka_unit_test(windows_clip_exactly),
        cmocka_unit_test(velocities_have_any_unit_of_time),
        cmocka_unit_test(velocities_reach_any_time),
        cmocka_unit_test(equivalent_random_queries_agree),
        cmocka_unit_test(equivalent_extreme_queries_agree),
        cmocka_unit_test(the_floating_point_environment_does_not_matter),
        cmocka_unit_test(known_answers_are_given),
        cmocka_unit_test(cells_tile_the_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
