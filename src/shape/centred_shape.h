/* A shape with another origin, for motions about a pivot and about the centre of mass. */
#ifndef TACT_SHAPE_CENTRED_SHAPE_H
#define TACT_SHAPE_CENTRED_SHAPE_H

#include <tact/shape.h>

/* The shape moved by -centre: the local point `centre` becomes the origin. It has a reference to the shape, and the
 * same numbers of leaves and faces. Constant time. On failure returns NULL and the reason in `*status`: out of memory,
 * or the shape is nested too deeply or would reach too far. */
tact_shape *tact_shape_centred(const tact_shape *shape, tact_vec3 centre, const tact_allocator *allocator,
                               tact_status *status);

#endif
