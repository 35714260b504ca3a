/*
 * The features of a touch of two rigid meshes, or leaves that are: the closest vertex and face, or edges, of the two
 * faces that the search for the time of impact has found.
 */
#ifndef TACT_ADVANCE_TOUCH_FEATURES_H
#define TACT_ADVANCE_TOUCH_FEATURES_H

#include "world/world_internal.h"

/* Fills in everything but the parts of event->features, from its bodies, time, normal and parts. No effect for other
 * shapes, for leaves of compounds, for bodies that overlap deeper than TOUCH_FEATURES_DISTANCE, and for polygons with
 * more than TOUCH_FEATURES_PAIRS pairs of triangles. O(log n). */
void tact_touch_features_find(const tact_world *world, tact_event *event);

#endif
