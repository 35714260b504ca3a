/*
 * How a body moves through time, and the fat bound that it stays in: see advance.h for the terms.
 *
 * The data is split by use. `body_motion` is all that two spheres need of each other: one cache line. The rest is in
 * `body_motion_cold`; what an event reads and writes comes first there.
 *
 * Coordinates: the origin is that of the body, the pivot of its motion, or the centre of mass of a body that has a mass
 * (`pivot`). Shape, transform and velocity refer to that origin; `motion` has no pivot of its own.
 */
#ifndef TACT_ADVANCE_BODY_MOTION_H
#define TACT_ADVANCE_BODY_MOTION_H

#include <math.h>
#include <tact/shape.h>

#include "advance/motion_plan.h"
#include "core/aligned_array.h"
#include "core/number.h"
#include "math/vec.h"
#include "shape/halfspace.h"

struct advance;

/* Values of body_motion.sphere_radius that are no radius. */
enum {
    NOT_A_SPHERE = -1,
    ACCELERATED_SPHERE = -2 /* a sphere whose motion is accelerated, or too slow or fast for closed forms */
};

typedef struct body_motion {
    tact_vec3 origin; /* at start_time */
    double start_time;
    tact_vec3 velocity;   /* at start_time */
    double sphere_radius; /* of a sphere about the origin that moves uniformly; else negative: see above */
} body_motion;

/* Where a rigid body was until it jumped, and how it moved. */
typedef struct body_jump {
    tact_transform transform; /* at start_time */
    double start_time;
    tact_vec3 velocity;
} body_jump;

typedef struct body_motion_cold {
    _Alignas(CACHE_LINE_SIZE) double expiry; /* time at which the bound, the rotation piece or the plan expires */
    uint64_t version;                        /* of the motion; a new one with every change */
    uint64_t serial;                         /* bodies created before this one: orders simultaneous events */

    /* The event of the body in the queue. */
    uint64_t event_version;    /* version of the prediction, or of the other motion, that the event was made from */
    uint32_t event_other;      /* index of the other body; NEIGHBOUR_NONE: the expiry */
    uint32_t event_prediction; /* index of the pair prediction; NEIGHBOUR_NONE: two spheres without one */

    /* The fat bound: where the origin may be. */
    double origin_radius;  /* spherical bound: the origin is within this distance of bound_centre */
    float bound_centre[3]; /* spherical bound */
    bool spherical_bound;

    bool dirty; /* in advance.dirty */
    bool moves;
    bool spins;
    bool may_touch;               /* false: no neighbour touches the body and is at rest against it (impact_group.h) */
    double reported_at;           /* time of the last touch reported of the body */
    double margin;                /* length: how far the origin may move within its bound, in each direction */
    double rotation_expiry;       /* end of the rotation piece of a free body; INFINITY: constant spin */
    const body_motion_plan *plan; /* NULL: the motion is known for all times */
    const struct vertex_plan *vertices; /* motion of its vertices; NULL: none. rotation_expiry is then the end of the
                                           window in which extent_min and extent_max hold */
    struct surface_window
        *surface;            /* of a NURBS body with moving control points: owned (surface_motion.h); else NULL */
    double vertex_margin;    /* margin of a mesh with moving vertices; else 0 */
    bool is_surface;         /* `vertices` is the motion of control points */
    bool sweeps_jumps;       /* contacts are found where vertices jump: not for control points without feature events */
    uint64_t version_before; /* with moving vertices: the last version differs from this one only in the paths of the
                                vertices changed_first to changed_end - 1; 0: in more */
    uint64_t version_moving; /* with moving vertices: the last version differs from this one in that all vertices have
                                come to rest; 0: in more */
    uint32_t changed_first, changed_end;
    double shape_time; /* with moving vertices: the shape in the world was last computed for a contact at this time */
    uint64_t shape_version;           /* and of this motion */
    bool comes_to_rest;               /* with moving vertices: all rest from rotation_expiry on */
    uint32_t self_prediction;         /* 1 + index of the prediction of the body with itself; 0: none */
    uint32_t reported_count;          /* touches reported at reported_at */
    uint32_t unsuccessful_refits;     /* refits in a row that found as many neighbours as before */
    double motion_set_at;             /* time at which the caller last changed the motion; INFINITY: never */
    double motion_lifetime;           /* running mean of the time between such changes; 0: unknown */
    double poll_interval;             /* 0: not polled */
    bool needs_refit;                 /* dirty, and more than the motion has changed */
    bool motion_updated;              /* dirty, but the motion has been taken from the world already */
    bool restored;                    /* dirty, but the motion is that of the saved world */
    bool broad_outdated;              /* the world has the transform of now, its broad phase has not */
    bool sweep_pending;               /* waits to be inserted into the kinetic sweep and prune */
    const tact_shape *shape;          /* about the origin; borrowed */
    tact_shape *centred;              /* owned: the shape about the pivot of a motion that has one; else NULL */
    const tact_shape *centred_from;   /* the shape of the body that `centred` was made from; not a reference */
    tact_motion motion;               /* acceleration and spin; the velocity is in body_motion */
    tact_transform transform;         /* at start_time; its origin is in body_motion */
    tact_vec3 pivot;                  /* the origin in body coordinates: see above; zero: that of the body */
    tact_vec3 momentum;               /* angular momentum of a body with a mass */
    tact_vec3 extent_min, extent_max; /* extents about the origin that hold for the whole motion */
    tact_vec3 window_min, window_max; /* with moving vertices: without those from which vertices jumped */
    tact_vec3 jump_min, jump_max;     /* of a rigid body that jumps now: where it was, in the world. Its bound has it */
    bool jumps;                       /* whether these are set, and jump_from */
    bool jump_pending; /* jump_from is set; the motion after the jump has not been taken from the world yet */
    bool jump_listed;  /* in advance.jumped */
    body_jump jump_from;
    double jumped_at;    /* time: the body jumped then, or its vertices may have; before all times: never */
    uint64_t jump_batch; /* the batch of changes (advance.h) that it jumped in */
    tact_vec3 origin_min, origin_max; /* box-shaped bound: the origin is between these */
} body_motion_cold;

ALIGNED_ARRAY_OF(body_motion_array, body_motion);
ALIGNED_ARRAY_OF(body_motion_cold_array, body_motion_cold);

/* The origin at a time. */
static inline tact_vec3 body_motion_origin(const body_motion *hot, const body_motion_cold *cold, double time)
{
    const double t = time - hot->start_time;
    if (hot->sphere_radius >= 0.0)
        return vec_mul_add(hot->origin, t, hot->velocity);
    return vec_mul_add(hot->origin, t, vec_mul_add(hot->velocity, 0.5 * t, cold->motion.acceleration));
}

/* The motion from a time on. */
static inline tact_motion body_motion_motion(const body_motion *hot, const body_motion_cold *cold, double time)
{
    tact_motion motion = cold->motion;
    motion.velocity = hot->velocity;
    if (time > hot->start_time)
        motion.velocity = vec_mul_add(hot->velocity, time - hot->start_time, motion.acceleration);
    return motion;
}

/* The transform at a time. */
static inline tact_transform body_motion_transform(const body_motion *hot, const body_motion_cold *cold, double time)
{
    tact_transform transform = cold->transform;
    transform.origin = hot->origin;
    return time > hot->start_time
               ? tact_motion_at(body_motion_motion(hot, cold, hot->start_time), transform, time - hot->start_time)
               : transform;
}

/* The time until which the motion holds, up to the deviation of a plan. */
static inline double body_motion_known_until(const body_motion_cold *cold)
{
    return cold->plan != NULL && cold->plan->plan.until < cold->rotation_expiry ? cold->plan->plan.until
                                                                                : cold->rotation_expiry;
}

/* The transform from which a rigid body jumps. */
static inline tact_transform body_jump_transform(const body_jump *jump, double now)
{
    tact_transform transform = jump->transform;
    transform.origin = vec_mul_add(transform.origin, now - jump->start_time, jump->velocity);
    return transform;
}

/* The way of the origin of a rigid body that jumps now. */
static inline tact_vec3 body_jump_origin(const body_motion_cold *cold, double now)
{
    const tact_transform transform = body_jump_transform(&cold->jump_from, now);
    return tact_transform_point(transform, cold->pivot);
}

/* A half-space: its extents are limits, which say nothing of its size or of rounding. */
static inline bool body_motion_is_unbounded(const body_motion_cold *cold)
{
    return cold->shape != NULL && shape_is_halfspace(cold->shape);
}

/* The size of a body: half its largest extent; 0 for an unbounded body. */
static inline double body_motion_size(const body_motion_cold *cold)
{
    return body_motion_is_unbounded(cold) ? 0.0 : 0.5 * vec_max_abs(vec_sub(cold->extent_max, cold->extent_min));
}

/* The sum of the largest extents on both sides of the origin: what rounding errors are relative to. */
static inline double body_motion_reach(const body_motion_cold *cold)
{
    if (!body_motion_is_unbounded(cold))
        return vec_max_abs(cold->extent_min) + vec_max_abs(cold->extent_max);
    const double e[6] = {cold->extent_min.x, cold->extent_min.y, cold->extent_min.z,
                         cold->extent_max.x, cold->extent_max.y, cold->extent_max.z};
    double reach = 0.0;
    for (int i = 0; i < 6; ++i)
        reach = bound_is_unlimited(e[i]) ? reach : max_double(reach, fabs(e[i]));
    return reach;
}

/* The size of the smaller of two bodies; a body without extent does not count. */
static inline double body_motions_smaller_size(const body_motion_cold *a, const body_motion_cold *b)
{
    const double size_a = body_motion_size(a), size_b = body_motion_size(b);
    return size_a > 0.0 && size_b > 0.0 ? number_min(size_a, size_b) : max_double(size_a, size_b);
}

/* Whether pairs with the body are polled instead of predicted: see polling.c. */
static inline bool body_motion_is_polled(const body_motion_cold *cold)
{
    return cold->poll_interval > 0.0 || (cold->plan != NULL && cold->plan->plan.max_deviation_speed > 0.0);
}

/* Whether the vertices of a body move. */
static inline bool body_motion_deforms(const body_motion_cold *cold) { return cold->vertices != NULL; }

/* A sphere in uniform motion that does not spin, in a spherical bound. */
static inline bool body_motion_is_simple(const body_motion_cold *cold)
{
    return cold->moves && cold->spherical_bound && !cold->spins && !cold->dirty && cold->plan == NULL;
}

/* The acceleration of a body in free motion: its own and, if it has a mass, the gravity of the world. */
tact_vec3 tact_body_total_acceleration(const tact_world *world, uint32_t index);

/* Takes the motion of a body from the world, as of now, and refits its bound if needed. On failure the body stays dirty
 * and the call may be repeated. */
tact_status tact_body_motion_update(tact_world *world, uint32_t index);

/* A rigid body with a transform that was set and not taken from the world yet: where it was. False: it does not jump.
 */
bool tact_body_motion_jump(const tact_world *world, uint32_t index, body_jump *jump);

/* The bound of a body that jumps now has this box, in the world, besides what it would have. */
void tact_body_motion_add_jump(struct advance *ad, uint32_t index, tact_vec3 low, tact_vec3 high);

/* All jumps of this time are over: bounds without the places that bodies jumped from. On failure it is repeated. */
tact_status tact_body_motion_end_jumps(tact_world *world);

/* The motion has expired: begins another rotation piece, or refits the bound. */
tact_status tact_body_motion_renew(tact_world *world, uint32_t index);

/* Sets the shape and the pivot of a body that has these in the world now. A motion with a pivot allocates, and needs a
 * refit. */
tact_status tact_body_motion_set_shape(const tact_world *world, uint32_t index, body_motion_cold *cold);

/* Sets extents about the origin that hold while the motion does. */
tact_status tact_body_motion_compute_extents(const tact_shape *shape, body_motion_cold *cold);

/* The value of body_motion.sphere_radius. */
double tact_body_motion_sphere_radius(const body_motion_cold *cold);

/* Gives a simple body another velocity from now on, and shifts it by `shift`. It keeps its bound; the caller then
 * schedules its event. The first function says whether that is possible. */
bool tact_body_motion_can_redirect(const struct advance *ad, uint32_t index, tact_vec3 velocity, tact_vec3 shift);
void tact_body_motion_redirect(const tact_world *world, uint32_t index, tact_vec3 velocity, tact_vec3 shift);

/* Inserts a new fat bound whose neighbours are found later (tact_fat_bounds_list). */
void tact_body_motion_insert_fat_bound(tact_world *world, uint32_t index);

/* Whether the boxes of two bodies overlap within [now, now + horizon], horizon finite; `*from` and `*to` then enclose
 * the times after now at which they do. See overlap_window.c. */
bool tact_body_motions_overlap_window(const body_motion *const hot[2], const body_motion_cold *const cold[2],
                                      double now, double horizon, double *from, double *to);

#endif
