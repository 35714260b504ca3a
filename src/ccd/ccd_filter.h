/* The floating-point filter of continuous collision detection, for one pair. */
#ifndef TACT_CCD_CCD_FILTER_H
#define TACT_CCD_CCD_FILTER_H

#include "ccd/feature_ccd.h"

typedef enum ccd_filter_result { CCD_FILTER_UNDECIDED, CCD_FILTER_MISS, CCD_FILTER_HIT } ccd_filter_result;

/* Do the two collide within the window? For a hit, `bracket` gets the grid cell that holds the first contact
 * (ccd_bracket.h). Arguments are checked, the separation is 0, and the floating-point environment is the default one.
 * (ccd_filter.c) */
ccd_filter_result tact_ccd_filter(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                  const tact_ccd_def *def, double bracket[2]);

/* A root of the volume at which the two touch: the only one between `from` and `to`, and not at these ends. */
typedef struct ccd_filter_contact {
    double from, to;
    double guess; /* near the root */
    double slope; /* about the derivative of the volume u x v . w (ccd_error_bounds.h) at the root */
    int before;   /* the sign of the volume before the root; it has the other sign after it */
} ccd_filter_contact;

#define CCD_FILTER_MAX_CONTACTS 3 /* the volume is a cubic */

/* All contacts within the window, in order of time. Positions may be rounded: a coordinate on axis k has an error of at
 * most uncertainty[k] 2^-53. A difference of two is then added this many units of 2^-52, as if the extent of the pair
 * were larger by uncertainty[k]. A hit means that there are no others, also not at the ends of the window.
 * (ccd_filter.c) */
ccd_filter_result tact_ccd_filter_contacts(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                           const tact_ccd_def *def, const double uncertainty[3],
                                           ccd_filter_contact contacts[CCD_FILTER_MAX_CONTACTS], int *count);

/* The complete query of one pair: the filter, then the exact solver where it is undecided; or with a separation.
 * Numbers that are not finite are a bad argument. `def` is checked by the caller, and the environment is the default
 * one. (feature_ccd.c) */
tact_ccd tact_ccd_solve(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/* Is `def` valid? (feature_ccd.c) */
bool tact_ccd_def_valid(const tact_ccd_def *def);

/* Are all coordinates finite? (feature_ccd.c) */
bool tact_ccd_points_finite(const tact_vec3 start[4], const tact_vec3 end[4]);

#endif
