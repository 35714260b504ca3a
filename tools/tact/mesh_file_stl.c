/*
 * Reader of STL, text and binary (3D Systems, "StereoLithography interface specification", 1988). STL lists the
 * positions of each triangle; vertices with equal coordinates are merged, so that the mesh has a topology.
 *
 * Expected linear time. Text keeps the doubles of the file; binary has floats. Normals are ignored (many writers store
 * zeros or NaN), and so are the header and the two unused bytes of a binary triangle. In text, case and line breaks are
 * ignored, and a loop may have more than three vertices, which some writers use for polygons. A binary file must have
 * exactly the size that its triangle count implies: no other check detects a truncated file.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh_file_readers.h"
#include "mesh_file_stl.h"
#include "mesh_file_weld.h"

typedef struct stl_reader {
    const mesh_source *source;
    mesh_build *build;
    mesh_weld weld;
    const char *at; /* the current position */
} stl_reader;

/* Skips the next word if it is `word`. */
static bool word_take(stl_reader *r, const char *word)
{
    r->at = mesh_skip_space(r->at);
    const char *word_end = mesh_skip_word(r->at, r->source->end);
    if (!tact_mesh_word_is_any_case(r->at, (size_t)(word_end - r->at), word))
        return false;
    r->at = word_end;
    return true;
}

static bool fail_word(const stl_reader *r, const char *expected)
{
    char quote[MESH_QUOTE];
    return tact_mesh_source_fail(r->source, r->at, "%s was expected, not %s", expected,
                                 tact_mesh_source_quote(r->source, r->at, quote));
}

/* Reads the next word, which must be `word`. */
static bool word_read(stl_reader *r, const char *word)
{
    if (word_take(r, word))
        return true;
    char expected[20];
    (void)snprintf(expected, sizeof expected, "\"%s\"", word);
    return fail_word(r, expected);
}

static bool loop_vertex_read(stl_reader *r)
{
    double xyz[3];
    for (int i = 0; i < 3; i++) {
        r->at = mesh_skip_space(r->at);
        if (!tact_mesh_read_coordinate(r->source, &r->at, &xyz[i]))
            return false;
    }
    uint32_t vertex;
    return tact_mesh_weld_vertex(&r->weld, xyz, &vertex) && mesh_build_index(r->build, vertex);
}

/* Reads a facet after the word "facet". */
static bool facet_read(stl_reader *r)
{
    const char *begin = r->at;
    if (word_take(r, "normal"))
        for (int i = 0; i < 3; i++) {
            r->at = mesh_skip_space(r->at);
            r->at = mesh_skip_word(r->at, r->source->end);
        }
    if (!word_read(r, "outer") || !word_read(r, "loop"))
        return false;
    while (word_take(r, "vertex"))
        if (!loop_vertex_read(r))
            return false;
    if (!word_take(r, "endloop"))
        return fail_word(r, "\"vertex\" or \"endloop\"");
    return word_read(r, "endfacet") && mesh_build_face(r->build, begin);
}

/* Reads a solid after the word "solid": a name up to the end of the line, facets, "endsolid", and an optional name. */
static bool solid_read(stl_reader *r)
{
    r->at = mesh_skip_line(r->at, r->source->end);
    while (word_take(r, "facet"))
        if (!facet_read(r))
            return false;
    if (!word_take(r, "endsolid"))
        return fail_word(r, "\"facet\" or \"endsolid\"");
    r->at = mesh_skip_line(r->at, r->source->end);
    return true;
}

static bool text_read(stl_reader *r)
{
    do {
        if (!word_read(r, "solid") || !solid_read(r))
            return false;
        r->at = mesh_skip_space(r->at);
    } while (r->at < r->source->end);
    return true;
}

bool tact_mesh_read_stl_text(mesh_source *source, mesh_build *build)
{
    stl_reader r = {.source = source, .build = build, .weld = tact_mesh_weld_begin(build)};
    r.at = mesh_source_text(source);
    bool done = text_read(&r);
    tact_mesh_weld_release(&r.weld);
    return done;
}

uint32_t tact_mesh_stl_count(const mesh_source *source)
{
    const unsigned char *b = (const unsigned char *)source->begin + STL_HEADER;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Reads a little-endian float. */
static float float_read(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static bool triangle_read(stl_reader *r, const char *at)
{
    for (int v = 0; v < 3; v++) {
        const char *position = at + 12 + 12 * v; /* after the normal */
        double xyz[3];
        for (int i = 0; i < 3; i++) {
            xyz[i] = (double)float_read(position + 4 * i);
            if (!isfinite(xyz[i]))
                return tact_mesh_check_coordinate(r->source, position + 4 * i, xyz[i]);
        }
        uint32_t vertex;
        if (!tact_mesh_weld_vertex(&r->weld, xyz, &vertex) || !mesh_build_index(r->build, vertex))
            return false;
    }
    return mesh_build_face(r->build, at);
}

bool tact_mesh_read_stl_binary(mesh_source *source, mesh_build *build)
{
    source->binary = true;
    size_t size = (size_t)(source->end - source->begin);
    if (size < STL_HEADER + 4)
        return tact_mesh_source_fail(
            source, source->end, "the file ends inside the header of a binary STL, which has %d bytes", STL_HEADER + 4);
    uint32_t count = tact_mesh_stl_count(source);
    uint64_t expected = STL_HEADER + 4 + (uint64_t)STL_TRIANGLE * count;
    if (expected != size)
        return tact_mesh_source_fail(source, source->begin + STL_HEADER,
                                     "%" PRIu32 " triangles take %" PRIu64 " bytes in total, but the file has %zu",
                                     count, expected, size);
    stl_reader r = {.source = source, .build = build, .weld = tact_mesh_weld_begin(build)};
    bool done = count == 0 || tact_mesh_build_expect_faces(build, count, 3 * (size_t)count);
    const char *at = source->begin + STL_HEADER + 4;
    for (uint32_t i = 0; i < count && done; i++, at += STL_TRIANGLE)
        done = triangle_read(&r, at);
    tact_mesh_weld_release(&r.weld);
    return done;
}
