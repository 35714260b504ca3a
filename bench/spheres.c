/*
 * `tact-bench spheres`: hard spheres that bounce without loss, collisions a second, beside what F. Smallenburg's EDMD
 * does ("Efficient event-driven simulations of hard spheres", 2022: a program for spheres in a periodic box, and for
 * nothing else). Ours are bodies of a general library between six walls, and the volume open to their centres is that
 * of the periodic box. Only what two spheres do with each other counts as a collision; those with walls come on top of
 * it, and their time is in the figures.
 *
 * Spheres of diameter 1 begin on a face-centred lattice, with velocities of one temperature, and have N collisions to
 * forget it before the clock starts. What shows that it is the gas that it should be: nobody outside, the energy kept,
 * and about as many collisions a unit of time as Enskog's theory has of it, (N / 2) 4 n sqrt(pi T) (1 - f/2) / (1 -
 * f)^3, which knows nothing of walls.
 */
#include <math.h>
#include <stdlib.h>
#include <tact/tact.h>

#include "byte_counter.h"
#include "stopwatch.h"
#include "suite.h"
#include "support/random.h"
#include "table.h"

#define PI 3.14159265358979323846
#define GOAL 1.0         /* collisions a second over those of EDMD */
#define MOST_DRIFT 1e-9  /* of the energy, of itself */
#define MOST_BEYOND 1e-9 /* how far a middle may be where walls do not let it, of a diameter: what rounding leaves */
#define THICK 10.0       /* walls */

enum { ROUNDS = 3 };

/* One run. */
typedef struct run {
    long collisions, walls;  /* on the clock */
    double making, starting; /* ns: bodies and their first predictions; what all further ones took */
    double ns;
    double rate;  /* collisions a unit of time, over Enskog's */
    double drift; /* of the energy */
    double bytes; /* at most, a sphere */
    long beyond;  /* spheres outside */
} run;

/* Of one coordinate, with mean 0 and variance 1 (Box and Muller). */
static double normal(random_source *r)
{
    const double size = sqrt(-2.0 * log(1.0 - random_unit(r)));
    return size * cos(2.0 * PI * random_unit(r));
}

/* Places of a face-centred lattice, those that are too many left out evenly. */
static bool add_spheres(tact_world *world, tact_body *spheres, int count, double side, uint64_t seed)
{
    static const double corners[4][3] = {
        {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    random_source r = random_seed(seed);
    tact_shape *ball = tact_sphere(0.5);
    const int cells = (int)ceil(cbrt(count / 4.0) - 1e-6);
    const long places = 4L * cells * cells * cells;
    bool done = ball != NULL;
    for (int i = 0; done && i < count; i++) {
        const long place = (long)((double)i * ((double)places / count)), cell = place / 4;
        const double *in = corners[place % 4];
        const double x = (double)(cell / cells / cells) + in[0], y = (double)(cell / cells % cells) + in[1],
                     z = (double)(cell % cells) + in[2], step = side / cells;
        const double u = normal(&r), v = normal(&r), w = normal(&r);
        const tact_body_def def = {.shape = ball,
                                   .transform = tact_at(x * step - side / 2, y * step - side / 2, z * step - side / 2),
                                   .motion = tact_motion_linear(u, v, w)};
        spheres[i] = tact_body_create(world, &def);
        done = spheres[i].generation != 0 && tact_body_set_mass(world, spheres[i], 1.0) == TACT_OK;
    }
    tact_shape_release(ball);
    return done;
}

/* Boxes around a cube in which centres go `side` far. */
static bool add_walls(tact_world *world, double side)
{
    const double inside = side + 1.0, far = 0.5 * (inside + THICK), wide = inside + 2.0 * THICK;
    bool done = true;
    for (int k = 0; done && k < 6; k++) {
        const int axis = k % 3;
        const double at = k < 3 ? -far : far;
        tact_shape *wall = tact_box(axis == 0 ? THICK : wide, axis == 1 ? THICK : wide, axis == 2 ? THICK : wide);
        const tact_body_def def = {.shape = wall,
                                   .transform =
                                       tact_at(axis == 0 ? at : 0.0, axis == 1 ? at : 0.0, axis == 2 ? at : 0.0),
                                   .category = 2,
                                   .mask = 1}; /* not with each other */
        done = wall && tact_body_create(world, &def).generation != 0;
        tact_shape_release(wall);
    }
    return done;
}

/* The mean of the squares of a coordinate of the velocity. */
static double temperature(const tact_world *world, const tact_body *spheres, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const tact_vec3 v = tact_body_get_motion(world, spheres[i]).velocity;
        sum += v.x * v.x + v.y * v.y + v.z * v.z;
    }
    return sum / 3.0 / count;
}

/* How many have their centres where walls do not let them. */
static long count_beyond(const tact_world *world, const tact_body *spheres, int count, double side)
{
    long beyond = 0;
    for (int i = 0; i < count; i++) {
        const tact_vec3 at = tact_body_get_transform(world, spheres[i]).origin;
        beyond += !(fmax(fabs(at.x), fmax(fabs(at.y), fabs(at.z))) <= 0.5 * side + MOST_BEYOND);
    }
    return beyond;
}

/* Goes on for so many collisions of spheres, and counts the others. False if the world stops. */
static bool play(tact_world *world, uint32_t spheres, long collisions, long *walls)
{
    tact_event e;
    for (long n = 0; n < collisions;) {
        if (tact_world_next_event(world, 1e9, &e) != TACT_EVENT_TOUCH || tact_world_bounce(world, &e, 1.0) != TACT_OK)
            return false;
        const bool wall = e.b.index >= spheres;
        *walls += wall;
        n += !wall;
    }
    return true;
}

static bool play_once(int count, double packing, long warm, long collisions, uint64_t seed, run *result)
{
    byte_counter memory = {0};
    const tact_world_def def = {.allocator = byte_counter_allocator(&memory), .parallel = {.threads = 1}};
    const double side = cbrt(count * PI / 6.0 / packing);
    const double began = tact_stopwatch_now();
    tact_world *world = tact_world_create(&def);
    tact_body *spheres = malloc((size_t)count * sizeof *spheres);
    bool done = world && spheres && add_spheres(world, spheres, count, side, seed) && add_walls(world, side);
    *result = (run){.collisions = collisions, .making = tact_stopwatch_now() - began};
    tact_event e;
    done = done && (tact_world_next_event(world, 0.0, &e), e.status == TACT_OK);
    result->starting = tact_stopwatch_now() - began - result->making;
    long before = 0;
    if (done) {
        const double heat = temperature(world, spheres, count);
        done = play(world, (uint32_t)count, warm, &before);
        const double time = tact_world_get_time(world), start = tact_stopwatch_now();
        done = done && play(world, (uint32_t)count, collisions, &result->walls);
        result->ns = tact_stopwatch_now() - start;
        const double density = count / (side * side * side), full = 1.0 - packing;
        const double enskog = 2.0 * count * density * sqrt(PI * heat) * (1.0 - packing / 2.0) / (full * full * full);
        result->rate = (double)collisions / (tact_world_get_time(world) - time) / enskog;
        result->drift = fabs(temperature(world, spheres, count) / heat - 1.0);
        result->beyond = count_beyond(world, spheres, count, side);
        result->bytes = (double)memory.peak / count;
    }
    free(spheres);
    tact_world_release(world);
    return done;
}

static int by_time(const void *one, const void *other)
{
    const run *p = one, *q = other;
    return (p->ns > q->ns) - (p->ns < q->ns);
}

/* The median of some runs; all must be the same but for the time. */
static bool play_rounds(const suite *s, int count, double packing, long collisions, int rounds, run *median)
{
    run runs[ROUNDS];
    const long warm = suite_size(s, count, count / 10, 0);
    for (int k = 0; k < rounds; k++) {
        if (!play_once(count, packing, warm, collisions, s->seed, &runs[k]))
            return false;
        *s->wrong += runs[k].beyond + !(runs[k].drift <= MOST_DRIFT) + (runs[k].rate != runs[0].rate);
    }
    qsort(runs, (size_t)rounds, sizeof runs[0], by_time);
    *median = runs[rounds / 2];
    return true;
}

static double per_second(double count, const run *r) { return count / (r->ns * 1e-9); }

static bool against_edmd(const suite *s)
{
    static const struct {
        int count;
        double packing, edmd; /* collisions a second */
        long collisions;
    } cells[] = {{4000, 0.25, 440e3, 400000}, {108000, 0.25, 167e3, 300000}, {108000, 0.05, 46e3, 100000}};
    json_t *table = tact_table_begin("Hard spheres: collisions a second, one core",
                                     "spheres|packing|collisions|with walls|collisions a second|walls' as well|"
                                     "EDMD, 2022|ours / EDMD|goal|met|of Enskog's|energy drift");
    bool done = true;
    for (size_t i = 0; done && i < sizeof cells / sizeof cells[0]; i++) {
        run r;
        const int count = s->tiny ? cells[i].count / 40 : cells[i].count;
        done = play_rounds(s, count, cells[i].packing, suite_size(s, (int)cells[i].collisions, 20000, 200),
                           suite_size(s, ROUNDS, 1, 1), &r);
        if (!done)
            break;
        const double speed = per_second((double)r.collisions, &r), ratio = s->tiny ? NAN : speed / cells[i].edmd;
        tact_table_row(table, "dfddfffffsff", (long)count, cells[i].packing, r.collisions, r.walls, speed,
                       per_second((double)(r.collisions + r.walls), &r), s->tiny ? NAN : cells[i].edmd, ratio, GOAL,
                       tact_table_met(ratio, GOAL), r.rate, r.drift);
    }
    tact_table_note(
        table,
        "EDMD: as published, in a periodic box, on its author's machine. Ours: between six walls, the median "
        "of %d, %s. Of Enskog's: collisions a unit of time, over those of theory without walls.",
        suite_size(s, ROUNDS, 1, 1), s->quick ? "hardly begun" : "after as many collisions as spheres");
    return tact_table_end(s, "spheres", table) && done;
}

static const char *const growth_columns = "spheres|packing|collisions a second|walls' as well|us a collision|"
                                          "bytes a sphere|making, s|first predictions, s|of Enskog's|energy drift";

static bool add_growth(const suite *s, json_t *table, int count, double packing, long collisions)
{
    run r;
    if (!play_rounds(s, count, packing, collisions, 1, &r))
        return false;
    const double speed = per_second((double)r.collisions, &r);
    tact_table_row(table, "dfffffffff", (long)count, packing, speed, per_second((double)(r.collisions + r.walls), &r),
                   1e6 / speed, r.bytes, r.making * 1e-9, r.starting * 1e-9, r.rate, r.drift);
    return true;
}

bool tact_bench_spheres(const suite *s)
{
    static const int counts[] = {1000, 3000, 10000, 30000, 100000, 300000, 1000000};
    static const double packings[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.48};
    bool done = against_edmd(s);

    json_t *growth = tact_table_begin("Hard spheres: how it grows with their number", growth_columns);
    const int peak = s->large && !s->quick ? 1000000 : suite_size(s, 100000, 10000, 1000);
    for (size_t i = 0; done && i < sizeof counts / sizeof counts[0] && counts[i] <= peak; i++)
        done = add_growth(s, growth, counts[i], 0.25, suite_size(s, 200000, 20000, 200));
    tact_table_plot(growth, "us a collision", 0, 1u << 4, -1);
    done = tact_table_end(s, "spheres_growth", growth) && done;

    json_t *by_packing = tact_table_begin("Hard spheres: how it goes with the packing", growth_columns);
    for (size_t i = 0; done && i < sizeof packings / sizeof packings[0]; i++) {
        if (s->quick && i % 3 != 0)
            continue;
        done =
            add_growth(s, by_packing, suite_size(s, 32000, 4000, 256), packings[i], suite_size(s, 100000, 10000, 200));
    }
    tact_table_plot(by_packing, "us a collision", 1, 1u << 4, -1);
    return tact_table_end(s, "spheres_packing", by_packing) && done;
}
