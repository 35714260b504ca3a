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
typedef struct impact_zone {
    tact_vec3 weighted_displacement; /* the sum of the masses times the ways of its vertices */
    double mass;                     /* the sum of these */
    uint32_t carrier; /* one more than the number of the obstacle that it goes along with; 0: there is none */
    bool fixed;       /* it stays where it is: with what does not move, or because it cannot be otherwise */
} impact_zone;

ARRAY_OF(impact_zone_array, impact_zone);

typedef struct impact_zones {
    step_index_array parent; /* of vertices: those of one zone lead to one number */
    step_byte_array in_zone; /* of each vertex: is it in a zone? */
    impact_zone_array zones; /* by that number */
} impact_zones;

/* No zones. False if there is no memory. */
bool tact_impact_zones_begin(impact_zones *zones, const step_scene *scene, const tact_allocator *allocator);

/* Makes what meets part of one zone each. False if all of it was. */
bool tact_impact_zones_join(impact_zones *zones, const step_scene *scene, const step_hit_array *hits);

/* Lets the zones in which something still meets stay where they are. False if they all did. */
bool tact_impact_zones_stop(impact_zones *zones, const step_scene *scene, const step_hit_array *hits);

/* Moves the zones: with an obstacle that moves, if there is one; with what stands still or is held, not at all;
 * between obstacles, not at all; else by the mean of their ways. Marks the vertices that change. */
void tact_impact_zones_move(impact_zones *zones, step_scene *scene, const tact_world *world, uint8_t *marks);

void tact_impact_zones_release(impact_zones *zones, const tact_allocator *allocator);

#endif
