/*
 * Jumps of bodies near moving vertices, by the public API: a transform is set, positions are set, or a loop starts
 * again. Points then move along straight lines in no time, and bodies that they meet touch at that time. Expected is
 * what static distances at many points of the way say. Worlds that are saved and restored next to the jump go on with
 * the same touches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { SIDE = 4, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), SAMPLES = 160, KINDS = 9 };

static tact_vec3 random_vec(random_source *r, double most)
{
    const double x = random_range(r, -most, most), y = random_range(r, -most, most), z = random_range(r, -most, most);
    return (tact_vec3){x, y, z};
}

static tact_vec3 add(tact_vec3 a, tact_vec3 b) { return (tact_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }

static tact_vec3 mix(tact_vec3 a, tact_vec3 b, double s)
{
    return (tact_vec3){(1.0 - s) * a.x + s * b.x, (1.0 - s) * a.y + s * b.y, (1.0 - s) * a.z + s * b.z};
}

static double length(tact_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

static tact_shape *sheet_mesh(const tact_vec3 points[VERTICES], double margin)
{
    uint32_t indices[TRIANGLES][3], n = 0;
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t j = 0; j + 1 < SIDE; ++j) {
            const uint32_t a = SIDE * i + j;
            memcpy(indices[n++], (const uint32_t[3]){a, a + 1, a + SIDE}, sizeof indices[0]);
            memcpy(indices[n++], (const uint32_t[3]){a + 1, a + SIDE + 1, a + SIDE}, sizeof indices[0]);
        }
    tact_shape *mesh = tact_mesh(points, VERTICES, indices[0], TRIANGLES);
    if (margin == 0.0)
        return mesh;
    tact_shape *wide = tact_rounded(mesh, margin);
    tact_shape_release(mesh);
    return wide;
}

/* About 0.5 in size. */
static tact_shape *make_shape(random_source *r, int kind)
{
    switch (kind) {
    case 0:
        return tact_sphere(random_range(r, 0.05, 0.4));
    case 1:
        return tact_box(random_range(r, 0.1, 0.4), random_range(r, 0.1, 0.4), random_range(r, 0.1, 0.4));
    case 2:
        return tact_capsule(random_range(r, 0.05, 0.2), random_range(r, 0.1, 0.6));
    case 3:
        return tact_ellipsoid(random_range(r, 0.1, 0.4), random_range(r, 0.1, 0.4), random_range(r, 0.1, 0.4));
    case 4: {
        tact_vec3 points[8];
        for (int i = 0; i < 8; ++i)
            points[i] = random_vec(r, 0.4);
        return tact_hull(points, 8);
    }
    case 5: {
        tact_shape *parts[2] = {tact_sphere(0.15), tact_box(0.15, 0.1, 0.2)};
        const tact_transform at[2] = {tact_at(0.2, 0.0, 0.0), tact_at(-0.2, 0.1, 0.0)};
        tact_shape *both = tact_compound((const tact_shape *const *)parts, at, 2);
        tact_shape_release(parts[0]);
        tact_shape_release(parts[1]);
        return both;
    }
    case 6: {
        tact_shape *box = tact_box(0.2, 0.1, 0.3), *wide = tact_rounded(box, 0.05);
        tact_shape_release(box);
        return wide;
    }
    case 7:
        return tact_cylinder(random_range(r, 0.1, 0.3), random_range(r, 0.1, 0.5));
    default: {
        const tact_vec3 points[4] = {random_vec(r, 0.4), random_vec(r, 0.4), random_vec(r, 0.4), random_vec(r, 0.4)};
        return tact_mesh(points, 4, (const uint32_t[6]){0, 1, 2, 0, 2, 3}, 2);
    }
    }
}

/* Where everything is before and after the jump. */
typedef struct jump_scene {
    tact_world *world;
    tact_body sheet, body;
    tact_shape *shape;
    double margin;
    double time;                                 /* of the jump */
    tact_vec3 before[VERTICES], after[VERTICES]; /* the sheet */
    tact_transform from, to;                     /* the body */
    bool by_deform;
} jump_scene;

/* Whether the bodies meet on the way: 1, -1 if they do not, 0 if that is too close to tell. */
static int meet_on_way(const jump_scene *s)
{
    /* the part of the way on which the body is near the sheet */
    double first = 1.0, last = 0.0;
    for (int i = 0; i <= 4000; ++i) {
        const double t = i / 4000.0;
        for (int v = 0; v < VERTICES; ++v)
            if (length(add(mix(s->before[v], s->after[v], t),
                           mix((tact_vec3){-s->from.origin.x, -s->from.origin.y, -s->from.origin.z},
                               (tact_vec3){-s->to.origin.x, -s->to.origin.y, -s->to.origin.z}, t))) < 3.0) {
                first = fmin(first, t);
                last = fmax(last, t);
            }
    }
    if (first > last)
        return -1; /* only short ways are not sampled finely enough for that */
    first = fmax(0.0, first - 1.0 / 4000.0);
    last = fmin(1.0, last + 1.0 / 4000.0);
    double least = INFINITY, speed = 0.0;
    for (int v = 0; v < VERTICES; ++v)
        speed = fmax(speed,
                     length(add(add(s->after[v], (tact_vec3){-s->before[v].x, -s->before[v].y, -s->before[v].z}),
                                add(s->from.origin, (tact_vec3){-s->to.origin.x, -s->to.origin.y, -s->to.origin.z}))));
    for (int i = 0; i <= SAMPLES; ++i) {
        const double t = first + (last - first) * i / SAMPLES;
        tact_vec3 now[VERTICES];
        for (int v = 0; v < VERTICES; ++v)
            now[v] = mix(s->before[v], s->after[v], t);
        tact_transform at = s->to;
        at.origin = mix(s->from.origin, s->to.origin, t);
        tact_shape *mesh = sheet_mesh(now, s->margin);
        const tact_distance d = tact_shapes_distance(mesh, tact_identity(), s->shape, at);
        tact_shape_release(mesh);
        assert_int_equal(d.status, TACT_OK);
        if (d.distance == 0.0)
            return 1;
        least = fmin(least, d.distance);
    }
    return least > speed * (last - first) / SAMPLES ? -1 : 0;
}

static jump_scene make_scene(random_source *r, int kind)
{
    jump_scene s = {.world = tact_world_create(NULL), .time = random_chance(r, 0.2) ? 0.0 : random_range(r, 0.1, 1.0)};
    assert_int_equal(tact_world_set_kinetic(s.world, random_chance(r, 0.4)   ? TACT_KINETIC_FAT_BOUNDS
                                                     : random_chance(r, 0.6) ? TACT_KINETIC_SWEEP_AND_PRUNE
                                                                             : TACT_KINETIC_AUTO),
                     TACT_OK);
    s.margin = random_chance(r, 0.2) ? 0.05 : 0.0;
    s.shape = make_shape(r, kind);
    assert_non_null(s.shape);
    /* the body is above the sheet; then it, the sheet, or some of its vertices jump, so that it is below */
    const int who = random_between(r, 0, 3); /* body, sheet, some vertices, both */
    const double far = random_chance(r, 0.3) ? exp(random_range(r, 1.0, 7.0)) : random_range(r, 1.2, 3.0);
    for (int v = 0; v < VERTICES; ++v) {
        s.before[v] = add((tact_vec3){v / SIDE - 1.5, v % SIDE - 1.5, 0.0}, random_vec(r, 0.15));
        s.after[v] = s.before[v];
    }
    const tact_vec3 at = {random_range(r, -2.0, 2.0), random_range(r, -2.0, 2.0), far};
    tact_vec3 way = {random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0),
                     who == 0 ? -random_range(r, 0.3, 2.2) * far : -far - random_range(r, 0.8, 3.0)};
    const tact_vec3 back = {-way.x, -way.y, -way.z};
    s.from = tact_at(at.x, at.y, at.z);
    s.from = tact_transform_make(at, tact_quat_from_axis_angle((tact_vec3){0.6, 0.0, 0.8}, random_range(r, 0.0, 6.0)),
                                 (tact_vec3){1.0, 1.0, 1.0});
    s.to = s.from;
    s.by_deform = random_chance(r, 0.3);
    if (who == 0)
        s.to.origin = add(at, way);
    else if (who == 3)
        s.to.origin = add(at, mix(way, (tact_vec3){0.0, 0.0, 0.0}, 0.4));
    const int some = random_between(r, 0, VERTICES - 1);
    for (int v = 0; v < VERTICES && who > 0; ++v)
        if (who == 1 || (who == 2 && (v == some || v == some + 1)))
            s.after[v] = add(s.before[v], back);
        else if (who == 3)
            s.after[v] = add(s.before[v], mix(back, (tact_vec3){0.0, 0.0, 0.0}, random_range(r, 0.0, 0.5)));
    return s;
}

/* Creates the bodies so that they are where they jump from at the time of the jump, and goes on until then. */
static void run_to_jump(jump_scene *s, random_source *r)
{
    const bool moves = random_chance(r, 0.5), spins = random_chance(r, 0.3);
    tact_vec3 start[2][VERTICES];
    for (int v = 0; v < VERTICES; ++v) { /* vertices that come slowly, or rest */
        start[0][v] = moves ? add(s->before[v], random_vec(r, 0.01)) : s->before[v];
        start[1][v] = s->before[v];
    }
    tact_shape *mesh = sheet_mesh(start[0], s->margin);
    s->sheet = tact_body_create(s->world, &(tact_body_def){.shape = mesh, .deformable = true});
    assert_int_not_equal(s->sheet.generation, 0);
    tact_shape_release(mesh);
    assert_int_equal(tact_body_set_feature_events(s->world, s->sheet, random_chance(r, 0.5)), TACT_OK);
    if (moves && s->time > 0.0) {
        assert_int_equal(tact_body_set_vertex_motion(s->world, s->sheet,
                                                     &(tact_vertex_motion){.targets = start[1], .end_time = s->time}),
                         TACT_OK);
    } else {
        assert_int_equal(tact_body_set_vertex_motion(s->world, s->sheet, &(tact_vertex_motion){.positions = start[1]}),
                         TACT_OK);
    }
    const tact_motion motion = {.spin = spins ? random_vec(r, 2.0) : (tact_vec3){0.0, 0.0, 0.0}};
    s->body = tact_body_create(s->world, &(tact_body_def){.shape = s->shape, .transform = s->from, .motion = motion});
    tact_event e;
    while (tact_world_next_event(s->world, s->time, &e) != TACT_EVENT_NONE)
        assert_true(e.kind != TACT_EVENT_TOUCH);
    s->from = tact_body_get_transform(s->world, s->body);
    const tact_vec3 to = s->to.origin;
    s->to = s->from;
    s->to.origin = to;
}

static void jump(const jump_scene *s, tact_world *world)
{
    if (memcmp(&s->from, &s->to, sizeof s->from) != 0)
        assert_int_equal(tact_body_set_transform(world, s->body, s->to), TACT_OK);
    if (memcmp(s->before, s->after, sizeof s->before) == 0)
        return;
    if (s->by_deform)
        assert_int_equal(tact_body_deform(world, s->sheet, (tact_vertices){.data = s->after, .count = VERTICES}),
                         TACT_OK);
    else
        assert_int_equal(tact_body_set_vertex_motion(world, s->sheet, &(tact_vertex_motion){.positions = s->after}),
                         TACT_OK);
}

static tact_world *saved_copy(tact_world *world)
{
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world *copy = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(copy);
    tact_bytes_release(&bytes);
    return copy;
}

/* The touches at the time of the jump. */
static int touches_now(tact_world *world, double time)
{
    int count = 0;
    tact_event e;
    while (tact_world_next_event(world, time, &e) != TACT_EVENT_NONE)
        count += e.kind == TACT_EVENT_TOUCH && e.time == time;
    assert_int_equal(e.status, TACT_OK);
    return count;
}

static void bodies_on_the_way_touch(void **state)
{
    (void)state;
    int hits[KINDS] = {0}, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(240); ++seed) {
        random_source r = random_seed(seed);
        const int kind = (int)(seed % KINDS);
        jump_scene s = make_scene(&r, kind);
        run_to_jump(&s, &r);
        const int expected = meet_on_way(&s);
        if (expected != 0) {
            tact_world *before = saved_copy(s.world);
            jump(&s, s.world);
            tact_world *between = saved_copy(s.world);
            jump(&s, before);
            const int wanted = expected > 0 ? 1 : 0;
            CHECK(touches_now(s.world, s.time) == wanted, "kind %d: not %d touches", kind, wanted);
            CHECK(touches_now(before, s.time) == wanted, "kind %d, saved before: not %d touches", kind, wanted);
            CHECK(touches_now(between, s.time) == wanted, "kind %d, saved between: not %d touches", kind, wanted);
            hits[kind] += wanted;
            misses += !wanted;
            tact_world_release(before);
            tact_world_release(between);
        }
        tact_world_release(s.world);
        tact_shape_release(s.shape);
    }
    print_message("%d jumps that meet nothing\n", misses);
    for (int i = 0; i < KINDS; ++i) {
        print_message("kind %d: %d jumps across the sheet\n", i, hits[i]);
        assert_true(few_cases() || hits[i] >= 5);
    }
    assert_true(few_cases() || misses > 30);
}

/* A sheet goes around a body, and jumps across it when its animation starts again. */
static void a_loop_that_starts_again_meets_bodies(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind)
        for (int spins = 0; spins < 2; ++spins) {
            const uint64_t seed = (uint64_t)kind;
            random_source r = random_seed(seed);
            tact_world *world = tact_world_create(NULL);
            tact_vec3 keys[4][VERTICES];
            for (int v = 0; v < VERTICES; ++v) {
                const tact_vec3 p = add((tact_vec3){v / SIDE - 1.5, v % SIDE - 1.5, 0.0}, random_vec(&r, 0.1));
                keys[0][v] = add(p, (tact_vec3){0.0, 0.0, -2.0});
                keys[1][v] = add(p, (tact_vec3){9.0, 0.0, -2.0});
                keys[2][v] = add(p, (tact_vec3){9.0, 0.0, 2.0});
                keys[3][v] = add(p, (tact_vec3){0.0, 0.0, 2.0});
            }
            tact_shape *mesh = sheet_mesh(keys[0], 0.0), *shape = make_shape(&r, kind);
            const tact_body sheet = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true});
            const tact_motion motion = {.spin = {0.0, spins, 0.0}};
            (void)tact_body_create(world, &(tact_body_def){.shape = shape, .motion = motion});
            const tact_animation_def def = {.vertices = {.data = keys, .count = VERTICES}, .frame_count = 4};
            tact_animation *animation = tact_animation_create(&def, NULL);
            assert_int_equal(tact_body_play(world, sheet, animation, &(tact_play_def){.loop = true}), TACT_OK);
            tact_animation_release(animation);
            tact_shape_release(mesh);
            tact_shape_release(shape);
            tact_event e;
            for (int n = 1; n <= 3; ++n) {
                CHECK(tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH && e.time == 3.0 * n,
                      "kind %d: no touch at the start of repetition %d", kind, n);
                if (n == 2) {
                    tact_world *copy = saved_copy(world);
                    tact_world_release(world);
                    world = copy;
                }
            }
            CHECK(tact_world_next_event(world, 10.0, &e) == TACT_EVENT_NONE && e.status == TACT_OK, "another event");
            tact_world_release(world);
        }
}

/* A sheet leaves a body that it touches, and jumps onto it or across it soon after. */
static void a_jump_right_after_a_separation_touches_again(void **state)
{
    (void)state;
    int again = 0, none = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(180); ++seed) {
        random_source r = random_seed(seed ^ 0x5555);
        const int kind = (int)(seed % KINDS);
        tact_world *world = tact_world_create(NULL);
        tact_shape *shape = make_shape(&r, kind);
        tact_vec3 points[VERTICES], up[VERTICES], to[VERTICES];
        for (int v = 0; v < VERTICES; ++v)
            points[v] = (tact_vec3){v / SIDE - 1.5, v % SIDE - 1.5, 0.0};
        tact_shape *mesh = sheet_mesh(points, random_chance(&r, 0.3) ? 0.05 : 0.0);
        /* the lowest point of the body at height 0: the sheet comes from below, and turns back at a time */
        tact_bounds b;
        assert_int_equal(tact_shape_bounds(shape, tact_identity(), &b), TACT_OK);
        const tact_body sheet = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true});
        const double spin = random_chance(&r, 0.3) ? 1.0 : 0.0;
        (void)tact_body_create(world, &(tact_body_def){.shape = shape,
                                                       .transform = tact_at(0.1, 0.1, 1.0 - b.min.z),
                                                       .motion = {.spin = {0.0, 0.0, spin}}});
        for (int v = 0; v < VERTICES; ++v)
            up[v] = (tact_vec3){0.0, 0.0, 1.0};
        assert_int_equal(tact_body_set_feature_events(world, sheet, random_chance(&r, 0.5)), TACT_OK);
        assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = up}), TACT_OK);
        tact_event e;
        CHECK(tact_world_next_event(world, 2.0, &e) == TACT_EVENT_TOUCH, "kind %d: no touch", kind);
        const double touched = e.time, deep = random_chance(&r, 0.5) ? 0.0 : random_range(&r, 1e-7, 0.05);
        double last = touched;
        while (deep > 0.0 && tact_world_next_event(world, touched + deep, &e) != TACT_EVENT_NONE)
            assert_true(e.kind != TACT_EVENT_TOUCH);
        for (int v = 0; v < VERTICES; ++v)
            up[v].z = -1.0;
        assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = up}), TACT_OK);
        /* apart, or not yet */
        const double gap = random_chance(&r, 0.3) ? -random_range(&r, 0.1, 0.9) * deep
                           : deep > 0.0           ? exp(random_range(&r, -13.0, -2.0))
                                                  : exp(random_range(&r, -14.0, -2.0));
        const double time = touched + 2.0 * deep + gap;
        if (gap < 0.0 && deep == 0.0) {
            tact_shape_release(mesh);
            tact_shape_release(shape);
            tact_world_release(world);
            continue;
        }
        int touches = 0;
        while (tact_world_next_event(world, time, &e) != TACT_EVENT_NONE)
            touches += e.kind == TACT_EVENT_TOUCH && e.time > touched;
        CHECK(touches == 0, "kind %d: %d touches on the way back", kind, touches);
        const double height = random_chance(&r, 0.5) ? 0.01 + deep : 20.0; /* into the body, or far beyond it */
        for (int v = 0; v < VERTICES; ++v) {
            to[v] = tact_body_get_vertex_position(world, sheet, (uint32_t)v, NULL);
            to[v].z += gap + height;
        }
        last = tact_world_get_time(world);
        if (random_chance(&r, 0.5))
            assert_int_equal(tact_body_deform(world, sheet, (tact_vertices){.data = to, .count = VERTICES}), TACT_OK);
        else
            assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.positions = to}),
                             TACT_OK);
        if (random_chance(&r, 0.3)) {
            tact_world *copy = saved_copy(world);
            tact_world_release(world);
            world = copy;
        }
        while (tact_world_next_event(world, time + 0.5, &e) != TACT_EVENT_NONE)
            touches += e.kind == TACT_EVENT_TOUCH && e.time == last;
        CHECK(touches == (gap > 0.0), "kind %d: %d touches, %g apart, deep %g, height %g, spin %g, margin %g", kind,
              touches, gap, deep, height, spin, tact_shape_get_margin(mesh));
        again += gap > 0.0;
        none += gap <= 0.0;
        tact_shape_release(mesh);
        tact_shape_release(shape);
        tact_world_release(world);
    }
    print_message("%d touch again, %d were not apart\n", again, none);
    assert_true(few_cases() || (again > 60 && none > 5));
}

/* Bodies that jump across a sheet and back, with touches each time. Returns their number; -1: no memory. */
static int run_short_of_memory(tact_allocator allocator)
{
    tact_world *world = tact_world_create(&(tact_world_def){.allocator = allocator});
    if (world == NULL)
        return -1;
    tact_vec3 points[VERTICES];
    for (int v = 0; v < VERTICES; ++v)
        points[v] = (tact_vec3){v / SIDE - 1.5, v % SIDE - 1.5, 0.0};
    tact_shape *mesh = sheet_mesh(points, 0.0), *ball = tact_sphere(0.2), *box = tact_box(0.3, 0.3, 0.3);
    tact_body sheet = {0}, bodies[2];
    int touches = 0;
    bool failed = false;
    sheet = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true});
    bodies[0] = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(0.5, 0.5, 50.0)});
    bodies[1] = tact_body_create(world, &(tact_body_def){.shape = box, .transform = tact_at(-0.7, -0.7, 50.0)});
    failed = sheet.generation == 0 || bodies[0].generation == 0 || bodies[1].generation == 0;
    const double heights[] = {-40.0, 0.1, 30.0, -1.0};
    for (int step = 0; step < 5 && !failed; ++step) {
        tact_status status = TACT_OK;
        do
            status = tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.positions = points});
        while (status == TACT_OUT_OF_MEMORY && step > 0);
        failed = status != TACT_OK;
        for (int b = 0; b < 2 && step > 0 && !failed; ++b)
            do
                status =
                    tact_body_set_transform(world, bodies[b], tact_at(0.5 - 1.2 * b, 0.5 - 1.2 * b, heights[step - 1]));
            while (status == TACT_OUT_OF_MEMORY);
        tact_event e;
        do
            while (!failed && tact_world_next_event(world, 0.1 * (step + 1), &e) != TACT_EVENT_NONE)
                touches += e.kind == TACT_EVENT_TOUCH;
        while (!failed && e.status == TACT_OUT_OF_MEMORY);
    }
    tact_shape_release(mesh);
    tact_shape_release(ball);
    tact_shape_release(box);
    tact_world_release(world);
    return failed ? -1 : touches;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing_allocator memory = {0};
    assert_int_equal(run_short_of_memory(failing_allocator_make(&memory)), 6);
    const long calls = memory.calls;
    for (long i = 1; i <= calls; ++i) {
        memory = (failing_allocator){.fail_at = i};
        const int touches = run_short_of_memory(failing_allocator_make(&memory));
        assert_int_equal(memory.held, 0);
        if (touches != -1 && touches != 6)
            print_error("allocation %ld of %ld: %d touches\n", i, calls, touches);
        assert_true(touches == -1 || touches == 6);
    }
    print_message("%ld allocations\n", calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_on_the_way_touch), cmocka_unit_test(a_loop_that_starts_again_meets_bodies),
        cmocka_unit_test(a_jump_right_after_a_separation_touches_again), cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
