/* NURBS models for tests: closed and open ones, of one or several surfaces. */
#ifndef TACT_ORACLE_NURBS_MODELS_H
#define TACT_ORACLE_NURBS_MODELS_H

#include <tact/nurbs.h>

#include "support/random.h"

typedef enum nurbs_model_kind {
    NURBS_MODEL_SPHERE,         /* rational, degree 2: radius 1, with two poles and a seam; normals point outwards */
    NURBS_MODEL_TORUS,          /* rational, degree 2: radii 2 and 0.5 */
    NURBS_MODEL_PERIODIC_TORUS, /* about the same, degree 3, not rational, knots not clamped */
    NURBS_MODEL_CUBE,           /* six bicubic surfaces with joined edges, in several orientations: [-1, 1]^3 */
    NURBS_MODEL_SHEET,          /* 12 x 8 control points of degree 3 above [0, 11] x [0, 7], a wavy height field */
    NURBS_MODEL_KINDS
} nurbs_model_kind;

enum { NURBS_MODEL_MAX_POINTS = 6 * 36, NURBS_MODEL_MAX_KNOTS = 24 };

typedef struct nurbs_model_case {
    tact_nurbs_def defs[6]; /* point into this struct */
    size_t count;
    double knots[6][2][NURBS_MODEL_MAX_KNOTS];
    tact_vec3 points[NURBS_MODEL_MAX_POINTS]; /* surface after surface */
    double weights[NURBS_MODEL_MAX_POINTS];
    size_t point_count;
} nurbs_model_case;

/* `r` decides orientations and parameter intervals; it may be NULL. */
void nurbs_model_case_make(nurbs_model_case *c, nurbs_model_kind kind, random_source *r);

/* Moves the control points by a smooth random field of the given amplitude. Equal points stay equal. */
void nurbs_model_case_deform(nurbs_model_case *c, random_source *r, double amplitude);

#endif
