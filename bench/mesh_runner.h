/* The libraries of the mesh race: a model against itself, in the same configurations. */
#ifndef TACT_BENCH_MESH_RUNNER_H
#define TACT_BENCH_MESH_RUNNER_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mesh_runner {
    const char *name;
    /* Builds trees and converts transforms. NULL if memory runs out. */
    void *(*create)(const model *m, const model_pair *pairs, int count);
    /* Timed: answers pairs `begin` to `end` - 1, 1 for overlap, else 0. */
    void (*run)(void *state, int begin, int end, unsigned char *answers);
    void (*finish)(void *state);
} mesh_runner;

/* Cost of a tree, in ns, the fastest of several. */
typedef struct mesh_cost {
    double tree;       /* from its own vertices and triangles to the tree */
    double whole_mesh; /* from the caller's arrays to a mesh that answers queries */
    double refit;      /* from new vertices to the refitted tree */
    double bytes;      /* of the tree, per triangle; negative: unknown */
    double mesh_bytes; /* of all but vertices and indices, per triangle; negative: unknown */
    bool completed;    /* false: out of memory */
} mesh_cost;

#ifdef TACT_HAVE_FCL
extern const mesh_runner tact_mesh_fcl_obbrss;
extern const mesh_runner tact_mesh_fcl_aabb;
/* One round: lowers each time to that of this round. `moved`: positions of the vertices for the refit. */
void tact_mesh_cost_fcl(const model *m, const tact_vec3 *moved, mesh_cost *c);
#endif

#ifdef __cplusplus
}
#endif

#endif
