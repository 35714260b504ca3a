/* What is foreseen of two bodies: when they touch, or part. */
#include <float.h>
#include <math.h>

#include "world/advance.h"

/* Of the smaller body's size: the tolerance of a touch. */
#define TOLERANCE 1e-12

/* Looks at a pair that parts slowly, before it is put off. */
#define LOOKS 48

/* Of the smaller body's size: no step of such a look is shorter. */
#define LEAST_STEP 1e-9

/* How two balls are to each other now. */
typedef struct balls {
    double radius;   /* of both */
    double approach; /* half the rate at which the square of the distance grows */
    double speed;    /* squared, of one as seen from the other */
    double gap;      /* the square of the distance less that of the radius */
    double noise;    /* of the gap, by rounding */
} balls;

static inline balls balls_now(const plan *a, const plan *b, double now)
{
    const double ta = now - a->since, tb = now - b->since;
    const tact_vec3 pa = vec_along(a->origin, ta, a->velocity), pb = vec_along(b->origin, tb, b->velocity);
    const tact_vec3 d = vec_sub(pb, pa), v = vec_sub(b->velocity, a->velocity);
    const double radius = a->ball + b->ball, square = vec_square(d);
    const double far = (fabs(pa.x) + fabs(pa.y) + fabs(pa.z)) + (fabs(pb.x) + fabs(pb.y) + fabs(pb.z));
    return (balls){radius, vec_dot(d, v), vec_square(v), square - radius * radius,
                   8.0 * DBL_EPSILON * (square + radius * (radius + far))};
}

double tact_balls_meet(const plan *a, const plan *b, double now, double limit)
{
    const balls q = balls_now(a, b, now);
    if (q.gap < -q.noise)
        return 0.0; /* in each other already */
    if (q.approach >= 0.0 || -2.0 * q.approach * limit < q.gap - q.noise)
        return INFINITY; /* part, or cannot be there by then: the rate falls */
    if (q.gap <= q.noise)
        return 0.0;
    const double square = q.approach * q.approach - q.speed * q.gap;
    if (square < 0.0)
        return INFINITY;
    return (q.gap - q.noise) / (sqrt(square) - q.approach);
}

/* Two balls that have a record, as they were told and did not bounce. */
static void renew_balls(const plan *a, const plan *b, double now, record *r)
{
    const balls q = balls_now(a, b, now);
    r->time = r->until = INFINITY;
    if (r->in && q.gap >= -q.noise && q.approach >= 0.0)
        r->in = false;
    const double square = q.approach * q.approach - q.speed * q.gap;
    if (r->in && q.speed > 0.0)
        r->time = now + fmax(0.0, (sqrt(fmax(square, 0.0)) - q.approach) / q.speed);
    else if (!r->in)
        r->time = now + tact_balls_meet(a, b, now, INFINITY);
    const tact_vec3 pa = vec_along(a->origin, r->time - a->since, a->velocity);
    const tact_vec3 way = vec_sub(vec_along(b->origin, r->time - b->since, b->velocity), pa);
    const double length = vec_size(way);
    if (!(length > 0.0) || !(length < INFINITY))
        return;
    r->normal = vec_scale(way, 1.0 / length);
    r->point = vec_along(pa, a->ball, r->normal);
}

/* Two bodies now. */
typedef struct two {
    const tact_shape *shape[2];
    tact_placement place[2];
    tact_motion motion[2];
    double size;  /* of the smaller one: half its largest extent */
    double speed; /* a bound of how fast points of one move past those of the other, up to the horizon */
    double now, horizon;
} two;

/* When two that overlap are apart again: they stay in each other as long as the depth over the speed says. */
static tact_status renew_parting(const two *q, record *r)
{
    double t = 0.0;
    r->time = INFINITY;
    for (int i = 0; i < LOOKS && t < q->horizon; ++i) {
        const tact_depth d = tact_shapes_depth(q->shape[0], tact_motion_at(q->motion[0], q->place[0], t), q->shape[1],
                                               tact_motion_at(q->motion[1], q->place[1], t));
        if (d.status != TACT_OK)
            return d.status;
        if (d.depth <= TOLERANCE * q->size) {
            r->time = q->now + t;
            break;
        }
        t += fmax(d.depth, LEAST_STEP * q->size) / q->speed;
    }
    r->until = q->now + fmin(t, q->horizon);
    return TACT_OK;
}

static tact_status renew_any(const two *q, record *r)
{
    const tact_impact_def def = {.end = q->horizon, .tolerance = TOLERANCE * q->size};
    const tact_impact hit = tact_shapes_impact_as(q->shape[0], q->place[0], q->motion[0], q->shape[1], q->place[1],
                                                  q->motion[1], &def);
    if (hit.status != TACT_OK && hit.status != TACT_NOT_CONVERGED)
        return hit.status;
    if (r->in) {
        if (hit.state == TACT_HIT && hit.time == 0.0)
            return renew_parting(q, r);
        r->in = false;
    }
    r->time = hit.state == TACT_HIT ? q->now + hit.time : INFINITY;
    r->until = q->now + hit.time;
    r->point = hit.point;
    r->normal = hit.normal;
    return TACT_OK;
}

/* A bound of the speed of the points of a body over some time. */
static double speed_of(const plan *p, const plan_more *m, double now, double time)
{
    const tact_vec3 far =
        vec_make(larger(-m->low.x, m->high.x), larger(-m->low.y, m->high.y), larger(-m->low.z, m->high.z));
    return vec_size(plan_motion(p, m, now).velocity) + time * vec_size(m->motion.acceleration) +
           vec_size(m->motion.spin) * vec_size(far);
}

static double half_of(const plan_more *m) { return 0.5 * vec_largest(vec_sub(m->high, m->low)); }

uint32_t tact_record_of(tact_world *world, shell_neighbour *n)
{
    advance *ad = world->advance;
    if (n->word != SHELL_NONE)
        return n->word;
    uint32_t word = ad->unused;
    if (word != SHELL_NONE) {
        ad->unused = ad->records.items[word].next;
        ad->records.items[word] = (record){.next = SHELL_NONE};
    } else {
        if (!record_array_push(&ad->records, &world->allocator, (record){.next = SHELL_NONE}))
            return SHELL_NONE;
        word = (uint32_t)ad->records.count - 1;
    }
    shells_set_word(&ad->shells, n, word);
    return word;
}

tact_status tact_record_renew(tact_world *world, uint32_t index, const shell_neighbour *n, double limit)
{
    advance *ad = world->advance;
    record *r = &ad->records.items[n->word];
    const uint32_t one = index < n->number ? index : n->number, other = index < n->number ? n->number : index;
    const plan *a = &ad->plans.items[one], *b = &ad->plans.items[other];
    const plan_more *ma = &ad->more.items[one], *mb = &ad->more.items[other];
    r->version = ++ad->versions;
    r->time = r->until = INFINITY;
    if (!ma->moves && !mb->moves)
        return TACT_OK;
    if (a->ball >= 0.0 && b->ball >= 0.0) {
        renew_balls(a, b, ad->time, r);
        return TACT_OK;
    }
    two q = {.shape = {ma->shape, mb->shape},
             .place = {plan_place(a, ma, ad->time), plan_place(b, mb, ad->time)},
             .motion = {plan_motion(a, ma, ad->time), plan_motion(b, mb, ad->time)},
             .now = ad->time};
    const double size_a = half_of(ma), size_b = half_of(mb);
    q.size = size_a > 0.0 && size_b > 0.0 ? fmin(size_a, size_b) : larger(size_a, size_b);
    q.horizon = fmin(limit, fmin(ma->exit, mb->exit)) - q.now;
    if (!(q.horizon < INFINITY)) /* both turn on the spot for ever: half a turn of the faster one */
        q.horizon = 3.0 / larger(vec_size(ma->motion.spin), vec_size(mb->motion.spin));
    if (!(q.horizon > 0.0))
        q.horizon = 0.0;
    q.speed = speed_of(a, ma, q.now, q.horizon) + speed_of(b, mb, q.now, q.horizon) + DBL_MIN;
    return renew_any(&q, r);
}
