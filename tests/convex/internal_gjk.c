/*
 * GJK itself, below the queries: it ends far below its iteration cap on every kind of input, both bounds hold (checked
 * in long double), it may stop early and start from a cached axis, and its subalgorithm solves slivers. A failure of a
 * random case prints its seed; TACT_TEST_SEED=n runs that case alone, TACT_TEST_LONG=1 thirty times as many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "convex/gjk.h"
#include "convex/gjk_dd.h"
#include "convex/simplex.h"
#include "math/fp_environment.h"
#include "oracle/oracle.h"
#include "oracle/recipe.h"
#include "oracle/scene.h"
#include "shape/convex_dd.h"
#include "support/seeded_cases.h"

/* Unit roundoff. */
#define U 0x1p-53

static const tact_vec3 nothing = {0.0, 0.0, 0.0};

/* ---- random pairs ----------------------------------------------------------------------------------------------- */

typedef struct instance {
    recipe made;
    tact_shape *shape;
    tact_transform at;
    convex c;
} instance;

typedef enum position { FREE, TOUCHING, ALMOST, OVERLAPPING, CENTRED, POSITIONS } position;
typedef enum form { ORDINARY, HUGE_RATIO, FLAT, NEEDLE, SHEARED, MIRRORED, FORMS } form;

typedef struct couple {
    instance a, b;
    position position;
    form form;
    double size; /* as GJK defines it: the rounding error is relative to it */
} couple;

static tact_vec3 roll_direction(dice *d)
{
    double x = dice_normal(d), y = dice_normal(d), z = dice_normal(d);
    return vec_normalize(vec_make(x, y, z));
}

/* Uniform in a cube. Each number is drawn in a statement of its own: the order must not depend on the compiler. */
static tact_vec3 roll_vec(dice *d, double half)
{
    double x = dice_between(d, -half, half), y = dice_between(d, -half, half), z = dice_between(d, -half, half);
    return vec_make(x, y, z);
}

static tact_quat roll_turn(dice *d)
{
    tact_vec3 axis = roll_direction(d);
    return tact_quat_from_axis_angle(axis, dice_between(d, 0.0, 6.2));
}

static void place_again(couple *s)
{
    (void)tact_convex_make(&s->a.c, s->a.shape, &s->a.at);
    (void)tact_convex_make(&s->b.c, s->b.shape, &s->b.at);
    s->size = s->a.c.bounding_radius + s->b.c.bounding_radius +
              vec_max_abs(vec_sub(s->b.c.transform.origin, s->a.c.transform.origin));
}

/* Sizes from 1e-6 to 1e6; apart, touching, apart or overlapping by 1e-14 to 1e-6 of the size, or with equal
 * origins. */
static void roll_couple(couple *s, tact_shape_type type_a, tact_shape_type type_b, uint64_t seed)
{
    dice d = dice_for(seed, (uint64_t)type_a * 64 + (uint64_t)type_b, 1);
    recipe_roll(&s->a.made, type_a, &d);
    recipe_roll(&s->b.made, type_b, &d);
    s->a.shape = recipe_shape(&s->a.made);
    s->b.shape = recipe_shape(&s->b.made);
    s->position = (position)dice_pick(&d, POSITIONS);
    s->form = (form)dice_pick(&d, FORMS);
    double za = dice_power(&d, -6.0, 6.0),
           zb = s->form == HUGE_RATIO ? dice_power(&d, -6.0, 6.0) : za * dice_power(&d, -1.0, 1.0);
    tact_vec3 scale_a = vec_make(za, za, za), scale_b = vec_make(zb, zb, zb);
    double thin = dice_power(&d, -6.0, 0.0), most = za > zb ? za : zb;
    if (s->form == FLAT || s->form == NEEDLE)
        scale_a.x *= thin;
    if (s->form == NEEDLE)
        scale_a.y *= thin;
    if (s->form == FLAT || s->form == MIRRORED)
        scale_b.z *= dice_between(&d, 0.1, 1.0);
    if (s->form == MIRRORED)
        scale_b.x = -scale_b.x;
    tact_vec3 here = roll_vec(&d, most);
    tact_quat turn = roll_turn(&d);
    s->a.at = tact_transform_make(here, turn, scale_a);
    s->b.at =
        tact_transform_make(here, dice_pick(&d, 4) == 0 ? turn : roll_turn(&d), scale_b); /* parallel faces, too */
    if (s->form == SHEARED)
        s->a.at.z_axis = vec_mul_add(s->a.at.z_axis, dice_between(&d, -2.0, 2.0), s->a.at.x_axis);
    double away = most * dice_power(&d, -3.0, 1.0);
    tact_vec3 direction = roll_direction(&d);
    if (s->position != CENTRED)
        s->b.at.origin = vec_mul_add(here, away, direction);
    double step = most * dice_power(&d, -14.0, -6.0);
    if (s->position == TOUCHING || s->position == ALMOST || s->position == OVERLAPPING) {
        tact_distance now = tact_shapes_distance(s->a.shape, s->a.at, s->b.shape, s->b.at);
        double gap = s->position == TOUCHING ? 0.0 : s->position == ALMOST ? step : -step;
        if (now.distance > 0.0)
            s->b.at.origin = vec_mul_add(s->b.at.origin, gap - now.distance, now.normal);
    }
    place_again(s);
}

/* Of any two types. */
static void roll_any(couple *s, uint64_t seed, dice *d)
{
    int type_a = 1 + dice_pick(d, RECIPE_TYPES), type_b = 1 + dice_pick(d, RECIPE_TYPES);
    roll_couple(s, (tact_shape_type)type_a, (tact_shape_type)type_b, seed);
}

static void end_couple(couple *s)
{
    tact_shape_release(s->a.shape);
    tact_shape_release(s->b.shape);
}

/* ---- bounds, checked in long double -------------------------------------------------------------------------- */

/* The extent of the core along n from its own origin, by the oracle. The body has no margin, but a sphere's radius may
 * have become the core's margin. */
static real extent_of(const oracle_body *body, const convex *c, const real n[3])
{
    return oracle_body_extent(body, n) + body->margin - c->margin;
}

/* The supporting planes along the normal are `lower` apart; the points are `upper` apart and in their cores. `slack` is
 * a length. */
static void check_bounds(const couple *s, const gjk_result *g, uint64_t seed, real slack, dice *d)
{
    oracle_body body_a, body_b;
    recipe_body(&s->a.made, s->a.at, &body_a);
    recipe_body(&s->b.made, s->b.at, &body_b);
    real offset[3], n[3] = {g->normal.x, g->normal.y, g->normal.z}, minus[3];
    for (int k = 0; k < 3; k++)
        offset[k] = body_b.origin[k] - body_a.origin[k];
    if (g->lower > 0.0) {
        (void)oracle_normalize(n);
        for (int k = 0; k < 3; k++)
            minus[k] = -n[k];
        real apart = oracle_dot(n, offset) - extent_of(&body_a, &s->a.c, n) - extent_of(&body_b, &s->b.c, minus);
        /* On GJK_SEPARATED the normal may be that of the points. Within e of the distance d it is off by up to
         * sqrt(2 e/d) from the one that proved the bound, which matters on curved shapes. */
        bool curved = !tact_convex_is_polytope(&s->a.c) || !tact_convex_is_polytope(&s->b.c);
        real error = 1e-10L * fabsl((real)g->upper - (real)(s->a.c.margin + s->b.c.margin)) + 8 * U * (real)s->size;
        real lean = sqrtl(2 * error / g->upper);
        real given = g->status != GJK_SEPARATED ? 0 : 2 * error + (curved ? lean * s->size : 0);
        CHECK(apart >= (real)g->lower - slack - given, "the planes are %.20Lg apart, lower is %.17g, slack %Lg", apart,
              g->lower, slack);
    }
    real on_a[3] = {(real)g->on_a.x - body_a.origin[0], (real)g->on_a.y - body_a.origin[1],
                    (real)g->on_a.z - body_a.origin[2]};
    real on_b[3] = {(real)g->on_b.x - body_b.origin[0], (real)g->on_b.y - body_b.origin[1],
                    (real)g->on_b.z - body_b.origin[2]};
    real between[3];
    for (int k = 0; k < 3; k++)
        between[k] = on_b[k] - on_a[k] + offset[k];
    real length = sqrtl(oracle_dot(between, between));
    CHECK(fabsl(length - (real)g->upper) <= slack, "the points are %.20Lg apart, upper is %.17g", length, g->upper);
    for (int i = 0; i < 6; i++) {
        tact_vec3 m = i == 0 && vec_max_abs(g->normal) > 0.0 ? g->normal : roll_direction(d);
        real direction[3] = {m.x, m.y, m.z}, back[3] = {-m.x, -m.y, -m.z};
        CHECK(oracle_dot(direction, on_a) <= extent_of(&body_a, &s->a.c, direction) + slack, "the point is outside A");
        CHECK(oracle_dot(back, on_b) <= extent_of(&body_b, &s->b.c, back) + slack, "the point is outside B");
    }
}

/* The allowed rounding error, a length: relative to the size in GJK and to the origins, which are added to points. */
static real rounding_of(const couple *s)
{
    return 64 * U *
           ((real)s->size + (real)vec_max_abs(s->a.c.transform.origin) + (real)vec_max_abs(s->b.c.transform.origin) +
            (real)s->a.c.margin + (real)s->b.c.margin);
}

/* ---- termination
 * ----------------------------------------------------------------------------------------------------- */

/* Far below the cap of 256. */
#define MOST_ITERATIONS 200

static void every_pair_ends_with_a_proof(void **state)
{
    (void)state;
    const uint64_t cases = 60;
    size_t ends[GJK_NOT_CONVERGED + 1] = {0}, positions[POSITIONS] = {0}, forms[FORMS] = {0}, all = 0;
    int most = 0;
    double total = 0.0;
    for (int type_a = TACT_POINT; type_a <= TACT_CUSTOM; type_a++) {
        for (int type_b = TACT_POINT; type_b <= TACT_CUSTOM; type_b++) {
            for (uint64_t seed = first_seed(); seed <= last_seed(cases); seed++) {
                couple s;
                gjk_result g;
                roll_couple(&s, (tact_shape_type)type_a, (tact_shape_type)type_b, seed);
                tact_gjk(&s.a.c, &s.b.c, 1e-10, INFINITY, nothing, &g);
                ends[g.status]++;
                positions[s.position]++;
                forms[s.form]++;
                all++;
                total += g.iterations;
                most = g.iterations > most ? g.iterations : most;
                CHECK(g.status == GJK_SEPARATED || g.status == GJK_OVERLAP,
                      "types %d %d end %d after %d: lower %g upper %g size %g", type_a, type_b, (int)g.status,
                      g.iterations, g.lower, g.upper, s.size);
                CHECK(g.iterations < MOST_ITERATIONS, "types %d %d: %d iterations", type_a, type_b, g.iterations);
                CHECK(g.lower >= 0.0 && g.upper >= 0.0 && g.upper < INFINITY, "bounds %g %g", g.lower, g.upper);
                double margins = s.a.c.margin + s.b.c.margin;
                CHECK(g.status == GJK_OVERLAP || g.upper - g.lower <= 1e-10 * fabs(g.upper - margins) + 16 * U * s.size,
                      "types %d %d: gap %g, size %g", type_a, type_b, g.upper - g.lower, s.size);
                CHECK(g.status == GJK_SEPARATED || g.upper <= 16 * U * s.size, "types %d %d: touch at %g", type_a,
                      type_b, g.upper);
                if (seed % 4 == 0 || few_cases()) {
                    dice d = dice_for(seed, 77, 0);
                    check_bounds(&s, &g, seed, rounding_of(&s), &d);
                }
                end_couple(&s);
            }
        }
    }
    print_message("%zu pairs, %zu apart, %zu touching; iterations: %.2f on average, %d at most\n", all,
                  ends[GJK_SEPARATED], ends[GJK_OVERLAP], total / (double)all, most);
    if (few_cases())
        return;
    assert_true(ends[GJK_SEPARATED] > all / 4 && ends[GJK_OVERLAP] > all / 10);
    assert_true(total < 8.5 * (double)all); /* 7.1; without Newton steps on curved shapes it would be 10.1 */
    for (int i = 0; i < POSITIONS; i++)
        assert_true(positions[i] > all / 10);
    for (int i = 0; i < FORMS; i++)
        assert_true(forms[i] > all / 10);
}

static void full_accuracy_is_reached(void **state)
{
    (void)state;
    size_t apart = 0;
    int most = 0;
    for (int type_a = TACT_POINT; type_a <= TACT_CUSTOM; type_a++) {
        for (int type_b = type_a; type_b <= TACT_CUSTOM; type_b++) {
            for (uint64_t seed = first_seed(); seed <= last_seed(40); seed++) {
                couple s;
                gjk_result g;
                roll_couple(&s, (tact_shape_type)type_a, (tact_shape_type)type_b, seed + 1000);
                tact_gjk(&s.a.c, &s.b.c, 0.0, INFINITY, nothing, &g);
                CHECK(g.status == GJK_SEPARATED || g.status == GJK_OVERLAP,
                      "types %d %d end %d after %d: lower %g upper %g size %g", type_a, type_b, (int)g.status,
                      g.iterations, g.lower, g.upper, s.size);
                CHECK(g.iterations < MOST_ITERATIONS, "types %d %d: %d iterations", type_a, type_b, g.iterations);
                most = g.iterations > most ? g.iterations : most;
                if (g.status == GJK_SEPARATED) {
                    apart++;
                    CHECK(g.upper - g.lower <= 16 * U * s.size, "types %d %d: gap %g, size %g", type_a, type_b,
                          g.upper - g.lower, s.size);
                }
                end_couple(&s);
            }
        }
    }
    print_message("accuracy 0: %zu apart, %d iterations at most\n", apart, most);
    if (!few_cases())
        assert_true(apart > 1000);
}

/* ---- early termination
 * -------------------------------------------------------------------------------------------------- */

static void it_may_stop_early(void **state)
{
    (void)state;
    size_t beyond = 0, early = 0, within = 0;
    double full_steps = 0.0, early_steps = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(4000); seed++) {
        couple s;
        gjk_result full, g;
        dice d = dice_for(seed, 5, 0);
        roll_any(&s, seed, &d);
        tact_gjk(&s.a.c, &s.b.c, 1e-10, INFINITY, nothing, &full);
        double band = 64 * U * s.size, distance = full.upper;
        double coarse = 1e-10 * fabs(distance - (s.a.c.margin + s.b.c.margin)); /* what the accuracy allows */
        if (full.status == GJK_SEPARATED && distance > 1e3 * band && distance > 1e3 * coarse) {
            double near = distance * dice_between(&d, 0.0, 0.9), far = distance * dice_between(&d, 1.1, 3.0);
            tact_gjk(&s.a.c, &s.b.c, 1e-10, near, nothing, &g);
            /* (or the distance itself, if the last step found both) */
            CHECK(g.status == GJK_BEYOND_LIMIT || (g.status == GJK_SEPARATED && g.iterations == full.iterations),
                  "enough %g of %g: end %d", near, distance, (int)g.status);
            early += g.status == GJK_BEYOND_LIMIT;
            CHECK(g.lower > near && g.lower <= distance + band, "enough %g of %g: end %d, lower %g", near, distance,
                  (int)g.status, g.lower);
            CHECK(fabs(vec_length(g.normal) - 1.0) < 1e-15 * 8, "normal");
            CHECK(g.iterations <= full.iterations, "stopping early took longer: %d, %d", g.iterations, full.iterations);
            full_steps += full.iterations;
            early_steps += g.iterations;
            dice e = dice_for(seed, 78, 0);
            check_bounds(&s, &g, seed, rounding_of(&s), &e);
            tact_gjk(&s.a.c, &s.b.c, 1e-10, far, nothing, &g);
            CHECK(g.status == GJK_SEPARATED &&
                      fabs(g.upper - distance) <= 3e-10 * (distance + s.a.c.margin + s.b.c.margin) + band,
                  "enough beyond the distance changes nothing: %g %g", g.upper, distance);
            tact_gjk_within(&s.a.c, &s.b.c, near, nothing, &g);
            CHECK(g.status == GJK_BEYOND_LIMIT && g.lower > near, "within %g of %g: end %d", near, distance,
                  (int)g.status);
            tact_gjk_within(&s.a.c, &s.b.c, far, nothing, &g);
            CHECK(g.status == GJK_WITHIN_LIMIT && g.upper <= far && g.upper >= distance - band - coarse,
                  "within %g of %g: end %d upper %g", far, distance, (int)g.status, g.upper);
            check_bounds(&s, &g, seed, rounding_of(&s), &e);
            beyond++;
        } else if (full.status == GJK_OVERLAP) {
            tact_gjk_within(&s.a.c, &s.b.c, s.size * 1e-3, nothing, &g);
            CHECK(g.status == GJK_WITHIN_LIMIT || g.status == GJK_OVERLAP, "touching, but not within 1e-3: end %d",
                  (int)g.status);
            CHECK(g.upper <= s.size * 1e-3, "upper %g", g.upper);
            within++;
        }
        end_couple(&s);
    }
    if (few_cases())
        return;
    print_message("beyond %zu, touching %zu; %.2f iterations in full, %.2f to decide the limit\n", beyond, within,
                  full_steps / (double)beyond, early_steps / (double)beyond);
    assert_true(beyond > 500 && within > 500 && early > beyond * 9 / 10);
    assert_true(early_steps < full_steps);
}

/* ISA-GJK: an axis that still separates ends the search at the first support point; any axis gives the same result. */
static void a_cached_axis_ends_it_at_once(void **state)
{
    (void)state;
    size_t still = 0, turned = 0, hits = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(6000); seed++) {
        couple s;
        gjk_result fresh, again, exact;
        dice d = dice_for(seed, 6, 0);
        roll_any(&s, seed, &d);
        tact_gjk_within(&s.a.c, &s.b.c, 0.0, nothing, &fresh);
        CHECK(fresh.status != GJK_NOT_CONVERGED && fresh.iterations < MOST_ITERATIONS, "end %d after %d",
              (int)fresh.status, fresh.iterations);
        if (fresh.status == GJK_BEYOND_LIMIT) {
            tact_gjk_within(&s.a.c, &s.b.c, 0.0, vec_scale(fresh.normal, dice_power(&d, -20.0, 20.0)),
                            &again); /* of any length */
            bool clear = fresh.lower > 64 * U * s.size;
            CHECK(!clear || (again.status == GJK_BEYOND_LIMIT && again.iterations == 1), "end %d after %d",
                  (int)again.status, again.iterations);
            /* after a small motion: one step as long as the axis still separates */
            tact_vec3 direction = roll_direction(&d), axis = roll_direction(&d);
            s.b.at.origin = vec_mul_add(s.b.at.origin, s.size * dice_power(&d, -6.0, -1.0), direction);
            s.b.at = tact_transform_rotate(s.b.at, tact_quat_from_axis_angle(axis, dice_power(&d, -4.0, -0.5)));
            place_again(&s);
            tact_vec3 n = fresh.normal, pa = tact_convex_support(&s.a.c, n, NULL),
                      pb = tact_convex_support(&s.b.c, vec_negate(n), NULL);
            double apart =
                vec_dot(n, vec_add(vec_sub(pb, pa), vec_sub(s.b.c.transform.origin, s.a.c.transform.origin)));
            tact_gjk_within(&s.a.c, &s.b.c, 0.0, n, &again);
            if (apart > 64 * U * s.size) {
                CHECK(again.status == GJK_BEYOND_LIMIT && again.iterations == 1,
                      "the axis separates by %g, but end %d after %d", apart, (int)again.status, again.iterations);
                still++;
            } else {
                turned++;
            }
        }
        /* with any axis, the result agrees with the distance unless it is within rounding of zero */
        tact_gjk(&s.a.c, &s.b.c, 0.0, INFINITY, nothing, &exact);
        bool hit = exact.status == GJK_OVERLAP;
        hits += hit;
        for (int i = 0; i < 4; i++) {
            tact_vec3 axis = roll_direction(&d);
            axis = i == 0 ? nothing : vec_scale(axis, dice_power(&d, -100.0, 100.0));
            tact_gjk_within(&s.a.c, &s.b.c, 0.0, axis, &again);
            CHECK(again.status != GJK_NOT_CONVERGED && again.iterations < MOST_ITERATIONS, "end %d after %d",
                  (int)again.status, again.iterations);
            bool says = again.status != GJK_BEYOND_LIMIT;
            if (says !=
                hit) /* within rounding both results are right, and the points or the planes prove how close it is */
                CHECK(hit ? again.lower <= 1e-12 * s.size : exact.upper <= 1e-12 * s.size,
                      "hit %d, but with an axis %d; lower %g upper %g size %g", hit, says, again.lower, exact.upper,
                      s.size);
        }
        end_couple(&s);
    }
    if (few_cases())
        return;
    print_message("axis still separates %zu, no more %zu, touching %zu\n", still, turned, hits);
    assert_true(still > 500 && turned > 50 && hits > 500);
}

static void odd_axes_do_no_harm(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 1.0, 1.0), *cone = tact_cone(1.0, 1.0);
    static const tact_vec3 axes[] = {
        {0, 0, 0},        {5e-324, 0, 0}, {1e308, -1e308, 1e308}, {-1e-200, 1e-300, 0}, {NAN, 0, 0},
        {INFINITY, 0, 1}, {0, 1, NAN}};
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < 4; k++) {
            const uint64_t seed = (uint64_t)(10 * i + k);
            couple s;
            s.a.shape = k < 2 ? box : cone;
            s.b.shape = box;
            s.a.at = tact_identity();
            s.b.at = tact_at(k % 2 == 0 ? 3.0 : 0.25, 0.5, 0.0);
            place_again(&s);
            gjk_result g;
            tact_gjk(&s.a.c, &s.b.c, 1e-10, INFINITY, axes[i], &g);
            CHECK(g.status == (k % 2 == 0 ? GJK_SEPARATED : GJK_OVERLAP), "axis %d: end %d", i, (int)g.status);
            tact_gjk_within(&s.a.c, &s.b.c, 0.0, axes[i], &g);
            CHECK((g.status == GJK_BEYOND_LIMIT) == (k % 2 == 0), "axis %d: end %d", i, (int)g.status);
        }
    }
    tact_shape_release(box);
    tact_shape_release(cone);
}

/* ---- the degenerate cases of van den Bergen 1999, section 4.4.4 -------------------------------------------------- */

/* A floor with its top at z = 0 and a polytope above it: the distance is the height of the lowest vertex, in long
 * double. Both are then rotated, so that nothing is aligned with the axes; the heights above the rotated floor are the
 * same up to the rounding of the transforms. */
typedef struct above {
    couple s;
    real height;
} above;

static void set_above(above *w, tact_shape *ground, tact_vec3 ground_size, tact_shape *thing, tact_transform at,
                      const tact_vec3 *local, int count, dice *d)
{
    w->s.a.shape = ground;
    w->s.b.shape = thing;
    w->s.a.at = tact_transform_scale(tact_at(0.0, 0.0, -0.5 * ground_size.z), ground_size);
    w->s.b.at = at;
    w->height = INFINITY;
    for (int i = 0; i < count; i++) {
        real z = (real)at.x_axis.z * local[i].x + (real)at.y_axis.z * local[i].y + (real)at.z_axis.z * local[i].z +
                 at.origin.z;
        w->height = fminl(w->height, z);
    }
    tact_transform turn = tact_transform_make(nothing, roll_turn(d), vec_make(1.0, 1.0, 1.0));
    w->s.a.at = tact_transform_compose(turn, w->s.a.at);
    w->s.b.at = tact_transform_compose(turn, w->s.b.at);
    place_again(&w->s);
}

static void expect_height(const above *w, uint64_t seed, int most, const char *what)
{
    real L = (real)w->s.size + vec_max_abs(w->s.a.c.transform.origin) + vec_max_abs(w->s.b.c.transform.origin);
    for (int direction = 0; direction < 3; direction++) {
        gjk_result g;
        double accuracy = direction == 0 ? 1e-10 : direction == 1 ? 0.0 : 1e-3;
        tact_gjk(&w->s.a.c, &w->s.b.c, accuracy, INFINITY, nothing, &g);
        CHECK(g.status == GJK_SEPARATED || (g.status == GJK_OVERLAP && w->height <= 32 * U * L),
              "%s, accuracy %g: end %d after %d, lower %.17g upper %.17g, truth %.20Lg, size %g", what, accuracy,
              (int)g.status, g.iterations, g.lower, g.upper, w->height, w->s.size);
        CHECK(g.iterations <= most, "%s: %d iterations", what, g.iterations);
        real error = fabsl((real)g.upper - w->height);
        CHECK(error <= accuracy * w->height + 32 * U * L, "%s: distance %.17g, truth %.20Lg", what, g.upper, w->height);
    }
}

static const tact_vec3 cube[8] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5}, {0.5, 0.5, -0.5},
                                  {-0.5, -0.5, 0.5},  {0.5, -0.5, 0.5},  {-0.5, 0.5, 0.5},  {0.5, 0.5, 0.5}};

/* Two polytopes that differ by orders of magnitude, close together. */
static void large_and_small_come_close(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 1.0, 1.0), *solid = tact_hull(cube, 8);
    for (uint64_t seed = first_seed(); seed <= last_seed(8000); seed++) {
        dice d = dice_for(seed, 7, 0);
        double large = dice_power(&d, 1.0, 8.0), gap = dice_power(&d, -9.0, 0.0);
        tact_vec3 spot = roll_vec(&d, 0.3 * large);
        tact_quat turn = roll_turn(&d);
        tact_transform at =
            tact_transform_make(vec_make(spot.x, spot.y, 0.0), turn, vec_make(1.0, dice_between(&d, 0.1, 1.0), 1.0));
        if (dice_pick(&d, 3) == 0) /* near the vertex of the large one */
            at.origin.x = 0.5 * large - 2.0, at.origin.y = 0.5 * large - 2.0;
        if (large < 10.0)
            at.origin.x = at.origin.y = 0.0;
        above w;
        bool hulls = dice_pick(&d, 2) == 0;
        double low = 0.0;
        for (int i = 0; i < 8; i++)
            low = fmin(low, vec_transform(&at, cube[i]).z);
        at.origin.z = gap - low;
        set_above(&w, hulls ? solid : box, vec_make(large, large, large), hulls ? solid : box, at, cube, 8, &d);
        expect_height(&w, seed, 40, "great and small");
    }
    tact_shape_release(box);
    tact_shape_release(solid);
}

/* Facets a million times longer than wide; the closest point is inside one, or exactly on its diagonal, so that support
 * points would alternate. */
static void oblong_facets_and_their_diagonals(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 1.0, 1.0), *solid = tact_hull(cube, 8), *point = tact_point(nothing);
    tact_shape *needle = tact_segment(vec_make(0.0, 0.0, 0.0), vec_make(0.25, 0.125, 1.0));
    const tact_vec3 ends[2] = {{0.0, 0.0, 0.0}, {0.25, 0.125, 1.0}};
    for (uint64_t seed = first_seed(); seed <= last_seed(12000); seed++) {
        dice d = dice_for(seed, 8, 0);
        double length = dice_power(&d, 0.0, 6.0), width = dice_power(&d, -3.0, 0.0), gap = dice_power(&d, -8.0, 2.0);
        double along = dice_between(&d, -0.45, 0.45), across = along; /* on the diagonal */
        int direction = dice_pick(&d, 3);
        if (direction == 1) /* slightly beside it */
            across += 1e-3 * dice_power(&d, -13.0, 0.0) * (dice_pick(&d, 2) ? 1.0 : -1.0);
        else if (direction == 2)
            across = dice_between(&d, -0.45, 0.45);
        tact_transform at = tact_at(along * length, across * width, gap);
        above w;
        int what = dice_pick(&d, 3);
        tact_shape *ground = dice_pick(&d, 2) ? solid : box;
        double thick = dice_power(&d, -3.0, 3.0);
        if (what == 2) { /* the sum of two oblong ones: the Minkowski facets are oblong as well */
            double slim = dice_power(&d, -3.0, 0.0);
            at =
                tact_transform_make(at.origin, tact_quat_from_axis_angle(vec_make(1.0, 1.0, 0.0), 1e-3 * dice_unit(&d)),
                                    vec_make(slim, 10.0 * length, slim));
            at.origin = vec_make(0.0, 0.0, gap + length);
            double low = INFINITY;
            for (int i = 0; i < 8; i++)
                low = fmin(low, tact_transform_point(at, cube[i]).z);
            at.origin.z += gap - low;
            /* its lowest vertex must be above the floor, which is wide enough */
            set_above(&w, ground, vec_make(4.0 * length, 40.0 * length, width), box, at, cube, 8, &d);
        } else {
            set_above(&w, ground, vec_make(length, width, thick), what == 0 ? point : needle, at, ends, what + 1, &d);
        }
        expect_height(&w, seed, 40, "oblong");
    }
    tact_shape_release(box);
    tact_shape_release(solid);
    tact_shape_release(point);
    tact_shape_release(needle);
}

static void nearly_parallel_faces(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 1.0, 1.0), *solid = tact_hull(cube, 8);
    for (uint64_t seed = first_seed(); seed <= last_seed(8000); seed++) {
        dice d = dice_for(seed, 9, 0);
        double tilt = dice_pick(&d, 8) == 0 ? 0.0 : dice_power(&d, -17.0, -1.0), gap = dice_power(&d, -10.0, 1.0);
        tact_vec3 axis = roll_vec(&d, 1.0), spot = roll_vec(&d, 1.0);
        double x = dice_between(&d, 0.5, 2.0), y = dice_between(&d, 0.5, 2.0);
        tact_transform at = tact_transform_make(nothing, tact_quat_from_axis_angle(axis, tilt), vec_make(x, y, 1.0));
        double low = 0.0;
        for (int i = 0; i < 8; i++)
            low = fmin(low, vec_transform(&at, cube[i]).z);
        at.origin = vec_make(spot.x, spot.y, gap - low);
        above w;
        int which = dice_pick(&d, 4);
        set_above(&w, which & 1 ? solid : box, vec_make(8.0, 8.0, 1.0), which & 2 ? solid : box, at, cube, 8, &d);
        expect_height(&w, seed, 40, "nearly parallel");
    }
    tact_shape_release(box);
    tact_shape_release(solid);
}

/* ---- the test on the line of centres ----------------------------------------------------------------------- */

/* Overlaps found without a support point are true, mirrored if A and B are swapped, and never separated by the
 * search. */
static void the_line_of_centres_finds_overlaps(void **state)
{
    (void)state;
    size_t found_at_once = 0, searched = 0, apart = 0, askew = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(4000); seed++) {
        couple s;
        gjk_result g, mirrored, to_real, within;
        dice d = dice_for(seed, 12, 0);
        roll_couple(&s, TACT_HULL, TACT_HULL, seed);
        tact_vec3 centre_a = s.a.at.origin, centre_b = s.b.at.origin, direction = roll_direction(&d);
        const hull *hull_a = s.a.shape->hull, *hull_b = s.b.shape->hull;
        centre_a = vec_add(centre_a, vec_transform(&s.a.at, hull_a->centre));
        centre_b = vec_add(centre_b, vec_transform(&s.b.at, hull_b->centre));
        /* centres so far apart that shapes of this size may just touch */
        double far = dice_between(&d, 0.0, 0.6) * (s.a.c.bounding_radius + s.b.c.bounding_radius);
        s.b.at.origin = vec_add(s.b.at.origin, vec_mul_add(vec_sub(centre_a, centre_b), far, direction));
        place_again(&s);
        tact_gjk_distance(&s.a.c, &s.b.c, 1e-10, INFINITY, nothing, &g);
        tact_gjk_distance(&s.b.c, &s.a.c, 1e-10, INFINITY, nothing, &mirrored);
        CHECK(g.status == mirrored.status && g.upper == mirrored.upper && vec_equal(g.on_a, mirrored.on_b) &&
                  vec_equal(g.on_b, mirrored.on_a),
              "not mirrored");
        tact_gjk(&s.a.c, &s.b.c, 1e-10, INFINITY, nothing, &to_real);
        tact_gjk_within(&s.a.c, &s.b.c, 0.0, nothing, &within);
        CHECK((g.status == GJK_OVERLAP) == (to_real.status == GJK_OVERLAP),
              "with a simplex it ends with %d, without with %d", (int)to_real.status, (int)g.status);
        CHECK((g.status == GJK_OVERLAP) == (within.status == GJK_OVERLAP), "decided with %d, not with %d",
              (int)within.status, (int)g.status);
        check_bounds(&s, &g, seed, rounding_of(&s), &d);
        bool at_once = g.status == GJK_OVERLAP && g.count == 1;
        found_at_once += at_once;
        askew += at_once && (s.form == SHEARED || s.form == FLAT);
        searched += g.status == GJK_OVERLAP && !at_once;
        apart += g.status == GJK_SEPARATED;
        end_couple(&s);
    }
    if (few_cases())
        return;
    print_message("overlaps found_at_once at once %zu (askew or uneven %zu), by a search %zu, apart %zu\n",
                  found_at_once, askew, searched, apart);
    assert_true(found_at_once > 300 && askew > 30 && searched > 300 && apart > 300);
}

/* ---- scales ------------------------------------------------------------------------------------------------------ */

static tact_transform scale_all(tact_transform p, int exponent)
{
    double s = ldexp(1.0, exponent);
    return (tact_transform){vec_scale(p.x_axis, s), vec_scale(p.y_axis, s), vec_scale(p.z_axis, s),
                            vec_scale(p.origin, s)};
}

/* A power of two changes nothing but the exponents: to the bit, from 1e-140 to 1e140. */
static void scale_does_not_matter(void **state)
{
    (void)state;
    size_t apart = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(3000); seed++) {
        couple s;
        gjk_result plain, scaled;
        dice d = dice_for(seed, 10, 0);
        roll_any(&s, seed, &d);
        if (s.a.shape->margin > 0.0 || s.b.shape->margin > 0.0) { /* the transform does not scale a margin */
            end_couple(&s);
            continue;
        }
        int unit = 0;
        (void)frexp(s.size, &unit);
        s.a.at = scale_all(s.a.at, -unit); /* the sizes of the cases range from 1e-6 to 1e6 */
        s.b.at = scale_all(s.b.at, -unit);
        place_again(&s);
        tact_gjk(&s.a.c, &s.b.c, 1e-10, INFINITY, nothing, &plain);
        int exponent = dice_pick(&d, 2) ? -465 + dice_pick(&d, 345) : 465 - dice_pick(&d, 345);
        s.a.at = scale_all(s.a.at, exponent);
        s.b.at = scale_all(s.b.at, exponent);
        place_again(&s);
        tact_gjk(&s.a.c, &s.b.c, 1e-10, INFINITY, nothing, &scaled);
        CHECK(plain.status == scaled.status && plain.iterations == scaled.iterations,
              "exponent %d: end %d after %d, else %d after %d", exponent, (int)scaled.status, scaled.iterations,
              (int)plain.status, plain.iterations);
        double back = ldexp(1.0, -exponent);
        CHECK(scaled.upper * back == plain.upper && scaled.lower * back == plain.lower,
              "exponent %d: %.17g %.17g, not %.17g %.17g", exponent, scaled.upper * back, scaled.lower * back,
              plain.upper, plain.lower);
        CHECK(vec_equal(scaled.normal, plain.normal), "normal");
        CHECK(vec_equal(vec_scale(scaled.on_a, back), plain.on_a) &&
                  vec_equal(vec_scale(scaled.on_b, back), plain.on_b),
              "points");
        apart += plain.status == GJK_SEPARATED;
        tact_gjk_within(&s.a.c, &s.b.c, 0.5 * scaled.upper, nothing, &scaled);
        CHECK(scaled.status != GJK_NOT_CONVERGED, "within");
        end_couple(&s);
    }
    if (!few_cases())
        assert_true(apart > 300);
}

/* ---- the subalgorithm ------------------------------------------------------------------------------------------- */

/* The point of the simplex closest to the origin, in long double: over all subsets, by Cramer's rule on the normal
 * equations. */
static real nearest_by_force(const tact_vec3 *w, int count)
{
    real best = INFINITY;
    for (unsigned mask = 1; mask < 1u << count; mask++) {
        real p[4][3];
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (mask >> i & 1u) {
                p[n][0] = w[i].x, p[n][1] = w[i].y, p[n][2] = w[i].z;
                n++;
            }
        }
        real e[3][3] = {{0}}, g[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, r[3] = {0, 0, 0}, t[3] = {0, 0, 0};
        for (int i = 1; i < n; i++)
            for (int k = 0; k < 3; k++)
                e[i - 1][k] = p[i][k] - p[0][k];
        for (int i = 0; i + 1 < n; i++) {
            for (int k = 0; k + 1 < n; k++)
                g[i][k] = oracle_dot(e[i], e[k]);
            r[i] = -oracle_dot(e[i], p[0]);
        }
        real cofactor[3];
        oracle_cross(g[1], g[2], cofactor);
        real determinant = oracle_dot(g[0], cofactor), left = 1;
        if (!(determinant > 0))
            continue;
        bool inside = true;
        for (int i = 0; i + 1 < n; i++) {
            real m[3][3];
            memcpy(m, g, sizeof m);
            for (int k = 0; k < 3; k++)
                m[k][i] = r[k];
            oracle_cross(m[1], m[2], cofactor);
            t[i] = oracle_dot(m[0], cofactor) / determinant;
            left -= t[i];
            inside = inside && t[i] >= 0;
        }
        if (!inside || left < 0)
            continue;
        real v[3];
        for (int k = 0; k < 3; k++)
            v[k] = p[0][k] + t[0] * e[0][k] + t[1] * e[1][k] + t[2] * e[2][k];
        best = fminl(best, sqrtl(oracle_dot(v, v)));
    }
    return best;
}

static bool flat_simplex(const tact_vec3 *w, int count, double size)
{
    if (count == 4)
        return fabs(vec_dot(vec_sub(w[0], w[3]), vec_cross(vec_sub(w[1], w[3]), vec_sub(w[2], w[3])))) <
               1e-4 * size * size * size;
    if (count == 3)
        return vec_length(vec_cross(vec_sub(w[0], w[2]), vec_sub(w[1], w[2]))) < 1e-4 * size * size;
    return false;
}

static void simplices_are_solved(void **state)
{
    (void)state;
    size_t slivers = 0, inside = 0, by_force = 0, needed[5] = {0}, guessed = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(60000); seed++) {
        dice d = dice_for(seed, 11, 0);
        int count = 1 + dice_pick(&d, 4);
        tact_vec3 w[4], shift = roll_vec(&d, 1.0);
        double near = dice_pick(&d, 3) == 0 ? 0.0 : dice_power(&d, -12.0, 0.5), size = 0.0;
        int kind = dice_pick(&d, 4);
        double thin = kind == 0 ? 1.0 : dice_power(&d, -12.0, 0.0),
               thinner = kind == 2 ? dice_power(&d, -12.0, 0.0) : 1.0;
        tact_transform turn = tact_transform_make(vec_scale(shift, near), roll_turn(&d), vec_make(1.0, thinner, thin));
        for (int i = 0; i < count; i++) {
            w[i] = tact_transform_point(turn, roll_vec(&d, 1.0));
            tact_vec3 beside = roll_direction(&d);
            if (kind == 3 && i > 0 && dice_pick(&d, 2)) /* two that nearly coincide, or do */
                w[i] = vec_mul_add(w[i - 1], dice_pick(&d, 4) == 0 ? 0.0 : dice_power(&d, -16.0, -3.0), beside);
            size = fmax(size, vec_length(w[i]));
        }
        simplex_solution answer;
        tact_simplex_solve(w, count, 0, &answer);
        /* a point of the simplex, by its weights */
        real sum = 0, p[3] = {0, 0, 0};
        int used = 0;
        for (int i = 0; i < count; i++) {
            bool on = answer.mask >> i & 1u;
            CHECK(on ? answer.weight[i] > 0.0 && answer.weight[i] <= 1.0 : answer.weight[i] == 0.0, "weight %d is %g",
                  i, answer.weight[i]);
            sum += answer.weight[i];
            p[0] += (real)answer.weight[i] * w[i].x, p[1] += (real)answer.weight[i] * w[i].y,
                p[2] += (real)answer.weight[i] * w[i].z;
            used += on;
        }
        CHECK(answer.mask != 0 && answer.mask < 1u << count, "mask %u", answer.mask);
        CHECK(fabsl(sum - 1) <= 4 * U, "the weights sum to %Lg", sum);
        real v[3] = {answer.v.x, answer.v.y, answer.v.z}, length = sqrtl(oracle_dot(v, v));
        real off[3] = {p[0] - v[0], p[1] - v[1], p[2] - v[2]};
        CHECK(sqrtl(oracle_dot(off, off)) <= 8 * U * size, "v is not what its weights say, by %Lg of %g",
              sqrtl(oracle_dot(off, off)), size);
        /* No point is closer: none is before the plane through v perpendicular to it. This proves the distance. */
        for (int i = 0; i < count; i++) {
            real x[3] = {w[i].x, w[i].y, w[i].z};
            CHECK(length <= 8 * U * size || oracle_dot(v, x) / length >= length - 8 * U * size,
                  "vertex %d lies %Lg before the plane, of %g", i, length - oracle_dot(v, x) / length, size);
        }
        bool sliver = flat_simplex(w, count, size);
        slivers += sliver;
        inside += used == 4;
        needed[used]++;
        if (!sliver && kind == 0) {
            real truth = nearest_by_force(w, count);
            CHECK(fabsl(truth - length) <= 16 * U * size, "length %.20Lg, by force %.20Lg", length, truth);
            by_force++;
        }
        /* the right guess gives the same to the bit, a wrong one too but for ties */
        simplex_solution guess;
        tact_simplex_solve(w, count, answer.mask, &guess);
        CHECK(guess.mask == answer.mask && vec_equal(guess.v, answer.v), "with its own answer as the guess");
        tact_simplex_solve(w, count, 1 + (unsigned)dice_pick(&d, (1 << count) - 1), &guess);
        real other = sqrtl((real)guess.v.x * guess.v.x + (real)guess.v.y * guess.v.y + (real)guess.v.z * guess.v.z);
        CHECK(fabsl(other - length) <= 8 * U * size, "with another guess: %Lg, not %Lg", other, length);
        guessed += guess.mask == answer.mask;
        /* The fast one agrees where it is certain. It requires that the last point is new: part of the answer. */
        if (count > 1 && !sliver && (answer.mask >> (count - 1) & 1u)) {
            simplex_solution solution;
            if (count == 2)
                simplex_on_segment(w[0], w[1], &solution);
            else if (count == 3)
                simplex_on_triangle(w[0], w[1], w[2], &solution);
            else
                simplex_on_tetrahedron(w[0], w[1], w[2], w[3], &solution);
            real fast = sqrtl((real)solution.v.x * solution.v.x + (real)solution.v.y * solution.v.y +
                              (real)solution.v.z * solution.v.z);
            CHECK(!solution.certain || fabsl(fast - length) <= 1e-10L * size, "the solution one says %Lg, not %Lg",
                  fast, length);
        }
    }
    if (few_cases())
        return;
    print_message("slivers %zu, inside %zu, by force %zu; vertices needed %zu %zu %zu %zu; same with a guess %zu\n",
                  slivers, inside, by_force, needed[1], needed[2], needed[3], needed[4], guessed);
    assert_true(slivers > 5000 && inside > 500 && by_force > 5000);
    assert_true(needed[1] > 5000 && needed[2] > 5000 && needed[3] > 2000);
}

/* A vertex far to the side of a very short closest point turns it without shortening it by a digit. It must count, or
 * the next support point is the same again. */
static void a_far_vertex_turns_a_short_closest_point(void **state)
{
    (void)state;
    const tact_vec3 w[3] = {{1.3343293692133089e-14, 0.0, -7.9046537847282812e-15},
                            {-1.0145273571324931e-13, 0.0, 6.0101296901323638e-14},
                            {-4.4054730713212082e-14, -2.7783690144155276e-07, 2.6098316578551569e-14}};
    simplex_solution answer;
    for (unsigned guess = 0; guess < 8; guess++) {
        tact_simplex_solve(w, 3, guess, &answer);
        real vv = (real)answer.v.x * answer.v.x + (real)answer.v.y * answer.v.y + (real)answer.v.z * answer.v.z;
        assert_true(sqrtl(vv) > 1e-21L && sqrtl(vv) < 1e-20L);
        assert_int_equal(answer.mask, 7);
        for (int i = 0; i < 3; i++) {
            real along = (real)answer.v.x * w[i].x + (real)answer.v.y * w[i].y + (real)answer.v.z * w[i].z;
            assert_true(along >= vv * (1 - 1e-3L));
        }
    }
}

/* ---- GJK in double-double --------------------------------------------------------------------------- */

static real to_real(dd p) { return (real)p.high + (real)p.low; }

/* A support point in double-double extends as far as the oracle says, far beyond double precision, and is one of the
 * points found in doubles. */
static void support_points_in_double_double(void **state)
{
    (void)state;
    size_t sharp = 0, checked = 0;
    for (int type = TACT_POINT; type <= TACT_CUSTOM; type++) {
        for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
            couple s;
            roll_couple(&s, (tact_shape_type)type, TACT_POINT, seed + 5000);
            dice d = dice_for(seed, 78, (uint64_t)type);
            tact_vec3 m = roll_direction(&d);
            uint64_t branch, branch_doubles;
            fp_environment before = fp_environment_enter();
            dd_vec n = dd_vec_normalize(dd_vec_make(m)), p = tact_convex_support_dd(&s.a.c, n, &branch);
            fp_environment_leave(before);
            tact_vec3 q = tact_convex_support(&s.a.c, m, &branch_doubles);
            real direction[3] = {to_real(n.x), to_real(n.y), to_real(n.z)};
            real length = sqrtl(oracle_dot(direction, direction));
            CHECK(fabsl(length - 1) <= 1e-18L, "|n| - 1 is %Lg", length - 1);
            real at[3] = {to_real(p.x), to_real(p.y), to_real(p.z)}, at_doubles[3] = {q.x, q.y, q.z};
            real here = oracle_dot(direction, at), there = oracle_dot(direction, at_doubles),
                 radius = s.a.c.bounding_radius;
            CHECK(here >= there - 8 * U * radius && here <= there + 16 * U * radius,
                  "type %d: %.20Lg along n, in doubles %.20Lg, radius %Lg", type, here, there, radius);
            oracle_body body;
            recipe_body(&s.a.made, s.a.at, &body);
            real origin[3] = {s.a.c.transform.origin.x - body.origin[0], s.a.c.transform.origin.y - body.origin[1],
                              s.a.c.transform.origin.z - body.origin[2]};
            real from_origin = here + oracle_dot(direction, origin);
            CHECK(fabsl(from_origin - extent_of(&body, &s.a.c, direction)) <= rounding_of(&s),
                  "type %d: %.20Lg along n, not %.20Lg", type, from_origin, extent_of(&body, &s.a.c, direction));
            checked++;
            sharp += p.x.low != 0.0;
            end_couple(&s);
        }
    }
    if (!few_cases())
        assert_true(sharp > checked / 3);
}

/* On its own, with a bad start direction, it still ends with a proof on every pair. */
static void double_double_search_stands_alone(void **state)
{
    (void)state;
    size_t ends[GJK_NOT_CONVERGED + 1] = {0}, all = 0;
    int most = 0;
    double total = 0.0;
    for (int type_a = TACT_POINT; type_a <= TACT_CUSTOM; type_a++) {
        for (int type_b = TACT_POINT; type_b <= TACT_CUSTOM; type_b++) {
            for (uint64_t seed = first_seed(); seed <= last_seed(12); seed++) {
                couple s;
                gjk_result g = {.iterations = 0};
                roll_couple(&s, (tact_shape_type)type_a, (tact_shape_type)type_b, seed + 7000);
                gjk_dd_task task = {&s.a.c,
                                    &s.b.c,
                                    vec_sub(s.b.c.transform.origin, s.a.c.transform.origin),
                                    2 * U * s.size,
                                    0.0,
                                    INFINITY,
                                    false,
                                    INFINITY,
                                    {{0.6, 0.0, 0.8}},
                                    1};
                tact_gjk_dd(&task, &g);
                g.on_a = vec_add(g.on_a, s.a.c.transform.origin);
                g.on_b = vec_add(g.on_b, s.b.c.transform.origin);
                CHECK(g.status == GJK_SEPARATED || g.status == GJK_OVERLAP,
                      "types %d %d end %d after %d: lower %g upper %g size %g", type_a, type_b, (int)g.status,
                      g.iterations, g.lower, g.upper, s.size);
                double floors = type_a == TACT_CUSTOM || type_b == TACT_CUSTOM ? 64 * U : 2 * U;
                CHECK(g.status == GJK_OVERLAP ? g.upper <= floors * s.size
                                              : g.upper - g.lower <= floors * s.size + 4 * U * g.upper,
                      "types %d %d: lower %g upper %g size %g", type_a, type_b, g.lower, g.upper, s.size);
                dice d = dice_for(seed, 79, 0);
                check_bounds(&s, &g, seed, rounding_of(&s), &d);
                ends[g.status]++;
                all++;
                total += g.iterations;
                most = g.iterations > most ? g.iterations : most;
                end_couple(&s);
            }
        }
    }
    print_message("%zu apart, %zu touching; iterations: %.2f on average, %d at most\n", ends[GJK_SEPARATED],
                  ends[GJK_OVERLAP], total / (double)all, most);
    if (!few_cases())
        assert_true(ends[GJK_SEPARATED] > all / 4 && ends[GJK_OVERLAP] > all / 10);
}

/* Earlier failures of test_shape_pairs: touching rims, at which doubles stall; needles; a thin shape stretched where it
 * has no extent; a point within transformed shapes that cancel; a simplex that contains the origin only when solved
 * again. All guarantees of the distance are checked. */
static void earlier_failures_are_right(void **state)
{
    (void)state;
    static const struct {
        tact_shape_type a, b;
        uint64_t seed, index;
    } cases[] = {{TACT_CONE, TACT_BOX, 11, 1618},
                 {TACT_CYLINDER, TACT_CYLINDER, 11, 398},
                 {TACT_CYLINDER, TACT_SEGMENT, 11, 3742},
                 {TACT_SPHERE, TACT_CUSTOM, 11, 2699},
                 {TACT_CUSTOM, TACT_TRANSFORMED, 11, 2160},
                 {TACT_MINKOWSKI_SUM, TACT_MINKOWSKI_SUM, 11, 1589},
                 {TACT_CYLINDER, TACT_POINT, 7, 1875},
                 {TACT_POINT, TACT_CYLINDER, 1, 2565},
                 {TACT_CONE, TACT_HULL, 31, 2297},
                 {TACT_TRANSFORMED, TACT_CAPSULE, 31, 3572},
                 {TACT_TRANSFORMED, TACT_TRANSFORMED, 31, 1895},
                 {TACT_POINT, TACT_TRANSFORMED, 61, 9273},
                 {TACT_SPHERE, TACT_MINKOWSKI_SUM, 61, 6134}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t seed = cases[i].seed;
        scene s;
        scene_make(&s, cases[i].a, cases[i].b, seed, cases[i].index);
        tact_shape *a = recipe_shape(&s.a), *b = recipe_shape(&s.b);
        tact_distance r = tact_shapes_distance(a, s.transform_a, b, s.transform_b);
        real low = fmaxl(s.gap.low - s.margins, 0), high = fmaxl(s.gap.high - s.margins, 0);
        real allowed = 1e-10L * low + 32 * U * s.largest;
        CHECK(s.gap.sharp && r.status == TACT_OK, "case %zu: status %d", i, (int)r.status);
        CHECK((real)r.distance >= low - allowed && (real)r.distance <= high + allowed,
              "case %zu: distance %.17g, not %.20Lg to %.20Lg", i, r.distance, low, high);
        real on_a[3] = {r.on_a.x, r.on_a.y, r.on_a.z}, on_b[3] = {r.on_b.x, r.on_b.y, r.on_b.z};
        CHECK(oracle_point_distance(&s.body_a, on_a, allowed) <= allowed, "case %zu: the point is off A", i);
        CHECK(oracle_point_distance(&s.body_b, on_b, allowed) <= allowed, "case %zu: the point is off B", i);
        tact_vec3 rest = vec_mul_add(vec_sub(r.on_b, r.on_a), -r.distance, r.normal);
        CHECK(vec_length(rest) <= 2e-5L * r.distance + allowed, "case %zu: the points lie %g beside the normal", i,
              vec_length(rest));
        CHECK(r.distance > 0.0 ? fabs(vec_length(r.normal) - 1.0) <= 8 * U : vec_length(r.normal) == 0.0,
              "case %zu: normal of length %g", i, vec_length(r.normal));
        tact_common_point common = tact_shapes_common_point(a, s.transform_a, b, s.transform_b, NULL);
        CHECK(common.status == TACT_OK, "case %zu: common point, status %d", i, (int)common.status);
        if (common.state == TACT_HIT) {
            real at[3] = {common.point.x, common.point.y, common.point.z};
            real off = fmaxl(oracle_point_distance(&s.body_a, at, allowed + low),
                             oracle_point_distance(&s.body_b, at, allowed + low));
            CHECK(off <= allowed + low, "case %zu: the common point is off by %Lg", i, off);
        }
        for (uint64_t k = 0; k < 20; k++) {
            dice d = dice_for(seed, 80, k);
            tact_cache cache = {roll_direction(&d)};
            tact_overlap touch = tact_shapes_overlap(a, s.transform_a, b, s.transform_b, &cache);
            CHECK(touch.status == TACT_OK, "case %zu: touch with a cache, status %d", i, (int)touch.status);
        }
        tact_shape_release(a);
        tact_shape_release(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_ends_with_a_proof),
        cmocka_unit_test(full_accuracy_is_reached),
        cmocka_unit_test(it_may_stop_early),
        cmocka_unit_test(a_cached_axis_ends_it_at_once),
        cmocka_unit_test(odd_axes_do_no_harm),
        cmocka_unit_test(large_and_small_come_close),
        cmocka_unit_test(oblong_facets_and_their_diagonals),
        cmocka_unit_test(nearly_parallel_faces),
        cmocka_unit_test(the_line_of_centres_finds_overlaps),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(simplices_are_solved),
        cmocka_unit_test(a_far_vertex_turns_a_short_closest_point),
        cmocka_unit_test(support_points_in_double_double),
        cmocka_unit_test(double_double_search_stands_alone),
        cmocka_unit_test(earlier_failures_are_right),
    };
    return cmocka_run_group_tests_name("gjk", tests, NULL, NULL);
}
