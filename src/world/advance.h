/*
 * What a world keeps to go through continuous time: see tact/advance.h.
 *
 * Every body has a *plan*: where it was when its motion began, and that motion; and a *shell*: a box that it stays in until
 * a known moment, its exit. Bodies whose shells meet are a pair (broad/shells.h), and for each pair it is foreseen when they
 * touch, up to the earlier one of their exits; this stays as it is until a plan changes. Each body has one event in the queue: the
 * first of what its pairs hold, or its exit, when it gets another shell. A pair that has changed since the event was set makes the
 * event stale: it is then set anew, which costs a look at what the pairs hold.
 *
 * So there is no moment at which all bodies are looked at, and nothing depends on when the world is asked.
 */
#ifndef TACT_WORLD_ADVANCE_H
#define TACT_WORLD_ADVANCE_H

#include <tact/advance.h>

#include "broad/shells.h"
#include "event/queue.h"
#include "world/parts.h"

/* What a pair's foresight reads of a body: three lines of cache. */
typedef struct plan {
    tact_placement place; /* when it began */
    tact_motion motion;
    double since;
    double exit;     /* it leaves its shell then, or a little later */
    double ball;     /* the radius, if it is a ball about its origin; else negative */
    uint64_t number; /* of the plan: another one with each change */
} plan;

/* The rest. */
typedef struct plan_rest {
    tact_vec3 low, high;    /* extents about the origin that hold for all times of this plan */
    tact_vec3 least, most;  /* in its shell the origin is between these */
    double room;            /* a length: how much room its shell gives it on every side */
    uint64_t version;       /* of the pair, when its event was set */
    uint32_t slot;          /* of the pair of its event; SHELL_NONE: the exit */
    bool noted;             /* in the list of those that have changed */
    bool redone;            /* noted, and more has changed than the motion */
    bool moves;
} plan_rest;

typedef enum foreseen_state { PAIR_APART_NOW, PAIR_IN_NOW } foreseen_state;

/* What is foreseen of a pair. */
typedef struct foreseen {
    double time;  /* of the next touch, or parting; INFINITY: none up to `until` */
    double until; /* so far it has been looked */
    tact_vec3 point, normal;
    uint64_t version;    /* another one with each change; 0: nothing is known yet */
    uint64_t numbers[2]; /* of the plans, as the pair has them */
    foreseen_state state;
} foreseen;

ARRAY_OF(plan_array, plan);
ARRAY_OF(plan_rest_array, plan_rest);
ARRAY_OF(foreseen_array, foreseen);

typedef struct advance {
    plan_array plans;      /* by index of body */
    plan_rest_array rests; /* likewise */
    foreseen_array pairs;  /* by slot */
    shells shells;         /* by index of body */
    event_queue queue;     /* likewise */
    index_array noted;     /* bodies that have changed; room for all */
    double time;
    uint64_t version;
    uint64_t plan_number;
    uint32_t told_bodies[2]; /* those told last, whose events are to be set; the first SHELL_NONE: none */
    uint64_t touches, exits, stale, predictions; /* counts, for those who measure */
} advance;

/* Where a plan has got to. */
static inline tact_placement plan_place(const plan *p, double time)
{
    return time > p->since ? tact_motion_at(p->motion, p->place, time - p->since) : p->place;
}

static inline tact_motion plan_motion(const plan *p, double time)
{
    tact_motion m = p->motion;
    if (time > p->since)
        m.velocity = vec_along(m.velocity, time - p->since, m.acceleration);
    return m;
}

static inline tact_vec3 plan_origin(const plan *p, double time)
{
    const double t = time - p->since;
    const tact_vec3 v = vec_along(p->motion.velocity, 0.5 * t, p->motion.acceleration);
    return vec_along(p->place.origin, t, v);
}

void tact_advance_free(advance *ad, const tact_allocator *allocator);

/* A body has been made, placed, given another motion, shape or filter: nothing happens if there is no advance yet. */
void tact_advance_note(tact_world *world, uint32_t index);

/* A body has got another motion, and nothing else: it may keep its shell. */
void tact_advance_note_motion(tact_world *world, uint32_t index);

/* Where a body is now, and how it moves from now on. */
tact_placement tact_advance_place(const tact_world *world, uint32_t index);
tact_motion tact_advance_motion(const tact_world *world, uint32_t index);

/* Brings where a body is, and its motion, up to now: before either is changed. */
void tact_advance_settle(tact_world *world, uint32_t index);

/* A body is about to go. */
void tact_advance_forget(tact_world *world, uint32_t index);

/* Gives a body a shell that begins now. */
tact_status tact_plan_enclose(tact_world *world, uint32_t index);

/* When a body leaves its shell, at the earliest; INFINITY: never. */
double tact_plan_exit(const plan *p, const plan_rest *rest, double time);

/* What is foreseen of a pair, anew, from now on up to `limit` or the exit of one of them. */
tact_status tact_pair_foresee(tact_world *world, uint32_t slot, double limit);

#endif
