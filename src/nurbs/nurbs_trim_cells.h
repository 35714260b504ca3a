/*
 * Trimming of cells: which cells of a tessellation are inside the trimming loops, outside, or cut, and the polygons
 * that remain of a cut cell.
 *
 * The chains of a patch (nurbs/nurbs_trim.h) are followed from cell to cell. Which edge of a cell a segment leaves
 * through, and into which cell beside it, follows from the sides on which corners lie, so it is exact and consistent.
 * The crossing is then rounded to an odd coordinate on the edge, which both cells share. What lies in one cell is a
 * *piece*: a polyline between two points of the border of the cell, or a closed one. Along the border, inside and
 * outside alternate at the ends of pieces.
 */
#ifndef TACT_NURBS_NURBS_TRIM_CELLS_H
#define TACT_NURBS_NURBS_TRIM_CELLS_H

#include "nurbs/nurbs_tessellation.h"

typedef struct trim_piece {
    uint32_t cell;
    uint32_t first_point, point_count;
    bool closed;
} trim_piece;

ARRAY_OF(trim_piece_array, trim_piece);

typedef struct trim_pieces {
    trim_piece_array pieces;
    trim_point_array points;
    uint32_t *order; /* pieces sorted by cell */
    uint32_t *first; /* per cell, and at the end: its pieces in `order`; NULL: no surface is trimmed */
    size_t cell_count;
} trim_pieces;

/* Follows all chains. False: out of memory. */
bool tact_nurbs_trace(const nurbs_tessellation *t, trim_pieces *out);

void tact_nurbs_trace_release(trim_pieces *p, const tact_allocator *allocator);

/* Whether the corner with the smallest coordinates of a leaf of a trimmed surface is inside. */
bool tact_nurbs_cell_corner_inside(const nurbs_tessellation *t, const nurbs_cell *cell);

/* A loop around a part of a cut cell: points of the grid, counter-clockwise for an outer boundary. */
typedef struct trim_polygons {
    trim_point_array points;
    trim_size_array loop_ends;
} trim_polygons;

/* The loops of what remains of a cut cell. `border` are the vertices on its border, corners included, in order from the
 * corner with the smallest coordinates counter-clockwise. False: out of memory. */
bool tact_nurbs_cut_cell(const nurbs_tessellation *t, const trim_pieces *pieces, uint32_t cell,
                         const trim_point_array *border, trim_polygons *out);

#endif
