/*
 * Surfaces of polytopes (facets.h). Vertices are transformed exactly as those of meshes are, so exact predicates apply
 * to them. Faces are cut into triangle fans, which never split an edge, so neighbouring faces stay closed.
 */
#include "complex/facets.h"

#include <tact/predicates.h>

/* The vertices around each face of a box: bit 1 for x, 2 for y, 4 for z at its maximum. */
static const uint8_t box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

/* The faces of a tetrahedron with positive orientation: face i is opposite to vertex i. */
static const uint8_t tetrahedron_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static tact_vec3 transformed_point(const surface *s, tact_vec3 p)
{
    return vec_add(vec_transform(&s->at, p), s->at.origin);
}

static bool is_mirroring(const tact_transform *at)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return tact_orient3d(zero, at->x_axis, at->y_axis, at->z_axis) < 0;
}

static void take_points(surface *s, const tact_vec3 *points, uint32_t count)
{
    s->kind = SURFACE_POINTS;
    s->count = count;
    for (uint32_t i = 0; i < count; i++)
        s->points[i] = transformed_point(s, points[i]);
    if (count == 4)
        s->mirrored = tact_orient3d(s->points[0], s->points[1], s->points[2], s->points[3]) < 0;
}

static bool make_convex(surface *s, const tact_shape *shape)
{
    while (shape->type == TACT_TRANSFORMED && shape->margin == 0.0) {
        s->at = tact_transform_compose(s->at, shape->transform);
        shape = shape->parts[0];
    }
    s->shape = shape;
    s->mirrored = is_mirroring(&s->at);
    if (shape->margin != 0.0)
        return false;
    switch (shape->type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        take_points(s, shape->points, (uint32_t)shape->point_count);
        return true;
    case TACT_BOX:
        s->kind = SURFACE_BOX;
        return true;
    case TACT_POLYGON:
    case TACT_HULL:
        s->kind = SURFACE_HULL;
        if (shape->hull->dimension < 2)
            take_points(s, shape->hull->vertices, shape->hull->vertex_count);
        return true;
    default:
        return false;
    }
}

bool tact_surface_make(surface *s, const primitive *of)
{
    const mesh *m = of->of->shape->mesh;
    s->at = of->of->at;
    s->element = of->element;
    s->mesh = m;
    s->soup = NULL;
    if (of->of->margin != 0.0)
        return false;
    if (m == NULL)
        return make_convex(s, of->of->shape);
    if (m->first_index == NULL) {
        s->kind = SURFACE_TRIANGLE;
        s->mirrored = is_mirroring(&s->at);
        return true;
    }
    s->soup = m;
    s->first = m->first_index[of->element];
    if (m->hulls != NULL && m->hulls[of->element] != NULL)
        return make_convex(s, m->hulls[of->element]);
    tact_vec3 points[4];
    uint32_t count = m->first_index[of->element + 1] - m->first_index[of->element];
    s->mirrored = is_mirroring(&s->at);
    for (uint32_t i = 0; i < count; i++)
        points[i] = m->vertices[m->indices[s->first + i]];
    take_points(s, points, count);
    return true;
}

/* ---- facets ------------------------------------------------------------------------------------------------------ */

static void set_vertex(const surface *s, surface_facet *f, int k, uint32_t index)
{
    switch (s->kind) {
    case SURFACE_TRIANGLE:
        f->vertex[k] = s->mesh->indices[3 * (size_t)s->element + index];
        f->at[k] = transformed_point(s, s->mesh->vertices[f->vertex[k]]);
        break;
    case SURFACE_POINTS:
        f->vertex[k] = index;
        f->at[k] = s->points[index];
        break;
    case SURFACE_BOX: {
        const tact_vec3 h = s->shape->half_extents;
        f->vertex[k] = index;
        f->at[k] =
            transformed_point(s, vec_make(index & 1 ? h.x : -h.x, index & 2 ? h.y : -h.y, index & 4 ? h.z : -h.z));
        break;
    }
    case SURFACE_HULL:
        f->vertex[k] = index;
        f->at[k] = transformed_point(s, s->shape->hull->vertices[index]);
        break;
    }
}

static void set_facet(const surface *s, surface_facet *f, uint32_t i, uint32_t j, uint32_t k)
{
    set_vertex(s, f, 0, i);
    set_vertex(s, f, 1, s->mirrored ? k : j);
    set_vertex(s, f, 2, s->mirrored ? j : k);
}

/* The next triangle of the fan of a face with `count` vertices: 0, step, step + 1. */
static bool next_of_fan(facet_cursor *cursor, uint32_t count, bool mirrored, surface_facet *f, uint32_t *second)
{
    if (cursor->step + 2 >= count) {
        cursor->face++;
        cursor->step = 0;
        return false;
    }
    *second = ++cursor->step;
    uint32_t leads = cursor->step > 1, follows = cursor->step + 2 < count; /* inner edges before and after */
    f->face = cursor->face;
    f->inner_edges = mirrored ? follows | leads << 2 : leads | follows << 2;
    return true;
}

static bool next_of_points(const surface *s, facet_cursor *cursor, surface_facet *f)
{
    uint32_t face = cursor->face++;
    if (s->count == 4 && face < 4) {
        const uint8_t *c = tetrahedron_faces[face];
        set_facet(s, f, c[0], c[1], c[2]);
    } else if (face == 0 && s->count > 0) {
        set_facet(s, f, 0, s->count > 1 ? 1 : 0, s->count > 2 ? 2 : s->count - 1);
    } else {
        return false;
    }
    f->face = face;
    f->inner_edges = 0;
    return true;
}

bool tact_surface_next(const surface *s, facet_cursor *cursor, surface_facet *f)
{
    uint32_t second;
    switch (s->kind) {
    case SURFACE_TRIANGLE:
        if (cursor->face > 0)
            return false;
        cursor->face = 1;
        f->face = 0;
        f->inner_edges = s->mesh->edge_flags != NULL ? s->mesh->edge_flags[s->element] & 7u : 0;
        if (s->mirrored) /* vertices 1 and 2 are swapped, and so are edges 0 and 2 */
            f->inner_edges = (f->inner_edges & 2u) | (f->inner_edges & 1u) << 2 | f->inner_edges >> 2;
        set_facet(s, f, 0, 1, 2);
        return true;
    case SURFACE_POINTS:
        return next_of_points(s, cursor, f);
    case SURFACE_BOX:
        while (cursor->face < 6) {
            const uint8_t *c = box_faces[cursor->face];
            if (next_of_fan(cursor, 4, s->mirrored, f, &second)) {
                set_facet(s, f, c[0], c[second], c[second + 1]);
                return true;
            }
        }
        return false;
    case SURFACE_HULL: {
        const hull *h = s->shape->hull;
        uint32_t faces =
            h->dimension == 2 ? 1 : h->face_count; /* a flat hull has two faces back to back: one is enough */
        while (cursor->face < faces) {
            const uint32_t *c = h->face_vertices + h->faces[cursor->face].first_vertex;
            if (next_of_fan(cursor, h->faces[cursor->face].vertex_count, s->mirrored, f, &second)) {
                set_facet(s, f, c[0], c[second], c[second + 1]);
                return true;
            }
        }
        return false;
    }
    }
    return false;
}

uint32_t tact_facet_vertex(const surface *s, const surface_facet *f, int k)
{
    const mesh *m = s->soup;
    if (m == NULL)
        return f->vertex[k];
    if (m->hulls == NULL || m->hulls[s->element] == NULL)
        return m->indices[s->first + f->vertex[k]];
    /* the vertices of a hull are copies of its input points */
    const tact_vec3 vertex = s->shape->hull->vertices[f->vertex[k]];
    for (uint32_t i = s->first; i < m->first_index[s->element + 1]; i++)
        if (vec_equal(m->vertices[m->indices[i]], vertex))
            return m->indices[i];
    return 0; /* unreachable */
}

/* ---- degenerate facets ------------------------------------------------------------------------------------------- */

bool tact_facet_is_degenerate(const surface *s, const surface_facet *f)
{
    return s->kind == SURFACE_TRIANGLE && s->mesh->edge_flags != NULL &&
           (s->mesh->edge_flags[s->element] & MESH_DEGENERATE_FACE) != 0 &&
           tact_collinear(f->at[0], f->at[1], f->at[2]);
}

static void facet_of(const surface *s, uint32_t element, surface_facet *f)
{
    surface other = *s;
    facet_cursor cursor = {0, 0};
    other.element = element;
    (void)tact_surface_next(&other, &cursor, f);
}

bool tact_facet_plane(const surface *s, surface_facet *plane)
{
    const mesh *m = s->mesh;
    const uint32_t face = m->face_of[s->element];
    bool down = true, up = true;
    for (uint32_t step = 1; down || up; step++) {
        down = down && s->element >= step && m->face_of[s->element - step] == face;
        up = up && step < m->element_count - s->element && m->face_of[s->element + step] == face;
        for (int turn = 0; turn < 2; turn++) {
            if (!(turn == 0 ? down : up))
                continue;
            facet_of(s, turn == 0 ? s->element - step : s->element + step, plane);
            if (!tact_collinear(plane->at[0], plane->at[1], plane->at[2]))
                return true;
        }
    }
    return false;
}

bool tact_surface_next_degenerate(const surface *s, facet_cursor *cursor, surface_facet *f)
{
    const mesh *m = s->mesh;
    if (s->kind != SURFACE_TRIANGLE || m->edge_flags == NULL || (m->edge_flags[s->element] & MESH_DEGENERATE_FACE) == 0)
        return false;
    const uint32_t face = m->face_of[s->element];
    if (cursor->step++ == 0)
        for (cursor->face = s->element; cursor->face > 0 && m->face_of[cursor->face - 1] == face;)
            cursor->face--;
    while (cursor->face < m->element_count && m->face_of[cursor->face] == face) {
        facet_of(s, cursor->face++, f);
        if (tact_collinear(f->at[0], f->at[1], f->at[2]))
            return true;
    }
    return false;
}
