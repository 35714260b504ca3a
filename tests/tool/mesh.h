/*
 * Mesh files for the tests: written into a folder of their own, read back, compared, damaged. A file that includes this
 * one defines _POSIX_C_SOURCE first, and hands folder_make and folder_remove to cmocka_run_group_tests.
 */
#ifndef TACT_TESTS_TOOL_MESH_H
#define TACT_TESTS_TOOL_MESH_H

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "mesh_file.h"
#include "support/failing_allocator.h"
#include "tool/folder.h"

/* Checks the guarantees of mesh_file. */
static inline bool is_valid(const mesh_file *mesh)
{
    if (!mesh->face_start || mesh->face_start[0] != 0 || !mesh->format)
        return false;
    if (mesh->face_start[mesh->face_count] != mesh->index_count)
        return false;
    for (size_t f = 0; f < mesh->face_count; f++)
        if (mesh->face_start[f + 1] < mesh->face_start[f] + 3)
            return false;
    for (size_t c = 0; c < mesh->index_count; c++)
        if (mesh->indices[c] >= mesh->vertex_count)
            return false;
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(mesh->vertices[i]))
            return false;
    return true;
}

/* A mesh as text: a vertex a line, then a face a line. */
static inline bytes mesh_text(const mesh_file *mesh)
{
    bytes text = {NULL, 0, 0};
    char line[100];
    bytes_say(&text, "");
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const double *p = &mesh->vertices[3 * i];
        (void)snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
        bytes_say(&text, line);
    }
    for (size_t f = 0; f < mesh->face_count; f++) {
        bytes_say(&text, "f");
        for (uint32_t c = mesh->face_start[f]; c < mesh->face_start[f + 1]; c++) {
            (void)snprintf(line, sizeof line, " %" PRIu32, mesh->indices[c]);
            bytes_say(&text, line);
        }
        bytes_say(&text, "\n");
    }
    return text;
}

/* Reads a file, which is then removed; nothing may be left allocated after a failure. */
static inline bool file_try(const char *name, mesh_file *mesh, char error[MESH_FILE_ERROR], failing_allocator *r)
{
    tact_allocator allocator = failing_allocator_make(r);
    memset(error, 'x', MESH_FILE_ERROR);
    error[0] = '\0';
    bool done = tact_mesh_file_read_with(name, &allocator, mesh, error, MESH_FILE_ERROR);
    if (!done) {
        assert_int_equal(r->held, 0);
        assert_null(mesh->vertices);
        assert_null(mesh->face_start);
        assert_true(strncmp(error, name, strlen(name)) == 0 && error[strlen(name)] == ':' && !strchr(error, '\n'));
    }
    return done;
}

/* The bytes under this name must be read as `expected` (see mesh_text). */
static inline void expect_mesh_of(const char *name, const void *data, size_t size, const char *format, size_t skipped,
                                  const char *expected)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    failing_allocator r = {0};
    file_put(name, data, size);
    if (!file_try(name, &mesh, error, &r))
        fail_msg("%s\nis read from\n%.*s", error, size < 2000 ? (int)size : 2000, (const char *)data);
    assert_true(is_valid(&mesh));
    bytes text = mesh_text(&mesh);
    if (strcmp(text.data, expected) != 0)
        fail_msg("read\n%s\nexpected\n%s\nfrom\n%.*s", text.data, expected, size < 2000 ? (int)size : 2000,
                 (const char *)data);
    bytes_free(&text);
    assert_string_equal(mesh.format, format);
    assert_int_equal(mesh.skipped_count, skipped);
    tact_mesh_file_release(&mesh);
    tact_mesh_file_release(&mesh);
    assert_int_equal(r.held, 0);
    assert_int_equal(unlink(name), 0);
}

static inline void expect_mesh(const char *name, const char *text, const char *format, size_t skipped,
                               const char *expected)
{
    expect_mesh_of(name, text, strlen(text), format, skipped, expected);
}

/* The bytes under this name must give exactly this error. */
static inline void expect_error_of(const char *name, const void *data, size_t size, const char *expected)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    failing_allocator r = {0};
    file_put(name, data, size);
    bool done = file_try(name, &mesh, error, &r);
    if (done || strcmp(error, expected) != 0)
        fail_msg("said     %s\nexpected %s\nabout\n%.*s", done ? "nothing" : error, expected,
                 size < 2000 ? (int)size : 2000, (const char *)data);
    assert_int_equal(unlink(name), 0);
    /* a missing or small buffer is safe */
    file_put(name, data, size);
    assert_false(tact_mesh_file_read(name, &mesh, NULL, 0));
    for (size_t capacity = 1; capacity < 40; capacity++) {
        char *little = malloc(capacity);
        assert_non_null(little);
        assert_false(tact_mesh_file_read(name, &mesh, little, capacity));
        assert_true(strlen(little) < capacity);
        free(little);
    }
    assert_int_equal(unlink(name), 0);
}

static inline void expect_error(const char *name, const char *text, const char *expected)
{
    expect_error_of(name, text, strlen(text), expected);
}

/* Pieces of text files: four vertices, and the same as mesh_text prints them. */
#define PLY_TOP "ply\nformat ascii 1.0\n"
#define PLY_XYZ "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES(n) "element face " #n "\nproperty list uchar int vertex_indices\n"
#define PLY_BODY "0 0 0\n1 0 0\n0.1 1 0\n0 0 1e-3\n"
#define FOUR "v 0 0 0\nv 1 0 0\nv 0.10000000000000001 1 0\nv 0 0 0.001\n"
#define OBJ_XYZ "v 0 0 0\nv 1 0 0\nv 0.1 1 0\nv 0 0 1e-3\n"
#define FACET(a, b, c) "facet normal 0 0 1\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"

/* The types of PLY, for a writer that knows nothing of the reader. */
static const struct {
    const char *name;
    size_t size;
    bool whole, sign;
} types[] = {
    {"char", 1, true, true},   {"uchar", 1, true, false},   {"short", 2, true, true},   {"ushort", 2, true, false},
    {"int", 4, true, true},    {"uint", 4, true, false},    {"int8", 1, true, true},    {"uint8", 1, true, false},
    {"int16", 2, true, true},  {"uint16", 2, true, false},  {"int32", 4, true, true},   {"uint32", 4, true, false},
    {"float", 4, false, true}, {"float32", 4, false, true}, {"double", 8, false, true}, {"float64", 8, false, true}};
#define TYPE_COUNT (sizeof types / sizeof types[0])
#define WHOLE_TYPES 12

/* Adds a number in one of the three codings: text, little endian, big endian. */
static inline void ply_put(bytes *b, int coding, size_t type, double value)
{
    if (coding == 0) {
        char text[40];
        (void)snprintf(text, sizeof text, "%.17g ", value);
        bytes_say(b, text);
        return;
    }
    union {
        float f;
        double d;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        uint32_t u32;
        unsigned char b[8];
    } u = {.d = 0};
    if (!types[type].whole && types[type].size == 4)
        u.f = (float)value;
    else if (!types[type].whole)
        u.d = value;
    else if (types[type].size == 1)
        u.i8 = (int8_t)(int)value;
    else if (types[type].size == 2)
        u.i16 = (int16_t)(int)value;
    else if (types[type].sign)
        u.i32 = (int32_t)value;
    else
        u.u32 = (uint32_t)value;
    const uint16_t one = 1;
    bool machine_little = *(const unsigned char *)&one == 1;
    for (size_t i = 0; i < types[type].size; i++)
        bytes_add(b, &u.b[(coding == 1) == machine_little ? i : types[type].size - 1 - i], 1);
}

static inline void stl_put(bytes *file, const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ply_put(file, 1, 12, (double)numbers[i]);
}

/* The beginning of a binary file, with any header of 80 bytes at most. */
static inline bytes stl_begin(const char *header, uint32_t count)
{
    bytes file = {NULL, 0, 0};
    char block[80] = {0};
    memcpy(block, header, strlen(header));
    bytes_add(&file, block, sizeof block);
    ply_put(&file, 1, 5, (double)count);
    return file;
}

#define PLY_BINARY                                                                                                     \
    "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty double z\n"  \
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"

/* A small binary PLY: three vertices, two faces. */
static inline bytes ply_binary(void)
{
    bytes file = {NULL, 0, 0};
    bytes_say(&file, PLY_BINARY);
    for (int i = 0; i < 3; i++) {
        ply_put(&file, 1, 12, i);
        ply_put(&file, 1, 12, i * i);
        ply_put(&file, 1, 14, 0.1);
    }
    for (int f = 0; f < 2; f++) {
        ply_put(&file, 1, 1, 3);
        for (int c = 0; c < 3; c++)
            ply_put(&file, 1, 10, (c + f) % 3);
    }
    return file;
}

static inline bytes stl_binary(void)
{
    bytes file = stl_begin("solid\n", 2);
    static const float triangles[2][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 0.1f, 1, 0},
                                           {0, 0, 1, 1, 0, 0, 0, 0, 1, 0.1f, 1, 0}};
    for (int i = 0; i < 2; i++) {
        stl_put(&file, triangles[i], 12);
        bytes_add(&file, "\0", 2);
    }
    return file;
}

/* Reads arbitrary bytes: a valid mesh or an error, no leak, memory proportional to the size. */
static inline bool survive(const char *name, const void *data, size_t size, const char *what, size_t where)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    failing_allocator r = {0};
    file_put(name, data, size);
    bool done = file_try(name, &mesh, error, &r);
    if (done && !is_valid(&mesh))
        fail_msg("%s at %zu of %s gives a mesh that is not valid", what, where, name);
    if (r.most > 40 * size + 20000)
        fail_msg("%s at %zu of %s takes %zu bytes of memory", what, where, name, r.most);
    if (done)
        tact_mesh_file_release(&mesh);
    assert_int_equal(r.held, 0);
    assert_int_equal(unlink(name), 0);
    return done;
}

#endif
