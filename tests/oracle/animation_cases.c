/*
 * Bodies are patches of triangles, tetrahedra, single triangles, edges and points. Except for those that deform with
 * all digits, positions are small whole numbers, sheared by whole steps so that planes are not always along the axes.
 */
#include "oracle/animation_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

const char *const animation_case_names[ANIMATION_ALL_CASE_TYPES] = {
    "deforming",    "grid",       "still",   "simultaneous",   "key at contact", "resting",
    "sliding",      "duplicated", "loop",    "loop jump",      "key times",      "change vertex",
    "change range", "change all", "tearing", "tearing at keys"};

typedef struct maker {
    random_source dice;
    animation_case *made;
    uint32_t vertices, triangles, edges, points;
    bool slanted;   /* changes are within the plane z = 0, which is sheared */
    uint32_t spare; /* vertices of each body that tears may add */
    bool at_keys;   /* all tears are at key frames */
} maker;

static tact_vec3 vector_of(double x, double y, double z) { return (tact_vec3){x, y, z}; }

static tact_vec3 sum(tact_vec3 a, tact_vec3 b) { return vector_of(a.x + b.x, a.y + b.y, a.z + b.z); }

/* Whole coordinates of -reach to reach. */
static tact_vec3 random_point(maker *m, int reach)
{
    const int x = random_between(&m->dice, -reach, reach), y = random_between(&m->dice, -reach, reach);
    return vector_of(x, y, random_between(&m->dice, -reach, reach));
}

static animation_body *add_body(maker *m, uint32_t vertices)
{
    animation_case *made = m->made;
    if (made->body_count == ANIMATION_MAX_BODIES || m->vertices + vertices > ANIMATION_MAX_VERTICES)
        abort();
    animation_body *body = &made->bodies[made->body_count];
    vertices += m->spare;
    if (m->vertices + vertices > ANIMATION_MAX_VERTICES)
        abort();
    body->first_vertex = m->vertices;
    body->vertex_count = vertices;
    body->spare_count = m->spare;
    m->vertices += vertices;
    made->parts[made->body_count++] = (brute_part){m->vertices, random_chance(&m->dice, 0.15)};
    return body;
}

static void add_triangle(maker *m, const animation_body *body, uint32_t a, uint32_t b, uint32_t c)
{
    if (m->triangles == ANIMATION_MAX_TRIANGLES)
        abort();
    uint32_t *t = m->made->triangles[m->triangles++];
    t[0] = body->first_vertex + a;
    t[1] = body->first_vertex + b;
    t[2] = body->first_vertex + c;
}

/* A patch of columns times rows cells, two triangles each, `spacing` apart, at z = 0, in key frame 0. */
static animation_body *add_patch(maker *m, uint32_t columns, uint32_t rows, int spacing)
{
    animation_body *body = add_body(m, (columns + 1) * (rows + 1));
    for (uint32_t j = 0; j <= rows; j++)
        for (uint32_t i = 0; i <= columns; i++)
            body->keys[0][j * (columns + 1) + i] = vector_of(spacing * (int)i, spacing * (int)j, 0);
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            const uint32_t a = j * (columns + 1) + i, b = a + columns + 1;
            add_triangle(m, body, a, a + 1, b + 1);
            add_triangle(m, body, a, b + 1, b);
        }
    return body;
}

static animation_body *add_tetrahedron(maker *m, int size)
{
    animation_body *body = add_body(m, 4);
    body->keys[0][0] = vector_of(0, 0, 0);
    body->keys[0][1] = vector_of(size, 0, 0);
    body->keys[0][2] = vector_of(0, size, 0);
    body->keys[0][3] = vector_of(0, 0, size);
    add_triangle(m, body, 0, 1, 2);
    add_triangle(m, body, 0, 3, 1);
    add_triangle(m, body, 0, 2, 3);
    add_triangle(m, body, 1, 3, 2);
    return body;
}

/* One triangle, or an edge without a face and a point. */
static animation_body *add_small(maker *m, int size)
{
    animation_body *body = add_body(m, 3);
    body->keys[0][0] = vector_of(0, 0, 0);
    body->keys[0][1] = vector_of(size, 0, 0);
    body->keys[0][2] = vector_of(0, size, random_between(&m->dice, 0, 1) * size);
    if (random_chance(&m->dice, 0.6) || m->edges == ANIMATION_MAX_EDGES)
        add_triangle(m, body, 0, 1, 2);
    else {
        m->made->edges[m->edges][0] = body->first_vertex;
        m->made->edges[m->edges][1] = body->first_vertex + 1;
        m->made->points[m->points++] = body->first_vertex + 2;
        m->edges++;
    }
    return body;
}

static animation_body *add_any(maker *m)
{
    const int size = random_between(&m->dice, 1, 3);
    switch (random_between(&m->dice, 0, 3)) {
    case 0:
        return add_tetrahedron(m, size);
    case 1:
        return add_small(m, size);
    default:
        return add_patch(m, (uint32_t)random_between(&m->dice, 1, 2), 1, size);
    }
}

/* A copy of a body in all but its key frames. */
static animation_body *add_copy(maker *m, const animation_body *of, uint32_t first_triangle, uint32_t triangle_end)
{
    animation_body *body = add_body(m, of->vertex_count - of->spare_count);
    for (uint32_t i = first_triangle; i < triangle_end; i++) {
        const uint32_t *t = m->made->triangles[i];
        if (t[0] >= of->first_vertex && t[0] < of->first_vertex + of->vertex_count)
            add_triangle(m, body, t[0] - of->first_vertex, t[1] - of->first_vertex, t[2] - of->first_vertex);
    }
    body->key_count = of->key_count;
    body->loops = of->loops;
    memcpy(body->key_times, of->key_times, sizeof body->key_times);
    return body;
}

/* So many key frames at the times 0, 1, 2 ..., or at dyadic ones. */
static void set_times(maker *m, animation_body *body, int keys, bool even)
{
    body->key_count = keys;
    for (int i = 1; i < keys; i++)
        body->key_times[i] = body->key_times[i - 1] + (even ? 1.0 : random_between(&m->dice, 1, 8) / 4.0);
}

static void set_uneven_times(maker *m, animation_body *body, int keys, double end)
{
    body->key_count = keys;
    for (int i = 1; i < keys; i++)
        body->key_times[i] = end * (i - random_range(&m->dice, 0.0, 0.9)) / (keys - 1);
    if (random_chance(&m->dice, 0.5))
        body->key_times[keys - 1] = end;
}

/* Key frame `to` is key frame `from` moved. */
static void move_key(animation_body *body, int from, int to, tact_vec3 by)
{
    for (uint32_t v = 0; v < body->vertex_count; v++)
        body->keys[to][v] = sum(body->keys[from][v], by);
}

/* Each vertex somewhere on the grid. */
static void scatter_key(maker *m, animation_body *body, int key, int reach)
{
    for (uint32_t v = 0; v < body->vertex_count; v++)
        body->keys[key][v] = random_point(m, reach);
}

/* Key frames on the grid: rigid moves, deformations of some vertices, all new positions. */
static void wander(maker *m, animation_body *body, int reach)
{
    move_key(body, 0, 0, random_point(m, reach));
    for (int i = 1; i < body->key_count; i++) {
        const int how = random_between(&m->dice, 0, 3);
        if (how == 0)
            scatter_key(m, body, i, reach);
        else
            move_key(body, i - 1, i, random_point(m, 2));
        if (how == 1) {
            const uint64_t vertex = random_below(&m->dice, body->vertex_count);
            body->keys[i][vertex] = random_point(m, reach);
        }
        for (uint32_t v = 0; v < body->vertex_count; v++) { /* not out of sight */
            tact_vec3 *x = &body->keys[i][v];
            *x = vector_of(fmax(-5, fmin(5, x->x)), fmax(-5, fmin(5, x->y)), fmax(-5, fmin(5, x->z)));
        }
    }
}

static void make_deforming(maker *m, int keys)
{
    for (int i = random_between(&m->dice, 1, 2); i >= 0; i--) {
        animation_body *body = random_chance(&m->dice, 0.5)
                                   ? add_patch(m, (uint32_t)random_between(&m->dice, 1, 3), 1, 1)
                                   : add_tetrahedron(m, 1);
        set_uneven_times(m, body, keys, 4.0);
        const double amount = random_range(&m->dice, 0.2, 1.0);
        for (int key = 0; key < keys; key++)
            for (uint32_t v = 0; v < body->vertex_count; v++) {
                tact_vec3 x = key == 0 ? body->keys[0][v] : body->keys[key - 1][v];
                x.x += amount * random_range(&m->dice, -1.0, 1.0) - 0.3 * x.x;
                x.y += amount * random_range(&m->dice, -1.0, 1.0) - 0.3 * x.y;
                x.z += amount * random_range(&m->dice, -1.0, 1.0) - 0.3 * x.z;
                body->keys[key][v] = x;
            }
    }
    m->made->end = 4.0;
}

/* Bodies on the grid, and sometimes the mirror images of them. */
static void make_grid(maker *m, int keys)
{
    const bool mirrored = random_chance(&m->dice, 0.5);
    const int bodies = mirrored ? random_between(&m->dice, 1, 2) : random_between(&m->dice, 2, 3);
    const bool even = random_chance(&m->dice, 0.5);
    for (int i = 0; i < bodies; i++) {
        animation_body *body = add_any(m);
        if (i == 0)
            set_times(m, body, keys, even);
        else {
            memcpy(body->key_times, m->made->bodies[0].key_times, sizeof body->key_times);
            body->key_count = keys;
        }
        wander(m, body, 3);
    }
    const uint32_t triangles = m->triangles;
    const int turn = random_between(&m->dice, 0, 2);
    for (int i = 0; i < bodies && mirrored; i++) {
        const animation_body *of = &m->made->bodies[i];
        animation_body *body = add_copy(m, of, 0, triangles);
        for (int key = 0; key < keys; key++)
            for (uint32_t v = 0; v < body->vertex_count; v++) {
                const tact_vec3 x = of->keys[key][v];
                body->keys[key][v] = turn == 0   ? vector_of(-x.x, x.y, x.z)
                                     : turn == 1 ? vector_of(-x.x, -x.y, x.z)
                                                 : vector_of(x.y, x.x, x.z);
            }
    }
    m->made->end = m->made->bodies[0].key_times[keys - 1];
}

static void stay(animation_body *body, int keys)
{
    for (int i = 1; i < keys; i++)
        move_key(body, i - 1, i, vector_of(0, 0, 0));
}

/* A floor at z = 0 that does not move, or moves up and down, and bodies above it whose lowest vertices are at z = 0 at
 * a key frame. `rest`: for how many more key frames; `slide`: they move within the plane meanwhile. */
static void make_on_floor(maker *m, int keys, bool rest, bool slide)
{
    const bool even = random_chance(&m->dice, 0.5);
    const int columns = random_between(&m->dice, 1, 3), rows = random_between(&m->dice, 1, 3);
    animation_body *floor = add_patch(m, (uint32_t)columns, (uint32_t)rows, 2);
    set_times(m, floor, keys, even);
    stay(floor, keys);
    if (random_chance(&m->dice, 0.2))
        floor->key_count = 1;
    m->made->end = floor->key_times[keys - 1];
    for (int i = random_between(&m->dice, 1, 2); i > 0; i--) {
        animation_body *body = add_any(m);
        memcpy(body->key_times, floor->key_times, sizeof body->key_times);
        body->key_count = keys;
        const int lands = m->slanted ? 0 : random_between(&m->dice, slide ? 0 : 1, keys - 2);
        const int leaves = rest ? lands + random_between(&m->dice, 1, keys - 1 - lands) : lands;
        const int x = random_between(&m->dice, -1, 2 * columns - 1), y = random_between(&m->dice, -1, 2 * rows - 1);
        const tact_vec3 start = vector_of(x, y, 0);
        int height = 2 * lands;
        for (int key = 0; key < keys; key++) {
            const bool down = key >= lands && key <= leaves;
            if (key > 0 && !down)
                height += key < lands ? -2 : key == lands ? -height : random_chance(&m->dice, 0.5) ? 2 : -1;
            if (down)
                height = 0;
            tact_vec3 to = key == 0 ? start : vector_of(0, 0, 0);
            to.z = height - (key == 0 ? 0.0 : body->keys[key - 1][0].z);
            if (key > 0 && (slide ? down : random_chance(&m->dice, 0.3))) {
                to.x = random_between(&m->dice, -2, 2);
                to.y = random_between(&m->dice, -1, 1);
            }
            move_key(body, key == 0 ? 0 : key - 1, key, to);
        }
    }
}

/* One scene of two or three bodies, and copies of it side by side. */
static void make_simultaneous(maker *m, int keys)
{
    const int bodies = 2, copies = random_between(&m->dice, 1, 2);
    const bool even = random_chance(&m->dice, 0.5);
    for (int i = 0; i < bodies; i++) {
        animation_body *body =
            random_chance(&m->dice, 0.5) ? add_tetrahedron(m, 2) : add_patch(m, 1, 1, random_between(&m->dice, 1, 2));
        if (i == 0)
            set_times(m, body, keys, even);
        else {
            memcpy(body->key_times, m->made->bodies[0].key_times, sizeof body->key_times);
            body->key_count = keys;
        }
        wander(m, body, 2);
    }
    const uint32_t triangles = m->triangles;
    for (int copy = 1; copy <= copies; copy++)
        for (int i = 0; i < bodies; i++) {
            const animation_body *of = &m->made->bodies[i];
            animation_body *body = add_copy(m, of, 0, triangles);
            for (int key = 0; key < keys; key++)
                for (uint32_t v = 0; v < body->vertex_count; v++)
                    body->keys[key][v] = sum(of->keys[key][v], vector_of(16 * copy, 0, -16 * copy));
        }
    m->made->end = m->made->bodies[0].key_times[keys - 1];
}

static void make_still(maker *m, int keys)
{
    make_grid(m, keys);
    for (int i = random_between(&m->dice, 1, 2); i > 0 && m->made->body_count < ANIMATION_MAX_BODIES; i--) {
        animation_body *body = random_chance(&m->dice, 0.5) ? add_patch(m, 1, 1, 3) : add_tetrahedron(m, 3);
        move_key(body, 0, 0, random_point(m, 2));
        body->key_count = random_chance(&m->dice, 0.5) ? 1 : keys;
        memcpy(body->key_times, m->made->bodies[0].key_times, sizeof body->key_times);
        stay(body, body->key_count);
    }
}

static void duplicate_keys(maker *m)
{
    for (int i = 0; i < m->made->body_count; i++) {
        animation_body *body = &m->made->bodies[i];
        for (int key = 1; key < body->key_count; key++)
            if (random_chance(&m->dice, 0.5))
                memcpy(body->keys[key], body->keys[key - 1], sizeof body->keys[key]);
    }
}

static void make_loops(maker *m, int keys, bool jump)
{
    if (random_chance(&m->dice, 0.5))
        make_grid(m, keys);
    else {
        const bool rest = random_chance(&m->dice, 0.5), slide = random_chance(&m->dice, 0.5);
        make_on_floor(m, keys, rest, slide);
    }
    for (int i = 0; i < m->made->body_count; i++) {
        animation_body *body = &m->made->bodies[i];
        if (body->key_count < 2 || (i > 0 && random_chance(&m->dice, 0.2)))
            continue;
        body->loops = true;
        if (!jump)
            memcpy(body->keys[body->key_count - 1], body->keys[0], sizeof body->keys[0]);
        else if (memcmp(body->keys[body->key_count - 1], body->keys[0], sizeof body->keys[0]) == 0)
            move_key(body, 0, body->key_count - 1, random_point(m, 1));
        if (random_chance(&m->dice, 0.3) && body->key_count > 2) /* a shorter period */
            body->key_count--;
        if (!jump)
            memcpy(body->keys[body->key_count - 1], body->keys[0], sizeof body->keys[0]);
    }
    m->made->end *= random_chance(&m->dice, 0.5) ? 2.0 : 2.25;
}

static void make_key_times(maker *m, int keys)
{
    make_grid(m, keys);
    const double end = m->made->end;
    for (int i = 0; i < m->made->body_count; i++) {
        animation_body *body = &m->made->bodies[i];
        const int how = random_between(&m->dice, 0, 2);
        memset(body->key_times, 0, sizeof body->key_times);
        if (how == 0)
            set_times(m, body, keys, false);
        else if (how == 1)
            set_uneven_times(m, body, keys, end);
        else { /* whole times less some eighths */
            set_times(m, body, keys, true);
            for (int key = 1; key < keys; key++)
                body->key_times[key] -= 0.125 * i;
        }
    }
}

/* Within the plane z = 0, so slow that bodies stay where they touch. */
static tact_vec3 slow_velocity(maker *m)
{
    const double x = random_range(&m->dice, -0.3, 0.3);
    return vector_of(x, random_range(&m->dice, -0.3, 0.3), 0.0);
}

/* Changes at ascending times inside the animation, with random targets or velocities on the grid. The positions follow
 * when the pieces are made. */
static void add_changes(maker *m, animation_case_type type)
{
    animation_case *made = m->made;
    made->change_count = m->slanted ? ANIMATION_MAX_CHANGES : random_between(&m->dice, 1, 3);
    double time = 0.0;
    for (int i = 0; i < made->change_count; i++) {
        animation_change *change = &made->changes[i];
        const double left = made->end - time;
        time += random_chance(&m->dice, 0.3)   ? left * 0.25
                : random_chance(&m->dice, 0.2) ? left * 0.5
                                               : left * random_range(&m->dice, 0.05, 0.6);
        change->time = time;
        change->vertex_count = type == ANIMATION_CHANGE_ALL ? m->vertices
                               : type == ANIMATION_CHANGE_VERTEX
                                   ? 1
                                   : (uint32_t)random_between(&m->dice, 2, (int)m->vertices);
        change->first_vertex = (uint32_t)random_below(&m->dice, m->vertices - change->vertex_count + 1);
        if (type == ANIMATION_CHANGE_VERTEX && i > 0 && random_chance(&m->dice, 0.5))
            change->first_vertex = made->changes[0].first_vertex;
        if (type == ANIMATION_CHANGE_RANGE && random_chance(&m->dice, 0.5)) { /* a body */
            const animation_body *body = &made->bodies[random_below(&m->dice, (uint64_t)made->body_count)];
            change->first_vertex = body->first_vertex;
            change->vertex_count = body->vertex_count;
        }
        change->has_velocity = m->slanted || random_chance(&m->dice, 0.7);
        change->target_time = time + (made->end - time) * (random_chance(&m->dice, 0.5) ? 0.5 : 0.7);
        const bool common = random_chance(&m->dice, 0.5);
        const bool plane = m->slanted || random_chance(&m->dice, 0.3);
        tact_vec3 all = random_chance(&m->dice, 0.2) ? vector_of(0, 0, 0) : random_point(m, 2);
        if (m->slanted)
            all = slow_velocity(m);
        for (uint32_t v = 0; v < change->vertex_count; v++) {
            change->value[v] = common && change->has_velocity ? all
                               : m->slanted                   ? slow_velocity(m)
                                                              : random_point(m, change->has_velocity ? 2 : 4);
            if (plane)
                change->value[v].z = 0.0;
        }
    }
}

/* ---- tears ---- */

/* The faces of a body while tears are made. */
typedef struct torn_body {
    uint32_t faces[ANIMATION_MAX_TRIANGLES]; /* by number: its triangle; UINT32_MAX: none */
    uint32_t face_count, left, spares_used;
} torn_body;

static bool has_vertices(const uint32_t *t, uint32_t a, uint32_t b, uint32_t c)
{
    int found = 0;
    for (int i = 0; i < 3; i++)
        found += t[i] == a || t[i] == b || t[i] == c;
    return found == 3;
}

static bool face_exists(const maker *m, const torn_body *t, uint32_t a, uint32_t b, uint32_t c)
{
    for (uint32_t i = 0; i < t->face_count; i++)
        if (t->faces[i] != UINT32_MAX && has_vertices(m->made->triangles[t->faces[i]], a, b, c))
            return true;
    return false;
}

/* Sets a face of a tear, unless it has been changed by it, or another face has these vertices. `a` UINT32_MAX: removes
 * it. */
static void tear_face(maker *m, animation_tear *tear, torn_body *t, uint32_t face, uint32_t a, uint32_t b, uint32_t c)
{
    animation_case *made = m->made;
    bool possible =
        tear->face_count < ANIMATION_MAX_TORN_FACES && face <= t->face_count && m->triangles < ANIMATION_MAX_TRIANGLES;
    for (int i = 0; i < tear->face_count; i++)
        possible &= tear->faces[i] != face;
    const bool existed = possible && face < t->face_count && t->faces[face] != UINT32_MAX;
    if (!possible || (a == UINT32_MAX && (!existed || t->left == 1)) ||
        (a != UINT32_MAX && (a == b || b == c || a == c || face_exists(m, t, a, b, c))))
        return;
    const uint32_t indices[3] = {a, b, c};
    tear->faces[tear->face_count] = face;
    memcpy(tear->indices[tear->face_count++], indices, sizeof indices);
    if (existed) {
        made->lives[t->faces[face]].end = tear->time;
        t->left--;
    }
    t->face_count += face == t->face_count;
    t->faces[face] = UINT32_MAX;
    if (a == UINT32_MAX)
        return;
    memcpy(made->triangles[m->triangles], indices, sizeof indices);
    made->lives[m->triangles] = (brute_life){tear->time, INFINITY};
    t->faces[face] = m->triangles++;
    t->left++;
}

static uint32_t random_face(maker *m, const torn_body *t)
{
    uint32_t face;
    do
        face = (uint32_t)random_below(&m->dice, t->face_count);
    while (t->faces[face] == UINT32_MAX);
    return face;
}

static uint32_t random_vertex(maker *m, const animation_body *body, const torn_body *t)
{
    return body->first_vertex +
           (uint32_t)random_below(&m->dice, body->vertex_count - body->spare_count + t->spares_used);
}

/* One change of a tear. */
static void add_tear_step(maker *m, animation_tear *tear, torn_body *t)
{
    const animation_body *body = &m->made->bodies[tear->body];
    const uint32_t face = random_face(m, t);
    uint32_t v[3];
    memcpy(v, m->made->triangles[t->faces[face]], sizeof v);
    const int corner = random_between(&m->dice, 0, 2);
    switch (random_between(&m->dice, 0, 5)) {
    case 0: /* a face is removed */
        tear_face(m, tear, t, face, UINT32_MAX, 0, 0);
        break;
    case 1: /* a face gets another vertex */
        v[corner] = random_vertex(m, body, t);
        tear_face(m, tear, t, face, v[0], v[1], v[2]);
        break;
    case 2: { /* a face is added, under a new number or one that was removed */
        uint32_t number = (uint32_t)random_below(&m->dice, t->face_count + 1);
        if (number < t->face_count && t->faces[number] != UINT32_MAX)
            number = t->face_count;
        for (int i = 0; i < 3; i++)
            v[i] = random_vertex(m, body, t);
        tear_face(m, tear, t, number, v[0], v[1], v[2]);
        break;
    }
    case 3: /* a face gets another number, and its vertices another order: its contacts go on */
        if (t->left > 1 && tear->face_count + 2 <= ANIMATION_MAX_TORN_FACES && m->triangles < ANIMATION_MAX_TRIANGLES) {
            const int before = tear->face_count;
            tear_face(m, tear, t, face, UINT32_MAX, 0, 0);
            if (tear->face_count > before)
                tear_face(m, tear, t, t->face_count, v[1], v[0], v[2]);
        }
        break;
    default: /* some faces of a vertex get a copy of it */
        if (tear->adds_vertex || t->spares_used == body->spare_count)
            break;
        tear->adds_vertex = true;
        tear->copied = v[corner];
        tear->added = body->first_vertex + body->vertex_count - body->spare_count + t->spares_used++;
        if (random_chance(&m->dice, 0.7))
            tear->velocity = random_point(m, 2);
        for (uint32_t i = 0; i < t->face_count; i++) {
            if (t->faces[i] == UINT32_MAX || (i != face && random_chance(&m->dice, 0.5)))
                continue;
            const uint32_t *of = m->made->triangles[t->faces[i]];
            uint32_t torn[3];
            bool has = false;
            for (int k = 0; k < 3; k++) {
                has |= of[k] == tear->copied;
                torn[k] = of[k] == tear->copied ? tear->added : of[k];
            }
            if (has)
                tear_face(m, tear, t, i, torn[0], torn[1], torn[2]);
        }
    }
}

static void add_tears(maker *m)
{
    animation_case *made = m->made;
    static torn_body bodies[ANIMATION_MAX_BODIES];
    memset(bodies, 0, sizeof bodies);
    for (uint32_t i = 0; i < m->triangles; i++) {
        int b = 0;
        while (made->triangles[i][0] >= made->bodies[b].first_vertex + made->bodies[b].vertex_count)
            b++;
        bodies[b].faces[bodies[b].face_count++] = i;
        bodies[b].left++;
    }
    double time = 0.0;
    for (int i = random_between(&m->dice, 2, ANIMATION_MAX_TEARS); i > 0; i--) {
        animation_tear *tear = &made->tears[made->tear_count];
        *tear = (animation_tear){.body = (int)random_below(&m->dice, (uint64_t)made->body_count)};
        time += (made->end - time) * (random_chance(&m->dice, 0.4) ? 0.25 : random_range(&m->dice, 0.05, 0.5));
        tear->time = time;
        if (m->at_keys || random_chance(&m->dice, 0.3)) /* at a key frame */
            tear->time = time = fmin(ceil(time), 0.5 * (time + made->end));
        if (bodies[tear->body].left == 0)
            continue;
        for (int steps = random_between(&m->dice, 1, 3); steps > 0; steps--)
            add_tear_step(m, tear, &bodies[tear->body]);
        if (tear->face_count == 0)
            continue;
        made->tear_count++;
        if (random_chance(&m->dice, 0.4) && made->change_count < ANIMATION_MAX_CHANGES) { /* and a vertex turns */
            const animation_body *body = &made->bodies[tear->body];
            animation_change *change = &made->changes[made->change_count++];
            *change = (animation_change){.time = time, .vertex_count = 1, .has_velocity = true};
            change->first_vertex =
                body->first_vertex + (uint32_t)random_below(&m->dice, body->vertex_count - body->spare_count);
            change->value[0] = random_point(m, 2);
        }
    }
}

/* Adds a multiple of a coordinate to another. */
static void shear_points(tact_vec3 *x, uint32_t count, int to, int from, double times)
{
    for (uint32_t i = 0; i < count; i++) {
        double c[3] = {x[i].x, x[i].y, x[i].z};
        c[to] += times * c[from];
        x[i] = vector_of(c[0], c[1], c[2]);
    }
}

/* The same whole shear of all positions and velocities. */
static void shear(maker *m)
{
    animation_case *made = m->made;
    if (m->slanted) /* far from 0, so that positions at most times have to be rounded */
        for (int i = 0; i < made->body_count; i++)
            for (int key = 0; key < made->bodies[i].key_count; key++)
                move_key(&made->bodies[i], key, key, vector_of(1000, -30, 0));
    const int steps = m->slanted ? 2 : random_between(&m->dice, 0, 2);
    for (int step = 0; step < steps; step++) {
        int to = random_between(&m->dice, 0, 2), from = (to + random_between(&m->dice, 1, 2)) % 3;
        if (m->slanted) { /* z + x + y or so: three roundings that differ */
            to = 2;
            from = step;
        }
        const double times = random_chance(&m->dice, 0.5) ? 1.0 : -1.0;
        for (int i = 0; i < made->body_count; i++)
            for (int key = 0; key < made->bodies[i].key_count; key++)
                shear_points(made->bodies[i].keys[key], made->bodies[i].vertex_count, to, from, times);
        for (int i = 0; i < made->change_count; i++)
            shear_points(made->changes[i].value, made->changes[i].vertex_count, to, from, times);
        for (int i = 0; i < made->tear_count; i++)
            shear_points(&made->tears[i].velocity, 1, to, from, times);
    }
}

/* The pieces of one vertex. */
typedef struct piece_list {
    brute_piece *at;
    size_t count, capacity;
} piece_list;

static void add_piece(piece_list *list, linear_path path, double begin, double end)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        brute_piece *more = realloc(list->at, list->capacity * sizeof *more);
        if (more == NULL)
            abort();
        list->at = more;
    }
    list->at[list->count++] = (brute_piece){path, begin, end};
}

static linear_path still_at(double time, tact_vec3 x)
{
    return (linear_path){.t0 = time, .x0 = x, .has_velocity = true};
}

static void follow_keys(piece_list *list, const animation_body *body, uint32_t v, double end)
{
    const double period = body->key_times[body->key_count - 1];
    for (int round = 0;; round++) {
        const double start = round * period; /* whole or dyadic where bodies loop: exact */
        for (int key = 0; key + 1 < body->key_count; key++) {
            const double t0 = start + body->key_times[key], t1 = start + body->key_times[key + 1];
            if (t0 >= end)
                return;
            const linear_path path = {.t0 = t0, .t1 = t1, .x0 = body->keys[key][v], .x1 = body->keys[key + 1][v]};
            add_piece(list, path, t0, fmin(t1, end));
        }
        if (!body->loops)
            break;
    }
    if (period < end)
        add_piece(list, still_at(period, body->keys[body->key_count - 1][v]), period, end);
}

/* Replaces what follows the time of the change; `first` is the vertex's first piece. */
static void apply_change(piece_list *list, size_t first, animation_change *change, uint32_t v, double end)
{
    size_t piece = list->count - 1;
    while (list->at[piece].begin > change->time)
        piece--;
    const uint32_t i = v - change->first_vertex;
    const tact_vec3 x = linear_path_at(&list->at[piece].path, change->time);
    change->position[i] = x;
    list->at[piece].end = change->time;
    list->count = piece + (list->at[piece].begin < change->time ? 1 : 0);
    if (list->count < first)
        abort();
    if (change->has_velocity) {
        const linear_path path = {.t0 = change->time, .x0 = x, .x1 = change->value[i], .has_velocity = true};
        add_piece(list, path, change->time, end);
        return;
    }
    const linear_path path = {.t0 = change->time, .t1 = change->target_time, .x0 = x, .x1 = change->value[i]};
    add_piece(list, path, change->time, change->target_time);
    add_piece(list, still_at(change->target_time, change->value[i]), change->target_time, end);
}

/* The pieces of a vertex that a tear adds. The vertex that it is a copy of has fewer: all its pieces have been made. */
static void follow_tear(piece_list *list, maker *m, const size_t *first, uint32_t v, double end)
{
    animation_case *made = m->made;
    for (int i = 0; i < made->tear_count; i++) {
        animation_tear *tear = &made->tears[i];
        if (!tear->adds_vertex || tear->added != v)
            continue;
        size_t piece = first[tear->copied];
        while (list->at[piece].end < tear->time)
            piece++;
        tear->position = linear_path_at(&list->at[piece].path, tear->time);
        add_piece(list, still_at(0.0, tear->position), 0.0, tear->time);
        const linear_path path = {.t0 = tear->time, .x0 = tear->position, .x1 = tear->velocity, .has_velocity = true};
        add_piece(list, path, tear->time, end);
        return;
    }
    add_piece(list, still_at(0.0, vector_of(0, 0, 0)), 0.0, end); /* never added */
}

static void make_pieces(maker *m)
{
    animation_case *made = m->made;
    piece_list list = {0};
    size_t *first = calloc(m->vertices + 1, sizeof *first);
    if (first == NULL)
        abort();
    for (int i = 0; i < made->body_count; i++) {
        const animation_body *body = &made->bodies[i];
        for (uint32_t k = 0; k < body->vertex_count; k++) {
            const uint32_t v = body->first_vertex + k;
            first[v] = list.count;
            if (k >= body->vertex_count - body->spare_count) {
                follow_tear(&list, m, first, v, made->end);
                continue;
            }
            follow_keys(&list, body, k, made->end);
            for (int c = 0; c < made->change_count; c++) {
                animation_change *change = &made->changes[c];
                if (v >= change->first_vertex && v < change->first_vertex + change->vertex_count)
                    apply_change(&list, first[v], change, v, made->end);
            }
        }
    }
    first[m->vertices] = list.count;
    made->animation = (brute_animation){.pieces = list.at,
                                        .first_piece = first,
                                        .vertex_count = m->vertices,
                                        .triangles = (const uint32_t(*)[3])made->triangles,
                                        .triangle_count = m->triangles,
                                        .lives = made->tear_count > 0 ? made->lives : NULL,
                                        .edges = (const uint32_t(*)[2])made->edges,
                                        .edge_count = m->edges,
                                        .points = made->points,
                                        .point_count = m->points,
                                        .parts = made->parts,
                                        .part_count = (size_t)made->body_count};
}

static void make_scene(maker *m, animation_case_type type, int keys)
{
    static const animation_case_type changed[] = {ANIMATION_DEFORMING, ANIMATION_GRID, ANIMATION_RESTING,
                                                  ANIMATION_SLIDING};
    switch (type) {
    case ANIMATION_DEFORMING:
        make_deforming(m, keys);
        break;
    case ANIMATION_GRID:
        make_grid(m, keys);
        break;
    case ANIMATION_STILL:
        make_still(m, keys);
        break;
    case ANIMATION_SIMULTANEOUS:
        make_simultaneous(m, keys);
        break;
    case ANIMATION_KEY_AT_CONTACT:
        make_on_floor(m, keys, false, false);
        break;
    case ANIMATION_RESTING:
        make_on_floor(m, keys, true, false);
        break;
    case ANIMATION_SLIDING:
        make_on_floor(m, keys, true, true);
        break;
    case ANIMATION_DUPLICATED:
        make_grid(m, keys);
        duplicate_keys(m);
        break;
    case ANIMATION_LOOP:
    case ANIMATION_LOOP_JUMP:
        make_loops(m, keys > 5 ? 5 : keys, type == ANIMATION_LOOP_JUMP);
        break;
    case ANIMATION_KEY_TIMES:
        make_key_times(m, keys);
        break;
    case ANIMATION_TEARING:
        m->spare = 3;
        make_scene(
            m, changed[random_chance(&m->dice, 0.7) ? random_between(&m->dice, 2, 3) : random_between(&m->dice, 0, 1)],
            keys);
        break;
    case ANIMATION_TEARING_AT_KEYS:
        m->spare = 3;
        m->at_keys = true;
        make_scene(m, random_chance(&m->dice, 0.5) ? ANIMATION_KEY_AT_CONTACT : ANIMATION_GRID, keys);
        break;
    default:
        /* all changes within the plane: bodies that slide on others leave or enter them by a rounding, in a jump */
        m->slanted = random_chance(&m->dice, 0.4);
        make_scene(m, m->slanted ? ANIMATION_SLIDING : changed[random_below(&m->dice, 4)], keys);
        add_changes(m, type);
        break;
    }
}

animation_case *animation_case_make(animation_case_type type, uint64_t number)
{
    maker m = {.dice =
                   random_seed(number * ANIMATION_CASE_TYPES + (uint64_t)type + UINT64_C(0x616e696d) * 0x100000000)};
    m.made = calloc(1, sizeof *m.made);
    if (m.made == NULL)
        abort();
    make_scene(&m, type, random_between(&m.dice, 3, 7));
    while (m.triangles < 4) { /* and something in the middle that does not move */
        animation_body *body = add_tetrahedron(&m, 2);
        body->key_count = 1;
    }
    m.made->first_triangle_count = m.triangles;
    for (uint32_t i = 0; i < m.triangles; i++)
        m.made->lives[i] = (brute_life){0.0, INFINITY};
    if (type >= ANIMATION_TEARING)
        add_tears(&m);
    if (type != ANIMATION_DEFORMING)
        shear(&m);
    make_pieces(&m);
    return m.made;
}

void animation_case_free(animation_case *made)
{
    free((void *)made->animation.pieces);
    free((void *)made->animation.first_piece);
    free(made);
}
