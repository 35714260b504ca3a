/* Include a vector header (math/vec.h or support/vec.h) before.
 *
 * A mesh of square cells with heights of one of a few levels on blocks of cells, vertical walls between blocks of
 * different height, and holes: large flat regions with corners, and none that is convex as a rule. */
#ifndef TACT_TESTS_SUPPORT_STEPPED_MESH_H
#define TACT_TESTS_SUPPORT_STEPPED_MESH_H

#include <stdlib.h>
#include <tact/tact.h>

#include "support/random.h"

typedef struct stepped_mesh {
    tact_vec3 *vertices;
    uint32_t *indices;
    uint32_t vertex_count, index_count;
} stepped_mesh;

static inline void stepped_mesh_release(stepped_mesh *s)
{
    free(s->vertices);
    free(s->indices);
}

static inline void stepped_mesh_quad(stepped_mesh *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, a, c, d};
    for (int i = 0; i < 6; ++i)
        s->indices[s->index_count++] = corners[i];
}

/* `cells` by `cells` cells of side `cell` about the origin, upward; `block` cells have one height, a multiple of `rise`
 * up to twice it. Every tenth block is a hole, if `holes`. With a rise of 0 it is a plane. */
static inline stepped_mesh stepped_mesh_make(int cells, int block, double cell, double rise, bool holes,
                                             random_source *random)
{
    enum { HOLE = -1, LEVELS = 3 };
    const int blocks = (cells + block - 1) / block, row = cells + 1, level_size = row * row;
    stepped_mesh s = {0};
    int *level = malloc((size_t)(blocks * blocks) * sizeof *level);
    s.vertices = malloc((size_t)(LEVELS * level_size) * sizeof *s.vertices);
    s.indices = malloc((size_t)(18 * cells * cells) * sizeof *s.indices);
    for (int i = 0; i < blocks * blocks; ++i)
        level[i] = holes && random_below(random, 10) == 0 ? HOLE : rise > 0.0 ? (int)random_below(random, LEVELS) : 0;
    for (int k = 0; k < LEVELS; ++k)
        for (int i = 0; i < row; ++i)
            for (int j = 0; j < row; ++j)
                s.vertices[s.vertex_count++] = vec_make(cell * (i - 0.5 * cells), k * rise, cell * (j - 0.5 * cells));
    for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j) {
            const int own = level[i / block * blocks + j / block];
            const int right = i + 1 < cells ? level[(i + 1) / block * blocks + j / block] : HOLE;
            const int next = j + 1 < cells ? level[i / block * blocks + (j + 1) / block] : HOLE;
            const uint32_t at = (uint32_t)(i * row + j), x = (uint32_t)row, size = (uint32_t)level_size;
            if (own == HOLE)
                continue;
            const uint32_t a = (uint32_t)own * size + at;
            stepped_mesh_quad(&s, a, a + 1, a + x + 1, a + x);
            if (right != HOLE && right != own) {
                const uint32_t b = (uint32_t)right * size + at;
                stepped_mesh_quad(&s, a + x, a + x + 1, b + x + 1, b + x);
            }
            if (next != HOLE && next != own) {
                const uint32_t b = (uint32_t)next * size + at;
                stepped_mesh_quad(&s, a + x + 1, a + 1, b + 1, b + x + 1);
            }
        }
    free(level);
    return s;
}

static inline tact_shape *stepped_mesh_shape(const stepped_mesh *s)
{
    return tact_mesh(s->vertices, s->vertex_count, s->indices, s->index_count / 3);
}

/* A plane of cells by cells cells with this side in all. */
static inline tact_shape *flat_mesh(int cells, double side)
{
    random_source random = random_seed(1);
    stepped_mesh s = stepped_mesh_make(cells, cells, side / cells, 0.0, false, &random);
    tact_shape *shape = stepped_mesh_shape(&s);
    stepped_mesh_release(&s);
    return shape;
}

#endif
