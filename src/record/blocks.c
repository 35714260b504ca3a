/* Blocks: see blocks.h. */
#include "record/blocks.h"

#include <stdarg.h>
#include <string.h>

#include "core/hash.h"
#include "core/little_endian.h"

/* Like that of PNG: a byte that is not ASCII, and both kinds of line ends, which text-mode transfers change. */
static const unsigned char MAGIC[8] = {0x89, 'T', 'A', 'C', 'T', '\r', '\n', 0x1a};

/* Sizes in bytes: of the file header, and of what precedes and follows the contents of a block. */
enum { FILE_HEADER = 16, BLOCK_HEADER = 12, BLOCK_HASH = 8 };

static const tact_record_def default_def = {0};

static void release_shapes(shape_array *shapes, const tact_allocator *allocator)
{
    for (size_t i = 0; i < shapes->count; ++i)
        tact_shape_release(shapes->items[i]);
    shape_array_release(shapes, allocator);
}

static void release_animations(animation_array *animations, const tact_allocator *allocator)
{
    for (size_t i = 0; i < animations->count; ++i)
        tact_animation_release(animations->items[i]);
    animation_array_release(animations, allocator);
}

/* ---- writing ---- */

bool tact_writer_fail(record_writer *w, tact_status status, const char *format, ...)
{
    if (!writer_ok(w))
        return false;
    va_list arguments;
    va_start(arguments, format);
    w->error.status = status;
    (void)vsnprintf(w->error.text, sizeof w->error.text, format, arguments);
    va_end(arguments);
    return false;
}

static void send(record_writer *w, const void *bytes, size_t size)
{
    if (!writer_ok(w) || w->sink.write(w->sink.context, bytes, size))
        return;
    if (w->sink.write == tact_bytes_sink(NULL).write && w->sink.context != NULL)
        (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory");
    else
        (void)tact_writer_fail(w, TACT_BAD_ARGUMENT, "the sink failed to write");
}

void tact_writer_begin(record_writer *w, tact_sink sink, const tact_record_def *def)
{
    unsigned char header[FILE_HEADER] = {0};
    if (def == NULL)
        def = &default_def;
    *w = (record_writer){.sink = sink, .allocator = def->allocator, .pointer_map = def->pointer_map};
    memcpy(header, MAGIC, sizeof MAGIC);
    (void)store_le32(header + sizeof MAGIC, TACT_RECORD_VERSION);
    w->hash = hash_bytes(header, FILE_HEADER, 0);
    if (sink.write == NULL)
        (void)tact_writer_fail(w, TACT_BAD_ARGUMENT, "the write function of the sink is NULL");
    send(w, header, FILE_HEADER);
}

void tact_writer_release(record_writer *w)
{
    release_shapes(&w->shapes, &w->allocator);
    release_animations(&w->animations, &w->allocator);
    tact_pointer_ids_release(&w->ids, &w->allocator);
    byte_array_release(&w->block, &w->allocator);
}

unsigned char *tact_writer_reserve(record_writer *w, size_t count, size_t size)
{
    const size_t used = w->block.count;
    if (!writer_ok(w))
        return NULL;
    if ((count > 0 && size > (SIZE_MAX - used) / count) ||
        !byte_array_resize(&w->block, &w->allocator, used + count * size)) {
        (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory for a block");
        return NULL;
    }
    return w->block.items + used;
}

void tact_writer_open(record_writer *w, uint32_t type)
{
    w->block.count = 0;
    unsigned char *to = tact_writer_reserve(w, 1, BLOCK_HEADER);
    if (to != NULL)
        (void)store_le32(to, type);
}

void tact_writer_close(record_writer *w)
{
    unsigned char *to = tact_writer_reserve(w, 1, BLOCK_HASH);
    if (to == NULL)
        return;
    const size_t size = w->block.count - BLOCK_HASH;
    (void)store_le64(w->block.items + 4, size - BLOCK_HEADER);
    w->hash = hash_bytes(w->block.items, size, w->hash);
    (void)store_le64(to, w->hash);
    send(w, w->block.items, w->block.count);
}

/* ---- reading ---- */

bool tact_reader_fail(record_reader *r, tact_status status, const char *format, ...)
{
    if (!reader_ok(r))
        return false;
    char text[TACT_REPORT_TEXT - READER_POSITION_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)tact_report_fill(&r->error, status, "at byte %zu: %s", r->begin, text);
    return false;
}

static bool fail_truncated(record_reader *r)
{
    r->truncated = true;
    return tact_reader_fail(r, TACT_BAD_ARGUMENT,
                            "truncated: the data ends after %zu bytes, before its last block does", r->size);
}

bool tact_reader_begin(record_reader *r, const void *bytes, size_t size, const tact_record_def *def)
{
    if (def == NULL)
        def = &default_def;
    *r = (record_reader){.bytes = bytes,
                         .size = size,
                         .next = FILE_HEADER,
                         .allocator = def->allocator,
                         .pointer_map = def->pointer_map};
    if (bytes == NULL)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "the bytes are NULL");
    if (memcmp(bytes, MAGIC, size < sizeof MAGIC ? size : sizeof MAGIC) != 0)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "this is not a saved world or a record");
    if (size < FILE_HEADER)
        return fail_truncated(r);
    const uint32_t version = load_le32(r->bytes + 8);
    if (version < 1 || version > TACT_RECORD_VERSION)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "version %lu of the format; this library reads versions 1 to %d",
                                (unsigned long)version, TACT_RECORD_VERSION);
    r->version = version;
    if (load_le32(r->bytes + 12) != 0)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "damaged: the last word of the file header is not 0");
    r->hash = hash_bytes(bytes, FILE_HEADER, 0);
    return true;
}

void tact_reader_release(record_reader *r)
{
    tact_reader_free_arrays(r);
    release_shapes(&r->shapes, &r->allocator);
    release_animations(&r->animations, &r->allocator);
}

bool tact_reader_peek(record_reader *r)
{
    if (r->open || !reader_ok(r))
        return reader_ok(r);
    r->begin = r->next;
    const size_t left = r->size - r->begin;
    if (left < BLOCK_HEADER + BLOCK_HASH)
        return fail_truncated(r);
    const unsigned char *block = r->bytes + r->begin;
    const uint64_t length = load_le64(block + 4);
    if (length > left - BLOCK_HEADER - BLOCK_HASH)
        return fail_truncated(r); /* or the length is damaged, which cannot be distinguished */
    const size_t size = BLOCK_HEADER + (size_t)length;
    const uint64_t hash = hash_bytes(block, size, r->hash);
    if (hash != load_le64(block + size))
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "damaged: the hash of the block is wrong");
    r->type = load_le32(block);
    r->hash = hash;
    r->position = r->begin + BLOCK_HEADER;
    r->end = r->begin + size;
    r->next = r->end + BLOCK_HASH;
    r->open = true;
    r->overrun = false;
    return true;
}

bool tact_reader_close(record_reader *r)
{
    r->open = false;
    if (r->overrun)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu is too short", (unsigned long)r->type);
    if (r->position != r->end)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu is too long by %zu bytes",
                                (unsigned long)r->type, r->end - r->position);
    return reader_ok(r);
}

bool tact_reader_finish(record_reader *r)
{
    if (!tact_reader_close(r))
        return false;
    r->begin = r->next;
    return r->next == r->size ||
           tact_reader_fail(r, TACT_BAD_ARGUMENT, "%zu bytes follow after the end", r->size - r->next);
}

bool tact_reader_has(record_reader *r, uint64_t count, size_t size)
{
    if (r->overrun || count > (r->end - r->position) / size)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a count in a block of type %lu is larger than the block",
                                (unsigned long)r->type);
    return true;
}

const unsigned char *tact_reader_skip(record_reader *r, size_t size)
{
    if (size > r->end - r->position) {
        r->overrun = true;
        r->position = r->end;
        return NULL;
    }
    r->position += size;
    return r->bytes + (r->position - size);
}

void *tact_reader_allocate(record_reader *r, size_t count, size_t size)
{
    void *items = tact_memory_allocate(&r->allocator, count > 0 ? count : 1, size);
    if (items == NULL) {
        (void)tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for a block of type %lu", (unsigned long)r->type);
        return NULL;
    }
    r->arrays[r->array_count].items = items;
    r->arrays[r->array_count++].size = (count > 0 ? count : 1) * size;
    return items;
}

void tact_reader_free_arrays(record_reader *r)
{
    while (r->array_count > 0) {
        --r->array_count;
        tact_memory_free(&r->allocator, r->arrays[r->array_count].items, r->arrays[r->array_count].size, 1);
    }
}
