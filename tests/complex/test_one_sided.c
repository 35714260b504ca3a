/*
 * One-sided meshes. The oracle is the rule of tact/mesh.h, tested by brute force over all triangles with balls and
 * boxes, whose middle is their centre: a triangle counts only if the centre is not behind its plane.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

enum { N = 6, TRIANGLES = 2 * (N - 1) * (N - 1) };

typedef struct sheet {
    tact_vec3 vertices[N * N];
    uint32_t indices[3 * TRIANGLES];
    tact_shape *one_sided, *two_sided;
    tact_shape *triangles[TRIANGLES]; /* each alone */
} sheet;

static tact_shape *mesh_of(const sheet *s, bool one_sided, const tact_allocator *allocator)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){s->vertices, N * N, 0, TACT_SCALAR_DOUBLE};
    def.indices = s->indices;
    def.index_count = 3 * TRIANGLES;
    def.one_sided = one_sided;
    if (allocator != NULL)
        def.allocator = *allocator;
    return tact_mesh_create(&def, NULL);
}

/* A bumpy sheet in the xz plane whose front is up. */
static void make_sheet(random_source *r, double bumps, sheet *s)
{
    size_t k = 0;
    for (int i = 0; i < N * N; i++)
        s->vertices[i] = vec_make(i / N, random_range(r, -bumps, bumps), i % N);
    for (uint32_t i = 0; i + 1 < N; i++)
        for (uint32_t j = 0; j + 1 < N; j++) {
            const uint32_t a = i * N + j, quad[6] = {a, a + 1, a + N + 1, a, a + N + 1, a + N};
            memcpy(s->indices + k, quad, sizeof quad);
            k += 6;
        }
    s->one_sided = mesh_of(s, true, NULL);
    s->two_sided = mesh_of(s, false, NULL);
    for (int i = 0; i < TRIANGLES; i++)
        s->triangles[i] = tact_triangle(s->vertices[s->indices[3 * i]], s->vertices[s->indices[3 * i + 1]],
                                        s->vertices[s->indices[3 * i + 2]]);
    assert_true(s->one_sided != NULL && s->two_sided != NULL);
}

static void release_sheet(sheet *s)
{
    tact_shape_release(s->one_sided);
    tact_shape_release(s->two_sided);
    for (int i = 0; i < TRIANGLES; i++)
        tact_shape_release(s->triangles[i]);
}

/* The height of a world point in front of triangle i: affine maps keep the side. */
static double height_over(const sheet *s, int i, const tact_transform *at, tact_vec3 point)
{
    tact_transform inverse;
    assert_int_equal(tact_transform_invert(*at, &inverse), TACT_OK);
    const tact_vec3 local = tact_transform_point(inverse, point), a = s->vertices[s->indices[3 * i]],
                    b = s->vertices[s->indices[3 * i + 1]], c = s->vertices[s->indices[3 * i + 2]];
    return vec_dot(vec_normalize(vec_cross(vec_sub(b, a), vec_sub(c, a))), vec_sub(local, a));
}

static tact_vec3 world_normal(const sheet *s, int i, const tact_transform *at)
{
    const tact_vec3 a = tact_transform_point(*at, s->vertices[s->indices[3 * i]]),
                    b = tact_transform_point(*at, s->vertices[s->indices[3 * i + 1]]),
                    c = tact_transform_point(*at, s->vertices[s->indices[3 * i + 2]]);
    const tact_vec3 n = vec_normalize(vec_cross(vec_sub(b, a), vec_sub(c, a)));
    return tact_transform_determinant(*at) < 0.0 ? vec_negate(n) : n;
}

static tact_transform random_affine(random_source *r)
{
    const tact_vec3 scale = {random_size(r, -1, 0), random_size(r, -1, 0), random_size(r, -1, 0)};
    return tact_transform_make(vec_make(random_range(r, -3, 3), random_range(r, -3, 3), random_range(r, -3, 3)),
                               random_rotation(r), scale);
}

static void only_the_front_touches(void **state)
{
    (void)state;
    int hits = 0, behind = 0, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++) {
        random_source r = random_seed(seed);
        sheet s;
        make_sheet(&r, seed % 4 == 0 ? 0.0 : 0.4, &s);
        const tact_transform at = seed % 3 == 0 ? tact_identity() : random_affine(&r);
        tact_shape *bodies[2] = {tact_sphere(random_range(&r, 0.1, 0.7)), tact_box(0.6, 0.4, 0.9)};
        for (int k = 0; k < 8; k++) {
            const tact_vec3 local = vec_make(random_range(&r, 0, N - 1), random_range(&r, -0.9, 0.9),
                                             random_range(&r, 0, N - 1)),
                            c = tact_transform_point(at, local);
            const tact_shape *body = bodies[k % 2];
            const tact_transform there = tact_transform_make(c, random_rotation(&r), vec_make(1, 1, 1));
            bool touches = false, any = false, clear = true;
            tact_vec3 fronts = {0, 0, 0}; /* of the triangles that touch */
            for (int i = 0; i < TRIANGLES; i++) {
                const bool meets = tact_shapes_overlap(s.triangles[i], at, body, there, NULL).state == TACT_HIT;
                const double height = height_over(&s, i, &at, c);
                clear = clear && !(meets && fabs(height) < 1e-9);
                any = any || meets;
                touches = touches || (meets && height > 0.0);
                if (meets && height > 0.0)
                    fronts = vec_add(fronts, world_normal(&s, i, &at));
            }
            if (!clear)
                continue;
            const tact_overlap o = tact_shapes_overlap(s.one_sided, at, body, there, NULL);
            CHECK(o.status == TACT_OK && (o.state == TACT_HIT) == touches, "overlap %d, expected %d", (int)o.state,
                  touches);
            CHECK((tact_shapes_overlap(body, there, s.one_sided, at, NULL).state == TACT_HIT) == touches, "swapped");
            CHECK((tact_shapes_common_point(s.one_sided, at, body, there, NULL).state == TACT_HIT) == touches,
                  "common point");
            const tact_distance d = tact_shapes_distance(s.one_sided, at, body, there),
                                e = tact_shapes_distance(s.two_sided, at, body, there);
            CHECK(d.distance == 0.0 ? e.distance == 0.0 : fabs(d.distance - e.distance) < 1e-12, "distance");
            const tact_penetration p = tact_shapes_penetration(s.one_sided, at, body, there);
            tact_contact_point points[64];
            const tact_contacts n = tact_shapes_contacts(s.one_sided, at, body, there, 0.0, points, 64);
            const tact_manifold m = tact_shapes_manifold(s.one_sided, at, body, there, 0.0);
            CHECK(p.status == TACT_OK && n.status == TACT_OK && m.status == TACT_OK, "status %d %d %d", (int)p.status,
                  (int)n.status, (int)m.status);
            CHECK((n.count > 0) == touches && (m.count > 0) == touches, "%zu contacts, %d points, expected %d", n.count,
                  m.count, touches);
            if (touches) {
                CHECK(p.depth > 0.0 || fabs(p.depth) < 1e-9, "depth %g", p.depth);
                CHECK(vec_dot(p.normal, fronts) > 0.0, "pushed to the back");
                for (size_t i = 0; i < n.count && i < 64; i++)
                    CHECK(vec_dot(points[i].normal, world_normal(&s, (int)points[i].part_a.face, &at)) > -1e-6 ||
                              vec_dot(points[i].normal, fronts) > 0.0,
                          "contact %zu of %zu pushes to the back", i, n.count);
            } else {
                CHECK(p.depth == -d.distance, "depth %g behind the surface", p.depth);
            }
            hits += touches;
            behind += any && !touches;
            misses += !any;
        }
        tact_shape_release(bodies[0]);
        tact_shape_release(bodies[1]);
        release_sheet(&s);
    }
    if (!few_cases() && !(hits > 400 && behind > 200 && misses > 200))
        fail_msg("%d hits, %d behind, %d misses", hits, behind, misses);
}

static void nothing_is_pushed_to_the_back(void **state)
{
    (void)state;
    int deep = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        sheet s;
        make_sheet(&r, 0.0, &s); /* flat: the depth is known */
        const double size = random_range(&r, 0.2, 1.0), height = random_range(&r, 0.0, 0.5) * size;
        tact_shape *box = tact_box(size, size, size);
        const tact_transform there = tact_at(random_range(&r, 1.5, 3.5), height, random_range(&r, 1.5, 3.5));
        const tact_penetration p = tact_shapes_penetration(s.one_sided, tact_identity(), box, there);
        CHECK(p.status == TACT_OK && fabs(p.depth - (0.5 * size - height)) < 1e-9 && p.normal.y > 1.0 - 1e-9,
              "depth %g, normal %g", p.depth, p.normal.y);
        const tact_penetration q = tact_shapes_penetration(box, there, s.one_sided, tact_identity());
        CHECK(q.depth == p.depth && vec_equal(q.normal, vec_negate(p.normal)), "swapped");
        deep += p.depth > 0.2 * size;
        tact_shape_release(box);
        release_sheet(&s);
    }
    assert_true(few_cases() || deep > 60);
}

static void rays_hit_the_front_only(void **state)
{
    (void)state;
    int front = 0, back = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(500); seed++) {
        random_source r = random_seed(seed);
        sheet s;
        make_sheet(&r, 0.5, &s);
        const tact_transform at = seed % 3 == 0 ? tact_identity() : random_affine(&r);
        const tact_vec3 from = tact_transform_point(at, vec_make(random_range(&r, 0, N - 1), random_range(&r, -3, 3),
                                                                 random_range(&r, 0, N - 1))),
                        to = tact_transform_point(at, vec_make(random_range(&r, 0, N - 1), random_range(&r, -3, 3),
                                                               random_range(&r, 0, N - 1))),
                        d = vec_normalize(vec_sub(to, from));
        double first = INFINITY, any = INFINITY;
        for (int i = 0; i < TRIANGLES; i++) {
            const tact_ray_hit h = tact_shape_ray(s.triangles[i], at, from, d, 50.0);
            if (h.state != TACT_HIT)
                continue;
            any = fmin(any, h.t);
            if (vec_dot(world_normal(&s, i, &at), d) < 0.0)
                first = fmin(first, h.t);
        }
        const tact_ray_hit h = tact_shape_ray(s.one_sided, at, from, d, 50.0);
        CHECK(h.status == TACT_OK && (h.state == TACT_HIT) == (first < INFINITY), "state %d", (int)h.state);
        CHECK(h.state != TACT_HIT || (fabs(h.t - first) < 1e-9 && vec_dot(h.normal, d) < 0.0), "t %g, not %g", h.t,
              first);
        front += first < INFINITY;
        back += any < INFINITY && !(first == any);
        release_sheet(&s);
    }
    if (!few_cases() && !(front > 50 && back > 50))
        fail_msg("%d front, %d back", front, back);
}

/* A ball that moves straight: the first time at which it is about to overlap a triangle from its front. */
static void shapes_pass_through_from_behind(void **state)
{
    (void)state;
    int hits = 0, passes = 0, returns = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        sheet s;
        make_sheet(&r, 0.0, &s);
        const double radius = random_range(&r, 0.1, 0.4), gravity = random_chance(&r, 0.7) ? 10.0 : 0.0;
        const double start = random_range(&r, -2.0, 2.0), speed = random_range(&r, -6.0, 9.0), end = 2.0;
        const double apex = start + (speed > 0.0 && gravity > 0.0 ? 0.5 * speed * speed / gravity : 0.0);
        /* not one that turns back while it is in the surface: triangles that it has left already count then */
        if (fabs(start) < radius + 0.01 || (start < 0.0 && fabs(apex) < radius + 0.01)) {
            release_sheet(&s);
            continue;
        }
        tact_shape *ball = tact_sphere(radius);
        tact_motion m = tact_motion_linear(0, speed, 0);
        m.acceleration.y = -gravity;
        m.spin = vec_scale(random_direction(&r), random_range(&r, 0.0, 3.0));
        const tact_toi t = tact_shapes_time_of_impact(s.one_sided, tact_identity(), tact_motion_still(), ball,
                                                      tact_at(2.3, start, 2.6), m, end);
        /* oracle: the first time at which the lower side comes down to the surface, with all of it above before */
        double expected = INFINITY, before = start - radius;
        for (int i = 1; i <= 20000 && expected == INFINITY; i++) {
            const double x = end * i / 20000, low = start + speed * x - 0.5 * gravity * x * x - radius;
            if (before > 0.0 && low <= 0.0)
                expected = x;
            before = low;
        }
        CHECK(t.status == TACT_OK, "status %d", (int)t.status);
        CHECK((t.state == TACT_HIT) == (expected < INFINITY), "state %d at %g, expected %g", (int)t.state, t.time,
              expected);
        CHECK(t.state != TACT_HIT || (fabs(t.time - expected) < 2e-4 && t.normal.y > 0.999), "t %g, not %g", t.time,
              expected);
        hits += t.state == TACT_HIT;
        passes += start < 0.0 && speed > 0.0;
        returns += start < 0.0 && t.state == TACT_HIT;
        /* started within the surface: down is a hit at once, up is none */
        const tact_transform within = tact_at(2.3, 0.5 * radius, 2.6);
        assert_int_equal(tact_shapes_time_of_impact(s.one_sided, tact_identity(), tact_motion_still(), ball, within,
                                                    tact_motion_linear(0, 1, 0), 3)
                             .state,
                         TACT_MISS);
        const tact_toi down = tact_shapes_time_of_impact(s.one_sided, tact_identity(), tact_motion_still(), ball,
                                                         within, tact_motion_linear(0, -1, 0), 3);
        assert_true(down.state == TACT_HIT && down.time == 0.0);
        assert_int_equal(
            tact_shapes_cast(ball, tact_at(2.3, -1, 2.6), vec_make(0, 5, 0), s.one_sided, tact_identity()).state,
            TACT_MISS);
        tact_shape_release(ball);
        release_sheet(&s);
    }
    if (!few_cases() && !(hits > 50 && passes > 30 && returns > 15))
        fail_msg("%d hits, %d passes, %d returns", hits, passes, returns);
}

/* A platform: balls thrown up from below come to rest on it or fall back on it, and never react on the way up. */
static void balls_jump_onto_a_platform(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    sheet s;
    make_sheet(&r, 0.0, &s);
    tact_world *world = tact_world_create(NULL);
    tact_body_def floor = {0}, ball = {0};
    floor.shape = s.one_sided;
    (void)tact_body_create(world, &floor);
    tact_shape *sphere = tact_sphere(0.25);
    ball.shape = sphere;
    ball.transform = tact_at(2.4, -2, 2.6);
    ball.motion = tact_motion_linear(0, 8, 0);
    ball.motion.acceleration.y = -10;
    const tact_body body = tact_body_create(world, &ball);
    assert_int_equal(tact_body_set_mass(world, body, 1.0), TACT_OK);
    tact_event event;
    const double expected = (8.0 + sqrt(64.0 - 20.0 * 2.25)) / 10.0; /* -2 + 8 t - 5 t^2 = 0.25, falling */
    assert_int_equal(tact_world_next_event(world, 5.0, &event), TACT_EVENT_TOUCH);
    assert_true(fabs(event.time - expected) < 1e-9);
    assert_int_equal(tact_world_bounce(world, &event, 1.0), TACT_OK);
    assert_int_equal(tact_world_next_event(world, 2.0, &event), TACT_EVENT_NONE);
    assert_true(tact_body_get_transform(world, body).origin.y > 0.25);
    /* frame by frame, too */
    assert_int_equal(tact_body_set_transform(world, body, tact_at(2.4, -0.1, 2.6)), TACT_OK);
    assert_int_equal(tact_shapes_overlap(s.one_sided, tact_identity(), sphere, tact_at(2.4, -0.1, 2.6), NULL).state,
                     TACT_MISS);
    tact_world_release(world);
    tact_shape_release(sphere);
    release_sheet(&s);
}

static void flags_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    const tact_vec3 p[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t indices[3] = {0, 1, 2};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){p, 3, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 3;
    def.solid = def.one_sided = true;
    tact_report report;
    assert_null(tact_mesh_create(&def, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    /* inside a compound and with a margin */
    def.solid = false;
    def.margin = 0.1;
    tact_shape *mesh = tact_mesh_create(&def, NULL);
    tact_transform up = tact_at(0, 0, 1);
    tact_shape *whole = tact_compound((const tact_shape *const *)&mesh, &up, 1), *ball = tact_sphere(0.3);
    assert_int_equal(tact_shapes_overlap(whole, tact_identity(), ball, tact_at(0.2, 0.2, 1.3), NULL).state, TACT_HIT);
    assert_int_equal(tact_shapes_overlap(whole, tact_identity(), ball, tact_at(0.2, 0.2, 0.7), NULL).state, TACT_MISS);
    assert_int_equal(tact_shape_ray(whole, tact_identity(), vec_make(0.2, 0.2, 5), vec_make(0, 0, -1), 9).state,
                     TACT_HIT);
    assert_int_equal(tact_shape_ray(whole, tact_identity(), vec_make(0.2, 0.2, -5), vec_make(0, 0, 1), 9).state,
                     TACT_MISS);
    tact_toi t = tact_shapes_cast(ball, tact_at(0.2, 0.2, 0), vec_make(0, 0, 4), whole, tact_identity());
    assert_int_equal(t.state, TACT_MISS);
    t = tact_shapes_cast(ball, tact_at(0.2, 0.2, 4), vec_make(0, 0, -4), whole, tact_identity());
    assert_true(t.state == TACT_HIT && fabs(t.time - 0.65) < 1e-6);
    tact_shape_release(mesh);
    tact_shape_release(whole);
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_front_touches),     cmocka_unit_test(nothing_is_pushed_to_the_back),
        cmocka_unit_test(rays_hit_the_front_only),    cmocka_unit_test(shapes_pass_through_from_behind),
        cmocka_unit_test(balls_jump_onto_a_platform), cmocka_unit_test(flags_that_exclude_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
