/* Closed forms for pairs of points and segments: the cores of spheres and capsules. */
#ifndef TACT_CONVEX_CLOSED_FORM_H
#define TACT_CONVEX_CLOSED_FORM_H

#include "convex/gjk.h"

/* The distance of two cores of at most two points each (CONVEX_POINTS), in the form of tact_gjk. False, with nothing
 * written, when the closed form cannot vouch for its accuracy (nearly parallel segments) or the cores are not of this
 * kind. */
bool tact_closed_form_distance(const convex *a, const convex *b, gjk_result *result);

#endif
