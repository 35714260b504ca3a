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

/* Temporary arrays that a reader holds for one block (blocks.c): vertices, indices, triangles of faces and component
 * seeds of an edited mesh are the most. Edited meshes (internal_record) need all four. */
#define READER_MAX_ARRAYS 4

/* Slots of the first allocation of pointer_ids, a power of two. A world of 32 shapes and pointers fits without growing.
 * Performance only. */
#define POINTER_IDS_MIN_CAPACITY 64

/* Bytes that tact_bytes_load reads with one call (sink.c). Larger ones gain nothing. Performance only. */
#define LOAD_CHUNK 65536

/* Bytes of a report that tact_reader_fail needs besides the message: "at byte ", 20 digits, ": " and the final 0. A
 * longer message is cut off. Performance only. */
#define READER_POSITION_TEXT 40

#endif
