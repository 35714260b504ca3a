/* AABB trees as bytes. See tree_bytes.h for the layout and what is refused. Linear in the size. */
#include "tree/tree_bytes.h"

#include <string.h>

#include "core/hash.h"
#include "core/little_endian.h"
#include "core/memory.h"
#include "core/report.h"

static const unsigned char MAGIC[8] = {'T', 'A', 'C', 'T', 'T', 'R', 'E', 'E'};

enum { HEAD = 8 + 4 * 4 + 8 + 24, HASH = 8, BOUND_FLOATS = 6 };

static size_t total_size(uint32_t node_count)
{
    /* at most 2^29 nodes: the size is checked where a size_t has only 32 bits */
    const size_t node_size = sizeof(tree_node) + TREE_WIDTH * BOUND_FLOATS * sizeof(float);
    return node_count > (SIZE_MAX - HEAD - HASH) / node_size ? SIZE_MAX : HEAD + HASH + node_count * node_size;
}

/* Returns false for a number that no bound has: NaN, subnormal. */
static bool get_float(const unsigned char *at, float *value)
{
    const uint32_t word = load_le32(at), size = word & UINT32_C(0x7fffffff);
    memcpy(value, &word, sizeof word);
    return size <= UINT32_C(0x7f800000) && (size == 0 || size >= UINT32_C(0x00800000));
}

/* Reads everything before the nodes into the counts, the cost and the root box of `tree`. Takes no memory. */
static tact_status read_head(aabb_tree *tree, const unsigned char *bytes, size_t size, tact_report *report)
{
    if (bytes == NULL || size < HEAD + HASH || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "not the bytes of a tree");
    if (load_le32(bytes + 8) != TREE_BYTES_VERSION)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a tree of version %lu, not %u",
                                (unsigned long)load_le32(bytes + 8), TREE_BYTES_VERSION);
    tree->item_count = load_le32(bytes + 16);
    tree->node_count = load_le32(bytes + 20);
    if (load_le32(bytes + 12) != BOUND_FLOATS)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a tree of another kind of boxes");
    if (tree->item_count > TREE_MAX_ITEMS || tree->node_count > tree->item_count ||
        (tree->node_count == 0) != (tree->item_count == 0))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "impossible numbers of items and nodes");
    if (size != total_size(tree->node_count))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "%zu bytes where a tree of %lu nodes has %zu", size,
                                (unsigned long)tree->node_count, total_size(tree->node_count));
    if (load_le64(bytes + size - HASH) != hash_bytes(bytes, size - HASH, TREE_BYTES_VERSION))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "damaged: the hash does not agree");
    const uint64_t cost = load_le64(bytes + 24);
    memcpy(&tree->built_cost, &cost, sizeof cost);
    bool sound = tree->built_cost >= 0.0 && tree->built_cost < INFINITY;
    for (int i = 0; i < 3; ++i) {
        sound = get_float(bytes + 32 + 4 * i, &tree->root_box.min[i]) && sound;
        sound = get_float(bytes + 44 + 4 * i, &tree->root_box.max[i]) && sound;
    }
    return sound ? TACT_OK : tact_report_fill(report, TACT_BAD_ARGUMENT, "numbers that are no bounds");
}

/* Reads nodes and bounds into the arrays of `tree`. */
static tact_status read_nodes(aabb_tree *tree, const unsigned char *bytes, tact_report *report)
{
    const unsigned char *at = bytes + HEAD;
    float *bounds = (float *)(void *)tree->bounds;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH; ++k, at += 4)
            tree->nodes[i].child[k] = load_le32(at);
    bool sound = true;
    for (size_t i = 0; i < (size_t)tree->node_count * TREE_WIDTH * BOUND_FLOATS; ++i, at += 4)
        sound = get_float(at, &bounds[i]) && sound;
    if (!sound)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "numbers that are no bounds");
    return tact_tree_check_links(tree->nodes, tree->node_count, tree->item_count, &tree->allocator, report);
}

size_t tact_aabb_tree_bytes(const aabb_tree *tree) { return total_size(tree->node_count); }

void tact_aabb_tree_write(const aabb_tree *tree, unsigned char *bytes)
{
    unsigned char *at = bytes;
    const float *bounds = (const float *)(const void *)tree->bounds;
    memcpy(at, MAGIC, sizeof MAGIC);
    at = store_le32(at + sizeof MAGIC, TREE_BYTES_VERSION);
    at = store_le32(at, BOUND_FLOATS);
    at = store_le32(at, tree->item_count);
    at = store_le32(at, tree->node_count);
    at = store_le_double(at, tree->built_cost);
    for (int i = 0; i < 3; ++i)
        at = store_le_float(at, tree->root_box.min[i]);
    for (int i = 0; i < 3; ++i)
        at = store_le_float(at, tree->root_box.max[i]);
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH; ++k)
            at = store_le32(at, tree->nodes[i].child[k]);
    for (size_t i = 0; i < (size_t)tree->node_count * TREE_WIDTH * BOUND_FLOATS; ++i)
        at = store_le_float(at, bounds[i]);
    (void)store_le64(at, hash_bytes(bytes, (size_t)(at - bytes), TREE_BYTES_VERSION));
}

tact_status tact_aabb_tree_read(aabb_tree *tree, const unsigned char *bytes, size_t size, const aabb_tree_def *def,
                                tact_report *report)
{
    if (tree == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "no tree to read into");
    memset(tree, 0, sizeof *tree);
    tact_aabb_tree_release(tree);
    if (def == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "no def");
    aabb_tree head = {0};
    tact_status status = read_head(&head, bytes, size, report);
    tree->allocator = def->allocator;
    if (status != TACT_OK || head.node_count == 0)
        return status == TACT_OK ? tact_report_clear(report) : status;
    tree->nodes = tact_memory_allocate(&tree->allocator, head.node_count, sizeof *tree->nodes);
    tree->bounds = tact_memory_allocate(&tree->allocator, head.node_count, sizeof *tree->bounds);
    tree->node_capacity = tree->bounds_capacity = head.node_count;
    tree->item_count = head.item_count;
    if (def->parent_links) {
        tree->parent_slot = tact_memory_allocate(&tree->allocator, head.item_count, sizeof *tree->parent_slot);
        tree->item_slot = tact_memory_allocate(&tree->allocator, head.item_count, sizeof *tree->item_slot);
        tree->item_capacity = head.item_count;
    }
    if (tree->nodes == NULL || tree->bounds == NULL ||
        (def->parent_links && (tree->parent_slot == NULL || tree->item_slot == NULL))) {
        status = tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for the tree");
    } else {
        tree->node_count = head.node_count;
        tree->root_box = head.root_box;
        tree->built_cost = head.built_cost;
        status = read_nodes(tree, bytes, report);
        if (status == TACT_OK && def->parent_links)
            tact_aabb_tree_set_parent_links(tree);
        if (status == TACT_OK)
            status = tact_aabb_tree_check(tree, NULL, report);
    }
    if (status != TACT_OK)
        tact_aabb_tree_release(tree);
    return status;
}
