/* The simulator: see cloth.h. */
#include "cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>

/* ---- vectors ---- */

static tact_vec3 plus(tact_vec3 a, double s, tact_vec3 b)
{
    return tact_vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static double distance(tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 d = plus(a, -1.0, b);
    return sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

/* ---- making ---- */

simulation *simulation_create(const tact_world_def *def)
{
    simulation *sim = calloc(1, sizeof *sim);
    if (sim == NULL)
        return NULL;
    sim->world = tact_world_create(def);
    sim->gravity = 9.81;
    sim->drag = 0.5;
    sim->passes = 12;
    sim->step = tact_step_def_default();
    sim->step.duration = 0.01;
    if (sim->world != NULL)
        return sim;
    free(sim);
    return NULL;
}

void simulation_release(simulation *sim)
{
    if (sim == NULL)
        return;
    tact_world_release(sim->world);
    for (int i = 0; i < CLOTH_MOST; i++) {
        piece *p = &sim->pieces[i];
        obstacle *o = &sim->obstacles[i];
        void *const blocks[] = {p->now,     p->goal,    p->velocity, p->inverse, p->home,
                                p->corners, p->springs, o->points,   o->corners};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
            free(blocks[k]);
    }
    free(sim);
}

static void *copy(const void *items, size_t count, size_t size)
{
    void *made = malloc(count * size);
    if (made != NULL)
        memcpy(made, items, count * size);
    return made;
}

static tact_body make_body(simulation *sim, const tact_vec3 *points, size_t count, const uint32_t *corners,
                           size_t triangle_count, tact_body_def def)
{
    tact_shape *mesh = tact_mesh(points, count, corners, triangle_count);
    def.shape = mesh;
    const tact_body body = tact_body_create(sim->world, &def);
    tact_shape_release(mesh); /* the body holds it */
    return body;
}

int simulation_add_obstacle(simulation *sim, const tact_vec3 *points, size_t count, const uint32_t *corners,
                            size_t triangle_count, tact_transform place, tact_motion motion)
{
    if (sim->obstacle_count == CLOTH_MOST)
        return -1;
    obstacle *o = &sim->obstacles[sim->obstacle_count++];
    o->points = copy(points, count, sizeof *points);
    o->corners = copy(corners, 3 * triangle_count, sizeof *corners);
    o->count = count;
    o->triangle_count = triangle_count;
    o->body =
        make_body(sim, points, count, corners, triangle_count, (tact_body_def){.transform = place, .motion = motion});
    sim->failed = sim->failed || o->points == NULL || o->corners == NULL || o->body.generation == 0;
    return sim->failed ? -1 : sim->obstacle_count - 1;
}

/* An edge of a triangle, with the corner opposite to it. */
typedef struct side {
    uint32_t ends[2], opposite;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *s = a, *t = b;
    if (s->ends[0] != t->ends[0])
        return s->ends[0] < t->ends[0] ? -1 : 1;
    if (s->ends[1] != t->ends[1])
        return s->ends[1] < t->ends[1] ? -1 : 1;
    return s->opposite < t->opposite ? -1 : s->opposite > t->opposite;
}

static bool make_springs(piece *p)
{
    const double stretching = 0.9, bending = 0.05;
    const size_t count = 3 * p->triangle_count;
    side *sides = malloc(count * sizeof *sides);
    p->springs = malloc(2 * count * sizeof *p->springs);
    if (sides == NULL || p->springs == NULL) {
        free(sides);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *c = p->corners + i / 3 * 3;
        const uint32_t a = c[i % 3], b = c[(i + 1) % 3];
        sides[i] = (side){{a < b ? a : b, a < b ? b : a}, c[(i + 2) % 3]};
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t i = 0; i < count; i++) {
        const side *s = &sides[i], *before = i > 0 ? &sides[i - 1] : NULL;
        const bool again = before != NULL && before->ends[0] == s->ends[0] && before->ends[1] == s->ends[1];
        const uint32_t a = again ? before->opposite : s->ends[0], b = again ? s->opposite : s->ends[1];
        p->springs[p->spring_count++] = (spring){{a, b}, distance(p->now[a], p->now[b]), again ? bending : stretching};
    }
    free(sides);
    return true;
}

int simulation_add_piece(simulation *sim, const tact_vec3 *places, size_t count, const uint32_t *corners,
                         size_t triangle_count)
{
    if (sim->piece_count == CLOTH_MOST)
        return -1;
    piece *p = &sim->pieces[sim->piece_count++];
    p->count = count;
    p->triangle_count = triangle_count;
    p->now = copy(places, count, sizeof *places);
    p->goal = copy(places, count, sizeof *places);
    p->velocity = calloc(count, sizeof *p->velocity);
    p->inverse = malloc(count * sizeof *p->inverse);
    p->corners = copy(corners, 3 * triangle_count, sizeof *corners);
    if (p->now == NULL || p->goal == NULL || p->velocity == NULL || p->inverse == NULL || p->corners == NULL ||
        !make_springs(p)) {
        sim->failed = true;
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        p->inverse[i] = 1.0;
    p->body = make_body(sim, places, count, corners, triangle_count, (tact_body_def){.deformable = true});
    sim->failed = sim->failed || p->body.generation == 0;
    return sim->failed ? -1 : sim->piece_count - 1;
}

/* ---- a step ---- */

/* Pulls the ends of all springs, one after another, towards their lengths. */
static void pull(piece *p)
{
    for (size_t i = 0; i < p->spring_count; i++) {
        const spring *s = &p->springs[i];
        tact_vec3 *a = &p->goal[s->ends[0]], *b = &p->goal[s->ends[1]];
        const double wa = p->inverse[s->ends[0]], wb = p->inverse[s->ends[1]], length = distance(*a, *b);
        if (wa + wb == 0.0 || length == 0.0)
            continue;
        const double share = s->stiffness * (length - s->length) / (length * (wa + wb));
        const tact_vec3 d = plus(*b, -1.0, *a);
        *a = plus(*a, wa * share, d);
        *b = plus(*b, -wb * share, d);
    }
}

tact_status simulation_aim(simulation *sim)
{
    const double h = sim->step.duration;
    for (int i = 0; i < sim->piece_count; i++) {
        piece *p = &sim->pieces[i];
        for (size_t k = 0; k < p->count; k++) {
            if (p->inverse[k] > 0.0)
                p->velocity[k].y -= h * sim->gravity;
            p->goal[k] = p->inverse[k] > 0.0 ? plus(p->now[k], h, p->velocity[k]) : p->now[k];
            if (p->inverse[k] == 0.0 && p->home != NULL && sim->lead != NULL)
                p->goal[k] = sim->lead(p->home[k], sim->time + h);
        }
        for (int pass = 0; pass < sim->passes; pass++)
            pull(p);
        tact_status status = tact_body_set_step_positions(sim->world, p->body, p->now, p->goal);
        if (status == TACT_OK)
            status = tact_body_set_inverse_vertex_masses(sim->world, p->body, p->inverse);
        if (status != TACT_OK)
            return status;
    }
    return TACT_OK;
}

tact_step_result simulation_resolve(simulation *sim) { return tact_step_resolve(sim->world, &sim->step); }

void simulation_settle(simulation *sim, tact_step_result done)
{
    const double h = sim->step.duration * done.time, keep = exp(-sim->drag * h);
    for (int i = 0; i < sim->piece_count; i++) {
        piece *p = &sim->pieces[i];
        for (size_t k = 0; k < p->count; k++) {
            const tact_vec3 path = plus(p->goal[k], -1.0, p->now[k]);
            p->velocity[k] = h > 0.0 ? plus(tact_vec(0, 0, 0), keep / h, path) : tact_vec(0, 0, 0);
            p->now[k] = p->goal[k];
        }
    }
    sim->time += h;
}

tact_step_result simulation_step(simulation *sim)
{
    const tact_status status = simulation_aim(sim);
    if (status != TACT_OK)
        return (tact_step_result){.status = status};
    const tact_step_result done = simulation_resolve(sim);
    if (done.status == TACT_OK)
        simulation_settle(sim, done);
    return done;
}

/* ---- the exact check ---- */

size_t simulation_triangles(const simulation *sim)
{
    size_t count = 0;
    for (int i = 0; i < sim->piece_count; i++)
        count += sim->pieces[i].triangle_count;
    for (int i = 0; i < sim->obstacle_count; i++)
        count += sim->obstacles[i].triangle_count;
    return count;
}

static void append(tact_vec3 *points, size_t *point_count, uint32_t *corners, size_t *corner_count,
                   const tact_vec3 *more, size_t more_count, const uint32_t *more_corners, size_t more_triangles,
                   tact_transform at)
{
    for (size_t i = 0; i < 3 * more_triangles; i++)
        corners[(*corner_count)++] = (uint32_t)*point_count + more_corners[i];
    for (size_t i = 0; i < more_count; i++)
        points[(*point_count)++] = tact_transform_point(at, more[i]);
}

size_t simulation_intersections(const simulation *sim)
{
    size_t point_count = 0, corner_count = 0, most = 0;
    for (int i = 0; i < sim->piece_count; i++)
        most += sim->pieces[i].count;
    for (int i = 0; i < sim->obstacle_count; i++)
        most += sim->obstacles[i].count;
    tact_vec3 *points = malloc(most * sizeof *points);
    uint32_t *corners = malloc(3 * simulation_triangles(sim) * sizeof *corners);
    size_t found = SIZE_MAX;
    if (points != NULL && corners != NULL) {
        for (int i = 0; i < sim->piece_count; i++) {
            const piece *p = &sim->pieces[i];
            append(points, &point_count, corners, &corner_count, p->now, p->count, p->corners, p->triangle_count,
                   tact_identity());
        }
        for (int i = 0; i < sim->obstacle_count; i++) {
            const obstacle *o = &sim->obstacles[i];
            append(points, &point_count, corners, &corner_count, o->points, o->count, o->corners, o->triangle_count,
                   tact_body_get_transform(sim->world, o->body));
        }
        tact_shape *all = tact_mesh(points, point_count, corners, corner_count / 3);
        const tact_mesh_findings f = tact_mesh_check(all);
        if (f.status == TACT_OK)
            found = f.self_intersections;
        tact_shape_release(all);
    }
    free(points);
    free(corners);
    return found;
}
