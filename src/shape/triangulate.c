/*
 * Ear clipping with exact turns.
 *
 * Guarantee and cost: see the header. Holes are joined to the outline by bridges (each end of a bridge becomes two corners), from the lowest hole to
 * the highest (by x, then y): a hole is seen from its lowest corner by a corner below it, which belongs to what has been joined
 * already (Held, "FIST: fast industrial-strength triangulation of polygons", 2001, after Meisters 1975). Then ears are cut
 * off: corners that turn left and whose triangle holds no other corner. Every simple polygon has two such, flat corners counted
 * in. We depart from the usual form in two ways. A corner remembers how far it has looked for others in its triangle, and goes on from
 * there: the triangle of a corner changes only when a neighbour is cut, so that all looking together takes n^2. And
 * where corners coincide (bridges, touching loops) it is the edges from them that are asked whether they enter the triangle.
 * If no corner is an ear in this sense, one whose triangle's inside meets no edge is taken, then one without area, then any.
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
    uint32_t prev, next; /* around the loop */
    uint32_t looked;     /* nodes below this are not in the triangle of this one and its neighbours */
    uint32_t loop;       /* whose it was, before bridges */
    bool gone;           /* cut off */
    bool crowded;        /* another node is where a corner of the triangle is */
    uint32_t lowest;     /* of the first node of a loop: the loop's lowest node */
} node;

typedef struct cutter {
    node *nodes;
    uint32_t count;
    corner_array *triangles;
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
    prev->crowded = next->crowded = false;
    n->gone = true;
}

/* ---- loops ---- */

/* The direction of a loop: +1 left. By its area, and where that is in doubt by its lowest corner. */
static int loop_turn(const node *nodes, uint32_t first, uint32_t size)
{
    double area = 0.0, error = 0.0;
    const node *o = &nodes[first];
    for (uint32_t i = 1; i + 1 < size; ++i) {
        const node *a = &nodes[first + i], *b = &nodes[first + i + 1];
        double p = (a->x - o->x) * (b->y - o->y), q = (a->y - o->y) * (b->x - o->x);
        area += p - q;
        error += fabs(p) + fabs(q);
    }
    if (fabs(area) > error * (double)(size + 8) * 0x1p-51 && fabs(area) < INFINITY)
        return area > 0.0 ? 1 : -1;
    uint32_t low = first;
    for (uint32_t i = 1; i < size; ++i)
        if (order(&nodes[first + i], &nodes[low]) < 0)
            low = first + i;
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

/* Takes away corners that repeat their neighbour and spikes, each with a triangle without area. The loop keeps two
 * corners. Returns one that is left. */
static uint32_t clean(cutter *c, uint32_t first, uint32_t *size)
{
    uint32_t v = first, quiet = 0;
    while (*size > 2 && quiet < *size) {
        const node *n = &c->nodes[v], *p = &c->nodes[n->prev], *q = &c->nodes[n->next];
        bool idle = same_place(p, n) || same_place(p, q) || (turn(p, n, q) == 0 && !between(p, n, q) && !same_place(n, q));
        uint32_t next = n->next;
        if (idle) {
            next = n->prev;
            cut(c, v);
            --*size;
            quiet = 0;
        } else {
            ++quiet;
        }
        v = next;
    }
    return v;
}

/* ---- bridges ---- */

/* Does the direction from v to w go into the polygon, which is on the left of prev, v, next? Strictly. */
static bool goes_in(const node *nodes, const node *v, const node *w)
{
    const node *prev = &nodes[v->prev], *next = &nodes[v->next];
    int at = turn(prev, v, next), from_prev = turn(prev, v, w), from_next = turn(v, next, w);
    if (at > 0)
        return from_prev > 0 && from_next > 0;
    if (at < 0)
        return from_prev > 0 || from_next > 0;
    if (between(prev, v, next))
        return from_prev > 0;
    return from_prev != 0 || !same_place(prev, next); /* the end of a slit: all around */
}

/* Is nothing of the loop of c between c and h? `strictly`: nothing touches the line between them either. */
static bool sees(const node *nodes, uint32_t c, const node *h, bool strictly)
{
    const node *from = &nodes[c];
    uint32_t s = c;
    do {
        const node *p = &nodes[s], *q = &nodes[p->next];
        s = p->next;
        int of_p = turn(from, h, p), of_q = turn(from, h, q);
        if (strictly && of_p == 0 && between(from, p, h))
            return false;
        if (of_p * of_q > 0)
            continue;
        int of_from = turn(p, q, from), of_h = turn(p, q, h);
        if (of_p * of_q < 0 && (of_from * of_h < 0 || (strictly && of_h == 0 && of_from != 0)))
            return false;
    } while (s != c);
    return true;
}

/* A corner of the loop of `start`, not above h, that h can be joined to; the nearest that is good. */
static uint32_t find_bridge(cutter *c, uint32_t start, uint32_t h)
{
    const node *nodes = c->nodes, *from = &nodes[h];
    for (int pass = 0; pass < 3; ++pass) {
        double nearest = -1.0;
        uint32_t last = 0;
        for (;;) {
            /* the next in order of distance, then number */
            double best = INFINITY;
            uint32_t found = UINT32_MAX, v = start;
            do {
                const node *n = &nodes[v];
                double dx = n->x - from->x, dy = n->y - from->y, square = dx * dx + dy * dy;
                if ((square > nearest || (square == nearest && v > last)) && (found == UINT32_MAX || square < best || (square == best && v < found)) &&
                    (pass == 2 || order(n, from) <= 0)) {
                    best = square;
                    found = v;
                }
                v = n->next;
            } while (v != start);
            if (found == UINT32_MAX)
                break;
            const node *n = &nodes[found];
            if (pass == 2) {
                c->simple = false;
                return found;
            }
            if (same_place(n, from)) {
                /* loops that touch: the hole must go on into the polygon */
                if (goes_in(nodes, n, &nodes[from->next]) || goes_in(nodes, n, &nodes[from->prev]) || pass == 1)
                    return found;
            } else if ((goes_in(nodes, n, from) || pass == 1) && sees(nodes, found, from, pass == 0)) {
                return found;
            }
            nearest = best;
            last = found;
        }
    }
    c->simple = false; /* distances that are not numbers */
    return start;
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

/* Does the edge from v, a corner of the triangle t that another node may share, to w enter the inside of the triangle? i: which. */
static bool enters(const node *const t[3], int i, const node *w)
{
    const node *at = t[i], *after = t[(i + 1) % 3], *before = t[(i + 2) % 3];
    return turn(at, after, w) > 0 && turn(at, w, before) > 0;
}

/* Edges from the nodes that are where the corners of the triangle are: does one enter it? */
static bool crowd_enters(const cutter *c, const node *const t[3])
{
    for (uint32_t w = 0; w < c->count; ++w) {
        const node *n = &c->nodes[w];
        if (n->gone)
            continue;
        for (int i = 0; i < 3; ++i)
            if (same_place(n, t[i]) && (enters(t, i, &c->nodes[n->prev]) || enters(t, i, &c->nodes[n->next])))
                return true;
    }
    return false;
}

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
        if (same_place(w, n) || same_place(w, p) || same_place(w, q)) {
            n->crowded = true;
            continue;
        }
        if (turn(p, n, w) >= 0 && turn(n, q, w) >= 0 && turn(q, p, w) >= 0)
            return false; /* until it goes */
    }
    return !n->crowded || !crowd_enters(c, (const node *const[3]){p, n, q});
}

/* Does the segment meet the inside of the triangle, which turns left? If not, a line along one of the four sides has them on different sides. */
static bool meets_inside(const node *const t[3], const node *s, const node *e)
{
    for (int i = 0; i < 3; ++i)
        if (turn(t[i], t[(i + 1) % 3], s) <= 0 && turn(t[i], t[(i + 1) % 3], e) <= 0)
            return false;
    if (same_place(s, e))
        return true;
    int of[3] = {turn(s, e, t[0]), turn(s, e, t[1]), turn(s, e, t[2])};
    return (of[0] > 0 || of[1] > 0 || of[2] > 0) && (of[0] < 0 || of[1] < 0 || of[2] < 0);
}

static bool is_clear(const cutter *c, uint32_t v)
{
    const node *n = &c->nodes[v], *p = &c->nodes[n->prev], *q = &c->nodes[n->next];
    if (turn(p, n, q) <= 0)
        return false;
    for (uint32_t w = 0; w < c->count; ++w)
        if (!c->nodes[w].gone && meets_inside((const node *const[3]){p, n, q}, &c->nodes[w], &c->nodes[c->nodes[w].next]))
            return false;
    return true;
}

/* No ear in the usual sense: the next best corner of the loop of v. */
static uint32_t second_choice(cutter *c, uint32_t v)
{
    uint32_t w = v, left = v;
    bool any_left = false;
    do {
        if (is_clear(c, w))
            return w;
        w = c->nodes[w].next;
    } while (w != v);
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

static void cut_ears(cutter *c, uint32_t v, uint32_t size)
{
    uint32_t idle = 0;
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
}

/* ---- all of it ---- */

tact_vec3 tact_polygon_normal(const tact_vec3 *vertices, const uint32_t *corners, size_t count)
{
    tact_vec3 sum = {0.0, 0.0, 0.0};
    if (count < 3)
        return sum;
    tact_vec3 o = vertices[corners[0]];
    double largest = 0.0;
    for (size_t i = 1; i < count; ++i)
        largest = larger(largest, vec_largest(vec_sub(vertices[corners[i]], o)));
    if (!(largest > 0.0))
        return sum;
    /* scaled, halved first where a difference may overflow, so that no product does */
    double half = largest < INFINITY ? 1.0 : 0.25;
    if (half < 1.0)
        for (size_t i = 1, first = 1; i < count; ++i, first = 0)
            largest = larger(first ? 0.0 : largest, vec_largest(vec_sub(vec_scale(vertices[corners[i]], half), vec_scale(o, half))));
    int exponent;
    (void)frexp(largest, &exponent);
    tact_vec3 before = {0.0, 0.0, 0.0};
    for (size_t i = 1; i < count; ++i) {
        tact_vec3 p = vec_sub(vec_scale(vertices[corners[i]], half), vec_scale(o, half));
        tact_vec3 now = vec_make(ldexp(p.x, -exponent), ldexp(p.y, -exponent), ldexp(p.z, -exponent));
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
            c->nodes[i] = (node){mirrored ? y : x, mirrored ? x : y, corners[i], k > 0 ? i - 1 : first + size - 1,
                                 k + 1 < size ? i + 1 : first, 0, (uint32_t)l, false, false, first};
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

/* Prepares a loop: its direction, no idle corners. Returns the size left; `entry` gets its lowest node. */
static uint32_t prepare(cutter *c, uint32_t first, uint32_t size, bool hole, uint32_t *entry)
{
    if (hole && loop_turn(c->nodes, first, size) > 0)
        reverse(c->nodes, first, size);
    uint32_t v = clean(c, first, &size), low = v;
    for (uint32_t w = c->nodes[v].next; w != v; w = c->nodes[w].next)
        if (order(&c->nodes[w], &c->nodes[low]) < 0)
            low = w;
    *entry = low;
    return size;
}

static TACT_NOT_INLINED void triangulate(cutter *c, const tact_vec3 *vertices, const uint32_t *corners,
                                         const uint32_t *loop_sizes, size_t loop_count)
{
    tact_vec3 n = tact_polygon_normal(vertices, corners, loop_sizes[0]);
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int axis = x > y && x > z ? 0 : y > z ? 1 : 2;
    lay_out(c, vertices, corners, loop_sizes, loop_count, axis, false);
    if (loop_turn(c->nodes, 0, loop_sizes[0]) < 0)
        lay_out(c, vertices, corners, loop_sizes, loop_count, axis, true);
    uint32_t entry, all = prepare(c, 0, loop_sizes[0], false, &entry);
    /* The holes, lowest first: chained by `lowest` through the first node of each, in place of a list. */
    uint32_t first = loop_sizes[0], done = entry;
    for (size_t l = 1; l < loop_count; first += loop_sizes[l++]) {
        if (loop_sizes[l] == 0)
            continue;
        all += prepare(c, first, loop_sizes[l], true, &c->nodes[first].lowest) + 2;
    }
    for (;;) {
        uint32_t best = UINT32_MAX, owner = 0;
        first = loop_sizes[0];
        for (size_t l = 1; l < loop_count; first += loop_sizes[l++]) {
            if (loop_sizes[l] == 0 || c->nodes[first].lowest == UINT32_MAX)
                continue;
            uint32_t low = c->nodes[first].lowest;
            if (best == UINT32_MAX || order(&c->nodes[low], &c->nodes[best]) < 0) {
                best = low;
                owner = first;
            }
        }
        if (best == UINT32_MAX)
            break;
        c->nodes[owner].lowest = UINT32_MAX;
        join(c, find_bridge(c, done, best), best);
    }
    for (uint32_t i = 0; i < c->count; ++i) {
        c->nodes[i].looked = 0;
        c->nodes[i].crowded = false;
    }
    cut_ears(c, done, all);
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
        if (count + 2 * loop_count > TRIANGULATE_MOST)
            return TACT_BAD_ARGUMENT;
    }
    for (size_t i = 0; i < count; ++i)
        if (!vec_finite(vertices[corners[i]]))
            return TACT_BAD_ARGUMENT;
    if (count < 3 || loop_sizes[0] == 0)
        return TACT_OK;
    size_t holes = 0;
    for (size_t l = 1; l < loop_count; ++l)
        holes += loop_sizes[l] > 0;
    size_t room = count + 2 * holes, wanted = 3 * (room - 2);
    if (wanted > SIZE_MAX - triangles->count || !corner_array_reserve(triangles, allocator, triangles->count + wanted))
        return TACT_OUT_OF_MEMORY;
    cutter c = {tact_memory_take(allocator, room, sizeof(node)), 0, triangles, true};
    if (c.nodes == NULL)
        return TACT_OUT_OF_MEMORY;
    environment before = environment_enter();
    triangulate(&c, vertices, corners, loop_sizes, loop_count);
    environment_leave(before);
    tact_memory_give(allocator, c.nodes, room, sizeof(node));
    if (simple != NULL)
        *simple = c.simple;
    return TACT_OK;
}
