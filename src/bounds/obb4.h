/*
 * Separating-axis test of four oriented boxes of the opened frame against one of the fixed frame (Gottschalk, Lin and
 * Manocha, OBBTree, 1996), under any relative frame of relative_frame.h.
 *
 * Guarantee: "separated" is proved, everything else is "may overlap". Cost: some 27 ns for all four boxes with the 6
 * face axes, including the preparation of the fixed box. (A special case for rigid transforms gained only 3 %.)
 *
 * In the opened frame, the fixed box has its centre at p = linear c + origin, edges along v_k = linear u_k, and face
 * normals w_k = u_k inverse. With r = (axes of the four) . v, all 15 tests are sums of products of r, w and the half
 * extents.
 *
 * Rounding: let L be the sum of all coordinates of both sides; no centre, half extent or distance is larger than 2 L.
 * Along a unit vector the error of the centre is 10 epsilons of L, that of the distance and its projection 10 more,
 * that of the projection radius 30, and 24 because the axes are orthogonal only up to OBB_AXIS_ERROR: below
 * FRAME_OBB_EPSILONS = 96 in total, in addition to the slack of the relative frames. Along n = u_i x v_k the error is
 * at most |v_k| times as large, times a small factor.
 */
#ifndef TACT_BOUNDS_OBB4_H
#define TACT_BOUNDS_OBB4_H

#include "bounds/obb.h"
#include "bounds/sat4.h"

/* Constants of the test for opening boxes of one frame against boxes of another. */
typedef struct obb_sat_frame {
    relative_frame frame;   /* the fixed frame relative to the opened one */
    relative_frame inverse; /* the opened frame relative to the fixed one */
    float opened_slack;     /* along a unit vector of the opened frame */
    float fixed_slack;      /* along a unit vector of the fixed frame */
    float max_scale;        /* upper bound of |v_k| */
    float mean_scale;       /* root mean square of |v_k| */
} obb_sat_frame;

typedef struct obb_sat_frames {
    obb_sat_frame ab, ba;
} obb_sat_frames;

void tact_obb_sat_frames_make(const tact_transform *transform_a, const box *bounds_a, const tact_transform *transform_b,
                              const box *bounds_b, obb_sat_frames *frames);

/* A box of the fixed frame in coordinates of the opened frame. */
typedef struct transformed_obb {
    __m128 centre;    /* p */
    __m128 edge[3];   /* v_k */
    __m128 normal[3]; /* w_k */
    float offset[3];  /* u_k . (origin of the opened frame - centre), in the fixed frame */
    float half[3];
    float size; /* the sum of the half extents times mean_scale */
} transformed_obb;

TACT_FORCE_INLINE transformed_obb transformed_obb_make(const obb_sat_frame *s, const obb4 *four, unsigned lane)
{
    transformed_obb f;
    f.centre = _mm_add_ps(mat3_mul_vec(s->frame.linear, _mm_setr_ps(four->centre[0][lane], four->centre[1][lane],
                                                                    four->centre[2][lane], 0.0f)),
                          _mm_loadu_ps(s->frame.origin));
    /* the rows of `inverse` are needed: transpose its columns */
    __m128 row0 = _mm_loadu_ps(s->inverse.linear[0]), row1 = _mm_loadu_ps(s->inverse.linear[1]),
           row2 = _mm_loadu_ps(s->inverse.linear[2]), row3 = _mm_setzero_ps();
    _MM_TRANSPOSE4_PS(row0, row1, row2, row3);
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        const float x = four->axis[k][0][lane], y = four->axis[k][1][lane], z = four->axis[k][2][lane];
        f.edge[k] = mat3_mul_vec(s->frame.linear, _mm_setr_ps(x, y, z, 0.0f));
        f.normal[k] = _mm_add_ps(_mm_add_ps(_mm_mul_ps(row0, _mm_set1_ps(x)), _mm_mul_ps(row1, _mm_set1_ps(y))),
                                 _mm_mul_ps(row2, _mm_set1_ps(z)));
        f.offset[k] =
            (x * (s->inverse.origin[0] - four->centre[0][lane]) + y * (s->inverse.origin[1] - four->centre[1][lane])) +
            z * (s->inverse.origin[2] - four->centre[2][lane]);
        f.half[k] = four->half[k][lane];
    }
    f.size = s->mean_scale * (f.half[0] + f.half[1] + f.half[2]);
    return f;
}

TACT_FORCE_INLINE __m128 dot4(const __m128 a[3], __m128 x, __m128 y, __m128 z)
{
    return _mm_add_ps(_mm_add_ps(_mm_mul_ps(a[0], x), _mm_mul_ps(a[1], y)), _mm_mul_ps(a[2], z));
}

/* Squared distances from the centres of the four to a point. */
TACT_FORCE_INLINE void obb4_centre_distances(const obb4 *four, __m128 point, float square[BOX4_WIDTH])
{
    __m128 x = _mm_sub_ps(_mm_loadu_ps(four->centre[0]), SPLAT(point, 0));
    __m128 y = _mm_sub_ps(_mm_loadu_ps(four->centre[1]), SPLAT(point, 1));
    __m128 z = _mm_sub_ps(_mm_loadu_ps(four->centre[2]), SPLAT(point, 2));
    _mm_storeu_ps(square, _mm_add_ps(_mm_add_ps(_mm_mul_ps(x, x), _mm_mul_ps(y, y)), _mm_mul_ps(z, z)));
}

/* Which of the four may overlap the fixed box: a bit per lane. */
TACT_FORCE_INLINE unsigned obb_sat4(const obb_sat_frame *s, const transformed_obb *f, const obb4 *four, sat_axes axes)
{
    const __m128 opened_slack = _mm_set1_ps(s->opened_slack), fixed_slack = _mm_set1_ps(s->fixed_slack);
    const __m128 c[3] = {_mm_loadu_ps(four->centre[0]), _mm_loadu_ps(four->centre[1]), _mm_loadu_ps(four->centre[2])};
    const __m128 d[3] = {_mm_sub_ps(c[0], SPLAT(f->centre, 0)), _mm_sub_ps(c[1], SPLAT(f->centre, 1)),
                         _mm_sub_ps(c[2], SPLAT(f->centre, 2))};
    __m128 u[3][3], h[3], r[3][3], along[3], separated = _mm_setzero_ps();
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        h[i] = _mm_loadu_ps(four->half[i]);
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k)
            u[i][k] = _mm_loadu_ps(four->axis[i][k]);
    }
    /* the face axes of the four */
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        along[i] = dot4(u[i], d[0], d[1], d[2]);
        __m128 radius = _mm_add_ps(h[i], opened_slack);
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k) {
            r[i][k] = dot4(u[i], SPLAT(f->edge[k], 0), SPLAT(f->edge[k], 1), SPLAT(f->edge[k], 2));
            radius = _mm_add_ps(radius, _mm_mul_ps(abs4(r[i][k]), _mm_set1_ps(f->half[k])));
        }
        separated = _mm_or_ps(separated, _mm_cmpgt_ps(abs4(along[i]), radius));
    }
    if (_mm_movemask_ps(separated) == 0xf)
        return 0;
    /* the face axes of the fixed box */
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        __m128 x = SPLAT(f->normal[k], 0), y = SPLAT(f->normal[k], 1), z = SPLAT(f->normal[k], 2);
        __m128 radius = _mm_add_ps(_mm_set1_ps(f->half[k]), fixed_slack);
        TACT_UNROLL_3
        for (int i = 0; i < 3; ++i)
            radius = _mm_add_ps(radius, _mm_mul_ps(abs4(dot4(u[i], x, y, z)), h[i]));
        __m128 distance = _mm_add_ps(dot4(c, x, y, z), _mm_set1_ps(f->offset[k]));
        separated = _mm_or_ps(separated, _mm_cmpgt_ps(abs4(distance), radius));
    }
    unsigned overlap = ~(unsigned)_mm_movemask_ps(separated) & 0xf;
    if (axes != SAT_ALL_AXES || overlap == 0)
        return overlap;
    /* the edge axes n = u_i x v_k. Projection radius of the fixed box: |v_l . n| = |u_i . (v_k x v_l)| */
    const __m128 edge_slack = _mm_set1_ps(4.0f * s->opened_slack * s->max_scale);
    __m128 triple[3][3];
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        const __m128 a = f->edge[(k + 1) % 3], b = f->edge[(k + 2) % 3];
        const __m128 a1 = _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 0, 2, 1)),
                     b1 = _mm_shuffle_ps(b, b, _MM_SHUFFLE(3, 0, 2, 1));
        const __m128 x = _mm_sub_ps(_mm_mul_ps(a, b1), _mm_mul_ps(a1, b)); /* z x y of a x b */
        TACT_UNROLL_3
        for (int i = 0; i < 3; ++i)
            triple[i][k] = abs4(dot4(u[i], SPLAT(x, 1), SPLAT(x, 2), SPLAT(x, 0)));
    }
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k) {
            const int m = (k + 1) % 3, o = (k + 2) % 3;
            __m128 distance = _mm_sub_ps(_mm_mul_ps(along[l], r[j][k]), _mm_mul_ps(along[j], r[l][k]));
            __m128 radius = _mm_add_ps(_mm_mul_ps(abs4(r[l][k]), h[j]), _mm_mul_ps(abs4(r[j][k]), h[l]));
            radius = _mm_add_ps(radius, _mm_add_ps(_mm_mul_ps(triple[i][o], _mm_set1_ps(f->half[m])),
                                                   _mm_mul_ps(triple[i][m], _mm_set1_ps(f->half[o]))));
            separated = _mm_or_ps(separated, _mm_cmpgt_ps(abs4(distance), _mm_add_ps(radius, edge_slack)));
        }
    }
    return ~(unsigned)_mm_movemask_ps(separated) & 0xf;
}

#endif
