/*
 * Nesting of connected components. A component whose faces intersect no face of the other mesh lies wholly inside or
 * wholly outside of it. So one of its points decides, by the exact crossing parity of exact/parity.h.
 *
 * Without intersections the mesh itself knows a triangle of each component. Otherwise its vertices are labelled by
 * component: faces that share a vertex, by index or by position, belong to one component. Cost: a ray a component; O(n)
 * and about 30 bytes a vertex for the labels.
 */
#include "nesting.h"

#include <stdlib.h>

#include "complex/complex_query.h"
#include "complex/traversal.h"
#include "core/union_find.h"
#include "exact/parity.h"

/* The component of each vertex, as a union-find array of tact_mesh_unite_components; NULL if memory runs out. */
static uint32_t *components_label(const mesh *m)
{
    const tact_allocator standard = {NULL, NULL};
    uint32_t *label = malloc(m->vertex_count * sizeof *label);
    if (label == NULL || tact_mesh_unite_components(m, true, label, &standard))
        return label;
    free(label);
    return NULL;
}

static bool component_is_inside(const mesh *m, uint32_t triangle, const instance *outer)
{
    return tact_solid_holds(outer, m->vertices[m->indices[3 * (size_t)triangle]]);
}

/* Marks the components with a face in `pairs`, by the root of their label. */
static void intersecting_mark(const mesh *m, uint32_t *label, const face_pairs *pairs, bool inner_second,
                              unsigned char *intersects)
{
    unsigned char *faces = intersects + m->vertex_count;
    for (size_t i = 0; i < pairs->count; i++)
        faces[inner_second ? pairs->items[i].b : pairs->items[i].a] = 1;
    for (uint32_t i = 0; i < m->element_count; i++)
        if (faces[mesh_face(m, i)])
            intersects[union_find_root(label, m->indices[3 * (size_t)i])] = 1;
}

tact_status tact_nesting_count(const tact_shape *inner, const tact_shape *outer, const face_pairs *pairs,
                               bool inner_second, size_t *inside)
{
    const mesh *m = inner->mesh;
    const tact_transform identity = tact_identity();
    instance outer_instance;
    *inside = 0;
    if (tact_instance_make(&outer_instance, outer, &identity) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (pairs->count > 0 && m->component_count <= 1)
        return TACT_OK;
    uint32_t *label = NULL;
    unsigned char *intersects = NULL; /* by vertex that is a root, then by face */
    if (pairs->count > 0) {
        label = components_label(m);
        intersects = calloc((size_t)m->vertex_count + m->face_count, 1);
        if (label == NULL || intersects == NULL) {
            free(label);
            free(intersects);
            return TACT_OUT_OF_MEMORY;
        }
        intersecting_mark(m, label, pairs, inner_second, intersects);
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        const uint32_t triangle = m->component_seeds[i];
        const bool separate =
            intersects == NULL || !intersects[union_find_root(label, m->indices[3 * (size_t)triangle])];
        *inside += separate && component_is_inside(m, triangle, &outer_instance);
    }
    free(label);
    free(intersects);
    return TACT_OK;
}

/* ---- inside other components of the same mesh ---- */

/* A ray from a vertex of a component, and the triangles of other components that it crosses. */
typedef struct nesting_query {
    const mesh *mesh;
    uint32_t *label;
    tact_vec3 point;
    uint32_t own_label;
    uint32_t *crossed_labels; /* the label of each crossed triangle */
    size_t count, capacity;
    bool on_surface; /* the vertex lies on another component */
    tact_status status;
} nesting_query;

static double crossing_count(void *context, uint32_t triangle, double limit)
{
    nesting_query *s = context;
    const uint32_t *indices = s->mesh->indices + 3 * (size_t)triangle, label = union_find_root(s->label, indices[0]);
    const tact_vec3 *v = s->mesh->vertices, vertex[3] = {v[indices[0]], v[indices[1]], v[indices[2]]};
    parity_count count = {0, 0};
    if (label == s->own_label)
        return limit;
    s->on_surface = !tact_parity_add(&count, vertex, s->point, 0);
    if (s->on_surface)
        return -1.0;
    if (count.crossings == 0)
        return limit;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 16;
        uint32_t *crossed_labels = realloc(s->crossed_labels, capacity * sizeof *crossed_labels);
        if (crossed_labels == NULL) {
            s->status = TACT_OUT_OF_MEMORY;
            return -1.0;
        }
        s->crossed_labels = crossed_labels;
        s->capacity = capacity;
    }
    s->crossed_labels[s->count++] = label;
    return limit;
}

static int by_label(const void *left, const void *right)
{
    uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
    return (l > r) - (l < r);
}

/* True if the component of a triangle lies inside another component. */
static bool is_nested(nesting_query *s, uint32_t triangle)
{
    const tact_transform identity = tact_identity();
    const tact_vec3 along_x = {1.0, 0.0, 0.0};
    const uint32_t vertex = s->mesh->indices[3 * (size_t)triangle];
    s->point = s->mesh->vertices[vertex];
    s->own_label = union_find_root(s->label, vertex);
    s->count = 0;
    s->on_surface = false;
    (void)tact_aabb_tree_ray(&s->mesh->tree, &identity, s->point, along_x, INFINITY, crossing_count, s);
    if (s->on_surface || s->count == 0 || s->status != TACT_OK)
        return false;
    qsort(s->crossed_labels, s->count, sizeof *s->crossed_labels, by_label);
    for (size_t i = 0, next; i < s->count; i = next) {
        for (next = i + 1; next < s->count && s->crossed_labels[next] == s->crossed_labels[i]; next++)
            continue;
        if ((next - i) % 2 != 0)
            return true;
    }
    return false;
}

/* Marks the components that intersect another component, by the root of their label. */
static void intersecting_components_mark(const mesh *m, uint32_t *label, const face_pairs *pairs, uint32_t *face_label,
                                         unsigned char *intersects)
{
    for (uint32_t i = 0; i < m->element_count; i++)
        face_label[mesh_face(m, i)] = union_find_root(label, m->indices[3 * (size_t)i]);
    for (size_t i = 0; i < pairs->count; i++) {
        const uint32_t a = face_label[pairs->items[i].a], b = face_label[pairs->items[i].b];
        if (a != b)
            intersects[a] = intersects[b] = 1;
    }
}

tact_status tact_nesting_count_own(const tact_shape *shape, const face_pairs *pairs, size_t *inside)
{
    const mesh *m = shape->mesh;
    *inside = 0;
    if (m->component_count <= 1)
        return TACT_OK;
    uint32_t *face_label = malloc(m->face_count * sizeof *face_label);
    unsigned char *intersects = calloc(m->vertex_count, 1);
    nesting_query s = {.mesh = m, .label = components_label(m), .status = TACT_OK};
    if (s.label == NULL || face_label == NULL || intersects == NULL) {
        s.status = TACT_OUT_OF_MEMORY;
    } else {
        intersecting_components_mark(m, s.label, pairs, face_label, intersects);
        for (uint32_t i = 0; i < m->component_count && s.status == TACT_OK; i++)
            *inside += !intersects[union_find_root(s.label, m->indices[3 * (size_t)m->component_seeds[i]])] &&
                       is_nested(&s, m->component_seeds[i]);
    }
    free(s.label);
    free(s.crossed_labels);
    free(face_label);
    free(intersects);
    return s.status;
}
