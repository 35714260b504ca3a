/*
 * Counts the box tests of a test of two trees: the library's traversals (tree/aabb_pairs.c, bench/obb_tree.c; in any
 * order) with its test of four boxes, and with counters. The library's own traversals have none, to stay fast. Callers
 * must check that both visit the same number of pairs of items.
 */
#ifndef TACT_BENCH_TREE_COUNT_H
#define TACT_BENCH_TREE_COUNT_H

#include "obb_tree.h"
#include "tree/aabb_tree.h"

/* A transformed tree of either kind. */
typedef struct counted_tree {
    const aabb_tree *aabb; /* or NULL */
    const obb_tree *obb;   /* or NULL */
    const tact_transform *at;
} counted_tree;

typedef struct tree_counts {
    uint64_t tested;   /* pairs of boxes */
    uint64_t overlap;  /* not separated by any axis */
    uint64_t by_faces; /* separated by a face normal */
    uint64_t by_edges; /* separated only by a cross product of edges */
    uint64_t items;    /* visited pairs of items */
} tree_counts;

/* Adds to the counts. Returns false if `visit` stopped it. */
bool tact_tree_count(const counted_tree *a, const counted_tree *b, sat_axes axes, tree_visit_pair *visit, void *context,
                     tree_counts *counts);

/* An oriented box in world coordinates. */
typedef struct oriented_box {
    tact_vec3 centre, axis[3]; /* unit */
    double half[3];
} oriented_box;

/* Returns 0 if the boxes overlap, 1 if a face normal separates them, 2 if only a cross product of edges does. */ int
tact_oriented_boxes_separated(const oriented_box *a, const oriented_box *b, sat_axes axes);

#endif
