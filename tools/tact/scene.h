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
#include "mesh_cache.h"

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

/* Applies a response to a touch event. */
tact_status tact_scene_respond(tact_world *world, scene_response response, const tact_event *event);

/* Reads the parts of a scene into a world of its own: for programs that build it piece by piece. */
typedef struct scene_reader {
    tact_world *world;
    mesh_cache *cache;
    json_t *names; /* an object: name -> number of the body */
    tact_input_error *error;
} scene_reader;

/* Reads gravity, contact_step, sleep, kinetic and response, all optional, and sets them. Other keys are ignored. */
bool tact_scene_settings_read(scene_reader *r, const json_t *root, const tact_json_path *where,
                              scene_response *response);

/* Reads response alone; the default is none. */
bool tact_scene_response_read(scene_reader *r, const json_t *root, const tact_json_path *where,
                              scene_response *response);

/* Reads a body and creates it in the world; `body`, zero at first, is its user data, and stays where it is. `number` is
 * its name if it has none. On failure the body may exist, and the caller still releases `body`. */
bool tact_scene_body_read(scene_reader *r, const json_t *value, const tact_json_path *where, size_t number,
                          scene_body *body);

/* Frees what `body` owns. */
void tact_scene_body_release(scene_body *body);

/* Checks the range of a motion; a body with a mass has no pivot. */
bool tact_scene_motion_check(const scene_reader *r, const tact_json_path *where, const tact_motion *motion,
                             bool has_mass);

#endif
