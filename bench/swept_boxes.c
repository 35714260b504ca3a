/*
 * Contacts of a step by a tree of swept boxes. See swept_boxes.h.
 *
 * The tree is the library's AABB tree (four boxes per test, built with the surface area heuristic), over boxes around
 * both ends of the motion of each triangle. A search starts at the root, so it passes all pairs of nodes above
 * neighbouring triangles, in every step. Otherwise this is no weaker than necessary: each feature is assigned to one
 * triangle, pairs of features are culled by their swept boxes, and the exact tests are the library's, with its block
 * filter.
 */
#include "swept_boxes.h"

#include <stdlib.h>
#include <string.h>

#include "stopwatch.h"
#include "sweep/sweep_internal.h"
#include "tree/aabb_internal.h"
#include "tree/aabb_tree.h"

struct swept_boxes {
    size_t vertex_count, triangle_count;
    uint32_t (*items)[4]; /* vertices and assigned features, as in a mesh sweep */
    box *vertex_boxes, *boxes;
    aabb_tree tree;
    /* during a search: */
    const tact_vec3 *start, *end;
    sweep_block blocks[2];
    tact_ccd_def def;
    void (*receive)(void *context, const sweep_contact *contact);
    void *context;
    swept_boxes_cost *cost;
};

/* The smallest boxes around both ends of the motion of each vertex, and of each triangle. */
static void find_boxes(swept_boxes *s, const tact_vec3 *start, const tact_vec3 *end)
{
    for (size_t i = 0; i < s->vertex_count; i++) {
        const tact_vec3 a = start[i], b = end[i];
        const double low[3] = {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
        const double high[3] = {a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y, a.z < b.z ? b.z : a.z};
        for (int k = 0; k < 3; k++) {
            /* rounded outward by more than half a unit of the last place; coordinates are far from overflow */
            s->vertex_boxes[i].min[k] = (float)(low[k] - fabs(low[k]) * 0x1p-23 - 0x1p-100);
            s->vertex_boxes[i].max[k] = (float)(high[k] + fabs(high[k]) * 0x1p-23 + 0x1p-100);
        }
    }
    for (size_t i = 0; i < s->triangle_count; i++) {
        const box two = box_union(&s->vertex_boxes[s->items[i][0]], &s->vertex_boxes[s->items[i][1]]);
        s->boxes[i] = box_union(&two, &s->vertex_boxes[s->items[i][2]]);
    }
}

void tact_swept_boxes_release(swept_boxes *s)
{
    if (s == NULL)
        return;
    tact_aabb_tree_release(&s->tree);
    free(s->items);
    free(s->vertex_boxes);
    free(s->boxes);
    free(s);
}

static bool assign(swept_boxes *s, const uint32_t (*triangles)[3])
{
    const tact_allocator allocator = {NULL, NULL};
    const uint32_t items = (uint32_t)s->triangle_count, vertices = (uint32_t)s->vertex_count;
    feature_assignment_scratch scratch;
    if (!tact_feature_assignment_scratch_allocate(&scratch, items, vertices, &allocator))
        return false;
    for (size_t i = 0; i < s->triangle_count; i++) {
        memcpy(s->items[i], triangles[i], sizeof triangles[i]);
        s->items[i][3] = SWEEP_ITEM_FACE;
    }
    tact_assign_features(s->items, items, vertices, &scratch);
    tact_feature_assignment_scratch_free(&scratch, &allocator);
    return true;
}

static bool build(swept_boxes *s, const tact_vec3 *vertices)
{
    const aabb_tree_def def = aabb_tree_def_default();
    tact_aabb_tree_release(&s->tree);
    find_boxes(s, vertices, vertices);
    return tact_aabb_tree_build(&s->tree, s->boxes, s->triangle_count, &def) == TACT_OK;
}

swept_boxes *tact_swept_boxes_create(const uint32_t (*triangles)[3], size_t triangle_count, const tact_vec3 *vertices,
                                     size_t vertex_count)
{
    swept_boxes *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->triangle_count = triangle_count;
    s->vertex_count = vertex_count;
    s->items = malloc((triangle_count + 1) * sizeof *s->items);
    s->vertex_boxes = malloc((vertex_count + 1) * sizeof *s->vertex_boxes);
    s->boxes = malloc((triangle_count + 1) * sizeof *s->boxes);
    s->def = tact_ccd_def_default();
    if (s->items != NULL && s->vertex_boxes != NULL && s->boxes != NULL && assign(s, triangles) && build(s, vertices))
        return s;
    tact_swept_boxes_release(s);
    return NULL;
}

bool tact_swept_boxes_renew(swept_boxes *s, const tact_vec3 *vertices, swept_boxes_cost *cost)
{
    const double before = tact_stopwatch_now();
    find_boxes(s, vertices, vertices);
    tact_aabb_tree_refit(&s->tree, s->boxes);
    const bool done = !aabb_tree_needs_rebuild(&s->tree) || build(s, vertices);
    const double ns = tact_stopwatch_now() - before;
    cost->ns += ns;
    cost->update_ns += ns;
    return done;
}

/* ---- search ---- */

static void flush(swept_boxes *s, tact_ccd_kind kind)
{
    sweep_block *block = &s->blocks[kind];
    const unsigned candidates = tact_ccd_block_filter(kind, &block->points) & ((1u << block->count) - 1);
    s->cost->candidates += block->count;
    for (unsigned lane = 0; lane < block->count; lane++) {
        if ((candidates >> lane & 1) == 0)
            continue;
        tact_vec3 start[4], end[4];
        for (int k = 0; k < 4; k++) {
            start[k] = s->start[block->index[lane][k]];
            end[k] = s->end[block->index[lane][k]];
        }
        sweep_contact contact = {.kind = kind};
        contact.ccd = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, &s->def)
                                               : tact_ccd_edge_edge(start, end, &s->def);
        if (contact.ccd.state != TACT_HIT)
            continue;
        memcpy(contact.index, block->index[lane], sizeof contact.index);
        if (kind == TACT_VERTEX_FACE) {
            contact.index[1] = block->face[lane];
            contact.index[2] = contact.index[3] = 0;
        }
        s->receive(s->context, &contact);
    }
    block->count = 0;
}

static void add_pair(swept_boxes *s, tact_ccd_kind kind, const uint32_t vertices[4], uint32_t face)
{
    sweep_block_add(&s->blocks[kind], s->start, s->end, vertices, face, 0.0f, 1.0f);
    if (s->blocks[kind].count == CCD_BLOCK)
        flush(s, kind);
}

static void test_vertex(swept_boxes *s, uint32_t vertex, uint32_t item)
{
    const uint32_t *face = s->items[item];
    if (vertex == face[0] || vertex == face[1] || vertex == face[2])
        return;
    ++s->cost->bound_tests;
    if (box_overlap(&s->vertex_boxes[vertex], &s->boxes[item]))
        add_pair(s, TACT_VERTEX_FACE, (uint32_t[4]){vertex, face[0], face[1], face[2]}, item);
}

static void test_edges(swept_boxes *s, uint32_t p, uint32_t q, const box *first, uint32_t u, uint32_t v,
                       const box *second)
{
    if (p == u || p == v || q == u || q == v)
        return;
    ++s->cost->bound_tests;
    if (!box_overlap(first, second))
        return;
    uint32_t ordered[4];
    sweep_order_edges(p, q, u, v, ordered);
    add_pair(s, TACT_EDGE_EDGE, ordered, 0);
}

static bool visit(void *context, uint32_t a, uint32_t b)
{
    swept_boxes *s = context;
    const uint32_t *one = s->items[a], *other = s->items[b], f = one[3], g = other[3];
    ++s->cost->item_pairs;
    for (unsigned k = 0; k < 3; k++) {
        if ((f & SWEEP_ITEM_VERTEX(k)) != 0)
            test_vertex(s, one[k], b);
        if ((g & SWEEP_ITEM_VERTEX(k)) != 0)
            test_vertex(s, other[k], a);
    }
    if ((f & SWEEP_ITEM_EDGES) == 0 || (g & SWEEP_ITEM_EDGES) == 0)
        return true;
    box second[3];
    for (unsigned j = 0; j < 3; j++)
        if ((g & SWEEP_ITEM_EDGE(j)) != 0)
            second[j] = box_union(&s->vertex_boxes[other[j]], &s->vertex_boxes[other[(j + 1) % 3]]);
    for (unsigned i = 0; i < 3; i++) {
        if ((f & SWEEP_ITEM_EDGE(i)) == 0)
            continue;
        const box first = box_union(&s->vertex_boxes[one[i]], &s->vertex_boxes[one[(i + 1) % 3]]);
        if (!box_overlap(&first, &s->boxes[b]))
            continue;
        for (unsigned j = 0; j < 3; j++)
            if ((g & SWEEP_ITEM_EDGE(j)) != 0)
                test_edges(s, one[i], one[(i + 1) % 3], &first, other[j], other[(j + 1) % 3], &second[j]);
    }
    return true;
}

/* ---- counting ---- */

/* The tests below two children whose boxes overlap, as in tree/aabb_pairs.c. */
static uint64_t count_below(const aabb_tree *tree, aabb_pair pair)
{
    aabb_pair stack[AABB_PAIR_STACK];
    unsigned count = 1;
    uint64_t tests = 0;
    stack[0] = pair;
    while (count > 0) {
        const aabb_pair p = stack[--count];
        const uint32_t opened = p.open_a ? p.child_a : p.child_b, fixed_child = p.open_a ? p.child_b : p.child_a;
        const box fixed = aabb_slot_box(tree, p.open_a ? p.slot_b : p.slot_a);
        const box4 *four = &tree->bounds[opened];
        const unsigned overlap = box4_overlap(four, &fixed);
        const float size =
            (fixed.max[0] - fixed.min[0]) + (fixed.max[1] - fixed.min[1]) + (fixed.max[2] - fixed.min[2]);
        const unsigned larger = aabb_larger(four, size);
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[opened].child[k] != TREE_NONE; k++) {
            const uint32_t child = tree->nodes[opened].child[k];
            ++tests;
            if ((overlap >> k & 1) != 0 && !(tree_is_leaf(child) && tree_is_leaf(fixed_child)))
                stack[count++] = aabb_child_pair(p, child, k, (larger >> k & 1) != 0);
        }
    }
    return tests;
}

/* The pairs of boxes that a search tests. */
static uint64_t count_checks(const aabb_tree *tree)
{
    uint64_t tests = 0;
    for (uint32_t node = 0; node < tree->node_count; node++) {
        const uint32_t *child = tree->nodes[node].child;
        for (unsigned i = 0; i < TREE_WIDTH; i++)
            for (unsigned j = i + 1; j < TREE_WIDTH && child[j] != TREE_NONE; j++) {
                const box one = box4_get(&tree->bounds[node], i), other = box4_get(&tree->bounds[node], j);
                ++tests;
                if (box_overlap(&one, &other) && !(tree_is_leaf(child[i]) && tree_is_leaf(child[j])))
                    tests += count_below(tree, (aabb_pair){TREE_WIDTH * node + i, TREE_WIDTH * node + j, child[i],
                                                           child[j], !tree_is_leaf(child[i])});
            }
    }
    return tests;
}

void tact_swept_boxes_run(swept_boxes *s, const tact_vec3 *start, const tact_vec3 *end, bool count,
                          void (*receive)(void *context, const sweep_contact *contact), void *context,
                          swept_boxes_cost *cost)
{
    s->start = start;
    s->end = end;
    s->receive = receive;
    s->context = context;
    s->cost = cost;
    const double before = tact_stopwatch_now();
    find_boxes(s, start, end);
    tact_aabb_tree_refit(&s->tree, s->boxes);
    cost->update_ns += tact_stopwatch_now() - before;
    (void)tact_aabb_tree_self_pairs(&s->tree, visit, s);
    flush(s, TACT_VERTEX_FACE);
    flush(s, TACT_EDGE_EDGE);
    cost->ns += tact_stopwatch_now() - before;
    if (count)
        cost->bound_checks += count_checks(&s->tree);
}
