/* Creation and release of a world, and its settings. */
#include <math.h>

#include "core/memory.h"
#include "dynamics/rigid_body.h"
#include "motion/motion.h"
#include "world/body_motion_plan.h"
#include "world/world_constants.h"
#include "world/world_internal.h"
#include "world/world_state.h"

static bool engine_of(tact_broad_phase requested, broad_engine *engine)
{
    switch (requested) {
    case TACT_BROAD_AUTO:
        *engine = BROAD_AUTO;
        return true;
    case TACT_BROAD_SWEEP_AND_PRUNE:
        *engine = BROAD_SWEEP;
        return true;
    case TACT_BROAD_TREE:
        *engine = BROAD_TREE;
        return true;
    }
    return false;
}

static bool is_kinetic(tact_kinetic requested)
{
    return requested == TACT_KINETIC_AUTO || requested == TACT_KINETIC_SWEEP_AND_PRUNE ||
           requested == TACT_KINETIC_FAT_BOUNDS;
}

tact_world *tact_world_create(const tact_world_def *def)
{
    const tact_world_def defaults = {0};
    broad_engine engine;
    if (def == NULL)
        def = &defaults;
    if (!engine_of(def->broad_phase, &engine) || !is_kinetic(def->kinetic) ||
        !(def->contact_step == 0.0 || def->contact_step >= MIN_CONTACT_STEP) || !(def->contact_step < INFINITY) ||
        !vec_finite(def->gravity) || !(vec_max_abs(def->gravity) <= MOTION_MAX_VALUE))
        return NULL;
    tact_world *world = tact_memory_allocate(&def->allocator, 1, sizeof *world);
    if (world == NULL)
        return NULL;
    *world = (tact_world){.allocator = def->allocator,
                          .parallel = def->parallel,
                          .caching = !def->uncached,
                          .contact_step = def->contact_step > 0.0 ? def->contact_step : WORLD_DEFAULT_CONTACT_STEP,
                          .gravity = def->gravity,
                          .never_sleeps = def->never_sleeps,
                          .kinetic = def->kinetic};
    if (tact_broad_create(&world->allocator, engine, &world->broad) != TACT_OK) {
        tact_memory_free(&def->allocator, world, 1, sizeof *world);
        return NULL;
    }
    return world;
}

void tact_world_release(tact_world *world)
{
    if (world == NULL)
        return;
    if (!world->release_pending)
        WORLD_NOTIFY(world, .type = CALL_RELEASE);
    if (world->testing) {
        world->release_pending = true;
        return;
    }
    if (world->observer != NULL)
        world->observer->world_released(world->observer);
    for (size_t i = 0; i < world->bodies.count; ++i)
        if (world->bodies.items[i].flags & BODY_ALIVE) {
            tact_shape_release(world->bodies.items[i].shape);
            tact_shape_release(world->cold.items[i].previous_shape);
            tact_deform_free(world->cold.items[i].deform);
            tact_rigid_body_free(world->cold.items[i].rigid, &world->allocator);
            tact_body_drop_motion_plan(world, (uint32_t)i);
            tact_body_drop_vertex_plan(world, (uint32_t)i);
        }
    tact_allocator allocator = world->allocator;
    tact_broad_release(world->broad);
    tact_extensions_release(world);
    world_body_array_release(&world->bodies, &allocator);
    world_body_cold_array_release(&world->cold, &allocator);
    body_index_array_release(&world->moved, &allocator);
    body_index_array_release(&world->self_colliding, &allocator);
    pair_result_array_release(&world->pair_results, &allocator);
    self_test_array_release(&world->self_tests, &allocator);
    cached_axis_array_release(&world->axes, &allocator);
    box_array_release(&world->element_boxes, &allocator);
    intersection_array_release(&world->intersections, &allocator);
    contact_point_array_release(&world->contact_points, &allocator);
    tact_phases_release(&world->phases, &allocator);
    tact_response_table_release(&world->classes, &allocator);
    tact_response_table_release(&world->pairs, &allocator);
    tact_memory_free(&allocator, world, 1, sizeof *world);
}

size_t tact_world_body_count(const tact_world *world) { return world != NULL ? world->count : 0; }

tact_status tact_world_set_broad_phase(tact_world *world, tact_broad_phase requested)
{
    broad_engine engine;
    if (world == NULL || !engine_of(requested, &engine))
        return TACT_BAD_ARGUMENT;
    tact_status status = tact_broad_set_engine(world->broad, engine);
    if (status == TACT_OK)
        WORLD_NOTIFY(world, .type = CALL_SET_BROAD_PHASE, .setting = (uint32_t)requested);
    return status;
}

tact_status tact_world_set_kinetic(tact_world *world, tact_kinetic requested)
{
    if (world == NULL || !is_kinetic(requested))
        return TACT_BAD_ARGUMENT;
    world->kinetic = requested; /* takes effect with the next call that advances time */
    WORLD_NOTIFY(world, .type = CALL_SET_KINETIC, .setting = (uint32_t)requested);
    return TACT_OK;
}

tact_status tact_world_set_progress(tact_world *world, tact_progress progress)
{
    if (world == NULL)
        return TACT_BAD_ARGUMENT;
    world->progress = progress;
    return TACT_OK;
}

tact_status tact_world_set_caching(tact_world *world, bool on)
{
    if (world == NULL)
        return TACT_BAD_ARGUMENT;
    world->caching = on;
    WORLD_NOTIFY(world, .type = CALL_SET_CACHING, .setting = on);
    return TACT_OK;
}

tact_broad_phase tact_world_get_broad_phase(const tact_world *world)
{
    return world != NULL ? tact_world_get_state(world).broad : TACT_BROAD_AUTO;
}

tact_kinetic tact_world_get_kinetic(const tact_world *world)
{
    return world != NULL ? world->kinetic : TACT_KINETIC_AUTO;
}

bool tact_world_get_caching(const tact_world *world) { return world != NULL && world->caching; }

call_observer *tact_world_get_observer(const tact_world *world) { return world->observer; }

void tact_world_set_observer(tact_world *world, call_observer *observer) { world->observer = observer; }

void tact_world_set_motion_observer(tact_world *world, motion_observer *observer) { world->motion_observer = observer; }

bool tact_world_is_testing(const tact_world *world) { return world->testing; }
