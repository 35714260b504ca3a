/**
 * @file
 * Save and restore a world; record and replay the calls made to it.
 *
 *     tact_bytes recording = {0};
 *     tact_record *record = tact_record_begin(world, tact_bytes_sink(&recording), NULL, &report);
 *     ...                                              use the world as usual
 *     tact_record_end(record, &report);
 *
 *     tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
 *     while (tact_replay_step(replay, &report) == TACT_REPLAY_CALL)
 *         draw(tact_replay_get_world(replay));
 *     tact_replay_release(replay);
 *
 * **Saved** are the bodies with all their properties, their shapes (each once, however many bodies share it, with the
 * bounding-volume trees of meshes, so that none is rebuilt), the responses, the settings and the cached axes. A
 * **restored** world behaves like the saved one: the same handles, the same results, the same callbacks in the same
 * order, bit for bit. There are three exceptions: tact_query::any may find another body, because the broad phase may
 * differ; vertex arrays that deformable bodies borrowed are no longer borrowed (their contents were saved); and
 * continuous time, below.
 *
 * **Continuous time** (advance.h, rigid.h, motion_plan.h) is saved: the time of the world, masses, motion plans, the
 * motions as they began (so that bodies pass through the same positions to the last bit), and the pairs in contact. A
 * restored world reports the same events in the same order. But it predicts them anew from the current time, so times
 * may differ by rounding (1e-15 of the time; close to a contact, by its tolerance), and motion callbacks may be called
 * at other times. Worlds restored from the same bytes are identical.
 *
 * **Recorded** are the initial world and then all calls that change it, in order, including those made in callbacks,
 * and every contact passed to a callback. World queries and failed calls are not recorded. Advancing in time is
 * recorded as calls of tact_world_next_event, each with its event, also inside tact_world_advance; what its callbacks
 * do is recorded in between, their contacts are not; the results of motion callbacks are. When a recording begins, the
 * world predicts everything anew, as the replay will. A recording stops if the world runs out of memory in
 * tact_world_next_event.
 *
 * A **replay** repeats the calls, those of callbacks from the record instead of the caller's functions. It checks that
 * the same contacts and events occur, bit for bit, and that bodies get the same handles. Where a call succeeds without
 * memory it could have used (tact_body_deform, when a degraded tree should be rebuilt), a recording stops and a replay
 * is #TACT_REPLAY_FAILED, because contacts might come in another order.
 *
 * **Format.** The bytes are the same on every machine (docs/record.md), carry a version, and are hashed block by block.
 * Invalid bytes are rejected with a sentence: truncated, changed, of another version, inconsistent, or with values that
 * the functions of shape.h, body.h and response.h would reject. Restoring uses memory proportional to the bytes present
 * and to the number of pairs whose boxes overlap. The calls of a replay use what they use.
 */
#ifndef TACT_RECORD_H
#define TACT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tact/allocator.h>
#include <tact/motion_plan.h>
#include <tact/parallel.h>
#include <tact/response.h>
#include <tact/shape.h>
#include <tact/status.h>
#include <tact/world.h>

TACT_BEGIN

/** Version of the format. Version 1, without continuous time, can be read as well. */
#define TACT_RECORD_VERSION 2

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

/** Returns a sink that appends to `bytes`, which must outlive it. */
TACT_API tact_sink tact_bytes_sink(tact_bytes *bytes);

/** Frees the memory and empties the buffer. NULL is allowed. */
TACT_API void tact_bytes_release(tact_bytes *bytes);

/** Appends the contents of a file. On failure nothing is appended. */
TACT_API tact_status tact_bytes_load(tact_bytes *bytes, const char *path, tact_report *report);

/** Returns a sink that writes to a file opened for binary writing, and flushes after each block, so that a record can
 * be replayed up to a crash of the program. */
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
 * Maps pointers to ids and back, because pointers mean nothing in another run. NULL is always id 0; neither function is
 * called for it.
 *
 * Without a map, pointers get the ids 1, 2, 3 ... in order of appearance and are restored as NULL. A restored response
 * then calls a function that does nothing, so that tests still count its contacts; a motion plan without its callback
 * reports #TACT_EVENT_MOTION_EXPIRED (motion_plan.h); a #TACT_CUSTOM shape can be neither saved nor restored.
 */
typedef struct tact_pointer_map {
    /** Writing: returns the id of a pointer; 0 if it has none, which makes the writing fail. */
    uint64_t (*id_of)(void *context, tact_pointer_kind kind, tact_pointer pointer);
    /** Reading: finds the pointer of an id; false if there is none, which makes the reading fail. */
    bool (*pointer_of)(void *context, tact_pointer_kind kind, uint64_t id, tact_pointer *pointer);
    void *context; /**< passed to both functions */
} tact_pointer_map;

/** Options. All zero: defaults. */
typedef struct tact_record_def {
    const tact_pointer_map *pointer_map;     /**< NULL: none; must outlive a recording or replay */
    tact_allocator allocator;                /**< allocator, also of a restored world and its shapes */
    tact_parallel parallel;                  /**< restore, replay: parallel loop of the world */
    tact_contact_callback *contact_callback; /**< replay: called for each contact after its check; must not change the
                                                  world */
    void *contact_context;                   /**< passed to `contact_callback` */
} tact_record_def;

/* ---- save and restore ---- */

/** Saves a world. May be called from a contact callback; the rest of the test is not part of what is saved. `def` and
 * `report` may be NULL. */
TACT_API tact_status tact_world_save(const tact_world *world, tact_sink sink, const tact_record_def *def,
                                     tact_report *report);

/** Restores a saved world. On failure returns NULL and explains in `report`, which may be NULL. The bytes are not
 * needed afterwards. Cost: O(n log n) in the bytes and in the pairs whose boxes overlap. */
TACT_API tact_world *tact_world_restore(const void *bytes, size_t size, const tact_record_def *def,
                                        tact_report *report);

/* ---- record ---- */

/** A recording in progress. */
typedef struct tact_record tact_record;

/** Writes the world and, from now on, every call that changes it. One recording a world at a time; not from a callback.
 * Recorded shapes are retained until the end. Returns NULL on failure. */
TACT_API tact_record *tact_record_begin(tact_world *world, tact_sink sink, const tact_record_def *def,
                                        tact_report *report);

/** Returns whether everything has been written so far; if not, explains in `report` (may be NULL). The world's calls do
 * not fail when the recording does: the recording stops, and what was written can be replayed. */
TACT_API tact_status tact_record_check(const tact_record *record, tact_report *report);

/** Ends a recording and frees it; the result is as of tact_record_check. The world may have been destroyed. From a
 * callback it is rejected (#TACT_BAD_ARGUMENT), and the recording continues. */
TACT_API tact_status tact_record_end(tact_record *record, tact_report *report);

/* ---- replay ---- */

/** A replay in progress. */
typedef struct tact_replay tact_replay;

/** Result of a replay step. */
typedef enum tact_replay_state {
    TACT_REPLAY_CALL = 0,  /**< a call was made, with the recorded result */
    TACT_REPLAY_END,       /**< the record has ended properly */
    TACT_REPLAY_TRUNCATED, /**< the bytes end before the record does, after or within a call */
    TACT_REPLAY_DIVERGED,  /**< a result differs from the recorded one */
    TACT_REPLAY_FAILED     /**< the bytes are damaged, a pointer id is unknown, or memory ran out */
} tact_replay_state;

/** Restores the initial world of a record. The bytes are read as the replay proceeds. Returns NULL on failure. */
TACT_API tact_replay *tact_replay_begin(const void *bytes, size_t size, const tact_record_def *def,
                                        tact_report *report);

/** Makes the next call; a test includes everything its callbacks did. A state other than #TACT_REPLAY_CALL is final;
 * `report` (may be NULL) says at which call and byte, and why. */
TACT_API tact_replay_state tact_replay_step(tact_replay *replay, tact_report *report);

/** Makes all remaining calls. */
TACT_API tact_replay_state tact_replay_run(tact_replay *replay, tact_report *report);

/** Returns the current world, borrowed and not to be changed; NULL after a recorded call has destroyed it. */
TACT_API const tact_world *tact_replay_get_world(const tact_replay *replay);

/** Returns the number of calls made, without those in callbacks. */
TACT_API uint64_t tact_replay_get_call_count(const tact_replay *replay);

/** Returns the name of the function that the last step called, such as "tact_body_set_transform"; "" before the first.
 */
TACT_API const char *tact_replay_get_call(const tact_replay *replay);

/** Frees the replay and hands its world over to the caller, with the responses that tact_record_def::pointer_map gave.
 * Returns NULL, and keeps the replay, if the world was destroyed or a step is in progress. */
TACT_API tact_world *tact_replay_take_world(tact_replay *replay);

/** Frees the replay and its world. NULL is allowed. */
TACT_API void tact_replay_release(tact_replay *replay);

TACT_END

#endif
