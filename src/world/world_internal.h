/*
 * The state of a world.
 *
 * The index of a body is also its proxy in the broad phase, so a pair of the broad phase names two bodies. The broad
 * phase reuses an index only after the next successful update, so within a test an index always means the same body.
 */
#ifndef TACT_WORLD_WORLD_INTERNAL_H
#define TACT_WORLD_WORLD_INTERNAL_H

#include <tact/animation.h>
#include <tact/rigid.h>
#include <tact/world.h>

#include "broad/broad.h"
#include "core/array.h"
#include "math/vec.h"
#include "world/call_observer.h"
#include "world/contact_phase.h"
#include "world/deform.h"
#include "world/extension.h"
#include "world/motion_observer.h"
#include "world/response_table.h"

enum {
    BODY_ALIVE = 1,
    BODY_MOVED = 2,              /* in `moved`; stays set if the body is removed */
    BODY_FIXED_BOUNDS = 4,       /* its bounds are invariant under rotation */
    BODY_HAS_RESPONSE = 8,       /* has its own response, with or without a callback */
    BODY_HAS_PAIR_RESPONSE = 16, /* a response has been set for a pair with this body */
    BODY_SELF_COLLISION = 128,   /* is tested against itself */
    BODY_SELF_LISTED = 256,      /* in `self_colliding`; stays set if the body is removed */
    BODY_FEATURE_EVENTS = 512,   /* its contacts are reported feature by feature (tact/animation.h) */
    BODY_HAS_REACH = 1024        /* its reach is not 0 */
};

/* The part of a body that a test reads: two cache lines. */
typedef struct world_body {
    tact_transform transform;
    tact_shape *shape;   /* a reference; NULL if there is no body */
    uint64_t change;     /* tact_world.changes when its transform, shape or filter was last set */
    uint64_t serial;     /* the number of bodies created before it in this world */
    uint32_t generation; /* of the body, or of the next one with this index; never 0 */
    uint32_t flags;
} world_body;

/* The rest of a body. */
typedef struct world_body_cold {
    tact_transform previous_transform; /* as of tact_world_store_previous */
    tact_shape *previous_shape;        /* a reference */
    tact_motion motion;
    tact_response response; /* if BODY_HAS_RESPONSE */
    void *user;
    double bounding_radius;               /* if BODY_FIXED_BOUNDS: of the shape about its origin, without margin */
    deform *deform;                       /* of a deformable body, whose shape is one of the two copies; else NULL */
    struct rigid_body *rigid;             /* NULL: the body has no mass */
    struct body_motion_plan *motion_plan; /* see tact/motion_plan.h; NULL: none */
    struct vertex_plan *vertex_plan;      /* motion of the vertices of a deformable mesh; NULL: none */
    double poll_interval;                 /* time units; 0: it is not polled */
    tact_material material;
    double reach; /* length, see tact_body_set_reach */
    uint32_t class_id;
} world_body_cold;

/* The test of a body against itself (self_collision.c). */
typedef enum self_test_state { SELF_TEST_UNDECIDED, SELF_TEST_APART, SELF_TEST_TOUCHING } self_test_state;

typedef struct self_test {
    uint32_t index;
    uint32_t triangles[2]; /* if it touches: the first two that intersect */
    tact_vec3 point;       /* NURBS body: between the places that touch, in local coordinates */
    self_test_state state;
} self_test;

ARRAY_OF(world_body_array, world_body);
ARRAY_OF(world_body_cold_array, world_body_cold);
ARRAY_OF(body_index_array, uint32_t);
ARRAY_OF(pair_result_array, uint8_t);
ARRAY_OF(self_test_array, self_test);
ARRAY_OF(cached_axis_array, broad_pair);
ARRAY_OF(intersection_array, tact_intersection);
ARRAY_OF(contact_point_array, tact_contact_point);

struct tact_world {
    tact_allocator allocator;
    tact_parallel parallel;
    broad *broad;
    world_body_array bodies;         /* by index; as many as the broad phase has indices */
    world_body_cold_array cold;      /* likewise */
    body_index_array moved;          /* indices moved since tact_world_store_previous; capacity for all */
    body_index_array self_colliding; /* indices with BODY_SELF_LISTED; capacity for all */
    size_t count;                    /* bodies alive */
    uint64_t serial;                 /* bodies created so far */
    uint64_t changes;                /* counts the changes that a test depends on */
    tact_response response;
    response_table classes;         /* key: (0, class) or (class, class) in order */
    response_table pairs;           /* key: indices in order; stamp: generations */
    pair_result_array pair_results; /* of the running test, by position in the list of pairs */
    self_test_array self_tests;     /* of the running test, by index */
    box_array element_boxes; /* scratch for the boxes of the elements of a deformable body; capacity for the largest */
    cached_axis_array
        axes; /* of a restored world: the cached axes of pairs, until the next update restores the pairs */
    call_observer *observer;                                  /* NULL: none */
    motion_observer *motion_observer;                         /* NULL: none */
    const world_extension *extensions[WORLD_EXTENSION_COUNT]; /* NULL: none */
    struct step_context *step;                                /* the state of step/; NULL: none yet */
    struct advance *advance;                                  /* the state of advance/; NULL: none yet */
    double contact_step;                                      /* see tact_world_set_contact_step */
    tact_vec3 gravity;
    bool never_sleeps;
    bool contact_events;                    /* see tact_world_set_contact_events */
    tact_kinetic kinetic;                   /* as requested */
    tact_deforming_engine deforming_engine; /* as requested */
    size_t vertex_plan_count;               /* bodies whose vertices move */
    tact_progress progress;                 /* see tact_world_set_progress */
    uint64_t work, next_report;             /* of the running call: units so far, and at which progress is reported */
    bool caching;
    bool testing;
    bool release_pending; /* released inside a callback: freed when the test ends */

    intersection_array intersections;   /* of the contact that is being reported */
    contact_point_array contact_points; /* likewise, if there are more than a contact_storage has */
    contact_phases phases;              /* the pairs that the last test reported */
};

/* Memory for the data of one contact. */
typedef struct contact_storage {
    tact_manifold manifold;
    tact_contact_point points[TACT_MANIFOLD_POINTS]; /* enough for two convex shapes */
} contact_storage;

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

/* An unbounded body cannot spin: its points would have no largest speed. A body with a mass rotates about its centre of
 * mass. The shape of a deformable body cannot be moved to a pivot, as it changes. */
static inline bool body_may_move(const tact_shape *shape, bool has_mass, bool deformable, const tact_motion *motion)
{
    return (!shape_is_halfspace(shape) || vec_max_abs(motion->spin) == 0.0) &&
           (!(has_mass || deformable) || vec_max_abs(motion->pivot) == 0.0);
}

/* The same of a body that exists, with its shape. */
static inline bool body_accepts_motion(const tact_world *world, uint32_t index, const tact_motion *motion)
{
    const world_body_cold *cold = &world->cold.items[index];
    return body_may_move(world->bodies.items[index].shape, cold->rigid != NULL, cold->deform != NULL, motion);
}

static inline tact_body body_handle(const tact_world *world, uint32_t index)
{
    return (tact_body){index, world->bodies.items[index].generation};
}

/* After an update of a restored world: gives the cached axes to the pairs that exist. */
void tact_world_restore_axes(tact_world *world);

/* Whether the numbers of a material are in range. */
bool tact_material_is_valid(const tact_material *material);

/* Marks a body whose transform or shape the caller has set, and notifies the extensions. */
void tact_body_set_moved(tact_world *world, uint32_t index, body_change what);

/* Marks a body that has moved by its own motion, for tests and for the previous transform; extensions know already. */
void tact_body_mark_moved(tact_world *world, uint32_t index);

/* Frees the vertex plan of a body, if it has one. The caller then notifies the extensions that the body has changed. */
void tact_body_drop_vertex_plan(tact_world *world, uint32_t index);

/* Sets the motion of a body. Its motion plan stays. No observer is notified. */
void tact_body_redirect(tact_world *world, uint32_t index, tact_motion motion);

/* The response that applies to two bodies that exist; its callback is NULL if there is none. */
tact_response tact_response_of(const tact_world *world, uint32_t one, uint32_t other);

/* The same for a pair that has ended, of which bodies may have been removed. */
tact_response tact_response_of_ended(const tact_world *world, const reported_pair *pair);

/* Sets the box of a body in the broad phase: `tight`, enlarged by the reach of the body. */
tact_status tact_body_move_proxy(tact_world *world, uint32_t index, const box *tight);

/* Two bodies in the order of their creation. */
static inline reported_pair pair_in_order(const tact_world *world, uint32_t one, uint32_t other)
{
    const bool one_first = world->bodies.items[one].serial < world->bodies.items[other].serial;
    return (reported_pair){body_handle(world, one_first ? one : other), body_handle(world, one_first ? other : one)};
}

/* Calls the callback of a response, through the observer if there is one. */
void tact_world_invoke_contact_callback(tact_world *world, const tact_response *response, const tact_contact *contact);

/* Fills in a contact of two bodies that touch, or are at most `reach` apart, with the data that `response` wants.
 * `storage` is memory for it. */
void tact_world_fill_contact(tact_world *world, uint32_t one, uint32_t other, const tact_response *response,
                             double reach, tact_contact *contact, contact_storage *storage);

#endif
