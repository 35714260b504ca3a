/*
 * The bodies of a model file: shapes with transforms and names.
 *
 *     model_file model;
 *     if (!tact_model_file_read("arm.urdf", &(model_options){0}, &model, error, sizeof error))
 *         return fail(error);                                one line: "arm.urdf:7: link "hand" does not exist"
 *     for (size_t i = 0; i < model.bodies.count; i++)
 *         ... model.bodies.items[i].shape
 *     tact_model_file_release(&model);
 *
 * - URDF: a body for each link with collision geometry, at the given joint positions.
 * - X3D (XML encoding) and VRML97: a body for each Shape. Boxes, spheres, cylinders and cones stay what they are; what
 * is used several times (DEF, USE) is one shape.
 * - glTF: a body for each node with a mesh; nodes with the same mesh share its shape.
 *
 * Meshes are solid if they are closed. Files that a model names are searched beside it, and nowhere else.
 */
#ifndef TACT_TOOL_MODEL_FILE_H
#define TACT_TOOL_MODEL_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <tact/shape.h>
#include <tact/transform.h>

#include "core/array.h"
#include "mesh_file_source.h"

/* Bodies of a file at most; with DEF and USE a short file can ask for any number. */
#define MODEL_MAX_BODIES 1000000

typedef struct model_body {
    char *name; /* unique in the model */
    tact_shape *shape;
    tact_transform transform;
} model_body;

/* Two bodies that a joint connects. */
typedef struct model_joint {
    size_t a, b;
} model_joint;

ARRAY_OF(model_body_array, model_body);
ARRAY_OF(model_joint_array, model_joint);

/* The position of a joint: radians, or a length. */
typedef struct joint_position {
    const char *name;
    double value;
    bool used; /* by a file: it has such a joint */
} joint_position;

typedef struct model_options {
    joint_position *joints; /* the others are at 0 */
    size_t joint_count;
} model_options;

typedef struct model_file {
    const char *format; /* for people */
    model_body_array bodies;
    model_joint_array joints;
    size_t skipped; /* geometries that are not read: lines, text, ... */
    json_t *names;  /* the names in use */
} model_file;

/* True for files of a format above, by name; of glTF only if it has several nodes with meshes. */
bool tact_model_file_is(const char *path);

/* The same, and any glTF file. */
bool tact_model_file_reads(const char *path);

/* Reads a model. On failure returns false with an empty model, and one line in `error`. */
bool tact_model_file_read(const char *path, const model_options *options, model_file *model, char *error,
                          size_t error_size);

/* The same from text (URDF, X3D, VRML97) that ends with a zero; the path of the source is for messages and for files
 * beside it. */
bool tact_model_text_read(const mesh_source *source, const model_options *options, model_file *model);

void tact_model_file_release(model_file *model);

/* For readers: an empty model; false without memory. */
bool tact_model_begin(model_file *model);

/* For readers: adds a body, and takes over the reference to the shape even on failure. `name` need not be unique: then
 * a number is added to it. `at` is the place in the source, or NULL. */
bool tact_model_add(model_file *model, const mesh_source *source, const char *at, const char *name, tact_shape *shape,
                    tact_transform transform);

/* For readers: reads a mesh file, and makes it solid as below. NULL: the reason is in `error`. `format`, which may be
 * NULL, gets that of the file. */
tact_shape *tact_model_mesh_read(const char *path, const char **format, char *error, size_t error_size);

/* For readers: makes a mesh solid if it is closed and its faces are oriented outward. */
tact_status tact_model_mesh_close(tact_shape *shape);

#endif
