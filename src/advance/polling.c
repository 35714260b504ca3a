/*
 * Two bodies that are watched instead of foreseen: one of them drifts, and where it is is known only when it is asked;
 * or it is polled.
 *
 * With a drift it is conservative advancement. While a body is on its course each of its points is within drift * (t -
 * asked) of where the plan has it. So from a distance d of the two as planned, now, they are surely apart for as long
 * as their points move past each other by less than d less what they have strayed by now; `speed` is a bound of that,
 * the drifts included. By the same token two that hold each other by a way d (toi/overlap_certificate.h) surely do so.
 * Then it is looked again, at places that have been asked for; but not before the longer interval of the two since they
 * were last looked at, and that is all that can be missed (tact/motion_plan.h). So time goes on. (A rest for each body
 * instead of each pair would let two that drift wait for each other for ever: each is asked for the sake of a third one
 * when the other one rests.)
 */
#include <math.h>

#include "advance/pair_prediction.h"
#include "toi/overlap_certificate.h"

/* Of a computed distance: what is sure. query.h promises much better. */
#define SURE 0.99

/* Of the smaller body's size: looks that are nearer to each other than it takes the two to move past each other by this
 * much are left out, however short the interval: that is the gap that advance.h promises to see, and so a short
 * interval costs no more than seconds. */
#define WAY_LEAST 1e-7

/* A number of intervals: beyond it multiples are no farther from each other than times are. */
#define FINEST 0x1p51

/* The first multiple of an interval that is not before a time; or with `after`, that is after it. */
static double multiple_from(double interval, double time, bool after)
{
    double k = ceil(time / interval);
    if (!(fabs(k) < FINEST)) /* they are so close that every time is one */
        return after ? nextafter(time, INFINITY) : time;
    while ((k - 1.0) * interval >= time)
        k -= 1.0;
    while (k * interval < time || (after && k * interval == time))
        k += 1.0;
    return k * interval;
}

static bool drifts(const body_motion_cold *m) { return m->plan != NULL && m->plan->plan.max_deviation_speed > 0.0; }

uint32_t tact_polling_unlocated_body(const tact_world *world, uint32_t one, uint32_t other)
{
    const advance *ad = world->advance;
    const uint32_t both[2] = {one, other};
    for (int i = 0; i < 2; ++i)
        if (drifts(&ad->cold.items[both[i]]) && ad->cold.items[both[i]].plan->located_at < ad->time)
            return both[i];
    return NEIGHBOUR_NONE;
}

/* Where they touch. */
static void locate(const pair_query *q, pair_prediction *r)
{
    const tact_penetration d = tact_shapes_penetration(q->shape[0], q->transform[0], q->shape[1], q->transform[1]);
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    r->normal = r->point = zero;
    if (d.status != TACT_OK && d.status != TACT_NOT_CONVERGED)
        return;
    r->normal = d.normal;
    r->point = vec_scale(vec_add(d.on_a, d.on_b), 0.5);
}

/* With places that are known: whether they are in touch. */
static void judge(const pair_query *q, double apart, pair_prediction *r)
{
    (void)pair_observe(r, pair_overlaps(r->state) && !(apart > q->separation_distance) ? PAIR_SEES_OVERLAP
                                                                                       : PAIR_SEES_NO_OVERLAP);
    if (pair_overlaps(r->state) || apart > q->tolerance)
        return;
    if (tact_prediction_reported_too_often(r, q->now)) {
        (void)pair_observe(r, PAIR_SEES_OVERLAP);
        return;
    }
    r->time = q->now;
    locate(q, r);
}

tact_status tact_polling_update(const pair_query *q, pair_prediction *r)
{
    double poll = INFINITY, interval = 0.0, stray = 0.0, rested = 0.0;
    bool known = true; /* where they are */
    for (int i = 0; i < 2; ++i) {
        const body_motion_cold *m = q->cold[i];
        if (m->poll_interval > 0.0)
            poll = fmin(poll, m->poll_interval);
        if (!drifts(m))
            continue;
        known = known && m->plan->located_at == q->now;
        interval = fmax(interval, m->plan->plan.min_interval);
        rested = fmax(rested, m->plan->located_at + m->plan->plan.min_interval);
        stray += motion_plan_deviation(m->plan, q->now);
    }
    r->time = r->superseded_at = INFINITY; /* whatever else happens, it is looked again when it is said so */
    r->uncertain_count = 0;
    if (poll < INFINITY) {
        const bool now = known && multiple_from(poll, q->now, false) == q->now;
        r->valid_until = multiple_from(poll, q->now, now);
        if (!now)
            return TACT_OK;
    }
    if (!known && r->next_poll == -INFINITY) { /* one of them has been asked for this look: now the other one */
        r->valid_until = q->now;
        return TACT_OK;
    }
    double apart;
    const tact_status status =
        tact_shapes_hold(q->shape[0], q->transform[0], q->shape[1], q->transform[1],
                         pair_overlaps(r->state) || !known ? q->speed * q->horizon : 0.0, &apart);
    if (status != TACT_OK)
        return status;
    const double least = q->speed > 0.0 ? WAY_LEAST * q->size / q->speed : 0.0;
    if (known) {
        judge(q, apart, r);
        r->next_poll = q->now + fmax(interval, least);
    }
    if (poll < INFINITY) {
        /* the multiples up to which they surely stay as they are would tell nothing new */
        const double sure = SURE * (pair_overlaps(r->state) ? -apart : apart) - stray - q->tolerance;
        const double rest = q->speed > 0.0 ? fmin(fmax(sure / q->speed, least), q->horizon) : 0.0;
        if (r->time == INFINITY && q->now + rest > r->valid_until)
            r->valid_until = multiple_from(poll, q->now + rest, false);
        return TACT_OK;
    }
    if (r->next_poll == 0.0) /* they have just become neighbours, so they have not met before */
        r->next_poll = rested;
    /* for so long nothing changes: not at all, if what is planned is not what was found */
    const double sure = SURE * (pair_overlaps(r->state) ? -apart : apart) - stray - q->tolerance;
    r->valid_until = fmax(r->next_poll, q->now + fmin(fmax(sure, 0.0) / q->speed, q->horizon));
    if (known && !(r->valid_until > q->now))
        r->valid_until = nextafter(q->now, INFINITY); /* an interval finer than time can be told: time goes on */
    return TACT_OK;
}
