/* The bodies and points of one solve: taken from the world, and written back to it. See contact_step.h. */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_energy.h"
#include "advance/contact_step.h"
#include "core/number.h"
#include "dynamics/rigid_body.h"
#include "motion/motion.h"

double tact_contact_rest_gap(const persistent_contact *c) { return REST_GAP * c->size; }

void tact_contact_update_depth(const tact_world *world, persistent_contact *c)
{
    const double depth = max_double(-c->gap, 0.0);
    const double most = max_double(MAX_CONTACT_DEPTH * c->size, tact_contact_tolerance(world, c));
    c->allowed_depth = number_min(max_double(c->allowed_depth, most), depth);
}

double tact_contact_rest_speed(const tact_world *world, double size) { return REST_GAP * size / world->contact_step; }

void tact_contact_set_begin(contact_graph *g, bool hold)
{
    g->hold_locked = hold;
    g->members.count = g->centres.count = g->solver_bodies.count = g->start.count = 0;
    g->points.count = g->origins.count = g->used.count = 0;
    ++g->last_visit;
}

void tact_contact_set_end(contact_graph *g)
{
    for (size_t i = 0; i < g->members.count; ++i)
        g->bodies.items[g->members.items[i]].slot = CONTACT_NONE;
}

/* ---- angular momentum ---- */

/* A body keeps its angular momentum from step to step, not its spin: where its moments of inertia differ, a constant
 * spin would add energy. See contact_energy.c for what remains. */

tact_vec3 tact_contact_body_spin(const tact_world *world, uint32_t index)
{
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inverse = tact_mass_properties_inverse_inertia(&world->cold.items[index].rigid->properties, &at);
    return sym3_mul(&inverse, world->advance->contacts.bodies.items[index].momentum);
}

void tact_contact_body_add_spin(tact_world *world, uint32_t index, tact_vec3 spin)
{
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inertia = tact_mass_properties_inertia(&world->cold.items[index].rigid->properties, &at);
    tact_vec3 *momentum = &world->advance->contacts.bodies.items[index].momentum;
    tact_contact_energy_settle(world, index);
    *momentum = vec_add(*momentum, sym3_mul(&inertia, spin));
    tact_contact_energy_turned(world, index);
}

void tact_contact_body_set_spin(tact_world *world, uint32_t index, tact_vec3 spin)
{
    world->advance->contacts.bodies.items[index].momentum = vec_make(0.0, 0.0, 0.0);
    tact_contact_body_add_spin(world, index, spin);
}

void tact_contact_body_clear_gain(contact_body *body) { body->gain = body->gain_momentum = vec_make(0.0, 0.0, 0.0); }

double tact_contact_body_gain_left(const tact_world *world, uint32_t index)
{
    const contact_body *body = &world->advance->contacts.bodies.items[index];
    const double all = body->gain_end - body->gain_time;
    return all > 0.0 ? number_min(max_double((body->gain_end - world->advance->time) / all, 0.0), 1.0) : 0.0;
}

void tact_contact_body_end_gain(tact_world *world, uint32_t index)
{
    contact_body *body = &world->advance->contacts.bodies.items[index];
    world->advance->contacts.pushed += tact_contact_energy_now(world, index, tact_contact_body_gain_left(world, index),
                                                               &body->velocity, &body->momentum);
    tact_contact_energy_turned(world, index);
    tact_contact_energy_credit(world, index, 0.0);
    tact_contact_body_clear_gain(body);
}

tact_vec3 tact_contact_body_velocity_now(const tact_world *world, uint32_t index, tact_vec3 *spin)
{
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inverse = tact_mass_properties_inverse_inertia(&world->cold.items[index].rigid->properties, &at);
    tact_vec3 velocity, momentum;
    (void)tact_contact_energy_now(world, index, tact_contact_body_gain_left(world, index), &velocity, &momentum);
    *spin = sym3_mul(&inverse, momentum);
    return velocity;
}

void tact_contact_body_set_velocity_now(tact_world *world, uint32_t index, tact_vec3 velocity, tact_vec3 spin)
{
    contact_body *body = &world->advance->contacts.bodies.items[index];
    const double left = tact_contact_body_gain_left(world, index),
                 credit = tact_contact_energy_credit_left(world, index, left);
    body->gain = vec_scale(body->gain, left);
    body->gain_momentum = vec_scale(body->gain_momentum, left);
    body->gain_time = world->advance->time;
    tact_contact_energy_credit(world, index, credit);
    body->velocity = vec_add(velocity, body->gain);
    tact_contact_body_set_spin(world, index, spin);
    body->momentum = vec_add(body->momentum, body->gain_momentum);
    tact_contact_energy_turned(world, index);
}

static tact_vec3 rotate_by(tact_vec3 v, tact_vec3 angles)
{
    const double angle = vec_length_safe(angles);
    if (!(angle > 0.0))
        return v;
    const axis_rotation rotation = axis_rotation_make(vec_normalize(angles), angle); /* 1 / angle may overflow */
    return axis_rotation_apply(&rotation, v);
}

/* The mean spin w of a free rotation over dt: the inverse inertia at the start times the mean of the angular momenta,
 * in body coordinates, at the start and after a rotation by dt w. So the rotation conserves the momentum and the energy
 * (the implicit midpoint rule: Austin, Krishnaprasad and Wang 1993), and its error is of second order. */
static tact_vec3 mean_spin(const tact_world *world, uint32_t index, double dt)
{
    const tact_vec3 momentum = world->advance->contacts.bodies.items[index].momentum;
    const tact_transform at = tact_advance_transform(world, index);
    const sym3 inverse = tact_mass_properties_inverse_inertia(&world->cold.items[index].rigid->properties, &at);
    tact_vec3 spin = sym3_mul(&inverse, momentum);
    double change = INFINITY;
    for (int i = 0; i < MEAN_SPIN_ITERATIONS && change > MEAN_SPIN_ACCURACY * vec_length_safe(spin); ++i) {
        const tact_vec3 mean = vec_scale(vec_add(momentum, rotate_by(momentum, vec_scale(spin, -dt))), 0.5),
                        next = sym3_mul(&inverse, mean);
        change = vec_length_safe(vec_sub(next, spin));
        spin = next;
    }
    return spin;
}

uint32_t tact_contact_set_body(tact_world *world, uint32_t index, double dt, bool next)
{
    contact_graph *g = &world->advance->contacts;
    contact_body *body = &g->bodies.items[index];
    if (body->slot != CONTACT_NONE)
        return body->slot;
    const tact_allocator *allocator = &world->allocator;
    const tact_transform at = tact_advance_transform(world, index);
    const tact_motion motion = tact_advance_motion(world, index);
    const rigid_body *r = world->cold.items[index].rigid;
    solver_body b = {.velocity = motion.velocity, .spin = motion.spin};
    tact_vec3 centre = at.origin;
    if (r == NULL) {
        b.velocity = vec_mul_add(b.velocity, 0.5 * dt, motion.acceleration); /* its mean */
    } else {
        centre = tact_transform_point(at, r->properties.centre);
        b.velocity = vec_add(b.velocity, vec_cross(b.spin, vec_sub(centre, at.origin)));
        if (!(g->hold_locked && body->lock != 0)) {
            b.inverse_mass = 1.0 / r->properties.mass;
            b.inverse_inertia = tact_mass_properties_inverse_inertia(&r->properties, &at);
        }
        if (next && body->state != CONTACT_FREE) {
            b.velocity = body->velocity;
            b.spin = mean_spin(world, index, dt);
        }
    }
    if (!contact_index_array_push(&g->members, allocator, index))
        return CONTACT_NONE;
    const uint32_t slot = (uint32_t)g->members.count - 1;
    if (!contact_vec_array_push(&g->centres, allocator, centre) ||
        !solver_body_array_push(&g->solver_bodies, allocator, b) || !solver_body_array_push(&g->start, allocator, b)) {
        g->members.count = g->centres.count = g->solver_bodies.count = g->start.count = slot;
        return CONTACT_NONE;
    }
    body->slot = slot;
    return slot;
}

bool tact_contact_set_points(tact_world *world, uint32_t index, double dt, bool next)
{
    contact_graph *g = &world->advance->contacts;
    persistent_contact *c = &g->contacts.items[index];
    if (c->visit == g->last_visit)
        return true;
    const uint32_t slots[2] = {tact_contact_set_body(world, c->body[0], dt, next),
                               tact_contact_set_body(world, c->body[1], dt, next)};
    const tact_allocator *allocator = &world->allocator;
    if (slots[0] == CONTACT_NONE || slots[1] == CONTACT_NONE ||
        !solver_point_array_reserve(&g->points, allocator, g->points.count + c->point_count) ||
        !solver_origin_array_reserve(&g->origins, allocator, g->origins.count + c->point_count) ||
        !contact_index_array_push(&g->used, allocator, index))
        return false;
    c->visit = g->last_visit;
    const tact_vec3 centres[2] = {g->centres.items[slots[0]], g->centres.items[slots[1]]};
    const size_t first = g->members.count;
    for (uint32_t i = 0; i < c->point_count; ++i) {
        const contact_point *p = &c->points[i];
        uint32_t own[2] = {slots[0], slots[1]};
        if (!tact_contact_deforming_slots(world, c, p, first, own))
            return false;
        solver_point *s = &g->points.items[g->points.count++];
        *s = (solver_point){
            .body = {own[0], own[1]}, .friction = c->material.friction, .rolling = c->material.rolling_friction};
        tact_solver_point_init(s, g->solver_bodies.items, centres, p->position, p->normal);
        g->origins.items[g->origins.count++] = (solver_origin){index, i};
    }
    return true;
}

double tact_contact_set_closing_speed(const contact_graph *g)
{
    double fastest = 0.0;
    for (size_t i = 0; i < g->points.count; ++i)
        fastest = max_double(fastest, -tact_solver_point_velocity(&g->points.items[i], g->solver_bodies.items, 0));
    return fastest;
}

void tact_contact_set_pause_newton(contact_graph *g)
{
    for (size_t i = 0; i < g->members.count; ++i)
        if (g->bodies.items[g->members.items[i]].state != CONTACT_FREE)
            g->bodies.items[g->members.items[i]].newton_pause = NEWTON_PAUSE;
}

tact_status tact_contact_set_refine(tact_world *world, double tolerance)
{
    contact_graph *g = &world->advance->contacts;
    for (size_t i = 0; i < g->members.count; ++i)
        if (g->bodies.items[g->members.items[i]].state != CONTACT_FREE &&
            g->bodies.items[g->members.items[i]].newton_pause > 0)
            return TACT_OK; /* it has failed for this body lately */
    if (!solver_body_array_reserve(&g->other, &world->allocator, g->members.count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < g->members.count; ++i) {
        g->other.items[i] = g->solver_bodies.items[i];
        g->solver_bodies.items[i] = g->start.items[i];
    }
    const newton_result result =
        tact_newton_solve(g->points.items, g->points.count, g->solver_bodies.items, g->solver_bodies.count, tolerance,
                          FAR_MAX_COST, &g->newton, &world->allocator);
    if (result == NEWTON_CONVERGED || result == NEWTON_OUT_OF_MEMORY)
        return result == NEWTON_CONVERGED ? TACT_OK : TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < g->members.count; ++i)
        g->solver_bodies.items[i] = g->other.items[i];
    tact_contact_set_pause_newton(g);
    return TACT_OK;
}

void tact_contact_set_motion(tact_world *world, uint32_t index, const solver_body *b)
{
    advance *ad = world->advance;
    const tact_transform at = tact_advance_transform(world, index);
    const tact_vec3 centre = tact_transform_point(at, world->cold.items[index].rigid->properties.centre);
    tact_motion motion = world->cold.items[index].motion;
    motion.velocity = vec_add(b->velocity, vec_cross(b->spin, vec_sub(at.origin, centre)));
    motion.spin = b->spin;
    if (!motion_is_valid(&motion)) /* masses or speeds out of range: it stops */
        motion.velocity = motion.spin = vec_make(0.0, 0.0, 0.0);
    ad->contacts.solving = true;
    tact_body_redirect(world, index, motion);
    ad->contacts.solving = false;
}

void tact_contact_set_changed_motion(tact_world *world, size_t slot)
{
    contact_graph *g = &world->advance->contacts;
    contact_body *body = &g->bodies.items[g->members.items[slot]];
    const solver_body *now = &g->solver_bodies.items[slot], *start = &g->start.items[slot];
    if (body->state != CONTACT_AWAKE ||
        (vec_equal(now->velocity, start->velocity) && vec_equal(now->spin, start->spin)))
        return;
    body->lock = 0;
    tact_contact_set_motion(world, g->members.items[slot], now);
}
