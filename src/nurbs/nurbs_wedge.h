/*
 * Derivatives of a Bezier patch by their control vectors: at every point, S_s and S_t are positive multiples of means
 * of them. So a direction that has positive products with all control vectors has positive products with all
 * derivatives. This is tighter than the bounds of nurbs_bounds.h, and slower: it is used at poles, and for leaves that
 * are divided.
 *
 * A polynomial patch has the differences of its control points. For a rational one S = A / w, w^2 S_s = A_s w - A w_s
 * is a polynomial whose Bernstein coefficients are taken, relative to a control point as origin.
 *
 * At a pole (a side that is one point) the derivative along the side vanishes, and with it the coefficients of that
 * side. They are left out: elsewhere the derivative is a positive mean of the others. So a bit of a field then says
 * that a product is positive except on the pole, where it is 0. That suffices for monotone paths between different
 * points.
 *
 * Fields only have sampled directions. Here others are tried too: a direction e for a path from p to q
 * (nurbs_adjacency.h) is one that has positive products with the control vectors of both cells in the senses of the
 * path. At a corner or pole C that is a plane through C with both cells on different sides.
 */
#ifndef TACT_NURBS_NURBS_WEDGE_H
#define TACT_NURBS_NURBS_WEDGE_H

#include "nurbs/bezier_net.h"
#include "nurbs/nurbs_adjacency.h"

/* Bernstein coefficients of A_s w - A w_s at most. */
#define NURBS_MAX_VECTORS ((2 * NURBS_MAX_ORDER - 2) * (2 * NURBS_MAX_ORDER - 1))

/* Control vectors of a derivative. */
typedef struct control_vectors {
    tact_vec3 items[NURBS_MAX_VECTORS];
    int count;
    double roundoff; /* no item is farther from its true value */
} control_vectors;

/* The control vectors of the derivative along d. `poles`: bit k: side k is a pole. `slack`: error of the control
 * points. */
void tact_nurbs_control_vectors(const nurbs_vec4 *net, const int degree[2], bool rational, int d, unsigned poles,
                                double slack, control_vectors *out);

/* The directions that have positive products with all vectors: a field of nurbs_bounds.h. */
uint32_t tact_nurbs_vector_field(const control_vectors *vectors);

/* Is there a direction that has positive products with all vectors of four sets, times their signs? Tries some; `true`
 * is a proof. Sets may be NULL. */
bool tact_nurbs_common_direction(const control_vectors *const sets[4], const double signs[4]);

/* Is there a plane between the control points of two nets? Tries some; `true` is a proof that the patches are farther
 * apart than `slack`. */
bool tact_nurbs_nets_apart(const nurbs_vec4 *a, int count_a, const nurbs_vec4 *b, int count_b, double slack);

#endif
