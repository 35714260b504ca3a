/* Events of pairs with moving vertices: see the header. */
#include "advance/deforming_pair.h"

#include <math.h>
#include <string.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/deforming_contacts.h"
#include "advance/deforming_overlap.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/memory.h"
#include "kinetic/kinetic_constants.h"
#include "shape/mesh_edit.h"

/* ---- memory ---- */

static void drop_windows(deforming_pair *pair, const tact_allocator *allocator)
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

void tact_deforming_pair_release(deforming_pair *pair, const tact_allocator *allocator)
{
    if (pair == NULL)
        return;
    drop_windows(pair, allocator);
    tact_deforming_shape_release(pair->search, allocator);
    tact_memory_free(allocator, pair, 1, sizeof *pair);
}

tact_status tact_deforming_self_update(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    body_motion_cold *cold = &ad->cold.items[index];
    const uint32_t wanted = BODY_SELF_COLLISION | BODY_FEATURE_EVENTS;
    const bool needed = body_motion_deforms(cold) && (world->bodies.items[index].flags & wanted) == wanted;
    if (needed == (cold->self_prediction != 0))
        return TACT_OK;
    if (!needed) {
        tact_prediction_free(ad, cold->self_prediction - 1);
        cold->self_prediction = 0;
        return TACT_OK;
    }
    const uint32_t prediction = tact_prediction_allocate(world);
    if (prediction == NEIGHBOUR_NONE)
        return TACT_OUT_OF_MEMORY;
    cold->self_prediction = prediction + 1;
    return TACT_OK;
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

/* The vertices of a body, if it is tested by features against the other one; otherwise 0. A margin does not count
 * within a body. */
static uint32_t feature_vertex_count(const tact_world *world, uint32_t index, uint32_t other)
{
    const body_motion_cold *cold = &world->advance->cold.items[index];
    if (cold->is_surface)
        return cold->surface != NULL && cold->surface->tessellation.regular
                   ? (uint32_t)cold->surface->tessellation.vertices.count
                   : 0;
    if (body_motion_deforms(cold))
        return cold->vertex_margin > 0.0 && index != other ? 0 : cold->vertices->vertex_count;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    const tact_shape *shape = current_shape(world, index);
    const deform *d = world->cold.items[index].deform;
    if (shape->margin > 0.0 || (d != NULL && d->nurbs != NULL) || !vec_equal(cold->motion.spin, zero) ||
        !vec_equal(cold->motion.acceleration, zero) || cold->rotation_expiry < INFINITY)
        return 0;
    return tact_feature_mesh_vertex_count(shape);
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
    const tact_transform transform = start_transform(world, index);
    const tact_shape *shape = current_shape(world, index);
    for (uint32_t i = 0; i < count; ++i)
        paths[i] =
            (linear_path){hot->start_time, hot->start_time,
                          vec_add(vec_transform(&transform, tact_feature_mesh_vertex(shape, i)), transform.origin),
                          hot->velocity, true};
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

/* Makes the windows for the current faces of both bodies. */
static tact_status make_windows(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                const uint32_t counts[2])
{
    const tact_allocator *allocator = &world->allocator;
    const bool self = bodies[0] == bodies[1];
    drop_windows(pair, allocator);
    pair->versions[0] = pair->versions[1] = 0;
    pair->second_vertex = self ? 0 : counts[0];
    bool complete = true;
    for (int i = 0; i < (self ? 1 : 2) && complete; ++i) {
        pair->second_triangle = i == 1 || self ? (uint32_t)pair->triangles.count : 0;
        complete = add_triangles(world, bodies[i], i == 1 ? pair->second_vertex : 0, pair);
    }
    const uint32_t vertex_count = self ? counts[0] : counts[0] + counts[1];
    const sweep_part parts[2] = {{counts[0], true}, {vertex_count, true}};
    const feature_windows_def def = {.triangles = (const uint32_t(*)[3])(const void *)pair->triangles.items,
                                     .triangle_count = pair->triangles.count,
                                     .vertex_count = vertex_count,
                                     .parts = self ? NULL : parts,
                                     .part_count = self ? 0 : 2,
                                     .allocator = *allocator};
    const tact_status status = complete ? tact_feature_windows_create(&pair->windows, &def) : TACT_OUT_OF_MEMORY;
    if (status != TACT_OK) {
        drop_windows(pair, allocator);
        return status;
    }
    for (int i = 0; i < 2; ++i) {
        pair->shapes[i] = tact_shape_retain(original_shape(world, bodies[i]));
        pair->editions[i] = edition_of(world, world->advance, bodies[i]);
        pair->surfaces[i] = tact_surface_window_retain(world->advance->cold.items[bodies[i]].surface);
    }
    return TACT_OK;
}

/* Whether the windows are those of the current shapes, whose faces may have changed. */
static bool windows_of_shapes(const tact_world *world, const deforming_pair *pair, const uint32_t bodies[2])
{
    return pair->windows != NULL && pair->shapes[0] == original_shape(world, bodies[0]) &&
           pair->shapes[1] == original_shape(world, bodies[1]);
}

/* Whether the windows are those of the current faces. */
static bool windows_current(const tact_world *world, const advance *ad, const deforming_pair *pair,
                            const uint32_t bodies[2])
{
    return windows_of_shapes(world, pair, bodies) && pair->editions[0] == edition_of(world, ad, bodies[0]) &&
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
    tact_status status = make_windows(world, &fresh, bodies, counts);
    if (status == TACT_OK && windows_of_shapes(world, pair, bodies) && tact_feature_windows_has_begun(pair->windows)) {
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
        drop_windows(&fresh, allocator);
        return status;
    }
    drop_windows(pair, allocator);
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

/* Until when the motions of both bodies hold and their bounds are known. A body at rest has no end. */
static double window_end(const advance *ad, uint32_t a, uint32_t b)
{
    const body_motion_cold *one = &ad->cold.items[a], *other = &ad->cold.items[b];
    double end = fmin(body_motion_known_until(one), body_motion_known_until(other));
    if (end == INFINITY && (!body_motion_deforms(one) || !body_motion_deforms(other)))
        end = fmin(one->expiry, other->expiry); /* a rigid body in uniform motion: the end of its bound */
    return end;
}

/* A rigid body in uniform motion against vertices at rest, without a bound that ends: a duration in which it moves by
 * VERTEX_WINDOW_SIZES of both. INFINITY: both rest. */
static double open_duration(const advance *ad, uint32_t a, uint32_t b)
{
    const body_motion_cold *one = &ad->cold.items[a], *other = &ad->cold.items[b];
    const double speed =
        max_double(vec_max_abs(ad->motions.items[a].velocity), vec_max_abs(ad->motions.items[b].velocity));
    const double size = max_double(body_motion_size(one) + body_motion_size(other), MIN_SIZE);
    return speed > 0.0 ? VERTEX_WINDOW_SIZES * size / speed : INFINITY;
}

static void write_pair_paths(const tact_world *world, const deforming_pair *pair, const uint32_t bodies[2],
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
    const tact_shape *shape = current_shape(world, index);
    const tact_vec3 way = vec_scale(hot->velocity, time - hot->start_time);
    for (uint32_t i = 0; i < count; ++i)
        positions[i] =
            vec_add(vec_add(vec_transform(&transform, tact_feature_mesh_vertex(shape, i)), transform.origin), way);
    return INFINITY;
}

static double forecast_pair(void *context, double time, tact_vec3 *positions, bool *jumps)
{
    const pair_forecast *f = context;
    *jumps = false;
    double next = forecast_body(f->world, f->bodies[0], f->counts[0], time, positions, jumps);
    if (f->bodies[0] != f->bodies[1])
        next = fmin(next, forecast_body(f->world, f->bodies[1], f->counts[1], time, positions + f->counts[0], jumps));
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

/* Whether a pair continues as in the saved world: neither body has changed since. */
static bool continues_saved(const advance *ad, const deforming_pair *pair, const uint32_t bodies[2])
{
    return pair->restored && ad->cold.items[bodies[0]].version == RESTORED_VERSION &&
           ad->cold.items[bodies[1]].version == RESTORED_VERSION;
}

/* Begins a window now, if the motions have changed or the last one has ended. `*changed`: the pair has other contacts
 * to come than at the last update, and its window does not continue that of a saved world. */
static tact_status update_window(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                 const uint32_t counts[2], bool *changed)
{
    const advance *ad = world->advance;
    const uint64_t versions[2] = {ad->cold.items[bodies[0]].version, ad->cold.items[bodies[1]].version};
    *changed = false;
    tact_status status = TACT_OK;
    if (!windows_current(world, ad, pair, bodies) || !windows_have_counts(pair, bodies, counts))
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
        write_pair_paths(world, pair, bodies, counts, true);
        status = tact_feature_windows_begin(pair->windows, ad->time, ad->time, &world->parallel);
        if (status != TACT_OK)
            return status;
    }
    write_pair_paths(world, pair, bodies, counts, false);
    const bool continues = continues_saved(ad, pair, bodies);
    double end = continues ? fmin(pair->end, fmin(body_motion_known_until(&ad->cold.items[bodies[0]]),
                                                  body_motion_known_until(&ad->cold.items[bodies[1]])))
                           : window_end(ad, bodies[0], bodies[1]);
    if (end == INFINITY)
        end = ad->time + open_duration(ad, bodies[0], bodies[1]);
    if (end < INFINITY)
        end = fmin(end, ANIMATION_MAX_VALUE); /* the largest time of path_ccd.h is beyond */
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

/* ---- events ---- */

/* Whether the triangles of a body are not its surface. */
static bool approximates(const tact_world *world, uint32_t index)
{
    return world->advance->cold.items[index].is_surface || current_shape(world, index)->surface_error > 0.0;
}

static bool wants_features(const tact_world *world, const uint32_t bodies[2])
{
    return ((world->bodies.items[bodies[0]].flags | world->bodies.items[bodies[1]].flags) & BODY_FEATURE_EVENTS) != 0;
}

/* Removes the events up to now of a pair that overlaps: they are not wanted. */
static void pass_events(deforming_pair *pair, double now)
{
    const feature_event *event;
    while (pair->windows != NULL && (event = tact_feature_windows_next(pair->windows)) != NULL &&
           event->ccd.lower <= now) {
        tact_deforming_note_contact(pair, event);
        tact_feature_windows_pop(pair->windows);
    }
}

/* A pair that overlaps: examines it when it is time. */
static tact_status update_overlap(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], bool wanted,
                                  bool changed, pair_prediction *r)
{
    const double now = world->advance->time;
    if (!wanted)
        pass_events(pair, now);
    if (changed || r->state == PAIR_TOUCHING) {
        tact_deforming_forget_contacts(pair, now);
        tact_deforming_plan_examination(pair, now);
    }
    return now < pair->next_examination ? TACT_OK : tact_deforming_examine_contact(world, pair, bodies, r);
}

/* Predicts by features. */
static tact_status update_by_features(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                      const uint32_t counts[2], pair_prediction *r)
{
    const advance *ad = world->advance;
    const bool self = bodies[0] == bodies[1], wanted = wants_features(world, bodies);
    bool changed;
    if (!self && pair_overlaps(r->state) && !wanted)
        pass_events(pair, ad->time); /* else they would count as events of the next window */
    tact_status status = update_window(world, pair, bodies, counts, &changed);
    if (status == TACT_OK && !self && !pair->examined) {
        status = tact_deforming_test_overlap(world, bodies, pair);
        pair->examined = status == TACT_OK;
        pair->overlaps_at_start = pair->overlaps_at_start && r->state == PAIR_APART;
    }
    if (status == TACT_OK && !self && pair_overlaps(r->state))
        status = update_overlap(world, pair, bodies, wanted, changed, r);
    if (status != TACT_OK)
        return status;
    const bool touches = !self && !pair_overlaps(r->state); /* the next contact is a touch */
    const feature_event *event = wanted || touches ? tact_feature_windows_next(pair->windows) : NULL;
    r->time = touches && pair->overlaps_at_start ? ad->time
              : event != NULL                    ? max_double(event->ccd.lower, ad->time)
                                                 : INFINITY;
    r->valid_until = pair->end;
    if (!self && !touches && pair->next_examination < fmin(r->time, r->valid_until)) {
        r->time = INFINITY; /* to be examined first: the next contact may be a touch */
        r->valid_until = pair->next_examination;
    }
    return TACT_OK;
}

/* Predicts by shape: the touch of a pair that is apart, or the next examination of one that overlaps. */
static tact_status update_by_shape(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                   pair_prediction *r)
{
    const advance *ad = world->advance;
    tact_status status = TACT_OK;
    pair->search_end = window_end(ad, bodies[0], bodies[1]);
    if (pair->search_end == INFINITY)
        pair->search_end = ad->time + open_duration(ad, bodies[0], bodies[1]);
    if (!(pair->search_end > ad->time))
        pair->search_end = nextafter(ad->time, INFINITY);
    if (!pair->examined) {
        status = tact_deforming_test_overlap(world, bodies, pair);
        pair->examined = status == TACT_OK;
        pair->overlaps_at_start = pair->overlaps_at_start && r->state == PAIR_APART;
    }
    bool found = false;
    const double soon = fmin(pair->search_end, ad->time + world->contact_step);
    if (status == TACT_OK && pair_has_bounced(r->state) && soon > ad->time)
        status = tact_contact_predict_bounced(world, bodies, soon, r, &found);
    if (found) {
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        pair->restored = false;
        pair->interval = 0.0;
        pair->point = r->point;
        r->valid_until = fmin(r->valid_until, soon);
        return TACT_OK;
    }
    const bool continues = continues_saved(ad, pair, bodies) && pair->next_examination > ad->time;
    if (status == TACT_OK && pair_overlaps(r->state) && !(continues && r->state != PAIR_TOUCHING))
        status = tact_deforming_examine_overlap(world, pair, bodies, pair->search_end, r);
    if (status != TACT_OK)
        return status;
    pair->restored = false;
    if (pair_overlaps(r->state)) {
        r->valid_until = fmin(pair->search_end, pair->next_examination);
        return TACT_OK;
    }
    if (pair->overlaps_at_start) {
        r->time = ad->time;
        return TACT_OK;
    }
    const double end = pair->search_end < INFINITY ? pair->search_end : ad->time; /* at rest, all instants are alike */
    status = tact_deforming_search_contact(world, pair, bodies, end, 0.0, r);
    if (status == TACT_OK && r->time == INFINITY && r->valid_until >= end)
        r->valid_until = pair->search_end;
    pair->point = r->point;
    return status;
}

/* Whether the touch that was predicted by shape or separation still is: only features have been reported since. */
static bool touch_holds(const advance *ad, const deforming_pair *pair, const uint32_t bodies[2],
                        const pair_prediction *r)
{
    return pair->examined && !pair->restored && r->state != PAIR_TOUCHING && ad->time < pair->touch_valid_until &&
           pair->touch_versions[0] == ad->cold.items[bodies[0]].version &&
           pair->touch_versions[1] == ad->cold.items[bodies[1]].version;
}

/* Predicts the touch by shape or separation, and the contacts of the triangles by features. */
static tact_status update_with_surfaces(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                        const uint32_t counts[2], pair_prediction *r)
{
    const advance *ad = world->advance;
    const bool restored = pair->restored;
    bool changed;
    tact_status status = update_window(world, pair, bodies, counts, &changed);
    if (status != TACT_OK)
        return status;
    if (bodies[0] != bodies[1] && !touch_holds(ad, pair, bodies, r)) {
        pair->restored = restored;
        status = update_by_shape(world, pair, bodies, r);
        if (status != TACT_OK)
            return status;
        pair->touch_time = r->time;
        pair->touch_valid_until = r->time < INFINITY ? INFINITY : r->valid_until;
        pair->touch_versions[0] = ad->cold.items[bodies[0]].version;
        pair->touch_versions[1] = ad->cold.items[bodies[1]].version;
    }
    const feature_event *event = tact_feature_windows_next(pair->windows);
    const bool self = bodies[0] == bodies[1];
    r->time = self ? INFINITY : pair->touch_time;
    r->valid_until = self ? pair->end : fmin(pair->touch_valid_until, pair->end);
    if (event != NULL)
        r->time = fmin(r->time, max_double(event->ccd.lower, ad->time));
    if (r->valid_until < r->time)
        r->time = INFINITY; /* to be examined first */
    return TACT_OK;
}

tact_event_kind tact_deforming_pair_event(tact_world *world, uint32_t a, uint32_t b, pair_prediction *r)
{
    const uint32_t bodies[2] = {a, b};
    deforming_pair *pair = r->deforming;
    const feature_event *event = pair->windows != NULL ? tact_feature_windows_next(pair->windows) : NULL;
    const bool has_event = event != NULL && event->ccd.lower <= world->advance->time;
    pair->features = (tact_event_features){.kind = TACT_VERTEX_FACE};
    pair->bodies[0] = a;
    pair->bodies[1] = b;
    if (has_event)
        tact_deforming_features_set(world, pair, bodies, event);
    if (a != b && !pair_overlaps(r->state)) { /* a touch; its features are reported next, if they are wanted */
        (void)pair_observe(r, PAIR_SEES_EVENT);
        if (pair->overlaps_at_start)
            memcpy(r->parts, pair->overlapping, sizeof r->parts);
        else if (has_event)
            for (int i = 0; i < 2; ++i)
                r->parts[i] = bodies[i] == pair->bodies[0] ? pair->features.part_a : pair->features.part_b;
        r->point = pair->point;
        if (!has_event)
            tact_deforming_places_set(world, pair, bodies, r);
        pair->overlaps_at_start = false;
        pair->interval = 0.0;
        pair->touches_until = world->advance->time;
        if (has_event) /* from body A of the features to body B */
            r->normal = pair->bodies[0] == a ? pair->features.ccd.normal : vec_negate(pair->features.ccd.normal);
        return TACT_EVENT_TOUCH;
    }
    if (!has_event)
        return TACT_EVENT_NONE;
    if (a != b && !approximates(world, a) && !approximates(world, b))
        tact_deforming_note_contact(pair, event);
    tact_feature_windows_pop(pair->windows);
    return wants_features(world, bodies) ? TACT_EVENT_FEATURES : TACT_EVENT_NONE;
}

/* Whether the window of a pair has an event to report now. */
static bool has_event_now(const tact_world *world, const uint32_t bodies[2], const pair_prediction *r)
{
    const deforming_pair *pair = r->deforming;
    const feature_event *event =
        pair != NULL && pair->windows != NULL ? tact_feature_windows_next(pair->windows) : NULL;
    const bool touches = bodies[0] != bodies[1] && !pair_overlaps(r->state);
    return event != NULL && event->ccd.lower <= world->advance->time && (touches || wants_features(world, bodies));
}

static tact_status ensure_pair(const tact_world *world, pair_prediction *r)
{
    if (r->deforming != NULL)
        return TACT_OK;
    r->deforming = tact_memory_allocate(&world->allocator, 1, sizeof *r->deforming);
    if (r->deforming == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(r->deforming, 0, sizeof *r->deforming);
    return TACT_OK;
}

tact_status tact_deforming_pair_update(tact_world *world, uint32_t a, uint32_t b, pair_prediction *r)
{
    const advance *ad = world->advance;
    const uint32_t bodies[2] = {a, b};
    r->time = INFINITY;
    r->valid_until = r->superseded_at;
    if (!(ad->cold.items[a].expiry > ad->time) || !(ad->cold.items[b].expiry > ad->time)) {
        /* one of them gets another window now, and the pair is examined then; after the last contacts of this window */
        if (has_event_now(world, bodies, r))
            r->time = ad->time;
        return TACT_OK;
    }
    const tact_status status = ensure_pair(world, r);
    if (status != TACT_OK)
        return status;
    const uint32_t counts[2] = {feature_vertex_count(world, a, b), feature_vertex_count(world, b, a)};
    const bool features = counts[0] > 0 && counts[1] > 0;
    const bool exact = !approximates(world, a) && !approximates(world, b);
    if (features && exact)
        return update_by_features(world, r->deforming, bodies, counts, r);
    if (features && wants_features(world, bodies))
        return update_with_surfaces(world, r->deforming, bodies, counts, r);
    drop_windows(r->deforming, &world->allocator);
    return a != b ? update_by_shape(world, r->deforming, bodies, r) : TACT_OK;
}

tact_status tact_deforming_pair_update_contact(tact_world *world, const persistent_contact *c, pair_prediction *r)
{
    const advance *ad = world->advance;
    r->time = INFINITY;
    r->valid_until = r->superseded_at;
    if (!(ad->cold.items[c->body[0]].expiry > ad->time) || !(ad->cold.items[c->body[1]].expiry > ad->time))
        return TACT_OK; /* one of them gets another window now, and the pair is examined then */
    const tact_status status = ensure_pair(world, r);
    if (status != TACT_OK)
        return status;
    deforming_pair *pair = r->deforming;
    drop_windows(pair, &world->allocator);
    if (continues_saved(ad, pair, c->body)) { /* the prediction of the saved world, made from another time */
        pair->restored = false;
        r->time = pair->next_examination < INFINITY ? max_double(pair->next_examination, ad->time) : INFINITY;
        r->valid_until = fmin(pair->search_end, r->superseded_at);
        return TACT_OK;
    }
    pair->examined = pair->overlaps_at_start = pair->restored = false; /* after the contact they may overlap */
    pair->versions[0] = pair->versions[1] = 0;
    pair->interval = 0.0;
    pair->touch_versions[0] = pair->touch_versions[1] = 0;
    const tact_status found = tact_contact_predict_deforming(world, c, r);
    pair->next_examination = r->time;
    pair->search_end = max_double(r->valid_until, nextafter(ad->time, INFINITY));
    return found;
}

/* ---- saved worlds ---- */

deforming_state tact_deforming_pair_describe(const tact_world *world, const advance *ad, uint32_t a, uint32_t b,
                                             const deforming_pair *pair, const pair_prediction *r)
{
    const uint32_t bodies[2] = {a, b};
    const bool has_windows = windows_of_shapes(world, pair, bodies) && tact_feature_windows_has_begun(pair->windows);
    const bool same_faces = has_windows && advance_has_motion(ad, a) && advance_has_motion(ad, b) &&
                            windows_current(world, ad, pair, bodies);
    const overlap_witness none = {.valid = false}, *witness = same_faces ? &pair->witness : &none;
    bool current = advance_has_motion(ad, a) && advance_has_motion(ad, b);
    if (r == NULL)
        current = current && pair->restored;
    else if (has_windows)
        current = current && windows_current(world, ad, pair, bodies) &&
                  pair->versions[0] == ad->cold.items[a].version && pair->versions[1] == ad->cold.items[b].version &&
                  pair->end > ad->time;
    else
        current = current && r->version != 0 && r->version >= ad->cold.items[a].version &&
                  r->version >= ad->cold.items[b].version && (r->time < INFINITY || r->valid_until > ad->time);
    return (deforming_state){
        .a = a,
        .b = b,
        .flags = (has_windows ? (uint32_t)DEFORMING_WINDOWS : 0u) | (current ? (uint32_t)DEFORMING_CURRENT : 0u) |
                 (pair->examined && !pair->overlaps_at_start ? (uint32_t)DEFORMING_EXAMINED : 0u) |
                 (witness->valid ? (uint32_t)DEFORMING_WITNESS : 0u),
        .end = has_windows ? pair->end : pair->search_end,
        .interval = pair->interval,
        .next_examination = pair->next_examination,
        .touches_until = pair->touches_until,
        .witness = {witness->first[0], witness->end[0], witness->first[1], witness->end[1]},
        .pair = has_windows ? pair : NULL,
        .path_count = has_windows && !current ? tact_deforming_contacts_path_count(world, ad, bodies, pair) : 0};
}

/* The witness of a saved pair, whose windows have been made. False: it is invalid. */
static bool restore_witness(const deforming_state *state, deforming_pair *pair)
{
    const uint32_t middle = pair->second_triangle, last = (uint32_t)pair->triangles.count, *w = state->witness;
    const bool valid = state->flags & DEFORMING_WITNESS;
    pair->witness = (overlap_witness){.valid = valid, .first = {w[0], w[2]}, .end = {w[1], w[3]}};
    if (w[1] == 0 && w[3] == 0)
        return !valid && w[0] == 0 && w[2] == 0;
    return state->a != state->b && w[0] < w[1] && w[1] <= middle && middle <= w[2] && w[2] < w[3] && w[3] <= last;
}

/* The windows of a saved pair. */
static tact_status restore_windows(tact_world *world, const deforming_state *state, deforming_pair *pair)
{
    const uint32_t bodies[2] = {state->a, state->b};
    const uint32_t counts[2] = {feature_vertex_count(world, bodies[0], bodies[1]),
                                feature_vertex_count(world, bodies[1], bodies[0])};
    if (counts[0] == 0 || counts[1] == 0)
        return TACT_OK; /* by shape from now on */
    const tact_status status = make_windows(world, pair, bodies, counts);
    if (status != TACT_OK)
        return status;
    if (state->path_count != (state->flags & DEFORMING_CURRENT ? 0 : tact_feature_windows_vertex_count(pair->windows)))
        return TACT_BAD_ARGUMENT;
    if (!restore_witness(state, pair))
        return TACT_BAD_ARGUMENT;
    write_pair_paths(world, pair, bodies, counts, false);
    for (size_t i = 0; i < state->path_count; ++i) {
        if (!tact_linear_path_valid(&state->paths[i]))
            return TACT_BAD_ARGUMENT;
        tact_feature_windows_next_paths(pair->windows)[i] = state->paths[i];
    }
    pair->versions[0] = pair->versions[1] = UINT64_MAX; /* a window begins with the next update */
    return tact_feature_windows_restore(pair->windows, world->advance->time, &state->contacts);
}

tact_status tact_deforming_pair_restore(tact_world *world, const deforming_state *state, deforming_pair **made)
{
    const bool current = state->flags & DEFORMING_CURRENT;
    *made = NULL;
    if (isnan(state->end) || (current && !(state->end > world->advance->time)) || !(state->interval >= 0.0) ||
        !(state->interval < INFINITY) || !(state->next_examination >= 0.0) || !(fabs(state->touches_until) < INFINITY))
        return TACT_BAD_ARGUMENT;
    deforming_pair *pair = tact_memory_allocate(&world->allocator, 1, sizeof *pair);
    if (pair == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(pair, 0, sizeof *pair);
    pair->end = pair->search_end = state->end;
    pair->interval = state->interval;
    pair->next_examination = state->next_examination;
    pair->touches_until = state->touches_until;
    pair->examined = state->flags & DEFORMING_EXAMINED;
    pair->restored = current;
    const tact_status status = state->flags & DEFORMING_WINDOWS ? restore_windows(world, state, pair) : TACT_OK;
    if (status != TACT_OK) {
        tact_deforming_pair_release(pair, &world->allocator);
        return status;
    }
    *made = pair;
    return TACT_OK;
}
