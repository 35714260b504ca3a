/*
 * Caps, tolerances and tuned numbers of the world, by file. "Performance only": no answer and no test depends on the
 * value.
 */
#ifndef TACT_WORLD_WORLD_CONSTANTS_H
#define TACT_WORLD_WORLD_CONSTANTS_H

/* Time units: the default of tact_world_set_contact_step, a frame of 60 Hz if the unit is a second. Documented in
 * tact/rigid.h. Needed by internal_world. */
#define WORLD_DEFAULT_CONTACT_STEP (1.0 / 60.0)

/* Duration: shorter contact steps are rejected. Quotients of times and speeds must not overflow. Documented in
 * tact/rigid.h. Needed by internal_world, garbage_is_refused. */
#define MIN_CONTACT_STEP 1e-100

/* ---- test.c ---- */

/* Pairs per task of a parallel test: about 100 us of work; waking a thread takes several us. Performance only. */
#define WORLD_TEST_GRAIN 2048

/* Bodies per task of parallel self-collision tests: one, as a body has thousands of triangles. Performance only. */
#define WORLD_SELF_TEST_GRAIN 1

/* Bits per coordinate of a cached separating axis, a relative error of 5e-7: three coordinates and a flag fill the 64
 * bits of a pair. The axis is a starting point, so its error costs iterations. Performance only. */
#define CACHED_AXIS_BITS 21

/* ---- contact.c ---- */

/* A factor by which the array of contact points grows at most: the query is repeated each time. Larger ones need fewer
 * repetitions, and may allocate more than needed. Performance only. */
#define CONTACT_POINTS_GROWTH 4

/* ---- world_query.c ---- */

/* Queries per task of a parallel batch: about 50 us of work. Performance only. */
#define WORLD_QUERY_GRAIN 32

/* Relative to the hit and the coordinates of the query: ten times the error of a distance (tact/query.h). The limit of
 * the traversal exceeds the best hit by this, so that hits at equal distances do not depend on the order of bodies.
 * Needed by test_world_intersections. */
#define WORLD_QUERY_LIMIT_MARGIN 1e-9

/* Relative to a half extent: likewise for casts, twice the distance at which a cast may stop (tact_toi_def). Needed by
 * test_world_query, of_equals_the_earliest_is_found. */
#define WORLD_QUERY_CAST_MARGIN 2e-9

/* ---- body_bounds.c ---- */

/* A factor: exceeds the rounding errors of the few operations that compute the bounds of a body. Needed by
 * internal_world. */
#define BODY_BOUNDS_ROUNDING (1.0 + 1e-14)

/* Indices of a mesh: with more, its tree finds the bounds faster than a loop over the vertices. Performance only, but
 * for BODY_BOUNDS_TREE_MARGIN. */
#define BODY_BOUNDS_MAX_LOOP 512u

/* Relative to the longest side: how much larger the bounds found by the tree may be; a few ulp of a float. Needed by
 * internal_deform, deformed_bodies_answer_as_new_ones. */
#define BODY_BOUNDS_TREE_MARGIN 1e-6

/* Points of a shape: up to so many, the bounding radius is computed from the points, else from the box. Also the size
 * of a buffer on the stack. Performance only: the bounds of a box are larger, and hold as well. */
#define BODY_BOUNDS_MAX_POINTS 64

/* ---- deform.h ---- */

/* Ranges of stale vertices: of more, those with the smallest gap are merged. Performance only; at least 2. */
#define DEFORM_MAX_RANGES 8

/* ---- response_table.c ---- */

/* Entries of the first hash table, a power of two. Performance only. */
#define RESPONSE_TABLE_MIN_SIZE 16

/* Steps of shape queries (tact/progress.h) in a unit of work of a world: 50 us, as an event. Performance only. */
#define WORLD_STEPS_PER_UNIT 1000

/* Units of work between two reports of progress: some 100 us. Documented in tact/progress.h. Performance only. */
#define WORLD_PROGRESS_INTERVAL UINT64_C(64)

#endif
