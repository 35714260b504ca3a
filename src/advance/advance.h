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
#include "advance/kinetic_choice.h"
#include "advance/kinetic_lists.h"
#include "advance/motion_plan.h"
#include "broad/fat_bounds.h"
#include "core/aligned_array.h"
#include "event/queue.h"
#include "world/world_internal.h"

enum { NO_BALL = -1, FALLING_BALL = -2 };

/* What two balls read of each other: one line of cache. */
typedef struct body_motion {
    tact_vec3 origin; /* when it began */
    double since;
    tact_vec3 velocity; /* then */
    double ball; /* the radius, if it is a ball about its origin that is not accelerated; else NO_BALL, or FALLING_BALL:
                    also if its speed is beyond all measure */
} body_motion;

/* The rest of a plan. What an event reads and writes comes first: two lines of cache. */
typedef struct body_motion_cold {
    _Alignas(CACHE_LINE_SIZE) double exit; /* it leaves its shell then, or a little later; or its spin changes */
    uint64_t number;                       /* another one with each change */
    uint64_t serial;                       /* of the body: those made before it */
    uint64_t version;                      /* of the event: of the record, or of the plan of the other one */
    uint32_t other;                        /* of the event: with whom; NEIGHBOUR_NONE: the exit */
    uint32_t word;                         /* of the event: the record; NEIGHBOUR_NONE: there is none */
    double inner;                          /* in its shell, if that is a ball, the origin is no farther than this */
    float centre[3];                       /* from here */
    bool round;                            /* it is a ball */
    bool noted;                            /* in the list of those that have changed */
    bool moves;
    bool spins;
    double told_at;          /* when a touch of it was last told */
    double room;             /* a length: how much room its shell gives it on every side */
    double turns_until;      /* its spin is to be set anew then; INFINITY: never */
    const course *course;    /* if it is on one; else NULL */
    uint32_t told_times;     /* how many touches were told at `told_at` */
    uint32_t vain;           /* so many shells in a row it has left for one with as many neighbours */
    double began;            /* when its motion was last changed from outside; INFINITY: not yet */
    double lasted;           /* a time: how long it was between such changes, of late; 0: not known yet */
    double poll;             /* an interval: it is polled; 0: it is not */
    bool redone;             /* noted, and more has changed than the motion */
    bool taken;              /* noted, and its plan is that of the world already */
    bool kept;               /* noted, but its plan is as it was in the world that was saved, and has not changed */
    bool behind;             /* the world has its place of now, but the broad phase of tests has not */
    bool fresh;              /* among those that are to come into the lists */
    const tact_shape *shape; /* in these coordinates; borrowed */
    tact_motion motion;      /* but for the velocity, which is in the plan */
    tact_transform place;  /* when it began, but for the origin, which is in the plan; of one that has a mass, with its
                              centre of  mass as the origin */
    tact_vec3 pivot;       /* that origin in the body's own coordinates */
    tact_vec3 momentum;    /* angular, of one that has a mass */
    tact_vec3 low, high;   /* extents about the origin that hold for all times */
    tact_vec3 least, most; /* in its shell, if that is a box, the origin is between these */
} body_motion_cold;

/* What is foreseen of two neighbours. */
typedef struct pair_prediction {
    double time;             /* of the next touch, or parting; INFINITY: none up to `until` */
    double until;            /* so far it has been looked */
    double ends;             /* there is something else then that has it looked at again, or makes it needless */
    tact_vec3 point, normal; /* the normal from the body with the smaller index */
    uint64_t version;        /* another one with each change; 0: nothing is known yet, or it has just been told */
    uint64_t told_version;   /* what it was when it was told */
    double again;            /* of two that are watched: not looked at before; 0: not yet; -INFINITY: now */
    double told_at;          /* when it was last told */
    uint32_t told_times;     /* and how often then */
    uint32_t bounces;        /* so often they have bounced, */
    double bounced;          /* since then, within the time of rest */
    uint32_t blind;          /* in each other: so many looks in a row at which nothing was sure */
    uint32_t next;           /* of an unused one: the next */
    bool in;                 /* they have been told, are in each other, and part next */
    double deep;             /* near: how deep they were in each other when they were told; negative: not known */
    bool near;               /* they have bounced since they were told, and not been seen to have parted */
} pair_prediction;

/* Events: those below the first one in the heap, of which one is the next. */
#define SOON EVENT_HEAP_ARITY

ALIGNED_ARRAY_OF(body_motion_array, body_motion);
ALIGNED_ARRAY_OF(body_motion_cold_array, body_motion_cold);
ARRAY_OF(prediction_array, pair_prediction);
ARRAY_OF(touch_array, touch_state);

typedef struct advance {
    body_motion_array plans;     /* by index of body */
    body_motion_cold_array more; /* likewise */
    prediction_array records;
    uint32_t unused;     /* the first record to be used again */
    neighbours near;     /* by index of body */
    fat_bounds shells;   /* likewise: they tell who is near */
    kinetic_lists lists; /* or they do */
    tact_kinetic engine; /* who: TACT_KINETIC_SWEEP_AND_PRUNE or TACT_KINETIC_FAT_BOUNDS */
    advance_effort effort;
    advance_choice choice;
    bool torn;  /* one of them was to take over, and there was no memory */
    bool unset; /* all events are to be set */
    event_queue queue;
    index_array noted; /* bodies that have changed; room for all */
    double time;
    double caught_up;  /* when the world outside this structure was last brought up to now */
    uint64_t versions; /* so many there have been, of records and plans */
    uint32_t
        told[2]; /* those told last, whose events are to be set; NEIGHBOUR_NONE: none, the second if one has gone */
    uint32_t soon[SOON]; /* whose events were below the first one, when their memory was asked for */
    uint32_t next;       /* likewise, the next one of these */
    touch_array kept;    /* of a world that was restored: to be records when bodies have neighbours */
} advance;

/* ---- plans ---- */

/* Where its origin has got to. */
static inline tact_vec3 body_motion_origin(const body_motion *p, const body_motion_cold *m, double time)
{
    const double t = time - p->since;
    if (p->ball >= 0.0)
        return vec_mul_add(p->origin, t, p->velocity);
    return vec_mul_add(p->origin, t, vec_mul_add(p->velocity, 0.5 * t, m->motion.acceleration));
}

static inline tact_motion body_motion_motion(const body_motion *p, const body_motion_cold *m, double time)
{
    tact_motion motion = m->motion;
    motion.velocity = p->velocity;
    if (time > p->since)
        motion.velocity = vec_mul_add(p->velocity, time - p->since, motion.acceleration);
    return motion;
}

static inline tact_transform body_motion_transform(const body_motion *p, const body_motion_cold *m, double time)
{
    tact_transform place = m->place;
    place.origin = p->origin;
    return time > p->since ? tact_motion_at(body_motion_motion(p, m, p->since), place, time - p->since) : place;
}

/* Until when it is known where the body is, but for its drift. */
static inline double body_motion_lasts(const body_motion_cold *m)
{
    return m->course != NULL && m->course->said.until < m->turns_until ? m->course->said.until : m->turns_until;
}

/* Half the largest extent of its body: its size. */
static inline double body_motion_half(const body_motion_cold *m) { return 0.5 * vec_max_abs(vec_sub(m->high, m->low)); }

/* The size of the smaller one of two that has one. */
static inline double body_motions_size(const body_motion_cold *a, const body_motion_cold *b)
{
    const double one = body_motion_half(a), other = body_motion_half(b);
    return one > 0.0 && other > 0.0 ? fmin(one, other) : max_double(one, other);
}

/* Takes the plan of a body from the world, from now on, with a new shell if it needs one. */
tact_status tact_body_motion_take(tact_world *world, uint32_t index);

/* The exit of a body: another shell, or another spin. */
tact_status tact_body_motion_renew(tact_world *world, uint32_t index);

/* Finds extents about the origin that hold while the plan does. */
tact_status tact_body_motion_measure(const tact_shape *shape, body_motion_cold *m);

/* The radius of a plan's body: see `ball` in plan. */
double tact_body_motion_sphere(const body_motion_cold *m);

/* A ball that goes straight on, without turning, in a shell that is a ball. */
static inline bool body_motion_is_simple(const body_motion_cold *m)
{
    return m->moves && m->round && !m->spins && !m->noted && m->course == NULL;
}

/* Gives such a one another velocity from now on, and puts it aside of where it has got to; whoever does so sets its
 * event. First whether that can be done, as its shell stays what it is. */
bool tact_body_motion_can_push(const advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 aside);
void tact_body_motion_push(advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 aside);

/* Gives a body a shell that begins now, or its place in the lists. */
tact_status tact_body_motion_enclose(tact_world *world, uint32_t index);

/* A shell that begins now, whose neighbours are yet to be found. */
void tact_body_motion_place_fat_bound(tact_world *world, uint32_t index);

/* ---- pairs ---- */

/* Whether the boxes of two bodies overlap between now and `horizon` later, which is finite; and from when to when,
 * after now, at the most. */
bool tact_body_motions_meet(const body_motion *const p[2], const body_motion_cold *const m[2], double now,
                            double horizon, double *from, double *to);

/* The record of two neighbours, made if there is none; NEIGHBOUR_NONE: no memory. */
uint32_t tact_prediction_of(tact_world *world, neighbour *n);

/* How often two have bounced within the time of rest; two balls without a record: 0. */
uint32_t tact_prediction_bounces(const advance *ad, uint32_t one, uint32_t other, double rest);

/* They have again: they are told no more because they touch, until they have parted. */
void tact_prediction_bounced(advance *ad, uint32_t one, uint32_t other, double rest);

/* What is foreseen of body `index` and its neighbour `n`, which has a record: found out anew, from now on up to `limit`
 * or the exit of one of them. */
tact_status tact_prediction_renew(tact_world *world, uint32_t index, const neighbour *n, double limit);

/* Is the pair looked at now and then instead of foreseen? */
static inline bool body_motion_is_watched(const body_motion_cold *m)
{
    return m->poll > 0.0 || (m->course != NULL && m->course->said.max_deviation_speed > 0.0);
}

/* One of two that are watched that is to be asked where it is, now; NONE: neither. */
uint32_t tact_watch_due(const tact_world *world, uint32_t one, uint32_t other);

/* ---- the world ---- */

/* Room for all bodies; those that are new are noted. */
tact_status tact_advance_make_room(tact_world *world);

/* Is its plan the one that it says it moves by, with nothing noted that has changed since? */
static inline bool advance_has_plan(const advance *ad, uint32_t index)
{
    return ad != NULL && index < ad->plans.count && (!ad->more.items[index].noted || ad->more.items[index].kept);
}

/* Makes records of what was kept. What there is no memory for is done again. */
tact_status tact_advance_take_kept(tact_world *world);

/* Forgets what was kept of a body. */
void tact_advance_drop_kept(advance *ad, uint32_t index);

void tact_advance_free(advance *ad, const tact_allocator *allocator);

/* A body has been made, placed, given another shape or filter: nothing happens if there is no advance yet. */
void tact_advance_note(tact_world *world, uint32_t index);

/* A body has got another motion, and nothing else: it may keep its shell. */
void tact_advance_note_motion(tact_world *world, uint32_t index);

/* A body is about to go. */
void tact_advance_forget(tact_world *world, uint32_t index);

/* Where a body is now, and how it moves from now on. */
tact_transform tact_advance_place(const tact_world *world, uint32_t index);
tact_motion tact_advance_motion(const tact_world *world, uint32_t index);

/* Brings what the world says of a body up to now: before it is changed. */
void tact_advance_settle(tact_world *world, uint32_t index);

/* The same for all bodies, and for the broad phase of tests: see tact_world_sync_transforms. */
tact_status tact_advance_sync(tact_world *world);

/* What the world calls (world/extension.h). */
extern const world_extension tact_advance_extension;

/* For tests: is everything kept as it has to be? Looks at all pairs, and asks for every impact anew. */
bool tact_advance_check(const tact_world *world);

#endif
