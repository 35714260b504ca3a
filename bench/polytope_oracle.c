/*
 * Two algorithms that share only the transformed vertices:
 *  - tact_oracle_distance: closest points of the hulls by iterated support points. Each step solves all subsets of at
 *    most four points of the Minkowski difference by Cramer's rule and takes the closest feasible one, without case
 *    distinctions. The answer is then proved independently of the iteration: separation by the projections of all
 *    vertices on the normal; overlap by four points of the difference with positive barycentric coordinates of the
 *    origin. Without a proof the result is ORACLE_UNDECIDED.
 *  - tact_oracle_separation: all candidate axes. O(E_a E_b (V_a + V_b)).
 * Long double has a 64-bit mantissa on x86, about 2000 times the precision of the checked answers.
 */
#include "polytope_oracle.h"

#include <math.h>
#include <stdlib.h>

/* Limit after which the result is undecided; the pairs of the races need at most about 40. */
#define ORACLE_MAX_ITERATIONS 500

/* The iteration ends when the bounds of the squared distance agree to this factor: some ulps of long double. */
#define ORACLE_TOLERANCE 1e-17L

static oracle_vec sub(oracle_vec a, oracle_vec b) { return (oracle_vec){a.x - b.x, a.y - b.y, a.z - b.z}; }

static long double dot(oracle_vec a, oracle_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static oracle_vec cross(oracle_vec a, oracle_vec b)
{
    return (oracle_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static oracle_vec scale(oracle_vec a, long double s) { return (oracle_vec){a.x * s, a.y * s, a.z * s}; }

bool tact_oracle_transform(oracle_polytope *polytope, const solid *s, const tact_transform *at)
{
    if (polytope->capacity < s->vertex_count) {
        oracle_vec *points = realloc(polytope->points, (size_t)s->vertex_count * sizeof *points);
        if (!points)
            return false;
        polytope->points = points;
        polytope->capacity = s->vertex_count;
    }
    polytope->count = s->vertex_count;
    for (int i = 0; i < s->vertex_count; i++) {
        long double x = s->vertices[i].x, y = s->vertices[i].y, z = s->vertices[i].z;
        polytope->points[i].x = at->x_axis.x * x + at->y_axis.x * y + at->z_axis.x * z + at->origin.x;
        polytope->points[i].y = at->x_axis.y * x + at->y_axis.y * y + at->z_axis.y * z + at->origin.y;
        polytope->points[i].z = at->x_axis.z * x + at->y_axis.z * y + at->z_axis.z * z + at->origin.z;
    }
    return true;
}

void tact_oracle_release(oracle_polytope *polytope)
{
    free(polytope->points);
    *polytope = (oracle_polytope){0};
}

/* The vertex farthest along `direction`. */
static oracle_vec farthest(const oracle_polytope *c, oracle_vec direction)
{
    int best = 0;
    long double most = dot(c->points[0], direction);
    for (int i = 1; i < c->count; i++) {
        long double along = dot(c->points[i], direction);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return c->points[best];
}

/* The point of B - A that is lowest along v. */
static oracle_vec lowest(const oracle_polytope *a, const oracle_polytope *b, oracle_vec v)
{
    return sub(farthest(b, scale(v, -1.0L)), farthest(a, v));
}

static long double det3(long double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Barycentric coordinates of the point of the affine hull of `count` points closest to the origin. Returns false unless
 * all are positive. */
static bool nearest_weights(const oracle_vec *p, int count, long double weight[4])
{
    oracle_vec e[3] = {{0}};
    for (int i = 1; i < count; i++)
        e[i - 1] = sub(p[i], p[0]);
    int n = count - 1;
    long double det = 1.0L, lambda[3] = {0};
    if (n == 3) {
        /* Cramer's rule on the edges: p0 + sum lambda e = 0 */
        long double m[3][3] = {{e[0].x, e[1].x, e[2].x}, {e[0].y, e[1].y, e[2].y}, {e[0].z, e[1].z, e[2].z}};
        long double right[3] = {-p[0].x, -p[0].y, -p[0].z};
        det = det3(m);
        for (int k = 0; k < 3; k++) {
            long double copy[3][3];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++)
                    copy[i][j] = j == k ? right[i] : m[i][j];
            }
            lambda[k] = det3(copy);
        }
    } else if (n == 2) {
        long double aa = dot(e[0], e[0]), ab = dot(e[0], e[1]), bb = dot(e[1], e[1]);
        long double ra = -dot(e[0], p[0]), rb = -dot(e[1], p[0]);
        det = aa * bb - ab * ab;
        lambda[0] = ra * bb - rb * ab;
        lambda[1] = aa * rb - ab * ra;
    } else if (n == 1) {
        det = dot(e[0], e[0]);
        lambda[0] = -dot(e[0], p[0]);
    }
    if (det == 0.0L)
        return false;
    weight[0] = 1.0L;
    for (int i = 0; i < n; i++) {
        weight[i + 1] = lambda[i] / det;
        weight[0] -= weight[i + 1];
    }
    for (int i = 0; i < count; i++) {
        if (!(weight[i] > 0.0L))
            return false;
    }
    return true;
}

/* Replaces `p` by its subset whose hull is closest to the origin, and `v` by the closest point. */
static int reduce(oracle_vec *p, int count, oracle_vec *v)
{
    int best = 0;
    long double least = INFINITY;
    for (int set = 1; set < 1 << count; set++) {
        oracle_vec q[4];
        long double weight[4];
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (set & 1 << i)
                q[n++] = p[i];
        }
        if (!nearest_weights(q, n, weight))
            continue;
        oracle_vec point = {0};
        for (int i = 0; i < n && n < 4; i++) { /* four: the origin itself */
            point.x += weight[i] * q[i].x;
            point.y += weight[i] * q[i].y;
            point.z += weight[i] * q[i].z;
        }
        long double squared_length = dot(point, point);
        if (squared_length < least) {
            least = squared_length;
            best = set;
            *v = point;
        }
    }
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (best & 1 << i)
            p[n++] = p[i];
    }
    return n;
}

oracle_result tact_oracle_distance(const oracle_polytope *a, const oracle_polytope *b, const oracle_vec *axis)
{
    oracle_result result = {.overlap = ORACLE_UNDECIDED};
    oracle_vec simplex[4];
    oracle_vec v = axis ? *axis : (oracle_vec){1.0L, 0.0L, 0.0L};
    simplex[0] = v = lowest(a, b, v);
    int count = 1;
    for (int step = 0; step < ORACLE_MAX_ITERATIONS; step++) {
        long double squared_length = dot(v, v);
        if (squared_length == 0.0L)
            break;
        oracle_vec w = lowest(a, b, v);
        long double support = dot(v, w);
        if (squared_length - support <= ORACLE_TOLERANCE * squared_length)
            break;
        bool seen = false;
        for (int i = 0; i < count; i++)
            seen = seen || (simplex[i].x == w.x && simplex[i].y == w.y && simplex[i].z == w.z);
        if (seen)
            break;
        simplex[count++] = w;
        count = reduce(simplex, count, &v);
        if (count == 4 || count == 0)
            break;
    }
    if (count == 4) {
        long double weight[4];
        if (nearest_weights(simplex, 4, weight))
            result.overlap = ORACLE_OVERLAP;
        return result;
    }
    long double length = sqrtl(dot(v, v));
    if (!(length > 0.0L))
        return result;
    oracle_vec normal = scale(v, 1.0L / length);
    long double lower = dot(normal, lowest(a, b, normal)); /* over all vertices of both */
    if (lower > 0.0L)
        result = (oracle_result){ORACLE_APART, length, lower, normal};
    return result;
}

bool tact_oracle_separates(const oracle_polytope *a, const oracle_polytope *b, oracle_vec normal)
{
    return dot(normal, lowest(a, b, normal)) > 0.0L;
}

/* The separation along an axis in either direction; the axis need not be unit. */
static long double gap_along(const oracle_polytope *a, const oracle_polytope *b, oracle_vec n)
{
    long double length = sqrtl(dot(n, n));
    if (!(length > 1e-12L)) /* parallel edges: a face normal covers this case */
        return -INFINITY;
    n = scale(n, 1.0L / length);
    long double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
    for (int i = 0; i < a->count; i++) {
        long double along = dot(a->points[i], n);
        low_a = along < low_a ? along : low_a;
        high_a = along > high_a ? along : high_a;
    }
    for (int i = 0; i < b->count; i++) {
        long double along = dot(b->points[i], n);
        low_b = along < low_b ? along : low_b;
        high_b = along > high_b ? along : high_b;
    }
    return low_b - high_a > low_a - high_b ? low_b - high_a : low_a - high_b;
}

long double tact_oracle_separation(const solid *a, const oracle_polytope *transform_a, const solid *b,
                                   const oracle_polytope *transform_b)
{
    long double best = -INFINITY;
    const solid *solids[2] = {a, b};
    const oracle_polytope *polytopes[2] = {transform_a, transform_b};
    for (int side = 0; side < 2; side++) {
        const oracle_vec *p = polytopes[side]->points;
        for (int f = 0; f < solids[side]->face_count; f++) {
            const int *face = solids[side]->faces[f];
            long double gap =
                gap_along(transform_a, transform_b, cross(sub(p[face[1]], p[face[0]]), sub(p[face[2]], p[face[0]])));
            best = gap > best ? gap : best;
        }
    }
    for (int f = 0; f < 3 * a->face_count; f++) {
        int from = a->faces[f / 3][f % 3], to = a->faces[f / 3][(f % 3 + 1) % 3];
        if (from > to) /* each edge belongs to two faces, once in each direction */
            continue;
        oracle_vec edge = sub(transform_a->points[to], transform_a->points[from]);
        for (int g = 0; g < 3 * b->face_count; g++) {
            int start = b->faces[g / 3][g % 3], end = b->faces[g / 3][(g % 3 + 1) % 3];
            if (start > end)
                continue;
            long double gap = gap_along(transform_a, transform_b,
                                        cross(edge, sub(transform_b->points[end], transform_b->points[start])));
            best = gap > best ? gap : best;
        }
    }
    return best;
}
