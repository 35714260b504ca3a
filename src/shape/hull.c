/*
 * Making the convex hull of any finite points.
 *
 * Guarantees: every corner is an input point, bit for bit; no input point reaches farther along a direction d than
 * the corners do, by more than 2 HULL_SLACK rounding units (2^-53 of the largest absolute coordinate) times |x| + |y|
 * + |z| of d, and nothing at all unless points are coplanar or collinear up to rounding; any scale and place, any
 * aspect; faces are whole polygons.
 *
 * How: scale by a power of two (hull_internal.h); find the dimension up to rounding (hull_dimension.c); build the exact
 * hull with exact predicates (quickhull.c; hull_polygon.c when flat); merge what is flat (hull_coplanar_merge.c); make
 * normals, neighbours and the direction table (hull_direction_table.c).
 */
#include "shape/hull.h"
#include "math/dd_vec.h"
#include "math/fp_environment.h"

#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "shape/hull_internal.h"

/* Indices are 32-bit and a hull has up to twice as many triangles as points, thrice as many edge ends again. */
#define MOST_POINTS 300000000u

/* Writes the scaled points, and returns the largest absolute coordinate of these. */
static double scale_points(const tact_vec3 *points, uint32_t count, tact_vec3 *scaled)
{
    double largest = 0.0;
    int exponent;
    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, vec_max_abs(points[i]));
    largest = frexp(largest, &exponent);
    for (uint32_t i = 0; i < count; i++)
        scaled[i] =
            vec_make(ldexp(points[i].x, -exponent), ldexp(points[i].y, -exponent), ldexp(points[i].z, -exponent));
    return largest;
}

/* Twice the area of a loop, as a vector: the sum of the cross products of a fan (Newell). In pairs of doubles, so
 * that the normal of a face is right to a rounding unit however narrow it is. */
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

/* Corners: the points that are on a loop, in input order. `index` (point_count entries) gets the corner of each
 * point. */
static bool fill_corners(hull *h, const tact_vec3 *points, uint32_t count, const hull_loops *loops, uint32_t *index,
                         const tact_allocator *allocator)
{
    for (uint32_t i = 0; i < count; i++)
        index[i] = HULL_NONE;
    for (uint32_t i = 0; i < loops->total; i++)
        index[loops->points[i]] = 0;
    uint32_t corners = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (index[i] == 0)
            index[i] = corners++;
    }
    h->vertices = tact_memory_allocate(allocator, corners, sizeof *h->vertices);
    if (h->vertices == NULL)
        return false;
    h->vertex_count = corners;
    for (uint32_t i = 0; i < count; i++) {
        if (index[i] != HULL_NONE)
            h->vertices[index[i]] = points[i];
    }
    return true;
}

static bool fill_faces(hull *h, const hull_loops *loops, const tact_vec3 *scaled, const uint32_t *index,
                       const tact_allocator *allocator)
{
    if (h->dimension < 2)
        return true;
    h->face_vertices = tact_memory_allocate(allocator, loops->total, sizeof *h->face_vertices);
    if (h->face_vertices == NULL)
        return false;
    h->face_vertex_total = loops->total;
    h->faces = tact_memory_allocate(allocator, loops->face_count, sizeof *h->faces);
    if (h->faces == NULL)
        return false;
    h->face_count = loops->face_count;
    for (uint32_t i = 0; i < loops->total; i++)
        h->face_vertices[i] = index[loops->points[i]];
    for (uint32_t f = 0; f < h->face_count; f++) {
        hull_face *face = &h->faces[f];
        face->first_vertex = loops->first[f];
        face->vertex_count = loops->first[f + 1] - loops->first[f];
        const uint32_t *loop = loops->points + loops->first[f];
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

/* Every edge is in two loops, in opposite directions: the neighbours of a corner are those that follow it. */
static bool fill_neighbours(hull *h, const hull_loops *loops, const uint32_t *index, const tact_allocator *allocator)
{
    uint32_t *first = tact_memory_allocate(allocator, (size_t)h->vertex_count + 1, sizeof *first);
    h->first_neighbour = first;
    if (first == NULL)
        return false;
    memset(first, 0, ((size_t)h->vertex_count + 1) * sizeof *first);
    if (h->vertex_count == 1)
        return true;
    h->neighbours = tact_memory_allocate(allocator, loops->total, sizeof *h->neighbours);
    if (h->neighbours == NULL)
        return false;
    h->neighbour_total = loops->total;
    for (uint32_t i = 0; i < loops->total; i++)
        first[index[loops->points[i]] + 1]++;
    for (uint32_t i = 0; i < h->vertex_count; i++)
        first[i + 1] += first[i];
    for (uint32_t f = 0; f < loops->face_count; f++) {
        uint32_t begin = loops->first[f], length = loops->first[f + 1] - begin;
        for (uint32_t i = 0; i < length; i++)
            h->neighbours[first[index[loops->points[begin + i]]]++] = index[loops->points[begin + (i + 1) % length]];
    }
    for (uint32_t i = h->vertex_count; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
    return true;
}

/* A single loop through the one or two corners of a hull without faces. */
static bool make_short_loop(hull_loops *loops, int dimension, const uint32_t basis[4], const tact_allocator *allocator)
{
    if (!tact_hull_loops_take(loops, 1, 2, allocator))
        return false;
    loops->face_count = 1;
    loops->total = (uint32_t)dimension + 1;
    loops->first[0] = 0;
    loops->first[1] = loops->total;
    loops->points[0] = basis[0];
    loops->points[1] = basis[1];
    return true;
}

static tact_status make_loops(hull *h, const hull_points *points, hull_loops *loops, const tact_allocator *allocator)
{
    uint32_t basis[4];
    tact_vec3 normal;
    h->dimension = tact_hull_span(points, basis, &normal);
    if (h->dimension < 2)
        return make_short_loop(loops, h->dimension, basis, allocator) ? TACT_OK : TACT_OUT_OF_MEMORY;
    if (h->dimension == 2) {
        tact_status status = tact_hull_polygon_make(loops, points, normal, allocator);
        if (status == TACT_OK && loops->face_count == 1)
            h->dimension = (int)loops->total - 1;
        return status;
    }
    hull_triangles triangles;
    tact_status status = tact_hull_triangles_make(&triangles, points, basis, allocator);
    if (status != TACT_OK)
        return status;
    status = tact_hull_faces_merge(loops, points, &triangles, allocator);
    tact_hull_triangles_free(&triangles, allocator);
    return status;
}

/* All but the struct itself. */
static TACT_NOINLINE tact_status fill(hull *h, const tact_vec3 *points, uint32_t count, const tact_allocator *allocator)
{
    tact_status status = TACT_OUT_OF_MEMORY;
    tact_vec3 *scaled = tact_memory_allocate(allocator, count, sizeof *scaled);
    uint32_t *index = tact_memory_allocate(allocator, count, sizeof *index);
    if (scaled != NULL && index != NULL) {
        hull_points all = {.at = scaled, .count = count};
        double unit = HULL_ROUNDING * scale_points(points, count, scaled);
        all.slack = HULL_SLACK * unit;
        all.edge_slack = HULL_EDGE_SLACK * unit;
        hull_loops loops;
        status = make_loops(h, &all, &loops, allocator);
        if (status == TACT_OK) {
            bool well = fill_corners(h, points, count, &loops, index, allocator) &&
                        fill_faces(h, &loops, scaled, index, allocator) && fill_neighbours(h, &loops, index, allocator);
            tact_hull_loops_free(&loops, allocator);
            status = well ? tact_hull_table_make(h, allocator) : TACT_OUT_OF_MEMORY;
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
    if (count > MOST_POINTS) {
        tact_report_fill(report, TACT_BAD_ARGUMENT, "a hull takes at most %u points, but got %zu", MOST_POINTS, count);
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
        fp_environment before = fp_environment_enter(); /* pairs of doubles need rounding to nearest */
        status = fill(h, points, (uint32_t)count, allocator);
        fp_environment_leave(before);
    }
    if (status != TACT_OK) {
        tact_hull_release(h, allocator);
        tact_report_fill(report, status, "no memory for the hull of %zu points", count);
        return NULL;
    }
    tact_report_clear(report);
    return h;
}

/* The faces as loops; false if they cannot be those of a hull. */
static bool loops_of_parts(const hull_topology *parts, hull_loops *loops)
{
    uint64_t total = 0;
    for (uint32_t f = 0; f < parts->face_count; f++) {
        loops->first[f] = (uint32_t)total;
        total += parts->face_sizes[f];
        if (parts->face_sizes[f] < 3 || total > loops->room)
            return false;
    }
    loops->first[parts->face_count] = (uint32_t)total;
    for (uint32_t i = 0; i < total; i++) {
        if (parts->face_vertices[i] >= parts->vertex_count)
            return false;
        loops->points[i] = parts->face_vertices[i];
    }
    loops->face_count = parts->face_count;
    loops->total = (uint32_t)total;
    /* Euler: each edge is in two loops */
    return parts->dimension == 2 ? parts->face_count == 2 && total == 2 * (uint64_t)parts->vertex_count
                                 : total % 2 == 0 && parts->vertex_count + (uint64_t)parts->face_count == total / 2 + 2;
}

static TACT_NOINLINE tact_status refill(hull *h, const hull_topology *parts, hull_loops *loops,
                                        const tact_allocator *allocator)
{
    const uint32_t basis[4] = {0, 1, 0, 0};
    tact_status status = TACT_OUT_OF_MEMORY;
    h->dimension = (int)parts->dimension;
    if (parts->dimension >= 2 ? !loops_of_parts(parts, loops)
                              : parts->vertex_count != parts->dimension + 1 || parts->face_count != 0)
        return TACT_BAD_ARGUMENT;
    if (parts->dimension < 2) {
        tact_hull_loops_free(loops, allocator);
        if (!make_short_loop(loops, h->dimension, basis, allocator)) {
            *loops = (hull_loops){0};
            return TACT_OUT_OF_MEMORY;
        }
    }
    uint32_t count = parts->vertex_count;
    tact_vec3 *scaled = tact_memory_allocate(allocator, count, sizeof *scaled);
    uint32_t *index = tact_memory_allocate(allocator, count, sizeof *index);
    if (scaled != NULL && index != NULL) {
        (void)scale_points(parts->vertices, count, scaled);
        if (fill_corners(h, parts->vertices, count, loops, index, allocator) &&
            fill_faces(h, loops, scaled, index, allocator) && fill_neighbours(h, loops, index, allocator))
            status = h->vertex_count == count ? TACT_OK : TACT_BAD_ARGUMENT; /* else some are on no face */
        for (uint32_t f = 0; status == TACT_OK && f < h->face_count; f++)
            if (!(vec_length_squared(h->faces[f].normal) > 0.5)) /* a face without area */
                status = TACT_BAD_ARGUMENT;
    }
    tact_memory_free(allocator, scaled, count, sizeof *scaled);
    tact_memory_free(allocator, index, count, sizeof *index);
    if (status == TACT_OK)
        status = tact_hull_table_make(h, allocator);
    return status == TACT_OK ? tact_hull_polar_make(h, allocator) : status;
}

hull *tact_hull_restore(const hull_topology *parts, const tact_allocator *allocator, tact_report *report)
{
    uint64_t total = 0;
    for (uint32_t f = 0; f < parts->face_count; f++)
        total += parts->face_sizes[f];
    bool fits = parts->vertex_count >= 1 && parts->vertex_count <= MOST_POINTS && parts->dimension <= 3 &&
                total <= 6 * (uint64_t)parts->vertex_count;
    for (uint32_t i = 0; fits && i < parts->vertex_count; i++)
        fits = vec_finite(parts->vertices[i]);
    if (!fits) {
        tact_report_fill(report, TACT_BAD_ARGUMENT, "numbers that are not those of a hull");
        return NULL;
    }
    hull *h = tact_memory_allocate(allocator, 1, sizeof *h);
    hull_loops loops = {0};
    tact_status status = TACT_OUT_OF_MEMORY;
    if (h != NULL) {
        memset(h, 0, sizeof *h);
        fp_environment before = fp_environment_enter();
        if (tact_hull_loops_take(&loops, parts->face_count > 0 ? parts->face_count : 1, total > 0 ? (uint32_t)total : 2,
                                 allocator)) {
            status = refill(h, parts, &loops, allocator);
            tact_hull_loops_free(&loops, allocator);
        }
        fp_environment_leave(before);
    }
    if (status != TACT_OK) {
        tact_hull_release(h, allocator);
        tact_report_fill(report, status,
                         status == TACT_BAD_ARGUMENT ? "faces that are not those of a hull" : "no memory for the hull");
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
    tact_hull_table_free(h, allocator);
    tact_memory_free(allocator, h->vertices, h->vertex_count, sizeof *h->vertices);
    tact_memory_free(allocator, h->first_neighbour, (size_t)h->vertex_count + 1, sizeof *h->first_neighbour);
    tact_memory_free(allocator, h->neighbours, h->neighbour_total, sizeof *h->neighbours);
    tact_memory_free(allocator, h->faces, h->face_count, sizeof *h->faces);
    tact_memory_free(allocator, h->face_vertices, h->face_vertex_total, sizeof *h->face_vertices);
    tact_memory_free(allocator, h, 1, sizeof *h);
}
