/* The bodies that an impact reaches through touches that are no persistent contacts. */
#ifndef TACT_ADVANCE_IMPACT_GROUP_H
#define TACT_ADVANCE_IMPACT_GROUP_H

#include "advance/contact_step.h"

/* A body has changed otherwise than by an impact of spheres: its neighbours may touch it from now on. */
void tact_impact_group_mark(advance *ad, uint32_t index);

/* Whether one of two spheres, or bodies at rest, that meet now may touch another body. Cost: a few nanoseconds for each
 * neighbour of a body that has been marked since the last call, or if another event is due. `speed`: that of the
 * approach. */
bool tact_impact_spheres_touch_others(const tact_world *world, const uint32_t bodies[2], double speed);

/* Adds to the set, which has the points of `contact`, those of all pairs that touch at this time and do not separate,
 * as far as they are connected with its bodies through bodies with a mass. Each is a contact of the graph, in
 * `group`. `speed`: the approach speed of the impact. On failure, too, their contacts are to be removed. */
tact_status tact_impact_group_gather(tact_world *world, uint32_t contact, double speed);

/* Removes a pair from the group, and its contact. `bounced`: the impact was resolved. */
void tact_impact_group_remove(tact_world *world, size_t position, bool bounced);

#endif
