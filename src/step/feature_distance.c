/*
 * Nearest points: see step_near.h.
 *
 * Vertex and face: the foot in the plane if it is in the triangle, else the nearest of the three edges'. Two edges:
 * the feet of the common perpendicular if they are inside both, else the nearest of the four ends'. Each candidate is
 * a pair of points of the features, made with weights that are clamped, and the nearest of all candidates is taken: a
 * foot that rounding or a degenerate triangle has made worthless loses. All is computed from differences, scaled so
 * that squares neither overflow nor vanish.
 */
#include "step/feature_distance.h"

#include "math/vec.h"

typedef struct candidate {
    double weights[4];
    tact_vec3 apart;
    double square;
} candidate;

static tact_vec3 between(tact_ccd_kind kind, const tact_vec3 p[4], const double w[4])
{
    const double first = kind == TACT_VERTEX_FACE ? -w[1] : w[1];
    tact_vec3 d = vec_scale(p[0], w[0]);
    d = vec_mul_add(d, first, p[1]);
    d = vec_mul_add(d, -w[2], p[2]);
    return vec_mul_add(d, -w[3], p[3]);
}

static void offer(candidate *best, tact_ccd_kind kind, const tact_vec3 p[4], double w0, double w1, double w2, double w3)
{
    candidate c = {.weights = {w0, w1, w2, w3}};
    c.apart = between(kind, p, c.weights);
    c.square = vec_length_squared(c.apart);
    if (c.square < best->square)
        *best = c;
}

/* Where on the edge from a to b the point nearest to p is: 0 at a, 1 at b. */
static double foot(tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 ab = vec_sub(b, a);
    const double length = vec_length_squared(ab), along = vec_dot(vec_sub(p, a), ab);
    return !(along > 0.0) ? 0.0 : along >= length ? 1.0 : along / length;
}

static candidate vertex_face(const tact_vec3 p[4])
{
    candidate best = {.square = HUGE_VAL};
    for (int k = 0; k < 3; ++k) {
        const int i = 1 + k, j = 1 + (k + 1) % 3;
        double w[4] = {1.0, 0.0, 0.0, 0.0};
        w[j] = foot(p[0], p[i], p[j]);
        w[i] = 1.0 - w[j];
        offer(&best, TACT_VERTEX_FACE, p, w[0], w[1], w[2], w[3]);
    }
    const tact_vec3 ab = vec_sub(p[2], p[1]), ac = vec_sub(p[3], p[1]), ap = vec_sub(p[0], p[1]);
    const tact_vec3 n = vec_cross(ab, ac);
    const double area = vec_length_squared(n);
    const double v = vec_dot(vec_cross(ap, ac), n), w = vec_dot(vec_cross(ab, ap), n);
    if (area > 0.0 && v >= 0.0 && w >= 0.0 && v + w <= area)
        offer(&best, TACT_VERTEX_FACE, p, 1.0, max_double(0.0, (area - v - w) / area), v / area, w / area);
    return best;
}

static candidate edge_edge(const tact_vec3 p[4])
{
    candidate best = {.square = HUGE_VAL};
    for (int k = 0; k < 2; ++k) {
        const double s = foot(p[k], p[2], p[3]), t = foot(p[2 + k], p[0], p[1]);
        offer(&best, TACT_EDGE_EDGE, p, k == 0 ? 1.0 : 0.0, k == 0 ? 0.0 : 1.0, 1.0 - s, s);
        offer(&best, TACT_EDGE_EDGE, p, 1.0 - t, t, k == 0 ? 1.0 : 0.0, k == 0 ? 0.0 : 1.0);
    }
    const tact_vec3 u = vec_sub(p[1], p[0]), v = vec_sub(p[3], p[2]), r = vec_sub(p[2], p[0]);
    const tact_vec3 n = vec_cross(u, v);
    const double area = vec_length_squared(n), s = vec_dot(vec_cross(r, v), n), t = vec_dot(vec_cross(r, u), n);
    if (area > 0.0 && s >= 0.0 && s <= area && t >= 0.0 && t <= area)
        offer(&best, TACT_EDGE_EDGE, p, 1.0 - s / area, s / area, 1.0 - t / area, t / area);
    return best;
}

tact_vec3 tact_feature_closest_points(tact_ccd_kind kind, const tact_vec3 points[4], double weights[4])
{
    tact_vec3 p[4] = {{0.0, 0.0, 0.0}};
    double size = 0.0;
    for (int k = 1; k < 4; ++k) {
        p[k] = vec_sub(points[k], points[0]);
        size = max_double(size, vec_max_abs(p[k]));
    }
    int exponent = 0;
    if (size > 1e50 || size < 1e-50) /* fourth powers of differences, and areas squared, are met */
        (void)frexp(size, &exponent);
    for (int k = 1; k < 4 && exponent != 0; ++k)
        p[k] = vec_make(ldexp(p[k].x, -exponent), ldexp(p[k].y, -exponent), ldexp(p[k].z, -exponent));
    const candidate c = kind == TACT_VERTEX_FACE ? vertex_face(p) : edge_edge(p);
    for (int k = 0; k < 4; ++k)
        weights[k] = c.weights[k];
    return vec_make(ldexp(c.apart.x, exponent), ldexp(c.apart.y, exponent), ldexp(c.apart.z, exponent));
}
