/*
 * Other forms of the same NURBS surface: more knots, a higher degree, Bezier patches.
 *
 * The control point with the knots c_1, ..., c_p between its support's ends is the blossom of the spline at these
 * arguments. In terms of the old control points its coefficients follow from the recursion of the basis functions, with
 * argument c_m in step m: the Oslo algorithm (Cohen, Lyche and Riesenfeld 1980). After elevation to degree P the
 * blossom is the mean of the old one over all choices of p among P arguments. A dynamic program over the arguments adds
 * up all choices: it keeps the sum over the choices of m arguments for each m. (Blossoms: Ramshaw 1989.)
 *
 * Guarantee: arguments are taken from the span of the old knots outwards. Every coefficient is then a sum of products
 * of numbers >= 0, and no cancellation occurs, however uneven the knots are. New control points are convex combinations
 * of old ones. A control point that does not change is copied exactly.
 */
#include <math.h>
#include <string.h>

#include "core/report.h"
#include "math/vec.h"
#include "nurbs/nurbs_basis.h"
#include "nurbs/nurbs_check.h"
#include "nurbs/nurbs_surface.h"

/* Coefficients of the control points k - degree to k in the mean of the blossom over all choices of `degree` of the
 * `count` ascending arguments. */
static void blossom_coefficients(const double *knots, int degree, size_t k, const double *arguments, int count,
                                 double *out)
{
    /* sums[m]: coefficients of degree m (m + 1 of them), summed over all choices of m arguments so far */
    double sums[NURBS_MAX_ORDER][NURBS_MAX_ORDER] = {{1.0}}, choices = 1.0;
    int below = 0; /* arguments before the span come last, in descending order */
    while (below < count && arguments[below] < knots[k])
        ++below;
    for (int n = 0; n < count; ++n) {
        double t = n < count - below ? arguments[below + n] : arguments[count - 1 - n];
        for (int m = n < degree ? n + 1 : degree; m >= 1; --m)
            for (int r = 0; r < m; ++r) {
                double first = knots[k + 1 + (size_t)r - (size_t)m], last = knots[k + 1 + (size_t)r];
                sums[m][r] += (last - t) / (last - first) * sums[m - 1][r];
                sums[m][r + 1] += (t - first) / (last - first) * sums[m - 1][r];
            }
    }
    for (int i = 1; i <= degree; ++i) /* C(count, degree) */
        choices = choices * (count - degree + i) / i;
    for (int r = 0; r <= degree; ++r)
        out[r] = sums[degree][r] / choices;
}

/* The weighted mean of `count` x `other_count` control points with nonnegative coefficients that add up to 1. An origin
 * near the result makes a mean of a single point exact. */
typedef struct control_mean {
    const double *along[2]; /* coefficients */
    int counts[2];
    size_t strides[2]; /* of the control points, in both directions */
} control_mean;

static tact_vec3 mean_of(const control_mean *mean, const tact_vec3 *points, const double *weights, double *weight)
{
    size_t largest = 0;
    double most = -1.0, sum_weight = 0.0;
    for (int i = 0; i < mean->counts[0]; ++i)
        for (int j = 0; j < mean->counts[1]; ++j)
            if (mean->along[0][i] * mean->along[1][j] > most) {
                most = mean->along[0][i] * mean->along[1][j];
                largest = (size_t)i * mean->strides[0] + (size_t)j * mean->strides[1];
            }
    tact_vec3 origin = points[largest], sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < mean->counts[0]; ++i)
        for (int j = 0; j < mean->counts[1]; ++j) {
            size_t index = (size_t)i * mean->strides[0] + (size_t)j * mean->strides[1];
            double c = mean->along[0][i] * mean->along[1][j] * (weights != NULL ? weights[index] : 1.0);
            sum_weight += c;
            sum = vec_mul_add(sum, c, vec_sub(points[index], origin));
        }
    if (weights == NULL)
        return vec_add(origin, sum);
    *weight = sum_weight;
    return vec_add(origin, vec_make(sum.x / sum_weight, sum.y / sum_weight, sum.z / sum_weight));
}

/* A control point whose support touches the domain in one point at most has no influence. If its knots are unchanged,
 * returns true, the last index *k of a window of the old control points, and coefficients that select the old one. */
static bool select_outer_point(const tact_nurbs_def *def, int d, const double *knots, size_t i, size_t count, size_t *k,
                               double *coefficients)
{
    size_t p = (size_t)def->degree[d], old = i, size = (p + 2) * sizeof(double);
    const double *old_knots = def->knots[d];
    bool right = knots[i] >= old_knots[def->counts[d]];
    if (!right && knots[i + p + 1] > old_knots[p])
        return false;
    if (right)
        old = i + def->counts[d] - count;
    if (old >= def->counts[d] || memcmp(knots + i, old_knots + old, size) != 0)
        return false;
    for (size_t n = 0; n <= p; ++n)
        coefficients[n] = n == (right ? p : 0) ? 1.0 : 0.0;
    *k = right ? old : old + p;
    return *k >= p && *k < def->counts[d];
}

/* The control points of degree `degree` for `count` + degree + 1 knots along direction d, written to `arrays`. */
static void compute_control_points(const tact_nurbs_def *def, int d, const double *knots, int degree, size_t count,
                                   const tact_nurbs_arrays *arrays)
{
    static const double one = 1.0;
    size_t others = def->counts[1 - d], old_stride = d == 0 ? def->counts[1] : 1, new_stride = d == 0 ? others : 1;
    size_t old_step = d == 0 ? 1 : def->counts[1], new_step = d == 0 ? 1 : count;
    double coefficients[NURBS_MAX_ORDER];
    control_mean mean = {{coefficients, &one}, {def->degree[d] + 1, 1}, {old_stride, 0}};
    for (size_t i = 0; i < count; ++i) {
        size_t k = 0;
        if (degree != def->degree[d] || !select_outer_point(def, d, knots, i, count, &k, coefficients)) {
            k = tact_nurbs_find_knot(def->knots[d], def->degree[d], def->counts[d], knots[i + 1]);
            blossom_coefficients(def->knots[d], def->degree[d], k, knots + i + 1, degree, coefficients);
        }
        size_t from = (k - (size_t)def->degree[d]) * old_stride;
        for (size_t j = 0; j < others; ++j) {
            size_t first = from + j * old_step, to = i * new_stride + j * new_step;
            arrays->points[to] = mean_of(&mean, def->points + first, def->weights != NULL ? def->weights + first : NULL,
                                         def->weights != NULL ? &arrays->weights[to] : NULL);
        }
    }
}

static tact_status fail(tact_report *report, const char *text)
{
    return tact_report_fill(report, TACT_BAD_ARGUMENT, "%s", text);
}

/* TACT_OK if the arrays can hold so much. */
static tact_status check_arrays(const tact_nurbs_def *def, const tact_nurbs_arrays *arrays, const tact_nurbs_size *size,
                                tact_report *report)
{
    if (arrays == NULL || arrays->knots[0] == NULL || arrays->knots[1] == NULL || arrays->points == NULL ||
        (def->weights != NULL && arrays->weights == NULL))
        return fail(report, "an array for the result is missing (NULL)");
    for (int d = 0; d < 2; ++d)
        if (arrays->knot_capacity[d] < size->knot_counts[d])
            return tact_report_fill(report, TACT_OUT_OF_MEMORY, "the array of knots along %c holds %zu; %zu are needed",
                                    "uv"[d], arrays -> knot_capacity[d], size -> knot_counts[d]);
    if (arrays->point_capacity < size->point_count)
        return tact_report_fill(report, TACT_OUT_OF_MEMORY, "the array of control points holds %zu; %zu are needed",
                                arrays->point_capacity, size->point_count);
    return TACT_OK;
}

/* The size of a surface with `count` control points and the given degree along direction d; zero if there are too many.
 */
static tact_nurbs_size size_with(const tact_nurbs_def *def, int d, int degree, size_t count)
{
    tact_nurbs_size size = {0};
    if (count > NURBS_MAX_POINTS / def->counts[1 - d])
        return size;
    for (int e = 0; e < 2; ++e) {
        size.counts[e] = e == d ? count : def->counts[e];
        size.knot_counts[e] = size.counts[e] + (size_t)(e == d ? degree : def->degree[e]) + 1;
    }
    size.point_count = size.counts[0] * size.counts[1];
    return size;
}

tact_nurbs_size tact_nurbs_insert_knots_size(const tact_nurbs_def *def, int direction, size_t count)
{
    if (!tact_nurbs_check_layout(def, NULL) || direction < 0 || direction > 1 || count > NURBS_MAX_POINTS)
        return (tact_nurbs_size){0};
    return size_with(def, direction, def->degree[direction], def->counts[direction] + count);
}

/* The common end of both functions: arrays->knots[d] holds the new knots. */
static void finish(const tact_nurbs_def *def, int d, int degree, const tact_nurbs_size *size,
                   const tact_nurbs_arrays *arrays, tact_nurbs_def *result)
{
    memcpy(arrays->knots[1 - d], def->knots[1 - d], size->knot_counts[1 - d] * sizeof(double));
    compute_control_points(def, d, arrays->knots[d], degree, size->counts[d], arrays);
    tact_nurbs_def made = *def;
    made.degree[d] = degree;
    for (int e = 0; e < 2; ++e) {
        made.counts[e] = size->counts[e];
        made.knots[e] = arrays->knots[e];
    }
    made.points = arrays->points;
    made.weights = def->weights != NULL ? arrays->weights : NULL;
    *result = made;
}

tact_status tact_nurbs_insert_knots(const tact_nurbs_def *def, int direction, const double *knots, size_t count,
                                    const tact_nurbs_arrays *arrays, tact_nurbs_def *result, tact_report *report)
{
    if (!tact_nurbs_check(def, report))
        return TACT_BAD_ARGUMENT;
    if (direction < 0 || direction > 1)
        return fail(report, "the direction is neither 0 nor 1");
    if (result == NULL || (knots == NULL && count > 0))
        return fail(report, "the result or the knots to insert are missing (NULL)");
    tact_nurbs_size size = tact_nurbs_insert_knots_size(def, direction, count);
    if (size.point_count == 0)
        return fail(report, "the result has too many control points");
    tact_status status = check_arrays(def, arrays, &size, report);
    if (status != TACT_OK)
        return status;
    const double *old = def->knots[direction];
    double begin = old[def->degree[direction]], end = old[def->counts[direction]];
    for (size_t i = 0; i < count; ++i)
        if (!(knots[i] >= begin && knots[i] <= end) || (i > 0 && knots[i] < knots[i - 1]))
            return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                    "knot %zu to insert, %.17g, is outside the domain or less than its predecessor", i,
                                    knots[i]);
    double *merged = arrays->knots[direction];
    size_t total = size.knot_counts[direction];
    for (size_t i = 0, from = 0, inserted = 0; i < total; ++i)
        merged[i] = inserted < count && (from == total - count || knots[inserted] < old[from]) ? knots[inserted++]
                                                                                               : old[from++];
    if (!tact_nurbs_check_knots(merged, def->degree[direction], size.counts[direction], "uv"[direction], report))
        return TACT_BAD_ARGUMENT;
    finish(def, direction, def->degree[direction], &size, arrays, result);
    return tact_report_clear(report);
}

/* The knots of degree `degree + steps` along direction d, written to `out` unless it is NULL. Returns their number. */
static size_t elevate_knots(const tact_nurbs_def *def, int d, int steps, double *out)
{
    const double *knots = def->knots[d];
    size_t begin = (size_t)def->degree[d], end = def->counts[d], count = 0;
    for (size_t i = begin; i <= end;) {
        size_t next = i + 1;
        while (next <= end && knots[next] == knots[i])
            ++next;
        bool inside = knots[i] > knots[begin] && knots[i] < knots[end];
        size_t repetitions = (inside ? next - i : (size_t)def->degree[d] + 1) + (size_t)steps;
        for (size_t n = 0; n < repetitions; ++n, ++count)
            if (out != NULL)
                out[count] = knots[i];
        i = next;
    }
    return count;
}

static bool elevation_ok(const tact_nurbs_def *def, int direction, int steps)
{
    return direction >= 0 && direction <= 1 && steps >= 0 && steps <= TACT_NURBS_MAX_DEGREE - def->degree[direction];
}

tact_nurbs_size tact_nurbs_elevate_degree_size(const tact_nurbs_def *def, int direction, int steps)
{
    if (!tact_nurbs_check_layout(def, NULL) || !elevation_ok(def, direction, steps) ||
        !tact_nurbs_check_knots(def->knots[direction], def->degree[direction], def->counts[direction], 'u', NULL))
        return (tact_nurbs_size){0};
    int degree = def->degree[direction] + steps;
    size_t knots = elevate_knots(def, direction, steps, NULL);
    return size_with(def, direction, degree, knots - (size_t)degree - 1);
}

tact_status tact_nurbs_elevate_degree(const tact_nurbs_def *def, int direction, int steps,
                                      const tact_nurbs_arrays *arrays, tact_nurbs_def *result, tact_report *report)
{
    if (!tact_nurbs_check(def, report))
        return TACT_BAD_ARGUMENT;
    if (!elevation_ok(def, direction, steps))
        return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                "direction %d is neither 0 nor 1, or %d more is no degree up to %d", direction, steps,
                                TACT_NURBS_MAX_DEGREE);
    if (result == NULL)
        return fail(report, "the result is missing (NULL)");
    tact_nurbs_size size = tact_nurbs_elevate_degree_size(def, direction, steps);
    if (size.point_count == 0)
        return fail(report, "the result has too many control points");
    tact_status status = check_arrays(def, arrays, &size, report);
    if (status != TACT_OK)
        return status;
    (void)elevate_knots(def, direction, steps, arrays->knots[direction]);
    finish(def, direction, def->degree[direction] + steps, &size, arrays, result);
    return tact_report_clear(report);
}

tact_nurbs_size tact_nurbs_extract_bezier_size(const tact_nurbs_def *def)
{
    tact_nurbs_size size = {0};
    if (!tact_nurbs_check_layout(def, NULL))
        return size;
    size_t counts[2] = {0, 0}, each[2];
    for (int d = 0; d < 2; ++d) {
        if (!tact_nurbs_check_knots(def->knots[d], def->degree[d], def->counts[d], 'u', NULL))
            return size;
        for (size_t k = (size_t)def->degree[d]; k < def->counts[d]; ++k)
            counts[d] += def->knots[d][k] < def->knots[d][k + 1];
        each[d] = (size_t)def->degree[d] + 1;
    }
    /* the bytes of all control points fit into size_t */
    if (counts[0] > SIZE_MAX / sizeof(tact_vec3) / (each[0] * each[1]) / counts[1])
        return size;
    for (int d = 0; d < 2; ++d) {
        size.counts[d] = counts[d];
        size.knot_counts[d] = counts[d] + 1;
    }
    size.point_count = counts[0] * counts[1] * each[0] * each[1];
    return size;
}

/* The control points of the patch of spans k, from index `to` on. */
static void extract_patch(const tact_nurbs_def *def, const size_t k[2], const double *along_u, const double *along_v,
                          const tact_nurbs_arrays *arrays, size_t to)
{
    int p = def->degree[0], q = def->degree[1];
    size_t corner = (k[0] - (size_t)p) * def->counts[1] + k[1] - (size_t)q;
    for (int a = 0; a <= p; ++a)
        for (int b = 0; b <= q; ++b, ++to) {
            control_mean mean = {{along_u + a * (p + 1), along_v + b * (q + 1)}, {p + 1, q + 1}, {def->counts[1], 1}};
            arrays->points[to] =
                mean_of(&mean, def->points + corner, def->weights != NULL ? def->weights + corner : NULL,
                        def->weights != NULL ? &arrays->weights[to] : NULL);
        }
}

tact_status tact_nurbs_extract_bezier(const tact_nurbs_def *def, const tact_nurbs_arrays *arrays, tact_report *report)
{
    if (!tact_nurbs_check(def, report))
        return TACT_BAD_ARGUMENT;
    tact_nurbs_size size = tact_nurbs_extract_bezier_size(def);
    if (size.point_count == 0)
        return fail(report, "the patches have too many control points");
    tact_status status = check_arrays(def, arrays, &size, report);
    if (status != TACT_OK)
        return status;
    double along_u[NURBS_MAX_ORDER * NURBS_MAX_ORDER], along_v[NURBS_MAX_ORDER * NURBS_MAX_ORDER];
    size_t each = size.point_count / (size.counts[0] * size.counts[1]), to = 0, k[2];
    for (int d = 0; d < 2; ++d) {
        size_t knot = 0;
        for (size_t i = (size_t)def->degree[d]; i < def->counts[d]; ++i)
            if (def->knots[d][i] < def->knots[d][i + 1])
                arrays->knots[d][knot++] = def->knots[d][i];
        arrays->knots[d][knot] = def->knots[d][def->counts[d]];
    }
    for (k[0] = (size_t)def->degree[0]; k[0] < def->counts[0]; ++k[0]) {
        if (!(def->knots[0][k[0]] < def->knots[0][k[0] + 1]))
            continue;
        tact_nurbs_extraction_of_knots(def->knots[0], def->degree[0], k[0], along_u);
        for (k[1] = (size_t)def->degree[1]; k[1] < def->counts[1]; ++k[1])
            if (def->knots[1][k[1]] < def->knots[1][k[1] + 1]) {
                tact_nurbs_extraction_of_knots(def->knots[1], def->degree[1], k[1], along_v);
                extract_patch(def, k, along_u, along_v, arrays, to);
                to += each;
            }
    }
    return tact_report_clear(report);
}
