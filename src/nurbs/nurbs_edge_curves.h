/*
 * The curves of edges in the parameter planes of their surfaces. See nurbs/nurbs_edges.h.
 *
 * Places are in the *grid plane* of a surface: its parameter plane, in which each patch is a square of side NURBS_GRID,
 * at NURBS_GRID times its span. They do not change with the control points. So which part of a boundary belongs to a
 * curve is the same for all tessellations of a model.
 */
#ifndef TACT_NURBS_NURBS_EDGE_CURVES_H
#define TACT_NURBS_NURBS_EDGE_CURVES_H

#include "nurbs/nurbs_tessellation.h"

/* Checks the indices of edges against the surfaces of a model, and copies them to it. On failure returns false and
 * fills `report` (not NULL). */
bool tact_nurbs_model_set_edges(nurbs_model *model, const tact_nurbs_edge *edges, size_t count, tact_report *report);

/* A surface without trims has one loop of four curves, its sides, numbered as those of a patch. */
uint32_t tact_nurbs_loop_count(const nurbs_model *model, uint32_t surface);
uint32_t tact_nurbs_loop_curve_count(const nurbs_model *model, uint32_t surface, uint32_t loop);

/* A point of a curve in the parameter plane: its beginning (0) or its middle (0.5). */
void tact_nurbs_edge_curve_point(const nurbs_model *model, uint32_t surface, uint32_t loop, uint32_t curve,
                                 double fraction, double uv[2]);

/* The place of parameters in the grid plane; z is 0. On a trimmed surface it is that of the point of a chain. */
tact_vec3 tact_nurbs_grid_place(const nurbs_model *model, uint32_t surface, const double uv[2]);

/* Whether the curves of an edge are two sides of one surface that are joined by their control points. */
bool tact_nurbs_edge_is_seam(const nurbs_model *model, const tact_nurbs_edge *edge);

#endif
