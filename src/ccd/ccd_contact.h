/*
 * Contact weights and normal of a hit (ccd_contact.c), for motions of any kind: the caller computes where the points
 * are and how they move, in doubles and in integers.
 */
#ifndef TACT_CCD_CCD_CONTACT_H
#define TACT_CCD_CCD_CONTACT_H

#include "ccd/ccd_polynomials.h"

/* The differences x1 - x0, x2 - x0, x3 - x0, in some unit. */
typedef struct point_differences {
    tact_vec3 d[3];
} point_differences;

/* The four points at the time of a contact, in doubles. */
typedef struct contact_motion {
    point_differences at, speeds;
    double error;       /* of a coordinate of `at`, an upper bound */
    double speed_error; /* of the speed at which A and B approach, an upper bound */
    double width;       /* of the time bracket */
} contact_motion;

/* Writes weights and normal of a contact that is not degenerate. Returns false if doubles are not accurate enough. */
bool tact_ccd_contact_in_doubles(tact_ccd_kind kind, const contact_motion *motion, tact_ccd *answer);

/* The same in integers, whatever the contact; `answer->degenerate` is set. The contact is in [lower, upper]. The
 * differences of the points have a common factor. Their lengths of N words add 109 N words to the workspace (12 areas
 * 72 N; the normal and its areas at a time 36 N), and times another 800. */
void tact_ccd_contact_in_integers(ccd_polynomials *polynomials, double lower, double upper, tact_ccd *answer);

#endif
