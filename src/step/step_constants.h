/*
 * The limits, tolerances and tuned numbers of this room. Each says what it limits, its unit and why it has this
 * value, and names the test that fails without it where one does. "Performance only": other values give other valid
 * results after more or fewer iterations.
 */
#ifndef TACT_STEP_STEP_CONSTANTS_H
#define TACT_STEP_STEP_CONSTANTS_H

/* ---- limits of the input ---- */

/* Length: the largest coordinate in a step. No body can then get so far out that it could not be deformed or
 * transformed there (1e150 less a body's own margin, over 24). Needed by internal_step. */
#define STEP_MAX_COORDINATE 1e140

/* Inverse mass: the smallest one except 0, and the inverse of the largest. Sums and quotients of a few of them, times
 * coordinates, stay finite. Needed by internal_step. */
#define STEP_MIN_INVERSE_MASS 1e-50

/* ---- responses (default_response.c) ---- */

/* Relative to the largest coordinate: the smallest gap that a response aims at, 2^14 ulps. A response and its target
 * are rounded a dozen times, each time by at most one ulp, so what is pushed apart so far is apart. And no gap can
 * shrink from step to step until it is lost. Needed by internal_step, a_falling_sheet_rests_on_the_floor. */
#define STEP_MIN_GAP 0x1p-38

/* The same between a face and an obstacle that is tested as a shape, where nothing is exact: a gap should be well above
 * the tolerance. What is near while a face tilts against a curved surface is followed in steps of the square root of
 * the gap (toi/deforming_toi.h): one a degree with this. A sheet on a sphere, without a thickness, takes 4.5 iterations
 * a step; with 2^-26 it takes 6.8, with 2^-14 2.3. Needed by test_step_shapes. */
#define STEP_SHAPE_MIN_GAP 0x1p-20

/* Relative to the gap that a response aims at: it may shrink to this before it is pushed apart again. If any loss
 * counted, each push would propagate through all layers of a pile, and all of it would be tested again: in the shower
 * (examples/cloth) that is twice the vertices an iteration and 1.5 times the iterations. From 0.1 to 0.5 it makes no
 * difference. Needed by internal_step. */
#define STEP_GAP_KEPT 0.5

/* Relative to the thickness: how far features that are nearer are pushed apart in a step. All at once would throw thin
 * cloth apart, as springs do. Needed by internal_step. */
#define STEP_RECOVERY 0.25

/* Relative to |d(0)|: a normal with a smaller component along d(0) says nothing about the side on which the features
 * began. Needed by internal_step. */
#define STEP_MIN_NORMAL_COMPONENT 1e-6

/* Relative to the thickness: the smallest gap that a response aims at. Features that are pushed apart less collide
 * again with the next push of a neighbour. With none, some steps of the tumbling torus (examples/cloth) do not end
 * within 100 iterations. Needed by internal_step, a_falling_sheet_rests_on_the_floor. */
#define STEP_MIN_THICKNESS_GAP 0.25

/* ---- iterations (step_resolve.c) ---- */

/* Passes over all past contacts and proximities in an iteration of the default response. With 4 the tumbling torus
 * takes a fifth more iterations, with 16 a tenth fewer, for passes that cost about what that saves. Performance only.
 */
#define STEP_PASSES 8

/* Passes over all proximities at the start of the step: each propagates a push by one layer. Performance only. */
#define STEP_PROXIMITY_PASSES 8

/* Contacts of a vertex that the default response takes in an iteration, the first ones. Later ones are mostly void once
 * these are resolved, as those of a sheet with all layers of the pile that it falls on. With 1, as in the paper, there
 * are up to 1.7 times as many iterations; with all, many times as many contacts. Performance only. */
#define STEP_CONTACTS_PER_VERTEX 4

/* ---- fail-safe (step_resolve.c) ---- */

/* Iterations of responses each time that zones have grown: their neighbours mostly find a way within a few. Performance
 * only. */
#define STEP_ZONE_ITERATIONS 4

/* Growths of zones: after so many there are no more responses in between; and after so many, no more growth. Needed by
 * test_step_shapes (STEP_MAX_ZONE_GROWTHS). */
#define STEP_ZONE_GROWTHS_WITH_RESPONSE 16
#define STEP_MAX_ZONE_GROWTHS 256

/* Fractions: a step is shortened to this much of the time of its first contact, or to the second if that is too early.
 * Needed by internal_step. */
#define STEP_SHORTENING 0.9
#define STEP_MIN_SHORTENING 0.1

/* How often a step is shortened, mostly to what is free, before it is given up. Needed by internal_step,
 * between_obstacles_the_step_is_shortened (0). More only cost time: a step shrinks each time, to nothing in the end. */
#define STEP_MAX_SHORTENINGS 48

/* ---- searches (step_find.c, shape_contacts.c) ---- */

/* Factor: the tree is rebuilt when its extent has grown to so much of its minimum. It is built for the positions at
 * that time. Falling sheets keep it good, and where they lie on each other a new one, which mixes them, is worse.
 * Crumpling sheets degrade it, until after 50 steps of the shower (examples/cloth) a search takes three times as long.
 * From 1.1 to 1.3 there is no measurable difference. Performance only. */
#define STEP_TREE_GROWTH 1.2

/* Candidate pairs of faces and shapes that are solved together: enough for some threads, and 200 kB of results.
 * Performance only. */
#define SHAPE_CONTACT_BLOCK 1024

/* Pairs that are worth a thread. Some take 50 ns, some 5 us, and threads that wait for each other on a busy machine
 * cost more than a cloth of a thousand triangles gains. Performance only. */
#define SHAPE_CONTACT_GRAIN 256

/* Square of the relative size of a rotating body on its straight path (s^2 of toi/deforming_toi.h): below this, for
 * rotations of 151 degrees or more, the body point of a contact is not recovered from its position. Needed by
 * test_step_shapes, friction_is_that_of_the_surface. */
#define SHAPE_CONTACT_MIN_SHRINK 0.0625

/* Relative to the largest coordinate of the deformable bodies, or to the distance of the plane from the world's origin:
 * half the side of the box that stands for a half-space. Above 4 only its upper face can be touched by vertices that
 * stay within twice that coordinate. Needed by test_halfspace_world, cloth_falls_on_a_halfspace_in_steps. */
#define STEP_HALFSPACE_REACH 16.0

/* Exact feature tests that count as a unit of work of a call. Documented in tact/world.h. */
#define STEP_TESTS_PER_UNIT 1000

#endif
