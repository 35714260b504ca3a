/* Newton's method for contact points with Coulomb friction: see contact_newton.h. */
#include "dynamics/contact_newton.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "dynamics/dynamics_constants.h"

#define NO_BODY UINT32_MAX

/* Rows of a point with rolling friction. */
#define POINT_ROWS 6

/* A point: rows scaled by the square root L of the inverse mass matrix, so that v = v0 + L y and the mass matrix of y
 * is the identity. */
typedef struct newton_point {
    int count;                     /* of rows: the normal, two tangents, and with rolling friction three of the spin */
    double rows[2][POINT_ROWS][6]; /* of A and B */
    uint32_t unknown[2];           /* number of the body in the elimination order; NO_BODY: kinematic */
    double base[POINT_ROWS];       /* velocity at the point for y = 0, less the target */
    double lambda[POINT_ROWS];     /* multiplier */
    double rho;                    /* penalty */
    double shift;                  /* friction times slip speed of the last round, and likewise of the rolling */
    double friction, rolling;      /* rolling: of impulses, angular ones over `arm` */
    double arm;                    /* length: makes the rows of the spin velocities */
    double slip_change;            /* of the last round */
    /* at the current y */
    double x[POINT_ROWS];       /* lambda - rho (u + s) */
    double impulse[POINT_ROWS]; /* its projection onto the cone */
} newton_point;

typedef struct newton_problem {
    newton_point *points;
    size_t point_count;
    uint32_t unknowns;                    /* bodies with a mass */
    uint32_t *order;                      /* by unknown: body */
    uint32_t *first;                      /* by unknown: first unknown in the envelope of its block row */
    size_t *row;                          /* by scalar row: where it starts in `matrix`, minus its first column */
    double *matrix;                       /* lower triangle, by rows within the envelope */
    double *y, *step, *gradient, *factor; /* factor: L of each body, 10 numbers */
    size_t envelope;
    double penalty; /* PENALTY_START to PENALTY */
} newton_problem;

void tact_newton_release(newton_workspace *w, const tact_allocator *allocator)
{
    newton_number_array_release(&w->numbers, allocator);
    newton_index_array_release(&w->indices, allocator);
}

/* ---- projection onto the friction cone ---- */

/* Projects x onto {n >= 0, |t| <= mu n}. If `d` is not NULL, it becomes the derivative, a symmetric matrix. */
static void project(double mu, const double x[3], double p[3], double d[3][3])
{
    const double slip = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (d != NULL)
        memset(d, 0, 9 * sizeof(double));
    if (slip <= mu * x[0]) { /* sticks */
        for (int k = 0; k < 3; ++k) {
            p[k] = x[k];
            if (d != NULL)
                d[k][k] = 1.0;
        }
        if (mu == 0.0) {
            p[1] = p[2] = 0.0;
            if (d != NULL)
                d[1][1] = d[2][2] = 0.0;
        }
        return;
    }
    p[0] = p[1] = p[2] = 0.0;
    if (mu * slip <= -x[0]) /* separates */
        return;
    if (mu == 0.0) {
        p[0] = x[0];
        if (d != NULL)
            d[0][0] = 1.0;
        return;
    }
    const double along = (x[0] + mu * slip) / (1.0 + mu * mu), t[2] = {x[1] / slip, x[2] / slip};
    p[0] = along;
    p[1] = mu * along * t[0];
    p[2] = mu * along * t[1];
    if (d == NULL)
        return;
    const double g = 1.0 / (1.0 + mu * mu), turn = mu * along / slip;
    d[0][0] = g;
    for (int i = 0; i < 2; ++i) {
        d[0][i + 1] = d[i + 1][0] = g * mu * t[i];
        for (int k = 0; k < 2; ++k)
            d[i + 1][k + 1] = g * mu * mu * t[i] * t[k] + turn * ((i == k ? 1.0 : 0.0) - t[i] * t[k]);
    }
}

/* Projects x onto {n >= 0, |t| <= mu n, |r| <= nu n}: n solves n - x0 = mu max(|xt| - mu n, 0) + nu max(|xr| - nu n,
 * 0), where the right side decreases. So t slips if the left side is the larger one at mu n = |xt|. `d` as
 * above. */
static void project_rolling(double mu, double nu, const double x[POINT_ROWS], double p[POINT_ROWS],
                            double d[POINT_ROWS][POINT_ROWS])
{
    const double limit[2] = {mu, nu},
                 length[2] = {sqrt(x[1] * x[1] + x[2] * x[2]), sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5])};
    double sum = x[0], square = 1.0;
    bool slips[2];
    for (int k = 0; k < 2; ++k) {
        const double own = limit[k], other = limit[1 - k];
        const double excess = own > 0.0 ? max_double(length[1 - k] - other * (length[k] / own), 0.0) : 0.0;
        slips[k] = length[k] > 0.0 && length[k] > own * (x[0] + other * excess);
        sum += slips[k] ? own * length[k] : 0.0;
        square += slips[k] ? own * own : 0.0;
    }
    const double n = max_double(sum / square, 0.0);
    if (d != NULL)
        memset(d, 0, POINT_ROWS * POINT_ROWS * sizeof(double));
    p[0] = n;
    double change[POINT_ROWS] = {n > 0.0 ? 1.0 / square : 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}; /* of n */
    for (int i = 1; i < POINT_ROWS; ++i) {
        const int k = i < 3 ? 0 : 1;
        if (slips[k] && n > 0.0)
            change[i] = limit[k] * x[i] / (length[k] * square);
        p[i] = !(n > 0.0) ? 0.0 : slips[k] ? limit[k] * n * x[i] / length[k] : x[i];
    }
    if (d == NULL || !(n > 0.0))
        return;
    memcpy(d[0], change, sizeof change);
    for (int i = 1; i < POINT_ROWS; ++i) {
        const int k = i < 3 ? 0 : 1, first = k == 0 ? 1 : 3, end = k == 0 ? 3 : POINT_ROWS;
        if (!slips[k]) {
            d[i][i] = 1.0;
            continue;
        }
        const double along = x[i] / length[k], turn = limit[k] * n / length[k];
        for (int j = 0; j < POINT_ROWS; ++j)
            d[i][j] = limit[k] * along * change[j];
        for (int j = first; j < end; ++j)
            d[i][j] += turn * ((i == j ? 1.0 : 0.0) - along * x[j] / length[k]);
    }
}

/* The impulse of a point at its x. */
static void project_point(newton_point *p)
{
    if (p->count == 3)
        project(p->friction, p->x, p->impulse, NULL);
    else
        project_rolling(p->friction, p->rolling, p->x, p->impulse, NULL);
}

/* ---- set-up ---- */

/* L with L L^T = inverse mass matrix: the square root of the inverse mass, and the lower triangle of the rotation.
 * Directions without inverse inertia (rods) have zero columns. */
static void make_factor(const solver_body *b, double f[10])
{
    const sym3 *s = &b->inverse_inertia;
    const double trace = s->xx + s->yy + s->zz, least = RANK_TOLERANCE * trace;
    f[0] = sqrt(b->inverse_mass);
    double a = s->xx, d = s->yy, e = s->zz;
    f[1] = a > least ? sqrt(a) : 0.0;
    f[2] = f[1] > 0.0 ? s->xy / f[1] : 0.0;
    f[3] = f[1] > 0.0 ? s->xz / f[1] : 0.0;
    d -= f[2] * f[2];
    f[4] = d > least ? sqrt(d) : 0.0;
    f[5] = f[4] > 0.0 ? (s->yz - f[2] * f[3]) / f[4] : 0.0;
    e -= f[3] * f[3] + f[5] * f[5];
    f[6] = e > least ? sqrt(e) : 0.0;
}

/* Row of a point, times L, with sign. */
static void scale_row(const solver_row *row, int side, const double f[10], double out[6])
{
    const double sign = side == 0 ? -1.0 : 1.0;
    const tact_vec3 t = row->torque[side];
    out[0] = sign * f[0] * row->direction.x;
    out[1] = sign * f[0] * row->direction.y;
    out[2] = sign * f[0] * row->direction.z;
    out[3] = sign * (f[1] * t.x + f[2] * t.y + f[3] * t.z);
    out[4] = sign * (f[4] * t.y + f[5] * t.z);
    out[5] = sign * (f[6] * t.z);
}

/* Adds L y of a body to its velocities. */
static void add_scaled(solver_body *b, const double f[10], const double y[6])
{
    b->velocity = vec_add(b->velocity, vec_make(f[0] * y[0], f[0] * y[1], f[0] * y[2]));
    b->spin =
        vec_add(b->spin, vec_make(f[1] * y[3], f[2] * y[3] + f[4] * y[4], f[3] * y[3] + f[5] * y[4] + f[6] * y[5]));
}

/* Neighbours of bodies as lists: heads by body, then (other, next) pairs. */
typedef struct body_graph {
    uint32_t *heads, *links;
    uint32_t count;
} body_graph;

/* Orders the bodies with a mass by breadth-first search from an end of each component (Cuthill and McKee 1969), and
 * sets the envelope. `number[body]`: its unknown. */
static void order_bodies(const body_graph *g, size_t body_count, const solver_body *bodies, uint32_t *number,
                         uint32_t *order, uint32_t *unknowns)
{
    uint32_t count = 0;
    for (size_t i = 0; i < body_count; ++i)
        number[i] = NO_BODY;
    for (uint32_t root = 0; root < body_count; ++root) {
        if (bodies[root].inverse_mass == 0.0 || number[root] != NO_BODY)
            continue;
        uint32_t start = root;
        for (int pass = 0; pass < 2; ++pass) { /* the first finds an end, the second orders from there */
            const uint32_t begin = count;
            uint32_t end = begin;
            order[end++] = start;
            number[start] = 0;
            for (uint32_t k = begin; k < end; ++k)
                for (uint32_t link = g->heads[order[k]]; link != NO_BODY; link = g->links[2 * link + 1]) {
                    const uint32_t other = g->links[2 * link];
                    if (number[other] == NO_BODY) {
                        number[other] = 0;
                        order[end++] = other;
                    }
                }
            start = order[end - 1];
            for (uint32_t k = begin; k < end; ++k)
                number[order[k]] = pass == 0 ? NO_BODY : k;
            if (pass == 1)
                count = end;
        }
    }
    *unknowns = count;
}

static void add_link(body_graph *g, uint32_t from, uint32_t to)
{
    g->links[2 * g->count] = to;
    g->links[2 * g->count + 1] = g->heads[from];
    g->heads[from] = g->count++;
}

/* ---- the function, its gradient and its matrix ---- */

/* Sets x of a point at y. `count`: its rows, a constant at each call, so that the loops are unrolled: a third of the
 * time of the method. */
static inline void set_x(newton_point *p, const double *y, int count)
{
    for (int k = 0; k < count; ++k) {
        double u = p->base[k];
        for (int side = 0; side < 2; ++side)
            if (p->unknown[side] != NO_BODY)
                for (int j = 0; j < 6; ++j)
                    u += p->rows[side][k][j] * y[6 * (size_t)p->unknown[side] + (size_t)j];
        p->x[k] = p->lambda[k] - p->rho * (k == 0 ? u + p->shift : u);
    }
}

/* Subtracts rows^T impulse of a point from the gradient. `count` as above. */
static inline void subtract_impulse(const newton_point *p, double *gradient, int count)
{
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < count && p->unknown[side] != NO_BODY; ++k)
            for (int j = 0; j < 6; ++j)
                gradient[6 * (size_t)p->unknown[side] + (size_t)j] -= p->rows[side][k][j] * p->impulse[k];
}

/* Value of the function at y. Sets x and the impulses of all points. */
static double evaluate(newton_problem *q, const double *y)
{
    double value = 0.0;
    for (size_t i = 0; i < 6 * (size_t)q->unknowns; ++i)
        value += 0.5 * y[i] * y[i];
    for (size_t i = 0; i < q->point_count; ++i) {
        newton_point *p = &q->points[i];
        if (p->count == 3)
            set_x(p, y, 3);
        else
            set_x(p, y, POINT_ROWS);
        project_point(p);
        value += 0.5 * (p->impulse[0] * p->impulse[0] + p->impulse[1] * p->impulse[1] + p->impulse[2] * p->impulse[2]) /
                 p->rho;
        for (int k = 3; k < p->count; ++k)
            value += 0.5 * p->impulse[k] * p->impulse[k] / p->rho;
    }
    return value;
}

/* Gradient y - sum of rows^T impulse, from the impulses of the points. */
static void set_gradient(newton_problem *q)
{
    memcpy(q->gradient, q->y, 6 * (size_t)q->unknowns * sizeof(double));
    for (size_t i = 0; i < q->point_count; ++i) {
        const newton_point *p = &q->points[i];
        if (p->count == 3)
            subtract_impulse(p, q->gradient, 3);
        else
            subtract_impulse(p, q->gradient, POINT_ROWS);
    }
}

/* Adds rows^T (rho dP) rows of a point with rolling friction. */
static void add_rolling_point(newton_problem *q, const newton_point *p)
{
    double d[POINT_ROWS][POINT_ROWS], ignored[POINT_ROWS];
    project_rolling(p->friction, p->rolling, p->x, ignored, d);
    for (int a = 0; a < 2; ++a) {
        if (p->unknown[a] == NO_BODY)
            continue;
        double scaled[POINT_ROWS][6] = {{0.0}}; /* rho dP rows of side a */
        for (int k = 0; k < POINT_ROWS; ++k)
            for (int i = 0; i < POINT_ROWS; ++i)
                for (int j = 0; j < 6; ++j)
                    scaled[k][j] += p->rho * d[k][i] * p->rows[a][i][j];
        for (int b = 0; b < 2; ++b) {
            if (p->unknown[b] == NO_BODY || p->unknown[b] < p->unknown[a] ||
                (a == b ? false : p->unknown[a] == p->unknown[b]))
                continue;
            for (int r = 0; r < 6; ++r) {
                const size_t row = 6 * (size_t)p->unknown[b] + (size_t)r;
                double *out = &q->matrix[q->row[row] + 6 * (size_t)p->unknown[a]];
                const int end = a == b ? r + 1 : 6;
                for (int c = 0; c < end; ++c)
                    for (int k = 0; k < POINT_ROWS; ++k)
                        out[c] += p->rows[b][k][r] * scaled[k][c];
            }
        }
    }
}

/* The identity plus the sum of rows^T (rho dP) rows, lower triangle. */
static void set_matrix(newton_problem *q)
{
    memset(q->matrix, 0, q->envelope * sizeof(double));
    for (size_t r = 0; r < 6 * (size_t)q->unknowns; ++r)
        q->matrix[q->row[r] + r] = 1.0;
    for (size_t i = 0; i < q->point_count; ++i) {
        const newton_point *p = &q->points[i];
        if (p->count > 3) {
            add_rolling_point(q, p);
            continue;
        }
        double d[3][3], ignored[3];
        project(p->friction, p->x, ignored, d);
        for (int a = 0; a < 2; ++a) {
            if (p->unknown[a] == NO_BODY)
                continue;
            double scaled[3][6]; /* rho dP rows of side a */
            for (int k = 0; k < 3; ++k)
                for (int j = 0; j < 6; ++j)
                    scaled[k][j] =
                        p->rho * (d[k][0] * p->rows[a][0][j] + d[k][1] * p->rows[a][1][j] + d[k][2] * p->rows[a][2][j]);
            for (int b = 0; b < 2; ++b) {
                if (p->unknown[b] == NO_BODY || p->unknown[b] < p->unknown[a] ||
                    (a == b ? false : p->unknown[a] == p->unknown[b]))
                    continue;
                for (int r = 0; r < 6; ++r) {
                    const size_t row = 6 * (size_t)p->unknown[b] + (size_t)r;
                    double *out = &q->matrix[q->row[row] + 6 * (size_t)p->unknown[a]];
                    const int end = a == b ? r + 1 : 6;
                    for (int c = 0; c < end; ++c)
                        out[c] += p->rows[b][0][r] * scaled[0][c] + p->rows[b][1][r] * scaled[1][c] +
                                  p->rows[b][2][r] * scaled[2][c];
                }
            }
        }
    }
}

/* Cholesky factorisation within the envelope, in place. The matrix is at least the identity. */
static void factorise(newton_problem *q)
{
    const size_t n = 6 * (size_t)q->unknowns;
    for (size_t i = 0; i < n; ++i) {
        double *row = &q->matrix[q->row[i]];
        const size_t begin = 6 * (size_t)q->first[i / 6];
        for (size_t k = begin; k <= i; ++k) {
            const double *other = &q->matrix[q->row[k]];
            const size_t from = begin > 6 * (size_t)q->first[k / 6] ? begin : 6 * (size_t)q->first[k / 6];
            double sum = row[k];
            for (size_t j = from; j < k; ++j)
                sum -= row[j] * other[j];
            row[k] = k == i ? sqrt(sum > MIN_PIVOT ? sum : MIN_PIVOT) : sum / other[k];
        }
    }
}

static void substitute(const newton_problem *q, double *x)
{
    const size_t n = 6 * (size_t)q->unknowns;
    for (size_t i = 0; i < n; ++i) {
        const double *row = &q->matrix[q->row[i]];
        for (size_t k = 6 * (size_t)q->first[i / 6]; k < i; ++k)
            x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
    for (size_t i = n; i-- > 0;) {
        const double *row = &q->matrix[q->row[i]];
        x[i] /= row[i];
        for (size_t k = 6 * (size_t)q->first[i / 6]; k < i; ++k)
            x[k] -= row[k] * x[i];
    }
}

/* ---- the iteration ---- */

/* Minimises the function for fixed multipliers. False: not in `iterations` steps, or in the `*left` of all rounds. */
static bool minimise(newton_problem *q, double tolerance, int iterations, int *left)
{
    const size_t n = 6 * (size_t)q->unknowns;
    double value = evaluate(q, q->y);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        set_gradient(q);
        double slope = 0.0, largest = 0.0;
        for (size_t i = 0; i < n; ++i) {
            largest = max_double(largest, fabs(q->gradient[i]));
            q->step[i] = -q->gradient[i];
        }
        if (largest <= tolerance)
            return true;
        if (*left == 0)
            return false;
        --*left;
        set_matrix(q);
        factorise(q);
        substitute(q, q->step);
        for (size_t i = 0; i < n; ++i)
            slope += q->gradient[i] * q->step[i];
        double t = 1.0, next = value;
        int halvings = 0;
        for (; halvings < LINE_SEARCH_HALVINGS; ++halvings, t *= 0.5) {
            for (size_t i = 0; i < n; ++i)
                q->gradient[i] = q->y[i] + t * q->step[i];
            next = evaluate(q, q->gradient);
            if (next <= value + LINE_SEARCH_SLOPE * t * slope)
                break;
        }
        if (halvings == LINE_SEARCH_HALVINGS) { /* rounding: the value cannot decrease */
            (void)evaluate(q, q->y);
            return true;
        }
        memcpy(q->y, q->gradient, n * sizeof(double));
        value = next;
    }
    return false;
}

/* Friction times slip speed, and rolling friction times that of rolling, at velocities u. */
static double slip_of(const newton_point *p, const double *u)
{
    const double slip = p->friction * sqrt(u[1] * u[1] + u[2] * u[2]);
    return p->count == 3 ? slip : slip + p->rolling * sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]);
}

/* The impulses of a point as the solver has them. */
static void read_impulses(const newton_point *p, const solver_point *s, double impulses[POINT_ROWS])
{
    const tact_vec3 roll = vec_scale(s->roll, 1.0 / p->arm);
    for (int k = 0; k < 3; ++k) {
        impulses[k] = s->rows[k].impulse;
        impulses[k + 3] = k == 0 ? roll.x : k == 1 ? roll.y : roll.z;
    }
}

/* New multipliers and slip speeds. Returns the largest violation: of the target at points that close, of a velocity at
 * points with an impulse, and of the change of a slip speed. The changes of the slip speeds form a linear sequence near
 * the solution; `*relaxation`, by which they are multiplied, is chosen such that it ends (Aitken's method for vectors,
 * Irons and Tuck 1969). */
static double update_multipliers(newton_problem *q, double *relaxation)
{
    double worst = 0.0, product = 0.0, square = 0.0;
    for (size_t i = 0; i < q->point_count; ++i) {
        newton_point *p = &q->points[i];
        double u[POINT_ROWS];
        for (int k = 0; k < p->count; ++k) { /* x = lambda - rho (u + s) */
            u[k] = (p->lambda[k] - p->x[k]) / p->rho;
            worst = max_double(worst, fabs(p->impulse[k] - p->lambda[k]) / p->rho);
            p->lambda[k] = p->impulse[k];
        }
        const double slip = p->impulse[0] > 0.0 ? slip_of(p, u) : 0.0;
        const double change = slip - p->shift;
        worst = max_double(worst, fabs(change));
        product += p->slip_change * (change - p->slip_change);
        square += (change - p->slip_change) * (change - p->slip_change);
        p->slip_change = change;
    }
    if (product < 0.0)
        *relaxation = number_min(max_double(-*relaxation * product / square, MIN_RELAXATION), MAX_RELAXATION);
    for (size_t i = 0; i < q->point_count; ++i) {
        newton_point *p = &q->points[i];
        p->shift = max_double(p->shift + *relaxation * p->slip_change, 0.0);
    }
    return worst;
}

static void set_penalty(newton_problem *q, double factor)
{
    q->penalty *= factor;
    for (size_t i = 0; i < q->point_count; ++i)
        q->points[i].rho *= factor;
}

/* Multipliers and velocities of the start. */
static void reset(newton_problem *q, const solver_point *points)
{
    memset(q->y, 0, 6 * (size_t)q->unknowns * sizeof(double));
    for (size_t i = 0; i < q->point_count; ++i) {
        newton_point *p = &q->points[i];
        read_impulses(p, &points[i], p->lambda);
        memcpy(p->impulse, p->lambda, sizeof p->impulse);
        p->slip_change = 0.0;
    }
    set_gradient(q);
    for (size_t i = 0; i < 6 * (size_t)q->unknowns; ++i)
        q->y[i] = -q->gradient[i];
}

/* Rows of the relative spin, if the point has rolling friction: times a length with which they have about the inverse
 * effective mass of the normal. */
static void set_rolling(newton_point *p, const solver_point *s, const solver_body *bodies, solver_row spin[3])
{
    static const tact_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const solver_body *a = &bodies[s->body[0]], *b = &bodies[s->body[1]];
    const double inverse = a->inverse_inertia.xx + a->inverse_inertia.yy + a->inverse_inertia.zz +
                           b->inverse_inertia.xx + b->inverse_inertia.yy + b->inverse_inertia.zz;
    if (!(s->rolling > 0.0) || !(inverse > 0.0))
        return;
    p->count = POINT_ROWS;
    p->arm = sqrt(3.0 * s->rows[0].inverse_effective_mass / inverse);
    p->rolling = s->rolling / p->arm;
    for (int k = 0; k < 3; ++k) {
        spin[k] = (solver_row){.torque = {vec_scale(axes[k], p->arm), vec_scale(axes[k], p->arm)}};
        p->base[k + 3] = p->arm * vec_dot(axes[k], vec_sub(b->spin, a->spin));
    }
}

static size_t index_count(size_t body_count, size_t point_count) { return 4 * body_count + 4 * point_count + 16; }

/* Numbers of the workspace. `envelope`: those of the matrix. */
static size_t number_count(size_t envelope, size_t unknowns, size_t point_count)
{
    const size_t n = 6 * unknowns, points_size = (sizeof(newton_point) + sizeof(double) - 1) / sizeof(double);
    return envelope + 3 * n + n + 10 * unknowns + points_size * point_count;
}

bool tact_newton_reserve(newton_workspace *w, const tact_allocator *allocator, size_t body_count, size_t point_count,
                         double max_cost)
{
    /* six rows of b numbers, b >= 6, cost 6 b^2: in all not more than a sixth of the cost, nor than a full matrix */
    const double n = (double)body_count, full = 18.0 * n * (n + 1.0), envelope = number_min(full, max_cost / 6.0);
    return newton_index_array_reserve(&w->indices, allocator, index_count(body_count, point_count)) &&
           newton_number_array_reserve(&w->numbers, allocator, number_count((size_t)envelope, body_count, point_count));
}

/* Lays out the problem in the workspace. */
static newton_result set_up(newton_problem *q, solver_point *points, size_t point_count, const solver_body *bodies,
                            size_t body_count, double max_cost, newton_workspace *w, const tact_allocator *allocator)
{
    if (!newton_index_array_reserve(&w->indices, allocator, index_count(body_count, point_count)))
        return NEWTON_OUT_OF_MEMORY;
    uint32_t *number = w->indices.items;
    q->order = number + body_count;
    q->first = q->order + body_count;
    body_graph g = {q->first + body_count, q->first + 2 * body_count, 0};
    for (size_t i = 0; i < body_count; ++i)
        g.heads[i] = NO_BODY;
    uint32_t last[2] = {NO_BODY, NO_BODY};
    for (size_t i = 0; i < point_count; ++i) {
        const uint32_t a = points[i].body[0], b = points[i].body[1];
        if ((a == last[0] && b == last[1]) || bodies[a].inverse_mass == 0.0 || bodies[b].inverse_mass == 0.0)
            continue;
        last[0] = a;
        last[1] = b;
        add_link(&g, a, b);
        add_link(&g, b, a);
    }
    order_bodies(&g, body_count, bodies, number, q->order, &q->unknowns);
    for (uint32_t i = 0; i < q->unknowns; ++i)
        q->first[i] = i;
    for (size_t i = 0; i < point_count; ++i) {
        const uint32_t a = number[points[i].body[0]], b = number[points[i].body[1]];
        if (a == NO_BODY || b == NO_BODY)
            continue;
        uint32_t *first = &q->first[a > b ? a : b];
        *first = (a < b ? a : b) < *first ? (a < b ? a : b) : *first;
    }
    double cost = 0.0;
    q->envelope = 0;
    for (uint32_t i = 0; i < q->unknowns; ++i) {
        const double width = 6.0 * (i - q->first[i] + 1);
        cost += 6.0 * width * width;
        q->envelope += 6 * (6 * (size_t)(i - q->first[i]) + 6);
    }
    if (cost > max_cost)
        return NEWTON_TOO_LARGE;
    const size_t n = 6 * (size_t)q->unknowns;
    if (!newton_number_array_reserve(&w->numbers, allocator, number_count(q->envelope, q->unknowns, point_count)))
        return NEWTON_OUT_OF_MEMORY;
    q->matrix = w->numbers.items;
    q->y = q->matrix + q->envelope;
    q->step = q->y + n;
    q->gradient = q->step + n;
    q->row = (size_t *)(void *)(q->gradient + n);
    q->factor = q->gradient + 2 * n;
    q->points = (newton_point *)(void *)(q->factor + 10 * (size_t)q->unknowns);
    q->point_count = point_count;
    size_t at = 0;
    for (uint32_t i = 0; i < q->unknowns; ++i)
        for (size_t r = 0; r < 6; ++r) {
            q->row[6 * i + r] = at - 6 * (size_t)q->first[i];
            at += 6 * (size_t)(i - q->first[i]) + 6;
        }
    memset(q->y, 0, n * sizeof(double));
    for (uint32_t i = 0; i < q->unknowns; ++i)
        make_factor(&bodies[q->order[i]], &q->factor[10 * (size_t)i]);
    for (size_t i = 0; i < point_count; ++i) {
        newton_point *p = &q->points[i];
        const solver_point *s = &points[i];
        *p = (newton_point){.count = 3, .friction = s->friction, .arm = 1.0};
        double largest = 0.0;
        for (int k = 0; k < 3; ++k) {
            p->base[k] = tact_solver_point_velocity(s, bodies, k) - (k == 0 ? s->target : 0.0);
            largest = max_double(largest, s->rows[k].inverse_effective_mass);
        }
        solver_row spin[3];
        set_rolling(p, s, bodies, spin);
        read_impulses(p, s, p->lambda);
        for (int side = 0; side < 2; ++side) {
            p->unknown[side] = number[s->body[side]];
            for (int k = 0; k < p->count && p->unknown[side] != NO_BODY; ++k) {
                scale_row(k < 3 ? &s->rows[k] : &spin[k - 3], side, &q->factor[10 * (size_t)p->unknown[side]],
                          p->rows[side][k]);
                for (int j = 0; j < 6; ++j)
                    q->y[6 * (size_t)p->unknown[side] + (size_t)j] += p->rows[side][k][j] * p->lambda[k];
            }
        }
        if (s->ignored)
            p->base[0] = INFINITY;
        p->rho = DIRECT_PENALTY / largest;
        q->penalty = DIRECT_PENALTY;
    }
    (void)evaluate(q, q->y); /* for slip speeds with the impulses of the start */
    for (size_t i = 0; i < point_count; ++i) {
        newton_point *p = &q->points[i];
        double u[POINT_ROWS];
        for (int k = 0; k < p->count; ++k)
            u[k] = (p->lambda[k] - p->x[k]) / p->rho;
        p->shift = p->lambda[0] > 0.0 ? slip_of(p, u) : 0.0;
    }
    return NEWTON_CONVERGED;
}

/* Whether the impulses do more work than the targets ask for: half of impulse times velocity before plus after. */
static bool adds_energy(newton_problem *q, const solver_point *points)
{
    double work = 0.0, asked = 0.0;
    for (size_t i = 0; i < q->point_count; ++i) {
        const newton_point *p = &q->points[i];
        for (int k = 0; k < p->count; ++k) {
            const double before = p->base[k] + (k == 0 ? points[i].target : 0.0);
            double change = 0.0;
            for (int side = 0; side < 2; ++side)
                for (int j = 0; j < 6 && p->unknown[side] != NO_BODY; ++j)
                    change += p->rows[side][k][j] * q->y[6 * (size_t)p->unknown[side] + (size_t)j];
            if (p->impulse[k] != 0.0)
                work += p->impulse[k] * (before + 0.5 * change);
        }
        asked += p->impulse[0] * max_double(points[i].target, 0.0);
    }
    return !(work <= asked);
}

newton_result tact_newton_solve(solver_point *points, size_t point_count, solver_body *bodies, size_t body_count,
                                double tolerance, double max_cost, newton_workspace *w, const tact_allocator *allocator)
{
    newton_problem q;
    for (size_t i = 0; i < point_count; ++i)
        if (!(points[i].rows[0].inverse_effective_mass > 0.0))
            return NEWTON_TOO_LARGE;
    newton_result result = set_up(&q, points, point_count, bodies, body_count, max_cost, w, allocator);
    if (result != NEWTON_CONVERGED)
        return result;
    double scale = INFINITY; /* entries of y are velocities times the square root of a mass */
    for (uint32_t i = 0; i < q.unknowns; ++i)
        scale = number_min(scale, 1.0 / max_double(q.factor[10 * (size_t)i], MIN_PIVOT));
    result = NEWTON_IMPROVED;
    bool direct = true; /* with the final penalty: enough where the last step is a good guess */
    double violation = INFINITY, relaxation = 1.0;
    int left = NEWTON_STEPS;
    for (int round = 0; round < NEWTON_ROUNDS; ++round) {
        /* an early round needs no more accuracy than the next one can use */
        const double accuracy = violation < INFINITY ? max_double(tolerance, ROUND_ACCURACY * violation) : tolerance;
        if (!minimise(&q, 0.1 * accuracy * scale, direct ? DIRECT_ITERATIONS : NEWTON_ITERATIONS, &left)) {
            if (!direct || left == 0) {
                violation = INFINITY;
                break;
            }
            violation = INFINITY;
            relaxation = 1.0;
            direct = false; /* from a small penalty to the final one */
            set_penalty(&q, PENALTY_START / q.penalty);
            reset(&q, points);
            continue;
        }
        violation = update_multipliers(&q, &relaxation);
        if (violation <= tolerance && accuracy == tolerance) {
            result = NEWTON_CONVERGED;
            break;
        }
        if (q.penalty < PENALTY)
            set_penalty(&q, PENALTY_GROWTH);
    }
    if (violation <= NEWTON_ACCEPTED * tolerance)
        result = NEWTON_CONVERGED;
    /* the velocities of these impulses, not y: momentum is conserved in any case */
    memset(q.y, 0, 6 * (size_t)q.unknowns * sizeof(double));
    set_gradient(&q);
    for (size_t i = 0; i < 6 * (size_t)q.unknowns; ++i)
        q.y[i] = -q.gradient[i];
    if (result != NEWTON_CONVERGED && adds_energy(&q, points))
        return NEWTON_NOT_CONVERGED;
    for (uint32_t i = 0; i < q.unknowns; ++i)
        add_scaled(&bodies[q.order[i]], &q.factor[10 * (size_t)i], &q.y[6 * (size_t)i]);
    for (size_t i = 0; i < point_count; ++i) {
        const newton_point *p = &q.points[i];
        for (int k = 0; k < 3; ++k)
            points[i].rows[k].impulse = p->impulse[k];
        if (p->count > 3)
            points[i].roll = vec_scale(vec_make(p->impulse[3], p->impulse[4], p->impulse[5]), p->arm);
    }
    return result;
}
