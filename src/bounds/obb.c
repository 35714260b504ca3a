/*
 * Fitting oriented boxes (Gottschalk, Lin and Manocha, OBBTree, 1996): the principal axes of the points by Jacobi's
 * method, compared with the axes of the coordinates, which are better for what is built along them. The paper takes the
 * covariance of the hull; that of the corners is as good for patches of even triangles, and an order cheaper.
 *
 * Guarantees: all points are inside, rounding included. Projections are computed in doubles with axes that already are
 * floats, and widened by their rounding bound.
 */
#include "bounds/obb.h"

#include "math/vec.h"

#define SWEEPS 8 /* of Jacobi's method, which converges quadratically: 4 do for three by three; it may end earlier */

/* Above this the squares of coordinates, or their float products later on, might overflow. */
#define LARGEST 0x1p60

/* A projection of a point: three products and sums of numbers that are exact, in any rounding mode. */
#define PROJECTION_ROUNDING (6.0 * DBL_EPSILON)

static double coordinate(const tact_vec3 *p, int i) { return i == 0 ? p->x : i == 1 ? p->y : p->z; }

/* Turns m, symmetric, until it is diagonal; the rows of v are then its axes. */
static void diagonalise(double m[3][3], double v[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            v[i][k] = i == k ? 1.0 : 0.0;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double off = fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]);
        double on = fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2]);
        if (!(off > 1e-12 * on))
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

obb tact_obb_of_triangles(const tact_vec3 *points, const uint32_t (*triangles)[3], const uint32_t *order,
                          uint32_t count)
{
    obb b = no_bounds();
    if (count == 0)
        return b;
    /* relative to the first point, so that nothing cancels far from the origin */
    const tact_vec3 start = points[triangles[order[0]][0]];
    extents plain = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, turned = plain;
    double sum[3] = {0.0, 0.0, 0.0}, square[3][3] = {{0.0}}, m[3][3], v[3][3];
    bool finite = true;
    for (uint32_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 *p = &points[triangles[order[i]][k]];
            const double d[3] = {p->x - start.x, p->y - start.y, p->z - start.z};
            for (int c = 0; c < 3; ++c) {
                const double x = coordinate(p, c);
                finite = finite && fabs(x) < LARGEST;
                plain.low[c] = x < plain.low[c] ? x : plain.low[c];
                plain.high[c] = x > plain.high[c] ? x : plain.high[c];
                sum[c] += d[c];
                for (int e = c; e < 3; ++e)
                    square[c][e] += d[c] * d[e];
            }
        }
    if (!finite)
        return b;
    const double n = 3.0 * (double)count;
    for (int c = 0; c < 3; ++c)
        for (int e = c; e < 3; ++e)
            m[c][e] = m[e][c] = square[c][e] - sum[c] * sum[e] / n;
    diagonalise(m, v);
    float axes[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            axes[i][k] = (float)v[i][k];
            if (!(fabsf(axes[i][k]) >= FLT_MIN)) /* subnormals may be flushed later: now or never; NaN too */
                axes[i][k] = 0.0f;
        }
    bool unit = true; /* Jacobi's method keeps them so, unless it met a NaN */
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k) {
            double dot = i == k ? -1.0 : 0.0;
            for (int c = 0; c < 3; ++c)
                dot += (double)axes[i][c] * (double)axes[k][c];
            unit = unit && fabs(dot) <= OBB_ROUNDING;
        }
    double largest = 0.0;
    for (uint32_t i = 0; unit && i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 *p = &points[triangles[order[i]][k]];
            for (int c = 0; c < 3; ++c) {
                const double x = (double)axes[c][0] * p->x + (double)axes[c][1] * p->y + (double)axes[c][2] * p->z;
                turned.low[c] = x < turned.low[c] ? x : turned.low[c];
                turned.high[c] = x > turned.high[c] ? x : turned.high[c];
            }
        }
    const extents *best = unit && half_area(&turned) < half_area(&plain) ? &turned : &plain;
    if (best == &turned)
        memcpy(b.axis, axes, sizeof axes);
    for (int k = 0; k < 3; ++k) {
        double x = 0.0, low = fabs(plain.low[k]), high = fabs(plain.high[k]);
        for (int i = 0; i < 3; ++i)
            x += 0.5 * (best->low[i] + best->high[i]) * (double)b.axis[i][k];
        b.centre[k] = fabs(x) >= (double)FLT_MIN ? (float)x : 0.0f;
        largest += (low > high ? low : high) + fabs((double)b.centre[k]);
    }
    for (int i = 0; i < 3; ++i) {
        double at = 0.0;
        for (int k = 0; k < 3; ++k)
            at += (double)b.axis[i][k] * (double)b.centre[k];
        double up = best->high[i] - at, down = at - best->low[i];
        b.half[i] = tact_bound_above((up > down ? up : down) + 4.0 * PROJECTION_ROUNDING * largest);
    }
    return b;
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
