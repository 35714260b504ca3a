/*
 * The kinetic AABB tree (Zachmann and Weller 2006, "Kinetic bounding volume hierarchies for deformable objects"; Weller
 * and Zachmann 2006, 4): a hierarchy of boxes over items with up to three moving vertices, valid at every time.
 *
 * A box is stored as references to the six vertices that are its extremes. The extreme of a node along an axis is the
 * winner among the extremes of its children, that of an item the winner among its vertices. Each loser has a
 * certificate: it does not exceed the winner (kinetic_motion.h). When one fails, the winner changes, and the change is
 * propagated upward as far as it changes extremes. Nothing happens between failures.
 *
 *     status = tact_kinetic_tree_create(&tree, &def);
 *     tact_kinetic_tree_next(&tree)                   the time of the next event; INFINITY: never
 *     tact_kinetic_tree_step(&tree)                   processes the next event
 *     tact_kinetic_tree_vertex_changed(&tree, v)      the motion of v is different from now on
 *     tact_kinetic_tree_release(&tree)
 *
 * Guarantee: at every time a vertex exceeds the extreme of a box around it by at most KINETIC_TIES_PER_LEVEL ties for
 * each level between them.
 *
 * The queue has one event for each node and item, the earliest failure of its certificates: six winners with up to
 * three losers each. An event costs O(log n) and the failure times of three certificates, for each level to which the
 * change is propagated. Nodes have up to four children, as in tree/tree.h. On a figure of 25,000 triangles with 120 key
 * frames, a binary tree has 1.6 times as many changes of extremes, and a separation list on it takes 1.2 times as long
 * and 1.2 times the memory.
 */
#ifndef TACT_KINETIC_KINETIC_TREE_H
#define TACT_KINETIC_KINETIC_TREE_H

#include <tact/allocator.h>
#include <tact/status.h>

#include "event/queue.h"
#include "kinetic/kinetic_motion.h"
#include "tree/tree.h"

/* Extremes are numbered 2 axis + side: the minimum is side 0, the maximum side 1. */
#define KINETIC_SIDES 6

#define KINETIC_NONE UINT32_MAX

typedef struct kinetic_bound {
    uint32_t extreme[KINETIC_SIDES]; /* vertices */
    uint32_t parent;                 /* a bound; KINETIC_NONE for the root */
    uint32_t level;                  /* 0 for the root */
} kinetic_bound;

/* The earliest failure of the certificates of each extreme, or an earlier time. */
typedef struct kinetic_failures {
    double side[KINETIC_SIDES];
} kinetic_failures;

typedef struct kinetic_tree_counts {
    uint64_t internal_events; /* changed no extreme */
    uint64_t external_events; /* changed an extreme of a node or item */
    uint64_t extreme_changes; /* including those propagated upward */
    uint64_t plan_changes;    /* extremes examined again because the motion of a vertex changed */
} kinetic_tree_counts;

typedef struct kinetic_tree {
    uint32_t item_count, node_count, vertex_count;
    kinetic_bound *bounds;      /* nodes first, the root being the first; then the items */
    kinetic_failures *failures; /* by bound */
    tree_node *nodes;           /* children are bounds; TREE_NONE: none */
    uint32_t (*items)[3];       /* vertices */
    uint32_t *vertex_start;     /* by vertex, and after the last: where its items begin in vertex_items */
    uint32_t *vertex_items;     /* each item of a vertex once */
    event_queue queue;          /* by bound */
    kinetic_motion motion;
    kinetic_tree_counts counts;
    /* Called after an extreme has changed, or the motion of the vertex that is the extreme. May be NULL. */
    void (*changed)(void *context, uint32_t bound, int side);
    void *context;
    tact_allocator allocator;
} kinetic_tree;

typedef struct kinetic_tree_def {
    const uint32_t (*items)[4]; /* three vertices each, repeated for edges and points; the fourth number is ignored */
    uint32_t item_count;        /* at most KINETIC_MAX_ITEMS */
    uint32_t vertex_count;
    vertex_motion motion;
    double time;  /* at which the tree is built */
    double error; /* length: how far vertices may be from where `motion` says, besides rounding */
    tact_allocator allocator;
} kinetic_tree_def;

/* Builds a tree. On failure (TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: too many items, vertex out of range) it is empty.
 * O(n log n). Some 2 us per item. */
tact_status tact_kinetic_tree_create(kinetic_tree *tree, const kinetic_tree_def *def);

/* Frees the memory. A zeroed tree is empty too. */
void tact_kinetic_tree_release(kinetic_tree *tree);

static inline double tact_kinetic_tree_next(const kinetic_tree *tree)
{
    return tree->queue.count > 0 ? tree->queue.entries[0].time : INFINITY;
}

void tact_kinetic_tree_step(kinetic_tree *tree);

/* The motion of a vertex is different from the current time on, and possibly its position. Examines the certificates of
 * this vertex; others only where it is an extreme or was one. */
void tact_kinetic_tree_vertex_changed(kinetic_tree *tree, uint32_t vertex);

/* The table of samples has new contents: the same motion, known further. */
void tact_kinetic_tree_samples_changed(kinetic_tree *tree);

static inline bool kinetic_tree_is_item(const kinetic_tree *tree, uint32_t bound) { return bound >= tree->node_count; }

static inline uint32_t kinetic_tree_item(const kinetic_tree *tree, uint32_t bound) { return bound - tree->node_count; }

/* Number of certificates: a loser each. */
uint64_t tact_kinetic_tree_certificates(const kinetic_tree *tree);

/* Bytes allocated. */
size_t tact_kinetic_tree_bytes(const kinetic_tree *tree);

#endif
