/*
 * Tolerances, caps and tuned numbers of src/complex/. Lengths scale with the query: a constant that is "relative to" a
 * length multiplies it. A unit of roundoff is 2^-53, half of DBL_EPSILON.
 */
#ifndef TACT_COMPLEX_COMPLEX_CONSTANTS_H
#define TACT_COMPLEX_COMPLEX_CONSTANTS_H

#include <float.h>

/* ---- traversal ----------------------------------------------------------------------------------------------------
 */

/* The axes that boxes of two trees are tested with. Two triangles cost hardly more than two boxes, so the face axes are
 * enough: two tori of 5,000 triangles, 61 % touching, take 2.0 us a test, with all axes 2.1. Other primitives are worth
 * all axes. Performance only. */
#define COMPLEX_TREE_AXES SAT_ALL_AXES
#define COMPLEX_TRIANGLE_TREE_AXES SAT_FACE_AXES

/* Relative to the square of the longest axis: how far axes may deviate from equal lengths and right angles in a
 * similarity. Rotations made from quaternions deviate by a few units of roundoff. */
#define COMPLEX_SIMILARITY_TOLERANCE (64.0 * DBL_EPSILON)

/* Relative to radii and coordinates: slack of bounding spheres, far above their rounding errors. */
#define COMPLEX_SPHERE_SLACK 1e-12

/* Intervals of a ray beside a mesh with a margin: the bounding box of a whole slanting ray contains half of the mesh.
 * Performance only. */
#define COMPLEX_RAY_INTERVALS 32

/* Parts compared before two compounds count as equal in the order of instances. Deeply nested shared parts would take
 * exponential time. */
#define COMPLEX_MAX_COMPARED_PARTS 4096

#endif
