/*
 * Penetration depth. For polytopes it is exact: the facets of the Minkowski difference of sums of hulls have normals
 * among (1) the normals of faces of the hulls and (2) the cross products of edges of two different hulls; along any
 * other direction the overlap is an upper bound too, so candidates that are no facets at all do no harm. Directions
 * that long double cannot rule out (the best, nearly parallel edges, slivers) are done in quadruple precision. For
 * other bodies an upper bound is sampled and improved by going downhill on the sphere of directions.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dice.h"
#include "oracle.h"

__extension__ typedef __float128 quad;

#define MOST_PARTS 12
#define MOST_POINTS 64
#define MOST_EDGES 400
#define MOST_NORMALS 800

/* Triples whose plane the other points leave by less than this, relative to the lengths involved, count as faces:
 * keeping too many is harmless. */
static const real face_slack = 1e-15L;

typedef struct part { /* one hull of points; B's are already mirrored */
    int points, edges, normals;
    real point[MOST_POINTS][3];
    real edge[MOST_EDGES][3];
    real normal[MOST_NORMALS][2][3]; /* as two edge vectors, whose cross product it is */
} part;

typedef struct difference {
    int parts;
    real offset[3];
    part part[MOST_PARTS];
    real best;
    real best_normal[3];
    real scale;
    real reach; /* no point of the difference is farther from the origin */
} difference;

/* Lists the points of a node (sums multiplied out); false when there is no capacity. */
static bool list_points(const oracle_body *body, int node, real (*points)[3], int *count)
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF) {
        if (o->rank || *count == MOST_POINTS)
            return false;
        memcpy(points[(*count)++], o->p, sizeof o->p);
        return true;
    }
    if (o->kind == ORACLE_HULL) {
        for (int c = o->child; c >= 0; c = body->nodes[c].next)
            if (!list_points(body, c, points, count))
                return false;
        return true;
    }
    real have[MOST_POINTS][3] = {{0}}, more[MOST_POINTS][3], next[MOST_POINTS][3];
    int have_count = 1;
    for (int c = o->child; c >= 0; c = body->nodes[c].next) {
        int more_count = 0, next_count = 0;
        if (!list_points(body, c, more, &more_count) || have_count * more_count > MOST_POINTS)
            return false;
        for (int i = 0; i < have_count; i++)
            for (int j = 0; j < more_count; j++, next_count++)
                for (int k = 0; k < 3; k++)
                    next[next_count][k] = have[i][k] + more[j][k];
        memcpy(have, next, sizeof next[0] * (size_t)next_count);
        have_count = next_count;
    }
    if (*count + have_count > MOST_POINTS)
        return false;
    memcpy(points + *count, have, sizeof have[0] * (size_t)have_count);
    *count += have_count;
    return true;
}

static void take_away(const real a[3], const real b[3], real c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[i] - b[i];
}

/* A direction of an edge, unless a parallel one is there. */
static void add_edge(part *p, const real e[3])
{
    real length = oracle_dot(e, e);
    if (!(length > 0))
        return;
    for (int i = 0; i < p->edges; i++) {
        real c[3];
        oracle_cross(p->edge[i], e, c);
        if (c[0] == 0 && c[1] == 0 && c[2] == 0)
            return;
    }
    if (p->edges < MOST_EDGES)
        memcpy(p->edge[p->edges++], e, 3 * sizeof(real));
}

static bool find_features(part *p)
{
    int n = p->points;
    if (n <= 4 || n > 24) { /* all pairs are edges or might be */
        for (int i = 0; i < n && n <= 24; i++)
            for (int j = i + 1; j < n; j++) {
                real e[3];
                take_away(p->point[j], p->point[i], e);
                add_edge(p, e);
            }
    }
    bool edge[MOST_POINTS][MOST_POINTS] = {{false}};
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++) {
                real e[3], f[3], normal[3];
                take_away(p->point[j], p->point[i], e);
                take_away(p->point[k], p->point[i], f);
                oracle_cross(e, f, normal);
                if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
                    continue;
                real e_length = sqrtl(oracle_dot(e, e)), f_length = sqrtl(oracle_dot(f, f));
                bool above = false, below = false;
                for (int m = 0; m < n && !(above && below); m++) {
                    real g[3];
                    take_away(p->point[m], p->point[i], g);
                    real side = oracle_dot(normal, g),
                         slack = face_slack * e_length * f_length * sqrtl(oracle_dot(g, g));
                    above = above || side > slack;
                    below = below || side < -slack;
                }
                if (above && below)
                    continue;
                if (p->normals == MOST_NORMALS)
                    return false;
                memcpy(p->normal[p->normals][0], e, sizeof e);
                memcpy(p->normal[p->normals++][1], f, sizeof f);
                edge[i][j] = edge[i][k] = edge[j][k] = true;
            }
    if (n > 4)
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                if (edge[i][j] || p->normals == 0) { /* without faces all points are collinear */
                    real e[3];
                    take_away(p->point[j], p->point[i], e);
                    add_edge(p, e);
                }
    return p->edges < MOST_EDGES;
}

/* Takes a body apart into hulls of points; sign -1 mirrors it. */
static bool add_parts(difference *d, const oracle_body *body, int node, int sign)
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_SUM) {
        for (int c = o->child; c >= 0; c = body->nodes[c].next)
            if (!add_parts(d, body, c, sign))
                return false;
        return true;
    }
    if (d->parts == MOST_PARTS)
        return false;
    part *p = &d->part[d->parts++];
    p->points = p->edges = p->normals = 0;
    if (!list_points(body, node, p->point, &p->points))
        return false;
    for (int i = 0; i < p->points; i++)
        for (int k = 0; k < 3; k++) {
            p->point[i][k] *= (real)sign;
            d->scale = fmaxl(d->scale, fabsl(p->point[i][k]));
        }
    return find_features(p);
}

/* The lesser of the overlaps along n and along -n. */
static real overlap(const difference *d, const real n[3])
{
    real along = oracle_dot(d->offset, n), front = -along, back = along;
    for (int i = 0; i < d->parts; i++) {
        real most = oracle_dot(d->part[i].point[0], n), least = most;
        for (int j = 1; j < d->part[i].points; j++) {
            real h = oracle_dot(d->part[i].point[j], n);
            most = h > most ? h : most;
            least = h < least ? h : least;
        }
        front += most;
        back -= least;
    }
    return front < back ? front : back;
}

/* Both sides of the direction e x f in quadruple precision. */
static void consider_quad(difference *d, const real e[3], const real f[3])
{
    quad n[3] = {(quad)e[1] * f[2] - (quad)e[2] * f[1], (quad)e[2] * f[0] - (quad)e[0] * f[2],
                 (quad)e[0] * f[1] - (quad)e[1] * f[0]};
    quad largest = 0;
    for (int i = 0; i < 3; i++) {
        quad size = n[i] < 0 ? -n[i] : n[i];
        largest = size > largest ? size : largest;
    }
    if (!(largest > 0))
        return;
    for (int i = 0; i < 3; i++)
        n[i] /= largest;
    quad square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], root = sqrtl((real)square);
    root = (root + square / root) / 2;
    for (int side = -1; side <= 1; side += 2) {
        quad total = 0;
        for (int k = 0; k < 3; k++)
            total -= n[k] * side * d->offset[k];
        for (int i = 0; i < d->parts; i++) {
            quad most = 0;
            for (int j = 0; j < d->part[i].points; j++) {
                const real *p = d->part[i].point[j];
                quad h = side * (n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
                most = j == 0 || h > most ? h : most;
            }
            total += most;
        }
        real depth = (real)(total / root);
        if (depth < d->best) {
            d->best = depth;
            for (int k = 0; k < 3; k++)
                d->best_normal[k] = (real)(n[k] * side / root);
        }
    }
}

/* Long double first: the direction e x f is then off by 4 roundings over the sine of the angle between e and f, which
 * times the reach bounds the error of the overlap (twice over, for the rounding of the sums). Whatever cannot be above
 * the best by more than that is settled in quadruple precision. */
static void consider(difference *d, const real e[3], const real f[3])
{
    real n[3];
    oracle_cross(e, f, n);
    real sine = oracle_normalize(n) / sqrtl(oracle_dot(e, e) * oracle_dot(f, f));
    if (!(sine > 0) || overlap(d, n) - 8 * LDBL_EPSILON / sine * d->reach <= d->best)
        consider_quad(d, e, f);
}

bool oracle_depth_polytopes(const oracle_body *a, const oracle_body *b, real *depth, real normal[3])
{
    static _Thread_local difference storage;
    difference *d = &storage;
    if (!oracle_body_is_polytope(a) || !oracle_body_is_polytope(b))
        return false;
    d->parts = 0;
    d->scale = d->reach = 0;
    d->best = HUGE_VALL;
    for (int k = 0; k < 3; k++)
        d->offset[k] = b->origin[k] - a->origin[k];
    if (!add_parts(d, a, a->root, 1) || !add_parts(d, b, b->root, -1))
        return false;
    d->reach = sqrtl(oracle_dot(d->offset, d->offset)) + 2 * d->scale * (real)d->parts;
    const real axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) /* for differences without faces at all */
        consider_quad(d, axes[k], axes[(k + 1) % 3]);
    for (int i = 0; i < d->parts; i++) /* the faces first: what they leave of the edges is seldom close */
        for (int k = 0; k < d->part[i].normals; k++)
            consider(d, d->part[i].normal[k][0], d->part[i].normal[k][1]);
    for (int i = 0; i < d->parts; i++) {
        const part *p = &d->part[i];
        for (int k = 0; k < p->edges; k++) {
            for (int l = 0; l < 3; l++)
                consider(d, p->edge[k], axes[l]);
            for (int j = i + 1; j < d->parts; j++)
                for (int l = 0; l < d->part[j].edges; l++)
                    consider(d, p->edge[k], d->part[j].edge[l]);
        }
        for (int k = 0; k < p->normals; k++) /* flat differences: in their plane, across their edges */
            for (int l = 0; l < p->edges; l++) {
                real n[3];
                oracle_cross(p->normal[k][0], p->normal[k][1], n);
                if (p->points <= 4)
                    consider(d, n, p->edge[l]);
            }
    }
    *depth = d->best > 0 ? d->best : 0;
    memcpy(normal, d->best_normal, sizeof d->best_normal);
    return true;
}

/* ---- any bodies ---- */

/* The directions are walked in coordinates m with n = C^-T m, where C C^T is the sum of the squares of all half axes
 * and corner positions: flat and needle-like bodies look round there, and their narrow valleys wide. */
typedef struct landscape {
    const oracle_body *a, *b;
    real c[3][3]; /* lower triangle */
} landscape;

static void add_square(real q[3][3], const real v[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            q[i][j] += v[i] * v[j];
}

static void survey(landscape *l, const oracle_body *a, const oracle_body *b)
{
    real q[3][3] = {{0}};
    const oracle_body *both[2] = {a, b};
    l->a = a;
    l->b = b;
    for (int k = 0; k < 2; k++) {
        real mean[3] = {0, 0, 0};
        int points = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int n = 0; n < both[k]->count; n++) {
                const oracle_node *o = &both[k]->nodes[n];
                if (o->kind != ORACLE_LEAF)
                    continue;
                real off[3];
                for (int i = 0; i < 3; i++) {
                    mean[i] += pass ? 0 : o->p[i];
                    off[i] = o->p[i] - (pass ? mean[i] / points : 0);
                }
                points += !pass;
                for (int r = 0; pass && r < o->rank; r++)
                    add_square(q, o->axis[r]);
                if (pass)
                    add_square(q, off);
            }
    }
    real trace = q[0][0] + q[1][1] + q[2][2];
    for (int i = 0; i < 3; i++)
        q[i][i] += 1e-16L * trace + LDBL_MIN; /* something for what has no thickness */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            real sum = q[i][j];
            for (int k = 0; k < j; k++)
                sum -= l->c[i][k] * l->c[j][k];
            l->c[i][j] = i == j ? sqrtl(fmaxl(sum, 1e-18L * trace + LDBL_MIN)) : sum / l->c[j][j];
        }
}

/* The overlap along the direction of m, and that direction. */
static real height(const landscape *l, const real m[3], real n[3])
{
    n[2] = m[2] / l->c[2][2];
    n[1] = (m[1] - l->c[2][1] * n[2]) / l->c[1][1];
    n[0] = (m[0] - l->c[1][0] * n[1] - l->c[2][0] * n[2]) / l->c[0][0];
    if (!(oracle_normalize(n) > 0))
        return HUGE_VALL;
    return oracle_overlap_along(l->a, l->b, n);
}

static void walk_coordinates(const landscape *l, const real n[3], real m[3])
{
    for (int i = 0; i < 3; i++) {
        m[i] = 0;
        for (int k = i; k < 3; k++)
            m[i] += l->c[k][i] * n[k];
    }
    oracle_normalize(m);
}

/* Goes downhill by trying steps in the tangent plane of m, shorter and shorter, and once more along a step that
 * helped. */
static real descend(const landscape *l, real m[3], real normal[3], real best, real finest)
{
    static const real turn[8][2] = {{1, 0},       {-1, 0},        {0, 1},        {0, -1},
                                    {0.7L, 0.7L}, {-0.7L, -0.7L}, {0.7L, -0.7L}, {-0.7L, 0.7L}};
    real step = 0.25L;
    int last = 0;
    for (int round = 0; round < 400 && step > finest; round++) {
        bool better = false;
        real u[3], v[3], axis[3] = {0, 0, 0};
        int least = fabsl(m[0]) < fabsl(m[1]) ? 0 : 1;
        least = fabsl(m[2]) < fabsl(m[least]) ? 2 : least;
        axis[least] = 1;
        oracle_cross(m, axis, u);
        oracle_normalize(u);
        oracle_cross(m, u, v);
        for (int k = 0; k < 8 && !better; k++) {
            real trial[3], n[3];
            int way = (last + k) % 8;
            for (int i = 0; i < 3; i++)
                trial[i] = m[i] + step * (turn[way][0] * u[i] + turn[way][1] * v[i]);
            oracle_normalize(trial);
            real h = height(l, trial, n);
            if (h < best) {
                best = h;
                memcpy(m, trial, sizeof trial);
                memcpy(normal, n, sizeof n);
                better = true;
                last = way;
            }
        }
        step = fminl(step * (better ? 2.0L : 0.3L), 0.5L);
    }
    return best;
}

#define DESCENTS 3

/* From the hint, if there is one, and from so many of the best samples, by steps down to the finest. */
static real explore(const oracle_body *a, const oracle_body *b, const real *hint, int samples, unsigned seed,
                    int descents, real finest, real normal[3])
{
    dice d = dice_for(seed, 77, 5);
    landscape l;
    real start[DESCENTS][3], value[DESCENTS], best = HUGE_VALL;
    survey(&l, a, b);
    for (int i = 0; i < DESCENTS; i++)
        value[i] = HUGE_VALL;
    for (int k = 0; k < samples; k++) {
        real m[3], n[3] = {dice_normal(&d), dice_normal(&d), dice_normal(&d)};
        if (k < 6)
            for (int i = 0; i < 3; i++)
                n[i] = i == k / 2 ? (k % 2 ? -1 : 1) : 0;
        else if (k < 8)
            for (int i = 0; i < 3; i++)
                n[i] = (b->origin[i] - a->origin[i]) * (k % 2 ? -1 : 1);
        if (k % 4 == 3 || (k >= 6 && k < 8))
            walk_coordinates(&l, n, m);
        else
            memcpy(m, n, sizeof n);
        if (!(oracle_normalize(m) > 0))
            continue;
        real h = height(&l, m, n);
        for (int i = 0; i < DESCENTS; i++)
            if (h < value[i]) {
                for (int j = DESCENTS - 1; j > i; j--) {
                    value[j] = value[j - 1];
                    memcpy(start[j], start[j - 1], sizeof start[j]);
                }
                value[i] = h;
                memcpy(start[i], m, sizeof m);
                break;
            }
    }
    for (int i = -1; i < descents; i++) {
        real m[3], n[3];
        if (i < 0 && hint && oracle_dot(hint, hint) > 0)
            walk_coordinates(&l, hint, m);
        else if (i >= 0 && value[i] < HUGE_VALL)
            memcpy(m, start[i], sizeof m);
        else
            continue;
        real h = height(&l, m, n);
        h = descend(&l, m, n, h, finest);
        if (h < best) {
            best = h;
            memcpy(normal, n, sizeof n);
        }
    }
    return best;
}

real oracle_depth_sampled(const oracle_body *a, const oracle_body *b, const real *hint, int samples, unsigned seed,
                          real normal[3])
{
    return explore(a, b, hint, samples, seed, DESCENTS, 1e-10L, normal);
}

real oracle_depth_glance(const oracle_body *a, const oracle_body *b, int samples, unsigned seed)
{
    real normal[3];
    return explore(a, b, NULL, samples, seed, 1, 1e-3L, normal);
}
