/*
 * Nesting: a connected part whose faces meet no face of the other mesh is wholly inside or wholly outside of it, so
 * that one of its points decides, and the exact crossing parity of exact/parity.h decides about the point.
 *
 * Where nothing meets, the mesh knows a triangle of each part. Otherwise its faces are labelled: those that have a
 * vertex in common, by number or by place, are in one part. Cost: a ray a part; for the labels O(n), about 30 bytes a
 * vertex.
 */
#include "nesting.h"

#include <stdlib.h>

#include "complex/complex_query.h"
#include "complex/traversal.h"
#include "core/union_find.h"
#include "exact/parity.h"

/* The parts, as tact_mesh_unite_components tells them; NULL without memory. */
static uint32_t *parts_label(const mesh *m)
{
    const tact_allocator plain = {NULL, NULL};
    uint32_t *label = malloc(m->vertex_count * sizeof *label);
    if (label == NULL || tact_mesh_unite_components(m, true, label, &plain))
        return label;
    free(label);
    return NULL;
}

static bool starts_inside(const mesh *m, uint32_t triangle, const instance *outer)
{
    return tact_solid_holds(outer, m->vertices[m->indices[3 * (size_t)triangle]]);
}

/* Marks, by the root of its label, every part with a face in `met`. */
static void meeting_mark(const mesh *m, uint32_t *label, const face_pairs *met, bool second, unsigned char *meets)
{
    unsigned char *faces = meets + m->vertex_count;
    for (size_t i = 0; i < met->count; i++)
        faces[second ? met->items[i].b : met->items[i].a] = 1;
    for (uint32_t i = 0; i < m->element_count; i++)
        if (faces[mesh_face(m, i)])
            meets[union_find_root(label, m->indices[3 * (size_t)i])] = 1;
}

tact_status tact_nesting_count(const tact_shape *inner, const tact_shape *outer, const face_pairs *met, bool second,
                               size_t *inside)
{
    const mesh *m = inner->mesh;
    const tact_transform here = tact_identity();
    instance around;
    *inside = 0;
    if (tact_instance_make(&around, outer, &here) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (met->count > 0 && m->component_count <= 1)
        return TACT_OK;
    uint32_t *label = NULL;
    unsigned char *meets = NULL; /* of each vertex that is a root, then of each face */
    if (met->count > 0) {
        label = parts_label(m);
        meets = calloc((size_t)m->vertex_count + m->face_count, 1);
        if (label == NULL || meets == NULL) {
            free(label);
            free(meets);
            return TACT_OUT_OF_MEMORY;
        }
        meeting_mark(m, label, met, second, meets);
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        const uint32_t triangle = m->component_seeds[i];
        const bool apart = meets == NULL || !meets[union_find_root(label, m->indices[3 * (size_t)triangle])];
        *inside += apart && starts_inside(m, triangle, &around);
    }
    free(label);
    free(meets);
    return TACT_OK;
}

/* ---- inside other parts of the same mesh ------------------------------------------------------------------------- */

/* A ray from a point of a part, and the other parts that it crosses. */
typedef struct crossing_search {
    const mesh *mesh;
    uint32_t *label;
    tact_vec3 point;
    uint32_t own;
    uint32_t *crossed; /* the label of each triangle that was crossed */
    size_t count, room;
    bool on;
    tact_status status;
} crossing_search;

static double count_crossing(void *context, uint32_t triangle, double limit)
{
    crossing_search *s = context;
    const uint32_t *corners = s->mesh->indices + 3 * (size_t)triangle, label = union_find_root(s->label, corners[0]);
    const tact_vec3 *v = s->mesh->vertices, corner[3] = {v[corners[0]], v[corners[1]], v[corners[2]]};
    parity_count count = {0, 0};
    if (label == s->own)
        return limit;
    s->on = !tact_parity_add(&count, corner, s->point, 0);
    if (s->on)
        return -1.0;
    if (count.crossings == 0)
        return limit;
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 16;
        uint32_t *crossed = realloc(s->crossed, room * sizeof *crossed);
        if (crossed == NULL) {
            s->status = TACT_OUT_OF_MEMORY;
            return -1.0;
        }
        s->crossed = crossed;
        s->room = room;
    }
    s->crossed[s->count++] = label;
    return limit;
}

static int by_label(const void *left, const void *right)
{
    uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
    return (l > r) - (l < r);
}

/* Whether the part of a triangle is inside another one. */
static bool is_nested(crossing_search *s, uint32_t triangle)
{
    const tact_transform here = tact_identity();
    const tact_vec3 along_x = {1.0, 0.0, 0.0};
    const uint32_t corner = s->mesh->indices[3 * (size_t)triangle];
    s->point = s->mesh->vertices[corner];
    s->own = union_find_root(s->label, corner);
    s->count = 0;
    s->on = false;
    (void)tact_aabb_tree_ray(&s->mesh->tree, &here, s->point, along_x, INFINITY, count_crossing, s);
    if (s->on || s->count == 0 || s->status != TACT_OK)
        return false;
    qsort(s->crossed, s->count, sizeof *s->crossed, by_label);
    for (size_t i = 0, next; i < s->count; i = next) {
        for (next = i + 1; next < s->count && s->crossed[next] == s->crossed[i]; next++)
            continue;
        if ((next - i) % 2 != 0)
            return true;
    }
    return false;
}

/* Marks, by the root of its label, every part with a face that meets one of another part. */
static void strangers_mark(const mesh *m, uint32_t *label, const face_pairs *met, uint32_t *face_label,
                           unsigned char *meets)
{
    for (uint32_t i = 0; i < m->element_count; i++)
        face_label[mesh_face(m, i)] = union_find_root(label, m->indices[3 * (size_t)i]);
    for (size_t i = 0; i < met->count; i++) {
        const uint32_t a = face_label[met->items[i].a], b = face_label[met->items[i].b];
        if (a != b)
            meets[a] = meets[b] = 1;
    }
}

tact_status tact_nesting_count_own(const tact_shape *shape, const face_pairs *met, size_t *inside)
{
    const mesh *m = shape->mesh;
    *inside = 0;
    if (m->component_count <= 1)
        return TACT_OK;
    uint32_t *face_label = malloc(m->face_count * sizeof *face_label);
    unsigned char *meets = calloc(m->vertex_count, 1);
    crossing_search s = {.mesh = m, .label = parts_label(m), .status = TACT_OK};
    if (s.label == NULL || face_label == NULL || meets == NULL) {
        s.status = TACT_OUT_OF_MEMORY;
    } else {
        strangers_mark(m, s.label, met, face_label, meets);
        for (uint32_t i = 0; i < m->component_count && s.status == TACT_OK; i++)
            *inside += !meets[union_find_root(s.label, m->indices[3 * (size_t)m->component_seeds[i]])] &&
                       is_nested(&s, m->component_seeds[i]);
    }
    free(s.label);
    free(s.crossed);
    free(face_label);
    free(meets);
    return s.status;
}
