/*
 * The header of PLY (Turk 1994, "The PLY polygon file format"): lines of words up to "end_header". Lines end with \n,
 * \r\n or \r. The first line decides which, since a binary body may start with the byte \n.
 */
#include <inttypes.h>
#include <string.h>

#include "mesh_file_number.h"
#include "mesh_file_ply.h"

/* Words of the longest line: property list COUNT-TYPE TYPE NAME. */
#define MAX_WORDS 5

typedef struct ply_word {
    const char *at;
    size_t length;
} ply_word;

typedef struct header_reader {
    const mesh_source *source;
    ply_header *header;
    const char *at;   /* the next line */
    const char *line; /* the current line */
    ply_word words[MAX_WORDS];
    int count;      /* of words in the current line; MAX_WORDS + 1 if there are more */
    bool two_bytes; /* lines end with \r\n */
    bool coding_known;
} header_reader;

/* Reads the next line and splits it into words. */
static bool line_next(header_reader *r)
{
    const char *end = r->source->end, *at = r->at, *line_end = mesh_skip_line(at, end);
    if (at >= end)
        return tact_mesh_source_fail(r->source, end, "the file ends before \"end_header\"");
    r->line = at;
    r->count = 0;
    for (at = mesh_skip_blank(at); at < line_end && r->count <= MAX_WORDS; at = mesh_skip_blank(at)) {
        const char *word_end = mesh_skip_word(at, line_end);
        if (r->count < MAX_WORDS)
            r->words[r->count] = (ply_word){at, (size_t)(word_end - at)};
        r->count++;
        at = word_end;
    }
    r->at = line_end + (line_end < end);
    if (r->two_bytes && line_end < end && line_end[0] == '\r' && line_end[1] == '\n')
        r->at++;
    return true;
}

static bool word_is(const header_reader *r, int i, const char *text)
{
    return i < r->count && i < MAX_WORDS && tact_mesh_word_is(r->words[i].at, r->words[i].length, text);
}

static bool fail_line(const header_reader *r, const char *expected)
{
    return tact_mesh_source_fail(r->source, r->line, "\"%s\" was expected in the header", expected);
}

static bool format_read(header_reader *r)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    if (r->coding_known)
        return tact_mesh_source_fail(r->source, r->line, "the format is declared twice");
    for (int i = 0; i < 3; i++)
        if (word_is(r, 1, names[i])) {
            r->header->coding = (ply_coding)i;
            r->coding_known = true;
        }
    if (!r->coding_known || r->count != 3)
        return fail_line(r, "format ascii|binary_little_endian|binary_big_endian 1.0");
    if (!word_is(r, 2, "1.0")) {
        char quote[MESH_QUOTE];
        return tact_mesh_source_fail(r->source, r->line, "PLY version %s is not supported, only 1.0",
                                     tact_mesh_source_quote(r->source, r->words[2].at, quote));
    }
    return true;
}

static bool element_read(header_reader *r)
{
    int64_t count;
    const char *number_end = r->count == 3 ? integer_read(r->words[2].at, &count) : NULL;
    if (!number_end || number_end != r->words[2].at + r->words[2].length)
        return fail_line(r, "element NAME COUNT");
    if (count < 0 || (uint64_t)count > SIZE_MAX)
        return tact_mesh_source_fail(r->source, r->line, "an element cannot have the count %" PRId64, count);
    ply_element element = {.count = (size_t)count,
                           .first = r->header->properties.count,
                           .name = r->words[1].at,
                           .name_length = r->words[1].length};
    element.kind = word_is(r, 1, "vertex")      ? PLY_VERTEX
                   : word_is(r, 1, "face")      ? PLY_FACE
                   : word_is(r, 1, "tristrips") ? PLY_STRIPS
                                                : PLY_OTHER;
    for (size_t i = 0; i < r->header->elements.count && element.kind != PLY_OTHER; i++)
        if (r->header->elements.items[i].kind == element.kind)
            return tact_mesh_source_fail(r->source, r->line, "element %.*s is declared twice", (int)element.name_length,
                                         element.name);
    if (element.kind == PLY_VERTEX) {
        if (element.count > UINT32_MAX)
            return tact_mesh_source_fail(r->source, r->line, "more than %" PRIu32 " vertices", UINT32_MAX);
        r->header->vertex_count = element.count;
    }
    return ply_element_array_push(&r->header->elements, r->source->allocator, element) ||
           tact_mesh_source_out_of_memory(r->source);
}

static bool type_read(const header_reader *r, int i, ply_type *type)
{
    static const char *const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (int t = 0; t < 8; t++)
        if (word_is(r, i, names[t][0]) || word_is(r, i, names[t][1])) {
            *type = (ply_type)t;
            return true;
        }
    char quote[MESH_QUOTE];
    return tact_mesh_source_fail(r->source, r->line, "%s is not a PLY type",
                                 tact_mesh_source_quote(r->source, r->words[i].at, quote));
}

static ply_role role_of(const header_reader *r, const ply_element *element, int name)
{
    static const char *const axes[] = {"x", "y", "z"};
    if (element->kind == PLY_VERTEX)
        for (int i = 0; i < 3; i++)
            if (word_is(r, name, axes[i]))
                return (ply_role)(PLY_X + i);
    if ((element->kind == PLY_FACE || element->kind == PLY_STRIPS) &&
        (word_is(r, name, "vertex_indices") || word_is(r, name, "vertex_index")))
        return PLY_INDICES;
    return PLY_UNUSED;
}

static bool property_read(header_reader *r)
{
    ply_header *header = r->header;
    ply_property property = {.list = word_is(r, 1, "list")};
    int name = property.list ? 4 : 2;
    if (r->count != name + 1)
        return fail_line(r, property.list ? "property list COUNT-TYPE TYPE NAME" : "property TYPE NAME");
    if (header->elements.count == 0)
        return tact_mesh_source_fail(r->source, r->line, "a property before the first element");
    if (!type_read(r, name - 1, &property.type) || (property.list && !type_read(r, 2, &property.count_type)))
        return false;
    if (property.list && property.count_type >= PLY_FLOAT32)
        return tact_mesh_source_fail(r->source, r->line, "the length of a list must have an integer type");
    ply_element *element = &header->elements.items[header->elements.count - 1];
    property.name = r->words[name].at;
    property.name_length = r->words[name].length;
    property.role = role_of(r, element, name);
    if (property.role != PLY_UNUSED) {
        bool indices = property.role == PLY_INDICES;
        if (property.list != indices)
            return tact_mesh_source_fail(r->source, r->line, "property %.*s must%s be a list",
                                         (int)property.name_length, property.name, indices ? "" : " not");
        if (indices && property.type >= PLY_FLOAT32)
            return tact_mesh_source_fail(r->source, r->line, "vertex indices must have an integer type");
        for (size_t i = 0; i < element->property_count; i++)
            if (header->properties.items[element->first + i].role == property.role)
                return tact_mesh_source_fail(r->source, r->line, "property %.*s is declared twice",
                                             (int)property.name_length, property.name);
    }
    element->property_count++;
    return ply_property_array_push(&header->properties, r->source->allocator, property) ||
           tact_mesh_source_out_of_memory(r->source);
}

/* Checks that a non-empty element has a property of this role. */
static bool role_check(const header_reader *r, const ply_element *element, ply_role role, const char *missing)
{
    for (size_t i = 0; i < element->property_count; i++)
        if (r->header->properties.items[element->first + i].role == role)
            return true;
    return element->count == 0 || tact_mesh_source_fail(r->source, element->name, "element %.*s has no property %s",
                                                        (int)element->name_length, element->name, missing);
}

/* Checks that the header declares everything that a mesh needs. */
static bool header_check(const header_reader *r)
{
    const ply_element_array *elements = &r->header->elements;
    bool vertices = false;
    for (size_t i = 0; i < elements->count; i++) {
        const ply_element *element = &elements->items[i];
        vertices = vertices || element->kind == PLY_VERTEX;
        if (element->kind == PLY_VERTEX && !(role_check(r, element, PLY_X, "x") && role_check(r, element, PLY_Y, "y") &&
                                             role_check(r, element, PLY_Z, "z")))
            return false;
        if ((element->kind == PLY_FACE || element->kind == PLY_STRIPS) &&
            !role_check(r, element, PLY_INDICES, "vertex_indices"))
            return false;
    }
    if (!vertices)
        return tact_mesh_source_fail(r->source, r->line, "the header declares no element vertex");
    return r->coding_known || tact_mesh_source_fail(r->source, r->line, "the header declares no format");
}

bool tact_ply_header_read(const mesh_source *source, ply_header *header)
{
    *header = (ply_header){0};
    header_reader r = {.source = source, .header = header, .at = source->begin};
    const char *first = mesh_skip_line(source->begin, source->end);
    r.two_bytes = first < source->end && first[0] == '\r' && first[1] == '\n';
    if (!line_next(&r))
        return false;
    if (!word_is(&r, 0, "ply") || r.count != 1)
        return fail_line(&r, "ply");
    for (;;) {
        if (!line_next(&r))
            return false;
        bool done = true;
        if (word_is(&r, 0, "end_header") && r.count == 1)
            break;
        if (word_is(&r, 0, "format"))
            done = format_read(&r);
        else if (word_is(&r, 0, "element"))
            done = element_read(&r);
        else if (word_is(&r, 0, "property"))
            done = property_read(&r);
        else if (r.count > 0 && !word_is(&r, 0, "comment") && !word_is(&r, 0, "obj_info"))
            done = fail_line(&r, "format, comment, obj_info, element, property or end_header");
        if (!done)
            return false;
    }
    header->body = r.at;
    return header_check(&r);
}

void tact_ply_header_release(const mesh_source *source, ply_header *header)
{
    ply_element_array_release(&header->elements, source->allocator);
    ply_property_array_release(&header->properties, source->allocator);
}
