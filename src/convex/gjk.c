/*
 * GJK: the distance of two convex shapes, or just a separating axis.
 *
 * Guarantee: on GJK_APART lower <= distance <= upper with upper - lower <= accuracy * (upper - margins) + GJK_ROUNDING
 * u size (size: how far the shapes reach, seen from each other), both bounds up to that same rounding; on GJK_TOUCH the
 * distance is at most that rounding. Where doubles stall before that (mostly rims that touch) the search ends in pairs
 * of doubles (convex/gjk_dd.h), about one in two thousand of the random pairs of the tests. Bounded work: at most
 * GJK_MAX_ITERATIONS support points here, about 7 on average over all kinds of pairs.
 *
 * After seed 004 (van den Bergen's thesis), sections 4.4.1 to 4.4.4: the incremental separating axis (ISA-GJK) with a
 * cached axis, the relative error with a monotone lower bound, and the end when a support point repeats. Departures:
 * - The sub-algorithm tests regions of the new point (convex/simplex.h). Where it stalls (a support point repeats, or
 * the distance does not shrink, before the bounds have met) it is redone in pairs of doubles, so that the end is a
 * proof and not a surrender.
 * - On curved shapes plain GJK converges linearly, and like 1/k near touch. Each support point here knows the smooth
 * branch that it lies on and the curvature there, so in turn with the plain steps we take Newton steps on the dual
 * problem, the highest separation n.w over unit n: points on one branch count as one, several branches as the
 * constraints that they separate equally (an SQP step). Every step, of either kind, only ever adds a support point and
 * a lower bound, so a bad one costs time and never the truth.
 * - Polytopes are first tried by a quick search without memory of directions and without a way out of slivers
 * (convex/gjk_fast.c); it begins with a point from the middle of each, which costs no support point. What it cannot
 * prove is left to the long one.
 * - On polytopes all arithmetic is odd: with A and B exchanged every vector is exactly reversed, so the answer is
 * mirrored bit for bit. Other pairs are put into one order by the caller (convex/pair_order.h).
 */
#include "convex/gjk.h"

#include "convex/convex_constants.h"
#include "convex/gjk_dd.h"
#include "convex/gjk_fast.h"
#include "convex/simplex.h"
#include "core/inline.h"
#include "shape/support.h"

typedef struct search {
    const convex *a, *b;
    tact_vec3 offset; /* origin of B - origin of A */
    double floor;     /* a length: what rounding cannot tell from zero */
    double margins;   /* of both shapes: the accuracy is relative to what is left of the distance without them */
    /* The simplex. Its vertices stay in their slots; which are in use is one number, so that dropping some moves
     * nothing. */
    unsigned used;                /* bit i: slot i holds a vertex */
    int slot[4];                  /* what simplex.h was last asked about, the newest last; */
    double weight[4];             /* its answer in that order: 0 for those dropped */
    int asked;                    /* how many they were */
    tact_vec3 w[4], pa[4], pb[4]; /* by slot */
    tact_vec3 v;                  /* the nearest point of the simplex */
    double vv;                    /* |v|^2 */
    double height;      /* highest separation found so far: when positive, a proved lower bound of the distance; */
    double height_nn;   /* for polytopes it is kept undivided: separation = height / sqrt(height_nn) */
    tact_vec3 best;     /* the direction that gave it, any length */
    bool refined;       /* the sub-algorithm runs in pairs of doubles */
    uint64_t branch[4]; /* by slot: of A's and B's support points together */
    /* Only for curved shapes: */
    tact_vec3 aim[4];     /* by slot: unit direction for which the vertex is the support point */
    tact_vec3 best_w;     /* the support point of `best`, */
    uint64_t best_branch; /* and its branch */
    double trust;         /* how far, as a tangent, the second-order model has proved to hold */
} search;

/* The point of B - A that is lowest along n, into a free slot; it is not yet part of the simplex. */
TACT_FORCE_INLINE int take_sample(search *s, tact_vec3 n)
{
    static const int first_free[16] = {0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 0};
    int slot = first_free[s->used];
    uint64_t branch_a, branch_b;
    tact_vec3 pa = convex_support(s->a, n, &branch_a), pb = convex_support(s->b, vec_negate(n), &branch_b);
    s->pa[slot] = pa;
    s->pb[slot] = pb;
    s->w[slot] = vec_add(vec_sub(pb, pa), s->offset);
    s->branch[slot] = branch_a * 0x9e3779b97f4a7c15u + branch_b; /* exact for corners, distinct enough for the rest */
    return slot;
}

/* The slots in use, in order, and how many they are, by `used`. */
static const struct {
    int count;
    int slot[4];
} in_use[16] = {{0, {0, 0, 0, 0}}, {1, {0, 0, 0, 0}}, {1, {1, 0, 0, 0}}, {2, {0, 1, 0, 0}},
                {1, {2, 0, 0, 0}}, {2, {0, 2, 0, 0}}, {2, {1, 2, 0, 0}}, {3, {0, 1, 2, 0}},
                {1, {3, 0, 0, 0}}, {2, {0, 3, 0, 0}}, {2, {1, 3, 0, 0}}, {3, {0, 1, 3, 0}},
                {2, {2, 3, 0, 0}}, {3, {0, 2, 3, 0}}, {3, {1, 2, 3, 0}}, {4, {0, 1, 2, 3}}};

/* Keeps the vertices that the answer needs. Which they are is as good as random, so there is no branch on it. */
TACT_FORCE_INLINE void keep(search *s, const simplex_answer *answer)
{
    unsigned mask = answer->mask;
    s->used = (mask & 1u) << s->slot[0] | (mask >> 1 & 1u) << s->slot[1] | (mask >> 2 & 1u) << s->slot[2] |
              (mask >> 3 & 1u) << s->slot[3];
    s->v = answer->v;
    s->vv = vec_length_squared(answer->v);
}

TACT_FORCE_INLINE tact_vec3 asked(const search *s, int i) { return s->w[s->slot[i]]; }

/* Solves the simplex in pairs of doubles. */
TACT_COLD void reduce_refined(search *s)
{
    const tact_vec3 w[4] = {asked(s, 0), asked(s, 1), asked(s, 2), asked(s, 3)};
    simplex_answer answer;
    unsigned guess = 0;
    for (int i = 0; i < s->asked; i++)
        guess |= (s->used >> s->slot[i] & 1u) << i;
    tact_simplex_solve(w, s->asked, guess, &answer);
    for (int i = 0; i < 4; i++)
        s->weight[i] = answer.weight[i];
    keep(s, &answer);
}

/* Adds the point in a free slot to the simplex and drops what the nearest point does not need. */
TACT_FORCE_INLINE void add_vertex(search *s, int slot)
{
    simplex_answer answer;
    int count = in_use[s->used].count;
    const int *other = in_use[s->used].slot;
    s->slot[0] = other[0];
    s->slot[1] = other[1];
    s->slot[2] = other[2];
    s->slot[count] = slot;
    s->asked = count + 1;
    if (s->refined) {
        reduce_refined(s);
        return;
    }
    if (count == 1)
        simplex_two(asked(s, 0), asked(s, 1), &answer);
    else if (count == 2)
        simplex_three(asked(s, 0), asked(s, 1), asked(s, 2), &answer);
    else
        simplex_four(asked(s, 0), asked(s, 1), asked(s, 2), asked(s, 3), &answer);
    for (int i = 0; i <= count; i++)
        s->weight[i] = answer.weight[i];
    if (answer.sure)
        keep(s, &answer);
    else
        reduce_refined(s);
}

/* Whether the simplex has the very point in this free slot: for polytopes the corners tell. */
TACT_FORCE_INLINE bool has_vertex(const search *s, int slot, bool curved)
{
    unsigned same = 0;
    for (int i = 0; i < 4; i++)
        same |= (unsigned)(curved ? vec_equal(s->w[i], s->w[slot]) : s->branch[i] == s->branch[slot]) << i;
    return (same & s->used) != 0;
}

/* ---- the Newton step on curved shapes
 * --------------------------------------------------------------------------------------- */

typedef struct branch_model {
    uint64_t branch;
    double weight;
    tact_vec3 w, aim;
    double pxx, pxy, pyy; /* curvature of B - A in the tangent plane of n: not negative */
    double gx, gy;        /* slope of the separation there */
    double height;        /* the separation n.w, to second order */
} branch_model;

/* One model for each branch in the simplex, from the vertex whose aim is nearest to the best direction so far. */
static int gather_branches(const search *s, branch_model *models)
{
    const tact_vec3 n = s->best;
    int count = 0;
    for (int i = 0; i < s->asked; i++) {
        int slot = s->slot[i], k = 0;
        if (!(s->used >> slot & 1u))
            continue;
        while (k < count && models[k].branch != s->branch[slot])
            k++;
        if (k == count) {
            models[count++] =
                (branch_model){s->branch[slot], s->weight[i], s->w[slot], s->aim[slot], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
            continue;
        }
        models[k].weight += s->weight[i];
        if (vec_dot(s->aim[slot], n) > vec_dot(models[k].aim, n)) {
            models[k].w = s->w[slot];
            models[k].aim = s->aim[slot];
        }
    }
    for (int k = 0; k < count; k++) {
        if (models[k].branch == s->best_branch) {
            models[k].w = s->best_w;
            models[k].aim = n;
        }
    }
    return count;
}

/* The separation along n + y (y in the tangent plane) as seen from a branch: w.(n + y) - (y + d)^t P (y + d)/2 with d =
 * n - aim. */
static void model_branch(const search *s, tact_vec3 n, tact_vec3 e, tact_vec3 f, branch_model *m)
{
    double h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, h_b[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_convex_curvature(s->a, m->aim, h);
    tact_convex_curvature(s->b, vec_negate(m->aim), h_b);
    for (int i = 0; i < 6; i++)
        h[i] += h_b[i]; /* one sum, the same whichever is called A */
    m->pxx = convex_curvature_along(h, e, e);
    m->pxy = convex_curvature_along(h, e, f);
    m->pyy = convex_curvature_along(h, f, f);
    tact_vec3 d = vec_sub(n, m->aim);
    double dx = vec_dot(e, d), dy = vec_dot(f, d);
    double px = m->pxx * dx + m->pxy * dy, py = m->pxy * dx + m->pyy * dy;
    m->gx = vec_dot(e, m->w) - px;
    m->gy = vec_dot(f, m->w) - py;
    m->height = vec_dot(n, m->w) - 0.5 * (dx * px + dy * py);
}

/* A better direction than the best so far, or false when the model has none to offer. */
static bool newton_direction(const search *s, tact_vec3 *better)
{
    branch_model m[4];
    int count = gather_branches(s, m);
    const tact_vec3 n = s->best;
    tact_vec3 e, f;
    vec_tangent_basis(n, &e, &f);
    double kxx = 0.0, kxy = 0.0, kyy = 0.0, rx = 0.0, ry = 0.0, t = 0.0;
    for (int i = 0; i < count; i++) {
        model_branch(s, n, e, f, &m[i]);
        kxx += m[i].weight * m[i].pxx;
        kxy += m[i].weight * m[i].pxy;
        kyy += m[i].weight * m[i].pyy;
        rx += m[i].weight * m[i].gx;
        ry += m[i].weight * m[i].gy;
        t += m[i].weight * m[i].height;
    }
    kxx += t;
    kyy += t;
    double x, y;
    if (count == 1) {
        /* K y = r */
        double d = kxx * kyy - kxy * kxy;
        if (!(d > 0.0) || !(kxx > 0.0))
            return false;
        x = (kyy * rx - kxy * ry) / d;
        y = (kxx * ry - kxy * rx) / d;
    } else if (count == 2) {
        /* K y = r + l c, c.y = c0: go along c to where both branches separate equally, across it to the best of K. */
        double cx = m[1].gx - m[0].gx, cy = m[1].gy - m[0].gy, c0 = m[0].height - m[1].height;
        double cc = cx * cx + cy * cy;
        if (!(cc > 0.0))
            return false;
        double px = c0 * cx / cc, py = c0 * cy / cc; /* a point on the line, and q its direction */
        double qx = -cy, qy = cx;
        double qkq = qx * (kxx * qx + kxy * qy) + qy * (kxy * qx + kyy * qy);
        double qr = qx * (rx - kxx * px - kxy * py) + qy * (ry - kxy * px - kyy * py);
        double step = qkq > 0.0 ? qr / qkq : 0.0;
        x = px + step * qx;
        y = py + step * qy;
    } else {
        /* Three branches that separate equally leave no freedom. */
        double ax = m[1].gx - m[0].gx, ay = m[1].gy - m[0].gy, a0 = m[0].height - m[1].height;
        double bx = m[2].gx - m[0].gx, by = m[2].gy - m[0].gy, b0 = m[0].height - m[2].height;
        double d = ax * by - ay * bx;
        if (!(fabs(d) > 0.0))
            return false;
        x = (a0 * by - ay * b0) / d;
        y = (ax * b0 - a0 * bx) / d;
    }
    double length = sqrt(x * x + y * y);
    if (!(length < INFINITY))
        return false;
    if (length > s->trust) {
        x *= s->trust / length;
        y *= s->trust / length;
    }
    *better = vec_normalize(vec_mul_add(vec_mul_add(n, x, e), y, f));
    return true;
}

/* ---- the search
 * --------------------------------------------------------------------------------------------------------------- */

/* The points of A and B that the nearest point v stands for. */
static inline void witness(const search *s, tact_vec3 *pa, tact_vec3 *pb)
{
    *pa = *pb = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->asked; i++) {
        int slot = s->slot[i];
        if (s->used >> slot & 1u) {
            *pa = vec_mul_add(*pa, s->weight[i], s->pa[slot]);
            *pb = vec_mul_add(*pb, s->weight[i], s->pb[slot]);
        }
    }
}

/* Whether the nearest point is what its weights say and above the lower bound. Slivers can break this; then the simplex
 * is solved again in pairs of doubles, as from now on, and what was concluded from v must be looked at anew. */
static bool sound(search *s, standing bounds)
{
    tact_vec3 pa, pb;
    if (s->refined)
        return true;
    witness(s, &pa, &pb);
    if (bounds != BOUNDS_CROSS &&
        vec_max_abs(vec_sub(vec_add(vec_sub(pb, pa), s->offset), s->v)) <= GJK_CONSISTENCY * s->floor)
        return true;
    s->refined = true;
    reduce_refined(s);
    return false;
}

/* Whether the simplex holds the origin, up to rounding. */
static inline bool touches(search *s)
{
    bool at_origin = s->used == 15u || s->vv <= s->floor * s->floor;
    return at_origin && (sound(s, BOUNDS_MET) || s->used == 15u || s->vv <= s->floor * s->floor);
}

static void finish(search *s, gjk_end end, int iterations, gjk *result)
{
    tact_vec3 pa, pb;
    witness(s, &pa, &pb);
    result->end = end;
    result->iterations = iterations;
    result->on_a = pa;
    result->on_b = pb;
    /* An early end has not looked whether v is what its weights say: then the points speak. */
    result->upper = end == GJK_BEYOND ? vec_length(vec_add(vec_sub(pb, pa), s->offset)) : sqrt(s->vv);
    bool apart = end != GJK_TOUCH && s->height > 0.0;
    result->lower = apart ? s->height : 0.0;
    result->proof = vec_normalize(s->best);
    result->normal = apart ? result->proof : vec_make(0.0, 0.0, 0.0);
    /* The direction that proved the lower bound, unless the points, where they are known better than it, do not lie
     * along it. */
    if (end == GJK_APART &&
        vec_max_abs(vec_mul_add(s->v, -result->upper, result->normal)) > GJK_NORMAL_OFFSET * s->floor)
        result->normal = vec_normalize(s->v);
    result->count = in_use[s->used].count;
    if (end != GJK_TOUCH)
        return;
    for (int i = 0, count = 0; i < s->asked; i++) {
        int slot = s->slot[i];
        if (s->used >> slot & 1u) {
            result->simplex[count] = (gjk_vertex){s->w[slot], s->pa[slot], s->pb[slot]};
            result->weight[count++] = s->weight[i];
        }
    }
}

/* The end without an answer: a custom support function gave what is not a number. */
TACT_COLD void give_up(gjk *result)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    result->end = GJK_NOT_CONVERGED;
    result->iterations = 1;
    result->lower = result->upper = 0.0;
    result->normal = result->proof = result->on_a = result->on_b = zero;
    result->count = 0;
}

/* A simplex of the one point in a slot. */
TACT_FORCE_INLINE void begin(search *s, int slot)
{
    s->used = 1u << slot;
    s->slot[0] = slot;
    s->weight[0] = 1.0;
    s->asked = 1;
    s->v = s->w[slot];
    s->vv = vec_length_squared(s->v);
}

/* The end of a search that brings nothing more, or too little, in doubles: all of it in pairs of doubles, from what is
 * known by now. */
TACT_COLD void finish_in_pairs(const search *s, const goal *want, double enough, bool curved, int iterations,
                               gjk *result)
{
    gjk_dd_task task = {s->a, s->b, s->offset, s->floor, want->accuracy, enough, want->decide, want->enough, {s->v}, 1};
    if (vec_max_abs(s->best) > 0.0)
        task.aims[0] = s->best;
    for (int i = 0; curved && i < 4; i++)
        if (s->used >> i & 1u)
            task.aims[task.aim_count++] = s->aim[i];
    result->iterations = iterations;
    tact_gjk_pair(&task, result);
}

/* The highest separation as a number, from the form that the polytopes' search keeps. */
static inline void divide_height(search *s)
{
    s->height = s->height > 0.0 ? s->height / sqrt(s->height_nn) : 0.0;
    s->height_nn = 1.0;
}

/* The search on two polytopes: plain GJK, without a division or square root a step. `enough` is at least the rounding
 * floor; `decide`, a constant at each call, says that only the side of `enough` matters. */
static void run_flat(search *s, const goal *want, double enough, bool decide, tact_vec3 axis, gjk *result)
{
    const double floor_square = s->floor * s->floor, enough_square = enough * enough;
    tact_vec3 n = axis;
    double nn = vec_length_squared(n);
    int stalls = 0;
    s->height = 0.0;
    s->height_nn = 1.0;
    for (int iterations = 1;; iterations++) {
        int slot = take_sample(s, n);
        double nw = vec_dot(n, s->w[slot]);
        if (nw > 0.0) {
            /* nw / |n| > the highest so far, undivided */
            if (nw * nw * s->height_nn > s->height * s->height * nn) {
                s->height = nw;
                s->height_nn = nn;
                s->best = n;
            }
            if (nw * nw > enough_square * nn) {
                if (iterations == 1)
                    begin(s, slot);
                divide_height(s);
                finish(s, GJK_BEYOND, iterations, result);
                return;
            }
        }
        double before = s->vv;
        bool repeated = false;
        if (iterations == 1) {
            begin(s, slot);
        } else {
            if (!decide) {
                /* |v| - n.w/|n| against accuracy | |v| - margins | and the floor: times |v|, with n = v */
                double gap = nn - nw,
                       allowed = want->accuracy * (s->margins > 0.0 ? fabs(nn - s->margins * sqrt(nn)) : nn);
                standing bounds = gap * gap <= floor_square * nn ? BOUNDS_MET : stand(gap, allowed);
                if (bounds != BOUNDS_OPEN) {
                    if (sound(s, bounds)) {
                        divide_height(s);
                        finish(s, GJK_APART, iterations, result);
                        return;
                    }
                    if (touches(s)) { /* with more digits it holds the origin */
                        divide_height(s);
                        finish(s, GJK_TOUCH, iterations, result);
                        return;
                    }
                    n = s->v;
                    nn = s->vv;
                    continue;
                }
            }
            repeated = has_vertex(s, slot, false);
            if (!repeated) {
                add_vertex(s, slot);
            }
        }
        if (repeated || s->vv >= before) {
            /* Rounding. Solve the simplex to twice the digits; if it was so already, the nearest point may still turn
             * by less than its length can show; only when that does not help either is the support point at fault, and
             * is taken to twice the digits, too. */
            if (s->refined && (repeated || ++stalls > GJK_MAX_STALLS)) {
                finish_in_pairs(s, want, enough, false, iterations, result);
                return;
            }
            if (!s->refined) {
                s->refined = true;
                reduce_refined(s);
            }
        }
        if (touches(s)) {
            divide_height(s);
            finish(s, GJK_TOUCH, iterations, result);
            return;
        }
        if (decide && s->vv <= want->enough * want->enough) {
            if (sound(s, BOUNDS_MET)) {
                divide_height(s);
                finish(s, GJK_WITHIN, iterations, result);
                return;
            }
            if (touches(s)) { /* with more digits it holds the origin */
                divide_height(s);
                finish(s, GJK_TOUCH, iterations, result);
                return;
            }
        }
        if (iterations >= GJK_MAX_ITERATIONS) {
            finish_in_pairs(s, want, enough, false, iterations, result);
            return;
        }
        n = s->v;
        nn = s->vv;
    }
}

/* The search when a shape is curved: plain steps and Newton steps in turn. */
static void run_curved(search *s, const goal *want, double enough, tact_vec3 axis, gjk *result)
{
    tact_vec3 n = axis;
    bool newton = false; /* whether this direction is a Newton step */
    double last_gap = INFINITY;
    int stalls = 0;
    for (int iterations = 1;; iterations++) {
        int slot = take_sample(s, n);
        s->aim[slot] = n;
        if (!vec_finite(s->w[slot])) {
            give_up(result);
            return;
        }
        double nw = vec_dot(n, s->w[slot]), before = s->vv;
        if (newton) {
            double step = vec_length(vec_sub(n, s->best));
            s->trust = nw > s->height ? fmax(s->trust, 4.0 * step) : 0.25 * step;
        }
        if (nw > s->height) {
            s->height = nw;
            s->best = n;
            s->best_w = s->w[slot];
            s->best_branch = s->branch[slot];
        }
        bool repeated = false;
        if (iterations == 1) {
            begin(s, slot);
            before = INFINITY;
        } else {
            if (!want->decide) {
                double upper = sqrt(s->vv);
                standing bounds = stand(upper - s->height, want->accuracy * fabs(upper - s->margins) + s->floor);
                if (bounds != BOUNDS_OPEN) {
                    if (sound(s, bounds)) {
                        finish(s, GJK_APART, iterations, result);
                        return;
                    }
                    if (touches(s)) {
                        finish(s, GJK_TOUCH, iterations, result);
                        return;
                    }
                    newton = false;
                    n = vec_normalize(s->v);
                    continue;
                }
            }
            repeated = has_vertex(s, slot, true);
            search earlier = *s;
            if (!repeated) {
                add_vertex(s, slot);
            }
            if (newton &&
                s->vv >
                    before) /* Newton's point need not bring the simplex nearer: it has only raised the lower bound */
                *s = earlier;
        }
        if (s->height > enough) {
            finish(s, GJK_BEYOND, iterations, result);
            return;
        }
        if (!newton && (repeated || s->vv >= before)) { /* as in run_flat */
            if (s->refined && (repeated || ++stalls > GJK_MAX_STALLS)) {
                finish_in_pairs(s, want, enough, true, iterations, result);
                return;
            }
            if (!s->refined) {
                s->refined = true;
                reduce_refined(s);
            }
        }
        if (touches(s)) {
            finish(s, GJK_TOUCH, iterations, result);
            return;
        }
        if (want->decide && s->vv <= want->enough * want->enough) {
            if (sound(s, BOUNDS_MET)) {
                finish(s, GJK_WITHIN, iterations, result);
                return;
            }
            if (touches(s)) {
                finish(s, GJK_TOUCH, iterations, result);
                return;
            }
        }
        if (iterations >= GJK_MAX_ITERATIONS) {
            finish_in_pairs(s, want, enough, true, iterations, result);
            return;
        }
        /* The next direction: Newton's every other time, and as long as it serves. */
        double gap = sqrt(s->vv) - s->height;
        bool served = newton && gap < 0.25 * last_gap;
        last_gap = gap;
        newton = (!newton || served) && newton_direction(s, &n);
        if (!newton)
            n = vec_normalize(s->v);
    }
}

/* The search with memory. */
static void run_slow(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want, tact_vec3 axis,
                     gjk *result)
{
    double enough = want->enough > floor ? want->enough : floor;
    search s; /* of 600 bytes few count: not zeroed */
    for (int i = 0; i < 4; i++) {
        s.slot[i] = 0;
        s.branch[i] = 0;
    }
    s.used = 0;
    s.a = a;
    s.b = b;
    s.offset = offset;
    s.floor = floor;
    s.margins = a->margin + b->margin;
    s.vv = INFINITY;
    s.height = -INFINITY;
    s.height_nn = 1.0;
    s.best = vec_make(0.0, 0.0, 0.0);
    s.refined = false;
    if (tact_convex_is_polytope(a) && tact_convex_is_polytope(b)) {
        run_flat(&s, want, enough, want->decide, axis, result);
    } else {
        s.trust = 1.0;
        run_curved(&s, want, enough, vec_normalize(axis), result);
    }
}

/* How far a core reaches, along the world axes: hulls and trees are placed with a bound that may be far above it, when
 * a thin shape is stretched where it has no extent. */
static double true_reach(const convex *c)
{
    tact_vec3 most = {0.0, 0.0, 0.0};
    if (c->kind != CONVEX_HULL && c->kind != CONVEX_COMPOSITE)
        return c->bounding_radius;
    for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
        most.x = fmax(most.x, fabs(tact_convex_support(c, vec_make(sign, 0.0, 0.0), NULL).x));
        most.y = fmax(most.y, fabs(tact_convex_support(c, vec_make(0.0, sign, 0.0), NULL).y));
        most.z = fmax(most.z, fabs(tact_convex_support(c, vec_make(0.0, 0.0, sign), NULL).z));
    }
    return fmin(c->bounding_radius, vec_length_safe(most));
}

/* Whether the floor had a say in the answer: in where it ended, or in how far beside the normal the points may lie. */
static bool floor_told(const gjk *result, const goal *want, double margins, tact_vec3 offset, double floor)
{
    if (result->end == GJK_TOUCH)
        return result->count > 0 && result->count < 4;
    if (result->end != GJK_APART)
        return false;
    tact_vec3 v = vec_add(vec_sub(result->on_b, result->on_a), offset);
    return !(result->upper - result->lower <= want->accuracy * fabs(result->upper - margins)) ||
           GJK_ROUNDING_EXCESS * vec_max_abs(vec_mul_add(v, -result->upper, result->normal)) >
               GJK_NORMAL_OFFSET * floor;
}

/* All but the quick cases. Where the floor comes to tell, and was set too high, once more. */
static void run_long(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want, tact_vec3 axis,
                     gjk *result)
{
    run_slow(a, b, offset, floor, want, axis, result);
    if ((a->kind == CONVEX_HULL || a->kind == CONVEX_COMPOSITE || b->kind == CONVEX_HULL ||
         b->kind == CONVEX_COMPOSITE) &&
        floor_told(result, want, a->margin + b->margin, offset, floor)) {
        double less = GJK_ROUNDING * CONVEX_ROUNDOFF * (true_reach(a) + true_reach(b) + vec_max_abs(offset));
        if (GJK_ROUNDING_EXCESS * less < floor) {
            gjk first = *result;
            run_slow(a, b, offset, less, want, axis, result);
            if (result->end == GJK_NOT_CONVERGED) /* a user's own support function that is rougher than that */
                *result = first;
            else
                result->iterations += first.iterations;
        }
    }
}

TACT_FORCE_INLINE void start(const convex *a, const convex *b, tact_vec3 offset, double size, const goal *want,
                             tact_vec3 axis, gjk *result)
{
    double floor = GJK_ROUNDING * CONVEX_ROUNDOFF * size, enough = want->enough > floor ? want->enough : floor;
    bool flat = a->kind <= CONVEX_HULL && b->kind <= CONVEX_HULL; /* polytopes */
    if (!flat || want->robust || !TACT_DISPATCH_AVX2(tact_quick, a, b, offset, floor, want, enough, axis, result)) {
        if (is_zero(axis))
            axis = is_zero(offset) ? vec_make(1.0, 0.0, 0.0) : offset;
        run_long(a, b, offset, floor, want, axis, result);
    }
}

/* Sizes for which no product of lengths in here over- or underflows in a way that matters. */
static bool in_range(double size) { return size < GJK_MAX_LENGTH && size > GJK_MIN_LENGTH; }

/* Brings other sizes into range by a power of two, exactly, and scales the answer back. */
TACT_COLD void start_scaled(const convex *a, const convex *b, double size, const goal *want, tact_vec3 axis,
                            gjk *result)
{
    convex scaled_a = *a, scaled_b = *b;
    goal scaled = *want;
    int exponent = 0;
    (void)frexp(size, &exponent);
    exponent = exponent < -GJK_MAX_EXPONENT ? -GJK_MAX_EXPONENT : exponent; /* 2^-exponent is to be finite */
    scaled_b.transform.origin = vec_sub(b->transform.origin, a->transform.origin);
    scaled_a.transform.origin = vec_make(0.0, 0.0, 0.0);
    tact_convex_scale(&scaled_a, -exponent);
    tact_convex_scale(&scaled_b, -exponent);
    scaled.enough = ldexp(want->enough, -exponent);
    start(&scaled_a, &scaled_b, scaled_b.transform.origin, ldexp(size, -exponent), &scaled, axis, result);
    double back = ldexp(1.0, exponent);
    result->lower *= back;
    result->upper *= back;
    result->on_a = vec_scale(result->on_a, back);
    result->on_b = vec_scale(result->on_b, back);
    for (int i = 0; i < result->count; i++) {
        gjk_vertex *vertex = &result->simplex[i];
        *vertex = (gjk_vertex){vec_scale(vertex->w, back), vec_scale(vertex->a, back), vec_scale(vertex->b, back)};
    }
}

static void search_for(const convex *a, const convex *b, const goal *want, tact_vec3 axis, gjk *result)
{
    tact_vec3 offset = vec_sub(b->transform.origin, a->transform.origin);
    double size = a->bounding_radius + b->bounding_radius + vec_max_abs(offset);
    if (!is_zero(axis) && !in_range(vec_max_abs(axis)))
        axis = vec_max_abs(axis) < INFINITY ? vec_normalize(axis) : vec_make(0.0, 0.0, 0.0);
    if (in_range(size) || !(size > 0.0))
        start(a, b, offset, size, want, axis, result);
    else
        start_scaled(a, b, size, want, axis, result);
    result->on_a = vec_add(result->on_a, a->transform.origin);
    result->on_b = vec_add(result->on_b, b->transform.origin);
}

void tact_gjk(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis, gjk *result)
{
    goal want = {accuracy, enough, false, true, false};
    search_for(a, b, &want, axis, result);
}

void tact_gjk_distance(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis, gjk *result)
{
    goal want = {accuracy, enough, false, false, false};
    search_for(a, b, &want, axis, result);
}

void tact_gjk_within(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk *result)
{
    goal want = {0.0, limit, true, false, false};
    search_for(a, b, &want, axis, result);
}

void tact_gjk_distance_robust(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis,
                              gjk *result)
{
    goal want = {accuracy, enough, false, false, true};
    search_for(a, b, &want, axis, result);
}

void tact_gjk_within_robust(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk *result)
{
    goal want = {0.0, limit, true, false, true};
    search_for(a, b, &want, axis, result);
}
