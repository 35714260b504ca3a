/*
 * VRML97 (ISO/IEC 14772-1, 5 and annex A). Prototypes are rejected; routes and scripts are skipped. A field has the
 * name of its own, so a value is recognised without knowing the type of the node: numbers, words, strings, nodes.
 */
#include <string.h>

#include "element_tree.h"

typedef struct vrml_reader {
    element_tree *tree;
    const mesh_source *source;
    const char *at;
    int depth;
} vrml_reader;

static bool node_read(vrml_reader *r, uint32_t parent, const char *field);

/* ---- words ---- */

static void space_skip(vrml_reader *r)
{
    const char *end = r->source->end;
    while (r->at < end) {
        if (mesh_is_space(*r->at) || *r->at == ',')
            r->at++;
        else if (*r->at == '#')
            r->at = mesh_skip_line(r->at, end);
        else
            return;
    }
}

/* The next character that is not white space; 0 at the end. */
static char peek(vrml_reader *r)
{
    space_skip(r);
    return r->at < r->source->end ? *r->at : '\0';
}

static bool is_word(char c) { return !mesh_is_space(c) && c != '\0' && !strchr(",{}[]\"#", c); }

/* The word at r->at, which may be empty, in the source. */
static size_t word_length(const vrml_reader *r)
{
    const char *at = r->at;
    while (at < r->source->end && is_word(*at))
        at++;
    return (size_t)(at - r->at);
}

static bool word_take(vrml_reader *r, const char *word)
{
    space_skip(r);
    const size_t length = word_length(r);
    if (!tact_mesh_word_is(r->at, length, word))
        return false;
    r->at += length;
    return true;
}

static bool is_number(char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }

static bool expected(vrml_reader *r, const char *what)
{
    char quote[MESH_QUOTE];
    space_skip(r);
    return tact_mesh_source_fail(r->source, r->at, "%s was expected, not %s", what,
                                 tact_mesh_source_quote(r->source, r->at, quote));
}

/* Reads a name, and gives a copy. */
static bool name_read(vrml_reader *r, const char *what, const char **name)
{
    space_skip(r);
    const size_t length = word_length(r);
    if (length == 0 || is_number(*r->at))
        return expected(r, what);
    *name = tact_element_text(r->tree, r->at, length);
    r->at += length;
    return *name != NULL || tact_mesh_source_out_of_memory(r->source);
}

/* Skips a string; r->at is its quotation mark. */
static bool string_skip(vrml_reader *r)
{
    const char *begin = r->at++;
    while (r->at < r->source->end && *r->at != '"')
        r->at += *r->at == '\\' && r->at + 1 < r->source->end ? 2 : 1;
    if (r->at >= r->source->end)
        return tact_mesh_source_fail(r->source, begin, "a string does not end");
    r->at++;
    return true;
}

/* Skips what is in braces; r->at is the first one. */
static bool braces_skip(vrml_reader *r)
{
    const char *begin = r->at;
    size_t depth = 0;
    do {
        const char c = peek(r);
        if (c == '\0')
            return tact_mesh_source_fail(r->source, begin, "this { has no }");
        if (c == '"') {
            if (!string_skip(r))
                return false;
            continue;
        }
        depth += c == '{';
        depth -= c == '}';
        r->at++;
    } while (depth > 0);
    return true;
}

/* ---- fields ---- */

/* A place that begins a node: a word that is no number and no constant. */
static bool is_node(vrml_reader *r)
{
    const char c = peek(r);
    const size_t length = word_length(r);
    return is_word(c) && !is_number(c) && !tact_mesh_word_is(r->at, length, "TRUE") &&
           !tact_mesh_word_is(r->at, length, "FALSE") && !tact_mesh_word_is(r->at, length, "NULL");
}

/* Reads the items of [ ... ]; r->at is after the bracket. */
static bool list_read(vrml_reader *r, uint32_t e, const char *field)
{
    const char *begin = r->at, *last = begin;
    bool has_numbers = false;
    for (char c = peek(r); c != ']'; c = peek(r)) {
        if (c == '\0')
            return tact_mesh_source_fail(r->source, begin, "this [ has no ]");
        if (c == '"') {
            if (!string_skip(r))
                return false;
        } else if (is_node(r)) {
            if (!node_read(r, e, field))
                return false;
        } else if (is_word(c)) {
            r->at += word_length(r);
            has_numbers = true;
        } else {
            return expected(r, "a value or ]");
        }
        last = r->at;
    }
    r->at++;
    return !has_numbers || tact_element_attribute_add(r->tree, e, field, begin, (size_t)(last - begin));
}

static bool value_read(vrml_reader *r, uint32_t e, const char *field)
{
    const char c = peek(r), *begin = r->at, *last = begin;
    if (c == '[') {
        r->at++;
        return list_read(r, e, field);
    }
    if (c == '"')
        return string_skip(r);
    if (is_node(r))
        return node_read(r, e, field);
    if (!is_word(c))
        return expected(r, "the value of a field");
    if (!is_number(c)) { /* TRUE, FALSE, NULL */
        const size_t length = word_length(r);
        r->at += length;
        return tact_element_attribute_add(r->tree, e, field, begin, length);
    }
    for (char next = c; is_number(next); next = peek(r)) {
        r->at += word_length(r);
        last = r->at;
    }
    return tact_element_attribute_add(r->tree, e, field, begin, (size_t)(last - begin));
}

/* ---- nodes ---- */

/* True with the statement skipped if a word begins no node and no field: ROUTE. */
static bool route_skip(vrml_reader *r)
{
    if (!word_take(r, "ROUTE"))
        return false;
    for (int i = 0; i < 3; i++) { /* NODE.EVENT TO NODE.EVENT */
        space_skip(r);
        r->at += word_length(r);
    }
    return true;
}

static bool prototype_reject(vrml_reader *r)
{
    const size_t length = word_length(r);
    return (!tact_mesh_word_is(r->at, length, "PROTO") && !tact_mesh_word_is(r->at, length, "EXTERNPROTO")) ||
           tact_mesh_source_fail(r->source, r->at, "prototypes (PROTO) are not supported");
}

static bool fields_read(vrml_reader *r, uint32_t e)
{
    const char *begin = r->at;
    if (peek(r) != '{')
        return expected(r, "{");
    r->at++;
    for (char c = peek(r); c != '}'; c = peek(r)) {
        const char *field;
        if (c == '\0')
            return tact_mesh_source_fail(r->source, begin, "this %s has no }", r->tree->elements.items[e].name);
        if (!prototype_reject(r))
            return false;
        if (!route_skip(r) && (!name_read(r, "a field or }", &field) || !value_read(r, e, field)))
            return false;
    }
    r->at++;
    return true;
}

/* A node with what is before it: DEF NAME, or USE NAME instead. */
static bool node_read(vrml_reader *r, uint32_t parent, const char *field)
{
    const char *at = (space_skip(r), r->at), *name = NULL, *type = "USE";
    const bool is_use = word_take(r, "USE"), is_def = !is_use && word_take(r, "DEF");
    uint32_t e;
    if ((is_use || is_def) && !name_read(r, "a name", &name))
        return false;
    if (!is_use && !name_read(r, "a node", &type))
        return false;
    if (++r->depth > ELEMENT_MAX_DEPTH)
        return tact_mesh_source_fail(r->source, at, "nodes are nested more than %d deep", ELEMENT_MAX_DEPTH);
    if (!tact_element_add(r->tree, parent, type, strlen(type), at, &e) ||
        (name && !tact_element_attribute_add(r->tree, e, is_use ? "USE" : "DEF", name, strlen(name))) ||
        (field && !tact_element_attribute_add(r->tree, e, "containerField", field, strlen(field))))
        return false;
    r->depth--;
    if (is_use)
        return true;
    if (strcmp(type, "Script") == 0) /* its fields declare their types */
        return peek(r) == '{' ? braces_skip(r) : expected(r, "{");
    r->depth++;
    if (!fields_read(r, e))
        return false;
    r->depth--;
    return true;
}

bool tact_element_read_vrml(element_tree *tree)
{
    const mesh_source *source = tree->source;
    vrml_reader r = {.tree = tree, .source = source, .at = mesh_source_text(source)};
    uint32_t root;
    const char *first = r.at, *line = mesh_skip_line(first, source->end);
    static const char version[] = "#VRML V2.0 utf8";
    if ((size_t)(line - first) < sizeof version - 1 || strncmp(first, version, sizeof version - 1) != 0)
        return tact_mesh_source_fail(source, first, "only VRML97 is read, which begins with %s", version);
    if (!tact_element_add(tree, ELEMENT_NONE, "VRML", 4, first, &root))
        return false;
    while (peek(&r) != '\0') {
        if (!prototype_reject(&r))
            return false;
        if (!route_skip(&r) && !node_read(&r, root, NULL))
            return false;
    }
    return r.at >= source->end || tact_mesh_source_fail(source, r.at, "a zero byte");
}
