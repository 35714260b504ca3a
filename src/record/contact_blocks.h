/* Persistent contacts as blocks: docs/record.md has the layout. */
#ifndef TACT_RECORD_CONTACT_BLOCKS_H
#define TACT_RECORD_CONTACT_BLOCKS_H

#include "advance/advance_state.h"
#include "record/blocks.h"

/* The contact graph while it is read. */
typedef struct contact_draft {
    bool exists; /* BLOCK_CONTACT_GRAPH was read */
    contact_graph_state state;
    contact_array contacts;
    contact_index_array pending;
    contact_report_array reports;
} contact_draft;

/* Writes the blocks of the contact graph, if there is something to save. */
void tact_writer_put_contacts(record_writer *w, const tact_world *world);

/* Read a block of type BLOCK_CONTACT_GRAPH or BLOCK_CONTACTS, without closing it. */
bool tact_reader_get_contact_graph(record_reader *r, contact_draft *draft);
bool tact_reader_get_contacts(record_reader *r, contact_draft *draft);

/* What was read. It borrows the arrays of the draft. */
contact_graph_state tact_contact_draft_state(const contact_draft *draft);
void tact_contact_draft_release(contact_draft *draft, const tact_allocator *allocator);

#endif
