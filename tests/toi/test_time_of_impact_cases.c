/*
 * Time of impact: cases with known answers, starts in touch, motion that hovers, every pair of shape types, and bad
 * input. For pairs the oracle is tact_shapes_distance (which has tests of its own) at many times: nothing may touch
 * before the reported time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/long_form.h"
#include "support/random.h"
#include "support/vec.h"

/* One query; the shapes belong to the caller. */
typedef struct toi_case {
    const tact_shape *a, *b;
    tact_transform transform_a, transform_b;
    tact_motion motion_a, motion_b;
    double end;
} toi_case;

static tact_toi run_case(const toi_case *q)
{
    return tact_shapes_time_of_impact(q->a, q->transform_a, q->motion_a, q->b, q->transform_b, q->motion_b, q->end);
}

static double distance_at(const toi_case *q, double t)
{
    tact_distance d = tact_shapes_distance(q->a, tact_motion_at(q->motion_a, q->transform_a, t), q->b,
                                           tact_motion_at(q->motion_b, q->transform_b, t));
    assert_int_equal(d.status, TACT_OK);
    return d.distance;
}

/* A floor with its top at height 0, and something above it. */
typedef struct stage {
    tact_shape *floor, *thing;
    toi_case q;
} stage;

static stage set_stage(tact_shape *thing, double height)
{
    tact_shape *floor = tact_box(20.0, 2.0, 20.0);
    assert_non_null(floor);
    assert_non_null(thing);
    toi_case q = {floor, thing, tact_at(0, -1, 0), tact_at(0, height, 0), tact_motion_still(), tact_motion_still(),
                  1.0};
    return (stage){floor, thing, q};
}

static tact_toi strike(stage *s)
{
    tact_toi hit = run_case(&s->q);
    toi_case mirror = {s->q.b, s->q.a, s->q.transform_b, s->q.transform_a, s->q.motion_b, s->q.motion_a, s->q.end};
    tact_toi other = run_case(&mirror);
    assert_int_equal(hit.status, other.status);
    assert_int_equal(hit.state, other.state);
    assert_true(hit.time == other.time && vec_equal(hit.point, other.point) &&
                vec_equal(hit.normal, vec_negate(other.normal)));
    tact_shape_release(s->floor);
    tact_shape_release(s->thing);
    return hit;
}

static void assert_miss(tact_toi hit)
{
    assert_int_equal(hit.status, TACT_OK);
    assert_int_equal(hit.state, TACT_MISS);
}

/* A hit at `time`, or before it by no more than `early`. */
static void assert_hit(tact_toi hit, double time, double early)
{
    assert_int_equal(hit.status, TACT_OK);
    assert_int_equal(hit.state, TACT_HIT);
    assert_true(hit.time <= time);
    assert_true(hit.time >= time - early);
}

static void known_times_are_met(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    tact_toi hit = tact_shapes_time_of_impact(ball, tact_at(-3, 0, 0), tact_motion_linear(8, 0, 0), ball,
                                              tact_at(3, 0, 0), tact_motion_still(), 1.0);
    assert_hit(hit, 0.5, 2e-10);
    assert_true(fabs(hit.point.x - 2.0) < 2e-9 && fabs(hit.point.y) < 1e-12 && fabs(hit.normal.x - 1.0) < 1e-12);
    /* a million radii away, at a million radii a unit of time */
    hit = tact_shapes_time_of_impact(ball, tact_at(-1e6, 0, 0), tact_motion_linear(2e6, 0, 0), ball, tact_at(0, 0, 0),
                                     tact_motion_still(), 1.0);
    assert_hit(hit, (1e6 - 2.0) / 2e6, 1e-14);
    /* a bullet does not pass through a sheet */
    tact_shape *bullet = tact_sphere(1e-3), *sheet = tact_box(1.0, 1.0, 1e-3);
    hit = tact_shapes_time_of_impact(bullet, tact_at(0, 0, -500), tact_motion_linear(0, 0, 1e6), sheet,
                                     tact_at(0, 0, 0), tact_motion_still(), 1.0);
    assert_hit(hit, (500.0 - 1.5e-3) / 1e6, 1e-12);
    hit = tact_shapes_cast(bullet, tact_at(0, 0, -1), tact_vec(0, 0, 2), sheet, tact_identity());
    assert_hit(hit, (1.0 - 1.5e-3) / 2.0, 1e-9);
    tact_shape_release(bullet);
    tact_shape_release(sheet);
    /* dropped: h = g t^2/2 */
    stage s = set_stage(tact_sphere(1.0), 6.0);
    s.q.motion_b.acceleration = tact_vec(0, -10, 0);
    s.q.end = 2.0;
    assert_hit(strike(&s), 1.0, 1e-8);
    /* a rod that turns down onto the floor: sin(angle) = 0.5 */
    s = set_stage(tact_capsule(0.0, 4.0), 1.0);
    s.q.transform_b = tact_transform_make(
        tact_vec(0, 1, 0), tact_quat_from_axis_angle(tact_vec(0, 0, 1), 1.5707963267948966), tact_vec(1, 1, 1));
    s.q.motion_b.spin = tact_vec(0, 0, 1);
    assert_hit(strike(&s), 0.52359877559829887, 2e-8);
    /* the same end of time: not yet, just */
    s = set_stage(tact_sphere(1.0), 2.0);
    s.q.motion_b = tact_motion_linear(0, -1, 0);
    s.q.end = 0.999999;
    assert_miss(strike(&s));
    /* two points: no size, so no tolerance but rounding */
    tact_shape *p = tact_point(tact_vec(0, 0, 0));
    hit = tact_shapes_time_of_impact(p, tact_at(0, 0, 0), tact_motion_linear(2, 0, 0), p, tact_at(1, 0, 0),
                                     tact_motion_still(), 1.0);
    assert_hit(hit, 0.5, 1e-13);
    hit = tact_shapes_time_of_impact(p, tact_at(0, 0, 0), tact_motion_linear(2, 0, 0), p, tact_at(1, 1e-9, 0),
                                     tact_motion_still(), 1.0);
    assert_miss(hit);
    tact_shape_release(p);
    tact_shape_release(ball);
}

static void starts_in_contact_follow_the_rule(void **state)
{
    (void)state;
    /* nothing moves */
    stage s = set_stage(tact_sphere(1.0), 1.0);
    assert_miss(strike(&s));
    /* both move alike */
    s = set_stage(tact_box(2, 2, 2), 1.0);
    s.q.motion_a = s.q.motion_b = (tact_motion){.velocity = {1, 2, 3}, .acceleration = {0, -9, 0}};
    assert_miss(strike(&s));
    /* apart, together */
    s = set_stage(tact_sphere(1.0), 1.0);
    s.q.motion_b = tact_motion_linear(0, 1, 0);
    assert_miss(strike(&s));
    s = set_stage(tact_sphere(1.0), 1.0);
    s.q.motion_b = tact_motion_linear(5, -1e-3, 0);
    assert_hit(strike(&s), 0.0, 0.0);
    /* at rest, but gravity closes */
    s = set_stage(tact_box(2, 2, 2), 1.0);
    s.q.motion_b.acceleration = tact_vec(0, -9.81, 0);
    assert_hit(strike(&s), 0.0, 0.0);
    /* along the floor: a ball, a box, off the edge, and a ball that curves away */
    s = set_stage(tact_sphere(1.0), 1.0);
    s.q.motion_b = tact_motion_linear(3, 0, 1);
    assert_miss(strike(&s));
    s = set_stage(tact_box(2, 2, 2), 1.0);
    s.q.motion_b = tact_motion_linear(100, 0, 1);
    assert_miss(strike(&s));
    s = set_stage(tact_sphere(1.0), 1.0);
    s.q.motion_b = (tact_motion){.velocity = {3, 0, 0}, .acceleration = {0, 0.1, 0}, .spin = {0, 0, -3}};
    assert_miss(strike(&s));
    /* a wheel rolls */
    s = set_stage(tact_cylinder(1.0, 0.5), 1.0);
    s.q.transform_b = tact_transform_make(
        tact_vec(0, 1, 0), tact_quat_from_axis_angle(tact_vec(1, 0, 0), 1.5707963267948966), tact_vec(1, 1, 1));
    s.q.motion_b = (tact_motion){.velocity = {3, 0, 0}, .spin = {0, 0, -3}};
    assert_miss(strike(&s));
    /* a box turns about the upright, and about the level */
    s = set_stage(tact_box(2, 2, 2), 1.0);
    s.q.motion_b.spin = tact_vec(0, 3, 0);
    assert_miss(strike(&s));
    s = set_stage(tact_box(2, 2, 2), 1.0);
    s.q.motion_b.spin = tact_vec(0.01, 0, 0);
    assert_hit(strike(&s), 0.0, 0.0);
    /* thrown up, comes back */
    s = set_stage(tact_box(2, 2, 2), 1.0);
    s.q.motion_b = (tact_motion){.velocity = {0, 2, 0}, .acceleration = {0, -8, 0}};
    assert_hit(strike(&s), 0.5, 1e-8);
    /* thrown up lower than the tolerance: it comes down, and that is a hit */
    s = set_stage(tact_box(2, 2, 2), 1.0);
    s.q.motion_b = (tact_motion){.velocity = {0, 1e-6, 0}, .acceleration = {0, -1, 0}};
    assert_hit(strike(&s), 1e-3, 1e-3);
    /* deep in */
    s = set_stage(tact_sphere(1.0), 0.5);
    s.q.motion_b = tact_motion_linear(0, 1, 0);
    tact_toi hit = strike(&s);
    assert_hit(hit, 0.0, 0.0);
    assert_true(fabs(hit.normal.y - 1.0) < 1e-9 && fabs(hit.point.y + 0.25) < 1e-9);
    /* edge to edge, past each other: along one of the normals it closes, along another it parts */
    s = set_stage(tact_box(20, 2, 20), 1.0);
    s.q.transform_b = tact_at(20, 1, 0);
    s.q.motion_b = tact_motion_linear(1, -0.5, 0);
    assert_miss(strike(&s));
    s = set_stage(tact_box(20, 2, 20), 1.0);
    s.q.transform_b = tact_at(20, 1, 0);
    s.q.motion_b = tact_motion_linear(-1, -0.5, 0);
    assert_hit(strike(&s), 0.0, 0.0);
    /* no time at all: whether they close is a fact of the start all the same */
    s = set_stage(tact_sphere(1.0), 1.0);
    s.q.end = 0.0;
    s.q.motion_b = tact_motion_linear(0, -1, 0);
    assert_hit(strike(&s), 0.0, 0.0);
    s = set_stage(tact_sphere(1.0), 1.0);
    s.q.end = 0.0;
    s.q.motion_b = tact_motion_linear(0, 1, 0);
    assert_miss(strike(&s));
    s = set_stage(tact_sphere(1.0), 0.9);
    s.q.end = 0.0;
    assert_hit(strike(&s), 0.0, 0.0);
}

static void hovering_is_not_a_hit_and_ends(void **state)
{
    (void)state;
    const double gap = 2e-8; /* two tolerances of the floor */
    stage s = set_stage(tact_cylinder(1.0, 0.5), 1.0 + gap);
    s.q.transform_b = tact_transform_make(
        tact_vec(0, 1.0 + gap, 0), tact_quat_from_axis_angle(tact_vec(1, 0, 0), 1.5707963267948966), tact_vec(1, 1, 1));
    s.q.motion_b.spin = tact_vec(0, 0, 1000.0);
    assert_miss(strike(&s));
    s = set_stage(tact_ellipsoid(1.0, 1.0, 0.3), 1.0 + gap);
    s.q.motion_b = (tact_motion){.velocity = {0.3, 0, 0}, .spin = {0, 0, 1000.0}};
    assert_miss(strike(&s));
    s = set_stage(tact_box(2, 2, 2), 1.0 + gap);
    s.q.motion_b.spin = tact_vec(0, 1000.0, 0);
    assert_miss(strike(&s));
    s = set_stage(tact_box(2, 2, 2), 1.0 + gap);
    s.q.motion_b = tact_motion_linear(5, 0, 1);
    assert_miss(strike(&s));
    /* corners that come by, a hundred times */
    double corner = sqrt(2.0);
    s = set_stage(tact_box(2, 2, 2), corner + gap);
    s.q.motion_b.spin = tact_vec(0, 0, 157.0);
    assert_miss(strike(&s));
    s = set_stage(tact_box(2, 2, 2), corner - gap);
    s.q.motion_b.spin = tact_vec(0, 0, 157.0);
    assert_hit(strike(&s), 0.78539816339744828 / 157.0, 1e-5);
    /* more turns than we are ready to follow: said so, and not a miss */
    tact_shape *cog = tact_box(2, 2, 2); /* two that mesh like wheels: the corners of one pass the sides of the other */
    tact_motion turn = tact_motion_still(), back = tact_motion_still();
    turn.spin = tact_vec(0, 0, 1e6);
    back.spin = tact_vec(0, 0, -1e6);
    const tact_transform slanted = tact_transform_make(
        tact_vec(2.65, 0, 0), (tact_quat){0, 0, sin(0.125 * acos(-1.0)), cos(0.125 * acos(-1.0))}, tact_vec(1, 1, 1));
    tact_toi hit = tact_shapes_time_of_impact(cog, tact_identity(), turn, cog, slanted, back, 1.0);
    tact_shape_release(cog);
    assert_int_equal(hit.status, TACT_NOT_CONVERGED);
    assert_int_equal(hit.state, TACT_UNKNOWN);
    assert_true(hit.time > 0.0 && hit.time < 1.0);
    /* far away the same spin costs nothing */
    s = set_stage(tact_box(2, 2, 2), 50.0);
    s.q.motion_b.spin = tact_vec(0, 0, 1e6);
    assert_miss(strike(&s));
}

/* Flat on flat, one of them with a round rim, at gaps from nothing to a thousandth, within the tolerance and beyond
 * it. */
static void caps_slide_over_a_floor(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        double gap = i % 10 == 0 ? 0.0 : pow(10.0, -12 + i % 10);
        bool cone = i / 10 % 2 == 1, spinning = i / 20 == 1, tilted = i / 20 == 2;
        tact_shape *floor = tact_box(20.0, 2.0, 20.0), *thing = cone ? tact_cone(1.0, 2.0) : tact_cylinder(1.0, 2.0);
        tact_quat turn = tilted ? tact_quat_from_axis_angle(tact_vec(1, 0, 2), 0.7)
                                : tact_quat_from_axis_angle(tact_vec(0, 1, 0), 0.3);
        tact_transform ground = tact_transform_make(tact_vec(0, 0, 0), turn, tact_vec(1, 1, 1)), at = ground;
        at.origin = vec_scale(ground.y_axis, 2.0 + gap); /* half of the floor, half of the thing */
        tact_motion motion = tact_motion_still();
        motion.velocity = vec_add(vec_scale(ground.x_axis, 3.0), vec_scale(ground.z_axis, 1.0));
        if (spinning)
            motion.spin = vec_scale(ground.y_axis, 50.0);
        for (int k = 0; k < 2; k++) {
            tact_toi_def def = tact_toi_def_default();
            def.tolerance = (k == 0 ? 3.0 : 0.4) * fmax(gap, 1e-11);
            if (k == 1 && !(gap > 0.0))
                break;
            tact_toi hit = tact_shapes_time_of_impact_with(floor, ground, tact_motion_still(), thing, at, motion, &def);
            if (hit.status != TACT_OK || hit.state != TACT_MISS)
                fail_msg("sliding, case %d %d: gap %g tolerance %g: status %d state %d time %g", i, k, gap,
                         def.tolerance, (int)hit.status, (int)hit.state, hit.time);
            tact_motion down = motion;
            down.velocity = vec_mul_add(motion.velocity, -1e-3, ground.y_axis);
            hit = tact_shapes_time_of_impact_with(floor, ground, tact_motion_still(), thing, at, down, &def);
            double time = k == 0 ? 0.0 : gap / 1e-3;
            if (time > 0.99)
                continue;
            if (hit.status != TACT_OK || hit.state != TACT_HIT || hit.time > time * (1.0 + 1e-12) + 1e-11 ||
                vec_dot(hit.normal, ground.y_axis) < 1.0 - 1e-9)
                fail_msg("sinking, case %d %d: gap %g tolerance %g: status %d state %d time %g normal %g", i, k, gap,
                         def.tolerance, (int)hit.status, (int)hit.state, hit.time, vec_dot(hit.normal, ground.y_axis));
        }
        tact_shape_release(floor);
        tact_shape_release(thing);
    }
}

static tact_vec3 egg_support(void *context, tact_vec3 direction)
{
    (void)context;
    tact_vec3 unit = vec_normalize(tact_vec(direction.x, 0.6 * direction.y, 0.8 * direction.z));
    return tact_vec(unit.x, 0.6 * unit.y, 0.8 * unit.z);
}

enum { KINDS = 15 };

static tact_shape *make_shape(int kind)
{
    const tact_vec3 p[6] = {{1, 0, 0}, {-0.8, 0.1, 0.2}, {0, 1.2, 0}, {0.3, -0.9, 0.1}, {0, 0.2, 1}, {0.1, 0, -0.7}};
    const tact_vec3 square[4] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    tact_shape *one = NULL, *two = NULL, *whole = NULL;
    switch (kind) {
    case 0:
        return tact_sphere(0.8);
    case 1:
        return tact_box(1, 1.4, 0.6);
    case 2:
        return tact_capsule(0.4, 1.2);
    case 3:
        return tact_cylinder(0.7, 1.1);
    case 4:
        return tact_cone(0.8, 1.3);
    case 5:
        return tact_ellipsoid(1, 0.5, 0.3);
    case 6:
        return tact_tetrahedron(p[0], p[1], p[2], p[4]);
    case 7:
        return tact_hull(p, 6);
    case 8:
        return tact_triangle(p[0], p[1], p[2]);
    case 9:
        return tact_segment(p[0], p[4]);
    case 10:
        return tact_polygon(square, 4);
    case 11:
        return tact_custom(egg_support, NULL, 1.0);
    case 12:
        one = tact_cone(0.5, 1);
        two = tact_sphere(0.2);
        whole = tact_minkowski_sum(one, two);
        break;
    case 13:
        one = tact_sphere(0.3);
        two = tact_transformed(one, tact_at(1, 0, 0));
        whole = tact_convex_hull_of(one, two);
        break;
    default:
        one = tact_cylinder(0.4, 0.6);
        two = tact_transformed(one, tact_at(0.5, 0.3, -0.4));
        whole = tact_rounded(two, 0.1);
        break;
    }
    tact_shape_release(one);
    tact_shape_release(two);
    return whole;
}

static void every_pair_of_types_is_never_late(void **state)
{
    (void)state;
    tact_shape *shapes[KINDS];
    for (int i = 0; i < KINDS; i++)
        assert_non_null(shapes[i] = make_shape(i));
    int hits = 0, misses = 0, rounds = (int)random_case_count(3, 200);
    for (int i = 0; i < KINDS * KINDS * rounds; i++) {
        random_source source = random_seed((uint64_t)i), *r = &source;
        toi_case q = {shapes[i % KINDS],
                      shapes[i / KINDS % KINDS],
                      tact_identity(),
                      tact_identity(),
                      tact_motion_still(),
                      tact_motion_still(),
                      1.0};
        tact_vec3 scale = random_chance(r, 0.5) ? tact_vec(1, 1, 1) : tact_vec(0.5, -1.2, 0.8);
        tact_vec3 way = vec_scale(random_direction(r), random_range(r, 2.5, 6.0)),
                  aim = vec_scale(random_direction(r), random_range(r, 0.0, 2.0));
        q.transform_a = tact_transform_make(tact_vec(0, 0, 0), random_rotation(r), tact_vec(1, 1, 1));
        q.transform_b = tact_transform_make(way, random_rotation(r), scale);
        q.motion_b.velocity = vec_scale(vec_sub(aim, way), random_range(r, 1.0, 3.0));
        if (random_chance(r, 0.5))
            q.motion_a.acceleration = vec_scale(random_direction(r), 2.0);
        if (random_chance(r, 0.6))
            q.motion_a.spin = vec_scale(random_direction(r), random_range(r, 0.0, 8.0));
        if (random_chance(r, 0.6))
            q.motion_b.spin = vec_scale(random_direction(r), random_range(r, 0.0, 8.0));
        if (!(distance_at(&q, 0.0) > 1e-6))
            continue;
        tact_toi hit = run_case(&q);
        if (hit.status != TACT_OK)
            fail_msg("case %d (kinds %d and %d): status %d at %.17g", i, i % KINDS, i / KINDS % KINDS, (int)hit.status,
                     hit.time);
        double last = hit.state == TACT_HIT ? hit.time : 1.0;
        for (int k = 0; k < 60; k++) {
            double t = last * (1.0 - ldexp(random_unit(r), -random_between(r, 0, 20)));
            if (!(distance_at(&q, t) > 0.0))
                fail_msg("case %d (kinds %d and %d): in touch at %.17g, before %.17g", i, i % KINDS, i / KINDS % KINDS,
                         t, last);
        }
        if (hit.state == TACT_HIT) {
            if (!(distance_at(&q, hit.time) <= 1.3e-9 * 1.5))
                fail_msg("case %d (kinds %d and %d): %g apart", i, i % KINDS, i / KINDS % KINDS,
                         distance_at(&q, hit.time));
            tact_vec3 plane = hit.normal;
            /* the point is between the surfaces */
            tact_closest a = tact_shape_closest(q.a, tact_motion_at(q.motion_a, q.transform_a, hit.time), hit.point);
            tact_closest b = tact_shape_closest(q.b, tact_motion_at(q.motion_b, q.transform_b, hit.time), hit.point);
            if (!(fabs(a.distance) < 2e-8 && fabs(b.distance) < 2e-8) || !(fabs(vec_length(plane) - 1.0) < 1e-12))
                fail_msg("case %d (kinds %d and %d): point %g and %g off", i, i % KINDS, i / KINDS % KINDS, a.distance,
                         b.distance);
        }
        hits += hit.state == TACT_HIT;
        misses += hit.state == TACT_MISS;
    }
    for (int i = 0; i < KINDS; i++)
        tact_shape_release(shapes[i]);
    print_message("hits %d misses %d\n", hits, misses);
    assert_true(hits > 40 * rounds && misses > 40 * rounds);
}

/* A shape placed away from the origin it spins about is the same as one made there. */
static void transformed_shapes_spin_about_their_origin(void **state)
{
    (void)state;
    tact_vec3 near[8], away[8];
    for (int i = 0; i < 8; i++) {
        near[i] = tact_vec(i & 1 ? 0.5 : -0.5, i & 2 ? 0.4 : -0.4, i & 4 ? 0.3 : -0.3);
        away[i] = vec_add(near[i], tact_vec(2, 0, 0));
    }
    tact_shape *box = tact_hull(near, 8), *placed = tact_transformed(box, tact_at(2, 0, 0)), *made = tact_hull(away, 8),
               *ball = tact_sphere(0.5);
    for (int i = 0; i < 50; i++) {
        random_source source = random_seed((uint64_t)i), *r = &source;
        toi_case q = {ball,
                      placed,
                      tact_at(0, 0, 0),
                      tact_transform_make(random_direction(r), random_rotation(r), tact_vec(1, 1, 1)),
                      tact_motion_still(),
                      tact_motion_still(),
                      3.0};
        q.motion_b.spin = vec_scale(random_direction(r), 2.0);
        q.motion_a.velocity = vec_scale(random_direction(r), 0.7);
        if (!(distance_at(&q, 0.0) > 1e-3))
            continue;
        tact_toi one = run_case(&q);
        q.b = made;
        tact_toi two = run_case(&q);
        assert_int_equal(one.status, TACT_OK);
        assert_int_equal(one.state, two.state);
        assert_true(fabs(one.time - two.time) < 1e-6);
    }
    tact_shape_release(box);
    tact_shape_release(placed);
    tact_shape_release(made);
    tact_shape_release(ball);
}

static void tolerance_is_honoured(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    tact_toi_def def = tact_toi_def_default();
    assert_true(def.end == 1.0 && def.tolerance == 0.0);
    for (int i = 0; i < 12; i++) {
        def.tolerance = pow(10.0, -i);
        /* passes at a distance of twice the tolerance, then of a third of it */
        tact_toi hit =
            tact_shapes_time_of_impact_with(ball, tact_at(-5, 0, 0), tact_motion_linear(10, 0, 0), ball,
                                            tact_at(0, 2.0 + 2.0 * def.tolerance, 0), tact_motion_still(), &def);
        assert_miss(hit);
        hit = tact_shapes_time_of_impact_with(ball, tact_at(-5, 0, 0), tact_motion_linear(10, 0, 0), ball,
                                              tact_at(0, 2.0 + 0.3 * def.tolerance, 0), tact_motion_still(), &def);
        assert_hit(hit, 0.5, 0.5);
    }
    tact_toi hit = tact_shapes_time_of_impact_with(ball, tact_at(-5, 0, 0), tact_motion_linear(10, 0, 0), ball,
                                                   tact_at(0, 0, 0), tact_motion_still(), NULL);
    assert_hit(hit, 0.3, 1e-9);
    tact_shape_release(ball);
}

static void bad_input_is_rejected(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    tact_transform flat = tact_identity();
    flat.y_axis = tact_vec(0, 0, 0);
    toi_case good = {ball, ball, tact_at(-3, 0, 0), tact_at(3, 0, 0), tact_motion_linear(8, 0, 0), tact_motion_still(),
                     1.0};
    assert_int_equal(run_case(&good).state, TACT_HIT);
    for (int i = 0; i < 12; i++) {
        toi_case q = good;
        switch (i) {
        case 0:
            q.a = NULL;
            break;
        case 1:
            q.b = NULL;
            break;
        case 2:
            q.transform_a = flat;
            break;
        case 3:
            q.transform_b.origin.x = NAN;
            break;
        case 4:
            q.motion_a.velocity.y = INFINITY;
            break;
        case 5:
            q.motion_b.acceleration.z = NAN;
            break;
        case 6:
            q.motion_b.spin.x = -INFINITY;
            break;
        case 7:
            q.end = -1.0;
            break;
        case 8:
            q.end = NAN;
            break;
        case 9:
            q.end = INFINITY;
            break;
        case 10:
            q.motion_a.velocity.x = 1e200;
            break; /* leads out of the numbers */
        default:
            q.transform_a.origin.x = 1e300;
            break;
        }
        tact_toi hit = run_case(&q);
        assert_int_equal(hit.status, TACT_BAD_ARGUMENT);
        assert_int_equal(hit.state, TACT_UNKNOWN);
        assert_true(hit.time == 0.0 && vec_equal(hit.point, tact_vec(0, 0, 0)) &&
                    vec_equal(hit.normal, tact_vec(0, 0, 0)));
    }
    tact_toi_def def = {1.0, -1.0};
    assert_int_equal(tact_shapes_time_of_impact_with(ball, good.transform_a, good.motion_a, ball, good.transform_b,
                                                     good.motion_b, &def)
                         .status,
                     TACT_BAD_ARGUMENT);
    def.tolerance = NAN;
    assert_int_equal(tact_shapes_time_of_impact_with(ball, good.transform_a, good.motion_a, ball, good.transform_b,
                                                     good.motion_b, &def)
                         .status,
                     TACT_BAD_ARGUMENT);
    tact_shape_release(ball);
}

static bool all_finite(const tact_toi *hit)
{
    return vec_finite(hit->point) && vec_finite(hit->normal) && hit->time - hit->time == 0.0;
}

static tact_vec3 wild_vec(random_source *r, int most)
{
    int middle = random_between(r, -most, most);
    return tact_vec(random_size(r, middle - 3, middle + 3), random_size(r, middle - 3, middle + 3),
                    random_chance(r, 0.2) ? 0.0 : random_size(r, middle - 3, middle + 3));
}

/* Sizes, places and motions of any magnitude: an answer without NaN, whatever it is, and in time. */
static void extreme_numbers_give_a_valid_result(void **state)
{
    (void)state;
    const int count = (int)random_case_count(1000, 1000);
    int ok = 0, refused = 0;
    for (int i = 0; i < count; i++) {
        random_source source = random_seed((uint64_t)i), *r = &source;
        int most = i % 3 == 0 ? 20 : i % 3 == 1 ? 150 : 1000;
        double x = fabs(random_size(r, -most, most)), y = fabs(random_size(r, -most, most)),
               z = fabs(random_size(r, -most, most));
        tact_shape *a = i % 2 ? tact_box(x, y, z) : tact_cylinder(x, y),
                   *b = i % 5 ? tact_sphere(z) : tact_ellipsoid(y, z, x);
        toi_case q = {a,
                      b,
                      tact_identity(),
                      tact_identity(),
                      tact_motion_still(),
                      tact_motion_still(),
                      fabs(random_size(r, -most / 4, 4))};
        q.transform_a = tact_transform_make(wild_vec(r, most), random_rotation(r), tact_vec(1, 1, 1));
        q.transform_b =
            tact_transform_make(wild_vec(r, most), random_rotation(r), tact_vec(random_size(r, -5, 5), 1, 1));
        q.motion_a =
            (tact_motion){.velocity = wild_vec(r, most), .acceleration = wild_vec(r, most), .spin = wild_vec(r, 4)};
        q.motion_b.velocity = wild_vec(r, most);
        tact_toi hit = run_case(&q);
        if (!all_finite(&hit) || (hit.state != TACT_UNKNOWN) != (hit.status == TACT_OK))
            fail_msg("case %d: status %d state %d", i, (int)hit.status, (int)hit.state);
        ok += hit.status == TACT_OK;
        refused += hit.status == TACT_BAD_ARGUMENT;
        tact_shape_release(a);
        tact_shape_release(b);
    }
    print_message("answered %d, refused %d\n", ok, refused);
    assert_true(ok > count / 2);
}

static void tact_motion_at_matches_the_closed_form(void **state)
{
    (void)state;
    tact_motion m = {.velocity = {1, 2, 3}, .acceleration = {0, -2, 0}, .spin = {0, 0, 3.1415926535897931}};
    tact_transform p = tact_motion_at(
        m,
        tact_transform_make(tact_vec(1, 1, 1), tact_quat_from_axis_angle(tact_vec(0, 0, 1), 0.0), tact_vec(2, 3, -1)),
        0.5);
    assert_true(vec_length(vec_sub(p.origin, tact_vec(1.5, 1.75, 2.5))) < 1e-15);
    assert_true(vec_length(vec_sub(p.x_axis, tact_vec(0, 2, 0))) < 1e-15);
    assert_true(vec_length(vec_sub(p.y_axis, tact_vec(-3, 0, 0))) < 1e-15);
    assert_true(vec_equal(p.z_axis, tact_vec(0, 0, -1)));
    tact_transform still = tact_motion_at(tact_motion_still(), p, 7.0),
                   drifted = tact_motion_at(tact_motion_linear(1, 0, 0), p, 2.0);
    assert_true(vec_equal(still.origin, p.origin) && vec_equal(still.x_axis, p.x_axis) &&
                vec_equal(still.y_axis, p.y_axis));
    assert_true(vec_equal(drifted.origin, vec_add(p.origin, tact_vec(2, 0, 0))));
}

/* Lengths may be up to 1e150: shapes whose extents and path stay below it are queried, also if their radii add up to
 * more. */
static void lengths_up_to_the_limit_are_accepted(void **state)
{
    (void)state;
    tact_shape *larger = tact_sphere(6e149), *smaller = tact_sphere(5e149);
    const tact_motion motion = tact_motion_linear(1.0, 0.0, 0.0);
    const tact_toi hit =
        tact_shapes_time_of_impact(larger, tact_identity(), motion, smaller, tact_identity(), tact_motion_still(), 1.0);
    assert_int_equal(hit.status, TACT_OK);
    assert_int_equal(hit.state, TACT_HIT);
    assert_true(hit.time == 0.0);
    tact_shape_release(larger);
    tact_shape_release(smaller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_times_are_met),
        cmocka_unit_test(starts_in_contact_follow_the_rule),
        cmocka_unit_test(hovering_is_not_a_hit_and_ends),
        cmocka_unit_test(caps_slide_over_a_floor),
        cmocka_unit_test(every_pair_of_types_is_never_late),
        cmocka_unit_test(transformed_shapes_spin_about_their_origin),
        cmocka_unit_test(tolerance_is_honoured),
        cmocka_unit_test(bad_input_is_rejected),
        cmocka_unit_test(extreme_numbers_give_a_valid_result),
        cmocka_unit_test(lengths_up_to_the_limit_are_accepted),
        cmocka_unit_test(tact_motion_at_matches_the_closed_form),
    };
    return cmocka_run_group_tests_name("impact_cases", tests, NULL, NULL);
}
