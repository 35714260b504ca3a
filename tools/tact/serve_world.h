/* The worlds of a session, and the requests about them. */
#ifndef TACT_TOOL_SERVE_WORLD_H
#define TACT_TOOL_SERVE_WORLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <tact/progress.h>

#include "json_writer.h"
#include "mesh_cache.h"
#include "scene.h"

/* A world of a session. */
typedef struct serve_world {
    char *name;
    tact_world *world;
    scene_response response;
    json_t *names;       /* name of a body -> its index in `bodies` */
    scene_body **bodies; /* NULL: removed */
    size_t count, capacity;
} serve_world;

/* The worlds of a session. Set limit, progress and cache; the rest is zero at first. */
typedef struct serve_worlds {
    serve_world **items;
    size_t count, limit;
    tact_progress progress; /* of every world */
    mesh_cache *cache;
} serve_worlds;

/* The names of all requests about worlds, separated by commas. */
extern const char tact_serve_world_operations[];

/* Runs the request `op`. Returns false and sets the error if it fails. `found` is false if there is no such request. */
bool tact_serve_worlds_run(serve_worlds *worlds, const char *op, const json_t *root, json_writer *answer, bool *found,
                           tact_input_error *error);

void tact_serve_worlds_release(serve_worlds *worlds);

#endif
