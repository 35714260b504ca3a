/* Calls and contacts as blocks. */
#ifndef TACT_RECORD_CALL_BYTES_H
#define TACT_RECORD_CALL_BYTES_H

#include "record/numbers.h"
#include "world/call_observer.h"

/* Writes a call, with the shapes that it brings. What goes wrong is noted by the writer. */
void tact_scribe_call(scribe *s, const world_call *call);

/* A contact, as it is written and compared; where its want, its status and its bodies are. */
#define CONTACT_BYTES (4 + 4 + 8 + 8 + 4 * 24 + 8 + 8 + 8 + 8)
#define CONTACT_WANT 0
#define CONTACT_STATUS 4
#define CONTACT_BODIES 8
void tact_contact_store(const tact_contact *contact, unsigned char bytes[CONTACT_BYTES]);

/* An event, as it is written and compared. */
#define EVENT_BYTES (8 + 8 + 8 + 8 + 2 * 24)
void tact_event_store(const tact_event *event, unsigned char bytes[EVENT_BYTES]);

/* What making a call came to. */
typedef enum call_result {
    CALL_MADE,
    CALL_DIFFERS, /* it failed, or bodies got other names: see the report */
    CALL_FAILED   /* the block is not sound, or memory ran out: see the reader's trouble */
} call_result;

/* Reads the block of a call that is none of a test's, and makes it. */
call_result tact_library_call(library *l, tact_world *world, tact_report *report);

/* The name of the function for a type of block, NULL if it is no call. */
const char *tact_call_name(uint32_t block_type);

#endif
