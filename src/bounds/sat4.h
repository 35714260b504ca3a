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
typedef struct transformed_box {
    simde__m128 own_centre2, own_size; /* twice, in its own frame */
    simde__m128 centre2, size;         /* twice, in the opened frame, without the slack */
} transformed_box;

#define SPLAT(v, lane) simde_mm_shuffle_ps((v), (v), (lane)*0x55)

/* sum of m[j] * v[j] */
TACT_FORCE_INLINE simde__m128 mat3_mul_vec(const float m[3][4], simde__m128 v)
{
    simde__m128 xy = simde_mm_add_ps(simde_mm_mul_ps(simde_mm_loadu_ps(m[0]), SPLAT(v, 0)),
                                     simde_mm_mul_ps(simde_mm_loadu_ps(m[1]), SPLAT(v, 1)));
    return simde_mm_add_ps(xy, simde_mm_mul_ps(simde_mm_loadu_ps(m[2]), SPLAT(v, 2)));
}

TACT_FORCE_INLINE transformed_box transformed_box_make(const sat_frame *s, simde__m128 min, simde__m128 max)
{
    transformed_box f;
    f.own_centre2 = simde_mm_add_ps(max, min);
    f.own_size = simde_mm_sub_ps(max, min);
    simde__m128 origin = simde_mm_loadu_ps(s->frame.origin);
    f.centre2 = simde_mm_add_ps(mat3_mul_vec(s->frame.linear, f.own_centre2), simde_mm_add_ps(origin, origin));
    f.size = mat3_mul_vec(s->frame.abs_linear, f.own_size);
    return f;
}

/* The sum of its sides, seen from the opened frame. */
TACT_FORCE_INLINE float transformed_box_size(const transformed_box *f)
{
    simde__m128 e = simde_mm_add_ss(f->size, simde_mm_movehl_ps(f->size, f->size));
    return simde_mm_cvtss_f32(simde_mm_add_ss(e, simde_mm_shuffle_ps(f->size, f->size, 1)));
}

TACT_FORCE_INLINE simde__m128 abs4(simde__m128 v) { return simde_mm_andnot_ps(simde_mm_set1_ps(-0.0f), v); }

/* The four boxes: twice their middles and sizes. */
typedef struct sat_boxes4 {
    simde__m128 min[3], max[3];
    simde__m128 centre2[3], size[3];
} sat_boxes4;

/* Along an axis: how far twice the middles are apart, with a sign, and what twice the boxes reach together, the slack
 * included. They are apart there if the first is larger. */
typedef struct sat_axis4 {
    simde__m128 distance, radius;
} sat_axis4;

/* The fixed box along the faces of the four: from low to high. */
TACT_FORCE_INLINE void transformed_box_interval(const sat_frame *s, const transformed_box *f, simde__m128 *low,
                                                simde__m128 *high)
{
    const simde__m128 slack = simde_mm_loadu_ps(s->frame.slack), one_half = simde_mm_set1_ps(0.5f);
    const simde__m128 radius = simde_mm_add_ps(simde_mm_mul_ps(f->size, one_half), slack);
    const simde__m128 middle = simde_mm_mul_ps(f->centre2, one_half);
    *low = simde_mm_sub_ps(middle, radius);
    *high = simde_mm_add_ps(middle, radius);
}

TACT_FORCE_INLINE void sat_boxes4_load(sat_boxes4 *b, const box4 *four)
{
    for (int i = 0; i < 3; ++i) {
        b->min[i] = simde_mm_loadu_ps(four->min[i]);
        b->max[i] = simde_mm_loadu_ps(four->max[i]);
    }
}

TACT_FORCE_INLINE void sat_boxes4_set_centres(sat_boxes4 *b)
{
    for (int i = 0; i < 3; ++i) {
        b->centre2[i] = simde_mm_add_ps(b->max[i], b->min[i]);
        b->size[i] = simde_mm_sub_ps(b->max[i], b->min[i]);
    }
}

TACT_FORCE_INLINE simde__m128 row_product(const float m[4], simde__m128 v)
{
    return simde_mm_mul_ps(simde_mm_loadu_ps(m), v);
}

/* Along the normal j of the fixed box; `away` and `own` are its own parts. */
TACT_FORCE_INLINE sat_axis4 sat_axis4_face(const sat_frame *s, const sat_boxes4 *b, int j, simde__m128 away,
                                           simde__m128 own)
{
    const float(*back)[4] = &s->inverse[3 * j], (*reach)[4] = &s->inverse_abs[3 * j];
    return (sat_axis4){
        simde_mm_add_ps(simde_mm_add_ps(row_product(back[0], b->centre2[0]), row_product(back[1], b->centre2[1])),
                        simde_mm_add_ps(row_product(back[2], b->centre2[2]), away)),
        simde_mm_add_ps(simde_mm_add_ps(row_product(reach[0], b->size[0]), row_product(reach[1], b->size[1])),
                        simde_mm_add_ps(row_product(reach[2], b->size[2]), own))};
}

/* Across edge i of the four and edge j of the fixed box, which reaches `fixed`. `away`: of the middles. */
TACT_FORCE_INLINE sat_axis4 sat_axis4_edges(const sat_frame *s, const sat_boxes4 *b, const simde__m128 away[3], int i,
                                            int j, simde__m128 fixed)
{
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    const float(*n)[4] = s->edge_axis[3 * i + j], (*a)[4] = s->edge_axis_abs[3 * i + j];
    return (sat_axis4){
        simde_mm_add_ps(row_product(n[0], away[k]), row_product(n[1], away[l])),
        simde_mm_add_ps(simde_mm_add_ps(row_product(a[0], b->size[k]), row_product(a[1], b->size[l])), fixed)};
}

/* All axes but the faces of the four: TEST(number, sat_axis4) for each, the 3 faces of the fixed box by
 * FOR_EACH_FIXED_FACE_AXIS, the 9 across edges by FOR_EACH_EDGE_AXIS. (Macros, as the lane of a shuffle has to be a
 * constant.) */
#define FOR_EACH_FIXED_FACE_AXIS(s, f, b, TEST)                                                                        \
    {                                                                                                                  \
        const simde__m128 away = simde_mm_sub_ps(simde_mm_loadu_ps((s)->inverse_origin), (f)->own_centre2);            \
        const simde__m128 own = simde_mm_add_ps((f)->own_size, simde_mm_loadu_ps((s)->inverse_slack));                 \
        TEST(0, sat_axis4_face(s, b, 0, SPLAT(away, 0), SPLAT(own, 0)))                                                \
        TEST(1, sat_axis4_face(s, b, 1, SPLAT(away, 1), SPLAT(own, 1)))                                                \
        TEST(2, sat_axis4_face(s, b, 2, SPLAT(away, 2), SPLAT(own, 2)))                                                \
    }
#define FOR_EACH_EDGE_AXIS_OF(s, f, b, away, j, TEST)                                                                  \
    {                                                                                                                  \
        const simde__m128 fixed = simde_mm_add_ps(mat3_mul_vec((s)->edge_fixed_radius[j], (f)->own_size),              \
                                                  simde_mm_loadu_ps((s)->edge_slack[j]));                              \
        TEST(0 + (j), sat_axis4_edges(s, b, away, 0, j, SPLAT(fixed, 0)))                                              \
        TEST(3 + (j), sat_axis4_edges(s, b, away, 1, j, SPLAT(fixed, 1)))                                              \
        TEST(6 + (j), sat_axis4_edges(s, b, away, 2, j, SPLAT(fixed, 2)))                                              \
    }
#define FOR_EACH_EDGE_AXIS(s, f, b, TEST)                                                                              \
    {                                                                                                                  \
        const simde__m128 away[3] = {simde_mm_sub_ps((b)->centre2[0], SPLAT((f)->centre2, 0)),                         \
                                     simde_mm_sub_ps((b)->centre2[1], SPLAT((f)->centre2, 1)),                         \
                                     simde_mm_sub_ps((b)->centre2[2], SPLAT((f)->centre2, 2))};                        \
        FOR_EACH_EDGE_AXIS_OF(s, f, b, away, 0, TEST)                                                                  \
        FOR_EACH_EDGE_AXIS_OF(s, f, b, away, 1, TEST)                                                                  \
        FOR_EACH_EDGE_AXIS_OF(s, f, b, away, 2, TEST)                                                                  \
    }

/* Which of the four may overlap the fixed box: a bit a lane. Their faces first, then its own, then across edges. */
TACT_FORCE_INLINE unsigned sat4(const sat_frame *s, const transformed_box *f, const box4 *four, sat_axes axes)
{
    simde__m128 low, high;
    sat_boxes4 b;
    transformed_box_interval(s, f, &low, &high);
    sat_boxes4_load(&b, four);
    simde__m128 apart = simde_mm_or_ps(
        simde_mm_or_ps(
            simde_mm_or_ps(simde_mm_cmpgt_ps(b.min[0], SPLAT(high, 0)), simde_mm_cmpgt_ps(SPLAT(low, 0), b.max[0])),
            simde_mm_or_ps(simde_mm_cmpgt_ps(b.min[1], SPLAT(high, 1)), simde_mm_cmpgt_ps(SPLAT(low, 1), b.max[1]))),
        simde_mm_or_ps(simde_mm_cmpgt_ps(b.min[2], SPLAT(high, 2)), simde_mm_cmpgt_ps(SPLAT(low, 2), b.max[2])));
    if (simde_mm_movemask_ps(apart) == 0xf)
        return 0;
    sat_boxes4_set_centres(&b);
#define APART(number, axis)                                                                                            \
    {                                                                                                                  \
        const sat_axis4 x = axis;                                                                                      \
        apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(abs4(x.distance), x.radius));                                  \
    }
    FOR_EACH_FIXED_FACE_AXIS(s, f, &b, APART)
    unsigned meet = ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
    if (axes != SAT_ALL_AXES || meet == 0)
        return meet;
    FOR_EACH_EDGE_AXIS(s, f, &b, APART)
#undef APART
    return ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
}

#endif
