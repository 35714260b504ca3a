/*
 * Blocks of bytes, written and read: docs/record.md tells the layout.
 *
 * A head, then blocks; each block is a type (4 bytes), the length of what follows (8), that, and a hash (8) of all of
 * it, begun from the hash of the block before: so no block can be changed, left out, repeated or moved unnoticed. All
 * numbers are little endian, doubles and floats are their IEEE bits.
 *
 * A writer gathers a block and hands it to the sink in one piece. A reader looks at a block only when its hash is
 * right, and never beyond its end: what is not there reads as 0 and is noted. Both keep the first trouble that they
 * meet.
 */
#ifndef TACT_RECORD_BYTES_H
#define TACT_RECORD_BYTES_H

#include <tact/record.h>

#include "core/array.h"
#include "core/report.h"

/* Types of blocks. Calls are BLOCK_CALL + their world_call_type. Never to be given again. */
enum {
    BLOCK_SHAPE = 1,    /* the next shape */
    BLOCK_WORLD = 2,    /* settings */
    BLOCK_BODY = 3,     /* a body */
    BLOCK_UNUSED = 4,   /* indices that may be given again */
    BLOCK_REMOVED = 5,  /* indices that may be after the next update */
    BLOCK_CLASS = 6,    /* the response of a class, or of two */
    BLOCK_PAIR = 7,     /* the response of a pair */
    BLOCK_AXES = 8,     /* what pairs remember */
    BLOCK_STATE = 9,    /* the world is complete */
    BLOCK_CONTACT = 10, /* a response was called */
    BLOCK_END = 11,     /* nothing follows */
    BLOCK_TIME = 12,    /* the time of the world */
    BLOCK_TIMED = 13,   /* what a body has for continuous time */
    BLOCK_TOUCHES = 14, /* what pairs that have touched remember */
    BLOCK_CALL = 32
};

ARRAY_OF(byte_array, unsigned char);

/* ---- writing ---- */

typedef struct writer {
    tact_sink sink;
    tact_allocator allocator;
    byte_array block; /* being gathered */
    uint64_t hash;    /* of the last one */
    tact_report trouble;
} writer;

/* Writes the head. */
void tact_writer_begin(writer *w, tact_sink sink, const tact_allocator *allocator);
void tact_writer_release(writer *w);

static inline bool writer_well(const writer *w) { return w->trouble.status == TACT_OK; }

/* Notes what went wrong, if it is the first time. Returns false. */
bool tact_writer_fail(writer *w, tact_status status, const char *text);

/* A block: open it, put its contents, close it. */
void tact_writer_open(writer *w, uint32_t type);
void tact_writer_close(writer *w);

/* Room for `size` bytes of the block, NULL if there is none. */
unsigned char *tact_writer_room(writer *w, size_t size);

void tact_put32(writer *w, uint32_t word);
void tact_put64(writer *w, uint64_t word);
void tact_put_double(writer *w, double value);
void tact_put_vec(writer *w, tact_vec3 v);
void tact_put_place(writer *w, const tact_transform *p);
void tact_put_motion(writer *w, const tact_motion *m);
void tact_put_body(writer *w, tact_body body);

/* ---- reading ---- */

typedef enum read_result {
    READ_BLOCK, /* there is one */
    READ_CUT,   /* the bytes end here, or within it */
    READ_BAD    /* see the trouble */
} read_result;

typedef struct reader {
    const unsigned char *bytes;
    size_t size;
    size_t next;    /* where the next block begins */
    uint64_t hash;  /* of the last block */
    bool loaded;    /* is there a block to be read? */
    uint32_t type;  /* of the block */
    size_t begin;   /* of the block */
    size_t at, end; /* of what is left of its contents */
    bool beyond;    /* something was read that is not there */
    bool cut;       /* the trouble is that the bytes end */
    tact_report trouble;
} reader;

/* Reads the head; false if it is not one. */
bool tact_reader_begin(reader *r, const void *bytes, size_t size);

/* Makes sure that a block is loaded, and that its hash is right. */
read_result tact_reader_peek(reader *r);

/* The block has been read: to the end, and not beyond? */
bool tact_reader_close(reader *r);

/* Notes what is wrong with the block, with its place, if it is the first trouble. Returns false. */
bool tact_reader_fail(reader *r, tact_status status, const char *format, ...) TACT_PRINTF(3, 4);

/* Are `count` things of `size` bytes left in the block? If not, that is noted. To be asked before anything is taken. */
bool tact_reader_holds(reader *r, uint64_t count, size_t size);

/* Where the next `size` bytes are, NULL if they are not there. */
const unsigned char *tact_reader_skip(reader *r, size_t size);

uint32_t tact_get32(reader *r);
uint64_t tact_get64(reader *r);
double tact_get_double(reader *r);
tact_vec3 tact_get_vec(reader *r);
tact_transform tact_get_place(reader *r);
tact_motion tact_get_motion(reader *r);
tact_body tact_get_body(reader *r);

#endif
