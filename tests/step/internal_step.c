/*
 * Steps of deformable bodies: contacts, proximities and step limits against brute force with the exact solver alone;
 * resolved steps, in random worlds and in the scenes of examples/cloth, by the same brute force and by the exact static
 * check; momentum, order, friction, the fail-safe; threads, recording, bad input, and every allocation failed once.
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

#include "oracle/step_brute.h"
#include "scenes.h"
#include "step/default_response.h"
#include "step/step.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/reverse_loop.h"
#include "support/seeded_cases.h"
#include "world/world_internal.h"

/* ---- random worlds ---- */

#define SHEETS 4
#define SIDE 6
#define POINTS (SIDE * SIDE)

typedef struct sheet {
    tact_body body;
    tact_vec3 from[POINTS], to[POINTS], wish[POINTS];
    double inverse[POINTS];
} sheet;

typedef struct model {
    tact_world *world;
    sheet sheets[SHEETS];
    int sheet_count;
    tact_body obstacles[6];
    int obstacle_count;
} model;

static tact_vec3 random_vec(random_source *r, double size)
{
    const double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return tact_vec(x, y, random_range(r, -size, size));
}

static tact_vec3 plus(tact_vec3 a, double s, tact_vec3 b)
{
    return tact_vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static tact_shape *make_sheet(void)
{
    tact_vec3 v[POINTS];
    uint32_t corners[6 * (SIDE - 1) * (SIDE - 1)], n = 0;
    for (int i = 0; i < POINTS; i++)
        v[i] = tact_vec(i % SIDE, 0, i / SIDE);
    for (uint32_t i = 0; i + 1 < SIDE; i++)
        for (uint32_t k = 0; k + 1 < SIDE; k++) {
            const uint32_t a = i * SIDE + k, quad[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            memcpy(corners + n, quad, sizeof quad);
            n += 6;
        }
    return tact_mesh(v, POINTS, corners, n / 3);
}

static tact_shape *make_obstacle(random_source *r, int kind)
{
    tact_vec3 p[12];
    for (int i = 0; i < 12; i++)
        p[i] = random_vec(r, 0.4);
    switch (kind) {
    case 0:
        return tact_box(0.6, 0.3, 0.5);
    case 1:
        return tact_tetrahedron(p[0], p[1], p[2], p[3]);
    case 2:
        return tact_hull(p, 12);
    case 3:
        return tact_triangle(p[0], p[1], p[2]);
    case 4: {
        for (int i = 0; i < 12; i++)
            p[i].y = 0.0;
        return tact_polygon(p, 12);
    }
    case 5:
        return tact_sphere(0.3); /* tested as a shape: its contacts are checked in test_step_shapes.c */
    default: {
        const uint32_t corners[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
        return tact_mesh(p, 4, corners, 4);
    }
    }
}

/* Rippled sheets, one above the other, and obstacles between them: nothing touches at the start. `fast`: how far they
 * move. */
static void make_model(model *m, random_source *r, double fast, const tact_world_def *def)
{
    tact_shape *shape = make_sheet();
    m->world = tact_world_create(def);
    m->sheet_count = random_between(r, 1, SHEETS);
    m->obstacle_count = random_between(r, 0, 4);
    for (int i = 0; i < m->sheet_count; i++) {
        sheet *s = &m->sheets[i];
        const bool masses = random_chance(r, 0.5);
        const double height = 0.4 * i, wave = random_range(r, 0.0, 0.15);
        const tact_vec3 whole = random_vec(r, 0.5 * fast);
        s->body = tact_body_create(m->world, &(tact_body_def){.shape = shape, .deformable = true});
        for (int k = 0; k < POINTS; k++) {
            const tact_vec3 flat = tact_vec(0.2 * (k % SIDE), height + wave * sin(1.3 * k), 0.2 * (k / SIDE));
            s->from[k] = plus(flat, 0.01, random_vec(r, 1.0));
            s->to[k] = plus(plus(s->from[k], 1.0, whole), 0.5, random_vec(r, fast));
            s->inverse[k] = !masses ? 1.0 : random_chance(r, 0.1) ? 0.0 : random_range(r, 0.1, 3.0);
            s->wish[k] = s->to[k];
        }
        if (tact_body_set_step_positions(m->world, s->body, s->from, s->to) != TACT_OK ||
            (masses && tact_body_set_inverse_vertex_masses(m->world, s->body, s->inverse) != TACT_OK))
            fail_msg("vertices or masses are refused");
    }
    tact_shape_release(shape);
    for (int i = 0; i < m->obstacle_count; i++) {
        tact_shape *o = make_obstacle(r, random_between(r, 0, 6));
        tact_body_def body = {.shape = o};
        /* below the sheets, one beside the other */
        body.transform = tact_transform_make(tact_vec(0.9 * i, -1.2, 0.5), random_rotation(r), tact_vec(1, 1, 1));
        if (random_chance(r, 0.7)) {
            body.motion.velocity = random_vec(r, 0.3 * fast);
            body.motion.acceleration = random_vec(r, 0.2 * fast);
            body.motion.spin = random_vec(r, fast);
        }
        body.motion.velocity.y += random_chance(r, 0.5) ? 2.0 * fast : 0.0;
        m->obstacles[i] = tact_body_create(m->world, &body);
        tact_shape_release(o);
    }
}

/* Filters, so that some may not collide. */
static void add_filters(model *m, random_source *r)
{
    for (int i = 0; i < m->sheet_count; i++)
        if (random_chance(r, 0.5))
            (void)tact_body_set_filter(m->world, m->sheets[i].body, 1u << i, 0xff ^ 1u << random_between(r, 0, 3));
}

typedef struct tally {
    size_t met, near_pairs, free_steps, filtered, stopped, shortened, iterations, clean;
} tally;

/* ---- queries ---- */

static uint32_t scene_vertex(const step_scene *s, tact_body body, uint32_t vertex)
{
    for (size_t i = 0; i < s->parts.count; i++)
        if (s->parts.items[i].body.index == body.index)
            return s->parts.items[i].first_vertex + vertex;
    fail();
    return 0;
}

/* Are the contacts those of brute force? */
static void compare_all(uint64_t seed, const step_scene *scene, tact_feature_contacts got, double distance)
{
    size_t count;
    brute_hit *wanted = step_brute(scene, distance, &count);
    brute_hit *sorted = malloc((got.count + 1) * sizeof *sorted);
    CHECK(got.status == TACT_OK && sorted != NULL, "status %d", got.status);
    size_t features = 0;
    for (size_t i = 0; i < got.count; i++) {
        const tact_feature_contact *m = &got.items[i];
        if (i > 0)
            CHECK(got.items[i - 1].ccd.lower <= m->ccd.lower, "contact %zu comes after one that is later", i);
        if (m->vertices[0] == TACT_NO_VERTEX)
            continue;
        const int first = m->kind == TACT_VERTEX_FACE ? 1 : 2;
        brute_hit *h = &sorted[features++];
        *h = (brute_hit){.kind = m->kind, .when = m->ccd, .distance = m->distance};
        for (int k = 0; k < 4; k++)
            h->vertices[k] = scene_vertex(scene, k < first ? m->a : m->b, m->vertices[k]);
        CHECK(fabs(m->ccd.weights[0] + m->ccd.weights[1] + m->ccd.weights[2] + m->ccd.weights[3] - 2.0) < 1e-9,
              "weights of contact %zu", i);
    }
    qsort(sorted, features, sizeof *sorted, step_brute_compare);
    size_t k = 0;
    for (size_t i = 0; i < count || k < features;) {
        const int order = i == count ? 1 : k == features ? -1 : step_brute_compare(&wanted[i], &sorted[k]);
        /* at exactly the given distance both answers are right */
        if (order < 0 && distance >= 0.0 && wanted[i].distance > distance * (1.0 - 1e-9)) {
            i++;
            continue;
        }
        if (order > 0 && distance >= 0.0 && sorted[k].distance > distance * (1.0 - 1e-9)) {
            k++;
            continue;
        }
        const brute_hit *h = order <= 0 ? &wanted[i] : &sorted[k];
        CHECK(order == 0, "%s kind %d, vertices %u %u %u %u", order < 0 ? "misses" : "invents", h->kind, h->vertices[0],
              h->vertices[1], h->vertices[2], h->vertices[3]);
        if (distance >= 0.0)
            CHECK(fabs(wanted[i].distance - sorted[k].distance) < 1e-9, "distance %g, not %g", sorted[k].distance,
                  wanted[i].distance);
        else
            CHECK(wanted[i].when.lower == sorted[k].when.lower && wanted[i].when.upper == sorted[k].when.upper,
                  "meets at %.17g, not at %.17g", sorted[k].when.lower, wanted[i].when.lower);
        i++;
        k++;
    }
    free(wanted);
    free(sorted);
}

static void finds_what_brute_force_finds(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(24, 1800); seed++) {
        random_source r = random_seed(seed);
        static model m;
        make_model(&m, &r, random_chance(&r, 0.2) ? 0.02 : 0.5, NULL);
        if (random_chance(&r, 0.3)) {
            add_filters(&m, &r);
            t.filtered++;
        }
        tact_step_def def = tact_step_def_default();
        def.duration = random_range(&r, 0.2, 1.5);
        const tact_feature_contacts all = tact_step_find_contacts(m.world, &def);
        const step_scene *scene = &m.world->step->scene;
        compare_all(seed, scene, all, -1.0);
        t.met += all.count;
        tact_feature_contact first = {.kind = TACT_VERTEX_FACE};
        const size_t count = all.count;
        if (count > 0)
            first = all.items[0];
        const tact_step_limit until = tact_step_find_limit(m.world, &def);
        CHECK(until.status == TACT_OK && until.time == (count > 0 ? first.ccd.lower : 1.0), "free until %g",
              until.time);
        if (count > 0)
            CHECK(memcmp(until.first.vertices, first.vertices, sizeof first.vertices) == 0 &&
                      until.first.a.index == first.a.index && until.first.b.index == first.b.index,
                  "another one is first");
        t.free_steps += count == 0;
        const double distance = random_range(&r, 0.01, 0.4);
        const tact_feature_contacts near_by = tact_step_find_proximities(m.world, distance, &def);
        compare_all(seed, scene, near_by, distance);
        t.near_pairs += near_by.count;
        tact_world_release(m.world);
    }
    print_message("%zu meet, %zu are near, %zu free, %zu filtered\n", t.met, t.near_pairs, t.free_steps, t.filtered);
    if (!few_cases()) {
        assert_true(t.met > 720 && t.near_pairs > 12000);
        assert_true(t.free_steps > 0 && t.filtered > 2);
    }
}

/* ---- resolution ---- */

static tact_vec3 momentum(const model *m, const tact_vec3 *(*places)(const sheet *))
{
    tact_vec3 sum = {0, 0, 0};
    for (int i = 0; i < m->sheet_count; i++)
        for (int k = 0; k < POINTS; k++)
            sum = plus(sum, 1.0, plus(places(&m->sheets[i])[k], -1.0, m->sheets[i].from[k]));
    return sum;
}

static const tact_vec3 *wishes(const sheet *s) { return s->wish; }
static const tact_vec3 *ends(const sheet *s) { return s->to; }

/* Nothing collides, and the bodies have the end positions. */
static void check_resolved(uint64_t seed, const model *m, tact_step_result done)
{
    size_t count;
    const step_scene *scene = &m->world->step->scene;
    free(step_brute(scene, -1.0, &count));
    CHECK(count == 0, "%zu meet", count);
    for (int i = 0; i < m->sheet_count; i++) {
        tact_vec3 now[POINTS];
        const sheet *s = &m->sheets[i];
        CHECK(tact_body_get_vertices(m->world, s->body, now, POINTS) == POINTS, "no vertices");
        CHECK(memcmp(now, s->to, sizeof now) == 0, "the vertices of body %d are elsewhere", i);
        const uint32_t first = scene_vertex(scene, s->body, 0);
        CHECK(memcmp(scene->to.items + first, s->to, sizeof now) == 0 &&
                  memcmp(scene->from.items + first, s->from, sizeof now) == 0,
              "other places were looked at than those that were given");
    }
    for (size_t i = 0; i < scene->obstacle_count; i++) {
        const step_part *part = &scene->parts.items[i];
        const tact_transform at = tact_body_get_transform(m->world, part->body);
        tact_vec3 points[16];
        points[0] = tact_vec(0, 0, 0);
        (void)tact_shape_get_points(part->shape, points, 16);
        if (part->shape->type != TACT_BOX)
            for (uint32_t k = 0; k < part->end_vertex - part->first_vertex; k++) {
                const tact_vec3 p = tact_transform_point(at, points[k]);
                CHECK(memcmp(&p, &scene->to.items[part->first_vertex + k], sizeof p) == 0,
                      "an obstacle is elsewhere than it was looked at");
            }
    }
    CHECK(done.time >= 0.0 && done.time <= 1.0, "time %g", done.time);
}

static void resolved_steps_are_free(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 4500); seed++) {
        random_source r = random_seed(seed);
        static model m;
        make_model(&m, &r, random_chance(&r, 0.2) ? 0.03 : random_range(&r, 0.05, 0.5), NULL);
        bool plain = m.obstacle_count == 0;
        tact_step_def def = tact_step_def_default();
        def.thickness = random_chance(&r, 0.5) ? random_range(&r, 0.0, 0.02) : 0.0;
        def.friction = random_chance(&r, 0.5) ? random_range(&r, 0.0, 1.5) : 0.0;
        def.max_iterations = random_chance(&r, 0.5) ? 100 : random_between(&r, 0, 4);
        const size_t met = tact_step_find_contacts(m.world, &def).count;
        const tact_step_result done = tact_step_resolve(m.world, &def);
        CHECK(done.status == TACT_OK, "status %d", done.status);
        check_resolved(seed, &m, done);
        for (int i = 0; i < m.sheet_count; i++)
            for (int k = 0; plain && k < POINTS; k++)
                plain = m.world->step->scene.inverse_mass
                            .items[scene_vertex(&m.world->step->scene, m.sheets[i].body, (uint32_t)k)] == 1.0;
        if (plain && done.fail_safe_vertices == 0) { /* no obstacles, equal masses: momentum is conserved */
            const tact_vec3 lost = plus(momentum(&m, ends), -1.0, momentum(&m, wishes));
            CHECK(fabs(lost.x) + fabs(lost.y) + fabs(lost.z) < 1e-10, "momentum is lost: %g %g %g", lost.x, lost.y,
                  lost.z);
        }
        if (met == 0 && def.thickness == 0.0) {
            for (int i = 0; i < m.sheet_count; i++)
                CHECK(memcmp(m.sheets[i].to, m.sheets[i].wish, sizeof m.sheets[i].to) == 0, "changed without need");
            t.free_steps++;
        }
        /* the next step starts from there */
        for (int i = 0; i < m.sheet_count; i++) {
            sheet *s = &m.sheets[i];
            memcpy(s->from, s->to, sizeof s->from);
            for (int k = 0; k < POINTS; k++)
                s->to[k] = plus(s->to[k], 0.1, random_vec(&r, 1.0));
            CHECK(tact_body_set_step_positions(m.world, s->body, s->from, s->to) == TACT_OK, "refused");
        }
        const tact_step_result again = tact_step_resolve(m.world, &def);
        CHECK(again.status == TACT_OK, "status %d of the second step", again.status);
        check_resolved(seed, &m, again);
        t.met += met;
        t.stopped += (size_t)(done.fail_safe_vertices > 0) + (size_t)(again.fail_safe_vertices > 0);
        t.shortened += (size_t)(done.time < 1.0) + (size_t)(again.time < 1.0);
        t.clean += done.iterations > 0 && done.fail_safe_vertices == 0;
        t.iterations += (size_t)(done.iterations + again.iterations);
        tact_world_release(m.world);
    }
    print_message("%zu meet, %zu free, %zu stopped, %zu clean, %zu shortened, %zu iterations\n", t.met, t.free_steps,
                  t.stopped, t.clean, t.shortened, t.iterations);
    if (!few_cases()) {
        assert_true(t.met > 200 && t.free_steps > 6);
        assert_true(t.stopped > 8 && t.clean > 10 && t.shortened > 1);
    }
}

/* ---- single cases ---- */

typedef struct one_sheet {
    tact_world *world;
    tact_body cloth;
    tact_vec3 from[3], to[3];
} one_sheet;

/* A triangle at a height, with the displacement `way`. */
static one_sheet make_triangle(tact_world *world, double height, tact_vec3 way)
{
    one_sheet s = {.world = world};
    const uint32_t corners[3] = {0, 1, 2};
    const tact_vec3 at[3] = {{0, height, 0}, {0.1, height, 0}, {0, height, 0.1}};
    tact_shape *shape = tact_mesh(at, 3, corners, 1);
    s.cloth = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
    tact_shape_release(shape);
    for (int k = 0; k < 3; k++) {
        s.from[k] = at[k];
        s.to[k] = plus(at[k], 1.0, way);
    }
    return s;
}

static void give(one_sheet *s)
{
    assert_int_equal(tact_body_set_step_positions(s->world, s->cloth, s->from, s->to), TACT_OK);
}

static tact_body add_floor(tact_world *world)
{
    tact_shape *cube = tact_box(10, 2, 10);
    tact_body floor = tact_body_create(world, &(tact_body_def){.shape = cube, .transform = tact_at(0, -1, 0)});
    tact_shape_release(cube);
    return floor;
}

static void a_falling_sheet_rests_on_the_floor(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    add_floor(world);
    one_sheet s = make_triangle(world, 0.1, tact_vec(0.2, -0.3, 0.0));
    give(&s);
    const tact_step_limit until = tact_step_find_limit(world, NULL);
    assert_true(fabs(until.time - 1.0 / 3.0) < 1e-9 && until.time <= 1.0 / 3.0);
    assert_int_equal(until.first.kind, TACT_VERTEX_FACE);
    assert_true(until.first.a.index == s.cloth.index && until.first.face == 3); /* +y of the box */
    tact_step_def def = tact_step_def_default();
    def.thickness = 0.01;
    tact_step_result done = tact_step_resolve(world, &def);
    assert_true(done.status == TACT_OK && done.time == 1.0 && done.fail_safe_vertices == 0 && done.contacts >= 3);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(s.to[k].y - 0.01) < 1e-12);              /* at the distance of the thickness */
        assert_true(fabs(s.to[k].x - s.from[k].x - 0.2) < 1e-12); /* it slides */
    }
    /* with friction it does not */
    def.friction = 5.0;
    for (int k = 0; k < 3; k++)
        s.to[k] = plus(s.from[k], 1.0, tact_vec(0.2, -0.3, 0.0));
    give(&s);
    done = tact_step_resolve(world, &def);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(s.to[k].x - s.from[k].x) < 1e-12 && fabs(s.to[k].y - 0.01) < 1e-12);
    /* with some friction it loses in proportion to the push: it would have gone 0.2 below the floor and is pushed by
     * 0.21 */
    def.friction = 0.5;
    for (int k = 0; k < 3; k++)
        s.to[k] = plus(s.from[k], 1.0, tact_vec(0.2, -0.3, 0.0));
    give(&s);
    done = tact_step_resolve(world, &def);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(s.to[k].x - s.from[k].x - (0.2 - 0.5 * 0.21)) < 1e-9);
    /* a proximity nearer than the thickness is pushed back to it, in a few steps */
    def.friction = 0.0;
    for (int k = 0; k < 3; k++)
        s.from[k].y = s.to[k].y = 0.001;
    for (int i = 0; i < 6; i++) {
        give(&s);
        assert_int_equal(tact_step_resolve(world, &def).status, TACT_OK);
        assert_true(s.to[0].y >= s.from[0].y);
        memcpy(s.from, s.to, sizeof s.from);
    }
    assert_true(fabs(s.to[0].y - 0.01) < 1e-9);
    tact_world_release(world);
}

/* A pile of sheets, each nearer to the next than the thickness, and one that falls on them. The push propagates through
 * all of them within a few iterations, not by one sheet an iteration. */
static void a_push_propagates_through_a_pile_at_once(void **state)
{
    (void)state;
    enum { LAYERS = 12 };
    tact_world *world = tact_world_create(NULL);
    add_floor(world);
    one_sheet s[LAYERS];
    for (int i = 0; i < LAYERS; i++) {
        const bool falls = i + 1 == LAYERS;
        s[i] = make_triangle(world, 0.009 * (i + 1) + (falls ? 0.1 : 0.0), tact_vec(0.0, falls ? -0.5 : 0.0, 0.0));
        give(&s[i]);
    }
    tact_step_def def = tact_step_def_default();
    def.thickness = 0.01;
    const tact_step_result done = tact_step_resolve(world, &def);
    print_message("a pile of %d: %d iterations, %zu contacts\n", LAYERS, done.iterations, done.contacts);
    assert_true(done.status == TACT_OK && done.time == 1.0 && done.fail_safe_vertices == 0);
    assert_true(done.iterations <= 4);
    for (int i = 0; i < LAYERS; i++)
        for (int k = 0; k < 3; k++)
            assert_true(s[i].to[k].y > (i > 0 ? s[i - 1].to[k].y : 0.0));
    tact_world_release(world);
}

/* A vertex above a face, from `height` to `end`: a contact or a proximity. */
static bool push_vertex(bool (*push)(const step_response_params *, const step_hit *, const tact_vec3[4],
                                     const double[4], tact_vec3[4]),
                        double height, double end, double normal, double *y)
{
    const step_response_params rules = {.thickness = 0.01, .min_gap = 0.001, .friction = 0.0};
    const double inverse[4] = {1.0, 0.0, 0.0, 0.0};
    const tact_vec3 from[4] = {{0.2, height, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    tact_vec3 to[4] = {{0.2, end, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const step_hit hit = {.kind = TACT_VERTEX_FACE,
                          .distance = height,
                          .ccd = {.state = TACT_HIT, .weights = {1.0, 0.6, 0.2, 0.2}, .normal = {0, normal, 0}}};
    const bool pushed = push(&rules, &hit, from, inverse, to);
    *y = to[0].y;
    return pushed;
}

/* A response reaches its full target; a pair with half of it left is not changed. */
static void half_a_gap_is_enough(void **state)
{
    (void)state;
    double y;
    assert_true(push_vertex(tact_step_respond_contact, 0.1, -0.1, -1.0, &y) && fabs(y - 0.01) < 1e-15);
    assert_true(push_vertex(tact_step_respond_contact, 0.1, 0.0049, 1.0, &y) && fabs(y - 0.01) < 1e-15);
    assert_false(push_vertex(tact_step_respond_contact, 0.1, 0.0051, 1.0, &y));
    assert_true(y == 0.0051);
    assert_true(push_vertex(tact_step_respond_contact, 0.0001, -0.1, 1.0, &y) &&
                fabs(y - 0.001) < 1e-15); /* the minimum gap */
    /* a proximity at the start: at once, and some of the thickness more */
    assert_true(push_vertex(tact_step_respond_proximity, 0.004, 0.0039, -1.0, &y) && fabs(y - 0.0065) < 1e-15);
    /* and later */
    assert_true(push_vertex(tact_step_keep_distance, 0.004, 0.0019, -1.0, &y) && fabs(y - 0.004) < 1e-15);
    assert_false(push_vertex(tact_step_keep_distance, 0.004, 0.0021, -1.0, &y));
    assert_true(y == 0.0021);
}

/* The tree is rebuilt when it has degraded, and not when all vertices move alike. `min_tree_extent` grows only then. */
static void a_degraded_tree_is_rebuilt(void **state)
{
    (void)state;
    enum { PIECES = 64, TOGETHER = 10, APART = 20 };
    tact_world *world = tact_world_create(NULL);
    one_sheet s[PIECES];
    for (int i = 0; i < PIECES; i++)
        s[i] = make_triangle(world, 1.0 + i, tact_vec(0.0, 0.0, 0.0));
    double least = 0.0;
    int made = 0;
    for (int round = 0; round < TOGETHER + APART; round++) {
        for (int i = 0; i < PIECES; i++) {
            const double angle = round < TOGETHER ? 0.3 : 0.1 * i * i; /* then each moves differently */
            for (int k = 0; k < 3; k++)
                s[i].to[k] = plus(s[i].from[k], 3.0, tact_vec(cos(angle), 0.0, sin(angle)));
            give(&s[i]);
        }
        const tact_step_result done = tact_step_resolve(world, NULL);
        assert_true(done.status == TACT_OK && done.iterations == 0);
        const step_contact_finder *finder = &world->step->finder;
        assert_true(finder->min_tree_extent > 0.0 && finder->min_tree_extent <= finder->tree_extent);
        if (round < TOGETHER)
            assert_true(finder->tree_extent < 1.001 * finder->min_tree_extent &&
                        (round == 0 || finder->min_tree_extent < 1.001 * least));
        made += round > 0 && finder->min_tree_extent > 1.001 * least;
        least = finder->min_tree_extent;
        for (int i = 0; i < PIECES; i++)
            memcpy(s[i].from, s[i].to, sizeof s[i].from);
    }
    print_message("made anew %d times\n", made);
    assert_true(made >= 3 && made < APART);
    tact_world_release(world);
}

typedef struct witness {
    size_t calls, iterations;
    double last;
    bool backwards, push, garbage;
} witness;

static void look_on(void *context, const tact_feature_contact *contact, const tact_vec3 from[4], tact_vec3 to[4])
{
    witness *w = context;
    w->calls++;
    if (contact->ccd.lower < w->last)
        w->iterations++; /* the next one began */
    w->last = contact->ccd.lower;
    for (int k = 0; k < 4 && w->push; k++)
        to[k] = from[k];
    for (int k = 0; k < 4 && w->garbage; k++)
        to[k] = tact_vec(NAN, INFINITY, 1e300);
}

static void a_callback_replaces_the_default_response(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(20); seed++)
        for (int kind = 0; kind < 3; kind++) {
            random_source r = random_seed(seed);
            static model m;
            make_model(&m, &r, 0.4, NULL);
            witness w = {.push = kind == 0, .garbage = kind == 1};
            tact_step_def def = tact_step_def_default();
            def.callback = look_on;
            def.context = &w;
            def.max_iterations = 20;
            const size_t met = tact_step_find_contacts(m.world, &def).count;
            const tact_step_result done = tact_step_resolve(m.world, &def);
            CHECK(done.status == TACT_OK, "status %d", done.status);
            CHECK((w.calls > 0) == (met > 0) && w.calls == done.contacts, "%zu calls, %zu contacts", w.calls,
                  done.contacts);
            CHECK(kind == 0 || met == 0 || done.fail_safe_vertices > 0, "nothing was done, but all is well");
            check_resolved(seed, &m, done);
            tact_world_release(m.world);
        }
}

/* A sheet between two closing plates cannot move, so the step is shortened. */
static void between_obstacles_the_step_is_shortened(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_shape *plate = tact_box(1, 0.1, 1);
    tact_body above = tact_body_create(
        world,
        &(tact_body_def){.shape = plate, .transform = tact_at(0, 0.2, 0), .motion = tact_motion_linear(0, -0.3, 0)});
    tact_body below = tact_body_create(
        world,
        &(tact_body_def){.shape = plate, .transform = tact_at(0, -0.2, 0), .motion = tact_motion_linear(0, 0.3, 0)});
    tact_shape_release(plate);
    one_sheet s = make_triangle(world, 0.0, tact_vec(0, 0, 0));
    give(&s);
    const tact_step_result done = tact_step_resolve(world, NULL);
    assert_int_equal(done.status, TACT_OK);
    assert_true(done.time > 0.3 && done.time < 0.46 && done.fail_safe_vertices > 0);
    assert_true(fabs(tact_body_get_transform(world, above).origin.y - (0.2 - 0.3 * done.time)) < 1e-12);
    assert_true(fabs(tact_body_get_transform(world, below).origin.y - (-0.2 + 0.3 * done.time)) < 1e-12);
    assert_int_equal(tact_step_find_contacts(world, &(tact_step_def){.duration = 0.0, .max_iterations = 1}).count, 0);
    tact_world_release(world);
}

/* Without iterations: it is carried by the obstacle that runs into it. */
static void the_fail_safe_moves_with_an_obstacle(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_shape *plate = tact_box(1, 0.1, 1);
    tact_body_create(world, &(tact_body_def){.shape = plate,
                                             .transform = tact_at(0, -0.2, 0),
                                             .motion = {.velocity = {0, 0.5, 0}, .spin = {0, 0.5, 0.1}}});
    tact_shape_release(plate);
    one_sheet s = make_triangle(world, 0.0, tact_vec(0, -0.1, 0));
    give(&s);
    tact_step_def def = tact_step_def_default();
    def.max_iterations = 0;
    const tact_step_result done = tact_step_resolve(world, &def);
    assert_true(done.status == TACT_OK && done.time == 1.0 && done.fail_safe_vertices == 3);
    for (int k = 0; k < 3; k++)
        assert_true(s.to[k].y > 0.4);
    tact_world_release(world);
}

static void contact_at_the_start_is_refused(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    add_floor(world);
    one_sheet s = make_triangle(world, 0.0, tact_vec(0, 1, 0));
    give(&s);
    const tact_vec3 before = s.to[0];
    assert_int_equal(tact_step_resolve(world, NULL).status, TACT_BAD_ARGUMENT);
    assert_memory_equal(&before, &s.to[0], sizeof before);
    assert_true(tact_step_find_limit(world, NULL).time == 0.0);
    /* slightly above it is not */
    for (int k = 0; k < 3; k++)
        s.from[k].y = 5e-324;
    give(&s);
    assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
    tact_world_release(world);
}

/* ---- the scenes ---- */

static void run_scene(const char *name, int steps, int scale)
{
    simulation *sim = scene_create(name, scale, NULL);
    assert_non_null(sim);
    assert_int_equal(simulation_intersections(sim), 0);
    size_t met = 0;
    for (int i = 1; i <= steps; i++) {
        const tact_step_result r = simulation_step(sim);
        const size_t wrong = r.status == TACT_OK ? simulation_intersections(sim) : 0;
        if (r.status != TACT_OK || wrong != 0)
            fail_msg("%s over %d, step %d: %s, %zu pairs of triangles meet", name, scale, i, tact_status_text(r.status),
                     wrong);
        met += r.contacts;
    }
    assert_true(met > 100);
    simulation_release(sim);
}

static void scenes_stay_free_of_intersections(void **state)
{
    (void)state;
    const bool all = getenv("TACT_TEST_LONG") != NULL;
    run_scene("pile", all ? 500 : 24, all ? 1 : 5);
    if (quick_form())
        return;
    run_scene("shower", all ? 500 : 24, all ? 1 : 5);
    run_scene("garment", all ? 500 : 18, all ? 1 : 4);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    tact_vec3 *wanted = NULL;
    for (int kind = 0; kind < 4; kind++) {
        tact_world_def def = {.parallel = {.threads = kind + 1}};
        if (kind == 3)
            def.parallel = (tact_parallel){.loop = reverse_loop};
        simulation *sim = scene_create("shower", 4, &def);
        for (int i = 0; i < (long_form() ? 35 : quick_form() ? 7 : 14); i++)
            assert_int_equal(simulation_step(sim).status, TACT_OK);
        const size_t bytes = sim->cloths[0].count * sizeof(tact_vec3);
        if (kind == 0)
            wanted = malloc(bytes * 8);
        for (int i = 0; i < sim->cloth_count; i++) {
            unsigned char *at = (unsigned char *)wanted + (size_t)i * bytes;
            if (kind == 0)
                memcpy(at, sim->cloths[i].position, bytes);
            else
                assert_memory_equal(at, sim->cloths[i].position, bytes);
        }
        simulation_release(sim);
    }
    free(wanted);
}

/* What a step does to bodies is recorded, though the step is not. */
static void a_replay_has_the_same_bodies(void **state)
{
    (void)state;
    simulation *sim = scene_create("shower", 6, NULL);
    tact_bytes recording = {0};
    tact_report report;
    tact_record *record = tact_record_begin(sim->world, tact_bytes_sink(&recording), NULL, &report);
    assert_non_null(record);
    for (int i = 0; i < 30; i++)
        assert_int_equal(simulation_step(sim).status, TACT_OK);
    assert_int_equal(tact_record_end(record, &report), TACT_OK);
    tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
    assert_non_null(replay);
    assert_int_equal(tact_replay_run(replay, &report), TACT_REPLAY_END);
    const tact_world *again = tact_replay_get_world(replay);
    tact_vec3 *now = malloc(sim->cloths[0].count * sizeof *now);
    for (int i = 0; i < sim->cloth_count; i++) {
        const cloth *p = &sim->cloths[i];
        assert_int_equal(tact_body_get_vertices(again, p->body, now, p->count), p->count);
        assert_memory_equal(now, p->position, p->count * sizeof *now);
    }
    for (int i = 0; i < sim->obstacle_count; i++) {
        const tact_transform a = tact_body_get_transform(sim->world, sim->obstacles[i].body);
        const tact_transform b = tact_body_get_transform(again, sim->obstacles[i].body);
        assert_memory_equal(&a, &b, sizeof a);
    }
    free(now);
    tact_replay_release(replay);
    tact_bytes_release(&recording);
    simulation_release(sim);
}

/* ---- errors ---- */

static void bad_input_is_refused(void **state)
{
    (void)state;
    const tact_step_def usual = tact_step_def_default();
    assert_int_equal(tact_step_find_contacts(NULL, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_step_find_proximities(NULL, 1, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_step_find_limit(NULL, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_step_resolve(NULL, NULL).status, TACT_BAD_ARGUMENT);
    tact_world *world = tact_world_create(NULL);
    assert_int_equal(tact_body_set_step_positions(NULL, (tact_body){0, 0}, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_step_positions(world, (tact_body){0, 0}, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_inverse_vertex_masses(world, (tact_body){0, 0}, NULL), TACT_BAD_ARGUMENT);
    /* no bodies: the step is free */
    assert_true(tact_step_find_contacts(world, NULL).status == TACT_OK &&
                tact_step_find_contacts(world, NULL).count == 0);
    assert_true(tact_step_find_limit(world, NULL).time == 1.0);
    assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
    const tact_body floor = add_floor(world);
    assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
    one_sheet s = make_triangle(world, 0.1, tact_vec(0, -1, 0));
    assert_int_equal(tact_body_set_step_positions(world, floor, s.from, s.to), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_step_positions(world, s.cloth, s.from, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_step_positions(world, s.cloth, NULL, s.to), TACT_BAD_ARGUMENT);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e141};
    for (size_t i = 0; i < 4; i++) {
        one_sheet t = s;
        t.to[1].z = bad[i];
        assert_int_equal(tact_body_set_step_positions(world, s.cloth, t.from, t.to), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_step_positions(world, s.cloth, t.to, t.from), TACT_BAD_ARGUMENT);
        const double masses[2][3] = {{1, bad[i], 1}, {1, 1, -bad[i]}};
        assert_int_equal(tact_body_set_inverse_vertex_masses(world, s.cloth, masses[0]), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_body_set_inverse_vertex_masses(world, s.cloth, masses[1]), TACT_BAD_ARGUMENT);
    }
    assert_true(tact_step_find_limit(world, NULL).time == 1.0); /* none of these was accepted */
    give(&s);
    const double numbers[] = {NAN, INFINITY, -1.0};
    for (size_t i = 0; i < 3; i++) {
        tact_step_def defs[3] = {usual, usual, usual};
        defs[0].duration = defs[1].thickness = defs[2].friction = numbers[i];
        for (int k = 0; k < 3; k++) {
            assert_int_equal(tact_step_find_contacts(world, &defs[k]).status, TACT_BAD_ARGUMENT);
            assert_int_equal(tact_step_resolve(world, &defs[k]).status, TACT_BAD_ARGUMENT);
        }
        assert_int_equal(tact_step_find_proximities(world, numbers[i], NULL).status, TACT_BAD_ARGUMENT);
    }
    assert_true(tact_step_find_limit(world, NULL).time < 1.0);
    /* an obstacle that moves out of bounds */
    assert_int_equal(tact_body_set_motion(world, floor, tact_motion_linear(0, 1e150, 0)), TACT_OK);
    assert_int_equal(tact_step_find_contacts(world, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion(world, floor, tact_motion_still()), TACT_OK);
    /* not at the identity transform */
    assert_int_equal(tact_body_set_transform(world, s.cloth, tact_at(1, 0, 0)), TACT_OK);
    assert_int_equal(tact_step_resolve(world, NULL).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_step_positions(world, s.cloth, s.from, s.to), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_transform(world, s.cloth, tact_identity()), TACT_OK);
    assert_true(tact_step_find_contacts(world, NULL).count > 0);
    /* no positions given: it is an obstacle, and obstacles do not collide */
    assert_int_equal(tact_body_set_step_positions(world, s.cloth, NULL, NULL), TACT_OK);
    assert_true(tact_step_find_limit(world, NULL).time == 1.0);
    give(&s);
    /* rigid from now on, with another shape; then gone */
    tact_shape *cube = tact_box(1, 1, 1);
    assert_int_equal(tact_body_set_shape(world, s.cloth, cube), TACT_OK);
    tact_shape_release(cube);
    assert_int_equal(tact_step_find_contacts(world, NULL).count, 0);
    assert_int_equal(tact_body_set_step_positions(world, s.cloth, s.from, s.to), TACT_BAD_ARGUMENT);
    one_sheet other = make_triangle(world, 0.9, tact_vec(0, -1, 0));
    give(&other);
    assert_true(tact_step_find_contacts(world, NULL).count > 0);
    assert_int_equal(tact_body_remove(world, s.cloth), TACT_OK);
    assert_true(tact_step_find_contacts(world, NULL).count > 0);
    assert_int_equal(tact_body_remove(world, other.cloth), TACT_OK);
    assert_int_equal(tact_step_find_contacts(world, NULL).count, 0);
    assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
    tact_world_release(world);
}

typedef struct vandal {
    tact_world *world;
    tact_body victim;
    tact_shape *swap; /* it gets another shape; NULL: it is removed */
    int refused;
} vandal;

static void break_things(void *context, const tact_feature_contact *contact, const tact_vec3 from[4], tact_vec3 to[4])
{
    vandal *v = context;
    tact_vec3 nowhere[3] = {{0, 0, 0}};
    (void)contact;
    v->refused += tact_step_resolve(v->world, NULL).status == TACT_BAD_ARGUMENT;
    v->refused += tact_step_find_contacts(v->world, NULL).status == TACT_BAD_ARGUMENT;
    v->refused += tact_body_set_step_positions(v->world, v->victim, nowhere, nowhere) == TACT_BAD_ARGUMENT;
    if (v->swap != NULL)
        (void)tact_body_set_shape(v->world, v->victim, v->swap);
    else
        (void)tact_body_remove(v->world, v->victim);
    for (int k = 0; k < 4; k++)
        to[k] = from[k];
}

static void a_callback_may_remove_bodies_but_not_start_steps(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    vandal v = {.world = world};
    v.victim = add_floor(world);
    one_sheet s = make_triangle(world, 0.1, tact_vec(0, -1, 0));
    give(&s);
    tact_step_def def = tact_step_def_default();
    def.callback = break_things;
    def.context = &v;
    assert_int_equal(tact_step_resolve(world, &def).status, TACT_OK);
    assert_true(v.refused >= 3);
    assert_false(tact_body_exists(world, v.victim));
    v.victim = s.cloth;
    add_floor(world);
    for (int k = 0; k < 3; k++)
        s.to[k].y = -1.0;
    give(&s);
    assert_int_equal(tact_step_resolve(world, &def).status, TACT_OK);
    assert_int_equal(tact_world_body_count(world), 1);
    /* another shape for a moving obstacle that cannot be avoided */
    v.swap = tact_sphere(0.1);
    for (int which = 0; which < 2; which++) {
        one_sheet held = make_triangle(world, 0.1, tact_vec(0, 0, 0));
        const double nothing[3] = {0, 0, 0};
        v.victim = which == 0 ? add_floor(world) : held.cloth;
        assert_int_equal(tact_body_set_motion(world, v.victim, tact_motion_linear(0, 1, 0)), TACT_OK);
        give(&held);
        assert_int_equal(tact_body_set_inverse_vertex_masses(world, held.cloth, nothing), TACT_OK);
        assert_int_equal(tact_step_resolve(world, &def).status, TACT_OK);
        (void)tact_body_remove(world, held.cloth);
    }
    tact_shape_release(v.swap);
    tact_world_release(world);
}

/* Everything that a step does, with an allocator that may fail; false if it did. */
static bool try_step(random_source r, failing_allocator *memory, long fail_at, tact_status *status)
{
    static model m;
    const tact_world_def def = {.allocator = failing_allocator_make(memory), .parallel = {.threads = 1}};
    make_model(&m, &r, 0.4, &(tact_world_def){.allocator = def.allocator, .parallel = def.parallel});
    tact_step_def usual = tact_step_def_default();
    usual.thickness = 0.05;
    usual.max_iterations = 2;
    memory->fail_at = memory->calls + fail_at;
    *status = tact_step_find_contacts(m.world, &usual).status;
    if (*status == TACT_OK)
        *status = tact_step_find_proximities(m.world, 0.1, &usual).status;
    if (*status == TACT_OK)
        *status = tact_step_resolve(m.world, &usual).status;
    const bool failed = *status != TACT_OK;
    if (failed) {
        assert_int_equal(*status, TACT_OUT_OF_MEMORY);
        for (int i = 0; i < m.sheet_count; i++)
            assert_memory_equal(m.sheets[i].to, m.sheets[i].wish, sizeof m.sheets[i].to);
        memory->fail_at = 0;
        assert_int_equal(tact_step_resolve(m.world, &usual).status, TACT_OK);
        check_resolved(0, &m, (tact_step_result){.time = 1.0});
    }
    tact_world_release(m.world);
    return !failed;
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    size_t failures = 0;
    for (long at = 1;; at++) {
        failing_allocator memory = {0};
        tact_status status;
        const bool fine = try_step(r, &memory, at, &status);
        assert_int_equal(memory.held, 0);
        if (fine && memory.calls < memory.fail_at)
            break;
        failures++;
    }
    assert_true(failures > 20);
    /* the input, too */
    tact_world *world = tact_world_create(NULL);
    one_sheet s = make_triangle(world, 0.1, tact_vec(0, -1, 0));
    (void)s;
    tact_world_release(world);
    for (long at = 1; at < 8; at++) {
        failing_allocator memory = {0};
        world = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
        s = make_triangle(world, 0.1, tact_vec(0, -1, 0));
        const double masses[3] = {1, 2, 3};
        memory.fail_at = memory.calls + at;
        tact_status one = tact_body_set_step_positions(world, s.cloth, s.from, s.to);
        tact_status two = tact_body_set_inverse_vertex_masses(world, s.cloth, masses);
        assert_true(one == TACT_OK || one == TACT_OUT_OF_MEMORY);
        assert_true(two == TACT_OK || two == TACT_OUT_OF_MEMORY);
        assert_true(at > 5 || one != TACT_OK || two != TACT_OK);
        memory.fail_at = 0;
        give(&s);
        assert_int_equal(tact_body_set_inverse_vertex_masses(world, s.cloth, masses), TACT_OK);
        assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
        tact_world_release(world);
        assert_int_equal(memory.held, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_brute_force_finds),
        cmocka_unit_test(resolved_steps_are_free),
        cmocka_unit_test(a_falling_sheet_rests_on_the_floor),
        cmocka_unit_test(a_push_propagates_through_a_pile_at_once),
        cmocka_unit_test(half_a_gap_is_enough),
        cmocka_unit_test(a_degraded_tree_is_rebuilt),
        cmocka_unit_test(a_callback_replaces_the_default_response),
        cmocka_unit_test(between_obstacles_the_step_is_shortened),
        cmocka_unit_test(the_fail_safe_moves_with_an_obstacle),
        cmocka_unit_test(contact_at_the_start_is_refused),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_replay_has_the_same_bodies),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(a_callback_may_remove_bodies_but_not_start_steps),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(scenes_stay_free_of_intersections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
