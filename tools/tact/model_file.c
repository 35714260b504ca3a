#include "model_file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_shape.h"
#include "mesh_file.h"
#include "model_readers.h"
#include "shape/mesh.h"
#include "shape/topology.h"

/* Bytes of a name; longer ones are cut. */
#define NAME_BYTES 200

static const tact_allocator standard = {NULL, NULL};

typedef enum model_format { MODEL_NONE, MODEL_ELEMENTS, MODEL_GLTF } model_format;

static model_format format_of(const char *path)
{
    static const struct {
        const char *ending;
        model_format format;
    } formats[] = {{".urdf", MODEL_ELEMENTS}, {".x3d", MODEL_ELEMENTS}, {".wrl", MODEL_ELEMENTS},
                   {".vrml", MODEL_ELEMENTS}, {".gltf", MODEL_GLTF},    {".glb", MODEL_GLTF}};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const size_t size = strlen(formats[i].ending);
        if (length > size && tact_mesh_word_is_any_case(path + length - size, size, formats[i].ending))
            return formats[i].format;
    }
    return MODEL_NONE;
}

bool tact_model_file_is(const char *path)
{
    const model_format format = format_of(path);
    return format == MODEL_ELEMENTS || (format == MODEL_GLTF && tact_model_count_gltf(path) > 1);
}

bool tact_model_file_reads(const char *path) { return format_of(path) != MODEL_NONE; }

/* Copies a name of the file for terminals and JSON: without control characters and invalid UTF-8, and no part of a
 * character at its end. Returns its length. */
static size_t name_copy(char *copy, size_t size, const char *name)
{
    size_t length = strlen(name);
    if (length >= size)
        for (length = size - 1; length > 0 && ((unsigned char)name[length] & 0xC0u) == 0x80u;)
            length--;
    memcpy(copy, name, length);
    copy[length] = '\0';
    json_t *valid = json_string(copy);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F || (!valid && (unsigned char)*c > 0x7F))
            *c = '?';
    json_decref(valid);
    return length;
}

/* A name that is not in use yet: the name itself, or with a number. To be freed by the caller; NULL without memory. */
static char *name_unique(model_file *model, const char *name)
{
    char *unique = malloc(NAME_BYTES);
    if (!unique)
        return NULL;
    const size_t length = name_copy(unique, NAME_BYTES - 24, name);
    /* the value is the number of the last body of this name */
    const json_t *last = json_object_get(model->names, unique);
    json_int_t number = last ? json_integer_value(last) : 0;
    if (last) {
        char base[NAME_BYTES];
        memcpy(base, unique, length + 1);
        do
            (void)snprintf(unique + length, NAME_BYTES - length, "#%lld", (long long)++number + 1);
        while (json_object_get(model->names, unique));
        if (json_object_set_new_nocheck(model->names, base, json_integer(number)) != 0) {
            free(unique);
            return NULL;
        }
    }
    if (json_object_set_new_nocheck(model->names, unique, json_integer(0)) != 0) {
        free(unique);
        return NULL;
    }
    return unique;
}

bool tact_model_add(model_file *model, const mesh_source *source, const char *at, const char *name, tact_shape *shape,
                    tact_transform transform)
{
    tact_report report;
    tact_bounds bounds;
    bool good = shape != NULL;
    if (good && model->bodies.count == MODEL_MAX_BODIES)
        good = tact_mesh_source_fail(source, at, "there are more than %d bodies", MODEL_MAX_BODIES);
    else if (good && tact_transform_check(&transform, &report) != TACT_OK)
        good = tact_mesh_source_fail(source, at, "the transform of %.60s is not possible: %s", name, report.text);
    else if (good && tact_shape_bounds(shape, transform, &bounds) != TACT_OK)
        good = tact_mesh_source_fail(source, at, "%.60s has no points, or its coordinates are too large", name);
    else if (good) {
        const model_body body = {name_unique(model, name), shape, transform};
        if (body.name && model_body_array_push(&model->bodies, &standard, body))
            return true;
        free(body.name);
        good = tact_mesh_source_out_of_memory(source);
    }
    tact_shape_release(shape);
    return good;
}

tact_status tact_model_mesh_close(tact_shape *shape)
{
    tact_mesh_findings findings = {0};
    mesh *m = shape->mesh;
    const tact_status status =
        tact_topology_check(m->vertices, m->vertex_count, m->indices, m->element_count, &standard, &findings);
    m->solid = status == TACT_OK && findings.closed && !findings.inverted;
    return status;
}

tact_shape *tact_model_mesh_read(const char *path, const char **format, char *error, size_t error_size)
{
    mesh_file content;
    tact_report report;
    if (!tact_mesh_file_read(path, &content, error, error_size))
        return NULL;
    if (format)
        *format = content.format;
    tact_shape *shape = tact_file_shape(&content, false, false, &report);
    tact_mesh_file_release(&content);
    if (shape && tact_model_mesh_close(shape) == TACT_OK)
        return shape;
    (void)snprintf(error, error_size, "%s: %s", path, shape ? "out of memory" : report.text);
    tact_shape_release(shape);
    return NULL;
}

bool tact_model_begin(model_file *model)
{
    *model = (model_file){.names = json_object()};
    return model->names != NULL;
}

bool tact_model_text_read(const mesh_source *source, const model_options *options, model_file *model)
{
    element_tree tree = {.source = source};
    if (!tact_model_begin(model))
        return tact_mesh_source_out_of_memory(source);
    bool good = tact_element_tree_read(&tree, source);
    if (good) {
        const char *root = tree.elements.items[0].name;
        if (strcmp(root, "robot") == 0)
            good = tact_model_read_urdf(&tree, options, model);
        else if (tree.is_vrml || strcmp(root, "X3D") == 0)
            good = tact_model_read_x3d(&tree, model);
        else
            good = tact_element_fail(&tree, 0, "neither URDF (robot) nor X3D, but %.60s", root);
    }
    tact_element_tree_release(&tree);
    if (!good)
        tact_model_file_release(model);
    return good;
}

bool tact_model_file_read(const char *path, const model_options *options, model_file *model, char *error,
                          size_t error_size)
{
    *model = (model_file){.names = NULL};
    if (format_of(path) == MODEL_GLTF) {
        bool good = tact_model_begin(model);
        if (!good)
            (void)snprintf(error, error_size, "%s: out of memory", path);
        good = good && tact_model_read_gltf(path, model, error, error_size);
        if (!good)
            tact_model_file_release(model);
        return good;
    }
    mesh_source source = {.path = path, .allocator = &standard, .error = error, .error_size = error_size};
    if (!tact_mesh_source_load(&source))
        return false;
    const bool good = tact_model_text_read(&source, options, model);
    tact_mesh_source_release(&source);
    return good;
}

void tact_model_file_release(model_file *model)
{
    for (size_t i = 0; i < model->bodies.count; i++) {
        free(model->bodies.items[i].name);
        tact_shape_release(model->bodies.items[i].shape);
    }
    model_body_array_release(&model->bodies, &standard);
    model_joint_array_release(&model->joints, &standard);
    json_decref(model->names);
    *model = (model_file){.names = NULL};
}
