/*
 * The scene of the broad-phase benchmarks: unit cubes that fill 5 % of a larger cube, and of which all or some move 5 %
 * of their size a frame, each in its own direction, back from the walls. The same seed gives the same frames, so that
 * contestants who run one after the other see the same bytes.
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
    double *centres; /* 3 a body */
    double *steps;   /* 3 a moving one */
    uint32_t *moved; /* which ones move */
    float *bounds;   /* 6 a body: min, max */
} broad_scene;

/* False when memory runs out. */
bool tact_broad_scene_create(broad_scene *s, int count, int moving, uint64_t seed);
void tact_broad_scene_step(broad_scene *s);
void tact_broad_scene_release(broad_scene *s);

/* All pairs of boxes that have a point in common, (a << 32 | b) with a < b, sorted: by sweeping along x. NULL when
 * memory runs out; to be freed. */
uint64_t *tact_broad_scene_pairs(const broad_scene *s, long *count);

typedef struct broad_runner {
    const char *name;
    int max_bodies; /* bodies that it can be asked to handle in reasonable time */
    /* Ready for the boxes as they are, their pairs found. NULL when memory runs out. */
    void *(*create)(const broad_scene *s);
    /* Gives the moved ones their new boxes and finds the pairs: what is timed. */
    void (*update)(void *state, const broad_scene *s);
    /* All pairs, as above but in any order, to be freed. */
    uint64_t *(*pairs)(void *state, const broad_scene *s, long *count);
    void (*finish)(void *state);
} broad_runner;

extern const broad_runner tact_broad_tact;
#ifdef TACT_HAVE_BULLET
extern const broad_runner tact_broad_bullet_dbvt;
extern const broad_runner tact_broad_bullet_sap;
#endif

/* Runs one over the scene that the numbers give: ns a frame, the mean over all frames (for contestants do much of their
 * work in some of them), and how many pairs it has too many or too few in the end. Negative when memory runs out.
 * `pairs` gets how many there are. */
double tact_broad_run(const broad_runner *r, int count, int moving, int frames, uint64_t seed, long *wrong,
                      long *pairs);

/* Two boxes of the scene. */
static inline bool broad_scene_overlap(const float *a, const float *b)
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

#ifdef __cplusplus
}
#endif

#endif
