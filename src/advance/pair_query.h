/* Two bodies at the time at which a pair is examined: shared by the files that predict touches and separations. */
#ifndef TACT_ADVANCE_PAIR_QUERY_H
#define TACT_ADVANCE_PAIR_QUERY_H

#include "advance/advance.h"
#include "query/query.h"
#include "toi/overlap_certificate.h"

typedef struct pair_query {
    const tact_shape *shape[2];
    tact_transform transform[2];    /* now */
    tact_motion motion[2];          /* from now on */
    double tolerance;               /* length: the tolerance of a touch */
    double separation_distance;     /* length: farther apart a pair is separated, up to the horizon */
    double separation_distance_now; /* length: the same now, without the rounding of what is to come */
    double size;                    /* of the smaller body */
    double speed;                   /* bound of the relative speed of any two points, up to the horizon */
    double rotation_speed;          /* bound of the part of it that is not the relative velocity of the origins */
    double now;                     /* time; not before that of the world */
    double horizon;                 /* duration: nothing is predicted after now + horizon */
    double contact_step;            /* of the world */
    const body_motion *motions[2];
    const body_motion_cold *cold[2];
} pair_query;

/* Whether a pair has been reported as often as one time allows (MAX_REPORTS_AT_ONCE): then it counts as overlapping. */
bool tact_prediction_reported_too_often(const pair_prediction *r, double now);

/* A duration in which a reported pair moves far enough for the search to see whether its bodies approach. */
double tact_prediction_search_duration(const pair_query *q);

/* The query for the time of impact up to `end`. */
toi_input tact_prediction_toi_input(const pair_query *q, double end);

/* The time of a touch that the search has found, refined. Never after the touch, up to rounding. */
double tact_prediction_refine_touch(const pair_query *q, const tact_toi *hit);

/* Predicts the separation of a pair that overlaps (pair_separation.c). */
tact_status tact_prediction_find_separation(const pair_query *q, pair_prediction *r);

/* The signed distance at `t` after now: negative: an overlap certificate (toi/overlap_certificate.h). */
tact_status tact_prediction_certificate_at(const pair_query *q, double t, double *distance,
                                           overlap_certificate *certificate);

/* Two spheres in uniform motion that have a prediction; a sphere and a face of a box at rest, if nothing but the face
 * can be touched (false: not such a case). In closed form: sphere_prediction.c. `changed`: since the last update. */
void tact_prediction_update_spheres(const body_motion *a, const body_motion *b, double now, bool changed,
                                    pair_prediction *r);
bool tact_prediction_update_sphere_face(const body_motion *const hot[2], const body_motion_cold *const cold[2],
                                        bool changed, double now, double horizon, pair_prediction *r);

/* Tests a polled pair, if a test is due: whether it is in contact, and when to test it again (polling.c). */
tact_status tact_polling_update(const pair_query *q, pair_prediction *r);

#endif
