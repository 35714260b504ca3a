/*
 * Four oriented boxes of one frame against one of another, by separating axes (Gottschalk, Lin and Manocha, OBBTree,
 * 1996), under any relative placement that view.h knows. "Apart" is proved, "may overlap" is all else. Some 27 ns for
 * all four with the 6 face normals, the fixed box prepared included. (A shorter way for rigid placements gained 3 %.)
 *
 * In the opened frame, the fixed box has its middle at p = linear c + origin and edges along v_k = linear u_k; its
 * faces are across w_k = u_k back. With r = (axes of the four) . v all 15 tests are sums of products of r, w and the
 * half sizes. Rounding: let L be the sum of all coordinates, of both sides; no centre, half size or distance is larger
 * than 2 L. Along a unit vector the middle is off by 10 epsilons of L, the distance and its projection by 10 more, the
 * reach by 30, and by 24 because the axes are perpendicular only up to OBB_AXIS_ERROR: less than 96 in all, on top of
 * the slack of the views. Along n = u_i x v_k all that is at most |v_k| times as much, a few times.
 */
#ifndef TACT_BOUNDS_OBB4_H
#define TACT_BOUNDS_OBB4_H

#include "bounds/obb.h"
#include "bounds/sat4.h"

/* Prepared for opening boxes of one frame against boxes of another. */
typedef struct obb_sat_frame {
    relative_frame frame;   /* of the fixed frame, from the opened one */
    relative_frame inverse; /* of the opened frame, from the fixed one */
    float opened_slack;     /* along a unit vector of the opened frame */
    float fixed_slack;      /* along one of the fixed frame */
    float max_scale;        /* no v_k is longer */
    float mean_scale;       /* about how long they are */
} obb_sat_frame;

typedef struct obb_sat_frames {
    obb_sat_frame ab, ba;
} obb_sat_frames;

void tact_obb_sat_frames_make(const tact_transform *transform_a, const box *whole_a, const tact_transform *transform_b,
                              const box *whole_b, obb_sat_frames *sights);

/* A box of the fixed frame, as the four see it. */
typedef struct transformed_obb {
    simde__m128 centre;    /* p */
    simde__m128 edge[3];   /* v_k */
    simde__m128 normal[3]; /* w_k */
    float offset[3];       /* of u_k: where the opened origin is, less the centre */
    float half[3];
    float size; /* the sum of the half sizes, as long as the edges are in the opened frame */
} transformed_obb;

TACT_FORCE_INLINE transformed_obb transformed_obb_make(const obb_sat_frame *s, const obb4 *four, unsigned lane)
{
    transformed_obb f;
    f.centre =
        simde_mm_add_ps(mat3_mul_vec(s->frame.linear, simde_mm_setr_ps(four->centre[0][lane], four->centre[1][lane],
                                                                       four->centre[2][lane], 0.0f)),
                        simde_mm_loadu_ps(s->frame.origin));
    /* the rows of `back` are what its columns are spread from: transposed once a box */
    simde__m128 row0 = simde_mm_loadu_ps(s->inverse.linear[0]), row1 = simde_mm_loadu_ps(s->inverse.linear[1]),
                row2 = simde_mm_loadu_ps(s->inverse.linear[2]), row3 = simde_mm_setzero_ps();
    SIMDE_MM_TRANSPOSE4_PS(row0, row1, row2, row3);
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        const float x = four->axis[k][0][lane], y = four->axis[k][1][lane], z = four->axis[k][2][lane];
        f.edge[k] = mat3_mul_vec(s->frame.linear, simde_mm_setr_ps(x, y, z, 0.0f));
        f.normal[k] = simde_mm_add_ps(
            simde_mm_add_ps(simde_mm_mul_ps(row0, simde_mm_set1_ps(x)), simde_mm_mul_ps(row1, simde_mm_set1_ps(y))),
            simde_mm_mul_ps(row2, simde_mm_set1_ps(z)));
        f.offset[k] =
            (x * (s->inverse.origin[0] - four->centre[0][lane]) + y * (s->inverse.origin[1] - four->centre[1][lane])) +
            z * (s->inverse.origin[2] - four->centre[2][lane]);
        f.half[k] = four->half[k][lane];
    }
    f.size = s->mean_scale * (f.half[0] + f.half[1] + f.half[2]);
    return f;
}

TACT_FORCE_INLINE simde__m128 dot4(const simde__m128 a[3], simde__m128 x, simde__m128 y, simde__m128 z)
{
    return simde_mm_add_ps(simde_mm_add_ps(simde_mm_mul_ps(a[0], x), simde_mm_mul_ps(a[1], y)),
                           simde_mm_mul_ps(a[2], z));
}

/* Squares of the distances between the middles of the four and that of the fixed box. */
TACT_FORCE_INLINE void obb4_centre_distances(const obb4 *four, simde__m128 middle, float square[BOX4_WIDTH])
{
    simde__m128 x = simde_mm_sub_ps(simde_mm_loadu_ps(four->centre[0]), SPLAT(middle, 0));
    simde__m128 y = simde_mm_sub_ps(simde_mm_loadu_ps(four->centre[1]), SPLAT(middle, 1));
    simde__m128 z = simde_mm_sub_ps(simde_mm_loadu_ps(four->centre[2]), SPLAT(middle, 2));
    simde_mm_storeu_ps(
        square, simde_mm_add_ps(simde_mm_add_ps(simde_mm_mul_ps(x, x), simde_mm_mul_ps(y, y)), simde_mm_mul_ps(z, z)));
}

/* Which of the four may overlap the fixed box: a bit a lane. */
TACT_FORCE_INLINE unsigned obb_sat4(const obb_sat_frame *s, const transformed_obb *f, const obb4 *four, sat_axes axes)
{
    const simde__m128 slack = simde_mm_set1_ps(s->opened_slack), spare = simde_mm_set1_ps(s->fixed_slack);
    const simde__m128 c[3] = {simde_mm_loadu_ps(four->centre[0]), simde_mm_loadu_ps(four->centre[1]),
                              simde_mm_loadu_ps(four->centre[2])};
    const simde__m128 d[3] = {simde_mm_sub_ps(c[0], SPLAT(f->centre, 0)), simde_mm_sub_ps(c[1], SPLAT(f->centre, 1)),
                              simde_mm_sub_ps(c[2], SPLAT(f->centre, 2))};
    simde__m128 u[3][3], h[3], r[3][3], along[3], apart = simde_mm_setzero_ps();
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        h[i] = simde_mm_loadu_ps(four->half[i]);
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k)
            u[i][k] = simde_mm_loadu_ps(four->axis[i][k]);
    }
    /* the faces of the four */
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        along[i] = dot4(u[i], d[0], d[1], d[2]);
        simde__m128 reach = simde_mm_add_ps(h[i], slack);
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k) {
            r[i][k] = dot4(u[i], SPLAT(f->edge[k], 0), SPLAT(f->edge[k], 1), SPLAT(f->edge[k], 2));
            reach = simde_mm_add_ps(reach, simde_mm_mul_ps(abs4(r[i][k]), simde_mm_set1_ps(f->half[k])));
        }
        apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(abs4(along[i]), reach));
    }
    if (simde_mm_movemask_ps(apart) == 0xf)
        return 0;
    /* the faces of the fixed one */
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        simde__m128 x = SPLAT(f->normal[k], 0), y = SPLAT(f->normal[k], 1), z = SPLAT(f->normal[k], 2);
        simde__m128 reach = simde_mm_add_ps(simde_mm_set1_ps(f->half[k]), spare);
        TACT_UNROLL_3
        for (int i = 0; i < 3; ++i)
            reach = simde_mm_add_ps(reach, simde_mm_mul_ps(abs4(dot4(u[i], x, y, z)), h[i]));
        simde__m128 distance = simde_mm_add_ps(dot4(c, x, y, z), simde_mm_set1_ps(f->offset[k]));
        apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(abs4(distance), reach));
    }
    unsigned meet = ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
    if (axes != SAT_ALL_AXES || meet == 0)
        return meet;
    /* across an edge of each: n = u_i x v_k. Of the fixed box' own reach, v_l . n = u_i . (v_k x v_l). */
    const simde__m128 more = simde_mm_set1_ps(4.0f * s->opened_slack * s->max_scale);
    simde__m128 third[3][3];
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        const simde__m128 a = f->edge[(k + 1) % 3], b = f->edge[(k + 2) % 3];
        const simde__m128 a1 = simde_mm_shuffle_ps(a, a, SIMDE_MM_SHUFFLE(3, 0, 2, 1)),
                          b1 = simde_mm_shuffle_ps(b, b, SIMDE_MM_SHUFFLE(3, 0, 2, 1));
        const simde__m128 x = simde_mm_sub_ps(simde_mm_mul_ps(a, b1), simde_mm_mul_ps(a1, b)); /* z x y of a x b */
        TACT_UNROLL_3
        for (int i = 0; i < 3; ++i)
            third[i][k] = abs4(dot4(u[i], SPLAT(x, 1), SPLAT(x, 2), SPLAT(x, 0)));
    }
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k) {
            const int m = (k + 1) % 3, o = (k + 2) % 3;
            simde__m128 distance =
                simde_mm_sub_ps(simde_mm_mul_ps(along[l], r[j][k]), simde_mm_mul_ps(along[j], r[l][k]));
            simde__m128 reach =
                simde_mm_add_ps(simde_mm_mul_ps(abs4(r[l][k]), h[j]), simde_mm_mul_ps(abs4(r[j][k]), h[l]));
            reach = simde_mm_add_ps(reach, simde_mm_add_ps(simde_mm_mul_ps(third[i][o], simde_mm_set1_ps(f->half[m])),
                                                           simde_mm_mul_ps(third[i][m], simde_mm_set1_ps(f->half[o]))));
            apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(abs4(distance), simde_mm_add_ps(reach, more)));
        }
    }
    return ~(unsigned)simde_mm_movemask_ps(apart) & 0xf;
}

#endif
