/* The contact graph as plain values: for saving and restoring. See advance_state.h. */
#ifndef TACT_ADVANCE_CONTACT_STATE_H
#define TACT_ADVANCE_CONTACT_STATE_H

#include "advance/advance_state.h"

/* What is saved of a body. False: nothing, it has no part in the graph. */
bool tact_contact_describe_body(const contact_graph *g, uint32_t index, contact_body *body);

/* Restores the graph of a world whose bodies have been restored. False, with the reason in `report`, if it is invalid
 * or memory is out. */
bool tact_contact_graph_restore(tact_world *world, const time_state *state, tact_report *report);

#endif
