/*
 * tact_world_bounce: the impact of the two bodies of a touch, and of all that are in contact with them: in persistent
 * contact, or because they touch at this time (impact_group.h).
 *
 * Rule. Let v0 be the velocities before. The *inelastic* result is the solution of all contact points that the impact
 * reaches, with friction, such that no point closes. The *elastic* result comes from generalised reflections (Smith,
 * Kaufman, Vouga, Tamstorf and Grinspun 2012): all points that close are reflected together, and again those that close
 * then, until none does. The result is their mixture, (1 - e) times the inelastic and e times the elastic one, where e
 * is the restitution of the pair that touches. So a row of balls passes an impact on, a rack breaks symmetrically, and
 * a block lands flat. Each result, and so the mixture, has impulses within the friction cones and no closing point.
 * Without friction neither has more energy than before. With friction reflections may add energy (Kane and Levinson
 * 1985). So may those of contact bodies: the impact is solved for motions, which contain what the velocities gain only
 * later in the step. Then e is reduced until the velocities have no more energy with the mixture than before, relative
 * to the kinematic bodies (tact_contact_energy_mixture).
 *
 * Afterwards the pair becomes a persistent contact (contact_graph.h) if it separates slower than the rest speed plus
 * what its bodies accelerate towards each other in one contact step. With e = 1 only the rest speed counts, and only if
 * they accelerate towards each other: elastic bounces go on however small they are.
 */
#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_energy.h"
#include "advance/contact_step.h"
#include "advance/impact_group.h"
#include "advance/motion_plan.h"
#include "core/number.h"
#include "dynamics/rigid_body.h"
#include "motion/motion.h"
#include "query/query.h"

tact_bounce_def tact_bounce_def_default(void) { return (tact_bounce_def){.restitution = 1.0}; }

/* ---- times that are rounded ---- */

/* How much too early the touch is reported, as times are doubles: the gap that is left, over the speed at which it
 * closes. Bodies that rotate, other than spheres, are left as they are; so are gaps that are more than rounding.
 * `*gap`: that gap; 0 for bodies that rotate. */
static double early_by(const tact_world *world, const tact_event *e, const solver_body bodies[2],
                       const tact_vec3 centres[2], double *gap)
{
    *gap = 0.0;
    const uint32_t index[2] = {e->a.index, e->b.index};
    tact_vec3 ends[2];
    double far = 0.0, speed = 0.0;
    for (int i = 0; i < 2; ++i) {
        const tact_vec3 along = i == 0 ? e->normal : vec_negate(e->normal);
        const double radius = world->advance->motions.items[index[i]].sphere_radius;
        const tact_transform at = tact_advance_transform(world, index[i]);
        ends[i] = vec_mul_add(centres[i], radius, along);
        if (radius == NOT_A_SPHERE && vec_length_squared(bodies[i].spin) > 0.0)
            return 0.0;
        if (radius < 0.0 && tact_shape_end_along(tact_contact_shape(world, index[i]), at, along, &ends[i]) != TACT_OK)
            return 0.0;
        far += vec_max_abs(at.origin) + vec_max_abs(ends[i]);
        speed += vec_length_safe(bodies[i].velocity);
    }
    *gap = vec_dot(e->normal, vec_sub(ends[1], ends[0]));
    const double closing = vec_dot(e->normal, vec_sub(bodies[0].velocity, bodies[1].velocity));
    const bool tiny = fabs(*gap) <= TOUCH_ROUNDOFF * DBL_EPSILON * (far + speed * fabs(e->time));
    return tiny && closing > MIN_COMPENSATED_SPEED * speed ? *gap / closing : 0.0;
}

/* Shifts a body so that it moves as if it had bounced `early` later. This makes thousands of bounces at rounded times
 * come out right. */
static void compensate(tact_world *world, uint32_t index, tact_vec3 before, tact_vec3 after, double early)
{
    if (early == 0.0 || world->cold.items[index].rigid == NULL)
        return;
    tact_vec3 *origin = &world->bodies.items[index].transform.origin;
    *origin = vec_mul_add(*origin, early, vec_sub(before, after));
    world->advance->cold.items[index].broad_outdated = true;
    world->advance->synced_at = -INFINITY;
}

/* ---- spheres that do not rotate ---- */

static bool is_speed(tact_vec3 velocity) { return vec_finite(velocity) && vec_max_abs(velocity) <= MOTION_MAX_VALUE; }

/* By what the body is, and not by how it is stored, so that it is the same in a restored world. */
static bool is_simple(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    const body_motion_cold *m = &ad->cold.items[index];
    const rigid_body *r = world->cold.items[index].rigid;
    if (!advance_has_motion(ad, index) || !contact_body_is_free(&ad->contacts, index))
        return false;
    return r == NULL
               ? !m->moves
               : m->moves && ad->motions.items[index].sphere_radius >= 0.0 && !m->spins && m->plan == NULL &&
                     r->properties.centre.x == 0.0 && r->properties.centre.y == 0.0 && r->properties.centre.z == 0.0;
}

static solver_body simple_body(const tact_world *world, uint32_t index, tact_vec3 *centre)
{
    const body_motion *hot = &world->advance->motions.items[index];
    const rigid_body *r = world->cold.items[index].rigid;
    *centre = r == NULL ? world->bodies.items[index].transform.origin
                        : body_motion_origin(hot, &world->advance->cold.items[index], world->advance->time);
    return r == NULL ? (solver_body){0}
                     : (solver_body){.velocity = hot->velocity, .inverse_mass = 1.0 / r->properties.mass};
}

/* An impact without friction of two spheres, or of a sphere and a body at rest: the general rule, of which most is
 * known to be zero. False: it is not such a case, and nothing has changed. */
static bool bounce_simply(tact_world *world, const tact_event *event, double restitution, tact_status *status)
{
    advance *ad = world->advance;
    const uint32_t index[2] = {event->a.index, event->b.index};
    if (ad->reported[0] != index[0] || ad->reported[1] != index[1] || !is_simple(world, index[0]) ||
        !is_simple(world, index[1]) || vec_length_squared(event->normal) == 0.0)
        return false;
    tact_vec3 centres[2];
    solver_body m[2] = {simple_body(world, index[0], &centres[0]), simple_body(world, index[1], &centres[1])};
    const tact_vec3 n = event->normal, before[2] = {m[0].velocity, m[1].velocity};
    const double inverse = m[0].inverse_mass + m[1].inverse_mass, closing = vec_dot(n, vec_sub(before[0], before[1]));
    const double least = MIN_SEPARATION_SPEED * (vec_length_safe(before[0]) + vec_length_safe(before[1]));
    *status = TACT_OK;
    if (!(inverse > 0.0 && closing > 0.0))
        return true;
    if (tact_impact_spheres_touch_others(world, index, closing))
        return false; /* the impact may reach them */
    double gap;
    const double goal = max_double(least, restitution * closing), early = early_by(world, event, m, centres, &gap);
    const double size = body_motions_smaller_size(&ad->cold.items[index[0]], &ad->cold.items[index[1]]);
    if (gap < -MAX_CONTACT_DEPTH * size)
        return false; /* it overlaps */
    if (restitution < 1.0 && goal <= tact_contact_rest_speed(world, size))
        return false; /* it becomes a persistent contact */
    double wish = (goal + closing) / inverse;
    for (int i = 0; i < SIMPLE_ITERATIONS; ++i) {
        m[0].velocity = vec_mul_add(m[0].velocity, -wish * m[0].inverse_mass, n);
        m[1].velocity = vec_mul_add(m[1].velocity, wish * m[1].inverse_mass, n);
        if (fabs(wish) * inverse <= IMPACT_ACCURACY * max_double(closing, least))
            break;
        wish = (goal - vec_dot(n, vec_sub(m[1].velocity, m[0].velocity))) / inverse;
    }
    if (!is_speed(m[0].velocity) || !is_speed(m[1].velocity)) {
        *status = TACT_BAD_ARGUMENT; /* masses or speeds out of range */
        return true;
    }
    bool quick = true;
    tact_vec3 aside[2];
    for (int i = 0; i < 2; ++i) {
        aside[i] = vec_scale(vec_sub(before[i], m[i].velocity), early);
        quick =
            quick && (m[i].inverse_mass == 0.0 || tact_body_motion_can_redirect(ad, index[i], m[i].velocity, aside[i]));
    }
    for (int i = 0; i < 2; ++i) {
        if (m[i].inverse_mass == 0.0)
            continue;
        if (quick) {
            tact_body_motion_redirect(world, index[i], m[i].velocity, aside[i]);
        } else {
            tact_body_redirect(world, index[i], (tact_motion){.velocity = m[i].velocity});
            compensate(world, index[i], before[i], m[i].velocity, early);
        }
    }
    if (early != 0.0)
        ad->synced_at = -INFINITY;
    return true;
}

/* ---- contact points of the pair ---- */

/* Sets the points of a contact to those of the touch: the manifold along the normal of the event. */
static tact_status set_touch_points(tact_world *world, const tact_event *e, persistent_contact *c)
{
    const advance *ad = world->advance;
    const bool first = c->body[0] == e->a.index;
    const tact_vec3 normal = first ? e->normal : vec_negate(e->normal);
    c->time = ad->time;
    c->gap = 0.0;
    c->point_count = 0;
    if (ad->motions.items[c->body[0]].sphere_radius == NOT_A_SPHERE &&
        ad->motions.items[c->body[1]].sphere_radius == NOT_A_SPHERE) {
        const tact_transform at[2] = {tact_advance_transform(world, c->body[0]),
                                      tact_advance_transform(world, c->body[1])};
        const tact_manifold m =
            tact_touch_manifold(tact_contact_shape(world, c->body[0]), &at[0], tact_contact_shape(world, c->body[1]),
                                &at[1], TOUCH_REACH * c->size, normal, e->point);
        if (m.status != TACT_OK && m.status != TACT_NOT_CONVERGED)
            return m.status;
        c->gap = m.count > 0 ? -m.depth : 0.0;
        for (int i = 0; i < m.count && m.count > 1; ++i)
            c->points[c->point_count++] =
                (contact_point){.position = vec_scale(vec_add(m.points[i].on_a, m.points[i].on_b), 0.5),
                                .normal = normal,
                                .gap = -m.points[i].depth};
    }
    if (c->point_count > 0)
        return TACT_OK;
    /* one point; or bodies that overlap: since they were created, or have jumped or become larger */
    persistent_contact overlap = *c;
    const tact_status status = tact_contact_update_points(world, &overlap, 0.0);
    if (status != TACT_OK)
        return status;
    if (overlap.gap < -MAX_CONTACT_DEPTH * c->size)
        *c = overlap;
    else
        c->points[c->point_count++] = (contact_point){.position = e->point, .normal = normal};
    return TACT_OK;
}

/* ---- the impact ---- */

/* Adds the impulses to the totals of the points, and begins anew. */
static void clear_impulses(contact_graph *g, double target)
{
    for (size_t i = 0; i < g->points.count; ++i) {
        solver_point *p = &g->points.items[i];
        p->total += p->rows[0].impulse;
        p->rows[0].impulse = p->rows[1].impulse = p->rows[2].impulse = 0.0;
        p->roll = vec_make(0.0, 0.0, 0.0);
        p->target = target;
    }
}

/* Gives each point of a pair an even share of the impulse. Where a face meets a face squarely this is the solution, to
 * the last digit. */
static void start_evenly(contact_graph *g)
{
    const double inverse = g->solver_bodies.items[0].inverse_mass + g->solver_bodies.items[1].inverse_mass;
    size_t count = 0;
    for (size_t i = 0; i < g->points.count; ++i)
        count += g->points.items[i].target > -INFINITY;
    if (g->members.count != 2 || count < 2 || !(inverse > 0.0))
        return;
    double shares[CONTACT_MAX_POINTS];
    for (size_t i = 0; i < g->points.count; ++i) /* all from the same velocities */
        shares[i] = max_double(g->points.items[i].target -
                                   tact_solver_point_velocity(&g->points.items[i], g->solver_bodies.items, 0),
                               0.0) /
                    ((double)count * inverse);
    for (size_t i = 0; i < g->points.count; ++i)
        g->points.items[i].rows[0].impulse = shares[i];
    tact_solver_apply(g->points.items, g->points.count, g->solver_bodies.items);
}

/* Copies the state of the solver bodies. False: out of memory. */
static bool copy_bodies(solver_body_array *to, const solver_body_array *from, const tact_allocator *allocator)
{
    if (!solver_body_array_reserve(to, allocator, from->count))
        return false;
    for (size_t i = 0; i < from->count; ++i)
        to->items[i] = from->items[i];
    to->count = from->count;
    return true;
}

/* How much work an impact may still take. */
typedef struct impact_effort {
    double newton_cost; /* operations of a factorisation */
    int attempts;       /* failures of Newton's method that are left; 0: iteration is all that follows */
    double passes;      /* then: points times passes in all, but at least one of them */
    double relaxations; /* and points times iterations of each */
} impact_effort;

static const impact_effort smooth_effort = {GROUP_MAX_COST, NEWTON_ATTEMPTS, CROWD_PASSES, CROWD_RELAXATIONS},
                           rough_effort = {ROUGH_MAX_COST, 1, ROUGH_PASSES, ROUGH_RELAXATIONS};

/* Solves the points for their targets, from the velocities that the bodies have: by iteration, and where more than two
 * bodies take part by Newton's method, unless that has failed too often in this impact. `*closing`: a point that closes
 * slower does so by rounding. */
static tact_status solve_points(tact_world *world, added_target added, double speed, double *closing,
                                impact_effort *effort)
{
    contact_graph *g = &world->advance->contacts;
    const tact_allocator *allocator = &world->allocator;
    if (!copy_bodies(&g->moved, &g->solver_bodies, allocator))
        return TACT_OUT_OF_MEMORY;
    start_evenly(g);
    const tact_status status =
        tact_contact_solve_reached(world, added, 0.0, speed, GROUP_ACCURACY * speed, IMPACT_ACCURACY * speed);
    *closing = CLOSING_ACCURACY * speed;
    if (status != TACT_OK || g->members.count == 2)
        return status;
    if (!solver_body_array_reserve(&g->moved, allocator, g->members.count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < g->members.count; ++i) {
        if (i >= g->moved.count) /* reached in this pass: it had the velocity of the start */
            g->moved.items[i] = g->start.items[i];
        const solver_body iterated = g->solver_bodies.items[i];
        g->solver_bodies.items[i] = g->moved.items[i];
        g->moved.items[i] = iterated;
    }
    g->moved.count = g->members.count;
    const newton_result result =
        effort->attempts > 0
            ? tact_newton_solve(g->points.items, g->points.count, g->solver_bodies.items, g->members.count,
                                NEWTON_ACCURACY * speed, effort->newton_cost, &g->newton, allocator)
            : NEWTON_NOT_CONVERGED;
    if (result == NEWTON_OUT_OF_MEMORY)
        return TACT_OUT_OF_MEMORY;
    effort->attempts -= effort->attempts > 0 && result != NEWTON_CONVERGED;
    if (result != NEWTON_CONVERGED && result != NEWTON_IMPROVED)
        for (size_t i = 0; i < g->members.count; ++i)
            g->solver_bodies.items[i] = g->moved.items[i];
    double change = INFINITY;
    const double relaxations = effort->attempts > 0 ? GROUP_RELAXATIONS : effort->relaxations;
    for (double left = relaxations; left > 0.0 && change > REFINED_ACCURACY * speed; left -= (double)g->points.count)
        change = tact_solver_iterate(g->points.items, g->points.count, g->solver_bodies.items);
    *closing = max_double(REFINED_CLOSING * change, CLOSING_ACCURACY * speed);
    return TACT_OK;
}

/* Reflects all points that close, together, until none does. `speed`: the approach speed of the impact. */
static tact_status reflect(tact_world *world, double speed, impact_effort *effort)
{
    contact_graph *g = &world->advance->contacts;
    double closing = CLOSING_ACCURACY * speed;
    int passes = 0;
    for (bool last = false; !last;) {
        const double share = effort->passes / (double)g->points.count;
        const int most = effort->attempts > 0 ? IMPACT_PASSES : (int)number_min(max_double(share, 1.0), IMPACT_PASSES);
        last = passes++ >= most;
        bool closes = false;
        clear_impulses(g, -INFINITY);
        for (size_t i = 0; i < g->points.count; ++i) {
            const double v = tact_solver_point_velocity(&g->points.items[i], g->solver_bodies.items, 0);
            const bool violated = !g->points.items[i].ignored && v < -closing;
            closes = closes || violated;
            if (last)
                g->points.items[i].target = 0.0;
            else if (violated)
                g->points.items[i].target = -v;
        }
        if (!closes)
            break;
        const tact_status status = solve_points(world, ADDED_FREE, speed, &closing, effort);
        if (status != TACT_OK)
            return status;
    }
    return TACT_OK;
}

static void mix(solver_body *to, const solver_body *one, const solver_body *other, double part)
{
    to->velocity = vec_mul_add(one->velocity, part, vec_sub(other->velocity, one->velocity));
    to->spin = vec_mul_add(one->spin, part, vec_sub(other->spin, one->spin));
}

/* Whether a member is a contact body: there motion and velocity differ within a step. */
static bool has_contact_body(const contact_graph *g)
{
    for (size_t i = 0; i < g->members.count; ++i)
        if (g->bodies.items[g->members.items[i]].state != CONTACT_FREE)
            return true;
    return false;
}

/* Solves the impact of the bodies in the set. */
static tact_status solve_impact(tact_world *world, double restitution, double friction)
{
    contact_graph *g = &world->advance->contacts;
    const tact_allocator *allocator = &world->allocator;
    const double speed = tact_contact_set_closing_speed(g);
    impact_effort effort = friction > 0.0 ? rough_effort : smooth_effort;
    tact_status status = TACT_OK;
    const bool may_gain = friction > 0.0 || has_contact_body(g);
    if (restitution < 1.0 || may_gain) {
        double closing;
        clear_impulses(g, 0.0);
        status = solve_points(world, ADDED_NOTHING, speed, &closing, &effort);
        if (status == TACT_OK && restitution == 0.0)
            return TACT_OK;
        if (status == TACT_OK && !copy_bodies(&g->other, &g->solver_bodies, allocator))
            status = TACT_OUT_OF_MEMORY;
        for (size_t i = 0; i < g->solver_bodies.count; ++i)
            g->solver_bodies.items[i] = g->start.items[i];
    }
    if (status == TACT_OK)
        status = reflect(world, speed, &effort);
    if (status != TACT_OK || (restitution == 1.0 && !may_gain))
        return status;
    /* bodies that only the reflections reached have not changed in the inelastic result */
    if (!solver_body_array_reserve(&g->other, allocator, g->solver_bodies.count))
        return TACT_OUT_OF_MEMORY;
    while (g->other.count < g->solver_bodies.count) {
        g->other.items[g->other.count] = g->start.items[g->other.count];
        ++g->other.count;
    }
    const double share = may_gain
                             ? tact_contact_energy_mixture(world, g->other.items, g->solver_bodies.items, restitution)
                             : restitution;
    if (share < 1.0)
        for (size_t i = 0; i < g->solver_bodies.count; ++i)
            mix(&g->solver_bodies.items[i], &g->other.items[i], &g->solver_bodies.items[i], share);
    return TACT_OK;
}

/* Spins that have changed by rounding alone stay as they were, and so do the velocities of the bodies of a group: else
 * a body in the middle of a row would touch its neighbours again. If no spin has changed, the velocity of a pair along
 * the normal is then made right to the last digit: thousands of bounces between walls depend on it. */
static void keep_spins(contact_graph *g, double speed, double size, double restitution)
{
    size_t same = 0;
    for (size_t i = 0; i < g->members.count; ++i) {
        solver_body *b = &g->solver_bodies.items[i];
        if (vec_length_safe(vec_sub(b->spin, g->start.items[i].spin)) * size <= MIN_SPIN_CHANGE * speed)
            b->spin = g->start.items[i].spin;
        if (g->group.count > 0 &&
            vec_length_safe(vec_sub(b->velocity, g->start.items[i].velocity)) <= MIN_SEPARATION_SPEED * speed)
            b->velocity = g->start.items[i].velocity;
        same += vec_equal(b->spin, g->start.items[i].spin);
    }
    const solver_row *row = &g->points.items[0].rows[0];
    solver_body *a = &g->solver_bodies.items[g->points.items[0].body[0]],
                *b = &g->solver_bodies.items[g->points.items[0].body[1]];
    const double inverse = a->inverse_mass + b->inverse_mass;
    if (same < 2 || g->members.count != 2 || !(inverse > 0.0) || !(restitution > 0.0))
        return;
    const double off = restitution * speed - vec_dot(row->direction, vec_sub(b->velocity, a->velocity));
    if (!(fabs(off) <= MIN_SPIN_CHANGE * speed))
        return;
    a->velocity = vec_mul_add(a->velocity, -off * a->inverse_mass / inverse, row->direction);
    b->velocity = vec_mul_add(b->velocity, off * b->inverse_mass / inverse, row->direction);
}

static tact_motion free_motion(const tact_world *world, uint32_t index, const solver_body *b, tact_vec3 centre)
{
    tact_motion motion = world->cold.items[index].motion;
    motion.velocity =
        vec_add(b->velocity, vec_cross(b->spin, vec_sub(tact_advance_transform(world, index).origin, centre)));
    motion.spin = b->spin;
    return motion;
}

/* Whether all results are within the range of motions. */
static bool results_are_valid(const tact_world *world)
{
    const contact_graph *g = &world->advance->contacts;
    for (size_t i = 0; i < g->members.count; ++i) {
        const tact_motion motion =
            free_motion(world, g->members.items[i], &g->solver_bodies.items[i], g->centres.items[i]);
        if (!vec_finite(g->solver_bodies.items[i].velocity) || !motion_is_valid(&motion))
            return false;
    }
    return true;
}

/* Velocities of contact bodies differ from their motions, with which the impact is solved. So that it adds no energy,
 * all velocities change by the returned share of the solution only: of free bodies it is their motion. */
static double limit_results(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const double share = has_contact_body(g) ? tact_contact_energy_share(world) : 1.0;
    for (size_t i = 0; i < g->members.count && share < 1.0; ++i)
        if (g->bodies.items[g->members.items[i]].state == CONTACT_FREE)
            mix(&g->solver_bodies.items[i], &g->start.items[i], &g->solver_bodies.items[i], share);
    return share;
}

/* Writes the velocities of the solve to the bodies with a mass; to those of contact bodies this share. */
static void apply_results(tact_world *world, const tact_event *e, double early, double share)
{
    contact_graph *g = &world->advance->contacts;
    tact_contact_energy_change(world, share);
    for (size_t i = 0; i < g->members.count; ++i) {
        const uint32_t index = g->members.items[i];
        const solver_body *now = &g->solver_bodies.items[i], *start = &g->start.items[i];
        contact_body *body = &g->bodies.items[index];
        if (world->cold.items[index].rigid == NULL)
            continue;
        if (body->state != CONTACT_FREE) {
            tact_contact_set_changed_motion(world, i);
            continue;
        }
        g->solving = true;
        tact_body_redirect(world, index, free_motion(world, index, now, g->centres.items[i]));
        g->solving = false;
        if (index == e->a.index || index == e->b.index)
            compensate(world, index, start->velocity, now->velocity, early);
    }
}

/* ---- from impact to persistent contact ---- */

/* How fast two bodies accelerate towards each other at most. What supports a body in persistent contact may be on
 * either side, so there the direction does not count. */
static double closing_acceleration(const tact_world *world, const persistent_contact *c)
{
    const contact_graph *g = &world->advance->contacts;
    const tact_vec3 a = tact_body_total_acceleration(world, c->body[0]),
                    b = tact_body_total_acceleration(world, c->body[1]);
    if (g->bodies.items[c->body[0]].state == CONTACT_FREE && g->bodies.items[c->body[1]].state == CONTACT_FREE)
        return max_double(vec_dot(c->points[0].normal, vec_sub(a, b)), 0.0);
    return max_double(vec_length_safe(a), vec_length_safe(b));
}

/* The speed of separation up to which a pair stays in contact: see the head of this file. */
static double capture_speed(const tact_world *world, const persistent_contact *c, double restitution)
{
    const double pull = closing_acceleration(world, c), rest = tact_contact_rest_speed(world, c->size);
    if (restitution == 1.0)
        return pull > 0.0 ? rest : -INFINITY;
    return rest + pull * world->contact_step;
}

/* Counts an impact of a body. Returns whether there have been too many in the contact step. */
static bool has_too_many_impacts(const tact_world *world, uint32_t index, double restitution)
{
    contact_body *body = &world->advance->contacts.bodies.items[index];
    if (world->cold.items[index].rigid == NULL)
        return false;
    if (world->advance->time - body->impacts_since > world->contact_step || body->impacts == 0) {
        body->impacts_since = world->advance->time;
        body->impacts = 0;
    }
    return ++body->impacts > (restitution < 1.0 ? MAX_IMPACTS : MAX_ELASTIC_IMPACTS);
}

/* Whether a pair of the solve stays in contact after the impact. */
static bool stays_in_contact(const tact_world *world, uint32_t index, double restitution)
{
    const contact_graph *g = &world->advance->contacts;
    double separating = 0.0;
    for (size_t i = 0; i < g->points.count; ++i)
        if (g->origins.items[i].contact == index)
            separating =
                max_double(separating, tact_solver_point_velocity(&g->points.items[i], g->solver_bodies.items, 0));
    return separating <= capture_speed(world, &g->contacts.items[index], restitution);
}

/* Leaves in the group the pairs that are to become persistent contacts, as the pair that touches would: those that
 * stay in contact and have a body that the impact has moved. */
static void choose_staying(tact_world *world, double restitution)
{
    contact_graph *g = &world->advance->contacts;
    for (size_t k = g->group.count; k-- > 0;) {
        const persistent_contact *c = &g->contacts.items[g->group.items[k]];
        bool moved = false;
        for (int i = 0; i < 2; ++i) {
            const uint32_t slot = g->bodies.items[c->body[i]].slot;
            moved = moved ||
                    vec_length_safe(vec_sub(g->solver_bodies.items[slot].velocity, g->start.items[slot].velocity)) >
                        tact_contact_rest_speed(world, c->size);
        }
        if (!moved || !stays_in_contact(world, g->group.items[k], restitution))
            tact_impact_group_remove(world, k, true);
    }
}

/* Reports the touches of the group through which the impact passes, breadth first. An impulse that changes velocities
 * by rounding alone does not count. */
static void report_group(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    double fastest = 0.0;
    for (size_t i = 0; i < g->members.count; ++i)
        fastest = max_double(fastest, vec_length_safe(g->start.items[i].velocity));
    for (size_t k = 0; k < g->group.count; ++k) {
        const persistent_contact *c = &g->contacts.items[g->group.items[k]];
        double change = 0.0; /* of the velocities at the points */
        for (size_t i = 0; i < g->points.count; ++i) {
            const solver_row *row = &g->points.items[i].rows[0];
            if (g->origins.items[i].contact == g->group.items[k])
                change = max_double(change, (g->points.items[i].total + row->impulse) * row->inverse_effective_mass);
        }
        if (change > MIN_SPIN_CHANGE * fastest)
            tact_contact_report_touch(world, c->body[0], c->body[1], c->points[0].position, c->points[0].normal);
    }
}

/* The pair has become a persistent contact: its bodies move in contact steps, beginning with the rest of this one. */
static void begin_contact(tact_world *world, uint32_t index)
{
    contact_graph *g = &world->advance->contacts;
    persistent_contact *c = &g->contacts.items[index];
    c->pending = true;
    g->pending.items[g->pending.count++] = index;
    tact_contact_report_add(world, TACT_EVENT_CONTACT_BEGIN, c->body[0], c->body[1]);
    for (int i = 0; i < 2; ++i)
        if (world->cold.items[c->body[i]].rigid != NULL && g->bodies.items[c->body[i]].state == CONTACT_FREE) {
            tact_contact_body_enter(world, c->body[i]);
            g->bodies.items[c->body[i]].entering = true;
        }
}

/* The acceleration of a body that enters, without the parts towards the bodies that it has met: their contacts take
 * these up. */
static tact_vec3 supported_acceleration(const tact_world *world, uint32_t index)
{
    const contact_graph *g = &world->advance->contacts;
    tact_vec3 a = tact_body_total_acceleration(world, index);
    for (size_t i = 0; i < g->pending.count; ++i) {
        const persistent_contact *c = &g->contacts.items[g->pending.items[i]];
        if (c->point_count == 0 || (c->body[0] != index && c->body[1] != index))
            continue;
        const tact_vec3 away = c->body[1] == index ? c->points[0].normal : vec_negate(c->points[0].normal);
        a = vec_mul_add(a, -number_min(vec_dot(a, away), 0.0), away);
    }
    return a;
}

static bool has_pending(const contact_graph *g, uint32_t index)
{
    for (size_t i = 0; i < g->pending.count; ++i)
        if (g->contacts.items[g->pending.items[i]].body[0] == index ||
            g->contacts.items[g->pending.items[i]].body[1] == index)
            return true;
    return false;
}

/* A body that enters slower than this has hardly approached: the rest speed and what it gains in a contact step. */
static double entering_speed(const tact_world *world, uint32_t index, double rest)
{
    return rest + world->contact_step * vec_length_safe(tact_body_total_acceleration(world, index));
}

/* Whether a body has become a contact body at this time, up to rounding: its touches with others come one by one. */
static bool has_just_entered(const tact_world *world, uint32_t index)
{
    const contact_body *body = &world->advance->contacts.bodies.items[index];
    return body->state == CONTACT_AWAKE && !body->entering && body->lock == 0 && body->still_since == INFINITY &&
           world->advance->time - body->gain_time <= SAME_TIME * world->contact_step;
}

/* Without memory the next call begins anew: they have not entered again. */
static void undo_entering(contact_graph *g)
{
    for (size_t k = 0; k < g->members.count; ++k) {
        contact_body *body = &g->bodies.items[g->members.items[k]];
        if (body->entering && body->reached == g->last_visit)
            body->entering = false;
    }
}

/* Members that have just entered enter again, with all their contacts: the motion that they have got in between is that
 * of a body with fewer contacts. */
static tact_status enter_again(tact_world *world, double dt)
{
    contact_graph *g = &world->advance->contacts;
    for (size_t k = 0; k < g->members.count; ++k) {
        const uint32_t index = g->members.items[k];
        if (!has_just_entered(world, index))
            continue;
        tact_vec3 spin;
        const tact_vec3 velocity = tact_contact_body_velocity_now(world, index, &spin);
        const double debt = tact_contact_energy_debt(world, index);
        contact_body *body = &g->bodies.items[index];
        body->velocity = velocity;
        tact_contact_body_set_spin(world, index, spin);
        tact_contact_body_clear_gain(body);
        tact_contact_energy_credit(world, index, debt);
        body->entering = true;
        body->reached = g->last_visit;
        g->start.items[k].velocity = g->solver_bodies.items[k].velocity = velocity;
        g->start.items[k].spin = g->solver_bodies.items[k].spin = spin;
        for (uint32_t i = body->first; i != CONTACT_NONE;) {
            persistent_contact *c = &g->contacts.items[i];
            const uint32_t next = c->next[contact_side(c, index)];
            if (c->visit != g->last_visit) {
                const tact_status status = tact_contact_update_points(world, c, MAX_CONTACT_REACH * c->size);
                if (status != TACT_OK)
                    return status;
                if (!tact_contact_set_points(world, i, dt, false))
                    return TACT_OUT_OF_MEMORY;
            }
            i = next;
        }
    }
    return TACT_OK;
}

tact_status tact_contact_begin_pending(tact_world *world)
{
    contact_graph *g = &world->advance->contacts;
    const double dt = tact_contact_next_step(world) - world->advance->time;
    double rest = INFINITY;
    tact_status status = TACT_OK;
    tact_contact_set_begin(g, true);
    for (size_t i = 0; i < g->pending.count && status == TACT_OK; ++i) {
        persistent_contact *c = &g->contacts.items[g->pending.items[i]];
        rest = number_min(rest, tact_contact_rest_speed(world, c->size));
        status = tact_contact_update_points(world, c, MAX_CONTACT_REACH * c->size);
        c->allowed_depth = max_double(-c->gap, 0.0);
        if (status == TACT_OK && !tact_contact_set_points(world, g->pending.items[i], dt, false))
            status = TACT_OUT_OF_MEMORY;
    }
    if (status == TACT_OK)
        status = enter_again(world, dt);
    tact_contact_set_gap_targets(g, 0, dt);
    const double closing = tact_contact_set_closing_speed(g);
    for (size_t i = 0; i < g->members.count; ++i)
        if (g->bodies.items[g->members.items[i]].entering)
            g->solver_bodies.items[i].velocity = g->start.items[i].velocity =
                vec_mul_add(g->start.items[i].velocity, dt, tact_body_total_acceleration(world, g->members.items[i]));
    bool slow = false; /* the solution is the velocity of the next step, too */
    for (size_t i = 0; i < g->members.count; ++i)
        slow = slow || (g->bodies.items[g->members.items[i]].entering &&
                        closing <= entering_speed(world, g->members.items[i], rest));
    if (status == TACT_OK)
        status =
            tact_contact_solve_gaps(world, dt, (slow ? SOLVER_ACCURACY : GAP_ACCURACY) * rest, SOLVER_ACCURACY * rest);
    if (status == TACT_OK && slow && g->members.count > 2)
        status = tact_contact_set_refine(world, DIRECT_ACCURACY * rest);
    bool alone = true; /* no other contact body, whose velocity would have to change too */
    for (size_t i = 0; i < g->members.count; ++i)
        alone = alone &&
                (world->cold.items[g->members.items[i]].rigid == NULL || g->bodies.items[g->members.items[i]].entering);
    /* if they hardly approached, they keep what the solution changes; else the next step resolves the impact */
    const bool keeps = slow && alone;
    if (!keeps && status == TACT_OK)
        status = tact_contact_energy_cut(world, dt, rest * world->contact_step);
    for (size_t i = 0; i < g->members.count && status == TACT_OK; ++i) {
        const uint32_t member = g->members.items[i];
        const solver_body *now = &g->solver_bodies.items[i];
        contact_body *body = &g->bodies.items[member];
        if (body->state != CONTACT_AWAKE)
            continue;
        if (keeps && body->entering) {
            const tact_vec3 velocity = body->velocity, momentum = body->momentum;
            body->velocity = now->velocity;
            tact_contact_body_set_spin(world, member, now->spin);
            body->gain = vec_sub(body->velocity, velocity);
            body->gain_momentum = vec_sub(body->momentum, momentum);
            body->gain_time = world->advance->time;
            body->gain_end = g->next;
            tact_contact_energy_credit(world, member,
                                       body->credit +
                                           dt * world->cold.items[member].rigid->properties.mass *
                                               vec_dot(tact_body_total_acceleration(world, member), now->velocity));
        } else if (body->entering) {
            body->gain = vec_scale(supported_acceleration(world, member), dt);
            body->gain_time = world->advance->time;
            body->gain_end = g->next;
            tact_contact_energy_credit(world, member,
                                       body->credit +
                                           world->cold.items[member].rigid->properties.mass *
                                               vec_dot(body->gain, vec_mul_add(body->velocity, 0.5, body->gain)));
            body->velocity = vec_add(body->velocity, body->gain);
        }
        if (body->entering ||
            has_pending(g, member)) { /* even if its motion is the same: the prediction of a pending contact ends */
            body->lock = 0;
            tact_contact_set_motion(world, member, now);
        } else {
            tact_contact_set_changed_motion(world, i);
        }
        body->entering = false;
    }
    if (status != TACT_OK)
        undo_entering(g);
    tact_contact_set_end(g);
    for (size_t i = 0; i < g->pending.count && status == TACT_OK; ++i)
        g->contacts.items[g->pending.items[i]].pending = false;
    if (status == TACT_OK)
        g->pending.count = 0;
    return status;
}

/* ---- entry points ---- */

/* The pair has become a persistent contact. */
static void end_impact(tact_world *world, uint32_t index)
{
    const persistent_contact *c = &world->advance->contacts.contacts.items[index];
    tact_prediction_set_apart(world->advance, c->body[0], c->body[1]);
    begin_contact(world, index);
}

/* The least speed at which a point of the set separates; negative: one approaches. */
static double slowest_opening(const contact_graph *g)
{
    double least = INFINITY;
    for (size_t i = 0; i < g->points.count; ++i)
        least = number_min(least, tact_solver_point_velocity(&g->points.items[i], g->solver_bodies.items, 0));
    return least;
}

static tact_status bounce(tact_world *world, const tact_event *event, const tact_bounce_def *def)
{
    if (world == NULL || event == NULL || event->kind != TACT_EVENT_TOUCH ||
        event->time != tact_world_get_time(world) || body_find(world, event->a) == NULL ||
        body_find(world, event->b) == NULL || world->advance == NULL || event->a.index == event->b.index ||
        !(def->restitution >= 0.0) || !(def->restitution <= 1.0) || !(def->friction >= 0.0) ||
        !(def->friction < INFINITY) || !(def->rolling_friction >= 0.0) || !(def->rolling_friction < INFINITY) ||
        !vec_finite(event->normal) || !vec_finite(event->point))
        return TACT_BAD_ARGUMENT;
    advance *ad = world->advance;
    contact_graph *g = &ad->contacts;
    const uint32_t a = event->a.index, b = event->b.index;
    tact_status status;
    if (contact_graph_is_full(g, world->bodies.count) &&
        !tact_contact_graph_reserve(g, &world->allocator, world->bodies.count))
        return TACT_OUT_OF_MEMORY;
    if (def->friction == 0.0 && bounce_simply(world, event, def->restitution, &status))
        return status;
    if (world->cold.items[a].rigid == NULL && world->cold.items[b].rigid == NULL)
        return TACT_OK;
    if (tact_contact_find(g, a, b) != CONTACT_NONE)
        return TACT_OK; /* it is in the hands of the solver */
    g->group.count = 0;
    const bool lower_first = a < b;
    const uint32_t pair[2] = {lower_first ? a : b, lower_first ? b : a};
    const uint32_t index = tact_contact_add(
        g, &world->allocator, pair,
        (const bool[2]){world->cold.items[pair[0]].rigid != NULL, world->cold.items[pair[1]].rigid != NULL});
    if (index == CONTACT_NONE)
        return TACT_OUT_OF_MEMORY;
    persistent_contact *c = &g->contacts.items[index];
    c->size = body_motions_smaller_size(&ad->cold.items[a], &ad->cold.items[b]);
    c->material = (tact_material){def->friction, def->restitution, def->rolling_friction};
    tact_contact_wake(world, a);
    tact_contact_wake(world, b);
    status = tact_contact_sync_shapes(world, c, true);
    if (status == TACT_OK)
        status = vec_length_squared(event->normal) > 0.0
                     ? set_touch_points(world, event, c)
                     : tact_contact_update_points(world, c, MAX_CONTACT_REACH * c->size);
    tact_contact_set_begin(g, false);
    if (status == TACT_OK && !tact_contact_set_points(world, index, 0.0, false))
        status = TACT_OUT_OF_MEMORY;
    const double speed = status == TACT_OK ? tact_contact_set_closing_speed(g) : 0.0;
    bool stays = false;
    if (status == TACT_OK) {
        const uint32_t slots[2] = {g->bodies.items[a].slot, g->bodies.items[b].slot};
        const solver_body bodies[2] = {g->solver_bodies.items[slots[0]], g->solver_bodies.items[slots[1]]};
        const tact_vec3 centres[2] = {g->centres.items[slots[0]], g->centres.items[slots[1]]};
        const bool are_free =
            g->bodies.items[a].state == CONTACT_FREE && g->bodies.items[b].state == CONTACT_FREE && c->point_count > 0;
        double ignored;
        const double early = are_free ? early_by(world, event, bodies, centres, &ignored) : 0.0;
        const bool crowded_a = has_too_many_impacts(world, a, def->restitution),
                   crowded = has_too_many_impacts(world, b, def->restitution) || crowded_a;
        const bool can_stay = c->size > 0.0;
        const double capture = can_stay ? capture_speed(world, c, def->restitution) : -INFINITY, size = c->size;
        /* an impact at this time has passed through it */
        const bool separates = c->gap >= -SEPARATION_DISTANCE * size && slowest_opening(g) > max_double(capture, 0.0);
        const bool settles =
            can_stay && !separates && (c->gap < -SEPARATION_DISTANCE * size || crowded || speed <= capture);
        stays = settles || (!separates && def->restitution * speed <= capture);
        if (speed > 0.0 && !settles && size > 0.0)
            status = tact_impact_group_gather(world, index, speed);
        /* a pair alone that stays in contact in any case is left to the contact step */
        if (speed > 0.0 && status == TACT_OK && (!stays || g->group.count > 0)) {
            status = solve_impact(world, def->restitution, def->friction);
            keep_spins(g, speed, size, def->restitution);
        }
        if (status == TACT_OK && !results_are_valid(world))
            status = TACT_BAD_ARGUMENT; /* masses or speeds out of range */
        if (status == TACT_OK) {
            const double share = limit_results(world);
            stays = stays || (can_stay && stays_in_contact(world, index, def->restitution));
            apply_results(world, event, stays || g->group.count > 0 ? 0.0 : early, share);
            report_group(world);
            choose_staying(world, def->restitution);
        }
    }
    tact_contact_set_end(g);
    if (status != TACT_OK) {
        while (g->group.count > 0)
            tact_impact_group_remove(world, g->group.count - 1, false);
        tact_contact_remove(g, index);
        return status;
    }
    if (stays)
        end_impact(world, index);
    else
        tact_contact_remove(g, index);
    if (!stays)
        tact_prediction_mark_bounced(ad, a, b);
    for (size_t k = 0; k < g->group.count; ++k)
        end_impact(world, g->group.items[k]);
    g->group.count = 0;
    return TACT_OK;
}

tact_status tact_world_bounce_with(tact_world *world, const tact_event *event, const tact_bounce_def *def)
{
    const tact_bounce_def usual = tact_bounce_def_default();
    if (def == NULL)
        def = &usual;
    const bool advances = world != NULL && world->advance != NULL;
    if (advances)
        world->advance->caches = true;
    const tact_status status = bounce(world, event, def);
    if (advances)
        world->advance->caches = false;
    if (status == TACT_OK) {
        world->advance->touch_resolved = true;
        WORLD_NOTIFY(world, .type = CALL_BOUNCE, .event = event, .bounce = def);
    }
    return status;
}

tact_status tact_world_bounce(tact_world *world, const tact_event *event, double restitution)
{
    const tact_bounce_def def = {.restitution = restitution};
    return tact_world_bounce_with(world, event, &def);
}
