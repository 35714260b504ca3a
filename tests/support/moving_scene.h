/*
 * Small scenes of moving vertices for the tests of kinetic structures: triangles, edges and points over vertices whose
 * paths have several pieces. Positions are computed in long double, which is exact compared to the tolerances of what
 * is tested.
 */
#ifndef TACT_TEST_MOVING_SCENE_H
#define TACT_TEST_MOVING_SCENE_H

#include <math.h>
#include <string.h>

#include "kinetic/vertex_motion.h"
#include "support/long_form.h"
#include "support/random.h"

#define SCENE_MAX_VERTICES 48
#define SCENE_MAX_ITEMS 48
#define SCENE_MAX_PIECES 40

typedef struct scene_piece {
    double begin;
    linear_path path;
} scene_piece;

typedef struct moving_scene {
    scene_piece pieces[SCENE_MAX_VERTICES][SCENE_MAX_PIECES];
    unsigned piece_count[SCENE_MAX_VERTICES];
    uint32_t vertex_count;
    uint32_t items[SCENE_MAX_ITEMS][4];
    uint32_t groups[SCENE_MAX_ITEMS];
    uint32_t item_count;
    bool continuous;
    double end; /* the last piece begins here */
} moving_scene;

typedef enum scene_style {
    SCENE_GRID,      /* integer positions and times: everything happens at once */
    SCENE_SYMMETRIC, /* grid positions, mirrored */
    SCENE_RANDOM,    /* heavy deformation */
    SCENE_QUIET,     /* most vertices rest, the others move little */
    SCENE_OWN_TIMES, /* each vertex has its own pieces, some with velocities */
    SCENE_FAR,       /* far from the origin, some units apart */
    SCENE_JUMPS,     /* pieces begin elsewhere */
    SCENE_STYLES
} scene_style;

/* Times at which the structures of a scene are validated: 100 for each scene with TACT_TEST_LONG, and else for one
 * scene in 13, so that these are of all styles, which change with the seed; `few` for the others. */
static inline int scene_validated_times(uint64_t seed, int few) { return long_form() || seed % 13 == 1 ? 100 : few; }

/* ---- motion ---- */

static unsigned scene_piece_at(const moving_scene *s, uint32_t vertex, double time)
{
    unsigned k = 0;
    while (k + 1 < s->piece_count[vertex] && s->pieces[vertex][k + 1].begin <= time)
        k++;
    return k;
}

static linear_path scene_motion_piece(void *context, uint32_t vertex, double time, double *end)
{
    const moving_scene *s = context;
    const unsigned k = scene_piece_at(s, vertex, time);
    *end = k + 1 < s->piece_count[vertex] ? s->pieces[vertex][k + 1].begin : (double)INFINITY;
    return s->pieces[vertex][k].path;
}

static vertex_motion scene_motion(moving_scene *s)
{
    return (vertex_motion){.context = s, .piece = scene_motion_piece, .continuous = s->continuous};
}

static long double scene_path_coordinate(const linear_path *p, int axis, long double time)
{
    const double x0 = axis == 0 ? p->x0.x : axis == 1 ? p->x0.y : p->x0.z;
    const double x1 = axis == 0 ? p->x1.x : axis == 1 ? p->x1.y : p->x1.z;
    if (p->has_velocity)
        return (long double)x0 + (time - (long double)p->t0) * (long double)x1;
    return (((long double)p->t1 - time) * (long double)x0 + (time - (long double)p->t0) * (long double)x1) /
           ((long double)p->t1 - (long double)p->t0);
}

/* On the later piece at a boundary. */
static inline long double scene_coordinate(const moving_scene *s, uint32_t vertex, int axis, double time)
{
    return scene_path_coordinate(&s->pieces[vertex][scene_piece_at(s, vertex, time)].path, axis, (long double)time);
}

static inline tact_vec3 scene_position(const moving_scene *s, uint32_t vertex, double time)
{
    return (tact_vec3){(double)scene_coordinate(s, vertex, 0, time), (double)scene_coordinate(s, vertex, 1, time),
                       (double)scene_coordinate(s, vertex, 2, time)};
}

/* ---- making scenes ---- */

static inline tact_vec3 scene_place(random_source *r, scene_style style)
{
    switch (style) {
    case SCENE_GRID:
    case SCENE_SYMMETRIC:
        return (tact_vec3){random_between(r, -3, 3), random_between(r, -3, 3), random_between(r, -3, 3)};
    case SCENE_FAR:
        return (tact_vec3){1e6 + random_between(r, -3, 3), random_range(r, -3.0, 3.0), -1e6 + random_between(r, -3, 3)};
    default:
        return (tact_vec3){random_range(r, -3.0, 3.0), random_range(r, -3.0, 3.0), random_range(r, -3.0, 3.0)};
    }
}

static void scene_add_piece(moving_scene *s, uint32_t vertex, scene_piece piece)
{
    s->pieces[vertex][s->piece_count[vertex]++] = piece;
}

/* Pieces from key position to key position, and rest after the last. */
static void scene_add_path(moving_scene *s, random_source *r, uint32_t vertex, scene_style style, tact_vec3 first,
                           unsigned count)
{
    const bool moves = style != SCENE_QUIET || random_chance(r, 0.3);
    const bool rests = random_chance(r, style == SCENE_RANDOM ? 0.0 : 0.15);
    double time = 0.0;
    tact_vec3 from = first;
    for (unsigned k = 0; k < count; k++) {
        double next = (double)(k + 1);
        if (style == SCENE_OWN_TIMES || style == SCENE_JUMPS)
            next = k + 1 == count ? (double)count : time + random_range(r, 0.2, 1.0) * (count - time) / (count - k);
        tact_vec3 to = from;
        if (style == SCENE_QUIET && moves)
            to = (tact_vec3){from.x + random_range(r, -0.2, 0.2), from.y + random_range(r, -0.2, 0.2), from.z};
        else if (moves && !rests && !random_chance(r, 0.1))
            to = scene_place(r, style);
        if (style == SCENE_JUMPS && random_chance(r, 0.3))
            from = scene_place(r, style);
        linear_path path = {time, next, from, to, false};
        if (style == SCENE_OWN_TIMES && random_chance(r, 0.3)) {
            const double length = next - time;
            path.x1 = (tact_vec3){(to.x - from.x) / length, (to.y - from.y) / length, (to.z - from.z) / length};
            path.has_velocity = true;
            to = linear_path_at(&path, next);
        }
        scene_add_piece(s, vertex, (scene_piece){time, path});
        time = next;
        from = to;
    }
    linear_path rest = {time, 0.0, from, {0.0, 0.0, 0.0}, true};
    if (style == SCENE_OWN_TIMES)
        rest.x1 = (tact_vec3){random_range(r, -0.5, 0.5), random_between(r, -1, 1), 0.0};
    scene_add_piece(s, vertex, (scene_piece){time, rest});
}

static inline void scene_add_item(moving_scene *s, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t item[4] = {a, b, c, 0};
    memcpy(s->items[s->item_count++], item, sizeof item);
}

/* A sheet, a fan around one vertex that exceeds the valence of the skeleton, or a soup of triangles, edges, points. */
static void scene_add_items(moving_scene *s, random_source *r, unsigned layout)
{
    if (layout == 0) {
        s->vertex_count = 25;
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t j = 0; j < 4; j++) {
                const uint32_t a = 5 * i + j;
                scene_add_item(s, a, a + 1, a + 5);
                scene_add_item(s, a + 1, a + 6, a + 5);
            }
    } else if (layout == 1) {
        s->vertex_count = 30;
        for (uint32_t i = 1; i + 1 < 28; i++)
            scene_add_item(s, 0, i, i + 1);
        scene_add_item(s, 29, 28, 27);
    } else {
        s->vertex_count = (uint32_t)random_between(r, 3, 40);
        const int count = random_between(r, 1, 24);
        for (int i = 0; i < count; i++) {
            const uint32_t a = (uint32_t)random_below(r, s->vertex_count),
                           b = (uint32_t)random_below(r, s->vertex_count),
                           c = (uint32_t)random_below(r, s->vertex_count);
            const bool triangle = random_chance(r, 0.7), edge = random_chance(r, 0.5);
            scene_add_item(s, a, triangle || edge ? b : a, triangle ? c : edge ? b : a);
        }
    }
}

/* Groups by the lowest vertex: two parts without pairs inside, and one with. */
static inline void scene_set_groups(moving_scene *s, random_source *r)
{
    if (!random_chance(r, 0.3))
        return;
    for (uint32_t i = 0; i < s->item_count; i++)
        s->groups[i] = s->items[i][0] % 3;
}

static inline void moving_scene_make(moving_scene *s, uint64_t seed, scene_style style, unsigned most_pieces)
{
    random_source r = random_seed(seed);
    memset(s, 0, sizeof *s);
    scene_add_items(s, &r, (unsigned)random_below(&r, 4));
    scene_set_groups(s, &r);
    const unsigned pieces = (unsigned)random_between(&r, 1, (int)most_pieces);
    s->end = pieces;
    s->continuous = style != SCENE_JUMPS;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        tact_vec3 first = scene_place(&r, style);
        if (style == SCENE_QUIET)
            first = (tact_vec3){v % 5, v / 5, 0.1 * random_unit(&r)};
        if (style == SCENE_SYMMETRIC && v % 2 == 1) {
            s->piece_count[v] = s->piece_count[v - 1];
            for (unsigned k = 0; k < s->piece_count[v]; k++) {
                scene_piece p = s->pieces[v - 1][k];
                p.path.x0.x = -p.path.x0.x;
                p.path.x1.x = -p.path.x1.x;
                s->pieces[v][k] = p;
            }
            continue;
        }
        scene_add_path(s, &r, v, style, first, pieces);
    }
}

/* A new path of a vertex from a time on. If it does not jump, it begins at the rounded present position. */
static inline void scene_change_path(moving_scene *s, random_source *r, uint32_t vertex, double time, bool jump)
{
    const tact_vec3 from = jump ? scene_place(r, SCENE_RANDOM) : scene_position(s, vertex, time);
    unsigned k = scene_piece_at(s, vertex, time);
    if (s->pieces[vertex][k].begin < time)
        k++;
    if (k + 3 > SCENE_MAX_PIECES) { /* only the present piece matters */
        s->pieces[vertex][0] = s->pieces[vertex][k - 1];
        k = 1;
    }
    const double until = time + random_range(r, 0.2, 3.0);
    const tact_vec3 to = scene_place(r, SCENE_RANDOM);
    s->piece_count[vertex] = k;
    scene_add_piece(s, vertex, (scene_piece){time, {time, until, from, to, false}});
    scene_add_piece(s, vertex, (scene_piece){until, {until, 0.0, to, {0.0, 0.0, 0.0}, true}});
}

#endif
