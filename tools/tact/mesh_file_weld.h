/* Vertices for files that name positions only: one vertex for each different position, numbered as they first appear.
 */
#ifndef TACT_TOOL_MESH_FILE_WELD_H
#define TACT_TOOL_MESH_FILE_WELD_H

#include <stdbool.h>
#include <stdint.h>

#include "mesh_file_build.h"

/* Zero-initialised but for `build` and `seed`, it knows no position yet. */
typedef struct mesh_weld {
    mesh_build *build;
    uint64_t seed;   /* any number; the answers do not depend on it, the time for hostile files does */
    uint32_t *slots; /* vertex + 1, or 0 where empty; the size is a power of two */
    size_t slot_count;
    size_t used;
} mesh_weld;

mesh_weld tact_mesh_weld_begin(mesh_build *build);

/* The vertex at `xyz`, made if there is none. Positions are the same when their coordinates are equal; 0 and -0 are.
 * Constant time on average. False when memory has run out, with a complaint made. */
bool tact_mesh_weld_vertex(mesh_weld *weld, const double xyz[3], uint32_t *vertex);

/* Forgets all positions, so that the next ones get vertices of their own. */
void tact_mesh_weld_forget(mesh_weld *weld);

void tact_mesh_weld_release(mesh_weld *weld);

#endif
