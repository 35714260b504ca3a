/*
 * When a triangle whose corners go straight from one place to another meets a convex element of a rigid body that goes
 * along: what a step of deformable bodies (step/step.h) comes down to where an obstacle is round, or has a margin.
 *
 * How the obstacle goes: as the corners do. At the time t it is placed by (1 - t) P0 + t P1, so each of its points goes
 * along a straight line from where P0 puts it to where P1 does. A rotation is a chord, then, and what turns by an angle
 * shrinks on the way, across the axis to s(t) = |(1 - t) e + t R e| of its size, as vertices of a mesh do that move so;
 * its margin shrinks with it to s(t) of itself. Hence what sticks to it, moved by the same map, never meets it.
 *
 * All in real numbers but for rounding; what is told is conservative: see tact_flex_impact.
 */
#ifndef TACT_TOI_DEFORMING_TOI_H
#define TACT_TOI_DEFORMING_TOI_H

#include "complex/traversal.h"
#include "motion/motion.h"

/* Of the size of a pair (how far both reach from the origin of the obstacle, at the most, at either end): a bound of
 * the rounding of any gap computed here. The corner less the origin, moved and multiplied, is off by some 8 u, a placed
 * support point by 20 u, a radius by another 20 u (CONVEX_SIMILARITY_TOLERANCE), so 128 u leave room. */
#define FLEX_ROUNDING 0x1p-46

/* In such roundings: what is no farther apart than this is told as a meeting. */
#define FLEX_TOLERANCE 8.0

/* A leaf of a body on its way. */
typedef struct flex_obstacle {
    instance ends[2];     /* the same leaf, at the beginning and at the end */
    axis_rotation turned; /* by which the body turns in between: the second placement is the first, turned and moved */
} flex_obstacle;

typedef struct flex_triangle {
    tact_vec3 ends[2][3]; /* its corners at the beginning and at the end; any of them may be one */
} flex_triangle;

typedef struct flex_contact {
    bool hit;
    bool touching;    /* a hit at 0, and nothing proves that they are apart there */
    bool stalled;     /* a hit, but told before they are as near as the tolerance: the steps were used up */
    double time;      /* they are apart before, and at that time unless they are touching */
    double distance;  /* of tact_flex_distance: how far apart, 0 if they touch */
    double tolerance; /* a length: of this pair */
    int steps;        /* how often their distance was asked for */
    tact_vec3 normal; /* unit, from the obstacle to the triangle; zero if they are touching */
    tact_vec3 on_obstacle, on_triangle; /* the nearest points, relative to the obstacle's origin at the time */
} flex_contact;

/*
 * The first time at which they meet. Never late: if the two have a point in common at a time T in [0, 1], there is a
 * hit, at a time not after T. Never far: at the time of a hit they are at most `tolerance` apart (unless it is
 * `stalled`: 18 of 67,000 random pairs, most of them made to graze, while turning by radians). What is apart at the
 * beginning by half the tolerance, and stays where it is, is no hit.
 */
void tact_flex_impact(const flex_obstacle *o, uint32_t element, const flex_triangle *triangle, flex_contact *contact);

/* How far apart they are at the beginning, to rounding: no hit, unless they are touching. */
void tact_flex_distance(const flex_obstacle *o, uint32_t element, const flex_triangle *triangle, flex_contact *contact);

/* Where the origin of the leaf is at a time. */
tact_vec3 tact_flex_origin(const flex_obstacle *o, double time);

/* How far the element reaches along the unit vector n from the leaf's origin, at the beginning (0) or the end (1). */
double tact_flex_height(const flex_obstacle *o, uint32_t element, int end, tact_vec3 n);

/* A box around all of its way; `size` gets the greatest coordinate in there (infinite if there is none). */
box tact_flex_box(const flex_obstacle *o, uint32_t element, double *size);

/* Does a turn about the unit vector `axis`, through the origin, leave a convex shape as it is? */
bool tact_flex_is_round(const tact_shape *shape, const tact_transform *at, tact_vec3 axis);

#endif
