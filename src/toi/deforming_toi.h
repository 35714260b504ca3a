/*
 * Time of impact of a deforming triangle and a convex primitive of a moving rigid body. A step of deformable bodies
 * (step/step.h) uses it where an obstacle is curved or has a margin.
 *
 * Motion. The vertices of the triangle move along straight lines in the time [0, 1]. So do the points of the obstacle:
 * at time t its transform is (1 - t) P0 + t P1. A rotation becomes a chord: across the axis the obstacle shrinks to
 * s(t) = |(1 - t) e + t R e| of its size, as a mesh with moving vertices does, and its margin shrinks with it. So
 * vertices that are moved by the same map as the obstacle never meet it.
 *
 * Points and normals are relative to the obstacle's origin at the time of the answer.
 */
#ifndef TACT_TOI_DEFORMING_TOI_H
#define TACT_TOI_DEFORMING_TOI_H

#include "complex/traversal.h"
#include "motion/motion.h"
#include "toi/toi_constants.h"

/* A leaf of a rigid body in motion. */
typedef struct moving_obstacle {
    instance ends[2];       /* the leaf at time 0 and time 1 */
    axis_rotation rotation; /* of the body from time 0 to time 1; the rest of the second transform is translation */
} moving_obstacle;

typedef struct moving_triangle {
    tact_vec3 ends[2][3]; /* the vertices at time 0 and time 1; vertices may coincide */
} moving_triangle;

typedef struct deforming_contact {
    bool hit;
    bool touching;    /* a hit at 0, and no direction proves that they are apart there */
    bool stalled;     /* a hit farther apart than the tolerance: TOI_DEFORMING_MAX_STEPS was reached */
    double time;      /* they are apart before it, and at it unless they are touching */
    double distance;  /* tact_deforming_distance only; 0 if they touch */
    double tolerance; /* length: of this pair */
    int steps;        /* distance computations */
    tact_vec3 normal; /* unit, from the obstacle to the triangle; zero if they are touching */
    tact_vec3 on_obstacle, on_triangle; /* the closest points */
} deforming_contact;

/*
 * The first time of contact. Never late: if the two have a common point at a time T in [0, 1], there is a hit at a time
 * not after T. Never far: at the time of a hit they are at most `tolerance` apart, unless it is `stalled` (18 of 67,000
 * random pairs, most of them grazing while turning by radians). A pair that starts half the tolerance apart and does
 * not move is no hit.
 */
void tact_deforming_toi(const moving_obstacle *o, uint32_t element, const moving_triangle *triangle,
                        deforming_contact *contact);

/* The distance at time 0, to rounding. A hit only if they are touching. */
void tact_deforming_distance(const moving_obstacle *o, uint32_t element, const moving_triangle *triangle,
                             deforming_contact *contact);

/* The origin of the leaf at a time. */
tact_vec3 tact_moving_obstacle_origin(const moving_obstacle *o, double time);

/* The support value of the primitive along the unit vector n, from the leaf's origin, margin included, at time 0 or 1
 * (`end`). */
double tact_moving_obstacle_support(const moving_obstacle *o, uint32_t element, int end, tact_vec3 n);

/* A bounding box of the primitive over the whole motion. `size` gets the largest coordinate in it; infinite where
 * coordinates overflow. */
box tact_moving_obstacle_box(const moving_obstacle *o, uint32_t element, double *size);

/* Whether a rotation about the unit vector `axis`, through the origin of the transform, maps a convex shape onto
 * itself, to rounding. */
bool tact_shape_is_symmetric_about(const tact_shape *shape, const tact_transform *at, tact_vec3 axis);

#endif
