/*
 * Who wants to know of the calls made to a world. The world tells one observer, if there is one, of every public call
 * that has changed it, when it is done; and lets it call the responses in its place. Without a observer this costs a
 * comparison a call.
 */
#ifndef TACT_WORLD_CALL_OBSERVER_H
#define TACT_WORLD_CALL_OBSERVER_H

#include <tact/motion_plan.h>
#include <tact/rigid.h>
#include <tact/world.h>

/* Which call it was. The numbers are part of the format of records (docs/record.md): never to be given again. */
typedef enum world_call_type {
    CALL_CREATE = 1,           /* defs, bodies, count: tact_body_create, or _create_many */
    CALL_REMOVE = 2,           /* bodies, count */
    CALL_PLACE = 3,            /* body, place */
    CALL_MOVE = 4,             /* body, motion */
    CALL_SHAPE = 5,            /* body, shape */
    CALL_FILTER = 6,           /* body, category, mask */
    CALL_CLASS = 7,            /* body, one */
    CALL_USER = 8,             /* body, user */
    CALL_RESPOND = 9,          /* response: of the world; those that follow set one, or reset it if there is none */
    CALL_RESPOND_CLASS = 10,   /* one */
    CALL_RESPOND_CLASSES = 11, /* one, two */
    CALL_RESPOND_BODY = 12,    /* body */
    CALL_RESPOND_PAIR = 13,    /* body, other */
    CALL_BROAD = 14,           /* one: tact_broad_phase */
    CALL_CACHING = 15,         /* one: on or off */
    CALL_PROCEED = 16,
    CALL_RELEASE = 17,
    CALL_TEST = 18,        /* one begins; contacts and calls follow */
    CALL_TEST_END = 19,    /* status, count: of contacts */
    CALL_TEST_FAILED = 20, /* for lack of memory; one: whether the broad phase had been updated by then */
    CALL_DEFORM = 21,      /* body, vertices, first, count: those that were read; status: of a worn tree's rebuilding */
    CALL_DEFORMABLE = 22,  /* body */
    CALL_FACES = 23,       /* body, faces, corners, count; status as of CALL_DEFORM */
    CALL_VERTICES = 24,    /* body, places, count */
    CALL_NEXT = 25,        /* number: until when; answers follow */
    CALL_NEXT_END = 26,    /* event */
    CALL_ANSWER = 27,      /* place, course: of a guide */
    CALL_CATCH_UP = 28,
    CALL_BOUNCE = 29,  /* event, bounce */
    CALL_REST = 30,    /* number */
    CALL_MASS = 31,    /* body, mass: NULL if it has none */
    CALL_COURSE = 32,  /* body, course */
    CALL_POLL = 33,    /* body, number */
    CALL_KINETIC = 34, /* one: tact_kinetic */
    CALL_LAST = CALL_KINETIC
} world_call_type;

/* A call, with what it was given. Pointers last as long as the telling. */
typedef struct world_call {
    world_call_type type;
    tact_status status;
    tact_body body, other;
    const tact_body *bodies;
    const tact_body_def *defs;
    const tact_vertices *vertices;
    const uint32_t *faces;
    const uint32_t (*corners)[3];
    const tact_vec3 *places;
    size_t first, count;
    const tact_transform *place;
    const tact_motion *motion;
    const tact_shape *shape;
    const tact_response *response;
    uint64_t category, mask;
    uint32_t one, two;
    void *user;
    double number;
    const tact_event *event;
    const tact_bounce_def *bounce;
    const tact_mass *mass;
    const tact_motion_plan *course;
} world_call;

typedef struct call_observer {
    void (*heard)(struct call_observer *observer, const world_call *call);
    /* instead of calling the response of a contact */
    void (*respond)(struct call_observer *observer, const tact_response *response, const tact_contact *contact);
    void (*gone)(struct call_observer *observer); /* the world is, when this returns */
    /* instead of asking the guide of a course */
    void (*ask)(struct call_observer *observer, double time, tact_transform *place, tact_motion_plan *course);
} call_observer;

/* Tells of a call; the rest are members of a world_call. */
#define WORLD_NOTIFY(world, ...)                                                                                       \
    do {                                                                                                               \
        if ((world)->observer != NULL)                                                                                 \
            (world)->observer->heard((world)->observer, &(world_call){__VA_ARGS__});                                   \
    } while (0)

/* Who listens; NULL: nobody. */
call_observer *tact_world_get_observer(const tact_world *world);
void tact_world_set_observer(tact_world *world, call_observer *observer);

/* As tact_body_deform_range, with these vertices, which are not borrowed; only those of the range are read. */
tact_status tact_body_deform_from(tact_world *world, tact_body body, const tact_vertices *vertices, size_t first,
                                  size_t count);

/* Is a test under way? */
bool tact_world_is_testing(const tact_world *world);

#endif
