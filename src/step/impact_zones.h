/*
 * Impact zones: vertices of a step that responses could not separate, and that now move as one.
 *
 * Why nothing collides inside a zone: all its vertices move from x to M x with one affine map M. At time t they are at
 * ((1 - t) I + t M) x, again an affine map, which is invertible if M is a translation or a rotation by less than half a
 * turn. What did not touch at the start does not touch.
 */
#ifndef TACT_STEP_IMPACT_ZONES_H
#define TACT_STEP_IMPACT_ZONES_H

#include "step/step_find.h"

/* The motion of a zone. */
typedef struct impact_zone {
    tact_vec3 weighted_displacement; /* the sum of mass times displacement of its vertices */
    double mass;                     /* the sum of their masses */
    uint32_t carrier;                /* 1 + the number of the obstacle that carries it; 0: none */
    bool fixed; /* it does not move: it is in contact with something fixed, or there is no other way */
} impact_zone;

ARRAY_OF(impact_zone_array, impact_zone);

typedef struct impact_zones {
    step_index_array parent; /* union-find over vertices: the root numbers the zone */
    step_byte_array in_zone; /* of each vertex: is it in a zone? */
    impact_zone_array zones; /* by root */
} impact_zones;

/* Starts without zones. False if memory is out. */
bool tact_impact_zones_begin(impact_zones *zones, const step_scene *scene, const tact_allocator *allocator);

/* Merges the vertices of each hit into one zone. False if they all were. */
bool tact_impact_zones_join(impact_zones *zones, const step_scene *scene, const step_hit_array *hits);

/* Fixes the zones that still have hits. False if they all were. */
bool tact_impact_zones_stop(impact_zones *zones, const step_scene *scene, const step_hit_array *hits);

/* Moves the zones: with a moving obstacle, if there is one; not at all with fixed or pinned vertices, or between
 * obstacles; otherwise by the mass-weighted mean displacement. Marks the vertices that change. */
void tact_impact_zones_move(impact_zones *zones, step_scene *scene, const tact_world *world, uint8_t *marks);

void tact_impact_zones_release(impact_zones *zones, const tact_allocator *allocator);

#endif
