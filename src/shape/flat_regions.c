/*
 * Flat regions of a mesh: see flat_regions.h.
 *
 * A region grows from its first triangle across edges that two triangles share, and no third one, and that they run
 * through in opposite directions. It gets all triangles that face the same way and have no vertex farther than
 * FLAT_TOLERANCE from the plane of the first. Triangles without area belong to no region.
 *
 * Cost: a corner table (Rossignac 2001) without opposite corners; each edge is looked up in the fan of a vertex.
 */
#include "shape/flat_regions.h"

#include "core/memory.h"
#include "shape/mesh.h"

#define NO_CORNER UINT32_MAX

typedef struct corner_lists {
    uint32_t *first; /* of each vertex: one of its corners; a corner is 3 triangle + k */
    uint32_t *next;  /* of each corner: the next one of the same vertex */
} corner_lists;

static uint32_t next_corner(uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

static uint32_t last_corner(uint32_t corner) { return corner % 3 == 0 ? corner + 2 : corner - 1; }

static void link_corners(const mesh *m, const corner_lists *lists)
{
    for (uint32_t i = 0; i < m->vertex_count; i++)
        lists->first[i] = NO_CORNER;
    for (uint32_t i = 0; i < 3 * m->element_count; i++) {
        lists->next[i] = lists->first[m->indices[i]];
        lists->first[m->indices[i]] = i;
    }
}

/* The triangle on the other side of the edge that starts at a corner: the only other one that has this edge, and runs
 * through it backwards. FLAT_NONE: there is no such triangle. */
static uint32_t neighbour_at(const mesh *m, const corner_lists *lists, uint32_t corner)
{
    const uint32_t from = m->indices[corner], to = m->indices[next_corner(corner)];
    uint32_t a = lists->first[from], b = lists->first[to], found = FLAT_NONE;
    while (a != NO_CORNER && b != NO_CORNER) { /* the shorter list: a hub may be in all triangles */
        a = lists->next[a];
        b = lists->next[b];
    }
    const bool at_from = a == NO_CORNER;
    const uint32_t other = at_from ? to : from;
    for (uint32_t i = lists->first[at_from ? from : to]; i != NO_CORNER; i = lists->next[i]) {
        const bool starts = m->indices[next_corner(i)] == other, ends = m->indices[last_corner(i)] == other;
        const bool backwards = at_from ? ends : starts, again = at_from ? starts : ends;
        if (i / 3 == corner / 3)
            continue;
        if (again || (backwards && found != FLAT_NONE))
            return FLAT_NONE;
        found = backwards ? i / 3 : found;
    }
    return found;
}

/* The unit normal of a triangle; zero if it has no area. */
static tact_vec3 normal_of(const mesh *m, uint32_t triangle)
{
    const uint32_t *k = &m->indices[3 * (size_t)triangle];
    const tact_vec3 e = vec_sub(m->vertices[k[1]], m->vertices[k[0]]),
                    f = vec_sub(m->vertices[k[2]], m->vertices[k[0]]), n = vec_cross(e, f);
    return vec_max_abs(n) > FLAT_MIN_SINE * (vec_max_abs(e) * vec_max_abs(f)) ? vec_normalize(n)
                                                                              : vec_make(0.0, 0.0, 0.0);
}

/* The growth of regions. */
typedef struct region_growth {
    const mesh *m;
    corner_lists lists;
    uint32_t *region;    /* of each triangle; FLAT_NONE: not yet known */
    uint32_t *queue;     /* triangles whose neighbours are to be visited */
    uint8_t *neighbours; /* of each triangle: in its region */
    double tolerance;    /* length */
} region_growth;

/* Whether a triangle is in a plane, and faces up. */
static bool is_in_plane(const region_growth *g, uint32_t triangle, tact_vec3 point, tact_vec3 normal)
{
    const uint32_t *k = &g->m->indices[3 * (size_t)triangle];
    for (int i = 0; i < 3; i++)
        if (!(fabs(vec_dot(normal, vec_sub(g->m->vertices[k[i]], point))) <= g->tolerance))
            return false;
    return vec_dot(normal, normal_of(g->m, triangle)) > 0.0;
}

static void grow(region_growth *g, uint32_t seed)
{
    const tact_vec3 normal = normal_of(g->m, seed), point = g->m->vertices[g->m->indices[3 * (size_t)seed]];
    uint32_t head = 0, tail = 1;
    g->region[seed] = seed;
    if (!(vec_max_abs(normal) > 0.0))
        return;
    for (g->queue[0] = seed; head < tail; head++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t triangle = g->queue[head], other = neighbour_at(g->m, &g->lists, 3 * triangle + k);
            if (other == FLAT_NONE)
                continue;
            if (g->region[other] == FLAT_NONE && is_in_plane(g, other, point, normal)) {
                g->region[other] = seed;
                g->queue[tail++] = other;
            }
            g->neighbours[triangle] = (uint8_t)(g->neighbours[triangle] + (g->region[other] == seed));
        }
}

/* Children come after their parents. */
static void mark_nodes(flat_regions *r, const aabb_tree *tree)
{
    for (uint32_t i = tree->node_count; i-- > 0;) {
        const tree_node *node = &tree->nodes[i];
        uint32_t region = FLAT_NONE;
        for (unsigned k = 0; k < tree_child_count(node); k++) {
            const uint32_t child = node->child[k];
            const uint32_t own = tree_is_leaf(child) ? r->of_triangle[tree_item(child)] : r->of_node[child];
            region = k == 0 || own == region ? own : FLAT_NONE;
            if (region == FLAT_NONE)
                break;
        }
        r->of_node[i] = region;
    }
}

/* Finds the region of each triangle, FLAT_NONE for those that are not interior. Whether one is. */
static bool find_regions(region_growth *g)
{
    const uint32_t count = g->m->element_count;
    bool any = false;
    link_corners(g->m, &g->lists);
    for (uint32_t i = 0; i < count; i++) {
        g->region[i] = FLAT_NONE;
        g->neighbours[i] = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (g->region[i] == FLAT_NONE)
            grow(g, i);
    for (uint32_t i = 0; i < count; i++) {
        any = any || g->neighbours[i] == 3;
        g->region[i] = g->neighbours[i] == 3 ? g->region[i] : FLAT_NONE;
    }
    return any;
}

bool tact_flat_regions_find(flat_regions *r, const mesh *m, const tact_allocator *allocator)
{
    *r = (flat_regions){.triangle_count = m->element_count, .node_count = m->tree.node_count, .points = m->vertices};
    if (m->element_count < FLAT_MIN_TRIANGLES)
        return true;
    const size_t triangles = m->element_count;
    region_growth g = {.m = m, .tolerance = FLAT_TOLERANCE * m->bounding_radius};
    g.lists.first = tact_memory_allocate(allocator, m->vertex_count, sizeof *g.lists.first);
    g.lists.next = tact_memory_allocate(allocator, 3 * triangles, sizeof *g.lists.next);
    g.queue = tact_memory_allocate(allocator, triangles, sizeof *g.queue);
    g.neighbours = tact_memory_allocate(allocator, triangles, 1);
    g.region = r->of_triangle = tact_memory_allocate(allocator, triangles, sizeof *r->of_triangle);
    bool good =
        g.lists.first != NULL && g.lists.next != NULL && g.queue != NULL && g.neighbours != NULL && g.region != NULL;
    const bool any = good && find_regions(&g);
    if (any) {
        r->of_node = tact_memory_allocate(allocator, m->tree.node_count, sizeof *r->of_node);
        good = r->of_node != NULL;
    }
    tact_memory_free(allocator, g.lists.first, m->vertex_count, sizeof *g.lists.first);
    tact_memory_free(allocator, g.lists.next, 3 * triangles, sizeof *g.lists.next);
    tact_memory_free(allocator, g.queue, triangles, sizeof *g.queue);
    tact_memory_free(allocator, g.neighbours, triangles, 1);
    if (good && any)
        mark_nodes(r, &m->tree);
    else
        tact_flat_regions_release(r, allocator);
    return good;
}

void tact_flat_regions_release(flat_regions *r, const tact_allocator *allocator)
{
    tact_memory_free(allocator, r->of_triangle, r->triangle_count, sizeof *r->of_triangle);
    tact_memory_free(allocator, r->of_node, r->node_count, sizeof *r->of_node);
    r->of_triangle = r->of_node = NULL;
}
