/*
 * The scene of Coming and Staadt 2006, section 5, and the methods that run it: rings of 64 triangles, with random sizes
 * and orientations, fly straight until they touch, then bounce as equal masses without rotation.
 *
 * From the paper: density 1 % (of the volume of the rings, after I-COLLIDE, which it cites), speeds of 0.5 to 1.5 mean
 * radii of the bounding spheres per second, random directions, positions and sizes. Not in the paper: sizes are 0.5 to
 * 1.5 times the mean; the rings may leave the cube; none overlap at the start.
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
    double *bounding_radii; /* per ring */
    tact_vec3 *low, *high;  /* AABB of each ring relative to its origin */
} rings;

/* Returns false if memory runs out. */ bool tact_rings_create(rings *r, int count, double density, uint64_t seed);
void tact_rings_release(rings *r);

/* A reported touch. */
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

/* Number of touches that are in one log only (same pair, same time to 1e-9). Sorts both logs. */
long tact_ring_log_compare(ring_log *one, ring_log *other);

/* The response to a touch, the same for all methods: updates both velocities. Returns false if the rings are not
 * approaching. */
bool tact_rings_bounce(tact_vec3 *velocity_a, tact_vec3 *velocity_b, tact_vec3 normal);

typedef enum ring_method {
    RINGS_ALL_PAIRS,    /* every pair is predicted, and again when one of the two has bounced */
    RINGS_SWEEP,        /* per frame: sweep and prune of swept boxes, then the time of impact of every pair */
    RINGS_TREE,         /* the same with the dynamic tree */
    RINGS_SWEEP_CACHED, /* sweep and prune of swept boxes; the impact of a pair is predicted once, until one of the two
                           bounces */
    RINGS_TREE_CACHED,
    RINGS_KINETIC_SWEEP,      /* tact_world_next_event once per frame, with kinetic sweep and prune */
    RINGS_KINETIC_FAT_BOUNDS, /* the same with fat bounds */
    RINGS_KINETIC_AUTO,       /* the same with the engine that the world chooses */
    RINGS_METHODS
} ring_method;

/* Cost, ns. */
typedef struct ring_cost {
    double begin;                  /* before the first frame: structures and first predictions */
    double run;                    /* all frames */
    double boxes, sorting, impact; /* parts of `run`, if timed; swept methods only */
} ring_cost;

/* Runs the scene from 0 to `end` in frames of 1 / hz. `parts`: also time the parts, at some cost. Returns false if
 * memory runs out or a query fails. */
bool tact_rings_run(const rings *r, ring_method method, double hz, double end, bool parts, ring_log *log,
                    ring_cost *cost);

/* Number of events of a kinetic method, touches included. */
long tact_rings_count_events(const rings *r, ring_method method, double end);

#endif
