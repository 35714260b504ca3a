/*
 * The energy of contact bodies: no step adds any. See contact_energy.h.
 *
 * A step is a change of momenta at its start, and a motion of constant velocity and spin. Three things would add
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
 *    acceleration, and the rest from all its velocities, unless it is nearly at rest (PATH_PART). What the push raises
 *    is not taken back: it would slow bodies that slide.
 *
 * So the energy of an island, kinetic and that of the accelerations, does not grow at contact steps, except by the
 * push, by bodies at rest that a cut raises, and by kinematic bodies that move differently. The scaling is of second
 * order in the step. Momentum of an island that touches nothing kinematic is conserved by 1, and by 3 without
 * accelerations.
 */
#include "advance/contact_energy.h"

#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_step.h"
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

void tact_contact_energy_now(const tact_world *world, uint32_t index, double left, tact_vec3 *velocity,
                             tact_vec3 *momentum)
{
    const contact_body *body = &world->advance->contacts.bodies.items[index];
    const double mass = properties_of(world, index)->mass, turned = turning_energy(world, index, body->momentum);
    *velocity = vec_mul_add(body->velocity, -left, body->gain);
    *momentum = vec_mul_add(body->momentum, -left, body->gain_momentum);
    if (turned > 0.0)
        *momentum = vec_scale(*momentum, sqrt(body->turning / turned));
    const tact_vec3 zero = {0.0, 0.0, 0.0}, a = tact_body_total_acceleration(world, index);
    const double work = mass * vec_dot(a, vec_sub(centre_of(world, index), body->from));
    const bool has_all = vec_equal(body->gain, zero) && vec_equal(body->gain_momentum, zero);
    const double credit = (has_all ? 1.0 : 1.0 - left) * body->credit;
    double excess = credit - work;
    if (!(excess > 0.0))
        return;
    /* first from the velocity along the acceleration, which has gained it; then from all, unless the body is nearly at
     * rest: then it was raised by a push */
    const tact_vec3 along = vec_normalize(a);
    const double fall = max_double(vec_dot(*velocity, along), 0.0), most = 0.5 * mass * fall * fall;
    const double slower = excess < most ? sqrt(max_double(fall * fall - 2.0 * excess / mass, 0.0)) : 0.0;
    *velocity = vec_mul_add(*velocity, slower - fall, along);
    excess -= most;
    const double kinetic = 0.5 * mass * vec_length_squared(*velocity) + turning_energy(world, index, *momentum);
    if (!(excess > 0.0) || !(excess <= PATH_PART * kinetic))
        return;
    *velocity = vec_scale(*velocity, sqrt(1.0 - excess / kinetic));
    *momentum = vec_scale(*momentum, sqrt(1.0 - excess / kinetic));
}

void tact_contact_energy_open(tact_world *world, size_t slot, double dt, double gap)
{
    contact_graph *g = &world->advance->contacts;
    const uint32_t index = g->members.items[slot];
    contact_body *body = &g->bodies.items[index];
    if (body->state == CONTACT_FREE)
        return;
    const tact_vec3 a = tact_body_total_acceleration(world, index);
    const double raised =
        -dt * vec_dot(a, vec_sub(g->solver_bodies.items[slot].velocity, g->start.items[slot].velocity));
    if (raised > 0.0)
        body->credit -= properties_of(world, index)->mass * fmin(raised, vec_length_safe(a) * gap);
}

/* ---- an island ---- */

contact_energy_frame tact_contact_energy_frame(const tact_world *world)
{
    const contact_graph *g = &world->advance->contacts;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    contact_energy_frame frame = {.exists = true, .floats = true};
    for (size_t i = 0; i < g->members.count; ++i) {
        const uint32_t index = g->members.items[i];
        if (g->bodies.items[index].state != CONTACT_FREE)
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
