/*
 * The points of a persistent contact: computed from the shapes, and matched with those of the step before.
 *
 * Cost: one manifold (convex shapes: 0.2 to 1 microsecond), or the contact points near the body on a mesh.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_step.h"
#include "core/number.h"
#include "query/query.h"

/* Chooses the candidate `next` and updates the squared distances of all from those chosen. */
static void choose(contact_candidate *all, size_t count, size_t next, persistent_contact *c)
{
    c->points[c->point_count++] = all[next].point;
    for (size_t i = 0; i < count; ++i)
        all[i].distance =
            number_min(all[i].distance, vec_length_squared(vec_sub(all[i].point.local, all[next].point.local)));
}

/* The candidate with the least gap; 0 if there is none. */
static size_t lowest_of(const contact_candidate *all, size_t count)
{
    size_t lowest = 0;
    for (size_t i = 1; i < count; ++i)
        lowest = all[i].point.gap < all[lowest].point.gap ? i : lowest;
    return lowest;
}

/* The points that span the contact. First those that continue a point of the last step: two boxes that are turned a
 * little have two candidates near each corner, and a point that alternates between them would shake the boxes. But one
 * with a smaller gap, by more than POINT_GAP, takes its place. Then the one with the least gap, and again and again the
 * one that is farthest from those chosen. Points nearer than POINT_DISTANCE to one of those are left out. */
static void choose_points(const persistent_contact *old, contact_candidate *all, size_t count, persistent_contact *c)
{
    const double least = POINT_DISTANCE * POINT_DISTANCE * c->size * c->size;
    size_t next = 0;
    for (uint32_t k = 0; k < old->point_count && c->point_count < CONTACT_MAX_POINTS; ++k) {
        double nearest = INFINITY, lowest = INFINITY;
        for (size_t i = 0; i < count; ++i) {
            const double d = vec_length_squared(vec_sub(all[i].point.local, old->points[k].local));
            all[i].away = d < least && all[i].distance > least ? d : INFINITY;
            lowest = all[i].away < INFINITY ? number_min(lowest, all[i].point.gap) : lowest;
        }
        next = count;
        for (size_t i = 0; i < count; ++i)
            if (all[i].away < nearest && all[i].point.gap <= lowest + POINT_GAP * tact_contact_rest_gap(c)) {
                nearest = all[i].away;
                next = i;
            }
        if (next < count)
            choose(all, count, next, c);
    }
    next = lowest_of(all, count);
    if (count > 0 && all[next].distance > least && c->point_count < CONTACT_MAX_POINTS)
        choose(all, count, next, c);
    while (c->point_count < CONTACT_MAX_POINTS && count > 0) {
        for (size_t i = 0; i < count; ++i)
            next = all[i].distance > all[next].distance ? i : next;
        if (!(all[next].distance > least))
            break;
        choose(all, count, next, c);
    }
}

/* Point x along the axes of a body, as lengths in the world. Exact where the axes are orthogonal; else it still moves
 * with the body. */
static tact_vec3 to_local(const tact_transform *t, tact_vec3 x)
{
    const tact_vec3 d = vec_sub(x, t->origin);
    return vec_make(vec_dot(vec_normalize(t->x_axis), d), vec_dot(vec_normalize(t->y_axis), d),
                    vec_dot(vec_normalize(t->z_axis), d));
}

static void add_candidate(contact_candidate_array *all, const tact_transform *at_a, tact_vec3 on_a, tact_vec3 on_b,
                          tact_vec3 normal, double depth)
{
    contact_candidate *c = &all->items[all->count++]; /* memory has been reserved */
    *c = (contact_candidate){.distance = INFINITY};
    c->point = (contact_point){.position = vec_scale(vec_add(on_a, on_b), 0.5), .normal = normal, .gap = -depth};
    c->point.local = to_local(at_a, c->point.position);
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

/* The candidates of a mesh or compound: all points within reach. The deepest alone may be all on one side. */
static tact_status find_candidates(tact_world *world, const persistent_contact *c, const tact_transform *at_a,
                                   const tact_transform *at_b, double reach)
{
    contact_graph *g = &world->advance->contacts;
    const tact_shape *a = tact_contact_shape(world, c->body[0]), *b = tact_contact_shape(world, c->body[1]);
    size_t capacity = FEW_CANDIDATES;
    for (int pass = 0; pass < 2; ++pass) {
        if (!contact_candidate_array_reserve(&g->candidates, &world->allocator, capacity) ||
            !found_point_array_reserve(&g->found, &world->allocator, capacity))
            return TACT_OUT_OF_MEMORY;
        const tact_contacts found = tact_shapes_contacts(a, *at_a, b, *at_b, reach, g->found.items, capacity);
        if (found.status != TACT_OK && found.status != TACT_NOT_CONVERGED)
            return found.status;
        g->found.count = found.count < capacity ? found.count : capacity;
        if (found.count <= capacity)
            break;
        capacity = found.count;
    }
    for (size_t i = 0; i < g->found.count; ++i) {
        const tact_contact_point *p = &g->found.items[i];
        add_candidate(&g->candidates, at_a, p->on_a, p->on_b, p->normal, p->depth);
    }
    return TACT_OK;
}

tact_status tact_contact_update_points(tact_world *world, persistent_contact *c, double reach)
{
    contact_graph *g = &world->advance->contacts;
    const tact_status synced = tact_contact_sync_shapes(world, c, false);
    if (synced != TACT_OK)
        return synced;
    const tact_shape *a = tact_contact_shape(world, c->body[0]), *b = tact_contact_shape(world, c->body[1]);
    const tact_transform at_a = tact_advance_transform(world, c->body[0]),
                         at_b = tact_advance_transform(world, c->body[1]);
    persistent_contact next = *c;
    next.time = world->advance->time;
    next.gap = INFINITY;
    next.point_count = 0;
    reach = number_min(reach, MAX_CONTACT_REACH * c->size);
    g->candidates.count = 0;
    if (shape_is_convex(a) && shape_is_convex(b)) {
        const tact_manifold m = tact_shapes_manifold(a, at_a, b, at_b, reach);
        if (m.status != TACT_OK && m.status != TACT_NOT_CONVERGED)
            return m.status;
        if (!contact_candidate_array_reserve(&g->candidates, &world->allocator, TACT_MANIFOLD_POINTS))
            return TACT_OUT_OF_MEMORY;
        for (int i = 0; i < m.count; ++i)
            add_candidate(&g->candidates, &at_a, m.points[i].on_a, m.points[i].on_b, m.normal, m.points[i].depth);
    } else {
        const tact_status status = find_candidates(world, c, &at_a, &at_b, reach);
        if (status != TACT_OK)
            return status;
    }
    /* the lowest first, if the bodies are about to touch there, or if the points of before are elsewhere on a surface
     */
    const size_t lowest = lowest_of(g->candidates.items, g->candidates.count);
    if (g->candidates.count > 0 && (tact_contact_deforming_side(world, c) >= 0 ||
                                    g->candidates.items[lowest].point.gap < LOW_GAP * tact_contact_rest_gap(c)))
        choose(g->candidates.items, g->candidates.count, lowest, &next);
    choose_points(c, g->candidates.items, g->candidates.count, &next);
    for (uint32_t i = 0; i < next.point_count; ++i)
        next.gap = number_min(next.gap, next.points[i].gap);
    pass_impulses(c, &next);
    *c = next;
    return TACT_OK;
}
