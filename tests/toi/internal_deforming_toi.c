/*
 * A deforming triangle against a moving convex primitive (toi/deforming_toi.h): random pairs of every kind of shape,
 * triangles without area, half turns, grazing paths, starts in contact and inside. The oracle samples the whole motion
 * with the static distance of query.h, and refines where it is lowest. Hits are never late, never farther apart than
 * the tolerance, and none is missed. A pair at rest is no hit, nor is a triangle that moves with a turning body.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"
#include "toi/deforming_toi.h"

#define KINDS 17

static tact_vec3 random_vec(random_source *r, double size)
{
    const double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return tact_vec(x, y, random_range(r, -size, size));
}

/* A lens: the part that two balls of radius 1 around (0, +-0.5, 0) share, as a user would write it. */
static tact_vec3 lens(void *context, tact_vec3 d)
{
    (void)context;
    const tact_vec3 n = vec_normalize(d);
    const double side = n.y < 0.0 ? -1.0 : 1.0;
    if (fabs(n.y) > 0.5) /* the cap of the ball on the other side */
        return tact_vec(n.x, n.y - 0.5 * side, n.z);
    const tact_vec3 rim = vec_normalize(tact_vec(n.x, 0.0, n.z));
    return vec_scale(rim, sqrt(0.75));
}

static tact_shape *make_kind(random_source *r, int kind)
{
    tact_vec3 p[10];
    for (int i = 0; i < 10; i++)
        p[i] = random_vec(r, 0.7);
    tact_shape *a = NULL, *b = NULL, *made = NULL;
    switch (kind) {
    case 0:
        return tact_sphere(random_range(r, 0.1, 1.0));
    case 1:
        return tact_capsule(random_range(r, 0.1, 0.5), random_range(r, 0.2, 1.5));
    case 2:
        return tact_cone(random_range(r, 0.1, 0.8), random_range(r, 0.2, 1.5));
    case 3:
        return tact_cylinder(random_range(r, 0.1, 0.8), random_range(r, 0.02, 1.5));
    case 4:
        return tact_ellipsoid(random_range(r, 0.05, 1.0), random_range(r, 0.05, 1.0), random_range(r, 0.05, 1.0));
    case 5:
        return tact_point(p[0]);
    case 6:
        return tact_segment(p[0], p[1]);
    case 7:
        return tact_custom(lens, NULL, 1.0);
    case 8:
        return tact_box(random_range(r, 0.1, 1.0), random_range(r, 0.1, 1.0), random_range(r, 0.1, 1.0));
    case 9:
        return tact_hull(p, 10);
    case 10:
        return tact_triangle(p[0], p[1], p[2]);
    case 11:
    case 12:
        a = make_kind(r, random_between(r, 0, 6));
        b = make_kind(r, random_between(r, 0, 6));
        made = kind == 11 ? tact_minkowski_sum(a, b) : tact_convex_hull_of(a, b);
        break;
    case 13: /* within another's coordinates */
        a = make_kind(r, random_between(r, 0, 10));
        made = tact_transformed(a, tact_transform_make(p[0], random_rotation(r), tact_vec(1.0, 0.7, 1.2)));
        break;
    default: /* with a margin */
        a = make_kind(r, random_between(r, 0, 13));
        made = tact_rounded(a, random_range(r, 0.01, 0.5));
        break;
    }
    tact_shape_release(a);
    tact_shape_release(b);
    return made;
}

typedef struct duel {
    tact_shape *shape;
    double margin;
    tact_transform from, to;
    double angle;
    moving_obstacle o;
    moving_triangle t;
} duel;

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

static tact_vec3 at_time(tact_vec3 a, tact_vec3 b, double t)
{
    const long double s = 1.0L - t, u = t;
    return tact_vec((double)(s * a.x + u * b.x), (double)(s * a.y + u * b.y), (double)(s * a.z + u * b.z));
}

/* The distance at a time, 0 if they touch; -1 where the body has no volume at all, which the static test refuses. */
static double distance_at(const duel *d, double t)
{
    const tact_transform at = {at_time(d->from.x_axis, d->to.x_axis, t), at_time(d->from.y_axis, d->to.y_axis, t),
                               at_time(d->from.z_axis, d->to.z_axis, t), at_time(d->from.origin, d->to.origin, t)};
    tact_shape *triangle =
        tact_triangle(at_time(d->t.ends[0][0], d->t.ends[1][0], t), at_time(d->t.ends[0][1], d->t.ends[1][1], t),
                      at_time(d->t.ends[0][2], d->t.ends[1][2], t));
    const double left = hypot((1.0 - t) + t * cos(d->angle), t * sin(d->angle));
    tact_shape *shape = d->margin > 0.0 ? tact_rounded(d->shape, d->margin * left) : tact_shape_retain(d->shape);
    const tact_distance got = tact_shapes_distance(shape, at, triangle, tact_identity());
    tact_shape_release(triangle);
    tact_shape_release(shape);
    return got.status == TACT_BAD_ARGUMENT ? -1.0 : got.distance;
}

#define SAMPLES 96

/* The least distance found in [from, to]: samples, and a search by thirds around each that is lower than those beside
 * it. */
static double least_distance(const duel *d, double from, double to, double *when)
{
    double there[SAMPLES + 1], least = INFINITY;
    for (int i = 0; i <= SAMPLES; i++) {
        const double t = from + (to - from) * i / SAMPLES;
        there[i] = distance_at(d, t);
        if (there[i] < 0.0)
            there[i] = INFINITY;
        if (there[i] < least) {
            least = there[i];
            *when = t;
        }
    }
    for (int i = 0; i <= SAMPLES && least > 0.0; i++) {
        if ((i > 0 && there[i - 1] < there[i]) || (i < SAMPLES && there[i + 1] < there[i]) || there[i] > 0.2)
            continue;
        double low = from + (to - from) * (i > 0 ? i - 1 : 0) / SAMPLES,
               high = from + (to - from) * (i < SAMPLES ? i + 1 : SAMPLES) / SAMPLES;
        for (int k = 0; k < 60 && high - low > 1e-15; k++) {
            const double one = low + (high - low) / 3.0, two = high - (high - low) / 3.0;
            const double f = distance_at(d, one), g = distance_at(d, two);
            if (f >= 0.0 && f < least) {
                least = f;
                *when = one;
            }
            if (g >= 0.0 && g < least) {
                least = g;
                *when = two;
            }
            if (f < g)
                high = two;
            else
                low = one;
        }
    }
    return least;
}

/* ---- random ways ------------------------------------------------------------------------------------------------- */

typedef enum way { FLYING, GRAZING, BESIDE, INSIDE, WAYS } way;

static const char *const way_names[WAYS] = {"flying", "grazing", "beside", "inside"};

static void make_body(duel *d, random_source *r, int kind)
{
    static const double angles[4] = {0.0, 0.3, 2.0, 3.14159265358979323846};
    const bool even = random_chance(r, 0.6);
    const tact_vec3 scale = even ? tact_vec(1, 1, 1) : tact_vec(random_range(r, 0.3, 2.0), -0.8, 1.1);
    d->shape = make_kind(r, kind);
    d->margin = tact_shape_get_margin(d->shape);
    d->from = tact_transform_make(random_vec(r, 0.3), random_rotation(r), scale);
    tact_motion m = {.velocity = random_vec(r, random_chance(r, 0.3) ? 0.0 : 1.0)};
    d->angle = random_chance(r, 0.2) ? random_range(r, 0.0, 6.0) : angles[random_between(r, 0, 3)];
    m.spin = vec_scale(vec_normalize(random_vec(r, 1.0)), d->angle);
    d->to = tact_motion_at(m, d->from, 1.0);
    d->o = (moving_obstacle){.rotation = axis_rotation_make(vec_normalize(m.spin), vec_length_safe(m.spin))};
    if (tact_instance_make(&d->o.ends[0], d->shape, &d->from) != TACT_OK ||
        tact_instance_make(&d->o.ends[1], d->shape, &d->to) != TACT_OK)
        fail_msg("cannot be placed");
}

/* Some triangles have no area, or are a point. */
static void squash(random_source *r, tact_vec3 corners[3])
{
    const int what = random_between(r, 0, 5);
    if (what == 0)
        corners[2] = corners[1];
    if (what == 1)
        corners[1] = corners[2] = corners[0];
    if (what == 2)
        corners[2] = vec_mul_add(corners[0], 0.3, vec_sub(corners[1], corners[0]));
}

static void make_flying(duel *d, random_source *r)
{
    const tact_vec3 a = vec_scale(vec_normalize(random_vec(r, 1.0)), random_range(r, 1.5, 3.0)), b = random_vec(r, 0.8);
    for (int k = 0; k < 3; k++) {
        d->t.ends[0][k] = vec_add(a, random_vec(r, 0.5));
        d->t.ends[1][k] = vec_add(b, random_vec(r, 0.5));
    }
    squash(r, d->t.ends[0]);
    if (random_chance(r, 0.5))
        squash(r, d->t.ends[1]);
}

/* In the plane that touches the body at a time, moving along it and with the body; by some little above it or below. */
static void make_grazing(duel *d, random_source *r)
{
    const double when = random_chance(r, 0.3) ? random_between(r, 0, 1) : random_unit(r);
    const tact_vec3 n = vec_normalize(random_vec(r, 1.0));
    tact_vec3 e, f;
    vec_tangent_basis(n, &e, &f);
    tact_transform at = {at_time(d->from.x_axis, d->to.x_axis, when), at_time(d->from.y_axis, d->to.y_axis, when),
                         at_time(d->from.z_axis, d->to.z_axis, when), at_time(d->from.origin, d->to.origin, when)};
    tact_vec3 p, speed = vec_sub(d->to.origin, d->from.origin);
    if (tact_shape_support(d->shape, at, n, &p) != TACT_OK)
        p = at.origin;
    p = vec_mul_add(p, random_chance(r, 0.3) ? 0.0 : random_size(r, -44, -10), n);
    speed = vec_mul_add(vec_mul_add(speed, random_range(r, -2.0, 2.0), e), random_range(r, -2.0, 2.0), f);
    for (int k = 0; k < 3; k++) {
        const double x = random_range(r, -0.5, 0.5), y = random_range(r, -0.5, 0.5);
        const tact_vec3 q = k == 0 && random_chance(r, 0.5) ? p : vec_mul_add(vec_mul_add(p, x, e), y, f);
        d->t.ends[0][k] = vec_mul_add(q, -when, speed);
        d->t.ends[1][k] = vec_mul_add(q, 1.0 - when, speed);
    }
}

/* Beginning at a small distance, or in touch. */
static void make_beside(duel *d, random_source *r)
{
    const tact_vec3 n = vec_normalize(random_vec(r, 1.0));
    tact_vec3 p;
    if (tact_shape_support(d->shape, d->from, n, &p) != TACT_OK)
        p = d->from.origin;
    p = vec_mul_add(p, random_chance(r, 0.3) ? 0.0 : fabs(random_size(r, -46, -20)), n);
    for (int k = 0; k < 3; k++) {
        const tact_vec3 side = random_vec(r, 0.5);
        d->t.ends[0][k] = k == 0 ? p : vec_add(p, vec_mul_add(side, fabs(vec_dot(side, n)) - vec_dot(side, n), n));
        d->t.ends[1][k] = vec_add(d->t.ends[0][k], random_vec(r, random_chance(r, 0.3) ? 1e-9 : 1.0));
    }
}

static void make_inside(duel *d, random_source *r)
{
    tact_vec3 p, q;
    const tact_vec3 n = vec_normalize(random_vec(r, 1.0));
    if (tact_shape_support(d->shape, d->from, n, &p) != TACT_OK ||
        tact_shape_support(d->shape, d->from, vec_negate(n), &q) != TACT_OK)
        p = q = d->from.origin;
    const tact_vec3 middle = vec_scale(vec_add(p, q), 0.5);
    for (int k = 0; k < 3; k++) {
        d->t.ends[0][k] = vec_add(middle, random_vec(r, k == 0 ? 0.0 : 0.05));
        d->t.ends[1][k] = vec_add(d->t.ends[0][k], random_vec(r, 3.0));
    }
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

typedef struct tally {
    size_t hits[WAYS], misses[WAYS], kinds[KINDS], touching, stalled, steps, most, asked;
} tally;

/* Relative to the size of a pair: what the static distance and the places of the oracle are off by. */
#define ORACLE 1e-14

static void check_duel(uint64_t seed, const duel *d, way w, int kind, tally *t)
{
    deforming_contact c;
    tact_deforming_toi(&d->o, 0, &d->t, &c);
    const double size = c.tolerance / (TOI_DEFORMING_TOLERANCE * TOI_DEFORMING_ROUNDING), noise = ORACLE * size;
    double when = 0.0;
    const double start = distance_at(d, 0.0);
    t->asked += c.steps > 0;
    t->steps += (size_t)c.steps;
    t->most = (size_t)c.steps > t->most ? (size_t)c.steps : t->most;
    t->stalled += c.stalled;
    if (!c.hit) {
        const double least = least_distance(d, 0.0, 1.0, &when);
        CHECK(start > 0.0 && least > 0.0, "%s, kind %d: a contact at %.17g is missed", way_names[w], kind, when);
        CHECK(start < c.tolerance || least > 0.3 * c.tolerance - noise,
              "%s, kind %d: %g apart at %.17g (tolerance %g), and reported as free", way_names[w], kind, least, when,
              c.tolerance);
        t->misses[w]++;
        return;
    }
    t->hits[w]++;
    t->kinds[kind]++;
    t->touching += c.touching;
    const double there = distance_at(d, c.time);
    CHECK(c.stalled || there <= c.tolerance + noise, "%s, kind %d: at %.17g they are %g apart, tolerance %g",
          way_names[w], kind, c.time, there, c.tolerance);
    if (c.touching) {
        CHECK(c.time == 0.0 && start <= 0.5 * c.tolerance + noise, "%s, kind %d: touching, but %g apart", way_names[w],
              kind, start);
        return;
    }
    CHECK(there != 0.0, "%s, kind %d: late, they touch at %.17g", way_names[w], kind, c.time);
    CHECK(fabs(vec_length(c.normal) - 1.0) < 1e-9, "no normal");
    if (c.time > 0.0) {
        const double least = least_distance(d, 0.0, c.time, &when);
        CHECK(least > 0.0, "%s, kind %d: reported at %.17g, but they meet at %.17g", way_names[w], kind, c.time, when);
    }
    /* the points are where they should be: across the normal, round ones are known to the root of the tolerance */
    const tact_vec3 apart = vec_sub(c.on_triangle, c.on_obstacle);
    CHECK(c.stalled || vec_length(apart) <= 2.0 * c.tolerance + 1e-6 * size, "%s, kind %d: points %g apart",
          way_names[w], kind, vec_length(apart));
}

static void never_late_and_never_far(void **state)
{
    (void)state;
    tally t = {{0}, {0}, {0}, 0, 0, 0, 0, 0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(900, 72000); seed++) {
        random_source r = random_seed(seed);
        duel d;
        const int kind = (int)(seed % KINDS);
        const way w = (way)random_between(&r, 0, WAYS - 1);
        make_body(&d, &r, kind);
        if (w == FLYING)
            make_flying(&d, &r);
        else if (w == GRAZING)
            make_grazing(&d, &r);
        else if (w == BESIDE)
            make_beside(&d, &r);
        else
            make_inside(&d, &r);
        check_duel(seed, &d, w, kind, &t);
        tact_shape_release(d.shape);
    }
    for (int w = 0; w < WAYS; w++)
        print_message("%s: %zu hits, %zu free\n", way_names[w], t.hits[w], t.misses[w]);
    print_message("%zu touching; %.2f steps each, %zu at the most, %zu of %zu stalled\n", t.touching,
                  (double)t.steps / (double)(t.asked > 0 ? t.asked : 1), t.most, t.stalled, t.asked);
    if (few_cases())
        return;
    assert_true(t.stalled * 1000 < t.asked); /* what turns by radians, a few roundings from a curved body */
    assert_true(t.hits[FLYING] > 37 && t.misses[FLYING] > 37);
    assert_true(t.hits[GRAZING] > 37 && t.misses[GRAZING] > 7);
    assert_true(t.hits[BESIDE] > 18 && t.misses[BESIDE] > 18);
    assert_true(t.hits[INSIDE] > 75 && t.touching > 75);
    for (int k = 0; k < KINDS; k++)
        assert_true(t.kinds[k] > 7);
}

/* What is left between two by a step that was free does not become a contact by resting there. */
static void what_rests_stays_free(void **state)
{
    (void)state;
    size_t close = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        duel d;
        deforming_contact c;
        make_body(&d, &r, (int)(seed % KINDS));
        make_beside(&d, &r);
        tact_deforming_toi(&d.o, 0, &d.t, &c);
        const double part = c.hit ? 0.999 * c.time : 1.0;
        if (c.touching || part == 0.0) {
            tact_shape_release(d.shape);
            continue;
        }
        /* as far as it is free, and from there nowhere: with a turn, at the true place of the body only */
        if (part == 1.0) {
            d.o.ends[0].at = d.o.ends[1].at;
            d.o.rotation = axis_rotation_make(tact_vec(0, 0, 0), 0.0);
            for (int k = 0; k < 3; k++)
                d.t.ends[0][k] = d.t.ends[1][k];
        } else {
            d.o.ends[1].at = d.o.ends[0].at;
            d.o.rotation = axis_rotation_make(tact_vec(0, 0, 0), 0.0);
            for (int k = 0; k < 3; k++)
                d.t.ends[1][k] = d.t.ends[0][k];
        }
        tact_deforming_toi(&d.o, 0, &d.t, &c);
        CHECK(!c.hit, "a contact at rest: touching %d, time %g", c.touching, c.time);
        tact_deforming_distance(&d.o, 0, &d.t, &c);
        close += c.distance < 1e-6;
        tact_shape_release(d.shape);
    }
    if (!few_cases())
        assert_true(close > 200);
}

/* Points that go through the same map as the body do not meet it, margin and all, up to half a turn. */
static void what_sticks_does_not_meet(void **state)
{
    (void)state;
    size_t close = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(600, 60000); seed++) {
        random_source r = random_seed(seed);
        duel d;
        deforming_contact c;
        make_body(&d, &r, (int)(seed % KINDS));
        make_beside(&d, &r);
        tact_transform back;
        assert_int_equal(tact_transform_invert(d.from, &back), TACT_OK);
        const tact_transform along = tact_transform_compose(d.to, back);
        for (int k = 0; k < 3; k++)
            d.t.ends[1][k] = tact_transform_point(along, d.t.ends[0][k]);
        tact_deforming_distance(&d.o, 0, &d.t, &c);
        const bool apart = c.distance > 1e-9 && d.angle < 3.0;
        close += apart && c.distance < 1e-5;
        tact_deforming_toi(&d.o, 0, &d.t, &c);
        CHECK(!apart || !c.hit, "meets at %.17g", c.time);
        tact_shape_release(d.shape);
    }
    if (!few_cases())
        assert_true(close > 60);
}

static void distances_are_those_of_the_static_query(void **state)
{
    (void)state;
    size_t apart = 0, touching = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(3000); seed++) {
        random_source r = random_seed(seed);
        duel d;
        deforming_contact c;
        make_body(&d, &r, (int)(seed % KINDS));
        if (random_chance(&r, 0.6))
            make_flying(&d, &r);
        else
            make_beside(&d, &r);
        tact_deforming_distance(&d.o, 0, &d.t, &c);
        const double wanted = distance_at(&d, 0.0),
                     size = c.tolerance / (TOI_DEFORMING_TOLERANCE * TOI_DEFORMING_ROUNDING);
        CHECK(fabs(c.distance - wanted) <= ORACLE * size + 1e-10 * wanted, "%.17g, not %.17g", c.distance, wanted);
        CHECK(c.touching == (c.distance == 0.0), "touching and %g apart", c.distance);
        apart += !c.touching;
        touching += c.touching;
        tact_shape_release(d.shape);
    }
    if (!few_cases())
        assert_true(apart > 1000 && touching > 100);
}

static tact_vec3 nowhere(void *context, tact_vec3 d)
{
    (void)context;
    return tact_vec(NAN, d.x, INFINITY);
}

/* A support function that gives no numbers, sizes at the ends of what doubles hold, a body that is no larger than a
 * point: an answer, and none that claims too much. */
static void odd_input_is_answered(void **state)
{
    (void)state;
    deforming_contact c;
    moving_triangle t = {{{{-1, 2, -1}, {1, 2, -1}, {0, 2, 2}}, {{-1, -2, -1}, {1, -2, -1}, {0, -2, 2}}}};
    tact_shape *none = tact_custom(nowhere, NULL, 1.0);
    moving_obstacle o = {.rotation = axis_rotation_make(tact_vec(0, 0, 0), 0.0)};
    const tact_transform here = tact_identity();
    assert_int_equal(tact_instance_make(&o.ends[0], none, &here), TACT_OK);
    o.ends[1] = o.ends[0];
    tact_deforming_toi(&o, 0, &t, &c);
    assert_true(c.hit && c.touching && c.time == 0.0);
    double size;
    const box all = tact_moving_obstacle_box(&o, 0, &size);
    assert_true(all.min[0] == -INFINITY && all.max[2] == INFINITY && !(size < INFINITY));
    tact_shape_release(none);
    for (int e = -900; e <= 450; e += 50) {
        const double s = ldexp(1.0, e);
        tact_shape *ball = tact_sphere(s);
        assert_int_equal(tact_instance_make(&o.ends[0], ball, &here), TACT_OK);
        o.ends[1] = o.ends[0];
        moving_triangle scaled;
        for (int k = 0; k < 6; k++)
            scaled.ends[k / 3][k % 3] = vec_scale(t.ends[k / 3][k % 3], s);
        tact_deforming_toi(&o, 0, &scaled, &c);
        assert_true(c.hit && !c.touching && !c.stalled);
        assert_true(c.time <= 0.25 && c.time > 0.25 - 1e-12 && fabs(c.normal.y - 1.0) < 1e-9);
        tact_shape_release(ball);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_late_and_never_far),  cmocka_unit_test(what_rests_stays_free),
        cmocka_unit_test(what_sticks_does_not_meet), cmocka_unit_test(distances_are_those_of_the_static_query),
        cmocka_unit_test(odd_input_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
