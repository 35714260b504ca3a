/*
 * The bounding boxes of the triangles of a mesh, rounded by the processor.
 *
 * Guarantee: the same bits as tact_box_of_points, whatever the host's floating-point settings. Cost: some 4 ns per
 * triangle, a tenth of rounding each bound in software, half of rounding to nearest with a correction.
 *
 * With rounding downward and subnormals kept, a conversion gives the largest float that is not above the smallest
 * coordinate; for the largest coordinate we convert its negative. The result is the required box float if it is 0 or a
 * normal number. Otherwise the triangle takes the scalar path:
 *  - Minima between 0 and FLT_MIN give 0 or a subnormal, minima from -FLT_MIN to 0 a subnormal or -FLT_MIN. Minima
 *    above FLT_MAX give FLT_MAX, as required. Minima below -FLT_MAX give -infinity, which is correct, but every
 *    infinity is treated as an exception because +infinity would have to become FLT_MAX.
 *  - min and max return their second argument for NaN and may lose one, so NaN is tested for.
 */
#include "bounds/box.h"
#include "core/inline.h"
#include "core/sse2.h"
#include "math/fp_environment.h"

#if FP_ENVIRONMENT_HAS_DOWNWARD

TACT_COLD void set_scalar(box *out, const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const tact_vec3 points[3] = {*a, *b, *c};
    *out = tact_box_of_points(points, 3);
}

static inline __m128d load_xy(const tact_vec3 *p) { return _mm_setr_pd(p->x, p->y); }

/* The minimum of three; NaN if the last is NaN. */
TACT_FORCE_INLINE __m128d min3(__m128d a, __m128d b, __m128d c) { return _mm_min_pd(_mm_min_pd(a, b), c); }

/* All ones in the lanes with a finite box float; `zero` has them in the lanes with a zero. */
TACT_FORCE_INLINE __m128 is_box_float(__m128 x, __m128 zero)
{
    /* after adding the bits of FLT_MIN, normal magnitudes are at least twice these bits; infinity and NaN are negative
     */
    const __m128i min_normal = _mm_set1_epi32(INT32_C(1) << 23);
    const __m128i magnitude = _mm_and_si128(_mm_castps_si128(x), _mm_set1_epi32(INT32_MAX));
    const __m128i normal =
        _mm_cmpgt_epi32(_mm_add_epi32(magnitude, min_normal), _mm_set1_epi32((INT32_C(1) << 24) - 1));
    return _mm_or_ps(zero, _mm_castsi128_ps(normal));
}

TACT_FORCE_INLINE void set_to_triangle(box *out, const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const __m128d signs = _mm_set1_pd(-0.0), sign = _mm_setr_pd(0.0, -0.0); /* xor negates */
    /* the lanes are (x, y), and (z, -z): the minimum of -z is the negated maximum of z */
    const __m128d a0 = load_xy(a), b0 = load_xy(b), c0 = load_xy(c);
    const __m128d a1 = _mm_xor_pd(_mm_set1_pd(a->z), sign), b1 = _mm_xor_pd(_mm_set1_pd(b->z), sign),
                  c1 = _mm_xor_pd(_mm_set1_pd(c->z), sign);
    const __m128d max_xy = _mm_max_pd(_mm_max_pd(a0, b0), c0);
    __m128 xy = _mm_movelh_ps(_mm_cvtpd_ps(min3(a0, b0, c0)), _mm_cvtpd_ps(_mm_xor_pd(max_xy, signs)));
    __m128 zz = _mm_cvtpd_ps(min3(a1, b1, c1)); /* and two zeros */
    xy = _mm_xor_ps(xy, _mm_setr_ps(0.0f, 0.0f, -0.0f, -0.0f));
    zz = _mm_xor_ps(zz, _mm_setr_ps(0.0f, -0.0f, 0.0f, 0.0f));
    const __m128 zero_xy = _mm_cmpeq_ps(xy, _mm_setzero_ps()), zero_zz = _mm_cmpeq_ps(zz, _mm_setzero_ps());
    const __m128 valid = _mm_and_ps(is_box_float(xy, zero_xy), is_box_float(zz, zero_zz));
    const __m128d nan = _mm_or_pd(_mm_cmpunord_pd(a0, b0), _mm_cmpunord_pd(a1, b1));
    if (_mm_movemask_ps(_mm_andnot_ps(_mm_castpd_ps(nan), valid)) != 0xf) {
        set_scalar(out, a, b, c);
        return;
    }
    /* zeros of both signs become +0 */
    xy = _mm_andnot_ps(zero_xy, xy);
    zz = _mm_andnot_ps(zero_zz, zz);
    _mm_storel_pi((__m64 *)(void *)out->min, xy);
    _mm_store_ss(out->min + 2, zz);
    _mm_storeh_pi((__m64 *)(void *)out->max, xy);
    _mm_store_ss(out->max + 2, _mm_shuffle_ps(zz, zz, 1));
}

static TACT_NOINLINE void set_all(const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count, box *boxes)
{
    for (size_t i = 0; i < count; ++i)
        set_to_triangle(&boxes[i], &points[triangles[i][0]], &points[triangles[i][1]], &points[triangles[i][2]]);
}

void tact_boxes_of_triangles(const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count, box *boxes)
{
    const fp_environment found = fp_environment_enter_downward();
    set_all(points, triangles, count, boxes);
    fp_environment_leave(found);
}

#else

void tact_boxes_of_triangles(const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count, box *boxes)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 vertices[3] = {points[triangles[i][0]], points[triangles[i][1]], points[triangles[i][2]]};
        boxes[i] = tact_box_of_points(vertices, 3);
    }
}

#endif
