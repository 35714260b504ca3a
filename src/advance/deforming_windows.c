/* Windows of pairs with moving vertices: see the header. */
#include "advance/deforming_windows.h"

#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/deforming_contacts.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/number.h"
#include "kinetic/kinetic_constants.h"
#include "shape/mesh_edit.h"

void tact_deforming_windows_drop(deforming_pair *pair, const tact_allocator *allocator)
{
    tact_feature_windows_release(pair->windows);
    pair->windows = NULL;
    for (int i = 0; i < 2; ++i) {
        tact_shape_release(pair->shapes[i]);
        pair->shapes[i] = NULL;
        tact_surface_window_release(pair->surfaces[i]);
        pair->surfaces[i] = NULL;
    }
    feature_triangle_array_release(&pair->triangles, allocator);
    feature_id_array_release(&pair->faces, allocator);
    pair->witness = (overlap_witness){.valid = false};
}

/* ---- the features of two bodies ---- */

/* The shape of a body in its own coordinates, with its current faces. */
static const tact_shape *current_shape(const tact_world *world, uint32_t index)
{
    return world->bodies.items[index].shape;
}

/* What identifies the faces of a body: its shape, or the original of a deformable one, and the version of its faces. */
static tact_shape *original_shape(const tact_world *world, uint32_t index)
{
    const deform *d = world->cold.items[index].deform;
    return d != NULL ? d->original : world->bodies.items[index].shape;
}

static uint64_t edition_of(const tact_world *world, const advance *ad, uint32_t index)
{
    const deform *d = world->cold.items[index].deform;
    if (index < ad->cold.count && ad->cold.items[index].surface != NULL)
        return ad->cold.items[index].surface->edition;
    return d != NULL && d->adjacency.edit != NULL ? d->adjacency.edit->version : 0;
}

/* Whether a rigid body of this shape is tested by features. The vertices of compounds are repeated for each use of a
 * part: only where their events are wanted. */
static bool has_features(const tact_world *world, uint32_t index, uint32_t other)
{
    const tact_shape *shape = current_shape(world, index);
    const deform *d = world->cold.items[index].deform;
    const uint32_t flags = world->bodies.items[index].flags | world->bodies.items[other].flags;
    if (shape->margin > 0.0 || (d != NULL && (d->nurbs != NULL || shape->type == TACT_SOUP)))
        return false;
    return shape->compound == NULL || (flags & BODY_FEATURE_EVENTS) != 0;
}

uint32_t tact_deforming_vertex_count(const tact_world *world, uint32_t index, uint32_t other)
{
    const body_motion_cold *cold = &world->advance->cold.items[index];
    if (cold->is_surface)
        return cold->surface != NULL && cold->surface->tessellation.regular
                   ? (uint32_t)cold->surface->tessellation.vertices.count
                   : 0;
    if (body_motion_deforms(cold))
        return cold->vertex_margin > 0.0 && index != other ? 0 : cold->vertices->vertex_count;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    if (!has_features(world, index, other) || !vec_equal(cold->motion.spin, zero) ||
        !vec_equal(cold->motion.acceleration, zero) || cold->rotation_expiry < INFINITY)
        return 0;
    return tact_feature_mesh_vertex_count(current_shape(world, index));
}

/* The transform of a rigid body when its motion began. */
static tact_transform start_transform(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    tact_transform transform = cold->transform;
    transform.origin = ad->motions.items[index].origin;
    transform.origin = tact_transform_point(transform, vec_negate(cold->pivot));
    return transform;
}

/* Writes the paths of the vertices of a body from now on, or those that held just before. */
static void write_paths(const tact_world *world, uint32_t index, bool before, uint32_t count, linear_path *paths)
{
    const advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    before = before && (cold->is_surface || advance_jumps_now(ad, index));
    if (cold->is_surface) {
        for (uint32_t i = 0; i < count; ++i)
            paths[i] =
                before ? surface_window_path_before(cold->surface, i, ad->time) : surface_window_path(cold->surface, i);
        return;
    }
    if (body_motion_deforms(cold)) {
        const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(cold->vertices, ad->time);
        for (uint32_t i = 0; i < count && before; ++i)
            paths[i] = tact_vertex_plan_path_before(&pieces, i);
        for (uint32_t i = 0; i < count && !before; ++i) {
            linear_path storage;
            double end;
            paths[i] = *vertex_plan_path_of(&pieces, i, &end, &storage);
        }
        return;
    }
    const body_motion *hot = &ad->motions.items[index];
    const body_jump now = {start_transform(world, index), hot->start_time, hot->velocity};
    const body_jump *from = before && advance_jumps_now(ad, index) ? &cold->jump_from : &now;
    for (uint32_t i = 0; i < count; ++i)
        paths[i] = (linear_path){from->start_time, from->start_time, from->transform.origin, from->velocity, true};
    tact_feature_mesh_place(current_shape(world, index), &from->transform, count, &paths->x0, sizeof *paths);
}

/* Appends the triangles of a body, and the numbers of their faces. False: out of memory. */
static bool add_triangles(const tact_world *world, uint32_t index, uint32_t first, deforming_pair *pair)
{
    const tact_allocator *allocator = &world->allocator;
    const surface_window *surface = world->advance->cold.items[index].surface;
    if (surface == NULL)
        return tact_feature_mesh_triangles(current_shape(world, index), first, &pair->triangles, &pair->faces,
                                           allocator);
    for (uint32_t i = 0; i < surface->tessellation.triangles.count; ++i) {
        const uint32_t *v = surface->tessellation.triangles.items[i].vertex;
        if (!feature_triangle_array_push(&pair->triangles, allocator,
                                         (feature_triangle){{first + v[0], first + v[1], first + v[2]}}) ||
            !feature_id_array_push(&pair->faces, allocator, i))
            return false;
    }
    return true;
}

/* The edges and points of both bodies that are in no triangle. */
typedef struct loose_features {
    feature_edge_array edges;
    feature_id_array points;
} loose_features;

static bool add_loose(const tact_world *world, uint32_t index, uint32_t first, loose_features *loose)
{
    return world->advance->cold.items[index].is_surface ||
           tact_feature_mesh_edges_and_points(current_shape(world, index), first, &loose->edges, &loose->points,
                                              &world->allocator);
}

tact_status tact_deforming_windows_make(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                        const uint32_t counts[2])
{
    const tact_allocator *allocator = &world->allocator;
    const bool self = bodies[0] == bodies[1];
    tact_deforming_windows_drop(pair, allocator);
    pair->versions[0] = pair->versions[1] = 0;
    pair->second_vertex = self ? 0 : counts[0];
    loose_features loose = {.edges = {0}};
    bool complete = true;
    for (int i = 0; i < (self ? 1 : 2) && complete; ++i) {
        const uint32_t first = i == 1 ? pair->second_vertex : 0;
        pair->second_triangle = i == 1 || self ? (uint32_t)pair->triangles.count : 0;
        complete = add_triangles(world, bodies[i], first, pair) && add_loose(world, bodies[i], first, &loose);
    }
    const uint32_t vertex_count = self ? counts[0] : counts[0] + counts[1];
    const sweep_part parts[2] = {{counts[0], true}, {vertex_count, true}};
    const feature_windows_def def = {.triangles = (const uint32_t(*)[3])(const void *)pair->triangles.items,
                                     .triangle_count = pair->triangles.count,
                                     .edges = (const uint32_t(*)[2])(const void *)loose.edges.items,
                                     .edge_count = loose.edges.count,
                                     .points = loose.points.items,
                                     .point_count = loose.points.count,
                                     .vertex_count = vertex_count,
                                     .parts = self ? NULL : parts,
                                     .part_count = self ? 0 : 2,
                                     .allocator = *allocator};
    const tact_status status = complete ? tact_feature_windows_create(&pair->windows, &def) : TACT_OUT_OF_MEMORY;
    feature_edge_array_release(&loose.edges, allocator);
    feature_id_array_release(&loose.points, allocator);
    if (status != TACT_OK) {
        tact_deforming_windows_drop(pair, allocator);
        return status;
    }
    for (int i = 0; i < 2; ++i) {
        pair->shapes[i] = tact_shape_retain(original_shape(world, bodies[i]));
        pair->editions[i] = edition_of(world, world->advance, bodies[i]);
        pair->surfaces[i] = tact_surface_window_retain(world->advance->cold.items[bodies[i]].surface);
    }
    return TACT_OK;
}

bool tact_deforming_windows_of_shapes(const tact_world *world, const deforming_pair *pair, const uint32_t bodies[2])
{
    return pair->windows != NULL && pair->shapes[0] == original_shape(world, bodies[0]) &&
           pair->shapes[1] == original_shape(world, bodies[1]);
}

bool tact_deforming_windows_current(const tact_world *world, const advance *ad, const deforming_pair *pair,
                                    const uint32_t bodies[2])
{
    return tact_deforming_windows_of_shapes(world, pair, bodies) &&
           pair->editions[0] == edition_of(world, ad, bodies[0]) &&
           pair->editions[1] == edition_of(world, ad, bodies[1]);
}

/* Whether the windows have these numbers of vertices. */
static bool windows_have_counts(const deforming_pair *pair, const uint32_t bodies[2], const uint32_t counts[2])
{
    const bool self = bodies[0] == bodies[1];
    return pair->second_vertex == (self ? 0 : counts[0]) &&
           tact_feature_windows_vertex_count(pair->windows) == (self ? counts[0] : counts[0] + counts[1]);
}

/* Makes the windows anew, for the current faces. Contacts of features that still exist go on. On failure the old ones
 * stay. */
static tact_status renew_windows(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                 const uint32_t counts[2])
{
    const tact_allocator *allocator = &world->allocator;
    deforming_pair fresh = {.windows = NULL};
    tact_status status = tact_deforming_windows_make(world, &fresh, bodies, counts);
    if (status == TACT_OK && tact_deforming_windows_of_shapes(world, pair, bodies) &&
        tact_feature_windows_has_begun(pair->windows)) {
        deforming_contacts listed;
        status = tact_deforming_contacts_list(world, world->advance, bodies, pair, &listed, allocator)
                     ? TACT_OK
                     : TACT_OUT_OF_MEMORY;
        if (status == TACT_OK) {
            const feature_windows_state state = tact_deforming_contacts_state(&listed);
            memcpy(tact_feature_windows_next_paths(fresh.windows), listed.paths.items,
                   listed.paths.count * sizeof *listed.paths.items);
            status = tact_feature_windows_restore(fresh.windows, world->advance->time, &state);
        }
        fresh.versions[0] = fresh.versions[1] = UINT64_MAX; /* a window begins with the next update */
        tact_deforming_contacts_release(&listed, allocator);
    }
    if (status != TACT_OK) {
        tact_deforming_windows_drop(&fresh, allocator);
        return status;
    }
    tact_deforming_windows_drop(pair, allocator);
    pair->windows = fresh.windows;
    pair->second_vertex = fresh.second_vertex;
    pair->second_triangle = fresh.second_triangle;
    pair->triangles = fresh.triangles;
    pair->faces = fresh.faces;
    for (int i = 0; i < 2; ++i) {
        pair->shapes[i] = fresh.shapes[i];
        pair->surfaces[i] = fresh.surfaces[i];
        pair->editions[i] = fresh.editions[i];
        pair->versions[i] = fresh.versions[i];
    }
    return TACT_OK;
}

/* ---- windows ---- */

static bool is_surface_pair(const advance *ad, const uint32_t bodies[2])
{
    return ad->cold.items[bodies[0]].is_surface || ad->cold.items[bodies[1]].is_surface;
}

double tact_deforming_window_end(const advance *ad, uint32_t a, uint32_t b)
{
    const body_motion_cold *one = &ad->cold.items[a], *other = &ad->cold.items[b];
    double end = number_min(body_motion_known_until(one), body_motion_known_until(other));
    if (end == INFINITY && (!body_motion_deforms(one) || !body_motion_deforms(other)))
        end = number_min(one->expiry, other->expiry); /* a rigid body in uniform motion: the end of its bound */
    return end;
}

/* A duration in which a body moves by at most `way`, turning included. INFINITY: it rests. */
static double duration_of_way(const advance *ad, uint32_t index, double way)
{
    const body_motion_cold *cold = &ad->cold.items[index];
    const tact_motion motion = body_motion_motion(&ad->motions.items[index], cold, ad->time);
    const double speed = vec_max_abs(motion.velocity) + vec_max_abs(motion.spin) * body_motion_reach(cold),
                 acceleration = vec_max_abs(motion.acceleration);
    return number_min(speed > 0.0 ? way / speed : INFINITY, acceleration > 0.0 ? sqrt(way / acceleration) : INFINITY);
}

double tact_deforming_open_duration(const advance *ad, uint32_t a, uint32_t b)
{
    const body_motion_cold *one = &ad->cold.items[a], *other = &ad->cold.items[b];
    const double way = VERTEX_WINDOW_SIZES * max_double(body_motion_size(one) + body_motion_size(other), MIN_SIZE);
    return number_min(duration_of_way(ad, a, way), duration_of_way(ad, b, way));
}

void tact_deforming_windows_write_paths(const tact_world *world, const deforming_pair *pair, const uint32_t bodies[2],
                                        const uint32_t counts[2], bool before)
{
    linear_path *paths = tact_feature_windows_next_paths(pair->windows);
    write_paths(world, bodies[0], before, counts[0], paths);
    if (bodies[0] != bodies[1])
        write_paths(world, bodies[1], before, counts[1], paths + pair->second_vertex);
}

/* ---- forecasts ---- */

/* Two bodies, and the numbers of their vertices. */
typedef struct pair_forecast {
    const tact_world *world;
    uint32_t bodies[2], counts[2];
} pair_forecast;

/* Writes the positions of a body just before a time, as planned now. Returns when its next piece ends. */
static double forecast_body(const tact_world *world, uint32_t index, uint32_t count, double time, tact_vec3 *positions,
                            bool *jumps)
{
    const advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    if (body_motion_deforms(cold)) {
        const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(cold->vertices, time);
        const bool begins = tact_vertex_motion_may_jump(&pieces) && pieces.piece.begin == time;
        for (uint32_t i = 0; i < count; ++i) {
            const linear_path before = tact_vertex_plan_path_before(&pieces, i);
            positions[i] = linear_path_at(&before, time);
            if (begins && !*jumps) {
                const linear_path path = tact_vertex_plan_path(&pieces, i, NULL);
                *jumps = !vec_equal(linear_path_at(&path, time), positions[i]);
            }
        }
        return tact_vertex_plan_next_boundary(&pieces);
    }
    const body_motion *hot = &ad->motions.items[index];
    const tact_transform transform = start_transform(world, index);
    const tact_vec3 way = vec_scale(hot->velocity, time - hot->start_time);
    tact_feature_mesh_place(current_shape(world, index), &transform, count, positions, sizeof *positions);
    for (uint32_t i = 0; i < count; ++i)
        positions[i] = vec_add(positions[i], way);
    return INFINITY;
}

static double forecast_pair(void *context, double time, tact_vec3 *positions, bool *jumps)
{
    const pair_forecast *f = context;
    *jumps = false;
    double next = forecast_body(f->world, f->bodies[0], f->counts[0], time, positions, jumps);
    if (f->bodies[0] != f->bodies[1])
        next = number_min(next,
                          forecast_body(f->world, f->bodies[1], f->counts[1], time, positions + f->counts[0], jumps));
    return next;
}

/* If only the paths of some vertices of one body have changed, within the window: changes them there. False: a window
 * is to begin. */
static bool change_within_window(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], tact_status *status)
{
    const advance *ad = world->advance;
    const body_motion_cold *cold[2] = {&ad->cold.items[bodies[0]], &ad->cold.items[bodies[1]]};
    const int changed = pair->versions[0] != cold[0]->version ? 0 : 1, other = 1 - changed;
    const bool self = bodies[0] == bodies[1];
    if (!(pair->end > ad->time) || cold[changed]->version_before == 0 ||
        pair->versions[changed] != cold[changed]->version_before ||
        (!self && pair->versions[other] != cold[other]->version))
        return false;
    const uint32_t first = cold[changed]->changed_first, count = cold[changed]->changed_end - first;
    const uint32_t start = (changed == 1 && !self ? pair->second_vertex : 0) + first;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(cold[changed]->vertices, ad->time);
    const window_change change = {&pieces, first, start, count};
    if (!tact_feature_windows_can_change(pair->windows, &change))
        return false;
    *status = tact_feature_windows_change(pair->windows, &change, &world->parallel);
    if (*status == TACT_OK) {
        pair->versions[0] = cold[0]->version;
        pair->versions[1] = cold[1]->version;
    }
    return true;
}

/* If all vertices of a body have come to rest at the end of its window with itself: nothing is to be searched, and no
 * path to be written. False: a window is to begin. */
static bool rest_after_window(const advance *ad, deforming_pair *pair, const uint32_t bodies[2])
{
    const body_motion_cold *cold = &ad->cold.items[bodies[0]];
    if (bodies[0] != bodies[1] || cold->version_moving == 0 || pair->versions[0] != cold->version_moving ||
        pair->end != ad->time)
        return false;
    tact_feature_windows_rest(pair->windows);
    pair->versions[0] = pair->versions[1] = cold->version;
    pair->end = INFINITY;
    return true;
}

bool tact_deforming_continues_saved(const advance *ad, const deforming_pair *pair, const uint32_t bodies[2])
{
    return pair->restored && ad->cold.items[bodies[0]].version == RESTORED_VERSION &&
           ad->cold.items[bodies[1]].version == RESTORED_VERSION;
}

tact_status tact_deforming_windows_update(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                          const uint32_t counts[2], bool *changed)
{
    const advance *ad = world->advance;
    const uint64_t versions[2] = {ad->cold.items[bodies[0]].version, ad->cold.items[bodies[1]].version};
    *changed = false;
    tact_status status = TACT_OK;
    if (!tact_deforming_windows_current(world, ad, pair, bodies) || !windows_have_counts(pair, bodies, counts))
        status = renew_windows(world, pair, bodies, counts);
    if (status != TACT_OK)
        return status;
    if (pair->versions[0] == versions[0] && pair->versions[1] == versions[1] && pair->end > ad->time)
        return TACT_OK;
    if (change_within_window(world, pair, bodies, &status) || rest_after_window(ad, pair, bodies)) {
        *changed = true;
        return status;
    }
    if (pair->versions[0] == 0) { /* a new pair: its vertices may jump now */
        tact_deforming_windows_write_paths(world, pair, bodies, counts, true);
        status = tact_feature_windows_begin(pair->windows, ad->time, ad->time, &world->parallel);
        if (status != TACT_OK)
            return status;
    }
    tact_deforming_windows_write_paths(world, pair, bodies, counts, false);
    const bool continues = tact_deforming_continues_saved(ad, pair, bodies);
    double end = continues ? number_min(pair->end, number_min(body_motion_known_until(&ad->cold.items[bodies[0]]),
                                                              body_motion_known_until(&ad->cold.items[bodies[1]])))
                           : tact_deforming_window_end(ad, bodies[0], bodies[1]);
    if (end == INFINITY)
        end = ad->time + tact_deforming_open_duration(ad, bodies[0], bodies[1]);
    if (end < INFINITY)
        end = number_min(end, ANIMATION_MAX_VALUE); /* the largest time of path_ccd.h is beyond */
    if (!(end > ad->time))
        end = nextafter(ad->time, INFINITY);
    pair_forecast planned = {world, {bodies[0], bodies[1]}, {counts[0], counts[1]}};
    tact_feature_windows_set_engine(pair->windows, world->deforming_engine);
    if (!is_surface_pair(ad, bodies)) /* the triangles of a surface after its window are not known */
        tact_feature_windows_set_forecast(pair->windows, &(motion_forecast){&planned, forecast_pair});
    status = tact_feature_windows_begin(pair->windows, ad->time, end, &world->parallel);
    tact_feature_windows_set_forecast(pair->windows, NULL);
    if (status != TACT_OK)
        return status;
    pair->versions[0] = versions[0];
    pair->versions[1] = versions[1];
    pair->end = end;
    pair->restored = false;
    *changed = !continues;
    return TACT_OK;
}
