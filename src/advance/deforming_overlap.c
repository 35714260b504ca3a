/* Overlapping pairs with moving vertices: see the header. */
#include "advance/deforming_overlap.h"

#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"

/* Brings the shapes of both bodies up to now. */
static tact_status sync_shapes(tact_world *world, const uint32_t bodies[2], tact_transform transforms[2])
{
    for (int i = 0; i < 2; ++i) {
        const tact_status status = tact_vertex_motion_sync(world, bodies[i]);
        if (status != TACT_OK)
            return status;
        transforms[i] = tact_advance_transform(world, bodies[i]);
    }
    return TACT_OK;
}

tact_status tact_deforming_test_overlap(tact_world *world, const uint32_t bodies[2], deforming_pair *pair)
{
    tact_transform transforms[2];
    const tact_status status = sync_shapes(world, bodies, transforms);
    if (status != TACT_OK)
        return status;
    const tact_common_point found = tact_shapes_common_point(world->bodies.items[bodies[0]].shape, transforms[0],
                                                             world->bodies.items[bodies[1]].shape, transforms[1], NULL);
    pair->overlaps_at_start = found.state == TACT_HIT;
    pair->point = found.point;
    pair->overlapping[0] = found.part_a;
    pair->overlapping[1] = found.part_b;
    return found.status == TACT_NOT_CONVERGED ? TACT_OK : found.status;
}

/* The sum of the distances of surfaces from the triangles that move, margins included. */
static double surface_reach(const advance *ad, const uint32_t bodies[2])
{
    return surface_motion_reach(&ad->cold.items[bodies[0]]) + surface_motion_reach(&ad->cold.items[bodies[1]]);
}

tact_status tact_deforming_search_contact(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], double end,
                                          double wider, pair_prediction *r)
{
    const advance *ad = world->advance;
    const int first = body_motion_deforms(&ad->cold.items[bodies[0]]) ? 0 : 1;
    if (first == 0 && body_motion_deforms(&ad->cold.items[bodies[1]]))
        return tact_deforming_surfaces_search(world, bodies, end, wider, r);
    return tact_deforming_shape_search(world, pair, bodies[1 - first], bodies[first], end, wider, r);
}

/* Whether the bodies are farther apart than the separation distance now. With a surface or a margin, also by the
 * triangles of the window: else they would be found in contact again at once. */
static tact_status test_separation(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], bool *separated)
{
    const advance *ad = world->advance;
    tact_transform transforms[2];
    const tact_status status = sync_shapes(world, bodies, transforms);
    if (status != TACT_OK)
        return status;
    const double size =
        max_double(MIN_SIZE, body_motions_smaller_size(&ad->cold.items[bodies[0]], &ad->cold.items[bodies[1]]));
    const tact_overlap near =
        tact_shapes_within(world->bodies.items[bodies[0]].shape, transforms[0], world->bodies.items[bodies[1]].shape,
                           transforms[1], SEPARATION_DISTANCE * size, NULL);
    *separated = near.state == TACT_MISS;
    if (near.status != TACT_OK && near.status != TACT_NOT_CONVERGED)
        return near.status;
    const double reach = surface_reach(ad, bodies);
    if (!*separated || !(reach > 0.0))
        return TACT_OK;
    pair_prediction contact = {.time = INFINITY};
    const double wider = SEPARATION_DISTANCE * size + SURFACE_SEPARATION * reach;
    const tact_status found = tact_deforming_search_contact(world, pair, bodies, ad->time, wider, &contact);
    *separated = contact.time == INFINITY;
    return found;
}

tact_status tact_deforming_examine_overlap(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                           double end, pair_prediction *r)
{
    const double now = world->advance->time;
    const double span = end < INFINITY ? end - now : 1.0;
    const bool just_reported = r->state == PAIR_TOUCHING || pair->interval == 0.0;
    pair->interval = just_reported ? SEPARATION_DISTANCE * span : fmin(2.0 * pair->interval, DBL_MAX);
    pair->next_examination = max_double(now + pair->interval, nextafter(now, INFINITY));
    if (just_reported)
        return TACT_OK;
    bool separated;
    const tact_status status = test_separation(world, pair, bodies, &separated);
    if (status == TACT_OK && separated)
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
    return status;
}
