/*
 * Regular tessellations: for motions in which the division into cells changes while contacts of triangles are followed.
 *
 * In a regular tessellation cells beside each other differ by at most one level, and each cell is a fan of triangles
 * around its centre. The border of a cell then has its corners and middles of sides alone. If a cell is divided, the
 * triangles of its four fans lie within those of its own fan, in the parameter plane. So a vertex that a finer
 * regular tessellation adds has a place on a triangle of the coarser one, and the finer one with its vertices at these
 * places is the same set of points as the coarser one, up to rounding. From there the vertices move to the surface, in
 * no time: a change of level is a motion like any other, in which no contact is lost (advance/surface_motion.h).
 *
 * In a cell that a trimming curve cuts, new vertices have such places too, on the triangles of the cell. But there the
 * finer triangles do not lie within the coarser ones: at the places where they begin, the two sets of points differ
 * between the vertices, by less than the error of the coarser cell.
 */
#ifndef TACT_NURBS_NURBS_REGULAR_H
#define TACT_NURBS_NURBS_REGULAR_H

#include <tact/nurbs.h>

#include "nurbs/nurbs_tessellation.h"

/* Makes the division of a tessellation. False: out of memory. */
bool tact_nurbs_division_make(nurbs_division *d, const nurbs_tessellation *t);
void tact_nurbs_division_release(nurbs_division *d, const tact_allocator *allocator);

/* Whether the cells of two tessellations of one model are the same. Their vertices and triangles are then, too. */
bool tact_nurbs_same_cells(const nurbs_tessellation *a, const nurbs_tessellation *b);

/* Divides all patches of a regular tessellation, at least as `required` does. For nurbs_tessellation.c. */
bool tact_nurbs_divide_regularly(nurbs_tessellation *t, const nurbs_division *required, tact_report *report);

/* Where a vertex lies on the triangles of another tessellation: a sum of vertices with weights that are not negative
 * and add up to 1, exact but for rounding in cells that trimming curves cut. One: it is that vertex. None: it has no
 * place there. */
typedef struct nurbs_origin {
    uint32_t count;
    uint32_t vertex[3];
    double weight[3];
} nurbs_origin;

/* The origins of all vertices of `t` on the triangles of `before`, a regular tessellation of the same model. False: out
 * of memory. O(n). */
bool tact_nurbs_find_origins(const nurbs_tessellation *t, const nurbs_tessellation *before, nurbs_origin *origins);

/* Finds where a vertex is on a leaf. False: it is on another cell. */
bool tact_nurbs_find_in_cell(const nurbs_tessellation *t, const nurbs_cell *cell, const nurbs_vertex *vertex,
                             nurbs_cell_point *point);

/* The place of a point of a triangle, given by the weights of its vertices. It is on the surface of the triangle, also
 * where vertices of other surfaces are joined to it. */
tact_nurbs_location tact_nurbs_location_on_triangle(const nurbs_tessellation *t, uint32_t triangle,
                                                    const double weights[3]);

/* The place of a point between two vertices of an edge of a triangle; where the parameters of both are not known in one
 * patch, that of the first. */
tact_nurbs_location tact_nurbs_location_on_edge(const nurbs_tessellation *t, const uint32_t vertices[2],
                                                const double weights[2]);

/* The place of a vertex. */
tact_nurbs_location tact_nurbs_location_of_vertex(const nurbs_tessellation *t, uint32_t vertex);

#endif
