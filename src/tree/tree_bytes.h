/*
 * Serialised AABB trees: read without a rebuild, on any machine.
 *
 * Layout, all numbers little-endian: "TACTTREE"; version (4 bytes); 6, the floats per bound (4); items (4); nodes (4);
 * cost after the build (8, a double); root box (24, floats); the children of each node (16); the bounds of each node as
 * in memory (96); hash of all preceding bytes (8).
 *
 * Reading rejects, with a report, everything that is not such a tree: wrong length, hash or version, links that do not
 * form a tree (tree.h), floats that are not valid bounds, boxes that do not contain those below them. It cannot know
 * whether the boxes contain the items: tact_aabb_tree_check does.
 */
#ifndef TACT_TREE_TREE_BYTES_H
#define TACT_TREE_TREE_BYTES_H

#include "tree/aabb_tree.h"

#define TREE_BYTES_VERSION 1u

/* The size of the serialised tree in bytes. */
size_t tact_aabb_tree_bytes(const aabb_tree *tree);

/* Writes that many bytes. */
void tact_aabb_tree_write(const aabb_tree *tree, unsigned char *bytes);

/* Reads a tree; of the def, `parent_links` and `allocator` are used. On failure the tree is empty, and `report`, which
 * may be NULL, says why. */
tact_status tact_aabb_tree_read(aabb_tree *tree, const unsigned char *bytes, size_t size, const aabb_tree_def *def,
                                tact_report *report);

#endif
