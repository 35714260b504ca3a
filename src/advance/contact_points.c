/*
 * The points of a persistent contact: computed from the shapes, and matched with those of the step before.
 *
 * Cost: one manifold (convex shapes: 0.2 to 1 microsecond), or the contact points near the body on a mesh.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "query/query.h"

/* Contact points of meshes and compounds, from which CONTACT_MAX_POINTS are chosen. */
#define MAX_CANDIDATES 64

/* The points that span the contact: the one with the least gap, then again and again the one that is farthest from
 * those chosen. */
static uint32_t choose_points(const tact_contact_point *all, size_t count, uint32_t chosen[CONTACT_MAX_POINTS])
{
    double distance[MAX_CANDIDATES];
    uint32_t n = 0;
    size_t next = 0;
    for (size_t i = 0; i < count; ++i) {
        distance[i] = INFINITY;
        next = all[i].depth > all[next].depth ? i : next;
    }
    while (n < CONTACT_MAX_POINTS && n < count) {
        chosen[n++] = (uint32_t)next;
        const size_t last = next;
        double farthest = 0.0;
        for (size_t i = 0; i < count; ++i) {
            distance[i] = fmin(distance[i], vec_length_squared(vec_sub(all[i].on_a, all[last].on_a)));
            if (distance[i] > farthest) {
                farthest = distance[i];
                next = i;
            }
        }
        if (!(farthest > 0.0))
            break;
    }
    return n;
}

static void set_point(contact_point *p, tact_vec3 on_a, tact_vec3 on_b, tact_vec3 normal, double depth)
{
    *p = (contact_point){.position = vec_scale(vec_add(on_a, on_b), 0.5), .normal = normal, .gap = -depth};
}

/* Point x in the coordinates of a body, if its axes are orthogonal; else anything that moves with it: it only
 * identifies points. */
static tact_vec3 to_local(const tact_transform *t, tact_vec3 x)
{
    const tact_vec3 d = vec_sub(x, t->origin);
    return vec_make(vec_dot(t->x_axis, d), vec_dot(t->y_axis, d), vec_dot(t->z_axis, d));
}

/* Gives new points the impulses of the old ones that they continue. */
static void match_points(const persistent_contact *old, persistent_contact *c)
{
    bool used[CONTACT_MAX_POINTS] = {false};
    const double reach = POINT_MATCH * c->size;
    for (uint32_t i = 0; i < c->point_count; ++i) {
        contact_point *p = &c->points[i];
        uint32_t best = CONTACT_MAX_POINTS;
        double nearest = reach * reach;
        for (uint32_t k = 0; k < old->point_count; ++k) {
            const double d = vec_length_squared(vec_sub(p->local, old->points[k].local));
            if (!used[k] && d <= nearest) {
                nearest = d;
                best = k;
            }
        }
        if (best == CONTACT_MAX_POINTS)
            continue;
        used[best] = true;
        p->impulse = old->points[best].impulse;
        p->friction = old->points[best].friction;
        p->roll = old->points[best].roll;
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
    if (shape_is_convex(a) && shape_is_convex(b)) {
        const tact_manifold m = tact_shapes_manifold(a, at_a, b, at_b, reach);
        if (m.status != TACT_OK && m.status != TACT_NOT_CONVERGED)
            return m.status;
        for (int i = 0; i < m.count && i < CONTACT_MAX_POINTS; ++i)
            set_point(&next.points[next.point_count++], m.points[i].on_a, m.points[i].on_b, m.normal,
                      m.points[i].depth);
    } else {
        tact_contact_point points[MAX_CANDIDATES];
        const tact_contacts found = tact_shapes_contacts(a, at_a, b, at_b, reach, points, MAX_CANDIDATES);
        if (found.status != TACT_OK && found.status != TACT_NOT_CONVERGED)
            return found.status;
        uint32_t chosen[CONTACT_MAX_POINTS];
        const uint32_t n = choose_points(points, found.count < MAX_CANDIDATES ? found.count : MAX_CANDIDATES, chosen);
        for (uint32_t i = 0; i < n; ++i)
            set_point(&next.points[next.point_count++], points[chosen[i]].on_a, points[chosen[i]].on_b,
                      points[chosen[i]].normal, points[chosen[i]].depth);
    }
    for (uint32_t i = 0; i < next.point_count; ++i) {
        next.points[i].local = to_local(&at_a, next.points[i].position);
        next.gap = fmin(next.gap, next.points[i].gap);
    }
    match_points(c, &next);
    *c = next;
    return TACT_OK;
}
