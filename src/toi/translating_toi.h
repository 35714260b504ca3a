/* Time of impact of meshes, soups and compounds that translate: see translating_toi.c. */
#ifndef TACT_TOI_TRANSLATING_TOI_H
#define TACT_TOI_TRANSLATING_TOI_H

#include "complex/traversal.h"
#include "toi/toi_frame.h"

/* The first contact of two bodies up to the end, with the guarantees of tact_shapes_time_of_impact. The bodies are
 * those of time 0, their origins at 0; none is empty, at least one is not convex, and no spin changes them. The point
 * of the answer is in the frame, its normal from the first body to the second.
 *
 * Returns false where this search does not decide: the bodies may be closing or deep in each other at the start, or
 * something failed. */
bool tact_translating_toi(const toi_frame *f, const instance body[2], tact_toi *out);

#endif
