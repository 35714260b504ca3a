/* The floating-point filter of continuous collision detection, for one pair. */
#ifndef TACT_CCD_CCD_FILTER_H
#define TACT_CCD_CCD_FILTER_H

#include "ccd/feature_ccd.h"
#include "math/filter.h"

typedef enum ccd_filter_result { CCD_FILTER_UNDECIDED, CCD_FILTER_MISS, CCD_FILTER_HIT } ccd_filter_result;

/* The side of A relative to B on an axis, given the coordinates there: -1 all of A below B, 1 all above, 0 overlapping.
 */
static inline int ccd_side_on_axis(tact_ccd_kind kind, double a, double b, double c, double d)
{
    bool edges = kind == TACT_EDGE_EDGE;
    double a_low = edges ? filter_min(a, b) : a, a_high = edges ? filter_max(a, b) : a;
    double b_low = filter_min(c, d), b_high = filter_max(c, d);
    if (!edges) {
        b_low = filter_min(b_low, b);
        b_high = filter_max(b_high, b);
    }
    return (a_low > b_high) - (a_high < b_low);
}

/* Are they on the same sides of each other on one axis at both ends, and so at all times between? This alone separates
 * three of four pairs of swept boxes, without rounding. */
static inline bool ccd_separated_on_axis(tact_ccd_kind kind, const tact_vec3 s[4], const tact_vec3 e[4])
{
    int x =
        ccd_side_on_axis(kind, s[0].x, s[1].x, s[2].x, s[3].x) * ccd_side_on_axis(kind, e[0].x, e[1].x, e[2].x, e[3].x);
    int y =
        ccd_side_on_axis(kind, s[0].y, s[1].y, s[2].y, s[3].y) * ccd_side_on_axis(kind, e[0].y, e[1].y, e[2].y, e[3].y);
    int z =
        ccd_side_on_axis(kind, s[0].z, s[1].z, s[2].z, s[3].z) * ccd_side_on_axis(kind, e[0].z, e[1].z, e[2].z, e[3].z);
    return x > 0 || y > 0 || z > 0;
}

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
