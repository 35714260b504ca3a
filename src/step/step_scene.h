/*
 * The scene of a step: all participating bodies as one set of vertices and faces. The vertices of all bodies are in one
 * array, body after body, with their positions at the start and at the end. The scene also says which parts may collide
 * and which can be moved.
 *
 * Faces are computed once, and kept as long as the same bodies have the same shapes.
 */
#ifndef TACT_STEP_STEP_SCENE_H
#define TACT_STEP_STEP_SCENE_H

#include <tact/step.h>

#include "core/array.h"
#include "shape/feature_mesh.h"
#include "step/obstacle_leaves.h"
#include "step/step_constants.h"
#include "step/step_surface.h"

/* The caller's input for the vertices of a body. */
typedef struct step_body_input {
    tact_body body;
    uint32_t vertex_count;
    tact_vec3 *from, *to; /* copies; NULL: none for this step */
    tact_vec3 *output;    /* the caller's array `to`, to which the result is written */
    double *inverse_mass; /* NULL: 1 each */
    /* of a NURBS body, whose vertex_count is the number of control points: its triangles. `from` and `to` are NULL */
    step_surface *surface;
} step_body_input;

/* A body that takes part in a step. */
typedef struct step_part {
    tact_body body;
    tact_shape *shape;                 /* a reference: the shape that the faces are from */
    uint32_t first_vertex, end_vertex; /* its vertices; of a remeshed body with spare ones at the origin */
    uint32_t vertex_count;             /* without spare ones */
    uint32_t first_face, end_face;
    uint64_t category, mask;
    uint32_t input;  /* index of its step_body_input, if it is deformable */
    bool deformable; /* its vertices are given for the step; otherwise it is an obstacle */
    bool moving;     /* an obstacle that moves */
    /* an obstacle that is tested as a shape (obstacle_leaves.h): one vertex, in no face, at its origin */
    bool as_shape;
    const step_surface *surface; /* of an obstacle whose control points move; NULL: of others */
    uint64_t surface_edition;
    bool translates;       /* such an obstacle that moves without rotation, as the rotation maps it onto itself */
    uint32_t first_leaf;   /* of such an obstacle: its first leaf */
    double halfspace_half; /* length: of a half-space, half the side of the box that stands for it */
    /* its faces change: one entry for each face number, STEP_ABSENT if the face does not exist */
    bool remeshed;
    uint64_t edit_version;        /* the version of its faces */
    tact_transform end_transform; /* of an obstacle, at the end of the step */
} step_part;

/* As the first vertex of a face: the face does not exist. */
#define STEP_ABSENT UINT32_MAX

ARRAY_OF(step_body_input_array, step_body_input);
ARRAY_OF(step_part_array, step_part);
ARRAY_OF(step_index_array, uint32_t);
ARRAY_OF(step_vec_array, tact_vec3);
ARRAY_OF(step_double_array, double);
ARRAY_OF(step_byte_array, uint8_t);

typedef struct step_scene {
    step_part_array parts; /* the obstacles first */
    size_t obstacle_count;
    bool filtered; /* are there two parts, not two obstacles, that may not collide? */
    feature_triangle_array faces;
    feature_id_array face_ids;      /* as the shapes number them */
    step_index_array changed_faces; /* faces changed since the last search, which empties the list */
    step_index_array part_of;       /* of each vertex */
    step_byte_array used;           /* of each vertex: is it in a face? */
    step_vec_array from, to;        /* positions of each vertex at the start and at the end */
    step_double_array inverse_mass; /* of each vertex; 0 for obstacles */
    obstacle_set obstacles;         /* of the parts that are tested as shapes */
    /* changes whenever faces (other than those in `changed_faces`) or filters change; never 0 */
    uint64_t version;
    uint64_t version_count;  /* the last version given */
    double max_coordinate;   /* the largest coordinate of any of its vertices */
    double deformable_reach; /* length: the largest coordinate of a deformable part, at the start or at the end */
} step_scene;

/* Gathers the bodies that take part in a step of `duration`. On failure the scene is empty. */
tact_status tact_step_scene_gather(step_scene *scene, tact_world *world, const step_body_input_array *given,
                                   double duration);

/* Sets the end positions and transforms of the obstacles for another duration. */
tact_status tact_step_scene_move_obstacles(step_scene *scene, const tact_world *world, double duration);

/* Does the body of a part still exist, with the same shape? A callback may have changed that. */
bool tact_step_part_exists(const step_part *part, const tact_world *world);

void tact_step_scene_release(step_scene *scene, const tact_allocator *allocator);

/* The vertices of deformable bodies in a step are in world coordinates: their transform must be the identity. */
static inline bool step_transform_is_identity(const tact_transform *transform)
{
    const tact_transform identity = tact_identity();
    return vec_equal(transform->x_axis, identity.x_axis) && vec_equal(transform->y_axis, identity.y_axis) &&
           vec_equal(transform->z_axis, identity.z_axis) && vec_equal(transform->origin, identity.origin);
}

/* May features of two parts collide? Not those of two obstacles. */
static inline bool step_parts_collide(const step_scene *s, uint32_t one, uint32_t other)
{
    const step_part *a = &s->parts.items[one], *b = &s->parts.items[other];
    if (one == other)
        return a->deformable;
    return (a->deformable || b->deformable) && (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

#endif
