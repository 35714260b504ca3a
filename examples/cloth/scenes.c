/* The scenes: see scenes.h. */
#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double turn = 6.283185307179586;

/* ---- grids ---- */

/* Triangles of a grid of `rows` x `columns` points, closed around where `around`. The diagonals take turns, so that
 * cloth is the same in all directions. */
static uint32_t *grid(int rows, int columns, bool around, size_t *triangle_count)
{
    const int wide = around ? columns : columns - 1;
    uint32_t *corners = malloc(sizeof *corners * 6 * (size_t)(rows - 1) * (size_t)wide);
    size_t n = 0;
    for (int i = 0; corners != NULL && i + 1 < rows; i++)
        for (int k = 0; k < wide; k++) {
            const uint32_t a = (uint32_t)(i * columns + k), b = (uint32_t)(i * columns + (k + 1) % columns);
            const uint32_t c = a + (uint32_t)columns, d = b + (uint32_t)columns;
            const uint32_t one[6] = {a, b, d, a, d, c}, other[6] = {a, b, c, b, d, c};
            memcpy(corners + n, (i + k) % 2 == 0 ? one : other, sizeof one);
            n += 6;
        }
    *triangle_count = n / 3;
    return corners;
}

static void add_sheet(simulation *sim, int side, double height, double shift, double angle)
{
    size_t triangles;
    tact_vec3 *places = malloc(sizeof *places * (size_t)(side * side));
    uint32_t *corners = grid(side, side, false, &triangles);
    sim->failed = sim->failed || places == NULL || corners == NULL;
    for (int i = 0; !sim->failed && i < side * side; i++) {
        const double u = (double)(i % side) / (side - 1) - 0.5, v = (double)(i / side) / (side - 1) - 0.5;
        const double ripple = 0.004 * sin(turn * (2.0 * u + shift)) * cos(turn * (1.5 * v + angle));
        places[i] = tact_vec(u * cos(angle) - v * sin(angle) + shift, height + ripple,
                             u * sin(angle) + v * cos(angle) - 0.7 * shift);
    }
    if (!sim->failed)
        (void)simulation_add_piece(sim, places, (size_t)(side * side), corners, triangles);
    free(places);
    free(corners);
}

static void add_floor(simulation *sim, double half)
{
    const tact_vec3 points[4] = {{-half, 0, -half}, {-half, 0, half}, {half, 0, half}, {half, 0, -half}};
    const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    (void)simulation_add_obstacle(sim, points, 4, corners, 2, tact_identity(), tact_motion_still());
}

/* Gives up a scene that could not be made. */
static simulation *finish(simulation *sim)
{
    if (sim != NULL && sim->failed) {
        simulation_release(sim);
        return NULL;
    }
    return sim;
}

/* ---- the pile ---- */

simulation *scene_pile(int sheets, int side, const tact_world_def *def)
{
    simulation *sim = simulation_create(def);
    if (sim == NULL)
        return NULL;
    sim->step.thickness = 0.002;
    sim->step.friction = 0.4;
    add_floor(sim, 3.0);
    for (int i = 0; i < sheets; i++)
        add_sheet(sim, side, 0.05 + 0.06 * i, 0.011 * (i % 5 - 2), 0.07 * (i * 3 % 7 - 3));
    return finish(sim);
}

/* ---- the shower ---- */

static void add_torus(simulation *sim, int rings, int sides, double wide, double thick, tact_transform place,
                      tact_motion motion)
{
    size_t triangles;
    tact_vec3 *points = malloc(sizeof *points * (size_t)((rings + 1) * sides));
    uint32_t *corners = grid(rings + 1, sides, true, &triangles); /* the last ring is the first one */
    sim->failed = sim->failed || points == NULL || corners == NULL;
    if (!sim->failed) {
        for (int i = 0; i < rings * sides; i++) {
            const double a = turn * (i / sides) / rings, b = turn * (i % sides) / sides;
            points[i] = tact_vec((wide + thick * cos(b)) * cos(a), (wide + thick * cos(b)) * sin(a), thick * sin(b));
        }
        for (size_t i = 0; i < 3 * triangles; i++)
            corners[i] %= (uint32_t)(rings * sides);
        (void)simulation_add_obstacle(sim, points, (size_t)(rings * sides), corners, triangles, place, motion);
    }
    free(points);
    free(corners);
}

simulation *scene_shower(int sheets, int side, int rings, int sides, const tact_world_def *def)
{
    simulation *sim = simulation_create(def);
    if (sim == NULL)
        return NULL;
    sim->step.thickness = 0.002;
    sim->step.friction = 0.3;
    add_floor(sim, 4.0);
    add_torus(sim, rings, sides, 0.35, 0.12, tact_at(0.0, 0.8, 0.0), (tact_motion){.spin = {1.1, 0.4, 0.7}});
    for (int i = 0; i < sheets; i++)
        add_sheet(sim, side, 1.35 + 0.12 * i, 0.06 * (i % 3 - 1), 0.4 * i);
    return finish(sim);
}

/* ---- the garment ---- */

static const double body_height = 1.2;

/* Where the surface of the body, `off` away from it, is: `u` around it (0 to 1), at height `h`, at a time. */
static tact_vec3 body_at(double u, double h, double off, double time)
{
    const double shape = cos(turn * (h - 0.35) / 0.62); /* hips and chest are wide, the waist between them is not */
    const double wide = 0.165 + 0.025 * shape + off, deep = 0.115 + 0.015 * shape + off;
    const double ease = time < 0.5 ? time / 0.5 : 1.0; /* it begins at rest */
    const double twist = 0.45 * ease * sin(turn * time / 1.6) * (h / body_height - 0.4);
    const double sway = 0.05 * ease * sin(turn * time / 1.1) * h, dip = 0.03 * ease * sin(turn * time / 0.8);
    const double x = wide * cos(turn * u), z = deep * sin(turn * u);
    return tact_vec(x * cos(twist) - z * sin(twist) + sway, h + dip, x * sin(twist) + z * cos(twist) + 0.5 * sway);
}

/* Held particles go where the body takes them: home is (u, h, off). */
static tact_vec3 lead(tact_vec3 home, double time) { return body_at(home.x, home.y, home.z, time); }

/* A tube around the body; its first `held` rows from above, or all, move with it. */
static int add_tube(simulation *sim, int columns, int rows, double top, double bottom, double off, int held)
{
    size_t triangles;
    const size_t count = (size_t)columns * (size_t)rows;
    tact_vec3 *places = malloc(sizeof *places * count), *home = malloc(sizeof *home * count);
    uint32_t *corners = grid(rows, columns, true, &triangles);
    int number = -1;
    sim->failed = sim->failed || places == NULL || home == NULL || corners == NULL;
    if (!sim->failed) {
        for (size_t i = 0; i < count; i++) {
            const double u = (double)(i % (size_t)columns) / columns;
            const double h = top + (bottom - top) * (double)(i / (size_t)columns) / (rows - 1);
            home[i] = tact_vec(u, h, off);
            places[i] = body_at(u, h, off, 0.0);
        }
        number = simulation_add_piece(sim, places, count, corners, triangles);
    }
    if (number >= 0) {
        piece *p = &sim->pieces[number];
        p->home = home;
        home = NULL;
        for (size_t i = 0; i < (size_t)held * (size_t)columns && i < count; i++)
            p->inverse[i] = 0.0;
    }
    free(places);
    free(home);
    free(corners);
    return number;
}

/* Around the waist the springs of a layer are shorter by so much: they press what is below it to the body. */
static void add_belt(piece *p, double lower, double upper, double shorter)
{
    for (size_t i = 0; i < p->spring_count; i++) {
        const tact_vec3 *a = &p->home[p->springs[i].ends[0]], *b = &p->home[p->springs[i].ends[1]];
        if (a->y == b->y && a->y > lower && a->y < upper)
            p->springs[i].length *= shorter;
    }
}

simulation *scene_garment(int columns, int rows, const tact_world_def *def)
{
    simulation *sim = simulation_create(def);
    if (sim == NULL)
        return NULL;
    sim->step.thickness = 0.002;
    sim->step.friction = 0.3;
    sim->lead = lead;
    (void)add_tube(sim, columns * 3 / 4, rows, body_height, 0.0, 0.0, rows);
    for (int layer = 1; layer <= 3 && !sim->failed; layer++) {
        const int number = add_tube(sim, columns, rows, 1.0, 0.1 + 0.05 * layer, 0.012 * layer, 2);
        if (number >= 0 && layer == 3)
            add_belt(&sim->pieces[number], 0.6, 0.72, 0.8);
    }
    return finish(sim);
}

simulation *scene_create(const char *name, int scale, const tact_world_def *def)
{
    if (scale < 1)
        return NULL;
    const int side = 50 / scale + 1;
    if (strcmp(name, "pile") == 0)
        return scene_pile(10, side, def);
    if (strcmp(name, "shower") == 0)
        return scene_shower(8, side, 50 / scale, 20 / scale > 8 ? 20 / scale : 8, def);
    if (strcmp(name, "garment") == 0)
        return scene_garment(100 / scale, 52 / scale, def);
    return NULL;
}
