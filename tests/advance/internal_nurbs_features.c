/*
 * Feature events of NURBS bodies whose control points move. Random sheets, tubes and cubes against themselves, a mesh
 * with moving vertices, a rigid mesh and another sheet; cells are divided on the way, and control points jump. The
 * windows of the motion are observed, and the exact oracle of oracle/animation_events.h tests all pairs of their
 * triangles: every contact is reported, once, and no other. The windows themselves are compared with the surfaces:
 * vertices are points of them, at both ends, and a vertex that is new was on the triangles before.
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

#include "advance/advance.h"
#include "advance/deforming_pair.h"
#include "advance/surface_motion.h"
#include "math/vec.h"
#include "oracle/animation_events.h"
#include "support/failing_allocator.h"
#include "support/nurbs_bodies.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum {
    MAX_POINTS = 150,
    MAX_FRAMES = 4,
    MAX_WINDOWS = 40,
    MAX_VERTICES = 6000,
    MAX_TRIANGLES = 20000,
    MAX_EVENTS = 40000,
    OTHER_VERTICES = 4
};

static tact_vec3 lerp(tact_vec3 a, tact_vec3 b, double t)
{
    return (tact_vec3){(1.0 - t) * a.x + t * b.x, (1.0 - t) * a.y + t * b.y, (1.0 - t) * a.z + t * b.z};
}

static double distance(tact_vec3 a, tact_vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* ---- scenes ---- */

typedef enum scene_kind { WITH_ITSELF, WITH_MESH, WITH_RIGID, WITH_SHEET, SCENE_KINDS } scene_kind;
typedef enum scene_motion { PLAYED, LOOPED, TARGETS, VELOCITIES, SCENE_MOTIONS } scene_motion;
typedef enum scene_shape { SHEET, TUBE, CUBE, TRIMMED, SCENE_SHAPES } scene_shape; /* TRIMMED: a sheet */

enum { MAX_TRIM = 9 };

typedef struct moving_nurbs {
    nurbs_body body;
    double trim_points[MAX_TRIM + 1][2], trim_knots[MAX_TRIM + 3]; /* a polygon */
    tact_nurbs_curve trim_curve;
    tact_nurbs_loop trim;
    tact_vec3 frames[MAX_FRAMES][MAX_POINTS];
} moving_nurbs;

typedef struct scene {
    scene_kind kind;
    scene_motion motion;
    scene_shape shape;
    moving_nurbs surfaces[2];
    int surface_count, frame_count;
    double times[MAX_FRAMES], end;
    tact_vec3 mesh[MAX_FRAMES][OTHER_VERTICES];
    tact_vec3 velocity; /* of the rigid mesh */
} scene;

static const uint32_t mesh_faces[2][3] = {{0, 1, 2}, {1, 3, 2}};

static void set_frames(moving_nurbs *s, scene_shape shape, int frame_count, double z, random_source *random)
{
    for (int f = 0; f < frame_count; f++)
        for (size_t i = 0; i < s->body.point_count; i++) {
            const tact_vec3 p = s->body.points[i];
            const double far = (shape == SHEET || shape == TRIMMED ? 0.35 : 0.25) * f;
            tact_vec3 at = {p.x + far * random_range(random, -1.0, 1.0), p.y + far * random_range(random, -1.0, 1.0),
                            p.z + z + far * random_range(random, -1.0, 1.0)};
            s->frames[f][i] = at;
        }
    if (shape == SHEET || shape == TRIMMED)
        return;
    for (size_t i = 0; i < s->body.point_count; i++) /* what is joined stays so: the nearest equal point moves alike */
        for (size_t k = 0; k < i; k++)
            if (distance(s->body.points[i], s->body.points[k]) < 1e-12) {
                for (int f = 0; f < frame_count; f++)
                    s->frames[f][i] = s->frames[f][k];
                break;
            }
}

/* Trims a sheet by a star-shaped polygon in the middle: that is what remains. */
static void trim_sheet(moving_nurbs *s, random_source *random)
{
    const tact_nurbs_def *def = s->body.defs;
    const int corners = random_between(random, 3, MAX_TRIM);
    double low[2], high[2];
    for (int d = 0; d < 2; d++) {
        low[d] = def->knots[d][def->degree[d]];
        high[d] = def->knots[d][def->counts[d]];
    }
    for (int i = 0; i <= corners; i++) {
        const double angle = 2.0 * NURBS_BODY_PI * (i % corners) / corners,
                     radius = i < corners ? random_range(random, 0.25, 0.49) : 0.0;
        for (int d = 0; d < 2; d++)
            s->trim_points[i][d] =
                i == corners ? s->trim_points[0][d]
                             : low[d] + (high[d] - low[d]) * (0.5 + radius * (d == 0 ? cos(angle) : sin(angle)));
        s->trim_knots[i + 1] = i;
    }
    s->trim_knots[0] = 0.0;
    s->trim_knots[corners + 2] = corners;
    s->trim_curve = (tact_nurbs_curve){.degree = 1,
                                       .count = (size_t)corners + 1,
                                       .knots = s->trim_knots,
                                       .points = (const double(*)[2])s->trim_points};
    s->trim = (tact_nurbs_loop){&s->trim_curve, 1};
    s->body.defs[0].trims = &s->trim;
    s->body.defs[0].trim_count = 1;
}

static void make_scene(scene *s, uint64_t seed)
{
    random_source random = random_seed(seed);
    memset(s, 0, sizeof *s);
    s->kind = (scene_kind)(seed % SCENE_KINDS);
    s->motion = (scene_motion)(seed / SCENE_KINDS % SCENE_MOTIONS);
    s->shape = (scene_shape)(seed / 3 % SCENE_SHAPES);
    s->surface_count = s->kind == WITH_SHEET ? 2 : 1;
    s->frame_count = random_between(&random, 2, s->motion == VELOCITIES ? 3 : MAX_FRAMES);
    for (int i = 1; i < s->frame_count; i++)
        s->times[i] = s->times[i - 1] + random_range(&random, 0.2, 1.0);
    s->end = s->times[s->frame_count - 1] * (s->motion == LOOPED ? 1.7 : 1.1);
    for (int k = 0; k < s->surface_count; k++) {
        const double tolerance = random_range(&random, 0.25, 0.6);
        const int degree = random_between(&random, 2, 3);
        nurbs_body *b = &s->surfaces[k].body;
        if (k == 1 || s->shape == SHEET || s->shape == TRIMMED)
            *b = nurbs_body_sheet(degree, (size_t)degree + 1 + (size_t)random_between(&random, 0, 1),
                                  (size_t)degree + 1, tolerance);
        else if (s->shape == TUBE)
            *b = nurbs_body_tube(2, 5, 4, random_chance(&random, 0.5) ? 0.0 : 0.3, 0.5, tolerance);
        else
            *b = nurbs_body_cube(2, 3, 0.3, tolerance);
        if (k == 0 && s->shape == TRIMMED)
            trim_sheet(&s->surfaces[k], &random);
        set_frames(&s->surfaces[k], k == 1 ? SHEET : s->shape, s->frame_count, 0.4 * k, &random);
    }
    for (int f = 0; f < s->frame_count; f++)
        for (int i = 0; i < OTHER_VERTICES; i++)
            s->mesh[f][i] = (tact_vec3){1.4 * (i % 2) - 0.2 + random_range(&random, -0.2, 0.2),
                                        1.4 * (i / 2) - 0.2 + random_range(&random, -0.2, 0.2),
                                        0.5 - 0.5 * f + random_range(&random, -0.3, 0.3)};
    s->velocity = (tact_vec3){random_range(&random, -0.1, 0.1), random_range(&random, -0.1, 0.1), -0.6};
}

static void free_scene(scene *s)
{
    for (int k = 0; k < s->surface_count; k++)
        nurbs_body_free(&s->surfaces[k].body);
}

static tact_shape *surface_shape(moving_nurbs *s, const tact_vec3 *points)
{
    memcpy(s->body.points, points, s->body.point_count * sizeof *points);
    return tact_nurbs_create(s->body.defs, (size_t)s->body.count, NULL);
}

/* ---- what happened ---- */

typedef struct observed_window {
    surface_window *window; /* a reference */
    double until;
    nurbs_origin *origins; /* of its vertices in the window before; NULL: the cells are the same */
    uint32_t *numbers;     /* of its vertices in the oracle, unless the cells are the same */
} observed_window;

typedef struct found_event {
    double lower, upper;
    tact_ccd_kind kind;
    uint32_t index[4]; /* as in brute_event */
} found_event;

typedef struct run {
    scene *s;
    tact_world *world;
    tact_body bodies[2]; /* of the scene: the surface, and the other body if there is one */
    observed_window windows[2][MAX_WINDOWS];
    int window_counts[2];
    tact_event *events;
    surface_window *(*event_surfaces)[2]; /* references: in whose numbers the event is, of A and of B */
    size_t event_count, touch_count;
    double changed_at; /* VELOCITIES: when control points jumped */
} run;

static const tact_vec3 *frame_of(const scene *s, int k, int frame) { return s->surfaces[k].frames[frame]; }

/* The surface k of the scene gets its motion at a key frame. */
static void begin_piece(run *r, int k, int frame)
{
    const scene *s = r->s;
    const size_t count = s->surfaces[k].body.point_count;
    tact_vec3 velocities[MAX_POINTS], packed[MAX_FRAMES * MAX_POINTS];
    tact_status status = TACT_OK;
    if (s->motion == TARGETS && frame + 1 < s->frame_count)
        status = tact_body_set_vertex_motion(
            r->world, r->bodies[k],
            &(tact_vertex_motion){.targets = frame_of(s, k, frame + 1), .end_time = s->times[frame + 1]});
    for (size_t i = 0; i < count && frame + 1 < s->frame_count; i++) {
        const double duration = s->times[frame + 1] - s->times[frame];
        const tact_vec3 from = frame_of(s, k, frame)[i], to = frame_of(s, k, frame + 1)[i];
        velocities[i] = (tact_vec3){(to.x - from.x) / duration, (to.y - from.y) / duration, (to.z - from.z) / duration};
    }
    if (s->motion == VELOCITIES && frame + 1 < s->frame_count) /* the last key frame is left in the same direction */
        status = tact_body_set_vertex_motion(r->world, r->bodies[k], &(tact_vertex_motion){.velocities = velocities});
    if (s->motion <= LOOPED && frame == 0) {
        for (int f = 0; f < s->frame_count; f++)
            memcpy(packed + (size_t)f * count, frame_of(s, k, f), count * sizeof *packed);
        tact_animation *a = tact_animation_create(&(tact_animation_def){.vertices = {.data = packed, .count = count},
                                                                        .frame_count = (size_t)s->frame_count,
                                                                        .times = s->times},
                                                  NULL);
        status = tact_body_play(r->world, r->bodies[k], a, &(tact_play_def){.loop = s->motion == LOOPED});
        tact_animation_release(a);
    }
    assert_int_equal(status, TACT_OK);
}

static void build(run *r, tact_deforming_engine engine)
{
    scene *s = r->s;
    r->world = tact_world_create(NULL);
    assert_int_equal(tact_world_set_deforming_engine(r->world, engine), TACT_OK);
    for (int k = 0; k < s->surface_count; k++) {
        tact_shape *shape = surface_shape(&s->surfaces[k], frame_of(s, k, 0));
        assert_non_null(shape);
        r->bodies[k] = tact_body_create(
            r->world, &(tact_body_def){.shape = shape, .deformable = true, .self_collision = s->kind == WITH_ITSELF});
        tact_shape_release(shape);
        assert_int_equal(tact_body_set_feature_events(r->world, r->bodies[k], true), TACT_OK);
    }
    if (s->kind == WITH_MESH || s->kind == WITH_RIGID) {
        tact_shape *shape = tact_mesh(s->mesh[0], OTHER_VERTICES, mesh_faces[0], 2);
        tact_body_def def = {.shape = shape, .deformable = s->kind == WITH_MESH};
        if (s->kind == WITH_RIGID)
            def.motion.velocity = s->velocity;
        r->bodies[1] = tact_body_create(r->world, &def);
        tact_shape_release(shape);
    }
    for (int k = 0; k < s->surface_count; k++)
        begin_piece(r, k, 0);
    if (s->kind == WITH_MESH) {
        tact_animation *a =
            tact_animation_create(&(tact_animation_def){.vertices = {.data = s->mesh, .count = OTHER_VERTICES},
                                                        .frame_count = (size_t)s->frame_count,
                                                        .times = s->times},
                                  NULL);
        assert_int_equal(tact_body_play(r->world, r->bodies[1], a, NULL), TACT_OK);
        tact_animation_release(a);
    }
}

/* Keeps the windows that the surfaces have now, if they are new. */
static void observe(run *r)
{
    for (int k = 0; k < r->s->surface_count; k++) {
        surface_window *w = r->world->advance->cold.items[r->bodies[k].index].surface;
        const int count = r->window_counts[k];
        assert_non_null(w);
        if (count > 0 && r->windows[k][count - 1].window == w)
            continue;
        assert_true(count < MAX_WINDOWS);
        observed_window *o = &r->windows[k][r->window_counts[k]++];
        *o = (observed_window){.window = tact_surface_window_retain(w), .until = INFINITY};
        if (count == 0)
            continue;
        observed_window *last = &r->windows[k][count - 1];
        last->until = w->begin;
        if (w->edition == last->window->edition)
            continue;
        o->origins = calloc(w->tessellation.vertices.count, sizeof *o->origins);
        assert_non_null(o->origins);
        assert_true(tact_nurbs_find_origins(&w->tessellation, &last->window->tessellation, o->origins));
    }
}

/* The pair that an event belongs to. */
static const deforming_pair *pair_of(const run *r, const tact_event *e)
{
    const advance *ad = r->world->advance;
    if (e->a.index == e->b.index)
        return ad->predictions.items[ad->cold.items[e->a.index].self_prediction - 1].deforming;
    const uint32_t slot = tact_neighbours_find(&ad->neighbours, e->a.index, e->b.index);
    assert_true(slot != NEIGHBOUR_NONE);
    return ad->predictions.items[neighbours_of(&ad->neighbours, e->a.index).items[slot].data].deforming;
}

static void advance_to(run *r, double until)
{
    tact_event e;
    while (tact_world_next_event(r->world, until, &e) != TACT_EVENT_NONE) {
        if (e.kind == TACT_EVENT_TOUCH) {
            r->touch_count++;
            continue;
        }
        assert_int_equal(e.kind, TACT_EVENT_FEATURES);
        assert_true(r->event_count < MAX_EVENTS);
        const deforming_pair *pair = pair_of(r, &e);
        const uint32_t lower = e.a.index < e.b.index ? e.a.index : e.b.index;
        r->events[r->event_count] = e;
        for (int i = 0; i < 2; i++)
            r->event_surfaces[r->event_count][i] =
                tact_surface_window_retain(pair->surfaces[(i == 0 ? e.a.index : e.b.index) == lower ? 0 : 1]);
        r->event_count++;
    }
    assert_int_equal(e.status, TACT_OK);
}

/* When the windows of the surfaces end. */
static double windows_end(const run *r)
{
    double end = INFINITY;
    for (int k = 0; k < r->s->surface_count; k++)
        end = fmin(end, r->windows[k][r->window_counts[k] - 1].window->end);
    return end;
}

/* Runs to a time, from window to window. `save`: the world is saved and restored at each window. */
static void run_windows(run *r, double until, bool save)
{
    for (;;) {
        advance_to(r, tact_world_get_time(r->world));
        observe(r);
        const double end = windows_end(r);
        if (save) {
            tact_bytes bytes = {0};
            tact_report report;
            advance_to(r, tact_world_get_time(r->world) + 0.37 * (fmin(end, until) - tact_world_get_time(r->world)));
            assert_int_equal(tact_world_save(r->world, tact_bytes_sink(&bytes), NULL, &report), TACT_OK);
            tact_world_release(r->world);
            r->world = tact_world_restore(bytes.data, bytes.size, NULL, &report);
            if (r->world == NULL)
                print_error("%s\n", report.text);
            assert_non_null(r->world);
            tact_bytes_release(&bytes);
        }
        if (!(end < until)) {
            advance_to(r, until);
            return;
        }
        advance_to(r, end);
        advance_to(r, nextafter(end, INFINITY));
    }
}

static void run_scene(run *r, tact_deforming_engine engine, bool save)
{
    scene *s = r->s;
    build(r, engine);
    if (s->motion == TARGETS || s->motion == VELOCITIES) {
        for (int frame = 0; frame + 1 < s->frame_count; frame++) {
            const bool last = frame + 2 == s->frame_count;
            run_windows(r, last ? s->end : s->times[frame + 1], save);
            for (int k = 0; k < s->surface_count && !last; k++) {
                begin_piece(r, k, frame + 1);
                if (s->motion == VELOCITIES) { /* some jump besides */
                    tact_vec3 to[2] = {s->surfaces[k].frames[0][0], s->surfaces[k].frames[0][1]};
                    if (s->shape == SHEET || s->shape == TRIMMED)
                        assert_int_equal(
                            tact_body_set_vertex_motion(r->world, r->bodies[k],
                                                        &(tact_vertex_motion){.first = 0, .count = 2, .positions = to}),
                            TACT_OK);
                }
            }
        }
    } else {
        run_windows(r, s->end, save);
    }
}

static void free_run(run *r)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < r->window_counts[k]; i++) {
            tact_surface_window_release(r->windows[k][i].window);
            free(r->windows[k][i].origins);
            free(r->windows[k][i].numbers);
        }
    for (size_t i = 0; i < r->event_count; i++)
        for (int k = 0; k < 2; k++)
            tact_surface_window_release(r->event_surfaces[i][k]);
    tact_world_release(r->world);
    free(r->events);
    free(r->event_surfaces);
}

static void prepare_run(run *r, scene *s)
{
    memset(r, 0, sizeof *r);
    r->s = s;
    r->events = calloc(MAX_EVENTS, sizeof *r->events);
    r->event_surfaces = calloc(MAX_EVENTS, sizeof *r->event_surfaces);
    assert_non_null(r->events);
    assert_non_null(r->event_surfaces);
}

/* ---- the oracle ---- */

/* All triangles of all windows, with one number for each point of a surface. */
typedef struct animation {
    uint64_t keys[2][MAX_VERTICES];
    uint32_t key_counts[2];
    uint32_t first[2]; /* vertex of each body */
    brute_piece *pieces;
    size_t piece_count, *first_piece;
    uint32_t (*triangles)[3];
    brute_life *lives;
    size_t triangle_count;
} animation;

static uint32_t number_of(const animation *a, int k, const surface_window *w, uint32_t vertex)
{
    const nurbs_vertex *v = &w->tessellation.vertices.items[vertex];
    const uint64_t key = tact_nurbs_vertex_key(w->tessellation.model, v->patch, v->x, v->y);
    uint32_t i = 0;
    while (i < a->key_counts[k] && a->keys[k][i] != key)
        i++;
    return i;
}

/* The vertex of a window with a number; UINT32_MAX: none. */
static uint32_t vertex_of(const observed_window *o, uint32_t number)
{
    for (uint32_t v = 0; v < o->window->tessellation.vertices.count; v++)
        if (o->numbers[v] == number)
            return v;
    return UINT32_MAX;
}

static void add_piece(animation *a, linear_path path, double begin, double end)
{
    if (begin < end)
        a->pieces[a->piece_count++] = (brute_piece){path, begin, end};
}

/* The pieces of a point of surface k. Before it is a vertex it rests where it begins. */
static void add_vertex_pieces(const run *r, animation *a, int k, uint32_t number)
{
    bool exists = false;
    double begin = 0.0;
    uint32_t before = UINT32_MAX;
    for (int i = 0; i < r->window_counts[k]; i++) {
        const observed_window *o = &r->windows[k][i];
        const double until = fmin(o->until, r->s->end);
        uint32_t v = before;
        if (i == 0 || o->origins != NULL)
            v = vertex_of(o, number);
        if (v == UINT32_MAX)
            continue;
        if (!exists && i > 0) {
            const nurbs_origin *origin = &o->origins[v];
            assert_true(origin->count > 1 || (origin->count == 0 && r->s->shape == TRIMMED));
            const linear_path now = surface_window_path(o->window, v);
            tact_vec3 at = {0.0, 0.0, 0.0};
            if (origin->count == 0) /* it was where it is */
                at = linear_path_at(&now, o->window->begin);
            for (uint32_t c = 0; c < origin->count; c++) {
                const linear_path path = surface_window_path(o[-1].window, origin->vertex[c]);
                const tact_vec3 p = linear_path_at(&path, o->window->begin);
                at = (tact_vec3){at.x + origin->weight[c] * p.x, at.y + origin->weight[c] * p.y,
                                 at.z + origin->weight[c] * p.z};
            }
            add_piece(a, linear_path_at_rest(at, 0.0), begin, o->window->begin);
        }
        exists = true;
        before = v;
        add_piece(a, surface_window_path(o->window, v), o->window->begin, until);
    }
    assert_true(exists);
}

static void add_triangles(const run *r, animation *a, int k)
{
    for (int i = 0; i < r->window_counts[k]; i++) {
        const observed_window *o = &r->windows[k][i];
        if (i > 0 && o->origins == NULL)
            continue;
        double until = r->s->end;
        for (int n = i + 1; n < r->window_counts[k]; n++)
            if (r->windows[k][n].origins != NULL) {
                until = r->windows[k][n].window->begin;
                break;
            }
        const nurbs_tessellation *t = &o->window->tessellation;
        for (size_t f = 0; f < t->triangles.count; f++) {
            assert_true(a->triangle_count < MAX_TRIANGLES);
            for (int c = 0; c < 3; c++)
                a->triangles[a->triangle_count][c] = a->first[k] + o->numbers[t->triangles.items[f].vertex[c]];
            a->lives[a->triangle_count++] = (brute_life){i == 0 ? 0.0 : o->window->begin, until};
        }
    }
}

static void make_animation(run *r, animation *a)
{
    const scene *s = r->s;
    memset(a, 0, sizeof *a);
    for (int k = 0; k < s->surface_count; k++) {
        for (int i = 0; i < r->window_counts[k]; i++) {
            observed_window *o = &r->windows[k][i];
            const nurbs_tessellation *t = &o->window->tessellation;
            if (i > 0 && o->origins == NULL)
                continue;
            o->numbers = calloc(t->vertices.count, sizeof *o->numbers);
            assert_non_null(o->numbers);
            for (uint32_t v = 0; v < t->vertices.count; v++) {
                const nurbs_vertex *at = &t->vertices.items[v];
                o->numbers[v] = number_of(a, k, o->window, v);
                assert_true(a->key_counts[k] < MAX_VERTICES);
                if (o->numbers[v] == a->key_counts[k])
                    a->keys[k][a->key_counts[k]++] = tact_nurbs_vertex_key(t->model, at->patch, at->x, at->y);
            }
        }
        a->first[1] += k == 0 ? a->key_counts[0] : 0;
    }
    const uint32_t count = a->key_counts[0] + (s->kind == WITH_ITSELF  ? 0
                                               : s->kind == WITH_SHEET ? a->key_counts[1]
                                                                       : OTHER_VERTICES);
    a->pieces = calloc((size_t)count * (MAX_WINDOWS + MAX_FRAMES + 2), sizeof *a->pieces);
    a->first_piece = calloc(count + 1, sizeof *a->first_piece);
    a->triangles = calloc(MAX_TRIANGLES, sizeof *a->triangles);
    a->lives = calloc(MAX_TRIANGLES, sizeof *a->lives);
    assert_true(a->pieces != NULL && a->first_piece != NULL && a->triangles != NULL && a->lives != NULL);
    for (uint32_t v = 0; v < count; v++) {
        const int k = v >= a->first[1] ? 1 : 0;
        a->first_piece[v] = a->piece_count;
        if (k < s->surface_count) {
            add_vertex_pieces(r, a, k, v - a->first[k]);
        } else if (s->kind == WITH_RIGID) {
            add_piece(a, (linear_path){0.0, 0.0, s->mesh[0][v - a->first[1]], s->velocity, true}, 0.0, s->end);
        } else {
            for (int f = 0; f < s->frame_count; f++) {
                const tact_vec3 *from = s->mesh[f], *to = s->mesh[f + 1 < s->frame_count ? f + 1 : f];
                const uint32_t i = v - a->first[1];
                const bool last = f + 1 == s->frame_count;
                add_piece(a,
                          last ? linear_path_at_rest(from[i], s->times[f])
                               : (linear_path){s->times[f], s->times[f + 1], from[i], to[i], false},
                          s->times[f], last ? s->end : fmin(s->times[f + 1], s->end));
            }
        }
    }
    a->first_piece[count] = a->piece_count;
    for (int k = 0; k < s->surface_count; k++)
        add_triangles(r, a, k);
    for (int i = 0; i < 2 && (s->kind == WITH_MESH || s->kind == WITH_RIGID); i++) {
        for (int c = 0; c < 3; c++)
            a->triangles[a->triangle_count][c] = a->first[1] + mesh_faces[i][c];
        a->lives[a->triangle_count++] = (brute_life){0.0, s->end};
    }
}

static void free_animation(animation *a)
{
    free(a->pieces);
    free(a->first_piece);
    free(a->triangles);
    free(a->lives);
}

static int compare_found(const void *one, const void *other)
{
    const found_event *a = one, *b = other;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i] ? -1 : 1;
    return a->upper < b->upper ? -1 : a->upper > b->upper;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t c = *a;
    *a = *b;
    *b = c;
}

/* Of triangles with the same vertices the first one is named, with its vertices in ascending order. */
static uint32_t first_triangle(const animation *a, const uint32_t v[3])
{
    for (uint32_t i = 0; i < a->triangle_count; ++i) {
        int found = 0;
        for (int k = 0; k < 3; ++k)
            found += a->triangles[i][k] == v[0] || a->triangles[i][k] == v[1] || a->triangles[i][k] == v[2];
        if (found == 3)
            return i;
    }
    fail();
    return 0;
}

/* An event in the numbers of the animation. */
static found_event translate(const run *r, const animation *a, size_t i)
{
    const tact_event *e = &r->events[i];
    const tact_event_features *f = &e->features;
    found_event out = {f->ccd.lower, f->ccd.upper, f->kind, {0}};
    uint32_t v[4];
    for (int k = 0; k < 4; k++) {
        const int side = f->kind == TACT_VERTEX_FACE ? k > 0 : k > 1;
        const tact_body body = side == 0 ? e->a : e->b;
        const int which = body.index == r->bodies[0].index ? 0 : 1;
        const surface_window *w = r->event_surfaces[i][side];
        v[k] = a->first[which] + (w != NULL ? number_of(a, which, w, f->vertices[k]) : f->vertices[k]);
    }
    if (f->kind == TACT_VERTEX_FACE) {
        out.index[0] = v[0];
        out.index[1] = first_triangle(a, v + 1);
        return out;
    }
    memcpy(out.index, v, sizeof v);
    if (v[0] > v[1])
        swap(&out.index[0], &out.index[1]);
    if (v[2] > v[3])
        swap(&out.index[2], &out.index[3]);
    if (out.index[0] > out.index[2] || (out.index[0] == out.index[2] && out.index[1] > out.index[3])) {
        swap(&out.index[0], &out.index[2]);
        swap(&out.index[1], &out.index[3]);
    }
    return out;
}

static void print_found(const char *name, const found_event *e)
{
    print_error("  %s [%a %a] %s %u %u %u %u\n", name, e->lower, e->upper, e->kind == TACT_VERTEX_FACE ? "vf" : "ee",
                e->index[0], e->index[1], e->index[2], e->index[3]);
}

typedef struct counts {
    size_t events, at_changes, in_jumps, changes, touches, places, placed, unplaced;
    size_t by_kind[SCENE_KINDS], by_motion[SCENE_MOTIONS], by_shape[SCENE_SHAPES];
} counts;

static void compare_with_oracle(run *r, uint64_t seed, counts *c)
{
    static animation a;
    make_animation(r, &a);
    const scene *s = r->s;
    const size_t vertices = s->kind == WITH_ITSELF
                                ? a.key_counts[0]
                                : a.first[1] + (s->kind == WITH_SHEET ? a.key_counts[1] : (uint32_t)OTHER_VERTICES);
    const brute_part parts[2] = {{s->kind == WITH_ITSELF ? (uint32_t)vertices : a.first[1], s->kind != WITH_ITSELF},
                                 {(uint32_t)vertices, true}};
    const brute_animation brute = {.pieces = a.pieces,
                                   .first_piece = a.first_piece,
                                   .vertex_count = vertices,
                                   .triangles = (const uint32_t(*)[3])a.triangles,
                                   .triangle_count = a.triangle_count,
                                   .lives = a.lives,
                                   .parts = parts,
                                   .part_count = s->kind == WITH_ITSELF ? 1 : 2};
    size_t expected_count, left = 0;
    brute_event *expected = brute_animation_events(&brute, &expected_count, NULL);
    for (size_t i = 0; i < expected_count; i++)
        if (expected[i].lower < s->end)
            expected[left++] = expected[i];
    expected_count = left;
    found_event *found = calloc(r->event_count + 1, sizeof *found);
    left = 0;
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].features.ccd.lower < s->end)
            found[left++] = translate(r, &a, i);
    qsort(found, left, sizeof *found, compare_found);
    for (size_t i = 0; i < expected_count || i < left; i++) {
        found_event wanted = {0};
        if (i < expected_count) {
            wanted = (found_event){expected[i].lower, expected[i].upper, expected[i].kind, {0}};
            memcpy(wanted.index, expected[i].index, sizeof wanted.index);
            if (wanted.kind == TACT_VERTEX_FACE)
                wanted.index[1] = first_triangle(&a, a.triangles[wanted.index[1]]);
            c->in_jumps += expected[i].in_jump;
        }
        if (i >= expected_count || i >= left || compare_found(&wanted, &found[i]) != 0) {
            if (i < expected_count)
                print_found("expected", &wanted);
            if (i < left)
                print_found("found   ", &found[i]);
            for (int k = 0; k < s->surface_count; k++)
                for (int n = 0; n < r->window_counts[k]; n++)
                    print_error("  window %d of %d: %a to %a%s\n", n, k, r->windows[k][n].window->begin,
                                r->windows[k][n].window->end, r->windows[k][n].origins != NULL ? ", other cells" : "");
            CHECK(false, "kind %d motion %d shape %d: event %zu of %zu expected, %zu found", s->kind, s->motion,
                  s->shape, i, expected_count, left);
        }
    }
    for (int k = 0; k < s->surface_count; k++)
        for (int n = 0; n < r->window_counts[k]; n++)
            for (size_t i = 0; i < left && r->windows[k][n].origins != NULL; i++)
                c->at_changes += found[i].lower == r->windows[k][n].window->begin;
    c->events += left;
    c->by_kind[s->kind] += left;
    c->by_motion[s->motion] += left;
    c->by_shape[s->shape] += left;
    free(found);
    free(expected);
    free_animation(&a);
}

/* ---- surfaces ---- */

static tact_vec3 evaluate(const scene *s, int k, tact_nurbs_location place, const tact_vec3 *points)
{
    tact_nurbs_def def = s->surfaces[k].body.defs[place.surface];
    def.points = points + (def.points - s->surfaces[k].body.points);
    tact_vec3 at;
    assert_int_equal(tact_nurbs_evaluate(&def, place.u, place.v, 0, &at), TACT_OK);
    return at;
}

/* New vertices begin on the triangles before, at the point that corresponds to them: both are within their errors of
 * the surface there. */
static void check_origins(const run *r, int k, int n, uint64_t seed, counts *c)
{
    const observed_window *o = &r->windows[k][n];
    const surface_window *w = o->window, *last = o[-1].window;
    for (uint32_t v = 0; v < w->tessellation.vertices.count; v++) {
        const nurbs_origin *origin = &o->origins[v];
        if (origin->count == 1)
            continue;
        c->placed += r->s->shape == TRIMMED && origin->count > 1;
        c->unplaced += origin->count == 0;
        double sum = 0.0;
        tact_vec3 at = {0.0, 0.0, 0.0};
        for (uint32_t i = 0; i < origin->count; i++) {
            const linear_path path = surface_window_path(last, origin->vertex[i]);
            const tact_vec3 p = linear_path_at(&path, w->begin);
            const double weight = origin->weight[i];
            CHECK(weight >= 0.0, "a weight of %g", weight);
            sum += weight;
            at = (tact_vec3){at.x + weight * p.x, at.y + weight * p.y, at.z + weight * p.z};
        }
        CHECK(origin->count == 0 ||
                  (fabs(sum - 1.0) < 1e-15 && distance(at, w->tessellation.positions[v]) < last->reach),
              "vertex %u of window %d begins %g away", v, n, distance(at, w->tessellation.positions[v]));
    }
}

/* Vertices are points of the surface at both ends of their window. */
static void check_windows(const run *r, uint64_t seed, counts *c)
{
    for (int k = 0; k < r->s->surface_count; k++)
        for (int n = 0; n < r->window_counts[k]; n++) {
            const surface_window *w = r->windows[k][n].window;
            const nurbs_tessellation *t = &w->tessellation;
            c->changes += r->windows[k][n].origins != NULL;
            if (r->windows[k][n].origins != NULL)
                check_origins(r, k, n, seed, c);
            for (uint32_t v = 0; v < t->vertices.count; v++) {
                const tact_nurbs_location place = tact_nurbs_location_of_vertex(t, v);
                CHECK(distance(t->positions[v], evaluate(r->s, k, place, t->points)) < 1e-12 &&
                          distance(w->end_positions[v], evaluate(r->s, k, place, w->end_points)) < 1e-12,
                      "vertex %u of window %d is not on the surface", v, n);
            }
        }
}

/* The places of an event are near its point, on the surface at its time. */
static void check_places(const run *r, uint64_t seed, counts *c)
{
    for (size_t i = 0; i < r->event_count; i++) {
        const tact_event *e = &r->events[i];
        for (int side = 0; side < 2; side++) {
            const tact_nurbs_location place = side == 0 ? e->features.location_a : e->features.location_b;
            CHECK(place.on_surface == (r->event_surfaces[i][side] != NULL), "side %d", side);
            const int k = (side == 0 ? e->a.index : e->b.index) == r->bodies[0].index ? 0 : 1;
            const surface_window *w = NULL;
            for (int n = 0; n < r->window_counts[k]; n++)
                if (r->windows[k][n].window->begin < e->time && e->time < r->windows[k][n].until)
                    w = r->windows[k][n].window;
            if (!place.on_surface || w == NULL || w->end == INFINITY) /* NULL: in a jump */
                continue;
            const double t = (e->time - w->begin) / (w->end - w->begin);
            tact_vec3 points[MAX_POINTS];
            for (size_t p = 0; p < r->s->surfaces[k].body.point_count; p++)
                points[p] = lerp(w->tessellation.points[p], w->end_points[p], t);
            CHECK(distance(e->point, evaluate(r->s, k, place, points)) <= w->reach + 1e-9,
                  "event %zu: its place is %g from its point", i, distance(e->point, evaluate(r->s, k, place, points)));
            c->places++;
        }
    }
}

static bool same_event(const tact_event *a, const tact_event *b)
{
    const tact_event_features *f = &a->features, *g = &b->features;
    return a->time == b->time && a->a.index == b->a.index && a->b.index == b->b.index && f->kind == g->kind &&
           f->a == g->a && f->b == g->b && f->ccd.lower == g->ccd.lower && f->ccd.upper == g->ccd.upper &&
           memcmp(f->vertices, g->vertices, sizeof f->vertices) == 0 &&
           memcmp(&f->ccd.normal, &g->ccd.normal, sizeof f->ccd.normal) == 0 &&
           memcmp(f->ccd.weights, g->ccd.weights, sizeof f->ccd.weights) == 0;
}

/* Puts a small rigid mesh across the way of a new vertex on a trimming curve: of that whose way is longest. False:
 * there is none. */
static bool put_mesh_in_way(scene *s, const run *r)
{
    double longest = 0.0;
    tact_vec3 from = {0.0, 0.0, 0.0}, to = from;
    for (int n = 1; n < r->window_counts[0]; n++) {
        const observed_window *o = &r->windows[0][n];
        for (uint32_t v = 0; o->origins != NULL && v < o->window->tessellation.vertices.count; v++) {
            const nurbs_vertex *grid = &o->window->tessellation.vertices.items[v];
            const nurbs_origin *origin = &o->origins[v];
            tact_vec3 at = {0.0, 0.0, 0.0};
            for (uint32_t i = 0; i < origin->count; i++) {
                const linear_path path = surface_window_path(o[-1].window, origin->vertex[i]);
                const tact_vec3 p = linear_path_at(&path, o->window->begin);
                at = (tact_vec3){at.x + origin->weight[i] * p.x, at.y + origin->weight[i] * p.y,
                                 at.z + origin->weight[i] * p.z};
            }
            const double way = distance(at, o->window->tessellation.positions[v]);
            if (origin->count < 2 || !(way > longest) || ((grid->x | grid->y) & 1) == 0) /* odd: on a trim */
                continue;
            longest = way;
            from = at;
            to = o->window->tessellation.positions[v];
        }
    }
    const tact_vec3 middle = lerp(from, to, 0.5);
    for (int i = 0; i < OTHER_VERTICES; i++) /* about across the z axis */
        s->mesh[0][i] =
            (tact_vec3){middle.x + 0.05 * longest * (i % 2 - 0.4), middle.y + 0.05 * longest * (i / 2 - 0.4), middle.z};
    s->velocity = (tact_vec3){0.0, 0.0, 0.0};
    return longest > 1e-4;
}

/* When cells that trims cut are divided, contacts on the ways of new vertices are found. */
static void ways_in_trimmed_cells_are_swept(void **state)
{
    (void)state;
    static run r;
    static scene s;
    counts c = {0};
    int scenes = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(12, 300); seed++) {
        make_scene(&s, 12 * seed + 10); /* trimmed, with a rigid mesh */
        assert_true(s.kind == WITH_RIGID && s.shape == TRIMMED);
        prepare_run(&r, &s);
        run_scene(&r, TACT_DEFORMING_AUTO, false);
        const bool found = put_mesh_in_way(&s, &r);
        free_run(&r);
        if (found) {
            scenes++;
            prepare_run(&r, &s);
            run_scene(&r, (tact_deforming_engine)(seed % 3), false);
            check_windows(&r, seed, &c);
            compare_with_oracle(&r, seed, &c);
            free_run(&r);
        }
        free_scene(&s);
    }
    print_message("%d scenes, %zu events, %zu at changes of cells; %zu new vertices begin on triangles, %zu do not\n",
                  scenes, c.events, c.at_changes, c.placed, c.unplaced);
    if (!few_cases())
        assert_true(scenes >= 2 && c.at_changes > 1 && c.placed > 10 && c.unplaced == 0);
}

static void every_contact_of_the_triangles_is_reported(void **state)
{
    (void)state;
    static run r, again;
    static scene s;
    counts c = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(16, 1080); seed++) {
        make_scene(&s, seed);
        prepare_run(&r, &s);
        run_scene(&r, (tact_deforming_engine)(seed % 3), false);
        c.touches += r.touch_count;
        check_windows(&r, seed, &c);
        check_places(&r, seed, &c);
        compare_with_oracle(&r, seed, &c);
        /* saved and restored in each window: the same events, bit for bit */
        prepare_run(&again, &s);
        run_scene(&again, (tact_deforming_engine)((seed + 1) % 3), true);
        CHECK(again.event_count == r.event_count, "%zu events, %zu in restored worlds", r.event_count,
              again.event_count);
        for (size_t i = 0; i < r.event_count; i++)
            CHECK(same_event(&r.events[i], &again.events[i]), "event %zu of a restored world: at %.17g and %.17g", i,
                  r.events[i].time, again.events[i].time);
        free_run(&again);
        free_run(&r);
        free_scene(&s);
    }
    print_message("%zu events, %zu touches; %zu changes of cells with %zu events; %zu events in jumps; %zu places\n",
                  c.events, c.touches, c.changes, c.at_changes, c.in_jumps, c.places);
    print_message("%zu new vertices in trimmed surfaces begin on triangles, %zu do not\n", c.placed, c.unplaced);
    for (int i = 0; i < SCENE_KINDS; i++)
        print_message("kind %d: %zu, motion %d: %zu\n", i, c.by_kind[i], i, c.by_motion[i]);
    if (few_cases())
        return;
    for (int i = 0; i < SCENE_KINDS; i++)
        assert_true(c.by_kind[i] > 15 && c.by_motion[i] > 15);
    for (int i = 0; i < SCENE_SHAPES; i++)
        assert_true(c.by_shape[i] > 20);
    assert_true(c.touches > 5 && c.changes > 5 && c.at_changes > 0 && c.in_jumps > 20 && c.places > 100);
}

/* Control points with random velocities for ever: a window is so long that they move relative to each other by some
 * distances of neighbours, also where the body is long. Then the triangles of a control point do not depend on its
 * length. */
static void windows_of_long_bodies_are_short(void **state)
{
    (void)state;
    enum { SHORT = 40, LONG = 1000, WIDTH = 4 };
    static tact_vec3 velocities[LONG * WIDTH];
    size_t triangles[2];
    for (int which = 0; which < 2; which++) {
        const size_t n = which == 0 ? SHORT : LONG;
        random_source r = random_seed(7);
        nurbs_body body = nurbs_body_sheet(3, n, WIDTH, 0.5);
        for (size_t i = 0; i < n * WIDTH; i++) {
            body.points[i].x = (double)(i / WIDTH);
            body.points[i].y = (double)(i % WIDTH);
            velocities[i] = vec_scale(random_direction(&r), 0.01);
        }
        tact_shape *shape = tact_nurbs_create(body.defs, 1, NULL);
        tact_world *world = tact_world_create(NULL);
        const tact_body b = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
        assert_int_equal(tact_body_set_vertex_motion(world, b, &(tact_vertex_motion){.velocities = velocities}),
                         TACT_OK);
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 1.0, &e), TACT_EVENT_NONE);
        triangles[which] = world->advance->cold.items[b.index].surface->tessellation.triangles.count;
        tact_world_release(world);
        tact_shape_release(shape);
        nurbs_body_free(&body);
    }
    assert_true(triangles[1] <= 2 * triangles[0] * LONG / SHORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_contact_of_the_triangles_is_reported),
        cmocka_unit_test(ways_in_trimmed_cells_are_swept),
        cmocka_unit_test(windows_of_long_bodies_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
