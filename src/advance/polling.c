/*
 * Pairs that are polled instead of predicted: a body has a poll interval, or a motion plan with a deviation speed, so
 * that its transform is known only when its motion callback is called.
 *
 * Plans with a deviation: conservative advancement. A point of such a body deviates from the motion by at most
 * max_deviation_speed * (t - transform_time). Let d be the distance of the two bodies as predicted. They are surely
 * apart until their points have moved past each other by d, less the deviation so far. The field `speed` of the
 * query bounds their relative speed, deviations included, and so gives a time. Likewise a pair with an overlap
 * certificate of length d surely overlaps until then.
 *
 * Then the transforms of both bodies are requested and the pair is tested again; but not before the longer
 * min_interval of the two has passed since its last test. What happens within that interval may be missed, nothing
 * else (tact/motion_plan.h). So time advances. The interval is per pair, not per body: two bodies with deviation
 * could otherwise wait for each other for ever, each being requested for the sake of a third one while the other one
 * waits.
 *
 * Poll intervals: a pair is tested at multiples of the shorter interval. Multiples at which nothing can have changed
 * are skipped.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/pair_query.h"
#include "core/number.h"

/* The first multiple of an interval that is not before `time`; with `after`, that is after it. */
static double multiple_from(double interval, double time, bool after)
{
    double k = ceil(time / interval);
    if (!(fabs(k) < MAX_MULTIPLE)) /* every double is a multiple */
        return after ? nextafter(time, INFINITY) : time;
    while ((k - 1.0) * interval >= time)
        k -= 1.0;
    while (k * interval < time || (after && k * interval == time))
        k += 1.0;
    return k * interval;
}

static bool deviates(const body_motion_cold *cold)
{
    return cold->plan != NULL && cold->plan->plan.max_deviation_speed > 0.0;
}

uint32_t tact_polling_unlocated_body(const tact_world *world, uint32_t a, uint32_t b)
{
    const advance *ad = world->advance;
    const uint32_t both[2] = {a, b};
    for (int i = 0; i < 2; ++i)
        if (deviates(&ad->cold.items[both[i]]) && ad->cold.items[both[i]].plan->transform_time < ad->time)
            return both[i];
    return NEIGHBOUR_NONE;
}

/* Sets point and normal of a touch. */
static void find_contact_point(const pair_query *q, pair_prediction *r)
{
    const tact_penetration d = tact_shapes_penetration(q->shape[0], q->transform[0], q->shape[1], q->transform[1]);
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    r->normal = r->point = zero;
    if (d.status != TACT_OK && d.status != TACT_NOT_CONVERGED)
        return;
    r->normal = d.normal;
    r->point = vec_scale(vec_add(d.on_a, d.on_b), 0.5);
    r->parts[0] = d.part_a;
    r->parts[1] = d.part_b;
}

/* Both transforms are known: decides whether the bodies touch now. */
static void test_pair(const pair_query *q, double distance, pair_prediction *r)
{
    (void)pair_observe(r, pair_overlaps(r->state) && !(distance > q->separation_distance) ? PAIR_SEES_OVERLAP
                                                                                          : PAIR_SEES_NO_OVERLAP);
    if (pair_overlaps(r->state) || distance > q->tolerance)
        return;
    if (tact_prediction_reported_too_often(r, q->now)) {
        (void)pair_observe(r, PAIR_SEES_OVERLAP);
        return;
    }
    r->time = q->now;
    find_contact_point(q, r);
}

tact_status tact_polling_update(const pair_query *q, pair_prediction *r)
{
    double poll = INFINITY, interval = 0.0, deviation = 0.0, earliest = 0.0;
    bool located = true; /* the transforms of both bodies are known now */
    for (int i = 0; i < 2; ++i) {
        const body_motion_cold *cold = q->cold[i];
        if (cold->poll_interval > 0.0)
            poll = number_min(poll, cold->poll_interval);
        if (!deviates(cold))
            continue;
        located = located && cold->plan->transform_time == q->now;
        interval = number_max(interval, cold->plan->plan.min_interval);
        earliest = number_max(earliest, cold->plan->transform_time + cold->plan->plan.min_interval);
        deviation += motion_plan_deviation(cold->plan, q->now);
    }
    r->time = r->superseded_at = INFINITY; /* no expiry replaces the next test */
    r->uncertain_count = 0;
    if (poll < INFINITY) {
        const bool now = located && multiple_from(poll, q->now, false) == q->now;
        r->valid_until = multiple_from(poll, q->now, now);
        if (!now)
            return TACT_OK;
    }
    if (!located && r->next_poll == -INFINITY) { /* one transform was requested: now the other one */
        r->valid_until = q->now;
        return TACT_OK;
    }
    double distance;
    const tact_status status =
        tact_certified_separation(q->shape[0], q->transform[0], q->shape[1], q->transform[1],
                                  pair_overlaps(r->state) || !located ? q->speed * q->horizon : 0.0, &distance);
    if (status != TACT_OK)
        return status;
    const double least = q->speed > 0.0 ? MIN_POLL_DISPLACEMENT * q->size / q->speed : 0.0;
    if (located) {
        test_pair(q, distance, r);
        r->next_poll = q->now + number_max(interval, least);
    }
    /* length that the points must move past each other before anything changes */
    const double sure = SURE_DISTANCE * (pair_overlaps(r->state) ? -distance : distance) - deviation - q->tolerance;
    if (poll < INFINITY) {
        const double skip = q->speed > 0.0 ? number_min(number_max(sure / q->speed, least), q->horizon) : 0.0;
        if (r->time == INFINITY && q->now + skip > r->valid_until)
            r->valid_until = multiple_from(poll, q->now + skip, false);
        return TACT_OK;
    }
    if (r->next_poll == 0.0) /* new neighbours: they have not touched before */
        r->next_poll = earliest;
    r->valid_until = number_max(r->next_poll, q->now + number_min(number_max(sure, 0.0) / q->speed, q->horizon));
    if (located && !(r->valid_until > q->now))
        r->valid_until = nextafter(q->now, INFINITY); /* progress: the interval is shorter than one ulp */
    return TACT_OK;
}
