/*
 * When a pair that overlaps is separated again.
 *
 * For overlapping shapes the search uses minus the length of an overlap certificate as signed distance
 * (toi/overlap_certificate.h). The length is the displacement that the certificate covers: the shapes overlap for as
 * long as no point of one moves by more than that past those of the other. The search goes from certificate to
 * certificate, each dividing the length by the bound of the relative speed. So no gap wider than MIN_OVERLAP_STEP is
 * missed, except where surfaces slide in one plane and nothing is certified (UNCERTAIN_TESTS).
 *
 * Three things make it cheaper: a certificate reaches backward as well as forward, so the next test is ahead of where
 * the last one ends (step_ahead); for meshes, the pair of primitives that certifies the overlap is followed alone
 * (follow_certificate); and after MAX_OVERLAP_TESTS the rest is postponed until the time reached.
 */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/pair_query.h"

/* How the second body moves past the first from `t` on. */
static relative_motion relative_path(const pair_query *q, double t)
{
    const tact_vec3 acceleration = vec_sub(q->motion[1].acceleration, q->motion[0].acceleration);
    return (relative_motion){vec_mul_add(vec_sub(q->motion[1].velocity, q->motion[0].velocity), t, acceleration),
                             q->rotation_speed + vec_length_safe(acceleration) * (q->horizon - t)};
}

tact_status tact_prediction_certificate_at(const pair_query *q, double t, double *distance,
                                           overlap_certificate *certificate)
{
    const relative_motion path = relative_path(q, t);
    return tact_certified_separation_of(q->shape[0], tact_motion_at(q->motion[0], q->transform[0], t), q->shape[1],
                                        tact_motion_at(q->motion[1], q->transform[1], t), &path, q->horizon - t,
                                        distance, certificate);
}

/* The time up to which one pair of primitives certifies the overlap, in pieces longer than `enough`. */
static double follow_certificate(const pair_query *q, const overlap_certificate *certificate, double t, double enough)
{
    while (t < q->horizon) {
        const tact_transform at[2] = {tact_motion_at(q->motion[0], q->transform[0], t),
                                      tact_motion_at(q->motion[1], q->transform[1], t)};
        const relative_motion path = relative_path(q, t);
        const double certified =
            tact_overlap_certificate_time(certificate, q->shape[0], &at[0], q->shape[1], &at[1], &path);
        if (!(certified > enough) || !(t + certified > t))
            break;
        t += certified;
    }
    return t;
}

/* How far beyond the certified time the next test may be, so that its certificate reaches back: a duration.
 * Certificates change by `rate` of what they can: one x ahead lasts certified + rate (x + certified), which is to be at
 * least x. */
static double step_ahead(double certified, double rate)
{
    rate = fmax(-EXTRAPOLATION, fmin(rate, EXTRAPOLATION));
    return EXTRAPOLATION * certified * (1.0 + rate) / (1.0 - rate);
}

tact_status tact_prediction_find_separation(const pair_query *q, pair_prediction *r)
{
    const double least = fmax(MIN_OVERLAP_STEP * q->size, 0.25 * q->separation_distance);
    double t = 0.0, ahead = 0.0; /* the overlap is certified up to t; the next test is at t + ahead */
    double last = 0.0, last_certified = 0.0;
    r->time = INFINITY;
    (void)pair_observe(r, PAIR_SEES_OVERLAP);
    for (int i = 0; i < MAX_OVERLAP_TESTS && t < q->horizon; ++i) {
        double distance;
        overlap_certificate certificate;
        const double at = fmin(t + ahead, q->horizon);
        const tact_status status = tact_prediction_certificate_at(q, at, &distance, &certificate);
        if (status != TACT_OK)
            return status;
        const double certified = q->separation_distance - distance; /* a length */
        if (ahead > 0.0 && !(certified >= (at - t) * q->speed)) {
            ahead = 0.0; /* it does not reach back to t */
            continue;
        }
        if (distance > q->separation_distance) {
            r->time = q->now + at;
            break;
        }
        r->uncertain_count = certified > least ? 0 : r->uncertain_count + 1;
        double step = least;
        for (uint32_t k = UNCERTAIN_TESTS; k < r->uncertain_count && step < MAX_UNCERTAIN_STEP * q->size; ++k)
            step *= 2.0;
        t = at + fmax(certified, step) / q->speed;
        ahead = i > 0 && certified > least
                    ? step_ahead(certified / q->speed, (certified - last_certified) / (q->speed * (at - last)))
                    : 0.0;
        last = at;
        last_certified = certified;
        if (certificate.valid && certified > least) {
            t = follow_certificate(q, &certificate, t, CERTIFICATE_FRACTION * certified / q->speed);
            ahead = 0.0; /* the change of certificates refers to an earlier time */
        }
    }
    r->valid_until = q->now + fmin(t, q->horizon);
    return TACT_OK;
}
