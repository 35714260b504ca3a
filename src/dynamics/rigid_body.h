/* A body with a mass: its mass properties, and its shape about the centre of mass. See tact/rigid.h. */
#ifndef TACT_DYNAMICS_RIGID_BODY_H
#define TACT_DYNAMICS_RIGID_BODY_H

#include <stdint.h>
#include <tact/rigid.h>

#include "dynamics/mass_properties.h"

typedef struct rigid_body {
    mass_properties properties;
    tact_shape *centred; /* the shape with the centre of mass at its origin; a reference */
} rigid_body;

/* Creates one. `mass` is in world coordinates, `transform` that of the body. NULL, with the reason in `*status`:
 * TACT_BAD_ARGUMENT, TACT_OUT_OF_MEMORY. */
rigid_body *tact_rigid_body_create(const tact_shape *shape, const tact_transform *transform, const tact_mass *mass,
                                   const tact_allocator *allocator, tact_status *status);

/* Creates one with stored values; `values->centred` is not read. */
rigid_body *tact_rigid_body_restore(const rigid_body *values, const tact_shape *shape, const tact_allocator *allocator,
                                    tact_status *status);

void tact_rigid_body_free(rigid_body *r, const tact_allocator *allocator); /* NULL is allowed */

#endif
