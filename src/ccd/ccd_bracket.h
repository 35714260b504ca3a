/*
 * Brackets of contact times: one rule, so that filter and exact solver return the same bits.
 *
 * Let w be the width asked for, rounded down to a power of two (times `exit`, likewise rounded down, if velocities are
 * given). The contact time r lies in a grid *cell* [m w, (m + 1) w), m an integer. Where doubles near r are farther
 * apart than w, the cell is the one between neighbouring doubles instead. The bracket is the cell, clipped to the
 * window; but if r is an end of what is left, both ends of the bracket are r.
 *
 * In code, if `from` <= r < ccd_cell_end(from) for a `from` on the grid: r == from, r == enter and r == exit give a
 * bracket of zero width; otherwise it is [max(from, enter), min(ccd_cell_end(from), exit)].
 */
#ifndef TACT_CCD_CCD_BRACKET_H
#define TACT_CCD_CCD_BRACKET_H

#include <tact/ccd.h>

#include "math/poly.h"

/* Binary exponents of the finest and the coarsest grid: doubles have no bits below or above. */
#define CCD_MIN_GRID_EXPONENT (-1074)
#define CCD_MAX_GRID_EXPONENT 1023

/* floor(log2 x) for x > 0. */
static inline int ccd_log2(double x)
{
    uint64_t bits = wide_bits_of_double(x);
    int field = (int)(bits >> 52) & 0x7ff;
    return field > 0 ? field - 1023 : CCD_MIN_GRID_EXPONENT + 63 - wide_leading_zeros(bits);
}

static inline double ccd_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The binary exponent of w. */
static inline int ccd_grid_exponent(const tact_ccd_def *def)
{
    if (def->bracket_width == 0.0 || (def->velocities && def->exit == 0.0))
        return CCD_MIN_GRID_EXPONENT;
    int exponent = ccd_log2(def->bracket_width) + (def->velocities ? ccd_log2(def->exit) : 0);
    return exponent < CCD_MIN_GRID_EXPONENT   ? CCD_MIN_GRID_EXPONENT
           : exponent > CCD_MAX_GRID_EXPONENT ? CCD_MAX_GRID_EXPONENT
                                              : exponent;
}

/* The binary exponent of the last bit of x >= 0. */
static inline int ccd_last_bit(double x)
{
    int field = (int)(wide_bits_of_double(x) >> 52);
    return (field > 0 ? field : 1) - 1075;
}

/* The start of the cell of x >= 0. */
static inline double ccd_cell_begin(double x, int grid)
{
    int dropped_bits = grid - ccd_last_bit(x);
    if (dropped_bits <= 0)
        return x;
    if (dropped_bits > 52)
        return 0.0;
    return ccd_double_of_bits(wide_bits_of_double(x) >> dropped_bits << dropped_bits);
}

/* The end of a cell, given its start; infinite beyond the largest double. */
static inline double ccd_cell_end(double begin, int grid)
{
    if (grid <= ccd_last_bit(begin))
        return ccd_double_of_bits(wide_bits_of_double(begin) + 1);
    uint64_t bits = grid >= -1022 ? (uint64_t)(grid + 1023) << 52 : UINT64_C(1) << (grid - CCD_MIN_GRID_EXPONENT);
    return begin + ccd_double_of_bits(bits);
}

/* The bracket [from, to] of root number k of a polynomial, which lies strictly inside [enter, exit]. */
void tact_ccd_bracket(wide_workspace *workspace, const poly_roots *roots, int k, double enter, double exit, int grid,
                      double *from, double *to);

/* An approximation of root number k, which lies strictly inside [enter, exit], the interval in which the roots were
 * found or a part of it. It may lie outside. */
double tact_ccd_estimate_root(const poly_roots *roots, int k, double enter, double exit);

#endif
