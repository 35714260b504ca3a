/*
 * The triangles of a NURBS body whose control points move in a step (tact_body_set_step_positions).
 *
 * They are those of a regular tessellation (nurbs/nurbs_regular.h) whose error holds during the whole step. From step
 * to step cells are divided where the next step needs it, and are not merged. A vertex that is new begins on the
 * triangles at the end of the step before, and moves from there to the surface at the end of its step. So the start of
 * a step is the same set of points as the end of the one before, up to rounding, and what was free of contact is.
 * Both ends of the step are within the error of the surfaces, and so is all between: corresponding points move
 * linearly. (Not included: cells that trimming curves cut. New vertices there begin at the surface.)
 */
#ifndef TACT_STEP_STEP_SURFACE_H
#define TACT_STEP_STEP_SURFACE_H

#include "nurbs/nurbs_regular.h"

typedef struct step_surface {
    tact_shape *shape;               /* a reference: it owns the model */
    nurbs_tessellation tessellation; /* its control points are those at the start */
    nurbs_division division;
    tact_vec3 *end_points;  /* control points at the end, to which the tessellation refers */
    tact_vec3 *start, *end; /* positions of the vertices */
    double taken;           /* the part of the step that has been taken; 0: it has not been resolved */
    uint64_t edition;       /* another one when the cells change */
} step_surface;

/* Makes the triangles of a step. `before`: of the last step of the body, or NULL. `shape`: the original shape of the
 * body, with the model of `points`. `edition` is used if the cells are new. TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: the
 * tolerance needs too many triangles. */
tact_status tact_step_surface_make(step_surface **made, const step_surface *before, tact_shape *shape,
                                   const nurbs_model *model, const tact_vec3 *from, const tact_vec3 *to,
                                   uint64_t edition);

void tact_step_surface_release(step_surface *s); /* NULL is allowed */

/* Writes the control points after a part of the step, 0 to 1. */
void tact_step_surface_points_at(const step_surface *s, double taken, tact_vec3 *points);

#endif
