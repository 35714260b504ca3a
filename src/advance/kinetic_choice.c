/*
 * AUTO: by which of its two engines a world through time finds neighbours, by what they cost by a model fitted to
 * measurements.
 *
 *     shells  PUT for each shell that is put + VISIT for each neighbour looked up
 *     lists   SWAP for each swap + CHANGE for each box that moves otherwise + VISIT for each neighbour looked up
 *
 * What it costs to find out when two touch is much the same in both, as they are looked at only while their boxes
 * overlap, and is left out. The engine at work counts its own (deterministically: there is no clock); of the other one
 * it is guessed what it would have had, from how the bodies are spread and how fast they pass each other. After a
 * PERIOD of events the engine changes if the other one costs much less, and if what it saves in some periods pays for
 * the change.
 *
 * As measured (microseconds a touch, elastic balls in a box filled to 2 %, lists to shells: 3 balls 10.2 to 10.1, 100
 * balls 22 to 7.3; 1,000 balls at 5 % 124 to 10.4; 100 tumbling boxes at 2 % 46 to 42), lists are never much ahead
 * where bodies fly in all directions, whatever they are and however far apart: the swaps, of N bodies N^(5/3), soon
 * outnumber everything else. They are ahead where bodies fly the same way, so that shells are left all the time and
 * nobody passes anybody: in a box that flies at 100 times the speed of what is in it (filled to 5 %), 30 balls cost 33
 * to 317, 300 balls 46 to 436; at 10 times that speed 12 to 41, and 43 to 43. That is what AUTO takes them for.
 */
#include "advance/kinetic_choice.h"

#include <math.h>

#include "advance/advance.h"

/* Microseconds, on a 2 to 3 GHz core of 2020: fitted to 63 scenes of 3 to 300 bodies. Only their ratios matter. */
#define SWAP 0.15
#define CHANGE 0.4
#define PUT 1.5
#define VISIT 0.07
#define TAKE_OVER 3.0 /* for each body: what a change of engine costs */

#define PERIOD 512       /* events, and as many again as there are bodies */
#define SAMPLE 512       /* bodies: no more than twice as many are looked at, evenly by index */
#define BETTER 1.3       /* times: by less it is not worth the trouble */
#define PAY_BACK 8.0     /* periods in which a change must have paid for itself */
#define PATIENCE_MOST 63 /* periods until the next change; twice as long after each one, to begin with one */
#define NEIGHBOURS 11.0  /* of a shell, as the room of shells makes it */

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
    const double visits = VISIT * s.near * ((double)(ad->effort.events - c->before.events) - swaps + plans);
    double of_shells, of_lists;
    if (in_lists) {
        const double puts = guess_puts(&s, time);
        of_lists = SWAP * swaps + CHANGE * (double)(ad->effort.changes - c->before.changes) + visits;
        of_shells = PUT * puts + VISIT * NEIGHBOURS * (puts + plans);
    } else {
        of_shells = PUT * (double)(ad->effort.puts - c->before.puts) + visits;
        of_lists = SWAP * guess_swaps(&s, time) + CHANGE * plans + VISIT * plans;
    }
    const double here = in_lists ? of_lists : of_shells, there = in_lists ? of_shells : of_lists;
    if (c->wait > 0) {
        --c->wait;
        return false;
    }
    if (s.count > BODY_SWEEP_MAX_BODIES || !(here > BETTER * there) ||
        !((here - there) * PAY_BACK > s.count * TAKE_OVER))
        return false;
    /* an engine that begins has more to do than later on; and guesses that were wrong are not to be repeated often */
    c->patience = c->patience < PATIENCE_MOST ? 2 * c->patience + 1 : PATIENCE_MOST;
    c->wait = c->patience;
    return true;
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
