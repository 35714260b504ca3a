/* POSIX, for stat and strdup. */
#define _POSIX_C_SOURCE 200809L

#include "mesh_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file_shape.h"
#include "mesh_file.h"

/* Which file, and when it was last written, in `about`; false if there is none. */
static bool file_identify(const char *path, cached_mesh *about)
{
    struct stat found;
    if (stat(path, &found) != 0)
        return false;
    about->device = (unsigned long long)found.st_dev;
    about->file = (unsigned long long)found.st_ino;
    about->bytes = (unsigned long long)found.st_size;
    about->seconds = (long long)found.st_mtim.tv_sec;
    about->nanoseconds = (long long)found.st_mtim.tv_nsec;
    return true;
}

static bool is_same(const cached_mesh *kept, const cached_mesh *asked)
{
    return kept->path && strcmp(kept->path, asked->path) == 0 && kept->solid == asked->solid &&
           kept->device == asked->device && kept->file == asked->file && kept->bytes == asked->bytes &&
           kept->seconds == asked->seconds && kept->nanoseconds == asked->nanoseconds;
}

static void forget(cached_mesh *kept)
{
    tact_shape_release(kept->shape);
    free(kept->path);
    memset(kept, 0, sizeof *kept);
}

/* The path to open, for the caller to free: in the folder, unless there is no such file. */
static char *path_resolve(const char *folder, const char *path)
{
    cached_mesh ignored;
    if (!folder || path[0] == '/')
        return strdup(path);
    size_t room = strlen(folder) + strlen(path) + 2;
    char *joined = malloc(room);
    if (!joined)
        return NULL;
    (void)snprintf(joined, room, "%s/%s", folder, path);
    if (file_identify(joined, &ignored) || !file_identify(path, &ignored))
        return joined;
    free(joined);
    return strdup(path);
}

static tact_shape *file_load(const char *path, bool solid, char *error, size_t room)
{
    mesh_file content;
    tact_report report;
    if (!tact_mesh_file_read(path, &content, error, room))
        return NULL;
    tact_shape *shape = tact_file_shape(&content, solid, &report);
    tact_mesh_file_release(&content);
    if (!shape)
        (void)snprintf(error, room, "%s: %s", path, report.text);
    return shape;
}

tact_shape *tact_mesh_cache_get(mesh_cache *cache, const char *path, bool solid, char *error, size_t room)
{
    cached_mesh asked = {.path = path_resolve(cache->folder, path), .solid = solid};
    if (!asked.path) {
        (void)snprintf(error, room, "out of memory");
        return NULL;
    }
    bool there = file_identify(asked.path, &asked);
    cached_mesh *oldest = &cache->meshes[0];
    cache->calls++;
    for (size_t i = 0; i < MESH_CACHE_MOST; i++) {
        cached_mesh *kept = &cache->meshes[i];
        if (there && is_same(kept, &asked)) {
            kept->used = cache->calls;
            free(asked.path);
            return tact_shape_retain(kept->shape);
        }
        if (kept->used < oldest->used)
            oldest = kept;
    }
    asked.shape = file_load(asked.path, solid, error, room);
    asked.used = cache->calls;
    if (!asked.shape) {
        free(asked.path);
        return NULL;
    }
    forget(oldest);
    *oldest = asked;
    return tact_shape_retain(asked.shape);
}

void tact_mesh_cache_release(mesh_cache *cache)
{
    for (size_t i = 0; i < MESH_CACHE_MOST; i++)
        forget(&cache->meshes[i]);
}
