/* What a deformable body has besides: see tact_body_deform. */
#ifndef TACT_WORLD_DEFORM_H
#define TACT_WORLD_DEFORM_H

#include "core/array.h"
#include "shape/twin.h"

/* Ranges of vertices that are told apart; of more, those nearest to each other count as one. */
#define DEFORM_RANGES 8

ARRAY_OF(box_array, box);

typedef struct deform {
    tact_shape *original;              /* that the body was made with; a reference */
    tact_shape *twins[2];              /* references; one is the body's shape, the other free or of the frame before */
    twin_links links;                  /* of both */
    tact_vertices lent;                /* the client's array; data NULL: none yet */
    vertex_range stale[DEFORM_RANGES]; /* outside of these both twins are alike; apart, in order */
    size_t stale_count;
    tact_shape **hulls; /* of a soup with such: by piece, those made for a change that has not been made yet */
    tact_vec3 *points;  /* room for the corners of a piece */
    uint32_t point_room;
    tact_allocator allocator;
} deform;

/* For a mesh or soup; NULL if there is no memory. `boxes` gets room for the boxes of its elements. */
deform *tact_deform_create(const tact_shape *shape, box_array *boxes, const tact_allocator *allocator);

/* NULL is allowed. */
void tact_deform_free(deform *d);

#endif
