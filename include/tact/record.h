/**
 * @file
 * Save and restore a world; record and replay the calls made to it.
 *
 *     tact_bytes recording = {0};
 *     tact_record *record = tact_record_begin(world, tact_bytes_sink(&recording), NULL, &report);
 *     ...                                              // use the world as usual
 *     tact_record_end(record, &report);
 *
 *     tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
 *     while (tact_replay_step(replay, &report) == TACT_REPLAY_CALL)
 *         draw(tact_replay_get_world(replay));
 *     tact_replay_release(replay);
 *
 * **A saved world** contains the bodies with all their properties, their shapes, the responses, the settings and the
 * cached axes. A shape that several bodies share is saved once. The bounding-volume trees of meshes are saved, too, so
 * that they are not rebuilt.
 *
 * **A restored world** behaves like the saved one: it has the same handles, bit-identical results, and the same
 * callbacks in the same order. There are three exceptions:
 * - tact_query::any may find another body, because the broad phase may differ.
 * - Vertex arrays that deformable bodies borrowed are no longer borrowed. Their contents are saved.
 * - In a world with moving vertices, times of events may differ by rounding, and those of NURBS bodies whose control
 *   points move within the tolerance of the surfaces. Bodies in persistent contact with moving vertices then differ,
 *   too: see below.
 *
 * **Continuous time** (advance.h, rigid.h, motion_plan.h). A saved world contains its time, masses, motion plans,
 * motions, persistent contacts and predictions. A restored world goes on bit for bit as the saved one: the same events
 * at the same times, the same motions, the same calls of motion callbacks. Saving changes nothing. So a program may
 * save a world at any time and later go back to it (rollback).
 *
 * Worlds with moving vertices (animation.h) are saved without predictions, and a restored one predicts anew from the
 * current time. Feature events are the same, except possibly where the transform of a rigid body is set later
 * (docs/animation.md, Limits). Times of touches may differ by rounding: by 1e-15 of the time, and close to a contact by
 * its tolerance. If one of two bodies is rigid, a repeated touch may be reported in one world only. Contact steps of
 * bodies on moving vertices are cut at other times: after 0.2 units of time such bodies were up to 3e-6 of a length
 * elsewhere, on NURBS bodies whose control points move by up to the tolerance. Motion callbacks may be called at other
 * times. Two worlds restored from the same bytes are identical.
 *
 * **A recording** contains the initial world, then all calls that change it, in order. This includes calls made in
 * callbacks, and the contacts of tact_world_test. World queries are not recorded. Failed calls are not recorded
 * either, except tact_world_test and tact_world_next_event.
 * - In continuous time each tact_world_next_event is recorded with its event, also those inside tact_world_advance.
 *   Calls made in the contact callbacks of tact_world_advance are recorded in between. The contacts passed to these
 *   callbacks are not. The results of motion callbacks are.
 * - Recording changes nothing, except in worlds with moving vertices: when a recording begins, they predict all events
 *   anew, as the replay will. They also do if it cannot begin for lack of memory.
 *
 * **A recording stops** when it cannot be replayed exactly, while the world goes on: tact_record_check says why.
 * - tact_world_next_event runs out of memory.
 * - tact_body_deform, tact_body_deform_range or tact_body_change_faces succeeds, but has no memory to rebuild a
 *   degraded tree. The order of later contacts may then differ.
 * - There is no memory for the recording, or the sink fails.
 *
 * **A replay** makes the recorded calls again. It does not call the callbacks of the program: the calls that they made
 * come from the recording. It checks that contacts and events are bit-identical, and that bodies get the same handles.
 * If a tact_body_deform of the replay has no memory to rebuild a degraded tree, the state is #TACT_REPLAY_FAILED.
 *
 * **Format.** The format is independent of the machine (docs/record.md): bytes written on one machine can be read on
 * any other. The bytes carry a version, and each block has a hash. Invalid bytes are rejected with a message: they
 * may be truncated, changed, of another version or inconsistent. Values that the functions of shape.h, body.h or
 * response.h reject are invalid, too.
 *
 * **Memory.** Restoring uses memory proportional to the number of bytes and to the number of pairs whose boxes overlap.
 * A replay needs in addition the memory that its calls need.
 */
#ifndef TACT_RECORD_H
#define TACT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tact/advance.h>
#include <tact/allocator.h>
#include <tact/motion_plan.h>
#include <tact/parallel.h>
#include <tact/response.h>
#include <tact/shape.h>
#include <tact/status.h>
#include <tact/world.h>

TACT_BEGIN

/** Version of the format that is written. Versions 1, which has no continuous time, and 2, which has no persistent
 * contacts, can be read as well. */
#define TACT_RECORD_VERSION 3

/* ---- sinks ---- */

/** Writes `size` bytes; returns false on failure. */
typedef bool tact_write_callback(void *context, const void *bytes, size_t size);

/** A destination of bytes. */
typedef struct tact_sink {
    tact_write_callback *write; /**< called for each block */
    void *context;              /**< passed to `write` */
} tact_sink;

/** A growing byte buffer. All zero: empty, default allocator. */
typedef struct tact_bytes {
    unsigned char *data;      /**< the bytes */
    size_t size;              /**< their number */
    size_t capacity;          /**< private */
    tact_allocator allocator; /**< allocator of `data` */
} tact_bytes;

/** Returns a sink that appends to `bytes`, which must outlive it. If they cannot grow, a save or recording has the
 * status #TACT_OUT_OF_MEMORY; if another sink fails, #TACT_BAD_ARGUMENT. */
TACT_API tact_sink tact_bytes_sink(tact_bytes *bytes);

/** Frees the memory and empties the buffer. NULL is allowed. */
TACT_API void tact_bytes_release(tact_bytes *bytes);

/** Appends the contents of a file. On failure nothing is appended. */
TACT_API tact_status tact_bytes_load(tact_bytes *bytes, const char *path, tact_report *report);

/** Returns a sink that writes to a file. The file must be open for binary writing. The sink flushes the file after each
 * block, so that a recording can be replayed even if the program crashes. */
TACT_API tact_sink tact_file_sink(FILE *file);

/* ---- pointers ---- */

/** Kind of a pointer. The values are part of the format. */
typedef enum tact_pointer_kind {
    TACT_POINTER_USER = 1,         /**< tact_body_def::user: `data` */
    TACT_POINTER_CONTACT_CALLBACK, /**< tact_response::callback: `contact_callback` */
    TACT_POINTER_CONTACT_CONTEXT,  /**< tact_response::context: `data` */
    TACT_POINTER_SUPPORT,          /**< tact_shape_def::support: `support_callback` */
    TACT_POINTER_SUPPORT_CONTEXT,  /**< tact_shape_def::support_context: `data` */
    TACT_POINTER_MOTION_CALLBACK,  /**< tact_motion_plan::callback: `motion_callback` */
    TACT_POINTER_MOTION_CONTEXT    /**< tact_motion_plan::context: `data` */
} tact_pointer_kind;

/** A pointer of the caller. */
typedef union tact_pointer {
    void *data;                              /**< a data pointer */
    tact_contact_callback *contact_callback; /**< a contact callback */
    tact_support_callback *support_callback; /**< a support function */
    tact_motion_callback *motion_callback;   /**< a motion callback */
} tact_pointer;

/**
 * Maps pointers to ids and back, because a pointer of one run is meaningless in another. NULL is always id 0, and
 * neither function is called for it.
 *
 * Without a map, or if `id_of` is NULL, pointers are written as the ids 1, 2, 3 ... in order of appearance. Without a
 * map, or if `pointer_of` is NULL, they are read as follows:
 * - A user pointer or context becomes NULL.
 * - A contact callback becomes a function that does nothing, so that tests still count the contacts.
 * - A motion callback becomes NULL, so that the world reports #TACT_EVENT_MOTION_EXPIRED (motion_plan.h).
 * - A #TACT_CUSTOM shape can be neither saved nor restored.
 */
typedef struct tact_pointer_map {
    /** Writing: returns the id of a pointer. If the pointer has no id, it returns 0; then the save or recording fails
     * with #TACT_BAD_ARGUMENT. */
    uint64_t (*id_of)(void *context, tact_pointer_kind kind, tact_pointer pointer);
    /** Reading: writes the pointer of an id to `pointer`. If there is none, it returns false; then the restore or
     * replay fails. The same holds if it gives NULL for a callback or support function. */
    bool (*pointer_of)(void *context, tact_pointer_kind kind, uint64_t id, tact_pointer *pointer);
    void *context; /**< passed to both functions */
} tact_pointer_map;

/** Options. All zero: defaults. */
typedef struct tact_record_def {
    const tact_pointer_map *pointer_map; /**< NULL: none; must outlive a recording or replay */
    tact_allocator allocator;            /**< allocator, also of a restored world and its shapes */
    tact_parallel parallel;              /**< restore, replay: parallel loop of the world */
    /** Replay: called for each contact after the check. It must not change the world. */
    tact_contact_callback *contact_callback;
    void *contact_context; /**< passed to `contact_callback` */
} tact_record_def;

/* ---- save and restore ---- */

/** Saves a world. It may be called in a contact callback. The restored world then does not continue the interrupted
 * test. `def` and `report` may be NULL. On failure the bytes written so far stay in the sink. */
TACT_API tact_status tact_world_save(const tact_world *world, tact_sink sink, const tact_record_def *def,
                                     tact_report *report);

/** Restores a saved world. On failure returns NULL and explains in `report`, which may be NULL. The bytes are not
 * needed afterwards. Cost: O(n log n) in the bytes and in the pairs whose boxes overlap. */
TACT_API tact_world *tact_world_restore(const void *bytes, size_t size, const tact_record_def *def,
                                        tact_report *report);

/* ---- record ---- */

/** A recording in progress. */
typedef struct tact_record tact_record;

/** Begins a recording: writes the world now and every later call that changes it. A world has at most one recording at
 * a time, and it cannot begin in a callback. The recording holds references to the recorded shapes until it ends. On
 * failure returns NULL and explains in `report`, which may be NULL. */
TACT_API tact_record *tact_record_begin(tact_world *world, tact_sink sink, const tact_record_def *def,
                                        tact_report *report);

/** Returns #TACT_OK if everything has been written so far. Otherwise the recording has stopped, and the function
 * returns the reason and explains it in `report`, which may be NULL. Calls of the world do not fail if the recording
 * does. The bytes written before can be replayed. */
TACT_API tact_status tact_record_check(const tact_record *record, tact_report *report);

/** Ends a recording, frees it, and returns the result of tact_record_check. The world may already be destroyed. In a
 * callback the function returns #TACT_BAD_ARGUMENT, and the recording continues. */
TACT_API tact_status tact_record_end(tact_record *record, tact_report *report);

/* ---- replay ---- */

/** A replay in progress. */
typedef struct tact_replay tact_replay;

/** Result of a replay step. */
typedef enum tact_replay_state {
    TACT_REPLAY_CALL = 0,  /**< a call was made, with the recorded result */
    TACT_REPLAY_END,       /**< the recording has ended properly */
    TACT_REPLAY_TRUNCATED, /**< the bytes end before the recording does, after or within a call */
    TACT_REPLAY_DIVERGED,  /**< a result differs from the recorded one */
    TACT_REPLAY_FAILED     /**< the bytes are damaged, a pointer id is unknown, or memory ran out */
} tact_replay_state;

/** Begins a replay: restores the initial world of a recording. The bytes must remain valid until the replay is freed.
 * On failure returns NULL and explains in `report`, which may be NULL. */
TACT_API tact_replay *tact_replay_begin(const void *bytes, size_t size, const tact_record_def *def,
                                        tact_report *report);

/** Makes the next call. If it is a test, this includes all calls that its callbacks made. Any state except
 * #TACT_REPLAY_CALL is final. Then `report`, which may be NULL, gives the call, the byte and the reason. */
TACT_API tact_replay_state tact_replay_step(tact_replay *replay, tact_report *report);

/** Makes all remaining calls. */
TACT_API tact_replay_state tact_replay_run(tact_replay *replay, tact_report *report);

/** Returns the current world. It belongs to the replay and must not be changed. Returns NULL after a recorded call has
 * destroyed it. */
TACT_API const tact_world *tact_replay_get_world(const tact_replay *replay);

/** Returns the number of calls made, not counting those in callbacks. */
TACT_API uint64_t tact_replay_get_call_count(const tact_replay *replay);

/** Returns the name of the function that the last step called, such as "tact_body_set_transform", or "" before the
 * first step. */
TACT_API const char *tact_replay_get_call(const tact_replay *replay);

/** Gives the event of the last step, if it called tact_world_next_event and there was one; false if not. */
TACT_API bool tact_replay_get_event(const tact_replay *replay, tact_event *event);

/** Frees the replay and gives its world to the caller, with the callbacks that tact_record_def::pointer_map gave. If
 * the world was destroyed or a step is in progress, it returns NULL and keeps the replay. */
TACT_API tact_world *tact_replay_take_world(tact_replay *replay);

/** Frees the replay and its world. NULL is allowed. */
TACT_API void tact_replay_release(tact_replay *replay);

TACT_END

#endif
