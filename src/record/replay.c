/*
 * Replay: makes the calls of a record again, on the world with which the record begins.
 *
 * The replay observes its world, so that a test calls it instead of contact callbacks. It compares each contact bit for
 * bit with the recorded one, and makes the calls that the callback made. After a difference, the test in progress ends
 * without further calls, and the replay keeps its state.
 */
#include <string.h>
#include <tact/record.h>

#include "advance/motion_plan.h"
#include "core/memory.h"
#include "record/animation_blocks.h"
#include "record/call_blocks.h"
#include "record/shape_blocks.h"
#include "record/world_blocks.h"
#include "world/world_state.h"

struct tact_replay {
    call_observer observer; /* first: the world points to it */
    record_reader reader;
    tact_world *world; /* NULL after it was released */
    tact_contact_callback *contact_callback;
    void *contact_context;
    uint64_t count;   /* calls made */
    const char *call; /* name of the last one */
    tact_event event; /* of the last one; kind TACT_EVENT_NONE: none */
    tact_replay_state state;
    tact_report report; /* why the state is not TACT_REPLAY_CALL */
    bool stepping;
    bool release_after_step; /* the contact callback released the replay */
};

/* ---- failures: each sets the state and returns false ---- */

/* With the error of the reader. */
static bool fail_reading(tact_replay *replay)
{
    const record_reader *r = &replay->reader;
    replay->state = r->truncated ? TACT_REPLAY_TRUNCATED : TACT_REPLAY_FAILED;
    (void)tact_report_fill(&replay->report, r->error.status, "call %llu, %s", (unsigned long long)(replay->count + 1),
                           r->error.text);
    return false;
}

static bool fail_memory(tact_replay *replay, const char *purpose)
{
    replay->state = TACT_REPLAY_FAILED;
    (void)tact_report_fill(&replay->report, TACT_OUT_OF_MEMORY, "call %llu: out of memory %s",
                           (unsigned long long)(replay->count + 1), purpose);
    return false;
}

static bool diverge(tact_replay *replay, const char *difference)
{
    replay->state = TACT_REPLAY_DIVERGED;
    (void)tact_report_fill(&replay->report, TACT_BAD_ARGUMENT, "diverged at call %llu (%s), at byte %zu: %s",
                           (unsigned long long)(replay->count + 1), replay->call, replay->reader.begin, difference);
    return false;
}

/* ---- blocks ---- */

/* Opens the next block that is no shape and no animation, after reading those before it. */
static bool peek(tact_replay *replay)
{
    record_reader *r = &replay->reader;
    while (tact_reader_peek(r)) {
        if (r->type != BLOCK_SHAPE && r->type != BLOCK_ANIMATION)
            return true;
        if (r->type == BLOCK_SHAPE ? !tact_reader_get_shape(r) : !tact_reader_get_animation(r))
            break;
    }
    return fail_reading(replay);
}

static bool next_is(const tact_replay *replay, world_call_type type)
{
    return replay->reader.type == BLOCK_CALL + (uint32_t)type;
}

/* Reads the block, a call. */
static bool get_call(tact_replay *replay, replayed_call *call)
{
    return tact_reader_get_call(&replay->reader, call) || fail_reading(replay);
}

/* Makes the call that the block is. */
static bool make_call(tact_replay *replay)
{
    tact_report report;
    if (replay->world == NULL) {
        (void)tact_reader_fail(&replay->reader, TACT_BAD_ARGUMENT, "a call to a world that has been released");
        return fail_reading(replay);
    }
    switch (tact_reader_make_call(&replay->reader, replay->world, &report)) {
    case CALL_MADE:
        return replay->state == TACT_REPLAY_CALL; /* unless `notify` has failed */
    case CALL_DIVERGED:
        return diverge(replay, report.text);
    case CALL_FAILED:
        break;
    }
    return fail_reading(replay);
}

/* ---- tests ---- */

/* Compares a contact with the block, a contact. */
static bool check_contact(tact_replay *replay, const tact_contact *contact)
{
    unsigned char now[CONTACT_SIZE];
    char text[120];
    const unsigned char *then = tact_reader_skip(&replay->reader, CONTACT_SIZE);
    if (!tact_reader_close(&replay->reader))
        return fail_reading(replay);
    tact_contact_encode(contact, then[CONTACT_PHASE] != 0, now);
    if (memcmp(now, then, CONTACT_SIZE) == 0)
        return true;
    const bool same_pair = memcmp(now + CONTACT_BODIES, then + CONTACT_BODIES, 16) == 0;
    /* Memory may have been out for the contact data when they were recorded, or may be now. */
    if (same_pair && now[CONTACT_WANT] == then[CONTACT_WANT] && then[CONTACT_STATUS] == TACT_OUT_OF_MEMORY)
        return true;
    if (same_pair && contact->status == TACT_OUT_OF_MEMORY)
        return fail_memory(replay, "for a contact");
    (void)snprintf(text, sizeof text, "%s (bodies %lu and %lu)",
                   same_pair ? "the contact data differ" : "another pair is in contact",
                   (unsigned long)contact->a.index, (unsigned long)contact->b.index);
    return diverge(replay, text);
}

/* Instead of a contact callback. */
static void invoke_contact_callback(call_observer *observer, const tact_response *response, const tact_contact *contact)
{
    tact_replay *replay = (tact_replay *)(void *)observer;
    (void)response;
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return;
    if (replay->reader.type != BLOCK_CONTACT) {
        (void)diverge(replay, "more pairs are in contact than recorded");
        return;
    }
    if (!check_contact(replay, contact))
        return;
    if (replay->contact_callback != NULL)
        replay->contact_callback(replay->contact_context, contact);
    while (peek(replay) && tact_call_is_simple(replay->reader.type) && make_call(replay))
        continue;
}

static bool make_test(tact_replay *replay)
{
    record_reader *r = &replay->reader;
    replayed_call call;
    if (!get_call(replay, &call))
        return false;
    const tact_count result = tact_world_test(replay->world);
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return false;
    if (result.status == TACT_OUT_OF_MEMORY && result.count == 0)
        return fail_memory(replay, "for the test");
    if (r->type == BLOCK_CONTACT)
        return diverge(replay, "fewer pairs are in contact than recorded");
    if (!next_is(replay, CALL_TEST_END)) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu within a test", (unsigned long)r->type);
        return fail_reading(replay);
    }
    if (!get_call(replay, &call))
        return false;
    return (call.call.status == result.status && call.call.contact_count == result.count) ||
           diverge(replay, "the test has another status or count of contacts");
}

/* A test that was out of memory, before or after it had updated the broad phase. */
static bool make_failed_test(tact_replay *replay)
{
    replayed_call call;
    if (!get_call(replay, &call))
        return false;
    return call.call.setting == 0 || tact_world_update(replay->world) == TACT_OK || fail_memory(replay, "for the test");
}

/* ---- advancing in time ---- */

/* Instead of a motion callback. */
static void invoke_motion_callback(call_observer *observer, double time, tact_transform *transform,
                                   tact_motion_plan *plan)
{
    tact_replay *replay = (tact_replay *)(void *)observer;
    replayed_call call;
    (void)time;
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return;
    if (!next_is(replay, CALL_MOTION_CALLBACK)) {
        (void)diverge(replay, "a motion callback is called that was not recorded");
        return;
    }
    if (!get_call(replay, &call))
        return;
    *transform = call.transform;
    *plan = call.motion_plan;
    if (call.call.count == 1)
        plan->motion.pivot = call.call.positions[0];
    tact_reader_free_arrays(&replay->reader);
}

static bool make_next_event(tact_replay *replay)
{
    replayed_call call;
    tact_event event;
    if (!get_call(replay, &call))
        return false;
    (void)tact_world_next_event(replay->world, call.call.time, &event);
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return false;
    if (event.status == TACT_OUT_OF_MEMORY)
        return fail_memory(replay, "in tact_world_next_event");
    if (!next_is(replay, CALL_NEXT_EVENT_END))
        return diverge(replay, next_is(replay, CALL_MOTION_CALLBACK) ? "a recorded motion callback is not called"
                                                                     : "tact_world_next_event ends early");
    const size_t left = replay->reader.end - replay->reader.position;
    const size_t size = left <= EVENT_SIZE            ? (size_t)EVENT_SIZE
                        : left <= EVENT_FEATURES_SIZE ? (size_t)EVENT_FEATURES_SIZE
                                                      : (size_t)EVENT_MAX_SIZE;
    const unsigned char *then = tact_reader_skip(&replay->reader, size);
    if (!tact_reader_close(&replay->reader))
        return fail_reading(replay);
    if (!tact_event_is_recorded(&event, then, size))
        return diverge(replay, "the event differs");
    replay->event = event;
    return true;
}

/* ---- the replay ---- */

static void notify(call_observer *observer, const world_call *call)
{
    /* With the old tree, contacts may differ and come in another order. */
    if ((call->type == CALL_DEFORM || call->type == CALL_CHANGE_FACES || call->type == CALL_MOVE_CONTROL_POINTS) &&
        call->status != TACT_OK)
        (void)fail_memory((tact_replay *)(void *)observer, "to rebuild the tree of a deformed mesh");
}

static void world_released(call_observer *observer) { ((tact_replay *)(void *)observer)->world = NULL; }

tact_replay *tact_replay_begin(const void *bytes, size_t size, const tact_record_def *def, tact_report *report)
{
    const tact_record_def default_def = {0};
    if (def == NULL)
        def = &default_def;
    tact_replay *replay = tact_memory_allocate(&def->allocator, 1, sizeof *replay);
    if (replay == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for a replay");
        return NULL;
    }
    *replay = (tact_replay){.observer = {notify, invoke_contact_callback, invoke_motion_callback, world_released},
                            .contact_callback = def->contact_callback,
                            .contact_context = def->contact_context,
                            .call = ""};
    if (tact_reader_begin(&replay->reader, bytes, size, def))
        replay->world = tact_reader_get_world(&replay->reader, &def->parallel);
    if (replay->world == NULL) {
        if (report != NULL)
            *report = replay->reader.error;
        tact_replay_release(replay);
        return NULL;
    }
    tact_world_set_observer(replay->world, &replay->observer);
    (void)tact_report_clear(report);
    return replay;
}

static void step(tact_replay *replay)
{
    record_reader *r = &replay->reader;
    if (!peek(replay))
        return;
    if (r->type == BLOCK_END) {
        if (tact_reader_finish(r))
            replay->state = TACT_REPLAY_END;
        else
            (void)fail_reading(replay);
        return;
    }
    const char *name = tact_call_name(r->type);
    replay->call = name != NULL ? name : "";
    replay->event.kind = TACT_EVENT_NONE;
    const bool made = replay->world == NULL               ? make_call(replay)
                      : next_is(replay, CALL_TEST)        ? make_test(replay)
                      : next_is(replay, CALL_TEST_FAILED) ? make_failed_test(replay)
                      : next_is(replay, CALL_NEXT_EVENT)  ? make_next_event(replay)
                                                          : make_call(replay);
    replay->count += made;
}

/* Makes the next call, or all calls. */
static tact_replay_state make_steps(tact_replay *replay, bool all, tact_report *report)
{
    if (replay == NULL || replay->stepping) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                               replay == NULL ? "the replay is NULL" : "a step is in progress");
        return TACT_REPLAY_FAILED;
    }
    replay->stepping = true;
    do
        if (replay->state == TACT_REPLAY_CALL)
            step(replay);
    while (all && replay->state == TACT_REPLAY_CALL && !replay->release_after_step);
    replay->stepping = false;
    tact_replay_state state = replay->state;
    if (report != NULL)
        *report = replay->report;
    if (replay->release_after_step)
        tact_replay_release(replay);
    return state;
}

tact_replay_state tact_replay_step(tact_replay *replay, tact_report *report)
{
    return make_steps(replay, false, report);
}

tact_replay_state tact_replay_run(tact_replay *replay, tact_report *report) { return make_steps(replay, true, report); }

const tact_world *tact_replay_get_world(const tact_replay *replay) { return replay != NULL ? replay->world : NULL; }

uint64_t tact_replay_get_call_count(const tact_replay *replay) { return replay != NULL ? replay->count : 0; }

const char *tact_replay_get_call(const tact_replay *replay) { return replay != NULL ? replay->call : ""; }

bool tact_replay_get_event(const tact_replay *replay, tact_event *event)
{
    if (replay == NULL || event == NULL || replay->event.kind == TACT_EVENT_NONE)
        return false;
    *event = replay->event;
    return true;
}

tact_world *tact_replay_take_world(tact_replay *replay)
{
    if (replay == NULL || replay->world == NULL || replay->stepping)
        return NULL;
    tact_world *world = replay->world;
    tact_world_set_observer(world, NULL);
    tact_world_clear_motion_callback(world, tact_unmapped_motion_callback);
    replay->world = NULL;
    tact_replay_release(replay);
    return world;
}

void tact_replay_release(tact_replay *replay)
{
    if (replay == NULL)
        return;
    if (replay->stepping) {
        replay->release_after_step = true;
        return;
    }
    if (replay->world != NULL) {
        tact_world_set_observer(replay->world, NULL);
        tact_world_release(replay->world);
    }
    tact_allocator allocator = replay->reader.allocator;
    tact_reader_release(&replay->reader);
    tact_memory_free(&allocator, replay, 1, sizeof *replay);
}
