/* The surface of one polytope primitive of an instance (complex/traversal.h), as triangles. */
#ifndef TACT_COMPLEX_FACETS_H
#define TACT_COMPLEX_FACETS_H

#include "complex/traversal.h"

typedef enum surface_kind { SURFACE_TRIANGLE, SURFACE_POINTS, SURFACE_BOX, SURFACE_HULL } surface_kind;

typedef struct surface {
    surface_kind kind;
    const mesh *mesh; /* SURFACE_TRIANGLE */
    const tact_shape *shape;
    tact_transform at;
    uint32_t element;
    const mesh *soup;    /* the soup whose convex part it is, or NULL */
    uint32_t first;      /* convex part of a soup: its first index */
    uint32_t count;      /* SURFACE_POINTS */
    bool mirrored;       /* the transform reverses orientation */
    tact_vec3 points[4]; /* SURFACE_POINTS: transformed */
} surface;

/* One triangle of a surface; its vertices are counter-clockwise, seen from outside. */
typedef struct surface_facet {
    tact_vec3 at[3];
    uint32_t vertex[3];   /* of its mesh, or of the convex shape: see tact_facet_vertex */
    uint32_t face;        /* as tact_intersection numbers faces */
    uint32_t inner_edges; /* bit k: the edge from vertex k to k + 1 is inside a face */
} surface_facet;

/* The position of an iteration over the facets; starts at zero. */
typedef struct facet_cursor {
    uint32_t face, step;
} facet_cursor;

/* False if it has no facets: it is curved, has a margin, or is a Minkowski sum or convex hull of shapes. */
bool tact_surface_make(surface *s, const primitive *of);

/* The next facet; false when there are no more. */
bool tact_surface_next(const surface *s, facet_cursor *cursor, surface_facet *f);

/* A vertex as tact_intersection numbers it. */
uint32_t tact_facet_vertex(const surface *s, const surface_facet *f, int k);

/* Degenerate facets. Where a polygon touches itself, runs back along an edge or repeats a vertex, its triangulation has
 * triangles without area. They carry boundary edges that other triangles have, on a part of them, as inner edges
 * (shape/triangulate_touch.c). */

/* Whether a facet is such a triangle. */
bool tact_facet_is_degenerate(const surface *s, const surface_facet *f);

/* For such a triangle: one with area of the same face, close in order, that gives the plane. False: the face has none.
 */
bool tact_facet_plane(const surface *s, surface_facet *plane);

/* The next degenerate triangle of the polygon that the surface belongs to; false when there are no more. */
bool tact_surface_next_degenerate(const surface *s, facet_cursor *cursor, surface_facet *f);

#endif
