/*
 * Persistent pairs that touch within a contact step: the step is cut for the bodies that this reaches.
 *
 * Reach. The velocities of the two bodies are solved again, at first by this contact alone. A contact is added when the
 * changes of velocities take more than LOST_GAP from its gap by the end of the step. So the cost depends on the bodies
 * that get in the way, not on the island. (Impacts change the velocities that bodies keep: there a body whose velocity
 * changes by more than REACH_CHANGE of its rest speed and REACH_PART of the approach speed adds its other contacts.)
 *
 * Progress. With constant velocity and spin, the gap of the pair has a second derivative of at least -k, where k sums
 * w^2 r and 2 w v over the bodies (centripetal and Coriolis). So if the points separate with k t / 2, the pair does not
 * touch again within t. Here t is the rest of the step or, if that is less, the time in which the gap grows to a
 * quarter of the rest gap: more would toss bodies that spin fast. After MAX_CUTS the two bodies are locked: they, and
 * all that are locked to them, move as one until the step ends. Cuts of other contacts do not change locked bodies. So
 * the number of locks in a step is less than that of bodies.
 *
 * With the motions the velocities change, as far as that takes energy from them (contact_energy.h). What is left of the
 * approach, the next step resolves.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_energy.h"
#include "advance/contact_step.h"
#include "core/number.h"
#include "dynamics/rigid_body.h"

/* ---- safe pairs ---- */

static bool is_sphere(const advance *ad, uint32_t index)
{
    return ad->motions.items[index].sphere_radius != NOT_A_SPHERE;
}

/* The fastest that a point of a body moves along a direction, beyond its velocity: by rotation. */
static double rotation_speed(const advance *ad, uint32_t index)
{
    const body_motion_cold *cold = &ad->cold.items[index];
    return is_sphere(ad, index) ? 0.0 : vec_length_safe(cold->motion.spin) * body_motion_size(cold);
}

/* Whether two bodies that overlap deeply separate at all their points. A search for the time at which they are deeper
 * would find it at once. */
static bool comes_apart(const tact_world *world, const persistent_contact *c)
{
    const advance *ad = world->advance;
    if (!(c->allowed_depth > DEEP_OVERLAP * c->size) || c->time != ad->time)
        return false;
    tact_motion m[2];
    tact_vec3 origin[2];
    for (int i = 0; i < 2; ++i) {
        m[i] = body_motion_motion(&ad->motions.items[c->body[i]], &ad->cold.items[c->body[i]], ad->time);
        origin[i] = body_motion_origin(&ad->motions.items[c->body[i]], &ad->cold.items[c->body[i]], ad->time);
    }
    for (uint32_t k = 0; k < c->point_count; ++k) {
        const contact_point *p = &c->points[k];
        const tact_vec3 a = vec_add(m[0].velocity, vec_cross(m[0].spin, vec_sub(p->position, origin[0]))),
                        b = vec_add(m[1].velocity, vec_cross(m[1].spin, vec_sub(p->position, origin[1])));
        if (!(vec_dot(p->normal, vec_sub(b, a)) >= 0.0))
            return false;
    }
    return c->point_count > 0;
}

bool tact_contact_is_safe(const tact_world *world, const persistent_contact *c)
{
    const advance *ad = world->advance;
    const contact_body *a = &ad->contacts.bodies.items[c->body[0]], *b = &ad->contacts.bodies.items[c->body[1]];
    if (!ad->cold.items[c->body[0]].moves && !ad->cold.items[c->body[1]].moves)
        return true;
    if (a->lock != 0 && a->lock == b->lock)
        return true;
    if (comes_apart(world, c))
        return true;
    return c->pending; /* its bodies get another motion before the time advances */
}

/* ---- cuts ---- */

/* A bound of minus the second derivative of the gap of two bodies: see above. */
static double gap_curvature(const tact_world *world, const persistent_contact *c)
{
    const advance *ad = world->advance;
    tact_motion m[2];
    double k = 0.0;
    for (int i = 0; i < 2; ++i)
        m[i] = body_motion_motion(&ad->motions.items[c->body[i]], &ad->cold.items[c->body[i]], ad->time);
    const double speed = vec_length_safe(vec_sub(m[0].velocity, m[1].velocity)) + rotation_speed(ad, c->body[0]) +
                         rotation_speed(ad, c->body[1]);
    for (int i = 0; i < 2; ++i) {
        const double spin = is_sphere(ad, c->body[i]) ? 0.0 : vec_length_safe(m[i].spin);
        k += spin * (rotation_speed(ad, c->body[i]) + 2.0 * speed) + vec_length_safe(m[i].acceleration);
    }
    return k + tact_contact_surface_curvature(world, c, speed);
}

void tact_contact_set_gap_targets(contact_graph *g, size_t first, double dt)
{
    for (size_t i = first; i < g->points.count; ++i) {
        const persistent_contact *c = &g->contacts.items[g->origins.items[i].contact];
        const double gap = c->points[g->origins.items[i].point].gap - 0.5 * tact_contact_rest_gap(c);
        g->points.items[i].target = gap > 0.0 ? -gap / dt : 0.0;
    }
}

/* Targets of the points of a contact that is added. */
static void set_added_targets(contact_graph *g, size_t first, added_target added, double dt)
{
    if (added == ADDED_GAP) {
        tact_contact_set_gap_targets(g, first, dt);
        return;
    }
    for (size_t i = first; i < g->points.count; ++i) {
        const persistent_contact *c = &g->contacts.items[g->origins.items[i].contact];
        const bool touches = c->points[g->origins.items[i].point].gap <= END_GAP * tact_contact_rest_gap(c);
        g->points.items[i].target = added == ADDED_NOTHING ? 0.0 : -INFINITY;
        g->points.items[i].ignored = !touches;
    }
}

/* Adds a contact to the solve, with points of now. */
static tact_status add_contact(tact_world *world, uint32_t index, added_target added, double dt)
{
    contact_graph *g = &world->advance->contacts;
    persistent_contact *c = &g->contacts.items[index];
    const tact_status status = tact_contact_update_points(world, c, MAX_CONTACT_REACH * c->size);
    if (status != TACT_OK)
        return status;
    const size_t first = g->points.count;
    if (!tact_contact_set_points(world, index, dt, false))
        return TACT_OUT_OF_MEMORY;
    set_added_targets(g, first, added, dt);
    tact_contact_update_depth(world, c);
    return TACT_OK;
}

/* Likewise all contacts of a contact body. */
static tact_status add_contacts(tact_world *world, uint32_t index, added_target added, double dt)
{
    contact_graph *g = &world->advance->contacts;
    for (uint32_t i = g->bodies.items[index].first; i != CONTACT_NONE;) {
        const persistent_contact *c = &g->contacts.items[i];
        if (c->visit != g->last_visit) {
            const tact_status status = add_contact(world, i, added, dt);
            if (status != TACT_OK)
                return status;
        }
        i = c->next[contact_side(c, index)];
    }
    return TACT_OK;
}

/* Whether the velocity of a body has changed so much that its contacts matter: by more than `least`, and than
 * REACH_CHANGE of its rest speed. */
static bool is_reached(const tact_world *world, size_t slot, double least)
{
    const contact_graph *g = &world->advance->contacts;
    const solver_body *now = &g->solver_bodies.items[slot], *start = &g->start.items[slot];
    const double size = body_motion_size(&world->advance->cold.items[g->members.items[slot]]);
    return vec_length_safe(vec_sub(now->velocity, start->velocity)) +
               vec_length_safe(vec_sub(now->spin, start->spin)) * size >
           max_double(least, REACH_CHANGE * tact_contact_rest_speed(world, size));
}

/* Adds the contacts of bodies that have changed. `*added`: whether there were any. */
static tact_status expand(tact_world *world, added_target target, double dt, double least, bool *added)
{
    contact_graph *g = &world->advance->contacts;
    const size_t members = g->members.count, points = g->points.count;
    for (size_t k = 0; k < members; ++k) {
        contact_body *body = &g->bodies.items[g->members.items[k]];
        if (body->state == CONTACT_FREE || body->reached == g->last_visit || !is_reached(world, k, least))
            continue;
        body->reached = g->last_visit;
        const tact_status status = add_contacts(world, g->members.items[k], target, dt);
        if (status != TACT_OK)
            return status;
    }
    *added = g->points.count > points;
    return TACT_OK;
}

tact_status tact_contact_solve_reached(tact_world *world, added_target target, double dt, double speed,
                                       double tolerance, double pair_tolerance)
{
    contact_graph *g = &world->advance->contacts;
    const double least = REACH_PART * speed;
    uint32_t left = SOLVER_ITERATIONS; /* mostly it is the pair alone, and accurate */
    while (left-- > 0) {
        bool added = false;
        const double change = tact_solver_iterate(g->points.items, g->points.count, g->solver_bodies.items);
        const tact_status status = expand(world, target, dt, least, &added);
        if (status != TACT_OK || (change <= (g->members.count > 2 ? tolerance : pair_tolerance) && !added))
            return status;
        if (added)
            left = REACH_ITERATIONS;
    }
    return TACT_OK;
}

/* ---- gaps until the next step ---- */

/* By how much the solve has changed the velocity of a body at a point. */
static tact_vec3 velocity_change(const contact_graph *g, uint32_t index, tact_vec3 point)
{
    const uint32_t slot = g->bodies.items[index].slot;
    if (slot == CONTACT_NONE)
        return vec_make(0.0, 0.0, 0.0);
    const solver_body *now = &g->solver_bodies.items[slot], *start = &g->start.items[slot];
    return vec_add(vec_sub(now->velocity, start->velocity),
                   vec_cross(vec_sub(now->spin, start->spin), vec_sub(point, g->centres.items[slot])));
}

/* Whether the changes of velocities make a gap of a contact smaller by more than LOST_GAP until the next step. Its
 * points may be those of the start of the step: what they have moved since then matters little. */
static bool loses_gap(const contact_graph *g, const persistent_contact *c, double dt)
{
    const double allowed = LOST_GAP * tact_contact_rest_gap(c);
    for (uint32_t k = 0; k < c->point_count; ++k) {
        const contact_point *p = &c->points[k];
        const tact_vec3 change =
            vec_sub(velocity_change(g, c->body[1], p->position), velocity_change(g, c->body[0], p->position));
        if (!(dt * vec_dot(p->normal, change) >= -allowed))
            return true;
    }
    return false;
}

/* Adds the contacts that lose a gap. `*added`: whether there were any. */
static tact_status add_lost_gaps(tact_world *world, double dt, bool *added)
{
    contact_graph *g = &world->advance->contacts;
    const size_t members = g->members.count;
    *added = false;
    for (size_t k = 0; k < members; ++k) {
        const uint32_t index = g->members.items[k];
        const solver_body *now = &g->solver_bodies.items[k], *start = &g->start.items[k];
        if (g->bodies.items[index].state == CONTACT_FREE ||
            (vec_equal(now->velocity, start->velocity) && vec_equal(now->spin, start->spin)))
            continue;
        for (uint32_t i = g->bodies.items[index].first; i != CONTACT_NONE;) {
            persistent_contact *c = &g->contacts.items[i];
            if (c->visit != g->last_visit && loses_gap(g, c, dt)) {
                const tact_status status = add_contact(world, i, ADDED_GAP, dt);
                if (status != TACT_OK)
                    return status;
                *added = true;
            }
            i = c->next[contact_side(c, index)];
        }
    }
    return TACT_OK;
}

tact_status tact_contact_solve_gaps(tact_world *world, double dt, double tolerance, double pair_tolerance)
{
    contact_graph *g = &world->advance->contacts;
    const int pair_rounds = SOLVER_ITERATIONS / GAP_ITERATIONS; /* two bodies cost little */
    for (int round = 0; round < (g->members.count > 2 ? GAP_ROUNDS : pair_rounds); ++round) {
        bool added = false, done = false;
        for (int i = 0; i < GAP_ITERATIONS && !done; ++i)
            done = tact_solver_iterate(g->points.items, g->points.count, g->solver_bodies.items) <=
                   (g->members.count > 2 ? tolerance : pair_tolerance);
        const tact_status status = add_lost_gaps(world, dt, &added);
        if (status != TACT_OK || (done && !added))
            return status;
    }
    return TACT_OK;
}

/* ---- locks ---- */

/* Whether a body is of the group that is being locked. */
static bool in_group(const contact_graph *g, uint32_t index, const persistent_contact *c)
{
    const uint32_t lock = g->bodies.items[index].lock;
    return index == c->body[0] || index == c->body[1] ||
           (lock != 0 && (lock == g->bodies.items[c->body[0]].lock || lock == g->bodies.items[c->body[1]].lock));
}

/* Whether two kinematic bodies have the same velocity and do not spin: what is between them has room. */
static bool moves_alike(const tact_world *world, uint32_t a, uint32_t b)
{
    const tact_motion one = tact_advance_motion(world, a), other = tact_advance_motion(world, b);
    if (tact_contact_surface_moves(world, a) || tact_contact_surface_moves(world, b))
        return false;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return vec_equal(one.velocity, other.velocity) && vec_equal(one.acceleration, other.acceleration) &&
           vec_equal(one.spin, zero) && vec_equal(other.spin, zero);
}

/* The fastest that a point of a kinematic body moves. */
static double kinematic_speed(const tact_world *world, uint32_t index, const persistent_contact *c)
{
    tact_vec3 ignored;
    const tact_motion motion = tact_contact_carrier_motion(world, index, c, &ignored);
    return vec_length_safe(motion.velocity) +
           vec_length_safe(motion.spin) * body_motion_size(&world->advance->cold.items[index]);
}

/* Between bodies that leave no room, impulses grow without end. The next step starts without them. */
static void clear_impulses(contact_graph *g, uint32_t index)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    for (uint32_t i = g->bodies.items[index].first; i != CONTACT_NONE;) {
        persistent_contact *c = &g->contacts.items[i];
        for (uint32_t k = 0; k < c->point_count; ++k) {
            c->points[k].impulse = 0.0;
            c->points[k].friction = c->points[k].roll = zero;
        }
        i = c->next[contact_side(c, index)];
    }
}

/* Locks the two bodies of a contact, and all that are locked to them. They move with a kinematic one among them, the
 * slowest, or with their common momentum and without rotation. */
static void lock_bodies(tact_world *world, const persistent_contact *c)
{
    contact_graph *g = &world->advance->contacts;
    const uint32_t lock = ++g->last_lock;
    uint32_t kinematic = CONTACT_NONE;
    bool crushed = false;
    tact_vec3 momentum = {0.0, 0.0, 0.0};
    double mass = 0.0;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        if (!in_group(g, i, c))
            continue;
        const rigid_body *r = world->cold.items[i].rigid;
        if (r == NULL) {
            crushed = crushed || (kinematic != CONTACT_NONE && !moves_alike(world, i, kinematic));
            if (kinematic == CONTACT_NONE || kinematic_speed(world, i, c) < kinematic_speed(world, kinematic, c))
                kinematic = i;
        } else {
            mass += r->properties.mass;
            momentum = vec_mul_add(momentum, r->properties.mass, g->bodies.items[i].velocity);
        }
    }
    const tact_vec3 mean = vec_scale(momentum, mass > 0.0 ? 1.0 / mass : 0.0);
    tact_vec3 origin = {0.0, 0.0, 0.0};
    const tact_motion carrier =
        kinematic != CONTACT_NONE ? tact_contact_carrier_motion(world, kinematic, c, &origin) : tact_motion_still();
    const tact_vec3 lift = kinematic != CONTACT_NONE ? tact_contact_lift(world, kinematic, c) : origin;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        if (!in_group(g, i, c))
            continue;
        contact_body *body = &g->bodies.items[i];
        if (i != c->body[0] && i != c->body[1])
            body->lock = lock; /* the two of the contact come last: they define the group */
        const rigid_body *r = world->cold.items[i].rigid;
        if (r == NULL || body->state != CONTACT_AWAKE)
            continue;
        solver_body b = {.velocity = mean};
        if (kinematic != CONTACT_NONE) {
            const tact_vec3 centre = tact_transform_point(tact_advance_transform(world, i), r->properties.centre);
            b.velocity = vec_add(carrier.velocity, vec_cross(carrier.spin, vec_sub(centre, origin)));
            b.spin = carrier.spin;
        }
        tact_contact_energy_credit(world, i, tact_contact_energy_debt(world, i));
        body->velocity = b.velocity;
        tact_contact_body_set_spin(world, i, b.spin);
        tact_contact_body_clear_gain(body);
        b.velocity = vec_add(b.velocity, lift);
        tact_contact_set_motion(world, i, &b);
        if (crushed)
            clear_impulses(g, i);
    }
    g->bodies.items[c->body[0]].lock = g->bodies.items[c->body[1]].lock = lock;
    if (crushed)
        tact_contact_report_add(world, TACT_EVENT_CRUSHED, c->body[0], c->body[1]);
}

/* Whether a cut cannot change the motion of a body. */
static bool is_held(const tact_world *world, uint32_t index)
{
    return world->cold.items[index].rigid == NULL || world->advance->contacts.bodies.items[index].lock != 0;
}

tact_status tact_contact_cut(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    contact_graph *g = &ad->contacts;
    persistent_contact *c = &g->contacts.items[index];
    tact_contact_wake(world, c->body[0]); /* a kinematic body that begins to move by a plan */
    tact_contact_wake(world, c->body[1]);
    const double dt = tact_contact_next_step(world) - ad->time;
    tact_status status = tact_contact_sync_shapes(world, c, false);
    if (status != TACT_OK)
        return status;
    if (c->cuts >= MAX_CUTS || (is_held(world, c->body[0]) && is_held(world, c->body[1]))) {
        lock_bodies(world, c);
        return TACT_OK;
    }
    const double k = gap_curvature(world, c), rest = tact_contact_rest_speed(world, c->size);
    const double gap = tact_contact_rest_gap(c), speed = number_min(0.5 * dt * k, sqrt(0.5 * k * gap));
    const double opening =
        number_min(0.5 * gap / dt, MAX_OPENING_SPEED * rest); /* half the rest gap until the next step */
    status = tact_contact_update_points(world, c, MAX_CONTACT_REACH * c->size);
    if (status != TACT_OK)
        return status;
    tact_contact_update_depth(world, c);
    tact_contact_set_begin(g, true);
    status = tact_contact_set_points(world, index, dt, false) ? TACT_OK : TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < g->points.count; ++i)
        g->points.items[i].target =
            max_double(speed - max_double(c->points[g->origins.items[i].point].gap, 0.0) / dt, opening);
    if (status == TACT_OK)
        status = tact_contact_solve_gaps(world, dt, GAP_ACCURACY * gap / dt, SOLVER_ACCURACY * rest);
    if (status == TACT_OK)
        status = tact_contact_energy_cut(world, dt, gap);
    if (status == TACT_OK) {
        ++g->contacts.items[index].cuts;
        for (size_t i = 0; i < g->members.count; ++i)
            tact_contact_set_changed_motion(world, i);
    }
    tact_contact_set_end(g);
    return status;
}
