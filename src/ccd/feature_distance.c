/*
 * Closest points of features: see the header.
 *
 * Vertex-face: the projection onto the plane if it is in the triangle, otherwise the closest point of the three edges.
 * Edge-edge: the feet of the common perpendicular if they are inside both, otherwise the closest of the four end points
 * with the other edge. Each candidate is a pair of points of the features, made with clamped weights, and the closest
 * of all candidates wins: a projection that rounding or a degenerate triangle has spoiled loses. All is computed from
 * differences, scaled so that squares neither overflow nor vanish.
 */
#include "ccd/feature_distance.h"

#include "ccd/ccd_constants.h"
#include "math/vec.h"

typedef struct distance_candidate {
    double weights[4];
    tact_vec3 difference;
    double square;
} distance_candidate;

static tact_vec3 between(tact_ccd_kind kind, const tact_vec3 p[4], const double w[4])
{
    const double first = kind == TACT_VERTEX_FACE ? -w[1] : w[1];
    tact_vec3 d = vec_scale(p[0], w[0]);
    d = vec_mul_add(d, first, p[1]);
    d = vec_mul_add(d, -w[2], p[2]);
    return vec_mul_add(d, -w[3], p[3]);
}

static void add_candidate(distance_candidate *best, tact_ccd_kind kind, const tact_vec3 p[4], double w0, double w1,
                          double w2, double w3)
{
    distance_candidate c = {.weights = {w0, w1, w2, w3}};
    c.difference = between(kind, p, c.weights);
    c.square = vec_length_squared(c.difference);
    if (c.square < best->square)
        *best = c;
}

/* The parameter of the point of the edge from a to b closest to p: 0 at a, 1 at b. */
static double closest_parameter(tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 ab = vec_sub(b, a);
    const double length = vec_length_squared(ab), projection = vec_dot(vec_sub(p, a), ab);
    return !(projection > 0.0) ? 0.0 : projection >= length ? 1.0 : projection / length;
}

static distance_candidate vertex_face(const tact_vec3 p[4])
{
    distance_candidate best = {.square = HUGE_VAL};
    for (int k = 0; k < 3; ++k) {
        const int i = 1 + k, j = 1 + (k + 1) % 3;
        double w[4] = {1.0, 0.0, 0.0, 0.0};
        w[j] = closest_parameter(p[0], p[i], p[j]);
        w[i] = 1.0 - w[j];
        add_candidate(&best, TACT_VERTEX_FACE, p, w[0], w[1], w[2], w[3]);
    }
    const tact_vec3 ab = vec_sub(p[2], p[1]), ac = vec_sub(p[3], p[1]), ap = vec_sub(p[0], p[1]);
    const tact_vec3 n = vec_cross(ab, ac);
    const double area = vec_length_squared(n);
    const double v = vec_dot(vec_cross(ap, ac), n), w = vec_dot(vec_cross(ab, ap), n);
    if (area > 0.0 && v >= 0.0 && w >= 0.0 && v + w <= area)
        add_candidate(&best, TACT_VERTEX_FACE, p, 1.0, max_double(0.0, (area - v - w) / area), v / area, w / area);
    return best;
}

static distance_candidate edge_edge(const tact_vec3 p[4])
{
    distance_candidate best = {.square = HUGE_VAL};
    for (int k = 0; k < 2; ++k) {
        const double s = closest_parameter(p[k], p[2], p[3]), t = closest_parameter(p[2 + k], p[0], p[1]);
        add_candidate(&best, TACT_EDGE_EDGE, p, k == 0 ? 1.0 : 0.0, k == 0 ? 0.0 : 1.0, 1.0 - s, s);
        add_candidate(&best, TACT_EDGE_EDGE, p, 1.0 - t, t, k == 0 ? 1.0 : 0.0, k == 0 ? 0.0 : 1.0);
    }
    const tact_vec3 u = vec_sub(p[1], p[0]), v = vec_sub(p[3], p[2]), r = vec_sub(p[2], p[0]);
    const tact_vec3 n = vec_cross(u, v);
    const double area = vec_length_squared(n), s = vec_dot(vec_cross(r, v), n), t = vec_dot(vec_cross(r, u), n);
    if (area > 0.0 && s >= 0.0 && s <= area && t >= 0.0 && t <= area)
        add_candidate(&best, TACT_EDGE_EDGE, p, 1.0 - s / area, s / area, 1.0 - t / area, t / area);
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
    if (size > FEATURE_DISTANCE_MAX_SIZE || size < FEATURE_DISTANCE_MIN_SIZE)
        (void)frexp(size, &exponent);
    for (int k = 1; k < 4 && exponent != 0; ++k)
        p[k] = vec_make(ldexp(p[k].x, -exponent), ldexp(p[k].y, -exponent), ldexp(p[k].z, -exponent));
    const distance_candidate c = kind == TACT_VERTEX_FACE ? vertex_face(p) : edge_edge(p);
    for (int k = 0; k < 4; ++k)
        weights[k] = c.weights[k];
    return vec_make(ldexp(c.difference.x, exponent), ldexp(c.difference.y, exponent), ldexp(c.difference.z, exponent));
}
