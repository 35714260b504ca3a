/*
 * Frames that are mesh files of their own: a folder, a shell pattern (glob), or a printf pattern such as f_%04d.ply.
 * Only the names are kept. A frame is read as by tact check, and must have the faces of the mesh. Its number in errors
 * is its position in the order, from 0.
 */

/* POSIX, for opendir, glob and stat. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command_line.h"
#include "core/array.h"
#include "frames.h"
#include "mesh_file_source.h"
#include "natural_order.h"
#include "triangle_mesh.h"

/* A file of a frame. */
typedef struct frame_name {
    char *path;
    size_t size;     /* bytes of the path with its zero */
    uint64_t number; /* printf pattern */
} frame_name;
ARRAY_OF(frame_name_array, frame_name);

typedef struct frames_folder {
    frame_name_array names;
} frames_folder;

/* Extensions of files that are frames, if they lie in a folder; a pattern may match others, too. */
static const char *const extensions[] = {"ply", "obj", "stl", "off", "gltf", "glb",
                                         "fbx", "dae", "3ds", "x",   "lwo",  "x3d"};

static void names_release(frame_source *source, frames_folder *folder)
{
    for (size_t i = 0; i < folder->names.count; i++)
        tact_memory_free(&source->allocator, folder->names.items[i].path, folder->names.items[i].size, 1);
    frame_name_array_release(&folder->names, &source->allocator);
}

/* Adds the path "directory/name"; an empty directory and its slash are left out. */
static bool name_add(frame_source *source, frames_folder *folder, const char *directory, size_t directory_size,
                     const char *name, uint64_t number)
{
    const bool slash = directory_size > 0 && directory[directory_size - 1] != '/';
    const size_t length = strlen(name), size = directory_size + slash + length + 1;
    char *path = tact_memory_allocate(&source->allocator, size, 1);
    if (!path)
        return tact_frames_out_of_memory(source);
    if (directory_size > 0)
        memcpy(path, directory, directory_size);
    if (slash)
        path[directory_size] = '/';
    memcpy(path + directory_size + slash, name, length + 1);
    if (frame_name_array_push(&folder->names, &source->allocator, (frame_name){path, size, number}))
        return true;
    tact_memory_free(&source->allocator, path, size, 1);
    return tact_frames_out_of_memory(source);
}

/* ---- a folder ---- */

static bool is_mesh_name(const char *name)
{
    const char *point = strrchr(name, '.');
    if (!point || point == name)
        return false;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (tact_mesh_word_is_any_case(point + 1, strlen(point + 1), extensions[i]))
            return true;
    return false;
}

/* ---- a printf pattern ---- */

/* A pattern such as "f_%04d.ply": the text around one number. */
typedef struct number_pattern {
    const char *prefix, *suffix;
    size_t prefix_size, suffix_size;
    size_t width; /* least number of digits, filled with zeros; 1: none */
} number_pattern;

/* Parses the name of a pattern (without folder). False if it is none: one conversion %d, %Nd or %0Nd, no other %. */
static bool pattern_parse(const char *name, number_pattern *pattern)
{
    const char *percent = strchr(name, '%');
    if (!percent)
        return false;
    const char *at = percent + 1;
    size_t width = 0;
    if (*at != '0' && *at != 'd')
        return false; /* %4d pads with spaces, which no file name has */
    for (; *at >= '0' && *at <= '9' && width < 100; at++)
        width = 10 * width + (size_t)(*at - '0');
    if (*at != 'd' || strchr(at, '%'))
        return false;
    *pattern = (number_pattern){.prefix = name,
                                .prefix_size = (size_t)(percent - name),
                                .suffix = at + 1,
                                .suffix_size = strlen(at + 1),
                                .width = width > 0 ? width : 1};
    return true;
}

/* True if printf would print this name for a number, which is returned. */
static bool pattern_match(const number_pattern *pattern, const char *name, uint64_t *number)
{
    const size_t length = strlen(name), around = pattern->prefix_size + pattern->suffix_size;
    if (length <= around || memcmp(name, pattern->prefix, pattern->prefix_size) != 0 ||
        strcmp(name + length - pattern->suffix_size, pattern->suffix) != 0)
        return false;
    const char *digits = name + pattern->prefix_size;
    const size_t count = length - around;
    /* more digits than the width: no leading zero. 18 digits fit into 64 bits */
    if (count < pattern->width || count > 18 || (count > pattern->width && digits[0] == '0'))
        return false;
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        *number = 10 * *number + (uint64_t)(digits[i] - '0');
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const frame_name *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool gaps_check(const frame_source *source, const frames_folder *folder, const number_pattern *pattern)
{
    for (size_t i = 1; i < folder->names.count; i++) {
        const frame_name *last = &folder->names.items[i - 1], *next = &folder->names.items[i];
        if (next->number != last->number + 1)
            return tact_frames_fail(source, "frame %zu: %.*s%0*llu%s is missing, but there is %s", i,
                                    (int)pattern->prefix_size, pattern->prefix, (int)pattern->width,
                                    (unsigned long long)last->number + 1, pattern->suffix, next->path);
    }
    return true;
}

/* ---- the list of names ---- */

static int compare_names(const void *a, const void *b)
{
    const frame_name *x = a, *y = b;
    return tact_natural_compare(x->path, y->path);
}

/* Collects the names in a directory that match the pattern, or all mesh files if it is NULL. */
static bool directory_list(frame_source *source, frames_folder *folder, const char *directory, size_t directory_size,
                           const number_pattern *pattern)
{
    char *path = tact_memory_allocate(&source->allocator, directory_size + 2, 1);
    if (!path)
        return tact_frames_out_of_memory(source);
    memcpy(path, directory_size > 0 ? directory : ".", directory_size > 0 ? directory_size : 1);
    path[directory_size > 0 ? directory_size : 1] = '\0';
    errno = 0;
    DIR *open = opendir(path);
    tact_memory_free(&source->allocator, path, directory_size + 2, 1);
    if (!open)
        return tact_frames_fail(source, "cannot be read: %s", errno ? strerror(errno) : "unknown reason");
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(open)) != NULL;) {
        uint64_t number = 0;
        if (entry->d_name[0] != '.' &&
            (pattern ? pattern_match(pattern, entry->d_name, &number) : is_mesh_name(entry->d_name)))
            good = name_add(source, folder, directory, directory_size, entry->d_name, number);
    }
    (void)closedir(open);
    return good;
}

static bool glob_list(frame_source *source, frames_folder *folder)
{
    glob_t found = {0};
    const int result = glob(source->def.path, GLOB_NOSORT, NULL, &found);
    bool good = result == 0 || result == GLOB_NOMATCH;
    if (!good)
        (void)tact_frames_fail(source, "cannot be searched%s", result == GLOB_NOSPACE ? ": out of memory" : "");
    for (size_t i = 0; result == 0 && good && i < found.gl_pathc; i++)
        good = name_add(source, folder, NULL, 0, found.gl_pathv[i], 0);
    globfree(&found);
    return good;
}

static bool names_collect(frame_source *source, frames_folder *folder)
{
    const char *path = source->def.path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct stat status;
    number_pattern pattern;
    int (*compare)(const void *, const void *) = compare_names;
    bool good, is_folder = stat(path, &status) == 0;
    if (is_folder) {
        good = directory_list(source, folder, path, strlen(path), NULL);
    } else if (pattern_parse(name, &pattern)) {
        compare = compare_numbers;
        good = directory_list(source, folder, path, (size_t)(name - path), &pattern);
    } else {
        good = glob_list(source, folder);
    }
    if (!good)
        return false;
    if (folder->names.count == 0)
        return tact_frames_fail(source, is_folder ? "has no mesh files" : "no file matches");
    qsort(folder->names.items, folder->names.count, sizeof *folder->names.items, compare);
    return compare == compare_names || gaps_check(source, folder, &pattern);
}

/* ---- frames ---- */

static bool folder_read(frame_source *source, size_t index, tact_vec3 *positions)
{
    const frames_folder *folder = source->data;
    const char *path = folder->names.items[index].path;
    const frames_def *def = &source->def;
    mesh_file frame;
    char error[FRAMES_ERROR];
    bool good = tact_mesh_file_read_with(path, &source->allocator, &frame, error, sizeof error) &&
                tact_triangle_mesh_match(def->mesh, def->mesh_path, &frame, path, error, sizeof error);
    if (good)
        memcpy(positions, frame.vertices, frame.vertex_count * sizeof *positions);
    else if (source->error && source->error_size > 0)
        (void)snprintf(source->error, source->error_size, "%s (frame %zu)", error, index);
    tact_mesh_file_release(&frame);
    return good;
}

static bool folder_uses(const frame_source *source, const char *path)
{
    const frames_folder *folder = source->data;
    for (size_t i = 0; i < folder->names.count; i++)
        if (tact_is_same_file(folder->names.items[i].path, path))
            return true;
    return false;
}

static void folder_close(frame_source *source)
{
    frames_folder *folder = source->data;
    names_release(source, folder);
    tact_memory_free(&source->allocator, folder, 1, sizeof *folder);
}

static const frame_reader folder_reader = {"mesh files", folder_read, NULL, NULL, folder_uses, folder_close};

bool tact_frames_open_folder(frame_source *source)
{
    if (!source->def.mesh)
        return tact_frames_fail(source, "is not a glTF file: a mesh is needed beside the frames");
    frames_folder *folder = tact_memory_allocate(&source->allocator, 1, sizeof *folder);
    if (!folder)
        return tact_frames_out_of_memory(source);
    *folder = (frames_folder){.names = {0}};
    source->reader = &folder_reader;
    source->data = folder;
    if (!names_collect(source, folder)) {
        folder_close(source);
        return false;
    }
    source->frame_count = folder->names.count;
    source->vertex_count = source->def.mesh->vertex_count;
    return true;
}
