/* A spatial index of numbered 2D boxes: see the header. */
#include "shape/box_index_2d.h"

#include "core/memory.h"
#include "core/number.h"
#include "core/work.h"
#include "shape/shape_constants.h"
#include "tree/aabb_internal.h"

tact_status tact_box_index_2d_begin(box_index_2d *index, uint32_t capacity, double low_x, double low_y, double high_x,
                                    double high_y)
{
    const tact_allocator *allocator = index->allocator;
    tact_box_index_2d_release(index);
    double extent = number_max(high_x - low_x, high_y - low_y);
    int exponent = 0;
    if (extent > 0.0 && extent < INFINITY)
        (void)frexp(extent, &exponent);
    index->x = low_x;
    index->y = low_y;
    /* a power of two, neither infinite nor subnormal */
    index->scale = ldexp(1.0, exponent < -BOX_INDEX_MAX_EXPONENT  ? BOX_INDEX_MAX_EXPONENT
                              : exponent > BOX_INDEX_MAX_EXPONENT ? -BOX_INDEX_MAX_EXPONENT
                                                                  : -exponent);
    index->boxes = tact_memory_allocate(allocator, capacity, sizeof *index->boxes);
    index->numbers = tact_memory_allocate(allocator, capacity, sizeof *index->numbers);
    index->capacity = capacity;
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

/* The half-plane to the left of a line, in the tree's coordinates. */
typedef struct half_plane_2d {
    double x, y, along_x, along_y;
} half_plane_2d;

/* Is all of a box outside the half-plane, beyond rounding? (Never for NaN.) */
static bool is_outside(const half_plane_2d *l, const box4 *four, unsigned lane)
{
    /* the vertex of the box farthest to the left */
    double x = (double)(l->along_y > 0.0 ? four->min[0] : four->max[0])[lane];
    double y = (double)(l->along_x > 0.0 ? four->max[1] : four->min[1])[lane];
    return l->along_x * (y - l->y) - l->along_y * (x - l->x) < -BOX_INDEX_ERROR;
}

bool tact_box_index_2d_overlap(const box_index_2d *index, const double (*points)[2], int count,
                               box_index_2d_visit *visit, void *context)
{
    const aabb_tree *tree = &index->tree;
    const double s = index->scale;
    half_plane_2d half_planes[3];
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < count; ++i) {
        const double *p = points[i], *q = points[(i + 1) % count];
        half_planes[i] =
            (half_plane_2d){(p[0] - index->x) * s, (p[1] - index->y) * s, (q[0] - p[0]) * s, (q[1] - p[1]) * s};
        for (int k = 0; k < 2; ++k) {
            low[k] = number_min(low[k], p[k]);
            high[k] = number_max(high[k], p[k]);
        }
    }
    const box query = box_index_2d_box(index, low[0], low[1], high[0], high[1]);
    uint32_t stack[AABB_NODE_STACK];
    unsigned stack_size = 0;
    if (tree->node_count > 0)
        stack[stack_size++] = 0;
    while (stack_size > 0) {
        const uint32_t node = stack[--stack_size];
        const tree_node *children = &tree->nodes[node];
        const box4 *four = &tree->bounds[node];
        const unsigned overlap = box4_overlap(four, &query) & aabb_used_slots(children);
        for (unsigned k = TREE_WIDTH; k-- > 0;) {
            bool outside = (overlap >> k & 1) == 0;
            for (int i = 0; i < count && count > 1 && !outside; ++i)
                outside = is_outside(&half_planes[i], four, k);
            if (outside)
                continue;
            if (!tree_is_leaf(children->child[k]))
                stack[stack_size++] = children->child[k];
            else if (!visit(context, index->numbers[tree_item(children->child[k])]))
                return false;
        }
    }
    return true;
}

typedef struct nearest_search {
    const box_index_2d *index;
    tree_visit_bounded *visit;
    void *context;
    double limit; /* of the visitor, in the caller's coordinates */
} nearest_search;

static double scaled_limit(const nearest_search *a)
{
    double limit = (a->limit + BOX_INDEX_MIN_LENGTH) * a->index->scale * (1.0 + BOX_INDEX_ERROR) + BOX_INDEX_ERROR;
    return limit < INFINITY ? limit : INFINITY;
}

static double visit_nearest(void *context, uint32_t item, double limit)
{
    nearest_search *a = context;
    (void)limit;
    a->limit = a->visit(a->context, a->index->numbers[item], a->limit);
    return a->limit < 0.0 ? -1.0 : scaled_limit(a);
}

void tact_box_index_2d_nearest(const box_index_2d *index, double x, double y, tree_visit_bounded *visit, void *context)
{
    const box origin_box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    const tact_transform identity = tact_identity(),
                         at = tact_at((x - index->x) * index->scale, (y - index->y) * index->scale, 0.0);
    nearest_search a = {index, visit, context, INFINITY};
    work_meter *const work =
        tact_work_enter(NULL); /* making a shape is no query: it is neither counted nor cancelled */
    (void)tact_aabb_tree_nearest(&index->tree, &identity, &origin_box, &at, INFINITY, visit_nearest, &a);
    (void)tact_work_enter(work);
}

void tact_box_index_2d_release(box_index_2d *index)
{
    const tact_allocator *allocator = index->allocator;
    tact_aabb_tree_release(&index->tree);
    tact_memory_free(allocator, index->boxes, index->capacity, sizeof *index->boxes);
    tact_memory_free(allocator, index->numbers, index->capacity, sizeof *index->numbers);
    *index = (box_index_2d){.allocator = allocator};
}
