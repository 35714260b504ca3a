/*
 * The scene of Coming and Staadt 2006 (Coming and Staadt, 2006, section 5), and who plays it: rings of 64 triangles, of
 * random sizes, turned at random, flying straight on until they meet, when they bounce as equal masses that do not
 * turn.
 *
 * As the paper says: density 1 % (of the volume of the rings; after I-COLLIDE, which it refers to), speeds of 0.5
 * to 1.5 mean radii of the bounding spheres a second, random directions, places and sizes. Where it is silent: sizes
 * are 0.5 to 1.5 of the mean; the space is a cube that the rings may leave; none touch at the beginning.
 */
#ifndef TACT_BENCH_RINGS_H
#define TACT_BENCH_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/motion.h>
#include <tact/shape.h>

typedef struct rings {
    int count;
    double side;   /* of the space */
    double radius; /* mean, of the bounding spheres */
    tact_shape *shape;
    tact_transform *transforms;
    tact_vec3 *velocities;
    double *bounding_radii; /* of each: radius of its bounding sphere */
    tact_vec3 *low, *high;  /* of each: its box, about its origin */
} rings;

/* False when memory runs out. */
bool tact_rings_create(rings *r, int count, double density, uint64_t seed);
void tact_rings_release(rings *r);

/* What has happened. */
typedef struct ring_touch {
    double time;
    int a, b; /* a < b */
} ring_touch;

typedef struct ring_log {
    ring_touch *items;
    size_t count, capacity;
    bool failed; /* memory ran out */
} ring_log;

void tact_ring_log_add(ring_log *log, ring_touch touch);
void tact_ring_log_release(ring_log *log);

/* Touches of one that the other has not, with the same two and the same time to 1e-9: both are sorted for it. */
long tact_ring_log_compare(ring_log *one, ring_log *other);

/* What they do: the velocities after a touch, the same in all ways. False: they do not close. */
bool tact_rings_bounce(tact_vec3 *velocity_a, tact_vec3 *velocity_b, tact_vec3 normal);

typedef enum ring_method {
    RINGS_ALL_PAIRS,    /* every pair is foreseen, and anew when one of the two has bounced */
    RINGS_SWEEP,        /* each frame, boxes swept over it: sweep and prune; the impact of every pair in the frame */
    RINGS_TREE,         /* the same with the dynamic tree */
    RINGS_SWEEP_CACHED, /* the same as the one before it; the impact of a pair is foreseen once, until one of the two
                           bounces */
    RINGS_TREE_CACHED,
    RINGS_KINETIC_SWEEP,      /* tact_world_next_event, asked once a frame, with kinetic sorted lists */
    RINGS_KINETIC_FAT_BOUNDS, /* the same with shells */
    RINGS_KINETIC_AUTO,       /* the same as the world chooses by itself */
    RINGS_METHODS
} ring_method;

extern const char *const tact_ring_method_names[RINGS_METHODS];

/* What it took, ns. */
typedef struct ring_cost {
    double begin;                  /* before the first frame: structures, and what is foreseen then */
    double run;                    /* the frames */
    double boxes, sorting, impact; /* of these, if parts are timed: of the swept ways */
    double tests;                  /* how many impacts were asked for; of the kinetic way not known */
    double pairs;                  /* swept ways: of boxes, mean over the frames */
} ring_cost;

/* Plays the scene from 0 to `end` in frames of 1 / hz. `parts`: time them, which costs some time itself. False when
 * memory runs out, or a query fails. */
bool tact_rings_run(const rings *r, ring_method way, double hz, double end, bool parts, ring_log *log, ring_cost *cost);

/* How many events, touches among them, a kinetic way works off. */
long tact_rings_count_events(const rings *r, ring_method way, double end);

#endif
