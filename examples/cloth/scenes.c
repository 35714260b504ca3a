/* The scenes. See scenes.h. */
#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586;

/* ---- grids ---- */

/* Triangles of a grid of `rows` x `columns` points; `around`: the columns close to a tube. Diagonals alternate, so that
 * cloth behaves equally in all directions. */
static uint32_t *grid(int rows, int columns, bool around, size_t *triangle_count)
{
    const int radius = around ? columns : columns - 1;
    uint32_t *indices = malloc(sizeof *indices * 6 * (size_t)(rows - 1) * (size_t)radius);
    size_t n = 0;
    for (int i = 0; indices != NULL && i + 1 < rows; i++)
        for (int k = 0; k < radius; k++) {
            const uint32_t a = (uint32_t)(i * columns + k), b = (uint32_t)(i * columns + (k + 1) % columns);
            const uint32_t c = a + (uint32_t)columns, d = b + (uint32_t)columns;
            const uint32_t one[6] = {a, b, d, a, d, c}, other[6] = {a, b, c, b, d, c};
            memcpy(indices + n, (i + k) % 2 == 0 ? one : other, sizeof one);
            n += 6;
        }
    *triangle_count = n / 3;
    return indices;
}

static void add_sheet(simulation *sim, int side, double height, double shift, double angle)
{
    size_t triangles;
    tact_vec3 *positions = malloc(sizeof *positions * (size_t)(side * side));
    uint32_t *indices = grid(side, side, false, &triangles);
    sim->failed = sim->failed || positions == NULL || indices == NULL;
    for (int i = 0; !sim->failed && i < side * side; i++) {
        const double u = (double)(i % side) / (side - 1) - 0.5, v = (double)(i / side) / (side - 1) - 0.5;
        const double ripple = 0.004 * sin(two_pi * (2.0 * u + shift)) * cos(two_pi * (1.5 * v + angle));
        positions[i] = tact_vec(u * cos(angle) - v * sin(angle) + shift, height + ripple,
                                u * sin(angle) + v * cos(angle) - 0.7 * shift);
    }
    if (!sim->failed)
        (void)simulation_add_cloth(sim, positions, (size_t)(side * side), indices, triangles);
    free(positions);
    free(indices);
}

static void add_floor(simulation *sim, double half)
{
    const tact_vec3 points[4] = {{-half, 0, -half}, {-half, 0, half}, {half, 0, half}, {half, 0, -half}};
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    (void)simulation_add_obstacle(sim, points, 4, indices, 2, tact_identity(), tact_motion_still());
}

/* Releases a scene that could not be created completely. */
static simulation *finish(simulation *sim)
{
    if (sim != NULL && sim->failed) {
        simulation_release(sim);
        return NULL;
    }
    return sim;
}

/* ---- pile ---- */

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

/* ---- shower ---- */

static void add_torus(simulation *sim, int rings, int sides, double radius, double tube_radius,
                      tact_transform transform, tact_motion motion)
{
    size_t triangles;
    tact_vec3 *points = malloc(sizeof *points * (size_t)((rings + 1) * sides));
    uint32_t *indices = grid(rings + 1, sides, true, &triangles); /* the last ring equals the first */
    sim->failed = sim->failed || points == NULL || indices == NULL;
    if (!sim->failed) {
        for (int i = 0; i < rings * sides; i++) {
            const double a = two_pi * (i / sides) / rings, b = two_pi * (i % sides) / sides;
            points[i] = tact_vec((radius + tube_radius * cos(b)) * cos(a), (radius + tube_radius * cos(b)) * sin(a),
                                 tube_radius * sin(b));
        }
        for (size_t i = 0; i < 3 * triangles; i++)
            indices[i] %= (uint32_t)(rings * sides);
        (void)simulation_add_obstacle(sim, points, (size_t)(rings * sides), indices, triangles, transform, motion);
    }
    free(points);
    free(indices);
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

/* ---- garment ---- */

static const double body_height = 1.2;

/* Point at distance `offset` from the surface of the body: `u` around it (0 to 1), at height `h`, at a time. */
static tact_vec3 body_at(double u, double h, double offset, double time)
{
    const double shape = cos(two_pi * (h - 0.35) / 0.62); /* hips and chest are wide, the waist is narrow */
    const double radius = 0.165 + 0.025 * shape + offset, deep = 0.115 + 0.015 * shape + offset;
    const double ease = time < 0.5 ? time / 0.5 : 1.0; /* starts at rest */
    const double twist = 0.45 * ease * sin(two_pi * time / 1.6) * (h / body_height - 0.4);
    const double sway = 0.05 * ease * sin(two_pi * time / 1.1) * h, dip = 0.03 * ease * sin(two_pi * time / 0.8);
    const double x = radius * cos(two_pi * u), z = deep * sin(two_pi * u);
    return tact_vec(x * cos(twist) - z * sin(twist) + sway, h + dip, x * sin(twist) + z * cos(twist) + 0.5 * sway);
}

/* Driven particles follow the body: anchor is (u, h, offset). */
static tact_vec3 driver(tact_vec3 anchor, double time) { return body_at(anchor.x, anchor.y, anchor.z, time); }

/* Adds a tube around the body. Its first `driven_rows` rows from above follow the body. Returns its index, or -1. */
static int add_tube(simulation *sim, int columns, int rows, double top, double bottom, double offset, int driven_rows)
{
    size_t triangles;
    const size_t count = (size_t)columns * (size_t)rows;
    tact_vec3 *positions = malloc(sizeof *positions * count), *anchor = malloc(sizeof *anchor * count);
    uint32_t *indices = grid(rows, columns, true, &triangles);
    int index = -1;
    sim->failed = sim->failed || positions == NULL || anchor == NULL || indices == NULL;
    if (!sim->failed) {
        for (size_t i = 0; i < count; i++) {
            const double u = (double)(i % (size_t)columns) / columns;
            const double h = top + (bottom - top) * (double)(i / (size_t)columns) / (rows - 1);
            anchor[i] = tact_vec(u, h, offset);
            positions[i] = body_at(u, h, offset, 0.0);
        }
        index = simulation_add_cloth(sim, positions, count, indices, triangles);
    }
    if (index >= 0) {
        cloth *p = &sim->cloths[index];
        p->anchor = anchor;
        anchor = NULL;
        for (size_t i = 0; i < (size_t)driven_rows * (size_t)columns && i < count; i++)
            p->inverse_mass[i] = 0.0;
    }
    free(positions);
    free(anchor);
    free(indices);
    return index;
}

/* Multiplies the rest lengths around the waist by `factor`, so that the belt presses the layers below to the body. */
static void add_belt(cloth *p, double lower, double upper, double factor)
{
    for (size_t i = 0; i < p->spring_count; i++) {
        const tact_vec3 *a = &p->anchor[p->springs[i].ends[0]], *b = &p->anchor[p->springs[i].ends[1]];
        if (a->y == b->y && a->y > lower && a->y < upper)
            p->springs[i].length *= factor;
    }
}

simulation *scene_garment(int columns, int rows, const tact_world_def *def)
{
    simulation *sim = simulation_create(def);
    if (sim == NULL)
        return NULL;
    sim->step.thickness = 0.002;
    sim->step.friction = 0.3;
    sim->driver = driver;
    (void)add_tube(sim, columns * 3 / 4, rows, body_height, 0.0, 0.0, rows);
    for (int layer = 1; layer <= 3 && !sim->failed; layer++) {
        const int index = add_tube(sim, columns, rows, 1.0, 0.1 + 0.05 * layer, 0.012 * layer, 2);
        if (index >= 0 && layer == 3)
            add_belt(&sim->cloths[index], 0.6, 0.72, 0.8);
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
