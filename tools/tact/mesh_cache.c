/* POSIX, for stat and strdup. */
#define _POSIX_C_SOURCE 200809L

#include "mesh_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cad_file.h"
#include "file_shape.h"
#include "mesh_file.h"
#include "model_file.h"

/* Stores the identity and modification time of a file in `mesh`; false if it does not exist. */
static bool file_identify(const char *path, cached_mesh *mesh)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    mesh->device = (unsigned long long)status.st_dev;
    mesh->inode = (unsigned long long)status.st_ino;
    mesh->bytes = (unsigned long long)status.st_size;
    mesh->seconds = (long long)status.st_mtim.tv_sec;
    mesh->nanoseconds = (long long)status.st_mtim.tv_nsec;
    return true;
}

static bool is_same(const cached_mesh *cached, const cached_mesh *wanted)
{
    return cached->path && strcmp(cached->path, wanted->path) == 0 && cached->sides.solid == wanted->sides.solid &&
           cached->sides.one_sided == wanted->sides.one_sided && cached->sides.model == wanted->sides.model &&
           cached->device == wanted->device && cached->inode == wanted->inode && cached->bytes == wanted->bytes &&
           cached->seconds == wanted->seconds && cached->nanoseconds == wanted->nanoseconds;
}

static void entry_clear(cached_mesh *cached)
{
    tact_shape_release(cached->shape);
    free(cached->path);
    memset(cached, 0, sizeof *cached);
}

/* The path to open, to be freed by the caller: in the folder if the file exists there or in neither place. */
static char *path_resolve(const char *folder, const char *path)
{
    cached_mesh ignored;
    if (!folder || path[0] == '/')
        return strdup(path);
    size_t size = strlen(folder) + strlen(path) + 2;
    char *joined = malloc(size);
    if (!joined)
        return NULL;
    (void)snprintf(joined, size, "%s/%s", folder, path);
    if (file_identify(joined, &ignored) || !file_identify(path, &ignored))
        return joined;
    free(joined);
    return strdup(path);
}

/* A compound of the bodies of a model. */
static tact_shape *model_load(const char *path, char *error, size_t error_size)
{
    model_file model;
    tact_report report = {0};
    if (!tact_model_file_read(path, &(model_options){NULL, 0}, &model, error, error_size))
        return NULL;
    const size_t count = model.bodies.count;
    const tact_shape **parts = calloc(count + 1, sizeof *parts);
    tact_transform *transforms = calloc(count + 1, sizeof *transforms);
    for (size_t i = 0; parts && transforms && i < count; i++) {
        parts[i] = model.bodies.items[i].shape;
        transforms[i] = model.bodies.items[i].transform;
    }
    tact_shape *shape = parts && transforms ? tact_compound_create(parts, transforms, count, NULL, &report) : NULL;
    if (!shape)
        (void)snprintf(error, error_size, "%s: %s", path, report.text[0] ? report.text : "out of memory");
    free(parts);
    free(transforms);
    tact_model_file_release(&model);
    return shape;
}

static tact_shape *file_load(const char *path, mesh_sides sides, char *error, size_t error_size)
{
    mesh_file content;
    tact_report report;
    cad_conversion unused;
    if (sides.model)
        return model_load(path, error, error_size);
    if (tact_cad_file_is(path))
        return tact_cad_file_read(path, 0.0, &unused, error, error_size);
    if (!tact_mesh_file_read(path, &content, error, error_size))
        return NULL;
    tact_shape *shape = tact_file_shape(&content, sides.solid, sides.one_sided, &report);
    tact_mesh_file_release(&content);
    if (!shape)
        (void)snprintf(error, error_size, "%s: %s", path, report.text);
    return shape;
}

char *tact_mesh_cache_path(const mesh_cache *cache, const char *path, char *error, size_t error_size)
{
    if (cache->no_files) {
        (void)snprintf(error, error_size, "a server reads no files: send vertices and triangles, or the surfaces");
        return NULL;
    }
    char *resolved = path_resolve(cache->folder, path);
    if (!resolved)
        (void)snprintf(error, error_size, "out of memory");
    return resolved;
}

tact_shape *tact_mesh_cache_get(mesh_cache *cache, const char *path, mesh_sides sides, char *error, size_t error_size)
{
    cached_mesh wanted = {.path = tact_mesh_cache_path(cache, path, error, error_size), .sides = sides};
    if (!wanted.path)
        return NULL;
    bool exists = file_identify(wanted.path, &wanted);
    cached_mesh *oldest = &cache->meshes[0];
    cache->calls++;
    for (size_t i = 0; i < MESH_CACHE_SIZE; i++) {
        cached_mesh *cached = &cache->meshes[i];
        if (exists && is_same(cached, &wanted)) {
            cached->last_used = cache->calls;
            free(wanted.path);
            return tact_shape_retain(cached->shape);
        }
        if (cached->last_used < oldest->last_used)
            oldest = cached;
    }
    wanted.shape = file_load(wanted.path, sides, error, error_size);
    wanted.last_used = cache->calls;
    if (!wanted.shape) {
        free(wanted.path);
        return NULL;
    }
    entry_clear(oldest);
    *oldest = wanted;
    return tact_shape_retain(wanted.shape);
}

void tact_mesh_cache_release(mesh_cache *cache)
{
    for (size_t i = 0; i < MESH_CACHE_SIZE; i++)
        entry_clear(&cache->meshes[i]);
}
