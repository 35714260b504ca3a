/*
 * Pairs that a fixed plane separates until the next contact step: they need no search for a time of impact.
 *
 * Between contact steps a body has a constant velocity and spin. A point of it has, along a fixed direction n, a second
 * derivative of at most K = w^2 r + |a|. So its height above the chord between two times is at most K h^2 / 8, and the
 * same holds for the extent of the whole shape along n. The extents at the start and the end of the motion thus bound
 * it in between. If those of two bodies do not overlap, n separates them the whole time.
 *
 * Of a mesh that does not move, one plane for each triangle near the body is enough: that of a contact point, or that
 * of the triangle itself. All interior triangles of a flat region (shape/flat_regions.h) have one plane.
 *
 * Cost: four support points, about 100 ns; a search takes one to ten microseconds. Both shapes at both times are cached
 * by body. With a mesh also 50 to 100 ns for each triangle whose box overlaps that of the body; a search takes some
 * microseconds each.
 */
#ifndef TACT_ADVANCE_STEP_SEPARATION_H
#define TACT_ADVANCE_STEP_SEPARATION_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/world.h>

#include "core/array.h"
#include "shape/convex.h"

/* A body at two times: a cache entry. */
typedef struct step_sweep {
    uint32_t body;
    bool valid;       /* the bound holds for this body: a convex shape, with constant spin and acceleration */
    uint64_t version; /* of the motion */
    double begin, end;
    double bulge; /* length: K h^2 / 8 */
    convex at[2]; /* at begin and end */
} step_sweep;

ARRAY_OF(step_sweep_array, step_sweep);

/* Makes room in the cache for this number of bodies. Without memory it stays as it is. */
void tact_step_sweeps_reserve(step_sweep_array *cache, const tact_allocator *allocator, size_t bodies);

/* No entry is valid. */
void tact_step_sweeps_clear(step_sweep_array *cache);

/* Whether the direction `normal`, from body a to body b, separates two bodies from now until `end`. False: unknown. */
bool tact_step_is_separated(tact_world *world, uint32_t a, uint32_t b, tact_vec3 normal, double end);

/* The same of a convex body and a mesh that does not move, each one or the other. `normals` are unit vectors from a to
 * b that may separate some triangles, at most STEP_MAX_NORMALS. The inside of a solid is not considered. */
bool tact_step_is_separated_from_mesh(tact_world *world, uint32_t a, uint32_t b, const tact_vec3 *normals, size_t count,
                                      double end);

/* Whether these two are such bodies. */
bool tact_step_is_mesh_pair(const tact_world *world, uint32_t a, uint32_t b);

#endif
