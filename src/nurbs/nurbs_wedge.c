#include "nurbs/nurbs_wedge.h"

#include <float.h>
#include <math.h>

#include "math/vec.h"

/* ---- control vectors ---- */

/* Relative to the first control point. */
static tact_vec3 local_point(const nurbs_vec4 *net, int i)
{
    const nurbs_vec4 p = net[i], o = net[0];
    const double f = p.w / o.w;
    return vec_make(p.x - f * o.x, p.y - f * o.y, p.z - f * o.z);
}

/* Is the vector with the index `across` of `last` + 1 in the direction across d at a pole that runs along d? */
static bool at_pole(int d, unsigned poles, int across, int last)
{
    const unsigned low = d == 0 ? 1u : 8u, high = d == 0 ? 4u : 2u;
    return ((poles & low) != 0 && across == 0) || ((poles & high) != 0 && across == last);
}

static void add_vector(control_vectors *out, tact_vec3 v, bool pole)
{
    if (!(pole && vec_max_abs(v) <= out->roundoff))
        out->items[out->count++] = v;
}

static void polynomial_vectors(const nurbs_vec4 *net, const int degree[2], int d, unsigned poles, control_vectors *out)
{
    const int n = degree[0] + 1, k = degree[1] + 1, step = d == 0 ? k : 1;
    for (int i = 0; i < n - (d == 0); i++)
        for (int j = 0; j < k - (d == 1); j++) {
            const nurbs_vec4 *p = net + i * k + j;
            const tact_vec3 v = vec_make(p[step].x - p->x, p[step].y - p->y, p[step].z - p->z);
            add_vector(out, v, at_pole(d, poles, d == 0 ? j : i, d == 0 ? k - 1 : n - 1));
        }
}

static void binomials(int n, double *out)
{
    out[0] = 1.0;
    for (int i = 1; i <= n; i++)
        out[i] = out[i - 1] * (n - i + 1) / i;
}

static void rational_vectors(const nurbs_vec4 *net, const int degree[2], int d, unsigned poles, control_vectors *out)
{
    /* `along` is d, `across` the other direction */
    const int p = degree[d], q = degree[1 - d], width = degree[1] + 1;
    const int along = d == 0 ? width : 1, across = d == 0 ? 1 : width;
    double bp[NURBS_MAX_ORDER], bd[NURBS_MAX_ORDER], bq[NURBS_MAX_ORDER], bpp[2 * NURBS_MAX_ORDER],
        bqq[2 * NURBS_MAX_ORDER];
    tact_vec3 local[BEZIER_MAX_NET];
    for (int i = 0; i < (p + 1) * (q + 1); i++)
        local[i] = local_point(net, i);
    binomials(p, bp), binomials(p - 1, bd), binomials(q, bq), binomials(2 * p - 1, bpp), binomials(2 * q, bqq);
    for (int k = 0; k <= 2 * p - 1; k++)
        for (int l = 0; l <= 2 * q; l++) {
            tact_vec3 sum = {0.0, 0.0, 0.0};
            for (int i = k > p ? k - p : 0; i <= p - 1 && i <= k; i++)
                for (int m = l > q ? l - q : 0; m <= q && m <= l; m++) {
                    const int low = i * along + m * across, other = (k - i) * along + (l - m) * across;
                    const tact_vec3 a = vec_sub(local[low + along], local[low]);
                    const double w = net[low + along].w - net[low].w;
                    const double weight = bd[i] * bp[k - i] / bpp[k] * (bq[m] * bq[l - m] / bqq[l]);
                    sum = vec_add(sum,
                                  vec_scale(vec_sub(vec_scale(a, net[other].w), vec_scale(local[other], w)), weight));
                }
            add_vector(out, sum, at_pole(d, poles, l, 2 * q));
        }
}

void tact_nurbs_control_vectors(const nurbs_vec4 *net, const int degree[2], bool rational, int d, unsigned poles,
                                double slack, control_vectors *out)
{
    out->count = 0;
    if (!rational) {
        out->roundoff = 2.0 * slack;
        polynomial_vectors(net, degree, d, poles, out);
        return;
    }
    double most = 0.0;
    for (int i = 0; i < (degree[0] + 1) * (degree[1] + 1); i++)
        most = max_double(most, net[i].w);
    out->roundoff = 16.0 * slack * most * most; /* four products of a point and a weight, and the sums */
    rational_vectors(net, degree, d, poles, out);
}

uint32_t tact_nurbs_vector_field(const control_vectors *vectors)
{
    const double face = 2.0 * vectors->roundoff, edge = 1.4143 * face, corner = 1.7321 * face;
    uint32_t field = vectors->count > 0 ? UINT32_MAX : 0;
    for (int i = 0; i < vectors->count && field != 0; i++) {
        const tact_vec3 v = vectors->items[i];
        /* the order of the directions in nurbs_bounds.h */
        const double products[NURBS_DIRECTIONS] = {
            v.x,       v.y,       v.z,       0.0, v.x + v.y + v.z, v.y + v.z - v.x, v.x - v.y + v.z, v.x + v.y - v.z,
            v.y + v.z, v.x + v.z, v.x + v.y, 0.0, v.y - v.z,       v.z - v.x,       v.x - v.y,       0.0};
        uint32_t above = 0, below = 0;
        for (int k = 0; k < NURBS_DIRECTIONS; k++) {
            const double limit = k < 4 ? face : k < 8 ? corner : edge;
            above |= (uint32_t)(products[k] > limit) << k;
            below |= (uint32_t)(products[k] < -limit) << k;
        }
        field &= above | below << NURBS_DIRECTIONS;
    }
    return field;
}

/* ---- directions and planes ---- */

/* Steps of both searches. Most that succeed need one or two. */
enum { SEARCH_STEPS = 12 };

/* The sum of the directions of the vectors, normalized. */
static tact_vec3 mean_direction(const control_vectors *v, double sign)
{
    tact_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < v->count; i++)
        sum = vec_add(sum, vec_normalize(v->items[i]));
    return vec_scale(vec_normalize(sum), sign);
}

/* Finds the vector, as a direction, that has the least product with e, unless all products are positive. */
static bool find_violation(const control_vectors *const sets[4], const double signs[4], tact_vec3 e, tact_vec3 *worst)
{
    bool violated = false;
    double least = INFINITY;
    for (int d = 0; d < 4; d++)
        for (int i = 0; sets[d] != NULL && i < sets[d]->count; i++) {
            const tact_vec3 x = vec_scale(sets[d]->items[i], signs[d]);
            const double product = vec_dot(x, e);
            if (product > 2.0 * sets[d]->roundoff)
                continue;
            const double length = vec_length(x);
            violated = true;
            if (!(product / length >= least)) {
                least = product / length;
                *worst = vec_scale(x, 1.0 / length);
            }
        }
    return violated;
}

bool tact_nurbs_common_direction(const control_vectors *const sets[4], const double signs[4])
{
    tact_vec3 e = {0.0, 0.0, 0.0}, worst = {0.0, 0.0, 0.0};
    for (int d = 0; d < 4; d++) {
        if (sets[d] == NULL)
            continue;
        if (sets[d]->count == 0)
            return false;
        e = vec_add(e, mean_direction(sets[d], signs[d]));
    }
    for (int step = 0; step < SEARCH_STEPS; step++) {
        const double length = vec_length(e);
        if (!(length > 0.0))
            return false;
        e = vec_scale(e, 1.0 / length);
        if (!find_violation(sets, signs, e, &worst))
            return true;
        e = vec_mul_add(e, 0.02 - 1.5 * vec_dot(worst, e), worst); /* to the right side of it */
    }
    return false;
}

static tact_vec3 control_point(const nurbs_vec4 *net, int i)
{
    return vec_make(net[i].x / net[i].w, net[i].y / net[i].w, net[i].z / net[i].w);
}

/* The control point with the largest product with a direction. */
static tact_vec3 farthest_point(const nurbs_vec4 *net, int count, tact_vec3 e)
{
    tact_vec3 best = control_point(net, 0);
    for (int i = 1; i < count; i++) {
        const tact_vec3 p = control_point(net, i);
        if (vec_dot(p, e) > vec_dot(best, e))
            best = p;
    }
    return best;
}

/* Gilbert 1966: v is a point of the difference of the hulls; it moves towards the farthest point against it. */
bool tact_nurbs_nets_apart(const nurbs_vec4 *a, int count_a, const nurbs_vec4 *b, int count_b, double slack)
{
    tact_vec3 v = {0.0, 0.0, 0.0};
    for (int i = 0; i < count_b; i++)
        v = vec_mul_add(v, 1.0 / (count_b * b[i].w), vec_make(b[i].x, b[i].y, b[i].z));
    for (int i = 0; i < count_a; i++)
        v = vec_mul_add(v, -1.0 / (count_a * a[i].w), vec_make(a[i].x, a[i].y, a[i].z));
    for (int step = 0; step < SEARCH_STEPS; step++) {
        const double length = vec_length(v);
        if (!(length > 0.0))
            return false;
        const tact_vec3 e = vec_scale(v, 1.0 / length);
        const tact_vec3 w = vec_sub(farthest_point(b, count_b, vec_negate(e)), farthest_point(a, count_a, e));
        if (vec_dot(w, e) > slack)
            return true;
        const tact_vec3 d = vec_sub(w, v); /* the closest point to the origin on the segment v w */
        const double square = vec_length_squared(d), along = -vec_dot(v, d);
        if (!(along > 0.0 && square > 0.0))
            return false;
        v = vec_mul_add(v, along < square ? along / square : 1.0, d);
    }
    return false;
}
