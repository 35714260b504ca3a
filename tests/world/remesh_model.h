/*
 * A model of a deformable body that is torn, for tests, and random changes of both.
 */
#ifndef TACT_TEST_REMESH_MODEL_H
#define TACT_TEST_REMESH_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <tact/record.h>
#include <tact/tact.h>

#include "core/little_endian.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { MOST = 3000 };

/* On one thread; and not with the broad phase that it finds faster, which is part of what is saved. */
static const tact_world_def alone = {.broad_phase = TACT_BROAD_TREE, .parallel = {.threads = 1}};

/* What the body must be. */
typedef struct model {
    tact_vec3 places[MOST];
    uint32_t faces[MOST][3];
    uint32_t vertex_count, face_count;
    uint32_t numbers[MOST]; /* of the faces that are there, in order: as a fresh mesh has them */
    uint32_t there;
    tact_vec3 to[MOST]; /* of a step */
    bool tears;         /* more goes than comes */
} model;

typedef struct tally {
    size_t removed, changed, added, back, split, hits, crossings, touching, inside, contacts, steps, followed, remade,
        resolved, pushed, parts, proceeds, saved, trees;
} tally;

static inline tact_shape *grid(model *m, uint32_t side)
{
    static uint32_t corners[3 * MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < side * side; ++i) {
        const uint32_t x = i % side, y = i / side;
        m->places[i] = tact_vec(2.0 * x / (side - 1) - 1.0, 0.0, 2.0 * y / (side - 1) - 1.0);
        if (x + 1 == side || y + 1 == side)
            continue;
        const uint32_t two[6] = {i, i + 1, i + side, i + 1, i + side + 1, i + side};
        memcpy(m->faces[n], two, 3 * sizeof *two);
        memcpy(m->faces[n + 1], two + 3, 3 * sizeof *two);
        memcpy(corners + 3 * n, two, sizeof two);
        n += 2;
    }
    m->vertex_count = side * side;
    m->face_count = n;
    return tact_mesh(m->places, side * side, corners, n);
}

/* A new mesh of the existing faces. */
static inline tact_shape *make_anew(model *m)
{
    static uint32_t corners[3 * MOST];
    m->there = 0;
    for (uint32_t i = 0; i < m->face_count; ++i)
        if (m->faces[i][0] != TACT_NO_VERTEX) {
            memcpy(corners + 3 * m->there, m->faces[i], sizeof m->faces[i]);
            m->numbers[m->there++] = i;
        }
    return tact_mesh(m->places, m->vertex_count, corners, m->there);
}

static inline tact_vec3 random_place(random_source *r)
{
    const double x = random_range(r, -1.0, 1.0), y = random_range(r, -0.3, 0.3);
    return tact_vec(x, y, random_range(r, -1.0, 1.0));
}

/* ---- random changes ---- */

static inline void send(model *m, tact_world *world, tact_body body, const uint32_t *faces,
                        const uint32_t (*corners)[3], size_t count)
{
    assert_int_equal(tact_body_change_faces(world, body, faces, corners, count), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        m->face_count += faces[i] == m->face_count;
        memcpy(m->faces[faces[i]], corners[i], sizeof *corners);
        if (corners[i][0] == TACT_NO_VERTEX)
            m->faces[faces[i]][1] = m->faces[faces[i]][2] = TACT_NO_VERTEX;
    }
}

/* A vertex gets a copy, a little off, which some of its faces have from then on. */
static inline void split_vertex(model *m, tact_world *world, tact_body body, random_source *r, tally *t)
{
    const uint32_t vertex = (uint32_t)random_below(r, m->vertex_count), fresh = m->vertex_count;
    uint32_t faces[8], corners[8][3];
    size_t count = 0;
    if (fresh == MOST)
        return;
    tact_vec3 place = m->places[vertex];
    place.y += random_chance(r, 0.5) ? 0.01 : 0.0;
    assert_int_equal(tact_body_add_vertices(world, body, &place, 1), TACT_OK);
    m->places[m->vertex_count++] = place;
    for (uint32_t i = 0; i < m->face_count && count < 8; ++i)
        for (int k = 0; k < 3; ++k)
            if (m->faces[i][k] == vertex && random_chance(r, 0.5) && count < 8) {
                memcpy(corners[count], m->faces[i], sizeof *corners);
                corners[count][k] = fresh;
                faces[count++] = i;
                break;
            }
    send(m, world, body, faces, (const uint32_t(*)[3])corners, count);
    t->split += count > 0;
}

static inline void change_some(model *m, tact_world *world, tact_body body, random_source *r, tally *t)
{
    enum { LIST = 12 };
    uint32_t faces[LIST], corners[LIST][3], count = 0, next = m->face_count;
    const uint32_t wanted = 1 + (uint32_t)random_below(r, LIST);
    size_t left = 0;
    for (uint32_t i = 0; i < m->face_count; ++i)
        left += m->faces[i][0] != TACT_NO_VERTEX;
    while (count < wanted) {
        const bool add = random_chance(r, m->tears ? 0.05 : 0.3) && next < MOST;
        const uint32_t face = add ? next : (uint32_t)random_below(r, m->face_count);
        uint32_t i = 0;
        while (i < count && faces[i] != face)
            ++i;
        if (i < count) {
            if (m->face_count < LIST)
                break;
            continue;
        }
        next += add;
        const bool there = !add && m->faces[face][0] != TACT_NO_VERTEX,
                   leave = random_chance(r, m->tears ? 0.8 : 0.45) && left > 1;
        left += !leave && !there;
        left -= leave && there;
        const uint32_t near = (uint32_t)random_below(r, m->vertex_count);
        for (int k = 0; k < 3; ++k) {
            const uint64_t variant = random_below(r, 4);
            corners[count][k] = leave                       ? TACT_NO_VERTEX
                                : variant == 0 && !m->tears ? (uint32_t)random_below(r, m->vertex_count)
                                                            : (near + (uint32_t)random_below(r, 12)) % m->vertex_count;
        }
        if (!leave && there && random_chance(r, 0.5)) {
            memcpy(corners[count], m->faces[face], sizeof *corners);
            corners[count][random_below(r, 3)] = near;
        }
        t->removed += leave && there;
        t->added += add;
        t->back += !leave && !there && !add;
        t->changed += !leave && there;
        faces[count++] = face;
    }
    send(m, world, body, faces, (const uint32_t(*)[3])corners, count);
}

static inline void deform_some(model *m, tact_world *world, tact_body body, random_source *r)
{
    const tact_vertices lent = {m->places, m->vertex_count, 0, TACT_SCALAR_DOUBLE};
    const uint32_t first = (uint32_t)random_below(r, m->vertex_count);
    const bool all = random_chance(r, 0.3);
    uint32_t count = all ? m->vertex_count : 1 + (uint32_t)random_below(r, 5);
    for (uint32_t i = all ? 0 : first; i < m->vertex_count && count-- > 0; ++i) {
        m->places[i].y += random_range(r, -0.05, 0.05);
        m->places[i].x += random_range(r, -0.01, 0.01);
    }
    assert_int_equal(tact_body_deform(world, body, lent), TACT_OK);
    if (!all) {
        m->places[first].y = random_range(r, -0.3, 0.3);
        assert_int_equal(tact_body_deform_range(world, body, first, 1), TACT_OK);
    }
}

/* A solid cube. */
static inline tact_shape *make_room(void)
{
    static const double xyz[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint32_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){xyz, 8, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = 36;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

/* ---- worlds as bytes ---- */

static inline size_t length_at(const unsigned char *block) { return (size_t)load_le64(block + 4); }

static inline void same_bytes(const tact_world *one, const tact_world *other, uint64_t seed)
{
    tact_bytes a = {0}, b = {0};
    assert_int_equal(tact_world_save(one, tact_bytes_sink(&a), NULL, NULL), TACT_OK);
    assert_int_equal(tact_world_save(other, tact_bytes_sink(&b), NULL, NULL), TACT_OK);
    for (size_t at = 16; at + 20 <= a.size && a.size == b.size; at += 20 + length_at(a.data + at))
        for (size_t i = 0; i < 12 + length_at(a.data + at); ++i)
            CHECK(a.data[at + i] == b.data[at + i], "byte %zu of a block of type %u", i, load_le32(a.data + at));
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0, "%zu and %zu bytes", a.size, b.size);
    tact_bytes_release(&a);
    tact_bytes_release(&b);
}

static inline tact_world *restore_of(const tact_world *world)
{
    tact_bytes bytes = {0};
    tact_report report = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, &report);
    if (again == NULL)
        fail_msg("%s", report.text);
    tact_bytes_release(&bytes);
    return again;
}

#endif
