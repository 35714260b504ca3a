/* A growing array of bytes, to which numbers are appended in little-endian order. Zero-initialised it is empty. */
#ifndef TACT_TOOL_BYTE_BUFFER_H
#define TACT_TOOL_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/vec.h>

typedef struct byte_buffer {
    unsigned char *data;
    size_t size, capacity;
    bool failed; /* out of memory: something is missing */
} byte_buffer;

/* Appends bytes. Once memory has run out, nothing is appended any more. */
void tact_buffer_add(byte_buffer *buffer, const void *bytes, size_t size);
void tact_buffer_add_u32(byte_buffer *buffer, uint32_t value);
void tact_buffer_add_u64(byte_buffer *buffer, uint64_t value);
void tact_buffer_add_f32(byte_buffer *buffer, double value); /* rounded to float; beyond its range: the largest float */
void tact_buffer_add_f64(byte_buffer *buffer, double value);
void tact_buffer_add_vec_f32(byte_buffer *buffer, tact_vec3 value);
void tact_buffer_add_vec_f64(byte_buffer *buffer, tact_vec3 value);

/* Appends a JSON string with its quotes. Bytes that are not ASCII are copied: file names are UTF-8. */
void tact_buffer_add_json_string(byte_buffer *buffer, const char *text);

/* Appends `fill` until the size is a multiple of 8. */
void tact_buffer_align(byte_buffer *buffer, char fill);

/* The value as a float, as tact_buffer_add_f32 writes it. */
double tact_buffer_as_f32(double value);
tact_vec3 tact_buffer_vec_as_f32(tact_vec3 value);

void tact_buffer_clear(byte_buffer *buffer); /* keeps the memory */
void tact_buffer_release(byte_buffer *buffer);

#endif
