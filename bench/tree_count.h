/*
 * How many boxes a test of two trees compares: the traversals of the library (tree/aabb_pairs.c, bench/obb_tree.c; in
 * any order) once more, with its tests of four boxes and with counters. The library's own have none, to stay fast: who
 * counts must check that both visit as many pairs of things.
 */
#ifndef TACT_BENCH_TREE_COUNT_H
#define TACT_BENCH_TREE_COUNT_H

#include "obb_tree.h"
#include "tree/aabb_tree.h"

/* One placed tree of either kind. */
typedef struct counted_tree {
    const aabb_tree *aabb; /* or NULL */
    const obb_tree *obb;   /* or NULL */
    const tact_transform *at;
} counted_tree;

typedef struct tree_counts {
    uint64_t tested;   /* pairs of boxes */
    uint64_t overlap;  /* of these, that no axis separates */
    uint64_t by_faces; /* of these, that a face normal separates */
    uint64_t by_edges; /* that only an axis across two edges does */
    uint64_t items;    /* pairs of things visited */
} tree_counts;

/* Adds to the counts. Returns false when `visit` stopped it. */
bool tact_tree_count(const counted_tree *a, const counted_tree *b, sat_axes axes, tree_visit_pair *visit, void *context,
                     tree_counts *counts);

/* Do two boxes of the world overlap? 0: yes, 1: a face normal separates them, 2: only an axis across two edges. */
typedef struct oriented_box {
    tact_vec3 centre, axis[3]; /* unit */
    double half[3];
} oriented_box;

int tact_oriented_boxes_separated(const oriented_box *a, const oriented_box *b, sat_axes axes);

#endif
