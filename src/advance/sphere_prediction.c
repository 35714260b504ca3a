/*
 * Predictions in closed form: two spheres in uniform motion; a sphere and a face of a box at rest.
 *
 * Two spheres usually have no stored prediction: computing it is cheaper than looking it up (sphere_sphere.h). They
 * have one once they were reported and still approach, or were reported often at one time. Then also their
 * separation is predicted, late enough that the spheres are apart despite all rounding errors, that of the time
 * included.
 *
 * In front of a face the distance of a sphere is linear in time: no search is needed. The case applies if the sphere
 * moves away from the face, meets it within its boundary, or does not meet it before the horizon. Its time is computed
 * from the start of the motion, not from now: predictions made at different times agree to the last bit.
 */
#include <float.h>
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/pair_query.h"
#include "advance/sphere_sphere.h"
#include "core/number.h"
#include "shape/shape_data.h"

void tact_prediction_update_spheres(const body_motion *a, const body_motion *b, double now, bool changed,
                                    pair_prediction *r)
{
    const moving_sphere one = moving_sphere_at(a, now);
    const sphere_pair q = sphere_pair_at(&one, b, now);
    const double deep = sphere_pair_depth_limit(&q),
                 root = sqrt(number_max(q.approach * q.approach - q.speed * q.gap, 0.0));
    const bool overlapped = pair_overlaps(r->state);
    bool overlaps =
        overlapped && !(q.gap > deep || (q.gap >= -deep && (q.approach >= 0.0 ||
                                                            (changed && !tact_prediction_reported_too_often(r, now)))));
    r->time = r->valid_until = INFINITY;
    if (!overlaps) {
        r->time = now + spheres_time_of_impact(&one, b, now, INFINITY);
        /* the same touch, if they pass through each other within one ulp of the time */
        overlaps = r->time == now && ((overlapped && !changed) || tact_prediction_reported_too_often(r, now));
    }
    (void)pair_observe(r, overlaps ? PAIR_SEES_OVERLAP : PAIR_SEES_NO_OVERLAP);
    if (overlaps && q.speed > 0.0) {
        /* gap + 2 approach t + speed t^2 = clear, where clear exceeds all rounding errors */
        const double clear = 4.0 * q.noise + 8.0 * DBL_EPSILON * fabs(now) * root;
        const double out = sqrt(number_max(q.approach * q.approach - q.speed * (q.gap - clear), 0.0)) - q.approach;
        r->time = number_max(now + out / q.speed, nextafter(now, INFINITY));
    }
    if (!(r->time < INFINITY))
        return;
    const tact_vec3 pa = vec_mul_add(a->origin, r->time - a->start_time, a->velocity);
    const tact_vec3 d = vec_sub(vec_mul_add(b->origin, r->time - b->start_time, b->velocity), pa);
    const double length = vec_length_safe(d);
    r->normal = length > 0.0 ? vec_scale(d, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
    r->point = vec_mul_add(pa, a->sphere_radius, r->normal);
}

bool tact_prediction_update_sphere_face(const body_motion *const hot[2], const body_motion_cold *const cold[2],
                                        bool changed, double now, double horizon, pair_prediction *r)
{
    const int sphere = hot[0]->sphere_radius >= 0.0 ? 0 : 1, wall = 1 - sphere;
    const tact_shape *shape = cold[wall]->shape;
    const tact_transform *transform = &cold[wall]->transform;
    const bool overlaps = pair_overlaps(r->state);
    if (!(hot[sphere]->sphere_radius > 0.0) || cold[wall]->moves || shape->type != TACT_BOX || shape->margin != 0.0 ||
        (overlaps && r->version != 0 && !changed))
        return false;
    const tact_vec3 axes[3] = {transform->x_axis, transform->y_axis, transform->z_axis};
    for (int k = 0; k < 3; ++k)
        if (vec_length_squared(axes[k]) != 1.0 || vec_dot(axes[k], axes[(k + 1) % 3]) != 0.0)
            return false; /* scaled, sheared, or rotated so that the axes are rounded */
    const double half[3] = {shape->half_extents.x, shape->half_extents.y, shape->half_extents.z};
    const double radius = hot[sphere]->sphere_radius, start = max_double(hot[0]->start_time, hot[1]->start_time);
    const double clear = SEPARATION_DISTANCE * number_min(radius, vec_max_abs(shape->half_extents));
    const tact_vec3 v = hot[sphere]->velocity;
    const tact_vec3 at = vec_sub(body_motion_origin(hot[sphere], cold[sphere], now), hot[wall]->origin);
    const tact_vec3 began = vec_sub(body_motion_origin(hot[sphere], cold[sphere], start), hot[wall]->origin);
    for (int k = 0; k < 3; ++k) {
        const double x = vec_dot(axes[k], at), side = x < 0.0 ? -1.0 : 1.0, speed = side * vec_dot(axes[k], v);
        const double gap = side * x - half[k] - radius;
        if (gap < (overlaps ? -clear : -TOUCH_TOLERANCE / SEPARATION_DISTANCE * clear) ||
            fabs(speed) <= MIN_CLOSING_SPEED * vec_length_safe(v) || (speed < 0.0 && (overlaps || gap <= clear)))
            continue;
        const double time = start + (side * vec_dot(axes[k], began) - half[k] - radius) / -speed;
        r->time = r->valid_until = INFINITY;
        if (speed < 0.0 && time <= now + horizon) {
            const tact_vec3 then = vec_mul_add(began, time - start, v);
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            if (fabs(vec_dot(axes[i], then)) > half[i] || fabs(vec_dot(axes[j], then)) > half[j])
                continue; /* it passes by, or meets an edge */
            r->time = max_double(time, now);
            r->normal = vec_scale(axes[k], sphere == 0 ? -side : side);
            r->point = vec_mul_add(vec_add(hot[wall]->origin, then), -side * radius, axes[k]);
        }
        r->valid_until = now + horizon;
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        r->uncertain_count = 0;
        return true;
    }
    return false;
}
