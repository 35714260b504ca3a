/*
 * The obstacles of a step that are tested as shapes, not by vertices and faces: the leaves of curved bodies, of bodies
 * with a margin, of soups and compounds, with their paths and an AABB tree of swept boxes.
 */
#ifndef TACT_STEP_OBSTACLE_LEAVES_H
#define TACT_STEP_OBSTACLE_LEAVES_H

#include "core/array.h"
#include "motion/motion.h"
#include "toi/deforming_toi.h"
#include "world/deform.h"

/* A leaf of a body, with all its elements if it is a mesh or soup. */
typedef struct obstacle_leaf {
    moving_obstacle path;
    tact_transform body_transform[2]; /* of the body, at the start and at the end */
    double versine;                   /* 1 - cos of the angle by which the body rotates */
    uint32_t part;                    /* of the scene */
    uint32_t shape;                   /* index into the list of shapes */
} obstacle_leaf;

/* A convex element of such a leaf. */
typedef struct obstacle_element {
    uint32_t leaf, element;
} obstacle_element;

ARRAY_OF(obstacle_leaf_array, obstacle_leaf);
ARRAY_OF(obstacle_element_array, obstacle_element);
ARRAY_OF(step_shape_array, tact_shape *);

/* Zero-initialised. */
typedef struct obstacle_set {
    step_shape_array shapes; /* references to those of the bodies */
    obstacle_leaf_array body_leaves;
    obstacle_element_array elements;
    box_array boxes;       /* of elements, around their paths */
    aabb_tree tree;        /* over these */
    double max_coordinate; /* the largest coordinate of any of them on its path */
} obstacle_set;

/* The path of a body. */
typedef struct obstacle_path {
    const tact_transform *from, *to;
    axis_rotation rotation; /* from `from` to `to` */
} obstacle_path;

/* Removes all obstacles. */
void tact_obstacle_set_clear(obstacle_set *set);

void tact_obstacle_set_release(obstacle_set *set, const tact_allocator *allocator);

/* Adds the leaves of the body of a part. `translates` gets whether it moves without rotation, as the rotation maps it
 * onto itself; `first_leaf` its first leaf. */
tact_status tact_obstacle_set_add(obstacle_set *set, uint32_t part, tact_shape *shape, const obstacle_path *path,
                                  bool *translates, uint32_t *first_leaf, const tact_allocator *allocator);

/* Gives the body with this first leaf another path from the same start. */
tact_status tact_obstacle_set_change_path(obstacle_set *set, uint32_t first_leaf, const obstacle_path *path);

/* To be called when all bodies are added, or have got other paths. */
tact_status tact_obstacle_set_finish(obstacle_set *set, const tact_allocator *allocator);

#endif
