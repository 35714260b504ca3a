/*
 * One island in one contact step: the velocities of its bodies, and sleep. See contact_graph.h.
 *
 * Velocities start with those of the last step plus acceleration times h (symplectic Euler). A gap above twice the rest
 * gap may close to that within the step (a speculative contact). A push then moves the gaps of points that touch
 * towards the rest gap. It is part of the motion of this step but not of the velocity with which the next one starts.
 *
 * Ways to the solution, from cheap to expensive:
 * 1. Iterations from the impulses of the last step. At rest they are accurate at once.
 * 2. Newton's method (contact_newton.h), if the island is narrow: accurate.
 * 3. Sub-steps (contact_solver.h): for all others.
 * What is not accurate then is caught by cuts (contact_cut.c).
 *
 * Cost: per point 0.2 microseconds at rest, 1 microsecond with sub-steps.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_energy.h"
#include "advance/contact_step.h"
#include "core/number.h"
#include "dynamics/rigid_body.h"

/* ---- the bodies and points of the island ---- */

/* Adds the bodies and points of the island of a body to the solve. There is memory for them. */
static void gather(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    tact_contact_set_begin(g, false);
    (void)tact_contact_set_body(world, index, g->duration, true);
    for (size_t k = 0; k < g->members.count; ++k) {
        const uint32_t member = g->members.items[k];
        if (g->bodies.items[member].state == CONTACT_FREE)
            continue; /* kinematic */
        for (uint32_t i = g->bodies.items[member].first; i != CONTACT_NONE;) {
            (void)tact_contact_set_points(world, i, g->duration, true);
            i = g->contacts.items[i].next[contact_side(&g->contacts.items[i], member)];
        }
    }
    for (size_t i = 0; i < g->members.count; ++i)
        g->accelerations.items[i] = g->bodies.items[g->members.items[i]].state != CONTACT_FREE
                                        ? tact_body_total_acceleration(world, g->members.items[i])
                                        : vec_make(0.0, 0.0, 0.0);
    for (size_t i = 0; i < g->points.count; ++i) {
        const persistent_contact *c = &g->contacts.items[g->origins.items[i].contact];
        solver_point *p = &g->points.items[i];
        p->gap = c->points[g->origins.items[i].point].gap;
        p->rest_gap = tact_contact_rest_gap(c);
        p->push_speed = MAX_PUSH_SPEED * c->size;
    }
}

/* The impulses of the last step, for a duration of `duration`. That step may have been long ago, before a sleep. */
static void warm_start(contact_graph *g, double duration)
{
    for (size_t i = 0; i < g->points.count; ++i) {
        const persistent_contact *c = &g->contacts.items[g->origins.items[i].contact];
        const contact_point *p = &c->points[g->origins.items[i].point];
        const double scale = c->impulse_duration > 0.0 ? duration / c->impulse_duration : 0.0;
        solver_point *s = &g->points.items[i];
        s->rows[0].impulse = scale * p->impulse;
        s->rows[1].impulse = scale * vec_dot(p->friction, s->rows[1].direction);
        s->rows[2].impulse = scale * vec_dot(p->friction, s->rows[2].direction);
        s->roll = vec_scale(p->roll, scale);
    }
}

static void store_impulses(contact_graph *g)
{
    for (size_t i = 0; i < g->used.count; ++i)
        g->contacts.items[g->used.items[i]].impulse_duration = g->duration;
    for (size_t i = 0; i < g->points.count; ++i) {
        contact_point *p = &g->contacts.items[g->origins.items[i].contact].points[g->origins.items[i].point];
        const solver_point *s = &g->points.items[i];
        p->impulse = s->rows[0].impulse;
        p->friction =
            vec_mul_add(vec_scale(s->rows[1].direction, s->rows[1].impulse), s->rows[2].impulse, s->rows[2].direction);
        p->roll = s->roll;
    }
}

/* ---- the solution ---- */

/* The velocities without contact impulses, after the accelerations of `duration`. */
static void restart(contact_graph *g, double duration)
{
    for (size_t i = 0; i < g->members.count; ++i) {
        g->solver_bodies.items[i] = g->start.items[i];
        g->solver_bodies.items[i].velocity =
            vec_mul_add(g->start.items[i].velocity, duration, g->accelerations.items[i]);
    }
}

/* The displacements by the velocities of the solve. */
static void set_moved(contact_graph *g, double h)
{
    for (size_t i = 0; i < g->members.count; ++i) {
        g->moved.items[i].velocity = vec_scale(g->solver_bodies.items[i].velocity, h);
        g->moved.items[i].spin = vec_scale(g->solver_bodies.items[i].spin, h);
    }
}

/* Iterations from the last impulses. Returns the last change of a velocity. */
static double iterate(contact_graph *g, double tolerance)
{
    double change = INFINITY;
    warm_start(g, g->duration);
    restart(g, g->duration);
    tact_solver_set_targets(g->points.items, g->points.count, g->duration);
    tact_solver_warm_start(g->points.items, g->points.count, g->solver_bodies.items);
    for (int i = 0; i < FIRST_ITERATIONS && change > tolerance; ++i)
        change = tact_solver_iterate(g->points.items, g->points.count, g->solver_bodies.items);
    return change;
}

/* Newton's method. False: it has not converged. */
static bool solve_directly(tact_world *world, double tolerance, double max_cost)
{
    contact_graph *g = &world->advance->contacts;
    warm_start(g, g->duration);
    restart(g, g->duration);
    tact_solver_set_targets(g->points.items, g->points.count, g->duration);
    return tact_newton_solve(g->points.items, g->points.count, g->solver_bodies.items, g->solver_bodies.count,
                             tolerance, max_cost, &g->newton, &world->allocator) == NEWTON_CONVERGED;
}

/* Whether Newton's method has failed from afar in one of the last steps: it probably would again. */
static bool skips_newton(contact_graph *g)
{
    bool skips = false;
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state == CONTACT_FREE || body->newton_pause == 0)
            continue;
        --body->newton_pause;
        skips = true;
    }
    return skips;
}

/* Of the solution, or of the start with the accelerations of the step. */
static double kinetic_energy(const contact_graph *g, bool start)
{
    double sum = 0.0;
    for (size_t i = 0; i < g->members.count; ++i) {
        const solver_body *b = start ? &g->start.items[i] : &g->solver_bodies.items[i];
        if (b->inverse_mass == 0.0)
            continue;
        const tact_vec3 gain = vec_scale(g->accelerations.items[i], start ? g->duration : 0.0);
        const double trace = b->inverse_inertia.xx + b->inverse_inertia.yy + b->inverse_inertia.zz;
        sum += vec_length_squared(vec_add(b->velocity, gain)) / b->inverse_mass;
        if (trace > 0.0) /* about: by the mean moment */
            sum += 3.0 * vec_length_squared(b->spin) / trace;
    }
    return 0.5 * sum;
}

static void solve_substeps(contact_graph *g, int substeps, bool guarded)
{
    const double dt = g->duration / substeps;
    warm_start(g, dt);
    restart(g, 0.0);
    tact_solver_substeps(g->points.items, g->points.count, g->solver_bodies.items, g->members.count,
                         g->accelerations.items, dt, substeps, guarded, g->moved.items);
}

/* Finds the velocities at the end of the step, the displacements of the bodies, and the impulses. `rest`: the rest
 * speed of the smallest contact. */
static void solve(tact_world *world, double rest)
{
    contact_graph *g = &world->advance->contacts;
    /* Gauss-Seidel reduces the error of a chain of n bodies by about 1/n^2 of itself in an iteration: it is n^2 times
     * the last change */
    const double members = (double)g->members.count, accurate = SOLVER_ACCURACY * rest / (members * members);
    const double change = iterate(g, accurate);
    const bool near = change <= NEAR_SOLUTION * rest, skipped = !near && skips_newton(g);
    const double max_cost = near ? NEAR_MAX_COST : FAR_MAX_COST;
    if (change <= accurate || (!skipped && solve_directly(world, DIRECT_ACCURACY * rest, max_cost))) {
        set_moved(g, g->duration);
        store_impulses(g);
        return;
    }
    if (!near && !skipped)
        tact_contact_set_pause_newton(g);
    const double wanted = SUBSTEP_POINTS / max_double((double)g->points.count, 1.0);
    const int substeps = (int)number_min(max_double(wanted, MIN_SUBSTEPS), MAX_SUBSTEPS);
    solve_substeps(g, substeps, false);
    if (kinetic_energy(g, false) > MAX_ENERGY_GROWTH * kinetic_energy(g, true))
        solve_substeps(g, substeps, true); /* also where a kinematic body pushes: then it only takes longer */
    store_impulses(g);
}

/* ---- sleep ---- */

/* About how far the points of a body have moved since its transform was `from`: its centre of mass, and by rotation. */
static double displacement(const tact_world *world, uint32_t index, const tact_transform *from)
{
    const tact_transform at = tact_advance_transform(world, index);
    const tact_vec3 centre = world->cold.items[index].rigid->properties.centre;
    const double size = body_motion_size(&world->advance->cold.items[index]);
    const double turns[3] = {vec_length_safe(vec_sub(at.x_axis, from->x_axis)) / vec_length_safe(at.x_axis),
                             vec_length_safe(vec_sub(at.y_axis, from->y_axis)) / vec_length_safe(at.y_axis),
                             vec_length_safe(vec_sub(at.z_axis, from->z_axis)) / vec_length_safe(at.z_axis)};
    return vec_length_safe(vec_sub(tact_transform_point(at, centre), tact_transform_point(*from, centre))) +
           size * max_double(turns[0], max_double(turns[1], turns[2]));
}

/* Whether a kinematic body does not move now. If it has a plan, its next motion wakes the bodies on it. */
static bool is_at_rest(const tact_world *world, uint32_t index)
{
    const tact_motion motion = tact_advance_motion(world, index);
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return vec_equal(motion.velocity, zero) && vec_equal(motion.acceleration, zero) && vec_equal(motion.spin, zero) &&
           !tact_contact_surface_moves(world, index);
}

/* Whether all bodies of the island have hardly moved for long enough. */
static bool falls_asleep(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const double now = world->advance->time;
    bool asleep = !world->never_sleeps, supported = false; /* an island that touches nothing fixed may drift slowly */
    for (size_t i = 0; i < g->members.count; ++i) {
        const uint32_t index = g->members.items[i];
        contact_body *body = &g->bodies.items[index];
        if (body->state == CONTACT_FREE) {
            supported = true;
            asleep = asleep && is_at_rest(world, index);
            continue;
        }
        if (body->still_since == INFINITY ||
            displacement(world, index, &body->still_at) >
                SLEEP_DISTANCE * body_motion_size(&world->advance->cold.items[index])) {
            body->still_since = now;
            body->still_at = tact_advance_transform(world, index);
        }
        asleep = asleep && now - body->still_since >= SLEEP_DELAY;
    }
    return asleep && supported;
}

static void put_to_sleep(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const solver_body still = {0};
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state == CONTACT_FREE)
            continue;
        body->state = CONTACT_ASLEEP;
        body->velocity = body->momentum = vec_make(0.0, 0.0, 0.0);
        body->turning = body->credit = 0.0;
        tact_contact_body_clear_gain(body);
        --g->awake;
        tact_contact_report_add(world, TACT_EVENT_SLEEP, g->members.items[i], CONTACT_NONE);
        tact_contact_set_motion(world, g->members.items[i], &still);
    }
}

/* Credits each body with the work of its acceleration along its displacement. Returns the sum. */
static double set_credits(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    double sum = 0.0;
    for (size_t i = 0; i < g->members.count; ++i) {
        const uint32_t member = g->members.items[i];
        if (g->bodies.items[member].state == CONTACT_FREE)
            continue;
        const double work = world->cold.items[member].rigid->properties.mass *
                            vec_dot(g->accelerations.items[i], g->moved.items[i].velocity);
        tact_contact_energy_credit(world, member, work);
        sum += work;
    }
    return sum;
}

void tact_contact_island_solve(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    const double h = g->duration;
    double rest = INFINITY;
    gather(world, index);
    for (size_t i = 0; i < g->used.count; ++i)
        rest = number_min(rest, tact_contact_rest_speed(world, g->contacts.items[g->used.items[i]].size));
    for (size_t i = 0; i < g->members.count; ++i)
        g->bodies.items[g->members.items[i]].solved_step = g->step;
    if (falls_asleep(world)) {
        put_to_sleep(world);
        tact_contact_set_end(g);
        return;
    }
    const contact_energy_frame frame = tact_contact_energy_frame(world);
    const double before = tact_contact_energy_kinetic(world, &frame);
    solve(world, rest);
    const double work = set_credits(world); /* without the push */
    tact_solver_push(g->points.items, g->points.count, g->solver_bodies.items, h, GAP_RESTORATION, PUSH_ITERATIONS,
                     g->moved.items, g->other.items, g->members.count);
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state == CONTACT_FREE)
            continue;
        body->gain = vec_negate(body->velocity);
        body->gain_momentum = vec_negate(body->momentum);
        body->velocity = g->solver_bodies.items[i].velocity;
        tact_contact_body_add_spin(world, g->members.items[i],
                                   vec_sub(g->solver_bodies.items[i].spin, g->start.items[i].spin));
    }
    tact_contact_energy_limit(world, &frame, before);
    g->pushed += work - set_credits(world); /* the push is a source of energy */
    for (size_t i = 0; i < g->members.count; ++i) {
        contact_body *body = &g->bodies.items[g->members.items[i]];
        if (body->state == CONTACT_FREE)
            continue;
        const solver_body mean = {.velocity = vec_scale(g->moved.items[i].velocity, 1.0 / h),
                                  .spin = vec_scale(g->moved.items[i].spin, 1.0 / h)};
        body->gain = vec_add(body->velocity, body->gain);
        body->gain_momentum = vec_add(body->momentum, body->gain_momentum);
        body->gain_time = world->advance->time;
        body->gain_end = g->next;
        tact_contact_set_motion(world, g->members.items[i], &mean);
    }
    bool impact = false; /* a gap that closes: the change of the island is not gradual */
    for (size_t i = 0; i < g->points.count; ++i)
        impact = impact || (g->points.items[i].gap > 2.0 * g->points.items[i].rest_gap &&
                            g->points.items[i].rows[0].impulse > 0.0);
    for (size_t i = 0; i < g->members.count && impact; ++i)
        tact_contact_body_clear_gain(&g->bodies.items[g->members.items[i]]);
    tact_contact_set_end(g);
}
