/*
 * Branch and bound for the distance of NURBS surfaces: from each other, from convex primitives, and from a point.
 *
 * A *node* is a part of a Bezier patch, a rectangle with sides 2^-level in the coordinates of its patch, with the
 * control points of that part; or a convex primitive of a shape without surfaces. A node of a patch is divided into two
 * when needed, and its parts are kept. A pair of nodes has a lower bound of its distance: the largest of
 *   - the distance of the boxes of their control points,
 *   - the gap of their control points along a unit vector n: the least n.P of one minus the largest of the other. A
 * patch lies in the convex hull of its control points, so each n gives a bound. Two are tried: the normal of the
 * closest pair so far, and the direction between the centres of the nodes,
 *   - the gap of their first Taylor polynomials along the first of them, with a bound of the curvature,
 *   - two bounds from Taylor polynomials of second order (nurbs_quadratic.h).
 * The gap of parts of size h is below their distance by O(h^2), and the bounds of second order by O(h^3) or, near the
 * closest points, not at all. So few pairs are alive on each level, also where the distance hardly changes along a
 * line. Each is tried only if the ones before are not enough. Upper bounds are distances of points of the surfaces,
 * found by Newton's method.
 *
 * Coordinates are relative to the origin of the first shape and scaled by a power of two, so that all are at most 1.
 * The lower bounds include a proved slack for rounding errors, see NURBS_SEARCH_ROUNDOFF.
 */
#ifndef TACT_COMPLEX_NURBS_SEARCH_H
#define TACT_COMPLEX_NURBS_SEARCH_H

#include "complex/nurbs_quadratic.h"
#include "complex/traversal.h"
#include "core/array.h"
#include "nurbs/bezier_net.h"
#include "nurbs/nurbs_shape.h"

/* As `patch`: the node is a convex primitive. */
#define SEARCH_CONVEX UINT32_MAX

/* A leaf of a shape that takes part. Lengths are scaled. */
typedef struct search_leaf {
    instance of;
    double margin;    /* around its primitives, without the error of its triangles */
    double error;     /* of its triangles */
    double stretch;   /* NURBS: scaled length of a unit vector at most */
    double gap;       /* NURBS: error of its triangles that is not that of their cells: seams and rounding */
    uint32_t *roots;  /* of a NURBS leaf, per patch: 1 + its node; 0: none */
    uint32_t patches; /* number of them */
} search_leaf;

typedef struct search_node {
    tact_vec3 low, high; /* box */
    tact_vec3 centre;
    double margin;
    uint64_t index[2];    /* [index, index + 1] * 2^-level in each direction */
    uint32_t leaf, patch; /* SEARCH_CONVEX: see above */
    uint32_t root;        /* node of the whole patch; itself for a primitive */
    uint32_t first_child; /* 0: not divided */
    uint32_t data;        /* first control point, or number of the primitive */
    uint32_t element;     /* primitive: element of its shape */
    uint32_t users;       /* see search_side::recycled */
    uint32_t siblings;    /* the first of the two parts of which this is one; UINT32_MAX: a root */
    uint8_t level[2];
    uint8_t direction; /* in which it was divided */
    bool fitted;       /* its Taylor polynomial is known: see search_side */
} search_node;

/* A root that a search may begin with. */
typedef struct search_root {
    tact_vec3 low, high; /* box */
    double extent;       /* along the first normal; of side 1 along minus that */
    uint32_t number;     /* of the patch */
    uint32_t node;       /* UINT32_MAX: not yet */
} search_root;

ARRAY_OF(search_root_array, search_root);
ARRAY_OF(search_leaf_array, search_leaf);
ARRAY_OF(search_node_array, search_node);
ARRAY_OF(search_quadratic_array, nurbs_quadratic);
ARRAY_OF(search_point_array, nurbs_vec4);
ARRAY_OF(search_convex_array, convex);
ARRAY_OF(search_index_array, uint32_t);

typedef struct search_side {
    search_leaf_array leaves;
    search_node_array nodes;
    search_quadratic_array middles; /* capacity for one of each node, if the search has bounds of second order */
    search_point_array points;      /* homogeneous control points */
    search_convex_array primitives;
    search_index_array roots; /* primitives that a search begins with */
    search_root_array found;  /* see tact_nurbs_search_all_patches */
    /* If `recycles`: nodes of patches count their users, one of which is the node that they are a part of. Two parts
     * without users are divided no more, and others take their place: `recycled` is the first of a list of them, linked
     * by first_child; 0: none. All nets then have room for the largest. */
    uint32_t recycled;
    uint32_t net_size;
    bool recycles;
} search_side;

/* A point of a side. */
typedef struct search_place {
    uint32_t node; /* a root */
    double s, t;   /* coordinates in its patch */
    tact_vec3 point;
} search_place;

typedef struct search_pair {
    double lower;
    uint32_t node[2];
} search_pair;

/* Parts of surfaces or primitives whose triangles are close: what a traversal finds. */
typedef struct search_candidate {
    uint32_t leaf[2], key[2]; /* cell of the tessellation, or element */
    double lower;
} search_candidate;

ARRAY_OF(search_pair_array, search_pair);
ARRAY_OF(search_candidate_array, search_candidate);

typedef struct nurbs_search {
    search_side side[2];
    search_pair_array pairs; /* a heap */
    search_candidate_array candidates;
    tact_allocator allocator;
    tact_vec3 origin; /* of the coordinates */
    int exponent;     /* 2^exponent times a length is the scaled length */
    double scale;     /* that power */
    double slack;     /* scaled: bound of rounding errors of distances */
    double accuracy;  /* scaled: at least 4 slack */
    double upper;     /* scaled: distance of the best points, margins included; infinite: none yet */
    double floor;     /* scaled: no pair that was left out is closer */
    search_place best[2];
    tact_vec3 normal; /* from the first to the second of the best points; zero: none */
    size_t work, max_work;
    tact_status status;
    bool surfaces[2]; /* side i has leaves with surfaces */
    bool first_order; /* no bounds of second order: must be set before there are nodes */
} nurbs_search;

/* Begins a search with coordinates about `origin`; nothing farther than `reach` from it takes part. `degrees` is the
 * largest p + q of a surface. */
void tact_nurbs_search_begin(nurbs_search *s, tact_vec3 origin, double reach, int degrees, double accuracy,
                             size_t max_work, const tact_allocator *allocator);
void tact_nurbs_search_end(nurbs_search *s);

/* The number of a leaf on a side, which is added if it is new; UINT32_MAX: out of memory. */
uint32_t tact_nurbs_search_leaf(nurbs_search *s, int side, const instance *of);

/* The node of a primitive, or of a cell of the tessellation; UINT32_MAX: out of memory. */
uint32_t tact_nurbs_search_primitive(nurbs_search *s, int side, uint32_t leaf, const convex *c, uint32_t element);
uint32_t tact_nurbs_search_cell(nurbs_search *s, int side, uint32_t leaf, uint32_t cell);

/* The node of a whole patch; UINT32_MAX: out of memory. */
uint32_t tact_nurbs_search_patch(nurbs_search *s, int side, uint32_t leaf, uint32_t patch);

/* The first of the two parts of a node of a patch; UINT32_MAX: out of memory. */
uint32_t tact_nurbs_search_divide(nurbs_search *s, int side, uint32_t node);

/* The same, divided along a given direction unless it is divided already. */
uint32_t tact_nurbs_search_divide_along(nurbs_search *s, int side, uint32_t node, int direction);

/* Makes the parts of patches of a side whose last user is gone give their place to others. Its leaf is known. */
void tact_nurbs_search_recycle(nurbs_search *s, int side);

/* One user of a node less. */
void tact_nurbs_search_unuse(nurbs_search *s, int side, uint32_t node);

/* A bound of the distance between a cell and its triangles. */
double tact_nurbs_search_cell_error(const nurbs_search *s, int side, uint32_t leaf, uint32_t cell);

/* The point of a root at (at->s, at->t), and its derivatives by s, t, ss, st, tt in out[0] to out[5]. */
void tact_nurbs_search_evaluate(const search_side *side, uint32_t root, double s, double t, tact_vec3 out[6]);

/* The same without second derivatives: out[0] to out[2]. */
void tact_nurbs_search_evaluate_first(const search_side *side, uint32_t root, double s, double t, tact_vec3 out[3]);

/* Newton's method from the centres of two nodes; takes over the points if they are the closest so far. */
void tact_nurbs_search_improve(nurbs_search *s, const uint32_t node[2]);

/* The same from the coordinates x of two roots; those of side i are x[2 i] and x[2 i + 1]. */
void tact_nurbs_search_improve_from(nurbs_search *s, const uint32_t root[2], double x[4]);

/* Where each side is one NURBS leaf, or one primitive that is in `roots`: makes pairs of all patches that may be close,
 * without candidates. False: out of memory (see the status), or too many pairs; then `floor` is 0.
 * With one primitive there are never too many. */
bool tact_nurbs_search_all_patches(nurbs_search *s);

/* Makes pairs of the candidates and divides them until the bounds are close enough. Sets the status. */
void tact_nurbs_search_run(nurbs_search *s);

/* The lower bound after the search, scaled, at least 0. */
double tact_nurbs_search_floor(const nurbs_search *s);

/* The Bernstein polynomials of degree p at t and their first two derivatives. */
void tact_search_bernstein(int p, double t, double out[3][NURBS_MAX_ORDER]);

static inline tact_vec3 search_cartesian(const nurbs_vec4 *p)
{
    return p->w == 1.0 ? vec_make(p->x, p->y, p->z) : vec_make(p->x / p->w, p->y / p->w, p->z / p->w);
}

/* Derivatives of a rational surface, in the order of tact_nurbs_search_evaluate: `sum` are those of the homogeneous
 * surface, and `d` their vectors. */
static inline void search_divide_by_weight(const nurbs_vec4 sum[6], tact_vec3 d[6])
{
    const double w = sum[0].w, ws = sum[1].w, wt = sum[2].w;
    d[0] = vec_scale(d[0], 1.0 / w);
    d[1] = vec_scale(vec_mul_add(d[1], -ws, d[0]), 1.0 / w);
    d[2] = vec_scale(vec_mul_add(d[2], -wt, d[0]), 1.0 / w);
    d[3] = vec_scale(vec_mul_add(vec_mul_add(d[3], -2.0 * ws, d[1]), -sum[3].w, d[0]), 1.0 / w);
    d[4] = vec_scale(vec_mul_add(vec_mul_add(vec_mul_add(d[4], -ws, d[2]), -wt, d[1]), -sum[4].w, d[0]), 1.0 / w);
    d[5] = vec_scale(vec_mul_add(vec_mul_add(d[5], -2.0 * wt, d[2]), -sum[5].w, d[0]), 1.0 / w);
}

/* The coordinates of the middle of a node in its patch. */
static inline void search_node_middle(const search_node *n, double *s, double *t)
{
    *s = ((double)n->index[0] + 0.5) / (double)(UINT64_C(1) << n->level[0]);
    *t = ((double)n->index[1] + 0.5) / (double)(UINT64_C(1) << n->level[1]);
}

static inline tact_vec3 search_to_world(const nurbs_search *s, tact_vec3 p)
{
    return vec_add(s->origin, vec_scale(p, 1.0 / s->scale));
}

static inline const nurbs_surface *search_surface(const search_side *side, const search_node *n)
{
    const nurbs_model *m = side->leaves.items[n->leaf].of.shape->nurbs->model;
    return &m->surfaces[m->patches[n->patch].surface];
}

/* The largest p + q of the surfaces of a shape and its leaves, and the largest error of triangles; -1: no surfaces. */
int tact_nurbs_degrees(const instance *p, double *error);

#endif
