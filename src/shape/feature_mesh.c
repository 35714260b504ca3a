/* Surfaces of shapes as triangles: see the header. */
#include "shape/feature_mesh.h"

/* The vertices of a box (bits: 1 x, 2 y, 4 z at its maximum) around each face; faces are numbered as in
 * tact_intersection. */
static const uint8_t box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

uint32_t tact_feature_mesh_vertex_count(const tact_shape *shape)
{
    switch (shape->type) {
    case TACT_MESH:
        return shape->mesh->element_count > 0 ? shape->mesh->vertex_count : 0;
    case TACT_BOX:
        return 8;
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        return (uint32_t)shape->point_count;
    case TACT_POLYGON:
    case TACT_HULL:
        return shape->hull->dimension >= 2 ? shape->hull->vertex_count : 0;
    default:
        return 0;
    }
}

tact_vec3 tact_feature_mesh_vertex(const tact_shape *shape, uint32_t i)
{
    if (shape->mesh != NULL)
        return shape->mesh->vertices[i];
    if (shape->type == TACT_BOX)
        return vec_make(i & 1 ? shape->half_extents.x : -shape->half_extents.x,
                        i & 2 ? shape->half_extents.y : -shape->half_extents.y,
                        i & 4 ? shape->half_extents.z : -shape->half_extents.z);
    return shape->hull != NULL ? shape->hull->vertices[i] : shape->points[i];
}

typedef struct triangle_writer {
    feature_triangle_array *triangles;
    feature_id_array *ids;
    const tact_allocator *allocator;
    uint32_t first;
} triangle_writer;

static bool write_triangle(const triangle_writer *w, uint32_t i, uint32_t j, uint32_t k, uint32_t id)
{
    const feature_triangle triangle = {{w->first + i, w->first + j, w->first + k}};
    return feature_triangle_array_push(w->triangles, w->allocator, triangle) &&
           feature_id_array_push(w->ids, w->allocator, id);
}

static bool write_hull(const triangle_writer *w, const hull *h)
{
    const uint32_t face_count = h->dimension == 2 ? 1 : h->face_count; /* a flat hull has two, back to back */
    for (uint32_t i = 0; i < face_count; ++i) {
        const uint32_t *loop = h->face_vertices + h->faces[i].first_vertex;
        for (uint32_t k = 1; k + 1 < h->faces[i].vertex_count; ++k)
            if (!write_triangle(w, loop[0], loop[k], loop[k + 1], i))
                return false;
    }
    return true;
}

bool tact_feature_mesh_triangles(const tact_shape *shape, uint32_t first, feature_triangle_array *triangles,
                                 feature_id_array *ids, const tact_allocator *allocator)
{
    const triangle_writer w = {triangles, ids, allocator, first};
    bool complete = true;
    switch (shape->type) {
    case TACT_MESH:
        for (uint32_t i = 0; complete && i < shape->mesh->element_count; ++i) {
            const uint32_t *c = shape->mesh->indices + 3 * (size_t)i;
            complete = write_triangle(&w, c[0], c[1], c[2], mesh_face(shape->mesh, i));
        }
        return complete;
    case TACT_BOX:
        for (uint32_t i = 0; complete && i < 6; ++i) {
            const uint8_t *c = box_faces[i];
            complete = write_triangle(&w, c[0], c[1], c[2], i) && write_triangle(&w, c[0], c[2], c[3], i);
        }
        return complete;
    case TACT_TRIANGLE:
        return write_triangle(&w, 0, 1, 2, 0);
    case TACT_TETRAHEDRON:
        for (uint32_t i = 0; complete && i < 4; ++i)
            complete = write_triangle(&w, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4, i);
        return complete;
    default:
        return write_hull(&w, shape->hull);
    }
}
