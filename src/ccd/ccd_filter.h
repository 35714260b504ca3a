/* The floating-point half of continuous collision: what doubles can prove of one pair. */
#ifndef TACT_CCD_CCD_FILTER_H
#define TACT_CCD_CCD_FILTER_H

#include "ccd/feature_ccd.h"

typedef enum ccd_verdict { CCD_UNSURE, CCD_APART, CCD_MEET } ccd_verdict;

/* Whether the two meet within the window; if so, `bracket` gets the cell of the grid of times that holds the first
 * contact (ccd_bracket.h). Arguments have been checked, the separation is 0, and the floating-point environment is the
 * default one. (ccd_filter.c) */
ccd_verdict tact_ccd_filter(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                            const tact_ccd_def *def, double bracket[2]);

/* The whole answer to one pair: filter, then integers where that is unsure; or with a separation. Numbers that are not
 * finite are a bad argument; `def` has been checked, and the environment is the default one. (ccd.c) */
tact_ccd tact_ccd_decide(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/* Whether `def` can be answered at all. (ccd.c) */
bool tact_ccd_def_valid(const tact_ccd_def *def);

/* Are all numbers finite? (ccd.c) */
bool tact_ccd_finite(const tact_vec3 start[4], const tact_vec3 end[4]);

#endif
