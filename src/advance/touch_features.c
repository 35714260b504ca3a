/*
 * The features of a touch of two rigid meshes: see the header.
 *
 * The search ends at two triangles that nearly touch. Of their fifteen pairs of features the closest one touches first.
 * It is found in doubles. Of pairs that are equally close, up to rounding, a vertex and a face come first, then the
 * feature of body A with the lower index.
 */
#include "advance/touch_features.h"

#include <string.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "ccd/feature_distance.h"
#include "shape/compound.h"

/* A face of a mesh: the elements `first` to `end` - 1, and where the body is. */
typedef struct touching_face {
    const mesh *mesh;
    tact_transform transform;
    uint32_t first, end;
} touching_face;

/* The first element of a face or of a later one. Elements are in the order of faces. */
static uint32_t first_element(const mesh *m, uint32_t face)
{
    uint32_t low = 0, high = m->element_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (mesh_face(m, middle) < face)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The leaf of a compound, and its transform instead of that of the compound. */
static const tact_shape *find_leaf(const tact_shape *shape, uint32_t leaf, tact_transform *at)
{
    while (shape->compound != NULL) {
        const compound *c = shape->compound;
        uint32_t low = 0, high = c->part_count; /* the last part that begins at the leaf or before */
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (c->parts[middle].first_leaf <= leaf)
                low = middle;
            else
                high = middle;
        }
        leaf -= c->parts[low].first_leaf;
        *at = tact_transform_compose(*at, c->parts[low].transform);
        shape = c->parts[low].shape;
    }
    return shape;
}

/* False: the body, or the leaf, is no rigid mesh, whose faces are numbered in order. */
static bool find_face(const tact_world *world, tact_body body, tact_part part, touching_face *face)
{
    const world_body_cold *cold = &world->cold.items[body.index];
    face->transform = tact_advance_transform(world, body.index);
    const tact_shape *shape = find_leaf(world->bodies.items[body.index].shape, part.leaf, &face->transform);
    if (shape->type != TACT_MESH || shape->nurbs != NULL || shape->margin > 0.0 || shape->surface_error > 0.0 ||
        cold->deform != NULL)
        return false;
    face->mesh = shape->mesh;
    face->first = first_element(shape->mesh, part.face);
    face->end = first_element(shape->mesh, part.face + 1);
    return face->first < face->end;
}

/* The closest pair of features so far. */
typedef struct closest_features {
    tact_ccd_kind kind;
    uint32_t vertices[4];
    bool swapped; /* the first feature is of body B */
    double weights[4];
    double square; /* of the distance, enlarged by rounding */
    double size;   /* length: of the features, and how far they are apart */
} closest_features;

static void compare(closest_features *best, tact_ccd_kind kind, bool swapped, const tact_vec3 points[4],
                    const uint32_t vertices[4])
{
    double weights[4], size = 0.0;
    const double square = vec_length_squared(tact_feature_closest_points(kind, points, weights));
    for (int i = 1; i < 4; ++i)
        size = max_double(size, vec_max_abs(vec_sub(points[i], points[0])));
    best->size = max_double(best->size, size);
    if (!(square < best->square))
        return;
    const double rounding = TOUCH_FEATURES_ROUNDING * size;
    best->kind = kind;
    best->swapped = swapped;
    best->square = max_double(0.0, square - rounding * rounding);
    memcpy(best->vertices, vertices, sizeof best->vertices);
    memcpy(best->weights, weights, sizeof best->weights);
}

/* Compares the fifteen pairs of features of two triangles, of body A and B. */
static void compare_triangles(closest_features *best, const tact_vec3 points[2][3], const uint32_t *indices[2])
{
    for (int body = 0; body < 2; ++body)
        for (int i = 0; i < 3; ++i) {
            const tact_vec3 *face = points[1 - body];
            const uint32_t *f = indices[1 - body];
            compare(best, TACT_VERTEX_FACE, body == 1, (const tact_vec3[4]){points[body][i], face[0], face[1], face[2]},
                    (const uint32_t[4]){indices[body][i], f[0], f[1], f[2]});
        }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) { /* the ends of an edge in the order of their indices */
            const uint32_t *a = indices[0], *b = indices[1];
            const int i0 = a[i] < a[(i + 1) % 3] ? i : (i + 1) % 3, i1 = i + (i + 1) % 3 - i0;
            const int k0 = b[k] < b[(k + 1) % 3] ? k : (k + 1) % 3, k1 = k + (k + 1) % 3 - k0;
            compare(best, TACT_EDGE_EDGE, false,
                    (const tact_vec3[4]){points[0][i0], points[0][i1], points[1][k0], points[1][k1]},
                    (const uint32_t[4]){a[i0], a[i1], b[k0], b[k1]});
        }
}

void tact_touch_features_find(const tact_world *world, tact_event *event)
{
    tact_event_features *out = &event->features;
    touching_face faces[2];
    if (!find_face(world, event->a, out->part_a, &faces[0]) || !find_face(world, event->b, out->part_b, &faces[1]))
        return;
    if ((uint64_t)(faces[0].end - faces[0].first) * (faces[1].end - faces[1].first) > TOUCH_FEATURES_PAIRS)
        return;
    closest_features best = {.square = INFINITY};
    for (uint32_t i = faces[0].first; i < faces[0].end; ++i)
        for (uint32_t k = faces[1].first; k < faces[1].end; ++k) {
            tact_vec3 points[2][3];
            mesh_triangle(faces[0].mesh, &faces[0].transform, i, points[0]);
            mesh_triangle(faces[1].mesh, &faces[1].transform, k, points[1]);
            compare_triangles(
                &best, (const tact_vec3(*)[3])points,
                (const uint32_t *[2]){faces[0].mesh->indices + 3 * (size_t)i, faces[1].mesh->indices + 3 * (size_t)k});
        }
    const double most = TOUCH_FEATURES_DISTANCE * best.size;
    if (!(best.square <= most * most))
        return; /* they overlap, and no features touch */
    out->kind = best.kind;
    memcpy(out->vertices, best.vertices, sizeof out->vertices);
    out->a = best.vertices[0];
    out->b = best.kind == TACT_EDGE_EDGE ? best.vertices[2] : best.swapped ? out->part_a.face : out->part_b.face;
    out->ccd = (tact_ccd){.status = TACT_OK,
                          .state = TACT_HIT,
                          .lower = event->time,
                          .upper = event->time,
                          .normal = best.swapped ? vec_negate(event->normal) : event->normal,
                          .degenerate = vec_length_squared(event->normal) == 0.0};
    memcpy(out->ccd.weights, best.weights, sizeof out->ccd.weights);
}
