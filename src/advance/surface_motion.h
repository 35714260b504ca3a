/*
 * NURBS bodies whose control points move (tact/animation.h): triangles for one window of the motion.
 *
 * In a window each control point moves linearly. The vertices of the tessellation are sums of control points with
 * constant coefficients, so they move linearly, too. The division into cells is such that the error holds at both ends
 * of the window, and therefore at all times of it (nurbs/nurbs_tessellation.h, tact_nurbs_tessellation_init_moving).
 *
 * A body without feature events has a tessellation for each window. Where two windows meet, both are within their
 * errors of the surfaces at that time, and the contact search of the new window includes it: so no touch is lost there.
 *
 * A body with feature events has regular tessellations (nurbs/nurbs_regular.h). Cells are divided where the next window
 * needs it, and stay so as long as the control points move. So its triangles are the same from window to window, except
 * where cells are divided. Vertices that are new then begin on the triangles before and jump to the surface: contacts
 * on the way are found (deforming_contacts.h). Contacts of the body with itself beside an edge that surfaces share are
 * left out: there they meet.
 *
 * The shape of the body in the world is another tessellation, that of the control points at one time
 * (tact_vertex_motion_sync).
 */
#ifndef TACT_ADVANCE_SURFACE_MOTION_H
#define TACT_ADVANCE_SURFACE_MOTION_H

#include "advance/body_motion.h"
#include "motion/linear_path.h"
#include "nurbs/nurbs_regular.h"
#include "world/deform.h"

/* Immutable but for the shape for contacts, and counted: pairs refer to the window whose triangles they have. */
typedef struct surface_window {
    tact_shape *shape;               /* a reference: it owns the model */
    nurbs_tessellation tessellation; /* its positions and control points are those at `begin` */
    tact_vec3 *end_points;           /* control points at `end`, to which the tessellation refers */
    tact_vec3 *end_positions;        /* of the vertices */
    tact_vec3 *before;               /* positions of the vertices just before `begin`; NULL: they did not jump */
    double begin, end;               /* times; end INFINITY: at rest */
    double point_error; /* length: how far the control points are from their exact paths, in each coordinate */
    double reach; /* length: no point of the body, margin included, is farther from the triangles at the same time */
    uint64_t edition;        /* another one when the cells change, also after a rest; never that of other cells */
    nurbs_division division; /* of a regular tessellation */
    uint32_t references;
    /* For persistent contacts: the triangles at a time, as a mesh with an error of `reach` without its margin. NULL:
     * not made yet. What it is depends on the window and the time alone. */
    tact_shape *contact_shape;
    double contact_time;
} surface_window;

/* What determines a window of a body with feature events, for saved worlds. */
typedef struct surface_state {
    uint32_t index; /* of the body */
    double begin, end, point_error;
    uint32_t point_count;
    const tact_vec3 *start_points, *end_points;
    nurbs_division division;
} surface_state;

/* Begins a window now, up to cold->rotation_expiry, and enlarges the extents by the reach. On failure
 * (TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: the tolerance needs too many triangles) the old window stays. */
tact_status tact_surface_window_begin(tact_world *world, uint32_t index);

/* Gives a body the window of a saved world. TACT_BAD_ARGUMENT: the state is invalid. */
tact_status tact_surface_window_restore(tact_world *world, const surface_state *state);

/* Makes `contact_shape` that of a time. `boxes`: memory of the world. TACT_OUT_OF_MEMORY: it is as before. Cost: that
 * of a mesh for the first time, then 15 ns for each triangle. */
tact_status tact_surface_window_sync(surface_window *w, double time, box_array *boxes, const tact_allocator *allocator);

surface_window *tact_surface_window_retain(surface_window *w); /* NULL is allowed, and returned */
void tact_surface_window_release(surface_window *w);           /* NULL is allowed */

/* The path of a vertex in the window. */
static inline linear_path surface_window_path(const surface_window *w, uint32_t vertex)
{
    const tact_vec3 from = w->tessellation.positions[vertex];
    return w->end < INFINITY ? (linear_path){w->begin, w->end, from, w->end_positions[vertex], false}
                             : linear_path_at_rest(from, w->begin);
}

/* The path that held just before a time of the window. */
static inline linear_path surface_window_path_before(const surface_window *w, uint32_t vertex, double time)
{
    return w->before != NULL && time == w->begin ? linear_path_at_rest(w->before[vertex], w->begin)
                                                 : surface_window_path(w, vertex);
}

/* The weights of the point of a triangle that is closest to a point. */
void tact_triangle_closest_weights(const tact_vec3 v[3], tact_vec3 p, double weights[3]);

/* The place of the surface at the point of a triangle that is closest to `point` at a time. */
tact_nurbs_location tact_surface_window_locate(const surface_window *w, uint32_t triangle, double time,
                                               tact_vec3 point);

/* Whether two places of the surfaces are neighbours across an edge of the model at a time (nurbs/nurbs_edge_paths.h).
 * Triangles of a body with feature events are not joined there, so they may touch. */
bool tact_surface_window_joins(const surface_window *w, double time, const tact_nurbs_location *a,
                               const tact_nurbs_location *b);

/* How far the surface of a body with moving vertices may be from its triangles, which move: the error of a
 * tessellation, and the margin. */
static inline double surface_motion_reach(const body_motion_cold *cold)
{
    return cold->surface != NULL ? cold->surface->reach : cold->vertex_margin;
}

#endif
