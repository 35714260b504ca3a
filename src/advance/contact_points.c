/*
 * The points of a persistent contact: computed from the shapes, and matched with those of the step before.
 *
 * Cost: one manifold (convex shapes: 0.2 to 1 microsecond), or the contact points near the body on a mesh.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "query/query.h"

/* Contact points of a pair, from which CONTACT_MAX_POINTS are chosen. */
#define MAX_CANDIDATES 64

/* Chooses the candidate `next` and updates the squared distances of all from those chosen. */
static void choose(const contact_point *all, size_t count, size_t next, double *distance, persistent_contact *c)
{
    c->points[c->point_count++] = all[next];
    for (size_t i = 0; i < count; ++i)
        distance[i] = fmin(distance[i], vec_length_squared(vec_sub(all[i].local, all[next].local)));
}

/* The points that span the contact. First those that continue a point of the last step: two boxes that are turned a
 * little have two candidates near each corner, and a point that alternates between them would shake the boxes. But one
 * with a smaller gap, by more than POINT_GAP, takes its place. Then the one with the least gap, and again and again the
 * one that is farthest from those chosen. Points nearer than POINT_DISTANCE to one of those are left out. */
static void choose_points(const persistent_contact *old, const contact_point *all, size_t count, persistent_contact *c)
{
    double distance[MAX_CANDIDATES];
    const double least = POINT_DISTANCE * POINT_DISTANCE * c->size * c->size;
    size_t next = 0;
    for (size_t i = 0; i < count; ++i)
        distance[i] = INFINITY;
    for (uint32_t k = 0; k < old->point_count; ++k) {
        double away[MAX_CANDIDATES], nearest = INFINITY, lowest = INFINITY;
        for (size_t i = 0; i < count; ++i) {
            const double d = vec_length_squared(vec_sub(all[i].local, old->points[k].local));
            away[i] = d < least && distance[i] > least ? d : INFINITY;
            lowest = away[i] < INFINITY ? fmin(lowest, all[i].gap) : lowest;
        }
        next = count;
        for (size_t i = 0; i < count; ++i)
            if (away[i] < nearest && all[i].gap <= lowest + POINT_GAP * tact_contact_rest_gap(c)) {
                nearest = away[i];
                next = i;
            }
        if (next < count)
            choose(all, count, next, distance, c);
    }
    next = 0;
    for (size_t i = 0; i < count; ++i)
        next = all[i].gap < all[next].gap ? i : next;
    if (count > 0 && distance[next] > least && c->point_count < CONTACT_MAX_POINTS)
        choose(all, count, next, distance, c);
    while (c->point_count < CONTACT_MAX_POINTS && count > 0) {
        for (size_t i = 0; i < count; ++i)
            next = distance[i] > distance[next] ? i : next;
        if (!(distance[next] > least))
            break;
        choose(all, count, next, distance, c);
    }
}

/* Point x in the coordinates of a body, if its axes are orthogonal; else anything that moves with it: it only
 * identifies points. */
static tact_vec3 to_local(const tact_transform *t, tact_vec3 x)
{
    const tact_vec3 d = vec_sub(x, t->origin);
    return vec_make(vec_dot(t->x_axis, d), vec_dot(t->y_axis, d), vec_dot(t->z_axis, d));
}

static void set_point(contact_point *p, const tact_transform *at_a, tact_vec3 on_a, tact_vec3 on_b, tact_vec3 normal,
                      double depth)
{
    *p = (contact_point){.position = vec_scale(vec_add(on_a, on_b), 0.5), .normal = normal, .gap = -depth};
    p->local = to_local(at_a, p->position);
}

/* Each old point passes its impulses on to the nearest new one. So their sum is kept, whatever happens to the points,
 * and the solver starts near the solution. */
static void pass_impulses(const persistent_contact *old, persistent_contact *now)
{
    for (uint32_t k = 0; k < old->point_count && now->point_count > 0; ++k) {
        const contact_point *from = &old->points[k];
        contact_point *nearest = &now->points[0];
        for (uint32_t i = 1; i < now->point_count; ++i)
            if (vec_length_squared(vec_sub(now->points[i].local, from->local)) <
                vec_length_squared(vec_sub(nearest->local, from->local)))
                nearest = &now->points[i];
        nearest->impulse += from->impulse;
        nearest->friction = vec_add(nearest->friction, from->friction);
        nearest->roll = vec_add(nearest->roll, from->roll);
    }
}

tact_status tact_contact_update_points(tact_world *world, persistent_contact *c, double reach)
{
    const advance *ad = world->advance;
    const tact_shape *a = world->bodies.items[c->body[0]].shape, *b = world->bodies.items[c->body[1]].shape;
    const tact_transform at_a = tact_advance_transform(world, c->body[0]),
                         at_b = tact_advance_transform(world, c->body[1]);
    persistent_contact next = *c;
    next.time = ad->time;
    next.gap = INFINITY;
    next.point_count = 0;
    reach = fmin(reach, MAX_CONTACT_REACH * c->size);
    contact_point all[MAX_CANDIDATES];
    size_t count = 0;
    if (shape_is_convex(a) && shape_is_convex(b)) {
        const tact_manifold m = tact_shapes_manifold(a, at_a, b, at_b, reach);
        if (m.status != TACT_OK && m.status != TACT_NOT_CONVERGED)
            return m.status;
        for (int i = 0; i < m.count; ++i)
            set_point(&all[count++], &at_a, m.points[i].on_a, m.points[i].on_b, m.normal, m.points[i].depth);
    } else {
        tact_contact_point points[MAX_CANDIDATES];
        const tact_contacts found = tact_shapes_contacts(a, at_a, b, at_b, reach, points, MAX_CANDIDATES);
        if (found.status != TACT_OK && found.status != TACT_NOT_CONVERGED)
            return found.status;
        for (size_t i = 0; i < found.count && i < MAX_CANDIDATES; ++i)
            set_point(&all[count++], &at_a, points[i].on_a, points[i].on_b, points[i].normal, points[i].depth);
    }
    choose_points(c, all, count, &next);
    for (uint32_t i = 0; i < next.point_count; ++i)
        next.gap = fmin(next.gap, next.points[i].gap);
    pass_impulses(c, &next);
    *c = next;
    return TACT_OK;
}
