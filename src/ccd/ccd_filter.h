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

/* The complete query of one pair: the filter, then the exact solver where it is undecided; or with a separation.
 * Numbers that are not finite are a bad argument. `def` is checked by the caller, and the environment is the default
 * one. (feature_ccd.c) */
tact_ccd tact_ccd_solve(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/* Is `def` valid? (feature_ccd.c) */
bool tact_ccd_def_valid(const tact_ccd_def *def);

/* Are all coordinates finite? (feature_ccd.c) */
bool tact_ccd_points_finite(const tact_vec3 start[4], const tact_vec3 end[4]);

#endif
