/*
 * The exact test of contact at a time at which the points are coplanar.
 *
 * In projection along axis k the areas a_i of the point-edge pairs decide (ccd_polynomials.h); n is the normal of the
 * face, or the cross product of the edges.
 * - Vertex-face: if the vertex is in the face, with weights w_i, then a_i = w_i n_k. So two areas of opposite signs
 *   mean no. If there are none, and not all areas are zero, then their sum n_k is not zero, the projection of the plane
 *   is one to one, and the answer is yes.
 * - Edge-edge: the areas of the end points of one edge with the other are a_0 and a_1, and their difference is n_k;
 *   likewise a_2 and a_3. If the edges touch, all areas are multiples of n_k, those of two end points of opposite signs
 *   or zero. So two end points strictly on the same side mean no. If there are none, and not all areas are zero, then
 *   n_k is not zero, and the answer is yes.
 * - If all areas are zero along all axes, all points are collinear (or each edge is a point): the pair is degenerate.
 *   They touch if a point is between the ends of its edge, where the span is not positive.
 * Only signs count, so each area and span may have a positive factor of its own.
 *
 * Just after a time r the sign of a quadratic is that of its first derivative that is not zero at r, of order 0, 1, 2.
 */
#include "ccd/ccd_touch.h"

#include <math.h>

#include "math/poly_filter.h"

static int sign_exactly_at(wide_workspace *workspace, const contact_time *when, const poly *g)
{
    if (g->degree <= 0)
        return g->c[0].sign;
    if (when->from == when->to)
        return poly_sign(workspace, g, when->from);
    double largest = fabs(when->from) > fabs(when->to) ? when->from : when->to;
    poly_approximation near = poly_approximate(g, largest);
    int sign = poly_approximation_sign(&near, when->from, when->to);
    return sign != 0 ? sign : tact_poly_root_sign(workspace, when->roots, when->k, g);
}

static int sign_at(wide_workspace *workspace, const contact_time *when, const poly *g)
{
    int sign = sign_exactly_at(workspace, when, g);
    if (sign != 0 || !when->just_after || g->degree <= 0)
        return sign;
    if (g->degree == 1)
        return g->c[1].sign;
    int mark = workspace->used;
    const wide none = {NULL, 0, 0};
    poly slope = poly_make((wide[]){g->c[1], tact_wide_shift_left(workspace, g->c[2], 1), none, none});
    sign = sign_exactly_at(workspace, when, &slope);
    workspace->used = mark;
    return sign != 0 ? sign : g->c[2].sign;
}

contact_test tact_ccd_touch(ccd_polynomials *polynomials, const contact_time *when)
{
    for (int axis = 0; axis < 3; ++axis) {
        bool any = false;
        int first = 0;
        for (int i = 0; i < polynomials->point_edge_count; ++i) {
            int sign = sign_at(polynomials->workspace, when, tact_ccd_area(polynomials, i, axis));
            if (polynomials->kind == TACT_VERTEX_FACE) {
                if (sign * first < 0)
                    return TEST_APART;
                first = first != 0 ? first : sign;
            } else {
                if (i % 2 == 1 && sign * first > 0)
                    return TEST_APART;
                first = sign;
            }
            any = any || sign != 0;
        }
        if (any)
            return TEST_TOUCHING;
    }
    for (int i = 0; i < polynomials->point_edge_count; ++i)
        if (sign_at(polynomials->workspace, when, tact_ccd_span(polynomials, i)) <= 0)
            return TEST_DEGENERATE;
    return TEST_APART;
}
