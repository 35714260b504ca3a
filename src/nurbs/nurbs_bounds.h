/*
 * Bounds of the cells of a tessellation (nurbs/nurbs_tessellation.h), and of groups of patches above them: a box that
 * contains the true surface, and the directions in which the surface is monotone. (Lau, Chan, Luk and Li 2002, 3
 * and 5.1.)
 *
 * Direction fields. A set of directions that is closed under negation is sampled: the 6 faces, 8 corners and 12 edges
 * of a cube. Bit k of `tangents[d]` is set only if direction k has a positive dot product with the derivative S_s (d =
 * 0) or S_t (d = 1) at *every* point of the cell. The bits of an inner cell are the AND of its children. nurbs_self.h
 * says what follows from them. (The paper samples 14 directions of normals instead, which does not suffice.)
 *
 * Bounds of a leaf. Let P00, P10, P01, P11 be the corners of the cell and s, t its own coordinates in [0, 1]. The error
 * E of the cell is (|S_ss| + 2 |S_st| + |S_tt|) / 8 with the largest second derivatives (nurbs/bezier_net.h).
 *  - The cell is two triangles of its corners, so the box of the corners, expanded by E, contains it.
 *  - a = ((P10 - P00) + (P11 - P01)) / 2 is a mean of S_s: over s in [0, 1] and t in {0, 1}. The mean of |s - s'| is at
 * most 1/2, and so is that of |t - t'|. So |S_s - a| <= (|S_ss| + |S_st|) / 2 =: r. Likewise |S_t - b| <= (|S_st| +
 * |S_tt|) / 2
 *    =: r', and r + r' <= 4 E. Direction k is set if its dot product with a exceeds 4 E.
 * Positions of corners have an additional error of rounding and of seams (`slack`). A degenerate cell has no bits;
 * one that touches a pole has those of nurbs_wedge.h, which hold except on the pole.
 *
 * Groups. A binary tree above the patches halves the surfaces by number and each surface by spans, at the middle of its
 * longer side. It depends on the model only. A group within one surface is a rectangle of patches.
 *
 * Trims do not matter here: the bounds are those of whole cells.
 *
 * A move of control points updates the changed patches, and those joined to them by seams and their ends, bottom-up.
 * The state after any number of moves equals that of new bounds, bit for bit.
 */
#ifndef TACT_NURBS_NURBS_BOUNDS_H
#define TACT_NURBS_NURBS_BOUNDS_H

#include "bounds/box.h"
#include "nurbs/nurbs_tessellation.h"

/* Bits of `tangents`, from 0: the directions x, y, z, unused; (1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1);
 * (0, 1, 1), (1, 0, 1), (1, 1, 0), unused; (0, 1, -1), (-1, 0, 1), (1, -1, 0), unused. Then their opposites:
 * directions k and NURBS_DIRECTIONS + k. Unused bits are 0; they allow to compute four directions at a time. */
#define NURBS_DIRECTIONS 16

typedef struct nurbs_node {
    box box;
    uint32_t tangents[2];
} nurbs_node;

/* A node is a cell by its index, or a group of patches by its index with this bit. */
#define NURBS_GROUP (UINT32_C(1) << 31)
#define NURBS_NO_NODE UINT32_MAX

typedef struct nurbs_group {
    uint32_t parent;          /* group, NURBS_NO_NODE for the root */
    uint32_t child[2];        /* groups with NURBS_GROUP, or patches */
    uint32_t surface;         /* NURBS_NO_NODE: patches of several surfaces */
    uint32_t low[2], high[2]; /* spans [low, high) of its patches, if `surface` is set */
} nurbs_group;

typedef struct nurbs_bounds {
    const nurbs_tessellation *t;
    nurbs_node *cells;      /* per cell */
    uint32_t *parents;      /* per cell: its parent, NURBS_NO_NODE for roots */
    uint32_t (*corners)[4]; /* per leaf: vertices at (0, 0), (1, 0), (1, 1), (0, 1); UINT32_MAX first: evaluate them */
    size_t cell_count, cell_capacity;
    nurbs_group *groups; /* parents before children; patch_count - 1 of them */
    nurbs_node *group_nodes;
    uint32_t *patch_parent;  /* per patch: its group */
    uint32_t *patch_version; /* per patch and per group: `version` when its bounds were computed last */
    uint32_t *group_version;
    double *gap;       /* per patch: no vertex of it is farther from its own point because of seams */
    double edge_gap;   /* of the tessellation, at the last update */
    double *class_gap; /* per corner class: the sum of the gaps of the seams that end there; negative: none */
    uint8_t *moved;    /* per corner class: a patch there has changed */
    uint8_t *dirty;
    uint32_t version;       /* number of updates */
    uint32_t cells_version; /* `version` when the cells were numbered last */
    bool stale;             /* the last update failed */
} nurbs_bounds;

/* Bounds of the present state of a tessellation, which stays where it is. Returns false if memory runs out; nothing is
 * then allocated. Some 8 ns per cell. */
bool tact_nurbs_bounds_init(nurbs_bounds *b, const nurbs_tessellation *t);

void tact_nurbs_bounds_release(nurbs_bounds *b);

/* After each move of control points, with its result. Returns false if memory runs out, which only happens after
 * NURBS_MOVE_CELLS; the bounds must then not be used until an update succeeds. */
bool tact_nurbs_bounds_update(nurbs_bounds *b, nurbs_move move);

/* The bounds of a cell or a part of it from its corners in the order of nurbs_bounds.corners, its error, the error of
 * the corners, and the largest coordinate. */
void tact_nurbs_node_of_corners(const tact_vec3 corners[4], double error, double slack, double largest,
                                nurbs_node *node);

/* The rounding error of points and control points of a patch, without seams, and its largest coordinate. */
void tact_nurbs_patch_slack(const nurbs_bounds *b, uint32_t patch, double *slack, double *largest);

static inline const nurbs_node *nurbs_node_at(const nurbs_bounds *b, uint32_t node)
{
    return (node & NURBS_GROUP) != 0 ? &b->group_nodes[node & ~NURBS_GROUP] : &b->cells[node];
}

/* The node of everything. */
static inline uint32_t nurbs_root_node(const nurbs_bounds *b) { return b->t->model->patch_count > 1 ? NURBS_GROUP : 0; }

/* The node of a child of a group: a group or the root cell of a patch. */
static inline uint32_t nurbs_group_child(const nurbs_bounds *b, uint32_t group, int k)
{
    const uint32_t child = b->groups[group].child[k];
    return (child & NURBS_GROUP) != 0 ? child : b->t->first_cell[child];
}

static inline uint32_t nurbs_node_version(const nurbs_bounds *b, uint32_t node)
{
    return (node & NURBS_GROUP) != 0 ? b->group_version[node & ~NURBS_GROUP]
                                     : b->patch_version[b->t->cells.items[node].patch];
}

/* The field of the opposite directions. */
static inline uint32_t nurbs_opposite(uint32_t tangents)
{
    return tangents >> NURBS_DIRECTIONS | tangents << NURBS_DIRECTIONS;
}

#endif
