/* Are two tact_ccd equal, to the bit? */
#ifndef TACT_TEST_SAME_CCD_H
#define TACT_TEST_SAME_CCD_H

#include <string.h>
#include <tact/ccd.h>

static inline bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static inline bool same_answer(const tact_ccd *a, const tact_ccd *b)
{
    bool same = a->status == b->status && a->state == b->state && a->degenerate == b->degenerate;
    same = same && same_bits(a->lower, b->lower) && same_bits(a->upper, b->upper);
    same = same && same_bits(a->normal.x, b->normal.x) && same_bits(a->normal.y, b->normal.y) &&
           same_bits(a->normal.z, b->normal.z);
    for (int k = 0; k < 4; k++)
        same = same && same_bits(a->weights[k], b->weights[k]);
    return same;
}

#endif
