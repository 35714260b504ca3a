/*
 * Point Cache 2 (3ds Max, Blender), little endian: the 12 bytes "POINTCACHE2\0", the version (1), the vertex count, the
 * time of the first frame (float) and the time between frames (float), the frame count; then x y z of each vertex as
 * floats, frame by frame. The size of the file must agree with the counts.
 */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "frames_binary.h"

#define HEADER_BYTES 32

typedef struct frames_pc2 {
    frames_binary binary;
    double first_time, time_step;
} frames_pc2;

static bool pc2_read(frame_source *source, size_t index, tact_vec3 *positions)
{
    const frames_pc2 *pc2 = source->data;
    return tact_frames_binary_positions(source, &pc2->binary, index, positions);
}

static double pc2_time(const frame_source *source, size_t index)
{
    const frames_pc2 *pc2 = source->data;
    return pc2->first_time + (double)index * pc2->time_step;
}

static void pc2_close(frame_source *source)
{
    frames_pc2 *pc2 = source->data;
    tact_frames_binary_close(&pc2->binary);
    tact_memory_free(&source->allocator, pc2, 1, sizeof *pc2);
}

static const frame_reader pc2_reader = {"PC2", pc2_read, NULL, pc2_time, NULL, pc2_close};
/* Some programs leave the times zero or undefined: the frames then have none. */
static const frame_reader pc2_reader_without_time = {"PC2", pc2_read, NULL, NULL, NULL, pc2_close};

static bool header_parse(frame_source *source, frames_pc2 *pc2, const unsigned char *header)
{
    if (memcmp(header, PC2_MAGIC, sizeof PC2_MAGIC) != 0)
        return tact_frames_fail(source, "is not a PC2 file: it does not start with \"" PC2_MAGIC "\"");
    const uint32_t version = tact_frames_binary_word(header + 12, false);
    if (version != 1)
        return tact_frames_fail(source, "has version %lu of PC2; only version 1 is known", (unsigned long)version);
    if (!tact_frames_binary_count(source, header + 16, false, "vertex", &source->vertex_count) ||
        !tact_frames_binary_count(source, header + 28, false, "frame", &source->frame_count))
        return false;
    pc2->binary.start = HEADER_BYTES;
    pc2->first_time = (double)tact_frames_binary_float(header + 20, false);
    pc2->time_step = (double)tact_frames_binary_float(header + 24, false);
    return tact_frames_check_count(source, source->vertex_count) && tact_frames_binary_check_size(source, &pc2->binary);
}

bool tact_frames_open_pc2(frame_source *source)
{
    unsigned char header[HEADER_BYTES];
    frames_pc2 pc2 = {.first_time = 0.0};
    if (!tact_frames_binary_open(source, &pc2.binary, header, sizeof header))
        return false;
    frames_pc2 *data = NULL;
    if (header_parse(source, &pc2, header)) {
        data = tact_memory_allocate(&source->allocator, 1, sizeof *data);
        if (!data)
            (void)tact_frames_out_of_memory(source);
    }
    if (!data) {
        tact_frames_binary_close(&pc2.binary);
        return false;
    }
    *data = pc2;
    source->data = data;
    const bool has_time = isfinite(pc2.first_time) && isfinite(pc2.time_step) && pc2.time_step > 0.0;
    source->reader = has_time ? &pc2_reader : &pc2_reader_without_time;
    return true;
}
