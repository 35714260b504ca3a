/* What a body weighs, and how it moves freely: see tact/rigid.h. */
#ifndef TACT_DYNAMICS_RIGID_BODY_H
#define TACT_DYNAMICS_RIGID_BODY_H

#include <stdint.h>
#include <tact/rigid.h>

#include "dynamics/mass_properties.h"

typedef struct rigid_body {
    mass_properties properties;
    double bounced;      /* when the count of bounces began; -INFINITY: there was none */
    uint32_t bounces;    /* since then: see bounce.c */
    tact_shape *centred; /* its shape with the centre of mass at the origin; a reference */
} rigid_body;

/* Makes one; NULL with what is wrong. The mass is in the coordinates that the shape is placed into. */
rigid_body *tact_rigid_body_create(const tact_shape *shape, const tact_transform *place, const tact_mass *mass,
                                   const tact_allocator *allocator, tact_status *status);
/* One with these values, of which `centred` is not read. */
rigid_body *tact_rigid_body_restore(const rigid_body *values, const tact_shape *shape, const tact_allocator *allocator,
                                    tact_status *status);
void tact_rigid_body_free(rigid_body *r, const tact_allocator *allocator); /* NULL is allowed */

#endif
