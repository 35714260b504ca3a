#include "surface_frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/nurbs.h>

#include "core/memory.h"
#include "nurbs/nurbs_shape.h"

size_t tact_surface_point_count(const tact_shape *shape) { return nurbs_point_count(shape->nurbs->model); }

void tact_surface_points(const tact_shape *shape, tact_vec3 *points)
{
    memcpy(points, shape->nurbs->tessellation.points, tact_surface_point_count(shape) * sizeof *points);
}

static bool same_numbers(const double *a, const double *b, size_t count)
{
    if (a == NULL || b == NULL)
        return a == b;
    for (size_t i = 0; i < count; i++)
        if (!(a[i] == b[i]))
            return false;
    return true;
}

static bool same_curve(const tact_nurbs_curve *a, const tact_nurbs_curve *b)
{
    return a->degree == b->degree && a->count == b->count &&
           same_numbers(a->knots, b->knots, a->count + (size_t)a->degree + 1) &&
           same_numbers(a->points[0], b->points[0], 2 * a->count) && same_numbers(a->weights, b->weights, a->count);
}

static bool same_trims(const tact_nurbs_def *a, const tact_nurbs_def *b)
{
    bool same = a->trim_count == b->trim_count;
    for (size_t i = 0; i < a->trim_count && same; i++) {
        same = a->trims[i].curve_count == b->trims[i].curve_count;
        for (size_t k = 0; k < a->trims[i].curve_count && same; k++)
            same = same_curve(&a->trims[i].curves[k], &b->trims[i].curves[k]);
    }
    return same;
}

/* What differs between two surfaces; NULL: only control points. */
static const char *difference(const tact_nurbs_def *a, const tact_nurbs_def *b)
{
    for (int d = 0; d < 2; d++) {
        if (a->degree[d] != b->degree[d])
            return "other degrees";
        if (a->counts[d] != b->counts[d])
            return "other numbers of control points";
    }
    for (int d = 0; d < 2; d++)
        if (!same_numbers(a->knots[d], b->knots[d], a->counts[d] + (size_t)a->degree[d] + 1))
            return "other knots";
    if (!same_numbers(a->weights, b->weights, a->counts[0] * a->counts[1]))
        return "other weights";
    return same_trims(a, b) ? NULL : "other trims";
}

bool tact_surface_match(const tact_shape *a, const char *path_a, const tact_shape *b, const char *path_b, char *error,
                        size_t size)
{
    const size_t counts[2] = {tact_nurbs_get_surface_count(a), tact_nurbs_get_surface_count(b)};
    if (counts[0] != counts[1]) {
        (void)snprintf(error, size, "%s: has %zu surface%s, but %s has %zu", path_b, counts[1],
                       counts[1] == 1 ? "" : "s", path_a, counts[0]);
        return false;
    }
    for (size_t i = 0; i < counts[0]; i++) {
        tact_nurbs_def one = {0}, other = {0};
        (void)tact_nurbs_get_surface(a, i, &one);
        (void)tact_nurbs_get_surface(b, i, &other);
        const char *what = difference(&one, &other);
        if (what) {
            (void)snprintf(error, size, "%s: surface %zu has %s than in %s", path_b, i, what, path_a);
            return false;
        }
    }
    return true;
}

/* The triangles at some positions as a mesh. False: out of memory. */
static bool mesh_make(const nurbs_tessellation *t, const tact_vec3 *positions, mesh_file *out)
{
    const size_t vertices = t->vertices.count, faces = t->triangles.count;
    *out = (mesh_file){.vertex_count = vertices, .index_count = 3 * faces, .face_count = faces, .format = "NURBS"};
    out->vertices = tact_memory_allocate(&out->allocator, 3 * vertices, sizeof *out->vertices);
    out->indices = tact_memory_allocate(&out->allocator, 3 * faces, sizeof *out->indices);
    out->face_start = tact_memory_allocate(&out->allocator, faces + 1, sizeof *out->face_start);
    if (!out->face_start || (vertices > 0 && !out->vertices) || (faces > 0 && !out->indices)) {
        tact_mesh_file_release(out);
        return false;
    }
    for (size_t i = 0; i < vertices; i++) {
        const tact_vec3 p = positions[i];
        memcpy(out->vertices + 3 * i, (const double[3]){p.x, p.y, p.z}, 3 * sizeof(double));
    }
    for (size_t i = 0; i <= faces; i++)
        out->face_start[i] = (uint32_t)(3 * i);
    for (size_t i = 0; i < faces; i++)
        memcpy(out->indices + 3 * i, t->triangles.items[i].vertex, 3 * sizeof *out->indices);
    return true;
}

bool tact_surface_frames_make(surface_frames *s, const char *path, mesh_file *out, char *error, size_t size)
{
    const nurbs_model *model = s->shape->nurbs->model;
    const size_t count = nurbs_point_count(model);
    tact_report report;
    for (size_t i = 0; i < s->frame_count * count; i++) {
        const tact_vec3 p = s->frames[i];
        if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) <= NURBS_MAX_COORDINATE)
            continue;
        (void)snprintf(error, size, "%s: frame %zu: control point %zu is too far out", path, i / count, i % count);
        return false;
    }
    s->made = tact_nurbs_tessellation_init_moving(&s->tessellation, model, s->frames, s->frames + count,
                                                  s->frame_count - 1, &report);
    if (!s->made) {
        (void)snprintf(error, size, "%s: %s", path, report.text);
        return false;
    }
    if (mesh_make(&s->tessellation, s->tessellation.positions, out))
        return true;
    (void)snprintf(error, size, "%s: there is not enough memory", path);
    return false;
}

bool tact_surface_frames_make_last(const surface_frames *s, const char *path, mesh_file *out, char *error, size_t size)
{
    const nurbs_tessellation *t = &s->tessellation;
    tact_vec3 *positions = malloc((t->vertices.count + 1) * sizeof *positions);
    if (positions)
        tact_nurbs_tessellation_place(t, s->frames + (s->frame_count - 1) * nurbs_point_count(t->model), positions);
    const bool good = positions && mesh_make(t, positions, out);
    free(positions);
    if (!good)
        (void)snprintf(error, size, "%s: there is not enough memory", path);
    return good;
}

void tact_surface_frames_place(const surface_frames *s, const tact_vec3 *points, tact_vec3 *positions)
{
    tact_nurbs_tessellation_place(&s->tessellation, points, positions);
}

void tact_surface_frames_release(surface_frames *s)
{
    if (s->made)
        tact_nurbs_tessellation_release(&s->tessellation);
    tact_shape_release(s->shape);
    free(s->frames);
    *s = (surface_frames){0};
}
