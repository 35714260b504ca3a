/*
 * Conservative advancement of two convex bodies: what the search for a first contact and the following of a contact
 * share (conservative_advancement.c, contact_following.c).
 *
 * The separation of two bodies along a unit vector n, from the first to the second, is
 *     f_n(t) = n . offset(t) - (h_1(n) + h_2(-n)) - margin,
 * where h is the support function of a core under its pose and margin the sum of both margins. It is a lower bound of
 * the signed distance D(t), which is its maximum over all n.
 */
#ifndef TACT_TOI_CONSERVATIVE_ADVANCEMENT_H
#define TACT_TOI_CONSERVATIVE_ADVANCEMENT_H

#include "shape/convex.h"
#include "toi/toi_frame.h"

typedef struct convex_toi_query {
    toi_frame frame;
    convex body[2];       /* at time 0; transform.origin is relative to the body's origin, about which it spins */
    double margin;        /* of both bodies */
    bool plain_polytopes; /* both are polytopes without a margin */
} convex_toi_query;

/* The relation of two convex bodies at one time; points are in the frame. */
typedef struct convex_separation {
    tact_status status;
    double distance;    /* signed */
    double lower_bound; /* proved, where they are apart */
    tact_vec3 normal;   /* unit, from the first body to the second */
    tact_vec3 on_a, on_b;
} convex_separation;

/* Completes a frame that has its motion: measures the bodies, whose origins are relative to those of the frame and
 * whose points are off by at most `position_rounding`, a length. */
tact_status tact_convex_query_finish(convex_toi_query *q, double position_rounding, double tolerance, double end);

/* h_1(n) + h_2(-n) */
double tact_support_sum(const convex_toi_query *q, const toi_pose *p, tact_vec3 n);

/* f_n, given that sum. */
static inline double separation_along(const convex_toi_query *q, const toi_pose *p, tact_vec3 n, double support_sum)
{
    return (vec_dot(n, p->offset) - support_sum) - q->margin;
}

/* The signed distance. `exact`: to rounding; else to TOI_GJK_ACCURACY, and overlapping cores without a margin are 0
 * apart. `hint` is a direction to start from, or zero. */
convex_separation tact_convex_separation_at(const convex_toi_query *q, const toi_pose *p, bool exact, tact_vec3 hint);

/* The longest time from `time` on over which the rounding bound stays within its share of the tolerance. */
double tact_span_of_rounding(const toi_frame *f, double time);

/* A time, at most `span`, for which the bodies stay more than `floor` apart along the unit vector n, turned with the
 * angular velocity `normal_spin`. */
double tact_safe_time_along(const convex_toi_query *q, const toi_pose *from, tact_vec3 n, tact_vec3 normal_spin,
                            double support_sum, double floor, double span);

/* The longest such time for several angular velocities of the normal: none (the normal is that of a body that does not
 * turn, or of the line between the bodies), those of the bodies (a face of one), and `recent_spin`, with which the
 * normal has turned of late (an edge of each, or a rolling contact); zero: unknown. */
double tact_safe_time(const convex_toi_query *q, const toi_pose *from, tact_vec3 n, tact_vec3 recent_spin,
                      double support_sum, double floor, double span);

/* The same for the bounding spheres; `apart`: they are farther apart than `floor`. */
double tact_safe_time_of_spheres(const toi_frame *f, const toi_pose *from, double floor, double span, bool *apart);

/* A time, at most `span`, for which bodies that are hardly apart stay more than `floor` apart along n, from the
 * separation at its two ends; 0 where that is not TOI_CHORD_GAIN times `step`. */
double tact_chord_time(const convex_toi_query *q, const toi_pose *p, tact_vec3 n, double floor, double step,
                       double span);

/* The hit of a separation at a time. */
tact_toi tact_convex_hit(const convex_toi_query *q, const convex_separation *s, double time);

/* Searches on from `time`, at which the bodies are more than TOI_ACCEPT_FRACTION of the tolerance apart. `steps` counts
 * up to TOI_MAX_STEPS. */
tact_toi tact_advance_to_contact(const convex_toi_query *q, double time, tact_vec3 hint, int *steps);

#endif
