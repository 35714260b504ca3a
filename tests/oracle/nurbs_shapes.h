/* NURBS surfaces with known geometry, and random smooth ones, for tests of queries. */
#ifndef TACT_ORACLE_NURBS_SHAPES_H
#define TACT_ORACLE_NURBS_SHAPES_H

#include <tact/nurbs.h>

#include "support/random.h"

enum { NURBS_SHAPE_POINTS = 144, NURBS_SHAPE_KNOTS = 32 };

typedef struct nurbs_shape_data {
    tact_nurbs_def def; /* points into this struct */
    double knots[2][NURBS_SHAPE_KNOTS];
    tact_vec3 points[NURBS_SHAPE_POINTS];
    double weights[NURBS_SHAPE_POINTS];
} nurbs_shape_data;

/* Rational and exact, of degree 2, with normals pointing outward: a torus around the z axis, a sphere, and the side of
 * a cylinder along z. */
void nurbs_shape_torus(nurbs_shape_data *d, double major, double minor);
void nurbs_shape_sphere(nurbs_shape_data *d, double radius);
void nurbs_shape_cylinder(nurbs_shape_data *d, double radius, double half_height);

/* A random surface over [-1, 1]^2 of heights up to `height`, of `count` x `count` control points and degree p in both
 * directions; rational if `rational`. */
void nurbs_shape_random(nurbs_shape_data *d, random_source *r, int p, int count, double height, bool rational);

/* The point of the surface at (u, v) by the definition, in long double: the recursion of Cox and de Boor. */
void nurbs_shape_point(const tact_nurbs_def *def, long double u, long double v, long double out[3]);

/* The least distance found of two surfaces at transforms, or of a surface and a point (`b` NULL), in long double: a
 * grid of starts, of which the best are improved by a pattern search. */
double nurbs_shape_nearest(const tact_nurbs_def *a, const tact_transform *at_a, const tact_nurbs_def *b,
                           const tact_transform *at_b, tact_vec3 point, int grid);

#endif
