/* Random NURBS surfaces for tests: all degrees, kinds of knots, weights and control points, and parameters. */
#ifndef TACT_ORACLE_NURBS_CASES_H
#define TACT_ORACLE_NURBS_CASES_H

#include <stdint.h>
#include <tact/nurbs.h>

#include "support/random.h"

enum {
    NURBS_CASE_COUNT = TACT_NURBS_MAX_DEGREE + 9, /* control points along one direction at most */
    NURBS_CASE_KNOTS = NURBS_CASE_COUNT + TACT_NURBS_MAX_DEGREE + 1
};

typedef enum nurbs_knot_kind {
    KNOTS_UNIFORM,   /* clamped, integers */
    KNOTS_CLAMPED,   /* clamped, random lengths */
    KNOTS_UNCLAMPED, /* no repetitions */
    KNOTS_REPEATED,  /* repeated knots everywhere, up to the limits; the ends may or may not be clamped */
    KNOTS_PERIODIC,  /* integers that continue periodically beyond the domain */
    KNOTS_UNEVEN,    /* lengths from 2^-40 to 2^40, down to one unit in the last place */
    KNOT_KINDS
} nurbs_knot_kind;

typedef enum nurbs_weight_kind {
    WEIGHTS_NONE,
    WEIGHTS_EQUAL,
    WEIGHTS_MILD,
    WEIGHTS_WILD,
    WEIGHT_KINDS
} nurbs_weight_kind;

typedef enum nurbs_point_kind {
    POINTS_GRID,   /* a wavy height field */
    POINTS_RANDOM, /* in a cube */
    POINTS_FAR,    /* 10^6 times their size from the origin */
    POINTS_HUGE,   /* about 10^100 */
    POINTS_TINY,   /* about 10^-100 */
    POINTS_EQUAL,  /* all at one place */
    POINT_KINDS
} nurbs_point_kind;

typedef enum nurbs_parameter_kind {
    AT_KNOT,
    AT_BEGIN,
    AT_END,
    BESIDE_KNOT, /* the next double */
    INSIDE,
    OUTSIDE,
    PARAMETER_KINDS
} nurbs_parameter_kind;

typedef struct nurbs_case {
    tact_nurbs_def def; /* points into this struct */
    double knots[2][NURBS_CASE_KNOTS];
    tact_vec3 points[NURBS_CASE_COUNT * NURBS_CASE_COUNT];
    double weights[NURBS_CASE_COUNT * NURBS_CASE_COUNT];
    nurbs_knot_kind knot_kind[2];
    nurbs_weight_kind weight_kind;
    nurbs_point_kind point_kind;
} nurbs_case;

/* A random surface; degrees 1 to 9, rarely up to `most_degree`. */
void nurbs_case_make(nurbs_case *c, random_source *r, int most_degree);

/* A random parameter along direction d. */
double nurbs_case_parameter(const nurbs_case *c, random_source *r, int d, nurbs_parameter_kind *kind);

#endif
