/* Sinks: byte buffers and files. */
#include <string.h>
#include <tact/record.h>

#include "core/array.h"
#include "core/report.h"
#include "record/record_constants.h"

/* Ensures capacity for `size` more bytes. */
static bool grow(tact_bytes *b, size_t size)
{
    if (size <= b->capacity - b->size)
        return true;
    size_t capacity = size <= SIZE_MAX - b->size ? array_next_capacity(b->capacity, b->size + size, 1) : 0;
    unsigned char *data = capacity != 0 ? tact_memory_resize(&b->allocator, b->data, b->capacity, capacity, 1) : NULL;
    if (data == NULL)
        return false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

static bool write_bytes(void *context, const void *bytes, size_t size)
{
    tact_bytes *b = context;
    if (b == NULL || !grow(b, size))
        return false;
    if (size > 0)
        memcpy(b->data + b->size, bytes, size);
    b->size += size;
    return true;
}

tact_sink tact_bytes_sink(tact_bytes *bytes) { return (tact_sink){write_bytes, bytes}; }

void tact_bytes_release(tact_bytes *bytes)
{
    if (bytes == NULL)
        return;
    tact_memory_free(&bytes->allocator, bytes->data, bytes->capacity, 1);
    bytes->data = NULL;
    bytes->size = bytes->capacity = 0;
}

tact_status tact_bytes_load(tact_bytes *bytes, const char *path, tact_report *report)
{
    if (bytes == NULL || path == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the bytes or the path are NULL");
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "%.150s cannot be opened", path);
    size_t before = bytes->size, got = 1;
    bool memory = true;
    while (got > 0 && (memory = grow(bytes, LOAD_CHUNK))) {
        got = fread(bytes->data + bytes->size, 1, LOAD_CHUNK, file);
        bytes->size += got;
    }
    bool read = ferror(file) == 0;
    (void)fclose(file);
    if (memory && read)
        return tact_report_clear(report);
    bytes->size = before;
    return memory ? tact_report_fill(report, TACT_BAD_ARGUMENT, "%.150s cannot be read", path)
                  : tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for %.150s", path);
}

static bool write_file(void *context, const void *bytes, size_t size)
{
    FILE *file = context;
    return file != NULL && fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
}

tact_sink tact_file_sink(FILE *file) { return (tact_sink){write_file, file}; }
