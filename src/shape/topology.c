#include "shape/topology.h"

#include <string.h>
#include <tact/predicates.h>

#include "core/hash.h"
#include "core/memory.h"
#include "core/union_find.h"
#include "math/vec.h"

#define NOBODY UINT32_MAX

/* An edge between two vertices, low < high, and the triangles on it. */
typedef struct edge {
    uint32_t low, high;   /* NOBODY in `low`: this place of the table is free */
    uint32_t forward;     /* triangles that go from low to high */
    uint32_t backward;    /* and from high to low */
    uint32_t corner_low;  /* the corner at `low` of the first of them, */
    uint32_t corner_high; /* and the one at `high` */
} edge;

typedef struct scratch {
    const tact_allocator *allocator;
    size_t vertex_count, triangle_count;
    size_t corner_room; /* 3 a triangle, but not 0 */
    size_t place_room;  /* powers of two, at least twice the number of entries */
    size_t edge_room;
    uint32_t *place;  /* hash table of vertices by where they are */
    uint32_t *vertex; /* for each vertex, the first one at its place */
    uint32_t *fan;    /* for each corner of a triangle: union-find of the corners of one fan */
    uint32_t *part;   /* for each vertex: union-find of what hangs together */
    uint32_t *triple; /* hash table of triangles by their corners; as large as the table of edges */
    edge *edges;
} scratch;

static size_t table_room(size_t entries)
{
    size_t room = 16;
    while (room < 2 * entries)
        room *= 2;
    return room;
}

static void give_scratch(scratch *s)
{
    tact_memory_free(s->allocator, s->place, s->place_room, sizeof *s->place);
    tact_memory_free(s->allocator, s->vertex, s->vertex_count, sizeof *s->vertex);
    tact_memory_free(s->allocator, s->fan, s->corner_room, sizeof *s->fan);
    tact_memory_free(s->allocator, s->part, s->vertex_count, sizeof *s->part);
    tact_memory_free(s->allocator, s->triple, s->edge_room, sizeof *s->triple);
    tact_memory_free(s->allocator, s->edges, s->edge_room, sizeof *s->edges);
}

static bool take_scratch(scratch *s)
{
    s->corner_room = s->triangle_count > 0 ? 3 * s->triangle_count : 1;
    s->place_room = table_room(s->vertex_count);
    s->edge_room = table_room(3 * s->triangle_count);
    s->place = tact_memory_allocate(s->allocator, s->place_room, sizeof *s->place);
    s->vertex = tact_memory_allocate(s->allocator, s->vertex_count, sizeof *s->vertex);
    s->fan = tact_memory_allocate(s->allocator, s->corner_room, sizeof *s->fan);
    s->part = tact_memory_allocate(s->allocator, s->vertex_count, sizeof *s->part);
    s->triple = tact_memory_allocate(s->allocator, s->edge_room, sizeof *s->triple);
    s->edges = tact_memory_allocate(s->allocator, s->edge_room, sizeof *s->edges);
    return s->place != NULL && s->vertex != NULL && s->fan != NULL && s->part != NULL && s->triple != NULL &&
           s->edges != NULL;
}

/* ---- vertices --------------------------------------------------------------------------------------------------- */

static uint64_t hash_of_point(tact_vec3 p)
{
    const double coordinates[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; /* + 0.0: minus zero is at the place of zero */
    uint64_t words[3];
    memcpy(words, coordinates, sizeof words);
    return hash_add(hash_add(hash_mix(words[0]), words[1]), words[2]);
}

/* Finds for each vertex the first one at its place; returns how many are not the first. */
static size_t merge_vertices(scratch *s, const tact_vec3 *vertices)
{
    size_t duplicates = 0;
    for (size_t i = 0; i < s->place_room; i++)
        s->place[i] = NOBODY;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        size_t at = hash_of_point(vertices[i]) & (s->place_room - 1);
        while (s->place[at] != NOBODY && !vec_equal(vertices[s->place[at]], vertices[i]))
            at = (at + 1) & (s->place_room - 1);
        if (s->place[at] == NOBODY)
            s->place[at] = i;
        else
            duplicates++;
        s->vertex[i] = s->place[at];
    }
    return duplicates;
}

static size_t count_unreferenced(scratch *s, const uint32_t *corners)
{
    /* `part` is free until later: here it marks what is used */
    size_t used = 0;
    memset(s->part, 0, s->vertex_count * sizeof *s->part);
    for (size_t i = 0; i < 3 * s->triangle_count; i++) {
        used += s->part[corners[i]] == 0;
        s->part[corners[i]] = 1;
    }
    return s->vertex_count - used;
}

/* ---- triangles -------------------------------------------------------------------------------------------------- */

typedef struct triple {
    uint32_t a, b, c;
} triple;

static triple corners_of(const scratch *s, const uint32_t *corners, size_t triangle)
{
    const uint32_t *three = corners + 3 * triangle;
    return (triple){s->vertex[three[0]], s->vertex[three[1]], s->vertex[three[2]]};
}

static triple sorted(triple t)
{
    uint32_t low = t.a < t.b ? t.a : t.b, high = t.a < t.b ? t.b : t.a;
    if (t.c < low)
        return (triple){t.c, low, high};
    return t.c < high ? (triple){low, t.c, high} : (triple){low, high, t.c};
}

static size_t count_duplicates(scratch *s, const uint32_t *corners)
{
    size_t duplicates = 0;
    for (size_t i = 0; i < s->edge_room; i++)
        s->triple[i] = NOBODY;
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        triple t = sorted(corners_of(s, corners, i));
        size_t at = hash_add(hash_pair(t.a, t.b), t.c) & (s->edge_room - 1);
        for (; s->triple[at] != NOBODY; at = (at + 1) & (s->edge_room - 1)) {
            triple other = sorted(corners_of(s, corners, s->triple[at]));
            if (other.a == t.a && other.b == t.b && other.c == t.c)
                break;
        }
        if (s->triple[at] == NOBODY)
            s->triple[at] = i;
        else
            duplicates++;
    }
    return duplicates;
}

static edge *edge_between(scratch *s, uint32_t low, uint32_t high)
{
    size_t at = hash_pair(low, high) & (s->edge_room - 1);
    while (s->edges[at].low != NOBODY && (s->edges[at].low != low || s->edges[at].high != high))
        at = (at + 1) & (s->edge_room - 1);
    return &s->edges[at];
}

/* Corner `from` and the next one, `to`, of a triangle. */
static void add_edge(scratch *s, uint32_t from, uint32_t corner_from, uint32_t to, uint32_t corner_to)
{
    bool forward = from < to;
    uint32_t low = forward ? from : to, high = forward ? to : from;
    uint32_t corner_low = forward ? corner_from : corner_to, corner_high = forward ? corner_to : corner_from;
    edge *e = edge_between(s, low, high);
    if (e->low == NOBODY)
        *e = (edge){low, high, 0, 0, corner_low, corner_high};
    e->forward += forward;
    e->backward += !forward;
    union_find_unite(s->fan, e->corner_low, corner_low);
    union_find_unite(s->fan, e->corner_high, corner_high);
    union_find_unite(s->part, low, high);
}

static void add_edges(scratch *s, const uint32_t *corners)
{
    for (size_t i = 0; i < s->edge_room; i++)
        s->edges[i].low = NOBODY;
    union_find_init(s->fan, 3 * s->triangle_count);
    union_find_init(s->part, s->vertex_count);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        triple t = corners_of(s, corners, i);
        if (t.a == t.b || t.b == t.c || t.c == t.a)
            continue;
        add_edge(s, t.a, 3 * i, t.b, 3 * i + 1);
        add_edge(s, t.b, 3 * i + 1, t.c, 3 * i + 2);
        add_edge(s, t.c, 3 * i + 2, t.a, 3 * i);
    }
}

static void count_edges(const scratch *s, tact_mesh_findings *findings)
{
    for (size_t i = 0; i < s->edge_room; i++) {
        const edge *e = &s->edges[i];
        if (e->low == NOBODY)
            continue;
        uint32_t triangles = e->forward + e->backward;
        findings->open_edges += triangles == 1;
        findings->non_manifold_edges += triangles > 2;
        findings->inconsistent_edges += triangles == 2 && e->forward != 1;
    }
}

/* Vertices with more than one fan, and connected parts. */
static void count_fans(scratch *s, const uint32_t *corners, tact_mesh_findings *findings)
{
    uint32_t *fans = s->place; /* large enough: twice the vertices; free by now */
    memset(fans, 0, s->vertex_count * sizeof *fans);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        triple t = corners_of(s, corners, i);
        if (t.a == t.b || t.b == t.c || t.c == t.a)
            continue;
        const uint32_t at[3] = {t.a, t.b, t.c};
        for (uint32_t k = 0; k < 3; k++) {
            if (s->fan[3 * i + k] == 3 * i + k) /* the root of its fan */
                findings->non_manifold_vertices += ++fans[at[k]] == 2;
        }
    }
    for (uint32_t i = 0; i < s->vertex_count; i++)
        findings->components += fans[i] > 0 && s->part[i] == i;
}

/* ---- volume ------------------------------------------------------------------------------------------------------ */

/* The sum of signed tetrahedra from the first vertex, in a scale in which nothing overflows. */
static double signed_volume(const tact_vec3 *vertices, const uint32_t *corners, size_t triangle_count, bool *negative)
{
    double size = 0.0, volume = 0.0;
    if (triangle_count == 0)
        return 0.0;
    const tact_vec3 from = vertices[corners[0]];
    for (size_t i = 0; i < 3 * triangle_count; i++)
        size = fmax(size, vec_max_abs(vec_sub(vertices[corners[i]], from)));
    int exponent = 0;
    (void)frexp(size, &exponent);
    /* in two steps: one power of two for the whole exponent may be out of range */
    const double half = ldexp(1.0, -(exponent / 2)), rest = ldexp(1.0, -(exponent - exponent / 2));
    for (size_t i = 0; i < triangle_count; i++) {
        tact_vec3 p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = vec_scale(vec_scale(vec_sub(vertices[corners[3 * i + k]], from), half), rest);
        volume += vec_dot(vec_cross(p[0], p[1]), p[2]) / 6.0;
    }
    *negative = volume < 0.0;
    return ldexp(volume, 3 * exponent);
}

tact_status tact_topology_check(const tact_vec3 *vertices, uint32_t vertex_count, const uint32_t *corners,
                                uint32_t triangle_count, const tact_allocator *allocator, tact_mesh_findings *findings)
{
    const size_t met = findings->self_intersections;
    memset(findings, 0, sizeof *findings);
    findings->self_intersections = met;
    findings->unreferenced_vertices = vertex_count;
    scratch s = {.allocator = allocator, .vertex_count = vertex_count, .triangle_count = triangle_count};
    if (vertex_count == 0)
        return TACT_OK;
    if (!take_scratch(&s)) {
        give_scratch(&s);
        memset(findings, 0, sizeof *findings);
        return findings->status = TACT_OUT_OF_MEMORY;
    }
    findings->duplicate_vertices = merge_vertices(&s, vertices);
    findings->unreferenced_vertices = count_unreferenced(&s, corners);
    findings->duplicate_triangles = count_duplicates(&s, corners);
    add_edges(&s, corners);
    count_edges(&s, findings);
    count_fans(&s, corners, findings);
    for (size_t i = 0; i < triangle_count; i++) {
        const uint32_t *three = corners + 3 * i;
        findings->degenerate_triangles +=
            (size_t)tact_collinear(vertices[three[0]], vertices[three[1]], vertices[three[2]]);
    }
    bool negative = false;
    findings->volume = signed_volume(vertices, corners, triangle_count, &negative);
    findings->closed = findings->components > 0 && findings->open_edges == 0 && findings->non_manifold_edges == 0;
    findings->inverted = findings->closed && negative;
    give_scratch(&s);
    return TACT_OK;
}
