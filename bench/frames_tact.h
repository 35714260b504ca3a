/* Tact in the race of frames, and all that truly happens there. */
#ifndef TACT_BENCH_FRAMES_TACT_H
#define TACT_BENCH_FRAMES_TACT_H

#include "frames.h"

extern const frames_runner
    tact_frames_continuous; /* tact_world_next_event: tells each touch once, in the frame after it */
extern const frames_runner tact_frames_discrete; /* tact_world_test */

typedef struct frames_touch {
    uint64_t pair; /* as in frames_pairs */
    double time;
    bool found;
} frames_touch;

/* Every touch of the scene, by pair and then by time; to be freed. False when memory runs out. */
bool tact_frames_touches(const frames_scene *s, frames_touch **touches, size_t *count);

#endif
