/* The state of a world for its steps: see tact/step.h. */
#ifndef TACT_STEP_STEP_H
#define TACT_STEP_STEP_H

#include "step/impact_zones.h"

ARRAY_OF(feature_contact_array, tact_feature_contact);
ARRAY_OF(step_stamp_array, uint64_t);

typedef struct step_context {
    step_body_input_array bodies;
    step_scene scene;
    step_contact_finder finder;
    step_hit_array hits;
    step_hit_array past_hits;       /* all contacts of this step so far */
    step_hit_array proximities;     /* all proximities at its start */
    feature_contact_array contacts; /* as reported to the caller */
    step_byte_array marks;          /* of each vertex: has it changed since the last search? */
    step_stamp_array stamps;        /* of each vertex: the number of the last response that changed it */
    step_byte_array responses;      /* of each vertex: responses to its contacts in this iteration */
    impact_zones zones;             /* of the fail-safe */
    uint64_t surface_editions;      /* given so far */
    bool resolving;                 /* a step is being resolved: its callback must not start another */
} step_context;

/* Gathers the bodies that take part (def NULL: the default). Returns the state of the world, without hits, or NULL with
 * a status. */
step_context *tact_step_prepare(tact_world *world, const tact_step_def *def, tact_status *status);

/* A hit as it is reported to the caller. */
tact_feature_contact tact_step_report_contact(const step_scene *scene, const step_hit *hit);

/* Sorts hits by time, then as a sweep does. */
void tact_step_sort_hits(step_hit_array *hits);

#endif
