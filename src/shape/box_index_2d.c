/* Numbered boxes in a plane. */
#include "shape/box_index_2d.h"

#include <float.h>

#include "core/memory.h"
#include "tree/aabb_internal.h"

tact_status tact_box_index_2d_begin(box_index_2d *index, uint32_t room, double low_x, double low_y, double high_x,
                                    double high_y)
{
    const tact_allocator *allocator = index->allocator;
    tact_box_index_2d_release(index);
    double extent = fmax(high_x - low_x, high_y - low_y);
    int exponent = 0;
    if (extent > 0.0 && extent < INFINITY)
        (void)frexp(extent, &exponent);
    index->x = low_x;
    index->y = low_y;
    /* a power of two that is neither infinite nor subnormal */
    index->scale = ldexp(1.0, exponent < -1020 ? 1020 : exponent > 1020 ? -1020 : -exponent);
    index->boxes = tact_memory_allocate(allocator, room, sizeof *index->boxes);
    index->numbers = tact_memory_allocate(allocator, room, sizeof *index->numbers);
    index->capacity = room;
    if (index->boxes != NULL && index->numbers != NULL)
        return TACT_OK;
    tact_box_index_2d_release(index);
    return TACT_OUT_OF_MEMORY;
}

tact_status tact_box_index_2d_build(box_index_2d *index)
{
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = *index->allocator;
    tact_status status = tact_aabb_tree_build(&index->tree, index->boxes, index->count, &def);
    if (status != TACT_OK)
        tact_box_index_2d_release(index);
    return status;
}

/* Of the largest coordinate in the tree, 1 or so: by how much rounding moves a point there, or a line near it. */
#define PLANE_ROUNDING (16.0 * DBL_EPSILON)

/* A length: squares of what is shorter vanish, so that nothing tells them apart. */
#define PLANE_LEAST 1e-150

/* A line, in the tree's coordinates: what is asked for is on its left. */
typedef struct line {
    double x, y, along_x, along_y;
} line;

/* Is all of a box on the right, clearly? (Of NaN never.) */
static bool is_right_of(const line *l, const box4 *four, unsigned lane)
{
    /* the corner farthest to the left */
    double x = (double)(l->along_y > 0.0 ? four->min[0] : four->max[0])[lane];
    double y = (double)(l->along_x > 0.0 ? four->max[1] : four->min[1])[lane];
    return l->along_x * (y - l->y) - l->along_y * (x - l->x) < -PLANE_ROUNDING;
}

bool tact_box_index_2d_overlap(const box_index_2d *index, const double (*points)[2], int count,
                               box_index_2d_visit *visit, void *context)
{
    const aabb_tree *tree = &index->tree;
    const double s = index->scale;
    line lines[3];
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < count; ++i) {
        const double *p = points[i], *q = points[(i + 1) % count];
        lines[i] = (line){(p[0] - index->x) * s, (p[1] - index->y) * s, (q[0] - p[0]) * s, (q[1] - p[1]) * s};
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    const box asked = box_index_2d_box(index, low[0], low[1], high[0], high[1]);
    uint32_t waiting[AABB_MOST_NODES];
    unsigned left = 0;
    if (tree->node_count > 0)
        waiting[left++] = 0;
    while (left > 0) {
        const uint32_t node = waiting[--left];
        const tree_node *children = &tree->nodes[node];
        const box4 *four = &tree->bounds[node];
        const unsigned meet = box4_overlap(four, &asked) & aabb_taken(children);
        for (unsigned k = TREE_WIDTH; k-- > 0;) {
            bool out = (meet >> k & 1) == 0;
            for (int i = 0; i < count && count > 1 && !out; ++i)
                out = is_right_of(&lines[i], four, k);
            if (out)
                continue;
            if (!tree_is_leaf(children->child[k]))
                waiting[left++] = children->child[k];
            else if (!visit(context, index->numbers[tree_thing(children->child[k])]))
                return false;
        }
    }
    return true;
}

typedef struct approach {
    const box_index_2d *index;
    tree_visit_within *visit;
    void *context;
    double limit; /* of the visitor, unscaled */
} approach;

static double scaled_limit(const approach *a)
{
    double limit = (a->limit + PLANE_LEAST) * a->index->scale * (1.0 + PLANE_ROUNDING) + PLANE_ROUNDING;
    return limit < INFINITY ? limit : INFINITY;
}

static double approach_one(void *context, uint32_t item, double limit)
{
    approach *a = context;
    (void)limit;
    a->limit = a->visit(a->context, a->index->numbers[item], a->limit);
    return a->limit < 0.0 ? -1.0 : scaled_limit(a);
}

void tact_box_index_2d_nearest(const box_index_2d *index, double x, double y, tree_visit_within *visit, void *context)
{
    const box here = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    const tact_transform as_is = tact_identity(),
                         at = tact_at((x - index->x) * index->scale, (y - index->y) * index->scale, 0.0);
    approach a = {index, visit, context, INFINITY};
    (void)tact_aabb_tree_nearest(&index->tree, &as_is, &here, &at, INFINITY, approach_one, &a);
}

void tact_box_index_2d_release(box_index_2d *index)
{
    const tact_allocator *allocator = index->allocator;
    tact_aabb_tree_release(&index->tree);
    tact_memory_free(allocator, index->boxes, index->capacity, sizeof *index->boxes);
    tact_memory_free(allocator, index->numbers, index->capacity, sizeof *index->numbers);
    *index = (box_index_2d){.allocator = allocator};
}
