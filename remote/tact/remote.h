/**
 * @file
 * Remote collision detection: a client of `tact serve`. A library of its own (`tact::remote`), because it needs nng and
 * jansson.
 *
 *     tact_world *world = tact_world_create(NULL);                      // a world as usual; it stays on this side
 *     tact_body ship = tact_body_create(world, &(tact_body_def){.shape = hull});
 *     ...
 *     tact_remote *remote = tact_remote_connect("tcp://127.0.0.1:7070", NULL, &report);
 *     tact_remote_send_world(remote, world, TACT_REMOTE_NONE);          // all shapes and bodies, once
 *     tact_remote_set_transform(remote, ship, tact_at(1, 0, 0));        // then only what changes
 *     tact_remote_test(remote, &contacts, &count);                      // what touches now
 *     tact_remote_next_event(remote, 10.0, &event);                     // and what touches next
 *
 * The world is sent as its bytes (record.h), so bodies have the same handles on both sides. Later changes of the local
 * world are not sent. The functions that change a body do not wait: changes are sent together, with the next question.
 *
 * The server ends the session at the first error: then every function returns #TACT_BAD_ARGUMENT, and
 * tact_remote_get_error says why. A connection is used by one thread at a time; each has a session of its own.
 */
#ifndef TACT_REMOTE_H
#define TACT_REMOTE_H

#include <tact/tact.h>

TACT_BEGIN

/** A connection to a server, and its session. */
typedef struct tact_remote tact_remote;

/** How to connect. All zero: defaults. */
typedef struct tact_remote_def {
    const char *token; /**< of the server; NULL: none */
    double timeout;    /**< seconds that a question may take; 0: 60 */
} tact_remote_def;

/** What happens at a touch in tact_remote_next_event, as "response" of a scene. */
typedef enum tact_remote_response {
    TACT_REMOTE_NONE = 0, /**< bodies pass through each other */
    TACT_REMOTE_ELASTIC,  /**< they bounce and conserve energy */
    TACT_REMOTE_INELASTIC /**< they bounce with their restitution, and come to rest */
} tact_remote_response;

/** A contact that tact_remote_test found. */
typedef struct tact_remote_contact {
    tact_body a, b;   /**< the bodies, a created first */
    tact_phase phase; /**< since the test before */
    /** The contact points, deepest first; parts and features are zero. None at the end of a contact. */
    const tact_contact_point *points;
    size_t point_count; /**< their number */
} tact_remote_contact;

/** Connects to an address of `tact serve`: "ipc://", "tcp://" or "ws://". `def` and `report` may be NULL. Returns NULL
 * on failure, and explains in `report`. */
TACT_API tact_remote *tact_remote_connect(const char *address, const tact_remote_def *def, tact_report *report);

/** Closes a connection. NULL is allowed. Changes that were not sent are lost. */
TACT_API void tact_remote_close(tact_remote *remote);

/** Returns the reason of the last failure; "" if there was none. */
TACT_API const char *tact_remote_get_error(const tact_remote *remote);

/** Asks a question of docs/serve_tool.md: one JSON object without a line end. Returns the answer without its line end,
 * valid until the next call; NULL on failure. */
TACT_API const char *tact_remote_request(tact_remote *remote, const char *request);

/** Sends a world, which replaces the one that was sent before. Fails as tact_world_save, or if the server rejects it.
 */
TACT_API tact_status tact_remote_send_world(tact_remote *remote, const tact_world *world,
                                            tact_remote_response response);

/** Returns the world of the server, which a caller releases; NULL on failure. `def` and `report` may be NULL. */
TACT_API tact_world *tact_remote_receive_world(tact_remote *remote, const tact_record_def *def, tact_report *report);

/** Sets the transform of a body. Does not wait. */
TACT_API tact_status tact_remote_set_transform(tact_remote *remote, tact_body body, tact_transform transform);

/** Sets the motion of a body. Does not wait. */
TACT_API tact_status tact_remote_set_motion(tact_remote *remote, tact_body body, tact_motion motion);

/** Finds all pairs that touch now. The contacts are valid until the next call. */
TACT_API tact_status tact_remote_test(tact_remote *remote, const tact_remote_contact **contacts, size_t *count);

/** Advances the world of the server to its next event, as tact_world_next_event. User pointers and features of `event`
 * are zero. If the server cancelled the search after its limit of time, the status is #TACT_CANCELLED, and the same
 * call goes on. */
TACT_API tact_event_kind tact_remote_next_event(tact_remote *remote, double until, tact_event *event);

TACT_END

#endif
