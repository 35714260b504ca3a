/* What a world keeps for its steps: see tact/step.h. */
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
    step_hit_array past_hits;       /* all that has met in this step so far */
    step_hit_array proximities;     /* all that is near at its beginning */
    feature_contact_array contacts; /* told to the caller */
    step_byte_array marks;          /* of each vertex: has it changed since the last look? */
    step_stamp_array stamps;        /* when has it last changed? */
    step_byte_array responses;      /* has it been responded to in this round? */
    impact_zones zones;             /* of the fail-safe */
    bool resolving;                 /* a step is being resolved: its response must not ask for another */
} step_context;

/* That of a world, made when there is none; NULL if there is no memory. */
step_context *tact_world_get_step(tact_world *world);

/* Gathers what takes part (def NULL: the default): the step of the world, with no hits, or NULL with what is wrong. */
step_context *tact_step_prepare(tact_world *world, const tact_step_def *def, tact_status *status);

/* A hit as the caller knows it. */
tact_feature_contact tact_step_report_contact(const step_scene *scene, const step_hit *hit);

/* Brings hits into the order of time, and where that is the same into a fixed one. */
void tact_step_sort_hits(step_hit_array *hits);

#endif
