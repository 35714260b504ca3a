/*
 * Torque-free rotation of a rigid body, in pieces of constant angular velocity.
 *
 * The orientation at the end of a piece comes from a splitting (McLachlan, "Explicit Lie-Poisson integration and
 * the Euler equations", 1993; Touma and Wisdom 1994). With moments A <= B <= C the energy is L^2 / 2B, plus two
 * terms in squares of the momentum along the axes of A and C. The first generates a rotation about L and commutes
 * with the rest; the two others generate rotations about their axes: half of the first, the second, half of the
 * first. Hence:
 *  - the angular momentum is conserved to rounding;
 *  - a body with two equal moments rotates exactly;
 *  - for other bodies the energy oscillates by at most (angle of the piece)^2 / 24, whatever the moments: as each
 *    moment is at most the sum of the others, C - B <= A, and the commutator of the two terms is of the order of
 *    L^2 / B^2 even if A is next to nothing.
 *
 * Within a piece the body deviates from its true orientation by |change of w| duration^2 / 8, w being the angular
 * velocity. Durations are such that this is at most TACT_ROTATION_PER_PIECE^2 / 16, 6e-6 radians. They also keep
 * the error of the energy within a piece, (change of w) I (change of w) duration^2 / 8, below PIECE_ENERGY_ERROR
 * of it. By Euler's equations, and as C - B <= A, the change of w is at most |w|^2 / sqrt 3. So a piece rotates
 * by 0.005 radians at least and MAX_PIECE_ANGLE at most: a unit of time takes 2 |w| pieces, where w is nearly
 * steady, to 200 |w|.
 *
 * A deviation d makes the momentum along a thin axis wrong by d L, and the angular velocity about it by d L / A.
 * For a thin body that rate is therefore taken from the beginning of the piece (tact_free_rotation_axial_rate):
 * within a piece its energy is right and its momentum off by 6e-6; at the ends of pieces both are right.
 */
#include "dynamics/free_rotation.h"

#include <math.h>
#include <tact/rigid.h>

#include "core/number.h"
#include "dynamics/dynamics_constants.h"
#include "math/elementary.h"

principal_inertia tact_principal_inertia(const sym3 *second_moments)
{
    double v[3];
    principal_inertia p;
    tact_sym3_eigen(second_moments, v, p.axes);
    for (int i = 0; i < 3; ++i)
        v[i] = number_max(v[i], 0.0);
    for (int i = 0; i < 3; ++i) { /* sort descending: compare 0 1, 1 2, 0 1 */
        const int k = i == 1;
        if (v[k] < v[k + 1]) {
            const double value = v[k];
            const tact_vec3 axis = p.axes[k];
            v[k] = v[k + 1];
            p.axes[k] = p.axes[k + 1];
            v[k + 1] = value;
            p.axes[k + 1] = axis;
        }
    }
    p.moments[0] = v[1] + v[2];
    p.moments[1] = v[0] + v[2];
    p.moments[2] = v[0] + v[1];
    p.differences[0] = v[0] - v[1];
    p.differences[1] = v[0] - v[2];
    p.differences[2] = v[1] - v[2];
    p.rod = p.moments[0] <= ROD_MOMENT * p.moments[2];
    p.thin = p.moments[0] <= THIN_MOMENT * p.moments[2];
    return p;
}

/* The angular velocity in principal coordinates. */
static tact_vec3 principal_rates(const principal_inertia *p, tact_vec3 momentum)
{
    if (!(p->moments[2] > 0.0))
        return vec_make(0.0, 0.0, 0.0);
    return vec_make(p->rod ? 0.0 : vec_dot(momentum, p->axes[0]) / p->moments[0],
                    vec_dot(momentum, p->axes[1]) / p->moments[1], vec_dot(momentum, p->axes[2]) / p->moments[2]);
}

static tact_vec3 from_axes(const principal_inertia *p, tact_vec3 w)
{
    return vec_mul_add(vec_mul_add(vec_scale(p->axes[0], w.x), w.y, p->axes[1]), w.z, p->axes[2]);
}

tact_vec3 tact_principal_angular_velocity(const principal_inertia *p, tact_vec3 momentum)
{
    return from_axes(p, principal_rates(p, momentum));
}

/* Euler's equations: the angular acceleration in principal coordinates. */
static tact_vec3 acceleration_of(const principal_inertia *p, tact_vec3 w)
{
    return vec_make(p->rod ? 0.0 : -p->differences[2] / p->moments[0] * w.y * w.z,
                    p->differences[1] / p->moments[1] * w.z * w.x, -p->differences[0] / p->moments[2] * w.x * w.y);
}

double tact_free_rotation_axial_rate(const principal_inertia *p, tact_vec3 momentum, double elapsed)
{
    const tact_vec3 w = principal_rates(p, momentum);
    return w.x + elapsed * acceleration_of(p, w).x;
}

/* The product a b: rotates by b, then by a. */
static tact_quat compose(tact_quat a, tact_quat b)
{
    return (tact_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static tact_quat rotation_about(tact_vec3 unit, double angle)
{
    const sine_cosine half = tact_sine_cosine(0.5 * angle);
    return (tact_quat){half.sine * unit.x, half.sine * unit.y, half.sine * unit.z, half.cosine};
}

static tact_quat rotation_by(tact_vec3 angles)
{
    const double angle = vec_length_safe(angles);
    return angle > 0.0 ? rotation_about(vec_scale(angles, 1.0 / angle), angle) : (tact_quat){0.0, 0.0, 0.0, 1.0};
}

/* The rotation vector of a rotation by less than half a turn. */
static tact_vec3 rotation_vector(tact_quat q)
{
    const tact_vec3 v = {q.x, q.y, q.z};
    const double s = vec_length_safe(v);
    return s > 0.0 ? vec_scale(v, 2.0 * tact_atan2(s, q.w) / s) : vec_make(0.0, 0.0, 0.0);
}

/* The rotation vector of a rod over a piece: it swings by `across`, and the part of the rotation vector along its axis
 * is `axial`. So the mean angular velocity of the piece gives its rate about the axis at any time. */
static tact_vec3 rod_rotation(const principal_inertia *p, tact_vec3 across, double axial)
{
    const tact_quat swing = rotation_by(across);
    double twist = axial;
    tact_vec3 angles = across;
    for (int i = 0; i < ROD_ITERATIONS && axial != 0.0; ++i) {
        angles = rotation_vector(compose(swing, rotation_about(p->axes[0], twist)));
        const double part = vec_dot(angles, p->axes[0]);
        if (part != 0.0)
            twist *= axial / part;
    }
    return axial != 0.0 ? rotation_vector(compose(swing, rotation_about(p->axes[0], twist))) : angles;
}

/* The splitting. A rotation of the body about its own axis rotates the momentum back, in body coordinates. */
static tact_vec3 split_rotation(const principal_inertia *p, tact_vec3 momentum, double h)
{
    const double *i = p->moments;
    double x = vec_dot(momentum, p->axes[0]), y = vec_dot(momentum, p->axes[1]), z = vec_dot(momentum, p->axes[2]);
    /* the axes may be a left-handed set */
    const double hand = vec_dot(vec_cross(p->axes[0], p->axes[1]), p->axes[2]) < 0.0 ? -1.0 : 1.0;
    const double first = 0.5 * h * (p->differences[0] / i[1]) * (x / i[0]);
    const sine_cosine one = tact_sine_cosine(first);
    double c = one.cosine, s = hand * one.sine;
    const double y1 = c * y + s * z, z1 = c * z - s * y;
    const double second = -h * (p->differences[2] / i[1]) * (z1 / i[2]);
    const sine_cosine two = tact_sine_cosine(second);
    c = two.cosine;
    s = hand * two.sine;
    const double x2 = c * x + s * y1;
    const double third = 0.5 * h * (p->differences[0] / i[1]) * (x2 / i[0]);
    const tact_quat body = compose(rotation_about(p->axes[0], first),
                                   compose(rotation_about(p->axes[2], second), rotation_about(p->axes[0], third)));
    return rotation_vector(compose(rotation_by(vec_scale(momentum, h / i[1])), body));
}

static double weighted_square(tact_vec3 weights, tact_vec3 v)
{
    return weights.x * v.x * v.x + weights.y * v.y * v.y + weights.z * v.z * v.z;
}

tact_vec3 tact_free_rotation_piece(const principal_inertia *p, tact_vec3 momentum, double axial_rate,
                                   double max_duration, double *duration)
{
    tact_vec3 w = principal_rates(p, momentum);
    if (p->rod)
        w.x = axial_rate;
    const double rate = vec_length_safe(w);
    *duration = INFINITY;
    if (!(rate > 0.0))
        return from_axes(p, w);
    const tact_vec3 unit = vec_scale(w, 1.0 / rate),
                    acceleration = acceleration_of(p, unit); /* scaled, against overflow */
    const double change = vec_length_safe(acceleration);
    if (!(change > STEADY_ACCELERATION))
        return from_axes(p, w);
    double angle = number_min(TACT_ROTATION_PER_PIECE / sqrt(2.0 * change), MAX_PIECE_ANGLE);
    if (!p->thin) {
        const tact_vec3 e = vec_make(p->moments[0] / p->moments[2], p->moments[1] / p->moments[2], 1.0);
        angle = number_min(
            angle, sqrt(4.0 * PIECE_ENERGY_ERROR * weighted_square(e, unit) / weighted_square(e, acceleration)));
    }
    const double h = number_max(number_min(angle / rate, max_duration), MIN_PIECE * angle / rate);
    *duration = h;
    const tact_vec3 angles = p->rod
                                 ? rod_rotation(p, vec_scale(from_axes(p, vec_make(0.0, w.y, w.z)), h), axial_rate * h)
                                 : split_rotation(p, momentum, h);
    return vec_scale(angles, 1.0 / h);
}
