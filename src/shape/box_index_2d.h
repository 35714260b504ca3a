/*
 * Numbered boxes in a plane, found by where they are: a tree of boxes (tree/aabb_tree.h) in coordinates of its own, so
 * that floats tell apart what a polygon far from its origin, or a tiny one, has.
 *
 *     box_index_2d index = {.allocator = allocator};
 *     tact_box_index_2d_begin(&index, count, low_x, low_y, high_x, high_y)      room for `count` boxes, all of them
 * within box_index_2d_add(&index, number, low_x, low_y, high_x, high_y) tact_box_index_2d_build(&index)
 *     tact_box_index_2d_overlap(&index, points, point_count, visit, context)
 *     tact_box_index_2d_release(&index)
 *
 * What is found: all numbers whose box meets a point, a segment or a triangle, and perhaps some near it. Both ways of
 * rounding on the way to the tree's coordinates, a difference and a product with a power of two, keep the order of
 * numbers, so nothing is missed.
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

/* Returns whether to go on. */
typedef bool box_index_2d_visit(void *context, uint32_t number);

/* Empties it and makes room. TACT_OUT_OF_MEMORY leaves it empty. */
tact_status tact_box_index_2d_begin(box_index_2d *index, uint32_t room, double low_x, double low_y, double high_x,
                                    double high_y);

static inline box box_index_2d_box(const box_index_2d *index, double low_x, double low_y, double high_x, double high_y)
{
    const double s = index->scale;
    return box_of_corners((tact_vec3){(low_x - index->x) * s, (low_y - index->y) * s, 0.0},
                          (tact_vec3){(high_x - index->x) * s, (high_y - index->y) * s, 0.0});
}

/* At most as many as there is room for. */
static inline void box_index_2d_add(box_index_2d *index, uint32_t number, double low_x, double low_y, double high_x,
                                    double high_y)
{
    index->boxes[index->count] = box_index_2d_box(index, low_x, low_y, high_x, high_y);
    index->numbers[index->count++] = number;
}

/* Some 100 ns a box. On failure it is empty. */
tact_status tact_box_index_2d_build(box_index_2d *index);

/* Of one point, two, or three that turn left: every number whose box meets their hull, and perhaps some near it.
 * Returns false when the visitor stopped it. */
bool tact_box_index_2d_overlap(const box_index_2d *index, const double (*points)[2], int count,
                               box_index_2d_visit *visit, void *context);

/* Every number whose box may be within the visitor's limit of the point, nearer ones first in each node of the tree.
 * The visitor gets and returns a limit as in tree.h. */
void tact_box_index_2d_nearest(const box_index_2d *index, double x, double y, tree_visit_within *visit, void *context);

/* Empty, and nothing held. */
void tact_box_index_2d_release(box_index_2d *index);

#endif
