/*
 * The race of frames: bodies that fly straight on, tumbling, through each other. Engines that test frame by frame are
 * given where all of them are in each frame, and tell which pairs touch then. Who touches between two frames alone is
 * missed by them.
 */
#ifndef TACT_BENCH_FRAMES_H
#define TACT_BENCH_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/motion.h>
#include <tact/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum frames_kind { FRAMES_SPHERE, FRAMES_BOX, FRAMES_HULL, FRAMES_RING, FRAMES_KINDS } frames_kind;

/* Plain data, which everyone converts before the clock starts. */
typedef struct frames_shape {
    frames_kind kind;
    double radius;          /* sphere */
    tact_vec3 half;         /* box: half extents */
    double bounding_radius; /* no point is farther from the origin */
    int vertex_count;       /* hull: all of them are extreme; ring: vertices */
    tact_vec3 *vertices;    /* hull, ring */
    int face_count;         /* hull, ring: triangles, counter-clockwise seen from outside */
    int (*faces)[3];
    tact_shape *shape; /* the same for us */
} frames_shape;

enum { FRAMES_HULLS = 8, FRAMES_SHAPES = FRAMES_KINDS - 1 + FRAMES_HULLS };

typedef struct frames_scene {
    int count;
    double end; /* seconds */
    frames_shape shapes[FRAMES_SHAPES];
    int *shape_of;
    tact_transform *transforms; /* at 0: turned and shifted, nothing else */
    tact_motion *motions;
} frames_scene;

/* `kinds`: a bit for each kind that takes part. False when memory runs out. */
bool tact_frames_create(frames_scene *s, int count, unsigned kinds, uint64_t seed);
void tact_frames_release(frames_scene *s);

static inline const frames_shape *frames_shape_of(const frames_scene *s, int i) { return &s->shapes[s->shape_of[i]]; }
static inline bool frames_has(const frames_scene *s, frames_kind kind)
{
    bool has = false;
    for (int i = 0; i < s->count; i++)
        has = has || frames_shape_of(s, i)->kind == kind;
    return has;
}

/* Pairs that are told to touch, in any order, one perhaps several times: a << 32 | b with a < b. */
typedef struct frames_pairs {
    uint64_t *items;
    size_t count, capacity;
    bool failed; /* memory ran out */
} frames_pairs;

void tact_frames_pairs_add(frames_pairs *pairs, int a, int b);

typedef struct frames_runner {
    const char *name;
    bool convex_only;                                  /* no rings */
    void *(*create)(const frames_scene *s, double hz); /* NULL when memory runs out */
    /* The next frame, at which they are at `places`: what is timed. Frame 0 is the beginning. */
    void (*play)(void *state, long frame, const tact_transform *transforms, frames_pairs *pairs);
    void (*finish)(void *state);
} frames_runner;

#ifdef TACT_HAVE_BULLET
extern const frames_runner tact_frames_bullet_tree;  /* btDbvtBroadphase */
extern const frames_runner tact_frames_bullet_sweep; /* bt32BitAxisSweep3 */
extern const frames_runner tact_frames_bullet_casts; /* the tree, and each body cast from frame to frame */
#endif
#ifdef TACT_HAVE_ODE
extern const frames_runner tact_frames_ode_hash;  /* dHashSpace */
extern const frames_runner tact_frames_ode_sweep; /* dSweepAndPruneSpace */
#endif

#ifdef __cplusplus
}
#endif

#endif
