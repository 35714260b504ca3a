/* The support map of a placed convex shape in pairs of doubles: for the few searches that a rounding unit of a support
 * point stalls. */
#ifndef TACT_SHAPE_CONVEX_DD_H
#define TACT_SHAPE_CONVEX_DD_H

#include "math/dd_vec.h"
#include "shape/convex.h"

/* As tact_convex_support, for the same shape as it was placed and rounded there, to about 2^-100 of its reach; a user's
 * own support function is asked along the rounded direction. The caller has entered the default environment
 * (math/fp_environment.h). */
dd_vec tact_convex_support_dd(const convex *c, dd_vec direction, uint64_t *branch);

#endif
