/*
 * Trees of oriented boxes. See obb_tree.h.
 *
 * Guarantees: every triangle is inside all boxes above it, rounding included; no pair of placed triangles that meet is
 * missed; no allocation in queries. We depart from the paper in taking the topology from the axis-aligned builder (which
 * is fast, and cuts across the longest axis as the paper does), in four children a node, and in boxes that are fitted to
 * all triangles below and not to their boxes.
 */
#include "tree/obb_tree.h"

#include <string.h>

#include "bounds/obb4.h"
#include "core/memory.h"
#include "core/report.h"
#include "tree/aabb_parts.h"

/* Where the things below each node lie in the order of leaves, from left to right. */
typedef struct ranges {
    uint32_t *begin;  /* of each node */
    uint32_t *counts; /* of each node */
    uint32_t *order;  /* of things */
} ranges;

static uint32_t count_below(const ranges *r, uint32_t child)
{
    return child == TREE_NONE ? 0 : tree_is_leaf(child) ? 1 : r->counts[child];
}

/* Children lie after parents: counted backward, placed forward. */
static void find_ranges(const tree_node *nodes, uint32_t node_count, ranges *r)
{
    for (uint32_t i = node_count; i-- > 0;) {
        r->counts[i] = 0;
        for (unsigned k = 0; k < TREE_WIDTH; ++k)
            r->counts[i] += count_below(r, nodes[i].child[k]);
    }
    r->begin[0] = 0;
    for (uint32_t i = 0; i < node_count; ++i) {
        uint32_t at = r->begin[i];
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t child = nodes[i].child[k];
            if (child == TREE_NONE)
                break;
            if (tree_is_leaf(child))
                r->order[at] = tree_thing(child);
            else
                r->begin[child] = at;
            at += count_below(r, child);
        }
    }
}

static void fit(obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3], const ranges *r)
{
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        uint32_t at = r->begin[i];
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const uint32_t count = count_below(r, tree->nodes[i].child[k]);
            const obb b = tact_obb_of_triangles(points, triangles, r->order + at, count);
            obb4_set(&tree->bounds[i], k, &b);
            at += count;
        }
    }
}

/* The boxes around the triangles, and the tree of them, whose nodes are then ours. */
static tact_status take_topology(obb_tree *tree, aabb_tree *flat, const tact_vec3 *points,
                                 const uint32_t (*triangles)[3], size_t count)
{
    box *boxes = tact_memory_take(&tree->allocator, count, sizeof *boxes);
    if (boxes == NULL)
        return TACT_OUT_OF_MEMORY;
    tact_boxes_of_triangles(points, triangles, count, boxes);
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = tree->allocator;
    tact_status status = tact_aabb_tree_build(flat, boxes, count, &def);
    tact_memory_give(&tree->allocator, boxes, count, sizeof *boxes);
    return status;
}

tact_status tact_obb_tree_build(obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count,
                                const tact_allocator *allocator)
{
    if (tree == NULL)
        return TACT_BAD_ARGUMENT;
    memset(tree, 0, sizeof *tree);
    tree->whole = box_empty();
    if (allocator == NULL || count > TREE_MOST || (count > 0 && (points == NULL || triangles == NULL)))
        return TACT_BAD_ARGUMENT;
    tree->allocator = *allocator;
    if (count == 0)
        return TACT_OK;
    aabb_tree flat;
    memset(&flat, 0, sizeof flat);
    flat.allocator = *allocator;
    tact_status status = take_topology(tree, &flat, points, triangles, count);
    ranges r = {NULL, NULL, NULL};
    const uint32_t nodes = flat.node_count, things = (uint32_t)count;
    if (status == TACT_OK) {
        tree->bounds = tact_memory_take(allocator, nodes, sizeof *tree->bounds);
        tree->nodes = tact_memory_take(allocator, nodes, sizeof *tree->nodes);
        tree->node_room = nodes;
        r.begin = tact_memory_take(allocator, nodes, sizeof *r.begin);
        r.counts = tact_memory_take(allocator, nodes, sizeof *r.counts);
        r.order = tact_memory_take(allocator, things, sizeof *r.order);
        if (tree->bounds == NULL || tree->nodes == NULL || r.begin == NULL || r.counts == NULL || r.order == NULL)
            status = TACT_OUT_OF_MEMORY;
    }
    if (status == TACT_OK) {
        memcpy(tree->nodes, flat.nodes, nodes * sizeof *tree->nodes);
        tree->node_count = nodes;
        tree->thing_count = things;
        tree->whole = flat.whole;
        find_ranges(tree->nodes, nodes, &r);
        fit(tree, points, triangles, &r);
    }
    tact_memory_give(allocator, r.begin, nodes, sizeof *r.begin);
    tact_memory_give(allocator, r.counts, nodes, sizeof *r.counts);
    tact_memory_give(allocator, r.order, things, sizeof *r.order);
    tact_aabb_tree_release(&flat);
    if (status != TACT_OK)
        tact_obb_tree_release(tree);
    return status;
}

void tact_obb_tree_release(obb_tree *tree)
{
    const tact_allocator allocator = tree->allocator;
    tact_memory_give(&allocator, tree->nodes, tree->node_room, sizeof *tree->nodes);
    tact_memory_give(&allocator, tree->bounds, tree->node_room, sizeof *tree->bounds);
    memset(tree, 0, sizeof *tree);
    tree->whole = box_empty();
    tree->allocator = allocator;
}

TACT_HOT bool placed_pairs(const obb_tree *a, const obb_tree *b, const obb_sights *sights, box_axes axes,
                           tree_order order, tree_visit_pair *visit, void *context)
{
    aabb_pair waiting[AABB_MOST_PAIRS];
    unsigned count = 0;
    /* the roots have no boxes: each child of that of A against those of B */
    for (unsigned k = 0; k < TREE_WIDTH && a->nodes[0].child[k] != TREE_NONE; ++k)
        waiting[count++] = (aabb_pair){k, TREE_NONE, a->nodes[0].child[k], 0, 0};
    while (count > 0) {
        const aabb_pair p = waiting[--count];
        const obb_tree *opened = p.open_a ? a : b, *other = p.open_a ? b : a;
        const obb_sight *sight = p.open_a ? &sights->ab : &sights->ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b, place = p.open_a ? p.b : p.a;
        const fixed_obb fixed = fixed_obb_of(sight, &other->bounds[place / TREE_WIDTH], place % TREE_WIDTH);
        const obb4 *four = &opened->bounds[node];
        const tree_node *children = &opened->nodes[node];
        const unsigned meet = obb_sat4(sight, &fixed, four, axes) & aabb_taken(children);
        if (meet == 0)
            continue;
        const simde__m128 size =
            simde_mm_add_ps(simde_mm_add_ps(simde_mm_loadu_ps(four->half[0]), simde_mm_loadu_ps(four->half[1])),
                            simde_mm_loadu_ps(four->half[2]));
        const unsigned larger = (unsigned)simde_mm_movemask_ps(simde_mm_cmpgt_ps(size, simde_mm_set1_ps(fixed.size)));
        float key[TREE_WIDTH];
        if (order == TREE_DEEPEST_FIRST)
            obb_middle_distances(four, fixed.middle, key);
        if (!aabb_take_children(&p, children, meet, larger, order == TREE_DEEPEST_FIRST ? key : NULL, waiting, &count,
                                visit, context))
            return false;
    }
    return true;
}

bool tact_obb_tree_pairs(const obb_tree *a, const tact_placement *at_a, const obb_tree *b, const tact_placement *at_b,
                         box_axes axes, tree_order order, tree_visit_pair *visit, void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return true;
    obb_sights sights;
    tact_obb_sights(at_a, &a->whole, at_b, &b->whole, &sights);
    /* four loops, each without the questions of the others */
    if (axes == BOX_ALL_AXES)
        return order == TREE_DEEPEST_FIRST
                   ? placed_pairs(a, b, &sights, BOX_ALL_AXES, TREE_DEEPEST_FIRST, visit, context)
                   : placed_pairs(a, b, &sights, BOX_ALL_AXES, TREE_ANY_ORDER, visit, context);
    return order == TREE_DEEPEST_FIRST ? placed_pairs(a, b, &sights, BOX_FACES, TREE_DEEPEST_FIRST, visit, context)
                                       : placed_pairs(a, b, &sights, BOX_FACES, TREE_ANY_ORDER, visit, context);
}

static bool holds(const obb *b, const tact_vec3 *points, const uint32_t triangle[3])
{
    return tact_obb_contains(b, points[triangle[0]]) && tact_obb_contains(b, points[triangle[1]]) &&
           tact_obb_contains(b, points[triangle[2]]);
}

tact_status tact_obb_tree_check(const obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3],
                                tact_report *report)
{
    if (tree->node_count == 0)
        return tree->thing_count == 0 ? tact_report_clear(report)
                                      : tact_report_fill(report, TACT_BAD_ARGUMENT, "things without nodes");
    ranges r = {tact_memory_take(&tree->allocator, tree->node_count, sizeof *r.begin),
                tact_memory_take(&tree->allocator, tree->node_count, sizeof *r.counts),
                tact_memory_take(&tree->allocator, tree->thing_count, sizeof *r.order)};
    tact_status status = TACT_OUT_OF_MEMORY;
    if (r.begin != NULL && r.counts != NULL && r.order != NULL)
        status = tact_tree_check_links(tree->nodes, tree->node_count, tree->thing_count, &tree->allocator, report);
    if (status == TACT_OK) {
        find_ranges(tree->nodes, tree->node_count, &r);
        for (uint32_t i = 0; i < tree->node_count && status == TACT_OK; ++i) {
            uint32_t at = r.begin[i];
            for (unsigned k = 0; k < TREE_WIDTH; ++k) {
                const obb b = obb4_get(&tree->bounds[i], k);
                const uint32_t count = count_below(&r, tree->nodes[i].child[k]);
                for (uint32_t j = at; j < at + count && status == TACT_OK; ++j)
                    if (!holds(&b, points, triangles[r.order[j]]))
                        status = tact_report_fill(report, TACT_BAD_ARGUMENT, "box %u of node %lu does not hold %lu", k,
                                                  (unsigned long)i, (unsigned long)r.order[j]);
                at += count;
            }
        }
    }
    tact_memory_give(&tree->allocator, r.begin, tree->node_count, sizeof *r.begin);
    tact_memory_give(&tree->allocator, r.counts, tree->node_count, sizeof *r.counts);
    tact_memory_give(&tree->allocator, r.order, tree->thing_count, sizeof *r.order);
    return status == TACT_OK ? tact_report_clear(report) : status;
}
