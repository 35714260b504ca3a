/*
 * The contact step: all awake islands, at a multiple of the contact step. See contact_graph.h.
 *
 * 1. The points of all contacts are computed. Contacts that have been apart for END_STEPS steps end, and bodies without
 *    contacts move freely again.
 * 2. For each island the solver finds the velocities of the next step, from those of the last step plus acceleration
 *    times h (symplectic Euler). A point with a gap above the rest gap may close it to the rest gap within the step
 *    (a speculative contact); one below opens by GAP_RESTORATION of what is missing.
 * 3. The velocities without the restoring speed are what the next step starts with.
 * 4. Islands that have been still for SLEEP_DELAY fall asleep.
 *
 * Cost: about a microsecond per contact for its points, 0.1 per point and iteration, and the scheduling of each body.
 */
#include "advance/contact_step.h"

#include <math.h>

#include "advance/advance_constants.h"
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
    for (int i = 1; i <= 2; ++i)
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
        g->next = g->awake > 0 ? fmin(g->next, next_multiple(world)) : next_multiple(world);
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
    set_awake(world, body);
    g->next = fmin(g->next, world->advance->time + spin_limit(world, index));
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

void tact_contact_body_changed(tact_world *world, uint32_t index, bool jumped)
{
    contact_graph *g = &world->advance->contacts;
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
        body->velocity = vec_add(motion.velocity, vec_cross(motion.spin, arm));
        tact_contact_body_set_spin(world, index, motion.spin);
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
}

/* ---- points ---- */

/* A bound of the distance by which a body can change a gap within a step. */
static double step_reach(const tact_world *world, uint32_t index)
{
    const double h = world->contact_step;
    const advance *ad = world->advance;
    const contact_body *body = &ad->contacts.bodies.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    const tact_motion motion = tact_advance_motion(world, index);
    const bool dynamic = body->state != CONTACT_FREE;
    const tact_vec3 v = dynamic ? body->velocity : motion.velocity,
                    w = dynamic ? tact_contact_body_spin(world, index) : motion.spin;
    return h * (vec_length_safe(v) + vec_length_safe(w) * body_motion_size(cold) +
                h * vec_length_safe(motion.acceleration));
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
        const tact_status status = tact_contact_update_points(world, c, reach);
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
        tact_contact_update_depth(c);
        if (c->steps_apart >= END_STEPS)
            end_contact(world, i);
    }
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        g->bodies.items[i].lock = 0;
        if (g->bodies.items[i].state == CONTACT_AWAKE && g->bodies.items[i].degree == 0)
            leave(world, i);
    }
}

/* ---- one island ---- */

/* Adds the bodies and points of the island of a body to the solve. False: out of memory. */
static bool gather_island(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    tact_contact_set_begin(g);
    if (tact_contact_set_body(world, index, g->duration, true) == CONTACT_NONE)
        return false;
    for (size_t k = 0; k < g->members.count; ++k) {
        const uint32_t member = g->members.items[k];
        if (g->bodies.items[member].state == CONTACT_FREE)
            continue; /* kinematic */
        for (uint32_t i = g->bodies.items[member].first; i != CONTACT_NONE;) {
            if (!tact_contact_set_points(world, i, g->duration, true))
                return false;
            i = g->contacts.items[i].next[contact_side(&g->contacts.items[i], member)];
        }
    }
    return true;
}

/* Targets and starting impulses of all points. `restore`: with the speed that restores the rest gap. */
static void set_targets(const tact_world *world, bool restore)
{
    contact_graph *g = &world->advance->contacts;
    const double h = g->duration;
    for (size_t i = 0; i < g->points.count; ++i) {
        const persistent_contact *c = &g->contacts.items[g->origins.items[i].contact];
        const double missing = tact_contact_rest_gap(c) - c->points[g->origins.items[i].point].gap;
        g->points.items[i].target = missing < 0.0 ? missing / h
                                    : restore     ? fmin(GAP_RESTORATION * missing / h, MAX_PUSH_SPEED * c->size)
                                                  : 0.0;
    }
}

static void warm_start(contact_graph *g, double last_duration)
{
    const double scale = last_duration > 0.0 ? g->duration / last_duration : 0.0;
    for (size_t i = 0; i < g->points.count; ++i) {
        const contact_point *p = &g->contacts.items[g->origins.items[i].contact].points[g->origins.items[i].point];
        solver_point *s = &g->points.items[i];
        s->rows[0].impulse = scale * p->impulse;
        s->rows[1].impulse = scale * vec_dot(p->friction, s->rows[1].direction);
        s->rows[2].impulse = scale * vec_dot(p->friction, s->rows[2].direction);
        s->roll = vec_scale(p->roll, scale);
    }
}

/* The velocities before the contact impulses, which stay. */
static void restart(contact_graph *g)
{
    for (size_t i = 0; i < g->members.count; ++i)
        g->solver_bodies.items[i] = g->start.items[i];
}

/* Solves all points of the set, from the impulses that they have and velocities without these: directly if their graph
 * is narrow, else by iteration. */
static void solve_points(tact_world *world, double tolerance)
{
    contact_graph *g = &world->advance->contacts;
    const double accurate = DIRECT_ACCURACY * tolerance;
    if (g->members.count <= FEW_BODIES) {
        tact_solver_apply(g->points.items, g->points.count, g->solver_bodies.items);
        if (tact_solver_solve(g->points.items, g->points.count, g->solver_bodies.items, FEW_ACCURACY * tolerance,
                              FIRST_ITERATIONS) <= accurate)
            return;
        restart(g);
    }
    const newton_result direct = tact_newton_solve(g->points.items, g->points.count, g->solver_bodies.items,
                                                   g->solver_bodies.count, accurate, &g->newton, &world->allocator);
    if (direct == NEWTON_CONVERGED)
        return;
    if (direct != NEWTON_IMPROVED)
        tact_solver_apply(g->points.items, g->points.count, g->solver_bodies.items);
    (void)tact_solver_solve(g->points.items, g->points.count, g->solver_bodies.items, tolerance, SOLVER_ITERATIONS);
}

static void store_impulses(contact_graph *g)
{
    for (size_t i = 0; i < g->points.count; ++i) {
        contact_point *p = &g->contacts.items[g->origins.items[i].contact].points[g->origins.items[i].point];
        const solver_point *s = &g->points.items[i];
        p->impulse = s->rows[0].impulse;
        p->friction =
            vec_mul_add(vec_scale(s->rows[1].direction, s->rows[1].impulse), s->rows[2].impulse, s->rows[2].direction);
        p->roll = s->roll;
    }
}

/* Whether a body hardly moves. */
static bool is_still(const tact_world *world, uint32_t index, const solver_body *b)
{
    const double size = body_motion_size(&world->advance->cold.items[index]);
    return vec_length_safe(b->velocity) + vec_length_safe(b->spin) * size <=
           SLEEP_SPEED * tact_contact_rest_speed(world, size);
}

/* Whether a kinematic body does not move now. If it has a plan, its next motion wakes the bodies on it. */
static bool is_at_rest(const tact_world *world, uint32_t index)
{
    const tact_motion motion = tact_advance_motion(world, index);
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return vec_equal(motion.velocity, zero) && vec_equal(motion.acceleration, zero) && vec_equal(motion.spin, zero);
}

/* Puts the island to sleep if all its bodies have been still for long enough. */
static bool falls_asleep(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const double now = world->advance->time;
    bool asleep = !world->never_sleeps, supported = false; /* an island that touches nothing fixed may drift slowly */
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state == CONTACT_FREE) {
            supported = true;
            asleep = asleep && is_at_rest(world, g->members.items[i]);
            continue;
        }
        if (!is_still(world, g->members.items[i], &g->solver_bodies.items[i]))
            body->still_since = INFINITY;
        else
            body->still_since = fmin(body->still_since, now);
        asleep = asleep && now - body->still_since >= SLEEP_DELAY;
    }
    return asleep && supported;
}

static void solve_island(tact_world *world, double last_duration)
{
    contact_graph *g = &world->advance->contacts;
    const double h = g->duration;
    double speed = INFINITY; /* the accuracy is relative to the rest speed of the smallest contact */
    for (size_t i = 0; i < g->used.count; ++i)
        speed = fmin(speed, tact_contact_rest_speed(world, g->contacts.items[g->used.items[i]].size));
    for (size_t i = 0; i < g->members.count; ++i)
        if (g->bodies.items[g->members.items[i]].state != CONTACT_FREE)
            g->solver_bodies.items[i].velocity = g->start.items[i].velocity =
                vec_mul_add(g->start.items[i].velocity, h, tact_body_total_acceleration(world, g->members.items[i]));
    set_targets(world, true);
    warm_start(g, last_duration);
    solve_points(world, SOLVER_ACCURACY * speed);
    const bool asleep = falls_asleep(world);
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state == CONTACT_FREE)
            continue;
        const solver_body still = {0};
        if (asleep) {
            body->state = CONTACT_ASLEEP;
            body->velocity = body->momentum = vec_make(0.0, 0.0, 0.0);
            --g->awake;
            tact_contact_report_add(world, TACT_EVENT_SLEEP, g->members.items[i], CONTACT_NONE);
        }
        tact_contact_set_motion(world, g->members.items[i], asleep ? &still : &g->solver_bodies.items[i]);
    }
    if (asleep) {
        store_impulses(g);
        return;
    }
    set_targets(world, false);
    restart(g);
    solve_points(world, SOLVER_ACCURACY * speed);
    store_impulses(g);
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state != CONTACT_FREE) {
            body->velocity = g->solver_bodies.items[i].velocity;
            tact_contact_body_add_spin(world, g->members.items[i],
                                       vec_sub(g->solver_bodies.items[i].spin, g->start.items[i].spin));
        }
    }
}

/* Reserves memory for one island of all bodies and contacts, so that the step cannot fail halfway. */
static bool reserve(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const tact_allocator *allocator = &world->allocator;
    size_t points = 0, members = g->awake;
    for (size_t i = 0; i < g->contacts.count; ++i)
        if (g->contacts.items[i].body[0] != CONTACT_NONE) {
            points += g->contacts.items[i].point_count;
            ++members; /* its kinematic body */
        }
    return contact_index_array_reserve(&g->members, allocator, members) &&
           contact_vec_array_reserve(&g->centres, allocator, members) &&
           solver_body_array_reserve(&g->solver_bodies, allocator, members) &&
           solver_body_array_reserve(&g->start, allocator, members) &&
           solver_point_array_reserve(&g->points, allocator, points) &&
           solver_origin_array_reserve(&g->origins, allocator, points) &&
           contact_index_array_reserve(&g->used, allocator, g->contacts.count);
}

tact_status tact_contact_step_run(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const tact_status status = update_points(world);
    if (status != TACT_OK)
        return status;
    if (!reserve(world))
        return TACT_OUT_OF_MEMORY;
    tact_step_sweeps_reserve(&g->sweeps, &world->allocator, g->awake);
    end_contacts(world);
    const double now = world->advance->time, end = next_multiple(world), last_duration = g->duration;
    double limit = world->contact_step;
    for (uint32_t i = 0; i < g->bodies.count; ++i)
        if (g->bodies.items[i].state == CONTACT_AWAKE)
            limit = fmin(limit, spin_limit(world, i));
    const double parts = ceil((end - now) / limit);
    const double next = parts > 1.0 ? now + (end - now) / parts : end;
    g->next = next > now ? next : nextafter(now, INFINITY);
    g->duration = g->next - now;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        contact_body *body = &g->bodies.items[i];
        if (body->state != CONTACT_AWAKE || body->solved_step == g->step)
            continue;
        (void)gather_island(world, i); /* the memory is there */
        solve_island(world, last_duration);
        for (size_t k = 0; k < g->members.count; ++k)
            g->bodies.items[g->members.items[k]].solved_step = g->step;
        tact_contact_set_end(g);
    }
    ++g->step;
    return TACT_OK;
}
