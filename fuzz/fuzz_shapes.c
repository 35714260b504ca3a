/*
 * Two shapes of any type from bytes, and every stateless query on them: no crash, no hang, no undefined behaviour; a
 * result with status TACT_OK is finite; swapping the shapes changes neither the status nor the answer yes or no.
 */
#include <stdlib.h>

#include "values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool is_finite(tact_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

static bool usable(tact_status status) { return status == TACT_OK || status == TACT_NOT_CONVERGED; }

static void query_pair(const tact_shape *a, tact_transform at_a, const tact_shape *b, tact_transform at_b, values *v)
{
    const tact_overlap overlap = tact_shapes_overlap(a, at_a, b, at_b, NULL);
    const tact_overlap swapped = tact_shapes_overlap(b, at_b, a, at_a, NULL);
    require(overlap.status == swapped.status && overlap.state == swapped.state);
    require((overlap.state == TACT_UNKNOWN) == !usable(overlap.status));

    const tact_distance distance = tact_shapes_distance(a, at_a, b, at_b);
    require(!usable(distance.status) || (distance.distance >= 0.0 && isfinite(distance.distance) &&
                                         is_finite(distance.on_a) && is_finite(distance.on_b)));
    const tact_common_point common = tact_shapes_common_point(a, at_a, b, at_b, NULL);
    require(common.state != TACT_HIT || is_finite(common.point));
    const tact_penetration depth = tact_shapes_penetration(a, at_a, b, at_b);
    require(!usable(depth.status) || (isfinite(depth.depth) && is_finite(depth.normal)));
    (void)tact_shapes_manifold(a, at_a, b, at_b, take_number(v));
    tact_contact_point contacts[8];
    (void)tact_shapes_contacts(a, at_a, b, at_b, take_number(v), contacts, 8);
    tact_intersection segments[8];
    (void)tact_shapes_intersections(a, at_a, b, at_b, segments, 8);

    const tact_motion motion_a = take_motion(v), motion_b = take_motion(v);
    if (v->plain) { /* it takes long for motions of 10^20 turns, and where sizes are that far apart */
        const tact_toi toi = tact_shapes_time_of_impact(a, at_a, motion_a, b, at_b, motion_b, 1.0);
        require(toi.state != TACT_HIT || (toi.time >= 0.0 && toi.time <= 1.0));
        const tact_toi cast = tact_shapes_cast(a, at_a, take_vec(v), b, at_b);
        require(cast.state != TACT_HIT || (cast.time >= 0.0 && cast.time <= 1.0));
    }
}

static void query_one(const tact_shape *a, tact_transform at, values *v)
{
    tact_bounds bounds;
    if (tact_shape_bounds(a, at, &bounds) == TACT_OK)
        require(is_finite(bounds.min) && is_finite(bounds.max));
    tact_vec3 point;
    if (tact_shape_support(a, at, take_vec(v), &point) == TACT_OK)
        require(is_finite(point));
    const tact_vec3 from = take_vec(v), direction = take_vec(v);
    const tact_ray_hit ray = tact_shape_ray(a, at, from, direction, take_number(v));
    require(ray.state != TACT_HIT || (ray.t >= 0.0 && is_finite(ray.point)));
    const tact_closest closest = tact_shape_closest(a, at, from);
    require(!usable(closest.status) || (isfinite(closest.distance) && is_finite(closest.point)));
    (void)tact_shape_contains(a, at, from);
    (void)tact_mesh_check(a);
    const tact_mass mass = tact_mass_from_density(a, at, 1.0);
    require(mass.status != TACT_OK || isfinite(mass.mass));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    values v = {.at = data, .end = data + size, .plain = true};
    v.plain = take_byte(&v) % 2 == 0;
    tact_shape *a = take_shape(&v, 0), *b = take_shape(&v, 0);
    const tact_transform at_a = take_transform(&v), at_b = take_transform(&v);
    query_pair(a, at_a, b, at_b, &v);
    query_one(a, at_a, &v);
    tact_shape_release(a);
    tact_shape_release(b);
    return 0;
}
