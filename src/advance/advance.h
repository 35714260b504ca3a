/*
 * A world through continuous time (tact/advance.h): event-driven simulation over kinetic data structures.
 *
 * Definitions
 *    motion      Transform and motion of a body since its start time (body_motion.h). It holds until it is
 *                changed, or until its rotation piece or its plan expires. Each change gives it a new version.
 *    fat bound   A sphere or box in which a body stays until its expiry: the body enlarged by a margin.
 *    neighbours  Two bodies whose bounds overlap and whose filters allow a contact. Two engines find them: fat
 *                bounds (broad/fat_bounds.h), or the kinetic sweep and prune (body_sweep.h), whose bounds move
 *                with the bodies.
 *    prediction  Of two neighbours: the time of their next touch or separation, up to the earlier expiry of the
 *                two (pair_prediction.h). It is stored, except for two spheres, for which computing it is
 *                cheaper. It is valid for the versions of the two motions that it was made from.
 *    event       Each body that moves has one event in the queue: the earliest of its predictions, or its expiry.
 *
 * Invariants (tests/oracle/advance_check.h compares them with brute force)
 *    I1  Until its expiry each body is within its bound. Bodies that may touch before that are neighbours.
 *    I2  Of two neighbours at least one has an event not after the next touch or separation of the pair. When the
 *        motion of a body changes, its own event is scheduled anew, over all its neighbours; their events stay.
 *        An event of theirs that was made with the old motion is stale: its version differs, and it is scheduled
 *        anew when its time comes. So the body that was scheduled later knows the prediction of the pair, and no
 *        touch is missed.
 *    I3  There is no time at which all bodies are examined. What is computed depends on the events alone, not on
 *        when the caller asks: the same calls give the same events, however the time is divided.
 *
 * Rules for rounding, ties and progress
 *    R1  Times are rounded down: an expiry or a touch comes a little early, never late. An event that comes too
 *        early finds nothing, and the pair is examined again. A late one would be a missed contact.
 *    R2  Events at the same time are ordered by kind: touches, tests of polled pairs, expired plans, other
 *        expiries. Touches are ordered by the serial numbers of the two bodies, plans by that of the body: an
 *        order that does not depend on indices or memory. Other expiries come last, as nothing that the caller
 *        sees depends on them.
 *    R3  Every bound lasts beyond now, and every examination of a pair reaches beyond now, if only by one ulp of
 *        the time. Without this a fast body, or a coarse time, would stop the world.
 *    R4  A reported pair stays in contact until it is separated by SEPARATION_DISTANCE, far more than
 *        TOUCH_TOLERANCE. Otherwise rounding would report a contact that goes on again and again.
 *    R5  If the bodies of a reported pair still approach after the response of the caller, the caller allows the
 *        overlap: the pair is OVERLAPPING, and is reported again after its separation. There is one exception. If a
 *        motion changes while the pair is no deeper than SEPARATION_DISTANCE, and the bodies approach, the pair is
 *        reported again: the change was the response to another contact.
 *    R6  A pair that has bounced is RESTING while it is within the contact band (contact_policy.h). It is reported
 *        again if its bodies approach after a change of motion, or penetrate deeper than at the last report. So
 *        rounding, and the mean angular velocities of rotation pieces, let no body through in a contact that
 *        lasts.
 *    R7  A pair is reported at most MAX_REPORTS_AT_ONCE times at one time. After that it is OVERLAPPING, or, if
 *        it is RESTING, reported a little later. So a response that makes no progress cannot stop the time.
 *    R8  A failure (out of memory, a query that does not converge) leaves everything such that repeating the call
 *        gives what it would have given. Nothing is written before all that can fail is done, or it is marked as
 *        still to be done.
 *
 * pair_state.h has the states and transitions that R4 to R7 amount to.
 */
#ifndef TACT_ADVANCE_ADVANCE_H
#define TACT_ADVANCE_ADVANCE_H

#include <tact/advance.h>

#include "advance/advance_state.h"
#include "advance/body_motion.h"
#include "advance/body_sweep.h"
#include "advance/contact_graph.h"
#include "advance/event_ties.h"
#include "advance/kinetic_choice.h"
#include "advance/pair_prediction.h"
#include "broad/fat_bounds.h"
#include "event/queue.h"
#include "world/world_internal.h"

/* The events right below the root of the heap, one of which is the next: their memory is prefetched. */
#define PREFETCHED_EVENTS EVENT_HEAP_ARITY

ARRAY_OF(touch_array, touch_state);
ARRAY_OF(vec_array, tact_vec3);

/* A deforming pair of a restored world, until bodies have neighbours. */
typedef struct restored_pair {
    uint32_t a, b; /* indices, a <= b */
    struct deforming_pair *pair;
} restored_pair;

ARRAY_OF(restored_pair_array, restored_pair);

typedef struct advance {
    body_motion_array motions;   /* by index of body */
    body_motion_cold_array cold; /* by index of body */
    prediction_array predictions;
    uint32_t unused_prediction; /* first of a list; NEIGHBOUR_NONE: none */
    neighbours neighbours;      /* by index of body */
    fat_bounds fat_bounds;      /* by index of body; one of the two engines */
    body_sweep sweep;           /* the other one */
    tact_kinetic engine;        /* at work: TACT_KINETIC_SWEEP_AND_PRUNE or TACT_KINETIC_FAT_BOUNDS */
    advance_effort effort;
    advance_choice choice;
    bool engine_change_pending; /* a change of engine was interrupted, for lack of memory */
    bool events_outdated;       /* all events are to be scheduled */
    bool unpredicted;           /* restored without predictions, until the next apply_changes */
    event_queue queue;
    event_ties_array ties;   /* by index of body, of those that had one: the touches that are due */
    uint64_t visited;        /* neighbours, to find the events of bodies; for tests */
    body_index_array dirty;  /* bodies that have changed since the last apply_changes; capacity for all bodies */
    body_index_array jumped; /* rigid bodies that have jumped at this time (body_motion.h); capacity for all bodies */
    uint64_t batch;  /* counts the calls of apply_changes with changes. Jumps of one batch are simultaneous; those of
                        another batch at the same time are over */
    bool batch_open; /* one has not been completed, for lack of memory */
    bool caches;     /* scratch: a call that changes the world runs, so that no other thread reads contact bodies */
    double time;
    double synced_at;      /* the time of the transforms in the world and its broad phase */
    uint64_t last_version; /* of motions and predictions */
    uint64_t last_edition; /* of surface windows (surface_motion.h): no two divisions of a body have the same */
    uint32_t reported[2];  /* the bodies of the last report, whose events are still to be scheduled; the second is
                              NEIGHBOUR_NONE if one was removed, both if there are none */
    uint32_t prefetched[PREFETCHED_EVENTS]; /* bodies whose memory was prefetched */
    uint32_t prefetched_next;               /* the next one of these */
    vec_array positions;                    /* scratch: vertices of one body */
    tact_allocator allocator;               /* of the world */
    bool touch_resolved;                    /* scratch: tact_world_bounce was called since this was set to false */
    bool has_unresolved;                    /* `unresolved` is a touch that tact_world_step had no memory for */
    tact_event unresolved;
    contact_graph contacts;             /* persistent contacts */
    touch_array restored_touches;       /* of a restored world, until bodies have neighbours */
    restored_pair_array restored_pairs; /* likewise */
} advance;

/* ---- the state (advance.c) ---- */

/* Creates the state if there is none, and reserves memory for all bodies; new bodies are dirty. */
tact_status tact_advance_reserve(tact_world *world);
void tact_advance_free(advance *ad, const tact_allocator *allocator);

/* Whether the motion of a body is the one by which it moves: nothing has changed since it was taken from the world. */
static inline bool advance_has_motion(const advance *ad, uint32_t index)
{
    return ad != NULL && index < ad->motions.count && (!ad->cold.items[index].dirty || ad->cold.items[index].restored);
}

/* Whether a body jumps now, or its vertices may: in the batch of changes at hand. */
static inline bool advance_jumps_now(const advance *ad, uint32_t index)
{
    return ad->cold.items[index].jumped_at == ad->time && ad->cold.items[index].jump_batch == ad->batch;
}

/* A body is new, or has another transform, shape, filter or mass. No effect if there is no state yet. */
void tact_advance_mark_changed(tact_world *world, uint32_t index);

/* A body has another motion, and nothing else: it may keep its bound. */
void tact_advance_mark_motion_changed(tact_world *world, uint32_t index);

/* A body is about to be removed. */
void tact_advance_remove_body(tact_world *world, uint32_t index);

/* tact_world_next_event as part of a call whose work has begun. */
tact_event_kind tact_advance_next_event(tact_world *world, double until, tact_event *event);

/* ---- events (event_schedule.c) ---- */

/* Whether a body takes part in the engine at work. */
static inline bool advance_has_bound(const advance *ad, uint32_t index)
{
    return ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? body_sweep_has(&ad->sweep, index)
                                                      : fat_bounds_has(&ad->fat_bounds, index);
}

/* Schedules the event of a body that moves: the earliest of its predictions, or its expiry. On failure the old event
 * stays. */
tact_status tact_event_schedule(tact_world *world, uint32_t index);

/* Two bodies have become neighbours in the sweep: one of their events is moved forward if they touch before it. */
tact_status tact_event_schedule_pair(tact_world *world, uint32_t a, uint32_t b);

/* Prefetches what the next events will read. */
void tact_event_prefetch_next(const tact_world *world);

/* Prefetches what scheduling the event of a body will read. */
void tact_event_prefetch_schedule(const advance *ad, uint32_t index);

/* ---- transforms of now (advance_sync.c) ---- */

/* Where the origin of the motion of a body is now (body_motion.h). That of a contact body is cached in calls that run
 * contact steps and impacts: these need it many times. */
tact_transform tact_advance_motion_transform(const tact_world *world, uint32_t index);

/* Where a body is now, and how it moves from now on. */
tact_transform tact_advance_transform(const tact_world *world, uint32_t index);
tact_motion tact_advance_motion(const tact_world *world, uint32_t index);

/* The motion as the caller sees it: a body in persistent contact has the velocity with which its next contact step
 * starts, without the speed that restores the rest gap. */
tact_motion tact_advance_reported_motion(const tact_world *world, uint32_t index);

/* Brings transform and motion of a body in the world up to now: before it is changed. */
void tact_advance_sync_body(tact_world *world, uint32_t index);

/* Whether transforms in the world are older than its time. */
static inline bool advance_is_outdated(const tact_world *world)
{
    return world->advance != NULL && world->advance->synced_at != world->advance->time;
}

/* Brings all bodies, and the broad phase of tests, up to now: see tact_world_sync_transforms. The second function does
 * the same without notifying the observer of calls. */
tact_status tact_advance_sync_all(tact_world *world);
tact_status tact_advance_sync_quietly(tact_world *world);

/* ---- polled pairs (polling.c) ---- */

/* A body of a polled pair whose transform is to be requested before the pair can be tested; NEIGHBOUR_NONE: none. */
uint32_t tact_polling_unlocated_body(const tact_world *world, uint32_t a, uint32_t b);

/* ---- saved worlds (advance_state.c) ---- */

/* Of all restored motions and predictions: none is newer than another, and every later change is newer. */
#define RESTORED_VERSION 1

/* Makes predictions of restored touches and pairs, once bodies have neighbours. On failure it is repeated. */
tact_status tact_advance_apply_restored_touches(tact_world *world);

/* Discards restored touches and pairs of a body. */
void tact_advance_discard_restored_touches(advance *ad, uint32_t index);

/* What the world calls (world/extension.h). */
extern const world_extension tact_advance_extension;

#endif
