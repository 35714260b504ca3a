/*
 * The expanding polytope algorithm: how far the origin is inside the difference A - B of two convex cores.
 *
 * Guarantees: `depth` is the support value of A - B along `normal`, so it is never less than the true depth by more
 * than rounding; for polytopes it is the true depth within a few ulps of the largest coordinate; for curved shapes it
 * is proved to be within a part of EPA_CURVED_GAP (up to EPA_CURVED_GAP_MAX where very many directions are nearly as
 * good) and, as Newton's method has the last word, mostly exact to 1e-10. Bounded work: at most EPA_MAX_FACETS facets,
 * each made once; some 20 support points for 20-point hulls, 60 for curved shapes. Memory beyond the first
 * EPA_STACK_FACETS facets comes from the allocator.
 *
 * After G. van den Bergen, "Proximity queries and penetration depth computation on 3D game objects" (2001). Departures:
 * - Whether a new point sees a facet is decided by the exact predicate on the rounded points, so the polytope is convex
 * and closed whatever the input: there is no repair, no epsilon, and no way to fail. Flat and needle-thin differences
 * stay well defined.
 * - A facet's normal is perpendicular to its edges to the last bit, also on slivers (tact_sat_normal): only then its
 * distance is as good as its corners.
 * - Facets wait in a heap by the distance of their plane, with no test of where the foot lies: the nearest plane holds
 * it.
 * - What the polytope finds is polished (polish.c): on polytopes by the features of A and B, on curved shapes by
 * Newton's method, begun at the first facet that is close, and from other places again and again while facets are many.
 */
#include "convex/epa.h"

#include <string.h>

#include "convex/convex_constants.h"
#include "convex/sat.h"
#include "core/heap.h"
#include "core/memory.h"
#include "math/filter.h"
#include "shape/support.h"
#include <tact/predicates.h>

#define NO_FACET UINT32_MAX

typedef struct facet {
    uint32_t corner[3];    /* counter-clockwise seen from outside */
    uint32_t neighbour[3]; /* across the edge from corner i to corner i + 1 */
    tact_vec3 normal;      /* outward, unit; zero for a sliver thinner than rounding */
    double distance;       /* of its plane from the origin: negative if the origin is outside */
    uint32_t stamp;        /* the last walk that came by, and whether it took the facet in */
    uint32_t next;         /* the facet that the walk took in after this one */
    bool seen;
    bool dead;
} facet;

typedef struct entry {
    double key;
    uint32_t facet;
} entry;

typedef struct polytope {
    const epa_pair *pair;
    const tact_allocator *allocator;
    void *block;          /* what the allocator gave; NULL while all is on the stack */
    facet *facets;        /* `room` of them */
    epa_vertex *vertices; /* room / 2: every vertex after the fourth makes at least three facets */
    entry *heap;          /* `room`: the open facets, the nearest plane first; some may be dead */
    uint32_t *start;      /* room / 2: for a vertex on the horizon the new facet whose first corner it is */
    uint32_t room, facet_count, vertex_count, heap_count;
    uint32_t stamp;
    double beat; /* facets farther than this from the origin need not be opened */
    bool full;   /* EPA_MAX_FACETS would be exceeded */
    bool out_of_memory;
} polytope;

/* Room on the stack. */
typedef struct first_room {
    facet facets[EPA_STACK_FACETS];
    epa_vertex vertices[EPA_STACK_FACETS / 2];
    entry heap[EPA_STACK_FACETS];
    uint32_t start[EPA_STACK_FACETS / 2];
} first_room;

epa_pair tact_epa_pair(const convex *a, const convex *b)
{
    epa_pair pair = {a, b, vec_sub(b->transform.origin, a->transform.origin), 0.0, false};
    pair.curved = !tact_convex_is_polytope(a) || !tact_convex_is_polytope(b);
    pair.noise = EPA_NOISE * CONVEX_ROUNDOFF * (a->bounding_radius + b->bounding_radius + vec_max_abs(pair.offset));
    return pair;
}

double tact_epa_sample(const epa_pair *pair, tact_vec3 n, epa_vertex *out)
{
    out->a = convex_support(pair->a, n, &out->branch_a);
    out->b = convex_support(pair->b, vec_negate(n), &out->branch_b);
    out->p = vec_sub(vec_sub(out->a, out->b), pair->offset);
    out->aim = n;
    if (!(vec_max_abs(n) > 0.0)) /* no direction proves nothing */
        return INFINITY;
    return vec_finite(out->p) ? vec_dot(n, out->p) : NAN;
}

/* ---- the heap --------------------------------------------------------------------------------------------------- */

/* Ties go to the older facet, so that the order does not depend on the heap's history. */
static inline bool before(const void *context, const entry *a, const entry *b)
{
    (void)context;
    return a->key < b->key || (a->key == b->key && a->facet < b->facet);
}

HEAP_OF(facet_heap, entry, const void *, before)

static void heap_push(polytope *t, double key, uint32_t id)
{
    facet_heap_push(NULL, t->heap, t->heap_count++, (entry){key, id});
}

static void heap_drop_first(polytope *t) { facet_heap_pop(NULL, t->heap, t->heap_count--); }

/* The open facet with the nearest plane, or NO_FACET. */
static uint32_t nearest_open(polytope *t)
{
    while (t->heap_count > 0 && t->facets[t->heap[0].facet].dead)
        heap_drop_first(t);
    return t->heap_count > 0 ? t->heap[0].facet : NO_FACET;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* The bytes of one facet with its share of vertices, heap and start. */
#define BYTES_PER_FACET (sizeof(facet) + sizeof(entry) + sizeof(epa_vertex) / 2 + sizeof(uint32_t) / 2)

/* Makes sure that `more` facets fit; false when they cannot. */
static bool reserve(polytope *t, uint32_t more)
{
    if (t->facet_count + more <= t->room)
        return true;
    if (t->facet_count + more > EPA_MAX_FACETS) {
        t->full = true;
        return false;
    }
    uint32_t room = 2 * t->room;
    while (room < t->facet_count + more)
        room *= 2;
    /* One block, the widest alignment first. */
    char *block = tact_memory_allocate(t->allocator, room, BYTES_PER_FACET);
    if (block == NULL) {
        t->out_of_memory = true;
        return false;
    }
    facet *facets = (facet *)block;
    epa_vertex *vertices = (epa_vertex *)(facets + room);
    entry *heap = (entry *)(vertices + room / 2);
    uint32_t *start = (uint32_t *)(heap + room);
    memcpy(facets, t->facets, t->facet_count * sizeof(facet));
    memcpy(vertices, t->vertices, t->vertex_count * sizeof(epa_vertex));
    memcpy(heap, t->heap, t->heap_count * sizeof(entry));
    tact_memory_free(t->allocator, t->block, t->room, BYTES_PER_FACET);
    t->block = block;
    t->facets = facets;
    t->vertices = vertices;
    t->heap = heap;
    t->start = start;
    t->room = room;
    return true;
}

/* ---- facets ----------------------------------------------------------------------------------------------------- */

/* The outward unit normal of a triangle, from its two shortest edges. */
static tact_vec3 facet_normal(tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    tact_vec3 pq = vec_sub(q, p), qr = vec_sub(r, q), rp = vec_sub(p, r);
    double lpq = vec_length_squared(pq), lqr = vec_length_squared(qr), lrp = vec_length_squared(rp);
    tact_vec3 e = pq, f = qr;
    double le = lpq, lf = lqr;
    if (lpq >= lqr && lpq >= lrp) {
        e = qr, f = rp, le = lqr, lf = lrp;
    } else if (lqr >= lrp) {
        e = rp, f = pq, le = lrp, lf = lpq;
    }
    tact_vec3 n = vec_cross(e, f);
    double square = vec_length_squared(n);
    if (square > EPA_WIDE_ANGLE * le * lf)
        return vec_scale(n, 1.0 / sqrt(square));
    return tact_sat_normal(e, f);
}

static uint32_t add_facet(polytope *t, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t id = t->facet_count++;
    facet *f = &t->facets[id];
    tact_vec3 p = t->vertices[i].p, q = t->vertices[j].p, r = t->vertices[k].p;
    f->corner[0] = i;
    f->corner[1] = j;
    f->corner[2] = k;
    f->normal = facet_normal(p, q, r);
    f->distance = fmin(fmin(vec_dot(f->normal, p), vec_dot(f->normal, q)), vec_dot(f->normal, r));
    f->stamp = 0;
    f->next = NO_FACET;
    f->seen = false;
    f->dead = false;
    /* A sliver without a normal is left closed: its neighbours stand for it. */
    if (f->distance < t->beat && vec_max_abs(f->normal) > 0.0)
        heap_push(t, f->distance, id);
    return id;
}

/* Is p strictly outside the plane of the facet? Exact. */
static bool sees(const polytope *t, tact_vec3 p, const facet *f)
{
    tact_vec3 a = t->vertices[f->corner[0]].p, b = t->vertices[f->corner[1]].p, c = t->vertices[f->corner[2]].p;
    int sign = filter_orient3d(a, b, c, p);
    if (sign == 0 && !vec_equal(p, a) && !vec_equal(p, b) && !vec_equal(p, c))
        sign = tact_orient3d(a, b, c, p);
    return sign > 0;
}

/* Takes the vertex into the polytope, given a facet that it sees. Because the predicate is exact, the facets seen are
 * one disc, its rim is one loop, and the new facets around the rim make the polytope convex and closed again; facets in
 * one plane with the vertex are not seen and get a coplanar neighbour. False when there is no room. */
static bool insert(polytope *t, uint32_t vertex, uint32_t first)
{
    tact_vec3 p = t->vertices[vertex].p;
    uint32_t stamp = ++t->stamp, last = first, seen_count = 1;
    t->facets[first].stamp = stamp;
    t->facets[first].seen = true;
    t->facets[first].next = NO_FACET;
    for (uint32_t id = first; id != NO_FACET; id = t->facets[id].next)
        for (int i = 0; i < 3; i++) {
            uint32_t other = t->facets[id].neighbour[i];
            facet *g = &t->facets[other];
            if (g->stamp == stamp)
                continue;
            g->stamp = stamp;
            g->seen = sees(t, p, g);
            if (!g->seen)
                continue;
            g->next = NO_FACET;
            t->facets[last].next = other;
            last = other;
            seen_count++;
        }
    /* A disc of k triangles has at most k + 2 edges on its rim. */
    if (!reserve(t, seen_count + 2))
        return false;
    uint32_t begin = t->facet_count;
    for (uint32_t id = first; id != NO_FACET; id = t->facets[id].next) {
        t->facets[id].dead = true;
        for (int i = 0; i < 3; i++) {
            uint32_t other = t->facets[id].neighbour[i];
            if (t->facets[other].seen && t->facets[other].stamp == stamp)
                continue;
            uint32_t from = t->facets[id].corner[i], to = t->facets[id].corner[(i + 1) % 3];
            uint32_t made = add_facet(t, from, to, vertex);
            t->facets[made].neighbour[0] = other;
            facet *g = &t->facets[other];
            int edge = g->corner[0] == to && g->corner[1] == from   ? 0
                       : g->corner[1] == to && g->corner[2] == from ? 1
                                                                    : 2;
            g->neighbour[edge] = made;
            t->start[from] = made;
        }
    }
    for (uint32_t id = begin; id < t->facet_count; id++) {
        uint32_t after = t->start[t->facets[id].corner[1]];
        t->facets[id].neighbour[1] = after;
        t->facets[after].neighbour[2] = id;
    }
    return true;
}

/* ---- the beginning ---------------------------------------------------------------------------------------------- */

/* What the first points of A - B turned out to be. */
typedef enum beginning { BEGIN_SOLID, BEGIN_FLAT, BEGIN_FAILED } beginning;

static double volume_of(tact_vec3 p, tact_vec3 q, tact_vec3 r, tact_vec3 s)
{
    return vec_dot(vec_cross(vec_sub(q, p), vec_sub(r, p)), vec_sub(s, p));
}

static bool good_tetrahedron(const epa_vertex *v)
{
    double longest = 0.0;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            longest = fmax(longest, vec_length_squared(vec_sub(v[i].p, v[j].p)));
    return fabs(volume_of(v[0].p, v[1].p, v[2].p, v[3].p)) > EPA_START_VOLUME * longest * sqrt(longest);
}

/* The first four vertices become a tetrahedron. False if they are exactly coplanar. */
static bool make_tetrahedron(polytope *t)
{
    const epa_vertex *v = t->vertices;
    int sign = tact_orient3d(v[0].p, v[1].p, v[2].p, v[3].p);
    if (sign == 0)
        return false;
    /* Corner 3 is outside the plane of 0 1 2 if the sign is positive: then that face is 0 2 1 seen from outside. */
    static const uint32_t faces[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                            {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    for (int i = 0; i < 4; i++) {
        const uint32_t *c = faces[sign > 0][i];
        (void)add_facet(t, c[0], c[1], c[2]);
    }
    for (uint32_t i = 0; i < 4; i++)
        for (int e = 0; e < 3; e++) {
            facet *f = &t->facets[i];
            uint32_t from = f->corner[e], to = f->corner[(e + 1) % 3];
            for (uint32_t j = 0; j < 4; j++)
                for (int d = 0; d < 3; d++)
                    if (t->facets[j].corner[d] == to && t->facets[j].corner[(d + 1) % 3] == from)
                        f->neighbour[e] = j;
        }
    return true;
}

/* A flat answer: the direction, of those given, along which A - B is thinnest. */
static void settle_flat(const epa_pair *pair, const tact_vec3 *directions, int count, const gjk_result *from,
                        epa_depth *out)
{
    out->depth = INFINITY;
    for (int i = 0; i < count; i++) {
        epa_vertex v;
        double value = tact_epa_sample(pair, directions[i], &v);
        if (value < out->depth) {
            out->depth = value;
            out->normal = directions[i];
        }
    }
    out->lower = fmin(out->depth, 0.0);
    out->a = vec_sub(from->on_a, pair->a->transform.origin);
    out->b = vec_sub(from->on_b, pair->b->transform.origin);
    out->status = out->depth < INFINITY ? TACT_OK : TACT_BAD_ARGUMENT;
}

/* How far p is from the line through o with the unit direction u. */
static double off_line(tact_vec3 o, tact_vec3 u, tact_vec3 p)
{
    tact_vec3 d = vec_sub(p, o);
    return vec_length(vec_mul_add(d, -vec_dot(d, u), u));
}

/* Chooses the candidate that is farthest by `off` and puts it at place `at`. */
static void choose(epa_vertex *v, int at, int best)
{
    epa_vertex swap = v[at];
    v[at] = v[best];
    v[best] = swap;
}

static beginning begin(polytope *t, const gjk_result *from, epa_depth *out)
{
    const epa_pair *pair = t->pair;
    epa_vertex v[EPA_START_POINTS];
    int count = 0;
    for (int i = 0; from->status == GJK_OVERLAP && i < from->count; i++) {
        /* GJK does not say for which direction it took the point: no aim, and a branch of its own. */
        v[count++] =
            (epa_vertex){vec_negate(from->simplex[i].w), from->simplex[i].a,      from->simplex[i].b, {0.0, 0.0, 0.0},
                         UINT64_MAX - (uint64_t)i,       UINT64_MAX - (uint64_t)i};
    }
    if (!(count == 4 && good_tetrahedron(v))) {
        const tact_vec3 axes[6] = {{1.0, 0.0, 0.0},  {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},
                                   {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0},  {0.0, 0.0, -1.0}};
        for (int i = 0; i < 6; i++)
            if (isnan(tact_epa_sample(pair, axes[i], &v[count++])))
                return BEGIN_FAILED;
        double flat = EPA_FLAT_NOISE * pair->noise;
        int first = 0, second = 0;
        double longest = 0.0;
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count; j++) {
                double square = vec_length_squared(vec_sub(v[i].p, v[j].p));
                if (square > longest) {
                    longest = square;
                    first = i;
                    second = j;
                }
            }
        if (!(longest > flat * flat)) { /* a point */
            settle_flat(pair, axes, 6, from, out);
            return BEGIN_FLAT;
        }
        flat = fmax(flat, EPA_FLAT_RELATIVE * sqrt(longest));
        choose(v, 0, first);
        choose(v, 1, second);
        tact_vec3 line = vec_normalize(vec_sub(v[1].p, v[0].p));
        tact_vec3 across[4];
        vec_tangent_basis(line, &across[0], &across[1]);
        across[2] = vec_negate(across[0]);
        across[3] = vec_negate(across[1]);
        double widest = 0.0;
        for (int round = 0; round < 2 && !(widest > flat); round++) {
            for (int i = 0; i < 4 && round == 1; i++)
                if (isnan(tact_epa_sample(pair, across[i], &v[count++])))
                    return BEGIN_FAILED;
            int best = 2;
            for (int i = 2; i < count; i++) {
                double off = off_line(v[0].p, line, v[i].p);
                if (off > widest) {
                    widest = off;
                    best = i;
                }
            }
            if (count > 2)
                choose(v, 2, best);
        }
        tact_vec3 sides[2];
        if (!(widest > flat)) { /* a segment */
            settle_flat(pair, across, 4, from, out);
            return BEGIN_FLAT;
        }
        sides[0] = facet_normal(v[0].p, v[1].p, v[2].p);
        sides[1] = vec_negate(sides[0]);
        double thickest = 0.0;
        for (int round = 0; round < 2 && !(thickest > flat); round++) {
            for (int i = 0; i < 2 && round == 1; i++)
                if (isnan(tact_epa_sample(pair, sides[i], &v[count++])))
                    return BEGIN_FAILED;
            int best = 3;
            for (int i = 3; i < count; i++) {
                double off = fabs(vec_dot(sides[0], vec_sub(v[i].p, v[0].p)));
                if (off > thickest) {
                    thickest = off;
                    best = i;
                }
            }
            if (count > 3)
                choose(v, 3, best);
        }
        if (!(thickest > flat)) { /* flat */
            settle_flat(pair, sides, 2, from, out);
            return BEGIN_FLAT;
        }
    }
    for (int i = 0; i < 4; i++)
        t->vertices[t->vertex_count++] = v[i];
    if (!make_tetrahedron(t)) {
        tact_vec3 sides[2];
        sides[0] = facet_normal(v[0].p, v[1].p, v[2].p);
        sides[1] = vec_negate(sides[0]);
        settle_flat(pair, sides, 2, from, out);
        return BEGIN_FLAT;
    }
    for (int i = 4; i < count; i++)
        for (uint32_t id = 0; id < t->facet_count; id++)
            if (!t->facets[id].dead && sees(t, v[i].p, &t->facets[id])) {
                t->vertices[t->vertex_count++] = v[i];
                (void)insert(t, t->vertex_count - 1, id); /* at most 10 more points: they fit on the stack */
                break;
            }
    return BEGIN_SOLID;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* The barycentric coordinates of the foot of the origin in the facet's plane; returns the smallest. */
static double weigh(const polytope *t, const facet *f, double weight[3])
{
    tact_vec3 foot = vec_scale(f->normal, f->distance), q[3];
    for (int i = 0; i < 3; i++)
        q[i] = vec_sub(t->vertices[f->corner[i]].p, foot);
    double sum = 0.0, least = INFINITY;
    for (int i = 0; i < 3; i++) {
        weight[i] = vec_dot(f->normal, vec_cross(q[(i + 1) % 3], q[(i + 2) % 3]));
        sum += weight[i];
    }
    if (!(sum > 0.0))
        return -INFINITY;
    for (int i = 0; i < 3; i++) {
        weight[i] /= sum;
        least = fmin(least, weight[i]);
    }
    return least;
}

/* Of the facets in one plane (to within `slack`) with the one given, that which holds the foot of the origin. */
static uint32_t holder_of_foot(polytope *t, uint32_t first, double slack)
{
    tact_vec3 n = t->facets[first].normal;
    double plane = t->facets[first].distance - slack, weight[3];
    uint32_t best = first, stamp = ++t->stamp, last = first;
    double most = weigh(t, &t->facets[first], weight);
    t->facets[first].stamp = stamp;
    t->facets[first].next = NO_FACET;
    for (uint32_t id = first; id != NO_FACET && most < 0.0; id = t->facets[id].next)
        for (int i = 0; i < 3; i++) {
            uint32_t other = t->facets[id].neighbour[i];
            facet *g = &t->facets[other];
            if (g->stamp == stamp)
                continue;
            g->stamp = stamp;
            if (!(vec_dot(n, t->vertices[g->corner[0]].p) >= plane &&
                  vec_dot(n, t->vertices[g->corner[1]].p) >= plane && vec_dot(n, t->vertices[g->corner[2]].p) >= plane))
                continue;
            g->next = NO_FACET;
            t->facets[last].next = other;
            last = other;
            double least = weigh(t, g, weight);
            if (least > most) {
                most = least;
                best = other;
            }
        }
    return best;
}

static void points_of_foot(const polytope *t, uint32_t id, epa_depth *out)
{
    const facet *f = &t->facets[id];
    double weight[3], sum = 0.0;
    if (!(weigh(t, f, weight) > -INFINITY))
        weight[0] = weight[1] = weight[2] = 1.0;
    for (int i = 0; i < 3; i++) {
        weight[i] = fmax(weight[i], 0.0);
        sum += weight[i];
    }
    out->a = out->b = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; i++) {
        out->a = vec_mul_add(out->a, weight[i] / sum, t->vertices[f->corner[i]].a);
        out->b = vec_mul_add(out->b, weight[i] / sum, t->vertices[f->corner[i]].b);
    }
}

/* The gap between the bounds that is small enough. */
static double allowed_gap(const polytope *t, double depth)
{
    double part = EPA_POLYTOPE_GAP;
    if (t->pair->curved) {
        double easy = (double)t->facet_count / EPA_EASY_FACETS, hard = (double)t->facet_count / EPA_HARD_FACETS;
        part = EPA_CURVED_GAP * fmax(easy, 1.0);
        if (hard > 1.0)
            part = fmin(part * (hard * hard) * (hard * hard), EPA_CURVED_GAP_MAX);
    }
    return part * fabs(depth) + t->pair->noise;
}

/* Newton's method from the direction that corner[0] is the support point of; the other three are those of a facet.
 * Keeps what it finds if that is better. `stationary`: out->a and out->b are known from it. */
static bool polish(polytope *t, const epa_vertex *corner, int count, epa_depth *out, bool *stationary)
{
    tact_vec3 n = corner[0].aim, a = {0.0, 0.0, 0.0}, b = {0.0, 0.0, 0.0};
    double value = vec_dot(n, corner[0].p);
    bool rest = tact_polish_curved(t->pair, corner, count, &n, &value, &a, &b);
    if (!(value < out->depth))
        return false;
    out->depth = value;
    out->normal = n;
    *stationary = rest;
    if (rest) {
        out->a = a;
        out->b = b;
    }
    t->beat = value;
    return true;
}

/* The support point of a direction that was opened, and the corners of its facet. */
typedef struct candidate {
    double value;
    epa_vertex w;
    uint32_t corner[3];
} candidate;

static void corners_of(const polytope *t, const epa_vertex *w, const uint32_t id[3], epa_vertex corner[4])
{
    corner[0] = *w;
    for (int i = 0; i < 3; i++)
        corner[i + 1] = t->vertices[id[i]];
}

/* A ring of directions along a kink: the facets there have corners on both sides of it, and the support point along a
 * facet's normal is always of the side that is rounder, so that the other would stay coarse. Finds a point of that one:
 * turns the normal towards a corner of another branch than w until that is the largest. False if there is none beyond
 * the facet. */
static bool other_side(const polytope *t, const facet *f, const epa_vertex *w, epa_vertex *v)
{
    double value = vec_dot(f->normal, w->p);
    for (int i = 0; i < 3; i++) {
        const epa_vertex *corner = &t->vertices[f->corner[i]];
        if (corner->branch_a == w->branch_a && corner->branch_b == w->branch_b)
            continue;
        tact_vec3 d = vec_sub(corner->p, w->p);
        d = vec_mul_add(d, -vec_dot(d, f->normal), f->normal);
        double square = vec_length_squared(d), turn = EPA_KINK_TURN * (value - vec_dot(f->normal, corner->p)) / square;
        if (!(turn * turn * square < EPA_KINK_MAX_TURN * EPA_KINK_MAX_TURN) ||
            isnan(tact_epa_sample(t->pair, vec_normalize(vec_mul_add(f->normal, turn, d)), v)))
            continue;
        if (!(v->branch_a == w->branch_a && v->branch_b == w->branch_b) &&
            vec_dot(f->normal, v->p) - f->distance > t->pair->noise && sees(t, v->p, f))
            return true;
    }
    return false;
}

static void run(polytope *t, const gjk_result *from, epa_depth *out)
{
    const epa_pair *pair = t->pair;
    uint32_t best = NO_FACET;
    bool stationary = false; /* out->a and out->b are known from Newton's method */
    epa_vertex w, corner[4];
    candidate other = {.value = INFINITY};
    double opened = 0.0, next_try = EPA_RESTART_AFTER;
    bool hinted = !pair->curved; /* the hint has been tried or is not needed */
    if (pair->curved && tact_polish_caps(pair, &out->normal, &out->depth)) {
        t->beat = out->depth;
        stationary = false;
    }
    for (;;) {
        uint32_t id = nearest_open(t);
        if (id == NO_FACET)
            break; /* every facet that could matter is part of the surface */
        facet f = t->facets[id];
        out->lower = f.distance;
        if (out->depth < INFINITY && out->depth - f.distance <= allowed_gap(t, out->depth))
            break; /* no direction is better by more than the gap allowed */
        double value = tact_epa_sample(pair, f.normal, &w);
        if (isnan(value)) {
            out->status = TACT_BAD_ARGUMENT;
            return;
        }
        opened += 1.0;
        if (value < out->depth) {
            best = id;
            if (pair->curved && value - f.distance <= EPA_NEWTON_GAP * fabs(value) + pair->noise) {
                hinted = true;
                corners_of(t, &w, f.corner, corner);
                (void)polish(t, corner, 4, out, &stationary);
            } else {
                out->depth = t->beat = value;
                out->normal = f.normal;
                stationary = false;
            }
        } else if (pair->curved && value < other.value &&
                   vec_length_squared(vec_sub(f.normal, out->normal)) * opened > EPA_RESTART_ANGLE) {
            other = (candidate){value, w, {f.corner[0], f.corner[1], f.corner[2]}};
        }
        /* Near touch GJK has met good directions, when the facets may still be far from any. */
        if (!hinted && (opened >= EPA_HINT_AFTER || from->status != GJK_OVERLAP)) {
            hinted = true;
            if (vec_max_abs(from->best_axis) > 0.0 && !isnan(tact_epa_sample(pair, from->best_axis, &corner[0])) &&
                polish(t, corner, 1, out, &stationary))
                best = NO_FACET;
        }
        if (opened >= next_try && other.value < INFINITY) {
            next_try *= EPA_RESTART_FACTOR;
            corners_of(t, &other.w, other.corner, corner);
            if (polish(t, corner, 4, out, &stationary))
                best = NO_FACET;
            other.value = INFINITY;
        }
        heap_drop_first(t);
        /* Nothing beyond the plane but rounding: the facet is part of the surface. Seen by nobody although the value
         * says so: a sliver whose normal is made of rounding; its neighbours stand for it. */
        if (value - f.distance <= pair->noise || !sees(t, w.p, &f))
            continue;
        if (pair->curved && opened >= EPA_KINK_AFTER && fmod(opened, 2.0) == 0.0) {
            epa_vertex v;
            if (other_side(t, &f, &w, &v))
                w = v;
        }
        if (!reserve(t, 3)) /* makes room for the vertex as well */
            break;
        t->vertices[t->vertex_count++] = w;
        if (!insert(t, t->vertex_count - 1, id))
            break;
    }
    out->facets = (int)t->facet_count;
    if (t->out_of_memory || t->full || !(out->depth < INFINITY)) {
        out->status = t->out_of_memory ? TACT_OUT_OF_MEMORY : TACT_NOT_CONVERGED;
        if (t->out_of_memory || !(out->depth < INFINITY))
            return;
    }
    /* The facet that holds the foot: the one that gave the value if it is still there, else the nearest one left. */
    if (best == NO_FACET || t->facets[best].dead) {
        uint32_t nearest = nearest_open(t);
        for (uint32_t id = 0; nearest == NO_FACET && id < t->facet_count; id++)
            if (!t->facets[id].dead &&
                (best == NO_FACET || t->facets[best].dead || t->facets[id].distance < t->facets[best].distance))
                best = id;
        if (nearest != NO_FACET)
            best = nearest;
        /* Of several directions that are equally good, the one whose facet we hold. */
        epa_vertex v;
        double value = tact_epa_sample(pair, t->facets[best].normal, &v);
        if (!stationary && value <= out->depth + pair->noise) {
            out->depth = value;
            out->normal = t->facets[best].normal;
        }
    }
    best = holder_of_foot(t, best, allowed_gap(t, out->depth) + 2.0 * pair->noise);
    corners_of(t, &t->vertices[0], t->facets[best].corner, corner);
    if (!pair->curved)
        tact_polish_corners(pair, &corner[1], out);
    else if (!stationary &&
             !isnan(tact_epa_sample(pair, out->normal, &corner[0]))) /* once more, with the closest corners */
        stationary = tact_polish_curved(pair, corner, 4, &out->normal, &out->depth, &out->a, &out->b);
    if (!stationary)
        points_of_foot(t, best, out);
    out->lower = fmin(out->lower, out->depth);
}

void tact_epa_expand(const epa_pair *pair, const gjk_result *from, const tact_allocator *allocator, epa_depth *out)
{
    first_room room; /* not initialised: only what has been written is read */
    polytope t = {.pair = pair, .allocator = allocator, .room = EPA_STACK_FACETS, .beat = INFINITY};
    t.facets = room.facets;
    t.vertices = room.vertices;
    t.heap = room.heap;
    t.start = room.start;
    *out = (epa_depth){.status = TACT_OK, .depth = INFINITY, .lower = -INFINITY, .normal = {0.0, 0.0, 1.0}};
    switch (begin(&t, from, out)) {
    case BEGIN_SOLID:
        run(&t, from, out);
        break;
    case BEGIN_FAILED:
        out->status = TACT_BAD_ARGUMENT;
        break;
    case BEGIN_FLAT:
        break;
    }
    tact_memory_free(allocator, t.block, t.room, BYTES_PER_FACET);
}
