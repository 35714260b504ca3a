/*
 * Touches of a rigid body in its true motion (curved, with a margin, spinning or accelerated) and a body whose vertices
 * move. Triangles that the rigid body cannot reach until the end of the window are left out; the others are searched by
 * toi/arc_mesh_toi.h, whose time is never late. For the triangles of a NURBS surface the margin of the rigid body grows
 * by the distance of the surface from them, for those of a mesh by its margin.
 */
#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/deforming_pair.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/memory.h"
#include "toi/arc_mesh_toi.h"

ARRAY_OF(arc_triangle_array, arc_triangle);

/* Memory of a search, kept for the next one. */
struct shape_search {
    arc_mesh_finder finder;
    arc_triangle_array triangles;
};

void tact_deforming_shape_release(struct shape_search *search, const tact_allocator *allocator)
{
    if (search == NULL)
        return;
    tact_arc_mesh_finder_release(&search->finder, allocator);
    arc_triangle_array_release(&search->triangles, allocator);
    tact_memory_free(allocator, search, 1, sizeof *search);
}

/* A window of time in which a rigid body and triangles move, or the way of a jump. Then `begin` is 0 and `end` is 1. */
typedef struct search_window {
    double begin, end;
    bool jump;
} search_window;

/* Bounds in which the rigid body stays in a window: its origin moves along a parabola, which deviates from its chord by
 * at most a h^2 / 8. */
static void rigid_bounds(const advance *ad, uint32_t rigid, const search_window *w, double tolerance,
                         tact_vec3 bounds[2])
{
    const body_motion *hot = &ad->motions.items[rigid];
    const body_motion_cold *cold = &ad->cold.items[rigid];
    const double h = w->jump ? 0.0 : w->end - w->begin;
    const tact_vec3 from = w->jump && advance_jumps_now(ad, rigid) ? body_jump_origin(cold, ad->time)
                                                                   : body_motion_origin(hot, cold, ad->time),
                    to = body_motion_origin(hot, cold, w->jump ? ad->time : w->end);
    const double deviation = vec_max_abs(cold->motion.acceleration) * (0.125 * h * h);
    const double far = vec_max_abs(from) + vec_max_abs(to) + deviation + body_motion_reach(cold);
    const double slack = deviation + tolerance + EXPIRY_ROUNDOFF * far;
    const tact_vec3 wider = vec_make(slack, slack, slack);
    bounds[0] = vec_sub(vec_add(vec_min(from, to), cold->extent_min), wider);
    bounds[1] = vec_add(vec_add(vec_max(from, to), cold->extent_max), wider);
}

/* Whether the points of a triangle, at both ends of their paths, are all beyond one side of the bounds. */
static bool is_beyond(const tact_vec3 bounds[2], const tact_vec3 points[6])
{
    bool below[3] = {true, true, true}, above[3] = {true, true, true};
    for (int i = 0; i < 6; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const double x = vec_component(points[i], axis);
            below[axis] = below[axis] && x < vec_component(bounds[0], axis);
            above[axis] = above[axis] && x > vec_component(bounds[1], axis);
        }
    return below[0] || below[1] || below[2] || above[0] || above[1] || above[2];
}

/* The path of a vertex from where it was just before now to where it is now, in the time from 0 to 1. */
static linear_path jump_path(const vertex_plan_pieces *pieces, uint32_t vertex, bool jumps)
{
    const linear_path after = tact_vertex_plan_path(pieces, vertex, NULL);
    const linear_path before = jumps ? tact_vertex_plan_path_before(pieces, vertex) : after;
    return (linear_path){0.0, 1.0, linear_path_at(&before, pieces->time), linear_path_at(&after, pieces->time), false};
}

/* Lists the triangles that the rigid body may reach. False: out of memory. */
static bool list_triangles(tact_world *world, struct shape_search *search, uint32_t deforming, const search_window *w,
                           const tact_vec3 bounds[2], triangle_filter *filter)
{
    const advance *ad = world->advance;
    const surface_window *surface = ad->cold.items[deforming].surface;
    const mesh *m = world->bodies.items[deforming].shape->mesh;
    const bool jumps = w->jump && advance_jumps_now(ad, deforming);
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(ad->cold.items[deforming].vertices, ad->time);
    const uint32_t count = surface != NULL ? (uint32_t)surface->tessellation.triangles.count : m->element_count;
    search->triangles.count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        arc_triangle triangle = {.face = surface != NULL ? i : mesh_face(m, i)};
        tact_vec3 points[6];
        for (int k = 0; k < 3; ++k) {
            const uint32_t vertex = surface != NULL ? surface->tessellation.triangles.items[i].vertex[k]
                                                    : m->indices[3 * (size_t)i + (size_t)k];
            triangle.path[k] = surface != NULL ? surface_window_path(surface, vertex)
                               : w->jump       ? jump_path(&pieces, vertex, jumps)
                                               : tact_vertex_plan_path(&pieces, vertex, NULL);
            points[k] = linear_path_at(&triangle.path[k], w->begin);
            points[3 + k] = linear_path_at(&triangle.path[k], w->end);
        }
        if (is_beyond(bounds, points) ||
            (filter != NULL && filter->leaves_out(filter->context, &triangle, &filter->begin)))
            continue;
        if (!arc_triangle_array_push(&search->triangles, &world->allocator, triangle))
            return false;
    }
    return true;
}

/* Replaces a half-space by a box below the triangles, far larger than their paths and its own. */
static tact_status replace_halfspace(arc_shape *body, const arc_triangle_array *triangles, const search_window *w,
                                     tact_shape *slab)
{
    halfspace_plane plane;
    if (tact_halfspace_plane(body->shape, &body->at, &plane) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const double h = w->end - w->begin;
    const tact_vec3 above = linear_path_at(&triangles->items[0].path[0], w->begin);
    double reach = fabs(halfspace_height(&plane, above)) + vec_length_safe(body->motion.velocity) * h +
                   0.5 * vec_length_safe(body->motion.acceleration) * h * h + body->extra_margin;
    for (size_t i = 0; i < triangles->count; ++i)
        for (int k = 0; k < 6; ++k)
            reach = max_double(
                reach, vec_length_safe(vec_sub(
                           linear_path_at(&triangles->items[i].path[k % 3], k < 3 ? w->begin : w->end), above)));
    const tact_allocator allocator = body->shape->allocator;
    tact_halfspace_box(&plane, above, HALFSPACE_BOX_REACH * reach + MIN_SIZE, &allocator, slab, &body->at);
    body->shape = slab;
    return TACT_OK;
}

/* The motion of the rigid body in a window. */
static arc_shape rigid_motion(const advance *ad, uint32_t rigid, const search_window *w, double extra)
{
    const body_motion *hot = &ad->motions.items[rigid];
    const body_motion_cold *cold = &ad->cold.items[rigid];
    arc_shape body = {.shape = cold->shape,
                      .at = body_motion_transform(hot, cold, ad->time),
                      .motion = body_motion_motion(hot, cold, ad->time),
                      .t0 = w->begin,
                      .extra_margin = extra};
    if (!w->jump)
        return body;
    const tact_vec3 to = body.at.origin;
    if (advance_jumps_now(ad, rigid))
        body.at.origin = body_jump_origin(cold, ad->time);
    body.motion = (tact_motion){.velocity = vec_sub(to, body.at.origin)};
    return body;
}

/* Lists the triangles that the rigid body may reach in a window, and sets its motion; `slab` is memory for its shape.
 * `reach`: length: triangles that are so near count. */
static tact_status prepare_search(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                  const search_window *w, double extra, double reach, triangle_filter *filter,
                                  arc_shape *body, tact_shape *slab)
{
    if (pair->search == NULL) {
        pair->search = tact_memory_allocate(&world->allocator, 1, sizeof *pair->search);
        if (pair->search == NULL)
            return TACT_OUT_OF_MEMORY;
        memset(pair->search, 0, sizeof *pair->search);
    }
    tact_vec3 bounds[2];
    rigid_bounds(world->advance, rigid, w, reach + extra, bounds);
    if (!list_triangles(world, pair->search, deforming, w, bounds, filter))
        return TACT_OUT_OF_MEMORY;
    *body = rigid_motion(world->advance, rigid, w, extra);
    return shape_is_halfspace(body->shape) && pair->search->triangles.count > 0
               ? replace_halfspace(body, &pair->search->triangles, w, slab)
               : TACT_OK;
}

/* The first contact in a window; its time is within it. */
static tact_status search_window_contacts(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                          const search_window *w, double wider, triangle_filter *filter,
                                          arc_mesh_contact *found)
{
    const advance *ad = world->advance;
    const double extra = wider + surface_motion_reach(&ad->cold.items[deforming]);
    const double size =
        max_double(MIN_SIZE, body_motions_smaller_size(&ad->cold.items[rigid], &ad->cold.items[deforming]));
    const double tolerance = TOUCH_TOLERANCE * size;
    arc_shape body;
    tact_shape slab;
    found->contact = (arc_contact){.status = TACT_OK, .state = TACT_MISS};
    const tact_status status = prepare_search(world, pair, rigid, deforming, w, extra, tolerance, filter, &body, &slab);
    if (status != TACT_OK)
        return status;
    const arc_triangle_array *triangles = &pair->search->triangles;
    if (triangles->count == 0)
        return TACT_OK;
    return tact_arc_mesh_toi(&pair->search->finder, &body, triangles->items, triangles->count,
                             filter != NULL ? filter->begin : w->begin, w->end, tolerance, &world->allocator, found);
}

/* A bound of the speed at which points of the listed triangles and of the rigid body move past each other in a window.
 */
static double window_speed(const arc_shape *body, const body_motion_cold *cold, const search_window *w,
                           const arc_triangle_array *triangles)
{
    const double h = w->end - w->begin;
    double vertices = 0.0;
    for (size_t i = 0; i < triangles->count; ++i)
        for (int k = 0; k < 3; ++k) {
            const linear_path *p = &triangles->items[i].path[k];
            const double duration = p->has_velocity ? 1.0 : p->t1 - p->t0;
            const tact_vec3 way = p->has_velocity ? p->x1 : vec_sub(p->x1, p->x0);
            vertices = max_double(vertices, vec_length_safe(way) / duration);
        }
    return vertices + vec_length_safe(body->motion.velocity) + h * vec_length_safe(body->motion.acceleration) +
           vec_length_safe(body->motion.spin) * body_motion_reach(cold);
}

tact_status tact_deforming_shape_overlap(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                         double end, double distance, double enough, shape_overlap *found)
{
    const advance *ad = world->advance;
    const search_window window = {ad->time, end, false};
    const double extra = surface_motion_reach(&ad->cold.items[deforming]);
    arc_shape body;
    tact_shape slab;
    *found = (shape_overlap){.until = window.begin};
    const tact_status status =
        prepare_search(world, pair, rigid, deforming, &window, extra, distance, NULL, &body, &slab);
    if (status != TACT_OK)
        return status;
    const arc_triangle_array *triangles = &pair->search->triangles;
    if (triangles->count == 0)
        return TACT_OK;
    found->speed = window_speed(&body, &ad->cold.items[rigid], &window, triangles);
    return tact_arc_mesh_overlap_until(&pair->search->finder, &body, triangles->items, triangles->count, window.begin,
                                       end, distance, enough / found->speed, &world->allocator, &found->until);
}

/* Point, normal and parts of a contact. */
static void take_place(const arc_mesh_contact *found, uint32_t rigid, uint32_t deforming, pair_prediction *r)
{
    r->point = found->contact.point;
    r->parts[rigid < deforming ? 0 : 1] = found->part;
    r->parts[rigid < deforming ? 1 : 0] = (tact_part){0, found->face};
    r->normal = rigid < deforming ? found->contact.normal : vec_negate(found->contact.normal);
}

tact_status tact_deforming_shape_search(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                        double end, double wider, triangle_filter *filter, pair_prediction *r)
{
    const search_window window = {world->advance->time, end, false};
    arc_mesh_contact found;
    r->time = INFINITY;
    r->valid_until = end;
    const tact_status status = search_window_contacts(world, pair, rigid, deforming, &window, wider, filter, &found);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED)
        return status;
    if (found.contact.state != TACT_HIT)
        return TACT_OK;
    if (status == TACT_NOT_CONVERGED && found.contact.time > window.begin) {
        r->valid_until = found.contact.time; /* the search goes on from there */
        return TACT_OK;
    }
    r->time = found.contact.time;
    take_place(&found, rigid, deforming, r);
    return TACT_OK;
}

tact_status tact_deforming_shape_jump(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                      pair_prediction *r)
{
    search_window window = {0.0, 1.0, true};
    arc_mesh_contact found;
    r->time = INFINITY;
    tact_status status = search_window_contacts(world, pair, rigid, deforming, &window, 0.0, NULL, &found);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED)
        return status;
    if (found.contact.state != TACT_HIT)
        return TACT_OK;
    r->time = world->advance->time; /* also if it has not converged: rather a touch too many than one missed */
    take_place(&found, rigid, deforming, r);
    return TACT_OK;
}
