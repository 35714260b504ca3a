/*
 * First contact of a rigid body of any shape with a set of moving triangles (toi/arc_mesh_toi.h): convex shapes,
 * meshes, soups and compounds, with and without margins. The oracle is the static distance of the whole shapes at many
 * times, and a search over all pairs of primitives and triangles. Also: every allocation fails once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "toi/arc_mesh_toi.h"

#define MAX_TRIANGLES 48

static const tact_allocator standard = {NULL, NULL};

static tact_vec3 random_vec(random_source *r, double size)
{
    const double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return tact_vec(x, y, random_range(r, -size, size));
}

static tact_transform random_place(random_source *r, double size, tact_vec3 scale)
{
    const tact_vec3 at = random_vec(r, size);
    return tact_transform_make(at, random_rotation(r), scale);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

typedef enum body_kind { BALL, CYLINDER, HULL, MESH, MESH_WITH_MARGIN, SOUP, COMPOUND, NESTED, BODY_KINDS } body_kind;

/* A torus of n x n quads, as triangles. */
static tact_shape *make_torus(uint32_t n, double margin)
{
    tact_vec3 vertices[24 * 24];
    uint32_t indices[6 * 24 * 24];
    assert_true(n <= 24);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            const double a = 6.283185307179586 * i / n, b = 6.283185307179586 * k / n, far = 0.7 + 0.25 * cos(b);
            const uint32_t corners[4] = {i * n + k, (i + 1) % n * n + k, (i + 1) % n * n + (k + 1) % n,
                                         i * n + (k + 1) % n};
            vertices[i * n + k] = tact_vec(far * cos(a), 0.25 * sin(b), far * sin(a));
            for (uint32_t c = 0; c < 6; c++)
                indices[6 * (i * n + k) + c] = corners[c < 3 ? c : (c == 3 ? 0 : c - 2)];
        }
    tact_shape *plain = tact_mesh(vertices, n * n, indices, 2 * n * n), *made = tact_rounded(plain, margin);
    tact_shape_release(plain);
    return made;
}

static tact_shape *make_soup(random_source *r)
{
    tact_vec3 vertices[30];
    uint32_t indices[30];
    const uint32_t sizes[5] = {4, 8, 3, 9, 6};
    for (uint32_t i = 0; i < 30; i++) {
        vertices[i] = vec_add(tact_vec(i < 12 ? -0.5 : 0.5, i % 2 == 0 ? 0.2 : 0.0, 0.0), random_vec(r, 0.4));
        indices[i] = i;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = vertices, .count = 30};
    def.indices = indices;
    def.index_count = 30;
    def.loop_sizes = sizes;
    def.loop_count = 5;
    return tact_soup_create(&def, NULL);
}

static tact_shape *make_body(random_source *r, body_kind kind)
{
    const double size = random_range(r, 0.3, 0.9);
    tact_vec3 p[10];
    const tact_shape *parts[3];
    tact_transform places[3];
    tact_shape *made = NULL;
    switch (kind) {
    case BALL:
        return tact_sphere(size);
    case CYLINDER:
        return tact_cylinder(size, 1.5 * size);
    case HULL:
        for (int i = 0; i < 10; i++)
            p[i] = random_vec(r, 0.8);
        return tact_hull(p, 10);
    case MESH:
        return make_torus((uint32_t)random_between(r, 4, 12), 0.0);
    case MESH_WITH_MARGIN:
        return make_torus((uint32_t)random_between(r, 4, 8), 0.1 * size);
    case SOUP:
        return make_soup(r);
    default:
        for (int i = 0; i < 3; i++) {
            parts[i] = make_body(r, (body_kind)random_between(r, BALL, kind == NESTED ? COMPOUND : SOUP));
            places[i] = random_place(r, 0.8, tact_vec(0.5, 0.5, 0.5));
        }
        made = tact_compound(parts, places, 3);
        for (int i = 0; i < 3; i++)
            tact_shape_release((tact_shape *)parts[i]);
        return made;
    }
}

typedef struct arc_scene {
    arc_shape body;
    tact_shape *shape;
    arc_triangle triangles[MAX_TRIANGLES];
    size_t count;
    double enter, exit, tolerance;
} arc_scene;

static void make_scene(arc_scene *s, random_source *r, body_kind kind)
{
    const double far = random_chance(r, 0.2) ? 100.0 : 0.0, length = random_chance(r, 0.5) ? 1.0 : 0.25;
    s->shape = make_body(r, kind);
    assert_true(s->shape != NULL);
    s->body = (arc_shape){.shape = s->shape, .t0 = random_chance(r, 0.5) ? 0.0 : 7.0};
    s->body.at = random_place(r, far, tact_vec(1, 1, 1));
    s->enter = s->body.t0 + (random_chance(r, 0.5) ? 0.0 : 0.3);
    s->exit = s->enter + length;
    s->tolerance = random_chance(r, 0.5) ? 1e-9 : 1e-5;
    s->body.motion.velocity = random_vec(r, 1.0);
    s->body.motion.acceleration = random_vec(r, random_chance(r, 0.5) ? 0.0 : 2.0);
    s->body.motion.spin = random_vec(r, random_chance(r, 0.3) ? 0.0 : random_chance(r, 0.7) ? 3.0 : 20.0);
    s->count = (size_t)random_between(r, 1, random_chance(r, 0.3) ? 4 : MAX_TRIANGLES);
    const tact_vec3 middle = tact_motion_at(s->body.motion, s->body.at, s->enter + 0.5 * length - s->body.t0).origin;
    const double beside = random_chance(r, 0.5) ? 1.2 : 2.0;
    for (size_t i = 0; i < s->count; i++) {
        const tact_vec3 near = vec_add(middle, random_vec(r, 0.5)),
                        from = vec_mul_add(near, beside, random_direction(r)), speed = random_vec(r, 1.5 / length);
        s->triangles[i].face = (uint32_t)(1000 + i);
        for (int k = 0; k < 3; k++) {
            const tact_vec3 x = vec_add(from, random_vec(r, 0.15)), v = vec_add(speed, random_vec(r, 0.2));
            s->triangles[i].path[k] =
                random_chance(r, 0.5)
                    ? (linear_path){.t0 = s->enter, .x0 = x, .x1 = v, .has_velocity = true}
                    : (linear_path){.t0 = s->enter, .t1 = s->exit, .x0 = x, .x1 = vec_mul_add(x, length, v)};
        }
    }
}

/* ---- the oracles ------------------------------------------------------------------------------------------------- */

/* The distance of the body and the triangles first to last - 1 at a time, by the static query. */
static double distance_at(const arc_scene *s, size_t first, size_t last, double time)
{
    tact_vec3 vertices[3 * MAX_TRIANGLES];
    uint32_t indices[3 * MAX_TRIANGLES];
    uint32_t count = 0;
    for (size_t i = first; i < last; i++)
        for (int k = 0; k < 3; k++, count++) {
            vertices[count] = linear_path_at(&s->triangles[i].path[k], time);
            indices[count] = count;
        }
    tact_shape *all = tact_mesh(vertices, count, indices, last - first);
    const tact_transform at = tact_motion_at(s->body.motion, s->body.at, time - s->body.t0);
    const tact_distance got = tact_shapes_distance(s->shape, at, all, tact_identity());
    assert_int_equal(got.status, TACT_OK);
    tact_shape_release(all);
    return got.distance;
}

/* All primitives of the body against all triangles. */
typedef struct brute_force {
    const arc_scene *scene;
    double first; /* time of the earliest hit; infinite: none */
    double at;    /* with `part` and `triangle`: is this pair in contact at this time? */
    tact_part part;
    uint32_t triangle;
    bool confirmed;
    size_t pairs;
} brute_force;

static bool search_leaf(void *context, const instance *leaf)
{
    brute_force *b = context;
    const arc_scene *s = b->scene;
    const uint32_t elements = leaf->shape->mesh != NULL ? leaf->shape->mesh->element_count : 1;
    for (uint32_t e = 0; e < elements; e++) {
        arc_body body;
        arc_contact c;
        const primitive of = {leaf, e};
        const tact_part part = primitive_part(&of);
        assert_int_equal(tact_arc_body_make(&body, leaf, e, &s->body.at, &s->body.motion, s->body.t0, NULL), TACT_OK);
        for (uint32_t i = 0; i < s->count; i++, b->pairs++) {
            tact_arc_toi(&body, s->triangles[i].path, s->enter, s->exit, s->tolerance, &c);
            assert_true(c.state != TACT_UNKNOWN);
            if (c.state == TACT_HIT)
                b->first = fmin(b->first, c.time);
            if (b->at > 0.0 && part.leaf == b->part.leaf && part.face == b->part.face && i == b->triangle) {
                tact_arc_toi(&body, s->triangles[i].path, b->at, b->at, s->tolerance, &c);
                b->confirmed |= c.state == TACT_HIT;
            }
        }
    }
    return true;
}

static brute_force search_all(const arc_scene *s, const arc_mesh_contact *c)
{
    brute_force b = {.scene = s, .first = INFINITY};
    instance whole;
    if (c->contact.state == TACT_HIT) {
        b.at = c->contact.time > 0.0 ? c->contact.time : -1.0;
        b.part = c->part;
        b.triangle = c->triangle;
    }
    assert_int_equal(tact_instance_make(&whole, s->shape, &s->body.at), TACT_OK);
    (void)tact_traverse_leaves(&whole, search_leaf, &b);
    return b;
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static void first_contacts_of_random_scenes(void **state)
{
    (void)state;
    size_t hits[BODY_KINDS] = {0}, misses[BODY_KINDS] = {0}, pairs = 0, all = 0, doubtful = 0, steps = 0;
    arc_mesh_finder finder = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(256, 19200); seed++) {
        random_source r = random_seed(seed);
        arc_scene s;
        arc_mesh_contact c;
        const body_kind kind = (body_kind)(seed % BODY_KINDS);
        make_scene(&s, &r, kind);
        const tact_status status =
            tact_arc_mesh_toi(&finder, &s.body, s.triangles, s.count, s.enter, s.exit, s.tolerance, &standard, &c);
        CHECK(status == TACT_OK && c.contact.status == TACT_OK, "status %d", (int)status);
        const bool hit = c.contact.state == TACT_HIT;
        const brute_force b = search_all(&s, &c);
        pairs += c.pairs;
        all += b.pairs;
        steps += (size_t)c.contact.steps;
        /* the first hits of both are within the tolerance; only there they may differ */
        if (hit != (b.first < INFINITY)) {
            const double there = distance_at(&s, 0, s.count, hit ? c.contact.time : b.first);
            CHECK(there > 0.25 * s.tolerance, "%g apart, and only one finds it", there);
            doubtful++;
        } else if (hit) {
            CHECK(fabs(c.contact.time - b.first) < 1e-3, "at %.17g, not %.17g", c.contact.time, b.first);
            doubtful += fabs(c.contact.time - b.first) > 1e-6;
        }
        const double until = c.contact.time;
        for (int i = 0; i < 24; i++) {
            const double t = s.enter + (until - s.enter) * i / 24.0;
            if (t < until)
                CHECK(distance_at(&s, 0, s.count, t) > 0.0, "they touch at %.17g, before %.17g", t, until);
        }
        if (hit) {
            const size_t i = c.triangle;
            CHECK(c.face == s.triangles[i].face, "face %u of triangle %u", c.face, c.triangle);
            const double there = distance_at(&s, i, i + 1, until);
            CHECK(there <= c.contact.tolerance * 1.01, "%g apart at a hit", there);
            CHECK(until == 0.0 || b.confirmed, "the part is not in contact");
            hits[kind]++;
        } else {
            CHECK(until == s.exit, "a miss up to %.17g", until);
            misses[kind]++;
        }
        tact_shape_release(s.shape);
    }
    tact_arc_mesh_finder_release(&finder, &standard);
    print_message("%zu of %zu pairs searched, %zu steps, %zu doubtful\n", pairs, all, steps, doubtful);
    for (int k = 0; k < BODY_KINDS; k++)
        print_message("kind %d: %zu hits, %zu misses\n", k, hits[k], misses[k]);
    if (few_cases())
        return;
    assert_true(pairs * 20 < all && 30 * doubtful < last_seed_of(256, 19200));
    for (int k = 0; k < BODY_KINDS; k++)
        assert_true(hits[k] >= 6 && misses[k] >= 4);
}

static void allocations_fail(void **state)
{
    (void)state;
    size_t failures = 0;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        random_source r = random_seed(seed);
        arc_scene s;
        arc_mesh_contact wanted, c;
        arc_mesh_finder finder = {0};
        make_scene(&s, &r, (body_kind)(seed % BODY_KINDS));
        assert_int_equal(
            tact_arc_mesh_toi(&finder, &s.body, s.triangles, s.count, s.enter, s.exit, s.tolerance, &standard, &wanted),
            TACT_OK);
        tact_arc_mesh_finder_release(&finder, &standard);
        failing_allocator memory = {0};
        const tact_allocator allocator = failing_allocator_make(&memory);
        for (long fail = 1;; fail++) {
            memory.calls = 0;
            memory.fail_at = fail;
            const tact_status status =
                tact_arc_mesh_toi(&finder, &s.body, s.triangles, s.count, s.enter, s.exit, s.tolerance, &allocator, &c);
            if (status == TACT_OK && memory.calls < fail)
                break;
            /* the penetration depth of an overlap may go without memory, and has then no normal */
            if (status == TACT_OUT_OF_MEMORY) {
                assert_true(c.contact.state == TACT_UNKNOWN);
                failures++;
            }
            /* the finder stays usable; every second time it starts anew */
            memory.fail_at = 0;
            assert_int_equal(
                tact_arc_mesh_toi(&finder, &s.body, s.triangles, s.count, s.enter, s.exit, s.tolerance, &allocator, &c),
                TACT_OK);
            assert_true(c.contact.time == wanted.contact.time && c.contact.state == wanted.contact.state &&
                        c.triangle == wanted.triangle && c.pairs == wanted.pairs);
            tact_arc_mesh_finder_release(&finder, &allocator);
            assert_true(memory.held == 0);
        }
        tact_arc_mesh_finder_release(&finder, &allocator);
        assert_true(memory.held == 0);
        tact_shape_release(s.shape);
    }
    assert_true(failures > 40);
}

/* A wheel that turns fast beside a wall of triangles: the swept cylinder rejects all but those that it may reach. */
static void a_wheel_beside_a_wall(void **state)
{
    (void)state;
    tact_shape *wheel = make_torus(24, 0.0);
    arc_mesh_finder finder = {0};
    arc_mesh_contact c;
    arc_triangle wall[MAX_TRIANGLES];
    arc_shape body = {.shape = wheel, .at = tact_identity()};
    body.motion.spin = tact_vec(0.0, 50.0, 0.0);
    for (uint32_t i = 0; i < MAX_TRIANGLES; i++)
        wall[i] = (arc_triangle){.face = i,
                                 .path = {{.has_velocity = true, .x0 = {0.95 + 1e-5, -1.05 + 0.1 * i, -1.0}},
                                          {.has_velocity = true, .x0 = {0.95 + 1e-5, -0.95 + 0.1 * i, -1.0}},
                                          {.has_velocity = true, .x0 = {0.95 + 1e-5, -1.0 + 0.1 * i, 1.0}}}};
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, wall, MAX_TRIANGLES, 0.0, 1.0, 1e-9, &standard, &c), TACT_OK);
    assert_true(c.contact.state == TACT_MISS && c.contact.time == 1.0);
    /* it rolls into the wall: the outermost vertices are at the radius 0.95 */
    body.motion.acceleration = tact_vec(2e-3, 0.0, 0.0);
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, wall, MAX_TRIANGLES, 0.0, 1.0, 1e-9, &standard, &c), TACT_OK);
    assert_true(c.contact.state == TACT_HIT && c.contact.time >= 0.099 && c.contact.time < 0.11);
    assert_true(c.contact.normal.x > 0.99 && fabs(c.contact.point.y) < 0.05);
    tact_arc_mesh_finder_release(&finder, &standard);
    tact_shape_release(wheel);
}

static void odd_input_is_answered(void **state)
{
    (void)state;
    arc_mesh_finder finder = {0};
    arc_mesh_contact c;
    tact_shape *ball = tact_sphere(1.0), *nothing = tact_mesh(NULL, 0, NULL, 0);
    arc_shape body = {.shape = ball, .at = tact_identity()};
    arc_triangle t = {.face = 3};
    for (int k = 0; k < 3; k++)
        t.path[k] = (linear_path){.has_velocity = true, .x0 = {3.0, k, k * k}, .x1 = {-1.0, 0.0, 0.0}};
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, NULL, 0, 0.0, 1.0, 1e-9, &standard, &c), TACT_OK);
    assert_true(c.contact.state == TACT_MISS && c.contact.time == 1.0 && c.pairs == 0);
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 1, 0.0, 3.0, 1e-9, &standard, &c), TACT_OK);
    assert_true(c.contact.state == TACT_HIT && c.face == 3 && c.contact.time > 1.99 && c.contact.time < 3.0);
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 1, 2.5, 2.5, 1e-9, &standard, &c), TACT_OK);
    assert_true(c.contact.state == TACT_HIT && c.contact.time == 2.5);
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 1, 1.0, 0.0, 1e-9, &standard, &c), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 1, 0.0, 1.0, NAN, &standard, &c), TACT_BAD_ARGUMENT);
    body.shape = nothing;
    assert_true(nothing != NULL);
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 1, 0.0, 3.0, 1e-9, &standard, &c), TACT_OK);
    assert_true(c.contact.state == TACT_MISS && c.pairs == 0);
    body.shape = ball;
    body.motion.velocity.x = NAN;
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 1, 0.0, 3.0, 1e-9, &standard, &c), TACT_BAD_ARGUMENT);
    body.motion.velocity.x = 0.0;
    t.path[2].x1.z = INFINITY;
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 1, 0.0, 3.0, 1e-9, &standard, &c), TACT_BAD_ARGUMENT);
    assert_true(c.contact.state == TACT_UNKNOWN);
    body.shape = NULL;
    assert_int_equal(tact_arc_mesh_toi(&finder, &body, &t, 0, 0.0, 3.0, 1e-9, &standard, &c), TACT_BAD_ARGUMENT);
    tact_arc_mesh_finder_release(&finder, &standard);
    tact_shape_release(ball);
    tact_shape_release(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_contacts_of_random_scenes),
        cmocka_unit_test(allocations_fail),
        cmocka_unit_test(a_wheel_beside_a_wall),
        cmocka_unit_test(odd_input_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
