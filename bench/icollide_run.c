/*
 * The I-COLLIDE simulation as described in van den Bergen 1999, section 4.4.3: polyhedra translate and rotate freely in
 * a cube, are reflected at its walls, and exchange velocities when they start to overlap. (Exchanging in every frame of
 * an overlap would make fast-rotating bodies stick together.) All move at the same speed in random directions and
 * rotate at the same rate about random axes. An oracle decides the collisions, so every library gets the same frames.
 * In some frames its decisions are compared with brute force over all axes.
 */
#include "icollide_run.h"

#include <math.h>
#include <stdlib.h>

#include "polytope_oracle.h"
#include "support/random.h"

/* Frames between two checked frames: a check costs as much as some hundred frames. Short runs check one frame in ten.
 */
#define CHECK_EVERY 100
#define MIN_CHECKS 10

/* Smaller separations, in radii, are undecided: 1000 times the rounding error of the transformed vertices. */
#define UNDECIDED_GAP 1e-12L

typedef struct icollide_body {
    double position[3], velocity[3];
    double rotation[4], step[4]; /* quaternions: orientation, and rotation per frame */
} icollide_body;

static void advance(icollide_body *m, double low, double high)
{
    for (int k = 0; k < 3; k++) {
        m->position[k] += m->velocity[k];
        if ((m->position[k] < low && m->velocity[k] < 0.0) || (m->position[k] > high && m->velocity[k] > 0.0))
            m->velocity[k] = -m->velocity[k];
    }
    const double *p = m->step, *q = m->rotation;
    double r[4] = {
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
        p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]};
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; k++)
        m->rotation[k] = r[k] / length;
}

static tact_transform transform_of(const icollide_body *m)
{
    return tact_transform_make((tact_vec3){m->position[0], m->position[1], m->position[2]},
                               (tact_quat){m->rotation[0], m->rotation[1], m->rotation[2], m->rotation[3]},
                               (tact_vec3){1.0, 1.0, 1.0});
}

/* Starts the bodies on a grid in the cube, so that they are separated at densities up to about 20 %. */
static void start(icollide_body *bodies, icollide_setting setting, double low, double high, random_source *random)
{
    int across = (int)ceil(cbrt(ICOLLIDE_BODIES)), cells = across * across * across;
    int order[ICOLLIDE_BODIES * 8]; /* across^3 is less than eight times the number of bodies */
    for (int i = 0; i < cells; i++)
        order[i] = i;
    for (int i = 0; i < ICOLLIDE_BODIES; i++) {
        int other = random_between(random, i, cells - 1), cell = order[other];
        order[other] = order[i];
        icollide_body *m = &bodies[i];
        int at[3] = {cell % across, cell / across % across, cell / across / across};
        for (int k = 0; k < 3; k++)
            m->position[k] = low + (high - low) * at[k] / (across - 1);
        tact_vec3 direction = random_direction(random), axis = random_direction(random);
        double speed = 0.01 * setting.translation, half = setting.rotation * 3.141592653589793 / 360.0;
        tact_quat rotation = random_rotation(random);
        m->velocity[0] = speed * direction.x;
        m->velocity[1] = speed * direction.y;
        m->velocity[2] = speed * direction.z;
        double step[4] = {sin(half) * axis.x, sin(half) * axis.y, sin(half) * axis.z, cos(half)};
        double begin[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
        for (int k = 0; k < 4; k++) {
            m->step[k] = step[k];
            m->rotation[k] = begin[k];
        }
    }
}

typedef struct icollide_oracle {
    oracle_polytope polytopes[ICOLLIDE_BODIES];
    oracle_vec axes[ICOLLIDE_PAIRS]; /* the last separating axis of each pair */
} icollide_oracle;

static unsigned char oracle_decide(icollide_run *run, icollide_oracle *oracle, const tact_transform *at, int pair,
                                   int a, int b, bool check)
{
    double x = at[a].origin.x - at[b].origin.x, y = at[a].origin.y - at[b].origin.y,
           z = at[a].origin.z - at[b].origin.z;
    if (x * x + y * y + z * z > 4.0 + 1e-9) /* the bounding spheres, of radius 1, are separated */
        return ICOLLIDE_APART;
    const oracle_polytope *transform_a = &oracle->polytopes[a], *transform_b = &oracle->polytopes[b];
    unsigned char overlap = ICOLLIDE_UNDECIDED;
    if (tact_oracle_separates(transform_a, transform_b, oracle->axes[pair])) {
        overlap = ICOLLIDE_APART;
    } else {
        oracle_result t = tact_oracle_distance(transform_a, transform_b, &oracle->axes[pair]);
        if (t.overlap == ORACLE_APART && t.distance > UNDECIDED_GAP) {
            overlap = ICOLLIDE_APART;
            oracle->axes[pair] = t.normal;
        } else if (t.overlap == ORACLE_OVERLAP) {
            overlap = ICOLLIDE_HIT;
        }
    }
    if (check) {
        long double gap = tact_oracle_separation(&run->bodies[a], transform_a, &run->bodies[b], transform_b);
        if (fabsl(gap) < UNDECIDED_GAP)
            return ICOLLIDE_UNDECIDED;
        run->checked++;
        run->disputed += (gap > 0.0L) != (overlap == ICOLLIDE_APART);
    }
    return overlap;
}

static bool simulate(icollide_run *run, icollide_oracle *oracle, icollide_body *bodies, double low, double high)
{
    int tenth = run->frames / MIN_CHECKS, every = tenth < 1 ? 1 : tenth < CHECK_EVERY ? tenth : CHECK_EVERY;
    for (int frame = 0; frame < run->frames; frame++) {
        bool check = frame % every == every - 1; /* all are separated at the start */
        tact_transform *at = run->at[frame];
        for (int i = 0; i < ICOLLIDE_BODIES; i++) {
            at[i] = transform_of(&bodies[i]);
            if (!tact_oracle_transform(&oracle->polytopes[i], &run->bodies[i], &at[i]))
                return false;
        }
        int pair = 0;
        for (int a = 0; a < ICOLLIDE_BODIES; a++) {
            for (int b = a + 1; b < ICOLLIDE_BODIES; b++, pair++) {
                unsigned char overlap = oracle_decide(run, oracle, at, pair, a, b, check);
                run->expected[frame][pair] = overlap;
                if (overlap != ICOLLIDE_HIT)
                    continue;
                run->hits++;
                if (frame > 0 && run->expected[frame - 1][pair] == ICOLLIDE_HIT)
                    continue;
                for (int k = 0; k < 3; k++) {
                    double v = bodies[a].velocity[k];
                    bodies[a].velocity[k] = bodies[b].velocity[k];
                    bodies[b].velocity[k] = v;
                }
            }
        }
        for (int i = 0; i < ICOLLIDE_BODIES; i++)
            advance(&bodies[i], low, high);
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
    run->expected = malloc((size_t)frames * sizeof *run->expected);
    icollide_oracle *oracle = calloc(1, sizeof *oracle);
    if (done && run->at && run->expected && oracle) {
        double edge = cbrt(volume / (0.01 * setting.density));
        icollide_body bodies[ICOLLIDE_BODIES];
        start(bodies, setting, 1.0, edge - 1.0, &random); /* centres stay one radius from the walls */
        done = simulate(run, oracle, bodies, 1.0, edge - 1.0);
    } else {
        done = false;
    }
    for (int i = 0; oracle && i < ICOLLIDE_BODIES; i++)
        tact_oracle_release(&oracle->polytopes[i]);
    free(oracle);
    if (!done)
        tact_icollide_release(run);
    return done;
}

void tact_icollide_release(icollide_run *run)
{
    for (int i = 0; i < ICOLLIDE_BODIES; i++)
        tact_solid_release(&run->bodies[i]);
    free(run->at);
    free(run->expected);
    *run = (icollide_run){0};
}
