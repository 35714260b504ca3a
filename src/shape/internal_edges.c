/*
 * Internal edges of a mesh: edges between two triangles of the same face, which are not edges of that face. Also finds
 * faces with degenerate triangles, whose edges are not where they seem to be.
 *
 * An edge is internal if two triangles of a face share both of its vertices. The triangles of a face are consecutive,
 * so each face is processed alone. The edges of a few triangles are compared pair by pair, those of more are looked up
 * in a hash table. Cost: O(n).
 */
#include <tact/predicates.h>

#include "core/hash.h"
#include "core/memory.h"
#include "shape/mesh.h"

/* The end points of an edge, which has the number of the index where it starts. The hash table stores numbers plus 1,
 * and 0 for a free slot. */
static void edge_vertices(const mesh *m, size_t edge, uint32_t *p, uint32_t *q)
{
    *p = m->indices[edge];
    *q = m->indices[edge % 3 == 2 ? edge - 2 : edge + 1];
}

static bool same_edge(const mesh *m, size_t e, size_t f)
{
    uint32_t p, q, s, t;
    edge_vertices(m, e, &p, &q);
    edge_vertices(m, f, &s, &t);
    return (p == s && q == t) || (p == t && q == s);
}

static void mark_internal(mesh *m, size_t edge) { m->edge_flags[edge / 3] |= (uint8_t)(1u << edge % 3); }

/* Compares all edges of the triangles `begin` to `end` - 1. */
static void compare_all(mesh *m, size_t begin, size_t end)
{
    for (size_t e = 3 * begin; e < 3 * end; e++)
        for (size_t f = 3 * (e / 3) + 3; f < 3 * end; f++)
            if (same_edge(m, e, f)) {
                mark_internal(m, e);
                mark_internal(m, f);
            }
}

static void hash_all(mesh *m, size_t begin, size_t end, uint32_t *table, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++)
        table[i] = 0;
    for (size_t e = 3 * begin; e < 3 * end; e++) {
        uint32_t p, q;
        edge_vertices(m, e, &p, &q);
        size_t slot = (size_t)hash_unordered_pair(p, q) & (capacity - 1);
        while (table[slot] != 0 && !same_edge(m, e, table[slot] - 1))
            slot = (slot + 1) & (capacity - 1);
        if (table[slot] == 0) {
            table[slot] = (uint32_t)e + 1;
        } else if ((table[slot] - 1) / 3 != e / 3) { /* not one of the same triangle, which is degenerate */
            mark_internal(m, table[slot] - 1);
            mark_internal(m, e);
        }
    }
}

/* Marks the face if one of its triangles has no area. The edges of a single triangle are always those of its face. */
static void mark_degenerate(mesh *m, size_t begin, size_t end)
{
    const tact_vec3 *v = m->vertices;
    bool degenerate = false;
    for (size_t i = begin; i < end && !degenerate && end - begin > 1; i++) {
        const uint32_t *c = m->indices + 3 * i;
        degenerate = tact_collinear(v[c[0]], v[c[1]], v[c[2]]) != 0;
    }
    for (size_t i = begin; i < end && degenerate; i++)
        m->edge_flags[i] |= (uint8_t)MESH_DEGENERATE_FACE;
}

static size_t end_of_face(const mesh *m, size_t begin)
{
    size_t end = begin + 1;
    while (end < m->element_count && m->face_of[end] == m->face_of[begin])
        end++;
    return end;
}

static size_t table_capacity(size_t triangles)
{
    size_t capacity = 16;
    while (capacity < 6 * triangles)
        capacity *= 2;
    return capacity;
}

bool tact_mesh_find_internal_edges(mesh *m, const tact_allocator *allocator)
{
    if (m->face_of == NULL || m->element_count == 0)
        return true;
    m->edge_flags = tact_memory_allocate(allocator, m->element_count, sizeof *m->edge_flags);
    if (m->edge_flags == NULL)
        return false;
    size_t largest = 0;
    for (size_t begin = 0, end; begin < m->element_count; begin = end) {
        end = end_of_face(m, begin);
        largest = end - begin > largest ? end - begin : largest;
    }
    const size_t capacity = table_capacity(largest);
    uint32_t *table =
        largest > MESH_PAIRWISE_TRIANGLES ? tact_memory_allocate(allocator, capacity, sizeof *table) : NULL;
    if (largest > MESH_PAIRWISE_TRIANGLES && table == NULL)
        return false;
    for (size_t i = 0; i < m->element_count; i++)
        m->edge_flags[i] = 0;
    for (size_t begin = 0, end; begin < m->element_count; begin = end) {
        end = end_of_face(m, begin);
        if (end - begin <= MESH_PAIRWISE_TRIANGLES)
            compare_all(m, begin, end);
        else
            hash_all(m, begin, end, table, table_capacity(end - begin));
        mark_degenerate(m, begin, end);
    }
    tact_memory_free(allocator, table, capacity, sizeof *table);
    return true;
}
