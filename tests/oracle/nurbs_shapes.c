#include "oracle/nurbs_shapes.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- surfaces ---- */

static const double circle_knots[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};

/* Control point k of 9 of the unit circle, and its weight. */
static void circle_point(int k, double *x, double *y, double *w)
{
    static const int cosine[9] = {1, 1, 0, -1, -1, -1, 0, 1, 1}, sine[9] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
    *x = cosine[k];
    *y = sine[k];
    *w = k % 2 != 0 ? sqrt(0.5) : 1.0;
}

static void begin(nurbs_shape_data *d, int p, int q, size_t n, size_t m)
{
    *d = (nurbs_shape_data){0};
    d->def = (tact_nurbs_def){.degree = {p, q},
                              .counts = {n, m},
                              .knots = {d->knots[0], d->knots[1]},
                              .points = d->points,
                              .weights = d->weights};
}

void nurbs_shape_torus(nurbs_shape_data *d, double major, double minor)
{
    begin(d, 2, 2, 9, 9);
    d->def.solid = true;
    for (int i = 0; i < 12; i++)
        d->knots[0][i] = d->knots[1][i] = circle_knots[i];
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            double x, y, w, a, b, c;
            circle_point(i, &x, &y, &w);
            circle_point(j, &a, &b, &c);
            const double radius = major + minor * a;
            d->points[9 * i + j] = (tact_vec3){radius * x, radius * y, minor * b};
            d->weights[9 * i + j] = w * c;
        }
}

void nurbs_shape_sphere(nurbs_shape_data *d, double radius)
{
    begin(d, 2, 2, 9, 5);
    d->def.solid = true;
    for (int i = 0; i < 12; i++)
        d->knots[0][i] = circle_knots[i];
    for (int i = 0; i < 8; i++)
        d->knots[1][i] = circle_knots[i] < 2 ? circle_knots[i] : 2;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 5; j++) { /* from the south pole to the north pole */
            static const int across[5] = {0, 1, 1, 1, 0}, up[5] = {-1, -1, 0, 1, 1};
            double x, y, w;
            circle_point(i, &x, &y, &w);
            d->points[5 * i + j] = (tact_vec3){radius * across[j] * x, radius * across[j] * y, radius * up[j]};
            d->weights[5 * i + j] = w * (j % 2 != 0 ? sqrt(0.5) : 1.0);
        }
}

void nurbs_shape_cylinder(nurbs_shape_data *d, double radius, double half_height)
{
    begin(d, 2, 1, 9, 2);
    for (int i = 0; i < 12; i++)
        d->knots[0][i] = circle_knots[i];
    for (int i = 0; i < 4; i++)
        d->knots[1][i] = i / 2;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 2; j++) {
            double x, y, w;
            circle_point(i, &x, &y, &w);
            d->points[2 * i + j] = (tact_vec3){radius * x, radius * y, j == 0 ? -half_height : half_height};
            d->weights[2 * i + j] = w;
        }
}

void nurbs_shape_random(nurbs_shape_data *d, random_source *r, int p, int count, double height, bool rational)
{
    begin(d, p, p, (size_t)count, (size_t)count);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i <= count + p; i++)
            d->knots[k][i] = i <= p ? 0.0 : i >= count ? (double)(count - p) : (double)(i - p);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const double step = 2.0 / (count - 1), x = random_range(r, -0.2, 0.2), y = random_range(r, -0.2, 0.2),
                         z = random_range(r, -height, height);
            d->points[count * i + j] = (tact_vec3){-1.0 + step * (i + x), -1.0 + step * (j + y), z};
            d->weights[count * i + j] = exp(random_range(r, -1.0, 1.0));
        }
    if (!rational)
        d->def.weights = NULL;
}

/* ---- points ---- */

/* The functions of degree p that do not vanish on a span, at t: level after level of the recursion of Cox and de Boor,
 * where quotients with a zero denominator are zero. */
static void basis(const double *knots, int p, size_t span, long double t, long double *out)
{
    long double n[TACT_NURBS_MAX_DEGREE + 2] = {0}; /* n[i]: function span - p + i of the present degree */
    n[p] = 1.0L;
    for (int k = 1; k <= p; k++)
        for (int i = p - k; i <= p; i++) {
            const double *u = knots + span - (size_t)p + i;
            const long double a = (long double)u[k] - u[0], b = (long double)u[k + 1] - u[1];
            n[i] =
                (a > 0.0L ? (t - u[0]) / a * n[i] : 0.0L) + (i < p && b > 0.0L ? (u[k + 1] - t) / b * n[i + 1] : 0.0L);
        }
    for (int i = 0; i <= p; i++)
        out[i] = n[i];
}

static size_t span_of(const tact_nurbs_def *def, int d, long double t)
{
    size_t k = (size_t)def->degree[d], last = k;
    for (; k < def->counts[d]; k++)
        if (def->knots[d][k] < def->knots[d][k + 1] && (long double)def->knots[d][k] <= t)
            last = k;
    return last;
}

void nurbs_shape_point(const tact_nurbs_def *def, long double u, long double v, long double out[3])
{
    const long double t[2] = {u, v};
    long double value[2][TACT_NURBS_MAX_DEGREE + 1], weight = 0.0L;
    size_t first[2];
    for (int d = 0; d < 2; d++) {
        const size_t k = span_of(def, d, t[d]);
        first[d] = k - (size_t)def->degree[d];
        basis(def->knots[d], def->degree[d], k, t[d], value[d]);
    }
    out[0] = out[1] = out[2] = 0.0L;
    for (int i = 0; i <= def->degree[0]; i++)
        for (int j = 0; j <= def->degree[1]; j++) {
            const size_t index = (first[0] + (size_t)i) * def->counts[1] + first[1] + (size_t)j;
            const long double c = value[0][i] * value[1][j] * (def->weights != NULL ? def->weights[index] : 1.0);
            out[0] += c * def->points[index].x;
            out[1] += c * def->points[index].y;
            out[2] += c * def->points[index].z;
            weight += c;
        }
    for (int k = 0; k < 3; k++)
        out[k] /= weight;
}

/* ---- nearest points ---- */

typedef struct nearest_problem {
    const tact_nurbs_def *def[2];
    const tact_transform *at[2];
    tact_vec3 point;
    int count; /* of variables */
} nearest_problem;

static void place(const tact_transform *at, const long double p[3], long double out[3])
{
    out[0] = at->x_axis.x * p[0] + at->y_axis.x * p[1] + at->z_axis.x * p[2] + at->origin.x;
    out[1] = at->x_axis.y * p[0] + at->y_axis.y * p[1] + at->z_axis.y * p[2] + at->origin.y;
    out[2] = at->x_axis.z * p[0] + at->y_axis.z * p[1] + at->z_axis.z * p[2] + at->origin.z;
}

static void limits(const nearest_problem *p, int k, long double *low, long double *high)
{
    const tact_nurbs_def *def = p->def[k / 2];
    *low = def->knots[k % 2][def->degree[k % 2]];
    *high = def->knots[k % 2][def->counts[k % 2]];
}

static long double square_at(const nearest_problem *p, const long double x[4])
{
    long double local[3], a[3], b[3] = {p->point.x, p->point.y, p->point.z}, sum = 0.0L;
    nurbs_shape_point(p->def[0], x[0], x[1], local);
    place(p->at[0], local, a);
    if (p->count > 2) {
        nurbs_shape_point(p->def[1], x[2], x[3], local);
        place(p->at[1], local, b);
    }
    for (int k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* Pattern search: along each variable and along the last successful move, with steps that shrink to 1e-8: the
 * distance is then within some 1e-16 of its local minimum. */
static long double descend(const nearest_problem *p, long double x[4], long double step)
{
    long double best = square_at(p, x), direction[4] = {0};
    for (int round = 0; step > 1e-8L && round < 4000; round++) {
        bool better = false;
        const long double start[4] = {x[0], x[1], x[2], x[3]};
        for (int move = -1; move < 2 * p->count; move++) {
            long double y[4] = {x[0], x[1], x[2], x[3]};
            for (int k = 0; k < p->count; k++) {
                long double low, high;
                limits(p, k, &low, &high);
                if (move < 0)
                    y[k] += direction[k];
                else if (move / 2 == k)
                    y[k] += (move % 2 == 0 ? step : -step) * (high - low);
                y[k] = y[k] < low ? low : y[k] > high ? high : y[k];
            }
            const long double square = square_at(p, y);
            if (square < best) {
                best = square;
                better = true;
                for (int k = 0; k < 4; k++)
                    x[k] = y[k];
            }
        }
        for (int k = 0; k < 4; k++)
            direction[k] = better ? x[k] - start[k] : 0.0L;
        if (!better)
            step *= 0.5L;
    }
    return best;
}

double nurbs_shape_nearest(const tact_nurbs_def *a, const tact_transform *at_a, const tact_nurbs_def *b,
                           const tact_transform *at_b, tact_vec3 point, int grid)
{
    enum { KEPT = 5 };
    const nearest_problem p = {{a, b}, {at_a, at_b}, point, b != NULL ? 4 : 2};
    const size_t side = (size_t)grid * (size_t)grid;
    long double(*from)[3] = malloc(2 * side * sizeof *from);
    if (from == NULL)
        abort();
    for (int k = 0; k < p.count / 2; k++)
        for (int i = 0; i < grid; i++)
            for (int j = 0; j < grid; j++) {
                long double low[2], high[2], local[3];
                limits(&p, 2 * k, &low[0], &high[0]);
                limits(&p, 2 * k + 1, &low[1], &high[1]);
                nurbs_shape_point(p.def[k], low[0] + (high[0] - low[0]) * i / (grid - 1),
                                  low[1] + (high[1] - low[1]) * j / (grid - 1), local);
                place(p.at[k], local, from[(size_t)k * side + (size_t)(i * grid + j)]);
            }
    long double kept[KEPT];
    size_t start[KEPT][2];
    int count = 0;
    for (size_t i = 0; i < side; i++) { /* for each point of A the closest of B; the best of all */
        long double least = INFINITY;
        size_t with = 0;
        for (size_t j = 0; j < (b != NULL ? side : 1); j++) {
            const long double *s = from[i], other[3] = {point.x, point.y, point.z},
                              *t = b != NULL ? from[side + j] : other;
            const long double x = s[0] - t[0], y = s[1] - t[1], z = s[2] - t[2], square = x * x + y * y + z * z;
            if (square < least)
                least = square, with = j;
        }
        int at = count < KEPT ? count++ : KEPT;
        for (; at > 0 && kept[at - 1] > least; at--)
            if (at < KEPT)
                kept[at] = kept[at - 1], start[at][0] = start[at - 1][0], start[at][1] = start[at - 1][1];
        if (at < KEPT)
            kept[at] = least, start[at][0] = i, start[at][1] = with;
    }
    free(from);
    long double best = INFINITY;
    for (int i = 0; i < count; i++) {
        long double x[4] = {0};
        for (int k = 0; k < p.count; k++) {
            long double low, high;
            const size_t index = start[i][k / 2];
            limits(&p, k, &low, &high);
            x[k] = low +
                   (high - low) * (long double)(k % 2 == 0 ? index / (size_t)grid : index % (size_t)grid) / (grid - 1);
        }
        const long double square = descend(&p, x, 0.5L / grid);
        best = square < best ? square : best;
    }
    return (double)sqrtl(best);
}
