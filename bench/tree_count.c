/* Traversals of two trees that count box tests. See tree_count.h. */
#include "tree_count.h"

#include <math.h>

#include "math/vec.h"
#include "tree/aabb_internal.h"
#include "tree/obb_overlay_internal.h"

int tact_oriented_boxes_separated(const oriented_box *a, const oriented_box *b, sat_axes axes)
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
        double extent = a->half[i] + size[i][0] * b->half[0] + size[i][1] * b->half[1] + size[i][2] * b->half[2];
        if (fabs(t[i]) > extent)
            return 1;
    }
    for (int k = 0; k < 3; k++) {
        double extent = b->half[k] + size[0][k] * a->half[0] + size[1][k] * a->half[1] + size[2][k] * a->half[2];
        if (fabs(vec_dot(d, b->axis[k])) > extent)
            return 1;
    }
    if (axes != SAT_ALL_AXES)
        return 0;
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            double extent = a->half[i1] * size[i2][k] + a->half[i2] * size[i1][k] + b->half[k1] * size[i][k2] +
                            b->half[k2] * size[i][k1];
            if (fabs(t[i2] * r[i1][k] - t[i1] * r[i2][k]) > extent)
                return 2;
        }
    }
    return 0;
}

/* Counts four children tested at once; bit masks of the used slots, of those no face normal separates, and of the
 * overlapping. */
static void add(tree_counts *counts, const tree_node *children, unsigned used, unsigned no_face, unsigned overlap,
                bool both_leaves)
{
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        const unsigned bit = 1u << k;
        counts->tested += (used & bit) != 0;
        counts->by_faces += (used & ~no_face & bit) != 0;
        counts->by_edges += (no_face & ~overlap & bit) != 0;
        counts->overlap += (overlap & bit) != 0;
        counts->items += (overlap & bit) != 0 && both_leaves && tree_is_leaf(children->child[k]);
    }
}

static bool count_aabb(const counted_tree *a, const counted_tree *b, sat_axes axes, tree_visit_pair *visit,
                       void *context, tree_counts *counts)
{
    aabb_pair stack[AABB_PAIR_STACK];
    unsigned count = 1;
    sat_frames frames;
    tact_sat_frames_make(a->at, &a->aabb->root_box, b->at, &b->aabb->root_box, SAT_ALL_AXES, &frames);
    stack[0] = (aabb_pair){AABB_ROOT_SLOT, AABB_ROOT_SLOT, 0, 0, 1};
    while (count > 0) {
        const aabb_pair p = stack[--count];
        const aabb_tree *opened = p.open_a ? a->aabb : b->aabb;
        const sat_frame *frame = p.open_a ? &frames.ab : &frames.ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b;
        __m128 min, max;
        aabb_load_slot(p.open_a ? b->aabb : a->aabb, p.open_a ? p.slot_b : p.slot_a, &min, &max);
        const transformed_box fixed = transformed_box_make(frame, min, max);
        const box4 *four = &opened->bounds[node];
        const tree_node *children = &opened->nodes[node];
        const unsigned used = aabb_used_slots(children), no_face = sat4(frame, &fixed, four, SAT_FACE_AXES) & used,
                       overlap = axes == SAT_FACE_AXES ? no_face : sat4(frame, &fixed, four, axes) & used;
        add(counts, children, used, no_face, overlap, tree_is_leaf(p.open_a ? p.child_b : p.child_a));
        if (overlap != 0 && !aabb_push_children(&p, children, overlap, aabb_larger(four, transformed_box_size(&fixed)),
                                                NULL, stack, &count, visit, context))
            return false;
    }
    return true;
}

static bool count_obb(const counted_tree *a, const counted_tree *b, sat_axes axes, tree_visit_pair *visit,
                      void *context, tree_counts *counts)
{
    aabb_pair stack[AABB_PAIR_STACK];
    unsigned count = 0;
    obb_sat_frames frames;
    tact_obb_sat_frames_make(a->at, &a->obb->root_box, b->at, &b->obb->root_box, &frames);
    for (unsigned k = 0; k < TREE_WIDTH && a->obb->nodes[0].child[k] != TREE_NONE; ++k)
        stack[count++] = (aabb_pair){k, TREE_NONE, a->obb->nodes[0].child[k], 0, 0};
    while (count > 0) {
        const aabb_pair p = stack[--count];
        const obb_tree *opened = p.open_a ? a->obb : b->obb, *other = p.open_a ? b->obb : a->obb;
        const obb_sat_frame *frame = p.open_a ? &frames.ab : &frames.ba;
        const uint32_t node = p.open_a ? p.child_a : p.child_b, slot = p.open_a ? p.slot_b : p.slot_a;
        const transformed_obb fixed = transformed_obb_make(frame, &other->bounds[slot / TREE_WIDTH], slot % TREE_WIDTH);
        const obb4 *four = &opened->bounds[node];
        const tree_node *children = &opened->nodes[node];
        const unsigned used = aabb_used_slots(children), no_face = obb_sat4(frame, &fixed, four, SAT_FACE_AXES) & used,
                       overlap = axes == SAT_FACE_AXES ? no_face : obb_sat4(frame, &fixed, four, axes) & used;
        add(counts, children, used, no_face, overlap, tree_is_leaf(p.open_a ? p.child_b : p.child_a));
        if (overlap != 0 && !aabb_push_children(&p, children, overlap, obb_overlay_larger(four, &fixed), NULL, stack,
                                                &count, visit, context))
            return false;
    }
    return true;
}

bool tact_tree_count(const counted_tree *a, const counted_tree *b, sat_axes axes, tree_visit_pair *visit, void *context,
                     tree_counts *counts)
{
    return a->aabb ? count_aabb(a, b, axes, visit, context, counts) : count_obb(a, b, axes, visit, context, counts);
}
