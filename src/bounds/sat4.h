/*
 * Separating-axis test of four boxes of the opened frame against one box of the fixed frame (Gottschalk, Lin and
 * Manocha, OBBTree, 1996; with the face axes only: van den Bergen 1999, 5.2.4, "SAT lite").
 *
 * Guarantee: "separated" is proved, including the rounding slack of relative_frame.h; everything else, NaN included,
 * is "may overlap". So every comparison asks whether the boxes are separated. The transforms may be sheared and
 * non-uniformly scaled.
 *
 * Cost for all four boxes, including the preparation of the fixed one: some 10 ns with the 6 face axes, 14 ns with all
 * 15 axes if most boxes are separated. The test compares twice the distances of centres with full sizes, because sums
 * and differences of the bounds need no halving.
 */
#ifndef TACT_BOUNDS_SAT4_H
#define TACT_BOUNDS_SAT4_H

#include "bounds/relative_frame.h"

/* A box of the fixed frame and its bounding box in the opened frame. */
typedef struct transformed_box {
    __m128 own_centre2, own_size; /* twice the centre, full size, in its own frame */
    __m128 centre2, size;         /* the same of its bounding box in the opened frame, without the slack */
} transformed_box;

/* Copies one lane to all four; the lane is a constant. */

#define SPLAT(v, lane) _mm_shuffle_ps((v), (v), (lane)*0x55)

/* the sum of m[j] v[j] */
TACT_FORCE_INLINE __m128 mat3_mul_vec(const float m[3][4], __m128 v)
{
    __m128 xy = _mm_add_ps(_mm_mul_ps(_mm_loadu_ps(m[0]), SPLAT(v, 0)), _mm_mul_ps(_mm_loadu_ps(m[1]), SPLAT(v, 1)));
    return _mm_add_ps(xy, _mm_mul_ps(_mm_loadu_ps(m[2]), SPLAT(v, 2)));
}

TACT_FORCE_INLINE transformed_box transformed_box_make(const sat_frame *s, __m128 min, __m128 max)
{
    transformed_box f;
    f.own_centre2 = _mm_add_ps(max, min);
    f.own_size = _mm_sub_ps(max, min);
    __m128 origin = _mm_loadu_ps(s->frame.origin);
    f.centre2 = _mm_add_ps(mat3_mul_vec(s->frame.linear, f.own_centre2), _mm_add_ps(origin, origin));
    f.size = mat3_mul_vec(s->frame.abs_linear, f.own_size);
    return f;
}

/* The sum of the edge lengths of its bounding box in the opened frame. */
TACT_FORCE_INLINE float transformed_box_size(const transformed_box *f)
{
    __m128 e = _mm_add_ss(f->size, _mm_movehl_ps(f->size, f->size));
    return _mm_cvtss_f32(_mm_add_ss(e, _mm_shuffle_ps(f->size, f->size, 1)));
}

TACT_FORCE_INLINE __m128 abs4(__m128 v) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), v); }

/* The four boxes of the opened frame. */
typedef struct sat_boxes4 {
    __m128 min[3], max[3];
    __m128 centre2[3], size[3]; /* twice the centres, full sizes */
} sat_boxes4;

/* Along an axis: twice the signed distance of the centres, and twice the sum of the projection radii, slack included.
 * The boxes are separated on the axis if |distance| > radius. */
typedef struct sat_axis4 {
    __m128 distance, radius;
} sat_axis4;

/* The interval of the fixed box on the axes of the opened frame, slack included. */
TACT_FORCE_INLINE void transformed_box_interval(const sat_frame *s, const transformed_box *f, __m128 *low, __m128 *high)
{
    const __m128 slack = _mm_loadu_ps(s->frame.slack), one_half = _mm_set1_ps(0.5f);
    const __m128 radius = _mm_add_ps(_mm_mul_ps(f->size, one_half), slack);
    const __m128 centre = _mm_mul_ps(f->centre2, one_half);
    *low = _mm_sub_ps(centre, radius);
    *high = _mm_add_ps(centre, radius);
}

TACT_FORCE_INLINE void sat_boxes4_load(sat_boxes4 *b, const box4 *four)
{
    for (int i = 0; i < 3; ++i) {
        b->min[i] = _mm_loadu_ps(four->min[i]);
        b->max[i] = _mm_loadu_ps(four->max[i]);
    }
}

TACT_FORCE_INLINE void sat_boxes4_set_centres(sat_boxes4 *b)
{
    for (int i = 0; i < 3; ++i) {
        b->centre2[i] = _mm_add_ps(b->max[i], b->min[i]);
        b->size[i] = _mm_sub_ps(b->max[i], b->min[i]);
    }
}

TACT_FORCE_INLINE __m128 row_product(const float m[4], __m128 v) { return _mm_mul_ps(_mm_loadu_ps(m), v); }

/* Face axis j of the fixed frame. `offset` and `own`: the terms of the fixed box in distance and radius. */
TACT_FORCE_INLINE sat_axis4 sat_axis4_face(const sat_frame *s, const sat_boxes4 *b, int j, __m128 offset, __m128 own)
{
    const float(*row)[4] = &s->inverse[3 * j], (*abs_row)[4] = &s->inverse_abs[3 * j];
    return (sat_axis4){_mm_add_ps(_mm_add_ps(row_product(row[0], b->centre2[0]), row_product(row[1], b->centre2[1])),
                                  _mm_add_ps(row_product(row[2], b->centre2[2]), offset)),
                       _mm_add_ps(_mm_add_ps(row_product(abs_row[0], b->size[0]), row_product(abs_row[1], b->size[1])),
                                  _mm_add_ps(row_product(abs_row[2], b->size[2]), own))};
}

/* The cross product of edge i of the opened and edge j of the fixed frame. `offset`: twice the difference of the
 * centres; `own`: the projection radius of the fixed box. */
TACT_FORCE_INLINE sat_axis4 sat_axis4_edges(const sat_frame *s, const sat_boxes4 *b, const __m128 offset[3], int i,
                                            int j, __m128 own)
{
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    const float(*n)[4] = s->edge_axis[3 * i + j], (*a)[4] = s->edge_axis_abs[3 * i + j];
    return (sat_axis4){_mm_add_ps(row_product(n[0], offset[k]), row_product(n[1], offset[l])),
                       _mm_add_ps(_mm_add_ps(row_product(a[0], b->size[k]), row_product(a[1], b->size[l])), own)};
}

/* Apply TEST(index, sat_axis4) to the 3 face axes of the fixed frame and to the 9 edge cross products. Macros, because
 * the lane of a shuffle must be a constant. */
#define FOR_EACH_FIXED_FACE_AXIS(s, f, b, TEST)                                                                        \
    {                                                                                                                  \
        const __m128 offset = _mm_sub_ps(_mm_loadu_ps((s)->inverse_origin), (f)->own_centre2);                         \
        const __m128 own = _mm_add_ps((f)->own_size, _mm_loadu_ps((s)->inverse_slack));                                \
        TEST(0, sat_axis4_face(s, b, 0, SPLAT(offset, 0), SPLAT(own, 0)))                                              \
        TEST(1, sat_axis4_face(s, b, 1, SPLAT(offset, 1), SPLAT(own, 1)))                                              \
        TEST(2, sat_axis4_face(s, b, 2, SPLAT(offset, 2), SPLAT(own, 2)))                                              \
    }
#define FOR_EACH_EDGE_AXIS_OF(s, f, b, offset, j, TEST)                                                                \
    {                                                                                                                  \
        const __m128 own =                                                                                             \
            _mm_add_ps(mat3_mul_vec((s)->edge_fixed_radius[j], (f)->own_size), _mm_loadu_ps((s)->edge_slack[j]));      \
        TEST(0 + (j), sat_axis4_edges(s, b, offset, 0, j, SPLAT(own, 0)))                                              \
        TEST(3 + (j), sat_axis4_edges(s, b, offset, 1, j, SPLAT(own, 1)))                                              \
        TEST(6 + (j), sat_axis4_edges(s, b, offset, 2, j, SPLAT(own, 2)))                                              \
    }
#define FOR_EACH_EDGE_AXIS(s, f, b, TEST)                                                                              \
    {                                                                                                                  \
        const __m128 offset[3] = {_mm_sub_ps((b)->centre2[0], SPLAT((f)->centre2, 0)),                                 \
                                  _mm_sub_ps((b)->centre2[1], SPLAT((f)->centre2, 1)),                                 \
                                  _mm_sub_ps((b)->centre2[2], SPLAT((f)->centre2, 2))};                                \
        FOR_EACH_EDGE_AXIS_OF(s, f, b, offset, 0, TEST)                                                                \
        FOR_EACH_EDGE_AXIS_OF(s, f, b, offset, 1, TEST)                                                                \
        FOR_EACH_EDGE_AXIS_OF(s, f, b, offset, 2, TEST)                                                                \
    }

/* Which of the four may overlap the fixed box: a bit per lane. */
TACT_FORCE_INLINE unsigned sat4(const sat_frame *s, const transformed_box *f, const box4 *four, sat_axes axes)
{
    __m128 low, high;
    sat_boxes4 b;
    transformed_box_interval(s, f, &low, &high);
    sat_boxes4_load(&b, four);
    __m128 separated =
        _mm_or_ps(_mm_or_ps(_mm_or_ps(_mm_cmpgt_ps(b.min[0], SPLAT(high, 0)), _mm_cmpgt_ps(SPLAT(low, 0), b.max[0])),
                            _mm_or_ps(_mm_cmpgt_ps(b.min[1], SPLAT(high, 1)), _mm_cmpgt_ps(SPLAT(low, 1), b.max[1]))),
                  _mm_or_ps(_mm_cmpgt_ps(b.min[2], SPLAT(high, 2)), _mm_cmpgt_ps(SPLAT(low, 2), b.max[2])));
    if (_mm_movemask_ps(separated) == 0xf)
        return 0;
    sat_boxes4_set_centres(&b);
#define TEST_AXIS(index, axis)                                                                                         \
    {                                                                                                                  \
        const sat_axis4 x = axis;                                                                                      \
        separated = _mm_or_ps(separated, _mm_cmpgt_ps(abs4(x.distance), x.radius));                                    \
    }
    FOR_EACH_FIXED_FACE_AXIS(s, f, &b, TEST_AXIS)
    unsigned overlap = ~(unsigned)_mm_movemask_ps(separated) & 0xf;
    if (axes != SAT_ALL_AXES || overlap == 0)
        return overlap;
    FOR_EACH_EDGE_AXIS(s, f, &b, TEST_AXIS)
#undef TEST_AXIS
    return ~(unsigned)_mm_movemask_ps(separated) & 0xf;
}

#endif
