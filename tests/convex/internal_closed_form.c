/*
 * The special distance queries of boxes, spheres and capsules (convex/box_box.h, convex/sphere_swept.h). Every answer
 * is checked as a certificate, in long double: the points are in the shapes and at the stated distance, and the normal
 * separates the shapes by as much; or there is one common point. Swapping A and B must mirror every bit. The cases are
 * those that closed forms get wrong: flat, needles, plates, very different sizes, parallel, concentric, skewed, and
 * within rounding of touching.
 *
 * A failure prints its seed; TACT_TEST_SEED=n runs that case alone, TACT_TEST_LONG=1 thirty times as many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "convex/box_box.h"
#include "convex/sphere_swept.h"
#include "math/vec.h"
#include "oracle/dice.h"

#define CASES 20000

/* Allowed rounding error, in units of 2^-53 of the size: 32 for the distance, the rest for points in world
 * coordinates. */
#define ROUNDINGS 64.0L

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("TACT_TEST_SEED=%llu: %s: ", (unsigned long long)s->seed, #condition);                         \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

typedef long double real;

typedef enum form { ORDINARY, FLAT, NEEDLE, PLATES, HUGE_RATIO, SKEWED, LEANING, MIRRORED, FORMS } form;
typedef enum position { FREE, TOUCHING, ALMOST, SHALLOW, DEEP, CENTRED, POSITIONS } position;

typedef struct instance {
    tact_shape *shape;
    tact_transform at;
} instance;

typedef struct scene {
    uint64_t seed;
    instance a, b;
    form form;
    position position;
    real size; /* of both shapes, and their distance from the origin */
} scene;

static uint64_t first_seed(void)
{
    const char *given = getenv("TACT_TEST_SEED");
    return given != NULL ? strtoull(given, NULL, 10) : 1;
}

static uint64_t last_seed(void)
{
    if (getenv("TACT_TEST_SEED") != NULL)
        return first_seed();
    return getenv("TACT_TEST_LONG") != NULL ? 30 * CASES : CASES;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static tact_vec3 roll_vec(dice *d)
{
    double x = dice_normal(d), y = dice_normal(d), z = dice_normal(d);
    return vec_make(x, y, z);
}

static tact_quat roll_turn(dice *d)
{
    tact_vec3 axis = roll_vec(d);
    return tact_quat_from_axis_angle(axis, dice_between(d, 0.0, 6.28));
}

static double extent_of(const instance *p)
{
    const tact_shape *shape = p->shape;
    tact_vec3 half = shape->type == TACT_BOX
                         ? shape->half_extents
                         : vec_make(shape->radius, shape->radius + shape->half_height, shape->radius);
    return half.x * vec_length(p->at.x_axis) + half.y * vec_length(p->at.y_axis) + half.z * vec_length(p->at.z_axis) +
           shape->margin;
}

/* Replaces a shape by one with a margin. */
static void add_margin(instance *p, double margin)
{
    tact_shape *rounded = tact_rounded(p->shape, margin);
    assert_non_null(rounded);
    tact_shape_release(p->shape);
    p->shape = rounded;
}

static tact_shape *roll_box(dice *d, form f)
{
    double x = dice_between(d, 0.2, 2.0), y = dice_between(d, 0.2, 2.0), z = dice_between(d, 0.2, 2.0);
    double thin = dice_power(d, -7.0, -1.0);
    x *= f == FLAT || f == NEEDLE || f == PLATES ? thin : 1.0;
    y *= f == NEEDLE ? thin : 1.0;
    return tact_box(x, y, z);
}

static tact_shape *roll_round(dice *d)
{
    double radius = dice_between(d, 0.05, 1.0), height = dice_between(d, 0.05, 3.0);
    return dice_pick(d, 2) == 0 ? tact_sphere(radius) : tact_capsule(radius, height);
}

static void roll_scene(scene *s, uint64_t seed, bool boxes)
{
    dice d = dice_for(seed, boxes ? 1 : 2, 7);
    s->seed = seed;
    s->form = (form)dice_pick(&d, FORMS);
    s->position = (position)dice_pick(&d, POSITIONS);
    s->a.shape = boxes ? roll_box(&d, s->form) : roll_round(&d);
    s->b.shape = boxes ? roll_box(&d, s->form == PLATES ? PLATES : ORDINARY) : roll_round(&d);
    assert_non_null(s->a.shape);
    assert_non_null(s->b.shape);
    double most = dice_pick(&d, 8) == 0 ? 40.0 : 3.0; /* also beyond the limits of the closed forms */
    double all = dice_power(&d, -most, most), ratio = s->form == HUGE_RATIO ? dice_power(&d, -6.0, 6.0) : 1.0;
    tact_quat turn_a = roll_turn(&d), turn_b = roll_turn(&d);
    int sort = dice_pick(&d, 6);
    if (sort == 0) /* parallel */
        turn_b = turn_a;
    else if (sort == 1) /* along the axes of the world */
        turn_a = turn_b = (tact_quat){0.0, 0.0, 0.0, 1.0};
    tact_vec3 scale_a = {all, all, all}, scale_b = {all * ratio, all * ratio, all * ratio};
    if (s->form == MIRRORED)
        scale_b.x = -scale_b.x;
    tact_vec3 here = vec_scale(roll_vec(&d), all);
    s->a.at = tact_transform_make(here, turn_a, scale_a);
    s->b.at = tact_transform_make(here, turn_b, scale_b);
    if (s->form == SKEWED || s->form == LEANING) {
        double lean = s->form == SKEWED ? dice_between(&d, -1.5, 1.5) : dice_between(&d, -0.05, 0.05);
        s->a.at.z_axis = vec_mul_add(s->a.at.z_axis, lean, s->a.at.x_axis);
    }
    if (dice_pick(&d, 4) == 0)
        add_margin(&s->a, all * dice_between(&d, 0.0, 0.5));
    if (dice_pick(&d, 4) == 0)
        add_margin(&s->b, all * dice_between(&d, 0.0, 0.5));
    double size_sum = extent_of(&s->a) + extent_of(&s->b);
    tact_vec3 direction = vec_normalize(roll_vec(&d));
    if (dice_pick(&d, 4) == 0) /* face to face */
        direction = vec_normalize(s->a.at.x_axis);
    if (s->position == FREE)
        s->b.at.origin = vec_mul_add(here, size_sum * dice_power(&d, -2.0, 1.0), direction);
    else if (s->position == DEEP)
        s->b.at.origin = vec_mul_add(here, size_sum * dice_power(&d, -6.0, -0.5), direction);
    else if (s->position != CENTRED) {
        s->b.at.origin = vec_mul_add(here, 1.1 * size_sum, direction);
        double step = size_sum * dice_power(&d, -16.0, -2.0), gap = s->position == TOUCHING ? 0.0
                                                                    : s->position == ALMOST ? step
                                                                                            : -step;
        for (int i = 0; i < 2; i++) {
            tact_distance far = tact_shapes_distance(s->a.shape, s->a.at, s->b.shape, s->b.at);
            if (far.distance > 0.0)
                s->b.at.origin =
                    vec_mul_add(s->b.at.origin, (i == 0 ? 0.1 * size_sum : gap) - far.distance, far.normal);
        }
    }
    s->size = (real)size_sum + (real)vec_max_abs(s->a.at.origin) + (real)vec_max_abs(s->b.at.origin);
}

static void end_scene(scene *s)
{
    tact_shape_release(s->a.shape);
    tact_shape_release(s->b.shape);
}

/* ---- certificates ------------------------------------------------------------------------------------------------ */

typedef struct real3 {
    real x, y, z;
} real3;

static real3 real3_of(tact_vec3 a) { return (real3){a.x, a.y, a.z}; }
static real3 minus(real3 a, real3 b) { return (real3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static real3 times(real3 a, real s) { return (real3){a.x * s, a.y * s, a.z * s}; }
static real dot(real3 a, real3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static real length(real3 a) { return sqrtl(dot(a, a)); }
static real3 across(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* A sphere or capsule has a radius only under similarities; the tests with other transforms only check points. */
static real radius_of(const instance *p)
{
    return p->shape->type == TACT_BOX ? 0 : p->shape->radius * length(real3_of(p->at.y_axis));
}

/* The extent of the shape along the unit vector n from its centre, margin included. */
static real extent(const instance *p, real3 n)
{
    const tact_vec3 half = p->shape->half_extents;
    real margin = p->shape->margin;
    if (p->shape->type == TACT_BOX)
        return fabsl(dot(real3_of(p->at.x_axis), n)) * half.x + fabsl(dot(real3_of(p->at.y_axis), n)) * half.y +
               fabsl(dot(real3_of(p->at.z_axis), n)) * half.z + margin;
    return fabsl(dot(real3_of(p->at.y_axis), n)) * p->shape->half_height + radius_of(p) + margin;
}

/* An upper bound of the distance of a point from the shape; a box is a parallelepiped here. */
static real outside(const instance *p, tact_vec3 point)
{
    real3 q = minus(real3_of(point), real3_of(p->at.origin)), x = real3_of(p->at.x_axis), y = real3_of(p->at.y_axis),
          z = real3_of(p->at.z_axis), nearest;
    if (p->shape->type == TACT_BOX) {
        real volume = dot(x, across(y, z)),
             t[3] = {dot(q, across(y, z)) / volume, dot(q, across(z, x)) / volume, dot(q, across(x, y)) / volume};
        real half[3] = {p->shape->half_extents.x, p->shape->half_extents.y, p->shape->half_extents.z};
        real3 axis[3] = {x, y, z};
        nearest = (real3){0, 0, 0};
        for (int i = 0; i < 3; i++) {
            real u = t[i] > half[i] ? half[i] : t[i] < -half[i] ? -half[i] : t[i];
            nearest = minus(nearest, times(axis[i], -u));
        }
    } else {
        real h = p->shape->half_height, t = dot(q, y) / dot(y, y);
        nearest = times(y, t > h ? h : t < -h ? -h : t);
    }
    return length(minus(q, nearest)) - radius_of(p) - p->shape->margin;
}

/* For skewed boxes with a margin, clamping the coordinates does not give the closest point. */
static bool can_look_inside(const scene *s)
{
    return (s->form != SKEWED && s->form != LEANING) || (s->a.shape->margin == 0.0 && s->a.shape->type == TACT_BOX);
}

static void check_certificate(const scene *s, const tact_distance *d)
{
    real slack = ROUNDINGS * 0x1p-53L * s->size;
    CHECK(d->status == TACT_OK, "status %d", (int)d->status);
    CHECK(d->distance >= 0.0, "%.17g", d->distance);
    if (can_look_inside(s)) {
        real out_a = outside(&s->a, d->on_a), out_b = outside(&s->b, d->on_b);
        CHECK(out_a <= slack, "%Lg outside A, slack %Lg", out_a, slack);
        CHECK(out_b <= slack, "%Lg outside B, slack %Lg", out_b, slack);
    }
    if (d->distance == 0.0) {
        CHECK(vec_equal(d->on_a, d->on_b), "two points");
        return;
    }
    real3 n = real3_of(d->normal), between = minus(real3_of(d->on_b), real3_of(d->on_a));
    real error = 1e-10L * d->distance + slack;
    CHECK(fabsl(length(n) - 1) < 1e-15L, "|normal| is %.20Lg", length(n));
    CHECK(fabsl(length(between) - d->distance) <= slack, "the points are %.20Lg apart, not %.17g", length(between),
          d->distance);
    if (s->a.shape->type == TACT_BOX || can_look_inside(s)) {
        real apart =
            dot(n, minus(real3_of(s->b.at.origin), real3_of(s->a.at.origin))) - extent(&s->a, n) - extent(&s->b, n);
        CHECK(apart >= d->distance - error, "separated by %.20Lg, not %.17g; slack %Lg", apart, d->distance, slack);
    }
}

static bool same(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* + 0.0: of two zeros the sign may differ. */
static tact_vec3 plus_zero(tact_vec3 a) { return vec_make(a.x + 0.0, a.y + 0.0, a.z + 0.0); }

static void check_mirrored(const scene *s, const tact_distance *d)
{
    tact_distance m = tact_shapes_distance(s->b.shape, s->b.at, s->a.shape, s->a.at);
    tact_vec3 normal = plus_zero(d->normal), reversed = plus_zero(vec_negate(m.normal));
    CHECK(m.status == d->status && m.distance == d->distance, "%.17g mirrored %.17g", d->distance, m.distance);
    CHECK(vec_equal(d->on_a, m.on_b) && vec_equal(d->on_b, m.on_a), "the points differ");
    CHECK(same(&normal, &reversed, sizeof normal), "the normals differ");
}

/* The overlap test agrees in both orders, with and without a cached axis, and tells half from twice the distance. */
static void check_verdicts(const scene *s, const tact_distance *d)
{
    real slack = ROUNDINGS * 0x1p-53L * s->size;
    const double limits[3] = {0.0, 0.5 * d->distance, 2.0 * d->distance};
    for (int i = 0; i < 3; i++) {
        tact_overlap one = tact_shapes_within(s->a.shape, s->a.at, s->b.shape, s->b.at, limits[i], NULL);
        tact_overlap other = tact_shapes_within(s->b.shape, s->b.at, s->a.shape, s->a.at, limits[i], NULL);
        CHECK(one.status == TACT_OK && one.state == other.state, "verdicts %d and %d", one.state, other.state);
        if (fabsl((real)d->distance - limits[i]) > slack)
            CHECK(one.state == (d->distance > limits[i] ? TACT_MISS : TACT_HIT), "%.17g within %.17g: %d", d->distance,
                  limits[i], one.state);
    }
    tact_cache cache = {{0.0, 0.0, 0.0}};
    tact_overlap first = tact_shapes_overlap(s->a.shape, s->a.at, s->b.shape, s->b.at, &cache);
    if (first.state == TACT_MISS)
        CHECK(vec_max_abs(cache.axis) > 0.0, "no axis");
    tact_overlap again = tact_shapes_overlap(s->a.shape, s->a.at, s->b.shape, s->b.at, &cache);
    if ((real)d->distance > slack || d->distance == 0.0)
        CHECK(again.state == first.state || (real)d->distance <= slack, "%d, then %d", first.state, again.state);
}

static void run_scenes(bool boxes)
{
    long apart = 0, touching = 0, known = 0, forms[FORMS] = {0}, positions[POSITIONS] = {0}, count = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(); seed++) {
        scene made, *s = &made;
        roll_scene(s, seed, boxes);
        tact_distance d = tact_shapes_distance(s->a.shape, s->a.at, s->b.shape, s->b.at);
        check_certificate(s, &d);
        check_mirrored(s, &d);
        check_verdicts(s, &d);
        if (boxes)
            known += tact_box_box_within(s->a.shape, &s->a.at, s->b.shape, &s->b.at, 0.0, NULL) != TACT_UNKNOWN;
        else
            known += tact_sphere_swept_within(s->a.shape, &s->a.at, s->b.shape, &s->b.at, 0.0, NULL) != TACT_UNKNOWN;
        apart += d.distance > 0.0;
        touching += d.distance == 0.0;
        forms[s->form]++;
        positions[s->position]++;
        count++;
        end_scene(s);
    }
    print_message("apart %ld, touching %ld; answered without a search %ld\n", apart, touching, known);
    if (count < CASES)
        return;
    assert_true(apart > count / 4 && touching > count / 4);
    /* All but skewed boxes and a few within rounding of touching: */
    assert_true(known > count * 7 / 10 && known < count);
    for (int i = 0; i < FORMS; i++)
        assert_true(forms[i] > count / (2 * FORMS));
    for (int i = 0; i < POSITIONS; i++)
        assert_true(positions[i] > count / (2 * POSITIONS));
}

static void boxes_have_certificates(void **state)
{
    (void)state;
    run_scenes(true);
}

static void spheres_and_capsules_have_certificates(void **state)
{
    (void)state;
    run_scenes(false);
}

/* Transforms of a box that are not usable, or barely: the closed form leaves them to the general path. */
static void unusual_transforms_fall_back(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 2.0, 3.0), *ball = tact_sphere(1.0);
    tact_transform good = tact_identity();
    const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, 1e200, 1e-200, 1e-320};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        for (int k = 0; k < 12; k++) {
            double numbers[12];
            tact_transform bad;
            memcpy(numbers, &good, sizeof numbers);
            numbers[k] = odd[i];
            memcpy(&bad, numbers, sizeof bad);
            bool usable = tact_transform_check(&bad, NULL) == TACT_OK && fabs(odd[i]) <= 1e100;
            for (int swap = 0; swap < 2; swap++) {
                const tact_transform *p = swap ? &good : &bad, *q = swap ? &bad : &good;
                tact_distance d = tact_shapes_distance(box, *p, box, *q), e = tact_shapes_distance(ball, *p, ball, *q);
                tact_overlap v = tact_shapes_overlap(box, *p, box, *q, NULL),
                             w = tact_shapes_overlap(ball, *p, ball, *q, NULL);
                assert_int_equal(d.status, usable ? TACT_OK : TACT_BAD_ARGUMENT);
                assert_int_equal(v.status, usable ? TACT_OK : TACT_BAD_ARGUMENT);
                assert_int_equal(e.status, usable ? TACT_OK : TACT_BAD_ARGUMENT);
                assert_int_equal(w.status, usable ? TACT_OK : TACT_BAD_ARGUMENT);
            }
        }
    }
    tact_shape_release(box);
    tact_shape_release(ball);
}

/* Two axes along one line flatten space exactly, though the determinant as computed is seldom zero. */
static void singular_transforms_are_refused(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 2.0, 3.0), *ball = tact_sphere(1.0);
    dice d = dice_for(1, 3, 7);
    for (int i = 0; i < 1000; i++) {
        tact_transform flat = tact_identity(), good = tact_at(0.1, 0.2, 0.3);
        flat.x_axis = roll_vec(&d);
        flat.y_axis = roll_vec(&d);
        flat.z_axis = vec_scale(flat.x_axis, 2.0);
        assert_int_equal(tact_shapes_distance(box, flat, box, good).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_distance(ball, good, ball, flat).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_overlap(box, good, box, flat, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_overlap(ball, flat, ball, good, NULL).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_common_point(box, flat, box, good, NULL).status, TACT_BAD_ARGUMENT);
    }
    tact_shape_release(box);
    tact_shape_release(ball);
}

/* Margins far larger than the distance: a search that ends at the first separating axis must still report a positive
 * distance after the margins are subtracted. */
static void thick_margins_hide_no_gap(void **state)
{
    (void)state;
    int gaps = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(); seed += 10) {
        dice d = dice_for(seed, 3, 0);
        const struct {
            uint64_t seed;
        } scene_of = {seed}, *s = &scene_of;
        const tact_shape_type types[4] = {TACT_BOX, TACT_TETRAHEDRON, TACT_CYLINDER, TACT_HULL};
        tact_shape *shape[2];
        for (int k = 0; k < 2; k++) {
            const tact_vec3 corners[6] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},
                                          {0.0, 0.0, 1.0}, {1.0, 1.0, 1.5}, {2.0, 0.5, 0.5}};
            tact_shape_def def = tact_shape_def_default();
            def.type = types[dice_pick(&d, 4)];
            def.size = vec_make(1.0, 2.0, 3.0);
            def.radius = def.height = 1.0;
            def.points = corners;
            def.point_count = def.type == TACT_HULL ? 6 : 4;
            def.margin = ldexp(1.0, dice_pick(&d, 20));
            shape[k] = tact_shape_create(&def, NULL);
            assert_non_null(shape[k]);
        }
        double margins = tact_shape_get_margin(shape[0]) + tact_shape_get_margin(shape[1]);
        tact_transform at = tact_identity(),
                       there = tact_transform_make(vec_scale(vec_normalize(roll_vec(&d)), 2.0 * margins + 8.0),
                                                   roll_turn(&d), vec_make(1.0, 1.0, 1.0));
        tact_distance far = tact_shapes_distance(shape[0], at, shape[1], there);
        double gap = margins * ldexp(1.0, -40 - dice_pick(&d, 8));
        there.origin = vec_mul_add(there.origin, gap - far.distance, far.normal);
        tact_distance near = tact_shapes_distance(shape[0], at, shape[1], there);
        for (int part = 0; part < 6 && near.distance > 0.0; part++) {
            tact_distance_def def = tact_distance_def_default();
            /* none, a part, or all of the margins but for a few ulps */
            def.upper_bound =
                part < 2 ? 0.25 * part * near.distance : near.distance - 0.3 * (part - 1) * DBL_EPSILON * margins;
            if (!(def.upper_bound >= 0.0))
                continue;
            tact_distance early = tact_shapes_distance_with(shape[0], at, shape[1], there, &def);
            CHECK(early.status == TACT_OK && early.distance > def.upper_bound, "%g, enough %g, in full %g",
                  early.distance, def.upper_bound, near.distance);
            gaps++;
        }
        if (near.distance > 0x1p-45 * margins)
            CHECK(tact_shapes_common_point(shape[0], at, shape[1], there, NULL).state == TACT_MISS, "gap %g of %g",
                  near.distance, margins);
        tact_shape_release(shape[0]);
        tact_shape_release(shape[1]);
    }
    assert_true(gaps > 3000 || first_seed() == last_seed());
}

/* A shape and a far smaller one, both tiny: products of their lengths must not underflow. The reference is the same
 * pair with all lengths times 2^110, which is exact. */
static void tiny_pairs_match_scaled_ones(void **state)
{
    (void)state;
    const double up = 0x1p110;
    int apart = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(); seed += 20) {
        dice d = dice_for(seed, 4, 0);
        const struct {
            uint64_t seed;
        } scene_of = {seed}, *s = &scene_of;
        const tact_shape_type types[3] = {TACT_BOX, TACT_TETRAHEDRON, TACT_HULL};
        const double large = 1e-36 * dice_power(&d, 0.0, 12.0), small = large * dice_power(&d, -11.0, -1.0);
        const double sizes[2] = {large, small};
        tact_shape *shape[2][2];
        for (int k = 0; k < 2; k++) {
            tact_vec3 points[12];
            for (int i = 0; i < 12; i++)
                points[i] = vec_scale(vec_normalize(roll_vec(&d)), sizes[k]);
            tact_shape_def def = tact_shape_def_default();
            def.type = types[dice_pick(&d, 3)];
            def.point_count = def.type == TACT_HULL ? 12 : 4;
            def.points = points;
            def.size = vec_scale(vec_make(1.0, 1.5, 0.7), sizes[k]);
            for (int scaled = 0; scaled < 2; scaled++) {
                shape[k][scaled] = tact_shape_create(&def, NULL);
                assert_non_null(shape[k][scaled]);
                def.size = vec_scale(def.size, up);
                for (int i = 0; i < 12; i++)
                    points[i] = vec_scale(points[i], up);
            }
        }
        tact_vec3 direction = vec_normalize(roll_vec(&d)), start = vec_scale(direction, 4.0 * large);
        const tact_quat turn = roll_turn(&d);
        const tact_vec3 one = {1.0, 1.0, 1.0};
        tact_transform at = tact_identity(), there = tact_transform_make(start, turn, one);
        tact_distance far =
            tact_shapes_distance(shape[0][1], at, shape[1][1], tact_transform_make(vec_scale(start, up), turn, one));
        there.origin = vec_mul_add(there.origin, 0.5 * small - far.distance / up, far.normal);
        tact_transform there_up = there;
        there_up.origin = vec_scale(there.origin, up);
        tact_distance tiny = tact_shapes_distance(shape[0][0], at, shape[1][0], there);
        tact_distance right = tact_shapes_distance(shape[0][1], at, shape[1][1], there_up);
        double allowed = 1e-10 * right.distance + 32.0 * 0x1p-53 * 8.0 * large * up;
        CHECK(tiny.status == TACT_OK && fabs(tiny.distance * up - right.distance) <= allowed, "%g, is %g, size %g",
              tiny.distance, right.distance / up, large);
        apart += right.distance > 0.0;
        for (int k = 0; k < 4; k++)
            tact_shape_release(shape[k / 2][k % 2]);
    }
    assert_true(apart > 500 || first_seed() == last_seed());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_have_certificates),      cmocka_unit_test(spheres_and_capsules_have_certificates),
        cmocka_unit_test(unusual_transforms_fall_back), cmocka_unit_test(singular_transforms_are_refused),
        cmocka_unit_test(thick_margins_hide_no_gap),    cmocka_unit_test(tiny_pairs_match_scaled_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
