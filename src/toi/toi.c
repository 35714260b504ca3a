/*
 * Time of impact of two convex shapes that drift, fall and spin: conservative advancement with separating directions.
 *
 * Guarantee. Write D(t) for the signed distance and f_n(t) for the separation along a unit vector n; D is the largest
 * f_n. At a time t GJK gives n. From there on n may stay, or swing with a constant angular velocity; along it the
 * separation is bounded from below, for every instant of a span, by a parabola: what the origins do is a polynomial,
 * what the bodies reach is convex in the direction and so below the Bernstein polynomial of its values at three
 * directions, and the rests of both are third derivatives bounded by the spins (safe_along). We go to where the
 * parabola comes down to half the tolerance, no farther, and stop once D is at most three quarters of it: so the time
 * is never after the first contact, and the distance then is within the tolerance. Positions are relative to A, and
 * half the tolerance is kept above twice the rounding of all that enters, so this holds in floating point; a
 * tolerance below that (about 1e-14 of sizes and path) is taken as that.
 *
 * Cost: some support points a step, and a GJK started at the last n where that does not separate them any more. Without
 * spin the parabola is exact and D convex: Newton's method, 4 to 6 steps whatever the speed; with spin it is off by the
 * third order, and 8 steps are usual. While balls around both are apart only these are advanced, so spin costs nothing
 * on a long way; a body that its spin maps onto itself does not count as turning. Spin close to contact costs a few
 * steps a radian; the cap on steps is an honest TACT_NOT_CONVERGED.
 *
 * Starting in touch (|D(0)| at most the tolerance): they close if D is seen to leave D(0) downwards, beyond rounding,
 * once they have moved by a thousandth of the tolerance or, if it is level then, by twice as much again and again;
 * rest with acceleration into each other so counts as closing. Else we follow them: touch goes on, without a hit,
 * until D exceeds the tolerance (parted: search as above) or is below minus the tolerance (pressed in: a hit, at the
 * last time seen within). A hop lower than about eight tolerances, or one shorter than 1/64 of the larger body's size
 * that stays that low along the normal of contact, may count as lasting touch. Of two that are known to be in touch
 * (convex_impact.h) all of this is told by a wider band than the tolerance, and by how deep they are; then lasting
 * touch takes few steps, along a normal that swings as the contact is seen to do a little ahead.
 *
 * After Mirtich's conservative advancement (1996) and Catto's bilateral advancement (Box2D), which look at f_n at
 * sample times; we bound it in between, and let n swing: along a fixed n a turning face drives its own corner through
 * the plane, and steps shrink with the distance.
 */
#include <float.h>
#include <tact/query.h>

#include "complex/complex_contact.h"
#include "convex/closed_form.h"
#include "convex/epa.h"
#include "convex/gjk.h"
#include "convex/pair_order.h"
#include "motion/motion.h"
#include "shape/support.h"
#include "toi/convex_toi.h"
#include "toi/toi.h"

/* Unit roundoff. */
#define ROUND (0.5 * DBL_EPSILON)

/* Of the path (a length): rounding of the offset between the origins, some 4 u, and of its product with n, 3 u. */
#define PATH_ROUNDING (8.0 * ROUND)

/* Of what the bodies reach: rounding of placed, turned support points and their products with n, some 12 u,
 * and of the polynomials made of them. */
#define REACH_ROUNDING (32.0 * ROUND)

/* Relative; within this a body counts as round about its spin axis. Placements from quaternions are off by a few u. */
#define ROUND_BODY (32.0 * ROUND)

/* Default tolerance: relative to the size of the smaller body that has one. */
#define DEFAULT_TOLERANCE 1e-9

/* Parts of the tolerance: where a step ends, and where the search does. Between them lies the least progress of a
 * step. */
#define STEP_PART 0.5
#define ACCEPT_PART 0.75

/* GJK need not be more accurate than this part of the distance, margins taken off. */
#define GJK_ROUGH 1e-2

/* A direction must separate by the proved distance less this part of it; from ACCEPT_PART of the tolerance that
 * leaves room above STEP_PART. */
#define UNPROVED 0.2

/* The same for the normal of an answer: it is off by the root of what is missing, over the curvature. */
#define UNPROVED_FINE 1e-6

/* Relative to the size: bounds this close have met, even if rounding stopped GJK before its own, finer mark. */
#define STALLED (32.0 * DBL_EPSILON)

/* While following a lasting touch no step is longer than this part of the larger body's size (of the path, for points).
 */
#define FOLLOW_PART (1.0 / 64.0)

/* Steps before we give up: a thousand revolutions close to contact. */
#define STEPS_MOST 20000

/* Balls that are apart for at least this part of the remaining time need no closer look. */
#define BALL_STEP 0.01

/* How far the bodies first move when we look which way they go from a start in touch: at least this many roundings,
 * and this part of the tolerance (in the corner between two edges a distance far below the tolerance may fall for an
 * instant before it grows). */
#define COURSE_WAY 64.0
#define COURSE_PART 1e-3

/* What falls from the start falls so many times as far in twice the time, at the most: 2 times steadily, 4 times as
 * stones do. If it has fallen farther, it was level at first, and something else has come into touch since: another
 * corner of a box that tips. */
#define COURSE_FALL 8.0

/* Of the size: two that are no farther apart may go on by what is seen at both ends of a step; if it is so many times
 * as long as it would be otherwise. */
#define STEADY_PART 1e-3
#define STEADY_GAIN 4.0

/* Two in touch on a way of which the square, over their size, is the tolerance: a step that is a smaller part of that
 * is tried again with the normal turning as it does on this way. */
#define SWING_GAIN 0.25

/* Of the tolerance: two elements in touch that are this far apart are clearly on one side of each other. */
#define CLEAR_PART 0.25

/* The relative accuracy of a depth. */
#define DEPTH_ACCURACY 2e-6

/* Coordinates, also of where the motions lead, are refused beyond this: their products would overflow. */
#define FARTHEST 1e150

/* Two bodies on their way, seen from the origin of the first. They are put in one order, so that swapping A and B
 * mirrors the answer. */
typedef struct flight {
    bool swapped;         /* the first is B */
    tact_transform place; /* of the first at time 0, and its motion: where to add the answer to */
    tact_motion motion;
    convex body[2];    /* at time 0; at.origin is relative to the origin of the placement, about which it spins */
    tact_vec3 axis[2]; /* of the spin, unit; zero if it does not turn, or turns onto itself */
    double rate[2];    /* radians per unit of time */
    double arm[2];     /* no point of the core is farther than this from the axis */
    double ball[2];    /* nor farther than this, margin included, from the origin */
    tact_vec3 offset;  /* of the second's origin from the first's, with its derivatives */
    tact_vec3 velocity;
    tact_vec3 acceleration;
    double offset_size, speed, thrust; /* their lengths */
    double margin;                     /* of both */
    bool plain;                        /* both are polytopes without a margin */
    double body_noise;                 /* rounding of the bodies' part of a separation */
    double size;                       /* largest half extent of either body along a coordinate axis */
    double tolerance;
    double band; /* a length: they are in touch while they are no farther apart, nor deeper in each other; no less than
                    the tolerance */
    int touch_steps; /* so many steps in touch at the most */
    double deep;     /* a depth at which they are in touch all the same, besides the band */
    bool late; /* a touch that presses in is a hit when that is seen, by at most half a tolerance more, not when they
                  were last seen in touch */
    double end;
    const tact_allocator *allocator;
} flight;

/* Where both are at one time. */
typedef struct pose {
    double time;
    axis_rotation turned[2];
    tact_vec3 offset;
    tact_vec3 velocity;
} pose;

/* How two bodies are to each other at one time; points relative to the first's origin. */
typedef struct contact {
    tact_status status;
    double distance; /* signed */
    double lower;    /* proved lower bound of it, where they are apart */
    tact_vec3 normal;
    tact_vec3 on_a, on_b;
} contact;

/* ---- preparing -------------------------------------------------------------------------------------------------- */

/* Does a rotation about the unit vector k map the core onto itself, up to rounding? An affine ball is given by M M^t:
 * it is round about k when M^t k, M^t e, M^t f are at right angles for e, f across k, and the last two equally long. */
bool tact_convex_is_round(const convex *c, tact_vec3 k)
{
    if (c->kind != CONVEX_ELLIPSOID && c->kind != CONVEX_CAPSULE && c->kind != CONVEX_CYLINDER &&
        c->kind != CONVEX_CONE)
        return false;
    tact_vec3 e, f;
    vec_tangent_basis(k, &e, &f);
    tact_vec3 mk = vec_transform_transposed(&c->transform, k), me = vec_transform_transposed(&c->transform, e),
              mf = vec_transform_transposed(&c->transform, f);
    double slack = ROUND_BODY * c->bounding_radius;
    if (vec_length_safe(vec_cross(k, c->transform.origin)) > slack)
        return false;
    if (c->kind == CONVEX_CAPSULE && vec_length_safe(vec_cross(k, c->axis)) > slack)
        return false;
    if (c->kind == CONVEX_CYLINDER || c->kind == CONVEX_CONE) {
        /* y along k, the disc across it */
        if (fabs(me.y) > slack || fabs(mf.y) > slack || fabs(mk.x) > slack || fabs(mk.z) > slack)
            return false;
        mk = vec_make(0.0, 0.0, 0.0);
        me.y = mf.y = 0.0;
    }
    tact_vec3 unit_e = vec_normalize(me), unit_f = vec_normalize(mf), unit_k = vec_normalize(mk);
    return fabs(vec_dot(unit_e, me) - vec_dot(unit_f, mf)) <= slack && fabs(vec_dot(unit_e, mf)) <= slack &&
           fabs(vec_dot(unit_k, me)) <= slack && fabs(vec_dot(unit_k, mf)) <= slack;
}

static double support_along(const convex *c, tact_vec3 n)
{
    uint64_t branch;
    return vec_dot(n, vec_add(convex_support(c, n, &branch), c->transform.origin));
}

/* How far the core lies from the axis k at most. */
static double arm_about(const convex *c, tact_vec3 k)
{
    double arm = 0.0;
    if (c->kind == CONVEX_POINTS) {
        for (int i = 0; i < c->point_count; i++)
            arm = fmax(arm, vec_length_safe(vec_cross(k, vec_add(c->points[i], c->transform.origin))));
    } else {
        tact_vec3 e, f;
        vec_tangent_basis(k, &e, &f);
        double along_e = fmax(support_along(c, e), support_along(c, vec_negate(e)));
        double along_f = fmax(support_along(c, f), support_along(c, vec_negate(f)));
        arm = hypot(along_e, along_f);
    }
    return fmin(arm, c->bounding_radius + vec_length_safe(c->transform.origin)) * (1.0 + REACH_ROUNDING);
}

/* The largest half extent along a coordinate axis, and a ball around the origin that holds the body. */
static double measure(const convex *c, double *ball)
{
    static const tact_vec3 along[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double widest = 0.0;
    tact_vec3 corner;
    double *far_corner[3] = {&corner.x, &corner.y, &corner.z};
    for (int i = 0; i < 3; i++) {
        double up = support_along(c, along[i]), down = support_along(c, vec_negate(along[i]));
        widest = fmax(widest, 0.5 * (up + down));
        *far_corner[i] = fmax(fabs(up), fabs(down));
    }
    *ball = fmin(vec_length_safe(corner), c->bounding_radius + vec_length_safe(c->transform.origin)) *
                (1.0 + REACH_ROUNDING) +
            c->margin;
    return widest + c->margin;
}

static int compare_vec(tact_vec3 a, tact_vec3 b)
{
    const double p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static int compare_motion(const tact_motion *a, const tact_motion *b)
{
    int order = compare_vec(a->velocity, b->velocity);
    if (order == 0)
        order = compare_vec(a->acceleration, b->acceleration);
    return order != 0 ? order : compare_vec(a->spin, b->spin);
}

/* Places a body about its spin centre: its origin is left to the flight. */
static bool place_body(convex *c, const tact_shape *shape, tact_transform at)
{
    if (!vec_finite(at.origin) || vec_max_abs(at.origin) > FARTHEST)
        return false;
    at.origin = vec_make(0.0, 0.0, 0.0);
    return tact_convex_make(c, shape, &at) == TACT_OK;
}

static void prepare_spin(flight *w, int i, tact_vec3 spin)
{
    const convex *c = &w->body[i];
    w->axis[i] = vec_normalize(spin);
    w->rate[i] = vec_dot(w->axis[i], spin);
    w->arm[i] = w->rate[i] > 0.0 ? arm_about(c, w->axis[i]) : 0.0;
    if (w->rate[i] > 0.0 && tact_convex_is_round(c, w->axis[i])) {
        w->arm[i] = 0.0;
        w->body_noise += ROUND_BODY * (c->bounding_radius + vec_length_safe(c->transform.origin));
    }
    if (!(w->arm[i] > 0.0)) {
        w->rate[i] = 0.0;
        w->axis[i] = vec_make(0.0, 0.0, 0.0);
    }
}

/* All that follows from the bodies, the offset of the second, and how they move. */
static tact_status prepare_course(flight *w, const tact_motion *first, const tact_motion *second, double tolerance)
{
    w->velocity = vec_sub(second->velocity, first->velocity);
    w->acceleration = vec_sub(second->acceleration, first->acceleration);
    w->offset_size = vec_length_safe(w->offset);
    w->speed = vec_length_safe(w->velocity);
    w->thrust = vec_length_safe(w->acceleration);
    w->margin = w->body[0].margin + w->body[1].margin;
    w->plain = tact_convex_is_polytope(&w->body[0]) && tact_convex_is_polytope(&w->body[1]) && !(w->margin > 0.0);
    double size[2];
    for (int i = 0; i < 2; i++)
        size[i] = measure(&w->body[i], &w->ball[i]);
    w->size = fmax(size[0], size[1]);
    w->body_noise = REACH_ROUNDING * (w->ball[0] + w->ball[1]);
    prepare_spin(w, 0, first->spin);
    prepare_spin(w, 1, second->spin);
    double smaller = fmin(size[0], size[1]); /* floors are always large, and nobody means them */
    w->tolerance = tolerance > 0.0 ? tolerance : DEFAULT_TOLERANCE * (smaller > 0.0 ? smaller : w->size);
    /* Nothing that is computed on the way overflows. */
    double t = w->end, turned = w->rate[0] * w->arm[0] * t + w->rate[1] * w->arm[1] * t;
    double farthest = w->offset_size + w->speed * t + w->thrust * t * t + turned;
    double bend = w->rate[0] * w->rate[0] * w->arm[0] + w->rate[1] * w->rate[1] * w->arm[1];
    return farthest + w->size < FARTHEST && bend < FARTHEST ? TACT_OK : TACT_BAD_ARGUMENT;
}

static tact_status prepare(flight *w, const toi_input *input)
{
    const tact_motion *motion[2] = {&input->motion[0], &input->motion[1]};
    const tact_transform *at[2] = {&input->transform[0], &input->transform[1]};
    for (int i = 0; i < 2; i++)
        if (!vec_finite(motion[i]->velocity) || !vec_finite(motion[i]->acceleration) || !vec_finite(motion[i]->spin))
            return TACT_BAD_ARGUMENT;
    if (!(input->end >= 0.0) || !(input->end < INFINITY) || !(input->tolerance >= 0.0) ||
        !(input->tolerance < INFINITY))
        return TACT_BAD_ARGUMENT;
    for (int i = 0; i < 2; i++)
        if (!place_body(&w->body[i], input->shape[i], *at[i]))
            return TACT_BAD_ARGUMENT;
    int order = compare_vec(at[0]->origin, at[1]->origin);
    if (order == 0)
        order = tact_convex_compare(&w->body[0], &w->body[1]);
    if (order == 0)
        order = compare_motion(motion[0], motion[1]);
    w->swapped = order > 0;
    if (w->swapped) {
        convex first = w->body[1];
        w->body[1] = w->body[0];
        w->body[0] = first;
        motion[0] = &input->motion[1];
        motion[1] = &input->motion[0];
        at[0] = &input->transform[1];
        at[1] = &input->transform[0];
    }
    w->place = *at[0];
    w->motion = *motion[0];
    w->allocator = &w->body[0].shape->allocator;
    w->offset = vec_sub(at[1]->origin, at[0]->origin);
    w->end = input->end;
    return prepare_course(w, motion[0], motion[1], input->tolerance);
}

/* ---- separation along a direction ------------------------------------------------------------------------------- */

static pose pose_at(const flight *w, double time)
{
    pose p;
    p.time = time;
    for (int i = 0; i < 2; i++)
        p.turned[i] = w->rate[i] > 0.0 ? axis_rotation_make(w->axis[i], w->rate[i] * time)
                                       : (axis_rotation){w->axis[i], 0.0, 0.0};
    p.offset = vec_mul_add(vec_mul_add(w->offset, time, w->velocity), time, vec_scale(w->acceleration, 0.5 * time));
    p.velocity = vec_mul_add(w->velocity, time, w->acceleration);
    return p;
}

/* How far the two cores together reach towards each other along n. */
static double reach_along(const flight *w, const pose *p, tact_vec3 n)
{
    tact_vec3 a = w->rate[0] > 0.0 ? axis_rotation_apply_inverse(&p->turned[0], n) : n;
    tact_vec3 b = w->rate[1] > 0.0 ? axis_rotation_apply_inverse(&p->turned[1], vec_negate(n)) : vec_negate(n);
    return support_along(&w->body[0], a) + support_along(&w->body[1], b);
}

/* f_n, given that reach. */
static double separation(const flight *w, const pose *p, tact_vec3 n, double reach)
{
    return (vec_dot(n, p->offset) - reach) - w->margin;
}

/* A bound of the rounding of any separation computed at a time up to `time` (a length). */
static double noise_at(const flight *w, double time)
{
    double path = w->offset_size + w->speed * time + 0.5 * w->thrust * time * time;
    double turned = (w->rate[0] * w->arm[0] + w->rate[1] * w->arm[1]) * time; /* the angle itself is rounded */
    return PATH_ROUNDING * (path + turned) + w->body_noise;
}

/* The tolerance asked for, or what rounding allows. */
static double tolerance_at(const flight *w, double time)
{
    return fmax(fmax(w->tolerance, 4.0 * noise_at(w, time)), 4.0 * DBL_MIN);
}

static double band_at(const flight *w, double time) { return fmax(w->band, tolerance_at(w, time)); }

/* By how much those in touch may get deeper: the less the deeper they are, so that what presses them together again and
 * again takes them in by the root of how often, not each time by as much. */
static double deeper_at(const flight *w, double time)
{
    double band = band_at(w, time);
    return fmax(band * (band / (band + w->deep)), tolerance_at(w, time));
}

/* ---- how far it is safe to go ----------------------------------------------------------------------------------- */

/* The first s in (0, span] at which room + slope s + curve s^2 comes down to 0, rounded down; `span` if it does not. */
static double stays_positive(double room, double slope, double curve, double span)
{
    if (!(room > 0.0))
        return 0.0;
    double b = slope * span, c = curve * span * span;
    if (b >= 0.0 && c >= 0.0)
        return span;
    double scale = 1.0 / fmax(room, fmax(fabs(b), fabs(c)));
    room *= scale;
    b *= scale;
    c *= scale;
    double under = b * b - 4.0 * room * c;
    if (under < 0.0)
        return span; /* the lowest point is above 0 */
    double root = sqrt(under);
    double part = b < 0.0 ? 2.0 * room / (root - b) : (b + root) / (-2.0 * c);
    return part < 1.0 ? part * (1.0 - 8.0 * ROUND) * span : span;
}

/* Adds to the reach bound (see safe_along) what one body does to it: its reach along the direction n(s), as the body
 * sees it, over a span h. That direction, d(s) = R(-s) S(s) n for the body's spin w and the swing, has d' = (swing -
 * w) x n and d'' = w x (w x n) - 2 w x (swing x n) + swing x (swing x n) at 0. The reach is convex in the direction,
 * so over a quadratic path it stays below the Bernstein polynomial of its values at the three control points. */
static void add_reach(const flight *w, const pose *from, int i, tact_vec3 n, tact_vec3 swing, double h,
                      double bernstein[3])
{
    tact_vec3 spin = vec_scale(w->axis[i], w->rate[i]);
    if (i == 1)
        n = vec_negate(n);
    tact_vec3 swung = vec_cross(swing, n), spun = vec_cross(spin, n);
    tact_vec3 first = vec_sub(swung, spun);
    tact_vec3 second =
        vec_add(vec_sub(vec_cross(spin, vec_sub(spun, swung)), vec_cross(spin, swung)), vec_cross(swing, swung));
    tact_vec3 middle = vec_mul_add(n, 0.5 * h, first),
              last = vec_mul_add(vec_mul_add(n, h, first), 0.5 * h * h, second);
    if (w->rate[i] > 0.0) {
        middle = axis_rotation_apply_inverse(&from->turned[i], middle);
        last = axis_rotation_apply_inverse(&from->turned[i], last);
    }
    bernstein[1] += support_along(&w->body[i], middle);
    bernstein[2] += support_along(&w->body[i], last);
}

/* How long, up to `span`, the bodies stay at least `floor` apart along n(s), the unit vector n turned with the
 * angular velocity `swing`, given the reach along n at the pose. The offset along n(s) is q(s) = q0 + q1 s + q2 s^2/2
 * + rest, the reach as above + rest; the rests are at most s^3/6 times the bounds on the third derivatives, and s^3
 * <= h s^2 makes all of it a parabola. */
static double safe_along(const flight *w, const pose *from, tact_vec3 n, tact_vec3 swing, double reach, double floor,
                         double span)
{
    double room = separation(w, from, n, reach) - floor, rate = vec_length_safe(swing);
    tact_vec3 turning = vec_cross(swing, n);
    double q1 = vec_dot(turning, from->offset) + vec_dot(n, from->velocity);
    double q2 = vec_dot(vec_cross(swing, turning), from->offset) + 2.0 * vec_dot(turning, from->velocity) +
                vec_dot(n, w->acceleration);
    bool fixed[2]; /* what n(s) is to this body does not change */
    double body_third = 0.0;
    for (int i = 0; i < 2; i++) {
        tact_vec3 spin = vec_scale(w->axis[i], w->rate[i]);
        double both = w->rate[i] + rate;
        fixed[i] = vec_equal(spin, swing);
        if (fixed[i])
            continue;
        double arm = rate > 0.0 ? w->ball[i] : w->arm[i] * vec_length_safe(vec_cross(w->axis[i], n));
        body_third += both * both * both * arm;
    }
    if (!(room > 0.0) || (fixed[0] && fixed[1] && !(rate > 0.0)))
        return stays_positive(room, q1, 0.5 * q2, span);
    /* So long that the rest uses up half the room. */
    double distance = vec_length_safe(from->offset), speed = vec_length_safe(from->velocity);
    double third = body_third + rate * (rate * (rate * distance + 3.0 * speed) + 3.0 * w->thrust);
    double h = fmin(span, cbrt(3.0 * room / third));
    if (rate > 0.0) { /* the largest offset and speed on the way */
        distance += h * (speed + 0.5 * h * w->thrust);
        speed += h * w->thrust;
        third = body_third + rate * (rate * (rate * distance + 3.0 * speed) + 3.0 * w->thrust);
    }
    double bernstein[3] = {reach, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        if (fixed[i]) {
            tact_vec3 to = i == 0 ? n : vec_negate(n);
            double same =
                support_along(&w->body[i], w->rate[i] > 0.0 ? axis_rotation_apply_inverse(&from->turned[i], to) : to);
            bernstein[1] += same;
            bernstein[2] += same;
        } else {
            add_reach(w, from, i, n, swing, h, bernstein);
        }
    }
    double bend = (bernstein[0] - bernstein[1]) + (bernstein[2] - bernstein[1]);
    return stays_positive(room, q1 - 2.0 * (bernstein[1] - reach) / h, 0.5 * q2 - bend / (h * h) - third * h / 6.0, h);
}

/* The same with the best of several swings: none (n was made by a body that does not turn, or by the way between
 * them), that of either body (by its face), and that with which n has turned of late (by an edge of each, or a
 * rolling contact). */
static double safe_step(const flight *w, const pose *from, tact_vec3 n, tact_vec3 lately, double reach, double floor,
                        double span)
{
    double step = safe_along(w, from, n, vec_make(0.0, 0.0, 0.0), reach, floor, span);
    for (int i = 0; i < 2 && step < span; i++)
        if (w->rate[i] > 0.0)
            step = fmax(step, safe_along(w, from, n, vec_scale(w->axis[i], w->rate[i]), reach, floor, span));
    if (step < span && vec_max_abs(lately) > 0.0)
        step = fmax(step, safe_along(w, from, n, lately, reach, floor, span));
    return step;
}

/* The same for the balls around both, which no spin changes: `apart` says whether they are. */
static double safe_for_balls(const flight *w, const pose *from, double floor, double span, bool *apart)
{
    tact_vec3 n = vec_normalize(from->offset);
    double room = vec_dot(n, from->offset) - (w->ball[0] + w->ball[1]) - floor;
    *apart = room > 0.0;
    return stays_positive(room, vec_dot(n, from->velocity), 0.5 * vec_dot(n, w->acceleration), span);
}

/* The span from `time` on over which rounding does not outgrow its share of the tolerance. */
static double quiet_span(const flight *w, double time)
{
    double span = w->end - time, allowed = fmax(0.25 * w->tolerance, 1.15 * noise_at(w, time));
    while (noise_at(w, time + span) > allowed && time + 0.5 * span > time)
        span *= 0.5;
    return span;
}

/* ---- distance at one time --------------------------------------------------------------------------------------- */

/* The turned body; its spin centre is at 0. */
static convex body_at(const flight *w, const pose *p, int i)
{
    convex c = w->body[i];
    if (!(w->rate[i] > 0.0))
        return c;
    const axis_rotation *r = &p->turned[i];
    c.transform.x_axis = axis_rotation_apply(r, c.transform.x_axis);
    c.transform.y_axis = axis_rotation_apply(r, c.transform.y_axis);
    c.transform.z_axis = axis_rotation_apply(r, c.transform.z_axis);
    c.transform.origin = axis_rotation_apply(r, c.transform.origin);
    if (c.kind == CONVEX_CAPSULE)
        c.axis = axis_rotation_apply(r, c.axis);
    for (int k = 0; k < c.point_count; k++)
        c.points[k] = axis_rotation_apply(r, c.points[k]);
    return c;
}

/* Of a pair that GJK found apart. Its normal is that of the points, which on curved shapes may be far from the
 * direction that proved the lower bound; we step along a direction that separates, so where it does not by that bound
 * less a part of it (and rounding, for an answer's normal: `fine`) we have GJK decide whether
 * they are that far apart: it ends with the direction itself. */
static contact contact_apart(const flight *w, const pose *p, const convex *a, const convex *b, const gjk *g, bool fine)
{
    double size = a->bounding_radius + b->bounding_radius + vec_max_abs(p->offset);
    bool met =
        g->end != GJK_NOT_CONVERGED || g->upper - g->lower <= GJK_ROUGH * (g->upper - w->margin) + STALLED * size;
    contact out = {
        met ? TACT_OK : TACT_NOT_CONVERGED, g->upper - w->margin, g->lower - w->margin, g->normal, g->on_a, g->on_b};
    /* On the line between the points of the cores; along the normal a small error of that would count. */
    tact_vec3 line = w->margin > 0.0 ? vec_normalize(vec_sub(g->on_b, g->on_a)) : g->normal;
    out.on_a = vec_mul_add(g->on_a, a->margin, line);
    out.on_b = vec_mul_add(g->on_b, -b->margin, line);
    double slack = fine ? UNPROVED_FINE * fabs(out.lower) + 0.25 * STALLED * size : UNPROVED * fabs(out.lower);
    if (g->lower > slack && separation(w, p, out.normal, reach_along(w, p, out.normal)) < out.lower - slack) {
        gjk again = {0};
        tact_gjk_within(a, b, w->margin + out.lower - 0.5 * slack, g->normal, &again);
        if (again.end == GJK_BEYOND)
            out.normal = again.normal;
    }
    return out;
}

/* The signed distance. Roughly: to a part of itself, and overlapping cores without a margin are 0 apart. Exactly: all
 * that rounding allows. */
static contact contact_at(const flight *w, const pose *p, bool exactly, tact_vec3 hint)
{
    contact out = {TACT_OK, 0.0, 0.0, hint, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    convex a = body_at(w, p, 0), b = body_at(w, p, 1);
    b.transform.origin = vec_add(b.transform.origin, p->offset);
    gjk g = {0};
    if (!tact_closed_distance(&a, &b, &g))
        tact_gjk(&a, &b, exactly ? 0.0 : GJK_ROUGH, INFINITY, hint, &g);
    if (g.count == 0) { /* a custom support function gave no number */
        out.status = TACT_NOT_CONVERGED;
        return out;
    }
    double touched = exactly ? STALLED * (a.bounding_radius + b.bounding_radius + vec_max_abs(p->offset)) : 0.0;
    if (g.end != GJK_TOUCH && (g.lower > touched || g.end == GJK_NOT_CONVERGED))
        return contact_apart(w, p, &a, &b, &g, exactly);
    if (!exactly && !(w->margin > 0.0)) {
        out.on_a = g.on_a;
        out.on_b = g.on_b;
        return out;
    }
    tact_penetration d = {0};
    out.status = tact_depth_convex(&a, &b, w->allocator, &d);
    out.distance = out.lower = -d.depth;
    out.normal = d.normal;
    out.on_a = d.on_a;
    out.on_b = d.on_b;
    return out;
}

static tact_toi answer_hit(const flight *w, const contact *c, double time)
{
    tact_toi hit = {.status = TACT_OK, .state = TACT_HIT, .time = time};
    hit.normal = w->swapped ? vec_negate(c->normal) : c->normal;
    tact_vec3 origin = tact_motion_at(w->motion, w->place, time).origin;
    hit.point = vec_add(vec_scale(vec_add(c->on_a, c->on_b), 0.5), origin);
    return hit;
}

/* No verdict; up to `time` there is no contact. */
static tact_toi answer_failure(tact_status status, double time)
{
    return (tact_toi){.status = status, .state = TACT_UNKNOWN, .time = time};
}

/* All of the time is free. */
static tact_toi answer_miss(const flight *w)
{
    return (tact_toi){.status = TACT_OK, .state = TACT_MISS, .time = w->end};
}

/* How long two that are hardly apart, if at all, stay farther apart than `floor` for, by what they do along n at both
 * ends of that time: the separation along n is the least one of its points, and as no path bends by more than `bend`,
 * it is nowhere lower than the straight line between both ends by more than an eighth of that. So it goes where one
 * corner stays where it is, or leaves as slowly as a box tips, while others move: there the fastest point of all, by
 * which `step` is, says little. Not much longer than `step`: 0. */
static double steady_step(const flight *w, const pose *p, tact_vec3 n, double time, double floor, double step,
                          double most)
{
    const double apart = separation(w, p, n, reach_along(w, p, n)), room = 0.5 * (apart - floor);
    if (!(room > 0.0) || apart > STEADY_PART * w->size)
        return 0.0;
    const double bend = w->rate[0] * w->rate[0] * w->arm[0] + w->rate[1] * w->rate[1] * w->arm[1] + w->thrust;
    const double longest = bend > 0.0 ? sqrt(8.0 * room) / sqrt(bend) : INFINITY;
    for (double s = fmin(most, longest); s > STEADY_GAIN * step; s *= 0.125) {
        pose q = pose_at(w, time + s);
        if (separation(w, &q, n, reach_along(w, &q, n)) >= floor + room)
            return s;
    }
    return 0.0;
}

/* ---- from apart to contact -------------------------------------------------------------------------------------- */

/* Searches on from `time`, at which they are more than ACCEPT_PART of the tolerance apart. */
static tact_toi search_apart(const flight *w, double time, tact_vec3 hint, int *steps)
{
    double hint_time = time;
    for (; *steps < STEPS_MOST; ++*steps) {
        pose p = pose_at(w, time);
        double span = w->end - time, most = quiet_span(w, time);
        double tolerance = tolerance_at(w, time), floor = STEP_PART * tolerance_at(w, time + most);
        bool apart;
        double step = safe_for_balls(w, &p, floor, most, &apart);
        bool near = !apart || step < BALL_STEP * span;
        if (near && vec_max_abs(hint) > 0.0) { /* along the last direction, while it separates them: a GJK less */
            double reach = reach_along(w, &p, hint);
            if (separation(w, &p, hint, reach) > ACCEPT_PART * tolerance) {
                double more = safe_step(w, &p, hint, vec_make(0.0, 0.0, 0.0), reach, floor, most);
                more = fmax(more, steady_step(w, &p, hint, time, floor, more, most));
                near = !(more > step) || !(time + more > time);
                step = fmax(step, more);
            }
        }
        if (near) {
            contact c = contact_at(w, &p, false, hint);
            if (c.status != TACT_OK && c.status != TACT_NOT_CONVERGED)
                return answer_failure(c.status, time);
            if (c.distance <= ACCEPT_PART * tolerance && c.status == TACT_OK) {
                /* Apart until now, and within the tolerance now. The rough normal is good enough only of flat faces. */
                double slack = UNPROVED_FINE * tolerance + 0.25 * STALLED * (w->ball[0] + w->ball[1]);
                bool proved =
                    w->plain || separation(w, &p, c.normal, reach_along(w, &p, c.normal)) >= c.distance - slack;
                contact fine = proved ? c : contact_at(w, &p, true, c.normal);
                return answer_hit(w, fine.status == TACT_OK ? &fine : &c, time);
            }
            tact_vec3 lately = vec_scale(vec_cross(hint, c.normal), 1.0 / (time - hint_time));
            if (!(w->rate[0] + w->rate[1] > 0.0) || !(time > hint_time) || !(vec_dot(hint, c.normal) > 0.5))
                lately = vec_make(0.0, 0.0, 0.0);
            hint = c.normal;
            hint_time = time;
            double reach = reach_along(w, &p, c.normal);
            step = fmax(step, safe_step(w, &p, c.normal, lately, reach, floor, most));
            step = fmax(step, steady_step(w, &p, c.normal, time, floor, step, most));
        }
        if (step >= span)
            return answer_miss(w); /* no closer than `floor` up to the end */
        double next = time + step;
        if (!(next > time))
            break; /* GJK found no direction that is good enough */
        time = next;
    }
    return answer_failure(TACT_NOT_CONVERGED, time);
}

/* ---- starting in touch ------------------------------------------------------------------------------------------ */

/* The time in which no two points of the bodies come nearer to each other, or leave each other, by more than `way`,
 * counted from `time`. */
static double time_for(const flight *w, double time, double way)
{
    double turning = w->rate[0] * w->arm[0] + w->rate[1] * w->arm[1];
    double speed = vec_length_safe(vec_mul_add(w->velocity, time, w->acceleration)) + turning;
    double part = sqrt(2.0 * w->thrust) * sqrt(way);
    double sum = speed + hypot(speed, part);
    return sum > 0.0 ? 2.0 * way / sum : INFINITY;
}

/* How far bodies in touch may move before we look again. */
static double follow_way(const flight *w)
{
    double path = w->speed * w->end + 0.5 * w->thrust * w->end * w->end;
    return fmax(FOLLOW_PART * (w->size > 0.0 ? w->size : path), w->tolerance);
}

typedef enum course { COURSE_CLOSING, COURSE_PARTING, COURSE_LEVEL, COURSE_FAILED } course;

/* Which way the signed distance goes from the start, where it is that of `c`: looks at later and later times, each
 * twice the one before, until it has changed by more than rounding. f_n is a lower bound of the distance, so its rise
 * is proof; its fall asks for the distance itself, because in a corner another direction may separate. */
static course course_from_start(const flight *w, const contact *c, contact *later, double *when)
{
    double longest =
        time_for(w, 0.0, follow_way(w)); /* the end does not count: whether they close is a fact of the start */
    double tried = time_for(w, 0.0, fmax(COURSE_WAY * noise_at(w, 0.0), COURSE_PART * w->tolerance));
    double level = 0.0; /* until then at the least */
    for (double t = fmin(tried, longest);; t = fmin(2.0 * t, longest)) {
        double slack = 4.0 * noise_at(w, t) + DEPTH_ACCURACY * fabs(c->distance);
        pose p = pose_at(w, t);
        double along = separation(w, &p, c->normal, reach_along(w, &p, c->normal));
        *when = t;
        if (along > c->distance + slack)
            return COURSE_PARTING;
        if (along < c->distance - slack) {
            *later = contact_at(w, &p, true, c->normal);
            if (later->status != TACT_OK)
                return COURSE_FAILED;
            if (level > 0.0 && later->distance < c->distance - COURSE_FALL * slack) {
                *when = level;
                return COURSE_LEVEL;
            }
            if (later->distance < c->distance - slack)
                return COURSE_CLOSING;
            if (later->distance > c->distance + slack)
                return COURSE_PARTING;
        }
        if (!(t > 0.0) || t >= longest)
            return COURSE_LEVEL;
        level = t;
    }
}

typedef enum touch_end { TOUCH_LASTS, TOUCH_PARTED, TOUCH_PRESSED, TOUCH_FAILED } touch_end;

/* Two bodies on the way while they are in touch. */
typedef struct touch {
    double time; /* when it ended, */
    contact at;  /* and how they are to each other then; its status says why it failed */
    double time_before;
    contact before; /* seen in touch for the last time */
} touch;

/* How the normal of a contact turns: by how it is `ahead`. An edge that slides along an edge, or what rolls, has its
 * own way. Zero: it is not known. */
static tact_vec3 swing_from(const flight *w, const contact *c, double time, double ahead)
{
    pose p = pose_at(w, time + ahead);
    contact then = contact_at(w, &p, true, c->normal);
    if (then.status != TACT_OK || !(vec_dot(c->normal, then.normal) > 0.5))
        return vec_make(0.0, 0.0, 0.0);
    return vec_scale(vec_cross(c->normal, then.normal), 1.0 / ahead);
}

/* Follows two bodies in touch from `time` on until they part, press into each other, or the end comes. `now`: how they
 * are then; NULL: that is to be found out. */
static touch_end follow(const flight *w, const contact *now, tact_vec3 hint, double time, int *steps, touch *t)
{
    t->time_before = time;
    for (int i = 0; *steps < STEPS_MOST && i < w->touch_steps; ++*steps, ++i) {
        pose p = pose_at(w, time);
        double band = band_at(w, time);
        contact c = i == 0 && now != NULL ? *now : contact_at(w, &p, true, hint);
        t->time = time;
        t->at = c;
        if (c.status != TACT_OK)
            return TOUCH_FAILED;
        if (c.distance > band)
            return TOUCH_PARTED;
        if (c.distance < -deeper_at(w, time) - w->deep)
            return TOUCH_PRESSED;
        t->before = c;
        t->time_before = time;
        hint = c.normal;
        double span = w->end - time, most = fmin(quiet_span(w, time), time_for(w, time, follow_way(w)));
        double floor = -1.5 * deeper_at(w, time) - w->deep, reach = reach_along(w, &p, c.normal);
        double step = safe_step(w, &p, c.normal, vec_make(0.0, 0.0, 0.0), reach, floor, most);
        step = fmax(step, steady_step(w, &p, c.normal, time, floor, step, most));
        double ahead = fmin(time_for(w, time, sqrt(band) * sqrt(w->size)), most);
        if (step < SWING_GAIN * ahead && time + ahead > time)
            step = fmax(step, safe_along(w, &p, c.normal, swing_from(w, &c, time, ahead), reach, floor, most));
        for (double s = time_for(w, time, 4.0 * band); s < step; s *= 2.0) {
            pose q = pose_at(w, time + s);
            if (separation(w, &q, c.normal, reach_along(w, &q, c.normal)) > 2.0 * band)
                step = s; /* parted by then: the search begins there */
        }
        if (step >= span)
            return TOUCH_LASTS; /* to the end, never pressed in */
        double next = time + step;
        if (!(next > time))
            break;
        time = next;
    }
    t->time = time;
    t->at.status = TACT_NOT_CONVERGED;
    return TOUCH_FAILED;
}

static tact_toi answer_pressed(const flight *w, const touch *t)
{
    return w->late ? answer_hit(w, &t->at, t->time) : answer_hit(w, &t->before, t->time_before);
}

/* `c`: how they are at the start. */
static tact_toi follow_touch(const flight *w, const contact *c, double time, int *steps)
{
    touch t = {.before = *c};
    switch (follow(w, time > 0.0 ? NULL : c, c->normal, time, steps, &t)) {
    case TOUCH_PARTED:
        return search_apart(w, t.time, t.at.normal, steps);
    case TOUCH_PRESSED:
        return answer_pressed(w, &t);
    case TOUCH_FAILED:
        return answer_failure(t.at.status, t.time);
    case TOUCH_LASTS:
        break;
    }
    return answer_miss(w);
}

/* Do two in touch at the start, of which this is their separation along the unit vector n, part along it, without
 * pressing deeper into each other by more than half the band? `when`: they have by then. */
static bool parts_along(const flight *w, const pose *p, tact_vec3 n, double reach, double start, double max_depth,
                        double *when)
{
    const double band = band_at(w, 0.0), longest = fmin(quiet_span(w, 0.0), time_for(w, 0.0, follow_way(w)));
    if (fabs(start) > band && !(start < 0.0 && start >= -max_depth))
        return false;
    for (double t = time_for(w, 0.0, 4.0 * tolerance_at(w, 0.0)); t < longest; t *= 2.0) {
        pose q = pose_at(w, t);
        double along = separation(w, &q, n, reach_along(w, &q, n));
        if (along < start - 4.0 * noise_at(w, t))
            return false;
        if (!(along > 2.0 * tolerance_at(w, t)))
            continue;
        *when = t;
        return !(safe_along(w, p, n, vec_make(0.0, 0.0, 0.0), reach, fmin(start, 0.0) - 0.5 * band, t) < t);
    }
    return false;
}

/* The depth at which two that start `separation` apart (negative: that deep) are still in contact, besides the band. */
static double allowed_depth(const toi_input *input, double separation)
{
    return fmin(input->allowed_depth, fmin(fmax(0.0, -separation), input->max_depth));
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static tact_toi find_impact(flight *w, const toi_input *input, toi_output *output)
{
    w->late = input->ignore_initial_contact;
    w->band = input->contact_band;
    w->touch_steps = input->max_contact_steps > 0 ? input->max_contact_steps : STEPS_MOST;
    w->deep = 0.0;
    int steps = 0;
    const tact_vec3 none = vec_make(0.0, 0.0, 0.0);
    tact_vec3 normal = none;
    double band = band_at(w, 0.0), parted = 0.0;
    output->band = band;
    pose p = pose_at(w, 0.0);
    if (vec_max_abs(input->normal_hint) > 0.0) {
        normal = w->swapped ? vec_negate(input->normal_hint) : input->normal_hint;
        const double reach = reach_along(w, &p, normal), start = separation(w, &p, normal, reach);
        output->start = start > band ? TOI_START_SEPARATED : TOI_START_UNKNOWN;
        if (output->start == TOI_START_SEPARATED)
            return search_apart(w, parted, normal, &steps);
        if (parts_along(w, &p, normal, reach, start, input->max_depth, &parted)) {
            output->start = TOI_START_LEAVING;
            output->separation = start;
            return search_apart(w, parted, normal, &steps);
        }
    }
    bool apart;
    (void)safe_for_balls(w, &p, band, 0.0, &apart);
    if (apart) {
        output->start = TOI_START_SEPARATED;
        return search_apart(w, 0.0, none, &steps);
    }
    contact c = contact_at(w, &p, input->ignore_initial_contact, normal);
    if (c.status == TACT_NOT_CONVERGED ? c.lower > band : c.distance > band) {
        output->start = TOI_START_SEPARATED;
        return search_apart(w, 0.0, c.normal, &steps);
    }
    if (!input->ignore_initial_contact)
        c = contact_at(w, &p, true, c.normal);
    if (c.status != TACT_OK)
        return answer_failure(c.status, 0.0);
    output->start = TOI_START_CONTACT;
    output->separation = c.distance;
    w->deep = allowed_depth(input, c.distance);
    if (c.distance < -band - w->deep)
        return answer_hit(w, &c, 0.0);
    contact later;
    double when = 0.0;
    if (input->ignore_initial_contact)
        return follow_touch(w, &c, 0.0, &steps);
    switch (course_from_start(w, &c, &later, &when)) {
    case COURSE_CLOSING:
        return answer_hit(w, &c, 0.0);
    case COURSE_FAILED:
        return answer_failure(later.status, 0.0);
    case COURSE_PARTING:
    case COURSE_LEVEL:
        break;
    }
    return follow_touch(w, &c, when < w->end ? when : 0.0, &steps);
}

/* ---- a leg of a longer way -------------------------------------------------------------------------------------- */

static tact_status prepare_leg(flight *w, const leg *l, const convex *a, const convex *b)
{
    w->swapped = false;
    w->place = l->place;
    w->motion = l->motion[0];
    w->body[0] = *a;
    w->body[1] = *b;
    w->offset = l->offset;
    w->end = l->end;
    w->band = l->band;
    w->touch_steps = STEPS_MOST;
    w->deep = l->deep;
    w->late = l->late;
    w->allocator = l->allocator;
    tact_status status = prepare_course(w, &l->motion[0], &l->motion[1], l->tolerance);
    w->body_noise += l->noise;
    return status;
}

tact_toi tact_convex_meet(const leg *l, const convex *a, const convex *b)
{
    flight w;
    tact_status status = prepare_leg(&w, l, a, b);
    if (status != TACT_OK)
        return answer_failure(status, 0.0);
    int steps = 0;
    tact_toi out = search_apart(&w, 0.0, vec_make(0.0, 0.0, 0.0), &steps);
    if (out.state == TACT_HIT && !(vec_max_abs(out.normal) > 0.0)) { /* in touch from the beginning */
        pose p = pose_at(&w, out.time);
        contact c = contact_at(&w, &p, true, p.offset);
        if (c.status == TACT_OK)
            out = answer_hit(&w, &c, out.time);
    }
    return out;
}

tact_toi tact_convex_press(const leg *l, const convex *a, const convex *b, bool first)
{
    flight w;
    tact_status status = prepare_leg(&w, l, a, b);
    if (status != TACT_OK)
        return answer_failure(status, 0.0);
    int steps = 0;
    const tact_vec3 none = vec_make(0.0, 0.0, 0.0);
    double time = 0.0, band = band_at(&w, time);
    pose p = pose_at(&w, time);
    contact c = contact_at(&w, &p, false, none);
    bool in_touch = !(c.distance > band);
    tact_vec3 side = none; /* from which they came into touch */
    if (in_touch && !first) {
        c = contact_at(&w, &p, true, c.normal);
        side = c.status == TACT_OK && c.distance > CLEAR_PART * band ? c.normal : none;
    }
    while (steps < STEPS_MOST) {
        if (!in_touch) {
            w.deep = 0.0; /* who has parted touches at 0 again */
            tact_toi met = search_apart(&w, time, c.normal, &steps);
            if (met.state != TACT_HIT)
                return met;
            time = met.time;
            side = met.normal;
        }
        touch t = {.time_before = time};
        tact_toi through;
        switch (follow(&w, NULL, side, time, &steps, &t)) {
        case TOUCH_LASTS:
            return answer_miss(&w);
        case TOUCH_FAILED:
            return answer_failure(t.at.status, t.time);
        case TOUCH_PRESSED:
            return answer_pressed(&w, &t);
        case TOUCH_PARTED:
            p = pose_at(&w, t.time_before);
            /* Now on the other side, and still on this one when last in touch: not by sliding over each other. */
            if (vec_dot(side, t.at.normal) < 0.0 &&
                separation(&w, &p, side, reach_along(&w, &p, side)) >= -1.5 * band_at(&w, t.time_before)) {
                through = answer_hit(&w, &t.before, t.time_before);
                through.normal = side;
                return through;
            }
            c = t.at;
            time = t.time;
            in_touch = false;
        }
    }
    return answer_failure(TACT_NOT_CONVERGED, time);
}

/* ---- entry points ----------------------------------------------------------------------------------------------- */

void tact_convex_toi(const toi_input *input, toi_output *output)
{
    *output = (toi_output){.start = TOI_START_UNKNOWN};
    flight w;
    const tact_status status = prepare(&w, input);
    output->toi = status == TACT_OK ? find_impact(&w, input, output) : answer_failure(status, 0.0);
}

void tact_toi_find(const toi_input *input, toi_output *output)
{
    if (is_complex(input->shape[0]) || is_complex(input->shape[1]))
        tact_mesh_toi(input, output);
    else
        tact_convex_toi(input, output);
}

toi_input tact_toi_input_default(void) { return (toi_input){.end = 1.0}; }

tact_toi_def tact_toi_def_default(void) { return (tact_toi_def){1.0, 0.0}; }

tact_toi tact_shapes_time_of_impact_with(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                         const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                         const tact_toi_def *def)
{
    const tact_toi_def usual = tact_toi_def_default();
    const toi_input input = {.shape = {a, b},
                             .transform = {transform_a, transform_b},
                             .motion = {motion_a, motion_b},
                             .end = def != NULL ? def->end : usual.end,
                             .tolerance = def != NULL ? def->tolerance : usual.tolerance};
    toi_output output;
    tact_toi_find(&input, &output);
    return output.toi;
}

tact_toi tact_shapes_time_of_impact(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                    const tact_shape *b, tact_transform transform_b, tact_motion motion_b, double end)
{
    tact_toi_def def = tact_toi_def_default();
    def.end = end;
    return tact_shapes_time_of_impact_with(a, transform_a, motion_a, b, transform_b, motion_b, &def);
}

tact_toi tact_shapes_cast(const tact_shape *a, tact_transform transform_a, tact_vec3 path, const tact_shape *b,
                          tact_transform transform_b)
{
    return tact_shapes_time_of_impact(a, transform_a, tact_motion_linear(path.x, path.y, path.z), b, transform_b,
                                      tact_motion_still(), 1.0);
}
