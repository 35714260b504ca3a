/* Separation lists over key frames. See keyframe_list.h. */
#include "keyframe_list.h"

#include <stdlib.h>
#include <string.h>

static void fill_table(keyframe_list_run *run, const keyframe_scene *scene)
{
    const size_t frames = scene->frame_count, ranges = run->samples.range_stride;
    for (size_t k = 0; k < frames; k++) {
        run->times[k] = (double)k;
        for (size_t v = 0; v < scene->vertex_count; v++) {
            const tact_vec3 p = keyframe_positions(scene, k)[v];
            run->values[(3 * v) * frames + k] = p.x;
            run->values[(3 * v + 1) * frames + k] = p.y;
            run->values[(3 * v + 2) * frames + k] = p.z;
        }
    }
    for (size_t row = 0; row < 3 * scene->vertex_count; row++)
        for (size_t j = 0; (j + 1) * KINETIC_RANGE_SAMPLES < frames; j++) {
            double *range = run->ranges[row * ranges + j];
            const double *x = run->values + row * frames + j * KINETIC_RANGE_SAMPLES;
            range[0] = range[1] = x[0];
            for (size_t i = 1; i <= KINETIC_RANGE_SAMPLES; i++) {
                range[0] = x[i] < range[0] ? x[i] : range[0];
                range[1] = x[i] > range[1] ? x[i] : range[1];
            }
        }
}

bool tact_keyframe_list_rebuild(keyframe_list_run *run, const keyframe_scene *scene, size_t frame)
{
    tact_separation_list_release(run->list);
    const separation_list_def def = {.items = (const uint32_t(*)[4])run->items,
                                     .item_count = (uint32_t)scene->triangle_count,
                                     .vertex_count = (uint32_t)scene->vertex_count,
                                     .motion = {.continuous = true, .samples = &run->samples},
                                     .time = (double)frame,
                                     .certificate = SEPARATION_WITNESS_AXIS};
    return tact_separation_list_create(&run->list, &def) == TACT_OK;
}

bool tact_keyframe_list_begin(keyframe_list_run *run, const keyframe_scene *scene)
{
    const size_t n = scene->vertex_count, frames = scene->frame_count, ranges = frames / KINETIC_RANGE_SAMPLES + 1;
    *run = (keyframe_list_run){.times = malloc(frames * sizeof *run->times),
                               .values = malloc((3 * n * frames + 1) * sizeof *run->values),
                               .ranges = malloc((3 * n * ranges + 1) * sizeof *run->ranges),
                               .items = malloc((scene->triangle_count + 1) * sizeof *run->items)};
    if (!run->times || !run->values || !run->ranges || !run->items)
        return false;
    run->samples = (vertex_samples){.times = run->times,
                                    .count = frames,
                                    .values = run->values,
                                    .stride = frames,
                                    .ranges = (const double(*)[2])run->ranges,
                                    .range_stride = ranges,
                                    .rest = true};
    fill_table(run, scene);
    for (size_t i = 0; i < scene->triangle_count; i++)
        memcpy(run->items[i], scene->triangles[i], sizeof scene->triangles[i]);
    return tact_keyframe_list_rebuild(run, scene, 0);
}

void tact_keyframe_list_end(keyframe_list_run *run)
{
    tact_separation_list_release(run->list);
    free(run->times);
    free(run->values);
    free(run->ranges);
    free(run->items);
    *run = (keyframe_list_run){.list = NULL};
}
