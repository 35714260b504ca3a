/*
 * Recording: a call observer that writes the calls it is notified of. The world does not depend on the recording: when
 * memory is out or the sink fails, the recording stores the error and stops, and the world continues.
 */
#include <tact/record.h>

#include "advance/advance_state.h"
#include "core/memory.h"
#include "record/call_blocks.h"
#include "record/world_blocks.h"
#include "world/call_observer.h"

struct tact_record {
    call_observer observer; /* first: the world points to it */
    record_writer writer;
    tact_world *world; /* NULL after it was released */
};

static void notify(call_observer *observer, const world_call *call)
{
    record_writer *w = &((tact_record *)(void *)observer)->writer;
    if (!writer_ok(w))
        return;
    if (call->type == CALL_NEXT_EVENT_END && call->event->status == TACT_CANCELLED)
        (void)tact_writer_fail(w, call->event->status, "tact_world_next_event was cancelled");
    else if (call->type == CALL_TEST_END && call->status == TACT_CANCELLED)
        (void)tact_writer_fail(w, call->status, "tact_world_test was cancelled");
    else if (call->type == CALL_NEXT_EVENT_END && call->event->status == TACT_OUT_OF_MEMORY)
        (void)tact_writer_fail(w, call->event->status, "out of memory in tact_world_next_event");
    else if ((call->type == CALL_DEFORM || call->type == CALL_CHANGE_FACES || call->type == CALL_MOVE_CONTROL_POINTS) &&
             call->status != TACT_OK)
        /* a replay would rebuild the tree, and report contacts in another order */
        (void)tact_writer_fail(w, call->status, "out of memory to rebuild the tree of a deformed mesh");
    else
        tact_writer_put_call(w, call);
}

static void invoke_contact_callback(call_observer *observer, const tact_response *response, const tact_contact *contact)
{
    record_writer *w = &((tact_record *)(void *)observer)->writer;
    if (writer_ok(w)) {
        tact_writer_open(w, BLOCK_CONTACT);
        unsigned char *to = tact_writer_reserve(w, 1, CONTACT_SIZE);
        if (to != NULL)
            tact_contact_encode(contact, true, to);
        tact_writer_close(w);
    }
    response->callback(response->context, contact);
}

static void invoke_motion_callback(call_observer *observer, double time, tact_transform *transform,
                                   tact_motion_plan *plan)
{
    plan->callback(plan->context, time, transform, plan);
    const tact_vec3 *pivot = &plan->motion.pivot;
    notify(observer, &(world_call){.type = CALL_MOTION_CALLBACK,
                                   .transform = transform,
                                   .motion_plan = plan,
                                   .positions = pivot,
                                   .count = pivot->x != 0.0 || pivot->y != 0.0 || pivot->z != 0.0});
}

static void world_released(call_observer *observer) { ((tact_record *)(void *)observer)->world = NULL; }

static void free_record(tact_record *record)
{
    const tact_allocator allocator = record->writer.allocator;
    tact_writer_release(&record->writer);
    tact_memory_free(&allocator, record, 1, sizeof *record);
}

tact_record *tact_record_begin(tact_world *world, tact_sink sink, const tact_record_def *def, tact_report *report)
{
    const tact_record_def default_def = {0};
    if (def == NULL)
        def = &default_def;
    const char *error = world == NULL                            ? "the world is NULL"
                        : tact_world_is_testing(world)           ? "a test is in progress"
                        : tact_world_get_observer(world) != NULL ? "the world is being recorded or replayed already"
                                                                 : NULL;
    if (error != NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "%s", error);
        return NULL;
    }
    tact_record *record = tact_memory_allocate(&def->allocator, 1, sizeof *record);
    /* without predictions the replay makes them anew: so does the world */
    if (record != NULL && !tact_world_describe_predictions(world).exists && tact_world_restart(world) != TACT_OK) {
        tact_memory_free(&def->allocator, record, 1, sizeof *record);
        record = NULL;
    }
    if (record == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for a recording");
        return NULL;
    }
    record->observer = (call_observer){notify, invoke_contact_callback, invoke_motion_callback, world_released};
    record->world = world;
    tact_writer_begin(&record->writer, sink, def);
    tact_writer_put_world(&record->writer, world);
    if (tact_record_check(record, report) != TACT_OK) {
        free_record(record);
        return NULL;
    }
    tact_world_set_observer(world, &record->observer);
    return record;
}

tact_status tact_record_check(const tact_record *record, tact_report *report)
{
    if (record == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the record is NULL");
    if (report != NULL)
        *report = record->writer.error;
    return record->writer.error.status;
}

tact_status tact_record_end(tact_record *record, tact_report *report)
{
    if (record == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the record is NULL");
    if (record->world != NULL && tact_world_is_testing(record->world))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a test is in progress");
    if (record->world != NULL)
        tact_world_set_observer(record->world, NULL);
    tact_writer_open(&record->writer, BLOCK_END);
    tact_writer_close(&record->writer);
    tact_status status = tact_record_check(record, report);
    free_record(record);
    return status;
}
