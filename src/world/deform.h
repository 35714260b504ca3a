/* What a deformable body has besides: see tact_body_deform. */
#ifndef TACT_WORLD_DEFORM_H
#define TACT_WORLD_DEFORM_H

#include <tact/body.h>

#include "core/array.h"
#include "shape/refittable_mesh.h"

/* Ranges of vertices that are told apart; of more, those nearest to each other count as one. */
#define DEFORM_RANGES 8

ARRAY_OF(box_array, box);

typedef struct deform {
    tact_shape *original;              /* that the body was made with; a reference */
    tact_shape *copies[2];             /* references; one is the body's shape, the other free or of the frame before */
    vertex_adjacency adjacency;        /* of both */
    tact_vertices client_vertices;     /* the client's array; data NULL: none yet */
    vertex_range stale[DEFORM_RANGES]; /* outside of these both twins are alike; apart, in order */
    size_t stale_count;
    uint32_t vertex_count; /* of now */
    bool topology_differs; /* have the twins different faces, or not as many vertices (world/remesh.c)? */
    tact_shape **hulls;    /* of a soup with such: by piece, those made for a change that has not been made yet */
    tact_vec3 *points;     /* room for the corners of a piece */
    uint32_t point_capacity;
    tact_allocator allocator;
} deform;

/* For a mesh or soup; NULL if there is no memory. `boxes` gets room for the boxes of its elements. */
deform *tact_deform_create(const tact_shape *shape, box_array *boxes, const tact_allocator *allocator);

/* NULL is allowed. */
void tact_deform_free(deform *d);

/* What a deformable body was when it was saved: its twins as shapes of their own. */
typedef struct deform_state {
    const tact_shape *original;
    const tact_shape *copies[2];
    uint64_t refit_counts[2]; /* of the twins */
    vertex_range stale[DEFORM_RANGES];
    uint32_t stale_count;
    bool topology_differs;
    uint32_t current;  /* which twin is the body's shape */
    uint32_t previous; /* which is that of the frame before: 0 or 1, or DEFORM_OTHER */
} deform_state;

#define DEFORM_OTHER 2u /* another shape */

/* Makes it again. NULL with TACT_BAD_ARGUMENT if the shapes do not fit each other. */
deform *tact_deform_restore(const deform_state *state, box_array *boxes, const tact_allocator *allocator,
                            tact_status *status);

/* From now on its faces change, and `t` knows where they are. */
void tact_deform_begin_edit(deform *d, struct mesh_edit *t);

/* Takes the memory that the next change of vertices of a body needs, whose faces have changed. */
tact_status tact_deform_reserve(tact_world *world, uint32_t index);

/* The greatest coordinate of a vertex with which a placed body is sure to have bounds: with farther ones it is tried.
 */
struct world_body;
double tact_deform_max_coordinate(const struct world_body *hot);

/* What the world has to know of a body's shape: its box, and of a body with fixed bounds how far it reaches. */
tact_status tact_deform_box(const struct world_body *hot, const tact_shape *shape, double *reach, box *fitted);

#endif
