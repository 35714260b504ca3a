/*
 * GJK in double-double arithmetic: the end of the few searches that rounding stalls (gjk.c).
 *
 * Guarantee: as there, with support points, directions and simplex known to about 2^-100 of the size. The bounds meet
 * far below the rounding of the answer: `lower` from a support point, `upper` from points of the shapes, rounded to
 * doubles only at the end. A custom support function is as exact as its double result. Where its rounding keeps the
 * bounds up to GJK_DD_CUSTOM_GAP apart, that is the answer.
 *
 * Plain GJK steps (van den Bergen 1999, section 4.4) and Newton steps alternate as in gjk.c. Where shapes touch in a
 * rim or a ridge, many directions separate equally and the curvature vanishes along a tangent. So the step is limited
 * along each principal direction of the curvature separately.
 *
 * Cost: rarely run; some 3 us for a support point of simple shapes, 3 of them on average after those in doubles, at
 * most GJK_DD_MAX_ITERATIONS.
 */
#include "convex/gjk_dd.h"

#include "convex/convex_constants.h"
#include "convex/simplex_dd.h"
#include "core/number.h"
#include "math/fp_environment.h"
#include "shape/convex_dd.h"

typedef struct gjk_dd_sample {
    dd_vec w, pa, pb; /* support point of B - A along -direction, with its points of A and B */
    dd_vec direction; /* unit */
    uint64_t branch;  /* branches of A's and B's support points, combined */
} gjk_dd_sample;

typedef struct gjk_dd_search {
    const gjk_dd_task *task;
    double margins;
    bool polytopes; /* both are polytopes: no Newton steps */
    gjk_dd_sample simplex[4];
    dd weight[4];
    int count;
    dd_vec v;                  /* closest point of the simplex to the origin */
    dd vv, upper;              /* |v|^2 and |v| */
    dd separation;             /* greatest separation found */
    dd_vec best_axis;          /* its direction */
    gjk_dd_sample best_sample; /* the newest sample with that separation, up to rounding: Newton steps start here */
    double trust_radius;       /* tangent: step length up to which the second-order model has held */
} gjk_dd_search;

static bool is_finite_sample(const gjk_dd_sample *s)
{
    return vec_finite(dd_vec_to_vec3(s->w)) && vec_finite(dd_vec_to_vec3(s->direction));
}

static gjk_dd_sample take_sample(const gjk_dd_search *s, dd_vec n)
{
    const gjk_dd_task *task = s->task;
    gjk_dd_sample sample;
    uint64_t branch_a, branch_b;
    sample.direction = n;
    sample.pa = tact_convex_support_dd(task->a, n, &branch_a);
    sample.pb = tact_convex_support_dd(task->b, dd_vec_negate(n), &branch_b);
    sample.w = dd_vec_add(dd_vec_sub(sample.pb, sample.pa), dd_vec_make(task->offset));
    sample.branch = branch_a * 0x9e3779b97f4a7c15u + branch_b; /* as in gjk.c */
    return sample;
}

/* Updates the lower bound; returns whether the sample separates no less than the best. */
static bool raise_separation(gjk_dd_search *s, const gjk_dd_sample *sample)
{
    dd separation = dd_vec_dot(sample->direction, sample->w);
    double gain = s->count == 0 ? INFINITY : dd_to_double(dd_sub(separation, s->separation));
    if (gain > 0.0) {
        s->separation = separation;
        s->best_axis = sample->direction;
    }
    if (!(gain > -GJK_DD_EQUAL * s->task->rounding))
        return false;
    s->best_sample = *sample;
    return true;
}

/* Adds the sample to the simplex and drops the vertices that the closest point does not need. */
static void add_sample(gjk_dd_search *s, const gjk_dd_sample *sample)
{
    dd_vec w[4];
    simplex_dd_solution answer;
    for (int i = 0; i < s->count; i++) {
        w[i] = s->simplex[i].w;
        if (dd_vec_equal(w[i], sample->w))
            return;
    }
    s->simplex[s->count] = *sample;
    w[s->count] = sample->w;
    tact_simplex_solve_dd(w, s->count + 1, 0, GJK_DD_FLAT * s->task->rounding, &answer);
    int kept = 0;
    for (int i = 0; i <= s->count; i++) {
        if (answer.mask >> i & 1u) {
            s->simplex[kept] = s->simplex[i];
            s->weight[kept++] = answer.weight[i];
        }
    }
    s->count = kept;
    s->v = answer.v;
    s->vv = answer.vv;
    s->upper = dd_sqrt(answer.vv);
}

/* ---- Newton steps ---- */

typedef struct gjk_dd_branch {
    const gjk_dd_sample *from;
    dd weight;
    double pxx, pxy, pyy; /* curvature of B - A in the tangent plane of n: positive semidefinite */
    dd gx, gy;            /* slope of the separation there */
    dd separation;        /* the separation n.w, to second order */
} gjk_dd_branch;

/* One model for each branch in the simplex, from the vertex whose direction is nearest to the best axis. */
static int gather_branches(const gjk_dd_search *s, gjk_dd_branch *models)
{
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const gjk_dd_sample *vertex = &s->simplex[i];
        int k = 0;
        while (k < count && models[k].from->branch != vertex->branch)
            k++;
        if (k == count) {
            models[count].from = vertex;
            models[count++].weight = s->weight[i];
            continue;
        }
        models[k].weight = dd_add(models[k].weight, s->weight[i]);
        if (dd_less(dd_vec_dot(models[k].from->direction, s->best_sample.direction),
                    dd_vec_dot(vertex->direction, s->best_sample.direction)))
            models[k].from = vertex;
    }
    for (int k = 0; k < count; k++)
        if (models[k].from->branch == s->best_sample.branch)
            models[k].from = &s->best_sample;
    return count;
}

static dd times(double s, dd a) { return dd_mul(dd_make(s), a); }

/* Two unit vectors perpendicular to n and to each other, in double-double. */
static void tangent_basis(dd_vec n, dd_vec *e, dd_vec *f)
{
    tact_vec3 near_e, near_f;
    vec_tangent_basis(dd_vec_to_vec3(n), &near_e, &near_f);
    *f = dd_vec_normalize(dd_vec_cross(n, dd_vec_make(near_e)));
    *e = dd_vec_cross(*f, n);
}

/* The separation along n + y, y in the tangent plane, in the model of a branch: w.(n + y) - (y + d)^t P (y + d)/2 with
 * d = n - direction. A double is exact enough for the curvature P, not for what the step makes zero. */
static void model_branch(const gjk_dd_search *s, dd_vec e, dd_vec f, gjk_dd_branch *m)
{
    const dd_vec n = s->best_sample.direction;
    tact_vec3 direction = dd_vec_to_vec3(m->from->direction), near_e = dd_vec_to_vec3(e), near_f = dd_vec_to_vec3(f);
    double h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, h_b[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_convex_curvature(s->task->a, direction, h);
    tact_convex_curvature(s->task->b, vec_negate(direction), h_b);
    for (int i = 0; i < 6; i++)
        h[i] += h_b[i];
    m->pxx = convex_curvature_along(h, near_e, near_e);
    m->pxy = convex_curvature_along(h, near_e, near_f);
    m->pyy = convex_curvature_along(h, near_f, near_f);
    dd_vec d = dd_vec_sub(n, m->from->direction);
    dd dx = dd_vec_dot(e, d), dy = dd_vec_dot(f, d);
    dd px = dd_add(times(m->pxx, dx), times(m->pxy, dy)), py = dd_add(times(m->pxy, dx), times(m->pyy, dy));
    m->gx = dd_sub(dd_vec_dot(e, m->from->w), px);
    m->gy = dd_sub(dd_vec_dot(f, m->from->w), py);
    dd bend = dd_add(dd_mul(dx, px), dd_mul(dy, py));
    m->separation = dd_sub(dd_vec_dot(n, m->from->w), times(0.5, bend));
}

static double clamp_step(double step, double most) { return step > most ? most : step < -most ? -most : step; }

/* The maximum of one quadratic: K y = r along the principal directions. Along one without curvature the step is the
 * trust radius. */
static void maximize_quadratic(double kxx, double kxy, double kyy, double rx, double ry, double trust_radius, double *x,
                               double *y)
{
    /* principal direction (c, s) of the larger curvature, by half the angle of (kxx - kyy, 2 kxy) */
    double a = 0.5 * (kxx - kyy), b = kxy, r = sqrt(a * a + b * b), c = 1.0, s = 0.0;
    if (r > 0.0) {
        c = a > 0.0 ? r + a : fabs(b);
        s = a > 0.0 ? b : b < 0.0 ? a - r : r - a;
        double length = sqrt(c * c + s * s);
        c /= length;
        s /= length;
    }
    double more = 0.5 * (kxx + kyy) + r, less = more > 0.0 ? (kxx * kyy - kxy * kxy) / more : 0.0;
    double along = c * rx + s * ry, across = c * ry - s * rx;
    double p = more > 0.0 ? along / more : 0.0;
    double q = less > 0.0 ? across / less : across > 0.0 ? trust_radius : across < 0.0 ? -trust_radius : 0.0;
    p = clamp_step(p, trust_radius);
    q = clamp_step(q, trust_radius);
    *x = c * p - s * q;
    *y = s * p + c * q;
}

/* Finds a direction of greater separation; false if the model has none. */
static bool newton_direction(const gjk_dd_search *s, dd_vec *better)
{
    gjk_dd_branch m[4];
    int count = gather_branches(s, m);
    dd_vec e, f;
    tangent_basis(s->best_sample.direction, &e, &f);
    double kxx = 0.0, kxy = 0.0, kyy = 0.0;
    dd rx = dd_make(0.0), ry = rx, t = rx;
    for (int i = 0; i < count; i++) {
        model_branch(s, e, f, &m[i]);
        kxx += m[i].weight.high * m[i].pxx;
        kxy += m[i].weight.high * m[i].pxy;
        kyy += m[i].weight.high * m[i].pyy;
        rx = dd_add(rx, dd_mul(m[i].weight, m[i].gx));
        ry = dd_add(ry, dd_mul(m[i].weight, m[i].gy));
        t = dd_add(t, dd_mul(m[i].weight, m[i].separation));
    }
    kxx += t.high;
    kyy += t.high;
    double x, y;
    if (count == 1) {
        maximize_quadratic(kxx, kxy, kyy, dd_to_double(rx), dd_to_double(ry), s->trust_radius, &x, &y);
    } else {
        /* c.y = c0: where two branches separate equally */
        dd cx = dd_sub(m[1].gx, m[0].gx), cy = dd_sub(m[1].gy, m[0].gy);
        dd c0 = dd_sub(m[0].separation, m[1].separation);
        if (count == 2) {
            /* K y = r + l c: along c to that line, and along it to the maximum of K. */
            dd cc = dd_add(dd_mul(cx, cx), dd_mul(cy, cy));
            if (!(cc.high > 0.0))
                return false;
            dd px = dd_div(dd_mul(c0, cx), cc), py = dd_div(dd_mul(c0, cy), cc);
            double length = sqrt(cc.high), qx = -cy.high / length, qy = cx.high / length;
            double qkq = qx * (kxx * qx + kxy * qy) + qy * (kxy * qx + kyy * qy);
            rx = dd_sub(rx, dd_add(times(kxx, px), times(kxy, py)));
            ry = dd_sub(ry, dd_add(times(kxy, px), times(kyy, py)));
            double qr = dd_to_double(dd_minor(cx, ry, cy, rx)) / length;
            double step = qkq > 0.0  ? clamp_step(qr / qkq, s->trust_radius)
                          : qr > 0.0 ? s->trust_radius
                          : qr < 0.0 ? -s->trust_radius
                                     : 0.0;
            double part = sqrt(px.high * px.high + py.high * py.high);
            double scale = part > s->trust_radius ? s->trust_radius / part : 1.0;
            x = px.high * scale + step * qx;
            y = py.high * scale + step * qy;
        } else {
            /* Three branches that separate equally leave no freedom. */
            dd bx = dd_sub(m[2].gx, m[0].gx), by = dd_sub(m[2].gy, m[0].gy);
            dd b0 = dd_sub(m[0].separation, m[2].separation), d = dd_minor(cx, by, cy, bx);
            if (!(fabs(d.high) > 0.0))
                return false;
            x = dd_div(dd_minor(c0, by, cy, b0), d).high;
            y = dd_div(dd_minor(cx, b0, c0, bx), d).high;
            double length = sqrt(x * x + y * y), scale = length > s->trust_radius ? s->trust_radius / length : 1.0;
            x *= scale;
            y *= scale;
        }
    }
    if (!(fabs(x) + fabs(y) < INFINITY))
        return false;
    *better = dd_vec_normalize(dd_vec_mul_add(dd_vec_mul_add(s->best_sample.direction, dd_make(x), e), dd_make(y), f));
    return true;
}

/* ---- the search ---- */

/* Whether the goal is reached, and with which status. */
static bool has_ended(const gjk_dd_search *s, gjk_status *status)
{
    const gjk_dd_task *task = s->task;
    double upper = dd_to_double(s->upper), gap = dd_to_double(dd_sub(s->upper, s->separation));
    if (dd_to_double(s->separation) > task->stop_distance)
        *status = GJK_BEYOND_LIMIT;
    else if (s->count == 4 || upper <= task->rounding)
        *status = GJK_OVERLAP;
    else if (task->decide && upper <= task->limit)
        *status = GJK_WITHIN_LIMIT;
    else if (task->decide && gap <= GJK_DD_GAP * task->rounding)
        *status = dd_to_double(s->separation) > task->limit ? GJK_BEYOND_LIMIT : GJK_WITHIN_LIMIT;
    else if (!task->decide && gap <= task->accuracy * fabs(upper - s->margins) + GJK_DD_GAP * task->rounding)
        *status = GJK_SEPARATED;
    else
        return false;
    return true;
}

/* The status when no step reduces the gap. A gap of one rounding error is as good as none. With a custom support
 * function a larger one may be all that can be known. */
static gjk_status stalled_status(const gjk_dd_search *s)
{
    const gjk_dd_task *task = s->task;
    double upper = dd_to_double(s->upper), separation = dd_to_double(s->separation);
    bool custom = task->a->shape->has_custom_support || task->b->shape->has_custom_support;
    double slack = (custom ? GJK_DD_CUSTOM_GAP : 1.0) * task->rounding;
    if (!(separation > task->rounding) && upper <= slack)
        return GJK_OVERLAP;
    if (task->decide && upper - separation <= slack)
        return separation > task->limit ? GJK_BEYOND_LIMIT : GJK_WITHIN_LIMIT;
    if (!task->decide && upper - separation <= slack + task->accuracy * fabs(upper - s->margins))
        return GJK_SEPARATED;
    return GJK_NOT_CONVERGED;
}

static void finish(const gjk_dd_search *s, gjk_status status, int iterations, gjk_result *result)
{
    dd_vec pa = dd_vec_make(vec_make(0.0, 0.0, 0.0)), pb = pa;
    for (int i = 0; i < s->count; i++) {
        const gjk_dd_sample *vertex = &s->simplex[i];
        pa = dd_vec_mul_add(pa, s->weight[i], vertex->pa);
        pb = dd_vec_mul_add(pb, s->weight[i], vertex->pb);
        result->simplex[i] =
            (gjk_vertex){dd_vec_to_vec3(vertex->w), dd_vec_to_vec3(vertex->pa), dd_vec_to_vec3(vertex->pb)};
        result->weight[i] = dd_to_double(s->weight[i]);
    }
    bool apart = status != GJK_OVERLAP && s->separation.high > 0.0;
    result->status = status;
    result->iterations += iterations;
    result->count = s->count;
    result->on_a = dd_vec_to_vec3(pa);
    result->on_b = dd_vec_to_vec3(pb);
    result->upper = dd_to_double(s->upper);
    result->lower = apart ? dd_to_double(s->separation) : 0.0;
    result->best_axis = dd_vec_to_vec3(s->best_axis);
    /* The normal is the direction that proved the lower bound, unless there is none or the points do not lie along it.
     */
    dd_vec normal = s->best_axis, aside = dd_vec_mul_add(s->v, dd_negate(s->upper), normal);
    if (!apart ||
        (status == GJK_SEPARATED && vec_max_abs(dd_vec_to_vec3(aside)) > GJK_NORMAL_OFFSET * s->task->rounding))
        normal = dd_vec_normalize(s->v);
    result->normal = status == GJK_OVERLAP ? vec_make(0.0, 0.0, 0.0) : dd_vec_to_vec3(normal);
}

/* Ends without an answer: a custom support function returned NaN. */
static void fail(gjk_result *result)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    result->status = GJK_NOT_CONVERGED;
    result->lower = result->upper = 0.0;
    result->normal = result->best_axis = result->on_a = result->on_b = zero;
    result->count = 0;
}

static TACT_NOINLINE void run_dd(const gjk_dd_task *task, gjk_result *result)
{
    gjk_dd_search s;
    gjk_status status = GJK_NOT_CONVERGED;
    double least_gap = INFINITY;
    bool newton = false;
    s.task = task;
    s.margins = task->a->margin + task->b->margin;
    s.polytopes = tact_convex_is_polytope(task->a) && tact_convex_is_polytope(task->b);
    s.count = 0;
    s.trust_radius = 1.0;
    dd_vec n = dd_vec_normalize(dd_vec_make(task->directions[0]));
    for (int iterations = 1, stalls = 0;; iterations++) {
        gjk_dd_sample sample = take_sample(&s, n);
        if (!is_finite_sample(&sample)) {
            fail(result);
            return;
        }
        double step = newton ? vec_length(dd_vec_to_vec3(dd_vec_sub(n, s.best_sample.direction))) : 0.0;
        bool raised = raise_separation(&s, &sample);
        if (newton)
            s.trust_radius = raised ? number_max(s.trust_radius, 4.0 * step) : 0.25 * step;
        add_sample(&s, &sample);
        double gap = dd_to_double(dd_sub(s.upper, s.separation));
        bool gained = gap < (1.0 - GJK_DD_GAIN) * least_gap, served = newton && gap < 0.25 * least_gap;
        stalls = gained ? 0 : stalls + 1;
        least_gap = number_min(gap, least_gap);
        if (has_ended(&s, &status) || stalls > GJK_DD_MAX_STALLS || iterations >= GJK_DD_MAX_ITERATIONS) {
            finish(&s, status == GJK_NOT_CONVERGED ? stalled_status(&s) : status, iterations, result);
            return;
        }
        /* The next direction: first those found in doubles, then a Newton step every other time, and as long as Newton
         * steps reduce the gap. */
        if (iterations < task->direction_count) {
            n = dd_vec_normalize(dd_vec_make(task->directions[iterations]));
            continue;
        }
        newton = !s.polytopes && (!newton || served) && newton_direction(&s, &n);
        if (!newton)
            n = dd_vec_normalize(s.v);
    }
}

void tact_gjk_dd(const gjk_dd_task *task, gjk_result *result)
{
    fp_environment before = fp_environment_enter(); /* double-doubles need rounding to nearest */
    run_dd(task, result);
    fp_environment_leave(before);
}
