/* Extensions of a world: calls the registered functions. See extension.h. */
#include "world/extension.h"

#include "world/world_internal.h"

/* The extension in a slot, if it has this function; else NULL. */
#define EXTENSION_WITH(world, slot, function)                                                                          \
    ((world)->extensions[slot] != NULL && (world)->extensions[slot]->function != NULL ? (world)->extensions[slot]      \
                                                                                      : NULL)

void tact_world_extend(tact_world *world, world_extension_slot slot, const world_extension *extension)
{
    world->extensions[slot] = extension;
}

void tact_extensions_release(tact_world *world)
{
    for (int i = 0; i < WORLD_EXTENSION_COUNT; ++i) {
        const world_extension *extension = EXTENSION_WITH(world, i, release);
        if (extension != NULL)
            extension->release(world);
    }
}

void tact_extensions_before_body_change(tact_world *world, uint32_t index)
{
    for (int i = 0; i < WORLD_EXTENSION_COUNT; ++i) {
        const world_extension *extension = EXTENSION_WITH(world, i, before_body_change);
        if (extension != NULL)
            extension->before_body_change(world, index);
    }
}

void tact_extensions_body_changed(tact_world *world, uint32_t index, body_change what)
{
    for (int i = 0; i < WORLD_EXTENSION_COUNT; ++i) {
        const world_extension *extension = EXTENSION_WITH(world, i, body_changed);
        if (extension != NULL)
            extension->body_changed(world, index, what);
    }
}

void tact_extensions_before_body_removal(tact_world *world, uint32_t index)
{
    for (int i = 0; i < WORLD_EXTENSION_COUNT; ++i) {
        const world_extension *extension = EXTENSION_WITH(world, i, before_body_removal);
        if (extension != NULL)
            extension->before_body_removal(world, index);
    }
}

bool tact_extensions_allow_remeshing(const tact_world *world)
{
    for (int i = 0; i < WORLD_EXTENSION_COUNT; ++i) {
        const world_extension *extension = EXTENSION_WITH(world, i, allows_remeshing);
        if (extension != NULL && !extension->allows_remeshing(world))
            return false;
    }
    return true;
}

bool tact_extensions_before_vertices_added(tact_world *world, tact_body body, uint32_t count)
{
    for (int i = 0; i < WORLD_EXTENSION_COUNT; ++i) {
        const world_extension *extension = EXTENSION_WITH(world, i, before_vertices_added);
        if (extension != NULL && !extension->before_vertices_added(world, body, count))
            return false;
    }
    return true;
}

tact_transform tact_body_transform_now(const tact_world *world, uint32_t index)
{
    const world_extension *advance = EXTENSION_WITH(world, WORLD_EXTENSION_ADVANCE, body_transform);
    return advance != NULL ? advance->body_transform(world, index) : world->bodies.items[index].transform;
}

tact_motion tact_body_motion_now(const tact_world *world, uint32_t index)
{
    const world_extension *advance = EXTENSION_WITH(world, WORLD_EXTENSION_ADVANCE, body_motion);
    return advance != NULL ? advance->body_motion(world, index) : world->cold.items[index].motion;
}

tact_motion tact_body_reported_motion(const tact_world *world, uint32_t index)
{
    const world_extension *advance = EXTENSION_WITH(world, WORLD_EXTENSION_ADVANCE, reported_motion);
    return advance != NULL ? advance->reported_motion(world, index) : world->cold.items[index].motion;
}

tact_status tact_world_sync_transforms(tact_world *world)
{
    if (world == NULL)
        return TACT_BAD_ARGUMENT;
    const world_extension *advance = EXTENSION_WITH(world, WORLD_EXTENSION_ADVANCE, sync_transforms);
    return advance != NULL ? advance->sync_transforms(world) : TACT_OK;
}
