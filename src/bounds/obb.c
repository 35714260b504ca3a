/*
 * Fitting oriented boxes (Gottschalk, Lin and Manocha, OBBTree, 1996): the principal axes of the points by Jacobi's
 * method, compared with the axes of the coordinates, which are better for what is built along them. The paper takes the
 * covariance of the hull; that of the corners is as good for patches of even triangles, and an order cheaper: sums that
 * are added up from below. A single triangle needs no such search.
 *
 * Guarantees: all points are inside, rounding included. Projections are computed with axes that already are floats, in
 * doubles for a triangle and in floats, four points at once, for many; boxes are widened by the rounding bound of that.
 */
#include "bounds/obb.h"

#include "bounds/sat4.h"
#include "math/vec.h"

#define SWEEPS 6 /* of Jacobi's method, which converges quadratically: 4 do for three by three; it may end earlier */

/* Relative: axes may be off by so much. What is then inside holds for the axes as they are. */
#define GOOD_AXES 1e-3

/* Above this the squares of coordinates, or their float products later on, might overflow. */
#define LARGEST 0x1p60

/* Squares of lengths below this are not trusted with a direction. */
#define SQUARE_LEAST 1e-200

/* Relative square of the normal of a triangle that is too thin to have one. */
#define THINNEST 1e-20

/* A projection of a point: three products and sums of numbers that are exact, in any rounding mode. */
#define PROJECTION_ROUNDING (6.0 * DBL_EPSILON)

/* Likewise in floats, the rounding of the coordinates and of the sum of the bounds included. */
#define FLOAT_PROJECTION_ROUNDING (8.0 * (double)FLT_EPSILON)

/* Turns m, symmetric, until it is diagonal; the rows of v are then its axes. */
static void diagonalise(double m[3][3], double v[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            v[i][k] = i == k ? 1.0 : 0.0;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double off = fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]);
        double on = fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2]);
        if (!(off > GOOD_AXES * on))
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

/* The extents of the points along three axes. */
typedef struct extents {
    double low[3], high[3];
} extents;

static double half_area(const extents *e)
{
    double x = e->high[0] - e->low[0], y = e->high[1] - e->low[1], z = e->high[2] - e->low[2];
    return x * y + y * z + z * x;
}

static obb no_bounds(void)
{
    return (obb){{{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}},
                 {0.0f, 0.0f, 0.0f},
                 {INFINITY, INFINITY, INFINITY}};
}

/* As floats; are they still perpendicular and of length 1? Not if they came from numbers out of range. */
static bool round_axes(const double v[3][3], float axes[3][3])
{
    bool unit = true;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            axes[i][k] = (float)v[i][k];
            if (!(fabsf(axes[i][k]) >= FLT_MIN)) /* subnormals may be flushed later: now or never; NaN too */
                axes[i][k] = 0.0f;
        }
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k) {
            double dot = i == k ? -1.0 : 0.0;
            for (int c = 0; c < 3; ++c)
                dot += (double)axes[i][c] * (double)axes[k][c];
            unit = unit && fabs(dot) <= OBB_AXIS_ERROR;
        }
    return unit;
}

/* The box with these extents along its axes, which are set, and `rounding` of the coordinates more. */
static void set_extents(obb *b, const extents *e, const double largest[3], double rounding)
{
    double size = 16.0 * (double)FLT_MIN / rounding; /* coordinates and products that were flushed to 0 */
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
        b->half[i] = tact_float_round_up((up > down ? up : down) + rounding * size);
    }
}

/* The extents of three points along three axes. */
static extents project_triangle(const double p[3][3], float axes[3][3])
{
    extents e;
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

/* Axes along an edge and across a normal, both of any length; of what has no normal, along the edge. False: it has no
 * length either. */
static bool axes_along(tact_vec3 edge, tact_vec3 normal, float axes[3][3])
{
    const double most = vec_length_squared(edge), normal2 = vec_length_squared(normal);
    if (!(most > SQUARE_LEAST))
        return false;
    const tact_vec3 x = vec_scale(edge, 1.0 / sqrt(most));
    tact_vec3 y, z = vec_mul_add(normal, -vec_dot(normal, x), x);
    const double left = vec_length_squared(z);
    if (left > THINNEST * most * most && left > THINNEST * normal2) {
        z = vec_scale(z, 1.0 / sqrt(left));
        y = vec_cross(z, x);
    } else {
        vec_tangent_basis(x, &y, &z);
    }
    const double v[3][3] = {{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}};
    return round_axes(v, axes);
}

obb tact_obb_of_triangle(const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c)
{
    const double p[3][3] = {{a->x, a->y, a->z}, {b->x, b->y, b->z}, {c->x, c->y, c->z}};
    obb result = no_bounds();
    double largest[3];
    extents plain;
    for (int k = 0; k < 3; ++k) {
        plain.low[k] = p[0][k] < p[1][k] ? p[0][k] : p[1][k];
        plain.high[k] = p[0][k] < p[1][k] ? p[1][k] : p[0][k];
        plain.low[k] = plain.low[k] < p[2][k] ? plain.low[k] : p[2][k];
        plain.high[k] = plain.high[k] > p[2][k] ? plain.high[k] : p[2][k];
        largest[k] = max_double(-plain.low[k], plain.high[k]);
        if (!(fabs(p[0][k]) < LARGEST && fabs(p[1][k]) < LARGEST && fabs(p[2][k]) < LARGEST))
            return result;
    }
    /* along the longest edge, and across the triangle; what has no area keeps the plain axes, or its longest edge */
    const tact_vec3 ab = vec_sub(*b, *a), bc = vec_sub(*c, *b), ca = vec_sub(*a, *c);
    const double ab2 = vec_length_squared(ab), bc2 = vec_length_squared(bc), ca2 = vec_length_squared(ca);
    const tact_vec3 edge = ab2 > bc2 && ab2 > ca2 ? ab : bc2 > ca2 ? bc : ca, across = vec_cross(ab, bc);
    float axes[3][3];
    bool turned = axes_along(edge, across, axes);
    if (turned) {
        const extents e = project_triangle(p, axes);
        turned = half_area(&e) < half_area(&plain);
        if (turned) {
            memcpy(result.axis, axes, sizeof axes);
            plain = e;
        }
    }
    set_extents(&result, &plain, largest, 4.0 * PROJECTION_ROUNDING);
    return result;
}

TACT_FORCE_INLINE float least_of(simde__m128 v)
{
    v = simde_mm_min_ps(v, simde_mm_movehl_ps(v, v));
    return simde_mm_cvtss_f32(simde_mm_min_ss(v, simde_mm_shuffle_ps(v, v, 1)));
}

TACT_FORCE_INLINE float most_of(simde__m128 v)
{
    v = simde_mm_max_ps(v, simde_mm_movehl_ps(v, v));
    return simde_mm_cvtss_f32(simde_mm_max_ss(v, simde_mm_shuffle_ps(v, v, 1)));
}

/* The extents of many points along three axes, up to the rounding of floats. */
static extents project_points(const obb_points *points, size_t first, size_t count, float axes[3][3])
{
    simde__m128 low[3], high[3], axis[3][3];
    for (int i = 0; i < 3; ++i) {
        low[i] = simde_mm_set1_ps(INFINITY);
        high[i] = simde_mm_set1_ps(-INFINITY);
        for (int k = 0; k < 3; ++k)
            axis[i][k] = simde_mm_set1_ps(axes[i][k]);
    }
    for (size_t j = 0; j < count; j += 4) {
        /* past the end the last four again: there are at least four, or room behind them that is not used */
        const size_t at = first + (j + 4 <= count ? j : count >= 4 ? count - 4 : 0);
        simde__m128 x = simde_mm_loadu_ps(points->x + at), y = simde_mm_loadu_ps(points->y + at),
                    z = simde_mm_loadu_ps(points->z + at);
        if (count < 4) { /* the first instead of what is not there */
            const simde__m128i lane = simde_mm_setr_epi32(0, 1, 2, 3);
            const simde__m128 there =
                simde_mm_castsi128_ps(simde_mm_cmplt_epi32(lane, simde_mm_set1_epi32((int)count)));
            x = simde_mm_or_ps(simde_mm_and_ps(there, x), simde_mm_andnot_ps(there, SPLAT(x, 0)));
            y = simde_mm_or_ps(simde_mm_and_ps(there, y), simde_mm_andnot_ps(there, SPLAT(y, 0)));
            z = simde_mm_or_ps(simde_mm_and_ps(there, z), simde_mm_andnot_ps(there, SPLAT(z, 0)));
        }
        TACT_UNROLL_3
        for (int i = 0; i < 3; ++i) {
            const simde__m128 along =
                simde_mm_add_ps(simde_mm_add_ps(simde_mm_mul_ps(axis[i][0], x), simde_mm_mul_ps(axis[i][1], y)),
                                simde_mm_mul_ps(axis[i][2], z));
            low[i] = simde_mm_min_ps(low[i], along);
            high[i] = simde_mm_max_ps(high[i], along);
        }
    }
    extents e;
    for (int i = 0; i < 3; ++i) {
        e.low[i] = (double)least_of(low[i]);
        e.high[i] = (double)most_of(high[i]);
    }
    return e;
}

/* The extents and the largest coordinates of a plain box; false if these are out of range. */
static bool plain_extents(const box *plain, extents *e, double largest[3])
{
    bool usable = true;
    for (int k = 0; k < 3; ++k) {
        e->low[k] = (double)plain->min[k];
        e->high[k] = (double)plain->max[k];
        largest[k] = max_double(-e->low[k], e->high[k]);
        usable = usable && fabs(e->low[k]) < LARGEST && fabs(e->high[k]) < LARGEST;
    }
    return usable;
}

/* The box along the axes, where there are any, or along the coordinates. */
static obb smaller_box(const obb_points *points, size_t first, size_t count, bool turned, float axes[3][3], extents e,
                       const double largest[3])
{
    obb b = no_bounds();
    if (turned) {
        const extents along = project_points(points, first, count, axes);
        if (half_area(&along) < half_area(&e)) {
            memcpy(b.axis, axes, sizeof b.axis);
            e = along;
        }
    }
    set_extents(&b, &e, largest, FLOAT_PROJECTION_ROUNDING);
    return b;
}

obb tact_obb_of_patch(const obb_points *points, size_t first, size_t count, tact_vec3 edge, tact_vec3 normal,
                      const box *plain)
{
    extents e;
    double largest[3];
    float axes[3][3];
    if (count == 0 || !plain_extents(plain, &e, largest))
        return no_bounds();
    const bool turned = axes_along(edge, normal, axes);
    return smaller_box(points, first, count, turned, axes, e, largest);
}

obb tact_obb_of_points(const obb_points *points, size_t first, size_t count, const obb_moments *moments,
                       const box *plain)
{
    extents e;
    double largest[3];
    const double n = moments->count, *s = moments->sum, *q = moments->product;
    if (count == 0 || !plain_extents(plain, &e, largest) || !(fabs(s[0]) + fabs(s[1]) + fabs(s[2]) < INFINITY))
        return no_bounds();
    const double xy = q[3] - s[0] * s[1] / n, xz = q[4] - s[0] * s[2] / n, yz = q[5] - s[1] * s[2] / n;
    double v[3][3], m[3][3] = {{q[0] - s[0] * s[0] / n, xy, xz},
                               {xy, q[1] - s[1] * s[1] / n, yz},
                               {xz, yz, q[2] - s[2] * s[2] / n}};
    float axes[3][3];
    diagonalise(m, v);
    const bool turned = round_axes((const double(*)[3])v, axes);
    return smaller_box(points, first, count, turned, axes, e, largest);
}

bool tact_obb_contains(const obb *b, tact_vec3 point)
{
    const double d[3] = {point.x - (double)b->centre[0], point.y - (double)b->centre[1],
                         point.z - (double)b->centre[2]};
    for (int i = 0; i < 3; ++i) {
        double x = fabs((double)b->axis[i][0] * d[0] + (double)b->axis[i][1] * d[1] + (double)b->axis[i][2] * d[2]);
        double size = fabs(point.x) + fabs(point.y) + fabs(point.z) + (double)fabsf(b->centre[0]) +
                      (double)fabsf(b->centre[1]) + (double)fabsf(b->centre[2]);
        if (!(x + PROJECTION_ROUNDING * size <= (double)b->half[i]))
            return false;
    }
    return true;
}
