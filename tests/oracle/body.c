/* Building, mapping and measuring the oracle's bodies. Plain recursion over the tree; nothing is clever here. */
#include "body.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void oracle_body_begin(oracle_body *body)
{
    body->count = 0;
    body->root = -1;
    body->margin = 0;
    memset(body->origin, 0, sizeof body->origin);
}

static int new_node(oracle_body *body, oracle_kind kind)
{
    assert(body->count < ORACLE_NODES);
    oracle_node *n = &body->nodes[body->count];
    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->child = -1;
    n->next = -1;
    return body->count++;
}

int oracle_leaf_point(oracle_body *body, const real p[3])
{
    int node = new_node(body, ORACLE_LEAF);
    memcpy(body->nodes[node].p, p, sizeof body->nodes[node].p);
    return node;
}

int oracle_leaf_ball(oracle_body *body, const real p[3], const real (*axes)[3], int count)
{
    int node = oracle_leaf_point(body, p);
    oracle_node *n = &body->nodes[node];
    for (int k = 0; k < count; k++) /* axes of length zero add nothing, and a cone with zero columns has no inside */
        if (axes[k][0] != 0 || axes[k][1] != 0 || axes[k][2] != 0)
            memcpy(n->axis[n->rank++], axes[k], sizeof n->axis[0]);
    return node;
}

int oracle_join_nodes(oracle_body *body, oracle_kind kind, const int *children, int count)
{
    int node = new_node(body, kind);
    int *link = &body->nodes[node].child;
    for (int i = 0; i < count; i++) {
        *link = children[i];
        link = &body->nodes[children[i]].next;
    }
    *link = -1;
    return node;
}

static void apply(const oracle_map *map, real v[3])
{
    real r[3];
    for (int i = 0; i < 3; i++)
        r[i] = map->m[0][i] * v[0] + map->m[1][i] * v[1] + map->m[2][i] * v[2];
    memcpy(v, r, sizeof r);
}

static void stretch(oracle_body *body, int node, const oracle_map *map)
{
    oracle_node *n = &body->nodes[node];
    if (n->kind == ORACLE_LEAF) {
        apply(map, n->p);
        for (int k = 0; k < n->rank; k++)
            apply(map, n->axis[k]);
    }
    for (int c = n->child; c >= 0; c = body->nodes[c].next)
        stretch(body, c, map);
}

static void shift(oracle_body *body, int node, const real c[3])
{
    oracle_node *n = &body->nodes[node];
    if (n->kind == ORACLE_LEAF)
        for (int i = 0; i < 3; i++)
            n->p[i] += c[i];
    for (int k = n->child; k >= 0; k = body->nodes[k].next) {
        shift(body, k, c);
        if (n->kind == ORACLE_SUM) /* one summand carries the shift of all */
            break;
    }
}

void oracle_node_map(oracle_body *body, int node, const oracle_map *map)
{
    stretch(body, node, map);
    shift(body, node, map->c);
}

int oracle_node_round(oracle_body *body, int node, real margin)
{
    if (!(margin > 0))
        return node;
    const real zero[3] = {0, 0, 0};
    const real axes[3][3] = {{margin, 0, 0}, {0, margin, 0}, {0, 0, margin}};
    int both[2] = {node, oracle_leaf_ball(body, zero, axes, 3)};
    return oracle_join_nodes(body, ORACLE_SUM, both, 2);
}

void oracle_body_place(oracle_body *body, int root, const oracle_map *map, real margin)
{
    stretch(body, root, map);
    memcpy(body->origin, map->c, sizeof body->origin);
    body->root = root;
    body->margin = margin;
}

static real extent(const oracle_body *body, int node, const real n[3])
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF) {
        real square = 0;
        for (int k = 0; k < o->rank; k++) {
            real e = oracle_dot(o->axis[k], n);
            square += e * e;
        }
        return oracle_dot(o->p, n) + (o->rank ? sqrtl(square) : 0);
    }
    real total = 0;
    bool first = true;
    for (int c = o->child; c >= 0; c = body->nodes[c].next) {
        real h = extent(body, c, n);
        if (o->kind == ORACLE_SUM)
            total += h;
        else if (first || h > total)
            total = h;
        first = false;
    }
    return total;
}

real oracle_body_extent(const oracle_body *body, const real n[3]) { return extent(body, body->root, n); }

static real farthest(const oracle_body *body, int node, const real n[3], real point[3])
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF) {
        real e[3] = {0, 0, 0}, square = 0;
        memcpy(point, o->p, sizeof o->p);
        for (int k = 0; k < o->rank; k++) {
            e[k] = oracle_dot(o->axis[k], n);
            square += e[k] * e[k];
        }
        if (square > 0)
            for (int k = 0; k < o->rank; k++)
                for (int i = 0; i < 3; i++)
                    point[i] += o->axis[k][i] * (e[k] / sqrtl(square));
        return oracle_dot(o->p, n) + sqrtl(square);
    }
    real total = 0;
    bool first = true;
    for (int c = o->child; c >= 0; c = body->nodes[c].next) {
        real at[3];
        real h = farthest(body, c, n, at);
        if (o->kind == ORACLE_SUM) {
            total += h;
            for (int i = 0; i < 3; i++)
                point[i] = first ? at[i] : point[i] + at[i];
        } else if (first || h > total) {
            total = h;
            memcpy(point, at, sizeof at);
        }
        first = false;
    }
    return total;
}

void oracle_body_farthest(const oracle_body *body, const real n[3], real point[3])
{
    (void)farthest(body, body->root, n, point);
}

real oracle_body_largest(const oracle_body *body)
{
    real largest = 0;
    for (int i = 0; i < 3; i++)
        for (int side = -1; side <= 1; side += 2) {
            real n[3] = {0, 0, 0};
            n[i] = side;
            real h = fabsl(body->origin[i] + side * (oracle_body_extent(body, n) + body->margin));
            largest = fmaxl(largest, fmaxl(h, fabsl(body->origin[i])));
        }
    return largest;
}

real oracle_body_size(const oracle_body *body)
{
    real largest = 0;
    for (int i = 0; i < 3; i++) {
        real n[3] = {0, 0, 0};
        n[i] = 1;
        real width = oracle_body_extent(body, n);
        n[i] = -1;
        width += oracle_body_extent(body, n) + 2 * body->margin;
        largest = width > largest ? width : largest;
    }
    return largest;
}

static bool pointed(const oracle_body *body, int node)
{
    const oracle_node *o = &body->nodes[node];
    if (o->kind == ORACLE_LEAF)
        return o->rank == 0;
    for (int c = o->child; c >= 0; c = body->nodes[c].next)
        if (!pointed(body, c))
            return false;
    return true;
}

bool oracle_body_is_polytope(const oracle_body *body) { return pointed(body, body->root); }

real oracle_normalize(real n[3])
{
    real length = sqrtl(oracle_dot(n, n)); /* squares of doubles neither overflow nor vanish in long double */
    if (!(length > 0))
        return 0;
    real by = 1 / length;
    for (int i = 0; i < 3; i++)
        n[i] *= by;
    return length;
}
