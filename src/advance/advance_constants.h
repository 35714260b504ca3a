/*
 * Tolerances, caps and tuned numbers of the world through continuous time: what each limits, its unit, why this value,
 * and a test that fails without it (0, or far larger), where one does.
 *
 * "Size" is that of the smaller body of a pair: half its largest extent. "Resolution" is DBL_EPSILON times the largest
 * coordinates and displacements that enter: the spacing of doubles there. bounce.c has its own constants.
 */
#ifndef TACT_ADVANCE_ADVANCE_CONSTANTS_H
#define TACT_ADVANCE_ADVANCE_CONSTANTS_H

#include <float.h>

#include "world/world_constants.h"

/* ---- touch and separation ---- */

/* Of the size: two bodies touch when they are this near. Documented in tact/advance.h. Needed by internal_motion_plan.
 */
#define TOUCH_TOLERANCE 1e-12

/* Of the size: a reported pair is separated when it is this far apart. Between this and TOUCH_TOLERANCE is what
 * rounding makes of a contact that goes on: without the gap a pair is reported again at once. Documented in
 * tact/advance.h. Needed by internal_rigid, a_crate_that_tips_stays_out_of_the_wall. */
#define SEPARATION_DISTANCE 1e-9

/* Triangles of each body around two that intersected, among which two others are searched that do. A vertex has six on
 * average, three vertices some 13. Performance only: if none are found, all of both bodies are tested. */
#define WITNESS_MAX_TRIANGLES 32u

/* Least tolerances of a time of impact (query/query.h): a reported pair of NURBS shapes is separated when it is this
 * far apart. More than 1: a pair is reported up to one tolerance apart, and would be reported again at once. Needed by
 * test_nurbs_shape, bodies_pass_through_surfaces (fails with 0.5). */
#define SEPARATION_TOLERANCES 2.0

/* Of the distance of NURBS surfaces with moving control points from their triangles: a reported pair is separated when
 * the triangles are farther apart than that, by this fraction. The contact search reports pairs within 1e-6 more
 * (tact/ccd.h), and must not find the pair again at once. Needed by test_nurbs_motion. */
#define SURFACE_SEPARATION 1e-5

/* Units of resolution: lower bounds of the two lengths above, where coordinates or times are coarse. Needed by
 * internal_advance_cases, fast_bodies_meet_walls, and internal_motion_plan, polls_are_at_multiples. */
#define TOUCH_TOLERANCE_UNITS 8.0
#define SEPARATION_DISTANCE_UNITS 128.0

/* Of the size: upper bound of the touch tolerance, however coarse times are. Otherwise two bodies that pass through
 * each other within one ulp of the time would count as separating. Needed by internal_advance_cases. */
#define MAX_TOUCH_TOLERANCE 0x1p-6

/* Length: smaller sizes count as this, so that squares of tolerances do not underflow. Documented in tact/query.h.
 * Needed by internal_advance_cases, balls_of_any_size_are_met. */
#define MIN_SIZE 1e-140

/* Of the relative speed: a pair that approaches more slowly has no well-defined closing speed at the touch, and its
 * time is not refined. Needed by test_advance_limits, grazing_touches_are_close (0), and head_on_touches_are_exact (1).
 */
#define MIN_CLOSING_SPEED 1e-3

/* Reports of one pair at one time; after that it counts as overlapping. Bodies in contact may be reported many times
 * until none approaches another; this only stops what has no end. Documented in tact/advance.h. Needed by
 * internal_advance_cases. */
#define MAX_REPORTS_AT_ONCE 256

/* Touches of one body at one time: beyond it, reports are counted for each pair, also of two spheres. Performance only:
 * below it, two spheres need no stored prediction. */
#define FREQUENT_REPORTS 64

/* ---- moving vertices ---- */

/* Of the size: how far vertices with a velocity, or a rigid body past resting vertices, move in one window. Performance
 * only: long windows have large bounds and coarse numbers, short ones cost a search each. A cloth of 2,500 vertices
 * that falls past 20 boxes takes 156 to 178 ms with 4, 16, 64, 256 and 1024: no difference beyond the noise. */
#define VERTEX_WINDOW_SIZES 64.0

/* Of the length of an edge: how far vertices with velocities move relative to each other in one window. Performance
 * only: the pairs that may touch grow with the square of it. A cloth of 2,500 vertices with smooth velocities takes 68,
 * 43, 33, 29 and 28 ms with 1, 2, 4, 8 and 16; with random ones, which meet all the time, 1.2, 0.92, 0.91 to 1.1, 1.25
 * and 2.0 s. */
#define VERTEX_WINDOW_EDGES 4.0

/* ---- horizon of a prediction ---- */

/* Duration: nothing is examined for longer, or for longer than the time of the world. Lengths must not overflow. Needed
 * by internal_advance_cases, spheres_meet_scaled_and_sheared_boxes. */
#define MAX_DURATION 1e100

/* Of recent lifetimes of a motion: nothing is predicted beyond. Performance only: a motion that the caller changes soon
 * is not worth a long search. */
#define PREDICTION_LIFETIMES 4.0

/* Radians, and multiples of both sizes: how far rotating and accelerated bodies are examined at once. Performance only:
 * beyond, bounds of the search are loose. */
#define MAX_HORIZON_ANGLE 6.0
#define MAX_HORIZON_SIZES 64.0

/* Relative: more than the rounding error of a window of time. Proved: a product and two sums, where it is used. */
#define WINDOW_ROUNDOFF (16.0 * DBL_EPSILON)

/* Relative: how much boxes are enlarged for their overlap window. More than the rounding errors of its roots. Proved:
 * stated in overlap_window.c. */
#define WINDOW_PAD 0x1p-40

/* Of the extents and the distance of two bodies: with more padding than this the window is found in pieces of the path,
 * each the factor times as long as those before. Needed by internal_work_bounds, wild_accelerations_end. */
#define WINDOW_COARSE 1.0
#define WINDOW_PIECE_GROWTH 8.0

/* Of the time: no search is limited to less than this by acceleration. A few times WINDOW_PAD, which overlap windows do
 * not resolve: an acceleration of 1e60 would limit searches to less than an ulp of the time. Needed by
 * internal_work_bounds, wild_accelerations_end. */
#define MIN_HORIZON (4.0 * WINDOW_PAD)

/* Of the duration to be examined: an unfinished search that got this far counts as progress; else it is a failure.
 * Needed by internal_advance_cases, a_query_that_fails_is_reported_and_asked_again. */
#define MIN_PROGRESS 0x1p-20

/* Of the separation distance: a reported pair is searched at least over this displacement. The next event may be one
 * ulp of the time away, and on so short a path nothing seems to change. Needed by internal_rigid,
 * a_body_that_begins_in_the_floor_comes_out. */
#define MIN_SEARCH_DISPLACEMENT 1e3

/* ---- simultaneous events ---- */

/* Touches of a body at the same time: with more of them they are listed. Performance only. */
#define MIN_TIES 16

/* ---- overlap: search for the separation ---- */

/* Overlap tests of one update; then the rest is postponed. Performance only. */
#define MAX_OVERLAP_TESTS 48

/* Of the size: the shortest step between two tests: a gap that wide is not missed. Of a rigid and a deforming body the
 * first step without a certificate. Documented in tact/advance.h. Needed
 * by internal_advance_cases, what_overlaps_at_the_beginning_is_reported_then. */
#define MIN_OVERLAP_STEP 1e-7

/* Tests in a row without a certificate (two surfaces that slide in one plane); after that, steps double up to a part of
 * the size, so that the search ends. A narrower gap may be missed then. Documented in tact/advance.h. Needed by
 * internal_advance_cases, what_overlaps_at_the_beginning_is_reported_then. */
#define UNCERTAIN_TESTS 64
#define MAX_UNCERTAIN_STEP (1.0 / 64.0)

/* Rate and fraction: how far the change of two certificates is trusted for the next one. Performance only. */
#define EXTRAPOLATION 0.9

/* Steps to the horizon: with more of them a common point is tried as a certificate (internal_work_bounds,
 * a_long_body_that_turns). Performance only, as is the factor by which its time must be longer to pay. */
#define OVERLAP_POINT_STEPS 512.0
#define OVERLAP_POINT_GAIN 16.0

/* Fraction of the computed distance of a point inside a shape from its surface that is certain: query.h promises a
 * relative error of 1e-10 and rounding errors of the coordinates, which on bodies 1e12 times as long as thick are 1e-4
 * of the thickness. Needed by internal_work_bounds, a_long_body_that_turns. */
#define OVERLAP_POINT_FRACTION 0.99

/* Of the time for which a pair of primitives certified the overlap: it is followed until it certifies less. Performance
 * only. */
#define CERTIFICATE_FRACTION 0.02

/* ---- resting contact: contact_policy.c ---- */

/* Of the size: a resting contact is at most this deep. A deeper pair was so from the beginning, or is being crushed.
 * Right after a bounce it becomes OVERLAPPING, and is reported again after its separation; later it becomes APART
 * (contact_policy.h). Documented in docs/advance.md. Needed by internal_rigid,
 * a_body_that_begins_in_the_floor_comes_out. */
#define MAX_RESTING_DEPTH 0.01

/* Steps of a search while a settled pair is in contact: its answer is needed for a short time only. Performance only: a
 * search that ends early says up to which time there is no contact. test_bounce_penetration takes as long with 1 and
 * without a limit. */
#define MAX_SETTLED_STEPS 64

/* Of the rest gap: a search of two bodies in persistent contact that is undecided is not repeated before they have
 * moved by this. Without it the inputs undecided-overlap and undecided-touch of the fuzzer of worlds take hours.
 * Performance only. */
#define UNDECIDED_DISPLACEMENT 0.5

/* Of the separation distance: a settled pair moves by at least this before it is reported again: progress. Needed by
 * internal_rigid, a_crate_that_tips_stays_out_of_the_wall. */
#define MIN_SETTLED_DISPLACEMENT 0.5

/* ---- fat bounds: body_motion.c ---- */

/* Of the size of the body: margin of the first bound, and the least. Beyond, margins are such that bounds have some
 * five to sixteen neighbours (broad/fat_bounds.h). Performance only. */
#define INITIAL_MARGIN 0.5
#define MIN_MARGIN 0.05

/* Factor by which a margin changes. Where there are few neighbours it grows with every expiry, so that a long path
 * takes few of them. Performance only. */
#define MARGIN_GROWTH 1.25

/* Refits in a row that found as many neighbours as before: then the margin is too small for the speed, and grows
 * whatever the number of neighbours. Without it, a point among large bodies is refitted every few ulps of the time.
 * Performance only: a bound of any margin holds. */
#define UNSUCCESSFUL_REFITS 16

/* Of the margin: how far the centre of a spherical bound lies ahead of the sphere, which nearly doubles its path in the
 * bound; but no farther than it moves in the recent lifetime of a motion: a sphere that bounces in a cage would leave
 * every bound at its rear. A third fewer expiries at packings up to 0.3, as many at 0.5. Below 1 by far more than
 * rounding: the sphere starts within its bound. Needed by internal_advance_cases, newtons_cradle. */
#define BOUND_LEAD 0.9

/* Length: the largest margin. A body farther out touches nothing. As world/body_bounds.c. Needed by
 * internal_advance_cases. */
#define MAX_MARGIN 1e150

/* Radii of spheres, and their speeds other than 0, for which fourth powers neither overflow nor underflow. Others are
 * handled as general shapes. Needed by internal_advance_cases. */
#define MIN_SPHERE_VALUE 1e-60
#define MAX_SPHERE_VALUE 1e60

/* Relative: more than the rounding errors of a displacement and its roots. Expiries come early by it. Proved: roots
 * have an error of at most 7e-16 (body_motion.c). */
#define EXPIRY_ROUNDOFF (16.0 * DBL_EPSILON)

/* Of dot products of axes: a sphere whose transform is no farther from a rotation is a sphere. A tenth of the touch
 * tolerance. Needed by test_advance_limits, spheres_of_almost_the_radius_touch_in_time. */
#define MAX_ROTATION_ERROR 1e-13

/* ---- spheres in closed form: sphere_sphere.h ---- */

/* Of the square of the sum of the radii: squared distances beyond it are far, and the time of impact is computed from
 * the point of closest approach. Nearer, the root of the parabola has lost six bits at most. Needed by
 * internal_advance_cases. */
#define FAR_SPHERES 64.0

/* ---- kinetic sweep and prune: body_sweep.c ---- */

/* Relative: how much larger a box is than its body. body_sweep.c derives it. Needed by internal_advance_cases,
 * newtons_cradle. */
#define SWEEP_PAD 0x1p-20

/* Bodies: SWEEP_PAD is proved for no more. Larger worlds use fat bounds. No test has so many; with 1
 * internal_engine_choice, the_first_events_are_those_of_the_other_engine, fails. */
#define BODY_SWEEP_MAX_BODIES (1u << 20)

/* ---- polling: polling.c ---- */

/* Of a computed distance: what surely holds. tact/query.h promises much better. Needed by internal_motion_plan,
 * polls_are_at_multiples. */
#define SURE_DISTANCE 0.99

/* Of the size: two tests of a pair are far enough apart in time that its points can move past each other by this. It is
 * the gap that tact/motion_plan.h promises to find, and bounds the cost of a short interval. Needed by
 * internal_motion_plan, short_intervals_do_not_hold_the_time. */
#define MIN_POLL_DISPLACEMENT 1e-7

/* Intervals: beyond this number, multiples of an interval are no farther apart than doubles. Needed by
 * internal_motion_plan, polls_are_at_multiples. */
#define MAX_MULTIPLE 0x1p51

/* ---- choice of the engine: kinetic_choice.c. Performance only ---- */

/* Events of a period, besides one for each body: then the costs of both engines are compared. */
#define CHOICE_PERIOD 512

/* Bodies: at most twice as many are measured, evenly by index. */
#define CHOICE_SAMPLE 512

/* Neighbours that a fat bound has, once its margin has adapted. */
#define TYPICAL_NEIGHBOURS 11.0

/* ---- memory ---- */

/* Removed bodies, and at least as many as there are left: then their indices are reused. Costs as much as a test of the
 * world. Performance only. */
#define MIN_REMOVED_TO_REUSE 64

/* ---- features of touches: touch_features.c ---- */

/* Of the size of two triangles: features that are farther apart do not touch, and the triangles overlap. Far above the
 * tolerance of a touch (tact/advance.h). Needed by test_event_parts, the_parts_of_a_touch_are_in_contact. */
#define TOUCH_FEATURES_DISTANCE 1e-6

/* Pairs of triangles of two polygons that touch: with more, the event names no features. Bounds the time of an event to
 * about a millisecond. Documented in tact/advance.h. Needed by test_event_parts, features_of_polygons_are_limited. */
#define TOUCH_FEATURES_PAIRS 4096

/* Of the same size: distances that differ by less are equal, so that a vertex of a face that meets an edge counts as
 * that vertex. Needed by test_event_parts, the_parts_of_a_touch_are_in_contact. */
#define TOUCH_FEATURES_ROUNDING 1e-9

/* Relative to all paths of a deforming body: half the side of the box that stands for a half-space. Above 4, no side of
 * the box but the upper one can be touched, whatever the direction. Needed by test_halfspace_world,
 * deforming_bodies_fall_on_a_halfspace. */
#define HALFSPACE_BOX_REACH 8.0

/* ---- persistent contacts: contact_*.c ---- */

/* Of the size of a pair: the distance that the solver keeps between bodies at rest. It absorbs the curvature of the
 * motions of a step. With 0 internal_contact_energy, spinning_cones_gain_nothing, fails. */
#define REST_GAP 1e-4

/* Of the rest gap: how much of its error one step restores. Less than 1, as the impulses of neighbours add up. With
 * 0 test_contacts, a_body_comes_out_of_the_floor, fails. */
#define GAP_RESTORATION 0.2

/* Sizes per unit of time: the largest speed at which bodies that overlap are pushed apart. Documented in
 * tact/rigid.h. With 0 test_contacts, a_body_comes_out_of_the_floor, fails. */
#define MAX_PUSH_SPEED 1.0

/* Of the size: contact points are computed up to this distance at most. With 0 internal_contact_energy,
 * a_ball_on_a_smooth_floor_rotates_freely, fails. Larger values cost more. */
#define MAX_CONTACT_REACH 0.25

/* Rest gaps: a pair that is farther apart at the start of two consecutive steps is no longer in contact. Documented
 * in tact/rigid.h. Needed by test_contact_events, a_contact_ends_at_the_second_step_apart. */
#define END_GAP 100.0
#define END_STEPS 2

/* Of the size: points of a contact that are nearer to each other count as one. What that neglects is caught by cuts.
 * With 50 test_contacts, a_gripper_holds, fails. Smaller values cost more. */
#define POINT_DISTANCE 0.05

/* Contact points of a mesh or compound that are fetched at first. Performance only: if there are more, they are fetched
 * again. */
#define FEW_CANDIDATES 64

/* Rest gaps: by so much smaller a gap near it, a point moves there. Gaps of points of a face differ by less. No test
 * fails with 0 or 1,000. */
#define POINT_GAP 0.1

/* Rest gaps: where a gap is smaller, the candidate with the least gap is a point in any case. Without it a pair may
 * touch where it has no point, and is cut and locked in vain (a pour of 200 bodies took 11 s instead of 3). At rest no
 * gap is so small. Needed by internal_contact_points. */
#define LOW_GAP 0.5

/* Rest speeds (REST_GAP sizes per contact step): the accuracy of a velocity by iteration, and by Newton's method,
 * where it costs hardly more. An error moves a body by this part of the rest gap in one step. With 0
 * test_impact_groups, inelastic_rows_move_on_together, fails; with 3 and 0.1 test_contacts, heavy_on_light_stands. */
#define SOLVER_ACCURACY 3e-3
#define DIRECT_ACCURACY 1e-4

/* Iterations from the impulses of the last step. At rest they are enough. Performance only. */
#define FIRST_ITERATIONS 4

/* Rest speeds: after a smaller change by these iterations, Newton's method mostly converges in a few steps: in 76 % of
 * 1,883 islands of a pour below 1, in 17 % of 920 from 1 to 10, in 5 % of 1,271 above. Performance only. */
#define NEAR_SOLUTION 1.0

/* Operations of a factorisation: with more, Newton's method is not tried: where the impulses are near the solution, and
 * where they are not, so that it needs tens of factorisations. A stack of 20 takes 2e4. Performance only. */
#define NEAR_MAX_COST 2e5
#define FAR_MAX_COST 1e5

/* Steps after a failure from afar in which it is not tried from there: bodies that tumble. Performance only: a pour of
 * 200 bodies takes 7.3 s without. */
#define NEWTON_PAUSE 16

/* Points times sub-steps of a step, and the least and largest number of sub-steps. A pour of 200 bodies takes 4.1,
 * 3.7, 2.6 and 2.8 s with 4, 8, 16 and 32: fewer are less accurate, so that more steps are cut. Few bodies get more,
 * which costs little. Performance only, but with 0 sub-steps test_bounce_penetration, push_row_never_sinks, fails. */
#define SUBSTEP_POINTS 3000.0
#define MIN_SUBSTEPS 16.0
#define MAX_SUBSTEPS 128.0

/* Of the kinetic energy of an island, with what its bodies gain by their accelerations in a step: if sub-steps leave
 * more, they are repeated such that impulses of the last step add no energy. No test needs it: pyramids of up to 210
 * boxes and pours of up to 150 bodies are the same without. */
#define MAX_ENERGY_GROWTH 1.5

/* Iterations of the push. Performance only: what is not restored now is restored later. */
#define PUSH_ITERATIONS 8

/* Iterations of an impact after it has reached another body. What is not converged then is caught by cuts and by the
 * next step. Performance only. */
#define REACH_ITERATIONS 30

/* Iterations of a cut, an impact or contacts that begin. What is not converged then is caught by cuts. With 1
 * internal_contact_energy, spinning_cones_gain_nothing, fails. */
#define SOLVER_ITERATIONS 200

/* Radians, about: a face of a body whose normal is nearer to that of a contact is found, and one between edges that are
 * not more parallel. Performance only: more touches are searched. */
#define FACE_TILT 0.02

/* Edges of a body that are tested with those of triangles. Performance only, as above. */
#define MAX_PLANE_EDGES 16

/* Time intervals in which a triangle that moves is tested against planes, before the search for its touch; and the
 * shortest one, of the time until the next contact step: what is not proved in it is searched. */
#define MAX_PLANE_INTERVALS 48
#define MIN_PLANE_INTERVAL 0x1p-12

/* Of the size: by how much a pair may overlap before its contact counts as one that overlaps. A search for a time of
 * impact cannot see less than CONTACT_BAND, also relative to the size. With 0 test_impact_groups,
 * racks_break_symmetrically, fails, and test_contact_deforming, nobody_passes_through_a_sheet. */
#define MAX_CONTACT_DEPTH 1e-7
#define CONTACT_BAND 1e-8

/* Of the size: bodies that overlap by more have been crushed, or were created so. With 0 test_bounce_penetration,
 * heap_never_sinks, fails. */
#define DEEP_OVERLAP 1e-3

/* Cuts of one contact in one step before its bodies are locked. Documented in docs/advance.md. With 1
 * test_contact_deforming, restored_contacts_go_on, fails. */
#define MAX_CUTS 8

/* Rest speeds: at most so fast a cut opens a pair to half its rest gap. No test fails with 0. */
#define MAX_OPENING_SPEED 2.0

/* Radians: a body of other shape than a sphere turns by no more than this in one step; a contact step is divided
 * into at most so many steps. Documented in tact/rigid.h. With 100, or 1 step, test_contact_mechanics,
 * a_top_precesses, fails. */
#define MAX_STEP_ANGLE 0.1
#define MAX_STEPS 256

/* Relative: more than the rounding of a step. A step that is longer than the limit by less is not divided. Needed by
 * test_contacts, steps_are_not_divided_by_rounding. */
#define STEP_ROUNDOFF 1e-6

/* Iterations for the mean spin of a step, and its relative accuracy. Each reduces the error to half of
 * MAX_STEP_ANGLE at least. With 1, or 1e-3, internal_contact_energy, a_ball_on_a_smooth_floor_rotates_freely, fails. */
#define MEAN_SPIN_ITERATIONS 10
#define MEAN_SPIN_ACCURACY 1e-12

/* Sizes, and units of time: an island none of whose bodies has moved by more in this time falls asleep. Documented
 * in tact/rigid.h. With a distance of 0 or a delay of 500 test_contact_events,
 * a_removed_body_is_named_by_its_old_handle, fails; with a delay of 0 test_contacts, sleepers_wake_when_hit. */
#define SLEEP_DISTANCE 0.002
#define SLEEP_DELAY 0.5

/* Of the rest speed: an impact is passed on to the contacts of a body whose velocity it changes by more. Performance
 * only: what is not passed on is caught by cuts and by the next step. */
#define REACH_CHANGE 0.5

/* Likewise of the approach speed. Performance: what is not passed on is caught by cuts and by the next step. */
#define REACH_PART 0.05

/* Rest gaps: a cut adds a contact that loses more by the changes of velocities. Performance: with 0 a cut adds all
 * contacts that close, and with more than 0.5 it makes others touch. */
#define LOST_GAP 0.1

/* Rest gaps: accuracy of the gaps at the end of a step that is cut. Performance only: what is left is cut again. */
#define GAP_ACCURACY 0.05

/* Iterations of a cut before it looks for other contacts, and how often it does. Performance only: what is left is cut
 * again. */
#define GAP_ITERATIONS 4
#define GAP_ROUNDS 10

/* Contact steps: contacts of bodies that enter are solved together if they begin within this time. Bodies that are
 * created in touch have touches that differ by rounding. test_contacts, four_balls_stand, has such bodies; it does
 * not fail with 0. */
#define SAME_TIME 1e-4

/* Entries of the cache of step_separation.c. Performance only. */
#define STEP_SWEEPS_MIN 64
#define STEP_SWEEPS_MAX 65536

/* Normals with which step_separation.c tests triangles of a mesh before their own: those of the points of a contact.
 * Performance only. */
#define STEP_MAX_NORMALS 8

/* Relative: accuracy of a distance of which only the direction is used. Performance only. */
#define STEP_DISTANCE_ACCURACY 1e-3

/* Of its squared length: an approximate unit vector. Only such a one is scaled right for a margin; WINDOW_PAD covers
 * the error. Performance only: with 0 more is searched. */
#define UNIT_NORMAL_ERROR 1e-14

/* ---- impacts: contact_impact.c ---- */

/* Impacts of a body within one contact step: with more, its pairs become persistent contacts. This ends the infinite
 * sequences of impacts of a body between others that close in on it. The second is for elastic impacts, which have
 * no such sequence among free bodies. With 1e9 for the first test_impact_groups,
 * walls_that_close_in_do_not_stop_the_time, fails; with 64 for the second test_billiards,
 * a_heavy_body_counts_the_digits_of_pi. */
#define MAX_IMPACTS 64
#define MAX_ELASTIC_IMPACTS 131072

/* Of the size of the pair: contact points of a touch that are this far apart take part. More than
 * SEPARATION_DISTANCE. With 0 test_impact_groups, racks_break_symmetrically, fails. */
#define TOUCH_REACH 4e-9

/* Ulps of coordinates and time: a touch is reported that far away at most. With 0 test_billiards,
 * a_box_between_walls_is_where_it_should_be, fails. */
#define TOUCH_ROUNDOFF 4.0

/* Of the speeds: of bodies that approach slower, rounding of the time is not compensated. With 1e3 test_billiards,
 * a_box_between_walls_is_where_it_should_be, fails. */
#define MIN_COMPENSATED_SPEED 1e-3

/* Relative to the speeds of both bodies: more than the rounding of their relative speed. Spheres separate at least
 * so fast. Proved: a product and three sums; no test fails with 0. */
#define MIN_SEPARATION_SPEED (64.0 * DBL_EPSILON)

/* Iterations for two spheres: one is exact up to rounding. */
#define SIMPLE_ITERATIONS 4

/* Of the approach speed: a point that closes slower does so by rounding. With 2 test_impact_groups,
 * racks_break_symmetrically, fails. */
#define CLOSING_ACCURACY 1e-13

/* Of the approach speed, at the surface of the smaller body: a spin that changes by less does so by rounding. With 0
 * test_billiards, a_heavy_body_counts_the_digits_of_pi, fails. */
#define MIN_SPIN_CHANGE 1e-12

/* Passes of generalised reflections; a last inelastic one follows. A body between a wall and one of M times its mass
 * takes about pi sqrt(M). Needed by test_impact_groups, a_heavy_body_meets_a_light_one_at_a_wall. */
#define IMPACT_PASSES 512

/* Of the approach speed: accuracy of an impact of two bodies; of more bodies by iteration while the impact may reach
 * others, by Newton's method, and by iteration after that. With 1e-6, 1 and 1e-6 for the first, second and last
 * internal_rigid, elastic_touches_keep_the_energy, and test_impact_groups, rows_pass_an_impact_on, fail. That of
 * Newton's method is performance only: iteration refines it. */
#define IMPACT_ACCURACY 1e-15
#define GROUP_ACCURACY 1e-3
#define NEWTON_ACCURACY 1e-10
#define REFINED_ACCURACY 1e-15

/* Points times iterations of that last iteration: some milliseconds. Needed by test_impact_groups. */
#define GROUP_RELAXATIONS 2e5

/* Of the last change of a velocity: a point that closes slower does so because the iteration has not converged. With
 * 1e15 test_impact_groups, racks_break_symmetrically, fails. */
#define REFINED_CLOSING 100.0

/* Operations of a factorisation: larger groups are solved by iteration alone. Performance only: 10 ms. */
#define GROUP_MAX_COST 1e7

/* In one impact: after so many failures Newton's method is not tried again, as a crowd of bodies may need hundreds of
 * passes. Performance only: the iteration goes on. */
#define NEWTON_ATTEMPTS 2

/* After that: points times passes, and points times iterations of each pass. A crowd between kinematic bodies that
 * close in on it has no solution. Performance only: what still approaches has events of its own. */
#define CROWD_PASSES 4e3
#define CROWD_RELAXATIONS 1e4

/* The same for an impact with friction, after the first failure. There Newton's method converges in 23 % of the groups
 * of up to 20 bodies, and in 1 % of larger ones. A pour of 200 bodies with a restitution of 0.2 takes 26 s for 1.5
 * simulated seconds with the values above, and 2.4 s with these. With fewer passes test_contact_mechanics,
 * newtons_cradle_passes_several_balls_on, fails. */
#define ROUGH_MAX_COST 2e4
#define ROUGH_PASSES 500.0
#define ROUGH_RELAXATIONS 1e3

/* Of the approach speed of an impact: a pair that separates or approaches slower is at rest. Far above rounding, and so
 * slow that the pair is still together after many impacts. Needed by test_impact_groups. */
#define GROUP_REST 1e-6

/* Relative: boxes or spheres that are farther apart do not touch. Performance only: above TOUCH_REACH by more than
 * rounding. */
#define GROUP_NEAR 1e-6

/* Pairs of a group. Performance only: pairs beyond are reached by later events. */
#define MAX_GROUP 4096

#endif
