/*
 * Four boxes of one frame against one box of another, by separating axes (van den Bergen's thesis, section 5.2.4; SAT:
 * Gottschalk, Lin and Manocha, OBBTree, 1996). "Apart" is proved by the slack of view.h; "may overlap" is all else, NaN
 * included, so every comparison asks whether the boxes are apart.
 *
 * The frames may be skewed and stretched. Costs for all four boxes, the fixed one prepared included: some 10 ns with the 6
 * face normals (SAT lite), 14 with all 15 axes where most are apart. Twice the centres and sizes are compared: sums and differences of
 * the bounds do without the halving.
 */
#ifndef TACT_BOUNDS_SAT4_H
#define TACT_BOUNDS_SAT4_H

#include "bounds/view.h"

/* A box of the fixed frame, as the four see it. */
typedef struct fixed_box {
    simde__m128 centre, half;   /* twice, in its own frame */
    simde__m128 middle, extent; /* twice, in the opened frame, without the slack */
} fixed_box;

#define SPREAD(v, lane) simde_mm_shuffle_ps((v), (v), (lane)*0x55)

/* sum of m[j] * v[j] */
TACT_HOT simde__m128 view_map(const float m[3][4], simde__m128 v)
{
    simde__m128 xy = simde_mm_add_ps(simde_mm_mul_ps(simde_mm_loadu_ps(m[0]), SPREAD(v, 0)),
                                     simde_mm_mul_ps(simde_mm_loadu_ps(m[1]), SPREAD(v, 1)));
    return simde_mm_add_ps(xy, simde_mm_mul_ps(simde_mm_loadu_ps(m[2]), SPREAD(v, 2)));
}

TACT_HOT fixed_box fixed_box_of(const box_sight *s, simde__m128 min, simde__m128 max)
{
    fixed_box f;
    f.centre = simde_mm_add_ps(max, min);
    f.half = simde_mm_sub_ps(max, min);
    simde__m128 origin = simde_mm_loadu_ps(s->view.origin);
    f.middle = simde_mm_add_ps(view_map(s->view.linear, f.centre), simde_mm_add_ps(origin, origin));
    f.extent = view_map(s->view.size, f.half);
    return f;
}

/* The sum of its sides, seen from the opened frame. */
TACT_HOT float fixed_box_size(const fixed_box *f)
{
    simde__m128 e = simde_mm_add_ss(f->extent, simde_mm_movehl_ps(f->extent, f->extent));
    return simde_mm_cvtss_f32(simde_mm_add_ss(e, simde_mm_shuffle_ps(f->extent, f->extent, 1)));
}

TACT_HOT simde__m128 size_of(simde__m128 v) { return simde_mm_andnot_ps(simde_mm_set1_ps(-0.0f), v); }

/* Which of the four may overlap the fixed box: a bit a lane. */
TACT_HOT unsigned sat4(const box_sight *s, const fixed_box *f, const box4 *four, box_axes axes)
{
    /* the faces of the four */
    const simde__m128 slack = simde_mm_loadu_ps(s->view.slack), one_half = simde_mm_set1_ps(0.5f);
    const simde__m128 radius = simde_mm_add_ps(simde_mm_mul_ps(f->extent, one_half), slack);
    const simde__m128 middle = simde_mm_mul_ps(f->middle, one_half);
    const simde__m128 low = simde_mm_sub_ps(middle, radius), high = simde_mm_add_ps(middle, radius);
    const simde__m128 min0 = simde_mm_loadu_ps(four->min[0]), max0 = simde_mm_loadu_ps(four->max[0]);
    const simde__m128 min1 = simde_mm_loadu_ps(four->min[1]), max1 = simde_mm_loadu_ps(four->max[1]);
    const simde__m128 min2 = simde_mm_loadu_ps(four->min[2]), max2 = simde_mm_loadu_ps(four->max[2]);
    simde__m128 apart = simde_mm_or_ps(
        simde_mm_or_ps(
            simde_mm_or_ps(simde_mm_cmpgt_ps(min0, SPREAD(high, 0)), simde_mm_cmpgt_ps(SPREAD(low, 0), max0)),
            simde_mm_or_ps(simde_mm_cmpgt_ps(min1, SPREAD(high, 1)), simde_mm_cmpgt_ps(SPREAD(low, 1), max1))),
        simde_mm_or_ps(simde_mm_cmpgt_ps(min2, SPREAD(high, 2)), simde_mm_cmpgt_ps(SPREAD(low, 2), max2)));
    if (simde_mm_movemask_ps(apart) == 0xf)
        return 0;

    /* the faces of the fixed one */
    const simde__m128 c0 = simde_mm_add_ps(max0, min0), h0 = simde_mm_sub_ps(max0, min0);
    const simde__m128 c1 = simde_mm_add_ps(max1, min1), h1 = simde_mm_sub_ps(max1, min1);
    const simde__m128 c2 = simde_mm_add_ps(max2, min2), h2 = simde_mm_sub_ps(max2, min2);
    const simde__m128 away = simde_mm_sub_ps(simde_mm_loadu_ps(s->start), f->centre);
    const simde__m128 own = simde_mm_add_ps(f->half, simde_mm_loadu_ps(s->spare));
#define PRODUCT(m, v) simde_mm_mul_ps(simde_mm_loadu_ps(m), v)
#define FIXED_FACE(j)                                                                                                  \
    {                                                                                                                  \
        simde__m128 along =                                                                                            \
            simde_mm_add_ps(simde_mm_add_ps(PRODUCT(s->back[3 * (j) + 0], c0), PRODUCT(s->back[3 * (j) + 1], c1)),     \
                            simde_mm_add_ps(PRODUCT(s->back[3 * (j) + 2], c2), SPREAD(away, j)));                      \
        simde__m128 reach =                                                                                            \
            simde_mm_add_ps(simde_mm_add_ps(PRODUCT(s->reach[3 * (j) + 0], h0), PRODUCT(s->reach[3 * (j) + 1], h1)),   \
                            simde_mm_add_ps(PRODUCT(s->reach[3 * (j) + 2], h2), SPREAD(own, j)));                      \
        apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(size_of(along), reach));                                       \
    }
    FIXED_FACE(0)
    FIXED_FACE(1)
    FIXED_FACE(2)
#undef FIXED_FACE
    unsigned meet = ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
    if (axes != BOX_ALL_AXES || meet == 0)
        return meet;

    /* across an edge of each */
    const simde__m128 d0 = simde_mm_sub_ps(c0, SPREAD(f->middle, 0)), d1 = simde_mm_sub_ps(c1, SPREAD(f->middle, 1)),
                      d2 = simde_mm_sub_ps(c2, SPREAD(f->middle, 2));
#define ACROSS(i, j, dk, dl, hk, hl)                                                                                   \
    {                                                                                                                  \
        const float(*n)[4] = s->across[3 * (i) + (j)], (*a)[4] = s->across_size[3 * (i) + (j)];                        \
        simde__m128 along = simde_mm_add_ps(PRODUCT(n[0], dk), PRODUCT(n[1], dl));                                     \
        simde__m128 reach = simde_mm_add_ps(PRODUCT(a[0], hk), PRODUCT(a[1], hl));                                     \
        apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(size_of(along), simde_mm_add_ps(reach, SPREAD(fixed, i))));    \
    }
#define ACROSS_EDGE(j)                                                                                                 \
    {                                                                                                                  \
        simde__m128 fixed =                                                                                            \
            simde_mm_add_ps(view_map(s->across_fixed[j], f->half), simde_mm_loadu_ps(s->across_slack[j]));             \
        ACROSS(0, j, d1, d2, h1, h2)                                                                                   \
        ACROSS(1, j, d2, d0, h2, h0)                                                                                   \
        ACROSS(2, j, d0, d1, h0, h1)                                                                                   \
    }
    ACROSS_EDGE(0)
    ACROSS_EDGE(1)
    ACROSS_EDGE(2)
#undef ACROSS_EDGE
#undef ACROSS
#undef PRODUCT
    return ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
}

#endif
