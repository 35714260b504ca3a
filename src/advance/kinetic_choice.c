/*
 * TACT_KINETIC_AUTO: the cost model for kinetic sweep and prune against fat bounds (see broad/engine_choice.h for the
 * rule).
 *
 *     sweep       a swap of two endpoints + a box that changes otherwise + a neighbour visited
 *     fat bounds  a fat bound placed + a neighbour visited
 *
 * Predicting the time of impact of a pair costs much the same in both, as pairs are examined only while their boxes
 * overlap; it is left out. The engine at work counts its own operations. Those of the other one are estimated from the
 * spread of the bodies and their relative speeds. A period has CHOICE_PERIOD events and one more for each body.
 *
 * Measured: microseconds per impact, elastic bodies in a box, and the part of the box that they fill.
 *                                                                    sweep   fat bounds
 *    3 spheres, 2 %                                                   10.2         10.1
 *    100 spheres, 2 %                                                   22          7.3
 *    1,000 spheres, 5 %                                                124         10.4
 *    100 tumbling boxes, 2 %                                            46           42
 *    30 spheres, 5 %, in a box that moves at 10 times their speed       12           41
 *    300 spheres, 5 %, likewise                                         43           43
 *    30 spheres, 5 %, in a box that moves at 100 times their speed      33          317
 *    300 spheres, 5 %, likewise                                         46          436
 * Where bodies move in all directions the sweep is never much faster: N bodies have N^(5/3) swaps, which soon
 * outnumber everything else. It is faster where bodies move in the same direction, so that they leave fat bounds all
 * the time and yet pass few others.
 */
#include "advance/kinetic_choice.h"

#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "core/number.h"
#include "math/elementary.h"

/* Microseconds on a 2 to 3 GHz core of 2020, fitted to 63 scenes of 3 to 300 bodies. */
static const double sweep_costs[] = {0.15, 0.4, 0.07}; /* a swap; a box that changes otherwise; a neighbour visited */
static const double fat_bound_costs[] = {1.5, 0.07};   /* a fat bound placed; a neighbour visited */
static const double change_cost = 3.0;                 /* taking over, for each body */

/* Positions and velocities of bodies along one axis. */
typedef struct axis_statistics {
    double length; /* of the interval over which they are distributed, if uniformly */
    double speed;  /* mean absolute velocity relative to the mean velocity */
} axis_statistics;

/* What the work of the other engine is estimated from. */
typedef struct scene_statistics {
    double count;
    axis_statistics along[3];
    double neighbours; /* mean number of a body */
    double size;       /* mean of the bodies that move */
    double speed;      /* mean of the largest component */
} scene_statistics;

static scene_statistics measure_scene(const advance *ad)
{
    scene_statistics s = {0};
    double x[3] = {0.0}, v[3] = {0.0}, moving = 0.0;
    const uint32_t step = (uint32_t)(ad->motions.count / CHOICE_SAMPLE) + 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < ad->motions.count; i += step) {
            if (!advance_has_bound(ad, i))
                continue;
            const body_motion *hot = &ad->motions.items[i];
            const body_motion_cold *cold = &ad->cold.items[i];
            const tact_vec3 at = body_motion_origin(hot, cold, ad->time),
                            velocity = body_motion_motion(hot, cold, ad->time).velocity;
            if (pass == 0) {
                s.count += 1.0;
                s.neighbours += (double)ad->neighbours.lists.items[i].count;
                s.speed += vec_max_abs(velocity);
                moving += cold->moves;
                s.size += cold->moves ? body_motion_size(cold) : 0.0;
            }
            for (int k = 0; k < 3; ++k) {
                if (pass == 0) {
                    x[k] += vec_component(at, k);
                    v[k] += vec_component(velocity, k);
                } else { /* the mean distance from the centre is a quarter of the length */
                    s.along[k].length += 4.0 * fabs(vec_component(at, k) - x[k] / s.count);
                    s.along[k].speed += fabs(vec_component(velocity, k) - v[k] / s.count);
                }
            }
        }
    }
    for (int k = 0; k < 3 && s.count > 0.0; ++k) {
        s.along[k].length /= s.count;
        s.along[k].speed /= s.count;
    }
    s.neighbours = s.count > 0.0 ? s.neighbours / s.count : 0.0;
    s.speed = s.count > 0.0 ? s.speed / s.count : 0.0;
    s.size = moving > 0.0 ? s.size / moving : 0.0;
    s.count *= step;
    return s;
}

/* Swaps in a duration. The mean relative speed of two bodies is sqrt 2 times that relative to the mean; each has two
 * ends. */
static double estimate_swaps(const scene_statistics *s, double time)
{
    double swaps = 0.0;
    for (int k = 0; k < 3; ++k)
        if (s->along[k].length > 0.0)
            swaps += sqrt(2.0) * time * s->count * s->along[k].speed * 2.0 * s->count / s->along[k].length;
    return swaps;
}

/* Refits of fat bounds in a duration: bounds so large that they have TYPICAL_NEIGHBOURS in a uniformly filled space,
 * each left as often as a body crosses it. */
static double estimate_refits(const scene_statistics *s, double time)
{
    double space = 1.0;
    for (int k = 0; k < 3; ++k)
        space *= s->along[k].length + 2.0 * s->size;
    if (!(s->count > TYPICAL_NEIGHBOURS))
        return 0.0; /* margins grow without limit */
    const double half = 0.25 * tact_cbrt(TYPICAL_NEIGHBOURS * space / s->count),
                 margin = number_max(half - s->size, MIN_MARGIN * s->size);
    return margin > 0.0 ? time * s->count * s->speed / margin : 0.0;
}

static void begin_period(advance *ad)
{
    ad->choice.before = ad->effort;
    ad->choice.since = ad->time;
    ad->choice.swaps = ad->sweep.sweep.swaps;
}

/* Whether the other engine should take over. */
static bool decide(advance *ad)
{
    advance_choice *c = &ad->choice;
    const scene_statistics s = measure_scene(ad);
    const bool sweeping = ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE;
    const double time = ad->time - c->since, motions = (double)(ad->effort.motions - c->before.motions);
    const double swaps = (double)(ad->sweep.sweep.swaps - c->swaps);
    const double visits = s.neighbours * ((double)(ad->effort.events - c->before.events) - swaps + motions);
    double fat_bound_work[2], sweep_work[3];
    if (sweeping) {
        sweep_work[0] = swaps;
        sweep_work[1] = (double)(ad->effort.changes - c->before.changes);
        sweep_work[2] = visits;
        fat_bound_work[0] = estimate_refits(&s, time);
        fat_bound_work[1] = TYPICAL_NEIGHBOURS * (fat_bound_work[0] + motions);
    } else {
        fat_bound_work[0] = (double)(ad->effort.refits - c->before.refits);
        fat_bound_work[1] = visits;
        sweep_work[0] = estimate_swaps(&s, time);
        sweep_work[1] = sweep_work[2] = motions;
    }
    const double sweep = engine_cost(sweep_costs, sweep_work, 3);
    const double fat = engine_cost(fat_bound_costs, fat_bound_work, 2);
    return tact_engine_choice_decide(&c->rule, sweeping ? sweep : fat, sweeping ? fat : sweep,
                                     s.count > BODY_SWEEP_MAX_BODIES ? INFINITY : s.count * change_cost);
}

void tact_choice_begin(tact_world *world)
{
    world->advance->choice.wanted = world->advance->engine;
    begin_period(world->advance);
}

bool tact_choice_changes(tact_world *world)
{
    advance *ad = world->advance;
    if (world->kinetic != TACT_KINETIC_AUTO ||
        ad->effort.events - ad->choice.before.events < CHOICE_PERIOD + ad->motions.count)
        return false;
    const bool changes = decide(ad);
    if (changes)
        ad->choice.wanted =
            ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? TACT_KINETIC_FAT_BOUNDS : TACT_KINETIC_SWEEP_AND_PRUNE;
    begin_period(ad);
    return changes;
}
