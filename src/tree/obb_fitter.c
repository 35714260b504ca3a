/*
 * Fitting oriented boxes to the nodes of an AABB tree. See obb_fitter.h.
 *
 * The moments that give the principal axes are summed bottom-up, once. The extents along the axes are computed for each
 * box from its vertices, which are contiguous in the order of the leaves: O(n log n) in total. Boxes of boxes would
 * cost O(n) and be looser at every level.
 */
#include "tree/obb_fitter.h"

#include <string.h>

#include "core/memory.h"
#include "math/vec.h"

/* Children come after parents: counts in reverse order, ranges in forward order. */
static void find_ranges(obb_fitter *f)
{
    const tree_node *nodes = f->tree->nodes;
    for (uint32_t i = f->tree->node_count; i-- > 0;) {
        f->leaf_count[i] = 0;
        for (unsigned k = 0; k < TREE_WIDTH; ++k)
            f->leaf_count[i] += tact_obb_fitter_count(f, nodes[i].child[k]);
    }
    f->leaf_begin[0] = 0;
    for (uint32_t i = 0; i < f->tree->node_count; ++i) {
        uint32_t at = f->leaf_begin[i];
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = nodes[i].child[k];
            if (child == TREE_NONE)
                break;
            if (tree_is_leaf(child))
                f->triangle_order[at] = tree_item(child);
            else
                f->leaf_begin[child] = at;
            at += tact_obb_fitter_count(f, child);
        }
    }
}

/* Adds three times the centroid: for the axes the distribution of mass within a triangle does not matter. */
static void moments_of_triangle(const obb_fitter *f, uint32_t triangle, obb_moments *m)
{
    const uint32_t *vertex = f->triangles[triangle];
    const tact_vec3 *a = &f->points[vertex[0]], *b = &f->points[vertex[1]], *c = &f->points[vertex[2]];
    obb_moments_add(m, a->x + b->x + c->x - f->centre3[0], a->y + b->y + c->y - f->centre3[1],
                    a->z + b->z + c->z - f->centre3[2]);
}

static void find_moments(obb_fitter *f)
{
    for (uint32_t i = f->tree->node_count; i-- > 0;) {
        obb_moments sum;
        memset(&sum, 0, sizeof sum);
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = f->tree->nodes[i].child[k];
            if (child == TREE_NONE)
                break;
            if (tree_is_leaf(child)) {
                moments_of_triangle(f, tree_item(child), &sum);
                continue;
            }
            const obb_moments *below = &f->moments[child];
            sum.count += below->count;
            for (int c = 0; c < 3; ++c)
                sum.sum[c] += below->sum[c];
            for (int c = 0; c < 6; ++c)
                sum.product[c] += below->product[c];
        }
        f->moments[i] = sum;
    }
}

static void copy_vertices(obb_fitter *f)
{
    float *x = f->xyz, *y = x + f->capacity, *z = y + f->capacity;
    size_t at = 0;
    for (uint32_t i = 0; i < f->tree->item_count; ++i)
        for (int k = 0; k < 3; ++k, ++at) {
            const tact_vec3 *p = &f->points[f->triangles[f->triangle_order[i]][k]];
            x[at] = (float)p->x;
            y[at] = (float)p->y;
            z[at] = (float)p->z;
        }
    for (; at < f->capacity; ++at)
        x[at] = y[at] = z[at] = 0.0f;
}

/* The box of a few triangles, from position `at` in the order of the leaves. */
static obb fit_patch(const obb_fitter *f, uint32_t at, uint32_t count, const box *aabb)
{
    const obb_points vertices = {f->xyz, f->xyz + f->capacity, f->xyz + 2 * f->capacity};
    tact_vec3 normal = {0.0, 0.0, 0.0}, edge = normal;
    double longest = -1.0;
    for (uint32_t i = at; i < at + count; ++i) {
        const uint32_t *vertex = f->triangles[f->triangle_order[i]];
        const tact_vec3 *a = &f->points[vertex[0]], *b = &f->points[vertex[1]], *c = &f->points[vertex[2]];
        const tact_vec3 edges[3] = {vec_sub(*b, *a), vec_sub(*c, *b), vec_sub(*a, *c)};
        const double squares[3] = {vec_length_squared(edges[0]), vec_length_squared(edges[1]),
                                   vec_length_squared(edges[2])};
        /* the edge of medium length: the longest edge of half a rectangle is its diagonal */
        const int first = squares[1] > squares[0], second = 1 - first;
        const int medium = squares[2] > squares[first] ? first : squares[2] > squares[second] ? 2 : second;
        if (squares[medium] > longest) {
            longest = squares[medium];
            edge = edges[medium];
        }
        const tact_vec3 own_normal = vec_cross(edges[0], edges[1]);
        normal = vec_dot(own_normal, normal) < 0.0 ? vec_sub(normal, own_normal) : vec_add(normal, own_normal);
    }
    return tact_obb_of_patch(&vertices, 3 * (size_t)at, 3 * (size_t)count, edge, normal, aabb);
}

static obb fit_range(const obb_fitter *f, uint32_t node, uint32_t at, uint32_t count, const box *aabb)
{
    const obb_points vertices = {f->xyz, f->xyz + f->capacity, f->xyz + 2 * f->capacity};
    return tact_obb_of_points(&vertices, 3 * (size_t)at, 3 * (size_t)count, &f->moments[node], aabb);
}

uint32_t tact_obb_fitter_count(const obb_fitter *f, uint32_t child)
{
    return child == TREE_NONE ? 0 : tree_is_leaf(child) ? 1 : f->leaf_count[child];
}

tact_status tact_obb_fitter_init(obb_fitter *f, const aabb_tree *tree, const tact_vec3 *points,
                                 const uint32_t (*triangles)[3], const tact_allocator *allocator)
{
    const uint32_t nodes = tree->node_count, items = tree->item_count;
    *f = (obb_fitter){.tree = tree, .points = points, .triangles = triangles, .allocator = *allocator};
    f->capacity = 3 * (size_t)items + OBB_POINT_PADDING;
    f->leaf_begin = tact_memory_allocate(allocator, nodes, sizeof *f->leaf_begin);
    f->leaf_count = tact_memory_allocate(allocator, nodes, sizeof *f->leaf_count);
    f->triangle_order = tact_memory_allocate(allocator, items, sizeof *f->triangle_order);
    f->moments = tact_memory_allocate(allocator, nodes, sizeof *f->moments);
    f->xyz = tact_memory_allocate(allocator, 3 * f->capacity, sizeof *f->xyz);
    if (f->leaf_begin == NULL || f->leaf_count == NULL || f->triangle_order == NULL || f->moments == NULL ||
        f->xyz == NULL) {
        tact_obb_fitter_release(f);
        return TACT_OUT_OF_MEMORY;
    }
    for (int c = 0; c < 3; ++c)
        f->centre3[c] = 1.5 * ((double)tree->root_box.min[c] + (double)tree->root_box.max[c]);
    find_ranges(f);
    find_moments(f);
    copy_vertices(f);
    return TACT_OK;
}

void tact_obb_fitter_release(obb_fitter *f)
{
    const uint32_t nodes = f->tree->node_count, items = f->tree->item_count;
    tact_memory_free(&f->allocator, f->leaf_begin, nodes, sizeof *f->leaf_begin);
    tact_memory_free(&f->allocator, f->leaf_count, nodes, sizeof *f->leaf_count);
    tact_memory_free(&f->allocator, f->triangle_order, items, sizeof *f->triangle_order);
    tact_memory_free(&f->allocator, f->moments, nodes, sizeof *f->moments);
    tact_memory_free(&f->allocator, f->xyz, 3 * f->capacity, sizeof *f->xyz);
}

void tact_obb_fitter_children(const obb_fitter *f, uint32_t node, obb4 *four)
{
    static const obb unbounded = {{{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}},
                                  {0.0f, 0.0f, 0.0f},
                                  {INFINITY, INFINITY, INFINITY}};
    uint32_t at = f->leaf_begin[node];
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        const uint32_t child = f->tree->nodes[node].child[k], count = tact_obb_fitter_count(f, child);
        obb b = unbounded;
        if (child != TREE_NONE && tree_is_leaf(child)) {
            const uint32_t *vertex = f->triangles[tree_item(child)];
            b = tact_obb_of_triangle(&f->points[vertex[0]], &f->points[vertex[1]], &f->points[vertex[2]]);
        } else if (child != TREE_NONE) {
            const box aabb = box4_get(&f->tree->bounds[node], k);
            b = count <= OBB_PATCH_MAX_TRIANGLES ? fit_patch(f, at, count, &aabb)
                                                 : fit_range(f, child, at, count, &aabb);
        }
        obb4_set(four, k, &b);
        at += count;
    }
}

obb tact_obb_fitter_root(const obb_fitter *f) { return fit_range(f, 0, 0, f->tree->item_count, &f->tree->root_box); }
