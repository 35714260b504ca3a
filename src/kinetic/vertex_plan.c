/* Vertex plans: see the header. */
#include "kinetic/vertex_plan.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "kinetic/kinetic_constants.h"
#include "math/vec.h"

void tact_vertex_plan_forget_before(vertex_plan *plan, const tact_allocator *allocator)
{
    if (plan->before == NULL)
        return;
    tact_vertex_plan_release(plan->before, allocator);
    tact_memory_free(allocator, plan->before, 1, sizeof *plan->before);
    plan->before = NULL;
}

void tact_vertex_plan_release(vertex_plan *plan, const tact_allocator *allocator)
{
    tact_vertex_plan_forget_before(plan, allocator);
    tact_animation_release(plan->playback.animation);
    tact_memory_free(allocator, plan->paths, plan->path_capacity, sizeof *plan->paths);
    *plan = (vertex_plan){0};
}

/* ---- saved worlds ---- */

vertex_plan *tact_vertex_plan_copy(const vertex_plan *plan, const tact_allocator *allocator)
{
    vertex_plan *copy = tact_memory_allocate(allocator, 1, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = (vertex_plan){.playback = plan->playback, .vertex_count = plan->vertex_count};
    (void)tact_animation_retain(plan->playback.animation);
    bool complete = plan->paths == NULL || tact_vertex_plan_reserve_paths(copy, allocator);
    for (uint32_t i = 0; complete && plan->paths != NULL && i < plan->vertex_count; ++i) {
        if (!plan->paths[i].follows)
            copy->paths[i] = plan->paths[i];
        copy->own_count += !plan->paths[i].follows;
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

static bool is_valid_own_path(const vertex_path *own, double time)
{
    const double end = own->path.has_velocity ? INFINITY : own->path.t1;
    return tact_linear_path_valid(&own->path) && tact_linear_path_valid(&own->previous) && own->path.t0 <= time &&
           own->end == end && own->changed_at <= time;
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
        if (plan->paths[i].follows ? i >= keyed : !is_valid_own_path(&plan->paths[i], time))
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
    vertex_path *paths = tact_memory_allocate(allocator, plan->vertex_count, sizeof *paths);
    if (paths == NULL)
        return false;
    memset(paths, 0, plan->vertex_count * sizeof *paths);
    for (uint32_t i = 0; i < plan->vertex_count; ++i)
        paths[i].follows = true;
    plan->paths = paths;
    plan->path_capacity = plan->vertex_count;
    return true;
}

void tact_vertex_plan_set_path(vertex_plan *plan, uint32_t vertex, const linear_path *path, double end, double time)
{
    vertex_path *own = &plan->paths[vertex];
    if (own->follows) {
        const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(plan, time);
        own->previous = tact_vertex_plan_path_before(&pieces, vertex);
        own->follows = false;
        ++plan->own_count;
    } else if (own->changed_at != time) { /* else `previous` is already what held before that time */
        own->previous = time <= own->end ? own->path : linear_path_at_rest(own->path.x1, own->end);
    }
    own->path = *path;
    own->end = end;
    own->changed_at = time;
}

bool tact_vertex_plan_add_vertices(vertex_plan *plan, const tact_vec3 *positions, uint32_t count, double time,
                                   const tact_allocator *allocator)
{
    const uint32_t capacity = plan->vertex_count + count;
    if (!tact_vertex_plan_reserve_paths(plan, allocator) ||
        (plan->before != NULL && !tact_vertex_plan_add_vertices(plan->before, positions, count, time, allocator)))
        return false;
    if (capacity > plan->path_capacity) {
        vertex_path *paths = tact_memory_resize(allocator, plan->paths, plan->path_capacity, capacity, sizeof *paths);
        if (paths == NULL) {
            if (plan->before != NULL)
                tact_vertex_plan_remove_vertices(plan->before, count);
            return false;
        }
        plan->paths = paths;
        plan->path_capacity = capacity;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const linear_path rest = linear_path_at_rest(positions[i], time);
        plan->paths[plan->vertex_count + i] = (vertex_path){rest, INFINITY, rest, time, false};
    }
    plan->vertex_count += count;
    plan->own_count += count;
    return true;
}

void tact_vertex_plan_remove_vertices(vertex_plan *plan, uint32_t count)
{
    if (plan->before != NULL)
        tact_vertex_plan_remove_vertices(plan->before, count);
    plan->vertex_count -= count;
    plan->own_count -= count;
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
    if (!follows && plan->paths[vertex].changed_at == pieces->time)
        return plan->paths[vertex].previous;
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
