/* Casts of meshes, soups and compounds that test surfaces only, not containment. */
#ifndef TACT_TOI_MESH_TOI_H
#define TACT_TOI_MESH_TOI_H

#include "complex/traversal.h"

/* The first time at which primitives of A and B meet when B translates by `path` in the time 1. No primitives are in
 * contact at the start, but one body may be inside the other. Runs in the default floating-point environment. */
tact_toi tact_mesh_cast_surfaces(const instance *a, const instance *b, tact_vec3 path, double tolerance);

#endif
