/*
 * The scene of the broad-phase benchmarks: unit cubes that fill 5 % of a larger cube. All or some of them move 5 % of
 * their size per frame, each in its own direction, and are reflected at the walls. The same seed gives the same frames,
 * so libraries that run one after the other get the same input.
 */
#ifndef TACT_BENCH_BROAD_SCENE_H
#define TACT_BENCH_BROAD_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct broad_scene {
    int count, moving;
    double side;     /* of the space */
    double *centres; /* 3 per body */
    double *steps;   /* displacement per frame, 3 per moving body */
    uint32_t *moved; /* the moving bodies */
    float *bounds;   /* 6 per body: min, max */
} broad_scene;

/* Returns false if memory runs out. */
bool tact_broad_scene_create(broad_scene *s, int count, int moving, uint64_t seed);
void tact_broad_scene_step(broad_scene *s);
void tact_broad_scene_release(broad_scene *s);

/* Returns all pairs of overlapping boxes, a << 32 | b with a < b, sorted, found by a sweep along x. The caller frees
 * it. NULL if memory runs out. */
uint64_t *tact_broad_scene_pairs(const broad_scene *s, long *count);

typedef struct broad_runner {
    const char *name;
    int max_bodies; /* limit for a reasonable run time */
    /* Inserts all boxes and finds their pairs. NULL if memory runs out. */
    void *(*create)(const broad_scene *s);
    /* Timed: updates the boxes of the moving bodies and finds the pairs. */
    void (*update)(void *state, const broad_scene *s);
    /* All pairs as above, in any order. The caller frees them. */
    uint64_t *(*pairs)(void *state, const broad_scene *s, long *count);
    void (*finish)(void *state);
} broad_runner;

extern const broad_runner tact_broad_tact;
#ifdef TACT_HAVE_BULLET
extern const broad_runner tact_broad_bullet_dbvt;
extern const broad_runner tact_broad_bullet_sap;
#endif

/* Runs a broad phase over a scene. Returns ns per frame, the mean over all frames (some engines do much of their work
 * in few frames), or a negative number if memory runs out. `wrong` receives the number of missing and extra pairs at
 * the end, `pairs` the number of pairs. */
double tact_broad_run(const broad_runner *r, int count, int moving, int frames, uint64_t seed, long *wrong,
                      long *pairs);

/* Do two boxes of the scene overlap? */
static inline bool broad_scene_overlap(const float *a, const float *b)
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

#ifdef __cplusplus
}
#endif

#endif
