/*
 * The oracle's own description of a transformed convex shape, in long double: a tree of sums and hulls over leaves,
 * each leaf a point p or an ellipsoid { p + E u : |u| <= 1 } (a disc or a segment when E has fewer than three columns).
 * Every shape of Tact is such a tree: a cone is the hull of a point and a disc, a capsule the hull of two balls, and so
 * on.
 */
#ifndef TACT_ORACLE_BODY_H
#define TACT_ORACLE_BODY_H

#include <stdbool.h>

typedef long double real;

#define ORACLE_NODES 160

typedef enum oracle_kind { ORACLE_LEAF, ORACLE_SUM, ORACLE_HULL } oracle_kind;

typedef struct oracle_node {
    oracle_kind kind;
    int child;       /* first child, -1 for none */
    int next;        /* next sibling, -1 for none */
    int rank;        /* leaf: how many axes; 0 for a point */
    real p[3];       /* leaf: its centre */
    real axis[3][3]; /* leaf: axis[k] is column k of E */
} oracle_node;

typedef struct oracle_body {
    int count;
    int root;
    real origin[3]; /* where the body's own origin is; the leaves are relative to it */
    real margin;    /* rounding radius around all of it */
    oracle_node nodes[ORACLE_NODES];
} oracle_body;

/* An affine map: x to m[0] x.x + m[1] x.y + m[2] x.z + c. */
typedef struct oracle_map {
    real m[3][3];
    real c[3];
} oracle_map;

void oracle_body_begin(oracle_body *body);

/* Each returns the new node. */
int oracle_leaf_point(oracle_body *body, const real p[3]);
int oracle_leaf_ball(oracle_body *body, const real p[3], const real (*axes)[3], int count);
int oracle_join_nodes(oracle_body *body, oracle_kind kind, const int *children, int count);

/* Applies the map to everything below `node`; a rounding is a leaf like any other and is stretched with the rest. */
void oracle_node_map(oracle_body *body, int node, const oracle_map *map);

/* The sum of `node` and a ball. */
int oracle_node_round(oracle_body *body, int node, real margin);

/* The body placed: its leaves by the linear part, its origin at the translation. Call once, when all is built. */
void oracle_body_place(oracle_body *body, int root, const oracle_map *map, real margin);

/* The largest n . x over the body, relative to its origin and without its margin; n of any length. */
real oracle_body_extent(const oracle_body *body, const real n[3]);

/* A point of the body, relative to its origin and without its margin, that is farthest along n. */
void oracle_body_farthest(const oracle_body *body, const real n[3], real point[3]);

/* The largest absolute coordinate of the transformed body, margin included, and of its origin: every transformed point
 * is a sum with the origin, and carries the rounding of that. */
real oracle_body_largest(const oracle_body *body);

/* The largest distance between two points of the body along an axis, margin included. */
real oracle_body_size(const oracle_body *body);

bool oracle_body_is_polytope(const oracle_body *body);

static inline real oracle_dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void oracle_cross(const real a[3], const real b[3], real c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Makes n of unit length and returns the length it had; a zero vector stays zero. */
real oracle_normalize(real n[3]);

#endif
