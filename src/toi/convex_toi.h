/*
 * First contact of two convex primitives of larger bodies, on an interval of the bodies' motion: what the time of
 * impact of meshes, soups and compounds comes down to.
 */
#ifndef TACT_TOI_CONVEX_TOI_H
#define TACT_TOI_CONVEX_TOI_H

#include "shape/convex.h"
#include "shape/support.h"
#include "toi/toi_frame.h"

/* The frame is that of an interval of the bodies' motion. Of its members body[] is ignored; rounding.bodies is
 * what the positions of the primitives may be off already. The primitives are those of the interval's begin, each
 * relative to the origin of its body, about which it spins. Normals of the answer are from `a` to `b`. */

/* The first time at which two primitives meet that are apart at the begin, with the guarantees of
 * tact_shapes_time_of_impact. Primitives within the tolerance at the begin are a hit at 0. */
tact_toi tact_convex_first_contact(const toi_frame *interval, const convex *a, const convex *b);

/* The first time at which two primitives, in contact or not, are about to penetrate deeper than the band and the
 * allowed depth, or to pass through each other (flat ones have no depth). Contact alone is no hit. `first_interval`: it
 * is not known from which side they came into a contact at the begin. */
tact_toi tact_convex_first_penetration(const toi_frame *interval, const convex *a, const convex *b,
                                       bool first_interval);

/* Whether a rotation about the unit vector k through the origin maps the core onto itself, up to rounding. False for
 * cores of points. */
bool tact_convex_is_symmetric_about(const convex *c, tact_vec3 k);

/* A bound on the distance of the core's points from the axis through the origin with the unit vector k. */
double tact_convex_arm_about(const convex *c, tact_vec3 k);

/* The support value of the core along n, from the origin. */
static inline double convex_support_along(const convex *c, tact_vec3 n)
{
    uint64_t feature;
    return vec_dot(n, vec_add(convex_support(c, n, &feature), c->transform.origin));
}

#endif
