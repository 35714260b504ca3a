/*
 * Touches of two bodies with moving points, at least one of which is a NURBS surface (advance/surface_motion.h) or has
 * a margin.
 *
 * From now until the end of the window all vertices move linearly. Surfaces that touch have triangles that are as near
 * as the sum of their distances from the surfaces. So the first contact is that of two features of the triangles, with
 * this sum as minimum separation (sweep/sweep.h): never late, and at that time the surfaces are at most twice the sum
 * apart. Triangles that the other body cannot reach are left out.
 *
 * Cost: about a microsecond per triangle that is near the other body.
 */
#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/deforming_pair.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/number.h"
#include "sweep/sweep.h"

ARRAY_OF(moving_position_array, tact_vec3);

/* The vertices of both bodies now and at the end, and the triangles of both that may meet. */
typedef struct surfaces_scene {
    moving_position_array start, end;
    feature_triangle_array triangles;
    feature_id_array faces; /* of each triangle, as its body numbers them */
    uint32_t second_vertex; /* of the second body */
    double separation;      /* length */
} surfaces_scene;

static void release_scene(surfaces_scene *s, const tact_allocator *allocator)
{
    moving_position_array_release(&s->start, allocator);
    moving_position_array_release(&s->end, allocator);
    feature_triangle_array_release(&s->triangles, allocator);
    feature_id_array_release(&s->faces, allocator);
}

/* Appends the vertices of a body. `jump`: where they jump from and to now, or else where they are now and at the end.
 * False: out of memory. */
static bool add_vertices(const tact_world *world, surfaces_scene *s, uint32_t index, double end, bool jump)
{
    const advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    const surface_window *surface = cold->surface;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(cold->vertices, ad->time);
    const uint32_t count =
        surface != NULL ? (uint32_t)surface->tessellation.vertices.count : cold->vertices->vertex_count;
    double error = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        const linear_path path =
            surface != NULL ? surface_window_path(surface, i) : tact_vertex_plan_path(&pieces, i, NULL);
        const linear_path first =
            jump && surface == NULL && advance_jumps_now(ad, index) ? tact_vertex_plan_path_before(&pieces, i) : path;
        const double last = jump ? ad->time : end;
        error = max_double(
            error, max_double(linear_path_error(&path, ad->time, last), linear_path_error(&first, ad->time, ad->time)));
        if (!moving_position_array_push(&s->start, &world->allocator, linear_path_at(&first, ad->time)) ||
            !moving_position_array_push(&s->end, &world->allocator, linear_path_at(&path, last)))
            return false;
    }
    s->separation += surface_motion_reach(cold) + 2.0 * error; /* in each coordinate */
    return true;
}

/* The box of the ways of some vertices, enlarged by the separation. */
static void find_bounds(const surfaces_scene *s, uint32_t first, uint32_t end, tact_vec3 bounds[2])
{
    bounds[0] = vec_make(INFINITY, INFINITY, INFINITY);
    bounds[1] = vec_negate(bounds[0]);
    for (uint32_t i = first; i < end; ++i)
        for (int k = 0; k < 2; ++k) {
            const tact_vec3 p = k == 0 ? s->start.items[i] : s->end.items[i];
            bounds[0] =
                vec_make(number_min(bounds[0].x, p.x), number_min(bounds[0].y, p.y), number_min(bounds[0].z, p.z));
            bounds[1] =
                vec_make(number_max(bounds[1].x, p.x), number_max(bounds[1].y, p.y), number_max(bounds[1].z, p.z));
        }
    const double slack = s->separation * (1.0 + SURFACE_SEPARATION) +
                         EXPIRY_ROUNDOFF * max_double(vec_max_abs(bounds[0]), vec_max_abs(bounds[1]));
    bounds[0] = vec_sub(bounds[0], vec_make(slack, slack, slack));
    bounds[1] = vec_add(bounds[1], vec_make(slack, slack, slack));
}

/* Whether the way of a triangle is beyond one side of the bounds. */
static bool is_beyond(const surfaces_scene *s, const uint32_t vertices[3], const tact_vec3 bounds[2])
{
    for (int axis = 0; axis < 3; ++axis) {
        bool below = true, above = true;
        for (int k = 0; k < 6; ++k) {
            const tact_vec3 p = (k < 3 ? s->start.items : s->end.items)[vertices[k % 3]];
            below = below && vec_component(p, axis) < vec_component(bounds[0], axis);
            above = above && vec_component(p, axis) > vec_component(bounds[1], axis);
        }
        if (below || above)
            return true;
    }
    return false;
}

/* Appends the triangles of a body that may meet the other one. False: out of memory. */
static bool add_triangles(const tact_world *world, surfaces_scene *s, uint32_t index, uint32_t first,
                          const tact_vec3 bounds[2])
{
    const surface_window *surface = world->advance->cold.items[index].surface;
    const mesh *m = world->bodies.items[index].shape->mesh;
    const size_t count = surface != NULL ? surface->tessellation.triangles.count : m->element_count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t *from =
            surface != NULL ? surface->tessellation.triangles.items[i].vertex : m->indices + 3 * (size_t)i;
        const feature_triangle triangle = {{first + from[0], first + from[1], first + from[2]}};
        if (!is_beyond(s, triangle.vertices, bounds) &&
            (!feature_triangle_array_push(&s->triangles, &world->allocator, triangle) ||
             !feature_id_array_push(&s->faces, &world->allocator, surface != NULL ? i : mesh_face(m, i))))
            return false;
    }
    return true;
}

static tact_status make_scene(const tact_world *world, surfaces_scene *s, const uint32_t bodies[2], double end,
                              bool jump, size_t *first_count)
{
    if (!add_vertices(world, s, bodies[0], end, jump))
        return TACT_OUT_OF_MEMORY;
    s->second_vertex = (uint32_t)s->start.count;
    if (!add_vertices(world, s, bodies[1], end, jump))
        return TACT_OUT_OF_MEMORY;
    tact_vec3 bounds[2][2];
    find_bounds(s, 0, s->second_vertex, bounds[0]);
    find_bounds(s, s->second_vertex, (uint32_t)s->start.count, bounds[1]);
    if (!add_triangles(world, s, bodies[0], 0, bounds[1]))
        return TACT_OUT_OF_MEMORY;
    *first_count = s->triangles.count;
    return add_triangles(world, s, bodies[1], s->second_vertex, bounds[0]) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

/* The face of a triangle with one or two vertices: there is one. */
static uint32_t face_with(const surfaces_scene *s, const uint32_t *vertices, int count)
{
    for (size_t i = 0; i < s->triangles.count; ++i) {
        int found = 0;
        for (int k = 0; k < 3; ++k)
            found += s->triangles.items[i].vertices[k] == vertices[0] ||
                     (count == 2 && s->triangles.items[i].vertices[k] == vertices[1]);
        if (found == count)
            return s->faces.items[i];
    }
    return 0;
}

/* The contact of the sweep: its time, never after the true one, point and normal. */
static void take_contact(const advance *ad, const surfaces_scene *s, const sweep_contact *c, double end,
                         pair_prediction *r)
{
    const double time = nextafter(ad->time + c->ccd.lower * (end - ad->time), -INFINITY);
    uint32_t v[4] = {c->index[0], c->index[1], c->index[2], c->index[3]};
    const int first = c->kind == TACT_VERTEX_FACE ? 1 : 2; /* points of A */
    if (c->kind == TACT_VERTEX_FACE)
        for (int k = 0; k < 3; ++k)
            v[1 + k] = s->triangles.items[c->index[1]].vertices[k];
    tact_vec3 on[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < 4; ++k) {
        const tact_vec3 x0 = s->start.items[v[k]], x1 = s->end.items[v[k]];
        const tact_vec3 p = vec_add(vec_scale(x0, 1.0 - c->ccd.lower), vec_scale(x1, c->ccd.lower));
        on[k < first ? 0 : 1] = vec_mul_add(on[k < first ? 0 : 1], c->ccd.weights[k], p);
    }
    if (c->ccd.status == TACT_NOT_CONVERGED && time > ad->time) {
        r->valid_until = time; /* the search goes on from there */
        return;
    }
    r->time = max_double(time, ad->time);
    r->point = vec_scale(vec_add(on[0], on[1]), 0.5);
    r->normal = v[0] < s->second_vertex ? c->ccd.normal : vec_negate(c->ccd.normal);
    const bool by_face = c->kind == TACT_VERTEX_FACE;
    const int a = v[0] < s->second_vertex ? 0 : 1; /* the body of the first feature */
    r->parts[a] = (tact_part){0, face_with(s, v, by_face ? 1 : 2)};
    r->parts[1 - a] = (tact_part){0, by_face ? s->faces.items[c->index[1]] : face_with(s, v + 2, 2)};
}

tact_status tact_deforming_surfaces_search(tact_world *world, const uint32_t bodies[2], double end, double wider,
                                           bool jump, pair_prediction *r)
{
    surfaces_scene scene = {.separation = wider};
    mesh_sweep *sweep = NULL;
    size_t first_count = 0;
    r->time = INFINITY;
    r->valid_until = end;
    tact_status status = make_scene(world, &scene, bodies, end, jump, &first_count);
    if (status == TACT_OK && first_count > 0 && first_count < scene.triangles.count) {
        const sweep_part parts[2] = {{scene.second_vertex, true}, {(uint32_t)scene.start.count, true}};
        sweep_def def = sweep_def_default();
        def.vertices = scene.start.items;
        def.vertex_count = scene.start.count;
        def.triangles = (const uint32_t(*)[3])(const void *)scene.triangles.items;
        def.triangle_count = scene.triangles.count;
        def.parts = parts;
        def.part_count = 2;
        def.allocator = world->allocator;
        status = tact_mesh_sweep_create(&sweep, &def);
        sweep_step step = sweep_step_default();
        step.start = scene.start.items;
        step.end = scene.end.items;
        step.mode = SWEEP_EARLIEST;
        step.separation = scene.separation;
        step.parallel = &world->parallel;
        if (status == TACT_OK)
            status = tact_mesh_sweep_run(sweep, &step);
        if (status == TACT_OK && tact_mesh_sweep_count(sweep) > 0)
            take_contact(world->advance, &scene, tact_mesh_sweep_contact(sweep, 0), jump ? world->advance->time : end,
                         r);
    }
    tact_mesh_sweep_release(sweep);
    release_scene(&scene, &world->allocator);
    return status;
}
