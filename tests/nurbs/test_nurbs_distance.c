/*
 * Distances, closest points, rays and contact points on the true surfaces of NURBS shapes, through the public API:
 * closed forms, and random surfaces against an independent search (oracle/nurbs_shapes.h).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/nurbs.h>

#include "oracle/nurbs_models.h"
#include "oracle/nurbs_shapes.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static tact_transform random_rotation_at(random_source *r, tact_vec3 origin)
{
    return tact_transform_make(origin, random_rotation(r), (tact_vec3){1.0, 1.0, 1.0});
}

static tact_vec3 placed(const tact_transform *at, tact_vec3 p) { return vec_add(vec_transform(at, p), at->origin); }

static double separation(tact_vec3 a, tact_vec3 b) { return vec_length(vec_sub(b, a)); }

/* Checks what holds for every separation: order of the bounds, points, places. `def` NULL: no surface on that side. */
static void check_answer(uint64_t seed, const tact_nurbs_separation *x, const tact_nurbs_def *def[2],
                         const tact_transform at[2], double margins, double size)
{
    CHECK(x->lower >= 0.0 && x->lower <= x->upper, "%.17g %.17g", x->lower, x->upper);
    const tact_nurbs_location place[2] = {x->location_a, x->location_b};
    const tact_vec3 on[2] = {x->on_a, x->on_b};
    for (int i = 0; i < 2; i++) {
        CHECK(x->upper == 0.0 || place[i].on_surface == (def[i] != NULL), "side %d", i);
        if (!place[i].on_surface)
            continue;
        tact_vec3 p;
        assert_int_equal(tact_nurbs_evaluate(def[i], place[i].u, place[i].v, 0, &p), TACT_OK);
        p = placed(&at[i], p);
        CHECK(separation(p, on[i]) <= margins + 1e-11 * size, "side %d: the place is %g away", i, separation(p, on[i]));
    }
    if (x->upper > 0.0)
        CHECK(fabs(separation(x->on_a, x->on_b) - x->upper) < 1e-11 * size, "%.17g %.17g", separation(x->on_a, x->on_b),
              x->upper);
    else
        CHECK(separation(x->on_a, x->on_b) == 0.0, "no common point");
}

/* ---- closed forms ---- */

static void distances_have_closed_forms(void **state)
{
    (void)state;
    static nurbs_shape_data sphere, torus, cylinder;
    int kinds[7] = {0};
    nurbs_shape_sphere(&sphere, 0.8);
    nurbs_shape_torus(&torus, 2.0, 0.5);
    nurbs_shape_cylinder(&cylinder, 0.6, 1.0);
    tact_shape *s = tact_nurbs(&sphere.def), *t = tact_nurbs(&torus.def), *c = tact_nurbs(&cylinder.def);
    tact_shape *ball = tact_sphere(0.3), *box = tact_box(1.0, 0.6, 0.8), *exact = tact_sphere(0.8);
    assert_true(s != NULL && t != NULL && c != NULL);
    for (uint64_t seed = first_seed(); seed <= last_seed(60); seed++) {
        random_source r = random_seed(seed);
        const tact_transform frame = random_rotation_at(&r, vec_scale(random_direction(&r), 10.0 * random_unit(&r)));
        const tact_vec3 local = vec_scale(random_direction(&r), random_range(&r, 0.0, 4.0));
        const tact_vec3 p = placed(&frame, local);
        const tact_transform other = random_rotation_at(&r, p);
        /* two spheres */
        tact_nurbs_separation x = tact_nurbs_distance(s, frame, ball, other, NULL);
        double want = fmax(vec_length(local) - 0.8 - 0.3, 0.0);
        CHECK(x.status == TACT_OK && x.lower <= want + 1e-13 && fabs(x.upper - want) < 2e-10, "%.12g %.12g %.12g",
              x.lower, x.upper, want);
        kinds[0] += want > 0.0;
        kinds[1] += want == 0.0;
        x = tact_nurbs_distance(s, frame, s, other, NULL);
        want = fmax(vec_length(local) - 1.6, 0.0);
        if (want > 0.0 || vec_length(local) > 0.1) /* nearly concentric ones are parallel, and solid */
            CHECK(x.status == TACT_OK && x.lower <= want + 1e-13 && fabs(x.upper - want) < 2e-10, "%.12g %.12g %.12g",
                  x.lower, x.upper, want);
        else
            CHECK(x.lower <= 0.0 && x.upper < 0.1, "%.12g %.12g", x.lower, x.upper);
        /* a sphere and a box: as the convex shapes */
        x = tact_nurbs_distance(box, other, s, frame, NULL);
        want = tact_shapes_distance(box, other, exact, frame).distance;
        CHECK(x.status == TACT_OK && x.lower <= want * (1.0 + 1e-10) + 1e-13 && fabs(x.upper - want) < 2e-10,
              "%.12g %.12g %.12g", x.lower, x.upper, want);
        kinds[2] += want > 0.0;
        /* a torus and a ball */
        const double ring = hypot(hypot(local.x, local.y) - 2.0, local.z);
        x = tact_nurbs_distance(t, frame, ball, other, NULL);
        want = fmax(ring - 0.5 - 0.3, 0.0);
        const bool axis = hypot(local.x, local.y) < 1e-3;
        CHECK((x.status == TACT_OK || axis) && x.lower <= want + 1e-13 && fabs(x.upper - want) < 2e-10,
              "%.12g %.12g %.12g", x.lower, x.upper, want);
        kinds[3] += want > 0.0;
        /* the side of a cylinder and a ball */
        const double beside = hypot(local.x, local.y) - 0.6, above = fmax(fabs(local.z) - 1.0, 0.0);
        x = tact_nurbs_distance(c, frame, ball, other, NULL);
        want = fmax(hypot(beside, above) - 0.3, 0.0);
        CHECK((x.status == TACT_OK || axis) && x.lower <= want + 1e-13 && fabs(x.upper - want) < 2e-10,
              "%.12g %.12g %.12g", x.lower, x.upper, want);
        kinds[4] += above > 0.0 && want > 0.0; /* on the edge of the surface */
        /* two tori side by side, and a sphere stretched to an ellipsoid */
        const double gap = random_range(&r, 0.0, 1.0);
        tact_transform beside_it = frame;
        beside_it.origin = placed(&frame, (tact_vec3){5.0 + gap, 0.0, 0.0});
        x = tact_nurbs_distance(t, frame, t, beside_it, NULL);
        CHECK(x.status == TACT_OK && x.lower <= gap + 1e-13 && fabs(x.upper - gap) < 3e-10, "%.12g %.12g %.12g",
              x.lower, x.upper, gap);
        kinds[5] += gap > 0.0;
        tact_transform stretched = frame;
        stretched.x_axis = vec_scale(frame.x_axis, 2.0);
        stretched.y_axis = vec_scale(frame.y_axis, 0.5);
        x = tact_nurbs_distance(s, stretched, box, other, NULL);
        want = tact_shapes_distance(exact, stretched, box, other).distance;
        CHECK(x.status == TACT_OK && x.lower <= want * (1.0 + 1e-10) + 1e-13 && fabs(x.upper - want) < 4e-10,
              "%.12g %.12g %.12g", x.lower, x.upper, want);
        kinds[6] += want > 0.0;
    }
    if (!few_cases())
        for (int i = 0; i < 7; i++)
            assert_true(kinds[i] >= 5);
    tact_shape_release(s), tact_shape_release(t), tact_shape_release(c);
    tact_shape_release(ball), tact_shape_release(box), tact_shape_release(exact);
}

/* ---- random surfaces ---- */

static void random_surfaces_agree_with_the_oracle(void **state)
{
    (void)state;
    static nurbs_shape_data d[2];
    enum { INTERIOR, EDGE, CORNER, TOUCHING, RATIONAL, HIGH, KINDS };
    int kinds[KINDS] = {0}, converged = 0, all = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(65, 10000); seed++) {
        random_source r = random_seed(seed);
        tact_shape *s[2];
        const bool rational = random_chance(&r, 0.4), facing = random_chance(&r, 0.5);
        const int degree = random_chance(&r, 0.1) ? random_between(&r, 6, 9) : random_between(&r, 1, 4);
        for (int i = 0; i < 2; i++) {
            nurbs_shape_random(&d[i], &r, degree, degree + random_between(&r, 1, 3), random_range(&r, 0.1, 0.9),
                               rational);
            for (size_t k = 0; facing && k < d[i].def.counts[0] * d[i].def.counts[1];
                 k++) /* bulging towards the other */
                d[i].points[k].z +=
                    (i == 0 ? -0.7 : 0.7) * (d[i].points[k].x * d[i].points[k].x + d[i].points[k].y * d[i].points[k].y);
            s[i] = tact_nurbs(&d[i].def);
            CHECK(s[i] != NULL, "no shape");
        }
        tact_transform at[2] = {random_rotation_at(&r, (tact_vec3){0.0, 0.0, 0.0}),
                                random_rotation_at(&r, vec_scale(random_direction(&r), random_range(&r, 0.0, 3.5)))};
        if (facing) { /* one above the other */
            const double x = random_range(&r, -0.3, 0.3), y = random_range(&r, -0.3, 0.3),
                         z = random_range(&r, 0.8, 2.0);
            const tact_vec3 above = {x, y, z};
            const tact_vec3 origin = placed(&at[0], above);
            at[1] = at[0];
            at[1].origin = origin;
        }
        const tact_nurbs_separation x = tact_nurbs_distance(s[0], at[0], s[1], at[1], NULL);
        const tact_nurbs_def *def[2] = {&d[0].def, &d[1].def};
        CHECK(x.status == TACT_OK || x.status == TACT_NOT_CONVERGED, "%d", x.status);
        check_answer(seed, &x, def, at, 0.0, 4.0);
        const double found =
            nurbs_shape_nearest(def[0], &at[0], def[1], &at[1], at[0].origin, random_chance(&r, 0.1) ? 24 : 10);
        CHECK(x.lower <= found + 1e-13, "below the lower bound: %.15g %.15g", found, x.lower);
        if (x.status == TACT_OK)
            CHECK(x.upper - x.lower <= 4e-10, "%.15g %.15g", x.lower, x.upper);
        const tact_nurbs_separation y = tact_nurbs_distance(s[1], at[1], s[0], at[0], NULL);
        CHECK(y.lower == x.lower && y.upper == x.upper && separation(y.on_a, x.on_b) == 0.0 &&
                  y.location_a.u == x.location_b.u && y.location_b.v == x.location_a.v,
              "the order matters");
        const tact_distance z = tact_shapes_distance(s[0], at[0], s[1], at[1]);
        CHECK(x.status != TACT_OK || (z.status == TACT_OK && z.distance == x.upper), "%.15g", z.distance);
        CHECK(z.distance >= x.lower && z.distance <= x.upper, "%.15g is not in %.15g to %.15g", z.distance, x.lower,
              x.upper);
        int bounds = 0; /* parameters at the ends of their domains */
        for (int i = 0; i < 2; i++) {
            const tact_nurbs_location *p = i == 0 ? &x.location_a : &x.location_b;
            const double end = (double)def[i]->counts[0] - degree;
            bounds += (p->u == 0.0 || p->u == end) + (p->v == 0.0 || p->v == end);
        }
        kinds[INTERIOR] += x.upper > 0.0 && bounds == 0;
        kinds[EDGE] += x.upper > 0.0 && (bounds == 1 || bounds == 2);
        kinds[CORNER] += x.upper > 0.0 && bounds > 2;
        kinds[TOUCHING] += x.upper == 0.0;
        kinds[RATIONAL] += rational;
        kinds[HIGH] += degree >= 6;
        converged += x.status == TACT_OK;
        all++;
        tact_shape_release(s[0]), tact_shape_release(s[1]);
    }
    if (few_cases())
        return;
    print_message("of %d: interior %d, edge %d, corner %d, touching %d, rational %d, high degree %d; converged %d\n",
                  all, kinds[INTERIOR], kinds[EDGE], kinds[CORNER], kinds[TOUCHING], kinds[RATIONAL], kinds[HIGH],
                  converged);
    for (int i = 0; i < KINDS; i++)
        assert_true(kinds[i] >= 3);
    assert_true(converged * 100 >= 97 * all);
}

/* A turbine blade as in examples/turbine_blade.c: wing sections that become narrower and turn from root to tip. */
typedef struct blade_data {
    tact_nurbs_def def;
    double knots[2][28];
    tact_vec3 points[240];
} blade_data;

static void make_blade(blade_data *d)
{
    enum { AROUND = 24, ALONG = 10 };
    const double pi = 3.14159265358979323846;
    const int counts[2] = {AROUND, ALONG};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < counts[k] + 4; i++)
            d->knots[k][i] = fmin(fmax((i - 3.0) / (counts[k] - 3), 0.0), 1.0);
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < ALONG; j++) {
            const double angle = 2.0 * pi * (i % (AROUND - 1)) / (AROUND - 1), s = (double)j / (ALONG - 1);
            const double chord = 0.5 * (1.0 - 0.4 * s), turn = 0.3 + 0.9 * s, c = cos(angle);
            const double x = chord * c, y = chord * (0.24 * (1.0 + 0.8 * c) * sin(angle) + 0.15 * (1.0 - c * c));
            d->points[i * ALONG + j] =
                (tact_vec3){x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn), 2.0 * s - 1.0};
        }
    d->def = (tact_nurbs_def){.degree = {3, 3},
                              .counts = {AROUND, ALONG},
                              .knots = {d->knots[0], d->knots[1]},
                              .points = d->points,
                              .tolerance = 1e-3};
}

/* Side by side and turned a little, an edge of one blade is often nearly parallel to the side of the other. With bounds
 * of first order alone up to 20,000 pairs were divided, and some distances did not converge. */
static void nearly_parallel_blades_take_little_work(void **state)
{
    (void)state;
    static blade_data d;
    make_blade(&d);
    tact_shape *blade = tact_nurbs(&d.def);
    size_t most = 0, sum = 0;
    int apart = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(30, 2000); seed++) {
        random_source r = random_seed(seed);
        const double angle = random_range(&r, 0.0, 6.28), far = random_range(&r, 0.6, 1.3), height = random_unit(&r);
        const double turn = 0.2 * random_unit(&r) * random_unit(&r);
        const tact_vec3 axis = random_direction(&r);
        const tact_quat q = {axis.x * sin(turn), axis.y * sin(turn), axis.z * sin(turn), cos(turn)};
        const tact_transform here = random_rotation_at(&r, random_direction(&r));
        const tact_transform there = {here.x_axis, here.y_axis, here.z_axis,
                                      placed(&here, tact_vec(far * cos(angle), far * sin(angle), height))};
        const tact_transform local = tact_transform_make(tact_vec(0.0, 0.0, 0.0), q, tact_vec(1.0, 1.0, 1.0));
        const tact_transform turned = {vec_transform(&there, local.x_axis), vec_transform(&there, local.y_axis),
                                       vec_transform(&there, local.z_axis), there.origin};
        const tact_nurbs_separation x = tact_nurbs_distance(blade, here, blade, turned, NULL);
        CHECK(x.status == TACT_OK && x.upper - x.lower <= 1.5e-10, "status %d, %.17g to %.17g, work %zu", x.status,
              x.lower, x.upper, x.work);
        CHECK(x.work < 4000, "work %zu", x.work);
        if (x.upper == 0.0)
            continue;
        apart++;
        sum += x.work;
        most = x.work > most ? x.work : most;
        const tact_nurbs_def *def[2] = {&d.def, &d.def};
        const tact_transform at[2] = {here, turned};
        check_answer(seed, &x, def, at, 0.0, 2.0);
        if (seed % 10 != 1)
            continue;
        const double found = nurbs_shape_nearest(&d.def, &here, &d.def, &turned, here.origin, 12);
        CHECK(x.lower <= found + 1e-13, "below the lower bound: %.15g %.15g", found, x.lower);
    }
    print_message("of %d: work %zu at most, %zu in all\n", apart, most, sum);
    assert_true(few_cases() || (apart >= 10 && sum < 300 * (size_t)apart));
    /* Newton's method stopped beside a corner, where the step that a side cut off led up */
    const tact_nurbs_separation x =
        tact_nurbs_distance(blade, tact_identity(), blade,
                            tact_transform_make(tact_vec(-0.5853665033537504, 1.2546028993733875, -1.8825942515997613),
                                                (tact_quat){0.31605630437580789, 0.3574337113501842,
                                                            -0.86871089930657297, -0.13300724747435733},
                                                tact_vec(1.0, 1.0, 1.0)),
                            NULL);
    assert_true(x.status == TACT_OK && x.work < 1000);
    tact_shape_release(blade);
}

/* Surfaces that cross have a common point; parallel ones do not converge, and the bounds are honest. */
static void touching_and_parallel_surfaces(void **state)
{
    (void)state;
    static nurbs_shape_data d, flat, outer;
    random_source r = random_seed(7);
    nurbs_shape_random(&d, &r, 3, 6, 0.5, false);
    nurbs_shape_random(&flat, &r, 2, 4, 0.0, false);
    tact_shape *wavy = tact_nurbs(&d.def), *plane = tact_nurbs(&flat.def);
    for (int i = -3; i <= 3; i++) { /* the plane cuts the wavy surface, or not */
        const tact_transform at = tact_at(0.0, 0.0, 0.1 * i);
        const tact_nurbs_separation x = tact_nurbs_distance(wavy, tact_identity(), plane, at, NULL);
        assert_int_equal(x.status, TACT_OK);
        if (abs(i) < 2) {
            assert_true(x.upper == 0.0 && x.lower == 0.0 && separation(x.on_a, x.on_b) == 0.0);
            assert_true(fabs(x.on_b.z - 0.1 * i) < 1e-11);
        }
    }
    /* exactly parallel planes: the minimum is an area, but the bounds meet at once */
    tact_nurbs_separation x = tact_nurbs_distance(plane, tact_identity(), plane, tact_at(0.1, 0.2, 0.5), NULL);
    assert_true(x.lower <= 0.5 && x.upper >= 0.5 && x.upper < 0.5 + 1e-10);
    /* concentric spheres, not solid: the same from everywhere */
    nurbs_shape_sphere(&d, 1.0);
    nurbs_shape_sphere(&outer, 1.5);
    d.def.solid = outer.def.solid = false;
    tact_shape *a = tact_nurbs(&d.def), *b = tact_nurbs(&outer.def);
    x = tact_nurbs_distance(a, tact_identity(), b, tact_identity(), NULL);
    assert_int_equal(x.status, TACT_NOT_CONVERGED);
    assert_true(x.lower <= 0.5 && x.upper >= 0.5 - 1e-13 && x.upper < 0.5 + 1e-10 && x.lower > 0.45);
    /* little work: wide bounds, but right ones */
    for (size_t work = 1; work < 2000; work *= 4) {
        const tact_nurbs_distance_def def = {.max_work = work};
        x = tact_nurbs_distance(a, tact_identity(), b, tact_at(2.9, 0.3, 0.2), &def);
        const double want = sqrt(2.9 * 2.9 + 0.3 * 0.3 + 0.2 * 0.2) - 2.5;
        assert_true(x.work <= work && x.lower <= want && x.upper >= want);
    }
    tact_shape_release(wavy), tact_shape_release(plane), tact_shape_release(a), tact_shape_release(b);
}

/* Margins, compounds, and solids that contain the other shape. */
static void margins_compounds_and_solids(void **state)
{
    (void)state;
    static nurbs_shape_data d;
    nurbs_shape_sphere(&d, 1.0);
    tact_shape *sphere = tact_nurbs(&d.def), *rounded = tact_rounded(sphere, 0.25), *ball = tact_sphere(0.1);
    const tact_transform here = tact_identity();
    tact_nurbs_separation x = tact_nurbs_distance(rounded, here, ball, tact_at(0.0, 3.0, 0.0), NULL);
    assert_true(x.status == TACT_OK && x.lower <= 1.65 && fabs(x.upper - 1.65) < 1e-10);
    assert_true(fabs(x.on_a.y - 1.25) < 1e-9 && fabs(x.on_b.y - 2.9) < 1e-9 && fabs(x.normal.y - 1.0) < 1e-9);
    x = tact_nurbs_distance(rounded, here, ball, tact_at(0.0, 1.3, 0.0), NULL);
    assert_true(x.status == TACT_OK && x.upper == 0.0);
    /* inside, also close to the surface, where the triangles are on the other side */
    int close = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_source r = random_seed(seed);
        const double radius = 1.0 - exp(random_range(&r, log(1e-9), log(0.5)));
        const tact_vec3 out = random_direction(&r), at = vec_scale(out, radius), beyond = vec_scale(out, 2.0 - radius);
        tact_shape *point = tact_point((tact_vec3){0.0, 0.0, 0.0});
        x = tact_nurbs_distance(sphere, here, point, tact_at(at.x, at.y, at.z), NULL);
        CHECK(x.status == TACT_OK && x.upper == 0.0, "%g: %g", 1.0 - radius, x.upper);
        x = tact_nurbs_distance(sphere, here, point, tact_at(beyond.x, beyond.y, beyond.z), NULL);
        CHECK(x.status == TACT_OK && fabs(x.upper - (1.0 - radius)) < 1e-10, "%g: %g", 1.0 - radius, x.upper);
        close += radius > 0.999;
        tact_shape_release(point);
    }
    assert_true(close >= 10);
    /* a compound of a box and a NURBS leaf */
    tact_shape *box = tact_box(1.0, 1.0, 1.0);
    const tact_shape *parts[2] = {box, sphere};
    const tact_transform places[2] = {tact_at(-3.0, 0.0, 0.0), tact_at(3.0, 0.0, 0.0)};
    tact_shape *both = tact_compound(parts, places, 2);
    assert_non_null(both);
    for (int side = -1; side <= 1; side += 2) {
        const tact_transform at = tact_at(6.0 * side, 0.3, 0.0);
        const tact_distance d1 = tact_shapes_distance(both, here, ball, at),
                            d2 = tact_shapes_distance(ball, at, both, here);
        const double want = side < 0 ? 2.4 : sqrt(9.09) - 1.1;
        assert_true(d1.status == TACT_OK && fabs(d1.distance - want) < 1e-9 && d2.distance == d1.distance);
        assert_int_equal(d1.part_a.leaf, side > 0);
        const tact_closest c = tact_shape_closest(both, here, at.origin);
        assert_true(c.status == TACT_OK && fabs(c.distance - want - 0.1) < 1e-9 && c.part.leaf == (uint32_t)(side > 0));
        const tact_ray_hit h = tact_shape_ray(both, here, at.origin, (tact_vec3){-1.0 * side, 0.0, 0.0}, INFINITY);
        assert_true(h.state == TACT_HIT && h.part.leaf == (uint32_t)(side > 0));
        assert_true(fabs(h.t - (side < 0 ? 2.5 : 3.0 - sqrt(1.0 - 0.09))) < 1e-9);
    }
    x = tact_nurbs_distance(both, here, both, tact_at(0.0, 4.0, 0.0), NULL);
    assert_true(x.status == TACT_OK && fabs(x.upper - 2.0) < 1e-9);
    x = tact_nurbs_distance(box, here, ball, here, NULL);
    assert_int_equal(x.status, TACT_BAD_ARGUMENT); /* no surface */
    x = tact_nurbs_distance(sphere, here, NULL, here, NULL);
    assert_int_equal(x.status, TACT_BAD_ARGUMENT);
    const tact_nurbs_distance_def bad = {.accuracy = NAN};
    x = tact_nurbs_distance(sphere, here, ball, here, &bad);
    assert_int_equal(x.status, TACT_BAD_ARGUMENT);
    tact_shape_release(both), tact_shape_release(box), tact_shape_release(ball), tact_shape_release(rounded);
    tact_shape_release(sphere);
}

/* ---- points and rays ---- */

static void closest_points_agree_with_the_oracle(void **state)
{
    (void)state;
    static nurbs_shape_data d;
    int converged = 0, all = 0, edge = 0, interior = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(75, 6000); seed++) {
        random_source r = random_seed(seed);
        const int degree = random_between(&r, 1, 5);
        nurbs_shape_random(&d, &r, degree, degree + random_between(&r, 1, 4), random_range(&r, 0.0, 1.0),
                           random_chance(&r, 0.5));
        tact_shape *s = tact_nurbs(&d.def);
        tact_transform at = random_rotation_at(&r, random_direction(&r));
        if (random_chance(&r, 0.3))
            at.x_axis = vec_scale(at.x_axis, 1.5);
        const tact_vec3 from = placed(&at, vec_scale(random_direction(&r), random_range(&r, 0.1, 2.5)));
        const tact_closest c = tact_shape_closest(s, at, from);
        const double found = nurbs_shape_nearest(&d.def, &at, NULL, NULL, from, 24);
        CHECK(c.status == TACT_OK || c.status == TACT_NOT_CONVERGED, "%d", c.status);
        CHECK(c.distance <= found + 1e-9, "%.12g %.12g", c.distance, found);
        CHECK(fabs(separation(c.point, from) - c.distance) < 1e-11, "%.12g", separation(c.point, from) - c.distance);
        const tact_vec3 to = vec_sub(from, c.point);
        CHECK(fabs(vec_dot(to, c.normal) - c.distance) < 1e-9, "the normal does not point to the point");
        /* the same through tact_nurbs_distance, which has the place */
        tact_shape *point = tact_point((tact_vec3){0.0, 0.0, 0.0});
        const tact_nurbs_separation x = tact_nurbs_distance(s, at, point, tact_at(from.x, from.y, from.z), NULL);
        CHECK(fabs(x.upper - c.distance) < 1e-9 && x.lower <= found + 1e-13, "%.12g %.12g %.12g", x.lower, x.upper,
              found);
        const tact_nurbs_def *def[2] = {&d.def, NULL};
        const tact_transform places[2] = {at, tact_identity()};
        check_answer(seed, &x, def, places, 0.0, 4.0);
        tact_shape_release(point);
        const double end = (double)d.def.counts[0] - degree;
        const bool on_edge =
            x.location_a.u == 0.0 || x.location_a.u == end || x.location_a.v == 0.0 || x.location_a.v == end;
        edge += on_edge;
        interior += !on_edge;
        converged += c.status == TACT_OK;
        all++;
        tact_shape_release(s);
    }
    if (few_cases())
        return;
    print_message("of %d: interior %d, edge %d, converged %d\n", all, interior, edge, converged);
    assert_true(edge >= 10 && interior >= 10 && converged >= all - all / 50);
}

/* A sheared cube has edges at which a point outside is behind the plane of one face. Its side is that of the box. */
static void sharp_edges_have_two_sides(void **state)
{
    (void)state;
    nurbs_model_case c;
    nurbs_model_case_make(&c, NURBS_MODEL_CUBE, NULL);
    for (size_t i = 0; i < c.count; i++) {
        c.defs[i].solid = true;
        c.defs[i].tolerance = 0.01;
    }
    tact_shape *cube = tact_nurbs_create(c.defs, c.count, NULL), *box = tact_box(2.0, 2.0, 2.0);
    int behind = 0, inside = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(300, 20000); seed++) {
        random_source r = random_seed(seed);
        tact_transform at = random_rotation_at(&r, random_direction(&r));
        at.y_axis = vec_add(at.y_axis, vec_scale(at.x_axis, random_range(&r, -4.0, 4.0)));
        /* beside an edge along the local z axis */
        const double x = random_chance(&r, 0.5) ? 1.0 : -1.0, y = random_chance(&r, 0.5) ? 1.0 : -1.0;
        const tact_vec3 edge = placed(&at, tact_vec(x, y, random_range(&r, -0.9, 0.9)));
        const tact_vec3 from = vec_add(edge, vec_scale(random_direction(&r), random_range(&r, 0.01, 0.3)));
        const tact_closest want = tact_shape_closest(box, at, from), got = tact_shape_closest(cube, at, from);
        CHECK(got.status == TACT_OK && fabs(got.distance - want.distance) < 1e-9, "%d: %g instead of %g", got.status,
              got.distance, want.distance);
        const tact_vec3 to = vec_sub(from, want.point), nx = vec_cross(at.y_axis, at.z_axis),
                        ny = vec_cross(at.z_axis, at.x_axis);
        behind += want.distance > 0.0 && vec_dot(to, nx) * x * vec_dot(to, ny) * y < -1e-6;
        inside += want.distance < 0.0;
    }
    assert_true(few_cases() || (behind > 40 && inside > 20));
    tact_shape_release(cube);
    tact_shape_release(box);
}

/* Rays at points of the surface: the hit is not later, it is on the surface, and the oracle finds none before it. */
static void rays_hit_the_surface(void **state)
{
    (void)state;
    static nurbs_shape_data d;
    int hits = 0, misses = 0, earlier = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(120, 9000); seed++) {
        random_source r = random_seed(seed);
        const int degree = random_between(&r, 1, 5);
        nurbs_shape_random(&d, &r, degree, degree + random_between(&r, 1, 4), random_range(&r, 0.0, 1.0),
                           random_chance(&r, 0.5));
        tact_shape *s = tact_nurbs(&d.def);
        const tact_transform at = random_rotation_at(&r, random_direction(&r));
        const double end = (double)d.def.counts[0] - degree;
        tact_vec3 p[4], from = vec_scale(random_direction(&r), random_range(&r, 2.0, 20.0));
        assert_int_equal(tact_nurbs_evaluate(&d.def, random_range(&r, 0.0, end), random_range(&r, 0.0, end), 1, p),
                         TACT_OK);
        const bool aside = random_chance(&r, 0.2);
        const tact_vec3 target = aside ? vec_scale(random_direction(&r), 3.0) : placed(&at, p[0]);
        const tact_vec3 direction = vec_sub(target, from);
        const tact_ray_hit h = tact_shape_ray(s, at, from, direction, INFINITY);
        CHECK(h.status == TACT_OK, "%d", h.status);
        CHECK(aside || (h.state == TACT_HIT && h.t <= 1.0 + 1e-9), "missed: state %d t %.12g", h.state, h.t);
        if (h.state == TACT_HIT) {
            const tact_closest c = tact_shape_closest(s, at, h.point);
            CHECK(fabs(c.distance) < 1e-9, "%g from the surface", c.distance);
            CHECK(fabs(vec_length(h.normal) - 1.0) < 1e-9 && vec_dot(h.normal, direction) <= 0.0, "normal");
            earlier += h.t < 1.0 - 1e-6;
        } else { /* nowhere near */
            for (int i = 0; i <= 40; i++) {
                const tact_vec3 on = vec_mul_add(from, 0.05 * i, direction);
                CHECK(fabs(tact_shape_closest(s, at, on).distance) > 1e-10, "a ray on the surface misses");
            }
        }
        /* a bound of the parameter before the hit: a miss */
        if (h.state == TACT_HIT && h.t > 1e-3)
            CHECK(tact_shape_ray(s, at, from, direction, 0.999 * h.t).state == TACT_MISS, "too early");
        hits += h.state == TACT_HIT;
        misses += h.state == TACT_MISS;
        tact_shape_release(s);
    }
    if (few_cases())
        return;
    print_message("hits %d, misses %d, before the target %d\n", hits, misses, earlier);
    assert_true(hits >= 50 && misses >= 10 && earlier >= 10);
}

static void rays_and_points_of_a_sphere(void **state)
{
    (void)state;
    static nurbs_shape_data d;
    int inside = 0, hits = 0;
    nurbs_shape_sphere(&d, 1.0);
    tact_shape *s = tact_nurbs(&d.def), *exact = tact_sphere(1.0);
    const tact_transform here = tact_identity();
    for (uint64_t seed = first_seed(); seed <= last_seed_of(100, 6000); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 out = random_direction(&r);
        const double radius = random_chance(&r, 0.3) ? 1.0 + random_range(&r, -1e-3, 1e-3) : random_range(&r, 0.3, 3.0);
        const tact_vec3 p = vec_scale(out, radius);
        const tact_closest c = tact_shape_closest(s, here, p);
        CHECK(c.status == TACT_OK && fabs(c.distance - (radius - 1.0)) < 1e-10, "%g %g", radius, c.distance);
        CHECK(vec_dot(c.normal, out) > 1.0 - 1e-9, "normal");
        inside += radius < 1.0;
        const tact_vec3 from = vec_scale(out, 1.0 + radius), aim = vec_scale(random_direction(&r), 1.2);
        const tact_ray_hit h = tact_shape_ray(s, here, from, vec_sub(aim, from), INFINITY),
                           g = tact_shape_ray(exact, here, from, vec_sub(aim, from), INFINITY);
        CHECK(h.status == TACT_OK && h.state == g.state, "%d %d", h.state, g.state);
        CHECK(h.state == TACT_MISS || fabs(h.t - g.t) < 1e-9, "%.12g %.12g", h.t, g.t);
        CHECK(h.state == TACT_MISS || vec_dot(h.normal, g.normal) > 1.0 - 1e-9, "normal of the hit");
        hits += h.state == TACT_HIT;
        /* from inside: at once, zero normal */
        if (radius < 1.0) {
            const tact_ray_hit i = tact_shape_ray(s, here, p, out, INFINITY);
            CHECK(i.state == TACT_HIT && i.t == 0.0 && vec_length(i.normal) == 0.0, "from inside");
        }
    }
    assert_true(few_cases() || (inside >= 12 && hits >= 12));
    tact_shape_release(s), tact_shape_release(exact);
}

/* At a pole one derivative is zero. The normal is that of the surface beside it. */
static void poles_have_normals(void **state)
{
    (void)state;
    static nurbs_shape_data d;
    nurbs_shape_sphere(&d, 1.0);
    tact_shape *s = tact_nurbs(&d.def);
    const tact_transform here = tact_identity();
    for (int side = -1; side <= 1; side += 2) {
        const tact_vec3 pole = {0.0, 0.0, side}, out = {0.0, 0.0, 3.0 * side}, in = {0.0, 0.0, 0.5 * side};
        const tact_closest c[2] = {tact_shape_closest(s, here, out), tact_shape_closest(s, here, in)};
        for (int i = 0; i < 2; i++)
            assert_true(c[i].status == TACT_OK && vec_dot(c[i].normal, pole) > 1.0 - 1e-9);
        assert_true(fabs(c[0].distance - 2.0) < 1e-10 && fabs(c[1].distance + 0.5) < 1e-10);
        const tact_vec3 from = {1.0, 0.0, 3.0 * side};
        const tact_ray_hit h = tact_shape_ray(s, here, from, vec_sub(pole, from), INFINITY);
        assert_true(h.state == TACT_HIT && fabs(h.t - 1.0) < 1e-9 && vec_dot(h.normal, pole) > 1.0 - 1e-9);
    }
    tact_shape_release(s);
}

/* ---- trimmed surfaces ---- */

/* A square of side 2 in the plane z = 0, of which only the left half is there: u < 1/2, that is x < 0. */
static void trimmed_surfaces(void **state)
{
    (void)state;
    static const double knots[4] = {0, 0, 1, 1}, line[4] = {0, 0, 1, 1};
    static const tact_vec3 points[4] = {{-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {1, 1, 0}};
    static const double corner[5][2] = {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}, {0, 0}};
    tact_nurbs_curve curves[4];
    for (int i = 0; i < 4; i++)
        curves[i] = (tact_nurbs_curve){.degree = 1, .count = 2, .knots = line, .points = &corner[i]};
    const tact_nurbs_loop loop = {curves, 4};
    const tact_nurbs_def def = {
        .degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = points, .trims = &loop, .trim_count = 1};
    tact_shape *half = tact_nurbs(&def), *ball = tact_sphere(0.25);
    assert_non_null(half);
    const tact_transform here = tact_identity();
    tact_nurbs_separation x = tact_nurbs_distance(half, here, ball, tact_at(-0.5, 0.1, 1.0), NULL);
    assert_true(x.status == TACT_OK && fabs(x.upper - 0.75) < 1e-9 && x.lower <= 0.75);
    for (int i = 0; i < 8; i++) { /* above the missing half, or touching only that */
        const double z = i % 2 == 0 ? 0.5 : 0.1, beside = 0.2 + 0.1 * i, want = hypot(beside, z) - 0.25;
        x = tact_nurbs_distance(half, here, ball, tact_at(beside, 0.1, z), NULL);
        assert_true(x.lower <= fmax(want, 0.0) + 1e-12 && x.upper >= want - 1e-12 && x.upper < want + 0.05);
        const tact_closest c = tact_shape_closest(half, here, (tact_vec3){beside, 0.1, z});
        assert_true(fabs(c.distance - (want + 0.25)) < 0.02);
    }
    for (int i = -9; i < 10; i += 2) {
        const tact_ray_hit h =
            tact_shape_ray(half, here, (tact_vec3){0.1 * i, 0.3, 2.0}, (tact_vec3){0.0, 0.0, -1.0}, INFINITY);
        assert_int_equal(h.state, i < 0 ? TACT_HIT : TACT_MISS);
        assert_true(i > 0 || fabs(h.t - 2.0) < 1e-10);
    }
    tact_shape_release(half), tact_shape_release(ball);
}

/* ---- contacts ---- */

static void contacts_move_to_the_surfaces(void **state)
{
    (void)state;
    static nurbs_shape_data d;
    int count = 0;
    nurbs_shape_sphere(&d, 1.0);
    tact_shape *s = tact_nurbs(&d.def), *box = tact_box(2.0, 2.0, 2.0);
    for (uint64_t seed = first_seed(); seed <= last_seed(30); seed++) {
        random_source r = random_seed(seed);
        const tact_transform at = random_rotation_at(&r, (tact_vec3){0.2, 0.1, random_range(&r, 1.9, 2.0)});
        tact_contact_point points[16];
        const tact_contacts c = tact_shapes_contacts(box, tact_identity(), s, at, 0.02, points, 16);
        for (size_t i = 0; i < c.count && i < 16; i++) {
            const tact_nurbs_contact m = tact_nurbs_refine_contact(box, tact_identity(), s, at, &points[i]);
            tact_vec3 p;
            CHECK(m.status == TACT_OK && !m.location_a.on_surface && m.location_b.on_surface, "%d", m.status);
            CHECK(vec_equal(m.contact.on_a, points[i].on_a), "a point without surface moved");
            CHECK(fabs(separation(m.contact.on_b, at.origin) - 1.0) < 1e-10, "not on the sphere");
            CHECK(separation(m.contact.on_b, points[i].on_b) < 0.05, "moved far");
            assert_int_equal(tact_nurbs_evaluate(&d.def, m.location_b.u, m.location_b.v, 0, &p), TACT_OK);
            CHECK(separation(placed(&at, p), m.contact.on_b) < 1e-10, "the place is elsewhere");
            CHECK(vec_dot(m.contact.normal, points[i].normal) > 0.9 && fabs(vec_length(m.contact.normal) - 1.0) < 1e-12,
                  "normal");
            count++;
        }
    }
    assert_true(few_cases() || count >= 20);
    const tact_nurbs_contact bad = tact_nurbs_refine_contact(box, tact_identity(), s, tact_identity(), NULL);
    assert_int_equal(bad.status, TACT_BAD_ARGUMENT);
    tact_shape_release(s), tact_shape_release(box);
}

/* ---- memory ---- */

/* Every allocation of each query fails once: a status, honest bounds, and nothing leaks. */
static void queries_survive_without_memory(void **state)
{
    (void)state;
    static nurbs_shape_data d;
    failing_allocator memory = {0};
    nurbs_shape_sphere(&d, 1.0);
    d.def.allocator = failing_allocator_make(&memory);
    tact_shape *s = tact_nurbs(&d.def);
    assert_non_null(s);
    const size_t held = memory.held;
    const tact_transform here = tact_identity(), there = tact_at(2.3, 0.4, 0.5);
    const double want = sqrt(2.3 * 2.3 + 0.4 * 0.4 + 0.5 * 0.5) - 2.0;
    int failures[3] = {0};
    for (int query = 0; query < 3; query++)
        for (long at = 1;; at++) {
            memory.calls = 0;
            memory.fail_at = at;
            tact_status status;
            if (query == 0) {
                const tact_nurbs_separation x = tact_nurbs_distance(s, here, s, there, NULL);
                status = x.status;
                assert_true(x.lower <= want + 1e-13 && x.upper >= want - 1e-13 && x.upper < want + 0.1);
            } else if (query == 1) {
                const tact_closest c = tact_shape_closest(s, here, (tact_vec3){0.9995, 0.01, 0.02});
                status = c.status;
                assert_true(status != TACT_OK || fabs(c.distance - (sqrt(0.9995 * 0.9995 + 0.0005) - 1.0)) < 1e-9);
            } else {
                const tact_ray_hit h =
                    tact_shape_ray(s, here, (tact_vec3){3.0, 0.1, 0.2}, (tact_vec3){-1.0, 0.0, 0.0}, INFINITY);
                status = h.status;
                assert_true(status != TACT_OK || fabs(h.t - (3.0 - sqrt(0.95))) < 1e-9);
            }
            assert_true(memory.held == held);
            if (memory.calls < at) {
                assert_int_equal(status, TACT_OK);
                break;
            }
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
            failures[query]++;
        }
    memory.fail_at = 0;
    for (int i = 0; i < 3; i++)
        assert_true(failures[i] >= 5);
    tact_shape_release(s);
    assert_true(memory.held == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_have_closed_forms),
        cmocka_unit_test(random_surfaces_agree_with_the_oracle),
        cmocka_unit_test(nearly_parallel_blades_take_little_work),
        cmocka_unit_test(touching_and_parallel_surfaces),
        cmocka_unit_test(margins_compounds_and_solids),
        cmocka_unit_test(closest_points_agree_with_the_oracle),
        cmocka_unit_test(rays_hit_the_surface),
        cmocka_unit_test(rays_and_points_of_a_sphere),
        cmocka_unit_test(poles_have_normals),
        cmocka_unit_test(trimmed_surfaces),
        cmocka_unit_test(sharp_edges_have_two_sides),
        cmocka_unit_test(contacts_move_to_the_surfaces),
        cmocka_unit_test(queries_survive_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
