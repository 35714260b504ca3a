/*
 * How the triangles of a tessellation are joined along edges (nurbs/nurbs_edges.h), kept with it.
 *
 * What is joined depends on the cells and on *decisions* by distance: which vertices become one, and the order of those
 * of both arcs of an edge. When control points move and no cell changes, the decisions beside changed patches are taken
 * again. If they are the same, so are all vertices and triangles: then only positions change, the places of inserted
 * vertices, and the gap. The state equals that of a new tessellation, bit for bit.
 */
#ifndef TACT_NURBS_NURBS_EDGE_JOIN_H
#define TACT_NURBS_NURBS_EDGE_JOIN_H

#include "core/array.h"
#include "nurbs/nurbs_tessellation.h"

/* An edge of a triangle on the boundary of its surface. Vertices are numbered as before they were joined. */
typedef struct boundary_edge {
    uint32_t from, to; /* vertices */
    uint32_t corner;
    uint32_t next; /* the boundary edge after it */
    uint32_t surface;
    uint32_t edge;                           /* of the model, whose arc it belongs to; NURBS_NONE: of no arc */
    uint32_t first_inserted, inserted_count; /* vertices between `from` and `to` */
    bool reversed;                           /* they are in order from `to` to `from` */
    uint8_t junctions;                       /* bit 0: `from` is one, bit 1: `to` */
    uint8_t collapse;                        /* see collapse_of */
    double gap;                              /* how far its points move, at t->points */
    tact_vec3 at[2];                         /* `from` and `to` in the grid plane, on the cell of its triangle */
} boundary_edge;

typedef struct inserted_vertex {
    uint32_t vertex;
    double at; /* its place between the vertices of the edge, 0 to 1 */
} inserted_vertex;

/* The boundary edges of the curve of a surface, in order. */
typedef struct edge_arc {
    uint32_t first, count; /* in `arc_edges` */
    uint32_t ends[2];      /* vertices at the beginning and the end of the curve */
} edge_arc;

/* A triangle, or a part of one. */
typedef struct triangle_part {
    uint32_t vertex[3];
    uint32_t edges[3];      /* boundary edges, or NURBS_NONE */
    nurbs_cell_point at[3]; /* if `joined`: of its vertices on its cell */
    bool joined;            /* some vertices are, or become, those of other surfaces or places */
} triangle_part;

/* A triangle whose parts are in nurbs_tessellation.joined, from `first` on. */
typedef struct divided_triangle {
    triangle_part whole;
    uint32_t cell;
    uint32_t first;
} divided_triangle;

/* An edge of triangles on a joined edge of the model. */
typedef struct joined_side {
    uint32_t vertex[2];
    uint32_t edge; /* of the model */
} joined_side;

ARRAY_OF(joined_side_array, joined_side);
ARRAY_OF(boundary_edge_array, boundary_edge);
ARRAY_OF(inserted_vertex_array, inserted_vertex);
ARRAY_OF(edge_index_array, uint32_t);
ARRAY_OF(edge_step_array, uint8_t);
ARRAY_OF(divided_triangle_array, divided_triangle);

typedef struct nurbs_edge_join {
    boundary_edge_array edges; /* of all surfaces with arcs; those of each sorted by `from` */
    edge_index_array arc_edges;
    edge_arc *arcs; /* two for each edge of the model; empty where nothing is merged */
    size_t arc_count;
    inserted_vertex_array inserted;
    edge_step_array steps;  /* which vertex follows, edge after edge: see next_step */
    nurbs_vertex *vertices; /* before they were joined */
    uint32_t *parent;       /* sets of vertices that become one (core/union_find.h) */
    size_t vertex_count;
    divided_triangle_array divided;
    joined_side_array sides; /* of the triangles of the tessellation, as they are numbered there */
} nurbs_edge_join;

/* For the vertices of a tessellation and its edges. NULL: out of memory. */
nurbs_edge_join *tact_nurbs_edge_join_create(const nurbs_tessellation *t);

void tact_nurbs_edge_join_free(nurbs_edge_join *join, const tact_allocator *allocator); /* NULL is allowed */

size_t tact_nurbs_edge_join_byte_count(const nurbs_edge_join *join); /* NULL is allowed */

/* Joins the triangles of a tessellation, after boundary edges and arcs have been found. `edge_of_corner`: boundary
 * edge, or NURBS_NONE. False: out of memory. */
bool tact_nurbs_edge_join_merge(nurbs_edge_join *join, nurbs_tessellation *t, const uint32_t *edge_of_corner);

/* Whether the decisions are the same at t->points, where patches have changed. */
bool tact_nurbs_edge_join_stays(const nurbs_edge_join *join, const nurbs_tessellation *t);

/* Then updates places of inserted vertices, the joined triangles and the gap. */
void tact_nurbs_edge_join_update(nurbs_edge_join *join, nurbs_tessellation *t);

/* Numbers the vertices of `sides` again: `number` has the number of each vertex before, and of the next one at the end.
 * Those of a vertex and the next one are equal if no triangle uses it; then the side is removed. */
void tact_nurbs_edge_join_renumber(nurbs_edge_join *join, const uint32_t *number);

/* The distance of a point from a segment, and the place of the nearest point between its ends, 0 to 1. */
double tact_nurbs_distance_to_segment(tact_vec3 p, tact_vec3 a, tact_vec3 b, double *at);

#endif
