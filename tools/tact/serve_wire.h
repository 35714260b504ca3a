/* A connection of `tact serve`: a byte stream of nng, plain or inside a websocket. Calls block, with a time limit. */
#ifndef TACT_TOOL_SERVE_WIRE_H
#define TACT_TOOL_SERVE_WIRE_H

#include <nng/nng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are read and written at once. */
#define WIRE_CHUNK 16384

typedef enum wire_state { WIRE_OPEN, WIRE_TIMED_OUT, WIRE_CLOSED } wire_state;

typedef struct wire {
    nng_stream *stream;
    nng_aio *aio; /* of the thread that uses the wire */
    bool is_web;
    bool answer_started; /* web: a message has been begun */
    bool close_sent;     /* web: the closing handshake has begun */
    uint64_t rest;       /* web: bytes of the current frame that have not been read */
    unsigned char mask[4];
    unsigned phase; /* web: of the mask */
} wire;

/* Reads at least 1 and at most `size` bytes, within `seconds`. */
wire_state tact_wire_read(wire *w, char *bytes, size_t size, double seconds, size_t *got);

/* Writes all bytes, each chunk within `seconds`. `last`: they end an answer. */
bool tact_wire_write(wire *w, const char *bytes, size_t size, bool last, double seconds);

/* The same without websocket. */
wire_state tact_wire_read_plain(wire *w, char *bytes, size_t size, double seconds, size_t *got);
bool tact_wire_write_plain(wire *w, const void *bytes, size_t size, double seconds);

/* Seconds of a clock that never goes back. */
double tact_wire_clock(void);

#endif
