/* The caps and tuned numbers of the broad phase. None of them can change an answer: they limit time and memory. */
#ifndef TACT_BROAD_BROAD_CONSTANTS_H
#define TACT_BROAD_BROAD_CONSTANTS_H

/* ---- the dynamic tree (dynamic_tree.c) ---- */

/* A length: greater extents count as this, so that no area overflows. */
#define DYNAMIC_TREE_MAX_EXTENT 1e12f

/* A coordinate: bounds beyond count as this, so that the sum of two does not overflow. */
#define DYNAMIC_TREE_MAX_BOUND 1e30f

/* Levels that are split at the midpoint; then at the median, at most 31 more as there are less than 2^31 items. Limits
 * the height for boxes in a geometric series; internal_broad (towers of boxes) overflows its stack without. */
#define DYNAMIC_TREE_MIDPOINT_SPLITS 40

/* ---- choosing an engine (engine_choice.h) ---- */

/* Ratio of costs: how much cheaper the other engine must be. The cost models are right within some 30 %. */
#define ENGINE_CHOICE_GAIN 1.3

/* Periods in which the saving must pay for the change of engine. */
#define ENGINE_CHOICE_PAYBACK 8.0

/* Periods: the longest wait after a change of engine. */
#define ENGINE_CHOICE_MAX_BACKOFF 63

/* ---- sweep and prune or dynamic tree (broad_choice.c) ---- */

/* Updates: each of this number is counted; a period has BROAD_CHOICE_PERIOD that are. */
#define BROAD_CHOICE_SAMPLE 4
#define BROAD_CHOICE_PERIOD 16

/* Proxies: with more, AUTO does not take the sweep, whose queries are linear. */
#define BROAD_CHOICE_MAX_SWEEP 4096

/* Near pairs of the tree for each pair that overlaps: an estimate while the sweep is at work. */
#define BROAD_CHOICE_NEAR 3.0

/* Moves that a fat box allows on average where a proxy moves little: an estimate likewise. */
#define BROAD_CHOICE_MOVES 24.0f

#endif
