/*
 * Replaying: the calls of a record are made again, on the world with which it begins.
 *
 * The replay listens to its world, so that the test asks it instead of calling responses: it compares the contact, bit
 * for bit, with the one that was recorded at this place, and makes the calls that the response made then. Where
 * something differs, the test under way ends without further calls, and the replay stays there.
 */
#include <string.h>
#include <tact/record.h>

#include "advance/motion_plan.h"
#include "core/memory.h"
#include "record/call_bytes.h"
#include "record/world_bytes.h"
#include "world/world_state.h"

struct tact_replay {
    call_observer observer; /* first: the world knows the replay by it */
    library library;
    tact_world *world; /* NULL once it is gone */
    tact_contact_callback *watch;
    void *watch_context;
    uint64_t count;   /* of calls made */
    const char *call; /* the last one */
    tact_replay_state state;
    tact_report report; /* why it is not TACT_REPLAY_CALL */
    bool stepping;
    bool doomed; /* released by `watch`: gone when the step ends */
};

/* ---- what may go wrong ---- */

static void take_trouble(tact_replay *replay)
{
    const reader *in = &replay->library.in;
    replay->state = in->cut ? TACT_REPLAY_TRUNCATED : TACT_REPLAY_FAILED;
    (void)tact_report_fill(&replay->report, in->trouble.status, "call %llu, %.180s",
                           (unsigned long long)(replay->count + 1), in->trouble.text);
}

static void starve(tact_replay *replay, const char *what)
{
    replay->state = TACT_REPLAY_FAILED;
    (void)tact_report_fill(&replay->report, TACT_OUT_OF_MEMORY, "no memory %s, call %llu", what,
                           (unsigned long long)(replay->count + 1));
}

static void diverge(tact_replay *replay, const char *what)
{
    replay->state = TACT_REPLAY_DIVERGED;
    (void)tact_report_fill(&replay->report, TACT_BAD_ARGUMENT, "diverged at call %llu (%s), at byte %zu: %.110s",
                           (unsigned long long)(replay->count + 1), replay->call, replay->library.in.begin, what);
}

/* The next block that is no shape; shapes are taken in on the way. False if there is none. */
static bool peek(tact_replay *replay)
{
    reader *in = &replay->library.in;
    while (tact_reader_peek(in) == READ_BLOCK) {
        if (in->type != BLOCK_SHAPE)
            return true;
        if (!tact_library_shape(&replay->library))
            break;
    }
    take_trouble(replay);
    return false;
}

/* Makes the call that the block is. */
static bool make_call(tact_replay *replay)
{
    tact_report why = {TACT_OK, ""};
    reader *in = &replay->library.in;
    if (replay->world == NULL) {
        (void)tact_reader_fail(in, TACT_BAD_ARGUMENT, "a call to a world that has been released");
        take_trouble(replay);
        return false;
    }
    switch (tact_library_call(&replay->library, replay->world, &why)) {
    case CALL_MADE:
        return replay->state == TACT_REPLAY_CALL; /* unless `notify` has other news */
    case CALL_DIFFERS:
        diverge(replay, why.text);
        return false;
    case CALL_FAILED:
        break;
    }
    take_trouble(replay);
    return false;
}

/* ---- tests ---- */

static bool belongs_to_response(uint32_t type)
{
    return type > BLOCK_CALL && type <= BLOCK_CALL + CALL_LAST && type != BLOCK_CALL + CALL_NEXT_EVENT &&
           type != BLOCK_CALL + CALL_NEXT_EVENT_END && type != BLOCK_CALL + CALL_MOTION_CALLBACK &&
           type != BLOCK_CALL + CALL_TEST && type != BLOCK_CALL + CALL_TEST_END &&
           type != BLOCK_CALL + CALL_TEST_FAILED;
}

static bool same_contact(tact_replay *replay, const tact_contact *contact)
{
    reader *in = &replay->library.in;
    unsigned char now[CONTACT_BYTES];
    char text[120];
    tact_contact_store(contact, now);
    const unsigned char *then = tact_reader_skip(in, CONTACT_BYTES);
    if (!tact_reader_close(in)) {
        take_trouble(replay);
        return false;
    }
    if (memcmp(now, then, CONTACT_BYTES) == 0)
        return true;
    bool pair = memcmp(now + CONTACT_BODIES, then + CONTACT_BODIES, 16) != 0;
    /* then there was no memory for what was wanted, now there is, or the other way round */
    if (!pair && now[CONTACT_WANT] == then[CONTACT_WANT] && then[CONTACT_STATUS] == TACT_OUT_OF_MEMORY)
        return true;
    if (!pair && contact->status == TACT_OUT_OF_MEMORY) {
        starve(replay, "for a contact");
        return false;
    }
    (void)snprintf(text, sizeof text, "%s (bodies %lu and %lu)",
                   pair ? "another pair touches" : "the contact has other numbers", (unsigned long)contact->a.index,
                   (unsigned long)contact->b.index);
    diverge(replay, text);
    return false;
}

/* In place of the response of a contact. */
static void invoke_contact_callback(call_observer *observer, const tact_response *response, const tact_contact *contact)
{
    tact_replay *replay = (tact_replay *)(void *)observer;
    reader *in = &replay->library.in;
    (void)response;
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return;
    if (in->type != BLOCK_CONTACT) {
        diverge(replay, "more pairs touch than did");
        return;
    }
    if (!same_contact(replay, contact))
        return;
    if (replay->watch != NULL)
        replay->watch(replay->watch_context, contact);
    while (peek(replay) && belongs_to_response(in->type) && make_call(replay))
        continue;
}

static bool make_test(tact_replay *replay)
{
    reader *in = &replay->library.in;
    if (!tact_reader_close(in)) {
        take_trouble(replay);
        return false;
    }
    tact_count answer = tact_world_test(replay->world);
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return false;
    if (answer.status == TACT_OUT_OF_MEMORY && answer.count == 0) {
        starve(replay, "for the test");
        return false;
    }
    if (in->type == BLOCK_CONTACT) {
        diverge(replay, "fewer pairs touch than did");
        return false;
    }
    if (in->type != BLOCK_CALL + CALL_TEST_END) {
        (void)tact_reader_fail(in, TACT_BAD_ARGUMENT, "a block of type %lu within a test", (unsigned long)in->type);
        take_trouble(replay);
        return false;
    }
    uint32_t status = tact_get32(in);
    uint64_t count = tact_get64(in);
    if (!tact_reader_close(in)) {
        take_trouble(replay);
        return false;
    }
    if (status == (uint32_t)answer.status && count == answer.count)
        return true;
    diverge(replay, "the test has another status or count");
    return false;
}

/* A test that failed for lack of memory, and how far it had come. */
static bool make_failed_test(tact_replay *replay)
{
    reader *in = &replay->library.in;
    uint32_t updated = tact_get32(in);
    if (updated > 1)
        (void)tact_reader_fail(in, TACT_BAD_ARGUMENT, "a test that was neither begun nor not");
    if (tact_reader_close(in) && updated == 1 && tact_world_update(replay->world) != TACT_OK)
        (void)tact_reader_fail(in, TACT_OUT_OF_MEMORY, "no memory for a test");
    if (in->trouble.status == TACT_OK)
        return true;
    take_trouble(replay);
    return false;
}

/* ---- going through time ---- */

/* In place of the guide of a course. */
static void invoke_motion_callback(call_observer *observer, double time, tact_transform *place,
                                   tact_motion_plan *answer)
{
    tact_replay *replay = (tact_replay *)(void *)observer;
    reader *in = &replay->library.in;
    (void)time;
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return;
    if (in->type != BLOCK_CALL + CALL_MOTION_CALLBACK) {
        diverge(replay, "a guide is asked that was not");
        return;
    }
    const tact_transform where = tact_get_place(in);
    const tact_motion motion = tact_get_motion(in);
    tact_motion_plan next = tact_get_course(&replay->library);
    next.motion = motion;
    if (!tact_reader_close(in)) {
        take_trouble(replay);
        return;
    }
    *place = where;
    *answer = next;
}

static bool make_next(tact_replay *replay)
{
    reader *in = &replay->library.in;
    const double until = tact_get_double(in);
    unsigned char now[EVENT_BYTES];
    tact_event event;
    if (!tact_reader_close(in)) {
        take_trouble(replay);
        return false;
    }
    (void)tact_world_next_event(replay->world, until, &event);
    if (replay->state != TACT_REPLAY_CALL || !peek(replay))
        return false;
    if (event.status == TACT_OUT_OF_MEMORY) {
        starve(replay, "to go through time");
        return false;
    }
    if (in->type != BLOCK_CALL + CALL_NEXT_EVENT_END) {
        diverge(replay,
                in->type == BLOCK_CALL + CALL_MOTION_CALLBACK ? "a guide is not asked that was" : "it ends too soon");
        return false;
    }
    const unsigned char *then = tact_reader_skip(in, EVENT_BYTES);
    if (!tact_reader_close(in)) {
        take_trouble(replay);
        return false;
    }
    tact_event_store(&event, now);
    if (memcmp(now, then, EVENT_BYTES) == 0)
        return true;
    diverge(replay, "another event");
    return false;
}

/* ---- the replay ---- */

static void notify(call_observer *observer, const world_call *call)
{
    /* with the old tree contacts may be others, and come in another order */
    if (call->type == CALL_DEFORM && call->status != TACT_OK)
        starve((tact_replay *)(void *)observer, "to build a deformed mesh's tree anew");
}

static void world_released(call_observer *observer) { ((tact_replay *)(void *)observer)->world = NULL; }

tact_replay *tact_replay_begin(const void *bytes, size_t size, const tact_record_def *def, tact_report *report)
{
    const tact_record_def usual = {0};
    if (def == NULL)
        def = &usual;
    tact_replay *replay = tact_memory_allocate(&def->allocator, 1, sizeof *replay);
    if (replay == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for a replay");
        return NULL;
    }
    *replay = (tact_replay){.observer = {notify, invoke_contact_callback, invoke_motion_callback, world_released},
                            .watch = def->contact_callback,
                            .watch_context = def->contact_context,
                            .call = ""};
    if (tact_library_begin(&replay->library, bytes, size, def))
        replay->world = tact_library_world(&replay->library, &def->parallel);
    if (replay->world == NULL) {
        if (report != NULL)
            *report = replay->library.in.trouble;
        tact_replay_release(replay);
        return NULL;
    }
    tact_world_set_observer(replay->world, &replay->observer);
    (void)tact_report_clear(report);
    return replay;
}

static void finish(tact_replay *replay)
{
    reader *in = &replay->library.in;
    if (tact_reader_close(in)) {
        in->begin = in->next;
        if (in->next != in->size)
            (void)tact_reader_fail(in, TACT_BAD_ARGUMENT, "%zu bytes after the end", in->size - in->next);
    }
    if (in->trouble.status == TACT_OK)
        replay->state = TACT_REPLAY_END;
    else
        take_trouble(replay);
}

static void step(tact_replay *replay)
{
    reader *in = &replay->library.in;
    if (!peek(replay))
        return;
    if (in->type == BLOCK_END) {
        finish(replay);
        return;
    }
    const char *name = tact_call_name(in->type);
    replay->call = name != NULL ? name : "";
    bool made = in->type == BLOCK_CALL + CALL_TEST && replay->world != NULL          ? make_test(replay)
                : in->type == BLOCK_CALL + CALL_NEXT_EVENT && replay->world != NULL  ? make_next(replay)
                : in->type == BLOCK_CALL + CALL_TEST_FAILED && replay->world != NULL ? make_failed_test(replay)
                                                                                     : make_call(replay);
    replay->count += made;
}

/* Makes the next call, or all. */
static tact_replay_state go(tact_replay *replay, bool all, tact_report *report)
{
    if (replay == NULL || replay->stepping) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                               replay == NULL ? "the replay is NULL" : "a step is under way");
        return TACT_REPLAY_FAILED;
    }
    replay->stepping = true;
    do
        if (replay->state == TACT_REPLAY_CALL)
            step(replay);
    while (all && replay->state == TACT_REPLAY_CALL && !replay->doomed);
    replay->stepping = false;
    tact_replay_state state = replay->state;
    if (report != NULL)
        *report = replay->report;
    if (replay->doomed)
        tact_replay_release(replay);
    return state;
}

tact_replay_state tact_replay_step(tact_replay *replay, tact_report *report) { return go(replay, false, report); }

tact_replay_state tact_replay_run(tact_replay *replay, tact_report *report) { return go(replay, true, report); }

const tact_world *tact_replay_get_world(const tact_replay *replay) { return replay != NULL ? replay->world : NULL; }

uint64_t tact_replay_get_call_count(const tact_replay *replay) { return replay != NULL ? replay->count : 0; }

const char *tact_replay_get_call(const tact_replay *replay) { return replay != NULL ? replay->call : ""; }

tact_world *tact_replay_take_world(tact_replay *replay)
{
    if (replay == NULL || replay->world == NULL || replay->stepping)
        return NULL;
    tact_world *world = replay->world;
    tact_world_set_observer(world, NULL);
    tact_world_clear_motion_callback(world, tact_guide_nowhere);
    replay->world = NULL;
    tact_replay_release(replay);
    return world;
}

void tact_replay_release(tact_replay *replay)
{
    if (replay == NULL)
        return;
    if (replay->stepping) {
        replay->doomed = true;
        return;
    }
    if (replay->world != NULL) {
        tact_world_set_observer(replay->world, NULL);
        tact_world_release(replay->world);
    }
    tact_allocator allocator = replay->library.allocator;
    tact_library_release(&replay->library);
    tact_memory_free(&allocator, replay, 1, sizeof *replay);
}
