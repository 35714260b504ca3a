/*
 * GJK in pairs of doubles: the end of the few searches that rounding stalls (convex/gjk.c).
 *
 * Guarantee: as there, but with support points, directions and simplex known to about 2^-100 of the size, so that the
 * bounds meet far below the rounding of the answer: lower from a support point, upper from points of the shapes,
 * rounded to doubles only at the end. A user's own support function is as good as its double result, and where its
 * rounding keeps the bounds apart by up to GJK_DD_CUSTOM_GAP, that is the answer.
 *
 * The same two kinds of steps in turn: plain GJK (seed 004, section 4.4), and Newton's on the dual problem, the highest
 * separation over unit directions, with the smooth branches of the simplex as constraints. Where shapes touch in a rim
 * or a ridge, many directions separate equally and the curvature is nothing along some tangent: so each main direction
 * of the curvature is limited on its own.
 *
 * Cost: cold; some 3 us a support point of simple shapes, 3 of them on average beyond what doubles have found, at most
 * GJK_DD_MAX_ITERATIONS.
 */
#include "convex/gjk_dd.h"

#include "convex/convex_constants.h"
#include "convex/simplex_dd.h"
#include "math/fp_environment.h"
#include "shape/convex_dd.h"

typedef struct sample {
    dd_vec w, pa, pb; /* the point of B - A lowest along `aim`, and where it comes from */
    dd_vec aim;       /* unit */
    uint64_t branch;  /* of A's and B's support points together */
} sample;

typedef struct pair_search {
    const gjk_dd_task *task;
    double margins;
    bool flat; /* both are polytopes: nothing for Newton */
    sample simplex[4];
    dd weight[4];
    int count;
    dd_vec v;     /* the nearest point of the simplex, */
    dd vv, upper; /* its square and its length */
    dd height;    /* highest separation found so far */
    dd_vec proof; /* the direction that gave it */
    sample best;  /* as high, up to rounding, and the newest such: where Newton's steps begin */
    double trust; /* how far, as a tangent, the second-order model has proved to hold */
} pair_search;

static bool finite_sample(const sample *s)
{
    return vec_finite(dd_vec_to_vec3(s->w)) && vec_finite(dd_vec_to_vec3(s->aim));
}

static sample take_sample(const pair_search *s, dd_vec n)
{
    const gjk_dd_task *task = s->task;
    sample taken;
    uint64_t branch_a, branch_b;
    taken.aim = n;
    taken.pa = tact_convex_support_dd(task->a, n, &branch_a);
    taken.pb = tact_convex_support_dd(task->b, dd_vec_negate(n), &branch_b);
    taken.w = dd_vec_add(dd_vec_sub(taken.pb, taken.pa), dd_vec_make(task->offset));
    taken.branch = branch_a * 0x9e3779b97f4a7c15u + branch_b; /* as in gjk.c */
    return taken;
}

/* Takes the sample for what it proves: whether it separates no less than the best. */
static bool raise_height(pair_search *s, const sample *taken)
{
    dd separation = dd_vec_dot(taken->aim, taken->w);
    double gain = s->count == 0 ? INFINITY : dd_to_double(dd_sub(separation, s->height));
    if (gain > 0.0) {
        s->height = separation;
        s->proof = taken->aim;
    }
    if (!(gain > -GJK_DD_EQUAL * s->task->floor))
        return false;
    s->best = *taken;
    return true;
}

/* Adds the sample to the simplex and drops what the nearest point does not need. */
static void add_sample(pair_search *s, const sample *taken)
{
    dd_vec w[4];
    simplex_dd_answer answer;
    for (int i = 0; i < s->count; i++) {
        w[i] = s->simplex[i].w;
        if (dd_vec_equal(w[i], taken->w))
            return;
    }
    s->simplex[s->count] = *taken;
    w[s->count] = taken->w;
    tact_simplex_solve_pairs(w, s->count + 1, 0, GJK_DD_FLAT * s->task->floor, &answer);
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

/* ---- Newton's step ---------------------------------------------------------------------------------------------- */

typedef struct branch_model {
    const sample *from;
    dd weight;
    double pxx, pxy, pyy; /* curvature of B - A in the tangent plane of n: not negative */
    dd gx, gy;            /* slope of the separation there */
    dd height;            /* the separation n.w, to second order */
} branch_model;

/* One model for each branch in the simplex, from the vertex whose aim is nearest to the best direction so far. */
static int gather_branches(const pair_search *s, branch_model *models)
{
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const sample *vertex = &s->simplex[i];
        int k = 0;
        while (k < count && models[k].from->branch != vertex->branch)
            k++;
        if (k == count) {
            models[count].from = vertex;
            models[count++].weight = s->weight[i];
            continue;
        }
        models[k].weight = dd_add(models[k].weight, s->weight[i]);
        if (dd_less(dd_vec_dot(models[k].from->aim, s->best.aim), dd_vec_dot(vertex->aim, s->best.aim)))
            models[k].from = vertex;
    }
    for (int k = 0; k < count; k++)
        if (models[k].from->branch == s->best.branch)
            models[k].from = &s->best;
    return count;
}

static dd times(double s, dd a) { return dd_mul(dd_make(s), a); }

/* Two unit vectors perpendicular to n and to each other, in pairs. */
static void tangents(dd_vec n, dd_vec *e, dd_vec *f)
{
    tact_vec3 near_e, near_f;
    vec_tangent_basis(dd_vec_to_vec3(n), &near_e, &near_f);
    *f = dd_vec_normalize(dd_vec_cross(n, dd_vec_make(near_e)));
    *e = dd_vec_cross(*f, n);
}

/* The separation along n + y (y in the tangent plane) as seen from a branch: w.(n + y) - (y + d)^t P (y + d)/2 with d =
 * n - aim. The curvature P need not be better than a double; what the step is to bring to zero must. */
static void model_branch(const pair_search *s, dd_vec e, dd_vec f, branch_model *m)
{
    const dd_vec n = s->best.aim;
    tact_vec3 aim = dd_vec_to_vec3(m->from->aim), near_e = dd_vec_to_vec3(e), near_f = dd_vec_to_vec3(f);
    double h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, h_b[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_convex_curvature(s->task->a, aim, h);
    tact_convex_curvature(s->task->b, vec_negate(aim), h_b);
    for (int i = 0; i < 6; i++)
        h[i] += h_b[i];
    m->pxx = convex_curvature_along(h, near_e, near_e);
    m->pxy = convex_curvature_along(h, near_e, near_f);
    m->pyy = convex_curvature_along(h, near_f, near_f);
    dd_vec d = dd_vec_sub(n, m->from->aim);
    dd dx = dd_vec_dot(e, d), dy = dd_vec_dot(f, d);
    dd px = dd_add(times(m->pxx, dx), times(m->pxy, dy)), py = dd_add(times(m->pxy, dx), times(m->pyy, dy));
    m->gx = dd_sub(dd_vec_dot(e, m->from->w), px);
    m->gy = dd_sub(dd_vec_dot(f, m->from->w), py);
    dd bend = dd_add(dd_mul(dx, px), dd_mul(dy, py));
    m->height = dd_sub(dd_vec_dot(n, m->from->w), times(0.5, bend));
}

/* A part of a step, no longer than the trust. */
static double limited(double step, double most) { return step > most ? most : step < -most ? -most : step; }

/* The highest point of one quadratic: K y = r by main directions. Along one that is not curved it goes as far as it is
 * trusted. */
static void climb(double kxx, double kxy, double kyy, double rx, double ry, double trust, double *x, double *y)
{
    /* the main direction (c, s) of the max_double curvature, by half the angle of (kxx - kyy, 2 kxy) */
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
    double q = less > 0.0 ? across / less : across > 0.0 ? trust : across < 0.0 ? -trust : 0.0;
    p = limited(p, trust);
    q = limited(q, trust);
    *x = c * p - s * q;
    *y = s * p + c * q;
}

/* A better direction than the best so far, or false when the model has none to offer. */
static bool newton_direction(const pair_search *s, dd_vec *better)
{
    branch_model m[4];
    int count = gather_branches(s, m);
    dd_vec e, f;
    tangents(s->best.aim, &e, &f);
    double kxx = 0.0, kxy = 0.0, kyy = 0.0;
    dd rx = dd_make(0.0), ry = rx, t = rx;
    for (int i = 0; i < count; i++) {
        model_branch(s, e, f, &m[i]);
        kxx += m[i].weight.high * m[i].pxx;
        kxy += m[i].weight.high * m[i].pxy;
        kyy += m[i].weight.high * m[i].pyy;
        rx = dd_add(rx, dd_mul(m[i].weight, m[i].gx));
        ry = dd_add(ry, dd_mul(m[i].weight, m[i].gy));
        t = dd_add(t, dd_mul(m[i].weight, m[i].height));
    }
    kxx += t.high;
    kyy += t.high;
    double x, y;
    if (count == 1) {
        climb(kxx, kxy, kyy, dd_to_double(rx), dd_to_double(ry), s->trust, &x, &y);
    } else {
        /* c.y = c0: where two branches separate equally */
        dd cx = dd_sub(m[1].gx, m[0].gx), cy = dd_sub(m[1].gy, m[0].gy);
        dd c0 = dd_sub(m[0].height, m[1].height);
        if (count == 2) {
            /* K y = r + l c: go along c to that line, and along it to the best of K. */
            dd cc = dd_add(dd_mul(cx, cx), dd_mul(cy, cy));
            if (!(cc.high > 0.0))
                return false;
            dd px = dd_div(dd_mul(c0, cx), cc), py = dd_div(dd_mul(c0, cy), cc);
            double length = sqrt(cc.high), qx = -cy.high / length, qy = cx.high / length;
            double qkq = qx * (kxx * qx + kxy * qy) + qy * (kxy * qx + kyy * qy);
            rx = dd_sub(rx, dd_add(times(kxx, px), times(kxy, py)));
            ry = dd_sub(ry, dd_add(times(kxy, px), times(kyy, py)));
            double qr = dd_to_double(dd_minor(cx, ry, cy, rx)) / length;
            double step = qkq > 0.0 ? limited(qr / qkq, s->trust) : qr > 0.0 ? s->trust : qr < 0.0 ? -s->trust : 0.0;
            double part = sqrt(px.high * px.high + py.high * py.high);
            double scale = part > s->trust ? s->trust / part : 1.0;
            x = px.high * scale + step * qx;
            y = py.high * scale + step * qy;
        } else {
            /* Three branches that separate equally leave no freedom. */
            dd bx = dd_sub(m[2].gx, m[0].gx), by = dd_sub(m[2].gy, m[0].gy);
            dd b0 = dd_sub(m[0].height, m[2].height), d = dd_minor(cx, by, cy, bx);
            if (!(fabs(d.high) > 0.0))
                return false;
            x = dd_div(dd_minor(c0, by, cy, b0), d).high;
            y = dd_div(dd_minor(cx, b0, c0, bx), d).high;
            double length = sqrt(x * x + y * y), scale = length > s->trust ? s->trust / length : 1.0;
            x *= scale;
            y *= scale;
        }
    }
    if (!(fabs(x) + fabs(y) < INFINITY))
        return false;
    *better = dd_vec_normalize(dd_vec_mul_add(dd_vec_mul_add(s->best.aim, dd_make(x), e), dd_make(y), f));
    return true;
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

/* Whether no more is wanted, and what then is known. */
static bool ended(const pair_search *s, gjk_end *end)
{
    const gjk_dd_task *task = s->task;
    double upper = dd_to_double(s->upper), gap = dd_to_double(dd_sub(s->upper, s->height));
    if (dd_to_double(s->height) > task->enough)
        *end = GJK_BEYOND;
    else if (s->count == 4 || upper <= task->floor)
        *end = GJK_TOUCH;
    else if (task->decide && upper <= task->limit)
        *end = GJK_WITHIN;
    else if (task->decide && gap <= GJK_DD_GAP * task->floor)
        *end = dd_to_double(s->height) > task->limit ? GJK_BEYOND : GJK_WITHIN;
    else if (!task->decide && gap <= task->accuracy * fabs(upper - s->margins) + GJK_DD_GAP * task->floor)
        *end = GJK_APART;
    else
        return false;
    return true;
}

/* When no step brings the bounds nearer: gaps of a floor are as good as none, and with a user's own support function
 * more can be all that there is to know. */
static gjk_end end_stalled(const pair_search *s)
{
    const gjk_dd_task *task = s->task;
    double upper = dd_to_double(s->upper), height = dd_to_double(s->height);
    bool custom = task->a->shape->has_custom_support || task->b->shape->has_custom_support;
    double slack = (custom ? GJK_DD_CUSTOM_GAP : 1.0) * task->floor;
    if (!(height > task->floor) && upper <= slack)
        return GJK_TOUCH;
    if (task->decide && upper - height <= slack)
        return height > task->limit ? GJK_BEYOND : GJK_WITHIN;
    if (!task->decide && upper - height <= slack + task->accuracy * fabs(upper - s->margins))
        return GJK_APART;
    return GJK_NOT_CONVERGED;
}

static void finish(const pair_search *s, gjk_end end, int iterations, gjk *result)
{
    dd_vec pa = dd_vec_make(vec_make(0.0, 0.0, 0.0)), pb = pa;
    for (int i = 0; i < s->count; i++) {
        const sample *vertex = &s->simplex[i];
        pa = dd_vec_mul_add(pa, s->weight[i], vertex->pa);
        pb = dd_vec_mul_add(pb, s->weight[i], vertex->pb);
        result->simplex[i] =
            (gjk_vertex){dd_vec_to_vec3(vertex->w), dd_vec_to_vec3(vertex->pa), dd_vec_to_vec3(vertex->pb)};
        result->weight[i] = dd_to_double(s->weight[i]);
    }
    bool apart = end != GJK_TOUCH && s->height.high > 0.0;
    result->end = end;
    result->iterations += iterations;
    result->count = s->count;
    result->on_a = dd_vec_to_vec3(pa);
    result->on_b = dd_vec_to_vec3(pb);
    result->upper = dd_to_double(s->upper);
    result->lower = apart ? dd_to_double(s->height) : 0.0;
    result->proof = dd_vec_to_vec3(s->proof);
    /* What proved the lower bound, unless there is none or the points do not lie along it. */
    dd_vec normal = s->proof, aside = dd_vec_mul_add(s->v, dd_negate(s->upper), normal);
    if (!apart || (end == GJK_APART && vec_max_abs(dd_vec_to_vec3(aside)) > GJK_NORMAL_OFFSET * s->task->floor))
        normal = dd_vec_normalize(s->v);
    result->normal = end == GJK_TOUCH ? vec_make(0.0, 0.0, 0.0) : dd_vec_to_vec3(normal);
}

/* The end without an answer: a custom support function gave what is not a number. */
static void give_up(gjk *result)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    result->end = GJK_NOT_CONVERGED;
    result->lower = result->upper = 0.0;
    result->normal = result->proof = result->on_a = result->on_b = zero;
    result->count = 0;
}

static TACT_NOINLINE void run(const gjk_dd_task *task, gjk *result)
{
    pair_search s;
    gjk_end end = GJK_NOT_CONVERGED;
    double least_gap = INFINITY;
    bool newton = false;
    s.task = task;
    s.margins = task->a->margin + task->b->margin;
    s.flat = tact_convex_is_polytope(task->a) && tact_convex_is_polytope(task->b);
    s.count = 0;
    s.trust = 1.0;
    dd_vec n = dd_vec_normalize(dd_vec_make(task->aims[0]));
    for (int iterations = 1, stalls = 0;; iterations++) {
        sample taken = take_sample(&s, n);
        if (!finite_sample(&taken)) {
            give_up(result);
            return;
        }
        double step = newton ? vec_length(dd_vec_to_vec3(dd_vec_sub(n, s.best.aim))) : 0.0;
        bool raised = raise_height(&s, &taken);
        if (newton)
            s.trust = raised ? fmax(s.trust, 4.0 * step) : 0.25 * step;
        add_sample(&s, &taken);
        double gap = dd_to_double(dd_sub(s.upper, s.height));
        bool gained = gap < (1.0 - GJK_DD_GAIN) * least_gap, served = newton && gap < 0.25 * least_gap;
        stalls = gained ? 0 : stalls + 1;
        least_gap = fmin(gap, least_gap);
        if (ended(&s, &end) || stalls > GJK_DD_MAX_STALLS || iterations >= GJK_DD_MAX_ITERATIONS) {
            finish(&s, end == GJK_NOT_CONVERGED ? end_stalled(&s) : end, iterations, result);
            return;
        }
        /* The next direction: first all that are known, then Newton's every other time, and as long as it serves. */
        if (iterations < task->aim_count) {
            n = dd_vec_normalize(dd_vec_make(task->aims[iterations]));
            continue;
        }
        newton = !s.flat && (!newton || served) && newton_direction(&s, &n);
        if (!newton)
            n = dd_vec_normalize(s.v);
    }
}

void tact_gjk_pair(const gjk_dd_task *task, gjk *result)
{
    fp_environment before = fp_environment_enter(); /* pairs need rounding to nearest */
    run(task, result);
    fp_environment_leave(before);
}
