/* Time of impact, depth and contact points where at least one of the shapes is a mesh, soup or compound. Arguments are
 * as in query.h, not yet checked. */
#ifndef TACT_COMPLEX_COMPLEX_CONTACT_H
#define TACT_COMPLEX_COMPLEX_CONTACT_H

#include "complex/complex_query.h"
#include "shape/convex.h"

/* Places both (an array of two) and puts them into one order. */
tact_status tact_instance_pair(struct instance *both, const tact_shape *a, const tact_transform *transform_a,
                               const tact_shape *b, const tact_transform *transform_b, bool *swapped);

/* A box around a placed shape that is not empty, margin included: not tight, but in no time. */
tact_status tact_instance_bounds(const struct instance *p, tact_bounds *bounds);

tact_penetration tact_complex_depth(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b);

/* How far two are apart along the unit vector n, as if they were convex: never more than they are. -INFINITY: that is
 * not seen soon. */
double tact_instance_separation_along(const struct instance *a, const struct instance *b, tact_vec3 n);

/* The points of the manifold of two convex shapes along the normal of `d`, which is their depth along that normal and
 * need not be their least. Fills in all of `out` but the status. */
void tact_manifold_lay(const convex *a, const convex *b, const tact_penetration *d, double reach, tact_manifold *out);

/* tact_shapes_manifold of two that touch along a unit vector from A to B, and where; zero: it is not known. */
tact_manifold tact_touch_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, double reach, tact_vec3 normal, tact_vec3 point);

tact_manifold tact_complex_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double reach);

#endif
