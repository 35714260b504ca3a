/*
 * What rotation does to the gaps of a step: their *bends*. See contact_step.h.
 *
 * The solver moves contact points along straight lines. A body that turns by an angle w in a step brings other points
 * near: at the end a gap is smaller than that by up to about w^2 r / 2, which is tens of rest gaps at MAX_STEP_ANGLE.
 * So the distance at the end is computed from the shapes: a lower bound by a plane, with its normal fixed, or turning
 * with one of the bodies; where none separates the bodies, by a manifold.
 *
 * Nothing depends on it that bodies do not overlap: what is missed here is cut (contact_cut.c).
 *
 * Cost: four support points per contact of bodies that turn, about 100 ns, and 50 ns for each such body; a manifold for
 * one in some ten of them. Nothing at rest.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "motion/motion.h"
#include "query/query.h"
#include "shape/support.h"

/* The body in a slot at the end of the step; NULL: unknown. */
static const step_end *find_end(const tact_world *world, uint32_t slot, double end)
{
    const advance *ad = world->advance;
    const contact_graph *g = &ad->contacts;
    const uint32_t index = g->members.items[slot];
    const body_motion_cold *cold = &ad->cold.items[index];
    step_end *e = &g->ends.items[slot];
    if (e->known)
        return e->valid ? e : NULL;
    *e = (step_end){.known = true};
    if (cold->plan != NULL || body_motion_deforms(cold) || !shape_is_convex(cold->shape))
        return NULL;
    if (g->solver_bodies.items[slot].inverse_mass == 0.0) {
        e->at = body_motion_transform(&ad->motions.items[index], cold, end);
    } else {
        const tact_motion moved = {.velocity = g->moved.items[slot].velocity, .spin = g->moved.items[slot].spin};
        e->at = tact_motion_at(moved, body_motion_transform(&ad->motions.items[index], cold, ad->time), 1.0);
    }
    e->valid = tact_convex_make(&e->shape, cold->shape, &e->at) == TACT_OK;
    return e->valid ? e : NULL;
}

/* The distance of two bodies along n, from a to b: a lower bound of that of the bodies. */
static double distance_along(const convex *a, const convex *b, tact_vec3 n)
{
    uint64_t ignored;
    const tact_vec3 back = vec_negate(n), to_a = vec_add(a->transform.origin, convex_support(a, n, &ignored)),
                    to_b = vec_add(b->transform.origin, convex_support(b, back, &ignored));
    return vec_dot(n, vec_sub(to_b, to_a)) - a->margin - b->margin;
}

/* A bound of how far the distance of two bodies at the end of the step is from that of straight motions: centripetal
 * and Coriolis terms. */
static double largest_bend(const tact_world *world, const solver_point *p)
{
    const contact_graph *g = &world->advance->contacts;
    double angle[2], way[2], sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        angle[i] = vec_length_safe(g->moved.items[p->body[i]].spin);
        way[i] = angle[i] * body_motion_size(&world->advance->cold.items[g->members.items[p->body[i]]]);
    }
    const double distance =
        vec_length_safe(vec_sub(g->moved.items[p->body[0]].velocity, g->moved.items[p->body[1]].velocity)) + way[0] +
        way[1];
    for (int i = 0; i < 2; ++i)
        sum += angle[i] > 0.0 ? angle[i] * (way[i] + 2.0 * distance) : 0.0;
    return 0.5 * sum;
}

/* The distance of the bodies of a point at the end of the step, or at least `enough`. INFINITY: unknown. */
static double distance_at_end(const tact_world *world, const solver_point *p, double end, double enough, double reach)
{
    const contact_graph *g = &world->advance->contacts;
    const step_end *a = find_end(world, p->body[0], end), *b = find_end(world, p->body[1], end);
    if (a == NULL || b == NULL)
        return INFINITY;
    const tact_vec3 n = p->rows[0].direction;
    double distance = distance_along(&a->shape, &b->shape, n);
    for (int i = 0; i < 2 && distance < enough; ++i) {
        const axis_rotation r = axis_rotation_of_spin(g->moved.items[p->body[i]].spin, 1.0);
        distance = max_double(distance, distance_along(&a->shape, &b->shape, axis_rotation_apply(&r, n)));
    }
    if (distance >= enough)
        return distance;
    const tact_manifold m = tact_shapes_manifold(a->shape.shape, a->at, b->shape.shape, b->at, reach);
    return (m.status == TACT_OK || m.status == TACT_NOT_CONVERGED) && m.count > 0 ? -m.depth : INFINITY;
}

bool tact_contact_set_bends(tact_world *world, double end)
{
    contact_graph *g = &world->advance->contacts;
    bool any = false;
    for (size_t i = 0; i < g->points.count; ++i)
        g->points.items[i].bend = 0.0;
    if (!step_end_array_reserve(&g->ends, &world->allocator, g->members.count))
        return false;
    for (size_t i = 0; i < g->members.count; ++i)
        g->ends.items[i].known = false;
    for (size_t i = 0, next; i < g->points.count; i = next) {
        const persistent_contact *c = &g->contacts.items[g->origins.items[i].contact];
        double straight = INFINITY;
        for (next = i; next < g->points.count && g->origins.items[next].contact == g->origins.items[i].contact;
             ++next) {
            const solver_point *p = &g->points.items[next];
            straight = fmin(straight, p->gap + tact_solver_point_velocity(p, g->moved.items, 0));
        }
        const double rest = tact_contact_rest_gap(c), bound = largest_bend(world, &g->points.items[i]);
        if (c->allowed_depth > 0.0 || !(bound > LEAST_BEND * rest) || !(straight - bound < BEND_GAP * rest))
            continue;
        const double distance =
            distance_at_end(world, &g->points.items[i], end, BEND_GAP * rest, MAX_CONTACT_REACH * c->size);
        if (!(distance < fmin(BEND_GAP * rest, straight)))
            continue;
        any = true;
        for (size_t k = i; k < next; ++k)
            g->points.items[k].bend = distance - straight;
    }
    return any;
}
