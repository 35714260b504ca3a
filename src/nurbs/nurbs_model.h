/*
 * A NURBS model: surfaces, divided into Bezier patches, and how the patches are joined. It does not change with the
 * control points, so all bodies of a shape share it. The control points of all surfaces are one array.
 *
 * A patch has four corners and four sides in its own coordinates (s, t) in [0, 1]^2, s along u and t along v:
 *
 *     corner 3 ---- side 2 ---- corner 2
 *        |                         |            sides 0 and 2 run along +s,
 *      side 3        t           side 1         sides 1 and 3 along +t
 *        |           +- s          |
 *     corner 0 ---- side 0 ---- corner 1
 *
 * Sides that are the same curve belong to one *side class*, corners that are the same point to one *corner class*.
 * Points of joined sides are one vertex in every tessellation, so that it has no cracks. Within a surface, adjacent
 * patches are joined by construction. Boundary sides are joined where their Bezier control points coincide up to
 * rounding: the seams of closed surfaces and of several surfaces. A side whose control points all coincide is a *pole*:
 * it is one point.
 */
#ifndef TACT_NURBS_NURBS_MODEL_H
#define TACT_NURBS_NURBS_MODEL_H

#include "nurbs/nurbs_trim.h"

/* As `side`: the side is a pole, and both its corners are the same class. */
#define NURBS_POLE UINT32_MAX

/* In `seams`. */
#define NURBS_SEAM_POLE (UINT32_C(1) << 31)

typedef struct nurbs_patch {
    uint32_t surface;
    uint32_t span[2];
    uint32_t corner[4]; /* corner classes */
    uint32_t side[4];   /* side classes, or NURBS_POLE */
    uint8_t reversed;   /* bit k: side k runs against its class */
    uint8_t boundary;   /* bit k: side k is not joined to another patch */
} nurbs_patch;

typedef struct nurbs_tolerance {
    double surface; /* that of the def, or the default */
    double cells;   /* the part of it that cells may use */
    double edges;   /* that of edges: at least twice the error of trimming */
} nurbs_tolerance;

/* Where a curve of a surface begins on its boundary, see nurbs/nurbs_edges.h. */
typedef struct nurbs_junction {
    enum { NURBS_JUNCTION_UNKNOWN, NURBS_JUNCTION_NONE, NURBS_JUNCTION_FOUND } state;
    double at[2]; /* if found: of the vertex, in the grid plane (nurbs/nurbs_edge_curves.h) */
} nurbs_junction;

typedef struct nurbs_model {
    uint32_t surface_count;
    uint32_t capacity; /* of the arrays by surface */
    uint32_t patch_count;
    uint32_t corner_class_count, side_class_count;
    nurbs_surface *surfaces;
    nurbs_trim **trims;          /* per surface; NULL: not trimmed */
    nurbs_tolerance *tolerances; /* per surface */
    uint32_t *first_point;       /* per surface, and at the end the number of control points */
    uint32_t *first_patch;       /* per surface, and at the end patch_count; patch (a, b) of a surface has the index
                                    first_patch + a * span_count[1] + b */
    nurbs_patch *patches;
    /* What was joined by position, so that its gap is measured when control points move: two sides (patch * 4 + side)
     * and 0; or a pole, and another side | NURBS_SEAM_POLE of which the beginning (0) or the end (1) gives its
     * position. */
    uint32_t (*seams)[3];
    uint32_t seam_count, seam_capacity;
    tact_nurbs_edge *edges; /* that surfaces share, see nurbs/nurbs_edges.h */
    size_t edge_count;
    /* If there are edges: the junction of each curve, loop after loop, surface after surface. The first tessellation
     * finds them, when the shape is created; then they are constant. */
    nurbs_junction *junctions;
    size_t *first_junction; /* per surface, and at the end their number */
    tact_allocator allocator;
} nurbs_model;

/* Creates the model of surfaces, or returns NULL and fills `report` (not NULL). */
nurbs_model *tact_nurbs_model_create(const tact_nurbs_def *defs, size_t count, const tact_allocator *allocator,
                                     tact_report *report);

void tact_nurbs_model_free(nurbs_model *model); /* NULL is allowed */

size_t tact_nurbs_model_byte_count(const nurbs_model *model);

static inline uint32_t nurbs_point_count(const nurbs_model *m) { return m->first_point[m->surface_count]; }

/* The knots at both ends of a patch in direction d. */
static inline void nurbs_patch_range(const nurbs_model *m, const nurbs_patch *p, int d, double *low, double *high)
{
    const nurbs_surface *s = &m->surfaces[p->surface];
    const double *knot = s->knots[d] + s->spans[d][p->span[d]];
    *low = knot[0];
    *high = knot[1];
}

/* The largest distance of corresponding points of both sides of a seam, for these control points: a bound from their
 * Bezier control points. */
double tact_nurbs_model_seam_gap(const nurbs_model *model, uint32_t seam, const tact_vec3 *points);

#endif
