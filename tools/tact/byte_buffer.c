#include "byte_buffer.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_CAPACITY 256

void tact_buffer_add(byte_buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->failed || size == 0)
        return;
    if (size > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity < MIN_CAPACITY ? MIN_CAPACITY : buffer->capacity;
        while (capacity <= SIZE_MAX / 2 && capacity - buffer->size < size)
            capacity *= 2;
        unsigned char *data = capacity - buffer->size < size ? NULL : realloc(buffer->data, capacity);
        if (!data) {
            buffer->failed = true;
            return;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}

void tact_buffer_add_u32(byte_buffer *buffer, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 24)};
    tact_buffer_add(buffer, bytes, sizeof bytes);
}

void tact_buffer_add_u64(byte_buffer *buffer, uint64_t value)
{
    tact_buffer_add_u32(buffer, (uint32_t)value);
    tact_buffer_add_u32(buffer, (uint32_t)(value >> 32));
}

double tact_buffer_as_f32(double value)
{
    const double limit = (double)FLT_MAX;
    return (double)(float)(value > limit ? limit : value < -limit ? -limit : value);
}

tact_vec3 tact_buffer_vec_as_f32(tact_vec3 value)
{
    return (tact_vec3){tact_buffer_as_f32(value.x), tact_buffer_as_f32(value.y), tact_buffer_as_f32(value.z)};
}

void tact_buffer_add_f32(byte_buffer *buffer, double value)
{
    const float number = (float)tact_buffer_as_f32(value);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    tact_buffer_add_u32(buffer, bits);
}

void tact_buffer_add_f64(byte_buffer *buffer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tact_buffer_add_u64(buffer, bits);
}

void tact_buffer_add_vec_f32(byte_buffer *buffer, tact_vec3 value)
{
    tact_buffer_add_f32(buffer, value.x);
    tact_buffer_add_f32(buffer, value.y);
    tact_buffer_add_f32(buffer, value.z);
}

void tact_buffer_add_vec_f64(byte_buffer *buffer, tact_vec3 value)
{
    tact_buffer_add_f64(buffer, value.x);
    tact_buffer_add_f64(buffer, value.y);
    tact_buffer_add_f64(buffer, value.z);
}

void tact_buffer_add_json_string(byte_buffer *buffer, const char *text)
{
    tact_buffer_add(buffer, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        char escaped[8];
        if (*c == '"' || *c == '\\')
            (void)snprintf(escaped, sizeof escaped, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7F)
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*c);
        else
            (void)snprintf(escaped, sizeof escaped, "%c", *c);
        tact_buffer_add(buffer, escaped, strlen(escaped));
    }
    tact_buffer_add(buffer, "\"", 1);
}

void tact_buffer_align(byte_buffer *buffer, char fill)
{
    while (!buffer->failed && buffer->size % 8 != 0)
        tact_buffer_add(buffer, &fill, 1);
}

void tact_buffer_clear(byte_buffer *buffer) { buffer->size = 0; }

void tact_buffer_release(byte_buffer *buffer)
{
    free(buffer->data);
    *buffer = (byte_buffer){NULL, 0, 0, false};
}
