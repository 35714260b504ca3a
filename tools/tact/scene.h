/* Reads a scene of moving bodies, and their response to contacts, from JSON. See docs/run_tool.md. */
#ifndef TACT_TOOL_SCENE_H
#define TACT_TOOL_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <tact/motion_plan.h>
#include <tact/rigid.h>
#include <tact/world.h>

#include "json_read.h"

typedef enum scene_response { SCENE_NONE, SCENE_ELASTIC, SCENE_INELASTIC } scene_response;

/* A motion from a start time on. */
typedef struct scene_motion {
    double start;
    tact_motion motion;
} scene_motion;

/* The user data of a body. */
typedef struct scene_body {
    char *name;      /* as in the file */
    char *json_name; /* as a JSON string with quotes */
    tact_body body;
    tact_vec3 scale;             /* of its place; 1 if the place is a matrix */
    scene_motion *later_motions; /* after the first one, in order of time */
    size_t later_count, later_next;
} scene_body;

typedef struct scene {
    tact_world *world;
    double end;
    scene_response response;
    scene_body *bodies; /* in the order of the file */
    size_t count;
} scene;

/* Reads a scene from `length` bytes of text followed by a zero. Mesh files are searched in `folder` (may be NULL), then
 * in the working directory. On failure returns false, sets the error, and there is nothing to release. */
bool tact_scene_read(const char *text, size_t length, const char *folder, scene *s, tact_input_error *error);

void tact_scene_release(scene *s);

/* Applies the response of the scene to a touch event. */
tact_status tact_scene_respond(const scene *s, const tact_event *event);

#endif
