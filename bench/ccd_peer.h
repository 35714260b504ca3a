/* Other libraries in the race of whole CCD steps: all self-collisions of a mesh between two frames. */
#ifndef TACT_BENCH_CCD_PEER_H
#define TACT_BENCH_CCD_PEER_H

#include "ccd_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ccd_cost {
    double build; /* ns, once per mesh */
    double step;  /* ns, from the vertices of the second frame to all contacts */
    double first; /* earliest time of contact; above 1: none */
    long found;   /* contacts, in the library's own terms */
} ccd_cost;

#ifdef TACT_HAVE_FCL
/* FCL's continuous traversal of a mesh against itself; finds pairs of triangles. Returns false if memory runs out. */
bool tact_ccd_step_fcl(const ccd_scene *scene, ccd_cost *cost);
#endif

#ifdef __cplusplus
}
#endif

#endif
