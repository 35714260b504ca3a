/* What meets in a step, by brute force: all boxes along an axis, no tree, no filter, each pair decided by the exact
 * half of ccd.h alone. */
#ifndef TACT_TEST_STEP_BRUTE_H
#define TACT_TEST_STEP_BRUTE_H

#include "step/step_scene.h"

typedef struct brute_hit {
    tact_ccd_kind kind;
    uint32_t vertices[4]; /* of an edge the smaller one first, of two edges the smaller first one first */
    tact_ccd when;
    double distance; /* if that was asked for */
} brute_hit;

/* Those of a scene from `scene->from` to `scene->to`; or, if `distance` is not negative, those nearer than that at
 * `scene->from`. Sorted by kind and vertices. To be freed; ends the program without memory. */
brute_hit *step_brute(const step_scene *scene, double distance, size_t *count);

/* The order of hits by kind and vertices, for qsort. */
int step_brute_compare(const void *a, const void *b);

#endif
