/*
 * The intersection of a ray with a triangle. The decision is exact for all finite doubles, so a ray never passes
 * between two triangles that share an edge or a vertex.
 *
 * The ray is from + t direction, t >= 0, in real arithmetic. The triangle is the closed convex hull of its vertices; it
 * may have no area, and the ray may be in its plane. No allocation.
 */
#ifndef TACT_EXACT_RAY_TRIANGLE_H
#define TACT_EXACT_RAY_TRIANGLE_H

#include <stdbool.h>
#include <tact/vec.h>

typedef struct exact_ray {
    tact_vec3 from;
    tact_vec3 direction; /* the caller's, times a power of two: its largest coordinate is in [1/2, 1) */
    int exponent;        /* of that power: the caller's parameter is the internal one times 2^exponent */
} exact_ray;

/* `direction` must be finite and not zero. */
exact_ray tact_exact_ray_make(tact_vec3 from, tact_vec3 direction);

/* Whether the ray intersects the triangle. If so, `t` receives the smallest parameter (the caller's), correct to a few
 * rounding errors of the coordinates along the ray. It is 0 if and only if `from` is on the triangle. `normal` receives
 * a unit normal directed against the ray. */
bool tact_ray_triangle(const exact_ray *ray, const tact_vec3 vertex[3], double *t, tact_vec3 *normal);

/* The unit normal; the vertices are counter-clockwise about it. Accurate for slivers too. Zero for a triangle without
 * area. */
tact_vec3 tact_triangle_normal(const tact_vec3 vertex[3]);

#endif
