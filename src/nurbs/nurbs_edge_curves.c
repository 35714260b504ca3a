#include "nurbs/nurbs_edge_curves.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/report.h"
#include "math/vec.h"

uint32_t tact_nurbs_loop_count(const nurbs_model *m, uint32_t surface)
{
    return m->trims[surface] != NULL ? (uint32_t)m->trims[surface]->loop_count : 1;
}

uint32_t tact_nurbs_loop_curve_count(const nurbs_model *m, uint32_t surface, uint32_t loop)
{
    return m->trims[surface] != NULL ? (uint32_t)m->trims[surface]->loops[loop].curve_count : 4;
}

/* Makes room for the junctions of all curves; none has been searched. */
static bool allocate_junctions(nurbs_model *m)
{
    m->first_junction = tact_memory_allocate(&m->allocator, (size_t)m->surface_count + 1, sizeof *m->first_junction);
    if (m->first_junction == NULL)
        return false;
    size_t count = 0;
    for (uint32_t s = 0; s < m->surface_count; s++) {
        m->first_junction[s] = count;
        count += m->trims[s] != NULL ? m->trims[s]->curve_count : 4;
    }
    m->first_junction[m->surface_count] = count;
    m->junctions = tact_memory_allocate(&m->allocator, count, sizeof *m->junctions);
    if (m->junctions != NULL)
        memset(m->junctions, 0, count * sizeof *m->junctions);
    return m->junctions != NULL;
}

bool tact_nurbs_model_set_edges(nurbs_model *m, const tact_nurbs_edge *edges, size_t count, tact_report *report)
{
    if (count == 0)
        return true;
    if (edges == NULL || count > NURBS_MAX_EDGES)
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                edges == NULL ? "the edges are missing (NULL)" : "too many edges"),
               false;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            const uint32_t surface = edges[i].surface[k], loop = edges[i].loop[k], curve = edges[i].curve[k];
            if (surface >= m->surface_count || loop >= tact_nurbs_loop_count(m, surface) ||
                curve >= tact_nurbs_loop_curve_count(m, surface, loop))
                return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                        "edge %zu: there is no surface %u with loop %u and curve %u", i, surface, loop,
                                        curve),
                       false;
        }
    m->edges = tact_memory_allocate(&m->allocator, count, sizeof *m->edges);
    if (m->edges != NULL) {
        m->edge_count = count;
        memcpy(m->edges, edges, count * sizeof *edges);
    }
    if (m->edges == NULL || !allocate_junctions(m))
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory"), false;
    return true;
}

static double domain_end(const nurbs_surface *s, int d, bool high)
{
    return s->knots[d][high ? s->counts[d] : (uint32_t)s->degree[d]];
}

void tact_nurbs_edge_curve_point(const nurbs_model *m, uint32_t surface, uint32_t loop, uint32_t curve, double fraction,
                                 double uv[2])
{
    const nurbs_surface *s = &m->surfaces[surface];
    if (m->trims[surface] != NULL) {
        const tact_nurbs_curve *c = &m->trims[surface]->loops[loop].curves[curve];
        const double low = c->knots[c->degree], high = c->knots[c->count];
        tact_nurbs_trim_curve_point(c, low + fraction * (high - low), uv);
        return;
    }
    const double along = curve < 2 ? fraction : 1.0 - fraction, across = curve == 1 || curve == 2 ? 1.0 : 0.0;
    for (int d = 0; d < 2; d++) {
        const double low = domain_end(s, d, false), high = domain_end(s, d, true);
        uv[d] = low + (curve % 2 == (uint32_t)d ? along : across) * (high - low);
    }
}

tact_vec3 tact_nurbs_grid_place(const nurbs_model *m, uint32_t surface, const double uv[2])
{
    const nurbs_surface *s = &m->surfaces[surface];
    double place[2];
    for (int d = 0; d < 2; d++) {
        uint32_t low = 0, high = s->span_count[d]; /* the last span that begins at or before the parameter */
        while (high - low > 1) {
            const uint32_t middle = (low + high) / 2;
            if (s->knots[d][s->spans[d][middle]] <= uv[d])
                low = middle;
            else
                high = middle;
        }
        const double *knot = s->knots[d] + s->spans[d][low];
        double local = NURBS_GRID * number_min(1.0, number_max(0.0, (uv[d] - knot[0]) / (knot[1] - knot[0])));
        const double ends[2] = {domain_end(s, d, false), domain_end(s, d, true)};
        const double gap = NURBS_TRIM_GAP * (ends[1] - ends[0]);
        if (m->trims[surface] != NULL && uv[d] >= ends[0] + gap && uv[d] <= ends[1] - gap)
            local = 2.0 * floor(0.5 * local) + 1.0; /* as the points of chains: else corners of cells are closer */
        place[d] = (double)NURBS_GRID * low + local;
    }
    return vec_make(place[0], place[1], 0.0);
}

/* ---- seams ---- */

/* The side of a surface that a curve is a part of; 4: none. */
static uint32_t side_of_curve(const nurbs_model *m, uint32_t surface, uint32_t loop, uint32_t curve)
{
    if (m->trims[surface] == NULL)
        return curve;
    const nurbs_surface *s = &m->surfaces[surface];
    const tact_nurbs_curve *c = &m->trims[surface]->loops[loop].curves[curve];
    for (uint32_t side = 0; side < 4; side++) {
        const int d = side % 2 == 0 ? 1 : 0; /* the parameter that is constant */
        const double low = domain_end(s, d, false), high = domain_end(s, d, true),
                     at = side == 1 || side == 2 ? high : low;
        bool all = true;
        for (size_t i = 0; i < c->count && all; i++)
            all = fabs(c->points[i][d] - at) <= NURBS_TRIM_GAP * (high - low);
        if (all)
            return side;
    }
    return 4;
}

/* The class of side k of patch i along that side of a surface. */
static uint32_t side_class(const nurbs_model *m, uint32_t surface, uint32_t k, uint32_t i)
{
    const uint32_t *spans = m->surfaces[surface].span_count;
    const uint32_t far = k == 1 || k == 2 ? spans[k % 2 == 0 ? 1 : 0] - 1 : 0, a = k % 2 == 0 ? i : far,
                   b = k % 2 == 0 ? far : i;
    return m->patches[m->first_patch[surface] + a * spans[1] + b].side[k];
}

bool tact_nurbs_edge_is_seam(const nurbs_model *m, const tact_nurbs_edge *e)
{
    const uint32_t surface = e->surface[0], sides[2] = {side_of_curve(m, surface, e->loop[0], e->curve[0]),
                                                        side_of_curve(m, e->surface[1], e->loop[1], e->curve[1])};
    if (surface != e->surface[1] || sides[0] == 4 || sides[1] == 4 || sides[0] == sides[1])
        return false;
    const uint32_t n = m->surfaces[surface].span_count[sides[0] % 2];
    if (m->surfaces[surface].span_count[sides[1] % 2] != n)
        return false;
    bool along = true, against = true;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = side_class(m, surface, sides[0], i);
        along = along && a != NURBS_POLE && a == side_class(m, surface, sides[1], i);
        against = against && a != NURBS_POLE && a == side_class(m, surface, sides[1], n - 1 - i);
    }
    return along || against;
}
