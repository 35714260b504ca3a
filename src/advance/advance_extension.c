/* The functions that the world calls when its bodies change: see world/extension.h. */
#include "advance/contact_step.h"

static void release(tact_world *world) { tact_advance_free(world->advance, &world->allocator); }

static void body_changed(tact_world *world, uint32_t index, body_change what)
{
    if (what == BODY_CHANGE_TRANSFORM)
        tact_motion_plan_transform_set(world, index);
    if (world->advance != NULL)
        tact_contact_body_changed(world, index, what != BODY_CHANGE_MOTION);
    if (what == BODY_CHANGE_MASS && world->advance != NULL)
        tact_prediction_set_all_apart(world->advance, index); /* what it overlaps is to be resolved */
    if (what == BODY_CHANGE_MOTION)
        tact_advance_mark_motion_changed(world, index);
    else
        tact_advance_mark_changed(world, index);
}

const world_extension tact_advance_extension = {.release = release,
                                                .before_body_change = tact_advance_sync_body,
                                                .body_changed = body_changed,
                                                .before_body_removal = tact_advance_remove_body,
                                                .body_transform = tact_advance_transform,
                                                .body_motion = tact_advance_motion,
                                                .reported_motion = tact_advance_reported_motion,
                                                .sync_transforms = tact_advance_sync_all};
