/*
 * Loops of a polygon that touch, themselves or each other, are parted before ears are cut.
 *
 * A corner inside an edge splits that edge, edges there and back cancel, and of two corners in one place, one within
 * the other's angle, each goes on where the other did. All turns are exact. What is near is found by an index of
 * corners where there are many; else all are looked at. Those in one place are linked, as new ones are made there and
 * nowhere else. Cost: n log n and what touches; n^2 without an index.
 */
#include <stdlib.h>

#include "shape/triangulate_internal.h"

/* ---- near corners ---- */

static bool gather_one(void *context, uint32_t number)
{
    cutter *c = context;
    if (vertex_index_array_push(&c->near, c->index.allocator, number))
        return true;
    c->status = TACT_OUT_OF_MEMORY;
    return false;
}

static int compare_numbers(const void *p, const void *q)
{
    const uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return (a > b) - (a < b);
}

/* Puts into c->near, in order, the numbers of all indexed corners on the segment from s to t, and perhaps some near. */
static void gather(cutter *c, const node *s, const node *t)
{
    c->near.count = 0;
    (void)meet_segment(c, s, t, gather_one, c);
    if (c->near.count > 1)
        qsort(c->near.items, c->near.count, sizeof *c->near.items, compare_numbers);
}

/* ---- corners inside edges ---- */

/* Is w in the box of s and t? Without branches, as nearly all are not. */
static bool in_box(const node *s, const node *w, const node *t)
{
    double low_x = s->x < t->x ? s->x : t->x, high_x = s->x < t->x ? t->x : s->x;
    double low_y = s->y < t->y ? s->y : t->y, high_y = s->y < t->y ? t->y : s->y;
    return (w->x >= low_x) & (w->x <= high_x) & (w->y >= low_y) & (w->y <= high_y);
}

/* Is w inside the edge from s to t? */
static bool is_inside(const node *s, const node *w, const node *t)
{
    return in_box(s, w, t) && turn(s, t, w) == 0 && between(s, w, t);
}

/* For each corner: edges that corners are inside of, and pairs of corners in one place, before loops are taken for
 * crossing and left as they are. To take apart 20,000 corners on a line would take gigabytes. */
#define INSIDE_MOST 8
#define PAIRS_MOST 1024

typedef struct touch_search {
    const node *nodes;
    uint32_t edge;
    touches found;
} touch_search;

static bool touch_one(void *context, uint32_t w)
{
    touch_search *t = context;
    const node *nodes = t->nodes, *from = &nodes[t->edge], *to = &nodes[from->next];
    if (w == t->edge || w == from->next)
        return true;
    t->found.inside += is_inside(from, &nodes[w], to);
    if (same_place(from, &nodes[w])) {
        ++t->found.pairs;
        t->found.others += nodes[w].vertex != from->vertex;
    }
    return true;
}

touches tact_cutter_touches(cutter *c)
{
    const node *nodes = c->nodes;
    touch_search t = {nodes, 0, {0, 0, 0}};
    const size_t inside_most = (size_t)INSIDE_MOST * c->count, pairs_most = (size_t)PAIRS_MOST * c->count;
    for (uint32_t s = 0; s < c->count; ++s) {
        if (t.found.inside > inside_most || t.found.pairs > pairs_most)
            return (touches){0, 0, 0};
        const node *from = &nodes[s], *to = &nodes[from->next];
        const double low_x = fmin(from->x, to->x), high_x = fmax(from->x, to->x);
        const double low_y = fmin(from->y, to->y), high_y = fmax(from->y, to->y);
        t.edge = s;
        if (c->indexed > 0) {
            (void)meet_segment(c, from, to, touch_one, &t);
            continue;
        }
        for (uint32_t w = 0; w < c->count; ++w) {
            double x = nodes[w].x, y = nodes[w].y;
            if ((x >= low_x) & (x <= high_x) & (y >= low_y) & (y <= high_y))
                (void)touch_one(&t, w);
        }
    }
    return t.found;
}

/* Where a corner w is inside an edge s t the edge becomes s w t, with a triangle s t w without area to make up for
 * it: no triangle with area could have that edge, as w would be in its way. */
static void split_edge(cutter *c, uint32_t first, uint32_t end, uint32_t w)
{
    if (c->nodes[w].gone || c->count >= c->room)
        return;
    for (uint32_t s = first; s != end; s = c->nodes[s].next) {
        uint32_t t = c->nodes[s].next;
        if (!is_inside(&c->nodes[s], &c->nodes[w], &c->nodes[t]))
            continue;
        uint32_t twin = c->count++;
        c->nodes[twin] = c->nodes[w];
        c->nodes[twin].prev = s;
        c->nodes[twin].next = t;
        c->nodes[s].next = c->nodes[t].prev = twin;
        uint32_t *triangle = c->triangles->items + c->triangles->count;
        triangle[0] = c->nodes[s].vertex, triangle[1] = c->nodes[t].vertex, triangle[2] = c->nodes[w].vertex;
        c->triangles->count += 3;
        return;
    }
}

static void split_edges(cutter *c)
{
    const uint32_t before = c->count;
    for (uint32_t first = 0; first < before && c->status == TACT_OK; ++first) {
        if (c->nodes[first].gone)
            continue;
        const uint32_t end = c->nodes[first].next;
        if (c->indexed > 0) {
            gather(c, &c->nodes[first], &c->nodes[end]);
            for (size_t i = 0; i < c->near.count; ++i)
                split_edge(c, first, end, c->near.items[i]);
            continue;
        }
        for (uint32_t w = 0; w < before; ++w)
            split_edge(c, first, end, w);
    }
}

/* ---- edges there and back, corners in one place ---- */

/* Where an edge of one loop runs back along an edge of another (or its own), both go, and the loops become one there
 * (or one becomes two). */
static bool cancel_edge(cutter *c, uint32_t a, uint32_t b)
{
    node *nodes = c->nodes;
    uint32_t after_a = nodes[a].next, after_b = nodes[b].next;
    if (nodes[b].gone || nodes[b].vertex != nodes[after_a].vertex || nodes[after_b].vertex != nodes[a].vertex ||
        b == after_a || after_b == a || a == b)
        return false; /* a spike is not taken for two edges */
    nodes[a].next = nodes[after_b].next, nodes[nodes[after_b].next].prev = a;
    nodes[b].next = nodes[after_a].next, nodes[nodes[after_a].next].prev = b;
    nodes[after_a].gone = nodes[after_b].gone = true;
    return true;
}

static void cancel_edges(cutter *c)
{
    for (uint32_t a = 0; a < c->count && c->status == TACT_OK; ++a) {
        if (c->indexed == 0) {
            for (uint32_t b = 0; b < c->count && !c->nodes[a].gone; ++b)
                (void)cancel_edge(c, a, b);
            continue;
        }
        /* the edge from a is another once one is cancelled: then corners are asked for anew, from there on */
        uint32_t from = 0;
        for (bool again = true; again && !c->nodes[a].gone;) {
            const node *to = &c->nodes[c->nodes[a].next];
            again = false;
            gather(c, to, to);
            for (size_t i = 0; i < c->near.count && !again; ++i)
                if (c->near.items[i] >= from && cancel_edge(c, a, c->near.items[i])) {
                    from = c->near.items[i] + 1;
                    again = true;
                }
        }
    }
}

/* The end of a slit or spike. */
static bool is_spike(const node *nodes, const node *v) { return same_place(&nodes[v->prev], &nodes[v->next]); }

/* How often loops that touch are taken apart before it is taken for a knot: each time parts at least a pair. */
#define UNTANGLE_MOST 16

/* Where corners of loops coincide, one within the angle of the other, no triangle could be in that angle: the two
 * change their next ones. Loops become one there, or one becomes two. Returns whether v and h, in
 * one place, are such. */
static bool untangle_pair(cutter *c, uint32_t v, uint32_t h)
{
    node *nodes = c->nodes;
    if (h == v || is_spike(nodes, &nodes[v]) || is_spike(nodes, &nodes[h]))
        return false;
    if (!goes_in(nodes, &nodes[v], &nodes[nodes[h].next]) && !goes_in(nodes, &nodes[v], &nodes[nodes[h].prev]))
        return false;
    uint32_t after_v = nodes[v].next, after_h = nodes[h].next;
    if (nodes[v].vertex != nodes[h].vertex) {
        /* two vertices in one place: both ways pass through both, so that every edge keeps its ends */
        if (c->spare < 2)
            return false;
        c->spare -= 2;
        uint32_t leave_h = c->count++, leave_v = c->count++, *last = &nodes[nodes[v].looked].before;
        nodes[leave_h] = nodes[h], nodes[leave_v] = nodes[v];
        nodes[*last].after = leave_h, nodes[leave_h].after = leave_v, nodes[leave_v].after = NOBODY;
        *last = leave_v;
        nodes[v].next = leave_h, nodes[leave_h].prev = v;
        nodes[h].next = leave_v, nodes[leave_v].prev = h;
        nodes[leave_h].next = after_h, nodes[after_h].prev = leave_h;
        nodes[leave_v].next = after_v, nodes[after_v].prev = leave_v;
    } else {
        nodes[v].next = after_h, nodes[after_h].prev = v;
        nodes[h].next = after_v, nodes[after_v].prev = h;
    }
    return true;
}

typedef struct spot {
    double x, y;
    uint32_t corner;
} spot;

ARRAY_OF(spot_array, spot);

static int compare_spots(const void *p, const void *q)
{
    const spot *a = p, *b = q;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return (a->corner > b->corner) - (a->corner < b->corner);
}

/* Links the corners in one place, in order of their numbers: `looked` is the first of them, `after` the next, `before`
 * of the first the last. */
static void link_places(cutter *c)
{
    const tact_allocator *allocator = c->index.allocator;
    node *nodes = c->nodes;
    spot_array spots = {0};
    if (!spot_array_reserve(&spots, allocator, c->count))
        c->status = TACT_OUT_OF_MEMORY;
    for (uint32_t v = 0; v < c->count && c->status == TACT_OK; ++v)
        if (!nodes[v].gone)
            spots.items[spots.count++] = (spot){nodes[v].x, nodes[v].y, v};
    if (spots.count > 1)
        qsort(spots.items, spots.count, sizeof *spots.items, compare_spots);
    uint32_t first = NOBODY;
    for (size_t i = 0; i < spots.count; ++i) {
        const uint32_t v = spots.items[i].corner;
        if (first != NOBODY && same_place(&nodes[first], &nodes[v]))
            nodes[nodes[first].before].after = v;
        else
            first = v;
        nodes[v].looked = first;
        nodes[v].after = NOBODY;
        nodes[first].before = v;
    }
    spot_array_release(&spots, allocator);
}

static void untangle(cutter *c)
{
    link_places(c);
    bool changed = true;
    for (int round = 0; changed && round < UNTANGLE_MOST && c->status == TACT_OK; ++round) {
        changed = false;
        for (uint32_t v = 0; v < c->count; ++v)
            for (uint32_t h = c->nodes[v].gone ? NOBODY : c->nodes[v].looked; h != NOBODY; h = c->nodes[h].after)
                changed |= untangle_pair(c, v, h);
    }
}

void tact_cutter_part(cutter *c, touches t)
{
    if (t.inside > 0)
        split_edges(c);
    tact_cutter_index(c, false);
    cancel_edges(c);
    untangle(c);
}
