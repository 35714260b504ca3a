/*
 * Separating loops of a polygon that touch themselves or each other, before ears are clipped.
 *
 * A vertex inside an edge splits that edge. Two edges that run there and back cancel. Of two coincident vertices, one
 * within the angle of the other, each continues where the other did. All orientation tests are exact. If there are many
 * vertices an index finds those nearby, otherwise all are scanned. Coincident vertices are linked, as new ones are made
 * there and nowhere else. Cost: n log n plus the contacts; n^2 without an index.
 */

#include "core/number.h"
#include "shape/triangulate_internal.h"

/* ---- nearby nodes ---- */

static bool visit_nearby(void *context, uint32_t number)
{
    triangulation *c = context;
    if (vertex_index_array_push(&c->nearby, c->index.allocator, number))
        return true;
    c->status = TACT_OUT_OF_MEMORY;
    return false;
}

static inline bool number_before(const void *context, const uint32_t *a, const uint32_t *b)
{
    (void)context;
    return *a < *b;
}

HEAP_SORT_OF(sort_numbers, uint32_t, const void *, number_before)

/* Writes to c->nearby, in order, the numbers of all indexed nodes on the segment from s to t, and perhaps some near it.
 */
static void gather(triangulation *c, const polygon_node *s, const polygon_node *t)
{
    c->nearby.count = 0;
    (void)visit_segment(c, s, t, visit_nearby, c);
    sort_numbers(NULL, c->nearby.items, c->nearby.count);
}

/* ---- vertices inside edges ---- */

/* Is w in the bounding box of s and t? Branchless, as nearly all are not. */
static bool in_box(const polygon_node *s, const polygon_node *w, const polygon_node *t)
{
    double low_x = s->x < t->x ? s->x : t->x, high_x = s->x < t->x ? t->x : s->x;
    double low_y = s->y < t->y ? s->y : t->y, high_y = s->y < t->y ? t->y : s->y;
    return (w->x >= low_x) & (w->x <= high_x) & (w->y >= low_y) & (w->y <= high_y);
}

/* Is w inside the edge from s to t? */
static bool is_inside(const polygon_node *s, const polygon_node *w, const polygon_node *t)
{
    return in_box(s, w, t) && node_orientation(s, t, w) == 0 && between(s, w, t);
}

typedef struct loop_contact_search {
    const polygon_node *nodes;
    uint32_t edge;
    loop_contacts found;
} loop_contact_search;

static bool visit_contact(void *context, uint32_t w)
{
    loop_contact_search *t = context;
    const polygon_node *nodes = t->nodes, *from = &nodes[t->edge], *to = &nodes[from->next];
    if (w == t->edge || w == from->next)
        return true;
    t->found.on_edges += is_inside(from, &nodes[w], to);
    if (coincident_nodes(from, &nodes[w])) {
        ++t->found.coincident;
        t->found.distinct += nodes[w].vertex != from->vertex;
    }
    return true;
}

loop_contacts tact_triangulation_contacts(triangulation *c)
{
    const polygon_node *nodes = c->nodes;
    loop_contact_search t = {nodes, 0, {0, 0, 0}};
    const size_t on_edges_max = (size_t)TRIANGULATE_MAX_ON_EDGES * c->count,
                 coincident_max = (size_t)TRIANGULATE_MAX_COINCIDENT * c->count;
    for (uint32_t s = 0; s < c->count; ++s) {
        if (t.found.on_edges > on_edges_max || t.found.coincident > coincident_max)
            return (loop_contacts){0, 0, 0};
        const polygon_node *from = &nodes[s], *to = &nodes[from->next];
        const double low_x = number_min(from->x, to->x), high_x = number_max(from->x, to->x);
        const double low_y = number_min(from->y, to->y), high_y = number_max(from->y, to->y);
        t.edge = s;
        if (c->indexed_count > 0) {
            (void)visit_segment(c, from, to, visit_contact, &t);
            continue;
        }
        for (uint32_t w = 0; w < c->count; ++w) {
            double x = nodes[w].x, y = nodes[w].y;
            if ((x >= low_x) & (x <= high_x) & (y >= low_y) & (y <= high_y))
                (void)visit_contact(&t, w);
        }
    }
    return t.found;
}

/* Splits the edge s t at a vertex w inside it into s w t, and adds the degenerate triangle s t w to make up for it. No
 * triangle with area could have that edge, as w would be in it. */
static void split_edge(triangulation *c, uint32_t first, uint32_t end, uint32_t w)
{
    if (c->nodes[w].clipped || c->count >= c->split_capacity)
        return;
    for (uint32_t s = first; s != end; s = c->nodes[s].next) {
        uint32_t t = c->nodes[s].next;
        if (!is_inside(&c->nodes[s], &c->nodes[w], &c->nodes[t]))
            continue;
        uint32_t copy = c->count++;
        c->nodes[copy] = c->nodes[w];
        c->nodes[copy].prev = s;
        c->nodes[copy].next = t;
        c->nodes[s].next = c->nodes[t].prev = copy;
        uint32_t *triangle = c->triangles->items + c->triangles->count;
        triangle[0] = c->nodes[s].vertex, triangle[1] = c->nodes[t].vertex, triangle[2] = c->nodes[w].vertex;
        c->triangles->count += 3;
        return;
    }
}

static void split_edges(triangulation *c)
{
    const uint32_t original_count = c->count;
    for (uint32_t first = 0; first < original_count && c->status == TACT_OK; ++first) {
        if (c->nodes[first].clipped)
            continue;
        const uint32_t end = c->nodes[first].next;
        if (c->indexed_count > 0) {
            gather(c, &c->nodes[first], &c->nodes[end]);
            for (size_t i = 0; i < c->nearby.count; ++i)
                split_edge(c, first, end, c->nearby.items[i]);
            continue;
        }
        for (uint32_t w = 0; w < original_count; ++w)
            split_edge(c, first, end, w);
    }
}

/* ---- opposite edges and coincident vertices ---- */

/* Removes an edge of one loop and an opposite edge of another (or the same) loop. The loops become one there (or one
 * becomes two). */
static bool cancel_edge(triangulation *c, uint32_t a, uint32_t b)
{
    polygon_node *nodes = c->nodes;
    uint32_t after_a = nodes[a].next, after_b = nodes[b].next;
    if (nodes[b].clipped || nodes[b].vertex != nodes[after_a].vertex || nodes[after_b].vertex != nodes[a].vertex ||
        b == after_a || after_b == a || a == b)
        return false; /* a spike is not a pair of edges */
    nodes[a].next = nodes[after_b].next, nodes[nodes[after_b].next].prev = a;
    nodes[b].next = nodes[after_a].next, nodes[nodes[after_a].next].prev = b;
    nodes[after_a].clipped = nodes[after_b].clipped = true;
    return true;
}

static void cancel_edges(triangulation *c)
{
    for (uint32_t a = 0; a < c->count && c->status == TACT_OK; ++a) {
        if (c->indexed_count == 0) {
            for (uint32_t b = 0; b < c->count && !c->nodes[a].clipped; ++b)
                (void)cancel_edge(c, a, b);
            continue;
        }
        /* once one is cancelled the edge from a is another: the index is queried again, from there on */
        uint32_t from = 0;
        for (bool again = true; again && !c->nodes[a].clipped;) {
            const polygon_node *to = &c->nodes[c->nodes[a].next];
            again = false;
            gather(c, to, to);
            for (size_t i = 0; i < c->nearby.count && !again; ++i)
                if (c->nearby.items[i] >= from && cancel_edge(c, a, c->nearby.items[i])) {
                    from = c->nearby.items[i] + 1;
                    again = true;
                }
        }
    }
}

/* Is it the end of a slit or spike? */
static bool is_spike(const polygon_node *nodes, const polygon_node *v)
{
    return coincident_nodes(&nodes[v->prev], &nodes[v->next]);
}

/* If v and h coincide and one is within the angle of the other, no triangle could be in that angle: the two exchange
 * their next nodes. Loops become one there, or one becomes two. Returns whether they were exchanged. */
static bool separate_pair(triangulation *c, uint32_t v, uint32_t h)
{
    polygon_node *nodes = c->nodes;
    if (h == v || is_spike(nodes, &nodes[v]) || is_spike(nodes, &nodes[h]))
        return false;
    if (!points_inside(nodes, &nodes[v], &nodes[nodes[h].next]) &&
        !points_inside(nodes, &nodes[v], &nodes[nodes[h].prev]))
        return false;
    uint32_t after_v = nodes[v].next, after_h = nodes[h].next;
    if (nodes[v].vertex != nodes[h].vertex) {
        /* two different vertices: both paths pass through both, so that every edge keeps its ends */
        if (c->spare_nodes < 2)
            return false;
        c->spare_nodes -= 2;
        uint32_t leave_h = c->count++, leave_v = c->count++, *last = &nodes[nodes[v].scanned].ring_prev;
        nodes[leave_h] = nodes[h], nodes[leave_v] = nodes[v];
        nodes[*last].ring_next = leave_h, nodes[leave_h].ring_next = leave_v, nodes[leave_v].ring_next = NO_NODE;
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

/* Links coincident nodes in order of their numbers: `scanned` is the first of them, `ring_next` the next, `ring_prev`
 * of the first is the last. */
static void link_coincident(triangulation *c)
{
    const tact_allocator *allocator = c->index.allocator;
    polygon_node *nodes = c->nodes;
    node_position_array positions = {0};
    if (!node_position_array_reserve(&positions, allocator, c->count))
        c->status = TACT_OUT_OF_MEMORY;
    for (uint32_t v = 0; v < c->count && c->status == TACT_OK; ++v)
        if (!nodes[v].clipped)
            positions.items[positions.count++] = (node_position){nodes[v].x, nodes[v].y, v};
    sort_positions(NULL, positions.items, positions.count);
    uint32_t first = NO_NODE;
    for (size_t i = 0; i < positions.count; ++i) {
        const uint32_t v = positions.items[i].number;
        if (first != NO_NODE && coincident_nodes(&nodes[first], &nodes[v]))
            nodes[nodes[first].ring_prev].ring_next = v;
        else
            first = v;
        nodes[v].scanned = first;
        nodes[v].ring_next = NO_NODE;
        nodes[first].ring_prev = v;
    }
    node_position_array_release(&positions, allocator);
}

static void separate_coincident(triangulation *c)
{
    link_coincident(c);
    bool changed = true;
    for (int pass = 0; changed && pass < TRIANGULATE_MAX_PASSES && c->status == TACT_OK; ++pass) {
        changed = false;
        for (uint32_t v = 0; v < c->count; ++v)
            for (uint32_t h = c->nodes[v].clipped ? NO_NODE : c->nodes[v].scanned; h != NO_NODE;
                 h = c->nodes[h].ring_next)
                changed |= separate_pair(c, v, h);
    }
}

void tact_triangulation_separate(triangulation *c, loop_contacts t)
{
    if (t.on_edges > 0)
        split_edges(c);
    tact_triangulation_index(c, false);
    cancel_edges(c);
    separate_coincident(c);
}
