/* A world as blocks, up to BLOCK_STATE. */
#ifndef TACT_RECORD_WORLD_BLOCKS_H
#define TACT_RECORD_WORLD_BLOCKS_H

#include "record/blocks.h"

/* Writes a world. */
void tact_writer_put_world(record_writer *w, const tact_world *world);

/* Reads and restores a world. `parallel` may be NULL. On failure returns NULL; the reader has the error. */
tact_world *tact_reader_get_world(record_reader *r, const tact_parallel *parallel);

#endif
