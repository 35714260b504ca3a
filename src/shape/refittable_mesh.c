/*
 * Refittable meshes: the tree and the bounding radius follow the vertices.
 *
 * Guarantee: after a refit, boxes are tight, and the tree is valid whether or not it was rebuilt. Cost: proportional to
 * what is touched. (Van den Bergen 1999, 5.2.5, refits all nodes in one pass; where little changes we update the path
 * from each element to the root instead.) The quality of the tree is tested whenever as many elements have been
 * refitted as there are, so that the test costs little.
 *
 * Connected components are by index alone: vertices that happen to coincide may separate. A mesh whose triangles share
 * no vertices then has as many components as triangles, and containment is tested for each.
 */
#include "shape/refittable_mesh.h"

#include <string.h>

#include "core/memory.h"
#include "math/fp_environment.h"
#include "shape/mesh_edit.h"

bool tact_vertex_adjacency_make(vertex_adjacency *adjacency, const mesh *m, const tact_allocator *allocator)
{
    *adjacency = (vertex_adjacency){.vertex_count = m->vertex_count,
                                    .index_count = m->index_count,
                                    .mark_count = m->first_index != NULL ? m->element_count : 0};
    adjacency->first_element =
        tact_memory_allocate(allocator, (size_t)m->vertex_count + 2, sizeof *adjacency->first_element);
    adjacency->elements = tact_memory_allocate(allocator, (size_t)m->index_count + 1, sizeof *adjacency->elements);
    if (adjacency->mark_count > 0)
        adjacency->marks = tact_memory_allocate(allocator, adjacency->mark_count, sizeof *adjacency->marks);
    if (adjacency->first_element == NULL || adjacency->elements == NULL ||
        (adjacency->mark_count > 0 && adjacency->marks == NULL)) {
        tact_vertex_adjacency_release(adjacency, allocator);
        return false;
    }
    for (uint32_t i = 0; i < adjacency->mark_count; i++)
        adjacency->marks[i] = false;
    /* counted two entries later, so that first_element[i + 1] is where the next element of vertex i goes, and in the
     * end one past its last */
    memset(adjacency->first_element, 0, ((size_t)m->vertex_count + 2) * sizeof *adjacency->first_element);
    for (uint32_t i = 0; i < m->index_count; i++)
        adjacency->first_element[m->indices[i] + 2]++;
    for (uint32_t i = 2; i < m->vertex_count + 2; i++)
        adjacency->first_element[i] += adjacency->first_element[i - 1];
    for (uint32_t element = 0; element < m->element_count; element++) {
        const uint32_t first = m->first_index != NULL ? m->first_index[element] : 3 * element;
        const uint32_t end = m->first_index != NULL ? m->first_index[element + 1] : first + 3;
        for (uint32_t i = first; i < end; i++)
            adjacency->elements[adjacency->first_element[m->indices[i] + 1]++] = element;
    }
    return true;
}

void tact_vertex_adjacency_release(vertex_adjacency *adjacency, const tact_allocator *allocator)
{
    tact_mesh_edit_free(adjacency->edit, allocator);
    tact_memory_free(allocator, adjacency->first_element, (size_t)adjacency->vertex_count + 2,
                     sizeof *adjacency->first_element);
    tact_memory_free(allocator, adjacency->elements, (size_t)adjacency->index_count + 1, sizeof *adjacency->elements);
    tact_memory_free(allocator, adjacency->marks, adjacency->mark_count, sizeof *adjacency->marks);
    *adjacency = (vertex_adjacency){0};
}

/* ---- creation ---- */

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
    tact_shape *copy = tact_shape_allocate(shape->type, shape->margin, allocator, NULL);
    mesh *m = copy != NULL ? tact_memory_allocate(allocator, 1, sizeof *m) : NULL;
    if (m == NULL) {
        if (copy != NULL)
            tact_shape_deallocate(copy);
        return NULL;
    }
    copy->mesh = m;
    copy->bounding_radius = shape->bounding_radius;
    copy->surface_error = shape->surface_error;
    *m = *from;
    m->edited = false;
    m->component_excess = 0;
    m->vertices = NULL;
    m->hulls = NULL;
    m->component_seeds = NULL;
    m->component_count = 0;
    m->tree = (aabb_tree){.allocator = *allocator};
    m->overlay = (obb_overlay){.allocator = *allocator}; /* none: it would not follow the vertices */
    m->flat = (flat_regions){0};
    m->refit_count = 0;
    m->vertex_capacity = m->element_capacity = 0; /* shared arrays are not owned */
    m->refittable = true;
    m->original = tact_shape_retain(from->original != NULL ? from->original : shape);
    if (fill(m, from, allocator))
        return copy;
    tact_shape_release(copy);
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

tact_status tact_refittable_mesh_assign(tact_shape *copy, const tact_shape *source, uint64_t refit_count)
{
    mesh *m = copy->mesh;
    aabb_tree tree;
    if (!same_faces(copy, source))
        return TACT_BAD_ARGUMENT;
    if (tact_aabb_tree_copy(&tree, &source->mesh->tree, &m->tree.allocator) != TACT_OK)
        return TACT_OUT_OF_MEMORY;
    tact_aabb_tree_release(&m->tree);
    m->tree = tree;
    memcpy(m->vertices, source->mesh->vertices, m->vertex_count * sizeof *m->vertices);
    for (uint32_t i = 0; m->hulls != NULL && i < m->element_count; i++) {
        tact_shape *old = m->hulls[i];
        m->hulls[i] = tact_shape_retain(source->mesh->hulls[i]);
        tact_shape_release(old);
    }
    copy->bounding_radius = m->bounding_radius = source->bounding_radius;
    m->refit_count = refit_count;
    return TACT_OK;
}

/* ---- refit ---- */

/* False if memory is out: the old tree stays valid, and is tested again later. */
static bool replace_degraded_tree(mesh *m, box *boxes)
{
    aabb_tree_def def = aabb_tree_def_default();
    aabb_tree rebuilt;
    def.parent_links = true;
    def.allocator = m->tree.allocator;
    m->refit_count = 0;
    if (!aabb_tree_needs_rebuild(&m->tree))
        return true;
    tact_mesh_element_boxes(m, boxes);
    if (tact_aabb_tree_build(&rebuilt, boxes, m->element_count, &def) != TACT_OK)
        return false;
    tact_aabb_tree_release(&m->tree);
    m->tree = rebuilt;
    return true;
}

/* The distance of the farthest vertex of a box from the origin. */
static double box_radius(const box *b)
{
    double extent[3];
    for (int i = 0; i < 3; i++)
        extent[i] = max_double(fabs((double)b->min[i]), fabs((double)b->max[i]));
    return vec_length_safe(vec_make(extent[0], extent[1], extent[2])) * MESH_RADIUS_ROUNDING;
}

/* A vertex that was the farthest may have come nearer. The box of the tree bounds all vertices, so that the others need
 * not be read, except where it is infinite, beyond the range of floats. */
static void update_bounding_radius(tact_shape *copy, const vertex_range *ranges, size_t count)
{
    mesh *m = copy->mesh;
    bool all = false;
    double radius = 0.0;
    for (size_t i = 0; i < count; i++) {
        radius = max_double(
            radius, tact_points_bounding_radius(m->vertices + ranges[i].first, ranges[i].end - ranges[i].first));
        all = all || (ranges[i].first == 0 && ranges[i].end == m->vertex_count);
    }
    if (!all) {
        const double bound = box_radius(&m->tree.root_box);
        radius = max_double(radius, m->bounding_radius);
        radius = bound < radius     ? bound
                 : bound < INFINITY ? radius
                                    : tact_points_bounding_radius(m->vertices, m->vertex_count);
    }
    copy->bounding_radius = m->bounding_radius = radius;
}

/* Does a triangle have a vertex in the range before `vertex`? Then it is done already: each triangle is refitted once.
 */
static inline bool is_done(const mesh *m, uint32_t element, uint32_t first, uint32_t vertex)
{
    const uint32_t *vertices = m->indices + 3 * (size_t)element;
    return vertices[0] - first < vertex - first || vertices[1] - first < vertex - first ||
           vertices[2] - first < vertex - first;
}

/* Refits `count` triangles, at most MESH_REFIT_BATCH. */
static void refit_batch(mesh *m, const uint32_t *elements, uint32_t count)
{
    uint32_t indices[MESH_REFIT_BATCH][3];
    box fitted[MESH_REFIT_BATCH];
    for (uint32_t i = 0; i < count; i++)
        memcpy(indices[i], m->indices + 3 * (size_t)elements[i], sizeof indices[i]);
    tact_boxes_of_triangles(m->vertices, (const uint32_t(*)[3])indices, count, fitted);
    for (uint32_t i = 0; i < count; i++)
        tact_aabb_tree_refit_one(&m->tree, elements[i], &fitted[i]);
}

static void refit_triangles(mesh *m, const vertex_adjacency *adjacency, vertex_range range)
{
    uint32_t elements[MESH_REFIT_BATCH], count = 0;
    for (uint32_t vertex = range.first; vertex < range.end; vertex++)
        for (uint32_t k = adjacency->first_element[vertex]; k < adjacency->first_element[vertex + 1]; k++) {
            if (is_done(m, adjacency->elements[k], range.first, vertex))
                continue;
            if (count == MESH_REFIT_BATCH) {
                refit_batch(m, elements, count);
                count = 0;
            }
            elements[count++] = adjacency->elements[k];
        }
    if (count > 0) /* a call for no boxes at all costs time too */
        refit_batch(m, elements, count);
}

/* The same for an edited mesh. */
static void refit_edited(mesh *m, const mesh_edit *edit, vertex_range range)
{
    uint32_t elements[MESH_REFIT_BATCH], count = 0;
    for (uint32_t vertex = range.first; vertex < range.end; vertex++)
        for (uint32_t k = edit->first_corner[vertex]; k != MESH_EDIT_NONE; k = edit->next_corner[k]) {
            if (is_done(m, k / 3, range.first, vertex))
                continue;
            if (count == MESH_REFIT_BATCH) {
                refit_batch(m, elements, count);
                count = 0;
            }
            elements[count++] = k / 3;
        }
    if (count > 0)
        refit_batch(m, elements, count);
}

/* Marks the parts with a vertex in the range; returns how many were not marked before. */
static uint32_t mark_parts(vertex_adjacency *adjacency, vertex_range range)
{
    uint32_t environment = 0;
    for (uint32_t k = adjacency->first_element[range.first]; k < adjacency->first_element[range.end]; k++) {
        bool *mark = &adjacency->marks[adjacency->elements[k]];
        environment += !*mark;
        *mark = true;
    }
    return environment;
}

/* Clears the marks. If `refit`, each part that was marked is refitted, once however many of its vertices changed. */
static void unmark_parts(mesh *m, vertex_adjacency *adjacency, vertex_range range, bool refit)
{
    const fp_environment environment = fp_environment_enter();
    for (uint32_t k = adjacency->first_element[range.first]; k < adjacency->first_element[range.end]; k++) {
        const uint32_t part = adjacency->elements[k];
        if (!adjacency->marks[part])
            continue;
        adjacency->marks[part] = false;
        if (refit) {
            const box b = tact_soup_part_box(m, part);
            tact_aabb_tree_refit_one(&m->tree, part, &b);
        }
    }
    fp_environment_leave(environment);
}

bool tact_refittable_mesh_refit(tact_shape *copy, vertex_adjacency *adjacency, const vertex_range *ranges, size_t count,
                                box *boxes)
{
    mesh *m = copy->mesh;
    const bool soup = adjacency->marks != NULL, edited = adjacency->edit != NULL;
    size_t touched = 0;
    for (size_t i = 0; i < count; i++)
        touched += soup     ? mark_parts(adjacency, ranges[i])
                   : edited ? (size_t)MESH_EDIT_VALENCE * (ranges[i].end - ranges[i].first)
                            : adjacency->first_element[ranges[i].end] - adjacency->first_element[ranges[i].first];
    touched /= soup ? 1 : 3; /* in a mesh most were counted with each vertex */
    const bool refit_all = touched > m->element_count / MESH_REFIT_ALL_RATIO;
    for (size_t i = 0; i < count; i++)
        if (soup)
            unmark_parts(m, adjacency, ranges[i], !refit_all);
        else if (!refit_all && edited)
            refit_edited(m, adjacency->edit, ranges[i]);
        else if (!refit_all)
            refit_triangles(m, adjacency, ranges[i]);
    if (refit_all) {
        tact_mesh_element_boxes(m, boxes);
        tact_aabb_tree_refit(&m->tree, boxes);
        touched = m->element_count;
    }
    update_bounding_radius(copy, ranges, count);
    return tact_refittable_mesh_maintain(copy, touched, boxes);
}

bool tact_refittable_mesh_maintain(tact_shape *copy, size_t touched, box *boxes)
{
    mesh *m = copy->mesh;
    m->refit_count += touched;
    return m->refit_count < m->element_count || replace_degraded_tree(m, boxes);
}
