/*
 * Four boxes in structure-of-arrays form, one box per SIMD lane. The rules of box.h hold for each lane; unused lanes
 * contain the empty box.
 */
#ifndef TACT_BOUNDS_BOX4_H
#define TACT_BOUNDS_BOX4_H

#include "bounds/box.h"
#include "core/inline.h"
#include "core/sse2.h"

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
    __m128 a = _mm_loadu_ps(p[0]), b = _mm_loadu_ps(p[1]), c = _mm_loadu_ps(p[2]), d = _mm_loadu_ps(p[3]);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(four->min[0], a);
    _mm_storeu_ps(four->min[1], b);
    _mm_storeu_ps(four->min[2], c);
    _mm_storeu_ps(four->max[0], d);
    /* min z, max x, max y, max z */
    a = _mm_loadu_ps(p[0] + 2), b = _mm_loadu_ps(p[1] + 2);
    c = _mm_loadu_ps(p[2] + 2), d = _mm_loadu_ps(p[3] + 2);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(four->max[1], c);
    _mm_storeu_ps(four->max[2], d);
}

/* The smallest box around all four. */
TACT_FORCE_INLINE box box4_union(const box4 *four)
{

    __m128 a = _mm_loadu_ps(four->min[0]), b = _mm_loadu_ps(four->min[1]), c = _mm_loadu_ps(four->min[2]);
    __m128 d = _mm_loadu_ps(four->max[0]), e = _mm_loadu_ps(four->max[1]), f = _mm_loadu_ps(four->max[2]);
    __m128 ab = _mm_min_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b)); /* x y x y */
    __m128 cc = _mm_min_ps(c, _mm_movehl_ps(c, c));                       /* z z . . */
    __m128 de = _mm_max_ps(_mm_unpacklo_ps(d, e), _mm_unpackhi_ps(d, e));
    __m128 ff = _mm_max_ps(f, _mm_movehl_ps(f, f));
    ab = _mm_min_ps(ab, _mm_movehl_ps(ab, ab));
    cc = _mm_min_ss(cc, _mm_shuffle_ps(cc, cc, 1));
    de = _mm_max_ps(de, _mm_movehl_ps(de, de));
    ff = _mm_max_ss(ff, _mm_shuffle_ps(ff, ff, 1));
    float low[4], high[4];
    _mm_storeu_ps(low, _mm_movelh_ps(ab, cc));
    _mm_storeu_ps(high, _mm_movelh_ps(de, ff));
    return (box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/* Which of the four overlap the box: a bit per lane. Exact. */
TACT_FORCE_INLINE unsigned box4_overlap(const box4 *four, const box *b)
{
    __m128 overlap = _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(four->min[0]), _mm_set1_ps(b->max[0])),
                                _mm_cmple_ps(_mm_set1_ps(b->min[0]), _mm_loadu_ps(four->max[0])));
    for (int i = 1; i < 3; ++i) {
        overlap = _mm_and_ps(overlap, _mm_cmple_ps(_mm_loadu_ps(four->min[i]), _mm_set1_ps(b->max[i])));
        overlap = _mm_and_ps(overlap, _mm_cmple_ps(_mm_set1_ps(b->min[i]), _mm_loadu_ps(four->max[i])));
    }
    return (unsigned)_mm_movemask_ps(overlap);
}

#endif
