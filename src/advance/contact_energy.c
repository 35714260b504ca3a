/*
 * The energy of contact bodies: no step adds any. See contact_energy.h.
 *
 * A step is a change of momenta at its start, and a motion of constant velocity and spin. Four things would add
 * energy, and each is taken back where it arises:
 *
 * 1. The change. Within a step the velocities of bodies that tumble are means, so the impulses may do work although the
 *    mean velocities at the contact points are zero. Let K be the kinetic energy of an island and W the work of the
 *    accelerations along the motions of the step. If K after the change exceeds K before it plus W, the velocities are
 *    scaled, relative to a kinematic body or to the centre of mass (tact_contact_energy_limit).
 * 2. The rotation. A body turns with constant spin, and keeps its angular momentum. Its kinetic energy at the new
 *    orientation differs by the third order of the angle. Momentum is scaled such that it does not
 *    (contact_body.turning), in both directions: free rotation conserves both.
 * 3. The path. Accelerations have done their work at the start of the step (contact_body.credit), but a cut or a lock
 *    may have led the body elsewhere. What it has gained without falling is taken from its velocity along the
 *    acceleration, and the rest from all its velocities. What the push raises is not taken back: it would slow bodies
 *    that slide.
 * 4. Impulses within a step: impacts of other bodies, contacts that begin, and cuts. They are solved for the motions,
 *    which do not approach then. But the velocities of contact bodies are others: they lack the gain that is still to
 *    come, the push, and what earlier cuts have changed. An impact changes them by the share of the impulses that adds
 *    no energy (tact_contact_energy_share), and so do the other two, by the share that leaves the least
 *    (tact_contact_energy_cut): a body that is stopped within a step has lost its speed, and not only its motion.
 *
 * So the energy of an island, kinetic and that of the accelerations, does not grow at contact steps, except by the push
 * and by kinematic bodies that move differently. The sum of all pushes is contact_graph.pushed. The scaling is of
 * second order in the step. Momentum of an island that touches nothing kinematic is conserved by 1 and 4, and by 3
 * without accelerations.
 */
#include "advance/contact_energy.h"

#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_step.h"
#include "core/number.h"
#include "dynamics/rigid_body.h"

static const mass_properties *properties_of(const tact_world *world, uint32_t index)
{
    return &world->cold.items[index].rigid->properties;
}

static tact_vec3 centre_of(const tact_world *world, uint32_t index)
{
    return tact_transform_point(tact_advance_transform(world, index), properties_of(world, index)->centre);
}

/* The kinetic energy of the rotation with an angular momentum, at the present orientation. */
static double turning_energy(const tact_world *world, uint32_t index, tact_vec3 momentum)
{
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inverse = tact_mass_properties_inverse_inertia(properties_of(world, index), &at);
    return 0.5 * vec_dot(momentum, sym3_mul(&inverse, momentum));
}

void tact_contact_energy_settle(tact_world *world, uint32_t index)
{
    contact_body *body = &world->advance->contacts.bodies.items[index];
    const double now = turning_energy(world, index, body->momentum);
    if (now > 0.0)
        body->momentum = vec_scale(body->momentum, sqrt(body->turning / now));
}

void tact_contact_energy_turned(tact_world *world, uint32_t index)
{
    contact_body *body = &world->advance->contacts.bodies.items[index];
    body->turning = turning_energy(world, index, body->momentum);
}

void tact_contact_energy_credit(tact_world *world, uint32_t index, double credit)
{
    contact_body *body = &world->advance->contacts.bodies.items[index];
    body->from = centre_of(world, index);
    body->credit = credit;
}

/* Whether the velocity of now is that of the end of the step: the change of an island with an impact is not gradual. */
static bool has_all(const contact_body *body)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return vec_equal(body->gain, zero) && vec_equal(body->gain_momentum, zero);
}

/* The work of the accelerations since gain_time. */
static double work_since(const tact_world *world, uint32_t index)
{
    const contact_body *body = &world->advance->contacts.bodies.items[index];
    return properties_of(world, index)->mass *
           vec_dot(tact_body_total_acceleration(world, index), vec_sub(centre_of(world, index), body->from));
}

double tact_contact_energy_debt(const tact_world *world, uint32_t index)
{
    tact_vec3 velocity, momentum;
    return tact_contact_energy_now(world, index, tact_contact_body_gain_left(world, index), &velocity, &momentum);
}

/* Velocity and angular momentum now, before anything is paid. */
static void unpaid_now(const tact_world *world, uint32_t index, double left, tact_vec3 *velocity, tact_vec3 *momentum)
{
    const contact_body *body = &world->advance->contacts.bodies.items[index];
    const double turned = turning_energy(world, index, body->momentum);
    *velocity = vec_mul_add(body->velocity, -left, body->gain);
    *momentum = vec_mul_add(body->momentum, -left, body->gain_momentum);
    if (turned > 0.0)
        *momentum = vec_scale(*momentum, sqrt(body->turning / turned));
}

/* With what is paid now, the velocity at the end of the step changes, too, and its energy by more or less than that. */
double tact_contact_energy_credit_left(const tact_world *world, uint32_t index, double left)
{
    const contact_body *body = &world->advance->contacts.bodies.items[index];
    const mass_properties *properties = properties_of(world, index);
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inverse = tact_mass_properties_inverse_inertia(properties, &at);
    tact_vec3 velocity, momentum, paid_velocity, paid_momentum;
    unpaid_now(world, index, left, &velocity, &momentum);
    const double debt = tact_contact_energy_now(world, index, left, &paid_velocity, &paid_momentum),
                 future =
                     has_all(body) ? number_min(body->credit - work_since(world, index), 0.0) : left * body->credit;
    return debt + future +
           left * (properties->mass * vec_dot(body->gain, vec_sub(paid_velocity, velocity)) +
                   vec_dot(body->gain_momentum, sym3_mul(&inverse, vec_sub(paid_momentum, momentum))));
}

double tact_contact_energy_now(const tact_world *world, uint32_t index, double left, tact_vec3 *velocity,
                               tact_vec3 *momentum)
{
    const contact_body *body = &world->advance->contacts.bodies.items[index];
    const double mass = properties_of(world, index)->mass;
    unpaid_now(world, index, left, velocity, momentum);
    const tact_vec3 a = tact_body_total_acceleration(world, index);
    const double work = work_since(world, index), credit = (has_all(body) ? 1.0 : 1.0 - left) * body->credit;
    double excess = credit - work;
    if (!(excess > 0.0))
        return 0.0;
    /* first from the velocity along the acceleration, which has gained it; then from all */
    const tact_vec3 along = vec_normalize(a);
    const double fall = max_double(vec_dot(*velocity, along), 0.0), most = 0.5 * mass * fall * fall;
    const double slower = excess < most ? sqrt(max_double(fall * fall - 2.0 * excess / mass, 0.0)) : 0.0;
    *velocity = vec_mul_add(*velocity, slower - fall, along);
    excess -= most;
    const double kinetic = 0.5 * mass * vec_length_squared(*velocity) + turning_energy(world, index, *momentum);
    if (!(excess > 0.0))
        return 0.0;
    const double scale = kinetic > excess ? sqrt(1.0 - excess / kinetic) : 0.0;
    *velocity = vec_scale(*velocity, scale);
    *momentum = vec_scale(*momentum, scale);
    return max_double(excess - kinetic, 0.0);
}

/* ---- impulses within a step ---- */

contact_energy_frame tact_contact_energy_frame(const tact_world *world)
{
    const contact_graph *g = &world->advance->contacts;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    contact_energy_frame frame = {.exists = true, .floats = true};
    for (size_t i = 0; i < g->members.count; ++i) {
        const uint32_t index = g->members.items[i];
        if (world->cold.items[index].rigid != NULL)
            continue;
        const tact_motion motion = tact_advance_motion(world, index);
        frame.exists = frame.exists && !tact_contact_surface_moves(world, index) && vec_equal(motion.spin, zero) &&
                       vec_equal(motion.acceleration, zero) &&
                       (frame.floats || vec_equal(motion.velocity, frame.velocity));
        frame.floats = false;
        frame.velocity = motion.velocity;
    }
    return frame;
}

static energy_change change_of(const tact_world *world, size_t slot, const solver_body *now, tact_vec3 frame)
{
    const contact_graph *g = &world->advance->contacts;
    const uint32_t index = g->members.items[slot];
    const contact_body *body = &g->bodies.items[index];
    const solver_body *start = &g->start.items[slot];
    energy_change change = {0.0, 0.0, 0.0};
    if (world->cold.items[index].rigid == NULL)
        return change;
    const mass_properties *properties = properties_of(world, index);
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inertia = tact_mass_properties_inertia(properties, &at);
    const tact_vec3 dv = vec_sub(now->velocity, start->velocity), dw = vec_sub(now->spin, start->spin),
                    momentum = sym3_mul(&inertia, dw);
    tact_vec3 v = start->velocity, w = start->spin;
    if (body->state != CONTACT_FREE)
        v = tact_contact_body_velocity_now(world, index, &w);
    change.now = properties->mass * vec_dot(vec_sub(v, frame), dv) + vec_dot(w, momentum);
    change.square = 0.5 * (properties->mass * vec_length_squared(dv) + vec_dot(dw, momentum));
    change.end = change.now;
    if (body->state != CONTACT_FREE)
        change.end += tact_contact_body_gain_left(world, index) *
                      (properties->mass * vec_dot(body->gain, dv) + vec_dot(body->gain_momentum, dw));
    return change;
}

/* Of all members, relative to the kinematic ones, if their motions become `to`. `each`: that of each; NULL: not wanted.
 */
static energy_change change_of_all(const tact_world *world, const contact_energy_frame *frame, const solver_body *to,
                                   energy_change *each)
{
    energy_change sum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < world->advance->contacts.members.count; ++i) {
        const energy_change one = change_of(world, i, &to[i], frame->velocity);
        if (each != NULL)
            each[i] = one;
        sum.now += one.now;
        sum.end += one.end;
        sum.square += one.square;
    }
    return sum;
}

double tact_contact_energy_share(const tact_world *world)
{
    const contact_energy_frame frame = tact_contact_energy_frame(world);
    const energy_change change = change_of_all(world, &frame, world->advance->contacts.solver_bodies.items, NULL);
    if (!frame.exists || !(change.square > 0.0))
        return 1.0;
    return number_min(max_double(-change.now / change.square, 0.0), 1.0);
}

/* The energy of a difference of motions of the members. */
static double energy_between(const tact_world *world, const solver_body *one, const solver_body *other)
{
    const contact_graph *g = &world->advance->contacts;
    double sum = 0.0;
    for (size_t i = 0; i < g->members.count; ++i) {
        const uint32_t index = g->members.items[i];
        if (world->cold.items[index].rigid == NULL)
            continue;
        const tact_transform at = tact_advance_transform(world, index);
        const sym3 inertia = tact_mass_properties_inertia(properties_of(world, index), &at);
        const tact_vec3 v = vec_sub(one[i].velocity, other[i].velocity), w = vec_sub(one[i].spin, other[i].spin);
        sum += 0.5 * (properties_of(world, index)->mass * vec_length_squared(v) + vec_dot(w, sym3_mul(&inertia, w)));
    }
    return sum;
}

double tact_contact_energy_mixture(const tact_world *world, const solver_body *none, const solver_body *full,
                                   double most)
{
    const contact_energy_frame frame = tact_contact_energy_frame(world);
    if (!frame.exists)
        return most;
    const energy_change at_none = change_of_all(world, &frame, none, NULL),
                        at_full = change_of_all(world, &frame, full, NULL);
    const double zero = at_none.now + at_none.square, one = at_full.now + at_full.square,
                 c = energy_between(world, full, none), slope = one - zero - c;
    if (zero + most * (slope + c * most) <= 0.0)
        return most;
    const double square = slope * slope - 4.0 * c * zero;
    if (!(zero < 0.0) || !(c > 0.0) || !(square >= 0.0))
        return 0.0;
    return number_min(most, 2.0 * -zero / (slope + sqrt(square)));
}

/* Adds one share of the change of a body to its velocities of now, and another to those of the end of the step. */
static void change_body(tact_world *world, size_t slot, double share, double end_share)
{
    contact_graph *g = &world->advance->contacts;
    const uint32_t index = g->members.items[slot];
    const solver_body *now = &g->solver_bodies.items[slot], *start = &g->start.items[slot];
    contact_body *body = &g->bodies.items[index];
    if (body->state == CONTACT_FREE || !(end_share > 0.0) ||
        (vec_equal(now->velocity, start->velocity) && vec_equal(now->spin, start->spin)))
        return;
    tact_vec3 spin;
    const tact_vec3 dv = vec_sub(now->velocity, start->velocity), dw = vec_sub(now->spin, start->spin),
                    velocity = tact_contact_body_velocity_now(world, index, &spin);
    const double m = properties_of(world, index)->mass;
    tact_contact_body_set_velocity_now(world, index, vec_mul_add(velocity, share, dv), vec_mul_add(spin, share, dw));
    body->credit += share * (m * vec_dot(dv, body->gain) + vec_dot(dw, body->gain_momentum));
    if (!(end_share > share))
        return;
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inertia = tact_mass_properties_inertia(properties_of(world, index), &at);
    const tact_vec3 gain = vec_scale(dv, end_share - share),
                    gain_momentum = vec_scale(sym3_mul(&inertia, dw), end_share - share);
    const double before = 0.5 * m * vec_length_squared(body->velocity) + body->turning;
    body->velocity = vec_add(body->velocity, gain);
    body->momentum = vec_add(body->momentum, gain_momentum);
    body->gain = vec_add(body->gain, gain);
    body->gain_momentum = vec_add(body->gain_momentum, gain_momentum);
    tact_contact_energy_turned(world, index);
    body->credit += 0.5 * m * vec_length_squared(body->velocity) + body->turning - before;
}

void tact_contact_energy_change(tact_world *world, double share)
{
    for (size_t i = 0; i < world->advance->contacts.members.count; ++i)
        change_body(world, i, share, share);
}

/* The energy that a body gains by a cut, beyond what its velocity of now gains: by being raised against its
 * acceleration until the end of the step, and by its velocity of then. Of a body that enters, this step is not planned
 * yet. */
static double cut_gain(const tact_world *world, size_t slot, const energy_change *change, double dt, double share,
                       double end_share)
{
    const contact_graph *g = &world->advance->contacts;
    const uint32_t index = g->members.items[slot];
    if (g->bodies.items[index].state == CONTACT_FREE || g->bodies.items[index].entering)
        return 0.0;
    return -dt * properties_of(world, index)->mass *
               vec_dot(tact_body_total_acceleration(world, index),
                       vec_sub(g->solver_bodies.items[slot].velocity, g->start.items[slot].velocity)) +
           end_share * (change->end + end_share * change->square) - share * (change->now + share * change->square);
}

tact_status tact_contact_energy_cut(tact_world *world, double dt, double gap)
{
    contact_graph *g = &world->advance->contacts;
    const contact_energy_frame frame = tact_contact_energy_frame(world);
    if (!energy_change_array_reserve(&g->changes, &world->allocator, g->members.count))
        return TACT_OUT_OF_MEMORY;
    const energy_change change = change_of_all(world, &frame, g->solver_bodies.items, g->changes.items);
    double share = 0.0, end_share = 0.0, up = 0.0;
    if (frame.exists && change.square > 0.0) {
        share = number_min(max_double(-0.5 * change.now / change.square, 0.0), 1.0);
        end_share = number_min(max_double(-0.5 * change.end / change.square, share), 1.0);
    }
    double paid = -share * (change.now + share * change.square);
    for (size_t i = 0; i < g->members.count; ++i) {
        const double gain = cut_gain(world, i, &g->changes.items[i], dt, share, end_share);
        up += max_double(gain, 0.0);
        paid += max_double(-gain, 0.0); /* by another body */
    }
    const double part = up > paid ? max_double(paid, 0.0) / up : 1.0;
    for (size_t i = 0; i < g->members.count; ++i) {
        const double gain = cut_gain(world, i, &g->changes.items[i], dt, share, end_share);
        const uint32_t index = g->members.items[i];
        change_body(world, i, share, end_share);
        if (gain < 0.0)
            g->bodies.items[index].credit -= gain;
        if (!(gain > 0.0))
            continue;
        const double push =
            properties_of(world, index)->mass * vec_length_safe(tact_body_total_acceleration(world, index)) * gap;
        g->bodies.items[index].credit -= part * gain + number_min((1.0 - part) * gain, push);
        g->pushed += number_min((1.0 - part) * gain, push);
    }
    return TACT_OK;
}

/* ---- an island ---- */

double tact_contact_energy_kinetic(const tact_world *world, const contact_energy_frame *frame)
{
    const contact_graph *g = &world->advance->contacts;
    double sum = 0.0;
    for (size_t i = 0; i < g->members.count; ++i) {
        const contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state != CONTACT_FREE)
            sum += 0.5 * properties_of(world, g->members.items[i])->mass *
                       vec_length_squared(vec_sub(body->velocity, frame->velocity)) +
                   body->turning;
    }
    return sum;
}

void tact_contact_energy_limit(tact_world *world, const contact_energy_frame *frame, double before)
{
    contact_graph *g = &world->advance->contacts;
    double allowed = before, mass = 0.0;
    tact_vec3 momentum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < g->members.count; ++i) {
        const uint32_t index = g->members.items[i];
        const contact_body *body = &g->bodies.items[index];
        if (body->state == CONTACT_FREE)
            continue;
        const double m = properties_of(world, index)->mass;
        mass += m;
        momentum = vec_mul_add(momentum, m, body->velocity);
        allowed +=
            body->credit - g->duration * m * vec_dot(tact_body_total_acceleration(world, index), frame->velocity);
    }
    const double excess = tact_contact_energy_kinetic(world, frame) - allowed;
    if (!frame->exists || !(excess > 0.0))
        return;
    contact_energy_frame centre = *frame;
    if (frame->floats)
        centre.velocity = vec_scale(momentum, 1.0 / mass);
    const double kinetic = tact_contact_energy_kinetic(world, &centre);
    const double scale = kinetic > excess ? sqrt(1.0 - excess / kinetic) : 0.0;
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state == CONTACT_FREE)
            continue;
        body->velocity = vec_mul_add(centre.velocity, scale, vec_sub(body->velocity, centre.velocity));
        body->momentum = vec_scale(body->momentum, scale);
        body->turning *= scale * scale;
    }
}
