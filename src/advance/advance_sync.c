/* Transforms and motions of now: for queries of the world, and for its broad phase. */
#include <math.h>

#include "advance/contact_step.h"
#include "advance/vertex_motion.h"
#include "dynamics/rigid_body.h"
#include "world/body_bounds.h"

/* Whether a body follows a motion. Else it is where the world says. */
static bool follows_motion(const tact_world *world, uint32_t index)
{
    return advance_has_motion(world->advance, index) && world->advance->cold.items[index].moves;
}

tact_transform tact_advance_motion_transform(const tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    if (!ad->caches || !contact_body_is_awake(&ad->contacts, index))
        return body_motion_transform(&ad->motions.items[index], cold, ad->time);
    contact_body *body = &ad->contacts.bodies.items[index];
    if (body->cached_version != cold->version || body->cached_time != ad->time) {
        body->cached = body_motion_transform(&ad->motions.items[index], cold, ad->time);
        body->cached_version = cold->version;
        body->cached_time = ad->time;
    }
    return body->cached;
}

tact_transform tact_advance_transform(const tact_world *world, uint32_t index)
{
    if (!follows_motion(world, index))
        return world->bodies.items[index].transform;
    const body_motion_cold *cold = &world->advance->cold.items[index];
    tact_transform transform = tact_advance_motion_transform(world, index);
    transform.origin = tact_transform_point(transform, vec_negate(cold->pivot));
    return transform;
}

tact_motion tact_advance_motion(const tact_world *world, uint32_t index)
{
    if (!follows_motion(world, index))
        return world->cold.items[index].motion;
    const advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    const tact_transform transform = tact_advance_motion_transform(world, index);
    tact_motion motion = body_motion_motion(&ad->motions.items[index], cold, ad->time);
    if (cold->rotation_expiry < INFINITY && !body_motion_deforms(cold) &&
        contact_body_is_free(&ad->contacts, index)) /* the spin of a rotation piece is a mean */
        motion.spin = tact_mass_properties_angular_velocity(&world->cold.items[index].rigid->properties, &transform,
                                                            cold->momentum, &cold->transform, cold->motion.spin,
                                                            ad->time - ad->motions.items[index].start_time);
    const tact_vec3 arm = tact_transform_vector(transform, vec_negate(cold->pivot));
    motion.velocity = vec_add(motion.velocity, vec_cross(motion.spin, arm));
    motion.acceleration =
        world->cold.items[index].motion.acceleration; /* without gravity, or the lack of it in contact */
    motion.pivot = world->cold.items[index].motion.pivot;
    return motion;
}

tact_motion tact_advance_reported_motion(const tact_world *world, uint32_t index)
{
    tact_motion motion = tact_advance_motion(world, index);
    if (index >= world->advance->contacts.bodies.count ||
        world->advance->contacts.bodies.items[index].state != CONTACT_AWAKE)
        return motion;
    const tact_vec3 arm = tact_transform_vector(tact_advance_transform(world, index),
                                                vec_negate(world->cold.items[index].rigid->properties.centre));
    const tact_vec3 velocity = tact_contact_body_velocity_now(world, index, &motion.spin);
    motion.velocity = vec_add(velocity, vec_cross(motion.spin, arm));
    return motion;
}

void tact_advance_sync_body(tact_world *world, uint32_t index)
{
    if (!follows_motion(world, index))
        return;
    const tact_transform transform = tact_advance_transform(world, index);
    world->cold.items[index].motion = tact_advance_motion(world, index);
    world->bodies.items[index].transform = transform;
    world->advance->cold.items[index].broad_outdated = true;
}

/* Brings a body and its proxy in the broad phase up to now. */
static tact_status sync_proxy(tact_world *world, uint32_t index)
{
    if (world->cold.items[index].vertex_plan != NULL) {
        const tact_status moved = tact_vertex_motion_sync(world, index);
        if (moved == TACT_OK)
            world->advance->cold.items[index].broad_outdated = false;
        return moved;
    }
    world_body *body = &world->bodies.items[index];
    const tact_transform transform = tact_advance_transform(world, index);
    const double *radius = body->flags & BODY_FIXED_BOUNDS ? &world->cold.items[index].bounding_radius : NULL;
    box fitted;
    tact_status status = tact_body_box(body->shape, &transform, radius, &fitted);
    if (status == TACT_OK)
        status = tact_body_move_proxy(world, index, &fitted);
    if (status != TACT_OK)
        return status;
    tact_advance_sync_body(world, index);
    world->advance->cold.items[index].broad_outdated = false;
    tact_body_mark_moved(world, index);
    return TACT_OK;
}

tact_status tact_advance_sync_quietly(tact_world *world)
{
    tact_status status = TACT_OK;
    for (size_t i = 0; i < world->advance->motions.count && status == TACT_OK; ++i)
        if (world->bodies.items[i].flags & BODY_ALIVE &&
            (follows_motion(world, (uint32_t)i) || world->advance->cold.items[i].broad_outdated))
            status = sync_proxy(world, (uint32_t)i);
    if (status == TACT_OK)
        world->advance->synced_at = world->advance->time;
    return status;
}

tact_status tact_advance_sync_all(tact_world *world)
{
    if (!advance_is_outdated(world))
        return TACT_OK;
    const tact_status status = tact_advance_sync_quietly(world);
    if (status == TACT_OK)
        WORLD_NOTIFY(world, .type = CALL_SYNC_TRANSFORMS);
    return status;
}
