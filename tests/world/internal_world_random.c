/*
 * A world against brute force: frames of mixed bodies that are created, removed, moved and deformed, and change shape,
 * class, filter and responses at random, with caching toggled and the broad phase switched. In every frame the
 * callbacks are those of a test of all pairs, with the response that an independent table of rules selects. The same
 * scenario gives the same hash of calls with every broad phase, any number of threads, caching on or off, and a distant
 * origin.
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

#include "core/hash.h"
#include "math/vec.h"
#include "shape/mesh.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"
#include "support/random.h"
#include "support/same_intersection.h"

#define MOST 400     /* bodies; three quarters of them are there at a time */
#define CLASSES 4    /* besides none */
#define RESPONSES 12 /* different ones */
#define CONVEX 15    /* shapes */
#define SHAPES 20    /* the others are meshes, soups and compounds */
#define WANTS 5      /* what a response may want to know */
#define ROOM 2000    /* intersections of a pair: more than any has */

enum { UNSET = -1, CLEAR = 0 }; /* else the number of a response */

typedef struct model_body {
    bool alive;
    tact_body name;
    int shape, shape_before;
    bool soft, soft_before;       /* deformable */
    tact_shape *own, *own_before; /* deformed: a mesh made of its vertices */
    tact_transform place, before;
    uint64_t serial, category, mask;
    uint32_t class_id;
    int response;
} model_body;

typedef struct model {
    tact_shape *shapes[SHAPES];
    model_body bodies[MOST];
    int fallback; /* the default response */
    int by_class[CLASSES + 1];
    int by_classes[CLASSES + 1][CLASSES + 1];
    int by_pair[MOST][MOST]; /* i < k */
    int called[MOST][MOST];  /* by the test: the number of the response */
    uint64_t serial;
    uint64_t hash;
    tact_vec3 origin;
    uint64_t seed;
    int frame;
} model;

typedef struct tally {
    size_t touching, silent, by_level[6], wants[WANTS], crossed, curved, added, removed, hidden, reshaped, deformed;
} tally;

typedef struct responder {
    model *m;
    int number;
    tally *t;
} responder;

typedef struct setup {
    tact_broad_phase broad;
    bool mixed; /* switch the broad phase and caching at random */
    bool uncached;
    int threads;
    bool far;     /* the origin 1e7 away */
    bool compare; /* with all pairs */
} setup;

static void stop(const model *m, const char *what)
{
    fail_msg("seed %llu, frame %d: %s", (unsigned long long)m->seed, m->frame, what);
}

static tact_want want_of(int number) { return (tact_want)(number % WANTS); }

static tact_vec3 shifted(const model *m, tact_vec3 p) { return vec_sub(p, m->origin); }

static uint64_t hash_vec(uint64_t hash, tact_vec3 p) { return hash_bytes(&p, sizeof p, hash); }

/* The shape of a body; of a deformed one, as it should be. */
static const tact_shape *shape_of(const model *m, const model_body *b)
{
    return b->own != NULL ? b->own : m->shapes[b->shape];
}

static const tact_shape *shape_before(const model *m, const model_body *b)
{
    return b->own_before != NULL ? b->own_before : m->shapes[b->shape_before];
}

/* ---- what is called ---- */

/* Those of the two shapes, whatever the world remembers and however a deformed one came about. */
static void check_crossings(responder *r, const tact_contact *c, const model_body *a, const model_body *b)
{
    static tact_intersection room[ROOM];
    model *m = r->m;
    const tact_intersections right =
        tact_shapes_intersections(shape_of(m, a), a->place, shape_of(m, b), b->place, room, ROOM);
    bool same = c->status == right.status && c->intersection_count == right.count && right.count <= ROOM;
    for (size_t i = 0; same && i < right.count; ++i) {
        same = same_intersection(&c->intersections[i], &room[i]);
        if (m->origin.x == 0.0)
            m->hash = hash_vec(hash_vec(m->hash, room[i].from), room[i].to);
    }
    if (!same)
        stop(m, "the crossings are others");
    r->t->crossed += right.count > 0;
    r->t->curved += right.status == TACT_BAD_ARGUMENT;
}

static void check_contact(responder *r, const tact_contact *c, const model_body *a, const model_body *b)
{
    model *m = r->m;
    const tact_shape *sa = shape_of(m, a), *sb = shape_of(m, b);
    const double tolerance = 1e-9 + 1e-14 * vec_max_abs(m->origin);
    if (c->want != want_of(r->number))
        stop(m, "another want");
    if (c->status != TACT_OK && c->want != TACT_INTERSECTIONS)
        stop(m, "a status");
    switch (c->want) {
    case TACT_NOTHING:
        if (vec_max_abs(c->point) != 0.0 || c->depth != 0.0 || c->manifold != NULL)
            stop(m, "more was reported than was wanted");
        break;
    case TACT_WITNESS: {
        tact_closest in_a = tact_shape_closest(sa, a->place, c->point),
                     in_b = tact_shape_closest(sb, b->place, c->point);
        if (!(in_a.distance <= tolerance && in_b.distance <= tolerance))
            stop(m, "the witness is not in both");
        break;
    }
    case TACT_PREVIOUS: {
        tact_distance d = tact_shapes_distance(shape_before(m, a), a->before, shape_before(m, b), b->before);
        /* a deformed body has another tree, which changes the order in which its triangles are tested */
        if (!a->soft_before && !b->soft_before && a->own_before == NULL && b->own_before == NULL
                ? c->depth != -d.distance || !vec_equal(c->on_a, d.on_a) || !vec_equal(c->on_b, d.on_b) ||
                      !vec_equal(c->normal, d.normal)
                : !(fabs(c->depth + d.distance) <= tolerance))
            stop(m, "the previous frame is another");
        break;
    }
    case TACT_CONTACTS:
        if (c->manifold == NULL || c->manifold->count < 1 || !(c->depth >= -tolerance) ||
            !(fabs(vec_length(c->normal) - 1.0) < 1e-9))
            stop(m, "no manifold, depth or normal");
        break;
    case TACT_CONTACT_POINTS:
        if (c->point_count < 1 || c->depth != c->points[0].depth || !(c->depth >= -tolerance) ||
            !(fabs(vec_length(c->normal) - 1.0) < 1e-9))
            stop(m, "no points, depth or normal");
        break;
    case TACT_INTERSECTIONS:
        check_crossings(r, c, a, b);
        break;
    }
    if (m->origin.x == 0.0)
        m->hash = hash_bytes(&c->depth, sizeof c->depth, hash_vec(hash_vec(m->hash, c->point), c->normal));
}

static void responded(void *context, const tact_contact *c)
{
    responder *r = context;
    model *m = r->m;
    size_t i = (size_t)((char *)c->user_a - (char *)m->bodies) / sizeof(model_body);
    size_t k = (size_t)((char *)c->user_b - (char *)m->bodies) / sizeof(model_body);
    const model_body *a = c->user_a, *b = c->user_b;
    if (a->serial >= b->serial || memcmp(&a->name, &c->a, sizeof c->a) != 0 ||
        memcmp(&b->name, &c->b, sizeof c->b) != 0)
        stop(m, "bodies in the wrong order or under another name");
    int *called = i < k ? &m->called[i][k] : &m->called[k][i];
    if (*called != UNSET)
        stop(m, "called twice");
    *called = r->number;
    ++r->t->wants[c->want];
    m->hash = hash_add(hash_add(m->hash, a->serial << 32 | b->serial), (uint64_t)r->number);
    check_contact(r, c, a, b);
}

/* ---- what should be called ---- */

/* The number of the response that counts, and on which level it was found. */
static int expected(const model *m, int i, int k, int *level)
{
    const model_body *first = &m->bodies[i], *second = &m->bodies[k];
    if (first->serial > second->serial) {
        first = &m->bodies[k];
        second = &m->bodies[i];
    }
    const int levels[] = {
        m->by_pair[i][k],
        first->response,
        second->response,
        first->class_id != 0 && second->class_id != 0 ? m->by_classes[first->class_id][second->class_id] : UNSET,
        first->class_id != 0 ? m->by_class[first->class_id] : UNSET,
        second->class_id != 0 ? m->by_class[second->class_id] : UNSET,
        m->fallback};
    for (*level = 0; levels[*level] == UNSET; ++*level)
        continue;
    return levels[*level];
}

static void compare_all(model *m, tally *t, size_t calls)
{
    size_t count = 0;
    for (int i = 0; i < MOST; ++i)
        for (int k = i + 1; k < MOST; ++k) {
            const model_body *a = &m->bodies[i], *b = &m->bodies[k];
            int level, number = CLEAR;
            bool touch = false;
            if (a->alive && b->alive) {
                touch = tact_shapes_overlap(shape_of(m, a), a->place, shape_of(m, b), b->place, NULL).state == TACT_HIT;
                bool seen = (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
                number = touch && seen ? expected(m, i, k, &level) : CLEAR;
                t->touching += touch;
                t->hidden += touch && !seen;
                t->silent += touch && seen && number == CLEAR;
                if (number != CLEAR)
                    ++t->by_level[level == 0 ? 0 : level < 3 ? 1 : level == 3 ? 2 : level < 6 ? 3 : 4];
            }
            if (number != (m->called[i][k] == UNSET ? CLEAR : m->called[i][k])) {
                printf("bodies %d (shape %d) and %d (shape %d): called %d, should be %d\n", i, a->shape, k, b->shape,
                       m->called[i][k], number);
                stop(m, "another response was called");
            }
            count += number != CLEAR;
        }
    if (count != calls)
        stop(m, "the number of calls is wrong");
}

/* ---- the scenario ---- */

static void make_shapes(tact_shape **s)
{
    random_source r = random_seed(5);
    tact_vec3 points[20];
    for (int i = 0; i < 20; ++i)
        points[i] = vec_make(random_range(&r, -0.7, 0.7), random_range(&r, -0.7, 0.7), random_range(&r, -0.7, 0.7));
    s[0] = tact_sphere(0.6);
    s[1] = tact_box(1.0, 1.0, 1.0);
    s[2] = tact_box(2.0, 0.5, 0.25);
    s[3] = tact_capsule(0.3, 1.0);
    s[4] = tact_cylinder(0.5, 1.0);
    s[5] = tact_cone(0.6, 1.2);
    s[6] = tact_ellipsoid(0.9, 0.4, 0.6);
    s[7] = tact_hull(points, 20);
    s[8] = tact_tetrahedron(points[0], points[1], points[2], points[3]);
    s[9] = tact_triangle(points[4], points[5], points[6]);
    s[10] = tact_segment(points[7], points[8]);
    s[11] = tact_point(points[9]);
    s[12] = tact_rounded(s[2], 0.125);
    s[13] = tact_minkowski_sum(s[10], s[6]);
    s[14] = tact_convex_hull_of(s[0], s[11]);
    /* a surface mesh of loose and of connected triangles; a solid tetrahedron; a soup of all kinds of parts; a
     * compound, and one of compounds */
    const uint32_t corners[] = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint32_t sizes[] = {4, 4, 8, 2, 1, 5};
    const tact_vec3 tetrahedron[] = {{-0.6, -0.6, -0.6}, {0.9, -0.5, -0.5}, {-0.5, 0.9, -0.5}, {-0.5, -0.5, 0.9}};
    const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    tact_mesh_def def = tact_mesh_def_default();
    s[15] = tact_mesh(points, 20, corners, 8);
    def.vertices = (tact_vertices){.data = tetrahedron, .count = 4};
    def.indices = faces;
    def.index_count = 12;
    def.solid = true;
    s[16] = tact_mesh_create(&def, NULL);
    def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = points, .count = 20};
    def.indices = corners;
    def.index_count = 24;
    def.loop_sizes = sizes;
    def.loop_count = 6;
    s[17] = tact_soup_create(&def, NULL);
    const tact_shape *parts[] = {s[0], s[1], s[15]};
    const tact_transform places[] = {tact_at(0.5, 0, 0), tact_at(-0.5, 0.5, 0), tact_at(0, -0.5, 0)};
    s[18] = tact_compound(parts, places, 3);
    const tact_shape *wholes[] = {s[18], s[16], s[3]};
    s[19] = tact_compound(wholes, places, 3);
    for (int i = 0; i < SHAPES; ++i)
        assert_non_null(s[i]);
}

static void forget_vertices(model_body *b)
{
    tact_shape_release(b->own);
    tact_shape_release(b->own_before);
    b->own = b->own_before = NULL;
}

/* On a grid of 2^-20, so that the far origin can be added without rounding. */
static double grid(double x) { return rint(x * 0x1p20) * 0x1p-20; }

static tact_transform random_place(random_source *r, tact_vec3 origin, double spread)
{
    tact_vec3 at = {random_range(r, -spread, spread), random_range(r, -spread, spread),
                    random_range(r, -spread, spread)};
    int kind = random_between(r, 0, 9);
    tact_quat turn = {random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), 1.0};
    tact_vec3 scale = {1.0, 1.0, 1.0};
    if (kind == 0) /* on whole numbers, so that some just touch */
        at = vec_make(rint(at.x), rint(at.y), rint(at.z));
    if (kind <= 1)
        turn = (tact_quat){0.0, 0.0, 0.0, 1.0};
    if (kind == 2)
        scale = vec_make(random_range(r, 0.3, 1.5), random_range(r, 0.3, 1.5), -random_range(r, 0.3, 1.5));
    at = vec_make(grid(at.x), grid(at.y), grid(at.z));
    return tact_transform_make(vec_add(at, origin), turn, scale);
}

static tact_response response_of(responder *responders, int number)
{
    if (number == CLEAR)
        return (tact_response){0};
    return (tact_response){.want = want_of(number), .callback = responded, .context = &responders[number]};
}

static int random_response(random_source *r)
{
    return random_chance(r, 0.25) ? CLEAR : random_between(r, 1, RESPONSES - 1);
}

/* All bits, or two neighbours of four: two of these share a bit seven times out of nine. */
static uint64_t random_filter(random_source *r)
{
    return random_chance(r, 0.6) ? UINT64_MAX : UINT64_C(3) << random_below(r, 3);
}

static void forget_pairs(model *m, int i)
{
    for (int k = 0; k < MOST; ++k)
        m->by_pair[i < k ? i : k][i < k ? k : i] = UNSET;
}

static void add(model *m, tact_world *w, random_source *r, int i, double spread)
{
    model_body *b = &m->bodies[i];
    forget_vertices(b);
    *b = (model_body){
        .alive = true, .shape = random_between(r, 0, SHAPES - 1), .serial = m->serial++, .response = UNSET};
    b->shape_before = b->shape;
    b->soft =
        tact_shape_get_type(m->shapes[b->shape]) == TACT_MESH || tact_shape_get_type(m->shapes[b->shape]) == TACT_SOUP;
    b->soft_before = b->soft;
    b->place = b->before = random_place(r, m->origin, spread);
    b->category = random_filter(r);
    b->mask = random_filter(r);
    b->class_id = (uint32_t)random_between(r, 0, CLASSES);
    b->name = tact_body_create(w, &(tact_body_def){.shape = m->shapes[b->shape],
                                                   .transform = b->place,
                                                   .user = b,
                                                   .class_id = b->class_id,
                                                   .category = b->category,
                                                   .mask = b->mask,
                                                   .rotation_invariant_bounds = random_chance(r, 0.3),
                                                   .deformable = b->soft});
    if (!tact_body_exists(w, b->name))
        stop(m, "no body was made");
    forget_pairs(m, i);
}

static void place(model *m, tact_world *w, random_source *r, int i, double spread)
{
    model_body *b = &m->bodies[i];
    tact_transform to = random_place(r, m->origin, spread);
    if (!random_chance(r, 0.1)) { /* a step from where it is, most of the time */
        tact_vec3 near = shifted(m, b->place.origin);
        for (int c = 0; c < 3; ++c) {
            double *x = c == 0 ? &near.x : c == 1 ? &near.y : &near.z;
            *x = grid(*x * 0.998 + random_range(r, -0.1, 0.1));
        }
        to = b->place;
        to.origin = vec_add(near, m->origin);
        if (random_chance(r, 0.5))
            to = tact_transform_rotate(to,
                                       tact_quat_from_axis_angle(vec_make(0.3, 0.5, random_range(r, -1.0, 1.0)), 0.05));
    }
    b->place = to;
    if (tact_body_set_transform(w, b->name, to) != TACT_OK)
        stop(m, "not placed");
}

/* Moves some of its vertices, and makes a shape of them as they are then. */
static void deform_body(model *m, tact_world *w, random_source *r, int i)
{
    model_body *b = &m->bodies[i];
    const mesh *faces = m->shapes[b->shape]->mesh;
    tact_vec3 v[20];
    uint32_t sizes[8];
    const size_t count = tact_body_get_vertices(w, b->name, v, 20);
    for (size_t k = 0; k < count; ++k) {
        double *x[3] = {&v[k].x, &v[k].y, &v[k].z};
        for (int c = 0; c < 3; ++c)
            *x[c] = grid(*x[c] * 0.9 + random_range(r, -0.15, 0.15));
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = v, .count = count};
    def.indices = faces->indices;
    def.index_count = faces->index_count;
    def.solid = faces->solid;
    for (uint32_t k = 0; faces->first_index != NULL && k < faces->element_count; ++k)
        sizes[k] = faces->first_index[k + 1] - faces->first_index[k];
    def.loop_sizes = faces->first_index != NULL ? sizes : NULL;
    def.loop_count = faces->first_index != NULL ? faces->element_count : 0;
    tact_shape_release(b->own);
    b->own = faces->first_index != NULL ? tact_soup_create(&def, NULL) : tact_mesh_create(&def, NULL);
    if (b->own == NULL || tact_body_deform(w, b->name, def.vertices) != TACT_OK)
        stop(m, "not deformed");
}

/* Of some bodies the one nearest to another, which it may well touch. */
static int neighbour(const model *m, random_source *r, int i, int most)
{
    int best = i;
    double least = INFINITY;
    for (int n = 0; n < 12; ++n) {
        int k = random_between(r, 0, most - 1);
        double far = vec_length(vec_sub(m->bodies[i].place.origin, m->bodies[k].place.origin));
        if (k != i && m->bodies[k].alive && far < least) {
            least = far;
            best = k;
        }
    }
    return best;
}

static void change_responses(model *m, tact_world *w, random_source *r, responder *responders, int most)
{
    int number = random_response(r), i = random_between(r, 0, most - 1), k = neighbour(m, r, i, most);
    uint32_t one = (uint32_t)random_between(r, 1, CLASSES), other = (uint32_t)random_between(r, 1, CLASSES);
    bool reset = random_chance(r, 0.4);
    tact_response response = response_of(responders, number);
    int set = reset ? UNSET : number;
    tact_status status = TACT_OK;
    const model_body *a = &m->bodies[i], *b = &m->bodies[k];
    switch (random_between(r, 0, 20)) {
    case 0:
        status = tact_world_set_contact_callback(w, response);
        m->fallback = number;
        break;
    case 1:
        status = reset ? tact_class_reset_contact_callback(w, one) : tact_class_set_contact_callback(w, one, response);
        m->by_class[one] = set;
        break;
    case 2:
        status = reset ? tact_classes_reset_contact_callback(w, one, other)
                       : tact_classes_set_contact_callback(w, one, other, response);
        m->by_classes[one][other] = m->by_classes[other][one] = set;
        break;
    case 3:
    case 4:
        if (a->alive) {
            status = reset ? tact_body_reset_contact_callback(w, a->name)
                           : tact_body_set_contact_callback(w, a->name, response);
            m->bodies[i].response = set;
        }
        break;
    default:
        if (a->alive && b->alive && i != k) {
            status = reset ? tact_pair_reset_contact_callback(w, a->name, b->name)
                           : tact_pair_set_contact_callback(w, a->name, b->name, response);
            m->by_pair[i < k ? i : k][i < k ? k : i] = set;
        }
    }
    if (status != TACT_OK)
        stop(m, "no response was set");
}

static void change_bodies(model *m, tact_world *w, random_source *r, int most, double spread, tally *t)
{
    for (int n = random_between(r, 0, 4); n > 0; --n) {
        int i = random_between(r, 0, most - 1);
        model_body *b = &m->bodies[i];
        if (!b->alive) {
            add(m, w, r, i, spread);
            ++t->added;
        } else if (random_chance(r, 1.0 / 3.0)) {
            if (tact_body_remove(w, b->name) != TACT_OK || tact_body_exists(w, b->name) ||
                tact_body_set_transform(w, b->name, b->place) != TACT_BAD_ARGUMENT)
                stop(m, "not removed");
            b->alive = false;
            forget_pairs(m, i);
            ++t->removed;
        } else {
            b->shape = random_between(r, 0, SHAPES - 1);
            tact_shape_release(b->own);
            b->own = NULL;
            b->category = random_filter(r);
            b->mask = random_filter(r);
            b->class_id = (uint32_t)random_between(r, 0, CLASSES);
            if (tact_body_set_shape(w, b->name, m->shapes[b->shape]) != TACT_OK ||
                tact_body_set_filter(w, b->name, b->category, b->mask) != TACT_OK ||
                tact_body_set_class(w, b->name, b->class_id) != TACT_OK)
                stop(m, "not changed");
            b->soft = tact_body_make_deformable(w, b->name) == TACT_OK;
            ++t->reshaped;
        }
    }
}

/* One after the other, in pieces of a size that no default loop would take. */
static void odd_loop(void *context, size_t count, size_t grain, tact_task *task, void *data)
{
    size_t piece = *(const size_t *)context;
    (void)grain;
    for (size_t end = count; end > 0;) {
        size_t begin = end > piece ? end - piece : 0;
        task(data, begin, end);
        end = begin;
    }
}

static void proceed(model *m, tact_world *w)
{
    for (int i = 0; i < MOST; ++i) {
        m->bodies[i].before = m->bodies[i].place;
        m->bodies[i].shape_before = m->bodies[i].shape;
        m->bodies[i].soft_before = m->bodies[i].soft;
        tact_shape_release(m->bodies[i].own_before);
        m->bodies[i].own_before = tact_shape_retain(m->bodies[i].own);
    }
    if (tact_world_store_previous(w) != TACT_OK)
        stop(m, "did not proceed");
}

/* Plays the scenario of a seed; returns the hash of all calls. */
static uint64_t play(uint64_t seed, int frames, int most, setup how, tally *t)
{
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    random_source r = random_seed(seed), side = random_seed(seed + 1);
    responder responders[RESPONSES];
    double spread = cbrt(2.2 * (double)most) / 2.0;
    size_t piece = 7;
    failing_allocator memory = {0};
    m->seed = seed;
    m->origin = how.far ? vec_make(1e7, -1e7, 1e7) : vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < RESPONSES; ++i)
        responders[i] = (responder){m, i, t};
    make_shapes(m->shapes);
    for (int i = 0; i <= CLASSES; ++i) {
        m->by_class[i] = UNSET;
        for (int k = 0; k <= CLASSES; ++k)
            m->by_classes[i][k] = UNSET;
    }
    for (int i = 0; i < MOST; ++i)
        forget_pairs(m, i);
    tact_world *w = tact_world_create(&(tact_world_def){
        .broad_phase = how.broad,
        .uncached = how.uncached,
        .allocator = failing_allocator_make(&memory),
        .parallel = {.loop = how.threads < 0 ? odd_loop : NULL, .context = &piece, .threads = how.threads}});
    assert_non_null(w);
    for (int i = 0; i < most - most / 4; ++i)
        add(m, w, &r, i, spread);
    m->fallback = 1;
    assert_int_equal(tact_world_set_contact_callback(w, response_of(responders, 1)), TACT_OK);
    for (m->frame = 0; m->frame < frames; ++m->frame) {
        bool busy = random_chance(&r, 0.7);
        change_bodies(m, w, &r, most, spread, t);
        for (int i = 0; i < most; ++i)
            if (m->bodies[i].alive && random_chance(&r, busy ? 0.6 : 0.05))
                place(m, w, &r, i, spread);
        for (int i = 0; i < most; ++i)
            if (m->bodies[i].alive && m->bodies[i].soft && random_chance(&r, busy ? 0.3 : 0.03)) {
                deform_body(m, w, &r, i);
                ++t->deformed;
            }
        for (int n = random_between(&r, 0, 20); n > 0; --n)
            change_responses(m, w, &r, responders, most);
        if (how.mixed && random_chance(&side, 0.1))
            assert_int_equal(tact_world_set_broad_phase(w, (tact_broad_phase)random_between(&side, 0, 2)), TACT_OK);
        if (how.mixed && random_chance(&side, 0.1))
            assert_int_equal(tact_world_set_caching(w, random_chance(&side, 0.5)), TACT_OK);
        memset(m->called, 0xff, sizeof m->called); /* UNSET */
        tact_count done = tact_world_test(w);
        if (done.status != TACT_OK)
            stop(m, "the test failed");
        m->hash = hash_add(m->hash, done.count);
        if (how.compare)
            compare_all(m, t, done.count);
        if (random_chance(&r, 0.5))
            proceed(m, w);
    }
    uint64_t hash = m->hash;
    tact_world_release(w);
    assert_int_equal(memory.held, 0);
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(m->shapes[i]);
    for (int i = 0; i < MOST; ++i)
        forget_vertices(&m->bodies[i]);
    free(m);
    return hash;
}

/* ---- tests ---- */

static bool is_long(void)
{
    const char *text = getenv("TACT_TEST_LONG");
    return text != NULL && strcmp(text, "1") == 0;
}

static void calls_are_those_of_all_pairs(void **state)
{
    (void)state;
    tally t = {0};
    int frames = is_long() ? 2500 : quick_form() ? 3 : 7;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        setup how = {
            .broad = (tact_broad_phase)(seed % 3), .mixed = true, .threads = seed == 4 ? -1 : 1, .compare = true};
        (void)play(seed, is_long() ? frames : frames * (int)seed, is_long() || seed == 1 ? MOST : 60, how, &t);
    }
    print_message(
        "touching %zu (hidden by filters %zu, silent %zu); by pair %zu body %zu classes %zu class %zu default "
        "%zu; nothing %zu witness %zu previous %zu depth %zu crossings %zu (%zu cross, %zu curved); added %zu removed "
        "%zu changed %zu deformed %zu\n",
        t.touching, t.hidden, t.silent, t.by_level[0], t.by_level[1], t.by_level[2], t.by_level[3], t.by_level[4],
        t.wants[0], t.wants[1], t.wants[2], t.wants[3], t.wants[4], t.crossed, t.curved, t.added, t.removed, t.reshaped,
        t.deformed);
    if (quick_form())
        return;
    assert_true(t.touching > 3200 && t.hidden > 120 && t.silent > 120);
    for (int i = 0; i < 5; ++i)
        assert_true(t.by_level[i] > 40);
    for (int i = 0; i < WANTS; ++i)
        assert_true(t.wants[i] > 100);
    assert_true(t.crossed > 20 && t.curved > 20);
    assert_true(t.added > 32 && t.removed > 32 && t.reshaped > 16 && t.deformed > 80);
}

static void hash_is_the_same_whatever_is_at_work(void **state)
{
    (void)state;
    const setup ways[] = {{.broad = TACT_BROAD_AUTO, .threads = 1},
                          {.broad = TACT_BROAD_SWEEP_AND_PRUNE, .threads = 1},
                          {.broad = TACT_BROAD_TREE, .threads = 1},
                          {.broad = TACT_BROAD_TREE, .threads = 2},
                          {.broad = TACT_BROAD_TREE, .threads = 5},
                          {.broad = TACT_BROAD_SWEEP_AND_PRUNE, .threads = 0, .uncached = true},
                          {.broad = TACT_BROAD_AUTO, .threads = -1, .mixed = true}};
    tally t = {0};
    for (uint64_t seed = 11; seed <= 12; ++seed) {
        uint64_t golden = 0;
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
            uint64_t hash = play(seed, is_long() ? 1000 : quick_form() ? 2 : 4, seed == 11 ? MOST : 50, ways[i], &t);
            if (i == 0)
                golden = hash;
            if (hash != golden)
                fail_msg("seed %llu: way %zu gives %016llx instead of %016llx", (unsigned long long)seed, i,
                         (unsigned long long)hash, (unsigned long long)golden);
        }
    }
    size_t calls = 0;
    for (int i = 0; i < WANTS; ++i)
        calls += t.wants[i];
    assert_true(quick_form() || (calls > 600 && t.crossed > 20));
}

/* All coordinates are multiples of 2^-20: 1e7 away they are the same numbers, and so must the contacts be. */
static void far_origin_loses_nothing(void **state)
{
    (void)state;
    tally near_tally = {0}, far_tally = {0};
    int frames = is_long() ? 1000 : 16;
    (void)play(21, frames, 80, (setup){.threads = 1, .compare = true}, &near_tally);
    (void)play(21, frames, 80, (setup){.threads = 1, .far = true, .compare = true}, &far_tally);
    assert_true(near_tally.touching > 400);
    assert_int_equal(near_tally.touching, far_tally.touching);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(near_tally.by_level[i], far_tally.by_level[i]);
}

static void hash_call(void *context, const tact_contact *c)
{
    uint64_t *hash = context;
    *hash = hash_add(*hash, (uint64_t)c->a.index << 32 | c->b.index);
    *hash = hash_vec(*hash, c->point);
}

/* Enough pairs that they are worth threads. */
static void crowds_are_decided_on_threads_alike(void **state)
{
    (void)state;
    const int crowd = is_long() ? 3000 : 1500;
    const double spread = is_long() ? 6.0 : 4.8; /* as dense */
    const size_t frames = is_long() ? 5 : 1;
    tact_shape *shapes[SHAPES];
    make_shapes(shapes);
    uint64_t golden = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        tact_world *w = tact_world_create(&(tact_world_def){.parallel = {.threads = threads}});
        random_source r = random_seed(31);
        uint64_t hash = 0;
        size_t calls = 0;
        const tact_vec3 middle = {0.0, 0.0, 0.0};
        for (int i = 0; i < crowd; ++i)
            (void)tact_body_create(
                w, &(tact_body_def){.shape = shapes[i % SHAPES], .transform = random_place(&r, middle, spread)});
        assert_int_equal(tact_world_set_contact_callback(
                             w, (tact_response){.want = TACT_WITNESS, .callback = hash_call, .context = &hash}),
                         TACT_OK);
        for (size_t frame = 0; frame < frames; ++frame) {
            for (tact_body b = tact_world_next_body(w, (tact_body){0, 0}); b.generation != 0;
                 b = tact_world_next_body(w, b)) {
                tact_vec3 step = {random_range(&r, -0.1, 0.1), random_range(&r, -0.1, 0.1), 0.0};
                tact_transform p = tact_transform_translate(tact_body_get_transform(w, b), step);
                assert_int_equal(tact_body_set_transform(w, b, p), TACT_OK);
            }
            calls += tact_world_test(w).count;
        }
        assert_true(calls > 1200 * frames); /* of more than twice as many pairs */
        if (threads == 1)
            golden = hash;
        assert_true(hash == golden);
        tact_world_release(w);
    }
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_those_of_all_pairs),
        cmocka_unit_test(hash_is_the_same_whatever_is_at_work),
        cmocka_unit_test(far_origin_loses_nothing),
        cmocka_unit_test(crowds_are_decided_on_threads_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
