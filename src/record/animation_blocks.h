/* Animations, vertex motions and vertex plans as blocks. */
#ifndef TACT_RECORD_ANIMATION_BLOCKS_H
#define TACT_RECORD_ANIMATION_BLOCKS_H

#include "kinetic/vertex_plan.h"
#include "record/blocks.h"

/* Writes the block of an animation, unless it has been written. */
bool tact_writer_put_animation(record_writer *w, const tact_animation *animation);

/* The id of an animation that has been written. */
uint32_t tact_writer_animation_id(const record_writer *w, const tact_animation *animation);

/* Reads and closes a block of type BLOCK_ANIMATION. */
bool tact_reader_get_animation(record_reader *r);

/* Appends a motion of `count` vertices to the block. */
void tact_writer_put_vertex_motion(record_writer *w, const tact_vertex_motion *motion, uint32_t count);

/* Reads it. Its arrays are temporary arrays of the reader. */
bool tact_reader_get_vertex_motion(record_reader *r, tact_vertex_motion *motion);

/* Writes the block of the vertex plan of a body, after its animations. `before` is left out unless it is needed at
 * `time`, that of the world. */
void tact_writer_put_vertex_plan(record_writer *w, uint32_t index, const vertex_plan *plan, double time);

/* Reads a block of type BLOCK_VERTEX_PLAN, without closing it. The plan is NULL on failure. Its numbers are not checked
 * (tact_vertex_plan_valid). */
bool tact_reader_get_vertex_plan(record_reader *r, uint32_t *index, vertex_plan **plan);

/* Frees a plan that was read; NULL is allowed. */
void tact_reader_free_vertex_plan(record_reader *r, vertex_plan *plan);

#endif
