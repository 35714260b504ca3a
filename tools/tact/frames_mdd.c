/*
 * MDD (LightWave), big endian: the frame count, the vertex count, the time of each frame (float); then x y z of each
 * vertex as floats, frame by frame. There is no magic number, so the size of the file must agree with the counts.
 */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "frames_binary.h"

#define HEADER_BYTES 8

typedef struct frames_mdd {
    frames_binary binary;
    float *times; /* one a frame */
} frames_mdd;

static bool mdd_read(frame_source *source, size_t index, tact_vec3 *positions)
{
    const frames_mdd *mdd = source->data;
    return tact_frames_binary_positions(source, &mdd->binary, index, positions);
}

static double mdd_time(const frame_source *source, size_t index)
{
    const frames_mdd *mdd = source->data;
    return (double)mdd->times[index];
}

static void mdd_close(frame_source *source)
{
    frames_mdd *mdd = source->data;
    tact_frames_binary_close(&mdd->binary);
    tact_memory_free(&source->allocator, mdd->times, source->frame_count, sizeof *mdd->times);
    tact_memory_free(&source->allocator, mdd, 1, sizeof *mdd);
}

static const frame_reader mdd_reader = {"MDD", mdd_read, NULL, mdd_time, NULL, mdd_close};

/* Reads the times, and decodes them in place. */
static bool times_read(const frame_source *source, frames_mdd *mdd)
{
    const size_t count = source->frame_count;
    mdd->times = tact_memory_allocate(&source->allocator, count, sizeof *mdd->times);
    if (!mdd->times)
        return tact_frames_out_of_memory(source);
    if (!tact_frames_binary_read(source, &mdd->binary, HEADER_BYTES, mdd->times, count * sizeof *mdd->times))
        return false;
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[4];
        memcpy(bytes, &mdd->times[i], sizeof bytes);
        mdd->times[i] = tact_frames_binary_float(bytes, true);
        if (!isfinite(mdd->times[i]))
            return tact_frames_fail(source, "frame %zu: its time is %s", i,
                                    isnan(mdd->times[i]) ? "not a number" : "infinite");
    }
    return true;
}

static bool header_parse(frame_source *source, frames_mdd *mdd, const unsigned char *header)
{
    _Static_assert(sizeof(float) == 4, "the file has 32-bit floats");
    frames_binary *binary = &mdd->binary;
    if (!tact_frames_binary_count(source, header, true, "frame", &source->frame_count) ||
        !tact_frames_binary_count(source, header + 4, true, "vertex", &source->vertex_count) ||
        !tact_frames_check_count(source, source->vertex_count))
        return false;
    if (source->frame_count == 0)
        return tact_frames_fail(source, "has no frames");
    binary->big_endian = true;
    binary->start = HEADER_BYTES + 4 * (uint64_t)source->frame_count;
    if (binary->size < binary->start)
        return tact_frames_fail(source, "is truncated: it has %llu bytes, and the times of its %zu frames end at %llu",
                                (unsigned long long)binary->size, source->frame_count,
                                (unsigned long long)binary->start);
    return tact_frames_binary_check_size(source, binary) && times_read(source, mdd);
}

bool tact_frames_open_mdd(frame_source *source)
{
    unsigned char header[HEADER_BYTES];
    frames_mdd mdd = {.times = NULL};
    if (!tact_frames_binary_open(source, &mdd.binary, header, sizeof header))
        return false;
    frames_mdd *data = NULL;
    if (header_parse(source, &mdd, header)) {
        data = tact_memory_allocate(&source->allocator, 1, sizeof *data);
        if (!data)
            (void)tact_frames_out_of_memory(source);
    }
    if (!data) {
        tact_frames_binary_close(&mdd.binary);
        tact_memory_free(&source->allocator, mdd.times, source->frame_count, sizeof *mdd.times);
        return false;
    }
    *data = mdd;
    source->data = data;
    source->reader = &mdd_reader;
    return true;
}
