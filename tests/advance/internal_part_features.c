/*
 * Feature events of rigid compounds, soups, heightfields and polytopes that move linearly, with meshes that deform:
 * random scenes against the exact oracle of oracle/animation_events.h, which gets the parts as one mesh. Every contact
 * is an event with its leaf, face and vertices, and there is no other, with each engine. Bodies change their velocity
 * and jump, and worlds are saved, replayed and run out of memory on the way.
 */
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

#include "oracle/animation_events.h"
#include "shape/mesh.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum {
    SIDE = 3,
    SHEET = SIDE * SIDE,
    SHEET_FACES = 2 * (SIDE - 1) * (SIDE - 1),
    KEYS = 3,
    CHANGES = 2,
    OCTAHEDRON = 6,
    MAX_LEAVES = 8,
    MAX_DEPTH = 4,
    MAX_VERTICES = 128,
    MAX_TRIANGLES = 128,
    MAX_EVENTS = 20000
};

typedef enum body_kind { COMPOUND, NESTED, MIXED, SOUP, HEIGHTFIELD, POLYTOPE, BODY_KINDS } body_kind;
static const char *const kind_names[BODY_KINDS] = {"compound", "nested compound", "mixed compound",
                                                   "soup",     "heightfield",     "polytope"};

/* The transforms from a body to a leaf of it, the outermost first. */
typedef struct transform_chain {
    tact_transform at[MAX_DEPTH];
    int count;
} transform_chain;

/* One leaf as the oracle sees it. */
typedef struct leaf {
    uint32_t number; /* as in tact_part */
    uint32_t first_vertex, end_vertex;
    transform_chain at;
} leaf;

/* A shape, and its vertices and triangles in the order of its leaves. */
typedef struct model {
    tact_shape *shape;
    tact_vec3 local[MAX_VERTICES]; /* in coordinates of the leaf */
    uint32_t vertex_count, triangle_count, leaf_count, leaf_number;
    uint32_t triangles[MAX_TRIANGLES][3], face[MAX_TRIANGLES];
    uint32_t edges[MAX_LEAVES * 2][2], points[MAX_LEAVES * 2], edge_count, point_count; /* without triangles */
    leaf leaves[MAX_LEAVES];
    bool mixed;  /* some leaves are curved or have a margin */
    bool coarse; /* multiples of 1/4, many of them degenerate with each other; otherwise with all digits */
} model;

static double number(random_source *r, bool coarse, double most)
{
    return coarse ? 0.25 * random_between(r, (int)(-4.0 * most), (int)(4.0 * most)) : random_range(r, -most, most);
}

static tact_vec3 numbers(random_source *r, bool coarse, double most)
{
    const double x = number(r, coarse, most), y = number(r, coarse, most), z = number(r, coarse, most);
    return (tact_vec3){x, y, z};
}

static double positive(random_source *r, bool coarse, double most)
{
    return coarse ? 0.25 * random_between(r, 1, (int)(4.0 * most)) : random_range(r, 0.25, most);
}

static tact_vec3 axis_times(int axis, double x)
{
    return (tact_vec3){axis == 0 ? x : 0.0, axis == 1 ? x : 0.0, axis == 2 ? x : 0.0};
}

/* ---- models ---- */

static void add_triangle(model *m, uint32_t first, uint32_t a, uint32_t b, uint32_t c, uint32_t face)
{
    m->face[m->triangle_count] = face;
    memcpy(m->triangles[m->triangle_count++], (const uint32_t[3]){first + a, first + b, first + c},
           sizeof m->triangles[0]);
}

/* The same vertex twice: a point. */
static void add_edge(model *m, uint32_t first, uint32_t a, uint32_t b)
{
    if (a == b)
        m->points[m->point_count++] = first + a;
    else
        memcpy(m->edges[m->edge_count++], (const uint32_t[2]){first + a, first + b}, sizeof m->edges[0]);
}

static void begin_leaf(model *m, const transform_chain *at)
{
    m->leaves[m->leaf_count++] = (leaf){m->leaf_number++, m->vertex_count, m->vertex_count, *at};
}

static transform_chain lengthened(const transform_chain *outer, tact_transform inner)
{
    transform_chain chain = *outer;
    assert_true(chain.count < MAX_DEPTH);
    chain.at[chain.count++] = inner;
    return chain;
}

static void add_vertex(model *m, tact_vec3 p)
{
    m->local[m->vertex_count++] = p;
    m->leaves[m->leaf_count - 1].end_vertex = m->vertex_count;
}

static const uint32_t octahedron_faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                                {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};

static void octahedron_corners(random_source *r, bool coarse, tact_vec3 corners[OCTAHEDRON])
{
    for (int i = 0; i < OCTAHEDRON; ++i)
        corners[i] = axis_times(i / 2, positive(r, coarse, 1.0) * (i % 2 == 0 ? 1.0 : -1.0));
}

static tact_shape *make_box(random_source *r, model *m)
{
    static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const double x = positive(r, m->coarse, 1.0), y = positive(r, m->coarse, 1.0), z = positive(r, m->coarse, 1.0);
    const uint32_t first = m->vertex_count;
    for (int i = 0; i < 8; ++i)
        add_vertex(m, (tact_vec3){i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z});
    for (uint32_t i = 0; i < 6; ++i) {
        add_triangle(m, first, faces[i][0], faces[i][1], faces[i][2], i);
        add_triangle(m, first, faces[i][0], faces[i][2], faces[i][3], i);
    }
    return tact_box(2.0 * x, 2.0 * y, 2.0 * z);
}

static void add_tetrahedron(model *m, uint32_t first, const uint32_t v[4], int64_t face)
{
    for (uint32_t i = 0; i < 4; ++i)
        add_triangle(m, first, v[(i + 1) % 4], v[(i + 2) % 4], v[(i + 3) % 4], face < 0 ? i : (uint32_t)face);
}

/* A hull of an octahedron and a point inside, which is no vertex. Its facets are numbered by the library. */
static tact_shape *make_hull(random_source *r, model *m)
{
    tact_vec3 points[OCTAHEDRON + 1];
    const uint32_t first = m->vertex_count;
    octahedron_corners(r, m->coarse, points + 1);
    points[0] = (tact_vec3){0.0, 0.0, 0.0};
    for (int i = 0; i < OCTAHEDRON; ++i)
        add_vertex(m, points[i + 1]);
    tact_shape *shape = tact_hull(points, OCTAHEDRON + 1);
    const hull *h = shape->hull;
    for (uint32_t i = 0; i < 8; ++i) {
        uint32_t face = UINT32_MAX;
        for (uint32_t f = 0; f < h->face_count; ++f) {
            int found = 0;
            for (uint32_t k = 0; k < h->faces[f].vertex_count; ++k)
                for (int j = 0; j < 3; ++j)
                    found += h->face_vertices[h->faces[f].first_vertex + k] == octahedron_faces[i][j];
            face = found == 3 ? f : face;
        }
        assert_true(face < 8);
        add_triangle(m, first, octahedron_faces[i][0], octahedron_faces[i][1], octahedron_faces[i][2], face);
    }
    return shape;
}

/* Two triangles with a common edge, as one mesh. */
static tact_shape *make_mesh(random_source *r, model *m)
{
    static const uint32_t indices[2][3] = {{3, 1, 0}, {0, 2, 3}};
    const uint32_t first = m->vertex_count;
    for (int i = 0; i < 4; ++i)
        add_vertex(m, numbers(r, m->coarse, 1.0));
    for (uint32_t i = 0; i < 2; ++i)
        add_triangle(m, first, indices[i][0], indices[i][1], indices[i][2], i);
    return tact_mesh(m->local + first, 4, indices[0], 2);
}

/* A point, a segment, or the hull of points on a line. */
static tact_shape *make_thin(random_source *r, model *m)
{
    const uint32_t first = m->vertex_count;
    const tact_vec3 p = numbers(r, m->coarse, 1.0), q = numbers(r, true, 1.0);
    const int kind = random_between(r, 0, 2);
    add_vertex(m, p);
    if (kind == 0) {
        add_edge(m, first, 0, 0);
        return tact_point(p);
    }
    tact_vec3 along[3];
    for (int i = 0; i < 3; ++i)
        along[i] = kind == 2 ? (tact_vec3){0.5 * i, 0.25 * i, -0.25 * i} : i < 2 ? p : q;
    m->local[first] = along[0];
    add_vertex(m, along[2]);
    add_edge(m, first, 0, 1);
    return kind == 2 ? tact_hull(along, 3) : tact_segment(p, q);
}

/* A triangle, a tetrahedron that shares an edge with it, and an octahedron with a point inside, which share vertices.
 * And some of: a segment, a point, five points on a line. */
static tact_shape *make_soup(random_source *r, model *m)
{
    const uint32_t first = m->vertex_count;
    tact_vec3 corners[OCTAHEDRON];
    octahedron_corners(r, m->coarse, corners);
    add_vertex(m, numbers(r, m->coarse, 1.0));
    add_vertex(m, (tact_vec3){0.0, 0.0, 0.0}); /* inside the octahedron: no feature of it */
    for (int i = OCTAHEDRON - 1; i >= 0; --i)
        add_vertex(m, corners[i]);
    add_vertex(m, numbers(r, m->coarse, 1.5));
    add_vertex(m, numbers(r, m->coarse, 1.5));
    for (int i = 0; i < 5; ++i)
        add_vertex(m, (tact_vec3){0.5 * ((i + 2) % 5), 1.0, -0.25 * ((i + 2) % 5)});
    /* corner i of the octahedron is vertex 7 - i; the ends of the line are 13 and 12 */
    const uint32_t indices[] = {0, 7, 4, 0, 7, 4, 8, 3, 1, 5, 2, 7, 6, 4, 0, 9, 9, 10, 11, 12, 13, 14},
                   sizes[] = {3, 4, 7, 2, 1, 5};
    const uint32_t tetrahedron[4] = {0, 7, 4, 8};
    const int thin = random_between(r, 0, 3);
    add_triangle(m, first, 0, 7, 4, 0);
    add_tetrahedron(m, first, tetrahedron, 1);
    for (uint32_t i = 0; i < 8; ++i)
        add_triangle(m, first, 7 - octahedron_faces[i][0], 7 - octahedron_faces[i][1], 7 - octahedron_faces[i][2], 2);
    if (thin > 0)
        add_edge(m, first, 0, 9);
    if (thin > 1)
        add_edge(m, first, 9, 9);
    if (thin > 2)
        add_edge(m, first, 12, 13);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = m->local + first, .count = 15};
    def.indices = indices;
    def.loop_sizes = sizes;
    def.loop_count = 3 + (size_t)thin;
    for (size_t i = 0; i < def.loop_count; ++i)
        def.index_count += sizes[i];
    return tact_soup_create(&def, NULL);
}

static tact_shape *make_heightfield(random_source *r, model *m)
{
    double heights[9];
    for (int i = 0; i < 9; ++i)
        heights[i] = number(r, m->coarse, 0.5);
    tact_shape *shape = tact_heightfield(3, 3, positive(r, m->coarse, 1.0), positive(r, m->coarse, 1.0), heights);
    const uint32_t first = m->vertex_count;
    const mesh *made = shape->mesh;
    assert_true(made->vertex_count <= MAX_VERTICES && made->element_count <= MAX_TRIANGLES);
    for (uint32_t i = 0; i < made->vertex_count; ++i)
        add_vertex(m, made->vertices[i]);
    for (uint32_t i = 0; i < made->element_count; ++i)
        add_triangle(m, first, made->indices[3 * i], made->indices[3 * i + 1], made->indices[3 * i + 2], i);
    return shape;
}

static tact_transform random_transform(random_source *r, bool coarse)
{
    tact_transform at = tact_identity();
    at.origin = numbers(r, coarse, 1.0);
    if (random_chance(r, 0.4))
        return at;
    if (coarse) { /* turned, stretched, mirrored: without rounding */
        const double s = random_chance(r, 0.5) ? 1.0 : 0.5;
        at.x_axis = axis_times(1, random_chance(r, 0.5) ? s : -s);
        at.y_axis = axis_times(0, 1.0);
        at.z_axis = axis_times(2, random_chance(r, 0.5) ? 1.0 : -1.0);
        return at;
    }
    const tact_quat turn = {random_range(r, -1.0, 1.0), 0.3, 0.2, random_range(r, -1.0, 1.0)};
    const double mirrored = random_chance(r, 0.5) ? -1.0 : 1.0;
    return tact_transform_make(at.origin, turn, (tact_vec3){mirrored, random_range(r, 0.5, 1.5), 1.0});
}

static tact_shape *make_simple(random_source *r, model *m)
{
    switch (random_between(r, 0, 6)) {
    case 0:
        return make_box(r, m);
    case 1:
        return make_hull(r, m);
    case 2:
        return make_mesh(r, m);
    case 3: {
        const uint32_t first = m->vertex_count, all[4] = {0, 1, 2, 3};
        for (int i = 0; i < 4; ++i)
            add_vertex(m, numbers(r, m->coarse, 1.0));
        add_tetrahedron(m, first, all, -1);
        tact_vec3 *p = m->local + first;
        return tact_tetrahedron(p[0], p[1], p[2], p[3]);
    }
    case 4: {
        const uint32_t first = m->vertex_count;
        for (int i = 0; i < 3; ++i)
            add_vertex(m, numbers(r, m->coarse, 1.0));
        add_triangle(m, first, 0, 1, 2, 0);
        tact_vec3 *p = m->local + first;
        return tact_triangle(p[0], p[1], p[2]);
    }
    case 5:
        return make_thin(r, m);
    default:
        return make_soup(r, m);
    }
}

/* A part at a place within the body. One that is convex may have a transform inside, too. */
static tact_shape *make_part(random_source *r, model *m, const transform_chain *at)
{
    begin_leaf(m, at);
    tact_shape *part = make_simple(r, m);
    assert_non_null(part);
    if (part->mesh != NULL || random_chance(r, 0.7))
        return part;
    const tact_transform inside = random_transform(r, m->coarse);
    m->leaves[m->leaf_count - 1].at = lengthened(at, inside);
    tact_shape *outer = tact_transformed(part, inside);
    assert_non_null(outer);
    tact_shape_release(part);
    return outer;
}

static tact_shape *rounded_box(void)
{
    tact_shape *sharp = tact_box(0.5, 0.25, 0.5), *rounded = tact_rounded(sharp, 0.125);
    tact_shape_release(sharp);
    return rounded;
}

/* `depth`: of compounds within it. */
static tact_shape *make_compound(random_source *r, model *m, const transform_chain *at, int depth)
{
    tact_shape *parts[3];
    tact_transform places[3];
    const int count = random_between(r, 2, 3);
    for (int i = 0; i < count; ++i) {
        places[i] = random_transform(r, m->coarse);
        const transform_chain chain = lengthened(at, places[i]);
        if (m->mixed && i == (depth > 0 ? 1 : 0)) {
            parts[i] = random_chance(r, 0.5) ? tact_sphere(0.5) : rounded_box();
            ++m->leaf_number;
        } else if (i == 1 && random_chance(r, 0.3)) {
            parts[i] = tact_mesh(NULL, 0, NULL, 0);
            ++m->leaf_number;
        } else if (i == 0 && depth > 0) {
            parts[i] = make_compound(r, m, &chain, depth - 1);
        } else {
            parts[i] = make_part(r, m, &chain);
        }
        assert_non_null(parts[i]);
    }
    tact_shape *made = tact_compound((const tact_shape *const *)parts, places, (size_t)count);
    for (int i = 0; i < count; ++i)
        tact_shape_release(parts[i]);
    return made;
}

static void make_model(random_source *r, body_kind kind, model *m)
{
    const transform_chain whole = {.count = 0};
    *m = (model){.coarse = random_chance(r, 0.5)};
    switch (kind) {
    case COMPOUND:
        m->shape = make_compound(r, m, &whole, 0);
        break;
    case NESTED:
        m->shape = make_compound(r, m, &whole, 2);
        break;
    case MIXED:
        m->mixed = true;
        m->shape = make_compound(r, m, &whole, 1);
        break;
    case SOUP:
        begin_leaf(m, &whole);
        m->shape = make_soup(r, m);
        break;
    case HEIGHTFIELD:
        begin_leaf(m, &whole);
        m->shape = make_heightfield(r, m);
        break;
    default:
        m->shape = make_part(r, m, &whole);
        break;
    }
    assert_non_null(m->shape);
}

/* ---- scenes ---- */

/* At `time`, the body jumps to `at` and moves on with `velocity`. */
typedef struct rigid_change {
    double time;
    bool jumps;
    tact_transform at; /* where the world says that it is then */
    tact_vec3 velocity;
} rigid_change;

typedef struct scene {
    model model;
    bool body_first;
    tact_vec3 keys[KEYS][SHEET];
    uint32_t sheet_triangles[SHEET_FACES][3];
    tact_animation *animation;
    rigid_change changes[1 + CHANGES]; /* the first one is the start */
    int change_count;
    double end;
    uint32_t first_sheet, first_body; /* vertices in the oracle */
    uint32_t vertex_count, triangle_count;
    uint32_t triangles[SHEET_FACES + MAX_TRIANGLES][3];
} scene;

static void make_scene(scene *s, random_source *r, body_kind kind)
{
    memset(s, 0, sizeof *s);
    make_model(r, kind, &s->model);
    const bool coarse = s->model.coarse;
    s->body_first = random_chance(r, 0.5);
    for (uint32_t i = 0, n = 0; i + 1 < SIDE; ++i)
        for (uint32_t j = 0; j + 1 < SIDE; ++j) {
            const uint32_t a = SIDE * i + j;
            memcpy(s->sheet_triangles[n++], (const uint32_t[3]){a, a + 1, a + SIDE}, sizeof s->sheet_triangles[0]);
            memcpy(s->sheet_triangles[n++], (const uint32_t[3]){a + 1, a + SIDE + 1, a + SIDE},
                   sizeof s->sheet_triangles[0]);
        }
    for (int k = 0; k < KEYS; ++k) {
        const tact_vec3 shift = numbers(r, coarse, 1.5);
        for (int v = 0; v < SHEET; ++v) {
            const tact_vec3 off = numbers(r, coarse, 0.5);
            s->keys[k][v] =
                (tact_vec3){v / SIDE - 1.0 + off.x, shift.y + off.y, v % SIDE - 1.0 + (k > 0 ? shift.z : 0.0) + off.z};
        }
    }
    s->animation = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = s->keys, .count = SHEET}, .frame_count = KEYS}, NULL);
    assert_non_null(s->animation);
    s->end = KEYS - 0.5; /* at rest in the end */
    s->change_count = 1 + random_between(r, 0, CHANGES);
    for (int i = 0; i < s->change_count; ++i) {
        rigid_change *c = &s->changes[i];
        c->time = i == 0 ? 0.0 : coarse ? 0.5 * i : s->changes[i - 1].time + random_range(r, 0.1, 0.9);
        c->jumps = i == 0 || random_chance(r, 0.5);
        c->at = random_transform(r, coarse);
        c->velocity = random_chance(r, 0.3) ? (tact_vec3){0.0, 0.0, 0.0} : numbers(r, coarse, 1.5);
    }
    s->first_body = s->body_first ? 0 : SHEET;
    s->first_sheet = s->body_first ? s->model.vertex_count : 0;
    s->vertex_count = SHEET + s->model.vertex_count;
    for (int which = 0; which < 2; ++which) {
        const bool body = which == (s->body_first ? 0 : 1);
        const uint32_t count = body ? s->model.triangle_count : SHEET_FACES;
        for (uint32_t i = 0; i < count; ++i, ++s->triangle_count)
            for (int k = 0; k < 3; ++k)
                s->triangles[s->triangle_count][k] =
                    body ? s->first_body + s->model.triangles[i][k] : s->first_sheet + s->sheet_triangles[i][k];
    }
}

static void release_scene(scene *s)
{
    tact_shape_release(s->model.shape);
    tact_animation_release(s->animation);
}

/* ---- worlds ---- */

typedef struct found_event {
    double lower, upper;
    tact_ccd_kind kind;
    uint32_t index[4];
} found_event;

typedef struct run {
    scene *s;
    tact_world *world;
    tact_body sheet, body;
    found_event *events;
    size_t count, touches;
    double last;
    tact_status status; /* TACT_OUT_OF_MEMORY: it was returned at least once */
} run;

/* The vertices of a feature in the oracle, and whether the leaf and the face are those of the model. */
static void map_vertices(const run *r, tact_body of, tact_part part, uint32_t face, const uint32_t *from, int count,
                         uint32_t *to, uint64_t seed)
{
    const model *m = &r->s->model;
    if (of.index == r->sheet.index) {
        CHECK(part.leaf == 0, "leaf %u of the sheet", part.leaf);
        for (int i = 0; i < count; ++i)
            to[i] = r->s->first_sheet + from[i];
        return;
    }
    const leaf *l = NULL;
    for (uint32_t i = 0; i < m->leaf_count; ++i)
        l = m->leaves[i].number == part.leaf ? &m->leaves[i] : l;
    CHECK(l != NULL, "leaf %u", part.leaf);
    for (int i = 0; i < count; ++i) {
        CHECK(from[i] < l->end_vertex - l->first_vertex, "vertex %u of leaf %u", from[i], part.leaf);
        to[i] = r->s->first_body + l->first_vertex + from[i];
    }
    bool same_face = count != 3;
    for (uint32_t i = 0; i < m->triangle_count && !same_face; ++i) {
        int same = 0;
        for (int k = 0; k < 9; ++k)
            same += r->s->first_body + m->triangles[i][k / 3] == to[k % 3];
        same_face = same == 3 && m->face[i] == face;
    }
    CHECK(same_face, "face %u of leaf %u", face, part.leaf);
}

static bool triangle_has(const scene *s, uint32_t triangle, const uint32_t v[3])
{
    int found = 0;
    for (int k = 0; k < 9; ++k)
        found += s->triangles[triangle][k / 3] == v[k % 3];
    return found == 3;
}

/* The triangle with these vertices that is of a face. */
static uint32_t find_triangle(const scene *s, const uint32_t v[3], uint32_t face)
{
    const uint32_t first = s->body_first ? 0 : SHEET_FACES;
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        const bool of_body = i >= first && i < first + s->model.triangle_count;
        const uint32_t of_face = of_body ? s->model.face[i - first] : s->body_first ? i - s->model.triangle_count : i;
        if (of_face == face && triangle_has(s, i, v))
            return i;
    }
    return UINT32_MAX;
}

static void note(run *r, const tact_event *e, uint64_t seed)
{
    CHECK(e->time >= r->last, "an event at %g after one at %g", e->time, r->last);
    r->last = e->time;
    if (e->kind == TACT_EVENT_TOUCH) {
        ++r->touches;
        return;
    }
    CHECK(r->touches > 0, "features before the first touch");
    const tact_event_features *f = &e->features;
    CHECK(e->kind == TACT_EVENT_FEATURES && r->count < MAX_EVENTS, "kind %d", (int)e->kind);
    found_event *out = &r->events[r->count++];
    *out = (found_event){.lower = f->ccd.lower, .upper = f->ccd.upper, .kind = f->kind};
    uint32_t v[4];
    const int of_a = f->kind == TACT_VERTEX_FACE ? 1 : 2;
    map_vertices(r, e->a, f->part_a, 0, f->vertices, of_a, v, seed);
    map_vertices(r, e->b, f->part_b, f->b, f->vertices + of_a, 4 - of_a, v + of_a, seed);
    memcpy(out->index, v, sizeof out->index);
    if (f->kind == TACT_VERTEX_FACE) {
        CHECK(f->a == f->vertices[0] && f->part_b.face == f->b, "vertex %u, face %u of %u", f->a, f->b, f->part_b.face);
        memcpy(out->index, (const uint32_t[4]){v[0], find_triangle(r->s, v + 1, f->b), 0, 0}, sizeof out->index);
    } else if (v[0] > v[1] || v[2] > v[3]) {
        CHECK(false, "the edge %u %u or %u %u", v[0], v[1], v[2], v[3]);
    }
}

static void advance_to(run *r, double until, uint64_t seed)
{
    for (;;) {
        tact_event e;
        if (tact_world_next_event(r->world, until, &e) != TACT_EVENT_NONE) {
            note(r, &e, seed);
            continue;
        }
        if (e.status == TACT_OK)
            return;
        CHECK(e.status == TACT_OUT_OF_MEMORY, "status %d", (int)e.status);
        r->status = e.status;
    }
}

/* Repeats a call that is out of memory. */
#define UNTIL_DONE(r, call)                                                                                            \
    do {                                                                                                               \
        tact_status done;                                                                                              \
        while ((done = (call)) == TACT_OUT_OF_MEMORY)                                                                  \
            (r)->status = TACT_OUT_OF_MEMORY;                                                                          \
        assert_int_equal(done, TACT_OK);                                                                               \
    } while (0)

static void renew(run *r)
{
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(r->world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world_release(r->world);
    r->world = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(r->world);
    tact_bytes_release(&bytes);
}

static bool create_bodies(run *r)
{
    scene *s = r->s;
    tact_shape *sheet = tact_mesh(s->keys[0], SHEET, s->sheet_triangles[0], SHEET_FACES);
    const tact_body_def defs[2] = {
        {.shape = sheet, .deformable = true},
        {.shape = s->model.shape, .transform = s->changes[0].at, .motion = {.velocity = s->changes[0].velocity}}};
    tact_body *made[2] = {&r->sheet, &r->body};
    for (int i = 0; i < 2; ++i) {
        const int which = s->body_first ? 1 - i : i;
        *made[which] = tact_body_create(r->world, &defs[which]);
    }
    tact_shape_release(sheet);
    return r->sheet.generation != 0 && r->body.generation != 0;
}

/* `save_at`: a time to save and restore the world; INFINITY: never. `record`: NULL: not recorded. False: there was no
 * memory for the bodies. */
static bool run_scene(run *r, tact_deforming_engine engine, const tact_allocator *allocator, double save_at,
                      tact_bytes *record, uint64_t seed)
{
    scene *s = r->s;
    const tact_world_def def = {.allocator = allocator != NULL ? *allocator : (tact_allocator){NULL, NULL}};
    r->world = tact_world_create(&def);
    if (r->world == NULL)
        return false;
    tact_record *recording = record != NULL ? tact_record_begin(r->world, tact_bytes_sink(record), NULL, NULL) : NULL;
    if (!create_bodies(r)) {
        tact_world_release(r->world);
        return false;
    }
    r->last = 0.0;
    assert_int_equal(tact_world_set_deforming_engine(r->world, engine), TACT_OK);
    assert_int_equal(tact_body_set_feature_events(r->world, seed % 2 == 0 ? r->sheet : r->body, true), TACT_OK);
    UNTIL_DONE(r, tact_body_play(r->world, r->sheet, s->animation, NULL));
    for (int i = 1; i <= s->change_count; ++i) {
        const double until = i < s->change_count ? s->changes[i].time : s->end;
        if (save_at > tact_world_get_time(r->world) && save_at < until) {
            advance_to(r, save_at, seed);
            renew(r);
        }
        advance_to(r, until, seed);
        if (i == s->change_count)
            break;
        rigid_change *c = &s->changes[i];
        if (c->jumps)
            UNTIL_DONE(r, tact_body_set_transform(r->world, r->body, c->at));
        UNTIL_DONE(r, tact_body_set_motion(r->world, r->body, (tact_motion){.velocity = c->velocity}));
        if (!c->jumps)
            c->at = tact_body_get_transform(r->world, r->body);
    }
    if (recording != NULL)
        assert_int_equal(tact_record_end(recording, NULL), TACT_OK);
    tact_world_release(r->world);
    return true;
}

/* ---- the oracle ---- */

/* The events of a scene, whose changes the world has made. To be freed. */
static brute_event *expected_events(const scene *s, size_t *count, brute_counts *counts)
{
    static brute_piece pieces[(SHEET + MAX_VERTICES) * (KEYS + CHANGES + 1)];
    size_t first[SHEET + MAX_VERTICES + 1], n = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        first[v] = n;
        if (v >= s->first_sheet && v < s->first_sheet + SHEET) {
            const uint32_t local = v - s->first_sheet;
            for (int k = 0; k < KEYS; ++k) {
                const tact_vec3 from = s->keys[k][local];
                const double end = k + 1 < KEYS ? k + 1.0 : s->end;
                pieces[n++] = (brute_piece){k + 1 < KEYS ? (linear_path){k, k + 1.0, from, s->keys[k + 1][local], false}
                                                         : linear_path_at_rest(from, k),
                                            k, end};
            }
            continue;
        }
        const uint32_t local = v - s->first_body;
        const model *m = &s->model;
        uint32_t l = 0;
        while (local >= m->leaves[l].end_vertex)
            ++l;
        for (int i = 0; i < s->change_count; ++i) {
            const rigid_change *c = &s->changes[i];
            tact_transform at = c->at;
            for (int k = 0; k < m->leaves[l].at.count; ++k)
                at = tact_transform_compose(at, m->leaves[l].at.at[k]);
            const double end = i + 1 < s->change_count ? s->changes[i + 1].time : s->end;
            pieces[n++] = (brute_piece){
                {c->time, c->time, tact_transform_point(at, m->local[local]), c->velocity, true}, c->time, end};
        }
    }
    first[s->vertex_count] = n;
    const uint32_t middle = s->body_first ? s->first_sheet : s->first_body;
    uint32_t edges[2 * MAX_LEAVES][2], points[2 * MAX_LEAVES];
    for (uint32_t i = 0; i < s->model.edge_count; ++i)
        for (int k = 0; k < 2; ++k)
            edges[i][k] = s->first_body + s->model.edges[i][k];
    for (uint32_t i = 0; i < s->model.point_count; ++i)
        points[i] = s->first_body + s->model.points[i];
    const brute_part parts[2] = {{middle, true}, {s->vertex_count, true}};
    const brute_animation animation = {.pieces = pieces,
                                       .first_piece = first,
                                       .vertex_count = s->vertex_count,
                                       .triangles = (const uint32_t(*)[3])s->triangles,
                                       .triangle_count = s->triangle_count,
                                       .edges = (const uint32_t(*)[2])edges,
                                       .edge_count = s->model.edge_count,
                                       .points = points,
                                       .point_count = s->model.point_count,
                                       .parts = parts,
                                       .part_count = 2};
    return brute_animation_events(&animation, count, counts);
}

static int compare_found(const void *one, const void *other)
{
    const found_event *a = one, *b = other;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i] ? -1 : 1;
    return a->upper < b->upper ? -1 : a->upper > b->upper;
}

/* At a jump at the very end the world reports contacts as well. */
static size_t events_before(found_event *events, size_t count, double end)
{
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
        if (events[i].lower < end)
            events[left++] = events[i];
    qsort(events, left, sizeof *events, compare_found);
    return left;
}

/* `shared`: counts events of a face that two parts share. */
static size_t check_oracle(const scene *s, run *r, brute_counts *counts, size_t *shared, body_kind kind, uint64_t seed)
{
    size_t count;
    brute_event *expected = expected_events(s, &count, counts);
    found_event *wanted = calloc(2 * count + 1, sizeof *wanted);
    assert_non_null(wanted);
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        wanted[n] = (found_event){expected[i].lower, expected[i].upper, expected[i].kind, {0}};
        memcpy(wanted[n++].index, expected[i].index, sizeof wanted[0].index);
        if (expected[i].kind != TACT_VERTEX_FACE)
            continue;
        const uint32_t face = expected[i].index[1]; /* one of two parts of a soup is a face of each */
        for (uint32_t k = face + 1; k < s->triangle_count; ++k)
            if (triangle_has(s, k, s->triangles[face])) {
                wanted[n] = wanted[n - 1];
                wanted[n++].index[1] = k;
                ++*shared;
            }
    }
    count = events_before(wanted, n, s->end);
    r->count = events_before(r->events, r->count, s->end);
    for (size_t i = 0; i < count || i < r->count; ++i) {
        const found_event none = {0}, *w = i < count ? &wanted[i] : &none, *f = i < r->count ? &r->events[i] : &none;
        CHECK(i < count && i < r->count && compare_found(w, f) == 0,
              "%s: event %zu of %zu expected and %zu found: at %.17g %d (%u %u %u %u), found at %.17g %d (%u %u %u %u)",
              kind_names[kind], i, count, r->count, w->lower, (int)w->kind, w->index[0], w->index[1], w->index[2],
              w->index[3], f->lower, (int)f->kind, f->index[0], f->index[1], f->index[2], f->index[3]);
    }
    free(wanted);
    free(expected);
    return count;
}

static void events_of_parts_are_those_of_the_oracle(void **state)
{
    (void)state;
    found_event *events = calloc(MAX_EVENTS, sizeof *events), *others = calloc(MAX_EVENTS, sizeof *others);
    assert_true(events != NULL && others != NULL);
    size_t shared = 0;
    for (int kind = 0; kind < BODY_KINDS; ++kind) {
        size_t count = 0, touches = 0, in_jumps = 0, kept = 0, thin = 0;
        for (uint64_t seed = first_seed(); seed <= last_seed_of(50, 3000); ++seed) {
            random_source random = random_seed(seed * BODY_KINDS + (uint64_t)kind);
            scene s;
            make_scene(&s, &random, (body_kind)kind);
            const double save_at = random_chance(&random, 0.5) ? random_range(&random, 0.0, s.end) : INFINITY;
            run r = {.s = &s, .events = events}, other = {.s = &s, .events = others};
            assert_true(run_scene(&r, TACT_DEFORMING_WINDOWS, NULL, INFINITY, NULL, seed));
            assert_true(run_scene(&other, TACT_DEFORMING_LIST, NULL, save_at, NULL, seed));
            CHECK(r.count == other.count && r.touches == other.touches &&
                      memcmp(events, others, r.count * sizeof *events) == 0,
                  "%s: %zu events, and with the list, saved at %g, %zu", kind_names[kind], r.count, save_at,
                  other.count);
            brute_counts counts;
            count += check_oracle(&s, &r, &counts, &shared, (body_kind)kind, seed);
            touches += r.touches;
            in_jumps += counts.in_jumps;
            kept += counts.kept;
            thin += s.model.edge_count + s.model.point_count;
            release_scene(&s);
        }
        print_message("%-16s %zu events, %zu in jumps, %zu contacts go on; %zu touches; %zu edges and points\n",
                      kind_names[kind], count, in_jumps, kept, touches, thin);
        assert_true(few_cases() ||
                    (count > 500 && in_jumps > 50 && kept > 2 && touches > 30 && (thin > 5 || kind == HEIGHTFIELD)));
    }
    print_message("%zu events of shared faces\n", shared);
    assert_true(few_cases() || shared > 3);
    free(events);
    free(others);
}

/* The rest of a run, recorded, is the same when it is replayed; and so is a run whose allocations fail. */
static void parts_are_replayed_and_run_out_of_memory(void **state)
{
    (void)state;
    found_event *events = calloc(MAX_EVENTS, sizeof *events), *others = calloc(MAX_EVENTS, sizeof *others);
    assert_true(events != NULL && others != NULL);
    size_t failures = 0;
    for (int kind = 0; kind < BODY_KINDS; ++kind) {
        uint64_t seed = 0;
        scene s;
        tact_bytes bytes = {0};
        run r;
        do { /* the first scene with several events */
            random_source random = random_seed(++seed * BODY_KINDS + (uint64_t)kind);
            if (seed > 1)
                release_scene(&s);
            tact_bytes_release(&bytes);
            make_scene(&s, &random, (body_kind)kind);
            r = (run){.s = &s, .events = events};
            assert_true(run_scene(&r, TACT_DEFORMING_AUTO, NULL, INFINITY, &bytes, seed));
        } while (r.count < 8);
        tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, NULL);
        assert_non_null(replay);
        assert_int_equal(tact_replay_run(replay, NULL), TACT_REPLAY_END);
        tact_replay_release(replay);
        tact_bytes_release(&bytes);
        for (long at = 1;; at = next_failure(at)) {
            failing_allocator memory = {.fail_at = at};
            const tact_allocator allocator = failing_allocator_make(&memory);
            run failed = {.s = &s, .events = others};
            const bool complete = run_scene(&failed, TACT_DEFORMING_AUTO, &allocator, INFINITY, NULL, seed);
            CHECK(memory.held == 0, "%zu bytes are left", memory.held);
            size_t same = 0;
            while (same < r.count && same < failed.count && compare_found(&events[same], &others[same]) == 0)
                ++same;
            CHECK(!complete || (failed.count == r.count && failed.touches == r.touches && same == r.count),
                  "%s: %zu events; if allocation %ld fails %zu", kind_names[kind], r.count, at, failed.count);
            failures += failed.status == TACT_OUT_OF_MEMORY;
            if (memory.calls < at)
                break;
        }
        release_scene(&s);
    }
    print_message("%zu runs out of memory\n", failures);
    assert_true(few_cases() || failures > 100);
    free(events);
    free(others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_of_parts_are_those_of_the_oracle),
                                       cmocka_unit_test(parts_are_replayed_and_run_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
