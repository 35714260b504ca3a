/*
 * Time of impact of a triangle and a convex primitive that moves along arcs (arc_toi.h).
 *
 * Guarantee: see the header. Both "never late" and "never far" hold in floating point.
 *
 * Frames. y_i(t) is the vertex i of the triangle relative to the body's origin: a parabola in time. z_i(t) is the same
 * turned back by the body's rotation R(t) since t0, so that the primitive C is at rest. For a unit vector v, fixed in
 * the body, the separation at a time is
 *     g_v = min_i v.z_i - H(v) - margin,      H: the support function of the core of C.
 * The distance is the maximum of g_v over all v, and GJK finds a v close to it.
 *
 * Method: conservative advancement (Mirtich 1996) by directional bounds. From a time at which g_v is known, advance as
 * far as one of these bounds stays above half the tolerance. Take a new v there. Stop where the distance is at most the
 * tolerance.
 *   1. A fixed direction n of the world, without spin: each n.y_i is a parabola, and H(n) is constant. The bound is
 *      exact, and each step is a Newton step for the distance.
 *   2. The same with spin, for the cylinder about the axis of rotation that contains the core at all times. So spin
 *      costs nothing on a long approach.
 *   3. A direction that turns. Over an interval of length h let v(u) = (1 - u) v0 + u v1 for unit vectors v0, v1 and
 *      the fraction u. Its length is at most 1, so g along v(u) / |v(u)| is at least
 *          f(u) = min_i v(u).z_i - ((1 - u) H(v0) + u H(v1)) - margin |v(u)|,
 *      as H is convex. Here z_i is the cubic Hermite interpolant of both ends, up to M h^4 / 24 u^2 (1 - u)^2, where
 *      M bounds the fourth derivative: with the angular velocity w, W = w x, and z = exp(-W s) y,
 *          z'''' = exp(-W s) (W^4 y - 4 W^3 y' + 6 W^2 y''),
 *      and only what is across the axis counts. |v(u)| <= 1 - u (1 - u) |v1 - v0|^2 / 2. So f lies above the lower hull
 *      of the coefficient-wise minimum of Bernstein coefficients of degree 4 (safe_time.h). v1 is the same direction of
 *      the body, the same of the world, or one that turns on as between the last two distances: with it the steps are
 *      Newton steps, whatever turns. Where they are not, v1 is the direction of GJK at the end of the interval.
 *
 * Rounding. Every g is computed to within E = rounding_at, and the tolerance is at least 8 E. Steps end where the bound
 * falls to half the tolerance, at least 4 E, so that all times passed over have a true separation above 2 E. The search
 * ends at a computed distance of at most the tolerance less 2 E.
 *
 * Cost: 1 us for most misses, where one direction decides. A hit takes 3 to 5 distance computations without spin or at
 * an angular speed of 1 radian in the interval, 9 at 10 radians, 30 at 100: polytopes 10 to 50 us in all, curved cores
 * three times that. A curved core that turns past v costs a second-order error of H: close to contact, steps of the
 * root of the distance. So a body that its spin maps onto itself counts as not turning, and a margin is bounded to
 * fourth order.
 */
#include "toi/arc_toi.h"

#include <float.h>

#include "convex/convex_query.h"
#include "convex/gjk.h"
#include "convex/simplex.h"
#include "core/number.h"
#include "toi/convex_toi.h"
#include "toi/safe_time.h"

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

tact_status tact_arc_body_make(arc_body *body, const instance *leaf, uint32_t element, const tact_transform *at,
                               const tact_motion *motion, double t0, const tact_allocator *allocator)
{
    static const tact_allocator standard = {NULL, NULL};
    arc_body *b = body;
    instance here = *leaf;
    here.at.origin = vec_sub(leaf->at.origin, at->origin);
    const primitive part = {&here, element};
    *b = (arc_body){.origin = at->origin, .motion = *motion, .t0 = t0};
    b->allocator = allocator != NULL ? allocator : &standard;
    if (!motion_is_valid(motion) || !vec_finite(at->origin) || !(t0 - t0 == 0.0))
        return TACT_BAD_ARGUMENT;
    const tact_status status = tact_primitive_convex(&part, &b->core);
    if (status != TACT_OK)
        return status;
    const convex *c = &b->core;
    b->radius = (c->bounding_radius + vec_length_safe(c->transform.origin)) * (1.0 + TOI_BODY_ROUNDING) + c->margin;
    b->shape_rounding = TOI_ARC_BODY_ROUNDING * b->radius + TOI_ARC_POSITION_ROUNDING * vec_max_abs(leaf->at.origin);
    b->origin_length = vec_length_safe(at->origin);
    b->speed = vec_length_safe(motion->velocity);
    b->acceleration_length = vec_length_safe(motion->acceleration);
    const tact_vec3 axis = vec_normalize(motion->spin);
    const double rate = vec_dot(axis, motion->spin);
    if (!(rate > 0.0))
        return TACT_OK;
    b->arm = tact_convex_arm_about(c, axis);
    if (b->arm <= TOI_SYMMETRY_ROUNDING * b->radius || tact_convex_is_symmetric_about(c, axis)) {
        b->arm = 0.0;
        b->shape_rounding += TOI_SYMMETRY_ROUNDING * b->radius;
        return TACT_OK;
    }
    b->axis = axis;
    b->rate = rate;
    b->top = convex_support_along(c, axis);
    b->bottom = -convex_support_along(c, vec_negate(axis));
    return TACT_OK;
}

static tact_vec3 origin_at(const arc_body *b, double time)
{
    const double since = time - b->t0;
    return vec_mul_add(vec_mul_add(b->origin, since, b->motion.velocity), since,
                       vec_scale(b->motion.acceleration, 0.5 * since));
}

static axis_rotation rotation_at(const arc_body *b, double time)
{
    return b->rate > 0.0 ? axis_rotation_make(b->axis, b->rate * (time - b->t0)) : (axis_rotation){b->axis, 0.0, 0.0};
}

/* A bound on the length of the coordinates that make up the body's origin. */
static double origin_size(const arc_body *b, double time)
{
    const double since = fabs(time - b->t0);
    return b->origin_length + since * (b->speed + 0.5 * since * b->acceleration_length);
}

/* A bound on the rounding error of the points of the body about its origin: the angle is rounded too. */
static double body_rounding(const arc_body *b, double time)
{
    return b->shape_rounding + 0.125 * TOI_ARC_BODY_ROUNDING * b->radius * (b->rate * fabs(time - b->t0));
}

/* The support value along the unit vector n, margin included, of a body that contains the primitive at all times: a
 * cylinder about the axis of rotation, and a sphere. Without rotation the primitive itself. */
static double swept_support(const arc_body *b, tact_vec3 n)
{
    if (!(b->rate > 0.0))
        return convex_support_along(&b->core, n) + b->core.margin;
    const double along = vec_dot(n, b->axis), across = vec_length(vec_cross(b->axis, n));
    return number_min(b->radius, number_max(along * b->top, along * b->bottom) + across * b->arm + b->core.margin);
}

/* ---- the pair ---------------------------------------------------------------------------------------------------- */

typedef struct arc_pair {
    const arc_body *body;
    const linear_path *path;
    tact_vec3 velocity[3]; /* of the vertices */
    double length[3][2];   /* of x0 and x1 of each path */
    double vertex_speed;
    double tolerance; /* length: that of the caller */
} arc_pair;

/* Both at one time. */
typedef struct arc_pose {
    double time;
    axis_rotation rotation; /* of the body since t0 */
    tact_vec3 y[3], dy[3];  /* the vertices relative to the body's origin, world axes, and their derivatives */
    tact_vec3 z[3], dz[3];  /* the same as the body sees them */
} arc_pose;

bool tact_arc_path_ok(const linear_path *p)
{
    return vec_finite(p->x0) && vec_finite(p->x1) && p->t0 - p->t0 == 0.0 &&
           (p->has_velocity || (p->t1 - p->t1 == 0.0 && p->t0 < p->t1));
}

static void make_pair(arc_pair *p, const arc_body *body, const linear_path path[3], double tolerance)
{
    *p = (arc_pair){.body = body, .path = path, .tolerance = tolerance};
    for (int i = 0; i < 3; i++) {
        const linear_path *q = &path[i];
        const double span = q->t1 - q->t0;
        p->velocity[i] = q->has_velocity ? q->x1
                                         : vec_make((q->x1.x - q->x0.x) / span, (q->x1.y - q->x0.y) / span,
                                                    (q->x1.z - q->x0.z) / span);
        p->length[i][0] = vec_length_safe(q->x0);
        p->length[i][1] = vec_length_safe(q->x1);
        p->vertex_speed = number_max(p->vertex_speed, vec_length_safe(p->velocity[i]));
    }
}

static double path_size(const linear_path *q, const double length[2], double time)
{
    const double since = fabs(time - q->t0);
    return q->has_velocity ? length[0] + since * length[1]
                           : number_max(1.0, since / (q->t1 - q->t0)) * (length[0] + length[1]);
}

double tact_arc_path_size(const linear_path *path, double time)
{
    const double length[2] = {vec_length_safe(path->x0), vec_length_safe(path->x1)};
    return path_size(path, length, time);
}

/* A bound on the coordinates that the positions at a time are computed from: a length. Convex in time. */
static double size_at(const arc_pair *p, double time)
{
    double far = 0.0;
    for (int i = 0; i < 3; i++)
        far = number_max(far, path_size(&p->path[i], p->length[i], time));
    return far + origin_size(p->body, time);
}

/* E: a bound on the rounding error of a separation at a time, and of bounds that begin or end there. Time is rounded
 * as well, so the path in a few ulps of it counts. */
static double rounding_at(const arc_pair *p, double time)
{
    const arc_body *b = p->body;
    const double since = fabs(time - b->t0);
    const double speed = p->vertex_speed + b->speed + since * b->acceleration_length + b->rate * b->arm;
    return TOI_ARC_POSITION_ROUNDING * size_at(p, time) + body_rounding(b, time) +
           TOI_ARC_TIME_ROUNDING * fabs(time) * speed + DBL_MIN;
}

/* What rounding permits from a time on. */
typedef struct arc_limits {
    double rounding;  /* length: E */
    double tolerance; /* length */
    double floor;     /* length: no step ends below it */
    double span;      /* time: these hold for so long */
} arc_limits;

static arc_limits limits_at(const arc_pair *p, double time, double exit)
{
    arc_limits l = {.rounding = rounding_at(p, time), .span = exit - time};
    const double allowed = number_max(p->tolerance / TOI_ARC_TOLERANCE_ROUNDINGS, TOI_ARC_ROUNDING_GROWTH * l.rounding);
    double last = rounding_at(p, exit);
    while (last > allowed && time + 0.5 * l.span > time) {
        l.span *= 0.5;
        last = rounding_at(p, time + l.span);
    }
    l.tolerance = number_max(p->tolerance, TOI_ARC_TOLERANCE_ROUNDINGS * l.rounding);
    l.floor = TOI_STEP_FRACTION * number_max(p->tolerance, TOI_ARC_TOLERANCE_ROUNDINGS * number_max(last, l.rounding));
    return l;
}

static void pose_at(const arc_pair *p, double time, arc_pose *v)
{
    const arc_body *b = p->body;
    const tact_vec3 origin = origin_at(b, time);
    const tact_vec3 velocity = vec_mul_add(b->motion.velocity, time - b->t0, b->motion.acceleration);
    v->time = time;
    v->rotation = rotation_at(b, time);
    for (int i = 0; i < 3; i++) {
        v->z[i] = v->y[i] = vec_sub(linear_path_at(&p->path[i], time), origin);
        v->dz[i] = v->dy[i] = vec_sub(p->velocity[i], velocity);
        if (b->rate > 0.0) {
            const tact_vec3 past = vec_mul_add(v->dy[i], -b->rate, vec_cross(b->axis, v->y[i]));
            v->z[i] = axis_rotation_apply_inverse(&v->rotation, v->y[i]);
            v->dz[i] = axis_rotation_apply_inverse(&v->rotation, past);
        }
    }
}

static tact_vec3 to_world(const arc_pair *p, const arc_pose *at, tact_vec3 v)
{
    return p->body->rate > 0.0 ? axis_rotation_apply(&at->rotation, v) : v;
}

static tact_vec3 to_body(const arc_pair *p, const arc_pose *at, tact_vec3 n)
{
    return p->body->rate > 0.0 ? axis_rotation_apply_inverse(&at->rotation, n) : n;
}

static double lowest(tact_vec3 n, const tact_vec3 points[3])
{
    return number_min(vec_dot(n, points[0]), number_min(vec_dot(n, points[1]), vec_dot(n, points[2])));
}

/* g_v; NaN where a custom support function gives no number. */
static double gap_along(const arc_pair *p, const arc_pose *at, tact_vec3 v)
{
    return lowest(v, at->z) - convex_support_along(&p->body->core, v) - p->body->core.margin;
}

/* ---- the separation at one time ---------------------------------------------------------------------------------- */

/* As the body sees it. */
typedef struct arc_separation {
    bool found;      /* false: no GJK at this time yet */
    tact_vec3 v;     /* unit, from the body to the triangle */
    double gap;      /* g_v */
    double distance; /* an upper bound of the distance, close to it; NaN: unknown */
    tact_vec3 on_body, on_triangle;
} arc_separation;

static void try_direction(const arc_pair *p, const arc_pose *at, tact_vec3 candidate, arc_separation *s)
{
    if (!(vec_max_abs(candidate) > 0.0))
        return;
    const double gap = gap_along(p, at, candidate);
    if (gap > s->gap || !(s->gap == s->gap)) {
        s->gap = gap;
        s->v = candidate;
    }
}

static convex triangle_at(const arc_pair *p, const arc_pose *at)
{
    convex triangle = convex_point(p->body->core.shape, vec_make(0.0, 0.0, 0.0));
    triangle.point_count = 3;
    for (int i = 0; i < 3; i++) {
        triangle.points[i] = at->z[i];
        triangle.bounding_radius = number_max(triangle.bounding_radius, vec_length_safe(at->z[i]));
    }
    return triangle;
}

/* GJK from the direction s->v on. Its normal may be that of its points. Where it does not separate by nearly the proved
 * bound, GJK decides about that distance, and ends with a direction that does. */
static void find_separation(const arc_pair *p, const arc_pose *at, double accuracy, double unproved, double rounding,
                            arc_separation *s)
{
    const convex *core = &p->body->core;
    const convex triangle = triangle_at(p, at);
    gjk_result g = {.count = 0};
    s->gap = gap_along(p, at, s->v);
    tact_gjk_distance(core, &triangle, accuracy, INFINITY, s->v, &g);
    s->found = true;
    s->distance = g.count == 0 ? NAN : g.status == GJK_OVERLAP ? 0.0 : number_max(g.upper - core->margin, 0.0);
    s->on_body = g.on_a;
    s->on_triangle = g.on_b;
    try_direction(p, at, g.normal, s);
    try_direction(p, at, g.best_axis, s);
    const double proved = g.lower - core->margin, slack = unproved * proved + 0.25 * rounding;
    if (proved > 0.0 && s->gap < proved - slack) {
        gjk_result again = {.count = 0};
        tact_gjk_within(core, &triangle, g.lower - 0.5 * slack, s->v, &again);
        try_direction(p, at, again.normal, s);
        try_direction(p, at, again.best_axis, s);
    }
}

static tact_vec3 initial_direction(const arc_pair *p, const arc_pose *at)
{
    tact_vec3 sum = vec_negate(p->body->core.transform.origin);
    for (int i = 0; i < 3; i++)
        sum = vec_mul_add(sum, 1.0 / 3.0, at->z[i]);
    sum = vec_normalize(sum);
    return vec_max_abs(sum) > 0.0 ? sum : vec_make(1.0, 0.0, 0.0);
}

/* ---- steps that no spin changes ---------------------------------------------------------------------------------- */

static double translating_time(const arc_pair *p, const arc_pose *at, tact_vec3 n, const arc_limits *l)
{
    const double support = swept_support(p->body, n) + l->floor;
    const double curve = -0.5 * vec_dot(n, p->body->motion.acceleration);
    double step = l->span;
    for (int i = 0; i < 3; i++)
        step =
            number_min(step, parabola_safe_time(vec_dot(n, at->y[i]) - support, vec_dot(n, at->dy[i]), curve, l->span));
    return step;
}

/* Along v; with spin also from the middle of the cylinder to the triangle, and across the axis. */
static double swept_time(const arc_pair *p, const arc_pose *at, tact_vec3 v, const arc_limits *l)
{
    const arc_body *b = p->body;
    double step = translating_time(p, at, to_world(p, at, v), l);
    if (!(b->rate > 0.0) || !(step < l->span))
        return step;
    tact_vec3 middle = vec_scale(b->axis, -0.5 * (b->bottom + b->top));
    for (int i = 0; i < 3; i++)
        middle = vec_mul_add(middle, 1.0 / 3.0, at->y[i]);
    const tact_vec3 out = vec_normalize(middle),
                    across = vec_normalize(vec_mul_add(middle, -vec_dot(middle, b->axis), b->axis));
    if (vec_max_abs(out) > 0.0)
        step = number_max(step, translating_time(p, at, out, l));
    if (step < l->span && vec_max_abs(across) > 0.0)
        step = number_max(step, translating_time(p, at, across, l));
    return step;
}

/* ---- turning directions ------------------------------------------------------------------------------------------ */

/* The vertices over an interval, as the body sees them. */
typedef struct arc_interval {
    tact_vec3 z[3][4];   /* Bernstein coefficients of the interpolants */
    double remainder[3]; /* length: M h^4 / 144, the Bernstein coefficient of the error */
} arc_interval;

static double larger_across(tact_vec3 axis, tact_vec3 a, tact_vec3 b)
{
    return number_max(vec_length(vec_cross(axis, a)), vec_length(vec_cross(axis, b)));
}

static void set_interval(const arc_pair *p, const arc_pose *from, const arc_pose *to, arc_interval *x)
{
    const arc_body *b = p->body;
    const double h = to->time - from->time, angle = b->rate * h;
    const double bend = h * h * vec_length(vec_cross(b->axis, b->motion.acceleration));
    for (int i = 0; i < 3; i++) {
        const double far = larger_across(b->axis, from->y[i], to->y[i]) + 0.125 * bend;
        const double path = h * larger_across(b->axis, from->dy[i], to->dy[i]);
        x->z[i][0] = from->z[i];
        x->z[i][1] = vec_mul_add(from->z[i], h / 3.0, from->dz[i]);
        x->z[i][2] = vec_mul_add(to->z[i], -h / 3.0, to->dz[i]);
        x->z[i][3] = to->z[i];
        x->remainder[i] = angle * angle * (angle * (angle * far + 4.0 * path) + 6.0 * bend) / 144.0;
    }
}

/* A direction of the body, and the support value of the core. */
typedef struct arc_direction {
    tact_vec3 v;
    double support;
} arc_direction;

static arc_direction direction_of(const arc_pair *p, tact_vec3 v)
{
    return (arc_direction){v, convex_support_along(&p->body->core, v)};
}

/* The fraction of the interval in which the direction that goes from d[0] to d[1] separates by more than `floor`. */
static double turning_fraction(const arc_pair *p, const arc_interval *x, const arc_direction d[2], double floor)
{
    double low[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 3; i++) {
        double e[2][4];
        for (int k = 0; k < 8; k++)
            e[k / 4][k % 4] = vec_dot(d[k / 4].v, x->z[i][k % 4]);
        low[0] = number_min(low[0], e[0][0]);
        low[1] = number_min(low[1], 0.25 * (3.0 * e[0][1] + e[1][0]));
        low[2] = number_min(low[2], 0.5 * (e[0][2] + e[1][1]) - x->remainder[i]);
        low[3] = number_min(low[3], 0.25 * (e[0][3] + 3.0 * e[1][2]));
        low[4] = number_min(low[4], e[1][3]);
    }
    /* u (1 - u) has the Bernstein coefficients 0, 1/4, 1/3, 1/4, 0 */
    static const double bulge[5] = {0.0, 0.25, 1.0 / 3.0, 0.25, 0.0};
    const double margin = p->body->core.margin,
                 shrink = 0.5 * margin * vec_length_squared(vec_sub(d[1].v, d[0].v)) * (1.0 - TOI_BODY_ROUNDING);
    for (int j = 0; j < 5; j++)
        low[j] -= (1.0 - 0.25 * j) * d[0].support + 0.25 * j * d[1].support + (margin - shrink * bulge[j]);
    return bernstein_safe_fraction(low, floor);
}

/* The time reached from a pose on by a turning direction. */
typedef struct arc_advance {
    double time;
    tact_vec3 v;      /* the direction there, as the body sees it */
    arc_separation s; /* found if GJK has run there */
} arc_advance;

/* The latest time not after t + s. */
static double later(double t, double s)
{
    double next = t + s;
    while (next - t > s)
        next = nextafter(next, -INFINITY);
    return next;
}

/* An interval in which a direction separates that begins as `begin`. */
typedef struct arc_trial {
    const arc_pair *pair;
    const arc_limits *limits;
    const arc_pose *from;
    arc_pose to;
    arc_interval interval;
    arc_direction begin;
    tact_vec3 turn; /* the last change of the direction, as the body sees it, per unit of time; zero: unknown */
    double part;    /* the safe fraction of the interval */
    tact_vec3 end;  /* the direction at its end */
} arc_trial;

static void try_end(arc_trial *x, tact_vec3 v)
{
    if (!(x->part < 1.0) || !(vec_max_abs(v) > 0.0))
        return;
    const arc_direction d[2] = {x->begin, direction_of(x->pair, v)};
    const double part = turning_fraction(x->pair, &x->interval, d, x->limits->floor);
    if (part > x->part) {
        x->part = part;
        x->end = v;
    }
}

/* Tries an interval with directions that need no GJK: the same of the body, the same of the world, and one that turns
 * on as before. */
static void try_interval(arc_trial *x, double to)
{
    const double h = to - x->from->time;
    x->part = 0.0;
    x->end = x->begin.v;
    pose_at(x->pair, to, &x->to);
    set_interval(x->pair, x->from, &x->to, &x->interval);
    try_end(x, x->begin.v);
    if (x->pair->body->rate > 0.0)
        try_end(x, to_body(x->pair, &x->to, to_world(x->pair, x->from, x->begin.v)));
    if (vec_max_abs(x->turn) > 0.0 && h * vec_length(x->turn) < TOI_ARC_MAX_TURN)
        try_end(x, vec_normalize(vec_mul_add(x->begin.v, h, x->turn)));
}

/* The same with the direction of GJK at the end. */
static void try_separation(arc_trial *x, arc_separation *s)
{
    const arc_pair *p = x->pair;
    const tact_vec3 same = to_body(p, &x->to, to_world(p, x->from, x->begin.v));
    s->v = gap_along(p, &x->to, same) > gap_along(p, &x->to, x->begin.v) ? same : x->begin.v;
    find_separation(p, &x->to, TOI_ARC_GJK_ACCURACY, TOI_ARC_UNPROVED, x->limits->rounding, s);
    if (s->gap > x->limits->floor)
        try_end(x, s->v);
}

/* Advances by an interval whose length is shortened until enough of it is safe. `span` is the length to begin with, and
 * gets that for the next time. `separate`: with GJK at its end. */
static void turning_time(arc_trial *x, double exit, bool separate, double *span, arc_advance *a, int *steps)
{
    const double t = x->from->time, rate = x->pair->body->rate;
    double longest = number_min(exit - t, x->limits->span);
    if (longest * rate > TOI_ARC_MAX_ANGLE)
        longest = TOI_ARC_MAX_ANGLE / rate;
    for (int i = 0; i < TOI_ARC_SPANS; i++) {
        const double length = number_min(*span, longest), to = length < exit - t ? later(t, length) : exit;
        if (!(to > t))
            return;
        arc_separation s = {.found = false};
        try_interval(x, to);
        if (separate && x->part < 1.0) {
            try_separation(x, &s);
            ++*steps;
        }
        const bool whole = x->part >= 1.0;
        const double reached = whole ? to : later(t, x->part * (to - t));
        if (reached > a->time) {
            a->time = reached;
            a->v = vec_normalize(vec_mul_add(x->begin.v, x->part, vec_sub(x->end, x->begin.v)));
            a->s = whole ? s : (arc_separation){.found = false};
        }
        *span = whole ? 4.0 * length : number_max(2.0 * x->part, TOI_ARC_MIN_SHRINK) * length;
        if (x->part > TOI_ARC_SPAN_GAIN)
            return;
    }
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* The points and the normal of the contact. Where the distance is little more than rounding, GJK's direction is not
 * reliable; that of the penetration depth is computed from features. */
static void set_hit(const arc_pair *p, const arc_pose *at, const arc_separation *s, double rounding,
                    arc_contact *contact)
{
    const convex *core = &p->body->core;
    const convex triangle = triangle_at(p, at);
    arc_separation exact = *s;
    tact_penetration d = {.depth = 0.0};
    if (s->distance > TOI_ARC_RELIABLE_NORMAL * rounding)
        find_separation(p, at, 0.0, TOI_UNPROVED_OF_NORMAL, rounding, &exact);
    tact_vec3 normal = exact.gap > 0.0 ? exact.v : vec_make(0.0, 0.0, 0.0);
    tact_vec3 on_body = vec_mul_add(exact.on_body, core->margin, normal), on_triangle = exact.on_triangle;
    if (s->distance <= TOI_ARC_RELIABLE_NORMAL * rounding &&
        tact_convex_penetration(core, &triangle, p->body->allocator, &d) == TACT_OK) {
        normal = d.normal;
        on_body = d.on_a;
        on_triangle = d.on_b;
    }
    tact_vec3 corners[3];
    simplex_solution closest;
    for (int i = 0; i < 3; i++)
        corners[i] = vec_sub(at->z[i], on_triangle);
    tact_simplex_solve(corners, 3, 0, &closest);
    for (int i = 0; i < 3; i++)
        contact->weights[i] = closest.weight[i];
    contact->state = TACT_HIT;
    contact->time = at->time;
    contact->normal = to_world(p, at, normal);
    contact->point =
        vec_add(origin_at(p->body, at->time), to_world(p, at, vec_mul_add(vec_scale(on_body, 0.5), 0.5, on_triangle)));
}

static bool arguments_ok(const arc_pair *p, double enter, double exit)
{
    const arc_body *b = p->body;
    for (int i = 0; i < 3; i++)
        if (!tact_arc_path_ok(&p->path[i]))
            return false;
    if (!(enter - enter == 0.0 && exit - exit == 0.0 && enter <= exit && p->tolerance >= 0.0 &&
          p->tolerance < INFINITY))
        return false;
    const double size = number_max(size_at(p, enter), size_at(p, exit)) + b->radius;
    const double error = number_max(rounding_at(p, enter), rounding_at(p, exit));
    return size < TOI_MAX_COORDINATE && error < TOI_MAX_COORDINATE;
}

/* The last separation that GJK has found. */
typedef struct arc_history {
    double time, gap;
    tact_vec3 v;
} arc_history;

/* Advances from a separation by a turning direction, if that reaches a later time than `a` has. */
static void advance_turning(const arc_pair *p, const arc_pose *now, const arc_separation *s, const arc_limits *l,
                            const arc_history *last, double exit, double *span, arc_advance *a, int *steps)
{
    arc_trial x = {.pair = p, .limits = l, .from = now, .begin = direction_of(p, s->v)};
    if (vec_dot(s->v, last->v) > 0.5)
        x.turn = vec_scale(vec_sub(s->v, last->v), 1.0 / (now->time - last->time));
    double cheap = *span;
    turning_time(&x, exit, false, &cheap, a, steps);
    const bool slow =
        s->gap > TOI_ARC_SLOW_GAP * last->gap && a->time < now->time + TOI_ARC_SHORT_STEP * (exit - now->time);
    if (slow)
        turning_time(&x, exit, true, span, a, steps);
    else
        *span = cheap;
}

/* Searches on from `now`. Returns whether there is a hit; if so, `now` and `s` are those of the hit. */
static bool search(const arc_pair *p, double exit, arc_pose *now, arc_separation *s, arc_contact *contact)
{
    double span = INFINITY;
    arc_history last = {.gap = INFINITY};
    *s = (arc_separation){.v = initial_direction(p, now)};
    for (int round = 0;; round++) {
        const double t = now->time, left = exit - t;
        const arc_limits l = limits_at(p, t, exit);
        contact->tolerance = l.tolerance;
        double step = 0.0;
        if (!s->found) {
            /* at first the tolerance decides, later half of it */
            const bool apart = round > 0 || gap_along(p, now, s->v) > l.tolerance;
            step = swept_time(p, now, s->v, &l);
            if (apart && step >= left && left > 0.0)
                return false;
            const bool advances = step > TOI_ARC_LONG_STEP * left && later(t, step) > t;
            if (!apart || !advances || round >= TOI_ARC_MAX_STEPS) {
                find_separation(p, now, TOI_ARC_GJK_ACCURACY, TOI_ARC_UNPROVED, l.rounding, s);
                ++contact->steps;
            }
        }
        arc_advance a = {.time = later(t, step), .v = s->v};
        if (s->found) {
            const double near = l.tolerance - 2.0 * l.rounding;
            if (round == 0 && s->distance > near && s->distance * (1.0 - TOI_ARC_GJK_ACCURACY) <= l.tolerance)
                find_separation(p, now, 0.0, TOI_ARC_UNPROVED, l.rounding, s);
            if (s->distance <= near)
                return true;
            if (round >= TOI_ARC_MAX_STEPS || !(s->gap > l.floor))
                break;
            step = number_max(step, swept_time(p, now, s->v, &l));
            if (step >= left)
                return false;
            a.time = later(t, step);
            if (step < TOI_ARC_SHORT_STEP * left)
                advance_turning(p, now, s, &l, &last, exit, &span, &a, &contact->steps);
            last = (arc_history){t, s->gap, s->v};
        }
        if (!(a.time > t))
            break;
        pose_at(p, a.time, now);
        *s = a.s;
        if (!s->found)
            s->v = a.v;
    }
    contact->status = TACT_NOT_CONVERGED;
    return true;
}

void tact_arc_toi(const arc_body *body, const linear_path path[3], double enter, double exit, double tolerance,
                  arc_contact *contact)
{
    arc_pair p;
    arc_pose now;
    arc_separation s;
    *contact = (arc_contact){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN, .time = enter};
    make_pair(&p, body, path, tolerance);
    if (!arguments_ok(&p, enter, exit))
        return;
    *contact = (arc_contact){.status = TACT_OK, .state = TACT_MISS, .time = exit};
    pose_at(&p, enter, &now);
    if (search(&p, exit, &now, &s, contact))
        set_hit(&p, &now, &s, rounding_at(&p, now.time), contact);
}

/* ---- overlap -----------------------------------------------------------------------------------------------------
 *
 * Two certificates, in the frame of the body. D: the depth. Both overlap until a vertex has moved by so much
 * (toi/overlap_certificate.h). P: a material point q of the triangle. C is convex, so it contains the chord from q(t)
 * to q(t + h) as deep as the shallower end, and q deviates from the chord by at most K h^2 / 8, where K bounds
 *     q'' = R^-1 (y'' - 2 w x y' + w x (w x y)).
 * P lasts long where surfaces slide past each other, D where the point is not in C.
 */

/* Bounds of the speed and acceleration of the vertices from a pose on, for the time h, as the body sees them. */
static void relative_bounds(const arc_pair *p, const arc_pose *at, double h, double *speed, double *acceleration)
{
    const arc_body *b = p->body;
    double v = 0.0, far = 0.0;
    for (int i = 0; i < 3; i++) {
        v = number_max(v, vec_length(at->dy[i]));
        far = number_max(far, vec_length(vec_cross(b->axis, at->y[i])));
    }
    v += h * b->acceleration_length;
    far += h * v;
    *speed = v + b->rate * far;
    *acceleration = b->acceleration_length + b->rate * (2.0 * v + b->rate * far);
}

/* Minus the signed distance of a point of the triangle from the primitive. */
static double point_depth(const arc_pair *p, const arc_pose *at, const double weights[3])
{
    tact_vec3 q = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++)
        q = vec_mul_add(q, weights[i], at->z[i]);
    const tact_closest c = tact_convex_closest(&p->body->core, q, p->body->allocator);
    if (c.status != TACT_OK)
        return -INFINITY;
    return c.distance < 0.0 ? -TOI_CERTIFIED_FRACTION * c.distance : -c.distance;
}

/* For how long the point of the triangle that is deepest in the primitive stays within `allowed` of it: at most `h`. */
static double point_time(const arc_pair *p, const arc_pose *from, tact_vec3 deepest, double h, double least,
                         double allowed)
{
    tact_vec3 corners[3];
    simplex_solution w;
    for (int i = 0; i < 3; i++)
        corners[i] = vec_sub(from->z[i], deepest);
    tact_simplex_solve(corners, 3, 0, &w);
    const double depth = point_depth(p, from, w.weight) + allowed;
    for (int i = 0; depth > 0.0 && i < TOI_ARC_POINT_TIMES && h > least; i++, h *= TOI_ARC_POINT_SHRINK) {
        double speed, acceleration;
        arc_pose to;
        relative_bounds(p, from, h, &speed, &acceleration);
        const double bend = 0.125 * h * h * acceleration;
        if (!(depth >= bend))
            continue;
        pose_at(p, from->time + h, &to);
        if (point_depth(p, &to, w.weight) + allowed >= bend)
            return h;
    }
    return 0.0;
}

double tact_arc_overlap_until(const arc_body *body, const linear_path path[3], double enter, double exit,
                              double distance)
{
    arc_pair p;
    arc_pose now;
    tact_penetration d;
    make_pair(&p, body, path, 0.0);
    if (!arguments_ok(&p, enter, exit))
        return enter;
    pose_at(&p, enter, &now);
    const double allowed = distance - 2.0 * number_max(rounding_at(&p, enter), rounding_at(&p, exit));
    const convex triangle = triangle_at(&p, &now);
    const tact_overlap near = tact_convex_within(&body->core, &triangle, number_max(distance, 0.0), NULL);
    if (near.status == TACT_OK && near.state == TACT_MISS) /* cheaper than a depth */
        return enter;
    if (tact_convex_penetration(&body->core, &triangle, body->allocator, &d) != TACT_OK || !(d.depth + allowed > 0.0))
        return enter;
    double h = exit - enter, speed, acceleration;
    relative_bounds(&p, &now, h, &speed, &acceleration);
    const double length = (d.depth > 0.0 ? TOI_CERTIFIED_FRACTION * d.depth : d.depth) + allowed;
    if (!(speed * h <= length)) {
        const double certain = length / speed;
        h = number_max(certain, point_time(&p, &now, d.on_b, h, certain, allowed));
    }
    return number_min(later(enter, h), exit);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* A point of the body deviates from its chord by at most K h^2 / 8, where K bounds its acceleration along an axis; by
 * the rotation never by more than the diameter of its circle. The swept body has the deviation of the origin alone: for
 * each face the bound with the smaller sum of both ends is taken. */
void tact_arc_body_boxes(const arc_body *body, double enter, double exit, box ends[2])
{
    const arc_body *b = body;
    const double times[2] = {enter, exit}, h = exit - enter, angle = b->rate * h;
    const double chord = b->arm * number_min(0.125 * angle * angle, 2.0) * (1.0 + TOI_BODY_ROUNDING);
    double face[2][6]; /* the lower ones negated */
    for (int k = 0; k < 6; k++) {
        const double sign = k < 3 ? -1.0 : 1.0;
        const tact_vec3 n = {k % 3 == 0 ? sign : 0.0, k % 3 == 1 ? sign : 0.0, k % 3 == 2 ? sign : 0.0};
        const double swept = swept_support(b, n), bend = 0.125 * h * h * fabs(vec_dot(n, b->motion.acceleration));
        const double across = b->rate > 0.0 ? vec_length(vec_cross(b->axis, n)) : 0.0;
        double tight[2];
        for (int i = 0; i < 2; i++) {
            const axis_rotation r = rotation_at(b, times[i]);
            const tact_vec3 v = b->rate > 0.0 ? axis_rotation_apply_inverse(&r, n) : n;
            tight[i] = convex_support_along(&b->core, v) + b->core.margin + across * chord;
        }
        const bool use_tight = tight[0] + tight[1] < 2.0 * swept;
        for (int i = 0; i < 2; i++) {
            const double spare = body_rounding(b, times[i]) + TOI_ARC_POSITION_ROUNDING * origin_size(b, times[i]);
            const double at = vec_dot(n, origin_at(b, times[i])) + (use_tight ? tight[i] : swept) + bend + spare;
            face[i][k] = at == at ? at : INFINITY;
        }
    }
    for (int i = 0; i < 2; i++)
        ends[i] = box_from_bounds(vec_make(-face[i][0], -face[i][1], -face[i][2]),
                                  vec_make(face[i][3], face[i][4], face[i][5]));
}
