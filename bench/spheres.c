/*
 * `tact-bench spheres`: elastic hard spheres, collisions per second, beside F. Smallenburg's EDMD ("Efficient
 * event-driven simulations of hard spheres", 2022), a program for spheres in a periodic box only. Here the spheres are
 * bodies of a general library between six walls; the volume open to their centres is that of the periodic box. Only
 * sphere-sphere collisions are counted; those with walls are additional, and their time is included.
 *
 * Spheres of diameter 1 start on a face-centred cubic lattice with velocities of one temperature, and have N collisions
 * to equilibrate before the clock starts. Checks: no sphere outside, energy conserved, and about as many collisions per
 * unit of time as Enskog's theory, (N / 2) 4 n sqrt(pi T) (1 - f/2) / (1 - f)^3, which does not include walls.
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
#define GOAL 1.0              /* collisions per second relative to EDMD */
#define MAX_ENERGY_DRIFT 1e-9 /* relative drift of the energy */
#define MAX_OUTSIDE 1e-9      /* distance of a centre beyond the walls, in diameters: rounding error */
#define WALL_THICKNESS 10.0   /* of the walls */

enum { ROUNDS = 3 };

/* Result of a run. */
typedef struct sphere_run {
    long collisions, walls;  /* while timed */
    double making, starting; /* ns: creating the bodies; first predictions */
    double ns;
    double rate;  /* collisions per unit of time, relative to Enskog */
    double drift; /* of the energy, relative */
    double bytes; /* peak, per sphere */
    long outside; /* spheres beyond the walls */
} sphere_run;

/* Normal distribution with mean 0 and variance 1 (Box and Muller). */
static double normal(random_source *r)
{
    const double size = sqrt(-2.0 * log(1.0 - random_unit(r)));
    return size * cos(2.0 * PI * random_unit(r));
}

/* Creates the spheres on a face-centred cubic lattice, with unused sites distributed evenly. */
static bool add_spheres(tact_world *world, tact_body *spheres, int count, double side, uint64_t seed)
{
    static const double basis[4][3] = {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    random_source r = random_seed(seed);
    tact_shape *sphere = tact_sphere(0.5);
    const int cells = (int)ceil(cbrt(count / 4.0) - 1e-6);
    const long site_count = 4L * cells * cells * cells;
    bool done = sphere != NULL;
    for (int i = 0; done && i < count; i++) {
        const long site = (long)((double)i * ((double)site_count / count)), cell = site / 4;
        const double *in = basis[site % 4];
        const double x = (double)(cell / cells / cells) + in[0], y = (double)(cell / cells % cells) + in[1],
                     z = (double)(cell % cells) + in[2], step = side / cells;
        const double u = normal(&r), v = normal(&r), w = normal(&r);
        const tact_body_def def = {.shape = sphere,
                                   .transform = tact_at(x * step - side / 2, y * step - side / 2, z * step - side / 2),
                                   .motion = tact_motion_linear(u, v, w)};
        spheres[i] = tact_body_create(world, &def);
        done = spheres[i].generation != 0 && tact_body_set_mass(world, spheres[i], 1.0) == TACT_OK;
    }
    tact_shape_release(sphere);
    return done;
}

/* Six boxes around the cube; centres can move in a cube of this side. */
static bool add_walls(tact_world *world, double side)
{
    const double inside = side + 1.0, far = 0.5 * (inside + WALL_THICKNESS), wide = inside + 2.0 * WALL_THICKNESS;
    bool done = true;
    for (int k = 0; done && k < 6; k++) {
        const int axis = k % 3;
        const double at = k < 3 ? -far : far;
        tact_shape *wall = tact_box(axis == 0 ? WALL_THICKNESS : wide, axis == 1 ? WALL_THICKNESS : wide,
                                    axis == 2 ? WALL_THICKNESS : wide);
        const tact_body_def def = {.shape = wall,
                                   .transform =
                                       tact_at(axis == 0 ? at : 0.0, axis == 1 ? at : 0.0, axis == 2 ? at : 0.0),
                                   .category = 2,
                                   .mask = 1}; /* walls do not collide with each other */
        done = wall && tact_body_create(world, &def).generation != 0;
        tact_shape_release(wall);
    }
    return done;
}

/* Mean square of a velocity component. */
static double temperature(const tact_world *world, const tact_body *spheres, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const tact_vec3 v = tact_body_get_motion(world, spheres[i]).velocity;
        sum += v.x * v.x + v.y * v.y + v.z * v.z;
    }
    return sum / 3.0 / count;
}

/* Number of spheres with centres beyond the walls. */
static long count_outside(const tact_world *world, const tact_body *spheres, int count, double side)
{
    long outside = 0;
    for (int i = 0; i < count; i++) {
        const tact_vec3 at = tact_body_get_transform(world, spheres[i]).origin;
        outside += !(fmax(fabs(at.x), fmax(fabs(at.y), fabs(at.z))) <= 0.5 * side + MAX_OUTSIDE);
    }
    return outside;
}

/* Advances by `collisions` sphere-sphere collisions and counts those with walls. Returns false if the world stops. */
static bool run_collisions(tact_world *world, uint32_t spheres, long collisions, long *walls)
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

static bool run_once(int count, double packing, long warm, long collisions, uint64_t seed, sphere_run *result)
{
    byte_counter memory = {0};
    const tact_world_def def = {.allocator = byte_counter_allocator(&memory), .parallel = {.threads = 1}};
    const double side = cbrt(count * PI / 6.0 / packing);
    const double began = tact_stopwatch_now();
    tact_world *world = tact_world_create(&def);
    tact_body *spheres = malloc((size_t)count * sizeof *spheres);
    bool done = world && spheres && add_spheres(world, spheres, count, side, seed) && add_walls(world, side);
    *result = (sphere_run){.collisions = collisions, .making = tact_stopwatch_now() - began};
    tact_event e;
    done = done && (tact_world_next_event(world, 0.0, &e), e.status == TACT_OK);
    result->starting = tact_stopwatch_now() - began - result->making;
    long before = 0;
    if (done) {
        const double heat = temperature(world, spheres, count);
        done = run_collisions(world, (uint32_t)count, warm, &before);
        const double time = tact_world_get_time(world), start = tact_stopwatch_now();
        done = done && run_collisions(world, (uint32_t)count, collisions, &result->walls);
        result->ns = tact_stopwatch_now() - start;
        const double density = count / (side * side * side), full = 1.0 - packing;
        const double enskog = 2.0 * count * density * sqrt(PI * heat) * (1.0 - packing / 2.0) / (full * full * full);
        result->rate = (double)collisions / (tact_world_get_time(world) - time) / enskog;
        result->drift = fabs(temperature(world, spheres, count) / heat - 1.0);
        result->outside = count_outside(world, spheres, count, side);
        result->bytes = (double)memory.peak / count;
    }
    free(spheres);
    tact_world_release(world);
    return done;
}

static int by_time(const void *one, const void *other)
{
    const sphere_run *p = one, *q = other;
    return (p->ns > q->ns) - (p->ns < q->ns);
}

/* The median of several runs, which must be equal but for the time. */
static bool run_rounds(const suite *s, int count, double packing, long collisions, int rounds, sphere_run *median)
{
    sphere_run runs[ROUNDS];
    const long warm = suite_size(s, count, count / 10, 0);
    for (int k = 0; k < rounds; k++) {
        if (!run_once(count, packing, warm, collisions, s->seed, &runs[k]))
            return false;
        *s->wrong += runs[k].outside + !(runs[k].drift <= MAX_ENERGY_DRIFT) + (runs[k].rate != runs[0].rate);
    }
    qsort(runs, (size_t)rounds, sizeof runs[0], by_time);
    *median = runs[rounds / 2];
    return true;
}

static double per_second(double count, const sphere_run *r) { return count / (r->ns * 1e-9); }

static bool against_edmd(const suite *s)
{
    static const struct {
        int count;
        double packing, edmd; /* collisions per second */
        long collisions;
    } cells[] = {{4000, 0.25, 440e3, 400000}, {108000, 0.25, 167e3, 300000}, {108000, 0.05, 46e3, 100000}};
    json_t *table = tact_table_begin("Hard spheres: collisions per second, one core",
                                     "spheres|packing|collisions|with walls|collisions per second|including walls|"
                                     "EDMD, 2022|Tact / EDMD|goal|met|of Enskog|energy drift");
    bool done = true;
    for (size_t i = 0; done && i < sizeof cells / sizeof cells[0]; i++) {
        sphere_run r;
        const int count = s->tiny ? cells[i].count / 40 : cells[i].count;
        done = run_rounds(s, count, cells[i].packing, suite_size(s, (int)cells[i].collisions, 20000, 200),
                          suite_size(s, ROUNDS, 1, 1), &r);
        if (!done)
            break;
        const double speed = per_second((double)r.collisions, &r), ratio = s->tiny ? NAN : speed / cells[i].edmd;
        tact_table_row(table, "dfddfffffsff", (long)count, cells[i].packing, r.collisions, r.walls, speed,
                       per_second((double)(r.collisions + r.walls), &r), s->tiny ? NAN : cells[i].edmd, ratio, GOAL,
                       tact_table_met(ratio, GOAL), r.rate, r.drift);
    }
    tact_table_note(table,
                    "EDMD: as published, in a periodic box, on its author's machine. Tact: between six walls, median "
                    "of %d, %s. Of Enskog: collisions per unit of time relative to Enskog's theory without walls.",
                    suite_size(s, ROUNDS, 1, 1), s->quick ? "not equilibrated" : "after N collisions of N spheres");
    return tact_table_end(s, "spheres", table) && done;
}

static const char *const growth_columns = "spheres|packing|collisions per second|including walls|us per collision|"
                                          "bytes per sphere|creation, s|first predictions, s|of Enskog|energy drift";

static bool add_growth(const suite *s, json_t *table, int count, double packing, long collisions)
{
    sphere_run r;
    if (!run_rounds(s, count, packing, collisions, 1, &r))
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

    json_t *growth = tact_table_begin("Hard spheres: by number of spheres", growth_columns);
    const int peak = s->large && !s->quick ? 1000000 : suite_size(s, 100000, 10000, 1000);
    for (size_t i = 0; done && i < sizeof counts / sizeof counts[0] && counts[i] <= peak; i++)
        done = add_growth(s, growth, counts[i], 0.25, suite_size(s, 200000, 20000, 200));
    tact_table_plot(growth, "us per collision", 0, 1u << 4, -1);
    done = tact_table_end(s, "spheres_growth", growth) && done;

    json_t *by_packing = tact_table_begin("Hard spheres: by packing fraction", growth_columns);
    for (size_t i = 0; done && i < sizeof packings / sizeof packings[0]; i++) {
        if (s->quick && i % 3 != 0)
            continue;
        done =
            add_growth(s, by_packing, suite_size(s, 32000, 4000, 256), packings[i], suite_size(s, 100000, 10000, 200));
    }
    tact_table_plot(by_packing, "us per collision", 1, 1u << 4, -1);
    return tact_table_end(s, "spheres_packing", by_packing) && done;
}
