/*
 * The first stages of the filter of continuous collision detection for eight pairs at a time, in SIMD.
 *
 * Guarantee: a pair that is rejected does not collide within its window, in any rounding mode, with or without
 * flush-to-zero. Pairs with numbers that are not finite are kept if the caller asks for it. The answer is the same,
 * bit for bit, at any SIMD width. A pair is rejected in one of two stages:
 *  1. On one axis all of A is on one side of all of B at both ends of the window. So it is in between, since all
 *     differences are linear. Over [0, 1] this compares the given numbers, without rounding; in a window,
 *     differences beyond their error bound.
 *  2. The four coefficients of the volume have the same sign, beyond their error bound: it has no root
 *     (ccd_error_bounds.h).
 *
 * A time that is flushed becomes 0. At the start of a window that makes it longer, which does no harm. At its end it
 * would make it shorter, and matter with velocities near 2^1022: such pairs are kept (between positions it changes less
 * than any bound). So are pairs whose velocities differ by 2^1023 or more; other differences of that size are beyond
 * the range of the bounds.
 *
 * Cost: 3 to 7 ns a pair with AVX2; of all pairs of swept boxes of real scenes 4 to 11 % remain.
 *
 * With a separation d the same two stages prove that the distance stays above D = d (1 + 2^-19). So there is no hit,
 * which needs less than d (1 + 1e-6), and 2^-19 - 1e-6 is more than all errors relative to D.
 *  1. The difference on one axis is more than D, at both ends.
 *  2. The planes of face and vertex, or of two edges, are n.w / |n| apart. The volume is more than D times the
 *     largest |n|: the largest of its coefficients, each component of which has an error of CCD_NORMAL_ERROR of a
 *     product of extents. If an extent is below 2^-120 or above 2^120 this is not tested, as squares could
 *     underflow.
 *
 * This file is compiled twice (core/avx2.h): with four pairs in a vector, or two.
 */
#include "ccd/ccd_block.h"

#include <stdint.h>

#include "ccd/ccd_constants.h"
#include "ccd/ccd_error_bounds.h"
#include "ccd/ccd_lanes.h"

/* ---- separation along an axis ---- */

/* The coordinates of the four points on one axis. */
typedef struct axis_row {
    double_lanes a, b, c, d;
} axis_row;

TACT_FORCE_INLINE axis_row load_row(const double *const from[4][3], int axis, size_t at)
{
    return (axis_row){load(from[0][axis] + at), load(from[1][axis] + at), load(from[2][axis] + at),
                      load(from[3][axis] + at)};
}

TACT_FORCE_INLINE double_lanes row_sum(axis_row r) { return add(add(r.a, r.b), add(r.c, r.d)); }

/* Is all of A below B, or above? */
TACT_FORCE_INLINE void below_above(axis_row r, bool edges, double_lanes *below, double_lanes *above)
{
    if (edges) {
        *below = less(max_lanes(r.a, r.b), min_lanes(r.c, r.d));
        *above = less(max_lanes(r.c, r.d), min_lanes(r.a, r.b));
    } else {
        *below = less(r.a, min_lanes(min_lanes(r.b, r.c), r.d));
        *above = less(max_lanes(max_lanes(r.b, r.c), r.d), r.a);
    }
}

/* Are they separated on this axis over [0, 1]? Adds all numbers to `total`. */
TACT_FORCE_INLINE double_lanes separated_whole_step(const tact_ccd_points *points, int axis, size_t at, bool edges,
                                                    double_lanes *total)
{
    axis_row start = load_row(points->start, axis, at), end = load_row(points->end, axis, at);
    double_lanes below_start, above_start, below_end, above_end;
    below_above(start, edges, &below_start, &above_start);
    below_above(end, edges, &below_end, &above_end);
    *total = add(*total, add(row_sum(start), row_sum(end)));
    return either(both(below_start, below_end), both(above_start, above_end));
}

/* Are they certainly separated on an axis between two times? */
TACT_FORCE_INLINE double_lanes separated_between(double_lanes u0, double_lanes v0, double_lanes w0, double_lanes u1,
                                                 double_lanes v1, double_lanes w1, double_lanes size, double_lanes fits,
                                                 bool edges)
{
    double_lanes zero = broadcast(0.0), above, below;
    if (edges) { /* B from w to w + v, A from 0 to u */
        above = min_lanes(sub(add(w0, min_lanes(v0, zero)), max_lanes(u0, zero)),
                          sub(add(w1, min_lanes(v1, zero)), max_lanes(u1, zero)));
        below = min_lanes(sub(min_lanes(u0, zero), add(w0, max_lanes(v0, zero))),
                          sub(min_lanes(u1, zero), add(w1, max_lanes(v1, zero))));
    } else { /* B from 0 to u and v, A at w */
        above = min_lanes(sub(min_lanes(min_lanes(u0, v0), zero), w0), sub(min_lanes(min_lanes(u1, v1), zero), w1));
        below = min_lanes(sub(w0, max_lanes(max_lanes(u0, v0), zero)), sub(w1, max_lanes(max_lanes(u1, v1), zero)));
    }
    return both(less(mul(broadcast(CCD_GAP_ERROR), size), max_lanes(above, below)), fits);
}

/* ---- volume ---- */

/* Are they certainly separated on any axis, at both times? */
TACT_FORCE_INLINE double_lanes separated_any_axis(const lane_vectors *a, const lane_vectors *b, lane_vec size,
                                                  lane_vec fits, bool edges)
{
    double_lanes x = separated_between(a->u.x, a->v.x, a->w.x, b->u.x, b->v.x, b->w.x, size.x, fits.x, edges);
    double_lanes y = separated_between(a->u.y, a->v.y, a->w.y, b->u.y, b->v.y, b->w.y, size.y, fits.y, edges);
    double_lanes z = separated_between(a->u.z, a->v.z, a->w.z, b->u.z, b->v.z, b->w.z, size.z, fits.z, edges);
    return either(either(x, y), z);
}

/* Does the volume certainly have no root between the two times? */
TACT_FORCE_INLINE double_lanes has_no_root(const lane_vectors *a, const lane_vectors *b, double_lanes volume,
                                           double_lanes fits, double ends, double between_ends)
{
    lane_cubic c = lane_volume(a, b);
    double_lanes e = mul(broadcast(ends), volume), i = mul(broadcast(between_ends), volume), minus = broadcast(-0.0);
    double_lanes positive = both(less(e, min_lanes(c.f0, c.f3)), less(i, min_lanes(c.f1, c.f2)));
    double_lanes negative =
        both(less(max_lanes(c.f0, c.f3), either(e, minus)), less(max_lanes(c.f1, c.f2), either(i, minus)));
    return both(either(positive, negative), fits);
}

TACT_FORCE_INLINE double_lanes in_range(double_lanes size)
{
    return both(less(broadcast(FILTER_MIN_DIFFERENCE), size), less(size, broadcast(FILTER_MAX_DIFFERENCE)));
}

typedef enum window_kind { WINDOW_WHOLE_STEP, WINDOW_OF_POSITIONS, WINDOW_OF_VELOCITIES } window_kind;

/* Filters the pairs of one vector: a bit for each that may collide. */
TACT_FORCE_INLINE unsigned filter_lanes(const tact_ccd_points *points, size_t at, const double *enter,
                                        const double *exit, bool edges, bool check, window_kind how)
{
    /* The sum is NaN or infinite if a number is. (Others this large are kept too, and are decided one by one.) */
    double_lanes total = broadcast(0.0);
    double_lanes boxes = separated_whole_step(points, 0, at, edges, &total);
    boxes = either(boxes, separated_whole_step(points, 1, at, edges, &total));
    boxes = either(boxes, separated_whole_step(points, 2, at, edges, &total));
    unsigned keep = check ? lane_mask(is_nan(sub(total, total))) : 0, apart = 0;
    if (how != WINDOW_OF_VELOCITIES) {
        apart = lane_mask(boxes);
        if (apart == ALL_LANES)
            return keep;
    }
    lane_vectors a = load_vectors(points->start, at, edges), b = load_vectors(points->end, at, edges);
    lane_vec first_size = vectors_size(&a), second_size = vectors_size(&b), size, fits;
    double_lanes last = how == WINDOW_WHOLE_STEP ? broadcast(1.0) : load(exit);
    if (how == WINDOW_OF_VELOCITIES)
        size = (lane_vec){add(first_size.x, mul(last, second_size.x)), add(first_size.y, mul(last, second_size.y)),
                          add(first_size.z, mul(last, second_size.z))};
    else
        size = (lane_vec){max_lanes(first_size.x, second_size.x), max_lanes(first_size.y, second_size.y),
                          max_lanes(first_size.z, second_size.z)};
    fits = (lane_vec){in_range(size.x), in_range(size.y), in_range(size.z)};
    double_lanes volume = mul(mul(size.x, size.y), size.z), fit = both(both(fits.x, fits.y), fits.z);
    if (how == WINDOW_WHOLE_STEP) {
        apart |=
            lane_mask(has_no_root(&a, &b, volume, fit, CCD_VOLUME_ERROR_WHOLE_STEP, CCD_VOLUME_ERROR_WHOLE_STEP_INNER));
    } else {
        double_lanes one = broadcast(1.0), first = load(enter);
        if (how == WINDOW_OF_VELOCITIES) {
            /* A host that reads subnormals as zero would read a subnormal end as 0, where a fast vertex has not moved:
             * then the comparison with 0 fails, too, and nothing is filtered. */
            double_lanes soon = both(less(last, broadcast(CCD_MAX_TIME)), less(broadcast(0.0), last));
            double_lanes fastest = broadcast(CCD_MAX_SPEED);
            fits = (lane_vec){both(fits.x, both(soon, less(second_size.x, fastest))),
                              both(fits.y, both(soon, less(second_size.y, fastest))),
                              both(fits.z, both(soon, less(second_size.z, fastest)))};
            fit = both(both(fits.x, fits.y), fits.z);
        }
        lane_vectors c = vectors_at(&a, &b, how == WINDOW_OF_POSITIONS ? sub(one, first) : one, first);
        lane_vectors d = vectors_at(&a, &b, how == WINDOW_OF_POSITIONS ? sub(one, last) : one, last);
        apart |= lane_mask(separated_any_axis(&c, &d, size, fits, edges));
        if (apart != ALL_LANES)
            apart |= lane_mask(has_no_root(&c, &d, volume, fit, CCD_VOLUME_ERROR, CCD_VOLUME_ERROR_INNER));
    }
    return (~apart & ALL_LANES) | keep;
}

TACT_FORCE_INLINE unsigned filter(const tact_ccd_points *points, size_t at, const double *enter, const double *exit,
                                  bool edges, bool check, window_kind how)
{
    unsigned result = 0;
    for (size_t i = 0; i < CCD_BLOCK; i += LANE_COUNT) {
        const double *from = how == WINDOW_WHOLE_STEP ? NULL : enter + i,
                     *to = how == WINDOW_WHOLE_STEP ? NULL : exit + i;
        result |= filter_lanes(points, at + i, from, to, edges, check, how) << i;
    }
    return result;
}

/* ---- minimum separation ---- */

/* How far A is below B on an axis, and above, at one time: negative where it is not. */
TACT_FORCE_INLINE void gaps(axis_row r, bool edges, double_lanes *below, double_lanes *above)
{
    if (edges) {
        *below = sub(min_lanes(r.c, r.d), max_lanes(r.a, r.b));
        *above = sub(min_lanes(r.a, r.b), max_lanes(r.c, r.d));
    } else {
        *below = sub(min_lanes(min_lanes(r.b, r.c), r.d), r.a);
        *above = sub(r.a, max_lanes(max_lanes(r.b, r.c), r.d));
    }
}

/* Are they farther apart than `distance` on this axis over [0, 1]? Adds all numbers to `total`. */
TACT_FORCE_INLINE double_lanes clear_whole_step(const tact_ccd_points *points, int axis, size_t at, bool edges,
                                                double_lanes distance, double_lanes *total)
{
    axis_row start = load_row(points->start, axis, at), end = load_row(points->end, axis, at);
    double_lanes below_start, above_start, below_end, above_end;
    gaps(start, edges, &below_start, &above_start);
    gaps(end, edges, &below_end, &above_end);
    *total = add(*total, add(row_sum(start), row_sum(end)));
    return less(distance, max_lanes(min_lanes(below_start, below_end), min_lanes(above_start, above_end)));
}

/* Are the planes certainly farther apart than `distance` between the two times? */
TACT_FORCE_INLINE double_lanes planes_clear(const lane_vectors *a, const lane_vectors *b, lane_vec size,
                                            double_lanes distance)
{
    lane_cubic c = lane_volume(a, b);
    double_lanes faces = add(add(mul(size.x, size.y), mul(size.y, size.z)), mul(size.z, size.x));
    double_lanes most =
        square_root(max_lanes(max_lanes(dot(c.n0, c.n0), dot(c.n2, c.n2)), mul(broadcast(0.25), dot(c.m, c.m))));
    double_lanes limit = mul(distance, add(most, mul(broadcast(2.0 * CCD_NORMAL_ERROR), faces)));
    double_lanes volume = mul(mul(size.x, size.y), size.z), minus = broadcast(-0.0);
    double_lanes e = add(mul(broadcast(2.0 * CCD_VOLUME_ERROR), volume), limit);
    double_lanes i = add(mul(broadcast(2.0 * CCD_VOLUME_ERROR_INNER), volume), mul(broadcast(3.0), limit));
    double_lanes positive = both(less(e, min_lanes(c.f0, c.f3)), less(i, min_lanes(c.f1, c.f2)));
    double_lanes negative =
        both(less(max_lanes(c.f0, c.f3), either(e, minus)), less(max_lanes(c.f1, c.f2), either(i, minus)));
    return either(positive, negative);
}

TACT_FORCE_INLINE unsigned filter_lanes_separation(const tact_ccd_points *points, size_t at, const double *enter,
                                                   const double *exit, bool edges, double_lanes distance)
{
    double_lanes total = broadcast(0.0);
    double_lanes boxes = clear_whole_step(points, 0, at, edges, distance, &total);
    boxes = either(boxes, clear_whole_step(points, 1, at, edges, distance, &total));
    boxes = either(boxes, clear_whole_step(points, 2, at, edges, distance, &total));
    unsigned keep = lane_mask(is_nan(sub(total, total))), apart = lane_mask(boxes);
    if (apart == ALL_LANES)
        return keep;
    lane_vectors a = load_vectors(points->start, at, edges), b = load_vectors(points->end, at, edges);
    lane_vec first_size = vectors_size(&a), second_size = vectors_size(&b);
    lane_vec size = {max_lanes(first_size.x, second_size.x), max_lanes(first_size.y, second_size.y),
                     max_lanes(first_size.z, second_size.z)};
    double_lanes least = min_lanes(min_lanes(size.x, size.y), size.z),
                 most = max_lanes(max_lanes(size.x, size.y), size.z);
    double_lanes fit = both(less(broadcast(CCD_BLOCK_MIN_EXTENT), least), less(most, broadcast(CCD_BLOCK_MAX_EXTENT)));
    if (enter != NULL) {
        double_lanes first = load(enter), last = load(exit);
        lane_vectors c = vectors_at(&a, &b, sub(broadcast(1.0), first), first);
        b = vectors_at(&a, &b, sub(broadcast(1.0), last), last);
        a = c;
    }
    apart |= lane_mask(both(planes_clear(&a, &b, size, distance), fit));
    return (~apart & ALL_LANES) | keep;
}

TACT_FORCE_INLINE unsigned filter_separation(const tact_ccd_points *points, size_t at, const double *enter,
                                             const double *exit, bool edges, double separation)
{
    const double_lanes distance = broadcast(separation * CCD_BLOCK_SEPARATION_FACTOR);
    unsigned result = 0;
    for (size_t i = 0; i < CCD_BLOCK; i += LANE_COUNT)
        result |= filter_lanes_separation(points, at + i, enter != NULL ? enter + i : NULL,
                                          enter != NULL ? exit + i : NULL, edges, distance)
                  << i;
    return result;
}

unsigned tact_ccd_filter8_separation(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                                     const double *exit, double separation)
{
    return kind == TACT_EDGE_EDGE ? filter_separation(points, at, enter, exit, true, separation)
                                  : filter_separation(points, at, enter, exit, false, separation);
}

/* ---- entry points ---- */

unsigned tact_ccd_filter8(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                          const double *exit, bool velocities, bool check)
{
    bool edges = kind == TACT_EDGE_EDGE;
    if (velocities)
        return edges ? filter(points, at, enter, exit, true, check, WINDOW_OF_VELOCITIES)
                     : filter(points, at, enter, exit, false, check, WINDOW_OF_VELOCITIES);
    if (enter != NULL)
        return edges ? filter(points, at, enter, exit, true, check, WINDOW_OF_POSITIONS)
                     : filter(points, at, enter, exit, false, check, WINDOW_OF_POSITIONS);
    return edges ? filter(points, at, NULL, NULL, true, check, WINDOW_WHOLE_STEP)
                 : filter(points, at, NULL, NULL, false, check, WINDOW_WHOLE_STEP);
}
