/*
 * A convex shape is drawn as the hull of points of its surface: all its vertices if there are finitely many, else its
 * support points in the directions of a subdivided icosahedron. So one code draws every convex shape: margins,
 * Minkowski sums, hulls of shapes and transformed shapes included.
 */
#include "render_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <tact/math.h>

#include "shape/compound.h"
#include "shape/hull.h"
#include "shape/mesh.h"
#include "shape/shape_data.h"

/* Vertices and edges of a subdivided icosahedron: 12 vertices, then 42, then 162. */
#define SPHERE_LEVELS 2
#define SPHERE_POINTS 162

/* ---- directions ---- */

typedef struct sphere_points {
    tact_vec3 items[SPHERE_POINTS];
    size_t count;
} sphere_points;

/* The number of a direction, which is added if it is new. Midpoints of an edge come from both of its triangles, bit for
 * bit the same. */
static size_t direction_find(sphere_points *points, tact_vec3 direction)
{
    size_t i = 0;
    while (i < points->count && tact_vec_distance(points->items[i], direction) > 1e-9)
        i++;
    if (i == points->count && i < SPHERE_POINTS)
        points->items[points->count++] = direction;
    return i;
}

static void directions_subdivide(sphere_points *points, tact_vec3 a, tact_vec3 b, tact_vec3 c, int levels)
{
    (void)direction_find(points, a);
    (void)direction_find(points, b);
    (void)direction_find(points, c);
    if (levels == 0)
        return;
    const tact_vec3 ab = tact_vec_normalize(tact_vec_add(a, b)), bc = tact_vec_normalize(tact_vec_add(b, c)),
                    ca = tact_vec_normalize(tact_vec_add(c, a));
    directions_subdivide(points, a, ab, ca, levels - 1);
    directions_subdivide(points, b, bc, ab, levels - 1);
    directions_subdivide(points, c, ca, bc, levels - 1);
    directions_subdivide(points, ab, bc, ca, levels - 1);
}

/* Directions that cover the sphere evenly. */
static void directions_make(sphere_points *points)
{
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = 0.5 * (1.0 + sqrt(5.0)); /* the golden ratio */
    const tact_vec3 corners[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    points->count = 0;
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++)
        directions_subdivide(points, tact_vec_normalize(corners[faces[i][0]]), tact_vec_normalize(corners[faces[i][1]]),
                             tact_vec_normalize(corners[faces[i][2]]), SPHERE_LEVELS);
}

/* ---- parts ---- */

void tact_render_mesh_add_vertex(render_mesh *out, tact_vec3 position)
{
    tact_buffer_add_vec_f32(&out->positions, position);
    out->vertex_count++;
}

void tact_render_mesh_add_triangle(render_mesh *out, const uint32_t vertices[3], uint32_t leaf, uint32_t face)
{
    for (int k = 0; k < 3; k++)
        tact_buffer_add_u32(&out->indices, vertices[k]);
    tact_buffer_add_u32(&out->leaves, leaf);
    tact_buffer_add_u32(&out->faces, face);
    out->triangle_count++;
}

bool tact_render_mesh_failed(const render_mesh *out)
{
    return out->positions.failed || out->indices.failed || out->leaves.failed || out->faces.failed;
}

/* Whether a transform mirrors: its triangles are then turned over. */
static bool is_mirrored(const tact_transform *at)
{
    return tact_vec_dot(tact_vec_cross(at->x_axis, at->y_axis), at->z_axis) < 0.0;
}

static bool has_room(const render_mesh *out, size_t vertices, size_t triangles)
{
    return vertices <= UINT32_MAX - out->vertex_count && triangles <= UINT32_MAX - out->triangle_count;
}

static bool hull_add(render_mesh *out, const hull *h, const tact_transform *at, uint32_t leaf, uint32_t face)
{
    const uint32_t first = out->vertex_count;
    const bool mirrored = is_mirrored(at);
    if (!has_room(out, h->vertex_count, h->face_vertex_total))
        return false;
    for (uint32_t i = 0; i < h->vertex_count; i++)
        tact_render_mesh_add_vertex(out, tact_transform_point(*at, h->vertices[i]));
    for (uint32_t i = 0; i < h->face_count; i++) {
        const uint32_t *loop = h->face_vertices + h->faces[i].first_vertex;
        for (uint32_t k = 2; k < h->faces[i].vertex_count; k++)
            tact_render_mesh_add_triangle(
                out,
                (uint32_t[3]){first + loop[0], first + loop[mirrored ? k : k - 1], first + loop[mirrored ? k - 1 : k]},
                leaf, face);
    }
    return true;
}

static bool points_add(render_mesh *out, const tact_vec3 *points, size_t count, const tact_transform *at, uint32_t leaf,
                       uint32_t face)
{
    static const tact_allocator standard = {NULL, NULL};
    hull *h = tact_hull_create(points, count, &standard, NULL);
    const bool good = h && hull_add(out, h, at, leaf, face);
    if (h)
        tact_hull_release(h, &standard);
    return good;
}

static bool convex_add(render_mesh *out, const tact_shape *shape, const tact_transform *at, uint32_t leaf)
{
    if (shape->hull && shape->margin == 0.0)
        return hull_add(out, shape->hull, at, leaf, 0);
    sphere_points directions;
    tact_vec3 points[SPHERE_POINTS];
    size_t count = 0;
    directions_make(&directions);
    for (size_t i = 0; i < directions.count; i++)
        if (tact_shape_support(shape, tact_identity(), directions.items[i], &points[count]) == TACT_OK)
            count++;
    return count > 0 && points_add(out, points, count, at, leaf, 0);
}

static bool triangles_add(render_mesh *out, const mesh *m, const tact_transform *at, uint32_t leaf)
{
    const uint32_t first = out->vertex_count;
    const bool mirrored = is_mirrored(at);
    if (!has_room(out, m->vertex_count, m->element_count))
        return false;
    for (uint32_t i = 0; i < m->vertex_count; i++)
        tact_render_mesh_add_vertex(out, tact_transform_point(*at, m->vertices[i]));
    for (uint32_t i = 0; i < m->element_count; i++) {
        const uint32_t *v = m->indices + 3 * (size_t)i;
        tact_render_mesh_add_triangle(
            out, (uint32_t[3]){first + v[0], first + v[mirrored ? 2 : 1], first + v[mirrored ? 1 : 2]}, leaf,
            mesh_face(m, i));
    }
    return true;
}

static bool soup_add(render_mesh *out, const mesh *m, const tact_transform *at, uint32_t leaf)
{
    bool good = true;
    for (uint32_t i = 0; i < m->element_count && good; i++) {
        const uint32_t first = m->first_index[i], count = m->first_index[i + 1] - first;
        tact_vec3 *points = calloc(count ? count : 1, sizeof *points);
        for (uint32_t k = 0; k < count && points; k++)
            points[k] = m->vertices[m->indices[first + k]];
        good = points && (count == 0 || points_add(out, points, count, at, leaf, i));
        free(points);
    }
    return good;
}

static bool shape_add(render_mesh *out, const tact_shape *shape, const tact_transform *at, uint32_t leaf)
{
    if (shape->compound) {
        bool good = true;
        for (uint32_t i = 0; i < shape->compound->part_count && good; i++) {
            const compound_part *part = &shape->compound->parts[i];
            const tact_transform placed = tact_transform_compose(*at, part->transform);
            good = shape_add(out, part->shape, &placed, leaf + part->first_leaf);
        }
        return good;
    }
    if (shape_is_halfspace(shape))
        return true;
    if (!shape->mesh)
        return convex_add(out, shape, at, leaf);
    return shape->mesh->first_index ? soup_add(out, shape->mesh, at, leaf) : triangles_add(out, shape->mesh, at, leaf);
}

bool tact_render_mesh_add(render_mesh *out, const tact_shape *shape)
{
    const tact_transform identity = tact_identity();
    return shape_add(out, shape, &identity, 0) && !tact_render_mesh_failed(out);
}

void tact_render_mesh_release(render_mesh *out)
{
    tact_buffer_release(&out->positions);
    tact_buffer_release(&out->indices);
    tact_buffer_release(&out->leaves);
    tact_buffer_release(&out->faces);
    out->vertex_count = out->triangle_count = 0;
}
