/*
 * Construction of the convex hull of any finite points.
 *
 * Guarantees: every vertex is an input point, bit for bit. No input point is farther along a direction d than the
 * vertices by more than 2 HULL_PLANE_TOLERANCE units of roundoff (2^-53 of the largest absolute coordinate) times |x| +
 * |y| + |z| of d, and not at all unless points are coplanar or collinear up to rounding. This holds for any scale,
 * position and aspect ratio. Faces are whole polygons.
 *
 * Stages: scale by a power of two (hull_internal.h); find the dimension up to rounding (hull_dimension.c); build the
 * exact hull with exact predicates (quickhull.c; hull_polygon.c if it is flat); merge coplanar triangles
 * (hull_coplanar_merge.c); compute normals, adjacency and the direction table (hull_direction_table.c).
 */
#include "shape/hull.h"
#include "core/number.h"
#include "math/dd_vec.h"
#include "math/fp_environment.h"

#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "shape/hull_internal.h"

/* Writes the scaled points, and returns their largest absolute coordinate. */
static double scale_points(const tact_vec3 *points, uint32_t count, tact_vec3 *scaled)
{
    double largest = 0.0;
    int exponent;
    for (uint32_t i = 0; i < count; i++)
        largest = number_max(largest, vec_max_abs(points[i]));
    largest = frexp(largest, &exponent);
    for (uint32_t i = 0; i < count; i++)
        scaled[i] =
            vec_make(ldexp(points[i].x, -exponent), ldexp(points[i].y, -exponent), ldexp(points[i].z, -exponent));
    return largest;
}

/* Twice the area of a loop, as a vector: the sum of the cross products of a fan (Newell). In double-double arithmetic,
 * so that the normal of a face is right to an ulp however narrow the face is. */
static tact_vec3 loop_normal(const tact_vec3 *scaled, const uint32_t *loop, uint32_t length)
{
    tact_vec3 origin = scaled[loop[0]];
    dd_vec sum = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    dd_vec spoke = dd_vec_difference(origin, scaled[loop[1]]);
    for (uint32_t i = 2; i < length; i++) {
        dd_vec next = dd_vec_difference(origin, scaled[loop[i]]);
        sum = dd_vec_add(sum, dd_vec_cross(spoke, next));
        spoke = next;
    }
    return dd_vec_to_vec3(sum);
}

/* The vertices: the points that are on a facet, in input order. `index` (point_count entries) gets the vertex of each
 * point. */
static bool fill_vertices(hull *h, const tact_vec3 *points, uint32_t count, const hull_facets *facets, uint32_t *index,
                          const tact_allocator *allocator)
{
    for (uint32_t i = 0; i < count; i++)
        index[i] = HULL_NONE;
    for (uint32_t i = 0; i < facets->vertex_total; i++)
        index[facets->vertices[i]] = 0;
    uint32_t vertices = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (index[i] == 0)
            index[i] = vertices++;
    }
    h->vertices = tact_memory_allocate(allocator, vertices, sizeof *h->vertices);
    if (h->vertices == NULL)
        return false;
    h->vertex_count = vertices;
    for (uint32_t i = 0; i < count; i++) {
        if (index[i] != HULL_NONE)
            h->vertices[index[i]] = points[i];
    }
    return true;
}

static bool fill_faces(hull *h, const hull_facets *facets, const tact_vec3 *scaled, const uint32_t *index,
                       const tact_allocator *allocator)
{
    if (h->dimension < 2)
        return true;
    h->face_vertices = tact_memory_allocate(allocator, facets->vertex_total, sizeof *h->face_vertices);
    if (h->face_vertices == NULL)
        return false;
    h->face_vertex_total = facets->vertex_total;
    h->faces = tact_memory_allocate(allocator, facets->face_count, sizeof *h->faces);
    if (h->faces == NULL)
        return false;
    h->face_count = facets->face_count;
    for (uint32_t i = 0; i < facets->vertex_total; i++)
        h->face_vertices[i] = index[facets->vertices[i]];
    for (uint32_t f = 0; f < h->face_count; f++) {
        hull_face *face = &h->faces[f];
        face->first_vertex = facets->first_vertex[f];
        face->vertex_count = facets->first_vertex[f + 1] - facets->first_vertex[f];
        const uint32_t *loop = facets->vertices + facets->first_vertex[f];
        if (h->dimension == 2 && f == 1)
            face->normal = vec_negate(h->faces[0].normal);
        else
            face->normal = vec_normalize(loop_normal(scaled, loop, face->vertex_count));
        for (uint32_t i = 0; i < face->vertex_count; i++) {
            double height = vec_dot(face->normal, h->vertices[h->face_vertices[face->first_vertex + i]]);
            face->offset = i == 0 || height > face->offset ? height : face->offset;
        }
    }
    return true;
}

/* Every edge is in two facets, in opposite directions: the neighbours of a vertex are those that follow it in its
 * facets. */
static bool fill_neighbours(hull *h, const hull_facets *facets, const uint32_t *index, const tact_allocator *allocator)
{
    uint32_t *first = tact_memory_allocate(allocator, (size_t)h->vertex_count + 1, sizeof *first);
    h->first_neighbour = first;
    if (first == NULL)
        return false;
    memset(first, 0, ((size_t)h->vertex_count + 1) * sizeof *first);
    if (h->vertex_count == 1)
        return true;
    h->neighbours = tact_memory_allocate(allocator, facets->vertex_total, sizeof *h->neighbours);
    if (h->neighbours == NULL)
        return false;
    h->neighbour_total = facets->vertex_total;
    for (uint32_t i = 0; i < facets->vertex_total; i++)
        first[index[facets->vertices[i]] + 1]++;
    for (uint32_t i = 0; i < h->vertex_count; i++)
        first[i + 1] += first[i];
    for (uint32_t f = 0; f < facets->face_count; f++) {
        uint32_t begin = facets->first_vertex[f], length = facets->first_vertex[f + 1] - begin;
        for (uint32_t i = 0; i < length; i++)
            h->neighbours[first[index[facets->vertices[begin + i]]]++] =
                index[facets->vertices[begin + (i + 1) % length]];
    }
    for (uint32_t i = h->vertex_count; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
    return true;
}

/* A single loop through the one or two vertices of a hull without faces. */
static bool make_short_loop(hull_facets *facets, int dimension, const uint32_t basis[4],
                            const tact_allocator *allocator)
{
    if (!tact_hull_facets_allocate(facets, 1, 2, allocator))
        return false;
    facets->face_count = 1;
    facets->vertex_total = (uint32_t)dimension + 1;
    facets->first_vertex[0] = 0;
    facets->first_vertex[1] = facets->vertex_total;
    facets->vertices[0] = basis[0];
    facets->vertices[1] = basis[1];
    return true;
}

static tact_status make_facets(hull *h, const hull_input *input, hull_facets *facets, const tact_allocator *allocator)
{
    uint32_t basis[4];
    tact_vec3 normal;
    h->dimension = tact_hull_dimension(input, basis, &normal);
    if (h->dimension < 2)
        return make_short_loop(facets, h->dimension, basis, allocator) ? TACT_OK : TACT_OUT_OF_MEMORY;
    if (h->dimension == 2) {
        tact_status status = tact_hull_polygon_make(facets, input, normal, allocator);
        if (status == TACT_OK && facets->face_count == 1)
            h->dimension = (int)facets->vertex_total - 1;
        return status;
    }
    hull_triangles triangles;
    tact_status status = tact_hull_quickhull(&triangles, input, basis, allocator);
    if (status != TACT_OK)
        return status;
    status = tact_hull_merge_coplanar(facets, input, &triangles, allocator);
    tact_hull_triangles_free(&triangles, allocator);
    return status;
}

/* Builds all members of a hull. */
static TACT_NOINLINE tact_status fill(hull *h, const tact_vec3 *points, uint32_t count, const tact_allocator *allocator)
{
    tact_status status = TACT_OUT_OF_MEMORY;
    tact_vec3 *scaled = tact_memory_allocate(allocator, count, sizeof *scaled);
    uint32_t *index = tact_memory_allocate(allocator, count, sizeof *index);
    if (scaled != NULL && index != NULL) {
        hull_input input = {.points = scaled, .count = count};
        double unit = HULL_UNIT_ROUNDOFF * scale_points(points, count, scaled);
        input.plane_tolerance = HULL_PLANE_TOLERANCE * unit;
        input.line_tolerance = HULL_LINE_TOLERANCE * unit;
        hull_facets facets;
        status = make_facets(h, &input, &facets, allocator);
        if (status == TACT_OK) {
            bool complete = fill_vertices(h, points, count, &facets, index, allocator) &&
                            fill_faces(h, &facets, scaled, index, allocator) &&
                            fill_neighbours(h, &facets, index, allocator);
            tact_hull_facets_free(&facets, allocator);
            status = complete ? tact_hull_direction_table_make(h, allocator) : TACT_OUT_OF_MEMORY;
            if (status == TACT_OK)
                status = tact_hull_polar_make(h, allocator);
        }
    }
    tact_memory_free(allocator, scaled, count, sizeof *scaled);
    tact_memory_free(allocator, index, count, sizeof *index);
    return status;
}

hull *tact_hull_create(const tact_vec3 *points, size_t count, const tact_allocator *allocator, tact_report *report)
{
    if (points == NULL || count == 0) {
        tact_report_fill(report, TACT_BAD_ARGUMENT, "a hull needs at least one point");
        return NULL;
    }
    if (count > HULL_MAX_POINTS) {
        tact_report_fill(report, TACT_BAD_ARGUMENT, "a hull has at most %u points, but %zu are given", HULL_MAX_POINTS,
                         count);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!vec_finite(points[i])) {
            tact_report_fill(report, TACT_BAD_ARGUMENT, "point %zu of the hull is not finite", i);
            return NULL;
        }
    }
    hull *h = tact_memory_allocate(allocator, 1, sizeof *h);
    tact_status status = TACT_OUT_OF_MEMORY;
    if (h != NULL) {
        memset(h, 0, sizeof *h);
        fp_environment before = fp_environment_enter(); /* double-double arithmetic needs rounding to nearest */
        status = fill(h, points, (uint32_t)count, allocator);
        fp_environment_leave(before);
    }
    if (status != TACT_OK) {
        tact_hull_release(h, allocator);
        tact_report_fill(report, status, "out of memory for the hull of %zu points", count);
        return NULL;
    }
    tact_report_clear(report);
    return h;
}

/* The faces as facets; false if they cannot be those of a hull. */
static bool facets_of_boundary(const hull_boundary *boundary, hull_facets *facets)
{
    uint64_t total = 0;
    for (uint32_t f = 0; f < boundary->face_count; f++) {
        facets->first_vertex[f] = (uint32_t)total;
        total += boundary->face_sizes[f];
        if (boundary->face_sizes[f] < 3 || total > facets->vertex_capacity)
            return false;
    }
    facets->first_vertex[boundary->face_count] = (uint32_t)total;
    for (uint32_t i = 0; i < total; i++) {
        if (boundary->face_vertices[i] >= boundary->vertex_count)
            return false;
        facets->vertices[i] = boundary->face_vertices[i];
    }
    facets->face_count = boundary->face_count;
    facets->vertex_total = (uint32_t)total;
    /* Euler's formula: each edge is in two facets */
    return boundary->dimension == 2
               ? boundary->face_count == 2 && total == 2 * (uint64_t)boundary->vertex_count
               : total % 2 == 0 && boundary->vertex_count + (uint64_t)boundary->face_count == total / 2 + 2;
}

static TACT_NOINLINE tact_status fill_from_boundary(hull *h, const hull_boundary *boundary, hull_facets *facets,
                                                    const tact_allocator *allocator)
{
    const uint32_t basis[4] = {0, 1, 0, 0};
    tact_status status = TACT_OUT_OF_MEMORY;
    h->dimension = (int)boundary->dimension;
    if (boundary->dimension >= 2 ? !facets_of_boundary(boundary, facets)
                                 : boundary->vertex_count != boundary->dimension + 1 || boundary->face_count != 0)
        return TACT_BAD_ARGUMENT;
    if (boundary->dimension < 2) {
        tact_hull_facets_free(facets, allocator);
        if (!make_short_loop(facets, h->dimension, basis, allocator)) {
            *facets = (hull_facets){0};
            return TACT_OUT_OF_MEMORY;
        }
    }
    uint32_t count = boundary->vertex_count;
    tact_vec3 *scaled = tact_memory_allocate(allocator, count, sizeof *scaled);
    uint32_t *index = tact_memory_allocate(allocator, count, sizeof *index);
    if (scaled != NULL && index != NULL) {
        (void)scale_points(boundary->vertices, count, scaled);
        if (fill_vertices(h, boundary->vertices, count, facets, index, allocator) &&
            fill_faces(h, facets, scaled, index, allocator) && fill_neighbours(h, facets, index, allocator))
            status =
                h->vertex_count == count ? TACT_OK : TACT_BAD_ARGUMENT; /* otherwise some vertices are on no face */
        for (uint32_t f = 0; status == TACT_OK && f < h->face_count; f++)
            if (!(vec_length_squared(h->faces[f].normal) > 0.5)) /* a face without area */
                status = TACT_BAD_ARGUMENT;
    }
    tact_memory_free(allocator, scaled, count, sizeof *scaled);
    tact_memory_free(allocator, index, count, sizeof *index);
    if (status == TACT_OK)
        status = tact_hull_direction_table_make(h, allocator);
    return status == TACT_OK ? tact_hull_polar_make(h, allocator) : status;
}

hull *tact_hull_restore(const hull_boundary *boundary, const tact_allocator *allocator, tact_report *report)
{
    uint64_t total = 0;
    for (uint32_t f = 0; f < boundary->face_count; f++)
        total += boundary->face_sizes[f];
    bool fits = boundary->vertex_count >= 1 && boundary->vertex_count <= HULL_MAX_POINTS && boundary->dimension <= 3 &&
                total <= 6 * (uint64_t)boundary->vertex_count;
    for (uint32_t i = 0; fits && i < boundary->vertex_count; i++)
        fits = vec_finite(boundary->vertices[i]);
    if (!fits) {
        tact_report_fill(report, TACT_BAD_ARGUMENT, "the counts or coordinates are not those of a hull");
        return NULL;
    }
    hull *h = tact_memory_allocate(allocator, 1, sizeof *h);
    hull_facets facets = {0};
    tact_status status = TACT_OUT_OF_MEMORY;
    if (h != NULL) {
        memset(h, 0, sizeof *h);
        fp_environment before = fp_environment_enter();
        if (tact_hull_facets_allocate(&facets, boundary->face_count > 0 ? boundary->face_count : 1,
                                      total > 0 ? (uint32_t)total : 2, allocator)) {
            status = fill_from_boundary(h, boundary, &facets, allocator);
            tact_hull_facets_free(&facets, allocator);
        }
        fp_environment_leave(before);
    }
    if (status != TACT_OK) {
        tact_hull_release(h, allocator);
        tact_report_fill(report, status,
                         status == TACT_BAD_ARGUMENT ? "the faces are not those of a hull"
                                                     : "out of memory for the hull");
        return NULL;
    }
    tact_report_clear(report);
    return h;
}

void tact_hull_release(hull *h, const tact_allocator *allocator)
{
    if (h == NULL)
        return;
    tact_hull_polar_free(h, allocator);
    tact_hull_direction_table_free(h, allocator);
    tact_memory_free(allocator, h->vertices, h->vertex_count, sizeof *h->vertices);
    tact_memory_free(allocator, h->first_neighbour, (size_t)h->vertex_count + 1, sizeof *h->first_neighbour);
    tact_memory_free(allocator, h->neighbours, h->neighbour_total, sizeof *h->neighbours);
    tact_memory_free(allocator, h->faces, h->face_count, sizeof *h->faces);
    tact_memory_free(allocator, h->face_vertices, h->face_vertex_total, sizeof *h->face_vertices);
    tact_memory_free(allocator, h, 1, sizeof *h);
}
