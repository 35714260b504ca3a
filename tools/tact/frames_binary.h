/* Frames of 32-bit floats in a file, one after the other: the bodies of PC2 and MDD. */
#ifndef TACT_TOOL_FRAMES_BINARY_H
#define TACT_TOOL_FRAMES_BINARY_H

#include <stdint.h>
#include <stdio.h>

#include "frames.h"

/* The first bytes of a PC2 file, with the terminating zero. */
#define PC2_MAGIC "POINTCACHE2"

typedef struct frames_binary {
    FILE *file;
    uint64_t size;  /* of the file, in bytes */
    uint64_t start; /* of the first frame, in bytes */
    bool big_endian;
} frames_binary;

/* Opens a regular file and reads its first `header_size` bytes. On failure writes the error, and nothing is open. */
bool tact_frames_binary_open(frame_source *source, frames_binary *binary, unsigned char *header, size_t header_size);

void tact_frames_binary_close(frames_binary *binary);

/* Checks that the file holds exactly the frames of the source, which begin at `start`. */
bool tact_frames_binary_check_size(const frame_source *source, const frames_binary *binary);

/* Reads bytes at an offset; false with an error if they are not there. */
bool tact_frames_binary_read(const frame_source *source, const frames_binary *binary, uint64_t offset, void *bytes,
                             size_t size);

/* Reads a frame. */
bool tact_frames_binary_positions(const frame_source *source, const frames_binary *binary, size_t index,
                                  tact_vec3 *positions);

/* A 32-bit number of either byte order. */
uint32_t tact_frames_binary_word(const unsigned char *bytes, bool big_endian);
float tact_frames_binary_float(const unsigned char *bytes, bool big_endian);

/* Reads a count, a signed 32-bit number that must not be negative. `what`: "frame" or "vertex", for the error. */
bool tact_frames_binary_count(const frame_source *source, const unsigned char *bytes, bool big_endian, const char *what,
                              size_t *count);

#endif
