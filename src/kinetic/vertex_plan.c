/* Vertex plans: see the header. */
#include "kinetic/vertex_plan.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

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
    if (!tact_vertex_plan_reserve_paths(plan, allocator))
        return false;
    if (capacity > plan->path_capacity) {
        vertex_path *paths = tact_memory_resize(allocator, plan->paths, plan->path_capacity, capacity, sizeof *paths);
        if (paths == NULL)
            return false;
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
    double unused;
    end = end != NULL ? end : &unused;
    if (plan->paths == NULL || plan->paths[vertex].follows) {
        *end = pieces->piece.end;
        return tact_playback_path(&plan->playback, &pieces->piece, vertex);
    }
    const vertex_path *own = &plan->paths[vertex];
    if (own->end > pieces->time) {
        *end = own->end;
        return own->path;
    }
    *end = INFINITY;
    return linear_path_at_rest(own->path.x1, own->end);
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
