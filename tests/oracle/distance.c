/*
 * The distance of two bodies as a conic program, in the space of directions:
 *
 *     minimise  s + t - n.(B - A)   subject to  |n| <= 1,  s >= h_A(n),  t >= h_B(-n),
 *
 * whose minimum is minus the distance. "t >= h(n)" for a hull is one constraint for each child, for a sum it takes a
 * new variable for each summand but one, for a leaf it is the second-order cone (t - p.n, E^T n). The multipliers of
 * these cones are the weights and ball coordinates of the nearest points.
 */
#include "conic.h"
#include "oracle.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Rounding of the certificates, in units of the size of the data: a few dozen long double operations. */
static const real certificate_rounding = 16 * LDBL_EPSILON;

typedef struct question {
    const oracle_body *a, *b;
    real scale;     /* a power of two near the size of everything */
    real offset[3]; /* origin of B - origin of A, over scale */
    real relative, absolute;
    real rounding;
    conic problem;
    oracle_gap *gap;
} question;

/* Rows begin with -expr (the epigraph variable's coefficients); returns the first. */
static int add_rows(conic *p, int size)
{
    assert(p->rows + size <= CONIC_ROWS && p->blocks < CONIC_BLOCKS);
    int first = p->rows;
    p->first[p->blocks] = first;
    p->size[p->blocks++] = size;
    p->rows += size;
    for (int i = 0; i < size; i++) {
        p->h[first + i] = 0;
        for (int j = 0; j < CONIC_COLUMNS; j++)
            p->g[first + i][j] = 0;
    }
    return first;
}

/* What an epigraph variable of this node is worth at the start, so that every cone below it has slack 1. */
static real start_value(const oracle_body *body, int node)
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF)
        return 1;
    real value = 0;
    for (int c = o->child; c >= 0; c = body->nodes[c].next) {
        real v = start_value(body, c);
        value = o->kind == ORACLE_SUM ? value + v : v > value ? v : value;
    }
    return value;
}

/* Adds the constraints expr >= h_node(sign n). */
static void add_epigraph(question *q, const oracle_body *body, int node, real sign, const real *expr)
{
    conic *p = &q->problem;
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF) {
        int row = add_rows(p, o->rank ? o->rank + 1 : 1);
        for (int j = 0; j < CONIC_COLUMNS; j++)
            p->g[row][j] = -expr[j];
        for (int i = 0; i < 3; i++) {
            p->g[row][i] += sign * (o->p[i] / q->scale);
            for (int k = 0; k < o->rank; k++)
                p->g[row + 1 + k][i] = -sign * (o->axis[k][i] / q->scale);
        }
        return;
    }
    real rest[CONIC_COLUMNS];
    memcpy(rest, expr, sizeof rest);
    for (int c = o->child; c >= 0; c = body->nodes[c].next) {
        if (o->kind == ORACLE_SUM && body->nodes[c].next >= 0) {
            real fresh[CONIC_COLUMNS] = {0};
            assert(p->columns < CONIC_COLUMNS);
            int column = p->columns++;
            p->c[column] = 0;
            p->start[column] = start_value(body, c);
            fresh[column] = 1;
            rest[column] -= 1;
            add_epigraph(q, body, c, sign, fresh);
        } else {
            add_epigraph(q, body, c, sign, rest);
        }
    }
}

/* Reads the point of a node, and its weight, from the multipliers, in the order in which the cones were added. */
static real read_point(const oracle_body *body, int node, const real **z, real point[3])
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF) {
        const real *m = *z;
        *z += o->rank ? o->rank + 1 : 1;
        memcpy(point, o->p, sizeof o->p);
        real length = 0;
        for (int k = 0; k < o->rank; k++)
            length += m[1 + k] * m[1 + k];
        length = sqrtl(length);
        if (length > 0) {
            real by = length < m[0] ? 1 / m[0] : 1 / length; /* never outside the ball */
            for (int k = 0; k < o->rank; k++)
                for (int i = 0; i < 3; i++)
                    point[i] -= o->axis[k][i] * (m[1 + k] * by);
        }
        return m[0] > 0 ? m[0] : 0;
    }
    real weight = 0;
    point[0] = point[1] = point[2] = 0;
    real sum[3] = {0, 0, 0};
    for (int c = o->child; c >= 0; c = body->nodes[c].next) {
        real at[3];
        real w = read_point(body, c, z, at);
        if (o->kind == ORACLE_HULL) {
            weight += w;
            for (int i = 0; i < 3; i++)
                sum[i] += w * at[i];
        } else {
            weight = c == o->child || w < weight ? w : weight;
            for (int i = 0; i < 3; i++)
                sum[i] += at[i];
        }
    }
    if (o->kind == ORACLE_HULL && !(weight > 0)) { /* nothing rests on this part; any of its points will do */
        for (int n = o->child; n >= 0; n = body->nodes[n].child)
            if (body->nodes[n].kind == ORACLE_LEAF) {
                memcpy(point, body->nodes[n].p, sizeof body->nodes[n].p);
                break;
            }
        return 0;
    }
    for (int i = 0; i < 3; i++)
        point[i] = o->kind == ORACLE_HULL ? sum[i] / weight : sum[i];
    return weight;
}

real oracle_overlap_along(const oracle_body *a, const oracle_body *b, const real n[3])
{
    real back[3] = {-n[0], -n[1], -n[2]}, along = 0;
    for (int i = 0; i < 3; i++)
        along += n[i] * (b->origin[i] - a->origin[i]);
    return oracle_body_extent(a, n) + oracle_body_extent(b, back) - along;
}

static bool judge(void *context, const real *x, const real *z)
{
    question *q = context;
    oracle_gap *gap = q->gap;
    real n[3] = {x[0], x[1], x[2]};
    if (oracle_normalize(n) > 0) {
        real overlap = oracle_overlap_along(q->a, q->b, n), low = -overlap - q->rounding;
        if (overlap < gap->overlap) {
            gap->overlap = overlap;
            memcpy(gap->best, n, sizeof n);
        }
        if (low > gap->low) {
            gap->low = low;
            memcpy(gap->normal, n, sizeof n);
        }
    }
    const real *cursor = z + 4; /* after the cone |n| <= 1 */
    real a[3], b[3], v[3];
    real weight_a = read_point(q->a, q->a->root, &cursor, a), weight_b = read_point(q->b, q->b->root, &cursor, b);
    if (weight_a > 0 && weight_b > 0) {
        for (int i = 0; i < 3; i++)
            v[i] = (b[i] - a[i]) + (q->b->origin[i] - q->a->origin[i]);
        real high = oracle_normalize(v) + q->rounding;
        if (high < gap->high) {
            gap->high = high;
            memcpy(gap->on_a, a, sizeof a);
            memcpy(gap->on_b, b, sizeof b);
        }
    }
    real apart = fmaxl(gap->low - q->a->margin - q->b->margin, 0);
    gap->sharp = gap->high - gap->low <= q->relative * apart + q->absolute;
    return gap->sharp;
}

static void pose(question *q, const oracle_body *a, const oracle_body *b)
{
    conic *p = &q->problem;
    real size = 0;
    const oracle_body *both[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < both[k]->count; i++)
            for (int j = 0; j < 3; j++)
                if (both[k]->nodes[i].kind == ORACLE_LEAF) {
                    size = fmaxl(size, fabsl(both[k]->nodes[i].p[j]));
                    for (int c = 0; c < both[k]->nodes[i].rank; c++)
                        size = fmaxl(size, fabsl(both[k]->nodes[i].axis[c][j]));
                }
    for (int j = 0; j < 3; j++)
        size = fmaxl(size, fabsl(b->origin[j] - a->origin[j]));
    int exponent = 0;
    (void)frexpl(size, &exponent);
    q->scale = size > 0 ? ldexpl(1, exponent) : 1;
    q->rounding = certificate_rounding * q->scale;
    q->a = a;
    q->b = b;
    p->columns = 5;
    p->rows = p->blocks = 0;
    int row = add_rows(p, 4); /* |n| <= 1 */
    p->h[row] = 1;
    for (int j = 0; j < 3; j++) {
        p->g[row + 1 + j][j] = -1;
        p->c[j] = -(b->origin[j] - a->origin[j]) / q->scale;
        p->start[j] = 0;
    }
    for (int k = 0; k < 2; k++) {
        real expr[CONIC_COLUMNS] = {0};
        expr[3 + k] = 1;
        p->c[3 + k] = 1;
        p->start[3 + k] = start_value(both[k], both[k]->root);
        add_epigraph(q, both[k], both[k]->root, k ? -1 : 1, expr);
    }
}

static void begin_gap(oracle_gap *gap)
{
    memset(gap, 0, sizeof *gap);
    gap->high = gap->overlap = HUGE_VALL;
}

static void ask(const oracle_body *a, const oracle_body *b, real relative, real absolute, bool quick, oracle_gap *gap)
{
    question q;
    begin_gap(gap);
    pose(&q, a, b);
    q.gap = gap;
    q.relative = relative;
    q.absolute = fmaxl(absolute, 4 * q.rounding);
    gap->solved = true;
    if (quick)
        gap->iterations = conic_solve_long(&q.problem, judge, &q);
    if (!gap->sharp) {
        gap->quad = true;
        gap->iterations += conic_solve_quad(&q.problem, judge, &q);
    }
}

void oracle_distance_solve(const oracle_body *a, const oracle_body *b, real relative, real absolute, oracle_gap *gap)
{
    ask(a, b, relative, absolute, true, gap);
}

void oracle_distance(const oracle_body *a, const oracle_body *b, real relative, real absolute, oracle_gap *gap)
{
    oracle_gap searched;
    oracle_distance_search(a, b, relative, absolute, -1, &searched);
    if (searched.sharp) {
        *gap = searched;
        return;
    }
    ask(a, b, relative, absolute, true, gap);
    if (searched.overlap < gap->overlap) {
        gap->overlap = searched.overlap;
        memcpy(gap->best, searched.best, sizeof gap->best);
    }
}

void oracle_distance_quad(const oracle_body *a, const oracle_body *b, real relative, real absolute, oracle_gap *gap)
{
    ask(a, b, relative, absolute, false, gap);
}

void oracle_body_of_point(oracle_body *body, const real point[3])
{
    const real zero[3] = {0, 0, 0};
    oracle_body_begin(body);
    body->root = oracle_leaf_point(body, zero);
    memcpy(body->origin, point, sizeof body->origin);
}

real oracle_point_distance(const oracle_body *body, const real point[3], real allowed)
{
    oracle_body other;
    oracle_gap gap;
    oracle_body_of_point(&other, point);
    oracle_distance_search(body, &other, 0, allowed / 8, body->margin + allowed, &gap);
    if (!gap.sharp && gap.high > body->margin + allowed)
        ask(body, &other, 0, allowed / 8, true, &gap);
    return gap.low > body->margin ? gap.low - body->margin : 0;
}
