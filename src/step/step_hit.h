/* A contact or proximity of a step, in the indices of its scene. */
#ifndef TACT_STEP_STEP_HIT_H
#define TACT_STEP_STEP_HIT_H

#include "step/step_scene.h"

/* Two features; or a face and an obstacle that is tested as a shape, represented as a vertex and a face. That vertex is
 * the one that the obstacle has in the scene, which belongs to no face (step_scene.h). */
typedef struct step_hit {
    tact_ccd ccd;
    double distance;      /* of a proximity; 0 for a contact */
    uint64_t answered_at; /* the number of the last response to it; 0: none yet */
    uint32_t vertices[4];
    uint32_t face; /* vertex-face only */
    tact_ccd_kind kind;
    uint32_t element;      /* 1 + the number of the obstacle element (obstacle_leaves.h); 0: none */
    bool touches_at_start; /* with an obstacle element: they touch at the start, up to rounding */
    /* With an obstacle element: the positions of its contact point at the start and at the end, moved along the normal
     * until the plane across it there has all of the element behind it. */
    tact_vec3 start, end;
} step_hit;

ARRAY_OF(step_hit_array, step_hit);

#endif
