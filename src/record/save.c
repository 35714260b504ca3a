/* Save and restore: a world as bytes, with nothing before and nothing after. */
#include <tact/record.h>

#include "advance/motion_plan.h"
#include "record/world_bytes.h"

tact_status tact_world_save(const tact_world *world, tact_sink sink, const tact_record_def *def, tact_report *report)
{
    scribe s;
    if (world == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "the world is NULL");
    tact_scribe_begin(&s, sink, def);
    tact_scribe_world(&s, world);
    tact_writer_open(&s.out, BLOCK_END);
    tact_writer_close(&s.out);
    tact_report trouble = s.out.trouble;
    tact_scribe_release(&s);
    if (report != NULL)
        *report = trouble;
    return trouble.status;
}

/* The last block, and nothing after it. */
static bool read_end(reader *in)
{
    if (tact_reader_peek(in) != READ_BLOCK)
        return false;
    if (in->type != BLOCK_END)
        return tact_reader_fail(in, TACT_BAD_ARGUMENT, "a record, with calls: not to be restored but replayed");
    if (!tact_reader_close(in))
        return false;
    in->begin = in->next;
    return in->next == in->size ||
           tact_reader_fail(in, TACT_BAD_ARGUMENT, "%zu bytes after the end", in->size - in->next);
}

tact_world *tact_world_restore(const void *bytes, size_t size, const tact_record_def *def, tact_report *report)
{
    library l;
    tact_world *world = NULL;
    if (tact_library_begin(&l, bytes, size, def))
        world = tact_library_world(&l, def != NULL ? &def->parallel : NULL);
    if (world != NULL && !read_end(&l.in)) {
        tact_world_release(world);
        world = NULL;
    }
    tact_library_release(&l);
    if (world != NULL)
        tact_world_clear_motion_callback(world, tact_guide_nowhere);
    if (report != NULL)
        *report = l.in.trouble;
    return world;
}
