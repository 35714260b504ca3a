/* What meets in a step, by the numbers of its scene. */
#ifndef TACT_STEP_STEP_HIT_H
#define TACT_STEP_STEP_HIT_H

#include "step/step_scene.h"

/* Two features; or an obstacle that is met as a shape, and a face: as a vertex and a face, the vertex being the one
 * that the obstacle has in the scene, which is part of no face (step_scene.h). */
typedef struct step_hit {
    tact_ccd ccd;
    double distance;      /* of what is near; of what meets 0 */
    uint64_t answered_at; /* for whoever responds: when it last was; 0: not yet */
    uint32_t vertices[4];
    uint32_t face; /* vertex-face alone */
    tact_ccd_kind kind;
    uint32_t element; /* one more than the number of the leaf (obstacle_set.h) that is met as a shape; 0: none is */
    bool touches_at_start; /* with a leaf: at the very beginning, as far as can be told */
    /* With a leaf: where its point that meets is at the beginning and at the end, moved along the normal until the
     * plane across it there holds all of the leaf on its other side. */
    tact_vec3 start, end;
} step_hit;

ARRAY_OF(step_hit_array, step_hit);

#endif
