/* Bodies whose vertices move (tact/animation.h): windows of their motion, and their shape at the current time. */
#ifndef TACT_ADVANCE_VERTEX_MOTION_H
#define TACT_ADVANCE_VERTEX_MOTION_H

#include "advance/body_motion.h"
#include "kinetic/vertex_plan.h"

/* Begins a window of the vertex motion: sets `rotation_expiry`, the time until which each vertex stays on one linear
 * path, and the extents that hold until then. The window ends after now. `changed`: the plan has changed, so that
 * vertices may jump from where they were in the last window. `batch`: as in advance. */
void tact_vertex_motion_begin_window(body_motion_cold *cold, double now, bool changed, uint64_t batch);

/* Whether vertices may jump from the piece before to the one at hand, when it begins: at the start of a repetition. */
bool tact_vertex_motion_may_jump(const vertex_plan_pieces *pieces);

/* After a change of some vertices: keeps the window, if their new paths hold until its end. The extents grow by these
 * paths. False: another window is to begin. */
bool tact_vertex_motion_continue_window(body_motion_cold *cold, double now, uint64_t batch);

/* All vertices have come to rest, at the end of a window with `comes_to_rest`: they stay within its extents. O(1). */
void tact_vertex_motion_rest(body_motion_cold *cold);

/* Sets the extents of the vertices where they were just before `now`: of a restored body. */
void tact_vertex_motion_compute_extents(body_motion_cold *cold, double now);

/* Whether a body may have its vertex plan, and all its numbers are valid: of a saved world, at its time. */
bool tact_vertex_motion_valid(const tact_world *world, uint32_t index, double time);

/* Brings the shape of a body, and its proxy in the broad phase, up to the time of the world. No effect for other
 * bodies. */
tact_status tact_vertex_motion_sync(tact_world *world, uint32_t index);

#endif
