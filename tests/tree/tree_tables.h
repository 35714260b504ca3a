/* What the tests of trees share: transforms of all kinds, and tables of the pairs that a traversal reports. */
#ifndef TACT_TEST_TREE_TABLES_H
#define TACT_TEST_TREE_TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "math/vec.h"
#include "support/random.h"

static inline tact_vec3 random_in(random_source *r, double reach)
{
    tact_vec3 p;
    p.x = random_range(r, -reach, reach);
    p.y = random_range(r, -reach, reach);
    p.z = random_range(r, -reach, reach);
    return p;
}

enum {
    FRAME_RIGID,
    FRAME_STRETCHED, /* and mirrored */
    FRAME_SKEWED,
    FRAME_SQUARE, /* rotated by right angles: parallel edges */
    FRAME_FAR,    /* the world's origin is far away */
    FRAME_FLAT,   /* nearly */
    FRAMES
};

/* Two frames of the same kind are close to each other. */
static inline tact_transform random_placement(random_source *r, int kind)
{
    tact_vec3 to = random_in(r, 1.0), one = {1.0, 1.0, 1.0};
    tact_transform p = tact_transform_make(to, random_rotation(r), one);
    switch (kind) {
    case FRAME_RIGID:
        return p;
    case FRAME_STRETCHED:
        return tact_transform_scale(p, vec_make(random_range(r, 0.5, 2.0), -random_range(r, 0.5, 2.0), 0.3));
    case FRAME_SKEWED:
        p.x_axis = vec_add(p.x_axis, vec_scale(p.y_axis, random_range(r, -1.0, 1.0)));
        p.z_axis = vec_add(p.z_axis, vec_scale(p.x_axis, random_range(r, -1.0, 1.0)));
        return p;
    case FRAME_SQUARE:
        p = tact_at(random_between(r, -1, 1), random_between(r, -1, 1), random_between(r, -1, 1));
        if (random_chance(r, 0.5))
            p = (tact_transform){p.y_axis, vec_negate(p.x_axis), p.z_axis, p.origin};
        return p;
    case FRAME_FAR:
        p.origin = vec_add(p.origin, vec_make(1e7, -1e7, 1e6));
        return p;
    default: /* FRAME_FLAT */
        return tact_transform_scale(p, vec_make(1.0, 1e-7, 1.0));
    }
}

/* How often each pair was visited; the traversal is stopped at `limit` visits. */
typedef struct table {
    uint32_t columns;
    unsigned char *cells;
    size_t found, limit;
} table;

static inline table table_make(uint32_t rows, uint32_t columns)
{
    table t = {columns, calloc((size_t)rows * columns + 1, 1), 0, SIZE_MAX};
    assert_non_null(t.cells);
    return t;
}

static inline bool note_pair(void *context, uint32_t a, uint32_t b)
{
    table *t = context;
    t->cells[(size_t)a * t->columns + b]++;
    return ++t->found < t->limit;
}

static inline bool note_thing(void *context, uint32_t thing) { return note_pair(context, 0, thing); }

#endif
