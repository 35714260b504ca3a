/* What is foreseen of two bodies: when they touch, or part. */
#include <float.h>
#include <math.h>

#include "world/advance.h"

/* Of the smaller body's size: the tolerance of a touch. */
#define TOLERANCE 1e-12

/* Looks at a pair that part slowly, before it is put off. */
#define LOOKS 48

/* Of the smaller body's size: no step of such a look is shorter. */
#define LEAST_STEP 1e-9

typedef struct two {
    const plan *plan[2];
    const tact_shape *shape[2];
    tact_placement place[2];
    tact_motion motion[2];
    double size;  /* of the smaller one: half its largest extent */
    double speed; /* a bound of how fast points of one move past those of the other, up to the horizon */
    double now, horizon;
} two;

/* Two balls that drift past each other: exact formulas. */
static void foresee_balls(const two *q, foreseen *f)
{
    const plan *a = q->plan[0], *b = q->plan[1];
    const tact_vec3 d = vec_sub(plan_origin(b, q->now), plan_origin(a, q->now));
    const tact_vec3 v = vec_sub(plan_motion(b, q->now).velocity, plan_motion(a, q->now).velocity);
    const double radius = a->ball + b->ball, approach = vec_dot(d, v), dd = vec_square(d), vv = vec_square(v);
    const double gap = dd - radius * radius, noise = 8.0 * DBL_EPSILON * (dd + radius * radius);
    f->until = INFINITY;
    f->time = INFINITY;
    if (f->state == PAIR_IN_NOW && !(gap < -noise || approach < 0.0))
        f->state = PAIR_APART_NOW;
    const double square = approach * approach - vv * gap;
    if (f->state == PAIR_IN_NOW) {
        if (vv > 0.0) /* out on the other side */
            f->time = q->now + fmax(0.0, (-approach + sqrt(fmax(square, 0.0))) / vv);
        return;
    }
    double t;
    if (gap < -noise)
        t = 0.0; /* deep inside from the beginning */
    else if (approach >= 0.0)
        return;
    else if (gap <= noise)
        t = 0.0;
    else if (square < 0.0)
        return;
    else
        t = (gap - noise) / (-approach + sqrt(square));
    f->time = q->now + t;
    const tact_vec3 then = vec_along(d, t, v);
    const double length = vec_size(then);
    f->normal = length > 0.0 ? vec_scale(then, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
    f->point = vec_along(plan_origin(a, f->time), a->ball, f->normal);
}

/* When two that overlap are apart again: they stay in each other as long as the depth over the speed says. */
static tact_status foresee_parting(const two *q, foreseen *f)
{
    double t = 0.0;
    f->time = INFINITY;
    for (int i = 0; i < LOOKS && t < q->horizon; ++i) {
        const tact_depth d =
            tact_shapes_depth(q->shape[0], tact_motion_at(q->motion[0], q->place[0], t), q->shape[1],
                              tact_motion_at(q->motion[1], q->place[1], t));
        if (d.status != TACT_OK)
            return d.status;
        if (d.depth <= TOLERANCE * q->size) {
            f->time = q->now + t;
            break;
        }
        t += fmax(d.depth, LEAST_STEP * q->size) / q->speed;
    }
    f->until = q->now + fmin(t, q->horizon);
    return TACT_OK;
}

static tact_status foresee_any(const two *q, foreseen *f)
{
    const tact_impact_def def = {.end = q->horizon, .tolerance = TOLERANCE * q->size};
    const tact_impact hit = tact_shapes_impact_as(q->shape[0], q->place[0], q->motion[0], q->shape[1], q->place[1],
                                                  q->motion[1], &def);
    if (hit.status != TACT_OK && hit.status != TACT_NOT_CONVERGED)
        return hit.status;
    if (f->state == PAIR_IN_NOW) {
        if (hit.state == TACT_HIT && hit.time == 0.0)
            return foresee_parting(q, f);
        f->state = PAIR_APART_NOW;
    }
    f->time = hit.state == TACT_HIT ? q->now + hit.time : INFINITY;
    f->until = q->now + hit.time;
    f->point = hit.point;
    f->normal = hit.normal;
    return TACT_OK;
}

/* A bound of the speed of the points of a body over some time. */
static double speed_of(const plan *p, const plan_rest *rest, double now, double time)
{
    const tact_vec3 far = vec_make(larger(-rest->low.x, rest->high.x), larger(-rest->low.y, rest->high.y),
                                   larger(-rest->low.z, rest->high.z));
    return vec_size(plan_motion(p, now).velocity) + time * vec_size(p->motion.acceleration) +
           vec_size(p->motion.spin) * vec_size(far);
}

tact_status tact_pair_foresee(tact_world *world, uint32_t slot, double limit)
{
    advance *ad = world->advance;
    foreseen *f = &ad->pairs.items[slot];
    const uint32_t *number = ad->shells.pairs.items[slot].number;
    const plan *a = &ad->plans.items[number[0]], *b = &ad->plans.items[number[1]];
    const plan_rest *rest_a = &ad->rests.items[number[0]], *rest_b = &ad->rests.items[number[1]];
    ++ad->predictions;
    f->version = ++ad->version;
    f->numbers[0] = a->number;
    f->numbers[1] = b->number;
    f->time = f->until = INFINITY;
    if (!rest_a->moves && !rest_b->moves)
        return TACT_OK;
    two q = {.plan = {a, b}, .now = ad->time};
    if (a->ball >= 0.0 && b->ball >= 0.0 && vec_equal(a->motion.acceleration, b->motion.acceleration)) {
        foresee_balls(&q, f);
        return TACT_OK;
    }
    for (int i = 0; i < 2; ++i) {
        q.shape[i] = world->lines.items[number[i]].shape;
        q.place[i] = plan_place(q.plan[i], q.now);
        q.motion[i] = plan_motion(q.plan[i], q.now);
    }
    const double size_a = 0.5 * vec_largest(vec_sub(rest_a->high, rest_a->low));
    const double size_b = 0.5 * vec_largest(vec_sub(rest_b->high, rest_b->low));
    q.size = size_a > 0.0 && size_b > 0.0 ? fmin(size_a, size_b) : larger(size_a, size_b);
    q.horizon = fmin(limit, fmin(a->exit, b->exit)) - q.now;
    if (!(q.horizon < INFINITY)) /* both turn on the spot for ever: half a turn of the faster one */
        q.horizon = 3.0 / larger(vec_size(a->motion.spin), vec_size(b->motion.spin));
    if (!(q.horizon > 0.0))
        q.horizon = 0.0;
    q.speed = speed_of(a, rest_a, q.now, q.horizon) + speed_of(b, rest_b, q.now, q.horizon) + DBL_MIN;
    return foresee_any(&q, f);
}
