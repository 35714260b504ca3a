/*
 * Ear clipping with exact turns.
 *
 * Guarantee and cost: see the header. Holes are joined to the outline by bridges (each end of a bridge becomes two
 * corners), from the lowest hole to the highest (by x, then y): a hole is seen from its lowest corner by a corner below
 * it, which belongs to what has been joined already (Held, "FIST: fast industrial-strength triangulation of polygons",
 * 2001, after Meisters 1975). Then ears are cut off: corners that turn left and whose triangle holds no other corner.
 * Every simple polygon has two such, flat corners counted in. We depart from the usual form in two ways. A corner
 * remembers how far it has looked for others in its triangle, and goes on from there: the triangle of a corner changes
 * only when a neighbour is cut, so that all looking together takes n^2. And loops that touch are parted first: a corner
 * inside an edge splits that edge, edges there and back cancel, and of two corners in one place, one within the other's
 * angle, each goes on where the other did. If there is no ear, a corner without area is taken, then any. Measured: 0.6
 * us for a star of 8 corners, 5 us for 32, 1 ms for 512.
 */
#include "shape/triangulate.h"

#include <math.h>
#include <tact/predicates.h>

#include "math/environment.h"
#include "math/vec.h"

/* Corners, bridges included: numbers of nodes fit 32 bits with room to spare. */
#define TRIANGULATE_MOST 0x80000000u

typedef struct node {
    double x, y;         /* the shadow, in which the outline turns left */
    uint32_t vertex;     /* the caller's number */
    uint32_t prev, next; /* around the loop, which has the polygon on its left */
    uint32_t looked;     /* nodes below this are not in the triangle of this one and its neighbours */
    bool gone;           /* cut off */
    bool seen;           /* its loop has been looked at */
    bool joined;         /* on an outline, or on a hole that has been joined to one */
    bool entry;          /* the lowest node of a hole that waits to be joined */
} node;

typedef struct cutter {
    node *nodes;
    uint32_t count;
    uint32_t room;           /* for corners and those that split edges */
    uint32_t spare;          /* nodes to untangle with */
    corner_array *triangles; /* has room for all */
    bool simple;
} cutter;

static int turn(const node *a, const node *b, const node *c)
{
    return tact_orient2d((double[]){a->x, a->y}, (double[]){b->x, b->y}, (double[]){c->x, c->y});
}

static bool same_place(const node *a, const node *b) { return a->x == b->x && a->y == b->y; }

static int order(const node *a, const node *b)
{
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

/* Is b between a and c, which are on a line with it, strictly? */
static bool between(const node *a, const node *b, const node *c) { return order(a, b) * order(b, c) > 0; }

/* Cuts off corner v with a triangle (there is room for it). */
static void cut(cutter *c, uint32_t v)
{
    node *n = &c->nodes[v], *prev = &c->nodes[n->prev], *next = &c->nodes[n->next];
    uint32_t *t = c->triangles->items + c->triangles->count;
    t[0] = prev->vertex, t[1] = n->vertex, t[2] = next->vertex;
    c->triangles->count += 3;
    prev->next = n->next;
    next->prev = n->prev;
    prev->looked = next->looked = 0;
    n->gone = true;
}

/* ---- loops ---- */

/* The direction of the loop of `first`: +1 left. By its area, and where that is in doubt by its lowest corner. */
static int loop_turn(const node *nodes, uint32_t first)
{
    double area = 0.0, error = 0.0;
    const node *o = &nodes[first];
    uint32_t size = 1, low = first;
    for (uint32_t i = o->next; i != first; i = nodes[i].next, ++size) {
        const node *a = &nodes[i], *b = &nodes[a->next];
        double p = (a->x - o->x) * (b->y - o->y), q = (a->y - o->y) * (b->x - o->x);
        area += p - q;
        error += fabs(p) + fabs(q);
        if (order(a, &nodes[low]) < 0)
            low = i;
    }
    if (fabs(area) > error * (double)(size + 8) * 0x1p-51 && fabs(area) < INFINITY)
        return area > 0.0 ? 1 : -1;
    uint32_t before = low, after = low;
    for (uint32_t i = 0; i < size; ++i) {
        before = nodes[before].prev;
        after = nodes[after].next;
        int t = turn(&nodes[before], &nodes[low], &nodes[after]);
        if (t != 0)
            return t;
    }
    return 0;
}

/* Takes away the corners of the loop of `first` that repeat their neighbour and spikes, each with a triangle without
 * area. If only two are left, their edges cancel and they go too. */
static void clean(cutter *c, uint32_t first)
{
    uint32_t size = 1, v = first, quiet = 0;
    for (uint32_t i = c->nodes[first].next; i != first; i = c->nodes[i].next)
        ++size;
    while (size > 2 && quiet < size) {
        const node *n = &c->nodes[v], *p = &c->nodes[n->prev], *q = &c->nodes[n->next];
        bool idle =
            same_place(p, n) || same_place(p, q) || (turn(p, n, q) == 0 && !between(p, n, q) && !same_place(n, q));
        uint32_t next = idle ? n->prev : n->next;
        if (idle) {
            cut(c, v);
            --size;
            quiet = 0;
        } else {
            ++quiet;
        }
        v = next;
    }
    if (size <= 2)
        c->nodes[v].gone = c->nodes[c->nodes[v].next].gone = true;
}

static void clean_all(cutter *c)
{
    for (uint32_t i = 0; i < c->count; ++i)
        c->nodes[i].seen = false;
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->nodes[i].gone || c->nodes[i].seen)
            continue;
        uint32_t v = i;
        do {
            c->nodes[v].seen = true;
            v = c->nodes[v].next;
        } while (v != i);
        clean(c, i);
    }
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

/* How loops touch. */
typedef struct touches {
    size_t inside; /* corners inside edges */
    size_t pairs;  /* of corners in one place */
    size_t others; /* of these, pairs of different vertices */
} touches;

static touches count_touches(const node *nodes, uint32_t count)
{
    touches t = {0, 0, 0};
    for (uint32_t s = 0; s < count; ++s) {
        const node *from = &nodes[s], *to = &nodes[from->next];
        const double low_x = fmin(from->x, to->x), high_x = fmax(from->x, to->x);
        const double low_y = fmin(from->y, to->y), high_y = fmax(from->y, to->y);
        for (uint32_t w = 0; w < count; ++w) {
            double x = nodes[w].x, y = nodes[w].y;
            if (!((x >= low_x) & (x <= high_x) & (y >= low_y) & (y <= high_y)) || w == s || w == from->next)
                continue;
            t.inside += is_inside(from, &nodes[w], to);
            if (same_place(from, &nodes[w])) {
                ++t.pairs;
                t.others += nodes[w].vertex != from->vertex;
            }
        }
    }
    return t;
}

/* Where a corner w is inside an edge s t the edge becomes s w t, with a triangle s t w without area to make up for
 * it: no triangle with area could have that edge, as w would be in its way. */
static void split_edges(cutter *c)
{
    const uint32_t before = c->count;
    for (uint32_t first = 0; first < before; ++first) {
        if (c->nodes[first].gone)
            continue;
        const uint32_t end = c->nodes[first].next;
        for (uint32_t w = 0; w < before && c->count < c->room; ++w) {
            if (c->nodes[w].gone)
                continue;
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
                break;
            }
        }
    }
}

/* ---- bridges ---- */

/* Does the direction from v to w go into the polygon, which is on the left of prev, v, next? Strictly. */
static bool goes_in(const node *nodes, const node *v, const node *w)
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

/* Where an edge of one loop runs back along an edge of another (or its own), both go, and the loops become one there
 * (or one becomes two). */
static void cancel_edges(cutter *c)
{
    node *nodes = c->nodes;
    for (uint32_t a = 0; a < c->count; ++a)
        for (uint32_t b = 0; b < c->count && !nodes[a].gone; ++b) {
            uint32_t after_a = nodes[a].next, after_b = nodes[b].next;
            if (nodes[b].gone || nodes[b].vertex != nodes[after_a].vertex || nodes[after_b].vertex != nodes[a].vertex ||
                b == after_a || after_b == a || a == b)
                continue; /* a spike is not taken for two edges */
            nodes[a].next = nodes[after_b].next, nodes[nodes[after_b].next].prev = a;
            nodes[b].next = nodes[after_a].next, nodes[nodes[after_a].next].prev = b;
            nodes[after_a].gone = nodes[after_b].gone = true;
        }
}

/* The end of a slit or spike. */
static bool is_spike(const node *nodes, const node *v) { return same_place(&nodes[v->prev], &nodes[v->next]); }

/* How often loops that touch are taken apart before it is taken for a knot: each time parts at least a pair. */
#define UNTANGLE_MOST 16

/* Where corners of loops coincide, one within the angle of the other, no triangle could be in that angle: the two
 * change their next ones. Loops become one there, or one becomes two. */
static void untangle(cutter *c)
{
    node *nodes = c->nodes;
    bool changed = true;
    for (int round = 0; changed && round < UNTANGLE_MOST; ++round) {
        changed = false;
        for (uint32_t v = 0; v < c->count; ++v)
            for (uint32_t h = 0; h < c->count && !nodes[v].gone; ++h) {
                if (h == v || nodes[h].gone || !same_place(&nodes[v], &nodes[h]) || is_spike(nodes, &nodes[v]) ||
                    is_spike(nodes, &nodes[h]))
                    continue;
                if (!goes_in(nodes, &nodes[v], &nodes[nodes[h].next]) &&
                    !goes_in(nodes, &nodes[v], &nodes[nodes[h].prev]))
                    continue;
                uint32_t after_v = nodes[v].next, after_h = nodes[h].next;
                if (nodes[v].vertex != nodes[h].vertex) {
                    /* two vertices in one place: both ways pass through both, so that every edge keeps its ends */
                    if (c->spare < 2)
                        return;
                    c->spare -= 2;
                    uint32_t leave_h = c->count++, leave_v = c->count++;
                    nodes[leave_h] = nodes[h], nodes[leave_v] = nodes[v];
                    nodes[v].next = leave_h, nodes[leave_h].prev = v;
                    nodes[h].next = leave_v, nodes[leave_v].prev = h;
                    nodes[leave_h].next = after_h, nodes[after_h].prev = leave_h;
                    nodes[leave_v].next = after_v, nodes[after_v].prev = leave_v;
                } else {
                    nodes[v].next = after_h, nodes[after_h].prev = v;
                    nodes[h].next = after_v, nodes[after_v].prev = h;
                }
                changed = true;
            }
    }
}

/* Is nothing that has been joined between c and h? `strictly`: nothing touches the line between them either. */
static bool sees(const cutter *c, const node *from, const node *h, bool strictly)
{
    for (uint32_t s = 0; s < c->count; ++s) {
        const node *p = &c->nodes[s], *q = &c->nodes[p->next];
        if (p->gone || !p->joined)
            continue;
        int of_p = turn(from, h, p), of_q = turn(from, h, q);
        if (strictly && of_p == 0 && between(from, p, h))
            return false;
        if (of_p * of_q > 0)
            continue;
        int of_from = turn(p, q, from), of_h = turn(p, q, h);
        if (of_p * of_q < 0 && (of_from * of_h < 0 || (strictly && of_h == 0 && of_from != 0)))
            return false;
    }
    return true;
}

/* A corner that has been joined, not above h, that h can be joined to; the nearest that is good. */
static uint32_t find_bridge(cutter *c, uint32_t h)
{
    const node *nodes = c->nodes, *from = &nodes[h];
    uint32_t any = UINT32_MAX;
    for (int pass = 0; pass < 3; ++pass) {
        double nearest = -1.0;
        uint32_t last = 0;
        for (;;) {
            /* the next in order of distance, then number */
            double best = INFINITY;
            uint32_t found = UINT32_MAX;
            for (uint32_t v = 0; v < c->count; ++v) {
                const node *n = &nodes[v];
                if (n->gone || !n->joined)
                    continue;
                any = v;
                double dx = n->x - from->x, dy = n->y - from->y, square = dx * dx + dy * dy;
                bool later = square > nearest || (square == nearest && v > last);
                if (later && (found == UINT32_MAX || square < best) && (pass == 2 || order(n, from) <= 0)) {
                    best = square;
                    found = v;
                }
            }
            if (found == UINT32_MAX)
                break;
            const node *n = &nodes[found];
            if (pass == 2) {
                c->simple = false;
                return found;
            }
            if (same_place(n, from)) {
                /* a knot: the hole must go on into the polygon */
                if (goes_in(nodes, n, &nodes[from->next]) || goes_in(nodes, n, &nodes[from->prev]) || pass == 1)
                    return found;
            } else if ((goes_in(nodes, n, from) || pass == 1) && sees(c, n, from, pass == 0)) {
                return found;
            }
            nearest = best;
            last = found;
        }
    }
    c->simple = false; /* distances that are not numbers */
    return any;
}

/* Makes one loop of the loop of v and that of the hole's node h. */
static void join(cutter *c, uint32_t v, uint32_t h)
{
    node *nodes = c->nodes;
    uint32_t v2 = c->count++, h2 = c->count++;
    nodes[v2] = nodes[v];
    nodes[h2] = nodes[h];
    /* v, h, around the hole, h2, v2, what followed v */
    nodes[nodes[h].prev].next = h2;
    nodes[h2].next = v2;
    nodes[v2].prev = h2;
    nodes[nodes[v].next].prev = v2;
    nodes[v].next = h;
    nodes[h].prev = v;
}

/* ---- ears ---- */

static bool is_ear(cutter *c, uint32_t v)
{
    node *n = &c->nodes[v];
    const node *p = &c->nodes[n->prev], *q = &c->nodes[n->next];
    if (turn(p, n, q) <= 0)
        return false;
    double low_x = fmin(fmin(p->x, n->x), q->x), high_x = fmax(fmax(p->x, n->x), q->x);
    double low_y = fmin(fmin(p->y, n->y), q->y), high_y = fmax(fmax(p->y, n->y), q->y);
    for (; n->looked < c->count; ++n->looked) {
        const node *w = &c->nodes[n->looked];
        if (w->gone || w->x < low_x || w->x > high_x || w->y < low_y || w->y > high_y || w == n || w == p || w == q)
            continue;
        if (same_place(w, n) || same_place(w, p) || same_place(w, q))
            continue; /* at a corner, and outside its angle: those inside have been parted */
        if (turn(p, n, w) >= 0 && turn(n, q, w) >= 0 && turn(q, p, w) >= 0)
            return false; /* until it goes */
    }
    return true;
}

/* No ear in the usual sense: the next best corner of the loop of v. */
static uint32_t second_choice(cutter *c, uint32_t v)
{
    uint32_t w = v, left = v;
    bool any_left = false;
    do {
        const node *n = &c->nodes[w];
        int t = turn(&c->nodes[n->prev], n, &c->nodes[n->next]);
        if (t == 0)
            return w;
        if (t > 0 && !any_left) {
            left = w;
            any_left = true;
        }
        w = n->next;
    } while (w != v);
    c->simple = false;
    return left;
}

static void cut_ears(cutter *c, uint32_t v)
{
    uint32_t idle = 0, size = 1;
    for (uint32_t i = c->nodes[v].next; i != v; i = c->nodes[i].next)
        ++size;
    while (size > 3) {
        bool ear = is_ear(c, v);
        if (!ear && idle >= size) {
            v = second_choice(c, v);
            ear = true;
        }
        uint32_t next = c->nodes[v].next;
        if (ear) {
            cut(c, v);
            --size;
            idle = 0;
            next = c->nodes[next].next; /* not a fan around one corner */
        } else {
            ++idle;
        }
        v = next;
    }
    if (size == 3) {
        const node *n = &c->nodes[v];
        if (turn(&c->nodes[n->prev], n, &c->nodes[n->next]) < 0)
            c->simple = false;
        cut(c, v);
    }
    c->nodes[c->nodes[v].prev].gone = c->nodes[c->nodes[v].next].gone = true;
}

/* ---- all of it ---- */

/* a 2^exponent */
static tact_vec3 shifted(tact_vec3 a, int exponent)
{
    return vec_make(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

tact_vec3 tact_polygon_normal(const tact_vec3 *vertices, const uint32_t *corners, size_t count)
{
    tact_vec3 sum = {0.0, 0.0, 0.0}, before = sum;
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i)
        largest = larger(largest, vec_largest(vertices[corners[i]]));
    if (count < 3 || !(largest > 0.0))
        return sum;
    /* Scaled to coordinates up to 1 and then, from the first corner, to differences up to 1: no product overflows or
     * vanishes. */
    int exponent, finer = 0;
    (void)frexp(largest, &exponent);
    tact_vec3 o = shifted(vertices[corners[0]], -exponent);
    largest = 0.0;
    for (size_t i = 1; i < count; ++i)
        largest = larger(largest, vec_largest(vec_sub(shifted(vertices[corners[i]], -exponent), o)));
    (void)frexp(largest, &finer);
    for (size_t i = 1; i < count; ++i) {
        tact_vec3 now = shifted(vec_sub(shifted(vertices[corners[i]], -exponent), o), -finer);
        sum = vec_add(sum, vec_cross(before, now));
        before = now;
    }
    return vec_unit(sum);
}

static void lay_out(cutter *c, const tact_vec3 *vertices, const uint32_t *corners, const uint32_t *loop_sizes,
                    size_t loop_count, int axis, bool mirrored)
{
    uint32_t i = 0;
    for (size_t l = 0; l < loop_count; ++l) {
        uint32_t first = i, size = loop_sizes[l];
        for (uint32_t k = 0; k < size; ++k, ++i) {
            tact_vec3 p = vertices[corners[i]];
            double x = axis == 0 ? p.y : axis == 1 ? p.z : p.x, y = axis == 0 ? p.z : axis == 1 ? p.x : p.y;
            c->nodes[i] = (node){.x = mirrored ? y : x,
                                 .y = mirrored ? x : y,
                                 .vertex = corners[i],
                                 .prev = k > 0 ? i - 1 : first + size - 1,
                                 .next = k + 1 < size ? i + 1 : first};
        }
    }
    c->count = i;
}

static void reverse(node *nodes, uint32_t first, uint32_t size)
{
    for (uint32_t i = first; i < first + size; ++i) {
        uint32_t swap = nodes[i].prev;
        nodes[i].prev = nodes[i].next;
        nodes[i].next = swap;
    }
}

/* Lays the loops out so that the outline turns left, and counts the corners inside edges. */
static TACT_NOT_INLINED touches survey(cutter *c, const tact_vec3 *vertices, const uint32_t *corners,
                                       const uint32_t *loop_sizes, size_t loop_count)
{
    tact_vec3 n = tact_polygon_normal(vertices, corners, loop_sizes[0]);
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int axis = x > y && x > z ? 0 : y > z ? 1 : 2;
    lay_out(c, vertices, corners, loop_sizes, loop_count, axis, false);
    if (loop_turn(c->nodes, 0) < 0)
        lay_out(c, vertices, corners, loop_sizes, loop_count, axis, true);
    return count_touches(c->nodes, c->count);
}

/* Tells outlines, which turn left, from holes, and marks the lowest node of each hole. */
static void find_holes(cutter *c)
{
    bool outline = false;
    for (uint32_t i = 0; i < c->count; ++i)
        c->nodes[i].seen = false;
    for (int pass = 0; pass < 2 && !outline; ++pass) /* if nothing turns left, the first loop must do */
        for (uint32_t i = 0; i < c->count; ++i) {
            node *n = &c->nodes[i];
            if (n->gone || (n->seen && pass == 0) || (pass == 1 && outline))
                continue;
            bool left = pass == 1 || loop_turn(c->nodes, i) > 0;
            uint32_t v = i, low = i;
            do {
                c->nodes[v].seen = true;
                c->nodes[v].joined = left;
                c->nodes[v].entry = false;
                if (order(&c->nodes[v], &c->nodes[low]) < 0)
                    low = v;
                v = c->nodes[v].next;
            } while (v != i);
            c->nodes[low].entry = !left;
            outline = outline || left;
        }
}

/* Joins the holes, lowest first. */
static void join_holes(cutter *c)
{
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t v = 0; v < c->count; ++v)
            if (c->nodes[v].entry && (best == UINT32_MAX || order(&c->nodes[v], &c->nodes[best]) < 0))
                best = v;
        if (best == UINT32_MAX)
            return;
        c->nodes[best].entry = false;
        uint32_t to = find_bridge(c, best), v = best;
        do {
            c->nodes[v].joined = true;
            v = c->nodes[v].next;
        } while (v != best);
        join(c, to, best);
    }
}

static TACT_NOT_INLINED void triangulate(cutter *c, const uint32_t *loop_sizes, size_t loop_count, touches t)
{
    uint32_t first = loop_sizes[0];
    for (size_t l = 1; l < loop_count; first += loop_sizes[l++])
        if (loop_sizes[l] > 0 && loop_turn(c->nodes, first) > 0)
            reverse(c->nodes, first, loop_sizes[l]);
    clean_all(c);
    if (t.inside > 0)
        split_edges(c);
    if (t.inside > 0 || t.pairs > 0) {
        cancel_edges(c);
        untangle(c);
        clean_all(c);
    }
    find_holes(c);
    join_holes(c);
    for (uint32_t i = 0; i < c->count; ++i)
        c->nodes[i].looked = 0;
    for (uint32_t i = 0; i < c->count; ++i)
        if (!c->nodes[i].gone)
            cut_ears(c, i);
}

tact_status tact_polygon_triangulate(const tact_vec3 *vertices, const uint32_t *corners, const uint32_t *loop_sizes,
                                     size_t loop_count, const tact_allocator *allocator, corner_array *triangles,
                                     bool *simple)
{
    if (simple != NULL)
        *simple = true;
    size_t count = 0;
    for (size_t l = 0; l < loop_count; ++l) {
        count += loop_sizes[l];
        if (count > TRIANGULATE_MOST)
            return TACT_BAD_ARGUMENT;
    }
    for (size_t i = 0; i < count; ++i)
        if (!vec_finite(vertices[corners[i]]))
            return TACT_BAD_ARGUMENT;
    if (count < 3 || loop_sizes[0] == 0)
        return TACT_OK;
    cutter c = {tact_memory_take(allocator, count, sizeof(node)), 0, 0, 0, triangles, true};
    if (c.nodes == NULL)
        return TACT_OUT_OF_MEMORY;
    environment before = environment_enter();
    touches t = survey(&c, vertices, corners, loop_sizes, loop_count);
    environment_leave(before);
    /* An edge that is split costs a node and two triangles; two vertices in one place, where they must be told
     * apart, and a bridge two nodes and triangles each; every loop that is joined has three corners. */
    size_t spare = 2 * (t.others < count ? t.others : count), most = count + t.inside;
    size_t nodes = most + spare + 2 * ((most + spare) / 3), wanted = 3 * (nodes + t.inside);
    tact_status status = TACT_OUT_OF_MEMORY;
    if (nodes > TRIANGULATE_MOST)
        status = TACT_BAD_ARGUMENT;
    else if (wanted <= SIZE_MAX - triangles->count &&
             corner_array_reserve(triangles, allocator, triangles->count + wanted)) {
        node *moved = tact_memory_resize(allocator, c.nodes, count, nodes, sizeof(node));
        if (moved != NULL) {
            c.nodes = moved;
            c.room = (uint32_t)most;
            c.spare = (uint32_t)spare;
            before = environment_enter();
            triangulate(&c, loop_sizes, loop_count, t);
            environment_leave(before);
            tact_memory_give(allocator, c.nodes, nodes, sizeof(node));
            if (simple != NULL)
                *simple = c.simple;
            return TACT_OK;
        }
    }
    tact_memory_give(allocator, c.nodes, count, sizeof(node));
    return status;
}
