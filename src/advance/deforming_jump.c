/* Pairs with moving vertices at the time of a jump: see the header. */
#include "advance/deforming_jump.h"

#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/vertex_motion.h"

/* How far the vertices of a body jump now, at most, in each coordinate. */
static double vertices_jump_by(const advance *ad, const body_motion_cold *cold)
{
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(cold->vertices, ad->time);
    const bool some = cold->version_before != 0; /* the others continue */
    const uint32_t end = some ? cold->changed_end : cold->vertices->vertex_count;
    double most = 0.0;
    for (uint32_t i = some ? cold->changed_first : 0; i < end; ++i) {
        const linear_path before = tact_vertex_plan_path_before(&pieces, i);
        const linear_path after = tact_vertex_plan_path(&pieces, i, NULL);
        most =
            max_double(most, vec_max_abs(vec_sub(linear_path_at(&after, ad->time), linear_path_at(&before, ad->time))));
    }
    return most;
}

/* How far a body jumps now, at most, in each coordinate; up to a factor, if it is rigid. */
static double body_jumps_by(const advance *ad, uint32_t index)
{
    const body_motion_cold *cold = &ad->cold.items[index];
    if (!advance_jumps_now(ad, index) || cold->is_surface)
        return 0.0;
    if (body_motion_deforms(cold))
        return vertices_jump_by(ad, cold);
    const tact_transform from = body_jump_transform(&cold->jump_from, ad->time),
                         to = body_motion_transform(&ad->motions.items[index], cold, ad->time);
    const double turn = max_double(
        vec_max_abs(vec_sub(to.x_axis, from.x_axis)),
        max_double(vec_max_abs(vec_sub(to.y_axis, from.y_axis)), vec_max_abs(vec_sub(to.z_axis, from.z_axis))));
    const tact_vec3 origin = body_jump_origin(cold, ad->time);
    return vec_max_abs(vec_sub(to.origin, origin)) + (turn > 0.0 ? turn * body_motion_reach(cold) : 0.0);
}

static double pair_jumps_by(const advance *ad, const uint32_t bodies[2])
{
    return body_jumps_by(ad, bodies[0]) + body_jumps_by(ad, bodies[1]);
}

static double pair_size(const advance *ad, const uint32_t bodies[2])
{
    return max_double(MIN_SIZE, body_motions_smaller_size(&ad->cold.items[bodies[0]], &ad->cold.items[bodies[1]]));
}

/* The shape of a body as it was just before now. Vertices are put there; they are to be brought up to now again. */
static tact_status go_back(tact_world *world, uint32_t index, tact_transform *transform)
{
    advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    *transform = tact_advance_transform(world, index);
    if (!body_motion_deforms(cold)) {
        if (advance_jumps_now(ad, index))
            *transform = body_jump_transform(&cold->jump_from, ad->time);
        return TACT_OK;
    }
    if (cold->is_surface || !advance_jumps_now(ad, index))
        return tact_vertex_motion_sync(world, index);
    const uint32_t count = cold->vertices->vertex_count;
    if (!vec_array_resize(&ad->positions, &world->allocator, count))
        return TACT_OUT_OF_MEMORY;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(cold->vertices, ad->time);
    for (uint32_t i = 0; i < count; ++i) {
        const linear_path before = tact_vertex_plan_path_before(&pieces, i);
        ad->positions.items[i] = linear_path_at(&before, ad->time);
    }
    return tact_deform_sync(world, index, ad->positions.items);
}

/* Whether the bodies were farther apart than the separation distance just before now, margins included. */
static tact_status test_before(tact_world *world, const uint32_t bodies[2], bool *separated)
{
    tact_transform transforms[2];
    tact_status status = go_back(world, bodies[0], &transforms[0]);
    if (status == TACT_OK)
        status = go_back(world, bodies[1], &transforms[1]);
    if (status == TACT_OK) {
        const tact_overlap near = tact_shapes_within(world->bodies.items[bodies[0]].shape, transforms[0],
                                                     world->bodies.items[bodies[1]].shape, transforms[1],
                                                     SEPARATION_DISTANCE * pair_size(world->advance, bodies), NULL);
        *separated = near.state == TACT_MISS;
        status = near.status == TACT_NOT_CONVERGED ? TACT_OK : near.status;
    }
    for (int i = 0; i < 2; ++i) {
        const tact_status back = tact_vertex_motion_sync(world, bodies[i]);
        status = status == TACT_OK ? back : status;
    }
    return status;
}

static bool jumps_are_done(const advance *ad, const deforming_pair *pair)
{
    return pair->jump_batch == ad->batch && pair->jump_time == ad->time;
}

void tact_deforming_end_jumps(const advance *ad, deforming_pair *pair)
{
    pair->jump_batch = ad->batch;
    pair->jump_time = ad->time;
}

tact_status tact_deforming_examine_before_jump(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                               pair_prediction *r)
{
    const advance *ad = world->advance;
    if (!pair_overlaps(r->state) || jumps_are_done(ad, pair) ||
        !(pair_jumps_by(ad, bodies) > SEPARATION_DISTANCE * pair_size(ad, bodies)))
        return TACT_OK;
    bool separated = false;
    const tact_status status = test_before(world, bodies, &separated);
    if (status != TACT_OK)
        return status;
    if (separated)
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
    else
        tact_deforming_end_jumps(ad, pair); /* no contact on the way is a touch */
    return TACT_OK;
}

tact_status tact_deforming_search_jump(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                       pair_prediction *r)
{
    const advance *ad = world->advance;
    r->time = INFINITY;
    /* a shorter jump does not lead through a body that is not near at its end */
    if (jumps_are_done(ad, pair) || !(pair_jumps_by(ad, bodies) > 0.5 * TOUCH_TOLERANCE * pair_size(ad, bodies)))
        return TACT_OK;
    const int first = body_motion_deforms(&ad->cold.items[bodies[0]]) ? 0 : 1;
    if (first == 0 && body_motion_deforms(&ad->cold.items[bodies[1]]))
        return tact_deforming_surfaces_search(world, bodies, ad->time, 0.0, true, r);
    return tact_deforming_shape_jump(world, pair, bodies[1 - first], bodies[first], r);
}
