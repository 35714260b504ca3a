/*
 * Key-framed meshes for `tact-bench weller-zachmann-2006`: the three scenes of Weller and Zachmann 2006, section 7,
 * made by code, of any size. Vertices move linearly between key frames, of which there are 25 per second.
 *
 * Coordinates are multiples of a grid, 1000 x 2^-40 m. So the positions of in-between frames are exact if the number
 * of frames of an interval divides 1000: an interval and its frames are one motion, bit for bit, and all engines must
 * find the same contacts.
 */
#ifndef TACT_BENCH_KEYFRAME_SCENE_H
#define TACT_BENCH_KEYFRAME_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/vec.h>

typedef struct keyframe_scene {
    const char *name;
    size_t vertex_count, triangle_count, frame_count;
    uint32_t (*triangles)[3];
    tact_vec3 *positions; /* of all vertices, key frame by key frame */
} keyframe_scene;

static inline const tact_vec3 *keyframe_positions(const keyframe_scene *scene, size_t frame)
{
    return scene->positions + frame * scene->vertex_count;
}

/* These return false if memory runs out, and the scene is empty. */

/* A square cloth of 2 x cells x cells triangles falls on a table (simulated, with contacts): at rest on top, moving at
 * the sides. */
bool tact_keyframe_tablecloth(keyframe_scene *scene, int cells, int frames);

/* A hanging cloth of 2 x cells x cells triangles, whose upper edge spins to and fro (simulated, without contacts): it
 * curls up and passes through itself. The motion is the same from 32 cells on. */
bool tact_keyframe_swirl(keyframe_scene *scene, int cells, int frames);

/* A figure with a shirt, divided into about that many triangles. `data`: the folder animations/kick of the shared
 * data, a kicking figure; if NULL or unreadable, a walking figure from formulas. The shirt is an offset copy of the
 * trunk and the upper arms, with waves. */
bool tact_keyframe_figure(keyframe_scene *scene, size_t triangles, int frames, const char *data);

void tact_keyframe_scene_release(keyframe_scene *scene);

/* Allocates the arrays, uninitialised. */
bool tact_keyframe_scene_allocate(keyframe_scene *scene, size_t vertices, size_t triangles, size_t frames);

/* Rounds all positions to the grid. */
void tact_keyframe_scene_round(keyframe_scene *scene);

/* Frame k of `steps`, which divides 1000, in an interval from one key frame to the next. Exact. */
void tact_keyframe_between(const keyframe_scene *scene, size_t interval, int k, int steps, tact_vec3 *positions);

#endif
