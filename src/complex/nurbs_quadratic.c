/* Lower bounds from Taylor polynomials of second order: see nurbs_quadratic.h. */
#include "complex/nurbs_quadratic.h"

#include <float.h>
#include <math.h>

#include "complex/complex_constants.h"
#include "complex/nurbs_search.h"
#include "core/number.h"
#include "math/vec.h"

/* ---- Taylor polynomials ------------------------------------------------------------------------------------------ */

/* Differences of a net, or differences of those: rows and columns, `stride` apart. */
typedef struct net_differences {
    nurbs_vec4 items[BEZIER_MAX_NET];
    int rows, columns;
} net_differences;

/* Largest lengths of derivatives of the vectors of a net, and the largest derivatives of its weights: [a][b] is `a`
 * times by s and `b` times by t. */
typedef struct net_bounds {
    double length[4][4], weight[4][4];
} net_bounds;

/* The differences in direction d, of derivative (a, b) with the factor of a Bernstein form. */
static void take_differences(const net_differences *from, int d, int stride, double factor, net_differences *to, int a,
                             int b, net_bounds *bounds)
{
    const int step = d == 0 ? stride : 1;
    double square = 0.0, weight = 0.0;
    to->rows = from->rows - (d == 0);
    to->columns = from->columns - (d == 1);
    for (int i = 0; i < to->rows; i++)
        for (int j = 0; j < to->columns; j++) {
            const nurbs_vec4 *c = from->items + i * stride + j;
            const nurbs_vec4 e = {c[step].x - c->x, c[step].y - c->y, c[step].z - c->z, c[step].w - c->w};
            to->items[i * stride + j] = e;
            square = max_double(square, e.x * e.x + e.y * e.y + e.z * e.z);
            weight = max_double(weight, fabs(e.w));
        }
    bounds->length[a][b] = factor * sqrt(square);
    bounds->weight[a][b] = factor * weight;
}

/*
 * Bounds of the third derivatives, from the differences of control points. A rational S = A / w, relative to a point no
 * farther than `reach` from S, has by the rule of Leibniz for A = w S
 *     S_sst = (A_sst - 2 w_s S_st - w_t S_ss - w_ss S_t - 2 w_st S_s - w_sst S) / w, and so on.
 */
static void bound_third(const net_differences *net, const int degree[2], bool rational, double reach, double least,
                        double third[4])
{
    static const int order[9][2] = {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}, {3, 0}, {2, 1}, {1, 2}, {0, 3}};
    static const double binomial[4][4] = {{1.0}, {1.0, 1.0}, {1.0, 2.0, 1.0}, {1.0, 3.0, 3.0, 1.0}};
    const int k = degree[1] + 1;
    net_differences first, second, other;
    net_bounds n;
    n.length[0][0] = reach;
    for (int d = 0; d < 2; d++) {
        const int e = 1 - d;
        const double p = degree[d], q = degree[e];
        take_differences(net, d, k, p, &first, e, d, &n);
        if (d == 0)
            take_differences(&first, 1, k, p * q, &other, 1, 1, &n);
        take_differences(&first, d, k, p * (p - 1.0), &second, 2 * e, 2 * d, &n);
        take_differences(&second, d, k, p * (p - 1.0) * (p - 2.0), &other, 3 * e, 3 * d, &n);
        take_differences(&second, e, k, p * (p - 1.0) * q, &other, 1 + e, 1 + d, &n);
    }
    for (int i = 0; i < 9 && rational; i++) {
        const int a = order[i][0], b = order[i][1];
        for (int l = 0; l <= a; l++)
            for (int m = 0; m <= b; m++)
                if (l + m > 0)
                    n.length[a][b] += binomial[a][l] * binomial[b][m] * n.weight[l][m] * n.length[a - l][b - m];
        n.length[a][b] /= least;
    }
    for (int i = 0; i < 4; i++)
        third[i] = n.length[3 - i][i] * (1.0 + NURBS_BOUND_ROUNDOFF);
}

/* The polynomial at q->at, from a net with coordinates about `origin`. */
static void fit(nurbs_quadratic *q, const nurbs_vec4 *net, const int degree[2], bool rational, tact_vec3 origin)
{
    static const int derivative[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    const int k = degree[1] + 1;
    double along[2][3][NURBS_MAX_ORDER];
    nurbs_vec4 sum[6] = {{0}};
    tact_vec3 d[6];
    tact_search_bernstein(degree[0], q->at[0], along[0]);
    tact_search_bernstein(degree[1], q->at[1], along[1]);
    for (int i = 0; i <= degree[0]; i++) {
        nurbs_vec4 row[3] = {{0}};
        for (int j = 0; j < k; j++, net++)
            for (int n = 0; n < 3; n++) {
                const double f = along[1][n][j];
                row[n].x += f * net->x, row[n].y += f * net->y, row[n].z += f * net->z, row[n].w += f * net->w;
            }
        for (int n = 0; n < 6; n++) {
            const double f = along[0][derivative[n][0]][i];
            const nurbs_vec4 *r = &row[derivative[n][1]];
            sum[n].x += f * r->x, sum[n].y += f * r->y, sum[n].z += f * r->z, sum[n].w += f * r->w;
        }
    }
    for (int n = 0; n < 6; n++)
        d[n] = vec_make(sum[n].x, sum[n].y, sum[n].z);
    if (rational)
        search_divide_by_weight(sum, d);
    q->c = vec_add(d[0], origin), q->s = d[1], q->t = d[2], q->ss = d[3], q->st = d[4], q->tt = d[5];
}

/* Coordinates of a net about its first point, which is returned. */
static tact_vec3 make_local(const nurbs_vec4 *net, int size, nurbs_vec4 *local)
{
    const tact_vec3 origin = search_cartesian(net);
    for (int i = 0; i < size; i++) {
        const double w = net[i].w;
        local[i] = (nurbs_vec4){net[i].x - w * origin.x, net[i].y - w * origin.y, net[i].z - w * origin.z, w};
    }
    return origin;
}

void tact_nurbs_quadratic_make(nurbs_quadratic *q, const nurbs_vec4 *net, const int degree[2], bool rational)
{
    const int size = (degree[0] + 1) * (degree[1] + 1);
    net_differences about;
    about.rows = degree[0] + 1;
    about.columns = degree[1] + 1;
    nurbs_vec4 *local = about.items;
    const tact_vec3 origin = make_local(net, size, local);
    double square = 0.0, least = net[0].w, most = net[0].w;
    for (int i = 0; i < size; i++) {
        square = max_double(square, vec_length_squared(search_cartesian(&local[i])));
        most = max_double(most, net[i].w);
        least = -max_double(-least, -net[i].w);
    }
    const double reach = sqrt(square), n = 1 + degree[0] + degree[1], cube = n * n * n, ratio = most / least;
    q->roundoff = DBL_EPSILON * (rational ? ratio * ratio * ratio * cube * (24.0 + 12.0 * (n + 4.0) * reach)
                                          : 2.0 + cube * 2.0 * (n + 4.0) * reach);
    q->at[0] = q->at[1] = 0.5;
    bound_third(&about, degree, rational, reach, least, q->third);
    fit(q, local, degree, rational, origin);
}

void tact_nurbs_quadratic_move(nurbs_quadratic *q, const nurbs_vec4 *net, const int degree[2], bool rational, double s,
                               double t)
{
    nurbs_vec4 local[BEZIER_MAX_NET];
    const tact_vec3 origin = make_local(net, (degree[0] + 1) * (degree[1] + 1), local);
    q->at[0] = s;
    q->at[1] = t;
    fit(q, local, degree, rational, origin);
}

void tact_nurbs_quadratic_point(nurbs_quadratic *q, tact_vec3 p) { *q = (nurbs_quadratic){.c = p}; }

/* ---- a quadratic function on a box ------------------------------------------------------------------------------- */

/* f + g.x + x.A x / 2 for low <= x <= high, and numbers D > 0 of the size of the diagonal of A. A multiple m of D is
 * added to A. */
typedef struct box_quadratic {
    double f, g[4], a[4][4], d[4], m, low[4], high[4];
} box_quadratic;

/* A = L P L^T for the free variables; the others get the identity. Returns the number of positive pivots from the
 * first on: 4, or that of the first one that is not. */
static int factorize(const box_quadratic *c, const bool is_free[4], double l[4][4], double pivot[4])
{
    for (int i = 0; i < 4; i++) {
        double sum = is_free[i] ? c->a[i][i] + c->m * c->d[i] : 1.0;
        for (int j = 0; j < i; j++) {
            double rest = is_free[i] && is_free[j] ? c->a[i][j] : 0.0;
            for (int k = 0; k < j; k++)
                rest -= l[i][k] * pivot[k] * l[j][k];
            l[i][j] = rest / pivot[j];
            sum -= rest * l[i][j];
        }
        pivot[i] = sum;
        if (is_free[i] && !(sum > NURBS_QUADRATIC_PIVOT * c->d[i]))
            return i;
    }
    return 4;
}

/* Minus the least v.A v / v.D v at least, from the pivot that is not positive: a v with v.A v = pivot[i]. */
static double missing_shift(const box_quadratic *c, double l[4][4], const double pivot[4], int i)
{
    double v[4], square = c->d[i];
    for (int j = i - 1; j >= 0; j--) {
        v[j] = -l[i][j];
        for (int k = j + 1; k < i; k++)
            v[j] -= l[k][j] * v[k];
        square += c->d[j] * v[j] * v[j];
    }
    return max_double(-pivot[i], 0.0) / square;
}

/* Chooses m so that A + m D is positive, and its factors. False: c is then not above `enough`. */
static bool make_convex(box_quadratic *c, double trace, double enough, double l[4][4], double pivot[4])
{
    static const bool all[4] = {true, true, true, true};
    c->m = 0.0;
    for (int i; (i = factorize(c, all, l, pivot)) < 4;) {
        const double least = c->m + missing_shift(c, l, pivot, i);
        c->m = NURBS_QUADRATIC_OVERSHOOT * least + 2.0 * NURBS_QUADRATIC_PIVOT;
        if (!(c->f - least * trace > enough))
            return false;
    }
    return true;
}

static void gradient_at(const box_quadratic *c, const double x[4], double out[4])
{
    for (int i = 0; i < 4; i++) {
        out[i] = c->g[i] + c->m * c->d[i] * x[i];
        for (int j = 0; j < 4; j++)
            out[i] += c->a[i][j] * x[j];
    }
}

/* Moves x from 0 towards the minimum on the box: Newton's method for the variables that are not at a bound. The first
 * factors are given. */
static void minimize(const box_quadratic *c, double l[4][4], double pivot[4], double x[4])
{
    bool is_free[4] = {true, true, true, true};
    double g[4] = {c->g[0], c->g[1], c->g[2], c->g[3]};
    for (int step = 0;; step++) {
        double y[4];
        bool inside = true;
        for (int i = 0; i < 4; i++) {
            y[i] = is_free[i] ? -g[i] : 0.0;
            for (int k = 0; k < i; k++)
                y[i] -= l[i][k] * y[k];
        }
        for (int i = 3; i >= 0; i--) {
            y[i] /= pivot[i];
            for (int k = i + 1; k < 4; k++)
                y[i] -= l[k][i] * y[k];
        }
        for (int i = 0; i < 4; i++) {
            const double next = x[i] + y[i];
            inside = inside && next >= c->low[i] && next <= c->high[i];
            x[i] = next < c->low[i] ? c->low[i] : next > c->high[i] ? c->high[i] : next;
        }
        if (inside || step == NURBS_QUADRATIC_STEPS)
            return;
        gradient_at(c, x, g);
        for (int i = 0; i < 4; i++)
            is_free[i] = !(x[i] <= c->low[i] && g[i] > 0.0) && !(x[i] >= c->high[i] && g[i] < 0.0);
        if (factorize(c, is_free, l, pivot) < 4)
            return;
    }
}

/* A lower bound of c on the box, and a point near its minimum; -INFINITY: the bound is not above `enough`. */
static double lower_on_box(box_quadratic *c, double enough, double x[4])
{
    double l[4][4], pivot[4], g[4], trace = 0.0;
    for (int i = 0; i < 4; i++) {
        const double most = max_double(-c->low[i], c->high[i]);
        trace += 0.5 * c->d[i] * most * most;
        x[i] = 0.0;
    }
    if (!make_convex(c, trace, enough, l, pivot))
        return -INFINITY;
    minimize(c, l, pivot, x);
    gradient_at(c, x, g);
    double value = c->f - c->m * trace;
    for (int i = 0; i < 4; i++) /* the tangent plane at x */
        value += 0.5 * (c->g[i] + g[i]) * x[i] - g[i] * x[i] - max_double(-g[i] * c->low[i], -g[i] * c->high[i]);
    return value;
}

/* ---- the bounds -------------------------------------------------------------------------------------------------- */

/* What both bounds begin with. */
typedef struct pair_model {
    box_quadratic c;
    double gram[4][4], curve[4][4]; /* L^T L, and the second derivatives of R.Q */
    double length;                  /* of R */
    double bend;                    /* |Q| at most */
    double roundoff;                /* of the quadratic function */
} pair_model;

/* The largest quadratic term for |s|, |t| <= 1. */
static double bend_of(const nurbs_quadratic *q)
{
    return 0.5 * (vec_length(q->ss) + 2.0 * vec_length(q->st) + vec_length(q->tt));
}

static void make_pair(pair_model *m, const nurbs_quadratic *a, const nurbs_quadratic *b, tact_vec3 r)
{
    const tact_vec3 along[4] = {a->s, a->t, vec_negate(b->s), vec_negate(b->t)};
    double sum = m->length + m->bend;
    m->c.f = 0.5 * m->length * m->length;
    for (int i = 0; i < 4; i++) {
        m->c.g[i] = vec_dot(r, along[i]);
        for (int j = 0; j <= i; j++)
            m->gram[i][j] = m->gram[j][i] = vec_dot(along[i], along[j]);
        sum += sqrt(m->gram[i][i]);
        for (int j = 0; j < 4; j++)
            m->curve[i][j] = 0.0;
    }
    m->curve[0][0] = vec_dot(r, a->ss), m->curve[1][1] = vec_dot(r, a->tt);
    m->curve[0][1] = m->curve[1][0] = vec_dot(r, a->st);
    m->curve[2][2] = -vec_dot(r, b->ss), m->curve[3][3] = -vec_dot(r, b->tt);
    m->curve[2][3] = m->curve[3][2] = -vec_dot(r, b->st);
    for (int i = 0; i < 4; i++) {
        const double size = m->gram[i][i] + fabs(m->curve[i][i]) + fabs(m->curve[i][i ^ 1]);
        m->c.d[i] = size > 0.0 ? size : 1.0;
    }
    m->roundoff = NURBS_QUADRATIC_ROUNDOFF * sum * sum;
}

/* A = (1 - h) L^T L + curve. */
static void set_share(pair_model *m, double h)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            m->c.a[i][j] = (1.0 - h) * m->gram[i][j] + m->curve[i][j];
    for (int i = 0; i < 4; i++)
        if (!(m->gram[i][i] + fabs(m->curve[i][i]) + fabs(m->curve[i][i ^ 1]) >
              0.0)) /* a point: c does not depend on it */
            m->c.a[i][i] = m->c.d[i];
}

static double distance_of(const pair_model *m, double value, double rest)
{
    return sqrt(2.0 * (value - m->roundoff)) * (1.0 - 4.0 * DBL_EPSILON) - rest;
}

static double rest_of_middle(const nurbs_quadratic *q)
{
    return (q->third[0] + 3.0 * (q->third[1] + q->third[2]) + q->third[3]) / 48.0 + q->roundoff;
}

double tact_nurbs_quadratic_bound(const nurbs_quadratic *a, const nurbs_quadratic *b, double least)
{
    const tact_vec3 r = vec_sub(a->c, b->c);
    const double rest = rest_of_middle(a) + rest_of_middle(b), wanted = least + rest;
    pair_model m = {.length = vec_length(r)};
    if (!(m.length > wanted))
        return 0.0;
    m.bend = 0.25 * (bend_of(a) + bend_of(b));
    make_pair(&m, a, b, r);
    for (int i = 0; i < 4; i++) {
        m.c.low[i] = -0.5;
        m.c.high[i] = 0.5;
    }
    const double goal = 0.5 * wanted * wanted + m.roundoff;
    double best = 0.0, h = NURBS_QUADRATIC_SHARE;
    for (int turn = 0; turn < 2; turn++) {
        const double lost = 0.5 * (1.0 / h - 1.0) * m.bend * m.bend;
        double x[4], length = 0.0;
        set_share(&m, h);
        best = max_double(best, lower_on_box(&m.c, max_double(goal, best) + lost, x) - lost);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                length += x[i] * m.gram[i][j] * x[j];
        const double next = max_double(NURBS_QUADRATIC_LEAST_SHARE, number_min(m.bend / sqrt(length), 0.5));
        if (next > 0.5 * h && next < 2.0 * h)
            break;
        h = next;
    }
    return best > goal ? distance_of(&m, best, rest) : 0.0;
}

double tact_nurbs_quadratic_bound_near(const nurbs_quadratic *a, const nurbs_quadratic *b, double least)
{
    const tact_vec3 r = vec_sub(a->c, b->c);
    const double rest = a->roundoff + b->roundoff, wanted = least + rest;
    const nurbs_quadratic *q[2] = {a, b};
    pair_model m = {.length = vec_length(r)};
    double bend[4];
    if (!(m.length > wanted))
        return 0.0;
    for (int i = 0; i < 2; i++) {
        const double *third = q[i]->third, mixed = vec_length(q[i]->st) + third[1] + third[2];
        const double ss = vec_length(q[i]->ss) + third[0] + third[1], tt = vec_length(q[i]->tt) + third[2] + third[3];
        bend[2 * i] = 0.5 * (ss + mixed);
        bend[2 * i + 1] = 0.5 * (mixed + tt);
        m.bend += 0.5 * (ss + 2.0 * mixed + tt);
    }
    make_pair(&m, a, b, r);
    for (int i = 0; i < 4; i++) {
        const double *third = q[i / 2]->third, at = q[i / 2]->at[i % 2];
        m.c.low[i] = -at;
        m.c.high[i] = 1.0 - at;
        m.curve[i][i] -= m.length * (i % 2 == 0 ? third[0] / 3.0 + third[1] : third[2] + third[3] / 3.0);
    }
    const double goal = 0.5 * wanted * wanted + m.roundoff;
    double best = 0.0;
    for (double h = 0.5; h >= NURBS_QUADRATIC_LEAST_SHARE && !(best > goal); h *= 0.25) {
        double x[4];
        set_share(&m, h);
        for (int i = 0; i < 4; i++) {
            m.c.a[i][i] -= (1.0 / h - 1.0) * m.bend * bend[i];
            m.c.g[i] = vec_dot(r, i == 0 ? a->s : i == 1 ? a->t : vec_negate(i == 2 ? b->s : b->t));
            if (m.c.g[i] > 0.0 ? m.c.low[i] == 0.0 : m.c.high[i] == 0.0) { /* |x| >= x^2 */
                m.c.a[i][i] += 2.0 * fabs(m.c.g[i]);
                m.c.g[i] = 0.0;
            }
        }
        best = max_double(best, lower_on_box(&m.c, goal, x));
    }
    return best > goal ? distance_of(&m, best, rest) : 0.0;
}

/* ---- division ---------------------------------------------------------------------------------------------------- */

/* The error of the bound near the middle, times |R|, where variable k is divided; 4: none. */
static double loss_if_divided(const pair_model *m, const nurbs_quadratic *const q[2], int k)
{
    double rest = 0.0, bend = 0.0, shift = 0.0;
    for (int i = 0; i < 2; i++) {
        const double f = k == 2 * i ? 0.5 : 1.0, g = k == 2 * i + 1 ? 0.5 : 1.0;
        const double *third = q[i]->third;
        rest += f * f * f * third[0] + 3.0 * f * g * (f * third[1] + g * third[2]) + g * g * g * third[3];
        bend += f * f * vec_length(q[i]->ss) + 2.0 * f * g * vec_length(q[i]->st) + g * g * vec_length(q[i]->tt);
        shift += m->c.m * (f * f * m->c.d[2 * i] + g * g * m->c.d[2 * i + 1]);
    }
    bend *= 0.125;
    return m->length * rest / 48.0 + 0.5 * (1.0 / NURBS_QUADRATIC_SHARE - 1.0) * bend * bend + 0.125 * shift;
}

int tact_nurbs_quadratic_divide(const nurbs_quadratic *a, const nurbs_quadratic *b, double gap)
{
    const tact_vec3 r = vec_sub(a->c, b->c);
    const nurbs_quadratic *const q[2] = {a, b};
    pair_model m = {.length = vec_length(r)};
    double l[4][4], pivot[4];
    make_pair(&m, a, b, r);
    set_share(&m, NURBS_QUADRATIC_SHARE);
    (void)make_convex(&m.c, 0.0, -INFINITY, l, pivot);
    if (!(loss_if_divided(&m, q, 4) > gap * m.length))
        return -1;
    int best = -1; /* if all overflow */
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        const double loss = loss_if_divided(&m, q, k);
        if (loss < least) {
            least = loss;
            best = k;
        }
    }
    return best;
}
