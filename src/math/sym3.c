/*
 * Eigenvalues and inverse of a symmetric 3 by 3 matrix.
 *
 * The cyclic Jacobi method (Golub and Van Loan, Matrix Computations, 8.5). It starts from the coordinate axes and each
 * rotation is by at most 45 degrees, so the axes of a nearly diagonal matrix stay near the coordinate axes. Eigenvalues
 * are right to some units of roundoff of the largest one.
 *
 * bounds/obb.c has an iteration of its own: it stops as soon as axes are right to 1e-3, which is all that a bounding
 * box needs. This one goes on until the matrix is diagonal; it would change the boxes, and cost two to three more
 * sweeps for each.
 */
#include "math/sym3.h"

#include "math/math_constants.h"

/* Rotates in the plane of axes p and q so that the entry a[p][q] becomes 0. */
static void rotate(double a[3][3], tact_vec3 axes[3], int p, int q)
{
    if (a[p][q] == 0.0)
        return;
    const int r = 3 - p - q;
    /* t = tan of the angle: the smaller root of t^2 + 2 w t - 1 = 0, w = (aqq - app) / (2 apq) */
    const double w = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = fabs(w) > SYM3_LARGE_COTANGENT ? 0.5 / w : (w >= 0.0 ? 1.0 : -1.0) / (fabs(w) + sqrt(w * w + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c, rp = a[r][p], rq = a[r][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    const tact_vec3 up = axes[p], uq = axes[q];
    axes[p] = vec_mul_add(vec_scale(up, c), -s, uq);
    axes[q] = vec_mul_add(vec_scale(uq, c), s, up);
}

bool tact_sym3_invert(const sym3 *s, double min_ratio, sym3 *inverse)
{
    const sym3 c = {s->yy * s->zz - s->yz * s->yz, s->xx * s->zz - s->xz * s->xz, s->xx * s->yy - s->xy * s->xy,
                    s->xz * s->yz - s->xy * s->zz, s->xy * s->yz - s->xz * s->yy, s->xy * s->xz - s->yz * s->xx};
    const double determinant = s->xx * c.xx + s->xy * c.xy + s->xz * c.xz, trace = s->xx + s->yy + s->zz;
    if (!(determinant > min_ratio * trace * trace * trace))
        return false;
    *inverse = sym3_scale(c, 1.0 / determinant);
    return true;
}

void tact_sym3_eigen(const sym3 *s, double values[3], tact_vec3 axes[3])
{
    int exponent;
    (void)frexp(sym3_max_abs(s), &exponent);
    const sym3 u = sym3_ldexp(*s, -exponent);
    double a[3][3] = {{u.xx, u.xy, u.xz}, {u.xy, u.yy, u.yz}, {u.xz, u.yz, u.zz}};
    axes[0] = vec_make(1.0, 0.0, 0.0);
    axes[1] = vec_make(0.0, 1.0, 0.0);
    axes[2] = vec_make(0.0, 0.0, 1.0);
    for (int sweep = 0; sweep < SYM3_MAX_SWEEPS && (a[0][1] != 0.0 || a[0][2] != 0.0 || a[1][2] != 0.0); ++sweep) {
        rotate(a, axes, 0, 1);
        rotate(a, axes, 0, 2);
        rotate(a, axes, 1, 2);
    }
    for (int i = 0; i < 3; ++i)
        values[i] = ldexp(a[i][i], exponent);
}
