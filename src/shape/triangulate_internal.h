/* The data shared by the stages of a triangulation (triangulate.c, triangulate_touch.c). */
#ifndef TACT_SHAPE_TRIANGULATE_INTERNAL_H
#define TACT_SHAPE_TRIANGULATE_INTERNAL_H

#include <math.h>
#include <tact/predicates.h>

#include "core/heap.h"
#include "shape/box_index_2d.h"
#include "shape/shape_constants.h"
#include "shape/triangulate.h"

/* A vertex of a loop, in a circular doubly linked list. */
typedef struct polygon_node {
    double x, y;         /* the projection, in which the outer boundary is counter-clockwise */
    uint32_t vertex;     /* the caller's vertex index */
    uint32_t prev, next; /* along the loop, with the polygon on its left */
    /* Without an index: nodes below this are known not to be in the ear. While holes are connected: where the indexed
     * edge ends. While touching loops are separated: the first node at its position. */
    uint32_t scanned;
    /* The ring that it is in: the queue of candidates, or the nodes blocked by the same node. While touching loops are
     * separated: the nodes at its position. */
    uint32_t ring_prev, ring_next;
    uint32_t blocker; /* the node inside its ear, in whose ring it is; NO_NODE: it is in the queue */
    uint32_t blocked; /* one of the nodes that this one blocks; NO_NODE for none */
    bool clipped;
    bool visited;    /* its loop has been visited */
    bool connected;  /* on an outer boundary, or on a hole that is connected to one */
    bool flat;       /* counted in flat_count */
    bool hole_entry; /* the lowest node of a hole that is not connected yet */
} polygon_node;

#define NO_NODE UINT32_MAX

typedef struct triangulation {
    polygon_node *nodes;
    uint32_t count;
    uint32_t split_capacity; /* limit of `count` while edges are split */
    uint32_t spare_nodes;    /* nodes for separating coincident vertices */
    uint32_t queue;          /* first of the queue of candidate ears; NO_NODE if it is empty */
    uint32_t flat_count;     /* nodes of the current loop that were collinear with their neighbours when last tested */
    vertex_index_array *triangles; /* has capacity for all */
    box_index_2d index;            /* of nodes or edges, as they were when it was built */
    size_t index_min;              /* with fewer nodes no index is made */
    uint32_t indexed_count;        /* nodes from here on were added later and are not in it; 0 without an index */
    vertex_index_array nearby;     /* result of an index query */
    tact_status status;
} triangulation;

static inline int node_orientation(const polygon_node *a, const polygon_node *b, const polygon_node *c)
{
    return tact_orient2d((double[]){a->x, a->y}, (double[]){b->x, b->y}, (double[]){c->x, c->y});
}

static inline bool coincident_nodes(const polygon_node *a, const polygon_node *b)
{
    return a->x == b->x && a->y == b->y;
}

static inline int compare_xy(const polygon_node *a, const polygon_node *b)
{
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

/* Is b strictly between a and c, which are collinear with it? */
static inline bool between(const polygon_node *a, const polygon_node *b, const polygon_node *c)
{
    return compare_xy(a, b) * compare_xy(b, c) > 0;
}

/* Does the direction from v to w point strictly into the polygon, which is on the left of prev, v, next? */
static inline bool points_inside(const polygon_node *nodes, const polygon_node *v, const polygon_node *w)
{
    const polygon_node *prev = &nodes[v->prev], *next = &nodes[v->next];
    while (coincident_nodes(prev, v) && prev != v)
        prev = &nodes[prev->prev];
    while (coincident_nodes(next, v) && next != v)
        next = &nodes[next->next];
    int at = node_orientation(prev, v, next), from_prev = node_orientation(prev, v, w),
        from_next = node_orientation(v, next, w);
    if (at > 0)
        return from_prev > 0 && from_next > 0;
    if (at < 0)
        return from_prev > 0 || from_next > 0;
    if (between(prev, v, next))
        return from_prev > 0;
    return from_prev != 0 || !coincident_nodes(prev, next); /* the end of a slit: the polygon is all around */
}

/* Visits everything in the index that overlaps the segment from s to t. */
static inline bool visit_segment(const triangulation *c, const polygon_node *s, const polygon_node *t,
                                 box_index_2d_visit *visit, void *context)
{
    const double ends[2][2] = {{s->x, s->y}, {t->x, t->y}};
    return tact_box_index_2d_overlap(&c->index, ends, coincident_nodes(s, t) ? 1 : 2, visit, context);
}

/* A node by its position, for sorting. */
typedef struct node_position {
    double x, y;
    uint32_t number;
} node_position;

ARRAY_OF(node_position_array, node_position);

/* By x, y, then number. */
static inline bool position_before(const void *context, const node_position *a, const node_position *b)
{
    (void)context;
    return a->x != b->x ? a->x < b->x : a->y != b->y ? a->y < b->y : a->number < b->number;
}

HEAP_SORT_OF(sort_positions, node_position, const void *, position_before)

/* Contacts of loops. */
typedef struct loop_contacts {
    size_t on_edges;   /* vertices inside edges */
    size_t coincident; /* pairs of coincident nodes */
    size_t distinct;   /* pairs of these with different vertices */
} loop_contacts;

/* Makes an index of all nodes that are not clipped, or of the edges that start at them. Makes none if there are few. */
void tact_triangulation_index(triangulation *c, bool edges);

/* Counts the contacts of loops; none if there are too many. Uses the index, if there is one. */
loop_contacts tact_triangulation_contacts(triangulation *c);

/* Separates loops that touch. */
void tact_triangulation_separate(triangulation *c, loop_contacts t);

#endif
