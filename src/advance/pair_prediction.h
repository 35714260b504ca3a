/* Two bodies that are looked at: what the files that foresee (advance_pair.c) and watch (advance_watch.c) share. */
#ifndef TACT_ADVANCE_PAIR_PREDICTION_H
#define TACT_ADVANCE_PAIR_PREDICTION_H

#include "advance/advance.h"

/* Two bodies now. */
typedef struct pair_query {
    const tact_shape *shape[2];
    tact_transform transform[2];
    tact_motion motion[2];
    double tolerance;           /* a length: of a touch */
    double separation_distance; /* a length: farther apart they have parted */
    double size;                /* of the smaller one: half its largest extent */
    double speed;               /* a bound of how fast points of one move past those of the other, up to the horizon */
    double rotation_speed;      /* the same, of what is not their velocity past each other, and how that changes */
    double now, horizon;
    double rest_time; /* the world's time of rest */
    const body_motion *motions[2];
    const body_motion_cold *cold[2];
} pair_query;

/* Has it been told too often at this time? Then it is taken to overlap. */
bool tact_prediction_reported_too_often(const pair_prediction *r, double now);

/* Looks at two that are watched: are they in touch, and when is it to be looked again? */
tact_status tact_polling_update(const pair_query *q, pair_prediction *r);

#endif
