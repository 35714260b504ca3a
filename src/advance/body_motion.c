/* Plans and their shells. */
#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "dynamics/rigid_body.h"
#include "world/body_bounds.h"

/* Of a body's size: the room that a shell gives it at first and at least. Beyond that the room is such that a shell
 * meets SHELL_FEW to SHELL_MANY others; where there are fewer it grows with every exit, so that even a long way takes
 * few of them. */
#define ROOM_FIRST 0.5
#define ROOM_LEAST 0.05
#define ROOM_GROWS 1.25

/* Shells that were left in a row for one with as many neighbours: then the room is too small for how it goes, and
 * grows, however many those are. A point among large bodies would have a new shell every few roundings else. */
#define VAIN 16

/* Of the room: so far ahead of a ball is the middle of its shell, and it has nearly twice as far to go in it. But no
 * farther than it goes until its motion changes, of late: one that is thrown back and forth in a cage would leave every
 * shell by its rear. Fewer exits than from the middle: a third at packings up to 0.3, as many at 0.5. Less than 1, by
 * far more than rounding: it has to begin in its shell. */
#define LEAD 0.9

/* Of the time of rest: a piece of turning is no longer at once after a bounce. */
#define FIRST_PIECE 0.25

/* Bounces of a body within the time of rest: with more, pieces are shorter still. */
#define OFTEN 16

/* A length: no room is larger, and whoever is farther out meets nobody. As world/body_bounds.c says. */
#define ROOM_MOST 1e150

/* Radii, and speeds but for 0, for which fourth powers neither overflow nor vanish; others are shapes like any other.
 */
#define BALL_LEAST 1e-60
#define BALL_MOST 1e60

/* Relative: more than the roundings of the few operations of a way and of its roots. */
#define SLACK (16.0 * DBL_EPSILON)

/* Of dot products of axes: a sphere that is placed with no more than that beside 0 and 1 is a ball. A tenth of the
 * tolerance of a touch. */
#define ORTHONORMAL 1e-13

/* When x + v t + a t^2 / 2 falls below 0, from x >= 0; INFINITY: never. A little early; where it only just reaches 0 it
 * may be called never, but then it is beyond by a rounding at most. */
static double time_below_zero(double x, double v, double a)
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

/* `off`: it may be off by so much now, and ever more at the speed `drift`. */
static double time_to_leave(double least, double at, double most, double v, double a, double off, double drift)
{
    return fmin(time_below_zero(at - least - off, v - drift, a), time_below_zero(most - at - off, -v - drift, -a));
}

/* When the origin of a body leaves the room between two corners, at the earliest; INFINITY: never. */
static double box_expiry(const body_motion *p, const body_motion_cold *m, tact_vec3 least, tact_vec3 most, double now)
{
    const tact_vec3 at = body_motion_origin(p, m, now), v = body_motion_motion(p, m, now).velocity,
                    a = m->motion.acceleration;
    const double drift = m->plan != NULL ? m->plan->plan.max_deviation_speed : 0.0;
    const double off = m->plan != NULL ? motion_plan_deviation(m->plan, now) : 0.0;
    const double x = time_to_leave(least.x, at.x, most.x, v.x, a.x, off, drift);
    const double y = time_to_leave(least.y, at.y, most.y, v.y, a.y, off, drift);
    const double z = time_to_leave(least.z, at.z, most.z, v.z, a.z, off, drift);
    return fmin(body_motion_known_until(m), now + fmin(x, fmin(y, z)));
}

/* When a ball leaves a room that is a ball itself, at the earliest; INFINITY: never. Where it is then is off by some
 * roundings of the room and of its coordinates: the shell is larger by GRID_SLACK. */
static double sphere_expiry(const body_motion *p, const body_motion_cold *m, const float centre[3], double room,
                            double now)
{
    const tact_vec3 c = {(double)centre[0], (double)centre[1], (double)centre[2]};
    const tact_vec3 d = vec_sub(vec_mul_add(p->origin, now - p->start_time, p->velocity), c);
    const double b = vec_dot(d, p->velocity), v = vec_length_squared(p->velocity),
                 gap = fmax(room * room - vec_length_squared(d), 0.0);
    const double root = sqrt(b * b + v * gap); /* d^2 + 2 b t + v t^2 = room^2 */
    const double t = b > 0.0 ? gap / (root + b) : (root - b) / v;
    return fmin(body_motion_known_until(m), v > 0.0 ? now + t * (1.0 - SLACK) : INFINITY);
}

tact_status tact_body_motion_compute_extents(const tact_shape *shape, body_motion_cold *m)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    double reach = 0.0;
    tact_bounds around;
    tact_transform centred = m->transform;
    centred.origin = zero;
    const bool turns = !vec_equal(m->motion.spin, zero);
    if (turns && tact_body_reach(shape, &reach) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (tact_body_extents(shape, &centred, turns ? &reach : NULL, &around) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    m->extent_min = around.min;
    m->extent_max = around.max;
    return TACT_OK;
}

/* Are the axes orthonormal, up to what turning makes of that? */
static bool is_orthonormal(const tact_transform *m)
{
    return fabs(vec_length_squared(m->x_axis) - 1.0) <= ORTHONORMAL &&
           fabs(vec_length_squared(m->y_axis) - 1.0) <= ORTHONORMAL &&
           fabs(vec_length_squared(m->z_axis) - 1.0) <= ORTHONORMAL &&
           fabs(vec_dot(m->x_axis, m->y_axis)) <= ORTHONORMAL && fabs(vec_dot(m->y_axis, m->z_axis)) <= ORTHONORMAL &&
           fabs(vec_dot(m->z_axis, m->x_axis)) <= ORTHONORMAL;
}

/* The radius of a body that is a ball about its origin; else NOT_A_SPHERE. However it is turned it is the same: what is
 * said of it then is off by less than a tenth of the tolerance of a touch. */
static double sphere_radius_of(const tact_shape *shape, const tact_transform *m)
{
    const tact_vec3 up = {1.0, 0.0, 0.0};
    tact_vec3 top;
    if (tact_shape_get_type(shape) != TACT_SPHERE || !is_orthonormal(m) ||
        tact_shape_support(shape, tact_identity(), up, &top) != TACT_OK)
        return NOT_A_SPHERE;
    return top.x > BALL_LEAST && top.x < BALL_MOST ? top.x : NOT_A_SPHERE;
}

/* Makes the axes of a ball orthonormal again, to the last bit but a few: each turn leaves a rounding, and after 10^5 of
 * them it would be none. A step of Newton's: M (3 - M^T M) / 2. */
static void orthonormalise(tact_transform *m)
{
    const tact_vec3 x = m->x_axis, y = m->y_axis, z = m->z_axis;
    const double xx = 0.5 * (1.0 - vec_length_squared(x)), yy = 0.5 * (1.0 - vec_length_squared(y)),
                 zz = 0.5 * (1.0 - vec_length_squared(z));
    const double xy = -0.5 * vec_dot(x, y), yz = -0.5 * vec_dot(y, z), zx = -0.5 * vec_dot(z, x);
    m->x_axis = vec_add(x, vec_mul_add(vec_mul_add(vec_scale(x, xx), xy, y), zx, z));
    m->y_axis = vec_add(y, vec_mul_add(vec_mul_add(vec_scale(y, yy), xy, x), yz, z));
    m->z_axis = vec_add(z, vec_mul_add(vec_mul_add(vec_scale(z, zz), zx, x), yz, y));
}

static bool is_between(tact_vec3 low, tact_vec3 x, tact_vec3 high)
{
    return low.x <= x.x && x.x <= high.x && low.y <= x.y && x.y <= high.y && low.z <= x.z && x.z <= high.z;
}

/* Is the origin where its shell has room for it? */
static bool is_within_margin(const body_motion_cold *m, tact_vec3 x)
{
    const tact_vec3 c = {(double)m->bound_centre[0], (double)m->bound_centre[1], (double)m->bound_centre[2]};
    return m->spherical_bound ? vec_length_squared(vec_sub(x, c)) <= m->origin_radius * m->origin_radius
                              : is_between(m->origin_min, x, m->origin_max);
}

static double bound_expiry(const body_motion *p, const body_motion_cold *m, double now)
{
    return m->spherical_bound ? sphere_expiry(p, m, m->bound_centre, m->origin_radius, now)
                              : box_expiry(p, m, m->origin_min, m->origin_max, now);
}

/* Sets the spin of a body that has a mass, from its momentum and the spin up to now, for the piece that begins now.
 * Pieces are short after a bounce, as the spin of one is a mean: points that part by their spin then could close by the
 * mean. */
static void begin_rotation_piece(const rigid_body *r, body_motion_cold *m, double now, double rest)
{
    double duration;
    double most = rest > 0.0 && r->bounces > 1 ? max_double(FIRST_PIECE * rest, now - r->bounced) : INFINITY;
    if (r->bounces > OFTEN && now - r->bounced <= rest)
        most = FIRST_PIECE * rest * OFTEN /
               r->bounces; /* points may close by the mean and not by their spin, again and again */
    m->motion.spin = tact_mass_properties_rotation_piece(&r->properties, &m->transform, m->momentum, m->motion.spin,
                                                         most, &duration);
    m->rotation_expiry = now + duration;
}

/* What else is known of a body. */
static void copy_body_data(const tact_world *world, uint32_t index, body_motion_cold *m)
{
    const body_rest *rest = &world->rests.items[index];
    m->serial = world->lines.items[index].serial;
    m->shape = rest->rigid != NULL ? rest->rigid->centred : world->lines.items[index].shape;
    m->pivot = rest->rigid != NULL ? rest->rigid->properties.centre : vec_make(0.0, 0.0, 0.0);
    m->plan = rest->motion_plan;
    m->poll_interval = rest->poll;
}

/* The place and motion of a body, as the world says them; of one that has a mass about its centre. */
static void copy_motion(const tact_world *world, uint32_t index, body_motion_cold *m)
{
    const rigid_body *r = world->rests.items[index].rigid;
    m->transform = world->lines.items[index].place;
    m->motion = world->rests.items[index].motion;
    m->rotation_expiry = INFINITY;
    if (r == NULL)
        return;
    const tact_vec3 arm = tact_transform_vector(m->transform, r->properties.centre);
    m->transform.origin = vec_add(m->transform.origin, arm);
    m->motion.velocity = vec_add(m->motion.velocity, vec_cross(m->motion.spin, arm));
    if (!r->properties.rotates)
        return;
    const sym3 inertia = tact_mass_properties_inertia(&r->properties, &m->transform);
    m->momentum = sym3_mul(&inertia, m->motion.spin);
    begin_rotation_piece(r, m, world->advance->time, world->rest_time);
}

static bool is_zero(tact_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Neither too slow nor too fast for a ball. */
static bool is_moderate(tact_vec3 velocity)
{
    const double square = vec_length_squared(velocity);
    return square >= BALL_LEAST * BALL_LEAST && square <= BALL_MOST * BALL_MOST;
}

/* Straight on, such that when two balls touch can be told from their squares. */
static bool is_unaccelerated(const tact_motion *m)
{
    return is_zero(m->acceleration) && (is_moderate(m->velocity) || is_zero(m->velocity));
}

double tact_body_motion_sphere_radius(const body_motion_cold *m)
{
    const double ball = body_motion_is_polled(m) ? NOT_A_SPHERE : sphere_radius_of(m->shape, &m->transform);
    return ball >= 0.0 && !is_unaccelerated(&m->motion) ? ACCELERATED_SPHERE : ball;
}

/* Its motion has been changed from outside: how long did they last of late? */
static void record_motion_change(body_motion_cold *m, double now)
{
    const double lasted = now - m->motion_set_at;
    if (lasted > 0.0)
        m->motion_lifetime = m->motion_lifetime > 0.0 ? 0.5 * (m->motion_lifetime + lasted) : lasted;
    m->motion_set_at = now;
}

tact_status tact_body_motion_update(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion *p = &ad->motions.items[index];
    body_motion_cold *m = &ad->cold.items[index];
    const bool turned = !is_zero(m->motion.spin), moved = m->moves, kept = m->restored;
    if (!kept || !moved) {
        copy_motion(world, index, m);
        p->start_time = ad->time;
    }
    if (!kept)
        record_motion_change(m, ad->time);
    copy_body_data(world, index, m);
    m->moves =
        !is_zero(m->motion.velocity) || !is_zero(m->motion.acceleration) || !is_zero(m->motion.spin) || m->plan != NULL;
    m->spins = !is_zero(m->motion.spin);
    if (!kept)
        m->version = ++ad->last_version;
    p->origin = m->transform.origin;
    p->velocity = m->motion.velocity;
    const bool fits =
        !m->needs_refit && moved && m->moves && (turned || is_zero(m->motion.spin)) &&
        (p->sphere_radius == NOT_A_SPHERE ||
         is_unaccelerated(&m->motion) == (p->sphere_radius != ACCELERATED_SPHERE)); /* its extents are as before */
    if (fits && p->sphere_radius != NOT_A_SPHERE && !is_zero(m->motion.spin))
        orthonormalise(&m->transform);
    if (fits && fat_bounds_has(&ad->fat_bounds, index) && is_within_margin(m, p->origin)) {
        m->expiry = bound_expiry(p, m, ad->time); /* it keeps its shell */
        return TACT_OK;
    }
    if (fits && body_sweep_has(&ad->sweep, index))
        return tact_body_motion_refit(world, index); /* if it fails, it fits as well when it is done again */
    p->sphere_radius = tact_body_motion_sphere_radius(m);
    if (!kept && p->sphere_radius != NOT_A_SPHERE && !is_zero(m->motion.spin))
        orthonormalise(&m->transform);
    tact_status status = tact_body_motion_compute_extents(m->shape, m);
    if (status == TACT_OK)
        status = tact_body_motion_refit(world, index);
    if (status != TACT_OK)
        m->needs_refit = true; /* its shell is not that of its plan */
    return status;
}

bool tact_body_motion_can_redirect(const advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 aside)
{
    const body_motion_cold *m = &ad->cold.items[index];
    return ad->engine == TACT_KINETIC_FAT_BOUNDS && body_motion_is_simple(m) && is_moderate(velocity) &&
           is_within_margin(m, vec_add(body_motion_origin(&ad->motions.items[index], m, ad->time), aside));
}

void tact_body_motion_redirect(advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 aside)
{
    body_motion *p = &ad->motions.items[index];
    body_motion_cold *m = &ad->cold.items[index];
    record_motion_change(m, ad->time);
    p->origin = vec_add(body_motion_origin(p, m, ad->time), aside);
    p->velocity = velocity;
    p->start_time = ad->time;
    m->version = ++ad->last_version;
    m->expiry = sphere_expiry(p, m, m->bound_centre, m->origin_radius, ad->time);
}

/* A box for all places of the plan with the origin between these two, however they were rounded. */
static box box_between(tact_vec3 least, tact_vec3 most, const body_motion_cold *m)
{
    const double far = vec_max_abs(least) + vec_max_abs(most) + vec_max_abs(m->extent_min) + vec_max_abs(m->extent_max);
    const double pad = SLACK * far;
    const tact_vec3 spare = {pad, pad, pad};
    return box_from_bounds(vec_sub(vec_add(least, m->extent_min), spare), vec_add(vec_add(most, m->extent_max), spare));
}

tact_status tact_body_motion_renew(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion *p = &ad->motions.items[index];
    body_motion_cold *m = &ad->cold.items[index];
    if (ad->time < m->rotation_expiry)
        return tact_body_motion_refit(world, index);
    const tact_motion motion = body_motion_motion(p, m, ad->time);
    m->transform = body_motion_transform(p, m, ad->time);
    m->version = ++ad->last_version;
    p->origin = m->transform.origin;
    p->velocity = motion.velocity;
    p->start_time = ad->time;
    begin_rotation_piece(world->rests.items[index].rigid, m, ad->time, world->rest_time);
    if (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE)
        return tact_body_sweep_update(world, index);
    m->expiry = bound_expiry(p, m, ad->time);
    return TACT_OK;
}

/* A shell that begins now: how far its origin goes in it, and until when. */
typedef struct fitted_bound {
    fat_bound form;
    tact_vec3 least, most; /* of a box; of a ball: */
    float centre[3];
    double inner;
    double exit, room;
} fitted_bound;

/* A shell for a ball, with this room. False: its numbers are not such that it can be a ball. */
static bool fit_sphere_bound(const body_motion *p, const body_motion_cold *m, double room, double now, fitted_bound *s)
{
    const double speed = sqrt(vec_length_squared(p->velocity)),
                 lasts = m->motion_lifetime > 0.0 ? m->motion_lifetime : INFINITY;
    const double ahead = speed > 0.0 ? fmin(LEAD * room / speed, lasts) : 0.0;
    const tact_vec3 middle = vec_mul_add(body_motion_origin(p, m, now), ahead, p->velocity);
    if (!grid_holds(middle.x) || !grid_holds(middle.y) || !grid_holds(middle.z))
        return false;
    s->centre[0] = (float)middle.x;
    s->centre[1] = (float)middle.y;
    s->centre[2] = (float)middle.z;
    const tact_vec3 c = {(double)s->centre[0], (double)s->centre[1], (double)s->centre[2]};
    const double off = vec_length_safe(vec_sub(middle, c));
    grid_ball ball;
    if (!grid_ball_of(s->centre, p->sphere_radius + room + 2.0 * off, &ball))
        return false;
    s->inner = room + 2.0 * off;
    s->exit = m->moves ? sphere_expiry(p, m, s->centre, s->inner, now) : INFINITY;
    s->room = room;
    s->form = fat_bound_of_sphere(ball);
    return s->exit > now;
}

/* The room that a body wants. */
static double wanted_margin(const advance *ad, const body_motion *p, const body_motion_cold *m)
{
    const double size = (p->sphere_radius >= 0.0 ? p->sphere_radius : body_motion_size(m)) + DBL_MIN;
    const double room = fmax(m->margin > 0.0 ? m->margin : ROOM_FIRST * size, ROOM_LEAST * size);
    const double most = p->sphere_radius >= 0.0 ? fat_bounds_reach(&ad->fat_bounds) - p->sphere_radius
                                                : INFINITY; /* to be in the grid */
    return room > most && most >= ROOM_LEAST * size ? most : room;
}

static fitted_bound fit_bound(const advance *ad, uint32_t index)
{
    const body_motion *p = &ad->motions.items[index];
    const body_motion_cold *m = &ad->cold.items[index];
    const tact_vec3 at = body_motion_origin(p, m, ad->time);
    fitted_bound s = {.least = at, .most = at, .exit = INFINITY, .room = m->moves ? wanted_margin(ad, p, m) : 0.0};
    if (p->sphere_radius >= 0.0 && fit_sphere_bound(p, m, s.room, ad->time, &s))
        return s;
    const bool over =
        !(body_motion_known_until(m) > ad->time); /* it is about to be renewed, when another engine takes over */
    const bool drifts = m->plan != NULL && m->plan->plan.max_deviation_speed > 0.0; /* then it is not asked too soon */
    const double lasting =
        drifts ? fmin(body_motion_known_until(m), m->plan->located_at + m->plan->plan.min_interval) : ad->time;
    for (; m->moves; s.room *= 16.0) { /* until it lasts: what is fast may be through in less time than can be told */
        s.room = fmin(s.room, ROOM_MOST);
        s.least = vec_sub(at, vec_make(s.room, s.room, s.room));
        s.most = vec_add(at, vec_make(s.room, s.room, s.room));
        s.exit = box_expiry(p, m, s.least, s.most, ad->time);
        if ((s.exit > ad->time && s.exit >= lasting) || !(s.room < ROOM_MOST) || over)
            break;
    }
    if (m->moves && !(vec_max_abs(at) <= ROOM_MOST))
        s.exit = body_motion_known_until(m);
    if (!(s.exit > ad->time)) /* as soon as time goes on it is out of all room */
        s.exit = over ? ad->time : nextafter(ad->time, INFINITY);
    s.form = fat_bound_of_box(box_between(s.least, s.most, m));
    return s;
}

static void store_bound(body_motion_cold *m, const fitted_bound *s)
{
    m->spherical_bound = s->form.ball.reach >= 0.0f;
    m->origin_min = s->least;
    m->origin_max = s->most;
    for (int i = 0; i < 3; ++i)
        m->bound_centre[i] = s->centre[i];
    m->origin_radius = s->inner;
    m->expiry = s->exit;
    m->margin = s->room;
}

void tact_body_motion_insert_fat_bound(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    const fitted_bound s = fit_bound(ad, index);
    tact_fat_bounds_place(&ad->fat_bounds, index, &s.form, tact_broad_filter(world->broad, index));
    store_bound(&ad->cold.items[index], &s);
}

tact_status tact_body_motion_refit(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE)
        return tact_body_sweep_update(world, index);
    body_motion_cold *m = &ad->cold.items[index];
    const bool left = !(m->expiry > ad->time); /* its shell; not because it was moved, which may be often */
    const size_t before = neighbours_of(&ad->neighbours, index).count;
    if (!tact_fat_bounds_maintain(&ad->fat_bounds, &world->allocator))
        return TACT_OUT_OF_MEMORY;
    const fitted_bound s = fit_bound(ad, index);
    const broad_filter filter = m->dirty || !fat_bounds_has(&ad->fat_bounds, index)
                                    ? tact_broad_filter(world->broad, index)
                                    : ad->fat_bounds.filters.items[index];
    const tact_status status = tact_fat_bounds_put(&ad->fat_bounds, &world->allocator, index, &s.form, filter);
    if (status != TACT_OK)
        return status;
    store_bound(m, &s);
    ++ad->effort.puts;
    const size_t now = ad->fat_bounds.found.count;
    if (left)
        m->unsuccessful_refits = now == before ? m->unsuccessful_refits + (m->unsuccessful_refits < VAIN) : 0;
    if (left && (now < (m->spherical_bound ? SHELL_BALL_FEW : SHELL_FEW) || m->unsuccessful_refits >= VAIN))
        m->margin *= ROOM_GROWS;
    else if (now > (m->spherical_bound ? SHELL_BALL_MANY : SHELL_MANY))
        m->margin /= ROOM_GROWS;
    return TACT_OK;
}
