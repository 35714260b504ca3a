/*
 * The quick search on polytopes: GJK without memory of directions and without a way out of slivers.
 */
#include "narrow/quick.h"

#include "core/inline.h"
#include "narrow/simplex.h"
#include "narrow/support.h"

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

bool tact_quick(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want, double enough,
                tact_vec3 axis, gjk *result)
{
    return want->decide ? run_quick_decide(a, b, offset, floor, want, enough, axis, result)
                        : run_quick_distance(a, b, offset, floor, want, enough, axis, result);
}
