/*
 * The windows of a deforming pair that is tested by features: the triangles of both bodies, the paths of their
 * vertices, and the time interval in which these hold (kinetic/feature_windows.h).
 *
 * The windows of a pair are made for the current faces of both bodies, and anew when these change. A window begins when
 * a motion changes or the last window ends. If only some paths have changed within it, they are changed there.
 */
#ifndef TACT_ADVANCE_DEFORMING_WINDOWS_H
#define TACT_ADVANCE_DEFORMING_WINDOWS_H

#include "advance/deforming_pair.h"

/* The vertices of a body, if it is tested by features against the other one; otherwise 0. A margin does not count
 * within a body. */
uint32_t tact_deforming_vertex_count(const tact_world *world, uint32_t index, uint32_t other);

/* Makes the windows for the current faces of both bodies, which have so many vertices. On failure there are none. */
tact_status tact_deforming_windows_make(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                        const uint32_t counts[2]);

/* Releases the windows, if there are any. */
void tact_deforming_windows_drop(deforming_pair *pair, const tact_allocator *allocator);

/* Whether the windows are those of the current shapes, whose faces may have changed. */
bool tact_deforming_windows_of_shapes(const tact_world *world, const deforming_pair *pair, const uint32_t bodies[2]);

/* Whether the windows are those of the current faces. */
bool tact_deforming_windows_current(const tact_world *world, const struct advance *ad, const deforming_pair *pair,
                                    const uint32_t bodies[2]);

/* Writes the paths of all vertices from now on, or those that held just before. */
void tact_deforming_windows_write_paths(const tact_world *world, const deforming_pair *pair, const uint32_t bodies[2],
                                        const uint32_t counts[2], bool before);

/* Begins a window now, if the motions have changed or the last one has ended. `*changed`: the pair has other contacts
 * to come than at the last update, and its window does not continue that of a saved world. */
tact_status tact_deforming_windows_update(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                          const uint32_t counts[2], bool *changed);

/* Until when the motions of both bodies hold and their bounds are known. A body at rest has no end. */
double tact_deforming_window_end(const struct advance *ad, uint32_t a, uint32_t b);

/* A rigid body that moves or turns beside vertices at rest, without a bound that ends: a duration in which it moves by
 * VERTEX_WINDOW_SIZES of both. INFINITY: both rest. */
double tact_deforming_open_duration(const struct advance *ad, uint32_t a, uint32_t b);

/* Whether a pair continues as in the saved world: neither body has changed since. */
bool tact_deforming_continues_saved(const struct advance *ad, const deforming_pair *pair, const uint32_t bodies[2]);

#endif
