/*
 * Weights and normals of contacts against floating point of 4,000 bits: slivers, nearly parallel edges, coordinates far
 * from the origin, huge and tiny, nearly sliding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ccd/feature_ccd.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define BITS 4000            /* of GMP's numbers */
#define NORMAL_OFF 0x1p-23   /* the error of the normal: 8 digits are promised where doubles compute it */
#define CLEAR_APPROACH 1e-13 /* relative to the speeds: from here on the sign of the normal is checked */

typedef struct question {
    tact_ccd_kind kind;
    tact_vec3 start[4], end[4];
    tact_ccd_def def;
} question;

typedef struct vector {
    mpf_t c[3];
} vector;

static void vector_init(vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpf_init2(v->c[i], BITS);
}

static void vector_clear(vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpf_clear(v->c[i]);
}

static void subtract(vector *d, const vector *a, const vector *b)
{
    for (int i = 0; i < 3; ++i)
        mpf_sub(d->c[i], a->c[i], b->c[i]);
}

static void cross(vector *n, const vector *a, const vector *b)
{
    mpf_t left, right;
    mpf_init2(left, BITS);
    mpf_init2(right, BITS);
    for (int i = 0; i < 3; ++i) {
        mpf_mul(left, a->c[(i + 1) % 3], b->c[(i + 2) % 3]);
        mpf_mul(right, a->c[(i + 2) % 3], b->c[(i + 1) % 3]);
        mpf_sub(n->c[i], left, right);
    }
    mpf_clear(left);
    mpf_clear(right);
}

static void dot(mpf_t sum, const vector *a, const vector *b)
{
    mpf_t product;
    mpf_init2(product, BITS);
    mpf_set_ui(sum, 0);
    for (int i = 0; i < 3; ++i) {
        mpf_mul(product, a->c[i], b->c[i]);
        mpf_add(sum, sum, product);
    }
    mpf_clear(product);
}

/* v / |v|, for a vector that is not zero. */
static tact_vec3 unit(const vector *v)
{
    mpf_t length, part;
    mpf_init2(length, BITS);
    mpf_init2(part, BITS);
    dot(length, v, v);
    mpf_sqrt(length, length);
    double c[3];
    for (int i = 0; i < 3; ++i) {
        mpf_div(part, v->c[i], length);
        c[i] = mpf_get_d(part);
    }
    mpf_clear(length);
    mpf_clear(part);
    return (tact_vec3){c[0], c[1], c[2]};
}

static double coordinate(tact_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The true values at the midpoint of the bracket. */
typedef struct truth {
    double gap; /* between the two contact points, relative to the largest coordinate and to what the points move in the
                   bracket */
    bool normal;      /* is there a normal? */
    tact_vec3 across; /* then this, of either sign */
    double approach;  /* the relative speed of A and B along it, relative to the largest speed */
} truth;

static truth find_truth(const question *q, const tact_ccd *a)
{
    vector at[4], by[4], gap, speed, u, v, n;
    mpf_t time, x, most, fastest;
    vector *all[] = {&gap, &speed, &u, &v, &n, &at[0], &at[1], &at[2], &at[3], &by[0], &by[1], &by[2], &by[3]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        vector_init(all[i]);
    mpf_init2(time, BITS);
    mpf_init2(x, BITS);
    mpf_init2(most, BITS);
    mpf_init2(fastest, BITS);
    mpf_set_d(time, a->lower + 0.5 * (a->upper - a->lower));
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 4; ++i) {
            mpf_set_d(at[i].c[axis], coordinate(q->start[i], axis));
            mpf_set_d(by[i].c[axis], coordinate(q->end[i], axis));
            mpf_abs(x, at[i].c[axis]);
            if (mpf_cmp(x, most) > 0)
                mpf_set(most, x);
            mpf_abs(x, by[i].c[axis]);
            if (!q->def.velocities && mpf_cmp(x, most) > 0)
                mpf_set(most, x);
            if (!q->def.velocities)
                mpf_sub(by[i].c[axis], by[i].c[axis], at[i].c[axis]);
            mpf_abs(x, by[i].c[axis]);
            if (mpf_cmp(x, fastest) > 0)
                mpf_set(fastest, x);
            mpf_mul(x, by[i].c[axis], time);
            mpf_add(at[i].c[axis], at[i].c[axis], x);
            mpf_abs(x, at[i].c[axis]);
            if (mpf_cmp(x, most) > 0)
                mpf_set(most, x);
            bool of_a = i == 0 || (i == 1 && q->kind == TACT_EDGE_EDGE);
            mpf_set_d(x, of_a ? a->weights[i] : -a->weights[i]);
            mpf_mul(u.c[axis], x, at[i].c[axis]);
            mpf_add(gap.c[axis], gap.c[axis], u.c[axis]);
            mpf_mul(u.c[axis], x, by[i].c[axis]);
            mpf_add(speed.c[axis], speed.c[axis], u.c[axis]);
        }
    truth t = {0};
    /* gap / (most + 2^48 fastest width): two points separate by 2 fastest times the width along an axis, twice that is
     * allowed (ccd_contact.c), and sqrt(3) times as much for all three */
    mpf_set_d(x, a->upper - a->lower);
    mpf_mul(x, x, fastest);
    mpf_mul_2exp(x, x, 48);
    mpf_add(most, most, x);
    dot(x, &gap, &gap);
    mpf_sqrt(x, x);
    if (mpf_sgn(most) > 0) {
        mpf_div(x, x, most);
        t.gap = mpf_get_d(x);
    }
    subtract(&u, q->kind == TACT_VERTEX_FACE ? &at[2] : &at[1], q->kind == TACT_VERTEX_FACE ? &at[1] : &at[0]);
    subtract(&v, &at[3], q->kind == TACT_VERTEX_FACE ? &at[1] : &at[2]);
    cross(&n, &u, &v);
    dot(x, &n, &n);
    t.normal = mpf_sgn(x) > 0;
    if (t.normal)
        t.across = unit(&n);
    if (t.normal && mpf_sgn(fastest) > 0) {
        mpf_sqrt(x, x);
        mpf_mul(fastest, fastest, x);
        dot(x, &speed, &n);
        mpf_div(x, x, fastest);
        t.approach = mpf_get_d(x);
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        vector_clear(all[i]);
    mpf_clear(time);
    mpf_clear(x);
    mpf_clear(most);
    mpf_clear(fastest);
    return t;
}

static tact_vec3 along(tact_vec3 a, double s, tact_vec3 b)
{
    return (tact_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static tact_vec3 random_vector(random_source *r)
{
    return (tact_vec3){random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
}

static tact_vec3 scaled(tact_vec3 v, int exponent)
{
    return (tact_vec3){ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent)};
}

/* Two features that collide, or nearly, near a given time, of which one or both are thin. */
static question random_contact(random_source *r)
{
    question q = {.kind = random_chance(r, 0.5) ? TACT_VERTEX_FACE : TACT_EDGE_EDGE,
                  .def = {.exit = 1.0, .bracket_width = random_chance(r, 0.8) ? 0x1p-40 : 0.0}};
    double thin = random_chance(r, 0.4) ? 1.0 : ldexp(1.0, -random_between(r, 5, 60));
    double far = random_chance(r, 0.4) ? 0.0 : ldexp(1.0, random_between(r, 0, 30));
    double slow = random_chance(r, 0.6) ? 1.0 : ldexp(1.0, -random_between(r, 5, 50));
    if (random_chance(r, 0.2)) { /* just thick enough for doubles, and nearly sliding */
        int exponent = random_between(r, 0, 20);
        far = ldexp(1.0, exponent);
        thin = ldexp(1.0, exponent - 18 + random_between(r, 0, 8));
        slow = 0x1p-60;
    }
    tact_vec3 base = along((tact_vec3){0, 0, 0}, far, random_vector(r));
    tact_vec3 u = random_vector(r), v = random_vector(r), w = random_vector(r), meet = random_vector(r), x[4];
    double s = random_range(r, 0.1, 0.9), p = random_range(r, 0.1, 0.9), time = random_range(r, 0.1, 0.9);
    if (q.kind == TACT_VERTEX_FACE) { /* vertices on the line meet + u, up to a little v */
        x[0] = meet;
        x[1] = along(along(meet, -s, u), -thin, v);
        x[2] = along(along(meet, p, u), -thin, v);
        x[3] = along(along(meet, random_range(r, -1, 1), u), 2 * thin, v);
    } else {
        x[0] = along(meet, -s, u);
        x[1] = along(meet, 1 - s, u);
        tact_vec3 other = along(u, thin, v);
        x[2] = along(meet, -p, other);
        x[3] = along(meet, 1 - p, other);
    }
    tact_vec3 slide = random_chance(r, 0.5) ? u : v; /* A moves within the plane, and slowly across it */
    tact_vec3 move =
        slow < 1.0 ? along(along((tact_vec3){0, 0, 0}, random_chance(r, 0.5) ? 1e-3 : thin, slide), slow, w) : w;
    for (int i = 0; i < 4; ++i) {
        tact_vec3 motion = random_chance(r, 0.5) ? random_vector(r) : (tact_vec3){0, 0, 0};
        bool of_a = i == 0 || (i == 1 && q.kind == TACT_EDGE_EDGE);
        tact_vec3 by = of_a ? along(motion, 1, move) : motion;
        if (slow < 1.0)
            by = of_a ? move : (tact_vec3){0, 0, 0};
        x[i] = along(x[i], 1, base);
        q.start[i] = along(x[i], -time, by);
        q.end[i] = along(x[i], 1 - time, by);
        if (random_chance(r, 0.1))
            q.start[i] = x[i];
        if (i > 1 && random_chance(r, 0.1)) { /* vertex to vertex */
            q.start[i] = q.start[0];
            q.end[i] = along(q.start[0], 1, motion);
        }
    }
    static const int ranges[][2] = {{-1060, -1000}, {-540, -500}, {-320, -280}, {280, 320}, {490, 515}, {960, 990}};
    if (random_chance(r, 0.3)) { /* about where something under- or overflows */
        const int *range = ranges[random_below(r, sizeof ranges / sizeof ranges[0])];
        int exponent = random_between(r, range[0], range[1]);
        for (int i = 0; i < 4; ++i) {
            q.start[i] = scaled(q.start[i], exponent);
            q.end[i] = scaled(q.end[i], exponent);
        }
    }
    if (random_chance(r, 0.2)) {
        q.def.velocities = true;
        q.def.exit = random_chance(r, 0.5) ? 1.0 : ldexp(1.0, random_between(r, -2, 2));
    }
    return q;
}

static void weights_and_normals_agree_with_long_floating_point(void **state)
{
    (void)state;
    int hits = 0, slow = 0, thin = 0, degenerate = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(12000); ++seed) {
        random_source r = random_seed(seed);
        question q = random_contact(&r);
        tact_ccd a = tact_ccd_exact(q.kind, q.start, q.end, &q.def);
        if (a.state != TACT_HIT)
            continue;
        ++hits;
        truth t = find_truth(&q, &a);
        CHECK(t.gap <= 0x1p-45, "the places are %g apart", t.gap);
        degenerate += a.degenerate;
        if (a.degenerate || !t.normal)
            continue;
        tact_vec3 n = t.across;
        double same = n.x * a.normal.x + n.y * a.normal.y + n.z * a.normal.z, sign = same < 0 ? -1 : 1;
        double off = fabs(n.x - sign * a.normal.x) + fabs(n.y - sign * a.normal.y) + fabs(n.z - sign * a.normal.z);
        CHECK(off <= NORMAL_OFF, "the normal is off by %g", off);
        CHECK(sign * t.approach >= -CLEAR_APPROACH, "A moves away by %g", sign * t.approach);
        slow += fabs(t.approach) < 1e-6;
        thin += q.kind == TACT_VERTEX_FACE;
    }
    if (!few_cases())
        assert_true(hits > 3000 && slow > 400 && thin > 800 && degenerate < hits / 10);
}

/* Brackets at both of whose ends the normal is zero, but not between: it is that of the second derivative. */
static void a_normal_that_is_zero_at_both_ends_is_found(void **state)
{
    (void)state;
    /* The face is (0,0,0), (t - s, 0, 0), (0, t - r, 0) with s, r the ends of the bracket: its normal is (t - s) (t -
     * r) ez. The vertex is at (0,0,0) all the time, hence the window [s, r]. */
    double s = 0.75, r = nextafter(s, 1.0);
    question q = {.kind = TACT_VERTEX_FACE,
                  .start = {{0, 0, 0}, {0, 0, 0}, {-s, 0, 0}, {0, -r, 0}},
                  .end = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                  .def = {.exit = 1.0, .velocities = true}};
    tact_ccd a = {.status = TACT_OK, .state = TACT_HIT, .lower = s, .upper = r};
    tact_ccd_fill_contact(q.kind, q.start, q.end, &q.def, &a);
    assert_true(fabs(a.normal.z) == 1.0 && a.normal.x == 0.0 && a.normal.y == 0.0);
}

/* If it is zero at one end only, the normal of the other end is returned, whatever is in the workspace by then. */
static void a_normal_that_is_zero_at_one_end_is_found(void **state)
{
    (void)state;
    double s = 0.75, r = nextafter(s, 1.0), tiny[] = {0.0, 0x1p-900};
    for (int i = 0; i < 4; ++i) {
        double e = tiny[i / 2];
        /* face: (0, 0, 0), (t - s) (1, 2, 3), (4, 5, 7); edges: from there to the same */
        question face = {.kind = TACT_VERTEX_FACE,
                         .start = {{0, 0, 0}, {0, 0, 0}, {-s, -2 * s, -3 * s}, {4, 5, 7}},
                         .end = {{0, 0, 0}, {0, 0, 0}, {1, 2, 3}, {0, 0, e}},
                         .def = {.exit = 1.0, .velocities = true}};
        question edges = {.kind = TACT_EDGE_EDGE,
                          .start = {{0, 0, 0}, {-s, -2 * s, -3 * s}, {0, 0, 0}, {4, 5, 7}},
                          .end = {{0, 0, 0}, {1, 2, 3}, {0, 0, 0}, {0, 0, e}},
                          .def = {.exit = 1.0, .velocities = true}};
        question q = i % 2 == 0 ? face : edges;
        tact_ccd a = {.status = TACT_OK, .state = TACT_HIT, .lower = s, .upper = r};
        tact_ccd_fill_contact(q.kind, q.start, q.end, &q.def, &a);
        double along = (-a.normal.x + 5.0 * a.normal.y - 3.0 * a.normal.z) / sqrt(35.0);
        assert_true(fabs(fabs(along) - 1.0) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_and_normals_agree_with_long_floating_point),
        cmocka_unit_test(a_normal_that_is_zero_at_both_ends_is_found),
        cmocka_unit_test(a_normal_that_is_zero_at_one_end_is_found),
    };
    return cmocka_run_group_tests_name("ccd_describe", tests, NULL, NULL);
}
