/*
 * An animated scene of a glTF file as one mesh, and its pose at any time.
 *
 * All meshes of the scene become one mesh: node by node, depth first, primitive by primitive. A file stores a vertex
 * once for each normal or texture coordinate. So vertices of one node with equal position, morph targets, joints and
 * weights are merged: they move alike. Triangles, strips and fans are read; points and lines are skipped.
 */
#ifndef TACT_TOOL_GLTF_MODEL_H
#define TACT_TOOL_GLTF_MODEL_H

#include <tact/vec.h>

#include "gltf_file.h"

typedef enum gltf_target { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_WEIGHTS } gltf_target;
typedef enum gltf_interpolation { GLTF_STEP, GLTF_LINEAR, GLTF_CUBIC } gltf_interpolation;

/* What an animation changes. */
typedef struct gltf_channel {
    size_t node;
    gltf_target target;
    gltf_interpolation interpolation;
    const double *times; /* ascending */
    size_t time_count;
    const double *values; /* `width` a time; GLTF_CUBIC: in-tangent, value, out-tangent */
    size_t width;         /* 3; rotation: 4; weights: the number of morph targets */
} gltf_channel;

/* An affine transform: row k gives coordinate k. */
typedef struct gltf_affine {
    double m[3][4];
} gltf_affine;

typedef struct gltf_node {
    size_t parent; /* GLTF_NONE: a root */
    size_t mesh, skin;
    bool has_matrix; /* then `matrix` is fixed, and the next three are not used */
    gltf_affine matrix;
    double translation[3], rotation[4] /* x y z w */, scale[3];
    double *weights; /* of the morph targets */
    size_t weight_count;
} gltf_node;

typedef struct gltf_skin {
    size_t *joints; /* nodes */
    size_t joint_count;
    gltf_affine *inverse_bind; /* one a joint */
} gltf_skin;

/*
 * The vertices of one node. A row of numbers for each vertex:
 * x y z, then dx dy dz of each morph target, then joint and weight of each influence; the weights sum up to 1.
 */
typedef struct gltf_part {
    size_t node;
    size_t target_count, influence_count; /* influences: 0 without a skin */
    size_t width;                         /* numbers of a row */
    double *rows;
    size_t vertex_count, capacity;
} gltf_part;

ARRAY_OF(gltf_index_array, uint32_t);

typedef struct gltf_model {
    gltf_file file;
    gltf_node *nodes;
    size_t node_count;
    size_t *order; /* nodes, parents first */
    gltf_skin *skins;
    size_t skin_count;
    gltf_part *parts;
    size_t part_count;
    size_t vertex_count;
    gltf_index_array indices; /* three a triangle */
    gltf_channel *channels;   /* of the animation */
    size_t channel_count;
    size_t animation_count;
    /* the pose of tact_gltf_pose */
    gltf_node *pose;
    gltf_affine *globals; /* one a node */
    gltf_affine *joints;  /* of the current skin */
} gltf_model;

/* Reads a model with one of its animations, or GLTF_NONE: without them. On failure the reason is in model->file.error.
 * To be closed in any case. */
bool tact_gltf_model_open(gltf_model *model, const char *path, size_t animation, const tact_allocator *allocator);
void tact_gltf_model_close(gltf_model *model);

/* The positions of all vertices at a time. They may be infinite or not numbers if the input has such magnitudes. */
void tact_gltf_pose(gltf_model *model, double time, tact_vec3 *positions);

/* For tact_gltf_model_open: reads the channels of an animation (gltf_animation.c), and the parts (gltf_parts.c). */
bool tact_gltf_read_animation(gltf_model *model, size_t animation);
bool tact_gltf_read_parts(gltf_model *model);

/* Allocates the memory of the pose. */
bool tact_gltf_pose_begin(gltf_model *model);

/* A 4x4 matrix in column-major order; its last row is not used. */
gltf_affine tact_gltf_affine(const double matrix[16]);

#endif
