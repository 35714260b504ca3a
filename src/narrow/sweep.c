/*
 * Making a sweep: the topology of a scene of triangles, edges and points.
 *
 * Guarantees: every vertex that something uses, and every edge between two different vertices, stands in exactly one thing: the
 * first that has it (representatives: Curtis, Tamstorf and Manocha, Fast collision detection for deformable models using
 * representative-triangles, 2008), so a pair of features is looked at for one pair of things only. The seed (Hutter and Fuhrmann, 2007)
 * stores the pairs that were tested instead; that takes memory and a look-up a pair. Edges are brought together by their lower
 * vertex: O(n), but O(n log n) around a vertex of many.
 */
#include "narrow/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "narrow/sweep_parts.h"

/* The things as they were given. */
typedef struct topology {
    uint32_t (*things)[4];
    uint32_t thing_count, triangle_count, vertex_count;
    const tact_allocator *allocator;
} topology;

/* A side of a thing, listed under its lower vertex. */
typedef struct side {
    uint32_t high;  /* the other vertex */
    uint32_t thing; /* TREE_WIDTH * thing + which side */
} side;

static int compare_sides(const void *p, const void *q)
{
    const side *a = p, *b = q;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->thing < b->thing ? -1 : a->thing > b->thing;
}

/* Insertion: most vertices have few. */
static void sort_sides(side *sides, size_t count)
{
    if (count > 24) {
        qsort(sides, count, sizeof *sides, compare_sides);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const side s = sides[i];
        size_t k = i;
        for (; k > 0 && compare_sides(&sides[k - 1], &s) > 0; --k)
            sides[k] = sides[k - 1];
        sides[k] = s;
    }
}

static unsigned side_count(const topology *s, uint32_t thing) { return thing < s->triangle_count ? 3 : 1; }

/* Which thing stands for each edge. */
static bool assign_edges(const topology *s)
{
    const size_t room = 3 * (size_t)s->thing_count + 1, start_room = (size_t)s->vertex_count + 1;
    side *sides = tact_memory_take(s->allocator, room, sizeof *sides);
    uint32_t *starts = tact_memory_take(s->allocator, start_room, sizeof *starts);
    const bool fine = sides != NULL && starts != NULL;
    if (fine) {
        memset(starts, 0, start_room * sizeof *starts);
        for (int pass = 0; pass < 2; ++pass) {
            for (uint32_t i = 0; i < s->thing_count; ++i)
                for (unsigned k = 0; k < side_count(s, i); ++k) {
                    const uint32_t a = s->things[i][k], b = s->things[i][(k + 1) % 3], low = a < b ? a : b;
                    if (a == b)
                        continue;
                    if (pass == 0)
                        ++starts[low];
                    else
                        sides[--starts[low]] = (side){a < b ? b : a, 4 * i + k};
                }
            for (uint32_t i = 0, sum = 0; pass == 0 && i < start_room; ++i)
                starts[i] = sum += starts[i];
        }
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            side *first = sides + starts[v];
            const size_t count = starts[v + 1] - starts[v];
            sort_sides(first, count);
            for (size_t i = 0; i < count; ++i)
                if (i == 0 || first[i].high != first[i - 1].high)
                    s->things[first[i].thing / 4][3] |= THING_EDGE(first[i].thing % 4);
        }
    }
    tact_memory_give(s->allocator, sides, room, sizeof *sides);
    tact_memory_give(s->allocator, starts, start_room, sizeof *starts);
    return fine;
}

static bool assign_vertices(const topology *s)
{
    uint8_t *seen = tact_memory_take(s->allocator, (size_t)s->vertex_count + 1, 1);
    if (seen == NULL)
        return false;
    memset(seen, 0, s->vertex_count);
    for (uint32_t i = 0; i < s->thing_count; ++i)
        for (unsigned k = 0; k < 3; ++k) {
            const uint32_t v = s->things[i][k];
            s->things[i][3] |= seen[v] == 0 ? THING_VERTEX(k) : 0;
            seen[v] = 1;
        }
    tact_memory_give(s->allocator, seen, (size_t)s->vertex_count + 1, 1);
    return true;
}

/* Edges that a triangle has and points that something has stand for nothing: they go. */
static uint32_t drop_idle(const topology *s)
{
    uint32_t kept = s->triangle_count;
    for (uint32_t i = s->triangle_count; i < s->thing_count; ++i)
        if ((s->things[i][3] & (THING_VERTICES | THING_EDGES)) != 0)
            memmove(s->things[kept++], s->things[i], sizeof *s->things);
    return kept;
}

static bool finite_points(const tact_vec3 *points, size_t count)
{
    /* anything that is not finite makes this NaN */
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += (points[i].x - points[i].x) + (points[i].y - points[i].y) + (points[i].z - points[i].z);
    return sum == 0.0;
}

/* Whether the def is one; `part_of` of no vertices of two parts is looked at when the parts are known. */
static bool def_is_good(const sweep_def *def)
{
    if (def->vertex_count > MOVING_MOST_THINGS || def->triangle_count > MOVING_MOST_THINGS ||
        def->edge_count > MOVING_MOST_THINGS || def->point_count > MOVING_MOST_THINGS ||
        def->triangle_count + def->edge_count + def->point_count > MOVING_MOST_THINGS)
        return false;
    if ((def->vertex_count > 0 && def->vertices == NULL) || (def->triangle_count > 0 && def->triangles == NULL) ||
        (def->edge_count > 0 && def->edges == NULL) || (def->point_count > 0 && def->points == NULL) ||
        (def->part_count > 0) != (def->parts != NULL))
        return false;
    for (size_t i = 0; i < def->triangle_count; ++i)
        for (unsigned k = 0; k < 3; ++k)
            if (def->triangles[i][k] >= def->vertex_count)
                return false;
    for (size_t i = 0; i < def->edge_count; ++i)
        if (def->edges[i][0] >= def->vertex_count || def->edges[i][1] >= def->vertex_count)
            return false;
    for (size_t i = 0; i < def->point_count; ++i)
        if (def->points[i] >= def->vertex_count)
            return false;
    for (size_t i = 0; i < def->part_count; ++i)
        if (def->parts[i].vertex_end > def->vertex_count ||
            (i > 0 && def->parts[i].vertex_end < def->parts[i - 1].vertex_end))
            return false;
    if (def->part_count > 0 && def->parts[def->part_count - 1].vertex_end != def->vertex_count)
        return false;
    return finite_points(def->vertices, def->vertex_count);
}

static uint32_t part_of(const sweep_def *def, uint32_t vertex)
{
    size_t low = 0, high = def->part_count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (vertex < def->parts[middle].vertex_end)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

/* The groups of things that are not tested against each other: 1 + their part. */
static tact_status find_groups(const sweep *s, const sweep_def *def, uint32_t (*given)[4], uint32_t *groups)
{
    for (uint32_t i = 0; i < s->thing_count; ++i) {
        const uint32_t part = part_of(def, given[i][0]);
        if (part_of(def, given[i][1]) != part || part_of(def, given[i][2]) != part)
            return TACT_BAD_ARGUMENT;
        groups[i] = def->parts[part].alone ? part + 1 : 0;
    }
    return TACT_OK;
}

static void copy_things(uint32_t (*things)[4], const sweep_def *def)
{
    uint32_t n = 0;
    for (size_t i = 0; i < def->triangle_count; ++i, ++n) {
        memcpy(things[n], def->triangles[i], 3 * sizeof(uint32_t));
        things[n][3] = THING_FACE;
    }
    for (size_t i = 0; i < def->edge_count; ++i, ++n) {
        const uint32_t a = def->edges[i][0], b = def->edges[i][1];
        memcpy(things[n], (const uint32_t[4]){a, b, b, 0}, sizeof *things);
    }
    for (size_t i = 0; i < def->point_count; ++i, ++n) {
        const uint32_t v = def->points[i];
        memcpy(things[n], (const uint32_t[4]){v, v, v, 0}, sizeof *things);
    }
}

/* Arranges the things in the order of the tree, and gives the vertices places in the order in which they are used: what is near in
 * space is then near in memory. `given` has the things as they were, `places` room for a number a vertex. */
static void arrange(sweep *s, const uint32_t (*given)[4], uint32_t *places)
{
    memset(places, 0xff, s->vertex_count * sizeof *places);
    for (uint32_t i = 0; i < s->thing_count; ++i) {
        const uint32_t *old = given[s->numbers[i]];
        for (unsigned k = 0; k < 3; ++k) {
            if (places[old[k]] == UINT32_MAX) {
                s->vertices[s->place_count] = old[k];
                places[old[k]] = s->place_count++;
            }
            s->things[i][k] = places[old[k]];
        }
        s->things[i][3] = old[3];
    }
}

/* The tree over the things as given, then all in its order. */
static tact_status grow(sweep *s, const sweep_def *def, uint32_t (*given)[4])
{
    uint32_t *groups = NULL;
    tact_status status = TACT_OK;
    const size_t room = (size_t)s->thing_count + 1, vertex_room = (size_t)s->vertex_count + 1;
    if (def->parts != NULL) {
        groups = tact_memory_take(&s->allocator, room, sizeof *groups);
        status = groups != NULL ? find_groups(s, def, given, groups) : TACT_OUT_OF_MEMORY;
    }
    if (status == TACT_OK) {
        s->things = tact_memory_take(&s->allocator, room, sizeof *s->things);
        s->numbers = tact_memory_take(&s->allocator, room, sizeof *s->numbers);
        s->vertices = tact_memory_take(&s->allocator, vertex_room, sizeof *s->vertices);
        const bool fine = s->things != NULL && s->numbers != NULL && s->vertices != NULL;
        const moving_tree_def tree_def = {.corners = (const uint32_t(*)[4])given,
                                          .thing_count = s->thing_count,
                                          .point_count = s->vertex_count,
                                          .points = def->vertices,
                                          .groups = groups,
                                          .order = s->numbers,
                                          .allocator = s->allocator};
        status = fine ? tact_moving_tree_create(&s->tree, &tree_def) : TACT_OUT_OF_MEMORY;
    }
    tact_memory_give(&s->allocator, groups, room, sizeof *groups);
    if (status != TACT_OK)
        return status;
    s->points = tact_memory_take(&s->allocator, vertex_room, sizeof *s->points);
    s->marks = tact_memory_take(&s->allocator, (size_t)s->tree.node_count + 1, 1);
    s->changed = tact_memory_take(&s->allocator, vertex_room, 1);
    s->aside = tact_memory_take(&s->allocator, SWEEP_ASIDE, sizeof *s->aside);
    uint32_t *places = tact_memory_take(&s->allocator, vertex_room, sizeof *places);
    const bool fine = s->points != NULL && s->marks != NULL && s->changed != NULL && s->aside != NULL && places != NULL;
    status = fine ? TACT_OK : TACT_OUT_OF_MEMORY;
    if (status == TACT_OK) {
        arrange(s, (const uint32_t(*)[4])given, places);
        s->tree.corners = (const uint32_t(*)[4])s->things;
        tact_sweep_drop_idle_roots(s);
    }
    tact_memory_give(&s->allocator, places, vertex_room, sizeof *places);
    return status;
}

static tact_status build(sweep *s, const sweep_def *def)
{
    const size_t count = def->triangle_count + def->edge_count + def->point_count;
    s->vertex_count = (uint32_t)def->vertex_count;
    s->triangle_count = (uint32_t)def->triangle_count;
    uint32_t(*given)[4] = tact_memory_take(&s->allocator, count + 1, sizeof *given);
    if (given == NULL)
        return TACT_OUT_OF_MEMORY;
    copy_things(given, def);
    tact_status status = TACT_OUT_OF_MEMORY;
    const topology t = {given, (uint32_t)count, s->triangle_count, s->vertex_count, &s->allocator};
    if (assign_edges(&t) && assign_vertices(&t)) {
        s->thing_count = drop_idle(&t);
        status = grow(s, def, given);
    }
    tact_memory_give(&s->allocator, given, count + 1, sizeof *given);
    return status;
}

tact_status tact_sweep_create(sweep **made, const sweep_def *def)
{
    if (made == NULL)
        return TACT_BAD_ARGUMENT;
    *made = NULL;
    if (def == NULL || !def_is_good(def))
        return TACT_BAD_ARGUMENT;
    sweep *s = tact_memory_take(&def->allocator, 1, sizeof *s);
    if (s == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(s, 0, sizeof *s);
    s->allocator = def->allocator;
    s->tree.allocator = def->allocator;
    const tact_status status = build(s, def);
    if (status != TACT_OK) {
        tact_sweep_release(s);
        return status;
    }
    *made = s;
    return TACT_OK;
}

void tact_sweep_release(sweep *s)
{
    if (s == NULL)
        return;
    const tact_allocator allocator = s->allocator;
    const size_t vertex_room = (size_t)s->vertex_count + 1, room = (size_t)s->thing_count + 1;
    tact_memory_give(&allocator, s->marks, (size_t)s->tree.node_count + 1, 1);
    tact_moving_tree_release(&s->tree);
    tact_memory_give(&allocator, s->things, room, sizeof *s->things);
    tact_memory_give(&allocator, s->numbers, room, sizeof *s->numbers);
    tact_memory_give(&allocator, s->vertices, vertex_room, sizeof *s->vertices);
    tact_memory_give(&allocator, s->points, vertex_room, sizeof *s->points);
    tact_memory_give(&allocator, s->changed, vertex_room, 1);
    tact_memory_give(&allocator, s->aside, SWEEP_ASIDE, sizeof *s->aside);
    for (uint32_t i = 0; i < s->page_count; ++i)
        tact_memory_give(&allocator, s->pages[i], 1, sizeof *s->pages[i]);
    tact_memory_give(&allocator, s->pages, s->page_room, sizeof *s->pages);
    tact_memory_give(&allocator, s->page_counts, s->page_room, sizeof *s->page_counts);
    tact_memory_give(&allocator, s->keys, s->key_room, sizeof *s->keys);
    tact_memory_give(&allocator, s->scratch, s->key_room, sizeof *s->scratch);
    tact_memory_give(&allocator, s->workers, s->worker_count, sizeof *s->workers);
    tact_memory_give(&allocator, s, 1, sizeof *s);
}

size_t tact_sweep_count(const sweep *s) { return s->key_count; }

const sweep_contact *tact_sweep_contact(const sweep *s, size_t i)
{
    const uint64_t at = s->keys[i].at;
    return s->one ? &s->first : &s->pages[at / SWEEP_PAGE]->contact[at % SWEEP_PAGE];
}

sweep_counts tact_sweep_counts(const sweep *s) { return s->counts; }
