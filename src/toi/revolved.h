/*
 * Bodies that turn many times, as the solids of revolution that they stay in.
 *
 * A body that spins at a constant rate about a fixed axis stays in the cylinder around that axis which contains it, and
 * the cylinder only translates. While two such cylinders, or one and a body that does not spin, are apart, no turn has
 * to be searched: the cost does not depend on the rate.
 *
 * Guarantee: no contact is left out, whatever the rounding. Cost: a few GJK, as for bodies that do not spin; some 10
 * microseconds.
 */
#ifndef TACT_TOI_REVOLVED_H
#define TACT_TOI_REVOLVED_H

#include <tact/query.h>

/* Whether one of two bodies turns so often in a time that the question below pays. */
bool tact_toi_turns_often(const tact_motion motion[2], double end);

/* A time up to which two bodies, turned in any way about their axes, are apart; `end`: throughout. Motions are about
 * the origins of the transforms, and valid; the shapes are not NULL. */
double tact_toi_free_time_revolved(const tact_shape *const shape[2], const tact_transform transform[2],
                                   const tact_motion motion[2], double end);

#endif
