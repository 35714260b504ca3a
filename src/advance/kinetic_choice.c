/*
 * TACT_KINETIC_AUTO: the cost model for kinetic sweep and prune against fat bounds (see broad/engine_choice.h for the
 * rule).
 *
 *     sweep       a swap of two endpoints + a box that changes otherwise + a neighbour visited
 *     fat bounds  a fat bound placed + a neighbour visited
 *
 * Predicting the time of impact of a pair costs much the same in both, as pairs are examined only while their boxes
 * overlap; it is left out. The engine at work counts its own operations. Those of the other one are estimated from the
 * spread of the bodies and their relative speeds. A period has PERIOD events and one more for each body.
 *
 * As measured (microseconds per impact, elastic spheres in a box filled to 2 %, sweep against fat bounds: 3 spheres
 * 10.2 against 10.1, 100 spheres 22 against 7.3; 1,000 spheres at 5 %: 124 against 10.4; 100 tumbling boxes at 2 %: 46
 * against 42), the sweep is never much faster where bodies move in all directions: N bodies have N^(5/3) swaps, which
 * soon outnumber everything else. It is faster where bodies move the same way, so that they leave fat bounds all the
 * time and yet pass nobody: in a box that moves at 100 times the speed of its contents (filled to 5 %), 30 spheres cost
 * 33 against 317, 300 spheres 46 against 436; at 10 times that speed 12 against 41, and 43 against 43.
 */
#include "advance/kinetic_choice.h"

#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"

/* Microseconds on a 2 to 3 GHz core of 2020, fitted to 63 scenes of 3 to 300 bodies. */
static const double sweep_costs[] = {0.15, 0.4, 0.07}; /* a swap; a box that changes otherwise; a neighbour visited */
static const double fat_bound_costs[] = {1.5, 0.07};   /* a fat bound placed; a neighbour visited */
static const double change_cost = 3.0;                 /* taking over, for each body */

#define PERIOD 512      /* events, and as many again as there are bodies */
#define SAMPLE 512      /* bodies: no more than twice as many are looked at, evenly by index */
#define NEIGHBOURS 11.0 /* of a shell, as the room of shells makes it */

/* How bodies are spread and move, along one axis. */
typedef struct spread {
    double length; /* they would be spread evenly over this */
    double speed;  /* the mean of how fast they move, as seen from the middle one */
} spread;

/* Bodies that are in neither engine are not counted. */
static bool takes_part(const advance *ad, uint32_t i)
{
    return ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? body_sweep_has(&ad->sweep, i)
                                                      : fat_bounds_has(&ad->fat_bounds, i);
}

/* What the other engine needs to be guessed. */
typedef struct scene {
    double count;
    spread along[3];
    double near;  /* neighbours that a body has */
    double size;  /* half the largest extent: the mean of those that move */
    double speed; /* the largest along an axis: the mean of all */
} scene;

static scene look_around(const advance *ad)
{
    scene s = {0};
    double x[3] = {0.0}, v[3] = {0.0}, moving = 0.0;
    const uint32_t step = (uint32_t)(ad->motions.count / SAMPLE) + 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < ad->motions.count; i += step) {
            if (!takes_part(ad, i))
                continue;
            const body_motion *p = &ad->motions.items[i];
            const body_motion_cold *m = &ad->cold.items[i];
            const tact_vec3 at = body_motion_origin(p, m, ad->time), way = body_motion_motion(p, m, ad->time).velocity;
            if (pass == 0) {
                s.count += 1.0;
                s.near += (double)ad->neighbours.lists.items[i].count;
                s.speed += vec_max_abs(way);
                moving += m->moves;
                s.size += m->moves ? body_motion_size(m) : 0.0;
            }
            for (int k = 0; k < 3; ++k) {
                if (pass == 0) {
                    x[k] += vec_component(at, k);
                    v[k] += vec_component(way, k);
                } else { /* spread evenly, they are a quarter of the length from the middle */
                    s.along[k].length += 4.0 * fabs(vec_component(at, k) - x[k] / s.count);
                    s.along[k].speed += fabs(vec_component(way, k) - v[k] / s.count);
                }
            }
        }
    }
    for (int k = 0; k < 3 && s.count > 0.0; ++k) {
        s.along[k].length /= s.count;
        s.along[k].speed /= s.count;
    }
    s.near = s.count > 0.0 ? s.near / s.count : 0.0;
    s.speed = s.count > 0.0 ? s.speed / s.count : 0.0;
    s.size = moving > 0.0 ? s.size / moving : 0.0;
    s.count *= step;
    return s;
}

/* Swaps in a time: two go sqrt 2 times as fast past each other as past the middle one, and each has two ends. */
static double guess_swaps(const scene *s, double time)
{
    double swaps = 0.0;
    for (int k = 0; k < 3; ++k)
        if (s->along[k].length > 0.0)
            swaps += sqrt(2.0) * time * s->count * s->along[k].speed * 2.0 * s->count / s->along[k].length;
    return swaps;
}

/* Shells put in a time: as large as has NEIGHBOURS in an evenly filled space, and put as often as a body goes through.
 */
static double guess_puts(const scene *s, double time)
{
    double space = 1.0;
    for (int k = 0; k < 3; ++k)
        space *= s->along[k].length + 2.0 * s->size;
    if (!(s->count > NEIGHBOURS))
        return 0.0; /* the room of shells grows without end */
    const double half = 0.25 * cbrt(NEIGHBOURS * space / s->count), room = fmax(half - s->size, 0.05 * s->size);
    return room > 0.0 ? time * s->count * s->speed / room : 0.0;
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
    const scene s = look_around(ad);
    const bool in_lists = ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE;
    const double time = ad->time - c->since, plans = (double)(ad->effort.plans - c->before.plans);
    const double swaps = (double)(ad->sweep.sweep.swaps - c->swaps);
    const double visits = s.near * ((double)(ad->effort.events - c->before.events) - swaps + plans);
    double of_shells[2], of_lists[3];
    if (in_lists) {
        of_lists[0] = swaps;
        of_lists[1] = (double)(ad->effort.changes - c->before.changes);
        of_lists[2] = visits;
        of_shells[0] = guess_puts(&s, time);
        of_shells[1] = NEIGHBOURS * (of_shells[0] + plans);
    } else {
        of_shells[0] = (double)(ad->effort.puts - c->before.puts);
        of_shells[1] = visits;
        of_lists[0] = guess_swaps(&s, time);
        of_lists[1] = of_lists[2] = plans;
    }
    const double sweep = engine_cost(sweep_costs, of_lists, 3);
    const double fat = engine_cost(fat_bound_costs, of_shells, 2);
    return tact_engine_choice_decide(&c->rule, in_lists ? sweep : fat, in_lists ? fat : sweep,
                                     s.count > BODY_SWEEP_MAX_BODIES ? INFINITY : s.count * change_cost);
}

void tact_choice_begin(tact_world *world)
{
    world->advance->choice.wish = world->advance->engine;
    begin_period(world->advance);
}

bool tact_choice_changes(tact_world *world)
{
    advance *ad = world->advance;
    if (world->kinetic != TACT_KINETIC_AUTO ||
        ad->effort.events - ad->choice.before.events < PERIOD + ad->motions.count)
        return false;
    const bool changes = decide(ad);
    if (changes)
        ad->choice.wish =
            ad->engine == TACT_KINETIC_SWEEP_AND_PRUNE ? TACT_KINETIC_FAT_BOUNDS : TACT_KINETIC_SWEEP_AND_PRUNE;
    begin_period(ad);
    return changes;
}
