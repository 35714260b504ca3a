/*
 * The triangles of a mesh near points, where many boxes contain each point.
 *
 * The tree finds the triangles around a point quickly, unless most of their boxes contain it: n large triangles that
 * all cross cost n for each point, and with n^2 contacts n^3 in all. So once the searches in the tree have visited many
 * triangles, an octree answers. A cell lists the triangles whose plane and box meet it, and is divided only where
 * points are searched for. A cell is paid for by the visits of its parent that it replaces.
 *
 *     contact_cells cells = {.allocator = allocator};
 *     tact_contact_cells_visit(&cells, of, point, near, visit, context)
 *     tact_contact_cells_release(&cells);
 *
 * Guarantee: every triangle within `near` of the point is visited, unless the visitor stops; others may be. Cost of m
 * searches among n triangles in general position: of each plane, the cells of the surface only, so some n m^(1/3) to
 * n m^(2/3) instead of n m. Memory: in proportion to the triangles visited. Without memory, the tree answers.
 */
#ifndef TACT_COMPLEX_CONTACT_CELLS_H
#define TACT_COMPLEX_CONTACT_CELLS_H

#include "complex/traversal.h"
#include "core/array.h"
#include "tree/tree.h"

typedef struct contact_cell {
    tact_vec3 centre;
    double half;          /* length: half a side */
    size_t from;          /* its list begins here */
    uint32_t count;       /* triangles listed */
    uint32_t visits;      /* searches that ended here */
    uint32_t children[8]; /* TREE_NONE: not divided there */
} contact_cell;

ARRAY_OF(contact_cell_array, contact_cell);
ARRAY_OF(contact_cell_list, uint32_t);

/* Begins with the allocator, and all else zero. */
typedef struct contact_cells {
    const tact_allocator *allocator;
    instance of;              /* what the rest is about; shape NULL: nothing */
    contact_cell_array cells; /* the root first; none: the tree answers */
    contact_cell_list lists;
    double near, slack; /* lengths: searches are for this at most; cells are enlarged by this */
    bool failed;        /* no memory, or coordinates that do not allow it */
    uint64_t searches;  /* in this instance */
    uint64_t visited;   /* triangles, in them and to list them */
} contact_cells;

/* Visits the triangles of a mesh that may be within `near` of a point. */
void tact_contact_cells_visit(contact_cells *s, const instance *of, tact_vec3 point, double near,
                              tree_visit_bounded *visit, void *context);

void tact_contact_cells_release(contact_cells *s);

#endif
