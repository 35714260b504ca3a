/* Trees as bytes. See tree_bytes.h for the layout and what is refused. Linear in the size. */
#include "tree/tree_bytes.h"

#include <string.h>

#include "core/hash.h"
#include "core/little_endian.h"
#include "core/memory.h"
#include "core/report.h"

static const unsigned char MAGIC[8] = {'T', 'A', 'C', 'T', 'T', 'R', 'E', 'E'};

enum { HEAD = 8 + 4 * 4 + 8 + 24, HASH = 8, KIND_BOX = 6, KIND_OBB = 15 };

/* A tree of either kind. */
typedef struct parts {
    uint32_t kind; /* floats of a bound */
    uint32_t item_count, node_count;
    double cost;
    box whole;
    tree_node *nodes;
    float *bounds; /* 4 * kind of each node */
} parts;

static size_t node_size(uint32_t kind) { return sizeof(tree_node) + TREE_WIDTH * kind * sizeof(float); }

static size_t all_size(uint32_t kind, uint32_t node_count)
{
    /* at most 2^29 nodes of 256 bytes: checked where a size_t has but 32 bits */
    return node_count > (SIZE_MAX - HEAD - HASH) / node_size(kind) ? SIZE_MAX
                                                                   : HEAD + HASH + node_count * node_size(kind);
}

/* Returns false for what no bound is: NaN, subnormal. */
static bool get_float(const unsigned char *at, float *value)
{
    const uint32_t word = load_le32(at), size = word & UINT32_C(0x7fffffff);
    memcpy(value, &word, sizeof word);
    return size <= UINT32_C(0x7f800000) && (size == 0 || size >= UINT32_C(0x00800000));
}

static void write_parts(const parts *p, unsigned char *bytes)
{
    unsigned char *at = bytes;
    memcpy(at, MAGIC, sizeof MAGIC);
    at = store_le32(at + sizeof MAGIC, TREE_BYTES_VERSION);
    at = store_le32(at, p->kind);
    at = store_le32(at, p->item_count);
    at = store_le32(at, p->node_count);
    at = store_le_double(at, p->cost);
    for (int i = 0; i < 3; ++i)
        at = store_le_float(at, p->whole.min[i]);
    for (int i = 0; i < 3; ++i)
        at = store_le_float(at, p->whole.max[i]);
    for (uint32_t i = 0; i < p->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH; ++k)
            at = store_le32(at, p->nodes[i].child[k]);
    for (size_t i = 0; i < (size_t)p->node_count * TREE_WIDTH * p->kind; ++i)
        at = store_le_float(at, p->bounds[i]);
    (void)store_le64(at, hash_bytes(bytes, (size_t)(at - bytes), TREE_BYTES_VERSION));
}

/* Everything before the nodes; takes no memory. */
static tact_status read_head(parts *p, const unsigned char *bytes, size_t size, uint32_t kind, tact_report *report)
{
    if (bytes == NULL || size < HEAD + HASH || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "not the bytes of a tree");
    if (load_le32(bytes + 8) != TREE_BYTES_VERSION)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a tree of version %lu, not %u",
                                (unsigned long)load_le32(bytes + 8), TREE_BYTES_VERSION);
    *p = (parts){
        .kind = load_le32(bytes + 12), .item_count = load_le32(bytes + 16), .node_count = load_le32(bytes + 20)};
    if (p->kind != kind)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "a tree of another kind of boxes");
    if (p->item_count > TREE_MAX_ITEMS || p->node_count > p->item_count || (p->node_count == 0) != (p->item_count == 0))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "impossible numbers of items and nodes");
    if (size != all_size(kind, p->node_count))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "%zu bytes where a tree of %lu nodes has %zu", size,
                                (unsigned long)p->node_count, all_size(kind, p->node_count));
    if (load_le64(bytes + size - HASH) != hash_bytes(bytes, size - HASH, TREE_BYTES_VERSION))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "damaged: the hash does not agree");
    const uint64_t cost = load_le64(bytes + 24);
    memcpy(&p->cost, &cost, sizeof cost);
    bool sound = p->cost >= 0.0 && p->cost < INFINITY;
    for (int i = 0; i < 3; ++i) {
        sound = get_float(bytes + 32 + 4 * i, &p->whole.min[i]) && sound;
        sound = get_float(bytes + 44 + 4 * i, &p->whole.max[i]) && sound;
    }
    return sound ? TACT_OK : tact_report_fill(report, TACT_BAD_ARGUMENT, "numbers that are no bounds");
}

/* Nodes and bounds, into arrays that are there. */
static tact_status read_nodes(const parts *p, const unsigned char *bytes, const tact_allocator *allocator,
                              tact_report *report)
{
    const unsigned char *at = bytes + HEAD;
    for (uint32_t i = 0; i < p->node_count; ++i)
        for (unsigned k = 0; k < TREE_WIDTH; ++k, at += 4)
            p->nodes[i].child[k] = load_le32(at);
    bool sound = true;
    for (size_t i = 0; i < (size_t)p->node_count * TREE_WIDTH * p->kind; ++i, at += 4)
        sound = get_float(at, &p->bounds[i]) && sound;
    if (!sound)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "numbers that are no bounds");
    return tact_tree_check_links(p->nodes, p->node_count, p->item_count, allocator, report);
}

static parts parts_of_aabb(const aabb_tree *t)
{
    return (parts){
        KIND_BOX, t->item_count, t->node_count, t->built_cost, t->root_box, t->nodes, (float *)(void *)t->bounds};
}

static parts parts_of_obb(const obb_tree *t)
{
    return (parts){KIND_OBB, t->item_count, t->node_count, 1.0, t->whole, t->nodes, (float *)(void *)t->bounds};
}

size_t tact_aabb_tree_bytes(const aabb_tree *tree) { return all_size(KIND_BOX, tree->node_count); }

size_t tact_obb_tree_bytes(const obb_tree *tree) { return all_size(KIND_OBB, tree->node_count); }

void tact_aabb_tree_write(const aabb_tree *tree, unsigned char *bytes)
{
    const parts p = parts_of_aabb(tree);
    write_parts(&p, bytes);
}

void tact_obb_tree_write(const obb_tree *tree, unsigned char *bytes)
{
    const parts p = parts_of_obb(tree);
    write_parts(&p, bytes);
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
    parts p;
    tact_status status = read_head(&p, bytes, size, KIND_BOX, report);
    tree->allocator = def->allocator;
    if (status != TACT_OK || p.node_count == 0)
        return status == TACT_OK ? tact_report_clear(report) : status;
    tree->nodes = tact_memory_allocate(&tree->allocator, p.node_count, sizeof *tree->nodes);
    tree->bounds = tact_memory_allocate(&tree->allocator, p.node_count, sizeof *tree->bounds);
    tree->node_capacity = tree->bounds_capacity = p.node_count;
    tree->item_count = p.item_count;
    if (def->parent_links) {
        tree->parent_slot = tact_memory_allocate(&tree->allocator, p.item_count, sizeof *tree->parent_slot);
        tree->item_slot = tact_memory_allocate(&tree->allocator, p.item_count, sizeof *tree->item_slot);
        tree->item_capacity = p.item_count;
    }
    if (tree->nodes == NULL || tree->bounds == NULL ||
        (def->parent_links && (tree->parent_slot == NULL || tree->item_slot == NULL))) {
        status = tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for the tree");
    } else {
        p.nodes = tree->nodes;
        p.bounds = (float *)(void *)tree->bounds;
        tree->node_count = p.node_count;
        tree->root_box = p.whole;
        tree->built_cost = p.cost;
        status = read_nodes(&p, bytes, &tree->allocator, report);
        if (status == TACT_OK && def->parent_links)
            tact_aabb_tree_set_parent_links(tree);
        if (status == TACT_OK)
            status = tact_aabb_tree_check(tree, NULL, report);
    }
    if (status != TACT_OK)
        tact_aabb_tree_release(tree);
    return status;
}

/* Axes of length 1 that are perpendicular, half sizes that are not negative? What the tests of oriented boxes rely on.
 */
static bool sound_obb(const obb *b)
{
    bool sound = true;
    for (int i = 0; i < 3; ++i) {
        for (int k = i; k < 3; ++k) {
            double dot = i == k ? -1.0 : 0.0;
            for (int c = 0; c < 3; ++c)
                dot += (double)b->axis[i][c] * (double)b->axis[k][c];
            sound = sound && fabs(dot) <= OBB_AXIS_ERROR;
        }
        sound = sound && b->half[i] >= 0.0f && fabsf(b->centre[i]) < INFINITY;
    }
    return sound;
}

tact_status tact_obb_tree_read(obb_tree *tree, const unsigned char *bytes, size_t size, const tact_allocator *allocator,
                               tact_report *report)
{
    if (tree == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "no tree to read into");
    memset(tree, 0, sizeof *tree);
    tact_obb_tree_release(tree);
    if (allocator == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "no allocator");
    parts p;
    tact_status status = read_head(&p, bytes, size, KIND_OBB, report);
    tree->allocator = *allocator;
    if (status != TACT_OK || p.node_count == 0)
        return status == TACT_OK ? tact_report_clear(report) : status;
    tree->nodes = tact_memory_allocate(allocator, p.node_count, sizeof *tree->nodes);
    tree->bounds = tact_memory_allocate(allocator, p.node_count, sizeof *tree->bounds);
    tree->node_room = p.node_count;
    if (tree->nodes == NULL || tree->bounds == NULL) {
        status = tact_report_fill(report, TACT_OUT_OF_MEMORY, "no memory for the tree");
    } else {
        p.nodes = tree->nodes;
        p.bounds = (float *)(void *)tree->bounds;
        tree->node_count = p.node_count;
        tree->item_count = p.item_count;
        tree->whole = p.whole;
        status = read_nodes(&p, bytes, allocator, report);
        for (uint32_t i = 0; status == TACT_OK && i < p.node_count; ++i)
            for (unsigned k = 0; k < TREE_WIDTH; ++k) {
                const obb b = obb4_get(&tree->bounds[i], k);
                if (!sound_obb(&b))
                    status =
                        tact_report_fill(report, TACT_BAD_ARGUMENT, "box %u of node %lu is none", k, (unsigned long)i);
            }
    }
    if (status != TACT_OK)
        tact_obb_tree_release(tree);
    return status == TACT_OK ? tact_report_clear(report) : status;
}
