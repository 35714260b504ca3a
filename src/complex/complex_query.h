/* The queries of tact/query.h where at least one of the shapes is a mesh, soup or compound. Arguments are as there,
 * not yet checked. */
#ifndef TACT_COMPLEX_COMPLEX_QUERY_H
#define TACT_COMPLEX_COMPLEX_QUERY_H

#include <tact/query.h>

#include "shape/shape_data.h"

tact_distance tact_complex_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, const tact_distance_def *def);

tact_overlap tact_complex_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                 const tact_transform *transform_b, double distance);

tact_common_point tact_complex_common_point(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                            const tact_transform *transform_b);

/* A common point of two triangles of a mesh that intersect in local coordinates. It is not on a vertex or edge that
 * they share, if they intersect beyond these (exact/self_intersection.h). The lower face is part A. */
tact_common_point tact_complex_self_common_point(const tact_shape *shape, const tact_transform *at,
                                                 const uint32_t triangles[2]);

tact_closest tact_complex_closest(const tact_shape *shape, const tact_transform *at, tact_vec3 from);

tact_overlap tact_complex_contains_point(const tact_shape *shape, const tact_transform *at, tact_vec3 point);

tact_ray_hit tact_complex_ray(const tact_shape *shape, const tact_transform *at, tact_vec3 from, tact_vec3 direction,
                              double max);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

struct instance;

/* Whether a point is inside or on a solid mesh, its margin left out. Exact. */
bool tact_solid_holds(const struct instance *solid, tact_vec3 point);

/* Whether one of two instances, whose primitives do not touch, has a component inside a solid of the other; then a
 * common point. */
bool tact_complex_inside(const struct instance *a, const struct instance *b, tact_common_point *common);

#endif
