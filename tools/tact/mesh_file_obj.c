/*
 * Reader of Wavefront OBJ: vertices and polygons (Alias|Wavefront, "Object files (.obj)", Advanced Visualizer manual,
 * Appendix B1).
 *
 * One pass over the text, linear time; memory at most ten times the file size. Vertices and faces keep the order of the
 * file. A face lists its vertices as v, v/vt, v//vn or v/vt/vn. Negative indices count back from the last vertex so
 * far. Positive indices may refer to a later vertex, as some writers do. So they are checked at the end, and the
 * position of the largest index is stored for the error message. A backslash at the end of a line continues it, except
 * in a comment, where it is usually part of a path. Points, lines, curves and surfaces are counted and skipped; weights
 * and colours after a position are read and ignored. An unknown keyword is an error: it may be a damaged `v`.
 */
#include <inttypes.h>

#include "mesh_file_number.h"
#include "mesh_file_readers.h"

typedef struct obj_reader {
    const mesh_source *source;
    mesh_build *build;
    const char *at;
    const char *end;
    uint64_t largest;       /* the largest vertex index of a face, from 1 */
    const char *largest_at; /* its first occurrence */
} obj_reader;

/* The length of a line continuation (a backslash and a line end), or 0. */
static size_t continuation(const char *at)
{
    if (at[0] != '\\' || !mesh_is_line_end(at[1]))
        return 0;
    return at[1] == '\r' && at[2] == '\n' ? 3 : 2;
}

/* Skips white space and line continuations. */
static void skip_blank(obj_reader *r)
{
    for (;;) {
        r->at = mesh_skip_blank(r->at);
        size_t more = continuation(r->at);
        if (more == 0)
            return;
        r->at += more;
    }
}

/* True at the end of a statement: a line end, the end of the file, or a comment. */
static bool at_line_end(const obj_reader *r) { return r->at >= r->end || mesh_is_line_end(*r->at) || *r->at == '#'; }

/* True at the end of a word. */
static bool at_word_end(const obj_reader *r)
{
    return mesh_is_blank(*r->at) || at_line_end(r) || continuation(r->at) > 0;
}

/* Skips the rest of a statement. */
static void skip_statement(obj_reader *r)
{
    for (; r->at < r->end && !mesh_is_line_end(*r->at); r->at++) {
        size_t more = continuation(r->at);
        if (more > 0)
            r->at += more - 1;
    }
}

static bool vertex_read(obj_reader *r)
{
    double xyz[3];
    for (int i = 0; i < 3; i++) {
        skip_blank(r);
        if (!tact_mesh_read_coordinate(r->source, &r->at, &xyz[i]))
            return false;
    }
    for (skip_blank(r); !at_line_end(r); skip_blank(r)) {
        double unused;
        if (!tact_mesh_read_coordinate(r->source, &r->at, &unused))
            return false;
    }
    return mesh_build_vertex(r->build, xyz);
}

static bool fail_face_vertex(const obj_reader *r, const char *at)
{
    char quote[MESH_QUOTE];
    return tact_mesh_source_fail(r->source, at, "a face vertex such as 1, 1/2, 1//3 or 1/2/3 was expected, not %s",
                                 tact_mesh_source_quote(r->source, at, quote));
}

/* Skips "/vt", "//vn" or "/vt/vn"; both numbers are optional. */
static bool texture_and_normal_skip(obj_reader *r, const char *word)
{
    for (int i = 0; i < 2 && *r->at == '/'; i++) {
        int64_t unused;
        r->at++;
        const char *end_of_number = integer_read(r->at, &unused);
        if (end_of_number)
            r->at = end_of_number;
    }
    return at_word_end(r) || fail_face_vertex(r, word);
}

static bool face_vertex_read(obj_reader *r)
{
    const char *word = r->at;
    int64_t number;
    const char *end_of_number = integer_read(r->at, &number);
    if (!end_of_number)
        return fail_face_vertex(r, word);
    r->at = end_of_number;
    if (!at_word_end(r) && !texture_and_normal_skip(r, word))
        return false;
    size_t so_far = mesh_build_vertex_count(r->build);
    if (number < 0) {
        if ((uint64_t)-number > so_far)
            return tact_mesh_source_fail(r->source, word, "vertex %" PRId64 " does not exist: there are %zu so far",
                                         number, so_far);
        number += (int64_t)so_far + 1;
    } else if (number == 0) {
        return tact_mesh_source_fail(r->source, word, "vertex 0 does not exist: the first is 1");
    }
    if ((uint64_t)number > r->largest) {
        r->largest = (uint64_t)number;
        r->largest_at = word;
    }
    /* an index beyond 32 bits is reported at the end of the file */
    return mesh_build_index(r->build, (uint32_t)(number - 1));
}

static bool face_read(obj_reader *r, const char *begin)
{
    for (skip_blank(r); !at_line_end(r); skip_blank(r))
        if (!face_vertex_read(r))
            return false;
    return mesh_build_face(r->build, begin);
}

static bool is_one_of(const char *word, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (tact_mesh_word_is(word, length, *words))
            return true;
    return false;
}

/* Reads a statement other than `v` and `f`, after its keyword. */
static bool other_read(obj_reader *r, const char *word)
{
    static const char *const elements[] = {"p", "l", "curv", "curv2", "surf", "bzp", "bsp", "cdc", "cdp", "res", NULL};
    static const char *const unused[] = {"o",          "g",         "vt",       "vn",       "vp",     "s",     "mg",
                                         "usemtl",     "mtllib",    "usemap",   "maplib",   "cstype", "deg",   "bmat",
                                         "step",       "parm",      "trim",     "hole",     "scrv",   "sp",    "end",
                                         "con",        "bevel",     "c_interp", "d_interp", "lod",    "ctech", "stech",
                                         "shadow_obj", "trace_obj", NULL};
    size_t length = (size_t)(r->at - word);
    if (is_one_of(word, length, elements))
        r->build->skipped_count++;
    else if (!is_one_of(word, length, unused)) {
        char quote[MESH_QUOTE];
        return tact_mesh_source_fail(r->source, word, "%s is not a keyword of OBJ",
                                     tact_mesh_source_quote(r->source, word, quote));
    }
    skip_statement(r);
    return true;
}

bool tact_mesh_read_obj(mesh_source *source, mesh_build *build)
{
    obj_reader r = {.source = source, .build = build, .at = mesh_source_text(source), .end = source->end};
    while (r.at < r.end) {
        skip_blank(&r);
        if (at_line_end(&r)) {
            /* the \n of \r\n counts as an empty line */
            r.at = mesh_skip_line(r.at, r.end);
            r.at += r.at < r.end;
            continue;
        }
        const char *word = r.at;
        while (!at_word_end(&r))
            r.at++;
        bool one_letter = r.at - word == 1;
        bool done = one_letter && *word == 'v'   ? vertex_read(&r)
                    : one_letter && *word == 'f' ? face_read(&r, word)
                                                 : other_read(&r, word);
        if (!done)
            return false;
    }
    size_t count = mesh_build_vertex_count(build);
    if (r.largest > count)
        return tact_mesh_source_fail(source, r.largest_at, "vertex %" PRIu64 " does not exist: there are %zu",
                                     r.largest, count);
    return count > 0 || tact_mesh_source_fail(source, NULL, "has no vertices");
}
