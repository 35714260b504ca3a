/*
 * Two bodies that are watched instead of foreseen: one of them drifts, and where it is is known only when it is asked; or it is
 * polled.
 *
 * With a drift it is conservative advancement. While a body is on its course each of its points is within drift * (t - asked) of where the
 * plan has it. So from a distance d of the two as planned, now, they are surely apart for as long as their points move past each other by less than
 * d less what they have strayed by now; `speed` is a bound of that, the drifts included. By the same token two that hold each other
 * by a way d (narrow/hold.h) surely do so. Then it is looked again, at places that have been asked for; but never sooner
 * than the interval after it was last asked, and that is all that can be missed (tact/course.h).
 *
 * A look at which somebody is to be asked is put off to the moment at which all can be (who has just been asked can). Each question sets `asked` to now, so
 * they come to an end, and there is at most one an interval and body.
 */
#include <math.h>

#include "narrow/hold.h"
#include "world/advance_pair.h"

/* Of a computed distance: what is sure. query.h promises much better. */
#define SURE 0.99

/* The first multiple of an interval that is not before a time; or with `after`, that is after it. */
static double multiple_from(double interval, double time, bool after)
{
    double k = ceil(time / interval) - 1.0;
    while (k * interval < time || (after && k * interval == time)) {
        const double next = k + 1.0;
        if (!(next * interval > k * interval)) /* finer than time can be told */
            return nextafter(time, INFINITY);
        k = next;
    }
    return k * interval;
}

static bool drifts(const plan_more *m) { return m->course != NULL && m->course->said.drift > 0.0; }

uint32_t tact_watch_due(const tact_world *world, uint32_t one, uint32_t other)
{
    const advance *ad = world->advance;
    const uint32_t both[2] = {one, other};
    for (int i = 0; i < 2; ++i) {
        const plan_more *m = &ad->more.items[both[i]];
        if (drifts(m) && m->course->asked < ad->time && course_ready(m->course, ad->time) <= ad->time)
            return both[i];
    }
    return NEIGHBOUR_NONE;
}

/* Where they touch. */
static void locate(const two *q, record *r)
{
    const tact_depth d = tact_shapes_depth(q->shape[0], q->place[0], q->shape[1], q->place[1]);
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    r->normal = r->point = zero;
    if (d.status != TACT_OK && d.status != TACT_NOT_CONVERGED)
        return;
    r->normal = d.normal;
    r->point = vec_scale(vec_add(d.on_a, d.on_b), 0.5);
}

/* With places that are known: whether they are in touch. */
static void judge(const two *q, double apart, record *r)
{
    if (r->in && apart > q->parted)
        r->in = false;
    if (r->in || apart > q->tolerance)
        return;
    if (tact_record_told_too_often(r, q->now)) {
        r->in = true;
        return;
    }
    r->time = q->now;
    locate(q, r);
}

tact_status tact_watch_renew(const two *q, record *r)
{
    double poll = INFINITY, ready = q->now, stray = 0.0;
    bool known = true, drift = false;
    for (int i = 0; i < 2; ++i) {
        const plan_more *m = q->more[i];
        if (m->poll > 0.0)
            poll = fmin(poll, m->poll);
        if (!drifts(m))
            continue;
        drift = true;
        known = known && m->course->asked == q->now;
        ready = fmax(ready, course_ready(m->course, q->now));
        stray += course_stray(m->course, q->now);
    }
    r->time = INFINITY;
    r->blind = 0;
    if (poll < INFINITY) {
        const bool now = known && multiple_from(poll, q->now, false) == q->now;
        r->until = multiple_from(poll, ready, now);
        if (!now)
            return TACT_OK;
    }
    double apart;
    const tact_status status = tact_shapes_hold(q->shape[0], q->place[0], q->shape[1], q->place[1],
                                                r->in || !known ? q->speed * q->horizon : 0.0, &apart);
    if (status != TACT_OK)
        return status;
    if (known)
        judge(q, apart, r);
    if (poll < INFINITY || !drift)
        return TACT_OK;
    for (int i = 0; i < 2 && known; ++i) /* it has just been asked: not again before the interval is over */
        if (drifts(q->more[i]))
            ready = fmax(ready, q->now + q->more[i]->course->said.interval);
    const double sure = SURE * fabs(apart) - stray - q->tolerance;
    r->until = fmax(ready, q->now + fmin(fmax(sure, 0.0) / q->speed, q->horizon));
    return TACT_OK;
}
