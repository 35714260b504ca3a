/*
 * First contact of a rigid body of any shape in its true motion with a set of triangles whose vertices move linearly.
 */
#ifndef TACT_TOI_ARC_MESH_TOI_H
#define TACT_TOI_ARC_MESH_TOI_H

#include "core/array.h"
#include "toi/arc_toi.h"

/* A rigid body in true motion. */
typedef struct arc_shape {
    const tact_shape *shape; /* any; of meshes the surface counts */
    tact_transform at;       /* at t0 */
    tact_motion motion;
    double t0;
    double extra_margin; /* length: added to the margin of the shape */
} arc_shape;

typedef struct arc_triangle {
    linear_path path[3];
    uint32_t face; /* the caller's number */
} arc_triangle;

typedef struct arc_mesh_contact {
    arc_contact contact; /* of the pair below; `steps` is the sum over all pairs */
    uint32_t triangle;   /* index of the triangle in the list, for a hit */
    uint32_t face;       /* its face */
    tact_part part;      /* of the body's shape */
    size_t pairs;        /* pairs of a primitive and a triangle that were searched */
} arc_mesh_contact;

/* A primitive of the body that some triangle may meet. */
typedef struct arc_candidate {
    arc_body body;
    box ends[2];
    tact_part part;
} arc_candidate;

/* A primitive and a triangle, and when they may meet. */
typedef struct arc_candidate_pair {
    double enter, exit;
    uint32_t candidate, triangle;
} arc_candidate_pair;

/* The moving box of a triangle. */
typedef struct arc_triangle_box {
    box ends[2];
} arc_triangle_box;

ARRAY_OF(arc_candidate_array, arc_candidate);
ARRAY_OF(arc_candidate_pair_array, arc_candidate_pair);
ARRAY_OF(arc_triangle_box_array, arc_triangle_box);
ARRAY_OF(arc_box_array, box);

/* Memory that is kept from search to search. Zero-initialised. */
typedef struct arc_mesh_finder {
    arc_candidate_array candidates;
    arc_candidate_pair_array pairs, scratch;
    arc_triangle_box_array ends;
    arc_box_array boxes;
    aabb_tree tree; /* over the boxes that the triangles sweep */
} arc_mesh_finder;

void tact_arc_mesh_finder_release(arc_mesh_finder *finder, const tact_allocator *allocator);

/*
 * The first time in [enter, exit] at which the body and one of the triangles are within `tolerance`, with the
 * guarantees of tact_arc_toi. Of several pairs with the same time one is taken, which depends on the input alone. If a
 * search has not converged, its time counts as a hit.
 *
 * Returns the status of the contact: TACT_OK, TACT_NOT_CONVERGED (a hit), TACT_BAD_ARGUMENT or TACT_OUT_OF_MEMORY
 * (state TACT_UNKNOWN). The same allocator must be used for all calls with one finder.
 */
tact_status tact_arc_mesh_toi(arc_mesh_finder *finder, const arc_shape *body, const arc_triangle *triangles,
                              size_t count, double enter, double exit, double tolerance,
                              const tact_allocator *allocator, arc_mesh_contact *contact);

/*
 * The time up to which the body and the triangles are certain to be within `distance`, a length, from `enter` on: not
 * after `exit`; `enter` if nothing is certain. A time beyond a pair's own certificate is found from other pairs. The
 * search goes from certificate to certificate, and takes the first one that lasts for `enough`, a duration.
 * Returns TACT_OK, TACT_BAD_ARGUMENT or TACT_OUT_OF_MEMORY.
 */
tact_status tact_arc_mesh_overlap_until(arc_mesh_finder *finder, const arc_shape *body, const arc_triangle *triangles,
                                        size_t count, double enter, double exit, double distance, double enough,
                                        const tact_allocator *allocator, double *until);

#endif
