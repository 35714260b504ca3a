/* Prints the results of some queries, with known values to compare where there are any. */
#include "show.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "error_line.h"
#include "help.h"
#include "progress_bar.h"

typedef struct show_shapes {
    tact_shape *ball;   /* radius 1 */
    tact_shape *crate;  /* 2 x 2 x 2 */
    tact_shape *floor;  /* 40 x 2 x 40 */
    tact_shape *sheet;  /* 1 micrometre thick */
    tact_shape *bullet; /* radius 5 mm */
    tact_shape *cone;
    tact_shape *ellipsoid;
    tact_shape *capsule;
    tact_shape *segment;
    tact_shape *segment_sum; /* the same capsule as the Minkowski sum of segment and ball */
    tact_shape *cylinder;
} show_shapes;

static bool shapes_create(show_shapes *s)
{
    memset(s, 0, sizeof *s);
    s->ball = tact_sphere(1.0);
    s->crate = tact_box(2.0, 2.0, 2.0);
    s->floor = tact_box(40.0, 2.0, 40.0);
    s->sheet = tact_box(1e-6, 2.0, 2.0);
    s->bullet = tact_sphere(0.005);
    s->cone = tact_cone(1.0, 2.0);
    s->ellipsoid = tact_ellipsoid(1.0, 1.5, 1.0);
    s->capsule = tact_capsule(1.0, 2.0);
    s->segment = tact_segment(tact_vec(0.0, -1.0, 0.0), tact_vec(0.0, 1.0, 0.0));
    s->segment_sum = tact_minkowski_sum(s->segment, s->ball);
    s->cylinder = tact_cylinder(1.0, 2.0);
    return s->ball && s->crate && s->floor && s->sheet && s->bullet && s->cone && s->ellipsoid && s->capsule &&
           s->segment && s->segment_sum && s->cylinder;
}

static void shapes_release(show_shapes *s)
{
    tact_shape *all[] = {s->ball,      s->crate,   s->floor,   s->sheet,       s->bullet,  s->cone,
                         s->ellipsoid, s->capsule, s->segment, s->segment_sum, s->cylinder};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tact_shape_release(all[i]);
}

static void line_print(const char *label, const char *format, ...) TACT_PRINTF_FORMAT(2, 3);

static void line_print(const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)printf("  %-15s ", label);
    (void)vprintf(format, arguments);
    (void)printf("\n");
    va_end(arguments);
}

/* Prints an error if a query failed. */
static bool succeeded(const char *label, tact_status status)
{
    if (status == TACT_OK)
        return true;
    line_print(label, "failed: %s", tact_status_text(status));
    return false;
}

/* Rounds rounding errors and -0 to 0, for printing. */
static double snap_to_zero(double x) { return fabs(x) < 5e-13 ? 0.0 : x; }

static bool show_distance(const show_shapes *s)
{
    tact_distance d = tact_shapes_distance(s->ball, tact_at(0, 0, 0), s->crate, tact_at(3, 0.5, 0));
    if (!succeeded("Distance", d.status))
        return false;
    line_print("Distance", "A sphere and a box: %.10g, from (%g %g %g) to (%g %g %g).", d.distance,
               snap_to_zero(d.on_a.x), snap_to_zero(d.on_a.y), snap_to_zero(d.on_a.z), snap_to_zero(d.on_b.x),
               snap_to_zero(d.on_b.y), snap_to_zero(d.on_b.z));

    tact_transform lying =
        tact_transform_make(tact_vec(3, 1, 1), tact_quat_from_axis_angle(tact_vec(0, 0, 1), 1.0), tact_vec(1, 2, 0.5));
    d = tact_shapes_distance(s->cone, tact_at(0, 0, 0), s->ellipsoid, lying);
    if (!succeeded("Affine shapes", d.status))
        return false;
    line_print("Affine shapes", "A cone and a rotated, nonuniformly scaled ellipsoid: %.10g, correct to all digits.",
               d.distance);

    double worst = 0.0;
    for (int i = 0; i < 100; i++) {
        tact_transform at = tact_transform_make(
            tact_vec(3, 0.02 * i, 1), tact_quat_from_axis_angle(tact_vec(1, 2, 3), 0.1 * i), tact_vec(1, 1, 1));
        tact_distance one = tact_shapes_distance(s->crate, tact_at(0, 0, 0), s->capsule, at);
        tact_distance sum = tact_shapes_distance(s->crate, tact_at(0, 0, 0), s->segment_sum, at);
        if (!succeeded("Minkowski sum", one.status) || !succeeded("Minkowski sum", sum.status))
            return false;
        worst = fmax(worst, fabs(one.distance - sum.distance));
    }
    line_print("Minkowski sum", "Distances of a capsule and of segment + sphere agree to %.1g in 100 positions.",
               worst);

    tact_closest c = tact_shape_closest(s->cylinder, tact_at(0, 0, 0), tact_vec(0.75, 0.5, 0));
    if (!succeeded("Closest point", c.status))
        return false;
    line_print("Closest point", "A point inside a cylinder is %.6g below its surface, closest at (%.3f %.3f %.3f).",
               -c.distance, c.point.x, c.point.y, fabs(c.point.z));
    return true;
}

static bool show_contact(const show_shapes *s)
{
    tact_common_point common =
        tact_shapes_common_point(s->capsule, tact_at(0, 0, 0), s->cone, tact_at(1.2, 0.5, 0), NULL);
    if (!succeeded("Intersection", common.status))
        return false;
    line_print("Intersection", "A capsule and a cone %s, common point (%.3f %.3f %.3f).",
               common.state == TACT_HIT ? "intersect" : "do not intersect", common.point.x, common.point.y,
               common.point.z);

    tact_transform turned = tact_transform_make(tact_vec(0.3, 1.9, 0.2),
                                                tact_quat_from_axis_angle(tact_vec(0, 1, 0), 0.4), tact_vec(1, 1, 1));
    tact_manifold m = tact_shapes_manifold(s->crate, tact_at(0, 0, 0), s->crate, turned, 0.0);
    if (!succeeded("Penetration", m.status))
        return false;
    line_print("Penetration", "A box on a box: depth %.10g, normal (%g %g %g), %d contact points:", m.depth,
               snap_to_zero(m.normal.x), snap_to_zero(m.normal.y), snap_to_zero(m.normal.z), (int)m.count);
    for (int i = 0; i < (int)m.count; i++)
        (void)printf("%s(%.2f %.2f %.2f)%s", i % 4 == 0 ? "                  " : " ", snap_to_zero(m.points[i].on_a.x),
                     snap_to_zero(m.points[i].on_a.y), snap_to_zero(m.points[i].on_a.z),
                     i % 4 == 3 || i + 1 == (int)m.count ? "\n" : "");
    return true;
}

static bool show_time_of_impact(const show_shapes *s)
{
    tact_motion thrown = {.velocity = {4, 3, 0}, .acceleration = {0, -9.81, 0}, .spin = {0, 0, 6}};
    const tact_toi_def sharp = {.end = 5.0, .tolerance = 1e-13}; /* all printed digits are correct */
    tact_toi hit = tact_shapes_time_of_impact_with(s->crate, tact_at(0, 4, 0), thrown, s->floor, tact_at(0, -1, 0),
                                                   tact_motion_still(), &sharp);
    if (!succeeded("Time of impact", hit.status))
        return false;
    line_print("Time of impact", "A thrown, spinning box hits the floor at t = %.12f s, at x = %.6f, with an edge.",
               hit.time, hit.point.x);

    hit = tact_shapes_time_of_impact_with(s->bullet, tact_at(-1, 0, 0), tact_motion_linear(1000, 0, 0), s->sheet,
                                          tact_at(0, 0, 0), tact_motion_still(), &sharp);
    if (!succeeded("No tunnelling", hit.status))
        return false;
    line_print("No tunnelling", "A bullet at 1000 m/s %s a sheet 1 micrometre thick, at t = %.9f ms.",
               hit.state == TACT_HIT ? "hits" : "misses", 1000.0 * hit.time);

    tact_ray_hit ray = tact_shape_ray(s->cone, tact_at(0, 0, 0), tact_vec(-5, 0, 0), tact_vec(1, 0, 0), INFINITY);
    if (!succeeded("Ray cast", ray.status))
        return false;
    line_print("Ray cast", "A ray hits a cone at t = %g, surface normal (%.4f %.4f %.4f).", ray.t,
               snap_to_zero(ray.normal.x), snap_to_zero(ray.normal.y), snap_to_zero(ray.normal.z));
    return true;
}

/* Creates a moving body with a mass. */
static tact_body body_with_mass(tact_world *world, const tact_shape *shape, tact_transform at, tact_motion motion,
                                double mass)
{
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape, .transform = at, .motion = motion});
    (void)tact_body_set_mass(world, body, mass); /* on failure the printed times are 0 */
    return body;
}

#define BOUNCES 4

/* A dropped ball with a known solution: from a height of g / 2 it falls for 1 s, and with restitution 4/5 each flight
 * takes 4/5 of the time of the one before. */
static bool show_bouncing_ball(const show_shapes *s, tact_world *world)
{
    const tact_motion fall = {.acceleration = {0, -9.81, 0}};
    (void)tact_body_create(world, &(tact_body_def){.shape = s->floor, .transform = tact_at(0, -1, 0)});
    (void)body_with_mass(world, s->ball, tact_at(0, 1 + 9.81 / 2, 0), fall, 1.0);
    double times[BOUNCES] = {0.0};
    tact_event e;
    for (int i = 0; i < BOUNCES && tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; i++) {
        times[i] = e.time;
        (void)tact_world_bounce(world, &e, 0.8);
    }
    line_print("Bouncing ball", "A ball falls 4.905 m and bounces with restitution 0.8. It touches the floor");
    line_print("", "at %.12f, %.12f, %.12f, %.12f s;", times[0], times[1], times[2], times[3]);
    line_print("", "exact: 1, 2.6, 3.88, 4.904.");
    return succeeded("Bouncing ball", e.status);
}

/* A wall, a ball of mass 1 and one of mass 100^3: the number of impacts has the first digits of pi (Galperin 2003). */
static bool show_pi_collisions(const show_shapes *s, tact_world *world)
{
    (void)tact_body_create(world, &(tact_body_def){.shape = s->crate});
    (void)body_with_mass(world, s->ball, tact_at(4, 0, 0), tact_motion_still(), 1.0);
    (void)body_with_mass(world, s->ball, tact_at(8, 0, 0), tact_motion_linear(-1, 0, 0), 1e6);
    int count = 0;
    tact_event e;
    for (; tact_world_next_event(world, 1e6, &e) == TACT_EVENT_TOUCH; count++)
        (void)tact_world_bounce(world, &e, 1.0);
    if (!succeeded("Impacts", e.status))
        return false;
    line_print("Impacts", "A wall, a ball of 1 kg and one of 1,000 t touch %d times: the first digits of pi.", count);
    return true;
}

static bool show_in_world(const show_shapes *s, bool show(const show_shapes *, tact_world *))
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

#define BATCH_PAIRS 100000
#define BATCH_HULLS 50
#define HULL_POINTS 20

static void pairs_place(tact_pair *pairs, tact_shape *const hulls[BATCH_HULLS], uint64_t *random)
{
    for (size_t i = 0; i < BATCH_PAIRS; i++) {
        tact_vec3 axis = random_in(random, 1.0), where = random_in(random, 1.5);
        pairs[i].a = hulls[i % BATCH_HULLS];
        pairs[i].b = hulls[(i / BATCH_HULLS) % BATCH_HULLS];
        pairs[i].transform_a = tact_identity();
        pairs[i].transform_b = tact_transform_make(where, (tact_quat){axis.x, axis.y, axis.z, 1.0}, tact_vec(1, 1, 1));
    }
}

/* Distances of many pairs of hulls in one call. */
static bool show_batch(void)
{
    tact_shape *hulls[BATCH_HULLS] = {NULL};
    tact_pair *pairs = calloc(BATCH_PAIRS, sizeof *pairs);
    tact_distance *found = calloc(BATCH_PAIRS, sizeof *found);
    uint64_t random = 1;
    bool good = pairs && found;
    for (size_t i = 0; good && i < BATCH_HULLS; i++) {
        tact_vec3 points[HULL_POINTS];
        for (size_t k = 0; k < HULL_POINTS; k++)
            points[k] = random_in(&random, 0.5);
        hulls[i] = tact_hull(points, HULL_POINTS);
        good = hulls[i] != NULL;
    }
    if (good) {
        pairs_place(pairs, hulls, &random);
        double start = tact_clock_now();
        tact_status status = tact_distance_batch(pairs, BATCH_PAIRS, found, NULL);
        double spent = tact_clock_now() - start;
        good = succeeded("Batch", status);
        size_t intersecting = 0;
        for (size_t i = 0; good && i < BATCH_PAIRS; i++) {
            good = succeeded("Batch", found[i].status);
            intersecting += found[i].distance == 0.0;
        }
        if (good)
            line_print("Batch", "100,000 pairs of hulls, %zu intersecting: %.1f ms, %.1f million distances a second.",
                       intersecting, 1000.0 * spent, 1e-6 * BATCH_PAIRS / (spent > 0.0 ? spent : 1e-9));
    } else {
        line_print("Batch", "out of memory");
    }
    for (size_t i = 0; i < BATCH_HULLS; i++)
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
        return tact_help_usage("show", "unexpected argument %s", argv[1]);
    show_shapes shapes;
    if (!shapes_create(&shapes)) {
        shapes_release(&shapes);
        (void)tact_error_line("tact: out of memory");
        return 1;
    }
    (void)printf("\nTact %d.%d.%d: where and exactly when things touch.\n\n", TACT_VERSION_MAJOR, TACT_VERSION_MINOR,
                 TACT_VERSION_PATCH);
    bool good = show_distance(&shapes) && show_contact(&shapes) && show_time_of_impact(&shapes) &&
                show_in_world(&shapes, show_bouncing_ball) && show_in_world(&shapes, show_pi_collisions) &&
                show_batch();
    shapes_release(&shapes);
    if (good)
        (void)printf("\nNext: `tact help query` for queries of your own, `make bench` for benchmarks, examples/ for "
                     "the C API.\n\n");
    return good ? 0 : 1;
}
