/*
 * Chooses the reader of a file. The content has precedence over the extension: files are renamed, and only the file
 * size separates binary STL from text. In this order:
 *   1. "ply" and the end of a line: PLY.
 *   2. The file size matches the triangle count at byte 80: binary STL, even if it starts with "solid", as many do.
 *   3. The word "solid", and no zero byte near the start: text STL.
 *   4. The first statement is `v` with three numbers, or `mtllib`: OBJ.
 *   5. The extension is .ply, .obj or .stl: that reader, which then reports the error.
 *   6. Assimp.
 */
#include "mesh_file.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "mesh_file_number.h"
#include "mesh_file_readers.h"
#include "mesh_file_stl.h"

/* Bytes searched for a zero byte, which no text has: the header of a binary STL and its first triangles. */
#define TEXT_PROBE 512

typedef struct mesh_reader {
    const char *format;
    bool (*read)(mesh_source *source, mesh_build *build);
} mesh_reader;

static const mesh_reader ply_reader = {"PLY", tact_mesh_read_ply};
static const mesh_reader obj_reader = {"OBJ", tact_mesh_read_obj};
static const mesh_reader stl_text_reader = {"STL, text", tact_mesh_read_stl_text};
static const mesh_reader stl_binary_reader = {"STL, binary", tact_mesh_read_stl_binary};
static const mesh_reader assimp_reader = {"read by Assimp", tact_mesh_read_assimp};

bool tact_mesh_check_coordinate(const mesh_source *source, const char *at, double value)
{
    if (isfinite(value))
        return true;
    return source->binary
               ? tact_mesh_source_fail(source, at, "a coordinate is %s", isnan(value) ? "not a number" : "infinite")
               : tact_mesh_source_fail(source, at, "a number is too large for a double");
}

bool tact_mesh_read_coordinate(const mesh_source *source, const char **at, double *value)
{
    const char *end = tact_decimal_read(*at, value);
    /* in an OBJ a comment or a backslash may follow directly; other readers reject them afterwards */
    bool complete = end && (end >= source->end || mesh_is_space(*end) || *end == '#' || *end == '\\');
    if (!complete) {
        char quote[MESH_QUOTE];
        return tact_mesh_source_fail(source, *at, "a number was expected, not %s",
                                     tact_mesh_source_quote(source, *at, quote));
    }
    if (!isfinite(*value))
        return tact_mesh_check_coordinate(source, *at, *value);
    *at = end;
    return true;
}

static bool starts_as_ply(const mesh_source *source)
{
    return strncmp(source->begin, "ply", 3) == 0 && mesh_is_line_end(*mesh_skip_blank(source->begin + 3));
}

static bool has_size_of_stl(const mesh_source *source)
{
    size_t size = (size_t)(source->end - source->begin);
    return size >= STL_HEADER + 4 && size == STL_HEADER + 4 + (uint64_t)STL_TRIANGLE * tact_mesh_stl_count(source);
}

static bool starts_as_stl_text(const mesh_source *source)
{
    const char *at = mesh_skip_space(mesh_source_text(source)), *end = mesh_skip_word(at, source->end);
    size_t size = (size_t)(source->end - source->begin), probe = size < TEXT_PROBE ? size : TEXT_PROBE;
    return tact_mesh_word_is_any_case(at, (size_t)(end - at), "solid") && !memchr(source->begin, '\0', probe);
}

static bool starts_as_obj(const mesh_source *source)
{
    const char *at = mesh_skip_space(mesh_source_text(source));
    while (*at == '#')
        at = mesh_skip_space(mesh_skip_line(at, source->end));
    const char *end = mesh_skip_word(at, source->end);
    size_t length = (size_t)(end - at);
    if (tact_mesh_word_is(at, length, "mtllib"))
        return true;
    if (!tact_mesh_word_is(at, length, "v"))
        return false;
    for (int i = 0; i < 3; i++) {
        double unused;
        end = tact_decimal_read(mesh_skip_blank(end), &unused);
        if (!end)
            return false;
    }
    return true;
}

/* True if the path ends with a point and this extension, in any case. */
static bool has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), size = strlen(extension);
    return length > size && path[length - size - 1] == '.' &&
           tact_mesh_word_is_any_case(path + length - size, size, extension);
}

static const mesh_reader *reader_choose(const mesh_source *source)
{
    if (starts_as_ply(source))
        return &ply_reader;
    if (has_size_of_stl(source))
        return &stl_binary_reader;
    if (starts_as_stl_text(source))
        return &stl_text_reader;
    if (starts_as_obj(source) || has_extension(source->path, "obj"))
        return &obj_reader;
    if (has_extension(source->path, "ply"))
        return &ply_reader;
    return has_extension(source->path, "stl") ? &stl_binary_reader : &assimp_reader;
}

bool tact_mesh_file_read_with(const char *path, const tact_allocator *allocator, mesh_file *mesh, char *error,
                              size_t error_size)
{
    static const tact_allocator standard = {NULL, NULL};
    *mesh = (mesh_file){0};
    mesh_source source = {.path = path ? path : "",
                          .allocator = allocator ? allocator : &standard,
                          .error = error,
                          .error_size = error_size};
    if (!tact_mesh_source_load(&source))
        return false;
    const mesh_reader *chosen = reader_choose(&source);
    mesh_build build;
    bool done = tact_mesh_build_begin(&build, &source, chosen->format) && chosen->read(&source, &build);
    tact_mesh_source_release(&source);
    done = done && tact_mesh_build_finish(&build, mesh);
    tact_mesh_build_release(&build);
    return done;
}

bool tact_mesh_file_read(const char *path, mesh_file *mesh, char *error, size_t error_size)
{
    return tact_mesh_file_read_with(path, NULL, mesh, error, error_size);
}

void tact_mesh_file_release(mesh_file *mesh)
{
    const tact_allocator *allocator = &mesh->allocator;
    tact_memory_free(allocator, mesh->vertices, 3 * mesh->vertex_count, sizeof *mesh->vertices);
    tact_memory_free(allocator, mesh->indices, mesh->index_count, sizeof *mesh->indices);
    tact_memory_free(allocator, mesh->face_start, mesh->face_count + 1, sizeof *mesh->face_start);
    *mesh = (mesh_file){0};
}
