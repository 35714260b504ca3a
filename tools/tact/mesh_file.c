/*
 * Which reader a file goes to. What the file holds counts for more than its name: files are renamed, and binary STL is
 * told from text only by its length. In this order:
 *   1. "ply" and the end of a line: PLY.
 *   2. As long as the triangle count at byte 80 says: binary STL, also when it begins with "solid", as many do.
 *   3. The word "solid", and no byte 0 near the beginning: text STL.
 *   4. Its first statement is `v` with three numbers, or `mtllib`: OBJ.
 *   5. The name ends with .ply, .obj or .stl: that reader, which will then say what is wrong.
 *   6. Assimp.
 */
#include "mesh_file.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "mesh_file_number.h"
#include "mesh_file_readers.h"
#include "mesh_file_stl.h"

/* How far a text is looked at for bytes that no text has: the header of a binary STL and its first triangles. */
#define TEXT_PROBE 512

typedef struct reader {
    const char *format;
    bool (*read)(mesh_source *source, mesh_build *build);
} reader;

static const reader ply_reader = {"PLY", tact_mesh_read_ply};
static const reader obj_reader = {"OBJ", tact_mesh_read_obj};
static const reader stl_text_reader = {"STL, text", tact_mesh_read_stl_text};
static const reader stl_binary_reader = {"STL, binary", tact_mesh_read_stl_binary};
static const reader assimp_reader = {"read by Assimp", tact_mesh_read_assimp};

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
    const char *behind = tact_number_read(*at, value);
    /* a comment or a backslash may follow at once in an OBJ; elsewhere they are found to be no number */
    bool whole = behind && (behind >= source->end || mesh_is_space(*behind) || *behind == '#' || *behind == '\\');
    if (!whole) {
        char quote[MESH_QUOTE];
        return tact_mesh_source_fail(source, *at, "a number was expected, not %s",
                                     tact_mesh_source_quote(source, *at, quote));
    }
    if (!isfinite(*value))
        return tact_mesh_check_coordinate(source, *at, *value);
    *at = behind;
    return true;
}

static bool begins_as_ply(const mesh_source *source)
{
    return strncmp(source->begin, "ply", 3) == 0 && mesh_is_line_end(*mesh_skip_blank(source->begin + 3));
}

static bool is_long_as_stl(const mesh_source *source)
{
    size_t size = (size_t)(source->end - source->begin);
    return size >= STL_HEADER + 4 && size == STL_HEADER + 4 + (uint64_t)STL_TRIANGLE * tact_mesh_stl_count(source);
}

static bool begins_as_stl_text(const mesh_source *source)
{
    const char *at = mesh_skip_space(mesh_source_text(source)), *behind = mesh_skip_word(at, source->end);
    size_t size = (size_t)(source->end - source->begin), probe = size < TEXT_PROBE ? size : TEXT_PROBE;
    return tact_mesh_word_is_any_case(at, (size_t)(behind - at), "solid") && !memchr(source->begin, '\0', probe);
}

static bool begins_as_obj(const mesh_source *source)
{
    const char *at = mesh_skip_space(mesh_source_text(source));
    while (*at == '#')
        at = mesh_skip_space(mesh_skip_line(at, source->end));
    const char *behind = mesh_skip_word(at, source->end);
    size_t length = (size_t)(behind - at);
    if (tact_mesh_word_is(at, length, "mtllib"))
        return true;
    if (!tact_mesh_word_is(at, length, "v"))
        return false;
    for (int i = 0; i < 3; i++) {
        double unused;
        behind = tact_number_read(mesh_skip_blank(behind), &unused);
        if (!behind)
            return false;
    }
    return true;
}

/* Whether the path ends with a point and these letters, small or capital. */
static bool is_named(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && path[length - size - 1] == '.' &&
           tact_mesh_word_is_any_case(path + length - size, size, ending);
}

static const reader *reader_choose(const mesh_source *source)
{
    if (begins_as_ply(source))
        return &ply_reader;
    if (is_long_as_stl(source))
        return &stl_binary_reader;
    if (begins_as_stl_text(source))
        return &stl_text_reader;
    if (begins_as_obj(source) || is_named(source->path, "obj"))
        return &obj_reader;
    if (is_named(source->path, "ply"))
        return &ply_reader;
    return is_named(source->path, "stl") ? &stl_binary_reader : &assimp_reader;
}

bool tact_mesh_file_read_with(const char *path, const tact_allocator *allocator, mesh_file *mesh, char *error,
                              size_t room)
{
    static const tact_allocator plain = {NULL, NULL};
    *mesh = (mesh_file){0};
    mesh_source source = {
        .path = path ? path : "", .allocator = allocator ? allocator : &plain, .error = error, .room = room};
    if (!tact_mesh_source_load(&source))
        return false;
    const reader *chosen = reader_choose(&source);
    mesh_build build;
    bool done = tact_mesh_build_begin(&build, &source, chosen->format) && chosen->read(&source, &build);
    tact_mesh_source_release(&source);
    done = done && tact_mesh_build_finish(&build, mesh);
    tact_mesh_build_release(&build);
    return done;
}

bool tact_mesh_file_read(const char *path, mesh_file *mesh, char *error, size_t room)
{
    return tact_mesh_file_read_with(path, NULL, mesh, error, room);
}

void tact_mesh_file_release(mesh_file *mesh)
{
    const tact_allocator *allocator = &mesh->allocator;
    tact_memory_free(allocator, mesh->vertices, 3 * mesh->vertex_count, sizeof *mesh->vertices);
    tact_memory_free(allocator, mesh->corners, mesh->corner_count, sizeof *mesh->corners);
    tact_memory_free(allocator, mesh->face_first, mesh->face_count + 1, sizeof *mesh->face_first);
    *mesh = (mesh_file){0};
}
