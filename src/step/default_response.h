/* The default response of a step: impulses on the vertices of a contact or proximity, if the caller has no response. */
#ifndef TACT_STEP_DEFAULT_RESPONSE_H
#define TACT_STEP_DEFAULT_RESPONSE_H

#include "step/step_find.h"

/* Parameters of a response. */
typedef struct step_response_params {
    double thickness; /* a gap at the start of the step may shrink to this, and no further */
    double min_gap;   /* a length > 0: no response aims at a smaller gap */
    double friction;
    double shape_min_gap; /* a length > 0: the same for obstacles that are tested as shapes */
} step_response_params;

/* An inelastic impulse for a contact: changes `to` so that along the normal the features are as far apart at the end of
 * the step as at its start, or by `thickness` if that is less; unless STEP_GAP_KEPT of that is there. Points with
 * inverse mass 0 do not move. False if nothing was changed. */
bool tact_step_respond_contact(const step_response_params *params, const step_hit *hit, const tact_vec3 from[4],
                               const double inverse_mass[4], tact_vec3 to[4]);

/* The same for a proximity at the start of the step: the features come no nearer, and are pushed apart by STEP_RECOVERY
 * of the thickness, up to `thickness`. */
bool tact_step_respond_proximity(const step_response_params *params, const step_hit *hit, const tact_vec3 from[4],
                                 const double inverse_mass[4], tact_vec3 to[4]);

/* The same later in the step: they come no nearer than they were, or STEP_GAP_KEPT of that. */
bool tact_step_keep_distance(const step_response_params *params, const step_hit *hit, const tact_vec3 from[4],
                             const double inverse_mass[4], tact_vec3 to[4]);

#endif
