/* The queries of tact/query.h where at least one of the shapes is a half-space. Arguments are as there, not yet
 * checked. */
#ifndef TACT_COMPLEX_HALFSPACE_QUERY_H
#define TACT_COMPLEX_HALFSPACE_QUERY_H

#include <tact/query.h>

#include "shape/halfspace.h"

/* The separation of a half-space and another shape along the normal of the half-space. */
typedef struct halfspace_separation {
    halfspace_plane plane;
    double distance; /* signed: negative when they overlap; -INFINITY: two half-spaces with an unbounded intersection */
    tact_vec3 point; /* the lowest point of the other shape, on its surface */
    tact_part part;  /* of the other shape at the point */
} halfspace_separation;

/* Which of two shapes is treated as the half-space, A or B. Of two half-spaces the order of their numbers decides, so
 * that swapping A and B mirrors the answer bit for bit. */
bool tact_halfspace_is_second(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                              const tact_transform *transform_b);

/* Shape `first` is a half-space, the other one is anything but empty. TACT_BAD_ARGUMENT: a shape or transform cannot be
 * used. */
tact_status tact_halfspace_separation_of(const tact_shape *first, const tact_transform *transform_first,
                                         const tact_shape *other, const tact_transform *transform_other,
                                         halfspace_separation *s);

tact_distance tact_halfspace_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, const tact_distance_def *def);

tact_overlap tact_halfspace_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, double distance, tact_cache *cache);

tact_common_point tact_halfspace_common_point(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b,
                                              tact_cache *cache);

tact_penetration tact_halfspace_penetration(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                            const tact_transform *transform_b);

/* The normal is known: that of the half-space. `normal` and `point` are ignored. */
tact_manifold tact_halfspace_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                      tact_vec3 point);

tact_contacts tact_halfspace_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, double max_separation,
                                      tact_contact_point *points, size_t capacity);

/* A miss, or TACT_BAD_ARGUMENT: the plane is not divided into facets. */
tact_intersections tact_halfspace_intersections(const tact_shape *a, const tact_transform *transform_a,
                                                const tact_shape *b, const tact_transform *transform_b,
                                                tact_intersection *segments, size_t capacity);

tact_ray_hit tact_halfspace_ray(const tact_shape *shape, const tact_transform *transform, tact_vec3 from,
                                tact_vec3 direction, double max);

tact_closest tact_halfspace_closest(const tact_shape *shape, const tact_transform *transform, tact_vec3 from);

tact_overlap tact_halfspace_contains(const tact_shape *shape, const tact_transform *transform, tact_vec3 point);

#endif
