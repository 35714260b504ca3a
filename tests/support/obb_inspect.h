/* What validators ask of oriented boxes. */
#ifndef TACT_TEST_OBB_INSPECT_H
#define TACT_TEST_OBB_INSPECT_H

#include <math.h>
#include <stdbool.h>

#include "bounds/bounds_constants.h"
#include "bounds/obb.h"

/* The box in a lane. */
static inline obb obb4_get(const obb4 *four, unsigned lane)
{
    obb b;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            b.axis[i][k] = four->axis[i][k][lane];
        b.centre[i] = four->centre[i][lane];
        b.half[i] = four->half[i][lane];
    }
    return b;
}

/* Is the point certainly inside? */
static inline bool obb_contains(const obb *b, tact_vec3 point)
{
    const double d[3] = {point.x - (double)b->centre[0], point.y - (double)b->centre[1],
                         point.z - (double)b->centre[2]};
    const double size = fabs(point.x) + fabs(point.y) + fabs(point.z) + (double)fabsf(b->centre[0]) +
                        (double)fabsf(b->centre[1]) + (double)fabsf(b->centre[2]);
    for (int i = 0; i < 3; ++i) {
        const double x =
            fabs((double)b->axis[i][0] * d[0] + (double)b->axis[i][1] * d[1] + (double)b->axis[i][2] * d[2]);
        if (!(x + OBB_PROJECTION_ERROR * size <= (double)b->half[i]))
            return false;
    }
    return true;
}

#endif
