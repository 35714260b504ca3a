/* Windows of moving control points as blocks: the triangles of NURBS bodies with feature events. */
#ifndef TACT_RECORD_SURFACE_BLOCKS_H
#define TACT_RECORD_SURFACE_BLOCKS_H

#include "advance/advance_state.h"
#include "record/blocks.h"

ARRAY_OF(surface_state_array, surface_state);
ARRAY_OF(surface_point_array, tact_vec3);

/* All windows that have been read. The arrays of the states are NULL until tact_surface_draft_link. */
typedef struct surface_draft {
    surface_state_array surfaces;
    surface_point_array points; /* of each: at the start, then at the end */
    byte_array divided;
} surface_draft;

/* Writes the block of a body that has such a window. */
void tact_writer_put_surface(record_writer *w, const tact_world *world, uint32_t index);

/* Reads a block of type BLOCK_SURFACE, without closing it. `point_count`: control points of the body. */
bool tact_reader_get_surface(record_reader *r, uint32_t index, uint32_t point_count, surface_draft *draft);

/* Sets the arrays of all states. */
void tact_surface_draft_link(surface_draft *draft);
void tact_surface_draft_release(surface_draft *draft, const tact_allocator *allocator);

#endif
