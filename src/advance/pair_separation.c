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
#include "core/number.h"
#include "math/elementary.h"

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

/* The velocity of the material point of a body at p, `t` after now, and a bound on its centripetal acceleration. */
static tact_vec3 point_velocity(const pair_query *q, int i, const tact_transform *at, double t, tact_vec3 p,
                                double *centripetal)
{
    const tact_motion *m = &q->motion[i];
    const tact_vec3 turning = vec_cross(m->spin, vec_sub(p, at->origin));
    *centripetal += vec_length_safe(m->spin) * vec_length_safe(turning);
    return vec_add(vec_mul_add(m->velocity, t, m->acceleration), turning);
}

/* For how long two convex shapes are certain to be at most the separation distance apart from `t` after now on, by a
 * point p. Let c_i be its signed distances. The spheres about p of the radius -c_i, or the closest points, move with
 * the bodies, so the distance of the shapes is at most c_0 + c_1 plus that of the material points at p. With their
 * relative velocity v and the bound K of their relative acceleration that grows to `length` in the time s at the
 * earliest, where |v| s + K s^2 / 2 = length. `least`: a length that may be passed over. */
static double point_certificate(const pair_query *q, const tact_transform at[2], double t, tact_vec3 p, double least)
{
    double length = q->separation_distance, turning = 0.0;
    for (int i = 0; i < 2; ++i) {
        const tact_closest c = tact_shape_closest(q->shape[i], at[i], p);
        if (c.status != TACT_OK)
            return 0.0;
        length -= c.distance < 0.0 ? OVERLAP_POINT_FRACTION * c.distance : c.distance;
        turning += number_max(c.distance, 0.0) * vec_length_safe(q->motion[i].spin);
    }
    double curvature = vec_length_safe(vec_sub(q->motion[1].acceleration, q->motion[0].acceleration));
    const tact_vec3 first = point_velocity(q, 0, &at[0], t, p, &curvature),
                    second = point_velocity(q, 1, &at[1], t, p, &curvature);
    const double speed = vec_length_safe(vec_sub(second, first)) + turning;
    length = number_max(length, least);
    return 2.0 * length / (speed + tact_hypot(speed, sqrt(2.0 * curvature) * sqrt(length)));
}

/* The same for the best of a few points: the middle of the deepest points, and the origins. */
static double best_point_certificate(const pair_query *q, double t, double least)
{
    if (!shape_is_convex(q->shape[0]) || !shape_is_convex(q->shape[1]))
        return 0.0;
    const tact_transform at[2] = {tact_motion_at(q->motion[0], q->transform[0], t),
                                  tact_motion_at(q->motion[1], q->transform[1], t)};
    const tact_penetration d = tact_shapes_penetration(q->shape[0], at[0], q->shape[1], at[1]);
    if (d.status != TACT_OK)
        return 0.0;
    double longest = point_certificate(q, at, t, vec_scale(vec_add(d.on_a, d.on_b), 0.5), least);
    for (int i = 0; i < 2; ++i)
        longest = number_max(longest, point_certificate(q, at, t, at[i].origin, 0.0));
    return longest;
}

/* How far beyond the certified time the next test may be, so that its certificate reaches back: a duration.
 * Certificates change by `rate` of what they can: one x ahead lasts certified + rate (x + certified), which is to be at
 * least x. */
static double step_ahead(double certified, double rate)
{
    rate = number_max(-EXTRAPOLATION, number_min(rate, EXTRAPOLATION));
    return EXTRAPOLATION * certified * (1.0 + rate) / (1.0 - rate);
}

tact_status tact_prediction_find_separation(const pair_query *q, pair_prediction *r)
{
    const double least = number_max(MIN_OVERLAP_STEP * q->size, 0.25 * q->separation_distance);
    double t = 0.0, ahead = 0.0; /* the overlap is certified up to t; the next test is at t + ahead */
    double last = 0.0, last_certified = 0.0;
    r->time = INFINITY;
    (void)pair_observe(r, PAIR_SEES_OVERLAP);
    for (int i = 0; i < MAX_OVERLAP_TESTS && t < q->horizon; ++i) {
        double distance;
        overlap_certificate certificate;
        const double at = number_min(t + ahead, q->horizon);
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
        const double duration = number_max(certified, step) / q->speed;
        t = at + duration;
        /* a common point gains only where the speed is that of points far from it: by rotation */
        if (certified > 0.0 && q->rotation_speed > 0.5 * q->speed && OVERLAP_POINT_STEPS * duration < q->horizon - t) {
            const double longer = best_point_certificate(q, at, least);
            if (longer > OVERLAP_POINT_GAIN * duration) {
                r->uncertain_count = 0;
                t = at + longer;
                ahead = 0.0;
                last = at;
                last_certified = certified;
                continue;
            }
        }
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
    r->valid_until = q->now + number_min(t, q->horizon);
    return TACT_OK;
}
