/* The distance of two placed convex cores where doubles do not reach: the last resort of convex/gjk.c. */
#ifndef TACT_CONVEX_GJK_DD_H
#define TACT_CONVEX_GJK_DD_H

#include "convex/gjk.h"

typedef struct gjk_dd_task {
    const convex *a, *b;
    tact_vec3 offset; /* origin of B - origin of A, taken as exact */
    double floor;     /* a length: what doubles cannot tell from zero */
    double accuracy;  /* relative; of the distance without the margins */
    double enough;    /* a distance: beyond it only the fact matters; not below the floor */
    bool decide;      /* only whether the distance is beyond `limit` */
    double limit;
    tact_vec3 aims[5]; /* where the search in doubles has got to: directions, the best first, of any length but zero */
    int aim_count;     /* at least 1 */
} gjk_dd_task;

/* Fills in the result like tact_gjk, but with the points still relative to the origins of A and B; adds its support
 * points to `iterations`. */
void tact_gjk_pair(const gjk_dd_task *task, gjk *result);

#endif
