/*
 * The boxes of the triangles of a mesh.
 *
 * Guarantee: those that tact_box_of_points gives, bit for bit, whatever the host's floating-point settings. Cost:
 * some 4 ns a triangle: a tenth of rounding each bound by itself, half of rounding to nearest and correcting that.
 *
 * The processor rounds: with its mode set to rounding downward and subnormals kept, a conversion gives the largest
 * float that is not above the least coordinate; of the greatest one we convert the negative. What comes out is the box
 * float asked for if it is 0 or a normal number:
 *  - least coordinates between 0 and FLT_MIN give 0 or a subnormal; those from -FLT_MIN to 0 a subnormal or
 *    -FLT_MIN; those beyond FLT_MAX give FLT_MAX; those below -FLT_MAX -infinity, which is right but looked at as
 *    infinity is, since that should give FLT_MAX.
 *  - a NaN may be lost in min and max, which give their second argument then: so it is looked for.
 * Otherwise we go the plain way.
 */
#include "bounds/box.h"
#include "core/inline.h"
#include "math/fp_environment.h"

#if FP_ENVIRONMENT_HAS_DOWNWARD

#include <simde/x86/sse2.h>

TACT_COLD void set_plainly(box *out, const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const tact_vec3 points[3] = {*a, *b, *c};
    *out = tact_box_of_points(points, 3);
}

static inline simde__m128d load_xy(const tact_vec3 *p) { return simde_mm_setr_pd(p->x, p->y); }

/* The least of three, or NaN if the last is. */
TACT_FORCE_INLINE simde__m128d least(simde__m128d a, simde__m128d b, simde__m128d c)
{
    return simde_mm_min_pd(simde_mm_min_pd(a, b), c);
}

/* Which are finite box floats, or zeros, as `zero` tells? All ones in the lanes of these. */
TACT_FORCE_INLINE simde__m128 are_plain(simde__m128 x, simde__m128 zero)
{
    /* with the bits of FLT_MIN added to theirs, normal sizes have twice these or more; infinity and NaN are negative */
    const simde__m128i once = simde_mm_set1_epi32(INT32_C(1) << 23);
    const simde__m128i size = simde_mm_and_si128(simde_mm_castps_si128(x), simde_mm_set1_epi32(INT32_MAX));
    const simde__m128i normal =
        simde_mm_cmpgt_epi32(simde_mm_add_epi32(size, once), simde_mm_set1_epi32((INT32_C(1) << 24) - 1));
    return simde_mm_or_ps(zero, simde_mm_castsi128_ps(normal));
}

TACT_FORCE_INLINE void set_to_triangle(box *out, const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const simde__m128d signs = simde_mm_set1_pd(-0.0), sign = simde_mm_setr_pd(0.0, -0.0); /* flipped by xor */
    /* (x, y), and (z, -z): the least of all, and the negative of the greatest */
    const simde__m128d a0 = load_xy(a), b0 = load_xy(b), c0 = load_xy(c);
    const simde__m128d a1 = simde_mm_xor_pd(simde_mm_set1_pd(a->z), sign),
                       b1 = simde_mm_xor_pd(simde_mm_set1_pd(b->z), sign),
                       c1 = simde_mm_xor_pd(simde_mm_set1_pd(c->z), sign);
    const simde__m128d greatest = simde_mm_max_pd(simde_mm_max_pd(a0, b0), c0);
    simde__m128 xy =
        simde_mm_movelh_ps(simde_mm_cvtpd_ps(least(a0, b0, c0)), simde_mm_cvtpd_ps(simde_mm_xor_pd(greatest, signs)));
    simde__m128 zz = simde_mm_cvtpd_ps(least(a1, b1, c1)); /* and two zeros */
    xy = simde_mm_xor_ps(xy, simde_mm_setr_ps(0.0f, 0.0f, -0.0f, -0.0f));
    zz = simde_mm_xor_ps(zz, simde_mm_setr_ps(0.0f, -0.0f, 0.0f, 0.0f));
    const simde__m128 zero_xy = simde_mm_cmpeq_ps(xy, simde_mm_setzero_ps()),
                      zero_zz = simde_mm_cmpeq_ps(zz, simde_mm_setzero_ps());
    const simde__m128 plain = simde_mm_and_ps(are_plain(xy, zero_xy), are_plain(zz, zero_zz));
    const simde__m128d lost = simde_mm_or_pd(simde_mm_cmpunord_pd(a0, b0), simde_mm_cmpunord_pd(a1, b1));
    if (simde_mm_movemask_ps(simde_mm_andnot_ps(simde_mm_castpd_ps(lost), plain)) != 0xf) {
        set_plainly(out, a, b, c);
        return;
    }
    /* zeros of both signs become +0 */
    xy = simde_mm_andnot_ps(zero_xy, xy);
    zz = simde_mm_andnot_ps(zero_zz, zz);
    simde_mm_storel_pi((simde__m64 *)(void *)out->min, xy);
    simde_mm_store_ss(out->min + 2, zz);
    simde_mm_storeh_pi((simde__m64 *)(void *)out->max, xy);
    simde_mm_store_ss(out->max + 2, simde_mm_shuffle_ps(zz, zz, 1));
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
        const tact_vec3 corners[3] = {points[triangles[i][0]], points[triangles[i][1]], points[triangles[i][2]]};
        boxes[i] = tact_box_of_points(corners, 3);
    }
}

#endif
