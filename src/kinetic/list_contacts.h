/*
 * All contacts of a key-framed mesh, interval by interval, by a kinetic separation list (separation_list.h): what
 * Weller and Zachmann 2006 call polygons-collide events. The list says which pairs of items have overlapping boxes at
 * some time of an interval; their features are tested exactly.
 *
 * The contacts of interval i are those of tact_mesh_sweep_run (sweep/sweep.h) from key frame i to key frame i + 1, in
 * the same order, bit for bit.
 *
 *     status = tact_list_contacts_create(&c, &def);
 *     for (size_t i = 0; i + 1 < frame_count; i++) {
 *         status = tact_list_contacts_run(c, i);
 *         for (size_t k = 0; k < tact_list_contacts_count(c); k++)
 *             ... tact_list_contacts_get(c, k)
 *     }
 *
 * Cost of an interval: that of its events; and for all vertices and the pairs of triangles around each, as in a sweep.
 * The key frames are read LIST_FRAMES_AHEAD ahead, which is how far certificates are examined. Size: per triangle of a
 * closed mesh some 1.5 kB.
 */
#ifndef TACT_KINETIC_LIST_CONTACTS_H
#define TACT_KINETIC_LIST_CONTACTS_H

#include "kinetic/separation_list.h"
#include "sweep/sweep.h"

typedef struct list_contacts_def {
    /* The elements and parts as in sweep_def; its vertices are not used, and triangles cannot change. */
    sweep_def elements;
    size_t frame_count;
    /* The positions of all vertices at a key frame. Fills `storage`, which has room for them, and returns it; or
     * returns another array, which is valid until the next call. NULL: the frame cannot be read. */
    const tact_vec3 *(*frame)(void *context, size_t index, tact_vec3 *storage);
    void *context;
    separation_certificate certificate;
    tact_parallel parallel; /* for the exact tests */
    tact_allocator allocator;
} list_contacts_def;

typedef struct list_contacts list_contacts;

/* Reads the first key frames. On failure *made is NULL: TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT if a number is invalid, a
 * frame cannot be read or has coordinates that are not finite or beyond 1e140. */
tact_status tact_list_contacts_create(list_contacts **made, const list_contacts_def *def);

/* NULL is allowed. */
void tact_list_contacts_release(list_contacts *c);

/* Finds the contacts of the interval from key frame `interval` to the next one. If it is not the interval after the
 * last one, the list is built anew. On failure there are none, and the call may be repeated: as for create. */
tact_status tact_list_contacts_run(list_contacts *c, size_t interval);

size_t tact_list_contacts_count(const list_contacts *c);

/* Contact i of the last interval. Times are within the interval, from 0 to 1. */
const sweep_contact *tact_list_contacts_get(const list_contacts *c, size_t i);

/* Counters of the exact tests of the last interval, and of the list since it was built. */
sweep_counts tact_list_contacts_sweep_counts(const list_contacts *c);
separation_counts tact_list_contacts_list_counts(const list_contacts *c);

#endif
