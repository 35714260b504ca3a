/*
 * The motion of vertices: playing animations, setting velocities and targets, and the windows in which each vertex
 * stays on one linear path. The contacts are found by deforming_pair.c.
 */
#include "advance/vertex_motion.h"

#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/contact_deforming.h"
#include "advance/contact_step.h"
#include "core/memory.h"
#include "core/number.h"
#include "kinetic/kinetic_constants.h"
#include "math/point_extents.h"
#include "motion/linear_path_range.h"

/* ---- windows ---- */

/* The end of a window that no piece ends. Its duration is limited by how far the body moves (VERTEX_WINDOW_SIZES), how
 * far its vertices move relative to each other (VERTEX_WINDOW_EDGES), and how long its motions have lasted. The last
 * does not count for a surface: saved worlds do not have it, and the triangles of a surface depend on its window.
 * INFINITY: all vertices rest. */
static double open_window_end(const body_motion_cold *cold, const point_extents *velocities,
                              const point_extents *now_extents, double spacing, double now)
{
    const double speed = point_extents_largest(velocities);
    if (speed == 0.0)
        return INFINITY;
    const double size = max_double(vec_max_abs(vec_sub(now_extents->max, now_extents->min)), MIN_SIZE);
    const double spread = vec_max_abs(vec_sub(velocities->max, velocities->min));
    const double count = (double)cold->vertices->vertex_count;
    double edge = size / sqrt(count); /* the length of an edge, about */
    if (cold->is_surface) /* that of a long body is shorter; size / count is the least for points that are not one */
        edge = number_min(edge, number_max(spacing, size / count));
    double duration = VERTEX_WINDOW_SIZES * size / speed;
    if (spread > 0.0)
        duration = number_min(duration, VERTEX_WINDOW_EDGES * edge / spread);
    if (cold->motion_lifetime > 0.0 && !cold->is_surface)
        duration =
            number_min(duration, number_max(PREDICTION_LIFETIMES * cold->motion_lifetime, now - cold->motion_set_at));
    return max_double(number_min(now + duration, ANIMATION_MAX_VALUE), nextafter(now, INFINITY));
}

bool tact_vertex_motion_may_jump(const vertex_plan_pieces *pieces)
{
    const playback *p = &pieces->plan->playback;
    return p->animation != NULL && p->loop && pieces->piece.from == 0;
}

/* The paths of all vertices at the begin of a window. */
typedef struct window_paths {
    point_extents around;     /* of the positions */
    point_extents targets;    /* of paths without a velocity */
    point_extents velocities; /* of the others */
    double end, oldest;       /* the earliest end and start of a piece */
    double largest;           /* coordinate at the start of a path */
    double last_target;       /* the time of the last target; now, if there is none */
} window_paths;

/* Of paths that were all set now. The same as examine_paths, bit for bit. */
static window_paths common_paths_now(const common_paths *common)
{
    window_paths w = {common->starts, point_extents_none(), point_extents_none(),
                      common->end,    common->begin,        point_extents_largest(&common->starts),
                      common->begin};
    if (common->has_velocity) {
        w.velocities = common->ends;
    } else {
        w.targets = common->ends;
        w.last_target = common->end;
    }
    return w;
}

static window_paths examine_paths(const vertex_plan_pieces *pieces)
{
    const vertex_plan *plan = pieces->plan;
    const double now = pieces->time;
    window_paths w = {point_extents_none(), point_extents_none(), point_extents_none(), INFINITY, now, 0.0, now};
    bool some_rest = false;
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        linear_path storage;
        double path_end;
        const vertex_path *own = plan->paths != NULL ? &plan->paths[i] : NULL;
        if (own != NULL && !own->follows && own->end <= now) { /* at rest */
            point_extents_add(&w.around, own->path.x1);
            some_rest = true;
            continue;
        }
        const linear_path *path = vertex_plan_path_of(pieces, i, &path_end, &storage);
        w.end = path_end < w.end ? path_end : w.end;
        w.oldest = path->t0 < w.oldest ? path->t0 : w.oldest;
        w.largest = max_double(w.largest, linear_path_largest(path->x0));
        point_extents_add(&w.around, linear_path_at(path, now));
        if (path->has_velocity) {
            point_extents_add(&w.velocities, path->x1);
        } else {
            point_extents_add(&w.targets, path->x1);
            w.last_target = max_double(w.last_target, path->t1);
        }
    }
    if (some_rest) {
        point_extents_add(&w.velocities, vec_make(0.0, 0.0, 0.0));
        w.largest = max_double(w.largest, point_extents_largest(&w.around));
    }
    return w;
}

/* The mean distance of control points that follow one another: about that of neighbours, as most of them are. */
static double spacing_of(const vertex_plan_pieces *pieces)
{
    double sum = 0.0;
    tact_vec3 last = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < pieces->plan->vertex_count; ++i) {
        const linear_path path = tact_vertex_plan_path(pieces, i, NULL);
        const tact_vec3 p = linear_path_at(&path, pieces->time);
        sum += i > 0 ? vec_length_safe(vec_sub(p, last)) : 0.0;
        last = p;
    }
    return sum / pieces->plan->vertex_count;
}

void tact_vertex_motion_begin_window(body_motion_cold *cold, double now, bool changed, uint64_t batch)
{
    const vertex_plan *plan = cold->vertices;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, now);
    const window_paths w =
        vertex_plan_has_common_paths(plan, now) ? common_paths_now(&plan->common) : examine_paths(&pieces);
    double end = w.end;
    if (cold->restored && cold->rotation_expiry > now && cold->rotation_expiry <= end &&
        cold->rotation_expiry < INFINITY)
        end = cold->rotation_expiry; /* the window of the saved world */
    else if (end == INFINITY)
        end = open_window_end(cold, &w.velocities, &w.around, cold->is_surface ? spacing_of(&pieces) : 0.0, now);
    const double last = end < INFINITY ? end : now, speed = point_extents_largest(&w.velocities);
    point_extents around = w.around;
    if (speed == 0.0 && (w.last_target == now || (w.end == end && w.last_target == end))) {
        point_extents_unite(&around, &w.targets); /* all rest, or reach their targets at the end */
    } else {
        for (uint32_t i = 0; i < plan->vertex_count; ++i) {
            linear_path storage;
            double path_end;
            const linear_path *path = vertex_plan_path_of(&pieces, i, &path_end, &storage);
            point_extents_add(&around, linear_path_at(path, last));
        }
    }
    const double way = max_double(point_extents_largest(&w.targets), (last - w.oldest) * speed);
    const double reach = 2.0 * linear_path_largest_error(w.largest, way) + cold->vertex_margin;
    const tact_vec3 slack = {reach, reach, reach};
    const point_extents before = {cold->window_min, cold->window_max};
    around.min = vec_sub(around.min, slack);
    around.max = vec_add(around.max, slack);
    cold->window_min = around.min;
    cold->window_max = around.max;
    if (cold->sweeps_jumps && (changed || tact_vertex_motion_may_jump(&pieces))) {
        point_extents_unite(&around, &before); /* the last window has the positions from which vertices jump */
        cold->jumped_at = now;
        cold->jump_batch = batch;
    }
    cold->extent_min = around.min;
    cold->extent_max = around.max;
    cold->rotation_expiry = end;
    cold->comes_to_rest = !cold->is_surface && plan->own_count == plan->vertex_count && speed == 0.0 &&
                          end < INFINITY && w.end == end && w.last_target == end;
}

bool tact_vertex_motion_continue_window(body_motion_cold *cold, double now, uint64_t batch)
{
    const vertex_plan *plan = cold->vertices;
    const double end = cold->rotation_expiry;
    if (cold->is_surface || plan->changed_all || !(end > now) || !(end < INFINITY))
        return false;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, now);
    point_extents around = point_extents_none();
    double error;
    if (vertex_plan_has_common_paths(plan, now)) { /* the same as below, bit for bit */
        const common_paths *common = &plan->common;
        if (common->end < end)
            return false;
        const double way = point_extents_largest(&common->ends);
        error = linear_path_largest_error(point_extents_largest(&common->starts),
                                          common->has_velocity ? (end - now) * way : way);
        around = tact_vertex_plan_extents_at(plan, end);
        point_extents_unite(&around, &common->starts);
    } else {
        linear_path_range range = linear_path_range_empty();
        for (uint32_t i = plan->changed_first; i < plan->changed_end; ++i) {
            linear_path storage;
            double path_end;
            const linear_path *path = vertex_plan_path_of(&pieces, i, &path_end, &storage);
            if (path_end < end)
                return false;
            linear_path_range_add(&range, path, now, end);
            point_extents_add(&around, linear_path_at(path, now));
            point_extents_add(&around, linear_path_at(path, end));
        }
        error = linear_path_range_error(&range);
    }
    const double reach = 2.0 * error + cold->vertex_margin;
    const tact_vec3 slack = {reach, reach, reach};
    around.min = vec_sub(around.min, slack); /* (-INFINITY and INFINITY stay if there are none) */
    around.max = vec_add(around.max, slack);
    point_extents all = {cold->extent_min, cold->extent_max}, window = {cold->window_min, cold->window_max};
    point_extents_unite(&all, &around);
    point_extents_unite(&window, &around);
    cold->extent_min = all.min;
    cold->extent_max = all.max;
    cold->window_min = window.min;
    cold->window_max = window.max;
    cold->comes_to_rest = false;
    cold->jumped_at = now;
    cold->jump_batch = batch;
    return true;
}

void tact_vertex_motion_rest(body_motion_cold *cold)
{
    cold->extent_min = cold->window_min;
    cold->extent_max = cold->window_max;
    cold->rotation_expiry = INFINITY;
    cold->comes_to_rest = false;
}

void tact_vertex_motion_compute_extents(body_motion_cold *cold, double now)
{
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(cold->vertices, now);
    point_extents around = point_extents_none();
    double error = 0.0;
    for (uint32_t i = 0; i < cold->vertices->vertex_count; ++i) {
        const linear_path path = tact_vertex_plan_path_before(&pieces, i);
        point_extents_add(&around, linear_path_at(&path, now));
        error = max_double(error, linear_path_error(&path, now, now));
    }
    const double reach = 2.0 * error + cold->vertex_margin;
    const tact_vec3 slack = {reach, reach, reach};
    cold->extent_min = cold->window_min = vec_sub(around.min, slack);
    cold->extent_max = cold->window_max = vec_add(around.max, slack);
}

/* ---- the shape now ---- */

tact_status tact_vertex_motion_sync(tact_world *world, uint32_t index)
{
    const vertex_plan *plan = world->cold.items[index].vertex_plan;
    if (plan == NULL)
        return TACT_OK;
    advance *ad = world->advance;
    if (!vec_array_resize(&ad->positions, &world->allocator, plan->vertex_count))
        return TACT_OUT_OF_MEMORY;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, ad->time);
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const linear_path path = tact_vertex_plan_path(&pieces, i, NULL);
        ad->positions.items[i] = linear_path_at(&path, ad->time);
    }
    const bool surface = world->cold.items[index].deform->nurbs != NULL;
    const tact_status status = surface ? tact_deform_sync_surface(world, index, ad->positions.items)
                                       : tact_deform_sync(world, index, ad->positions.items);
    if (status == TACT_OK) {
        tact_body_mark_moved(world, index);
        if (index < ad->cold.count && ad->cold.items[index].is_surface) /* the mesh may be another one */
            ad->cold.items[index].shape = world->bodies.items[index].shape;
    }
    return status;
}

/* ---- the public functions ---- */

static bool is_identity(const tact_transform *t)
{
    const tact_transform identity = tact_identity();
    return vec_equal(t->x_axis, identity.x_axis) && vec_equal(t->y_axis, identity.y_axis) &&
           vec_equal(t->z_axis, identity.z_axis) && vec_equal(t->origin, identity.origin);
}

static bool is_still(const tact_motion *m)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return vec_equal(m->velocity, zero) && vec_equal(m->acceleration, zero) && vec_equal(m->spin, zero);
}

/* Whether the vertices of a body may get a motion. */
static bool may_move_vertices(const tact_world *world, tact_body body)
{
    if (body_find(world, body) == NULL)
        return false;
    const world_body_cold *cold = &world->cold.items[body.index];
    const tact_transform transform = tact_body_transform_now(world, body.index);
    const tact_motion motion = tact_body_motion_now(world, body.index);
    return cold->deform != NULL && cold->deform->original->type == TACT_MESH && cold->rigid == NULL &&
           cold->motion_plan == NULL && cold->poll_interval == 0.0 && is_identity(&transform) && is_still(&motion);
}

bool tact_vertex_motion_valid(const tact_world *world, uint32_t index, double time)
{
    const vertex_plan *plan = world->cold.items[index].vertex_plan;
    return may_move_vertices(world, body_handle(world, index)) &&
           plan->vertex_count == deform_point_count(world->cold.items[index].deform) &&
           tact_vertex_plan_valid(plan, time);
}

/* The plan of a body, created with all vertices at rest where they are if there is none. NULL: out of memory. */
static vertex_plan *ensure_plan(tact_world *world, uint32_t index)
{
    world_body_cold *cold = &world->cold.items[index];
    if (cold->vertex_plan != NULL)
        return cold->vertex_plan;
    vertex_plan *plan = tact_memory_allocate(&world->allocator, 1, sizeof *plan);
    if (plan == NULL)
        return NULL;
    *plan = (vertex_plan){.vertex_count = deform_point_count(cold->deform), .changed_all = true};
    if (!tact_vertex_plan_reserve_paths(plan, &world->allocator)) {
        tact_memory_free(&world->allocator, plan, 1, sizeof *plan);
        return NULL;
    }
    const nurbs_geometry *surface = cold->deform->nurbs;
    const tact_vec3 *points =
        surface != NULL ? surface->tessellation.points : world->bodies.items[index].shape->mesh->vertices;
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const linear_path rest = linear_path_at_rest(points[i], tact_world_get_time(world));
        tact_vertex_plan_place(plan, i, &rest, -INFINITY);
    }
    plan->own_count = plan->vertex_count;
    ++world->vertex_plan_count;
    return cold->vertex_plan = plan;
}

/* The vertices in the world are to be brought up to now, even if that has been done at this time. */
static void mark_outdated(tact_world *world, uint32_t index)
{
    advance *ad = world->advance;
    if (ad == NULL || index >= ad->motions.count)
        return;
    ad->cold.items[index].broad_outdated = true;
    ad->synced_at = -INFINITY;
}

/* Bodies that rest on the vertices may have to move. */
static void wake_bodies_on(tact_world *world, uint32_t index)
{
    if (world->advance != NULL)
        tact_contact_body_changed(world, index, false);
}

tact_status tact_body_play(tact_world *world, tact_body body, const tact_animation *animation, const tact_play_def *def)
{
    const tact_play_def once = {0};
    def = def != NULL ? def : &once;
    if (!may_move_vertices(world, body) || animation == NULL ||
        animation->vertices.count != deform_point_count(world->cold.items[body.index].deform))
        return TACT_BAD_ARGUMENT;
    const playback playing = {.animation = (tact_animation *)animation, /* only its references are counted */
                              .start = tact_world_get_time(world),
                              .offset = def->offset,
                              .speed = def->speed == 0.0 ? 1.0 : def->speed,
                              .loop = def->loop};
    if (!tact_playback_valid(&playing))
        return TACT_BAD_ARGUMENT;
    vertex_plan *plan = tact_memory_allocate(&world->allocator, 1, sizeof *plan);
    if (plan == NULL)
        return TACT_OUT_OF_MEMORY;
    vertex_plan *before = ensure_plan(world, body.index); /* at rest, if there was none */
    if (before == NULL) {
        tact_memory_free(&world->allocator, plan, 1, sizeof *plan);
        return TACT_OUT_OF_MEMORY;
    }
    (void)tact_animation_retain(animation);
    *plan =
        (vertex_plan){.playback = playing, .vertex_count = before->vertex_count, .changed_all = true, .before = before};
    if (before->before != NULL && before->playback.start == playing.start && !before->examined) { /* replaced now */
        plan->before = before->before;
        before->before = NULL;
        tact_vertex_plan_release(before, &world->allocator);
        tact_memory_free(&world->allocator, before, 1, sizeof *before);
    } else {
        tact_vertex_plan_forget_before(before, &world->allocator);
        tact_vertex_plan_settle(before, playing.start);
    }
    world->cold.items[body.index].vertex_plan = plan;
    wake_bodies_on(world, body.index);
    tact_advance_mark_changed(world, body.index);
    mark_outdated(world, body.index);
    WORLD_NOTIFY(world, .type = CALL_PLAY, .body = body, .animation = animation, .play = def);
    return TACT_OK;
}

/* Whether the vectors of a motion are valid; and their extents. NULL is valid. */
static bool vectors_valid(const tact_vec3 *vectors, uint32_t count, point_extents *extents)
{
    return vectors == NULL || point_extents_of(vectors, count, ANIMATION_MAX_VALUE, extents);
}

/* The end of the current window of a body; -INFINITY: there is none. */
static double window_end(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    return ad != NULL && index < ad->cold.count ? ad->cold.items[index].rotation_expiry : -INFINITY;
}

tact_status tact_body_set_vertex_motion(tact_world *world, tact_body body, const tact_vertex_motion *motion)
{
    if (motion == NULL || !may_move_vertices(world, body))
        return TACT_BAD_ARGUMENT;
    const uint32_t total = deform_point_count(world->cold.items[body.index].deform);
    const double now = tact_world_get_time(world);
    if (motion->first > total || motion->count > total - motion->first)
        return TACT_BAD_ARGUMENT;
    const uint32_t count = motion->count > 0 ? motion->count : total - motion->first;
    point_extents starts, ends = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; /* the latter at rest */
    if ((motion->velocities != NULL && motion->targets != NULL) || !vectors_valid(motion->positions, count, &starts) ||
        !vectors_valid(motion->velocities, count, &ends) || !vectors_valid(motion->targets, count, &ends) ||
        !(fabs(now) <= ANIMATION_MAX_VALUE) ||
        (motion->targets != NULL && !(motion->end_time > now && motion->end_time <= ANIMATION_MAX_VALUE)))
        return TACT_BAD_ARGUMENT;
    vertex_plan *plan = ensure_plan(world, body.index);
    if (plan == NULL || !tact_vertex_plan_reserve_paths(plan, &world->allocator))
        return TACT_OUT_OF_MEMORY;
    if (plan->before != NULL && plan->playback.start != now)
        tact_vertex_plan_forget_before(plan, &world->allocator);
    tact_vertex_plan_set_motion(plan, motion, count, now, window_end(world, body.index),
                                motion->positions != NULL ? &starts : NULL, &ends);
    if (plan->changed_first == plan->changed_end)
        plan->changed_first = plan->changed_end = motion->first;
    plan->changed_first = motion->first < plan->changed_first ? motion->first : plan->changed_first;
    plan->changed_end = motion->first + count > plan->changed_end ? motion->first + count : plan->changed_end;
    wake_bodies_on(world, body.index);
    tact_advance_mark_motion_changed(world, body.index);
    mark_outdated(world, body.index);
    WORLD_NOTIFY(world, .type = CALL_SET_VERTEX_MOTION, .body = body, .vertex_motion = motion, .count = count);
    return TACT_OK;
}

tact_status tact_body_stop_vertices(tact_world *world, tact_body body)
{
    if (!tact_body_has_vertex_motion(world, body))
        return TACT_BAD_ARGUMENT;
    tact_status status = tact_advance_reserve(world);
    if (status == TACT_OK)
        status = tact_vertex_motion_sync(world, body.index);
    if (status != TACT_OK)
        return status;
    tact_body_drop_vertex_plan(world, body.index);
    tact_body_set_moved(world, body.index, BODY_CHANGE_OTHER);
    WORLD_NOTIFY(world, .type = CALL_STOP_VERTICES, .body = body);
    return TACT_OK;
}

tact_vec3 tact_body_get_vertex_position(const tact_world *world, tact_body body, uint32_t vertex, tact_vec3 *velocity)
{
    tact_vec3 unused;
    velocity = velocity != NULL ? velocity : &unused;
    *velocity = vec_make(0.0, 0.0, 0.0);
    if (!tact_body_has_vertex_motion(world, body) || vertex >= world->cold.items[body.index].vertex_plan->vertex_count)
        return *velocity;
    const double now = tact_world_get_time(world);
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(world->cold.items[body.index].vertex_plan, now);
    const linear_path path = tact_vertex_plan_path(&pieces, vertex, NULL);
    *velocity = path.has_velocity ? path.x1 : vec_scale(vec_sub(path.x1, path.x0), 1.0 / (path.t1 - path.t0));
    return linear_path_at(&path, now);
}

bool tact_body_has_vertex_motion(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL && world->cold.items[body.index].vertex_plan != NULL;
}

tact_status tact_world_set_deforming_engine(tact_world *world, tact_deforming_engine engine)
{
    if (world == NULL ||
        (engine != TACT_DEFORMING_AUTO && engine != TACT_DEFORMING_WINDOWS && engine != TACT_DEFORMING_LIST))
        return TACT_BAD_ARGUMENT;
    world->deforming_engine = engine; /* from the next windows on */
    WORLD_NOTIFY(world, .type = CALL_SET_DEFORMING_ENGINE, .setting = (uint32_t)engine);
    return TACT_OK;
}

tact_deforming_engine tact_world_get_deforming_engine(const tact_world *world)
{
    return world != NULL ? world->deforming_engine : TACT_DEFORMING_AUTO;
}

tact_status tact_body_set_feature_events(tact_world *world, tact_body body, bool wanted)
{
    world_body *hot = body_find(world, body);
    if (hot == NULL)
        return TACT_BAD_ARGUMENT;
    tact_advance_sync_body(world, body.index); /* its transform and motion are taken from the world again */
    hot->flags = wanted ? hot->flags | BODY_FEATURE_EVENTS : hot->flags & ~(uint32_t)BODY_FEATURE_EVENTS;
    tact_advance_mark_changed(world, body.index);
    WORLD_NOTIFY(world, .type = CALL_SET_FEATURE_EVENTS, .body = body, .setting = wanted);
    return TACT_OK;
}

bool tact_body_get_feature_events(const tact_world *world, tact_body body)
{
    const world_body *hot = body_find(world, body);
    return hot != NULL && hot->flags & BODY_FEATURE_EVENTS;
}
