/*
 * tact_world_bounce: impulses for the two bodies of a touch.
 *
 * To be replaced by a contact solver over islands. Until then it treats one pair at a time, and stacks come to rest by
 * heuristics with constants found by trial.
 *
 * Method: Newton restitution as a linear complementarity problem over the contact points, with Coulomb friction, solved
 * by projected Gauss-Seidel; repeated for points that close afterwards. Guarantees: momentum is conserved. Without
 * friction, elastic bounces conserve energy. With friction, where Newton restitution alone may create energy (Kane),
 * none is created: the solution is mixed with the one without restitution (whose work is not positive) until its work
 * is 0; mixtures stay within the friction cones.
 *
 * Heuristics, all relative to the rest time (tact_world_set_rest_time): contact points that fall back separate at half
 * the speed that they fall by in it; penetrating points separate within it; a body that bounces often in it bears
 * others as the floor does; short rotation pieces after a bounce.
 *
 * Words of this file:
 *    mover            solver body
 *    press            contact point
 *    give             inverse effective mass
 *    lightness        inverse mass
 *    hop, leap        the speed of separation of a resting contact
 *    borne, held      supported by a body that rests
 *    let through      overlap allowed
 */
#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "advance/motion_plan.h"
#include "dynamics/rigid_body.h"
#include "motion/motion.h"
#include "query/query.h"

/* Rounds of the iteration, and the change (relative to the closing speed) at which it ends. */
#define BOUNCE_ITERATIONS 400
#define SETTLED 1e-15

/* The same where there is one point and nothing turns: it is right up to rounding at once. */
#define SIMPLE_ROUNDS 4

/* Times that points that have begun to close meanwhile get their turn: a box rocks some few times. The last time all
 * points get theirs, without restitution, after which none closes. */
#define TURNS 32

/* Of the smaller body's size: points of contact that are this far apart still press. More than SEPARATION_DISTANCE. */
#define PRESSES 4e-9

/* The same of one that rocks, at the most. */
#define ROCKS 1e-4

/* Of the smaller body's size: points that are in each other by less are so by rounding; and no more than this is undone
 * in the time of rest. */
#define DEEP_LEAST 5e-10
#define DEEP_MOST 1e-5

/* Of the speeds where they press: what is in each other does not leave faster, however short the time of rest, but for
 * what it takes against what pulls it down. */
#define OUT_MOST 1e-3

/* Of the smaller body's size: on such a way it is seen how fast two fall back onto each other; far more than rounding.
 */
#define FALL_WAY 1e-9

/* Bounces of a body within the time of rest: with more it is borne by others. */
#define BORNE_BOUNCES 4

/* Of the speed that is fallen by in the time of rest: what moves faster is not held by what it lies on, but hits what
 * lies on it. */
#define HELD_MOST 4.0

/* Of how fast two fall: one that lies on the other falls onto it as fast as that. */
#define HELD_STEEP 0.5

/* What closes on a body that the program moves at about its speed, up to this factor, is driven by it. Slower, it is
 * pushed along. */
#define DRIVEN_PART 0.1

/* Of the speeds of points: what turning brings back hops no faster than half of this, that is for as many radians if it
 * turns farther in the time of rest. */
#define HOP_TURN 0.1

/* How often what falls back faster than it seems that it can, such as edges that cross at a small angle, is believed to
 * do so twice as fast: with each bounce within the time of rest. */
#define DOUBTS 10

/* Relative to the speeds of both: rounding of the speed at which a point closes, and more. */
#define LEAST_SPEED (64.0 * DBL_EPSILON)

/* Of the speeds at the surface that a bounce can give: a spin that changes by less does so by rounding, and stays as it
 * is. */
#define LEAST_SPIN 1e-12

/* Roundings of coordinates and time: a touch is reported that far away at most; and of the speeds: two that close
 * slower are not looked at so closely. */
#define LATEST 4.0
#define STEEP 1e-3

tact_bounce_def tact_bounce_def_default(void) { return (tact_bounce_def){.restitution = 1.0}; }

/* One of the two, as it moves now. */
typedef struct mover {
    rigid_body *rigid; /* NULL: nothing moves it */
    tact_transform place;
    tact_vec3 centre; /* of mass; of its origin without a mass */
    tact_vec3 velocity, spin, acceleration;
    sym3 inertia, inverse;
    double lightness; /* one over its mass */
    bool held;        /* by what is below it: it is as if it had no mass */
} mover;

static mover mover_of(const tact_world *world, uint32_t index)
{
    mover m = {.rigid = world->cold.items[index].rigid, .place = tact_advance_transform(world, index)};
    const tact_motion motion = tact_advance_motion(world, index);
    m.velocity = motion.velocity;
    m.spin = motion.spin;
    m.acceleration = motion.acceleration;
    m.centre = m.place.origin;
    if (m.rigid != NULL) {
        m.centre = tact_transform_point(m.place, m.rigid->properties.centre);
        m.velocity = vec_add(m.velocity, vec_cross(m.spin, vec_sub(m.centre, m.place.origin)));
        m.inertia = tact_mass_properties_inertia(&m.rigid->properties, &m.place);
        m.inverse = tact_mass_properties_inverse_inertia(&m.rigid->properties, &m.place);
        m.lightness = 1.0 / m.rigid->properties.mass;
    }
    return m;
}

static tact_vec3 velocity_at(const mover *m, tact_vec3 arm) { return vec_add(m->velocity, vec_cross(m->spin, arm)); }

/* The speeds that this is the sum of: it is rounded as they are. */
static double speed_of(const mover *m, tact_vec3 arm)
{
    return vec_length_safe(m->velocity) + vec_length_safe(m->spin) * vec_length_safe(arm);
}

static void push(mover *m, tact_vec3 arm, tact_vec3 impulse)
{
    if (m->rigid == NULL || m->held)
        return;
    m->velocity = vec_mul_add(m->velocity, m->lightness, impulse);
    m->spin = vec_add(m->spin, sym3_mul(&m->inverse, vec_cross(arm, impulse)));
}

/* How fast a point gets along `d` by a unit impulse there. */
static double give(const mover *m, tact_vec3 arm, tact_vec3 d)
{
    const tact_vec3 twist = vec_cross(arm, d);
    return m->lightness + vec_dot(twist, sym3_mul(&m->inverse, twist));
}

/* A point where they press on each other. */
typedef struct press {
    tact_vec3 arm[2];
    tact_vec3 along[3]; /* the normal, from A to B, and two tangents */
    double give[3];     /* of both together */
    double deep;        /* how far they are in each other; not negative */
    double least;       /* the speed along the normal at which they part at least */
    double goal;        /* the same, and what the restitution asks for */
    double aim[3];      /* speeds along the tangents that friction aims at */
    double before[3];   /* speeds along these */
    double impulse[3];
    bool closes; /* it takes part */
} press;

/* All there is to a bounce. */
typedef struct bounce {
    mover m[2];
    press presses[TACT_MANIFOLD_POINTS + 1]; /* and the point of the event */
    int count;
    bool whole;   /* the point of the event is among them */
    bool ball[2]; /* its spin makes no difference to where its surface is */
    double restitution, friction;
    bool elastic;   /* as was asked for */
    double pull;    /* how fast they are accelerated towards each other */
    double seen;    /* the same of where they are nearest, as they turn and slide along each other; not negative */
    double rest;    /* the world's */
    double fastest; /* closing speed */
    double speed;   /* no point where they press moves faster, nor do those that it turns about */
    double size;    /* of the smaller body */
    double deep;    /* how far they are in each other; not negative */
} bounce;

static double gap_speed(const mover m[2], const press *p, int k)
{
    return vec_dot(p->along[k], vec_sub(velocity_at(&m[1], p->arm[1]), velocity_at(&m[0], p->arm[0])));
}

static void push_both(mover m[2], const press *p, int k, double impulse)
{
    const tact_vec3 by = vec_scale(p->along[k], impulse);
    push(&m[0], p->arm[0], vec_negate(by));
    push(&m[1], p->arm[1], by);
}

static press press_at(const mover m[2], tact_vec3 point, tact_vec3 normal, double deep)
{
    press p = {.along[0] = normal, .deep = max_double(deep, 0.0)};
    vec_tangent_basis(normal, &p.along[1], &p.along[2]);
    for (int i = 0; i < 2; ++i)
        p.arm[i] = vec_sub(point, m[i].centre);
    for (int k = 0; k < 3; ++k)
        p.give[k] = give(&m[0], p.arm[0], p.along[k]) + give(&m[1], p.arm[1], p.along[k]);
    return p;
}

/* One point's turn; tells by how much its speed was off. */
static double relax(mover m[2], press *p, double goal, double friction)
{
    /* the change by itself, not as a difference of impulses: so speeds come out right to the last digit, and a body
     * between two walls does not get slower or faster over thousands of bounces */
    const double wish = (goal - gap_speed(m, p, 0)) / p->give[0], change = max_double(wish, -p->impulse[0]);
    p->impulse[0] += change;
    push_both(m, p, 0, change);
    double moved = fabs(change) * p->give[0], wanted[3], size = 0.0;
    if (!(friction > 0.0))
        return moved;
    for (int k = 1; k < 3; ++k) {
        wanted[k] = p->impulse[k] + (p->aim[k] - gap_speed(m, p, k)) / p->give[k];
        size = hypot(size, wanted[k]);
    }
    const double most = friction * p->impulse[0], part = size > most ? most / size : 1.0;
    for (int k = 1; k < 3; ++k) {
        const double step = part * wanted[k] - p->impulse[k];
        p->impulse[k] += step;
        push_both(m, p, k, step);
        moved = max_double(moved, fabs(step) * p->give[k]);
    }
    return moved;
}

/* The impulses of all points that take part, from none; the bodies are given them. */
static void solve(bounce *b, bool restitution)
{
    int closing = 0;
    for (int i = 0; i < b->count; ++i)
        closing += b->presses[i].closes;
    /* first as if each bore its part alone: nearly right where a face meets a face, and right if it does so evenly */
    for (int i = 0; i < b->count; ++i) {
        press *p = &b->presses[i];
        p->impulse[0] = p->impulse[1] = p->impulse[2] = 0.0;
        if (p->closes) {
            const double light = b->m[0].lightness + b->m[1].lightness;
            p->impulse[0] = max_double((restitution ? p->goal : p->least) - p->before[0], 0.0) /
                            (closing > 1 ? closing * light : p->give[0]);
            push_both(b->m, p, 0, p->impulse[0]);
        }
    }
    for (int round = 0; round < BOUNCE_ITERATIONS; ++round) {
        double moved = 0.0;
        for (int i = 0; i < b->count; ++i)
            if (b->presses[i].closes)
                moved = max_double(moved, relax(b->m, &b->presses[i],
                                                restitution ? b->presses[i].goal : b->presses[i].least, b->friction));
        if (moved <= SETTLED * (b->friction > 0.0 ? max_double(b->fastest, b->speed) : b->fastest))
            return;
    }
}

/* The work that the impulses have done, since the speeds were as in `before`. */
static double work(const bounce *b)
{
    double sum = 0.0;
    for (int i = 0; i < b->count; ++i)
        for (int k = 0; k < 3 && b->presses[i].closes; ++k)
            sum += 0.5 * b->presses[i].impulse[k] * (b->presses[i].before[k] + gap_speed(b->m, &b->presses[i], k));
    return sum;
}

/* With friction: less of the restitution if there would be more energy. */
static void solve_with_friction(bounce *b, const mover start[2])
{
    solve(b, true);
    const double asked = work(b);
    if (!(asked > 0.0))
        return;
    const bounce full = *b;
    b->m[0] = start[0];
    b->m[1] = start[1];
    solve(b, false);
    const double without = work(b);
    /* The work along the way from `without` (s = 0) to `asked` (s = 1) is a parabola, w(0) + s (w(1) - w(0) - c) + c
     * s^2 where c is half of what the change of impulses gives itself. */
    double c = 0.0;
    for (int i = 0; i < b->count; ++i)
        for (int k = 0; k < 3 && b->presses[i].closes; ++k)
            c += 0.5 * (full.presses[i].impulse[k] - b->presses[i].impulse[k]) *
                 (gap_speed(full.m, &full.presses[i], k) - gap_speed(b->m, &b->presses[i], k));
    const double slope = asked - without - c, square = slope * slope - 4.0 * c * without;
    double part = 0.0;
    if (without < 0.0 && c > 0.0 && square >= 0.0)
        part = fmin(1.0, 2.0 * -without / (slope + sqrt(square)));
    for (int i = 0; i < b->count; ++i)
        for (int k = 0; k < 3 && b->presses[i].closes; ++k) {
            press *p = &b->presses[i];
            const double step = part * (full.presses[i].impulse[k] - p->impulse[k]);
            p->impulse[k] += step;
            push_both(b->m, p, k, step);
        }
}

/* How fast the surface of a body goes past where they press. */
static tact_vec3 surface_speed(const bounce *b, int i, const press *p)
{
    return b->ball[i] ? b->m[i].velocity : velocity_at(&b->m[i], p->arm[i]);
}

/* How fast a point is accelerated towards the other body, at the most, so that it falls back: by gravity and the like,
 * by turning, and by the change of the spin, which counts twice on its own as pieces of turning have mean spins
 * (body_motion.c). */
static double fall_of(const bounce *b, const press *p)
{
    double round = 0.0, change = 0.0;
    for (int i = 0; i < 2; ++i) {
        const mover *m = &b->m[i];
        if (b->ball[i])
            continue;
        const double side = i == 0 ? 1.0 : -1.0;
        const tact_vec3 spin_change = sym3_mul(&m->inverse, vec_cross(sym3_mul(&m->inertia, m->spin), m->spin));
        round += side * vec_dot(p->along[0], vec_cross(m->spin, vec_cross(m->spin, p->arm[i])));
        change += side * vec_dot(p->along[0], vec_cross(spin_change, p->arm[i]));
    }
    return max_double(max_double(b->pull, 0.0), max_double(b->pull + round + change, 2.0 * change));
}

/* The speed at which a point parts that turning brings back, if that accelerates it by so much: none if all is elastic,
 * and no more than a part of how fast it is. */
static double leap_of(const bounce *b, double by_turning, double speed)
{
    return b->elastic ? 0.0 : 0.5 * fmin(by_turning * b->rest, HOP_TURN * speed);
}

/* What friction aims at. What hops on a slope is accelerated along it meanwhile: half of that before, so that it stays
 * where it is. */
static void aim_of(const bounce *b, press *p, bool hops)
{
    for (int k = 1; k < 3; ++k)
        p->aim[k] = hops && b->pull > 0.0
                        ? 0.5 * b->rest * vec_dot(p->along[k], vec_sub(b->m[0].acceleration, b->m[1].acceleration))
                        : 0.0;
}

/* How fast a body that is held takes the other one along by its own hop: the faster, the less is added to it, or the
 * top of a pile would be tossed. */
static double rise_of(const bounce *b, const press *p)
{
    double rise = 0.0;
    for (int i = 0; i < 2; ++i)
        if (b->m[i].held)
            rise = max_double(rise, (i == 0 ? 1.0 : -1.0) * vec_dot(p->along[0], velocity_at(&b->m[i], p->arm[i])));
    return rise;
}

/* Sets who takes part, with what goal: those that close; all of them the last time. Tells whether anybody does. */
static bool begin_turn(bounce *b, bool last)
{
    bool any = false;
    b->fastest = b->speed = 0.0;
    for (int i = 0; i < b->count; ++i) {
        press *p = &b->presses[i];
        for (int k = 0; k < 3; ++k)
            p->before[k] = gap_speed(b->m, p, k);
        const double closing = -p->before[0];
        const double speed = speed_of(&b->m[0], p->arm[0]) + speed_of(&b->m[1], p->arm[1]);
        /* what falls back meets again after the time of rest at the earliest; so does a corner that turning brings back
         */
        const double fall = max_double(fall_of(b, p), b->seen);
        const double pull = max_double(b->pull, 0.0), by_turning = leap_of(b, fall - pull, speed);
        const double deep = p->deep > DEEP_LEAST * b->size ? fmin(p->deep, DEEP_MOST * b->size) : 0.0;
        const double out =
            b->rest > 0.0 ? fmin(deep / b->rest, max_double(sqrt(2.0 * fall * deep), OUT_MOST * speed)) : 0.0;
        p->closes = p->give[0] > 0.0 &&
                    (closing > 0.0 || (closing == 0.0 && fall > 0.0) || -closing < max_double(0.5 * by_turning, out));
        const double leap = 0.5 * pull * b->rest + by_turning, rise = rise_of(b, p);
        p->least = max_double((rise > 0.0 ? leap * leap / (leap + rise) : leap) + out, LEAST_SPEED * speed);
        b->fastest = max_double(b->fastest, max_double(closing, p->least));
        b->speed = max_double(b->speed, speed);
        if (!p->closes)
            continue; /* it keeps what it was to be the last time */
        any = true;
        p->goal = max_double(p->least, b->restitution * closing);
        aim_of(b, p, p->least > b->restitution * closing);
    }
    if (any && last)
        for (int i = 0; i < b->count; ++i) {
            b->presses[i].closes = b->presses[i].give[0] > 0.0;
            b->presses[i].goal = b->presses[i].least;
        }
    return any;
}

/* How far apart points still press. Of a body that bounces again and again, as one that rocks ever faster on its edges
 * until it lies, all that would touch within half the time of rest: or it would never lie. */
static double press_reach(const bounce *b, const tact_event *e)
{
    bool again = false;
    for (int i = 0; i < 2; ++i)
        again = again || (b->m[i].rigid != NULL && b->m[i].rigid->bounces > BORNE_BOUNCES &&
                          e->time - b->m[i].rigid->bounced <= b->rest);
    const double speed =
        max_double(max_double(-gap_speed(b->m, &b->presses[0], 0), 0.0), max_double(b->pull, 0.0) * b->rest);
    return again ? max_double(PRESSES * b->size, fmin(0.5 * speed * b->rest, ROCKS * b->size)) : PRESSES * b->size;
}

/* Where they press. */
static void find_presses(const tact_world *world, const tact_event *e, bounce *b)
{
    const advance *ad = world->advance;
    const tact_shape *one = world->bodies.items[e->a.index].shape, *other = world->bodies.items[e->b.index].shape;
    const body_motion *pa = &ad->motions.items[e->a.index], *pb = &ad->motions.items[e->b.index];
    b->size = body_motions_smaller_size(&ad->cold.items[e->a.index], &ad->cold.items[e->b.index]);
    b->ball[0] = pa->sphere_radius != NOT_A_SPHERE;
    b->ball[1] = pb->sphere_radius != NOT_A_SPHERE;
    b->presses[b->count++] = press_at(b->m, e->point, e->normal, 0.0);
    b->whole = true;
    if (b->ball[0] || b->ball[1]) { /* a ball has one point; that of the event is in the middle of how deep it is */
        const int ball = b->ball[0] ? 0 : 1;
        const double radius = body_motion_size(&ad->cold.items[ball == 0 ? e->a.index : e->b.index]);
        b->deep = max_double(2.0 * (radius - vec_length_safe(vec_sub(e->point, b->m[ball].place.origin))), 0.0);
        b->presses[0].deep = b->deep;
        return;
    }
    const tact_manifold found =
        tact_touch_manifold(one, &b->m[0].place, other, &b->m[1].place, press_reach(b, e), e->normal, e->point);
    b->deep = max_double(found.count > 0 ? found.depth : 0.0, 0.0);
    b->presses[0].deep = b->deep;
    if (found.count < 2)
        return;
    b->count = 0;
    b->whole = false;
    for (int i = 0; i < found.count; ++i)
        b->presses[b->count++] = press_at(b->m, vec_scale(vec_add(found.points[i].on_a, found.points[i].on_b), 0.5),
                                          e->normal, found.points[i].depth);
}

/* Impulses until nothing closes. */
static void settle(bounce *b, const tact_event *e)
{
    for (int i = 0; i < TURNS; ++i) {
        const bool last = i == TURNS - 1;
        if (!begin_turn(b, last)) {
            if (b->whole)
                return;
            b->presses[b->count++] = press_at(b->m, e->point, e->normal, b->deep);
            b->whole = true;
            continue;
        }
        const mover start[2] = {b->m[0], b->m[1]};
        if (b->friction > 0.0 && !last)
            solve_with_friction(b, start);
        else
            solve(b, true);
    }
}

/* How often either body has bounced within the time of rest, this time included. */
static uint32_t bounces_of(const mover m[2], double now, double rest)
{
    uint32_t most = 0;
    for (int i = 0; i < 2; ++i) {
        const rigid_body *r = m[i].rigid;
        const uint32_t count = r == NULL ? 0 : now - r->bounced > rest ? 1 : r->bounces + 1;
        most = count > most ? count : most;
    }
    return most;
}

/* Where a body is a time from now, as it moves by now. */
static tact_transform place_after(const mover *m, double time)
{
    const tact_transform turned = tact_motion_at((tact_motion){.spin = m->spin}, tact_identity(), time);
    tact_transform place = m->place;
    place.x_axis = tact_transform_point(turned, place.x_axis);
    place.y_axis = tact_transform_point(turned, place.y_axis);
    place.z_axis = tact_transform_point(turned, place.z_axis);
    const tact_vec3 centre = vec_mul_add(m->centre, time, vec_mul_add(m->velocity, 0.5 * time, m->acceleration));
    place.origin = vec_add(centre, tact_transform_point(turned, vec_sub(m->place.origin, m->centre)));
    return place;
}

/* How fast the signed distance of two is accelerated downwards, as they move by now: where edges slide along each
 * other, or a corner along a face that turns, that is far from what their points do. Not more than `most`, if something
 * else comes near them meanwhile. */
static double fall_seen(const tact_world *world, const tact_event *e, const bounce *b, double most)
{
    const tact_shape *one = world->bodies.items[e->a.index].shape, *other = world->bodies.items[e->b.index].shape;
    const double step = sqrt(FALL_WAY * b->size / most);
    double deep[3];
    for (int i = 0; i < 3; ++i) {
        const tact_penetration d =
            tact_shapes_penetration(one, place_after(&b->m[0], i * step), other, place_after(&b->m[1], i * step));
        if (d.status != TACT_OK)
            return 0.0;
        deep[i] = d.depth;
    }
    return ((deep[2] - deep[1]) - (deep[1] - deep[0])) / (step * step);
}

/* The same of a point that slides along a face of one of the two, whichever falls faster. Where more than one pair of
 * elements may be in touch: there the distance of the whole says nothing of one of them. */
static double fall_along(const bounce *b, const press *p)
{
    const tact_vec3 slip = vec_sub(surface_speed(b, 0, p), surface_speed(b, 1, p));
    double most = -INFINITY;
    for (int i = 0; i < 2; ++i)
        most = max_double(most, b->ball[i] ? 0.0 : 2.0 * vec_dot(slip, vec_cross(b->m[i].spin, p->along[0])));
    return fall_of(b, p) + most;
}

/* Two that part so slowly that turning may bring them back within the time of rest: they part so fast that it does not.
 */
static void part_for_long(const tact_world *world, const tact_event *e, bounce *b)
{
    const uint32_t index[2] = {e->a.index, e->b.index};
    const press *first = &b->presses[0];
    const double slip = vec_length_safe(vec_sub(surface_speed(b, 0, first), surface_speed(b, 1, first)));
    double slowest = INFINITY, most = fabs(b->pull), along = 0.0;
    bool whole = true; /* both are convex */
    for (int i = 0; i < b->count; ++i) {
        slowest = fmin(slowest, gap_speed(b->m, &b->presses[i], 0));
        along = max_double(along, fall_along(b, &b->presses[i]));
    }
    for (int i = 0; i < 2; ++i) {
        const double spin = b->ball[i] ? 0.0 : vec_length_safe(b->m[i].spin);
        most += 2.0 * spin * slip + spin * spin * vec_length_safe(first->arm[i]);
        whole = whole && shape_is_convex(world->bodies.items[index[i]].shape);
    }
    if (!(b->size > 0.0) || !(most > 0.0) || !(slowest < 0.5 * most * b->rest))
        return;
    const uint32_t bounces = bounces_of(b->m, e->time, b->rest);
    /* if it is far more, something else comes near them meanwhile; or it is so, and they come back at once */
    const double believed = ldexp(most, (int)(bounces < DOUBTS ? bounces : DOUBTS));
    b->seen = max_double(fmin(whole ? fall_seen(world, e, b, most) : along, believed), 0.0);
    if (slowest < 0.5 * leap_of(b, b->seen, b->speed))
        settle(b, e);
}

/* Spins that have changed by rounding alone stay as they were. If none has changed the speed along the normal is then
 * made right to the last digit once more. */
static void steady(bounce *b, const tact_vec3 spins[2], double fastest)
{
    const double least_spin = b->size > 0.0 ? LEAST_SPIN * fastest / b->size : 0.0;
    int same = 0;
    for (int i = 0; i < 2; ++i)
        if (b->m[i].rigid == NULL || vec_length_safe(vec_sub(b->m[i].spin, spins[i])) <= least_spin) {
            b->m[i].spin = spins[i];
            ++same;
        }
    press *p = &b->presses[0];
    const double off = p->goal - gap_speed(b->m, p, 0);
    if (same < 2 || b->count == 1 || !(fabs(off) <= LEAST_SPIN * fastest))
        return;
    const tact_vec3 by = vec_scale(p->along[0], off / (b->m[0].lightness + b->m[1].lightness));
    b->m[0].velocity = vec_mul_add(b->m[0].velocity, -b->m[0].lightness, by);
    b->m[1].velocity = vec_mul_add(b->m[1].velocity, b->m[1].lightness, by);
}

/* How much too early the touch is reported, as times are doubles: the gap that is left, over the speed at which it
 * closes. Two that turn, other than balls, are left as they are; so are gaps that are more than rounding. */
static double early_by(const tact_world *world, const tact_event *e, const mover movers[2])
{
    const uint32_t index[2] = {e->a.index, e->b.index};
    tact_vec3 ends[2];
    double far = 0.0, speed = 0.0;
    for (int i = 0; i < 2; ++i) {
        const mover *m = &movers[i];
        const tact_vec3 along = i == 0 ? e->normal : vec_negate(e->normal);
        const double ball = world->advance->motions.items[index[i]].sphere_radius;
        ends[i] = vec_mul_add(m->centre, ball, along);
        if (ball == NOT_A_SPHERE && vec_length_squared(m->spin) > 0.0)
            return 0.0;
        if (ball < 0.0 && tact_shape_support(world->bodies.items[index[i]].shape, m->place, along, &ends[i]) != TACT_OK)
            return 0.0;
        far += vec_max_abs(m->place.origin) + vec_max_abs(ends[i]);
        speed += vec_length_safe(m->velocity);
    }
    const double gap = vec_dot(e->normal, vec_sub(ends[1], ends[0]));
    const double closing = vec_dot(e->normal, vec_sub(movers[0].velocity, movers[1].velocity));
    const bool tiny = fabs(gap) <= LATEST * DBL_EPSILON * (far + speed * fabs(e->time));
    return tiny && closing > STEEP * speed ? gap / closing : 0.0;
}

/* They have. */
static void count_bounce(const mover m[2], double now, double rest)
{
    for (int i = 0; i < 2; ++i) {
        rigid_body *r = m[i].rigid;
        if (r != NULL && now - r->bounced > rest) {
            const bool borne = r->bounces > BORNE_BOUNCES && now - r->bounced <= 2.0 * rest; /* and goes on to be */
            r->bounced = now;
            r->bounces = borne ? BORNE_BOUNCES : 0;
        }
        if (r != NULL)
            ++r->bounces;
    }
}

/* The motion of its origin that it has by now. */
static tact_motion motion_of(const mover *m)
{
    const tact_vec3 arm = vec_sub(m->place.origin, m->centre);
    return (tact_motion){vec_add(m->velocity, vec_cross(m->spin, arm)), m->acceleration, m->spin};
}

static bool is_speed(tact_vec3 velocity) { return vec_finite(velocity) && vec_max_abs(velocity) <= MOTION_MAX_VALUE; }

static bool is_movable(const mover *m)
{
    const tact_motion motion = motion_of(m);
    return vec_finite(m->velocity) && motion_is_valid(&motion);
}

/* Gives a body its motion, as if it had had it from `early` later on: this is what makes thousands of bounces at times
 * that are rounded come out right. */
static void move_on(tact_world *world, uint32_t index, const mover *m, tact_vec3 velocity_before, double early)
{
    if (m->rigid == NULL)
        return;
    tact_body_redirect(world, index, motion_of(m));
    if (early == 0.0)
        return;
    tact_vec3 *origin = &world->bodies.items[index].transform.origin;
    *origin = vec_mul_add(*origin, early, vec_sub(velocity_before, m->velocity));
    world->advance->cold.items[index].broad_outdated = true;
    world->advance->synced_at = -INFINITY;
}

static void have_bounced(tact_world *world, const tact_event *e, const bounce *b, const tact_vec3 before[2],
                         double early)
{
    count_bounce(b->m, e->time, world->rest_time);
    move_on(world, e->a.index, &b->m[0], before[0], early);
    move_on(world, e->b.index, &b->m[1], before[1], early);
    tact_prediction_mark_bounced(world->advance, e->a.index, e->b.index, world->rest_time);
}

/* ---- balls that do not turn ---- */

/* One of the two, where that is enough: by what it is, and not by how it is kept, so that it is the same in a restored
 * world. */
static bool is_simple(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    const body_motion_cold *m = &ad->cold.items[index];
    const rigid_body *r = world->cold.items[index].rigid;
    if (!advance_has_motion(ad, index))
        return false;
    return r == NULL
               ? !m->moves
               : m->moves && ad->motions.items[index].sphere_radius >= 0.0 && !m->spins && m->plan == NULL &&
                     r->properties.centre.x == 0.0 && r->properties.centre.y == 0.0 && r->properties.centre.z == 0.0;
}

/* The mover of such a one: without what it takes to turn. */
static mover simple_mover_of(const tact_world *world, uint32_t index)
{
    const body_motion *p = &world->advance->motions.items[index];
    rigid_body *r = world->cold.items[index].rigid;
    if (r == NULL)
        return (mover){.place = world->bodies.items[index].transform,
                       .centre = world->bodies.items[index].transform.origin};
    const tact_vec3 at = body_motion_origin(p, &world->advance->cold.items[index], world->advance->time);
    return (mover){.rigid = r,
                   .place = {.origin = at},
                   .centre = at,
                   .velocity = p->velocity,
                   .lightness = 1.0 / r->properties.mass};
}

/* A bounce without friction of two balls, or a ball and something that stands still: the same as below, of which most
 * is known to be zero. False: it is not such a one, and nothing has changed. */
static bool bounce_simply(tact_world *world, const tact_event *event, double restitution, tact_status *status)
{
    advance *ad = world->advance;
    const uint32_t index[2] = {event->a.index, event->b.index};
    if (ad->reported[0] != index[0] || ad->reported[1] != index[1] || !is_simple(world, index[0]) ||
        !is_simple(world, index[1]) || vec_length_squared(event->normal) == 0.0)
        return false;
    mover m[2] = {simple_mover_of(world, index[0]), simple_mover_of(world, index[1])};
    const tact_vec3 n = event->normal, before[2] = {m[0].velocity, m[1].velocity};
    const double give = m[0].lightness + m[1].lightness, closing = vec_dot(n, vec_sub(before[0], before[1]));
    const double least = LEAST_SPEED * (vec_length_safe(before[0]) + vec_length_safe(before[1]));
    *status = TACT_OK;
    if (!(give > 0.0 && closing > 0.0))
        return true;
    const uint32_t bounces = bounces_of(m, event->time, world->rest_time);
    if (bounces > TACT_BOUNCES_MOST)
        return true;
    if (bounces > TACT_BOUNCES_ELASTIC)
        restitution = 1.0;
    const double goal = max_double(least, restitution * closing), early = early_by(world, event, m);
    double wish = (goal + closing) / give;
    for (int i = 0; i < SIMPLE_ROUNDS; ++i) {
        m[0].velocity = vec_mul_add(m[0].velocity, -wish * m[0].lightness, n);
        m[1].velocity = vec_mul_add(m[1].velocity, wish * m[1].lightness, n);
        if (fabs(wish) * give <= SETTLED * max_double(closing, least))
            break;
        wish = (goal - vec_dot(n, vec_sub(m[1].velocity, m[0].velocity))) / give;
    }
    if (!is_speed(m[0].velocity) || !is_speed(m[1].velocity)) {
        *status = TACT_BAD_ARGUMENT; /* as below */
        return true;
    }
    count_bounce(m, event->time, world->rest_time);
    bool quick = true;
    tact_vec3 aside[2];
    for (int i = 0; i < 2; ++i) {
        aside[i] = vec_scale(vec_sub(before[i], m[i].velocity), early);
        quick = quick && (m[i].rigid == NULL || tact_body_motion_can_redirect(ad, index[i], m[i].velocity, aside[i]));
    }
    for (int i = 0; i < 2; ++i)
        if (!quick)
            move_on(world, index[i], &m[i], before[i], early);
        else if (m[i].rigid != NULL)
            tact_body_motion_redirect(ad, index[i], m[i].velocity, aside[i]);
    if (early != 0.0)
        ad->synced_at = -INFINITY;
    return true;
}

/* How fast two are accelerated towards each other. What is borne bears on others in turn, even if all of them fall the
 * same way. */
static double pull_of(const mover m[2], tact_vec3 normal, double now, double rest)
{
    double pull = vec_dot(normal, vec_sub(m[0].acceleration, m[1].acceleration));
    for (int i = 0; i < 2; ++i)
        if (m[i].rigid != NULL && now - m[i].rigid->bounced <= rest)
            for (int k = 0; k < 2; ++k)
                pull = max_double(pull, fabs(vec_dot(normal, m[k].acceleration)));
    return pull;
}

/* Do they close by what the program moves, whatever it meets? What that drives would get ever faster by elastic
 * bounces. */
static bool is_driven(const bounce *b, const tact_event *e)
{
    const press p = press_at(b->m, e->point, e->normal, 0.0);
    double driven = 0.0;
    for (int i = 0; i < 2; ++i)
        if (b->m[i].rigid == NULL)
            driven = max_double(driven, fabs(vec_dot(e->normal, velocity_at(&b->m[i], p.arm[i]))));
    const double closing = -gap_speed(b->m, &p, 0);
    return closing > DRIVEN_PART * driven && driven > DRIVEN_PART * closing;
}

/* Of two that fall the same way, one onto the other, the lower one may be borne by others that it bounces on: then it
 * holds the upper one as they do. The idea is that of shock propagation (Guendelman, Bridson and Fedkiw 2003), pair by
 * pair and without their graph of contacts. Else a light body under a heavy one is thrown to and fro ever faster, until
 * it is let through. */
static void hold_lower(bounce *b, const tact_event *e)
{
    if (b->m[0].rigid == NULL || b->m[1].rigid == NULL || !(b->restitution < 1.0))
        return;
    const double falls[2] = {vec_dot(e->normal, b->m[0].acceleration), vec_dot(e->normal, b->m[1].acceleration)};
    if (!(falls[0] * falls[1] > 0.0) || !(fabs(falls[0]) >= HELD_STEEP * vec_length_safe(b->m[0].acceleration)) ||
        !(fabs(falls[1]) >= HELD_STEEP * vec_length_safe(b->m[1].acceleration)))
        return; /* beside each other, more or less */
    mover *lower = &b->m[falls[0] < 0.0 ? 0 : 1];
    const double speed = vec_dot(e->normal, velocity_at(lower, vec_sub(e->point, lower->centre)));
    lower->held = lower->rigid->bounces > BORNE_BOUNCES && e->time - lower->rigid->bounced <= b->rest &&
                  fabs(speed) <= HELD_MOST * fmin(fabs(falls[0]), fabs(falls[1])) * b->rest;
    if (lower->held) {
        lower->lightness = 0.0;
        lower->inverse = (sym3){0};
    }
}

static tact_status let_bounce(tact_world *world, const tact_event *event, const tact_bounce_def *def)
{
    if (world == NULL || event == NULL || event->kind != TACT_EVENT_TOUCH ||
        event->time != tact_world_get_time(world) || body_find(world, event->a) == NULL ||
        body_find(world, event->b) == NULL || world->advance == NULL || event->a.index == event->b.index ||
        !(def->restitution >= 0.0) || !(def->restitution <= 1.0) || !(def->friction >= 0.0) ||
        !(def->friction < INFINITY) || !vec_finite(event->normal) || !vec_finite(event->point))
        return TACT_BAD_ARGUMENT;
    tact_status simple;
    if (def->friction == 0.0 && bounce_simply(world, event, def->restitution, &simple))
        return simple;
    bounce b = {.m = {mover_of(world, event->a.index), mover_of(world, event->b.index)},
                .restitution = def->restitution,
                .friction = def->friction,
                .elastic = def->restitution == 1.0,
                .rest = world->rest_time};
    if ((b.m[0].rigid == NULL && b.m[1].rigid == NULL) || vec_length_squared(event->normal) == 0.0)
        return TACT_OK;
    if (tact_prediction_bounce_count(world->advance, event->a.index, event->b.index, world->rest_time) >=
        TACT_BOUNCES_MOST)
        return TACT_OK;
    hold_lower(&b, event);
    if (bounces_of(b.m, event->time, world->rest_time) > TACT_BOUNCES_ELASTIC && !is_driven(&b, event))
        b.restitution = 1.0;
    b.pull = pull_of(b.m, event->normal, event->time, world->rest_time);
    find_presses(world, event, &b);
    if (!begin_turn(&b, false)) {
        b.count = 0;
        b.whole = true;
        b.presses[b.count++] = press_at(b.m, event->point, event->normal, b.deep);
        if (!begin_turn(&b, false)) { /* by the spin of now; that of the piece is a mean: another one begins */
            have_bounced(world, event, &b, (const tact_vec3[2]){b.m[0].velocity, b.m[1].velocity}, 0.0);
            return TACT_OK;
        }
    }
    const tact_vec3 spins[2] = {b.m[0].spin, b.m[1].spin};
    const tact_vec3 velocities[2] = {b.m[0].velocity, b.m[1].velocity};
    const double fastest = b.fastest, early = early_by(world, event, b.m);
    settle(&b, event);
    if (b.rest > 0.0)
        part_for_long(world, event, &b);
    steady(&b, spins, fastest);
    if (!is_movable(&b.m[0]) || !is_movable(&b.m[1]))
        return TACT_BAD_ARGUMENT; /* masses or speeds beyond all measure */
    have_bounced(world, event, &b, velocities, early);
    return TACT_OK;
}

tact_status tact_world_bounce_with(tact_world *world, const tact_event *event, const tact_bounce_def *def)
{
    const tact_bounce_def usual = tact_bounce_def_default();
    if (def == NULL)
        def = &usual;
    const tact_status status = let_bounce(world, event, def);
    if (status == TACT_OK)
        WORLD_NOTIFY(world, .type = CALL_BOUNCE, .event = event, .bounce = def);
    return status;
}

tact_status tact_world_bounce(tact_world *world, const tact_event *event, double restitution)
{
    const tact_bounce_def def = {.restitution = restitution};
    return tact_world_bounce_with(world, event, &def);
}

tact_status tact_world_set_rest_time(tact_world *world, double time)
{
    if (world == NULL || !(time >= 0.0) || !(time < INFINITY))
        return TACT_BAD_ARGUMENT;
    world->rest_time = time;
    WORLD_NOTIFY(world, .type = CALL_SET_REST_TIME, .time = time);
    return TACT_OK;
}

double tact_world_get_rest_time(const tact_world *world) { return world != NULL ? world->rest_time : 0.0; }
