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
typedef struct obstacle_leaf {
    flex_obstacle path;
    tact_transform body_transform[2]; /* of the body, at the beginning and at the end */
    double versine;                   /* of the angle by which the body turns */
    uint32_t part;                    /* of the scene */
    uint32_t shape;                   /* in the list of shapes */
} obstacle_leaf;

/* A convex element of such a leaf. */
typedef struct obstacle_element {
    uint32_t leaf, element;
} obstacle_element;

ARRAY_OF(obstacle_leaf_array, obstacle_leaf);
ARRAY_OF(obstacle_element_array, obstacle_element);
ARRAY_OF(step_shape_array, tact_shape *);

/* Zero to begin with. */
typedef struct obstacle_set {
    step_shape_array shapes; /* references to those of the bodies, as they were placed */
    obstacle_leaf_array body_leaves;
    obstacle_element_array elements;
    box_array boxes;       /* of leaves, around their ways */
    aabb_tree tree;        /* over these */
    double max_coordinate; /* the greatest coordinate of any of them on its way */
} obstacle_set;

/* The way of a body. */
typedef struct obstacle_path {
    const tact_transform *from, *to;
    axis_rotation rotation; /* from the one to the other */
} obstacle_path;

/* None. */
void tact_obstacle_set_clear(obstacle_set *l);

void tact_obstacle_set_release(obstacle_set *l, const tact_allocator *allocator);

/* Adds those of a body that is the part of this number. `slides` tells whether it goes there without a turn, as it is
 * round; `group` which is its first. */
tact_status tact_obstacle_set_add(obstacle_set *l, uint32_t part, tact_shape *shape, const obstacle_path *way,
                                  bool *slides, uint32_t *group, const tact_allocator *allocator);

/* The body whose first group this is goes another way, from the same place. */
tact_status tact_obstacle_set_change_path(obstacle_set *l, uint32_t group, const obstacle_path *way);

/* To be called when all have been added, or have been given other ways. */
tact_status tact_obstacle_set_finish(obstacle_set *l, const tact_allocator *allocator);

#endif
