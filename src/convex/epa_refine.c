/*
 * Refines a penetration depth: minimises the support value h(n) of A - B over unit directions n, from a good start.
 *
 * Guarantee: a direction is replaced only by one with a smaller support value, and every support value is an upper
 * bound of the depth. So refinement never makes a result worse.
 * Cost: three support points for polytopes, some five to fifteen for curved shapes.
 *
 * Polytopes: EPA computes a facet's normal from points of A - B, which carry the rounding error of the offset between
 * the shapes. The same normal from edges within A, within B, or from one edge of each, is free of that error.
 *
 * Curved shapes: near the minimum, h is the maximum of a few smooth functions, one for each branch of the support
 * function (a vertex, a rim, a whole ellipsoid). It has a kink where two branches are equal. A branch is modelled to
 * second order: with the support point p at the direction q, its derivative P there, d = n - q, and y in the tangent
 * plane of n,
 *     h(n + y) = p.n + d.P d / 2 + (p + P d).y + y.(P - value) y / 2;
 * the term with `value` corrects for n + y being longer than 1. The step y minimises the maximum of the models: a
 * quadratic program with at most four constraints in two unknowns. It is solved by trying the active sets, the smallest
 * first (sequential quadratic programming; with one branch this is Newton's method on the sphere). gjk.c uses the same
 * method on the dual problem. Where the models curve down and have no minimum, the step descends, along the kink if
 * there is one. Its length adapts to earlier steps of that kind. A support point that the model of its branch did not
 * predict counts as another branch. So cone-like tips of h (of a rim, at the normal of its cap) and the kinks of custom
 * shapes are found.
 */

#include "convex/convex_constants.h"
#include "convex/epa.h"
#include "convex/sat.h"
#include "core/number.h"

/* ---- polytopes -------------------------------------------------------------------------------------------------- */

/* Stores the normal n or -n if its support value is below *value and does not exceed the depth. A normal nearly equal
 * to the current one may exceed it by a part of the noise. */
static void try_normal(const epa_pair *pair, tact_vec3 n, const epa_depth *best, double *value, tact_vec3 *normal)
{
    if (!(vec_max_abs(n) > 0.0))
        return;
    double cosine = vec_dot(n, best->normal);
    if (cosine < 0.0)
        n = vec_negate(n);
    double allowed = (fabs(cosine) > REFINE_SAME_NORMAL ? REFINE_EQUAL_NOISE : -1.0) * pair->noise;
    epa_vertex v;
    double h = tact_epa_support(pair, n, &v);
    if (h <= best->depth + allowed && h < *value) {
        *value = h;
        *normal = n;
    }
}

static tact_vec3 longest_edge(tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    tact_vec3 e = vec_sub(q, p), f = vec_sub(r, q), g = vec_sub(p, r);
    double le = vec_length_squared(e), lf = vec_length_squared(f), lg = vec_length_squared(g);
    return le >= lf && le >= lg ? e : lf >= lg ? f : g;
}

/* The normal of a triangle from its two shortest edges. */
static tact_vec3 triangle_normal(tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    tact_vec3 e = vec_sub(q, p), f = vec_sub(r, q), g = vec_sub(p, r);
    double le = vec_length_squared(e), lf = vec_length_squared(f), lg = vec_length_squared(g);
    if (le >= lf && le >= lg)
        return tact_sat_normal(f, g);
    return lf >= lg ? tact_sat_normal(g, e) : tact_sat_normal(e, f);
}

void tact_epa_refine_polytope(const epa_pair *pair, const epa_vertex *vertex, epa_depth *best)
{
    double value = INFINITY;
    tact_vec3 normal = best->normal;
    try_normal(pair, triangle_normal(vertex[0].a, vertex[1].a, vertex[2].a), best, &value, &normal);
    try_normal(pair, triangle_normal(vertex[0].b, vertex[1].b, vertex[2].b), best, &value, &normal);
    try_normal(pair,
               tact_sat_normal(longest_edge(vertex[0].a, vertex[1].a, vertex[2].a),
                               longest_edge(vertex[0].b, vertex[1].b, vertex[2].b)),
               best, &value, &normal);
    if (value < INFINITY) {
        best->depth = value;
        best->normal = normal;
    }
}

/* ---- curved shapes ---------------------------------------------------------------------------------------------- */

/* The second-order model of one branch of the support function. */
typedef struct refine_model {
    epa_vertex v;
    double h[6];          /* P: the derivative of the support point at v.direction */
    bool linear_only;     /* v.direction is too far: only p.n, a lower bound of h for any branch, is valid */
    double pxx, pxy, pyy; /* P in the tangent plane */
    double gx, gy;        /* gradient at y = 0 */
    double height;        /* value at y = 0 */
} refine_model;

/* A unit direction and an orthonormal basis of its tangent plane. */
typedef struct refine_frame {
    tact_vec3 n, e, f;
} refine_frame;

typedef struct refine_step {
    double x, y; /* tangents, in the basis of the frame */
    int count;   /* of active branches */
    int active[3];
    double weight[3];        /* their multipliers: not negative, sum 1 */
    double value;            /* predicted */
    bool descends;           /* the models have no minimum along one direction: the step descends along it */
    double short_x, short_y; /* the step without that descent */
    double far_x, far_y;     /* the step with it, if the short one was chosen; else zero */
} refine_step;

static refine_frame refine_frame_at(tact_vec3 n)
{
    refine_frame f = {.n = n};
    vec_tangent_basis(n, &f.e, &f.f);
    return f;
}

/* Evaluates the model at the direction at->n. No branch exceeds the support value there: a model that does was
 * extrapolated too far, and only its linear part is used. `limit` is that support value plus the noise. */
static void evaluate_model(const refine_frame *at, double limit, refine_model *m)
{
    const double *h = m->h;
    m->pxx = convex_curvature_along(h, at->e, at->e);
    m->pxy = convex_curvature_along(h, at->e, at->f);
    m->pyy = convex_curvature_along(h, at->f, at->f);
    tact_vec3 d = vec_sub(at->n, m->v.direction);
    double dx = vec_dot(at->e, d), dy = vec_dot(at->f, d);
    double px = m->pxx * dx + m->pxy * dy, py = m->pxy * dx + m->pyy * dy, bent = 0.5 * (dx * px + dy * py);
    m->gx = vec_dot(at->e, m->v.p);
    m->gy = vec_dot(at->f, m->v.p);
    m->height = vec_dot(at->n, m->v.p);
    if (m->linear_only || m->height + bent > limit) {
        m->pxx = m->pxy = m->pyy = 0.0;
        return;
    }
    m->gx += px;
    m->gy += py;
    m->height += bent;
}

/* The value of the model at the step (x y). */
static double model_value(const refine_model *m, double value, double x, double y)
{
    return m->height + m->gx * x + m->gy * y +
           0.5 * ((m->pxx - value) * x * x + 2.0 * m->pxy * x * y + (m->pyy - value) * y * y);
}

/* The best step if exactly the branches s->active are active. False if there is none or a multiplier is negative. Where
 * there is no minimum, the step descends by the length `descent_step` on one branch, by `kink_step` along a kink. */
static bool solve_active(const refine_model *m, double value, double descent_step, double kink_step, refine_step *s)
{
    if (s->count == 1) {
        const refine_model *i = &m[s->active[0]];
        double kxx = i->pxx - value, kyy = i->pyy - value, d = kxx * kyy - i->pxy * i->pxy;
        if (kxx > 0.0 && d > REFINE_LEVEL_CURVATURE * (kxx + kyy) * (kxx + kyy)) {
            s->x = (-kyy * i->gx + i->pxy * i->gy) / d;
            s->y = (-kxx * i->gy + i->pxy * i->gx) / d;
        } else {
            /* One curvature is zero (a ring of equally good directions) or negative. Step to the minimum along the
             * eigenvector of the other curvature, and descend along this one. */
            double mean = 0.5 * (kxx + kyy), half = 0.5 * (kxx - kyy), root = sqrt(half * half + i->pxy * i->pxy);
            /* The eigenvector of mean + root, from the better conditioned row. */
            double ex = half > 0.0 ? half + root : i->pxy, ey = half > 0.0 ? i->pxy : root - half;
            double ee = sqrt(ex * ex + ey * ey), up = 0.0, down = 0.0;
            if (!(ee > 0.0))
                return false;
            ex /= ee;
            ey /= ee;
            double slope_up = i->gx * ex + i->gy * ey, slope_down = i->gy * ex - i->gx * ey;
            if (mean + root > 0.0)
                up = -slope_up / (mean + root);
            else
                up = slope_up > 0.0 ? -descent_step : descent_step;
            if (fabs(slope_down) > REFINE_LEVEL_SLOPE * fabs(i->height))
                down = slope_down > 0.0 ? -descent_step : descent_step;
            s->x = up * ex - down * ey;
            s->y = up * ey + down * ex;
            s->descends = true;
            s->short_x = up * ex;
            s->short_y = up * ey;
        }
        s->weight[0] = 1.0;
        return true;
    }
    if (s->count == 2) {
        const refine_model *i = &m[s->active[0]], *j = &m[s->active[1]];
        double cx = j->gx - i->gx, cy = j->gy - i->gy, c0 = i->height - j->height, cc = cx * cx + cy * cy;
        if (!(cc > 0.0))
            return false;
        double x0 = c0 * cx / cc, y0 = c0 * cy / cc,
               share = number_min(number_max(-(cx * i->gx + cy * i->gy) / cc, 0.0), 1.0);
        /* The curvature and the multipliers depend on each other: three iterations suffice near the solution. */
        for (int pass = 0; pass < 3; pass++) {
            double kxx = i->pxx + share * (j->pxx - i->pxx) - value, kyy = i->pyy + share * (j->pyy - i->pyy) - value;
            double kxy = i->pxy + share * (j->pxy - i->pxy);
            double qkq = cy * (kxx * cy - kxy * cx) + cx * (kyy * cx - kxy * cy); /* q = (-cy, cx) */
            double rx = i->gx + kxx * x0 + kxy * y0, ry = i->gy + kxy * x0 + kyy * y0;
            double t = 0.0, slope = cy * rx - cx * ry;
            s->descends = !(qkq > REFINE_LEVEL_CURVATURE * cc * (fabs(kxx) + fabs(kyy)));
            if (!s->descends)
                t = slope / qkq;
            else if (fabs(slope) > REFINE_LEVEL_SLOPE * fabs(i->height) * sqrt(cc))
                /* The curvature along the kink is zero (a ring of equally good directions) or negative: descend. */
                t = (slope > 0.0 ? kink_step : -kink_step) / sqrt(cc);
            s->x = x0 - t * cy;
            s->y = y0 + t * cx;
            if (pass == 0) {
                s->short_x = x0;
                s->short_y = y0;
            }
            rx = i->gx + kxx * s->x + kxy * s->y;
            ry = i->gy + kxy * s->x + kyy * s->y;
            share = -(cx * rx + cy * ry) / cc;
            if (!(share >= 0.0 && share <= 1.0))
                return false;
            /* The curvatures differ: move the kink to where the branches are equal to second order. */
            double bent = 0.5 * ((j->pxx - i->pxx) * s->x * s->x + (j->pyy - i->pyy) * s->y * s->y) +
                          (j->pxy - i->pxy) * s->x * s->y;
            x0 = (c0 - bent) * cx / cc;
            y0 = (c0 - bent) * cy / cc;
        }
        s->weight[0] = 1.0 - share;
        s->weight[1] = share;
        return true;
    }
    const refine_model *i = &m[s->active[0]], *j = &m[s->active[1]], *k = &m[s->active[2]];
    double ax = j->gx - i->gx, ay = j->gy - i->gy, a0 = i->height - j->height;
    double bx = k->gx - i->gx, by = k->gy - i->gy, b0 = i->height - k->height;
    double d = ax * by - ay * bx;
    if (!(fabs(d) > 0.0))
        return false;
    s->x = (a0 * by - ay * b0) / d;
    s->y = (ax * b0 - a0 * bx) / d;
    /* g_i + wj a + wk b = 0; the curvature only contributes to second order. */
    double wj = (-i->gx * by + i->gy * bx) / d, wk = (-ax * i->gy + ay * i->gx) / d;
    s->weight[0] = 1.0 - wj - wk;
    s->weight[1] = wj;
    s->weight[2] = wk;
    return s->weight[0] >= 0.0 && wj >= 0.0 && wk >= 0.0;
}

/* Shortens a step to REFINE_MAX_STEP: its direction is still good, and it may find a missing branch. Returns the
 * original length. */
static double limit_step(double *x, double *y)
{
    double length = sqrt(*x * *x + *y * *y);
    if (length > REFINE_MAX_STEP) {
        *x *= REFINE_MAX_STEP / length;
        *y *= REFINE_MAX_STEP / length;
    }
    return length;
}

static double max_model_value(const refine_model *m, int count, double value, double x, double y)
{
    double most = -INFINITY;
    for (int i = 0; i < count; i++)
        most = number_max(most, model_value(&m[i], value, x, y));
    return most;
}

/* Sets of active branches, the smallest first; bit i for branch i. */
static const unsigned char active_sets[14] = {1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14};

/* The step to the minimum of the maximum of all models: within REFINE_MAX_STEP, with no inactive branch above the
 * active ones by more than `slack`. If there is none, the step with the least predicted value. False if no active set
 * has a step. */
static bool best_step(const refine_model *m, int count, double value, double descent_step, double kink_step,
                      double slack, refine_step *best)
{
    bool found_any = false;
    for (int set = 0; set < 14; set++) {
        if (active_sets[set] >> count != 0)
            continue;
        refine_step s = {.count = 0};
        for (int i = 0; i < count; i++)
            if (active_sets[set] >> i & 1)
                s.active[s.count++] = i;
        if (!solve_active(m, value, descent_step, kink_step, &s))
            continue;
        double length = limit_step(&s.x, &s.y);
        if (!(length < INFINITY))
            continue;
        s.value = max_model_value(m, count, value, s.x, s.y);
        if (s.descends && limit_step(&s.short_x, &s.short_y) < INFINITY) { /* does the descent lower the value? */
            double near_value = max_model_value(m, count, value, s.short_x, s.short_y);
            if (near_value <= s.value) {
                s.far_x = s.x;
                s.far_y = s.y;
                s.x = s.short_x;
                s.y = s.short_y;
                s.value = near_value;
            }
        }
        if (!found_any || s.value < best->value) {
            found_any = true;
            *best = s;
        }
        /* A minimum of the active branches with no other branch above them is the solution. A value above the current
         * one is no minimum: models that curve down may be equal at a peak. */
        if (!s.descends && length <= REFINE_MAX_STEP && s.value <= value + slack &&
            s.value <= model_value(&m[s.active[0]], value, s.x, s.y) + slack) {
            *best = s;
            return true;
        }
    }
    return found_any;
}

static bool same_branch(const epa_vertex *v, const epa_vertex *w)
{
    return v->branch_a == w->branch_a && v->branch_b == w->branch_b;
}

/* h v for a symmetric matrix h. */
static tact_vec3 symmetric_multiply(const double h[6], tact_vec3 v)
{
    return vec_make(h[0] * v.x + h[3] * v.y + h[4] * v.z, h[3] * v.x + h[1] * v.y + h[5] * v.z,
                    h[4] * v.x + h[5] * v.y + h[2] * v.z);
}

static void set_model(const epa_pair *pair, refine_model *m, const epa_vertex *v)
{
    m->v = *v;
    m->linear_only = false;
    for (int i = 0; i < 6; i++)
        m->h[i] = 0.0;
    tact_convex_curvature(pair->a, v->direction, m->h);
    tact_convex_curvature(pair->b, vec_negate(v->direction), m->h);
}

static bool has_custom(const epa_pair *pair)
{
    return pair->a->shape->has_custom_support || pair->b->shape->has_custom_support;
}

/* Whether the model predicts the support point v of its branch, to a part of the displacement from the model's own
 * point. If not, a tip (of a rim, near its cap) or a kink (of a custom shape) lies between, although the branch number
 * is the same. */
static bool is_predicted(const epa_pair *pair, const refine_model *m, const epa_vertex *v)
{
    tact_vec3 turn = vec_sub(v->direction, m->v.direction), displacement = vec_sub(v->p, m->v.p),
              miss = vec_sub(displacement, symmetric_multiply(m->h, turn));
    double part = REFINE_PREDICTED;
    if (has_custom(pair))
        part = number_min(part, REFINE_PREDICTED_CUSTOM * vec_length(turn));
    return vec_length(miss) <= part * vec_length(displacement) + pair->noise;
}

/* Adds a support point to the models. It replaces an older point of the same branch if its direction is nearer to n.
 * True if the models gained: a new branch, or a known one at less than half the distance. */
static bool add_branch(const epa_pair *pair, refine_model *m, int *count, const epa_vertex *v, tact_vec3 n)
{
    for (int i = 0; i < *count; i++)
        if (same_branch(&m[i].v, v) && is_predicted(pair, &m[i], v)) {
            double old_square = vec_length_squared(vec_sub(m[i].v.direction, n)),
                   new_square = vec_length_squared(vec_sub(v->direction, n));
            if (new_square < old_square)
                set_model(pair, &m[i], v);
            else if (new_square == old_square)
                m[i].linear_only = false;
            return new_square < 0.25 * old_square;
        }
    if (*count < REFINE_MAX_BRANCHES) {
        set_model(pair, &m[(*count)++], v);
        return true;
    }
    /* Full: replace the branch with the least value along n. */
    int least = 0;
    for (int i = 1; i < *count; i++)
        if (vec_dot(m[i].v.p, n) < vec_dot(m[least].v.p, n))
            least = i;
    bool better = vec_dot(v->p, n) > vec_dot(m[least].v.p, n);
    if (better)
        set_model(pair, &m[least], v);
    return better;
}

/* Samples new support points of the active branches, each slightly on its own side of the kink: along the sum of the
 * unit differences of its gradient to the others. The distance grows until the branch is found. A branch that is not
 * found was extrapolated too far and becomes linear only. */
static void resample_branches(const epa_pair *pair, const refine_frame *at, refine_model *m, int *count,
                              const refine_step *s)
{
    epa_vertex fresh[3];
    int fresh_count = 0;
    for (int i = 0; i < s->count; i++) {
        refine_model *k = &m[s->active[i]];
        double x = 0.0, y = 0.0, distance = vec_length(vec_sub(k->v.direction, at->n));
        for (int j = 0; j < s->count; j++) {
            double cx = k->gx - m[s->active[j]].gx, cy = k->gy - m[s->active[j]].gy, length = sqrt(cx * cx + cy * cy);
            if (length > 0.0) {
                x += cx / length;
                y += cy / length;
            }
        }
        bool found = distance <= REFINE_KINK_SAMPLE;
        for (double turn = REFINE_KINK_SAMPLE; turn < distance && !found; turn *= 8.0) {
            tact_vec3 n = vec_normalize(vec_mul_add(vec_mul_add(at->n, turn * x, at->e), turn * y, at->f));
            if (isnan(tact_epa_support(pair, n, &fresh[fresh_count])))
                return;
            found = same_branch(&fresh[fresh_count], &k->v);
            fresh_count += found;
        }
        k->linear_only = !found;
    }
    for (int i = 0; i < fresh_count; i++)
        (void)add_branch(pair, m, count, &fresh[i], at->n);
}

/* The displacement of the support point of `c` when its direction turns by d, to second order. The derivatives are
 * evaluated at `direction` and at direction - d, where the branch is the same even at a kink. False, with a zero
 * displacement, if the derivative changes so fast (a rim near its cap) that the third order exceeds the noise. */
static bool move_support_point(const convex *c, tact_vec3 direction, tact_vec3 d, double noise, tact_vec3 *displacement)
{
    double here[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, back[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    *displacement = vec_make(0.0, 0.0, 0.0);
    if (tact_convex_is_polytope(c))
        return true;
    if (c->shape->has_custom_support) /* its derivative is unknown */
        return false;
    tact_convex_curvature(c, direction, here);
    tact_convex_curvature(c, vec_sub(direction, d), back);
    tact_vec3 first = symmetric_multiply(here, d), bend = vec_scale(vec_sub(first, symmetric_multiply(back, d)), 0.5);
    /* Estimate: the third order is to the second as the second to the first. */
    if (!(vec_length_squared(bend) <= noise * vec_length(first)))
        return false;
    *displacement = vec_add(first, bend);
    return true;
}

/* The weighted sum of the points of the active branches, each moved from its own direction to n. Returns the distance
 * of (a - b) - offset from value * n. */
static double combine_points(const epa_pair *pair, const refine_model *m, const refine_step *s, tact_vec3 n,
                             double value, tact_vec3 *a, tact_vec3 *b)
{
    *a = *b = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->count; i++) {
        const refine_model *k = &m[s->active[i]];
        tact_vec3 pa = k->v.a, pb = k->v.b, d = vec_sub(n, k->v.direction), da, db;
        if (!k->linear_only && move_support_point(pair->a, k->v.direction, d, pair->noise, &da) &&
            move_support_point(pair->b, vec_negate(k->v.direction), vec_negate(d), pair->noise, &db)) {
            pa = vec_add(pa, da);
            pb = vec_add(pb, db);
        }
        *a = vec_mul_add(*a, s->weight[i], pa);
        *b = vec_mul_add(*b, s->weight[i], pb);
    }
    return vec_length(vec_mul_add(vec_sub(vec_sub(*a, *b), pair->offset), -value, n));
}

/* Refines the points after the value has converged. Near a minimum the value changes with the square of a step, but the
 * points change linearly, so they converge later. Steps while (a - b) - offset gets closer to value * n. True if it
 * reaches REFINE_STATIONARY. */
static bool settle_points(const epa_pair *pair, refine_model *m, int count, tact_vec3 *n, double *value, tact_vec3 *a,
                          tact_vec3 *b)
{
    double least = INFINITY, size = 0.0, here_value = *value;
    tact_vec3 here = *n;
    for (int i = 0; i < REFINE_POINT_STEPS; i++) {
        refine_frame at = refine_frame_at(here);
        for (int k = 0; k < count; k++) {
            evaluate_model(&at, here_value + pair->noise, &m[k]);
            size = number_max(size, vec_max_abs(m[k].v.p));
        }
        refine_step s = {.count = 0};
        /* A short descent step: a long one would leave the kink whose branches give the points. */
        if (!best_step(m, count, here_value, REFINE_KINK_MIN_STEP, 0.0, REFINE_EQUAL_NOISE * pair->noise, &s))
            break;
        tact_vec3 pa, pb;
        double miss = combine_points(pair, m, &s, here, here_value, &pa, &pb);
        if (!(miss < least))
            break;
        least = miss;
        *n = here;
        *value = here_value;
        *a = pa;
        *b = pb;
        if (miss <= pair->noise)
            break;
        here = vec_normalize(vec_mul_add(vec_mul_add(here, s.x, at.e), s.y, at.f));
        epa_vertex v;
        here_value = tact_epa_support(pair, here, &v);
        if (!(here_value <= *value + pair->noise))
            break;
        (void)add_branch(pair, m, &count, &v, here);
    }
    return least <= REFINE_STATIONARY * size;
}

/* Adds the branch of a vertex whose branch is unknown because GJK found it: turns n towards the vertex until its branch
 * must have the largest value, and samples there. */
static void sample_toward(const epa_pair *pair, tact_vec3 n, double value, const epa_vertex *from,
                          const epa_vertex *vertex, refine_model *m, int *count)
{
    tact_vec3 d = vec_sub(vertex->p, from->p);
    d = vec_mul_add(d, -vec_dot(d, n), n);
    double length = vec_length(d), turn = 2.0 * (value - vec_dot(n, vertex->p)) / length + REFINE_KINK_SAMPLE;
    epa_vertex v;
    if (turn <= REFINE_MAX_STEP && !isnan(tact_epa_support(pair, vec_normalize(vec_mul_add(n, turn / length, d)), &v)))
        (void)add_branch(pair, m, count, &v, n);
}

/* Tries the cap normals of a cylinder or cone. There h has a cone-like tip, which no quadratic model fits. */
static void try_caps(const epa_pair *pair, const convex *c, bool of_b, tact_vec3 *n, double *value)
{
    if (c->kind != CONVEX_CYLINDER && c->kind != CONVEX_CONE)
        return;
    tact_vec3 cap = tact_sat_normal(c->transform.x_axis, c->transform.z_axis);
    if (!(vec_max_abs(cap) > 0.0))
        return; /* the radius is zero */
    double up = vec_dot(cap, c->transform.y_axis) < 0.0 ? -1.0 : 1.0;
    for (int side = 0; side < 2; side++) {
        /* Outward normals of the base and of the top; a cone has no top. */
        if (side == 1 && c->kind == CONVEX_CONE)
            continue;
        tact_vec3 d = vec_scale(cap, (side == 1) != of_b ? up : -up);
        epa_vertex v;
        double h = tact_epa_support(pair, d, &v);
        if (h < *value) {
            *value = h;
            *n = d;
        }
    }
}

bool tact_epa_refine_caps(const epa_pair *pair, tact_vec3 *n, double *value)
{
    double before = *value;
    try_caps(pair, pair->a, false, n, value);
    try_caps(pair, pair->b, true, n, value);
    return *value < before;
}

/* Corrects a straight step along a curved kink (such as the ring of directions normal to the side of a cone). The step
 * leaves the kink, so the value first rises. Steps back to the kink and stores the result if it is lower. */
static bool return_to_kink(const epa_pair *pair, tact_vec3 from, double from_value, double descent_step,
                           refine_model *m, int *count, tact_vec3 *n, double *value)
{
    refine_model tried[REFINE_MAX_BRANCHES];
    int tried_count = *count;
    for (int i = 0; i < tried_count; i++)
        tried[i] = m[i];
    for (int i = 0; i < REFINE_RETURN_STEPS; i++) {
        refine_frame at = refine_frame_at(from);
        for (int k = 0; k < tried_count; k++)
            evaluate_model(&at, from_value + pair->noise, &tried[k]);
        refine_step s = {.count = 0};
        if (!best_step(tried, tried_count, from_value, descent_step, 0.0, REFINE_EQUAL_NOISE * pair->noise, &s))
            return false;
        epa_vertex v;
        from = vec_normalize(vec_mul_add(vec_mul_add(from, s.x, at.e), s.y, at.f));
        from_value = tact_epa_support(pair, from, &v);
        if (isnan(from_value))
            return false;
        (void)add_branch(pair, tried, &tried_count, &v, from);
        if (from_value < *value - REFINE_EQUAL_NOISE * pair->noise) {
            *n = from;
            *value = from_value;
            *count = tried_count;
            for (int k = 0; k < tried_count; k++)
                m[k] = tried[k];
            return true;
        }
    }
    return false;
}

bool tact_epa_refine_curved(const epa_pair *pair, const epa_vertex *vertex, int vertex_count, tact_vec3 *n,
                            double *value, tact_vec3 *a, tact_vec3 *b)
{
    refine_model m[REFINE_MAX_BRANCHES];
    int count = 0;
    /* Vertices of the branch of *n itself are left out: far points of a smooth branch make a bad model, and near a tip
     * the steps find closer ones. */
    for (int i = 0; i < vertex_count; i++)
        if (vec_max_abs(vertex[i].direction) > 0.0 &&
            (i == 0 || has_custom(pair) || !same_branch(&vertex[0], &vertex[i])))
            (void)add_branch(pair, m, &count, &vertex[i], *n);
    for (int i = 1; i < vertex_count; i++)
        if (!(vec_max_abs(vertex[i].direction) > 0.0))
            sample_toward(pair, *n, *value, &vertex[0], &vertex[i], m, &count);
    bool resampled = false;                /* the active branches were resampled since the last progress */
    double kink_step = REFINE_MAX_STEP;    /* length of a step along a kink without a minimum */
    double descent_step = REFINE_MAX_STEP; /* the same on a single branch */
    for (int i = 0; i < REFINE_MAX_STEPS; i++) {
        refine_frame at = refine_frame_at(*n);
        for (int k = 0; k < count; k++)
            evaluate_model(&at, *value + pair->noise, &m[k]);
        refine_step s = {.count = 0};
        if (!best_step(m, count, *value, descent_step, kink_step, REFINE_EQUAL_NOISE * pair->noise, &s))
            return false;
        double length = sqrt(s.x * s.x + s.y * s.y);
        bool lower = false, learned = false, along_kink = s.descends && s.count == 2;
        tact_vec3 reached = *n;
        double reached_value = *value, before = *value;
        for (double part = 1.0; part > REFINE_MIN_FRACTION; part *= 0.5) {
            tact_vec3 next = vec_normalize(vec_mul_add(vec_mul_add(*n, part * s.x, at.e), part * s.y, at.f));
            epa_vertex v;
            double h = tact_epa_support(pair, next, &v);
            if (isnan(h))
                return false;
            lower = h < *value - REFINE_EQUAL_NOISE * pair->noise;
            if (h < *value) {
                *value = h;
                *n = next;
            }
            learned = add_branch(pair, m, &count, &v, *n);
            reached = next;
            reached_value = h;
            /* A step without gain comes from outdated models, or is too long if they are fresh: halve it. */
            if (lower || learned || along_kink || (!resampled && s.count > 1) || length <= REFINE_MIN_STEP ||
                fabs(*value - s.value) <= pair->noise)
                break;
        }
        /* The models predict no descent, but some are evaluated far away: sample the far step. */
        bool try_far = s.descends && s.far_x * s.far_x + s.far_y * s.far_y > length * length &&
                       before - *value <= REFINE_SLOW_GAIN * fabs(*value) && kink_step > REFINE_KINK_MIN_STEP;
        if (try_far) {
            double part = number_min(kink_step / sqrt(s.far_x * s.far_x + s.far_y * s.far_y), 1.0);
            epa_vertex v;
            reached = vec_normalize(vec_mul_add(vec_mul_add(at.n, part * s.far_x, at.e), part * s.far_y, at.f));
            reached_value = tact_epa_support(pair, reached, &v);
            if (isnan(reached_value))
                return false;
        }
        if (try_far || (along_kink && !lower)) {
            along_kink = true;
            lower = return_to_kink(pair, reached, reached_value, descent_step, m, &count, n, value);
        }
        if (along_kink)
            kink_step = lower ? number_min(2.0 * kink_step, REFINE_MAX_STEP) : REFINE_KINK_SHORTEN * kink_step;
        if (lower && s.descends && s.count == 1)
            descent_step = number_min(2.0 * descent_step, REFINE_MAX_STEP);
        if (lower || learned || (along_kink && kink_step > REFINE_KINK_MIN_STEP)) {
            resampled = resampled && !lower && !learned;
            continue;
        }
        /* The descent gained nothing: another branch is larger on the way, and its model curves down beyond its peak.
         * With a shorter descent step, the kink with that branch becomes the better step. */
        if (s.descends && s.count == 1 && length > REFINE_KINK_MIN_STEP && descent_step > REFINE_KINK_MIN_STEP) {
            descent_step *= REFINE_MIN_FRACTION;
            continue;
        }
        if (resampled || s.count == 1)
            return settle_points(pair, m, count, n, value, a, b);
        resample_branches(pair, &at, m, &count, &s);
        resampled = true;
    }
    return false;
}

bool tact_epa_refine_points(const epa_pair *pair, tact_vec3 *n, double value, tact_vec3 *a, tact_vec3 *b, double *off)
{
    double h_a[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, h_b[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, h[6];
    refine_frame at = refine_frame_at(*n);
    if (!pair->a->shape->has_custom_support) /* else its derivative is unknown, and its point stays */
        tact_convex_curvature(pair->a, *n, h_a);
    if (!pair->b->shape->has_custom_support)
        tact_convex_curvature(pair->b, vec_negate(*n), h_b);
    for (int i = 0; i < 6; i++)
        h[i] = h_a[i] + h_b[i];
    tact_vec3 p = vec_sub(vec_sub(*a, *b), pair->offset);
    double gx = vec_dot(at.e, p), gy = vec_dot(at.f, p);
    double kxx = convex_curvature_along(h, at.e, at.e) - value, kyy = convex_curvature_along(h, at.f, at.f) - value,
           kxy = convex_curvature_along(h, at.e, at.f);
    double d = kxx * kyy - kxy * kxy;
    if (!(kxx > 0.0 && d > 0.0 && d < INFINITY))
        return false;
    double x = (-kyy * gx + kxy * gy) / d, y = (-kxx * gy + kxy * gx) / d;
    tact_vec3 turn = vec_mul_add(vec_scale(at.e, x), y, at.f);
    if (!(vec_max_abs(turn) < REFINE_MAX_STEP))
        return false;
    *n = vec_normalize(vec_add(*n, turn));
    *a = vec_add(*a, symmetric_multiply(h_a, turn));
    *b = vec_sub(*b, symmetric_multiply(h_b, turn));
    *off += 0.5 * number_max(convex_curvature_along(h_a, turn, turn), convex_curvature_along(h_b, turn, turn));
    return true;
}
