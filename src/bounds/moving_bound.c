/*
 * Moving frames, and the bounds of moving points in them. See moving_bound.h for the theory.
 *
 * Guarantee: the bound contains the point, expanded by half the thickness. Proof: the scale s is a power of two, so x s
 * is exact (below the smallest normal double its error is 2^-1074), and (x s) - (origin s) has one rounding error,
 * 2^-53 of at most MOVING_MAX_COORDINATE = 4. A sum of three of these has two more, of values up to 8 and 12: in total
 * 3 x 2^-51 + 2^-50 + 1.5 x 2^-50 = 2^-48, a quarter of MOVING_ABSOLUTE_SLACK. Rounding to a float adds a relative
 * error of 2^-24. Computing value - (MOVING_RELATIVE_SLACK |value| + margin) in floats adds another 2^-24 of |value|
 * and twice that of the margin. MOVING_RELATIVE_SLACK and the enlarged margin are twice as large. Directions are not
 * normalised: the margin along one of length sqrt(n) is half the thickness times sqrt(n).
 */
#include "bounds/moving_bound.h"

#include <math.h>

#include "core/number.h"

#if MOVING_DIRECTIONS == 3
const signed char tact_moving_direction[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
#elif MOVING_DIRECTIONS == 7
const signed char tact_moving_direction[8][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 1},
                                                 {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
#elif MOVING_DIRECTIONS == 9
const signed char tact_moving_direction[12][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0}, {1, -1, 0},
                                                  {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
#elif MOVING_DIRECTIONS == 13
const signed char tact_moving_direction[16][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, -1, 0},
                                                  {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}, {1, 1, 1},
                                                  {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
#else
#error "MOVING_DIRECTIONS must be 3, 7, 9 or 13"
#endif

/* Extends the box [low, high] by the points and adds `weight` times each point to `sum`. */
static void accumulate(const tact_vec3 *points, size_t count, double low[3], double high[3], double sum[3],
                       double weight)
{
    for (size_t i = 0; i < count; ++i) {
        const double x[3] = {points[i].x, points[i].y, points[i].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = x[k] < low[k] ? x[k] : low[k];
            high[k] = x[k] > high[k] ? x[k] : high[k];
            sum[k] += x[k] * weight;
        }
    }
}

/* The coordinates of the point along the directions. */
static void project(const moving_frame *frame, tact_vec3 p, float out[4 * MOVING_GROUPS])
{
    const double x = p.x * frame->scale - frame->origin[0], y = p.y * frame->scale - frame->origin[1],
                 z = p.z * frame->scale - frame->origin[2];
    int n = 0;
    out[n++] = (float)x;
    out[n++] = (float)y;
    out[n++] = (float)z;
#if MOVING_DIRECTIONS == 9 || MOVING_DIRECTIONS == 13
    out[n++] = (float)(x + y);
    out[n++] = (float)(x - y);
    out[n++] = (float)(x + z);
    out[n++] = (float)(x - z);
    out[n++] = (float)(y + z);
    out[n++] = (float)(y - z);
#endif
#if MOVING_DIRECTIONS == 7 || MOVING_DIRECTIONS == 13
    out[n++] = (float)(x + y + z);
    out[n++] = (float)(x + y - z);
    out[n++] = (float)(x - y + z);
    out[n++] = (float)(x - y - z);
#endif
    while (n < 4 * MOVING_GROUPS)
        out[n++] = 0.0f;
}

moving_frame tact_moving_frame_make(const tact_vec3 *start, const tact_vec3 *end, size_t count, double thickness)
{
    moving_frame f = {.scale = 1.0, .origin = {0.0, 0.0, 0.0}};
    if (count == 0)
        return f;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           sum[3] = {0.0, 0.0, 0.0};
    const double weight = 0.5 / (double)count;
    accumulate(start, count, low, high, sum, weight);
    accumulate(end, count, low, high, sum, weight);
    /* the origin is the mean, near which most points lie, not the centre of the box: floats are finest near 0 */
    double half_radius = 0.0; /* half of the largest distance from it along an axis: the whole may overflow */
    for (int k = 0; k < 3; ++k) {
        const double mean = sum[k] < low[k] ? low[k] : sum[k] > high[k] ? high[k] : sum[k];
        f.origin[k] = mean;
        half_radius = number_max(half_radius, number_max(0.5 * high[k] - 0.5 * mean, 0.5 * mean - 0.5 * low[k]));
    }
    if (half_radius > 0.0) {
        int exponent;
        (void)frexp(half_radius, &exponent); /* 2 half_radius < 2^(exponent + 1) */
        f.scale = ldexp(1.0, exponent < -1022 ? 1022 : -exponent - 1);
    }
    for (int k = 0; k < 3; ++k)
        f.origin[k] *= f.scale;
    for (int i = 0; i < 4 * MOVING_GROUPS; ++i) {
        const signed char *d = tact_moving_direction[i];
        const int n = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        double half = 0.5 * thickness * f.scale * (n < 2 ? 1.0 : n < 3 ? 1.4142135623730952 : 1.7320508075688775);
        half = half < MOVING_MAX_MARGIN ? half : MOVING_MAX_MARGIN;
        f.margin[i] = (float)((half * (1.0 + 0x1p-21) + MOVING_ABSOLUTE_SLACK));
    }
    return f;
}

bool tact_moving_frame_contains(const moving_frame *frame, tact_vec3 point)
{
    return fabs(point.x * frame->scale - frame->origin[0]) <= MOVING_MAX_COORDINATE &&
           fabs(point.y * frame->scale - frame->origin[1]) <= MOVING_MAX_COORDINATE &&
           fabs(point.z * frame->scale - frame->origin[2]) <= MOVING_MAX_COORDINATE;
}

void tact_moving_point_set(moving_point *point, const moving_frame *frame, tact_vec3 start, tact_vec3 end)
{
    for (int e = 0; e < 2; ++e) {
        float coordinates[4 * MOVING_GROUPS];
        project(frame, e == 0 ? start : end, coordinates);
        for (int g = 0; g < MOVING_GROUPS; ++g) {
            /* not loaded as a vector: that would wait until the single stores have reached the cache */
            const float *c = coordinates + 4 * g;
            const __m128 value = _mm_set_ps(c[3], c[2], c[1], c[0]), negated = _mm_sub_ps(_mm_setzero_ps(), value);
            const __m128 magnitude = _mm_max_ps(value, negated);
            const __m128 margin = _mm_add_ps(_mm_mul_ps(magnitude, _mm_set1_ps(MOVING_RELATIVE_SLACK)),
                                             _mm_loadu_ps(frame->margin + 4 * g));
            _mm_storeu_ps(point->extent[e][g], _mm_sub_ps(value, margin));
            _mm_storeu_ps(point->extent[e][g] + 4, _mm_sub_ps(negated, margin));
        }
    }
}

void tact_moving_point_set_swept(moving_point *point)
{
    for (int g = 0; g < MOVING_GROUPS; ++g)
        for (int k = 0; k < 8; ++k) {
            const float one = point->extent[0][g][k], other = point->extent[1][g][k];
            point->extent[0][g][k] = point->extent[1][g][k] = one < other ? one : other;
        }
}
