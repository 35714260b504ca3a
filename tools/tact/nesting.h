/* Which connected parts of a mesh lie inside another mesh, or inside other parts of the same. */
#ifndef TACT_TOOL_NESTING_H
#define TACT_TOOL_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/shape.h>

#include "face_pairs.h"

/* How many connected parts of the mesh `inner` do not meet the surface of `outer` and are inside it, by the parity of
 * the crossings of a ray: exact where `outer` is closed. `met` are the pairs of faces of the two that intersect, of
 * which those of `inner` come first, or second if `second`. TACT_OUT_OF_MEMORY is possible. */
tact_status tact_nesting_count(const tact_shape *inner, const tact_shape *outer, const face_pairs *met, bool second,
                               size_t *inside);

/* How many connected parts of a mesh meet no other part and are inside one, each part by its own parity: exact where
 * the mesh is closed. `met` are the pairs of its faces that intersect. */
tact_status tact_nesting_count_own(const tact_shape *shape, const face_pairs *met, size_t *inside);

#endif
