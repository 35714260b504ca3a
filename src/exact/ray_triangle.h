/*
 * A ray and a triangle: does it meet it, where? The yes or no is exact for all finite doubles, so that a ray never
 * slips through between two triangles that share an edge or a corner.
 *
 * The ray is all from + t direction, t >= 0, in real arithmetic; the triangle is the closed hull of its corners and may
 * have no area; the ray may run in its plane. No allocation.
 */
#ifndef TACT_EXACT_RAY_TRIANGLE_H
#define TACT_EXACT_RAY_TRIANGLE_H

#include <stdbool.h>
#include <tact/vec.h>

typedef struct exact_ray {
    tact_vec3 from;
    tact_vec3 direction; /* as the caller gave it, times a power of two: its largest coordinate is in [1/2, 1) */
    int exponent;        /* of that power: the caller's parameter is ours times 2^exponent */
} exact_ray;

/* `direction` is finite and not zero. */
exact_ray tact_exact_ray_make(tact_vec3 from, tact_vec3 direction);

/* Whether it meets the triangle. If so, `t` gets the first parameter (the caller's), correct to a few roundings of
 * the coordinates along the ray, and exactly 0 if and only if `from` is on the triangle; `normal` one of unit
 * length, against the ray. */
bool tact_ray_triangle(const exact_ray *ray, const tact_vec3 corner[3], double *t, tact_vec3 *normal);

/* The unit normal, counter-clockwise corners seen against it: right for slivers too. Zero for a triangle without
 * area. */
tact_vec3 tact_triangle_normal(const tact_vec3 corner[3]);

#endif
