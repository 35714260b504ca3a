/* The tolerances and limits of this room: unit, reason, and the test that fails without them. */
#ifndef TACT_KINETIC_KINETIC_CONSTANTS_H
#define TACT_KINETIC_KINETIC_CONSTANTS_H

/* Ratio of the total extent of the bounds to the least since the tree was built: beyond it the tree is built anew. As
 * for steps (step/step_constants.h): a tree that has grown by a fifth makes a search take a quarter longer, and
 * building one takes some three searches. Performance only. */
#define KEYFRAME_TREE_GROWTH 1.2

/* Relative to the largest coordinate: a position between two key frames, (1 - s) x0 + s x1, has a rounding error of at
 * most three units of 2^-53 of it. Twice that for two features, and as much again. Proved. */
#define KEYFRAME_BETWEEN_ERROR 0x1p-49

/* Length: what such a position loses to underflow, at most, for two features. Proved. */
#define KEYFRAME_UNDERFLOW 0x1p-1070

#endif
