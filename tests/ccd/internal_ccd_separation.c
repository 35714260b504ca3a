/*
 * Continuous collision detection with a minimum separation against exact rational numbers: no contact is missed, none
 * is reported beyond the tolerance, brackets have the requested width, closest points and normals are those at their
 * lower end. Every case goes to both solvers.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs these first */
#include <cmocka.h>

#include "ccd/ccd_separation.h"
#include "math/fp_environment.h"
#include "oracle/ccd_separation.h"
#include "oracle/dice.h"
#include "support/seeded_cases.h"

typedef struct query {
    tact_ccd_kind kind;
    tact_vec3 start[4], end[4];
    tact_ccd_def def;
} query;

typedef struct tally {
    int cases, hits, misses, at_start, late, slack, between;
} tally;

static tact_vec3 vec(double x, double y, double z) { return (tact_vec3){x, y, z}; }
static tact_vec3 add(tact_vec3 a, tact_vec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static tact_vec3 scale(tact_vec3 a, double s) { return vec(a.x * s, a.y * s, a.z * s); }
static double inner(tact_vec3 a, tact_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static tact_vec3 outer(tact_vec3 a, tact_vec3 b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static tact_vec3 any_point(dice *d)
{
    return vec(dice_between(d, -1, 1), dice_between(d, -1, 1), dice_between(d, -1, 1));
}
static tact_vec3 unit(tact_vec3 a) { return scale(a, 1.0 / sqrt(inner(a, a))); }

/* Prints a case so that it can be repeated. */
static void print_query(const query *q)
{
    print_error("%s d=%a window [%a, %a] width %a %s\n", q->kind == TACT_VERTEX_FACE ? "vertex-face" : "edge-edge",
                q->def.separation, q->def.enter, q->def.exit, q->def.bracket_width,
                q->def.velocities ? "velocities" : "places");
    for (int i = 0; i < 4; ++i)
        print_error("  {%a, %a, %a} -> {%a, %a, %a}\n", q->start[i].x, q->start[i].y, q->start[i].z, q->end[i].x,
                    q->end[i].y, q->end[i].z);
}

#define DEMAND(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            print_query(q);                                                                                            \
        CHECK(condition, __VA_ARGS__);                                                                                 \
    } while (0)

/* The square of the distance at t, as a long double, and its root. */
static long double distance_at(const query *q, double t)
{
    mpq_t time, d2;
    mpq_inits(time, d2, NULL);
    mpq_set_d(time, t);
    oracle_apart_distance2(q->kind, q->start, q->end, q->def.velocities, time, d2);
    mpf_t root;
    mpf_init2(root, 256);
    mpf_set_q(root, d2);
    mpf_sqrt(root, root);
    long exponent;
    double mantissa = mpf_get_d_2exp(&exponent, root);
    mpf_clear(root);
    mpq_clears(time, d2, NULL);
    return ldexpl((long double)mantissa, (int)exponent);
}

static double get(const tact_vec3 *v, int axis) { return axis == 0 ? v->x : axis == 1 ? v->y : v->z; }

/* Points at t as exact rationals, in units of d: from point 0 to point k, axis i. */
static void offset(const query *q, double t, int k, int i, mpq_t r)
{
    mpq_t time, a, b;
    mpq_inits(time, a, b, NULL);
    mpq_set_d(time, t);
    for (int point = 0; point <= k; point += k) {
        mpq_set_d(a, get(&q->start[point], i));
        mpq_set_d(b, get(&q->end[point], i));
        if (!q->def.velocities)
            mpq_sub(b, b, a);
        mpq_mul(b, b, time);
        mpq_add(a, a, b);
        if (point == 0)
            mpq_neg(r, a);
        else
            mpq_add(r, r, a);
    }
    mpq_set_d(a, q->def.separation);
    mpq_div(r, r, a);
    mpq_clears(time, a, b, NULL);
}

/* Weights and normal at `lower`: the points that the weights give are the closest ones; along the normal all of B is
 * that far ahead of A. */
static void check_nearest(uint64_t seed, const query *q, const tact_ccd *a)
{
    long double d = q->def.separation, true_distance = distance_at(q, a->lower) / d, x[4][3] = {{0}}, way[3] = {0};
    long double size = 0;
    int split = q->kind == TACT_VERTEX_FACE ? 1 : 2;
    mpq_t r;
    mpq_init(r);
    for (int k = 1; k < 4; ++k)
        for (int i = 0; i < 3; ++i) {
            offset(q, a->lower, k, i, r);
            x[k][i] = mpq_get_d(r);
            size = fmaxl(size, fabsl(x[k][i]));
        }
    /* the vector between these points, exactly for these weights: doubles would cancel */
    for (int i = 0; i < 3; ++i) {
        mpq_t sum, w;
        mpq_inits(sum, w, NULL);
        for (int k = 1; k < 4; ++k) {
            offset(q, a->lower, k, i, r);
            mpq_set_d(w, k < split ? -a->weights[k] : a->weights[k]);
            mpq_mul(r, r, w);
            mpq_add(sum, sum, r);
        }
        way[i] = mpq_get_d(sum);
        mpq_clears(sum, w, NULL);
    }
    mpq_clear(r);
    double of_a = 0, of_b = 0;
    for (int k = 0; k < 4; ++k) {
        DEMAND(a->weights[k] >= 0 && a->weights[k] <= 1, "weight %d is %g", k, a->weights[k]);
        *(k < split ? &of_a : &of_b) += a->weights[k];
    }
    DEMAND(fabs(of_a - 1) < 1e-15 && fabs(of_b - 1) < 1e-15, "weights sum up to %.17g and %.17g", of_a, of_b);
    long double length = sqrtl(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]), rounding = 32 * size * 0x1p-53L;
    DEMAND(length <= true_distance + 1e-8L + rounding, "the weights' points are %Lg d apart, the nearest %Lg d", length,
           true_distance);
    if (a->degenerate) {
        DEMAND(true_distance < 1e-12L, "degenerate at a distance of %Lg d", true_distance);
        DEMAND(a->normal.x == 0 && a->normal.y == 0 && a->normal.z == 0, "a normal nevertheless");
        return;
    }
    DEMAND(fabs(inner(a->normal, a->normal) - 1) < 1e-14, "the normal's length squared is %.17g",
           inner(a->normal, a->normal));
    long double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 4; ++k) {
        long double along = a->normal.x * x[k][0] + a->normal.y * x[k][1] + a->normal.z * x[k][2];
        if (k < split)
            high = fmaxl(high, along);
        else
            low = fminl(low, along);
    }
    DEMAND(low - high >= true_distance - 1e-8L - rounding, "along the normal %Lg d apart, truly %Lg d", low - high,
           true_distance);
}

/* `falls`: the distance does fall to d, by the time `at`. */
static void check_answer(uint64_t seed, const query *q, bool falls, mpq_t at, tact_ccd a, tally *count,
                         const char *half)
{
    mpq_t limit, before, slack, t;
    mpq_inits(limit, before, slack, t, NULL);
    mpq_set_d(limit, q->def.separation);
    mpq_set_ui(slack, 1000001, 1000000);
    mpq_mul(limit, limit, slack);
    DEMAND(a.status == TACT_OK && (a.state == TACT_HIT || a.state == TACT_MISS), "%s: status %d, state %d", half,
           (int)a.status, (int)a.state);
    ++count->cases;
    if (falls)
        DEMAND(a.state == TACT_HIT, "%s: missed at %.17g", half, mpq_get_d(at));
    if (a.state == TACT_MISS) {
        ++count->misses;
        static const tact_ccd empty = {.status = TACT_OK, .state = TACT_MISS};
        DEMAND(a.lower == 0 && a.upper == 0 && a.normal.x == 0 &&
                   memcmp(a.weights, empty.weights, sizeof a.weights) == 0,
               "%s: a miss is not empty", half);
    } else {
        ++count->hits;
        DEMAND(q->def.enter <= a.lower && a.lower <= a.upper && a.upper <= q->def.exit, "%s: bracket [%.17g, %.17g]",
               half, a.lower, a.upper);
        if (falls) {
            mpq_set_d(t, a.lower);
            DEMAND(mpq_cmp(t, at) <= 0, "%s: from %.17g is late: %.17g", half, a.lower, mpq_get_d(at));
        }
        count->at_start += a.lower == q->def.enter && a.upper == q->def.enter;
        count->late += a.lower > q->def.enter;
        count->slack += !falls;
        if (a.upper > a.lower && nextafter(a.lower, INFINITY) == a.upper)
            count->between += distance_at(q, a.lower) > 2 * (long double)q->def.separation &&
                              distance_at(q, a.upper) > 2 * (long double)q->def.separation;
        mpq_t high;
        mpq_init(high);
        tact_ccd_def until = q->def;
        until.enter = a.lower; /* it falls within the bracket, not before */
        until.exit = a.upper;
        bool near = oracle_apart_first(q->kind, q->start, q->end, &until, limit, before, high);
        DEMAND(near, "%s: invented: by %.17g not below d (1 + 1e-6), but %.17Lg d", half, a.upper,
               distance_at(q, a.upper) / (long double)q->def.separation);
        mpq_clear(high);
        double width = q->def.velocities ? q->def.bracket_width * q->def.exit : q->def.bracket_width;
        DEMAND(a.upper - a.lower <= width || nextafter(a.lower, INFINITY) >= a.upper,
               "%s: bracket [%.17g, %.17g] is too wide", half, a.lower, a.upper);
        if (distance_at(q, q->def.enter) < q->def.separation)
            DEMAND(a.lower == q->def.enter && a.upper == q->def.enter,
                   "%s: nearer at the start, but reported [%.17g, %.17g]", half, a.lower, a.upper);
        check_nearest(seed, q, &a);
    }
    mpq_clears(limit, before, slack, t, NULL);
}

static void check_query(uint64_t seed, const query *q, tally *count)
{
    mpq_t limit, before, at;
    mpq_inits(limit, before, at, NULL);
    mpq_set_d(limit, q->def.separation);
    bool falls = oracle_apart_first(q->kind, q->start, q->end, &q->def, limit, before, at);
    tact_ccd both = tact_ccd_separation(q->kind, q->start, q->end, &q->def);
    check_answer(seed, q, falls, at, both, count, "both halves");
    tact_ccd exact = tact_ccd_separation_exact(q->kind, q->start, q->end, &q->def, q->def.enter, q->def.exit, NULL);
    tally other = {0};
    if (memcmp(&exact, &both, sizeof exact) != 0)
        check_answer(seed, q, falls, at, exact, &other, "integers alone");
    mpq_clears(limit, before, at, NULL);
}

/* Any size, position, window, width; positions or velocities. */
static void vary(dice *d, query *q, double size)
{
    double factor = dice_pick(d, 3) == 0 ? 1.0 : ldexp(1.0, dice_pick(d, 41) - 20) * dice_between(d, 0.5, 1);
    tact_vec3 away = dice_pick(d, 3) != 0 ? vec(0, 0, 0) : scale(any_point(d), dice_power(d, 0, 6));
    for (int i = 0; i < 4; ++i) {
        q->start[i] = scale(add(q->start[i], away), factor);
        q->end[i] = scale(add(q->end[i], away), factor);
    }
    q->def.separation = size * factor;
    if (dice_pick(d, 3) == 0)
        q->def.bracket_width = dice_pick(d, 2) ? 0.0 : 1e-3;
    if (dice_pick(d, 4) == 0) {
        double a = dice_unit(d), b = dice_unit(d);
        q->def.enter = a < b ? a : b;
        q->def.exit = a < b ? b : a;
    }
    if (dice_pick(d, 4) == 0) {
        double over = dice_power(d, -3, 3);
        q->def.velocities = true;
        q->def.enter *= over;
        q->def.exit *= over;
        for (int i = 0; i < 4; ++i)
            q->end[i] = scale(add(q->end[i], scale(q->start[i], -1)), 1.0 / over);
    }
}

static query blank(dice *d)
{
    query q = {.kind = dice_pick(d, 2) ? TACT_VERTEX_FACE : TACT_EDGE_EDGE};
    q.def = (tact_ccd_def){.enter = 0, .exit = 1, .bracket_width = 0x1p-40};
    return q;
}

static query any_query(dice *d)
{
    query q = blank(d);
    for (int i = 0; i < 4; ++i) {
        q.start[i] = any_point(d);
        q.end[i] = dice_pick(d, 2) ? any_point(d) : add(q.start[i], scale(any_point(d), 0.2));
    }
    return q;
}

static void show(const char *name, const tally *t)
{
    print_message("%s: %d cases, %d hits (%d at the start, %d later, %d within the slack, %d between neighbouring "
                  "doubles), %d misses\n",
                  name, t->cases, t->hits, t->at_start, t->late, t->slack, t->between, t->misses);
}

static void anything(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(320, 24000); seed++) {
        dice d = dice_for(seed, 1, 0);
        query q = any_query(&d);
        vary(&d, &q, dice_power(&d, -9, 0.7));
        check_query(seed, &q, &t);
    }
    show("anything", &t);
    if (!few_cases())
        assert_true(t.at_start > 12 && t.late > 12 && t.misses > 120);
}

/* The smallest distance in the window, by search: accurate to many digits, not to all. */
static long double least_distance(const query *q)
{
    double best = q->def.enter, low = q->def.enter, high = q->def.exit;
    long double least = INFINITY;
    for (int round = 0; round < 10; ++round) {
        double step = (high - low) / 8;
        for (int i = 0; i <= 8; ++i) {
            double t = low + i * step;
            t = t > q->def.exit ? q->def.exit : t;
            long double at = distance_at(q, t);
            if (at < least) {
                least = at;
                best = t;
            }
        }
        low = fmax(q->def.enter, best - step);
        high = fmin(q->def.exit, best + step);
    }
    return least;
}

static void grazing(void **state)
{
    (void)state;
    static const double by[] = {1e-3, -1e-3, 2e-6, 1.1e-6, 0.9e-6, 1e-7, -1e-6, 1e-9, -1e-9, 0.0};
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(120, 9000); seed++) {
        dice d = dice_for(seed, 2, 0);
        query q = any_query(&d);
        vary(&d, &q, 1.0);
        long double least = least_distance(&q);
        if (!(least > 0))
            continue;
        q.def.separation = (double)(least / (1.0L + by[dice_pick(&d, 10)]));
        check_query(seed, &q, &t);
    }
    show("grazing", &t);
    if (!few_cases())
        assert_true(t.hits > 24 && t.misses > 24 && t.slack > 8 && t.late > 20);
}

/* Large motions of everything: features that come near and leave again between two steps. The numbers are those of
 * cases in which each Bernstein coefficient of the advancement in doubles is needed; the others are only compared with
 * the exact solver. */
static void swings(void **state)
{
    (void)state;
    static const uint64_t chosen[] = {161,   831,   1019,  1278,  14879, 15300, 17912, 28375,
                                      31301, 31947, 32101, 36614, 37007, 37107, 38944};
    enum { CHOSEN = sizeof chosen / sizeof chosen[0] };
    tally t = {0};
    int hits = 0, cases = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(CHOSEN + 280, 30 * (CHOSEN + 700)); seed++) {
        dice d = dice_for(99, 1, seed <= CHOSEN ? chosen[seed - 1] : seed);
        query two = {.def = {.exit = 1, .bracket_width = 0x1p-40}}, *q = &two;
        for (int i = 0; i < 4; ++i) {
            two.start[i] = any_point(&d);
            two.end[i] = any_point(&d);
        }
        two.def.separation = dice_power(&d, -3, -0.5);
        for (int kind = 0; kind < 2; ++kind) {
            two.kind = kind == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
            if (seed <= CHOSEN) {
                check_query(seed, q, &t);
                continue;
            }
            tact_ccd a = tact_ccd_separation(two.kind, two.start, two.end, &two.def);
            tact_ccd b = tact_ccd_separation_exact(two.kind, two.start, two.end, &two.def, 0, 1, NULL);
            DEMAND(a.state == b.state, "the halves differ: %d and %d", (int)a.state, (int)b.state);
            if (a.state == TACT_HIT)
                DEMAND(fabs(a.lower - b.lower) < 1e-3, "the halves differ: from %.17g and %.17g", a.lower, b.lower);
            hits += a.state == TACT_HIT;
            ++cases;
        }
    }
    show("swings", &t);
    if (!few_cases())
        assert_true(t.cases == 2 * CHOSEN && t.late > 10 && hits > cases / 10);
}

/* Edges so short that the square of their direction underflows, though nothing else is small. */
static void short_edges(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(80, 6000); seed++) {
        dice d = dice_for(seed, 8, 0);
        query q = blank(&d);
        double length = ldexp(1, -500 - dice_pick(&d, 40)), by = dice_between(&d, 0.2, 0.8);
        tact_vec3 n = unit(any_point(&d)), side = unit(outer(n, any_point(&d)));
        q.kind = TACT_EDGE_EDGE; /* relative to one of their own points only are edges so short */
        for (int i = 0; i < 4; ++i) {
            double sign = i % 2 ? 1 : -1;
            q.start[i] =
                i < 2 ? scale(side, sign * length) : add(n, scale(outer(n, side), sign * dice_between(&d, 0.1, 1)));
            q.end[i] = i < 2 ? q.start[i] : add(q.start[i], scale(n, -by));
        }
        q.def.separation = dice_between(&d, 0.2, 0.9);
        check_query(seed, &q, &t);
    }
    show("short edges", &t);
    if (!few_cases())
        assert_true(t.late > 12 && t.misses > 12);
}

/* A face that rotates about the vertex, or edges that rotate about each other, at a nearly constant distance: no
 * direction separates them for long. */
static void turning(void **state)
{
    (void)state;
    static const double by[] = {1e-2, -1e-2, 1e-4, 2e-6, 1e-7, -1e-7, 1e-9};
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(80, 6000); seed++) {
        dice d = dice_for(seed, 3, 0);
        query q = blank(&d);
        double gap = dice_power(&d, -6, 0), fast = dice_power(&d, -3, 0.5);
        tact_vec3 n = unit(any_point(&d)), e = unit(outer(n, any_point(&d))), f = outer(n, e);
        for (int i = 0; i < 4; ++i) { /* in a plane at distance 0 or gap, moved by a rotation in that plane or a tilt */
            bool of_a = i < (q.kind == TACT_VERTEX_FACE ? 1 : 2);
            tact_vec3 at = add(scale(e, dice_between(&d, -1, 1)), scale(f, dice_between(&d, -1, 1)));
            if (q.kind == TACT_EDGE_EDGE)
                at = scale(i < 2 ? e : f, i % 2 ? 1.0 : -1.0);
            else if (of_a)
                at = scale(at, 0.1);
            q.start[i] = add(at, scale(n, of_a ? 0 : gap));
            q.end[i] = add(q.start[i], scale(outer(n, at), of_a ? -fast : fast));
            if (dice_pick(&d, 2))
                q.end[i] = add(q.end[i], scale(n, gap * dice_between(&d, -1, 1)));
        }
        vary(&d, &q, 1.0);
        long double least = least_distance(&q);
        if (!(least > 0))
            continue;
        q.def.separation = (double)(least / (1.0L + by[dice_pick(&d, 7)]));
        check_query(seed, &q, &t);
    }
    show("turning", &t);
    if (!few_cases())
        assert_true(t.hits > 16 && t.late > 8 && t.misses > 16);
}

/* All in one plane, parallel edges, repeated points, no area, no motion. */
static void degenerate(void **state)
{
    (void)state;
    tally t[6] = {{0}};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(450, 27000); seed++) {
        dice d = dice_for(seed, 4, 0);
        query q = any_query(&d);
        int what = dice_pick(&d, 6);
        tact_vec3 *s = q.start, *e = q.end;
        if (what == 0) /* coplanar */
            for (int i = 0; i < 4; ++i)
                s[i].z = e[i].z = 0.25;
        if (what == 1) { /* parallel, or a vertex that moves along the plane */
            tact_vec3 u = vec(1, 0.5, -0.25), v = scale(any_point(&d), 0.5);
            s[1] = add(s[0], u);
            s[3] = add(s[2], scale(u, dice_pick(&d, 2) ? 1.0 : -2.0));
            for (int i = 0; i < 4; ++i)
                e[i] = i < 2 ? s[i] : add(s[i], v);
        }
        if (what == 2) { /* repeated */
            int i = dice_pick(&d, 4), j = dice_pick(&d, 4);
            s[i] = s[j];
            if (dice_pick(&d, 2))
                e[i] = e[j];
        }
        if (what == 3) { /* on a line */
            s[2] = scale(add(s[1], s[3]), 0.5);
            if (dice_pick(&d, 2))
                e[2] = scale(add(e[1], e[3]), 0.5);
        }
        if (what == 4) /* at rest */
            for (int i = 0; i < 4; ++i)
                e[i] = s[i];
        if (what == 5) { /* the vertices of small boxes: touching, at integer distances, coincident */
            for (int i = 0; i < 4; ++i) {
                s[i] = vec(dice_pick(&d, 4) - 1, dice_pick(&d, 4) - 1, dice_pick(&d, 4) - 1);
                e[i] = vec(dice_pick(&d, 4) - 1, dice_pick(&d, 4) - 1, dice_pick(&d, 4) - 1);
            }
        }
        static const double whole[] = {1, 2, 0.5, 0.25, 1e-3};
        if (what == 5)
            q.def.separation = whole[dice_pick(&d, 5)];
        else
            vary(&d, &q, dice_power(&d, what == 1 ? -1 : -6, 0.3));
        check_query(seed, &q, &t[what]);
    }
    static const char *names[] = {"coplanar", "parallel", "repeated", "on a line", "at rest", "whole numbers"};
    for (int i = 0; i < 6; ++i) {
        show(names[i], &t[i]);
        if (!few_cases())
            assert_true(t[i].hits > 2 && t[i].misses > 15);
    }
}

/* d far below the rounding of the coordinates: points collide, or miss by a few d, at full speed. */
static void minute(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(100, 4500); seed++) {
        dice d = dice_for(seed, 5, 0);
        query q = blank(&d);
        tact_vec3 corner[3] = {any_point(&d), any_point(&d), any_point(&d)}, v = any_point(&d), w = any_point(&d);
        double a = dice_unit(&d), b = dice_unit(&d) * (1 - a), when = ldexp(dice_pick(&d, 15) + 1, -4);
        bool slide = dice_pick(&d, 4) == 0;
        for (int i = 0; i < 4; ++i) { /* all from positions on a coarse grid at `when`, so that they do collide */
            tact_vec3 at =
                i > 0 ? corner[i - 1] : add(scale(corner[0], 1 - a - b), add(scale(corner[1], a), scale(corner[2], b)));
            tact_vec3 by = i == 0 ? v : slide ? scale(corner[1], 0.25) : w;
            q.start[i] = scale(add(at, scale(by, -when)), 1e6);
            q.end[i] = scale(add(at, scale(by, 1 - when)), 1e6);
        }
        q.def.separation = dice_power(&d, -13, -3);
        if (dice_pick(&d, 2)) { /* about as far as they come */
            long double least = least_distance(&q);
            if (least > 0)
                q.def.separation = (double)(least * dice_between(&d, 0.5, 2));
        }
        check_query(seed, &q, &t);
    }
    show("minute", &t);
    if (!few_cases())
        assert_true(t.late > 25 && t.misses > 10 && t.between > 1);
}

/* All exponents, and mixtures of them. */
static void extreme(void **state)
{
    (void)state;
    tally t = {0};
    int fleeting = 0, instants = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        dice d = dice_for(seed, 6, 0);
        query q = any_query(&d);
        int all = dice_pick(&d, 2024) - 1000, less = dice_pick(&d, 2) ? 0 : dice_pick(&d, 120);
        for (int i = 0; i < 4; ++i) {
            int own = less > 0 ? dice_pick(&d, less) : 0;
            q.start[i] = scale(q.start[i], ldexp(1, all - own));
            q.end[i] = scale(q.end[i], ldexp(1, all - own));
        }
        q.def.separation = ldexp(dice_power(&d, -2, 0.3), all - (less > 0 ? dice_pick(&d, less) : 0));
        if (!(q.def.separation > 0))
            q.def.separation = 0x1p-1074;
        if (dice_pick(&d, 4) == 0)
            q.def.bracket_width = 0;
        if (dice_pick(&d, 4) == 0) {
            q.def.velocities = true;
            q.def.exit = ldexp(1, dice_pick(&d, 100) - 50);
        } else if (dice_pick(
                       &d,
                       2)) { /* for any time, down to the shortest, as fast as it takes to get somewhere, and faster */
            int time = dice_pick(&d, 2075) - 1074;
            if (all - time > 1020) /* if that overflows: slower */
                time = all - 1020;
            q.def.velocities = true;
            q.def.exit = dice_pick(&d, 8) == 0 ? 0.0 : ldexp(1, time);
            for (int i = 0; i < 4; ++i)
                q.end[i] = scale(scale(q.end[i], ldexp(1, -(time / 2))), ldexp(1, -(time - time / 2)));
            fleeting += time < -200;
            instants += q.def.exit == 0.0;
        }
        check_query(seed, &q, &t);
    }
    show("extreme", &t);
    print_message("of which %d within 2^-200, %d at an instant\n", fleeting, instants);
    if (!few_cases())
        assert_true(t.hits > 50 && t.misses > 50 && fleeting > 15 && instants > 5);
}

/* Velocities that overflow relative to the size, or to each other, for times so short that it does not matter. */
static void fleeting_motion(void **state)
{
    (void)state;
    tally t = {0};
    query q = {.kind = TACT_VERTEX_FACE,
               .start = {{2.5e-125, 2.5e-125, 3e-124}, {0, 0, 0}, {1e-124, 0, 0}, {0, 1e-124, 0}},
               .end = {{0, 0, -1e200}},
               .def = {.exit = 1e-322, .bracket_width = 0x1p-40, .separation = 1e-125, .velocities = true}};
    check_query(0, &q, &t); /* through the face at full speed */
    q.start[0].z = -3e-124;
    q.end[0].z = 1e200;
    check_query(0, &q, &t);
    assert_int_equal(t.hits, 2);
    q = (query){.kind = TACT_VERTEX_FACE,
                .start = {{0, 0, 0}, {0.05, 0, 0}, {2, 1, 0}, {2, -1, 0}},
                .end = {{-1.7e308, 0, 0}, {1.7e308, 0, 0}, {-1.7e308, 0, 0}, {-1.7e308, 0, 0}},
                .def = {.bracket_width = 0x1p-40, .separation = 0.1, .velocities = true}};
    check_query(0, &q, &t); /* near a vertex at time 0 */
    q.def.exit = 0x1p-1074;
    check_query(0, &q, &t);
    q.start[1].x = 0;
    check_query(0, &q, &t);
    assert_int_equal(t.at_start, 3);
    t = (tally){0};
    q = (query){.kind = TACT_VERTEX_FACE, /* as far away as products of doubles go, as near as a double is small */
                .start = {{2, 2, 1e-300}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                .end = {{1e300, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1e-300, 0}},
                .def = {.exit = DBL_MAX, .bracket_width = 0x1p-40, .separation = 0x1p-1074, .velocities = true}};
    check_query(0, &q, &t);
    if (quick_form()) /* these take the oracle half a second each */
        return;
    q.end[0] = vec(0, 0, 1e300);
    check_query(0, &q, &t);
    q.end[0] = vec(-DBL_MAX, -DBL_MAX, DBL_MAX);
    q.end[2] = vec(DBL_MAX, DBL_MAX, -DBL_MAX);
    check_query(0, &q, &t);
    assert_int_equal(t.misses, 3);
}

static tact_vec3 in_floats(tact_vec3 a) { return vec((float)a.x, (float)a.y, (float)a.z); }

/* Vertices collinear all the time, or everything coplanar, and features far larger than d that come as near as a few d:
 * rounding to the grid must not leave signs to chance in interval after interval. The number of intervals counts;
 * answers are compared with the oracle now and then. */
static void thin(void **state)
{
    (void)state;
    static const char *names[] = {"on a line", "in a plane", "along an edge", "of all sizes"};
    int most[4] = {0}, hits = 0, misses = 0;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(320, 24000); seed++) {
        dice d = dice_for(seed, 9, 0);
        query q = blank(&d);
        int family = dice_pick(&d, 4);
        double big = dice_power(&d, 6, 18), w = dice_unit(&d), when = dice_between(&d, 0.1, 0.9);
        bool turns = dice_pick(&d, 3) != 0;
        tact_vec3 *x[2] = {q.start, q.end}, near[2];
        for (int i = 0; i < 2; ++i) { /* sums and halves of floats: no rounding */
            for (int k = 1; k < 4; ++k)
                x[i][k] = turns || i == 0 ? in_floats(any_point(&d)) : x[0][k];
            if (family == 0)
                x[i][3] = scale(add(x[i][1], x[i][2]), 0.5);
            if (family == 1)
                x[i][1].z = x[i][2].z = x[i][3].z = 0;
            int from = q.kind == TACT_VERTEX_FACE ? 1 : 2;
            near[i] = add(scale(x[i][from], 1 - w), scale(x[i][from + 1], w));
        }
        tact_vec3 meet = add(scale(near[0], 1 - when), scale(near[1], when)), v = any_point(&d), beside = any_point(&d);
        if (family == 1)
            v.z = beside.z = 0;
        beside = scale(unit(beside), dice_between(&d, 0.5, 4) / big);
        v = scale(v, dice_power(&d, -3, 0));
        x[0][0] = add(add(meet, beside), scale(v, -when));
        x[1][0] = add(add(meet, beside), scale(v, 1 - when));
        if (family == 2) { /* the vertex stays near a rotating edge */
            x[0][0] = add(near[0], beside);
            x[1][0] = add(near[1], scale(beside, dice_between(&d, 0.2, 1)));
        }
        for (int k = 0; k < 4; ++k) {
            q.start[k] = scale(q.start[k], big);
            q.end[k] = scale(q.end[k], big);
        }
        q.def.separation = 1;
        if (family == 3) { /* every coordinate of a size of its own, in a plane or not, and on two lines at times */
            bool flat = dice_pick(&d, 2), line = dice_pick(&d, 4) == 0;
            for (int i = 0; i < 2; ++i)
                for (int k = 0; k < 4; ++k) {
                    tact_vec3 v0 = in_floats(any_point(&d));
                    x[i][k] = vec(ldexp(v0.x, dice_pick(&d, 80) - 40), ldexp(v0.y, dice_pick(&d, 80) - 40),
                                  flat ? 0 : ldexp(v0.z, dice_pick(&d, 80) - 40));
                    if (k == 3 && line)
                        x[i][3] = scale(x[i][1], ldexp(dice_pick(&d, 2) ? 1 : -1, dice_pick(&d, 20) - 10));
                }
            q.def.separation = dice_power(&d, -10, 2);
        }
        if (dice_pick(&d, 2))
            q.def.bracket_width = 0;
        int stretches = CCD_SEPARATION_MAX_INTERVALS;
        tact_ccd a = tact_ccd_separation_exact(q.kind, q.start, q.end, &q.def, 0, 1, &stretches);
        if (stretches > most[family])
            most[family] = stretches;
        hits += a.state == TACT_HIT;
        misses += a.state == TACT_MISS;
        CHECK(a.status == TACT_OK && stretches <= 1500, "status %d after %d stretches", (int)a.status, stretches);
        if (seed % 20 == 0)
            check_query(seed, &q, &t);
    }
    for (int i = 0; i < 4; ++i)
        print_message("%s: at most %d stretches\n", names[i], most[i]);
    show("thin", &t);
    print_message("%d hits, %d misses\n", hits, misses);
    if (!few_cases())
        assert_true(hits > 60 && misses > 40);
}

/* Too few intervals: never a wrong miss, never late, and reported. */
static void spent(void **state)
{
    (void)state;
    int settled = 0, unsettled = 0, moved = 0;
    mpq_t limit, before, at, from;
    mpq_inits(limit, before, at, from, NULL);
    for (uint64_t seed = first_seed(); seed <= last_seed_of(160, 12000); seed++) {
        dice d = dice_for(seed, 10, 0);
        query two = any_query(&d), *q = &two;
        vary(&d, q, dice_power(&d, -9, 0));
        int most = 1 + dice_pick(&d, 30), stretches = most;
        tact_ccd a =
            tact_ccd_separation_exact(q->kind, q->start, q->end, &q->def, q->def.enter, q->def.exit, &stretches);
        DEMAND(stretches <= most, "%d stretches instead of %d", stretches, most);
        if (a.status == TACT_OK) {
            ++settled;
            tact_ccd all =
                tact_ccd_separation_exact(q->kind, q->start, q->end, &q->def, q->def.enter, q->def.exit, NULL);
            DEMAND(a.state == all.state && a.lower == all.lower && a.upper == all.upper,
                   "another answer with %d stretches", most);
            continue;
        }
        ++unsettled;
        DEMAND(a.status == TACT_NOT_CONVERGED && a.state == TACT_HIT, "status %d, state %d", (int)a.status,
               (int)a.state);
        DEMAND(q->def.enter <= a.lower && a.lower <= a.upper && a.upper <= q->def.exit, "bracket [%.17g, %.17g]",
               a.lower, a.upper);
        moved += a.lower > q->def.enter;
        mpq_set_d(limit, q->def.separation);
        mpq_set_d(from, a.lower);
        if (oracle_apart_first(q->kind, q->start, q->end, &q->def, limit, before, at)) {
            DEMAND(mpq_cmp(from, at) <= 0, "from %.17g is late: %.17g", a.lower, mpq_get_d(at));
            mpq_set_d(from, a.upper);
            DEMAND(mpq_cmp(from, before) >= 0, "over at %.17g, but it begins after %.17g", a.upper, mpq_get_d(before));
        }
        check_nearest(seed, q, &a);
    }
    mpq_clears(limit, before, at, from, NULL);
    print_message("%d settled, %d not, of which %d got anywhere\n", settled, unsettled, moved);
    if (!few_cases())
        assert_true(settled > 20 && unsettled > 20 && moved > 8);
}

/* Hand-made cases with known times. */
static void known(void **state)
{
    (void)state;
    uint64_t seed = 0;
    tally t = {0};
    query p = {.kind = TACT_VERTEX_FACE, .def = {.exit = 1, .bracket_width = 0x1p-40, .separation = 0.5}}, *q = &p;
    p.start[0] = vec(0.25, 0.25, 2);
    p.end[0] = vec(0.25, 0.25, -2);
    p.start[1] = p.end[1] = vec(0, 0, 0);
    p.start[2] = p.end[2] = vec(1, 0, 0);
    p.start[3] = p.end[3] = vec(0, 1, 0);
    check_query(seed, q, &t);
    tact_ccd a = tact_ccd_separation(p.kind, p.start, p.end, &p.def); /* 2 - 4 t = 0.5 */
    assert_true(a.state == TACT_HIT && a.lower <= 0.375 && a.upper >= 0.375 && a.normal.z == -1 && a.normal.x == 0);
    assert_true(fabs(a.weights[1] - 0.5) < 1e-12 && fabs(a.weights[2] - 0.25) < 1e-12);
    p.def.bracket_width = 0;
    check_query(seed, q, &t);
    p.end[0] = vec(0.25, 0.25, 0.5); /* reaches it at the very end */
    check_query(seed, q, &t);
    a = tact_ccd_separation(p.kind, p.start, p.end, &p.def);
    assert_true(a.state == TACT_HIT && a.upper > 1 - 1e-6);
    p.start[0] = vec(-3, 0.5, 0.5); /* slides at exactly the distance, then a little higher */
    p.end[0] = vec(3, 0.5, 0.5);
    a = tact_ccd_separation(p.kind, p.start, p.end, &p.def);
    assert_true(a.state == TACT_HIT && a.lower <= 0.5 && a.upper > 0.4998);
    p.start[0].z = p.end[0].z = 0.5 * (1 + 2e-6);
    check_query(seed, q, &t);
    assert_int_equal(tact_ccd_separation(p.kind, p.start, p.end, &p.def).state, TACT_MISS);
    p.start[0] = p.end[0] = vec(0.25, 0.25, 0); /* on the face all the time */
    check_query(seed, q, &t);
    a = tact_ccd_separation(p.kind, p.start, p.end, &p.def);
    assert_true(a.state == TACT_HIT && a.upper == 0 && a.degenerate && a.normal.z == 0);
    p.def.enter = p.def.exit = 0.5; /* an instant */
    check_query(seed, q, &t);
    p.start[0].z = p.end[0].z = 0.6;
    check_query(seed, q, &t);
    assert_int_equal(t.misses, 2);
}

/* The host's rounding mode and flush-to-zero do not matter. */
static void environment_does_not_matter(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(120, 9000); seed++) {
        dice d = dice_for(seed, 7, 0);
        query q = any_query(&d);
        vary(&d, &q, dice_power(&d, -6, 0));
        tact_ccd usual = tact_ccd_separation(q.kind, q.start, q.end, &q.def);
        for (int i = 0; i < 3; ++i) {
            fesetround(modes[i]);
#if defined(__x86_64__)
            unsigned control = _mm_getcsr();
            _mm_setcsr(control | 0x8040u); /* flush to zero, denormals are zero */
#endif
            tact_ccd other = tact_ccd_separation(q.kind, q.start, q.end, &q.def);
#if defined(__x86_64__)
            bool kept = (_mm_getcsr() & ~0x3fu) == ((control | 0x8040u) & ~0x3fu);
            _mm_setcsr(control);
#else
            bool kept = true;
#endif
            kept = kept && fegetround() == modes[i];
            fesetround(FE_TONEAREST);
            CHECK(kept, "the environment is not as it was");
            CHECK(usual.state == other.state && usual.lower == other.lower && usual.upper == other.upper &&
                      memcmp(usual.weights, other.weights, sizeof usual.weights) == 0 &&
                      memcmp(&usual.normal, &other.normal, sizeof usual.normal) == 0,
                  "another answer with rounding mode %d", modes[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(anything),
        cmocka_unit_test(grazing),
        cmocka_unit_test(turning),
        cmocka_unit_test(swings),
        cmocka_unit_test(short_edges),
        cmocka_unit_test(minute),
        cmocka_unit_test(degenerate),
        cmocka_unit_test(extreme),
        cmocka_unit_test(fleeting_motion),
        cmocka_unit_test(thin),
        cmocka_unit_test(spent),
        cmocka_unit_test(environment_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
