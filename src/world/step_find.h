/*
 * Finding what meets in a scene of a step, and what is near: between two sets of places of its vertices.
 */
#ifndef TACT_WORLD_STEP_FIND_H
#define TACT_WORLD_STEP_FIND_H

#include <tact/parallel.h>

#include "world/step_scene.h"

/* Two features, by the numbers of the scene. */
typedef struct step_hit {
    tact_ccd when;
    double distance; /* of what is near; of what meets 0 */
    uint32_t vertices[4];
    uint32_t face; /* vertex-face alone */
    tact_ccd_kind kind;
} step_hit;

ARRAY_OF(step_hit_array, step_hit);

/* What is kept from search to search. Zero to begin with. */
typedef struct step_item {
    double low[3], high[3];
    uint32_t name;
    uint32_t kind; /* 0 vertex, 1 face, 2 edge */
} step_item;

ARRAY_OF(step_item_array, step_item);

typedef struct step_finder {
    step_item_array items;
} step_finder;

void tact_step_finder_release(step_finder *finder, const tact_allocator *allocator);

/* All pairs of features that meet on the way from `scene->from` to `scene->to`, if `marked` is not NULL those with a vertex that is marked alone,
 * in no order that means anything, but always the same. Adds to `hits`; adds to `tests` how many pairs were looked at exactly. */
tact_status tact_step_find(step_finder *finder, const step_scene *scene, const uint8_t *marked, step_hit_array *hits,
                           size_t *tests, const tact_allocator *allocator, const tact_parallel *parallel);

/* All pairs of features nearer to each other than `distance` at `scene->from`: `when` holds the weights of the nearest points and the normal from
 * A to B (zero and degenerate if they touch), the rest of it is zero. */
tact_status tact_step_find_near(step_finder *finder, const step_scene *scene, double distance, step_hit_array *hits,
                                const tact_allocator *allocator, const tact_parallel *parallel);

#endif
