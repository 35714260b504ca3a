/* For how long two shapes that overlap surely go on doing so. */
#ifndef TACT_NARROW_HOLD_H
#define TACT_NARROW_HOLD_H

#include <tact/query.h>

/* The signed distance of two placed shapes: apart, their distance. Else minus a way that they surely do not part on: as long as no point of
 * one has moved by more than that past those of the other, in whatever direction and however they turn, they overlap. It is not
 * looked for a longer one than `enough`. */
tact_status tact_shapes_hold(const tact_shape *a, tact_placement at_a, const tact_shape *b, tact_placement at_b,
                             double enough, double *apart);

/* Two triangles of two meshes that hold each other. */
typedef struct hold_witness {
    bool there;
    uint32_t a, b; /* triangles */
} hold_witness;

/* The same, and who says so, if it is two triangles. */
tact_status tact_shapes_hold_by(const tact_shape *a, tact_placement at_a, const tact_shape *b, tact_placement at_b,
                                double enough, double *apart, hold_witness *witness);

/* For how long these two surely hold each other where the shapes are now: minus a way, as above, or 0. */
double tact_witness_hold(const hold_witness *witness, const tact_shape *a, const tact_placement *at_a,
                         const tact_shape *b, const tact_placement *at_b);

#endif
