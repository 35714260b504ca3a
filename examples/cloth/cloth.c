/* The cloth simulator. See cloth.h. */
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

/* ---- creation ---- */

simulation *simulation_create(const tact_world_def *def)
{
    simulation *sim = calloc(1, sizeof *sim);
    if (sim == NULL)
        return NULL;
    sim->world = tact_world_create(def);
    sim->gravity = 9.81;
    sim->drag = 0.5;
    sim->solver_iterations = 12;
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
    for (int i = 0; i < CLOTH_MAX; i++) {
        cloth *p = &sim->cloths[i];
        obstacle *o = &sim->obstacles[i];
        void *const blocks[] = {p->position, p->target,  p->velocity, p->inverse_mass, p->anchor,
                                p->indices,  p->springs, o->points,   o->indices};
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

static tact_body make_body(simulation *sim, const tact_vec3 *points, size_t count, const uint32_t *indices,
                           size_t triangle_count, tact_body_def def)
{
    tact_shape *mesh = tact_mesh(points, count, indices, triangle_count);
    def.shape = mesh;
    const tact_body body = tact_body_create(sim->world, &def);
    tact_shape_release(mesh); /* the body keeps a reference */
    return body;
}

int simulation_add_obstacle(simulation *sim, const tact_vec3 *points, size_t count, const uint32_t *indices,
                            size_t triangle_count, tact_transform transform, tact_motion motion)
{
    if (sim->obstacle_count == CLOTH_MAX)
        return -1;
    obstacle *o = &sim->obstacles[sim->obstacle_count++];
    o->points = copy(points, count, sizeof *points);
    o->indices = copy(indices, 3 * triangle_count, sizeof *indices);
    o->count = count;
    o->triangle_count = triangle_count;
    o->body = make_body(sim, points, count, indices, triangle_count,
                        (tact_body_def){.transform = transform, .motion = motion});
    sim->failed = sim->failed || o->points == NULL || o->indices == NULL || o->body.generation == 0;
    return sim->failed ? -1 : sim->obstacle_count - 1;
}

/* An edge of a triangle and the vertex opposite to it. */
typedef struct edge_side {
    uint32_t ends[2], opposite;
} edge_side;

static int compare_edges(const void *a, const void *b)
{
    const edge_side *s = a, *t = b;
    if (s->ends[0] != t->ends[0])
        return s->ends[0] < t->ends[0] ? -1 : 1;
    if (s->ends[1] != t->ends[1])
        return s->ends[1] < t->ends[1] ? -1 : 1;
    return s->opposite < t->opposite ? -1 : s->opposite > t->opposite;
}

static bool make_springs(cloth *p)
{
    const double stretching = 0.9, bending = 0.05;
    const size_t count = 3 * p->triangle_count;
    edge_side *edge_sides = malloc(count * sizeof *edge_sides);
    p->springs = malloc(2 * count * sizeof *p->springs);
    if (edge_sides == NULL || p->springs == NULL) {
        free(edge_sides);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *c = p->indices + i / 3 * 3;
        const uint32_t a = c[i % 3], b = c[(i + 1) % 3];
        edge_sides[i] = (edge_side){{a < b ? a : b, a < b ? b : a}, c[(i + 2) % 3]};
    }
    qsort(edge_sides, count, sizeof *edge_sides, compare_edges);
    for (size_t i = 0; i < count; i++) {
        const edge_side *s = &edge_sides[i], *before = i > 0 ? &edge_sides[i - 1] : NULL;
        const bool again = before != NULL && before->ends[0] == s->ends[0] && before->ends[1] == s->ends[1];
        const uint32_t a = again ? before->opposite : s->ends[0], b = again ? s->opposite : s->ends[1];
        p->springs[p->spring_count++] =
            (spring){{a, b}, distance(p->position[a], p->position[b]), again ? bending : stretching};
    }
    free(edge_sides);
    return true;
}

int simulation_add_cloth(simulation *sim, const tact_vec3 *positions, size_t count, const uint32_t *indices,
                         size_t triangle_count)
{
    if (sim->cloth_count == CLOTH_MAX)
        return -1;
    cloth *p = &sim->cloths[sim->cloth_count++];
    p->count = count;
    p->triangle_count = triangle_count;
    p->position = copy(positions, count, sizeof *positions);
    p->target = copy(positions, count, sizeof *positions);
    p->velocity = calloc(count, sizeof *p->velocity);
    p->inverse_mass = malloc(count * sizeof *p->inverse_mass);
    p->indices = copy(indices, 3 * triangle_count, sizeof *indices);
    if (p->position == NULL || p->target == NULL || p->velocity == NULL || p->inverse_mass == NULL ||
        p->indices == NULL || !make_springs(p)) {
        sim->failed = true;
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        p->inverse_mass[i] = 1.0;
    p->body = make_body(sim, positions, count, indices, triangle_count, (tact_body_def){.deformable = true});
    sim->failed = sim->failed || p->body.generation == 0;
    return sim->failed ? -1 : sim->cloth_count - 1;
}

/* ---- a step ---- */

/* Projects all distance constraints, one after another (Gauss-Seidel). */
static void project_springs(cloth *p)
{
    for (size_t i = 0; i < p->spring_count; i++) {
        const spring *s = &p->springs[i];
        tact_vec3 *a = &p->target[s->ends[0]], *b = &p->target[s->ends[1]];
        const double wa = p->inverse_mass[s->ends[0]], wb = p->inverse_mass[s->ends[1]], length = distance(*a, *b);
        if (wa + wb == 0.0 || length == 0.0)
            continue;
        const double correction = s->stiffness * (length - s->length) / (length * (wa + wb));
        const tact_vec3 d = plus(*b, -1.0, *a);
        *a = plus(*a, wa * correction, d);
        *b = plus(*b, -wb * correction, d);
    }
}

tact_status simulation_predict(simulation *sim)
{
    const double h = sim->step.duration;
    for (int i = 0; i < sim->cloth_count; i++) {
        cloth *p = &sim->cloths[i];
        for (size_t k = 0; k < p->count; k++) {
            if (p->inverse_mass[k] > 0.0)
                p->velocity[k].y -= h * sim->gravity;
            p->target[k] = p->inverse_mass[k] > 0.0 ? plus(p->position[k], h, p->velocity[k]) : p->position[k];
            if (p->inverse_mass[k] == 0.0 && p->anchor != NULL && sim->driver != NULL)
                p->target[k] = sim->driver(p->anchor[k], sim->time + h);
        }
        for (int pass = 0; pass < sim->solver_iterations; pass++)
            project_springs(p);
        tact_status status = tact_body_set_step_positions(sim->world, p->body, p->position, p->target);
        if (status == TACT_OK)
            status = tact_body_set_inverse_vertex_masses(sim->world, p->body, p->inverse_mass);
        if (status != TACT_OK)
            return status;
    }
    return TACT_OK;
}

tact_step_result simulation_resolve(simulation *sim) { return tact_step_resolve(sim->world, &sim->step); }

void simulation_finish_step(simulation *sim, tact_step_result done)
{
    const double h = sim->step.duration * done.time, damping = exp(-sim->drag * h);
    for (int i = 0; i < sim->cloth_count; i++) {
        cloth *p = &sim->cloths[i];
        for (size_t k = 0; k < p->count; k++) {
            const tact_vec3 path = plus(p->target[k], -1.0, p->position[k]);
            p->velocity[k] = h > 0.0 ? plus(tact_vec(0, 0, 0), damping / h, path) : tact_vec(0, 0, 0);
            p->position[k] = p->target[k];
        }
    }
    sim->time += h;
}

tact_step_result simulation_step(simulation *sim)
{
    const tact_status status = simulation_predict(sim);
    if (status != TACT_OK)
        return (tact_step_result){.status = status};
    const tact_step_result done = simulation_resolve(sim);
    if (done.status == TACT_OK)
        simulation_finish_step(sim, done);
    return done;
}

/* ---- exact check ---- */

size_t simulation_triangles(const simulation *sim)
{
    size_t count = 0;
    for (int i = 0; i < sim->cloth_count; i++)
        count += sim->cloths[i].triangle_count;
    for (int i = 0; i < sim->obstacle_count; i++)
        count += sim->obstacles[i].triangle_count;
    return count;
}

static void append(tact_vec3 *points, size_t *point_count, uint32_t *indices, size_t *index_count,
                   const tact_vec3 *added, size_t added_count, const uint32_t *added_indices, size_t added_triangles,
                   tact_transform at)
{
    for (size_t i = 0; i < 3 * added_triangles; i++)
        indices[(*index_count)++] = (uint32_t)*point_count + added_indices[i];
    for (size_t i = 0; i < added_count; i++)
        points[(*point_count)++] = tact_transform_point(at, added[i]);
}

size_t simulation_intersections(const simulation *sim)
{
    size_t point_count = 0, index_count = 0, capacity = 0;
    for (int i = 0; i < sim->cloth_count; i++)
        capacity += sim->cloths[i].count;
    for (int i = 0; i < sim->obstacle_count; i++)
        capacity += sim->obstacles[i].count;
    tact_vec3 *points = malloc(capacity * sizeof *points);
    uint32_t *indices = malloc(3 * simulation_triangles(sim) * sizeof *indices);
    size_t found = SIZE_MAX;
    if (points != NULL && indices != NULL) {
        for (int i = 0; i < sim->cloth_count; i++) {
            const cloth *p = &sim->cloths[i];
            append(points, &point_count, indices, &index_count, p->position, p->count, p->indices, p->triangle_count,
                   tact_identity());
        }
        for (int i = 0; i < sim->obstacle_count; i++) {
            const obstacle *o = &sim->obstacles[i];
            append(points, &point_count, indices, &index_count, o->points, o->count, o->indices, o->triangle_count,
                   tact_body_get_transform(sim->world, o->body));
        }
        tact_shape *all = tact_mesh(points, point_count, indices, index_count / 3);
        const tact_mesh_findings f = tact_mesh_check(all);
        if (f.status == TACT_OK)
            found = f.self_intersections;
        tact_shape_release(all);
    }
    free(points);
    free(indices);
    return found;
}
