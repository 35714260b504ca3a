/* Tact in the frames race, and the true touches of a scene. */
#ifndef TACT_BENCH_FRAMES_TACT_H
#define TACT_BENCH_FRAMES_TACT_H

#include "frames.h"

extern const frames_runner
    tact_frames_continuous; /* tact_world_next_event: reports each touch once, in the frame after it */
extern const frames_runner tact_frames_discrete; /* tact_world_test */

typedef struct frames_touch {
    uint64_t pair; /* as in frames_pairs */
    double time;
    bool found;
} frames_touch;

/* All touches of the scene, sorted by pair and time; the caller frees them. Returns false if memory runs out. */
bool tact_frames_touches(const frames_scene *s, frames_touch **touches, size_t *count);

#endif
