/*
 * What happens to the motions of two rigid bodies when they touch.
 *
 * Impulses at the points where they press on each other, such that at each of them the bodies part at least as fast as the restitution
 * times the speed at which they closed says, and exactly so where there is an impulse (Newton's rule as a linear complementarity
 * problem); friction opposes the sliding at each point, up to its coefficient times the impulse. Solved by projected Gauss and Seidel,
 * which ends at rounding: with one point it is exact at once; four corners of a face take some tens of rounds.
 *
 * Elastic bounces without friction so keep the energy: where there is an impulse, the speeds before and after add up to 0.
 */
#include <float.h>
#include <math.h>

#include "world/advance.h"
#include "world/rigid.h"

/* Rounds of the iteration, and the change (relative to the closing speed) at which it ends. */
#define ROUNDS 400
#define SETTLED 1e-15

/* Of the smaller body's size: points of contact that are this far apart still press. */
#define PRESSES 1e-9

tact_bounce_def tact_bounce_def_default(void) { return (tact_bounce_def){.restitution = 1.0}; }

/* One of the two, as it moves now. */
typedef struct mover {
    rigid *rigid; /* NULL: nothing moves it */
    tact_placement place;
    tact_vec3 centre; /* of mass; of its origin without a mass */
    tact_vec3 velocity, spin, acceleration;
    symmetric inverse; /* of its inertia */
    double lightness;  /* one over its mass */
} mover;

static mover mover_of(const tact_world *world, uint32_t index)
{
    mover m = {.rigid = world->rests.items[index].rigid, .place = tact_advance_place(world, index)};
    const tact_motion motion = tact_advance_motion(world, index);
    m.velocity = motion.velocity;
    m.spin = motion.spin;
    m.acceleration = motion.acceleration;
    m.centre = m.place.origin;
    if (m.rigid != NULL) {
        m.centre = tact_placement_point(m.place, m.rigid->centre);
        m.velocity = vec_add(m.velocity, vec_cross(m.spin, vec_sub(m.centre, m.place.origin)));
        m.inverse = tact_rigid_inverse(m.rigid, &m.place);
        m.lightness = 1.0 / m.rigid->mass;
    }
    return m;
}

static tact_vec3 velocity_at(const mover *m, tact_vec3 arm) { return vec_add(m->velocity, vec_cross(m->spin, arm)); }

static void push(mover *m, tact_vec3 arm, tact_vec3 impulse)
{
    if (m->rigid == NULL)
        return;
    m->velocity = vec_along(m->velocity, m->lightness, impulse);
    m->spin = vec_add(m->spin, symmetric_map(&m->inverse, vec_cross(arm, impulse)));
}

/* How fast a point gets along `d` by a unit impulse there. */
static double give(const mover *m, tact_vec3 arm, tact_vec3 d)
{
    const tact_vec3 twist = vec_cross(arm, d);
    return m->lightness + vec_dot(twist, symmetric_map(&m->inverse, twist));
}

/* A point where they press on each other. */
typedef struct press {
    tact_vec3 arm[2];
    tact_vec3 along[3];  /* the normal, from A to B, and two tangents */
    double give[3];      /* of both together */
    double goal;         /* the speed along the normal at which they part */
    double impulse[3];
} press;

static double gap_speed(const mover m[2], const press *p, tact_vec3 along)
{
    return vec_dot(along, vec_sub(velocity_at(&m[1], p->arm[1]), velocity_at(&m[0], p->arm[0])));
}

static void push_both(mover m[2], const press *p, tact_vec3 impulse)
{
    push(&m[0], p->arm[0], vec_negate(impulse));
    push(&m[1], p->arm[1], impulse);
}

static press press_at(const mover m[2], tact_vec3 point, tact_vec3 normal, double restitution)
{
    press p = {.along[0] = normal};
    vec_tangents(normal, &p.along[1], &p.along[2]);
    for (int i = 0; i < 2; ++i)
        p.arm[i] = vec_sub(point, m[i].centre);
    for (int k = 0; k < 3; ++k)
        p.give[k] = give(&m[0], p.arm[0], p.along[k]) + give(&m[1], p.arm[1], p.along[k]);
    const double closing = -gap_speed(m, &p, normal);
    p.goal = closing > 0.0 ? restitution * closing : 0.0;
    return p;
}

/* One point's turn; tells by how much its speed was off. */
static double relax(mover m[2], press *p, double friction)
{
    const double off = p->goal - gap_speed(m, p, p->along[0]);
    const double impulse = larger(p->impulse[0] + off / p->give[0], 0.0);
    const double change = impulse - p->impulse[0];
    p->impulse[0] = impulse;
    push_both(m, p, vec_scale(p->along[0], change));
    if (!(friction > 0.0))
        return fabs(change) * p->give[0];
    double wanted[2], size = 0.0;
    for (int k = 0; k < 2; ++k) {
        wanted[k] = p->impulse[k + 1] - gap_speed(m, p, p->along[k + 1]) / p->give[k + 1];
        size = hypot(size, wanted[k]);
    }
    const double most = friction * impulse, part = size > most ? most / size : 1.0;
    double moved = fabs(change) * p->give[0];
    for (int k = 0; k < 2; ++k) {
        const double step = part * wanted[k] - p->impulse[k + 1];
        p->impulse[k + 1] += step;
        push_both(m, p, vec_scale(p->along[k + 1], step));
        moved = larger(moved, fabs(step) * p->give[k + 1]);
    }
    return moved;
}

static int find_presses(const tact_world *world, const tact_event *e, const mover m[2], double restitution,
                        press presses[TACT_MANIFOLD_POINTS])
{
    const tact_shape *a = world->lines.items[e->a.index].shape, *b = world->lines.items[e->b.index].shape;
    const advance *ad = world->advance;
    const double size_a = vec_largest(vec_sub(ad->more.items[e->a.index].high, ad->more.items[e->a.index].low));
    const double size_b = vec_largest(vec_sub(ad->more.items[e->b.index].high, ad->more.items[e->b.index].low));
    const double size = size_a > 0.0 && size_b > 0.0 ? fmin(size_a, size_b) : larger(size_a, size_b);
    presses[0] = press_at(m, e->point, e->normal, restitution);
    if (ad->plans.items[e->a.index].ball >= 0.0 || ad->plans.items[e->b.index].ball >= 0.0)
        return 1; /* a ball has one point */
    const tact_manifold found = tact_shapes_manifold(a, m[0].place, b, m[1].place, PRESSES * size);
    if (found.count < 2)
        return 1;
    for (int i = 0; i < found.count; ++i)
        presses[i] = press_at(m, vec_scale(vec_add(found.points[i].on_a, found.points[i].on_b), 0.5), e->normal,
                              restitution);
    return found.count;
}

/* The motion of its origin that a body has by now. */
static tact_status move_on(tact_world *world, uint32_t index, const mover *m)
{
    if (m->rigid == NULL)
        return TACT_OK;
    const tact_vec3 arm = vec_sub(m->place.origin, m->centre);
    const tact_motion motion = {vec_add(m->velocity, vec_cross(m->spin, arm)), m->acceleration, m->spin};
    m->rigid->bounced = world->advance->time;
    return tact_body_move(world, body_name(world, index), motion);
}

tact_status tact_world_bounce_as(tact_world *world, const tact_event *event, const tact_bounce_def *def)
{
    const tact_bounce_def usual = tact_bounce_def_default();
    if (def == NULL)
        def = &usual;
    if (world == NULL || event == NULL || event->kind != TACT_TOUCH || event->time != tact_world_get_time(world) ||
        body_find(world, event->a) == NULL || body_find(world, event->b) == NULL || world->advance == NULL ||
        !(def->restitution >= 0.0) || !(def->restitution <= 1.0) || !(def->friction >= 0.0) ||
        !(def->friction < INFINITY) || !vec_finite(event->normal) || !vec_finite(event->point))
        return TACT_BAD_ARGUMENT;
    mover m[2] = {mover_of(world, event->a.index), mover_of(world, event->b.index)};
    if ((m[0].rigid == NULL && m[1].rigid == NULL) || vec_square(event->normal) == 0.0)
        return TACT_OK;
    double restitution = def->restitution;
    for (int i = 0; i < 2; ++i)
        if (m[i].rigid != NULL && event->time - m[i].rigid->bounced < world->rest_time)
            restitution = 1.0;
    press presses[TACT_MANIFOLD_POINTS];
    const int count = find_presses(world, event, m, restitution, presses);
    double fastest = 0.0;
    for (int i = 0; i < count; ++i)
        fastest = larger(fastest, -gap_speed(m, &presses[i], presses[i].along[0]));
    if (!(fastest > 0.0))
        return TACT_OK;
    for (int round = 0; round < ROUNDS; ++round) {
        double moved = 0.0;
        for (int i = 0; i < count; ++i)
            moved = larger(moved, relax(m, &presses[i], def->friction));
        if (moved <= SETTLED * fastest || (count == 1 && def->friction == 0.0))
            break;
    }
    const tact_status status = move_on(world, event->a.index, &m[0]);
    return status == TACT_OK ? move_on(world, event->b.index, &m[1]) : status;
}

tact_status tact_world_bounce(tact_world *world, const tact_event *event, double restitution)
{
    const tact_bounce_def def = {.restitution = restitution};
    return tact_world_bounce_as(world, event, &def);
}

tact_status tact_world_set_rest(tact_world *world, double time)
{
    if (world == NULL || !(time >= 0.0) || !(time < INFINITY))
        return TACT_BAD_ARGUMENT;
    world->rest_time = time;
    return TACT_OK;
}
