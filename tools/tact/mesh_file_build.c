#include "mesh_file_build.h"

#include <inttypes.h>

static bool fail_vertices(const mesh_build *build)
{
    return tact_mesh_source_fail(build->source, NULL, "has more than %" PRIu32 " vertices", UINT32_MAX);
}

static bool fail_corners(const mesh_build *build)
{
    return tact_mesh_source_fail(build->source, NULL, "has more than %" PRIu32 " corners of faces", UINT32_MAX);
}

bool tact_mesh_build_begin(mesh_build *build, const mesh_source *source, const char *format)
{
    *build = (mesh_build){.source = source, .format = format};
    return mesh_index_array_push(&build->firsts, source->allocator, 0) || tact_mesh_source_out_of_memory(source);
}

bool tact_mesh_build_expect_vertices(mesh_build *build, size_t count)
{
    size_t now = mesh_build_vertex_count(build);
    if (now > UINT32_MAX || count > UINT32_MAX - now)
        return fail_vertices(build);
    return (now + count <= SIZE_MAX / 3 &&
            mesh_number_array_reserve(&build->numbers, build->source->allocator, 3 * (now + count))) ||
           tact_mesh_source_out_of_memory(build->source);
}

bool tact_mesh_build_expect_faces(mesh_build *build, size_t faces, size_t corners)
{
    if (build->corners.count > UINT32_MAX || corners > UINT32_MAX - build->corners.count)
        return fail_corners(build);
    const tact_allocator *allocator = build->source->allocator;
    return (faces < SIZE_MAX - build->firsts.count &&
            mesh_index_array_reserve(&build->firsts, allocator, build->firsts.count + faces) &&
            mesh_index_array_reserve(&build->corners, allocator, build->corners.count + corners)) ||
           tact_mesh_source_out_of_memory(build->source);
}

bool tact_mesh_build_vertex_grow(mesh_build *build) { return tact_mesh_build_expect_vertices(build, 1); }

bool tact_mesh_build_corner_grow(mesh_build *build) { return tact_mesh_build_expect_faces(build, 0, 1); }

bool tact_mesh_build_face_grow(mesh_build *build) { return tact_mesh_build_expect_faces(build, 1, 0); }

/* Cut a block to the items in it, or free it when there are none; false when the allocator will not. */

static bool numbers_cut(mesh_number_array *array, const tact_allocator *allocator)
{
    if (array->count == 0)
        mesh_number_array_release(array, allocator);
    if (array->count == array->capacity)
        return true;
    double *items = tact_memory_resize(allocator, array->items, array->capacity, array->count, sizeof *items);
    if (!items)
        return false;
    array->items = items;
    array->capacity = array->count;
    return true;
}

static bool indices_cut(mesh_index_array *array, const tact_allocator *allocator)
{
    if (array->count == 0)
        mesh_index_array_release(array, allocator);
    if (array->count == array->capacity)
        return true;
    uint32_t *items = tact_memory_resize(allocator, array->items, array->capacity, array->count, sizeof *items);
    if (!items)
        return false;
    array->items = items;
    array->capacity = array->count;
    return true;
}

bool tact_mesh_build_finish(mesh_build *build, mesh_file *mesh)
{
    const tact_allocator *allocator = build->source->allocator;
    /* Growing looks at the limits only when it makes room, and may have made more than they allow. */
    if (mesh_build_vertex_count(build) > UINT32_MAX)
        return fail_vertices(build);
    if (build->corners.count > UINT32_MAX)
        return fail_corners(build);
    if (!numbers_cut(&build->numbers, allocator) || !indices_cut(&build->corners, allocator) ||
        !indices_cut(&build->firsts, allocator))
        return tact_mesh_source_out_of_memory(build->source);
    *mesh = (mesh_file){
        .vertices = build->numbers.items,
        .vertex_count = mesh_build_vertex_count(build),
        .corners = build->corners.items,
        .corner_count = build->corners.count,
        .face_first = build->firsts.items,
        .face_count = build->firsts.count - 1,
        .part_count = build->part_count,
        .skipped_count = build->skipped_count,
        .format = build->format,
        .allocator = *allocator,
    };
    *build = (mesh_build){.source = build->source};
    return true;
}

void tact_mesh_build_release(mesh_build *build)
{
    mesh_number_array_release(&build->numbers, build->source->allocator);
    mesh_index_array_release(&build->corners, build->source->allocator);
    mesh_index_array_release(&build->firsts, build->source->allocator);
}
