/*
 * Pairs side by side: the first stages of the filter of continuous collision.
 *
 * Guarantee: a pair that is left out does not touch within its window, whatever the rounding mode, with or without
 * flush-to-zero; pairs with numbers that are not finite are kept if that is asked for. The answer is the same bits at
 * any width of vectors.
 *  1. On one axis all of A is on one side of all of B, at both ends of the window: so it is in between, since all
 *     differences are linear. From 0 to 1 this compares the numbers given, without rounding; in a window, differences
 *     beyond the bound on their error.
 *  2. The four coefficients of the volume have the same sign, beyond the bound on their error: it has no root
 *     (ccd_bounds.h).
 * A time that is flushed is 0: at the beginning of a window that makes it longer, which does no harm. At its end it
 * would make it shorter, and by much with velocities near 2^1022: such pairs are kept (between places it changes less
 * than any bound). So are those whose velocities differ by 2^1023 or more; other differences of that size are beyond
 * the range of the bounds.
 * Cost: 3 to 7 ns a pair with AVX2; on all pairs of swept boxes of real scenes 4 to 11 % are left.
 *
 * With a separation d the same two stages prove that the distance stays above D = d (1 + 2^-19): so no answer is a hit,
 * which needs less than d (1 + 1e-6), and 2^-19 - 1e-6 is more than all errors that are relative to D.
 *  1. The difference on one axis is more than D, at both ends.
 *  2. The planes of face and vertex, or of two edges, are n.w / |n| apart: the volume is more than D times the most
 * that |n| can be, the largest of its coefficients, each component of which is off by CCD_NORMAL of a product of
 * extents. Where an extent is below 2^-120 or above 2^120 this is not asked: squares could underflow.
 *
 * This file is compiled twice (core/avx2.h): with four pairs in a vector, or two.
 */
#include "ccd/ccd_block.h"

#ifdef __AVX2__
#include <simde/x86/avx2.h>
#else
#include <simde/x86/sse2.h>
#endif
#include <stdint.h>

#include "ccd/ccd_bounds.h"
#include "core/inline.h"

#ifdef __AVX2__
#define LANES 4
typedef simde__m256d lanes;
TACT_FORCE_INLINE lanes load(const double *a) { return simde_mm256_loadu_pd(a); }
TACT_FORCE_INLINE lanes all(double a) { return simde_mm256_set1_pd(a); }
TACT_FORCE_INLINE lanes add(lanes a, lanes b) { return simde_mm256_add_pd(a, b); }
TACT_FORCE_INLINE lanes sub(lanes a, lanes b) { return simde_mm256_sub_pd(a, b); }
TACT_FORCE_INLINE lanes mul(lanes a, lanes b) { return simde_mm256_mul_pd(a, b); }
TACT_FORCE_INLINE lanes root(lanes a) { return simde_mm256_sqrt_pd(a); }
TACT_FORCE_INLINE lanes smaller(lanes a, lanes b) { return simde_mm256_min_pd(a, b); }
TACT_FORCE_INLINE lanes max_lanes(lanes a, lanes b) { return simde_mm256_max_pd(a, b); }
TACT_FORCE_INLINE lanes both(lanes a, lanes b) { return simde_mm256_and_pd(a, b); }
TACT_FORCE_INLINE lanes either(lanes a, lanes b) { return simde_mm256_or_pd(a, b); }
TACT_FORCE_INLINE lanes size_of(lanes a) { return simde_mm256_andnot_pd(all(-0.0), a); }
TACT_FORCE_INLINE lanes less(lanes a, lanes b) { return simde_mm256_cmp_pd(a, b, SIMDE_CMP_LT_OQ); }
TACT_FORCE_INLINE lanes none(lanes a) { return simde_mm256_cmp_pd(a, a, SIMDE_CMP_UNORD_Q); } /* not a number */
TACT_FORCE_INLINE unsigned bits(lanes a) { return (unsigned)simde_mm256_movemask_pd(a); }
#else
#define LANES 2
typedef simde__m128d lanes;
TACT_FORCE_INLINE lanes load(const double *a) { return simde_mm_loadu_pd(a); }
TACT_FORCE_INLINE lanes all(double a) { return simde_mm_set1_pd(a); }
TACT_FORCE_INLINE lanes add(lanes a, lanes b) { return simde_mm_add_pd(a, b); }
TACT_FORCE_INLINE lanes sub(lanes a, lanes b) { return simde_mm_sub_pd(a, b); }
TACT_FORCE_INLINE lanes mul(lanes a, lanes b) { return simde_mm_mul_pd(a, b); }
TACT_FORCE_INLINE lanes root(lanes a) { return simde_mm_sqrt_pd(a); }
TACT_FORCE_INLINE lanes smaller(lanes a, lanes b) { return simde_mm_min_pd(a, b); }
TACT_FORCE_INLINE lanes max_lanes(lanes a, lanes b) { return simde_mm_max_pd(a, b); }
TACT_FORCE_INLINE lanes both(lanes a, lanes b) { return simde_mm_and_pd(a, b); }
TACT_FORCE_INLINE lanes either(lanes a, lanes b) { return simde_mm_or_pd(a, b); }
TACT_FORCE_INLINE lanes size_of(lanes a) { return simde_mm_andnot_pd(all(-0.0), a); }
TACT_FORCE_INLINE lanes less(lanes a, lanes b) { return simde_mm_cmplt_pd(a, b); }
TACT_FORCE_INLINE lanes none(lanes a) { return simde_mm_cmpunord_pd(a, a); } /* not a number */
TACT_FORCE_INLINE unsigned bits(lanes a) { return (unsigned)simde_mm_movemask_pd(a); }
#endif

#define EVERY ((1u << LANES) - 1u)

typedef struct vec {
    lanes x, y, z;
} vec;

TACT_FORCE_INLINE vec load_point(const double *const from[3], size_t at)
{
    return (vec){load(from[0] + at), load(from[1] + at), load(from[2] + at)};
}

TACT_FORCE_INLINE vec between(vec a, vec b) { return (vec){sub(b.x, a.x), sub(b.y, a.y), sub(b.z, a.z)}; }

TACT_FORCE_INLINE vec cross(vec a, vec b)
{
    return (vec){sub(mul(a.y, b.z), mul(a.z, b.y)), sub(mul(a.z, b.x), mul(a.x, b.z)),
                 sub(mul(a.x, b.y), mul(a.y, b.x))};
}

TACT_FORCE_INLINE vec sum(vec a, vec b) { return (vec){add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)}; }

TACT_FORCE_INLINE lanes dot(vec a, vec b) { return add(add(mul(a.x, b.x), mul(a.y, b.y)), mul(a.z, b.z)); }

/* ---- along an axis ---- */

/* The coordinates of the four points on one axis. */
typedef struct row {
    lanes a, b, c, d;
} row;

TACT_FORCE_INLINE row load_row(const double *const from[4][3], int axis, size_t at)
{
    return (row){load(from[0][axis] + at), load(from[1][axis] + at), load(from[2][axis] + at),
                 load(from[3][axis] + at)};
}

TACT_FORCE_INLINE lanes row_sum(row r) { return add(add(r.a, r.b), add(r.c, r.d)); }

/* Is A before B, or after? */
TACT_FORCE_INLINE void sides(row r, bool edges, lanes *before, lanes *after)
{
    if (edges) {
        *before = less(max_lanes(r.a, r.b), smaller(r.c, r.d));
        *after = less(max_lanes(r.c, r.d), smaller(r.a, r.b));
    } else {
        *before = less(r.a, smaller(smaller(r.b, r.c), r.d));
        *after = less(max_lanes(max_lanes(r.b, r.c), r.d), r.a);
    }
}

/* On this axis, are they apart from 0 to 1? To `total` the numbers are added. */
TACT_FORCE_INLINE lanes apart_whole(const tact_ccd_points *points, int axis, size_t at, bool edges, lanes *total)
{
    row start = load_row(points->start, axis, at), end = load_row(points->end, axis, at);
    lanes before_start, after_start, before_end, after_end;
    sides(start, edges, &before_start, &after_start);
    sides(end, edges, &before_end, &after_end);
    *total = add(*total, add(row_sum(start), row_sum(end)));
    return either(both(before_start, before_end), both(after_start, after_end));
}

/* Given how far B is above A on an axis and how far below, at two times: are they surely apart? */
TACT_FORCE_INLINE lanes apart_axis(lanes u0, lanes v0, lanes w0, lanes u1, lanes v1, lanes w1, lanes size, lanes fits,
                                   bool edges)
{
    lanes zero = all(0.0), above, below;
    if (edges) { /* B from w to w + v, A from 0 to u */
        above = smaller(sub(add(w0, smaller(v0, zero)), max_lanes(u0, zero)),
                        sub(add(w1, smaller(v1, zero)), max_lanes(u1, zero)));
        below = smaller(sub(smaller(u0, zero), add(w0, max_lanes(v0, zero))),
                        sub(smaller(u1, zero), add(w1, max_lanes(v1, zero))));
    } else { /* B from 0 to u and v, A at w */
        above = smaller(sub(smaller(smaller(u0, v0), zero), w0), sub(smaller(smaller(u1, v1), zero), w1));
        below = smaller(sub(w0, max_lanes(max_lanes(u0, v0), zero)), sub(w1, max_lanes(max_lanes(u1, v1), zero)));
    }
    return both(less(mul(all(CCD_GAP), size), max_lanes(above, below)), fits);
}

/* ---- all axes ---- */

/* u, v, w at one time. */
typedef struct frame {
    vec u, v, w;
} frame;

TACT_FORCE_INLINE frame load_frame(const double *const from[4][3], size_t at, bool edges)
{
    vec a = load_point(from[0], at), b = load_point(from[1], at), c = load_point(from[2], at),
        d = load_point(from[3], at);
    if (edges)
        return (frame){between(a, b), between(c, d), between(a, c)};
    return (frame){between(b, c), between(b, d), between(b, a)};
}

TACT_FORCE_INLINE lanes largest(lanes a, lanes b, lanes c)
{
    return max_lanes(max_lanes(size_of(a), size_of(b)), size_of(c));
}

TACT_FORCE_INLINE vec frame_size(const frame *f)
{
    return (vec){largest(f->u.x, f->v.x, f->w.x), largest(f->u.y, f->v.y, f->w.y), largest(f->u.z, f->v.z, f->w.z)};
}

TACT_FORCE_INLINE lanes mix(lanes a, lanes b, lanes before, lanes after) { return add(mul(before, a), mul(after, b)); }

TACT_FORCE_INLINE vec vec_at(vec a, vec b, lanes before, lanes after)
{
    return (vec){mix(a.x, b.x, before, after), mix(a.y, b.y, before, after), mix(a.z, b.z, before, after)};
}

TACT_FORCE_INLINE frame frame_at(const frame *a, const frame *b, lanes before, lanes after)
{
    return (frame){vec_at(a->u, b->u, before, after), vec_at(a->v, b->v, before, after),
                   vec_at(a->w, b->w, before, after)};
}

/* On any axis, are they apart at both times, surely? */
TACT_FORCE_INLINE lanes apart_between(const frame *a, const frame *b, vec size, vec fits, bool edges)
{
    lanes x = apart_axis(a->u.x, a->v.x, a->w.x, b->u.x, b->v.x, b->w.x, size.x, fits.x, edges);
    lanes y = apart_axis(a->u.y, a->v.y, a->w.y, b->u.y, b->v.y, b->w.y, size.y, fits.y, edges);
    lanes z = apart_axis(a->u.z, a->v.z, a->w.z, b->u.z, b->v.z, b->w.z, size.z, fits.z, edges);
    return either(either(x, y), z);
}

/* Has the volume surely no root between the two times? */
TACT_FORCE_INLINE lanes rootless(const frame *a, const frame *b, lanes volume, lanes fits, double ends,
                                 double between_ends)
{
    vec n0 = cross(a->u, a->v), m = sum(cross(a->u, b->v), cross(b->u, a->v)), n2 = cross(b->u, b->v);
    lanes f0 = dot(n0, a->w), f3 = dot(n2, b->w);
    lanes f1 = add(dot(m, a->w), dot(n0, b->w)), f2 = add(dot(m, b->w), dot(n2, a->w));
    lanes e = mul(all(ends), volume), i = mul(all(between_ends), volume), minus = all(-0.0);
    lanes positive = both(less(e, smaller(f0, f3)), less(i, smaller(f1, f2)));
    lanes negative = both(less(max_lanes(f0, f3), either(e, minus)), less(max_lanes(f1, f2), either(i, minus)));
    return both(either(positive, negative), fits);
}

TACT_FORCE_INLINE lanes in_range(lanes size)
{
    return both(less(all(FILTER_MIN_DIFFERENCE), size), less(size, all(FILTER_MAX_DIFFERENCE)));
}

/* With velocities a window that ends before is not looked at: times below it, and 0, may be read as 0. */
#define EARLIEST 0x1p-1022 /* units of time */

/* Differences of velocities must be below: one that overflowed may, rounded to zero, be the largest double. */
#define FASTEST 0x1p1023 /* units of length a unit of time */

typedef enum course { WHOLE, WINDOW, VELOCITIES } course;

/* The pairs of one vector: a bit for each that may touch. */
TACT_FORCE_INLINE unsigned maybe_lanes(const tact_ccd_points *points, size_t at, const double *enter,
                                       const double *exit, bool edges, bool check, course how)
{
    /* What is infinite or NaN makes a sum that is. (So may others that large: they are kept, and looked at alone.) */
    lanes total = all(0.0);
    lanes boxes = apart_whole(points, 0, at, edges, &total);
    boxes = either(boxes, apart_whole(points, 1, at, edges, &total));
    boxes = either(boxes, apart_whole(points, 2, at, edges, &total));
    unsigned keep = check ? bits(none(sub(total, total))) : 0, apart = 0;
    if (how != VELOCITIES) {
        apart = bits(boxes);
        if (apart == EVERY)
            return keep;
    }
    frame a = load_frame(points->start, at, edges), b = load_frame(points->end, at, edges);
    vec first_size = frame_size(&a), second_size = frame_size(&b), size, fits;
    lanes last = how == WHOLE ? all(1.0) : load(exit);
    if (how == VELOCITIES)
        size = (vec){add(first_size.x, mul(last, second_size.x)), add(first_size.y, mul(last, second_size.y)),
                     add(first_size.z, mul(last, second_size.z))};
    else
        size = (vec){max_lanes(first_size.x, second_size.x), max_lanes(first_size.y, second_size.y),
                     max_lanes(first_size.z, second_size.z)};
    fits = (vec){in_range(size.x), in_range(size.y), in_range(size.z)};
    lanes volume = mul(mul(size.x, size.y), size.z), fit = both(both(fits.x, fits.y), fits.z);
    if (how == WHOLE) {
        apart |= bits(rootless(&a, &b, volume, fit, CCD_VOLUME_WHOLE, CCD_VOLUME_WHOLE_BETWEEN));
    } else {
        lanes one = all(1.0), first = load(enter);
        if (how == VELOCITIES) {
            lanes soon = both(less(last, all(CCD_LATEST)), less(all(EARLIEST), last));
            lanes fastest = all(FASTEST);
            fits = (vec){both(fits.x, both(soon, less(second_size.x, fastest))),
                         both(fits.y, both(soon, less(second_size.y, fastest))),
                         both(fits.z, both(soon, less(second_size.z, fastest)))};
            fit = both(both(fits.x, fits.y), fits.z);
        }
        frame c = frame_at(&a, &b, how == WINDOW ? sub(one, first) : one, first);
        frame d = frame_at(&a, &b, how == WINDOW ? sub(one, last) : one, last);
        apart |= bits(apart_between(&c, &d, size, fits, edges));
        if (apart != EVERY)
            apart |= bits(rootless(&c, &d, volume, fit, CCD_VOLUME, CCD_VOLUME_BETWEEN));
    }
    return (~apart & EVERY) | keep;
}

TACT_FORCE_INLINE unsigned maybe(const tact_ccd_points *points, size_t at, const double *enter, const double *exit,
                                 bool edges, bool check, course how)
{
    unsigned result = 0;
    for (size_t i = 0; i < CCD_BLOCK; i += LANES) {
        const double *from = how == WHOLE ? NULL : enter + i, *to = how == WHOLE ? NULL : exit + i;
        result |= maybe_lanes(points, at + i, from, to, edges, check, how) << i;
    }
    return result;
}

/* ---- with a separation ---- */

#define SEPARATION_SLACK (1.0 + 0x1p-19) /* what comes nearer than 1 + 1e-6 times d may be told as a hit */
#define EXTENT_LEAST 0x1p-120            /* units of length: see above */
#define EXTENT_MOST 0x1p120

/* How far A is before B on an axis, and after, at one end: negative where it is not. */
TACT_FORCE_INLINE void gaps(row r, bool edges, lanes *before, lanes *after)
{
    if (edges) {
        *before = sub(smaller(r.c, r.d), max_lanes(r.a, r.b));
        *after = sub(smaller(r.a, r.b), max_lanes(r.c, r.d));
    } else {
        *before = sub(smaller(smaller(r.b, r.c), r.d), r.a);
        *after = sub(r.a, max_lanes(max_lanes(r.b, r.c), r.d));
    }
}

/* On this axis, are they further apart than `distance` from 0 to 1? To `total` the numbers are added. */
TACT_FORCE_INLINE lanes clear_whole(const tact_ccd_points *points, int axis, size_t at, bool edges, lanes distance,
                                    lanes *total)
{
    row start = load_row(points->start, axis, at), end = load_row(points->end, axis, at);
    lanes before_start, after_start, before_end, after_end;
    gaps(start, edges, &before_start, &after_start);
    gaps(end, edges, &before_end, &after_end);
    *total = add(*total, add(row_sum(start), row_sum(end)));
    return less(distance, max_lanes(smaller(before_start, before_end), smaller(after_start, after_end)));
}

/* Are the planes further apart than `distance` between the two times, surely? */
TACT_FORCE_INLINE lanes planes_clear(const frame *a, const frame *b, vec size, lanes distance)
{
    vec n0 = cross(a->u, a->v), m = sum(cross(a->u, b->v), cross(b->u, a->v)), n2 = cross(b->u, b->v);
    lanes f0 = dot(n0, a->w), f3 = dot(n2, b->w);
    lanes f1 = add(dot(m, a->w), dot(n0, b->w)), f2 = add(dot(m, b->w), dot(n2, a->w));
    lanes faces = add(add(mul(size.x, size.y), mul(size.y, size.z)), mul(size.z, size.x));
    lanes most = root(max_lanes(max_lanes(dot(n0, n0), dot(n2, n2)), mul(all(0.25), dot(m, m))));
    lanes reach = mul(distance, add(most, mul(all(2.0 * CCD_NORMAL), faces)));
    lanes volume = mul(mul(size.x, size.y), size.z), minus = all(-0.0);
    lanes e = add(mul(all(2.0 * CCD_VOLUME), volume), reach);
    lanes i = add(mul(all(2.0 * CCD_VOLUME_BETWEEN), volume), mul(all(3.0), reach));
    lanes positive = both(less(e, smaller(f0, f3)), less(i, smaller(f1, f2)));
    lanes negative = both(less(max_lanes(f0, f3), either(e, minus)), less(max_lanes(f1, f2), either(i, minus)));
    return either(positive, negative);
}

TACT_FORCE_INLINE unsigned near_lanes(const tact_ccd_points *points, size_t at, const double *enter, const double *exit,
                                      bool edges, lanes distance)
{
    lanes total = all(0.0);
    lanes boxes = clear_whole(points, 0, at, edges, distance, &total);
    boxes = either(boxes, clear_whole(points, 1, at, edges, distance, &total));
    boxes = either(boxes, clear_whole(points, 2, at, edges, distance, &total));
    unsigned keep = bits(none(sub(total, total))), apart = bits(boxes);
    if (apart == EVERY)
        return keep;
    frame a = load_frame(points->start, at, edges), b = load_frame(points->end, at, edges);
    vec first_size = frame_size(&a), second_size = frame_size(&b);
    vec size = {max_lanes(first_size.x, second_size.x), max_lanes(first_size.y, second_size.y),
                max_lanes(first_size.z, second_size.z)};
    lanes least = smaller(smaller(size.x, size.y), size.z), most = max_lanes(max_lanes(size.x, size.y), size.z);
    lanes fit = both(less(all(EXTENT_LEAST), least), less(most, all(EXTENT_MOST)));
    if (enter != NULL) {
        lanes first = load(enter), last = load(exit);
        frame c = frame_at(&a, &b, sub(all(1.0), first), first);
        b = frame_at(&a, &b, sub(all(1.0), last), last);
        a = c;
    }
    apart |= bits(both(planes_clear(&a, &b, size, distance), fit));
    return (~apart & EVERY) | keep;
}

TACT_FORCE_INLINE unsigned near(const tact_ccd_points *points, size_t at, const double *enter, const double *exit,
                                bool edges, double separation)
{
    const lanes distance = all(separation * SEPARATION_SLACK);
    unsigned result = 0;
    for (size_t i = 0; i < CCD_BLOCK; i += LANES)
        result |= near_lanes(points, at + i, enter != NULL ? enter + i : NULL, enter != NULL ? exit + i : NULL, edges,
                             distance)
                  << i;
    return result;
}

unsigned tact_ccd_near(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                       const double *exit, double separation)
{
    return kind == TACT_EDGE_EDGE ? near(points, at, enter, exit, true, separation)
                                  : near(points, at, enter, exit, false, separation);
}

/* ---- without ---- */

unsigned tact_ccd_maybe(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                        const double *exit, bool velocities, bool check)
{
    bool edges = kind == TACT_EDGE_EDGE;
    if (velocities)
        return edges ? maybe(points, at, enter, exit, true, check, VELOCITIES)
                     : maybe(points, at, enter, exit, false, check, VELOCITIES);
    if (enter != NULL)
        return edges ? maybe(points, at, enter, exit, true, check, WINDOW)
                     : maybe(points, at, enter, exit, false, check, WINDOW);
    return edges ? maybe(points, at, NULL, NULL, true, check, WHOLE)
                 : maybe(points, at, NULL, NULL, false, check, WHOLE);
}
