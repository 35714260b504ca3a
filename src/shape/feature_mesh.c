/* Surfaces of shapes as triangles: see the header. */
#include "shape/feature_mesh.h"

#include "core/memory.h"

/* The vertices of a box (bits: 1 x, 2 y, 4 z at its maximum) around each face; faces are numbered as in
 * tact_intersection. */
static const uint8_t box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

/* ---- vertices ---- */

uint32_t tact_feature_mesh_vertex_count(const tact_shape *shape)
{
    switch (shape->type) {
    case TACT_MESH:
    case TACT_SOUP:
        return shape->mesh->element_count > 0 ? shape->mesh->vertex_count : 0;
    case TACT_COMPOUND:
        return shape->compound->vertex_count;
    case TACT_TRANSFORMED:
        return feature_mesh_part_vertex_count(shape->parts[0]);
    case TACT_BOX:
        return 8;
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        return (uint32_t)shape->point_count;
    case TACT_POLYGON:
    case TACT_HULL:
        return shape->hull->vertex_count;
    default:
        return 0;
    }
}

/* Vertex i of a shape without parts, in local coordinates. */
static tact_vec3 local_vertex(const tact_shape *shape, uint32_t i)
{
    if (shape->mesh != NULL)
        return shape->mesh->vertices[i];
    if (shape->type == TACT_BOX)
        return vec_make(i & 1 ? shape->half_extents.x : -shape->half_extents.x,
                        i & 2 ? shape->half_extents.y : -shape->half_extents.y,
                        i & 4 ? shape->half_extents.z : -shape->half_extents.z);
    return shape->hull != NULL ? shape->hull->vertices[i] : shape->points[i];
}

void tact_feature_mesh_place(const tact_shape *shape, const tact_transform *transform, uint32_t count,
                             tact_vec3 *positions, size_t stride)
{
    char *at = (char *)positions;
    if (shape->type == TACT_TRANSFORMED) {
        const tact_transform composed = tact_transform_compose(*transform, shape->transform);
        tact_feature_mesh_place(shape->parts[0], &composed, count, positions, stride);
        return;
    }
    if (shape->compound == NULL) {
        for (uint32_t i = 0; i < count; ++i)
            *(tact_vec3 *)(void *)(at + i * stride) =
                vec_add(vec_transform(transform, local_vertex(shape, i)), transform->origin);
        return;
    }
    for (uint32_t i = 0; i < shape->compound->part_count; ++i) {
        const compound_part *part = &shape->compound->parts[i];
        const tact_transform composed = tact_transform_compose(*transform, part->transform);
        const uint32_t of_part = feature_mesh_part_vertex_count(part->shape);
        if (of_part > 0)
            tact_feature_mesh_place(part->shape, &composed, of_part,
                                    (tact_vec3 *)(void *)(at + part->first_vertex * stride), stride);
    }
}

feature_leaf tact_feature_mesh_leaf(const tact_shape *shape, uint32_t vertex)
{
    feature_leaf found = {shape, 0, 0, tact_feature_mesh_vertex_count(shape)};
    while (found.shape->compound != NULL) {
        const compound *c = found.shape->compound;
        uint32_t low = 0, high = c->part_count; /* the last part that begins at the vertex or before */
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (c->parts[middle].first_vertex <= vertex - found.first_vertex)
                low = middle;
            else
                high = middle;
        }
        const compound_part *part = &c->parts[low];
        const uint32_t end = low + 1 < c->part_count ? found.first_vertex + c->parts[low + 1].first_vertex : found.end;
        found =
            (feature_leaf){part->shape, found.leaf + part->first_leaf, found.first_vertex + part->first_vertex, end};
    }
    return found;
}

/* ---- triangles ---- */

typedef struct triangle_writer {
    feature_triangle_array *triangles;
    feature_id_array *ids;
    const tact_allocator *allocator;
    uint32_t first;
    const uint32_t *vertices; /* of a part of a soup: its vertices in the soup; NULL: of a shape */
    uint32_t part;            /* its number */
} triangle_writer;

static bool write_triangle(const triangle_writer *w, uint32_t i, uint32_t j, uint32_t k, uint32_t id)
{
    feature_triangle triangle = {{i, j, k}};
    for (int corner = 0; corner < 3; ++corner)
        triangle.vertices[corner] =
            w->first + (w->vertices != NULL ? w->vertices[triangle.vertices[corner]] : triangle.vertices[corner]);
    return feature_triangle_array_push(w->triangles, w->allocator, triangle) &&
           feature_id_array_push(w->ids, w->allocator, w->vertices != NULL ? w->part : id);
}

/* `count`: of points, up to 4. */
static bool write_simplex(const triangle_writer *w, uint32_t count)
{
    if (count == 3)
        return write_triangle(w, 0, 1, 2, 0);
    bool complete = true;
    for (uint32_t i = 0; complete && count == 4 && i < 4; ++i)
        complete = write_triangle(w, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4, i);
    return complete;
}

static bool write_hull(const triangle_writer *w, const hull *h)
{
    const uint32_t face_count = h->dimension < 2    ? 0
                                : h->dimension == 2 ? 1 /* a flat hull has two, back to back */
                                                    : h->face_count;
    for (uint32_t i = 0; i < face_count; ++i) {
        const uint32_t *loop = h->face_vertices + h->faces[i].first_vertex;
        for (uint32_t k = 1; k + 1 < h->faces[i].vertex_count; ++k)
            if (!write_triangle(w, loop[0], loop[k], loop[k + 1], i))
                return false;
    }
    return true;
}

/* A part of a soup that has a hull. The vertices of the hull are some of its points, in their order. */
static bool write_part_hull(triangle_writer w, const mesh *m, const hull *h)
{
    uint32_t *vertices = tact_memory_allocate(w.allocator, h->vertex_count, sizeof *vertices);
    if (vertices == NULL)
        return false;
    const uint32_t *point = w.vertices;
    for (uint32_t i = 0; i < h->vertex_count; ++i) {
        while (!vec_equal(m->vertices[*point], h->vertices[i]))
            ++point;
        vertices[i] = *point++;
    }
    w.vertices = vertices;
    const bool complete = write_hull(&w, h);
    tact_memory_free(w.allocator, vertices, h->vertex_count, sizeof *vertices);
    return complete;
}

static bool write_soup(triangle_writer w, const mesh *m)
{
    bool complete = true;
    for (w.part = 0; complete && w.part < m->element_count; ++w.part) {
        const tact_shape *part = m->hulls != NULL ? m->hulls[w.part] : NULL;
        w.vertices = m->indices + m->first_index[w.part];
        complete = part != NULL ? write_part_hull(w, m, part->hull)
                                : write_simplex(&w, m->first_index[w.part + 1] - m->first_index[w.part]);
    }
    return complete;
}

bool tact_feature_mesh_triangles(const tact_shape *shape, uint32_t first, feature_triangle_array *triangles,
                                 feature_id_array *ids, const tact_allocator *allocator)
{
    const triangle_writer w = {triangles, ids, allocator, first, NULL, 0};
    bool complete = true;
    switch (shape->type) {
    case TACT_MESH:
        for (uint32_t i = 0; complete && i < shape->mesh->element_count; ++i) {
            const uint32_t *c = shape->mesh->indices + 3 * (size_t)i;
            complete = write_triangle(&w, c[0], c[1], c[2], mesh_face(shape->mesh, i));
        }
        return complete;
    case TACT_SOUP:
        return write_soup(w, shape->mesh);
    case TACT_COMPOUND:
        for (uint32_t i = 0; complete && i < shape->compound->part_count; ++i) {
            const compound_part *part = &shape->compound->parts[i];
            complete = feature_mesh_part_vertex_count(part->shape) == 0 ||
                       tact_feature_mesh_triangles(part->shape, first + part->first_vertex, triangles, ids, allocator);
        }
        return complete;
    case TACT_TRANSFORMED:
        return tact_feature_mesh_triangles(shape->parts[0], first, triangles, ids, allocator);
    case TACT_BOX:
        for (uint32_t i = 0; complete && i < 6; ++i) {
            const uint8_t *c = box_faces[i];
            complete = write_triangle(&w, c[0], c[1], c[2], i) && write_triangle(&w, c[0], c[2], c[3], i);
        }
        return complete;
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        return write_simplex(&w, (uint32_t)shape->point_count);
    default:
        return write_hull(&w, shape->hull);
    }
}

/* ---- edges and points ---- */

typedef struct edge_writer {
    feature_edge_array *edges;
    feature_id_array *points;
    const tact_allocator *allocator;
} edge_writer;

/* Two vertices, or the same one twice: a point. */
static bool write_edge(const edge_writer *w, uint32_t i, uint32_t j)
{
    return i == j ? feature_id_array_push(w->points, w->allocator, i)
                  : feature_edge_array_push(w->edges, w->allocator, (feature_edge){{i < j ? i : j, i < j ? j : i}});
}

/* The parts of a soup that have no faces. */
static bool write_soup_edges(const edge_writer *w, const mesh *m, uint32_t first)
{
    for (uint32_t i = 0; i < m->element_count; ++i) {
        const hull *h = m->hulls != NULL && m->hulls[i] != NULL ? m->hulls[i]->hull : NULL;
        const uint32_t *points = m->indices + m->first_index[i];
        const uint32_t count = m->first_index[i + 1] - m->first_index[i];
        uint32_t from = 0, to = count - 1;
        if (h != NULL ? h->dimension >= 2 : count > 2)
            continue;
        while (h != NULL && !vec_equal(m->vertices[points[from]], h->vertices[0]))
            ++from;
        while (h != NULL && !vec_equal(m->vertices[points[to]], h->vertices[h->dimension]))
            --to;
        if (!write_edge(w, first + points[from], first + points[h != NULL && h->dimension == 0 ? from : to]))
            return false;
    }
    return true;
}

bool tact_feature_mesh_edges_and_points(const tact_shape *shape, uint32_t first, feature_edge_array *edges,
                                        feature_id_array *points, const tact_allocator *allocator)
{
    const edge_writer w = {edges, points, allocator};
    bool complete = true;
    switch (shape->type) {
    case TACT_SOUP:
        return write_soup_edges(&w, shape->mesh, first);
    case TACT_COMPOUND:
        for (uint32_t i = 0; complete && i < shape->compound->part_count; ++i) {
            const compound_part *part = &shape->compound->parts[i];
            complete =
                feature_mesh_part_vertex_count(part->shape) == 0 ||
                tact_feature_mesh_edges_and_points(part->shape, first + part->first_vertex, edges, points, allocator);
        }
        return complete;
    case TACT_TRANSFORMED:
        return tact_feature_mesh_edges_and_points(shape->parts[0], first, edges, points, allocator);
    case TACT_POINT:
    case TACT_SEGMENT:
        return write_edge(&w, first, first + (uint32_t)shape->point_count - 1);
    case TACT_POLYGON:
    case TACT_HULL:
        return shape->hull->dimension >= 2 || write_edge(&w, first, first + (uint32_t)shape->hull->dimension);
    default:
        return true;
    }
}
