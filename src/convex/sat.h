/* Separating axis tests (SAT) for two parallelepipeds: boxes under affine transforms. */
#ifndef TACT_CONVEX_SAT_H
#define TACT_CONVEX_SAT_H

#include "math/vec.h"

typedef enum sat_result {
    SAT_SEPARATED, /* proved: an axis separates them */
    SAT_OVERLAP,   /* proved: they have a common point */
    SAT_UNDECIDED  /* within rounding of touching, flat, or out of range: use GJK */
} sat_result;

/* Tests whether two parallelepipeds overlap. `offset` is the centre of B minus the centre of A. half_a and half_b are
 * the half axes, which may be skewed or zero. The test ends at the first of the 15 axes that separates and stores it in
 * `axis` (from A to B, any length; may be NULL). Otherwise `axis` is unchanged. */
sat_result tact_sat_box_box(tact_vec3 offset, const tact_vec3 half_a[3], const tact_vec3 half_b[3], tact_vec3 *axis);

/* The kind of axis that gave a depth. */
typedef enum sat_feature { SAT_FACE_A, SAT_FACE_B, SAT_EDGES } sat_feature;

typedef struct sat_depth {
    double depth;     /* least overlap over all axes; negative: separated, by at least that */
    tact_vec3 normal; /* unit, from A to B */
    sat_feature feature;
    int index_a; /* SAT_FACE_A: pair of faces; SAT_EDGES: half axis of A */
    int index_b; /* SAT_FACE_B: pair of faces; SAT_EDGES: half axis of B */
} sat_depth;

/* The depth of two parallelepipeds by all 15 axes, within a few ulps of the largest coordinate. B may be flat, a
 * segment or a point (half axes zero). Returns false, and nothing is known, if A is flat or the numbers are out of
 * range. */
bool tact_sat_depth(tact_vec3 offset, const tact_vec3 half_a[3], const tact_vec3 half_b[3], sat_depth *result);

/* A unit vector perpendicular to a and b to within a few u of each, however nearly parallel they are (a bare cross
 * product is not). Zero if they are parallel up to rounding. */
tact_vec3 tact_sat_normal(tact_vec3 a, tact_vec3 b);

#endif
