/* A few questions with their answers, computed when asked for: what the library does, in the time it takes to read it.
 */
#include "show.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>
#include <time.h>

#include "help.h"

/* The shapes of the show; all are made before it begins. */
typedef struct stage {
    tact_shape *ball;   /* radius 1 */
    tact_shape *crate;  /* 2 x 2 x 2 */
    tact_shape *floor;  /* 40 x 2 x 40 */
    tact_shape *sheet;  /* a wall of one micrometre */
    tact_shape *bullet; /* radius 5 mm */
    tact_shape *cone;
    tact_shape *egg;
    tact_shape *capsule;
    tact_shape *pill; /* a capsule again, as the sum of a segment and a ball */
    tact_shape *rod;
    tact_shape *drum;
} stage;

static bool stage_set(stage *s)
{
    memset(s, 0, sizeof *s);
    s->ball = tact_sphere(1.0);
    s->crate = tact_box(2.0, 2.0, 2.0);
    s->floor = tact_box(40.0, 2.0, 40.0);
    s->sheet = tact_box(1e-6, 2.0, 2.0);
    s->bullet = tact_sphere(0.005);
    s->cone = tact_cone(1.0, 2.0);
    s->egg = tact_ellipsoid(1.0, 1.5, 1.0);
    s->capsule = tact_capsule(1.0, 2.0);
    s->rod = tact_segment(tact_vec(0.0, -1.0, 0.0), tact_vec(0.0, 1.0, 0.0));
    s->pill = tact_minkowski_sum(s->rod, s->ball);
    s->drum = tact_cylinder(1.0, 2.0);
    return s->ball && s->crate && s->floor && s->sheet && s->bullet && s->cone && s->egg && s->capsule && s->rod &&
           s->pill && s->drum;
}

static void stage_clear(stage *s)
{
    tact_shape *all[] = {s->ball, s->crate,   s->floor, s->sheet, s->bullet, s->cone,
                         s->egg,  s->capsule, s->rod,   s->pill,  s->drum};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tact_shape_release(all[i]);
}

/* One line of the show: what was asked, what came out. */
static void line(const char *label, const char *format, ...) TACT_COMPLAINT_FORMAT(2, 3);

static void line(const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)printf("  %-15s ", label);
    (void)vprintf(format, arguments);
    (void)printf("\n");
    va_end(arguments);
}

/* Tells that an answer did not come, which no line of the show should. */
static bool came(const char *label, tact_status status)
{
    if (status == TACT_OK)
        return true;
    line(label, "no answer: %s", tact_status_text(status));
    return false;
}

/* Rounds what is only rounding away, and -0, for people. */
static double tidy(double x) { return fabs(x) < 5e-13 ? 0.0 : x; }

static bool show_distances(const stage *s)
{
    tact_distance d = tact_shapes_distance(s->ball, tact_at(0, 0, 0), s->crate, tact_at(3, 0.5, 0));
    if (!came("How far?", d.status))
        return false;
    line("How far?", "A ball and a crate are %.10g apart, from (%g %g %g) to (%g %g %g).", d.distance, tidy(d.on_a.x),
         tidy(d.on_a.y), tidy(d.on_a.z), tidy(d.on_b.x), tidy(d.on_b.y), tidy(d.on_b.z));

    tact_transform lying =
        tact_transform_make(tact_vec(3, 1, 1), tact_quat_from_axis_angle(tact_vec(0, 0, 1), 1.0), tact_vec(1, 2, 0.5));
    d = tact_shapes_distance(s->cone, tact_at(0, 0, 0), s->egg, lying);
    if (!came("Any shape", d.status))
        return false;
    line("Any shape", "A cone and a stretched, tilted egg are %.10g apart, right to the last digit shown.", d.distance);

    double worst = 0.0;
    for (int i = 0; i < 100; i++) {
        tact_transform at = tact_transform_make(
            tact_vec(3, 0.02 * i, 1), tact_quat_from_axis_angle(tact_vec(1, 2, 3), 0.1 * i), tact_vec(1, 1, 1));
        tact_distance one = tact_shapes_distance(s->crate, tact_at(0, 0, 0), s->capsule, at);
        tact_distance sum = tact_shapes_distance(s->crate, tact_at(0, 0, 0), s->pill, at);
        if (!came("Sums", one.status) || !came("Sums", sum.status))
            return false;
        worst = fmax(worst, fabs(one.distance - sum.distance));
    }
    line("Sums", "A capsule, and a segment plus a ball, agree to %.1g in 100 positions.", worst);

    tact_closest c = tact_shape_closest(s->drum, tact_at(0, 0, 0), tact_vec(0.75, 0.5, 0));
    if (!came("Inside?", c.status))
        return false;
    line("Inside?", "A fly in a drum is %.6g from the skin, nearest at (%.3f %.3f %.3f).", -c.distance, c.point.x,
         c.point.y, fabs(c.point.z));
    return true;
}

static bool show_contacts(const stage *s)
{
    tact_common_point common =
        tact_shapes_common_point(s->capsule, tact_at(0, 0, 0), s->cone, tact_at(1.2, 0.5, 0), NULL);
    if (!came("Touching?", common.status))
        return false;
    line("Touching?", "A capsule and a cone %s, for example at (%.3f %.3f %.3f).",
         common.state == TACT_HIT ? "do" : "do not", common.point.x, common.point.y, common.point.z);

    tact_transform turned = tact_transform_make(tact_vec(0.3, 1.9, 0.2),
                                                tact_quat_from_axis_angle(tact_vec(0, 1, 0), 0.4), tact_vec(1, 1, 1));
    tact_manifold m = tact_shapes_manifold(s->crate, tact_at(0, 0, 0), s->crate, turned, 0.0);
    if (!came("How deep?", m.status))
        return false;
    line("How deep?", "A crate on a crate: %.10g deep, normal (%g %g %g), held by %d points:", m.depth,
         tidy(m.normal.x), tidy(m.normal.y), tidy(m.normal.z), (int)m.count);
    for (int i = 0; i < (int)m.count; i++)
        (void)printf("%s(%.2f %.2f %.2f)%s", i % 4 == 0 ? "                  " : " ", tidy(m.points[i].on_a.x),
                     tidy(m.points[i].on_a.y), tidy(m.points[i].on_a.z),
                     i % 4 == 3 || i + 1 == (int)m.count ? "\n" : "");
    return true;
}

static bool show_impacts(const stage *s)
{
    tact_motion thrown = {{4, 3, 0}, {0, -9.81, 0}, {0, 0, 6}};
    const tact_toi_def sharp = {.end = 5.0, .tolerance = 1e-13}; /* so that all digits shown are right */
    tact_toi hit = tact_shapes_time_of_impact_with(s->crate, tact_at(0, 4, 0), thrown, s->floor, tact_at(0, -1, 0),
                                                   tact_motion_still(), &sharp);
    if (!came("When?", hit.status))
        return false;
    line("When?", "A thrown, spinning crate lands after %.12f s, at x = %.6f, on an edge.", hit.time, hit.point.x);

    hit = tact_shapes_time_of_impact_with(s->bullet, tact_at(-1, 0, 0), tact_motion_linear(1000, 0, 0), s->sheet,
                                          tact_at(0, 0, 0), tact_motion_still(), &sharp);
    if (!came("Never missed", hit.status))
        return false;
    line("Never missed", "A bullet at 1000 m/s %s a sheet of 1 micrometre, after %.9f ms.",
         hit.state == TACT_HIT ? "meets" : "misses", 1000.0 * hit.time);

    tact_ray_hit ray = tact_shape_ray(s->cone, tact_at(0, 0, 0), tact_vec(-5, 0, 0), tact_vec(1, 0, 0), INFINITY);
    if (!came("Where?", ray.status))
        return false;
    line("Where?", "A ray meets a cone at t = %g, where the surface faces (%.4f %.4f %.4f).", ray.t, tidy(ray.normal.x),
         tidy(ray.normal.y), tidy(ray.normal.z));
    return true;
}

/* A body that moves and weighs something. */
static tact_body launch(tact_world *world, const tact_shape *shape, tact_transform at, tact_motion motion, double mass)
{
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape, .transform = at, .motion = motion});
    (void)tact_body_set_mass(world, body, mass); /* if it failed nothing bounces, which the figures show */
    return body;
}

#define BOUNCES 4

/* A ball that is dropped, and what schoolbooks say: from a height of g / 2 it falls for 1 s, and with 4/5 of the speed
 * it is in the air for 4/5 of the time. */
static bool show_bounces(const stage *s, tact_world *world)
{
    const tact_motion fall = {.acceleration = {0, -9.81, 0}};
    (void)tact_body_create(world, &(tact_body_def){.shape = s->floor, .transform = tact_at(0, -1, 0)});
    (void)launch(world, s->ball, tact_at(0, 1 + 9.81 / 2, 0), fall, 1.0);
    double times[BOUNCES] = {0.0};
    tact_event e;
    for (int i = 0; i < BOUNCES && tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; i++) {
        times[i] = e.time;
        (void)tact_world_bounce(world, &e, 0.8);
    }
    line("Through time", "A ball falls 4.905 m and keeps 4/5 of its speed at each bounce. It meets the floor");
    line("", "at %.12f, %.12f, %.12f, %.12f s;", times[0], times[1], times[2], times[3]);
    line("", "by hand 1, 2.6, 3.88, 4.904.");
    return came("Through time", e.status);
}

/* A wall, a light ball and one that is 100^3 times as heavy touch as often as the first digits of pi say. */
static bool show_pi(const stage *s, tact_world *world)
{
    (void)tact_body_create(world, &(tact_body_def){.shape = s->crate});
    (void)launch(world, s->ball, tact_at(4, 0, 0), tact_motion_still(), 1.0);
    (void)launch(world, s->ball, tact_at(8, 0, 0), tact_motion_linear(-1, 0, 0), 1e6);
    (void)tact_world_set_rest_time(world, 0.0); /* it is not coming to rest */
    int count = 0;
    tact_event e;
    for (; tact_world_next_event(world, 1e6, &e) == TACT_EVENT_TOUCH; count++)
        (void)tact_world_bounce(world, &e, 1.0);
    if (!came("Every touch", e.status))
        return false;
    line("Every touch", "A wall, a ball of 1 kg and one of 1,000 t touch %d times: pi, to four digits.", count);
    return true;
}

static bool show_time(const stage *s, bool show(const stage *, tact_world *))
{
    tact_world *world = tact_world_create(NULL);
    const bool good = world && show(s, world);
    tact_world_release(world);
    return good;
}

/* Uniform in [-half, half), seeded: SplitMix64 (Steele, Lea and Flood 2014). */
static double random_number(uint64_t *state, double half)
{
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    return half * ((double)(bits >> 11) * 0x1p-52 - 1.0);
}

static tact_vec3 random_in(uint64_t *state, double half)
{
    double x = random_number(state, half), y = random_number(state, half);
    return tact_vec(x, y, random_number(state, half));
}

static double seconds_now(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define CROWD_PAIRS 100000
#define CROWD_HULLS 50
#define CROWD_CORNERS 20

static void pairs_scatter(tact_pair *pairs, tact_shape *const hulls[CROWD_HULLS], uint64_t *random)
{
    for (size_t i = 0; i < CROWD_PAIRS; i++) {
        tact_vec3 axis = random_in(random, 1.0), where = random_in(random, 1.5);
        pairs[i].a = hulls[i % CROWD_HULLS];
        pairs[i].b = hulls[(i / CROWD_HULLS) % CROWD_HULLS];
        pairs[i].transform_a = tact_identity();
        pairs[i].transform_b = tact_transform_make(where, (tact_quat){axis.x, axis.y, axis.z, 1.0}, tact_vec(1, 1, 1));
    }
}

/* Distances of many pairs of hulls at once. */
static bool show_crowd(void)
{
    tact_shape *hulls[CROWD_HULLS] = {NULL};
    tact_pair *pairs = calloc(CROWD_PAIRS, sizeof *pairs);
    tact_distance *found = calloc(CROWD_PAIRS, sizeof *found);
    uint64_t random = 1;
    bool good = pairs && found;
    for (size_t i = 0; good && i < CROWD_HULLS; i++) {
        tact_vec3 points[CROWD_CORNERS];
        for (size_t k = 0; k < CROWD_CORNERS; k++)
            points[k] = random_in(&random, 0.5);
        hulls[i] = tact_hull(points, CROWD_CORNERS);
        good = hulls[i] != NULL;
    }
    if (good) {
        pairs_scatter(pairs, hulls, &random);
        double start = seconds_now();
        tact_status status = tact_distance_batch(pairs, CROWD_PAIRS, found, NULL);
        double spent = seconds_now() - start;
        good = came("A crowd", status);
        size_t touching = 0;
        for (size_t i = 0; good && i < CROWD_PAIRS; i++) {
            good = came("A crowd", found[i].status);
            touching += found[i].distance == 0.0;
        }
        if (good)
            line("A crowd", "100,000 pairs of hulls, %zu of them touching: %.1f ms, %.1f million distances a second.",
                 touching, 1000.0 * spent, 1e-6 * CROWD_PAIRS / (spent > 0.0 ? spent : 1e-9));
    } else {
        line("A crowd", "out of memory");
    }
    for (size_t i = 0; i < CROWD_HULLS; i++)
        tact_shape_release(hulls[i]);
    free(found);
    free(pairs);
    return good;
}

int tact_show_command(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return tact_help_command("show");
    if (argc > 1)
        return tact_help_usage("show", "tact show takes nothing, but was given %s", argv[1]);
    stage set;
    if (!stage_set(&set)) {
        stage_clear(&set);
        (void)fprintf(stderr, "tact: out of memory\n");
        return 1;
    }
    (void)printf("\nTact %d.%d.%d: where and exactly when things touch.\n\n", TACT_VERSION_MAJOR, TACT_VERSION_MINOR,
                 TACT_VERSION_PATCH);
    bool good = show_distances(&set) && show_contacts(&set) && show_impacts(&set) && show_time(&set, show_bounces) &&
                show_time(&set, show_pi) && show_crowd();
    stage_clear(&set);
    if (good)
        (void)printf("\nNext: `build/tact help query` to ask your own, `make bench` for measurements, examples/ to "
                     "write C.\n\n");
    return good ? 0 : 1;
}
