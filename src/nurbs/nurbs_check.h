/* Checks the input of NURBS surfaces. Each failure has a line that says which number is wrong. */
#ifndef TACT_NURBS_NURBS_CHECK_H
#define TACT_NURBS_NURBS_CHECK_H

#include <stdbool.h>
#include <tact/nurbs.h>

/* Checks degrees, counts and pointers in constant time. A NULL def fails. `report` may be NULL. */
bool tact_nurbs_check_layout(const tact_nurbs_def *def, tact_report *report);

/* Checks everything that defines the surface, in linear time: layout, knots, weights and control points. Tolerance and
 * margin belong to the shape and are not checked. `report` may be NULL. */
bool tact_nurbs_check(const tact_nurbs_def *def, tact_report *report);

/* Checks a knot vector of `count` control points. `name` is 'u' or 'v'. */
bool tact_nurbs_check_knots(const double *knots, int degree, size_t count, char name, tact_report *report);

#endif
