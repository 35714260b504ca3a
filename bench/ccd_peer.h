/* Other libraries in the race of whole CCD steps: all self-collisions of a mesh between two frames. */
#ifndef TACT_BENCH_CCD_PEER_H
#define TACT_BENCH_CCD_PEER_H

#include "ccd_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef TACT_HAVE_FCL
/* FCL's continuous traversal of a mesh against itself; finds pairs of triangles. `ns`: time from the vertices of the
 * second frame to all pairs, without building the tree. Returns false if memory runs out. */
bool tact_ccd_step_fcl(const ccd_scene *scene, double *ns);
#endif

#ifdef __cplusplus
}
#endif

#endif
