/*
 * What is true of two transformed convex bodies, computed by other algorithms than the library's and with more
 * precision.
 *
 * The distance is searched for quickly, and where that is not sharp it is solved as a conic program. Whatever either
 * returns is *certified*: two points, each a convex combination of points of its body, bound the distance from above;
 * the gap between the supporting planes of a direction bounds it from below. Both bounds hold by construction up to
 * long double rounding, which is added to them.
 */
#ifndef TACT_ORACLE_ORACLE_H
#define TACT_ORACLE_ORACLE_H

#include "body.h"

/* Bounds on the distance of two bodies without their margins. */
typedef struct oracle_gap {
    real low, high; /* low <= distance <= high */
    real normal[3]; /* unit, from A to B, the direction that proves `low`; zero if low is 0 */
    real best[3];   /* unit, the direction of least overlap seen; where the search for the depth starts */
    real overlap;   /* the overlap along it: an upper bound of the depth, margins left out; negative when apart */
    real on_a[3];   /* the points that prove `high`: relative to A's origin ... */
    real on_b[3];   /* ... and to B's */
    bool sharp;     /* high - low is at most the slack asked for */
    bool solved;    /* the search was not enough: by the solver */
    bool quad;      /* nor was long double */
    int iterations;
} oracle_gap;

/* `relative` and `absolute` say how sharp the answer must be: high - low <= relative * d + absolute, with d the lower
 * bound less the margins. */
void oracle_distance(const oracle_body *a, const oracle_body *b, real relative, real absolute, oracle_gap *gap);

/* The search alone: what it proves may not be sharp. It also ends when the distance is seen to be at most `enough`
 * (negative: never). */
void oracle_distance_search(const oracle_body *a, const oracle_body *b, real relative, real absolute, real enough,
                            oracle_gap *gap);

/* The solver alone. */
void oracle_distance_solve(const oracle_body *a, const oracle_body *b, real relative, real absolute, oracle_gap *gap);

/* The solver in quadruple precision from the start. */
void oracle_distance_quad(const oracle_body *a, const oracle_body *b, real relative, real absolute, oracle_gap *gap);

/* The same for two polytopes, each one hull of points (no sums): over all pairs of features, without a solver. Returns
 * false when a body is not of that kind. */
bool oracle_distance_features(const oracle_body *a, const oracle_body *b, real relative, real absolute,
                              oracle_gap *gap);

/* The distance from a world point to a body, margin included, 0 inside: its lower bound. (A point is wrong only when it
 * is *proved* to be farther than allowed; where it may be wrong the bound is sharp to an eighth of that.) */
real oracle_point_distance(const oracle_body *body, const real point[3], real allowed);

/* The body that is one point. */
void oracle_body_of_point(oracle_body *body, const real point[3]);

/* How far the bodies reach into each other along the unit vector n, margins left out: h_A(n) + h_B(-n) - n.(B - A). Its
 * minimum over all n is the penetration depth if they overlap; along any n it is at least that. */
real oracle_overlap_along(const oracle_body *a, const oracle_body *b, const real n[3]);

/* The penetration depth of two overlapping polytopes (sums of hulls of points), margins left out: the least overlap
 * along the normals of all faces of the Minkowski difference. Returns false when one is not a polytope. */
bool oracle_depth_polytopes(const oracle_body *a, const oracle_body *b, real *depth, real normal[3]);

/* An upper bound of the penetration depth of any two bodies, margins left out, found by sampling directions and
 * going downhill from `hint` (may be NULL) and from the best samples. `seed` chooses the samples. */
real oracle_depth_sampled(const oracle_body *a, const oracle_body *b, const real *hint, int samples, unsigned seed,
                          real normal[3]);

/* A cheap one: one descent from the best sample, and not to its end. */
real oracle_depth_glance(const oracle_body *a, const oracle_body *b, int samples, unsigned seed);

#endif
