/*
 * Observing the calls made to a world, for recording and replay. A world has at most one observer. The world
 * notifies the observer of every public call that has changed the world, when the call is done, and lets it invoke
 * the user's callbacks. Without an observer this costs one comparison per call.
 */
#ifndef TACT_WORLD_CALL_OBSERVER_H
#define TACT_WORLD_CALL_OBSERVER_H

#include <tact/animation.h>
#include <tact/motion_plan.h>
#include <tact/rigid.h>
#include <tact/world.h>

/* Which call was made, with the members of world_call that it sets. The numbers are part of the record format
 * (docs/record.md) and are never reused. */
typedef enum world_call_type {
    CALL_CREATE = 1,                /* defs, bodies, count: tact_body_create and _create_many */
    CALL_REMOVE = 2,                /* bodies, count */
    CALL_SET_TRANSFORM = 3,         /* body, transform */
    CALL_SET_MOTION = 4,            /* body, motion */
    CALL_SET_SHAPE = 5,             /* body, shape */
    CALL_SET_FILTER = 6,            /* body, category, mask */
    CALL_SET_CLASS = 7,             /* body, class_a */
    CALL_SET_USER = 8,              /* body, user */
    CALL_SET_WORLD_CALLBACK = 9,    /* response; the four below reset theirs if it is NULL */
    CALL_SET_CLASS_CALLBACK = 10,   /* class_a, response */
    CALL_SET_CLASSES_CALLBACK = 11, /* class_a, class_b, response */
    CALL_SET_BODY_CALLBACK = 12,    /* body, response */
    CALL_SET_PAIR_CALLBACK = 13,    /* body, other, response */
    CALL_SET_BROAD_PHASE = 14,      /* setting: tact_broad_phase */
    CALL_SET_CACHING = 15,          /* setting: 0 or 1 */
    CALL_STORE_PREVIOUS = 16,
    CALL_RELEASE = 17,
    CALL_TEST = 18,            /* a test begins; its contacts and the calls made by callbacks follow */
    CALL_TEST_END = 19,        /* status, contact_count: contacts reported */
    CALL_TEST_FAILED = 20,     /* out of memory; setting: 1 if the broad phase had been updated by then */
    CALL_DEFORM = 21,          /* body, vertices, first, count: the range read; status: of rebuilding a degraded tree */
    CALL_MAKE_DEFORMABLE = 22, /* body */
    CALL_CHANGE_FACES = 23,    /* body, faces, indices, count; status as in CALL_DEFORM */
    CALL_ADD_VERTICES = 24,    /* body, positions, count */
    CALL_NEXT_EVENT = 25,      /* time: the limit; motion callbacks follow */
    CALL_NEXT_EVENT_END = 26,  /* event */
    CALL_MOTION_CALLBACK = 27, /* transform, motion_plan: as the user's callback left them */
    CALL_SYNC_TRANSFORMS = 28,
    CALL_BOUNCE = 29,               /* event, bounce */
    CALL_SET_CONTACT_STEP = 30,     /* time */
    CALL_SET_MASS = 31,             /* body, mass: NULL if it has none */
    CALL_SET_MOTION_PLAN = 32,      /* body, motion_plan */
    CALL_SET_POLL_INTERVAL = 33,    /* body, time */
    CALL_SET_KINETIC = 34,          /* setting: tact_kinetic */
    CALL_SET_SELF_COLLISION = 35,   /* body, setting: 0 or 1 */
    CALL_PLAY = 36,                 /* body, animation, play */
    CALL_SET_VERTEX_MOTION = 37,    /* body, vertex_motion, count: of the range */
    CALL_STOP_VERTICES = 38,        /* body */
    CALL_SET_FEATURE_EVENTS = 39,   /* body, setting: 0 or 1 */
    CALL_SET_DEFORMING_ENGINE = 40, /* setting: tact_deforming_engine */
    CALL_MOVE_CONTROL_POINTS = 41,  /* body, positions, first, count; status as in CALL_DEFORM */
    CALL_SET_GRAVITY = 42,          /* positions: one vector, count: 1 */
    CALL_SET_SLEEPING = 43,         /* setting: 0 or 1 */
    CALL_WAKE = 44,                 /* body */
    CALL_SET_MATERIAL = 45,         /* body, material */
    CALL_SET_CONTACT_EVENTS = 46,   /* setting: 0 or 1 */
    CALL_SET_REACH = 47,            /* body, time: the reach, a length */
    CALL_LAST = CALL_SET_REACH
} world_call_type;

/* A call with its arguments. Pointers are valid during the notification only. */
typedef struct world_call {
    world_call_type type;
    tact_status status;
    tact_body body, other;
    const tact_body *bodies;
    const tact_body_def *defs;
    const tact_vertices *vertices;
    const uint32_t *faces;
    const uint32_t (*indices)[3];
    const tact_vec3 *positions;
    uint32_t first;
    size_t count;
    uint64_t contact_count;
    const tact_transform *transform;
    const tact_motion *motion;
    const tact_shape *shape;
    const tact_response *response;
    uint64_t category, mask;
    uint32_t class_a, class_b;
    uint32_t setting;
    void *user;
    double time;
    const tact_event *event;
    const tact_bounce_def *bounce;
    const tact_material *material;
    const tact_mass *mass;
    const tact_motion_plan *motion_plan;
    const tact_animation *animation;
    const tact_play_def *play;
    const tact_vertex_motion *vertex_motion;
} world_call;

typedef struct call_observer {
    /* A call has been made. */
    void (*notify)(struct call_observer *observer, const world_call *call);

    /* Invokes the contact callback of `response`. */
    void (*invoke_contact_callback)(struct call_observer *observer, const tact_response *response,
                                    const tact_contact *contact);

    /* Invokes the motion callback of `plan`, which may change both. */
    void (*invoke_motion_callback)(struct call_observer *observer, double time, tact_transform *transform,
                                   tact_motion_plan *plan);

    /* The world is released after this. */
    void (*world_released)(struct call_observer *observer);
} call_observer;

/* Notifies the observer of a call; the arguments are members of a world_call. */
#define WORLD_NOTIFY(world, ...)                                                                                       \
    do {                                                                                                               \
        if ((world)->observer != NULL)                                                                                 \
            (world)->observer->notify((world)->observer, &(world_call){__VA_ARGS__});                                  \
    } while (0)

/* The observer; NULL: none. */
call_observer *tact_world_get_observer(const tact_world *world);
void tact_world_set_observer(tact_world *world, call_observer *observer);

/* tact_body_deform_range with these vertices, which are not borrowed; only those in the range are read. */
tact_status tact_body_deform_from(tact_world *world, tact_body body, const tact_vertices *vertices, size_t first,
                                  size_t count);

/* Is a test running? */
bool tact_world_is_testing(const tact_world *world);

#endif
