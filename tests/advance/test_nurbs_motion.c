/*
 * NURBS bodies whose control points move, in continuous time, by the public API. Random surfaces (polynomial and
 * rational, one patch and several, one surface and six) against surfaces, meshes with moving vertices, balls and
 * spinning boxes. The oracle evaluates the true surfaces by the recursion of Cox and de Boor at many points and times:
 * no contact that it finds is missed or reported late. At each event the true distance is at most twice the sum of the
 * tolerances.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/nurbs_bodies.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { GRID = 25, MAX_FRAMES = 4, TIMES = 240, MAX_POINTS = 6 * 49, MAX_SAMPLES = 6 * GRID * GRID, MAX_EVENTS = 64 };

static tact_vec3 lerp(tact_vec3 a, tact_vec3 b, double t)
{
    return (tact_vec3){(1.0 - t) * a.x + t * b.x, (1.0 - t) * a.y + t * b.y, (1.0 - t) * a.z + t * b.z};
}

/* ---- bodies and their key frames ---- */

typedef struct moving_surface {
    nurbs_body body;
    int degree;
    size_t n, m; /* control points of each surface */
    double weights[MAX_POINTS];
    tact_vec3 frames[MAX_FRAMES][MAX_POINTS];
    tact_vec3 samples[MAX_FRAMES][MAX_SAMPLES]; /* points of the true surfaces at the key frames */
    size_t sample_count;
} moving_surface;

typedef struct frame_times {
    int count;
    double at[MAX_FRAMES];
} frame_times;

/* The key frame that a time follows, and the fraction of the way to the next one. */
static int find_frame(const frame_times *f, double time, double *fraction)
{
    int i = 0;
    while (i + 2 < f->count && time >= f->at[i + 1])
        i++;
    const double t = (time - f->at[i]) / (f->at[i + 1] - f->at[i]);
    *fraction = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return i;
}

/* The basis function i of degree p (Cox and de Boor). */
static double basis(const double *knots, size_t last, size_t i, int p, double u)
{
    if (p == 0)
        return (knots[i] <= u && u < knots[i + 1]) || (u == knots[last] && knots[i] < u && knots[i + 1] == u) ? 1.0
                                                                                                              : 0.0;
    const double a = knots[i + (size_t)p] - knots[i], b = knots[i + (size_t)p + 1] - knots[i + 1];
    return (a > 0.0 ? (u - knots[i]) / a * basis(knots, last, i, p - 1, u) : 0.0) +
           (b > 0.0 ? (knots[i + (size_t)p + 1] - u) / b * basis(knots, last, i + 1, p - 1, u) : 0.0);
}

static void evaluate_samples(moving_surface *s, int frame_count)
{
    static double row[2][GRID][16];
    const size_t counts[2] = {s->n, s->m};
    for (int d = 0; d < 2; d++)
        for (int g = 0; g < GRID; g++)
            for (size_t i = 0; i < counts[d]; i++) {
                const double *knots = s->body.knots[0][d];
                const double u = knots[counts[d]] * g / (GRID - 1);
                row[d][g][i] = basis(knots, counts[d], i, s->degree, u);
            }
    s->sample_count = (size_t)s->body.count * GRID * GRID;
    for (int f = 0; f < frame_count; f++)
        for (size_t k = 0; k < s->sample_count; k++) {
            const size_t first = k / (GRID * GRID) * s->n * s->m, g = k / GRID % GRID, h = k % GRID;
            tact_vec3 sum = {0.0, 0.0, 0.0};
            double total = 0.0;
            for (size_t i = 0; i < s->n; i++)
                for (size_t j = 0; j < s->m; j++) {
                    const size_t at = first + i * s->m + j;
                    const double c = row[0][g][i] * row[1][h][j] * s->weights[at];
                    const tact_vec3 p = s->frames[f][at];
                    sum = (tact_vec3){sum.x + c * p.x, sum.y + c * p.y, sum.z + c * p.z};
                    total += c;
                }
            s->samples[f][k] = (tact_vec3){sum.x / total, sum.y / total, sum.z / total};
        }
}

static tact_vec3 sample_at(const moving_surface *s, const frame_times *f, size_t k, double time)
{
    double t;
    const int i = find_frame(f, time, &t);
    return lerp(s->samples[i][k], s->samples[i + 1][k], t);
}

static tact_shape *shape_at(moving_surface *s, const tact_vec3 *points)
{
    memcpy(s->body.points, points, s->body.point_count * sizeof *points);
    tact_report report;
    tact_shape *shape = tact_nurbs_create(s->body.defs, (size_t)s->body.count, &report);
    if (shape == NULL)
        print_error("%s\n", report.text);
    return shape;
}

static tact_shape *shape_at_time(moving_surface *s, const frame_times *f, double time)
{
    tact_vec3 points[MAX_POINTS];
    double t;
    const int i = find_frame(f, time, &t);
    for (size_t k = 0; k < s->body.point_count; k++)
        points[k] = lerp(s->frames[i][k], s->frames[i + 1][k], t);
    return shape_at(s, points);
}

static void set_weights(moving_surface *s, random_source *random, bool rational)
{
    for (size_t i = 0; i < s->body.point_count; i++)
        s->weights[i] = rational ? random_range(random, 0.4, 2.5) : 1.0;
    for (int k = 0; k < s->body.count && rational; k++)
        s->body.defs[k].weights = s->weights + (size_t)k * s->n * s->m;
}

/* A sheet over [-1, 1]^2 at height z: heights vary by `waves` and, unless it is a height field, the rest too. */
static void make_sheet(moving_surface *s, random_source *random, int degree, size_t n, size_t m, double tolerance,
                       bool rational)
{
    s->degree = degree;
    s->n = n;
    s->m = m;
    s->body = nurbs_body_sheet(degree, n, m, tolerance);
    set_weights(s, random, rational);
}

static void set_sheet_frame(moving_surface *s, random_source *random, int frame, double z, double waves, double sway)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->m; j++) {
            const double x = 2.0 * (double)i / (double)(s->n - 1) - 1.0, y = 2.0 * (double)j / (double)(s->m - 1) - 1.0;
            s->frames[frame][i * s->m + j] =
                (tact_vec3){x + sway * random_range(random, -1.0, 1.0), y + sway * random_range(random, -1.0, 1.0),
                            z + waves * random_range(random, -1.0, 1.0)};
        }
}

/* A cube of six surfaces, joined at its edges, whose faces bulge, at (0, 0, z). */
static void make_cube(moving_surface *s, random_source *random, double tolerance)
{
    s->degree = 3;
    s->n = s->m = 5;
    s->body = nurbs_body_cube(3, 5, 0.0, tolerance);
    set_weights(s, random, false);
}

static void set_cube_frame(moving_surface *s, random_source *random, int frame, double z)
{
    nurbs_body other = nurbs_body_cube(3, 5, random_range(random, 0.0, 1.0), 0.1);
    const double size = random_range(random, 0.4, 0.6);
    for (size_t i = 0; i < other.point_count; i++)
        s->frames[frame][i] =
            (tact_vec3){size * other.points[i].x, size * other.points[i].y, size * other.points[i].z + z};
    nurbs_body_free(&other);
}

/* ---- motion ---- */

typedef enum motion_mode { MODE_PLAY, MODE_TARGETS, MODE_VELOCITIES, MODE_COUNT } motion_mode;

/* A body, its key frames, and how it follows them. */
typedef struct follower {
    tact_body body;
    const tact_vec3 *frames; /* MAX_FRAMES rows of `stride` points */
    size_t stride, count;
    motion_mode mode;
} follower;

/* At the time of a key frame: what the body does until the next one. */
static void begin_piece(tact_world *world, const follower *f, const frame_times *times, int frame)
{
    tact_status status = TACT_OK;
    tact_vec3 velocities[MAX_POINTS];
    const tact_vec3 *from = f->frames + (size_t)frame * f->stride, *to = from + f->stride;
    const double duration = times->at[frame + 1] - times->at[frame];
    if (f->mode == MODE_TARGETS)
        status = tact_body_set_vertex_motion(world, f->body,
                                             &(tact_vertex_motion){.targets = to, .end_time = times->at[frame + 1]});
    for (size_t i = 0; i < f->count && f->mode == MODE_VELOCITIES; i++)
        velocities[i] = (tact_vec3){(to[i].x - from[i].x) / duration, (to[i].y - from[i].y) / duration,
                                    (to[i].z - from[i].z) / duration};
    if (f->mode == MODE_VELOCITIES)
        status = tact_body_set_vertex_motion(world, f->body, &(tact_vertex_motion){.velocities = velocities});
    if (f->mode == MODE_PLAY && frame == 0) {
        tact_vec3 packed[MAX_FRAMES * MAX_POINTS];
        for (int i = 0; i < times->count; i++)
            memcpy(packed + (size_t)i * f->count, f->frames + (size_t)i * f->stride, f->count * sizeof *packed);
        tact_animation *a = tact_animation_create(&(tact_animation_def){.vertices = {.data = packed, .count = f->count},
                                                                        .frame_count = (size_t)times->count,
                                                                        .times = times->at},
                                                  NULL);
        assert_non_null(a);
        status = tact_body_play(world, f->body, a, NULL);
        tact_animation_release(a);
    }
    assert_int_equal(status, TACT_OK);
}

typedef struct event_list {
    int count;
    tact_event events[MAX_EVENTS];
} event_list;

/* Runs to the last key frame and lists the events. `parts`: calls of tact_world_next_event per piece, at least. */
static void run(tact_world *world, const follower *followers, int count, const frame_times *times, int parts,
                event_list *list)
{
    list->count = 0;
    for (int frame = 0; frame + 1 < times->count; frame++) {
        for (int i = 0; i < count; i++)
            begin_piece(world, &followers[i], times, frame);
        for (int k = 1; k <= parts; k++) {
            const double until = k < parts ? times->at[frame] + (times->at[frame + 1] - times->at[frame]) * k / parts
                                           : times->at[frame + 1];
            for (;;) {
                tact_event e;
                const tact_event_kind kind = tact_world_next_event(world, until, &e);
                if (kind == TACT_EVENT_NONE) {
                    assert_int_equal(e.status, TACT_OK);
                    break;
                }
                assert_int_equal(kind, TACT_EVENT_TOUCH);
                assert_true(list->count < MAX_EVENTS);
                list->events[list->count++] = e;
            }
        }
    }
}

/* ---- random scenes ---- */

typedef enum other_kind {
    OTHER_SHEET,   /* both are height fields over the same square */
    OTHER_SWAYING, /* a sheet in any motion */
    OTHER_MESH,    /* a flat square of moving vertices */
    OTHER_BALL,
    OTHER_BOX, /* spinning and falling */
    OTHER_COUNT
} other_kind;

typedef struct scene {
    moving_surface *a, *b; /* b: for two sheets */
    tact_vec3 plate[MAX_FRAMES][4];
    frame_times times;
    other_kind other;
    motion_mode mode;
    double tolerance[2]; /* the second is 0 without a second surface */
    double radius;
    tact_vec3 box; /* full extents */
    tact_vec3 start;
    tact_quat rotation;
    tact_motion motion;
    bool is_cube;
} scene;

static void make_scene(scene *s, moving_surface storage[2], uint64_t seed)
{
    random_source random = random_seed(seed);
    memset(s, 0, sizeof *s);
    s->a = &storage[0];
    s->other = (other_kind)(seed % OTHER_COUNT);
    s->mode = (motion_mode)(seed / OTHER_COUNT % MODE_COUNT);
    const bool rational = random_chance(&random, 0.5);
    s->tolerance[0] = random_range(&random, 0.01, 0.04);
    s->is_cube = s->other >= OTHER_MESH && random_chance(&random, 0.3);
    const int degree = random_between(&random, 1, 3);
    const size_t n = (size_t)(degree + random_between(&random, 1, 3)),
                 m = (size_t)(degree + random_between(&random, 1, 3));
    if (s->is_cube)
        make_cube(s->a, &random, s->tolerance[0]);
    else
        make_sheet(s->a, &random, degree, n, m, s->tolerance[0], rational);
    if (s->other <= OTHER_SWAYING) {
        s->b = &storage[1];
        s->tolerance[1] = random_range(&random, 0.01, 0.04);
        make_sheet(s->b, &random, degree, n, m, s->tolerance[1], rational);
        memcpy(s->b->weights, s->a->weights, sizeof s->a->weights); /* the same point above each point */
    }
    s->times.count = random_between(&random, 2, MAX_FRAMES);
    for (int i = 1; i < s->times.count; i++)
        s->times.at[i] = s->times.at[i - 1] + random_range(&random, 0.2, 1.0);
    const double gap = random_range(&random, 0.5, 1.5);
    for (int i = 0; i < s->times.count; i++) {
        const double waves = random_chance(&random, 0.2) ? 0.0 : random_range(&random, 0.0, 0.6);
        const double sway = s->other == OTHER_SHEET ? 0.0 : 0.3, rise = random_range(&random, 0.0, 1.2);
        if (s->is_cube)
            set_cube_frame(s->a, &random, i, -0.6 + rise);
        else
            set_sheet_frame(s->a, &random, i, i == 0 ? -0.4 : rise - 0.4, i == 0 ? 0.2 : waves, sway);
        if (s->b != NULL)
            set_sheet_frame(s->b, &random, i, gap + 0.1 - (i > 0 ? 0.4 : 0.0), i == 0 ? 0.2 : waves, sway);
        for (int k = 0; k < 4; k++) /* may tilt */
            s->plate[i][k] = (tact_vec3){k % 2 == 0 ? -3.0 : 3.0, k / 2 == 0 ? -3.0 : 3.0,
                                         gap + (i == 0 ? 0.3 : random_range(&random, -0.7, 0.3))};
    }
    evaluate_samples(s->a, s->times.count);
    if (s->b != NULL)
        evaluate_samples(s->b, s->times.count);
    s->radius = random_range(&random, 0.1, 0.4);
    s->box =
        (tact_vec3){random_range(&random, 0.2, 0.8), random_range(&random, 0.2, 0.8), random_range(&random, 0.2, 0.8)};
    s->start = (tact_vec3){random_range(&random, -0.5, 0.5), random_range(&random, -0.5, 0.5), gap + 0.5};
    s->rotation = random_rotation(&random);
    s->motion.velocity = (tact_vec3){random_range(&random, -0.3, 0.3), random_range(&random, -0.3, 0.3),
                                     random_range(&random, -1.5, -0.3)};
    if (s->other == OTHER_BOX) {
        s->motion.acceleration = (tact_vec3){0.0, 0.0, random_range(&random, -1.0, 1.0)};
        const tact_vec3 axis = random_direction(&random);
        s->motion.spin = (tact_vec3){2.0 * axis.x, 2.0 * axis.y, 2.0 * axis.z};
    }
}

static void free_scene(scene *s)
{
    nurbs_body_free(&s->a->body);
    if (s->b != NULL)
        nurbs_body_free(&s->b->body);
}

/* Makes the bodies; returns how many of them follow key frames, and which body is the other one. */
static int build(const scene *s, tact_world *world, follower followers[2], tact_body *other)
{
    tact_shape *shape = shape_at(s->a, s->a->frames[0]);
    assert_non_null(shape);
    followers[0] = (follower){tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true}),
                              s->a->frames[0], MAX_POINTS, s->a->body.point_count, s->mode};
    tact_shape_release(shape);
    tact_body_def def = {.deformable = s->other <= OTHER_MESH};
    if (s->b != NULL) {
        shape = shape_at(s->b, s->b->frames[0]);
    } else if (s->other == OTHER_MESH) {
        shape = tact_mesh(s->plate[0], 4, (const uint32_t[6]){0, 1, 2, 1, 3, 2}, 2);
    } else {
        shape = s->other == OTHER_BALL ? tact_sphere(s->radius) : tact_box(s->box.x, s->box.y, s->box.z);
        def.transform = tact_transform_make(s->start, s->rotation, (tact_vec3){1.0, 1.0, 1.0});
        def.motion = s->motion;
    }
    assert_non_null(shape);
    def.shape = shape;
    *other = tact_body_create(world, &def);
    tact_shape_release(shape);
    if (s->b != NULL)
        followers[1] = (follower){*other, s->b->frames[0], MAX_POINTS, s->b->body.point_count, MODE_TARGETS};
    else if (s->other == OTHER_MESH)
        followers[1] = (follower){*other, s->plate[0], 4, 4, MODE_PLAY};
    return s->other <= OTHER_MESH ? 2 : 1;
}

/* Whether the oracle finds a contact at a time: a point of the surface on the other side of, or in, the other body. */
static bool touches_at(const scene *s, double time)
{
    double t;
    const int frame = find_frame(&s->times, time, &t);
    tact_transform at = tact_identity();
    if (s->other >= OTHER_BALL)
        at = tact_motion_at(s->motion, tact_transform_make(s->start, s->rotation, (tact_vec3){1.0, 1.0, 1.0}), time);
    tact_vec3 plate[4];
    for (int k = 0; k < 4; k++)
        plate[k] = lerp(s->plate[frame][k], s->plate[frame + 1][k], t);
    for (size_t k = 0; k < s->a->sample_count; k++) {
        const tact_vec3 p = sample_at(s->a, &s->times, k, time);
        if (s->other == OTHER_SHEET && p.z >= sample_at(s->b, &s->times, k, time).z)
            return true;
        const tact_vec3 d = {p.x - at.origin.x, p.y - at.origin.y, p.z - at.origin.z};
        if (s->other == OTHER_BALL && sqrt(d.x * d.x + d.y * d.y + d.z * d.z) <= s->radius)
            return true;
        if (s->other == OTHER_BOX &&
            fabs(d.x * at.x_axis.x + d.y * at.x_axis.y + d.z * at.x_axis.z) <= 0.5 * s->box.x &&
            fabs(d.x * at.y_axis.x + d.y * at.y_axis.y + d.z * at.y_axis.z) <= 0.5 * s->box.y &&
            fabs(d.x * at.z_axis.x + d.y * at.z_axis.y + d.z * at.z_axis.z) <= 0.5 * s->box.z)
            return true;
        if (s->other == OTHER_MESH) { /* above the triangle over it; the other side of the square is at the diagonal */
            const double x = (p.x + 3.0) / 6.0, y = (p.y + 3.0) / 6.0;
            const double z = x + y <= 1.0 ? plate[0].z + x * (plate[1].z - plate[0].z) + y * (plate[2].z - plate[0].z)
                                          : plate[3].z + (1.0 - x) * (plate[2].z - plate[3].z) +
                                                (1.0 - y) * (plate[1].z - plate[3].z);
            if (p.z >= z)
                return true;
        }
    }
    return false;
}

/* The true distance at a time: bounds that tact_nurbs_distance proves. */
static tact_nurbs_separation distance_at(const scene *s, const tact_world *world, tact_body other, double time)
{
    tact_shape *a = shape_at_time(s->a, &s->times, time), *b;
    tact_transform at = tact_identity();
    double t;
    const int frame = find_frame(&s->times, time, &t);
    if (s->b != NULL) {
        b = shape_at_time(s->b, &s->times, time);
    } else if (s->other == OTHER_MESH) {
        tact_vec3 plate[4];
        for (int k = 0; k < 4; k++)
            plate[k] = lerp(s->plate[frame][k], s->plate[frame + 1][k], t);
        b = tact_mesh(plate, 4, (const uint32_t[6]){0, 1, 2, 1, 3, 2}, 2);
    } else {
        b = s->other == OTHER_BALL ? tact_sphere(s->radius) : tact_box(s->box.x, s->box.y, s->box.z);
        at = world != NULL
                 ? tact_body_get_transform(world, other)
                 : tact_motion_at(s->motion, tact_transform_make(s->start, s->rotation, (tact_vec3){1.0, 1.0, 1.0}),
                                  time);
    }
    const tact_nurbs_separation found = tact_nurbs_distance(a, tact_identity(), b, at, NULL);
    tact_shape_release(a);
    tact_shape_release(b);
    return found;
}

typedef struct case_counts {
    int touched, apart, rational, cubes, level_changes, separated;
    int by_other[OTHER_COUNT], by_mode[MODE_COUNT];
} case_counts;

/* A random scene in a world of its own. Returns as build. */
static int build_random(uint64_t seed, scene *s, tact_world **world, follower followers[2], tact_body *other)
{
    static moving_surface storage[2];
    make_scene(s, storage, seed);
    *world = tact_world_create(NULL);
    return build(s, *world, followers, other);
}

static void check_scene(uint64_t seed, case_counts *counts)
{
    scene s;
    tact_world *world;
    follower followers[2];
    tact_body other;
    const int moving = build_random(seed, &s, &world, followers, &other);
    const size_t vertices = tact_body_get_vertices(world, followers[0].body, NULL, 0);
    event_list list;
    run(world, followers, moving, &s.times, 1, &list);
    const double end = s.times.at[s.times.count - 1];

    /* never late */
    double sampled = INFINITY;
    for (int k = 0; k <= TIMES && sampled == INFINITY; k++)
        if (touches_at(&s, end * k / TIMES))
            sampled = end * k / TIMES;
    for (int k = 0; k <= 16 && s.other == OTHER_SWAYING && sampled == INFINITY; k++)
        if (distance_at(&s, NULL, other, end * k / 16.0).upper == 0.0)
            sampled = end * k / 16.0;
    const double first = list.count > 0 ? list.events[0].time : INFINITY;
    CHECK(first <= sampled, "the first touch is at %.17g, but at %.17g there is a contact", first, sampled);

    /* never far */
    const double reach = 2.0 * (s.tolerance[0] + s.tolerance[1]);
    for (int i = 0; i < list.count && i < 2; i++) {
        tact_world *unused = NULL;
        const tact_nurbs_separation d = distance_at(&s, unused, other, list.events[i].time);
        CHECK(d.lower <= reach + 1e-9, "touch %d at %.17g: they are %g apart, %g would be allowed", i,
              list.events[i].time, d.lower, reach);
    }
    for (int i = 0; i < list.count; i++)
        CHECK(list.events[i].a.index == followers[0].body.index && list.events[i].b.index == other.index,
              "the bodies of event %d", i);

    /* the same with more calls, bit for bit; and with other broad phases, up to rounding */
    for (int variant = 0; variant < 3; variant++) {
        const tact_kinetic engines[3] = {TACT_KINETIC_AUTO, TACT_KINETIC_SWEEP_AND_PRUNE, TACT_KINETIC_FAT_BOUNDS};
        tact_world *again = tact_world_create(NULL);
        assert_int_equal(tact_world_set_kinetic(again, engines[variant]), TACT_OK);
        follower same[2];
        event_list repeated;
        (void)build(&s, again, same, &other);
        run(again, same, moving, &s.times, variant == 0 ? 7 : 1, &repeated);
        CHECK(repeated.count == list.count, "%d events and %d", list.count, repeated.count);
        for (int i = 0; i < list.count; i++)
            CHECK(variant == 0 ? repeated.events[i].time == list.events[i].time
                               : fabs(repeated.events[i].time - list.events[i].time) < 1e-9,
                  "variant %d: event %d at %.17g and %.17g", variant, i, list.events[i].time, repeated.events[i].time);
        tact_world_release(again);
    }

    /* the control points are where they should be, and the shape is that of them */
    tact_vec3 points[MAX_POINTS];
    assert_int_equal(tact_body_get_control_points(world, followers[0].body, points, MAX_POINTS), s.a->body.point_count);
    const tact_vec3 *last = s.a->frames[s.times.count - 1];
    for (size_t i = 0; i < s.a->body.point_count; i++)
        CHECK(fabs(points[i].x - last[i].x) + fabs(points[i].y - last[i].y) + fabs(points[i].z - last[i].z) < 1e-12,
              "control point %zu", i);
    assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
    tact_shape *fresh = shape_at(s.a, points);
    CHECK(tact_mesh_get_size(fresh).vertices == tact_body_get_vertices(world, followers[0].body, NULL, 0),
          "the tessellation is not that of the control points");
    counts->level_changes += tact_mesh_get_size(fresh).vertices != vertices;
    tact_shape_release(fresh);

    counts->touched += list.count > 0;
    counts->apart += list.count == 0;
    counts->separated += list.count > 1;
    counts->rational += s.a->body.defs[0].weights != NULL;
    counts->cubes += s.is_cube;
    counts->by_other[s.other] += list.count > 0;
    counts->by_mode[s.mode] += list.count > 0;
    tact_world_release(world);
    free_scene(&s);
}

static void no_contact_is_missed_or_far(void **state)
{
    (void)state;
    case_counts counts = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(45); seed++)
        check_scene(seed, &counts);
    if (few_cases())
        return;
    assert_true(counts.touched >= 15 && counts.apart >= 12 && counts.separated >= 1);
    assert_true(counts.rational >= 10 && counts.cubes >= 4 && counts.level_changes >= 20);
    for (int i = 0; i < OTHER_COUNT; i++)
        assert_true(counts.by_other[i] >= 1);
    for (int i = 0; i < MODE_COUNT; i++)
        assert_true(counts.by_mode[i] >= 3);
}

/* ---- known cases ---- */

#define ROWS 4

static tact_vec3 sheet_points[ROWS * ROWS];

/* A sheet of degree 3, flat at z = 0, over [-1, 1]^2. */
static tact_shape *flat_sheet(double tolerance, const tact_allocator *allocator)
{
    static double knots[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    for (int i = 0; i < ROWS * ROWS; i++)
        sheet_points[i] =
            (tact_vec3){2.0 * (i / ROWS) / (ROWS - 1.0) - 1.0, 2.0 * (i % ROWS) / (ROWS - 1.0) - 1.0, 0.0};
    tact_nurbs_def def = {.degree = {3, 3},
                          .counts = {ROWS, ROWS},
                          .knots = {knots, knots},
                          .points = sheet_points,
                          .tolerance = tolerance};
    if (allocator != NULL)
        def.allocator = *allocator;
    return tact_nurbs(&def);
}

static tact_body add_flat_sheet(tact_world *world, double tolerance)
{
    tact_shape *shape = flat_sheet(tolerance, NULL);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
    tact_shape_release(shape);
    return body;
}

static tact_body add_ball(tact_world *world, double z, double speed)
{
    tact_shape *shape = tact_sphere(0.25);
    const tact_body body = tact_body_create(
        world,
        &(tact_body_def){.shape = shape, .transform = tact_at(0.1, 0.2, z), .motion = {.velocity = {0.0, 0.0, speed}}});
    tact_shape_release(shape);
    return body;
}

static void set_velocity(tact_world *world, tact_body body, tact_vec3 velocity)
{
    tact_vec3 velocities[ROWS * ROWS];
    for (int i = 0; i < ROWS * ROWS; i++)
        velocities[i] = velocity;
    assert_int_equal(tact_body_set_vertex_motion(world, body, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
}

static void a_flat_sheet_is_met_at_the_right_time(void **state)
{
    (void)state;
    for (int spins = 0; spins < 2; spins++) {
        tact_world *world = tact_world_create(NULL);
        const tact_body sheet = add_flat_sheet(world, 0.01);
        const tact_body ball = add_ball(world, 2.25, -1.5);
        if (spins == 1)
            assert_int_equal(
                tact_body_set_motion(world, ball, (tact_motion){.velocity = {0.0, 0.0, -1.5}, .spin = {1.0, 2.0, 3.0}}),
                TACT_OK);
        set_velocity(world, sheet, (tact_vec3){0.0, 0.0, 0.5}); /* flat: the error is that of rounding */
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_TOUCH);
        assert_true(e.time <= 1.0 && e.time > 1.0 - 1e-9);
        assert_true(fabs(e.point.z - 0.5) < 1e-6 && fabs(e.normal.z - 1.0) < 1e-6);
        tact_vec3 velocity;
        assert_true(fabs(tact_body_get_vertex_position(world, sheet, 5, &velocity).z - 0.5) < 1e-9);
        assert_true(velocity.z == 0.5);
        assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_NONE);
        /* the shape follows */
        assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
        const tact_bounds bounds = tact_body_get_bounds(world, sheet);
        assert_true(fabs(bounds.min.z - 1.5) < 1e-5 && fabs(bounds.max.z - 1.5) < 1e-5);
        assert_int_equal(tact_body_stop_vertices(world, sheet), TACT_OK);
        assert_false(tact_body_has_vertex_motion(world, sheet));
        assert_int_equal(tact_body_set_transform(world, sheet, tact_at(0.0, 0.0, 1.0)), TACT_OK);
        tact_world_release(world);
    }
}

/* Two curved sheets, closer than the sum of their errors, that move together: one touch. */
static void surfaces_that_stay_close_touch_once(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    tact_body sheets[2];
    for (int k = 0; k < 2; k++) {
        sheets[k] = add_flat_sheet(world, 0.02);
        tact_vec3 points[ROWS * ROWS];
        for (int i = 0; i < ROWS * ROWS; i++) {
            points[i] = sheet_points[i];
            points[i].z = 0.5 * points[i].x * points[i].x + 0.001 * k;
        }
        assert_int_equal(tact_body_move_control_points(world, sheets[k], 0, ROWS * ROWS, points), TACT_OK);
        set_velocity(world, sheets[k], (tact_vec3){0.3, 0.0, 0.7});
    }
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 5.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time == 0.0);
    assert_int_equal(tact_world_next_event(world, 5.0, &e), TACT_EVENT_NONE);
    /* they part, and come together again */
    set_velocity(world, sheets[1], (tact_vec3){0.3, 0.0, 1.7});
    assert_int_equal(tact_world_next_event(world, 6.0, &e), TACT_EVENT_NONE);
    set_velocity(world, sheets[1], (tact_vec3){0.3, 0.0, -0.3});
    assert_int_equal(tact_world_next_event(world, 8.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time > 6.9 && e.time <= 7.0);
    tact_world_release(world);
}

/* One point is moved while the others are far from where the shape was computed last: the sheet has no spike. */
static void one_point_moves_among_others(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_flat_sheet(world, 1e-6);
    tact_vec3 points[ROWS * ROWS], after[ROWS * ROWS];
    tact_event e;
    set_velocity(world, sheet, (tact_vec3){0.0, 0.0, 1e6});
    assert_int_equal(tact_world_next_event(world, 1.0, &e), TACT_EVENT_NONE);
    assert_int_equal(tact_body_get_control_points(world, sheet, points, ROWS * ROWS), ROWS * ROWS);
    assert_true(points[0].z == 1e6);
    points[5].z += 1e-3;
    assert_int_equal(tact_body_move_control_points(world, sheet, 5, 1, &points[5]), TACT_OK);
    assert_int_equal(tact_body_get_control_points(world, sheet, after, ROWS * ROWS), ROWS * ROWS);
    assert_memory_equal(points, after, sizeof points);
    tact_world_release(world);
}

/* Control points jump: contacts after the jump are reported at its time, those on the way are not. */
static void control_points_teleport(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_flat_sheet(world, 0.01);
    const tact_body low = add_ball(world, 1.0, 0.0), high = add_ball(world, 3.0, 0.0);
    tact_vec3 points[ROWS * ROWS];
    tact_event e;
    set_velocity(world, sheet, (tact_vec3){0.0, 0.0, 0.1});
    assert_int_equal(tact_world_next_event(world, 1.0, &e), TACT_EVENT_NONE);
    for (int i = 0; i < ROWS * ROWS; i++) /* beyond the low ball, through the high one */
        points[i] = (tact_vec3){sheet_points[i].x, sheet_points[i].y, 3.1};
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.positions = points}), TACT_OK);
    assert_int_equal(tact_world_next_event(world, 2.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time == 1.0 && e.b.index == high.index);
    assert_int_equal(tact_world_next_event(world, 2.0, &e), TACT_EVENT_NONE);
    /* by tact_body_move_control_points: they jump there and rest */
    for (int i = 0; i < ROWS * ROWS; i++)
        points[i].z = 1.1;
    assert_int_equal(tact_body_move_control_points(world, sheet, 0, ROWS * ROWS, points), TACT_OK);
    assert_true(tact_body_has_vertex_motion(world, sheet));
    assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time == 2.0 && e.b.index == low.index);
    assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_NONE);
    /* a few control points alone bend the sheet into the high ball; its division changes */
    const size_t before = tact_body_get_vertices(world, sheet, NULL, 0);
    const tact_vec3 up[4] = {{-0.3, -0.3, 9.0}, {-0.3, 0.3, 9.0}, {0.3, -0.3, 9.0}, {0.3, 0.3, 9.0}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            tact_body_set_vertex_motion(
                world, sheet,
                &(tact_vertex_motion){.first = i == 0 ? 5 : 9, .count = 2, .targets = up + 2 * i, .end_time = 4.0}),
            TACT_OK);
    assert_int_equal(tact_world_next_event(world, 5.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time > 3.1 && e.time < 3.7 && e.b.index == high.index);
    assert_int_equal(tact_world_next_event(world, 5.0, &e), TACT_EVENT_NONE);
    assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
    assert_true(tact_body_get_vertices(world, sheet, NULL, 0) > 2 * before);
    tact_world_release(world);
}

/* A flapping sheet in a loop that does not close: it jumps back, and meets the ball in each repetition. */
static void a_loop_meets_a_ball_each_time(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_flat_sheet(world, 0.01);
    (void)add_ball(world, 1.0, 0.0);
    tact_vec3 frames[2][ROWS * ROWS];
    for (int i = 0; i < ROWS * ROWS; i++) {
        frames[0][i] = frames[1][i] = sheet_points[i];
        frames[1][i].z = 4.0 - 2.0 * sheet_points[i].x * sheet_points[i].x;
    }
    tact_animation *flap = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = frames, .count = ROWS * ROWS}, .frame_count = 2}, NULL);
    assert_int_equal(tact_body_play(world, sheet, flap, &(tact_play_def){.loop = true}), TACT_OK);
    tact_animation_release(flap);
    double times[8];
    int count = 0;
    for (tact_event e; tact_world_next_event(world, 5.0, &e) == TACT_EVENT_TOUCH && count < 8;)
        times[count++] = e.time;
    assert_int_equal(count, 5);
    for (int i = 1; i < count; i++)
        assert_true(fabs(times[i] - times[i - 1] - 1.0) < 1e-9);
    tact_world_release(world);
}

static void bad_input_changes_nothing(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_flat_sheet(world, 0.01);
    tact_vec3 values[ROWS * ROWS + 1] = {{0.0, 0.0, 0.0}};
    values[3].y = NAN;
    assert_int_equal(tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.velocities = values}),
                     TACT_BAD_ARGUMENT);
    values[3].y = 0.0;
    assert_int_equal(tact_body_set_vertex_motion(world, sheet,
                                                 &(tact_vertex_motion){.count = ROWS * ROWS + 1, .velocities = values}),
                     TACT_BAD_ARGUMENT);
    /* as many values as the tessellation has vertices is wrong, too */
    tact_animation *wrong = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = values, .count = ROWS * ROWS + 1}, .frame_count = 1}, NULL);
    assert_int_equal(tact_body_play(world, sheet, wrong, NULL), TACT_BAD_ARGUMENT);
    tact_animation_release(wrong);
    assert_false(tact_body_has_vertex_motion(world, sheet));
    set_velocity(world, sheet, (tact_vec3){0.0, 0.0, 1.0});
    assert_int_equal(tact_body_set_transform(world, sheet, tact_at(0.0, 0.0, 1.0)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, sheet, 10, 10, values), TACT_BAD_ARGUMENT);
    /* a motion that would need too many triangles: the call fails when the window begins, and the motion can be
     * changed */
    for (int i = 0; i < ROWS * ROWS; i++)
        values[i] = (tact_vec3){sheet_points[i].x * 1e9, sheet_points[i].y * 1e9, i % 3 * 1e9};
    tact_event e;
    assert_int_equal(
        tact_body_set_vertex_motion(world, sheet, &(tact_vertex_motion){.targets = values, .end_time = 1.0}), TACT_OK);
    assert_int_equal(tact_world_next_event(world, 2.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_BAD_ARGUMENT);
    assert_true(tact_world_get_time(world) == 0.0);
    set_velocity(world, sheet, (tact_vec3){0.0, 0.0, 1.0});
    assert_int_equal(tact_world_next_event(world, 2.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    tact_body_remove(world, sheet);
    assert_int_equal(tact_world_next_event(world, 3.0, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    tact_world_release(world);
}

/* ---- saved worlds and recordings ---- */

/* A world that is saved in the middle of a piece and restored: no contact is missed or far. */
static void saved_in_the_middle(void **state)
{
    (void)state;
    int later = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(40); seed++) {
        if (seed / OTHER_COUNT % MODE_COUNT != MODE_PLAY || seed % OTHER_COUNT <= OTHER_SWAYING)
            continue;
        scene s;
        tact_world *world;
        follower followers[2];
        tact_body other;
        const int moving = build_random(seed, &s, &world, followers, &other);
        for (int i = 0; i < moving; i++)
            begin_piece(world, &followers[i], &s.times, 0);
        const double end = s.times.at[s.times.count - 1], middle = 0.37 * end;
        tact_event e;
        event_list lists[2] = {{.count = 0}, {.count = 0}};
        while (tact_world_next_event(world, middle, &e) == TACT_EVENT_TOUCH) {
        }
        tact_bytes bytes = {0};
        tact_report report;
        assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, &report), TACT_OK);
        tact_world *worlds[2] = {world, tact_world_restore(bytes.data, bytes.size, NULL, &report)};
        CHECK(worlds[1] != NULL, "%s", report.text);
        for (int k = 0; k < 2; k++)
            while (tact_world_next_event(worlds[k], end, &e) == TACT_EVENT_TOUCH)
                lists[k].events[lists[k].count++] = e;
        CHECK(lists[0].count == lists[1].count, "%d and %d events", lists[0].count, lists[1].count);
        for (int i = 0; i < lists[0].count; i++) {
            const double t = lists[1].events[i].time;
            const tact_nurbs_separation d = distance_at(&s, NULL, other, t);
            CHECK(d.lower <= 2.0 * s.tolerance[0] + 1e-9, "%g apart", d.lower);
            CHECK(fabs(lists[0].events[i].time - t) < 0.2, "at %.17g and %.17g", lists[0].events[i].time, t);
            later++;
        }
        tact_vec3 points[2][MAX_POINTS];
        for (int k = 0; k < 2; k++)
            (void)tact_body_get_control_points(worlds[k], followers[0].body, points[k], MAX_POINTS);
        CHECK(memcmp(points[0], points[1], s.a->body.point_count * sizeof points[0][0]) == 0, "control points");
        tact_world_release(worlds[0]);
        tact_world_release(worlds[1]);
        tact_bytes_release(&bytes);
        free_scene(&s);
    }
    assert_true(few_cases() || later >= 3);
}

static void recordings_are_replayed(void **state)
{
    (void)state;
    tact_world *world = tact_world_create(NULL);
    const tact_body sheet = add_flat_sheet(world, 0.01);
    (void)add_ball(world, 1.0, 0.0);
    (void)add_ball(world, 3.0, -0.1);
    set_velocity(world, sheet, (tact_vec3){0.0, 0.0, 0.2});
    tact_event e;
    assert_int_equal(tact_world_next_event(world, 1.0, &e), TACT_EVENT_NONE);
    tact_bytes bytes = {0};
    tact_report report;
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&bytes), NULL, &report);
    assert_non_null(record);
    int touches = 0;
    for (int part = 0; part < 4; part++) {
        while (tact_world_next_event(world, 2.0 + part, &e) == TACT_EVENT_TOUCH)
            touches++;
        if (part == 0) {
            set_velocity(world, sheet, (tact_vec3){0.0, 0.0, 1.0});
        } else if (part == 1) {
            assert_int_equal(
                tact_body_move_control_points(world, sheet, 5, 2, (tact_vec3[]){{-0.3, -0.3, 0.5}, {-0.3, 0.3, 0.6}}),
                TACT_OK);
        } else if (part == 2) {
            assert_int_equal(tact_body_stop_vertices(world, sheet), TACT_OK);
        }
        (void)tact_world_test(world);
    }
    assert_true(touches >= 2);
    assert_int_equal(tact_record_end(record, &report), TACT_OK);
    tact_world_release(world);
    tact_replay *replay = tact_replay_begin(bytes.data, bytes.size, NULL, &report);
    assert_non_null(replay);
    const tact_replay_state end = tact_replay_run(replay, &report);
    if (end != TACT_REPLAY_END)
        print_error("%s\n", report.text);
    assert_int_equal(end, TACT_REPLAY_END);
    tact_replay_release(replay);
    tact_bytes_release(&bytes);
}

/* ---- memory ---- */

/* A sheet of moving control points that meets a ball and then a sheet of moving vertices, until both have touched.
 * Returns the number of events, or -1 if a call failed before. */
static int run_scene(tact_allocator allocator)
{
    tact_world *world = tact_world_create(&(tact_world_def){.allocator = allocator});
    tact_shape *surface = flat_sheet(0.3, &allocator), *sphere = tact_sphere(0.25),
               *mesh = tact_mesh((const tact_vec3[]){{-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}}, 3,
                                 (const uint32_t[]){0, 1, 2}, 1);
    int events = -1;
    if (world == NULL || surface == NULL)
        goto done;
    const tact_body sheets[2] = {tact_body_create(world, &(tact_body_def){.shape = surface, .deformable = true}),
                                 tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true})};
    const tact_body ball =
        tact_body_create(world, &(tact_body_def){.shape = sphere, .transform = tact_at(0.5, 0.5, 0.8)});
    if (sheets[0].generation == 0 || sheets[1].generation == 0 || ball.generation == 0)
        goto done;
    tact_vec3 targets[ROWS * ROWS];
    for (int i = 0; i < ROWS * ROWS; i++)
        targets[i] = (tact_vec3){sheet_points[i].x, sheet_points[i].y, 3.0 - sheet_points[i].x * sheet_points[i].x};
    const tact_vec3 velocities[3] = {{0.0, 0.0, -0.5}, {0.0, 0.1, -0.5}, {0.0, 0.0, -0.6}};
    for (int k = 0; k < 2; k++)
        for (;;) {
            const tact_status status =
                tact_body_set_vertex_motion(world, sheets[k],
                                            k == 0 ? &(tact_vertex_motion){.targets = targets, .end_time = 1.0}
                                                   : &(tact_vertex_motion){.velocities = velocities});
            if (status == TACT_OK)
                break;
            assert_int_equal(status, TACT_OUT_OF_MEMORY); /* once: repeated */
        }
    for (events = 0; events < 2;) {
        tact_event e;
        const tact_event_kind kind = tact_world_next_event(world, 1.0, &e);
        if (kind == TACT_EVENT_NONE && e.status == TACT_OUT_OF_MEMORY)
            continue;
        assert_int_equal(e.status, TACT_OK);
        assert_int_equal(kind, TACT_EVENT_TOUCH);
        events++;
    }
    for (tact_status status = TACT_OUT_OF_MEMORY; status != TACT_OK;) {
        status = tact_body_stop_vertices(world, sheets[0]);
        assert_true(status == TACT_OK || status == TACT_OUT_OF_MEMORY);
    }
done:
    tact_shape_release(surface);
    tact_shape_release(sphere);
    tact_shape_release(mesh);
    tact_world_release(world);
    return events;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing_allocator memory = {0};
    const int expected = run_scene(failing_allocator_make(&memory));
    assert_int_equal(expected, 2);
    assert_int_equal(memory.held, 0);
    const long calls = memory.calls;
    assert_true(calls > 100);
    int complete = 0;
    for (long i = 1; i <= calls; i++) {
        memory = (failing_allocator){.fail_at = i};
        const int events = run_scene(failing_allocator_make(&memory));
        assert_int_equal(memory.held, 0);
        if (events >= 0 && events != expected)
            print_error("allocation %ld: %d events instead of %d\n", i, events, expected);
        assert_true(events < 0 || events == expected);
        complete += events >= 0;
    }
    assert_true(complete > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_contact_is_missed_or_far),
                                       cmocka_unit_test(a_flat_sheet_is_met_at_the_right_time),
                                       cmocka_unit_test(surfaces_that_stay_close_touch_once),
                                       cmocka_unit_test(control_points_teleport),
                                       cmocka_unit_test(one_point_moves_among_others),
                                       cmocka_unit_test(a_loop_meets_a_ball_each_time),
                                       cmocka_unit_test(bad_input_changes_nothing),
                                       cmocka_unit_test(saved_in_the_middle),
                                       cmocka_unit_test(recordings_are_replayed),
                                       cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
