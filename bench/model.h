/* Models of the mesh benchmarks, made from formulas, and random configurations of two of them. */
#ifndef TACT_BENCH_MODEL_H
#define TACT_BENCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/shape.h>
#include <tact/transform.h>
#include <tact/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct model {
    const char *name;
    size_t vertex_count, triangle_count;
    tact_vec3 *vertices;
    uint32_t (*triangles)[3];
} model;

/* These return false if memory runs out. */
/* The torus of van den Bergen 1999, radii 10 and 2, with 2 x `around` x `across` triangles. */
bool tact_model_torus(model *m, int around, int across);
/* 3,752 triangles, as the teapot of the thesis: a body, a spout and a handle from formulas. The patches of the Utah
 * teapot are not used. */
bool tact_model_pot(model *m);
/* 6,084 triangles, as the X-wing of the thesis: a long thin hull, four flat wings, four guns. */
bool tact_model_slender(model *m);
void tact_model_release(model *m);

tact_shape *tact_model_shape(const model *m); /* an open mesh; NULL if memory runs out */

/* A configuration: two transforms of a model, with random rotations and random origins in a cube. */
typedef struct model_pair {
    tact_transform a, b;
} model_pair;

/* Creates `count` configurations in a cube whose side is chosen, and returned, so that about the given share of them
 * overlap. The caller frees them. NULL if memory runs out. */
model_pair *tact_model_pairs(const tact_shape *shape, double radius, double share, int count, uint64_t seed,
                             double *side);
/* The same in a cube of a given side. */
model_pair *tact_model_pairs_in(double side, int count, uint64_t seed);

/* The largest distance of a vertex from the origin. */
double tact_model_radius(const model *m);

/* Oracle for the overlap of two transformed models: sorts the triangles by minimum x, sweeps over both lists, tests
 * boxes, then triangle_oracle.h. It uses no tree. Where that is undecided, the library's exact test decides; such cases
 * are counted. */
typedef struct model_oracle {
    const model *m;
    struct oracle_triangle *items[2]; /* scratch, reused by all calls */
    long undecided;                   /* configurations decided by the library's test */
} model_oracle;

bool tact_model_oracle_create(model_oracle *oracle, const model *m);
void tact_model_oracle_release(model_oracle *oracle);
bool tact_model_oracle_overlap(model_oracle *oracle, const model_pair *at);

#ifdef __cplusplus
}
#endif

#endif
