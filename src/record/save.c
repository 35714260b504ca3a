/* Saving and restoring a world: its blocks, then BLOCK_END. */
#include <tact/record.h>

#include "advance/motion_plan.h"
#include "record/fields.h"
#include "record/world_blocks.h"

tact_status tact_world_save(const tact_world *world, tact_sink sink, const tact_record_def *def, tact_report *report)
{
    record_writer w;
    if (world == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the world is NULL");
    tact_writer_begin(&w, sink, def);
    tact_writer_put_world(&w, world);
    tact_writer_open(&w, BLOCK_END);
    tact_writer_close(&w);
    tact_writer_release(&w);
    if (report != NULL)
        *report = w.error;
    return w.error.status;
}

static bool read_end(record_reader *r)
{
    if (!tact_reader_peek(r))
        return false;
    if (r->type != BLOCK_END)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "this is a record with calls: replay it instead of restoring it");
    return tact_reader_finish(r);
}

tact_world *tact_world_restore(const void *bytes, size_t size, const tact_record_def *def, tact_report *report)
{
    record_reader r;
    tact_world *world = NULL;
    if (tact_reader_begin(&r, bytes, size, def))
        world = tact_reader_get_world(&r, def != NULL ? &def->parallel : NULL);
    if (world != NULL && !read_end(&r)) {
        tact_world_release(world);
        world = NULL;
    }
    tact_reader_release(&r);
    if (world != NULL)
        tact_world_clear_motion_callback(world, tact_unmapped_motion_callback);
    if (report != NULL)
        *report = r.error;
    return world;
}
