/* Tracing of intersection curves: see nurbs_march.h. */
#include "complex/nurbs_march.h"
#include "core/number.h"
#include "math/elementary.h"

#include <string.h>

/* ---- joined sides ------------------------------------------------------------------------------------------------ */

static bool find_joins(nurbs_march *m, int side)
{
    const nurbs_model *model = m->search->side[side].leaves.items[0].of.shape->nurbs->model;
    const uint32_t count = model->side_class_count + 1; /* (all sides may be poles) */
    m->joins[side] = tact_memory_allocate(&m->search->allocator, count, sizeof(march_join));
    if (m->joins[side] == NULL)
        return false;
    m->join_count[side] = count;
    march_join *joins = m->joins[side];
    for (uint32_t i = 0; i < count; i++)
        joins[i].side[0] = joins[i].side[1] = UINT32_MAX;
    for (uint32_t i = 0; i < model->patch_count; i++)
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t class = model->patches[i].side[k];
            if (class == NURBS_POLE)
                continue;
            march_join *join = &joins[class];
            if (join->side[0] == UINT32_MAX)
                join->side[0] = 4 * i + k;
            else if (join->side[1] == UINT32_MAX)
                join->side[1] = 4 * i + k;
            else
                join->side[0] = UINT32_MAX - 1; /* three or more: curves end here */
        }
    return true;
}

bool tact_nurbs_march_begin(nurbs_march *m, nurbs_search *s, double accuracy, size_t max_points)
{
    *m = (nurbs_march){.search = s, .accuracy = accuracy, .max_points = max_points, .status = TACT_OK};
    return find_joins(m, 0) && find_joins(m, 1);
}

void tact_nurbs_march_end(nurbs_march *m)
{
    for (int i = 0; i < 2; i++)
        tact_memory_free(&m->search->allocator, m->joins[i], m->join_count[i], sizeof(march_join));
    march_point_array_release(&m->points, &m->search->allocator);
    march_point_array_release(&m->scratch, &m->search->allocator);
    march_curve_array_release(&m->curves, &m->search->allocator);
}

/* ---- common points ----------------------------------------------------------------------------------------------- */

/* The points of both patches and their derivatives by s and t. */
static void evaluate_both(const nurbs_march *m, const uint32_t root[2], const double z[4], tact_vec3 out[2][3])
{
    for (int i = 0; i < 2; i++)
        tact_nurbs_search_evaluate_first(&m->search->side[i], root[i], z[2 * i], z[2 * i + 1], out[i]);
}

/* Solves four equations by elimination with complete pivoting. Directions whose pivots vanish up to rounding stay
 * zero, as the parameter that has no influence at a pole. */
static void solve(double a[4][5], double x[4])
{
    int column[4] = {0, 1, 2, 3};
    double largest = 0.0;
    int rank = 0;
    for (; rank < 4; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < 4; i++)
            for (int k = rank; k < 4; k++)
                if (fabs(a[i][k]) > fabs(a[r][c])) {
                    r = i;
                    c = k;
                }
        largest = max_double(largest, fabs(a[r][c]));
        if (!(fabs(a[r][c]) > NURBS_MARCH_PIVOT * largest))
            break;
        for (int k = 0; k < 5; k++) {
            const double swap = a[r][k];
            a[r][k] = a[rank][k];
            a[rank][k] = swap;
        }
        for (int i = 0; i < 4; i++) {
            const double swap = a[i][c];
            a[i][c] = a[i][rank];
            a[i][rank] = swap;
        }
        const int swap = column[c];
        column[c] = column[rank];
        column[rank] = swap;
        for (int i = rank + 1; i < 4; i++) {
            const double f = a[i][rank] / a[rank][rank];
            for (int k = rank; k < 5; k++)
                a[i][k] -= f * a[rank][k];
        }
    }
    for (int i = 0; i < 4; i++)
        x[column[i]] = 0.0;
    for (int i = rank; i-- > 0;) {
        double sum = a[i][4];
        for (int k = i + 1; k < rank; k++)
            sum -= a[i][k] * x[column[k]];
        x[column[i]] = sum / a[i][i];
    }
}

/* The fourth equation for a common point: n . (A - through) = 0, or if `fixed` >= 0: that coordinate is `value`. */
typedef struct march_condition {
    tact_vec3 n, through;
    int fixed;
    double value;
} march_condition;

/* One step of Newton's method: the point X in the tangent planes of both surfaces and in the plane of the condition.
 * With y = X - A: n_a . y = 0, n_b . y = n_b . gap, n . y = rest. False: the planes have no clear common point. */
static bool step_by_planes(const tact_vec3 a[3], const tact_vec3 b[3], tact_vec3 gap, const march_condition *c,
                           double rest, double dz[4])
{
    if (c->fixed >= 0)
        return false;
    const tact_vec3 na = vec_cross(a[1], a[2]), nb = vec_cross(b[1], b[2]), along = vec_cross(na, nb);
    const double square_a = vec_length_squared(na), square_b = vec_length_squared(nb), det = vec_dot(c->n, along);
    if (!(square_a > NURBS_MARCH_FLAT * vec_length_squared(a[1]) * vec_length_squared(a[2])) ||
        !(square_b > NURBS_MARCH_FLAT * vec_length_squared(b[1]) * vec_length_squared(b[2])) ||
        !(det * det > NURBS_MARCH_FLAT * square_a * square_b))
        return false;
    const tact_vec3 y =
        vec_scale(vec_mul_add(vec_scale(along, rest), vec_dot(nb, gap), vec_cross(c->n, na)), 1.0 / det);
    const tact_vec3 x = vec_sub(y, gap);
    dz[0] = vec_dot(vec_cross(y, a[2]), na) / square_a;
    dz[1] = vec_dot(vec_cross(a[1], y), na) / square_a;
    dz[2] = vec_dot(vec_cross(x, b[2]), nb) / square_b;
    dz[3] = vec_dot(vec_cross(b[1], x), nb) / square_b;
    return true;
}

static void step_by_elimination(const tact_vec3 a[3], const tact_vec3 b[3], tact_vec3 gap, const march_condition *c,
                                double rest, double dz[4])
{
    double rows[4][5] = {{a[1].x, a[2].x, -b[1].x, -b[2].x, gap.x},
                         {a[1].y, a[2].y, -b[1].y, -b[2].y, gap.y},
                         {a[1].z, a[2].z, -b[1].z, -b[2].z, gap.z},
                         {0.0, 0.0, 0.0, 0.0, rest}};
    if (c->fixed >= 0) {
        rows[3][c->fixed] = 1.0;
    } else {
        rows[3][0] = vec_dot(c->n, a[1]);
        rows[3][1] = vec_dot(c->n, a[2]);
    }
    solve(rows, dz);
}

/* Newton's method from z, which it changes. `first` (may be NULL) receives the points of both patches at the start. */
static bool find_common(const nurbs_march *m, const uint32_t root[2], const march_condition *c, double z[4],
                        tact_vec3 first[2], tact_vec3 derivatives[2][3])
{
    double last = INFINITY;
    for (int step = 0; step < NURBS_MARCH_STEPS; step++) {
        evaluate_both(m, root, z, derivatives);
        const tact_vec3 *a = derivatives[0], *b = derivatives[1];
        if (step == 0 && first != NULL) {
            first[0] = a[0];
            first[1] = b[0];
        }
        const tact_vec3 gap = vec_sub(b[0], a[0]);
        const double rest = c->fixed >= 0 ? c->value - z[c->fixed] : vec_dot(c->n, vec_sub(c->through, a[0]));
        const double off = max_double(vec_max_abs(gap), fabs(rest));
        /* converged, or rounding errors stop it */
        if (!(off > m->search->slack) || (!(off < 0.5 * last) && off < NURBS_MARCH_RESIDUAL))
            return vec_max_abs(gap) < NURBS_MARCH_RESIDUAL;
        last = off;
        double dz[4];
        if (!step_by_planes(a, b, gap, c, rest, dz))
            step_by_elimination(a, b, gap, c, rest, dz);
        for (int k = 0; k < 4; k++) {
            z[k] += dz[k];
            if (!(fabs(z[k] - 0.5) < 0.5 + NURBS_MARCH_OUTSIDE))
                return false;
        }
    }
    return false;
}

/* Tangent and rates from the derivatives; the tangent on the side of `toward` unless that is zero. */
static bool set_tangent(march_point *p, tact_vec3 derivatives[2][3], tact_vec3 toward)
{
    tact_vec3 n[2];
    double square[2];
    for (int i = 0; i < 2; i++) {
        n[i] = vec_cross(derivatives[i][1], derivatives[i][2]);
        square[i] = vec_length_squared(n[i]);
        const double full = vec_length_squared(derivatives[i][1]) * vec_length_squared(derivatives[i][2]);
        if (!(square[i] > NURBS_POLE_SINE * NURBS_POLE_SINE * full))
            return false;
    }
    const tact_vec3 along = vec_cross(n[0], n[1]);
    const double sine = vec_length(along) / sqrt(square[0] * square[1]);
    if (!(sine > NURBS_MARCH_SINE))
        return false;
    p->tangent = vec_normalize(along);
    if (vec_dot(p->tangent, toward) < 0.0)
        p->tangent = vec_negate(p->tangent);
    for (int i = 0; i < 2; i++) {
        p->rate[2 * i] = vec_dot(vec_cross(p->tangent, derivatives[i][2]), n[i]) / square[i];
        p->rate[2 * i + 1] = vec_dot(vec_cross(derivatives[i][1], p->tangent), n[i]) / square[i];
    }
    p->point = vec_scale(vec_add(derivatives[0][0], derivatives[1][0]), 0.5);
    return true;
}

bool tact_nurbs_march_passes(const march_point *p, const double low[4], const double high[4], double range[2])
{
    range[0] = -INFINITY;
    range[1] = INFINITY;
    for (int k = 0; k < 4; k++) {
        if (p->rate[k] == 0.0) {
            if (p->z[k] < low[k] || p->z[k] > high[k])
                return false;
            continue;
        }
        const double a = (low[k] - p->z[k]) / p->rate[k], b = (high[k] - p->z[k]) / p->rate[k];
        range[0] = max_double(range[0], number_min(a, b));
        range[1] = number_min(range[1], max_double(a, b));
    }
    return range[0] <= range[1];
}

bool tact_nurbs_march_seed(const nurbs_march *m, const uint32_t root[2], const double low[4], const double high[4],
                           march_point *out)
{
    tact_vec3 derivatives[2][3];
    double dz[4], around[2][4], range[2];
    *out = (march_point){.root = {root[0], root[1]}};
    for (int k = 0; k < 4; k++)
        out->z[k] = 0.5 * (low[k] + high[k]);
    evaluate_both(m, root, out->z, derivatives);
    if (!set_tangent(out, derivatives, vec_make(0.0, 0.0, 0.0)))
        return false;
    const march_condition c = {out->tangent, out->point, -1, 0.0};
    const tact_vec3 gap = vec_sub(derivatives[1][0], derivatives[0][0]);
    const double rest = vec_dot(c.n, vec_sub(c.through, derivatives[0][0]));
    if (step_by_planes(derivatives[0], derivatives[1], gap, &c, rest, dz)) {
        for (int k = 0; k < 4; k++) {
            const double beyond = NURBS_MARCH_SEED_RANGE * (high[k] - low[k]);
            out->z[k] += dz[k];
            around[0][k] = low[k] - beyond;
            around[1][k] = high[k] + beyond;
        }
        if (!tact_nurbs_march_passes(out, around[0], around[1], range))
            return false;
    }
    return find_common(m, root, &c, out->z, NULL, derivatives) &&
           set_tangent(out, derivatives, vec_make(0.0, 0.0, 0.0));
}

bool tact_nurbs_march_along(const nurbs_march *m, const march_point *from, double length, march_point *out)
{
    tact_vec3 derivatives[2][3];
    const march_condition c = {from->tangent, vec_mul_add(from->point, length, from->tangent), -1, 0.0};
    *out = *from;
    for (int k = 0; k < 4; k++)
        out->z[k] += length * from->rate[k];
    return find_common(m, from->root, &c, out->z, NULL, derivatives) && set_tangent(out, derivatives, from->tangent);
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

double tact_nurbs_march_length(const march_point *p, const march_point *q)
{
    const double chord = vec_length(vec_sub(q->point, p->point));
    const double half = 0.5 * tact_acos(number_min(number_max(vec_dot(p->tangent, q->tangent), -1.0), 1.0));
    return half > 1e-4 ? chord * half / tact_sine(half) : chord * (1.0 + half * half / 6.0);
}

tact_vec3 tact_nurbs_march_cubic(const march_point *p, const march_point *q, double h, double f)
{
    const double g = 1.0 - f, a = g * g * (1.0 + 2.0 * f), b = f * f * (1.0 + 2.0 * g), c = h * f * g * g,
                 d = -h * f * f * g;
    return vec_add(vec_add(vec_scale(p->point, a), vec_scale(q->point, b)),
                   vec_add(vec_scale(p->tangent, c), vec_scale(q->tangent, d)));
}

void tact_nurbs_march_coordinates(const march_point *p, const march_point *q, double h, double f, double z[4])
{
    const double g = 1.0 - f, a = g * g * (1.0 + 2.0 * f), b = f * f * (1.0 + 2.0 * g), c = h * f * g * g,
                 d = -h * f * f * g;
    for (int k = 0; k < 4; k++)
        z[k] = a * p->z[k] + b * q->z[k] + c * p->rate[k] + d * q->rate[k];
}

/* The point at the fraction f, with its tangent if wanted, and how far the cubic polynomials are off there. */
static bool refine_between(const nurbs_march *m, const march_point *p, const march_point *q, double f, bool tangent,
                           march_point *out, double *off)
{
    tact_vec3 derivatives[2][3], first[2];
    const double h = tact_nurbs_march_length(p, q);
    *out = (march_point){.root = {p->root[0], p->root[1]}};
    const tact_vec3 x = tact_nurbs_march_cubic(p, q, h, f);
    tact_nurbs_march_coordinates(p, q, h, f, out->z);
    const march_condition c = {vec_normalize(vec_sub(q->point, p->point)), x, -1, 0.0};
    if (!find_common(m, p->root, &c, out->z, first, derivatives))
        return false;
    out->point = vec_scale(vec_add(derivatives[0][0], derivatives[1][0]), 0.5);
    *off = vec_length(vec_sub(x, out->point));
    for (int i = 0; i < 2; i++)
        *off = max_double(*off, vec_length(vec_sub(first[i], out->point)));
    return !tangent || set_tangent(out, derivatives, p->tangent);
}

bool tact_nurbs_march_between(const nurbs_march *m, const march_point *p, const march_point *q, double f,
                              march_point *out)
{
    double off;
    return refine_between(m, p, q, f, true, out, &off);
}

/* ---- tracing ----------------------------------------------------------------------------------------------------- */

/* The place beyond the side at which coordinate k is 0 or 1, and the coordinate through which it enters the other
 * patch. False: a border or a pole. UINT32_MAX as root: out of memory. */
static bool cross_side(nurbs_march *m, march_point *p, int k, bool *pole, int *entered)
{
    const int i = k / 2, d = k % 2;
    const search_side *side = &m->search->side[i];
    const nurbs_model *model = side->leaves.items[0].of.shape->nurbs->model;
    const uint32_t patch = side->nodes.items[p->root[i]].patch;
    const bool high = p->z[k] > 0.5;
    const uint32_t of = d == 0 ? (high ? 1 : 3) : high ? 2 : 0;
    const nurbs_patch *from = &model->patches[patch];
    *pole = from->side[of] == NURBS_POLE;
    if (*pole)
        return false;
    const march_join *join = &m->joins[i][from->side[of]];
    if (join->side[0] >= UINT32_MAX - 1 || join->side[1] == UINT32_MAX)
        return false;
    const uint32_t other = join->side[0] == 4 * patch + of ? join->side[1] : join->side[0], to = other % 4;
    const nurbs_patch *next = &model->patches[other / 4];
    const bool reversed = ((from->reversed >> of ^ next->reversed >> to) & 1) != 0;
    const double along = reversed ? 1.0 - p->z[2 * i + 1 - d] : p->z[2 * i + 1 - d];
    p->z[2 * i] = to == 1 ? 1.0 : to == 3 ? 0.0 : along;
    p->z[2 * i + 1] = to == 2 ? 1.0 : to == 0 ? 0.0 : along;
    *entered = 2 * i + (to == 0 || to == 2);
    p->root[i] = tact_nurbs_search_patch(m->search, i, 0, other / 4);
    return true;
}

static double largest_rate(const march_point *p)
{
    return max_double(max_double(fabs(p->rate[0]), fabs(p->rate[1])), max_double(fabs(p->rate[2]), fabs(p->rate[3])));
}

/* A point that goes on in the direction `sense` of its tangent. */
typedef struct tracer {
    nurbs_march *march;
    march_point at;
    march_point start; /* of the curve, to close it */
    double sense;      /* 1 or -1 */
    double step;       /* length of the next one */
    double bend[4];    /* second derivatives of the coordinates, estimated */
    size_t count;      /* of steps */
    int short_steps;   /* in a row */
    int entered;       /* coordinate through which it came into its patches; -1: none */
    tact_nurbs_curve_end end;
} tracer;

static bool push(tracer *t, const march_point *p)
{
    march_point_array *to = &t->march->scratch;
    if (to->count >= t->march->max_points) {
        t->march->status = TACT_NOT_CONVERGED;
        return false;
    }
    if (march_point_array_push(to, &t->march->search->allocator, *p))
        return true;
    t->march->status = TACT_OUT_OF_MEMORY;
    return false;
}

/* Goes to the patch beyond coordinate k. False: the curve ends, or the status is not TACT_OK. */
static bool enter(tracer *t, int k)
{
    nurbs_march *m = t->march;
    tact_vec3 derivatives[2][3];
    march_point next = t->at;
    bool pole;
    int entered = k;
    t->end = TACT_NURBS_END_BORDER;
    if (!cross_side(m, &next, k, &pole, &entered)) {
        t->end = pole ? TACT_NURBS_END_SINGULAR : TACT_NURBS_END_BORDER;
        return false;
    }
    if (next.root[k / 2] == UINT32_MAX) {
        m->status = TACT_OUT_OF_MEMORY;
        return false;
    }
    evaluate_both(m, next.root, next.z, derivatives);
    if (!set_tangent(&next, derivatives, t->at.tangent)) {
        t->end = TACT_NURBS_END_SINGULAR;
        return false;
    }
    const double inward = t->sense * next.rate[entered] * (next.z[entered] == 0.0 ? 1.0 : -1.0);
    const bool edge = vec_dot(next.tangent, t->at.tangent) < 1.0 - NURBS_MARCH_SAME;
    if (edge && inward < -NURBS_MARCH_ALONG * largest_rate(&next)) { /* the tangent turns by more than 90 degrees */
        next.tangent = vec_negate(next.tangent);
        for (int i = 0; i < 4; i++)
            next.rate[i] = -next.rate[i];
    }
    next.point = t->at.point; /* the same up to rounding */
    t->at = next;
    t->entered = entered;
    memset(t->bend, 0, sizeof t->bend);
    t->step = number_min(t->step, 0.25 / largest_rate(&next));
    return push(t, &next);
}

/* A coordinate at a side across which the curve goes; -1: none. */
static int leaving(const tracer *t)
{
    const double least = NURBS_MARCH_ALONG * largest_rate(&t->at);
    for (int k = 0; k < 4; k++) {
        const double speed = t->sense * t->at.rate[k];
        if (k == t->entered) /* it touches the side: the next step decides */
            continue;
        if ((t->at.z[k] <= NURBS_MARCH_SIDE && speed < -least) ||
            (t->at.z[k] >= 1.0 - NURBS_MARCH_SIDE && speed > least))
            return k;
    }
    return -1;
}

/* The coordinate that first leaves the patches on the way from p to z; -1: none. `fraction` of the way. */
static int first_outside(const march_point *p, const double z[4], double *fraction)
{
    int first = -1;
    *fraction = 1.0;
    for (int k = 0; k < 4; k++)
        if (z[k] < -NURBS_MARCH_SIDE || z[k] > 1.0 + NURBS_MARCH_SIDE) {
            const double bound = z[k] < 0.0 ? 0.0 : 1.0;
            const double f = (bound - p->z[k]) / (z[k] - p->z[k]);
            if (first < 0 || f < *fraction) {
                first = k;
                *fraction = number_min(number_max(f, 0.0), 1.0);
            }
        }
    return first;
}

/* The fraction of the way from p, which is on a side of coordinate k, to z at which the curve comes back to this side;
 * 0: it does not go inside. */
static double comes_back(const march_point *p, const double z[4], int k, double slope)
{
    const double bound = z[k] < 0.0 ? 0.0 : 1.0, inside = bound > 0.5 ? -1.0 : 1.0;
    /* the parabola with the slope at p */
    const double at = p->z[k], bend = z[k] - at - slope;
    const double f = bend != 0.0 ? -slope / bend : 0.0;
    return slope * inside > 0.0 && f > 0.0 && f < 1.0 && fabs(0.25 * slope * f) > NURBS_MARCH_SIDE ? f : 0.0;
}

/* The point a step of length h ahead, or on the side of a patch that comes first: `out_at` is then its coordinate. */
static bool step_to(const tracer *t, double h, march_point *next, int *out_at)
{
    const march_point *p = &t->at;
    tact_vec3 derivatives[2][3];
    *next = (march_point){.root = {p->root[0], p->root[1]}};
    for (int k = 0; k < 4; k++)
        next->z[k] = p->z[k] + t->sense * h * p->rate[k] + 0.5 * h * h * t->bend[k];
    march_condition c = {p->tangent, vec_mul_add(p->point, t->sense * h, p->tangent), -1, 0.0};
    if (!find_common(t->march, p->root, &c, next->z, NULL, derivatives))
        return false;
    *out_at = -1;
    for (int trial = 0; trial < 4; trial++) {
        double f;
        const int k = first_outside(p, next->z, &f);
        if (k < 0)
            break;
        if (fabs(p->z[k] - (next->z[k] < 0.0 ? 0.0 : 1.0)) < NURBS_MARCH_SIDE)
            f = comes_back(p, next->z, k, t->sense * h * p->rate[k]);
        *out_at = k;
        c.fixed = k;
        c.value = next->z[k] < 0.0 ? 0.0 : 1.0;
        for (int i = 0; i < 4; i++)
            next->z[i] = p->z[i] + f * (next->z[i] - p->z[i]);
        if (!find_common(t->march, p->root, &c, next->z, NULL, derivatives))
            return false;
        next->z[k] = c.value;
    }
    return set_tangent(next, derivatives, p->tangent) && vec_dot(next->tangent, p->tangent) > NURBS_MARCH_TURN;
}

/* Whether the next step arrives at the start. */
static bool arrives(const tracer *t, double h)
{
    const tact_vec3 way = vec_sub(t->start.point, t->at.point);
    const double along = t->sense * vec_dot(way, t->at.tangent);
    if (t->count < 2 || !(along > 0.0) || !(along < 1.1 * h) || !(vec_length(way) < 1.2 * along) ||
        !(vec_dot(t->at.tangent, t->start.tangent) > NURBS_MARCH_TURN))
        return false;
    march_point next;
    int out_at;
    if (!step_to(t, along, &next, &out_at) || out_at >= 0 ||
        !(vec_length(vec_sub(next.point, t->start.point)) < NURBS_MARCH_SAME) ||
        !(vec_dot(next.tangent, t->start.tangent) > 1.0 - NURBS_MARCH_SAME))
        return false;
    for (int k = 0; k < 4; k++)
        if (march_same_patches(&next, &t->start) && !(fabs(next.z[k] - t->start.z[k]) < NURBS_MARCH_SAME))
            return false;
    return true;
}

/* Whether the curve is at its start already: in another patch that has it on a side. */
static bool is_at_start(const tracer *t)
{
    if (t->count < 2 || !(vec_length(vec_sub(t->at.point, t->start.point)) < NURBS_MARCH_SAME) ||
        !(vec_dot(t->at.tangent, t->start.tangent) > 1.0 - NURBS_MARCH_SAME))
        return false;
    for (int k = 0; k < 4; k++)
        if (march_same_patches(&t->at, &t->start) && !(fabs(t->at.z[k] - t->start.z[k]) < NURBS_MARCH_SAME))
            return false;
    return true;
}

static void estimate_bend(tracer *t, const march_point *from, const march_point *to, double h)
{
    for (int k = 0; k < 4; k++)
        t->bend[k] = h > 0.0 ? t->sense * (to->rate[k] - from->rate[k]) / h : 0.0;
}

/* Between two points inside its patches, a curve may leave them and come back. */
static bool is_in_patches(const march_point *p)
{
    bool inside = true;
    for (int k = 0; k < 4; k++)
        inside = inside && p->z[k] >= -NURBS_MARCH_SIDE && p->z[k] <= 1.0 + NURBS_MARCH_SIDE;
    return inside;
}

/* One step. False: the curve ends, or the status is not TACT_OK. */
static bool advance(tracer *t)
{
    nurbs_march *m = t->march;
    double h = number_min(t->step, 0.5 / largest_rate(&t->at));
    const double wanted = 0.5 * m->accuracy;
    bool closing = arrives(t, h);
    while (h > NURBS_MARCH_MIN_STEP) {
        march_point next, middle;
        int out_at = -1;
        double off = INFINITY;
        if (closing)
            h = t->sense * vec_dot(vec_sub(t->start.point, t->at.point), t->at.tangent);
        const bool found = step_to(t, h, &next, &out_at);
        if (found && closing && march_same_patches(&next, &t->start))
            next = t->start;
        const march_point *from = t->sense > 0.0 ? &t->at : &next, *to = t->sense > 0.0 ? &next : &t->at;
        if (found && refine_between(m, from, to, 0.5, false, &middle, &off) && off <= wanted &&
            is_in_patches(&middle)) {
            const double length = tact_nurbs_march_length(&t->at, &next);
            t->short_steps = length < NURBS_MARCH_SHORT ? t->short_steps + 1 : 0;
            estimate_bend(t, &t->at, &next, length);
            t->at = next;
            t->entered = -1;
            t->count++;
            const double growth = off > 0.0 ? 0.9 * sqrt(sqrt(wanted / off)) : 2.0;
            t->step = h * number_min(number_max(growth, 0.5), 2.0);
            if (!push(t, &next))
                return false;
            if (t->short_steps > NURBS_MARCH_SHORT_STEPS)
                break;
            if (closing) {
                t->end = TACT_NURBS_END_CLOSED;
                return false;
            }
            return out_at < 0 || enter(t, out_at);
        }
        closing = false;
        h *= off < INFINITY ? number_max(0.2, number_min(0.9 * sqrt(sqrt(wanted / off)), 0.8)) : 0.4;
    }
    t->end = TACT_NURBS_END_SINGULAR;
    return false;
}

/* Follows the curve from `seed`; its points after the seed come into `scratch`. */
static tact_nurbs_curve_end follow(nurbs_march *m, const march_point *seed, double sense)
{
    tracer t = {
        .march = m, .at = *seed, .start = *seed, .sense = sense, .step = 0.1 / largest_rate(seed), .entered = -1};
    m->scratch.count = 0;
    for (;;) {
        int k = leaving(&t);
        for (int i = 0; i < 8 && k >= 0; i++, k = leaving(&t))
            if (!enter(&t, k))
                return t.end;
        if (is_at_start(&t))
            return TACT_NURBS_END_CLOSED;
        if (!advance(&t))
            return t.end;
    }
}

bool tact_nurbs_march_trace(nurbs_march *m, const march_point *seed)
{
    const tact_allocator *allocator = &m->search->allocator;
    const size_t first = m->points.count;
    tact_nurbs_curve_end end = follow(m, seed, 1.0), begin = TACT_NURBS_END_CLOSED;
    const size_t forward = m->scratch.count;
    bool done = m->status == TACT_OK && march_point_array_resize(&m->points, allocator, first + forward + 1);
    if (done) {
        m->points.items[first] = *seed;
        if (forward > 0)
            memcpy(m->points.items + first + 1, m->scratch.items, forward * sizeof(march_point));
        if (end != TACT_NURBS_END_CLOSED) {
            begin = follow(m, seed, -1.0);
            const size_t backward = m->scratch.count;
            done =
                m->status == TACT_OK && march_point_array_resize(&m->points, allocator, first + forward + 1 + backward);
            if (done) {
                memmove(m->points.items + first + backward, m->points.items + first,
                        (forward + 1) * sizeof(march_point));
                for (size_t i = 0; i < backward; i++)
                    m->points.items[first + i] = m->scratch.items[backward - 1 - i];
                if (begin == TACT_NURBS_END_CLOSED) { /* found in this direction alone, which has the whole curve */
                    end = TACT_NURBS_END_CLOSED;
                    m->points.count = first + backward + 1;
                }
            }
        }
    }
    for (size_t i = first; i + 1 < m->points.count; i++)
        m->points.items[i].length = tact_nurbs_march_length(&m->points.items[i], &m->points.items[i + 1]);
    const march_curve curve = {(uint32_t)first, (uint32_t)(m->points.count - first), {begin, end}};
    const bool too_many = m->points.count > m->max_points;
    if (done && !too_many && march_curve_array_push(&m->curves, allocator, curve))
        return true;
    m->points.count = first;
    if (m->status == TACT_OK)
        m->status = too_many ? TACT_NOT_CONVERGED : TACT_OUT_OF_MEMORY;
    return false;
}
