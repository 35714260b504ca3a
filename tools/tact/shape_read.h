/* Reads shapes, transforms and motions from JSON. */
#ifndef TACT_TOOL_SHAPE_READ_H
#define TACT_TOOL_SHAPE_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <tact/motion.h>
#include <tact/shape.h>
#include <tact/transform.h>

#include "json_read.h"
#include "mesh_cache.h"

/* A shape with its transform at time 0 and its motion. */
typedef struct moving_shape {
    tact_shape *shape; /* with its margin; the caller of the reader releases it */
    tact_transform transform;
    tact_motion motion;
} moving_shape;

/* Reads the outermost SHAPE of a request. Without "place" the transform is the identity; without "motion" it is at
 * rest. Mesh files come from `cache`. On failure returns false, sets the error, and moving->shape is NULL. */
bool tact_moving_shape_read(const json_t *value, const tact_json_path *where, mesh_cache *cache, moving_shape *moving,
                            tact_input_error *error);

/* Reads a SHAPE whose "place" is part of its geometry, as in a compound; it has no motion. On failure returns NULL and
 * sets the error. */
tact_shape *tact_shape_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                            tact_input_error *error);

/* Read the value of "place" and of "motion". Members of a motion that are missing leave `motion` unchanged. */
bool tact_transform_read(const json_t *value, const tact_json_path *where, tact_transform *transform,
                         tact_input_error *error);
bool tact_motion_read(const json_t *value, const tact_json_path *where, tact_motion *motion, tact_input_error *error);

#endif
