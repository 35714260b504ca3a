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
    double band;           /* see toi_input; 0: none */
    double deep;           /* a depth at which elements count as in touch, besides the tolerance */
    bool late;             /* see ignore_initial_contact in toi.h */
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

/* Does a rotation about the unit vector k, through the origin, map the core onto itself, up to rounding? Of points: no.
 */
bool tact_convex_is_round(const convex *c, tact_vec3 k);

#endif
