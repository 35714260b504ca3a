#include "oracle/overlay_check.h"

#include <stdlib.h>

#include "support/obb_inspect.h"

typedef struct overlay_validation {
    const obb_overlay *overlay;
    const aabb_tree *tree;
    const tact_vec3 *points;
    const uint32_t (*triangles)[3];
    uint32_t *overlay_node; /* by node of the tree: its overlay node, 0 for a leaf node */
    const char *why;
} overlay_validation;

static bool is_leaf_node(const tree_node *node)
{
    for (unsigned k = 0; k < TREE_WIDTH; ++k)
        if (!tree_is_leaf(node->child[k])) /* also TREE_NONE */
            return false;
    return true;
}

/* Whether the box contains all triangles below a child; adds their number to `count`. */
static bool contains_triangles(const overlay_validation *v, const obb *b, uint32_t child, size_t *count)
{
    if (child == TREE_NONE)
        return true;
    if (tree_is_leaf(child)) {
        const uint32_t *triangle = v->triangles[tree_item(child)];
        ++*count;
        return obb_contains(b, v->points[triangle[0]]) && obb_contains(b, v->points[triangle[1]]) &&
               obb_contains(b, v->points[triangle[2]]);
    }
    for (unsigned k = 0; k < TREE_WIDTH; ++k)
        if (!contains_triangles(v, b, v->tree->nodes[child].child[k], count))
            return false;
    return true;
}

/* Whether child k of an overlay node is `child` of the tree; returns the number of triangles below in `count`. */
static bool check_child(overlay_validation *v, uint32_t overlay_node, unsigned k, uint32_t child, size_t *count)
{
    const obb_overlay_node *node = &v->overlay->nodes[overlay_node];
    const obb b = obb4_get(&node->bounds, k);
    const uint32_t expected = tree_is_leaf(child)           ? child
                              : v->overlay_node[child] == 0 ? OBB_OVERLAY_LEAF_NODE | child
                                                            : v->overlay_node[child];
    *count = 0;
    if (!contains_triangles(v, &b, child, count))
        v->why = "an oriented box does not contain its triangles";
    else if (node->child[k] != expected)
        v->why = "a child of the overlay is not that of the tree";
    return v->why == NULL;
}

static void check(overlay_validation *v)
{
    uint32_t count = 1;
    size_t all, below;
    for (uint32_t i = 0; i < v->tree->node_count; ++i)
        v->overlay_node[i] = is_leaf_node(&v->tree->nodes[i]) ? 0 : count++;
    if (count != v->overlay->node_count) {
        v->why = "the overlay has not one node for each inner node of the tree";
        return;
    }
    if (check_child(v, 0, 0, 0, &all) && all != v->tree->item_count)
        v->why = "not all triangles are below the root";
    for (uint32_t i = 0; i < v->tree->node_count; ++i)
        for (unsigned k = 0; v->why == NULL && v->overlay_node[i] != 0 && k < TREE_WIDTH; ++k)
            (void)check_child(v, v->overlay_node[i], k, v->tree->nodes[i].child[k], &below);
}

bool tact_obb_overlay_check(const obb_overlay *overlay, const aabb_tree *tree, const tact_vec3 *points,
                            const uint32_t (*triangles)[3], const char **why)
{
    overlay_validation v = {.overlay = overlay, .tree = tree, .points = points, .triangles = triangles};
    if ((tree->node_count == 0) != (overlay->node_count == 0)) {
        v.why = "a tree without an overlay, or an overlay without a tree";
    } else if (tree->node_count > 0) {
        v.overlay_node = malloc(tree->node_count * sizeof *v.overlay_node);
        if (v.overlay_node == NULL)
            v.why = "out of memory";
        else
            check(&v);
        free(v.overlay_node);
    }
    if (why != NULL && v.why != NULL)
        *why = v.why;
    return v.why == NULL;
}
