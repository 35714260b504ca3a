/* Reading shapes, placements and motions from JSON. */
#ifndef TACT_TOOL_SHAPE_READ_H
#define TACT_TOOL_SHAPE_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <tact/motion.h>
#include <tact/shape.h>
#include <tact/transform.h>

#include "json_read.h"
#include "mesh_cache.h"

/* A shape as a request gives it: what it is, where it is, how it moves. */
typedef struct tact_actor {
    tact_shape *shape; /* with its margin; released by the reader's caller */
    tact_transform place;
    tact_motion motion;
} tact_actor;

/* Reads a SHAPE that stands at the top of a request. Without "place" it is at the origin, without "motion" it is still.
 * Meshes that name a file come from `cache`. On failure returns false with a complaint made and actor->shape NULL. */
bool tact_actor_read(const json_t *value, const tact_json_path *where, mesh_cache *cache, tact_actor *actor,
                     tact_complaint *complaint);

/* Reads a SHAPE whose place is a part of it, as that of a part of a compound is: it has no motion. NULL with a
 * complaint made if it is no good. */
tact_shape *tact_shape_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                            tact_complaint *complaint);

/* A "place" and a "motion" by themselves. What `motion` has is kept where nothing is said. */
bool tact_place_read(const json_t *value, const tact_json_path *where, tact_transform *place,
                     tact_complaint *complaint);
bool tact_motion_read(const json_t *value, const tact_json_path *where, tact_motion *motion, tact_complaint *complaint);

#endif
