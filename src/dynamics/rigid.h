/* What a body weighs, and how it moves freely: see tact/rigid.h. */
#ifndef TACT_DYNAMICS_RIGID_H
#define TACT_DYNAMICS_RIGID_H

#include <stdint.h>
#include <tact/rigid.h>

#include "math/vec.h"

/* A symmetric matrix. */
typedef struct symmetric {
    double xx, yy, zz, xy, xz, yz;
} symmetric;

typedef struct rigid {
    double mass;      /* greater than 0 */
    tact_vec3 centre; /* of mass, in the body's own coordinates */
    double bounced;   /* when the count of bounces began; -INFINITY: there was none */
    uint32_t bounces; /* since then: see bounce.c */
    symmetric
        spread; /* the mean of (x - centre)(x - centre)^T over the mass, likewise: it goes along with any placement */
    bool turns; /* can a bounce turn it? */
    tact_shape *centred; /* its shape with the centre of mass at the origin; a reference */
} rigid;

static inline tact_vec3 symmetric_map(const symmetric *s, tact_vec3 v)
{
    return vec_make(s->xx * v.x + s->xy * v.y + s->xz * v.z, s->xy * v.x + s->yy * v.y + s->yz * v.z,
                    s->xz * v.x + s->yz * v.y + s->zz * v.z);
}

/* Makes one; NULL with what is wrong. The mass is in the coordinates that the shape is placed into. */
rigid *tact_rigid_create(const tact_shape *shape, const tact_transform *place, const tact_mass *mass,
                         const tact_allocator *allocator, tact_status *status);
/* One with these values, of which `centred` is not read. */
rigid *tact_rigid_restore(const rigid *values, const tact_shape *shape, const tact_allocator *allocator,
                          tact_status *status);
void tact_rigid_free(rigid *r, const tact_allocator *allocator); /* NULL is allowed */

/* Its inertia about its centre, placed so, and the inverse of that (all zero if it does not turn). */
symmetric tact_rigid_inertia(const rigid *r, const tact_transform *place);
symmetric tact_rigid_inverse(const rigid *r, const tact_transform *place);

/* The spin of the next piece of a free motion, about the centre: constant for as long as `*duration` says (INFINITY:
 * for ever), and such that the angular momentum is kept. `last`: the spin up to now, or that of the last piece: a rod
 * goes on with its part along the rod. `most`: see tact_turning_piece. */
tact_vec3 tact_rigid_spin(const rigid *r, const tact_transform *place, tact_vec3 momentum, tact_vec3 last, double most,
                          double *duration);

/* Its spin itself, in a piece with this mean that began `since` ago at `begin` and has taken it to `place`. */
tact_vec3 tact_rigid_spin_now(const rigid *r, const tact_transform *place, tact_vec3 momentum,
                              const tact_transform *begin, tact_vec3 piece, double since);

#endif
