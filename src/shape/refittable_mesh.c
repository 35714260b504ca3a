/*
 * Meshes that deform: what depends on vertices follows them.
 *
 * Guarantee: after a refit, boxes are the smallest ones, and the tree is right whether or not it was built anew. Cost:
 * in proportion to what is touched (van den Bergen's thesis, section 5.2.5, has one sweep over all; where little
 * changes we go up from each element instead). The tree is looked over for wear whenever as many elements have been
 * refitted as there are, so that the look costs little of it.
 *
 * Connected parts are those by number alone: vertices that happen to be at one place may part. A mesh whose triangles
 * share no vertices then has as many parts as triangles, and "is it inside that solid?" is asked of each.
 */
#include "shape/refittable_mesh.h"

#include <float.h>
#include <string.h>

#include "core/memory.h"
#include "math/fp_environment.h"
#include "shape/mesh_edit.h"

/* A triangle on its own, its box and the way up, costs some 45 ns; one in a sweep over all some 8: from one part in so
 * many on, all is swept. (Pieces of soups: 60 to 100, and 27 to 41.) A sweep counts as refitting all: another number
 * here changes when a worn tree is built anew, hence the order of contacts, and records made before might not replay.
 */
#define SWEEP_PART 6u

/* Touched triangles whose boxes are found together: a call for them has its price. */
#define TOGETHER 32u

/* Triangles that a vertex of a mesh whose faces change is taken to have: they are not counted. */
#define TORN_CORNERS 6u

bool tact_vertex_adjacency_make(vertex_adjacency *links, const mesh *m, const tact_allocator *allocator)
{
    *links = (vertex_adjacency){.vertex_count = m->vertex_count,
                                .index_count = m->index_count,
                                .mark_count = m->first_index != NULL ? m->element_count : 0};
    links->first_element = tact_memory_allocate(allocator, (size_t)m->vertex_count + 2, sizeof *links->first_element);
    links->elements = tact_memory_allocate(allocator, (size_t)m->index_count + 1, sizeof *links->elements);
    if (links->mark_count > 0)
        links->marks = tact_memory_allocate(allocator, links->mark_count, sizeof *links->marks);
    if (links->first_element == NULL || links->elements == NULL || (links->mark_count > 0 && links->marks == NULL)) {
        tact_vertex_adjacency_release(links, allocator);
        return false;
    }
    for (uint32_t i = 0; i < links->mark_count; i++)
        links->marks[i] = false;
    /* counted two places later, so that start[i + 1] is where the next element of vertex i goes, and its end at last */
    memset(links->first_element, 0, ((size_t)m->vertex_count + 2) * sizeof *links->first_element);
    for (uint32_t i = 0; i < m->index_count; i++)
        links->first_element[m->indices[i] + 2]++;
    for (uint32_t i = 2; i < m->vertex_count + 2; i++)
        links->first_element[i] += links->first_element[i - 1];
    for (uint32_t element = 0; element < m->element_count; element++) {
        const uint32_t first = m->first_index != NULL ? m->first_index[element] : 3 * element;
        const uint32_t end = m->first_index != NULL ? m->first_index[element + 1] : first + 3;
        for (uint32_t i = first; i < end; i++)
            links->elements[links->first_element[m->indices[i] + 1]++] = element;
    }
    return true;
}

void tact_vertex_adjacency_release(vertex_adjacency *links, const tact_allocator *allocator)
{
    tact_mesh_edit_free(links->edit, allocator);
    tact_memory_free(allocator, links->first_element, (size_t)links->vertex_count + 2, sizeof *links->first_element);
    tact_memory_free(allocator, links->elements, (size_t)links->index_count + 1, sizeof *links->elements);
    tact_memory_free(allocator, links->marks, links->mark_count, sizeof *links->marks);
    *links = (vertex_adjacency){0};
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool fill(mesh *m, const mesh *from, const tact_allocator *allocator)
{
    m->vertices = tact_memory_allocate(allocator, from->vertex_count > 0 ? from->vertex_count : 1, sizeof *m->vertices);
    if (m->vertices == NULL || tact_aabb_tree_copy(&m->tree, &from->tree, allocator) != TACT_OK)
        return false;
    memcpy(m->vertices, from->vertices, from->vertex_count * sizeof *m->vertices);
    if (m->first_index == NULL)
        return tact_mesh_find_components(m, false, allocator);
    if (from->hulls == NULL)
        return true;
    m->hulls = tact_memory_allocate(allocator, from->element_count, sizeof(tact_shape *));
    for (uint32_t i = 0; m->hulls != NULL && i < from->element_count; i++)
        m->hulls[i] = tact_shape_retain(from->hulls[i]);
    return m->hulls != NULL;
}

tact_shape *tact_refittable_mesh_create(const tact_shape *shape, const tact_allocator *allocator)
{
    const mesh *from = shape->mesh;
    tact_shape *twin = tact_shape_allocate(shape->type, shape->margin, allocator, NULL);
    mesh *m = twin != NULL ? tact_memory_allocate(allocator, 1, sizeof *m) : NULL;
    if (m == NULL) {
        if (twin != NULL)
            tact_shape_deallocate(twin);
        return NULL;
    }
    twin->mesh = m;
    twin->bounding_radius = shape->bounding_radius;
    *m = *from;
    m->edited = false;
    m->component_excess = 0;
    m->vertices = NULL;
    m->hulls = NULL;
    m->component_seeds = NULL;
    m->component_count = 0;
    m->tree = (aabb_tree){.allocator = *allocator};
    m->cover = (obb_overlay){.allocator = *allocator}; /* none: it would not follow the vertices */
    m->refit_count = 0;
    m->vertex_capacity = m->element_capacity = 0; /* what it shares is not its own */
    m->refittable = true;
    m->original = tact_shape_retain(from->original != NULL ? from->original : shape);
    if (fill(m, from, allocator))
        return twin;
    tact_shape_release(twin);
    return NULL;
}

static bool same_faces(const tact_shape *a, const tact_shape *b)
{
    const mesh *m = a->mesh, *n = b->mesh;
    return n != NULL && a->type == b->type && m->vertex_count == n->vertex_count &&
           m->element_count == n->element_count && m->index_count == n->index_count &&
           memcmp(m->indices, n->indices, m->index_count * sizeof *m->indices) == 0 &&
           (m->first_index == NULL ||
            memcmp(m->first_index, n->first_index, ((size_t)m->element_count + 1) * sizeof *m->first_index) == 0);
}

tact_status tact_refittable_mesh_assign(tact_shape *twin, const tact_shape *like, uint64_t refitted)
{
    mesh *m = twin->mesh;
    aabb_tree tree;
    if (!same_faces(twin, like))
        return TACT_BAD_ARGUMENT;
    if (tact_aabb_tree_copy(&tree, &like->mesh->tree, &m->tree.allocator) != TACT_OK)
        return TACT_OUT_OF_MEMORY;
    tact_aabb_tree_release(&m->tree);
    m->tree = tree;
    memcpy(m->vertices, like->mesh->vertices, m->vertex_count * sizeof *m->vertices);
    for (uint32_t i = 0; m->hulls != NULL && i < m->element_count; i++) {
        tact_shape *old = m->hulls[i];
        m->hulls[i] = tact_shape_retain(like->mesh->hulls[i]);
        tact_shape_release(old);
    }
    twin->bounding_radius = m->bounding_radius = like->bounding_radius;
    m->refit_count = refitted;
    return TACT_OK;
}

/* ---- following the vertices -------------------------------------------------------------------------------------- */

/* False if there is no memory for a new one: the old one will do, and is looked at again later. */
static bool replace_worn_tree(mesh *m, box *boxes)
{
    aabb_tree_def def = aabb_tree_def_default();
    aabb_tree anew;
    def.parent_links = true;
    def.allocator = m->tree.allocator;
    m->refit_count = 0;
    if (!aabb_tree_needs_rebuild(&m->tree))
        return true;
    tact_mesh_element_boxes(m, boxes);
    if (tact_aabb_tree_build(&anew, boxes, m->element_count, &def) != TACT_OK)
        return false;
    tact_aabb_tree_release(&m->tree);
    m->tree = anew;
    return true;
}

/* The farthest corner of a box. */
static double box_reach(const box *b)
{
    double side[3];
    for (int i = 0; i < 3; i++)
        side[i] = max_double(fabs((double)b->min[i]), fabs((double)b->max[i]));
    return vec_length_safe(vec_make(side[0], side[1], side[2])) * (1.0 + 4.0 * DBL_EPSILON);
}

/* A vertex that was the farthest may have come nearer; how near all are then is told by the box around them alone, so
 * that the others need not be looked at; only beyond the floats, where boxes tell nothing, they are. */
static void update_reach(tact_shape *twin, const vertex_range *ranges, size_t count)
{
    mesh *m = twin->mesh;
    bool all = false;
    double reach = 0.0;
    for (size_t i = 0; i < count; i++) {
        reach = max_double(reach,
                           tact_points_bounding_radius(m->vertices + ranges[i].first, ranges[i].end - ranges[i].first));
        all = all || (ranges[i].first == 0 && ranges[i].end == m->vertex_count);
    }
    if (!all) {
        const double around = box_reach(&m->tree.root_box);
        reach = max_double(reach, m->bounding_radius);
        reach = around < reach      ? around
                : around < INFINITY ? reach
                                    : tact_points_bounding_radius(m->vertices, m->vertex_count);
    }
    twin->bounding_radius = m->bounding_radius = reach;
}

/* Whether a triangle has a corner in the range before `vertex`, with which it has been dealt with already: so each is
 * done once and not three times. */
static inline bool is_done(const mesh *m, uint32_t element, uint32_t first, uint32_t vertex)
{
    const uint32_t *corner = m->indices + 3 * (size_t)element;
    return corner[0] - first < vertex - first || corner[1] - first < vertex - first ||
           corner[2] - first < vertex - first;
}

/* `count` triangles, at most TOGETHER. */
static void refit_these(mesh *m, const uint32_t *elements, uint32_t count)
{
    uint32_t corners[TOGETHER][3];
    box fitted[TOGETHER];
    for (uint32_t i = 0; i < count; i++)
        memcpy(corners[i], m->indices + 3 * (size_t)elements[i], sizeof corners[i]);
    tact_boxes_of_triangles(m->vertices, (const uint32_t(*)[3])corners, count, fitted);
    for (uint32_t i = 0; i < count; i++)
        tact_aabb_tree_refit_one(&m->tree, elements[i], &fitted[i]);
}

static void refit_triangles(mesh *m, const vertex_adjacency *links, vertex_range range)
{
    uint32_t elements[TOGETHER], count = 0;
    for (uint32_t vertex = range.first; vertex < range.end; vertex++)
        for (uint32_t k = links->first_element[vertex]; k < links->first_element[vertex + 1]; k++) {
            if (is_done(m, links->elements[k], range.first, vertex))
                continue;
            if (count == TOGETHER) {
                refit_these(m, elements, count);
                count = 0;
            }
            elements[count++] = links->elements[k];
        }
    if (count > 0) /* not vertices of no triangle: a call for boxes has its price */
        refit_these(m, elements, count);
}

/* The same where faces change. */
static void refit_torn(mesh *m, const mesh_edit *t, vertex_range range)
{
    uint32_t elements[TOGETHER], count = 0;
    for (uint32_t vertex = range.first; vertex < range.end; vertex++)
        for (uint32_t k = t->first_corner[vertex]; k != MESH_EDIT_NONE; k = t->next_corner[k]) {
            if (is_done(m, k / 3, range.first, vertex))
                continue;
            if (count == TOGETHER) {
                refit_these(m, elements, count);
                count = 0;
            }
            elements[count++] = k / 3;
        }
    if (count > 0)
        refit_these(m, elements, count);
}

/* Marks the pieces with a corner in the range; returns how many had no mark before. */
static uint32_t mark_pieces(vertex_adjacency *links, vertex_range range)
{
    uint32_t found = 0;
    for (uint32_t k = links->first_element[range.first]; k < links->first_element[range.end]; k++) {
        bool *mark = &links->marks[links->elements[k]];
        found += !*mark;
        *mark = true;
    }
    return found;
}

/* Takes the marks away again; on the way each piece that had one is refitted, once however many corners it has, if
 * `refit` says so. */
static void unmark_pieces(mesh *m, vertex_adjacency *links, vertex_range range, bool refit)
{
    const fp_environment found = fp_environment_enter();
    for (uint32_t k = links->first_element[range.first]; k < links->first_element[range.end]; k++) {
        const uint32_t piece = links->elements[k];
        if (!links->marks[piece])
            continue;
        links->marks[piece] = false;
        if (refit) {
            const box b = tact_soup_part_box(m, piece);
            tact_aabb_tree_refit_one(&m->tree, piece, &b);
        }
    }
    fp_environment_leave(found);
}

bool tact_refittable_mesh_refit(tact_shape *twin, vertex_adjacency *links, const vertex_range *ranges, size_t count,
                                box *boxes)
{
    mesh *m = twin->mesh;
    const bool soup = links->marks != NULL, torn = links->edit != NULL;
    size_t touched = 0;
    for (size_t i = 0; i < count; i++)
        touched += soup   ? mark_pieces(links, ranges[i])
                   : torn ? (size_t)TORN_CORNERS * (ranges[i].end - ranges[i].first)
                          : links->first_element[ranges[i].end] - links->first_element[ranges[i].first];
    touched /= soup ? 1 : 3; /* in a mesh, most were counted with each corner */
    const bool sweep = touched > m->element_count / SWEEP_PART;
    for (size_t i = 0; i < count; i++)
        if (soup)
            unmark_pieces(m, links, ranges[i], !sweep);
        else if (!sweep && torn)
            refit_torn(m, links->edit, ranges[i]);
        else if (!sweep)
            refit_triangles(m, links, ranges[i]);
    if (sweep) {
        tact_mesh_element_boxes(m, boxes);
        tact_aabb_tree_refit(&m->tree, boxes);
        touched = m->element_count;
    }
    update_reach(twin, ranges, count);
    return tact_refittable_mesh_maintain(twin, touched, boxes);
}

bool tact_refittable_mesh_maintain(tact_shape *twin, size_t touched, box *boxes)
{
    mesh *m = twin->mesh;
    m->refit_count += touched;
    return m->refit_count < m->element_count || replace_worn_tree(m, boxes);
}
