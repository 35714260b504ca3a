/* Topology check of a triangle mesh: hash tables of vertices, edges and triangles; see the header. */
#include "shape/topology.h"

#include <string.h>
#include <tact/predicates.h>

#include "core/hash.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/union_find.h"
#include "math/vec.h"

#define NO_ENTRY UINT32_MAX

/* An edge between two vertices, low < high, and the triangles that share it. */
typedef struct topology_edge {
    uint32_t low, high;   /* `low` NO_ENTRY: this slot of the table is free */
    uint32_t forward;     /* triangles that traverse it from low to high */
    uint32_t backward;    /* and from high to low */
    uint32_t corner_low;  /* the corner at `low` of the first of them */
    uint32_t corner_high; /* and the corner at `high` */
} topology_edge;

typedef struct topology_scratch {
    const tact_allocator *allocator;
    size_t vertex_count, triangle_count;
    size_t corner_capacity;   /* three for each triangle, at least 1 */
    size_t position_capacity; /* slots of hash tables: powers of two, at least twice the number of entries */
    size_t edge_capacity;
    uint32_t *positions;         /* hash table of vertices by position */
    uint32_t *first_at_position; /* for each vertex, the first one at its position */
    uint32_t *fan;               /* union-find of the corners of triangles (3 triangle + k): the corners of one fan */
    uint32_t *component;         /* union-find of vertices: connected components */
    uint32_t *triangles;         /* hash table of triangles by their vertices; as large as the table of edges */
    topology_edge *edges;
} topology_scratch;

static size_t table_capacity(size_t entries)
{
    size_t capacity = 16;
    while (capacity < 2 * entries)
        capacity *= 2;
    return capacity;
}

static void free_scratch(topology_scratch *s)
{
    tact_memory_free(s->allocator, s->positions, s->position_capacity, sizeof *s->positions);
    tact_memory_free(s->allocator, s->first_at_position, s->vertex_count, sizeof *s->first_at_position);
    tact_memory_free(s->allocator, s->fan, s->corner_capacity, sizeof *s->fan);
    tact_memory_free(s->allocator, s->component, s->vertex_count, sizeof *s->component);
    tact_memory_free(s->allocator, s->triangles, s->edge_capacity, sizeof *s->triangles);
    tact_memory_free(s->allocator, s->edges, s->edge_capacity, sizeof *s->edges);
}

static bool allocate_scratch(topology_scratch *s)
{
    s->corner_capacity = s->triangle_count > 0 ? 3 * s->triangle_count : 1;
    s->position_capacity = table_capacity(s->vertex_count);
    s->edge_capacity = table_capacity(3 * s->triangle_count);
    s->positions = tact_memory_allocate(s->allocator, s->position_capacity, sizeof *s->positions);
    s->first_at_position = tact_memory_allocate(s->allocator, s->vertex_count, sizeof *s->first_at_position);
    s->fan = tact_memory_allocate(s->allocator, s->corner_capacity, sizeof *s->fan);
    s->component = tact_memory_allocate(s->allocator, s->vertex_count, sizeof *s->component);
    s->triangles = tact_memory_allocate(s->allocator, s->edge_capacity, sizeof *s->triangles);
    s->edges = tact_memory_allocate(s->allocator, s->edge_capacity, sizeof *s->edges);
    return s->positions != NULL && s->first_at_position != NULL && s->fan != NULL && s->component != NULL &&
           s->triangles != NULL && s->edges != NULL;
}

/* ---- vertices ---- */

static uint64_t hash_of_point(tact_vec3 p)
{
    const double coordinates[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; /* + 0.0: -0 equals 0 */
    uint64_t words[3];
    memcpy(words, coordinates, sizeof words);
    return hash_add(hash_add(hash_mix(words[0]), words[1]), words[2]);
}

/* Finds for each vertex the first one at its position; returns how many are not the first. */
static size_t merge_vertices(topology_scratch *s, const tact_vec3 *vertices)
{
    size_t duplicates = 0;
    for (size_t i = 0; i < s->position_capacity; i++)
        s->positions[i] = NO_ENTRY;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        size_t at = (size_t)hash_of_point(vertices[i]) & (s->position_capacity - 1);
        while (s->positions[at] != NO_ENTRY && !vec_equal(vertices[s->positions[at]], vertices[i]))
            at = (at + 1) & (s->position_capacity - 1);
        if (s->positions[at] == NO_ENTRY)
            s->positions[at] = i;
        else
            duplicates++;
        s->first_at_position[i] = s->positions[at];
    }
    return duplicates;
}

static size_t count_unreferenced(topology_scratch *s, const uint32_t *indices)
{
    /* `component` is not in use yet: here it marks the vertices that are referenced */
    size_t used = 0;
    memset(s->component, 0, s->vertex_count * sizeof *s->component);
    for (size_t i = 0; i < 3 * s->triangle_count; i++) {
        used += s->component[indices[i]] == 0;
        s->component[indices[i]] = 1;
    }
    return s->vertex_count - used;
}

/* ---- triangles ---- */

typedef struct vertex_triple {
    uint32_t a, b, c;
} vertex_triple;

static vertex_triple corners_of(const topology_scratch *s, const uint32_t *indices, size_t triangle)
{
    const uint32_t *t = indices + 3 * triangle;
    return (vertex_triple){s->first_at_position[t[0]], s->first_at_position[t[1]], s->first_at_position[t[2]]};
}

static vertex_triple sorted(vertex_triple t)
{
    uint32_t low = t.a < t.b ? t.a : t.b, high = t.a < t.b ? t.b : t.a;
    if (t.c < low)
        return (vertex_triple){t.c, low, high};
    return t.c < high ? (vertex_triple){low, t.c, high} : (vertex_triple){low, high, t.c};
}

static size_t count_duplicates(topology_scratch *s, const uint32_t *indices)
{
    size_t duplicates = 0;
    for (size_t i = 0; i < s->edge_capacity; i++)
        s->triangles[i] = NO_ENTRY;
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        vertex_triple t = sorted(corners_of(s, indices, i));
        size_t at = (size_t)hash_add(hash_pair(t.a, t.b), t.c) & (s->edge_capacity - 1);
        for (; s->triangles[at] != NO_ENTRY; at = (at + 1) & (s->edge_capacity - 1)) {
            vertex_triple other = sorted(corners_of(s, indices, s->triangles[at]));
            if (other.a == t.a && other.b == t.b && other.c == t.c)
                break;
        }
        if (s->triangles[at] == NO_ENTRY)
            s->triangles[at] = i;
        else
            duplicates++;
    }
    return duplicates;
}

static topology_edge *edge_between(topology_scratch *s, uint32_t low, uint32_t high)
{
    size_t at = (size_t)hash_pair(low, high) & (s->edge_capacity - 1);
    while (s->edges[at].low != NO_ENTRY && (s->edges[at].low != low || s->edges[at].high != high))
        at = (at + 1) & (s->edge_capacity - 1);
    return &s->edges[at];
}

/* Adds the edge between two consecutive corners of a triangle. */
static void add_edge(topology_scratch *s, uint32_t from, uint32_t corner_from, uint32_t to, uint32_t corner_to)
{
    bool forward = from < to;
    uint32_t low = forward ? from : to, high = forward ? to : from;
    uint32_t corner_low = forward ? corner_from : corner_to, corner_high = forward ? corner_to : corner_from;
    topology_edge *e = edge_between(s, low, high);
    if (e->low == NO_ENTRY)
        *e = (topology_edge){low, high, 0, 0, corner_low, corner_high};
    e->forward += forward;
    e->backward += !forward;
    union_find_unite(s->fan, e->corner_low, corner_low);
    union_find_unite(s->fan, e->corner_high, corner_high);
    union_find_unite(s->component, low, high);
}

static void add_edges(topology_scratch *s, const uint32_t *indices)
{
    for (size_t i = 0; i < s->edge_capacity; i++)
        s->edges[i].low = NO_ENTRY;
    union_find_init(s->fan, 3 * s->triangle_count);
    union_find_init(s->component, s->vertex_count);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        vertex_triple t = corners_of(s, indices, i);
        if (t.a == t.b || t.b == t.c || t.c == t.a)
            continue;
        add_edge(s, t.a, 3 * i, t.b, 3 * i + 1);
        add_edge(s, t.b, 3 * i + 1, t.c, 3 * i + 2);
        add_edge(s, t.c, 3 * i + 2, t.a, 3 * i);
    }
}

static void count_edges(const topology_scratch *s, tact_mesh_findings *findings)
{
    for (size_t i = 0; i < s->edge_capacity; i++) {
        const topology_edge *e = &s->edges[i];
        if (e->low == NO_ENTRY)
            continue;
        uint32_t triangles = e->forward + e->backward;
        findings->open_edges += triangles == 1;
        findings->non_manifold_edges += triangles > 2;
        findings->inconsistent_edges += triangles == 2 && e->forward != 1;
    }
}

/* Counts vertices with more than one fan, and connected components. */
static void count_fans(topology_scratch *s, const uint32_t *indices, tact_mesh_findings *findings)
{
    uint32_t *fans = s->positions; /* large enough (twice the vertices), and no longer in use */
    memset(fans, 0, s->vertex_count * sizeof *fans);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        vertex_triple t = corners_of(s, indices, i);
        if (t.a == t.b || t.b == t.c || t.c == t.a)
            continue;
        const uint32_t at[3] = {t.a, t.b, t.c};
        for (uint32_t k = 0; k < 3; k++) {
            if (s->fan[3 * i + k] == 3 * i + k) /* the root of its fan */
                findings->non_manifold_vertices += ++fans[at[k]] == 2;
        }
    }
    for (uint32_t i = 0; i < s->vertex_count; i++)
        findings->components += fans[i] > 0 && s->component[i] == i;
}

/* ---- volume ---- */

/* The sum of the signed volumes of tetrahedra from the first vertex, scaled so that nothing overflows. */
static double signed_volume(const tact_vec3 *vertices, const uint32_t *indices, size_t triangle_count, bool *negative)
{
    double size = 0.0, volume = 0.0;
    if (triangle_count == 0)
        return 0.0;
    const tact_vec3 from = vertices[indices[0]];
    for (size_t i = 0; i < 3 * triangle_count; i++)
        size = number_max(size, vec_max_abs(vec_sub(vertices[indices[i]], from)));
    int exponent = 0;
    (void)frexp(size, &exponent);
    /* in two factors: a power of two for the whole exponent may be out of range */
    const double half = ldexp(1.0, -(exponent / 2)), rest = ldexp(1.0, -(exponent - exponent / 2));
    for (size_t i = 0; i < triangle_count; i++) {
        tact_vec3 p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = vec_scale(vec_scale(vec_sub(vertices[indices[3 * i + k]], from), half), rest);
        volume += vec_dot(vec_cross(p[0], p[1]), p[2]) / 6.0;
    }
    *negative = volume < 0.0;
    return ldexp(volume, 3 * exponent);
}

tact_status tact_topology_check(const tact_vec3 *vertices, uint32_t vertex_count, const uint32_t *indices,
                                uint32_t triangle_count, const tact_allocator *allocator, tact_mesh_findings *findings)
{
    const size_t self_intersections = findings->self_intersections;
    memset(findings, 0, sizeof *findings);
    findings->self_intersections = self_intersections;
    findings->unreferenced_vertices = vertex_count;
    topology_scratch s = {.allocator = allocator, .vertex_count = vertex_count, .triangle_count = triangle_count};
    if (vertex_count == 0)
        return TACT_OK;
    if (!allocate_scratch(&s)) {
        free_scratch(&s);
        memset(findings, 0, sizeof *findings);
        return findings->status = TACT_OUT_OF_MEMORY;
    }
    findings->duplicate_vertices = merge_vertices(&s, vertices);
    findings->unreferenced_vertices = count_unreferenced(&s, indices);
    findings->duplicate_triangles = count_duplicates(&s, indices);
    add_edges(&s, indices);
    count_edges(&s, findings);
    count_fans(&s, indices, findings);
    for (size_t i = 0; i < triangle_count; i++) {
        const uint32_t *t = indices + 3 * i;
        findings->degenerate_triangles += (size_t)tact_collinear(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
    }
    bool negative = false;
    findings->volume = signed_volume(vertices, indices, triangle_count, &negative);
    findings->closed = findings->components > 0 && findings->open_edges == 0 && findings->non_manifold_edges == 0;
    findings->inverted = findings->closed && negative;
    free_scratch(&s);
    return TACT_OK;
}
