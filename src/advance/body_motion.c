/*
 * Motions of bodies and their fat bounds.
 *
 * A fat bound is a sphere or a box in which the body stays until its expiry: the body enlarged by a margin. A large
 * margin means few expiries and many neighbours, a small one the opposite: margins adapt until a bound has some five to
 * sixteen neighbours. A sphere in uniform motion has a spherical bound ahead of itself; other bodies have a box about
 * the origin.
 *
 * Guarantee: the body is within its bound until its expiry, rounding included: expiries come early by EXPIRY_ROUNDOFF,
 * boxes are enlarged by the same. An expiry is always after now, however fast the body is: else its margin grows.
 */
#include "advance/body_motion.h"

#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "advance/deforming_pair.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/number.h"
#include "dynamics/rigid_body.h"
#include "math/quadratic.h"
#include "motion/motion.h"
#include "shape/centred_shape.h"
#include "world/body_bounds.h"

/* ---- expiry ---- */

/* The time at which h(t) = x + v t + a t^2 / 2 falls to 0, where x < 0 counts as 0; INFINITY: never. Early by
 * EXPIRY_ROUNDOFF. Where the minimum of h is 0 within rounding error, the answer is its time or INFINITY. If INFINITY,
 * h stays above -2e-15 x: sqrt(2 a x) is computed with a relative error of at most 7e-16 in any rounding mode. */
static double time_below_zero(double x, double v, double a)
{
    return quadratic_first_root_wide(number_max(x, 0.0), v, a) * (1.0 - EXPIRY_ROUNDOFF);
}

/* The time at which a coordinate leaves [low, high]. `deviation`: how far it may be from `x` now; it grows at `speed`.
 */
static double time_to_leave(double low, double x, double high, double v, double a, double deviation, double speed)
{
    return number_min(time_below_zero(x - low - deviation, v - speed, a),
                      time_below_zero(high - x - deviation, -v - speed, -a));
}

/* The earliest time at which the origin leaves the box [low, high], or the motion expires; INFINITY: never. */
static double box_expiry(const body_motion *hot, const body_motion_cold *cold, tact_vec3 low, tact_vec3 high,
                         double now)
{
    const tact_vec3 at = body_motion_origin(hot, cold, now), v = body_motion_motion(hot, cold, now).velocity,
                    a = cold->motion.acceleration;
    const double speed = cold->plan != NULL ? cold->plan->plan.max_deviation_speed : 0.0;
    const double deviation = cold->plan != NULL ? motion_plan_deviation(cold->plan, now) : 0.0;
    const double x = time_to_leave(low.x, at.x, high.x, v.x, a.x, deviation, speed);
    const double y = time_to_leave(low.y, at.y, high.y, v.y, a.y, deviation, speed);
    const double z = time_to_leave(low.z, at.z, high.z, v.z, a.z, deviation, speed);
    return number_min(body_motion_known_until(cold), now + number_min(x, number_min(y, z)));
}

/* The earliest time at which the origin of a sphere leaves the ball of this radius, or the motion expires; INFINITY:
 * never. Rounding of the position then is covered by GRID_RADIUS_MARGIN, by which the bound is larger. */
static double sphere_expiry(const body_motion *hot, const body_motion_cold *cold, const float centre[3], double radius,
                            double now)
{
    const tact_vec3 c = {(double)centre[0], (double)centre[1], (double)centre[2]};
    const tact_vec3 d = vec_sub(vec_mul_add(hot->origin, now - hot->start_time, hot->velocity), c);
    const double b = vec_dot(d, hot->velocity), v = vec_length_squared(hot->velocity),
                 gap = number_max(radius * radius - vec_length_squared(d), 0.0);
    /* d^2 + 2 b t + v t^2 = radius^2 */
    const double t = quadratic_first_root(gap, -2.0 * b, -2.0 * v) * (1.0 - EXPIRY_ROUNDOFF);
    return number_min(body_motion_known_until(cold), v > 0.0 ? now + t : INFINITY);
}

/* ---- extents and shape ---- */

tact_status tact_body_motion_compute_extents(const tact_shape *shape, body_motion_cold *cold)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    double reach = 0.0;
    tact_bounds around;
    tact_transform centred = cold->transform;
    centred.origin = zero;
    const bool turns = !vec_equal(cold->motion.spin, zero);
    if (turns && tact_body_bounding_radius(shape, &reach) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (tact_body_extents(shape, &centred, turns ? &reach : NULL, &around) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    cold->extent_min = around.min;
    cold->extent_max = around.max;
    return TACT_OK;
}

/* Whether the linear part is a rotation or reflection, up to rounding. */
static bool is_orthonormal(const tact_transform *t)
{
    return fabs(vec_length_squared(t->x_axis) - 1.0) <= MAX_ROTATION_ERROR &&
           fabs(vec_length_squared(t->y_axis) - 1.0) <= MAX_ROTATION_ERROR &&
           fabs(vec_length_squared(t->z_axis) - 1.0) <= MAX_ROTATION_ERROR &&
           fabs(vec_dot(t->x_axis, t->y_axis)) <= MAX_ROTATION_ERROR &&
           fabs(vec_dot(t->y_axis, t->z_axis)) <= MAX_ROTATION_ERROR &&
           fabs(vec_dot(t->z_axis, t->x_axis)) <= MAX_ROTATION_ERROR;
}

/* The radius of a sphere about the origin; else NOT_A_SPHERE. Its orientation is ignored: by MAX_ROTATION_ERROR the
 * error of a distance is less than a tenth of the touch tolerance. */
static double sphere_radius_of(const tact_shape *shape, const tact_transform *t)
{
    const tact_vec3 up = {1.0, 0.0, 0.0};
    tact_vec3 top;
    if (tact_shape_get_type(shape) != TACT_SPHERE || !is_orthonormal(t) ||
        tact_shape_support(shape, tact_identity(), up, &top) != TACT_OK)
        return NOT_A_SPHERE;
    return top.x > MIN_SPHERE_VALUE && top.x < MAX_SPHERE_VALUE ? top.x : NOT_A_SPHERE;
}

/* Makes the axes of a sphere orthonormal again, to a few units of roundoff: each rotation adds some, and after 10^5 of
 * them MAX_ROTATION_ERROR would be exceeded. One Newton step towards the nearest rotation: M (3 - M^T M) / 2. */
static void orthonormalise(tact_transform *t)
{
    const tact_vec3 x = t->x_axis, y = t->y_axis, z = t->z_axis;
    const double xx = 0.5 * (1.0 - vec_length_squared(x)), yy = 0.5 * (1.0 - vec_length_squared(y)),
                 zz = 0.5 * (1.0 - vec_length_squared(z));
    const double xy = -0.5 * vec_dot(x, y), yz = -0.5 * vec_dot(y, z), zx = -0.5 * vec_dot(z, x);
    t->x_axis = vec_add(x, vec_mul_add(vec_mul_add(vec_scale(x, xx), xy, y), zx, z));
    t->y_axis = vec_add(y, vec_mul_add(vec_mul_add(vec_scale(y, yy), xy, x), yz, z));
    t->z_axis = vec_add(z, vec_mul_add(vec_mul_add(vec_scale(z, zz), zx, x), yz, y));
}

static bool is_between(tact_vec3 low, tact_vec3 x, tact_vec3 high)
{
    return low.x <= x.x && x.x <= high.x && low.y <= x.y && x.y <= high.y && low.z <= x.z && x.z <= high.z;
}

/* Whether the origin may be at x without leaving the bound. */
static bool is_within_margin(const body_motion_cold *cold, tact_vec3 x)
{
    const tact_vec3 c = {(double)cold->bound_centre[0], (double)cold->bound_centre[1], (double)cold->bound_centre[2]};
    return cold->spherical_bound ? vec_length_squared(vec_sub(x, c)) <= cold->origin_radius * cold->origin_radius
                                 : is_between(cold->origin_min, x, cold->origin_max);
}

/* The expiry of a body in the bound that it has. */
static double bound_expiry(const body_motion *hot, const body_motion_cold *cold, double now)
{
    return cold->spherical_bound ? sphere_expiry(hot, cold, cold->bound_centre, cold->origin_radius, now)
                                 : box_expiry(hot, cold, cold->origin_min, cold->origin_max, now);
}

/* Begins a rotation piece of a free body now, from its momentum and its spin up to now. */
static void begin_rotation_piece(const rigid_body *r, body_motion_cold *cold, double now)
{
    double duration;
    cold->motion.spin = tact_mass_properties_rotation_piece(&r->properties, &cold->transform, cold->momentum,
                                                            cold->motion.spin, INFINITY, &duration);
    cold->rotation_expiry = now + duration;
}

/* ---- the motion of a body ---- */

tact_status tact_body_motion_set_shape(const tact_world *world, uint32_t index, body_motion_cold *cold)
{
    const world_body_cold *rest = &world->cold.items[index];
    const tact_shape *shape = world->bodies.items[index].shape;
    const bool has_pivot = rest->rigid == NULL && motion_has_pivot(&rest->motion);
    const tact_vec3 pivot = rest->rigid != NULL ? rest->rigid->properties.centre
                            : has_pivot         ? rest->motion.pivot
                                                : vec_make(0.0, 0.0, 0.0);
    cold->needs_refit = cold->needs_refit || has_pivot; /* the extents are others, as a rule */
    if (has_pivot && cold->centred != NULL && cold->centred_from == shape && vec_equal(cold->pivot, pivot))
        return TACT_OK;
    tact_shape *centred = NULL;
    tact_status status = TACT_OK;
    if (has_pivot)
        centred = tact_shape_centred(shape, pivot, &world->allocator, &status);
    if (status != TACT_OK)
        return status;
    tact_shape_release(cold->centred);
    cold->centred = centred;
    cold->centred_from = shape;
    cold->shape = rest->rigid != NULL ? rest->rigid->centred : has_pivot ? centred : shape;
    cold->pivot = pivot;
    return TACT_OK;
}

/* Copies from the world what does not depend on time. */
static void copy_body_data(const tact_world *world, uint32_t index, body_motion_cold *cold)
{
    const world_body_cold *rest = &world->cold.items[index];
    cold->serial = world->bodies.items[index].serial;
    cold->plan = rest->motion_plan;
    cold->vertices = rest->vertex_plan;
    cold->is_surface = rest->vertex_plan != NULL && rest->deform->nurbs != NULL;
    cold->sweeps_jumps = !cold->is_surface || world->bodies.items[index].flags & BODY_FEATURE_EVENTS;
    cold->vertex_margin =
        rest->vertex_plan != NULL && !cold->is_surface ? world->bodies.items[index].shape->margin : 0.0;
    if (!cold->is_surface) {
        tact_surface_window_release(cold->surface);
        cold->surface = NULL;
    }
    cold->poll_interval = rest->poll_interval;
}

tact_vec3 tact_body_total_acceleration(const tact_world *world, uint32_t index)
{
    const tact_vec3 own = world->cold.items[index].motion.acceleration;
    return world->cold.items[index].rigid != NULL ? vec_add(own, world->gravity) : own;
}

/* Copies transform and motion from the world, about the pivot, or the centre of mass of a body that has a mass. */
static void copy_motion(const tact_world *world, uint32_t index, body_motion_cold *cold)
{
    const rigid_body *r = world->cold.items[index].rigid;
    cold->transform = world->bodies.items[index].transform;
    cold->motion = world->cold.items[index].motion;
    cold->rotation_expiry = INFINITY;
    cold->motion = motion_about_pivot(&cold->motion, &cold->transform);
    if (r == NULL)
        return;
    const tact_vec3 arm = tact_transform_vector(cold->transform, r->properties.centre);
    cold->transform.origin = vec_add(cold->transform.origin, arm);
    cold->motion.velocity = vec_add(cold->motion.velocity, vec_cross(cold->motion.spin, arm));
    if (!contact_body_is_free(&world->advance->contacts, index)) {
        cold->motion.acceleration = vec_make(0.0, 0.0, 0.0); /* constant velocity and spin until the next step */
        if (world->advance->contacts.bodies.items[index].state == CONTACT_AWAKE)
            cold->rotation_expiry = tact_contact_next_step(world);
        return;
    }
    cold->motion.acceleration = tact_body_total_acceleration(world, index);
    if (!r->properties.rotates)
        return;
    const sym3 inertia = tact_mass_properties_inertia(&r->properties, &cold->transform);
    cold->momentum = sym3_mul(&inertia, cold->motion.spin);
    begin_rotation_piece(r, cold, world->advance->time);
}

static bool is_zero(tact_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Neither too slow nor too fast for the closed forms of spheres. */
static bool is_moderate(tact_vec3 velocity)
{
    const double square = vec_length_squared(velocity);
    return square >= MIN_SPHERE_VALUE * MIN_SPHERE_VALUE && square <= MAX_SPHERE_VALUE * MAX_SPHERE_VALUE;
}

/* Uniform motion for which the closed forms of spheres hold. */
static bool is_uniform(const tact_motion *motion)
{
    return is_zero(motion->acceleration) && (is_moderate(motion->velocity) || is_zero(motion->velocity));
}

/* A body has begun a motion: notifies the observer of motions. */
static void notify_motion(const tact_world *world, uint32_t index)
{
    const body_motion *hot = &world->advance->motions.items[index];
    const body_motion_cold *cold = &world->advance->cold.items[index];
    if (world->motion_observer == NULL)
        return;
    const observed_motion motion = {.time = hot->start_time,
                                    .pivot = cold->pivot,
                                    .origin = hot->origin,
                                    .velocity = hot->velocity,
                                    .acceleration = cold->motion.acceleration,
                                    .spin = cold->motion.spin,
                                    .transform = cold->transform};
    world->motion_observer->motion_begins(world->motion_observer, body_handle(world, index),
                                          world->cold.items[index].user, &motion);
}

double tact_body_motion_sphere_radius(const body_motion_cold *cold)
{
    const double radius = body_motion_is_polled(cold) ? NOT_A_SPHERE : sphere_radius_of(cold->shape, &cold->transform);
    return radius >= 0.0 && !is_uniform(&cold->motion) ? ACCELERATED_SPHERE : radius;
}

/* The caller has changed the motion: updates the running mean of lifetimes. */
static void record_motion_change(body_motion_cold *cold, double now)
{
    const double lasted = now - cold->motion_set_at;
    if (lasted > 0.0)
        cold->motion_lifetime = cold->motion_lifetime > 0.0 ? 0.5 * (cold->motion_lifetime + lasted) : lasted;
    cold->motion_set_at = now;
}

/* Begins a window of the vertex motion. On failure (of a NURBS body) the old one has ended, and the call may be
 * repeated. */
static tact_status begin_vertex_window(tact_world *world, uint32_t index, bool changed)
{
    body_motion_cold *cold = &world->advance->cold.items[index];
    const double expiry = cold->rotation_expiry;
    world->cold.items[index].vertex_plan->examined = true;
    tact_vertex_motion_begin_window(cold, world->advance->time, changed, world->advance->batch);
    const tact_status status = cold->is_surface ? tact_surface_window_begin(world, index) : TACT_OK;
    if (status != TACT_OK)
        cold->rotation_expiry = expiry;
    return status;
}

/* The vertex motion of a body has changed: in the window that it has, if possible, or another window begins. */
static tact_status update_vertex_window(tact_world *world, uint32_t index, uint64_t old_version)
{
    body_motion_cold *cold = &world->advance->cold.items[index];
    vertex_plan *plan = world->cold.items[index].vertex_plan;
    tact_status status = TACT_OK;
    cold->version_before = cold->version_moving = 0;
    if (cold->needs_refit || old_version == 0 ||
        !tact_vertex_motion_continue_window(cold, world->advance->time, world->advance->batch)) {
        status = begin_vertex_window(world, index, true);
    } else {
        cold->version_before = old_version;
        cold->changed_first = plan->changed_first;
        cold->changed_end = plan->changed_end;
    }
    plan->changed_first = plan->changed_end = 0;
    plan->changed_all = false;
    plan->examined = true;
    return status;
}

/* The vertices of a body have stopped. Its pairs with bodies whose vertices do not move begin anew if vertices move
 * again: their paths end now, and a pair of bodies at rest is not updated. Whether they overlap is kept. */
static void end_deforming_pairs(advance *ad, uint32_t index)
{
    const neighbour_span all = neighbours_of(&ad->neighbours, index);
    for (uint32_t i = 0; i < all.count; ++i) {
        pair_prediction *r = all.items[i].data != NEIGHBOUR_NONE ? &ad->predictions.items[all.items[i].data] : NULL;
        if (r == NULL || r->deforming == NULL || body_motion_deforms(&ad->cold.items[all.items[i].index]))
            continue;
        tact_deforming_pair_release(r->deforming, &ad->allocator);
        r->deforming = NULL;
    }
}

static bool same_transform(const tact_transform *a, const tact_transform *b)
{
    return vec_equal(a->x_axis, b->x_axis) && vec_equal(a->y_axis, b->y_axis) && vec_equal(a->z_axis, b->z_axis) &&
           vec_equal(a->origin, b->origin);
}

/* A rigid body whose transform was set jumps, if there are moving vertices that it may meet on the way. */
static bool find_jump(const tact_world *world, uint32_t index, body_jump *jump)
{
    const advance *ad = world->advance;
    const body_motion *hot = &ad->motions.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    if (world->vertex_plan_count == 0 || cold->version == 0 || !cold->needs_refit || cold->restored ||
        body_motion_deforms(cold) || world->cold.items[index].vertex_plan != NULL || cold->extent_min.x == INFINITY)
        return false;
    tact_transform from = body_motion_transform(hot, cold, ad->time);
    from.origin = tact_transform_point(from, vec_negate(cold->pivot));
    if (same_transform(&from, &world->bodies.items[index].transform))
        return false;
    *jump = (body_jump){.transform = from, .start_time = ad->time};
    if (!vec_equal(cold->motion.spin, (tact_vec3){0.0, 0.0, 0.0}) ||
        !vec_equal(cold->motion.acceleration, (tact_vec3){0.0, 0.0, 0.0}))
        return true;
    jump->transform = cold->transform; /* exactly as before */
    jump->transform.origin = hot->origin;
    jump->transform.origin = tact_transform_point(jump->transform, vec_negate(cold->pivot));
    jump->start_time = hot->start_time;
    jump->velocity = hot->velocity;
    return true;
}

bool tact_body_motion_jump(const tact_world *world, uint32_t index, body_jump *jump)
{
    const body_motion_cold *cold = &world->advance->cold.items[index];
    if (cold->jump_pending)
        *jump = cold->jump_from;
    return cold->jump_pending || (cold->dirty && find_jump(world, index, jump));
}

void tact_body_motion_add_jump(advance *ad, uint32_t index, tact_vec3 low, tact_vec3 high)
{
    body_motion_cold *cold = &ad->cold.items[index];
    cold->jump_min = cold->jumps ? vec_min(cold->jump_min, low) : low;
    cold->jump_max = cold->jumps ? vec_max(cold->jump_max, high) : high;
    cold->jumps = true;
    if (!cold->jump_listed)
        ad->jumped.items[ad->jumped.count++] = index;
    cold->jump_listed = true;
}

/* The bound of the body is to contain the place that it jumps from, so that deforming bodies on the way are its
 * neighbours. Its motion and extents are those after the jump. */
static void add_jump(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion_cold *cold = &ad->cold.items[index];
    const tact_transform from = body_jump_transform(&cold->jump_from, ad->time);
    const tact_vec3 origin = body_jump_origin(cold, ad->time); /* with the orientation after the jump, too */
    tact_vec3 low = vec_add(origin, cold->extent_min), high = vec_add(origin, cold->extent_max);
    tact_bounds was;
    if (tact_body_extents(world->bodies.items[index].shape, &from, NULL, &was) == TACT_OK) {
        low = vec_min(low, was.min);
        high = vec_max(high, was.max);
    }
    cold->jumped_at = ad->time;
    cold->jump_batch = ad->batch;
    tact_body_motion_add_jump(ad, index, low, high);
}

static tact_status refit(tact_world *world, uint32_t index);

tact_status tact_body_motion_end_jumps(tact_world *world)
{
    advance *ad = world->advance;
    for (; ad->jumped.count > 0; --ad->jumped.count) {
        const uint32_t index = ad->jumped.items[ad->jumped.count - 1];
        body_motion_cold *cold = &ad->cold.items[index];
        const bool bounded = world->bodies.items[index].flags & BODY_ALIVE && advance_has_bound(ad, index);
        cold->jumps = false;
        tact_status status = bounded ? refit(world, index) : TACT_OK;
        if (status == TACT_OK && bounded && cold->moves)
            status = tact_event_schedule(world, index);
        if (status != TACT_OK)
            return status;
        cold->jump_listed = false;
    }
    return TACT_OK;
}

tact_status tact_body_motion_update(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion *hot = &ad->motions.items[index];
    body_motion_cold *cold = &ad->cold.items[index];
    if (!cold->jump_pending) /* else a call that failed is repeated */
        cold->jump_pending = find_jump(world, index, &cold->jump_from);
    const tact_status prepared = tact_body_motion_set_shape(world, index, cold);
    if (prepared != TACT_OK)
        return prepared;
    const bool spun = !is_zero(cold->motion.spin), moved = cold->moves, restored = cold->restored;
    const double window_end = cold->rotation_expiry;
    if (!restored || !moved) {
        copy_motion(world, index, cold);
        if (!vec_finite(cold->motion.velocity) || !vec_finite(cold->transform.origin))
            return TACT_BAD_ARGUMENT; /* a pivot far away, of a body that is large or spins fast */
        hot->start_time = ad->time;
    }
    const bool deformed = body_motion_deforms(cold);
    copy_body_data(world, index, cold);
    if (deformed && !body_motion_deforms(cold))
        end_deforming_pairs(ad, index);
    const bool some_vertices = body_motion_deforms(cold) && !cold->needs_refit && !cold->vertices->changed_all;
    if (some_vertices)
        cold->rotation_expiry = window_end;
    if (!contact_body_is_free(&ad->contacts, index))
        cold->motion_lifetime = 0.0; /* its motion holds until the next contact step, as a rule */
    else if (!restored && !some_vertices)
        record_motion_change(cold, ad->time);
    cold->moves = !is_zero(cold->motion.velocity) || !is_zero(cold->motion.acceleration) ||
                  !is_zero(cold->motion.spin) || cold->plan != NULL || body_motion_deforms(cold);
    cold->spins = !is_zero(cold->motion.spin);
    const uint64_t old_version = cold->version;
    if (!restored)
        cold->version = ++ad->last_version;
    hot->origin = cold->transform.origin;
    hot->velocity = cold->motion.velocity;
    notify_motion(world, index);
    /* the extents are as before */
    const bool fits =
        !cold->needs_refit && !body_motion_deforms(cold) && moved && cold->moves &&
        (spun || is_zero(cold->motion.spin)) &&
        (hot->sphere_radius == NOT_A_SPHERE || is_uniform(&cold->motion) == (hot->sphere_radius != ACCELERATED_SPHERE));
    if (fits && hot->sphere_radius != NOT_A_SPHERE && !is_zero(cold->motion.spin))
        orthonormalise(&cold->transform);
    if (fits && fat_bounds_has(&ad->fat_bounds, index) && is_within_margin(cold, hot->origin)) {
        cold->expiry = bound_expiry(hot, cold, ad->time); /* it keeps its bound */
        return TACT_OK;
    }
    if (fits && body_sweep_has(&ad->sweep, index))
        return refit(world, index); /* on failure it is repeated, and fits then too */
    hot->sphere_radius = tact_body_motion_sphere_radius(cold);
    if (!restored && hot->sphere_radius != NOT_A_SPHERE && !is_zero(cold->motion.spin))
        orthonormalise(&cold->transform);
    tact_status status = tact_deforming_self_update(world, index);
    if (status == TACT_OK && body_motion_deforms(cold))
        status = update_vertex_window(world, index, moved ? old_version : 0);
    else if (status == TACT_OK)
        status = tact_body_motion_compute_extents(cold->shape, cold);
    if (restored && body_motion_deforms(cold))
        cold->jumped_at = -INFINITY; /* its jumps were examined before the world was saved */
    if (status == TACT_OK && cold->jump_pending)
        add_jump(world, index);
    if (status == TACT_OK)
        status = refit(world, index);
    if (status == TACT_OK)
        cold->jump_pending = false;
    else
        cold->needs_refit = true; /* the bound is not that of the motion */
    return status;
}

bool tact_body_motion_can_redirect(const advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 shift)
{
    const body_motion_cold *cold = &ad->cold.items[index];
    return ad->engine == TACT_KINETIC_FAT_BOUNDS && body_motion_is_simple(cold) && is_moderate(velocity) &&
           is_within_margin(cold, vec_add(body_motion_origin(&ad->motions.items[index], cold, ad->time), shift));
}

void tact_body_motion_redirect(const tact_world *world, uint32_t index, tact_vec3 velocity, tact_vec3 shift)
{
    advance *ad = world->advance;
    body_motion *hot = &ad->motions.items[index];
    body_motion_cold *cold = &ad->cold.items[index];
    record_motion_change(cold, ad->time);
    hot->origin = vec_add(body_motion_origin(hot, cold, ad->time), shift);
    hot->velocity = velocity;
    hot->start_time = ad->time;
    cold->version = ++ad->last_version;
    cold->expiry = sphere_expiry(hot, cold, cold->bound_centre, cold->origin_radius, ad->time);
    notify_motion(world, index);
}

tact_status tact_body_motion_renew(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion *hot = &ad->motions.items[index];
    body_motion_cold *cold = &ad->cold.items[index];
    if (ad->time < cold->rotation_expiry || !contact_body_is_free(&ad->contacts, index))
        return refit(world, index);
    if (body_motion_deforms(cold)) {
        const bool rests = cold->comes_to_rest;
        tact_status status = TACT_OK;
        if (rests)
            tact_vertex_motion_rest(cold);
        else
            status = begin_vertex_window(world, index, false);
        if (status != TACT_OK)
            return status;
        cold->version_before = 0;
        cold->version_moving = rests ? cold->version : 0;
        cold->version = ++ad->last_version;
        return refit(world, index);
    }
    const tact_motion motion = body_motion_motion(hot, cold, ad->time);
    cold->transform = body_motion_transform(hot, cold, ad->time);
    cold->version = ++ad->last_version;
    hot->origin = cold->transform.origin;
    hot->velocity = motion.velocity;
    hot->start_time = ad->time;
    begin_rotation_piece(world->cold.items[index].rigid, cold, ad->time);
    notify_motion(world, index);
    if (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE)
        return tact_body_sweep_update(world, index);
    cold->expiry = bound_expiry(hot, cold, ad->time);
    return TACT_OK;
}

/* ---- fat bounds ---- */

/* A bound of a body from now on. */
typedef struct fitted_bound {
    fat_bound bound;
    tact_vec3 origin_min, origin_max; /* of a box */
    float centre[3];                  /* of a sphere */
    double origin_radius;             /* of a sphere */
    double expiry, margin;
} fitted_bound;

/* A box that contains the body while its origin is in [low, high], and where it jumps from, rounding included. */
static box box_between(tact_vec3 low, tact_vec3 high, const body_motion_cold *cold)
{
    double far = vec_max_abs(low) + vec_max_abs(high) + body_motion_reach(cold);
    tact_vec3 first = vec_add(low, cold->extent_min), last = vec_add(high, cold->extent_max);
    if (cold->jumps) {
        first = vec_min(first, cold->jump_min);
        last = vec_max(last, cold->jump_max);
        far += vec_max_abs(cold->jump_min) + vec_max_abs(cold->jump_max);
    }
    const double pad = EXPIRY_ROUNDOFF * far;
    const tact_vec3 spare = {pad, pad, pad};
    return box_from_bounds(vec_sub(first, spare), vec_add(last, spare));
}

/* A spherical bound ahead of a sphere. False: its numbers are out of the range of the grid. */
static bool fit_sphere_bound(const body_motion *hot, const body_motion_cold *cold, double margin, double now,
                             fitted_bound *s)
{
    const double speed = sqrt(vec_length_squared(hot->velocity)),
                 lifetime = cold->motion_lifetime > 0.0 ? cold->motion_lifetime : INFINITY;
    const double ahead = speed > 0.0 ? number_min(BOUND_LEAD * margin / speed, lifetime) : 0.0;
    const tact_vec3 centre = vec_mul_add(body_motion_origin(hot, cold, now), ahead, hot->velocity);
    if (!grid_coordinate_fits(centre.x) || !grid_coordinate_fits(centre.y) || !grid_coordinate_fits(centre.z))
        return false;
    s->centre[0] = (float)centre.x;
    s->centre[1] = (float)centre.y;
    s->centre[2] = (float)centre.z;
    const tact_vec3 c = {(double)s->centre[0], (double)s->centre[1], (double)s->centre[2]};
    const double rounding = vec_length_safe(vec_sub(centre, c));
    grid_sphere ball;
    if (!grid_sphere_make(s->centre, hot->sphere_radius + margin + 2.0 * rounding, &ball))
        return false;
    s->origin_radius = margin + 2.0 * rounding;
    s->expiry = cold->moves ? sphere_expiry(hot, cold, s->centre, s->origin_radius, now) : INFINITY;
    s->margin = margin;
    s->bound = fat_bound_of_sphere(ball);
    return s->expiry > now;
}

/* The margin that a body should have. */
static double wanted_margin(const advance *ad, const body_motion *hot, const body_motion_cold *cold)
{
    const double size = (hot->sphere_radius >= 0.0 ? hot->sphere_radius : body_motion_size(cold)) + DBL_MIN;
    const double margin = number_max(cold->margin > 0.0 ? cold->margin : INITIAL_MARGIN * size, MIN_MARGIN * size);
    /* a sphere is to fit into the grid */
    const double most =
        hot->sphere_radius >= 0.0 ? fat_bounds_max_radius(&ad->fat_bounds) - hot->sphere_radius : INFINITY;
    return margin > most && most >= MIN_MARGIN * size ? most : margin;
}

static fitted_bound fit_bound(const advance *ad, uint32_t index)
{
    const body_motion *hot = &ad->motions.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    const tact_vec3 at = body_motion_origin(hot, cold, ad->time);
    fitted_bound s = {.origin_min = at,
                      .origin_max = at,
                      .expiry = INFINITY,
                      .margin = cold->moves ? wanted_margin(ad, hot, cold) : 0.0};
    if (hot->sphere_radius >= 0.0 && !cold->jumps && fit_sphere_bound(hot, cold, s.margin, ad->time, &s))
        return s;
    /* the motion expires now, while another engine takes over: it is renewed at once */
    const bool expires = !(body_motion_known_until(cold) > ad->time);
    /* a body that deviates is not requested more often than its interval says */
    const bool deviates = cold->plan != NULL && cold->plan->plan.max_deviation_speed > 0.0;
    const double earliest =
        deviates ? number_min(body_motion_known_until(cold), cold->plan->transform_time + cold->plan->plan.min_interval)
                 : ad->time;
    for (; cold->moves; s.margin *= 16.0) { /* a fast body may leave its bound within one ulp of the time */
        s.margin = number_min(s.margin, MAX_MARGIN);
        s.origin_min = vec_sub(at, vec_make(s.margin, s.margin, s.margin));
        s.origin_max = vec_add(at, vec_make(s.margin, s.margin, s.margin));
        s.expiry = box_expiry(hot, cold, s.origin_min, s.origin_max, ad->time);
        if ((s.expiry > ad->time && s.expiry >= earliest) || !(s.margin < MAX_MARGIN) || expires)
            break;
    }
    if (cold->moves && !(vec_max_abs(at) <= MAX_MARGIN))
        s.expiry = body_motion_known_until(cold);
    if (!(s.expiry > ad->time)) /* within one ulp of the time it is out of range */
        s.expiry = expires ? ad->time : nextafter(ad->time, INFINITY);
    s.bound = fat_bound_of_box(box_between(s.origin_min, s.origin_max, cold));
    return s;
}

static void store_bound(body_motion_cold *cold, const fitted_bound *s)
{
    cold->spherical_bound = s->bound.sphere.radius >= 0.0f;
    cold->origin_min = s->origin_min;
    cold->origin_max = s->origin_max;
    for (int i = 0; i < 3; ++i)
        cold->bound_centre[i] = s->centre[i];
    cold->origin_radius = s->origin_radius;
    cold->expiry = s->expiry;
    cold->margin = s->margin;
}

void tact_body_motion_insert_fat_bound(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const fitted_bound s = fit_bound(ad, index);
    tact_fat_bounds_set_unlisted(&ad->fat_bounds, index, &s.bound, tact_broad_get_filter(world->broad, index));
    store_bound(&ad->cold.items[index], &s);
}

/* Gives a body a new bound in the engine at work: a fat bound, or its box in the kinetic sweep and prune. */
static tact_status refit(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE)
        return tact_body_sweep_update(world, index);
    body_motion_cold *cold = &ad->cold.items[index];
    const bool expired = !(cold->expiry > ad->time); /* else the caller has moved the body, which may be often */
    const size_t before = neighbours_of(&ad->neighbours, index).count;
    if (!tact_fat_bounds_maintain(&ad->fat_bounds, &world->allocator))
        return TACT_OUT_OF_MEMORY;
    const fitted_bound s = fit_bound(ad, index);
    const broad_filter filter = cold->dirty || !fat_bounds_has(&ad->fat_bounds, index)
                                    ? tact_broad_get_filter(world->broad, index)
                                    : ad->fat_bounds.filters.items[index];
    const tact_status status = tact_fat_bounds_set(&ad->fat_bounds, &world->allocator, index, &s.bound, filter);
    if (status != TACT_OK)
        return status;
    store_bound(cold, &s);
    ++ad->effort.refits;
    const size_t now = ad->fat_bounds.found.count;
    if (expired)
        cold->unsuccessful_refits =
            now == before ? cold->unsuccessful_refits + (cold->unsuccessful_refits < UNSUCCESSFUL_REFITS) : 0;
    if (expired && (now < (cold->spherical_bound ? FAT_SPHERE_MIN_NEIGHBOURS : FAT_BOX_MIN_NEIGHBOURS) ||
                    cold->unsuccessful_refits >= UNSUCCESSFUL_REFITS))
        cold->margin *= MARGIN_GROWTH;
    else if (now > (cold->spherical_bound ? FAT_SPHERE_MAX_NEIGHBOURS : FAT_BOX_MAX_NEIGHBOURS))
        cold->margin /= MARGIN_GROWTH;
    return TACT_OK;
}
