/*
 * Self-collision of NURBS surfaces (Lau, Chan, Luk and Li 2002, 5).
 *
 * Three types of test units are opened top-down until they are proved free of contact, or leaves remain:
 *  1. one node: opened into its 4 children (type 1) and their 6 pairs (type 2);
 *  2. two adjacent nodes: the less flat one, with fewer directions in its fields, is opened: 2 + 2 or 1 + 3 units of
 *     types 2 and 3;
 *  3. two other nodes: free if their boxes are disjoint; opened likewise into 4 of type 3.
 * Groups of patches (nurbs_bounds.h) are nodes with 2 children.
 *
 * The test of types 1 and 2. The paper has one direction with positive products with all normals. That is not
 * sufficient unless the contour of the surface does not cross itself either: a spiral ramp has normals within any cone.
 * Volino and Magnenat-Thalmann 1994 test the contour too; the paper leaves it out. Here no contour is needed.
 *
 * Theorem. Let p and q be different points of an axis-parallel rectangle of the parameter plane, S piecewise C1 and
 * continuous. If a direction e has positive products with S_s and S_t everywhere in it, and a direction f with S_s and
 * -S_t, then S(p) != S(q). Proof: let q - p = (x, y), x >= 0 by symmetry. Along the straight path from p to q, e . S
 * increases if y >= 0, since its derivative x e . S_s + y e . S_t is positive; f . S increases if y <= 0. The proof
 * holds for every path that is monotone in both coordinates, in particular for those through two adjacent nodes
 * (nurbs_adjacency.h); and where only one sense is possible, one direction suffices. So with the fields `tangents`
 *     type 1: T0 & T1 != 0 and T0 & opposite(T1) != 0; type 2: the same with the AND of both nodes, in the senses of a
 * link.
 *
 * Leaves. The triangles of two leaves that are not adjacent are compared: they touch if their distance is at most the
 * sum of their errors. In the paper adjacent leaves never collide; surfaces do, as their leaves may be large and
 * folded. So a leaf or two adjacent ones that fail the test are divided further, from their Bezier control points, with
 * the same three types, until the pieces are smaller than the tolerance (of the surface, nurbs_model.h, the smaller one
 * of two). Their control points give more directions and planes between them than the fields and boxes (nurbs_wedge.h).
 * Leaves that are not adjacent but within NURBS_SELF_NEAR cells of each other, and whose triangles touch, are divided
 * too: they are closer than their errors where cells are narrow.
 *
 * Guarantee. If S(p) = S(q) for two different points of the model, a pair of leaves is reported, one of which contains
 * p and the other q; except if p and q are neighbours: joined by a path on the surface within NURBS_SELF_NEIGHBOUR
 * tolerances. Points that the model identifies (seams, poles) are not different, and seams count as closed. A pair of
 * leaves that are not adjacent is only reported if their surfaces are closer than twice the sum of their errors; near
 * ones, see above, if they have pieces of the size of the tolerance whose boxes overlap.
 *
 * Edges. Leaves that are not adjacent may have neighbours across edges that surfaces share: contacts of points beside
 * an edge, or around a corner of edges, are left out (nurbs_self_edges.h).
 *
 * Trimmed surfaces: leaves outside the trims are left out. Leaves that a trim cuts count as whole where they are
 * divided, so that a contact outside the trim may be reported.
 *
 * The list. The units of the last update are kept. An update tests the last opened ones (Figure 7; its axes are
 * exchanged). Where one is not free, it is opened; leaves that touch stay. A unit whose parts are all free is tested in
 * every NURBS_SELF_PATIENCE-th update, and replaces them if it is free. Units of patches that have not changed are not
 * tested. Bodies with edges are traversed from the root, as neighbours depend on other patches. The pairs are those of
 * a traversal from the root, as a pair is reported only if no pair of nodes above it is free by the test of types 1
 * and 2.
 */
#ifndef TACT_NURBS_NURBS_SELF_H
#define TACT_NURBS_NURBS_SELF_H

#include "nurbs/nurbs_adjacency.h"
#include "nurbs/nurbs_self_edges.h"

typedef enum nurbs_unit_state {
    NURBS_UNIT_FREE,   /* no contact */
    NURBS_UNIT_OPEN,   /* its parts follow */
    NURBS_UNIT_TOUCHES /* leaves that may touch */
} nurbs_unit_state;

typedef struct nurbs_unit {
    uint32_t a, b; /* nodes; equal for type 1 */
    uint32_t size; /* units in its subtree, itself included: they follow it */
    uint8_t type;  /* 1, 2 or 3 */
    uint8_t state;
} nurbs_unit;

/* Leaves, a <= b. */
typedef struct nurbs_self_pair {
    uint32_t a, b;
} nurbs_self_pair;

/* Fields of a leaf from its control vectors (nurbs_wedge.h), computed when they are needed. */
typedef struct nurbs_sharp_field {
    uint32_t tangents[2];
    uint32_t version; /* of the bounds when they were computed; 0: never */
} nurbs_sharp_field;

ARRAY_OF(nurbs_unit_array, nurbs_unit);
ARRAY_OF(nurbs_sharp_array, nurbs_sharp_field);
ARRAY_OF(nurbs_self_pair_array, nurbs_self_pair);

/* Of the last update; by type, type 1 first. */
typedef struct nurbs_self_counts {
    uint64_t tested[3]; /* units */
    uint64_t listed[3]; /* units of the list, without those that are open */
    uint64_t open;      /* units above them */
    uint64_t leaves;    /* pairs of leaves whose triangles were compared */
    uint64_t divided;   /* leaves and pairs of leaves that were divided */
    uint64_t pieces;    /* comparisons of their pieces */
} nurbs_self_counts;

typedef struct nurbs_self {
    const nurbs_bounds *bounds;
    nurbs_unit_array units; /* depth first */
    nurbs_unit_array next;
    nurbs_self_pair_array pairs, scratch; /* pairs: the result, sorted */
    nurbs_key_array keys;                 /* per cell when the units were made: what it is */
    nurbs_index_array renumbered;         /* per such cell: its present index, or NURBS_NO_NODE */
    nurbs_sharp_array sharp;              /* per cell of the bounds */
    uint32_t sharp_version;               /* cells_version of `sharp` */
    nurbs_self_edges edges;
    nurbs_vec4 *nets; /* for the pieces of leaves */
    size_t net_size, net_count;
    uint32_t version, cells_version; /* of the bounds at the last update */
    size_t updates;                  /* number of them */
    nurbs_self_counts counts;
} nurbs_self;

/* Returns false if memory runs out; nothing is then allocated. The bounds stay where they are. */
bool tact_nurbs_self_init(nurbs_self *self, const nurbs_bounds *bounds);

void tact_nurbs_self_release(nurbs_self *self);

/* Finds the pairs of leaves that touch, after any number of updates of the bounds. `from_root`: without the list.
 * Returns false if memory runs out; the pairs are then those of the last update, and the next one succeeds if there is
 * memory. */
bool tact_nurbs_self_update(nurbs_self *self, bool from_root);

/* ---- for nurbs_self.c and tests ---- */

/* The squared distance of the segments p + [0, 1] d and q + [0, 1] e. */
double tact_nurbs_segments_square(tact_vec3 p, tact_vec3 d, tact_vec3 q, tact_vec3 e);

/* Is the distance of two triangles at most `reach`? Rounding errors are part of it. */
bool tact_nurbs_triangles_touch(const tact_vec3 a[3], const tact_vec3 b[3], double reach);

/* May two leaves that are not adjacent touch? */
bool tact_nurbs_leaves_touch(const nurbs_bounds *bounds, uint32_t a, uint32_t b);

/* May a leaf (a = b), or two leaves, touch in points that are not neighbours? Divides them. */
bool tact_nurbs_divided_leaves_touch(nurbs_self *self, uint32_t a, uint32_t b);

/* The bounds of a leaf with its sharp fields. */
nurbs_node tact_nurbs_sharp_node(nurbs_self *self, uint32_t leaf);

#endif
