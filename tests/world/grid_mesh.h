/* For the tests of self-collision: random meshes with coordinates on a coarse grid, bodies of them, and a callback that
 * keeps the contact of a body with itself. */
#ifndef TACT_TEST_GRID_MESH_H
#define TACT_TEST_GRID_MESH_H

#include <string.h>
#include <tact/tact.h>

#include "support/digest.h"
#include "support/grid_triangles.h"
#include "support/random.h"

enum { MOST_VERTICES = 200, MOST_FACES = 150, MOST_SEGMENTS = 6 * MOST_FACES * MOST_FACES, REACH = 16 };

/* ---- a mesh on the grid ---- */

typedef struct grid_mesh {
    grid_point at[MOST_VERTICES];
    uint32_t faces[MOST_FACES][3]; /* the first index of a removed one is TACT_NO_VERTEX */
    uint32_t vertex_count, face_count;
} grid_mesh;

static inline tact_vec3 place_of(grid_point p)
{
    return tact_vec((double)p.c[0] / 8.0, (double)p.c[1] / 8.0, (double)p.c[2] / 8.0);
}

static inline void triangle_of(const grid_mesh *m, uint32_t face, grid_point t[3])
{
    for (int k = 0; k < 3; ++k)
        t[k] = m->at[m->faces[face][k]];
}

static inline bool is_removed(const grid_mesh *m, uint32_t face) { return m->faces[face][0] == TACT_NO_VERTEX; }

static inline grid_point random_point(random_source *r, int reach)
{
    return (grid_point){
        {random_between(r, -reach, reach), random_between(r, -reach, reach), random_between(r, -reach, reach)}};
}

/* Moves vertices until all triangles have area: the oracle needs it. */
static inline void repair(grid_mesh *m, random_source *r)
{
    for (uint32_t i = 0; i < m->face_count; ++i) {
        grid_point t[3];
        if (is_removed(m, i))
            continue;
        triangle_of(m, i, t);
        if (!grid_is_degenerate(t))
            continue;
        m->at[m->faces[i][random_below(r, 3)]] = random_point(r, REACH);
        i = UINT32_MAX; /* again from the first */
    }
}

/* A sheet of squares, folded along some columns; `height` 0: flat. */
static inline void fold_sheet(grid_mesh *m, uint32_t side, int height, random_source *r)
{
    int64_t x[MOST_VERTICES], step = 2;
    x[0] = -8;
    for (uint32_t i = 1; i < side; ++i) {
        if (height > 0 && random_chance(r, 0.3))
            step = -step;
        x[i] = x[i - 1] + step;
        if (x[i] < -REACH || x[i] > REACH) {
            step = -step;
            x[i] = x[i - 1] + step;
        }
    }
    for (uint32_t i = 0; i < side * side; ++i)
        m->at[i] = (grid_point){{x[i % side], 2 * (int64_t)(i / side) - (int64_t)side,
                                 height > 0 ? random_between(r, -height, height) : 0}};
}

static inline void make_sheet(grid_mesh *m, uint32_t side, int height, random_source *r)
{
    m->vertex_count = side * side;
    m->face_count = 0;
    fold_sheet(m, side, height, r);
    for (uint32_t i = 0; i < side * (side - 1); ++i) {
        if (i % side == side - 1)
            continue;
        const uint32_t two[2][3] = {{i, i + 1, i + side}, {i + 1, i + side + 1, i + side}};
        memcpy(m->faces[m->face_count], two, sizeof two);
        m->face_count += 2;
    }
}

/* Triangles that share random vertices, some of them twice, some with copies of vertices. */
static inline void make_soup(grid_mesh *m, uint32_t faces, int reach, random_source *r)
{
    m->vertex_count = 2 + faces;
    m->face_count = faces;
    for (uint32_t i = 0; i < m->vertex_count; ++i)
        m->at[i] = i > 4 && random_chance(r, 0.2) ? m->at[random_below(r, i)] : random_point(r, reach);
    for (uint32_t i = 0; i < faces; ++i) {
        const uint32_t a = (uint32_t)random_below(r, m->vertex_count), c = (uint32_t)random_below(r, m->vertex_count);
        const uint32_t corners[3] = {a, (a + 1 + (uint32_t)random_below(r, 3)) % m->vertex_count, c};
        memcpy(m->faces[i], i > 0 && random_chance(r, 0.1) ? m->faces[i - 1] : corners, sizeof corners);
        if (m->faces[i][2] == m->faces[i][0] || m->faces[i][2] == m->faces[i][1] || m->faces[i][1] == m->faces[i][0])
            --i;
    }
}

static inline void make_random(grid_mesh *m, random_source *r)
{
    switch (random_below(r, 5)) {
    case 0:
        make_sheet(m, 3 + (uint32_t)random_below(r, 6), 1, r); /* close layers that often touch */
        break;
    case 1:
        make_sheet(m, 3 + (uint32_t)random_below(r, 6), 12, r);
        break;
    case 2:
        make_soup(m, 2 + (uint32_t)random_below(r, 12), 3, r); /* much is coplanar or touches */
        break;
    case 3:
        make_soup(m, 2 + (uint32_t)random_below(r, 40), REACH, r);
        break;
    default: /* flat, with vertices moved in the plane */
        make_sheet(m, 3 + (uint32_t)random_below(r, 5), 0, r);
        for (int i = random_between(r, 0, 2); i > 0; --i)
            m->at[random_below(r, m->vertex_count)].c[0] += random_between(r, -4, 4);
    }
    repair(m, r);
}

static inline tact_shape *shape_of(const grid_mesh *m)
{
    tact_vec3 vertices[MOST_VERTICES];
    for (uint32_t i = 0; i < m->vertex_count; ++i)
        vertices[i] = place_of(m->at[i]);
    return tact_mesh(vertices, m->vertex_count, &m->faces[0][0], m->face_count);
}

static inline tact_status deform_to(tact_world *w, tact_body body, const grid_mesh *m)
{
    tact_vec3 vertices[MOST_VERTICES];
    for (uint32_t i = 0; i < m->vertex_count; ++i)
        vertices[i] = place_of(m->at[i]);
    return tact_body_deform(w, body, (tact_vertices){vertices, m->vertex_count, 0, TACT_SCALAR_DOUBLE});
}

/* ---- what a callback receives ---- */

typedef struct self_log {
    int calls;
    tact_contact last;
    tact_manifold manifold;
    size_t count;
    tact_intersection *segments; /* of MOST_SEGMENTS */
    uint64_t digest;
} self_log;

static inline uint64_t digest_vec(uint64_t digest, tact_vec3 v)
{
    const double c[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i) {
        uint64_t word;
        memcpy(&word, &c[i], sizeof word);
        digest = digest_add(digest, word);
    }
    return digest;
}

static inline void note_self(void *context, const tact_contact *c)
{
    self_log *log = context;
    ++log->calls;
    log->last = *c;
    log->count = c->intersection_count;
    if (c->manifold != NULL)
        log->manifold = *c->manifold;
    log->digest = digest_add(digest_vec(log->digest, c->point), (uint64_t)c->a.index << 32 | c->b.index);
    log->digest = digest_add(log->digest, (uint64_t)c->part_a.face << 32 | c->part_b.face);
    for (size_t i = 0; i < c->intersection_count; ++i) {
        log->digest = digest_vec(digest_vec(log->digest, c->intersections[i].from), c->intersections[i].to);
        if (log->segments != NULL && i < MOST_SEGMENTS)
            log->segments[i] = c->intersections[i];
    }
}

static inline tact_response log_to(self_log *log, tact_want want)
{
    return (tact_response){.want = want, .callback = note_self, .context = log};
}

#endif
