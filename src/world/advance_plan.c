/* Plans and their shells. */
#include <float.h>
#include <math.h>

#include "world/advance.h"
#include "world/bounds.h"

/* Of a body's size: the room that a shell gives it at first and at least. Beyond that the room is such that a shell meets FEW to MANY
 * others; where there are fewer it grows with every exit, so that even a long way takes few of them. */
#define ROOM_FIRST 0.5
#define ROOM_LEAST 0.05
#define ROOM_GROWS 1.25
#define FEW 6
#define MANY 16

/* A length: no room is larger, so that sums of squares do not overflow. */
#define ROOM_MOST 1e140

/* Relative: more than the roundings of the few operations of a way and of its roots. */
#define SLACK (16.0 * DBL_EPSILON)

/* When x + v t + a t^2 / 2 falls below 0, from x >= 0; INFINITY: never. A little early; where it only just reaches 0 it may
 * be called never, but then it is beyond by a rounding at most. */
static double falls(double x, double v, double a)
{
    if (!(x > 0.0))
        x = 0.0;
    if (a == 0.0)
        return v < 0.0 ? x / -v * (1.0 - SLACK) : INFINITY;
    const double s = sqrt(2.0 * fabs(a)) * sqrt(x);
    if (a < 0.0) {
        const double root = hypot(v, s); /* of v^2 - 2 a x */
        return (v < 0.0 ? 2.0 * x / (root - v) : (v + root) / -a) * (1.0 - SLACK);
    }
    return v < -s ? 2.0 * x / (sqrt(-v - s) * sqrt(-v + s) - v) * (1.0 - SLACK) : INFINITY;
}

static double leaves(double least, double at, double most, double v, double a)
{
    return fmin(falls(at - least, v, a), falls(most - at, -v, -a));
}

/* When the origin of a body leaves the room between two corners, at the earliest; INFINITY: never. */
static double exit_of(const plan *p, const plan_more *m, tact_vec3 least, tact_vec3 most, double now)
{
    const tact_vec3 at = plan_origin(p, m, now), v = plan_motion(p, m, now).velocity, a = m->motion.acceleration;
    const double x = leaves(least.x, at.x, most.x, v.x, a.x);
    const double y = leaves(least.y, at.y, most.y, v.y, a.y);
    const double z = leaves(least.z, at.z, most.z, v.z, a.z);
    return now + fmin(x, fmin(y, z));
}

/* Extents about the origin that hold while the plan does. */
static tact_status measure(const tact_shape *shape, plan_more *m)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    double reach = 0.0;
    box fitted;
    tact_placement centred = m->place;
    centred.origin = zero;
    const bool turns = !vec_equal(m->motion.spin, zero);
    if (turns && tact_body_reach(shape, &reach) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (tact_body_fit(shape, &centred, turns ? &reach : NULL, &fitted) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    m->low = vec_make((double)fitted.min[0], (double)fitted.min[1], (double)fitted.min[2]);
    m->high = vec_make((double)fitted.max[0], (double)fitted.max[1], (double)fitted.max[2]);
    return TACT_OK;
}

/* The radius of a body that is a ball about its origin; else NO_BALL. Exact: others are balls up to rounding, and taken for what
 * they are. */
static double radius_of(const tact_shape *shape, const tact_placement *m)
{
    const tact_vec3 up = {1.0, 0.0, 0.0};
    tact_vec3 top;
    if (tact_shape_get_type(shape) != TACT_SPHERE || vec_square(m->x_axis) != 1.0 || vec_square(m->y_axis) != 1.0 ||
        vec_square(m->z_axis) != 1.0 || vec_dot(m->x_axis, m->y_axis) != 0.0 || vec_dot(m->y_axis, m->z_axis) != 0.0 ||
        vec_dot(m->z_axis, m->x_axis) != 0.0 || tact_shape_support(shape, tact_identity(), up, &top) != TACT_OK)
        return NO_BALL;
    return top.x;
}

static bool is_between(tact_vec3 low, tact_vec3 x, tact_vec3 high)
{
    return low.x <= x.x && x.x <= high.x && low.y <= x.y && x.y <= high.y && low.z <= x.z && x.z <= high.z;
}

tact_status tact_plan_take(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const body_line *line = &world->lines.items[index];
    const tact_motion *motion = &world->rests.items[index].motion;
    plan *p = &ad->plans.items[index];
    plan_more *m = &ad->more.items[index];
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    const bool straight = vec_equal(motion->acceleration, zero);
    const bool moves = !straight || !vec_equal(motion->velocity, zero) || !vec_equal(motion->spin, zero);
    const bool stays = !m->redone && m->moves && moves && vec_equal(motion->spin, m->motion.spin) &&
                       straight == (p->ball != FALLING_BALL) && shells_has(&ad->shells, index) &&
                       is_between(m->least, line->place.origin, m->most);
    m->place = line->place;
    m->motion = *motion;
    m->moves = moves;
    m->number = ++ad->versions;
    p->origin = line->place.origin;
    p->velocity = motion->velocity;
    p->since = ad->time;
    if (stays) {
        m->exit = exit_of(p, m, m->least, m->most, ad->time);
        return TACT_OK;
    }
    p->ball = radius_of(line->shape, &m->place);
    if (!straight && p->ball >= 0.0)
        p->ball = FALLING_BALL;
    tact_status status = measure(line->shape, m);
    if (status == TACT_OK)
        status = tact_plan_enclose(world, index);
    if (status != TACT_OK)
        m->redone = true; /* its shell is not that of its plan */
    return status;
}

/* A box for all places of the plan with the origin between these two, however they were rounded. */
static box box_between(tact_vec3 least, tact_vec3 most, const plan_more *m)
{
    const double far = vec_largest(least) + vec_largest(most) + vec_largest(m->low) + vec_largest(m->high);
    const double pad = SLACK * far;
    const tact_vec3 spare = {pad, pad, pad};
    return box_of_corners(vec_sub(vec_add(least, m->low), spare), vec_add(vec_add(most, m->high), spare));
}

tact_status tact_plan_enclose(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    plan *p = &ad->plans.items[index];
    plan_more *m = &ad->more.items[index];
    const tact_vec3 at = plan_origin(p, m, ad->time);
    double room = 0.0, exit = INFINITY;
    tact_vec3 least = at, most = at;
    if (m->moves) {
        const double size = 0.5 * vec_largest(vec_sub(m->high, m->low)) + DBL_MIN;
        room = fmax(m->room > 0.0 ? m->room : ROOM_FIRST * size, ROOM_LEAST * size);
        for (;; room *= 16.0) { /* until it lasts: what is fast may be through in less time than can be told */
            room = fmin(room, ROOM_MOST);
            least = vec_sub(at, vec_make(room, room, room));
            most = vec_add(at, vec_make(room, room, room));
            exit = exit_of(p, m, least, most, ad->time);
            if (exit > ad->time || !(room < ROOM_MOST))
                break;
        }
        if (!(exit > ad->time))
            exit = INFINITY;
    }
    const box b = box_between(least, most, m);
    const tact_status status =
        tact_shells_put(&ad->shells, &world->allocator, index, &b, tact_broad_filter(world->broad, index));
    if (status != TACT_OK)
        return status;
    m->least = least;
    m->most = most;
    m->exit = exit;
    m->room = ad->shells.found.count < FEW    ? room * ROOM_GROWS
              : ad->shells.found.count > MANY ? room / ROOM_GROWS
                                              : room;
    return TACT_OK;
}
