/*
 * STL, text and binary (3D Systems, "StereoLithography interface specification", 1988): triangles given by the
 * positions of their corners, welded into shared vertices where the coordinates are equal, so that the surface has a
 * topology.
 *
 * Linear time on average. Text keeps the doubles that are written; binary has floats. The faces' normals are not looked
 * at (many writers leave zeros or NaN there), nor are the two spare bytes and the header of a binary file. Of text,
 * case and line breaks do not matter, and a loop may have more than three corners, which some writers use for polygons.
 * A binary file must be as long as its number of triangles says, to the byte: nothing else tells whether it is whole.
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
    const char *at; /* at the next word, once skip_space has been called */
} stl_reader;

/* Whether the next word is `word`; if so it is passed. */
static bool word_take(stl_reader *r, const char *word)
{
    r->at = mesh_skip_space(r->at);
    const char *behind = mesh_skip_word(r->at, r->source->end);
    if (!tact_mesh_word_is_any_case(r->at, (size_t)(behind - r->at), word))
        return false;
    r->at = behind;
    return true;
}

static bool fail_word(const stl_reader *r, const char *expected)
{
    char quote[MESH_QUOTE];
    return tact_mesh_source_fail(r->source, r->at, "%s was expected, not %s", expected,
                                 tact_mesh_source_quote(r->source, r->at, quote));
}

/* The next word must be `word`. */
static bool word_read(stl_reader *r, const char *word)
{
    if (word_take(r, word))
        return true;
    char expected[20];
    (void)snprintf(expected, sizeof expected, "\"%s\"", word);
    return fail_word(r, expected);
}

static bool corner_read(stl_reader *r)
{
    double xyz[3];
    for (int i = 0; i < 3; i++) {
        r->at = mesh_skip_space(r->at);
        if (!tact_mesh_read_coordinate(r->source, &r->at, &xyz[i]))
            return false;
    }
    uint32_t vertex;
    return tact_mesh_weld_vertex(&r->weld, xyz, &vertex) && mesh_build_corner(r->build, vertex);
}

/* What follows "facet". */
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
        if (!corner_read(r))
            return false;
    if (!word_take(r, "endloop"))
        return fail_word(r, "\"vertex\" or \"endloop\"");
    return word_read(r, "endfacet") && mesh_build_face(r->build, begin);
}

/* What follows "solid": a name up to the end of the line, facets, and the name again, which need not be there. */
static bool solid_read(stl_reader *r)
{
    size_t faces = r->build->firsts.count;
    r->at = mesh_skip_line(r->at, r->source->end);
    while (word_take(r, "facet"))
        if (!facet_read(r))
            return false;
    if (!word_take(r, "endsolid"))
        return fail_word(r, "\"facet\" or \"endsolid\"");
    r->at = mesh_skip_line(r->at, r->source->end);
    r->build->part_count += r->build->firsts.count > faces;
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

/* A float, the lowest byte first. */
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
    for (int corner = 0; corner < 3; corner++) {
        const char *position = at + 12 + 12 * corner; /* behind the normal */
        double xyz[3];
        for (int i = 0; i < 3; i++) {
            xyz[i] = (double)float_read(position + 4 * i);
            if (!isfinite(xyz[i]))
                return tact_mesh_check_coordinate(r->source, position + 4 * i, xyz[i]);
        }
        uint32_t vertex;
        if (!tact_mesh_weld_vertex(&r->weld, xyz, &vertex) || !mesh_build_corner(r->build, vertex))
            return false;
    }
    return mesh_build_face(r->build, at);
}

bool tact_mesh_read_stl_binary(mesh_source *source, mesh_build *build)
{
    source->binary = true;
    size_t size = (size_t)(source->end - source->begin);
    if (size < STL_HEADER + 4)
        return tact_mesh_source_fail(source, source->end,
                                     "the file ends in the header of a binary STL, which has %d bytes", STL_HEADER + 4);
    uint32_t count = tact_mesh_stl_count(source);
    uint64_t wanted = STL_HEADER + 4 + (uint64_t)STL_TRIANGLE * count;
    if (wanted != size)
        return tact_mesh_source_fail(source, source->begin + STL_HEADER,
                                     "%" PRIu32 " triangles take %" PRIu64 " bytes in all, but the file has %zu", count,
                                     wanted, size);
    stl_reader r = {.source = source, .build = build, .weld = tact_mesh_weld_begin(build)};
    bool done = count == 0 || tact_mesh_build_expect_faces(build, count, 3 * (size_t)count);
    const char *at = source->begin + STL_HEADER + 4;
    for (uint32_t i = 0; i < count && done; i++, at += STL_TRIANGLE)
        done = triangle_read(&r, at);
    tact_mesh_weld_release(&r.weld);
    build->part_count = count > 0;
    return done;
}
