#include "nurbs/nurbs_shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/report.h"
#include "math/vec.h"
#include "nurbs/nurbs_edges.h"
#include "shape/mesh.h"

static void *out_of_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
    return NULL;
}

/* ---- geometry ---- */

nurbs_geometry *tact_nurbs_geometry_copy(const nurbs_geometry *from, uint32_t first, uint32_t count,
                                         const tact_vec3 *moved, tact_report *report)
{
    const tact_allocator *allocator = &from->model->allocator;
    nurbs_geometry *g = tact_memory_allocate(allocator, 1, sizeof *g);
    if (g == NULL)
        return out_of_memory(report);
    *g = (nurbs_geometry){.model = from->model};
    if (tact_nurbs_tessellation_init_moved(&g->tessellation, &from->tessellation, first, count, moved, report))
        return g;
    tact_memory_free(allocator, g, 1, sizeof *g);
    return NULL;
}

void tact_nurbs_geometry_free(nurbs_geometry *g)
{
    if (g == NULL)
        return;
    const tact_allocator allocator = g->model->allocator;
    if (g->self != NULL) {
        tact_nurbs_self_release(&g->self->self);
        tact_nurbs_bounds_release(&g->self->bounds);
        tact_memory_free(&allocator, g->self, 1, sizeof *g->self);
    }
    tact_nurbs_tessellation_release(&g->tessellation);
    if (g->owns_model)
        tact_nurbs_model_free(g->model);
    tact_memory_free(&allocator, g, 1, sizeof *g);
}

size_t tact_nurbs_geometry_byte_count(const nurbs_geometry *g)
{
    return sizeof *g + tact_nurbs_tessellation_byte_count(&g->tessellation) +
           (g->owns_model ? tact_nurbs_model_byte_count(g->model) : 0);
}

nurbs_move tact_nurbs_geometry_try_move(nurbs_geometry *g, uint32_t first, uint32_t count, const tact_vec3 *points,
                                        tact_report *report)
{
    const nurbs_move move = tact_nurbs_tessellation_try_move(&g->tessellation, first, count, points, report);
    if (move == NURBS_MOVE_POSITIONS && g->self != NULL)
        (void)tact_nurbs_bounds_update(&g->self->bounds, move); /* needs no memory */
    return move;
}

/* ---- self-collision ---- */

static bool create_self(nurbs_geometry *g)
{
    const tact_allocator *allocator = &g->model->allocator;
    nurbs_self_state *state = tact_memory_allocate(allocator, 1, sizeof *state);
    if (state == NULL)
        return false;
    if (tact_nurbs_bounds_init(&state->bounds, &g->tessellation)) {
        if (tact_nurbs_self_init(&state->self, &state->bounds)) {
            g->self = state;
            return true;
        }
        tact_nurbs_bounds_release(&state->bounds);
    }
    tact_memory_free(allocator, state, 1, sizeof *state);
    return false;
}

/* The middle between the closest vertices of two cells that are not shared, and the triangles that have them. */
static tact_vec3 point_between(const nurbs_tessellation *t, const nurbs_cell *a, const nurbs_cell *b,
                               uint32_t triangles[2])
{
    const uint32_t *first = t->triangles.items[a->first_triangle].vertex;
    tact_vec3 point = t->positions[first[0]];
    double least = INFINITY;
    triangles[0] = a->first_triangle;
    triangles[1] = b->first_triangle;
    for (uint32_t i = 0; i < a->triangle_count; i++)
        for (uint32_t j = 0; j < b->triangle_count; j++)
            for (uint32_t k = 0; k < 9; k++) {
                const uint32_t v = t->triangles.items[a->first_triangle + i].vertex[k / 3],
                               w = t->triangles.items[b->first_triangle + j].vertex[k % 3];
                const tact_vec3 way = vec_sub(t->positions[w], t->positions[v]);
                const double distance = vec_max_abs(way);
                if (v == w || !(distance < least))
                    continue;
                least = distance;
                point = vec_mul_add(t->positions[v], 0.5, way);
                triangles[0] = a->first_triangle + i;
                triangles[1] = b->first_triangle + j;
            }
    return point;
}

tact_status tact_nurbs_geometry_find_self_contact(nurbs_geometry *g, bool *touches, tact_vec3 *point,
                                                  uint32_t triangles[2])
{
    const nurbs_tessellation *t = &g->tessellation;
    if ((g->self == NULL && !create_self(g)) || !tact_nurbs_self_update(&g->self->self, false))
        return TACT_OUT_OF_MEMORY;
    const nurbs_self_pair_array *pairs = &g->self->self.pairs;
    *touches = false;
    for (size_t i = 0; i < pairs->count && !*touches; i++) {
        const nurbs_cell *a = &t->cells.items[pairs->items[i].a], *b = &t->cells.items[pairs->items[i].b];
        *touches = a->triangle_count > 0 && b->triangle_count > 0;
        if (*touches)
            *point = point_between(t, a, b, triangles);
    }
    return TACT_OK;
}

/* The beginning (0) or the end (1) of a curve of an edge, in space. */
static tact_vec3 end_of_curve(const nurbs_geometry *g, const tact_nurbs_edge *e, int side, int end)
{
    const nurbs_model *m = g->model;
    const uint32_t surface = e->surface[side];
    double uv[2];
    tact_vec3 p;
    tact_nurbs_edge_curve_point(m, surface, e->loop[side], e->curve[side], end, uv);
    tact_nurbs_evaluate_at(&m->surfaces[surface], g->tessellation.points + m->first_point[surface], uv[0], uv[1], 0,
                           &p);
    return p;
}

/* Says where both curves of the widest edge are apart: at an end, or between them. */
static bool explain_gap(const nurbs_geometry *g, double tolerance, tact_report *report)
{
    const nurbs_tessellation *t = &g->tessellation;
    const uint32_t edge = t->widest_edge;
    const tact_vec3 at = t->widest_at;
    if (edge >= g->model->edge_count) /* curves too short for the tolerance, many in a row */
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "edges meet %.3g apart at (%.4g, %.4g, %.4g), tolerance %.3g", t->edge_gap, at.x, at.y,
                                at.z, tolerance),
               false;
    const tact_nurbs_edge *e = &g->model->edges[edge];
    char curves[96];
    (void)snprintf(curves, sizeof curves, "edge %u (surface %u, loop %u, curve %u; surface %u, loop %u, curve %u)",
                   edge, (unsigned)e->surface[0], (unsigned)e->loop[0], (unsigned)e->curve[0], (unsigned)e->surface[1],
                   (unsigned)e->loop[1], (unsigned)e->curve[1]);
    for (int end = 0; end < 2; end++) {
        const tact_vec3 p = end_of_curve(g, e, 0, end);
        double nearest = INFINITY;
        for (int other = 0; other < 2; other++)
            nearest = number_min(nearest, vec_length_safe(vec_sub(end_of_curve(g, e, 1, other), p)));
        if (nearest > tolerance)
            return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                    "%s: the first curve ends at (%.4g, %.4g, %.4g), the second one %.3g away", curves,
                                    p.x, p.y, p.z, nearest),
                   false;
    }
    return tact_report_fill(report, TACT_BAD_ARGUMENT,
                            "%s: the curves are %.3g apart at (%.4g, %.4g, %.4g), tolerance %.3g", curves, t->edge_gap,
                            at.x, at.y, at.z, tolerance),
           false;
}

/* Whether the surfaces of a shape with edges fit: the gap is at most the largest tolerance, and a solid is closed. */
static bool check_edges(const nurbs_geometry *g, bool solid, tact_report *report)
{
    const nurbs_tessellation *t = &g->tessellation;
    if (g->model->edge_count == 0)
        return true;
    double tolerance = 0.0;
    for (uint32_t i = 0; i < g->model->surface_count; i++)
        tolerance = number_max(tolerance, g->model->tolerances[i].edges);
    if (t->edge_gap > tolerance)
        return explain_gap(g, tolerance, report);
    size_t open = 0;
    uint32_t vertex = 0;
    if (solid && !tact_nurbs_count_open_edges(t, &open, &vertex))
        return (void)out_of_memory(report), false;
    if (open > 0) {
        const tact_vec3 p = t->positions[vertex];
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "the surfaces are not closed: %zu edges of triangles have no neighbour, one of them at "
                                "(%.6g, %.6g, %.6g) on surface %u",
                                open, p.x, p.y, p.z,
                                (unsigned)g->model->patches[t->vertices.items[vertex].patch].surface),
               false;
    }
    return true;
}

static nurbs_geometry *create_geometry(const tact_nurbs_def *defs, size_t count, tact_report *report)
{
    const tact_allocator *allocator = &defs[0].allocator;
    nurbs_model *model = tact_nurbs_model_create(defs, count, allocator, report);
    if (model == NULL)
        return NULL;
    nurbs_geometry *g = tact_memory_allocate(allocator, 1, sizeof *g);
    tact_vec3 *points = tact_memory_allocate(allocator, nurbs_point_count(model), sizeof *points);
    bool fine = g != NULL && points != NULL;
    if (fine) {
        for (size_t i = 0; i < count; i++)
            memcpy(points + model->first_point[i], defs[i].points,
                   (model->first_point[i + 1] - model->first_point[i]) * sizeof *points);
        *g = (nurbs_geometry){.model = model, .owns_model = true};
        fine = tact_nurbs_tessellation_init(&g->tessellation, model, points, report);
        if (fine && !check_edges(g, defs[0].solid, report)) {
            tact_nurbs_tessellation_release(&g->tessellation);
            fine = false;
        }
    } else {
        (void)out_of_memory(report);
    }
    tact_memory_free(allocator, points, nurbs_point_count(model), sizeof *points);
    if (fine)
        return g;
    tact_memory_free(allocator, g, 1, sizeof *g);
    tact_nurbs_model_free(model);
    return NULL;
}

/* ---- shapes ---- */

tact_shape *tact_nurbs_triangles_create(const nurbs_tessellation *t, bool solid, double margin,
                                        const tact_allocator *allocator, tact_report *report)
{
    const size_t count = 3 * t->triangles.count;
    if (count == 0) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the surfaces are points: they have no triangles");
        return NULL;
    }
    uint32_t *indices = tact_memory_allocate(allocator, count, sizeof *indices);
    if (indices == NULL)
        return out_of_memory(report);
    for (size_t i = 0; i < t->triangles.count; i++)
        memcpy(indices + 3 * i, t->triangles.items[i].vertex, 3 * sizeof *indices);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){t->positions, t->vertices.count, sizeof *t->positions, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = count;
    def.solid = solid;
    def.margin = margin;
    def.allocator = *allocator;
    tact_shape *shape = tact_mesh_create(&def, report);
    tact_memory_free(allocator, indices, count, sizeof *indices);
    return shape;
}

tact_shape *tact_nurbs_mesh_create(const nurbs_geometry *geometry, bool solid, double margin,
                                   const tact_allocator *allocator, tact_report *report)
{
    tact_shape *shape = tact_nurbs_triangles_create(&geometry->tessellation, solid, margin, allocator, report);
    if (shape != NULL)
        shape->surface_error = geometry->tessellation.error;
    return shape;
}

tact_shape *tact_nurbs_create(const tact_nurbs_def *defs, size_t count, tact_report *report)
{
    tact_report own;
    report = report != NULL ? report : &own;
    if (defs == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the def is NULL");
        return NULL;
    }
    nurbs_geometry *g = count > 0 ? create_geometry(defs, count, report) : NULL;
    if (count == 0)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "there is no surface");
    if (g == NULL)
        return NULL;
    tact_shape *shape = tact_nurbs_mesh_create(g, defs[0].solid, defs[0].margin, &defs[0].allocator, report);
    if (shape == NULL) {
        tact_nurbs_geometry_free(g);
        return NULL;
    }
    shape->nurbs = g;
    shape->free_nurbs = tact_nurbs_geometry_free;
    return shape;
}

tact_shape *tact_nurbs(const tact_nurbs_def *def) { return tact_nurbs_create(def, 1, NULL); }

/* ---- queries ---- */

size_t tact_nurbs_get_surface_count(const tact_shape *shape)
{
    return shape != NULL && shape->nurbs != NULL ? shape->nurbs->model->surface_count : 0;
}

tact_status tact_nurbs_get_surface(const tact_shape *shape, size_t index, tact_nurbs_def *def)
{
    if (def == NULL || index >= tact_nurbs_get_surface_count(shape))
        return TACT_BAD_ARGUMENT;
    const nurbs_geometry *g = shape->nurbs;
    const nurbs_surface *s = &g->model->surfaces[index];
    const nurbs_trim *trim = g->model->trims[index];
    *def = (tact_nurbs_def){.degree = {s->degree[0], s->degree[1]},
                            .counts = {s->counts[0], s->counts[1]},
                            .knots = {s->knots[0], s->knots[1]},
                            .points = g->tessellation.points + g->model->first_point[index],
                            .weights = s->weights,
                            .trims = trim != NULL ? trim->loops : NULL,
                            .trim_count = trim != NULL ? trim->loop_count : 0,
                            .tolerance = g->model->tolerances[index].surface,
                            .solid = shape->mesh->solid,
                            .margin = shape->margin,
                            .allocator = shape->allocator};
    return TACT_OK;
}

size_t tact_nurbs_get_edges(const tact_shape *shape, tact_nurbs_edge *edges, size_t capacity)
{
    const nurbs_model *m = shape != NULL && shape->nurbs != NULL ? shape->nurbs->model : NULL;
    const size_t count = m != NULL ? m->edge_count : 0;
    for (size_t i = 0; edges != NULL && i < count && i < capacity; i++)
        edges[i] = m->edges[i];
    return count;
}

double tact_nurbs_get_error(const tact_shape *shape)
{
    return shape != NULL && shape->nurbs != NULL ? shape->surface_error : 0.0;
}
