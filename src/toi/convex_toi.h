/*
 * When two convex elements of larger bodies meet, on a leg of the bodies' way: what the time of impact of meshes, soups
 * and compounds comes down to.
 */
#ifndef TACT_TOI_CONVEX_TOI_H
#define TACT_TOI_CONVEX_TOI_H

#include <tact/query.h>

#include "shape/convex.h"

/* A leg of the way of two bodies, seen from the first. It begins at its time 0. */
typedef struct leg {
    tact_transform place;  /* of the first at time 0 */
    tact_motion motion[2]; /* of both, with the velocities of time 0 */
    tact_vec3 offset;      /* of the second's origin from the first's, at time 0 */
    double noise;          /* a length: by how much rounding may have misplaced the elements already */
    double tolerance;      /* a length, greater than 0 */
    double end;            /* a time, not negative */
    double band;           /* see `touching`; 0: none */
    double deep;           /* a depth at which elements count as in touch, besides the tolerance */
    bool late;             /* see `settled` */
    const tact_allocator *allocator;
} leg;

/* The first time up to `end` at which two elements meet that are apart at the begin. They are as at time 0, each
 * relative to the origin of its body, about which it spins. The promises of tact_shapes_time_of_impact hold; elements
 * that are within the tolerance already are a hit at 0. */
tact_toi tact_convex_meet(const leg *l, const convex *a, const convex *b);

/* The first time at which two elements, in touch or not, are about to press deeper into each other than the tolerance,
 * or to pass through each other (flat ones have no depth). Touch alone is no hit. `first`: nobody knows from which side
 * they came into touch at the begin. */
tact_toi tact_convex_press(const leg *l, const convex *a, const convex *b, bool first);

/* What is known of two that have touched each other. */
typedef struct touching {
    tact_vec3 normal; /* a unit vector from A to B along which they touch at 0, or are apart; or any, or zero. If they
                         part along it, or are apart, there is no need to find out how they are to each other */
    bool settled; /* they are in touch at 0, and that is no hit, whether they close or not; nor is it one before they
                     have pressed deeper by the band, and up to half of it more */
    double band; /* a length: they are in touch while they are no farther apart, nor deeper in each other; not below the
                    tolerance */
    double deep; /* a depth at which they are in touch all the same, besides the band; negative, or if they are less
                    deep at 0: that, and here it is then */
    double shallow; /* but no deeper than this */
    bool parted;    /* an answer: they are farther apart than the band at 0 */
    bool lost;      /* likewise: deeper in each other than what is shallow */
} touching;

/* As tact_shapes_time_of_impact_with, of two of which this is known; NULL: nothing. */
tact_toi tact_touching_impact(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                              const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                              const tact_toi_def *def, touching *known);

/* Does a rotation about the unit vector k, through the origin, map the core onto itself, up to rounding? Of points: no.
 */
bool tact_convex_is_round(const convex *c, tact_vec3 k);

#endif
