/*
 * For the tests of records: shapes of every type, and a driver that makes random calls to a world, with contact
 * callbacks that make further calls. All results go into a hash: two drivers with the same random numbers have the same
 * hash if their worlds behave the same.
 */
#ifndef TACT_TEST_RECORD_WORLD_H
#define TACT_TEST_RECORD_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/digest.h"
#include "support/random.h"

enum { SHAPE_COUNT = 27, MAX_BODIES = 40, MAX_VERTICES = 288, CLASSES = 4 };

/* ---- shapes ---- */

static inline tact_vec3 sphere_support(void *context, tact_vec3 d)
{
    const double *r = context;
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return (tact_vec3){d.x / length * *r, d.y / length * *r, d.z / length * *r};
}

static double support_radius = 0.5;

/* A torus of quads, or of triangles. */
static inline tact_shape *torus(int around, int across, bool quads, bool solid, double margin)
{
    tact_vec3 vertices[400];
    uint32_t indices[2400], sizes[800];
    size_t n = 0, faces = 0;
    for (int i = 0; i < around; ++i)
        for (int k = 0; k < across; ++k) {
            double u = 6.283185307179586 * i / around, v = 6.283185307179586 * k / across;
            vertices[i * across + k] =
                tact_vec((1.0 + 0.4 * cos(v)) * cos(u), (1.0 + 0.4 * cos(v)) * sin(u), 0.4 * sin(v));
            uint32_t p = (uint32_t)(i * across + k), q = (uint32_t)(i * across + (k + 1) % across);
            uint32_t r = (uint32_t)((i + 1) % around * across + (k + 1) % across);
            uint32_t s = (uint32_t)((i + 1) % around * across + k);
            const uint32_t quad[4] = {p, s, r, q}, two[6] = {p, s, r, p, r, q};
            memcpy(indices + n, quads ? quad : two, (quads ? 4 : 6) * sizeof *indices);
            n += quads ? 4 : 6;
            sizes[faces++] = 4;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, (size_t)(around * across), 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = n;
    def.loop_sizes = quads ? sizes : NULL;
    def.loop_count = quads ? faces : 0;
    def.solid = solid;
    def.margin = margin;
    return tact_mesh_create(&def, NULL);
}

/* A square with a square hole, and a non-convex polygon beside it. */
static inline tact_shape *plate(void)
{
    static const tact_vec3 vertices[13] = {
        {-1, -1, 0},    {1, -1, 0},   {1, 1, 0},    {-1, 1, 0},         {-0.5, -0.5, 0}, {-0.5, 0.5, 0}, {0.5, 0.5, 0},
        {0.5, -0.5, 0}, {2, 0, 0.25}, {3, 0, 0.25}, {2.25, 0.25, 0.25}, {2, 1, 0.25},    {9, 9, 9}};
    static const uint32_t indices[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, sizes[3] = {4, 4, 4}, loops[2] = {2, 1};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, 13, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 12;
    def.loop_sizes = sizes;
    def.loop_count = 3;
    def.loops_per_face = loops;
    def.face_count = 2;
    return tact_mesh_create(&def, NULL);
}

static inline tact_shape *random_soup(random_source *random)
{
    tact_vec3 vertices[40];
    uint32_t indices[40], sizes[6] = {1, 2, 3, 4, 10, 20};
    for (uint32_t i = 0; i < 40; ++i) {
        vertices[i] = tact_vec(random_unit(random), random_unit(random), random_unit(random));
        indices[i] = i;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, 40, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 40;
    def.loop_sizes = sizes;
    def.loop_count = 6;
    def.margin = 0.01;
    return tact_soup_create(&def, NULL);
}

static inline tact_shape *hull_of(random_source *random, int count, double step)
{
    tact_vec3 points[300];
    for (int i = 0; i < count; ++i) {
        points[i] = tact_vec(random_range(random, -1, 1), random_range(random, -1, 1), random_range(random, -1, 1));
        if (step > 0.0)
            points[i] = tact_vec(step * rint(points[i].x / step), step * rint(points[i].y / step),
                                 step * rint(points[i].z / step));
    }
    return tact_hull(points, (size_t)count);
}

/* A shape of each type, TACT_CUSTOM only with `custom`. One reference each. */
static inline void make_shapes(tact_shape *s[SHAPE_COUNT], uint64_t seed, bool custom)
{
    random_source random = random_seed(seed);
    const tact_vec3 p[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0.5, 0.5, 0}};
    int n = 0;
    s[n++] = tact_sphere(0.5);
    s[n++] = tact_box(1, 1, 1);
    s[n++] = tact_capsule(0.25, 1);
    s[n++] = tact_cylinder(0.5, 1);
    s[n++] = tact_cone(0.5, 1);
    s[n++] = tact_ellipsoid(0.5, 0.75, 1);
    s[n++] = tact_point(p[5]);
    s[n++] = tact_segment(p[0], p[1]);
    s[n++] = tact_triangle(p[0], p[1], p[2]);
    s[n++] = tact_tetrahedron(p[0], p[1], p[2], p[3]);
    s[n++] = tact_polygon(p, 3);
    s[n++] = hull_of(&random, 8, 0.0);
    s[n++] = hull_of(&random, 300, 0.0);
    s[n++] = hull_of(&random, 60, 0.5); /* coplanar points */
    s[n++] = tact_minkowski_sum(s[1], s[0]);
    s[n++] = tact_convex_hull_of(s[0], s[9]);
    s[n++] = tact_transformed(
        s[4], tact_transform_make(tact_vec(0.1, 0.2, 0.3), tact_quat_from_axis_angle(p[4], 1.0), tact_vec(1, 2, -1)));
    s[n++] = tact_rounded(s[1], 0.125);
    s[n++] = torus(6, 4, false, true, 0.0);
    s[n++] = torus(7, 5, true, false, 0.0625);
    s[n++] = plate();
    s[n++] = random_soup(&random);
    s[n++] = tact_rounded(s[18], 0.25);
    const tact_shape *parts[4] = {s[17], s[1], s[18], s[17]};
    const tact_transform transforms[4] = {
        tact_at(1, 0, 0), tact_at(-1, 0, 0), tact_at(0, 2, 0),
        tact_transform_make(tact_vec(0, -2, 0), tact_quat_from_axis_angle(p[1], 0.5), tact_vec(1, 1, 2))};
    s[n++] = tact_compound(parts, transforms, 4);
    const tact_shape *twice[2] = {s[23], s[23]};
    const tact_transform apart[2] = {tact_at(0, 0, 2), tact_at(0, 0, -2)};
    s[n++] = tact_compound(twice, apart, 2);
    s[n++] = custom ? tact_custom(sphere_support, &support_radius, 0.5) : tact_rounded(s[24], 0.125);
    s[n++] = torus(16, 8, false, false, 0.0); /* enough triangles for oriented boxes */
    assert_int_equal(n, SHAPE_COUNT);
    for (int i = 0; i < SHAPE_COUNT; ++i)
        assert_non_null(s[i]);
}

static inline void release_shapes(tact_shape *s[SHAPE_COUNT])
{
    for (int i = 0; i < SHAPE_COUNT; ++i)
        tact_shape_release(s[i]);
}

/* ---- the driver ---- */

typedef struct world_driver {
    tact_world *world;
    tact_shape **shapes;
    random_source random;
    tact_body bodies[MAX_BODIES]; /* some have been removed */
    uint64_t hash;                /* of all results */
    long contacts, self_contacts, nested, tests, succeeded, rejected;
    long persisting, ended, apart; /* contacts of these phases; contacts within reach that do not touch */
    int depth;                     /* 1 in a contact callback */
    bool passive;                  /* contact callbacks make no calls */
    int users[4];                  /* for user pointers */
    bool release_in_callback;      /* the next contact callback releases the world */
    long deformed;
    tact_vec3 vertices[MAX_BODIES][MAX_VERTICES]; /* borrowed by deformable bodies */
} world_driver;

static inline uint64_t bits_of(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline void digest_word(world_driver *s, uint64_t word) { s->hash = digest_add(s->hash, word); }

static inline void digest_vec(world_driver *s, tact_vec3 v)
{
    digest_word(s, bits_of(v.x));
    digest_word(s, bits_of(v.y));
    digest_word(s, bits_of(v.z));
}

static inline void digest_body(world_driver *s, tact_body body)
{
    digest_word(s, (uint64_t)body.index << 32 | body.generation);
}

static inline void digest_status(world_driver *s, tact_status status)
{
    digest_word(s, (uint64_t)status);
    ++*(status == TACT_OK ? &s->succeeded : &s->rejected);
}

static inline void digest_part(world_driver *s, tact_part part)
{
    digest_word(s, (uint64_t)part.leaf << 32 | part.face);
}

static inline void make_random_call(world_driver *s);

static inline void on_contact(void *context, const tact_contact *c)
{
    world_driver *s = context;
    ++s->contacts;
    s->self_contacts += c->a.index == c->b.index;
    digest_body(s, c->a);
    digest_body(s, c->b);
    s->ended += c->phase == TACT_PHASE_END;
    s->persisting += c->phase == TACT_PHASE_PERSIST;
    s->apart += c->phase != TACT_PHASE_END && c->depth < -1e-3 && c->want != TACT_PREVIOUS;
    digest_word(s, (uint64_t)c->want << 32 | (uint64_t)c->phase << 8 | (uint64_t)c->status);
    digest_word(s, c->user_a != NULL ? (uint64_t)((int *)c->user_a - s->users) : 99);
    digest_vec(s, c->point);
    digest_vec(s, c->on_a);
    digest_vec(s, c->on_b);
    digest_vec(s, c->normal);
    digest_word(s, bits_of(c->depth));
    for (int i = 0; c->manifold != NULL && i < c->manifold->count; ++i) {
        digest_vec(s, c->manifold->points[i].on_a);
        digest_word(s, bits_of(c->manifold->points[i].depth));
        digest_word(s, (uint64_t)c->manifold->points[i].feature_a << 32 | c->manifold->points[i].feature_b);
    }
    for (size_t i = 0; i < c->point_count; ++i) {
        digest_vec(s, c->points[i].on_b);
        digest_vec(s, c->points[i].normal);
        digest_word(s, (uint64_t)c->points[i].feature_a << 32 | c->points[i].feature_b);
    }
    digest_part(s, c->part_a);
    digest_part(s, c->part_b);
    for (size_t i = 0; c->want == TACT_INTERSECTIONS && i < c->intersection_count; ++i) {
        digest_vec(s, c->intersections[i].from);
        digest_vec(s, c->intersections[i].to);
        digest_part(s, c->intersections[i].part_a);
        digest_part(s, c->intersections[i].part_b);
        digest_word(s, (uint64_t)c->intersections[i].facet_a << 32 | c->intersections[i].edge[0]);
    }
    if (s->release_in_callback) {
        s->release_in_callback = false;
        tact_world_release(s->world);
        return;
    }
    s->depth = 1;
    while (!s->passive && random_chance(&s->random, 0.2)) {
        ++s->nested;
        make_random_call(s);
    }
    s->depth = 0;
}

/* A second callback. */
static inline void on_contact_too(void *context, const tact_contact *c)
{
    digest_word(context, 7);
    on_contact(context, c);
}

static inline tact_transform random_transform(world_driver *s)
{
    random_source *r = &s->random;
    /* on a grid of half a unit, so that bodies just touch */
    tact_vec3 at =
        tact_vec(0.5 * random_between(r, -9, 9), 0.5 * random_between(r, -9, 9), 0.5 * random_between(r, -4, 4));
    if (random_chance(r, 0.7))
        return tact_at(at.x, at.y, at.z);
    double stretch = random_chance(r, 0.5) ? 1.0 : -0.75;
    return tact_transform_make(at, random_rotation(r), tact_vec(stretch, 1, random_range(r, 0.5, 1.5)));
}

static inline tact_response random_response(world_driver *s)
{
    random_source *r = &s->random;
    if (random_chance(r, 0.1))
        return (tact_response){0};
    return (tact_response){.want = (tact_want)random_below(r, 6),
                           .callback = random_chance(r, 0.5) ? on_contact : on_contact_too,
                           .context = s,
                           .max_separation = random_chance(r, 0.5) ? 0.0 : 0.125,
                           .report_end = random_chance(r, 0.5)};
}

static inline tact_body_def random_def(world_driver *s)
{
    random_source *r = &s->random;
    return (tact_body_def){.shape = s->shapes[random_below(r, SHAPE_COUNT)],
                           .transform = random_transform(s),
                           .motion =
                               random_chance(r, 0.5) ? tact_motion_still() : tact_motion_linear(random_unit(r), 0, 1),
                           .user = random_chance(r, 0.5) ? NULL : &s->users[random_below(r, 4)],
                           .class_id = (uint32_t)random_below(r, CLASSES),
                           .category = random_chance(r, 0.9) ? 0 : 1 + random_below(r, 3),
                           .mask = random_chance(r, 0.9) ? 0 : 1 + random_below(r, 3),
                           .reach = random_chance(r, 0.8) ? 0.0 : random_unit(r),
                           .rotation_invariant_bounds = random_chance(r, 0.2)};
}

/* Half of the meshes and soups are deformable, and half of these meshes are tested against themselves. */
static inline tact_body_def random_deformable_def(world_driver *s)
{
    tact_body_def def = random_def(s);
    tact_shape_type type = tact_shape_get_type(def.shape);
    def.deformable = (type == TACT_MESH || type == TACT_SOUP) && random_chance(&s->random, 0.5);
    def.self_collision = def.deformable && type == TACT_MESH && random_chance(&s->random, 0.5);
    return def;
}

static inline tact_body *random_body(world_driver *s) { return &s->bodies[random_below(&s->random, MAX_BODIES)]; }

static inline void change_random_response(world_driver *s)
{
    random_source *r = &s->random;
    uint32_t one = (uint32_t)random_below(r, CLASSES), two = (uint32_t)random_below(r, CLASSES);
    tact_body a = *random_body(s), b = *random_body(s);
    tact_response response = random_response(s);
    switch (random_below(r, 9)) {
    case 0:
        digest_status(s, tact_world_set_contact_callback(s->world, response));
        break;
    case 1:
        digest_status(s, tact_class_set_contact_callback(s->world, one, response));
        break;
    case 2:
        digest_status(s, tact_classes_set_contact_callback(s->world, one, two, response));
        break;
    case 3:
        digest_status(s, tact_body_set_contact_callback(s->world, a, response));
        break;
    case 4:
        digest_status(s, tact_pair_set_contact_callback(s->world, a, b, response));
        break;
    case 5:
        digest_status(s, tact_class_reset_contact_callback(s->world, one));
        break;
    case 6:
        digest_status(s, tact_classes_reset_contact_callback(s->world, one, two));
        break;
    case 7:
        digest_status(s, tact_body_reset_contact_callback(s->world, a));
        break;
    default:
        digest_status(s, tact_pair_reset_contact_callback(s->world, a, b));
        break;
    }
}

/* Deforms all vertices of a body, then perhaps a range. */
static inline void deform_random_body(world_driver *s)
{
    random_source *r = &s->random;
    for (int tries = 0; tries < 8; ++tries) {
        size_t which = random_below(r, MAX_BODIES);
        tact_body body = s->bodies[which];
        if (!tact_body_is_deformable(s->world, body)) {
            if (tries == 0)
                digest_status(s, tact_body_make_deformable(s->world, body));
            continue;
        }
        tact_vec3 *vertices = s->vertices[which];
        size_t count = tact_body_get_vertices(s->world, body, vertices, MAX_VERTICES);
        assert_true(count <= MAX_VERTICES);
        for (size_t i = 0; i < count; ++i)
            vertices[i].z += random_range(r, -0.25, 0.25);
        digest_status(s, tact_body_deform(s->world, body, (tact_vertices){vertices, count, 0, TACT_SCALAR_DOUBLE}));
        if (random_chance(r, 0.5)) {
            size_t first = random_below(r, count), more = 1 + random_below(r, count - first);
            for (size_t i = first; i < first + more; ++i)
                vertices[i].x += random_range(r, -0.25, 0.25);
            digest_status(s, tact_body_deform_range(s->world, body, first, more));
        }
        ++s->deformed;
        break;
    }
}

/* One random call. */
static inline void make_random_call(world_driver *s)
{
    random_source *r = &s->random;
    tact_body *body = random_body(s), *other = random_body(s);
    uint64_t what = random_below(r, 100);
    if (what < 12) {
        tact_body_def def = random_deformable_def(s);
        (void)tact_body_remove(s->world, *body); /* limits their number */
        *body = tact_body_create(s->world, &def);
        digest_body(s, *body);
    } else if (what < 15) {
        tact_body_def defs[3] = {random_def(s), random_def(s), random_def(s)};
        tact_body made[3] = {{0, 0}, {0, 0}, {0, 0}};
        digest_status(s, tact_body_create_many(s->world, defs, 3, made, NULL));
        for (int i = 0; i < 3; ++i) {
            digest_body(s, made[i]);
            body = random_body(s);
            (void)tact_body_remove(s->world, *body);
            *body = made[i];
        }
    } else if (what < 22) {
        digest_status(s, tact_body_remove(s->world, *body));
    } else if (what < 24) {
        const tact_body both[2] = {*body, *other};
        digest_status(s, tact_body_remove_many(s->world, both, 2));
    } else if (what < 32) {
        deform_random_body(s);
    } else if (what < 34) {
        digest_status(s, tact_body_set_self_collision(s->world, *body, random_chance(r, 0.7)));
    } else if (what < 58) {
        digest_status(s, tact_body_set_transform(s->world, *body, random_transform(s)));
    } else if (what < 61) {
        digest_status(s, tact_body_set_motion(s->world, *body, tact_motion_linear(0, random_unit(r), 0)));
    } else if (what < 65) {
        digest_status(s, tact_body_set_shape(s->world, *body, s->shapes[random_below(r, SHAPE_COUNT)]));
    } else if (what < 68) {
        uint64_t category = random_below(r, 4), mask = random_below(r, 4);
        digest_status(s, tact_body_set_filter(s->world, *body, category, mask));
    } else if (what < 70) {
        digest_status(s, tact_body_set_class(s->world, *body, (uint32_t)random_below(r, CLASSES)));
    } else if (what < 72) {
        digest_status(s, tact_body_set_user(s->world, *body, &s->users[random_below(r, 4)]));
    } else if (what < 80) {
        change_random_response(s);
    } else if (what < 82) {
        digest_status(s, tact_world_set_broad_phase(s->world, (tact_broad_phase)random_below(r, 3)));
    } else if (what < 84) {
        digest_status(s, tact_world_set_caching(s->world, random_chance(r, 0.7)));
    } else if (what < 86) {
        digest_status(s, tact_world_store_previous(s->world));
    } else if (what < 87) {
        digest_status(s, tact_body_set_reach(s->world, *body, random_chance(r, 0.3) ? 0.0 : random_unit(r)));
    } else if (s->depth == 0) {
        ++s->tests;
        tact_count count = tact_world_test(s->world);
        digest_status(s, count.status);
        digest_word(s, count.count);
    }
}

/* The hash of all properties of all bodies. */
static inline uint64_t digest_of_bodies(const tact_world *world, const world_driver *users_of)
{
    static world_driver s; /* large, because of the vertices */
    s.hash = 0;
    digest_word(&s, tact_world_body_count(world));
    for (tact_body b = tact_world_next_body(world, (tact_body){0, 0}); b.generation != 0;
         b = tact_world_next_body(world, b)) {
        tact_transform transform = tact_body_get_transform(world, b),
                       previous = tact_body_get_previous_transform(world, b);
        tact_bounds bounds = tact_body_get_bounds(world, b);
        digest_body(&s, b);
        digest_vec(&s, transform.origin);
        digest_vec(&s, transform.x_axis);
        digest_vec(&s, previous.origin);
        digest_vec(&s, tact_body_get_motion(world, b).velocity);
        digest_word(&s, tact_body_get_class(world, b));
        digest_word(&s, tact_body_get_category(world, b));
        digest_word(&s, tact_body_get_mask(world, b));
        digest_word(&s, bits_of(tact_body_get_reach(world, b)));
        digest_vec(&s, bounds.min);
        digest_vec(&s, bounds.max);
        const int *user = tact_body_get_user(world, b);
        digest_word(&s, user != NULL ? (uint64_t)(user - users_of->users) : 99);
        digest_word(&s, (uint64_t)tact_shape_get_type(tact_body_get_shape(world, b)));
        tact_body next = tact_world_next_body(world, b);
        tact_response response = tact_pair_get_contact_callback(world, b, next);
        digest_word(&s, (uint64_t)response.want << 2 | (uint64_t)(response.callback == on_contact) << 1 |
                            (response.callback == on_contact_too));
    }
    return s.hash;
}

static inline void begin_driver(world_driver *s, tact_world *world, tact_shape **shapes, uint64_t seed)
{
    *s = (world_driver){.world = world, .shapes = shapes, .random = random_seed(seed)};
    digest_status(s, tact_world_set_contact_callback(
                         world, (tact_response){.want = TACT_WITNESS, .callback = on_contact, .context = s}));
    for (int i = 0; i < 20; ++i) {
        tact_body_def def = random_def(s);
        s->bodies[i] = tact_body_create(world, &def);
        digest_body(s, s->bodies[i]);
    }
}

/* ---- the pointer map of a driver ---- */

static inline uint64_t id_of(void *context, tact_pointer_kind kind, tact_pointer pointer)
{
    world_driver *s = context;
    switch (kind) {
    case TACT_POINTER_USER:
        return (uint64_t)((int *)pointer.data - s->users) + 10;
    case TACT_POINTER_CONTACT_CALLBACK:
        return pointer.contact_callback == on_contact ? 20 : pointer.contact_callback == on_contact_too ? 21 : 0;
    case TACT_POINTER_CONTACT_CONTEXT:
        return pointer.data == s ? 30 : 0;
    case TACT_POINTER_SUPPORT:
        return pointer.support_callback == sphere_support ? 40 : 0;
    case TACT_POINTER_SUPPORT_CONTEXT:
        return pointer.data == &support_radius ? 50 : 0;
    case TACT_POINTER_MOTION_CALLBACK:
    case TACT_POINTER_MOTION_CONTEXT:
        break; /* see internal_record_advance.c */
    }
    return 0;
}

static inline bool pointer_of(void *context, tact_pointer_kind kind, uint64_t number, tact_pointer *pointer)
{
    world_driver *s = context;
    switch (kind) {
    case TACT_POINTER_USER:
        pointer->data = &s->users[(number - 10) % 4];
        return number >= 10 && number < 14;
    case TACT_POINTER_CONTACT_CALLBACK:
        pointer->contact_callback = number == 20 ? on_contact : on_contact_too;
        return number == 20 || number == 21;
    case TACT_POINTER_CONTACT_CONTEXT:
        pointer->data = s;
        return number == 30;
    case TACT_POINTER_SUPPORT:
        pointer->support_callback = sphere_support;
        return number == 40;
    case TACT_POINTER_SUPPORT_CONTEXT:
        pointer->data = &support_radius;
        return number == 50;
    case TACT_POINTER_MOTION_CALLBACK:
    case TACT_POINTER_MOTION_CONTEXT:
        break;
    }
    return false;
}

static inline tact_pointer_map pointer_map_of(world_driver *s) { return (tact_pointer_map){id_of, pointer_of, s}; }

#endif
