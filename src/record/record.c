/*
 * Recording: an observer of a world that writes the calls it is notified of. The world does not depend on it: when
 * memory or the sink gives out, the first trouble is kept, nothing more is written, and the world goes on.
 */
#include <tact/record.h>

#include "advance/advance_state.h"
#include "core/memory.h"
#include "record/call_bytes.h"
#include "record/world_bytes.h"
#include "world/call_observer.h"

struct tact_record {
    call_observer observer; /* first: the world knows the record by it */
    scribe scribe;
    tact_world *world; /* NULL once it is gone */
};

static void notify(call_observer *observer, const world_call *call)
{
    tact_record *record = (tact_record *)(void *)observer;
    if (!writer_well(&record->scribe.out))
        return;
    /* a replay would have the new tree, and contacts in another order */
    if (call->type == CALL_NEXT_EVENT_END && call->event->status == TACT_OUT_OF_MEMORY)
        (void)tact_writer_fail(&record->scribe.out, call->event->status, "no memory to go through time");
    else if ((call->type == CALL_DEFORM || call->type == CALL_CHANGE_FACES) && call->status != TACT_OK)
        (void)tact_writer_fail(&record->scribe.out, call->status, "no memory to build a deformed mesh's tree anew");
    else
        tact_scribe_call(&record->scribe, call);
}

static void invoke_contact_callback(call_observer *observer, const tact_response *response, const tact_contact *contact)
{
    tact_record *record = (tact_record *)(void *)observer;
    writer *w = &record->scribe.out;
    if (writer_well(w)) {
        tact_writer_open(w, BLOCK_CONTACT);
        unsigned char *at = tact_writer_room(w, CONTACT_BYTES);
        if (at != NULL)
            tact_contact_store(contact, at);
        tact_writer_close(w);
    }
    response->callback(response->context, contact);
}

static void invoke_motion_callback(call_observer *observer, double time, tact_transform *place,
                                   tact_motion_plan *answer)
{
    answer->callback(answer->context, time, place, answer);
    notify(observer, &(world_call){.type = CALL_MOTION_CALLBACK, .transform = place, .motion_plan = answer});
}

static void world_released(call_observer *observer) { ((tact_record *)(void *)observer)->world = NULL; }

static void give_up(tact_record *record)
{
    tact_allocator allocator = record->scribe.out.allocator;
    tact_scribe_release(&record->scribe);
    tact_memory_free(&allocator, record, 1, sizeof *record);
}

tact_record *tact_record_begin(tact_world *world, tact_sink sink, const tact_record_def *def, tact_report *report)
{
    const tact_record_def usual = {0};
    if (def == NULL)
        def = &usual;
    const char *trouble = world == NULL                            ? "the world is NULL"
                          : tact_world_is_testing(world)           ? "a test is under way"
                          : tact_world_get_observer(world) != NULL ? "the world is being recorded or replayed already"
                                                                   : NULL;
    if (trouble != NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "%s", trouble);
        return NULL;
    }
    tact_record *record = tact_memory_allocate(&def->allocator, 1, sizeof *record);
    if (record != NULL && tact_world_restart(world) != TACT_OK) { /* as the replay will */
        tact_memory_free(&def->allocator, record, 1, sizeof *record);
        record = NULL;
    }
    if (record == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for a record");
        return NULL;
    }
    record->observer = (call_observer){notify, invoke_contact_callback, invoke_motion_callback, world_released};
    record->world = world;
    tact_scribe_begin(&record->scribe, sink, def);
    tact_scribe_world(&record->scribe, world);
    if (tact_record_check(record, report) != TACT_OK) {
        give_up(record);
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
        *report = record->scribe.out.trouble;
    return record->scribe.out.trouble.status;
}

tact_status tact_record_end(tact_record *record, tact_report *report)
{
    if (record == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the record is NULL");
    if (record->world != NULL && tact_world_is_testing(record->world))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a test is under way");
    if (record->world != NULL)
        tact_world_set_observer(record->world, NULL);
    tact_writer_open(&record->scribe.out, BLOCK_END);
    tact_writer_close(&record->scribe.out);
    tact_status status = tact_record_check(record, report);
    give_up(record);
    return status;
}
