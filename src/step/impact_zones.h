/*
 * Zones: vertices of a step that could not be parted from each other by responses, and now move as one.
 *
 * Why nothing meets inside a zone: all its vertices go from x to M x with one affine map M, so at the time t they are
 * at ((1 - t) I + t M) x, an affine map too, and for a translation or a turn by less than half a circle one that can
 * be inverted: what did not touch at the beginning does not touch.
 */
#ifndef TACT_STEP_IMPACT_ZONES_H
#define TACT_STEP_IMPACT_ZONES_H

#include "step/step_find.h"

/* What a zone does. */
typedef struct step_zone {
    tact_vec3 path; /* the sum of the masses times the ways of its vertices */
    double mass;    /* the sum of these */
    uint32_t rider; /* one more than the number of the obstacle that it goes along with; 0: there is none */
    bool stays;     /* it stays where it is: with what does not move, or because it cannot be otherwise */
} step_zone;

ARRAY_OF(step_zone_array, step_zone);

typedef struct step_zones {
    step_number_array parents; /* of vertices: those of one zone lead to one number */
    step_byte_array inside;    /* of each vertex: is it in a zone? */
    step_zone_array zones;     /* by that number */
} step_zones;

/* No zones. False if there is no memory. */
bool tact_step_zones_begin(step_zones *zones, const step_scene *scene, const tact_allocator *allocator);

/* Makes what meets part of one zone each. False if all of it was. */
bool tact_step_zones_join(step_zones *zones, const step_scene *scene, const step_hit_array *hits);

/* Lets the zones in which something still meets stay where they are. False if they all did. */
bool tact_step_zones_stop(step_zones *zones, const step_scene *scene, const step_hit_array *hits);

/* Moves the zones: with an obstacle that moves, if there is one; with what stands still or is held, not at all;
 * between obstacles, not at all; else by the mean of their ways. Marks the vertices that change. */
void tact_step_zones_move(step_zones *zones, step_scene *scene, const tact_world *world, uint8_t *marks);

void tact_step_zones_release(step_zones *zones, const tact_allocator *allocator);

#endif
