/* What the steps of cutting up a polygon share (triangulate.c, triangulate_touch.c). */
#ifndef TACT_SHAPE_TRIANGULATE_INTERNAL_H
#define TACT_SHAPE_TRIANGULATE_INTERNAL_H

#include <math.h>
#include <tact/predicates.h>

#include "shape/box_index_2d.h"
#include "shape/triangulate.h"

typedef struct node {
    double x, y;            /* the shadow, in which the outline turns left */
    uint32_t vertex;        /* the caller's number */
    uint32_t prev, next;    /* around the loop, which has the polygon on its left */
    uint32_t looked;        /* without an index: nodes below this are not in the triangle of it and its neighbours;
                             * while holes are joined, where the indexed edge ends; while loops are untangled, the
                             * first node in its place */
    uint32_t before, after; /* in the ring that it is in: of those to be looked at, or that wait for a node to go;
                             * while loops are untangled, those in its place */
    uint32_t waits_for;     /* the node whose ring that is; NOBODY: those to be looked at */
    uint32_t waiting;       /* one of the ring that waits for this one to go; NOBODY for none */
    bool gone;              /* cut off */
    bool seen;              /* its loop has been looked at */
    bool joined;            /* on an outline, or on a hole that has been joined to one */
    bool flat;              /* counted as a corner of the loop that is cut up that does not turn */
    bool entry;             /* the lowest node of a hole that waits to be joined */
} node;

#define NOBODY UINT32_MAX

typedef struct cutter {
    node *nodes;
    uint32_t count;
    uint32_t room;                 /* for corners and those that split edges */
    uint32_t spare;                /* nodes to untangle with */
    uint32_t first;                /* of the ring of corners to be looked at, in this order; NOBODY for none */
    uint32_t flat;                 /* corners of the loop that is cut up that did not turn when last looked at */
    vertex_index_array *triangles; /* has room for all */
    box_index_2d index;            /* of corners, or edges, as they were when it was built */
    size_t indexed_least;          /* corners: with fewer none is made */
    uint32_t indexed;              /* nodes from here on, made since, are not in it; 0 without an index */
    vertex_index_array near;       /* found by it */
    tact_status status;
} cutter;

static inline int turn(const node *a, const node *b, const node *c)
{
    return tact_orient2d((double[]){a->x, a->y}, (double[]){b->x, b->y}, (double[]){c->x, c->y});
}

static inline bool same_place(const node *a, const node *b) { return a->x == b->x && a->y == b->y; }

static inline int order(const node *a, const node *b)
{
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

/* Is b between a and c, which are on a line with it, strictly? */
static inline bool between(const node *a, const node *b, const node *c) { return order(a, b) * order(b, c) > 0; }

/* Does the direction from v to w go into the polygon, which is on the left of prev, v, next? Strictly. */
static inline bool goes_in(const node *nodes, const node *v, const node *w)
{
    const node *prev = &nodes[v->prev], *next = &nodes[v->next];
    while (same_place(prev, v) && prev != v)
        prev = &nodes[prev->prev];
    while (same_place(next, v) && next != v)
        next = &nodes[next->next];
    int at = turn(prev, v, next), from_prev = turn(prev, v, w), from_next = turn(v, next, w);
    if (at > 0)
        return from_prev > 0 && from_next > 0;
    if (at < 0)
        return from_prev > 0 || from_next > 0;
    if (between(prev, v, next))
        return from_prev > 0;
    return from_prev != 0 || !same_place(prev, next); /* the end of a slit: all around */
}

/* Everything in the index that meets the segment from s to t. */
static inline bool meet_segment(const cutter *c, const node *s, const node *t, box_index_2d_visit *visit, void *context)
{
    const double ends[2][2] = {{s->x, s->y}, {t->x, t->y}};
    return tact_box_index_2d_overlap(&c->index, ends, same_place(s, t) ? 1 : 2, visit, context);
}

/* How loops touch. */
typedef struct touches {
    size_t inside; /* corners inside edges */
    size_t pairs;  /* of corners in one place */
    size_t others; /* of these, pairs of different vertices */
} touches;

/* Makes an index of all corners that are not gone, or of the edges that go on from them; leaves it if there are few. */
void tact_cutter_index(cutter *c, bool edges);

/* How the loops touch; none at all where it is too much. Uses the index, if there is one. */
touches tact_cutter_touches(cutter *c);

/* Parts loops that touch. */
void tact_cutter_part(cutter *c, touches t);

#endif
