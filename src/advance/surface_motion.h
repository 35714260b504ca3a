/*
 * NURBS bodies whose control points move (tact/animation.h): triangles for one window of the motion.
 *
 * In a window each control point moves linearly. The vertices of the tessellation are sums of control points with
 * constant coefficients, so they move linearly, too. The division into cells is such that the error holds at both ends
 * of the window, and therefore at all times of it (nurbs/nurbs_tessellation.h, tact_nurbs_tessellation_init_moving).
 * Each window has a tessellation of its own. Where two windows meet, both are within their errors of the surfaces at
 * that time, and the contact search of the new window includes it: so no contact is lost there.
 *
 * The shape of the body in the world is another tessellation, that of the control points at one time
 * (tact_vertex_motion_sync).
 */
#ifndef TACT_ADVANCE_SURFACE_MOTION_H
#define TACT_ADVANCE_SURFACE_MOTION_H

#include "advance/body_motion.h"
#include "motion/linear_path.h"
#include "nurbs/nurbs_tessellation.h"

typedef struct surface_window {
    tact_shape *shape;               /* a reference: it owns the model */
    nurbs_tessellation tessellation; /* its positions are those at `begin` */
    tact_vec3 *end_points;           /* control points at `end`, to which the tessellation refers */
    tact_vec3 *end_positions;        /* of the vertices */
    double begin, end;               /* times; end INFINITY: at rest */
    double reach; /* length: no point of the body, margin included, is farther from the triangles at the same time */
} surface_window;

/* Begins a window now, up to cold->rotation_expiry, and enlarges the extents by the reach. On failure
 * (TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: the tolerance needs too many triangles) the old window stays. */
tact_status tact_surface_window_begin(tact_world *world, uint32_t index);

/* NULL is allowed. */
void tact_surface_window_free(surface_window *w);

/* The path of a vertex in the window. */
static inline linear_path surface_window_path(const surface_window *w, uint32_t vertex)
{
    const tact_vec3 from = w->tessellation.positions[vertex];
    return w->end < INFINITY ? (linear_path){w->begin, w->end, from, w->end_positions[vertex], false}
                             : linear_path_at_rest(from, w->begin);
}

#endif
