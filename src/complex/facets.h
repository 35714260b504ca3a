/* The surface of a polytope, triangle by triangle: of one convex element of a placed shape (complex/traversal.h). */
#ifndef TACT_COMPLEX_FACETS_H
#define TACT_COMPLEX_FACETS_H

#include "complex/traversal.h"

typedef enum surface_kind { SURFACE_TRIANGLE, SURFACE_POINTS, SURFACE_BOX, SURFACE_HULL } surface_kind;

typedef struct surface {
    surface_kind kind;
    const mesh *mesh; /* of a triangle */
    const tact_shape *shape;
    tact_transform at;
    uint32_t element;
    const mesh *soup;    /* whose piece it is, or NULL */
    uint32_t first;      /* of a soup's piece: its first corner */
    uint32_t count;      /* points: how many */
    bool mirrored;       /* by the placement */
    tact_vec3 points[4]; /* points: where they are */
} surface;

/* One triangle of it; its corners go around counter-clockwise, seen from outside. */
typedef struct facet {
    tact_vec3 at[3];
    uint32_t vertex[3]; /* of its mesh, or a corner of the convex shape: see tact_facet_vertex */
    uint32_t side;      /* as tact_intersection numbers them */
    uint32_t inner;     /* bit k: the edge from corner k to k + 1 is a cut inside a face */
} facet;

/* How far a loop over the facets has come; zero to begin with. */
typedef struct facet_cursor {
    uint32_t face, step;
} facet_cursor;

/* False if it has no facets: it is curved, rounded, a sum or a join. */
bool tact_surface_make(surface *s, const primitive *of);

/* The next facet; false when there are no more. */
bool tact_surface_next(const surface *s, facet_cursor *cursor, facet *f);

/* A corner as tact_intersection numbers it. */
uint32_t tact_facet_vertex(const surface *s, const facet *f, int k);

/* Where a polygon touches itself, goes there and back or repeats a corner some of its triangles have no area: they hold
 * the edges that other triangles, on a part of them, seem to have as cuts (shape/triangulate_touch.c). */

/* Whether it is such a triangle of a polygon. */
bool tact_facet_is_thin(const surface *s, const facet *f);

/* Of such a triangle: one with area of the same face, near it in order, to tell the plane. False: the face has none. */
bool tact_facet_plane(const surface *s, facet *plane);

/* The next of such triangles of the polygon that the surface's element is part of; false when there are no more. */
bool tact_surface_next_thin(const surface *s, facet_cursor *cursor, facet *f);

#endif
