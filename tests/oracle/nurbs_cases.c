/* Random NURBS surfaces for tests. */
#include "oracle/nurbs_cases.h"

#include <math.h>

/* A positive length with 10 random bits. */
static double short_length(random_source *r) { return (double)random_between(r, 1, 1023) / 1024.0; }

static void make_integer_knots(double *knots, random_source *r, int degree, int count, nurbs_knot_kind kind)
{
    int total = count + degree + 1, period = count - degree, lengths[NURBS_CASE_KNOTS];
    for (int i = 0; i < period; ++i)
        lengths[i] = kind == KNOTS_UNIFORM ? 1 : random_between(r, 1, 9);
    if (kind == KNOTS_UNIFORM)
        for (int i = 0; i < total; ++i)
            knots[i] = fmin(fmax(i - degree, 0), period);
    else {
        knots[degree] = random_between(r, -5, 5);
        for (int i = degree + 1; i < total; ++i)
            knots[i] = knots[i - 1] + lengths[(i - 1 - degree) % period];
        for (int i = degree; i-- > 0;)
            knots[i] = knots[i + 1] - lengths[(period - 1 - (degree - 1 - i) % period)];
    }
}

static void make_knots(double *knots, random_source *r, int degree, int count, nurbs_knot_kind kind)
{
    int total = count + degree + 1;
    if (kind == KNOTS_UNIFORM || kind == KNOTS_PERIODIC) {
        make_integer_knots(knots, r, degree, count, kind);
        return;
    }
    do {
        int clamped_begin = kind == KNOTS_CLAMPED || (kind == KNOTS_REPEATED && random_chance(r, 0.5)) ||
                            (kind == KNOTS_UNEVEN && random_chance(r, 0.8));
        int clamped_end = kind == KNOTS_CLAMPED || (kind == KNOTS_REPEATED && random_chance(r, 0.5)) ||
                          (kind == KNOTS_UNEVEN && random_chance(r, 0.5));
        int run = 1;
        knots[0] = kind == KNOTS_UNEVEN ? random_size(r, -30, 0) : (double)random_between(r, -2048, 2048) / 1024.0;
        for (int i = 1; i < total; ++i) {
            double length = short_length(r);
            if (kind == KNOTS_UNCLAMPED && degree <= 9)
                length = random_range(r, 0.01, 1.0);
            if (kind == KNOTS_UNEVEN)
                length = fabs(random_size(r, degree <= 9 ? -40 : -10, degree <= 9 ? 40 : 10));
            if (kind == KNOTS_REPEATED && random_chance(r, 0.6))
                length = 0.0;
            if ((clamped_begin && i <= degree) || (clamped_end && i > count))
                length = 0.0;
            int most = degree + (i <= degree || i >= count);
            if (run >= most && knots[i - 1] + length == knots[i - 1])
                length = random_chance(r, 0.5) ? short_length(r)
                                               : fmax(nextafter(knots[i - 1], INFINITY) - knots[i - 1], 1e-20);
            knots[i] = knots[i - 1] + length;
            run = knots[i] == knots[i - 1] ? run + 1 : 1;
        }
        /* A run that begins inside and reaches the end may be too long; so may one that the end begins. */
        for (int i = degree + 1, inside = 1; i < total; ++i) {
            inside = knots[i] == knots[i - 1] ? inside + 1 : 1;
            if (inside > degree && knots[i] > knots[degree] && knots[i] < knots[count])
                knots[degree] = knots[count]; /* refused below */
        }
    } while (!(knots[degree] < knots[count]));
}

static void make_points(nurbs_case *c, random_source *r)
{
    int n = (int)c->def.counts[0], m = (int)c->def.counts[1];
    double size = c->point_kind == POINTS_HUGE ? 1e100 : c->point_kind == POINTS_TINY ? 1e-100 : 1.0;
    tact_vec3 offset = {0.0, 0.0, 0.0};
    if (c->point_kind == POINTS_FAR)
        offset = (tact_vec3){1e6 * random_unit(r), -1e6, 1e5};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            tact_vec3 *x = &c->points[i * m + j];
            *x = (tact_vec3){random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0)};
            if (c->point_kind == POINTS_GRID)
                *x = (tact_vec3){i + 0.125 * x->x, j + 0.125 * x->y, x->z};
            if (c->point_kind == POINTS_EQUAL)
                *x = c->points[0];
            *x = (tact_vec3){size * x->x + offset.x, size * x->y + offset.y, size * x->z + offset.z};
        }
    for (int d = 0; d < 2; ++d) /* the first control points again at the end */
        for (int i = 0; c->knot_kind[d] == KNOTS_PERIODIC && i < c->def.degree[d]; ++i) {
            int period = (int)c->def.counts[d] - c->def.degree[d];
            for (int j = 0; j < (d == 0 ? m : n); ++j)
                c->points[d == 0 ? (period + i) * m + j : j * m + period + i] =
                    c->points[d == 0 ? i * m + j : j * m + i];
        }
}

void nurbs_case_make(nurbs_case *c, random_source *r, int most_degree)
{
    c->def = (tact_nurbs_def){.points = c->points};
    for (int d = 0; d < 2; ++d) {
        int degree = random_chance(r, 0.02) ? random_between(r, 1, most_degree) : random_between(r, 1, 9);
        int count = degree + 1 + random_between(r, 0, 7);
        c->def.degree[d] = degree < most_degree ? degree : most_degree;
        c->def.counts[d] = (size_t)(count - degree + c->def.degree[d]);
        c->knot_kind[d] = (nurbs_knot_kind)random_between(r, 0, KNOT_KINDS - 1);
        make_knots(c->knots[d], r, c->def.degree[d], (int)c->def.counts[d], c->knot_kind[d]);
        c->def.knots[d] = c->knots[d];
    }
    c->weight_kind = (nurbs_weight_kind)random_between(r, 0, WEIGHT_KINDS - 1);
    c->point_kind = (nurbs_point_kind)random_between(r, 0, POINT_KINDS - 1);
    make_points(c, r);
    double equal = random_range(r, 0.1, 10.0);
    for (size_t i = 0; i < c->def.counts[0] * c->def.counts[1]; ++i)
        c->weights[i] = c->weight_kind == WEIGHTS_EQUAL  ? equal
                        : c->weight_kind == WEIGHTS_MILD ? random_range(r, 0.5, 2.0)
                                                         : fabs(random_size(r, -5, 4)); /* ratio up to 2^10 */
    c->def.weights = c->weight_kind == WEIGHTS_NONE ? NULL : c->weights;
}

double nurbs_case_parameter(const nurbs_case *c, random_source *r, int d, nurbs_parameter_kind *kind)
{
    const double *knots = c->knots[d];
    int degree = c->def.degree[d], count = (int)c->def.counts[d];
    double begin = knots[degree], end = knots[count], knot = knots[random_between(r, degree, count)];
    *kind = (nurbs_parameter_kind)random_between(r, 0, PARAMETER_KINDS - 1);
    switch (*kind) {
    case AT_KNOT:
        return knot;
    case AT_BEGIN:
        return begin;
    case AT_END:
        return end;
    case BESIDE_KNOT:
        return nextafter(knot, random_chance(r, 0.5) ? INFINITY : -INFINITY);
    case OUTSIDE:
        return random_chance(r, 0.5) ? begin - 1.0 : end + random_unit(r);
    default: { /* inside a random span */
        int k = random_between(r, degree, count - 1);
        return random_range(r, knots[k], knots[k + 1]);
    }
    }
}
