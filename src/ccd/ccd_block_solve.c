/*
 * The simple cases of continuous collision detection, eight pairs at a time, in SIMD: the volume of a pair has one root
 * within its window, and doubles decide whether the two touch there.
 *
 * Guarantee: a hit or miss is true, and the bracket of a hit is the grid cell (ccd_bracket.h) that ccd_filter.c and the
 * exact solver find, so the answers are the same bits. Where rounding might change the answer, or where the volume may
 * have several roots, a pair is left undecided. In the default floating-point environment.
 *
 *  1. The Bernstein coefficients of the volume over the window certainly change sign exactly once, so there is one
 *     root. (If they all have one sign there is none: a miss.)
 *  2. Newton's method approximates it. Only a hint: it gives the grid cell [p, q], clipped to the window.
 *  3. The volume at p and q certainly has the signs that it has at the ends of the window: the root is in the cell.
 *  4. The areas of ccd_error_bounds.h at p, along the axis on which the normal is clearest, are so large that they keep
 *     their signs up to q: they decide between hit and miss.
 *
 * Error bounds, with the terms of ccd_error_bounds.h. Let D be the largest difference at 0 and 1 on an axis. At a time
 * within the cell let L be the largest computed difference at p, plus 2^-38 D. Differences move by at most 2 D 2^-40 in
 * a cell and have errors of 4 E D, so L is an upper bound of the true and of the computed ones in the cell.
 *  - The volume has 6 terms of three factors. Their rounding is 28 E L1 L2 L3 (ccd_error_bounds.h). The errors of the
 *    differences, 4 E D each, are multiplied by the L of the other axes: 24 E (D1 L2 L3 + L1 D2 L3 + L1 L2 D3), with
 *    the terms of higher order, as L includes them. L is at most D (1 + 2^-37), so the sum of both is below
 *    34 E (D1 L2 L3 + L1 D2 L3 + L1 L2 D3) = CELL_VOLUME_ERROR times that. It is smaller than a bound by D1 D2 D3 where
 *    points move far compared with the size of their features.
 *  - An area is the sum of at most three minors of two terms. In a cell a term changes by at most 2 x 2^-39 D1 D2 and
 *    terms of second order: 12 2^-39 for all, and 71 E for rounding: below CELL_AREA_ERROR = 2^-35.
 *  - D is in [2^-100, 2^100], so L is at least 2^-138, and the bounds are far above what underflows.
 *
 * Cost: some 30 ns a pair with AVX2, an eighth of that of ccd_filter.c. This file is compiled twice (core/avx2.h).
 */
#include "ccd/ccd_block.h"
#include "ccd/ccd_constants.h"
#include "ccd/ccd_error_bounds.h"
#include "ccd/ccd_lanes.h"

/* The bounds proved above. */
#define CELL_VOLUME_ERROR (34.5 * FILTER_EPSILON)
#define CELL_AREA_ERROR 0x1p-35
#define CELL_GROWTH 0x1p-38

TACT_FORCE_INLINE double_lanes in_cell_range(double_lanes size)
{
    return both(less(broadcast(CCD_CELL_MIN_DIFFERENCE), size), less(size, broadcast(CCD_CELL_MAX_DIFFERENCE)));
}

/* An approximation of the only root of a cubic in (0, 1), which is positive at 0; as approximate_root in ccd_filter.c.
 */
TACT_FORCE_INLINE double_lanes approximate_roots(const lane_cubic *f, double_lanes sign, unsigned wanted)
{
    const double_lanes f0 = flip_sign(f->f0, sign), f3 = flip_sign(f->f3, sign), g1 = flip_sign(f->f1, sign),
                       g2 = flip_sign(f->f2, sign), three = broadcast(3.0), two = broadcast(2.0);
    const double_lanes c1 = sub(g1, mul(three, f0)), c2 = add(sub(g2, mul(two, g1)), mul(three, f0)),
                       c3 = sub(add(sub(f3, f0), g1), g2);
    double_lanes low = broadcast(0.0), high = broadcast(1.0), x = divide(f0, sub(f0, f3)), found = low;
    for (int i = 0; i < CCD_FILTER_MAX_NEWTON_STEPS && (~lane_mask(found) & wanted) != 0; i++) {
        double_lanes y = add(f0, mul(x, add(c1, mul(x, add(c2, mul(x, c3))))));
        double_lanes slope = add(c1, mul(x, add(mul(two, c2), mul(mul(three, x), c3))));
        double_lanes before = less(broadcast(0.0), y);
        low = choose(before, x, low);
        high = choose(before, high, x);
        double_lanes step = divide(y, slope), next = sub(x, step);
        double_lanes close = less(absolute(step), broadcast(CCD_FILTER_NEWTON_CLOSE));
        double_lanes within = either(both(less(low, next), less(next, high)), close);
        double_lanes better = choose(within, next, mul(broadcast(0.5), add(low, high)));
        x = choose(found, x, better);
        found = either(found, close);
    }
    return min_lanes(max_lanes(x, broadcast(0.0)), broadcast(1.0));
}

/* The start of the grid cell of a time in [0, 1], for the default width: a sum with 2^52 cells rounds to one. */
TACT_FORCE_INLINE double_lanes cell_begin(double_lanes t)
{
    const double_lanes shift = broadcast(0x1p52 * CCD_DEFAULT_BRACKET_WIDTH);
    const double_lanes near = sub(add(t, shift), shift);
    return sub(near, both(less(t, near), broadcast(CCD_DEFAULT_BRACKET_WIDTH)));
}

/* The component of a vector on one of three axes: where neither mask is set, the third. */
TACT_FORCE_INLINE double_lanes component(lane_vec v, double_lanes is_x, double_lanes is_y)
{
    return choose(is_x, v.x, choose(is_y, v.y, v.z));
}

/* Masks of lanes. */
typedef struct lane_answer {
    double_lanes inside, outside;
} lane_answer;

/* Do they touch in the plane of the normal n, at a time with the vectors `at`, and up to the end of the cell? */
TACT_FORCE_INLINE lane_answer inside_cell(const lane_vectors *at, lane_vec n, lane_vec size, bool edges)
{
    const double_lanes x = mul(absolute(n.x), size.x), y = mul(absolute(n.y), size.y), z = mul(absolute(n.z), size.z);
    const double_lanes is_x = both(less(y, x), less(z, x)), is_y = less(z, y);
    const lane_vec products = {mul(size.y, size.z), mul(size.z, size.x), mul(size.x, size.y)};
    const double_lanes bound = mul(broadcast(CELL_AREA_ERROR), component(products, is_x, is_y)),
                       minus = broadcast(-0.0), below = either(bound, minus);
    const double_lanes normal = component(n, is_x, is_y), clear = less(bound, absolute(normal));
    const double_lanes first = component(cross(at->w, at->v), is_x, is_y);
    const double_lanes second = component(edges ? cross(at->w, at->u) : cross(at->u, at->w), is_x, is_y);
    const double_lanes a = flip_sign(first, normal), b = flip_sign(second, normal), size_n = absolute(normal);
    double_lanes least;
    if (edges) {
        const double_lanes c = sub(size_n, a), d = sub(size_n, b);
        least = min_lanes(min_lanes(a, b), min_lanes(c, d));
    } else {
        least = min_lanes(min_lanes(a, b), sub(sub(size_n, a), b));
    }

    return (lane_answer){both(clear, less(bound, least)), both(clear, less(least, below))};
}

/* Solves the pairs of one vector: the lanes that hit, and those that miss, << LANE_COUNT. */
TACT_FORCE_INLINE unsigned solve_lanes(const ccd_block *block, size_t at, bool edges, unsigned wanted, double *lower,
                                       double *upper)
{
    const double *start[4][3], *end[4][3];
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            start[k][c] = block->start[k][c];
            end[k][c] = block->end[k][c];
        }
    const lane_vectors a = load_vectors((const double *const(*)[3])start, at, edges),
                       b = load_vectors((const double *const(*)[3])end, at, edges);
    const lane_vec first_size = vectors_size(&a), second_size = vectors_size(&b);
    const lane_vec size = {max_lanes(first_size.x, second_size.x), max_lanes(first_size.y, second_size.y),
                           max_lanes(first_size.z, second_size.z)};
    const double_lanes fit = both(both(in_cell_range(size.x), in_cell_range(size.y)), in_cell_range(size.z));
    const double_lanes one = broadcast(1.0), first = load(block->enter + at), last = load(block->exit + at);
    const lane_vectors c = vectors_at(&a, &b, sub(one, first), first), d = vectors_at(&a, &b, sub(one, last), last);
    const lane_cubic f = lane_volume(&c, &d);
    const double_lanes volume = mul(mul(size.x, size.y), size.z), minus = broadcast(-0.0);
    const double_lanes e = mul(broadcast(CCD_VOLUME_ERROR), volume), i = mul(broadcast(CCD_VOLUME_ERROR_INNER), volume),
                       not_e = either(e, minus), not_i = either(i, minus);
    /* mirrored so that the volume is positive at the start of the window */
    const double_lanes f0 = absolute(f.f0), f1 = flip_sign(f.f1, f.f0), f2 = flip_sign(f.f2, f.f0),
                       f3 = flip_sign(f.f3, f.f0), clear = both(fit, less(e, f0));
    const double_lanes none = both(clear, both(less(e, f3), less(i, min_lanes(f1, f2))));
    const double_lanes single = both(clear, both(less(f3, not_e), either(less(i, f1), less(f2, not_i))));
    const unsigned misses = lane_mask(none) & wanted, singles = lane_mask(single) & wanted;
    if (singles == 0)
        return misses << LANE_COUNT;
    const double_lanes x = approximate_roots(&f, f.f0, singles);
    const double_lanes from = cell_begin(add(first, mul(x, sub(last, first)))),
                       to = add(from, broadcast(CCD_DEFAULT_BRACKET_WIDTH));
    const double_lanes p = max_lanes(from, first), q = min_lanes(to, last);
    const lane_vectors at_p = vectors_at(&a, &b, sub(one, p), p), at_q = vectors_at(&a, &b, sub(one, q), q);
    const lane_vec n = cross(at_p.u, at_p.v);
    const double_lanes fp = flip_sign(dot(n, at_p.w), f.f0), fq = flip_sign(dot(cross(at_q.u, at_q.v), at_q.w), f.f0);
    const lane_vec near = vectors_size(&at_p),
                   growth = {mul(broadcast(CELL_GROWTH), size.x), mul(broadcast(CELL_GROWTH), size.y),
                             mul(broadcast(CELL_GROWTH), size.z)};
    const lane_vec l = sum(near, growth);
    const double_lanes bound =
        mul(broadcast(CELL_VOLUME_ERROR),
            add(add(mul(size.x, mul(l.y, l.z)), mul(size.y, mul(l.z, l.x))), mul(size.z, mul(l.x, l.y))));
    const double_lanes rooted = both(less(bound, fp), less(fq, either(bound, minus)));
    const lane_answer answer = inside_cell(&at_p, n, size, edges);
    store(lower, from);
    store(upper, to);
    const unsigned decided = lane_mask(rooted) & singles;
    return (lane_mask(answer.inside) & decided) | (misses | (lane_mask(answer.outside) & decided)) << LANE_COUNT;
}

unsigned tact_ccd_solve8(tact_ccd_kind kind, const ccd_block *block, unsigned count, double lower[CCD_BLOCK],
                         double upper[CCD_BLOCK])
{
    unsigned hits = 0, misses = 0;
    for (size_t i = 0; i < count; i += LANE_COUNT) {
        const unsigned wanted = ((1u << count) - 1u) >> i & ALL_LANES;
        const unsigned found = kind == TACT_EDGE_EDGE ? solve_lanes(block, i, true, wanted, lower + i, upper + i)
                                                      : solve_lanes(block, i, false, wanted, lower + i, upper + i);
        hits |= (found & ALL_LANES) << i;
        misses |= (found >> LANE_COUNT) << i;
    }
    return hits | misses << CCD_BLOCK;
}
