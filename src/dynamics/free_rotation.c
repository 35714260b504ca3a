/*
 * The free turning of a rigid body, in pieces of constant spin.
 *
 * Where it is at the end of a piece comes from a splitting (McLachlan, Explicit Lie-Poisson integration and the Euler
 * equations, 1993; Touma and Wisdom, 1994): with moments A <= B <= C the energy is L^2 / 2B, whose motion is a turning
 * about L and commutes with the rest, and two terms in squares of the momentum along the axes of A and C, whose motions
 * are turnings about those; half of the first, the second, half of the first. So the momentum is kept to rounding, a
 * body with two equal moments turns exactly, and for others the energy swings about what it should be by (angle of the
 * piece)^2 / 24 at most, whatever the moments: as each is at most the sum of the others, C - B <= A, and the commutator
 * of the two terms is of the order of L^2 / B^2 even if A is next to nothing. In between the body strays from where it
 * should be by |change of the spin| duration^2 / 8, so durations are such that this is TACT_ROTATION_PER_PIECE^2 / 16
 * at most, 6e-6 radians; and such that the energy, which is off by change (inertia) change duration^2 / 8 then, is so
 * by ENERGY_OFF of itself at most. By Euler's equations, and as C - B <= A, the change is at most |spin|^2 / sqrt 3, so
 * a piece is 0.005 radians at least and TURN_MOST at most: a time unit takes between 2 |spin| pieces, where the spin is
 * nearly steady, and 200 |spin|. What strays by d has a momentum along a thin axis that is wrong by d L, and the spin
 * about that would be by d L / A: of a thin body it is taken from the beginning of the piece instead
 * (tact_turning_own): amid a piece it has the right energy, and a momentum that is off by 6e-6; at the ends of pieces
 * both are right.
 */
#include "dynamics/free_rotation.h"

#include <math.h>
#include <tact/rigid.h>

#include "dynamics/moments.h"
#include "math/vec.h"

/* Of a piece: if less is asked for, it is so long all the same. */
#define SHORTEST 0x1p-16

/* Radians: by how much a body turns in a piece at most; the angle of a composed turning is told to half a turn only. */
#define TURN_MOST 0.5

/* Relative to its square: a spin that changes less is steady. */
#define STEADY 1e-13

/* Of the largest moment: one that is less counts as none. The momentum along its axis would be rounding, mostly. */
#define ROD 1e-11

/* Relative: by how much the energy may be off amid a piece. */
#define ENERGY_OFF 8e-6

/* Of the largest moment: what is less is thin. The square of the straying makes an energy of 1e-7 at most for others.
 */
#define THIN 1e-3

/* Steps to the angle by which a rod turns about itself; each squares the error, of 2 % at first. */
#define ROD_STEPS 4

void tact_spread_clean(double spread[6])
{
    symmetric s;
    double v[3];
    tact_vec3 axes[3];
    for (int i = 0; i < 6; ++i)
        s.at[i] = spread[i];
    tact_symmetric_solve(&s, v, axes);
    for (int i = 0; i < 3; ++i)
        if (v[i] < 0.0)
            symmetric_add_square(&s, -v[i], axes[i]);
    for (int i = 0; i < 6; ++i)
        spread[i] = s.at[i];
}

principal tact_principal_of(const double spread[6])
{
    symmetric s;
    double v[3];
    principal p;
    for (int i = 0; i < 6; ++i)
        s.at[i] = spread[i];
    tact_symmetric_solve(&s, v, p.axes);
    for (int i = 0; i < 3; ++i)
        v[i] = fmax(v[i], 0.0);
    for (int i = 0; i < 3; ++i) { /* descending: 0 1, 1 2, 0 1 */
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
    p.apart[0] = v[0] - v[1];
    p.apart[1] = v[0] - v[2];
    p.apart[2] = v[1] - v[2];
    p.rod = p.moments[0] <= ROD * p.moments[2];
    p.thin = p.moments[0] <= THIN * p.moments[2];
    return p;
}

/* The spin along the axes. */
static tact_vec3 along_axes(const principal *p, tact_vec3 momentum)
{
    if (!(p->moments[2] > 0.0))
        return vec_make(0.0, 0.0, 0.0);
    return vec_make(p->rod ? 0.0 : vec_dot(momentum, p->axes[0]) / p->moments[0],
                    vec_dot(momentum, p->axes[1]) / p->moments[1], vec_dot(momentum, p->axes[2]) / p->moments[2]);
}

static tact_vec3 from_axes(const principal *p, tact_vec3 w)
{
    return vec_mul_add(vec_mul_add(vec_scale(p->axes[0], w.x), w.y, p->axes[1]), w.z, p->axes[2]);
}

tact_vec3 tact_principal_spin(const principal *p, tact_vec3 momentum) { return from_axes(p, along_axes(p, momentum)); }

/* Euler's equations: how fast the spin along the axes changes. */
static tact_vec3 change_of(const principal *p, tact_vec3 w)
{
    return vec_make(p->rod ? 0.0 : -p->apart[2] / p->moments[0] * w.y * w.z, p->apart[1] / p->moments[1] * w.z * w.x,
                    -p->apart[0] / p->moments[2] * w.x * w.y);
}

double tact_turning_own(const principal *p, tact_vec3 momentum, double while_after)
{
    const tact_vec3 w = along_axes(p, momentum);
    return w.x + while_after * change_of(p, w).x;
}

/* First b, then a. */
static tact_quat after(tact_quat a, tact_quat b)
{
    return (tact_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static tact_quat turn_about(tact_vec3 unit, double angle)
{
    const double s = sin(0.5 * angle);
    return (tact_quat){s * unit.x, s * unit.y, s * unit.z, cos(0.5 * angle)};
}

static tact_quat turn_by(tact_vec3 angles)
{
    const double angle = vec_length_safe(angles);
    return angle > 0.0 ? turn_about(vec_scale(angles, 1.0 / angle), angle) : (tact_quat){0.0, 0.0, 0.0, 1.0};
}

/* The vector of the angle of a turning by less than a half turn. */
static tact_vec3 angles_of(tact_quat q)
{
    const tact_vec3 v = {q.x, q.y, q.z};
    const double s = vec_length_safe(v);
    return s > 0.0 ? vec_scale(v, 2.0 * atan2(s, q.w) / s) : vec_make(0.0, 0.0, 0.0);
}

/* By how much a body turns in a while; that of a rod such that the part along its axis is `own` times that: so it is
 * told from the spin of the piece, throughout it. */
static tact_vec3 rod_angles(const principal *p, tact_vec3 across, double own)
{
    const tact_quat swing = turn_by(across);
    double twist = own;
    tact_vec3 angles = across;
    for (int i = 0; i < ROD_STEPS && own != 0.0; ++i) {
        angles = angles_of(after(swing, turn_about(p->axes[0], twist)));
        const double part = vec_dot(angles, p->axes[0]);
        if (part != 0.0)
            twist *= own / part;
    }
    return own != 0.0 ? angles_of(after(swing, turn_about(p->axes[0], twist))) : angles;
}

/* The splitting. A turning of the body about an axis of its own turns the momentum back, as the body sees it. */
static tact_vec3 body_angles(const principal *p, tact_vec3 momentum, double h)
{
    const double *i = p->moments;
    double x = vec_dot(momentum, p->axes[0]), y = vec_dot(momentum, p->axes[1]), z = vec_dot(momentum, p->axes[2]);
    /* the axes may be left-handed */
    const double hand = vec_dot(vec_cross(p->axes[0], p->axes[1]), p->axes[2]) < 0.0 ? -1.0 : 1.0;
    const double first = 0.5 * h * (p->apart[0] / i[1]) * (x / i[0]);
    double c = cos(first), s = hand * sin(first);
    const double y1 = c * y + s * z, z1 = c * z - s * y;
    const double second = -h * (p->apart[2] / i[1]) * (z1 / i[2]);
    c = cos(second);
    s = hand * sin(second);
    const double x2 = c * x + s * y1;
    const double third = 0.5 * h * (p->apart[0] / i[1]) * (x2 / i[0]);
    const tact_quat own =
        after(turn_about(p->axes[0], first), after(turn_about(p->axes[2], second), turn_about(p->axes[0], third)));
    return angles_of(after(turn_by(vec_scale(momentum, h / i[1])), own));
}

static double sum_of(tact_vec3 weights, tact_vec3 v)
{
    return weights.x * v.x * v.x + weights.y * v.y * v.y + weights.z * v.z * v.z;
}

tact_vec3 tact_turning_piece(const principal *p, tact_vec3 momentum, double own, double most, double *duration)
{
    tact_vec3 w = along_axes(p, momentum);
    if (p->rod)
        w.x = own;
    const double rate = vec_length_safe(w);
    *duration = INFINITY;
    if (!(rate > 0.0))
        return from_axes(p, w);
    const tact_vec3 unit = vec_scale(w, 1.0 / rate), turn = change_of(p, unit); /* so that nothing overflows */
    const double change = vec_length_safe(turn);
    if (!(change > STEADY))
        return from_axes(p, w);
    double angle = fmin(TACT_ROTATION_PER_PIECE / sqrt(2.0 * change), TURN_MOST);
    if (!p->thin) {
        const tact_vec3 e = vec_make(p->moments[0] / p->moments[2], p->moments[1] / p->moments[2], 1.0);
        angle = fmin(angle, sqrt(4.0 * ENERGY_OFF * sum_of(e, unit) / sum_of(e, turn)));
    }
    const double h = fmax(fmin(angle / rate, most), SHORTEST * angle / rate);
    *duration = h;
    const tact_vec3 angles = p->rod ? rod_angles(p, vec_scale(from_axes(p, vec_make(0.0, w.y, w.z)), h), own * h)
                                    : body_angles(p, momentum, h);
    return vec_scale(angles, 1.0 / h);
}
