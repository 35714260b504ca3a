/*
 * A cache of meshes from files: a file is read once as long as it does not change.
 *
 *     mesh_cache cache = {.folder = "requests"};       otherwise zero-initialised: empty
 *     tact_shape *mesh = tact_mesh_cache_get(&cache, "cube.stl", (mesh_sides){.solid = true}, error, sizeof error);
 *     ...
 *     tact_shape_release(mesh);
 *     tact_mesh_cache_release(&cache);
 */
#ifndef TACT_TOOL_MESH_CACHE_H
#define TACT_TOOL_MESH_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/shape.h>

/* Meshes in the cache: more than requests usually alternate between, few enough for the memory. Performance only. */
#define MESH_CACHE_SIZE 16

/* Which sides of a surface collide: as in tact_mesh_def. Or a model (model_file.h), as a compound of its bodies. */
typedef struct mesh_sides {
    bool solid, one_sided;
    bool model;
} mesh_sides;

typedef struct cached_mesh {
    char *path; /* NULL: an empty entry */
    mesh_sides sides;
    unsigned long long device, inode, bytes; /* identify the file */
    long long seconds, nanoseconds;          /* time of its last modification */
    unsigned long long last_used;            /* number of the call that last returned it */
    tact_shape *shape;
} cached_mesh;

/* Finds a shape by name, for a SHAPE of type shared. NULL: there is none. The caller gets no reference. */
typedef tact_shape *shared_shape_find(void *context, const char *name);

typedef struct mesh_cache {
    const char *folder;        /* searched first for relative paths; NULL: only the working directory */
    bool no_files;             /* no file may be read: the input comes from another program */
    shared_shape_find *shared; /* NULL: there are no shared shapes */
    void *shared_context;
    unsigned long long calls;
    cached_mesh meshes[MESH_CACHE_SIZE];
} mesh_cache;

/* Returns the mesh of a file, or the NURBS shape of a CAD file (cad_file.h), to be released by the caller. A relative
 * path is searched in the folder first, then in the working directory. On failure returns NULL and writes one line to
 * `error` (`error_size` bytes). */
tact_shape *tact_mesh_cache_get(mesh_cache *cache, const char *path, mesh_sides sides, char *error, size_t error_size);

/* Where a file is searched: the path to open, to be freed by the caller. On failure as above. */
char *tact_mesh_cache_path(const mesh_cache *cache, const char *path, char *error, size_t error_size);

/* Releases all cached meshes. */
void tact_mesh_cache_release(mesh_cache *cache);

#endif
