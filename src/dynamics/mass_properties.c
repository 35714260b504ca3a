/*
 * Mass properties of a rigid body: from a mass in the world to body coordinates, and back to an inertia tensor.
 *
 * The inverse inertia comes from cofactors, or from the principal moments where cofactors would cancel: thin bodies and
 * rods. Cost: tens of flops; some microseconds where principal axes are needed.
 */
#include "dynamics/mass_properties.h"

#include <tact/motion.h>

#include "dynamics/dynamics_constants.h"

/* Inertia tensor of a unit mass from its covariance, trace 1 - C; and back, trace/2 1 - I. */
static sym3 inertia_of(sym3 c) { return (sym3){c.yy + c.zz, c.xx + c.zz, c.xx + c.yy, -c.xy, -c.xz, -c.yz}; }

static sym3 covariance_of(const tact_inertia *i)
{
    const double half = 0.5 * (i->xx + i->yy + i->zz);
    return (sym3){half - i->xx, half - i->yy, half - i->zz, -i->xy, -i->xz, -i->yz};
}

/* Is a covariance positive semidefinite, up to rounding? That is: no principal moment of inertia is more than the sum
 * of the two others. Any affine transform preserves it. All pivots of Cholesky's factorisation are positive once a
 * little is added to the diagonal. */
static bool is_covariance(const sym3 *c)
{
    if (!sym3_finite(c))
        return false;
    const double size = sym3_max_abs(c);
    if (size == 0.0)
        return true;
    const double xx = c->xx / size + NEGATIVE_MOMENT, xy = c->xy / size, xz = c->xz / size;
    if (!(xx > 0.0))
        return false;
    const double yy = c->yy / size + NEGATIVE_MOMENT - xy * xy / xx, yz = c->yz / size - xy * xz / xx;
    return yy > 0.0 && c->zz / size + NEGATIVE_MOMENT - xz * xz / xx - yz * yz / yy > 0.0;
}

/* The nearest positive semidefinite matrix: negative eigenvalues become 0. */
static void clamp_eigenvalues(sym3 *c)
{
    double v[3];
    tact_vec3 axes[3];
    tact_sym3_eigen(c, v, axes);
    for (int i = 0; i < 3; ++i)
        if (v[i] < 0.0)
            sym3_add_square(c, -v[i], axes[i]);
}

bool tact_mass_properties_from(const tact_mass *mass, const tact_transform *transform, mass_properties *p)
{
    tact_transform inverse;
    const tact_inertia *i = &mass->inertia;
    sym3 c = covariance_of(i);
    if ((mass->status != TACT_OK && mass->status != TACT_NOT_CONVERGED) || !(mass->mass > 0.0) ||
        !(mass->mass < INFINITY) || !vec_finite(mass->centre) || !is_covariance(&c) ||
        tact_transform_invert(*transform, &inverse) != TACT_OK)
        return false;
    c = sym3_scale(c, 1.0 / mass->mass);
    c = sym3_transform(&c, &inverse);
    if (!is_covariance(&c)) { /* a small scale magnifies the rounding of the world's numbers */
        clamp_eigenvalues(&c);
        if (!is_covariance(&c)) /* out of the range of doubles */
            return false;
    }
    *p = (mass_properties){.mass = mass->mass,
                           .centre = tact_transform_point(inverse, mass->centre),
                           .covariance = c,
                           .rotates = i->xx > 0.0 || i->yy > 0.0 || i->zz > 0.0};
    if (vec_length_safe(p->centre) <= CENTRED_DISTANCE * sqrt(c.xx + c.yy + c.zz))
        p->centre = vec_make(0.0, 0.0, 0.0);
    return true;
}

bool tact_mass_properties_are_valid(const mass_properties *p)
{
    return p->mass > 0.0 && p->mass < INFINITY && vec_finite(p->centre) && is_covariance(&p->covariance);
}

sym3 tact_mass_properties_inertia(const mass_properties *p, const tact_transform *transform)
{
    return sym3_scale(inertia_of(sym3_transform(&p->covariance, transform)), p->mass);
}

static principal_inertia principal_of(const mass_properties *p, const tact_transform *transform)
{
    const sym3 c = sym3_scale(sym3_transform(&p->covariance, transform), p->mass);
    return tact_principal_inertia(&c);
}

/* The sum of e e^T / moment over the principal axes. */
static sym3 inverse_of(const principal_inertia *p)
{
    sym3 s = {0};
    for (int i = p->rod ? 1 : 0; i < 3 && p->moments[i] > 0.0; ++i)
        sym3_add_square(&s, 1.0 / p->moments[i], p->axes[i]);
    return s;
}

sym3 tact_mass_properties_inverse_inertia(const mass_properties *p, const tact_transform *transform)
{
    sym3 inverse = {0};
    if (!p->rotates)
        return inverse;
    const sym3 inertia = tact_mass_properties_inertia(p, transform);
    if (tact_sym3_invert(&inertia, MIN_DETERMINANT, &inverse))
        return inverse;
    const principal_inertia principal = principal_of(p, transform);
    return inverse_of(&principal);
}

tact_vec3 tact_mass_properties_rotation_piece(const mass_properties *p, const tact_transform *transform,
                                              tact_vec3 momentum, tact_vec3 last, double max_duration, double *duration)
{
    const sym3 inertia = tact_mass_properties_inertia(p, transform);
    sym3 inverse;
    if (tact_sym3_invert(&inertia, MIN_DETERMINANT, &inverse)) {
        const tact_vec3 w = sym3_mul(&inverse, momentum);
        *duration = INFINITY;
        if (vec_length_safe(vec_cross(w, momentum)) <= STEADY_ROTATION * vec_length_safe(w) * vec_length_safe(momentum))
            return w;
    }
    const principal_inertia principal = principal_of(p, transform);
    return tact_free_rotation_piece(&principal, momentum, vec_dot(last, principal.axes[0]), max_duration, duration);
}

tact_vec3 tact_mass_properties_angular_velocity(const mass_properties *p, const tact_transform *transform,
                                                tact_vec3 momentum, const tact_transform *start, tact_vec3 piece,
                                                double elapsed)
{
    const sym3 inertia = tact_mass_properties_inertia(p, transform);
    sym3 inverse;
    if (tact_sym3_invert(&inertia, MIN_DETERMINANT, &inverse))
        return sym3_mul(&inverse, momentum);
    const principal_inertia now = principal_of(p, transform);
    const tact_vec3 w = tact_principal_angular_velocity(&now, momentum);
    if (!now.thin)
        return w;
    /* of a thin body the rate about its axis is taken from the start of the piece: see free_rotation.c */
    const principal_inertia then = principal_of(p, start);
    const tact_transform carried = {.x_axis = then.axes[0]};
    const tact_vec3 axis = tact_motion_at((tact_motion){.spin = piece}, carried, elapsed).x_axis;
    const double axial = then.rod ? vec_dot(piece, axis) : tact_free_rotation_axial_rate(&then, momentum, elapsed);
    return vec_mul_add(w, axial - vec_dot(w, axis), axis);
}
