/* Peers of the race of whole steps: everything of one mesh that meets itself between two frames. */
#ifndef TACT_BENCH_CCD_PEER_H
#define TACT_BENCH_CCD_PEER_H

#include "ccd_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ccd_cost {
    double build; /* ns, once for the mesh */
    double step;  /* ns: from the vertices of the second frame to all that meets */
    double first; /* the first time of contact that it found; above 1: none */
    long found;   /* in its own terms */
} ccd_cost;

#ifdef TACT_HAVE_FCL
/* FCL's continuous traversal of one mesh with itself: pairs of triangles. False when memory runs out. */
bool tact_ccd_step_fcl(const ccd_scene *scene, ccd_cost *cost);
#endif

#ifdef __cplusplus
}
#endif

#endif
