/* The policy of resting contact: see contact_policy.h. Cost: one time-of-impact search. */
#include "advance/contact_policy.h"

#include <math.h>

#include "advance/advance_constants.h"
#include "core/number.h"

/* What the start of a search means: rules 1, 3 and 4. */
static pair_observation observe_start(const toi_output *output, double max_depth)
{
    if (output->start == TOI_START_SEPARATED)
        return PAIR_SEES_SEPARATION;
    if (output->start == TOI_START_CONTACT && output->separation < -number_max(output->band, max_depth))
        return PAIR_SEES_TOO_DEEP;
    return PAIR_SEES_NO_OVERLAP;
}

tact_status tact_contact_policy_update(const pair_query *q, bool settled, pair_prediction *r)
{
    const double max_depth = MAX_RESTING_DEPTH * q->size;
    const bool reported = pair_overlaps(r->state); /* since the last update */
    /* The depth at which the contact begins is measured now: the pair was just reported, or restored. */
    const bool measure_depth = reported || r->depth < 0.0;
    toi_input input = tact_prediction_toi_input(q, number_max(q->horizon, tact_prediction_search_duration(q)));
    toi_output output;
    input.normal_hint = r->normal;
    input.contact_band = q->separation_distance;
    input.allowed_depth = measure_depth ? max_depth : r->depth;
    input.max_depth = max_depth;
    input.ignore_initial_contact = settled;
    input.max_contact_steps = settled ? MAX_SETTLED_STEPS : 0;
    tact_toi_find(&input, &output);
    tact_toi hit = output.toi;
    if (hit.status != TACT_OK && hit.status != TACT_NOT_CONVERGED)
        return hit.status;
    const pair_observation start = observe_start(&output, max_depth);
    (void)pair_observe(r, start);
    if (start == PAIR_SEES_TOO_DEEP && reported)
        return tact_prediction_find_separation(q, r);
    const double depth = number_min(number_max(0.0, -output.separation), max_depth);
    if (output.start == TOI_START_CONTACT)
        r->depth = number_min(input.allowed_depth, depth);
    else if (measure_depth)
        r->depth = output.start == TOI_START_LEAVING ? depth : 0.0;
    if (reported || hit.state == TACT_UNKNOWN)
        hit.time = number_max(hit.time, MIN_SETTLED_DISPLACEMENT * q->separation_distance / q->speed); /* rule 5 */
    r->uncertain_count = 0;
    r->time = hit.state != TACT_HIT || hit.time > q->horizon ? INFINITY : tact_prediction_refine_touch(q, &hit);
    r->valid_until = q->now + number_min(hit.time, q->horizon);
    const double soon = number_max(q->contact_step, MIN_SEARCH_DISPLACEMENT * q->separation_distance / q->speed);
    if (r->depth > q->separation_distance && r->time > q->now + soon) {
        /* the pair is leaving the depth that it had: examine it again, instead of at the time at which it is back there
         */
        r->time = INFINITY;
        r->valid_until = number_min(r->valid_until, q->now + soon);
    }
    r->point = hit.point;
    r->parts[0] = hit.part_a;
    r->parts[1] = hit.part_b;
    if (vec_length_squared(hit.normal) > 0.0)
        r->normal = hit.normal;
    return TACT_OK;
}
