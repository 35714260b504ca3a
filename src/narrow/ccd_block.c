/*
 * Pairs side by side: the first stages of the filter of continuous collision.
 *
 * Guarantee: a pair that is left out does not touch within its window, whatever the rounding mode, with or without flush-to-zero; pairs with numbers that are
 * not finite are kept if that is asked for. The answer is the same bits at any width of vectors.
 *  1. On one axis all of A is on one side of all of B, at both ends of the window: so it is in between, since all differences are linear. From 0 to 1
 *     this compares the numbers given, without rounding; in a window, differences beyond the bound on their error.
 *  2. The four coefficients of the volume have the same sign, beyond the bound on their error: it has no root (ccd_bounds.h).
 * Cost: 3 to 7 ns a pair with AVX2; on all pairs of swept boxes of real scenes 4 to 11 % are left.
 *
 * This file is compiled twice (core/avx2.h): with four pairs in a vector, or two.
 */
#include "narrow/ccd_block.h"

#ifdef __AVX2__
#include <simde/x86/avx2.h>
#else
#include <simde/x86/sse2.h>
#endif
#include <stdint.h>

#include "core/inline.h"
#include "narrow/ccd_bounds.h"

#ifdef __AVX2__
#define LANES 4
typedef simde__m256d lanes;
TACT_HOT lanes load(const double *a) { return simde_mm256_loadu_pd(a); }
TACT_HOT lanes all(double a) { return simde_mm256_set1_pd(a); }
TACT_HOT lanes add(lanes a, lanes b) { return simde_mm256_add_pd(a, b); }
TACT_HOT lanes sub(lanes a, lanes b) { return simde_mm256_sub_pd(a, b); }
TACT_HOT lanes mul(lanes a, lanes b) { return simde_mm256_mul_pd(a, b); }
TACT_HOT lanes smaller(lanes a, lanes b) { return simde_mm256_min_pd(a, b); }
TACT_HOT lanes larger(lanes a, lanes b) { return simde_mm256_max_pd(a, b); }
TACT_HOT lanes both(lanes a, lanes b) { return simde_mm256_and_pd(a, b); }
TACT_HOT lanes either(lanes a, lanes b) { return simde_mm256_or_pd(a, b); }
TACT_HOT lanes size_of(lanes a) { return simde_mm256_andnot_pd(all(-0.0), a); }
TACT_HOT lanes less(lanes a, lanes b) { return simde_mm256_cmp_pd(a, b, SIMDE_CMP_LT_OQ); }
TACT_HOT lanes none(lanes a) { return simde_mm256_cmp_pd(a, a, SIMDE_CMP_UNORD_Q); } /* not a number */
TACT_HOT unsigned bits(lanes a) { return (unsigned)simde_mm256_movemask_pd(a); }
#else
#define LANES 2
typedef simde__m128d lanes;
TACT_HOT lanes load(const double *a) { return simde_mm_loadu_pd(a); }
TACT_HOT lanes all(double a) { return simde_mm_set1_pd(a); }
TACT_HOT lanes add(lanes a, lanes b) { return simde_mm_add_pd(a, b); }
TACT_HOT lanes sub(lanes a, lanes b) { return simde_mm_sub_pd(a, b); }
TACT_HOT lanes mul(lanes a, lanes b) { return simde_mm_mul_pd(a, b); }
TACT_HOT lanes smaller(lanes a, lanes b) { return simde_mm_min_pd(a, b); }
TACT_HOT lanes larger(lanes a, lanes b) { return simde_mm_max_pd(a, b); }
TACT_HOT lanes both(lanes a, lanes b) { return simde_mm_and_pd(a, b); }
TACT_HOT lanes either(lanes a, lanes b) { return simde_mm_or_pd(a, b); }
TACT_HOT lanes size_of(lanes a) { return simde_mm_andnot_pd(all(-0.0), a); }
TACT_HOT lanes less(lanes a, lanes b) { return simde_mm_cmplt_pd(a, b); }
TACT_HOT lanes none(lanes a) { return simde_mm_cmpunord_pd(a, a); } /* not a number */
TACT_HOT unsigned bits(lanes a) { return (unsigned)simde_mm_movemask_pd(a); }
#endif

#define EVERY ((1u << LANES) - 1u)

typedef struct vec {
    lanes x[3];
} vec;

/* The four points of some pairs at one end, or their velocities. */
typedef struct corners {
    vec p[4];
} corners;

TACT_HOT corners gather(const double *const from[4][3], size_t at)
{
    corners c;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            c.p[k].x[i] = load(from[k][i] + at);
    return c;
}

TACT_HOT vec between(vec a, vec b) { return (vec){{sub(b.x[0], a.x[0]), sub(b.x[1], a.x[1]), sub(b.x[2], a.x[2])}}; }

TACT_HOT vec cross(vec a, vec b)
{
    return (vec){{sub(mul(a.x[1], b.x[2]), mul(a.x[2], b.x[1])), sub(mul(a.x[2], b.x[0]), mul(a.x[0], b.x[2])),
                  sub(mul(a.x[0], b.x[1]), mul(a.x[1], b.x[0]))}};
}

TACT_HOT vec sum(vec a, vec b) { return (vec){{add(a.x[0], b.x[0]), add(a.x[1], b.x[1]), add(a.x[2], b.x[2])}}; }

TACT_HOT lanes dot(vec a, vec b) { return add(add(mul(a.x[0], b.x[0]), mul(a.x[1], b.x[1])), mul(a.x[2], b.x[2])); }

/* Is any of them infinite or NaN? x - x is a zero for a number, and NaN for what is none. */
TACT_HOT lanes odd(const corners *c)
{
    lanes any = all(0.0);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            any = either(any, sub(c->p[k].x[i], c->p[k].x[i]));
    return none(any);
}

/* A before B, or after, on axis i. */
TACT_HOT void sides(const corners *c, bool edges, int i, lanes *before, lanes *after)
{
    lanes a_low = c->p[0].x[i], a_high = a_low, b_low, b_high;
    if (edges) {
        a_low = smaller(c->p[0].x[i], c->p[1].x[i]);
        a_high = larger(c->p[0].x[i], c->p[1].x[i]);
        b_low = smaller(c->p[2].x[i], c->p[3].x[i]);
        b_high = larger(c->p[2].x[i], c->p[3].x[i]);
    } else {
        b_low = smaller(smaller(c->p[1].x[i], c->p[2].x[i]), c->p[3].x[i]);
        b_high = larger(larger(c->p[1].x[i], c->p[2].x[i]), c->p[3].x[i]);
    }
    *before = less(a_high, b_low);
    *after = less(b_high, a_low);
}

/* On which axis are they apart from 0 to 1? On any: all bits. */
TACT_HOT lanes apart_whole(const corners *start, const corners *end, bool edges)
{
    lanes apart = all(0.0);
    for (int i = 0; i < 3; i++) {
        lanes before[2], after[2];
        sides(start, edges, i, &before[0], &after[0]);
        sides(end, edges, i, &before[1], &after[1]);
        apart = either(apart, either(both(before[0], before[1]), both(after[0], after[1])));
    }
    return apart;
}

/* u, v, w at one time. */
typedef struct frame {
    vec u, v, w;
} frame;

TACT_HOT frame frame_of(const corners *c, bool edges)
{
    if (edges)
        return (frame){between(c->p[0], c->p[1]), between(c->p[2], c->p[3]), between(c->p[0], c->p[2])};
    return (frame){between(c->p[1], c->p[2]), between(c->p[1], c->p[3]), between(c->p[1], c->p[0])};
}

TACT_HOT lanes frame_size(const frame *f, int i)
{
    return larger(larger(size_of(f->u.x[i]), size_of(f->v.x[i])), size_of(f->w.x[i]));
}

TACT_HOT vec vec_at(const vec *a, const vec *b, lanes before, lanes after)
{
    vec r;
    for (int i = 0; i < 3; i++)
        r.x[i] = add(mul(before, a->x[i]), mul(after, b->x[i]));
    return r;
}

TACT_HOT frame frame_at(const frame *a, const frame *b, lanes before, lanes after)
{
    return (frame){vec_at(&a->u, &b->u, before, after), vec_at(&a->v, &b->v, before, after),
                   vec_at(&a->w, &b->w, before, after)};
}

/* How far B is above A on axis i, and below. */
TACT_HOT void gaps(const frame *f, bool edges, int i, lanes *above, lanes *below)
{
    lanes u = f->u.x[i], v = f->v.x[i], w = f->w.x[i], zero = all(0.0);
    if (edges) { /* B from w to w + v, A from 0 to u */
        *above = sub(add(w, smaller(v, zero)), larger(u, zero));
        *below = sub(smaller(u, zero), add(w, larger(v, zero)));
    } else { /* B from 0 to u to v, A at w */
        *above = sub(smaller(smaller(u, v), zero), w);
        *below = sub(w, larger(larger(u, v), zero));
    }
}

/* On which axis are they apart at both times, surely? */
TACT_HOT lanes apart_between(const frame *a, const frame *b, const lanes size[3], const lanes fits[3], bool edges)
{
    lanes apart = all(0.0);
    for (int i = 0; i < 3; i++) {
        lanes above[2], below[2], bound = mul(all(CCD_GAP), size[i]);
        gaps(a, edges, i, &above[0], &below[0]);
        gaps(b, edges, i, &above[1], &below[1]);
        lanes least = larger(smaller(above[0], above[1]), smaller(below[0], below[1]));
        apart = either(apart, both(less(bound, least), fits[i]));
    }
    return apart;
}

/* Has the volume surely no root between the two times? */
TACT_HOT lanes rootless(const frame *a, const frame *b, lanes volume, lanes fits, double ends, double between_ends)
{
    vec n0 = cross(a->u, b->v), n2 = cross(b->u, a->v), m = sum(n0, n2);
    n0 = cross(a->u, a->v);
    n2 = cross(b->u, b->v);
    lanes f0 = dot(n0, a->w), f3 = dot(n2, b->w);
    lanes f1 = add(dot(m, a->w), dot(n0, b->w)), f2 = add(dot(m, b->w), dot(n2, a->w));
    lanes e = mul(all(ends), volume), i = mul(all(between_ends), volume);
    lanes positive = both(less(e, smaller(f0, f3)), less(i, smaller(f1, f2)));
    lanes negative = both(less(e, smaller(sub(all(0.0), f0), sub(all(0.0), f3))),
                          less(i, smaller(sub(all(0.0), f1), sub(all(0.0), f2))));
    return both(either(positive, negative), fits);
}

TACT_HOT lanes in_range(lanes size)
{
    lanes low = less(all(FILTER_LEAST), size), high = less(size, all(FILTER_MOST));
    return both(low, high);
}

typedef enum course { WHOLE, WINDOW, VELOCITIES } course;

/* The pairs of one vector: a bit for each that may touch. */
TACT_HOT unsigned maybe_lanes(const tact_ccd_points *points, size_t at, const double *enter, const double *exit,
                              bool edges, bool check, course how)
{
    corners start = gather(points->start, at), end = gather(points->end, at);
    unsigned keep = check ? bits(either(odd(&start), odd(&end))) : 0, apart = 0;
    if (how == WHOLE) {
        apart = bits(apart_whole(&start, &end, edges));
        if (apart == EVERY)
            return keep;
    }
    frame a = frame_of(&start, edges), b = frame_of(&end, edges);
    lanes size[3], fits[3], last = how == WHOLE ? all(1.0) : load(exit);
    for (int i = 0; i < 3; i++) {
        lanes first_size = frame_size(&a, i), second_size = frame_size(&b, i);
        size[i] = how == VELOCITIES ? add(first_size, mul(last, second_size)) : larger(first_size, second_size);
        fits[i] = in_range(size[i]);
        if (how == VELOCITIES)
            fits[i] = both(fits[i], less(last, all(CCD_LATEST)));
    }
    lanes volume = mul(mul(size[0], size[1]), size[2]), fit = both(both(fits[0], fits[1]), fits[2]);
    if (how == WHOLE) {
        apart |= bits(rootless(&a, &b, volume, fit, CCD_VOLUME_WHOLE, CCD_VOLUME_WHOLE_BETWEEN));
    } else {
        lanes one = all(1.0), first = load(enter);
        frame c = frame_at(&a, &b, how == WINDOW ? sub(one, first) : one, first);
        frame d = frame_at(&a, &b, how == WINDOW ? sub(one, last) : one, last);
        apart = bits(apart_between(&c, &d, size, fits, edges));
        if (apart != EVERY)
            apart |= bits(rootless(&c, &d, volume, fit, CCD_VOLUME, CCD_VOLUME_BETWEEN));
    }
    return (~apart & EVERY) | keep;
}

TACT_HOT unsigned maybe(const tact_ccd_points *points, size_t at, const double *enter, const double *exit, bool edges,
                        bool check, course how)
{
    unsigned result = 0;
    for (size_t i = 0; i < CCD_BLOCK; i += LANES) {
        const double *from = how == WHOLE ? NULL : enter + i, *to = how == WHOLE ? NULL : exit + i;
        result |= maybe_lanes(points, at + i, from, to, edges, check, how) << i;
    }
    return result;
}

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
