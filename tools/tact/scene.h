/* A scene: bodies that move, and what happens when they touch, from a JSON file. See docs/run_tool.md. */
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

/* A motion that begins at a time. */
typedef struct scene_piece {
    double at;
    tact_motion motion;
} scene_piece;

/* What the tool remembers of a body, which is its user pointer. */
typedef struct scene_body {
    char *name;   /* as in the file */
    char *quoted; /* as in JSON, with its quotes */
    tact_body body;
    double mass; /* 0: none */
    double restitution, friction;
    scene_piece *pieces; /* motions that come after the first one, in order of time */
    size_t piece_count, piece_next;
} scene_body;

typedef struct scene {
    tact_world *world;
    double end;
    scene_response response;
    scene_body *bodies; /* in the order of the file */
    size_t count;
} scene;

/* Reads a scene from a text that ends with a zero, `length` bytes before that. Meshes are looked for in `folder` (may
 * be NULL) and then in the working directory. On failure returns false with a complaint made, and there is nothing to
 * release. */
bool tact_scene_read(const char *text, size_t length, const char *folder, scene *s, tact_complaint *complaint);

void tact_scene_release(scene *s);

/* What the scene asks for when two bodies have touched. */
tact_status tact_scene_respond(const scene *s, const tact_event *event);

#endif
