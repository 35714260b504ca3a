/* Blocks of bytes: see bytes.h. */
#include "record/bytes.h"

#include <stdarg.h>
#include <string.h>

#include "core/hash.h"
#include "core/little_endian.h"

/* As PNG begins: a byte that is no text, and both kinds of line ends, which careless transfers change. */
static const unsigned char MAGIC[8] = {0x89, 'T', 'A', 'C', 'T', '\r', '\n', 0x1a};

enum { HEAD = 16, BLOCK_HEAD = 12, HASH = 8 };

/* ---- writing ---- */

bool tact_writer_fail(writer *w, tact_status status, const char *text)
{
    if (writer_well(w))
        (void)tact_report_fill(&w->trouble, status, "%s", text);
    return false;
}

static void send(writer *w, const void *bytes, size_t size)
{
    if (writer_well(w) && !w->sink.write(w->sink.context, bytes, size))
        (void)tact_writer_fail(w, TACT_BAD_ARGUMENT, "the sink did not take the bytes");
}

void tact_writer_begin(writer *w, tact_sink sink, const tact_allocator *allocator)
{
    unsigned char head[HEAD] = {0};
    *w = (writer){.sink = sink, .allocator = *allocator};
    memcpy(head, MAGIC, sizeof MAGIC);
    (void)store_le32(head + sizeof MAGIC, TACT_RECORD_VERSION);
    w->hash = hash_bytes(head, HEAD, 0);
    if (sink.write == NULL)
        (void)tact_writer_fail(w, TACT_BAD_ARGUMENT, "the sink is missing (NULL)");
    send(w, head, HEAD);
}

void tact_writer_release(writer *w) { byte_array_release(&w->block, &w->allocator); }

unsigned char *tact_writer_room(writer *w, size_t size)
{
    size_t count = w->block.count;
    if (!writer_well(w))
        return NULL;
    if (size > SIZE_MAX - count || !byte_array_resize(&w->block, &w->allocator, count + size)) {
        (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "no memory for a block");
        return NULL;
    }
    return w->block.items + count;
}

void tact_writer_open(writer *w, uint32_t type)
{
    w->block.count = 0;
    unsigned char *at = tact_writer_room(w, BLOCK_HEAD);
    if (at != NULL)
        (void)store_le32(at, type);
}

void tact_writer_close(writer *w)
{
    unsigned char *at = tact_writer_room(w, HASH);
    if (at == NULL)
        return;
    size_t size = w->block.count - HASH;
    (void)store_le64(w->block.items + 4, size - BLOCK_HEAD);
    w->hash = hash_bytes(w->block.items, size, w->hash);
    (void)store_le64(at, w->hash);
    send(w, w->block.items, w->block.count);
}

void tact_put32(writer *w, uint32_t word)
{
    unsigned char *at = tact_writer_room(w, 4);
    if (at != NULL)
        (void)store_le32(at, word);
}

void tact_put64(writer *w, uint64_t word)
{
    unsigned char *at = tact_writer_room(w, 8);
    if (at != NULL)
        (void)store_le64(at, word);
}

void tact_put_double(writer *w, double value)
{
    unsigned char *at = tact_writer_room(w, 8);
    if (at != NULL)
        (void)store_le_double(at, value);
}

void tact_put_vec(writer *w, tact_vec3 v)
{
    tact_put_double(w, v.x);
    tact_put_double(w, v.y);
    tact_put_double(w, v.z);
}

void tact_put_place(writer *w, const tact_transform *p)
{
    tact_put_vec(w, p->x_axis);
    tact_put_vec(w, p->y_axis);
    tact_put_vec(w, p->z_axis);
    tact_put_vec(w, p->origin);
}

void tact_put_motion(writer *w, const tact_motion *m)
{
    tact_put_vec(w, m->velocity);
    tact_put_vec(w, m->acceleration);
    tact_put_vec(w, m->spin);
}

void tact_put_body(writer *w, tact_body body)
{
    tact_put32(w, body.index);
    tact_put32(w, body.generation);
}

/* ---- reading ---- */

bool tact_reader_fail(reader *r, tact_status status, const char *format, ...)
{
    if (r->trouble.status != TACT_OK)
        return false;
    char text[TACT_REPORT_TEXT - 40];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)tact_report_fill(&r->trouble, status, "at byte %zu: %s", r->begin, text);
    return false;
}

bool tact_reader_begin(reader *r, const void *bytes, size_t size)
{
    *r = (reader){.bytes = bytes, .size = size, .next = HEAD};
    if (bytes == NULL)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "the bytes are missing (NULL)");
    size_t known = size < sizeof MAGIC ? size : sizeof MAGIC;
    if (memcmp(bytes, MAGIC, known) != 0)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "not the bytes of a world or record");
    if (size < HEAD) {
        r->cut = true;
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "cut off: %zu bytes are not even a head", size);
    }
    if (load_le32(r->bytes + 8) < 1 || load_le32(r->bytes + 8) > TACT_RECORD_VERSION)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT,
                                "version %lu of the format, but this library knows version 1 to %d",
                                (unsigned long)load_le32(r->bytes + 8), TACT_RECORD_VERSION);
    if (load_le32(r->bytes + 12) != 0)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "damaged: the head ends with something else than zeros");
    r->hash = hash_bytes(bytes, HEAD, 0);
    return true;
}

static read_result cut_off(reader *r)
{
    r->cut = true;
    (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "cut off: the bytes end at %zu, within a block or before the last",
                           r->size);
    return READ_CUT;
}

read_result tact_reader_peek(reader *r)
{
    if (r->trouble.status != TACT_OK)
        return r->cut ? READ_CUT : READ_BAD;
    if (r->loaded)
        return READ_BLOCK;
    r->begin = r->next;
    size_t left = r->size - r->begin;
    if (left < BLOCK_HEAD + HASH)
        return cut_off(r);
    uint64_t length = load_le64(r->bytes + r->begin + 4);
    if (length > left - BLOCK_HEAD - HASH)
        return cut_off(r); /* or the length is damaged: who knows */
    size_t size = BLOCK_HEAD + (size_t)length;
    uint64_t hash = hash_bytes(r->bytes + r->begin, size, r->hash);
    if (hash != load_le64(r->bytes + r->begin + size)) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "damaged: the hash of a block does not agree");
        return READ_BAD;
    }
    r->type = load_le32(r->bytes + r->begin);
    r->hash = hash;
    r->at = r->begin + BLOCK_HEAD;
    r->end = r->begin + size;
    r->next = r->end + HASH;
    r->loaded = true;
    r->beyond = false;
    return READ_BLOCK;
}

bool tact_reader_close(reader *r)
{
    r->loaded = false;
    if (r->beyond)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu is too short", (unsigned long)r->type);
    if (r->at != r->end)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu has %zu bytes too many",
                                (unsigned long)r->type, r->end - r->at);
    return r->trouble.status == TACT_OK;
}

bool tact_reader_holds(reader *r, uint64_t count, size_t size)
{
    if (r->beyond || count > (r->end - r->at) / size)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu announces more than it holds",
                                (unsigned long)r->type);
    return true;
}

const unsigned char *tact_reader_skip(reader *r, size_t size)
{
    if (size > r->end - r->at) {
        r->beyond = true;
        r->at = r->end;
        return NULL;
    }
    r->at += size;
    return r->bytes + (r->at - size);
}

uint32_t tact_get32(reader *r)
{
    const unsigned char *at = tact_reader_skip(r, 4);
    return at != NULL ? load_le32(at) : 0;
}

uint64_t tact_get64(reader *r)
{
    const unsigned char *at = tact_reader_skip(r, 8);
    return at != NULL ? load_le64(at) : 0;
}

double tact_get_double(reader *r)
{
    uint64_t word = tact_get64(r);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

tact_vec3 tact_get_vec(reader *r)
{
    tact_vec3 v;
    v.x = tact_get_double(r);
    v.y = tact_get_double(r);
    v.z = tact_get_double(r);
    return v;
}

tact_transform tact_get_place(reader *r)
{
    tact_transform p;
    p.x_axis = tact_get_vec(r);
    p.y_axis = tact_get_vec(r);
    p.z_axis = tact_get_vec(r);
    p.origin = tact_get_vec(r);
    return p;
}

tact_motion tact_get_motion(reader *r)
{
    tact_motion m;
    m.velocity = tact_get_vec(r);
    m.acceleration = tact_get_vec(r);
    m.spin = tact_get_vec(r);
    return m;
}

tact_body tact_get_body(reader *r)
{
    tact_body body;
    body.index = tact_get32(r);
    body.generation = tact_get32(r);
    return body;
}
