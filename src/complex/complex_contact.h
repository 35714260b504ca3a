/* Penetration depth, contact points and intersection segments where at least one of the shapes is a mesh, soup or
 * compound. Arguments are as in tact/query.h, not yet checked. */
#ifndef TACT_COMPLEX_COMPLEX_CONTACT_H
#define TACT_COMPLEX_COMPLEX_CONTACT_H

#include "complex/complex_query.h"
#include "shape/convex.h"

/* A box around an instance that is not empty, margin included: not tight, but in constant time. */
tact_status tact_instance_bounds(const struct instance *p, tact_bounds *bounds);

/* The translating casts that a penetration depth is found with. Casts are times of impact, which is a room below this
 * one (toi/translating_cast.h), so the caller brings them. In both B moves by `path` in time 1. */
typedef struct complex_casts {
    /* The first time at which two convex shapes come within `tolerance`. `offset` leads from A's origin to B's at the
     * start. */
    tact_toi (*convex)(const convex *a, const convex *b, tact_vec3 offset, tact_vec3 path, double tolerance,
                       const tact_allocator *allocator);
    /* The first time at which primitives of A and B come within `tolerance`. None of them touch at the start, but one
     * shape may be inside the other. */
    tact_toi (*surfaces)(const struct instance *a, const struct instance *b, tact_vec3 path, double tolerance);
} complex_casts;

tact_penetration tact_complex_penetration(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                          const tact_transform *transform_b, const complex_casts *casts);

/* The separation of two instances along the unit vector n, as if they were convex: never more than their separation.
 * -INFINITY: it cannot be found in a few steps. */
double tact_instance_separation_along(const struct instance *a, const struct instance *b, tact_vec3 n);

/* `normal`: a unit vector from A to B along which the shapes touch; zero: unknown. The manifold is that of this normal,
 * if they have a contact along it; their depth is then not computed. */
tact_manifold tact_complex_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                    const complex_casts *casts);

tact_contacts tact_complex_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double max_separation,
                                    tact_contact_point *points, size_t capacity, const complex_casts *casts);

/* Of any two shapes, convex ones too. */
tact_intersections tact_complex_intersections(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b,
                                              tact_intersection *segments, size_t capacity);

/* The segments of all pairs of triangles of a mesh that intersect each other beyond shared vertices and edges
 * (exact/self_intersection.h). Each pair of faces occurs once: the lower face is part A. The pairs are those in local
 * coordinates; ends are then transformed. Result and capacity are as for tact_shapes_intersections. */
tact_intersections tact_complex_self_intersections(const tact_shape *shape, const tact_transform *at,
                                                   tact_intersection *segments, size_t capacity);

#endif
