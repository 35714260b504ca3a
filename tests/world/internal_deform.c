/*
 * Deformable bodies against newly created bodies: random worlds of meshes, solids, polygons, soups and convex shapes,
 * in which vertices change in place, in ranges, or with the whole array, floats or doubles with any stride. After each
 * frame shapes are created from the current and the previous vertices. Every pair, contact and query must give the same
 * result as these, with caching on or off; the tree of every body must be tight, and its bounds must contain it.
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
#include "support/long_form.h"
#include "support/random.h"
#include "world/world_internal.h"

#define BODIES 14
#define SHAPES 9
#define DEFORMABLE 7 /* shapes from 0 to 6 can deform */

typedef struct client {
    tact_vertices array;   /* lent */
    unsigned char *memory; /* of both of its arrays */
    size_t bytes;          /* of one */
} client;

typedef struct model_body {
    tact_body name;
    int shape;
    bool soft, lent;
    tact_vec3 *now, *before; /* vertices */
    tact_shape *made, *made_before;
    tact_transform place, place_before;
    client client;
} model_body;

typedef struct tally {
    size_t touching, apart, swapped, ranges, wide_ranges, crumpled, rebuilt, previous, witness, depth, rays, casts,
        near_found, overlaps, inside, floats, proceeded, converted, fixed, starved;
} tally;

typedef struct model {
    uint64_t seed;
    int frame;
    tact_shape *shapes[SHAPES];
    model_body bodies[BODIES];
    bool called[BODIES][BODIES];
    tally *t;
    failing_allocator memory;
} model;

static void stop(const model *m, int body, const char *what)
{
    fail_msg("seed %llu, frame %d, body %d: %s", (unsigned long long)m->seed, m->frame, body, what);
}

/* ---- shapes ---- */

/* In the cube from -1 to 1. */
static tact_vec3 random_vec(random_source *r)
{
    const double x = random_range(r, -1.0, 1.0), y = random_range(r, -1.0, 1.0);
    return vec_make(x, y, random_range(r, -1.0, 1.0));
}

static tact_vec3 *torus(uint32_t rings, uint32_t sides, uint32_t **corners, double thick)
{
    tact_vec3 *v = malloc(sizeof *v * rings * sides);
    uint32_t *c = malloc(sizeof *c * 6 * rings * sides), n = 0;
    for (uint32_t i = 0; i < rings; ++i)
        for (uint32_t k = 0; k < sides; ++k) {
            double a = 6.283185307179586 * i / rings, b = 6.283185307179586 * k / sides;
            uint32_t i1 = (i + 1) % rings, k1 = (k + 1) % sides;
            v[i * sides + k] =
                vec_make((1.0 + thick * cos(b)) * cos(a), (1.0 + thick * cos(b)) * sin(a), thick * sin(b));
            const uint32_t quad[6] = {i * sides + k, i1 * sides + k,  i1 * sides + k1,
                                      i * sides + k, i1 * sides + k1, i * sides + k1};
            memcpy(c + n, quad, sizeof quad);
            n += 6;
        }
    *corners = c;
    return v;
}

static tact_shape *make_torus(uint32_t rings, uint32_t sides, bool solid, double margin)
{
    uint32_t *corners;
    tact_vec3 *v = torus(rings, sides, &corners, 0.4);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = v, .count = rings * sides};
    def.indices = corners;
    def.index_count = 6 * rings * sides;
    def.solid = solid;
    def.margin = margin;
    tact_shape *s = tact_mesh_create(&def, NULL);
    free(v);
    free(corners);
    return s;
}

/* A sheet of quads that are not flat when bent, and one pentagon. */
static tact_shape *make_sheet(void)
{
    enum { N = 9 };
    tact_vec3 v[N * N];
    uint32_t corners[4 * N * N + 5], sizes[N * N + 1], n = 0, faces = 0;
    for (uint32_t i = 0; i < N * N; ++i)
        v[i] = vec_make(0.25 * (i % N) - 1.0, 0.25 * (i / N) - 1.0, 0.0);
    for (uint32_t i = 0; i + 1 < N; ++i)
        for (uint32_t k = 0; k + 1 < N; ++k) {
            const uint32_t quad[4] = {i * N + k, i * N + k + 1, (i + 1) * N + k + 1, (i + 1) * N + k};
            memcpy(corners + n, quad, sizeof quad);
            n += 4;
            sizes[faces++] = 4;
        }
    const uint32_t five[5] = {0, N - 1, N * N / 2 + 2, N * N - 1, N * (N - 1)};
    memcpy(corners + n, five, sizeof five);
    n += 5;
    sizes[faces++] = 5;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = v, .count = N * N};
    def.indices = corners;
    def.index_count = n;
    def.loop_sizes = sizes;
    def.loop_count = faces;
    return tact_mesh_create(&def, NULL);
}

/* Loose triangles: no vertex is shared, but places are, as in many files; some vertices are unused. */
static tact_shape *make_loose(void)
{
    enum { N = 40 };
    tact_vec3 v[3 * N + 4];
    uint32_t corners[3 * N];
    random_source r = random_seed(77);
    for (uint32_t i = 0; i < 3 * N + 4; ++i)
        v[i] = i % 3 == 0 && i > 3 ? v[i - 2] : vec_scale(random_vec(&r), 0.9);
    for (uint32_t i = 0; i < 3 * N; ++i)
        corners[i] = i;
    corners[1] = corners[0]; /* a triangle without area */
    return tact_mesh(v, 3 * N + 4, corners, N);
}

/* Convex parts of all sizes if `large`, else of up to four vertices. */
static tact_shape *make_soup(bool large)
{
    enum { N = 30 };
    tact_vec3 v[N];
    uint32_t corners[40], sizes[40], n = 0, pieces = 0;
    random_source r = random_seed(78);
    for (uint32_t i = 0; i < N; ++i)
        v[i] = vec_scale(random_vec(&r), 0.8);
    while (n < 30) {
        uint32_t size = 1 + pieces % (large ? 7 : 4);
        for (uint32_t i = 0; i < size; ++i)
            corners[n++] = (uint32_t)random_below(&r, N);
        sizes[pieces++] = size;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = v, .count = N};
    def.indices = corners;
    def.index_count = n;
    def.loop_sizes = sizes;
    def.loop_count = pieces;
    return tact_soup_create(&def, NULL);
}

/* A new shape with other vertices; for a polygon mesh, of the triangles of its triangulation. */
static tact_shape *anew(const tact_shape *shape, const tact_vec3 *vertices)
{
    const mesh *m = shape->mesh;
    tact_mesh_def def = tact_mesh_def_default();
    uint32_t sizes[64];
    def.vertices = (tact_vertices){.data = vertices, .count = m->vertex_count};
    def.indices = m->indices;
    def.index_count = m->index_count;
    def.solid = m->solid;
    def.margin = shape->margin;
    if (m->first_index == NULL)
        return tact_mesh_create(&def, NULL);
    for (uint32_t i = 0; i < m->element_count; ++i)
        sizes[i] = m->first_index[i + 1] - m->first_index[i];
    def.loop_sizes = sizes;
    def.loop_count = m->element_count;
    return tact_soup_create(&def, NULL);
}

static void make_shapes(model *m)
{
    m->shapes[0] = make_torus(24, 12, true, 0.0);
    m->shapes[1] = make_torus(12, 8, false, 0.0);
    m->shapes[2] = make_sheet();
    m->shapes[3] = make_loose();
    m->shapes[4] = make_soup(false);
    m->shapes[5] = make_soup(true);
    m->shapes[6] = make_torus(10, 6, true, 0.05);
    m->shapes[7] = tact_sphere(0.3);
    m->shapes[8] = tact_box(0.8, 0.3, 0.5);
    for (int i = 0; i < SHAPES; ++i)
        assert_non_null(m->shapes[i]);
}

/* ---- the client's arrays ---- */

static void write_vertex(const client *c, size_t i, tact_vec3 *v)
{
    unsigned char *at = (unsigned char *)(uintptr_t)c->array.data + i * c->array.stride;
    if (c->array.scalar == TACT_SCALAR_FLOAT) {
        const float f[3] = {(float)v->x, (float)v->y, (float)v->z};
        memcpy(at, f, sizeof f);
    } else {
        const double d[3] = {v->x, v->y, v->z};
        memcpy(at, d, sizeof d);
    }
    *v = tact_vertices_get(&c->array, i); /* as it is read; rounding it here is lost on gcc 12 with -O3 */
}

static void begin_client(client *c, random_source *r, size_t count)
{
    const bool floats = random_chance(r, 0.4);
    const size_t least = floats ? 3 * sizeof(float) : 3 * sizeof(double);
    const size_t stride = random_chance(r, 0.5) ? least : least + (size_t)random_between(r, 1, 23);
    c->bytes = count * stride;
    c->memory = malloc(2 * c->bytes);
    memset(c->memory, 0xff, 2 * c->bytes); /* NaN, where nothing was written */
    c->array = (tact_vertices){c->memory, count, stride, floats ? TACT_SCALAR_FLOAT : TACT_SCALAR_DOUBLE};
}

/* ---- changing ---- */

static tact_transform random_place(random_source *r)
{
    tact_vec3 at = vec_scale(random_vec(r), 1.9), scale = {1.0, 1.0, 1.0};
    tact_quat turn = {random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), 1.0};
    if (random_chance(r, 0.3))
        turn = (tact_quat){0.0, 0.0, 0.0, 1.0};
    if (random_chance(r, 0.2))
        scale = vec_make(random_range(r, 0.4, 1.5), -random_range(r, 0.4, 1.5), random_range(r, 0.4, 1.5));
    return tact_transform_make(at, turn, scale);
}

static void add(model *m, tact_world *w, random_source *r, int i)
{
    model_body *b = &m->bodies[i];
    *b = (model_body){.shape = i < SHAPES ? i : random_between(r, 0, SHAPES - 1)};
    const bool can = b->shape < DEFORMABLE, later = can && random_chance(r, 0.2);
    b->soft = can && !later && random_chance(r, 0.9);
    b->place = b->place_before = random_place(r);
    tact_body_def def = {.shape = m->shapes[b->shape],
                         .transform = b->place,
                         .user = b,
                         .deformable = b->soft,
                         .rotation_invariant_bounds = random_chance(r, 0.2)};
    m->t->fixed += b->soft && def.rotation_invariant_bounds;
    b->name = tact_body_create(w, &def);
    if (!tact_body_exists(w, b->name))
        stop(m, i, "was not made");
    if (can) {
        const size_t count = tact_shape_get_points(m->shapes[b->shape], NULL, 0);
        b->now = malloc(count * sizeof *b->now);
        b->before = malloc(count * sizeof *b->before);
        (void)tact_shape_get_points(m->shapes[b->shape], b->now, count);
        (void)tact_shape_get_points(m->shapes[b->shape], b->before, count);
        begin_client(&b->client, r, count);
    }
    b->made = tact_shape_retain(m->shapes[b->shape]);
    b->made_before = tact_shape_retain(m->shapes[b->shape]);
    if (later) {
        assert_int_equal(tact_body_make_deformable(w, b->name), TACT_OK);
        b->soft = true;
        ++m->t->converted;
    }
    if (tact_body_is_deformable(w, b->name) != b->soft || tact_body_get_shape(w, b->name) != m->shapes[b->shape])
        stop(m, i, "says it is another");
}

static void drop(model *m, int i)
{
    model_body *b = &m->bodies[i];
    tact_shape_release(b->made);
    tact_shape_release(b->made_before);
    free(b->now);
    free(b->before);
    free(b->client.memory);
}

static tact_vec3 twisted(tact_vec3 p, double amount)
{
    double c = cos(amount * p.z), s = sin(amount * p.z);
    return vec_make(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}

static void change(model *m, tact_world *w, random_source *r, int i)
{
    model_body *b = &m->bodies[i];
    const size_t count = b->client.array.count;
    const int kind = random_between(r, 0, 9);
    size_t first = 0, many = count;
    const tact_vec3 push = vec_scale(random_vec(r), 0.15);
    const double amount = random_range(r, -0.5, 0.5);
    tact_vec3 cold[400];
    assert_true(tact_shape_get_points(m->shapes[b->shape], cold, 400) == count);
    if (b->lent && kind < 6) { /* in place */
        many = 1 + random_below(r, random_chance(r, 0.7) ? 1 + count / 16 : count);
        first = random_below(r, count - many + 1);
    } else if (random_chance(r, 0.7)) { /* the other of its two arrays */
        b->client.array.data =
            b->client.array.data == b->client.memory ? b->client.memory + b->client.bytes : b->client.memory;
        ++m->t->swapped;
    }
    for (size_t k = first; k < first + many; ++k) {
        tact_vec3 p = b->now[k];
        if (kind == 9) /* crumpled, the tree is of no use any more */
            p = vec_scale(random_vec(r), 1.2);
        else if (kind == 8) /* back, but for a little */
            p = vec_add(cold[k], vec_scale(push, random_unit(r)));
        else if (kind == 7)
            p = random_chance(r, 0.01) ? push : twisted(p, amount);
        else
            p = vec_add(vec_scale(p, 0.98), vec_scale(push, random_range(r, 0.5, 1.0)));
        b->now[k] = p;
        if (b->lent && kind < 6)
            write_vertex(&b->client, k, &b->now[k]);
    }
    if (!(b->lent && kind < 6))
        for (size_t k = 0; k < count; ++k)
            write_vertex(&b->client, k, &b->now[k]);
    m->memory.every = random_chance(r, 0.2) ? random_between(r, 1, 5) : 0;
    tact_status status = b->lent && kind < 6 ? tact_body_deform_range(w, b->name, first, many)
                                             : tact_body_deform(w, b->name, b->client.array);
    m->memory.every = 0;
    if (status == TACT_OUT_OF_MEMORY && m->shapes[b->shape]->mesh->hulls != NULL) { /* no others need any */
        status = b->lent && kind < 6 ? tact_body_deform_range(w, b->name, first, many)
                                     : tact_body_deform(w, b->name, b->client.array);
        ++m->t->starved;
    }
    if (status != TACT_OK)
        stop(m, i, "was not deformed");
    m->t->ranges += b->lent && kind < 6 && many < count / 12;
    m->t->wide_ranges += b->lent && kind < 6 && many >= count / 12;
    m->t->crumpled += kind == 9;
    m->t->floats += b->client.array.scalar == TACT_SCALAR_FLOAT;
    b->lent = true;
    tact_shape_release(b->made);
    b->made = anew(m->shapes[b->shape], b->now);
    assert_non_null(b->made);
}

static void proceed(model *m, tact_world *w)
{
    assert_int_equal(tact_world_store_previous(w), TACT_OK);
    ++m->t->proceeded;
    for (int i = 0; i < BODIES; ++i) {
        model_body *b = &m->bodies[i];
        b->place_before = b->place;
        tact_shape_release(b->made_before);
        b->made_before = tact_shape_retain(b->made);
        if (b->now != NULL)
            memcpy(b->before, b->now, b->client.array.count * sizeof *b->now);
    }
}

/* ---- comparing ---- */

static bool near(double a, double b) { return fabs(a - b) <= 1e-9; }

static void responded(void *context, const tact_contact *c)
{
    model *m = context;
    const model_body *a = c->user_a, *b = c->user_b;
    const int i = (int)(a - m->bodies), k = (int)(b - m->bodies);
    if (m->called[i][k] || c->status != TACT_OK)
        stop(m, i, "called twice, or a status");
    m->called[i][k] = m->called[k][i] = true;
    if (c->want == TACT_PREVIOUS) {
        tact_distance d = tact_shapes_distance(a->made_before, a->place_before, b->made_before, b->place_before);
        if (!near(c->depth, -d.distance))
            stop(m, i, "the previous frame is another");
        if (!near(tact_shape_closest(a->made_before, a->place_before, c->on_a).distance, 0.0) && d.distance > 0.0)
            stop(m, i, "its point in the previous frame is not on it");
        ++m->t->previous;
    } else if (c->want == TACT_WITNESS) {
        if (tact_shape_closest(a->made, a->place, c->point).distance > 1e-9 ||
            tact_shape_closest(b->made, b->place, c->point).distance > 1e-9)
            stop(m, i, "the witness is not in both");
        ++m->t->witness;
    } else if (c->want == TACT_CONTACTS) {
        tact_penetration d = tact_shapes_penetration(a->made, a->place, b->made, b->place);
        /* the least among directions tried, of elements in the order of the tree: about as deep */
        if (!(c->depth >= -1e-9) || !(c->depth <= 2.0 * d.depth + 1e-6) || !(d.depth <= 2.0 * c->depth + 1e-6))
            stop(m, i, "another depth");
        ++m->t->depth;
    }
}

static void compare_pairs(model *m)
{
    for (int i = 0; i < BODIES; ++i)
        for (int k = i + 1; k < BODIES; ++k) {
            const model_body *a = &m->bodies[i], *b = &m->bodies[k];
            bool touch = tact_shapes_overlap(a->made, a->place, b->made, b->place, NULL).state == TACT_HIT;
            if (touch != m->called[i][k]) {
                printf("with body %d: %s\n", k, touch ? "touch" : "apart");
                stop(m, i, "the pair is decided otherwise");
            }
            if (a->soft || b->soft) {
                m->t->touching += touch;
                m->t->apart += !touch;
            }
        }
}

/* The closest hit on the new shapes, by the same rule. */
static void compare_searches(model *m, tact_world *w, random_source *r)
{
    const tact_vec3 from = vec_scale(random_vec(r), 3.0), along = vec_sub(vec_scale(random_vec(r), 1.2), from);
    const tact_shape *probe = m->shapes[random_chance(r, 0.5) ? 7 : 8];
    tact_transform at = random_place(r);
    if (random_chance(r, 0.7)) /* on its own, most of the time */
        at.origin = vec_scale(at.origin, 2.0);
    const tact_vec3 path = vec_sub(vec_scale(random_vec(r), 1.2), at.origin);
    double ray = INFINITY, cast = INFINITY, point = INFINITY, shape = INFINITY;
    size_t over = 0;
    for (int i = 0; i < BODIES; ++i) {
        const model_body *b = &m->bodies[i];
        tact_ray_hit hit = tact_shape_ray(b->made, b->place, from, along, 2.0);
        tact_toi impact = tact_shapes_cast(probe, at, path, b->made, b->place);
        ray = hit.state == TACT_HIT && hit.t < ray ? hit.t : ray;
        cast = impact.state == TACT_HIT && impact.time < cast ? impact.time : cast;
        point = fmin(point, tact_shape_closest(b->made, b->place, from).distance);
        shape = fmin(shape, tact_shapes_distance(probe, at, b->made, b->place).distance);
        over += tact_shapes_overlap(probe, at, b->made, b->place, NULL).state == TACT_HIT;
    }
    tact_hit found = tact_world_ray(w, from, along, 2.0, NULL);
    if (found.status != TACT_OK || (found.state == TACT_HIT) != (ray < INFINITY) ||
        (found.state == TACT_HIT && found.t != ray)) /* bit for bit: triangles do not depend on each other */
        stop(m, -1, "another ray");
    m->t->rays += found.state == TACT_HIT;
    found = tact_world_cast(w, probe, at, path, NULL);
    if (found.status != TACT_OK || (found.state == TACT_HIT) != (cast < INFINITY) ||
        (found.state == TACT_HIT && fabs(found.t - cast) > 1e-7))
        stop(m, -1, "another cast");
    m->t->casts += found.state == TACT_HIT && found.t > 0.0;
    found = tact_world_closest_point(w, from, INFINITY, NULL);
    if (found.status != TACT_OK || !near(found.distance, point))
        stop(m, -1, "another nearest point");
    found = tact_world_closest_shape(w, probe, at, INFINITY, NULL);
    if (found.status != TACT_OK || !near(found.distance, shape))
        stop(m, -1, "another nearest shape");
    m->t->near_found += found.distance > 0.0;
    tact_query search = {.type = TACT_QUERY_OVERLAP, .shape = probe, .transform = at};
    tact_count all = tact_world_query_all(w, &search, NULL, 0);
    if (all.status != TACT_OK || all.count != over)
        stop(m, -1, "another overlap");
    m->t->overlaps += over;
}

static void check_copy(const model *m, int i, const tact_shape *copy)
{
    const mesh *it = copy->mesh;
    box *boxes = malloc((it->element_count + 1) * sizeof *boxes);
    tact_report report;
    for (uint32_t k = 0; k < it->element_count; ++k) {
        const uint32_t first = it->first_index != NULL ? it->first_index[k] : 3 * k;
        const uint32_t end = it->first_index != NULL ? it->first_index[k + 1] : first + 3;
        tact_vec3 corners[64];
        assert_true(end - first <= 64);
        for (uint32_t c = first; c < end; ++c)
            corners[c - first] = it->vertices[it->indices[c]];
        boxes[k] = tact_box_of_points(corners, end - first);
    }
    if (tact_aabb_tree_check(&it->tree, boxes, &report) != TACT_OK) {
        printf("%s\n", report.text);
        stop(m, i, "its tree does not fit");
    }
    double least = 0.0;
    for (uint32_t k = 0; k < it->index_count; ++k)
        least = fmax(least, vec_length(it->vertices[it->indices[k]]));
    if (!(copy->bounding_radius >= least * (1.0 - 1e-15)) || !(it->bounding_radius == copy->bounding_radius))
        stop(m, i, "reaches beyond its reach");
    free(boxes);
}

static void check_body(const model *m, const tact_world *w, int i)
{
    const model_body *b = &m->bodies[i];
    const world_body *hot = &w->bodies.items[b->name.index];
    const world_body_cold *cold = &w->cold.items[b->name.index];
    if (!b->soft)
        return;
    const size_t count = b->client.array.count;
    tact_vec3 now[400];
    assert_true(tact_body_get_vertices(w, b->name, now, 400) == count && count <= 400);
    if (memcmp(now, b->now, count * sizeof *now) != 0)
        stop(m, i, "has other vertices");
    if (memcmp(cold->previous_shape->mesh->vertices, b->before, count * sizeof *now) != 0)
        stop(m, i, "had other vertices in the previous frame");
    check_copy(m, i, hot->shape);
    if (cold->previous_shape->mesh->original != NULL)
        check_copy(m, i, cold->previous_shape);
    const tact_bounds have = tact_body_get_bounds(w, b->name);
    tact_bounds need;
    assert_int_equal(tact_shape_bounds(b->made, b->place, &need), TACT_OK);
    if (have.min.x > need.min.x || have.min.y > need.min.y || have.min.z > need.min.z || have.max.x < need.max.x ||
        have.max.y < need.max.y || have.max.z < need.max.z)
        stop(m, i, "is larger than its bounds");
    if (!(hot->flags & BODY_FIXED_BOUNDS) && (have.max.x - have.min.x) > (need.max.x - need.min.x) * 1.00001 + 1e-5)
        stop(m, i, "is smaller than its bounds");
}

static void play(uint64_t seed, int frames, tally *t)
{
    model *m = calloc(1, sizeof *m);
    random_source r = random_seed(seed);
    m->seed = seed;
    m->t = t;
    make_shapes(m);
    tact_world *w = tact_world_create(&(tact_world_def){.broad_phase = (tact_broad_phase)(seed % 3),
                                                        .allocator = failing_allocator_make(&m->memory)});
    for (int i = 0; i < BODIES; ++i)
        add(m, w, &r, i);
    for (m->frame = 0; m->frame < frames; ++m->frame) {
        /* depth is costly: seldom */
        const tact_want want = random_chance(&r, 0.07) ? TACT_CONTACTS : (tact_want)random_between(&r, 0, 2);
        double trees_before = 0.0, trees = 0.0;
        if (random_chance(&r, 0.1))
            (void)tact_world_set_caching(w, random_chance(&r, 0.5));
        if (random_chance(&r, 0.1)) { /* another comes for one that goes */
            int i = random_between(&r, 0, BODIES - 1);
            assert_int_equal(tact_body_remove(w, m->bodies[i].name), TACT_OK);
            drop(m, i);
            add(m, w, &r, i);
        }
        for (int i = 0; i < BODIES; ++i) {
            model_body *b = &m->bodies[i];
            const world_body *hot = &w->bodies.items[b->name.index];
            if (random_chance(&r, 0.3)) {
                b->place = random_place(&r);
                assert_int_equal(tact_body_set_transform(w, b->name, b->place), TACT_OK);
            }
            if (b->soft) {
                trees_before += hot->shape->mesh->tree.built_cost;
                for (int n = random_between(&r, 0, 2); n > 0; --n)
                    change(m, w, &r, i);
                trees += hot->shape->mesh->tree.built_cost;
            }
            check_body(m, w, i);
        }
        t->rebuilt += trees != trees_before;
        memset(m->called, 0, sizeof m->called);
        assert_int_equal(
            tact_world_set_contact_callback(w, (tact_response){.want = want, .callback = responded, .context = m}),
            TACT_OK);
        tact_count done = tact_world_test(w);
        if (done.status != TACT_OK)
            stop(m, -1, "the test failed");
        compare_pairs(m);
        compare_searches(m, w, &r);
        if (random_chance(&r, 0.5))
            proceed(m, w);
        for (int i = 0; i < BODIES; ++i)
            check_body(m, w, i);
    }
    tact_world_release(w);
    assert_int_equal(m->memory.held, 0);
    for (int i = 0; i < BODIES; ++i)
        drop(m, i);
    for (int i = 0; i < SHAPES; ++i)
        tact_shape_release(m->shapes[i]);
    free(m);
}

static void deformed_bodies_answer_as_new_ones(void **state)
{
    (void)state;
    const char *text = getenv("TACT_TEST_LONG");
    const bool is_long = text != NULL && strcmp(text, "1") == 0;
    tally t = {0};
    for (uint64_t seed = 1; seed <= (is_long ? 60 : quick_form() ? 1 : 3); ++seed)
        play(seed, 20, &t);
    print_message(
        "pairs: %zu touch, %zu apart; %zu arrays swapped, %zu ranges, %zu wide ranges, %zu crumpled, %zu from "
        "floats; trees rebuilt in %zu frames; %zu proceeds; previous %zu, witness %zu, depth %zu; rays %zu, casts "
        "%zu, near %zu, overlaps %zu; converted %zu, fixed bounds %zu, without memory %zu\n",
        t.touching, t.apart, t.swapped, t.ranges, t.wide_ranges, t.crumpled, t.floats, t.rebuilt, t.proceeded,
        t.previous, t.witness, t.depth, t.rays, t.casts, t.near_found, t.overlaps, t.converted, t.fixed, t.starved);
    if (quick_form())
        return;
    assert_true(t.touching > 500 && t.apart > 250 && t.swapped > 100 && t.ranges > 100 && t.wide_ranges > 50);
    assert_true(t.crumpled > 25 && t.floats > 50 && t.rebuilt > 10 && t.proceeded > 20);
    assert_true(t.previous > 100 && t.witness > 100 && t.depth > 25);
    assert_true(t.rays > 25 && t.casts > 10 && t.near_found > 10 && t.overlaps > 12);
    assert_true(t.converted > 3 && t.fixed > 2 && t.starved > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deformed_bodies_answer_as_new_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
