/* GJK in double-double arithmetic: where the search in doubles (gjk.c) stalls. */
#ifndef TACT_CONVEX_GJK_DD_H
#define TACT_CONVEX_GJK_DD_H

#include "convex/gjk.h"

typedef struct gjk_dd_task {
    const convex *a, *b;
    tact_vec3 offset;     /* origin of B - origin of A, taken as exact */
    double rounding;      /* length: the rounding error of a distance in doubles */
    double accuracy;      /* relative to the distance less the margins */
    double stop_distance; /* a distance: beyond it only the fact matters; at least the rounding error */
    bool decide;          /* only decide whether the distance is beyond `limit` */
    double limit;
    tact_vec3 directions[5]; /* directions found in doubles, the best first, of any length but zero */
    int direction_count;     /* at least 1 */
} gjk_dd_task;

/* Fills in the result like tact_gjk, with the points relative to the origins of A and B. Adds its support points to
 * `iterations`. */
void tact_gjk_dd(const gjk_dd_task *task, gjk_result *result);

#endif
