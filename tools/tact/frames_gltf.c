/*
 * The frames of a glTF animation: its pose at all key times, and between them at the rate of --fps. Between frames
 * vertices move linearly; the true motion is known in the middle, so that the deviation can be measured.
 *
 * Frames: the key times of all channels, in ascending order. With `fps`, the interval between two key times is divided
 * into equal parts, each at most 1 / fps long. Poses are computed in double when a frame is read: only the model and
 * the times are in memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "frames.h"
#include "gltf_model.h"
#include "triangle_mesh.h"

/* The most frames: --fps with a tiny step is a mistake. 80 MB of times. */
#define MAX_FRAMES 10000000

ARRAY_OF(gltf_time_array, double);

typedef struct frames_gltf {
    tact_allocator allocator;
    gltf_model model;
    gltf_time_array times;
    mesh_file mesh; /* its arrays belong to the model */
} frames_gltf;

static bool gltf_read(frame_source *source, size_t index, tact_vec3 *positions)
{
    frames_gltf *gltf = source->data;
    tact_gltf_pose(&gltf->model, gltf->times.items[index], positions);
    return true;
}

static bool gltf_read_middle(frame_source *source, size_t interval, tact_vec3 *positions)
{
    frames_gltf *gltf = source->data;
    const double *times = gltf->times.items + interval;
    tact_gltf_pose(&gltf->model, times[0] + 0.5 * (times[1] - times[0]), positions);
    return true;
}

static double gltf_time(const frame_source *source, size_t index)
{
    const frames_gltf *gltf = source->data;
    return gltf->times.items[index];
}

static void gltf_close(frame_source *source)
{
    frames_gltf *gltf = source->data;
    gltf_time_array_release(&gltf->times, &source->allocator);
    tact_gltf_model_close(&gltf->model);
    tact_memory_free(&source->allocator, gltf, 1, sizeof *gltf);
}

static const frame_reader gltf_reader = {"glTF", gltf_read, gltf_read_middle, gltf_time, NULL, gltf_close};

/* ---- opening ---- */

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Collects the key times of all channels, sorted, each once. */
static bool key_times(const frame_source *source, const gltf_model *model, gltf_time_array *keys)
{
    for (size_t c = 0; c < model->channel_count; c++)
        for (size_t i = 0; i < model->channels[c].time_count; i++)
            if (!gltf_time_array_push(keys, &source->allocator, model->channels[c].times[i]))
                return tact_frames_out_of_memory(source);
    qsort(keys->items, keys->count, sizeof *keys->items, compare_times);
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++)
        if (i == 0 || keys->items[i] != keys->items[count - 1])
            keys->items[count++] = keys->items[i];
    keys->count = count;
    return true;
}

/* Adds the frames after a key time, up to the next one. */
static bool times_add(const frame_source *source, gltf_time_array *times, double from, double to)
{
    const double parts = source->def.fps > 0.0 ? ceil((to - from) * source->def.fps) : 1.0;
    if (!(parts < MAX_FRAMES))
        return tact_frames_fail(source, "would have more than %d frames: --fps %g is too large", MAX_FRAMES,
                                source->def.fps);
    const size_t count = parts > 1.0 ? (size_t)parts : 1;
    for (size_t i = 1; i <= count; i++) {
        const double time = i == count ? to : from + (to - from) * ((double)i / (double)count);
        if (!gltf_time_array_push(times, &source->allocator, time))
            return tact_frames_out_of_memory(source);
    }
    return times->count <= MAX_FRAMES || tact_frames_fail(source, "has more than %d frames", MAX_FRAMES);
}

static bool times_make(const frame_source *source, frames_gltf *gltf)
{
    gltf_time_array keys = {0};
    bool good = key_times(source, &gltf->model, &keys);
    if (good && !gltf_time_array_push(&gltf->times, &source->allocator, keys.items[0]))
        good = tact_frames_out_of_memory(source);
    for (size_t i = 1; good && i < keys.count; i++)
        good = times_add(source, &gltf->times, keys.items[i - 1], keys.items[i]);
    gltf_time_array_release(&keys, &source->allocator);
    return good;
}

/* Makes the mesh of the model: its pose at the first key time. Its memory is freed with the model. */
static bool mesh_make(const frame_source *source, frames_gltf *gltf)
{
    gltf_model *model = &gltf->model;
    mesh_file *mesh = &gltf->mesh;
    const size_t faces = model->indices.count / 3;
    tact_vec3 *positions = tact_gltf_allocate(&model->file, model->vertex_count, sizeof *positions);
    uint32_t *starts = tact_gltf_allocate(&model->file, faces + 1, sizeof *starts);
    if (!positions || !starts)
        return tact_frames_out_of_memory(source);
    tact_gltf_pose(model, gltf->times.items[0], positions);
    for (size_t f = 0; f <= faces; f++)
        starts[f] = (uint32_t)(3 * f);
    *mesh = (mesh_file){.vertices = (double *)(void *)positions,
                        .vertex_count = model->vertex_count,
                        .indices = model->indices.items,
                        .index_count = model->indices.count,
                        .face_start = starts,
                        .face_count = faces,
                        .format = "glTF"};
    char error[FRAMES_ERROR];
    if (!source->def.mesh ||
        tact_triangle_mesh_match(source->def.mesh, source->def.mesh_path, mesh, source->def.path, error, sizeof error))
        return true;
    if (source->error && source->error_size > 0)
        (void)snprintf(source->error, source->error_size, "%s", error);
    return false;
}

bool tact_frames_open_gltf(frame_source *source)
{
    frames_gltf *gltf = tact_memory_allocate(&source->allocator, 1, sizeof *gltf);
    if (!gltf)
        return tact_frames_out_of_memory(source);
    memset(gltf, 0, sizeof *gltf);
    gltf->allocator = source->allocator;
    source->data = gltf;
    bool good = tact_gltf_model_open(&gltf->model, source->def.path, source->def.animation, &gltf->allocator);
    if (!good)
        (void)tact_frames_fail(source, "%s", gltf->model.file.error.text);
    good = good && times_make(source, gltf) && mesh_make(source, gltf);
    if (!good) {
        gltf_close(source);
        return false;
    }
    source->reader = &gltf_reader;
    source->frame_count = gltf->times.count;
    source->vertex_count = gltf->model.vertex_count;
    source->mesh = &gltf->mesh;
    return true;
}
