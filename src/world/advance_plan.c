/* Plans and their shells. */
#include <float.h>
#include <math.h>

#include "world/advance.h"
#include "world/bounds.h"

/* Of a body's size: the room that a shell gives it at first, at least and at most. Between them the room is such that a shell
 * meets FEW to MANY others. */
#define ROOM_FIRST 0.5
#define ROOM_LEAST 0.05
#define ROOM_MOST 64.0
#define ROOM_GROWS 1.25
#define FEW 6
#define MANY 14

/* Relative: more than the roundings of the few operations of a way and of its roots. */
#define SLACK (16.0 * DBL_EPSILON)

/* The first time after 0 at which x + v t + a t^2 / 2 = 0 falls, coming from x > 0; INFINITY: never. A little early. */
static double falls(double x, double v, double a)
{
    if (!(x > 0.0))
        return v < 0.0 || (v == 0.0 && a < 0.0) || x < 0.0 ? 0.0 : a < 0.0 ? -2.0 * v / a * (1.0 - SLACK) : INFINITY;
    const double half = 0.5 * a, square = v * v - 4.0 * half * x;
    if (square < 0.0)
        return INFINITY;
    const double root = sqrt(square);
    const double q = -0.5 * (v - (v < 0.0 ? root : -root)); /* v<0: -(v-root)/2 > 0;  v>=0: -(v+root)/2 <= 0 */
    double t = INFINITY;
    if (v < 0.0)
        t = x / q; /* the smaller of two, or the only one, as q > 0 */
    else if (half < 0.0 && q < 0.0)
        t = q / half;
    return t > 0.0 ? t * (1.0 - SLACK) : INFINITY;
}

double tact_plan_exit(const plan *p, const plan_rest *rest, double time)
{
    if (!rest->moves)
        return INFINITY;
    const tact_vec3 at = plan_origin(p, time), v = plan_motion(p, time).velocity, a = p->motion.acceleration;
    double first = falls(at.x - rest->least.x, v.x, a.x);
    first = fmin(first, falls(rest->most.x - at.x, -v.x, -a.x));
    first = fmin(first, falls(at.y - rest->least.y, v.y, a.y));
    first = fmin(first, falls(rest->most.y - at.y, -v.y, -a.y));
    first = fmin(first, falls(at.z - rest->least.z, v.z, a.z));
    first = fmin(first, falls(rest->most.z - at.z, -v.z, -a.z));
    return time + first;
}

/* Extents about the origin that hold while the plan does. */
static tact_status measure(const tact_world *world, uint32_t index, plan *p, plan_rest *rest)
{
    const tact_shape *shape = world->lines.items[index].shape;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    double reach = 0.0;
    box fitted;
    tact_placement centred = p->place;
    centred.origin = zero;
    const bool turns = !vec_equal(p->motion.spin, zero);
    if (turns && tact_body_reach(shape, &reach) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (tact_body_fit(shape, &centred, turns ? &reach : NULL, &fitted) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    rest->low = vec_make((double)fitted.min[0], (double)fitted.min[1], (double)fitted.min[2]);
    rest->high = vec_make((double)fitted.max[0], (double)fitted.max[1], (double)fitted.max[2]);
    return TACT_OK;
}

/* The radius of a body that is a ball about its origin; negative if it is none. */
static double radius_of(const tact_world *world, uint32_t index, const tact_placement *m)
{
    const tact_shape *shape = world->lines.items[index].shape;
    if (tact_shape_get_type(shape) != TACT_SPHERE)
        return -1.0;
    const double xx = vec_square(m->x_axis), yy = vec_square(m->y_axis), zz = vec_square(m->z_axis);
    if (xx != 1.0 || yy != 1.0 || zz != 1.0 || vec_dot(m->x_axis, m->y_axis) != 0.0 ||
        vec_dot(m->y_axis, m->z_axis) != 0.0 || vec_dot(m->z_axis, m->x_axis) != 0.0)
        return -1.0;
    tact_vec3 top;
    const tact_vec3 up = {1.0, 0.0, 0.0};
    return tact_shape_support(shape, tact_identity(), up, &top) == TACT_OK ? top.x : -1.0;
}

tact_status tact_plan_enclose(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    plan *p = &ad->plans.items[index];
    plan_rest *rest = &ad->rests.items[index];
    const broad_filter filter = tact_broad_filter(world->broad, index);
    if (p->since == ad->time) {
        tact_status status = measure(world, index, p, rest);
        if (status != TACT_OK)
            return status;
        p->ball = radius_of(world, index, &p->place);
    }
    const tact_vec3 at = plan_origin(p, ad->time);
    double room = 0.0;
    if (rest->moves) {
        const double size = 0.5 * vec_largest(vec_sub(rest->high, rest->low)) + DBL_MIN;
        if (rest->room <= 0.0)
            rest->room = ROOM_FIRST * size;
        if (rest->room < ROOM_LEAST * size)
            rest->room = ROOM_LEAST * size;
        if (rest->room > ROOM_MOST * size)
            rest->room = ROOM_MOST * size;
        room = rest->room;
    }
    const tact_vec3 spare = {room, room, room};
    rest->least = vec_sub(at, spare);
    rest->most = vec_add(at, spare);
    const box b = box_of_corners(vec_add(rest->least, rest->low), vec_add(rest->most, rest->high));
    tact_status status = tact_shells_put(&ad->shells, &world->allocator, index, &b, filter);
    if (status != TACT_OK)
        return status;
    if (ad->shells.found.count < FEW)
        rest->room *= ROOM_GROWS;
    else if (ad->shells.found.count > MANY)
        rest->room /= ROOM_GROWS;
    p->exit = tact_plan_exit(p, rest, ad->time);
    return TACT_OK;
}
