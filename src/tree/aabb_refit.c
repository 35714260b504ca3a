/*
 * Keeping a tree of boxes around things that change: refitting, and how worn it is.
 *
 * Guarantees: after a refit every box is the smallest around what is below it, as after a build (box floats: unions do
 * not round). One sweep over the nodes from the last to the first, since children lie after parents (van den Bergen's
 * thesis, section 5.2.5): some 10 ns a thing. The partial refit goes up from each thing until a box stays as it is;
 * the boxes above are then right, too, whatever the order of things.
 */
#include <string.h>

#include "tree/aabb_tree.h"

static box box_of_child(const aabb_tree *tree, uint32_t child, const box *boxes)
{
    return tree_is_leaf(child) ? boxes[tree_thing(child)] : box4_unite(&tree->bounds[child]);
}

void tact_aabb_tree_refit(aabb_tree *tree, const box *boxes)
{
    if (tree->node_count == 0)
        return;
    for (uint32_t i = tree->node_count; i-- > 0;) {
        const tree_node *node = &tree->nodes[i];
        box4 *bounds = &tree->bounds[i];
        for (unsigned k = 0; k < TREE_WIDTH && node->child[k] != TREE_NONE; ++k) {
            box b = box_of_child(tree, node->child[k], boxes);
            box4_set(bounds, k, &b);
        }
    }
    tree->whole = box4_unite(&tree->bounds[0]);
}

tact_status tact_aabb_tree_refit_range(aabb_tree *tree, const box *boxes, uint32_t first, uint32_t count)
{
    if (first > tree->thing_count || count > tree->thing_count - first)
        return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    if (tree->homes == NULL || boxes == NULL)
        return TACT_BAD_ARGUMENT;
    for (uint32_t thing = first; thing < first + count; ++thing) {
        uint32_t place = tree->homes[thing];
        box b = boxes[thing];
        for (;;) {
            box4 *bounds = &tree->bounds[place / TREE_WIDTH];
            box before = box4_get(bounds, place % TREE_WIDTH);
            if (memcmp(&before, &b, sizeof b) == 0)
                break;
            box4_set(bounds, place % TREE_WIDTH, &b);
            b = box4_unite(bounds);
            place = tree->parents[place / TREE_WIDTH];
            if (place == TREE_NONE) {
                tree->whole = b;
                break;
            }
        }
    }
    return TACT_OK;
}

/* Half the area, in doubles: no sum or product of floats overflows. 0 for the empty box. */
static double half_area(const box *b)
{
    if (box_is_empty(b))
        return 0.0;
    double x = (double)b->max[0] - (double)b->min[0], y = (double)b->max[1] - (double)b->min[1],
           z = (double)b->max[2] - (double)b->min[2];
    return x * y + y * z + z * x;
}

double tact_aabb_tree_cost(const aabb_tree *tree)
{
    double sum = 0.0, whole = half_area(&tree->whole);
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        const box4 *b = &tree->bounds[i];
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            box one = box4_get(b, k);
            sum += half_area(&one);
        }
    }
    return whole > 0.0 && whole < INFINITY && sum < INFINITY ? sum / whole : 1.0;
}
