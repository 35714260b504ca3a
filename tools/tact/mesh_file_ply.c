/*
 * Reader of the body of PLY: text, or binary in either byte order. Vertices, faces and triangle strips keep the order
 * of the file; other elements and properties are skipped.
 *
 * Linear time. Memory is reserved only after comparing the minimal size of an element with the rest of the file, so it
 * is at most forty times the file size (strips of bytes), whatever the header declares. Text is read word by word,
 * because some writers break long lines. Coordinates in text are read as doubles even if declared float: many writers
 * declare float and print more digits. The orientation of a strip alternates, and -1 ends a strip (as in the files of
 * the Stanford repository). Only white space may follow the last element.
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
    const ply_element *element; /* the current element */
    size_t item;                /* the current item of the element, from 0 */
    const char *at;
} ply_reader;

static size_t bytes_left(const ply_reader *r) { return (size_t)(r->source->end - r->at); }

static bool fail_short(const ply_reader *r)
{
    return tact_mesh_source_fail(r->source, r->source->end, "the file ends inside element %.*s, item %zu of %zu",
                                 (int)r->element->name_length, r->element->name, r->item + 1, r->element->count);
}

/* ---- binary numbers, independent of the byte order of the machine ---- */

static uint64_t bits_read(const char *at, size_t size, bool big)
{
    const unsigned char *b = (const unsigned char *)at;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)b[i] << 8 * (big ? size - 1 - i : i);
    return bits;
}

/* The sizes are constants, so that each becomes one load. */
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

/* `type` is an integer type. */
static int64_t binary_integer(const char *at, ply_type type, bool big)
{
    int64_t number = (int64_t)typed_bits_read(at, type, big);
    int64_t half = type == PLY_INT8 ? INT64_C(1) << 7 : type == PLY_INT16 ? INT64_C(1) << 15 : INT64_C(1) << 31;
    bool is_signed = type == PLY_INT8 || type == PLY_INT16 || type == PLY_INT32;
    return is_signed && number >= half ? number - 2 * half : number;
}

static double binary_number(const char *at, ply_type type, bool big)
{
    if (type < PLY_FLOAT32)
        return (double)binary_integer(at, type, big);
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

/* ---- the next value, from text or binary ---- */

/* Skips to the next word of the text; false at the end of the file. */
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

static bool integer_value_read(ply_reader *r, ply_type type, int64_t *value)
{
    if (r->header->coding == PLY_TEXT) {
        if (!word_find(r))
            return false;
        const char *number_end = integer_read(r->at, value);
        if (!number_end || (number_end < r->source->end && !mesh_is_space(*number_end))) {
            char quote[MESH_QUOTE];
            return tact_mesh_source_fail(r->source, r->at, "an integer was expected, not %s",
                                         tact_mesh_source_quote(r->source, r->at, quote));
        }
        r->at = number_end;
        return true;
    }
    size_t size = ply_type_size(type);
    if (bytes_left(r) < size)
        return fail_short(r);
    *value = binary_integer(r->at, type, r->header->coding == PLY_BIG_ENDIAN);
    r->at += size;
    return true;
}

/* Reads the length of a list and checks that the file can contain it. */
static bool length_read(ply_reader *r, const ply_property *property, size_t *length)
{
    int64_t number;
    const char *begin = r->header->coding == PLY_TEXT ? mesh_skip_space(r->at) : r->at;
    if (!integer_value_read(r, property->count_type, &number))
        return false;
    if (number < 0)
        return tact_mesh_source_fail(r->source, begin, "a list cannot have %" PRId64 " entries", number);
    /* in text an entry takes at least a space and a digit */
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

/* Adds the vertex index read at `at` to the current face. */
static bool index_add(ply_reader *r, const char *at, int64_t vertex)
{
    if (vertex < 0 || (uint64_t)vertex >= r->header->vertex_count)
        return tact_mesh_source_fail(r->source, at, "vertex %" PRId64 " does not exist: there are %zu, from 0", vertex,
                                     r->header->vertex_count);
    return mesh_build_index(r->build, (uint32_t)vertex);
}

/* Reads a vertex index and its position. */
static bool index_read(ply_reader *r, ply_type type, const char **at, int64_t *vertex)
{
    *at = r->header->coding == PLY_TEXT ? mesh_skip_space(r->at) : r->at;
    return integer_value_read(r, type, vertex);
}

static bool face_read(ply_reader *r, const ply_property *property)
{
    const char *begin = r->header->coding == PLY_TEXT ? mesh_skip_space(r->at) : r->at, *at;
    size_t length;
    int64_t vertex;
    if (!length_read(r, property, &length))
        return false;
    for (; length > 0; length--)
        if (!index_read(r, property->type, &at, &vertex) || !index_add(r, at, vertex))
            return false;
    return mesh_build_face(r->build, begin);
}

static bool strips_read(ply_reader *r, const ply_property *property)
{
    size_t length, run = 0; /* vertices of the current strip so far */
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
        /* check every vertex, even if it completes no triangle */
        if (vertex < 0 || (uint64_t)vertex >= r->header->vertex_count)
            return index_add(r, at, vertex);
        if (run >= 2) {
            bool even = run % 2 == 0;
            if (!index_add(r, at, last[even ? 0 : 1]) || !index_add(r, at, last[even ? 1 : 0]) ||
                !index_add(r, at, vertex) || !mesh_build_face(r->build, at))
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
    double xyz[3] = {0.0, 0.0, 0.0}; /* the header declares all three */
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

/* The minimal size of an item of the element, in bytes. */
static size_t item_min_size(const ply_reader *r, bool *has_lists)
{
    size_t min_size = 0;
    bool text = r->header->coding == PLY_TEXT;
    *has_lists = false;
    for (size_t i = 0; i < r->element->property_count; i++) {
        const ply_property *property = &r->header->properties.items[r->element->first + i];
        size_t each = text ? 2 : ply_type_size(property->type);
        *has_lists = *has_lists || property->list;
        if (property->list)
            min_size += text ? 2 : ply_type_size(property->count_type);
        if (!property->list)
            min_size += each;
        else if (property->role == PLY_INDICES && r->element->kind == PLY_FACE)
            min_size += 3 * each;
    }
    return min_size;
}

static bool element_read(ply_reader *r)
{
    const ply_element *element = r->element;
    bool has_lists, text = r->header->coding == PLY_TEXT;
    size_t min_size = item_min_size(r, &has_lists);
    if (element->count == 0 || min_size == 0)
        return true;
    /* no space need follow the last word of a text */
    if (element->count > (bytes_left(r) + text) / min_size) {
        mesh_source header = *r->source;
        header.binary = false; /* the error gives a line of the header, even for a binary body */
        return tact_mesh_source_fail(&header, element->name,
                                     "%zu items of element %.*s do not fit into the remaining %zu bytes",
                                     element->count, (int)element->name_length, element->name, bytes_left(r));
    }
    if (element->kind == PLY_VERTEX && !tact_mesh_build_expect_vertices(r->build, element->count))
        return false;
    if (element->kind == PLY_FACE && !tact_mesh_build_expect_faces(r->build, element->count, 3 * element->count))
        return false;
    if (element->kind == PLY_OTHER && !text && !has_lists) {
        r->at += element->count * min_size;
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
        return tact_mesh_source_fail(r->source, r->at, "unexpected data after the last element: %zu bytes",
                                     bytes_left(r));
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
