/*
 * Four boxes in structure-of-arrays form, one box per SIMD lane. The rules of box.h hold for each lane; unused lanes
 * contain the empty box.
 */
#ifndef TACT_BOUNDS_BOX4_H
#define TACT_BOUNDS_BOX4_H

#include <simde/x86/sse2.h>

#include "bounds/box.h"
#include "core/inline.h"

#define BOX4_WIDTH 4

typedef struct box4 {
    float min[3][BOX4_WIDTH];
    float max[3][BOX4_WIDTH];
} box4;

static inline box box4_get(const box4 *four, unsigned lane)
{
    return (box){{four->min[0][lane], four->min[1][lane], four->min[2][lane]},
                 {four->max[0][lane], four->max[1][lane], four->max[2][lane]}};
}

static inline void box4_set(box4 *four, unsigned lane, const box *b)
{
    for (int i = 0; i < 3; ++i) {
        four->min[i][lane] = b->min[i];
        four->max[i][lane] = b->max[i];
    }
}

/* Sets all four lanes. */
TACT_FORCE_INLINE void box4_set_all(box4 *four, const box *const of[4])
{
    const float *p[4]; /* a box is six contiguous floats */
    for (int k = 0; k < 4; ++k)
        p[k] = (const float *)(const void *)of[k];
    /* min x, min y, min z, max x */
    simde__m128 a = simde_mm_loadu_ps(p[0]), b = simde_mm_loadu_ps(p[1]), c = simde_mm_loadu_ps(p[2]),
                d = simde_mm_loadu_ps(p[3]);
    SIMDE_MM_TRANSPOSE4_PS(a, b, c, d);
    simde_mm_storeu_ps(four->min[0], a);
    simde_mm_storeu_ps(four->min[1], b);
    simde_mm_storeu_ps(four->min[2], c);
    simde_mm_storeu_ps(four->max[0], d);
    /* min z, max x, max y, max z */
    a = simde_mm_loadu_ps(p[0] + 2), b = simde_mm_loadu_ps(p[1] + 2);
    c = simde_mm_loadu_ps(p[2] + 2), d = simde_mm_loadu_ps(p[3] + 2);
    SIMDE_MM_TRANSPOSE4_PS(a, b, c, d);
    simde_mm_storeu_ps(four->max[1], c);
    simde_mm_storeu_ps(four->max[2], d);
}

/* The smallest box around all four. */
TACT_FORCE_INLINE box box4_union(const box4 *four)
{

    simde__m128 a = simde_mm_loadu_ps(four->min[0]), b = simde_mm_loadu_ps(four->min[1]),
                c = simde_mm_loadu_ps(four->min[2]);
    simde__m128 d = simde_mm_loadu_ps(four->max[0]), e = simde_mm_loadu_ps(four->max[1]),
                f = simde_mm_loadu_ps(four->max[2]);
    simde__m128 ab = simde_mm_min_ps(simde_mm_unpacklo_ps(a, b), simde_mm_unpackhi_ps(a, b)); /* x y x y */
    simde__m128 cc = simde_mm_min_ps(c, simde_mm_movehl_ps(c, c));                            /* z z . . */
    simde__m128 de = simde_mm_max_ps(simde_mm_unpacklo_ps(d, e), simde_mm_unpackhi_ps(d, e));
    simde__m128 ff = simde_mm_max_ps(f, simde_mm_movehl_ps(f, f));
    ab = simde_mm_min_ps(ab, simde_mm_movehl_ps(ab, ab));
    cc = simde_mm_min_ss(cc, simde_mm_shuffle_ps(cc, cc, 1));
    de = simde_mm_max_ps(de, simde_mm_movehl_ps(de, de));
    ff = simde_mm_max_ss(ff, simde_mm_shuffle_ps(ff, ff, 1));
    float low[4], high[4];
    simde_mm_storeu_ps(low, simde_mm_movelh_ps(ab, cc));
    simde_mm_storeu_ps(high, simde_mm_movelh_ps(de, ff));
    return (box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/* Which of the four overlap the box: a bit per lane. Exact. */
TACT_FORCE_INLINE unsigned box4_overlap(const box4 *four, const box *b)
{
    simde__m128 overlap =
        simde_mm_and_ps(simde_mm_cmple_ps(simde_mm_loadu_ps(four->min[0]), simde_mm_set1_ps(b->max[0])),
                        simde_mm_cmple_ps(simde_mm_set1_ps(b->min[0]), simde_mm_loadu_ps(four->max[0])));
    for (int i = 1; i < 3; ++i) {
        overlap =
            simde_mm_and_ps(overlap, simde_mm_cmple_ps(simde_mm_loadu_ps(four->min[i]), simde_mm_set1_ps(b->max[i])));
        overlap =
            simde_mm_and_ps(overlap, simde_mm_cmple_ps(simde_mm_set1_ps(b->min[i]), simde_mm_loadu_ps(four->max[i])));
    }
    return (unsigned)simde_mm_movemask_ps(overlap);
}

#endif
