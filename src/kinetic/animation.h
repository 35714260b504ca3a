/* Key frames (tact/animation.h), and the times at which a playing animation reaches them. */
#ifndef TACT_KINETIC_ANIMATION_H
#define TACT_KINETIC_ANIMATION_H

#include <stdatomic.h>
#include <tact/animation.h>

#include "motion/linear_path.h"

struct tact_animation {
    tact_vertices vertices; /* the first key frame: the copy, or the caller's array */
    size_t frame_count, frame_stride;
    double *times;
    unsigned char *copy; /* NULL: borrowed */
    size_t copy_size;    /* bytes */
    tact_allocator allocator;
    atomic_uint_fast32_t references;
};

/* The position of a vertex at a key frame. */
tact_vec3 tact_animation_vertex(const tact_animation *animation, size_t frame, size_t vertex);

/* An animation that plays. */
typedef struct playback {
    tact_animation *animation; /* a reference */
    double start;              /* time of the world at which it began */
    double offset, speed;      /* as in tact_play_def; the speed is positive */
    bool loop;
} playback;

/* A piece of a playing animation: from key frame `from` to key frame `to`, which are equal after the last one. */
typedef struct playback_piece {
    size_t from, to;
    double begin, end; /* times of the world; end is INFINITY after the last key frame */
} playback_piece;

/* The piece at a time, not before the start; at the time of a key frame, the piece that begins there. O(log n) in the
 * number of key frames. */
playback_piece tact_playback_piece_at(const playback *p, double time);

/* The piece that held just before `time`, given the one at it: at the start of a repetition, the last piece. */
playback_piece tact_playback_piece_before(const playback *p, const playback_piece *piece, double time);

/* Whether all key frames of the first run are at different times of the world, and the numbers are valid. */
bool tact_playback_valid(const playback *p);

/* Whether it is, has begun at `time`, and has been repeated so often at most that repetitions can be counted: for saved
 * worlds. */
bool tact_playback_valid_at(const playback *p, double time);

/* The path of a vertex on a piece. */
linear_path tact_playback_path(const playback *p, const playback_piece *piece, uint32_t vertex);

#endif
