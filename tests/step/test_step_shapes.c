/*
 * Steps of deformable bodies among obstacles that are tested as shapes: curved ones, margins, soups, compounds, custom
 * support functions. Contacts, proximities and step limits against samples of the whole path by static queries; sheets
 * that fall on a sphere, on a spinning capsule, on the tip of a cone, on a table made of parts and on rounded boxes,
 * for hundreds of steps, free on all their paths by the same samples; friction, zones, threads and single cases.
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
#include "support/reverse_loop.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

/* Small worlds: threads would wait for each other most of the time. */
static const tact_world_def alone = {.parallel = {.threads = 1}};

/* ---- sheets ---- */

#define MOST_SIDE 24
#define MOST_POINTS (MOST_SIDE * MOST_SIDE)

typedef struct sheet {
    tact_world *world;
    tact_body body;
    int side, count;
    double spacing;
    tact_vec3 from[MOST_POINTS], to[MOST_POINTS], speed[MOST_POINTS];
} sheet;

static tact_vec3 plus(tact_vec3 a, double s, tact_vec3 b)
{
    return tact_vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static double length_of(tact_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

static tact_vec3 random_vec(random_source *r, double size)
{
    const double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return tact_vec(x, y, random_range(r, -size, size));
}

static uint32_t face_corners(const sheet *s, uint32_t face, uint32_t corners[3])
{
    const uint32_t side = (uint32_t)s->side, quad = face / 2, a = quad / (side - 1) * side + quad % (side - 1);
    corners[0] = face % 2 == 0 ? a : a + 1;
    corners[1] = face % 2 == 0 ? a + 1 : a + side + 1;
    corners[2] = a + side;
    return 2 * (side - 1) * (side - 1);
}

/* A square sheet around a point, flat. */
static void make_sheet(sheet *s, tact_world *world, int side, double spacing, tact_vec3 middle)
{
    uint32_t corners[3], *all, count;
    *s = (sheet){.world = world, .side = side, .count = side * side, .spacing = spacing};
    for (int i = 0; i < s->count; i++)
        s->from[i] = tact_vec(middle.x + spacing * (i % side - 0.5 * (side - 1)), middle.y,
                              middle.z + spacing * (i / side - 0.5 * (side - 1)));
    memcpy(s->to, s->from, sizeof s->to);
    count = face_corners(s, 0, corners);
    all = malloc(count * sizeof corners);
    for (uint32_t i = 0; i < count; i++)
        (void)face_corners(s, i, all + 3 * (size_t)i);
    tact_shape *shape = tact_mesh(s->from, (size_t)s->count, all, count);
    s->body = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
    tact_shape_release(shape);
    free(all);
}

static tact_status give(sheet *s) { return tact_body_set_step_positions(s->world, s->body, s->from, s->to); }

/* ---- obstacles ---- */

static tact_vec3 lens(void *context, tact_vec3 d)
{
    const double half = *(const double *)context, n = length_of(d), side = d.y < 0.0 ? -1.0 : 1.0;
    const tact_vec3 u = tact_vec(d.x / n, d.y / n, d.z / n);
    if (fabs(u.y) > half) /* two spheres of radius 1 around (0, +-half, 0): their intersection */
        return tact_vec(u.x, u.y - half * side, u.z);
    const double across = hypot(u.x, u.z), rim = sqrt(1.0 - half * half);
    return across > 0.0 ? tact_vec(u.x / across * rim, 0.0, u.z / across * rim) : tact_vec(rim, 0.0, 0.0);
}

static const double lens_half = 0.5;

/* A table: a box on four legs, with a sphere on it, in nested compounds. */
static tact_shape *make_table(void)
{
    tact_shape *top = tact_box(1.2, 0.1, 1.2), *leg = tact_cylinder(0.08, 0.6), *ball = tact_sphere(0.15);
    tact_shape *round = tact_rounded(top, 0.03);
    const tact_shape *four[4] = {leg, leg, leg, leg};
    const tact_transform corners[4] = {tact_at(-0.4, -0.35, -0.4), tact_at(0.4, -0.35, -0.4), tact_at(-0.4, -0.35, 0.4),
                                       tact_at(0.4, -0.35, 0.4)};
    tact_shape *legs = tact_compound(four, corners, 4);
    const tact_shape *parts[3] = {round, legs, ball};
    const tact_transform places[3] = {tact_identity(), tact_identity(), tact_at(0.1, 0.25, 0.1)};
    tact_shape *table = tact_compound(parts, places, 3);
    tact_shape_release(top);
    tact_shape_release(leg);
    tact_shape_release(ball);
    tact_shape_release(round);
    tact_shape_release(legs);
    return table;
}

static tact_shape *make_soup(void)
{
    const tact_vec3 v[8] = {{-0.5, 0, -0.5}, {0.5, 0, -0.5},  {0, 0.4, 0},      {0, 0, 0.5},
                            {0.6, 0.1, 0.3}, {0.7, 0.5, 0.4}, {-0.6, 0.2, 0.4}, {-0.7, -0.3, 0.1}};
    const uint32_t corners[13] = {0, 1, 2, 3, 4, 5, 6, 0, 1, 4, 5, 7, 6}, sizes[3] = {4, 3, 6};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = v, .count = 8};
    def.indices = corners;
    def.index_count = 13;
    def.loop_sizes = sizes;
    def.loop_count = 3;
    return tact_soup_create(&def, NULL);
}

static tact_shape *make_hilly(double margin)
{
    const tact_vec3 v[5] = {{-0.6, 0, -0.6}, {0.6, 0, -0.6}, {0.6, 0, 0.6}, {-0.6, 0, 0.6}, {0, 0.5, 0}};
    const uint32_t corners[12] = {0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0};
    tact_shape *plain = tact_mesh(v, 5, corners, 4), *round = tact_rounded(plain, margin);
    tact_shape_release(plain);
    return round;
}

#define OBSTACLES 14

static tact_shape *make_obstacle(int kind)
{
    tact_shape *a = NULL, *b = NULL, *made = NULL;
    switch (kind) {
    case 0:
        return tact_sphere(0.5);
    case 1:
        return tact_capsule(0.25, 0.8);
    case 2:
        return tact_cone(0.5, 1.0);
    case 3:
        return tact_cylinder(0.5, 0.6);
    case 4:
        return tact_ellipsoid(0.6, 0.3, 0.5);
    case 5:
        a = tact_point(tact_vec(0.1, 0.0, 0.0));
        made = tact_rounded(a, 0.4);
        break;
    case 6:
        a = tact_segment(tact_vec(-0.4, 0, 0), tact_vec(0.4, 0.2, 0.1));
        made = tact_rounded(a, 0.2);
        break;
    case 7:
        a = tact_box(0.8, 0.4, 0.6);
        made = tact_rounded(a, 0.1);
        break;
    case 8:
        return tact_custom(lens, (void *)&lens_half, 1.0);
    case 9:
    case 10:
        a = tact_box(0.4, 0.2, 0.4);
        b = tact_cone(0.3, 0.5);
        made = kind == 9 ? tact_minkowski_sum(a, b) : tact_convex_hull_of(a, b);
        break;
    case 11:
        return make_table();
    case 12:
        return make_soup();
    default:
        return make_hilly(0.08);
    }
    tact_shape_release(a);
    tact_shape_release(b);
    return made;
}

typedef struct obstacle {
    tact_body body;
    tact_shape *shape;
    double margin;
} obstacle;

static obstacle place_obstacle(tact_world *world, int kind, tact_transform at, tact_motion motion)
{
    obstacle o = {.shape = make_obstacle(kind)};
    assert_non_null(o.shape);
    o.margin = tact_shape_get_margin(o.shape);
    o.body = tact_body_create(world, &(tact_body_def){.shape = o.shape, .transform = at, .motion = motion});
    assert_true(tact_body_exists(world, o.body));
    return o;
}

/* ---- the oracle: samples ---- */

static tact_vec3 at_time(tact_vec3 a, tact_vec3 b, double t)
{
    const long double s = 1.0L - t, u = t;
    return tact_vec((double)(s * a.x + u * b.x), (double)(s * a.y + u * b.y), (double)(s * a.z + u * b.z));
}

/* The path of an obstacle in a step. */
typedef struct course {
    const obstacle *o;
    tact_transform from, to;
    double angle;
} course;

/* A sphere, and a body that rotates about its own axis of symmetry, keep their size on the path. */
static bool keeps_size(const tact_shape *shape) { return tact_shape_get_type(shape) == TACT_SPHERE; }

static course course_of(const obstacle *o, tact_transform from, tact_motion motion, double duration)
{
    course c = {.o = o, .from = from, .to = tact_motion_at(motion, from, duration)};
    c.angle = keeps_size(o->shape) ? 0.0 : length_of(motion.spin) * duration;
    if (keeps_size(o->shape)) {
        const tact_vec3 end = c.to.origin;
        c.to = from;
        c.to.origin = end;
    }
    return c;
}

static tact_shape *shape_at(const course *c, double t, tact_transform *at)
{
    *at = (tact_transform){at_time(c->from.x_axis, c->to.x_axis, t), at_time(c->from.y_axis, c->to.y_axis, t),
                           at_time(c->from.z_axis, c->to.z_axis, t), at_time(c->from.origin, c->to.origin, t)};
    const double left = hypot((1.0 - t) + t * cos(c->angle), t * sin(c->angle));
    return c->o->margin > 0.0 ? tact_rounded(c->o->shape, c->o->margin * left) : tact_shape_retain(c->o->shape);
}

static tact_shape *triangle_at(const sheet *s, uint32_t face, double t)
{
    uint32_t v[3];
    (void)face_corners(s, face, v);
    return tact_triangle(at_time(s->from[v[0]], s->to[v[0]], t), at_time(s->from[v[1]], s->to[v[1]], t),
                         at_time(s->from[v[2]], s->to[v[2]], t));
}

static double distance_at(const sheet *s, uint32_t face, const course *c, double t)
{
    tact_transform at;
    tact_shape *shape = shape_at(c, t, &at), *triangle = triangle_at(s, face, t);
    const tact_distance d = tact_shapes_distance(shape, at, triangle, tact_identity());
    tact_shape_release(shape);
    tact_shape_release(triangle);
    return d.status == TACT_BAD_ARGUMENT ? INFINITY : d.distance;
}

/* ---- queries ---- */

#define SMALL 5

typedef struct scene {
    tact_world *world;
    sheet s;
    obstacle obstacles[4];
    tact_transform places[4];
    tact_motion motions[4];
    int count;
} scene;

/* A small sheet above some obstacles that move up to it; or lower, among them. */
static void make_scene(scene *x, random_source *r)
{
    x->world = tact_world_create(&alone);
    make_sheet(&x->s, x->world, SMALL, 0.3, tact_vec(0, random_chance(r, 0.2) ? 0.4 : 1.4, 0));
    x->count = random_between(r, 1, 4);
    for (int i = 0; i < x->s.count; i++) {
        x->s.from[i] = plus(x->s.from[i], 0.1, random_vec(r, 1.0));
        x->s.to[i] = plus(plus(x->s.from[i], 1.0, tact_vec(0, random_range(r, -1.5, 0.0), 0)), 0.3, random_vec(r, 1.0));
    }
    for (int i = 0; i < x->count; i++) {
        x->places[i] =
            tact_transform_make(plus(tact_vec(0.8 * (i % 2) - 0.4, 0.0, 0.8 * (i / 2) - 0.4), 0.2, random_vec(r, 1.0)),
                                random_rotation(r), tact_vec(0.8, 0.8, 0.8));
        x->motions[i] = tact_motion_still();
        if (random_chance(r, 0.7))
            x->motions[i].velocity = random_vec(r, 0.5);
        if (random_chance(r, 0.6))
            x->motions[i].spin = random_vec(r, random_chance(r, 0.5) ? 0.5 : 2.5);
        x->obstacles[i] = place_obstacle(x->world, random_between(r, 0, OBSTACLES - 1), x->places[i], x->motions[i]);
    }
    if (give(&x->s) != TACT_OK)
        fail_msg("vertices are refused");
}

static void drop_scene(scene *x)
{
    for (int i = 0; i < x->count; i++)
        tact_shape_release(x->obstacles[i].shape);
    tact_world_release(x->world);
}

static int number_of(const scene *x, tact_body body)
{
    for (int i = 0; i < x->count; i++)
        if (x->obstacles[i].body.index == body.index)
            return i;
    fail_msg("an unknown body");
    return 0;
}

#define TIMES 24

/* Relative to sizes of a few: the tolerance of toi/deforming_toi.h, and the error of the oracle. */
#define TOLERANCE 2e-12

typedef struct tally {
    size_t met, near_by, free_faces, begun, shortened, stopped, iterations, resolved, kinds[OBSTACLES];
} tally;

static void check_contacts(uint64_t seed, scene *x, double duration, tally *t)
{
    tact_step_def def = tact_step_def_default();
    def.duration = duration;
    const tact_feature_contacts all = tact_step_find_contacts(x->world, &def);
    CHECK(all.status == TACT_OK, "status %d", all.status);
    uint32_t corners[3];
    const uint32_t faces = face_corners(&x->s, 0, corners);
    double *first = malloc(faces * sizeof *first * 4);
    for (uint32_t i = 0; i < 4 * faces; i++)
        first[i] = INFINITY;
    double earliest = 1.0;
    for (size_t i = 0; i < all.count; i++) {
        const tact_feature_contact *m = &all.items[i];
        CHECK(i == 0 || all.items[i - 1].ccd.lower <= m->ccd.lower, "contact %zu comes after one that is later", i);
        if (i == 0)
            earliest = m->ccd.lower;
        if (m->vertices[0] != TACT_NO_VERTEX)
            continue; /* with itself */
        const int o = number_of(x, m->a);
        CHECK(m->kind == TACT_VERTEX_FACE && m->b.index == x->s.body.index && m->face < faces, "of whom?");
        (void)face_corners(&x->s, m->face, corners);
        CHECK(m->vertices[1] == corners[0] && m->vertices[2] == corners[1] && m->vertices[3] == corners[2], "vertices");
        const double *w = m->ccd.weights;
        CHECK(w[0] == 1.0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0 && fabs(w[1] + w[2] + w[3] - 1.0) < 1e-9, "weights");
        const course c = course_of(&x->obstacles[o], x->places[o], x->motions[o], duration);
        const double there = distance_at(&x->s, m->face, &c, m->ccd.lower);
        CHECK(there <= TOLERANCE || m->ccd.status != TACT_OK, "contact %zu with a %d: %g apart at %.17g", i,
              (int)tact_shape_get_type(x->obstacles[o].shape), there, m->ccd.lower);
        first[4 * m->face + (uint32_t)o] = fmin(first[4 * m->face + (uint32_t)o], m->ccd.lower);
        t->met++;
        t->begun += m->ccd.lower == 0.0;
    }
    for (int o = 0; o < x->count; o++) {
        const course c = course_of(&x->obstacles[o], x->places[o], x->motions[o], duration);
        for (uint32_t f = 0; f < faces; f++) {
            const double reported = first[4 * f + (uint32_t)o];
            for (int k = 0; k <= TIMES; k++) {
                const double when = (double)k / TIMES;
                if (when < reported)
                    CHECK(distance_at(&x->s, f, &c, when) > 0.0, "face %u meets %d at %g, reported: %g", f, o, when,
                          reported);
            }
            t->free_faces += reported == INFINITY;
        }
    }
    free(first);
    const tact_step_limit until = tact_step_find_limit(x->world, &def);
    CHECK(until.status == TACT_OK && until.time == earliest, "free until %g, not %g", until.time, earliest);
}

static void check_near(uint64_t seed, scene *x, double distance, tally *t)
{
    const tact_feature_contacts all = tact_step_find_proximities(x->world, distance, NULL);
    CHECK(all.status == TACT_OK, "status %d", all.status);
    uint32_t corners[3];
    const uint32_t faces = face_corners(&x->s, 0, corners);
    for (int o = 0; o < x->count; o++) {
        const course c = course_of(&x->obstacles[o], x->places[o], tact_motion_still(), 1.0);
        for (uint32_t f = 0; f < faces; f++) {
            double least = INFINITY;
            for (size_t i = 0; i < all.count; i++) {
                const tact_feature_contact *m = &all.items[i];
                if (m->vertices[0] != TACT_NO_VERTEX || m->face != f || number_of(x, m->a) != o)
                    continue;
                least = fmin(least, m->distance);
                CHECK(m->distance < distance, "%g is not near", m->distance);
                CHECK(m->ccd.degenerate ? m->distance == 0.0 : fabs(length_of(m->ccd.normal) - 1.0) < 1e-9, "normal");
                t->near_by++;
            }
            const double wanted = distance_at(&x->s, f, &c, 0.0);
            if (wanted < distance * (1.0 - 1e-9))
                CHECK(fabs(least - wanted) < 1e-9, "face %u is %g from %d, not %g", f, wanted, o, least);
            else if (wanted > distance * (1.0 + 1e-9))
                CHECK(least == INFINITY, "face %u is %g from %d, not %g", f, wanted, o, least);
        }
    }
}

/* The whole path from x0 to x1, after a step that was shortened to `part`. */
static void check_way(uint64_t seed, const scene *x, double duration, double part)
{
    uint32_t corners[3];
    const uint32_t faces = face_corners(&x->s, 0, corners);
    for (int o = 0; o < x->count; o++) {
        const course c = course_of(&x->obstacles[o], x->places[o], x->motions[o], duration * part);
        for (uint32_t f = 0; f < faces; f++)
            for (int k = 0; k <= TIMES; k++)
                CHECK(distance_at(&x->s, f, &c, (double)k / TIMES) > 0.0, "face %u meets %d at %g", f, o,
                      (double)k / TIMES);
    }
}

static void finds_what_samples_find(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(30, 1800); seed++) {
        random_source r = random_seed(seed);
        static scene x;
        make_scene(&x, &r);
        check_contacts(seed, &x, random_range(&r, 0.2, 1.2), &t);
        check_near(seed, &x, random_range(&r, 0.05, 0.8), &t);
        drop_scene(&x);
    }
    print_message("%zu meet, %zu at the beginning, %zu faces are free, %zu near\n", t.met, t.begun, t.free_faces,
                  t.near_by);
    if (!few_cases())
        assert_true(t.met > 200 && t.begun > 8 && t.free_faces > 250 && t.near_by > 60);
}

static void resolved_steps_are_free(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(36, 2400); seed++) {
        random_source r = random_seed(seed);
        static scene x;
        make_scene(&x, &r);
        tact_step_def def = tact_step_def_default();
        def.duration = random_range(&r, 0.1, 1.0);
        def.thickness = random_chance(&r, 0.5) ? random_range(&r, 0.0, 0.05) : 0.0;
        def.friction = random_chance(&r, 0.5) ? random_range(&r, 0.0, 1.0) : 0.0;
        def.max_iterations = random_chance(&r, 0.5) ? 100 : random_between(&r, 0, 3);
        bool apart = true;
        uint32_t corners[3];
        const uint32_t faces = face_corners(&x.s, 0, corners);
        for (int o = 0; o < x.count; o++) {
            const course c = course_of(&x.obstacles[o], x.places[o], tact_motion_still(), 1.0);
            for (uint32_t f = 0; f < faces; f++)
                apart = apart && distance_at(&x.s, f, &c, 0.0) > 0.0;
        }
        for (int step = 0; step < 3; step++) {
            const tact_step_result done = tact_step_resolve(x.world, &def);
            CHECK(done.status == (apart ? TACT_OK : TACT_BAD_ARGUMENT), "step %d: status %d, apart %d", step,
                  done.status, apart);
            t.begun += !apart;
            if (!apart)
                break;
            check_way(seed, &x, def.duration, done.time);
            t.resolved++;
            t.iterations += (size_t)done.iterations;
            t.stopped += done.fail_safe_vertices > 0;
            t.shortened += done.time < 1.0;
            memcpy(x.s.from, x.s.to, sizeof x.s.from);
            for (int i = 0; i < x.s.count; i++)
                x.s.to[i] = plus(x.s.from[i], 0.15, random_vec(&r, 1.0));
            for (int o = 0; o < x.count; o++)
                x.places[o] = tact_body_get_transform(x.world, x.obstacles[o].body);
            assert_int_equal(give(&x.s), TACT_OK);
        }
        drop_scene(&x);
    }
    print_message("%zu resolved, %zu refused, %zu iterations, %zu stopped, %zu shortened\n", t.resolved, t.begun,
                  t.iterations, t.stopped, t.shortened);
    if (!few_cases())
        assert_true(t.resolved > 45 && t.begun > 0 && t.stopped > 8 && t.iterations > 45);
}

/* ---- falling sheets ---- */

/* The end positions of the particles: gravity, air drag, and springs between them. */
static void wish(sheet *s, double dt)
{
    for (int i = 0; i < s->count; i++) {
        s->speed[i] = plus(s->speed[i], -0.01, s->speed[i]);
        s->speed[i].y -= 9.81 * dt;
        s->to[i] = plus(s->from[i], dt, s->speed[i]);
    }
    static const int steps[6][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}};
    for (int pass = 0; pass < 10; pass++)
        for (int i = 0; i < s->count; i++)
            for (int k = 0; k < 6; k++) {
                const int x = i % s->side + steps[k][0], z = i / s->side + steps[k][1];
                if (x >= s->side || z >= s->side || z < 0)
                    continue;
                tact_vec3 *a = &s->to[i], *b = &s->to[z * s->side + x];
                const tact_vec3 d = plus(*b, -1.0, *a);
                const double rest = s->spacing * hypot(steps[k][0], steps[k][1]), now = length_of(d);
                const double pull = (k < 4 ? 0.4 : 0.1) * (now - rest) / now;
                *a = plus(*a, pull, d);
                *b = plus(*b, -pull, d);
            }
}

typedef struct fall {
    const char *name;
    int kind;
    tact_motion motion;
    double height; /* of the sheet above the obstacle's origin */
    double thickness, friction;
    bool stays; /* it should hang on the obstacle in the end, not be still falling */
} fall;

static void let_fall(const fall *f, int side, int steps)
{
    const uint64_t seed = 0;
    static scene x;
    tact_step_result worst = {0};
    size_t iterations = 0, stopped = 0, met = 0;
    const double dt = 0.01;
    x.world = tact_world_create(&alone);
    x.count = 1;
    x.places[0] = tact_identity();
    x.motions[0] = f->motion;
    x.obstacles[0] = place_obstacle(x.world, f->kind, x.places[0], f->motion);
    make_sheet(&x.s, x.world, side, 1.6 / (side - 1), tact_vec(0.013, f->height, 0.017));
    tact_step_def def = tact_step_def_default();
    def.duration = dt;
    def.thickness = f->thickness;
    def.friction = f->friction;
    for (int i = 0; i < steps; i++) {
        wish(&x.s, dt);
        assert_int_equal(give(&x.s), TACT_OK);
        const tact_step_result done = tact_step_resolve(x.world, &def);
        CHECK(done.status == TACT_OK && done.time == 1.0, "%s, step %d: status %d, time %g", f->name, i, done.status,
              done.time);
        iterations += (size_t)done.iterations;
        stopped += done.fail_safe_vertices;
        met += done.contacts;
        worst.iterations = done.iterations > worst.iterations ? done.iterations : worst.iterations;
        if (i % 20 == 19 || done.fail_safe_vertices > 0)
            check_way(seed, &x, dt, 1.0);
        for (int k = 0; k < x.s.count; k++)
            x.s.speed[k] = plus(tact_vec(0, 0, 0), 1.0 / dt, plus(x.s.to[k], -1.0, x.s.from[k]));
        memcpy(x.s.from, x.s.to, sizeof x.s.from);
        x.places[0] = tact_body_get_transform(x.world, x.obstacles[0].body);
    }
    double middle = 0.0;
    for (int k = 0; k < x.s.count; k++)
        middle += x.s.from[k].y / x.s.count;
    print_message("%s: %.2f iterations a step (at most %d), %zu contacts, %zu stopped, ends at %.2f\n", f->name,
                  (double)iterations / steps, worst.iterations, met, stopped, middle);
    assert_true(met > 12);
    assert_true(!f->stays || middle > -1.5);
    assert_true((double)iterations / steps < 8.0);
    drop_scene(&x);
}

static void sheets_fall_and_stay_free(void **state)
{
    (void)state;
    const tact_motion still = tact_motion_still(), spin = {.spin = {0, 0, 3}}, roll = {.spin = {2, 1, 3}};
    const fall falls[] = {
        {"on a ball", 0, still, 0.6, 0.005, 0.3, true},
        {"on a ball, without thickness", 0, still, 0.6, 0.0, 0.3, true},
        {"on a ball that spins", 0, roll, 0.6, 0.005, 0.3, false},
        {"on a capsule that spins", 1, spin, 1.0, 0.005, 0.2, false},
        {"on the tip of a cone", 2, still, 0.6, 0.005, 0.5, true},
        {"on a table of parts", 11, still, 0.6, 0.005, 0.5, true},
        {"on a rounded box that turns", 7, {.spin = {0, 1, 0}}, 0.5, 0.005, 0.5, true},
        {"on a lens", 8, still, 0.7, 0.005, 0.5, true},
        {"on hills with a margin", 13, still, 0.8, 0.005, 0.5, true},
    };
    const bool all = getenv("TACT_TEST_LONG") != NULL;
    for (size_t i = 0; i < sizeof falls / sizeof *falls; i += quick_form() ? 2 : 1)
        let_fall(&falls[i], all ? 20 : 9, all ? 400 : 50);
}

/* ---- single cases ---- */

/* One triangle above the origin, and its end positions. */
static void make_triangle(sheet *s, tact_world *world, double height, tact_vec3 path)
{
    make_sheet(s, world, 2, 0.4, tact_vec(0, height, 0));
    for (int i = 0; i < s->count; i++)
        s->to[i] = plus(s->from[i], 1.0, path);
    if (give(s) != TACT_OK)
        fail_msg("vertices are refused");
}

/* The number of proximities with a sphere half a unit away. */
static size_t count_near(tact_world *world, double distance)
{
    size_t count = 0;
    const tact_feature_contacts all = tact_step_find_proximities(world, distance, NULL);
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].vertices[0] == TACT_NO_VERTEX) {
            count++;
            assert_true(fabs(all.items[i].distance - 0.5) < 1e-12);
        }
    return count;
}

static void the_time_is_that_of_the_formula(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(&alone);
    static sheet s;
    const obstacle ball = place_obstacle(world, 0, tact_identity(), tact_motion_still());
    make_triangle(&s, world, 1.0, tact_vec(0, -1, 0));
    const tact_feature_contacts all = tact_step_find_contacts(world, NULL);
    assert_int_equal(all.status, TACT_OK);
    assert_true(all.count == 2); /* both triangles of the square: its centre is on their common edge */
    for (int i = 0; i < 2; i++) {
        const tact_feature_contact *m = &all.items[i];
        assert_true(m->vertices[0] == TACT_NO_VERTEX && m->a.index == ball.body.index && m->part.leaf == 0);
        assert_true(m->ccd.lower <= 0.5 && m->ccd.lower > 0.5 - 1e-11 && m->ccd.upper == m->ccd.lower);
        assert_true(fabs(m->ccd.normal.y - 1.0) < 1e-9 && !m->ccd.degenerate);
    }
    const tact_step_limit until = tact_step_find_limit(world, NULL);
    assert_true(until.time == all.items[0].ccd.lower && until.first.vertices[0] == TACT_NO_VERTEX);
    assert_int_equal(count_near(world, 0.6), 2);
    assert_int_equal(count_near(world, 0.4), 0);
    /* its mask excludes the pair */
    assert_int_equal(tact_body_set_filter(world, ball.body, 2, 4), TACT_OK);
    assert_int_equal(tact_body_set_filter(world, s.body, 1, 0xff), TACT_OK);
    assert_true(tact_step_find_contacts(world, NULL).count == 0 && count_near(world, 0.6) == 0);
    assert_true(tact_step_find_limit(world, NULL).time == 1.0);
    tact_shape_release(ball.shape);
    tact_world_release(world);
}

/* Which leaf, and which part of a soup. */
static void parts_are_reported(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(&alone);
    static sheet s;
    const obstacle table = place_obstacle(world, 11, tact_identity(), tact_motion_still());
    make_triangle(&s, world, 1.0, tact_vec(0.1, -0.7, 0.1)); /* onto the sphere on the table, its sixth leaf */
    const tact_feature_contacts all = tact_step_find_contacts(world, NULL);
    assert_true(all.count > 0 && all.items[0].part.leaf == 5 && all.items[0].part.face == 0);
    tact_shape_release(table.shape);
    tact_world_release(world);
    world = tact_world_create(&alone);
    const obstacle soup = place_obstacle(world, 12, tact_identity(), tact_motion_still());
    make_triangle(&s, world, 1.0, tact_vec(0.6, -0.8, 0.3)); /* onto the part at x = 0.6 */
    const tact_feature_contacts pieces = tact_step_find_contacts(world, NULL);
    assert_true(pieces.count > 0 && pieces.items[0].part.leaf == 0 && pieces.items[0].part.face > 0);
    tact_shape_release(soup.shape);
    tact_world_release(world);
}

static void touching_and_inside_are_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < OBSTACLES; kind++)
        for (int inside = 0; inside < 2; inside++) {
            tact_world *world = tact_world_create(&alone);
            static sheet s;
            const obstacle o = place_obstacle(world, kind, tact_identity(), tact_motion_still());
            tact_vec3 top;
            assert_int_equal(tact_shape_support(o.shape, tact_identity(), tact_vec(0, 1, 0), &top), TACT_OK);
            make_triangle(&s, world, top.y - (inside ? 1e-3 : 0.0), tact_vec(0, 1, 0));
            for (int i = 0; i < s.count; i++) {
                s.from[i] = tact_vec(top.x + 1e-4 * (s.from[i].x + 0.05), s.from[i].y, top.z + 1e-4 * s.from[i].z);
                s.to[i] = plus(s.from[i], 1.0, tact_vec(0, 1, 0));
            }
            assert_int_equal(give(&s), TACT_OK);
            if (kind == 12 && inside) { /* all of its parts have a single vertex at the top */
                tact_shape_release(o.shape);
                tact_world_release(world);
                continue;
            }
            const tact_status status = tact_step_resolve(world, NULL).status;
            if (status != TACT_BAD_ARGUMENT)
                fail_msg("kind %d, inside %d: status %d", kind, inside, status);
            const tact_feature_contacts all = tact_step_find_contacts(world, NULL);
            assert_true(all.count > 0 && all.items[0].ccd.lower == 0.0);
            assert_true(tact_step_find_limit(world, NULL).time == 0.0);
            tact_shape_release(o.shape);
            tact_world_release(world);
        }
}

/* With enough friction a body on a drum moves with its surface, though the drum only rotates; without, not. */
static void friction_is_that_of_the_surface(void **state)
{
    (void)state;
    double way[2];
    for (int rough = 0; rough < 2; rough++) {
        tact_world *world = tact_world_create(&alone);
        static sheet s;
        tact_shape *drum = tact_cylinder(0.5, 2.0);
        tact_transform across =
            tact_transform_make(tact_vec(0, 0, 0), (tact_quat){sqrt(0.5), 0, 0, sqrt(0.5)}, tact_vec(1, 1, 1));
        const tact_body_def def = {.shape = drum, .transform = across, .motion = {.spin = {0, 0, 1}}};
        assert_true(tact_body_exists(world, tact_body_create(world, &def)));
        make_triangle(&s, world, 0.501, tact_vec(0, -0.01, 0));
        tact_step_def step = tact_step_def_default();
        step.duration = 0.01;
        step.friction = rough ? 10.0 : 0.0;
        const tact_step_result done = tact_step_resolve(world, &step);
        assert_int_equal(done.status, TACT_OK);
        assert_true(done.contacts > 0);
        way[rough] = 0.0;
        for (int i = 0; i < s.count; i++)
            way[rough] += (s.to[i].x - s.from[i].x) / s.count;
        tact_shape_release(drum);
        tact_world_release(world);
    }
    /* the surface moves by 0.5 x 0.01 towards -x */
    assert_true(fabs(way[0]) < 1e-4 && fabs(way[1] + 0.005) < 5e-4);
}

/* Without iterations: zones are carried by moving and rotating obstacles, or stay; half a turn in one step is a path
 * like others. */
static void the_fail_safe_holds(void **state)
{
    (void)state;
    for (int kind = 0; kind < OBSTACLES; kind++)
        for (int turn = quick_form() ? kind % 3 : 0; turn < 3; turn += quick_form() ? 3 : 1) {
            const uint64_t seed = (uint64_t)kind;
            static scene x;
            x.world = tact_world_create(&alone);
            x.count = 1;
            x.places[0] = tact_identity();
            x.motions[0] = (tact_motion){.velocity = {0.1, 1.0, 0.0}};
            x.motions[0].spin = tact_vec(0, turn == 1 ? 0.5 : 0.0, turn == 2 ? 3.14159265358979323846 : 0.2 * turn);
            x.obstacles[0] = place_obstacle(x.world, kind, x.places[0], x.motions[0]);
            make_sheet(&x.s, x.world, 6, 0.2, tact_vec(0.01, 1.2, 0.02));
            assert_int_equal(give(&x.s), TACT_OK);
            tact_step_def def = tact_step_def_default();
            def.max_iterations = 0;
            const tact_step_result done = tact_step_resolve(x.world, &def);
            CHECK(done.status == TACT_OK, "kind %d, turn %d: status %d", kind, turn, done.status);
            CHECK(turn == 2 || done.time == 1.0, "kind %d, turn %d: time %g", kind, turn, done.time);
            check_way(seed, &x, 1.0, done.time);
            drop_scene(&x);
        }
}

/* Between two obstacles that close on it, the step is shortened. */
static void between_shapes_the_step_is_shortened(void **state)
{
    (void)state;
    const uint64_t seed = 0;
    static scene x;
    x.world = tact_world_create(&alone);
    x.count = 2;
    for (int i = 0; i < 2; i++) {
        x.places[i] = tact_at(0, i == 0 ? -0.7 : 0.7, 0);
        x.motions[i] = tact_motion_linear(0, i == 0 ? 1 : -1, 0);
        x.obstacles[i] = place_obstacle(x.world, 0, x.places[i], x.motions[i]);
    }
    make_sheet(&x.s, x.world, 4, 0.3, tact_vec(0, 0, 0));
    assert_int_equal(give(&x.s), TACT_OK);
    tact_step_def def = tact_step_def_default();
    def.max_iterations = 5;
    const tact_step_result done = tact_step_resolve(x.world, &def);
    assert_int_equal(done.status, TACT_OK);
    assert_true(done.time > 0.1 && done.time < 0.21);
    assert_true(fabs(tact_body_get_transform(x.world, x.obstacles[0].body).origin.y + 0.7 - done.time) < 1e-9);
    check_way(seed, &x, 1.0, done.time);
    drop_scene(&x);
}

typedef struct observer {
    tact_world *world;
    size_t called;
    bool remove;
} observer;

static void lift(void *context, const tact_feature_contact *contact, const tact_vec3 from[4], tact_vec3 to[4])
{
    observer *l = context;
    l->called++;
    assert_true(contact->vertices[0] == TACT_NO_VERTEX);
    double before = 0.0, after = 0.0;
    const tact_vec3 n = contact->ccd.normal;
    for (int k = 0; k < 4; k++) {
        const double w = k == 0 ? -1.0 : contact->ccd.weights[k];
        before += w * (n.x * from[k].x + n.y * from[k].y + n.z * from[k].z);
        after += w * (n.x * to[k].x + n.y * to[k].y + n.z * to[k].z);
    }
    assert_true(before > 0.0 && after < 1e-6); /* they are separated at the start, and would pass through each other */
    for (int k = 1; k < 4; k++)
        to[k] = plus(to[k], 1e-3 - after, n);
    to[0] = plus(to[0], 5.0, n); /* does not count */
    if (l->remove)
        (void)tact_body_remove(l->world, contact->a);
}

static void callbacks_replace_the_default_response(void **state)
{
    (void)state;
    for (int gone = 0; gone < 2; gone++)
        for (int kind = 0; kind < OBSTACLES; kind++) {
            const uint64_t seed = (uint64_t)kind;
            static scene x;
            observer l = {.remove = gone};
            x.world = l.world = tact_world_create(&alone);
            x.count = 1;
            x.places[0] = tact_identity();
            x.motions[0] = (tact_motion){.spin = {0, 0.3, 0}};
            x.obstacles[0] = place_obstacle(x.world, kind, x.places[0], x.motions[0]);
            make_sheet(&x.s, x.world, 5, 0.2, tact_vec(0.01, 1.0, 0.02));
            for (int i = 0; i < x.s.count; i++)
                x.s.to[i].y -= 0.8;
            assert_int_equal(give(&x.s), TACT_OK);
            tact_step_def def = tact_step_def_default();
            def.callback = lift;
            def.context = &l;
            const tact_step_result done = tact_step_resolve(x.world, &def);
            CHECK(done.status == TACT_OK && l.called > 0, "status %d", done.status);
            if (!gone)
                check_way(seed, &x, 1.0, done.time);
            drop_scene(&x);
        }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static tact_vec3 wanted[MOST_POINTS];
    for (int threads = 0; threads < 4; threads++) {
        tact_world_def def = {.parallel = {.threads = threads + 1}};
        if (threads == 3)
            def.parallel = (tact_parallel){.loop = reverse_loop};
        tact_world *world = tact_world_create(&def);
        static sheet s;
        obstacle o[3];
        for (int i = 0; i < 3; i++)
            o[i] = place_obstacle(world, 4 * i + 3, tact_at(0.5 * i - 0.5, -0.3 * i, 0.2 * i),
                                  (tact_motion){.spin = {0, 1, i}});
        make_sheet(&s, world, MOST_SIDE, 0.08, tact_vec(0, 0.9, 0));
        tact_step_def step = tact_step_def_default();
        step.duration = 0.05;
        step.friction = 0.2;
        for (int i = 0; i < (long_form() ? 8 : 4); i++) {
            wish(&s, 0.05);
            assert_int_equal(give(&s), TACT_OK);
            assert_int_equal(tact_step_resolve(world, &step).status, TACT_OK);
            for (int k = 0; k < s.count; k++)
                s.speed[k] = plus(tact_vec(0, 0, 0), 20.0, plus(s.to[k], -1.0, s.from[k]));
            memcpy(s.from, s.to, sizeof s.from);
        }
        if (threads == 0)
            memcpy(wanted, s.to, sizeof wanted);
        assert_memory_equal(wanted, s.to, (size_t)s.count * sizeof *wanted);
        for (int i = 0; i < 3; i++)
            tact_shape_release(o[i].shape);
        tact_world_release(world);
    }
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    size_t failures = 0;
    for (long at = 1;; at++) {
        failing_allocator memory = {0};
        tact_world *world = tact_world_create(
            &(tact_world_def){.allocator = failing_allocator_make(&memory), .parallel = {.threads = 1}});
        static sheet s;
        obstacle o[3];
        for (int i = 0; i < 3; i++)
            o[i] = place_obstacle(world, 11 + i, tact_at(0.8 * i - 0.8, 0, 0), (tact_motion){.spin = {0, 1, 0}});
        make_sheet(&s, world, long_form() ? 6 : 4, long_form() ? 0.2 : 0.3, tact_vec(0, 0.9, 0));
        for (int i = 0; i < s.count; i++)
            s.to[i].y -= 0.7;
        assert_int_equal(give(&s), TACT_OK);
        static tact_vec3 before[MOST_POINTS];
        memcpy(before, s.to, sizeof before);
        memory.fail_at = memory.calls + at;
        const tact_status one = tact_step_find_contacts(world, NULL).status;
        const tact_status two = tact_step_find_proximities(world, 0.5, NULL).status;
        const tact_step_result done = tact_step_resolve(world, NULL);
        assert_true(one == TACT_OK || one == TACT_OUT_OF_MEMORY);
        assert_true(two == TACT_OK || two == TACT_OUT_OF_MEMORY);
        assert_true(done.status == TACT_OK || done.status == TACT_OUT_OF_MEMORY);
        const bool failed = one != TACT_OK || two != TACT_OK || done.status != TACT_OK;
        if (done.status != TACT_OK) {
            assert_memory_equal(before, s.to, sizeof before);
            assert_true(tact_body_get_transform(world, o[0].body).x_axis.x == 1.0);
            memory.fail_at = 0;
            assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
        }
        const bool over = memory.fail_at != 0 && memory.calls < memory.fail_at;
        for (int i = 0; i < 3; i++)
            tact_shape_release(o[i].shape);
        tact_world_release(world);
        assert_int_equal(memory.held, 0);
        if (over)
            break;
        failures += failed;
    }
    assert_true(failures > 20);
}

/* A gap at the start does not depend on the length of the step. */
static void a_gap_does_not_depend_on_the_step(void **state)
{
    (void)state;
    tact_vec3 from[3] = {{0.0, 1.0 + 1e-9, 0.5}, {-0.5, 1.0 + 1e-9, -0.5}, {0.5, 1.0 + 1e-9, -0.5}}, to[3];
    const uint32_t corners[3] = {0, 1, 2};
    tact_world *world = tact_world_create(NULL);
    tact_shape *ball = tact_sphere(1.0), *triangle = tact_mesh(from, 3, corners, 1);
    const tact_body cloth = tact_body_create(world, &(tact_body_def){.shape = triangle, .deformable = true});
    assert_true(tact_body_create(world, &(tact_body_def){.shape = ball}).generation != 0);
    for (double far = 1.0; far < 1e9; far *= 10.0) {
        for (int k = 0; k < 3; ++k)
            to[k] = tact_vec(from[k].x, from[k].y + far, from[k].z);
        assert_int_equal(tact_body_set_step_positions(world, cloth, from, to), TACT_OK);
        assert_false(tact_step_find_limit(world, NULL).first.ccd.degenerate);
        assert_int_equal(tact_step_resolve(world, NULL).status, TACT_OK);
    }
    tact_world_release(world);
    tact_shape_release(triangle);
    tact_shape_release(ball);
}

/* If nothing can be moved the iterations end at once, however many are allowed. */
static void iterations_that_move_nothing_end(void **state)
{
    (void)state;
    tact_vec3 from[3] = {{-9.0, 0.0, -9.0}, {9.0, 0.0, -9.0}, {0.0, 0.0, 9.0}}, to[3];
    const uint32_t corners[3] = {0, 1, 2};
    const double held[3] = {0.0, 0.0, 0.0};
    tact_world *world = tact_world_create(NULL);
    tact_shape *ball = tact_sphere(0.1), *triangle = tact_mesh(from, 3, corners, 1);
    const tact_body cloth = tact_body_create(world, &(tact_body_def){.shape = triangle, .deformable = true});
    for (int i = 0; i < 100; ++i)
        assert_true(tact_body_create(
                        world, &(tact_body_def){.shape = ball,
                                                .transform = tact_at(0.3 * (i % 10) - 1.5, 1.0, 0.3 * (i / 10) - 1.5),
                                                .motion = tact_motion_linear(0.0, -2.0, 0.0)})
                        .generation != 0);
    memcpy(to, from, sizeof to);
    assert_int_equal(tact_body_set_step_positions(world, cloth, from, to), TACT_OK);
    assert_int_equal(tact_body_set_inverse_vertex_masses(world, cloth, held), TACT_OK);
    const tact_step_result done = tact_step_resolve(world, NULL);
    assert_int_equal(done.status, TACT_OK);
    assert_true(done.time > 0.4 && done.time < 0.45 && done.iterations < 20);
    tact_world_release(world);
    tact_shape_release(triangle);
    tact_shape_release(ball);
}

/* The rotation that a path is proved for is the one that the body makes, to the last bit, even 1e15 turns. */
static void fast_spin_is_not_reported_late(void **state)
{
    (void)state;
    random_source r = random_seed(7);
    size_t met = 0;
    for (int i = 0; i < 200; ++i) {
        tact_vec3 from[3], to[3];
        const uint32_t corners[3] = {0, 1, 2};
        for (int k = 0; k < 3; ++k) {
            from[k] = vec_add(vec_scale(random_direction(&r), 0.4), tact_vec(0.0, 2.0, 0.0));
            to[k] = vec_sub(from[k], tact_vec(0.0, 4.0, 0.0));
        }
        const tact_vec3 spin = vec_scale(random_direction(&r), 1e18);
        tact_world *world = tact_world_create(NULL);
        tact_shape *bar = tact_capsule(1e-6, 2.0), *triangle = tact_mesh(from, 3, corners, 1);
        const tact_body cloth = tact_body_create(world, &(tact_body_def){.shape = triangle, .deformable = true});
        const tact_body turns = tact_body_create(world, &(tact_body_def){.shape = bar, .motion = {.spin = spin}});
        tact_step_def def = tact_step_def_default();
        def.duration = 0.01;
        assert_int_equal(tact_body_set_step_positions(world, cloth, from, to), TACT_OK);
        const tact_step_limit f = tact_step_find_limit(world, &def);
        assert_int_equal(f.status, TACT_OK);
        const tact_transform a = tact_identity(), b = tact_motion_at(tact_body_get_motion(world, turns), a, 0.01);
        for (int n = 0; n < 200; ++n) { /* its axis, and the triangle, half way and anywhere */
            const double t = f.time * n / 200.0;
            tact_vec3 x[3];
            for (int k = 0; k < 3; ++k)
                x[k] = vec_add(vec_scale(from[k], 1.0 - t), vec_scale(to[k], t));
            const tact_vec3 up = vec_add(vec_scale(a.y_axis, 1.0 - t), vec_scale(b.y_axis, t));
            tact_shape *axis = tact_segment(up, vec_negate(up)), *there = tact_triangle(x[0], x[1], x[2]);
            const tact_distance d = tact_shapes_distance(axis, tact_identity(), there, tact_identity());
            assert_true(d.distance > 0.0); /* of the axis: the rest is farther out */
            tact_shape_release(axis);
            tact_shape_release(there);
        }
        met += f.time < 1.0;
        tact_world_release(world);
        tact_shape_release(bar);
        tact_shape_release(triangle);
    }
    assert_true(met > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_samples_find),
        cmocka_unit_test(resolved_steps_are_free),
        cmocka_unit_test(sheets_fall_and_stay_free),
        cmocka_unit_test(the_time_is_that_of_the_formula),
        cmocka_unit_test(parts_are_reported),
        cmocka_unit_test(touching_and_inside_are_refused),
        cmocka_unit_test(friction_is_that_of_the_surface),
        cmocka_unit_test(the_fail_safe_holds),
        cmocka_unit_test(between_shapes_the_step_is_shortened),
        cmocka_unit_test(callbacks_replace_the_default_response),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_gap_does_not_depend_on_the_step),
        cmocka_unit_test(iterations_that_move_nothing_end),
        cmocka_unit_test(fast_spin_is_not_reported_late),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
