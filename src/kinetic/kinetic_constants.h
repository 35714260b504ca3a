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

/* Of the largest coordinate: by how much bounds of a window are larger than needed, so that a vertex can get another
 * path that begins where it is up to rounding. Performance only. */
#define WINDOW_SLACK 0x1p-40

/* Of the error of a coordinate: features are decided by their paths if they come nearer than this. The distance of two
 * points changes by at most 2 sqrt(3) times the error. Proved. */
#define PATH_SEPARATION_FACTOR 4.0

/* Largest coordinate, velocity, time and speed of vertex motions, in the caller's units: as for steps
 * (step/step_constants.h). Sums and products of a few of them do not overflow. test_vertex_motion. */
#define ANIMATION_MAX_VALUE 1e140

/* Repetitions of a loop that are counted exactly by doubles. Proved: beyond, n + 1 is n. */
#define ANIMATION_MAX_REPETITION 0x1p52

#endif
