/*
 * Rational Bezier patches, given by their homogeneous control points: a *net* of (p + 1)(q + 1) points (w x, w y, w z,
 * w), the second direction fastest. Parameters are s and t in [0, 1].
 */
#ifndef TACT_NURBS_BEZIER_NET_H
#define TACT_NURBS_BEZIER_NET_H

#include "nurbs/nurbs_surface.h"

/* Points of the largest net. */
#define BEZIER_MAX_NET (NURBS_MAX_ORDER * NURBS_MAX_ORDER)

/* Divides a patch at s = 1/2 and t = 1/2. Child k has the half k % 2 of s and k / 2 of t. `children` has room for four
 * nets, one after the other. */
void tact_bezier_split(const nurbs_vec4 *net, const int degree[2], nurbs_vec4 *children);

/* Divides a patch at the middle of direction d alone: the lower half first. `children` has room for two nets. */
void tact_bezier_halve(const nurbs_vec4 *net, const int degree[2], int d, nurbs_vec4 *children);

/*
 * A bound of the distance between the patch and triangles: |S(x) - L(x)| <= the result for all x = (s, t) in any
 * triangle within [0, 1]^2, where L is the linear function that equals S at its three vertices.
 *
 * Proof. Let l_i be the barycentric coordinates of x in the triangle with the vertices x_i. By Taylor's formula at x
 * and sum l_i (x_i - x) = 0, |L(x) - S(x)| <= sum l_i |D2S (x_i - x)^2| / 2, D2S taken on the segment from x to x_i.
 * The numbers s_i lie in [0, 1] and have the mean s, so their variance sum l_i (s_i - s)^2 is at most 1/4; likewise for
 * t, and by Cauchy and Schwarz sum l_i |s_i - s| |t_i - t| <= 1/4. Hence |L - S| <= (max|S_ss| + 2 max|S_st| +
 * max|S_tt|) / 8. (Filip, Magedson and Markot 1986 have this bound for right triangles.) The derivatives of a
 * polynomial patch are bounded by differences of control points. For a rational one S = A / w relative to a control
 * point c, S_ss = (A_ss - 2 w_s S_s - w_ss (S - c)) / w, and so on, each term bounded by differences.
 *
 * A patch that is divided k times in each direction has a bound 4^k times smaller.
 */
double tact_bezier_chord_error(const nurbs_vec4 *net, const int degree[2], bool rational);

/* Bounds of |S_ss|, |S_st| and |S_tt|, each found in two ways, divided by `scale`, a power of two. */
typedef struct bezier_chord_bounds {
    double ss[2], st[2], tt[2], scale;
} bezier_chord_bounds;

/* No patch yet. */
#define BEZIER_NO_CHORD_BOUNDS ((bezier_chord_bounds){.scale = 0x1p-1000})

/*
 * The same for a patch whose control points move linearly from one net to another, at all times: raises the bounds of
 * the nets so far by those of another one, and returns the error that holds on the straight way between any of them.
 * All nets have the same weights. Each bound of a second derivative is a sum of norms of linear functions of the
 * control points, with constant coefficients that are not negative. So it is a convex function, and on the way between
 * two nets largest at one of them. The least of two bounds is not convex: the larger value of each is taken first.
 */
double tact_bezier_raise_chord_error(bezier_chord_bounds *b, const nurbs_vec4 *net, const int degree[2], bool rational);

/* Bounds of |S_s| and |S_t| over the patch. */
void tact_bezier_speeds(const nurbs_vec4 *net, const int degree[2], double speeds[2]);

#endif
