/* How a body turns when nothing twists it. */
#ifndef TACT_DYNAMICS_FREE_ROTATION_H
#define TACT_DYNAMICS_FREE_ROTATION_H

#include <stdbool.h>
#include <tact/transform.h>

/* The principal axes of a body, a right-handed or left-handed set of unit vectors, by ascending moments of inertia. */
typedef struct principal {
    tact_vec3 axes[3];
    double moments[3]; /* each 0 or more, and at most the sum of the two others */
    double apart[3];   /* the second moment less the first, the third less the first and less the second, without
                          cancelling */
    bool rod;          /* the first moment counts as 0: see turning.c */
    bool thin;         /* it is much less than the others */
} principal;

/* Makes second moments xx, yy, zz, xy, xz, yz that are negative along some axis 0 there. */
void tact_spread_clean(double spread[6]);

/* Of second moments xx, yy, zz, xy, xz, yz of the mass (those below 0 by rounding count as 0). */
principal tact_principal_of(const double spread[6]);

/* The spin that comes with a momentum. That of a rod has no part along its axis. */
tact_vec3 tact_principal_spin(const principal *p, tact_vec3 momentum);

/* The spin of a piece of the turning that begins now, constant for as long as `*duration` says (INFINITY: for ever),
 * such that the body is where it should be at its end. `most`: it is to be no longer than this, if that is not very
 * short. `own`: how fast a rod spins about itself; of others it is not read. */
tact_vec3 tact_turning_piece(const principal *p, tact_vec3 momentum, double own, double most, double *duration);

/* How fast a thin body spins about itself a while after it was so. */
double tact_turning_own(const principal *p, tact_vec3 momentum, double while_after);

#endif
