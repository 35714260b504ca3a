/*
 * A lower bound of the distance of two parts of surfaces, from their Taylor polynomials of second order. It is sharper
 * than the gap of control points along a direction where the direction between the closest points turns, as along
 * nearly parallel surfaces.
 *
 * With coordinates x = (x0, x1, x2, x3) in [-1/2, 1/2]^4 about the middles of both parts, their difference is R + L x +
 * Q(x) + E(x): R the difference of the middles, L x and Q(x) the linear and quadratic terms, and |E| at most `rest` of
 * both parts together. So the distance is at least the least |R + L x + Q(x)|, minus that. For each 0 < h < 1
 *     |R + L x + Q|^2 / 2 = |R|^2 / 2 + R.(L x + Q) + |L x + Q|^2 / 2
 *                        >= |R|^2 / 2 + R.(L x + Q) + (1 - h) |L x|^2 / 2 - (1 / h - 1) |Q|^2 / 2,
 * which is a quadratic function of x and a bound of |Q|^2. If it is convex, the tangent plane at any y bounds it from
 * below; y is near its minimum. A multiple m of sum D_i (x_i^2 - 1/4) <= 0 makes it convex if it is not.
 *
 * The error is of third order in the size of the parts, so near a minimum few pairs remain.
 *
 * Near the closest points there is a bound without error, if the distance is strictly convex on the parts. About these
 * points Q(x) includes everything beyond L x, with second derivatives at most K_i in each variable, so that |Q(x)| <=
 * sum K_i x_i^2 / 2 and |Q(x)|^2 <= max|Q| sum K_i x_i^2 / 2, and R.Q(x) differs from its quadratic term by at most |R|
 * times third derivatives, also of the form sum C_i x_i^2 / 2 for |x_i| <= 1. Then all terms are quadratic, and reduce
 * the diagonal of a quadratic function without constant error. A slope g that points out of the parts, at an edge of a
 * surface, adds |g x| >= |g| x^2.
 */
#ifndef TACT_COMPLEX_NURBS_QUADRATIC_H
#define TACT_COMPLEX_NURBS_QUADRATIC_H

#include "nurbs/bezier_net.h"

/* The Taylor polynomial at a point of a part, and bounds that hold on the whole part. */
typedef struct nurbs_quadratic {
    tact_vec3 c, s, t, ss, st, tt; /* point, and derivatives by s and t in [0, 1] */
    double third[4];               /* |S_sss|, |S_sst|, |S_stt| and |S_ttt| at most */
    double roundoff;               /* of the polynomial, on the part */
    double at[2];                  /* s and t of the point */
} nurbs_quadratic;

/* Fills in the polynomial of a net at its middle. Coordinates are at most 1. */
void tact_nurbs_quadratic_make(nurbs_quadratic *q, const nurbs_vec4 *net, const int degree[2], bool rational);

/* The same at (s, t), for a net of which one is known. */
void tact_nurbs_quadratic_move(nurbs_quadratic *q, const nurbs_vec4 *net, const int degree[2], bool rational, double s,
                               double t);

/* A point. */
void tact_nurbs_quadratic_point(nurbs_quadratic *q, tact_vec3 p);

/* A lower bound of the distance of two parts from their polynomials at the middles, or 0 if it is not greater than
 * `least`. */
double tact_nurbs_quadratic_bound(const nurbs_quadratic *a, const nurbs_quadratic *b, double least);

/* The same from polynomials near the closest points. */
double tact_nurbs_quadratic_bound_near(const nurbs_quadratic *a, const nurbs_quadratic *b, double least);

/* The variable (0 to 3: s and t of a, s and t of b) across which a division reduces the error of the bound most. */
int tact_nurbs_quadratic_divide(const nurbs_quadratic *a, const nurbs_quadratic *b, double gap);

#endif
