/*
 * Fitting oriented bounding boxes (Gottschalk, Lin and Manocha, OBBTree, 1996).
 *
 * Guarantee: all points are inside, rounding included. Projections use the axes after rounding to floats; they are
 * computed in doubles for a triangle and in floats, four points at a time, for many points. The boxes are expanded by
 * the error bound of that.
 *
 * Method: the axes are the eigenvectors of the covariance matrix of the points, found by the Jacobi method; if the box
 * along the coordinate axes has a smaller surface area, it is used instead. We depart from the paper in that we take
 * the covariance of the vertices, not of the convex hull: it is as good for patches of triangles of even size and an
 * order of magnitude cheaper, because moments are summed bottom-up. A single triangle uses an edge and its normal.
 */
#include "bounds/obb.h"

#include "bounds/bounds_constants.h"
#include "bounds/sat4.h"
#include "math/vec.h"

/* Diagonalizes the symmetric matrix m by the cyclic Jacobi method; the rows of v become its eigenvectors. Unlike
 * tact_sym3_eigen it stops at OBB_AXIS_TOLERANCE, which is all that a bounding box needs. */
static void diagonalize(double m[3][3], double v[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            v[i][k] = i == k ? 1.0 : 0.0;
    for (int sweep = 0; sweep < OBB_JACOBI_SWEEPS; ++sweep) {
        double off = fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]);
        double on = fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2]);
        if (!(off > OBB_AXIS_TOLERANCE * on))
            return;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (m[p][q] == 0.0)
                    continue;
                double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b;
                    m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) {
                    double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b;
                    m[q][k] = s * a + c * b;
                    a = v[p][k], b = v[q][k];
                    v[p][k] = c * a - s * b;
                    v[q][k] = s * a + c * b;
                }
            }
    }
}

/* The intervals of the points along three axes. */
typedef struct obb_extents {
    double low[3], high[3];
} obb_extents;

static double half_area(const obb_extents *e)
{
    double x = e->high[0] - e->low[0], y = e->high[1] - e->low[1], z = e->high[2] - e->low[2];
    return x * y + y * z + z * x;
}

static obb unbounded(void)
{
    return (obb){{{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}},
                 {0.0f, 0.0f, 0.0f},
                 {INFINITY, INFINITY, INFINITY}};
}

/* Rounds the axes to floats. Returns whether they are orthonormal: not if they come from numbers out of range. */
static bool round_axes(const double v[3][3], float axes[3][3])
{
    bool orthonormal = true;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            axes[i][k] = (float)v[i][k];
            if (!(fabsf(axes[i][k]) >= FLT_MIN)) /* subnormals, which might be flushed later, and NaN */
                axes[i][k] = 0.0f;
        }
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k) {
            double dot = i == k ? -1.0 : 0.0;
            for (int c = 0; c < 3; ++c)
                dot += (double)axes[i][c] * (double)axes[k][c];
            orthonormal = orthonormal && fabs(dot) <= OBB_AXIS_ERROR;
        }
    return orthonormal;
}

/* Sets centre and half extents of a box whose axes are set. `error`: the relative error of the projections. */
static void set_extents(obb *b, const obb_extents *e, const double largest[3], double error)
{
    double size = 16.0 * (double)FLT_MIN / error; /* coordinates and products that were flushed to 0 */
    for (int k = 0; k < 3; ++k) {
        double x = 0.0;
        for (int i = 0; i < 3; ++i)
            x += 0.5 * (e->low[i] + e->high[i]) * (double)b->axis[i][k];
        b->centre[k] = fabs(x) >= (double)FLT_MIN ? (float)x : 0.0f;
        size += largest[k] + fabs((double)b->centre[k]);
    }
    for (int i = 0; i < 3; ++i) {
        double at = 0.0;
        for (int k = 0; k < 3; ++k)
            at += (double)b->axis[i][k] * (double)b->centre[k];
        double up = e->high[i] - at, down = at - e->low[i];
        b->half[i] = tact_float_round_up((up > down ? up : down) + error * size);
    }
}

static obb_extents project_triangle(const double p[3][3], float axes[3][3])
{
    obb_extents e;
    for (int i = 0; i < 3; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = (double)axes[i][0] * p[k][0] + (double)axes[i][1] * p[k][1] + (double)axes[i][2] * p[k][2];
        double low = x[0] < x[1] ? x[0] : x[1], high = x[0] < x[1] ? x[1] : x[0];
        e.low[i] = low < x[2] ? low : x[2];
        e.high[i] = high > x[2] ? high : x[2];
    }
    return e;
}

/* Axes along an edge and a normal, both of any length; without a reliable normal, any axes along the edge. Returns
 * false if the edge has no reliable direction. */
static bool axes_along(tact_vec3 edge, tact_vec3 normal, float axes[3][3])
{
    const double edge2 = vec_length_squared(edge), normal2 = vec_length_squared(normal);
    if (!(edge2 > OBB_MIN_EDGE_SQUARED))
        return false;
    const tact_vec3 x = vec_scale(edge, 1.0 / sqrt(edge2));
    tact_vec3 y, z = vec_mul_add(normal, -vec_dot(normal, x), x);
    const double z2 = vec_length_squared(z);
    if (z2 > OBB_MIN_NORMAL_SQUARED * edge2 * edge2 && z2 > OBB_MIN_NORMAL_SQUARED * normal2) {
        z = vec_scale(z, 1.0 / sqrt(z2));
        y = vec_cross(z, x);
    } else {
        vec_tangent_basis(x, &y, &z);
    }
    const double v[3][3] = {{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}};
    return round_axes(v, axes);
}

TACT_FORCE_INLINE float horizontal_min(__m128 v)
{
    v = _mm_min_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_min_ss(v, _mm_shuffle_ps(v, v, 1)));
}

TACT_FORCE_INLINE float horizontal_max(__m128 v)
{
    v = _mm_max_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_max_ss(v, _mm_shuffle_ps(v, v, 1)));
}

/* In floats: with the error OBB_FLOAT_PROJECTION_ERROR. */
static obb_extents project_points(const obb_points *points, size_t first, size_t count, float axes[3][3])
{
    __m128 low[3], high[3], axis[3][3];
    for (int i = 0; i < 3; ++i) {
        low[i] = _mm_set1_ps(INFINITY);
        high[i] = _mm_set1_ps(-INFINITY);
        for (int k = 0; k < 3; ++k)
            axis[i][k] = _mm_set1_ps(axes[i][k]);
    }
    for (size_t j = 0; j < count; j += 4) {
        /* at the end the last four again; with fewer than four points the padding is read */
        const size_t at = first + (j + 4 <= count ? j : count >= 4 ? count - 4 : 0);
        __m128 x = _mm_loadu_ps(points->x + at), y = _mm_loadu_ps(points->y + at), z = _mm_loadu_ps(points->z + at);
        if (count < 4) { /* replace the padding by the first point */
            const __m128i lane = _mm_setr_epi32(0, 1, 2, 3);
            const __m128 used = _mm_castsi128_ps(_mm_cmplt_epi32(lane, _mm_set1_epi32((int)count)));
            x = _mm_or_ps(_mm_and_ps(used, x), _mm_andnot_ps(used, SPLAT(x, 0)));
            y = _mm_or_ps(_mm_and_ps(used, y), _mm_andnot_ps(used, SPLAT(y, 0)));
            z = _mm_or_ps(_mm_and_ps(used, z), _mm_andnot_ps(used, SPLAT(z, 0)));
        }
        TACT_UNROLL_3
        for (int i = 0; i < 3; ++i) {
            const __m128 along =
                _mm_add_ps(_mm_add_ps(_mm_mul_ps(axis[i][0], x), _mm_mul_ps(axis[i][1], y)), _mm_mul_ps(axis[i][2], z));
            low[i] = _mm_min_ps(low[i], along);
            high[i] = _mm_max_ps(high[i], along);
        }
    }
    obb_extents e;
    for (int i = 0; i < 3; ++i) {
        e.low[i] = (double)horizontal_min(low[i]);
        e.high[i] = (double)horizontal_max(high[i]);
    }
    return e;
}

/* The extents and the largest coordinates of an axis-aligned box. Returns false if they are out of range. */
static bool aabb_extents(const box *aabb, obb_extents *e, double largest[3])
{
    bool usable = true;
    for (int k = 0; k < 3; ++k) {
        e->low[k] = (double)aabb->min[k];
        e->high[k] = (double)aabb->max[k];
        largest[k] = max_double(-e->low[k], e->high[k]);
        usable = usable && fabs(e->low[k]) < BOUNDS_MAX_COORDINATE && fabs(e->high[k]) < BOUNDS_MAX_COORDINATE;
    }
    return usable;
}

/* The box along `axes`, if these are valid (`oriented`), or along the coordinate axes: the one with less area. */
static obb smaller_box(const obb_points *points, size_t first, size_t count, bool oriented, float axes[3][3],
                       obb_extents e, const double largest[3])
{
    obb b = unbounded();
    if (oriented) {
        const obb_extents along = project_points(points, first, count, axes);
        if (half_area(&along) < half_area(&e)) {
            memcpy(b.axis, axes, sizeof b.axis);
            e = along;
        }
    }
    set_extents(&b, &e, largest, OBB_FLOAT_PROJECTION_ERROR);
    return b;
}

obb tact_obb_of_triangle(const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const double p[3][3] = {{a->x, a->y, a->z}, {b->x, b->y, b->z}, {c->x, c->y, c->z}};
    obb result = unbounded();
    double largest[3];
    obb_extents best;
    for (int k = 0; k < 3; ++k) {
        best.low[k] = p[0][k] < p[1][k] ? p[0][k] : p[1][k];
        best.high[k] = p[0][k] < p[1][k] ? p[1][k] : p[0][k];
        best.low[k] = best.low[k] < p[2][k] ? best.low[k] : p[2][k];
        best.high[k] = best.high[k] > p[2][k] ? best.high[k] : p[2][k];
        largest[k] = max_double(-best.low[k], best.high[k]);
        if (!(fabs(p[0][k]) < BOUNDS_MAX_COORDINATE && fabs(p[1][k]) < BOUNDS_MAX_COORDINATE &&
              fabs(p[2][k]) < BOUNDS_MAX_COORDINATE))
            return result;
    }
    const tact_vec3 ab = vec_sub(*b, *a), bc = vec_sub(*c, *b), ca = vec_sub(*a, *c);
    const double ab2 = vec_length_squared(ab), bc2 = vec_length_squared(bc), ca2 = vec_length_squared(ca);
    const tact_vec3 edge = ab2 > bc2 && ab2 > ca2 ? ab : bc2 > ca2 ? bc : ca, normal = vec_cross(ab, bc);
    float axes[3][3];
    bool oriented = axes_along(edge, normal, axes);
    if (oriented) {
        const obb_extents e = project_triangle(p, axes);
        oriented = half_area(&e) < half_area(&best);
        if (oriented) {
            memcpy(result.axis, axes, sizeof axes);
            best = e;
        }
    }
    set_extents(&result, &best, largest, 4.0 * OBB_PROJECTION_ERROR);
    return result;
}

obb tact_obb_of_patch(const obb_points *points, size_t first, size_t count, tact_vec3 edge, tact_vec3 normal,
                      const box *aabb)
{
    obb_extents e;
    double largest[3];
    float axes[3][3];
    if (count == 0 || !aabb_extents(aabb, &e, largest))
        return unbounded();
    const bool oriented = axes_along(edge, normal, axes);
    return smaller_box(points, first, count, oriented, axes, e, largest);
}

obb tact_obb_of_points(const obb_points *points, size_t first, size_t count, const obb_moments *moments,
                       const box *aabb)
{
    obb_extents e;
    double largest[3];
    const double n = moments->count, *s = moments->sum, *q = moments->product;
    if (count == 0 || !aabb_extents(aabb, &e, largest) || !(fabs(s[0]) + fabs(s[1]) + fabs(s[2]) < INFINITY))
        return unbounded();
    const double xy = q[3] - s[0] * s[1] / n, xz = q[4] - s[0] * s[2] / n, yz = q[5] - s[1] * s[2] / n;
    double v[3][3], m[3][3] = {{q[0] - s[0] * s[0] / n, xy, xz},
                               {xy, q[1] - s[1] * s[1] / n, yz},
                               {xz, yz, q[2] - s[2] * s[2] / n}};
    float axes[3][3];
    diagonalize(m, v);
    const bool oriented = round_axes((const double(*)[3])v, axes);
    return smaller_box(points, first, count, oriented, axes, e, largest);
}
