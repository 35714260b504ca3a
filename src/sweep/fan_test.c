/*
 * Do the triangles around a vertex stay unfolded during a step? Then those that share no edge do not collide.
 *
 * Guarantee: in the image of space under a linear map to a plane, let r[0], r[1], ... be the ring vertices relative to
 * the centre, in order. If the area of r[i] and r[i + 1] is positive all the time, each triangle is in a sector of less
 * than half a turn, all go around the same way, and their angles sum to full turns: always as many as at the start,
 * since the sum changes continuously. If that is one turn, different sectors have nothing in common but the centre and
 * the rays between neighbours. So the images of features of two triangles that share no vertex are separated, and hence
 * these themselves. (A ring vertex is on a ray, and is not the centre; the edge opposite the centre touches the rays of
 * its sector in its end points alone.)
 *
 * The map, x = p . r and y = q . r, is one along the mean normal d of the fan: p = d x g, q = d x p, where g is a fixed
 * vector that is not along the edges of a grid. The argument needs no relation of p and q.
 * - r is linear in time and an area is a quadratic polynomial: it is positive if its three Bernstein coefficients are.
 * - Rounding, with u = 2^-53: let X be the sum of |p_k| times the largest |r_k|, Y likewise. Differences of coordinates
 *   have a relative error of u; x then has one of at most 5 u X, and y of 5 u Y. The inner coefficient, doubled, has
 *   four products of an x and a y with an error of 10 u X Y each, and 8 roundings of values up to 4 X Y: 72 u X Y.
 *   FAN_ERROR is 128 u.
 * - Points may deviate by `deviation` on each axis at any time. Then each r_k deviates by twice that, x by X' = twice
 *   that times the sum of |p_k|, y by Y', and an area by at most 2 (X' (Y + Y') + X Y'). (The doubled coefficient must
 *   exceed twice that.)
 * - Turns are counted where the ring goes from y < 0 to y > 0. Where the sign of a y is not certain at the start, the
 *   answer is no.
 *
 * The idea is that of Volino and Magnenat Thalmann 1994 and Provot 1997 ("Collision and self-collision handling in
 * cloth model dedicated to design garments"): a patch whose normals are in a cone. Here there is no contour to test
 * besides.
 *
 * FAN_LANES fans with as many triangles each are tested at once, a fan per lane. Cost: some 15 ns a fan. This file is
 * compiled twice (core/avx2.h).
 */
#include <math.h>

#include "ccd/ccd_lanes.h"
#include "sweep/sweep_internal.h"

/* The ring vertices of the fans relative to their centres, at both ends of the step. */
typedef struct fan_spokes {
    lane_vec at[2][FAN_MAX_TRIANGLES];
} fan_spokes;

/* A linear map to a number, how much it can be, and how much it can deviate. */
typedef struct fan_map {
    lane_vec v;
    double_lanes extent, deviation;
} fan_map;

/* A point of each fan: those with the given indices. */
TACT_FORCE_INLINE lane_vec gather(const tact_vec3 *points, const uint32_t *index)
{
    const tact_vec3 *a = &points[index[0]], *b = &points[index[1]];
#if LANE_COUNT == 4
    const tact_vec3 *c = &points[index[2]], *d = &points[index[3]];
    return (lane_vec){_mm256_set_pd(d->x, c->x, b->x, a->x), _mm256_set_pd(d->y, c->y, b->y, a->y),
                      _mm256_set_pd(d->z, c->z, b->z, a->z)};
#else
    return (lane_vec){_mm_set_pd(b->x, a->x), _mm_set_pd(b->y, a->y), _mm_set_pd(b->z, a->z)};
#endif
}

TACT_FORCE_INLINE void set_spokes(fan_spokes *f, const tact_vec3 *const ends[2], const fan_block *fans, uint32_t at,
                                  uint32_t count)
{
    const lane_vec centre[2] = {gather(ends[0], fans->centre + at), gather(ends[1], fans->centre + at)};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t index[LANE_COUNT];
        for (uint32_t k = 0; k < LANE_COUNT; ++k)
            index[k] = fans->ring[at + k][i];
        for (int end = 0; end < 2; ++end)
            f->at[end][i] = between(centre[end], gather(ends[end], index));
    }
}

TACT_FORCE_INLINE lane_vec absolute_vec(lane_vec a) { return (lane_vec){absolute(a.x), absolute(a.y), absolute(a.z)}; }

TACT_FORCE_INLINE lane_vec largest_vec(lane_vec a, lane_vec b)
{
    return (lane_vec){max_lanes(a.x, b.x), max_lanes(a.y, b.y), max_lanes(a.z, b.z)};
}

/* The mean normal during the step, with largest component 1 (not a number if there is none); also the extents by axis.
 */
TACT_FORCE_INLINE lane_vec mean_normal(const fan_spokes *f, uint32_t count, lane_vec *extents)
{
    const double_lanes zero = broadcast(0.0);
    lane_vec normal = {zero, zero, zero}, last = sum(f->at[0][count - 1], f->at[1][count - 1]);
    *extents = normal;
    for (uint32_t i = 0; i < count; ++i) {
        const lane_vec a = f->at[0][i], b = f->at[1][i], both_ends = sum(a, b);
        normal = sum(normal, cross(last, both_ends));
        *extents = largest_vec(*extents, largest_vec(absolute_vec(a), absolute_vec(b)));
        last = both_ends;
    }
    const lane_vec size = absolute_vec(normal);
    const double_lanes most = max_lanes(max_lanes(size.x, size.y), size.z);
    return (lane_vec){divide(normal.x, most), divide(normal.y, most), divide(normal.z, most)};
}

TACT_FORCE_INLINE fan_map map_of(lane_vec v, lane_vec extents, double deviation)
{
    const lane_vec size = absolute_vec(v);
    return (fan_map){v, dot(size, extents), mul(broadcast(2.0 * deviation), add(add(size.x, size.y), size.z))};
}

TACT_FORCE_INLINE double_lanes in_range(double_lanes extent)
{
    return both(less(broadcast(FAN_MIN_EXTENT), extent), less(extent, broadcast(FAN_MAX_EXTENT)));
}

/* Where do the areas in the image stay positive, and is it one turn? */
TACT_FORCE_INLINE double_lanes turns_once(const fan_spokes *f, uint32_t count, const fan_map *p, const fan_map *q)
{
    const double_lanes zero = broadcast(0.0), one = broadcast(1.0);
    double_lanes least = broadcast(INFINITY), certain = least, ups = zero;
    double_lanes x0 = dot(p->v, f->at[0][count - 1]), y0 = dot(q->v, f->at[0][count - 1]),
                 x1 = dot(p->v, f->at[1][count - 1]), y1 = dot(q->v, f->at[1][count - 1]);
    for (uint32_t i = 0; i < count; ++i) {
        const double_lanes u0 = dot(p->v, f->at[0][i]), v0 = dot(q->v, f->at[0][i]), u1 = dot(p->v, f->at[1][i]),
                           v1 = dot(q->v, f->at[1][i]);
        const double_lanes a = sub(mul(x0, v0), mul(y0, u0)), c = sub(mul(x1, v1), mul(y1, u1));
        const double_lanes b = add(sub(mul(x0, v1), mul(y0, u1)), sub(mul(x1, v0), mul(y1, u0)));
        least = min_lanes(least, min_lanes(b, min_lanes(a, c)));
        certain = min_lanes(certain, absolute(v0));
        ups = add(ups, both(both(less(y0, zero), less(zero, v0)), one));
        x0 = u0;
        y0 = v0;
        x1 = u1;
        y1 = v1;
    }
    const double_lanes error = broadcast(FAN_ERROR);
    const double_lanes area =
        mul(broadcast(4.0), add(mul(p->deviation, add(q->extent, q->deviation)), mul(p->extent, q->deviation)));
    const double_lanes area_bound = add(mul(error, mul(p->extent, q->extent)), area),
                       sign_bound = add(mul(error, q->extent), q->deviation);
    const double_lanes one_turn = both(less(zero, ups), less(ups, broadcast(2.0)));
    return both(one_turn, both(less(area_bound, least), less(sign_bound, certain)));
}

TACT_FORCE_INLINE unsigned stay_unfolded(const tact_vec3 *const ends[2], const fan_block *fans, uint32_t at,
                                         uint32_t count, double deviation)
{
    const lane_vec g = {broadcast(0.37), broadcast(-0.61), broadcast(0.70)};
    fan_spokes f;
    lane_vec extents;
    set_spokes(&f, ends, fans, at, count);
    const lane_vec d = mean_normal(&f, count, &extents);
    const fan_map p = map_of(cross(d, g), extents, deviation), q = map_of(cross(d, p.v), extents, deviation);
    return lane_mask(both(both(in_range(p.extent), in_range(q.extent)), turns_once(&f, count, &p, &q)));
}

unsigned tact_fans_stay_unfolded(const tact_vec3 *start, const tact_vec3 *end, const fan_block *fans, uint32_t count,
                                 double deviation)
{
    const tact_vec3 *const ends[2] = {start, end};
    unsigned unfolded = 0;
    for (uint32_t at = 0; at < FAN_LANES; at += LANE_COUNT)
        unfolded |= stay_unfolded(ends, fans, at, count, deviation) << at;
    return unfolded;
}
