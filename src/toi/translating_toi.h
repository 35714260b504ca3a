/* Time of impact of meshes, soups and compounds that do not turn: see slide.c. */
#ifndef TACT_TOI_TRANSLATING_TOI_H
#define TACT_TOI_TRANSLATING_TOI_H

#include "complex/traversal.h"

/* Two bodies on their way, seen from the origin of the first. */
typedef struct slide {
    const instance *body[2]; /* at time 0, their origins at 0; at least one is not convex, none is empty */
    tact_vec3 offset, velocity, acceleration; /* of the second's origin from the first's */
    double reach;                             /* of both from their origins, margins included */
    double size;                              /* of the smaller one that has one */
    double tolerance;                         /* a length */
    double end;                               /* a time, not negative */
    const tact_allocator *allocator;
} slide;

/* Their first contact up to the end, as tact_shapes_time_of_impact promises it; the point is relative to the origin of
 * the first. False: it is not for this way to say, as they press on each other at the start already, or something
 * failed. */
bool tact_translating_toi(const slide *s, tact_toi *out);

#endif
