/* Serialization of AABB trees. See tree_bytes.h for the layout and the validation. Linear in the size. */
#include "tree/tree_bytes.h"

#include <string.h>

#include "core/hash.h"
#include "core/little_endian.h"
#include "core/memory.h"
#include "core/report.h"

static const unsigned char MAGIC[8] = {'T', 'A', 'C', 'T', 'T', 'R', 'E', 'E'};

enum { HEADER_SIZE = 8 + 4 * 4 + 8 + 24, HASH_SIZE = 8, BOUND_FLOATS = 6 };

static size_t total_size(uint32_t node_count)
{
    /* up to 2^29 nodes overflow a 32-bit size_t */
    const size_t node_size = sizeof(tree_node) + TREE_WIDTH * BOUND_FLOATS * sizeof(float);
    return node_count > (SIZE_MAX - HEADER_SIZE - HASH_SIZE) / node_size
               ? SIZE_MAX
               : HEADER_SIZE + HASH_SIZE + node_count * node_size;
}

/* Returns false if the float cannot be a bound: NaN or subnormal. */
static bool read_bound(const unsigned char *at, float *value)
{
    const uint32_t word = load_le32(at), size = word & UINT32_C(0x7fffffff);
    memcpy(value, &word, sizeof word);
    return size <= UINT32_C(0x7f800000) && (size == 0 || size >= UINT32_C(0x00800000));
}

/* Reads everything before the nodes into the counts, the cost and the root box of `tree`. Allocates nothing. */
static tact_status read_header(aabb_tree *tree, const unsigned char *bytes, size_t size, tact_report *report)
{
    if (bytes == NULL || size < HEADER_SIZE + HASH_SIZE || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "not a serialised tree");
    if (load_le32(bytes + 8) != TREE_BYTES_VERSION)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "tree format version %lu, expected %u",
                                (unsigned long)load_le32(bytes + 8), TREE_BYTES_VERSION);
    tree->item_count = load_le32(bytes + 16);
    tree->node_count = load_le32(bytes + 20);
    if (load_le32(bytes + 12) != BOUND_FLOATS)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a tree with another kind of bounds");
    if (tree->item_count > TREE_MAX_ITEMS || tree->node_count > tree->item_count ||
        (tree->node_count == 0) != (tree->item_count == 0))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "inconsistent numbers of items and nodes");
    if (size != total_size(tree->node_count))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "%zu bytes, but a tree of %lu nodes has %zu", size,
                                (unsigned long)tree->node_count, total_size(tree->node_count));
    if (load_le64(bytes + size - HASH_SIZE) != hash_bytes(bytes, size - HASH_SIZE, TREE_BYTES_VERSION))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "damaged: the hash does not match");
    const uint64_t cost = load_le64(bytes + 24);
    memcpy(&tree->built_cost, &cost, sizeof cost);
    bool valid = tree->built_cost >= 0.0 && tree->built_cost < INFINITY;
    for (int i = 0; i < 3; ++i) {
        valid = read_bound(bytes + 32 + 4 * i, &tree->root_box.min[i]) && valid;
        valid = read_bound(bytes + 44 + 4 * i, &tree->root_box.max[i]) && valid;
    }
    return valid ? TACT_OK : tact_report_fill(report, TACT_BAD_ARGUMENT, "a number is not a valid bound");
}

/* Reads nodes and bounds into the arrays of `tree`. */
static tact_status read_nodes(aabb_tree *tree, const unsigned char *bytes, tact_report *report)
{
    const unsigned char *at = bytes + HEADER_SIZE;
    float *bounds = (float *)(void *)tree->bounds;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH; ++k, at += 4)
            tree->nodes[i].child[k] = load_le32(at);
    bool valid = true;
    for (size_t i = 0; i < (size_t)tree->node_count * TREE_WIDTH * BOUND_FLOATS; ++i, at += 4)
        valid = read_bound(at, &bounds[i]) && valid;
    if (!valid)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a number is not a valid bound");
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
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "tree is NULL");
    memset(tree, 0, sizeof *tree);
    tact_aabb_tree_release(tree);
    if (def == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "def is NULL");
    aabb_tree header = {0};
    tact_status status = read_header(&header, bytes, size, report);
    tree->allocator = def->allocator;
    if (status != TACT_OK || header.node_count == 0)
        return status == TACT_OK ? tact_report_clear(report) : status;
    tree->nodes = tact_memory_allocate(&tree->allocator, header.node_count, sizeof *tree->nodes);
    tree->bounds = tact_memory_allocate(&tree->allocator, header.node_count, sizeof *tree->bounds);
    tree->node_capacity = tree->bounds_capacity = header.node_count;
    tree->item_count = header.item_count;
    if (def->parent_links) {
        tree->parent_slot = tact_memory_allocate(&tree->allocator, header.item_count, sizeof *tree->parent_slot);
        tree->item_slot = tact_memory_allocate(&tree->allocator, header.item_count, sizeof *tree->item_slot);
        tree->item_capacity = header.item_count;
    }
    if (tree->nodes == NULL || tree->bounds == NULL ||
        (def->parent_links && (tree->parent_slot == NULL || tree->item_slot == NULL))) {
        status = tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory while reading a tree");
    } else {
        tree->node_count = header.node_count;
        tree->root_box = header.root_box;
        tree->built_cost = header.built_cost;
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
