/*
 * A mesh sweep whose candidate pairs come from a kinetic separation list (separation_list.h) instead of its tree: what
 * Weller and Zachmann 2006 call polygons-collide events. The list says which pairs of items have overlapping boxes at
 * some time of a step; their features are tested exactly, by tact_mesh_sweep_run_pairs.
 *
 * The contacts of a step are those of tact_mesh_sweep_run (sweep/sweep.h), in the same order, bit for bit, if the table
 * of samples says how the vertices move in it.
 *
 *     status = tact_list_sweep_create(&l, &def);
 *     tact_list_sweep_set_sample(l, 0, time0, positions0);   ...  tact_list_sweep_use_samples(l, count, rest);
 *     status = tact_list_sweep_start(l, time0, 0.0);
 *     status = tact_list_sweep_run(l, time1, &step);          contacts: tact_mesh_sweep_contact(def.sweep, i)
 *
 * Cost of a step: that of its events; and for all vertices and the pairs of triangles around each, as in a sweep. Size:
 * per triangle of a closed mesh some 1.5 kB.
 */
#ifndef TACT_KINETIC_LIST_SWEEP_H
#define TACT_KINETIC_LIST_SWEEP_H

#include "kinetic/separation_list.h"
#include "sweep/sweep.h"

typedef struct list_sweep list_sweep;

typedef struct list_sweep_def {
    mesh_sweep *sweep; /* borrowed; its triangles cannot change */
    uint32_t vertex_count;
    size_t sample_capacity; /* of the table, at least 1 */
    separation_certificate certificate;
    tact_allocator allocator;
} list_sweep_def;

/* Without a list, and with an empty table. TACT_OUT_OF_MEMORY: *made is NULL. */
tact_status tact_list_sweep_create(list_sweep **made, const list_sweep_def *def);

/* NULL is allowed. */
void tact_list_sweep_release(list_sweep *l);

/* ---- the table of samples ---- */

/* The table: see vertex_motion.h. */
const vertex_samples *tact_list_sweep_samples(const list_sweep *l);

/* Writes one sample of all vertices. It is in use after tact_list_sweep_use_samples. */
void tact_list_sweep_set_sample(list_sweep *l, size_t at, double time, const tact_vec3 *positions);

/* The position of a vertex in a sample. */
tact_vec3 tact_list_sweep_get(const list_sweep *l, size_t at, uint32_t vertex);

/* Removes the first samples: sample `first` becomes the first one. */
void tact_list_sweep_drop_samples(list_sweep *l, size_t first);

/* The table has `count` samples now. */
void tact_list_sweep_use_samples(list_sweep *l, size_t count, bool rest);

/* Replaces samples `at` and `at` + 1 of a vertex in the table that is in use. */
void tact_list_sweep_set_piece(list_sweep *l, size_t at, uint32_t vertex, tact_vec3 begin, tact_vec3 end);

/* ---- the list ---- */

/* Builds the list anew, at a time of the table. `error`: see separation_list_def. On failure there is none. */
tact_status tact_list_sweep_start(list_sweep *l, double time, double error);

/* Frees the list. */
void tact_list_sweep_stop(list_sweep *l);

/* The list; NULL: none. */
separation_list *tact_list_sweep_list(const list_sweep *l);

/* Advances the list to a time, and finds the contacts of a step among the pairs of items that overlap on the way. On
 * failure (TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT) there is no contact; if there is still a list, the call may be
 * repeated and goes on. */
tact_status tact_list_sweep_run(list_sweep *l, double until, const sweep_step *step);

#endif
