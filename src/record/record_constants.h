/*
 * The tuned numbers of this room. None of them is part of the format: a reader accepts bytes that were written with
 * other values. "Performance only": other values give the same worlds and the same replays. Numbers that are part of
 * the format are in blocks.h (types of blocks) and docs/record.md.
 */
#ifndef TACT_RECORD_RECORD_CONSTANTS_H
#define TACT_RECORD_RECORD_CONSTANTS_H

/* Items of one block of a list (world_blocks.c). It limits the memory that a block needs, to 147 kB. Performance only,
 * but the bytes of a world with more items depend on it. */
#define BLOCK_MAX_ITEMS 4096

/* Persistent contacts of one block (contact_blocks.c): up to 1.2 kB each, so that a block needs 151 kB at most.
 * Performance only, but the bytes of a world with more contacts depend on it. */
#define BLOCK_MAX_CONTACTS 128

/* Predictions of pairs of one block (prediction_blocks.c): 164 bytes each, so that a block needs 168 kB at most.
 * Performance only, but the bytes of a world with more predictions depend on it. */
#define BLOCK_MAX_PREDICTIONS 1024

/* Temporary arrays of one block (blocks.c). A NURBS shape needs all eleven: surfaces, knots, weights, control points,
 * loops, curves, their numbers, edges, and the defs of surfaces, loops and curves. With ten
 * internal_record_nurbs fails. */
#define READER_MAX_ARRAYS 11

/* Slots of the first allocation of pointer_ids, a power of two. A world of 32 shapes and pointers fits without growing.
 * Performance only. */
#define POINTER_IDS_MIN_CAPACITY 64

/* Bytes that tact_bytes_load reads with one call (sink.c). Larger ones gain nothing. Performance only. */
#define LOAD_CHUNK 65536

/* Bytes of a report that tact_reader_fail reserves for the position: "at byte ", 20 digits, ": " and the final 0. The
 * message is truncated to the rest. Proved: that is 31 bytes at most. */
#define READER_POSITION_TEXT 40

#endif
