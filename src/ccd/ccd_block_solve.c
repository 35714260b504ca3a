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
 * Error bounds, with the terms of ccd_error_bounds.h, but for rounding to nearest: u = 2^-53. Let D be the largest
 * difference at 0 and 1 on an axis. At a time within the cell let L be the largest computed difference at p, plus
 * 2^-38 D. Differences move by at most 2 D 2^-40 in a cell and have errors of 4 u D, so L is an upper bound of the true
 * and of the computed ones in the cell.
 *  - A difference at a time t, (1 - t) d0 + t d1: the terms have errors of (1 + 2) (1 - t) u D and (1 + 1) t u D, the
 * sum one of u L: at most 3 u D + u L.
 *  - The volume has 6 terms of three factors. Their rounding is 28 u L1 L2 L3 (ccd_error_bounds.h). The errors of the
 *    differences are multiplied by the L of the other axes: 18 u (D1 L2 L3 + L1 D2 L3 + L1 L2 D3) + 18 u L1 L2 L3, with
 *    the terms of higher order, as L includes them. CELL_DIFFERENCE_ERROR and CELL_ROUNDING_ERROR are these factors. It
 *    is smaller than a bound by D1 D2 D3 where points move far compared with the size of their features.
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
#include "math/math_constants.h"

/* The bounds proved above. */
#define CELL_DIFFERENCE_ERROR (18.2 * 0x1p-53)
#define CELL_ROUNDING_ERROR (46.3 * 0x1p-53)
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

/* The component of a vector on one of three axes: where neither mask is set, the first; where both are, the third. */
TACT_FORCE_INLINE double_lanes along_axis(lane_vec v, double_lanes not_x, double_lanes is_z)
{
    return choose(is_z, v.z, choose(not_x, v.y, v.x));
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

/* ---- weights and normals ---- */

TACT_FORCE_INLINE lane_vec scaled(lane_vec a, double_lanes by)
{
    return (lane_vec){mul(a.x, by), mul(a.y, by), mul(a.z, by)};
}

TACT_FORCE_INLINE double_lanes max_abs(lane_vec a) { return largest(a.x, a.y, a.z); }

TACT_FORCE_INLINE double_lanes clamp01(double_lanes a)
{
    return min_lanes(max_lanes(a, broadcast(0.0)), broadcast(1.0));
}

/* The differences of the points from the first one. */
typedef struct lane_differences {
    lane_vec d[3];
} lane_differences;

/* The contact point on A minus the one on B. */
TACT_FORCE_INLINE lane_vec contact_gap(const lane_differences *at, const double_lanes weights[4], bool edges)
{
    const lane_vec a = scaled(at->d[0], weights[1]),
                   others = sum(scaled(at->d[1], weights[2]), scaled(at->d[2], weights[3]));
    if (edges)
        return between(others, a);
    const lane_vec both_sides = sum(a, others);
    const double_lanes minus = broadcast(-0.0);
    return (lane_vec){flip_sign(both_sides.x, minus), flip_sign(both_sides.y, minus), flip_sign(both_sides.z, minus)};
}

/* The weights of a face from three areas: nonnegative, with sum 1. Returns where that is possible. */
TACT_FORCE_INLINE double_lanes face_weights(const double_lanes area[3], double_lanes weights[4])
{
    const double_lanes zero = broadcast(0.0), one = broadcast(1.0), total = add(add(area[0], area[1]), area[2]);
    double_lanes w[3];
    for (int i = 0; i < 3; i++)
        w[i] = max_lanes(divide(area[i], total), zero);
    const double_lanes total_weight = add(add(w[0], w[1]), w[2]);
    const double_lanes second = less(w[0], w[1]), third = less(choose(second, w[1], w[0]), w[2]);
    for (int i = 0; i < 3; i++)
        w[i] = divide(w[i], total_weight);
    /* the largest weight is what is left to 1 */
    const double_lanes others = choose(third, add(w[0], w[1]), choose(second, add(w[0], w[2]), add(w[1], w[2])));
    const double_lanes rest = sub(one, others);
    weights[0] = one;
    weights[1] = choose(either(second, third), w[0], rest);
    weights[2] = choose(third, w[1], choose(second, rest, w[1]));
    weights[3] = choose(third, rest, w[2]);
    return less(zero, total_weight);
}

/* Weights and normals at brackets: the operations of ccd_contact.c in doubles, in the same order, so that they are the
 * same bits. Returns the lanes in which doubles suffice. */
TACT_FORCE_INLINE unsigned fill_lanes(const ccd_block *block, size_t at, bool edges, double_lanes lower,
                                      double_lanes upper, ccd_block_answer *answer)
{
    const double_lanes zero = broadcast(0.0), half = broadcast(0.5), two = broadcast(2.0);
    const double_lanes width = sub(upper, lower), time = add(lower, mul(half, width));
    lane_vec start[4], end[4];
    lane_differences now, speeds;
    double_lanes most = zero;
    for (int k = 0; k < 4; k++) {
        start[k] =
            (lane_vec){load(&block->start[k][0][at]), load(&block->start[k][1][at]), load(&block->start[k][2][at])};
        end[k] = (lane_vec){load(&block->end[k][0][at]), load(&block->end[k][1][at]), load(&block->end[k][2][at])};
        most = max_lanes(most, max_lanes(max_abs(start[k]), max_abs(end[k])));
    }
    const lane_vec first_speed = between(start[0], end[0]);
    for (int i = 0; i < 3; i++) {
        speeds.d[i] = between(first_speed, between(start[i + 1], end[i + 1]));
        now.d[i] = sum(between(start[0], start[i + 1]), scaled(speeds.d[i], time));
    }
    const double_lanes error = mul(broadcast(CCD_DIFFERENCE_ERROR), most),
                       speed_error = mul(broadcast(8.0 * CCD_DIFFERENCE_ERROR), most);
    const double_lanes speed = max_lanes(max_lanes(max_abs(speeds.d[0]), max_abs(speeds.d[1])), max_abs(speeds.d[2]));
    const lane_vec e1 = between(now.d[0], now.d[1]), e2 = between(now.d[0], now.d[2]);
    const lane_vec u = edges ? now.d[0] : e1, v = edges ? between(now.d[1], now.d[2]) : e2;
    lane_vec normal = cross(u, v);
    const double_lanes size = max_abs(normal), edge_sizes = add(max_abs(u), max_abs(v));
    double_lanes certain = less(mul(mul(broadcast(CCD_NORMAL_CERTAIN * 4.0), error), edge_sizes), size);
    certain = both(certain, both(less(broadcast(VEC_MIN_SQUARABLE), size), less(size, broadcast(VEC_MAX_SQUARABLE))));
    certain = both(certain, less(broadcast(CCD_CONTACT_MIN_COORDINATE), most));
    const double_lanes x = absolute(normal.x), y = absolute(normal.y), z = absolute(normal.z);
    const double_lanes not_x = either(less(x, y), less(x, z)), is_z = both(not_x, less(y, z));
#define AREA(a, b) along_axis(cross(a, b), not_x, is_z)
    double_lanes weights[4];
    if (edges) {
        const double_lanes a = AREA(now.d[1], now.d[2]), b = AREA(e1, e2), c = AREA(now.d[1], e1),
                           d = AREA(now.d[2], e2);
        weights[1] = clamp01(divide(a, sub(a, b)));
        weights[3] = clamp01(divide(c, sub(c, d)));
        weights[0] = sub(broadcast(1.0), weights[1]);
        weights[2] = sub(broadcast(1.0), weights[3]);
    } else {
        const double_lanes areas[3] = {AREA(now.d[1], now.d[2]), AREA(now.d[2], now.d[0]), AREA(now.d[0], now.d[1])};
        certain = both(certain, face_weights(areas, weights));
    }
#undef AREA
    const double_lanes allowed = add(mul(broadcast(CCD_CONTACT_AGREEMENT), error), mul(mul(two, speed), width));
    const double_lanes apart = max_abs(contact_gap(&now, weights, edges));
    certain = both(certain, not_greater(apart, allowed));
    normal = scaled(normal, divide(broadcast(1.0), square_root(dot(normal, normal))));
    const double_lanes least = add(mul(broadcast(CCD_APPROACH_CERTAIN), speed), speed_error);
    const double_lanes approach = dot(contact_gap(&speeds, weights, edges), normal);
    certain = both(certain, less(least, absolute(approach)));
    for (int k = 0; k < 4; k++)
        store(&answer->weights[k][at], weights[k]);
    store(&answer->normal[0][at], add(flip_sign(normal.x, approach), zero));
    store(&answer->normal[1][at], add(flip_sign(normal.y, approach), zero));
    store(&answer->normal[2][at], add(flip_sign(normal.z, approach), zero));
    return lane_mask(certain);
}

/* ---- blocks ---- */

/* Solves the pairs of one vector, those in `wanted`. */
TACT_FORCE_INLINE void solve_lanes(const ccd_block *block, size_t at, bool edges, unsigned wanted,
                                   ccd_block_answer *answer)
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
    answer->misses |= misses << at;
    if (singles == 0)
        return;
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
    const lane_vec products = {mul(l.y, l.z), mul(l.z, l.x), mul(l.x, l.y)};
    const double_lanes bound = add(mul(broadcast(CELL_DIFFERENCE_ERROR), dot(size, products)),
                                   mul(broadcast(CELL_ROUNDING_ERROR), mul(l.x, products.x)));
    const double_lanes rooted = both(less(bound, fp), less(fq, either(bound, minus)));
    const lane_answer where = inside_cell(&at_p, n, size, edges);
    const unsigned decided = lane_mask(rooted) & singles, hits = lane_mask(where.inside) & decided;
    answer->misses |= (lane_mask(where.outside) & decided) << at;
    if (hits == 0)
        return;
    store(&answer->lower[at], from);
    store(&answer->upper[at], to);
    answer->hits |= hits << at;
    answer->filled |= (fill_lanes(block, at, edges, from, to, answer) & hits) << at;
}

void tact_ccd_solve8(tact_ccd_kind kind, const ccd_block *block, unsigned count, ccd_block_answer *answer)
{
    answer->hits = answer->misses = answer->filled = 0;
    for (size_t i = 0; i < count; i += LANE_COUNT) {
        const unsigned wanted = ((1u << count) - 1u) >> i & ALL_LANES;
        if (kind == TACT_EDGE_EDGE)
            solve_lanes(block, i, true, wanted, answer);
        else
            solve_lanes(block, i, false, wanted, answer);
    }
}
