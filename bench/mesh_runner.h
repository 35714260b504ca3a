/* Contestants of the mesh race: the same model twice, at the same placements. */
#ifndef TACT_BENCH_MESH_RUNNER_H
#define TACT_BENCH_MESH_RUNNER_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mesh_runner {
    const char *name;
    /* What it needs to answer: trees and converted placements. NULL when memory runs out. */
    void *(*create)(const model *m, const model_pair *pairs, int count);
    /* Answers pairs `begin` to `end` - 1: 1 for touching, else 0. What is timed. */
    void (*run)(void *state, int begin, int end, unsigned char *answers);
    void (*finish)(void *state);
} mesh_runner;

/* What a tree costs, in ns, the best of several. */
typedef struct mesh_cost {
    double tree;       /* from vertices and triangles that it has to its tree */
    double whole_mesh; /* from the caller's arrays to something that answers */
    double refit;      /* from new vertices to the same tree around them */
    double bytes;      /* of the tree, a triangle; negative: not known */
    double mesh_bytes; /* of all but vertices and corners, a triangle; negative: not known */
    bool completed;    /* false: memory has run out */
} mesh_cost;

#ifdef TACT_HAVE_FCL
extern const mesh_runner tact_mesh_fcl_obbrss;
extern const mesh_runner tact_mesh_fcl_aabb;
/* One round: makes each the least of what it was, if a number, and what it takes now. `moved`: where the vertices go
 * before the refit. */
void tact_mesh_cost_fcl(const model *m, const tact_vec3 *moved, mesh_cost *c);
#endif

#ifdef __cplusplus
}
#endif

#endif
