/*
 * Time of impact of meshes, soups and compounds: windows of time. Where neither turns and they are apart at the start,
 * there is a shorter way (slide.c).
 *
 * Guarantee: that of impact.c. While the shapes are far from each other they advance by what the fastest point of
 * either allows (conservative advancement, Mirtich 1996). Near each other a window of time is searched whole. The trees
 * slide past each other along the chord of the way (tree/aabb_translating_pairs.c), both turned to the middle of the
 * window: from there no point is farther than half of what spins turn it by in the window, and the boxes are widened by
 * that. So they find every pair of elements that could meet in it, early ones first, and each is asked for its own
 * first contact, which never comes late; the earliest is the answer, and with each one found fewer pairs can come
 * before it. So nothing is missed between samples, and the time is that of convex shapes. What is apart cannot get
 * inside a solid without its surface being met.
 *
 * Start: the signed distance is minus the depth of the deepest pair of elements, or inside a solid minus the way to its
 * surface. In touch and not closing, whole windows are followed: a pair of elements counts only when it presses deeper
 * than the tolerance or passes through, so that sliding from triangle to triangle is no hit. At the end of a window it
 * is seen whether they have parted; a hop within a window (a sixteenth of the smaller body's size) may count as lasting
 * touch.
 *
 * Two that are on the two sides of a plane which is known to have parted them, as after a bounce, are followed by what
 * both reach along its normal alone, as far as that keeps them apart.
 *
 * Cost: windows widen while they hold few pairs and narrow when they hold many, so a long way past a large mesh costs
 * in proportion to what lies near the way. In a window most pairs that are near are told apart by a plane that has them
 * on its two sides at the begin and at the end, and so in between (DESIGN.md: bounds that move). The caps on windows
 * and pairs are an honest TACT_NOT_CONVERGED; so is a way that would take far more windows than that, once this shows
 * (0.3 s).
 */
#include <float.h>

#include "complex/complex_contact.h"
#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "convex/epa.h"
#include "math/fp_environment.h"
#include "motion/motion.h"
#include "toi/convex_toi.h"
#include "toi/toi.h"
#include "toi/translating_toi.h"

/* Default tolerance: relative to the size of the smaller body that has one. As in impact.c. */
#define DEFAULT_TOLERANCE 1e-9

/* Of the way and of what the bodies reach (lengths): rounding of where elements are, turned and moved. */
#define WAY_ROUNDING (8.0 * DBL_EPSILON)

/* Of the reach: by how much bounds may be rounded outwards. */
#define BOUNDS_ROUNDING (64.0 * DBL_EPSILON)

/* Of the distance: a lower bound this good will do to say how far we may go. Between smooth surfaces the exact distance
 * takes several times as long. */
#define ROUGH 0.7

/* Relative: how accurate distances are for that. */
#define ROUGH_ACCURACY 1e-2

/* Work in a window, in pairs of elements that are told apart by balls around them: with less the next is wider, with
 * more it is given up for a narrower one; and what a pair costs that is told apart by its chords, or not at all. */
#define FEW_PAIRS 128
#define MANY_PAIRS 2048
#define CHORDS_WORK 2
#define PAIR_WORK 8

/* Of the smaller body's size: how far points go in the first window. */
#define FIRST_WIDTH 0.5

/* A window is not narrowed below so many tolerances. */
#define LEAST_WIDTH 8.0

/* Windows and advances, and work in all, before we give up. */
#define WINDOWS_MOST 200000
#define PAIRS_MOST 200000000

/* A window while in contact counts as so many steps of the input's max_contact_steps. */
#define STEPS_PER_WINDOW 32

/* Every so many windows it is seen whether there is hope: whether WINDOWS_MOST, were they all HOPE times as long as the
 * last ones, would reach the end. A triangle with a corner at 1e40 that spins takes 1e40 windows otherwise. Not while
 * they are in touch: windows are short then, but only until they part. If the smaller body is lost in the rounding of
 * where the larger is, no parting will be seen. */
#define WINDOWS_WATCHED 4096
#define HOPE 16.0

/* Of the smaller body's size: how far the bodies move in a window while they are in touch. */
#define FOLLOW_PART (1.0 / 16.0)

/* Looks on a way along one direction; and of a span that was looked at, what is worth going. */
#define COAST_LOOKS 48
#define COAST_PART (1.0 / 16.0)

/* Parts of the tolerance, as in impact.c: where a way along one direction ends at the latest, and where it need not be
 * gone on with. */
#define STEP_PART 0.5
#define ACCEPT_PART 0.75

/* In tolerances: by how much of the way windows overlap while in touch, so that two flat elements that pass through
 * each other just where one window ends are seen to come from one side. */
#define OVERLAP 32.0

/* As in impact.c: how far they move, at first, when we look which way they go from a start in touch; and how accurate a
 * depth is. */
#define COURSE_WAY 64.0
#define COURSE_PART 1e-3
#define COURSE_FALL 8.0
#define DEPTH_ACCURACY 2e-6

/* Coordinates, also of where the motions lead, are refused beyond this. */
#define FARTHEST 1e150

/* Two bodies on their way, in one order, seen from the origin of the first. */
typedef struct journey {
    bool swapped;
    instance body[2];      /* at time 0, their origins at 0 */
    tact_transform origin; /* of the first */
    tact_motion motion[2];
    tact_vec3 offset, velocity, acceleration; /* of the second's origin from the first's */
    double path, speed, thrust;               /* their lengths */
    double turning;                           /* a speed: spin times reach, of both */
    double reach;                             /* of both, margins included */
    double size;                              /* of the smaller body that has one */
    double tolerance, end;
    const tact_allocator *allocator;
    long pairs;           /* the work so far */
    double band, shallow; /* see convex_impact.h */
    double deep;          /* a depth at which they are in touch all the same, besides the band */
    bool late;            /* see ignore_initial_contact in toi.h */
    int windows;          /* in contact, at the most */
} journey;

/* ---- preparing ------------------------------------------------------------------------------------------------------
 */

static int compare_motions(const tact_motion *a, const tact_motion *b)
{
    const double p[9] = {a->velocity.x,     a->velocity.y, a->velocity.z, a->acceleration.x, a->acceleration.y,
                         a->acceleration.z, a->spin.x,     a->spin.y,     a->spin.z};
    const double q[9] = {b->velocity.x,     b->velocity.y, b->velocity.z, b->acceleration.x, b->acceleration.y,
                         b->acceleration.z, b->spin.x,     b->spin.y,     b->spin.z};
    for (int i = 0; i < 9; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static bool motion_is_finite(const tact_motion *m)
{
    return vec_finite(m->velocity) && vec_finite(m->acceleration) && vec_finite(m->spin);
}

/* A bound of how much the linear part of a placement stretches, about 1 of a rotation: the square of the longest axis
 * of what it makes of a ball is an eigenvalue of the matrix of products of its axes (Gershgorin). */
static double stretch_of(const tact_transform *m)
{
    const double xx = vec_length_squared(m->x_axis), yy = vec_length_squared(m->y_axis),
                 zz = vec_length_squared(m->z_axis);
    const double xy = fabs(vec_dot(m->x_axis, m->y_axis)), yz = fabs(vec_dot(m->y_axis, m->z_axis)),
                 zx = fabs(vec_dot(m->z_axis, m->x_axis));
    const double square = fmax(xx + xy + zx, fmax(yy + xy + yz, zz + zx + yz)), norm = placement_norm(m);
    return square > DBL_MIN / DBL_EPSILON && square < INFINITY ? fmin(sqrt(square), norm) : norm;
}

/* No point is farther from the placement's origin. */
static double reach_of(const instance *p)
{
    const double stretch = stretch_of(&p->at);
    return (p->shape->bounding_radius * stretch + p->shape->margin) * (1.0 + WAY_ROUNDING);
}

/* Half the largest side of the box around it; bounds are rounded outwards, but a point is to have none. */
static double largest_half(const instance *p, double reach)
{
    tact_bounds bounds;
    if (shape_is_empty(p->shape) || tact_instance_bounds(p, &bounds) != TACT_OK)
        return 0.0;
    double half = 0.5 * vec_max_abs(vec_sub(bounds.max, bounds.min));
    return half > BOUNDS_ROUNDING * reach + DBL_MIN ? half : 0.0;
}

static tact_status prepare(journey *j, const instance *a, const tact_motion *motion_a, const instance *b,
                           const tact_motion *motion_b, const tact_toi_def *def)
{
    if (!motion_is_finite(motion_a) || !motion_is_finite(motion_b) || !(def->end >= 0.0) || !(def->end < INFINITY) ||
        !(def->tolerance >= 0.0) || !(def->tolerance < INFINITY))
        return TACT_BAD_ARGUMENT;
    int order = tact_instance_compare(a, b);
    j->swapped = order > 0 || (order == 0 && compare_motions(motion_a, motion_b) > 0);
    j->body[0] = j->swapped ? *b : *a;
    j->body[1] = j->swapped ? *a : *b;
    j->motion[0] = j->swapped ? *motion_b : *motion_a;
    j->motion[1] = j->swapped ? *motion_a : *motion_b;
    j->origin = j->body[0].at;
    j->allocator = &j->body[0].shape->allocator;
    j->offset = vec_sub(j->body[1].at.origin, j->body[0].at.origin);
    j->velocity = vec_sub(j->motion[1].velocity, j->motion[0].velocity);
    j->acceleration = vec_sub(j->motion[1].acceleration, j->motion[0].acceleration);
    j->path = vec_length_safe(j->offset);
    j->speed = vec_length_safe(j->velocity);
    j->thrust = vec_length_safe(j->acceleration);
    j->turning = j->reach = 0.0;
    double size[2];
    for (int i = 0; i < 2; i++) {
        j->body[i].at.origin = vec_make(0.0, 0.0, 0.0);
        double reach = reach_of(&j->body[i]);
        j->reach += reach;
        j->turning += vec_length_safe(j->motion[i].spin) * reach;
        size[i] = largest_half(&j->body[i], reach);
    }
    double smaller = fmin(size[0], size[1]);
    j->size = smaller > 0.0 ? smaller : fmax(size[0], size[1]);
    j->tolerance = def->tolerance > 0.0 ? def->tolerance : DEFAULT_TOLERANCE * j->size;
    j->end = def->end;
    j->pairs = 0;
    double farthest = j->path + (j->speed + j->turning) * j->end + j->thrust * j->end * j->end;
    double spins = vec_length_safe(j->motion[0].spin) + vec_length_safe(j->motion[1].spin);
    return farthest + j->reach < FARTHEST && spins * j->turning < FARTHEST ? TACT_OK : TACT_BAD_ARGUMENT;
}

/* ---- where and how fast ---------------------------------------------------------------------------------------------
 */

static double noise_at(const journey *j, double time)
{
    return WAY_ROUNDING * (j->path + (j->speed + j->turning) * time + j->thrust * time * time + 4.0 * j->reach);
}

static double tolerance_at(const journey *j, double time)
{
    return fmax(fmax(j->tolerance, 4.0 * noise_at(j, time)), 4.0 * DBL_MIN);
}

static double band_at(const journey *j, double time) { return fmax(j->band, tolerance_at(j, time)); }

static tact_vec3 offset_at(const journey *j, double time)
{
    return vec_mul_add(vec_mul_add(j->offset, time, j->velocity), time, vec_scale(j->acceleration, 0.5 * time));
}

static double speed_at(const journey *j, double time)
{
    return vec_length_safe(vec_mul_add(j->velocity, time, j->acceleration)) + j->turning;
}

/* The time from `time` on in which they come no farther than `way`. */
static double time_for(const journey *j, double time, double way)
{
    double speed = speed_at(j, time), sum = speed + hypot(speed, sqrt(2.0 * j->thrust) * sqrt(way));
    return sum > 0.0 ? 2.0 * way / sum * (1.0 - WAY_ROUNDING) : INFINITY;
}

/* Both at a time, seen from the origin of the first. */
static void bodies_at(const journey *j, double time, instance both[2])
{
    for (int i = 0; i < 2; i++) {
        tact_motion turning = {.spin = j->motion[i].spin};
        both[i] = j->body[i];
        both[i].at = tact_motion_at(turning, j->body[i].at, time);
    }
    both[1].at.origin = offset_at(j, time);
}

static tact_vec3 origin_at(const journey *j, double time)
{
    return tact_motion_at(j->motion[0], j->origin, time).origin;
}

static void swap_parts(tact_toi *hit)
{
    tact_part part = hit->part_a;
    hit->part_a = hit->part_b;
    hit->part_b = part;
    hit->normal = vec_max_abs(hit->normal) > 0.0 ? vec_negate(hit->normal) : hit->normal;
}

/* ---- how they are to each other at one time -------------------------------------------------------------------------
 */

/* Points relative to the origin of the first. */
typedef struct sight {
    tact_status status;
    double distance; /* signed; how deep only up to the tolerance or so */
    tact_vec3 normal, on_a, on_b;
    tact_part part_a, part_b;
    double part;   /* of the distance that is to be a lower bound: 1 for the distance itself */
    double enough; /* deeper does not matter */
    const tact_allocator *allocator;
    bool any;
    tact_distance_def def;
} sight;

static bool both_convex(const primitive *a, const primitive *b, convex *ca, convex *cb, tact_status *status)
{
    if (tact_primitive_convex(a, ca) == TACT_OK && tact_primitive_convex(b, cb) == TACT_OK)
        return true;
    *status = TACT_BAD_ARGUMENT;
    return false;
}

static double nearer_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    sight *s = context;
    convex ca, cb;
    if (!both_convex(a, b, &ca, &cb, &s->status))
        return -1.0;
    s->def.upper_bound = s->any ? limit : INFINITY;
    tact_distance d = tact_convex_distance(&ca, &cb, &s->def);
    if (d.status != TACT_OK && d.status != TACT_NOT_CONVERGED)
        s->status = d.status;
    if (s->any && !(d.distance < s->distance))
        return limit;
    s->any = true;
    s->distance = d.distance;
    s->normal = d.normal;
    s->on_a = d.on_a;
    s->on_b = d.on_b;
    s->part_a = primitive_part(a);
    s->part_b = primitive_part(b);
    return d.distance > 0.0 ? fmin(limit, s->part * d.distance) : -1.0;
}

/* The least distance of any two elements; none is nearer than `part` of it. */
static void see_nearest(const instance both[2], double part, double accuracy, sight *out)
{
    *out = (sight){.status = TACT_OK, .distance = INFINITY, .part = part, .def = {accuracy, INFINITY, NULL}};
    traversal w = {out, nearer_pair, NULL, false, TACT_OK};
    (void)tact_traverse_pairs_toward(&w, &both[0], &both[1], &out->normal, INFINITY);
    if (w.status != TACT_OK)
        out->status = w.status;
}

static double deeper_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    sight *s = context;
    convex ca, cb;
    if (!both_convex(a, b, &ca, &cb, &s->status))
        return -1.0;
    tact_penetration d;
    tact_status status = tact_depth_convex(&ca, &cb, s->allocator, &d);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED) {
        s->status = status;
        return -1.0;
    }
    if (s->any && !(-d.depth < s->distance))
        return limit;
    s->any = true;
    s->distance = -d.depth;
    s->normal = d.normal;
    s->on_a = d.on_a;
    s->on_b = d.on_b;
    s->part_a = primitive_part(a);
    s->part_b = primitive_part(b);
    return d.depth > s->enough ? -1.0 : limit;
}

/* Elements that only touch may be those of shapes that are deep in each other: cubes with their sides in one plane. */
static void see_deeper(const instance both[2], sight *s)
{
    const tact_penetration d = tact_complex_depth(both[0].shape, &both[0].at, both[1].shape, &both[1].at);
    if (d.status == TACT_OUT_OF_MEMORY)
        s->status = d.status;
    if (d.status != TACT_OK || !(d.depth > -s->distance))
        return;
    s->distance = -d.depth;
    s->normal = d.normal;
    s->on_a = d.on_a;
    s->on_b = d.on_b;
    s->part_a = d.part_a;
    s->part_b = d.part_b;
}

/* The signed distance at a time. */
static sight see(const journey *j, double time)
{
    instance both[2];
    sight s;
    tact_common_point common;
    bodies_at(j, time, both);
    see_nearest(both, 1.0, 1e-10, &s);
    if (s.status != TACT_OK)
        return s;
    if (s.distance > 0.0) {
        if (s.any && tact_complex_inside(&both[0], &both[1], &common)) {
            s.distance = -s.distance;
            s.normal = vec_negate(s.normal); /* to leave by the way that it is near to */
        }
        return s;
    }
    sight deep = {.status = TACT_OK, .enough = 2.0 * band_at(j, time) + j->shallow, .allocator = j->allocator};
    traversal w = {&deep, deeper_pair, NULL, true, TACT_OK};
    (void)tact_traverse_pairs(&w, &both[0], &both[1], 0.0);
    if (w.status != TACT_OK)
        deep.status = w.status;
    if (deep.status == TACT_OK && !deep.any) /* so little that the trees do not see it */
        deep = s;
    /* of two that are near it is known how they have met: bodies that clasp each other are deep as a whole */
    if (!(j->shallow > 0.0) && deep.status == TACT_OK && deep.distance >= -deep.enough &&
        !(tact_instance_separation_along(&both[0], &both[1], deep.normal) >= deep.distance - noise_at(j, time)))
        see_deeper(both, &deep);
    return deep;
}

static tact_toi answer_sight(const journey *j, const sight *s, double time)
{
    tact_toi hit = {.status = TACT_OK, .state = TACT_HIT, .time = time, .normal = s->normal};
    hit.point = vec_add(vec_scale(vec_add(s->on_a, s->on_b), 0.5), origin_at(j, time));
    hit.part_a = s->part_a;
    hit.part_b = s->part_b;
    return hit;
}

static tact_toi answer_failure(tact_status status, double time)
{
    return (tact_toi){.status = status, .state = TACT_UNKNOWN, .time = time};
}

static tact_toi answer_miss(const journey *j)
{
    return (tact_toi){.status = TACT_OK, .state = TACT_MISS, .time = j->end};
}

/* ---- windows --------------------------------------------------------------------------------------------------------
 */

typedef struct window {
    journey *j;
    leg leg;                /* its time 0 is the begin of the window */
    double begin, span;     /* of the window */
    double slack;           /* a length: tolerance and rounding */
    tact_vec3 axis;         /* the normal of the contact found last, or zero */
    bool press, first;      /* see tact_convex_press */
    tact_transform turn[2]; /* how both turn in the whole window, about their origins */
    tact_vec3 moved;        /* the second's origin from the first's at its end */
    double bow;             /* a length: how far points may be off their chords in it */
    long pairs, most;       /* the work; given up with more */
    tact_toi *best;         /* the first hit or failure so far; a miss: none */
    tact_status status;
} window;

/* A ball around an element, from its body's origin. */
static double ball_around(const convex *c, tact_vec3 *middle)
{
    *middle = c->transform.origin;
    if (c->kind != CONVEX_POINTS)
        return c->bounding_radius + c->margin;
    tact_vec3 sum = {0.0, 0.0, 0.0};
    double square = 0.0;
    for (int i = 0; i < c->point_count; i++)
        sum = vec_mul_add(sum, 1.0 / c->point_count, c->points[i]);
    for (int i = 0; i < c->point_count; i++)
        square = fmax(square, vec_length_squared(vec_sub(c->points[i], sum)));
    *middle = vec_add(c->transform.origin, sum);
    return sqrt(square) + c->margin;
}

static double reach_along(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin)) + c->margin;
}

/* Whether two elements are easily seen to stay apart: balls around them, on a way that is straight but for what bends
 * it; or what they reach along the normal of the contact found last. */
static bool stay_apart(const window *w, const convex *a, const convex *b)
{
    const journey *j = w->j;
    tact_vec3 p, q;
    double span = w->leg.end, reach = ball_around(a, &p) + ball_around(b, &q);
    tact_vec3 from = vec_add(w->leg.offset, vec_sub(q, p));
    tact_vec3 way = vec_scale(vec_sub(w->leg.motion[1].velocity, w->leg.motion[0].velocity), span);
    double square = vec_length_squared(way),
           t = square > 0.0 ? fmin(fmax(-vec_dot(from, way) / square, 0.0), 1.0) : 0.0;
    double bend = (j->turning + 0.5 * j->thrust * span) * span + w->slack, room = reach + bend;
    if (vec_length_squared(vec_mul_add(from, t, way)) > room * room * (1.0 + WAY_ROUNDING))
        return true;
    if (!(vec_max_abs(w->axis) > 0.0))
        return false;
    double apart = vec_dot(w->axis, w->leg.offset) - (reach_along(a, w->axis) + reach_along(b, vec_negate(w->axis)));
    return apart + fmin(vec_dot(w->axis, way), 0.0) > bend * (1.0 + WAY_ROUNDING);
}

/* Corners of an element, from the first body's origin, at both ends of the window. */
typedef struct chords {
    int count;
    tact_vec3 from[4], to[4];
    tact_vec3 sum_from, sum_to;
} chords;

static chords chords_of(const window *w, const convex *c, int which)
{
    chords x = {.count = c->point_count};
    for (int i = 0; i < c->point_count; i++) {
        const tact_vec3 p = vec_add(c->transform.origin, c->points[i]);
        x.from[i] = which == 0 ? p : vec_add(p, w->leg.offset);
        x.to[i] = which == 0 ? vec_transform(&w->turn[0], p) : vec_add(vec_transform(&w->turn[1], p), w->moved);
        x.sum_from = vec_add(x.sum_from, x.from[i]);
        x.sum_to = vec_add(x.sum_to, x.to[i]);
    }
    return x;
}

static double most_along(const tact_vec3 *p, int count, tact_vec3 n)
{
    double most = vec_dot(n, p[0]);
    for (int i = 1; i < count; i++) {
        const double x = vec_dot(n, p[i]);
        most = x > most ? x : most;
    }
    return most;
}

/* Does n, from A to B and of any length, separate their corners by more than `room` at both ends? Then it does in
 * between: of points that go straight the most along n is a convex function of time, and `room` holds what they are off
 * their chords. */
static bool keeps_apart(const chords *a, const chords *b, tact_vec3 n, double room)
{
    const tact_vec3 back = vec_negate(n);
    const double least = room * vec_length(n) * (1.0 + WAY_ROUNDING);
    return -most_along(b->from, b->count, back) - most_along(a->from, a->count, n) > least &&
           -most_along(b->to, b->count, back) - most_along(a->to, a->count, n) > least;
}

/* The same on either side. */
static bool keeps_beside(const chords *a, const chords *b, tact_vec3 n, double room)
{
    return keeps_apart(a, b, n, room) || keeps_apart(a, b, vec_negate(n), room);
}

static tact_vec3 normal_of(const tact_vec3 *p) { return vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])); }

/* Whether two elements with corners are seen to stay apart along one of a few axes: between their middles, and their
 * faces. */
static bool chords_stay_apart(const window *w, const convex *ca, const convex *cb)
{
    if (ca->kind != CONVEX_POINTS || cb->kind != CONVEX_POINTS)
        return false;
    const chords a = chords_of(w, ca, 0), b = chords_of(w, cb, 1);
    const double room = w->bow + w->slack + ca->margin + cb->margin;
    const double pa = 1.0 / a.count, pb = 1.0 / b.count;
    const tact_vec3 first = vec_sub(vec_scale(b.sum_from, pb), vec_scale(a.sum_from, pa));
    const tact_vec3 last = vec_sub(vec_scale(b.sum_to, pb), vec_scale(a.sum_to, pa));
    if (keeps_apart(&a, &b, vec_add(first, last), room) || keeps_apart(&a, &b, first, room) ||
        keeps_apart(&a, &b, last, room))
        return true;
    if (a.count == 3 && (keeps_beside(&a, &b, normal_of(a.from), room) || keeps_beside(&a, &b, normal_of(a.to), room)))
        return true;
    return b.count == 3 &&
           (keeps_beside(&a, &b, normal_of(b.from), room) || keeps_beside(&a, &b, normal_of(b.to), room));
}

static double window_pair(void *context, const primitive *a, const primitive *b, double enter, double limit)
{
    window *w = context;
    convex ca, cb;
    (void)enter;
    if (!both_convex(a, b, &ca, &cb, &w->status))
        return -1.0;
    bool far = stay_apart(w, &ca, &cb), apart = far || chords_stay_apart(w, &ca, &cb);
    w->pairs += far ? 1 : apart ? CHORDS_WORK : PAIR_WORK;
    if (w->pairs > w->most)
        return -1.0;
    if (apart)
        return limit;
    tact_toi met = w->press ? tact_convex_press(&w->leg, &ca, &cb, w->first) : tact_convex_meet(&w->leg, &ca, &cb);
    double time = w->begin + met.time;
    if (met.state == TACT_MISS || time > w->best->time || (time == w->best->time && w->best->state == TACT_HIT))
        return limit;
    w->axis = met.normal;
    *w->best = met;
    w->best->time = time;
    w->best->part_a = primitive_part(a);
    w->best->part_b = primitive_part(b);
    w->leg.end = fmin(w->leg.end, met.time);
    return w->span > 0.0 ? fmin(limit, w->leg.end / w->span) : limit;
}

/* Looks at all pairs that could meet from `begin` on for `span`; brings `best` down to the first contact. False: there
 * are more than `most`. */
static bool search_window(journey *j, double begin, double span, bool press, bool first, long most, tact_toi *best,
                          long *pairs)
{
    instance both[2];
    bodies_at(j, begin, both);
    window w = {.j = j, .begin = begin, .press = press, .first = first, .most = most, .best = best, .status = TACT_OK};
    w.leg.place = j->origin;
    w.leg.place.origin = origin_at(j, begin);
    for (int i = 0; i < 2; i++) {
        w.leg.motion[i] = j->motion[i];
        w.leg.motion[i].velocity = vec_mul_add(j->motion[i].velocity, begin, j->motion[i].acceleration);
    }
    w.leg.offset = both[1].at.origin;
    both[1].at.origin = vec_make(0.0, 0.0, 0.0);
    w.leg.noise = noise_at(j, begin + span);
    w.leg.tolerance = tolerance_at(j, begin + span);
    w.leg.band = press ? band_at(j, begin + span) : 0.0;
    w.leg.deep = j->deep;
    w.leg.late = j->late;
    w.leg.end = fmax(fmin(span, best->time - begin), 0.0);
    w.leg.allocator = j->allocator;
    for (int i = 0; i < 2; i++) {
        const tact_motion turning = {.spin = j->motion[i].spin};
        const double rate = vec_length_safe(turning.spin) * w.leg.end;
        w.turn[i] = tact_motion_at(turning, tact_identity(), w.leg.end);
        w.bow += 0.125 * rate * rate * reach_of(&j->body[i]); /* spin: w^2 r h^2 / 8 */
    }
    w.moved = offset_at(j, begin + w.leg.end);
    w.bow += 0.125 * j->thrust * w.leg.end * w.leg.end;
    w.axis = best->normal; /* from a window that was given up */
    w.slack = 2.0 * fmax(w.leg.tolerance, w.leg.band) + 4.0 * w.leg.noise;
    w.span = w.leg.end;
    passage p = {.offset = w.leg.offset,
                 .way = vec_sub(w.moved, w.leg.offset),
                 .bend = vec_scale(j->acceleration, 0.125 * w.span * w.span),
                 .room = 0.5 * j->turning * w.span * (1.0 + WAY_ROUNDING) + w.slack,
                 .pair = window_pair,
                 .context = &w};
    for (int i = 0; i < 2; i++)
        p.half[i] = tact_motion_at((tact_motion){.spin = j->motion[i].spin}, tact_identity(), 0.5 * w.span);
    (void)tact_traverse_moving_pairs(&p, &both[0], &both[1], 1.0);
    tact_status status = p.status != TACT_OK ? p.status : w.status;
    if (status != TACT_OK)
        *best = answer_failure(status, begin);
    *pairs = w.pairs;
    j->pairs += w.pairs;
    return w.pairs <= most;
}

/* How far they may go, from where they are, without looking at pairs: 0 if they are near. Where balls around them are
 * apart, by those alone: a window that begins there holds few pairs. */
static double free_way(const journey *j, double time, tact_status *status)
{
    instance both[2];
    sight s;
    const double balls =
        vec_length_safe(offset_at(j, time)) - j->reach - tolerance_at(j, time) - 2.0 * noise_at(j, time);
    *status = TACT_OK;
    if (balls > 0.0)
        return balls;
    bodies_at(j, time, both);
    see_nearest(both, ROUGH, ROUGH_ACCURACY, &s);
    *status = s.status;
    return s.distance * ROUGH * (1.0 - 2.0 * ROUGH_ACCURACY) - tolerance_at(j, time) - 2.0 * noise_at(j, time);
}

/* Searches on from `time`. In touch: follows until they part. Else elements are apart, and their way is free for so
 * far; 0: not known. */
static tact_toi search(journey *j, double time, bool in_touch, double way)
{
    tact_toi best = answer_miss(j);
    /* what has no size, or none beside its way, still goes on by what can be told apart */
    const double least = LEAST_WIDTH * tolerance_at(j, j->end);
    double width = fmax(FIRST_WIDTH * j->size, least);
    double follow = fmax(FOLLOW_PART * fmax(j->size, least), j->tolerance);
    bool look = true;
    double watched = time;
    int unwatched = 0;
    for (int count = 0; count < (in_touch ? j->windows : WINDOWS_MOST) && j->pairs < PAIRS_MOST; count++) {
        tact_status status = TACT_OK;
        if (in_touch && !(noise_at(j, time) > j->size)) {
            watched = time;
            unwatched = 0;
        } else if (++unwatched > WINDOWS_WATCHED) {
            const double hoped = (time - watched) * (HOPE * WINDOWS_MOST / WINDOWS_WATCHED);
            if (hoped < best.time - time)
                break;
            watched = time;
            unwatched = 1;
        }
        if (look && !in_touch) {
            way = way > 0.0 ? way : free_way(j, time, &status);
            if (status != TACT_OK)
                return answer_failure(status, time);
            look = way > 0.25 * width;
            if (look) {
                double step = time_for(j, time, way);
                if (time + step >= best.time)
                    return best;
                if (!(time + step > time))
                    return answer_failure(TACT_NOT_CONVERGED, time);
                time += step;
                way = 0.0;
                continue;
            }
        }
        way = 0.0;
        double span = fmin(time_for(j, time, in_touch ? follow : width), best.time - time);
        bool last = time + span >= best.time;
        /* A contact is known: what lies before it has to be looked at anyway. */
        bool narrow = in_touch || best.state == TACT_HIT || width <= LEAST_WIDTH * tolerance_at(j, time);
        double back = in_touch ? fmin(time_for(j, time, OVERLAP * band_at(j, time)), time) : 0.0;
        long pairs;
        if (!search_window(j, time - back, back + span, in_touch, time == 0.0, narrow ? PAIRS_MOST : MANY_PAIRS, &best,
                           &pairs)) {
            width = fmax(0.25 * width, LEAST_WIDTH * tolerance_at(j, time));
            look = true;
            continue;
        }
        if (last || best.time <= time + span)
            return best;
        if (!(time + span > time))
            break;
        time += span;
        if (pairs < FEW_PAIRS)
            width *= 2.0;
        look = pairs == 0;
        if (in_touch) {
            sight s = see(j, time);
            if (s.status != TACT_OK)
                return answer_failure(s.status, time);
            if (s.distance < -2.0 * band_at(j, time) - j->deep) /* pressed in between all pairs */
                return answer_sight(j, &s, time - span);
            in_touch = !(s.distance > band_at(j, time));
            look = true;
        }
    }
    return answer_failure(TACT_NOT_CONVERGED, time);
}

/* ---- along one direction --------------------------------------------------------------------------------------------
 */

/* Two that are on two sides of a plane, and leave it, need no look at their elements: of any two points how far they
 * are apart along n is a function of time with a second derivative of at most `bend`, so the least of all is nowhere
 * lower than the chord of its values at two times by more than x (span - x) / 2 times that. */
typedef struct plane {
    tact_vec3 n; /* from the first to the second */
    double bend;
} plane;

static plane plane_of(const journey *j, tact_vec3 n)
{
    plane p = {n, j->thrust};
    for (int i = 0; i < 2; i++)
        p.bend += vec_length_squared(j->motion[i].spin) * reach_of(&j->body[i]);
    return p;
}

static double apart_at(const journey *j, const plane *p, double time)
{
    instance both[2];
    bodies_at(j, time, both);
    return tact_instance_separation_along(&both[0], &both[1], p->n);
}

/* Up to where in `span` that is above `floor`, given its values at both ends. */
static double stays_above(const plane *p, double from, double to, double floor, double span)
{
    const double room = from - floor, slope = (to - from) / span - 0.5 * p->bend * span;
    if (!(room > 0.0))
        return 0.0;
    const double under = slope * slope - 2.0 * room * p->bend;
    if (slope >= 0.0 || under < 0.0)
        return span;
    return fmin(2.0 * room / (sqrt(under) - slope) * (1.0 - WAY_ROUNDING), span);
}

/* Do two in touch, that are `apart` along the plane's normal, part along it, without pressing deeper into each other by
 * more than half the band? By `when` they are as far apart as this is then. */
static bool parts_along(const journey *j, const plane *p, double *when, double *apart)
{
    const double band = band_at(j, 0.0), start = *apart;
    const double longest = fmin(time_for(j, 0.0, FOLLOW_PART * j->size), j->end);
    if (!(fabs(start) <= band) && !(start < 0.0 && start >= -j->shallow))
        return false;
    for (double t = time_for(j, 0.0, 4.0 * tolerance_at(j, 0.0)); t < longest; t *= 2.0) {
        *when = t;
        *apart = apart_at(j, p, t);
        if (*apart < start - 4.0 * noise_at(j, t))
            return false;
        if (!(*apart > 2.0 * tolerance_at(j, t)))
            continue;
        return !(stays_above(p, start, *apart, fmin(start, 0.0) - 0.5 * band, t) < t);
    }
    return false;
}

/* Searches on from `time`, at which they are so far apart along a plane's normal: as long as that keeps them apart, by
 * it alone. Where it ends, as a rule the contact is there. */
static tact_toi search_along(journey *j, const plane *p, double time, double apart)
{
    double span = j->end - time;
    bool down = false;
    for (int i = 0; i < COAST_LOOKS && !down; i++) {
        span = fmin(span, j->end - time);
        const double tolerance = tolerance_at(j, time + span), then = apart_at(j, p, time + span);
        const double step = stays_above(p, apart, then, STEP_PART * tolerance, span);
        if (step >= span && time + span >= j->end)
            return answer_miss(j);
        if (step < COAST_PART * span) {
            span *= 2.0 * COAST_PART;
            continue;
        }
        if (!(time + step > time))
            break;
        time += step;
        const double left = span - step;
        apart = left > 0.0 ? apart_at(j, p, time) : then;
        down = !(apart > ACCEPT_PART * tolerance);
        span = !(left > 0.0) ? 4.0 * span : then < apart ? 2.0 * left * (apart / (apart - then)) : left;
    }
    if (down) {
        tact_toi best = answer_miss(j);
        long pairs;
        best.normal = p->n;
        span = fmin(time_for(j, time, LEAST_WIDTH * tolerance_at(j, time)), j->end - time);
        const bool whole = search_window(j, time, span, false, false, MANY_PAIRS, &best, &pairs);
        if (whole && best.state != TACT_MISS)
            return best;
        time = whole ? time + span : time;
    }
    return search(j, time, false, 0.0);
}

/* ---- the start ------------------------------------------------------------------------------------------------------
 */

/* Whether the signed distance is seen to fall from what it is at the start: at later and later times, each twice the
 * one before, until it has changed by more than rounding. */
static bool is_closing(const journey *j, const sight *start, tact_status *status)
{
    double longest = time_for(j, 0.0, fmax(FOLLOW_PART * j->size, j->tolerance));
    double tried = time_for(j, 0.0, fmax(COURSE_WAY * noise_at(j, 0.0), COURSE_PART * j->tolerance));
    *status = TACT_OK;
    if (!(longest < INFINITY))
        return false;   /* nobody moves */
    double level = 0.0; /* until then at the least */
    for (double t = fmin(tried, longest);; level = t, t = fmin(2.0 * t, longest)) {
        sight later = see(j, t);
        *status = later.status;
        if (later.status != TACT_OK)
            return false;
        double slack = 4.0 * noise_at(j, t) + DEPTH_ACCURACY * fabs(start->distance);
        if (level > 0.0 && later.distance < start->distance - COURSE_FALL * slack)
            return false; /* by what has come into touch since */
        if (later.distance < start->distance - slack)
            return true;
        if (later.distance > start->distance + slack || !(t > 0.0) || t >= longest)
            return false;
    }
}

/* Deep in each other from the start: the way out says from where to where. */
static tact_toi answer_deep(const journey *j, const sight *s)
{
    tact_toi hit = answer_sight(j, s, 0.0);
    tact_transform second = j->body[1].at;
    second.origin = vec_add(j->origin.origin, j->offset);
    tact_penetration d = tact_complex_depth(j->body[0].shape, &j->origin, j->body[1].shape, &second);
    if (d.status == TACT_OUT_OF_MEMORY)
        return answer_failure(d.status, 0.0);
    if (d.status != TACT_OK || !(d.depth > 0.0))
        return hit;
    hit.normal = d.normal;
    hit.point = vec_scale(vec_add(d.on_a, d.on_b), 0.5);
    hit.part_a = d.part_a;
    hit.part_b = d.part_b;
    return hit;
}

static tact_toi find_impact(journey *j, const toi_input *input, toi_output *output)
{
    j->late = input->ignore_initial_contact;
    j->windows = input->max_contact_steps > 0 ? (input->max_contact_steps + STEPS_PER_WINDOW - 1) / STEPS_PER_WINDOW
                                              : WINDOWS_MOST;
    j->band = input->contact_band;
    j->shallow = input->max_depth;
    j->deep = 0.0;
    if (shape_is_empty(j->body[0].shape) || shape_is_empty(j->body[1].shape))
        return answer_miss(j);
    const double band = band_at(j, 0.0);
    output->band = band;
    tact_status status;
    tact_common_point common;
    instance both[2];
    if (vec_max_abs(input->normal_hint) > 0.0) {
        const plane p = plane_of(j, j->swapped ? vec_negate(input->normal_hint) : input->normal_hint);
        const double start = apart_at(j, &p, 0.0);
        double when = 0.0, apart = start;
        output->start = apart > band ? TOI_START_SEPARATED : TOI_START_UNKNOWN;
        if (output->start == TOI_START_SEPARATED)
            return search_along(j, &p, when, apart);
        if (parts_along(j, &p, &when, &apart)) {
            output->start = TOI_START_LEAVING;
            output->separation = start;
            return search_along(j, &p, when, apart);
        }
    }
    bodies_at(j, 0.0, both);
    const double way = free_way(j, 0.0, &status);
    if (way > 0.0 && status == TACT_OK && !tact_complex_inside(&both[0], &both[1], &common)) {
        output->start = TOI_START_SEPARATED;
        return search(j, 0.0, false, way);
    }
    sight s = see(j, 0.0);
    if (s.status != TACT_OK)
        return answer_failure(s.status, 0.0);
    if (s.distance > band) {
        output->start = TOI_START_SEPARATED;
        return search(j, 0.0, false, 0.0);
    }
    output->start = TOI_START_CONTACT;
    output->separation = s.distance;
    j->deep = fmin(input->allowed_depth, fmin(fmax(0.0, -s.distance), input->max_depth));
    if (s.distance < -band - j->deep)
        return answer_deep(j, &s);
    if (input->ignore_initial_contact)
        return search(j, 0.0, true, 0.0);
    if (is_closing(j, &s, &status))
        return answer_sight(j, &s, 0.0);
    return status == TACT_OK ? search(j, 0.0, true, 0.0) : answer_failure(status, 0.0);
}

/* Does a spin turn the body, or only a round thing about its axis? */
static bool turns(const instance *p, tact_vec3 spin)
{
    convex c;
    const tact_vec3 axis = vec_normalize(spin);
    return vec_length_squared(axis) > 0.0 &&
           !(shape_is_convex(p->shape) && tact_convex_make(&c, p->shape, &p->at) == TACT_OK &&
             vec_max_abs(c.transform.origin) == 0.0 && tact_convex_is_round(&c, axis));
}

/* Where neither turns, and they are not in each other from the start, there is a direct way. */
static bool slide_past(const journey *j, tact_toi *out)
{
    if (turns(&j->body[0], j->motion[0].spin) || turns(&j->body[1], j->motion[1].spin) ||
        shape_is_empty(j->body[0].shape) || shape_is_empty(j->body[1].shape))
        return false;
    const slide s = {{&j->body[0], &j->body[1]},
                     j->offset,
                     j->velocity,
                     j->acceleration,
                     j->reach,
                     j->size,
                     j->tolerance,
                     j->end,
                     j->allocator};
    if (!tact_translating_toi(&s, out))
        return false;
    if (out->state == TACT_HIT)
        out->point = vec_add(out->point, origin_at(j, out->time));
    return true;
}

static TACT_NOINLINE void find_toi(const toi_input *input, toi_output *output)
{
    instance both[2];
    journey j;
    *output = (toi_output){.start = TOI_START_UNKNOWN};
    output->toi = answer_failure(TACT_BAD_ARGUMENT, 0.0);
    const tact_toi_def def = {input->end, input->tolerance};
    if (tact_instance_make(&both[0], input->shape[0], &input->transform[0]) != TACT_OK ||
        tact_instance_make(&both[1], input->shape[1], &input->transform[1]) != TACT_OK ||
        prepare(&j, &both[0], &input->motion[0], &both[1], &input->motion[1], &def) != TACT_OK)
        return;
    if (!slide_past(&j, &output->toi))
        output->toi = find_impact(&j, input, output);
    if (j.swapped)
        swap_parts(&output->toi);
}

void tact_mesh_toi(const toi_input *input, toi_output *output)
{
    const fp_environment found = fp_environment_enter();
    find_toi(input, output);
    fp_environment_leave(found);
}

tact_toi tact_complex_cast_surfaces(const instance *a, const instance *b, tact_vec3 path, double tolerance)
{
    journey j;
    const tact_motion still = tact_motion_still(), moving = {.velocity = path};
    const tact_toi_def def = {1.0, tolerance};
    if (prepare(&j, a, &still, b, &moving, &def) != TACT_OK)
        return answer_failure(TACT_BAD_ARGUMENT, 0.0);
    j.late = false;
    j.windows = WINDOWS_MOST;
    j.band = j.shallow = j.deep = 0.0;
    tact_toi out = search(&j, 0.0, false, 0.0);
    if (j.swapped)
        swap_parts(&out);
    return out;
}
