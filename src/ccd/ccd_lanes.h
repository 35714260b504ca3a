/*
 * Vectors of doubles, a pair of features per lane, and the vectors u, v, w of ccd_error_bounds.h in them: for the files
 * that are compiled twice (core/avx2.h), with four lanes or two.
 */
#ifndef TACT_CCD_CCD_LANES_H
#define TACT_CCD_CCD_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/inline.h"
#include "core/sse2.h"

#ifdef __AVX2__
#include <immintrin.h>
#define LANE_COUNT 4
typedef __m256d double_lanes;
TACT_FORCE_INLINE double_lanes load(const double *a) { return _mm256_loadu_pd(a); }
TACT_FORCE_INLINE double_lanes broadcast(double a) { return _mm256_set1_pd(a); }
TACT_FORCE_INLINE void store(double *to, double_lanes a) { _mm256_storeu_pd(to, a); }
TACT_FORCE_INLINE double_lanes add(double_lanes a, double_lanes b) { return _mm256_add_pd(a, b); }
TACT_FORCE_INLINE double_lanes sub(double_lanes a, double_lanes b) { return _mm256_sub_pd(a, b); }
TACT_FORCE_INLINE double_lanes mul(double_lanes a, double_lanes b) { return _mm256_mul_pd(a, b); }
TACT_FORCE_INLINE double_lanes divide(double_lanes a, double_lanes b) { return _mm256_div_pd(a, b); }
TACT_FORCE_INLINE double_lanes square_root(double_lanes a) { return _mm256_sqrt_pd(a); }
TACT_FORCE_INLINE double_lanes min_lanes(double_lanes a, double_lanes b) { return _mm256_min_pd(a, b); }
TACT_FORCE_INLINE double_lanes max_lanes(double_lanes a, double_lanes b) { return _mm256_max_pd(a, b); }
TACT_FORCE_INLINE double_lanes both(double_lanes a, double_lanes b) { return _mm256_and_pd(a, b); }
TACT_FORCE_INLINE double_lanes either(double_lanes a, double_lanes b) { return _mm256_or_pd(a, b); }
TACT_FORCE_INLINE double_lanes absolute(double_lanes a) { return _mm256_andnot_pd(broadcast(-0.0), a); }
TACT_FORCE_INLINE double_lanes flip_sign(double_lanes a, double_lanes by) /* changes the sign of a where `by` has one */
{
    return _mm256_xor_pd(a, _mm256_and_pd(by, broadcast(-0.0)));
}
/* yes where all bits of a lane are set, no where none is */
TACT_FORCE_INLINE double_lanes choose(double_lanes mask, double_lanes yes, double_lanes no)
{
    return _mm256_blendv_pd(no, yes, mask);
}
TACT_FORCE_INLINE double_lanes less(double_lanes a, double_lanes b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
TACT_FORCE_INLINE double_lanes not_greater(double_lanes a, double_lanes b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
TACT_FORCE_INLINE double_lanes is_nan(double_lanes a) { return _mm256_cmp_pd(a, a, _CMP_UNORD_Q); }
TACT_FORCE_INLINE unsigned lane_mask(double_lanes a) { return (unsigned)_mm256_movemask_pd(a); }
#else
#define LANE_COUNT 2
typedef __m128d double_lanes;
TACT_FORCE_INLINE double_lanes load(const double *a) { return _mm_loadu_pd(a); }
TACT_FORCE_INLINE double_lanes broadcast(double a) { return _mm_set1_pd(a); }
TACT_FORCE_INLINE void store(double *to, double_lanes a) { _mm_storeu_pd(to, a); }
TACT_FORCE_INLINE double_lanes add(double_lanes a, double_lanes b) { return _mm_add_pd(a, b); }
TACT_FORCE_INLINE double_lanes sub(double_lanes a, double_lanes b) { return _mm_sub_pd(a, b); }
TACT_FORCE_INLINE double_lanes mul(double_lanes a, double_lanes b) { return _mm_mul_pd(a, b); }
TACT_FORCE_INLINE double_lanes divide(double_lanes a, double_lanes b) { return _mm_div_pd(a, b); }
TACT_FORCE_INLINE double_lanes square_root(double_lanes a) { return _mm_sqrt_pd(a); }
TACT_FORCE_INLINE double_lanes min_lanes(double_lanes a, double_lanes b) { return _mm_min_pd(a, b); }
TACT_FORCE_INLINE double_lanes max_lanes(double_lanes a, double_lanes b) { return _mm_max_pd(a, b); }
TACT_FORCE_INLINE double_lanes both(double_lanes a, double_lanes b) { return _mm_and_pd(a, b); }
TACT_FORCE_INLINE double_lanes either(double_lanes a, double_lanes b) { return _mm_or_pd(a, b); }
TACT_FORCE_INLINE double_lanes absolute(double_lanes a) { return _mm_andnot_pd(broadcast(-0.0), a); }
TACT_FORCE_INLINE double_lanes flip_sign(double_lanes a, double_lanes by) /* changes the sign of a where `by` has one */
{
    return _mm_xor_pd(a, _mm_and_pd(by, broadcast(-0.0)));
}
/* yes where all bits of a lane are set, no where none is */
TACT_FORCE_INLINE double_lanes choose(double_lanes mask, double_lanes yes, double_lanes no)
{
    return _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no));
}
TACT_FORCE_INLINE double_lanes less(double_lanes a, double_lanes b) { return _mm_cmplt_pd(a, b); }
TACT_FORCE_INLINE double_lanes not_greater(double_lanes a, double_lanes b) { return _mm_cmple_pd(a, b); }
TACT_FORCE_INLINE double_lanes is_nan(double_lanes a) { return _mm_cmpunord_pd(a, a); }
TACT_FORCE_INLINE unsigned lane_mask(double_lanes a) { return (unsigned)_mm_movemask_pd(a); }
#endif

#define ALL_LANES ((1u << LANE_COUNT) - 1u)

typedef struct lane_vec {
    double_lanes x, y, z;
} lane_vec;

TACT_FORCE_INLINE lane_vec load_point(const double *const from[3], size_t at)
{
    return (lane_vec){load(from[0] + at), load(from[1] + at), load(from[2] + at)};
}

TACT_FORCE_INLINE lane_vec between(lane_vec a, lane_vec b)
{
    return (lane_vec){sub(b.x, a.x), sub(b.y, a.y), sub(b.z, a.z)};
}

TACT_FORCE_INLINE lane_vec cross(lane_vec a, lane_vec b)
{
    return (lane_vec){sub(mul(a.y, b.z), mul(a.z, b.y)), sub(mul(a.z, b.x), mul(a.x, b.z)),
                      sub(mul(a.x, b.y), mul(a.y, b.x))};
}

TACT_FORCE_INLINE lane_vec sum(lane_vec a, lane_vec b)
{
    return (lane_vec){add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)};
}

TACT_FORCE_INLINE double_lanes dot(lane_vec a, lane_vec b)
{
    return add(add(mul(a.x, b.x), mul(a.y, b.y)), mul(a.z, b.z));
}

/* u, v, w of ccd_error_bounds.h at one time. */
typedef struct lane_vectors {
    lane_vec u, v, w;
} lane_vectors;

TACT_FORCE_INLINE lane_vectors load_vectors(const double *const from[4][3], size_t at, bool edges)
{
    lane_vec a = load_point(from[0], at), b = load_point(from[1], at), c = load_point(from[2], at),
             d = load_point(from[3], at);
    if (edges)
        return (lane_vectors){between(a, b), between(c, d), between(a, c)};
    return (lane_vectors){between(b, c), between(b, d), between(b, a)};
}

TACT_FORCE_INLINE double_lanes largest(double_lanes a, double_lanes b, double_lanes c)
{
    return max_lanes(max_lanes(absolute(a), absolute(b)), absolute(c));
}

TACT_FORCE_INLINE lane_vec vectors_size(const lane_vectors *f)
{
    return (lane_vec){largest(f->u.x, f->v.x, f->w.x), largest(f->u.y, f->v.y, f->w.y),
                      largest(f->u.z, f->v.z, f->w.z)};
}

TACT_FORCE_INLINE double_lanes mix(double_lanes a, double_lanes b, double_lanes weight_a, double_lanes weight_b)
{
    return add(mul(weight_a, a), mul(weight_b, b));
}

TACT_FORCE_INLINE lane_vec vec_at(lane_vec a, lane_vec b, double_lanes weight_a, double_lanes weight_b)
{
    return (lane_vec){mix(a.x, b.x, weight_a, weight_b), mix(a.y, b.y, weight_a, weight_b),
                      mix(a.z, b.z, weight_a, weight_b)};
}

TACT_FORCE_INLINE lane_vectors vectors_at(const lane_vectors *a, const lane_vectors *b, double_lanes weight_a,
                                          double_lanes weight_b)
{
    return (lane_vectors){vec_at(a->u, b->u, weight_a, weight_b), vec_at(a->v, b->v, weight_a, weight_b),
                          vec_at(a->w, b->w, weight_a, weight_b)};
}

/* The Bernstein coefficients of the normal and of the volume between two times, as in ccd_error_bounds.h. */
typedef struct lane_cubic {
    lane_vec n0, m, n2;
    double_lanes f0, f1, f2, f3; /* f1 and f2 times three */
} lane_cubic;

TACT_FORCE_INLINE lane_cubic lane_volume(const lane_vectors *a, const lane_vectors *b)
{
    lane_cubic c;
    c.n0 = cross(a->u, a->v);
    c.m = sum(cross(a->u, b->v), cross(b->u, a->v));
    c.n2 = cross(b->u, b->v);
    c.f0 = dot(c.n0, a->w);
    c.f3 = dot(c.n2, b->w);
    c.f1 = add(dot(c.m, a->w), dot(c.n0, b->w));
    c.f2 = add(dot(c.m, b->w), dot(c.n2, a->w));
    return c;
}

#endif
