/*
 * Meshes from files, read once as long as the file does not change: requests name the same few files again and again.
 *
 *     mesh_cache cache = {.folder = "requests"};       zero-initialised but for the folder: empty
 *     tact_shape *mesh = tact_mesh_cache_get(&cache, "cube.stl", true, error, sizeof error);
 *     ...
 *     tact_shape_release(mesh);
 *     tact_mesh_cache_release(&cache);
 */
#ifndef TACT_TOOL_MESH_CACHE_H
#define TACT_TOOL_MESH_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/shape.h>

#define MESH_CACHE_MOST 16 /* meshes that are kept: more than requests use at a time, few enough for any memory */

typedef struct cached_mesh {
    char *path; /* NULL: none here */
    bool solid;
    unsigned long long device, file, bytes; /* which file it was */
    long long seconds, nanoseconds;         /* when it was last written */
    unsigned long long used;                /* the call that last asked for it */
    tact_shape *shape;
} cached_mesh;

typedef struct mesh_cache {
    const char *folder; /* where relative paths begin; NULL: the working directory */
    unsigned long long calls;
    cached_mesh meshes[MESH_CACHE_MOST];
} mesh_cache;

/* The mesh of a file, for the caller to release. A relative path is looked for in the folder first, then in the working
 * directory. On failure returns NULL with one line in `error` (`room` bytes). */
tact_shape *tact_mesh_cache_get(mesh_cache *cache, const char *path, bool solid, char *error, size_t room);

/* Forgets all meshes. */
void tact_mesh_cache_release(mesh_cache *cache);

#endif
