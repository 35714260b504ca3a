/* A world as blocks: those that come before any call. */
#ifndef TACT_RECORD_WORLD_BYTES_H
#define TACT_RECORD_WORLD_BYTES_H

#include "record/numbers.h"

/* Writes the blocks of a world, up to BLOCK_STATE. What goes wrong is noted by the writer. */
void tact_scribe_world(scribe *s, const tact_world *world);

/* Reads them and makes the world. NULL: what went wrong is noted by the reader. */
tact_world *tact_library_world(library *l, const tact_parallel *parallel);

#endif
