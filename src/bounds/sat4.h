/*
 * Four boxes of one frame against one box of another, by separating axes (van den Bergen's thesis, section 5.2.4; SAT:
 * Gottschalk, Lin and Manocha, OBBTree, 1996). "Apart" is proved by the slack of view.h; "may overlap" is all else, NaN
 * included, so every comparison asks whether the boxes are apart.
 *
 * The frames may be skewed and stretched. Costs for all four boxes, the fixed one prepared included: some 10 ns with
 * the 6 face normals (SAT lite), 14 with all 15 axes where most are apart. Twice the centres and sizes are compared:
 * sums and differences of the bounds do without the halving.
 */
#ifndef TACT_BOUNDS_SAT4_H
#define TACT_BOUNDS_SAT4_H

#include "bounds/relative_frame.h"

/* A box of the fixed frame, as the four see it. */
typedef struct fixed_box {
    simde__m128 centre, half;   /* twice, in its own frame */
    simde__m128 middle, extent; /* twice, in the opened frame, without the slack */
} fixed_box;

#define SPREAD(v, lane) simde_mm_shuffle_ps((v), (v), (lane)*0x55)

/* sum of m[j] * v[j] */
TACT_FORCE_INLINE simde__m128 view_map(const float m[3][4], simde__m128 v)
{
    simde__m128 xy = simde_mm_add_ps(simde_mm_mul_ps(simde_mm_loadu_ps(m[0]), SPREAD(v, 0)),
                                     simde_mm_mul_ps(simde_mm_loadu_ps(m[1]), SPREAD(v, 1)));
    return simde_mm_add_ps(xy, simde_mm_mul_ps(simde_mm_loadu_ps(m[2]), SPREAD(v, 2)));
}

TACT_FORCE_INLINE fixed_box fixed_box_of(const box_sight *s, simde__m128 min, simde__m128 max)
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
TACT_FORCE_INLINE float fixed_box_size(const fixed_box *f)
{
    simde__m128 e = simde_mm_add_ss(f->extent, simde_mm_movehl_ps(f->extent, f->extent));
    return simde_mm_cvtss_f32(simde_mm_add_ss(e, simde_mm_shuffle_ps(f->extent, f->extent, 1)));
}

TACT_FORCE_INLINE simde__m128 size_of(simde__m128 v) { return simde_mm_andnot_ps(simde_mm_set1_ps(-0.0f), v); }

/* The four boxes: twice their middles and sizes. */
typedef struct four_boxes {
    simde__m128 min[3], max[3];
    simde__m128 centre[3], half[3];
} four_boxes;

/* Along an axis: how far twice the middles are apart, with a sign, and what twice the boxes reach together, the slack
 * included. They are apart there if the first is larger. */
typedef struct axis4 {
    simde__m128 along, reach;
} axis4;

/* The fixed box along the faces of the four: from low to high. */
TACT_FORCE_INLINE void fixed_box_span(const box_sight *s, const fixed_box *f, simde__m128 *low, simde__m128 *high)
{
    const simde__m128 slack = simde_mm_loadu_ps(s->view.slack), one_half = simde_mm_set1_ps(0.5f);
    const simde__m128 radius = simde_mm_add_ps(simde_mm_mul_ps(f->extent, one_half), slack);
    const simde__m128 middle = simde_mm_mul_ps(f->middle, one_half);
    *low = simde_mm_sub_ps(middle, radius);
    *high = simde_mm_add_ps(middle, radius);
}

TACT_FORCE_INLINE void four_boxes_open(four_boxes *b, const box4 *four)
{
    for (int i = 0; i < 3; ++i) {
        b->min[i] = simde_mm_loadu_ps(four->min[i]);
        b->max[i] = simde_mm_loadu_ps(four->max[i]);
    }
}

TACT_FORCE_INLINE void four_boxes_measure(four_boxes *b)
{
    for (int i = 0; i < 3; ++i) {
        b->centre[i] = simde_mm_add_ps(b->max[i], b->min[i]);
        b->half[i] = simde_mm_sub_ps(b->max[i], b->min[i]);
    }
}

TACT_FORCE_INLINE simde__m128 row_product(const float m[4], simde__m128 v)
{
    return simde_mm_mul_ps(simde_mm_loadu_ps(m), v);
}

/* Along the normal j of the fixed box; `away` and `own` are its own parts. */
TACT_FORCE_INLINE axis4 axis4_fixed(const box_sight *s, const four_boxes *b, int j, simde__m128 away, simde__m128 own)
{
    const float(*back)[4] = &s->back[3 * j], (*reach)[4] = &s->reach[3 * j];
    return (axis4){
        simde_mm_add_ps(simde_mm_add_ps(row_product(back[0], b->centre[0]), row_product(back[1], b->centre[1])),
                        simde_mm_add_ps(row_product(back[2], b->centre[2]), away)),
        simde_mm_add_ps(simde_mm_add_ps(row_product(reach[0], b->half[0]), row_product(reach[1], b->half[1])),
                        simde_mm_add_ps(row_product(reach[2], b->half[2]), own))};
}

/* Across edge i of the four and edge j of the fixed box, which reaches `fixed`. `away`: of the middles. */
TACT_FORCE_INLINE axis4 axis4_across(const box_sight *s, const four_boxes *b, const simde__m128 away[3], int i, int j,
                                     simde__m128 fixed)
{
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    const float(*n)[4] = s->across[3 * i + j], (*a)[4] = s->across_size[3 * i + j];
    return (axis4){
        simde_mm_add_ps(row_product(n[0], away[k]), row_product(n[1], away[l])),
        simde_mm_add_ps(simde_mm_add_ps(row_product(a[0], b->half[k]), row_product(a[1], b->half[l])), fixed)};
}

/* All axes but the faces of the four: LOOK(number, axis4) for each, the 3 faces of the fixed box by EACH_FIXED_FACE,
 * the 9 across edges by EACH_ACROSS. (Macros, as the lane of a shuffle has to be a constant.) */
#define EACH_FIXED_FACE(s, f, b, LOOK)                                                                                 \
    {                                                                                                                  \
        const simde__m128 away = simde_mm_sub_ps(simde_mm_loadu_ps((s)->start), (f)->centre);                          \
        const simde__m128 own = simde_mm_add_ps((f)->half, simde_mm_loadu_ps((s)->spare));                             \
        LOOK(0, axis4_fixed(s, b, 0, SPREAD(away, 0), SPREAD(own, 0)))                                                 \
        LOOK(1, axis4_fixed(s, b, 1, SPREAD(away, 1), SPREAD(own, 1)))                                                 \
        LOOK(2, axis4_fixed(s, b, 2, SPREAD(away, 2), SPREAD(own, 2)))                                                 \
    }
#define EACH_ACROSS_EDGE(s, f, b, away, j, LOOK)                                                                       \
    {                                                                                                                  \
        const simde__m128 fixed =                                                                                      \
            simde_mm_add_ps(view_map((s)->across_fixed[j], (f)->half), simde_mm_loadu_ps((s)->across_slack[j]));       \
        LOOK(0 + (j), axis4_across(s, b, away, 0, j, SPREAD(fixed, 0)))                                                \
        LOOK(3 + (j), axis4_across(s, b, away, 1, j, SPREAD(fixed, 1)))                                                \
        LOOK(6 + (j), axis4_across(s, b, away, 2, j, SPREAD(fixed, 2)))                                                \
    }
#define EACH_ACROSS(s, f, b, LOOK)                                                                                     \
    {                                                                                                                  \
        const simde__m128 away[3] = {simde_mm_sub_ps((b)->centre[0], SPREAD((f)->middle, 0)),                          \
                                     simde_mm_sub_ps((b)->centre[1], SPREAD((f)->middle, 1)),                          \
                                     simde_mm_sub_ps((b)->centre[2], SPREAD((f)->middle, 2))};                         \
        EACH_ACROSS_EDGE(s, f, b, away, 0, LOOK)                                                                       \
        EACH_ACROSS_EDGE(s, f, b, away, 1, LOOK)                                                                       \
        EACH_ACROSS_EDGE(s, f, b, away, 2, LOOK)                                                                       \
    }

/* Which of the four may overlap the fixed box: a bit a lane. Their faces first, then its own, then across edges. */
TACT_FORCE_INLINE unsigned sat4(const box_sight *s, const fixed_box *f, const box4 *four, box_axes axes)
{
    simde__m128 low, high;
    four_boxes b;
    fixed_box_span(s, f, &low, &high);
    four_boxes_open(&b, four);
    simde__m128 apart = simde_mm_or_ps(
        simde_mm_or_ps(
            simde_mm_or_ps(simde_mm_cmpgt_ps(b.min[0], SPREAD(high, 0)), simde_mm_cmpgt_ps(SPREAD(low, 0), b.max[0])),
            simde_mm_or_ps(simde_mm_cmpgt_ps(b.min[1], SPREAD(high, 1)), simde_mm_cmpgt_ps(SPREAD(low, 1), b.max[1]))),
        simde_mm_or_ps(simde_mm_cmpgt_ps(b.min[2], SPREAD(high, 2)), simde_mm_cmpgt_ps(SPREAD(low, 2), b.max[2])));
    if (simde_mm_movemask_ps(apart) == 0xf)
        return 0;
    four_boxes_measure(&b);
#define APART(number, axis)                                                                                            \
    {                                                                                                                  \
        const axis4 x = axis;                                                                                          \
        apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(size_of(x.along), x.reach));                                   \
    }
    EACH_FIXED_FACE(s, f, &b, APART)
    unsigned meet = ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
    if (axes != BOX_ALL_AXES || meet == 0)
        return meet;
    EACH_ACROSS(s, f, &b, APART)
#undef APART
    return ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
}

#endif
