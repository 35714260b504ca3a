/* Shapes as blocks. */
#ifndef TACT_RECORD_SHAPE_BLOCKS_H
#define TACT_RECORD_SHAPE_BLOCKS_H

#include "record/blocks.h"

/* Writes the blocks of a shape and of its parts, unless they have been written. */
bool tact_writer_put_shape(record_writer *w, const tact_shape *shape);

/* Writes the two refittable meshes of a deformable body. They have ids while record_writer::refittable is set. */
bool tact_writer_put_refittable(record_writer *w, const tact_shape *const meshes[2]);

/* The id of a shape that has been written. */
uint32_t tact_writer_shape_id(const record_writer *w, const tact_shape *shape);

/* Reads and closes a block of type BLOCK_SHAPE. */
bool tact_reader_get_shape(record_reader *r);

#endif
