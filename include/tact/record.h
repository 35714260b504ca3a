/**
 * @file
 * The bytes of a world and of the calls made to it: save and restore, record and replay.
 *
 *     tact_bytes film = {0};
 *     tact_record *record = tact_record_begin(world, tact_bytes_sink(&film), NULL, &report);
 *     ...                                              use the world as ever
 *     tact_record_end(record, &report);
 *
 *     tact_replay *replay = tact_replay_begin(film.data, film.size, NULL, &report);
 *     while (tact_replay_step(replay, &report) == TACT_REPLAY_CALL)
 *         look_at(tact_replay_get_world(replay));
 *     tact_replay_release(replay);
 *
 * *Saved* are the bodies with all they have, their shapes (each once, however many share it; the trees of boxes of
 * meshes as they are, so that they need not be built anew), the responses, the settings, and what pairs remember. A
 * *restored* world does from then on what the saved one does: the same names of bodies, the same answers, the same
 * calls in the same order, bit for bit. (But for three things: tact_query::any may find another body, as the broad
 * phase may be another; arrays that were lent to deformable bodies are not lent any more, what was read from them is
 * there; and what is told below of time.)
 *
 * *Time* (advance.h, rigid.h, course.h) is saved: that of the world, what bodies weigh, on what course they are,
 * their motions as they began, so that they will be at the same places to the last bit, and who is in touch with
 * whom. A restored world tells the same events in the same order; but since it looks for them anew, from that moment
 * on, times may differ by roundings (1e-15 of the time, and of what is near a touch the tolerance of that), and
 * bodies that drift may be asked at other moments. Worlds restored from the same bytes do not differ.
 *
 * *Recorded* are, after the world as it was, all calls that change it, in order, with those that responses make, and
 * every contact that a response was called for. Questions (search.h) change nothing and are not recorded, nor are
 * calls that failed. Going through time is recorded as calls of tact_world_next_event, each with its event, whoever
 * makes them (tact_world_advance does, too: what its responses do comes in between, their contacts are not recorded),
 * and the answers of guides; and the world looks for everything anew when a record begins, as the replay will. A record
 * of a world that runs out of memory in tact_world_next_event stops there. A *replay* makes the calls again, those of
 * responses from the record instead of by the caller's functions, and checks that the same contacts and events come,
 * bit for bit, and that bodies get the same names. Where a call succeeds without memory that it could have used
 * (tact_body_deform, when the boxes of a mesh are worn), a record stops and a replay is #TACT_REPLAY_FAILED, since
 * contacts might come in another order.
 *
 * The bytes are the same on every machine (docs/record.md tells each of them), carry a version, and are hashed block
 * by block. Whatever is not such bytes is refused with a sentence: cut off, changed, of another version,
 * inconsistent, or numbers that the makers of shapes, bodies and responses would refuse. Restoring takes no more
 * memory than in proportion to the bytes that are there and to the pairs of bodies whose bounds meet; the calls of a
 * replay take what they take.
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

/** The version of the format. What has version 1, in which there was no time, can be read as well. */
#define TACT_RECORD_VERSION 2

/* ---- where bytes go ---- */

/** Takes `size` bytes; false if it cannot. */
typedef bool tact_write_callback(void *context, const void *bytes, size_t size);

/** Where bytes go. */
typedef struct tact_sink {
    tact_write_callback *write; /**< called for each block */
    void *context;              /**< handed to it */
} tact_sink;

/** Bytes in memory. All zero: none yet, default allocator. */
typedef struct tact_bytes {
    unsigned char *data;      /**< the bytes */
    size_t size;              /**< how many */
    size_t capacity;          /**< private */
    tact_allocator allocator; /**< where memory comes from */
} tact_bytes;

/** Adds what is written to `bytes`, which must outlive the sink. */
TACT_API tact_sink tact_bytes_sink(tact_bytes *bytes);

/** Gives the memory back; none are left. NULL is allowed. */
TACT_API void tact_bytes_release(tact_bytes *bytes);

/** Adds the contents of a file. On failure nothing is added. */
TACT_API tact_status tact_bytes_load(tact_bytes *bytes, const char *path, tact_report *report);

/** Writes to a file that is open for binary writing, and pushes each block out at once (fflush), so that a record can
 * be replayed up to where a program crashed. */
TACT_API tact_sink tact_file_sink(FILE *file);

/* ---- pointers ---- */

/** What a pointer is for. The numbers are part of the format. */
typedef enum tact_pointer_kind {
    TACT_POINTER_USER = 1,         /**< tact_body_def::user: `data` */
    TACT_POINTER_CONTACT_CALLBACK, /**< tact_response::call: `respond` */
    TACT_POINTER_CONTACT_CONTEXT,  /**< tact_response::context: `data` */
    TACT_POINTER_SUPPORT,          /**< tact_shape_def::support: `support` */
    TACT_POINTER_SUPPORT_CONTEXT,  /**< tact_shape_def::support_context: `data` */
    TACT_POINTER_MOTION_CALLBACK,  /**< tact_motion_plan::guide: `guide` */
    TACT_POINTER_MOTION_CONTEXT    /**< tact_motion_plan::context: `data` */
} tact_pointer_kind;

/** A pointer of the caller's. */
typedef union tact_pointer {
    void *data;                              /**< to data */
    tact_contact_callback *contact_callback; /**< to a response */
    tact_support_callback *support_callback; /**< to a support function */
    tact_motion_callback *motion_callback;   /**< to a guide */
} tact_pointer;

/**
 * Pointers mean nothing in another run: numbers stand for them. NULL is always 0, and neither function is asked for it.
 *
 * Without names, pointers get the numbers 1, 2, 3 ... in the order in which they are first met and are restored as
 * NULL; but a restored response calls a function that does nothing, so that tests still count its contacts. A body
 * whose guide is not known is told as #TACT_EVENT_MOTION_EXPIRED when it would be asked (course.h). A shape of the type
 * #TACT_CUSTOM cannot be saved or restored without them.
 */
typedef struct tact_pointer_map {
    /** When bytes are written: the number of a pointer; 0 if it has none, and then the writing fails. */
    uint64_t (*id_of)(void *context, tact_pointer_kind kind, tact_pointer pointer);
    /** When bytes are read: the pointer of a number; false if there is none, and then the reading fails. */
    bool (*pointer_of)(void *context, tact_pointer_kind kind, uint64_t number, tact_pointer *pointer);
    void *context; /**< handed to both */
} tact_pointer_map;

/** How to save, restore, record and replay. All zero is the default. */
typedef struct tact_record_def {
    const tact_pointer_map *pointer_map; /**< numbers of pointers; NULL: none; must outlive a record or replay */
    tact_allocator allocator;            /**< where memory comes from, that of the restored world and shapes included */
    tact_parallel parallel;              /**< restore, replay: of the world */
    tact_contact_callback
        *contact_callback; /**< replay: called for each contact when it has been checked; it may look, not touch */
    void *contact_context; /**< handed to it */
} tact_record_def;

/* ---- save and restore ---- */

/** Writes a world. It may be called from a response, too: what is left of the test is not part of what is saved. `def`
 * and `report` may be NULL. */
TACT_API tact_status tact_world_save(const tact_world *world, tact_sink sink, const tact_record_def *def,
                                     tact_report *report);

/** Makes the world that was saved. On failure returns NULL and says why in `report`, which may be NULL. The bytes are
 * not needed any more. Cost: O(n log n) in the bytes and the pairs whose bounds meet. */
TACT_API tact_world *tact_world_restore(const void *bytes, size_t size, const tact_record_def *def,
                                        tact_report *report);

/* ---- record ---- */

/** A recording under way. */
typedef struct tact_record tact_record;

/** Writes the world as it is and, from now on, every call that changes it. One record a world at a time, not to be
 * begun from a response. Shapes that were recorded are kept until the end. On failure returns NULL. */
TACT_API tact_record *tact_record_begin(tact_world *world, tact_sink sink, const tact_record_def *def,
                                        tact_report *report);

/** Has everything been written so far? If not, `report` (may be NULL) says why. The world's calls do not fail when the
 * recording does: it stops, and what was written up to there can be replayed. */
TACT_API tact_status tact_record_check(const tact_record *record, tact_report *report);

/** Ends a recording and gives it up; says how it went, as tact_record_check. The world may be gone by then. From a
 * response it is refused (#TACT_BAD_ARGUMENT), and goes on. */
TACT_API tact_status tact_record_end(tact_record *record, tact_report *report);

/* ---- replay ---- */

/** A record being replayed. */
typedef struct tact_replay tact_replay;

/** What a step came to. */
typedef enum tact_replay_state {
    TACT_REPLAY_CALL = 0,  /**< a call was made, and all went as recorded */
    TACT_REPLAY_END,       /**< there are no more: all is well */
    TACT_REPLAY_TRUNCATED, /**< the bytes stop before the end of the record, after or in the middle of a call */
    TACT_REPLAY_DIVERGED,  /**< something else happened than what was recorded */
    TACT_REPLAY_FAILED     /**< the bytes are damaged, a name is unknown, or memory ran out */
} tact_replay_state;

/** Makes the world with which a record begins. The bytes are read as the replay goes on. On failure returns NULL. */
TACT_API tact_replay *tact_replay_begin(const void *bytes, size_t size, const tact_record_def *def,
                                        tact_report *report);

/** Makes the next call, a test with all that its responses did included. Once it is not #TACT_REPLAY_CALL it stays what
 * it is; `report` (may be NULL) says at which call and byte, and why. */
TACT_API tact_replay_state tact_replay_step(tact_replay *replay, tact_report *report);

/** Makes all the calls that are left. */
TACT_API tact_replay_state tact_replay_run(tact_replay *replay, tact_report *report);

/** The world as it is by now, to look at: borrowed; NULL once it has been released by a recorded call. */
TACT_API const tact_world *tact_replay_get_world(const tact_replay *replay);

/** How many calls have been made, those in responses not counted. */
TACT_API uint64_t tact_replay_get_call_count(const tact_replay *replay);

/** The function that the last step called, such as "tact_body_set_transform"; "" before the first one. */
TACT_API const char *tact_replay_get_call(const tact_replay *replay);

/** Gives up the replay but not its world, which is the caller's from now on, with the responses that
 * tact_record_def::names gave. NULL, and the replay is kept, if the world is gone or a step is under way. */
TACT_API tact_world *tact_replay_take_world(tact_replay *replay);

/** Gives up the replay and its world. NULL is allowed. */
TACT_API void tact_replay_release(tact_replay *replay);

TACT_END

#endif
