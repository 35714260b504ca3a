/* The readers of model files (model_file.h). All return false with the error message of the source. */
#ifndef TACT_TOOL_MODEL_READERS_H
#define TACT_TOOL_MODEL_READERS_H

#include "element_tree.h"
#include "model_file.h"

/* A robot, whose root is the element `robot`. */
bool tact_model_read_urdf(const element_tree *tree, const model_options *options, model_file *model);

/* X3D, or VRML97 as a tree. */
bool tact_model_read_x3d(const element_tree *tree, model_file *model);

/* The shape of a geometry node of X3D; NULL with *good true: it is not supported (lines, text). */
tact_shape *tact_model_x3d_geometry(const element_tree *tree, const uint32_t *uses, uint32_t e, bool *good);

/* glTF; the error is written to `error`. */
bool tact_model_read_gltf(const char *path, model_file *model, char *error, size_t error_size);

/* The number of nodes with meshes of a glTF file; 0: it cannot be read. */
size_t tact_model_count_gltf(const char *path);

#endif
