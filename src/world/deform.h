/* The state of a deformable body: see tact_body_deform. */
#ifndef TACT_WORLD_DEFORM_H
#define TACT_WORLD_DEFORM_H

#include <tact/body.h>

#include "core/array.h"
#include "nurbs/nurbs_shape.h"
#include "shape/refittable_mesh.h"
#include "world/world_constants.h"

ARRAY_OF(box_array, box);

typedef struct deform {
    tact_shape *original;          /* the shape the body was created with; a reference */
    tact_shape *copies[2];         /* references; one is the body's shape, the other is the previous shape or unused */
    vertex_adjacency adjacency;    /* of both */
    tact_vertices caller_vertices; /* data NULL: none yet */
    vertex_range stale[DEFORM_MAX_RANGES]; /* outside of these both copies have equal vertices; disjoint, sorted */
    size_t stale_count;
    uint32_t vertex_count; /* of the body's shape */
    bool topology_differs; /* the copies have different faces or numbers of vertices (remesh.c) */
    tact_shape **hulls;    /* of a soup with large convex parts: by part, those computed for the change in progress */
    tact_vec3 *points;     /* scratch for the vertices of a convex part */
    uint32_t point_capacity;
    nurbs_geometry *nurbs; /* NURBS body: its surfaces at its own control points; otherwise NULL */
    tact_allocator allocator;
} deform;

/* For a mesh or soup; NULL: out of memory. Reserves capacity for the boxes of its elements in `boxes`. */
deform *tact_deform_create(const tact_shape *shape, box_array *boxes, const tact_allocator *allocator);

/* NULL is allowed. */
void tact_deform_free(deform *d);

/* The state of a deformable body as it is saved: its copies as independent shapes. */
typedef struct deform_state {
    const tact_shape *original;
    const tact_shape *copies[2];
    uint64_t refit_counts[2]; /* of the copies */
    vertex_range stale[DEFORM_MAX_RANGES];
    uint32_t stale_count;
    bool topology_differs;
    uint32_t current;                /* which copy is the body's shape */
    uint32_t previous;               /* which copy is the previous shape: 0 or 1, or DEFORM_OTHER */
    const tact_vec3 *control_points; /* NURBS body: as many as the original has; otherwise NULL */
} deform_state;

/* The points of a body whose motion can be set (tact/animation.h): its vertices, or the control points of a NURBS body.
 */
static inline uint32_t deform_point_count(const deform *d)
{
    return d->nurbs != NULL ? nurbs_point_count(d->nurbs->model) : d->vertex_count;
}

#define DEFORM_OTHER 2u /* neither copy */

/* Restores it. NULL with TACT_BAD_ARGUMENT in `status` if the shapes are inconsistent. */
deform *tact_deform_restore(const deform_state *state, box_array *boxes, const tact_allocator *allocator,
                            tact_status *status);

/* Uses `edit` as the adjacency from now on: the faces are going to change. */
void tact_deform_begin_edit(deform *d, struct mesh_edit *edit);

/* Reserves the memory that the next change of vertices needs after a change of faces. */
tact_status tact_deform_reserve(tact_world *world, uint32_t index);

/* Sets all vertices of a body to where its vertex motion has taken them, and updates the broad phase. Neither observer
 * nor extensions are notified. TACT_BAD_ARGUMENT: a vertex is too far out; TACT_OUT_OF_MEMORY. */
tact_status tact_deform_sync(tact_world *world, uint32_t index, const tact_vec3 *positions);

/* The same for a NURBS body: sets all its control points. TACT_BAD_ARGUMENT also if the tolerance would need too many
 * triangles. (control_points.c) */
tact_status tact_deform_sync_surface(tact_world *world, uint32_t index, const tact_vec3 *points);

/* NURBS body: sets vertices in these ranges (disjoint, sorted, at most DEFORM_MAX_RANGES - 1) to those of its
 * tessellation, whose error has changed too. `tree` as in CALL_DEFORM. */
void tact_deform_update_surface(tact_world *world, uint32_t index, const vertex_range *ranges, size_t count,
                                tact_status *tree);

/* NURBS body: replaces the geometry, whose cells differ, and the mesh. Takes over `geometry` if it succeeds. */
tact_status tact_deform_replace_surface(tact_world *world, uint32_t index, nurbs_geometry *geometry);

/* Adds a range to disjoint, sorted ranges, at most DEFORM_MAX_RANGES - 1, and keeps them so. */
void tact_vertex_ranges_add(vertex_range *ranges, size_t *count, vertex_range more);

/* The largest coordinate of vertices with which the transformed body has bounds for certain. Larger ones are tried on a
 * copy. */
struct world_body;
double tact_deform_max_coordinate(const struct world_body *hot);

/* The box of a body with a shape; if its bounds are invariant under rotation, also the bounding radius. */
tact_status tact_deform_box(const struct world_body *hot, const tact_shape *shape, double *bounding_radius,
                            box *box_out);

#endif
