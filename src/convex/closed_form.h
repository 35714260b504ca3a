/* Closed forms for pairs of points and segments: the cores of spheres and capsules. */
#ifndef TACT_CONVEX_CLOSED_FORM_H
#define TACT_CONVEX_CLOSED_FORM_H

#include "convex/gjk.h"

/* The distance of two cores of at most two points each (CONVEX_POINTS), as tact_gjk returns it. Returns false and
 * writes nothing if rounding prevents the proof (nearly parallel segments) or a core is not of this kind. */
bool tact_closed_form_distance(const convex *a, const convex *b, gjk_result *result);

#endif
