/*
 * Oriented boxes on top of a tree of axis-aligned ones. See obb_cover.h.
 *
 * Guarantees: every triangle is inside all boxes above it, rounding included; no pair of placed triangles that meet is
 * missed; no allocation in queries. Of two groups the one with the larger box is opened, its four boxes against that of
 * the other; where both have come to the bottom, the boxes of the triangles of each are compared with the box around
 * the oriented one of the other, along the axes of their own tree alone: a few operations for four, and of 7 pairs one
 * is left. (Two tori of 5,000 triangles, 61 % touching: 25 steps.)
 */
#include "tree/obb_cover.h"

#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "tree/obb_fit.h"
#include "tree/obb_internal.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

static bool is_bottom(const tree_node *node)
{
    for (unsigned k = 0; k < TREE_WIDTH; ++k)
        if (!tree_is_leaf(node->child[k])) /* TREE_NONE looks like a leaf */
            return false;
    return true;
}

static uint32_t code_of(const aabb_tree *tree, const uint32_t *group_of, uint32_t child)
{
    if (tree_is_leaf(child))
        return child;
    return is_bottom(&tree->nodes[child]) ? COVER_BOTTOM | child : group_of[child];
}

/* Gives every node that has nodes below it a group; the others have 0. Returns how many groups there are. */
static uint32_t number_groups(const aabb_tree *tree, uint32_t *group_of)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        group_of[i] = is_bottom(&tree->nodes[i]) ? 0 : count++;
    return count;
}

tact_status tact_obb_cover_build(obb_cover *cover, const aabb_tree *tree, const tact_vec3 *points,
                                 const uint32_t (*triangles)[3], const tact_allocator *allocator)
{
    memset(cover, 0, sizeof *cover);
    cover->allocator = *allocator;
    cover->points = points;
    if (tree->node_count == 0)
        return TACT_OK;
    obb_fit fit;
    tact_status status = tact_obb_fit_begin(&fit, tree, points, triangles, allocator);
    if (status != TACT_OK)
        return status;
    uint32_t *group_of = tact_memory_allocate(allocator, tree->node_count, sizeof *group_of);
    const uint32_t count = group_of != NULL ? number_groups(tree, group_of) : 0;
    if (group_of != NULL)
        cover->groups = tact_memory_allocate(allocator, count, sizeof *cover->groups);
    if (cover->groups != NULL) {
        const obb all = tact_obb_fit_all(&fit);
        cover->group_count = count;
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            obb4_set(&cover->groups[0].boxes, k, &all);
            cover->groups[0].child[k] = k == 0 ? code_of(tree, group_of, 0) : TREE_NONE;
        }
        for (uint32_t i = 0; i < tree->node_count; ++i) {
            cover_group *group = &cover->groups[group_of[i]];
            if (group_of[i] == 0)
                continue;
            tact_obb_fit_children(&fit, i, &group->boxes);
            for (unsigned k = 0; k < TREE_WIDTH; ++k)
                group->child[k] = code_of(tree, group_of, tree->nodes[i].child[k]);
        }
    } else {
        status = TACT_OUT_OF_MEMORY;
    }
    tact_memory_free(allocator, group_of, tree->node_count, sizeof *group_of);
    tact_obb_fit_end(&fit);
    return status;
}

void tact_obb_cover_release(obb_cover *cover)
{
    tact_memory_free(&cover->allocator, cover->groups, cover->group_count, sizeof *cover->groups);
    cover->groups = NULL;
    cover->group_count = 0;
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

typedef struct checking {
    const obb_cover *cover;
    const obb_fit *fit;
    const uint32_t *group_of;
} checking;

/* Whether the box at `place` is that of a child, below which the first triangle is `at`. */
static bool check_child(const checking *c, uint32_t place, uint32_t child, uint32_t at)
{
    const cover_group *group = &c->cover->groups[place / TREE_WIDTH];
    const obb b = obb4_get(&group->boxes, place % TREE_WIDTH);
    const uint32_t count = tact_obb_fit_count(c->fit, child);
    for (uint32_t j = at; j < at + count; ++j)
        for (int k = 0; k < 3; ++k)
            if (!tact_obb_contains(&b, c->fit->points[c->fit->triangles[c->fit->order[j]][k]]))
                return false;
    return group->child[place % TREE_WIDTH] == code_of(c->fit->flat, c->group_of, child);
}

tact_status tact_obb_cover_check(const obb_cover *cover, const aabb_tree *tree, const tact_vec3 *points,
                                 const uint32_t (*triangles)[3], tact_report *report)
{
    if (tree->node_count == 0 || cover->group_count == 0)
        return tree->node_count == 0 && cover->group_count == 0
                   ? tact_report_clear(report)
                   : tact_report_fill(report, TACT_BAD_ARGUMENT, "a tree without a cover, or the other way round");
    obb_fit fit;
    uint32_t *group_of = tact_memory_allocate(&cover->allocator, tree->node_count, sizeof *group_of);
    tact_status status =
        group_of == NULL ? TACT_OUT_OF_MEMORY : tact_obb_fit_begin(&fit, tree, points, triangles, &cover->allocator);
    if (status != TACT_OK) {
        tact_memory_free(&cover->allocator, group_of, tree->node_count, sizeof *group_of);
        return tact_report_fill(report, status, "no memory to check with");
    }
    const checking c = {cover, &fit, group_of};
    bool good = number_groups(tree, group_of) == cover->group_count && check_child(&c, 0, 0, 0);
    for (uint32_t i = 0; good && i < tree->node_count; ++i) {
        uint32_t at = fit.begin[i];
        for (unsigned k = 0; good && group_of[i] != 0 && k < TREE_WIDTH; ++k) {
            good = check_child(&c, TREE_WIDTH * group_of[i] + k, tree->nodes[i].child[k], at);
            at += tact_obb_fit_count(&fit, tree->nodes[i].child[k]);
        }
    }
    tact_obb_fit_end(&fit);
    tact_memory_free(&cover->allocator, group_of, tree->node_count, sizeof *group_of);
    return good ? tact_report_clear(report)
                : tact_report_fill(report, TACT_BAD_ARGUMENT, "a box is not around what is below it");
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

/* The items of a node at the bottom that may meet the box at `place` of the other; or the one item. */
static unsigned items_near(const obb_sight *sight, const aabb_tree *tree, uint32_t code, const obb_cover *other,
                           uint32_t place, uint32_t items[TREE_WIDTH])
{
    if (tree_is_leaf(code)) {
        items[0] = tree_thing(code);
        return 1;
    }
    const fixed_obb f = cover_fixed(sight, other, place);
    const uint32_t node = code & ~COVER_BOTTOM;
    const box4 *four = &tree->bounds[node];
    const simde__m128 spare = simde_mm_set1_ps(sight->spare), extent = cover_extent(sight, &f),
                      low = simde_mm_sub_ps(f.middle, extent), high = simde_mm_add_ps(f.middle, extent);
    simde__m128 c[3], h[3], apart = simde_mm_setzero_ps();
    cover_halves(four, c, h);
    /* "apart" is what is asked for, so that NaN is not */
#define OWN_FACE(i)                                                                                                    \
    apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(simde_mm_loadu_ps(four->min[i]), SPREAD(high, i)));                \
    apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(SPREAD(low, i), simde_mm_loadu_ps(four->max[i])))
    OWN_FACE(0);
    OWN_FACE(1);
    OWN_FACE(2);
#undef OWN_FACE
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        const simde__m128 x = SPREAD(f.normal[k], 0), y = SPREAD(f.normal[k], 1), z = SPREAD(f.normal[k], 2);
        const simde__m128 distance = simde_mm_add_ps(dot4(c, x, y, z), simde_mm_set1_ps(f.offset[k]));
        const simde__m128 reach = simde_mm_add_ps(simde_mm_add_ps(simde_mm_set1_ps(f.half[k]), spare),
                                                  dot4(h, size_of(x), size_of(y), size_of(z)));
        apart = simde_mm_or_ps(apart, simde_mm_cmpgt_ps(size_of(distance), reach));
    }
    const unsigned meet = ~(unsigned)simde_mm_movemask_ps(apart) & aabb_taken(&tree->nodes[node]);
    unsigned count = 0;
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        items[count] = tree_thing(tree->nodes[node].child[k]);
        count += meet >> k & 1;
    }
    return count;
}

static bool visit_bottom(const covered *a, const covered *b, const obb_sights *sights, const cover_pair *p,
                         tree_visit_pair *visit, void *context)
{
    uint32_t of_a[TREE_WIDTH + 1], of_b[TREE_WIDTH + 1];
    const unsigned count_a = items_near(&sights->ab, a->tree, p->code_a, b->cover, p->b, of_a);
    if (count_a == 0)
        return true;
    const unsigned count_b = items_near(&sights->ba, b->tree, p->code_b, a->cover, p->a, of_b);
    for (unsigned i = 0; i < count_a; ++i)
        for (unsigned j = 0; j < count_b; ++j)
            if (!visit(context, of_a[i], of_b[j]))
                return false;
    return true;
}

TACT_FORCE_INLINE bool covered_pairs(const covered *a, const covered *b, const obb_sights *sights, box_axes axes,
                                     tree_order order, tree_visit_pair *visit, void *context)
{
    cover_pair waiting[AABB_MOST_PAIRS];
    unsigned count = 1;
    waiting[0] = cover_pair_first(a->cover, b->cover);
    while (count > 0) {
        const cover_pair p = waiting[--count];
        if (!cover_is_group(p.code_a) && !cover_is_group(p.code_b)) {
            if (!visit_bottom(a, b, sights, &p, visit, context))
                return false;
            continue;
        }
        const bool open_a = cover_opens_a(&p);
        const obb_sight *sight = open_a ? &sights->ab : &sights->ba;
        const fixed_obb fixed = cover_fixed(sight, (open_a ? b : a)->cover, open_a ? p.b : p.a);
        const cover_group *opened = &(open_a ? a : b)->cover->groups[open_a ? p.code_a : p.code_b];
        const unsigned meet = obb_sat4(sight, &fixed, &opened->boxes, axes) & cover_taken(opened);
        if (meet == 0)
            continue;
        const unsigned larger = cover_larger(&opened->boxes, &fixed);
        unsigned turn[TREE_WIDTH], found = 0;
        if (order == TREE_DEEPEST_FIRST) {
            float key[TREE_WIDTH];
            obb_middle_distances(&opened->boxes, fixed.middle, key);
            found = aabb_order(meet, key, turn);
        } else {
            for (unsigned k = TREE_WIDTH; k-- > 0;) {
                turn[found] = k;
                found += meet >> k & 1;
            }
        }
        assert(count + found <= AABB_MOST_PAIRS);
        for (unsigned j = 0; j < found; ++j)
            waiting[count++] = cover_pair_below(&p, open_a, opened->child, turn[j], larger);
    }
    return true;
}

bool tact_obb_cover_pairs(const covered *a, const covered *b, box_axes axes, tree_order order, tree_visit_pair *visit,
                          void *context)
{
    if (a->cover->group_count == 0 || b->cover->group_count == 0)
        return true;
    obb_sights sights;
    tact_obb_sights(a->at, &a->tree->whole, b->at, &b->tree->whole, &sights);
    /* four loops, each without the questions of the others */
    if (axes == BOX_ALL_AXES)
        return order == TREE_DEEPEST_FIRST
                   ? covered_pairs(a, b, &sights, BOX_ALL_AXES, TREE_DEEPEST_FIRST, visit, context)
                   : covered_pairs(a, b, &sights, BOX_ALL_AXES, TREE_ANY_ORDER, visit, context);
    return order == TREE_DEEPEST_FIRST ? covered_pairs(a, b, &sights, BOX_FACES, TREE_DEEPEST_FIRST, visit, context)
                                       : covered_pairs(a, b, &sights, BOX_FACES, TREE_ANY_ORDER, visit, context);
}
