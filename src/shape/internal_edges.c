/*
 * Which edges of a mesh's triangles are cuts: between two triangles of one face, so no edge of that face. And which
 * faces have triangles without area, whose edges are not where they seem to be.
 *
 * Two triangles of a face that share both vertices of an edge are what makes a cut; the triangles of a face follow each
 * other, so each face is looked at alone. A few are compared pair by pair; of more, edges are looked up in a table:
 * linear.
 */
#include <tact/predicates.h>

#include "core/hash.h"
#include "core/memory.h"
#include "shape/mesh.h"

/* Faces of up to so many triangles need no table: at most 28 pairs. */
#define FEW_TRIANGLES 8u

/* The number of the corner that an edge begins at names it; in a table 1 more, 0: the place is free. */
static void ends_of(const mesh *m, size_t edge, uint32_t *p, uint32_t *q)
{
    *p = m->indices[edge];
    *q = m->indices[edge % 3 == 2 ? edge - 2 : edge + 1];
}

static bool same_edge(const mesh *m, size_t e, size_t f)
{
    uint32_t p, q, s, t;
    ends_of(m, e, &p, &q);
    ends_of(m, f, &s, &t);
    return (p == s && q == t) || (p == t && q == s);
}

static void mark(mesh *m, size_t edge) { m->edge_flags[edge / 3] |= (uint8_t)(1u << edge % 3); }

/* The edges of triangles `begin` to `end` - 1, each with each. */
static void compare_all(mesh *m, size_t begin, size_t end)
{
    for (size_t e = 3 * begin; e < 3 * end; e++)
        for (size_t f = 3 * (e / 3) + 3; f < 3 * end; f++)
            if (same_edge(m, e, f)) {
                mark(m, e);
                mark(m, f);
            }
}

static void look_up_all(mesh *m, size_t begin, size_t end, uint32_t *table, size_t room)
{
    for (size_t i = 0; i < room; i++)
        table[i] = 0;
    for (size_t e = 3 * begin; e < 3 * end; e++) {
        uint32_t p, q;
        ends_of(m, e, &p, &q);
        size_t at = (size_t)hash_set_of_two(p, q) & (room - 1);
        while (table[at] != 0 && !same_edge(m, e, table[at] - 1))
            at = (at + 1) & (room - 1);
        if (table[at] == 0) {
            table[at] = (uint32_t)e + 1;
        } else if ((table[at] - 1) / 3 != e / 3) { /* one of its own: there and back */
            mark(m, table[at] - 1);
            mark(m, e);
        }
    }
}

/* Notes if one of them has no area. A triangle alone is its face, and its edges are the face's. */
static void note_thin(mesh *m, size_t begin, size_t end)
{
    const tact_vec3 *v = m->vertices;
    bool thin = false;
    for (size_t i = begin; i < end && !thin && end - begin > 1; i++) {
        const uint32_t *c = m->indices + 3 * i;
        thin = tact_collinear(v[c[0]], v[c[1]], v[c[2]]) != 0;
    }
    for (size_t i = begin; i < end && thin; i++)
        m->edge_flags[i] |= (uint8_t)MESH_DEGENERATE_FACE;
}

static size_t end_of_face(const mesh *m, size_t begin)
{
    size_t end = begin + 1;
    while (end < m->element_count && m->face_of[end] == m->face_of[begin])
        end++;
    return end;
}

static size_t table_room(size_t triangles)
{
    size_t room = 16;
    while (room < 6 * triangles)
        room *= 2;
    return room;
}

bool tact_mesh_find_internal_edges(mesh *m, const tact_allocator *allocator)
{
    if (m->face_of == NULL || m->element_count == 0)
        return true;
    m->edge_flags = tact_memory_allocate(allocator, m->element_count, sizeof *m->edge_flags);
    if (m->edge_flags == NULL)
        return false;
    size_t most = 0;
    for (size_t begin = 0, end; begin < m->element_count; begin = end) {
        end = end_of_face(m, begin);
        most = end - begin > most ? end - begin : most;
    }
    const size_t room = table_room(most);
    uint32_t *table = most > FEW_TRIANGLES ? tact_memory_allocate(allocator, room, sizeof *table) : NULL;
    if (most > FEW_TRIANGLES && table == NULL)
        return false;
    for (size_t i = 0; i < m->element_count; i++)
        m->edge_flags[i] = 0;
    for (size_t begin = 0, end; begin < m->element_count; begin = end) {
        end = end_of_face(m, begin);
        if (end - begin <= FEW_TRIANGLES)
            compare_all(m, begin, end);
        else
            look_up_all(m, begin, end, table, table_room(end - begin));
        note_thin(m, begin, end);
    }
    tact_memory_free(allocator, table, room, sizeof *table);
    return true;
}
