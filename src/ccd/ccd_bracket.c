/*
 * Finds the grid cell of a root: see the header.
 *
 * Guarantee: the cell holds the root, by exact comparisons with its ends. An estimate in doubles says where to start;
 * it decides nothing. From there the search goes outward in growing steps and then bisects, counting doubles in their
 * order, so that it ends after at most some 100 comparisons wherever it starts. Cost: two comparisons (about a
 * microsecond) if the estimate is right, which it is unless roots are close to each other.
 */
#include "ccd/ccd_bracket.h"

#include <math.h>

#include "ccd/ccd_constants.h"

double tact_ccd_estimate_root(const poly_roots *roots, int k, double enter, double exit)
{
    int n = roots->f.degree, unit = roots->approximation.unit;
    const double *c = roots->approximation.c;
    double low = ldexp(enter, -unit), high = ldexp(exit, -unit);
    int below = roots->f.c[n].sign; /* the sign of f before the root */
    if (roots->count == n) {
        /* the derivative has a root between two neighbouring roots */
        double extremum[2] = {-1.0, 2.0};
        if (n == 2)
            extremum[0] = extremum[1] = -0.5 * c[1] / c[2];
        if (n == 3) {
            double square = c[2] * c[2] - 3.0 * c[1] * c[3], root = square > 0.0 ? sqrt(square) : 0.0;
            double q = c[2] > 0.0 ? -(c[2] + root) : root - c[2];
            double s = q / (3.0 * c[3]), t = c[1] / q;
            extremum[0] = s < t ? s : t;
            extremum[1] = s < t ? t : s;
        }
        if (k > 0 && n > 1 && extremum[k - 1] > low)
            low = extremum[k - 1];
        if (k < n - 1 && extremum[k] < high)
            high = extremum[k];
        below = (n - k) % 2 == 0 ? below : -below;
    } else {
        below = -below;
    }
    double x = 0.5 * (low + high);
    for (int i = 0; i < CCD_ESTIMATE_MAX_STEPS; ++i) {
        double value = ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
        double slope = (3.0 * c[3] * x + 2.0 * c[2]) * x + c[1];
        if ((value > 0.0 && below > 0) || (value < 0.0 && below < 0))
            low = x;
        else
            high = x;
        double next = x - value / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        double change = fabs(next - x);
        x = next;
        if (!(change > CCD_ESTIMATE_CLOSE * fabs(x)))
            break;
    }
    return ldexp(x, unit);
}

/* The grid point at or below double number `order` in the order of doubles. */
static double point_at(uint64_t order, int grid) { return ccd_cell_begin(ccd_double_of_bits(order), grid); }

void tact_ccd_bracket(wide_workspace *workspace, const poly_roots *roots, int k, double enter, double exit, int grid,
                      double *from, double *to)
{
    double low = ccd_cell_begin(enter, grid), high = exit; /* low < r < high; low is on the grid */
    bool below = false, above = false;                     /* has the search moved up, and down? */
    uint64_t stride = CCD_FIRST_STRIDE;
    double guess = tact_ccd_estimate_root(roots, k, enter, exit);
    double probe = guess > enter && guess < exit ? ccd_cell_begin(guess, grid) : low;
    for (;;) {
        double end = ccd_cell_end(low, grid);
        if (end >= high)
            break;
        if (probe <= low)
            probe = end;
        if (probe >= high)
            probe = point_at(wide_bits_of_double(high) - 1, grid);
        int side = tact_poly_root_compare(workspace, roots, k, probe);
        if (side == 0) {
            *from = *to = probe;
            return;
        }
        if (side > 0)
            low = probe;
        else
            high = probe;
        below = below || side > 0;
        above = above || side < 0;
        uint64_t first = wide_bits_of_double(low), last = wide_bits_of_double(high);
        if (below && above) {
            probe = point_at(first + (last - first) / 2, grid);
            /* the cell next to the estimate comes before the midpoint */
            if (stride == CCD_FIRST_STRIDE)
                probe = side > 0 ? ccd_cell_end(low, grid) : probe;
            stride = CCD_STRIDE_GROWTH;
        } else {
            uint64_t cell = wide_bits_of_double(ccd_cell_end(low, grid)) - first;
            uint64_t jump = cell > (last - first) / stride ? last - first : cell * stride;
            probe = point_at(side > 0 ? first + jump : last - jump, grid);
            stride = stride > UINT64_MAX / CCD_STRIDE_GROWTH ? stride : stride * CCD_STRIDE_GROWTH;
        }
    }
    *from = low > enter ? low : enter;
    double end = ccd_cell_end(low, grid);
    *to = end < exit ? end : exit;
}
