/*
 * Symmetric 3 by 3 matrices: second moments of mass, inertia tensors.
 *
 * Every operation is rounded as written, as in vec.h: sums left to right, no fused multiply-add.
 */
#ifndef TACT_MATH_SYM3_H
#define TACT_MATH_SYM3_H

#include "core/number.h"
#include "math/vec.h"

typedef struct sym3 {
    double xx, yy, zz, xy, xz, yz;
} sym3;

/* S v */
static inline tact_vec3 sym3_mul(const sym3 *s, tact_vec3 v)
{
    return vec_make(s->xx * v.x + s->xy * v.y + s->xz * v.z, s->xy * v.x + s->yy * v.y + s->yz * v.z,
                    s->xz * v.x + s->yz * v.y + s->zz * v.z);
}

/* f S */
static inline sym3 sym3_scale(sym3 s, double f)
{
    return (sym3){f * s.xx, f * s.yy, f * s.zz, f * s.xy, f * s.xz, f * s.yz};
}

/* 2^exponent S, exact unless it overflows or underflows. */
static inline sym3 sym3_ldexp(sym3 s, int exponent)
{
    return (sym3){ldexp(s.xx, exponent), ldexp(s.yy, exponent), ldexp(s.zz, exponent),
                  ldexp(s.xy, exponent), ldexp(s.xz, exponent), ldexp(s.yz, exponent)};
}

/* S += f T */
static inline void sym3_add(sym3 *s, double f, const sym3 *t)
{
    s->xx += f * t->xx;
    s->yy += f * t->yy;
    s->zz += f * t->zz;
    s->xy += f * t->xy;
    s->xz += f * t->xz;
    s->yz += f * t->yz;
}

/* S += f a a^T */
static inline void sym3_add_square(sym3 *s, double f, tact_vec3 a)
{
    const tact_vec3 g = vec_scale(a, f);
    s->xx += g.x * a.x;
    s->yy += g.y * a.y;
    s->zz += g.z * a.z;
    s->xy += g.x * a.y;
    s->xz += g.x * a.z;
    s->yz += g.y * a.z;
}

/* S += f (a b^T + b a^T) */
static inline void sym3_add_product(sym3 *s, double f, tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 g = vec_scale(a, f);
    s->xx += 2.0 * g.x * b.x;
    s->yy += 2.0 * g.y * b.y;
    s->zz += 2.0 * g.z * b.z;
    s->xy += g.x * b.y + g.y * b.x;
    s->xz += g.x * b.z + g.z * b.x;
    s->yz += g.y * b.z + g.z * b.y;
}

/* M S M^T, M the linear part of a transform. */
static inline sym3 sym3_transform(const sym3 *s, const tact_transform *m)
{
    const tact_vec3 x = vec_make(m->x_axis.x, m->y_axis.x, m->z_axis.x),
                    y = vec_make(m->x_axis.y, m->y_axis.y, m->z_axis.y),
                    z = vec_make(m->x_axis.z, m->y_axis.z, m->z_axis.z);
    const tact_vec3 sx = sym3_mul(s, x), sy = sym3_mul(s, y), sz = sym3_mul(s, z);
    return (sym3){vec_dot(x, sx), vec_dot(y, sy), vec_dot(z, sz), vec_dot(x, sy), vec_dot(x, sz), vec_dot(y, sz)};
}

/* The largest absolute entry. */
static inline double sym3_max_abs(const sym3 *s)
{
    return number_max(
        number_max(number_max(number_max(number_max(fabs(s->xx), fabs(s->yy)), fabs(s->zz)), fabs(s->xy)), fabs(s->xz)),
        fabs(s->yz));
}

/* No NaN, no infinity. */
static inline bool sym3_finite(const sym3 *s)
{
    return vec_finite(vec_make(s->xx, s->yy, s->zz)) && vec_finite(vec_make(s->xy, s->xz, s->yz));
}

/* S^-1 by cofactors. False if the determinant is not above `min_ratio` times the cube of the trace: there the cofactors
 * cancel, and the eigenvalues give a better inverse. */
bool tact_sym3_invert(const sym3 *s, double min_ratio, sym3 *inverse);

/* The eigenvalues, not sorted, and unit eigenvectors, a right-handed set; the coordinate axes, exactly, if S is
 * diagonal. Entries of any size: they are scaled to 1 first. Cost: 3 to 6 sweeps of 3 rotations. */
void tact_sym3_eigen(const sym3 *s, double values[3], tact_vec3 axes[3]);

#endif
