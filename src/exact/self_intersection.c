/*
 * Self-intersections of a mesh: see self_intersection.h.
 *
 * The tree is traversed against itself (tree/aabb_pairs.c). Triangles that share a vertex always have overlapping
 * boxes, so a triangle of a regular mesh is tested with its twelve neighbours at least. A floating-point filter decides
 * nearly all of these (exact/triangle.c).
 */
#include "exact/self_intersection.h"

#include "exact/triangle.h"

typedef struct self_intersection_search {
    const mesh *mesh;
    tree_visit_pair *visit;
    void *context;
    uint32_t loaded; /* the triangle whose vertices are in `a`; consecutive pairs often share it */
    tact_vec3 a[3];
} self_intersection_search;

static void load_vertices(const mesh *m, uint32_t triangle, tact_vec3 vertex[3])
{
    for (size_t k = 0; k < 3; k++)
        vertex[k] = m->vertices[m->indices[3 * (size_t)triangle + k]];
}

static bool test_triangle_pair(void *context, uint32_t i, uint32_t j)
{
    self_intersection_search *s = context;
    tact_vec3 b[3];
    if (i != s->loaded)
        load_vertices(s->mesh, s->loaded = i, s->a);
    load_vertices(s->mesh, j, b);
    const triangle_shared shared = tact_triangle_shared_by_position(s->a, b);
    return !tact_triangles_intersect_beyond_shared(s->a, b, &shared) || s->visit(s->context, i, j);
}

bool tact_mesh_self_intersections(const mesh *m, tree_visit_pair *visit, void *context)
{
    self_intersection_search s = {.mesh = m, .visit = visit, .context = context, .loaded = UINT32_MAX};
    return tact_aabb_tree_self_pairs(&m->tree, test_triangle_pair, &s);
}

static bool stop_at_first(void *context, uint32_t i, uint32_t j)
{
    uint32_t *triangles = context;
    triangles[0] = i < j ? i : j;
    triangles[1] = i < j ? j : i;
    return false;
}

bool tact_mesh_find_self_intersection(const mesh *m, uint32_t triangles[2])
{
    return !tact_mesh_self_intersections(m, stop_at_first, triangles);
}
