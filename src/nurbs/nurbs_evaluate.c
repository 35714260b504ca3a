/*
 * Points and derivatives of a NURBS surface.
 *
 * With an origin O, the control point whose basis functions are largest, and H_ij = w_ij (P_ij - O):
 *
 *     A(k, l) = sum_ij N_i^(k) N_j^(l) H_ij,    W(k, l) = sum_ij N_i^(k) N_j^(l) w_ij,
 *
 * and the derivatives of S - O = A / W follow from Leibniz' rule for A = W (S - O), solved for the highest derivative
 * (Piegl and Tiller 1997, A4.4):
 *
 *     (S - O)(k, l) = (A(k, l) - sum_(i, j) != (0, 0) C(k, i) C(l, j) W(i, j) (S - O)(k - i, l - j)) / W(0, 0).
 *
 * Departure: Piegl and Tiller have O = 0. With a nearby origin the rounding errors are relative to the size of the part
 * of the control net, not to its distance from the coordinate origin. Where a control point is interpolated, the result
 * is exactly this point. Cost: O(p q r + p r^2 + r^4) for order r; the last term is zero without weights. No
 * allocation.
 */
#include <math.h>
#include <string.h>

#include "core/report.h"
#include "math/vec.h"
#include "nurbs/nurbs_basis.h"
#include "nurbs/nurbs_check.h"
#include "nurbs/nurbs_surface.h"

/* The part of a control net that influences one patch. */
typedef struct nurbs_window {
    int degree[2];
    const tact_vec3 *points; /* control point (i, j) of the patch is points[i * stride + j] */
    const double *weights;   /* likewise; NULL: all equal */
    size_t stride;
} nurbs_window;

/* C(n, k) for n up to TACT_NURBS_MAX_DEGREE. Exact. */
static double binomial(int n, int k)
{
    double c = 1.0;
    for (int i = 1; i <= k; ++i)
        c = c * (n - k + i) / i;
    return c;
}

static int index_of_largest(const double *values, int count)
{
    int best = 0;
    for (int i = 1; i < count; ++i)
        if (values[i] > values[best])
            best = i;
    return best;
}

/* Replaces derivatives of w (S - O) by those of S - O. `w` has the layout of `out`. */
static void divide_by_weight(tact_vec3 *out, const double *w, int order)
{
    int size = order + 1;
    for (int k = 0; k <= order; ++k)
        for (int l = 0; l <= order - k; ++l) {
            tact_vec3 sum = out[k * size + l];
            for (int i = 0; i <= k; ++i)
                for (int j = i == 0 ? 1 : 0; j <= l; ++j)
                    sum = vec_mul_add(sum, -(binomial(k, i) * binomial(l, j) * w[i * size + j]),
                                      out[(k - i) * size + l - j]);
            out[k * size + l] = vec_make(sum.x / w[0], sum.y / w[0], sum.z / w[0]);
        }
}

/* `basis[d]` holds the derivatives 0 to `order`, each of degree + 1 functions. */
static void evaluate(const nurbs_window *net, double *const basis[2], int order, tact_vec3 *out)
{
    int p = net->degree[0], q = net->degree[1], size = order + 1;
    double w[NURBS_MAX_ORDER * NURBS_MAX_ORDER];
    tact_vec3 origin = net->points[(size_t)index_of_largest(basis[0], p + 1) * net->stride +
                                   (size_t)index_of_largest(basis[1], q + 1)];
    for (int k = 0; k < size * size; ++k)
        out[k] = vec_make(0.0, 0.0, 0.0);
    if (net->weights != NULL)
        memset(w, 0, (size_t)(size * size) * sizeof *w);

    for (int i = 0; i <= p; ++i) {
        const tact_vec3 *points = net->points + (size_t)i * net->stride;
        const double *weights = net->weights != NULL ? net->weights + (size_t)i * net->stride : NULL;
        for (int l = 0; l <= order; ++l) {
            const double *along_v = basis[1] + l * (q + 1);
            tact_vec3 row = vec_make(0.0, 0.0, 0.0);
            double row_weight = 0.0;
            for (int j = 0; j <= q; ++j) {
                double c = along_v[j];
                if (weights != NULL) {
                    c *= weights[j];
                    row_weight += c;
                }
                row = vec_mul_add(row, c, vec_sub(points[j], origin));
            }
            for (int k = 0; k <= order - l; ++k) {
                double c = basis[0][k * (p + 1) + i];
                out[k * size + l] = vec_mul_add(out[k * size + l], c, row);
                if (weights != NULL)
                    w[k * size + l] += c * row_weight;
            }
        }
    }
    if (net->weights != NULL)
        divide_by_weight(out, w, order);
    out[0] = vec_add(out[0], origin);
}

static double clamp(double t, double low, double high) { return t > low ? (t < high ? t : high) : low; }

void tact_nurbs_evaluate_at(const nurbs_surface *s, const tact_vec3 *points, double u, double v, int order,
                            tact_vec3 *out)
{
    double along_u[NURBS_MAX_ORDER * NURBS_MAX_ORDER], along_v[NURBS_MAX_ORDER * NURBS_MAX_ORDER];
    double *basis[2] = {along_u, along_v}, t[2] = {u, v};
    size_t first[2];
    for (int d = 0; d < 2; ++d) {
        t[d] = clamp(t[d], s->knots[d][s->degree[d]], s->knots[d][s->counts[d]]);
        uint32_t span = tact_nurbs_find_span(s, d, t[d]);
        tact_nurbs_basis(s, d, span, t[d], order, basis[d]);
        first[d] = s->spans[d][span] - (size_t)s->degree[d];
    }
    size_t corner = first[0] * s->counts[1] + first[1];
    nurbs_window net = {
        {s->degree[0], s->degree[1]}, points + corner, s->weights != NULL ? s->weights + corner : NULL, s->counts[1]};
    evaluate(&net, basis, order, out);
}

/* Whether the numbers that the patch of spans k depends on are valid. */
static bool patch_ok(const tact_nurbs_def *def, const size_t k[2])
{
    for (int d = 0; d < 2; ++d) {
        const double *knots = def->knots[d];
        size_t p = (size_t)def->degree[d];
        for (size_t i = k[d] + 1 - p; i <= k[d] + p; ++i)
            if (!(fabs(knots[i]) <= NURBS_MAX_KNOT) || (i > k[d] + 1 - p && knots[i] < knots[i - 1]))
                return false;
        if (!(knots[k[d] + 1] - knots[k[d]] >= NURBS_MIN_SPAN))
            return false;
    }
    for (size_t i = k[0] - (size_t)def->degree[0]; i <= k[0]; ++i)
        for (size_t j = k[1] - (size_t)def->degree[1]; j <= k[1]; ++j) {
            size_t index = i * def->counts[1] + j;
            tact_vec3 x = def->points[index];
            if (!vec_finite(x) || vec_max_abs(x) > NURBS_MAX_COORDINATE)
                return false;
            if (def->weights != NULL &&
                !(def->weights[index] >= 1.0 / NURBS_MAX_WEIGHT && def->weights[index] <= NURBS_MAX_WEIGHT))
                return false;
        }
    return true;
}

tact_status tact_nurbs_evaluate(const tact_nurbs_def *def, double u, double v, int order, tact_vec3 *out)
{
    double along_u[NURBS_MAX_ORDER * NURBS_MAX_ORDER], along_v[NURBS_MAX_ORDER * NURBS_MAX_ORDER];
    double *basis[2] = {along_u, along_v}, t[2] = {u, v};
    if (!tact_nurbs_check_layout(def, NULL) || out == NULL || order < 0 || order > TACT_NURBS_MAX_DEGREE ||
        !isfinite(u) || !isfinite(v))
        return TACT_BAD_ARGUMENT;
    size_t k[2];
    for (int d = 0; d < 2; ++d) {
        double begin = def->knots[d][def->degree[d]], end = def->knots[d][def->counts[d]];
        if (!(begin < end))
            return TACT_BAD_ARGUMENT;
        t[d] = clamp(t[d], begin, end);
        k[d] = tact_nurbs_find_knot(def->knots[d], def->degree[d], def->counts[d], t[d]);
    }
    if (!patch_ok(def, k))
        return TACT_BAD_ARGUMENT;
    for (int d = 0; d < 2; ++d)
        tact_nurbs_basis_of_knots(def->knots[d], def->degree[d], k[d], t[d], order, basis[d]);
    size_t corner = (k[0] - (size_t)def->degree[0]) * def->counts[1] + k[1] - (size_t)def->degree[1];
    nurbs_window net = {{def->degree[0], def->degree[1]},
                        def->points + corner,
                        def->weights != NULL ? def->weights + corner : NULL,
                        def->counts[1]};
    evaluate(&net, basis, order, out);
    return TACT_OK;
}
