/*
 * A small simulator of cloth, as a user of Tact would write one: particles, springs that pull their ends to a length
 * (position-based, after Mueller et al., "Position based dynamics", 2007), gravity. It says where the particles want
 * to go; Tact sees to it that nothing meets on the way.
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
    double stiffness; /* 0 to 1: how much of what is missing is made up for in a pass */
} spring;

/* A piece of cloth, or a body whose particles are all told where to be. */
typedef struct piece {
    tact_body body;
    size_t count; /* of particles */
    tact_vec3 *now, *goal, *velocity;
    double *inverse; /* of masses; 0: held */
    tact_vec3 *home; /* of held ones: what tells where they are to be (see `lead`); NULL: they stay */
    uint32_t *corners;
    size_t triangle_count;
    spring *springs;
    size_t spring_count;
} piece;

/* What stands or moves by itself: a mesh with a motion. */
typedef struct obstacle {
    tact_body body;
    tact_vec3 *points; /* in its own coordinates */
    size_t count;
    uint32_t *corners;
    size_t triangle_count;
} obstacle;

#define CLOTH_MOST 16 /* pieces, and obstacles */

typedef struct simulation {
    tact_world *world;
    piece pieces[CLOTH_MOST];
    obstacle obstacles[CLOTH_MOST];
    int piece_count, obstacle_count;
    double time, gravity, drag; /* drag: of its velocity a particle loses so much in a unit of time */
    int passes;                 /* over the springs */
    tact_step_def step;         /* duration: of a step */
    tact_vec3 (*lead)(tact_vec3 home, double time); /* where a held particle is at a time; NULL: they stay */
    bool failed;                                    /* memory ran out while the scene was made */
} simulation;

simulation *simulation_create(const tact_world_def *def);
void simulation_release(simulation *sim); /* NULL is allowed */

/* A piece with its particles at `places`, which are copied, as the corners are; a spring for each edge of a triangle,
 * with their present length, and across each edge between two triangles a weak one, against bending. Its number, or
 * -1. */
int simulation_add_piece(simulation *sim, const tact_vec3 *places, size_t count, const uint32_t *corners,
                         size_t triangle_count);

/* An obstacle. Its number, or -1. */
int simulation_add_obstacle(simulation *sim, const tact_vec3 *points, size_t count, const uint32_t *corners,
                            size_t triangle_count, tact_transform place, tact_motion motion);

/* Takes a step: the three that follow. */
tact_step_result simulation_step(simulation *sim);

tact_status simulation_aim(simulation *sim);                    /* where the particles want to go: gravity, springs */
tact_step_result simulation_resolve(simulation *sim);           /* what Tact makes of that */
void simulation_settle(simulation *sim, tact_step_result done); /* velocities and places after that */

/* How many pairs of triangles of the whole scene meet, exactly: none, after any step. SIZE_MAX if that cannot be told.
 * */
size_t simulation_intersections(const simulation *sim);

/* Triangles of the whole scene. */
size_t simulation_triangles(const simulation *sim);

#endif
