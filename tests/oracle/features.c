/*
 * The distance of two polytopes by brute force: the nearest points are those of a corner and a triangle, or of two
 * segments, among all triangles and segments that corners span (those inside the hulls are too many but do no harm).
 * The best pairs are found in long double and settled in quadruple precision, so that the direction between them is
 * right to the last digits even when they nearly touch; that direction then proves the lower bound. O(n^4), no solver.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "oracle.h"

__extension__ typedef __float128 quad;

#define MOST_CORNERS 16

/* Everything within this of the best, relative to the size, is settled again in quadruple precision. */
static const real contender = 1e-12L;

typedef struct corners {
    int count;
    real p[MOST_CORNERS][3];
} corners;

static bool list_corners(const oracle_body *body, corners *c, real *scale)
{
    const oracle_node *root = &body->nodes[body->root];
    c->count = 0;
    for (int n = root->kind == ORACLE_LEAF ? body->root : root->child; n >= 0; n = body->nodes[n].next) {
        const oracle_node *o = &body->nodes[n];
        if (o->kind != ORACLE_LEAF || o->rank || root->kind == ORACLE_SUM || c->count == MOST_CORNERS)
            return false;
        for (int i = 0; i < 3; i++)
            *scale = fmaxl(*scale, fabsl(o->p[i]));
        memcpy(c->p[c->count++], o->p, sizeof o->p);
    }
    return true;
}

static quad dot(const quad a[3], const quad b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* A feature pair: v(s, t) = base + s e + t f, nearest to the origin over a square (segments) or a triangle. */
typedef struct feature {
    int kind; /* 0: corner of A and triangle of B; 1: triangle of A and corner of B; 2: two segments */
    int i, j, k, l;
} feature;

typedef struct search {
    corners a, b;
    real offset[3];
    real best;
    real scale;
} search;

/* v(s,t) of a feature pair is base + s e + t f, as B minus A. */
static void span(const search *q, feature w, real base[3], real e[3], real f[3])
{
    for (int c = 0; c < 3; c++) {
        real o = q->offset[c];
        if (w.kind == 0) {
            base[c] = (q->b.p[w.j][c] - q->a.p[w.i][c]) + o;
            e[c] = q->b.p[w.k][c] - q->b.p[w.j][c];
            f[c] = q->b.p[w.l][c] - q->b.p[w.j][c];
        } else if (w.kind == 1) {
            base[c] = (q->b.p[w.i][c] - q->a.p[w.j][c]) + o;
            e[c] = q->a.p[w.j][c] - q->a.p[w.k][c];
            f[c] = q->a.p[w.j][c] - q->a.p[w.l][c];
        } else {
            base[c] = (q->b.p[w.k][c] - q->a.p[w.i][c]) + o;
            e[c] = q->a.p[w.i][c] - q->a.p[w.j][c];
            f[c] = q->b.p[w.l][c] - q->b.p[w.k][c];
        }
    }
}

/* The least |base + s e + t f| where the minimum lies strictly inside or on an edge of the domain, by trying all. Each
 * try is clamped into the domain, so every one is a point of the pair. */
static quad nearest(const real base[3], const real e[3], const real f[3], bool triangle, quad *s_best, quad *t_best)
{
    quad b[3], u[3], w[3];
    for (int i = 0; i < 3; i++) {
        b[i] = base[i];
        u[i] = e[i];
        w[i] = f[i];
    }
    quad uu = dot(u, u), uw = dot(u, w), ww = dot(w, w), bu = dot(b, u), bw = dot(b, w), best = -1;
    quad det = uu * ww - uw * uw;
    quad diagonal = uu - 2 * uw + ww;
    quad tries[5][2] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    if (det > 0) {
        tries[0][0] = (uw * bw - ww * bu) / det;
        tries[0][1] = (uw * bu - uu * bw) / det;
    }
    tries[1][0] = uu > 0 ? -bu / uu : 0; /* t = 0 */
    tries[2][1] = ww > 0 ? -bw / ww : 0; /* s = 0 */
    if (triangle) {                      /* s + t = 1 */
        quad t = diagonal > 0 ? (uu - uw + bu - bw) / diagonal : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        tries[3][0] = 1 - t;
        tries[3][1] = t;
    } else {
        tries[3][0] = uu > 0 ? -(bu + uw) / uu : 0; /* t = 1 */
        tries[3][1] = 1;
        tries[4][0] = 1; /* s = 1 */
        tries[4][1] = ww > 0 ? -(bw + uw) / ww : 0;
    }
    for (int k = 0; k < 5; k++) {
        quad s = tries[k][0], t = tries[k][1];
        s = s < 0 ? 0 : s > 1 ? 1 : s;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        if (triangle && s + t > 1)
            continue;
        quad v[3];
        for (int i = 0; i < 3; i++)
            v[i] = b[i] + s * u[i] + t * w[i];
        quad square = dot(v, v);
        if (best < 0 || square < best) {
            best = square;
            *s_best = s;
            *t_best = t;
        }
    }
    return best;
}

/* The same in long double, for the square alone. */
static real nearest_quick(const real b[3], const real u[3], const real w[3], bool triangle)
{
    real uu = oracle_dot(u, u), uw = oracle_dot(u, w), ww = oracle_dot(w, w), bu = oracle_dot(b, u),
         bw = oracle_dot(b, w);
    real det = uu * ww - uw * uw, best = HUGE_VALL, t = 0;
    real tries[5][2] = {{0}};
    if (det > 0) {
        tries[0][0] = (uw * bw - ww * bu) / det;
        tries[0][1] = (uw * bu - uu * bw) / det;
    }
    tries[1][0] = uu > 0 ? -bu / uu : 0;
    tries[2][1] = ww > 0 ? -bw / ww : 0;
    if (triangle) {
        real diagonal = uu - 2 * uw + ww;
        t = diagonal > 0 ? (uu - uw + bu - bw) / diagonal : 0;
        t = fminl(fmaxl(t, 0), 1);
        tries[3][0] = 1 - t;
        tries[3][1] = t;
    } else {
        tries[3][0] = uu > 0 ? -(bu + uw) / uu : 0;
        tries[3][1] = 1;
        tries[4][0] = 1;
        tries[4][1] = ww > 0 ? -(bw + uw) / ww : 0;
    }
    for (int k = 0; k < 5; k++) {
        real s = fminl(fmaxl(tries[k][0], 0), 1);
        t = fminl(fmaxl(tries[k][1], 0), 1);
        if (triangle && s + t > 1)
            continue;
        real v[3];
        for (int i = 0; i < 3; i++)
            v[i] = b[i] + s * u[i] + t * w[i];
        best = fminl(best, oracle_dot(v, v));
    }
    return best;
}

/* Calls back for every feature pair; a body with few corners has degenerate triangles and segments instead. */
static void walk(search *q, void visit(search *, feature, void *), void *context)
{
    for (int side = 0; side < 2; side++) {
        const corners *one = side ? &q->b : &q->a, *other = side ? &q->a : &q->b;
        for (int i = 0; i < one->count; i++)
            for (int j = 0; j < other->count; j++)
                for (int k = j + (other->count > 1); k < other->count; k++)
                    for (int l = k + (other->count > 2); l < other->count; l++)
                        visit(q, (feature){side, i, j, k, l}, context);
    }
    for (int i = 0; i < q->a.count; i++)
        for (int j = i + (q->a.count > 1); j < q->a.count; j++)
            for (int k = 0; k < q->b.count; k++)
                for (int l = k + (q->b.count > 1); l < q->b.count; l++)
                    visit(q, (feature){2, i, j, k, l}, context);
}

static void measure(search *q, feature w, void *context)
{
    (void)context;
    real base[3], e[3], f[3];
    span(q, w, base, e, f);
    q->best = fminl(q->best, sqrtl(nearest_quick(base, e, f, w.kind < 2)));
}

typedef struct settling {
    const oracle_body *a, *b;
    oracle_gap *gap;
    real threshold, rounding;
} settling;

static void settle(search *q, feature w, void *context)
{
    settling *c = context;
    oracle_gap *gap = c->gap;
    real base[3], e[3], f[3];
    span(q, w, base, e, f);
    if (sqrtl(nearest_quick(base, e, f, w.kind < 2)) > c->threshold)
        return;
    quad s = 0, t = 0, v[3];
    quad square = nearest(base, e, f, w.kind < 2, &s, &t);
    real high = sqrtl((real)square) + c->rounding, n[3];
    for (int i = 0; i < 3; i++)
        v[i] = base[i] + s * (quad)e[i] + t * (quad)f[i];
    if (high < gap->high) {
        gap->high = high;
        for (int i = 0; i < 3; i++) {
            quad a = q->a.p[w.kind == 1 ? w.j : w.i][i];
            if (w.kind == 1)
                a -= s * (quad)e[i] + t * (quad)f[i];
            if (w.kind == 2)
                a -= s * (quad)e[i];
            gap->on_a[i] = (real)a;
            gap->on_b[i] = (real)(a + v[i] - q->offset[i]);
        }
    }
    for (int i = 0; i < 3; i++)
        n[i] = (real)v[i];
    if (!(oracle_normalize(n) > 0))
        return;
    real overlap = oracle_overlap_along(c->a, c->b, n), low = -overlap - c->rounding;
    if (overlap < gap->overlap) {
        gap->overlap = overlap;
        memcpy(gap->best, n, sizeof n);
    }
    if (low > gap->low) {
        gap->low = low;
        memcpy(gap->normal, n, sizeof n);
    }
}

bool oracle_distance_features(const oracle_body *a, const oracle_body *b, real relative, real absolute, oracle_gap *gap)
{
    search q = {0};
    memset(gap, 0, sizeof *gap);
    gap->high = gap->overlap = q.best = HUGE_VALL;
    if (!list_corners(a, &q.a, &q.scale) || !list_corners(b, &q.b, &q.scale))
        return false;
    for (int i = 0; i < 3; i++) {
        q.offset[i] = b->origin[i] - a->origin[i];
        q.scale = fmaxl(q.scale, fabsl(q.offset[i]));
    }
    walk(&q, measure, NULL);
    settling c = {a, b, gap, q.best + contender * q.scale, 16 * LDBL_EPSILON * q.scale};
    walk(&q, settle, &c);
    real depth, normal[3];
    if (gap->low <= 0 && oracle_depth_polytopes(a, b, &depth, normal) &&
        depth > 0) { /* no direction separates: they overlap */
        gap->low = 0;
        gap->high = fminl(gap->high, c.rounding);
    }
    gap->sharp = gap->high - gap->low <= relative * gap->low + fmaxl(absolute, 4 * c.rounding);
    return true;
}
