/* Merges vertices by position: one vertex for each distinct position, numbered by first appearance. */
#ifndef TACT_TOOL_MESH_FILE_WELD_H
#define TACT_TOOL_MESH_FILE_WELD_H

#include <stdbool.h>
#include <stdint.h>

#include "mesh_file_build.h"

/* Zero-initialised except for `build` and `seed`, it is empty. */
typedef struct mesh_weld {
    mesh_build *build;
    uint64_t seed;   /* any number; results do not depend on it, only the time for adversarial files */
    uint32_t *slots; /* vertex + 1, or 0 where empty; the size is a power of two */
    size_t slot_count;
    size_t used;
} mesh_weld;

mesh_weld tact_mesh_weld_begin(mesh_build *build);

/* Finds or adds the vertex at `xyz`. Positions are equal if their coordinates are equal; 0 equals -0. Expected constant
 * time. False if memory runs out, after writing the error message. */
bool tact_mesh_weld_vertex(mesh_weld *weld, const double xyz[3], uint32_t *vertex);

/* Removes all positions, so that later ones are not merged with them. */
void tact_mesh_weld_clear(mesh_weld *weld);

void tact_mesh_weld_release(mesh_weld *weld);

#endif
