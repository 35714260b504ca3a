/* A kinetic separation list over all key frames of a scene (keyframe_scene.h), without exact tests. */
#ifndef TACT_BENCH_KEYFRAME_LIST_H
#define TACT_BENCH_KEYFRAME_LIST_H

#include "keyframe_scene.h"
#include "kinetic/separation_list.h"

/* The list and its table of samples, whose times are numbers of key frames. */
typedef struct keyframe_list_run {
    separation_list *list;
    double *times, *values;
    double (*ranges)[2];
    uint32_t (*items)[4];
    vertex_samples samples;
} keyframe_list_run;

/* Builds the list at the first key frame. False if memory runs out. To be released in either case. */
bool tact_keyframe_list_begin(keyframe_list_run *run, const keyframe_scene *scene);

/* Builds it anew at a key frame. */
bool tact_keyframe_list_rebuild(keyframe_list_run *run, const keyframe_scene *scene, size_t frame);

void tact_keyframe_list_end(keyframe_list_run *run);

#endif
