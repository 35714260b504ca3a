/*
 * The memory of a NURBS surface: copies of knots and weights, spans and extraction operators. O((n + m) p^4) time for
 * n + m knots, without the copies.
 */
#include "nurbs/nurbs_surface.h"

#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "nurbs/nurbs_basis.h"
#include "nurbs/nurbs_check.h"

static size_t knot_count(const nurbs_surface *s, int d) { return (size_t)s->counts[d] + (size_t)s->degree[d] + 1; }

static size_t point_count(const nurbs_surface *s) { return (size_t)s->counts[0] * s->counts[1]; }

/* Bytes of one extraction operator. */
static size_t operator_size(int degree) { return (size_t)(degree + 1) * (size_t)(degree + 1) * sizeof(double); }

static bool all_equal(const double *weights, size_t count)
{
    for (size_t i = 1; i < count; ++i)
        if (weights[i] != weights[0])
            return false;
    return true;
}

/* The knots, spans and extraction operators of one direction. False: out of memory. */
static bool init_direction(nurbs_surface *s, int d, const double *knots, const tact_allocator *allocator)
{
    int degree = s->degree[d];
    size_t total = knot_count(s, d);
    s->span_count[d] = 0;
    for (size_t k = (size_t)degree; k < s->counts[d]; ++k)
        s->span_count[d] += knots[k] < knots[k + 1];
    s->knots[d] = tact_memory_allocate(allocator, total, sizeof(double));
    s->spans[d] = tact_memory_allocate(allocator, s->span_count[d], sizeof(uint32_t));
    s->extraction[d] = tact_memory_allocate(allocator, s->span_count[d], operator_size(degree));
    if (s->knots[d] == NULL || s->spans[d] == NULL || s->extraction[d] == NULL)
        return false;
    memcpy(s->knots[d], knots, total * sizeof(double));
    uint32_t span = 0;
    for (uint32_t k = (uint32_t)degree; k < s->counts[d]; ++k)
        if (knots[k] < knots[k + 1]) {
            double *operator_of_span = s->extraction[d] + (size_t)span * operator_size(degree) / sizeof(double);
            tact_nurbs_extraction_of_knots(knots, degree, k, operator_of_span);
            s->spans[d][span++] = k;
        }
    return true;
}

bool tact_nurbs_surface_init(nurbs_surface *s, const tact_nurbs_def *def, const tact_allocator *allocator,
                             tact_report *report)
{
    *s = (nurbs_surface){0};
    if (!tact_nurbs_check(def, report))
        return false;
    for (int d = 0; d < 2; ++d) {
        s->degree[d] = def->degree[d];
        s->counts[d] = (uint32_t)def->counts[d];
    }
    bool good = init_direction(s, 0, def->knots[0], allocator) && init_direction(s, 1, def->knots[1], allocator);
    if (good && def->weights != NULL && !all_equal(def->weights, point_count(s))) {
        s->weights = tact_memory_allocate(allocator, point_count(s), sizeof(double));
        good = s->weights != NULL;
        if (good)
            memcpy(s->weights, def->weights, point_count(s) * sizeof(double));
    }
    if (!good) {
        tact_nurbs_surface_release(s, allocator);
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for a NURBS surface");
        return false;
    }
    (void)tact_report_clear(report);
    return true;
}

void tact_nurbs_surface_release(nurbs_surface *s, const tact_allocator *allocator)
{
    for (int d = 0; d < 2; ++d) {
        tact_memory_free(allocator, s->knots[d], knot_count(s, d), sizeof(double));
        tact_memory_free(allocator, s->spans[d], s->span_count[d], sizeof(uint32_t));
        tact_memory_free(allocator, s->extraction[d], s->span_count[d], operator_size(s->degree[d]));
    }
    tact_memory_free(allocator, s->weights, point_count(s), sizeof(double));
    *s = (nurbs_surface){0};
}

size_t tact_nurbs_surface_byte_count(const nurbs_surface *s)
{
    size_t bytes = s->weights != NULL ? point_count(s) * sizeof(double) : 0;
    for (int d = 0; d < 2; ++d)
        if (s->knots[d] != NULL)
            bytes +=
                knot_count(s, d) * sizeof(double) + s->span_count[d] * (sizeof(uint32_t) + operator_size(s->degree[d]));
    return bytes;
}

uint32_t tact_nurbs_find_span(const nurbs_surface *s, int d, double t)
{
    uint32_t low = 0, high = s->span_count[d];
    while (high - low > 1) { /* span `low` begins at or before t, or is the first; span `high` begins after t */
        uint32_t middle = low + (high - low) / 2;
        if (s->knots[d][s->spans[d][middle]] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void tact_nurbs_basis(const nurbs_surface *s, int d, uint32_t span, double t, int order, double *out)
{
    tact_nurbs_basis_of_knots(s->knots[d], s->degree[d], s->spans[d][span], t, order, out);
}

void tact_nurbs_extract_patch(const nurbs_surface *s, const tact_vec3 *points, const uint32_t span[2], nurbs_vec4 *out)
{
    size_t p = (size_t)s->degree[0], q = (size_t)s->degree[1], m = s->counts[1];
    size_t corner = (s->spans[0][span[0]] - p) * m + s->spans[1][span[1]] - q;
    const double *along_u = s->extraction[0] + span[0] * (p + 1) * (p + 1);
    const double *along_v = s->extraction[1] + span[1] * (q + 1) * (q + 1);
    for (size_t a = 0; a <= p; ++a)
        for (size_t b = 0; b <= q; ++b)
            out[a * (q + 1) + b] = (nurbs_vec4){0.0, 0.0, 0.0, s->weights != NULL ? 0.0 : 1.0};
    for (size_t i = 0; i <= p; ++i) {
        for (size_t b = 0; b <= q; ++b) {
            nurbs_vec4 sum = {0}; /* of row i of the control points */
            for (size_t j = 0; j <= q; ++j) {
                double c = along_v[b * (q + 1) + j];
                tact_vec3 x = points[corner + i * m + j];
                if (s->weights != NULL) {
                    c *= s->weights[corner + i * m + j];
                    sum.w += c;
                }
                sum.x += c * x.x;
                sum.y += c * x.y;
                sum.z += c * x.z;
            }
            for (size_t a = 0; a <= p; ++a) {
                double c = along_u[a * (p + 1) + i];
                nurbs_vec4 *to = &out[a * (q + 1) + b];
                to->x += c * sum.x;
                to->y += c * sum.y;
                to->z += c * sum.z;
                if (s->weights != NULL)
                    to->w += c * sum.w;
            }
        }
    }
}
