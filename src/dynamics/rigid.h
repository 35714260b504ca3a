/* What a body weighs, and how it moves freely: see tact/rigid.h. */
#ifndef TACT_DYNAMICS_RIGID_H
#define TACT_DYNAMICS_RIGID_H

#include <stdint.h>
#include <tact/rigid.h>

#include "dynamics/mass_properties.h"

typedef struct rigid {
    mass_properties properties;
    double bounced;      /* when the count of bounces began; -INFINITY: there was none */
    uint32_t bounces;    /* since then: see bounce.c */
    tact_shape *centred; /* its shape with the centre of mass at the origin; a reference */
} rigid;

/* Makes one; NULL with what is wrong. The mass is in the coordinates that the shape is placed into. */
rigid *tact_rigid_create(const tact_shape *shape, const tact_transform *place, const tact_mass *mass,
                         const tact_allocator *allocator, tact_status *status);
/* One with these values, of which `centred` is not read. */
rigid *tact_rigid_restore(const rigid *values, const tact_shape *shape, const tact_allocator *allocator,
                          tact_status *status);
void tact_rigid_free(rigid *r, const tact_allocator *allocator); /* NULL is allowed */

#endif
