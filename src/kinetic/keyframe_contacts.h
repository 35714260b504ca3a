/*
 * All contacts of a key-framed mesh, interval by interval: every vertex-face and edge-edge pair that collides between
 * two consecutive key frames, with the first time of contact in the interval. Vertices move linearly from frame to
 * frame, so the contacts of an interval are those of tact_mesh_sweep_run (sweep/sweep.h), in the same order, bit for
 * bit, whatever the engine, the number of in-between frames and the number of threads.
 *
 *     status = tact_keyframe_contacts_create(&k, &def);
 *     for (size_t i = 0; i + 1 < frame_count; i++) {
 *         status = tact_keyframe_contacts_run(k, i);
 *         for (size_t c = 0; c < tact_keyframe_contacts_count(k); c++)
 *             ... tact_keyframe_contacts_get(k, c)
 *     }
 *
 * Engines:
 *   KEYFRAME_WINDOWS  One windowed traversal of a moving tree per interval (sweep/sweep.h). Cost: that of one step, in
 *                     parallel.
 *   KEYFRAME_SWEPT    Swept bounds, in-between frame by in-between frame: the classical way that Weller and Zachmann
 *                     2006, 7, compare with. In-between frames only make the bounds smaller. The exact tests are
 *                     those of the whole interval.
 *   KEYFRAME_LIST     The kinetic separation list (list_sweep.h): work is done when boxes begin or cease to overlap.
 * The key frames are read LIST_FRAMES_AHEAD ahead, which is how far certificates are examined. Coordinates are at most
 * 1e140.
 *
 * Some key frames are held in memory, so an animation may be longer than the memory. The engines are behind one table
 * of functions (keyframe_engine.h).
 */
#ifndef TACT_KINETIC_KEYFRAME_CONTACTS_H
#define TACT_KINETIC_KEYFRAME_CONTACTS_H

#include "kinetic/separation_list.h"
#include "sweep/sweep.h"

typedef enum keyframe_engine { KEYFRAME_WINDOWS, KEYFRAME_SWEPT, KEYFRAME_LIST } keyframe_engine;

typedef struct keyframe_contacts_def {
    /* The elements and parts as in sweep_def; its vertices are not used, and triangles cannot change. */
    sweep_def elements;
    size_t frame_count;
    /* The positions of all vertices at a key frame. Fills `storage`, which has room for them, and returns it; or
     * returns another array, which stays valid until the contacts are released. NULL: the frame cannot be read. */
    const tact_vec3 *(*frame)(void *context, size_t index, tact_vec3 *storage);
    void *context;
    keyframe_engine engine;
    unsigned between;                   /* in-between frames of an interval, for KEYFRAME_SWEPT */
    separation_certificate certificate; /* for KEYFRAME_LIST */
    tact_parallel parallel;
    tact_allocator allocator;
} keyframe_contacts_def;

typedef struct keyframe_contacts keyframe_contacts;

/* Reads the first key frame and builds the tree. On failure *made is NULL: TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT if a
 * number is invalid, a frame cannot be read, or has coordinates that are not finite (KEYFRAME_LIST: or beyond 1e140).
 */
tact_status tact_keyframe_contacts_create(keyframe_contacts **made, const keyframe_contacts_def *def);

/* NULL is allowed. */
void tact_keyframe_contacts_release(keyframe_contacts *k);

/* Finds the contacts of the interval from key frame `interval` to the next one. Intervals in ascending order are
 * cheapest: each frame is then read once, and a list is built once. On failure there are none, and the call may be
 * repeated: as for create. */
tact_status tact_keyframe_contacts_run(keyframe_contacts *k, size_t interval);

size_t tact_keyframe_contacts_count(const keyframe_contacts *k);

/* Contact i of the last interval. Times are within the interval, from 0 to 1. */
const sweep_contact *tact_keyframe_contacts_get(const keyframe_contacts *k, size_t i);

/* Counters of the last interval, summed over in-between frames. */
sweep_counts tact_keyframe_contacts_counts(const keyframe_contacts *k);

/* KEYFRAME_LIST: counters of the list since it was built. Otherwise all 0. */
separation_counts tact_keyframe_contacts_list_counts(const keyframe_contacts *k);

#endif
