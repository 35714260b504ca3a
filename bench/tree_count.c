#include "tree_count.h"

#include <math.h>

#include "math/vec.h"
#include "tree/aabb_parts.h"

int tact_boxes_apart(const solid_box *a, const solid_box *b, box_axes axes)
{
    double r[3][3], size[3][3], t[3];
    tact_vec3 d = vec_sub(b->centre, a->centre);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            r[i][k] = vec_dot(a->axis[i], b->axis[k]);
            size[i][k] = fabs(r[i][k]);
        }
        t[i] = vec_dot(d, a->axis[i]);
    }
    for (int i = 0; i < 3; i++) {
        double reach = a->half[i] + size[i][0] * b->half[0] + size[i][1] * b->half[1] + size[i][2] * b->half[2];
        if (fabs(t[i]) > reach)
            return 1;
    }
    for (int k = 0; k < 3; k++) {
        double reach = b->half[k] + size[0][k] * a->half[0] + size[1][k] * a->half[1] + size[2][k] * a->half[2];
        if (fabs(vec_dot(d, b->axis[k])) > reach)
            return 1;
    }
    if (axes != BOX_ALL_AXES)
        return 0;
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            double reach = a->half[i1] * size[i2][k] + a->half[i2] * size[i1][k] + b->half[k1] * size[i][k2] +
                           b->half[k2] * size[i][k1];
            if (fabs(t[i2] * r[i1][k] - t[i1] * r[i2][k]) > reach)
                return 2;
        }
    }
    return 0;
}

static solid_box world_box(const tact_placement *at, tact_vec3 centre, const tact_vec3 axis[3], const double half[3])
{
    solid_box w = {.centre = vec_add(vec_map(at, centre), at->origin)};
    for (int i = 0; i < 3; i++) {
        w.axis[i] = vec_map(at, axis[i]);
        w.half[i] = half[i];
    }
    return w;
}

static solid_box aabb_solid(const counted_tree *tree, uint32_t place)
{
    static const tact_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const box b =
        place == AABB_ROOT ? tree->aabb->whole : box4_get(&tree->aabb->bounds[place / TREE_WIDTH], place % TREE_WIDTH);
    double half[3], middle[3];
    for (int i = 0; i < 3; i++) {
        half[i] = 0.5 * ((double)b.max[i] - (double)b.min[i]);
        middle[i] = 0.5 * ((double)b.max[i] + (double)b.min[i]);
    }
    return world_box(tree->at, vec_make(middle[0], middle[1], middle[2]), axes, half);
}

static solid_box obb_solid(const counted_tree *tree, uint32_t place)
{
    const obb b = obb4_get(&tree->obb->bounds[place / TREE_WIDTH], place % TREE_WIDTH);
    tact_vec3 axes[3];
    double half[3];
    for (int i = 0; i < 3; i++) {
        axes[i] = vec_make((double)b.axis[i][0], (double)b.axis[i][1], (double)b.axis[i][2]);
        half[i] = (double)b.half[i];
    }
    return world_box(tree->at, vec_make((double)b.centre[0], (double)b.centre[1], (double)b.centre[2]), axes, half);
}

static solid_box solid_at(const counted_tree *tree, uint32_t place)
{
    return tree->aabb ? aabb_solid(tree, place) : obb_solid(tree, place);
}

/* The sum of the half sides; of an axis-aligned box as seen along the axes of the other frame, as the library does. */
static double size_of_box(const counted_tree *tree, const solid_box *fixed, const solid_box *opened)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; tree->aabb && k < 3; k++)
            sum += fabs(vec_dot(opened->axis[i], fixed->axis[k])) * fixed->half[k];
        sum += tree->aabb ? 0.0 : fixed->half[i];
    }
    return sum;
}

static const tree_node *nodes_of(const counted_tree *tree) { return tree->aabb ? tree->aabb->nodes : tree->obb->nodes; }

bool tact_tree_count(const counted_tree *a, const counted_tree *b, box_axes axes, tree_visit_pair *visit, void *context,
                     tree_counts *counts)
{
    aabb_pair waiting[AABB_MOST_PAIRS];
    unsigned count = 0;
    if (a->aabb) {
        waiting[count++] = (aabb_pair){AABB_ROOT, AABB_ROOT, 0, 0, 1};
    } else {
        for (unsigned k = 0; k < TREE_WIDTH && nodes_of(a)[0].child[k] != TREE_NONE; ++k)
            waiting[count++] = (aabb_pair){k, TREE_NONE, nodes_of(a)[0].child[k], 0, 0};
    }
    while (count > 0) {
        const aabb_pair p = waiting[--count];
        const counted_tree *opened = p.open_a ? a : b, *other = p.open_a ? b : a;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        const solid_box fixed = solid_at(other, p.open_a ? p.b : p.a);
        const tree_node *children = &nodes_of(opened)[node];
        unsigned meet = 0, larger = 0;
        for (unsigned k = 0; k < TREE_WIDTH && children->child[k] != TREE_NONE; ++k) {
            const solid_box child = solid_at(opened, TREE_WIDTH * node + k);
            int apart = tact_boxes_apart(&child, &fixed, axes);
            counts->tested++;
            counts->overlap += apart == 0;
            counts->by_faces += apart == 1;
            counts->by_edges += apart == 2;
            if (apart != 0)
                continue;
            meet |= 1u << k;
            double size = child.half[0] + child.half[1] + child.half[2];
            if (size > size_of_box(opened, &fixed, &child))
                larger |= 1u << k;
            counts->things += tree_is_leaf(children->child[k]) && tree_is_leaf(p.open_a ? p.child_b : p.child_a);
        }
        if (meet != 0 && !aabb_take_children(&p, children, meet, larger, NULL, waiting, &count, visit, context))
            return false;
    }
    return true;
}
