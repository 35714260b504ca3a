/*
 * OBB trees. See obb_tree.h.
 *
 * Guarantees: every triangle is inside all boxes above it, rounding error included; no pair of overlapping transformed
 * triangles is missed; queries do not allocate. Departures from the paper: the topology is that of the AABB builder
 * (fast, and it splits the longest axis as the paper does); nodes have four children; boxes are fitted to all triangles
 * below and not to the boxes of the children.
 */
#include "obb_tree.h"

#include <string.h>

#include "bounds/obb4.h"
#include "core/memory.h"
#include "core/report.h"
#include "support/obb_inspect.h"
#include "tree/aabb_internal.h"
#include "tree/obb_fitter.h"

tact_status tact_obb_tree_build_on(obb_tree *tree, const aabb_tree *flat, const tact_vec3 *points,
                                   const uint32_t (*triangles)[3], const tact_allocator *allocator)
{
    if (tree == NULL)
        return TACT_BAD_ARGUMENT;
    memset(tree, 0, sizeof *tree);
    tree->root_box = box_empty();
    if (allocator == NULL || flat == NULL || (flat->item_count > 0 && (points == NULL || triangles == NULL)))
        return TACT_BAD_ARGUMENT;
    tree->allocator = *allocator;
    if (flat->node_count == 0)
        return TACT_OK;
    const uint32_t nodes = flat->node_count;
    obb_fitter fit;
    tact_status status = tact_obb_fitter_init(&fit, flat, points, triangles, allocator);
    if (status != TACT_OK)
        return status;
    tree->node_capacity = nodes;
    tree->bounds = tact_memory_allocate(allocator, nodes, sizeof *tree->bounds);
    tree->nodes = tact_memory_allocate(allocator, nodes, sizeof *tree->nodes);
    if (tree->bounds != NULL && tree->nodes != NULL) {
        memcpy(tree->nodes, flat->nodes, nodes * sizeof *tree->nodes);
        tree->node_count = nodes;
        tree->item_count = flat->item_count;
        tree->root_box = flat->root_box;
        for (uint32_t i = 0; i < nodes; ++i)
            tact_obb_fitter_children(&fit, i, &tree->bounds[i]);
    } else {
        status = TACT_OUT_OF_MEMORY;
        tact_obb_tree_release(tree);
    }
    tact_obb_fitter_release(&fit);
    return status;
}

tact_status tact_obb_tree_build(obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3], size_t count,
                                const tact_allocator *allocator)
{
    if (tree == NULL)
        return TACT_BAD_ARGUMENT;
    memset(tree, 0, sizeof *tree);
    tree->root_box = box_empty();
    if (allocator == NULL || count > TREE_MAX_ITEMS || (count > 0 && (points == NULL || triangles == NULL)))
        return TACT_BAD_ARGUMENT;
    tree->allocator = *allocator;
    if (count == 0)
        return TACT_OK;
    box *boxes = tact_memory_allocate(allocator, count, sizeof *boxes);
    if (boxes == NULL)
        return TACT_OUT_OF_MEMORY;
    tact_boxes_of_triangles(points, triangles, count, boxes);
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = *allocator;
    aabb_tree flat;
    tact_status status = tact_aabb_tree_build(&flat, boxes, count, &def);
    tact_memory_free(allocator, boxes, count, sizeof *boxes);
    if (status == TACT_OK)
        status = tact_obb_tree_build_on(tree, &flat, points, triangles, allocator);
    tact_aabb_tree_release(&flat);
    return status;
}

void tact_obb_tree_release(obb_tree *tree)
{
    const tact_allocator allocator = tree->allocator;
    tact_memory_free(&allocator, tree->nodes, tree->node_capacity, sizeof *tree->nodes);
    tact_memory_free(&allocator, tree->bounds, tree->node_capacity, sizeof *tree->bounds);
    memset(tree, 0, sizeof *tree);
    tree->root_box = box_empty();
    tree->allocator = allocator;
}

TACT_FORCE_INLINE bool transformed_pairs(const obb_tree *a, const obb_tree *b, const obb_sat_frames *frames,
                                         sat_axes axes, tree_order order, tree_visit_pair *visit, void *context)
{
    aabb_pair stack[AABB_PAIR_STACK];
    unsigned count = 0;
    /* the roots have no boxes: each child of A's root against the children of B's root */
    for (unsigned k = 0; k < TREE_WIDTH && a->nodes[0].child[k] != TREE_NONE; ++k)
        stack[count++] = (aabb_pair){k, TREE_NONE, a->nodes[0].child[k], 0, 0};
    while (count > 0) {
        const aabb_pair p = stack[--count];
        const obb_tree *opened = p.open_a ? a : b, *other = p.open_a ? b : a;
        const obb_sat_frame *frame = p.open_a ? &frames->ab : &frames->ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b, slot = p.open_a ? p.slot_b : p.slot_a;
        const transformed_obb fixed = transformed_obb_make(frame, &other->bounds[slot / TREE_WIDTH], slot % TREE_WIDTH);
        const obb4 *four = &opened->bounds[node];
        const tree_node *children = &opened->nodes[node];
        const unsigned overlap = obb_sat4(frame, &fixed, four, axes) & aabb_used_slots(children);
        if (overlap == 0)
            continue;
        const __m128 size = _mm_add_ps(_mm_add_ps(_mm_loadu_ps(four->half[0]), _mm_loadu_ps(four->half[1])),
                                       _mm_loadu_ps(four->half[2]));
        const unsigned larger = (unsigned)_mm_movemask_ps(_mm_cmpgt_ps(size, _mm_set1_ps(fixed.size)));
        float key[TREE_WIDTH];
        if (order == TREE_NEAREST_CENTRES_FIRST)
            obb4_centre_distances(four, fixed.centre, key);
        if (!aabb_push_children(&p, children, overlap, larger, order == TREE_NEAREST_CENTRES_FIRST ? key : NULL, stack,
                                &count, visit, context))
            return false;
    }
    return true;
}

bool tact_obb_tree_pairs(const obb_tree *a, const tact_transform *transform_a, const obb_tree *b,
                         const tact_transform *transform_b, sat_axes axes, tree_order order, tree_visit_pair *visit,
                         void *context)
{
    if (a->node_count == 0 || b->node_count == 0)
        return true;
    obb_sat_frames frames;
    tact_obb_sat_frames_make(transform_a, &a->root_box, transform_b, &b->root_box, &frames);
    /* four specialised loops */
    if (axes == SAT_ALL_AXES)
        return order == TREE_NEAREST_CENTRES_FIRST
                   ? transformed_pairs(a, b, &frames, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST, visit, context)
                   : transformed_pairs(a, b, &frames, SAT_ALL_AXES, TREE_ANY_ORDER, visit, context);
    return order == TREE_NEAREST_CENTRES_FIRST
               ? transformed_pairs(a, b, &frames, SAT_FACE_AXES, TREE_NEAREST_CENTRES_FIRST, visit, context)
               : transformed_pairs(a, b, &frames, SAT_FACE_AXES, TREE_ANY_ORDER, visit, context);
}

static bool contains(const obb *b, const tact_vec3 *points, const uint32_t triangle[3])
{
    return obb_contains(b, points[triangle[0]]) && obb_contains(b, points[triangle[1]]) &&
           obb_contains(b, points[triangle[2]]);
}

/* Is every triangle inside the boxes of its ancestors? */
static tact_status check_boxes(const obb_tree *tree, const obb_fitter *fit, tact_report *report)
{
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        uint32_t at = fit->leaf_begin[i];
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            const obb b = obb4_get(&tree->bounds[i], k);
            const uint32_t count = tact_obb_fitter_count(fit, tree->nodes[i].child[k]);
            for (uint32_t j = at; j < at + count; ++j)
                if (!contains(&b, fit->points, fit->triangles[fit->triangle_order[j]]))
                    return tact_report_fill(report, TACT_BAD_ARGUMENT,
                                            "box %u of node %lu does not contain triangle %lu", k, (unsigned long)i,
                                            (unsigned long)fit->triangle_order[j]);
            at += count;
        }
    }
    return tact_report_clear(report);
}

tact_status tact_obb_tree_check(const obb_tree *tree, const tact_vec3 *points, const uint32_t (*triangles)[3],
                                tact_report *report)
{
    if (tree->node_count == 0)
        return tree->item_count == 0 ? tact_report_clear(report)
                                     : tact_report_fill(report, TACT_BAD_ARGUMENT, "items without nodes");
    tact_status status =
        tact_tree_check_links(tree->nodes, tree->node_count, tree->item_count, &tree->allocator, report);
    if (status != TACT_OK)
        return status;
    const aabb_tree links = {.item_count = tree->item_count,
                             .node_count = tree->node_count,
                             .nodes = tree->nodes,
                             .root_box = tree->root_box};
    obb_fitter fit;
    status = tact_obb_fitter_init(&fit, &links, points, triangles, &tree->allocator);
    if (status != TACT_OK)
        return tact_report_fill(report, status, "out of memory");
    status = check_boxes(tree, &fit, report);
    tact_obb_fitter_release(&fit);
    return status;
}
