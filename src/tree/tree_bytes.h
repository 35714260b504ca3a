/*
 * Trees as bytes: written once, read without building anew, on any machine.
 *
 * Layout, all numbers little endian: "TACTTREE"; version (4 bytes); kind: 6 for boxes, 15 for oriented ones, the floats
 * of a bound (4); items (4); nodes (4); cost when built (8, a double); the box around all (24, floats); of each node
 * its children (16); of each node its bounds as in memory (96 or 240); hash of all before it (8).
 *
 * Reading refuses, with a sentence, whatever is not such a tree: another length, hash, version or kind, links that are
 * not a tree (tree.h), floats that are no bounds, boxes that do not contain those below them. What it cannot know is
 * whether the boxes fit the items: ask tact_aabb_tree_check or tact_obb_tree_check where that is in doubt.
 */
#ifndef TACT_TREE_TREE_BYTES_H
#define TACT_TREE_TREE_BYTES_H

#include "tree/aabb_tree.h"
#include "tree/obb_tree.h"

#define TREE_BYTES_VERSION 1u

/* How many bytes a tree takes. */
size_t tact_aabb_tree_bytes(const aabb_tree *tree);
size_t tact_obb_tree_bytes(const obb_tree *tree);

/* Writes them. */
void tact_aabb_tree_write(const aabb_tree *tree, unsigned char *bytes);
void tact_obb_tree_write(const obb_tree *tree, unsigned char *bytes);

/* Reads a tree; of the def, `partial` and `allocator` count. On failure the tree is empty, and `report`, which may be
 * NULL, says why. */
tact_status tact_aabb_tree_read(aabb_tree *tree, const unsigned char *bytes, size_t size, const aabb_tree_def *def,
                                tact_report *report);
tact_status tact_obb_tree_read(obb_tree *tree, const unsigned char *bytes, size_t size, const tact_allocator *allocator,
                               tact_report *report);

#endif
