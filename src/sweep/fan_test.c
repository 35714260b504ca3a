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
 * besides. Cost: some 50 ns a fan. This file is compiled twice (core/avx2.h).
 */
#include <math.h>

#include "ccd/ccd_lanes.h"
#include "sweep/sweep_internal.h"

#define FAN_ROW (FAN_MAX_TRIANGLES + LANE_COUNT) /* numbers of a row: whole vectors, and one more */

/* The ring relative to the centre, by axis, at both ends of the step; repeated up to whole vectors and one more. */
typedef struct fan_spokes {
    double at[2][3][FAN_ROW];
} fan_spokes;

/* A number of lanes, rounded up to whole vectors. */
TACT_FORCE_INLINE uint32_t whole_vectors(uint32_t count) { return (count + LANE_COUNT - 1) / LANE_COUNT * LANE_COUNT; }

TACT_FORCE_INLINE void set_spokes(fan_spokes *f, int end, const tact_vec3 *points, uint32_t centre,
                                  const uint32_t *ring, uint32_t count)
{
    const tact_vec3 m = points[centre];
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec3 p = points[ring[i]];
        f->at[end][0][i] = p.x - m.x;
        f->at[end][1][i] = p.y - m.y;
        f->at[end][2][i] = p.z - m.z;
    }
    for (uint32_t i = count; i <= whole_vectors(count); ++i)
        for (int k = 0; k < 3; ++k)
            f->at[end][k][i] = f->at[end][k][i - count];
}

TACT_FORCE_INLINE lane_vec spokes(const fan_spokes *f, int end, uint32_t i)
{
    return (lane_vec){load(&f->at[end][0][i]), load(&f->at[end][1][i]), load(&f->at[end][2][i])};
}

TACT_FORCE_INLINE double sum_of_lanes(double_lanes a)
{
    double n[LANE_COUNT], total = 0.0;
    store(n, a);
    for (int i = 0; i < LANE_COUNT; ++i)
        total += n[i];
    return total;
}

TACT_FORCE_INLINE double largest_lane(double_lanes a)
{
    double n[LANE_COUNT], most = 0.0;
    store(n, a);
    for (int i = 0; i < LANE_COUNT; ++i)
        most = n[i] > most ? n[i] : most;
    return most;
}

TACT_FORCE_INLINE lane_vec largest_of_both(lane_vec most, lane_vec a, lane_vec b)
{
    return (lane_vec){max_lanes(most.x, max_lanes(absolute(a.x), absolute(b.x))),
                      max_lanes(most.y, max_lanes(absolute(a.y), absolute(b.y))),
                      max_lanes(most.z, max_lanes(absolute(a.z), absolute(b.z)))};
}

/* A linear map to a number, and how much it can be. */
typedef struct fan_map {
    double v[3];
    double extent, deviation;
} fan_map;

static fan_map map_of(double x, double y, double z, const double extents[3], double deviation)
{
    return (fan_map){{x, y, z},
                     fabs(x) * extents[0] + fabs(y) * extents[1] + fabs(z) * extents[2],
                     2.0 * deviation * (fabs(x) + fabs(y) + fabs(z))};
}

TACT_FORCE_INLINE double_lanes map_lanes(const fan_map *map, lane_vec r)
{
    return add(add(mul(broadcast(map->v[0]), r.x), mul(broadcast(map->v[1]), r.y)), mul(broadcast(map->v[2]), r.z));
}

/* The mean normal during the step, with largest component 1; also the extents by axis. False if there is none. */
TACT_FORCE_INLINE bool mean_normal(const fan_spokes *f, uint32_t count, double d[3], double extents[3])
{
    const double_lanes zero = broadcast(0.0);
    lane_vec normal = {zero, zero, zero}, most = normal;
    for (uint32_t i = 0; i < count; i += LANE_COUNT) {
        const lane_vec a = spokes(f, 0, i), b = spokes(f, 1, i);
        normal = sum(normal, cross(sum(a, b), sum(spokes(f, 0, i + 1), spokes(f, 1, i + 1))));
        most = largest_of_both(most, a, b);
    }
    extents[0] = largest_lane(most.x);
    extents[1] = largest_lane(most.y);
    extents[2] = largest_lane(most.z);
    d[0] = sum_of_lanes(normal.x);
    d[1] = sum_of_lanes(normal.y);
    d[2] = sum_of_lanes(normal.z);
    const double size = fmax(fmax(fabs(d[0]), fabs(d[1])), fabs(d[2]));
    for (int k = 0; k < 3; ++k)
        d[k] /= size;
    return size > 0.0 && size < INFINITY;
}

/* Do the areas in the image stay positive, and is it one turn? */
TACT_FORCE_INLINE bool turns_once(const fan_spokes *f, uint32_t count, const fan_map *p, const fan_map *q)
{
    double x[2][FAN_ROW], y[2][FAN_ROW];
    double_lanes least = broadcast(INFINITY), certain = least;
    uint32_t above = 0;
    const uint32_t last = whole_vectors(count);
    for (int end = 0; end < 2; ++end) {
        for (uint32_t i = 0; i < last; i += LANE_COUNT) {
            const lane_vec r = spokes(f, end, i);
            store(&x[end][i], map_lanes(p, r));
            store(&y[end][i], map_lanes(q, r));
        }
        x[end][last] = x[end][last - count]; /* the one after the last */
        y[end][last] = y[end][last - count];
    }
    for (uint32_t i = 0; i < count; i += LANE_COUNT) {
        const double_lanes x0 = load(&x[0][i]), y0 = load(&y[0][i]), x1 = load(&x[1][i]), y1 = load(&y[1][i]);
        const double_lanes u0 = load(&x[0][i + 1]), v0 = load(&y[0][i + 1]), u1 = load(&x[1][i + 1]),
                           v1 = load(&y[1][i + 1]);
        const double_lanes a = sub(mul(x0, v0), mul(y0, u0)), c = sub(mul(x1, v1), mul(y1, u1));
        const double_lanes b = add(sub(mul(x0, v1), mul(y0, u1)), sub(mul(x1, v0), mul(y1, u0)));
        least = min_lanes(least, min_lanes(b, min_lanes(a, c)));
        certain = min_lanes(certain, absolute(y0));
        above |= lane_mask(less(broadcast(0.0), y0)) << i;
    }
    above &= (1u << count) - 1u;
    const uint32_t next = above >> 1 | (above & 1u) << (count - 1u), ups = next & ~above;
    const double extents = p->extent * q->extent;
    const double area = 4.0 * (p->deviation * (q->extent + q->deviation) + p->extent * q->deviation);
    const double area_bound = FAN_ERROR * extents + area, sign_bound = FAN_ERROR * q->extent + q->deviation;
    return ups != 0 && (ups & (ups - 1u)) == 0 && lane_mask(less(broadcast(area_bound), least)) == ALL_LANES &&
           lane_mask(less(broadcast(sign_bound), certain)) == ALL_LANES;
}

bool tact_fan_stays_unfolded(const tact_vec3 *start, const tact_vec3 *end, uint32_t centre, const uint32_t *ring,
                             uint32_t count, double deviation)
{
    static const double g[3] = {0.37, -0.61, 0.70};
    fan_spokes f;
    double d[3], extents[3];
    set_spokes(&f, 0, start, centre, ring, count);
    set_spokes(&f, 1, end, centre, ring, count);
    if (!mean_normal(&f, count, d, extents))
        return false;
    const fan_map p =
        map_of(d[1] * g[2] - d[2] * g[1], d[2] * g[0] - d[0] * g[2], d[0] * g[1] - d[1] * g[0], extents, deviation);
    const fan_map q = map_of(d[1] * p.v[2] - d[2] * p.v[1], d[2] * p.v[0] - d[0] * p.v[2],
                             d[0] * p.v[1] - d[1] * p.v[0], extents, deviation);
    return p.extent > FAN_MIN_EXTENT && p.extent < FAN_MAX_EXTENT && q.extent > FAN_MIN_EXTENT &&
           q.extent < FAN_MAX_EXTENT && turns_once(&f, count, &p, &q);
}
