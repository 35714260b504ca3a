/* Checks of the input of NURBS surfaces. Linear time; nothing is allocated. */
#include "nurbs/nurbs_check.h"

#include "core/report.h"
#include "math/vec.h"
#include "nurbs/nurbs_constants.h"

bool tact_nurbs_check_layout(const tact_nurbs_def *def, tact_report *report)
{
    if (def == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the def is missing (NULL)");
        return false;
    }
    for (int d = 0; d < 2; ++d) {
        char name = "uv"[d];
        if (def->degree[d] < 1 || def->degree[d] > TACT_NURBS_MAX_DEGREE) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the degree along %c is %d; it must be 1 to %d", name,
                                   def->degree[d], TACT_NURBS_MAX_DEGREE);
            return false;
        }
        if (def->counts[d] < (size_t)def->degree[d] + 1) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "there are %zu control points along %c; degree %d needs at least %d", def->counts[d],
                                   name, def->degree[d], def->degree[d] + 1);
            return false;
        }
    }
    if (def->counts[0] > NURBS_MAX_POINTS / def->counts[1]) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "too many control points: %zu x %zu; the limit is %u",
                               def->counts[0], def->counts[1], NURBS_MAX_POINTS);
        return false;
    }
    for (int d = 0; d < 2; ++d)
        if (def->knots[d] == NULL) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the knots along %c are missing (NULL)", "uv"[d]);
            return false;
        }
    if (def->points == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the control points are missing (NULL)");
        return false;
    }
    return true;
}

bool tact_nurbs_check_knots(const double *knots, int degree, size_t count, char name, tact_report *report)
{
    size_t total = count + (size_t)degree + 1;
    for (size_t i = 0; i < total; ++i) {
        if (!(knots[i] >= -NURBS_MAX_KNOT && knots[i] <= NURBS_MAX_KNOT)) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "knot %zu along %c is %g: not finite or beyond %g", i,
                                   name, knots[i], NURBS_MAX_KNOT);
            return false;
        }
        if (i > 0 && knots[i] < knots[i - 1]) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "knot %zu along %c is %.17g, less than its predecessor %.17g", i, name, knots[i],
                                   knots[i - 1]);
            return false;
        }
        if (i > 0 && knots[i] > knots[i - 1] && knots[i] - knots[i - 1] < NURBS_MIN_SPAN) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "knots %zu and %zu along %c differ by %g; different knots must differ by %g or more",
                                   i - 1, i, name, knots[i] - knots[i - 1], NURBS_MIN_SPAN);
            return false;
        }
    }
    double begin = knots[degree], end = knots[count];
    if (!(begin < end)) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                               "the domain along %c is empty: knots %d and %zu are both %.17g", name, degree, count,
                               begin);
        return false;
    }
    size_t repetitions = 1;
    for (size_t i = 1; i < total; ++i) {
        repetitions = knots[i] == knots[i - 1] ? repetitions + 1 : 1;
        size_t most = (size_t)degree + (knots[i] > begin && knots[i] < end ? 0 : 1);
        if (repetitions > most) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "the knot %.17g along %c repeats more than %zu times, at index %zu", knots[i], name,
                                   most, i);
            return false;
        }
    }
    return true;
}

static bool weights_ok(const double *weights, size_t count, tact_report *report)
{
    size_t least = 0, most = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!(weights[i] >= 1.0 / NURBS_MAX_WEIGHT && weights[i] <= NURBS_MAX_WEIGHT)) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "weight %zu is %g; weights must be positive, from %g to %g", i, weights[i],
                                   1.0 / NURBS_MAX_WEIGHT, NURBS_MAX_WEIGHT);
            return false;
        }
        least = weights[i] < weights[least] ? i : least;
        most = weights[i] > weights[most] ? i : most;
    }
    if (weights[most] / weights[least] > NURBS_MAX_WEIGHT_RATIO) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "weight %zu (%g) is more than %g times weight %zu (%g)", most,
                               weights[most], NURBS_MAX_WEIGHT_RATIO, least, weights[least]);
        return false;
    }
    return true;
}

static bool points_ok(const tact_vec3 *points, size_t count, tact_report *report)
{
    for (size_t i = 0; i < count; ++i)
        if (!vec_finite(points[i]) || vec_max_abs(points[i]) > NURBS_MAX_COORDINATE) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "control point %zu (%g %g %g) is not finite or too far out", i, points[i].x,
                                   points[i].y, points[i].z);
            return false;
        }
    return true;
}

bool tact_nurbs_check(const tact_nurbs_def *def, tact_report *report)
{
    if (!tact_nurbs_check_layout(def, report))
        return false;
    for (int d = 0; d < 2; ++d)
        if (!tact_nurbs_check_knots(def->knots[d], def->degree[d], def->counts[d], "uv"[d], report))
            return false;
    size_t count = def->counts[0] * def->counts[1];
    return (def->weights == NULL || weights_ok(def->weights, count, report)) && points_ok(def->points, count, report);
}
