/*
 * All contacts of a deforming mesh in a step, the classical way that Weller and Zachmann 2006, section 7, compare with:
 * a tree of swept boxes, refitted bottom-up in every step and searched from the root. For
 * `tact-bench weller-zachmann-2006`.
 */
#ifndef TACT_BENCH_SWEPT_BOXES_H
#define TACT_BENCH_SWEPT_BOXES_H

#include <stddef.h>
#include <stdint.h>
#include <tact/vec.h>

#include "sweep/sweep.h"

typedef struct swept_boxes swept_boxes;

/* NULL if memory runs out. The triangles are copied. */
swept_boxes *tact_swept_boxes_create(const uint32_t (*triangles)[3], size_t triangle_count, const tact_vec3 *vertices,
                                     size_t vertex_count);
void tact_swept_boxes_release(swept_boxes *s); /* NULL is allowed */

typedef struct swept_boxes_cost {
    double ns, update_ns;  /* update_ns, a part of ns: boxes and refit */
    uint64_t bound_checks; /* pairs of boxes of nodes and triangles; 0 unless counted */
    uint64_t item_pairs;   /* pairs of triangles whose boxes overlap */
    uint64_t bound_tests;  /* pairs of boxes of features */
    uint64_t candidates;   /* feature pairs that reached the block filter */
} swept_boxes_cost;

/* Finds the contacts of a step; `receive` gets each once, in no order, on the clock. With `count`, the boxes of the
 * tree that are tested are counted, off the clock. Adds to the cost. */
void tact_swept_boxes_run(swept_boxes *s, const tact_vec3 *start, const tact_vec3 *end, bool count,
                          void (*receive)(void *context, const sweep_contact *contact), void *context,
                          swept_boxes_cost *cost);

/* Builds the tree anew if refits have degraded it, on the clock. Returns false if memory runs out. */
bool tact_swept_boxes_renew(swept_boxes *s, const tact_vec3 *vertices, swept_boxes_cost *cost);

#endif
