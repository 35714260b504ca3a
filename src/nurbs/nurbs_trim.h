/*
 * Trimming loops of a surface: closed polylines that approximate curves in the parameter plane, divided by patches.
 *
 * The trimmed surface is the set of points inside an odd number of loops. Within a patch a loop is a list of *chains*:
 * polylines with integer coordinates in units of 1 / NURBS_GRID of the patch. A chain begins and ends on a side of the
 * patch, or it is closed. All other coordinates are odd, and lines between cells have even coordinates. So no point of
 * a chain lies on such a line, except where it crosses a side; and whether a corner of a cell is left or right of a
 * segment is decided exactly, with 64-bit integers. A corner that lies on a segment counts as shifted by (-e, -e^2)
 * with an infinitesimal e (simulation of simplicity, Edelsbrunner and Mucke 1990).
 */
#ifndef TACT_NURBS_NURBS_TRIM_H
#define TACT_NURBS_NURBS_TRIM_H

#include "core/array.h"
#include "nurbs/nurbs_surface.h"

/* Coordinates of vertices in a patch are multiples of 1 / NURBS_GRID. */
#define NURBS_GRID (INT32_C(1) << NURBS_GRID_LEVEL)

typedef struct trim_point {
    int32_t x, y;
} trim_point;

typedef struct trim_chain {
    uint32_t patch; /* of the surface */
    uint32_t first_point, point_count;
    bool closed;
} trim_chain;

typedef struct trim_vertex { /* of a loop, in the parameter plane */
    double u, v;
} trim_vertex;

ARRAY_OF(trim_point_array, trim_point);
ARRAY_OF(trim_chain_array, trim_chain);
ARRAY_OF(trim_vertex_array, trim_vertex);
ARRAY_OF(trim_size_array, uint32_t);

typedef struct trim_segment {
    trim_point from, to;
} trim_segment;

typedef struct trim_end { /* of a chain, on the side x = 0 or y = 0 of its patch */
    uint64_t key;
} trim_end;

typedef struct nurbs_trim_rows { /* see nurbs/nurbs_trim_rows.h */
    uint32_t *row_count;         /* per patch: a power of two; 0: no chains */
    uint32_t *first_node;        /* per patch: its nodes in `first`, 2 row_count; node 1 is the root */
    uint32_t *first;             /* per node, and at the end: its segments in `segments` */
    trim_segment *segments;
    trim_end *ends; /* sorted */
    size_t patch_count, node_count, end_count;
    uint32_t segment_count;
} nurbs_trim_rows;

typedef struct nurbs_trim {
    trim_vertex_array vertices; /* loop after loop; the last vertex of a loop is followed by its first */
    trim_size_array loop_ends;  /* index after the last vertex of each loop */
    trim_point_array points;
    trim_chain_array chains;
    uint8_t *corner_inside; /* per patch: whether its corner (0, 0) is inside */
    size_t patch_count;
    nurbs_trim_rows rows;
    /* Copies of the loops and curves of the def; `numbers` are the knots, control points and weights of all curves. */
    tact_nurbs_loop *loops;
    tact_nurbs_curve *curves;
    double *numbers;
    size_t loop_count, curve_count, number_count;
    double deviation[2]; /* no point of a curve is farther than this from its polyline in u and in v, nor the reverse */
} nurbs_trim;

/* Makes the loops of a def for a surface; `accuracy` is the wanted deviation in u and v. On failure returns NULL and
 * fills `report` (not NULL). */
nurbs_trim *tact_nurbs_trim_create(const tact_nurbs_def *def, const nurbs_surface *surface, const double accuracy[2],
                                   const tact_allocator *allocator, tact_report *report);

void tact_nurbs_trim_free(nurbs_trim *trim, const tact_allocator *allocator); /* NULL is allowed */

size_t tact_nurbs_trim_byte_count(const nurbs_trim *trim);

/* The point of a checked curve at t in its domain. */
void tact_nurbs_trim_curve_point(const tact_nurbs_curve *curve, double t, double uv[2]);

/* Whether a point of the parameter plane is inside the polylines. */
bool tact_nurbs_trim_contains(const nurbs_trim *trim, double u, double v);

/* Whether the corner c lies left of the line from p to q, which differ. Exact. */
static inline bool trim_is_left(trim_point p, trim_point q, trim_point c)
{
    const int64_t dx = (int64_t)q.x - p.x, dy = (int64_t)q.y - p.y;
    const int64_t cross = dx * ((int64_t)c.y - p.y) - dy * ((int64_t)c.x - p.x);
    return cross != 0 ? cross > 0 : dy != 0 ? dy > 0 : dx < 0; /* else that of the shift (-e, -e^2) */
}

#endif
