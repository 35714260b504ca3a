/* A triangle of a model in world coordinates. Inline: it is part of what the tree benchmarks time. */
#ifndef TACT_BENCH_MODEL_TRIANGLE_H
#define TACT_BENCH_MODEL_TRIANGLE_H

#include "math/vec.h"
#include "model.h"

static inline void model_triangle(const model *m, const tact_transform *at, uint32_t triangle, tact_vec3 vertices[3])
{
    for (int k = 0; k < 3; k++)
        vertices[k] = vec_add(vec_transform(at, m->vertices[m->triangles[triangle][k]]), at->origin);
}

#endif
