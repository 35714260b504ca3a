#include "nurbs_file.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "mesh_file.h"
#include "mesh_file_source.h"
#include "shape_read.h"

bool tact_nurbs_file_is(const char *path)
{
    const size_t length = strlen(path);
    return length >= 5 && tact_mesh_word_is_any_case(path + length - 5, 5, ".json");
}

/* Reads a SHAPE that is NURBS and has no members that only bodies have. */
static tact_shape *root_read(const json_t *root, const tact_json_path *where, tact_input_error *error)
{
    static const char *const others[] = {"place", "motion", "margin"};
    const tact_json_path at_type = {where, "type", 0};
    const char *type = json_string_value(json_object_get(root, "type"));
    if (type && strcmp(type, "nurbs") != 0) {
        (void)tact_input_error_set(error, &at_type, "must be \"nurbs\" in a file, not \"%.40s\"", type);
        return NULL;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (json_object_get(root, others[i])) {
            const tact_json_path at = {where, others[i], 0};
            (void)tact_input_error_set(error, &at, "is not supported in a file");
            return NULL;
        }
    mesh_cache unused = {0}; /* NURBS shapes name no files */
    return tact_shape_read(root, where, &unused, error);
}

tact_shape *tact_nurbs_file_read(const char *path, char *error, size_t error_size)
{
    const tact_allocator allocator = {0};
    mesh_source source = {.path = path, .allocator = &allocator, .error = error, .error_size = error_size};
    if (!tact_mesh_source_load(&source))
        return NULL;
    json_error_t syntax;
    tact_input_error reason = {{0}, 0};
    tact_shape *shape = NULL;
    json_t *root = json_loadb(source.begin, (size_t)(source.end - source.begin),
                              JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &syntax);
    if (root) {
        const tact_json_path where = {NULL, source.begin, 0};
        shape = root_read(root, &where, &reason);
    } else {
        (void)tact_input_error_set(&reason, NULL, "not valid JSON at column %d: %s", syntax.column, syntax.text);
        reason.line = syntax.line > 0 ? (size_t)syntax.line : 0;
    }
    if (!shape && reason.line > 0)
        (void)snprintf(error, error_size, "%s:%zu: %s", path, reason.line, reason.text);
    else if (!shape)
        (void)snprintf(error, error_size, "%s: %s", path, reason.text);
    json_decref(root);
    tact_mesh_source_release(&source);
    return shape;
}
