/* A validator of OBB overlays. */
#ifndef ORACLE_OVERLAY_CHECK_H
#define ORACLE_OVERLAY_CHECK_H

#include "tree/obb_overlay.h"

/* Whether the overlay belongs to this tree, and each triangle is inside all boxes above it. `why` (may be NULL) gets a
 * sentence. */
bool tact_obb_overlay_check(const obb_overlay *overlay, const aabb_tree *tree, const tact_vec3 *points,
                            const uint32_t (*triangles)[3], const char **why);

#endif
