/*
 * Paths on the surfaces of a model across its edges (nurbs/nurbs_edges.h): the neighbours of a place beyond an edge.
 *
 * Triangles of two surfaces meet at their common edge up to their errors, without common vertices if they are not
 * joined. Points that a short path joins are neighbours, and a contact between them is none (NURBS_SELF_NEIGHBOUR).
 *
 * A path leads from a place of one surface straight to its edge in the parameter plane, along the edge, and straight to
 * a place of the other one; or to a corner where edges meet, and from there, around which the surfaces follow one
 * another across edges. Which points of both curves are one is found by the length along them, and then by distance,
 * within 1 / EDGE_PATH_SEARCH of the curve. Lengths are those of short straight lines with the derivatives at their
 * ends: estimates, good where a path is short.
 *
 * Cost: some 100 us if both places are near edges, else about a microsecond for each edge of their surfaces.
 */
#ifndef TACT_NURBS_NURBS_EDGE_PATHS_H
#define TACT_NURBS_NURBS_EDGE_PATHS_H

#include "nurbs/nurbs_model.h"

/* Control points on the way from `from` to `to`. */
typedef struct nurbs_moving_points {
    const tact_vec3 *from, *to;
    double at; /* 0 to 1 */
} nurbs_moving_points;

/* Whether a path across edges, at most `limit` long, joins two places of a model. */
bool tact_nurbs_are_edge_neighbours(const nurbs_model *model, const nurbs_moving_points *points,
                                    const tact_nurbs_location *a, const tact_nurbs_location *b, double limit);

#endif
