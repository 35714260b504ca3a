/* Vertex plans: see the header. */
#include "kinetic/vertex_plan.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "kinetic/kinetic_constants.h"
#include "math/vec.h"
#include "motion/linear_path_range.h"

void tact_vertex_plan_forget_before(vertex_plan *plan, const tact_allocator *allocator)
{
    if (plan->before == NULL)
        return;
    tact_vertex_plan_release(plan->before, allocator);
    tact_memory_free(allocator, plan->before, 1, sizeof *plan->before);
    plan->before = NULL;
}

/* ---- memory ---- */

/* The arrays of a plan. */
typedef struct path_arrays {
    vertex_path *paths, *previous;
    double *changed_at;
} path_arrays;

static void free_arrays(const path_arrays *a, uint32_t capacity, const tact_allocator *allocator)
{
    tact_memory_free(allocator, a->paths, capacity, sizeof *a->paths);
    tact_memory_free(allocator, a->previous, capacity, sizeof *a->previous);
    tact_memory_free(allocator, a->changed_at, capacity, sizeof *a->changed_at);
}

/* Gives a plan larger arrays, with what it has. False: out of memory, and nothing has changed. */
static bool reserve_arrays(vertex_plan *plan, uint32_t capacity, const tact_allocator *allocator)
{
    const path_arrays old = {plan->paths, plan->previous, plan->changed_at};
    const path_arrays made = {tact_memory_allocate(allocator, capacity, sizeof *made.paths),
                              tact_memory_allocate(allocator, capacity, sizeof *made.previous),
                              tact_memory_allocate(allocator, capacity, sizeof *made.changed_at)};
    if (made.paths == NULL || made.previous == NULL || made.changed_at == NULL) {
        free_arrays(&made, capacity, allocator);
        return false;
    }
    if (old.paths != NULL) {
        memcpy(made.paths, old.paths, plan->vertex_count * sizeof *made.paths);
        memcpy(made.previous, old.previous, plan->vertex_count * sizeof *made.previous);
        memcpy(made.changed_at, old.changed_at, plan->vertex_count * sizeof *made.changed_at);
    }
    free_arrays(&old, plan->path_capacity, allocator);
    plan->paths = made.paths;
    plan->previous = made.previous;
    plan->changed_at = made.changed_at;
    plan->path_capacity = capacity;
    return true;
}

void tact_vertex_plan_release(vertex_plan *plan, const tact_allocator *allocator)
{
    tact_vertex_plan_forget_before(plan, allocator);
    tact_animation_release(plan->playback.animation);
    free_arrays(&(path_arrays){plan->paths, plan->previous, plan->changed_at}, plan->path_capacity, allocator);
    *plan = (vertex_plan){0};
}

/* ---- saved worlds ---- */

vertex_plan *tact_vertex_plan_copy(const vertex_plan *plan, const tact_allocator *allocator)
{
    vertex_plan *copy = tact_memory_allocate(allocator, 1, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = (vertex_plan){.playback = plan->playback,
                          .vertex_count = plan->vertex_count,
                          .settled = plan->settled,
                          .settled_at = plan->settled_at};
    (void)tact_animation_retain(plan->playback.animation);
    bool complete = plan->paths == NULL || tact_vertex_plan_reserve_paths(copy, allocator);
    for (uint32_t i = 0; complete && plan->paths != NULL && i < plan->vertex_count; ++i) {
        if (plan->paths[i].follows)
            continue;
        copy->paths[i] = plan->paths[i];
        copy->previous[i] = plan->previous[i];
        copy->changed_at[i] = plan->changed_at[i];
        ++copy->own_count;
    }
    if (complete && plan->before != NULL) {
        copy->before = tact_vertex_plan_copy(plan->before, allocator);
        complete = copy->before != NULL;
    }
    if (complete)
        return copy;
    tact_vertex_plan_release(copy, allocator);
    tact_memory_free(allocator, copy, 1, sizeof *copy);
    return NULL;
}

bool tact_linear_path_valid(const linear_path *path)
{
    return fabs(path->t0) <= ANIMATION_MAX_VALUE && fabs(path->t1) <= ANIMATION_MAX_VALUE && vec_finite(path->x0) &&
           vec_finite(path->x1) && vec_max_abs(path->x0) <= PATH_MAX_VALUE && vec_max_abs(path->x1) <= PATH_MAX_VALUE &&
           (path->has_velocity || path->t0 < path->t1);
}

static bool is_valid_own_path(const vertex_plan *plan, uint32_t vertex, double time)
{
    const vertex_path *own = &plan->paths[vertex];
    const double end = own->path.has_velocity ? INFINITY : own->path.t1;
    return tact_linear_path_valid(&own->path) && tact_linear_path_valid(&plan->previous[vertex].path) &&
           own->path.t0 <= time && own->end == end && plan->changed_at[vertex] <= time;
}

bool tact_vertex_plan_valid(const vertex_plan *plan, double time)
{
    const tact_animation *animation = plan->playback.animation;
    const size_t keyed = animation != NULL ? animation->vertices.count : 0; /* vertices that may follow */
    if (!(fabs(time) <= ANIMATION_MAX_VALUE) || keyed > plan->vertex_count ||
        (animation != NULL && !tact_playback_valid_at(&plan->playback, time)) ||
        (plan->paths == NULL && keyed < plan->vertex_count))
        return false;
    for (uint32_t i = 0; plan->paths != NULL && i < plan->vertex_count; ++i)
        if (plan->paths[i].follows ? i >= keyed : !is_valid_own_path(plan, i, time))
            return false;
    const vertex_plan *before = plan->before;
    return before == NULL || (animation != NULL && plan->playback.start == time && before->before == NULL &&
                              before->vertex_count >= keyed && tact_vertex_plan_valid(before, time));
}

/* ---- changes ---- */

bool tact_vertex_plan_reserve_paths(vertex_plan *plan, const tact_allocator *allocator)
{
    if (plan->paths != NULL)
        return true;
    if (!reserve_arrays(plan, plan->vertex_count, allocator))
        return false;
    memset(plan->paths, 0, plan->vertex_count * sizeof *plan->paths);
    memset(plan->previous, 0, plan->vertex_count * sizeof *plan->previous);
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        plan->paths[i].follows = true;
        plan->changed_at[i] = 0.0;
    }
    return true;
}

void tact_vertex_plan_place(vertex_plan *plan, uint32_t vertex, const linear_path *rest, double time)
{
    plan->paths[vertex] = plan->previous[vertex] = (vertex_path){*rest, INFINITY, false};
    plan->changed_at[vertex] = time;
}

void tact_vertex_plan_settle(vertex_plan *plan, double time)
{
    if (plan->examined) {
        for (uint32_t i = 0; plan->paths != NULL && plan->last_change == time && i < plan->vertex_count; ++i)
            if (!plan->paths[i].follows && plan->changed_at[i] == time)
                plan->changed_at[i] = -INFINITY;
        plan->settled = true;
        plan->settled_at = time;
        plan->examined = false;
    }
    plan->last_change = time;
}

/* Sets a path. The summary of all paths is not changed. */
static inline void set_path(vertex_plan *plan, uint32_t vertex, const linear_path *path, double end, double time)
{
    vertex_path *own = &plan->paths[vertex];
    linear_path *previous = &plan->previous[vertex].path;
    if (own->follows) {
        const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, time);
        *previous = tact_vertex_plan_path_before(&pieces, vertex);
        ++plan->own_count;
    } else if (plan->changed_at[vertex] != time) { /* else `previous` is already what held before that time */
        *previous = time <= own->end ? own->path : linear_path_at_rest(own->path.x1, own->end);
    }
    *own = (vertex_path){*path, end, false};
    plan->changed_at[vertex] = time;
}

void tact_vertex_plan_set_path(vertex_plan *plan, uint32_t vertex, const linear_path *path, double end, double time)
{
    plan->common.valid = false;
    set_path(plan, vertex, path, end, time);
}

/* Whether all vertices are on own paths that hold up to a later time than they were set. */
static bool all_paths_hold(const vertex_plan *plan, double time)
{
    return plan->common.valid && plan->common.begin != time && time <= plan->common.end;
}

void tact_vertex_plan_set_motion(vertex_plan *plan, const tact_vertex_motion *motion, uint32_t count, double time,
                                 double ahead, const point_extents *starts, const point_extents *ends)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    const bool has_velocity = motion->targets == NULL, all = count == plan->vertex_count;
    const tact_vec3 *to = has_velocity ? motion->velocities : motion->targets; /* NULL: at rest */
    const double until = has_velocity ? time : motion->end_time, end = has_velocity ? INFINITY : until;
    point_extents around = starts != NULL ? *starts : point_extents_none(), far = point_extents_none();
    tact_vertex_plan_settle(plan, time);
    const bool looks_ahead = has_velocity && ahead > time && ahead < INFINITY;
    bool far_known = false;
    if (all && motion->positions != NULL && all_paths_hold(plan, time)) { /* the paths become those that held before */
        vertex_path *old = plan->paths;
        plan->paths = plan->previous;
        plan->previous = old;
        vec_halves min = vec_halves_load(&far.min), max = vec_halves_load(&far.max);
        for (uint32_t i = 0; i < count; ++i) {
            vertex_path *own = &plan->paths[i];
            *own =
                (vertex_path){{time, until, motion->positions[i], to != NULL ? to[i] : zero, has_velocity}, end, false};
            plan->changed_at[i] = time;
            if (looks_ahead) { /* as linear_path_halves */
                const vec_halves way = vec_halves_scale(vec_halves_load(to != NULL ? &to[i] : &zero), ahead - time);
                const vec_halves p = vec_halves_add(vec_halves_load(&motion->positions[i]), way);
                min = vec_halves_min(p, min);
                max = vec_halves_max(p, max);
            }
        }
        vec_halves_store(&far.min, min);
        vec_halves_store(&far.max, max);
        far_known = looks_ahead;
    } else {
        const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, time);
        for (uint32_t i = 0; i < count; ++i) {
            linear_path path = {time, until, zero, to != NULL ? to[i] : zero, has_velocity};
            if (motion->positions != NULL) {
                path.x0 = motion->positions[i];
            } else {
                const linear_path before = tact_vertex_plan_path(&pieces, motion->first + i, NULL);
                path.x0 = linear_path_at(&before, time);
                point_extents_add(&around, path.x0);
            }
            set_path(plan, motion->first + i, &path, end, time);
        }
    }
    plan->common = (common_paths){all, has_velocity, time, end, around, *ends, far_known ? ahead : -INFINITY, far};
}

point_extents tact_vertex_plan_extents_at(const vertex_plan *plan, double time)
{
    if (plan->common.valid && plan->common.ahead == time)
        return plan->common.extents_ahead; /* the same as below, bit for bit */
    point_extents e = point_extents_none();
    vec_halves min = vec_halves_load(&e.min), max = vec_halves_load(&e.max);
    for (uint32_t i = 0; i < plan->vertex_count; ++i) {
        const vec_halves p = linear_path_halves(&plan->paths[i].path, time);
        min = vec_halves_min(p, min);
        max = vec_halves_max(p, max);
    }
    vec_halves_store(&e.min, min);
    vec_halves_store(&e.max, max);
    return e;
}

bool tact_vertex_plan_add_vertices(vertex_plan *plan, const tact_vec3 *positions, uint32_t count, double time,
                                   const tact_allocator *allocator)
{
    const uint32_t capacity = plan->vertex_count + count;
    if (!tact_vertex_plan_reserve_paths(plan, allocator) ||
        (plan->before != NULL && !tact_vertex_plan_add_vertices(plan->before, positions, count, time, allocator)))
        return false;
    if (capacity > plan->path_capacity && !reserve_arrays(plan, capacity, allocator)) {
        if (plan->before != NULL)
            tact_vertex_plan_remove_vertices(plan->before, count);
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const linear_path rest = linear_path_at_rest(positions[i], time);
        tact_vertex_plan_place(plan, plan->vertex_count + i, &rest, time);
    }
    plan->vertex_count += count;
    plan->own_count += count;
    plan->common.valid = false;
    return true;
}

void tact_vertex_plan_remove_vertices(vertex_plan *plan, uint32_t count)
{
    if (plan->before != NULL)
        tact_vertex_plan_remove_vertices(plan->before, count);
    plan->vertex_count -= count;
    plan->own_count -= count;
    plan->common.valid = false;
}

vertex_plan_pieces tact_vertex_plan_pieces_at(const vertex_plan *plan, double time)
{
    vertex_plan_pieces pieces = {.plan = plan, .time = time, .piece = {.end = INFINITY}};
    if (plan->playback.animation != NULL)
        pieces.piece = tact_playback_piece_at(&plan->playback, time);
    return pieces;
}

linear_path tact_vertex_plan_path(const vertex_plan_pieces *pieces, uint32_t vertex, double *end)
{
    const vertex_plan *plan = pieces->plan;
    linear_path storage;
    double unused;
    end = end != NULL ? end : &unused;
    if (plan->paths != NULL && !plan->paths[vertex].follows)
        return *vertex_plan_path_of(pieces, vertex, end, &storage);
    *end = pieces->piece.end;
    return tact_playback_path(&plan->playback, &pieces->piece, vertex);
}

linear_path tact_vertex_plan_path_before(const vertex_plan_pieces *pieces, uint32_t vertex)
{
    const vertex_plan *plan = pieces->plan;
    const bool follows = plan->paths == NULL || plan->paths[vertex].follows;
    if (!follows && plan->changed_at[vertex] == pieces->time)
        return plan->previous[vertex].path;
    if (plan->settled && plan->settled_at == pieces->time)
        return tact_vertex_plan_path(pieces, vertex, NULL);
    if (follows && plan->playback.animation != NULL && pieces->time == plan->playback.start && plan->before != NULL) {
        const vertex_plan_pieces before = tact_vertex_plan_pieces_at(plan->before, pieces->time);
        return tact_vertex_plan_path_before(&before, vertex);
    }
    if (follows && plan->playback.animation != NULL) {
        const playback_piece piece = tact_playback_piece_before(&plan->playback, &pieces->piece, pieces->time);
        return tact_playback_path(&plan->playback, &piece, vertex);
    }
    return tact_vertex_plan_path(pieces, vertex, NULL); /* continuous at the end of an own path */
}

double tact_vertex_plan_next_boundary(const vertex_plan_pieces *pieces)
{
    const vertex_plan *plan = pieces->plan;
    double next = plan->own_count < plan->vertex_count ? pieces->piece.end : INFINITY;
    for (uint32_t i = 0; i < plan->vertex_count && plan->own_count > 0; ++i)
        if (!plan->paths[i].follows && plan->paths[i].end > pieces->time && plan->paths[i].end < next)
            next = plan->paths[i].end;
    return next;
}
