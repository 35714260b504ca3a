/* Moves control points of a tessellation, and makes it anew if cells change. For tests and benchmarks. */
#ifndef TACT_TEST_NURBS_MOVE_H
#define TACT_TEST_NURBS_MOVE_H

#include <string.h>

#include "nurbs/nurbs_tessellation.h"

static inline nurbs_move move_control_points(nurbs_tessellation *t, uint32_t first, uint32_t count,
                                             const tact_vec3 *points, tact_report *report)
{
    const nurbs_move done = tact_nurbs_tessellation_try_move(t, first, count, points, report);
    if (done != NURBS_MOVE_CELLS)
        return done;
    nurbs_tessellation fresh;
    if (!tact_nurbs_tessellation_init_moved(&fresh, t, first, count, points, report))
        return NURBS_MOVE_FAILED;
    memcpy(fresh.changed, t->changed, t->model->patch_count);
    tact_nurbs_tessellation_release(t);
    *t = fresh;
    return NURBS_MOVE_CELLS;
}

#endif
