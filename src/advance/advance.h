/*
 * What a world keeps to go through continuous time: see tact/advance.h.
 *
 * Every body has a *plan*: where it was when its motion began, and that motion; and a *shell*: a box, or of a ball a
 * ball, that it stays in until a known moment, its exit. Bodies whose shells meet are neighbours (broad/fat_bounds.h).
 * For two of them it is foreseen when they touch, up to the earlier one of their exits, and that holds until a plan
 * changes.
 *
 * Each body that moves has one event in the queue: the first of what is foreseen with its neighbours, or its exit, when
 * it gets another shell. When the plan of a body changes, its event is set anew, for all its neighbours; theirs stay as
 * they are: one that is with this body is stale then, which is seen when its time comes, and set anew. So of two
 * neighbours whoever was set later knows what is foreseen of them, and no touch is missed; there is no moment at which
 * all bodies are looked at; and nothing depends on when the world is asked.
 *
 * What is foreseen is kept in a record, as it may be expensive; but of two balls, for which looking is cheaper than
 * looking up.
 *
 * Rules for ties, rounding and progress, all in one place:
 *  - Times are rounded down: an exit and a touch come a little early, never late. What has come too early is seen when
 * its time comes, and looked at again.
 *  - Equal times go by the order in which the bodies were made; exits and other work of our own come after the touches.
 *  - A shell always lasts beyond now, however fast its body is: else it is made larger. A look at a pair always goes
 * beyond now.
 *  - Two that were told are *in* each other until they are farther apart than what rounding makes of a touch. If they
 * still close when the caller has answered, they go through each other. If the plan of one of them changes after that,
 * while they are no deeper in each other than that, and they close: they are told again.
 *  - If they have bounced (bounce.c) they are *near*, until they are that far apart: they are told again if they close
 * when the plan of one of them has changed, or as soon as they are deeper in each other by as much than they were when
 * they were told. So what rounding, and the mean spins of pieces, make of a touch that lasts does not let a body
 * through.
 *  - At one and the same time a pair is told no more than AT_ONCE times (advance_pair.c); then it is in each other, or
 * if it is near told a little later: so a response that makes no progress cannot hold the time.
 *  - A failure leaves everything so that doing it again gives what it would have given.
 */
#ifndef TACT_ADVANCE_ADVANCE_H
#define TACT_ADVANCE_ADVANCE_H

#include <math.h>
#include <tact/advance.h>

#include "advance/advance_state.h"
#include "advance/body_sweep.h"
#include "advance/kinetic_choice.h"
#include "advance/motion_plan.h"
#include "advance/pair_state.h"
#include "broad/fat_bounds.h"
#include "core/aligned_array.h"
#include "event/queue.h"
#include "world/world_internal.h"

enum { NOT_A_SPHERE = -1, ACCELERATED_SPHERE = -2 };

/* What two balls read of each other: one line of cache. */
typedef struct body_motion {
    tact_vec3 origin; /* when it began */
    double start_time;
    tact_vec3 velocity;   /* then */
    double sphere_radius; /* the radius, if it is a ball about its origin that is not accelerated; else NOT_A_SPHERE, or
                    ACCELERATED_SPHERE: also if its speed is beyond all measure */
} body_motion;

/* The rest of a plan. What an event reads and writes comes first: two lines of cache. */
typedef struct body_motion_cold {
    _Alignas(CACHE_LINE_SIZE) double expiry; /* it leaves its shell then, or a little later; or its spin changes */
    uint64_t version;                        /* another one with each change */
    uint64_t serial;                         /* of the body: those made before it */
    uint64_t event_version;                  /* of the event: of the record, or of the plan of the other one */
    uint32_t event_other;                    /* of the event: with whom; NEIGHBOUR_NONE: the exit */
    uint32_t event_prediction;               /* of the event: the record; NEIGHBOUR_NONE: there is none */
    double origin_radius;                    /* in its shell, if that is a ball, the origin is no farther than this */
    float bound_centre[3];                   /* from here */
    bool spherical_bound;                    /* it is a ball */
    bool dirty;                              /* in the list of those that have changed */
    bool moves;
    bool spins;
    double reported_at;           /* when a touch of it was last told */
    double margin;                /* a length: how much room its shell gives it on every side */
    double rotation_expiry;       /* its spin is to be set anew then; INFINITY: never */
    const body_motion_plan *plan; /* if it is on one; else NULL */
    uint32_t reported_count;      /* how many touches were told at `told_at` */
    uint32_t unsuccessful_refits; /* so many shells in a row it has left for one with as many neighbours */
    double motion_set_at;         /* when its motion was last changed from outside; INFINITY: not yet */
    double motion_lifetime;       /* a time: how long it was between such changes, of late; 0: not known yet */
    double poll_interval;         /* an interval: it is polled; 0: it is not */
    bool needs_refit;             /* noted, and more has changed than the motion */
    bool motion_updated;          /* noted, and its plan is that of the world already */
    bool restored;            /* noted, but its plan is as it was in the world that was saved, and has not changed */
    bool broad_outdated;      /* the world has its place of now, but the broad phase of tests has not */
    bool sweep_pending;       /* among those that are to come into the lists */
    const tact_shape *shape;  /* in these coordinates; borrowed */
    tact_motion motion;       /* but for the velocity, which is in the plan */
    tact_transform transform; /* when it began, but for the origin, which is in the plan; of one that has a mass, with
                             its centre of  mass as the origin */
    tact_vec3 pivot;          /* that origin in the body's own coordinates */
    tact_vec3 momentum;       /* angular, of one that has a mass */
    tact_vec3 extent_min, extent_max; /* extents about the origin that hold for all times */
    tact_vec3 origin_min, origin_max; /* in its shell, if that is a box, the origin is between these */
} body_motion_cold;

/* What is foreseen of two neighbours. */
typedef struct pair_prediction {
    double time;               /* of the next touch, or parting; INFINITY: none up to `until` */
    double valid_until;        /* so far it has been looked */
    double superseded_at;      /* there is something else then that has it looked at again, or makes it needless */
    tact_vec3 point, normal;   /* the normal from the body with the smaller index */
    uint64_t version;          /* another one with each change; 0: nothing is known yet, or it has just been told */
    uint64_t reported_version; /* what it was when it was told */
    double next_poll;          /* of two that are watched: not looked at before; 0: not yet; -INFINITY: now */
    double reported_at;        /* when it was last told */
    uint32_t reported_count;   /* and how often then */
    uint32_t bounce_count;     /* so often they have bounced, */
    double bounces_since;      /* since then, within the time of rest */
    uint32_t uncertain_count;  /* in each other: so many looks in a row at which nothing was sure */
    uint32_t next_unused;      /* of an unused one: the next */
    pair_state state;
    double depth; /* RESTING: penetration when the pair was reported; negative: not known */
} pair_prediction;

/* Changes the state of a pair by an observation; returns whether the touch is to be reported. */
static inline bool pair_observe(pair_prediction *r, pair_observation observation)
{
    bool report;
    r->state = tact_pair_transition(r->state, observation, &report);
    return report;
}

/* Events: those below the first one in the heap, of which one is the next. */
#define PREFETCHED_EVENTS EVENT_HEAP_ARITY

ALIGNED_ARRAY_OF(body_motion_array, body_motion);
ALIGNED_ARRAY_OF(body_motion_cold_array, body_motion_cold);
ARRAY_OF(prediction_array, pair_prediction);
ARRAY_OF(touch_array, touch_state);

typedef struct advance {
    body_motion_array motions;   /* by index of body */
    body_motion_cold_array cold; /* likewise */
    prediction_array predictions;
    uint32_t unused_prediction; /* the first record to be used again */
    neighbours neighbours;      /* by index of body */
    fat_bounds fat_bounds;      /* likewise: they tell who is near */
    body_sweep sweep;           /* or they do */
    tact_kinetic engine;        /* who: TACT_KINETIC_SWEEP_AND_PRUNE or TACT_KINETIC_FAT_BOUNDS */
    advance_effort effort;
    advance_choice choice;
    bool engine_change_pending; /* one of them was to take over, and there was no memory */
    bool events_outdated;       /* all events are to be set */
    event_queue queue;
    index_array dirty; /* bodies that have changed; room for all */
    double time;
    double synced_at;      /* when the world outside this structure was last brought up to now */
    uint64_t last_version; /* so many there have been, of records and plans */
    uint32_t
        reported[2]; /* those told last, whose events are to be set; NEIGHBOUR_NONE: none, the second if one has gone */
    uint32_t prefetched[PREFETCHED_EVENTS]; /* whose events were below the first one, when their memory was asked for */
    uint32_t prefetched_next;               /* likewise, the next one of these */
    touch_array restored_touches; /* of a world that was restored: to be records when bodies have neighbours */
} advance;

/* ---- plans ---- */

/* Where its origin has got to. */
static inline tact_vec3 body_motion_origin(const body_motion *p, const body_motion_cold *m, double time)
{
    const double t = time - p->start_time;
    if (p->sphere_radius >= 0.0)
        return vec_mul_add(p->origin, t, p->velocity);
    return vec_mul_add(p->origin, t, vec_mul_add(p->velocity, 0.5 * t, m->motion.acceleration));
}

static inline tact_motion body_motion_motion(const body_motion *p, const body_motion_cold *m, double time)
{
    tact_motion motion = m->motion;
    motion.velocity = p->velocity;
    if (time > p->start_time)
        motion.velocity = vec_mul_add(p->velocity, time - p->start_time, motion.acceleration);
    return motion;
}

static inline tact_transform body_motion_transform(const body_motion *p, const body_motion_cold *m, double time)
{
    tact_transform place = m->transform;
    place.origin = p->origin;
    return time > p->start_time ? tact_motion_at(body_motion_motion(p, m, p->start_time), place, time - p->start_time)
                                : place;
}

/* Until when it is known where the body is, but for its drift. */
static inline double body_motion_known_until(const body_motion_cold *m)
{
    return m->plan != NULL && m->plan->plan.until < m->rotation_expiry ? m->plan->plan.until : m->rotation_expiry;
}

/* Half the largest extent of its body: its size. */
static inline double body_motion_size(const body_motion_cold *m)
{
    return 0.5 * vec_max_abs(vec_sub(m->extent_max, m->extent_min));
}

/* The size of the smaller one of two that has one. */
static inline double body_motions_smaller_size(const body_motion_cold *a, const body_motion_cold *b)
{
    const double one = body_motion_size(a), other = body_motion_size(b);
    return one > 0.0 && other > 0.0 ? fmin(one, other) : max_double(one, other);
}

/* Takes the plan of a body from the world, from now on, with a new shell if it needs one. */
tact_status tact_body_motion_update(tact_world *world, uint32_t index);

/* The exit of a body: another shell, or another spin. */
tact_status tact_body_motion_renew(tact_world *world, uint32_t index);

/* Finds extents about the origin that hold while the plan does. */
tact_status tact_body_motion_compute_extents(const tact_shape *shape, body_motion_cold *m);

/* The radius of a plan's body: see `ball` in plan. */
double tact_body_motion_sphere_radius(const body_motion_cold *m);

/* A ball that goes straight on, without turning, in a shell that is a ball. */
static inline bool body_motion_is_simple(const body_motion_cold *m)
{
    return m->moves && m->spherical_bound && !m->spins && !m->dirty && m->plan == NULL;
}

/* Gives such a one another velocity from now on, and puts it aside of where it has got to; whoever does so sets its
 * event. First whether that can be done, as its shell stays what it is. */
bool tact_body_motion_can_redirect(const advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 aside);
void tact_body_motion_redirect(advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 aside);

/* Gives a body a shell that begins now, or its place in the lists. */
tact_status tact_body_motion_refit(tact_world *world, uint32_t index);

/* A shell that begins now, whose neighbours are yet to be found. */
void tact_body_motion_insert_fat_bound(tact_world *world, uint32_t index);

/* ---- pairs ---- */

/* Whether the boxes of two bodies overlap between now and `horizon` later, which is finite; and from when to when,
 * after now, at the most. */
bool tact_body_motions_overlap_window(const body_motion *const p[2], const body_motion_cold *const m[2], double now,
                                      double horizon, double *from, double *to);

/* The record of two neighbours, made if there is none; NEIGHBOUR_NONE: no memory. */
uint32_t tact_prediction_ensure(tact_world *world, neighbour *n);

/* How often two have bounced within the time of rest; two balls without a record: 0. */
uint32_t tact_prediction_bounce_count(const advance *ad, uint32_t one, uint32_t other, double rest);

/* They have again: they are told no more because they touch, until they have parted. */
void tact_prediction_mark_bounced(advance *ad, uint32_t one, uint32_t other, double rest);

/* What is foreseen of body `index` and its neighbour `n`, which has a record: found out anew, from now on up to `limit`
 * or the exit of one of them. */
tact_status tact_prediction_update(tact_world *world, uint32_t index, const neighbour *n, double limit);

/* Is the pair looked at now and then instead of foreseen? */
static inline bool body_motion_is_polled(const body_motion_cold *m)
{
    return m->poll_interval > 0.0 || (m->plan != NULL && m->plan->plan.max_deviation_speed > 0.0);
}

/* One of two that are watched that is to be asked where it is, now; NONE: neither. */
uint32_t tact_polling_unlocated_body(const tact_world *world, uint32_t one, uint32_t other);

/* ---- the world ---- */

/* Room for all bodies; those that are new are noted. */
tact_status tact_advance_reserve(tact_world *world);

/* Is its plan the one that it says it moves by, with nothing noted that has changed since? */
static inline bool advance_has_motion(const advance *ad, uint32_t index)
{
    return ad != NULL && index < ad->motions.count && (!ad->cold.items[index].dirty || ad->cold.items[index].restored);
}

/* Makes records of what was kept. What there is no memory for is done again. */
tact_status tact_advance_apply_restored_touches(tact_world *world);

/* Forgets what was kept of a body. */
void tact_advance_discard_restored_touches(advance *ad, uint32_t index);

void tact_advance_free(advance *ad, const tact_allocator *allocator);

/* A body has been made, placed, given another shape or filter: nothing happens if there is no advance yet. */
void tact_advance_mark_changed(tact_world *world, uint32_t index);

/* A body has got another motion, and nothing else: it may keep its shell. */
void tact_advance_mark_motion_changed(tact_world *world, uint32_t index);

/* A body is about to go. */
void tact_advance_remove_body(tact_world *world, uint32_t index);

/* Where a body is now, and how it moves from now on. */
tact_transform tact_advance_transform(const tact_world *world, uint32_t index);
tact_motion tact_advance_motion(const tact_world *world, uint32_t index);

/* Brings what the world says of a body up to now: before it is changed. */
void tact_advance_sync_body(tact_world *world, uint32_t index);

/* The same for all bodies, and for the broad phase of tests: see tact_world_sync_transforms. */
tact_status tact_advance_sync_all(tact_world *world);

/* What the world calls (world/extension.h). */
extern const world_extension tact_advance_extension;

/* For tests: is everything kept as it has to be? Looks at all pairs, and asks for every impact anew. */
bool tact_advance_check(const tact_world *world);

#endif
