/* POSIX, for fseeko, with 64-bit offsets on every system. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "frames_binary.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Vertices that are read at once: a block of 48 KiB on the stack. */
#define BLOCK_VERTICES 4096
#define VERTEX_BYTES 12

static bool fail_system(const frame_source *source, int reason)
{
    return tact_frames_fail(source, "cannot be read: %s", reason ? strerror(reason) : "unknown reason");
}

static bool header_read(frame_source *source, frames_binary *binary, unsigned char *header, size_t header_size)
{
    struct stat status;
    if (fstat(fileno(binary->file), &status) != 0)
        return fail_system(source, errno);
    if (!S_ISREG(status.st_mode))
        return tact_frames_fail(source, "is not a regular file");
    binary->size = (uint64_t)status.st_size;
    if (binary->size < header_size)
        return tact_frames_fail(source, "is truncated: it has %llu bytes, and its header has %zu",
                                (unsigned long long)binary->size, header_size);
    return tact_frames_binary_read(source, binary, 0, header, header_size);
}

bool tact_frames_binary_open(frame_source *source, frames_binary *binary, unsigned char *header, size_t header_size)
{
    *binary = (frames_binary){0};
    /* a pipe without a writer would block fopen */
    struct stat status;
    if (stat(source->def.path, &status) != 0)
        return fail_system(source, errno);
    if (!S_ISREG(status.st_mode))
        return tact_frames_fail(source, "is not a regular file");
    errno = 0;
    binary->file = fopen(source->def.path, "rb");
    if (!binary->file)
        return fail_system(source, errno);
    if (header_read(source, binary, header, header_size))
        return true;
    tact_frames_binary_close(binary);
    return false;
}

void tact_frames_binary_close(frames_binary *binary)
{
    if (binary->file)
        (void)fclose(binary->file);
    binary->file = NULL;
}

bool tact_frames_binary_check_size(const frame_source *source, const frames_binary *binary)
{
    const uint64_t frame = VERTEX_BYTES * (uint64_t)source->vertex_count, count = source->frame_count;
    const uint64_t body = binary->size - binary->start;
    if (frame > 0 && body / frame < count)
        return tact_frames_fail(source, "frame %llu: is truncated: %llu of %llu bytes are there",
                                (unsigned long long)(body / frame), (unsigned long long)(body % frame),
                                (unsigned long long)frame);
    /* the file is larger, so this product does not overflow */
    if (body != frame * count)
        return tact_frames_fail(source,
                                "has %llu bytes after its last frame: its counts of frames or vertices are wrong",
                                (unsigned long long)(body - frame * count));
    return true;
}

static bool bytes_read(const frames_binary *binary, uint64_t offset, void *bytes, size_t size)
{
    errno = 0;
    return fseeko(binary->file, (off_t)offset, SEEK_SET) == 0 && fread(bytes, 1, size, binary->file) == size;
}

bool tact_frames_binary_read(const frame_source *source, const frames_binary *binary, uint64_t offset, void *bytes,
                             size_t size)
{
    if (bytes_read(binary, offset, bytes, size))
        return true;
    return errno ? fail_system(source, errno) : tact_frames_fail(source, "became shorter while it was read");
}

uint32_t tact_frames_binary_word(const unsigned char *bytes, bool big_endian)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word = word << 8 | bytes[big_endian ? i : 3 - i];
    return word;
}

float tact_frames_binary_float(const unsigned char *bytes, bool big_endian)
{
    const uint32_t word = tact_frames_binary_word(bytes, big_endian);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

bool tact_frames_binary_positions(const frame_source *source, const frames_binary *binary, size_t index,
                                  tact_vec3 *positions)
{
    unsigned char block[BLOCK_VERTICES * VERTEX_BYTES];
    const bool big = binary->big_endian;
    uint64_t offset = binary->start + VERTEX_BYTES * (uint64_t)source->vertex_count * index;
    for (size_t v = 0; v < source->vertex_count;) {
        const size_t left = source->vertex_count - v, count = left < BLOCK_VERTICES ? left : BLOCK_VERTICES;
        if (!bytes_read(binary, offset, block, count * VERTEX_BYTES))
            return tact_frames_fail(source, "frame %zu: cannot be read: %s", index,
                                    errno ? strerror(errno) : "the file became shorter");
        offset += count * VERTEX_BYTES;
        for (const unsigned char *at = block; at < block + count * VERTEX_BYTES; at += VERTEX_BYTES, v++)
            positions[v] =
                (tact_vec3){(double)tact_frames_binary_float(at, big), (double)tact_frames_binary_float(at + 4, big),
                            (double)tact_frames_binary_float(at + 8, big)};
    }
    return true;
}

bool tact_frames_binary_count(const frame_source *source, const unsigned char *bytes, bool big_endian, const char *what,
                              size_t *count)
{
    const uint32_t word = tact_frames_binary_word(bytes, big_endian);
    if (word > INT32_MAX)
        return tact_frames_fail(source, "its %s count is negative", what);
    *count = word;
    return true;
}
