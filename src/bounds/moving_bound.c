/*
 * Frames, and points in them. See moving.h for the rules.
 *
 * Guarantees: with s a power of two, x s is exact (but below the smallest normal double, where it is off by 2^-1074),
 * so (x s) - (origin s) is rounded once: by 2^-53 of at most MOVING_MAX_COORDINATE = 4. A sum of three of these has two
 * more roundings, of at most 8 and 12: all together 3 x 2^-51 + 2^-50 + 1.5 x 2^-50 = 2^-48, a quarter of
 * MOVING_ABSOLUTE_SLACK. The float nearest to it is off by 2^-24 of its size, and raw - (MOVING_RELATIVE_SLACK |raw| +
 * margin), in floats, by another 2^-24 of |raw| and twice that of the margin: MOVING_RELATIVE_SLACK and the enlarged
 * margin are twice as much. The margin of a direction of length sqrt(n) is half the thickness times that.
 */
#include "bounds/moving_bound.h"

#include <math.h>

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
#error "no such set of directions"
#endif

/* The most that half the thickness counts for, in the frame: everything touches with less. */
#define MOST_MARGIN 16.0

static void spread(const tact_vec3 *points, size_t count, double low[3], double high[3], double sum[3], double part)
{
    for (size_t i = 0; i < count; ++i) {
        const double x[3] = {points[i].x, points[i].y, points[i].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = x[k] < low[k] ? x[k] : low[k];
            high[k] = x[k] > high[k] ? x[k] : high[k];
            sum[k] += x[k] * part;
        }
    }
}

moving_frame tact_moving_frame_make(const tact_vec3 *start, const tact_vec3 *end, size_t count, double thickness)
{
    moving_frame f = {.scale = 1.0, .origin = {0.0, 0.0, 0.0}};
    if (count == 0)
        return f;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           sum[3] = {0.0, 0.0, 0.0};
    const double part = 0.5 / (double)count;
    spread(start, count, low, high, sum, part);
    spread(end, count, low, high, sum, part);
    /* the mean, where most of them are, and not the middle: floats are finest near 0 */
    double most = 0.0; /* half of how far they are from it: halves, as the whole may overflow */
    for (int k = 0; k < 3; ++k) {
        const double mean = sum[k] < low[k] ? low[k] : sum[k] > high[k] ? high[k] : sum[k];
        f.origin[k] = mean;
        most = fmax(most, fmax(0.5 * high[k] - 0.5 * mean, 0.5 * mean - 0.5 * low[k]));
    }
    if (most > 0.0) {
        int exponent;
        (void)frexp(most, &exponent); /* 2 most < 2^(exponent + 1) */
        f.scale = ldexp(1.0, exponent < -1022 ? 1022 : -exponent - 1);
    }
    for (int k = 0; k < 3; ++k)
        f.origin[k] *= f.scale;
    for (int i = 0; i < 4 * MOVING_GROUPS; ++i) {
        const signed char *d = tact_moving_direction[i];
        const int n = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        double half = 0.5 * thickness * f.scale * (n < 2 ? 1.0 : n < 3 ? 1.4142135623730952 : 1.7320508075688775);
        half = half < MOST_MARGIN ? half : MOST_MARGIN;
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

/* The point along the directions, in order. */
static void project(const moving_frame *frame, tact_vec3 p, float at[4 * MOVING_GROUPS])
{
    const double x = p.x * frame->scale - frame->origin[0], y = p.y * frame->scale - frame->origin[1],
                 z = p.z * frame->scale - frame->origin[2];
    int n = 0;
    at[n++] = (float)x;
    at[n++] = (float)y;
    at[n++] = (float)z;
#if MOVING_DIRECTIONS == 9 || MOVING_DIRECTIONS == 13
    at[n++] = (float)(x + y);
    at[n++] = (float)(x - y);
    at[n++] = (float)(x + z);
    at[n++] = (float)(x - z);
    at[n++] = (float)(y + z);
    at[n++] = (float)(y - z);
#endif
#if MOVING_DIRECTIONS == 7 || MOVING_DIRECTIONS == 13
    at[n++] = (float)(x + y + z);
    at[n++] = (float)(x + y - z);
    at[n++] = (float)(x - y + z);
    at[n++] = (float)(x - y - z);
#endif
    while (n < 4 * MOVING_GROUPS)
        at[n++] = 0.0f;
}

void tact_moving_point_set(moving_point *point, const moving_frame *frame, tact_vec3 start, tact_vec3 end)
{
    for (int e = 0; e < 2; ++e) {
        float at[4 * MOVING_GROUPS];
        project(frame, e == 0 ? start : end, at);
        for (int g = 0; g < MOVING_GROUPS; ++g) {
            const simde__m128 raw = simde_mm_loadu_ps(at + 4 * g), minus = simde_mm_sub_ps(simde_mm_setzero_ps(), raw);
            const simde__m128 size = simde_mm_max_ps(raw, minus);
            const simde__m128 wide = simde_mm_add_ps(simde_mm_mul_ps(size, simde_mm_set1_ps(MOVING_RELATIVE_SLACK)),
                                                     simde_mm_loadu_ps(frame->margin + 4 * g));
            simde_mm_storeu_ps(point->extent[e][g], simde_mm_sub_ps(raw, wide));
            simde_mm_storeu_ps(point->extent[e][g] + 4, simde_mm_sub_ps(minus, wide));
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
