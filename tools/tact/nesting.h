/* Counts the connected components of a mesh that lie inside another mesh, or inside another component of it. */
#ifndef TACT_TOOL_NESTING_H
#define TACT_TOOL_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/shape.h>

#include "face_pairs.h"

/* Counts the connected components of `inner` that do not intersect the surface of `outer` and lie inside it. Decided by
 * the crossing parity of a ray, which is exact if `outer` is closed. `pairs` are the intersecting faces of the two
 * meshes; those of `inner` come first, or second if `inner_second`. TACT_OUT_OF_MEMORY is possible. */
tact_status tact_nesting_count(const tact_shape *inner, const tact_shape *outer, const face_pairs *pairs,
                               bool inner_second, size_t *inside);

/* Counts the connected components of a mesh that intersect no other component and lie inside one, by the crossing
 * parity of that component alone: exact if the mesh is closed. `pairs` are the intersecting faces of the mesh. */
tact_status tact_nesting_count_own(const tact_shape *shape, const face_pairs *pairs, size_t *inside);

#endif
