/*
 * The tessellation of a model at some control points: a quad tree of cells over each Bezier patch, vertices on the
 * surface, and two triangles per cell, or more next to smaller cells.
 *
 * A *cell* of level l is a square of side 2^-l in the coordinates (s, t) of its patch. Its error bounds the distance of
 * each of its points of the surface from the corresponding point of its triangles (nurbs/bezier_net.h), so both sets
 * are within that distance of each other. The leaves are the largest cells whose error is at most the tolerance, with
 * one simplification: below a cell that needs at most NURBS_UNIFORM_LEVELS more levels all leaves have the same level.
 * So the division depends on the present control points alone.
 *
 * The edge of a cell next to smaller cells has their vertices, and then its triangles form a fan around its centre. So
 * the triangles have no cracks between cells, and none between patches that are joined (nurbs/nurbs_model.h).
 *
 * A vertex is the point of the surface at dyadic coordinates (x, y) / NURBS_GRID of its patch. Its coefficients,
 * products of one row of a table for each direction, are computed once (Lau, Chan, Luk and Li 2002, 2.3). When control
 * points move, the vertices of the affected patches are summed again in the same order: the state after any number of
 * moves equals, bit for bit, that of a new tessellation of the same control points, up to the numbers of vertices.
 */
#ifndef TACT_NURBS_NURBS_TESSELLATION_H
#define TACT_NURBS_NURBS_TESSELLATION_H

#include "core/array.h"
#include "nurbs/nurbs_model.h"

typedef struct nurbs_cell {
    uint32_t first_child; /* of four, child k with the half k % 2 of s and k / 2 of t; 0: a leaf */
    uint32_t patch;
    uint16_t x, y; /* the cell is [x, x + 1] * [y, y + 1] * 2^-level */
    uint8_t level;
    uint32_t first_triangle, triangle_count; /* of a leaf */
    double error;                            /* of a leaf: see above, without rounding errors */
} nurbs_cell;

typedef struct nurbs_vertex {
    uint32_t patch; /* the patch whose formula gives its position */
    uint32_t x, y;  /* coordinates in units of 1 / NURBS_GRID */
} nurbs_vertex;

/* Values of the basis functions of one span at 2^level + 1 points. */
typedef struct nurbs_table {
    int level; /* -1: none */
    double *rows;
} nurbs_table;

typedef struct nurbs_triangle {
    uint32_t vertex[3]; /* counter-clockwise seen from the side of S_u x S_v */
    uint32_t cell;
} nurbs_triangle;

/* A vertex in the coordinates of the patch of a cell, in units of 1 / NURBS_GRID. */
typedef struct nurbs_cell_point {
    double at[2];
    bool free[2]; /* a pole: the coordinate may have any value */
} nurbs_cell_point;

/* A triangle at a joined edge with vertices of other surfaces, or of other places: where they are on its own cell. */
typedef struct nurbs_joined_triangle {
    uint32_t triangle;
    nurbs_cell_point corners[3];
} nurbs_joined_triangle;

ARRAY_OF(nurbs_joined_triangle_array, nurbs_joined_triangle);
ARRAY_OF(nurbs_cell_array, nurbs_cell);
ARRAY_OF(nurbs_vertex_array, nurbs_vertex);
ARRAY_OF(nurbs_triangle_array, nurbs_triangle);

typedef struct nurbs_tessellation {
    const nurbs_model *model;
    tact_vec3 *points;      /* the control points, a copy */
    nurbs_cell_array cells; /* patch after patch, the root of each first, children after parents */
    uint32_t *first_cell;   /* per patch, and at the end the number of cells */
    nurbs_vertex_array vertices;
    uint32_t *first_vertex; /* per patch: the vertices that it owns, and at the end where the centres begin */
    uint32_t *first_centre; /* per patch: the centres of its cells with fans, and at the end where vertices begin that
                               were added beside edges (nurbs/nurbs_edges.h), of any patches */
    tact_vec3 *positions;   /* per vertex */
    size_t position_capacity;
    nurbs_triangle_array triangles;
    nurbs_joined_triangle_array joined; /* ascending */
    nurbs_table *tables[2];             /* by span, surface after surface */
    uint32_t *first_table[2];           /* per surface, and at the end the number of tables */
    double error;    /* no point of a surface is farther from its triangles: errors of cells, rounding errors
                        and the gaps of seams and edges */
    double edge_gap; /* see nurbs/nurbs_edges.h */
    struct nurbs_edge_join *edge_join; /* how edges are joined, for moves; NULL: there are none */
    uint32_t widest_edge;              /* with this gap */
    tact_vec3 widest_at;               /* a vertex of it there */
    uint8_t *changed;                  /* per patch: the last move changed it */
    double *patch_error;               /* per patch: the largest error of its cells, with rounding errors */
    double *patch_largest;             /* per patch: the largest coordinate of its control points */
    double *seam_gap;                  /* per seam of the model */
    nurbs_cell_array scratch;          /* cells of patches while they are divided again */
    /* Of a tessellation for a motion: the key frames after the first one, which is `points`. Errors hold at all of them
     * and between them. */
    const tact_vec3 *frames;
    size_t frame_count; /* 0: of others */
    bool regular;       /* each cell is a fan: see nurbs/nurbs_regular.h */
    tact_allocator allocator;
} nurbs_tessellation;

/* Which cells are divided, one byte each, depth first, patch after patch. */
typedef struct nurbs_division {
    uint8_t *divided;
    size_t count;
} nurbs_division;

/* Tessellates a model. `points` are its control points; they are copied. On failure returns false and fills `report`
 * (not NULL); nothing is then allocated. It fails if memory runs out, or if the tolerance needs more than
 * NURBS_MAX_CELLS cells or more levels than NURBS_MAX_LEVEL. Cost: some 100 ns per cell. */
bool tact_nurbs_tessellation_init(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *points,
                                  tact_report *report);

/* The same model at the control points of another tessellation, except for those from `first` on. */
bool tact_nurbs_tessellation_init_moved(nurbs_tessellation *t, const nurbs_tessellation *from, uint32_t first,
                                        uint32_t count, const tact_vec3 *points, tact_report *report);

/*
 * Tessellates a model whose control points move linearly from `start`, which is copied, to each of `count` key frames,
 * which follow one another in `frames` and must live as long as the tessellation. The vertices are fixed points of the
 * surfaces, so they move linearly, too. The error holds at all times: it is a convex function of the control points
 * (tact_bezier_raise_chord_error). The positions are those at `start`. Not to be moved.
 */
bool tact_nurbs_tessellation_init_moving(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *start,
                                         const tact_vec3 *frames, size_t count, tact_report *report);

/* The same for a motion to one key frame, as a regular tessellation (nurbs/nurbs_regular.h) whose cells are not larger
 * than those of `required`; NULL: any. */
bool tact_nurbs_tessellation_init_regular(nurbs_tessellation *t, const nurbs_model *model, const tact_vec3 *start,
                                          const tact_vec3 *end, const nurbs_division *required, tact_report *report);

/* The positions of all vertices at other control points: `positions` has as many entries. */
void tact_nurbs_tessellation_place(const nurbs_tessellation *t, const tact_vec3 *points, tact_vec3 *positions);

void tact_nurbs_tessellation_release(nurbs_tessellation *t);

size_t tact_nurbs_tessellation_byte_count(const nurbs_tessellation *t);

/* What a move of control points changed. */
typedef enum nurbs_move {
    NURBS_MOVE_FAILED,    /* nothing: memory ran out or the tessellation would be too large; see the report */
    NURBS_MOVE_POSITIONS, /* positions of vertices of the patches with `changed` set */
    NURBS_MOVE_CELLS      /* cells, vertices and triangles: all were numbered again */
} nurbs_move;

/* Sets the control points `first` to `first + count` - 1 of the model to `points`, which are finite and at most
 * NURBS_MAX_COORDINATE. Computes only the patches that they influence. If cells would change it changes nothing and
 * returns NURBS_MOVE_CELLS; tact_nurbs_tessellation_init_moved then makes the tessellation anew. */
nurbs_move tact_nurbs_tessellation_try_move(nurbs_tessellation *t, uint32_t first, uint32_t count,
                                            const tact_vec3 *points, tact_report *report);

/* The identity of a point of a patch: a corner class, a point of a side class, or a point inside a patch. Not 0.
 * Vertices with equal keys are one. */
uint64_t tact_nurbs_vertex_key(const nurbs_model *model, uint32_t patch, uint32_t x, uint32_t y);

/* The position of a vertex at the present control points: the same bits as in `positions`. */
tact_vec3 tact_nurbs_vertex_position(const nurbs_tessellation *t, const nurbs_vertex *vertex);

/* Appends the cells of a patch, its root first, to `cells`; `base` is added to their indices. On failure returns false
 * and fills `report`; `cells` may then have some of them. */
bool tact_nurbs_divide_patch(const nurbs_tessellation *t, uint32_t patch, nurbs_cell_array *cells, uint32_t base,
                             tact_report *report);

/* Divides all patches of a motion, at least as `required` does, which may be NULL: sets `cells` and `first_cell`. */
bool tact_nurbs_divide_patches(nurbs_tessellation *t, const nurbs_division *required, tact_report *report);

/* The homogeneous control points of a cell: those of its part of the patch. */
void tact_nurbs_cell_net(const nurbs_tessellation *t, const nurbs_cell *cell, nurbs_vec4 *net);

#endif
