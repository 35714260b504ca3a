/* For how long two shapes that overlap surely go on doing so. */
#ifndef TACT_NARROW_HOLD_H
#define TACT_NARROW_HOLD_H

#include <tact/query.h>

/* The signed distance of two placed shapes: apart, their distance. Else minus a way that they surely do not part on: as long as no point of
 * one has moved by more than that past those of the other, in whatever direction and however they turn, they overlap. It is not
 * looked for a longer one than `enough`. */
tact_status tact_shapes_hold(const tact_shape *a, tact_placement at_a, const tact_shape *b, tact_placement at_b,
                             double enough, double *apart);

#endif
