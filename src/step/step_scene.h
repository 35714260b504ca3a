/*
 * What takes part in a step, as one set of numbered vertices and faces: the vertices of all bodies one after another,
 * with where they are and where they go; who may meet whom; what can be pushed.
 *
 * Faces are found once, and kept as long as the same bodies have the same shapes.
 */
#ifndef TACT_STEP_STEP_SCENE_H
#define TACT_STEP_STEP_SCENE_H

#include <tact/step.h>

#include "core/array.h"
#include "step/obstacle_leaves.h"

/* The greatest coordinate, in a step: with it no body can come to be so far out that it could not be deformed or
 * placed there (1e150 less a body's own margin, over 24). */
#define STEP_MAX_COORDINATE 1e140

/* The least inverse mass but 0, and one over the greatest: sums and quotients of a few, times coordinates, stay
 * finite. */
#define STEP_MIN_INVERSE_MASS 1e-50

/* What a caller has said of the vertices of a body. */
typedef struct step_body_input {
    tact_body body;
    uint32_t vertex_count;
    tact_vec3 *from, *to; /* copies; NULL: none for this step */
    tact_vec3 *output;    /* where `to` was read, and what comes of it is written */
    double *inverse_mass; /* of masses; NULL: 1 each */
} step_body_input;

/* A body that takes part. */
typedef struct step_part {
    tact_body body;
    tact_shape *shape;                 /* a reference: the one whose faces these are */
    uint32_t first_vertex, end_vertex; /* its own, with some to spare where faces change, which are at the origin */
    uint32_t vertex_count;             /* without those */
    uint32_t first_face, end_face;
    uint64_t category, mask;
    uint32_t input;  /* where in the list of step_body_input, if it is soft */
    bool deformable; /* its vertices are given for the step; if not, it is an obstacle */
    bool moving;     /* an obstacle that does */
    bool as_shape;   /* an obstacle that is met as a shape (obstacle_set.h): one vertex, in no face, at its origin */
    bool translates; /* such a one that goes its way without turning, as it is round */
    uint32_t first_leaf;          /* of such a one: the first of its leaves */
    bool remeshed;                /* its faces change: one for each number, some of which are not there (STEP_ABSENT) */
    uint64_t edit_version;        /* the version of its faces */
    tact_transform end_transform; /* of an obstacle, at the end */
} step_part;

typedef struct step_face {
    uint32_t vertices[3];
} step_face;

/* The first corner of a face that is not there. */
#define STEP_ABSENT UINT32_MAX

ARRAY_OF(step_body_input_array, step_body_input);
ARRAY_OF(step_part_array, step_part);
ARRAY_OF(step_face_array, step_face);
ARRAY_OF(step_index_array, uint32_t);
ARRAY_OF(step_vec_array, tact_vec3);
ARRAY_OF(step_double_array, double);
ARRAY_OF(step_byte_array, uint8_t);

typedef struct step_scene {
    step_part_array parts; /* the obstacles first */
    size_t obstacle_count;
    bool filtered; /* are there two parts, not two obstacles, that may not meet? */
    step_face_array faces;
    step_index_array face_ids;      /* as the makers of the shapes numbered them */
    step_index_array changed_faces; /* faces with other corners than when the finder last looked: it empties the list */
    step_index_array part_of;       /* of each vertex */
    step_byte_array used;           /* of each vertex: is it a corner of a face? */
    step_vec_array from, to;        /* where each vertex is, and goes */
    step_double_array inverse_mass; /* of masses; 0 for obstacles */
    obstacle_set obstacles;         /* of the parts that are met as shapes */
    uint64_t version; /* another one whenever the edges and faces, but for those in `changed`, or who may meet whom,
                         are others; never 0 */
    uint64_t version_count; /* so many there have been */
    double max_coordinate;  /* the greatest coordinate of any of its vertices */
} step_scene;

/* Gathers what takes part, in `duration`. Where it fails the scene is empty. */
tact_status tact_step_scene_gather(step_scene *scene, tact_world *world, const step_body_input_array *given,
                                   double duration);

/* Where the obstacles are after a part of `duration`: in `to`, and as the places of the parts. */
tact_status tact_step_scene_move_obstacles(step_scene *scene, const tact_world *world, double duration);

/* Is the body of a part still there, with the same shape? A response may have changed that. */
bool tact_step_part_exists(const step_part *part, const tact_world *world);

void tact_step_scene_release(step_scene *scene, const tact_allocator *allocator);

/* May features of two parts meet? Not those of two obstacles. */
static inline bool step_parts_collide(const step_scene *s, uint32_t one, uint32_t other)
{
    const step_part *a = &s->parts.items[one], *b = &s->parts.items[other];
    if (one == other)
        return a->deformable;
    return (a->deformable || b->deformable) && (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

#endif
