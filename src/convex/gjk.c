/*
 * The Gilbert-Johnson-Keerthi algorithm: the distance between two convex cores, or a separating axis.
 *
 * Guarantee: on GJK_SEPARATED lower <= distance <= upper, with upper - lower <= accuracy * (upper - margins) + r. Here
 * r = GJK_ROUNDING u size is the rounding error of a distance, and both bounds hold up to r. On GJK_OVERLAP the
 * distance is at most r. Where doubles stall before that (mostly at rims that touch), the search ends in double-double
 * arithmetic (gjk_dd.h): about one in two thousand of the random pairs of the tests. At most GJK_MAX_ITERATIONS support
 * points are computed here, about 7 on average over all pairs of shapes.
 *
 * After van den Bergen 1999, sections 4.4.1 to 4.4.4: the incremental separating axis (ISA-GJK) with a cached axis, the
 * relative error with a monotone lower bound, and termination when a support point repeats. Departures:
 * - The subalgorithm tests the Voronoi regions of the new vertex (simplex.h). Where it stalls before the bounds have
 *   met (a support point repeats, or the distance does not shrink), the simplex is solved again in double-double. So
 *   every end is proved.
 * - On curved shapes plain GJK converges linearly, and like 1/k near touch. Here each support point knows its smooth
 *   branch and the curvature there. Every other step is a Newton step on the dual problem: the greatest separation n.w
 *   over unit n. Vertices on one branch count as one. Several branches are the constraint that they separate equally
 *   (an SQP step). A step of either kind only adds a support point and a lower bound, so a bad step costs time and
 *   never correctness.
 * - Two polytopes first run the fast GJK (gjk_fast.c), which gives up on slivers. What it cannot prove is left to the
 *   robust search here.
 * - On polytopes every result is an odd function of its arguments: swapping A and B reverses every vector exactly,
 *   so the answer is mirrored bit for bit. The caller orders all other pairs (pair_order.h).
 */
#include "convex/gjk.h"

#include "convex/convex_constants.h"
#include "convex/gjk_dd.h"
#include "convex/gjk_fast.h"
#include "convex/simplex.h"
#include "core/inline.h"
#include "core/number.h"
#include "shape/support.h"

typedef struct gjk_search {
    const convex *a, *b;
    tact_vec3 offset; /* origin of B - origin of A */
    double rounding;  /* length: the rounding error of a distance */
    double margins;   /* of both shapes: the accuracy is relative to the distance less these */
    /* The simplex. Vertices stay in their slots, and one mask says which slots are in use, so dropping a vertex moves
     * nothing. */
    unsigned used;                /* bit i: slot i holds a vertex */
    int slot[4];                  /* the slots that the subalgorithm last solved, the newest last */
    double weight[4];             /* barycentric coordinates in that order; 0 for dropped vertices */
    int solved_count;             /* number of those */
    tact_vec3 w[4], pa[4], pb[4]; /* by slot */
    tact_vec3 v;                  /* closest point of the simplex to the origin */
    double vv;                    /* |v|^2 */
    double separation;            /* greatest separation found; when positive, a proved lower bound of the distance */
    double separation_nn; /* for polytopes it is not divided yet: the separation is separation / sqrt(separation_nn) */
    tact_vec3 best_axis;  /* direction of that separation, any length */
    bool in_dd;           /* the subalgorithm runs in double-double */
    uint64_t branch[4];   /* by slot: branches of A's and B's support points, combined */
    /* Curved shapes only: */
    tact_vec3 direction[4]; /* by slot: unit direction of which the vertex is the support point */
    tact_vec3 best_support; /* support point of best_axis */
    uint64_t best_branch;   /* and its branch */
    double trust_radius;    /* tangent: step length up to which the second-order model has held */
} gjk_search;

/* Computes the support point of B - A along -n into a free slot. It is not yet a vertex of the simplex. */
TACT_FORCE_INLINE int sample_support(gjk_search *s, tact_vec3 n)
{
    static const int first_free[16] = {0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 0};
    int slot = first_free[s->used];
    uint64_t branch_a, branch_b;
    tact_vec3 pa = convex_support(s->a, n, &branch_a), pb = convex_support(s->b, vec_negate(n), &branch_b);
    s->pa[slot] = pa;
    s->pb[slot] = pb;
    s->w[slot] = vec_add(vec_sub(pb, pa), s->offset);
    s->branch[slot] =
        branch_a * 0x9e3779b97f4a7c15u + branch_b; /* exact for vertices, rarely equal for other branches */
    return slot;
}

/* By `used`: the number of slots in use, and which. */
static const struct {
    int count;
    int slot[4];
} slots_in_use[16] = {{0, {0, 0, 0, 0}}, {1, {0, 0, 0, 0}}, {1, {1, 0, 0, 0}}, {2, {0, 1, 0, 0}},
                      {1, {2, 0, 0, 0}}, {2, {0, 2, 0, 0}}, {2, {1, 2, 0, 0}}, {3, {0, 1, 2, 0}},
                      {1, {3, 0, 0, 0}}, {2, {0, 3, 0, 0}}, {2, {1, 3, 0, 0}}, {3, {0, 1, 3, 0}},
                      {2, {2, 3, 0, 0}}, {3, {0, 2, 3, 0}}, {3, {1, 2, 3, 0}}, {4, {0, 1, 2, 3}}};

/* Keeps the vertices that the closest point needs. The choice is unpredictable, so there is no branch on it. */
TACT_FORCE_INLINE void keep_vertices(gjk_search *s, const simplex_solution *answer)
{
    unsigned mask = answer->mask;
    s->used = (mask & 1u) << s->slot[0] | (mask >> 1 & 1u) << s->slot[1] | (mask >> 2 & 1u) << s->slot[2] |
              (mask >> 3 & 1u) << s->slot[3];
    s->v = answer->v;
    s->vv = vec_length_squared(answer->v);
}

TACT_FORCE_INLINE tact_vec3 solved_point(const gjk_search *s, int i) { return s->w[s->slot[i]]; }

/* Solves the simplex in double-double. */
TACT_COLD void solve_in_dd(gjk_search *s)
{
    const tact_vec3 w[4] = {solved_point(s, 0), solved_point(s, 1), solved_point(s, 2), solved_point(s, 3)};
    simplex_solution answer;
    unsigned guess = 0;
    for (int i = 0; i < s->solved_count; i++)
        guess |= (s->used >> s->slot[i] & 1u) << i;
    tact_simplex_solve(w, s->solved_count, guess, &answer);
    for (int i = 0; i < 4; i++)
        s->weight[i] = answer.weight[i];
    keep_vertices(s, &answer);
}

/* Adds the vertex in a free slot to the simplex and drops those that the closest point does not need. */
TACT_FORCE_INLINE void add_vertex(gjk_search *s, int slot)
{
    simplex_solution answer;
    int count = slots_in_use[s->used].count;
    const int *other = slots_in_use[s->used].slot;
    s->slot[0] = other[0];
    s->slot[1] = other[1];
    s->slot[2] = other[2];
    s->slot[count] = slot;
    s->solved_count = count + 1;
    if (s->in_dd) {
        solve_in_dd(s);
        return;
    }
    if (count == 1)
        simplex_on_segment(solved_point(s, 0), solved_point(s, 1), &answer);
    else if (count == 2)
        simplex_on_triangle(solved_point(s, 0), solved_point(s, 1), solved_point(s, 2), &answer);
    else
        simplex_on_tetrahedron(solved_point(s, 0), solved_point(s, 1), solved_point(s, 2), solved_point(s, 3), &answer);
    for (int i = 0; i <= count; i++)
        s->weight[i] = answer.weight[i];
    if (answer.certain)
        keep_vertices(s, &answer);
    else
        solve_in_dd(s);
}

/* Whether the simplex has the same vertex as this free slot. For polytopes the branches decide. */
TACT_FORCE_INLINE bool has_vertex(const gjk_search *s, int slot, bool curved)
{
    unsigned same = 0;
    for (int i = 0; i < 4; i++)
        same |= (unsigned)(curved ? vec_equal(s->w[i], s->w[slot]) : s->branch[i] == s->branch[slot]) << i;
    return (same & s->used) != 0;
}

/* ---- Newton steps on curved shapes ---- */

typedef struct gjk_branch {
    uint64_t branch;
    double weight;
    tact_vec3 w, direction;
    double pxx, pxy, pyy; /* curvature of B - A in the tangent plane of n: positive semidefinite */
    double gx, gy;        /* slope of the separation there */
    double separation;    /* the separation n.w, to second order */
} gjk_branch;

/* One model for each branch in the simplex, from the vertex whose direction is nearest to the best axis. */
static int gather_branches(const gjk_search *s, gjk_branch *models)
{
    const tact_vec3 n = s->best_axis;
    int count = 0;
    for (int i = 0; i < s->solved_count; i++) {
        int slot = s->slot[i], k = 0;
        if (!(s->used >> slot & 1u))
            continue;
        while (k < count && models[k].branch != s->branch[slot])
            k++;
        if (k == count) {
            models[count++] = (gjk_branch){
                s->branch[slot], s->weight[i], s->w[slot], s->direction[slot], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
            continue;
        }
        models[k].weight += s->weight[i];
        if (vec_dot(s->direction[slot], n) > vec_dot(models[k].direction, n)) {
            models[k].w = s->w[slot];
            models[k].direction = s->direction[slot];
        }
    }
    for (int k = 0; k < count; k++) {
        if (models[k].branch == s->best_branch) {
            models[k].w = s->best_support;
            models[k].direction = n;
        }
    }
    return count;
}

/* The separation along n + y, y in the tangent plane, in the model of a branch: w.(n + y) - (y + d)^t P (y + d)/2 with
 * d = n - direction. */
static void model_branch(const gjk_search *s, tact_vec3 n, tact_vec3 e, tact_vec3 f, gjk_branch *m)
{
    double h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, h_b[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_convex_curvature(s->a, m->direction, h);
    tact_convex_curvature(s->b, vec_negate(m->direction), h_b);
    for (int i = 0; i < 6; i++)
        h[i] += h_b[i]; /* one sum, the same with A and B swapped */
    m->pxx = convex_curvature_along(h, e, e);
    m->pxy = convex_curvature_along(h, e, f);
    m->pyy = convex_curvature_along(h, f, f);
    tact_vec3 d = vec_sub(n, m->direction);
    double dx = vec_dot(e, d), dy = vec_dot(f, d);
    double px = m->pxx * dx + m->pxy * dy, py = m->pxy * dx + m->pyy * dy;
    m->gx = vec_dot(e, m->w) - px;
    m->gy = vec_dot(f, m->w) - py;
    m->separation = vec_dot(n, m->w) - 0.5 * (dx * px + dy * py);
}

/* Finds a direction of greater separation; false if the model has none. */
static bool newton_direction(const gjk_search *s, tact_vec3 *better)
{
    gjk_branch m[4];
    int count = gather_branches(s, m);
    const tact_vec3 n = s->best_axis;
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
        t += m[i].weight * m[i].separation;
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
        /* K y = r + l c, c.y = c0: along c to where both branches separate equally, across it to the maximum of K. */
        double cx = m[1].gx - m[0].gx, cy = m[1].gy - m[0].gy, c0 = m[0].separation - m[1].separation;
        double cc = cx * cx + cy * cy;
        if (!(cc > 0.0))
            return false;
        double px = c0 * cx / cc, py = c0 * cy / cc; /* a point on that line; q is its direction */
        double qx = -cy, qy = cx;
        double qkq = qx * (kxx * qx + kxy * qy) + qy * (kxy * qx + kyy * qy);
        double qr = qx * (rx - kxx * px - kxy * py) + qy * (ry - kxy * px - kyy * py);
        double step = qkq > 0.0 ? qr / qkq : 0.0;
        x = px + step * qx;
        y = py + step * qy;
    } else {
        /* Three branches that separate equally leave no freedom. */
        double ax = m[1].gx - m[0].gx, ay = m[1].gy - m[0].gy, a0 = m[0].separation - m[1].separation;
        double bx = m[2].gx - m[0].gx, by = m[2].gy - m[0].gy, b0 = m[0].separation - m[2].separation;
        double d = ax * by - ay * bx;
        if (!(fabs(d) > 0.0))
            return false;
        x = (a0 * by - ay * b0) / d;
        y = (ax * b0 - a0 * bx) / d;
    }
    double length = sqrt(x * x + y * y);
    if (!(length < INFINITY))
        return false;
    if (length > s->trust_radius) {
        x *= s->trust_radius / length;
        y *= s->trust_radius / length;
    }
    *better = vec_normalize(vec_mul_add(vec_mul_add(n, x, e), y, f));
    return true;
}

/* ---- the search ---- */

/* The points of A and B that combine to the closest point v. */
static inline void closest_points(const gjk_search *s, tact_vec3 *pa, tact_vec3 *pb)
{
    *pa = *pb = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->solved_count; i++) {
        int slot = s->slot[i];
        if (s->used >> slot & 1u) {
            *pa = vec_mul_add(*pa, s->weight[i], s->pa[slot]);
            *pb = vec_mul_add(*pb, s->weight[i], s->pb[slot]);
        }
    }
}

/* Whether v is the combination of its vertices and above the lower bound. Slivers can break this. Then the simplex is
 * solved in double-double, from now on, and the caller must test again what it concluded from v. */
static bool is_consistent(gjk_search *s, gjk_bounds bounds)
{
    tact_vec3 pa, pb;
    if (s->in_dd)
        return true;
    closest_points(s, &pa, &pb);
    if (bounds != GJK_BOUNDS_CROSSED &&
        vec_max_abs(vec_sub(vec_add(vec_sub(pb, pa), s->offset), s->v)) <= GJK_CONSISTENCY * s->rounding)
        return true;
    s->in_dd = true;
    solve_in_dd(s);
    return false;
}

/* Whether the simplex contains the origin, up to rounding. */
static inline bool contains_origin(gjk_search *s)
{
    bool at_origin = s->used == 15u || s->vv <= s->rounding * s->rounding;
    return at_origin && (is_consistent(s, GJK_BOUNDS_MET) || s->used == 15u || s->vv <= s->rounding * s->rounding);
}

static void finish(gjk_search *s, gjk_status status, int iterations, gjk_result *result)
{
    tact_vec3 pa, pb;
    closest_points(s, &pa, &pb);
    result->status = status;
    result->iterations = iterations;
    result->on_a = pa;
    result->on_b = pb;
    /* An early end has not checked that v is the combination of its vertices: take the points. */
    result->upper = status == GJK_BEYOND_LIMIT ? vec_length(vec_add(vec_sub(pb, pa), s->offset)) : sqrt(s->vv);
    bool apart = status != GJK_OVERLAP && s->separation > 0.0;
    result->lower = apart ? s->separation : 0.0;
    result->best_axis = vec_normalize(s->best_axis);
    result->normal = apart ? result->best_axis : vec_make(0.0, 0.0, 0.0);
    /* The normal is the direction that proved the lower bound, unless the points do not lie along it. */
    if (status == GJK_SEPARATED &&
        vec_max_abs(vec_mul_add(s->v, -result->upper, result->normal)) > GJK_NORMAL_OFFSET * s->rounding)
        result->normal = vec_normalize(s->v);
    result->count = slots_in_use[s->used].count;
    if (status != GJK_OVERLAP)
        return;
    for (int i = 0, count = 0; i < s->solved_count; i++) {
        int slot = s->slot[i];
        if (s->used >> slot & 1u) {
            result->simplex[count] = (gjk_vertex){s->w[slot], s->pa[slot], s->pb[slot]};
            result->weight[count++] = s->weight[i];
        }
    }
}

/* Ends without an answer: a custom support function returned NaN. */
TACT_COLD void fail(gjk_result *result)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    result->status = GJK_NOT_CONVERGED;
    result->iterations = 1;
    result->lower = result->upper = 0.0;
    result->normal = result->best_axis = result->on_a = result->on_b = zero;
    result->count = 0;
}

/* A simplex of the one vertex in a slot. */
TACT_FORCE_INLINE void start_simplex(gjk_search *s, int slot)
{
    s->used = 1u << slot;
    s->slot[0] = slot;
    s->weight[0] = 1.0;
    s->solved_count = 1;
    s->v = s->w[slot];
    s->vv = vec_length_squared(s->v);
}

/* Runs the rest of a search that stalls in doubles in double-double, from the directions found so far. */
TACT_COLD void finish_in_dd(const gjk_search *s, const gjk_goal *goal, double stop_distance, bool curved,
                            int iterations, gjk_result *result)
{
    gjk_dd_task task = {s->a,          s->b,         s->offset,   s->rounding, goal->accuracy,
                        stop_distance, goal->decide, goal->limit, {s->v},      1};
    if (vec_max_abs(s->best_axis) > 0.0)
        task.directions[0] = s->best_axis;
    for (int i = 0; curved && i < 4; i++)
        if (s->used >> i & 1u)
            task.directions[task.direction_count++] = s->direction[i];
    result->iterations = iterations;
    tact_gjk_dd(&task, result);
}

/* Divides the separation, which the search on polytopes leaves undivided. */
static inline void normalize_separation(gjk_search *s)
{
    s->separation = s->separation > 0.0 ? s->separation / sqrt(s->separation_nn) : 0.0;
    s->separation_nn = 1.0;
}

/* GJK on two polytopes, without a division or square root per iteration. `stop_distance` is the limit, but at least the
 * rounding error. `decide` is a constant at each call. */
static void search_polytopes(gjk_search *s, const gjk_goal *goal, double stop_distance, bool decide, tact_vec3 axis,
                             gjk_result *result)
{
    const double rounding_squared = s->rounding * s->rounding, stop_squared = stop_distance * stop_distance;
    tact_vec3 n = axis;
    double nn = vec_length_squared(n);
    int stalls = 0;
    s->separation = 0.0;
    s->separation_nn = 1.0;
    for (int iterations = 1;; iterations++) {
        int slot = sample_support(s, n);
        double nw = vec_dot(n, s->w[slot]);
        if (nw > 0.0) {
            /* nw / |n| > separation / sqrt(separation_nn), without the divisions */
            if (nw * nw * s->separation_nn > s->separation * s->separation * nn) {
                s->separation = nw;
                s->separation_nn = nn;
                s->best_axis = n;
            }
            if (nw * nw > stop_squared * nn) {
                if (iterations == 1)
                    start_simplex(s, slot);
                normalize_separation(s);
                finish(s, GJK_BEYOND_LIMIT, iterations, result);
                return;
            }
        }
        double before = s->vv;
        bool repeated = false;
        if (iterations == 1) {
            start_simplex(s, slot);
        } else {
            if (!decide) {
                /* |v| - n.w/|n| against accuracy | |v| - margins | and the rounding error, times |v|, with n = v */
                double gap = nn - nw,
                       allowed = goal->accuracy * (s->margins > 0.0 ? fabs(nn - s->margins * sqrt(nn)) : nn);
                gjk_bounds bounds =
                    gap * gap <= rounding_squared * nn ? GJK_BOUNDS_MET : gjk_compare_bounds(gap, allowed);
                if (bounds != GJK_BOUNDS_OPEN) {
                    if (is_consistent(s, bounds)) {
                        normalize_separation(s);
                        finish(s, GJK_SEPARATED, iterations, result);
                        return;
                    }
                    if (contains_origin(s)) { /* with more digits it contains the origin */
                        normalize_separation(s);
                        finish(s, GJK_OVERLAP, iterations, result);
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
            /* Rounding. First solve the simplex in double-double. The closest point may then still turn by less than
             * its length shows. If that stalls too, the support point is at fault, and is computed in double-double as
             * well. */
            if (s->in_dd && (repeated || ++stalls > GJK_MAX_STALLS)) {
                finish_in_dd(s, goal, stop_distance, false, iterations, result);
                return;
            }
            if (!s->in_dd) {
                s->in_dd = true;
                solve_in_dd(s);
            }
        }
        if (contains_origin(s)) {
            normalize_separation(s);
            finish(s, GJK_OVERLAP, iterations, result);
            return;
        }
        if (decide && s->vv <= goal->limit * goal->limit) {
            if (is_consistent(s, GJK_BOUNDS_MET)) {
                normalize_separation(s);
                finish(s, GJK_WITHIN_LIMIT, iterations, result);
                return;
            }
            if (contains_origin(s)) { /* with more digits it contains the origin */
                normalize_separation(s);
                finish(s, GJK_OVERLAP, iterations, result);
                return;
            }
        }
        if (iterations >= GJK_MAX_ITERATIONS) {
            finish_in_dd(s, goal, stop_distance, false, iterations, result);
            return;
        }
        n = s->v;
        nn = s->vv;
    }
}

/* GJK on a pair with a curved shape: plain steps and Newton steps in turn. */
static void search_curved(gjk_search *s, const gjk_goal *goal, double stop_distance, tact_vec3 axis, gjk_result *result)
{
    tact_vec3 n = axis;
    bool newton = false; /* whether this direction is a Newton step */
    double last_gap = INFINITY;
    int stalls = 0;
    for (int iterations = 1;; iterations++) {
        int slot = sample_support(s, n);
        s->direction[slot] = n;
        if (!vec_finite(s->w[slot])) {
            fail(result);
            return;
        }
        double nw = vec_dot(n, s->w[slot]), before = s->vv;
        if (newton) {
            double step = vec_length(vec_sub(n, s->best_axis));
            s->trust_radius = nw > s->separation ? number_max(s->trust_radius, 4.0 * step) : 0.25 * step;
        }
        if (nw > s->separation) {
            s->separation = nw;
            s->best_axis = n;
            s->best_support = s->w[slot];
            s->best_branch = s->branch[slot];
        }
        bool repeated = false;
        if (iterations == 1) {
            start_simplex(s, slot);
            before = INFINITY;
        } else {
            if (!goal->decide) {
                double upper = sqrt(s->vv);
                gjk_bounds bounds =
                    gjk_compare_bounds(upper - s->separation, goal->accuracy * fabs(upper - s->margins) + s->rounding);
                if (bounds != GJK_BOUNDS_OPEN) {
                    if (is_consistent(s, bounds)) {
                        finish(s, GJK_SEPARATED, iterations, result);
                        return;
                    }
                    if (contains_origin(s)) {
                        finish(s, GJK_OVERLAP, iterations, result);
                        return;
                    }
                    newton = false;
                    n = vec_normalize(s->v);
                    continue;
                }
            }
            repeated = has_vertex(s, slot, true);
            gjk_search earlier = *s;
            if (!repeated) {
                add_vertex(s, slot);
            }
            if (newton &&
                s->vv > before) /* A Newton step need not bring the simplex closer; it has raised the lower bound. */
                *s = earlier;
        }
        if (s->separation > stop_distance) {
            finish(s, GJK_BEYOND_LIMIT, iterations, result);
            return;
        }
        if (!newton && (repeated || s->vv >= before)) { /* as in search_polytopes */
            if (s->in_dd && (repeated || ++stalls > GJK_MAX_STALLS)) {
                finish_in_dd(s, goal, stop_distance, true, iterations, result);
                return;
            }
            if (!s->in_dd) {
                s->in_dd = true;
                solve_in_dd(s);
            }
        }
        if (contains_origin(s)) {
            finish(s, GJK_OVERLAP, iterations, result);
            return;
        }
        if (goal->decide && s->vv <= goal->limit * goal->limit) {
            if (is_consistent(s, GJK_BOUNDS_MET)) {
                finish(s, GJK_WITHIN_LIMIT, iterations, result);
                return;
            }
            if (contains_origin(s)) {
                finish(s, GJK_OVERLAP, iterations, result);
                return;
            }
        }
        if (iterations >= GJK_MAX_ITERATIONS) {
            finish_in_dd(s, goal, stop_distance, true, iterations, result);
            return;
        }
        /* The next direction: a Newton step every other time, and as long as Newton steps reduce the gap. */
        double gap = sqrt(s->vv) - s->separation;
        bool served = newton && gap < 0.25 * last_gap;
        last_gap = gap;
        newton = (!newton || served) && newton_direction(s, &n);
        if (!newton)
            n = vec_normalize(s->v);
    }
}

/* The robust GJK with a given rounding error. */
static void search_robust(const convex *a, const convex *b, tact_vec3 offset, double rounding, const gjk_goal *goal,
                          tact_vec3 axis, gjk_result *result)
{
    double stop_distance = goal->limit > rounding ? goal->limit : rounding;
    gjk_search s; /* 600 bytes, of which few are needed: not zeroed */
    for (int i = 0; i < 4; i++) {
        s.slot[i] = 0;
        s.branch[i] = 0;
    }
    s.used = 0;
    s.a = a;
    s.b = b;
    s.offset = offset;
    s.rounding = rounding;
    s.margins = a->margin + b->margin;
    s.vv = INFINITY;
    s.separation = -INFINITY;
    s.separation_nn = 1.0;
    s.best_axis = vec_make(0.0, 0.0, 0.0);
    s.in_dd = false;
    if (tact_convex_is_polytope(a) && tact_convex_is_polytope(b)) {
        search_polytopes(&s, goal, stop_distance, goal->decide, axis, result);
    } else {
        s.trust_radius = 1.0;
        search_curved(&s, goal, stop_distance, vec_normalize(axis), result);
    }
}

/* A tight bounding radius, from support points along the world axes. The radius of hulls and trees may be far above it,
 * if a transform stretches a thin shape where it has no extent. */
static double tight_radius(const convex *c)
{
    tact_vec3 most = {0.0, 0.0, 0.0};
    if (c->kind != CONVEX_HULL && c->kind != CONVEX_COMPOSITE)
        return c->bounding_radius;
    for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
        most.x = number_max(most.x, fabs(tact_convex_support(c, vec_make(sign, 0.0, 0.0), NULL).x));
        most.y = number_max(most.y, fabs(tact_convex_support(c, vec_make(0.0, sign, 0.0), NULL).y));
        most.z = number_max(most.z, fabs(tact_convex_support(c, vec_make(0.0, 0.0, sign), NULL).z));
    }
    return number_min(c->bounding_radius, vec_length_safe(most));
}

/* Whether the rounding error decided the answer: where it ended, or how far the points may lie off the normal. */
static bool rounding_decided(const gjk_result *result, const gjk_goal *goal, double margins, tact_vec3 offset,
                             double rounding)
{
    if (result->status == GJK_OVERLAP)
        return result->count > 0 && result->count < 4;
    if (result->status != GJK_SEPARATED)
        return false;
    tact_vec3 v = vec_add(vec_sub(result->on_b, result->on_a), offset);
    return !(result->upper - result->lower <= goal->accuracy * fabs(result->upper - margins)) ||
           GJK_ROUNDING_EXCESS * vec_max_abs(vec_mul_add(v, -result->upper, result->normal)) >
               GJK_NORMAL_OFFSET * rounding;
}

/* The robust GJK. If the rounding error decided the answer and was set too high, the search is repeated. */
static void gjk_robust(const convex *a, const convex *b, tact_vec3 offset, double rounding, const gjk_goal *goal,
                       tact_vec3 axis, gjk_result *result)
{
    search_robust(a, b, offset, rounding, goal, axis, result);
    if ((a->kind == CONVEX_HULL || a->kind == CONVEX_COMPOSITE || b->kind == CONVEX_HULL ||
         b->kind == CONVEX_COMPOSITE) &&
        rounding_decided(result, goal, a->margin + b->margin, offset, rounding)) {
        double smaller = GJK_ROUNDING * CONVEX_ROUNDOFF * (tight_radius(a) + tight_radius(b) + vec_max_abs(offset));
        if (GJK_ROUNDING_EXCESS * smaller < rounding) {
            gjk_result first = *result;
            search_robust(a, b, offset, smaller, goal, axis, result);
            if (result->status == GJK_NOT_CONVERGED) /* a custom support function with a larger error */
                *result = first;
            else
                result->iterations += first.iterations;
        }
    }
}

TACT_FORCE_INLINE void gjk_in_range(const convex *a, const convex *b, tact_vec3 offset, double size,
                                    const gjk_goal *goal, tact_vec3 axis, gjk_result *result)
{
    double rounding = GJK_ROUNDING * CONVEX_ROUNDOFF * size,
           stop_distance = goal->limit > rounding ? goal->limit : rounding;
    bool flat = a->kind <= CONVEX_HULL && b->kind <= CONVEX_HULL; /* polytopes */
    if (!flat || goal->robust ||
        !TACT_DISPATCH_AVX2(tact_gjk_fast, a, b, offset, rounding, goal, stop_distance, axis, result)) {
        if (is_zero(axis))
            axis = is_zero(offset) ? vec_make(1.0, 0.0, 0.0) : offset;
        gjk_robust(a, b, offset, rounding, goal, axis, result);
    }
}

/* Sizes for which no product of lengths overflows, or underflows harmfully. */
static bool in_range(double size) { return size < GJK_MAX_LENGTH && size > GJK_MIN_LENGTH; }

/* Scales other sizes into range by a power of two, which is exact, and scales the answer back. */
TACT_COLD void gjk_scaled(const convex *a, const convex *b, double size, const gjk_goal *goal, tact_vec3 axis,
                          gjk_result *result)
{
    convex scaled_a = *a, scaled_b = *b;
    gjk_goal scaled = *goal;
    int exponent = 0;
    (void)frexp(size, &exponent);
    exponent = exponent < -GJK_MAX_EXPONENT ? -GJK_MAX_EXPONENT : exponent; /* so that 2^-exponent is finite */
    scaled_b.transform.origin = vec_sub(b->transform.origin, a->transform.origin);
    scaled_a.transform.origin = vec_make(0.0, 0.0, 0.0);
    tact_convex_scale(&scaled_a, -exponent);
    tact_convex_scale(&scaled_b, -exponent);
    scaled.limit = ldexp(goal->limit, -exponent);
    gjk_in_range(&scaled_a, &scaled_b, scaled_b.transform.origin, ldexp(size, -exponent), &scaled, axis, result);
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

static void run_gjk(const convex *a, const convex *b, const gjk_goal *goal, tact_vec3 axis, gjk_result *result)
{
    tact_vec3 offset = vec_sub(b->transform.origin, a->transform.origin);
    double size = a->bounding_radius + b->bounding_radius + vec_max_abs(offset);
    if (!is_zero(axis) && !in_range(vec_max_abs(axis)))
        axis = vec_max_abs(axis) < INFINITY ? vec_normalize(axis) : vec_make(0.0, 0.0, 0.0);
    if (in_range(size) || !(size > 0.0))
        gjk_in_range(a, b, offset, size, goal, axis, result);
    else
        gjk_scaled(a, b, size, goal, axis, result);
    result->on_a = vec_add(result->on_a, a->transform.origin);
    result->on_b = vec_add(result->on_b, b->transform.origin);
}

void tact_gjk(const convex *a, const convex *b, double accuracy, double stop_distance, tact_vec3 axis,
              gjk_result *result)
{
    gjk_goal goal = {accuracy, stop_distance, false, true, false};
    run_gjk(a, b, &goal, axis, result);
}

void tact_gjk_distance(const convex *a, const convex *b, double accuracy, double stop_distance, tact_vec3 axis,
                       gjk_result *result)
{
    gjk_goal goal = {accuracy, stop_distance, false, false, false};
    run_gjk(a, b, &goal, axis, result);
}

void tact_gjk_within(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk_result *result)
{
    gjk_goal goal = {0.0, limit, true, false, false};
    run_gjk(a, b, &goal, axis, result);
}

void tact_gjk_distance_robust(const convex *a, const convex *b, double accuracy, double stop_distance, tact_vec3 axis,
                              gjk_result *result)
{
    gjk_goal goal = {accuracy, stop_distance, false, false, true};
    run_gjk(a, b, &goal, axis, result);
}

void tact_gjk_within_robust(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk_result *result)
{
    gjk_goal goal = {0.0, limit, true, false, true};
    run_gjk(a, b, &goal, axis, result);
}
