#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* for realpath */
#define ON_POSIX 1
#else
#define ON_POSIX 0
#endif

#include "mesh_file_folder.h"

#include <stdlib.h>
#include <string.h>

#if ON_POSIX

static char *path_resolve(const char *path) { return realpath(path, NULL); }

#else

static char *path_resolve(const char *path) { return _fullpath(NULL, path, 0); }

#endif

#if ON_POSIX
#define IS_SEPARATOR(c) ((c) == '/')
#else
#define IS_SEPARATOR(c) ((c) == '/' || (c) == '\\')
#endif

/* Bytes of the folder of a path, with its separator; 0: the working directory. */
static size_t folder_length(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && !IS_SEPARATOR(path[length - 1]))
        length--;
    return length;
}

/* The resolved folder of a path; NULL if it does not exist. */
static char *folder_resolve(const char *path)
{
    const size_t length = folder_length(path);
    char *folder = malloc(length + 2);
    if (!folder)
        return NULL;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2);
    char *resolved = path_resolve(folder);
    free(folder);
    return resolved;
}

/* True if a resolved path lies in a resolved folder or below; frees the folder. */
static bool folder_has(char *folder, const char *path)
{
    size_t length = folder ? strlen(folder) : 0;
    if (length > 0 && IS_SEPARATOR(folder[length - 1])) /* the root */
        length--;
    const bool has = folder && strncmp(folder, path, length) == 0 && IS_SEPARATOR(path[length]);
    free(folder);
    return has;
}

bool tact_mesh_folder_is_left(const char *model, const char *path)
{
    char *resolved = path_resolve(path), *target = path_resolve(model);
    bool has = resolved && folder_has(folder_resolve(model), resolved);
    if (resolved && target && !has)
        has = folder_has(folder_resolve(target), resolved);
    const bool exists = resolved != NULL;
    free(resolved);
    free(target);
    return exists && !has;
}
