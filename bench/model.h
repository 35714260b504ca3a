/*
 * Models of the mesh benchmarks, made from formulas, and where to place two of them.
 */
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

/* They return false when memory runs out. */
/* The thesis' torus, radii 10 and 2, with 2 `around` `across` triangles. */
bool tact_model_torus(model *m, int around, int across);
/* 3,752 triangles, as many as the thesis' teapot: a body, a spout and a handle, each of its own formula. The famous
 * patches are data, and not used. */
bool tact_model_pot(model *m);
/* 6,084 triangles, as many as the thesis' X-wing: a long thin hull, four flat wings, four guns. */
bool tact_model_slender(model *m);
void tact_model_release(model *m);

tact_shape *tact_model_shape(const model *m); /* a shell; NULL when memory runs out */

/* Two placements of one model: random rotations, origins random in a cube. */
typedef struct model_pair {
    tact_transform a, b;
} model_pair;

/* Makes `count` pairs in a cube whose side is chosen (and told) so that about the given share of them touch. NULL when
 * memory runs out; to be freed. */
model_pair *tact_model_pairs(const tact_shape *shape, double radius, double share, int count, uint64_t seed,
                             double *side);
/* The same in a cube of a given side. */
model_pair *tact_model_pairs_in(double side, int count, uint64_t seed);

/* The largest distance of a vertex from the origin. */
double tact_model_radius(const model *m);

/* Do two placed models meet? The judge: placed triangles in the order of their least x, a sweep over both lists, boxes,
 * then triangle_oracle.h; no tree. Where that leaves it open the library's exact test decides, and is counted. */
typedef struct model_oracle {
    const model *m;
    struct oracle_triangle *items[2]; /* room, used again from call to call */
    long undecided;                   /* placements that hung on the library's test */
} model_oracle;

bool tact_model_oracle_create(model_oracle *oracle, const model *m);
void tact_model_oracle_release(model_oracle *oracle);
bool tact_model_oracle_overlap(model_oracle *oracle, const model_pair *at);

#ifdef __cplusplus
}
#endif

#endif
