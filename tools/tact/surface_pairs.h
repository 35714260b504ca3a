/* Finds which surfaces of two NURBS shapes touch. */
#ifndef TACT_TOOL_SURFACE_PAIRS_H
#define TACT_TOOL_SURFACE_PAIRS_H

#include <tact/shape.h>

#include "face_pairs.h"

/* The pairs of surfaces of `a` and `b` that touch or overlap, by their indices: pairs that touch are always found;
 * those farther apart than twice the sum of the errors of both shapes never. TACT_OUT_OF_MEMORY is possible. */
tact_status tact_surface_pairs_between(const tact_shape *a, const tact_shape *b, face_pairs *found);

#endif
