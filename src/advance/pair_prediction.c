/*
 * Predictions of pairs: the next touch of two neighbours, or their separation.
 *
 * A pair is examined from now up to a horizon: the expiry of one of the bodies, or less where the motion changes often,
 * rotates or accelerates. It is searched only while the boxes of the two overlap (overlap_window.c). By its state
 * (pair_state.h) the search is for a time of impact (toi/), the end of a resting contact (contact_policy.c) or the
 * separation (pair_separation.c); spheres have closed forms (sphere_prediction.c), polled pairs are tested now and then
 * (polling.c).
 *
 * Guarantee: no touch before `time` or, if there is none, before `valid_until`; the time is not after the touch, but
 * for rounding. Cost: 30 ns if the boxes do not overlap up to the horizon; else 1 microsecond (convex) to milliseconds.
 */
#include "advance/pair_prediction.h"

#include <float.h>
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_policy.h"
#include "advance/contact_step.h"
#include "advance/deforming_pair.h"
#include "advance/pair_query.h"
#include "core/number.h"
#include "math/quadratic.h"
#include "query/query.h"
#include "toi/revolved.h"

/* ---- stored predictions ---- */

/* NULL: there is none. */
static pair_prediction *find_prediction(const advance *ad, uint32_t a, uint32_t b)
{
    const uint32_t slot = tact_neighbours_find(&ad->neighbours, a, b);
    const uint32_t prediction =
        slot == NEIGHBOUR_NONE ? NEIGHBOUR_NONE : neighbours_of(&ad->neighbours, a).items[slot].data;
    return prediction == NEIGHBOUR_NONE ? NULL : &ad->predictions.items[prediction];
}

uint32_t tact_prediction_allocate(tact_world *world)
{
    advance *ad = world->advance;
    uint32_t prediction = ad->unused_prediction;
    if (prediction != NEIGHBOUR_NONE) {
        ad->unused_prediction = ad->predictions.items[prediction].next_unused;
        ad->predictions.items[prediction] = (pair_prediction){.next_unused = NEIGHBOUR_NONE};
    } else {
        if (!prediction_array_push(&ad->predictions, &world->allocator,
                                   (pair_prediction){.next_unused = NEIGHBOUR_NONE}))
            return NEIGHBOUR_NONE;
        prediction = (uint32_t)ad->predictions.count - 1;
    }
    return prediction;
}

void tact_prediction_free(advance *ad, uint32_t prediction)
{
    pair_prediction *r = &ad->predictions.items[prediction];
    tact_deforming_pair_release(r->deforming, &ad->allocator);
    r->deforming = NULL;
    r->version = 0; /* events with it are stale */
    r->next_unused = ad->unused_prediction;
    ad->unused_prediction = prediction;
}

uint32_t tact_prediction_ensure(tact_world *world, neighbour *n)
{
    if (n->data != NEIGHBOUR_NONE)
        return n->data;
    const uint32_t prediction = tact_prediction_allocate(world);
    if (prediction != NEIGHBOUR_NONE)
        neighbours_set_data(&world->advance->neighbours, n, prediction);
    return prediction;
}

void tact_prediction_set_apart(advance *ad, uint32_t a, uint32_t b)
{
    pair_prediction *r = find_prediction(ad, a, b);
    if (r != NULL && r->deforming == NULL) {
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        r->version = 0;
    }
}

void tact_prediction_set_all_apart(advance *ad, uint32_t index)
{
    if (index >= ad->motions.count)
        return;
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    for (uint32_t i = 0; i < all.count; ++i)
        tact_prediction_set_apart(ad, index, all.items[i].index);
}

void tact_prediction_mark_bounced(advance *ad, uint32_t a, uint32_t b)
{
    pair_prediction *r = find_prediction(ad, a, b);
    if (r != NULL)
        (void)pair_observe(r, PAIR_SEES_BOUNCE);
    for (size_t i = 0; i < ad->restored_touches.count; ++i) /* a restored world that has not advanced yet */
        if (ad->restored_touches.items[i].a == (a < b ? a : b) && ad->restored_touches.items[i].b == (a < b ? b : a))
            ad->restored_touches.items[i].flags |= TOUCH_BOUNCED;
}

bool tact_prediction_reported_too_often(const pair_prediction *r, double now)
{
    return r->reported_at == now && r->reported_count >= MAX_REPORTS_AT_ONCE;
}

/* ---- lengths, speeds and durations ---- */

/* The longest duration that is examined, as of a time: durations beyond overflow when squared. */
static double max_duration(double now) { return number_max(MAX_DURATION, now); }

double tact_prediction_search_duration(const pair_query *q)
{
    return number_min(MIN_SEARCH_DISPLACEMENT * q->separation_distance / q->speed, max_duration(q->now));
}

/* A bound of the speed of points of a body about its origin. The extents of a spinning body are those of a sphere. */
static double rotation_speed_of(const body_motion_cold *cold)
{
    return vec_length_safe(cold->motion.spin) *
           max_double(vec_max_abs(cold->extent_min), vec_max_abs(cold->extent_max));
}

/* Sets size, speeds, tolerance and separation distance. */
static void set_scales(pair_query *q, const body_motion_cold *const cold[2])
{
    const double size = max_double(MIN_SIZE, body_motions_smaller_size(cold[0], cold[1]));
    q->size = size;
    double far = 0.0, rotation = DBL_MIN, fast = 0.0, fast_now = 0.0;
    for (int i = 0; i < 2; ++i) {
        rotation +=
            rotation_speed_of(cold[i]) + (cold[i]->plan != NULL ? cold[i]->plan->plan.max_deviation_speed : 0.0);
        fast_now += vec_length_safe(q->motion[i].velocity);
        fast += vec_length_safe(q->motion[i].velocity) + q->horizon * vec_length_safe(q->motion[i].acceleration);
        far += vec_max_abs(q->transform[i].origin) + body_motion_reach(cold[i]);
    }
    const double relative = vec_length_safe(vec_sub(q->motion[0].velocity, q->motion[1].velocity)) +
                            q->horizon * vec_length_safe(vec_sub(q->motion[0].acceleration, q->motion[1].acceleration));
    q->rotation_speed = rotation + WINDOW_ROUNDOFF * fast;
    q->speed = relative + q->rotation_speed;
    const double resolution = DBL_EPSILON * (far + (fast + rotation) * fabs(q->now));
    q->tolerance = number_max(TOUCH_TOLERANCE * size, TOUCH_TOLERANCE_UNITS * resolution);
    const double least = number_max(SEPARATION_DISTANCE * size,
                                    SEPARATION_TOLERANCES * tact_toi_least_tolerance(q->shape, q->transform));
    q->separation_distance = number_max(least, SEPARATION_DISTANCE_UNITS * resolution);
    q->separation_distance_now =
        number_max(least, SEPARATION_DISTANCE_UNITS * DBL_EPSILON * (far + (fast_now + rotation) * fabs(q->now)));
}

/* The time at which something else examines the pair again, or ends it. */
static double superseded_time(const tact_world *world, uint32_t a, uint32_t b)
{
    const advance *ad = world->advance;
    double expiry = number_min(ad->cold.items[a].expiry, ad->cold.items[b].expiry);
    if (contact_body_is_awake(&ad->contacts, a) || contact_body_is_awake(&ad->contacts, b))
        expiry = number_min(expiry, ad->contacts.next); /* the step gives it another motion */
    if (ad->engine != TACT_KINETIC_SWEEP_AND_PRUNE)
        return expiry;
    return number_min(expiry, ad->time + tact_kinetic_sweep_overlap_duration(&ad->sweep.sweep, a, b, ad->time));
}

/* The longest duration of one search. Boxes may overlap for long; a rotating body is examined for about a turn, bodies
 * that accelerate relative to each other over MAX_HORIZON_SIZES of both sizes. Beyond, a search is expensive and its
 * numbers are coarse. A size counts as WINDOW_PAD of the coordinates if it is less, as boxes are padded by it; two
 * points at the origin have no such limit. Accelerations so large that this is less than windows resolve are examined
 * for longer: shorter searches would follow each other ulp by ulp of the time. */
static double max_horizon(const body_motion *const hot[2], const body_motion_cold *const cold[2], double now)
{
    double time = max_duration(now), sizes = 0.0;
    for (int i = 0; i < 2; ++i) {
        sizes +=
            number_max(body_motion_size(cold[i]), WINDOW_PAD * vec_max_abs(body_motion_origin(hot[i], cold[i], now)));
        if (!vec_equal(cold[i]->motion.spin, (tact_vec3){0.0, 0.0, 0.0}))
            time = number_min(time, MAX_HORIZON_ANGLE / vec_length_safe(cold[i]->motion.spin));
    }
    const double acceleration = vec_length_safe(vec_sub(cold[0]->motion.acceleration, cold[1]->motion.acceleration));
    if (sizes > 0.0 && acceleration > 0.0)
        time = number_min(
            time, number_max(sqrt(MAX_HORIZON_SIZES * sizes) / sqrt(0.5 * acceleration), MIN_HORIZON * fabs(now)));
    return time;
}

/* The duration that is worth predicting, by how long motions lasted recently: PREDICTION_LIFETIMES times as long, or
 * as long again as this one has lasted. So a motion that lasts longer is examined a few times more, each time for
 * longer. */
static double useful_horizon(const body_motion_cold *const cold[2], double now)
{
    double time = INFINITY;
    for (int i = 0; i < 2; ++i)
        if (cold[i]->motion_lifetime > 0.0)
            time = number_min(
                time, number_max(PREDICTION_LIFETIMES * cold[i]->motion_lifetime, now - cold[i]->motion_set_at));
    return time;
}

/* ---- the time of a touch ---- */

/* Triangles without a margin. */
static bool is_surface(const tact_shape *shape)
{
    return tact_shape_get_type(shape) == TACT_MESH && tact_shape_get_margin(shape) == 0.0;
}

/* The closing speed at a contact point, `t` after now. */
static double closing_speed_at(const pair_query *q, double t, tact_vec3 point, tact_vec3 normal)
{
    tact_vec3 velocity[2];
    for (int i = 0; i < 2; ++i) {
        const tact_vec3 origin = vec_mul_add(q->transform[i].origin, t,
                                             vec_mul_add(q->motion[i].velocity, 0.5 * t, q->motion[i].acceleration));
        velocity[i] = vec_mul_add(q->motion[i].velocity, t, q->motion[i].acceleration);
        velocity[i] = vec_add(velocity[i], vec_cross(q->motion[i].spin, vec_sub(point, origin)));
    }
    return vec_dot(normal, vec_sub(velocity[0], velocity[1]));
}

toi_input tact_prediction_toi_input(const pair_query *q, double end)
{
    return (toi_input){.shape = {q->shape[0], q->shape[1]},
                       .transform = {q->transform[0], q->transform[1]},
                       .motion = {q->motion[0], q->motion[1]},
                       .end = end,
                       .tolerance = q->tolerance};
}

/* The search ends half a tolerance before the touch: always early, which would add up over thousands of bounces.
 *
 * Two convex bodies that do not rotate: the distance of their support points along the normal is a polynomial of time.
 * Its zero is never after the touch, whatever the normal, and its error is of second order in that of the normal. It is
 * computed from the start of the motions, so it does not depend on when the search was made: times that should be equal
 * are equal as a rule. Other bodies: what is left of the distance over the closing speed, right to second order in the
 * tolerance. */
double tact_prediction_refine_touch(const pair_query *q, const tact_toi *hit)
{
    const double found = q->now + hit->time, start = max_double(q->motions[0]->start_time, q->motions[1]->start_time);
    tact_vec3 ends[2], n = hit->normal;
    const bool rotates = vec_length_squared(q->motion[0].spin) + vec_length_squared(q->motion[1].spin) > 0.0;
    const double closing = closing_speed_at(q, hit->time, hit->point, n);
    if (!(closing > MIN_CLOSING_SPEED * q->speed))
        return found;
    if (!rotates &&
        tact_shape_end_along(q->shape[0], body_motion_transform(q->motions[0], q->cold[0], start), n, &ends[0]) ==
            TACT_OK &&
        tact_shape_end_along(q->shape[1], body_motion_transform(q->motions[1], q->cold[1], start), vec_negate(n),
                             &ends[1]) == TACT_OK) {
        const tact_motion a = body_motion_motion(q->motions[0], q->cold[0], start);
        const tact_motion b = body_motion_motion(q->motions[1], q->cold[1], start);
        /* Where the supports overlap along n at the start, the distance is negative and the root may be negative or
         * NaN. The test below rejects both, as `start` is not after now, and INFINITY. */
        const double time = start + quadratic_first_root(vec_dot(n, vec_sub(ends[1], ends[0])),
                                                         vec_dot(n, vec_sub(b.velocity, a.velocity)),
                                                         vec_dot(n, vec_sub(b.acceleration, a.acceleration)));
        if (time >= q->now && fabs(time - found) * closing <= 2.0 * q->tolerance)
            return time;
    }
    if (!rotates && is_surface(q->shape[0]) && is_surface(q->shape[1]))
        return found; /* the search gives the time of triangles to rounding */
    const tact_distance d = tact_shapes_distance(q->shape[0], tact_motion_at(q->motion[0], q->transform[0], hit->time),
                                                 q->shape[1], tact_motion_at(q->motion[1], q->transform[1], hit->time));
    return d.status == TACT_OK ? q->now + (hit->time + number_min(d.distance, q->tolerance) / closing) : found;
}

/* ---- examining a pair ---- */

/* By state. `changed`: a motion has changed since the last update, other than by a report. */
static tact_status examine(const pair_query *q, bool changed, pair_prediction *r)
{
    const bool overlaps = pair_overlaps(r->state), reported = overlaps && r->version == 0;
    if (pair_has_bounced(r->state))
        return tact_contact_policy_update(q, reported || !changed || tact_prediction_reported_too_often(r, q->now), r);
    if (overlaps && !reported && !changed)
        return tact_prediction_find_separation(q, r);
    if (reported && r->reported_version > q->cold[0]->version && r->reported_version > q->cold[1]->version &&
        closing_speed_at(q, 0.0, r->point, r->normal) > MIN_CLOSING_SPEED * q->speed)
        return tact_prediction_find_separation(q, r); /* the caller has changed nothing: it allows the overlap */
    toi_input input = tact_prediction_toi_input(q, overlaps ? number_max(q->horizon, tact_prediction_search_duration(q))
                                                            : q->horizon);
    toi_output output;
    if (!overlaps)
        input.normal_hint = r->normal;
    tact_toi_find(&input, &output);
    const tact_toi hit = output.toi;
    if (hit.status != TACT_OK && hit.status != TACT_NOT_CONVERGED)
        return hit.status;
    const bool touches = hit.state == TACT_HIT;
    /* a reported pair is not separated while it is within the separation distance */
    const bool now = touches && (hit.time == 0.0 || (overlaps && hit.time * q->speed <= q->separation_distance));
    if (hit.state == TACT_UNKNOWN && !overlaps && hit.time < MIN_PROGRESS * q->horizon)
        return hit.status;
    if ((overlaps && hit.state == TACT_UNKNOWN) || (now && tact_prediction_reported_too_often(r, q->now)))
        return tact_prediction_find_separation(q, r);
    if (overlaps && now) {
        double distance = 0.0;
        overlap_certificate ignored;
        const tact_status status = changed ? tact_prediction_certificate_at(q, 0.0, &distance, &ignored) : TACT_OK;
        if (status != TACT_OK)
            return status;
        if (!changed || distance < -q->separation_distance_now)
            return tact_prediction_find_separation(q, r);
    }
    (void)pair_observe(r, PAIR_SEES_NO_OVERLAP);
    r->uncertain_count = 0;
    r->time = !touches || hit.time > q->horizon ? INFINITY
              : hit.time > 0.0                  ? tact_prediction_refine_touch(q, &hit)
                                                : q->now;
    r->valid_until = q->now + number_min(hit.time, q->horizon);
    r->point = hit.point;
    r->parts[0] = hit.part_a;
    r->parts[1] = hit.part_b;
    if (vec_length_squared(hit.normal) > 0.0) /* that of a miss too: it usually separates the pair the next time */
        r->normal = hit.normal;
    return TACT_OK;
}

/* A persistent contact: the time at which its bodies are deeper than they may be. */
static tact_status examine_contact(const pair_query *q, const persistent_contact *c, pair_prediction *r)
{
    toi_input input = tact_prediction_toi_input(q, q->horizon);
    toi_output output;
    input.normal_hint = c->point_count > 0 && c->time == q->now ? c->points[0].normal : r->normal;
    input.contact_band = number_max(CONTACT_BAND * c->size, q->separation_distance);
    input.allowed_depth = c->allowed_depth + input.contact_band;
    input.max_depth = INFINITY;
    input.ignore_initial_contact = true;
    const bool overlaps = c->allowed_depth > MAX_CONTACT_DEPTH * c->size;
    input.max_contact_steps = overlaps ? MAX_SETTLED_STEPS : 0;
    tact_toi_find(&input, &output);
    const tact_toi *hit = &output.toi;
    if (hit->status != TACT_OK && hit->status != TACT_NOT_CONVERGED)
        return hit->status;
    /* An undecided search may end where it began. Repeated at once it would be undecided again: two bodies that overlap
     * from the start first move by part of the rest gap; others, also those that a lock has left a little too deep, are
     * separated as if they touched. */
    double time = hit->time;
    bool touches = hit->state == TACT_HIT;
    const double progress = UNDECIDED_DISPLACEMENT * tact_contact_rest_gap(c) / q->speed;
    if (hit->state == TACT_UNKNOWN && time < progress) {
        time = overlaps ? progress : time;
        touches = !overlaps;
    }
    r->time = touches && time <= q->horizon ? q->now + time : INFINITY;
    r->valid_until = q->now + number_min(time, q->horizon);
    if (vec_length_squared(hit->normal) > 0.0)
        r->normal = hit->normal;
    return TACT_OK;
}

/* Whether one of two bodies gets another motion with the next contact step. */
static bool in_contact_steps(const tact_world *world, uint32_t a, uint32_t b)
{
    const contact_graph *g = &world->advance->contacts;
    return contact_body_is_awake(g, a) || contact_body_is_awake(g, b);
}

/* Whether a plane separates two bodies until the next contact step: that of their contact `c`, if they have one, or of
 * the last examination. Of a mesh, one for each triangle. */
static bool is_separated(tact_world *world, uint32_t a, uint32_t b, const persistent_contact *c,
                         const pair_prediction *r)
{
    if (!in_contact_steps(world, a, b))
        return false;
    const bool has_point = c != NULL && c->point_count > 0;
    if (tact_step_is_mesh_pair(world, a, b)) {
        tact_vec3 normals[CONTACT_MAX_POINTS] = {r->normal};
        size_t count = has_point ? 0 : 1;
        for (uint32_t i = 0; has_point && i < c->point_count; ++i)
            normals[count++] = c->points[i].normal;
        return (c == NULL || c->allowed_depth == 0.0) && /* a body in a solid does not touch its surface */
               tact_step_is_separated_from_mesh(world, a, b, normals, count, r->superseded_at);
    }
    return tact_step_is_separated(world, a, b, has_point ? c->points[0].normal : r->normal, r->superseded_at);
}

/* Likewise the plane between their closest points. It becomes the normal of the prediction. */
static bool find_separating_plane(tact_world *world, uint32_t a, uint32_t b, const body_motion_cold *const cold[2],
                                  pair_prediction *r)
{
    if (!in_contact_steps(world, a, b) || !shape_is_convex(cold[0]->shape) || !shape_is_convex(cold[1]->shape))
        return false;
    const tact_distance d = tact_shapes_distance(cold[0]->shape, tact_advance_motion_transform(world, a),
                                                 cold[1]->shape, tact_advance_motion_transform(world, b));
    if (d.status != TACT_OK || !(d.distance > 0.0))
        return false;
    const tact_vec3 normal = vec_normalize(vec_sub(d.on_b, d.on_a));
    if (!tact_step_is_separated(world, a, b, normal, r->superseded_at))
        return false;
    r->normal = normal;
    r->time = INFINITY;
    r->valid_until = r->superseded_at;
    return true;
}

/* Whether two bodies that turn often may touch between *from and `to`, as solids of revolution; raises *from. */
static bool revolved_overlap(const body_motion *const hot[2], const body_motion_cold *const cold[2], double now,
                             double *from, double to)
{
    const tact_shape *const shape[2] = {cold[0]->shape, cold[1]->shape};
    const double begin = now + *from, duration = to - *from;
    const tact_motion motion[2] = {body_motion_motion(hot[0], cold[0], begin),
                                   body_motion_motion(hot[1], cold[1], begin)};
    if (!(duration > 0.0) || !tact_toi_turns_often(motion, duration))
        return true;
    const tact_transform transform[2] = {body_motion_transform(hot[0], cold[0], begin),
                                         body_motion_transform(hot[1], cold[1], begin)};
    const double free_time = tact_toi_free_time_revolved(shape, transform, motion, duration);
    *from += free_time * (1.0 - WINDOW_ROUNDOFF);
    return free_time < duration;
}

/* A pair of which at least one body moves: examined within the overlap window of its boxes. `c`: its contact; NULL: it
 * is none. */
static tact_status examine_window(tact_world *world, uint32_t a, uint32_t b, const body_motion *const hot[2],
                                  const body_motion_cold *const cold[2], bool changed, double horizon,
                                  const persistent_contact *c, pair_prediction *r)
{
    const double now = world->advance->time;
    double from = 0.0, to = horizon;
    const bool overlapped = pair_overlaps(r->state);
    if (!overlapped && (!tact_body_motions_overlap_window(hot, cold, now, horizon, &from, &to) ||
                        (c == NULL && !revolved_overlap(hot, cold, now, &from, to)))) {
        r->time = INFINITY;
        r->valid_until = now + horizon;
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        return TACT_OK;
    }
    if (from > 0.0)
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
    const bool has_plane = c != NULL && c->point_count > 0; /* that has been tried */
    if (r->state == PAIR_APART && !has_plane && find_separating_plane(world, a, b, cold, r))
        return TACT_OK;
    pair_query q = {.shape = {cold[0]->shape, cold[1]->shape},
                    .contact_step = world->contact_step,
                    .motions = {hot[0], hot[1]},
                    .cold = {cold[0], cold[1]}};
    q.now = number_max(now, now + from * (1.0 - WINDOW_ROUNDOFF) - WINDOW_ROUNDOFF * fabs(now));
    const double whole = horizon, useful = useful_horizon(cold, now);
    if (!overlapped && q.now - now > useful) { /* the motions will probably have changed by then */
        r->time = INFINITY;
        r->valid_until = q.now;
        return TACT_OK;
    }
    horizon = number_min(horizon, q.now - now + number_min(max_horizon(hot, cold, now), useful));
    q.horizon = number_min(horizon - (q.now - now),
                           (to - (q.now - now)) * (1.0 + WINDOW_ROUNDOFF) + WINDOW_ROUNDOFF * fabs(now));
    for (int i = 0; i < 2; ++i) {
        q.transform[i] = q.now == now ? tact_advance_motion_transform(world, i == 0 ? a : b)
                                      : body_motion_transform(hot[i], cold[i], q.now);
        q.motion[i] = body_motion_motion(hot[i], cold[i], q.now);
    }
    set_scales(&q, cold);
    if (body_motions_smaller_size(cold[0], cold[1]) > 0.0)
        q.tolerance = number_min(q.tolerance, MAX_TOUCH_TOLERANCE * q.size);
    const tact_status status = c != NULL ? examine_contact(&q, c, r) : examine(&q, changed, r);
    if (!pair_overlaps(r->state) && r->time == INFINITY && r->valid_until >= q.now + q.horizon)
        r->valid_until = now + (to > horizon ? horizon : whole); /* after the window the boxes are apart */
    if (whole > 0.0 && !(r->valid_until > now))
        r->valid_until = nextafter(now, INFINITY); /* progress */
    return status;
}

static tact_status examine_polled(const advance *ad, const body_motion *const hot[2],
                                  const body_motion_cold *const cold[2], double horizon, pair_prediction *r)
{
    pair_query q = {.shape = {cold[0]->shape, cold[1]->shape},
                    .now = ad->time,
                    .horizon = horizon,
                    .motions = {hot[0], hot[1]},
                    .cold = {cold[0], cold[1]}};
    for (int i = 0; i < 2; ++i) {
        q.transform[i] = body_motion_transform(hot[i], cold[i], q.now);
        q.motion[i] = body_motion_motion(hot[i], cold[i], q.now);
    }
    set_scales(&q, cold);
    return tact_polling_update(&q, r);
}

tact_status tact_prediction_update(tact_world *world, uint32_t index, const neighbour *n, double limit)
{
    advance *ad = world->advance;
    pair_prediction *r = &ad->predictions.items[n->data];
    const uint32_t a = index < n->index ? index : n->index, b = index < n->index ? n->index : index;
    const body_motion *hot[2] = {&ad->motions.items[a], &ad->motions.items[b]};
    const body_motion_cold *cold[2] = {&ad->cold.items[a], &ad->cold.items[b]};
    const bool changed = r->version != 0 && (r->version < cold[0]->version || r->version < cold[1]->version);
    if (r->deforming != NULL && !body_motion_deforms(cold[0]) && !body_motion_deforms(cold[1])) {
        tact_deforming_pair_release(r->deforming, &ad->allocator); /* their vertices have stopped */
        r->deforming = NULL;
    }
    uint32_t contact_index = CONTACT_NONE;
    pair_prediction next = *r;
    next.time = next.valid_until = next.superseded_at = INFINITY;
    tact_status status = TACT_OK;
    if (body_motion_deforms(cold[0]) || body_motion_deforms(cold[1])) {
        next.superseded_at = superseded_time(world, a, b);
        contact_index = tact_contact_find(&ad->contacts, a, b);
        if (contact_index != CONTACT_NONE) {
            next.state = PAIR_APART;
            status = tact_deforming_pair_update_contact(world, &ad->contacts.contacts.items[contact_index], &next);
        } else {
            status = tact_deforming_pair_update(world, a, b, &next);
        }
        r->deforming = next.deforming; /* it exists, whatever the status */
    } else if ((contact_index = tact_contact_find(&ad->contacts, a, b)) != CONTACT_NONE) {
        next.superseded_at = superseded_time(world, a, b);
        next.state = PAIR_APART;
        const double end = number_min(limit, next.superseded_at);
        const persistent_contact *c = &ad->contacts.contacts.items[contact_index];
        if (tact_contact_is_safe(world, c) || is_separated(world, a, b, c, &next))
            next.valid_until = next.superseded_at;
        else
            status = examine_window(world, a, b, hot, cold, true,
                                    number_max(0.0, number_min(end - ad->time, max_duration(ad->time))), c, &next);
    } else if (hot[0]->sphere_radius >= 0.0 && hot[1]->sphere_radius >= 0.0) {
        tact_prediction_update_spheres(hot[0], hot[1], ad->time, changed, &next);
    } else if (cold[0]->moves || cold[1]->moves) {
        next.superseded_at = superseded_time(world, a, b);
        const bool polled = body_motion_is_polled(cold[0]) || body_motion_is_polled(cold[1]);
        const double end = number_min(polled ? INFINITY : limit, next.superseded_at);
        const double horizon = number_max(0.0, number_min(end - ad->time, max_duration(ad->time)));
        if (polled)
            status = examine_polled(ad, hot, cold, number_min(horizon, max_horizon(hot, cold, ad->time)), &next);
        else if (next.state == PAIR_APART && is_separated(world, a, b, NULL, &next))
            next.valid_until = next.superseded_at;
        else if (!tact_prediction_update_sphere_face(hot, cold, changed, ad->time, horizon, &next))
            status = examine_window(world, a, b, hot, cold, changed, horizon, NULL, &next);
    }
    if (status != TACT_OK)
        return status;
    if (next.state == PAIR_TOUCHING) /* examined: the pair overlaps until a search or test says otherwise */
        (void)pair_observe(&next, PAIR_SEES_OVERLAP);
    /* beyond superseded_at, by rounding, it would not be examined again then */
    next.valid_until = number_min(next.valid_until, next.superseded_at);
    next.version = ++ad->last_version;
    *r = next;
    return TACT_OK;
}
