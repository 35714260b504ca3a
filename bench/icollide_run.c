/*
 * I-COLLIDE's simulation as the thesis (4.4.3) tells it: polyhedra move and turn freely in a cube, bounce off its
 * walls, and exchange velocities when they collide: once, when they begin to overlap, for two that turn faster than
 * they part would otherwise exchange back and stick together. All move at the same speed, in random directions, and
 * turn at the same rate about random axes of their own. The contestants have no say in what happens: the judge decides
 * who collides, so all are asked about the same frames. In some frames its verdicts are compared with brute force over
 * all axes.
 */
#include "icollide_run.h"

#include <math.h>
#include <stdlib.h>

#include "support/random.h"
#include "truth.h"

/* Frames from one whose verdicts are checked to the next, where there are enough: a check costs as much as some hundred
 * frames. In short runs one in ten, so that there are some. */
#define CHECK_EVERY 100
#define FEWEST_CHECKS 10

/* Separations smaller than this, in radii, are too close to call: 1000 times the rounding of the placed corners. */
#define TOO_CLOSE 1e-12L

typedef struct mover {
    double position[3], velocity[3];
    double turn[4], step[4]; /* quaternions: orientation, and rotation in a frame */
} mover;

static void advance(mover *m, double low, double high)
{
    for (int k = 0; k < 3; k++) {
        m->position[k] += m->velocity[k];
        if ((m->position[k] < low && m->velocity[k] < 0.0) || (m->position[k] > high && m->velocity[k] > 0.0))
            m->velocity[k] = -m->velocity[k];
    }
    const double *p = m->step, *q = m->turn;
    double r[4] = {
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
        p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]};
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; k++)
        m->turn[k] = r[k] / length;
}

static tact_transform where(const mover *m)
{
    return tact_transform_make((tact_vec3){m->position[0], m->position[1], m->position[2]},
                               (tact_quat){m->turn[0], m->turn[1], m->turn[2], m->turn[3]}, (tact_vec3){1.0, 1.0, 1.0});
}

/* Places the bodies on a grid in the cube, so that they start apart at any density up to about 20 %. */
static void start(mover *movers, icollide_setting setting, double low, double high, random_source *random)
{
    int across = (int)ceil(cbrt(ICOLLIDE_BODIES)), cells = across * across * across;
    int order[ICOLLIDE_BODIES * 8]; /* across^3 is less than eight times their number */
    for (int i = 0; i < cells; i++)
        order[i] = i;
    for (int i = 0; i < ICOLLIDE_BODIES; i++) {
        int other = random_between(random, i, cells - 1), cell = order[other];
        order[other] = order[i];
        mover *m = &movers[i];
        int at[3] = {cell % across, cell / across % across, cell / across / across};
        for (int k = 0; k < 3; k++)
            m->position[k] = low + (high - low) * at[k] / (across - 1);
        tact_vec3 way = random_direction(random), axis = random_direction(random);
        double speed = 0.01 * setting.translation, half = setting.rotation * 3.141592653589793 / 360.0;
        tact_quat turn = random_rotation(random);
        m->velocity[0] = speed * way.x;
        m->velocity[1] = speed * way.y;
        m->velocity[2] = speed * way.z;
        double step[4] = {sin(half) * axis.x, sin(half) * axis.y, sin(half) * axis.z, cos(half)};
        double begin[4] = {turn.x, turn.y, turn.z, turn.w};
        for (int k = 0; k < 4; k++) {
            m->step[k] = step[k];
            m->turn[k] = begin[k];
        }
    }
}

typedef struct judge {
    truth_cloud clouds[ICOLLIDE_BODIES];
    truth_vec axes[ICOLLIDE_PAIRS]; /* the last that split each pair */
} judge;

static unsigned char decide(icollide_run *run, judge *j, const tact_transform *at, int pair, int a, int b, bool check)
{
    double x = at[a].origin.x - at[b].origin.x, y = at[a].origin.y - at[b].origin.y,
           z = at[a].origin.z - at[b].origin.z;
    if (x * x + y * y + z * z > 4.0 + 1e-9) /* their spheres, of radius 1, are apart */
        return ICOLLIDE_APART;
    const truth_cloud *transform_a = &j->clouds[a], *transform_b = &j->clouds[b];
    unsigned char verdict = ICOLLIDE_TOO_CLOSE;
    if (tact_truth_splits(transform_a, transform_b, j->axes[pair])) {
        verdict = ICOLLIDE_APART;
    } else {
        truth t = tact_truth_of(transform_a, transform_b, &j->axes[pair]);
        if (t.verdict == TRUTH_APART && t.distance > TOO_CLOSE) {
            verdict = ICOLLIDE_APART;
            j->axes[pair] = t.normal;
        } else if (t.verdict == TRUTH_OVERLAP) {
            verdict = ICOLLIDE_HIT;
        }
    }
    if (check) {
        long double gap = tact_truth_separation(&run->bodies[a], transform_a, &run->bodies[b], transform_b);
        if (fabsl(gap) < TOO_CLOSE)
            return ICOLLIDE_TOO_CLOSE;
        run->checked++;
        run->disputed += (gap > 0.0L) != (verdict == ICOLLIDE_APART);
    }
    return verdict;
}

static bool play(icollide_run *run, judge *j, mover *movers, double low, double high)
{
    int tenth = run->frames / FEWEST_CHECKS, every = tenth < 1 ? 1 : tenth < CHECK_EVERY ? tenth : CHECK_EVERY;
    for (int frame = 0; frame < run->frames; frame++) {
        bool check = frame % every == every - 1; /* at the start all are apart */
        tact_transform *at = run->at[frame];
        for (int i = 0; i < ICOLLIDE_BODIES; i++) {
            at[i] = where(&movers[i]);
            if (!tact_truth_place(&j->clouds[i], &run->bodies[i], &at[i]))
                return false;
        }
        int pair = 0;
        for (int a = 0; a < ICOLLIDE_BODIES; a++) {
            for (int b = a + 1; b < ICOLLIDE_BODIES; b++, pair++) {
                unsigned char verdict = decide(run, j, at, pair, a, b, check);
                run->truth[frame][pair] = verdict;
                if (verdict != ICOLLIDE_HIT)
                    continue;
                run->hits++;
                if (frame > 0 && run->truth[frame - 1][pair] == ICOLLIDE_HIT)
                    continue;
                for (int k = 0; k < 3; k++) {
                    double v = movers[a].velocity[k];
                    movers[a].velocity[k] = movers[b].velocity[k];
                    movers[b].velocity[k] = v;
                }
            }
        }
        for (int i = 0; i < ICOLLIDE_BODIES; i++)
            advance(&movers[i], low, high);
    }
    return true;
}

bool tact_icollide_record(icollide_run *run, icollide_setting setting, int frames, uint64_t seed)
{
    *run = (icollide_run){.frames = frames};
    random_source random = random_seed(seed);
    double volume = 0.0;
    bool done = true;
    for (int i = 0; done && i < ICOLLIDE_BODIES; i++) {
        done = tact_solid_hull(&run->bodies[i], ICOLLIDE_POINTS, &random);
        volume += done ? tact_solid_volume(&run->bodies[i]) : 0.0;
    }
    run->at = malloc((size_t)frames * sizeof *run->at);
    run->truth = malloc((size_t)frames * sizeof *run->truth);
    judge *j = calloc(1, sizeof *j);
    if (done && run->at && run->truth && j) {
        double edge = cbrt(volume / (0.01 * setting.density));
        mover movers[ICOLLIDE_BODIES];
        start(movers, setting, 1.0, edge - 1.0, &random); /* centres stay a radius from the walls */
        done = play(run, j, movers, 1.0, edge - 1.0);
    } else {
        done = false;
    }
    for (int i = 0; j && i < ICOLLIDE_BODIES; i++)
        tact_truth_release(&j->clouds[i]);
    free(j);
    if (!done)
        tact_icollide_release(run);
    return done;
}

void tact_icollide_release(icollide_run *run)
{
    for (int i = 0; i < ICOLLIDE_BODIES; i++)
        tact_solid_release(&run->bodies[i]);
    free(run->at);
    free(run->truth);
    *run = (icollide_run){0};
}
