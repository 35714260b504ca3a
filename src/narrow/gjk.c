/*
 * GJK: the distance of two convex shapes, or just a separating axis.
 *
 * Guarantee: on GJK_APART lower <= distance <= upper with upper - lower <= accuracy * (upper - margins) + GJK_FLOOR u size (size: how far the
 * shapes reach, seen from each other), both bounds up to that same rounding; on GJK_TOUCH the distance is at most that rounding. Where rounding
 * stalls the search (mostly touching rims, a few in a million random pairs) the GJK_STALL_ constants below take the place of GJK_FLOOR, or it says
 * GJK_NOT_CONVERGED. Bounded work: at most GJK_CAP support points, about 7 on average over all kinds of pairs.
 *
 * After seed 004 (van den Bergen's thesis), sections 4.4.1 to 4.4.4: the incremental separating axis (ISA-GJK) with a cached axis, the relative
 * error with a monotone lower bound, and the end when a support point repeats. Departures:
 * - The sub-algorithm tests regions of the new point (narrow/simplex.h). Where it stalls (a support point repeats, or the distance does not
 *   shrink, before the bounds have met) it is redone in pairs of doubles, so that the end is a proof and not a surrender.
 * - On curved shapes plain GJK converges linearly, and like 1/k near touch. Each support point here knows the smooth branch that it lies on
 *   and the curvature there, so in turn with the plain steps we take Newton steps on the dual problem, the highest separation n.w over unit n:
 *   points on one branch count as one, several branches as the constraints that they separate equally (an SQP step). Every step, of either
 *   kind, only ever adds a support point and a lower bound, so a bad one costs time and never the truth.
 * - Polytopes are first tried by a quick search without memory of directions and without a way out of slivers (run_quick); it begins with a point
 *   from the middle of each, which costs no support point. What it cannot prove is left to the long one.
 * - On polytopes all arithmetic is odd: with A and B exchanged every vector is exactly reversed, so the answer is mirrored bit for bit. Other
 *   pairs are put into one order by the caller (narrow/order.h).
 */
#include "narrow/gjk.h"

#include <float.h>

#include "core/inline.h"
#include "narrow/simplex.h"
#include "shape/support.h"

/* Support points after which we give up; tests require that none of their cases comes near. */
#define GJK_CAP 256

/* In units of 2^-53 of the size: bounds that are this close have met, cores this close touch. A point of B - A is rounded a few times (map,
 * difference, offset), each bound once more. */
#define GJK_FLOOR 2.0

/* Steps in pairs of doubles that may leave the distance as it was, to the last bit, before we believe that no more is to be had. */
#define GJK_STALLS 20

/* In floors: the gap that a stalled search may have and still count as converged: the support points' own rounding, seen from both sides. */
#define GJK_STALL_FLOORS 4.0

/* In floors: how far the nearest point may be from what its weights say, before its simplex is solved anew. */
#define GJK_SOUND 2.0

/* In floors: the same for a nearest point in pairs of doubles, which is right, and a lower bound that alternating support points keep low. */
#define GJK_STALL_APART 32.0

/* In floors: where no direction separates at all, a nearest point this near to the origin is it: parts within parts round several times. And
 * where moreover the best direction found neither separates nor overlaps beyond the floor: then it is the nearest point that stalls. */
#define GJK_STALL_TOUCH 16.0
#define GJK_STALL_LEVEL 128.0

/* In floors, likewise, with a user's own support function, whose rounding is not ours to know. */
#define GJK_STALL_CUSTOM 512.0

/* Lengths. Sizes outside are first scaled by a power of two: products of up to seven lengths occur. */
#define GJK_LARGEST 1e36
#define GJK_SMALLEST 1e-36
#define GJK_EXPONENT 1000

typedef struct search {
    const convex *a, *b;
    tact_vec3 offset; /* origin of B - origin of A */
    double floor;     /* a length: what rounding cannot tell from zero */
    double margins;   /* of both shapes: the accuracy is relative to what is left of the distance without them */
    /* The simplex. Its vertices stay in their slots; which are in use is one number, so that dropping some moves nothing. */
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
TACT_HOT int take_sample(search *s, tact_vec3 n)
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
TACT_HOT void keep(search *s, const simplex_answer *answer)
{
    unsigned mask = answer->mask;
    s->used = (mask & 1u) << s->slot[0] | (mask >> 1 & 1u) << s->slot[1] | (mask >> 2 & 1u) << s->slot[2] |
              (mask >> 3 & 1u) << s->slot[3];
    s->v = answer->v;
    s->vv = vec_square(answer->v);
}

TACT_HOT tact_vec3 asked(const search *s, int i) { return s->w[s->slot[i]]; }

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
TACT_HOT void add_vertex(search *s, int slot)
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
TACT_HOT bool has_vertex(const search *s, int slot, bool curved)
{
    unsigned same = 0;
    for (int i = 0; i < 4; i++)
        same |= (unsigned)(curved ? vec_equal(s->w[i], s->w[slot]) : s->branch[i] == s->branch[slot]) << i;
    return (same & s->used) != 0;
}

/* ---- the Newton step on curved shapes --------------------------------------------------------------------------------------- */

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

/* e^t h f for a symmetric matrix h = {xx, yy, zz, xy, xz, yz}. */
static double bilinear(const double h[6], tact_vec3 e, tact_vec3 f)
{
    return vec_dot(e, vec_make(h[0] * f.x + h[3] * f.y + h[4] * f.z, h[3] * f.x + h[1] * f.y + h[5] * f.z,
                               h[4] * f.x + h[5] * f.y + h[2] * f.z));
}

/* The separation along n + y (y in the tangent plane) as seen from a branch: w.(n + y) - (y + d)^t P (y + d)/2 with d = n - aim. */
static void model_branch(const search *s, tact_vec3 n, tact_vec3 e, tact_vec3 f, branch_model *m)
{
    double h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, h_b[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_convex_curvature(s->a, m->aim, h);
    tact_convex_curvature(s->b, vec_negate(m->aim), h_b);
    for (int i = 0; i < 6; i++)
        h[i] += h_b[i]; /* one sum, the same whichever is called A */
    m->pxx = bilinear(h, e, e);
    m->pxy = bilinear(h, e, f);
    m->pyy = bilinear(h, f, f);
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
    vec_tangents(n, &e, &f);
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
    *better = vec_unit(vec_along(vec_along(n, x, e), y, f));
    return true;
}

/* ---- the search --------------------------------------------------------------------------------------------------------------- */

typedef struct goal {
    double accuracy; /* relative; of the distance */
    double enough;   /* a distance: beyond it only the fact matters */
    bool decide;     /* only whether the distance is beyond `enough` */
    bool simplex;    /* on GJK_TOUCH the simplex is wanted, of support points only */
} goal;

/* The points of A and B that the nearest point v stands for. */
static inline void witness(const search *s, tact_vec3 *pa, tact_vec3 *pb)
{
    *pa = *pb = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->asked; i++) {
        int slot = s->slot[i];
        if (s->used >> slot & 1u) {
            *pa = vec_along(*pa, s->weight[i], s->pa[slot]);
            *pb = vec_along(*pb, s->weight[i], s->pb[slot]);
        }
    }
}

/* How the bounds stand to each other. */
typedef enum standing {
    BOUNDS_OPEN, /* there is still something to gain */
    BOUNDS_MET,  /* as near as is wanted, or as rounding allows */
    BOUNDS_CROSS /* the upper one is below the lower one: the simplex was solved with too few digits */
} standing;

/* From the gap between upper and lower bound and what it may be. */
static inline standing stand(double gap, double allowed)
{
    return gap > allowed ? BOUNDS_OPEN : gap >= -allowed ? BOUNDS_MET : BOUNDS_CROSS;
}

/* Whether the nearest point is what its weights say and above the lower bound. Slivers can break this; then the simplex is solved again in
 * pairs of doubles, as from now on, and what was concluded from v must be looked at anew. */
static bool sound(search *s, standing bounds)
{
    tact_vec3 pa, pb;
    if (s->refined)
        return true;
    witness(s, &pa, &pb);
    if (bounds != BOUNDS_CROSS &&
        vec_largest(vec_sub(vec_add(vec_sub(pb, pa), s->offset), s->v)) <= GJK_SOUND * s->floor)
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
    result->normal = apart ? vec_unit(s->best) : vec_make(0.0, 0.0, 0.0);
    /* The direction that proved the lower bound, unless the points, where they are known better than it, do not lie along it. */
    if (end == GJK_APART && vec_largest(vec_along(s->v, -result->upper, result->normal)) > GJK_SOUND * s->floor)
        result->normal = vec_unit(s->v);
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
    result->normal = result->on_a = result->on_b = zero;
    result->count = 0;
}

/* A simplex of the one point in a slot. */
TACT_HOT void begin(search *s, int slot)
{
    s->used = 1u << slot;
    s->slot[0] = slot;
    s->weight[0] = 1.0;
    s->asked = 1;
    s->v = s->w[slot];
    s->vv = vec_square(s->v);
}

/* After a step that brought nothing, in pairs of doubles too: what is known is all that can be known. */
TACT_COLD void finish_stalled(search *s, const goal *want, bool decide, int iterations, gjk *result)
{
    double upper = sqrt(s->vv);
    bool custom = s->a->shape->custom || s->b->shape->custom;
    double floors = custom ? GJK_STALL_CUSTOM : GJK_STALL_FLOORS;
    double level = fabs(s->height) <= s->floor ? GJK_STALL_LEVEL : GJK_STALL_TOUCH;
    if (upper <= (s->height > s->floor ? floors : fmax(floors, level)) * s->floor)
        finish(s, GJK_TOUCH, iterations, result);
    else if (decide)
        finish(s, s->height > want->enough ? GJK_BEYOND : GJK_WITHIN, iterations, result);
    else if (upper - s->height <= fmax(floors, GJK_STALL_APART) * s->floor + want->accuracy * fabs(upper - s->margins))
        finish(s, GJK_APART, iterations, result);
    else
        finish(s, GJK_NOT_CONVERGED, iterations, result);
}

/* The highest separation as a number, from the form that the polytopes' search keeps. */
static inline void divide_height(search *s)
{
    s->height = s->height > 0.0 ? s->height / sqrt(s->height_nn) : 0.0;
    s->height_nn = 1.0;
}

/* The search on two polytopes: plain GJK, without a division or square root a step. `enough` is at least the rounding floor; `decide`, a constant
 * at each call, says that only the side of `enough` matters. */
static void run_flat(search *s, const goal *want, double enough, bool decide, tact_vec3 axis, gjk *result)
{
    const double floor_square = s->floor * s->floor, enough_square = enough * enough;
    tact_vec3 n = axis;
    double nn = vec_square(n);
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
            /* Rounding. Solve the simplex to twice the digits; if it was so already, the nearest point may still turn by less than its length
             * can show; only when that does not help either is the support point at fault, by no more than its own rounding. */
            if (s->refined && (repeated || ++stalls > GJK_STALLS)) {
                divide_height(s);
                finish_stalled(s, want, decide, iterations, result);
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
        if (decide && s->vv <= want->enough * want->enough && sound(s, BOUNDS_MET)) {
            divide_height(s);
            finish(s, GJK_WITHIN, iterations, result);
            return;
        }
        if (iterations >= GJK_CAP) {
            divide_height(s);
            finish(s, GJK_NOT_CONVERGED, iterations, result);
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
                    n = vec_unit(s->v);
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
            if (s->refined && (repeated || ++stalls > GJK_STALLS)) {
                finish_stalled(s, want, want->decide, iterations, result);
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
        if (want->decide && s->vv <= want->enough * want->enough && sound(s, BOUNDS_MET)) {
            finish(s, GJK_WITHIN, iterations, result);
            return;
        }
        if (iterations >= GJK_CAP) {
            finish(s, GJK_NOT_CONVERGED, iterations, result);
            return;
        }
        /* The next direction: Newton's every other time, and as long as it serves. */
        double gap = sqrt(s->vv) - s->height;
        bool served = newton && gap < 0.25 * last_gap;
        last_gap = gap;
        newton = (!newton || served) && newton_direction(s, &n);
        if (!newton)
            n = vec_unit(s->v);
    }
}

static inline bool is_zero(tact_vec3 a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }

/* ---- the quick search on polytopes ---------------------------------------------------------------------------------------------- */

/* Support points that the quick search takes; pairs of 200 corners near touch need 7 on average. */
#define QUICK_CAP 24

/* The simplex of the quick search: up to three of its samples, and the nearest point of these to the origin. */
typedef struct quick {
    gjk_vertex sample[QUICK_CAP + 1];
    int at[4]; /* the samples in use, the newest last */
    int count;
    double weight[4]; /* of those */
    tact_vec3 v;
    double vv; /* |v|^2 */
} quick;

/* The points of A and B that v stands for; whether v is what its weights say. */
TACT_HOT bool quick_witness(const quick *s, const double *weight, int count, tact_vec3 offset, tact_vec3 v,
                            double floor, gjk *result)
{
    const gjk_vertex *vertex = &s->sample[s->at[0]];
    tact_vec3 pa = vec_scale(vertex->a, weight[0]), pb = vec_scale(vertex->b, weight[0]);
    for (int i = 1; i < count; i++) {
        vertex = &s->sample[s->at[i]];
        pa = vec_along(pa, weight[i], vertex->a);
        pb = vec_along(pb, weight[i], vertex->b);
    }
    result->on_a = pa;
    result->on_b = pb;
    result->count = count;
    return vec_largest(vec_sub(vec_add(vec_sub(pb, pa), offset), v)) <= GJK_SOUND * floor;
}

/* Adds sample k to a simplex of one. False here and below: the new point seems not to be needed, which only rounding can bring about. */
TACT_HOT bool quick_two(quick *s, int k)
{
    tact_vec3 w = s->sample[k].w, step = vec_sub(s->sample[s->at[0]].w, w);
    double along = -vec_dot(step, w), square = vec_square(step);
    if (!(along < square))
        return false;
    if (along <= 0.0) {
        s->v = w;
        s->at[0] = k;
        s->weight[0] = 1.0;
        return true;
    }
    double t = along / square;
    s->v = simplex_foot(w, step, square, t);
    s->at[1] = k;
    s->weight[0] = t;
    s->weight[1] = 1.0 - t;
    s->count = 2;
    return true;
}

/* Keeps of the first two (bits 0 and 1) and of sample k (bit 2) what is needed; their weights are in place. */
TACT_HOT bool quick_keep(quick *s, unsigned mask, int k)
{
    if (!(mask & 4u))
        return false;
    if (mask == 7u) {
        s->at[2] = k;
        s->count = 3;
    } else if (mask == 4u) {
        s->at[0] = k;
        s->weight[0] = 1.0;
        s->count = 1;
    } else {
        s->at[0] = mask & 1u ? s->at[0] : s->at[1];
        s->at[1] = k;
        s->weight[0] = mask & 1u ? s->weight[0] : s->weight[1];
        s->weight[1] = s->weight[2];
        s->count = 2;
    }
    return true;
}

TACT_HOT bool quick_three(quick *s, int k)
{
    tact_vec3 p = s->sample[s->at[0]].w, q = s->sample[s->at[1]].w, w = s->sample[k].w;
    return quick_keep(s, simplex_triangle(p, q, w, vec_cross(vec_sub(p, w), vec_sub(q, w)), &s->v, s->weight), k);
}

/* Of the three before, the answer for four needs at most two. */
TACT_HOT bool quick_four(quick *s, const simplex_answer *answer, int k)
{
    /* by the three bits of the mask: the two that come first, those needed before others; and their bits then */
    static const struct {
        uint8_t first, second, bits;
    } order[8] = {{0, 1, 0}, {0, 1, 1}, {1, 0, 1}, {0, 1, 3}, {2, 0, 1}, {0, 2, 3}, {1, 2, 3}, {0, 1, 3}};
    unsigned needed = answer->mask & 7u, first = order[needed].first, second = order[needed].second;
    int at_first = s->at[first], at_second = s->at[second];
    s->v = answer->v;
    s->weight[0] = answer->weight[first];
    s->weight[1] = answer->weight[second];
    s->weight[2] = answer->weight[3];
    s->at[0] = at_first;
    s->at[1] = at_second;
    return quick_keep(s, order[needed].bits | (answer->mask >> 3) << 2, k);
}

/* The search on two polytopes as long as all goes well: the distance shrinks, the bounds meet, or the origin is clearly inside. Otherwise it
 * returns false, and the long search begins anew; what it does answer is proved in the same way. It begins with a point from the middle of each
 * shape, which costs nothing and often spares the sample behind the origin, unless the simplex is wanted. `decide` is a constant at each call. */
TACT_HOT bool run_quick(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want,
                        double enough, bool decide, tact_vec3 axis, gjk *result)
{
    quick s; /* of 2 kB few count: not zeroed */
    const double floor_square = floor * floor, enough_square = enough * enough, margins = a->margin + b->margin;
    tact_vec3 n = axis;
    for (int i = 0; i < 4; i++) {
        s.at[i] = 0;
        s.weight[i] = 1.0;
    }
    s.v = vec_make(0.0, 0.0, 0.0);
    if (!want->simplex) {
        s.sample[0].a = convex_middle(a);
        s.sample[0].b = convex_middle(b);
        s.sample[0].w = s.v = vec_add(vec_sub(s.sample[0].b, s.sample[0].a), offset);
        s.vv = vec_square(s.v);
        s.count = 1;
        if (!(s.vv > floor_square))
            return false;
        n = is_zero(axis) ? s.v : axis;
    } else {
        s.vv = INFINITY;
        s.count = 0;
        n = is_zero(axis) ? offset : axis;
        if (is_zero(n))
            return false;
    }
    double nn = vec_square(n);
    for (int k = 1; k <= QUICK_CAP; k++) {
        tact_vec3 pa = polytope_support(a, n), pb = polytope_support(b, vec_negate(n));
        tact_vec3 w = vec_add(vec_sub(pb, pa), offset);
        s.sample[k] = (gjk_vertex){w, pa, pb};
        double nw = vec_dot(n, w);
        result->iterations = k;
        if (nw > 0.0 && nw * nw > enough_square * nn) {
            if (k == 1) {
                s.at[0] = 1;
                s.count = 1;
            }
            (void)quick_witness(&s, s.weight, s.count, offset, s.v, floor, result);
            result->end = GJK_BEYOND;
            result->lower = nw / sqrt(nn);
            result->upper = vec_length(vec_add(vec_sub(result->on_b, result->on_a), offset));
            result->normal = vec_unit(n);
            return true;
        }
        if (!decide && k > 1) {
            /* as in run_flat */
            double gap = nn - nw, allowed = want->accuracy * (margins > 0.0 ? fabs(nn - margins * sqrt(nn)) : nn);
            standing bounds = gap * gap <= floor_square * nn ? BOUNDS_MET : stand(gap, allowed);
            if (bounds != BOUNDS_OPEN) {
                double length = sqrt(nn), inverse = 1.0 / length;
                result->end = GJK_APART;
                result->upper = length;
                result->lower = nw * inverse;
                result->normal = vec_scale(s.v, inverse);
                return bounds == BOUNDS_MET && nw > 0.0 &&
                       quick_witness(&s, s.weight, s.count, offset, s.v, floor, result);
            }
        }
        double before = s.vv;
        bool well = true;
        if (s.count == 0) {
            s.v = w;
            s.at[0] = k;
            s.count = 1;
        } else if (s.count == 1) {
            well = quick_two(&s, k);
        } else if (s.count == 2) {
            well = quick_three(&s, k);
        } else {
            simplex_answer answer;
            simplex_four(s.sample[s.at[0]].w, s.sample[s.at[1]].w, s.sample[s.at[2]].w, w, &answer);
            if (answer.mask == 15) {
                s.at[3] = k;
                for (int i = 0; i < 4 && want->simplex; i++) {
                    result->simplex[i] = s.sample[s.at[i]];
                    result->weight[i] = answer.weight[i];
                }
                result->end = GJK_TOUCH;
                result->lower = result->upper = 0.0;
                result->normal = vec_make(0.0, 0.0, 0.0);
                return answer.sure && quick_witness(&s, answer.weight, 4, offset, answer.v, floor, result);
            }
            well = quick_four(&s, &answer, k);
        }
        s.vv = vec_square(s.v);
        if (!(well && s.vv < before && s.vv > floor_square))
            return false;
        if (decide && s.vv <= want->enough * want->enough) {
            result->end = GJK_WITHIN;
            result->upper = sqrt(s.vv);
            result->lower = 0.0;
            result->normal = vec_make(0.0, 0.0, 0.0);
            return quick_witness(&s, s.weight, s.count, offset, s.v, floor, result);
        }
        n = s.v;
        nn = s.vv;
    }
    return false;
}

static bool run_quick_distance(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want,
                               double enough, tact_vec3 axis, gjk *result)
{
    return run_quick(a, b, offset, floor, want, enough, false, axis, result);
}

static bool run_quick_decide(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want,
                             double enough, tact_vec3 axis, gjk *result)
{
    return run_quick(a, b, offset, floor, want, enough, true, axis, result);
}

/* All but the quick cases. */
static void run_long(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want, double enough,
                     tact_vec3 axis, gjk *result)
{
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
        run_curved(&s, want, enough, vec_unit(axis), result);
    }
}

TACT_HOT void start(const convex *a, const convex *b, tact_vec3 offset, double size, const goal *want, tact_vec3 axis,
                    gjk *result)
{
    double floor = GJK_FLOOR * 0.5 * DBL_EPSILON * size, enough = want->enough > floor ? want->enough : floor;
    bool flat = a->kind <= CONVEX_HULL && b->kind <= CONVEX_HULL; /* polytopes */
    if (!flat || !(want->decide ? run_quick_decide(a, b, offset, floor, want, enough, axis, result)
                                : run_quick_distance(a, b, offset, floor, want, enough, axis, result))) {
        if (is_zero(axis))
            axis = is_zero(offset) ? vec_make(1.0, 0.0, 0.0) : offset;
        run_long(a, b, offset, floor, want, enough, axis, result);
    }
}

/* Sizes for which no product of lengths in here over- or underflows in a way that matters. */
static bool in_range(double size) { return size < GJK_LARGEST && size > GJK_SMALLEST; }

/* Brings other sizes into range by a power of two, exactly, and scales the answer back. */
TACT_COLD void start_scaled(const convex *a, const convex *b, double size, const goal *want, tact_vec3 axis,
                            gjk *result)
{
    convex scaled_a = *a, scaled_b = *b;
    goal scaled = *want;
    int exponent = 0;
    (void)frexp(size, &exponent);
    exponent = exponent < -GJK_EXPONENT ? -GJK_EXPONENT : exponent; /* 2^-exponent is to be finite */
    scaled_b.at.origin = vec_sub(b->at.origin, a->at.origin);
    scaled_a.at.origin = vec_make(0.0, 0.0, 0.0);
    tact_convex_scale(&scaled_a, -exponent);
    tact_convex_scale(&scaled_b, -exponent);
    scaled.enough = ldexp(want->enough, -exponent);
    start(&scaled_a, &scaled_b, scaled_b.at.origin, ldexp(size, -exponent), &scaled, axis, result);
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
    tact_vec3 offset = vec_sub(b->at.origin, a->at.origin);
    double size = a->reach + b->reach + vec_largest(offset);
    if (!is_zero(axis) && !in_range(vec_largest(axis)))
        axis = vec_largest(axis) < INFINITY ? vec_unit(axis) : vec_make(0.0, 0.0, 0.0);
    if (in_range(size) || !(size > 0.0))
        start(a, b, offset, size, want, axis, result);
    else
        start_scaled(a, b, size, want, axis, result);
    result->on_a = vec_add(result->on_a, a->at.origin);
    result->on_b = vec_add(result->on_b, b->at.origin);
}

void tact_gjk(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis, gjk *result)
{
    goal want = {accuracy, enough, false, true};
    search_for(a, b, &want, axis, result);
}

void tact_gjk_distance(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis, gjk *result)
{
    goal want = {accuracy, enough, false, false};
    search_for(a, b, &want, axis, result);
}

void tact_gjk_within(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk *result)
{
    goal want = {0.0, limit, true, false};
    search_for(a, b, &want, axis, result);
}
