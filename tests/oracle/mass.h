/*
 * Volume, centroid and covariance of bodies in long double, by other methods than the library: the surface is given by
 * smooth patches, and integrated with Gauss quadrature by the divergence theorem; polytopes by brute force over all
 * triples of points.
 */
#ifndef TACT_ORACLE_MASS_H
#define TACT_ORACLE_MASS_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/tact.h>

typedef long double real_number;

/* The integrals of 1, p and p p^t (xx, yy, zz, xy, xz, yz) over a body, p as seen from a point near it, so that they do
 * not cancel. */
typedef struct oracle_mass {
    real_number measure, first[3], second[6], from[3];
} oracle_mass;

/* Nothing yet, to be seen from there. */
oracle_mass oracle_mass_near(tact_vec3 from);

/* A part of the profile of a body of revolution about y, from the bottom of the axis to its top: y and the distance
 * from the axis. */
typedef struct oracle_profile {
    real_number centre_y, centre_r; /* of an arc */
    real_number radius;             /* of an arc; 0: a straight line */
    real_number from, to;           /* of an arc: angles, from -90 degrees (down) to 90 (up) */
    real_number y0, r0, y1, r1;     /* of a line */
} oracle_profile;

/* Adds the body of revolution with that outline, under a transform. */
void oracle_mass_add_turned(oracle_mass *m, const oracle_profile *profile, int count, const tact_transform *at);

/* Adds all points within `margin` of an ellipsoid with these radii under a transform. */
void oracle_mass_add_ellipsoid(oracle_mass *m, const real_number radii[3], const tact_transform *at,
                               real_number margin);

/* Adds a simplex of 2 to 4 corners: its length, area or absolute volume, under a transform. */
void oracle_mass_add_simplex(oracle_mass *m, const tact_vec3 *corners, int count, const tact_transform *at);

/* Adds the signed tetrahedron between the image of `from` and those of three corners. */
void oracle_mass_add_cone(oracle_mass *m, tact_vec3 from, const tact_vec3 corners[3], const tact_transform *at);

/* Adds the convex hull of points in general position (no four in a plane), up to about 20. */
void oracle_mass_add_hull(oracle_mass *m, const tact_vec3 *points, int count, const tact_transform *at);

/* Adds a box with rounded edges, centred, along the axes: half extents and margin. */
void oracle_mass_add_rounded_box(oracle_mass *m, const real_number half[3], real_number margin);

/* How far an answer is off: the largest of the differences in measure, centre and inertia, relative to what they are of
 * a body of that size (mean square of distances from its centre). Infinite for NaN. */
double oracle_mass_off(const oracle_mass *m, const tact_mass *answer);

/* What rounding may make of that: `own`, and what coordinates up to `reach` lose in a body of that size. */
double oracle_mass_rounding(const tact_mass *answer, double own, double reach);

/* How far moments and axes are from giving the inertia, and the axes from being a rotation: relative. */
double oracle_mass_axes_off(const tact_mass *answer);

/* Whether two answers have the same bits. */
bool oracle_mass_same(const tact_mass *a, const tact_mass *b);

#endif
