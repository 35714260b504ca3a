/* What is done about a meeting where the caller has no response of its own. */
#ifndef TACT_STEP_DEFAULT_RESPONSE_H
#define TACT_STEP_DEFAULT_RESPONSE_H

#include "step/step_find.h"

/* What it depends on. */
typedef struct step_response_params {
    double thickness; /* a gap that is there at the beginning of the step may shrink to this one, and no further */
    double min_gap;   /* a length > 0: no gap is aimed at that is smaller */
    double friction;
    double shape_min_gap; /* a length > 0: the same of obstacles that are met as shapes */
} step_response_params;

/* The least gap that a response aims at, of the greatest coordinate: 2^14 units in its last place. A response and what
 * it aims at are rounded a dozen times, each time by a unit at most, so what is pushed apart so far is apart; and with
 * it no gap can shrink from step to step until it is lost. */
#define STEP_MIN_GAP 0x1p-38

/* The same between a face and an obstacle that is met as a shape, where nothing is exact, so that a gap should be some
 * way from the tolerance; and what is near while the face tilts against a round surface is followed in steps of the
 * root of the gap (toi/deforming_toi.h): one a degree with this. A sheet on a ball, without a thickness, takes 4.5
 * rounds a step; with 2^-26 it takes 6.8, with 2^-14 2.3. */
#define STEP_SHAPE_MIN_GAP 0x1p-20

/* Of the gap that a response aims at: what is left of it may shrink to this again before it is pushed apart once more.
 * If any loss counted, each push would go on through all layers of a heap, and all of it would have to be looked at
 * again: in the shower (examples/cloth) that is twice the vertices a round and 1.5 times the rounds. From 0.1 to 0.5 it
 * makes no difference. */
#define STEP_GAP_KEPT 0.5

/* An inelastic impulse for two features that meet: changes `to` so that along the normal they are at the end of the
 * step as far apart as they were at its beginning, or `thickness` if that is less; unless STEP_GAP_KEPT of that is
 * there. Points whose inverse mass is 0 are left. False if nothing was changed. */
bool tact_step_respond_contact(const step_response_params *push, const step_hit *hit, const tact_vec3 from[4],
                               const double inverse[4], tact_vec3 to[4]);

/* The same for two features that are near at the beginning: they come no nearer, and some way back to `thickness`. */
bool tact_step_respond_proximity(const step_response_params *push, const step_hit *hit, const tact_vec3 from[4],
                                 const double inverse[4], tact_vec3 to[4]);

/* Later in the same step: they come no nearer than they were, or STEP_GAP_KEPT of that. */
bool tact_step_keep_distance(const step_response_params *push, const step_hit *hit, const tact_vec3 from[4],
                             const double inverse[4], tact_vec3 to[4]);

#endif
