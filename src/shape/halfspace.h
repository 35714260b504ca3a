/*
 * The plane of a transformed half-space. Under the transform x -> M x + o the half-space n . x <= d becomes
 * N . (x - o) <= D, with N = M^-t n / |M^-t n| and D = d / |M^-t n|, for every M that is not singular: reflections and
 * nonuniform scales too. A margin moves the plane outward.
 */
#ifndef TACT_SHAPE_HALFSPACE_H
#define TACT_SHAPE_HALFSPACE_H

#include "shape/shape_data.h"

typedef struct halfspace_plane {
    tact_vec3 normal; /* outward, unit */
    tact_vec3 origin; /* that of the transform */
    double offset;    /* length: of the plane from the origin, margin included */
} halfspace_plane;

/* TACT_BAD_ARGUMENT: the transform is singular or not finite, or takes the plane beyond SHAPE_MAX_COORDINATE. */
tact_status tact_halfspace_plane(const tact_shape *shape, const tact_transform *transform, halfspace_plane *plane);

/* tact_shape_support, but of a half-space, whose normal n is, any point of its plane. TACT_NOT_CONVERGED: of a mesh,
 * soup or compound it takes more than SUPPORT_CHEAP_ELEMENTS elements (complex_support.h). */
tact_status tact_shape_end_along(const tact_shape *shape, tact_transform transform, tact_vec3 n, tact_vec3 *end);

/* The bounds, limited to SHAPE_MAX_COORDINATE. */
tact_status tact_halfspace_bounds(const tact_shape *shape, const tact_transform *transform, tact_bounds *bounds);

/* Whether a coordinate of such bounds is the limit, not a bound of the shape. */
static inline bool bound_is_unlimited(double coordinate) { return fabs(coordinate) >= SHAPE_UNLIMITED_COORDINATE; }

/* A box whose upper face lies in the plane, with this half side, below the point `above`. It stands for the half-space
 * where the other shape is within less than `half` of that point's projection onto the plane. `at` gets its transform;
 * `block` lives in the caller's memory and must never be retained. */
void tact_halfspace_box(const halfspace_plane *plane, tact_vec3 above, double half, const tact_allocator *allocator,
                        tact_shape *block, tact_transform *at);

/* The separation of a point from the half-space: positive outside. */
static inline double halfspace_height(const halfspace_plane *plane, tact_vec3 point)
{
    return vec_dot(plane->normal, vec_sub(point, plane->origin)) - plane->offset;
}

#endif
