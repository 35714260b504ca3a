#include "mesh_file_build.h"

#include <inttypes.h>

static bool fail_vertices(const mesh_build *build)
{
    return tact_mesh_source_fail(build->source, NULL, "has more than %" PRIu32 " vertices", UINT32_MAX);
}

static bool fail_indices(const mesh_build *build)
{
    return tact_mesh_source_fail(build->source, NULL, "has more than %" PRIu32 " face vertices", UINT32_MAX);
}

bool tact_mesh_build_begin(mesh_build *build, const mesh_source *source, const char *format)
{
    *build = (mesh_build){.source = source, .format = format};
    return mesh_index_array_push(&build->face_starts, source->allocator, 0) || tact_mesh_source_out_of_memory(source);
}

bool tact_mesh_build_expect_vertices(mesh_build *build, size_t count)
{
    size_t now = mesh_build_vertex_count(build);
    if (now > UINT32_MAX || count > UINT32_MAX - now)
        return fail_vertices(build);
    return (now + count <= SIZE_MAX / 3 &&
            mesh_number_array_reserve(&build->coordinates, build->source->allocator, 3 * (now + count))) ||
           tact_mesh_source_out_of_memory(build->source);
}

bool tact_mesh_build_expect_faces(mesh_build *build, size_t faces, size_t indices)
{
    if (build->indices.count > UINT32_MAX || indices > UINT32_MAX - build->indices.count)
        return fail_indices(build);
    const tact_allocator *allocator = build->source->allocator;
    return (faces < SIZE_MAX - build->face_starts.count &&
            mesh_index_array_reserve(&build->face_starts, allocator, build->face_starts.count + faces) &&
            mesh_index_array_reserve(&build->indices, allocator, build->indices.count + indices)) ||
           tact_mesh_source_out_of_memory(build->source);
}

bool tact_mesh_build_vertex_grow(mesh_build *build) { return tact_mesh_build_expect_vertices(build, 1); }

bool tact_mesh_build_index_grow(mesh_build *build) { return tact_mesh_build_expect_faces(build, 0, 1); }

bool tact_mesh_build_face_grow(mesh_build *build) { return tact_mesh_build_expect_faces(build, 1, 0); }

/* Shrinks a block of `capacity` items to `count`, or frees it if that is 0. False if the allocator fails. */
static bool block_shrink(void **items, size_t *capacity, size_t count, size_t item_size,
                         const tact_allocator *allocator)
{
    if (count == *capacity)
        return true;
    void *block = NULL;
    if (count == 0)
        tact_memory_free(allocator, *items, *capacity, item_size);
    else if (!(block = tact_memory_resize(allocator, *items, *capacity, count, item_size)))
        return false;
    *items = block;
    *capacity = count;
    return true;
}

static bool indices_shrink(mesh_index_array *array, const tact_allocator *allocator)
{
    void *items = array->items;
    bool done = block_shrink(&items, &array->capacity, array->count, sizeof *array->items, allocator);
    array->items = items;
    return done;
}

static bool coordinates_shrink(mesh_number_array *array, const tact_allocator *allocator)
{
    void *items = array->items;
    bool done = block_shrink(&items, &array->capacity, array->count, sizeof *array->items, allocator);
    array->items = items;
    return done;
}

bool tact_mesh_build_finish(mesh_build *build, mesh_file *mesh)
{
    const tact_allocator *allocator = build->source->allocator;
    /* the limits are checked only on growth, which may reserve more than they allow */
    if (mesh_build_vertex_count(build) > UINT32_MAX)
        return fail_vertices(build);
    if (build->indices.count > UINT32_MAX)
        return fail_indices(build);
    if (!coordinates_shrink(&build->coordinates, allocator) || !indices_shrink(&build->indices, allocator) ||
        !indices_shrink(&build->face_starts, allocator))
        return tact_mesh_source_out_of_memory(build->source);
    *mesh = (mesh_file){
        .vertices = build->coordinates.items,
        .vertex_count = mesh_build_vertex_count(build),
        .indices = build->indices.items,
        .index_count = build->indices.count,
        .face_start = build->face_starts.items,
        .face_count = build->face_starts.count - 1,
        .skipped_count = build->skipped_count,
        .format = build->format,
        .allocator = *allocator,
    };
    *build = (mesh_build){.source = build->source};
    return true;
}

void tact_mesh_build_release(mesh_build *build)
{
    mesh_number_array_release(&build->coordinates, build->source->allocator);
    mesh_index_array_release(&build->indices, build->source->allocator);
    mesh_index_array_release(&build->face_starts, build->source->allocator);
}
