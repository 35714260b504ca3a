/*
 * The contact step: all awake islands, at a multiple of the contact step. See contact_graph.h.
 *
 * 1. The points of all contacts are computed. Contacts that have been apart for END_STEPS steps end, and bodies without
 *    contacts move freely again.
 * 2. Each island gets the velocities of the next step, or falls asleep (contact_island.c).
 *
 * Cost: about a microsecond per contact for its points, and the scheduling of each body.
 */
#include "advance/contact_step.h"

#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_energy.h"
#include "core/number.h"
#include "dynamics/rigid_body.h"

double tact_contact_next_step(const tact_world *world)
{
    const contact_graph *g = &world->advance->contacts;
    return g->awake > 0 ? g->next : INFINITY;
}

/* ---- bodies that enter and leave ---- */

/* The first multiple of the contact step after now; if that is below the resolution of the time, the next double. */
static double next_multiple(const tact_world *world)
{
    const double now = world->advance->time, h = world->contact_step, count = floor(now / h);
    for (int i = 1; i <= 2 && fabs(count) < MAX_MULTIPLE; ++i)
        if ((count + i) * h > now)
            return (count + i) * h;
    return nextafter(now, INFINITY);
}

/* The longest step of a body that spins: see MAX_STEP_ANGLE. */
static double spin_limit(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    if (ad->motions.items[index].sphere_radius != NOT_A_SPHERE)
        return INFINITY;
    const double spin = vec_length_safe(tact_contact_body_spin(world, index));
    return max_double(spin > 0.0 ? MAX_STEP_ANGLE / spin : INFINITY, world->contact_step / MAX_STEPS);
}

void tact_contact_reset_steps(tact_world *world)
{
    contact_graph *g = world->advance != NULL ? &world->advance->contacts : NULL;
    if (g != NULL) /* predictions rely on a step that is not after the one they were made with */
        g->next = g->awake > 0 ? number_min(g->next, next_multiple(world)) : next_multiple(world);
}

static void set_awake(tact_world *world, contact_body *body)
{
    contact_graph *g = &world->advance->contacts;
    if (g->awake == 0)
        g->next = next_multiple(world);
    ++g->awake;
    body->state = CONTACT_AWAKE;
    body->still_since = INFINITY;
    body->lock = 0;
    body->solved_step = 0;
}

void tact_contact_body_enter(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    contact_body *body = &g->bodies.items[index];
    if (world->cold.items[index].rigid == NULL || body->state != CONTACT_FREE)
        return;
    const tact_transform at = tact_advance_transform(world, index);
    const tact_motion motion = tact_advance_motion(world, index);
    const tact_vec3 arm = tact_transform_vector(at, world->cold.items[index].rigid->properties.centre);
    body->velocity = vec_add(motion.velocity, vec_cross(motion.spin, arm));
    tact_contact_body_set_spin(world, index, motion.spin);
    tact_contact_body_clear_gain(body);
    tact_contact_energy_credit(world, index, 0.0);
    body->newton_pause = 0;
    set_awake(world, body);
    g->next = number_min(g->next, world->advance->time + spin_limit(world, index));
    if (!(g->next > world->advance->time))
        g->next = nextafter(world->advance->time, INFINITY);
}

/* A contact body without contacts moves freely from now on. */
static void leave(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    contact_body *body = &g->bodies.items[index];
    if (body->state == CONTACT_FREE)
        return;
    const solver_body free_body = {.velocity = body->velocity, .spin = tact_contact_body_spin(world, index)};
    g->awake -= body->state == CONTACT_AWAKE;
    body->state = CONTACT_FREE;
    body->still_since = INFINITY;
    body->lock = 0;
    body->newton_pause = 0;
    tact_contact_set_motion(world, index, &free_body);
}

void tact_contact_wake(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    if (index >= g->bodies.count || g->bodies.items[index].state != CONTACT_ASLEEP)
        return;
    /* The lists of bodies are the stack: `slot` of a body is the contact to go on with, `visit` of a contact the body
     * it was reached from. Contacts of a sleeping island are in no solve. */
    set_awake(world, &g->bodies.items[index]);
    tact_contact_report_add(world, TACT_EVENT_WAKE, index, CONTACT_NONE);
    uint32_t current = index, from = CONTACT_NONE;
    g->bodies.items[current].slot = g->bodies.items[current].first;
    for (;;) {
        contact_body *body = &g->bodies.items[current];
        const uint32_t i = body->slot;
        if (i == CONTACT_NONE) {
            if (from == CONTACT_NONE)
                break;
            persistent_contact *back = &g->contacts.items[from];
            current = back->body[1 - contact_side(back, current)];
            from = back->visit;
            back->visit = 0;
            continue;
        }
        persistent_contact *c = &g->contacts.items[i];
        const int side = contact_side(c, current);
        body->slot = c->next[side];
        contact_body *other = &g->bodies.items[c->body[1 - side]];
        if (other->state != CONTACT_ASLEEP)
            continue;
        set_awake(world, other);
        tact_contact_report_add(world, TACT_EVENT_WAKE, c->body[1 - side], CONTACT_NONE);
        other->slot = other->first;
        c->visit = from;
        from = i;
        current = c->body[1 - side];
    }
}

/* Ends a contact. Bodies that have no other one stay contact bodies until the next step. */
static void end_contact(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    const uint32_t a = g->contacts.items[index].body[0], b = g->contacts.items[index].body[1];
    tact_contact_remove(g, index);
    tact_contact_report_add(world, TACT_EVENT_CONTACT_END, a, b);
    tact_prediction_set_apart(world->advance, a, b);
}

/* Drops the touches of an impact that are still to be reported: the body is elsewhere now. */
static void drop_touches(contact_graph *g, uint32_t index)
{
    size_t kept = g->next_report;
    for (size_t i = g->next_report; i < g->reports.count; ++i) {
        const contact_report *r = &g->reports.items[i];
        if (r->kind != TACT_EVENT_TOUCH || (r->a != index && r->b != index))
            g->reports.items[kept++] = *r;
    }
    g->reports.count = kept;
}

void tact_contact_body_changed(tact_world *world, uint32_t index, bool jumped)
{
    contact_graph *g = &world->advance->contacts;
    if (jumped && !g->solving)
        drop_touches(g, index);
    if (g->solving || index >= g->bodies.count)
        return;
    contact_body *body = &g->bodies.items[index];
    tact_contact_wake(world, index);
    for (uint32_t i = body->first; i != CONTACT_NONE;) { /* of a kinematic body, all islands on it */
        const persistent_contact *c = &g->contacts.items[i];
        const int side = contact_side(c, index);
        tact_contact_wake(world, c->body[1 - side]);
        i = c->next[side];
    }
    const bool has_mass = world->cold.items[index].rigid != NULL;
    if (body->state != CONTACT_FREE && has_mass) {
        const tact_motion motion = world->cold.items[index].motion;
        const tact_vec3 arm = tact_transform_vector(world->bodies.items[index].transform,
                                                    world->cold.items[index].rigid->properties.centre);
        const double debt = tact_contact_energy_debt(world, index);
        tact_contact_body_set_velocity_now(world, index, vec_add(motion.velocity, vec_cross(motion.spin, arm)),
                                           motion.spin);
        body->credit -= debt; /* the velocity is that of the caller */
    }
    if (jumped || (body->state != CONTACT_FREE && !has_mass))
        tact_contact_body_removed(world, index);
}

void tact_contact_body_removed(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    if (index >= g->bodies.count)
        return;
    contact_body *body = &g->bodies.items[index];
    tact_contact_wake(world, index);
    while (body->first != CONTACT_NONE) {
        const persistent_contact *c = &g->contacts.items[body->first];
        tact_contact_wake(world, c->body[1 - contact_side(c, index)]);
        end_contact(world, body->first);
    }
    if (body->state == CONTACT_AWAKE)
        tact_advance_mark_motion_changed(world, index); /* no step ends its motion */
    g->awake -= body->state == CONTACT_AWAKE;
    body->state = CONTACT_FREE;
    body->still_since = INFINITY;
    body->lock = 0;
    body->newton_pause = 0;
}

/* ---- points ---- */

/* A bound of the distance by which a body can change a gap within a step. That of an awake body has been set. */
static double step_reach(const tact_world *world, uint32_t index)
{
    const double h = world->contact_step;
    const advance *ad = world->advance;
    const contact_body *body = &ad->contacts.bodies.items[index];
    if (body->state == CONTACT_AWAKE)
        return body->reach;
    if (!ad->cold.items[index].moves)
        return 0.0;
    const tact_motion motion = tact_advance_motion(world, index);
    return h * (vec_length_safe(motion.velocity) +
                vec_length_safe(motion.spin) * body_motion_reach(&ad->cold.items[index]) +
                h * vec_length_safe(motion.acceleration));
}

/* Likewise of an awake body. */
static double awake_reach(const tact_world *world, uint32_t index)
{
    const double h = world->contact_step;
    const advance *ad = world->advance;
    return h * (vec_length_safe(ad->contacts.bodies.items[index].velocity) +
                vec_length_safe(tact_contact_body_spin(world, index)) * body_motion_reach(&ad->cold.items[index]) +
                h * vec_length_safe(tact_body_total_acceleration(world, index)));
}

/* Computes the points of all contacts of awake bodies. */
static tact_status update_points(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    for (size_t i = 0; i < g->contacts.count; ++i) {
        persistent_contact *c = &g->contacts.items[i];
        if (c->body[0] == CONTACT_NONE ||
            (g->bodies.items[c->body[0]].state != CONTACT_AWAKE && g->bodies.items[c->body[1]].state != CONTACT_AWAKE))
            continue;
        const double reach =
            step_reach(world, c->body[0]) + step_reach(world, c->body[1]) + END_GAP * tact_contact_rest_gap(c);
        const bool deforms = tact_contact_deforming_side(world, c) >= 0; /* its vertices may come from anywhere near */
        const tact_status status = tact_contact_update_points(world, c, deforms ? MAX_CONTACT_REACH * c->size : reach);
        if (status != TACT_OK)
            return status;
    }
    return TACT_OK;
}

/* Ends contacts that have been apart, and frees bodies without contacts. */
static void end_contacts(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    for (uint32_t i = 0; i < g->contacts.count; ++i) {
        persistent_contact *c = &g->contacts.items[i];
        if (c->body[0] == CONTACT_NONE || c->time != world->advance->time)
            continue;
        c->steps_apart = c->gap > END_GAP * tact_contact_rest_gap(c) ? c->steps_apart + 1 : 0;
        c->cuts = 0;
        const uint32_t lock = g->bodies.items[c->body[0]].lock;
        if (lock != 0 && lock == g->bodies.items[c->body[1]].lock)
            c->allowed_depth = max_double(-c->gap, 0.0); /* it may have been crushed */
        tact_contact_update_depth(world, c);
        if (c->steps_apart >= END_STEPS)
            end_contact(world, i);
    }
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        g->bodies.items[i].lock = 0;
        if (g->bodies.items[i].state == CONTACT_AWAKE && g->bodies.items[i].degree == 0)
            leave(world, i);
    }
}

/* ---- the step ---- */

/* Reserves memory for one island of all bodies and contacts, so that the step cannot fail halfway. */
static bool reserve(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const tact_allocator *allocator = &world->allocator;
    size_t points = 0, members = g->awake;
    for (size_t i = 0; i < g->contacts.count; ++i)
        if (g->contacts.items[i].body[0] != CONTACT_NONE) {
            points += g->contacts.items[i].point_count;
            members += 1 + g->contacts.items[i].point_count; /* its kinematic body; of moving vertices, one per point */
        }
    return contact_index_array_reserve(&g->members, allocator, members) &&
           contact_vec_array_reserve(&g->centres, allocator, members) &&
           solver_body_array_reserve(&g->solver_bodies, allocator, members) &&
           solver_body_array_reserve(&g->start, allocator, members) &&
           solver_body_array_reserve(&g->moved, allocator, members) &&
           solver_body_array_reserve(&g->other, allocator, members) &&
           contact_vec_array_reserve(&g->accelerations, allocator, members) &&
           solver_point_array_reserve(&g->points, allocator, points) &&
           solver_origin_array_reserve(&g->origins, allocator, points) &&
           contact_index_array_reserve(&g->used, allocator, g->contacts.count) &&
           tact_newton_reserve(&g->newton, allocator, members, points, NEAR_MAX_COST);
}

tact_status tact_contact_step_run(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    for (uint32_t i = 0; i < g->bodies.count; ++i)
        if (g->bodies.items[i].state == CONTACT_AWAKE) {
            tact_contact_body_end_gain(world, i);
            g->bodies.items[i].reach = awake_reach(world, i);
        }
    const tact_status status = update_points(world);
    if (status != TACT_OK)
        return status;
    if (!reserve(world))
        return TACT_OUT_OF_MEMORY;
    tact_step_sweeps_reserve(&g->sweeps, &world->allocator, g->awake);
    end_contacts(world);
    const double now = world->advance->time, end = next_multiple(world);
    double limit = world->contact_step;
    for (uint32_t i = 0; i < g->bodies.count; ++i)
        if (g->bodies.items[i].state == CONTACT_AWAKE)
            limit = number_min(limit, spin_limit(world, i));
    const double parts = ceil((1.0 - STEP_ROUNDOFF) * (end - now) / limit);
    const double next = parts > 1.0 ? now + (end - now) / parts : end;
    g->next = next > now ? next : nextafter(now, INFINITY);
    g->duration = g->next - now;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        contact_body *body = &g->bodies.items[i];
        if (body->state != CONTACT_AWAKE || body->solved_step == g->step)
            continue;
        tact_contact_island_solve(world, i);
    }
    ++g->step;
    return TACT_OK;
}
