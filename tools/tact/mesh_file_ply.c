/*
 * The body of PLY: text, or binary in either order of bytes. Vertices, faces and strips of triangles are kept, in the
 * file's order; all other elements and properties are stepped over.
 *
 * Linear time. What an element must at least take is compared with what is left of the file before any room is made for
 * it, so memory is at most forty times the file's (strips of bytes), whatever the header says. Text is read word by
 * word: lines do not matter, as some writers break long ones. Coordinates in text are read as doubles even where the
 * header says float: writers say so by habit and then print more digits. A strip turns over at every other triangle,
 * and -1 ends it (the files of the Stanford repository have them). Nothing but space may follow the last element.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "mesh_file_number.h"
#include "mesh_file_ply.h"
#include "mesh_file_readers.h"

typedef struct ply_reader {
    const mesh_source *source;
    mesh_build *build;
    const ply_header *header;
    const ply_element *element; /* that is read now */
    size_t item;                /* of the element, from 0 */
    const char *at;
} ply_reader;

static size_t bytes_left(const ply_reader *r) { return (size_t)(r->source->end - r->at); }

static bool fail_short(const ply_reader *r)
{
    return tact_mesh_source_fail(r->source, r->source->end, "the file ends in element %.*s, %zu of %zu",
                                 (int)r->element->name_length, r->element->name, r->item + 1, r->element->count);
}

/* The numbers of a binary file. The bytes are put together by value, so that this machine's order does not matter. */

static uint64_t bits_read(const char *at, size_t size, bool big)
{
    const unsigned char *b = (const unsigned char *)at;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)b[i] << 8 * (big ? size - 1 - i : i);
    return bits;
}

/* Constant sizes, so that each becomes one load. */
static uint64_t typed_bits_read(const char *at, ply_type type, bool big)
{
    switch (ply_type_size(type)) {
    case 1:
        return bits_read(at, 1, false);
    case 2:
        return big ? bits_read(at, 2, true) : bits_read(at, 2, false);
    case 4:
        return big ? bits_read(at, 4, true) : bits_read(at, 4, false);
    default:
        return big ? bits_read(at, 8, true) : bits_read(at, 8, false);
    }
}

/* `type` is a whole one. */
static int64_t binary_whole(const char *at, ply_type type, bool big)
{
    int64_t number = (int64_t)typed_bits_read(at, type, big);
    int64_t half = type == PLY_INT8 ? INT64_C(1) << 7 : type == PLY_INT16 ? INT64_C(1) << 15 : INT64_C(1) << 31;
    bool is_signed = type == PLY_INT8 || type == PLY_INT16 || type == PLY_INT32;
    return is_signed && number >= half ? number - 2 * half : number;
}

static double binary_number(const char *at, ply_type type, bool big)
{
    if (type < PLY_FLOAT32)
        return (double)binary_whole(at, type, big);
    uint64_t bits = typed_bits_read(at, type, big);
    if (type == PLY_FLOAT64) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    uint32_t low = (uint32_t)bits;
    float number;
    memcpy(&number, &low, sizeof number);
    return (double)number;
}

/* The next value, from text or binary. */

/* Stands at the next word of the text; false at the end of the file. */
static bool word_find(ply_reader *r)
{
    r->at = mesh_skip_space(r->at);
    return r->at < r->source->end || fail_short(r);
}

static bool coordinate_read(ply_reader *r, ply_type type, double *value)
{
    if (r->header->coding == PLY_TEXT)
        return word_find(r) && tact_mesh_read_coordinate(r->source, &r->at, value);
    size_t size = ply_type_size(type);
    if (bytes_left(r) < size)
        return fail_short(r);
    *value = binary_number(r->at, type, r->header->coding == PLY_BIG_ENDIAN);
    if (!isfinite(*value))
        return tact_mesh_check_coordinate(r->source, r->at, *value);
    r->at += size;
    return true;
}

static bool whole_number_read(ply_reader *r, ply_type type, int64_t *value)
{
    if (r->header->coding == PLY_TEXT) {
        if (!word_find(r))
            return false;
        const char *behind = whole_read(r->at, value);
        if (!behind || (behind < r->source->end && !mesh_is_space(*behind))) {
            char quote[MESH_QUOTE];
            return tact_mesh_source_fail(r->source, r->at, "a whole number was expected, not %s",
                                         tact_mesh_source_quote(r->source, r->at, quote));
        }
        r->at = behind;
        return true;
    }
    size_t size = ply_type_size(type);
    if (bytes_left(r) < size)
        return fail_short(r);
    *value = binary_whole(r->at, type, r->header->coding == PLY_BIG_ENDIAN);
    r->at += size;
    return true;
}

/* The length of a list; that much is left of the file. */
static bool length_read(ply_reader *r, const ply_property *property, size_t *length)
{
    int64_t number;
    const char *begin = r->header->coding == PLY_TEXT ? mesh_skip_space(r->at) : r->at;
    if (!whole_number_read(r, property->count_type, &number))
        return false;
    if (number < 0)
        return tact_mesh_source_fail(r->source, begin, "a list cannot have %" PRId64 " entries", number);
    /* in text an entry takes a digit and the space before it */
    size_t each = r->header->coding == PLY_TEXT ? 2 : ply_type_size(property->type);
    if ((uint64_t)number > bytes_left(r) / each)
        return tact_mesh_source_fail(r->source, begin, "a list of %" PRId64 " entries does not fit into the file",
                                     number);
    *length = (size_t)number;
    return true;
}

static bool values_skip(ply_reader *r, ply_type type, size_t count)
{
    if (r->header->coding != PLY_TEXT) {
        if (bytes_left(r) / ply_type_size(type) < count)
            return fail_short(r);
        r->at += count * ply_type_size(type);
        return true;
    }
    for (; count > 0; count--) {
        if (!word_find(r))
            return false;
        r->at = mesh_skip_word(r->at, r->source->end);
    }
    return true;
}

static bool property_skip(ply_reader *r, const ply_property *property)
{
    size_t count = 1;
    return (!property->list || length_read(r, property, &count)) && values_skip(r, property->type, count);
}

/* Adds a corner at `vertex`, which was read at `at`. */
static bool corner_add(ply_reader *r, const char *at, int64_t vertex)
{
    if (vertex < 0 || (uint64_t)vertex >= r->header->vertex_count)
        return tact_mesh_source_fail(r->source, at, "vertex %" PRId64 " does not exist: there are %zu, from 0", vertex,
                                     r->header->vertex_count);
    return mesh_build_corner(r->build, (uint32_t)vertex);
}

/* Reads the number of a vertex and says where it stands. */
static bool index_read(ply_reader *r, ply_type type, const char **at, int64_t *vertex)
{
    *at = r->header->coding == PLY_TEXT ? mesh_skip_space(r->at) : r->at;
    return whole_number_read(r, type, vertex);
}

static bool face_read(ply_reader *r, const ply_property *property)
{
    const char *begin = r->header->coding == PLY_TEXT ? mesh_skip_space(r->at) : r->at, *at;
    size_t length;
    int64_t vertex;
    if (!length_read(r, property, &length))
        return false;
    for (; length > 0; length--)
        if (!index_read(r, property->type, &at, &vertex) || !corner_add(r, at, vertex))
            return false;
    return mesh_build_face(r->build, begin);
}

static bool strips_read(ply_reader *r, const ply_property *property)
{
    size_t length, run = 0; /* how many vertices the strip has so far */
    int64_t last[2] = {0, 0}, vertex;
    const char *at;
    if (!length_read(r, property, &length))
        return false;
    for (; length > 0; length--) {
        if (!index_read(r, property->type, &at, &vertex))
            return false;
        if (vertex == -1) {
            run = 0;
            continue;
        }
        /* every vertex is looked at, also those that make no triangle */
        if (vertex < 0 || (uint64_t)vertex >= r->header->vertex_count)
            return corner_add(r, at, vertex);
        if (run >= 2) {
            bool even = run % 2 == 0;
            if (!corner_add(r, at, last[even ? 0 : 1]) || !corner_add(r, at, last[even ? 1 : 0]) ||
                !corner_add(r, at, vertex) || !mesh_build_face(r->build, at))
                return false;
        }
        last[0] = last[1];
        last[1] = vertex;
        run++;
    }
    return true;
}

static bool item_read(ply_reader *r)
{
    const ply_property *properties = r->header->properties.items + r->element->first;
    double xyz[3] = {0.0, 0.0, 0.0}; /* the header has all three */
    for (size_t i = 0; i < r->element->property_count; i++) {
        const ply_property *property = &properties[i];
        bool done;
        switch (property->role) {
        case PLY_X:
        case PLY_Y:
        case PLY_Z:
            done = coordinate_read(r, property->type, &xyz[property->role - PLY_X]);
            break;
        case PLY_INDICES:
            done = r->element->kind == PLY_FACE ? face_read(r, property) : strips_read(r, property);
            break;
        default:
            done = property_skip(r, property);
        }
        if (!done)
            return false;
    }
    return r->element->kind != PLY_VERTEX || mesh_build_vertex(r->build, xyz);
}

/* The fewest bytes that an item of the element can take. */
static size_t item_least(const ply_reader *r, bool *lists)
{
    size_t least = 0;
    bool text = r->header->coding == PLY_TEXT;
    *lists = false;
    for (size_t i = 0; i < r->element->property_count; i++) {
        const ply_property *property = &r->header->properties.items[r->element->first + i];
        size_t each = text ? 2 : ply_type_size(property->type);
        *lists = *lists || property->list;
        if (property->list)
            least += text ? 2 : ply_type_size(property->count_type);
        if (!property->list)
            least += each;
        else if (property->role == PLY_INDICES && r->element->kind == PLY_FACE)
            least += 3 * each;
    }
    return least;
}

static bool element_read(ply_reader *r)
{
    const ply_element *element = r->element;
    bool lists, text = r->header->coding == PLY_TEXT;
    size_t least = item_least(r, &lists);
    if (element->count == 0 || least == 0)
        return true;
    /* the last word of a text need not have a space behind it */
    if (element->count > (bytes_left(r) + text) / least) {
        mesh_source header = *r->source;
        header.binary = false; /* the line in the header is told, whatever the body is */
        return tact_mesh_source_fail(&header, element->name,
                                     "%zu times element %.*s does not fit into the %zu bytes that are left",
                                     element->count, (int)element->name_length, element->name, bytes_left(r));
    }
    if (element->kind == PLY_VERTEX && !tact_mesh_build_expect_vertices(r->build, element->count))
        return false;
    if (element->kind == PLY_FACE && !tact_mesh_build_expect_faces(r->build, element->count, 3 * element->count))
        return false;
    if (element->kind == PLY_OTHER && !text && !lists) {
        r->at += element->count * least;
        return true;
    }
    for (r->item = 0; r->item < element->count; r->item++)
        if (!item_read(r))
            return false;
    return true;
}

static bool body_read(ply_reader *r)
{
    for (size_t i = 0; i < r->header->elements.count; i++) {
        r->element = &r->header->elements.items[i];
        if (!element_read(r))
            return false;
        if (tact_mesh_word_is(r->element->name, r->element->name_length, "edge"))
            r->build->skipped_count += r->element->count;
    }
    if (r->header->coding == PLY_TEXT)
        r->at = mesh_skip_space(r->at);
    if (r->at < r->source->end)
        return tact_mesh_source_fail(r->source, r->at, "there is more behind the last element: %zu bytes",
                                     bytes_left(r));
    r->build->part_count = r->build->firsts.count > 1;
    return true;
}

bool tact_mesh_read_ply(mesh_source *source, mesh_build *build)
{
    static const char *const names[] = {"PLY, text", "PLY, binary, little endian", "PLY, binary, big endian"};
    ply_header header;
    bool done = tact_ply_header_read(source, &header);
    if (done) {
        build->format = names[header.coding];
        source->binary = header.coding != PLY_TEXT;
        ply_reader r = {.source = source, .build = build, .header = &header, .at = header.body};
        done = body_read(&r);
    }
    tact_ply_header_release(source, &header);
    return done;
}
