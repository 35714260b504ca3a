/*
 * A quick search for the nearest points of two bodies, in long double; the certificate is the same as the solver's.
 *
 * Guarantees nothing but what it proves: `low` is the separation along a direction by the bodies' own extents, `high`
 * the length between two convex combinations of points of the bodies. The caller uses the solver when that
 * is not sharp. Costs microseconds, where the solver takes a millisecond.
 *
 * Two methods take turns on the difference B - A. Wolfe's "Finding the nearest point in a polytope" (1976) keeps a few
 * corners whose hull holds the nearest point seen, and ends after finitely many steps on polytopes. On curved bodies
 * it only creeps, so that once it has found which leaves matter, Newton's method solves for direction and weights at
 * once: each corner becomes the sum of leaves that made it, g_j(n), and what is wanted is
 *     sum_j mu_j g_j(n) = t n,   sum_j mu_j = 1,   n.g_j(n) = s for all j,   |n| = 1.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "oracle.h"

#define MOST_LEAVES 24
#define MOST_CORNERS 5
#define MOST_UNKNOWNS (MOST_CORNERS + 5)

/* Rounding of the certificates, in units of the size of the data: as for the solver. */
static const real certificate_rounding = 16 * LDBL_EPSILON;

/* Steps of Wolfe's method: polytopes of our size need 5 to 20. */
static const int most_steps = 48;

/* Newton's steps at a time; it doubles the digits each time or is not going to. */
static const int most_newton_steps = 7;

/* A step of the direction after which the next is below long double, as each squares the error. */
static const real newton_done = 3e-11L;

/* Steps of Wolfe's method between two tries of Newton's, and before the first while nothing separates. */
static const int newton_pause = 2, newton_patience = 5;

/* Two edges of the corral whose sine is less than this count as parallel: one of them is dropped. */
static const real dependent = 1e-16L;

typedef struct corner {
    int leaves, from_a;    /* how many leaves made it, and how many of them are A's, which come first */
    int leaf[MOST_LEAVES]; /* their nodes */
    real a[3], b[3], w[3]; /* the points of A and of B relative to their origins, and B's less A's in the world */
    real weight;
} corner;

typedef struct hunt {
    const oracle_body *a, *b;
    real offset[3]; /* origin of B - origin of A */
    real scale, rounding, relative, absolute, enough;
    int corners;
    corner corner[MOST_CORNERS];
    real x[3]; /* the nearest point seen: the sum of the corners by weight */
    oracle_gap *gap;
} hunt;

/* ---- corners ---- */

/* Writes down the leaves in which the farthest point along n lies; returns how far that is. */
static real choose(const oracle_body *body, int node, const real n[3], corner *c)
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF) {
        if (c->leaves < MOST_LEAVES)
            c->leaf[c->leaves] = node;
        c->leaves++;
        real along = oracle_dot(o->p, n), square = 0;
        for (int k = 0; k < o->rank; k++) {
            real e = oracle_dot(o->axis[k], n);
            square += e * e;
        }
        return o->rank ? along + sqrtl(square) : along;
    }
    if (o->kind == ORACLE_SUM) {
        real total = 0;
        for (int k = o->child; k >= 0; k = body->nodes[k].next)
            total += choose(body, k, n, c);
        return total;
    }
    int before = c->leaves, kept = before;
    int keep[MOST_LEAVES];
    real best = 0;
    bool first = true;
    for (int k = o->child; k >= 0; k = body->nodes[k].next) {
        c->leaves = before;
        real h = choose(body, k, n, c);
        if (first || h > best) {
            best = h;
            kept = c->leaves;
            for (int i = before; i < kept && i < MOST_LEAVES; i++)
                keep[i] = c->leaf[i];
        }
        first = false;
    }
    for (int i = before; i < kept && i < MOST_LEAVES; i++)
        c->leaf[i] = keep[i];
    c->leaves = kept;
    return best;
}

/* The point of one leaf farthest along sign n. */
static void add_leaf(const oracle_node *o, real sign, const real n[3], real point[3])
{
    real e[3] = {0, 0, 0}, square = 0;
    for (int k = 0; k < o->rank; k++) {
        e[k] = oracle_dot(o->axis[k], n);
        square += e[k] * e[k];
    }
    real by = square > 0 ? sign / sqrtl(square) : 0;
    for (int i = 0; i < 3; i++) {
        point[i] += o->p[i];
        for (int k = 0; k < o->rank; k++)
            point[i] += o->axis[k][i] * (e[k] * by);
    }
}

/* The points of the corner's leaves along n. */
static void place(const hunt *h, corner *c, const real n[3])
{
    memset(c->a, 0, sizeof c->a);
    memset(c->b, 0, sizeof c->b);
    for (int k = 0; k < c->leaves; k++)
        if (k < c->from_a)
            add_leaf(&h->a->nodes[c->leaf[k]], 1, n, c->a);
        else
            add_leaf(&h->b->nodes[c->leaf[k]], -1, n, c->b);
    for (int i = 0; i < 3; i++)
        c->w[i] = (c->b[i] - c->a[i]) + h->offset[i];
}

static bool alike(const corner *p, const corner *q)
{
    return p->leaves == q->leaves && p->from_a == q->from_a &&
           memcmp(p->leaf, q->leaf, sizeof p->leaf[0] * (size_t)p->leaves) == 0;
}

/* ---- what is proved ---- */

static bool settled(const hunt *h)
{
    oracle_gap *gap = h->gap;
    real apart = fmaxl(gap->low - h->a->margin - h->b->margin, 0);
    gap->sharp = gap->high - gap->low <= h->relative * apart + h->absolute;
    return gap->sharp || gap->high <= h->enough;
}

/* The corner farthest against n, and with it a lower bound; false when it has too many leaves. */
static bool look_along(hunt *h, const real n[3], corner *c)
{
    oracle_gap *gap = h->gap;
    real back[3] = {-n[0], -n[1], -n[2]};
    c->leaves = 0;
    c->weight = 0;
    real reach = choose(h->a, h->a->root, n, c);
    c->from_a = c->leaves;
    reach += choose(h->b, h->b->root, back, c);
    real overlap = reach - oracle_dot(n, h->offset), low = -overlap - h->rounding;
    if (overlap < gap->overlap) {
        gap->overlap = overlap;
        memcpy(gap->best, n, sizeof gap->best);
    }
    if (low > gap->low) {
        gap->low = low;
        memcpy(gap->normal, n, sizeof gap->normal);
    }
    if (c->leaves > MOST_LEAVES)
        return false;
    place(h, c, n);
    return true;
}

/* Sums the corners up by weight, which are not negative and not all zero: an upper bound. */
static void sum_up(hunt *h)
{
    oracle_gap *gap = h->gap;
    real a[3] = {0, 0, 0}, b[3] = {0, 0, 0}, total = 0;
    for (int k = 0; k < h->corners; k++)
        total += h->corner[k].weight;
    for (int k = 0; k < h->corners; k++) {
        corner *c = &h->corner[k];
        c->weight /= total;
        for (int i = 0; i < 3; i++) {
            a[i] += c->weight * c->a[i];
            b[i] += c->weight * c->b[i];
        }
    }
    for (int i = 0; i < 3; i++)
        h->x[i] = (b[i] - a[i]) + h->offset[i];
    real high = sqrtl(oracle_dot(h->x, h->x)) + h->rounding;
    if (high < gap->high) {
        gap->high = high;
        memcpy(gap->on_a, a, sizeof a);
        memcpy(gap->on_b, b, sizeof b);
    }
}

/* ---- Wolfe's method ---- */

/* The weights, of any sign and sum 1, of the point nearest to the origin in the affine hull of the corners; by
 * Gram-Schmidt with the longest remainder first. What depends on the others gets weight 0. */
static void affine_weights(const hunt *h, real weight[MOST_CORNERS])
{
    int base = 0, count = h->corners, order[MOST_CORNERS], used = 0;
    for (int k = 1; k < count; k++)
        if (h->corner[k].weight > h->corner[base].weight)
            base = k;
    real edge[MOST_CORNERS][3], length[MOST_CORNERS], unit[3][3], upper[3][3], right[3], left[3];
    bool done[MOST_CORNERS] = {false};
    done[base] = true;
    for (int k = 0; k < count; k++) {
        weight[k] = 0;
        for (int i = 0; i < 3; i++)
            edge[k][i] = h->corner[k].w[i] - h->corner[base].w[i];
        length[k] = oracle_dot(edge[k], edge[k]);
    }
    for (int i = 0; i < 3; i++)
        left[i] = -h->corner[base].w[i];
    while (used < 3 && used < count - 1) {
        int best = -1;
        real most = 0;
        for (int k = 0; k < count; k++) {
            real rest = oracle_dot(edge[k], edge[k]);
            if (!done[k] && rest > most && rest > dependent * dependent * length[k]) {
                most = rest;
                best = k;
            }
        }
        if (best < 0)
            break;
        done[best] = true;
        order[used] = best;
        real size = sqrtl(most);
        for (int i = 0; i < 3; i++)
            unit[used][i] = edge[best][i] / size;
        for (int j = 0; j < used; j++) { /* what was lost of orthogonality, once more */
            real again = oracle_dot(unit[used], unit[j]);
            for (int i = 0; i < 3; i++)
                unit[used][i] -= again * unit[j][i];
            real whole[3];
            for (int i = 0; i < 3; i++)
                whole[i] = h->corner[best].w[i] - h->corner[base].w[i];
            upper[j][used] = oracle_dot(whole, unit[j]);
        }
        upper[used][used] = size;
        right[used] = oracle_dot(left, unit[used]);
        for (int i = 0; i < 3; i++)
            left[i] -= right[used] * unit[used][i];
        for (int k = 0; k < count; k++)
            if (!done[k]) {
                real along = oracle_dot(edge[k], unit[used]);
                for (int i = 0; i < 3; i++)
                    edge[k][i] -= along * unit[used][i];
            }
        used++;
    }
    real total = 0;
    for (int j = used - 1; j >= 0; j--) {
        real sum = right[j];
        for (int k = j + 1; k < used; k++)
            sum -= upper[j][k] * weight[order[k]];
        weight[order[j]] = sum / upper[j][j];
        total += weight[order[j]];
    }
    weight[base] = 1 - total;
}

static void drop(hunt *h, int which) { h->corner[which] = h->corner[--h->corners]; }

/* From the corners' weights, all of them positive but perhaps the last, to those of the nearest point of their hull;
 * corners that it does not need are dropped. */
static void contract(hunt *h)
{
    for (int round = 0; round < 2 * MOST_CORNERS && h->corners > 1; round++) {
        real weight[MOST_CORNERS], reach = 1;
        int stop = -1;
        affine_weights(h, weight);
        for (int k = 0; k < h->corners; k++) {
            real from = h->corner[k].weight, to = weight[k];
            if (!(to > 0)) {
                real part = from > 0 ? from / (from - to) : 0;
                if (stop < 0 || part < reach) {
                    reach = part;
                    stop = k;
                }
            }
        }
        if (stop < 0) {
            for (int k = 0; k < h->corners; k++)
                h->corner[k].weight = weight[k];
            break;
        }
        for (int k = 0; k < h->corners; k++)
            h->corner[k].weight = fmaxl(h->corner[k].weight + reach * (weight[k] - h->corner[k].weight), 0);
        drop(h, stop);
    }
    sum_up(h);
}

static void add_corner(hunt *h, const corner *c)
{
    if (h->corners == MOST_CORNERS) { /* more than span the space: rounding; the least of them goes */
        int least = 0;
        for (int k = 1; k < h->corners; k++)
            if (h->corner[k].weight < h->corner[least].weight)
                least = k;
        drop(h, least);
    }
    h->corner[h->corners++] = *c;
}

/* ---- Newton's method ---- */

/* Gauss with row exchanges; an unknown that nothing determines stays 0. */
static void eliminate(real m[MOST_UNKNOWNS][MOST_UNKNOWNS + 1], int size, real *answer)
{
    bool lost[MOST_UNKNOWNS] = {false};
    for (int c = 0; c < size; c++) {
        int best = c;
        for (int r = c + 1; r < size; r++)
            if (fabsl(m[r][c]) > fabsl(m[best][c]))
                best = r;
        if (!(fabsl(m[best][c]) > 1e-24L)) {
            lost[c] = true;
            continue;
        }
        for (int k = c; best != c && k <= size; k++) {
            real t = m[c][k];
            m[c][k] = m[best][k];
            m[best][k] = t;
        }
        for (int r = c + 1; r < size; r++) {
            real by = m[r][c] / m[c][c];
            if (by != 0)
                for (int k = c + 1; k <= size; k++)
                    m[r][k] -= by * m[c][k];
        }
    }
    for (int c = size - 1; c >= 0; c--) {
        real sum = m[c][size];
        for (int k = c + 1; k < size; k++)
            sum -= m[c][k] * answer[k];
        answer[c] = lost[c] ? 0 : sum / m[c][c];
    }
}

/* Adds the second derivative of the separation along n by one corner, times its weight, to m; false at a kink. */
static bool add_bend(const hunt *h, const corner *c, real weight, const real n[3],
                     real m[MOST_UNKNOWNS][MOST_UNKNOWNS + 1])
{
    for (int k = 0; k < c->leaves; k++) {
        const oracle_node *o = &(k < c->from_a ? h->a : h->b)->nodes[c->leaf[k]];
        if (!o->rank)
            continue;
        real along[3] = {0, 0, 0}, e[3] = {0, 0, 0}, square = 0;
        for (int r = 0; r < o->rank; r++) {
            along[r] = oracle_dot(o->axis[r], n);
            square += along[r] * along[r];
        }
        real length = sqrtl(square);
        if (!(length > 0))
            return false;
        for (int i = 0; i < 3; i++)
            for (int r = 0; r < o->rank; r++)
                e[i] += o->axis[r][i] * (along[r] / length);
        real by = weight / (length * h->scale);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                real bend = -e[i] * e[j];
                for (int r = 0; r < o->rank; r++)
                    bend += o->axis[r][i] * o->axis[r][j];
                m[i][j] -= by * bend;
            }
    }
    return true;
}

/* Solves for direction and weights at once, from the direction n and the corners' weights. Leaves the corners at the
 * direction found, which goes to n, when that brings the points closer together; else all stays as it was. */
static bool polish(hunt *h, real n[3])
{
    corner set[MOST_CORNERS];
    int count = 0;
    for (int k = 0; k < h->corners; k++) { /* corners of the same leaves become one */
        int same = 0;
        while (same < count && !alike(&set[same], &h->corner[k]))
            same++;
        if (same < count) {
            set[same].weight += h->corner[k].weight;
            continue;
        }
        set[count++] = h->corner[k];
    }
    real d[3] = {n[0], n[1], n[2]}, s = 0, t = 0, before = 0;
    for (int round = 0; round < most_newton_steps; round++) {
        real m[MOST_UNKNOWNS][MOST_UNKNOWNS + 1] = {{0}}, step[MOST_UNKNOWNS] = {0};
        /* unknowns: n (0 to 2), s (3), t (4), weights (5 on); lengths over scale */
        int size = 5 + count;
        real total = 0, sum[3] = {0, 0, 0}, worst = 0;
        for (int k = 0; k < count; k++) {
            place(h, &set[k], d);
            if (!add_bend(h, &set[k], set[k].weight, d, m))
                return false;
            total += set[k].weight;
            for (int i = 0; i < 3; i++)
                sum[i] += set[k].weight * set[k].w[i] / h->scale;
        }
        if (round == 0)
            s = t = oracle_dot(sum, d);
        for (int k = 0; k < count; k++) {
            for (int i = 0; i < 3; i++) {
                m[i][5 + k] = set[k].w[i] / h->scale;
                m[5 + k][i] = m[i][5 + k];
            }
            m[3][5 + k] = 1;
            m[5 + k][3] = -1;
            m[5 + k][size] = s - oracle_dot(set[k].w, d) / h->scale;
        }
        for (int i = 0; i < 3; i++) {
            m[i][i] -= t;
            m[i][4] = -d[i];
            m[4][i] = d[i];
            m[i][size] = t * d[i] - sum[i];
        }
        m[3][size] = 1 - total;
        m[4][size] = 0.5L * (1 - oracle_dot(d, d));
        eliminate(m, size, step);
        for (int i = 0; i < 3; i++)
            worst = fmaxl(worst, fabsl(step[i]));
        if (!(worst <= 2)) /* nowhere near, or not a number */
            return false;
        real part = worst > 0.25L ? 0.25L / worst : 1;
        for (int i = 0; i < 3; i++)
            d[i] += part * step[i];
        s += part * step[3];
        t += part * step[4];
        for (int k = 0; k < count; k++)
            set[k].weight += part * step[5 + k];
        if (!(oracle_normalize(d) > 0))
            return false;
        if (worst < newton_done || (round >= 2 && worst > 0.5L * before))
            break;
        before = worst;
    }
    hunt trial = *h;
    trial.corners = 0;
    for (int k = 0; k < count; k++)
        if (set[k].weight > 0) {
            place(h, &set[k], d);
            add_corner(&trial, &set[k]);
        }
    if (!trial.corners)
        return false;
    sum_up(&trial);
    memcpy(n, d, sizeof d);
    if (!(oracle_dot(trial.x, trial.x) < oracle_dot(h->x, h->x)))
        return true; /* still a direction worth testing */
    *h = trial;
    return true;
}

/* ---- the search ---- */

static real larger_abs(real a, real b) { return a > fabsl(b) ? a : fabsl(b); }

static void measure(hunt *h)
{
    real size = 0;
    const oracle_body *both[2] = {h->a, h->b};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < both[k]->count; i++) {
            const oracle_node *o = &both[k]->nodes[i];
            for (int j = 0; j < 3 && o->kind == ORACLE_LEAF; j++) {
                size = larger_abs(size, o->p[j]);
                for (int c = 0; c < o->rank; c++)
                    size = larger_abs(size, o->axis[c][j]);
            }
        }
    for (int j = 0; j < 3; j++) {
        h->offset[j] = h->b->origin[j] - h->a->origin[j];
        size = larger_abs(size, h->offset[j]);
    }
    int exponent = 0;
    (void)frexpl(size, &exponent);
    h->scale = size > 0 ? ldexpl(1, exponent) : 1;
    h->rounding = certificate_rounding * h->scale;
}

void oracle_distance_search(const oracle_body *a, const oracle_body *b, real relative, real absolute, real enough,
                            oracle_gap *gap)
{
    hunt h;
    corner fresh;
    memset(gap, 0, sizeof *gap);
    gap->high = gap->overlap = HUGE_VALL;
    h.a = a;
    h.b = b;
    h.gap = gap;
    h.corners = 0;
    measure(&h);
    h.enough = enough;
    h.relative = relative;
    h.absolute = fmaxl(absolute, 4 * h.rounding);
    real n[3] = {h.offset[0], h.offset[1], h.offset[2]};
    if (!(oracle_normalize(n) > 0))
        n[0] = 1;
    if (!look_along(&h, n, &fresh))
        return;
    fresh.weight = 1;
    add_corner(&h, &fresh);
    sum_up(&h);
    int next_polish = 0;
    for (gap->iterations = 1; gap->iterations < most_steps && !settled(&h); gap->iterations++) {
        memcpy(n, h.x, sizeof n);
        if (!(oracle_normalize(n) > 0) || !look_along(&h, n, &fresh) || settled(&h))
            break;
        bool known = false;
        for (int k = 0; k < h.corners; k++)
            known = known || alike(&h.corner[k], &fresh);
        if (known &&
            gap->iterations >= (gap->low > 0
                                    ? next_polish
                                    : newton_patience + next_polish)) { /* nothing new but by curvature and rounding */
            next_polish = gap->iterations + newton_pause;
            if (polish(&h, n)) {
                if (settled(&h) || !look_along(&h, n, &fresh) || settled(&h))
                    break;
            }
        }
        fresh.weight = 0;
        add_corner(&h, &fresh);
        contract(&h);
    }
}
