/* Key-framed meshes: memory, in-between frames, and the two scenes of cloth. See keyframe_scene.h. */
#include "keyframe_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/cloth/cloth.h"

#define STEPS_PER_KEY_FRAME 4 /* of 0.01 s */

static const double pi = 3.141592653589793;

/* ---- scenes ---- */

bool tact_keyframe_scene_allocate(keyframe_scene *scene, size_t vertices, size_t triangles, size_t frames)
{
    scene->vertex_count = vertices;
    scene->triangle_count = triangles;
    scene->frame_count = frames;
    scene->positions = malloc((vertices * frames + 1) * sizeof *scene->positions);
    scene->triangles = malloc((triangles + 1) * sizeof *scene->triangles);
    if (scene->positions != NULL && scene->triangles != NULL)
        return true;
    tact_keyframe_scene_release(scene);
    return false;
}

void tact_keyframe_scene_release(keyframe_scene *scene)
{
    free(scene->positions);
    free(scene->triangles);
    *scene = (keyframe_scene){.name = scene->name};
}

void tact_keyframe_scene_round(keyframe_scene *scene)
{
    const double grid = 1000.0 * 0x1p-40;
    for (size_t i = 0; i < scene->vertex_count * scene->frame_count; i++) {
        tact_vec3 *p = &scene->positions[i];
        *p = tact_vec(grid * round(p->x / grid), grid * round(p->y / grid), grid * round(p->z / grid));
    }
}

void tact_keyframe_between(const keyframe_scene *scene, size_t interval, int k, int steps, tact_vec3 *positions)
{
    const tact_vec3 *start = keyframe_positions(scene, interval), *end = keyframe_positions(scene, interval + 1);
    for (size_t i = 0; i < scene->vertex_count; i++) { /* all operations are exact */
        positions[i].x = start[i].x + (end[i].x - start[i].x) / steps * k;
        positions[i].y = start[i].y + (end[i].y - start[i].y) / steps * k;
        positions[i].z = start[i].z + (end[i].z - start[i].z) / steps * k;
    }
}

/* ---- simulated cloth ---- */

/* The triangles of a grid of `side` x `side` points, with alternating diagonals. */
static void grid_triangles(int side, uint32_t first, bool flipped, uint32_t *indices)
{
    size_t n = 0;
    for (int i = 0; i + 1 < side; i++)
        for (int k = 0; k + 1 < side; k++) {
            const uint32_t a = first + (uint32_t)(i * side + k), b = a + 1, c = a + (uint32_t)side, d = c + 1;
            const uint32_t one[6] = {a, b, d, a, d, c}, other[6] = {a, b, c, b, d, c};
            const uint32_t *two = (i + k) % 2 == 0 ? one : other;
            for (int j = 0; j < 6; j++)
                indices[n++] = flipped ? two[j / 3 * 3 + 2 - j % 3] : two[j];
        }
}

/* Adds a square cloth of `cells` x `cells` squares; `place` maps (u, v) in [0, 1]^2 to its positions. */
static bool add_cloth(simulation *sim, int cells, tact_vec3 (*place)(double u, double v))
{
    const int side = cells + 1;
    const size_t count = (size_t)side * (size_t)side, triangles = 2 * (size_t)cells * (size_t)cells;
    tact_vec3 *positions = malloc(count * sizeof *positions);
    uint32_t *indices = malloc(3 * triangles * sizeof *indices);
    int made = -1;
    if (positions != NULL && indices != NULL) {
        for (size_t i = 0; i < count; i++)
            positions[i] = place((double)(i % (size_t)side) / cells, (double)(i / (size_t)side) / cells);
        grid_triangles(side, 0, false, indices);
        made = simulation_add_cloth(sim, positions, count, indices, triangles);
    }
    free(positions);
    free(indices);
    return made >= 0;
}

/* Allocates the key frames of the simulation: its cloth, then its obstacle, if any. */
static bool begin_frames(keyframe_scene *scene, const simulation *sim, int frames)
{
    const cloth *c = &sim->cloths[0];
    const obstacle *o = &sim->obstacles[0]; /* all zero if there is none */
    if (!tact_keyframe_scene_allocate(scene, c->count + o->count, c->triangle_count + o->triangle_count,
                                      (size_t)frames))
        return false;
    memcpy(scene->triangles, c->indices, 3 * c->triangle_count * sizeof *c->indices);
    for (size_t i = 0; i < 3 * o->triangle_count; i++)
        scene->triangles[c->triangle_count + i / 3][i % 3] = (uint32_t)c->count + o->indices[i];
    return true;
}

static void add_frame(keyframe_scene *scene, const simulation *sim, int frame)
{
    const cloth *c = &sim->cloths[0];
    const obstacle *o = &sim->obstacles[0];
    tact_vec3 *positions = scene->positions + (size_t)frame * scene->vertex_count;
    memcpy(positions, c->position, c->count * sizeof *positions);
    if (o->count > 0)
        memcpy(positions + c->count, o->points, o->count * sizeof *positions);
}

/* Simulates the key frames, after `skipped` steps. Takes the simulation. */
static bool simulate(keyframe_scene *scene, simulation *sim, int frames, int skipped, bool contacts)
{
    bool done = sim != NULL && !sim->failed && begin_frames(scene, sim, frames);
    for (int step = -skipped; done && step <= (frames - 1) * STEPS_PER_KEY_FRAME; step++) {
        if (step >= 0 && step % STEPS_PER_KEY_FRAME == 0)
            add_frame(scene, sim, step / STEPS_PER_KEY_FRAME);
        if (contacts) {
            done = simulation_step(sim).status == TACT_OK;
        } else if ((done = simulation_predict(sim) == TACT_OK)) {
            simulation_finish_step(sim, (tact_step_result){.status = TACT_OK, .time = 1.0});
        }
    }
    simulation_release(sim);
    if (done)
        tact_keyframe_scene_round(scene);
    else
        tact_keyframe_scene_release(scene);
    return done;
}

/* ---- tablecloth ---- */

static const double table_half = 0.5, table_top = 0.75, cloth_half = 0.8;

static tact_vec3 place_tablecloth(double u, double v)
{
    const double angle = 0.25, x = cloth_half * (2.0 * u - 1.0), z = cloth_half * (2.0 * v - 1.0);
    const double ripple = 0.004 * sin(5.0 * pi * u) * cos(4.0 * pi * v);
    return tact_vec(x * cos(angle) - z * sin(angle), table_top + 0.02 + ripple, x * sin(angle) + z * cos(angle));
}

/* The top of a table: a slab with a grid of `cells` x `cells` squares above and below. */
static bool add_table(simulation *sim, int cells)
{
    const double thickness = 0.03;
    const int side = cells + 1;
    const size_t each = (size_t)side * (size_t)side;
    const size_t triangles = 4 * (size_t)cells * (size_t)cells + 8 * (size_t)cells;
    tact_vec3 *points = malloc(2 * each * sizeof *points);
    uint32_t *indices = malloc(3 * triangles * sizeof *indices), *next = indices;
    int made = -1;
    if (points != NULL && indices != NULL) {
        for (size_t i = 0; i < 2 * each; i++)
            points[i] = tact_vec(table_half * (2.0 * (double)(i % (size_t)side) / cells - 1.0),
                                 i < each ? table_top : table_top - thickness,
                                 table_half * (2.0 * (double)(i % each / (size_t)side) / cells - 1.0));
        grid_triangles(side, 0, true, next);
        next += 6 * cells * cells;
        grid_triangles(side, (uint32_t)each, false, next);
        next += 6 * cells * cells;
        for (int i = 0; i < 4 * cells; i++) { /* around the rim */
            const int edge = i / cells, k = i % cells;
            const int at[4] = {k, k * side + cells, cells * side + cells - k, (cells - k) * side};
            const int step[4] = {1, side, -1, -side};
            const uint32_t a = (uint32_t)at[edge], b = (uint32_t)(at[edge] + step[edge]), n = (uint32_t)each;
            memcpy(next, (uint32_t[6]){a, b, b + n, a, b + n, a + n}, 6 * sizeof *next);
            next += 6;
        }
        made = simulation_add_obstacle(sim, points, 2 * each, indices, triangles, tact_identity(), tact_motion_still());
    }
    free(points);
    free(indices);
    return made >= 0;
}

bool tact_keyframe_tablecloth(keyframe_scene *scene, int cells, int frames)
{
    *scene = (keyframe_scene){.name = "tablecloth"};
    simulation *sim = simulation_create(NULL);
    if (sim != NULL) {
        sim->step.thickness = 0.1 * 2.0 * cloth_half / cells;
        sim->step.friction = 0.4;
        sim->drag = 1.0;
        if (!add_cloth(sim, cells, place_tablecloth) || !add_table(sim, cells < 10 ? 2 : 10))
            sim->failed = true;
    }
    return simulate(scene, sim, frames, 8, true);
}

/* ---- swirling cloth ---- */

static tact_vec3 place_swirl(double u, double v) { return tact_vec(u - 0.5, 1.0 - v, 0.05 * sin(6.0 * u + 4.0 * v)); }

/* The upper edge turns about the vertical axis, to and fro, a turn and a half each way. */
static tact_vec3 drive_swirl(tact_vec3 anchor, double time)
{
    const double angle = 1.5 * pi * (1.0 - cos(2.0 * pi * time / 1.6)), c = cos(angle), s = sin(angle);
    return tact_vec(c * anchor.x - s * anchor.z, anchor.y, s * anchor.x + c * anchor.z);
}

/* Catmull-Rom weights of four points around the fraction t of the middle interval. */
static void spline_weights(double t, double weights[4])
{
    weights[0] = 0.5 * t * (-1.0 + t * (2.0 - t));
    weights[1] = 1.0 + 0.5 * t * t * (-5.0 + 3.0 * t);
    weights[2] = 0.5 * t * (1.0 + t * (4.0 - 3.0 * t));
    weights[3] = 0.5 * t * t * (t - 1.0);
}

/* The interval of a grid that contains u, 0 to 1, and the weights of the four points from the one before it. */
static int find_interval(double u, int cells, double weights[4])
{
    const int at = (int)(u * cells) < cells ? (int)(u * cells) : cells - 1;
    spline_weights(u * cells - at, weights);
    return at;
}

/* A point of the smooth surface through a grid of points, u and v from 0 to 1. */
static tact_vec3 surface_at(const tact_vec3 *points, int cells, double u, double v)
{
    double across[4], along[4];
    const int column = find_interval(u, cells, across), row = find_interval(v, cells, along), side = cells + 1;
    tact_vec3 sum = tact_vec(0, 0, 0);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            int r = row + i - 1, c = column + k - 1;
            r = r < 0 ? 0 : r > cells ? cells : r;
            c = c < 0 ? 0 : c > cells ? cells : c;
            const tact_vec3 p = points[r * side + c];
            const double w = along[i] * across[k];
            sum = tact_vec(sum.x + w * p.x, sum.y + w * p.y, sum.z + w * p.z);
        }
    return sum;
}

/* The same cloth at another resolution. */
static bool resample(const keyframe_scene *simulated, int simulated_cells, keyframe_scene *scene, int cells)
{
    const size_t side = (size_t)cells + 1;
    if (!tact_keyframe_scene_allocate(scene, side * side, 2 * (size_t)cells * (size_t)cells, simulated->frame_count))
        return false;
    grid_triangles(cells + 1, 0, false, scene->triangles[0]);
    for (size_t frame = 0; frame < scene->frame_count; frame++)
        for (size_t i = 0; i < scene->vertex_count; i++)
            scene->positions[frame * scene->vertex_count + i] =
                surface_at(keyframe_positions(simulated, frame), simulated_cells, (double)(i % side) / cells,
                           (double)(i / side) / cells);
    tact_keyframe_scene_round(scene);
    return true;
}

bool tact_keyframe_swirl(keyframe_scene *scene, int cells, int frames)
{
    /* of the simulation: the motion is the same at every resolution from 32 on; smaller scenes are made faster */
    const int simulated_cells = cells < 32 ? 24 : 64;
    *scene = (keyframe_scene){.name = "swirling cloth"};
    keyframe_scene simulated = *scene;
    simulation *sim = simulation_create(NULL);
    if (sim != NULL && !add_cloth(sim, simulated_cells, place_swirl))
        sim->failed = true;
    if (sim != NULL && !sim->failed) {
        cloth *c = &sim->cloths[0];
        c->anchor = malloc(c->count * sizeof *c->anchor);
        sim->driver = drive_swirl;
        sim->failed = c->anchor == NULL;
        for (size_t i = 0; !sim->failed && i < c->count; i++) {
            c->anchor[i] = c->position[i];
            c->inverse_mass[i] = i <= (size_t)simulated_cells ? 0.0 : 1.0;
        }
    }
    const bool done =
        simulate(&simulated, sim, frames, 40, false) && resample(&simulated, simulated_cells, scene, cells);
    tact_keyframe_scene_release(&simulated);
    return done;
}
