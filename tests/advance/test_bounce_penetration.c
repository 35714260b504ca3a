/*
 * No body sinks into another: worlds with tact_world_bounce_with, and bodies of all kinds that tumble, slide, roll,
 * come to rest and are pushed, at low and high restitutions, with and without friction and gravity. In all of them
 *  - no two bodies are deeper in each other than DEPTH of the smaller one's size, by tact_shapes_penetration of their
 *    convex parts;
 *  - energy does not grow, except by the oscillation of free rotation and by what restores the rest gap (rigid.h);
 *  - no call fails, and all numbers are finite.
 * The same worlds with both engines, alternately. A world that fails prints its seed.
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

#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

/* Of half the largest extent of the smaller one. */
#define DEPTH 1e-6

/* Of the most kinetic energy: by how much the energy may rise above its least so far. Contact steps are of first order:
 * bodies that get a spin of 10 radians per unit of time and more when they land gain up to this (docs/advance.md). */
#define SWING 1e-2

/* Likewise of a body that spins by 10 to 60 radians per unit of time when it lands. */
#define SPIN_SWING 2e-2

/* Of the size of the smallest body: by so much all bodies together may be lifted, to restore the rest gap. */
#define LIFT 1e-3

#define GRAVITY 9.81
#define MOST_PARTS 3
#define MOST_BODIES 24
#define SAMPLES 25

/* ---- shapes ---- */

enum kind {
    BOX,
    CUBE,
    PLATE,
    ROD,
    TETRAHEDRON,
    HULL,
    CAPSULE,
    CYLINDER,
    COIN,
    CONE,
    ELLIPSOID,
    ROUNDED,
    BALL,
    CUBE_MESH,
    ICOSAHEDRON_MESH,
    ELL,
    DUMBBELL,
    KINDS
};

static const char *const kind_names[KINDS] = {"box",
                                              "cube",
                                              "plate",
                                              "rod",
                                              "tetrahedron",
                                              "hull",
                                              "capsule",
                                              "cylinder",
                                              "coin",
                                              "cone",
                                              "ellipsoid",
                                              "rounded",
                                              "ball",
                                              "cube of triangles",
                                              "icosahedron of triangles",
                                              "ell",
                                              "dumbbell"};

/* A shape, and the convex parts that it consists of, for questions of depth: those of a mesh and a compound are exact
 * for parts alone. */
typedef struct figure {
    tact_shape *shape;
    tact_shape *parts[MOST_PARTS];
    tact_transform places[MOST_PARTS];
    int count;
    tact_vec3 scale;
} figure;

static tact_shape *solid_mesh(const tact_vec3 *points, size_t count, const uint32_t *corners, size_t triangles)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = points, .count = count};
    def.indices = corners;
    def.index_count = 3 * triangles;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

static tact_shape *mesh_of_box(tact_vec3 size)
{
    static const uint32_t corners[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tact_vec3 points[8];
    for (int i = 0; i < 8; ++i)
        points[i] = vec_make(i & 1 ? 0.5 * size.x : -0.5 * size.x, i & 2 ? 0.5 * size.y : -0.5 * size.y,
                             i & 4 ? 0.5 * size.z : -0.5 * size.z);
    return solid_mesh(points, 8, corners, 12);
}

static void make_icosahedron(figure *f)
{
    static const uint32_t corners[] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                       4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                       6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    const double h = 0.4, g = h * 0.5 * (1.0 + sqrt(5.0));
    const tact_vec3 points[12] = {{-h, g, 0.0}, {h, g, 0.0}, {-h, -g, 0.0}, {h, -g, 0.0},
                                  {0.0, -h, g}, {0.0, h, g}, {0.0, -h, -g}, {0.0, h, -g},
                                  {g, 0.0, -h}, {g, 0.0, h}, {-g, 0.0, -h}, {-g, 0.0, h}};
    f->shape = solid_mesh(points, 12, corners, 20);
    f->parts[0] = tact_hull(points, 12);
}

static tact_shape *random_hull(random_source *r)
{
    tact_vec3 points[20];
    for (int i = 0; i < 20; ++i) {
        const tact_vec3 direction = random_direction(r);
        points[i] = vec_scale(direction, 0.7 * sqrt(random_unit(r)));
    }
    return tact_hull(points, 20);
}

static void make_compound(figure *f, const tact_vec3 *sizes, const tact_vec3 *at, int count)
{
    for (int i = 0; i < count; ++i) {
        f->parts[i] = tact_box(sizes[i].x, sizes[i].y, sizes[i].z);
        f->places[i] = tact_at(at[i].x, at[i].y, at[i].z);
    }
    f->count = count;
    f->shape = tact_compound((const tact_shape *const *)f->parts, f->places, (size_t)count);
}

static figure make_figure(int kind, random_source *r)
{
    static const tact_vec3 ell[2] = {{1.2, 0.4, 0.4}, {0.4, 0.8, 0.4}},
                           ell_at[2] = {{0.0, -0.4, 0.0}, {-0.4, 0.2, 0.0}};
    static const tact_vec3 bell[3] = {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {1.0, 0.15, 0.15}};
    static const tact_vec3 bell_at[3] = {{-0.6, 0.0, 0.0}, {0.6, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    figure f = {.count = 1, .scale = {1.0, 1.0, 1.0}, .places[0] = tact_identity()};
    tact_shape_def rounded = tact_shape_def_default();
    switch (kind) {
    case BOX:
        f.shape = tact_box(1.0, 1.5, 0.7);
        break;
    case CUBE:
        f.shape = tact_box(1.0, 1.0, 1.0);
        break;
    case PLATE:
        f.shape = tact_box(1.5, 0.05, 1.0);
        break;
    case ROD:
        f.shape = tact_box(2.0, 0.1, 0.1);
        break;
    case TETRAHEDRON:
        f.shape = tact_tetrahedron(vec_make(0.6, 0.6, 0.6), vec_make(0.6, -0.6, -0.6), vec_make(-0.6, 0.6, -0.6),
                                   vec_make(-0.6, -0.6, 0.6));
        break;
    case HULL:
        f.shape = random_hull(r);
        break;
    case CAPSULE:
        f.shape = tact_capsule(0.3, 1.0);
        break;
    case CYLINDER:
        f.shape = tact_cylinder(0.4, 1.0);
        break;
    case COIN:
        f.shape = tact_cylinder(0.6, 0.06);
        break;
    case CONE:
        f.shape = tact_cone(0.5, 1.0);
        break;
    case ELLIPSOID: /* a sphere under a scaling transform */
        f.shape = tact_sphere(1.0);
        f.scale = vec_make(0.7, 0.5, 0.4);
        break;
    case ROUNDED:
        rounded.type = TACT_BOX;
        rounded.size = vec_make(0.8, 1.0, 0.6);
        rounded.margin = 0.1;
        f.shape = tact_shape_create(&rounded, NULL);
        break;
    case BALL:
        f.shape = tact_sphere(0.5);
        break;
    case CUBE_MESH:
        f.shape = mesh_of_box(vec_make(1.0, 1.0, 1.0));
        f.parts[0] = tact_box(1.0, 1.0, 1.0);
        break;
    case ICOSAHEDRON_MESH:
        make_icosahedron(&f);
        break;
    case ELL:
        make_compound(&f, ell, ell_at, 2);
        break;
    case DUMBBELL:
        make_compound(&f, bell, bell_at, 3);
        break;
    default:
        break;
    }
    if (f.parts[0] == NULL)
        f.parts[0] = tact_shape_retain(f.shape);
    assert_non_null(f.shape);
    return f;
}

/* ---- worlds ---- */

typedef struct scene_body {
    figure figure;
    tact_body body;
    tact_mass mass; /* at the start; without a mass: all 0 */
    tact_transform begun;
    tact_vec3 fall;
    double size;
    long touches;
} scene_body;

typedef struct scene {
    tact_world *world;
    bool spins; /* fast, see SPIN_SWING */
    scene_body bodies[MOST_BODIES];
    int count;
    random_source random;
    tact_vec3 frame; /* energies are as seen from what moves so */
    double weight;   /* of all */
    double smallest; /* size */
    bool falls;
    uint64_t seed;
    const char *name;
    int kind;
    double restitution, friction;
    double worst; /* depth, relative */
    double least, most_kinetic, rise, kinetic;
    long touches, rests; /* rests: touches of what had touched within two times of rest before */
} scene;

/* A sentence that says which world it is. */
static const char *scene_name(const scene *s)
{
    static char text[200];
    snprintf(text, sizeof text, "%s of %s, restitution %g, friction %g, %s", s->name, kind_names[s->kind],
             s->restitution, s->friction, s->seed % 2 ? "sweep" : "fat bounds");
    return text;
}

static scene_body *put(scene *s, figure f, tact_transform place, tact_motion motion, double mass)
{
    assert_true(s->count < MOST_BODIES);
    scene_body *t = &s->bodies[s->count++];
    const tact_transform scale = tact_transform_make(vec_make(0.0, 0.0, 0.0), (tact_quat){.w = 1.0}, f.scale);
    *t = (scene_body){.figure = f, .fall = motion.acceleration, .begun = tact_transform_compose(place, scale)};
    t->body = tact_body_create(s->world, &(tact_body_def){.shape = f.shape, .transform = t->begun, .motion = motion});
    assert_int_not_equal(t->body.generation, 0);
    assert_int_equal(tact_body_set_mass(s->world, t->body, mass), TACT_OK);
    if (mass > 0.0)
        t->mass = tact_mass_from_total(f.shape, t->begun, mass);
    tact_bounds b;
    assert_int_equal(tact_shape_bounds(f.shape, t->begun, &b), TACT_OK);
    t->size = 0.5 * vec_max_abs(vec_sub(b.max, b.min));
    s->weight += mass;
    s->smallest = mass > 0.0 ? fmin(s->smallest, t->size) : s->smallest;
    s->falls = s->falls || vec_max_abs(motion.acceleration) > 0.0;
    return t;
}

static void put_wall(scene *s, tact_vec3 at, tact_vec3 size, tact_vec3 velocity, bool of_triangles)
{
    figure f = {.count = 1,
                .scale = {1.0, 1.0, 1.0},
                .places[0] = tact_identity(),
                .parts[0] = tact_box(size.x, size.y, size.z)};
    f.shape = of_triangles ? mesh_of_box(size) : tact_shape_retain(f.parts[0]);
    (void)put(s, f, tact_at(at.x, at.y, at.z), (tact_motion){.velocity = velocity}, 0.0);
}

static tact_vec3 random_vector(scene *s, double most)
{
    const tact_vec3 direction = random_direction(&s->random); /* compilers order arguments differently */
    return vec_scale(direction, random_range(&s->random, 0.0, most));
}

static tact_transform random_place(scene *s, double x, double y, double z)
{
    return tact_transform_make(vec_make(x, y, z), random_rotation(&s->random), vec_make(1.0, 1.0, 1.0));
}

/* ---- what is looked at ---- */

static double depth_of(const scene *s, const scene_body *a, const scene_body *b)
{
    const tact_transform transform_a = tact_body_get_transform(s->world, a->body),
                         transform_b = tact_body_get_transform(s->world, b->body);
    double most = -INFINITY;
    for (int i = 0; i < a->figure.count; ++i)
        for (int j = 0; j < b->figure.count; ++j) {
            const tact_penetration d =
                tact_shapes_penetration(a->figure.parts[i], tact_transform_compose(transform_a, a->figure.places[i]),
                                        b->figure.parts[j], tact_transform_compose(transform_b, b->figure.places[j]));
            assert_int_equal(d.status, TACT_OK);
            most = fmax(most, d.depth);
        }
    return most;
}

static void check_pair(scene *s, const scene_body *a, const scene_body *b)
{
    if (a->mass.mass == 0.0 && b->mass.mass == 0.0)
        return;
    const uint64_t seed = s->seed;
    const double depth = depth_of(s, a, b) / fmin(a->size, b->size);
    s->worst = fmax(s->worst, depth);
    CHECK(depth <= DEPTH, "%s: %d and %d are %g deep at %.9g, after %ld touches", scene_name(s), (int)(a - s->bodies),
          (int)(b - s->bodies), depth, tact_world_get_time(s->world), s->touches);
}

static bool boxes_meet(tact_bounds a, tact_bounds b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
           b.min.z <= a.max.z;
}

static double energy_of(scene *s)
{
    const uint64_t seed = s->seed;
    double sum = 0.0;
    s->kinetic = 0.0;
    for (int i = 0; i < s->count; ++i) {
        const scene_body *t = &s->bodies[i];
        if (t->mass.mass == 0.0)
            continue;
        const tact_transform place = tact_body_get_transform(s->world, t->body);
        const tact_motion m = tact_body_get_motion(s->world, t->body);
        tact_transform back;
        assert_int_equal(tact_transform_invert(t->begun, &back), TACT_OK);
        const tact_mass mass = tact_mass_transform(t->mass, tact_transform_compose(place, back));
        CHECK(mass.status == TACT_OK && vec_finite(m.velocity) && vec_finite(m.spin), "%s: numbers", scene_name(s));
        const tact_vec3 velocity =
            vec_sub(vec_add(m.velocity, vec_cross(m.spin, vec_sub(mass.centre, place.origin))), s->frame);
        const tact_inertia j = mass.inertia;
        const tact_vec3 own = vec_make(j.xx * m.spin.x + j.xy * m.spin.y + j.xz * m.spin.z,
                                       j.xy * m.spin.x + j.yy * m.spin.y + j.yz * m.spin.z,
                                       j.xz * m.spin.x + j.yz * m.spin.y + j.zz * m.spin.z);
        s->kinetic += 0.5 * (mass.mass * vec_length_squared(velocity) + vec_dot(m.spin, own));
        sum -= mass.mass * vec_dot(t->fall, mass.centre);
    }
    return sum + s->kinetic;
}

/* All pairs and energies, now. */
static void check_all(scene *s)
{
    tact_bounds bounds[MOST_BODIES];
    for (int i = 0; i < s->count; ++i)
        assert_int_equal(tact_shape_bounds(s->bodies[i].figure.shape,
                                           tact_body_get_transform(s->world, s->bodies[i].body), &bounds[i]),
                         TACT_OK);
    for (int i = 0; i < s->count; ++i)
        for (int j = 0; j < i; ++j)
            if (boxes_meet(bounds[i], bounds[j]))
                check_pair(s, &s->bodies[j], &s->bodies[i]);
    const double energy = energy_of(s);
    s->most_kinetic = fmax(s->most_kinetic, s->kinetic);
    s->rise = fmax(s->rise, energy - s->least);
    s->least = fmin(s->least, energy);
}

static void count_touch(scene *s, scene_body *t, double time)
{
    const uint64_t seed = s->seed;
    if (t->mass.mass == 0.0)
        return;
    ++t->touches;
    CHECK(t->touches < 100000, "%s: %ld touches before %.17g", scene_name(s), t->touches, time);
}

static scene_body *body_of(scene *s, tact_body body)
{
    for (int i = 0; i < s->count; ++i)
        if (s->bodies[i].body.index == body.index)
            return &s->bodies[i];
    return NULL;
}

static void run(scene *s, double until)
{
    const uint64_t seed = s->seed;
    const tact_bounce_def def = {.restitution = s->restitution, .friction = s->friction};
    s->least = energy_of(s);
    s->most_kinetic = s->kinetic;
    for (int i = 1; i <= SAMPLES; ++i) {
        tact_event e;
        /* just before a contact step: a step begins with the velocities that it ends with, so energy is right then */
        const double step = tact_world_get_contact_step(s->world);
        const double sample = ceil(until * i / SAMPLES / step) * step * (1.0 - 1e-12);
        while (tact_world_next_event(s->world, sample, &e) == TACT_EVENT_TOUCH) {
            scene_body *a = body_of(s, e.a), *b = body_of(s, e.b);
            CHECK(a != NULL && b != NULL && e.status == TACT_OK, "%s", scene_name(s));
            ++s->touches;
            count_touch(s, a, e.time);
            count_touch(s, b, e.time);
            CHECK(tact_world_bounce_with(s->world, &e, &def) == TACT_OK, "%s: refused at %.9g", scene_name(s), e.time);
            if (s->touches < 100 || s->touches % 64 == 0)
                check_pair(s, a, b);
        }
        CHECK(e.status == TACT_OK, "%s: status %d at %.9g", scene_name(s), e.status, e.time);
        check_all(s);
    }
    /* what falls by gravity or by turning, as fast as it all can */
    const double fall = (s->falls ? GRAVITY : 0.0) + 2.0 * s->most_kinetic / (s->weight * s->smallest);
    const double lift_energy = s->weight * fall * LIFT * s->smallest;
    CHECK(s->rise <= (s->spins ? SPIN_SWING : SWING) * s->most_kinetic + lift_energy,
          "%s: energy rises by %g of the most, %g lifts", scene_name(s), s->rise / s->most_kinetic,
          s->rise / lift_energy);
    for (int i = 0; i < s->count; ++i)
        s->rests += tact_body_get_contacts(s->world, s->bodies[i].body, NULL, 0) > 0;
}

static void release(scene *s)
{
    tact_world_release(s->world);
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < s->bodies[i].figure.count; ++k)
            tact_shape_release(s->bodies[i].figure.parts[k]);
        tact_shape_release(s->bodies[i].figure.shape);
    }
}

/* ---- scenes ---- */

static void put_floor(scene *s, bool of_triangles)
{
    put_wall(s, vec_make(0.0, -1.0, 0.0), vec_make(400.0, 2.0, 400.0), vec_make(0.0, 0.0, 0.0), of_triangles);
}

static const tact_vec3 gravity = {0.0, -GRAVITY, 0.0};

/* One body thrown at a slab: nothing pulls it back, so what it does there is by its turning alone. */
static double throw_one(scene *s)
{
    put_floor(s, random_chance(&s->random, 0.2));
    const figure f = make_figure(s->kind, &s->random);
    const tact_transform at = random_place(s, 0.0, 2.0, 0.0);
    const tact_vec3 velocity = vec_add(vec_make(0.0, -1.5, 0.0), random_vector(s, 0.7)), spin = random_vector(s, 1.5);
    (void)put(s, f, at, (tact_motion){.velocity = velocity, .spin = spin}, 1.0);
    return 4.0;
}

/* The same with gravity, until it lies still. */
static double drop_one(scene *s)
{
    put_floor(s, random_chance(&s->random, 0.2));
    const figure f = make_figure(s->kind, &s->random);
    const tact_transform at = random_place(s, 0.0, 1.3, 0.0);
    const tact_vec3 velocity = random_vector(s, 1.0), spin = random_vector(s, 2.0);
    (void)put(s, f, at, (tact_motion){.velocity = velocity, .acceleration = gravity, .spin = spin}, 1.0);
    return 0.7;
}

/* Spinning fast, upright or not. */
static double spin_one(scene *s)
{
    s->spins = true;
    put_floor(s, false);
    const double spin = random_range(&s->random, 10.0, 60.0);
    const tact_vec3 tilt = random_vector(s, 0.1);
    const tact_transform upright =
        tact_transform_make(vec_make(0.0, 1.1, 0.0), (tact_quat){tilt.x, tilt.y, tilt.z, 1.0}, vec_make(1.0, 1.0, 1.0));
    const figure f = make_figure(s->kind, &s->random);
    const tact_transform at = random_chance(&s->random, 0.5) ? upright : random_place(s, 0.0, 1.1, 0.0);
    const tact_vec3 change = random_vector(s, 1.0);
    (void)put(s, f, at, (tact_motion){.acceleration = gravity, .spin = vec_add(vec_make(0.0, spin, 0.0), change)}, 1.0);
    return 0.8;
}

/* On a slope of 20 degrees. */
static double slide_one(scene *s)
{
    put_floor(s, false);
    const double slope = 0.35;
    const figure f = make_figure(s->kind, &s->random);
    (void)put(s, f, random_place(s, 0.0, 1.1, 0.0),
              (tact_motion){.acceleration = {GRAVITY * sin(slope), -GRAVITY * cos(slope), 0.0}}, 1.0);
    return 0.8;
}

/* Two that fly at each other, spinning. */
static double meet_two(scene *s)
{
    for (int side = -1; side <= 1; side += 2) {
        const figure f = make_figure(s->kind, &s->random);
        const tact_transform at = random_place(s, 1.5 * side, 0.0, 0.0);
        const tact_vec3 change = random_vector(s, 0.3), spin = random_vector(s, 3.0);
        (void)put(s, f, at, (tact_motion){.velocity = vec_add(vec_make(-side, 0.0, 0.0), change), .spin = spin},
                  random_range(&s->random, 0.5, 1.5));
    }
    return 2.5;
}

/* A few in a closed room: a gas that cools. */
static double shut_in(scene *s)
{
    const double half = 2.2;
    for (int side = 0; side < 6; ++side) {
        double at[3] = {0.0, 0.0, 0.0}, size[3] = {40.0, 40.0, 40.0};
        at[side / 2] = (side % 2 ? 1.0 : -1.0) * (half + 2.0);
        size[side / 2] = 4.0;
        put_wall(s, vec_make(at[0], at[1], at[2]), vec_make(size[0], size[1], size[2]), vec_make(0.0, 0.0, 0.0), false);
    }
    for (int i = 0; i < 4; ++i) {
        const int kind = random_chance(&s->random, 0.5) ? s->kind : random_between(&s->random, 0, KINDS - 1);
        const figure f = make_figure(kind, &s->random);
        const tact_transform at =
            random_place(s, i & 1 ? 1.1 : -1.1, i & 2 ? 1.1 : -1.1, i == 0 || i == 3 ? 1.1 : -1.1);
        const tact_vec3 velocity = random_vector(s, 2.0), spin = random_vector(s, 2.0);
        (void)put(s, f, at, (tact_motion){.velocity = velocity, .spin = spin}, random_range(&s->random, 0.5, 1.5));
    }
    return 2.0;
}

/* A wall pushes a row before it: in free space, so that nobody is crushed. */
static double push_row(scene *s)
{
    s->frame = vec_make(1.0, 0.0, 0.0);
    put_wall(s, vec_make(-2.0, 0.0, 0.0), vec_make(1.0, 60.0, 60.0), s->frame, false);
    for (int i = 0; i < 3; ++i) {
        const figure f = make_figure(s->kind, &s->random);
        (void)put(s, f, random_place(s, 2.3 * i, 0.0, 0.0), tact_motion_still(), 1.0);
    }
    return 2.8;
}

/* Boxes and the like on each other, a little turned. */
static double stack(scene *s)
{
    static const int kinds[] = {BOX, CUBE, PLATE, CYLINDER, ROUNDED, CUBE_MESH};
    s->kind = kinds[s->kind % 6];
    put_floor(s, false);
    double y = 0.0;
    for (int i = 0; i < 2; ++i) {
        const figure f = make_figure(s->kind, &s->random);
        tact_vec3 tilt = random_vector(s, random_chance(&s->random, 0.5) ? 1e-3 : 0.0);
        const tact_quat turn = {tilt.x, random_range(&s->random, -0.2, 0.2), tilt.z, 1.0};
        tact_transform at = tact_transform_make(vec_make(0.01 * i, 0.0, 0.0), turn, vec_make(1.0, 1.0, 1.0));
        tact_bounds b;
        assert_int_equal(tact_shape_bounds(f.shape, at, &b), TACT_OK);
        at.origin.y = y - b.min.y + 0.01;
        y = at.origin.y + b.max.y;
        (void)put(s, f, at, (tact_motion){.acceleration = gravity}, 1.0);
    }
    return 0.15;
}

/* Some dropped onto each other. */
static double heap(scene *s)
{
    put_floor(s, false);
    for (int i = 0; i < 3; ++i) {
        const figure f = make_figure(s->kind, &s->random);
        const tact_transform at = random_place(s, 0.1 * i, 1.2 + 2.1 * i, 0.0);
        const tact_vec3 spin = random_vector(s, 1.0);
        (void)put(s, f, at, (tact_motion){.velocity = {0.0, -1.0 * i, 0.0}, .acceleration = gravity, .spin = spin},
                  1.0);
    }
    return 1.0;
}

typedef struct scene_kind {
    const char *name;
    double (*make)(scene *s);
    uint64_t number; /* so that other bodies are tried than in other scenes of the same seed */
    uint64_t worlds; /* of these, without TACT_TEST_LONG */
    uint64_t many;   /* and with it */
    long touches;    /* there are so many in all at least */
    long rests;      /* and so many bodies in persistent contact at the end */
} scene_kind;

static void run_worlds(const scene_kind *k)
{
    static const double restitutions[] = {0.0, 1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.5, 1.0};
    long touches = 0, rests = 0;
    double worst = -INFINITY, rise = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(k->worlds, k->many); seed++) {
        static scene s;
        s = (scene){.name = k->name,
                    .seed = seed,
                    .random = random_seed(seed + (k->number << 32)),
                    .worst = -INFINITY,
                    .smallest = INFINITY,
                    .kind = (int)(seed % KINDS)};
        s.restitution = restitutions[random_below(&s.random, 8)];
        s.friction = random_chance(&s.random, 0.5) ? 0.0 : random_chance(&s.random, 0.5) ? 0.5 : 0.2;
        s.world = tact_world_create(
            &(tact_world_def){.kinetic = seed % 2 ? TACT_KINETIC_SWEEP_AND_PRUNE : TACT_KINETIC_FAT_BOUNDS});
        assert_non_null(s.world);
        const double until = k->make(&s);
        run(&s, until);
        touches += s.touches;
        rests += s.rests;
        worst = fmax(worst, s.worst);
        rise = fmax(rise, s.rise / s.most_kinetic);
        release(&s);
    }
    print_message("%s: %ld touches, %ld bodies in contact at the end; at most %.1e deep, energy rises by %.1e\n",
                  k->name, touches, rests, worst, rise);
    assert_true(few_cases() || (touches >= k->touches && rests >= k->rests));
}

#define WORLDS_OF(number, function, text, worlds, many, touches, rests)                                                \
    static void function##_never_sinks(void **state)                                                                   \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        run_worlds(&(scene_kind){text, function, number, worlds, many, touches, rests});                               \
    }

WORLDS_OF(1, throw_one, "one thrown", 10, 1020, 9, 0)
WORLDS_OF(2, drop_one, "one dropped", 10, 1020, 8, 6)
WORLDS_OF(3, spin_one, "one spinning", 5, 510, 6, 1)
WORLDS_OF(4, slide_one, "one on a slope", 5, 510, 4, 2)
WORLDS_OF(5, meet_two, "two meeting", 10, 1020, 8, 0)
WORLDS_OF(6, shut_in, "a room", 10, 1020, 25, 5)
WORLDS_OF(7, push_row, "a row pushed", 5, 510, 10, 1)
WORLDS_OF(8, stack, "a stack", 4, 360, 4, 4)
WORLDS_OF(9, heap, "a heap", 3, 240, 6, 4)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throw_one_never_sinks), cmocka_unit_test(drop_one_never_sinks),
        cmocka_unit_test(spin_one_never_sinks),  cmocka_unit_test(slide_one_never_sinks),
        cmocka_unit_test(meet_two_never_sinks),  cmocka_unit_test(shut_in_never_sinks),
        cmocka_unit_test(push_row_never_sinks),  cmocka_unit_test(stack_never_sinks),
        cmocka_unit_test(heap_never_sinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
