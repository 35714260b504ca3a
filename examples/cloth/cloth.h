/*
 * A small cloth simulator, as a user of Tact would write one: particles, distance constraints (position-based dynamics,
 * Mueller et al. 2007) and gravity. It computes target positions; Tact makes the step free of collisions.
 */
#ifndef CLOTH_H
#define CLOTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/step.h>
#include <tact/world.h>

typedef struct spring {
    uint32_t ends[2];
    double length;
    double stiffness; /* 0 to 1: share of the error corrected per solver iteration */
} spring;

/* A cloth, or a body with driven particles only. */
typedef struct cloth {
    tact_body body;
    size_t count; /* of particles */
    tact_vec3 *position, *target, *velocity;
    double *inverse_mass; /* per particle; 0: driven or fixed */
    tact_vec3 *anchor;    /* parameter of `driver` for driven particles; NULL: they are fixed */
    uint32_t *indices;
    size_t triangle_count;
    spring *springs;
    size_t spring_count;
} cloth;

/* A static or kinematic mesh. */
typedef struct obstacle {
    tact_body body;
    tact_vec3 *points; /* local coordinates */
    size_t count;
    uint32_t *indices;
    size_t triangle_count;
} obstacle;

#define CLOTH_MAX 16 /* cloths, and obstacles */

typedef struct simulation {
    tact_world *world;
    cloth cloths[CLOTH_MAX];
    obstacle obstacles[CLOTH_MAX];
    int cloth_count, obstacle_count;
    double time, gravity, drag;                         /* drag: rate of velocity damping, 1/s */
    int solver_iterations;                              /* over the springs */
    tact_step_def step;                                 /* with the duration of a step */
    tact_vec3 (*driver)(tact_vec3 anchor, double time); /* position of a driven particle at a time; NULL: fixed */
    bool failed;                                        /* out of memory while creating the scene */
} simulation;

simulation *simulation_create(const tact_world_def *def);
void simulation_release(simulation *sim); /* NULL is allowed */

/* Adds a cloth; positions and indices are copied. Each edge gets a spring of its current length, and each pair of
 * adjacent triangles a weak spring between the opposite vertices, against bending. Returns its index, or -1. */
int simulation_add_cloth(simulation *sim, const tact_vec3 *positions, size_t count, const uint32_t *indices,
                         size_t triangle_count);

/* Adds an obstacle. Returns its index, or -1. */
int simulation_add_obstacle(simulation *sim, const tact_vec3 *points, size_t count, const uint32_t *indices,
                            size_t triangle_count, tact_transform transform, tact_motion motion);

/* Takes a step: the three functions below. */
tact_step_result simulation_step(simulation *sim);

tact_status simulation_predict(simulation *sim);                     /* target positions: gravity, springs */
tact_step_result simulation_resolve(simulation *sim);                /* Tact resolves collisions */
void simulation_finish_step(simulation *sim, tact_step_result done); /* updates velocities and positions */

/* Exact number of intersecting pairs of triangles of the whole scene: 0 after every step. SIZE_MAX on failure. */
size_t simulation_intersections(const simulation *sim);

/* Number of triangles of the whole scene. */
size_t simulation_triangles(const simulation *sim);

#endif
