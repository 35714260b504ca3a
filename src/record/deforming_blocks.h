/* Pairs with moving vertices as blocks: the contacts in progress of a saved world. */
#ifndef TACT_RECORD_DEFORMING_BLOCKS_H
#define TACT_RECORD_DEFORMING_BLOCKS_H

#include "advance/advance_state.h"
#include "record/blocks.h"

ARRAY_OF(deforming_state_array, deforming_state);
ARRAY_OF(feature_pair_array, feature_pair);
ARRAY_OF(pending_event_array, feature_event);
ARRAY_OF(last_path_array, linear_path);

/* All pairs that have been read. The arrays of the states are NULL until tact_deforming_draft_link. */
typedef struct deforming_draft {
    deforming_state_array pairs;
    feature_pair_array contacts; /* of each pair first those in contact, then those reported */
    pending_event_array pending;
    last_path_array paths;
} deforming_draft;

/* Writes a block for each pair. */
void tact_writer_put_deforming_pairs(record_writer *w, const tact_world *world);

/* Reads a block of type BLOCK_DEFORMING_PAIR, without closing it. */
bool tact_reader_get_deforming_pair(record_reader *r, deforming_draft *draft);

/* Sets the arrays of all states. */
void tact_deforming_draft_link(deforming_draft *draft);
void tact_deforming_draft_release(deforming_draft *draft, const tact_allocator *allocator);

#endif
