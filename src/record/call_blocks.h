/* Calls and contacts as blocks. */
#ifndef TACT_RECORD_CALL_BLOCKS_H
#define TACT_RECORD_CALL_BLOCKS_H

#include "record/fields.h"
#include "world/call_observer.h"

/* A call that was read, with memory for the structs that it points to. */
typedef struct replayed_call {
    world_call call; /* first */
    tact_transform transform;
    tact_motion motion;
    tact_response response;
    tact_event event;
    tact_bounce_def bounce;
    tact_material material;
    tact_mass mass;
    tact_motion_plan motion_plan;
    tact_play_def play;
    tact_vertex_motion vertex_motion;
} replayed_call;

/* The result of making a call again. */
typedef enum call_result {
    CALL_MADE,
    CALL_DIVERGED, /* it failed, or bodies got other handles: see the report */
    CALL_FAILED    /* the block is invalid, or memory ran out: see the error of the reader */
} call_result;

/* Bytes of an encoded contact; and of an encoded event without features, with features, and with features and parts.
 * Old recordings have no parts. */
#define CONTACT_SIZE 152
#define EVENT_SIZE 80
#define EVENT_FEATURES_SIZE 192
#define EVENT_MAX_SIZE 208

/* Offsets of the first fields of an encoded contact. Want and phase share a word. The phase is that of tact_phase plus
 * 1; 0 in recordings without phases and feature ids. */
#define CONTACT_WANT 0
#define CONTACT_PHASE 1
#define CONTACT_STATUS 4
#define CONTACT_BODIES 8

/* Encodes a contact, for writing and for comparing. `with_phase`: and with feature ids. */
void tact_contact_encode(const tact_contact *contact, bool with_phase, unsigned char bytes[CONTACT_SIZE]);

/* Whether an event is the recorded one, of one of the sizes above. */
bool tact_event_is_recorded(const tact_event *event, const unsigned char *bytes, size_t size);

/* Writes a call, after the shapes and animations that it refers to. */
void tact_writer_put_call(record_writer *w, const world_call *call);

/* The name of the public function of a block that is a call; NULL: it is none. */
const char *tact_call_name(uint32_t block_type);

/* Can a callback make this call? Not so the parts of a test or of tact_world_next_event. */
bool tact_call_is_simple(uint32_t block_type);

/* Reads and closes a block that is a call. Arrays are temporary arrays of the reader. */
bool tact_reader_get_call(record_reader *r, replayed_call *call);

/* Reads a block that is a simple call, and makes the call. */
call_result tact_reader_make_call(record_reader *r, tact_world *world, tact_report *report);

#endif
