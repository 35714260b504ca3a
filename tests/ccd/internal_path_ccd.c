/*
 * Contacts on linear paths: cases made by hand with all their times; thousands of ordinary and degenerate pairs against
 * tact_ccd_vertex_face and tact_ccd_edge_edge; the same motion written as other paths, shifted and scaled in time; the
 * window split anywhere; the filter against the exact solver; jumps; extreme numbers; other floating-point
 * environments.
 *
 * A failure prints its case; TACT_TEST_SEED=n runs that case alone. TACT_TEST_LONG=1 runs thirty times as many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ccd/feature_ccd.h"
#include "ccd/known_times.h"
#include "ccd/path_checks.h"
#include "ccd/same_ccd.h"
#include "oracle/ccd_cases.h"
#include "support/host_fp_environment.h"
#include "support/seeded_cases.h"
#include "support/shared_data.h"

#define THIRD (1.0 / 3.0) /* the double below a third */

/* ---- cases made by hand ---- */

typedef struct path_known {
    const char *name;
    path_question question;
    int count;
    double times[PATH_CCD_MAX_CONTACTS]; /* the greatest doubles that are not later than the contacts */
    bool at_enter, at_exit;
} path_known;

/* x0 at time 0, velocity x1. */
#define V(x, y, z, vx, vy, vz)                                                                                         \
    {                                                                                                                  \
        0.0, 0.0, {x, y, z}, {vx, vy, vz}, true                                                                        \
    }
/* From x0 at t0 to x1 at t1. */
#define P(t0, t1, x, y, z, xx, yy, zz)                                                                                 \
    {                                                                                                                  \
        t0, t1, {x, y, z}, {xx, yy, zz}, false                                                                         \
    }
#define REST(x, y, z) V(x, y, z, 0, 0, 0)
/* A face that turns, and two edges: see below. */
#define TURNING(m) V(-40, -40, 0, 0, -40, -40 * (m)-40), V(40, -40, 0, 0, 40, 40 * (m)-40), V(0, 40, 0, 0, 0, 40)
#define CROSSING(m, pz, vz)                                                                                            \
    V(-40, 0, 0, 0, -40, -40 * (m)), V(40, 0, 0, 0, 40, 40 * (m)), V(0, -40, pz, 1, 0, (vz)-40),                       \
        V(0, 40, pz, 1, 0, (vz) + 40)
#define GROUND REST(0, 0, 0), REST(1, 0, 0), REST(0, 1, 0)

static const path_known known_paths[] = {
    {"a vertex through a face", {VF, {V(.25, .25, 1, 0, 0, -2), GROUND}, 0, 1}, 1, {.5}, false, false},
    {"at negative times", {VF, {V(.25, .25, -3, 0, 0, -2), GROUND}, -2, -1}, 1, {-1.5}, false, false},
    {"at time zero", {VF, {V(.25, .25, 0, 0, 0, -2), GROUND}, -2, 1}, 1, {0}, false, false},
    {"at a third", {VF, {V(.25, .25, 1, 0, 0, -3), GROUND}, 0, 1}, 1, {THIRD}, false, false},
    {"at minus a third, rounded down",
     {VF, {V(.25, .25, -1, 0, 0, -3), GROUND}, -1, 0},
     1,
     {-0x1.5555555555556p-2},
     false,
     false},
    {"a touch at the start", {VF, {V(.25, .25, 0, 0, 0, 1), GROUND}, 0, 1}, 1, {0}, true, false},
    {"a touch at the end", {VF, {V(.25, .25, 1, 0, 0, -1), GROUND}, 0, 1}, 1, {1}, false, true},
    {"a window of one instant", {VF, {V(.25, .25, 1, 0, 0, -2), GROUND}, .5, .5}, 1, {.5}, true, true},
    {"a window of another instant", {VF, {V(.25, .25, 1, 0, 0, -2), GROUND}, .25, .25}, 0, {0}, false, false},
    {"at rest on the face", {VF, {REST(.25, .25, 0), GROUND}, 2, 7}, 1, {2}, true, true},
    {"at rest beside the face", {VF, {REST(.75, .75, 0), GROUND}, 2, 7}, 0, {0}, false, false},
    {"moving along with the face",
     {VF, {V(.25, .25, 0, 1, 2, 3), V(0, 0, 0, 1, 2, 3), V(1, 0, 0, 1, 2, 3), V(0, 1, 0, 1, 2, 3)}, -5, 5},
     1,
     {-5},
     true,
     true},
    /* A vertex or edge through (t, 0, pz), against the plane through the origin with the directions (1, t, m t) and
     * (0, 1, t): the volume is t^3 - m t^2 + pz. */
    {"a vertex through a face three times",
     {VF, {V(0, 0, -6, 1, 0, 11), TURNING(6)}, 0, 4},
     3,
     {1, 2, 3},
     false,
     false},
    {"the first two of the three times", {VF, {V(0, 0, -6, 1, 0, 11), TURNING(6)}, 0, 2.5}, 2, {1, 2}, false, false},
    {"three times, two at the ends", {VF, {V(0, 0, -6, 1, 0, 11), TURNING(6)}, 1, 3}, 3, {1, 2, 3}, true, true},
    {"the last of the three times", {VF, {V(0, 0, -6, 1, 0, 11), TURNING(6)}, 2.5, 9}, 1, {3}, false, false},
    {"a touch from one side, then through", {VF, {V(0, 0, -3, 1, 0, 7), TURNING(5)}, 0, 4}, 2, {1, 3}, false, false},
    {"a threefold root", {VF, {V(0, 0, -8, 1, 0, 12), TURNING(6)}, 0, 4}, 1, {2}, false, false},
    {"two edges that meet three times", {EE, {CROSSING(6, -6, 11)}, 0, 4}, 3, {1, 2, 3}, false, false},
    {"two edges that meet twice in the window", {EE, {CROSSING(6, -6, 11)}, 1.5, 4}, 2, {2, 3}, false, false},
    {"two edges that touch and then cross", {EE, {CROSSING(5, -3, 7)}, 0, 4}, 2, {1, 3}, false, false},
    {"two edges, a threefold root", {EE, {CROSSING(6, -8, 12)}, 0, 4}, 1, {2}, false, false},
    /* In a plane: the line of (10 t, t - 10) and (-10 t, t + 10) intersects the x axis at t^2. */
    {"two edges that touch during two intervals",
     {EE, {REST(1, 0, 0), REST(9, 0, 0), V(0, -10, 0, 10, 1, 0), V(0, 10, 0, -10, 1, 0)}, -5, 5},
     2,
     {-3, 1},
     false,
     false},
    {"the same in a smaller window",
     {EE, {REST(1, 0, 0), REST(9, 0, 0), V(0, -10, 0, 10, 1, 0), V(0, 10, 0, -10, 1, 0)}, -2, 2},
     2,
     {-2, 1},
     true,
     true},
    {"a vertex leaves a face and comes back",
     {VF, {REST(4, 0, 0), V(0, -10, 0, 10, 1, 0), V(0, 10, 0, -10, 1, 0), REST(-99, 0, 0)}, -5, 5},
     2,
     {-5, 2},
     true,
     true},
    {"a vertex enters a face and leaves it",
     {VF, {REST(4, 0, 0), V(0, -10, 0, 10, 1, 0), V(0, 10, 0, -10, 1, 0), REST(99, 0, 0)}, -5, 5},
     1,
     {-2},
     false,
     false},
    {"an edge of a face comes up to a vertex and goes away",
     {VF, {REST(0, 0, 0), V(0, -10, 0, 10, 1, 0), V(0, 10, 0, -10, 1, 0), REST(99, 0, 0)}, -5, 5},
     1,
     {0},
     false,
     false},
    {"an edge of a face comes up to a vertex inside and goes away",
     {VF, {REST(0, 0, 0), V(0, -10, 0, 10, 1, 0), V(0, 10, 0, -10, 1, 0), REST(-99, 0, 0)}, -5, 5},
     1,
     {-5},
     true,
     true},
    /* Sliding within a plane. */
    {"a vertex slides through a face", {VF, {V(-1, .25, 0, 1, 0, 0), GROUND}, 0, 4}, 1, {1}, false, false},
    {"a vertex slides in and stays", {VF, {V(-1, .25, 0, 1, 0, 0), GROUND}, 0, 1.5}, 1, {1}, false, true},
    {"a vertex slides over a corner", {VF, {V(-1, 1, 0, 1, 0, 0), GROUND}, 0, 4}, 1, {1}, false, false},
    {"a vertex slides along an edge", {VF, {V(-1, 0, 0, 1, 0, 0), GROUND}, 0, 4}, 1, {1}, false, false},
    {"two edges slide over each other",
     {EE, {V(-5, 0, 0, 1, 0, 0), V(-4, 0, 0, 1, 0, 0), REST(0, 0, 0), REST(2, 0, 0)}, 0, 9},
     1,
     {4},
     false,
     false},
    {"an edge sweeps over another",
     {EE, {V(-5, 1, 0, 1, 0, 0), V(-5, -1, 0, 1, 0, 0), REST(0, 0, 0), REST(2, 0, 0)}, 0, 9},
     1,
     {5},
     false,
     false},
    {"two points meet",
     {EE, {V(-5, 0, 0, 1, 0, 0), V(-5, 0, 0, 1, 0, 0), REST(0, 0, 0), REST(0, 0, 0)}, 0, 9},
     1,
     {5},
     false,
     false},
    {"a face that is a point",
     {VF, {V(-5, 0, 0, 1, 0, 0), REST(0, 0, 0), REST(0, 0, 0), REST(0, 0, 0)}, 0, 9},
     1,
     {5},
     false,
     false},
    {"a face that is a segment",
     {VF, {V(-5, 0, 0, 1, 0, 0), REST(0, 0, 0), REST(1, 0, 0), REST(2, 0, 0)}, 0, 6},
     1,
     {5},
     false,
     true},
    {"all points are one",
     {EE, {REST(1, 2, 3), REST(1, 2, 3), REST(1, 2, 3), REST(1, 2, 3)}, -1, 1},
     1,
     {-1},
     true,
     true},
    /* Paths of different times. */
    {"other times", {VF, {P(2, 5, .25, .25, 3, .25, .25, -3), GROUND}, 2, 5}, 1, {3.5}, false, false},
    {"interpolation against velocity",
     {VF, {P(0, 7, .25, .25, 7, .25, .25, 0), V(0, 0, 0, 0, 0, 1), V(1, 0, 0, 0, 0, 1), V(0, 1, 0, 0, 0, 1)}, 0, 7},
     1,
     {3.5},
     false,
     false},
    {"beyond the end of a path",
     {VF,
      {P(0, 1, .25, .25, 7, .25, .25, 6), P(-1, 2, 0, 0, 0, 0, 0, 0), P(0, 3, 1, 0, 0, 1, 0, 0), REST(0, 1, 0)},
      0,
      9},
     1,
     {7},
     false,
     false},
};

static void check_known(const path_known *k)
{
    path_ccd answer = ask_path(&k->question);
    const char *fault = path_fault(&k->question, &answer);
    if (fault != NULL)
        fail_msg("%s: %s", k->name, fault);
    if (answer.count != k->count || answer.at_enter != k->at_enter || answer.at_exit != k->at_exit)
        fail_msg("%s: count %d, at enter %d, at exit %d", k->name, answer.count, answer.at_enter, answer.at_exit);
    for (int i = 0; i < answer.count; ++i)
        if (answer.contact[i].lower != k->times[i])
            fail_msg("%s: contact %d at %a", k->name, i, answer.contact[i].lower);
}

static void test_known_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known_paths / sizeof known_paths[0]; ++i)
        check_known(&known_paths[i]);
}

/* ---- against the queries of one step ---- */

#define MAX_MAGNITUDE 1e150

static path_question question_of_step(const ccd_case *c, bool velocities)
{
    path_question q = {.kind = c->kind, .enter = 0.0, .exit = 1.0};
    for (int k = 0; k < 4; ++k)
        q.path[k] = (linear_path){.t1 = 1.0, .x0 = c->start[k], .x1 = c->end[k], .has_velocity = velocities};
    return q;
}

static double largest_coordinate(const ccd_case *c)
{
    double largest = 0.0;
    for (int k = 0; k < 4; ++k)
        largest = fmax(largest, fmax(vec_max_abs(c->start[k]), vec_max_abs(c->end[k])));
    return largest;
}

static tact_ccd ask_step(const ccd_case *c, bool velocities, double enter, double exit)
{
    tact_ccd_def def = {.enter = enter, .exit = exit, .bracket_width = 0.0, .velocities = velocities};
    return c->kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(c->start, c->end, &def)
                                       : tact_ccd_edge_edge(c->start, c->end, &def);
}

typedef struct path_counts {
    int decided, hits, several, whole, degenerate, at_enter, at_exit, asked;
} path_counts;

static void count_answer(path_counts *counts, const path_ccd *a)
{
    counts->asked++;
    counts->hits += a->count > 0;
    counts->several += a->count > 1;
    counts->whole += a->count == 1 && a->at_enter && a->at_exit;
    counts->at_enter += a->at_enter;
    counts->at_exit += a->at_exit;
    for (int i = 0; i < a->count; ++i)
        counts->degenerate += a->contact[i].degenerate;
}

/* All contacts are those of the queries for the first contact: in the whole window, and from times between two
 * contacts on. NULL, or an error text. */
static const char *compare_with_step(const ccd_case *c, bool velocities, random_source *r, path_counts *counts)
{
    path_question q = question_of_step(c, velocities);
    path_ccd a = ask_path(&q);
    const char *fault = path_fault(&q, &a);
    count_answer(counts, &a);
    if (fault != NULL)
        return fault;
    if (!filter_agrees(&q, &counts->decided))
        return "the filter errs";
    tact_ccd first = ask_step(c, velocities, 0.0, 1.0);
    if ((first.state == TACT_HIT) != (a.count > 0))
        return "hit or miss";
    if (a.count > 0 && !same_time(&first, &a.contact[0]))
        return "the first contact";
    if (a.at_enter != (ask_step(c, velocities, 0.0, 0.0).state == TACT_HIT))
        return "contact at the start";
    if (a.at_exit != (ask_step(c, velocities, 1.0, 1.0).state == TACT_HIT))
        return "contact at the end";
    for (int i = 0; i < a.count; ++i) {
        double from = next_up(a.contact[i].upper), to = i + 1 < a.count ? a.contact[i + 1].lower : 1.0;
        if (!(from <= to))
            continue;
        double time = random_chance(r, 0.3) ? from : random_range(r, from, to);
        if (time < from || time > to || ask_step(c, velocities, time, time).state == TACT_HIT)
            continue;
        tact_ccd next = ask_step(c, velocities, time, 1.0);
        if (i + 1 < a.count ? !same_time(&next, &a.contact[i + 1]) : next.state != TACT_MISS)
            return "the next contact";
    }
    return all_splits(&q, &a, r) ? NULL : "splitting the window";
}

static void test_cases_of_one_step(void **state)
{
    (void)state;
    path_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(160); ++seed) {
        random_source r = random_seed(seed);
        for (int type = 0; type < CCD_CASE_TYPES; ++type)
            for (int kind = 0; kind < 2; ++kind) {
                if ((type == CCD_HUGE || type == CCD_ANY || type == CCD_SUBNORMAL || type == CCD_MIXED) &&
                    seed % 16 != 0)
                    continue; /* slow */
                ccd_case c = ccd_case_make((ccd_case_type)type, (tact_ccd_kind)kind, seed);
                if (largest_coordinate(&c) > MAX_MAGNITUDE)
                    for (int k = 0; k < 4; ++k) {
                        c.start[k] = vec_scale(vec_scale(c.start[k], 0x1p-280), 0x1p-280);
                        c.end[k] = vec_scale(vec_scale(c.end[k], 0x1p-280), 0x1p-280);
                    }
                const char *fault = compare_with_step(&c, random_chance(&r, 0.3), &r, &counts);
                if (fault != NULL)
                    ccd_case_print(stderr, &c);
                CHECK(fault == NULL, "%s %d: %s", ccd_case_names[type], kind, fault);
            }
    }
    if (few_cases())
        return;
    print_message("%d queries: %d decided by the filter, %d hits, %d several, %d throughout, %d degenerate, %d at the "
                  "start, %d at the end\n",
                  counts.asked, counts.decided, counts.hits, counts.several, counts.whole, counts.degenerate,
                  counts.at_enter, counts.at_exit);
    assert_true(counts.decided > 1800 && counts.hits > 1400 && counts.several > 100 && counts.whole > 200 &&
                counts.degenerate > 120 && counts.at_enter > 600 && counts.at_exit > 500);
}

static void test_known_times(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    path_counts counts = {0};
    for (size_t i = 0; i < sizeof known_times / sizeof known_times[0]; ++i) {
        ccd_case c = {.kind = known_times[i].kind};
        for (int k = 0; k < 4; ++k) {
            const double *s = known_times[i].points[k], *e = known_times[i].points[4 + k];
            c.start[k] = vec_make(s[0], s[1], s[2]);
            c.end[k] = vec_make(e[0], e[1], e[2]);
        }
        if (largest_coordinate(&c) > MAX_MAGNITUDE)
            continue;
        const char *fault = compare_with_step(&c, false, &r, &counts);
        if (fault != NULL)
            fail_msg("%s: %s", known_times[i].name, fault);
    }
    assert_true(counts.asked > 50 && counts.hits > 30);
}

/* ---- the same motion, other paths ---- */

/* A motion a + b t with small numbers, and so with many degenerate contacts. */
typedef struct small_motion {
    tact_ccd_kind kind;
    double a[4][3], b[4][3], enter, exit;
} small_motion;

static small_motion random_motion(random_source *r)
{
    small_motion m = {.kind = random_chance(r, 0.5) ? TACT_VERTEX_FACE : TACT_EDGE_EDGE};
    int most = random_between(r, 1, 4), planes = random_between(r, 0, 4);
    for (int k = 0; k < 4; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            m.a[k][axis] = random_between(r, -most, most);
            m.b[k][axis] = random_between(r, -most, most);
            if (planes > 2 && axis == 2) /* all in one plane */
                m.a[k][axis] = m.b[k][axis] = 0.0;
        }
    m.enter = random_between(r, -16, 8) * 0.25;
    m.exit = m.enter + random_between(r, 0, 24) * 0.25;
    return m;
}

/* As a path, in one of many ways; `shift` is added to all times. */
static linear_path random_path(random_source *r, const small_motion *m, int k, double shift)
{
    linear_path p = {.has_velocity = random_chance(r, 0.4)};
    int first = random_between(r, -9, 8), last = first + random_between(r, 1, 17);
    double x0[3], x1[3];
    for (int axis = 0; axis < 3; ++axis) {
        x0[axis] = m->a[k][axis] + first * m->b[k][axis];
        x1[axis] = p.has_velocity ? m->b[k][axis] : m->a[k][axis] + last * m->b[k][axis];
    }
    p.t0 = first + shift;
    p.t1 = last + shift;
    p.x0 = vec_make(x0[0], x0[1], x0[2]);
    p.x1 = vec_make(x1[0], x1[1], x1[2]);
    return p;
}

static path_question random_writing(random_source *r, const small_motion *m, double shift)
{
    path_question q = {.kind = m->kind, .enter = m->enter + shift, .exit = m->exit + shift};
    bool alike = random_chance(r, 0.3);
    random_source before = *r;
    for (int k = 0; k < 4; ++k) {
        random_source same = before;
        q.path[k] = random_path(alike ? &same : r, m, k, shift);
    }
    return q;
}

/* Are all times of b those of a, later by a shift? */
static bool shifted(const path_ccd *a, const path_ccd *b, double shift)
{
    bool same = a->count == b->count && a->at_enter == b->at_enter && a->at_exit == b->at_exit;
    for (int i = 0; i < a->count && same; ++i) {
        const tact_ccd *c = &a->contact[i], *d = &b->contact[i];
        same = c->degenerate == d->degenerate && (long double)d->lower <= (long double)c->upper + shift &&
               (long double)d->upper >= (long double)c->lower + shift;
        if (c->lower == c->upper && c->lower + shift - shift == c->lower)
            same = same && d->lower == c->lower + shift && d->upper == d->lower;
    }
    return same;
}

static path_question scaled_in_time(const path_question *q, int exponent)
{
    path_question scaled = *q;
    scaled.enter = ldexp(q->enter, exponent);
    scaled.exit = ldexp(q->exit, exponent);
    for (int k = 0; k < 4; ++k) {
        linear_path *p = &scaled.path[k];
        p->t0 = ldexp(p->t0, exponent);
        p->t1 = ldexp(p->t1, exponent);
        if (p->has_velocity)
            p->x1 = vec_scale(p->x1, ldexp(1.0, -exponent));
    }
    return scaled;
}

/* The same motion backwards. */
static path_question mirrored(const path_question *q)
{
    path_question back = {.kind = q->kind, .enter = -q->exit, .exit = -q->enter};
    for (int k = 0; k < 4; ++k) {
        const linear_path *p = &q->path[k];
        bool velocity = p->has_velocity;
        back.path[k] = (linear_path){velocity ? -p->t0 : -p->t1, -p->t0, velocity ? p->x0 : p->x1,
                                     velocity ? vec_negate(p->x1) : p->x0, velocity};
    }
    return back;
}

/* Backwards there are as many intervals; those that are one instant are at the opposite times. NULL, or an error text.
 */
static const char *mirror_fault(const path_question *q, const path_ccd *a)
{
    path_question back = mirrored(q);
    path_ccd b = ask_path(&back);
    if (a->count != b.count || a->at_enter != b.at_exit || a->at_exit != b.at_enter)
        return "other intervals";
    for (int i = 0; i < a->count; ++i) {
        const tact_ccd *c = &a->contact[i], *d = &b.contact[a->count - 1 - i];
        if (c->lower > -d->lower)
            return "an interval ends before it begins";
        if (c->upper != c->lower && d->upper != d->lower && c->lower == -d->upper && c->upper != -d->lower)
            return "another instant";
    }
    return NULL;
}

static void test_other_paths_of_the_same_motion(void **state)
{
    (void)state;
    path_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(6000); ++seed) {
        random_source r = random_seed(seed);
        small_motion m = random_motion(&r);
        path_question plain = {.kind = m.kind, .enter = m.enter, .exit = m.exit};
        for (int k = 0; k < 4; ++k)
            plain.path[k] = (linear_path){
                .x0 = {m.a[k][0], m.a[k][1], m.a[k][2]}, .x1 = {m.b[k][0], m.b[k][1], m.b[k][2]}, .has_velocity = true};
        path_ccd a = ask_path(&plain);
        count_answer(&counts, &a);
        const char *fault = path_fault(&plain, &a);
        CHECK(fault == NULL, "%s", fault);
        path_question other = random_writing(&r, &m, 0.0);
        path_ccd b = ask_path(&other);
        fault = path_fault(&other, &b);
        CHECK(fault == NULL, "other paths: %s", fault);
        CHECK(same_times(&a, &b), "other paths: %d contacts, not %d", b.count, a.count);
        CHECK(filter_agrees(&other, &counts.decided), "the filter errs");
        double shift = random_between(&r, -3, 3) * (random_chance(&r, 0.5) ? 1.0 : 0x1p20);
        path_question later = random_writing(&r, &m, shift);
        path_ccd c = ask_path(&later);
        CHECK(shifted(&a, &c, shift), "shifted by %g: %d contacts, not %d", shift, c.count, a.count);
        CHECK(filter_agrees(&later, &counts.decided), "shifted: the filter errs");
        int exponent = random_between(&r, -60, 60);
        path_question slower = scaled_in_time(&other, exponent);
        path_ccd d = ask_path(&slower);
        for (int i = 0; i < d.count; ++i) {
            d.contact[i].lower = ldexp(d.contact[i].lower, -exponent);
            d.contact[i].upper = ldexp(d.contact[i].upper, -exponent);
        }
        CHECK(same_times(&a, &d), "scaled in time by 2^%d", exponent);
        CHECK(all_splits(&other, &b, &r), "splitting the window");
        fault = mirror_fault(&other, &b);
        CHECK(fault == NULL, "mirrored in time: %s", fault);
    }
    if (few_cases())
        return;
    print_message("%d motions: %d decided by the filter, %d hits, %d several, %d throughout, %d degenerate\n",
                  counts.asked, counts.decided, counts.hits, counts.several, counts.whole, counts.degenerate);
    assert_true(counts.decided > 6000 && counts.hits > 1500 && counts.several > 150 && counts.whole > 150 &&
                counts.degenerate > 50);
}

/* ---- ordinary and extreme numbers ---- */

/* Points that move across each other, on paths whose times have nothing in common. */
static path_question random_question(random_source *r)
{
    path_question q = {.kind = random_chance(r, 0.5) ? TACT_VERTEX_FACE : TACT_EDGE_EDGE};
    double now = random_chance(r, 0.5) ? 0.0 : random_range(r, -1000.0, 1000.0);
    q.enter = now;
    q.exit = now + random_range(r, 0.0, 0.05);
    bool alike = random_chance(r, 0.5);
    for (int k = 0; k < 4; ++k) {
        linear_path *p = &q.path[k];
        *p = q.path[0];
        if (k == 0 || !alike) {
            p->has_velocity = random_chance(r, 0.3);
            p->t0 = now - random_range(r, 0.0, 0.02);
            p->t1 = q.exit + random_range(r, 0.0001, 0.02);
        }
        if (alike && random_chance(r, 0.1))
            p->t0 = q.enter;
        double x0[3], x1[3];
        for (int axis = 0; axis < 3; ++axis) {
            x0[axis] = random_range(r, -1.0, 1.0);
            x1[axis] = p->has_velocity ? random_range(r, -20.0, 20.0) : random_range(r, -1.0, 1.0);
        }
        p->x0 = vec_make(x0[0], x0[1], x0[2]);
        p->x1 = vec_make(x1[0], x1[1], x1[2]);
    }
    return q;
}

/* Does A move relative to B along the normal? True if this is too slow to tell. */
static bool approaches(const path_question *q, const tact_ccd *c)
{
    long double along = 0.0L, fastest = 0.0L;
    for (int k = 0; k < 4; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            const linear_path *p = &q->path[k];
            long double speed = p->has_velocity
                                    ? vec_component(p->x1, axis)
                                    : ((long double)vec_component(p->x1, axis) - vec_component(p->x0, axis)) /
                                          ((long double)p->t1 - p->t0);
            bool first = q->kind == TACT_VERTEX_FACE ? k == 0 : k < 2;
            along += (first ? 1.0L : -1.0L) * c->weights[k] * speed * vec_component(c->normal, axis);
            fastest = fmaxl(fastest, fabsl(speed));
        }
    return along > -1e-9L * fastest;
}

static void test_ordinary_paths(void **state)
{
    (void)state;
    path_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(4000); ++seed) {
        random_source r = random_seed(seed);
        path_question q = random_question(&r);
        path_ccd a = ask_path(&q);
        count_answer(&counts, &a);
        const char *fault = path_fault(&q, &a);
        CHECK(fault == NULL, "%s", fault);
        CHECK(filter_agrees(&q, &counts.decided), "the filter errs");
        CHECK(all_splits(&q, &a, &r), "splitting the window");
        fault = mirror_fault(&q, &a);
        CHECK(fault == NULL, "mirrored in time: %s", fault);
        for (int i = 0; i < a.count; ++i) /* the normal is the way A moves, and backwards the other way */
            CHECK(approaches(&q, &a.contact[i]), "contact %d: the normal points the wrong way", i);
    }
    if (few_cases())
        return;
    print_message("%d queries: %d decided by the filter, %d hits, %d several\n", counts.asked, counts.decided,
                  counts.hits, counts.several);
    assert_true(counts.decided > 3800 && counts.hits > 250 && counts.several > 5);
}

/* A point of the plane x + y + z = 0 that moves within it, between whole numbers. */
static linear_path path_in_plane(random_source *r, double x, double y, double now)
{
    linear_path p = {.t0 = now - random_range(r, 0.01, 0.2), .t1 = now + random_range(r, 0.01, 0.2)};
    double x0 = x + random_between(r, -4, 4), y0 = y + random_between(r, -4, 4);
    double x1 = x + random_between(r, -4, 4), y1 = y + random_between(r, -4, 4);
    p.x0 = vec_make(x0, y0, -x0 - y0);
    p.x1 = vec_make(x1, y1, -x1 - y1);
    return p;
}

/* Contact exactly at a double, while no position is one: a vertex crosses the plane of a face that slides within it, or
 * an edge that of another. The bracket is that double, from whatever window. Needed for PATH_VOLUME_ERROR. */
static void test_contacts_at_doubles(void **state)
{
    (void)state;
    int decided = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(3000); ++seed) {
        random_source r = random_seed(seed);
        double now = random_range(&r, -2.0, 2.0), speed = random_range(&r, 1.0, 9.0);
        path_question q = {.kind = seed % 2 == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE};
        q.enter = now - random_range(&r, 0.0, 0.01);
        q.exit = now + random_range(&r, 0.0, 0.01);
        linear_path crossing = {.t0 = now, .x0 = {1, 2, -3}, .x1 = {speed, 0.5, 1}, .has_velocity = true};
        q.path[0] = crossing;
        if (q.kind == TACT_VERTEX_FACE) {
            q.path[1] = path_in_plane(&r, -30, -30, now);
            q.path[2] = path_in_plane(&r, 60, -30, now);
            q.path[3] = path_in_plane(&r, -30, 60, now);
        } else {
            q.path[1] = crossing;
            q.path[0].x0 = vec_make(-20, 2, 18);
            q.path[1].x0 = vec_make(20, 2, -22);
            q.path[2] = path_in_plane(&r, 0, -30, now);
            q.path[3] = path_in_plane(&r, 0, 30, now);
        }
        path_ccd a = ask_path(&q);
        const tact_ccd *c = &a.contact[0];
        CHECK(a.count == 1 && c->lower == now && c->upper == now, "%d contacts, at %a, not %a", a.count, c->lower, now);
        CHECK(filter_agrees(&q, &decided), "the filter errs");
        path_question late = q, early = q;
        late.enter = next_up(now);
        early.exit = nextafter(now, -INFINITY);
        if (late.enter <= late.exit)
            CHECK(ask_path(&late).count == 0, "a contact after %a", now);
        if (early.enter <= early.exit)
            CHECK(ask_path(&early).count == 0, "a contact before %a", now);
        CHECK(filter_agrees(&late, &decided) && filter_agrees(&early, &decided), "the filter errs beside %a", now);
    }
}

static double random_extreme(random_source *r)
{
    for (;;) {
        double x = random_chance(r, 0.3)   ? random_size(r, -1074, -1000)
                   : random_chance(r, 0.5) ? random_size(r, 400, 497)
                                           : random_finite(r);
        if (random_chance(r, 0.2))
            x = random_between(r, -2, 2);
        if (fabs(x) <= MAX_MAGNITUDE)
            return x;
    }
}

static tact_vec3 random_extreme_point(random_source *r)
{
    double x = random_extreme(r), y = random_extreme(r), z = random_extreme(r);
    return vec_make(x, y, z);
}

static linear_path random_extreme_path(random_source *r)
{
    linear_path p = {.has_velocity = random_chance(r, 0.2)};
    do {
        double a = random_extreme(r), b = random_extreme(r);
        p.t0 = fmin(a, b);
        p.t1 = fmax(a, b);
    } while (!(p.t0 < p.t1));
    p.x0 = random_extreme_point(r);
    p.x1 = random_chance(r, 0.2) ? p.x0 : random_extreme_point(r);
    return p;
}

/* Four paths; some have points in common, and some are in one plane. */
static void random_extreme_paths(random_source *r, linear_path path[4])
{
    bool plane = random_chance(r, 0.5), common = random_chance(r, 0.5);
    for (int k = 0; k < 4; ++k) {
        path[k] = random_extreme_path(r);
        if (k > 0 && common && random_chance(r, 0.5)) {
            path[k].x0 = path[k - 1].x0;
            path[k].x1 = path[k - 1].x1;
            if (random_chance(r, 0.5))
                path[k] = path[k - 1];
        }
        if (plane)
            path[k].x0.z = path[k].x1.z = 0.0;
    }
}

static void test_extreme_paths(void **state)
{
    (void)state;
    path_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(50); ++seed) {
        random_source r = random_seed(seed);
        path_question q = {.kind = random_chance(&r, 0.5) ? TACT_VERTEX_FACE : TACT_EDGE_EDGE};
        random_extreme_paths(&r, q.path);
        double a = random_extreme(&r), b = random_extreme(&r);
        q.enter = fmin(a, b);
        q.exit = fmax(a, b);
        path_ccd answer = ask_path(&q);
        count_answer(&counts, &answer);
        CHECK(filter_agrees(&q, &counts.decided), "the filter errs");
        double middle = random_chance(&r, 0.5) ? random_extreme(&r) : random_range(&r, q.enter, q.exit);
        const char *fault = mirror_fault(&q, &answer);
        CHECK(fault == NULL, "mirrored in time: %s", fault);
        if (middle >= q.enter && middle <= q.exit)
            CHECK(splits_well(&q, &answer, middle), "splitting the window at %a", middle);
        for (int i = 0; i < answer.count; ++i) {
            const tact_ccd *c = &answer.contact[i];
            double length = vec_length(c->normal);
            CHECK(c->degenerate ? length == 0.0 : fabs(length - 1.0) < 0x1p-50, "contact %d: normal of length %g", i,
                  length);
            for (int k = 0; k < 4; ++k)
                CHECK(c->weights[k] >= 0.0 && c->weights[k] <= 1.0, "contact %d: weight %g", i, c->weights[k]);
        }
    }
    if (few_cases())
        return;
    print_message("%d queries: %d hits, %d several, %d degenerate\n", counts.asked, counts.hits, counts.several,
                  counts.degenerate);
    assert_true(counts.hits > 12 && counts.degenerate > 3);
}

/* ---- jumps ---- */

/* The position at a time is x. */
static linear_path path_through(random_source *r, const double x[3], double time)
{
    linear_path p = {.has_velocity = random_chance(r, 0.3)};
    int before = random_between(r, 0, 5), length = before + random_between(r, before == 0 ? 1 : 0, 7);
    double x0[3], x1[3];
    for (int axis = 0; axis < 3; ++axis) {
        double rate = random_between(r, -3, 3);
        x0[axis] = x[axis] - before * rate;
        x1[axis] = p.has_velocity ? rate : x0[axis] + length * rate;
    }
    p.t0 = time - before;
    p.t1 = p.t0 + length;
    p.x0 = vec_make(x0[0], x0[1], x0[2]);
    p.x1 = vec_make(x1[0], x1[1], x1[2]);
    return p;
}

/* A jump, and the same motion from 0 to 1. */
typedef struct jump_question {
    tact_ccd_kind kind;
    linear_path from[4], to[4];
    double time;
    path_question step;
} jump_question;

static jump_question random_jump(random_source *r, const small_motion *m)
{
    jump_question q = {.kind = m->kind, .time = random_between(r, -9, 9), .step = {.kind = m->kind, .exit = 1.0}};
    for (int k = 0; k < 4; ++k) {
        double to[3] = {m->a[k][0] + m->b[k][0], m->a[k][1] + m->b[k][1], m->a[k][2] + m->b[k][2]};
        q.from[k] = path_through(r, m->a[k], q.time);
        q.to[k] = path_through(r, to, q.time);
        q.step.path[k] =
            (linear_path){.t1 = 1.0, .x0 = {m->a[k][0], m->a[k][1], m->a[k][2]}, .x1 = {to[0], to[1], to[2]}};
    }
    return q;
}

/* NULL, or an error text. */
static const char *jump_fault(const jump_question *q, const path_ccd *a)
{
    for (int i = 0; i < a->count; ++i) {
        const tact_ccd *c = &a->contact[i];
        if (c->lower != q->time || c->upper != q->time)
            return "not at the time of the jump";
        if (c->status != TACT_OK || c->state != TACT_HIT)
            return "not a hit";
        double length = vec_length(c->normal);
        if (!(c->degenerate ? length == 0.0 : fabs(length - 1.0) < 0x1p-50))
            return "normal not of unit length";
        double one = q->kind == TACT_VERTEX_FACE ? c->weights[0] : c->weights[0] + c->weights[1];
        double sum = c->weights[0] + c->weights[1] + c->weights[2] + c->weights[3];
        if (fabs(one - 1.0) > 0x1p-51 || fabs(sum - 2.0) > 0x1p-50)
            return "weights do not sum up to 1";
    }
    return NULL;
}

static void test_jumps(void **state)
{
    (void)state;
    path_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(4000); ++seed) {
        random_source r = random_seed(seed);
        small_motion m = random_motion(&r);
        jump_question q = random_jump(&r, &m);
        path_ccd a, b = ask_path(&q.step);
        tact_path_ccd_jump(q.kind, q.from, q.to, q.time, &a);
        count_answer(&counts, &a);
        const char *fault = jump_fault(&q, &a);
        CHECK(fault == NULL, "%s", fault);
        CHECK(a.count == b.count && a.at_enter == b.at_enter && a.at_exit == b.at_exit, "%d contacts, not %d", a.count,
              b.count);
        for (int i = 0; i < a.count; ++i) {
            const tact_ccd *c = &a.contact[i], *d = &b.contact[i];
            CHECK(c->degenerate == d->degenerate, "contact %d: degenerate %d", i, c->degenerate);
            for (int k = 0; k < 4; ++k)
                CHECK(c->degenerate || fabs(c->weights[k] - d->weights[k]) < 1e-9,
                      "contact %d: weight %d is %g, not %g", i, k, c->weights[k], d->weights[k]);
            if (!c->degenerate)
                CHECK(vec_length(vec_sub(c->normal, d->normal)) < 1e-9, "contact %d: another normal", i);
        }
    }
    if (few_cases())
        return;
    print_message("%d jumps: %d hits, %d several, %d throughout, %d degenerate\n", counts.asked, counts.hits,
                  counts.several, counts.whole, counts.degenerate);
    assert_true(counts.hits > 1000 && counts.several > 30 && counts.whole > 100 && counts.degenerate > 50);
}

/* Backwards a jump has as many contacts, and exact positions are those of a step. */
static void test_extreme_jumps(void **state)
{
    (void)state;
    path_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(50); ++seed) {
        random_source r = random_seed(seed);
        jump_question q = {.kind = random_chance(&r, 0.5) ? TACT_VERTEX_FACE : TACT_EDGE_EDGE};
        q.time = random_extreme(&r);
        random_extreme_paths(&r, q.from);
        random_extreme_paths(&r, q.to);
        bool exact = random_chance(&r, 0.5);
        q.step = (path_question){.kind = q.kind, .exit = 1.0};
        bool plane = random_chance(&r, 0.5);
        for (int k = 0; k < 4; ++k) {
            linear_path *p = &q.from[k], *t = &q.to[k];
            if (plane)
                p->x0.z = p->x1.z = t->x0.z = t->x1.z = 0.0;
            if (exact) {
                p->t1 = t->t0 = q.time;
                p->t0 = fmin(p->t0, nextafter(q.time, -INFINITY));
                t->t1 = fmax(t->t1, nextafter(q.time, INFINITY));
                p->has_velocity = false;
                q.step.path[k] = (linear_path){.t1 = 1.0, .x0 = p->x1, .x1 = t->x0};
            }
        }
        path_ccd a, b;
        tact_path_ccd_jump(q.kind, q.from, q.to, q.time, &a);
        tact_path_ccd_jump(q.kind, q.to, q.from, q.time, &b);
        count_answer(&counts, &a);
        const char *fault = jump_fault(&q, &a);
        CHECK(fault == NULL, "%s", fault);
        CHECK(a.count == b.count && a.at_enter == b.at_exit && a.at_exit == b.at_enter, "backwards %d contacts, not %d",
              b.count, a.count);
        if (exact) {
            path_ccd c = ask_path(&q.step);
            CHECK(a.count == c.count && a.at_enter == c.at_enter && a.at_exit == c.at_exit, "%d contacts, not %d",
                  a.count, c.count);
        }
    }
    if (few_cases())
        return;
    print_message("%d jumps: %d hits, %d degenerate\n", counts.asked, counts.hits, counts.degenerate);
    assert_true(counts.hits > 15 && counts.degenerate > 4);
}

/* A number near 1e150, or a few of the smallest. */
static double random_end_of_range(random_source *r)
{
    double tiny = 0x1p-1074 * (double)(1 + 2 * random_below(r, 4)), sign = random_chance(r, 0.5) ? 1.0 : -1.0;
    return random_chance(r, 0.5) ? random_size(r, 496, 497) : sign * tiny;
}

static linear_path random_longest_path(random_source *r)
{
    double t0 = -fabs(random_size(r, 496, 497)), t1 = 0x1p-1074 * (double)(1 + 2 * random_below(r, 4)), x[6];
    for (int i = 0; i < 6; ++i)
        x[i] = random_end_of_range(r);
    return (linear_path){t0, t1, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}, random_chance(r, 0.1)};
}

/* Numbers of the greatest length fit the workspaces, where asserts are compiled. */
static void test_longest_numbers(void **state)
{
    (void)state;
    int hits = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(16); ++seed) {
        random_source r = random_seed(seed);
        tact_ccd_kind kind = seed % 2 == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
        linear_path from[4], to[4];
        for (int k = 0; k < 4; ++k) {
            from[k] = random_longest_path(&r);
            to[k] = random_longest_path(&r);
            if (seed % 3 == 0)
                from[k].x0.z = from[k].x1.z = to[k].x0.z = to[k].x1.z = 0.0;
        }
        double time = random_end_of_range(&r), a = random_end_of_range(&r), b = random_end_of_range(&r);
        path_ccd there, back;
        tact_path_ccd_jump(kind, from, to, time, &there);
        tact_path_ccd_jump(kind, to, from, time, &back);
        CHECK(there.count == back.count, "%d contacts, and %d backwards", there.count, back.count);
        hits += there.count > 0;
        path_question q = {.kind = kind, .enter = fmin(a, b), .exit = fmax(a, b)};
        memcpy(q.path, from, sizeof q.path);
        path_ccd answer = ask_path(&q);
        const char *fault = mirror_fault(&q, &answer);
        CHECK(fault == NULL, "mirrored in time: %s", fault);
        hits += answer.count > 0;
    }
    assert_true(few_cases() || hits > 4);
}

/* A vertex near a face jumps by one unit in the last place, across the face, onto it, or not as far. */
static void test_jumps_by_one_double(void **state)
{
    (void)state;
    static const struct {
        double from, to;
        int count;
        bool at_enter, at_exit;
    } cases[] = {
        {0x1.0000000000001p0, 1.0, 1, false, true},
        {1.0, 0x1.fffffffffffffp-1, 1, true, false},
        {0x1.0000000000001p0, 0x1.fffffffffffffp-1, 1, false, false},
        {0x1.0000000000002p0, 0x1.0000000000001p0, 0, false, false},
        {1.0, 1.0, 1, true, true},
        {1e100, -1e100, 1, false, false},
        {1e100, 0x1.0000000000001p0, 0, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        linear_path from[4] = {P(0, 1, .25, .25, 9, .25, .25, cases[i].from), P(-1, 1, 0, 0, 1, 0, 0, 1),
                               P(-1, 1, 1, 0, 1, 1, 0, 1), P(-1, 1, 0, 1, 1, 0, 1, 1)},
                    to[4] = {V(.25, .25, cases[i].to, 1, 1, 0), P(1, 3, 0, 0, 1, 0, 0, 1), P(1, 2, 1, 0, 1, 1, 0, 1),
                             V(0, 1, 1, 0, 0, 0)};
        to[0].t0 = 1.0;
        path_ccd a;
        tact_path_ccd_jump(TACT_VERTEX_FACE, from, to, 1.0, &a);
        if (a.count != cases[i].count || a.at_enter != cases[i].at_enter || a.at_exit != cases[i].at_exit)
            fail_msg("case %d: %d contacts, at enter %d, at exit %d", (int)i, a.count, a.at_enter, a.at_exit);
        if (a.count > 0 && !(a.contact[0].lower == 1.0 && fabs(a.contact[0].weights[1] - 0.5) < 1e-15 &&
                             fabs(a.contact[0].normal.z) == 1.0))
            fail_msg("case %d: weight %g, normal %g", (int)i, a.contact[0].weights[1], a.contact[0].normal.z);
        if (a.count > 0 && cases[i].from > cases[i].to && a.contact[0].normal.z != -1.0)
            fail_msg("case %d: the normal points the wrong way", (int)i);
    }
}

/* ---- data, and other floating-point environments ---- */

static void check_file(const char *data, const char *name, path_counts *counts)
{
    char file_name[1000], line[4096];
    (void)snprintf(file_name, sizeof file_name, "%s/ccd-queries/%s.txt", data, name);
    FILE *file = fopen(file_name, "r");
    assert_non_null(file);
    size_t length = strlen(name);
    ccd_case c = {.kind = name[length - 2] == 'v' ? TACT_VERTEX_FACE : TACT_EDGE_EDGE};
    random_source r = random_seed(length);
    for (int number = 1; fgets(line, sizeof line, file) != NULL; ++number) {
        char *at = line;
        bool hit = strtol(at, &at, 10) != 0;
        double x[24];
        for (int i = 0; i < 24; ++i)
            x[i] = strtod(at, &at);
        for (int k = 0; k < 4; ++k) {
            c.start[k] = vec_make(x[3 * k], x[3 * k + 1], x[3 * k + 2]);
            c.end[k] = vec_make(x[12 + 3 * k], x[13 + 3 * k], x[14 + 3 * k]);
        }
        int before = counts->hits;
        const char *fault = compare_with_step(&c, false, &r, counts);
        if (fault != NULL)
            fail_msg("%s:%d: %s", file_name, number, fault);
        if ((counts->hits > before) != hit)
            fail_msg("%s:%d: not as known", file_name, number);
    }
    (void)fclose(file);
}

static void test_data(void **state)
{
    (void)state;
    static const char *const names[] = {"cloth-funnel.ee",
                                        "cloth-funnel.vf",
                                        "erleben-cube-cliff-edges.ee",
                                        "erleben-cube-cliff-edges.vf",
                                        "erleben-sliding-spike.vf",
                                        "erleben-spike-crack.vf",
                                        "erleben-spikes.ee",
                                        "erleben-spikes.vf",
                                        "erleben-wedges.ee",
                                        "erleben-wedges.vf",
                                        "unit-tests.ee",
                                        "unit-tests.vf"};
    const char *data = shared_data();
    path_counts counts = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        check_file(data, names[i], &counts);
    print_message("%d queries: %d decided by the filter, %d hits, %d several, %d degenerate\n", counts.asked,
                  counts.decided, counts.hits, counts.several, counts.degenerate);
    assert_true(counts.asked > 2300 && counts.hits > 350);
}

static void test_environments(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); ++seed) {
        random_source r = random_seed(seed);
        small_motion m = random_motion(&r);
        path_question q = seed % 2 == 0 ? random_question(&r) : random_writing(&r, &m, 0.0);
        if (seed % 7 == 0)
            random_extreme_paths(&r, q.path);
        path_ccd plain = ask_path(&q);
        for (int environment = 1; environment < ENVIRONMENTS; ++environment) {
            set_environment(environment);
            path_ccd other = ask_path(&q);
            bool kept = environment_is(environment);
            set_environment(0);
            CHECK(kept, "environment %d is not restored", environment);
            CHECK(same_times(&plain, &other), "other times in environment %d", environment);
            for (int i = 0; i < plain.count; ++i)
                CHECK(same_answer(&plain.contact[i], &other.contact[i]), "contact %d in environment %d", i,
                      environment);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_paths),         cmocka_unit_test(test_known_times),
        cmocka_unit_test(test_cases_of_one_step),   cmocka_unit_test(test_other_paths_of_the_same_motion),
        cmocka_unit_test(test_ordinary_paths),      cmocka_unit_test(test_contacts_at_doubles),
        cmocka_unit_test(test_extreme_paths),       cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_extreme_jumps),       cmocka_unit_test(test_longest_numbers),
        cmocka_unit_test(test_jumps_by_one_double), cmocka_unit_test(test_data),
        cmocka_unit_test(test_environments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
