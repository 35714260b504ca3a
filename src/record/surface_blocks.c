/*
 * Windows of moving control points as blocks: docs/record.md has the layout. The triangles of a NURBS body with feature
 * events depend on its motion so far, so that a restored world could not find them by itself.
 */
#include "record/surface_blocks.h"

#include <string.h>

#include "record/fields.h"

typedef struct surface_block {
    surface_state state;
    uint64_t cell_count;
    const tact_vec3 *points;
} surface_block;

static const record_field surface_fields[] = {FIELD_U32(surface_block, state.index),
                                              FIELD_F64(surface_block, state.begin),
                                              FIELD_F64(surface_block, state.end),
                                              FIELD_F64(surface_block, state.point_error),
                                              FIELD_U32(surface_block, state.point_count),
                                              FIELD_U64(surface_block, cell_count),
                                              {0}};
static const record_field surface_point_fields[] = {FIELD_F64S(3), {0}};
static const record_column surface_point_column[] = {
    {offsetof(surface_block, points), sizeof(tact_vec3), surface_point_fields}, {0}};

void tact_writer_put_surface(record_writer *w, const tact_world *world, uint32_t index)
{
    surface_block block = {.cell_count = 0};
    if (!tact_world_surface_at(world, index, &block.state))
        return;
    block.cell_count = block.state.division.count;
    tact_writer_open(w, BLOCK_SURFACE);
    tact_writer_put(w, &block, surface_fields);
    block.points = block.state.start_points;
    tact_writer_put_items(w, &block, surface_point_column, block.state.point_count);
    block.points = block.state.end_points;
    tact_writer_put_items(w, &block, surface_point_column, block.state.point_count);
    unsigned char *bytes = tact_writer_reserve(w, block.state.division.count, 1);
    if (bytes != NULL)
        memcpy(bytes, block.state.division.divided, block.state.division.count);
    tact_writer_close(w);
}

bool tact_reader_get_surface(record_reader *r, uint32_t index, uint32_t point_count, surface_draft *draft)
{
    surface_block b = {.points = NULL};
    if (!tact_reader_get(r, &b, surface_fields))
        return false;
    if (b.state.index != index || b.state.point_count != point_count)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %d does not follow its body", BLOCK_SURFACE);
    bool ok = tact_reader_get_items(r, &b, surface_point_column, 2 * (uint64_t)point_count) &&
              tact_reader_has(r, b.cell_count, 1);
    const unsigned char *bytes = ok ? tact_reader_skip(r, (size_t)b.cell_count) : NULL;
    if (bytes != NULL) {
        const size_t points = draft->points.count, cells = draft->divided.count;
        b.state.division.count = (size_t)b.cell_count;
        if (surface_state_array_push(&draft->surfaces, &r->allocator, b.state) &&
            surface_point_array_resize(&draft->points, &r->allocator, points + 2 * (size_t)point_count) &&
            byte_array_resize(&draft->divided, &r->allocator, cells + (size_t)b.cell_count)) {
            memcpy(draft->points.items + points, b.points, 2 * (size_t)point_count * sizeof *b.points);
            memcpy(draft->divided.items + cells, bytes, (size_t)b.cell_count);
        } else {
            (void)tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for the cells of a surface");
        }
    }
    tact_reader_free_arrays(r);
    return ok && bytes != NULL && reader_ok(r);
}

void tact_surface_draft_link(surface_draft *d)
{
    size_t point = 0, cell = 0;
    for (size_t i = 0; i < d->surfaces.count; ++i) {
        surface_state *s = &d->surfaces.items[i];
        s->start_points = d->points.items + point;
        s->end_points = s->start_points + s->point_count;
        s->division.divided = d->divided.items + cell;
        point += 2 * (size_t)s->point_count;
        cell += s->division.count;
    }
}

void tact_surface_draft_release(surface_draft *d, const tact_allocator *allocator)
{
    surface_state_array_release(&d->surfaces, allocator);
    surface_point_array_release(&d->points, allocator);
    byte_array_release(&d->divided, allocator);
}
