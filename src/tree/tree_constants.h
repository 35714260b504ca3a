/*
 * The limits and tuned numbers of this room. Each says what it limits, its unit, why it has this value, and which test
 * fails without it. "Performance only": any value gives the same answers. "Proved": derived where stated; no test comes
 * so close that it fails without it, because a larger slack hides it.
 */
#ifndef TACT_TREE_TREE_CONSTANTS_H
#define TACT_TREE_TREE_CONSTANTS_H

#include <float.h>
#include <stdint.h>

/* ---- limits of all trees ---- */

/* Items of a tree. The builder stores the index of an item in 29 bits of a float. internal_aabb_tree, which asks for
 * one more. */
#define TREE_MAX_ITEMS (UINT32_C(1) << 29)

/* Nodes on a path from the root: the builder and the insertion keep to it, so that traversal stacks have a fixed size.
 * internal_aabb_tree. */
#define TREE_MAX_DEPTH 64

/* ---- AABB trees ---- */

/* Ratio of tact_aabb_tree_cost now to its value after the build, at which a rebuild pays. Performance only. */
#define AABB_REBUILD_COST_RATIO 1.5

/* Bins of the SAH split along the longest axis. Performance only. */
#define AABB_MAX_BINS 16u

/* Items: ranges of up to this many are split by the order of centres instead of the SAH. A multiple of TREE_WIDTH.
 * Performance only. */
#define AABB_SMALL_RANGE 16u

/* Items: the SAH of a larger range is estimated from a sample of this many to half as many. More give no better trees
 * on tori. Performance only. */
#define AABB_SAH_SAMPLES 64u

/* Relative error of a squared distance of boxes: squares and sums in floats. Proved. */
#define AABB_SQUARE_ERROR (16.0f * FLT_EPSILON)

/* Of the limit: with boxes of doubles, pairs that are closer than the limit by no more than this need not be visited.
 * Less than the accuracy of a distance, 1e-10, and more than its rounding, by which pairs that are equally far differ.
 * Performance only. */
#define AABB_WIDE_ACCURACY 1e-13

/* Relative error of the parameters at which a ray enters and leaves a box: a difference, a slack, a product, an
 * inverse. Proved; internal_relative_frame fails with a negative value. */
#define AABB_RAY_ERROR (16.0 * DBL_EPSILON)

/* ---- moving trees ---- */

/* Items of a moving tree: the keys of the skeleton have 28 bits for a node. internal_moving_tree, which asks for one
 * more. */
#define MOVING_TREE_MAX_ITEMS (UINT32_C(1) << 28)

/* Subtrees into which a refit is divided, at least, so that threads share it evenly. Performance only. */
#define MOVING_TREE_MIN_SUBTREES 64u

/* Items per task of a parallel refit: some 100 us, below which a thread does not pay. Performance only. */
#define MOVING_TREE_REFIT_GRAIN ((size_t)2048)

/* Items that share a point, at most, for the point to count in the skeleton. A vertex of a closed surface has six
 * triangles on average. Performance only: pairs that are not in the skeleton are tested. */
#define SKELETON_MAX_VALENCE 24u

/* ---- OBB overlays ---- */

/* Triangles: the box of up to this many uses their common normal and a long edge as axes. Performance only. */
#define OBB_PATCH_MAX_TRIANGLES 4u

/* Scale factors of transforms in tact_obb_overlay_nearest, no unit: beyond, squares of distances leave the floats.
 * test_complex_limits, distances_of_meshes_beyond_floats_are_found. */
#define OBB_OVERLAY_MIN_SCALE 1e-9
#define OBB_OVERLAY_MAX_SCALE 1e9

/* Relative error of a squared gap: axes that are orthogonal up to OBB_AXIS_ERROR, products, sums and squares in floats,
 * and the scale factor. Proved. */
#define OBB_GAP_ERROR 1e-5f

/* Part of the squared distance of centres that is added to the squared gap, for the order of visits only: overlapping
 * boxes with closer centres come first. Performance only. */
#define OBB_CENTRE_WEIGHT 1e-3f

/* Float epsilons of all coordinates: rounding of a projection onto the visitor's normal, as for oriented boxes
 * (bounds/obb4.h), of which it is a part. Proved. */
#define OBB_PROJECTION_EPSILONS 96.0

#endif
