/*
 * The obstacles of a step that are met as shapes, not by vertices and faces: the leaves of round bodies, of bodies with
 * a margin, of soups and compounds, with their ways and a tree of boxes around these.
 */
#ifndef TACT_STEP_OBSTACLE_LEAVES_H
#define TACT_STEP_OBSTACLE_LEAVES_H

#include "core/array.h"
#include "motion/motion.h"
#include "toi/deforming_toi.h"
#include "world/deform.h"

/* A leaf of a body: of a mesh or soup all its elements. */
typedef struct step_group {
    flex_obstacle way;
    tact_transform body[2]; /* of the body, at the beginning and at the end */
    double versine;         /* of the angle by which the body turns */
    uint32_t part;          /* of the scene */
    uint32_t shape;         /* in the list of shapes */
} step_group;

/* A convex element of such a leaf. */
typedef struct step_leaf {
    uint32_t group, element;
} step_leaf;

ARRAY_OF(step_group_array, step_group);
ARRAY_OF(step_leaf_array, step_leaf);
ARRAY_OF(step_shape_array, tact_shape *);

/* Zero to begin with. */
typedef struct step_leaves {
    step_shape_array shapes; /* references to those of the bodies, as they were placed */
    step_group_array groups;
    step_leaf_array leaves;
    box_array boxes; /* of leaves, around their ways */
    aabb_tree tree;  /* over these */
    double size;     /* the greatest coordinate of any of them on its way */
} step_leaves;

/* The way of a body. */
typedef struct step_way {
    const tact_transform *from, *to;
    axis_rotation turned; /* from the one to the other */
} step_way;

/* None. */
void tact_step_leaves_clear(step_leaves *l);

void tact_step_leaves_release(step_leaves *l, const tact_allocator *allocator);

/* Adds those of a body that is the part of this number. `slides` tells whether it goes there without a turn, as it is
 * round; `group` which is its first. */
tact_status tact_step_leaves_add(step_leaves *l, uint32_t part, tact_shape *shape, const step_way *way, bool *slides,
                                 uint32_t *group, const tact_allocator *allocator);

/* The body whose first group this is goes another way, from the same place. */
tact_status tact_step_leaves_turn(step_leaves *l, uint32_t group, const step_way *way);

/* To be called when all have been added, or have been given other ways. */
tact_status tact_step_leaves_finish(step_leaves *l, const tact_allocator *allocator);

#endif
