/*
 * B-spline basis functions, their derivatives, and Bezier extraction.
 *
 * Basis functions follow the recursion of Cox and de Boor (Piegl and Tiller 1997, A2.2), and derivatives the difference
 * formula N'_i,p = p (N_i,p-1 / (u_i+p - u_i) - N_i+1,p-1 / (u_i+p+1 - u_i+1)) (2.7), applied m times to the functions
 * of degree p - m. A2.3 computes the same numbers.
 *
 * Departures from A2.2: each factor is a quotient in [0, 1], (u_i+p+1 - t) / (u_i+p+1 - u_i+1), instead of a product
 * with N / (u_i+p+1 - u_i+1), which overflows for short spans. All terms are sums of products of numbers >= 0, so each
 * basis function has a relative error of at most about 4 p units of rounding, however uneven the knots are.
 *
 * Extraction: Bezier control point a of the span [s, e] is the blossom of its polynomial with p - a arguments s and a
 * arguments e. The de Boor steps with these arguments are knot insertions at s and e (Borden, Scott, Evans and Hughes
 * 2011, 3.3). They need no clamped knots. Again all factors are in [0, 1].
 * The last row of a span equals the first row of the next one bit for bit, apart from zeros: both consist of the same
 * steps. Neighbouring patches therefore share their common control points exactly.
 */
#include "nurbs/nurbs_basis.h"

#include "nurbs/nurbs_surface.h"

void tact_nurbs_basis_of_knots(const double *knots, int degree, size_t k, double t, int order, double *out)
{
    /* Function r of degree j is number k - j + r. width[j][r] is the length of the support of function r of degree j -
     * 1: u_k+r+1 - u_k+r+1-j. */
    double value[NURBS_MAX_ORDER][NURBS_MAX_ORDER], width[NURBS_MAX_ORDER][NURBS_MAX_ORDER];
    value[0][0] = 1.0;
    for (int j = 1; j <= degree; ++j) {
        double carried = 0.0;
        for (int r = 0; r < j; ++r) {
            double first = knots[k + 1 + (size_t)r - (size_t)j], last = knots[k + 1 + (size_t)r];
            width[j][r] = last - first;
            value[j][r] = carried + (last - t) / width[j][r] * value[j - 1][r];
            carried = (t - first) / width[j][r] * value[j - 1][r];
        }
        value[j][j] = carried;
    }
    for (int r = 0; r <= degree; ++r)
        out[r] = value[degree][r];

    for (int m = 1; m <= order; ++m) {
        double *d = out + m * (degree + 1);
        for (int r = 0; r <= degree; ++r)
            d[r] = m <= degree && r <= degree - m ? value[degree - m][r] : 0.0;
        for (int j = degree - m + 1; m <= degree && j <= degree; ++j)
            for (int r = j; r >= 0; --r) {
                double before = r > 0 ? d[r - 1] / width[j][r - 1] : 0.0, here = r < j ? d[r] / width[j][r] : 0.0;
                d[r] = j * (before - here);
            }
    }
}

void tact_nurbs_extraction_of_knots(const double *knots, int degree, size_t k, double *out)
{
    for (int a = 0; a <= degree; ++a) {
        /* row[i] are the coefficients of the control points in point i of the present de Boor step. Point i of step r
         * is number k - degree + i, from i = r on. */
        double row[NURBS_MAX_ORDER][NURBS_MAX_ORDER];
        for (int i = 0; i <= degree; ++i)
            for (int j = 0; j <= degree; ++j)
                row[i][j] = i == j ? 1.0 : 0.0;
        for (int r = 1; r <= degree; ++r) {
            double t = r <= degree - a ? knots[k] : knots[k + 1];
            for (int i = degree; i >= r; --i) {
                double first = knots[k + (size_t)i - (size_t)degree], last = knots[k + (size_t)i + 1 - (size_t)r];
                double left = (last - t) / (last - first), right = (t - first) / (last - first);
                for (int j = i - r; j <= i; ++j)
                    row[i][j] = left * row[i - 1][j] + right * row[i][j];
            }
        }
        for (int i = 0; i <= degree; ++i)
            out[a * (degree + 1) + i] = row[degree][i];
    }
}

size_t tact_nurbs_find_knot(const double *knots, int degree, size_t count, double t)
{
    size_t low = (size_t)degree, high = count;
    if (t >= knots[count])
        t = knots[count]; /* the last span is closed */
    else if (!(t >= knots[degree]))
        t = knots[degree];
    bool at_end = t == knots[count];
    while (high - low > 1) { /* knots[low] <= t (or < at the end) and not so for high */
        size_t middle = low + (high - low) / 2;
        if (at_end ? knots[middle] < t : knots[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}
