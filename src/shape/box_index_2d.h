/*
 * A spatial index of numbered 2D boxes: an AABB tree (tree/aabb_tree.h) in coordinates of its own, translated and
 * scaled so that floats resolve a polygon that is tiny or far from its origin.
 *
 *     box_index_2d index = {.allocator = allocator};
 *     tact_box_index_2d_begin(&index, capacity, low_x, low_y, high_x, high_y)    all boxes are within these bounds
 *     box_index_2d_add(&index, number, low_x, low_y, high_x, high_y)
 *     tact_box_index_2d_build(&index)
 *     tact_box_index_2d_overlap(&index, points, point_count, visit, context)
 *     tact_box_index_2d_release(&index)
 *
 * A query finds all numbers whose box overlaps a point, a segment or a triangle, and perhaps some near it. Mapping to
 * the tree's coordinates rounds twice, in a difference and in a product with a power of two. Both roundings are
 * monotone, so no overlap is missed.
 */
#ifndef TACT_SHAPE_BOX_INDEX_2D_H
#define TACT_SHAPE_BOX_INDEX_2D_H

#include "tree/aabb_tree.h"

typedef struct box_index_2d {
    const tact_allocator *allocator;
    aabb_tree tree;
    box *boxes;
    uint32_t *numbers; /* of each box */
    uint32_t count, capacity;
    double x, y, scale; /* (p - (x, y)) scale is p in the tree's coordinates, at most about 1 */
} box_index_2d;

/* Returns false to stop the query. */
typedef bool box_index_2d_visit(void *context, uint32_t number);

/* Empties the index and reserves memory for `capacity` boxes. TACT_OUT_OF_MEMORY leaves it empty. */
tact_status tact_box_index_2d_begin(box_index_2d *index, uint32_t capacity, double low_x, double low_y, double high_x,
                                    double high_y);

static inline box box_index_2d_box(const box_index_2d *index, double low_x, double low_y, double high_x, double high_y)
{
    const double s = index->scale;
    return box_from_bounds((tact_vec3){(low_x - index->x) * s, (low_y - index->y) * s, 0.0},
                           (tact_vec3){(high_x - index->x) * s, (high_y - index->y) * s, 0.0});
}

/* At most `capacity` times. */
static inline void box_index_2d_add(box_index_2d *index, uint32_t number, double low_x, double low_y, double high_x,
                                    double high_y)
{
    index->boxes[index->count] = box_index_2d_box(index, low_x, low_y, high_x, high_y);
    index->numbers[index->count++] = number;
}

/* Some 100 ns a box. On failure the index is empty. */
tact_status tact_box_index_2d_build(box_index_2d *index);

/* Visits every number whose box overlaps the hull of one point, two points, or three points in counter-clockwise order,
 * and perhaps some near it. Returns false if the visitor stopped it. */
bool tact_box_index_2d_overlap(const box_index_2d *index, const double (*points)[2], int count,
                               box_index_2d_visit *visit, void *context);

/* Visits every number whose box may be within the visitor's limit of the point, nearer ones first in each node of the
 * tree. The visitor gets and returns a limit as in tree/tree.h. */
void tact_box_index_2d_nearest(const box_index_2d *index, double x, double y, tree_visit_bounded *visit, void *context);

/* Empties the index and frees its memory. */
void tact_box_index_2d_release(box_index_2d *index);

#endif
