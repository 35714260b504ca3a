#include "oracle/advance_check.h"

#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "oracle/broad_check.h"
#include "oracle/queue_check.h"
#include "toi/overlap_certificate.h"

/* Times at which a body is compared with its bound. */
#define TIMES 8

/* Duration: how far ahead bounds that last for ever are compared. */
#define AHEAD 1e3

/* Relative: rounding error of bounds. */
#define ROUNDING 1e-12

/* Of the larger body: deeper than this two bodies overlap, rounding or not. */
#define DEEP 1e-6

static bool contains(const box *b, const tact_bounds *x, double slack)
{
    const double low[3] = {x->min.x, x->min.y, x->min.z}, high[3] = {x->max.x, x->max.y, x->max.z};
    for (int i = 0; i < 3; ++i)
        if (low[i] + slack < (double)b->min[i] || high[i] - slack > (double)b->max[i])
            return false;
    return true;
}

/* The body is within its fat bound from now until its expiry. */
static bool is_in_fat_bound(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    const body_motion *p = &ad->motions.items[index];
    const body_motion_cold *m = &ad->cold.items[index];
    const double last = fmin(m->expiry, ad->time + AHEAD);
    for (int i = 0; i <= TIMES; ++i) {
        const double time = ad->time + (last - ad->time) * i / TIMES;
        tact_bounds bounds;
        if (tact_shape_bounds(m->shape, body_motion_transform(p, m, time), &bounds) != TACT_OK)
            break; /* out of range, where it meets nobody */
        const double far = vec_max_abs(bounds.min) + vec_max_abs(bounds.max);
        const double deviation = m->plan != NULL ? motion_plan_deviation(m->plan, time) : 0.0;
        if (!contains(&ad->fat_bounds.bounds.items[index].box, &bounds, ROUNDING * far - deviation))
            return false;
        const grid_sphere *ball = &ad->fat_bounds.bounds.items[index].sphere;
        const tact_vec3 c = {(double)ball->centre[0], (double)ball->centre[1], (double)ball->centre[2]};
        if (m->spherical_bound && vec_length_safe(vec_sub(body_motion_origin(p, m, time), c)) + p->sphere_radius >
                                      (double)ball->radius + ROUNDING * far)
            return false;
    }
    return true;
}

/* The body is within its box in the sweep, and all bodies whose boxes overlap its own are its neighbours. */
static bool is_in_sweep_box(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    const kinetic_box *b = &ad->sweep.sweep.boxes.items[index];
    const body_motion_cold *m = &ad->cold.items[index];
    const double last = fmin(m->expiry, ad->time + AHEAD);
    tact_bounds mine, other;
    if (tact_shape_bounds(m->shape, body_motion_transform(&ad->motions.items[index], m, ad->time), &mine) != TACT_OK)
        return true; /* out of range, where it meets nobody */
    for (int i = TIMES; i >= 0; --i) {
        const double time = ad->time + (last - ad->time) * i / TIMES, t = time - b->since;
        if (tact_shape_bounds(m->shape, body_motion_transform(&ad->motions.items[index], m, time), &mine) != TACT_OK)
            continue;
        const double low[3] = {mine.min.x, mine.min.y, mine.min.z}, high[3] = {mine.max.x, mine.max.y, mine.max.z};
        for (int k = 0; k < 3; ++k) {
            const kinetic_endpoint *e = b->endpoints[k];
            if (low[k] < e[0].x + t * (e[0].v + 0.5 * t * e[0].a) || high[k] > e[1].x + t * (e[1].v + 0.5 * t * e[1].a))
                return false;
        }
    }
    for (uint32_t i = 0; i < index; ++i) /* now */
        if (body_sweep_has(&ad->sweep, i) && tact_kinetic_sweep_allows(&ad->sweep.sweep, i, index) &&
            tact_shape_bounds(ad->cold.items[i].shape,
                              body_motion_transform(&ad->motions.items[i], &ad->cold.items[i], ad->time),
                              &other) == TACT_OK &&
            mine.min.x <= other.max.x && other.min.x <= mine.max.x && mine.min.y <= other.max.y &&
            other.min.y <= mine.max.y && mine.min.z <= other.max.z && other.min.z <= mine.max.z &&
            tact_neighbours_find(&ad->neighbours, i, index) == NEIGHBOUR_NONE)
            return false;
    return true;
}

static double event_of(const event_queue *q, uint32_t number)
{
    return event_queue_has(q, number) ? q->entries[q->heap_index[number]].time : INFINITY;
}

/* No touch of two neighbours comes before the event of either. */
static bool is_covered(const tact_world *world, uint32_t one, const neighbour *n)
{
    const advance *ad = world->advance;
    const uint32_t who[2] = {one, n->index};
    const double until = fmin(fmin(event_of(&ad->queue, one), event_of(&ad->queue, n->index)), ad->time + AHEAD);
    if (n->data != NEIGHBOUR_NONE && pair_overlaps(ad->predictions.items[n->data].state))
        return true;
    if (body_motion_is_polled(&ad->cold.items[who[0]]) || body_motion_is_polled(&ad->cold.items[who[1]]))
        return true; /* nothing is predicted */
    if (tact_contact_find(&ad->contacts, one, n->index) != CONTACT_NONE)
        return true; /* persistent: it may overlap as far as at its start, and locked bodies move as one */
    tact_transform place[2];
    tact_motion motion[2];
    const tact_shape *shape[2];
    double size = 0.0;
    for (int i = 0; i < 2; ++i) {
        const body_motion *p = &ad->motions.items[who[i]];
        const body_motion_cold *m = &ad->cold.items[who[i]];
        place[i] = body_motion_transform(p, m, ad->time);
        motion[i] = body_motion_motion(p, m, ad->time);
        shape[i] = ad->cold.items[who[i]].shape;
        size = max_double(size, vec_max_abs(vec_sub(m->extent_max, m->extent_min)));
    }
    const tact_toi hit =
        tact_shapes_time_of_impact(shape[0], place[0], motion[0], shape[1], place[1], motion[1], until - ad->time);
    if (hit.status != TACT_OK || hit.state != TACT_HIT)
        return true;
    const double between = 0.5 * (hit.time + (until - ad->time));
    double apart;
    return tact_certified_separation(shape[0], tact_motion_at(motion[0], place[0], between), shape[1],
                                     tact_motion_at(motion[1], place[1], between), INFINITY, &apart) != TACT_OK ||
           apart > -DEEP * size;
}

/* The boxes of the sweep are sorted, and neighbours are those that overlap. */
static bool check_sweep(const advance *ad)
{
    const body_sweep *s = &ad->sweep;
    double far = 0.0;
    for (uint32_t i = 0; i < ad->motions.count; ++i)
        if (body_sweep_has(s, i))
            far = fmax(far, vec_max_abs(body_motion_origin(&ad->motions.items[i], &ad->cold.items[i], s->sweep.time)) +
                                vec_max_abs(ad->cold.items[i].extent_min) + vec_max_abs(ad->cold.items[i].extent_max));
    if (!tact_kinetic_sweep_check(&s->sweep, 0.5 * SWEEP_PAD * far) || !tact_neighbours_check(&ad->neighbours))
        return false;
    size_t pairs = 0, joined = 0;
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        joined += ad->neighbours.lists.items[i].count;
        for (uint32_t j = 0; body_sweep_has(s, i) && j < ad->motions.count; ++j)
            if (j != i && body_sweep_has(s, j) && tact_kinetic_sweep_allows(&s->sweep, i, j) &&
                tact_kinetic_sweep_overlap(&s->sweep, i, j)) {
                ++pairs;
                if (tact_neighbours_find(&ad->neighbours, i, j) == NEIGHBOUR_NONE)
                    return false;
            }
    }
    return pairs == joined;
}

/* A touching pair has no prediction: see pair_state.h. */
static bool check_states(const advance *ad)
{
    for (size_t i = 0; i < ad->predictions.count; ++i)
        if (ad->predictions.items[i].state == PAIR_TOUCHING && ad->predictions.items[i].version != 0)
            return false;
    return true;
}

bool tact_advance_check(const tact_world *world)
{
    const advance *ad = world->advance;
    if (ad == NULL)
        return true;
    const bool in_lists = ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE;
    if (ad->engine_change_pending)
        return true; /* a change of engine was interrupted, for lack of memory */
    if (!tact_event_queue_check(&ad->queue) || !check_states(ad) ||
        !(in_lists ? check_sweep(ad) : tact_fat_bounds_check(&ad->fat_bounds)))
        return false;
    if (ad->dirty.count > 0 || ad->events_outdated || ad->reported[0] != NEIGHBOUR_NONE)
        return true; /* changes are still to be applied */
    for (uint32_t i = 0; i < ad->motions.count; ++i) {
        const body_motion_cold *m = &ad->cold.items[i];
        const bool alive = world->bodies.items[i].flags & BODY_ALIVE;
        if (fat_bounds_has(&ad->fat_bounds, i) != (alive && !in_lists) ||
            body_sweep_has(&ad->sweep, i) != (alive && in_lists) || (!alive && event_queue_has(&ad->queue, i)))
            return false;
        if (!alive)
            continue;
        const double event = event_of(&ad->queue, i);
        if (!(in_lists ? is_in_sweep_box(world, i) : is_in_fat_bound(world, i)) || event < ad->time ||
            (m->moves ? event > m->expiry : event < INFINITY))
            return false;
        const neighbour_span all = neighbours_of(&ad->neighbours, i);
        for (uint32_t k = 0; k < all.count; ++k)
            if (i < all.items[k].index && (m->moves || ad->cold.items[all.items[k].index].moves) &&
                !is_covered(world, i, &all.items[k]))
                return false;
    }
    return true;
}
