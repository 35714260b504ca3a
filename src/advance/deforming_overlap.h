/* Pairs with moving vertices that touch or overlap: whether they do, when they have separated, and contacts that are
 * not found by features. */
#ifndef TACT_ADVANCE_DEFORMING_OVERLAP_H
#define TACT_ADVANCE_DEFORMING_OVERLAP_H

#include "advance/deforming_pair.h"

/* Sets whether the bodies touch or overlap now, and where, by a test of their current shapes. */
tact_status tact_deforming_test_overlap(tact_world *world, const uint32_t bodies[2], deforming_pair *pair);

/* The first contact from now until `end`, of a pair that is not tested by features. `wider`: length, added to
 * the distance of contact. */
tact_status tact_deforming_search_contact(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], double end,
                                          double wider, pair_prediction *r);

/*
 * Examines a pair that overlaps, by shape or separation: whether it is separated now, and when to examine it again.
 *
 * A rigid body and triangles: when they are no longer certain to overlap (tact_arc_mesh_overlap_until). Where nothing
 * is certain, after a step of MIN_OVERLAP_STEP at the relative speed. So each separation is found that lasts while
 * points of both move past each other by that. Steps double from test to test, up to MAX_UNCERTAIN_STEP, until the
 * overlap is certain for that long: so contacts that slide or rest without depth cost little.
 *
 * Two deforming bodies, one of which has a margin or is a NURBS surface: the first interval after a touch is
 * SEPARATION_DISTANCE of the window, which ends at `end`; each is twice as long as the one before.
 */
tact_status tact_deforming_examine_overlap(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                           double end, pair_prediction *r);

/*
 * By features: whether two bodies intersect changes only when a contact of features begins or ends. A contact that ends
 * an intersection begins then, too, unless it has lasted. So between two beginnings a pair is separated all the time
 * after long contacts have ended, or never, and one examination between the two tells. It is left out where two
 * faces are known to intersect that have no contact (overlap_witness), or a contact of two features is known to last.
 * After the last contact of a window, examinations follow at intervals that double, as above: what the next window
 * brings is not known.
 *
 * So each touch is reported, except that of bodies that were separated for a time that doubles cannot resolve, or never
 * farther apart than the separation distance at the time of an examination.
 */

/* An event of a pair that overlaps has come. */
void tact_deforming_note_contact(deforming_pair *pair, const feature_event *event);

/* The window of the pair is another one, or its plan has changed. */
void tact_deforming_forget_contacts(deforming_pair *pair, double now);

/* Sets `next_examination`. */
void tact_deforming_plan_examination(deforming_pair *pair, double now);

/* Examines whether the pair is separated now, and sets `next_examination`. */
tact_status tact_deforming_examine_contact(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                           pair_prediction *r);

#endif
