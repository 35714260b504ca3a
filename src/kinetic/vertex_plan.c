/* Vertex plans: see the header. */
#include "kinetic/vertex_plan.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

void tact_vertex_plan_release(vertex_plan *plan, const tact_allocator *allocator)
{
    tact_animation_release(plan->playback.animation);
    tact_memory_free(allocator, plan->paths, plan->vertex_count, sizeof *plan->paths);
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
    return true;
}

void tact_vertex_plan_set_path(vertex_plan *plan, uint32_t vertex, const linear_path *path, double end)
{
    plan->own_count += plan->paths[vertex].follows;
    plan->paths[vertex] = (vertex_path){*path, end, false};
}

bool tact_vertex_plan_add_vertices(vertex_plan *plan, const tact_vec3 *positions, uint32_t count, double time,
                                   const tact_allocator *allocator)
{
    if (!tact_vertex_plan_reserve_paths(plan, allocator))
        return false;
    vertex_path *paths =
        tact_memory_resize(allocator, plan->paths, plan->vertex_count, plan->vertex_count + count, sizeof *paths);
    if (paths == NULL)
        return false;
    plan->paths = paths;
    for (uint32_t i = 0; i < count; ++i)
        paths[plan->vertex_count + i] = (vertex_path){linear_path_at_rest(positions[i], time), INFINITY, false};
    plan->vertex_count += count;
    plan->own_count += count;
    return true;
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

double tact_vertex_plan_next_boundary(const vertex_plan_pieces *pieces)
{
    const vertex_plan *plan = pieces->plan;
    double next = plan->own_count < plan->vertex_count ? pieces->piece.end : INFINITY;
    for (uint32_t i = 0; i < plan->vertex_count && plan->own_count > 0; ++i)
        if (!plan->paths[i].follows && plan->paths[i].end > pieces->time && plan->paths[i].end < next)
            next = plan->paths[i].end;
    return next;
}
