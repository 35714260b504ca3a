/*
 * Positions of the vertices of a tessellation: sums of control points with coefficients that are products of tabulated
 * basis functions. A vertex costs (p + 1)(q + 1) multiplications and additions per coordinate.
 */
#include "nurbs/nurbs_positions.h"

#include <math.h>

#include "math/vec.h"

/* ---- tables of basis functions ---- */

/* The basis functions of a span at s in [0, 1]: Bernstein polynomials times the extraction operator. Sums of positive
 * numbers, without cancellation. */
static void basis_row(const nurbs_surface *surface, int d, uint32_t span, double s, double *row)
{
    const int order = surface->degree[d] + 1;
    double bernstein[NURBS_MAX_ORDER] = {1.0};
    for (int n = 1; n < order; n++) {
        double left = 0.0;
        for (int i = 0; i < n; i++) {
            const double value = bernstein[i];
            bernstein[i] = left + (1.0 - s) * value;
            left = s * value;
        }
        bernstein[n] = left;
    }
    const double *e = surface->extraction[d] + (size_t)span * (size_t)(order * order);
    for (int i = 0; i < order; i++) {
        double sum = 0.0;
        for (int a = 0; a < order; a++)
            sum += bernstein[a] * e[a * order + i];
        row[i] = sum;
    }
}

/* Extends a table to `level`. */
static bool extend_table(nurbs_tessellation *t, uint32_t surface, int d, uint32_t span, int level)
{
    const nurbs_surface *s = &t->model->surfaces[surface];
    nurbs_table *table = &t->tables[d][t->first_table[d][surface] + span];
    if (table->level >= level)
        return true;
    double *rows = tact_memory_allocate(&t->allocator, nurbs_table_size(s, d, level), sizeof *rows);
    if (rows == NULL)
        return false;
    for (size_t i = 0; i <= (size_t)1 << level; i++)
        basis_row(s, d, span, ldexp((double)i, -level), rows + i * (size_t)(s->degree[d] + 1));
    if (table->level >= 0)
        tact_memory_free(&t->allocator, table->rows, nurbs_table_size(s, d, table->level), sizeof *rows);
    *table = (nurbs_table){level, rows};
    return true;
}

bool tact_nurbs_tables_extend(nurbs_tessellation *t)
{
    const nurbs_model *m = t->model;
    for (uint32_t i = 0; i < m->patch_count; i++) {
        int level = 0;
        for (uint32_t c = t->first_cell[i]; c < t->first_cell[i + 1]; c++)
            level = t->cells.items[c].level > level ? t->cells.items[c].level : level;
        const nurbs_patch *p = &m->patches[i];
        for (int d = 0; d < 2; d++)
            if (!extend_table(t, p->surface, d, p->span[d], level + 1))
                return false;
    }
    return true;
}

/* The row at a coordinate: of the table or, for a vertex of a trimming curve, computed in `own`. The bits are the same.
 */
static const double *table_row(const nurbs_tessellation *t, const nurbs_patch *p, int d, uint32_t grid, double *own)
{
    const nurbs_table *table = &t->tables[d][t->first_table[d][p->surface] + p->span[d]];
    const nurbs_surface *s = &t->model->surfaces[p->surface];
    const int shift = NURBS_GRID_LEVEL - table->level;
    if ((grid & ((1u << shift) - 1u)) == 0)
        return table->rows + (size_t)(grid >> shift) * (size_t)(s->degree[d] + 1);
    basis_row(s, d, p->span[d], ldexp((double)grid, -NURBS_GRID_LEVEL), own);
    return own;
}

/* ---- positions ---- */

tact_vec3 tact_nurbs_vertex_position(const nurbs_tessellation *t, const nurbs_vertex *vertex)
{
    const nurbs_model *m = t->model;
    const nurbs_patch *p = &m->patches[vertex->patch];
    const nurbs_surface *s = &m->surfaces[p->surface];
    double own[2][NURBS_MAX_ORDER];
    const double *u = table_row(t, p, 0, vertex->x, own[0]), *v = table_row(t, p, 1, vertex->y, own[1]);
    const size_t width = s->counts[1];
    const size_t corner = nurbs_patch_corner(s, p);
    const tact_vec3 *points = t->points + m->first_point[p->surface] + corner;
    const double *weights = s->weights != NULL ? s->weights + corner : NULL;
    tact_vec3 sum = {0.0, 0.0, 0.0};
    double total = 0.0;
    for (int i = 0; i <= s->degree[0]; i++, points += width) {
        tact_vec3 row = {0.0, 0.0, 0.0};
        if (weights == NULL) {
            for (int j = 0; j <= s->degree[1]; j++)
                row = vec_mul_add(row, v[j], points[j]);
        } else {
            double row_weight = 0.0;
            for (int j = 0; j <= s->degree[1]; j++) {
                const double weight = v[j] * weights[j];
                row = vec_mul_add(row, weight, points[j]);
                row_weight += weight;
            }
            total += u[i] * row_weight;
            weights += width;
        }
        sum = vec_mul_add(sum, u[i], row);
    }
    return weights == NULL ? sum : vec_make(sum.x / total, sum.y / total, sum.z / total);
}

void tact_nurbs_location_range(nurbs_tessellation *t, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        t->positions[i] = tact_nurbs_vertex_position(t, &t->vertices.items[i]);
}
