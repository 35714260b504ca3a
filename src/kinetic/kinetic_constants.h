/* The tolerances and limits of this room: unit, reason, and the test that fails without them. */
#ifndef TACT_KINETIC_KINETIC_CONSTANTS_H
#define TACT_KINETIC_KINETIC_CONSTANTS_H

/* Ratio of the total extent of the bounds to the least since the tree was built: beyond it the tree is built anew. As
 * for steps (step/step_constants.h): a tree that has grown by a fifth makes a search take a quarter longer, and
 * building one takes some three searches. Performance only. */
#define KEYFRAME_TREE_GROWTH 1.2

/* Windows: one in so many examines whether its tree has grown, which takes 2 % of a window. Performance only. */
#define TREE_CHECK_WINDOWS 8u

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

/* Largest coordinate and velocity of the paths of a saved world, in the caller's units. Shapes and transforms go up to
 * 1e150 each, so vertices of rigid bodies may be a little farther out. Larger ones are rejected:
 * internal_record_animation. */
#define PATH_MAX_VALUE 1e152

/* Repetitions of a loop that are counted exactly by doubles. Proved: beyond, n + 1 is n. */
#define ANIMATION_MAX_REPETITION 0x1p52

/* ---- certificates: kinetic_motion.h ---- */

/* The tie in units of the scale. A coordinate has an error of at most 8 2^-53 of the scale, a difference of two with an
 * offset at most 20. The failure time has an error that moves the difference by at most twice that, and by 4 more for
 * the rounding of quotient and time: 64 together, and half as much again. internal_kinetic_tree,
 * internal_separation_list. */
#define KINETIC_TIE 0x1.8p-47

/* Length: what the difference loses to underflow, at most. Proved. */
#define KINETIC_TIE_UNDERFLOW 0x1p-1064

/* Ties by which a vertex may exceed the extreme of its box, for each level of the tree. Proved: a certificate holds up
 * to two ties, and swaps at most one tie early. internal_kinetic_tree. */
#define KINETIC_TIES_PER_LEVEL 3.0

/* Factor by which the scale may grow before the margin is enlarged. Performance only. */
#define KINETIC_SCALE_GROWTH 2.0

/* Pieces of a vertex that are examined ahead for one certificate: some 200 ns. Performance only. */
#define KINETIC_MAX_PIECES 16u

/* Units of the scale: a vertex whose next piece begins farther away than this jumps. Several roundings of a position,
 * and below the tie. internal_separation_list. */
#define KINETIC_JUMP 0x1p-49

/* Items of a tree, and vertices: the key of a pair of boxes in the event queue has 28 bits for each box. Proved: a tree
 * has fewer than twice as many boxes as items. internal_kinetic_tree tests that more are refused. */
#define KINETIC_MAX_ITEMS (UINT32_C(1) << 27)

/* Changes of one extreme at one time: four candidates that swap at once need three. internal_kinetic_tree. */
#define KINETIC_MAX_SWAPS 4u

/* Pairs of boxes of a separation list: the ends of their links are numbered from 0 to twice their number. Proved: that
 * fits 32 bits, and the largest number stays free. */
#define SEPARATION_MAX_PAIRS (UINT32_C(1) << 30)

/* Of a separation list, one in so many pairs: if fewer events happen up to the horizon of the queue, the next horizon
 * is twice as far; if more, half as far. Performance only. */
#define HORIZON_FEW_EVENTS 32u
#define HORIZON_MANY_EVENTS 8u

/* Marked pairs of a separation list that are prefetched ahead. Performance only. */
#define SEPARATION_PREFETCH 4u

/* Key frames that are read ahead, and so pieces that certificates are examined ahead. Performance only. */
#define LIST_FRAMES_AHEAD ((size_t)32)

/* Samples of the table of a list of windows: pieces that certificates are examined ahead, and one. Performance only. */
#define WINDOW_LIST_SAMPLES ((size_t)33)

/* Windows that the table of such a list reaches ahead where vertices have constant velocities. Performance only. */
#define WINDOW_LIST_AHEAD 16.0

/* Largest coordinate and time of such a table: the scale of kinetic_motion.h does not overflow. Beyond it, windows are
 * searched by a sweep. internal_window_list. */
#define WINDOW_LIST_MAX_VALUE 1e290

/* Largest time of such a table in units of its shortest piece. The tie of certificates grows with it: at this limit it
 * is 2^-20 of the largest coordinate. With a tie as large as the scene the list would go on in steps of one ulp of the
 * time. Beyond it, windows are searched by a sweep. internal_window_list; test_deforming_pairs,
 * a_short_piece_takes_no_time. */
#define WINDOW_LIST_MAX_PIECES 0x1p26

/* ---- the choice of the engine: engine_trials.h ---- */

/* Windows of a trial that are compared. Performance only. */
#define TRIAL_WINDOWS 4u

/* A trial begins when the engine at work has done so many times the work that the trial costs: the first time, and at
 * most. Twice as many after each trial without a change. Performance only. */
#define TRIAL_PATIENCE 8.0
#define TRIAL_MAX_PATIENCE 512.0

/* The other engine takes over if its work is less than this part. Performance only. */
#define TRIAL_GAIN 0.8

#endif
