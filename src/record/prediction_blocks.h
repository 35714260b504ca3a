/* Predictions and bounds as blocks: docs/record.md has the layout. */
#ifndef TACT_RECORD_PREDICTION_BLOCKS_H
#define TACT_RECORD_PREDICTION_BLOCKS_H

#include "advance/prediction_state.h"
#include "record/blocks.h"

ARRAY_OF(predicted_index_array, uint32_t);
ARRAY_OF(predicted_body_array, predicted_body);
ARRAY_OF(predicted_neighbour_array, predicted_neighbour);
ARRAY_OF(predicted_pair_array, predicted_pair);

/* All that has been read. */
typedef struct prediction_draft {
    prediction_state state;
    predicted_index_array dirty, order[3];
    predicted_body_array bodies;
    predicted_neighbour_array neighbours;
    predicted_pair_array pairs;
} prediction_draft;

/* Writes the blocks, if predictions are saved. */
void tact_writer_put_predictions(record_writer *w, const tact_world *world);

/* Read a block of type BLOCK_PREDICTIONS, BLOCK_PREDICTED_BODY or BLOCK_PREDICTED_PAIRS, without closing it. */
bool tact_reader_get_predictions(record_reader *r, prediction_draft *draft);
bool tact_reader_get_predicted_body(record_reader *r, prediction_draft *draft);
bool tact_reader_get_predicted_pairs(record_reader *r, prediction_draft *draft);

/* What was read. It borrows the arrays of the draft. */
prediction_state tact_prediction_draft_state(const prediction_draft *draft);
void tact_prediction_draft_release(prediction_draft *draft, const tact_allocator *allocator);

#endif
