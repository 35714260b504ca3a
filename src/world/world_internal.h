/*
 * What the files of this room share: the inside of a world.
 *
 * A body's index is its number in the broad phase (its proxy): one numbering for both, and a pair of the broad phase
 * names the bodies. The broad phase gives a number again only after the next successful update, so within a test an
 * index never comes to mean another body.
 */
#ifndef TACT_WORLD_WORLD_INTERNAL_H
#define TACT_WORLD_WORLD_INTERNAL_H

#include <tact/world.h>

#include "broad/broad.h"
#include "core/array.h"
#include "math/vec.h"
#include "world/call_observer.h"
#include "world/deform.h"
#include "world/extension.h"
#include "world/response_table.h"

enum {
    BODY_ALIVE = 1,
    BODY_MOVED = 2,             /* in the list of those that may have moved since the last proceed; outlives the body */
    BODY_FIXED_BOUNDS = 4,      /* bounds of fixed size */
    BODY_HAS_RESPONSE = 8,      /* has a response of its own, clear or not */
    BODY_HAS_PAIR_RESPONSE = 16 /* has had a response set for a pair that it is in */
};

/* What a test reads: two cache lines. */
typedef struct world_body {
    tact_transform transform;
    tact_shape *shape;   /* a reference; NULL if there is no body */
    uint64_t change;     /* the world's count of changes when it was last placed, or given a shape or filter */
    uint64_t serial;     /* bodies made before it in this world */
    uint32_t generation; /* of the body, or of the next one with this index; never 0 */
    uint32_t flags;
} world_body;

/* The rest. */
typedef struct world_body_cold {
    tact_transform previous_transform; /* in the previous frame */
    tact_shape *previous_shape;        /* a reference */
    tact_motion motion;
    tact_response response; /* if BODY_HAS_RESPONSE */
    void *user;
    double bounding_radius;               /* if BODY_FIXED_BOUNDS: of the shape about its origin, margin not included */
    deform *deform;                       /* of a deformable body, whose shape is one of its twins; else NULL */
    struct rigid_body *rigid;             /* of one that has a mass; else NULL */
    struct body_motion_plan *motion_plan; /* of one that is on a course (tact/motion_plan.h); else NULL */
    double poll_interval;                 /* an interval: it is polled; 0: it is not */
    uint32_t class_id;
} world_body_cold;

ARRAY_OF(world_body_array, world_body);
ARRAY_OF(world_body_cold_array, world_body_cold);
ARRAY_OF(body_index_array, uint32_t);
ARRAY_OF(pair_result_array, uint8_t);
ARRAY_OF(cached_axis_array, broad_pair);
ARRAY_OF(intersection_array, tact_intersection);

#define WORLD_REST_TIME 1e-3 /* a time: how long a contact lasts at least, at first */

struct tact_world {
    tact_allocator allocator;
    tact_parallel parallel;
    broad *broad;
    world_body_array bodies;    /* by index; as many as the broad phase has numbers */
    world_body_cold_array cold; /* likewise */
    body_index_array moved;     /* room for all */
    size_t count;               /* bodies alive */
    uint64_t serial;            /* bodies made so far */
    uint64_t changes;           /* of what a test depends on */
    tact_response response;
    response_table classes;         /* key: (0, class) or (class, class) in order */
    response_table pairs;           /* key: indices in order; stamp: generations */
    pair_result_array pair_results; /* of the test under way, by place in the list of pairs */
    box_array element_boxes;        /* room for those of the elements of any deformable body */
    cached_axis_array
        axes; /* of pairs of a restored world: to be given to those that are there after the next update */
    call_observer *observer;                                  /* NULL: none */
    const world_extension *extensions[WORLD_EXTENSION_COUNT]; /* NULL: none */
    struct step_context *step;                                /* the state of step/; NULL: none yet */
    struct advance *advance;                                  /* the state of advance/; NULL: none yet */
    double rest_time;                                         /* see tact_world_set_rest_time */
    tact_kinetic kinetic;                                     /* as asked for */
    bool caching;
    bool testing;
    bool release_pending; /* released by a response: gone when the test ends */

    intersection_array intersections; /* of the contact that is being told */
};

static inline bool transform_is_zero(const tact_transform *p)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return vec_equal(p->x_axis, zero) && vec_equal(p->y_axis, zero) && vec_equal(p->z_axis, zero) &&
           vec_equal(p->origin, zero);
}

static inline world_body *body_find(const tact_world *world, tact_body body)
{
    if (world == NULL || body.index >= world->bodies.count)
        return NULL;
    world_body *hot = &world->bodies.items[body.index];
    return hot->flags & BODY_ALIVE && hot->generation == body.generation ? hot : NULL;
}

static inline tact_body body_handle(const tact_world *world, uint32_t index)
{
    return (tact_body){index, world->bodies.items[index].generation};
}

/* Gives the axes of a restored world to the pairs that are there, after an update. */
void tact_world_restore_axes(tact_world *world);

/* Marks a body that the caller has given another transform or shape. */
void tact_body_set_moved(tact_world *world, uint32_t index, body_change what);

/* Notes the same for tests and the previous frame alone: it has got there by its own motion. */
void tact_body_mark_moved(tact_world *world, uint32_t index);

/* Gives a body a motion; it keeps its motion plan, if it has one. No observer is notified. */
void tact_body_redirect(tact_world *world, uint32_t index, tact_motion motion);

/* The response that counts for two bodies that are there; `call` NULL if it is clear. */
tact_response tact_response_of(const tact_world *world, uint32_t one, uint32_t other);

/* Fills in a contact of two bodies that touch, with what `response` wants; `room` is for its manifold. */
void tact_world_fill_contact(tact_world *world, uint32_t one, uint32_t other, const tact_response *response,
                             tact_contact *contact, tact_manifold *room);

#endif
