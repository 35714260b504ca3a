/*
 * Motions with a pivot, and screw motions between two poses: the transforms against the defining property of a screw,
 * times of impact against marching with the exact speed bound, and worlds against both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static const tact_vec3 one = {1.0, 1.0, 1.0};

static tact_vec3 random_point(random_source *random, double size)
{
    return tact_vec(random_range(random, -size, size), random_range(random, -size, size),
                    random_range(random, -size, size));
}

/* Two poses of one body: turned by `angle`, and the second one somewhere else. */
static void random_poses(random_source *random, double angle, double size, tact_transform *from, tact_transform *to)
{
    const tact_vec3 scale = random_chance(random, 0.5) ? one
                                                       : tact_vec(random_range(random, 0.5, 2.0),
                                                                  random_chance(random, 0.5) ? -1.0 : 1.5, 0.7);
    *from = tact_transform_make(random_point(random, size), random_rotation(random), scale);
    tact_transform turn =
        tact_transform_make(tact_vec(0, 0, 0), tact_quat_from_axis_angle(random_direction(random), angle), one);
    *to = tact_transform_compose(turn, *from);
    to->origin = random_point(random, size);
}

static double transform_difference(tact_transform a, tact_transform b, double size)
{
    const double axes = fmax(vec_length(vec_sub(a.x_axis, b.x_axis)),
                             fmax(vec_length(vec_sub(a.y_axis, b.y_axis)), vec_length(vec_sub(a.z_axis, b.z_axis))));
    return fmax(size * axes, vec_length(vec_sub(a.origin, b.origin)));
}

/* The displacement of the world from time 0 to `time`. */
static tact_transform displacement(tact_motion m, tact_transform from, double time)
{
    tact_transform back;
    assert_int_equal(tact_transform_invert(from, &back), TACT_OK);
    return tact_transform_compose(tact_motion_at(m, from, time), back);
}

/* A screw is the one motion that arrives, the shorter way, and whose displacements form a group: D(s + t) = D(s) D(t).
 */
static void screws_are_accurate_at_every_angle(void **state)
{
    (void)state;
    long parabolas = 0, pivots = 0;
    double worst = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); ++seed) {
        random_source random = random_seed(seed);
        const double size = 3.0, duration = random_range(&random, 0.25, 4.0);
        const double angle =
            random_chance(&random, 0.5) ? random_range(&random, 0.0, 3.1415) : fabs(random_size(&random, -40, 0));
        tact_transform from, to;
        tact_motion m;
        random_poses(&random, angle, size, &from, &to);
        assert_int_equal(tact_motion_screw_between(from, to, duration, &m), TACT_OK);
        const tact_vec3 whole = vec_sub(to.origin, from.origin);
        const double turn = vec_length(m.spin),
                     way = turn > 0.0 ? vec_length(vec_cross(m.spin, whole)) / turn : vec_length(whole);
        const double allowed = 2e-11 * way + 1e-13 * size; /* as tact/motion.h says */
        parabolas += vec_length(m.pivot) == 0.0;
        pivots += vec_length(m.pivot) > 0.0;
        double off = transform_difference(tact_motion_at(m, from, duration), to, size);
        CHECK(off <= allowed, "angle %g: arrives %g beside", angle, off);
        const double s = random_range(&random, 0.0, 0.5 * duration), t = random_range(&random, 0.0, 0.5 * duration);
        const tact_transform first = displacement(m, from, s), second = displacement(m, from, t);
        off = transform_difference(tact_transform_compose(first, second), displacement(m, from, s + t), size);
        CHECK(off <= 3.0 * allowed, "angle %g: no group, by %g", angle, off);
        worst = fmax(worst, off / (way + size));
        CHECK(fabs(vec_length(m.spin) * duration - angle) <= 1e-9, "angle %g, spin %g", angle, vec_length(m.spin));
        /* the constant speed of a point: sqrt(h^2 + (w r)^2) */
        if (angle < 1e-3)
            continue;
        const tact_vec3 x = random_point(&random, 1.0), axis = vec_scale(m.spin, 1.0 / vec_length(m.spin));
        const tact_vec3 on_axis = tact_transform_point(from, m.pivot), p = tact_transform_point(from, x);
        const double h = vec_dot(axis, vec_sub(to.origin, from.origin)) / duration;
        const double r = vec_length(vec_cross(axis, vec_sub(p, on_axis)));
        const double speed = sqrt(h * h + vec_length_squared(m.spin) * r * r), dt = 1e-4 * duration;
        for (int i = 0; i < 5; ++i) {
            const double at = i * 0.2 * duration;
            const tact_vec3 a = tact_transform_point(tact_motion_at(m, from, at), x),
                            b = tact_transform_point(tact_motion_at(m, from, at + dt), x);
            const double measured = vec_length(vec_sub(b, a)) / dt;
            CHECK(fabs(measured - speed) <= 1e-7 * speed + 1e-9, "speed %.12g instead of %.12g", measured, speed);
        }
    }
    print_message("%ld parabolas, %ld pivots, off by %g at most\n", parabolas, pivots, worst);
    if (!few_cases())
        assert_true(parabolas > 200 && pivots > 800);
}

/* It does not matter which point of the body is its origin. */
static void screws_do_not_depend_on_the_origin(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(500); ++seed) {
        random_source random = random_seed(seed);
        tact_transform from, to;
        tact_motion m, moved;
        random_poses(&random, random_range(&random, 0.01, 3.1), 3.0, &from, &to);
        const tact_vec3 shift = random_point(&random, 2.0), x = random_point(&random, 2.0);
        tact_transform shifted_from = from, shifted_to = to;
        shifted_from.origin = tact_transform_point(from, shift);
        shifted_to.origin = tact_transform_point(to, shift);
        assert_int_equal(tact_motion_screw_between(from, to, 2.0, &m), TACT_OK);
        assert_int_equal(tact_motion_screw_between(shifted_from, shifted_to, 2.0, &moved), TACT_OK);
        const double t = random_range(&random, 0.0, 2.0);
        const tact_vec3 a = tact_transform_point(tact_motion_at(m, from, t), vec_add(x, shift)),
                        b = tact_transform_point(tact_motion_at(moved, shifted_from, t), x);
        CHECK(vec_length(vec_sub(a, b)) <= 1e-9, "off by %g", vec_length(vec_sub(a, b)));
    }
}

static tact_motion random_motion(random_source *random, bool accelerated)
{
    tact_motion m = {.velocity = random_point(random, 1.0), .spin = random_point(random, 2.0)};
    m.pivot = random_chance(random, 0.2) ? tact_vec(0, 0, 0) : random_point(random, 1.5);
    if (accelerated)
        m.acceleration = random_point(random, 1.0);
    return m;
}

/* A pivot by its definition, and the motion from a later time on. */
static void pivots_are_as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(500); ++seed) {
        random_source random = random_seed(seed);
        const tact_transform from = tact_transform_make(random_point(&random, 2.0), random_rotation(&random), one);
        const tact_motion m = random_motion(&random, true);
        const double t = random_range(&random, 0.0, 2.0), s = random_range(&random, 0.0, 2.0);
        const tact_transform at = tact_motion_at(m, from, t);
        /* the pivot moves along a parabola */
        const tact_vec3 q = tact_transform_point(from, m.pivot), arm = vec_sub(q, from.origin);
        const tact_vec3 v = vec_add(m.velocity, vec_cross(m.spin, arm));
        const tact_vec3 expected = vec_mul_add(vec_mul_add(q, t, v), 0.5 * t * t, m.acceleration);
        double off = vec_length(vec_sub(tact_transform_point(at, m.pivot), expected));
        CHECK(off <= 1e-13, "the pivot is off by %g", off);
        const tact_motion after = tact_motion_after(m, from, t);
        assert_true(vec_equal(after.spin, m.spin) && vec_equal(after.pivot, m.pivot));
        off = transform_difference(tact_motion_at(after, at, s), tact_motion_at(m, from, t + s), 2.0);
        CHECK(off <= 1e-12, "after %g: off by %g", t, off);
        tact_motion plain = m;
        plain.spin = tact_vec(0, 0, 0); /* without spin the pivot has no effect */
        const tact_transform moved = tact_motion_at(plain, from, t);
        plain.pivot = tact_vec(0, 0, 0);
        const tact_transform same = tact_motion_at(plain, from, t);
        assert_memory_equal(&moved, &same, sizeof moved);
    }
}

/* ---- times of impact ---- */

static tact_shape *make_torus(void)
{
    tact_vec3 vertices[60];
    uint32_t indices[360];
    size_t n = 0;
    for (uint32_t i = 0; i < 10; ++i)
        for (uint32_t k = 0; k < 6; ++k) {
            const double u = 0.62831853 * i, v = 1.04719755 * k;
            vertices[6 * i + k] =
                tact_vec((0.6 + 0.25 * cos(v)) * cos(u), (0.6 + 0.25 * cos(v)) * sin(u), 0.25 * sin(v));
            const uint32_t p = 6 * i + k, q = 6 * i + (k + 1) % 6, r = 6 * ((i + 1) % 10) + (k + 1) % 6,
                           s = 6 * ((i + 1) % 10) + k, two[6] = {p, s, r, p, r, q};
            memcpy(indices + n, two, sizeof two);
            n += 6;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, 60, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = n;
    return tact_mesh_create(&def, NULL);
}

enum { SHAPES = 6 };

static void make_shapes(tact_shape *s[SHAPES])
{
    s[0] = tact_box(1.0, 0.5, 0.8);
    s[1] = tact_sphere(0.4);
    s[2] = tact_capsule(0.2, 1.0);
    s[3] = tact_cone(0.4, 1.0);
    s[4] = make_torus();
    const tact_shape *parts[2] = {s[0], s[1]};
    const tact_transform at[2] = {tact_at(-0.4, 0, 0), tact_at(0.6, 0.2, 0)};
    s[5] = tact_compound_create(parts, at, 2, NULL, NULL);
    for (int i = 0; i < SHAPES; ++i)
        assert_non_null(s[i]);
}

static void release_shapes(tact_shape *s[SHAPES])
{
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(s[i]);
}

typedef struct mover {
    const tact_shape *shape;
    tact_transform at;
    tact_motion motion;
} mover;

static double distance_at(const mover *a, const mover *b, double t)
{
    const tact_distance d = tact_shapes_distance(a->shape, tact_motion_at(a->motion, a->at, t), b->shape,
                                                 tact_motion_at(b->motion, b->at, t));
    assert_int_equal(d.status, TACT_OK);
    return d.distance;
}

/* A bound of the speed of all points: that of the pivot, and the rotation about it. */
static double speed_bound(const mover *m, double end)
{
    const tact_vec3 arm = vec_sub(tact_transform_point(m->at, m->motion.pivot), m->at.origin);
    tact_bounds b;
    assert_int_equal(tact_shape_bounds(m->shape, tact_identity(), &b), TACT_OK);
    const tact_vec3 far = {fmax(fabs(b.min.x), fabs(b.max.x)), fmax(fabs(b.min.y), fabs(b.max.y)),
                           fmax(fabs(b.min.z), fabs(b.max.z))};
    return vec_length(vec_add(m->motion.velocity, vec_cross(m->motion.spin, arm))) +
           end * vec_length(m->motion.acceleration) +
           vec_length(m->motion.spin) * (vec_length(far) + vec_length(m->motion.pivot));
}

/* The first contact by conservative advancement (Mirtich 1996), to 1e-7; INFINITY: none. */
static double march(const mover *a, const mover *b, double end)
{
    const double speed = speed_bound(a, end) + speed_bound(b, end);
    double t = 0.0;
    while (t < end) {
        const double d = distance_at(a, b, t);
        if (d <= 1e-7)
            return t;
        t += d / speed;
    }
    return INFINITY;
}

static mover random_mover(random_source *random, tact_shape *const shapes[SHAPES], double x)
{
    mover m = {.shape = shapes[random_below(random, SHAPES)]};
    const bool screw = random_chance(random, 0.5);
    m.at = tact_transform_make(vec_add(tact_vec(x, 0, 0), random_point(random, 0.5)), random_rotation(random), one);
    if (screw) {
        const tact_transform to =
            tact_transform_make(vec_add(tact_vec(-x, 0, 0), random_point(random, 1.0)), random_rotation(random), one);
        assert_int_equal(tact_motion_screw_between(m.at, to, 1.0, &m.motion), TACT_OK);
    } else {
        m.motion = random_motion(random, random_chance(random, 0.5));
    }
    return m;
}

static tact_toi toi_of(const mover *a, const mover *b)
{
    return tact_shapes_time_of_impact(a->shape, a->at, a->motion, b->shape, b->at, b->motion, 1.0);
}

static void times_of_impact_are_those_of_marching(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    long hits = 0, misses = 0;
    make_shapes(shapes);
    for (uint64_t seed = first_seed(); seed <= last_seed(250); ++seed) {
        random_source random = random_seed(seed);
        const mover a = random_mover(&random, shapes, -1.2), b = random_mover(&random, shapes, 1.2);
        if (!(distance_at(&a, &b, 0.0) > 1e-3))
            continue;
        const tact_toi found = toi_of(&a, &b), swapped = toi_of(&b, &a);
        const double expected = march(&a, &b, 1.0);
        CHECK(found.status == TACT_OK && swapped.status == TACT_OK, "status %d", (int)found.status);
        CHECK(found.time == swapped.time && found.state == swapped.state &&
                  vec_equal(found.normal, vec_negate(swapped.normal)) && vec_equal(found.point, swapped.point),
              "swapped: %.17g and %.17g", found.time, swapped.time);
        if (expected < INFINITY && found.state == TACT_HIT) {
            ++hits;
            /* it is within its tolerance of contact, and marching stops at most 1e-7 before */
            CHECK(distance_at(&a, &b, found.time) <= 2e-9, "%g apart at %g", distance_at(&a, &b, found.time),
                  found.time);
            CHECK(found.time >= expected - 1e-12, "hit at %.12g, marching finds %.12g", found.time, expected);
        } else {
            CHECK(found.state == TACT_MISS || expected < INFINITY, "a hit at %g, which marching misses", found.time);
            CHECK(expected == INFINITY || distance_at(&a, &b, expected) > 0.0, "a miss, marching hits at %g", expected);
            ++misses;
        }
        for (int i = 0; i < 20; ++i) /* nothing before */
            CHECK(distance_at(&a, &b, found.time * i / 20.0) > 0.0, "contact at %g, before %g", found.time * i / 20.0,
                  found.time);
        /* a batch gives the same */
        const tact_moving_pair pair = {{a.shape, b.shape, a.at, b.at}, a.motion, b.motion};
        tact_toi batch;
        assert_int_equal(tact_toi_batch(&pair, 1, NULL, &batch, NULL), TACT_OK);
        assert_true(batch.time == found.time && batch.state == found.state);
    }
    print_message("%ld hits, %ld misses\n", hits, misses);
    if (!few_cases())
        assert_true(hits > 35 && misses > 50);
    release_shapes(shapes);
}

/* A half-space that turns about a pivot: a ball above it. */
static void half_spaces_turn_about_pivots(void **state)
{
    (void)state;
    tact_shape *plane = tact_halfspace(tact_vec(0, 2, 0), 1.0), *ball = tact_sphere(0.25);
    for (uint64_t seed = first_seed(); seed <= last_seed(100); ++seed) {
        random_source random = random_seed(seed);
        mover a = {plane, tact_transform_make(random_point(&random, 0.5), random_rotation(&random), one),
                   random_motion(&random, false)};
        mover b = {ball, tact_identity(), tact_motion_still()};
        b.at.origin = tact_transform_point(a.at, tact_vec(0.5, random_range(&random, 0.8, 1.5), 0.5));
        const tact_toi found = toi_of(&a, &b);
        CHECK(found.status == TACT_OK, "status %d", (int)found.status);
        for (int i = 0; i < 50; ++i)
            CHECK(distance_at(&a, &b, found.time * i / 50.0) > 0.0, "contact at %g, before %g", found.time * i / 50.0,
                  found.time);
        CHECK(found.state == TACT_MISS || distance_at(&a, &b, found.time) <= 1e-9, "%g apart at %g",
              distance_at(&a, &b, found.time), found.time);
    }
    tact_shape_release(plane);
    tact_shape_release(ball);
}

/* ---- worlds ---- */

static tact_body create_mover(tact_world *w, const mover *m)
{
    const tact_body body =
        tact_body_create(w, &(tact_body_def){.shape = m->shape, .transform = m->at, .motion = m->motion});
    assert_true(body.generation != 0);
    return body;
}

/* The first event of two bodies, their transforms on the way, save and restore on the way. */
static void worlds_move_as_motions_do(void **state)
{
    (void)state;
    tact_shape *shapes[SHAPES];
    long touches = 0;
    make_shapes(shapes);
    for (uint64_t seed = first_seed(); seed <= last_seed(120); ++seed) {
        random_source random = random_seed(seed);
        const mover m[2] = {random_mover(&random, shapes, -1.2), random_mover(&random, shapes, 1.2)};
        if (!(distance_at(&m[0], &m[1], 0.0) > 1e-3))
            continue;
        tact_world *w = tact_world_create(&(tact_world_def){.kinetic = (tact_kinetic)(seed % 3)});
        const tact_body bodies[2] = {create_mover(w, &m[0]), create_mover(w, &m[1])};
        const tact_toi expected = toi_of(&m[0], &m[1]);
        tact_event event, continued = {.kind = TACT_EVENT_NONE};
        for (int step = 1; step <= 4; ++step) {
            const double until = 0.25 * step;
            const tact_event_kind kind = tact_world_next_event(w, until, &event);
            assert_int_equal(event.status, TACT_OK);
            if (kind == TACT_EVENT_TOUCH)
                break;
            for (int i = 0; i < 2; ++i) {
                const tact_transform at = tact_body_get_transform(w, bodies[i]),
                                     exact = tact_motion_at(m[i].motion, m[i].at, until);
                CHECK(transform_difference(at, exact, 2.0) <= 1e-11, "off by %g", transform_difference(at, exact, 2.0));
                const tact_motion now = tact_body_get_motion(w, bodies[i]),
                                  after = tact_motion_after(m[i].motion, m[i].at, until);
                CHECK(vec_length(vec_sub(now.velocity, after.velocity)) <= 1e-10 && vec_equal(now.pivot, after.pivot),
                      "velocity off by %g", vec_length(vec_sub(now.velocity, after.velocity)));
                if (step == 2) { /* the same motion again: nothing changes */
                    assert_int_equal(tact_body_set_motion(w, bodies[i], now), TACT_OK);
                }
            }
            tact_bytes saved = {0};
            assert_int_equal(tact_world_save(w, tact_bytes_sink(&saved), NULL, NULL), TACT_OK);
            tact_report report;
            tact_world *restored = tact_world_restore(saved.data, saved.size, NULL, &report);
            CHECK(restored != NULL, "%s", report.text);
            tact_bytes again = {0};
            assert_int_equal(tact_world_save(restored, tact_bytes_sink(&again), NULL, NULL), TACT_OK);
            assert_true(saved.size == again.size && memcmp(saved.data, again.data, saved.size) == 0);
            /* both go on in the same way, bit for bit */
            tact_event one_event, other_event;
            (void)tact_world_next_event(restored, 1.0, &one_event);
            tact_world *third = tact_world_restore(saved.data, saved.size, NULL, &report);
            (void)tact_world_next_event(third, 0.5 * (until + 1.0), &other_event);
            if (other_event.kind == TACT_EVENT_NONE)
                (void)tact_world_next_event(third, 1.0, &other_event);
            assert_true(one_event.kind == other_event.kind && one_event.time == other_event.time &&
                        vec_equal(one_event.point, other_event.point));
            if (step == 3)
                continued = one_event; /* nothing is changed from now on */
            tact_world_release(restored);
            tact_world_release(third);
            tact_bytes_release(&saved);
            tact_bytes_release(&again);
        }
        if (tact_world_get_time(w) > 0.75) /* the world that was saved goes on as the restored one, bit for bit */
            assert_true(event.kind == continued.kind && event.time == continued.time &&
                        vec_equal(event.point, continued.point) && vec_equal(event.normal, continued.normal));
        if (expected.state == TACT_HIT && event.kind == TACT_EVENT_TOUCH) {
            ++touches;
            CHECK(fabs(event.time - expected.time) <= 1e-6, "touch at %.12g, impact at %.12g", event.time,
                  expected.time);
        } else {
            CHECK((expected.state == TACT_HIT) == (event.kind == TACT_EVENT_TOUCH) ||
                      distance_at(&m[0], &m[1], expected.time) > 0.0,
                  "touch %d, impact at %g", event.kind == TACT_EVENT_TOUCH, expected.time);
        }
        tact_world_release(w);
    }
    print_message("%ld touches\n", touches);
    if (!few_cases())
        assert_true(touches > 17);
    release_shapes(shapes);
}

typedef struct screw_path {
    tact_transform poses[4];
    int next;
} screw_path;

/* From pose to pose along screws, one unit of time each. */
static void follow_screws(void *context, double time, tact_transform *transform, tact_motion_plan *plan)
{
    screw_path *p = context;
    if (p->next >= 4)
        return;
    assert_int_equal(tact_motion_screw_between(*transform, p->poses[p->next++], 1.0, &plan->motion), TACT_OK);
    plan->until = time + 1.0;
}

/* A motion plan of screws, recorded and replayed, with every allocation failing once. */
static void plans_of_screws(void **state)
{
    (void)state;
    tact_shape *crate = tact_box(1, 1, 1), *wall = tact_box(0.1, 4, 4);
    random_source random = random_seed(7);
    screw_path path = {.next = 0};
    for (int i = 0; i < 4; ++i)
        path.poses[i] =
            tact_transform_make(tact_vec(i % 2 == 0 ? 2.5 : -2.5, 0.2 * i, 0), random_rotation(&random), one);
    long events = 0;
    double times[16];
    for (long fail_at = 0, failing = 1; failing; fail_at = next_failure(fail_at)) {
        failing_allocator memory = {0};
        screw_path p = path;
        tact_bytes recording = {0};
        tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
        const tact_body body = tact_body_create(w, &(tact_body_def){.shape = crate, .transform = tact_at(-2.5, 0, 0)});
        (void)tact_body_create(w, &(tact_body_def){.shape = wall});
        tact_record *record = fail_at == 0 ? tact_record_begin(w, tact_bytes_sink(&recording), NULL, NULL) : NULL;
        tact_motion_plan plan = {.until = 1.0, .callback = follow_screws, .context = &p};
        assert_int_equal(tact_motion_screw_between(tact_at(-2.5, 0, 0), p.poses[p.next++], 1.0, &plan.motion), TACT_OK);
        memory.calls = 0;
        memory.fail_at = fail_at;
        tact_status status = tact_body_set_motion_plan(w, body, &plan);
        if (status == TACT_OUT_OF_MEMORY)
            status = tact_body_set_motion_plan(w, body, &plan);
        assert_int_equal(status, TACT_OK);
        long found = 0;
        for (tact_event e; found < 16;) {
            const tact_event_kind kind = tact_world_next_event(w, 4.0, &e);
            if (kind == TACT_EVENT_NONE && e.status == TACT_OUT_OF_MEMORY) {
                assert_true(fail_at > 0);
                continue;
            }
            assert_int_equal(e.status, TACT_OK);
            if (kind == TACT_EVENT_NONE)
                break;
            if (fail_at == 0)
                times[found] = e.time;
            assert_true(e.time == times[found]);
            ++found;
        }
        events = fail_at == 0 ? found : events;
        assert_int_equal(found, events);
        assert_true(transform_difference(tact_body_get_transform(w, body), path.poses[3], 1.0) < 1e-9);
        if (record != NULL) {
            assert_int_equal(tact_record_end(record, NULL), TACT_OK);
            tact_report report;
            tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
            assert_non_null(replay);
            if (tact_replay_run(replay, &report) != TACT_REPLAY_END)
                fail_msg("%s", report.text);
            tact_replay_release(replay);
        }
        failing = fail_at == 0 || memory.calls >= fail_at;
        tact_bytes_release(&recording);
        tact_world_release(w);
        assert_int_equal(memory.held, 0);
    }
    print_message("%ld touches of the wall\n", events);
    assert_true(events >= 4);
    tact_shape_release(crate);
    tact_shape_release(wall);
}

/* A crate on a platform that turns about a pivot goes with it, as on one whose shape is about its origin. */
static void a_crate_is_carried_by_a_platform(void **state)
{
    (void)state;
    const tact_vec3 pivot = {1.0, 0.0, 0.5}, spin = {0.0, 0.5, 0.0};
    tact_shape *slab = tact_box(4, 0.5, 4), *crate = tact_box(0.5, 0.5, 0.5);
    const tact_shape *part = slab;
    const tact_transform back = tact_at(-pivot.x, -pivot.y, -pivot.z);
    tact_shape *moved = tact_compound_create(&part, &back, 1, NULL, NULL);
    tact_vec3 at[2][5];
    for (int i = 0; i < 2; ++i) {
        tact_world *w = tact_world_create(&(tact_world_def){.gravity = {0, -9.81, 0}});
        tact_body_def def = {.shape = slab, .material = {.friction = 0.6}};
        def.motion = (tact_motion){.velocity = vec_cross(pivot, spin), .spin = spin, .pivot = pivot};
        if (i == 1) {
            def.shape = moved;
            def.transform = tact_at(pivot.x, pivot.y, pivot.z);
            def.motion = (tact_motion){.spin = spin};
        }
        (void)tact_body_create(w, &def);
        const tact_body load = tact_body_create(w, &(tact_body_def){.shape = crate,
                                                                    .material = {.friction = 0.6},
                                                                    .density = 1.0,
                                                                    .transform = tact_at(-0.5, 0.75, -0.5)});
        for (int k = 0; k < 5; ++k) {
            assert_int_equal(tact_world_step(w, 0.5), TACT_OK);
            at[i][k] = tact_body_get_transform(w, load).origin;
            assert_true(at[i][k].y >= 0.5 && at[i][k].y < 0.501);
            assert_true(i == 0 || vec_length(vec_sub(at[0][k], at[1][k])) < 1e-4);
        }
        assert_true(vec_length(vec_sub(at[i][4], at[i][0])) > 1.0);
        tact_world_release(w);
    }
    tact_shape_release(slab);
    tact_shape_release(crate);
    tact_shape_release(moved);
}

static void bad_input_is_rejected(void **state)
{
    (void)state;
    tact_motion m = {.velocity = {7, 7, 7}};
    const tact_motion before = m;
    const tact_transform at = tact_at(0, 0, 0), to = tact_at(1, 0, 0);
    tact_transform bad = to, sheared = to;
    bad.origin.y = NAN;
    sheared.x_axis.y = 0.5;
    assert_int_equal(tact_motion_screw_between(at, to, 1.0, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_screw_between(at, to, 0.0, &m), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_screw_between(at, to, -1.0, &m), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_screw_between(at, to, NAN, &m), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_screw_between(at, to, INFINITY, &m), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_screw_between(at, bad, 1.0, &m), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_screw_between(bad, to, 1.0, &m), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_motion_screw_between(at, sheared, 1.0, &m), TACT_BAD_ARGUMENT);
    assert_memory_equal(&m, &before, sizeof m);
    assert_int_equal(tact_motion_screw_between(at, to, 2.0, &m), TACT_OK); /* no rotation: a translation */
    assert_true(m.velocity.x == 0.5 && vec_length(m.spin) == 0.0 && vec_length(m.pivot) == 0.0);
    assert_int_equal(tact_motion_screw_between(at, at, 2.0, &m), TACT_OK);
    assert_true(vec_length(m.velocity) == 0.0);

    tact_shape *ball = tact_sphere(1), *plane = tact_halfspace(tact_vec(0, 1, 0), 0), *torus = make_torus();
    tact_motion turning = {.spin = {0, 0, 1}, .pivot = {1, 0, 0}}, odd = turning, far = turning;
    odd.pivot.y = NAN;
    far.pivot.y = 1e151;
    assert_int_equal(tact_shapes_time_of_impact(ball, at, odd, ball, tact_at(5, 0, 0), m, 1.0).status,
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_time_of_impact(ball, at, m, ball, tact_at(5, 0, 0), far, 1.0).status,
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_time_of_impact(NULL, at, turning, ball, at, m, 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_time_of_impact(ball, bad, turning, ball, at, m, 1.0).status, TACT_BAD_ARGUMENT);
    tact_world *w = tact_world_create(NULL);
    tact_report report;
    tact_body made;
    const tact_body body = tact_body_create(w, &(tact_body_def){.shape = torus, .motion = turning});
    assert_true(tact_body_get_motion(w, body).pivot.x == 1.0);
    assert_int_equal(tact_body_set_motion(w, body, odd), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion(w, body, far), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion_plan(w, body, &(tact_motion_plan){.motion = far, .until = 2.0}),
                     TACT_BAD_ARGUMENT);
    /* a body with a pivot gets neither mass nor vertices of its own, and the other way round */
    assert_int_equal(tact_body_set_mass(w, body, 1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_make_deformable(w, body), TACT_BAD_ARGUMENT);
    assert_true(tact_body_get_motion(w, body).pivot.x == 1.0);
    assert_int_equal(tact_body_set_motion(w, body, tact_motion_still()), TACT_OK);
    assert_int_equal(tact_body_make_deformable(w, body), TACT_OK);
    assert_int_equal(tact_body_set_motion(w, body, turning), TACT_BAD_ARGUMENT);
    const tact_body_def defs[3] = {{.shape = ball, .motion = turning, .density = 1.0},
                                   {.shape = torus, .motion = turning, .deformable = true},
                                   {.shape = plane, .motion = turning}};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(tact_body_create_many(w, &defs[i], 1, &made, &report), TACT_BAD_ARGUMENT);
        assert_true(report.text[0] != '\0');
    }
    tact_world_release(w);
    tact_shape_release(ball);
    tact_shape_release(plane);
    tact_shape_release(torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screws_are_accurate_at_every_angle),
        cmocka_unit_test(screws_do_not_depend_on_the_origin),
        cmocka_unit_test(pivots_are_as_defined),
        cmocka_unit_test(times_of_impact_are_those_of_marching),
        cmocka_unit_test(half_spaces_turn_about_pivots),
        cmocka_unit_test(worlds_move_as_motions_do),
        cmocka_unit_test(plans_of_screws),
        cmocka_unit_test(a_crate_is_carried_by_a_platform),
        cmocka_unit_test(bad_input_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
