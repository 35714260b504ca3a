/* Chooses the reader of an animation, and what all readers share. */

/* POSIX, for stat. */
#define _POSIX_C_SOURCE 200809L

#include "frames.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command_line.h"
#include "frames_binary.h"
#include "mesh_file_source.h"
#include "triangle_mesh.h"

/* ---- errors and checks ---- */

bool tact_frames_fail(const frame_source *source, const char *format, ...)
{
    char *text = source->error;
    const size_t size = source->error_size;
    if (!text || size == 0)
        return false;
    const int written = snprintf(text, size, "%s: ", source->def.path);
    const size_t used = written > 0 && (size_t)written < size ? (size_t)written : size - 1;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
    return false;
}

bool tact_frames_out_of_memory(const frame_source *source)
{
    return tact_frames_fail(source, "there is not enough memory to read it");
}

bool tact_frames_check_count(const frame_source *source, size_t vertex_count)
{
    const mesh_file *mesh = source->def.mesh;
    if (!mesh || mesh->vertex_count == vertex_count)
        return true;
    return tact_frames_fail(source, "has %zu %s, but %s has %zu", vertex_count, tact_vertices_word(vertex_count),
                            source->def.mesh_path, mesh->vertex_count);
}

bool tact_frames_check_finite(const frame_source *source, size_t index, const tact_vec3 *positions)
{
    for (size_t v = 0; v < source->vertex_count; v++) {
        const double xyz[3] = {positions[v].x, positions[v].y, positions[v].z};
        for (int k = 0; k < 3; k++)
            if (!isfinite(xyz[k]))
                return tact_frames_fail(source, "frame %zu: vertex %zu is %s", index, v,
                                        isnan(xyz[k]) ? "not a number" : "infinite");
    }
    return true;
}

/* ---- the choice of a reader ---- */

static bool has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path), size = strlen(extension);
    return length > size && path[length - size - 1] == '.' &&
           tact_mesh_word_is_any_case(path + length - size, size, extension);
}

/* Reads the first bytes of a regular file; returns their number. */
static size_t file_start(const char *path, char *bytes, size_t size)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(bytes, 1, size, file) : 0;
    if (file)
        (void)fclose(file);
    return got;
}

bool tact_frames_is_gltf(const char *path)
{
    char start[4];
    return (file_start(path, start, sizeof start) == sizeof start && memcmp(start, "glTF", sizeof start) == 0) ||
           has_extension(path, "gltf") || has_extension(path, "glb");
}

static bool is_pc2(const char *path)
{
    char start[sizeof PC2_MAGIC - 1];
    return (file_start(path, start, sizeof start) == sizeof start && memcmp(start, PC2_MAGIC, sizeof start) == 0) ||
           has_extension(path, "pc2");
}

static bool source_open(frame_source *source)
{
    const char *path = source->def.path;
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    if (exists ? S_ISDIR(status.st_mode) : strpbrk(path, "*?[%") != NULL)
        return tact_frames_open_folder(source);
    if (tact_frames_is_gltf(path))
        return tact_frames_open_gltf(source);
    if (!source->def.mesh)
        return tact_frames_fail(source, "is not a glTF file: a mesh is needed beside the frames");
    if (is_pc2(path))
        return tact_frames_open_pc2(source);
    if (has_extension(path, "mdd"))
        return tact_frames_open_mdd(source);
    return exists ? tact_frames_fail(source, "is not a PC2, MDD or glTF file, a folder of frames or a pattern")
                  : tact_frames_fail(source, "cannot be opened: there is no such file");
}

static void error_begin(frame_source *source, char *error, size_t error_size)
{
    source->error = error;
    source->error_size = error_size;
}

bool tact_frames_open(frame_source *source, const frames_def *def, char *error, size_t error_size)
{
    *source = (frame_source){.def = *def, .mesh = def->mesh};
    if (def->allocator)
        source->allocator = *def->allocator;
    error_begin(source, error, error_size);
    if (!source_open(source)) {
        *source = (frame_source){0};
        return false;
    }
    if (source->frame_count > 0 && source->vertex_count > 0)
        return true;
    (void)tact_frames_fail(source, "has no %s", source->frame_count > 0 ? "vertices" : "frames");
    tact_frames_close(source);
    return false;
}

bool tact_frames_read(frame_source *source, size_t index, tact_vec3 *positions, char *error, size_t error_size)
{
    error_begin(source, error, error_size);
    return source->reader->read(source, index, positions) && tact_frames_check_finite(source, index, positions);
}

bool tact_frames_is_sampled(const frame_source *source) { return source->reader->read_middle != NULL; }

bool tact_frames_read_middle(frame_source *source, size_t interval, tact_vec3 *positions, char *error,
                             size_t error_size)
{
    error_begin(source, error, error_size);
    return source->reader->read_middle(source, interval, positions) &&
           tact_frames_check_finite(source, interval, positions);
}

bool tact_frames_has_time(const frame_source *source) { return source->reader->time != NULL; }

double tact_frames_time(const frame_source *source, size_t index)
{
    return source->reader->time ? source->reader->time(source, index) : (double)index;
}

bool tact_frames_uses(const frame_source *source, const char *path)
{
    return source->reader->uses ? source->reader->uses(source, path) : tact_is_same_file(source->def.path, path);
}

void tact_frames_close(frame_source *source)
{
    if (source->reader && source->reader->close)
        source->reader->close(source);
    *source = (frame_source){0};
}
