/*
 * The vertex plan of a body: how each of its vertices moves. A vertex follows the playing animation of the body, or a
 * path of its own; after the end of its path it rests.
 *
 * A plan also knows the paths that held just before its last change: a vertex may jump from one to the other. If it
 * changes again at the same time, these are the paths before both changes, unless the plan was examined in between.
 *
 * Memory: an animation needs none per vertex. From the first own path on, 184 bytes per vertex. Paths that held before
 * are in an array of their own: if all are replaced at once, the arrays change places, and nothing is copied.
 */
#ifndef TACT_KINETIC_VERTEX_PLAN_H
#define TACT_KINETIC_VERTEX_PLAN_H

#include <math.h>

#include "kinetic/animation.h"
#include "math/point_extents.h"

/* The own path of a vertex. */
typedef struct vertex_path {
    linear_path path;
    double end;   /* the vertex rests from this time on, at path.x1; INFINITY: never */
    bool follows; /* it follows the animation instead */
} vertex_path;

/* The own paths of all vertices that were set together: a summary, so that they need not be examined one by one. */
typedef struct common_paths {
    bool valid; /* all vertices have such paths */
    bool has_velocity;
    double begin, end;          /* of the paths: t0, and until when they hold */
    point_extents starts, ends; /* of x0 and of x1 */
    double ahead;               /* a later time, at which their positions are known to be in */
    point_extents extents_ahead;
} common_paths;

typedef struct vertex_plan {
    playback playback;     /* animation NULL: none */
    vertex_path *paths;    /* by vertex; NULL: all follow the animation */
    vertex_path *previous; /* `path` held just before changed_at; the rest is not used */
    double *changed_at;
    uint32_t vertex_count, path_capacity;
    uint32_t own_count; /* vertices that do not follow the animation */
    common_paths common;
    /* The vertices whose paths have changed since the body was last examined; the same if changed_all is true. */
    uint32_t changed_first, changed_end;
    bool changed_all;           /* others may have changed, too */
    struct vertex_plan *before; /* the plan that held just before the playback began; NULL: not known any more */
    bool examined;              /* since the last change: another one at the same time begins where it has led to */
    bool settled;               /* is settled_at set? */
    double settled_at;          /* of this time, only changes that followed an examination count as changes */
    double last_change;
} vertex_plan;

/* Frees the memory and the reference to the animation; the plan is empty then. */
void tact_vertex_plan_release(vertex_plan *plan, const tact_allocator *allocator);

/* A copy with its own memory. `own_count` is counted. NULL: out of memory. */
vertex_plan *tact_vertex_plan_copy(const vertex_plan *plan, const tact_allocator *allocator);

/* Whether all numbers of a plan are such as calls could have made by `time`: for saved worlds. */
bool tact_vertex_plan_valid(const vertex_plan *plan, double time);

/* Whether the numbers of a path are finite and not too large, and it has a duration. */
bool tact_linear_path_valid(const linear_path *path);

/* Frees `before`. */
void tact_vertex_plan_forget_before(vertex_plan *plan, const tact_allocator *allocator);

/* A change of the plan follows now. If the plan has been examined since the last one, jumps of this time are over. */
void tact_vertex_plan_settle(vertex_plan *plan, double time);

/* Ensures that `paths` exist. New ones follow the animation. False: out of memory. */
bool tact_vertex_plan_reserve_paths(vertex_plan *plan, const tact_allocator *allocator);

/* Gives a vertex its first path, at rest, as if it had been there before `time`; `paths` exist. The caller counts it.
 */
void tact_vertex_plan_place(vertex_plan *plan, uint32_t vertex, const linear_path *rest, double time);

/* Sets the own path of a vertex from `time` on; `paths` exist. */
void tact_vertex_plan_set_path(vertex_plan *plan, uint32_t vertex, const linear_path *path, double end, double time);

/* Sets the own paths of the vertices `first` to `first + count` - 1 from `time` on, as a valid motion says; `paths`
 * exist. `motion->count` is ignored. `starts`, `ends`: the extents of its positions, or NULL if it has none; and of its
 * velocities or targets. `ahead`: a time at which the extents of paths with velocities will be asked for if all are
 * set, so that it needs no pass of its own; or any other. */
void tact_vertex_plan_set_motion(vertex_plan *plan, const tact_vertex_motion *motion, uint32_t count, double time,
                                 double ahead, const point_extents *starts, const point_extents *ends);

/* Whether all paths were set together, at this time. */
static inline bool vertex_plan_has_common_paths(const vertex_plan *plan, double time)
{
    return plan->common.valid && plan->common.begin == time;
}

/* The extents of all own paths, of which none ends before that, at a time. All vertices have such paths. */
point_extents tact_vertex_plan_extents_at(const vertex_plan *plan, double time);

/* Adds vertices at rest at `positions`. False: out of memory, nothing has changed. */
bool tact_vertex_plan_add_vertices(vertex_plan *plan, const tact_vec3 *positions, uint32_t count, double time,
                                   const tact_allocator *allocator);

/* Removes the last `count` vertices, which were added. */
void tact_vertex_plan_remove_vertices(vertex_plan *plan, uint32_t count);

/* The pieces of all vertices that hold at one time: valid until the plan changes. */
typedef struct vertex_plan_pieces {
    const vertex_plan *plan;
    double time;
    playback_piece piece; /* of the animation */
} vertex_plan_pieces;

vertex_plan_pieces tact_vertex_plan_pieces_at(const vertex_plan *plan, double time);

/* The path of a vertex from the time of the pieces on. `*end`, if not NULL, is until when it holds. */
linear_path tact_vertex_plan_path(const vertex_plan_pieces *pieces, uint32_t vertex, double *end);

/* The same without a copy where the plan has it: it points into the plan, or to *storage. */
static inline const linear_path *vertex_plan_path_of(const vertex_plan_pieces *pieces, uint32_t vertex, double *end,
                                                     linear_path *storage)
{
    const vertex_path *own = pieces->plan->paths != NULL ? &pieces->plan->paths[vertex] : NULL;
    if (own == NULL || own->follows) {
        *storage = tact_vertex_plan_path(pieces, vertex, end);
        return storage;
    }
    if (own->end > pieces->time) {
        *end = own->end;
        return &own->path;
    }
    *end = INFINITY;
    *storage = linear_path_at_rest(own->path.x1, own->end);
    return storage;
}

/* The path that held just before the time of the pieces. */
linear_path tact_vertex_plan_path_before(const vertex_plan_pieces *pieces, uint32_t vertex);

/* The earliest end of a piece of any vertex after the time of the pieces; INFINITY: none. O(n) with own paths. */
double tact_vertex_plan_next_boundary(const vertex_plan_pieces *pieces);

#endif
