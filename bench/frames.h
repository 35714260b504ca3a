/*
 * The frames race: bodies with constant linear and angular velocity pass through each other. Engines with discrete
 * detection get the transforms of every frame and report the overlapping pairs. They miss contacts between two frames.
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

/* Plain data, converted for each library before the clock starts. */
typedef struct frames_shape {
    frames_kind kind;
    double radius;          /* sphere */
    tact_vec3 half;         /* box: half extents */
    double bounding_radius; /* about the origin */
    int vertex_count;       /* hull (all extreme), ring */
    tact_vec3 *vertices;    /* hull, ring */
    int face_count;         /* hull, ring: triangles, counter-clockwise seen from outside */
    int (*faces)[3];
    tact_shape *shape; /* the same shape for Tact */
} frames_shape;

enum { FRAMES_HULLS = 8, FRAMES_SHAPES = FRAMES_KINDS - 1 + FRAMES_HULLS };

typedef struct frames_scene {
    int count;
    double end; /* seconds */
    frames_shape shapes[FRAMES_SHAPES];
    int *shape_of;
    tact_transform *transforms; /* at time 0; rigid */
    tact_motion *motions;
} frames_scene;

/* `kinds`: a bit for each kind in the scene. Returns false if memory runs out. */
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

/* Reported pairs, a << 32 | b with a < b, in any order and possibly repeated. */
typedef struct frames_pairs {
    uint64_t *items;
    size_t count, capacity;
    bool failed; /* memory ran out */
} frames_pairs;

void tact_frames_pairs_add(frames_pairs *pairs, int a, int b);

typedef struct frames_runner {
    const char *name;
    bool convex_only;                                  /* cannot handle rings */
    void *(*create)(const frames_scene *s, double hz); /* NULL if memory runs out */
    /* Timed: the next frame, with the transforms of all bodies. Frame 0 is time 0. */
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
