/*
 * Simultaneous touches: see impact_group.h.
 *
 * Balls of a rack, or a row of boxes without gravity, touch each other without a persistent contact. An impact passes
 * through them, so all are solved together (contact_impact.c). A pair takes part if at the time of the impact
 *  - it is at rest, its points separate and approach by less than GROUP_REST of the approach speed of the impact, and
 *    its gap is at most SEPARATION_DISTANCE; or
 *  - it approaches, and its gap is at most the tolerance of a touch: its own event is due now.
 * A pair that separates takes no part: it has bounced before, and if it approaches again it has an event of its own.
 *
 * Cost: for each neighbour of a body of the impact a comparison of boxes, and a manifold if they touch. A group has at
 * most MAX_GROUP pairs; what lies beyond is reached by later events.
 */
#include "advance/impact_group.h"

#include <float.h>
#include <math.h>

#include "advance/advance_constants.h"
#include "core/number.h"

/* Whether a gap and the speed at which it opens are those of a pair of the group. `noise`: rounding of the gap.
 * `rests`: whether the pair is at rest. */
static bool takes_part(double gap, double opening, double size, double noise, double speed, bool *rests)
{
    *rests = fabs(opening) <= GROUP_REST * speed;
    return opening <= GROUP_REST * speed && gap >= -MAX_CONTACT_DEPTH * size &&
           gap <= noise + (*rests ? TOUCH_REACH : TOUCH_TOLERANCE) * size;
}

/* Whether the boxes of two bodies are at most `reach` apart now. */
static bool boxes_touch(const advance *ad, uint32_t a, uint32_t b, double reach)
{
    const body_motion_cold *one = &ad->cold.items[a], *other = &ad->cold.items[b];
    const tact_vec3 d = vec_sub(body_motion_origin(&ad->motions.items[b], other, ad->time),
                                body_motion_origin(&ad->motions.items[a], one, ad->time));
    return d.x + other->extent_min.x <= one->extent_max.x + reach &&
           d.y + other->extent_min.y <= one->extent_max.y + reach &&
           d.z + other->extent_min.z <= one->extent_max.z + reach &&
           d.x + other->extent_max.x >= one->extent_min.x - reach &&
           d.y + other->extent_max.y >= one->extent_min.y - reach &&
           d.z + other->extent_max.z >= one->extent_min.z - reach;
}

/* How inaccurate a gap of two bodies is at the time of the world. */
static double gap_noise(const advance *ad, uint32_t a, uint32_t b)
{
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        const uint32_t index = i == 0 ? a : b;
        sum += vec_max_abs(body_motion_origin(&ad->motions.items[index], &ad->cold.items[index], ad->time)) +
               vec_max_abs(ad->motions.items[index].velocity) * fabs(ad->time);
    }
    return TOUCH_ROUNDOFF * DBL_EPSILON * sum;
}

/* ---- spheres ---- */

void tact_impact_group_mark(advance *ad, uint32_t index)
{
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    ad->cold.items[index].may_touch = true;
    for (uint32_t i = 0; i < all.count; ++i)
        ad->cold.items[all.items[i].index].may_touch = true;
}

/* Whether a sphere may touch a body other than `other` now. `*rests`: one that is at rest against it. */
static bool touches_another(const tact_world *world, uint32_t index, uint32_t other, double speed, bool *rests)
{
    const advance *ad = world->advance;
    const body_motion *one = &ad->motions.items[index];
    const tact_vec3 at = body_motion_origin(one, &ad->cold.items[index], ad->time);
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    const double near = 1.0 + GROUP_NEAR;
    bool touches = false, still = false;
    *rests = false;
    for (uint32_t i = 0; i < all.count; ++i) {
        const uint32_t n = all.items[i].index;
        if (n == other)
            continue;
        const body_motion *two = &ad->motions.items[n];
        if (!(two->sphere_radius >= 0.0)) {
            still = still || boxes_touch(ad, index, n, GROUP_NEAR * one->sphere_radius);
            continue;
        }
        const double radius = one->sphere_radius + two->sphere_radius;
        const tact_vec3 d = vec_sub(vec_mul_add(two->origin, ad->time - two->start_time, two->velocity), at);
        const double square = vec_length_squared(d), length = sqrt(square);
        bool is_still;
        if (square > near * near * radius * radius ||
            !takes_part(length - radius, vec_dot(d, vec_sub(two->velocity, one->velocity)) / length,
                        body_motions_smaller_size(&ad->cold.items[index], &ad->cold.items[n]), gap_noise(ad, index, n),
                        speed, &is_still))
            continue;
        touches = true;
        *rests = *rests || is_still;
    }
    *rests = *rests || still;
    return touches || still;
}

/* Whether an event below an entry of the queue is due by `limit`, other than that of the two bodies, which both may
 * have. */
static bool has_event_below(const advance *ad, uint32_t entry, const uint32_t bodies[2], double limit)
{
    for (uint32_t i = EVENT_HEAP_ARITY * entry + 1; i <= EVENT_HEAP_ARITY * (entry + 1) && i < ad->queue.count; ++i) {
        const uint32_t id = ad->queue.entries[i].id;
        if (!(ad->queue.entries[i].time <= limit))
            continue;
        const uint32_t other = ad->cold.items[id].event_other;
        if (!((id == bodies[0] && other == bodies[1]) || (id == bodies[1] && other == bodies[0])) ||
            has_event_below(ad, i, bodies, limit))
            return true;
    }
    return false;
}

bool tact_impact_spheres_touch_others(const tact_world *world, const uint32_t bodies[2], double speed)
{
    advance *ad = world->advance;
    /* the event that was reported is still the first */
    const bool simultaneous = has_event_below(ad, 0, bodies, ad->time + TOUCH_ROUNDOFF * DBL_EPSILON * fabs(ad->time));
    bool found = false;
    for (int i = 0; i < 2; ++i) {
        body_motion_cold *cold = &ad->cold.items[bodies[i]];
        if (world->cold.items[bodies[i]].rigid == NULL || !(cold->may_touch || simultaneous))
            continue;
        bool rests;
        const bool touches = touches_another(world, bodies[i], bodies[1 - i], speed, &rests);
        found = found || (touches && (rests || simultaneous));
        cold->may_touch = rests;
    }
    return found;
}

/* ---- all bodies ---- */

/* The slowest opening of a point of a pair. */
static double slowest_opening(const tact_world *world, const persistent_contact *c)
{
    tact_motion m[2];
    tact_vec3 origin[2];
    double least = INFINITY;
    for (int i = 0; i < 2; ++i) {
        m[i] = tact_advance_motion(world, c->body[i]);
        origin[i] = tact_advance_transform(world, c->body[i]).origin;
    }
    for (uint32_t k = 0; k < c->point_count; ++k) {
        tact_vec3 v[2];
        for (int i = 0; i < 2; ++i)
            v[i] = vec_add(m[i].velocity, vec_cross(m[i].spin, vec_sub(c->points[k].position, origin[i])));
        least = number_min(least, vec_dot(c->points[k].normal, vec_sub(v[1], v[0])));
    }
    return least;
}

/* Whether a body may take part: its motion is known, and its vertices do not move. */
static bool is_known(const tact_world *world, uint32_t index)
{
    const body_motion_cold *cold = &world->advance->cold.items[index];
    return world->cold.items[index].vertex_plan == NULL && !body_motion_is_polled(cold) &&
           advance_has_motion(world->advance, index);
}

/* Adds a pair of neighbours to the group if it takes part. */
static tact_status add_pair(tact_world *world, uint32_t one, neighbour *n, tact_material material, double speed)
{
    advance *ad = world->advance;
    contact_graph *g = &ad->contacts;
    const uint32_t other = n->index;
    const double size = body_motions_smaller_size(&ad->cold.items[one], &ad->cold.items[other]);
    if (!(size > 0.0) || !is_known(world, other) || !boxes_touch(ad, one, other, GROUP_NEAR * size) ||
        tact_contact_find(g, one, other) != CONTACT_NONE || tact_response_of(world, one, other).sensor)
        return TACT_OK;
    persistent_contact c = {.body = {one < other ? one : other, one < other ? other : one}, .size = size};
    const tact_status status = tact_contact_update_points(world, &c, TOUCH_REACH * size);
    if (status != TACT_OK)
        return status;
    bool rests;
    if (c.point_count == 0 ||
        !takes_part(c.gap, slowest_opening(world, &c), size, gap_noise(ad, one, other), speed, &rests))
        return TACT_OK;
    if (tact_prediction_ensure(world, n) == NEIGHBOUR_NONE) /* it will have a state, also of two spheres */
        return TACT_OUT_OF_MEMORY;
    const uint32_t index = tact_contact_add(
        g, &world->allocator, c.body,
        (const bool[2]){world->cold.items[c.body[0]].rigid != NULL, world->cold.items[c.body[1]].rigid != NULL});
    if (index == CONTACT_NONE)
        return TACT_OUT_OF_MEMORY;
    persistent_contact *added = &g->contacts.items[index];
    c.next[0] = added->next[0];
    c.next[1] = added->next[1];
    c.material = material;
    *added = c;
    if (!contact_index_array_push(&g->group, &world->allocator, index)) {
        tact_contact_remove(g, index);
        return TACT_OUT_OF_MEMORY;
    }
    tact_contact_wake(world, other);
    return tact_contact_set_points(world, index, 0.0, false) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_impact_group_gather(tact_world *world, uint32_t contact, double speed)
{
    advance *ad = world->advance;
    contact_graph *g = &ad->contacts;
    const tact_material material = g->contacts.items[contact].material;
    tact_status status = TACT_OK;
    g->group.count = 0;
    if (contact_graph_is_full(g, world->bodies.count) &&
        !tact_contact_graph_reserve(g, &world->allocator, world->bodies.count))
        return TACT_OUT_OF_MEMORY;
    for (size_t k = 0; k < g->members.count && status == TACT_OK; ++k) { /* each pair adds a member at most */
        const uint32_t member = g->members.items[k];
        if (world->cold.items[member].rigid == NULL || !is_known(world, member))
            continue;
        const neighbour_span all = neighbours_of(&ad->neighbours, member);
        for (uint32_t i = 0; i < all.count && status == TACT_OK && g->group.count < MAX_GROUP; ++i)
            status = add_pair(world, member, &all.items[i], material, speed);
    }
    return status;
}

void tact_impact_group_remove(tact_world *world, size_t position, bool bounced)
{
    contact_graph *g = &world->advance->contacts;
    const uint32_t index = g->group.items[position];
    const uint32_t a = g->contacts.items[index].body[0], b = g->contacts.items[index].body[1];
    g->group.items[position] = g->group.items[--g->group.count];
    tact_contact_remove(g, index);
    if (bounced)
        tact_prediction_mark_bounced(world->advance, a, b);
}
