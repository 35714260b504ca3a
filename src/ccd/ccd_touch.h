/*
 * Do a vertex and a face, or two edges, touch at a time at which their four points are coplanar? Decided exactly, at a
 * double, at a root of a polynomial, or at the times just after one of these.
 */
#ifndef TACT_CCD_CCD_TOUCH_H
#define TACT_CCD_CCD_TOUCH_H

#include "ccd/ccd_polynomials.h"

/* A time: root number k of a polynomial, which is in [from, to]; or, if these are equal, a double. */
typedef struct contact_time {
    const poly_roots *roots;
    int k;
    double from, to;
    bool just_after; /* all times from there on, as far as no sign of an area or span changes */
} contact_time;

typedef enum contact_test { TEST_APART, TEST_TOUCHING, TEST_DEGENERATE } contact_test;

/* `TEST_DEGENERATE`: they touch, and the face has no area, or the edges are parallel. (ccd_touch.c) */
contact_test tact_ccd_touch(ccd_polynomials *polynomials, const contact_time *when);

#endif
