/*
 * The bracket of a time: one rule, so that whoever finds the cell gives the same bits.
 *
 * With w the width asked for, rounded down to a power of two (times `exit`, likewise rounded down, where velocities are
 * given), the time r of contact lies in a *cell* [m w, (m + 1) w), m whole. Where doubles about r are farther apart
 * than w, the cell is that of r between neighbouring doubles instead. The bracket is the cell, cut at the ends of the
 * window; but where r is an end of what is left, both ends of the bracket are r.
 *
 * In code, for whoever knows that `from` <= r < ccd_cell_end(from) for a `from` on the grid: r == from, r == enter and
 * r == exit give a bracket without width; else it is [max_double(from, enter), smaller(ccd_cell_end(from), exit)].
 */
#ifndef TACT_CCD_CCD_BRACKET_H
#define TACT_CCD_CCD_BRACKET_H

#include <tact/ccd.h>

#include "math/poly.h"

/* The exponents of the finest and the coarsest grid: doubles have no bit below, nor above. */
#define CCD_GRID_FINEST (-1074)
#define CCD_GRID_COARSEST 1023

/* The whole part of the logarithm of x > 0 to base 2. */
static inline int ccd_log2(double x)
{
    uint64_t bits = wide_bits_of_double(x);
    int field = (int)(bits >> 52) & 0x7ff;
    return field > 0 ? field - 1023 : CCD_GRID_FINEST + 63 - wide_leading_zeros(bits);
}

static inline double ccd_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The exponent of w. */
static inline int ccd_grid(const tact_ccd_def *def)
{
    if (def->bracket_width == 0.0 || (def->velocities && def->exit == 0.0))
        return CCD_GRID_FINEST;
    int exponent = ccd_log2(def->bracket_width) + (def->velocities ? ccd_log2(def->exit) : 0);
    return exponent < CCD_GRID_FINEST ? CCD_GRID_FINEST : exponent > CCD_GRID_COARSEST ? CCD_GRID_COARSEST : exponent;
}

/* The exponent of the last bit of x >= 0. */
static inline int ccd_last_bit(double x)
{
    int field = (int)(wide_bits_of_double(x) >> 52);
    return (field > 0 ? field : 1) - 1075;
}

/* Where the cell of x >= 0 begins. */
static inline double ccd_cell_begin(double x, int grid)
{
    int drop = grid - ccd_last_bit(x);
    if (drop <= 0)
        return x;
    if (drop > 52)
        return 0.0;
    return ccd_double_of_bits(wide_bits_of_double(x) >> drop << drop);
}

/* And where it ends, given where it begins; beyond the largest double: infinite. */
static inline double ccd_cell_end(double begin, int grid)
{
    if (grid <= ccd_last_bit(begin))
        return ccd_double_of_bits(wide_bits_of_double(begin) + 1);
    uint64_t bits = grid >= -1022 ? (uint64_t)(grid + 1023) << 52 : UINT64_C(1) << (grid - CCD_GRID_FINEST);
    return begin + ccd_double_of_bits(bits);
}

/* The bracket [from, to] of root number k of some polynomial, which lies in [enter, exit] but is neither end. */
void tact_ccd_bracket(wide_workspace *workspace, const poly_roots *roots, int k, double enter, double exit, int grid,
                      double *from, double *to);

#endif
